//! The terminal app: keys and replies go in, frames and effects come out.
//!
//! Read in this order: [`msg`] (what can happen), [`effect`] (what can be asked for), [`mod@command`] (what a user can do),
//! [`update`] (what follows from what), [`job`] (work beside the loop, and what follows from it),
//! [`screens::pets::update`] (one screen of it), [`worker`] (where the work runs), [`event_loop`] (which connects them).
//!
//! - Pure: `msg mouse effect state command places start pending key keymap text_input paste_detection forms update deadline frame_pacer drafts custom_actions session_cache`,
//!   `widgets::form`, and what `screens` and `popups` do with the state; the `run` of a job begins what other rooms do. No ratatui, crossterm, tokio, reqwest, clock or printing; what drawing learned is kept as
//!   `widgets::page` has it.
//! - Painting: `view theme widgets`, `screens/*/view`, and the `draw` of pages and boxes in their files. Takes `&App`.
//! - Work: `worker`, and the `run` of each job. Network through [`crate::api`] and [`crate::domains`], pets that are added and
//!   what other rooms share through [`crate::app`], settings and keys through [`crate::config`]. The worker does not know
//!   the state.
//! - Terminal: `terminal event_loop`. The only part that touches the terminal.

#![cfg_attr(not(test), deny(clippy::wildcard_enum_match_arm))]

pub mod command;
pub mod custom_actions;
mod deadline;
pub mod drafts;
pub mod effect;
pub mod event_loop;
mod forms;
pub mod frame_pacer;
pub mod job;
mod key;
pub mod keymap;
pub mod mouse;
pub mod msg;
mod paste_detection;
pub mod pending;
mod places;
mod popups;
pub mod screens;
pub mod session_cache;
pub mod start;
pub mod state;
pub mod terminal;
mod text_input;
pub mod theme;
pub mod update;
pub mod view;
mod widgets;
pub mod worker;

pub use crate::clock::Now;
pub use command::{Command, Movement, Place, command, moves};
use command::{LETTERS, LIST, SHORT_LIST};
pub use effect::Effect;
use forms::{NEXT, PREVIOUS};
pub use job::{Env, Job, blocking};
use key::Key;
use mouse::Target;
pub use pending::Slot;
use popups::{Popup, TextBox, copy};
pub use state::{App, Health, MessageKind, Screen};
use text_input::{TextInput, Typing};
pub use theme::{Appearance, StyleRole};
use widgets::form::{Field, Form};
use widgets::page::Page;
use widgets::{WIDE, away_word, cells, first_of_page, first_shown, moved, shown};

#[cfg(test)]
pub(crate) mod testing;
