//! Imports pets from files, and exports them to files.
//!
//! One engine for the app and the command line. [`rows`] reads a file of any size row by row and checks each row, and
//! [`preview`] does that without sending. [`import`] sends the rows and keeps a [`journal`] to resume from;
//! [`earlier_import`] decides whether to. [`rejects`] writes the rows that were not added to a new file, and [`export`]
//! writes the inventory. Progress is plain values: [`import::ImportProgress`] in a watch channel,
//! [`import::ImportedRow`] for each row, [`import::ImportControl`] to stop. It uses the client and the configuration,
//! but no terminal.

pub mod column_mapping;
mod dedicated_thread;
pub mod earlier_import;
mod error;
pub mod export;
pub mod import;
mod input;
pub mod journal;
mod output_file;
pub mod preview;
pub mod rejects;
pub mod rows;

pub use column_mapping::{ColumnMapping, Columns};
pub use dedicated_thread::blocking;
pub use earlier_import::EarlierVerdict;
pub use error::{Result, TransferError};
pub use import::{ImportOptions, ImportRun, ImportedRow, Start};
pub use input::{FileFormat, ImportSource, Input};
pub use journal::{Journal, RowOutcome, Target};
