//! Adding pets: a form above, and below it a line for each pet that was taken from it.
//!
//! Typing never waits for the service. A line is written to a file, then sent; it survives an outage and the end of the
//! program, and is never sent again if that could add a second pet.

pub mod form;
pub mod import;
pub mod lines;
pub mod view;

use std::time::{Duration, Instant};

use crate::app::outbox::queue::SentPet;
use crate::app::{Line, Outbox};
use crate::config::file::Add;
use crate::model::draft::check_name;
use crate::model::{Categories, Draft, PetStatus, cut, width};
use crate::tui::widgets::form::{Field, Form, Kind};

/// The most lines that may wait.
const MOST_WAITING: usize = 1_000;

/// Characters closer together than this come from a scanner; a key this soon after them may end a scan.
const BURST: Duration = Duration::from_millis(50);

/// The fewest characters of a scan.
pub const LEAST_SCAN: usize = 3;

pub static NAME: Field = Field::new("name", "Name *", Kind::Text)
    .columns(48)
    .check(|name, _| check_name(name).err().map(|error| error.to_string()));
pub static CATEGORY: Field = Field::new("category", "Category *", Kind::Text)
    .columns(21)
    .advice(|category, known, room| {
        let categories = known.categories;
        let (hint, brief) = match categories.parse(category) {
            Ok(id) if id < 0 => ("negative: is it right?".to_owned(), "negative".to_owned()),
            Ok(id) if categories.name(id).is_some() => (categories.label(id), cut(&categories.label(id), room)),
            _ if categories.is_empty() => ("a whole number, e.g. 3".to_owned(), "e.g. 3".to_owned()),
            _ => (format!("a number, or {}", categories.names()), "a number or name".to_owned()),
        };
        Some(if width(&hint) <= room { hint } else { brief })
    })
    .check(|category, known| known.categories.parse(category).err().map(|error| error.to_string()));
pub static STATUS: Field = Field::new(
    "status",
    "Status",
    Kind::Choice(&[
        ("", "not set (the service decides)"),
        ("available", "available"),
        ("pending", "pending"),
        ("sold", "sold"),
    ]),
);

/// The add screen.
#[derive(Debug, Default)]
pub struct State {
    /// Begins with the category and the status used last.
    pub form: Form,
    /// The configuration.
    pub setup: Add,
    /// The lines below the form.
    pub outbox: Outbox,
    /// The number of the line that has the cursor, which is in the form otherwise.
    pub marked: Option<u64>,
    /// Some were saved since the list was read.
    pub unread: bool,
    /// The refused line being edited.
    pub editing: Option<EditedLine>,
    pub pacing: Pacing,
    /// The import of a file, shown instead of the form while it is on.
    pub import: import::State,
    /// What an earlier version left that was sent without an answer, until it is a line.
    pub sent: Option<SentPet>,
    /// The category is from the pet before: typing replaces it.
    pub sticky: bool,
    /// The name was begun with the cursor elsewhere, so the keys may not be a name.
    pub stray: bool,
    /// Was asked about, since the same was added a moment ago.
    pub asked: Option<Draft>,
    /// How many characters of the name came faster than typing, and when the last one came.
    burst: Option<(usize, Instant)>,
    /// What the last pet left in the form: an empty form begins with it.
    pub left: Draft,
    cleared: Option<Draft>,
}

/// When lines are written and sent.
#[derive(Debug, Default)]
pub struct Pacing {
    /// Nothing is sent before this time.
    pause: Option<Instant>,
    /// Nothing is written before this time.
    write_pause: Option<Instant>,
    /// How many times in a row sending failed.
    tries: u32,
    /// How long the last answer took.
    pub took: Duration,
}

/// A refused line in the form, and what the form had before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedLine {
    pub number: u64,
    pub before: Draft,
}

impl State {
    /// The text of the form.
    pub fn draft(&self) -> Draft {
        let [name, category_id, status] = [&NAME, &CATEGORY, &STATUS].map(|field| self.form[field].value());
        Draft { name: name.to_owned(), category_id: category_id.to_owned(), status: status.parse().ok() }
    }

