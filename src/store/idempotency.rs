//! Creations that happen once, however often they are asked for: `Idempotency-Key` (an addition to the description).
//!
//! The key is stored in the transaction of the animal, so that both are there or neither. What it stands for cannot
//! change later, so the id of the animal and a fingerprint of what was asked are enough to give the answer again.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::keys::KeyId;
use super::pets::Added;
use super::{StoreError, sql};
use crate::clock::Now;
use crate::model::{ObservedStatus, Pet, PetId};

/// What makes one creation the same as another: whose API key it came with, and the `Idempotency-Key`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Idempotency {
    /// Two holders of API keys cannot meet by chance, or learn of each other's animals.
    pub api_key: KeyId,
    /// Up to the client; at most 255 characters of ASCII, as the caller has checked.
    pub key: String,
}

impl Idempotency {
    /// How long a key is kept: 24 hours.
    pub const RETENTION: Duration = Duration::from_secs(24 * 60 * 60);
}

type Fingerprint = [u8; 32];

/// A creation as it is asked for now.
pub(super) struct Creation {
    idempotency: Idempotency,
    fingerprint: Fingerprint,
    /// Unix seconds.
    now: i64,
}

impl Creation {
    pub(super) fn new(idempotency: Idempotency, pet: &Pet, now: Now) -> Self {
        let status = pet.status.as_ref().map_or("", ObservedStatus::as_str);
        // No name contains a NUL.
        let fingerprint = Sha256::digest(format!("{}\0{}\0{status}", pet.name, pet.category_id)).into();
        Self { idempotency, fingerprint, now: now.wall.as_second() }
    }

    /// What an earlier one of the same key has done.
    pub(super) fn find(&self, connection: &Connection) -> rusqlite::Result<Option<Earlier>> {
        let Idempotency { api_key, key } = &self.idempotency;
        let earlier = |fingerprint: Fingerprint, pet_id| Earlier { same: fingerprint == self.fingerprint, pet_id };
        connection
            .prepare_cached(sql::FIND_CREATION)?
            .query_row(params![api_key, key, self.forgotten()], |row| Ok(earlier(row.get(0)?, row.get(1)?)))
            .optional()
    }

    /// Stores that it added the animal `pet_id`, and forgets some that are too old.
    pub(super) fn remember(&self, connection: &Connection, pet_id: PetId) -> rusqlite::Result<()> {
        let Idempotency { api_key, key } = &self.idempotency;
        connection.prepare_cached(sql::FORGET_CREATIONS)?.execute([self.forgotten()])?;
        let mut remember = connection.prepare_cached(sql::REMEMBER_CREATION)?;
        remember.execute(params![api_key, key, self.fingerprint, pet_id, self.now])?;
        Ok(())
    }

    /// Whatever was stored then or before counts no longer, in Unix seconds.
    fn forgotten(&self) -> i64 {
        self.now.saturating_sub_unsigned(Idempotency::RETENTION.as_secs())
    }
}

/// An earlier creation with the same key.
pub(super) struct Earlier {
    /// Whether it asked for the same.
    same: bool,
    pet_id: PetId,
}

impl Earlier {
    /// The answer to a repeat that asks for `pet`.
    pub(super) fn replay(self, pet: Pet) -> Result<Added, StoreError> {
        let replayed = Added { pet: Pet { id: self.pet_id, ..pet }, replayed: true };
        self.same.then_some(replayed).ok_or(StoreError::IdempotencyMismatch)
    }
}

/// The creations that are being written now.
#[derive(Clone, Debug, Default)]
pub(super) struct Running(Arc<Mutex<HashSet<Idempotency>>>);

/// One of them; ends when this is dropped.
pub(super) struct RunningCreation {
    idempotency: Idempotency,
    all: Running,
}

impl Running {
    /// An error while another one with the same key runs.
    pub(super) fn begin(&self, creation: &Creation) -> Result<RunningCreation, StoreError> {
        let idempotency = creation.idempotency.clone();
        let is_first = self.set().insert(idempotency.clone());
        let running = || RunningCreation { idempotency, all: self.clone() };
        is_first.then(running).ok_or(StoreError::IdempotencyInProgress)
    }

    fn set(&self) -> MutexGuard<'_, HashSet<Idempotency>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunningCreation {
    fn drop(&mut self) {
        self.all.set().remove(&self.idempotency);
    }
}
