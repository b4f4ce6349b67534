//! API keys: made, kept as a hash, changed for new ones and revoked. Each change is noted with who made it, in the same
//! transaction.
//!
//! A key is found by its public id and compared by the SHA-256 of the whole of it, in constant time. What was read of
//! a key is believed for a few seconds, so that a check costs no query; a revocation takes effect after that time.

mod format;

use std::io;

use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

pub(super) use self::format::{KeyCache, SESSION as SESSION_KEY, SESSION_NAME};
pub use self::format::{KeyId, NotAKeyId, NotScopes, Scope, Scopes};

use self::format::{Hash, Known, generate, hash, id_of, with_id};
use super::job::DatabaseError;
use super::{Connection, DbResult, Query, Result, Row, Store, StoreError, Value, Work, sql};
use crate::clock::Now;
use crate::model::draft::check_name;

impl Store {
    /// Makes a key, stores its hash, and returns the key, which cannot be had again. `actor` is who asked for it.
    pub async fn create_key(&self, new: NewKey, actor: &str, now: Now) -> Result<(KeyId, SecretString)> {
        let (create, key) = Create::new(new, actor, now)?;
        let id = create.id;
        self.inner.database.write(create).await?.map_err(StoreError::HandOver)?;
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
    ) -> Result<bool> {
        if !self.inner.database.read(ANY_KEY).await?.is_empty() {
            return Ok(false);
        }
        let (create, key) = Create::new(new, actor, now)?;
        let first = Create { hand_over: Some(Box::new(move || hand_over(&key))), ..create };
        self.inner.database.write(first).await?.map_err(StoreError::HandOver)
    }

    /// Every key that was ever made, oldest first.
    pub async fn list_keys(&self) -> Result<Vec<KeyInfo>> {
        Ok(self.inner.database.read(Query(sql::LIST_KEYS, [], key_info)).await?)
    }

    /// Revokes the key, everywhere within five seconds. A key that was revoked before keeps that time. Returns the key;
    /// `None` if it does not exist.
    pub async fn revoke_key(&self, id: KeyId, actor: &str, now: Now) -> Result<Option<KeyInfo>> {
        let revoked = self.inner.database.write(Change { id, name: None, actor: actor.to_owned(), now }).await?;
        // It is read again at its next use.
        self.inner.keys.lock().remove(&id);
        Ok(revoked)
    }

    /// Gives the key another name, also for the pets that it has added. Returns the key; `None` if it does not exist.
    pub async fn rename_key(&self, id: KeyId, name: String, actor: &str, now: Now) -> Result<Option<KeyInfo>> {
        check_key_name(&name)?;
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
    ) -> Result<Option<(KeyId, SecretString, Timestamp)>> {
        let (new_id, key) = generate()?;
        let hash = hash(key.expose_secret());
        let rotate = Rotate { id, until, new_id, hash, actor: actor.to_owned(), now };
        let rotated = self.inner.database.write(rotate).await?;
        Ok(rotated.map(|until| (new_id, key, until)))
    }
}

/// The rules are those for names of pets.
fn check_key_name(name: &str) -> Result<()> {
    check_name(name).map_err(|error| StoreError::new(error.to_string()))
}

/// Stores a new key.
struct Create {
    id: KeyId,
    hash: Hash,
    new: NewKey,
    actor: String,
    now: Now,
    /// Only where no key was ever made, and after this was done in the same transaction.
    hand_over: Option<Box<dyn Fn() -> io::Result<()> + Send + Sync>>,
}

impl Create {
    /// And the key itself, which is stored nowhere.
    fn new(new: NewKey, actor: &str, now: Now) -> Result<(Self, SecretString)> {
        check_key_name(&new.name)?;
        let (id, key) = generate()?;
        let hash = hash(key.expose_secret());
        Ok((Self { id, hash, new, actor: actor.to_owned(), now, hand_over: None }, key))
    }
}

impl Work for Create {
    /// Whether it was stored; or why it could not be handed over, and is not stored.
    type Output = io::Result<bool>;

    async fn run(&self, on: &Connection<'_>) -> DbResult<io::Result<bool>> {
        if let Some(hand_over) = &self.hand_over {
            if !ANY_KEY.run(on).await?.is_empty() {
                return Ok(Ok(false));
            }
            if let Err(error) = hand_over() {
                return Ok(Err(error));
            }
        }
        insert(on, self.id, &self.hash, &self.new, self.now).await?;
        note(on, "created", self.id, &self.actor, self.now).await?;
        Ok(Ok(true))
    }
}

/// A row where a key was ever made.
const ANY_KEY: Query<()> = Query(sql::ANY_KEY, [], |_| Ok(()));

/// Gives a key another name, or without one revokes it.
struct Change {
    id: KeyId,
    name: Option<String>,
    actor: String,
    now: Now,
}

impl Work for Change {
    type Output = Option<KeyInfo>;

    async fn run(&self, on: &Connection<'_>) -> DbResult<Option<KeyInfo>> {
        let Self { id, name, actor, now } = self;
        let (sql, value, action) = match name {
            Some(name) => (sql::RENAME_KEY, Value::Text(name), "renamed"),
            None => (sql::REVOKE_KEY, Value::Int(now.wall.as_second()), "revoked"),
        };
        if on.execute(sql, &[value, Value::Key(*id)]).await? > 0 {
            note(on, action, *id, actor, *now).await?;
        }
        show(on, *id).await
    }
}

