//! A SQLite file: one thread that writes, and a few connections that only read.
//!
//! A page of pets takes SQLite some ten microseconds, less than it takes to wake another thread. So reads run where
//! they are asked for, and never wait inside SQLite: a busy database is asked again a little later.

mod connection;
mod file;
mod snapshot;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

pub use self::file::LogWatch;
pub use self::snapshot::{backup, begin, check, moment, restore};

use self::connection::{Readers, cannot_open, connect_for_writing, migrate, refuse_foreign};
use self::file::Files;
use self::writer::Writer;
use super::group::Group;
use super::job::{HEARTBEAT_TIME, Heartbeat};
use super::{FailureKind, Outcome, Result, StoreError};

/// How long closing may take: another process can hold the file, and nothing that was acknowledged is lost without it.
const CLOSE_TIME: Duration = Duration::from_secs(2);

/// Versions before it can corrupt a WAL database (<https://sqlite.org/wal.html#walresetbug>).
const OLDEST_SQLITE: i32 = 3_051_003;

/// An open file.
#[derive(Debug)]
pub struct Sqlite {
    pub readers: Readers,
    pub writes: Group<Writer>,
    pub files: Arc<Files>,
}

impl Sqlite {
    /// Creates the file and brings its schema up to date as needed. Waits for the disk.
    pub fn open(path: &Path) -> Result<Self> {
        refuse_old_sqlite(rusqlite::version_number())?;
        file::create_private(path).map_err(StoreError::cannot_create(path))?;
        file::judge_file(path, false)?;
        file::judge_place(path)?;
        refuse_foreign(path)?;
        let mut writing = connect_for_writing(path).map_err(cannot_open(path))?;
        migrate(&mut writing, path)?;
        let files = Arc::new(Files::of(path).map_err(StoreError::cannot_create(path))?);
        let readers = Readers::new(path, Arc::clone(&files));
        let writes = Group::start_thread(Writer::new(writing, Arc::clone(&files)), "store writer");
        Ok(Self { readers, writes: writes.map_err(StoreError::because("cannot start a thread"))?, files })
    }

    /// Whether anything can be written: it was lately, or is now.
    pub async fn can_write(&self) -> Outcome {
        self.writes.is_idle()?;
        if self.writes.engine().has_written()? {
            return Ok(());
        }
        let heartbeat = self.writes.work_elsewhere(Heartbeat::new());
        timeout(HEARTBEAT_TIME, heartbeat).await.unwrap_or(Err(FailureKind::Timeout.into()))
    }

    /// Writes what waits, then closes every connection; the writing one last, so that SQLite can fold its write-ahead
    /// log into the file.
    pub async fn close(&self) {
        self.readers.close();
        if timeout(CLOSE_TIME, self.writes.close()).await.is_err() {
            tracing::error!("the database was not closed: another process has locked it");
        }
    }
}

fn refuse_old_sqlite(version: i32) -> Result<()> {
    if version >= OLDEST_SQLITE {
        return Ok(());
    }
    Err(StoreError::new(format!(
        "SQLite {version} is older than {OLDEST_SQLITE} (3.51.3) and can corrupt a database that is read and written at the \
         same time"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sqlite_that_can_corrupt_is_known_by_its_version() {
        for (version, sound) in [(3_051_003, true), (3_053_000, true), (4_000_000, true), (3_051_002, false)] {
            assert_eq!(refuse_old_sqlite(version).is_ok(), sound, "{version}");
        }
    }
}
