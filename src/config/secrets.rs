//! Where keys are kept: files for their owner alone, programs that tell them, and the keyring of the system.
//!
//! All of it may block: a command up to ten seconds, the keyring until its password was typed.

mod command;
mod deadline;
mod key_file;
pub(super) mod keyring;
mod place;

pub use command::{refuse_where_others_write, run_key_command};
pub use key_file::{read_key_file, write_key_file};
pub use keyring::Keyring;
pub use place::KeyPlace;

/// How long a key that was typed is to be kept, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepKey {
    /// Until the program ends, nowhere.
    #[default]
    Session,
    /// In a file for its owner alone.
    File,
    /// In the keyring of the system.
    Keyring,
}