/// Limits the old key and stores a new one like it.
struct Rotate {
    id: KeyId,
    until: Timestamp,
    new_id: KeyId,
    hash: Hash,
    actor: String,
    now: Now,
}

impl Work for Rotate {
    /// Until when the old key is accepted; nothing where it was not any more.
    type Output = Option<Timestamp>;

    async fn run(&self, on: &Connection<'_>) -> DbResult<Option<Timestamp>> {
        let Self { id, until, new_id, hash, actor, now } = self;
        let Some(old) = show(on, *id).await?.filter(|old| old.is_valid(*now)) else { return Ok(None) };
        let lifetime = old.expires_at.map(|expires_at| expires_at.duration_since(old.created_at));
        let expires_at = lifetime.and_then(|lifetime| now.wall.checked_add(lifetime).ok());
        on.execute(sql::LIMIT_KEY, &[Value::Int(until.as_second()), Value::Key(*id)]).await?;
        note(on, "rotated", *id, actor, *now).await?;
        let new = NewKey { name: old.name, scopes: old.scopes, expires_at };
        insert(on, *new_id, hash, &new, *now).await?;
        note(on, "created", *new_id, actor, *now).await?;
        Ok(Some(old.expires_at.map_or(*until, |end| end.min(*until))))
    }
}

async fn insert(on: &Connection<'_>, id: KeyId, hash: &Hash, new: &NewKey, now: Now) -> DbResult<()> {
    let NewKey { name, scopes, expires_at } = new;
    let scopes = scopes.to_string();
    let values = [
        Value::Key(id),
        Value::Bytes(hash),
        Value::Text(name),
        Value::Text(&scopes),
        Value::Int(now.wall.as_second()),
        Value::int(expires_at.map(Timestamp::as_second)),
    ];
    on.execute(sql::ADD_KEY, &values).await.map(drop)
}

async fn note(on: &Connection<'_>, action: &str, id: KeyId, actor: &str, now: Now) -> DbResult<()> {
    let at = Value::Int(now.wall.as_second());
    let values = [at, Value::Text(action), Value::Key(id), Value::Text(actor)];
    on.execute(sql::ADD_KEY_EVENT, &values).await.map(drop)
}

async fn show(on: &Connection<'_>, id: KeyId) -> DbResult<Option<KeyInfo>> {
    Ok(on.rows(sql::SHOW_KEY, &[Value::Key(id)], key_info).await?.pop())
}

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

impl KeyInfo {
    /// Whether it is accepted at the moment.
    pub fn is_valid(&self, now: Now) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|expires_at| now.wall < expires_at)
    }
}

fn key_info(row: Row<'_>) -> DbResult<KeyInfo> {
    let at = |column| Ok::<_, DatabaseError>(row.get::<Option<i64>>(column)?.map(time));
    Ok(KeyInfo {
        id: row.parsed(0)?,
        name: row.text(1)?.to_owned(),
        scopes: row.parsed(2)?,
        created_at: time(row.get(3)?),
        expires_at: at(4)?,
        last_used_at: at(5)?,
        revoked_at: at(6)?,
    })
}

/// Stored Unix seconds; out of range, which is never stored, the last timestamp.
fn time(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX)
}

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
    pub fn session_key(&self) -> Result<SecretString> {
        let key = with_id(SESSION_KEY)?;
        let (hash, scopes) = (hash(key.expose_secret()), Scopes::SESSION);
        let known = Known { hash, scopes, expires_at: None, revoked: false, last_used_at: None, read_at: None };
        self.inner.keys.lock().insert(SESSION_KEY, known);
        Ok(key)
    }

    /// Whose key `presented` is, if that is one that is valid now. Whatever is wrong with it makes no difference.
    pub async fn verify_key(&self, presented: &str, now: Now) -> Result<Option<Identity>> {
        self.watch_clock(now);
        let Some(key) = id_of(presented) else { return Ok(None) };
        let Some(known) = self.known_key(key, now).await? else { return Ok(None) };
        let same: bool = known.hash.ct_eq(&hash(presented)).into();
        if !same || !known.is_valid(now) {
            return Ok(None);
        }
        self.note_use(key, known, now);
        Ok(Some(Identity { key, scopes: known.scopes }))
    }

    /// Whether a key that was accepted before still is.
    pub async fn is_valid_key(&self, key: KeyId, now: Now) -> Result<bool> {
        Ok(self.known_key(key, now).await?.is_some_and(|known| known.is_valid(now)))
    }

    async fn known_key(&self, id: KeyId, now: Now) -> Result<Option<Known>> {
        let cached = self.inner.keys.lock().get(&id).copied();
        if let Some(known) = cached.filter(|known| known.is_fresh(now)) {
            return Ok(Some(known));
        }
        let mut known = self.inner.database.read(Query(sql::FIND_KEY, [Value::Key(id)], known)).await?.pop();
        let mut map = self.inner.keys.lock();
        match &mut known {
            // A use that was noted may not be stored yet.
            Some(known) => {
                known.read_at = Some(now.mono);
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
        self.inner.database.write_later(Query(sql::USE_KEY, [Value::Int(at), Value::Key(id)], |_| Ok(())));
    }
}

fn known(row: Row<'_>) -> DbResult<Known> {
    Ok(Known {
        hash: row.bytes(0)?,
        scopes: row.parsed(1)?,
        expires_at: row.get(2)?,
        revoked: row.get::<Option<i64>>(3)?.is_some(),
        last_used_at: row.get(4)?,
        read_at: None,
    })
}
