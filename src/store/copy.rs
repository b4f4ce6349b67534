//! A whole store from one database to another: pets with their ids, API keys, what was done to them, and the
//! Idempotency-Keys.
//!
//! The source is read as it is at one moment. Pets go over in the order of their ids, many in one transaction, so
//! that what is there after an interruption is a beginning; the next copy finds out whether it really is one, and goes
//! on behind it. At the end every row of the target is compared with the source; until then a mark keeps others from using
//! it.

mod checksum;
mod source;
mod tables;

use std::os::unix::fs::MetadataExt as _;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::try_join_all;
use tokio_util::sync::CancellationToken;

use self::checksum::Sum;
use self::source::Source;
use self::tables::{OTHERS, PETS, Record, Table};
use super::database::Database;
use super::job::{Query, Work};
use super::purpose::{Purpose, UNFINISHED};
use super::value_row::{Connection, DatabaseError, Value};
use super::{DatabaseUrl, StoreError, StoreFailure, sql, sqlite};

/// Rows in one transaction: enough to be fast, few enough for little memory.
const AT_ONCE: i64 = 5000;

/// How far a copy is. It can be read at any time.
#[derive(Debug, Default)]
pub struct CopyProgress {
    found: AtomicU64,
    copied: AtomicU64,
    verified: AtomicU64,
}

/// What a copy has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopySummary {
    /// Pets that this copy has added.
    pub added: u64,
    /// Pets in both databases now, each with the same id, name, category, status and time.
    pub pets: u64,
}

/// Why a store was not copied, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// One of the databases cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Both are the same.
    #[error("a store cannot be copied onto itself")]
    Same,
    /// The target has pets that are not the first ones of the source.
    #[error("{0} has pets that are not in the store to copy: choose an empty database")]
    NotABeginning(DatabaseUrl),
    /// The source could not be read further.
    #[error("cannot read {database} any further; to continue, run the same command again")]
    Read {
        /// The source.
        database: DatabaseUrl,
        /// Its error.
        source: StoreFailure,
    },
    /// The target could not be written further.
    #[error("cannot write {database} any further; to continue, run the same command again")]
    Write {
        /// The target.
        database: DatabaseUrl,
        /// Its error.
        source: StoreFailure,
    },
    /// The target does not contain the same rows: another program writes to it, or did before.
    #[error(
        "{database} differs: its {table} do not match the store; stop all programs that write to it, and copy to an empty database"
    )]
    Differs {
        /// The target.
        database: DatabaseUrl,
        /// Which rows.
        table: &'static str,
    },
    /// It was called off. What was copied stays.
    #[error("stopped; to continue, run the same command again")]
    Cancelled,
}

impl CopyProgress {
    /// Pets that an earlier copy had left, that were added, and that were read again at the end.
    pub fn counts(&self) -> [u64; 3] {
        [&self.found, &self.copied, &self.verified].map(|count| count.load(Ordering::Relaxed))
    }
}

/// Copies all of `from` to `to`, which is made as needed, and verifies it. Ends early once `cancel` is cancelled.
pub async fn copy(
    from: &DatabaseUrl,
    to: &DatabaseUrl,
    progress: &CopyProgress,
    cancel: &CancellationToken,
) -> Result<CopySummary, CopyError> {
    if from == to || is_one_file(from, to) {
        return Err(CopyError::Same);
    }
    let mut source = Source::open(from).await?;
    let database = Database::open(to, Purpose::CopyTo).await?;
    let copied = Copy { from, to, database: &database, progress, cancel }.all(&mut source).await;
    database.close().await;
    copied
}

/// Whether two names are those of one file.
pub(super) fn is_one_file(from: &DatabaseUrl, to: &DatabaseUrl) -> bool {
    let file = |url: &DatabaseUrl| match url {
        DatabaseUrl::Sqlite(path) => std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino())),
        DatabaseUrl::Postgres(_) => None,
    };
    file(from).is_some_and(|from| file(to) == Some(from))
}

struct Copy<'a> {
    from: &'a DatabaseUrl,
    to: &'a DatabaseUrl,
    database: &'a Database,
    progress: &'a CopyProgress,
    cancel: &'a CancellationToken,
}

