//! The pets: listed, found and added, and news of those that others add.
//!
//! The table is the log: pets become visible in the order of their ids, so what follows an id is what was added since.

use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::{OptionFuture, try_join_all};
use jiff::Timestamp;
use tokio::sync::watch;
use tokio::time::sleep;

use super::idempotency::{CreateOutcome, Creation, Idempotency, RunningCreation};
use super::job::{DatabaseError, pet};
use super::keys::{KeyId, SESSION_KEY, SESSION_NAME};
use super::sqlite::LogWatch;
use super::{Connection, DbResult, Query, Result, Row, Store, StoreFailure, Value, Work, sql};
use crate::clock::{self, Now};
use crate::model::{AddedBy, NewPet, Pet, PetId, PetQuery, PetStatus, Provenance, sample};

/// Sample pets in one transaction: enough to be fast, few enough to keep others waiting for some milliseconds only.
const SAMPLES_AT_ONCE: usize = 1000;

/// One page of a list, in the order that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PetPage {
    /// At most as many as were asked for.
    pub pets: Vec<Pet>,
    /// Where there are more: the `after` of the next page.
    pub next: Option<PetId>,
}

impl Store {
    /// The pets that `query` asks for, and where the next page begins. What was on one page never comes again
    /// on a later one, whatever is added meanwhile.
    pub async fn list(&self, query: &PetQuery) -> Result<PetPage> {
        let limit = usize::from(query.limit.get());
        // One more than asked for, to know whether there are more.
        let most = Value::Int(i64::from(query.limit.get()) + 1);
        let (all, by_status, id) = if query.newest_first {
            let last = query.after.map_or(PetId::MAX, |before| before.saturating_sub(1));
            (sql::LIST_NEWEST, sql::LIST_NEWEST_BY_STATUS, last)
        } else {
            (sql::LIST, sql::LIST_BY_STATUS, query.after.unwrap_or(PetId::MIN))
        };
        let (id, database) = (Value::Int(id), &self.inner.database);
        let mut pets = match query.status.map(PetStatus::as_str).map(Value::Text) {
            None => database.read(Query(all, [id, most], pet)).await?,
            Some(status) => database.read(Query(by_status, [status, id, most], pet)).await?,
        };
        let more = pets.len() > limit;
        pets.truncate(limit);
        let next = pets.last().filter(|_| more).map(|last| last.id);
        Ok(PetPage { pets, next })
    }

    /// How many pets there are, in all or with `status`.
    pub async fn count(&self, status: Option<PetStatus>) -> Result<i64> {
        let database = &self.inner.database;
        let counted = match status.map(PetStatus::as_str).map(Value::Text) {
            None => database.read(Query(sql::COUNT, [], |row| row.get(0))).await?,
            Some(status) => database.read(Query(sql::COUNT_BY_STATUS, [status], |row| row.get(0))).await?,
        };
        Ok(counted.first().copied().unwrap_or_default())
    }

    /// The pet of this id, if there is one.
    pub async fn get(&self, id: PetId) -> Result<Option<Pet>> {
        Ok(self.inner.database.read(Query(sql::GET, [Value::Int(id)], pet)).await?.pop())
    }

    /// Adds a pet and returns it once it is on disk. A status that is not set becomes `available`, so that some
    /// filter finds every pet. The caller has checked the name.
    ///
    /// When this future is dropped, the pet is not added, unless its transaction is under way already.
    pub async fn add(&self, new: NewPet, now: Now) -> Result<Pet> {
        self.add_by(new, None, now).await
    }

    /// As [`add`](Self::add), with the API key that asked for it.
    pub async fn add_by(&self, new: NewPet, key: Option<KeyId>, now: Now) -> Result<Pet> {
        let pet = complete(new);
        let id = self.inner.database.write(Add { pet: pet.clone(), origin: self.origin(key, now) }).await?;
        Ok(Pet { id, ..pet })
    }

