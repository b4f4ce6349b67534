//! The pets: listed, found and added.

use std::borrow::Cow;

use futures_util::future::try_join_all;

use super::additions::Origin;
use super::idempotency::{Age, CreateOutcome, Creation, Forget, Idempotency, RunningCreation};
use super::job::{Query, Work};
use super::keys::KeyId;
use super::value_row::{Connection, DatabaseError, Value, pet};
use super::{Store, StoreError, StoreFailure, sql};
use crate::clock::Now;
use crate::model::samples::sample;
use crate::model::{NewPet, ObservedStatus, Pet, PetId, PetQuery, PetStatus};

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
    pub async fn list(&self, query: &PetQuery) -> Result<PetPage, StoreError> {
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

    /// The pet of this id, if there is one.
    pub async fn get(&self, id: PetId) -> Result<Option<Pet>, StoreError> {
        Ok(self.inner.database.read(Query(sql::GET, [Value::Int(id)], pet)).await?.pop())
    }

    /// Adds a pet and returns it once it is on disk. A status that is not set becomes `available`, so that some
    /// filter finds every pet. The caller has checked the name.
    ///
    /// When this future is dropped, the pet is not added, unless its transaction is under way already.
    pub async fn add(&self, new: NewPet, now: Now) -> Result<Pet, StoreError> {
        self.add_by(new, None, now).await
    }

    /// As [`add`](Self::add), with the API key that asked for it.
    pub async fn add_by(&self, new: NewPet, key: Option<KeyId>, now: Now) -> Result<Pet, StoreError> {
        let pet = complete(new);
        let id = self.inner.database.write(Add { pet: pet.clone(), origin: self.origin(key, now) }).await?;
        Ok(Pet { id, ..pet })
    }

    /// As [`add`](Self::add), but only once for each `idempotency`: within 24 hours a repeat gives the pet that was
    /// added the first time, also after a restart and from another instance on the same database.
    pub async fn add_once(&self, new: NewPet, idempotency: Idempotency, now: Now) -> Result<CreateOutcome, StoreError> {
        let pet = complete(new);
        let origin = self.origin(Some(idempotency.api_key), now);
        let age = Age::new(self.inner.opened, now);
        let creation = Creation::new(idempotency, &pet, age);
        // Also where nothing can be written now, a repeat learns what became of the first. But where commits wait for
        // standbys, one whose wait was cancelled can be seen and still be lost: then the repeat has to commit, too.
        if let Some(earlier) = self.inner.database.read(creation.clone()).await? {
            let replay = earlier.replay(pet.clone());
            if replay.is_err() || !self.inner.database.is_replicated().await? {
                return replay;
            }
        }
        // Its job keeps it running until it is answered, which is after the commit.
        let running = self.inner.creations.begin(&creation)?;
        if running.is_turn_to_forget {
            self.inner.database.write_later(Forget(age));
        }
        let add = AddOnce { add: Add { pet: pet.clone(), origin }, creation: creation.clone(), _running: running };
        if let Some(id) = self.inner.database.write(add).await? {
            return Ok(CreateOutcome { pet: Pet { id, ..pet }, replayed: false });
        }
        // Another process was faster.
        let earlier = self.inner.database.read(creation).await?;
        earlier.ok_or(StoreFailure::from(DatabaseError::Vanished))?.replay(pet)
    }

    /// Adds `count` sample pets, the same ones each time.
    pub async fn insert_samples(&self, count: usize, now: Now) -> Result<(), StoreError> {
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
    const ADDS_PETS: bool = true;

    async fn run(&self, on: &Connection<'_>) -> Result<PetId, DatabaseError> {
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
    const ADDS_PETS: bool = true;

    async fn run(&self, on: &Connection<'_>) -> Result<Option<PetId>, DatabaseError> {
        let Self { add, creation, .. } = self;
        if let Connection::Postgres(session) = on {
            let values: Vec<_> = values(&add.pet, &add.origin).into_iter().chain(creation.values()).collect();
            return on.row(&session.with_turn(sql::ADD_ONCE_IN_TURN), &values, |row| row.int(0)).await;
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

    const ADDS_PETS: bool = true;

    async fn run(&self, on: &Connection<'_>) -> Result<(), DatabaseError> {
        try_join_all(self.pets.iter().map(|pet| add(on, pet, &self.origin))).await.map(drop)
    }
}

async fn add(on: &Connection<'_>, pet: &Pet, origin: &Origin) -> Result<PetId, DatabaseError> {
    let sql = match on {
        Connection::Sqlite(_) => Cow::from(sql::ADD),
        Connection::Postgres(session) => Cow::from(session.with_turn(sql::ADD_IN_TURN)),
    };
    on.row(&sql, &values(pet, origin), |row| row.int(0)).await?.ok_or(DatabaseError::Vanished)
}

/// What is stored of a pet, but for its id.
fn values<'a>(pet: &'a Pet, origin: &'a Origin) -> [Value<'a>; 5] {
    let status = pet.status.as_ref().map_or("", ObservedStatus::as_str);
    let [at, by] = origin.values();
    [Value::Text(&pet.name), Value::Int(pet.category_id), Value::Text(status), at, by]
}

/// What `new` becomes, but for its id.
fn complete(new: NewPet) -> Pet {
    let status = new.status.unwrap_or(PetStatus::Available);
    Pet { id: 0, name: new.name, category_id: new.category_id, status: Some(status.into()) }
}
