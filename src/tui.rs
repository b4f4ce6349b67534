//! The terminal app: keys and replies go in, frames and effects come out.
//!
//! Read in this order: [`msg`] (what can happen), [`effect`] (what can be asked for), [`update`] (what follows from
//! what), [`screens::pets::update`] (one screen of it), [`worker`] (the hands), [`event_loop`] (the wiring).
//!
//! - Pure part: `msg effect state inflight keymap text_input bursts update deadline pacing popups drafts`, and all of
//!   `screens` but views. No ratatui, crossterm, tokio, reqwest, clock or printing.
//! - Paint: `view theme widgets screens/*/view`. Takes `&AppState`, gives a frame.
//! - Hands: `worker`. Network through [`crate::api`] and [`crate::domains`], files and keys through [`crate::config`];
//!   knows no state.
//! - Shell: `terminal event_loop`. The only part that touches the terminal, the channels and the clock.

pub mod bursts;
pub mod command_line;
pub mod deadline;
pub mod drafts;
pub mod effect;
pub mod event_loop;
pub mod inflight;
pub mod kept;
pub mod keymap;
pub mod msg;
pub mod pacing;
pub mod popups;
pub mod screens;
pub mod state;
pub mod terminal;
pub mod text_input;
pub mod theme;
pub mod update;
pub mod view;
pub mod widgets;
pub mod worker;

#[cfg(test)]
mod pictures;
#[cfg(test)]
pub(crate) mod test_kit;
#[cfg(test)]
mod walk;
