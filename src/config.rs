//! What the user decided: flags over environment over file over defaults, resolved once at start into [`Settings`];
//! and the one part of it that the app writes ([`edit`]).
//!
//! May touch files and the environment; no network and no terminal.

pub mod edit;
pub mod env;
pub mod file;
pub mod paths;
pub mod settings;

pub use env::Env;
pub use file::{ConfigError, File, Notify};
pub use paths::Paths;
pub use settings::{Choices, KeyOrigin, Remote, Service, Settings};
