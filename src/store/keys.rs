//! API keys: made, kept as a hash, changed for new ones and revoked. Each change is noted with who made it, in the same
//! transaction.

mod authenticate;
mod cache;
mod format;
mod queries;
mod scopes;

use std::io;

use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};

use self::format::hash;
use self::queries::{ANY_KEY, Change, Create, CreateFirst, Rotate, key_event, key_info};
use super::job::Query;
use super::{Store, StoreError, sql};
use crate::clock::Now;
use crate::model::draft::check_name;

pub use self::authenticate::Identity;
pub use self::format::{KeyId, NotAKeyId};
pub use self::queries::{KeyEvent, KeyInfo, NewKey};
pub use self::scopes::{NotScopes, Scope, Scopes};

pub(super) use self::cache::KeyCache;
pub(super) use self::format::{SESSION as SESSION_KEY, SESSION_NAME};

impl Store {
    /// Makes a key, stores its hash, and returns the key, which cannot be had again. `actor` is who asked for it.
    pub async fn create_key(&self, new: NewKey, actor: &str, now: Now) -> Result<(KeyId, SecretString), StoreError> {
        let (create, key) = Create::new(new, actor, now)?;
        let id = create.id;
        self.inner.database.write(create).await?;
        Ok((id, key))
    }

    /// As [`create_key`](Self::create_key), but only where no key was ever made. The key goes to `hand_over` before it is
    /// committed, so that whatever interrupts this, no key counts that nobody has; one that was handed over may not count.
    /// Returns whether a key was made.
    pub async fn create_first_key(
        &self,
        new: NewKey,
        actor: &str,
        now: Now,
        hand_over: impl Fn(&SecretString) -> io::Result<()> + Send + Sync + 'static,
    ) -> Result<bool, StoreError> {
        if self.has_keys().await? {
            return Ok(false);
        }
        let (create, key) = Create::new(new, actor, now)?;
        let first = CreateFirst { create, hand_over: move || hand_over(&key) };
        self.inner.database.write(first).await?.map_err(StoreError::HandOver)
    }

    /// Whether a key was ever made.
    pub async fn has_keys(&self) -> Result<bool, StoreError> {
        Ok(!self.inner.database.read(ANY_KEY).await?.is_empty())
    }

    /// Every key that was ever made, oldest first.
    pub async fn list_keys(&self) -> Result<Vec<KeyInfo>, StoreError> {
        Ok(self.inner.database.read(Query(sql::LIST_KEYS, [], key_info)).await?)
    }

    /// What was done to keys, oldest first.
    pub async fn list_key_events(&self) -> Result<Vec<KeyEvent>, StoreError> {
        Ok(self.inner.database.read(Query(sql::LIST_KEY_EVENTS, [], key_event)).await?)
    }

    /// Revokes the key, everywhere within five seconds. A key that was revoked before keeps that time. Returns the key;
    /// `None` if it does not exist.
    pub async fn revoke_key(&self, id: KeyId, actor: &str, now: Now) -> Result<Option<KeyInfo>, StoreError> {
        let revoked = self.inner.database.write(Change { id, name: None, actor: actor.to_owned(), now }).await?;
        // It is read again at its next use.
        self.inner.keys.lock().remove(&id);
        Ok(revoked)
    }

    /// Gives the key another name, also for the pets that it has added. Returns the key; `None` if it does not exist.
    pub async fn rename_key(
        &self,
        id: KeyId,
        name: String,
        actor: &str,
        now: Now,
    ) -> Result<Option<KeyInfo>, StoreError> {
        check_name(&name).map_err(StoreError::KeyName)?;
        Ok(self.inner.database.write(Change { id, name: Some(name), actor: actor.to_owned(), now }).await?)
    }

    /// Makes a key of the same name, scopes and lifetime; the old one is good until `until`, or its own earlier end, so
    /// that both are accepted while the new one is handed out. Returns the end of the old one; `None` if it does not exist
    /// or is no longer accepted.
    pub async fn rotate_key(
        &self,
        id: KeyId,
        until: Timestamp,
        actor: &str,
        now: Now,
    ) -> Result<Option<(KeyId, SecretString, Timestamp)>, StoreError> {
        let (new_id, key) = format::generate()?;
        let hash = hash(key.expose_secret());
        let rotate = Rotate { id, until, new_id, hash, actor: actor.to_owned(), now };
        let rotated = self.inner.database.write(rotate).await?;
        Ok(rotated.map(|until| (new_id, key, until)))
    }
}
