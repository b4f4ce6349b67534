//! The parts of the add form.

use serde::{Deserialize, Serialize};

use crate::model::{Field, PetStatus};
use crate::tui::widgets::form::Control;

/// The parts of the form, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Focus {
    #[default]
    Name,
    Category,
    Status,
    #[serde(alias = "After")]
    Save,
}

/// The choices of a status.
pub const STATUSES: [Option<PetStatus>; 4] =
    [None, Some(PetStatus::Available), Some(PetStatus::Pending), Some(PetStatus::Sold)];

impl Focus {
    /// The control of each part.
    pub const PARTS: [(Self, Control); 4] = [
        (Self::Name, Control::Text),
        (Self::Category, Control::Text),
        (Self::Status, Control::Choice),
        (Self::Save, Control::Button),
    ];

    /// The field of this part.
    pub const fn field(self) -> Option<Field> {
        match self {
            Self::Name => Some(Field::Name),
            Self::Category => Some(Field::CategoryId),
            Self::Status => Some(Field::Status),
            Self::Save => None,
        }
    }
}

impl From<Field> for Focus {
    fn from(field: Field) -> Self {
        match field {
            Field::Name => Self::Name,
            Field::CategoryId => Self::Category,
            Field::Status => Self::Status,
        }
    }
}