impl Copy<'_> {
    async fn all(&self, source: &mut Source) -> Result<CopySummary, CopyError> {
        let (last, mut pets) = self.beginning(source).await?;
        let found = pets.rows;
        // Where there are pets, it has the mark of an earlier copy, or was used before.
        if found == 0 {
            self.write(Mark { is_unfinished: true }).await?;
        }
        self.rest(source, &PETS, last, &mut pets, Some(&self.progress.copied)).await?;
        for table in &OTHERS {
            let mut rows = Sum::default();
            self.rest(source, table, None, &mut rows, None).await?;
            self.verify(table, rows, None).await?;
        }
        self.write(GoOnWithIds).await?;
        self.verify(&PETS, pets, Some(&self.progress.verified)).await?;
        self.write(Mark { is_unfinished: false }).await?;
        Ok(CopySummary { added: pets.rows - found, pets: pets.rows })
    }

    /// What an earlier copy has left at the target: its last pet, and the sum of all of them.
    async fn beginning(&self, source: &mut Source) -> Result<(Option<Record>, Sum), CopyError> {
        let Some(end) = self.read(Query(sql::LAST_PET, |row| row.int(0))).await?.pop() else {
            return Ok((None, Sum::default()));
        };
        let there = self.sum(&PETS, Some(&self.progress.found)).await?;
        let (mut last, mut sum) = (None, Sum::default());
        loop {
            let page = self.page_of(source, &PETS, last.as_ref()).await?;
            let before = page.into_iter().take_while(|pet| pet.id() <= Some(end)).collect::<Vec<_>>();
            before.iter().for_each(|pet| sum.add(pet));
            match before.into_iter().next_back() {
                Some(pet) => last = Some(pet),
                None => break,
            }
        }
        if sum == there { Ok((last, sum)) } else { Err(CopyError::NotABeginning(self.to.clone())) }
    }

    /// Copies what comes after `last`, and adds it to `sum`.
    async fn rest(
        &self,
        source: &mut Source,
        table: &'static Table,
        mut last: Option<Record>,
        sum: &mut Sum,
        count: Option<&AtomicU64>,
    ) -> Result<(), CopyError> {
        loop {
            let rows = self.page_of(source, table, last.as_ref()).await?;
            let Some(end) = rows.last() else { return Ok(()) };
            last = Some(end.clone());
            rows.iter().for_each(|row| sum.add(row));
            let copied = rows.len() as u64;
            self.write(Import { table, rows }).await?;
            count.inspect(|count| _ = count.fetch_add(copied, Ordering::Relaxed));
        }
    }

    async fn verify(&self, table: &'static Table, rows: Sum, count: Option<&AtomicU64>) -> Result<(), CopyError> {
        let is_same = self.sum(table, count).await? == rows;
        is_same.then_some(()).ok_or_else(|| CopyError::Differs { database: self.to.clone(), table: table.name })
    }

    /// Of all rows at the target.
    async fn sum(&self, table: &'static Table, count: Option<&AtomicU64>) -> Result<Sum, CopyError> {
        let (mut last, mut sum) = (None, Sum::default());
        loop {
            self.go_on()?;
            let rows = self.read(Export { table, last }).await?;
            let Some(end) = rows.last() else { return Ok(sum) };
            last = Some(end.clone());
            rows.iter().for_each(|row| sum.add(row));
            count.inspect(|count| _ = count.fetch_add(rows.len() as u64, Ordering::Relaxed));
        }
    }

    async fn page_of(
        &self,
        source: &mut Source,
        table: &'static Table,
        last: Option<&Record>,
    ) -> Result<Vec<Record>, CopyError> {
        self.go_on()?;
        let page = source.page(table, last, AT_ONCE).await;
        page.map_err(|why| CopyError::Read { database: self.from.clone(), source: why })
    }

    async fn read<W: Work>(&self, work: W) -> Result<W::Output, CopyError> {
        let read = self.database.read(work).await;
        read.map_err(|why| CopyError::Read { database: self.to.clone(), source: why })
    }

    async fn write<W: Work>(&self, work: W) -> Result<W::Output, CopyError> {
        let written = self.database.write(work).await;
        written.map_err(|why| CopyError::Write { database: self.to.clone(), source: why })
    }

    fn go_on(&self) -> Result<(), CopyError> {
        if self.cancel.is_cancelled() { Err(CopyError::Cancelled) } else { Ok(()) }
    }
}

struct Export {
    table: &'static Table,
    last: Option<Record>,
}

impl Work for Export {
    type Output = Vec<Record>;

    async fn run(&self, on: &Connection<'_>) -> Result<Vec<Record>, DatabaseError> {
        self.table.page(on, self.last.as_ref(), AT_ONCE).await
    }
}

struct Import {
    table: &'static Table,
    rows: Vec<Record>,
}

impl Work for Import {
    type Output = ();

    async fn run(&self, on: &Connection<'_>) -> Result<(), DatabaseError> {
        let import = async |row: &Record| {
            let values: Vec<_> = row.values().collect();
            on.execute(self.table.import, &values).await
        };
        try_join_all(self.rows.iter().map(import)).await.map(drop)
    }
}

/// Keeps every program but a copy from using the target, or no longer.
struct Mark {
    is_unfinished: bool,
}

impl Work for Mark {
    type Output = ();

    const IS_ONE_STATEMENT: bool = true;

    async fn run(&self, on: &Connection<'_>) -> Result<(), DatabaseError> {
        match on {
            Connection::Sqlite(connection) => Ok(sqlite::mark(&connection.lock(), self.is_unfinished)?),
            Connection::Postgres(session) => {
                let sql = if self.is_unfinished { sql::ADD_VERSION } else { sql::REMOVE_VERSION };
                session.execute(sql, &[Value::Int(UNFINISHED.into())]).await.map(drop)
            }
        }
    }
}

/// Makes the ids of later pets start after the copied ones. SQLite does so automatically.
struct GoOnWithIds;

impl Work for GoOnWithIds {
    type Output = ();

    async fn run(&self, on: &Connection<'_>) -> Result<(), DatabaseError> {
        if let Connection::Postgres(session) = on {
            for sql in sql::GO_ON_WITH_IDS {
                session.execute(sql, &[]).await?;
            }
        }
        Ok(())
    }
}
