//! What an operator does with a database that may be in use: a copy of its file, a check of every page, and a copy of
//! the whole store to another database: pets with their ids, API keys, what was done to them, and the Idempotency-Keys.
//!
//! The source is read as it is at one moment. The target gets everything in one transaction, in which every row is
//! compared with the source: it has all of it then, or nothing.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::try_join_all;
use rusqlite::types::Value as Owned;
use sha2::{Digest as _, Sha256};
use tokio::task::{spawn_blocking, yield_now};
use tokio::time::timeout;
use tokio_postgres::types::Type;
use tokio_util::sync::CancellationToken;

use super::database::Database;
use super::postgres::{self, ANSWER_TIME, Session};
use super::{
    Connection, CopyError, DatabaseUrl, DbResult, FailureKind, IntegrityReport, Outcome, Result, Row, StoreError,
    StoreFailure, Value, sql, sqlite,
};

/// Copies the database as it is at one moment to the new `file`, for its owner only, and returns once that is on disk.
/// Users of the database do not wait for it. Ends early once `cancel` is cancelled. Returns that another program has changed
/// the schema.
pub async fn backup(url: &DatabaseUrl, file: &Path, cancel: CancellationToken) -> Result<Option<String>, CopyError> {
    let instead =
        "back up a server with its own tools (pg_dump), or copy it to a SQLite file with petstore database copy";
    let (path, file) = (path_of(url, instead)?, file.to_owned());
    let copied = spawn_blocking(move || sqlite::backup(&path, &file, &cancel)).await;
    copied.unwrap_or(Err(CopyError::Cancelled))
}

/// Puts a verified copy of the backup `file` in the place of the database, which no program may use, and returns what
/// it has. An existing database is replaced only if `replaces`. Ends early once `cancel` is cancelled.
pub async fn restore(
    file: &Path,
    url: &DatabaseUrl,
    replaces: bool,
    cancel: CancellationToken,
) -> Result<IntegrityReport, CopyError> {
    let instead =
        "restore a server with its own tools (pg_restore), or copy the backup to it with petstore database copy";
    let path = path_of(url, instead)?;
    if is_one_file(&DatabaseUrl::Sqlite(file.to_owned()), url) {
        return Err(CopyError::new(format!("{url} is the backup itself")));
    }
    let file = file.to_owned();
    let restored = spawn_blocking(move || sqlite::restore(&file, &path, replaces, &cancel)).await;
    restored.unwrap_or(Err(CopyError::Cancelled))
}

/// Reads every page and every pet; only the pages, not their contents, if it `is_quick`. Changes nothing; users of the
/// database do not wait for it.
pub async fn check(url: &DatabaseUrl, is_quick: bool) -> Result<IntegrityReport> {
    let path = path_of(url, "only SQLite files can be checked; for a server use its own tools (pg_amcheck)")?;
    let check = move || sqlite::check(&path, is_quick, &CancellationToken::new());
    spawn_blocking(check).await.unwrap_or(Err(StoreFailure::from(FailureKind::Closed).into()))
}

/// The path of a file; of a server, what to do `instead`.
fn path_of(url: &DatabaseUrl, instead: &str) -> Result<PathBuf> {
    if let DatabaseUrl::Sqlite(path) = url { Ok(path.clone()) } else { Err(StoreError::new(instead)) }
}

/// Rows at a time: enough to be fast, few enough for little memory.
const AT_ONCE: i64 = 5000;

/// How far a copy is. It can be read at any time.
#[derive(Debug, Default)]
pub struct CopyProgress {
    copied: AtomicU64,
    verified: AtomicU64,
}

/// What a copy has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopySummary {
    /// Pets that this copy has added: none where the target had all of them.
    pub added: u64,
    /// Pets in both databases now, each with the same id, name, category, status and time.
    pub pets: u64,
}

impl CopyProgress {
    /// Pets that were read from the source, and that were read again at the target.
    pub fn counts(&self) -> [u64; 2] {
        [&self.copied, &self.verified].map(|count| count.load(Ordering::Relaxed))
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
    let mut source = End::open(from, false).await?;
    Database::open(to, true).await?.close().await;
    let mut target = End::open(to, true).await?;
    let failed = &StoreError::because(format!("cannot copy to {to}: run the same command again"));
    let mut is_empty = true;
    for table in &TABLES {
        is_empty &= target.page(table, None).await.map_err(failed)?.is_empty();
    }
    let mut sums = [Sum::default(); TABLES.len()];
    for (table, sum) in TABLES.iter().zip(&mut sums) {
        let (mut last, count) = (None, table.is_of_pets().then_some(&progress.copied));
        while let Some(rows) = source.next(table, &mut last, (sum, count), cancel).await.map_err(failed)? {
            if is_empty {
                target.import(table, &rows).await.map_err(failed)?;
            }
        }
    }
    for (table, sum) in TABLES.iter().zip(&sums) {
        let (mut last, mut there) = (None, Sum::default());
        let count = table.is_of_pets().then_some(&progress.verified);
        while target.next(table, &mut last, (&mut there, count), cancel).await.map_err(failed)?.is_some() {}
        CopyError::if_cancelled(cancel)?;
        if there != *sum {
            let why = format!("{to} has {} that are not those of the store: choose an empty database", table.name);
            return Err(CopyError::new(why));
        }
    }
    target.commit().await.map_err(failed)?;
    let pets = sums[0].rows;
    Ok(CopySummary { added: if is_empty { pets } else { 0 }, pets })
}

/// Whether two names are those of one file.
fn is_one_file(from: &DatabaseUrl, to: &DatabaseUrl) -> bool {
    let file = |url: &DatabaseUrl| match url {
        DatabaseUrl::Sqlite(path) => std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino())),
        DatabaseUrl::Postgres(_) => None,
    };
    file(from).is_some_and(|from| file(to) == Some(from))
}

