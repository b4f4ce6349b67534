//! What is known of the keys that were used lately.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::format::{Hash, KeyId};
use super::scopes::Scopes;
use crate::clock::Now;
use crate::store::value_row::{DatabaseError, Row};

/// How long what was read of a key is believed: shorter than the five seconds in which a revocation takes effect.
const BELIEVED: Duration = Duration::from_secs(3);

/// What is known of the keys that were used lately.
pub(in crate::store) type KeyCache = Mutex<HashMap<KeyId, Known>>;

/// Times of the day are Unix seconds.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Known {
    pub(super) hash: Hash,
    pub(super) scopes: Scopes,
    pub(super) expires_at: Option<i64>,
    pub(super) revoked: bool,
    pub(super) last_used_at: Option<i64>,
    /// When it was read; nothing for a key of this process, which is in no database.
    pub(super) read_at: Option<Instant>,
}

impl Known {
    pub(super) fn read(row: &Row<'_>, now: Now) -> Result<Self, DatabaseError> {
        Ok(Self {
            hash: row.bytes(0)?,
            scopes: row.parsed(1)?,
            expires_at: row.int(2)?,
            revoked: row.int::<Option<i64>>(3)?.is_some(),
            last_used_at: row.int(4)?,
            read_at: Some(now.mono),
        })
    }

    pub(super) fn is_fresh(&self, now: Now) -> bool {
        self.read_at.is_none_or(|read_at| now.mono.saturating_duration_since(read_at) < BELIEVED)
    }

    pub(super) fn is_valid(&self, now: Now) -> bool {
        !self.revoked && self.expires_at.is_none_or(|expires_at| now.wall.as_second() < expires_at)
    }
}
