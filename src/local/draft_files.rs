//! The files of drafts. Each running program has its own for each service, so that no two programs write the same one.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use super::atomic_file::{self, Locked};
use super::file_stem;

/// How many programs can have drafts for one service at the same time.
const MOST: usize = 64;

/// The largest draft that is read, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// The files of this program, until this is dropped: `drafts/<service>-<number>` in the state directory.
#[derive(Debug)]
pub struct Claim {
    /// The file of the draft.
    pub draft: PathBuf,
    /// The file of the pets that wait to be sent, a line each.
    pub queue: PathBuf,
    /// The number of the newest write of the draft.
    newest: Mutex<u64>,
    _lock: Locked,
}

impl Claim {
    /// Claims files for the service `identity`: those that an ended program left behind, else free ones.
    ///
    /// # Errors
    /// The directory cannot be created or written, its file system has no locks, or 64 programs run.
    pub fn new(state: &Path, identity: &str) -> io::Result<Self> {
        let (directory, stem) = (directory(state), file_stem(identity));
        for number in left(state, &stem).into_iter().map(|(_, number)| number).chain(1..=MOST) {
            let file = |ending: &str| directory.join(format!("{stem}-{number}.{ending}"));
            if let Some(lock) = atomic_file::claim(&file(LOCK))? {
                atomic_file::remove(&file(WANTED))?;
                return Ok(Self { draft: file(DRAFT), queue: file(QUEUE), newest: Mutex::default(), _lock: lock });
            }
        }
        Err(io::Error::new(ErrorKind::ResourceBusy, format!("{MOST} programs have drafts for this service")))
    }

    /// The draft; `None` if there is none.
    pub fn read(&self) -> io::Result<Option<String>> {
        let Some(file) = atomic_file::if_there(File::open(&self.draft))? else { return Ok(None) };
        let mut text = String::new();
        file.take(MAX_BYTES).read_to_string(&mut text)?;
        Ok(Some(text))
    }

    /// Writes the draft, to a private file. It is on disk when this returns.
    pub fn write(&self, text: &str) -> io::Result<()> {
        atomic_file::replace_private(&self.draft, text)
    }

    /// Renames a draft that cannot be read, so that it is not overwritten.
    pub fn put_aside(&self) -> io::Result<()> {
        fs::rename(&self.draft, self.draft.with_extension("unreadable"))
    }

    /// Removes the draft.
    pub fn clear(&self) -> io::Result<()> {
        atomic_file::remove(&self.draft)
    }
}

/// The files that this program has claimed, until this is dropped: the same ones for each caller. They stay claimed when a
/// service is left: what was typed for it is on the screen again when it is used again, and must not be taken up by another
/// program meanwhile.
#[derive(Debug)]
pub struct Claims {
    state: PathBuf,
    held: Mutex<HashMap<String, Arc<Claim>>>,
}

impl Claims {
    /// Claims in the directory `state`. Nothing is touched yet.
    pub fn new(state: PathBuf) -> Self {
        Self { state, held: Mutex::default() }
    }

    /// The files for the service `identity`, shared with other callers.
    ///
    /// # Errors
    /// As for [`Claim::new`].
    pub fn of(&self, identity: &str) -> io::Result<Arc<Claim>> {
        match self.held.lock().entry(identity.to_owned()) {
            Entry::Occupied(held) => Ok(Arc::clone(held.get())),
            Entry::Vacant(free) => Ok(Arc::clone(free.insert(Arc::new(Claim::new(&self.state, identity)?)))),
        }
    }

    /// Whether a later program asks for any of them.
    pub fn is_wanted(&self) -> bool {
        self.held.lock().values().any(|claim| claim.draft.with_extension(WANTED).exists())
    }

    /// Reads the draft that was left for the service `identity`. What `read` does not take is put aside under another
    /// name.
    pub fn read_draft<T>(&self, identity: &str, read: impl FnOnce(&str) -> Option<T>) -> io::Result<Option<T>> {
        let claim = self.of(identity)?;
        let Some(text) = claim.read()? else { return Ok(None) };
        let draft = read(&text);
        if draft.is_none() {
            claim.put_aside()?;
        }
        Ok(draft)
    }

    /// Writes the draft for the service `identity`, or removes it, unless a newer one was written already.
    pub fn write_draft(&self, identity: &str, number: u64, text: Option<&str>) -> io::Result<()> {
        let claim = self.of(identity)?;
        let mut newest = claim.newest.lock();
        if number > *newest {
            text.map_or_else(|| claim.clear(), |text| claim.write(text))?;
            *newest = number;
        }
        Ok(())
    }
}

/// The queues that ended programs left in the state directory for other services than that with the stem `own`, each with
/// the stem of its service. Those of `own` are not locked, even for a moment: another program may be claiming one.
pub fn left_queues(state: &Path, own: Option<&str>) -> Vec<(String, PathBuf)> {
    let left = |path: PathBuf| {
        let (claim, ending) = path.file_name()?.to_str()?.split_once('.')?;
        let stem = claim.split_once('-')?.0.to_owned();
        let is_free = own != Some(&stem)
            && ending == QUEUE
            && atomic_file::claim(&path.with_file_name(format!("{claim}.{LOCK}"))).ok()?.is_some();
        is_free.then_some((stem, path))
    };
    let files = fs::read_dir(directory(state)).into_iter().flatten().flatten();
    files.filter_map(|file| left(file.path())).collect()
}

