//! The database: pets and API keys, behind one cheap handle.
//!
//! The methods of [`Store`] are in `database`, `pets`, `changes` and `keys`. What they read and write is `job::Work`, written once
//! for SQLite and PostgreSQL: the SQL keeps to their common ground. `group` does together what waits; each database runs
//! that in its own way, and commits it in one transaction. This room knows nothing of HTTP, and takes the time as a parameter.

#![warn(missing_docs)]

mod changes;
mod database;
mod error;
mod group;
mod idempotency;
mod job;
pub mod keys;
mod maintenance;
mod pets;
mod postgres;
mod sql;
mod sqlite;
mod url;

pub use self::changes::{ChangeOutcome, ChangedPet, KnownChange, NewsPage, Position};
pub use self::database::Store;
pub use self::error::{CopyError, DatabaseError, FailureKind, IntegrityReport, StoreError, StoreFailure};
use self::error::{DbResult, Outcome, Result};
pub use self::idempotency::{CreateOutcome, Idempotency};
use self::job::{Connection, Query, Row, Value, Work};
pub use self::keys::KeyId;
pub use self::maintenance::{CopyProgress, CopySummary, backup, check, copy, restore};
pub use self::pets::{AddedPet, Additions, PetPage};
pub use self::url::{DatabaseUrl, DatabaseUrlError, PostgresUrl};

#[cfg(test)]
mod tests;
