//! Everything typed that nobody else keeps.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::app::outbox::unknown_outcome::PendingAdd;
use crate::domains::redirect_config::ConfigSource;
use crate::model::{PetId, PetStatus};
use crate::tui::screens::add_pet::fields::{After, Focus};
use crate::tui::screens::domains::redirects;
use crate::tui::screens::domains::wizard::Wizard;
use crate::tui::screens::profiles::form::ProfileForm as Profile;
use crate::tui::text_input::TextInput;

/// The most animals known before a creation that are kept: those with the largest ids, which are mostly the newest.
const MOST_KNOWN: usize = 50_000;

/// What is typed and not sent, saved or kept elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TypedText {
    pub form: Option<AddFormDraft>,
    /// An animal that was sent without an answer so far.
    pub sent: Option<PendingAdd>,
    /// What was typed for the next animal while that one was being sent.
    pub ahead: String,
    /// The name in rapid entry that is not taken yet.
    pub rapid: Option<Rapid>,
    /// The file that was to be imported, or was.
    pub import: Option<ImportDraft>,
    /// Domains that are not on the list yet, or not with this value.
    pub wizards: Vec<Wizard>,
    /// Redirects that are not in the configuration.
    pub redirects: Option<RedirectsDraft>,
    /// The form for a new profile, without its key.
    pub profile: Option<Profile>,
    /// The search among the animals.
    pub search: TextInput,
    /// What the browser says of a domain.
    pub browser: TextInput,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddFormDraft {
    /// As typed.
    pub name: TextInput,
    /// As typed.
    pub category: TextInput,
    /// As chosen.
    pub status: Option<PetStatus>,
    /// What to do after saving.
    pub after: After,
    /// Where the cursor is.
    pub focus: Focus,
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

/// A file of animals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportDraft {
    /// Its name, as typed or whole.
    pub path: TextInput,
    /// Rows of it were sent, and not all: its report says which.
    pub begun: bool,
}

/// Redirects that were edited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedirectsDraft {
    /// What was in the configuration when they were.
    pub was: ConfigSource,
    pub edited: ConfigSource,
    /// The line that has the cursor.
    pub selected: usize,
    /// The line that is being typed.
    pub form: Option<redirects::RedirectForm>,
}

impl TypedText {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What of it is for the service in use, and stays with it.
    pub fn for_service(self) -> Self {
        let Self { form, sent, ahead, rapid, import, .. } = self;
        Self { form, sent, ahead, rapid, import, ..Self::default() }
    }

    /// Whether one of two would take the place of something in the other.
    pub(super) fn clashes_with(&self, other: &Self) -> bool {
        let parts = |typed: &Self| {
            let for_service = !typed.clone().for_service().is_empty();
            let for_none = typed.browser.is_empty() && typed.wizards.is_empty();
            [for_service, !for_none || typed.redirects.is_some() || typed.profile.is_some()]
        };
        parts(self).into_iter().zip(parts(other)).any(|both| both == (true, true))
    }
}

/// The animals that are known before a creation, as far as they are kept.
pub fn known(ids: impl Iterator<Item = PetId>) -> HashSet<PetId> {
    let mut ids: Vec<PetId> = ids.collect();
    if ids.len() > MOST_KNOWN {
        ids.sort_unstable_by_key(|id| std::cmp::Reverse(*id));
        ids.truncate(MOST_KNOWN);
    }
    ids.into_iter().collect()
}
