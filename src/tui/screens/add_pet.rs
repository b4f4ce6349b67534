//! Adding pets: a form above, and below it a line for each pet that was taken from it.
//!
//! Typing never waits for the service. A line is written to a file, then sent; it survives an outage and the end of the
//! program, and is never sent again if that could add a second pet.

pub mod dispatch;
pub mod fields;
pub mod form;
pub mod import;
pub mod lines;
pub mod outbox;
pub mod view;

use std::sync::Arc;

use fields::{CATEGORY, NAME, STATUS};
use outbox::{EditedLine, Outbox};

use crate::app::outbox::queue::SentPet;
use crate::model::{Categories, Draft, PetStatus};
use crate::tui::widgets::form::Form;

/// The add screen.
#[derive(Debug, Default)]
pub struct State {
    /// Begins with the status used last.
    pub form: Form,
    /// The lines below the form.
    pub outbox: Outbox,
    /// The import of a file, shown instead of the form while it is on.
    pub import: import::State,
    /// What an earlier version left that was sent without an answer, until it is a line.
    pub sent: Option<SentPet>,
    /// The category is from the pet before: typing replaces it.
    pub sticky: bool,
    /// What the last pet left in the form for the next one.
    left: Draft,
    cleared: Option<Draft>,
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
        new.outbox.setup.categories = Arc::clone(categories);
        new.begin_with(Some(PetStatus::Available));
        new
    }

    /// Takes the whole state, and leaves the state that another service begins with.
    pub fn put_aside(&mut self) -> Self {
        let new = Self::new(&self.outbox.setup.categories);
        let aside = std::mem::replace(self, new);
        self.outbox.setup = aside.outbox.setup.clone();
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

    fn set_status(&mut self, status: Option<PetStatus>) {
        self.form.set(&STATUS, status.map_or("", PetStatus::as_str));
    }

    /// Whether anything was typed or chosen since the last pet.
    pub fn is_typed(&self) -> bool {
        self.draft() != self.left
    }

    /// Goes to the name.
    pub(super) fn go_to_name(&mut self) {
        self.outbox.in_lines = false;
        self.form.go_to(&NAME);
    }

    /// Ready for the next pet: the name is empty, category and status stay.
    pub(super) fn next_animal(&mut self) {
        self.left = Draft { name: String::new(), ..self.draft() };
        self.fill(self.left.clone());
        self.sticky = true;
        self.cleared = None;
    }

    /// Clears what was typed since the last pet, or restores what the last call cleared. Whether it restored.
    pub(super) fn clear_or_restore(&mut self) -> bool {
        let typed = Some(self.draft()).filter(|_| self.is_typed());
        let restored = if typed.is_none() { self.cleared.take() } else { None };
        let was_restored = restored.is_some();
        self.fill(restored.unwrap_or_else(|| self.left.clone()));
        self.cleared = typed;
        was_restored
    }

    /// Whether there is anything to clear, or to restore.
    pub(super) fn can_clear(&self) -> bool {
        self.is_typed() || self.cleared.is_some()
    }

    /// Shows this pet, unchecked.
    pub fn fill(&mut self, draft: Draft) {
        self.form = fields::form();
        self.form.set(&NAME, &draft.name);
        self.form.set(&CATEGORY, &draft.category_id);
        self.set_status(draft.status);
    }

    /// Restores the form as it was before a line was edited. The number of that line.
    pub(super) fn stop_editing(&mut self) -> Option<u64> {
        let EditedLine { number, before } = self.outbox.editing.take()?;
        self.fill(before);
        Some(number)
    }
}

#[cfg(test)]
pub(in crate::tui) mod tests;
