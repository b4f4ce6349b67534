//! The animals: listed, found and added.

use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

use super::idempotency::{Creation, Idempotency};
use super::{Store, StoreError, sql};
use crate::clock::Now;
use crate::model::samples::sample;
use crate::model::{NewPet, ObservedStatus, Pet, PetId, PetQuery, PetStatus};

/// Sample animals in one transaction: enough to be fast, few enough to keep others waiting for some milliseconds only.
const SAMPLES_AT_ONCE: usize = 1000;

/// One page of a list, in the order of the ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// At most as many as were asked for.
    pub pets: Vec<Pet>,
    /// Where there are more: the `after` of the next page.
    pub next: Option<PetId>,
}

/// What came of a creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// The animal, on disk.
    pub pet: Pet,
    /// Whether an earlier request with the same Idempotency-Key had added it.
    pub replayed: bool,
}

impl Store {
    /// The animals that `query` asks for, by id, and where the next page begins. What was on one page never comes again
    /// on a later one, whatever is added meanwhile.
    pub async fn list(&self, query: &PetQuery) -> Result<Page, StoreError> {
        let limit = usize::from(query.limit.get());
        let mut pets = self.inner.database.read(|connection| list_one_more(connection, query)).await?;
        let more = pets.len() > limit;
        pets.truncate(limit);
        let next = pets.last().filter(|_| more).map(|last| last.id);
        Ok(Page { pets, next })
    }

    /// The animal of this id, if there is one.
    pub async fn get(&self, id: PetId) -> Result<Option<Pet>, StoreError> {
        let get = |connection: &Connection| connection.prepare_cached(sql::GET)?.query_row([id], pet).optional();
        Ok(self.inner.database.read(get).await?)
    }

    /// Adds an animal and returns it once it is on disk. A status that is not set becomes `available`, so that some
    /// filter finds every animal. The caller has checked the name.
    ///
    /// When this future is dropped, the animal is not added, unless its transaction is under way already.
    pub async fn add(&self, new: NewPet, now: Now) -> Result<Pet, StoreError> {
        let pet = complete(new);
        let work = {
            let pet = pet.clone();
            move |connection: &Connection| insert(&mut connection.prepare_cached(sql::ADD)?, &pet, now)
        };
        let id = self.inner.database.write(work).await?;
        Ok(Pet { id, ..pet })
    }

    /// As [`add`](Self::add), but only once for each `idempotency`: within 24 hours a repeat gives the animal that was
    /// added the first time, also after a restart.
    pub async fn add_once(&self, new: NewPet, idempotency: Idempotency, now: Now) -> Result<Added, StoreError> {
        let pet = complete(new);
        let creation = Creation::new(idempotency, &pet, now);
        // Also where nothing can be written now, a repeat learns what became of the first.
        if let Some(earlier) = self.inner.database.read(|connection| creation.find(connection)).await? {
            return earlier.replay(pet);
        }
        let running = self.inner.creations.begin(&creation)?;
        let work = {
            let pet = pet.clone();
            move |connection: &Connection| {
                // Another process may have been faster.
                let added = match creation.find(connection)? {
                    Some(earlier) => Err(earlier),
                    None => {
                        let id = insert(&mut connection.prepare_cached(sql::ADD)?, &pet, now)?;
                        creation.remember(connection, id)?;
                        Ok(id)
                    }
                };
                // The creation runs until this is answered, which is after the commit.
                Ok((added, running))
            }
        };
        let (added, _running) = self.inner.database.write(work).await?;
        match added {
            Ok(id) => Ok(Added { pet: Pet { id, ..pet }, replayed: false }),
            Err(earlier) => earlier.replay(pet),
        }
    }

    /// Adds `count` sample animals, the same ones each time.
    pub async fn insert_samples(&self, count: usize, now: Now) -> Result<(), StoreError> {
        for first in (0..count).step_by(SAMPLES_AT_ONCE) {
            let work = move |connection: &Connection| {
                let mut add = connection.prepare_cached(sql::ADD)?;
                (first..count.min(first + SAMPLES_AT_ONCE))
                    .try_for_each(|number| insert(&mut add, &complete(sample(number)), now).map(drop))
            };
            self.inner.database.write(work).await?;
        }
        Ok(())
    }
}

/// What `new` becomes, but for its id.
fn complete(new: NewPet) -> Pet {
    let status = new.status.unwrap_or(PetStatus::Available);
    Pet { id: 0, name: new.name, category_id: new.category_id, status: Some(status.into()) }
}

fn insert(add: &mut CachedStatement<'_>, pet: &Pet, now: Now) -> rusqlite::Result<PetId> {
    let status = pet.status.as_ref().map(ObservedStatus::as_str);
    add.query_row(params![pet.name, pet.category_id, status, now.wall.as_second()], |row| row.get(0))
}

/// With one animal more than asked for, where there is one.
fn list_one_more(connection: &Connection, query: &PetQuery) -> rusqlite::Result<Vec<Pet>> {
    let after = query.after.unwrap_or(PetId::MIN);
    let limit = i64::from(query.limit.get()) + 1;
    let mut statement;
    let mut rows = match query.status {
        None => {
            statement = connection.prepare_cached(sql::LIST)?;
            statement.query([after, limit])?
        }
        Some(status) => {
            statement = connection.prepare_cached(sql::LIST_BY_STATUS)?;
            statement.query(params![status.as_str(), after, limit])?
        }
    };
    let mut pets = Vec::with_capacity(usize::from(query.limit.get()) + 1);
    while let Some(row) = rows.next()? {
        pets.push(pet(row)?);
    }
    Ok(pets)
}

pub(super) fn pet(row: &Row<'_>) -> rusqlite::Result<Pet> {
    let status = row.get_ref(3)?.as_str()?;
    let status = status.parse().map_or_else(|_| ObservedStatus::Unknown(status.to_owned()), ObservedStatus::Known);
    Ok(Pet { id: row.get(0)?, name: row.get(1)?, category_id: row.get(2)?, status: Some(status) })
}
