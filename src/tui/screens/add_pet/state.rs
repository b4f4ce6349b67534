//! The state of the add form.

use std::collections::HashSet;
use std::sync::Arc;

use crate::api::failure::Failure;
use crate::app::outbox::unknown_outcome::{PendingAdd, UnknownOutcome};
use crate::model::{Categories, Draft, Field, FieldError, PetStatus};
use crate::tui::context::Context;
use crate::tui::msg::Msg;
use crate::tui::text_input::TextInput;

use super::fields::Focus;
use super::{import, rapid};

/// The add form.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// As typed.
    pub name: TextInput,
    /// As typed.
    pub category: TextInput,
    /// `None` leaves it to the service. Begins with the one used last.
    pub status: Option<PetStatus>,
    /// Where the cursor is.
    pub focus: Focus,
    /// The fields that were left once, or checked by saving: only these show their errors.
    pub checked: HashSet<Field>,
    /// Why the service refused it, until the form is changed or sent again.
    pub refusal: Option<Refusal>,
    /// What was sent without an answer so far.
    pub sent: Option<PendingAdd>,
    /// The question after an add without an answer.
    pub unknown_outcome: Option<UnknownOutcome>,
    /// Keys and pastes while a pet was being sent; they are for the next one.
    pub held: Vec<Msg>,
    /// The message about the pet just added, shown after those keys were typed.
    pub just_added: Option<String>,
    /// Rapid entry, shown instead of the form while it is on.
    pub rapid: rapid::State,
    /// The import of a file, shown instead of the form while it is on.
    pub import: import::State,
    /// What was sent is from an earlier session, and may be settled by sending it again with its key.
    pub unsettled: bool,
    /// The category is from the pet before: typing replaces it.
    pub sticky: bool,
    /// What the last pet left in the form for the next one.
    left: Draft,
    cleared: Option<Draft>,
}

/// Why a pet was not added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The failure.
    pub failure: Failure,
    /// The one field that the answer names, if any.
    pub field: Option<Field>,
}

impl State {
    /// The text of the form.
    pub fn draft(&self) -> Draft {
        Draft { name: self.name.value().to_owned(), category_id: self.category.value().to_owned(), status: self.status }
    }

    /// The state that a service begins with.
    pub fn new(categories: &Arc<Categories>) -> Self {
        let mut new = Self::default();
        new.rapid.setup.categories = Arc::clone(categories);
        new.begin_with(Some(PetStatus::Available));
        new
    }

    /// Takes the whole state, and leaves the state that another service begins with.
    pub fn put_aside(&mut self) -> Self {
        let new = Self::new(&self.rapid.setup.categories);
        let aside = std::mem::replace(self, new);
        self.rapid.setup = aside.rapid.setup.clone();
        aside
    }

    /// The status that was used last: an empty form begins with it.
    pub const fn last_status(&self) -> Option<PetStatus> {
        self.left.status
    }

    /// A pet was taken with this status: the next one begins with it, unless another is chosen already.
    pub fn begin_with(&mut self, status: Option<PetStatus>) {
        if !self.is_typed() {
            self.status = status;
        }
        self.left.status = status;
    }

    /// Whether the form is as it begins.
    pub(super) fn is_blank(&self) -> bool {
        self.draft() == self.blank()
    }

    fn blank(&self) -> Draft {
        Draft { status: self.last_status(), ..Draft::default() }
    }

    /// Whether anything was typed or chosen since the last pet.
    pub fn is_typed(&self) -> bool {
        !self.is_blank() && self.draft() != self.left
    }

    /// The error to show at `field`, once the field was left.
    pub fn error_at(&self, field: Field) -> Option<FieldError> {
        let errors =
            self.checked.contains(&field).then(|| self.draft().check(&self.rapid.setup.categories).err()).flatten()?;
        errors.into_iter().find(|error| error.field() == field)
    }

    /// Whether a pet is being sent.
    pub const fn is_sending(&self) -> bool {
        self.sent.is_some() && self.unknown_outcome.is_none()
    }

    /// The context of keys.
    pub fn context(&self) -> Context {
        match (&self.unknown_outcome, self.focus) {
            _ if self.import.on => self.import.context(),
            _ if self.rapid.on => self.rapid.context(),
            (Some(_), _) => Context::Doubt,
            (None, Focus::Name | Focus::Category) => Context::Form,
            (None, Focus::Status) => Context::FormChoice,
            (None, Focus::Save) => Context::FormButton,
        }
    }

    /// Puts the cursor on a refused field, whose value the next text replaces.
    pub(super) fn select(&mut self, field: Field) {
        self.focus = field.into();
        if let Some(input) = self.input() {
            input.select();
        }
    }

    /// The name field of the form or of rapid entry.
    pub(super) const fn name_field(&mut self) -> &mut TextInput {
        if self.rapid.on { &mut self.rapid.name } else { &mut self.name }
    }

    /// The text field that has the cursor.
    pub const fn input(&mut self) -> Option<&mut TextInput> {
        match self.focus {
            Focus::Name => Some(&mut self.name),
            Focus::Category => Some(&mut self.category),
            Focus::Status | Focus::Save => None,
        }
    }

    /// Ready for the next pet: the name is empty, category and status stay.
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

    /// Clears the form, or restores what the last call cleared. Whether it restored.
    pub(super) fn clear_or_restore(&mut self) -> bool {
        let restored = if self.is_blank() { self.cleared.take() } else { None };
        let was_restored = restored.is_some();
        let cleared = Some(self.draft()).filter(|_| !self.is_blank());
        self.fill(restored.unwrap_or_else(|| self.blank()));
        self.cleared = cleared;
        was_restored
    }

    /// Whether there is anything to clear, or to restore.
    pub(super) fn can_clear(&self) -> bool {
        !self.is_blank() || self.cleared.is_some()
    }

    /// Shows this pet, unchecked.
    pub(super) fn fill(&mut self, draft: Draft) {
        self.name = TextInput::new(draft.name);
        self.category = TextInput::new(draft.category_id);
        self.status = draft.status;
        self.checked.clear();
        self.refusal = None;
        self.focus = Focus::Name;
    }
}
