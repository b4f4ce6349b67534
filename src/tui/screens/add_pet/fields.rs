//! The parts of the add form.

use serde::{Deserialize, Serialize};

use crate::model::Field;

/// What to do after saving.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum After {
    /// Stay, for another animal.
    #[default]
    Stay,
    /// Show the new one among the others.
    Show,
}

/// The parts of the form, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Focus {
    #[default]
    Name,
    Category,
    Status,
    After,
    Save,
}

impl Focus {
    const ORDER: [Self; 5] = [Self::Name, Self::Category, Self::Status, Self::After, Self::Save];

    /// The part after this one, round to the first.
    #[must_use]
    pub fn next(self) -> Self {
        Self::ORDER[(self as usize + 1) % Self::ORDER.len()]
    }

    /// The part before this one, round to the last.
    #[must_use]
    pub fn previous(self) -> Self {
        Self::ORDER[(self as usize + Self::ORDER.len() - 1) % Self::ORDER.len()]
    }

    /// The member that this part is for.
    #[must_use]
    pub const fn field(self) -> Option<Field> {
        match self {
            Self::Name => Some(Field::Name),
            Self::Category => Some(Field::CategoryId),
            Self::Status => Some(Field::Status),
            Self::After | Self::Save => None,
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
