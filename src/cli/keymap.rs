//! The keys of the screen, with the changes of the user's file beside the configuration.

use crate::config::{Env, Paths};
use crate::local::atomic_file;
use crate::tui::keymap::Keymap;

/// The keys, and what could not be used of the file, a sentence each.
pub fn read(env: &Env) -> (Keymap, Vec<String>) {
    let Some(path) = Paths::new(env).ok().map(|paths| paths.config.join("keymap.toml")) else {
        return (Keymap::default(), Vec::new());
    };
    match atomic_file::read(&path) {
        Ok(text) => text.map(|text| Keymap::changed_by(&text, "keymap.toml")).unwrap_or_default(),
        Err(error) => (Keymap::default(), vec![format!("{} cannot be read: {error}.", path.display())]),
    }
}
