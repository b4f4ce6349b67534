//! What the screens, the commands and the dialogue all need: between them and the libraries. Does not depend on a terminal, flags
//! and no screen.

#![cfg_attr(not(test), deny(clippy::wildcard_enum_match_arm))]
#![warn(missing_docs)]

pub mod clipboard;
pub mod connections;
pub mod domain_guide;
pub mod domain_service;
pub mod first_run;
pub mod import_run;
pub mod inventory;
pub mod outbox;

pub use domain_service::DomainSetup;
pub use import_run::CheckedFile;
pub use outbox::Outbox;
pub use outbox::queue::{Fate, Line, Queue, Queues};
