//! The form for one redirect.

use serde::{Deserialize, Serialize};

use crate::domains::Finding;
use crate::tui::text_input::TextInput;
use crate::tui::widgets::form::Control;

/// A line that is being typed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RedirectForm {
    pub line: usize,
    /// From which domain; unused for the primary domain.
    pub from: TextInput,
    /// To which, or the primary domain.
    pub to: TextInput,
    pub status: TextInput,
    /// Where the cursor is.
    pub focus: Focus,
    /// The target is still the suggested one: the first letter replaces it.
    pub untouched: bool,
}

impl RedirectForm {
    /// The field that has the cursor.
    pub const fn input(&mut self) -> &mut TextInput {
        match self.focus {
            Focus::From => &mut self.from,
            Focus::To => &mut self.to,
            Focus::Status => &mut self.status,
        }
    }
}

/// The fields of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Focus {
    From,
    To,
    Status,
}

impl Focus {
    /// The kind of each.
    pub const PARTS: [(Self, Control); 3] =
        [(Self::From, Control::Text), (Self::To, Control::Text), (Self::Status, Control::Text)];

    /// The field that a finding about the line is about.
    pub fn of(finding: &Finding) -> Self {
        match &finding.seen {
            seen if seen.contains("].from:") => Self::From,
            seen if seen.contains("].status:") => Self::Status,
            _ => Self::To,
        }
    }
}
