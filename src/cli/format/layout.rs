//! How animals are written: the format, the columns, the width.

use crate::cli::args::PetFormat;
use crate::model::export::Column;

/// How animals are written.
#[derive(Clone, Debug)]
pub struct PetLayout {
    /// In which format.
    pub format: PetFormat,
    /// Only these parts of an animal, in this order; all of it as it came where there are none.
    pub columns: Vec<Column>,
    /// With a header above columns.
    pub header: bool,
    /// Cells that a spreadsheet would run stay as they are.
    pub raw: bool,
    /// The terminal's width; `None` where nobody looks, and nothing is cut.
    pub width: Option<usize>,
    /// With colours.
    pub coloured: bool,
}

/// The columns that are written.
pub fn shown(layout: &PetLayout) -> &[Column] {
    if layout.columns.is_empty() { &Column::ALL } else { &layout.columns }
}