    /// The state that a service begins with.
    pub fn new() -> Self {
        let mut new = Self { form: new_form(), ..Self::default() };
        new.begin_with(Draft { status: Some(PetStatus::Available), ..Draft::default() });
        new
    }

    /// Takes the whole state, and leaves the state that another service begins with.
    pub fn put_aside(&mut self) -> Self {
        let new = Self { setup: self.setup.clone(), ..Self::new() };
        std::mem::replace(self, new)
    }

    /// The next pet begins with this, which has no name, unless something is typed already.
    pub fn begin_with(&mut self, left: Draft) {
        if !self.is_typed() {
            self.fill(left.clone());
            self.sticky = true;
        }
        self.left = left;
    }

    /// When waiting work is due.
    pub fn next_due(&self) -> Option<Instant> {
        let Pacing { pause, write_pause, .. } = self.pacing;
        pause.into_iter().chain(write_pause).min().filter(|_| self.outbox.has_work())
    }

    /// Why the line that is selected or edited was refused, until what was wrong with it here is corrected.
    pub(super) fn explanation(&self, categories: &Categories) -> Option<&str> {
        let number = self.editing.as_ref().map(|editing| editing.number).or(self.marked)?;
        let line = self.outbox.line(number)?;
        let was_wrong = || line.typed.pet.check(categories).is_err();
        let is_corrected = self.editing.is_some() && self.draft().check(categories).is_ok() && was_wrong();
        line.fate.explanation().filter(|_| !is_corrected)
    }

    /// Notes that text came into the name, or `begins` it.
    pub fn note_text(&mut self, text: &str, begins: bool, now: Instant) {
        let before = self.burst.filter(|(_, last)| !begins && is_close(*last, now)).map_or(0, |(count, _)| count);
        self.burst = Some((before + text.chars().count(), now));
    }

    /// Whether the name is a scan that a key at `now` ends.
    pub fn is_scan(&self, now: Instant) -> bool {
        let length = self.form[&NAME].value().chars().count();
        self.burst.is_some_and(|(count, last)| count == length && count >= LEAST_SCAN && is_close(last, now))
    }

    /// Whether anything was typed or chosen since the last pet.
    pub fn is_typed(&self) -> bool {
        self.draft() != self.left
    }

    /// The line that has the cursor.
    pub(super) fn marked_line(&self) -> Option<&Line> {
        self.outbox.line(self.marked?)
    }

    /// Goes to the name.
    pub(super) fn go_to_name(&mut self) {
        self.marked = None;
        self.form.go_to(&NAME);
    }

    /// Ready for the next pet: the name is empty, category and status stay.
    pub(super) fn next_animal(&mut self) {
        self.left = Draft { name: String::new(), ..self.draft() };
        self.fill(self.left.clone());
        self.sticky = true;
        self.cleared = None;
    }

    /// Clears what was typed since the last pet, or restores what the last call cleared. Whether it restored; `None` if
    /// there was nothing to do.
    pub(super) fn clear_or_restore(&mut self) -> Option<bool> {
        let typed = Some(self.draft()).filter(|_| self.is_typed());
        let restores = typed.is_none();
        let shown = if restores { self.cleared.take()? } else { self.left.clone() };
        self.fill(shown);
        self.cleared = typed;
        Some(restores)
    }

    /// Shows this pet, unchecked.
    pub fn fill(&mut self, draft: Draft) {
        self.form = new_form();
        self.form.set(&NAME, &draft.name);
        self.form.set(&CATEGORY, &draft.category_id);
        self.form.set(&STATUS, draft.status.map_or("", PetStatus::as_str));
    }

    /// Restores the form as it was before a line was edited. The number of that line.
    pub(super) fn stop_editing(&mut self) -> Option<u64> {
        let EditedLine { number, before } = self.editing.take()?;
        self.fill(before);
        Some(number)
    }
}

/// The form, empty.
fn new_form() -> Form {
    Form::new(&[&NAME, &CATEGORY, &STATUS])
}

fn is_close(before: Instant, now: Instant) -> bool {
    now.saturating_duration_since(before) < BURST
}

#[cfg(test)]
pub(in crate::tui) mod tests;
