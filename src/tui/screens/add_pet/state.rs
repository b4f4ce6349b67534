//! The state of the add form.

use std::sync::Arc;

use crate::api::failure::Failure;
use crate::app::outbox::unknown_outcome::{PendingAdd, UnknownOutcome};
use crate::model::{Categories, Draft, Field, PetStatus};
use crate::tui::key::KeyPress;
use crate::tui::text_input::TextInput;
use crate::tui::widgets::form::Form;

use super::fields::{self, CATEGORY, NAME, STATUS};
use super::{import, rapid};

/// The add form.
#[derive(Debug, Default)]
pub struct State {
    /// Begins with the status used last.
    pub form: Form,
    /// Why the service refused it, until the form is changed or sent again.
    pub refusal: Option<Refusal>,
    /// What was sent without an answer so far.
    pub sent: Option<PendingAdd>,
    /// The question after an add without an answer.
    pub unknown_outcome: Option<UnknownOutcome>,
    /// Keys and pastes while a pet was being sent; they are for the next one.
    pub held: Vec<Held>,
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

/// A key or a paste that waits.
#[derive(Clone, Debug, PartialEq)]
pub enum Held {
    Key(KeyPress),
    Paste(String),
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
        let [name, category_id, status] = [&NAME, &CATEGORY, &STATUS].map(|field| self.form[field].value());
        Draft { name: name.to_owned(), category_id: category_id.to_owned(), status: status.parse().ok() }
    }

    /// The state that a service begins with.
    pub fn new(categories: &Arc<Categories>) -> Self {
        let mut new = Self { form: fields::form(), ..Self::default() };
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
            self.set_status(status);
        }
        self.left.status = status;
    }

    pub(super) fn set_status(&mut self, status: Option<PetStatus>) {
        self.form.set(&STATUS, status.map_or("", PetStatus::as_str));
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

    /// What the service has against a field.
    pub fn refused(&self) -> Option<(Field, &str)> {
        let Refusal { failure, field } = self.refusal.as_ref()?;
        let Failure::Refused { message, .. } = failure else { return None };
        Some(((*field)?, message))
    }

    /// Whether a pet is being sent.
    pub const fn is_sending(&self) -> bool {
        self.sent.is_some() && self.unknown_outcome.is_none()
    }

    /// The name field of the form or of rapid entry.
    pub(super) fn name_field(&mut self) -> &mut TextInput {
        if self.rapid.on { &mut self.rapid.name } else { &mut self.form[&NAME] }
    }

    /// Ready for the next pet: the name is empty, category and status stay.
    pub(super) fn next_animal(&mut self) {
        self.left = Draft { name: String::new(), ..self.draft() };
        self.fill(self.left.clone());
        self.sent = None;
        self.unknown_outcome = None;
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
        self.form = fields::form();
        self.form.set(&NAME, &draft.name);
        self.form.set(&CATEGORY, &draft.category_id);
        self.set_status(draft.status);
        self.refusal = None;
    }
}
