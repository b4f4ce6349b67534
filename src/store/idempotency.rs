//! Creations and changes that happen once, however often they are asked for: `Idempotency-Key` (an addition to the
//! description).
//!
//! The key is stored in the transaction of the pet, so that both are there or neither. What it stands for cannot
//! change later, so the id of the pet and a fingerprint of what was asked are enough to give the answer again.
//!
//! A key counts until it is forgotten, which no wrong clock brings about: on a server its own clock counts, and on
//! SQLite only time that has passed while the file was open.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use super::keys::KeyId;
use super::{Connection, DbResult, Result, Row, StoreError, Value, Work, sql};
use crate::clock::Now;
use crate::model::{Pet, PetId};

/// What makes one creation the same as another: whose API key it came with, and the `Idempotency-Key`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Idempotency {
    /// Two holders of API keys cannot meet by chance, or learn of each other's pets.
    pub api_key: KeyId,
    /// Up to the client; at most 255 characters of ASCII, as the caller has checked.
    pub key: String,
}

impl Idempotency {
    /// How long a key is kept at least: 24 hours.
    pub const RETENTION: Duration = Duration::from_secs(24 * 60 * 60);
}

/// What came of a creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateOutcome {
    /// The pet, on disk.
    pub pet: Pet,
    /// Whether an earlier request with the same Idempotency-Key had added it.
    pub replayed: bool,
}

/// After how many creations those are looked for that are past their time, and how many of these are forgotten then:
/// more than arrived, and few enough not to delay others.
const FORGOTTEN_EVERY: u64 = 64;
const FORGOTTEN_AT_ONCE: i64 = 256;

/// A creation or a change as it is asked for now.
#[derive(Clone)]
pub struct Creation {
    idempotency: Idempotency,
    fingerprint: [u8; 32],
    age: Age,
}

impl Creation {
    /// `what` it asks for, in words that differ from those of any other; the database was `opened` then.
    pub fn new(idempotency: Idempotency, what: &str, opened: Now, now: Now) -> Self {
        Self { idempotency, fingerprint: Sha256::digest(what).into(), age: Age::new(opened, now) }
    }

    /// Now it runs, unless another one with the same key does; and now and then, what deletes some that count no longer.
    pub fn begin(&self, all: &Running) -> Result<(RunningCreation, Option<Forget>)> {
        let (idempotency, all) = (self.idempotency.clone(), all.clone());
        if !all.now.lock().insert(idempotency.clone()) {
            return Err(StoreError::IdempotencyInProgress);
        }
        let is_turn = all.ever.fetch_add(1, Ordering::Relaxed).is_multiple_of(FORGOTTEN_EVERY);
        Ok((RunningCreation { idempotency, all }, is_turn.then_some(Forget(self.age))))
    }

    /// What is stored of a change that was refused: an earlier request may still be on its way through another instance, and
    /// must not be carried out after that.
    pub fn refusal(&self) -> Self {
        Self { fingerprint: self.fingerprint.map(|byte| !byte), ..self.clone() }
    }

    /// Stores that it added or changed the pet `pet_id`. Not where an earlier one counts, which may be of another process
    /// and committed only now: the primary key decides between the two.
    pub async fn remember(&self, on: &Connection<'_>, pet_id: PetId) -> DbResult<bool> {
        let [api_key, key, fingerprint] = self.values();
        let values = [api_key, key, fingerprint, Value::Int(pet_id), Value::Int(self.age.stored())];
        let written = match on {
            Connection::Sqlite(_) => on.execute(sql::REMEMBER_CREATION, &values).await?,
            Connection::Postgres(_) => on.execute(sql::REMEMBER_CREATION_AT_SERVER, &values[..4]).await?,
        };
        Ok(written > 0)
    }

    /// What is stored of it, but for the pet and the time.
    pub fn values(&self) -> [Value<'_>; 3] {
        let Idempotency { api_key, key } = &self.idempotency;
        [Value::Key(*api_key), Value::Text(key), Value::Bytes(&self.fingerprint)]
    }
}

/// The pet of an earlier one with the same key, and whether that was refused; an error if it asked for something else.
pub type Earlier = Result<(PetId, bool)>;

impl Work for Creation {
    type Output = Option<Earlier>;

    async fn run(&self, on: &Connection<'_>) -> DbResult<Option<Earlier>> {
        let [api_key, key, _] = self.values();
        let earlier = |row: Row<'_>| {
            let (id, kept) = (row.get(1)?, row.bytes(0)?);
            let is_refused = kept == self.refusal().fingerprint;
            let is_same = is_refused || kept == self.fingerprint;
            Ok(if is_same { Ok((id, is_refused)) } else { Err(StoreError::IdempotencyMismatch) })
        };
        Ok(on.rows(sql::FIND_CREATION, &[api_key, key], earlier).await?.pop())
    }
}

/// The time since a file was opened, unaffected by changes of the clock. What was stored before is at least as old.
#[derive(Clone, Copy, Debug)]
struct Age {
    opened: Timestamp,
    passed: Duration,
}

impl Age {
    fn new(opened: Now, now: Now) -> Self {
        Self { opened: opened.wall, passed: now.mono.saturating_duration_since(opened.mono) }
    }

    /// What is stored as the time of a key, in Unix seconds.
    fn stored(self) -> i64 {
        self.opened.as_second().saturating_add_unsigned(self.passed.as_secs())
    }

    /// What was stored then or before is past its time; nothing while anything may be younger than that.
    fn forgotten(self) -> Option<i64> {
        let passed = self.passed.checked_sub(Idempotency::RETENTION)?;
        Some(Self { passed, ..self }.stored())
    }
}

/// Deletes some that count no longer.
pub struct Forget(Age);

impl Work for Forget {
    type Output = ();

    const IS_ONE_STATEMENT: bool = true;

    async fn run(&self, on: &Connection<'_>) -> DbResult<()> {
        let retention = Idempotency::RETENTION.as_secs().cast_signed();
        let (sql, limit) = match (on, self.0.forgotten()) {
            (Connection::Sqlite(_), None) => return Ok(()),
            (Connection::Sqlite(_), Some(before)) => (sql::FORGET_CREATIONS, before),
            (Connection::Postgres(_), _) => (sql::FORGET_CREATIONS_AT_SERVER, retention),
        };
        on.execute(sql, &[Value::Int(limit), Value::Int(FORGOTTEN_AT_ONCE)]).await.map(drop)
    }
}

/// The creations that are being written now, in this process.
#[derive(Clone, Debug, Default)]
pub struct Running {
    now: Arc<Mutex<HashSet<Idempotency>>>,
    ever: Arc<AtomicU64>,
}

/// One of them; ends when this is dropped.
pub struct RunningCreation {
    idempotency: Idempotency,
    all: Running,
}

impl Drop for RunningCreation {
    fn drop(&mut self) {
        self.all.now.lock().remove(&self.idempotency);
    }
}
