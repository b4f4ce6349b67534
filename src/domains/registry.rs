//! The operator's domains on disk: names, what was reported, and the last measurements.
//!
//! Every change is one read, one change and one write under a lock, so two running programs do not lose each
//! other's changes; the write replaces the old file with a new one, so a crash leaves one or the other.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::local::atomic_file;

use super::{Dated, DnsName, Event, Measurement, Reported};

/// How many measurements of a domain are kept.
const KEPT: usize = 10;
/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 16 * 1024 * 1024;
/// The file beside the list that remembers that public resolvers were announced.
const ANNOUNCED: &str = "public-resolvers-announced";
/// The layout of the file that this program writes.
const LAYOUT: u32 = 2;

/// One domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub name: DnsName,
    /// What the operator reported.
    pub events: Vec<Dated>,
    /// The last measurements, the latest last.
    #[serde(default)]
    pub measurements: Vec<Measurement>,
}

impl Entry {
    /// What the operator reported, summed up.
    pub fn reported(&self) -> Reported {
        Reported::from_events(&self.events)
    }

    /// Notes an event. What was measured before a domain was added again, or with another value, says nothing about it.
    pub fn note(&mut self, dated: Dated) {
        let is_other = match &dated.event {
            Event::Added => true,
            Event::Value { host } => self.reported().value.as_ref().is_some_and(|value| value != host),
            _ => false,
        };
        if is_other {
            self.measurements.clear();
        }
        self.events.push(dated);
    }

    /// Adds a measurement, unless it began before the domain was added, and drops the oldest. The first that sees the record
    /// says that it was saved; in a removal, the second in a row of which the platform does not know the name says that it was
    /// removed: once the record is deleted, that cannot be seen any more, and a page may be missing for a moment.
    pub fn keep(&mut self, measurement: Measurement) {
        let reported = self.reported();
        if reported.added.is_some_and(|added| measurement.at < added) {
            return;
        }
        // Where Verify was chosen, it was there long before.
        if measurement.seen && reported.saved.or(reported.verified).is_none() {
            self.events.push(Dated { at: measurement.at, event: Event::Saved });
        }
        let was_unknown = self.measurements.last().is_some_and(|last| last.unknown_there);
        if measurement.unknown_there && was_unknown && reported.removal_planned && !reported.removed {
            self.events.push(Dated { at: measurement.at, event: Event::Removed });
        }
        self.measurements.push(measurement);
        let surplus = self.measurements.len().saturating_sub(KEPT);
        self.measurements.drain(..surplus);
    }
}

/// The list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registry {
    layout: u32,
    /// The domains, in the order in which they were added.
    pub domains: Vec<Entry>,
}

impl Default for Registry {
    fn default() -> Self {
        Self { layout: LAYOUT, domains: Vec::new() }
    }
}

impl Registry {
    pub fn get(&self, name: &DnsName) -> Option<&Entry> {
        self.domains.iter().find(|entry| entry.name == *name)
    }

    /// The entry of a name, to change it.
    pub fn get_mut(&mut self, name: &DnsName) -> Option<&mut Entry> {
        self.domains.iter_mut().find(|entry| entry.name == *name)
    }

    /// Notes an event of a domain, which is added if it is new.
    pub fn note(&mut self, name: &DnsName, dated: Dated) {
        if let Some(entry) = self.get_mut(name) {
            return entry.note(dated);
        }
        let mut events = vec![Dated { at: dated.at, event: Event::Added }];
        events.extend((dated.event != Event::Added).then_some(dated));
        self.domains.push(Entry { name: name.clone(), events, measurements: Vec::new() });
    }
}

/// A change to write to disk.
#[derive(Clone, Debug, PartialEq)]
pub enum RegistryChange {
    /// The operator reported something.
    Reported(DnsName, Dated),
    /// A domain was measured.
    Measured(DnsName, Box<Measurement>),
    /// A domain is taken off the list.
    Forgotten(DnsName),
}

impl RegistryChange {
    /// Applies it; applying it twice changes nothing.
    pub fn apply(&self, list: &mut Registry) {
        match self {
            Self::Reported(name, dated) => {
                // A domain that another program removed comes back only when it is added again.
                let is_added = dated.event == Event::Added;
                if list.get(name).map_or(is_added, |entry| !entry.events.contains(dated)) {
                    list.note(name, dated.clone());
                }
            }
            Self::Measured(name, measurement) => {
                if let Some(entry) = list.get_mut(name)
                    && entry.measurements.iter().all(|known| known.at != measurement.at)
                {
                    entry.keep((**measurement).clone());
                }
            }
            Self::Forgotten(name) => list.domains.retain(|entry| entry.name != *name),
        }
    }
}

