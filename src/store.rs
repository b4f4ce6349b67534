//! The database: animals and API keys, behind one cheap handle.
//!
//! One writer task owns the only writing connection and commits what waits together in one transaction; readers work
//! beside it. The SQL keeps to the common ground of SQLite and PostgreSQL. This room knows nothing of HTTP, and takes
//! the time as a parameter.

mod error;
pub mod keys;
mod readers;
mod samples;
mod sqlite;
mod url;
mod writer;

use std::sync::Arc;

use crate::clock::Now;
use crate::model::{NewPet, ObservedStatus, Pet, PetId, PetQuery, PetStatus};

pub use self::error::{StoreError, Why};
pub use self::keys::KeyId;
pub use self::url::{DatabaseUrl, DatabaseUrlError};

use self::keys::KeyCache;
use self::readers::Readers;
use self::writer::{Write, Writer};

/// An open database. Cloning is cheap and shares it.
#[derive(Clone, Debug)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    readers: Readers,
    writer: Writer,
    keys: KeyCache,
}

/// One page of a list, in the order of the ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// At most as many as were asked for.
    pub pets: Vec<Pet>,
    /// Where there are more: the `after` of the next page.
    pub next: Option<PetId>,
}

/// A row of `pets` as it is read.
type PetRow = (PetId, String, i64, String);

const LIST: &str = "SELECT id, name, category_id, status FROM pets WHERE id > $1 ORDER BY id LIMIT $2";
const LIST_BY_STATUS: &str =
    "SELECT id, name, category_id, status FROM pets WHERE status = $3 AND id > $1 ORDER BY id LIMIT $2";
const GET: &str = "SELECT id, name, category_id, status FROM pets WHERE id = $1";

impl Store {
    /// Opens the database, creating and migrating it as needed. No row is counted or read, so that a large store opens
    /// as fast as an empty one. Needs a tokio runtime, which then drives the writer.
    ///
    /// A new file is readable by its owner only (0600, in a directory made with 0700).
    pub async fn open(url: &DatabaseUrl) -> Result<Self, StoreError> {
        let DatabaseUrl::Sqlite(path) = url;
        let (options, connection) = sqlite::open(path).await?;
        let readers = Readers::new(options);
        let writer = Writer::start(connection);
        Ok(Self { inner: Arc::new(Inner { readers, writer, keys: KeyCache::default() }) })
    }

    /// The animals that `query` asks for, by id, and where the next page begins. What was on one page never comes again
    /// on a later one, whatever is added meanwhile.
    pub async fn list(&self, query: &PetQuery) -> Result<Page, StoreError> {
        let limit = usize::from(query.limit.get());
        let after = query.after.unwrap_or(i64::MIN);
        let one_more = i64::from(query.limit.get()) + 1;
        let select = match query.status {
            None => sqlx::query_as(LIST).bind(after).bind(one_more),
            Some(status) => sqlx::query_as(LIST_BY_STATUS).bind(after).bind(one_more).bind(status.as_str()),
        };
        let mut reader = self.inner.readers.take().await?;
        let rows: Vec<PetRow> = select.fetch_all(&mut reader.connection).await?;
        self.inner.readers.put_back(reader);
        let more = rows.len() > limit;
        let pets: Vec<Pet> = rows.into_iter().take(limit).map(pet).collect();
        let next = pets.last().filter(|_| more).map(|last| last.id);
        Ok(Page { pets, next })
    }

    /// The animal of this id, if there is one.
    pub async fn get(&self, id: PetId) -> Result<Option<Pet>, StoreError> {
        let mut reader = self.inner.readers.take().await?;
        let row: Option<PetRow> = sqlx::query_as(GET).bind(id).fetch_optional(&mut reader.connection).await?;
        self.inner.readers.put_back(reader);
        Ok(row.map(pet))
    }

    /// Adds an animal and returns it once it is on disk. A status that is not set becomes `available`, so that some
    /// filter finds every animal. The caller has checked the name.
    ///
    /// When this future is dropped, the animal is not added, unless its transaction is under way already.
    pub async fn add(&self, new: NewPet, now: Now) -> Result<Pet, StoreError> {
        let status = new.status.unwrap_or(PetStatus::Available);
        let NewPet { name, category_id, .. } = new;
        let created_at = now.wall.as_second();
        let id = self.inner.writer.write(Write::Pet { name: name.clone(), category_id, status, created_at }).await?;
        Ok(Pet { id, name, category_id, status: Some(status.into()) })
    }

    /// Adds `count` sample animals in one transaction; the same ones each time.
    pub async fn insert_samples(&self, count: usize, now: Now) -> Result<(), StoreError> {
        self.inner.writer.write(Write::Samples { count, created_at: now.wall.as_second() }).await?;
        Ok(())
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        let mut reader = self.inner.readers.take().await?;
        sqlx::query("SELECT 1").execute(&mut reader.connection).await?;
        self.inner.readers.put_back(reader);
        Ok(())
    }

    /// Commits what waits, then closes every connection. Whatever is asked of any clone afterwards is refused.
    pub async fn close(&self) {
        self.inner.readers.close().await;
        // Last, so that SQLite can fold its write-ahead log into the file.
        self.inner.writer.close().await;
    }
}

fn pet((id, name, category_id, status): PetRow) -> Pet {
    let status = status.parse().map_or_else(|_| ObservedStatus::Unknown(status), ObservedStatus::Known);
    Pet { id, name, category_id, status: Some(status) }
}

#[cfg(test)]
mod tests;
