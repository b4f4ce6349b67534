//! The drafts of one service, as stored on disk, and their state in this session.

use std::collections::HashMap;
use std::io;
use std::time::Instant;

use jiff::Timestamp;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::app::outbox::queue::SentPet;
use crate::local::draft_files::Claims;
use crate::model::{PetStatus, display_safe};
use crate::tui::TextInput;
use crate::tui::screens::add_pet;
use crate::tui::screens::add_pet::import::PastedLines;
use crate::tui::widgets::form::FormDraft;

/// The state of the drafts on disk.
#[derive(Debug, Default)]
pub struct DraftState {
    pub on_disk: TypedText,
    /// What is being written.
    pub writing: Option<TypedText>,
    /// When the first unsaved text was typed.
    pub since: Option<Instant>,
    /// The next write must not wait.
    pub at_once: bool,
    /// When the last write began.
    pub tried: Option<Instant>,
    /// Numbers the writes, so an older one never replaces a newer one.
    pub number: u64,
    /// Text put aside for other services in this session.
    pub aside: HashMap<Option<String>, Aside>,
    /// Why drafts cannot be written now.
    pub trouble: Option<String>,
    /// What was restored, until the first key.
    pub back: Option<Drafts>,
    /// The pets that wait to be sent to other profiles, and the way there, until the first key.
    pub elsewhere: Option<String>,
    /// When text was last written.
    pub written_at: Option<Timestamp>,
}

impl DraftState {
    /// Whether there is something to say about drafts.
    pub const fn has_news(&self) -> bool {
        self.back.is_some() || self.elsewhere.is_some()
    }
}

/// Text put aside for another service.
#[derive(Debug)]
pub struct Aside {
    /// The profile's name.
    pub profile: String,
    /// The form, the lines and the import.
    pub add: add_pet::State,
    /// The same for the disk, if this service has drafts.
    pub write: Option<WriteDrafts>,
}

/// The drafts of one service, as stored on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drafts {
    /// Which service: its address, or its database.
    pub identity: String,
    /// The profile's name.
    pub profile: String,
    /// When this was written.
    pub at: Timestamp,
    /// How the session ended; `None` while it runs.
    pub ended: Option<Ending>,
    pub typed: TypedText,
}

/// A write of drafts.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteDrafts {
    /// Numbers the writes, so an older one never replaces a newer one.
    pub number: u64,
    pub drafts: Box<Drafts>,
}

impl WriteDrafts {
    /// Writes them, unless newer ones are on disk; without typed text, removes their file.
    pub fn write(&self, files: &Claims) -> Result<(), String> {
        let Drafts { identity, typed, .. } = &*self.drafts;
        let text = (!typed.is_empty()).then(|| self.drafts.text());
        files.write_draft(identity, self.number, text.as_deref()).map_err(safe)
    }
}

fn safe(error: io::Error) -> String {
    display_safe(&error.to_string()).into_owned()
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// The user quit.
    Quit,
    /// By a signal.
    Signal,
    /// The terminal was gone.
    Hangup,
    /// petstore crashed.
    Fault,
}

impl Drafts {
    /// What was left for the service `identity`. What cannot be read is put aside.
    pub fn open(files: &Claims, identity: &str) -> Result<Option<Self>, String> {
        files.read_draft(identity, |text| Self::read(text, identity)).map_err(safe)
    }

    /// The text of its file.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the drafts of the service `identity`; `None` for any other content.
    pub fn read(text: &str, identity: &str) -> Option<Self> {
        serde_json::from_str::<Self>(text).ok().filter(|drafts| drafts.identity == identity)
    }
}

/// What is typed and not sent, saved or kept elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TypedText {
    pub form: Option<FormDraft>,
    /// A pet that was sent without an answer, in files of earlier versions: it becomes a line.
    pub sent: Option<SentPet>,
    /// Text typed meanwhile, in files of earlier versions.
    #[serde(skip_serializing)]
    pub ahead: String,
    /// Typed in rapid entry, a separate screen in earlier versions.
    #[serde(skip_serializing)]
    pub rapid: Option<Rapid>,
    /// The file to import.
    pub import: Option<ImportDraft>,
    /// Pasted lines in their preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pasted: Option<PastedLines>,
    /// Domains that are not on the list yet, or not with this value.
    pub wizards: Vec<FormDraft>,
    /// Edited redirects, in files of earlier versions.
    #[serde(skip_serializing)]
    pub redirects: IgnoredAny,
    /// The form for a new profile, without its key.
    pub profile: Option<FormDraft>,
    /// The search in the list of pets.
    pub search: TextInput,
    /// The browser's message about a domain.
    pub browser: TextInput,
}

/// The fields of rapid entry.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rapid {
    /// As typed.
    pub name: TextInput,
    /// As typed.
    pub category: TextInput,
    /// As chosen.
    pub status: Option<PetStatus>,
}

/// The file of an import.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportDraft {
    /// Its name as typed, or its full path.
    pub path: TextInput,
    /// Some rows were sent; its report says which.
    pub begun: bool,
}

impl TypedText {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The part that belongs to the service in use.
    pub fn for_service(self) -> Self {
        let Self { form, sent, import, pasted, .. } = self;
        Self { form, sent, import, pasted, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::local::draft_files::Claim;

    fn write(number: u64, identity: &str, search: &str) -> WriteDrafts {
        let typed = TypedText { search: TextInput::new(search), ..TypedText::default() };
        let at = "2026-11-20T14:03:07Z".parse().unwrap();
        let drafts = Drafts { identity: identity.into(), profile: "shop".into(), at, ended: None, typed };
        WriteDrafts { number, drafts: Box::new(drafts) }
    }

    /// What a program that starts now finds there.
    fn found(state: &Path, identity: &str) -> Option<String> {
        let drafts = Drafts::open(&Claims::new(state.to_owned()), identity).unwrap();
        drafts.map(|drafts| drafts.typed.search.value().to_owned())
    }

    #[test]
    fn an_older_write_never_takes_the_place_of_a_newer_one() {
        let state = tempfile::tempdir().unwrap();
        let files = Claims::new(state.path().to_owned());
        write(2, "a", "newer").write(&files).unwrap();
        write(1, "a", "older").write(&files).unwrap();
        assert_eq!(found(state.path(), "a"), None, "another program works on it");
        drop(files);
        assert_eq!(found(state.path(), "a").as_deref(), Some("newer"));
    }

    #[test]
    fn where_nothing_is_typed_there_is_no_file() {
        let state = tempfile::tempdir().unwrap();
        let files = Claims::new(state.path().to_owned());
        write(1, "a", "typed").write(&files).unwrap();
        write(2, "a", "").write(&files).unwrap();
        drop(files);
        let left = fs::read_dir(state.path().join("drafts")).unwrap().map(|file| file.unwrap().path());
        assert!(left.into_iter().all(|path| path.extension().is_some_and(|ending| ending == "lock")));
    }

    #[test]
    fn each_service_keeps_its_own_and_no_other_program_takes_it_up_in_this_session() {
        let state = tempfile::tempdir().unwrap();
        let files = Claims::new(state.path().to_owned());
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
