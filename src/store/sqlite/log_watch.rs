//! News that the write-ahead log was written, by this process or another one, without reading it again and again.

use std::io;
use std::path::Path;

/// Hears of each write to one file. There are none where the system has nothing of the kind.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(in crate::store) struct LogWatch(inotify::EventStream<[u8; 1024]>);
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub(in crate::store) struct LogWatch;

#[cfg(target_os = "linux")]
impl LogWatch {
    pub(super) fn of(log: &Path) -> io::Result<Self> {
        let inotify = inotify::Inotify::init()?;
        inotify.watches().add(log, inotify::WatchMask::MODIFY)?;
        Ok(Self(inotify.into_event_stream([0; 1024])?))
    }

    /// Returns when the file was written since the last call. May be dropped while it waits.
    pub(in crate::store) async fn changed(&mut self) -> io::Result<()> {
        use futures_util::StreamExt as _;

        self.0.next().await.ok_or(io::ErrorKind::UnexpectedEof)?.map(drop)
    }
}

#[cfg(not(target_os = "linux"))]
impl LogWatch {
    pub(super) fn of(_log: &Path) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(in crate::store) async fn changed(&mut self) -> io::Result<()> {
        std::future::pending().await
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn each_commit_of_another_connection_is_heard_of_and_no_reading() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db");
        let [writer, reader] = [(); 2].map(|()| rusqlite::Connection::open(&path).unwrap());
        writer.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE pets (id INTEGER)").unwrap();
        let mut log = LogWatch::of(&directory.path().join("store.db-wal")).unwrap();
        for _ in 0..3 {
            let count: i64 = reader.query_row("SELECT COUNT(*) FROM pets", [], |row| row.get(0)).unwrap();
            assert!(log.changed().now_or_never().is_none(), "{count}");
            writer.execute_batch("INSERT INTO pets VALUES (1)").unwrap();
            log.changed().await.unwrap();
            while log.changed().now_or_never().is_some() {}
        }
    }
}
