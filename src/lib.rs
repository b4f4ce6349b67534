//! Petstore: the terminal app, the service, the command line, and the library under them.

pub mod cli;
pub mod clock;
pub mod model;
pub mod server;
pub mod store;
