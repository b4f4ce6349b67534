//! The boxes over a screen; at most one is open. Their state and what keys do in them; no painting here.
#![cfg_attr(not(test), deny(clippy::wildcard_enum_match_arm))]

pub mod commands;
pub mod confirm;
mod help;
pub mod jobs;
pub mod key;
pub mod state;
mod text_box;
pub mod themes;
pub mod update;

pub use commands::way_to;
pub use help::{HelpLine, PLACES, clear_search, place_name};
pub use key::open_key_box;
pub use state::{
    Command, ConfirmBox, Contents, HelpBox, KeyBox, LIMIT_PRESETS, LimitBox, PaletteEntry, PendingChange, Popup,
    Reader, TextBox, TextKind, ThemesBox, WriteBox, next_preset,
};
pub use text_box::{copy, on_exported};
