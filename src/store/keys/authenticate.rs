//! Whose key a request shows.
//!
//! A key is found by its public id and compared by the SHA-256 of the whole of it, in constant time. What was read of
//! a key is believed for a few seconds, so that a check costs no query; a revocation takes effect after that time.

use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use super::cache::Known;
use super::format::{self, KeyId, hash};
use super::scopes::Scopes;
use crate::clock::Now;
use crate::store::job::Work;
use crate::store::value_row::{Connection, DatabaseError, Value};
use crate::store::{Store, StoreError, sql};

/// How exactly the last use of a key is noted, in seconds: a write for each request would be too much.
const NOTED_EVERY: i64 = 60;

/// Whose request it is, and what it may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The public part of the key.
    pub key: KeyId,
    /// What the key may do.
    pub scopes: Scopes,
}

impl Store {
    /// Makes a key that is stored nowhere and may read, write and audit: only this process knows it, and it ends with the
    /// store, or with the next of its kind. For the service inside the app.
    ///
    /// Its public part is the same each time, so that a creation which is repeated after a restart is still the same.
    pub fn session_key(&self) -> Result<SecretString, StoreError> {
        let id = format::SESSION;
        let key = format::with_id(id)?;
        let hash = hash(key.expose_secret());
        let scopes = Scopes::SESSION;
        let known = Known { hash, scopes, expires_at: None, revoked: false, last_used_at: None, read_at: None };
        self.inner.keys.lock().insert(id, known);
        Ok(key)
    }

    /// Whose key `presented` is, if that is one that is valid now. Whatever is wrong with it makes no difference.
    pub async fn verify_key(&self, presented: &str, now: Now) -> Result<Option<Identity>, StoreError> {
        self.watch_clock(now);
        let Some(key) = format::id_of(presented) else { return Ok(None) };
        let Some(known) = self.known_key(key, now).await? else { return Ok(None) };
        let same: bool = known.hash.ct_eq(&hash(presented)).into();
        if !same || !known.is_valid(now) {
            return Ok(None);
        }
        self.note_use(key, known, now);
        Ok(Some(Identity { key, scopes: known.scopes }))
    }

    /// Whether a key that was accepted before still is.
    pub async fn is_valid_key(&self, key: KeyId, now: Now) -> Result<bool, StoreError> {
        Ok(self.known_key(key, now).await?.is_some_and(|known| known.is_valid(now)))
    }

    async fn known_key(&self, id: KeyId, now: Now) -> Result<Option<Known>, StoreError> {
        let cached = self.inner.keys.lock().get(&id).copied();
        if let Some(known) = cached.filter(|known| known.is_fresh(now)) {
            return Ok(Some(known));
        }
        let mut known = self.inner.database.read(Find { id, now }).await?;
        let mut map = self.inner.keys.lock();
        match &mut known {
            // A use that was noted may not be stored yet.
            Some(known) => {
                known.last_used_at = known.last_used_at.max(cached.and_then(|cached| cached.last_used_at));
                map.insert(id, *known);
            }
            // Only keys that exist are kept, so that guessing does not fill the memory.
            None => drop(map.remove(&id)),
        }
        Ok(known)
    }

    fn note_use(&self, id: KeyId, known: Known, now: Now) {
        let at = now.wall.as_second();
        let is_noted = known.last_used_at.is_some_and(|noted| at - noted < NOTED_EVERY);
        if is_noted || known.read_at.is_none() {
            return;
        }
        if let Some(known) = self.inner.keys.lock().get_mut(&id) {
            known.last_used_at = Some(at);
        }
        self.inner.database.write_later(Use { id, at });
    }
}

struct Find {
    id: KeyId,
    now: Now,
}

impl Work for Find {
    type Output = Option<Known>;

    async fn run(&self, on: &Connection<'_>) -> Result<Option<Known>, DatabaseError> {
        on.row(sql::FIND_KEY, &[Value::Text(self.id.as_str())], |row| Known::read(&row, self.now)).await
    }
}

struct Use {
    id: KeyId,
    /// Unix seconds.
    at: i64,
}

impl Work for Use {
    type Output = ();

    const IS_ONE_STATEMENT: bool = true;

    async fn run(&self, on: &Connection<'_>) -> Result<(), DatabaseError> {
        on.execute(sql::USE_KEY, &[Value::Int(self.at), Value::Text(self.id.as_str())]).await.map(drop)
    }
}
