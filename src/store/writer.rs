//! The one task that writes.
//!
//! Whatever waits when it becomes free is committed in one transaction, so that many writers share one fsync. A caller
//! hears of success only after that commit; when anything in the transaction fails, all of it is rolled back and every
//! caller in it is told so.

use std::sync::{Mutex, MutexGuard, PoisonError};

use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection, Sqlite, Transaction};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::keys::KeyRow;
use super::{Why, samples};
use crate::model::{PetId, PetStatus};

/// How many writes may wait. One more is refused rather than kept.
const QUEUE: usize = 1024;

/// The most writes in one transaction: enough to hide the fsync, few enough to keep each of them prompt.
const GROUP: usize = 128;

const ADD_PET: &str = "INSERT INTO pets (name, category_id, status, created_at) VALUES ($1, $2, $3, $4) RETURNING id";
const ADD_KEY: &str = "INSERT INTO api_keys (id, hash, name, scopes, created_at) VALUES ($1, $2, $3, $4, $5)";

/// What may be written. Times are Unix seconds.
#[derive(Debug)]
pub(super) enum Write {
    Pet { name: String, category_id: i64, status: PetStatus, created_at: i64 },
    Samples { count: usize, created_at: i64 },
    Key(KeyRow),
}

/// A write, and who waits for it.
#[derive(Debug)]
struct Job {
    write: Write,
    reply: oneshot::Sender<Result<PetId, Why>>,
}

#[derive(Debug)]
pub(super) struct Writer {
    /// Nothing once closed.
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    jobs: mpsc::Sender<Job>,
    task: JoinHandle<()>,
}

impl Writer {
    pub(super) fn start(connection: SqliteConnection) -> Self {
        let (jobs, waiting) = mpsc::channel(QUEUE);
        let task = tokio::spawn(work(connection, waiting));
        Self { running: Mutex::new(Some(Running { jobs, task })) }
    }

    /// Returns once it is on disk: the id of the last animal that it added, 0 where it added none.
    pub(super) async fn write(&self, write: Write) -> Result<PetId, Why> {
        let (reply, done) = oneshot::channel();
        match &*self.running() {
            None => return Err(Why::Closed),
            Some(Running { jobs, .. }) => jobs.try_send(Job { write, reply }).map_err(|error| match error {
                TrySendError::Full(_) => Why::QueueFull,
                TrySendError::Closed(_) => Why::Closed,
            })?,
        }
        done.await.unwrap_or(Err(Why::Closed))
    }

    /// Writes what waits, then closes the connection.
    pub(super) async fn close(&self) {
        let running = self.running().take();
        let Some(Running { jobs, task }) = running else { return };
        drop(jobs);
        if let Err(error) = task.await {
            tracing::error!(%error, "the writer ended badly");
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends when the last sender is gone and the queue is empty.
async fn work(mut connection: SqliteConnection, mut waiting: mpsc::Receiver<Job>) {
    let mut group = Vec::with_capacity(GROUP);
    while waiting.recv_many(&mut group, GROUP).await > 0 {
        match commit(&mut connection, &group).await {
            Ok(ids) => {
                for (job, id) in group.drain(..).zip(ids) {
                    // Whoever asked may have gone away.
                    let _ = job.reply.send(Ok(id));
                }
            }
            Err(error) => {
                tracing::error!(%error, writes = group.len(), "nothing of this group was written");
                let why = Why::from(error);
                for job in group.drain(..) {
                    let _ = job.reply.send(Err(why.clone()));
                }
            }
        }
    }
    if let Err(error) = connection.close().await {
        tracing::warn!(%error, "the writing connection did not close");
    }
}

/// The result of each job, in their order, once all are on disk.
async fn commit(connection: &mut SqliteConnection, group: &[Job]) -> Result<Vec<PetId>, sqlx::Error> {
    // IMMEDIATE waits for the lock here: a transaction that begins by reading could not wait for it later.
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let mut ids = Vec::with_capacity(group.len());
    for job in group {
        // Whoever was told "not now" meanwhile may ask again: a write that was given up must not come on top of that.
        let given_up = job.reply.is_closed();
        ids.push(if given_up { 0 } else { apply(&mut transaction, &job.write).await? });
    }
    transaction.commit().await?;
    Ok(ids)
}

async fn apply(transaction: &mut Transaction<'_, Sqlite>, write: &Write) -> Result<PetId, sqlx::Error> {
    match write {
        Write::Pet { name, category_id, status, created_at } => {
            sqlx::query_scalar(ADD_PET)
                .bind(name)
                .bind(category_id)
                .bind(status.as_str())
                .bind(created_at)
                .fetch_one(&mut **transaction)
                .await
        }
        Write::Samples { count, created_at } => samples::insert(transaction, *count, *created_at).await,
        Write::Key(key) => {
            sqlx::query(ADD_KEY)
                .bind(&key.id)
                .bind(&key.hash)
                .bind(&key.name)
                .bind(key.scopes)
                .bind(key.created_at)
                .execute(&mut **transaction)
                .await?;
            Ok(0)
        }
    }
}
