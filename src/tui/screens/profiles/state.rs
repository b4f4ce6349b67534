//! The state of the profiles screen.

use std::collections::BTreeMap;

use crate::app::connections::Tested;
use crate::clock::Now;
use crate::config::{ProfileEntry, Profiles};
use crate::tui::state::Screen;
use crate::tui::widgets::form::Form;

/// The profiles screen.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The previous screen, to which Esc returns.
    pub from: Screen,
    /// The profiles as last read.
    pub list: Option<Profiles>,
    /// The name of the selected profile.
    pub selected: String,
    /// The result and time of the last test of each.
    pub tests: BTreeMap<String, (Now, Tested)>,
    /// The profile being tested.
    pub testing: String,
    /// The profile being switched to.
    pub using: String,
    /// The form for a new profile. It keeps its text when left.
    pub form: Form,
    /// The result of testing what is typed there, until that changes.
    pub tried: Option<Tested>,
    /// Whether the form is shown.
    pub form_open: bool,
}

impl State {
    /// The profiles read so far.
    pub fn entries(&self) -> &[ProfileEntry] {
        self.list.as_ref().map_or(&[], |list| &list.entries)
    }

    /// The selected row, from 0.
    pub fn cursor(&self) -> usize {
        self.entries().iter().position(|entry| entry.name == self.selected).unwrap_or(0)
    }

    /// The selected profile.
    pub fn entry(&self) -> Option<&ProfileEntry> {
        self.entries().get(self.cursor())
    }

    /// The result of testing what is typed.
    pub fn tried(&self) -> Option<&Tested> {
        self.tried.as_ref().filter(|_| !self.form.changed)
    }

    /// Whether saving no longer tests: the test of what is typed failed.
    pub fn saves_anyway(&self) -> bool {
        matches!(self.tried(), Some(Tested::Failed(_) | Tested::Unusable(_)))
    }
}