    /// As [`add`](Self::add), but only once for each `idempotency`: within 24 hours a repeat gives the pet that was
    /// added the first time, also after a restart and from another instance on the same database.
    pub async fn add_once(&self, new: NewPet, idempotency: Idempotency, now: Now) -> Result<CreateOutcome> {
        let (pet, database) = (complete(new), &self.inner.database);
        let origin = self.origin(Some(idempotency.api_key), now);
        // No name contains a NUL.
        let what = format!("{}\0{}\0{}", pet.name, pet.category_id, pet.status_word());
        let creation = Creation::new(idempotency, &what, self.inner.opened, now);
        let outcome = |id, replayed| CreateOutcome { pet: Pet { id, ..pet.clone() }, replayed };
        // Also where nothing can be written now, a repeat learns what became of the first. But where commits wait for
        // standbys, one whose wait was cancelled can be seen and still be lost: then the repeat has to commit, too.
        if let Some(earlier) = database.read(creation.clone()).await? {
            let (id, _) = earlier?;
            if !database.is_replicated().await? {
                return Ok(outcome(id, true));
            }
        }
        // Its job keeps it running until it is answered, which is after the commit.
        let _running = self.begin(&creation)?;
        let add = AddOnce { add: Add { pet: pet.clone(), origin }, creation: creation.clone(), _running };
        if let Some(id) = database.write(add).await? {
            return Ok(outcome(id, false));
        }
        // Another process was faster.
        let earlier = database.read(creation).await?.ok_or(StoreFailure::from(DatabaseError::Vanished))?;
        earlier.map(|(id, _)| outcome(id, true))
    }

    /// The creation runs until this is dropped, unless another one with the same key does.
    pub(super) fn begin(&self, creation: &Creation) -> Result<RunningCreation> {
        let (running, forget) = creation.begin(&self.inner.creations)?;
        forget.into_iter().for_each(|forget| self.inner.database.write_later(forget));
        Ok(running)
    }

    /// Adds `count` sample pets, the same ones each time.
    pub async fn insert_samples(&self, count: usize, now: Now) -> Result<()> {
        for first in (0..count).step_by(SAMPLES_AT_ONCE) {
            let pets = (first..count.min(first + SAMPLES_AT_ONCE)).map(|number| complete(sample(number)));
            self.inner.database.write(AddAll { pets: pets.collect(), origin: self.origin(None, now) }).await?;
        }
        Ok(())
    }
}

struct Add {
    pet: Pet,
    origin: Origin,
}

impl Work for Add {
    type Output = PetId;

    const IS_ONE_STATEMENT: bool = true;
    const WRITES_PETS: bool = true;

    async fn run(&self, on: &Connection<'_>) -> DbResult<PetId> {
        add(on, &self.pet, &self.origin).await
    }
}

struct AddOnce {
    add: Add,
    creation: Creation,
    _running: RunningCreation,
}

impl Work for AddOnce {
    /// The pet's id; nothing where an earlier one with the same key counts.
    type Output = Option<PetId>;

    const IS_ONE_STATEMENT: bool = true;
    const WRITES_PETS: bool = true;

    async fn run(&self, on: &Connection<'_>) -> DbResult<Option<PetId>> {
        let Self { add, creation, .. } = self;
        if let Connection::Postgres(session) = on {
            let values = values(&add.pet).into_iter().chain(add.origin.values()).chain(creation.values());
            let (sql, values) = (session.with_turn(sql::ADD_ONCE_IN_TURN), Vec::from_iter(values));
            return Ok(on.rows(&sql, &values, |row| row.get(0)).await?.pop());
        }
        let id = add.run(on).await?;
        if creation.remember(on, id).await? {
            return Ok(Some(id));
        }
        on.execute(sql::TAKE_BACK, &[Value::Int(id)]).await?;
        Ok(None)
    }
}

struct AddAll {
    pets: Vec<Pet>,
    origin: Origin,
}

impl Work for AddAll {
    type Output = ();

    const WRITES_PETS: bool = true;

