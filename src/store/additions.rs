//! News of added pets, and the pets that were added after one.
//!
//! The table is the log: pets become visible in the order of their ids, so what follows an id is what was added since.

use std::future::pending;
use std::io;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::time::sleep;

use super::job::{Heartbeat, Work};
use super::provenance::provenance;
use super::sqlite::LogWatch;
use super::value_row::{Connection, DatabaseError, Value, pet};
use super::{Store, StoreError, StoreFailure, sql};
use crate::clock;
use crate::model::{Pet, PetId, Provenance};

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
        let added = AddedAfter { after, limit };
        let pets = self.inner.database.read(added).await?;
        if pets.is_empty() {
            return Ok(pets);
        }
        Ok(self.confirmed(added).await?.unwrap_or(pets))
    }

    /// The id of the pet that was added last; 0 if there is none.
    pub async fn last_id(&self) -> Result<PetId, StoreError> {
        self.last_id_up_to(PetId::MAX).await
    }

    /// The same of the pets with no greater id than `most`.
    pub async fn last_id_up_to(&self, most: PetId) -> Result<PetId, StoreError> {
        let last = || LastUpTo(most);
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

struct LastUpTo(PetId);

impl Work for LastUpTo {
    type Output = Vec<PetId>;

    async fn run(&self, on: &Connection<'_>) -> Result<Vec<PetId>, DatabaseError> {
        on.rows(sql::LAST_PET_UP_TO, &[Value::Int(self.0)], |row| row.int(0)).await
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

#[derive(Clone, Copy)]
struct AddedAfter {
    after: PetId,
    limit: u16,
}

impl Work for AddedAfter {
    type Output = Vec<AddedPet>;

    async fn run(&self, on: &Connection<'_>) -> Result<Vec<AddedPet>, DatabaseError> {
        let values = [Value::Int(self.after), Value::Int(self.limit.into())];
        on.rows(sql::ADDED_AFTER, &values, |row| Ok(AddedPet { provenance: provenance(&row, 4)?, pet: pet(row)? }))
            .await
    }
}