/// Asks running programs for the drafts and queues that they have for the service `identity`. Returns their locks.
///
/// # Errors
/// The directory cannot be written, or its file system has no locks.
pub fn ask_for(state: &Path, identity: &str) -> io::Result<Vec<PathBuf>> {
    let mut held = Vec::new();
    for (_, number) in left(state, &file_stem(identity)) {
        let lock = directory(state).join(format!("{}-{number}.{LOCK}", file_stem(identity)));
        if atomic_file::claim(&lock)?.is_none() && !held.contains(&lock) {
            atomic_file::replace_private(&lock.with_extension(WANTED), "")?;
            held.push(lock);
        }
    }
    Ok(held)
}

/// The endings of the files.
const DRAFT: &str = "json";
const QUEUE: &str = "queue.ndjson";
const LOCK: &str = "lock";
const WANTED: &str = "wanted";

/// The numbers of the files with this stem in which programs left a draft or a queue: those with pets that wait first,
/// since not every program shows a draft.
fn left(state: &Path, stem: &str) -> BTreeSet<(bool, usize)> {
    let number = |name: &str| {
        let (number, ending) = name.strip_prefix(stem)?.strip_prefix('-')?.split_once('.')?;
        let number = number.parse().ok().filter(|number| (1..=MOST).contains(number))?;
        [DRAFT, QUEUE].contains(&ending).then_some((ending == DRAFT, number))
    };
    let files = fs::read_dir(directory(state)).into_iter().flatten().flatten();
    files.filter_map(|file| number(file.file_name().to_str()?)).collect()
}

fn directory(state: &Path) -> PathBuf {
    state.join("drafts")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn claim(state: &Path) -> Claim {
        Claim::new(state, "https://shop.example/v1").unwrap()
    }

    #[test]
    fn two_programs_never_have_the_same_files() {
        let state = tempfile::tempdir().unwrap();
        let (one, two) = (claim(state.path()), claim(state.path()));
        let other = Claim::new(state.path(), "https://other.example/v1").unwrap();
        let paths = [&one, &two, &other].map(|claim| claim.draft.to_owned());
        assert!(paths[0] != paths[1] && paths[0] != paths[2] && paths[1] != paths[2], "{paths:?}");
        assert!(paths[0].to_str().unwrap().ends_with("-1.json"), "{paths:?}");
        assert!(two.queue.to_str().unwrap().ends_with("-2.queue.ndjson"));
        drop(one);
        assert_eq!(claim(state.path()).draft, paths[0]);
    }

    #[test]
    fn callers_share_the_files_until_the_claims_are_dropped() {
        let state = tempfile::tempdir().unwrap();
        let claims = Claims::new(state.path().to_owned());
        let (one, two) = (claims.of("x").unwrap(), claims.of("x").unwrap());
        assert!(Arc::ptr_eq(&one, &two) && one.draft != claims.of("y").unwrap().draft);
        let path = one.draft.to_owned();
        drop((one, two));
        assert_ne!(Claim::new(state.path(), "x").unwrap().draft, path);
        drop(claims);
        assert_eq!(Claim::new(state.path(), "x").unwrap().draft, path);
    }

    #[test]
    fn files_with_a_draft_are_claimed_before_free_ones() {
        let state = tempfile::tempdir().unwrap();
        let (one, two, three) = (claim(state.path()), claim(state.path()), claim(state.path()));
        two.write("typed").unwrap();
        fs::write(&three.queue, "{}\n").unwrap();
        drop((one, two));
        let took = claim(state.path());
        assert_eq!(took.read().unwrap().as_deref(), Some("typed"));
        drop(three);
        let next = claim(state.path());
        assert!(next.queue.exists() && next.read().unwrap().is_none());
        took.clear().unwrap();
        took.clear().unwrap();
        assert_eq!(took.read().unwrap(), None);
        assert!(claim(state.path()).draft.to_str().unwrap().ends_with("-1.json"));
    }

    #[test]
    fn a_program_is_asked_for_its_draft_and_no_other() {
        let state = tempfile::tempdir().unwrap();
        let claims = [(); 2].map(|()| Claims::new(state.path().to_owned()));
        let [typed, _empty] = claims.each_ref().map(|claims| claims.of("x").unwrap());
        assert_eq!(ask_for(state.path(), "x").unwrap(), Vec::<PathBuf>::new());
        typed.write("typed").unwrap();
        assert_eq!(ask_for(state.path(), "x").unwrap(), [typed.draft.with_extension(LOCK)]);
        assert_eq!(claims.each_ref().map(Claims::is_wanted), [true, false]);
        let [first, _second] = claims;
        drop((typed, first));
        let next = Claims::new(state.path().to_owned());
        assert_eq!(next.of("x").unwrap().read().unwrap().as_deref(), Some("typed"));
        assert!(!next.is_wanted(), "it has been answered");
    }

    #[test]
    fn pets_that_wait_are_claimed_before_a_draft() {
        let state = tempfile::tempdir().unwrap();
        let (one, two) = (claim(state.path()), claim(state.path()));
        one.write("typed").unwrap();
        fs::write(&two.queue, "{}\n").unwrap();
        drop((one, two));
        let waiting = claim(state.path());
        assert!(waiting.queue.exists());
        assert_eq!(claim(state.path()).read().unwrap().as_deref(), Some("typed"));
    }

    #[test]
    fn drafts_are_private() {
        let state = tempfile::tempdir().unwrap();
        let claim = claim(&state.path().join("petstore"));
        claim.write("typed").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let directory = claim.draft.parent().unwrap();
        assert_eq!((mode(directory), mode(&claim.draft)), (0o700, 0o600));
        assert_eq!(mode(&claim.draft.with_extension("lock")), 0o600);
    }

    #[test]
    fn there_is_no_claim_if_nothing_can_be_written() {
        let state = tempfile::NamedTempFile::new().unwrap();
        assert!(Claim::new(state.path(), "x").is_err());
    }
}