    async fn run(&self, on: &Connection<'_>) -> DbResult<()> {
        try_join_all(self.pets.iter().map(|pet| add(on, pet, &self.origin))).await.map(drop)
    }
}

async fn add(on: &Connection<'_>, pet: &Pet, origin: &Origin) -> DbResult<PetId> {
    let sql = match on {
        Connection::Sqlite(_) => Cow::from(sql::ADD),
        Connection::Postgres(session) => Cow::from(session.with_turn(sql::ADD_IN_TURN)),
    };
    let ([name, category, status], [at, by]) = (values(pet), origin.values());
    on.rows(&sql, &[name, category, status, at, by], |row| row.get(0)).await?.pop().ok_or(DatabaseError::Vanished)
}

/// What is stored of a pet, but for its id and its origin.
pub fn values(pet: &Pet) -> [Value<'_>; 3] {
    [Value::Text(&pet.name), Value::Int(pet.category_id), Value::Text(pet.status_word())]
}

/// What `new` becomes, but for its id.
fn complete(new: NewPet) -> Pet {
    let status = new.status.unwrap_or(PetStatus::Available);
    Pet { id: 0, name: new.name, category_id: new.category_id, status: Some(status.into()) }
}

/// A pet, and what was recorded when it was added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedPet {
    /// The pet.
    pub pet: Pet,
    /// When and by which key it was added.
    pub provenance: Provenance,
}

/// Waits for added and changed pets.
pub struct Additions {
    signal: watch::Receiver<()>,
    poll: Duration,
    log: Option<LogWatch>,
    heard: Instant,
}

/// How long a commit takes at most from the log to everybody's sight; how soon after it has reached the log to read; and how
/// often where the log tells of commits, in case one was seen still later.
const VISIBLE_WITHIN: Duration = Duration::from_secs(10);
const SOON: Duration = Duration::from_millis(10);
const WATCHED_POLL: Duration = Duration::from_secs(600);

impl Additions {
    /// Returns when pets may have been added or changed since the last call: this process has done so, the log of a file was
    /// written, or it is time to read what others have done.
    pub async fn changed(&mut self) {
        let since = clock::now().mono.duration_since(self.heard);
        let poll = match &self.log {
            None => self.poll,
            Some(_) if since < VISIBLE_WITHIN => since.max(SOON),
            Some(_) => WATCHED_POLL,
        };
        tokio::select! {
            () = sleep(poll) => {}
            Ok(()) = self.signal.changed() => {}
            written = OptionFuture::from(self.log.as_mut().map(StreamExt::next)), if self.log.is_some() => {
                self.heard = clock::now().mono;
                self.log.take_if(|_| !matches!(written, Some(Some(Ok(())))));
            }
        }
    }
}

impl Store {
    /// News of added pets, from now on. Not to be made in vain: Linux takes 15 ms to end a watch.
    pub fn additions(&self) -> Additions {
        let (signal, poll, log) = self.inner.database.news();
        Additions { signal, poll, log, heard: clock::now().mono }
    }
}

/// What is recorded of an addition.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
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

    /// When and by which key the pet of this id was added; `None` if no pet has this id.
    pub async fn provenance(&self, id: PetId) -> Result<Option<Provenance>> {
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
    pub fn values(&self) -> [Value<'_>; 2] {
        [Value::Int(self.at), self.by.map_or(Value::Null, Value::Key)]
    }
}

/// The time, the id of the key and its name in three columns from `first` on.
pub fn provenance(row: &Row<'_>, first: usize) -> DbResult<Provenance> {
    let at = Some(row.get(first)?).filter(|at| *at != NO_TIME);
    let (key, name) = (row.get::<Option<String>>(first + 1)?, row.get::<Option<String>>(first + 2)?);
    let added_by = key.map(|key| {
        let name = name.or_else(|| (key == SESSION_KEY.as_str()).then(|| SESSION_NAME.to_owned()));
        AddedBy { key, name }
    });
    Ok(Provenance { added_at: at.and_then(|at| Timestamp::from_second(at).ok()), added_by })
}
