//! Where keys are saved: private files, and programs that print them. These may take ten seconds.

mod command;
mod key_file;

pub use command::{refuse_where_others_write, run_key_command};
pub use key_file::{read_key_file, write_key_file};
