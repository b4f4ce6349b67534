//! API keys: made, kept as a hash, changed for new ones and revoked. Each change is noted with who made it, in the same
//! transaction.

mod check;
mod format;
mod scopes;

use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

use super::{Store, StoreError, sql};
use crate::clock::Now;
use crate::model::draft::check_name;

pub use self::check::Identity;
pub use self::format::{KeyId, NotAKeyId};
pub use self::scopes::{NotScopes, Scope, Scopes};

pub(super) use self::check::KeyCache;

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
        check_name(&new.name).map_err(StoreError::KeyName)?;
        let (id, key) = format::generate().map_err(StoreError::Random)?;
        let (hash, actor) = (hash(key.expose_secret()), actor.to_owned());
        let work = move |connection: &Connection| insert(connection, id, hash, &new, &actor, now);
        self.inner.database.write(work).await?;
        Ok((id, key))
    }

    /// As [`create_key`](Self::create_key), but only where no key was ever made.
    pub async fn create_first_key(
        &self,
        new: NewKey,
        actor: &str,
        now: Now,
    ) -> Result<Option<(KeyId, SecretString)>, StoreError> {
        check_name(&new.name).map_err(StoreError::KeyName)?;
        let any = |connection: &Connection| connection.prepare_cached(sql::ANY_KEY)?.exists([]);
        if self.inner.database.read(any).await? {
            return Ok(None);
        }
        let (id, key) = format::generate().map_err(StoreError::Random)?;
        let (hash, actor) = (hash(key.expose_secret()), actor.to_owned());
        let work = move |connection: &Connection| {
            let is_first = !any(connection)?;
            if is_first {
                insert(connection, id, hash, &new, &actor, now)?;
            }
            Ok(is_first)
        };
        let is_first = self.inner.database.write(work).await?;
        Ok(is_first.then_some((id, key)))
    }

    /// Every key that was ever made, oldest first.
    pub async fn list_keys(&self) -> Result<Vec<KeyInfo>, StoreError> {
        let list = |connection: &Connection| connection.prepare(sql::LIST_KEYS)?.query_map([], key_info)?.collect();
        Ok(self.inner.database.read(list).await?)
    }

    /// What was done to keys, oldest first.
    pub async fn list_key_events(&self) -> Result<Vec<KeyEvent>, StoreError> {
        let event = |row: &Row<'_>| {
            Ok(KeyEvent { at: time(row.get(0)?), action: row.get(1)?, key: row.get(2)?, actor: row.get(3)? })
        };
        let list = |connection: &Connection| connection.prepare(sql::LIST_KEY_EVENTS)?.query_map([], event)?.collect();
        Ok(self.inner.database.read(list).await?)
    }

    /// Has the key refused from now on, everywhere within five seconds. A key that was revoked before keeps that time.
    /// Returns what it is now; nothing where there is no such key.
    pub async fn revoke_key(&self, id: KeyId, actor: &str, now: Now) -> Result<Option<KeyInfo>, StoreError> {
        let actor = actor.to_owned();
        let work = move |connection: &Connection| {
            let changed = connection.execute(sql::REVOKE_KEY, params![now.wall.as_second(), id])?;
            if changed > 0 {
                note(connection, "revoked", id, &actor, now)?;
            }
            show(connection, id)
        };
        let revoked = self.inner.database.write(work).await?;
        self.inner.keys.forget(id);
        Ok(revoked)
    }

    /// Makes a key of the same name, scopes and lifetime; the old one is good for `overlap` still, so that both are
    /// accepted while the new one is handed out. Nothing where there is no such key, or it is no longer accepted.
    pub async fn rotate_key(
        &self,
        id: KeyId,
        overlap: Duration,
        actor: &str,
        now: Now,
    ) -> Result<Option<(KeyId, SecretString)>, StoreError> {
        let (new_id, key) = format::generate().map_err(StoreError::Random)?;
        let (hash, actor) = (hash(key.expose_secret()), actor.to_owned());
        let work = move |connection: &Connection| {
            let Some(old) = show(connection, id)?.filter(|old| old.is_valid(now)) else { return Ok(false) };
            let lifetime = old.expires_at.map(|expires_at| expires_at.duration_since(old.created_at));
            let expires_at = lifetime.and_then(|lifetime| now.wall.checked_add(lifetime).ok());
            let until = now.wall.as_second().saturating_add_unsigned(overlap.as_secs());
            connection.execute(sql::LIMIT_KEY, params![until, id])?;
            note(connection, "rotated", id, &actor, now)?;
            let new = NewKey { name: old.name, scopes: old.scopes, expires_at };
            insert(connection, new_id, hash, &new, &actor, now)?;
            Ok(true)
        };
        let rotated = self.inner.database.write(work).await?;
        Ok(rotated.then_some((new_id, key)))
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

fn insert(connection: &Connection, id: KeyId, hash: Hash, new: &NewKey, actor: &str, now: Now) -> rusqlite::Result<()> {
    let NewKey { name, scopes, expires_at } = new;
    let expires_at = expires_at.map(Timestamp::as_second);
    connection.execute(sql::ADD_KEY, params![id, hash, name, scopes, now.wall.as_second(), expires_at])?;
    note(connection, "created", id, actor, now)
}

fn note(connection: &Connection, action: &str, id: KeyId, actor: &str, now: Now) -> rusqlite::Result<()> {
    connection.execute(sql::ADD_KEY_EVENT, params![now.wall.as_second(), action, id, actor])?;
    Ok(())
}

fn show(connection: &Connection, id: KeyId) -> rusqlite::Result<Option<KeyInfo>> {
    connection.query_row(sql::SHOW_KEY, [id], key_info).optional()
}

fn key_info(row: &Row<'_>) -> rusqlite::Result<KeyInfo> {
    let at = |column| row.get::<_, Option<i64>>(column).map(|seconds| seconds.map(time));
    Ok(KeyInfo {
        id: row.get(0)?,
        name: row.get(1)?,
        scopes: row.get(2)?,
        created_at: time(row.get(3)?),
        expires_at: at(4)?,
        last_used_at: at(5)?,
        revoked_at: at(6)?,
    })
}

/// Unix seconds as they are stored; one that is out of range, as nobody has stored it, becomes the last there is.
fn time(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX)
}
