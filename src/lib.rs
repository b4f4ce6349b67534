//! Petstore: the terminal app, the service behind it, a command line for scripts, and the library under them.
//!
//! # Where to begin
//!
//! To understand the app, read seven files: this one (the map), [`tui::msg`], [`tui::effect`], [`tui::update`],
//! [`tui::screens::pets::update`], [`tui::worker`], [`tui::event_loop`]. To understand the service: [`server`], then
//! [`store`]. The types of both are in [`model`]. To understand the checker of custom domains: [`domains`], then
//! [`domains::observation`], [`domains::diagnosis`], [`domains::probe`]; its panel is [`tui::screens::domains`].
//! Files of pets go in and out through [`transfer`]. The main tasks in plain lines, for screen readers and braille
//! displays, are in [`cli::accessible`].
//!
//! # The app
//!
//! ```text
//!              terminal events            signals
//!                    │                       │
//!         ┌──────────▼───────────────────────▼─────────┐     effects (bounded, try_send)    ┌───────────────────┐
//!         │ event loop (tui::event_loop)               │ ─────────────────────────────────► │ worker task       │
//!         │  owns AppState                             │                                    │ (tui::worker)     │
//!         │  Msg ─► update(&mut state, msg, now) ─► Vec<Effect>                             │ one job per slot, │
//!         │  draw(&state, &appearance, now) ─► Layout ─► state.layout                       │ through api       │
//!         │                                            │ ◄───────────────────────────────── │                   │
//!         └────────────────────────────────────────────┘     messages (bounded, awaited)    └───────────────────┘
//! ```
//!
//! The state is shared by sending, not by locking. A reply counts only if its id is the one that its slot waits for.
//! Time is a parameter; nothing ticks while nothing is due. The app always talks HTTP to a service, also to the one
//! that it starts inside itself.
//!
//! # Rooms
//!
//! Arrows point to what may be imported; a test holds the `use` lines of `src` against this.
//!
//! ```text
//! main ─► cli ─┬─► tui ──┬──► transfer ─► api ─┐    transfer also uses config
//!              │         ├──► domains ─────────┼─► model
//!              │         └──► config ──────────┤
//!              ├─► server ──► store ───────────┤
//!              └─► transfer, api, domains, config   clock: usable everywhere; model imports nothing of ours
//! ```

pub mod api;
pub mod cli;
pub mod clock;
pub mod config;
pub mod domains;
pub mod model;
pub mod server;
pub mod store;
pub mod transfer;
pub mod tui;
