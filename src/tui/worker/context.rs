//! What the worker has at hand on this machine; of the files of drafts, which belong to this program, and the last write.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::app::clipboard::ClipboardBackend;
use crate::app::connections::Services;
use crate::app::domain_service::DomainService;
use crate::app::outbox::queue::Queues;
use crate::config::paths::expand_home;
use crate::local::complete::{Completion, complete};
use crate::local::draft_files::{Claim, Claims};
use crate::model::display_safe;
use crate::transfer::{ImportSource, Input, TransferError};

/// What the worker has at hand on this machine.
pub struct WorkerContext {
    pub domains_context: Arc<DomainService>,
    /// How texts are copied here, the best way first.
    pub copying: Vec<ClipboardBackend>,
    /// What `~` stands for in the name of a file.
    pub home: Option<PathBuf>,
    /// The configuration file, or why it is not written.
    pub config: Result<PathBuf, &'static str>,
    /// The directory for what is kept for the next session.
    pub kept: Option<PathBuf>,
    /// The directory for what is pasted and imported.
    pub pasted: Option<PathBuf>,
    /// Where pets wait to be sent.
    pub queues: Arc<Queues>,
    /// For what is typed; none where nothing of it is kept.
    pub drafts: Option<Arc<DraftFiles>>,
    /// For profiles.
    pub services: Arc<Services>,
    /// This is a session over SSH: what is typed comes from another machine and names no file of this one.
    pub over_ssh: bool,
}

impl WorkerContext {
    /// The configuration file, or why it is not written.
    pub fn configuration(&self) -> Result<&Path, String> {
        self.config.as_deref().map_err(|why| (*why).to_owned())
    }

    /// Whether a session over SSH may read this: what was pasted in it, and the files that it made of that.
    pub fn is_own(&self, source: &ImportSource) -> bool {
        match source {
            ImportSource::File(path) => self.is_own_file(Path::new(path)),
            ImportSource::Pasted(_) => true,
        }
    }

    /// Whether a session over SSH has made this file.
    pub fn is_own_file(&self, path: &Path) -> bool {
        path.file_name().is_some() && path.parent() == self.pasted.as_deref()
    }

    /// Where a file is whose name was typed.
    pub fn place(&self, path: &str) -> PathBuf {
        let place = expand_home(Path::new(path), self.home.as_deref());
        std::path::absolute(&place).unwrap_or(place)
    }

    /// What begins like a path that is typed. Blocks.
    pub fn complete(&self, typed: &str) -> Completion {
        let (directory, begun) = typed.split_at(typed.rfind('/').map_or(0, |at| at + 1));
        complete(&self.place(if directory.is_empty() { "." } else { directory }), begun)
    }

    /// What is imported, to be read.
    pub fn open(&self, source: &ImportSource) -> Result<Input, TransferError> {
        match source {
            ImportSource::File(path) => Input::file(&self.place(path)),
            ImportSource::Pasted(text) => Input::stream("what was pasted", Cursor::new(text.as_bytes().to_vec())),
        }
    }
}

/// The files of drafts, below the state directory.
#[derive(Debug)]
pub struct DraftFiles {
    claims: Arc<Claims>,
    held: Mutex<HashMap<String, ClaimedDrafts>>,
}

/// The files of one service. They stay claimed when it is left: what was typed there is on the screen again when it is
/// used again, and must not be taken up by another program meanwhile.
#[derive(Debug)]
struct ClaimedDrafts {
    claim: Arc<Claim>,
    /// The number of the newest write.
    number: u64,
}

impl DraftFiles {
    /// Those that are claimed with `claims`. Nothing is touched yet.
    pub fn new(claims: Arc<Claims>) -> Self {
        Self { claims, held: Mutex::default() }
    }