/// A connection in a transaction. Without [`commit`](Self::commit), what it has written is taken back.
enum End {
    Sqlite(rusqlite::Connection),
    Postgres(Session),
}

impl End {
    /// As it is at one moment; if it is the target, while nobody else writes to it.
    async fn open(url: &DatabaseUrl, is_target: bool) -> Result<Self> {
        let begin = if is_target { sql::BEGIN_TO_WRITE } else { sql::BEGIN_TO_READ };
        match url {
            DatabaseUrl::Sqlite(path) if is_target => Ok(Self::Sqlite(sqlite::begin(path)?)),
            DatabaseUrl::Sqlite(path) => Ok(Self::Sqlite(sqlite::moment(path)?)),
            DatabaseUrl::Postgres(url) => Ok(Self::Postgres(postgres::begin(url, begin).await?)),
        }
    }

    fn on(&mut self) -> Connection<'_> {
        match self {
            Self::Sqlite(connection) => Connection::sqlite(connection),
            Self::Postgres(session) => Connection::Postgres(session),
        }
    }

    async fn page(&mut self, table: &Table, last: Option<&Record>) -> Outcome<Vec<Record>> {
        in_time(table.page(&self.on(), last)).await
    }

    /// The rows after `last`, which are summed and counted; nothing at the end, or once it is called off.
    async fn next(
        &mut self,
        table: &Table,
        last: &mut Option<Record>,
        (sum, count): (&mut Sum, Option<&AtomicU64>),
        cancel: &CancellationToken,
    ) -> Outcome<Option<Vec<Record>>> {
        // SQLite never waits; others may have something to do.
        yield_now().await;
        if cancel.is_cancelled() {
            return Ok(None);
        }
        let rows = self.page(table, last.as_ref()).await?;
        let Some(end) = rows.last() else { return Ok(None) };
        *last = Some(end.clone());
        rows.iter().for_each(|row| sum.add(row));
        count.inspect(|count| _ = count.fetch_add(rows.len() as u64, Ordering::Relaxed));
        Ok(Some(rows))
    }

    async fn import(&mut self, table: &Table, rows: &[Record]) -> Outcome {
        let (on, sql) = (self.on(), table.import());
        let import = async |row: &Record| on.execute(&sql, &row.values().collect::<Vec<_>>()).await;
        in_time(try_join_all(rows.iter().map(import))).await.map(drop)
    }

    /// Makes the ids of later pets start after the copied ones, which SQLite does itself, and commits.
    async fn commit(&mut self) -> Outcome {
        let commit = async {
            match &self {
                Self::Sqlite(connection) => Ok(connection.execute_batch("COMMIT")?),
                Self::Postgres(session) => {
                    for sql in sql::GO_ON_WITH_IDS {
                        session.execute(sql, &[]).await?;
                    }
                    session.batch("COMMIT").await
                }
            }
        };
        in_time(commit).await
    }
}

async fn in_time<T>(work: impl Future<Output = DbResult<T>>) -> Outcome<T> {
    Ok(timeout(ANSWER_TIME, work).await.map_err(|_| FailureKind::Timeout)??)
}

/// One row of a table.
#[derive(Clone, Debug)]
struct Record(Vec<Owned>);

struct Table {
    name: &'static str,
    /// As the databases call it.
    table: &'static str,
    /// The columns by which pages follow each other. They are the first ones.
    key: &'static str,
    columns: &'static str,
}

const fn table(name: &'static str, table: &'static str, key: &'static str, columns: &'static str) -> Table {
    Table { name, table, key, columns }
}

const TABLES: [Table; 5] = [
    table("pets", "pets", "id", "id, name, category_id, status, created_at, added_by"),
    table(
        "changes of pets",
        "pet_changes",
        "id",
        "id, pet_id, changed_at, changed_by, from_name, from_category_id, from_status, to_name, to_category_id, to_status",
    ),
    table("API keys", "api_keys", "id", "id, hash, name, scopes, created_at, expires_at, last_used_at, revoked_at"),
    table("events of keys", "key_events", "id", "id, at, action, api_key_id, actor"),
    table(
        "Idempotency-Keys",
        "idempotency_keys",
        "api_key_id, idempotency_key",
        "api_key_id, idempotency_key, fingerprint, pet_id, created_at",
    ),
];

