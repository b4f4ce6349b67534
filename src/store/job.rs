//! Pieces of work, each written once for both databases.

use tokio::sync::oneshot;

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

/// A job that somebody waits for.
struct Awaited<W: Work> {
    work: W,
    output: Option<W::Output>,
    reply: oneshot::Sender<Result<W::Output, StoreFailure>>,
}

impl<W: Work> Job for Awaited<W> {
    fn is_wanted(&self) -> bool {
        !self.reply.is_closed()
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
        // What it holds is free before whoever asked goes on.
        drop(work);
        // Whoever asked may have gone away.
        let _ = reply.send(ended.and_then(|()| output.ok_or(StoreFailure::Closed)));
    }
}

/// A job that nobody waits for.
struct Unawaited<W>(W);

impl<W: Work> Job for Unawaited<W> {
    fn is_wanted(&self) -> bool {
        true
    }

    fn is_one_statement(&self) -> bool {
        W::IS_ONE_STATEMENT
    }

    fn run<'a>(&'a mut self, on: &'a Connection<'_>) -> BoxFuture<'a, Result<(), DatabaseError>> {
        Box::pin(async { self.0.run(on).await.map(drop) })
    }

    fn end(self: Box<Self>, _: Result<(), StoreFailure>) {}
}

/// Where what became of a job arrives.
pub(super) type Outcome<W> = oneshot::Receiver<Result<<W as Work>::Output, StoreFailure>>;

/// A job, and its outcome.
pub(super) fn awaited<W: Work>(work: W) -> (Box<dyn Job>, Outcome<W>) {
    let (reply, outcome) = oneshot::channel();
    (Box::new(Awaited { work, output: None, reply }), outcome)
}

/// A job whose outcome nobody hears.
pub(super) fn unawaited<W: Work>(work: W) -> Box<dyn Job> {
    Box::new(Unawaited(work))
}
