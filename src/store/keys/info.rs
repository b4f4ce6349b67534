//! What is known of a key, and what was done to it.

use jiff::Timestamp;

use super::format::KeyId;
use super::scopes::Scopes;
use crate::clock::Now;
use crate::store::value_row::{DatabaseError, Row};

/// A key to create.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Who or what it is for; the rules for pets' names apply.
    pub name: String,
    /// What it may do.
    pub scopes: Scopes,
    /// From when on it is refused.
    pub expires_at: Option<Timestamp>,
}

/// A key as it is stored, without what would be needed to use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyInfo {
    /// The public part of the key.
    pub id: KeyId,
    /// Whom or what it is for.
    pub name: String,
    /// What it may do.
    pub scopes: Scopes,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it is refused.
    pub expires_at: Option<Timestamp>,
    /// When it was last accepted, to a minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// What was done to a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyEvent {
    /// When.
    pub at: Timestamp,
    /// `created`, `renamed`, `rotated` or `revoked`.
    pub action: String,
    /// To which key.
    pub key: KeyId,
    /// By whom.
    pub actor: String,
}

impl KeyInfo {
    /// Whether it is accepted at the moment.
    pub fn is_valid(&self, now: Now) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|expires_at| now.wall < expires_at)
    }
}

pub(super) fn key_info(row: Row<'_>) -> Result<KeyInfo, DatabaseError> {
    let at = |column| Ok::<_, DatabaseError>(row.optional_int(column)?.map(time));
    Ok(KeyInfo {
        id: row.parsed(0)?,
        name: row.text(1)?.to_owned(),
        scopes: row.parsed(2)?,
        created_at: time(row.int(3)?),
        expires_at: at(4)?,
        last_used_at: at(5)?,
        revoked_at: at(6)?,
    })
}

pub(super) fn key_event(row: Row<'_>) -> Result<KeyEvent, DatabaseError> {
    let (action, actor) = (row.text(1)?.to_owned(), row.text(3)?.to_owned());
    Ok(KeyEvent { at: time(row.int(0)?), action, key: row.parsed(2)?, actor })
}

/// Stored Unix seconds; out of range, which is never stored, the last timestamp.
fn time(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX)
}
