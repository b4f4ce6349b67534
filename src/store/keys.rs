//! API keys: made, kept as a hash, changed for new ones and revoked. Each change is noted with who made it, in the same
//! transaction.

mod authenticate;
mod format;
mod queries;
mod scopes;

use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

use self::queries::{AnyKey, Create, CreateFirst, ListEvents, ListKeys, Revoke, Rotate};
use super::value_row::{DatabaseError, Row};
use super::{Store, StoreError};
use crate::clock::Now;

pub use self::authenticate::Identity;
pub use self::format::{KeyId, NotAKeyId};
pub use self::scopes::{NotScopes, Scope, Scopes};

pub(super) use self::authenticate::KeyCache;

type Hash = [u8; 32];

/// What is to be known of a key before it is made.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Whom or what it is for; the rules for animals' names hold.
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
    /// `created`, `rotated` or `revoked`.
    pub action: String,
    /// To which key.
    pub key: KeyId,
    /// By whom.
    pub actor: String,
}

impl Store {
    /// Makes a key, stores its hash, and returns the key, which cannot be had again. `actor` is who asked for it.
    pub async fn create_key(&self, new: NewKey, actor: &str, now: Now) -> Result<(KeyId, SecretString), StoreError> {
        let (create, key) = Create::new(new, actor, now)?;
        let id = create.id;
        self.inner.database.write(create).await?;
        Ok((id, key))
    }

    /// As [`create_key`](Self::create_key), but only where no key was ever made.
    pub async fn create_first_key(
        &self,
        new: NewKey,
        actor: &str,
        now: Now,
    ) -> Result<Option<(KeyId, SecretString)>, StoreError> {
        if self.has_keys().await? {
            return Ok(None);
        }
        let (create, key) = Create::new(new, actor, now)?;
        let id = create.id;
        let is_first = self.inner.database.write(CreateFirst(create)).await?;
        Ok(is_first.then_some((id, key)))
    }

    /// Whether a key was ever made.
    pub async fn has_keys(&self) -> Result<bool, StoreError> {
        Ok(self.inner.database.read(AnyKey).await?)
    }

    /// Every key that was ever made, oldest first.
    pub async fn list_keys(&self) -> Result<Vec<KeyInfo>, StoreError> {
        Ok(self.inner.database.read(ListKeys).await?)
    }

    /// What was done to keys, oldest first.
    pub async fn list_key_events(&self) -> Result<Vec<KeyEvent>, StoreError> {
        Ok(self.inner.database.read(ListEvents).await?)
    }

    /// Has the key refused from now on, everywhere within five seconds. A key that was revoked before keeps that time.
    /// Returns what it is now; nothing where there is no such key.
    pub async fn revoke_key(&self, id: KeyId, actor: &str, now: Now) -> Result<Option<KeyInfo>, StoreError> {
        let revoked = self.inner.database.write(Revoke { id, actor: actor.to_owned(), now }).await?;
        self.inner.keys.forget(id);
        Ok(revoked)
    }

    /// Makes a key of the same name, scopes and lifetime; the old one is good until `until`, or its own earlier end, so
    /// that both are accepted while the new one is handed out. With the end of the old one. Nothing where there is no such key, or it is no longer accepted.
    pub async fn rotate_key(
        &self,
        id: KeyId,
        until: Timestamp,
        actor: &str,
        now: Now,
    ) -> Result<Option<(KeyId, SecretString, Timestamp)>, StoreError> {
        let (new_id, key) = format::generate().map_err(StoreError::Random)?;
        let hash = hash(key.expose_secret());
        let rotate = Rotate { id, until, new_id, hash, actor: actor.to_owned(), now };
        let rotated = self.inner.database.write(rotate).await?;
        Ok(rotated.map(|until| (new_id, key, until)))
    }
}

impl KeyInfo {
    /// Whether it is accepted at the moment.
    #[must_use]
    pub fn is_valid(&self, now: Now) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|expires_at| now.wall < expires_at)
    }
}

fn hash(key: &str) -> Hash {
    Sha256::digest(key).into()
}

fn key_info(row: Row<'_>) -> Result<KeyInfo, DatabaseError> {
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

/// Unix seconds as they are stored; one that is out of range, as nobody has stored it, becomes the last there is.
fn time(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX)
}