    /// Claims the files of the service `identity`, and reads what was left in them. What cannot be read there is put
    /// aside under another name.
    pub fn open<T>(&self, identity: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, String> {
        self.with(identity, |held| {
            let Some(text) = held.claim.read()? else { return Ok(None) };
            let drafts = read(&text);
            if drafts.is_none() {
                held.claim.put_aside()?;
            }
            Ok(drafts)
        })
    }

    /// Writes the text of drafts for the service `identity`, or removes their file, unless newer ones were written
    /// already.
    pub fn write(&self, identity: &str, number: u64, text: Option<&str>) -> Result<(), String> {
        self.with(identity, |held| {
            if number > held.number {
                text.map_or_else(|| held.claim.clear(), |text| held.claim.write(text))?;
                held.number = number;
            }
            Ok(())
        })
    }

    fn with<T>(&self, identity: &str, act: impl FnOnce(&mut ClaimedDrafts) -> io::Result<T>) -> Result<T, String> {
        let done = match self.held.lock().entry(identity.to_owned()) {
            Entry::Occupied(held) => act(held.into_mut()),
            Entry::Vacant(free) => {
                let claim = self.claims.of(identity);
                claim.and_then(|claim| act(free.insert(ClaimedDrafts { claim, number: 0 })))
            }
        };
        done.map_err(|error| display_safe(&error.to_string()).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::tui::drafts::{Drafts, TypedText, WriteDrafts};
    use crate::tui::text_input::TextInput;

    fn write(number: u64, identity: &str, search: &str) -> WriteDrafts {
        let typed = TypedText { search: TextInput::new(search), ..TypedText::default() };
        let at = "2026-11-20T14:03:07Z".parse().unwrap();
        let drafts = Drafts { identity: identity.into(), profile: "shop".into(), at, ended: None, typed };
        WriteDrafts { number, drafts: Box::new(drafts) }
    }

    /// What a program that starts now finds there.
    fn found(state: &Path, identity: &str) -> Option<String> {
        let drafts = DraftFiles::new(Arc::new(Claims::new(state.to_owned())))
            .open(identity, |text| Drafts::read(text, identity))
            .unwrap();
        drafts.map(|drafts| drafts.typed.search.value().to_owned())
    }

    #[test]
    fn an_older_write_never_takes_the_place_of_a_newer_one() {
        let state = tempfile::tempdir().unwrap();
        let files = DraftFiles::new(Arc::new(Claims::new(state.path().to_owned())));
        write(2, "a", "newer").write(&files).unwrap();
        write(1, "a", "older").write(&files).unwrap();
        assert_eq!(found(state.path(), "a"), None, "another program works on it");
        drop(files);
        assert_eq!(found(state.path(), "a").as_deref(), Some("newer"));
    }

    #[test]
    fn where_nothing_is_typed_there_is_no_file() {
        let state = tempfile::tempdir().unwrap();
        let files = DraftFiles::new(Arc::new(Claims::new(state.path().to_owned())));
        write(1, "a", "typed").write(&files).unwrap();
        write(2, "a", "").write(&files).unwrap();
        drop(files);
        let left = fs::read_dir(state.path().join("drafts")).unwrap().map(|file| file.unwrap().path());
        assert!(left.into_iter().all(|path| path.extension().is_some_and(|ending| ending == "lock")));
    }

    #[test]
    fn each_service_keeps_its_own_and_no_other_program_takes_it_up_in_this_session() {
        let state = tempfile::tempdir().unwrap();
        let files = DraftFiles::new(Arc::new(Claims::new(state.path().to_owned())));
        write(3, "b", "for b").write(&files).unwrap();
        // The one that was left is written late.
        write(2, "a", "for a").write(&files).unwrap();
        assert_eq!((found(state.path(), "a"), found(state.path(), "b")), (None, None));
        write(4, "b", "").write(&files).unwrap();
        drop(files);
        assert_eq!((found(state.path(), "a").as_deref(), found(state.path(), "b")), (Some("for a"), None));
    }

    #[test]
    fn what_cannot_be_read_is_put_aside() {
        let state = tempfile::tempdir().unwrap();
        let claim = Claim::new(state.path(), "a").unwrap();
        claim.write("{\"from\":\"a later version\"}").unwrap();
        let path = claim.draft.clone();
        drop(claim);
        assert_eq!(found(state.path(), "a"), None);
        let aside = path.with_extension("unreadable");
        assert_eq!(fs::read_to_string(aside).unwrap(), "{\"from\":\"a later version\"}");
    }
}
