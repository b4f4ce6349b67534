//! Settings: flags over environment over file over defaults, resolved once at start into [`Settings`], and again for a
//! profile that is chosen in the app ([`profiles`]); the parts of the file that the app writes ([`edit`]); and the
//! places of API keys ([`secrets`], [`Login`]).
//!
//! May use files and the environment, and run a profile's command for its key; no network and no terminal.

pub mod edit;
mod error;
pub mod file;
pub mod paths;
pub mod profiles;
pub mod secrets;
pub mod settings;
mod sources;
mod target;
pub mod theme;

pub use edit::{SCHEMA, write_schema};
pub use error::{ConfigError, NoHome, Result};
pub use file::{Accent, Clipboard, CustomAction, Domains, File, KeySource, LinkSpeed, Notify, On, Profile, View};
pub use paths::{Depth, Env, Paths};
pub use profiles::{Login, ProfileEntry, Profiles, ServiceLocation, settings_for, settings_with, settings_without_key};
pub use settings::{Settings, read_only};
pub use sources::{Choices, Origin, Sourced, SshSession, file_path};
pub use target::{KeyOrigin, Remote, Service, faults};
pub use theme::{ThemeFile, Themes};
