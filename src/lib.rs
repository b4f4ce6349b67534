//! Petstore: the terminal app, the service, the command line, and the library under them.

pub mod api;
pub mod clock;
pub mod config;
pub mod model;
pub mod tui;
