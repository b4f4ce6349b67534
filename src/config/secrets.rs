//! Where keys are kept: files for their owner alone, programs that tell them, and the keyring of the system.
//!
//! All of it may block: a command up to ten seconds, the keyring until its password was typed.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

mod command;
mod key_file;
mod keyring;
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

/// What `work` gives within `limit`. After that it goes on in its thread, and nobody waits for it.
fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (give, given) = mpsc::channel();
    let work = move || {
        let _ = give.send(work());
    };
    thread::Builder::new().name("secret".into()).spawn(work).ok()?;
    given.recv_timeout(limit).ok()
}
