//! What is read and written about API keys.

use std::io;

use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};

use super::format::{self, Hash, KeyId, hash};
use super::scopes::Scopes;
use crate::clock::Now;
use crate::model::draft::check_name;
use crate::store::job::{Query, Work};
use crate::store::value_row::{Connection, DatabaseError, Row, Value};
use crate::store::{StoreError, sql};

/// Stores a new key.
pub(super) struct Create {
    pub(super) id: KeyId,
    hash: Hash,
    new: NewKey,
    actor: String,
    now: Now,
}

impl Create {
    /// And the key itself, which is stored nowhere.
    pub(super) fn new(new: NewKey, actor: &str, now: Now) -> Result<(Self, SecretString), StoreError> {
        check_name(&new.name).map_err(StoreError::KeyName)?;
        let (id, key) = format::generate()?;
        Ok((Self { id, hash: hash(key.expose_secret()), new, actor: actor.to_owned(), now }, key))
    }
}

impl Work for Create {
    type Output = ();

    async fn run(&self, on: &Connection<'_>) -> Result<(), DatabaseError> {
        insert(on, self.id, &self.hash, &self.new, self.now).await?;
        note(on, "created", self.id, &self.actor, self.now).await
    }
}

/// As [`Create`], if no key was ever created, and after `hand_over` was done in the same transaction.
pub(super) struct CreateFirst<F> {
    pub(super) create: Create,
    pub(super) hand_over: F,
}

impl<F> Work for CreateFirst<F>
where
    F: Fn() -> io::Result<()> + Send + Sync + 'static,
{
    /// Whether it was; or why it could not be handed over, and is not stored.
    type Output = io::Result<bool>;

    async fn run(&self, on: &Connection<'_>) -> Result<io::Result<bool>, DatabaseError> {
        if !ANY_KEY.run(on).await?.is_empty() {
            return Ok(Ok(false));
        }
        if let Err(error) = (self.hand_over)() {
            return Ok(Err(error));
        }
        self.create.run(on).await?;
        Ok(Ok(true))
    }
}

/// A row where a key was ever made.
pub(super) const ANY_KEY: Query<()> = Query(sql::ANY_KEY, [], |_| Ok(()));

/// Gives a key another name, or without one revokes it.
pub(super) struct Change {
    pub(super) id: KeyId,
    pub(super) name: Option<String>,
    pub(super) actor: String,
    pub(super) now: Now,
}

impl Work for Change {
    type Output = Option<KeyInfo>;

    async fn run(&self, on: &Connection<'_>) -> Result<Option<KeyInfo>, DatabaseError> {
        let Self { id, name, actor, now } = self;
        let (sql, value, action) = match name {
            Some(name) => (sql::RENAME_KEY, Value::Text(name), "renamed"),
            None => (sql::REVOKE_KEY, Value::Int(now.wall.as_second()), "revoked"),
        };
        if on.execute(sql, &[value, Value::Text(id.as_str())]).await? > 0 {
            note(on, action, *id, actor, *now).await?;
        }
        show(on, *id).await
    }
}

/// Limits the old key and stores a new one like it.
pub(super) struct Rotate {
    pub(super) id: KeyId,
    pub(super) until: Timestamp,
    pub(super) new_id: KeyId,
    pub(super) hash: Hash,
    pub(super) actor: String,
    pub(super) now: Now,
}

impl Work for Rotate {
    /// Until when the old key is accepted; nothing where it was not any more.
    type Output = Option<Timestamp>;

    async fn run(&self, on: &Connection<'_>) -> Result<Option<Timestamp>, DatabaseError> {
        let Self { id, until, new_id, hash, actor, now } = self;
        let Some(old) = show(on, *id).await?.filter(|old| old.is_valid(*now)) else { return Ok(None) };
        let lifetime = old.expires_at.map(|expires_at| expires_at.duration_since(old.created_at));
        let expires_at = lifetime.and_then(|lifetime| now.wall.checked_add(lifetime).ok());
        on.execute(sql::LIMIT_KEY, &[Value::Int(until.as_second()), Value::Text(id.as_str())]).await?;
        note(on, "rotated", *id, actor, *now).await?;
        let new = NewKey { name: old.name, scopes: old.scopes, expires_at };
        insert(on, *new_id, hash, &new, *now).await?;
        note(on, "created", *new_id, actor, *now).await?;
        Ok(Some(old.expires_at.map_or(*until, |end| end.min(*until))))
    }
}

async fn insert(on: &Connection<'_>, id: KeyId, hash: &Hash, new: &NewKey, now: Now) -> Result<(), DatabaseError> {
    let NewKey { name, scopes, expires_at } = new;
    let scopes = scopes.to_string();
    let values = [
        Value::Text(id.as_str()),
        Value::Bytes(hash),
        Value::Text(name),
        Value::Text(&scopes),
        Value::Int(now.wall.as_second()),
        Value::int(expires_at.map(Timestamp::as_second)),
    ];
    on.execute(sql::ADD_KEY, &values).await.map(drop)
}

async fn note(on: &Connection<'_>, action: &str, id: KeyId, actor: &str, now: Now) -> Result<(), DatabaseError> {
    let at = Value::Int(now.wall.as_second());
    let values = [at, Value::Text(action), Value::Text(id.as_str()), Value::Text(actor)];
    on.execute(sql::ADD_KEY_EVENT, &values).await.map(drop)
}

async fn show(on: &Connection<'_>, id: KeyId) -> Result<Option<KeyInfo>, DatabaseError> {
    on.row(sql::SHOW_KEY, &[Value::Text(id.as_str())], key_info).await
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
    let at = |column| Ok::<_, DatabaseError>(row.int::<Option<i64>>(column)?.map(time));
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