/// Why the list cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RegistryError(String);

/// The file of the list.
#[derive(Clone, Debug)]
pub struct RegistryFile {
    path: PathBuf,
}

impl RegistryFile {
    /// The list at `path`; no file is created before the first change.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Whether public resolvers were announced before.
    pub fn has_announced_resolvers(&self) -> bool {
        self.path.with_file_name(ANNOUNCED).exists()
    }

    /// Whether public resolvers are announced for the first time; an empty file beside the list remembers it.
    pub fn announce_resolvers(&self) -> bool {
        let marker = self.path.with_file_name(ANNOUNCED);
        // Where nothing can be written, each time is the first.
        let _ = marker.parent().map(atomic_file::create_private);
        !matches!(File::create_new(marker), Err(error) if error.kind() == io::ErrorKind::AlreadyExists)
    }

    /// The list as it is now; empty if there is no file.
    pub fn read(&self) -> Result<Registry, RegistryError> {
        let mut text = Vec::new();
        match File::open(&self.path) {
            Ok(file) => file.take(MAX_FILE).read_to_end(&mut text).map_err(|source| self.io(source))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Registry::default()),
            Err(source) => return Err(self.io(source)),
        };
        /// Only the part that decides whether the rest can be read.
        #[derive(Deserialize)]
        struct Head {
            layout: u32,
        }
        let contents = |error: serde_json::Error| {
            self.failed(&format!(" cannot be read ({error}). It was not changed: fix it, or move it away"))
        };
        let head: Head = serde_json::from_slice(&text).map_err(contents)?;
        if head.layout > LAYOUT {
            let layout = head.layout;
            return Err(self.failed(&format!(" was written by a newer version of this program (layout {layout})")));
        }
        let list = serde_json::from_slice(&text).map_err(contents)?;
        Ok(Registry { layout: LAYOUT, ..list })
    }

    /// Applies changes to the list on disk, and returns the result.
    pub fn apply(&self, changes: &[RegistryChange]) -> Result<Registry, RegistryError> {
        if changes.is_empty() {
            return self.read();
        }
        self.change(|list| {
            changes.iter().for_each(|change| change.apply(list));
            Ok(list.clone())
        })
    }

    /// Changes the list and writes it; waits for other programs that do the same. If `change` fails, nothing is
    /// written. It blocks for the time of a write to the disk.
    pub fn change<T, E: From<RegistryError>>(
        &self,
        change: impl FnOnce(&mut Registry) -> Result<T, E>,
    ) -> Result<T, E> {
        let failed = |error| self.io(error);
        atomic_file::create_private(self.path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        // A lock on the list itself would be lost when a new file takes its place.
        let lock = OpenOptions::new().create(true).append(true).mode(0o600).open(self.path.with_extension("lock"));
        let _lock = lock.and_then(|lock| atomic_file::lock(&lock).map(|()| lock)).map_err(failed)?;
        let mut list = self.read()?;
        let result = change(&mut list)?;
        let text = serde_json::to_string_pretty(&list).map_err(|error| failed(error.into()))? + "\n";
        atomic_file::replace_private(&self.path, &text).map_err(failed)?;
        Ok(result)
    }

    fn io(&self, error: io::Error) -> RegistryError {
        match error.kind() {
            io::ErrorKind::TimedOut => self.failed(" is locked by another petstore, which may be suspended"),
            _ => self.failed(&format!(": {error}")),
        }
    }

    fn failed(&self, why: &str) -> RegistryError {
        RegistryError(format!("the list of domains {}{why}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    fn added(second: i64) -> Dated {
        Dated { at: Timestamp::from_second(second).unwrap(), event: Event::Added }
    }

    fn note(file: &RegistryFile, name: &str) {
        let change = |list: &mut Registry| {
            list.note(&DnsName::new(name), added(1));
            Ok::<_, RegistryError>(())
        };
        file.change(change).unwrap();
    }

    #[test]
    fn the_first_check_that_sees_the_record_says_that_it_was_saved() {
        use crate::domains::{Code, Finding, Verdict, Who};
        let saved = |code, verdict, events: Vec<Dated>| {
            let mut entry = Entry { name: DnsName::new("docs.acme.com"), events, measurements: Vec::new() };
            let finding = Finding::new(code, verdict, Who::Nobody);
            let at = Timestamp::from_second(9).unwrap();
            let findings = [finding];
            entry.keep(Measurement::of(&findings, at));
            entry.keep(Measurement::of(&findings, at + jiff::SignedDuration::from_secs(60)));
            entry.reported().saved.map(Timestamp::as_second)
        };
        assert_eq!(saved(Code::DnsOk, Verdict::Ok, vec![added(1)]), Some(9), "once");
        // Nothing is wrong, and the record was not seen.
        assert_eq!(saved(Code::ProxyCloudflare, Verdict::Warn, vec![added(1)]), None);
        assert_eq!(saved(Code::DnsWildcardOk, Verdict::Warn, vec![added(1)]), None);
        assert_eq!(saved(Code::DnsOk, Verdict::Ok, vec![added(100)]), None, "measured before it was added");
        let verified = Dated { at: Timestamp::from_second(2).unwrap(), event: Event::Verified };
        assert_eq!(saved(Code::DnsOk, Verdict::Ok, vec![added(1), verified]), None, "it was there long before");
    }

    #[test]
    fn that_the_platform_forgot_the_name_is_kept_only_in_a_removal() {
        use crate::domains::{Code, Finding, Verdict, Who};
        let planned = Dated { event: Event::RemovalPlanned, ..added(2) };
        let measured = |code, at| Measurement::of(&[Finding::new(code, Verdict::Fail, Who::Nobody)], added(at).at);
        for (events, removed) in [(vec![added(1)], false), (vec![added(1), planned], true)] {
            let mut entry = Entry { name: DnsName::new("docs.acme.com"), events, measurements: Vec::new() };
            entry.keep(measured(Code::DnsMissing, 8));
            assert!(!entry.reported().removed, "the record was deleted, but the platform was not asked");
            entry.keep(measured(Code::Http404Project, 9));
            assert!(!entry.reported().removed, "a page may be missing for a moment");
            entry.keep(measured(Code::Http404Project, 10));
            entry.keep(measured(Code::DnsMissing, 11));
            assert_eq!(entry.reported().removed, removed);
        }
    }

    #[test]
    fn resolvers_are_announced_for_the_first_time_only_once() {
        let directory = tempfile::tempdir().unwrap();
        let file = RegistryFile::new(directory.path().join("petstore/domains.json"));
        assert!(!file.has_announced_resolvers());
        assert_eq!([file.announce_resolvers(), file.announce_resolvers()], [true, false]);
        assert!(file.has_announced_resolvers());
    }

    #[test]
    fn what_is_kept_is_there_again_and_for_the_owner_only() {
        let dir = tempfile::tempdir().unwrap();
        let file = RegistryFile::new(dir.path().join("deep/domains.json"));
        assert_eq!(file.read().unwrap(), Registry::default());
        note(&file, "docs.acme.com");
        let list = file.read().unwrap();
        assert_eq!(list.get(&DnsName::new("Docs.Acme.com.")).unwrap().events, [added(1)]);
        let mode = fs::metadata(dir.path().join("deep/domains.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let left: Vec<_> = fs::read_dir(dir.path().join("deep")).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "no temporary file is left: {left:?}");
    }

    #[test]
    fn many_at_once_lose_nothing_of_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("domains.json");
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let file = RegistryFile::new(&path);
                scope.spawn(move || (0..10).for_each(|number| note(&file, &format!("n{number}.t{thread}.com"))));
            }
        });
        assert_eq!(RegistryFile::new(&path).read().unwrap().domains.len(), 80);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("domains.json");
        let file = RegistryFile::new(&path);
        for (text, expected) in
            [("{\"layout\": 1, \"doma", "fix it, or move it away"), ("{\"layout\": 9}", "newer version")]
        {
            fs::write(&path, text).unwrap();
            let error = file.change(|_| Ok::<_, RegistryError>(())).unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains("domains.json"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn a_change_that_fails_writes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = RegistryFile::new(dir.path().join("domains.json"));
        note(&file, "docs.acme.com");
        let before = file.read().unwrap();
        let failed: Result<(), RegistryError> = file.change(|list| {
            list.domains.clear();
            Err(RegistryError("no".to_owned()))
        });
        assert!(failed.is_err());
        assert_eq!(file.read().unwrap(), before);
    }
}
