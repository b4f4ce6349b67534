//! The fields of the form for a domain.

use serde::{Deserialize, Serialize};

use crate::domains::DnsName;
use crate::tui::context::Context;
use crate::tui::text_input::TextInput;
use crate::tui::widgets::form::Control;

/// The steps before the record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wizard {
    /// The name as typed.
    pub name: TextInput,
    /// The value as typed.
    pub value: TextInput,
    /// Where the cursor is.
    pub focus: Focus,
    /// The entry that is set up, if it exists: its name can no longer change.
    pub entry: Option<DnsName>,
}

/// The parts of the form, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Focus {
    // As drafts of earlier versions have it.
    #[default]
    #[serde(alias = "Plan", alias = "Deploy", alias = "Access")]
    Name,
    Value,
    Next,
}

impl Focus {
    /// The kind of each.
    pub const PARTS: [(Self, Control); 3] =
        [(Self::Name, Control::Text), (Self::Value, Control::Text), (Self::Next, Control::Button)];
}

impl Wizard {
    /// Where a key goes.
    pub const fn context(&self) -> Context {
        match self.focus {
            Focus::Name | Focus::Value => Context::WizardText,
            Focus::Next => Context::WizardButton,
        }
    }

    /// The text field that has the cursor.
    pub const fn input(&mut self) -> Option<&mut TextInput> {
        match self.focus {
            Focus::Name if self.entry.is_none() => Some(&mut self.name),
            Focus::Value => Some(&mut self.value),
            Focus::Name | Focus::Next => None,
        }
    }
}
