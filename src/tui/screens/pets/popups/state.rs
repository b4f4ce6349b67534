//! What the boxes over the pets screen hold.

use crate::model::PetStatus;

/// What has changed, the newest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangesBox {
    /// The line under the cursor, from 0.
    pub cursor: usize,
}

/// The bars of status and of category.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartsBox {
    /// All bars, those of the tabs first.
    pub bars: Vec<ChartBar>,
    /// Which of them is chosen, from 0.
    pub cursor: usize,
}

/// One bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartBar {
    /// A tab.
    Tab(Option<PetStatus>),
    /// A category, and how many rows of this tab are in it.
    Category(i64, usize),
}
