//! What the screens, the commands and the dialogue all need: between them and the libraries. Knows no terminal, no flags
//! and no screen.

pub mod inventory;
pub mod outbox;
