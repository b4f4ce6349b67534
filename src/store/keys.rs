//! API keys: made, kept as a hash, and checked.
//!
//! A key is found by its public id and compared by the SHA-256 of the whole of it, in constant time. What was read of
//! a key is believed for a few seconds, so that a check costs no query; a revocation takes effect after that time.

mod format;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::writer::Write;
use super::{Store, StoreError};
use crate::clock::Now;
use crate::model::draft::check_name;

pub use self::format::KeyId;

/// How long what was read of a key is believed.
const BELIEVED: Duration = Duration::from_secs(5);

/// What a key may do unless it is said otherwise.
const DEFAULT_SCOPES: &str = "read write";

const FIND: &str = "SELECT hash, expires_at, revoked_at FROM api_keys WHERE id = $1";

/// A new row of `api_keys`.
#[derive(Debug)]
pub(super) struct KeyRow {
    pub(super) id: String,
    pub(super) hash: Vec<u8>,
    pub(super) name: String,
    pub(super) scopes: &'static str,
    /// Unix seconds.
    pub(super) created_at: i64,
}

/// What is known of the keys that were used lately.
#[derive(Debug, Default)]
pub(super) struct KeyCache(Mutex<HashMap<KeyId, Known>>);

#[derive(Clone, Debug)]
struct Known {
    hash: Vec<u8>,
    /// Unix seconds.
    expires_at: Option<i64>,
    revoked: bool,
    /// When it was read; nothing for a key of this process, which is in no database.
    read_at: Option<Instant>,
}

impl Store {
    /// Makes a key that may read and write, stores its hash under `name` (the rules for animals' names hold), and
    /// returns the key, which cannot be had again.
    pub async fn create_key(&self, name: &str, now: Now) -> Result<SecretString, StoreError> {
        check_name(name).map_err(StoreError::KeyName)?;
        let (id, key) = format::generate().map_err(StoreError::Random)?;
        let row = KeyRow {
            id: id.to_string(),
            hash: hash(key.expose_secret()),
            name: name.to_owned(),
            scopes: DEFAULT_SCOPES,
            created_at: now.wall.as_second(),
        };
        self.inner.writer.write(Write::Key(row)).await?;
        Ok(key)
    }

    /// Makes a key that is stored nowhere: only this process knows it, and it ends with the store. For the service
    /// inside the app.
    pub fn session_key(&self) -> Result<SecretString, StoreError> {
        let (id, key) = format::generate().map_err(StoreError::Random)?;
        let known = Known { hash: hash(key.expose_secret()), expires_at: None, revoked: false, read_at: None };
        self.inner.keys.map().insert(id, known);
        Ok(key)
    }

    /// The id of `presented`, if that is a key that is valid now. Whatever is wrong with it makes no difference.
    pub async fn verify_key(&self, presented: &str, now: Now) -> Result<Option<KeyId>, StoreError> {
        let Some(id) = format::id_of(presented) else { return Ok(None) };
        let Some(known) = self.known_key(id, now).await? else { return Ok(None) };
        let same: bool = known.hash.ct_eq(&hash(presented)).into();
        Ok((same && known.is_valid(now)).then_some(id))
    }

    async fn known_key(&self, id: KeyId, now: Now) -> Result<Option<Known>, StoreError> {
        let cached = self.inner.keys.map().get(&id).filter(|known| known.is_fresh(now)).cloned();
        if cached.is_some() {
            return Ok(cached);
        }
        let mut reader = self.inner.readers.take().await?;
        let row: Option<(Vec<u8>, Option<i64>, Option<i64>)> =
            sqlx::query_as(FIND).bind(id.as_str()).fetch_optional(&mut reader.connection).await?;
        self.inner.readers.put_back(reader);
        let known = row.map(|(hash, expires_at, revoked_at)| Known {
            hash,
            expires_at,
            revoked: revoked_at.is_some(),
            read_at: Some(now.mono),
        });
        // Only keys that exist are kept, so that guessing does not fill the memory.
        if let Some(known) = &known {
            self.inner.keys.map().insert(id, known.clone());
        }
        Ok(known)
    }
}

impl KeyCache {
    fn map(&self) -> MutexGuard<'_, HashMap<KeyId, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn is_fresh(&self, now: Now) -> bool {
        self.read_at.is_none_or(|read_at| now.mono.saturating_duration_since(read_at) < BELIEVED)
    }

    fn is_valid(&self, now: Now) -> bool {
        !self.revoked && self.expires_at.is_none_or(|expires_at| now.wall.as_second() < expires_at)
    }
}

fn hash(key: &str) -> Vec<u8> {
    Sha256::digest(key).to_vec()
}
