//! Many animals at once: out of a file into the service, and out of the service into a file.
//!
//! One engine for the app and the command line. [`rows`] reads a file of any size row by row and checks each, [`check`]
//! does that without sending, [`preview`] for a screen, [`import`] sends them with a [`journal`] by which it can go on
//! after any end, [`earlier`] finds out whether it should, [`mend`] writes those that were not added to a new file, and [`export`] writes the inventory. What they
//! have to say are plain values: [`import::Progress`] in a watch channel, [`import::Told`] for each row, [`import::Wish`]
//! to pause and stop. Knows the client, the configuration's way to write files, and no terminal.

mod alone;
pub mod check;
mod destination;
mod doubles;
pub mod earlier;
mod error;
pub mod export;
pub mod format;
pub mod import;
pub mod input;
pub mod journal;
pub mod mend;
pub mod preview;
pub mod reading;
pub mod rows;
mod utf16;

pub use error::TransferError;
pub use format::Format;
pub use input::Input;
pub use reading::Reading;
