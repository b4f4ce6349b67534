//! What the user decided: flags over environment over file over defaults, resolved once at start into [`Settings`],
//! and again for a profile that is chosen by hand ([`profiles`]); the parts of it that the app writes ([`edit`]); the
//! places where keys are kept ([`secrets`], [`login`]); the files of what is typed ([`drafts`]) and of what waits to be sent
//! ([`queue`]); and the codes that scanners read ([`codes`]).
//!
//! May touch files and the environment, run the command that a profile names for its key, and ask the system's keyring;
//! no network and no terminal.

pub mod atomic;
mod chosen;
pub mod codes;
pub mod drafts;
pub mod edit;
pub mod env;
pub mod error;
mod everything;
mod faults;
pub mod file;
pub mod login;
pub mod origin;
pub mod paths;
pub mod profiles;
pub mod queue;
mod said;
pub mod secrets;
pub mod service;
pub mod settings;
pub mod ui;

pub use env::{Depth, Env};
pub use error::ConfigError;
pub use everything::everything;
pub use faults::{Fault, faults};
pub use file::{Accent, File, KeySource, Notify};
pub use login::{Login, LoginError};
pub use origin::{Origin, Sourced};
pub use paths::Paths;
pub use profiles::{Place, ProfileEntry, Profiles, settings_for, settings_with};
pub use said::file_path;
pub use secrets::{KeepKey, KeyPlace, Keyring};
pub use service::{KeyOrigin, Remote, Service};
pub use settings::{Choices, Settings};
pub use ui::{Clipboard, LinkSpeed, ThemeChoice};
