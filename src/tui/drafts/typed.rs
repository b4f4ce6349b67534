//! The typed text that is kept in drafts.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::app::outbox::queue::SentPet;
use crate::model::PetStatus;
use crate::tui::text_input::TextInput;
use crate::tui::widgets::form::FormDraft;

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
        let Self { form, sent, import, .. } = self;
        Self { form, sent, import, ..Self::default() }
    }
}