impl Table {
    fn is_of_pets(&self) -> bool {
        self.name == TABLES[0].name
    }

    /// Writes one row.
    fn import(&self) -> String {
        format!("INSERT INTO {} ({}) VALUES ({})", self.table, self.columns, numbered(self.columns.split(", ").count()))
    }

    /// Reads a page, after the row whose key has so many values.
    fn export(&self, keys: usize) -> String {
        let Self { table, key, columns, .. } = self;
        let after = if keys > 0 { format!(" WHERE ({key}) > ({})", numbered(keys)) } else { String::new() };
        format!("SELECT {columns} FROM {table}{after} ORDER BY {key} LIMIT ${}", keys + 1)
    }

    /// The rows after `last` in the order of their keys.
    async fn page(&self, on: &Connection<'_>, last: Option<&Record>) -> DbResult<Vec<Record>> {
        let keys = last.map_or(0, |_| self.key.split(", ").count());
        let mut values: Vec<_> = last.into_iter().flat_map(Record::values).take(keys).collect();
        values.push(Value::Int(AT_ONCE));
        on.rows(&self.export(keys), &values, Record::of).await
    }
}

impl Record {
    fn of(row: Row<'_>) -> DbResult<Self> {
        let values: DbResult<_> = match row {
            Row::Sqlite(row) => (0..row.as_ref().column_count()).map(|number| Ok(row.get(number)?)).collect(),
            Row::Postgres(row) => {
                let value = |(number, column): (usize, &tokio_postgres::Column)| {
                    Ok(match *column.type_() {
                        Type::INT8 => row.try_get::<_, Option<i64>>(number)?.into(),
                        Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(number)?.into(),
                        _ => row.try_get::<_, Option<String>>(number)?.into(),
                    })
                };
                row.columns().iter().enumerate().map(value).collect()
            }
        };
        values.map(Self)
    }

    fn values(&self) -> impl ExactSizeIterator<Item = Value<'_>> {
        self.0.iter().map(|value| match value {
            // No column of ours has a fraction: what comes of one is not the same then, and the copy is refused.
            Owned::Null | Owned::Real(_) => Value::Null,
            Owned::Integer(number) => Value::Int(*number),
            Owned::Text(text) => Value::Text(text),
            Owned::Blob(bytes) => Value::Bytes(bytes),
        })
    }
}

/// The parameters of a statement.
fn numbered(count: usize) -> String {
    (1..=count).map(|number| format!("${number}")).collect::<Vec<_>>().join(", ")
}

/// The number of rows, and the sum of their hashes. Different tables do not have the same sum by chance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    rows: u64,
    hashes: u128,
}

impl Sum {
    fn add(&mut self, row: &Record) {
        // Each value with its kind, and texts in quotes, so that nothing can move from one column to the next.
        let hash: [u8; 32] = Sha256::digest(format!("{row:?}")).into();
        let half = hash.first_chunk().copied().unwrap_or_default();
        self.rows += 1;
        self.hashes = self.hashes.wrapping_add(u128::from_be_bytes(half));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_rows_have_each_column_once() {
        let [pets, .., creations] = &TABLES;
        assert_eq!(
            pets.export(1),
            "SELECT id, name, category_id, status, created_at, added_by FROM pets WHERE (id) > ($1) ORDER BY id LIMIT $2"
        );
        let columns = "api_key_id, idempotency_key, fingerprint, pet_id, created_at";
        assert_eq!(
            creations.export(2),
            format!(
                "SELECT {columns} FROM idempotency_keys WHERE (api_key_id, idempotency_key) > ($1, $2) \
                 ORDER BY api_key_id, idempotency_key LIMIT $3"
            )
        );
        let import = format!("INSERT INTO idempotency_keys ({columns}) VALUES ($1, $2, $3, $4, $5)");
        assert_eq!(creations.import(), import);
        let first = "SELECT id, at, action, api_key_id, actor FROM key_events ORDER BY id LIMIT $1";
        assert_eq!(TABLES[3].export(0), first);
        for table in &TABLES {
            assert!(table.columns.starts_with(table.key), "{}", table.name);
        }
    }

    #[test]
    fn rows_with_other_values_in_any_column_have_another_sum() {
        let sum = |values: &[Owned]| {
            let mut sum = Sum::default();
            sum.add(&Record(values.to_vec()));
            sum
        };
        let text = |text: &str| Owned::Text(text.to_owned());
        let rows = [
            vec![text("a"), text("bc")],
            vec![text("ab"), text("c")],
            vec![text("a\", Text(\"bc"), text("")],
            vec![text("1"), Owned::Null],
            vec![Owned::Integer(1), Owned::Null],
            vec![Owned::Null, Owned::Integer(1)],
            vec![text(""), Owned::Integer(1)],
            vec![Owned::Blob(vec![0; 32])],
        ];
        for (number, row) in rows.iter().enumerate() {
            assert!(rows[..number].iter().all(|other| sum(other) != sum(row)), "{row:?}");
        }
    }
}
