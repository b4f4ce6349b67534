//! The database: pets and API keys, behind one cheap handle.
//!
//! The methods of [`Store`] are in `handle`, `pets` and `keys`. What they read and write is `job::Work`, written once for
//! SQLite and PostgreSQL: the SQL keeps to their common ground. Each database runs it in its own way, and commits what
//! waits together in one transaction. This room knows nothing of HTTP, and takes the time as a parameter.

#![warn(missing_docs)]

mod additions;
mod copy;
mod database;
mod database_error;
mod error;
mod handle;
mod idempotency;
mod job;
pub mod keys;
mod maintenance;
mod pets;
mod postgres;
mod sql;
mod sqlite;
mod url;
mod value;
mod value_row;

pub use self::additions::{AddedPet, Additions};
pub use self::copy::{CopyError, CopyProgress, CopySummary, copy};
pub use self::database_error::{DatabaseError, DatabaseUrlError, FailureKind};
pub use self::error::{BackupError, IntegrityReport, StoreError, StoreFailure};
pub use self::handle::Store;
pub use self::idempotency::{CreateOutcome, Idempotency};
pub use self::keys::KeyId;
pub use self::maintenance::{backup, check, quick_check, restore};
pub use self::pets::PetPage;
pub use self::postgres::PostgresUrl;
pub use self::url::DatabaseUrl;

#[cfg(test)]
mod tests;
