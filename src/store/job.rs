//! Pieces of work, each written once for both databases.

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use futures_util::future::BoxFuture;

use super::StoreFailure;
use super::value_row::{Connection, DatabaseError, Row};

/// What reads, or writes in one transaction.
pub(super) trait Work: Send + Sync + 'static {
    type Output: Send + 'static;

    /// Whether it is a single statement, which is a transaction by itself.
    const IS_ONE_STATEMENT: bool = false;

    /// May be called again where the database asks to repeat a transaction; nothing beside it is touched. On SQLite
    /// every statement is ready at once, so that this never waits.
    fn run(&self, on: &Connection<'_>) -> impl Future<Output = Result<Self::Output, DatabaseError>> + Send;
}

/// A statement without values, and what is made of each row that it finds.
pub(super) struct Query<T>(pub(super) &'static str, pub(super) fn(Row<'_>) -> Result<T, DatabaseError>);

impl<T: Send + 'static> Work for Query<T> {
    type Output = Vec<T>;

    async fn run(&self, on: &Connection<'_>) -> Result<Vec<T>, DatabaseError> {
        on.rows(self.0, &[], self.1).await
    }
}

/// Work of any kind among other such work, and whoever is told how it ended.
pub(super) trait Job: Send {
    /// Whether somebody still waits for it. Whoever was told "not now" may ask again: a write that was given up must
    /// not come on top of that.
    fn is_wanted(&self) -> bool;

    /// Whether it needs no transaction around it.
    fn is_one_statement(&self) -> bool;

    fn run<'a>(&'a mut self, on: &'a Connection<'_>) -> BoxFuture<'a, Result<(), DatabaseError>>;

    fn end(self: Box<Self>, ended: Result<(), StoreFailure>);
}

/// A piece of work as a job, with whoever waits for what it gives.
struct Task<W: Work> {
    work: W,
    output: Option<W::Output>,
    reply: Option<oneshot::Sender<Result<W::Output, StoreFailure>>>,
}

impl<W: Work> Job for Task<W> {
    fn is_wanted(&self) -> bool {
        self.reply.as_ref().is_none_or(|reply| !reply.is_closed())
    }

    fn is_one_statement(&self) -> bool {
        W::IS_ONE_STATEMENT
    }

    fn run<'a>(&'a mut self, on: &'a Connection<'_>) -> BoxFuture<'a, Result<(), DatabaseError>> {
        Box::pin(async {
            self.output = Some(self.work.run(on).await?);
            Ok(())
        })
    }

    fn end(self: Box<Self>, ended: Result<(), StoreFailure>) {
        let Self { work, output, reply } = *self;
        // What it holds is free before the caller goes on.
        drop(work);
        if let Some(reply) = reply {
            // The caller may have gone away.
            let _ = reply.send(ended.and_then(|()| output.ok_or(StoreFailure::Closed)));
        }
    }
}

/// Where what became of a job arrives.
pub(super) type Outcome<W> = oneshot::Receiver<Result<<W as Work>::Output, StoreFailure>>;

/// A job, and its outcome.
pub(super) fn awaited<W: Work>(work: W) -> (Box<dyn Job>, Outcome<W>) {
    let (reply, outcome) = oneshot::channel();
    (Box::new(Task { work, output: None, reply: Some(reply) }), outcome)
}

/// A job whose outcome nobody hears.
pub(super) fn unawaited<W: Work>(work: W) -> Box<dyn Job> {
    Box::new(Task { work, output: None, reply: None })
}

/// How many jobs may wait in a queue. One more is refused rather than kept.
pub(super) const QUEUE: usize = 1024;

/// Puts a job into the queue of those who do it; `jobs` is nothing once it is closed.
pub(super) fn queue(jobs: Option<&mpsc::Sender<Box<dyn Job>>>, job: Box<dyn Job>) -> Result<(), StoreFailure> {
    jobs.ok_or(StoreFailure::Closed)?.try_send(job).map_err(|error| match error {
        TrySendError::Full(_) => StoreFailure::QueueFull,
        TrySendError::Closed(_) => StoreFailure::Closed,
    })
}
