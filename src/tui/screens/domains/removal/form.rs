//! The state of the removal page.

use crate::tui::context::Context;
use crate::tui::text_input::TextInput;

/// The page.
#[derive(Clone, Debug, Default)]
pub struct Removal {
    /// Where the cursor is.
    pub focus: Focus,
    /// The name, typed to take the domain off the list.
    pub typed: TextInput,
}

/// The steps, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// Visitors are few enough, in the operator's judgement.
    #[default]
    Visitors,
    /// Remove was chosen in the dashboard.
    Dashboard,
    /// The name is typed.
    Name,
}

impl Focus {
    pub(super) const ORDER: [Self; 3] = [Self::Visitors, Self::Dashboard, Self::Name];
}

impl Removal {
    /// Where a key goes.
    pub const fn context(&self) -> Context {
        match self.focus {
            Focus::Visitors | Focus::Dashboard => Context::Removal,
            Focus::Name => Context::RemovalName,
        }
    }

    /// The text field that has the cursor.
    pub const fn input(&mut self) -> Option<&mut TextInput> {
        match self.focus {
            Focus::Name => Some(&mut self.typed),
            Focus::Visitors | Focus::Dashboard => None,
        }
    }
}
