//! News of added pets, and the pets that were added after one.
//!
//! The table is the log: pets become visible in the order of their ids, so what follows an id is what was added since.

use std::future::pending;
use std::io;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::watch;
use tokio::time::sleep;

use super::job::{Heartbeat, Query, Work};
use super::keys::{KeyId, SESSION_KEY, SESSION_NAME};
use super::sqlite::LogWatch;
use super::value_row::{Connection, DatabaseError, Row, Value, pet};
use super::{Store, StoreError, StoreFailure, sql};
use crate::clock::{self, Now};
use crate::model::{AddedBy, Pet, PetId, Provenance};

/// A pet, and what was recorded when it was added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedPet {
    /// The pet.
    pub pet: Pet,
    /// When and by which key it was added.
    pub provenance: Provenance,
}

/// Waits for added pets.
#[derive(Debug)]
pub struct Additions {
    store: Store,
    signal: watch::Receiver<()>,
    log: Option<LogWatch>,
    heard: Instant,
}

/// How long a commit takes at most from the log to everybody's sight; how soon after it has reached the log to read; and how
/// often where the log tells of commits, in case one was seen still later.
const SETTLE: Duration = Duration::from_secs(10);
const SOON: Duration = Duration::from_millis(10);
const WATCHED_POLL: Duration = Duration::from_secs(600);

impl Additions {
    /// Returns when pets may have been added since the last call: this process has added some, the log of a file was written,
    /// or it is time to read what others have added.
    pub async fn changed(&mut self) {
        let since = clock::now().mono.duration_since(self.heard);
        let poll = match &self.log {
            None => self.store.inner.database.poll_interval(),
            Some(_) if since < SETTLE => since.max(SOON),
            Some(_) => WATCHED_POLL,
        };
        tokio::select! {
            () = sleep(poll) => {}
            Ok(()) = self.signal.changed() => {}
            written = written(self.log.as_mut()) => {
                self.heard = clock::now().mono;
                if written.is_err() {
                    self.log = None;
                }
            }
        }
    }
}

async fn written(log: Option<&mut LogWatch>) -> io::Result<()> {
    match log {
        Some(log) => log.changed().await,
        None => pending().await,
    }
}

impl Store {
    /// News of added pets, from now on. Not to be made in vain: Linux takes 15 ms to end a watch.
    pub fn additions(&self) -> Additions {
        let (database, heard) = (&self.inner.database, clock::now().mono);
        Additions { store: self.clone(), signal: database.additions(), log: database.log_watch(), heard }
    }

    /// At most `limit` pets with a greater id than `after`, in the order in which they were added.
    pub async fn added_after(&self, after: PetId, limit: u16) -> Result<Vec<AddedPet>, StoreError> {
        let added = || {
            let values = [Value::Int(after), Value::Int(limit.into())];
            let read = |row: Row<'_>| Ok(AddedPet { provenance: provenance(&row, 4)?, pet: pet(row)? });
            Query(sql::ADDED_AFTER, values, read)
        };
        let pets = self.inner.database.read(added()).await?;
        if pets.is_empty() {
            return Ok(pets);
        }
        Ok(self.confirmed(added()).await?.unwrap_or(pets))
    }

    /// The id of the pet that was added last; 0 if there is none.
    pub async fn last_id(&self) -> Result<PetId, StoreError> {
        self.last_id_up_to(PetId::MAX).await
    }

    /// The same of the pets with no greater id than `most`.
    pub async fn last_id_up_to(&self, most: PetId) -> Result<PetId, StoreError> {
        let last = || Query(sql::LAST_PET_UP_TO, [Value::Int(most)], |row| row.int(0));
        let seen = self.inner.database.read(last()).await?;
        let last = self.confirmed(last()).await?.unwrap_or(seen);
        Ok(last.first().copied().unwrap_or_default())
    }

    /// Where commits wait for standbys, not all that can be seen survives a failover, which gives its ids to other pets:
    /// someone may have cancelled the wait. There, this reads in a transaction whose commit waits for all before it; in a
    /// separate one, where it sees nothing that is taken back before the commit.
    async fn confirmed<W: Work>(&self, work: W) -> Result<Option<W::Output>, StoreFailure> {
        if !self.inner.database.is_replicated().await? {
            return Ok(None);
        }
        self.inner.database.write_apart(Confirmed(work, Heartbeat::new())).await.map(Some)
    }
}

/// What is read, and something that has to be committed.
struct Confirmed<W>(W, Heartbeat);

impl<W: Work> Work for Confirmed<W> {
    type Output = W::Output;

    async fn run(&self, on: &Connection<'_>) -> Result<W::Output, DatabaseError> {
        let output = self.0.run(on).await?;
        self.1.run(on).await?;
        Ok(output)
    }
}

/// What is recorded of an addition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// Unix seconds.
    at: i64,
    by: Option<KeyId>,
}

/// What is stored as the time that was not recorded.
const NO_TIME: i64 = 0;

impl Store {
    /// Whether to record, from now on, when and by which key pets are added. By default it is.
    pub fn set_provenance(&self, is_recorded: bool) {
        self.inner.is_provenance_recorded.store(is_recorded, Ordering::Relaxed);
    }

    /// When and by which key the pet of this id was added; `None` if there is no such pet.
    pub async fn provenance(&self, id: PetId) -> Result<Option<Provenance>, StoreError> {
        let find = Query(sql::PROVENANCE, [Value::Int(id)], |row| provenance(&row, 0));
        Ok(self.inner.database.read(find).await?.pop())
    }

    pub(super) fn origin(&self, by: Option<KeyId>, now: Now) -> Origin {
        if self.inner.is_provenance_recorded.load(Ordering::Relaxed) {
            Origin { at: now.wall.as_second(), by }
        } else {
            Origin { at: NO_TIME, by: None }
        }
    }
}

impl Origin {
    /// The time and the key.
    pub(super) fn values(&self) -> [Value<'_>; 2] {
        [Value::Int(self.at), Value::text(self.by.as_ref().map(KeyId::as_str))]
    }
}

/// The time, the id of the key and its name in three columns from `first` on.
pub(super) fn provenance(row: &Row<'_>, first: usize) -> Result<Provenance, DatabaseError> {
    let at = Some(row.int(first)?).filter(|at| *at != NO_TIME);
    let (key, name) = (row.optional_text(first + 1)?, row.optional_text(first + 2)?);
    let added_by = key.map(|key| {
        let name = name.or_else(|| (key == SESSION_KEY.as_str()).then_some(SESSION_NAME));
        AddedBy { key: key.to_owned(), name: name.map(str::to_owned) }
    });
    Ok(Provenance { added_at: at.and_then(|at| Timestamp::from_second(at).ok()), added_by })
}
