//! The keys of the screen, with the changes of the user's file beside the configuration.

use std::fs;
use std::io;

use crate::config::{Env, Paths};
use crate::tui::keymap::Keymap;

/// The keys, and what could not be used of the file, a sentence each.
pub fn read(env: &Env) -> (Keymap, Vec<String>) {
    let Some(path) = Paths::new(env).ok().map(|paths| paths.config.join("keymap.toml")) else {
        return (Keymap::default(), Vec::new());
    };
    match fs::read_to_string(&path) {
        Ok(text) => Keymap::changed_by(&text, "keymap.toml"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => (Keymap::default(), Vec::new()),
        Err(error) => (Keymap::default(), vec![format!("{} cannot be read: {error}.", path.display())]),
    }
}
