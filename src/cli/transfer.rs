//! `petstore pets import` and `export`: the command line of [`crate::transfer`].

pub mod args;
mod export;
mod import;
mod progress;

pub use export::run as export;
pub use import::{check, run as import};

use crate::cli::error::{Exit, Failed};
use crate::model::display_safe;
use crate::transfer::TransferError;

/// Why a transfer with `service` failed, and the way out.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are not about what was asked for")]
fn failed(error: &TransferError, service: &str) -> Failed {
    // No hint may lead to rows being added twice.
    let why = display_safe(&error.to_string()).into_owned();
    let hint = match error {
        TransferError::Api(error) => return Failed::request(error, service, false),
        TransferError::Provenance(error) => return Failed::provenance(error, service),
        TransferError::NotAJournal { .. } => {
            "if that file is not petstore's, use another one for the report: --report FILE"
        }
        TransferError::Damaged { .. } => {
            "without the report it is unknown which rows were added: check with petstore pets list --all, and import \
             only the missing ones"
        }
        TransferError::Changed { .. } => {
            "import the file again: its rows are then matched by content. Standard input must be the same as before"
        }
        TransferError::Unrelated(_) => {
            "name the report of this file with --report. If no row of this file was ever added, run without --resume"
        }
        TransferError::Another { what: "the service", .. } => {
            "to continue, choose that service (--profile, --base-url). If this is another store, use a separate report: \
             --report FILE"
        }
        TransferError::Another { .. } => {
            "omit those options to continue; --again adds every row, even those added before"
        }
        TransferError::NoColumn { .. }
        | TransferError::Columns(_)
        | TransferError::FixedValue { .. }
        | TransferError::JournalExists(_)
        | TransferError::NoJournal(_)
        | TransferError::Exists(_)
        | TransferError::Needed { .. }
        | TransferError::NoFile { .. } => return Failed::new(Exit::Usage, why),
        _ => return Failed::new(Exit::Failure, why),
    };
    Failed::new(Exit::Usage, why).hint(hint)
}
