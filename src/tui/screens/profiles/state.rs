//! What the profiles screen knows.

use std::collections::BTreeMap;

use super::form::ProfileForm;
use crate::clock::Now;
use crate::config::{ProfileEntry, Profiles};
use crate::tui::keymap::Context;
use crate::tui::screens::profiles::jobs::{NewService, Tested};
use crate::tui::state::Screen;

/// The profiles screen.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The screen from which one came, to which Esc goes back.
    pub from: Screen,
    /// Which there are, as last read.
    pub list: Option<Profiles>,
    /// The name of the one under the cursor.
    pub selected: String,
    /// What the last test of each gave, and when.
    pub tests: BTreeMap<String, (Now, Tested)>,
    /// The one that is being tested.
    pub testing: String,
    /// The one that is being changed to.
    pub using: String,
    /// The form for a new one. What is typed stays when it is left.
    pub form: ProfileForm,
    /// Whether the form is shown.
    pub form_open: bool,
    /// The new one that is being tried or written.
    pub new: Option<NewService>,
}

impl State {
    /// The profiles, as far as they were read.
    pub fn entries(&self) -> &[ProfileEntry] {
        self.list.as_ref().map_or(&[], |list| &list.entries)
    }

    /// The row under the cursor, from 0.
    pub fn cursor(&self) -> usize {
        self.entries().iter().position(|entry| entry.name == self.selected).unwrap_or(0)
    }

    /// The profile under the cursor.
    pub fn entry(&self) -> Option<&ProfileEntry> {
        self.entries().get(self.cursor())
    }

    /// Puts the cursor on row `row`, or on the last one.
    pub fn move_to(&mut self, row: usize) {
        let row = row.min(self.entries().len().saturating_sub(1));
        if let Some(name) = self.entries().get(row).map(|entry| entry.name.clone()) {
            self.selected = name;
        }
    }

    /// Where a key goes.
    pub fn context(&self) -> Context {
        match (self.form_open, self.form.is_text()) {
            (false, _) => Context::Profiles,
            (true, true) => Context::ProfileText,
            (true, false) => Context::ProfileChoice,
        }
    }

    /// Whether there is a profile of this name.
    pub fn is_taken(&self, name: &str) -> bool {
        self.entries().iter().any(|entry| entry.name == name)
    }
}
