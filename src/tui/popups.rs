//! The boxes over a screen; at most one is open. Their state and what keys do in them; no painting here.

mod commands;
pub mod confirm;
mod help;
pub mod jobs;
pub mod key;
pub mod state;
mod text_box;
pub mod themes;
pub mod update;

pub use commands::way_to;
pub use help::{HelpLine, PLACES, place_name};
pub use key::open_key_box;
pub use state::{
    Command, ConfirmBox, Contents, HelpBox, KeyBox, LIMIT_PRESETS, LimitBox, PaletteEntry, PendingChange, Popup,
    Reader, TextBox, TextKind, ThemesBox, WriteBox,
};
pub use text_box::{copy, on_exported};
