//! What the add form knows.

use std::collections::HashSet;

use crate::api::failure::Failure;
use crate::app::outbox::unknown_outcome::{PendingAdd, UnknownOutcome};
use crate::model::{Draft, Field, FieldError, PetStatus};
use crate::tui::keymap::Context;
use crate::tui::msg::Msg;
use crate::tui::text_input::TextInput;

use super::fields::{After, Focus};
use super::{import, rapid};

/// The add form.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// As typed.
    pub name: TextInput,
    /// As typed.
    pub category: TextInput,
    /// As chosen; `None` leaves it to the service.
    pub status: Option<PetStatus>,
    /// What to do after saving.
    pub after: After,
    /// Where the cursor is.
    pub focus: Focus,
    /// The fields that were left once, or checked by saving: only these show their errors.
    pub checked: HashSet<Field>,
    /// What the service said against it, until the form is changed or sent again.
    pub refusal: Option<Refusal>,
    /// What was sent and is not answered yet, or never was.
    pub sent: Option<PendingAdd>,
    /// The question after an add without an answer.
    pub unknown_outcome: Option<UnknownOutcome>,
    /// Keys and pastes that came while an animal was being sent; they are for the next one.
    pub held: Vec<Msg>,
    /// What is to be said of the animal that was added just now, once those were typed.
    pub just_added: Option<String>,
    /// Rapid entry, in the place of the form while it is on.
    pub rapid: rapid::State,
    /// The import of a file, in the place of the form while it is on.
    pub import: import::State,
    /// What was sent is from a session before, and may be settled by sending it again with its key.
    pub unsettled: bool,
    /// The category stands there from the animal before: what is typed next takes its place.
    pub sticky: bool,
    /// What the last animal left in the form for the next one.
    left: Draft,
    cleared: Option<Draft>,
}

/// What the service, or the way to it, had against the animal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What came back.
    pub failure: Failure,
    /// The one field that the answer names, if it names one.
    pub field: Option<Field>,
}

impl State {
    /// What is typed, as text.
    pub fn draft(&self) -> Draft {
        Draft { name: self.name.value().to_owned(), category_id: self.category.value().to_owned(), status: self.status }
    }

    /// Takes out everything, and leaves what another service begins with.
    pub fn put_aside(&mut self) -> Self {
        let aside = std::mem::take(self);
        self.rapid.setup = aside.rapid.setup.clone();
        aside
    }

    /// Whether anything is typed or chosen since the last animal.
    pub fn is_typed(&self) -> bool {
        let draft = self.draft();
        !draft.is_empty() && draft != self.left
    }

    /// The error to show at `field`, if it has one and was left once.
    pub fn error_at(&self, field: Field) -> Option<FieldError> {
        let errors = self.checked.contains(&field).then(|| self.draft().check().err()).flatten()?;
        errors.into_iter().find(|error| error.field() == field)
    }

    /// Whether an animal is on its way and its answer is still waited for.
    pub const fn is_sending(&self) -> bool {
        self.sent.is_some() && self.unknown_outcome.is_none()
    }

    /// Where a key goes.
    pub fn context(&self) -> Context {
        match (&self.unknown_outcome, self.focus) {
            _ if self.import.on => self.import.context(),
            _ if self.rapid.on => self.rapid.context(),
            (Some(_), _) => Context::Doubt,
            (None, Focus::Name | Focus::Category) => Context::Form,
            (None, Focus::Status | Focus::After | Focus::Save) => Context::FormChoice,
        }
    }

    /// The field for a name: that of the form, or of rapid entry.
    pub(super) const fn name_field(&mut self) -> &mut TextInput {
        if self.rapid.on { &mut self.rapid.name } else { &mut self.name }
    }

    /// The text field that has the cursor.
    pub const fn input(&mut self) -> Option<&mut TextInput> {
        match self.focus {
            Focus::Name => Some(&mut self.name),
            Focus::Category => Some(&mut self.category),
            Focus::Status | Focus::After | Focus::Save => None,
        }
    }

    /// Ready for the next animal: the name is empty, category and status stay.
    pub(super) fn next_animal(&mut self) {
        self.name.clear();
        self.checked.clear();
        self.refusal = None;
        self.sent = None;
        self.unknown_outcome = None;
        self.focus = Focus::Name;
        self.left = self.draft();
        self.sticky = true;
    }

    /// Empties the form, or brings back what the last call of this emptied. Tells which of the two.
    pub(super) fn clear_or_restore(&mut self) -> bool {
        let restored = if self.draft().is_empty() { self.cleared.take() } else { None };
        let (draft, cleared) = match restored {
            Some(draft) => (draft, None),
            None => (Draft::default(), Some(self.draft()).filter(|draft| !draft.is_empty())),
        };
        let was_restored = !draft.is_empty();
        self.cleared = cleared;
        self.name = TextInput::new(draft.name);
        self.category = TextInput::new(draft.category_id);
        self.status = draft.status;
        self.checked.clear();
        self.refusal = None;
        self.focus = Focus::Name;
        was_restored
    }
}
