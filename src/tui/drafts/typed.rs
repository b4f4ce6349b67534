//! The typed text that is kept in drafts.

use std::collections::HashSet;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::app::outbox::unknown_outcome::PendingAdd;
use crate::model::{PetId, PetStatus};
use crate::tui::text_input::TextInput;
use crate::tui::widgets::form::FormDraft;

/// The most known pet ids that are kept: the largest, which are mostly the newest.
const MOST_KNOWN: usize = 50_000;

/// What is typed and not sent, saved or kept elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TypedText {
    pub form: Option<FormDraft>,
    /// A pet that was sent without an answer so far.
    pub sent: Option<PendingAdd>,
    /// Text typed for the next pet while that one was being sent.
    pub ahead: String,
    /// The unfinished name in rapid entry, and the fields that it goes with.
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

/// Rapid entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
        let Self { form, sent, ahead, rapid, import, .. } = self;
        Self { form, sent, ahead, rapid, import, ..Self::default() }
    }
}

/// The pet ids known before a creation, limited in number.
pub fn known(ids: impl Iterator<Item = PetId>) -> HashSet<PetId> {
    let mut ids: Vec<PetId> = ids.collect();
    if ids.len() > MOST_KNOWN {
        ids.sort_unstable_by_key(|id| std::cmp::Reverse(*id));
        ids.truncate(MOST_KNOWN);
    }
    ids.into_iter().collect()
}
