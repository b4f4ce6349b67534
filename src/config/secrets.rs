//! Where keys are saved: private files, programs that print them, and the system keyring.
//!
//! All of it may block: a command up to ten seconds, the keyring until its password is typed.

mod command;
mod deadline;
mod key_file;
pub(super) mod keyring;
mod place;

pub use command::{refuse_where_others_write, run_key_command};
pub use key_file::{read_key_file, write_key_file};
pub use keyring::Keyring;
pub use place::KeyPlace;

/// Where a typed key is saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepKey {
    /// Nowhere: it is used until the program ends.
    #[default]
    Session,
    /// In a private file.
    File,
    /// In the system keyring.
    Keyring,
}
