//! Jobs that go to the server together, and what is repeated.
//!
//! A transaction is repeated only where the server has said that it rolled it back in favour of another one (SQLSTATE
//! 40001 and 40P01), which CockroachDB and YugabyteDB may say of any statement and of COMMIT. Never where the connection
//! was lost while it was being committed: nobody knows then, and repeating could do it twice.

use std::time::Duration;

use futures_util::future::{join, join_all};
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};
use tokio_postgres::error::{Severity, SqlState};

use super::{ANSWER_TIME, Connections, Session, has_code};
use crate::clock;
use crate::model::text::safe_causes;
use crate::store::Why;
use crate::store::connection::{Connection, DatabaseError};
use crate::store::work::Job;

/// How often a transaction is tried, and until when it is tried again.
const TRIES: u32 = 12;
const TRY_FOR: Duration = Duration::from_secs(5);

/// Each by itself, one behind the other on the same connection. Tells each job how it ended, and empties `group`.
pub(super) async fn read(connections: &Connections, group: &mut Vec<Box<dyn Job>>) {
    for pause in pauses() {
        let session = match connections.take().await {
            Ok(session) => session,
            Err(why) => return end(group, &Err(why)),
        };
        let on = Connection::Postgres(&session);
        let answers = timeout(ANSWER_TIME, join_all(group.iter_mut().map(|job| job.run(&on)))).await;
        session.release(answers.is_ok());
        let Ok(answers) = answers else { return end(group, &Err(Why::NoAnswer)) };
        let mut again = Vec::new();
        for (job, answer) in group.drain(..).zip(answers) {
            match answer {
                Err(error) if is_conflict(&error) => again.push(job),
                answer => job.end(answer.map_err(Why::from)),
            }
        }
        if again.is_empty() {
            return;
        }
        *group = again;
        sleep(pause).await;
    }
    end(group, &Err(Why::Conflicts));
}

/// All in one transaction. Tells each job how it ended, and empties `group`.
pub(super) async fn write(connections: &Connections, group: &mut Vec<Box<dyn Job>>) {
    group.retain(|job| job.is_wanted());
    if !group.is_empty() {
        let written = until_settled(connections, group).await;
        if let Err(why) = &written {
            tracing::error!(error = safe_causes(why), writes = group.len(), "nothing is known to be written");
        }
        end(group, &written);
    }
}

fn end(group: &mut Vec<Box<dyn Job>>, ended: &Result<(), Why>) {
    group.drain(..).for_each(|job| job.end(ended.clone()));
}

async fn until_settled(connections: &Connections, group: &mut [Box<dyn Job>]) -> Result<(), Why> {
    let begun = clock::now().mono;
    for pause in pauses() {
        match once(connections, group).await {
            Err(Why::Database(error)) if is_conflict(&error) => {}
            settled => return settled,
        }
        if clock::now().mono.duration_since(begun) > TRY_FOR {
            break;
        }
        sleep(pause).await;
    }
    Err(Why::Conflicts)
}

async fn once(connections: &Connections, group: &mut [Box<dyn Job>]) -> Result<(), Why> {
    let session = connections.take().await?;
    let written = match group {
        [job] if job.is_one_statement() => alone(&session, job.as_mut()).await,
        group => together(&session, group).await,
    };
    session.release(matches!(written, Ok(()) | Err(Why::Database(_))));
    written
}

/// A statement is a transaction by itself.
async fn alone(session: &Session, job: &mut dyn Job) -> Result<(), Why> {
    let on = Connection::Postgres(session);
    committed(timeout(ANSWER_TIME, job.run(&on)).await)
}

async fn together(session: &Session, group: &mut [Box<dyn Job>]) -> Result<(), Why> {
    let on = Connection::Postgres(session);
    // The first statements go with the BEGIN, ahead of its answer.
    let work = join(session.batch("BEGIN"), join_all(group.iter_mut().map(|job| job.run(&on))));
    let (begun, worked) = timeout(ANSWER_TIME, work).await.map_err(|_| Why::OutcomeUnknown)?;
    // Had it been refused, each statement would have been a transaction by itself.
    begun.map_err(|_| Why::OutcomeUnknown)?;
    match worst(worked) {
        None => committed(timeout(ANSWER_TIME, session.batch("COMMIT")).await),
        Some(error) => match timeout(ANSWER_TIME, session.batch("ROLLBACK")).await {
            Ok(Ok(())) => Err(error.into()),
            // The connection is closed, which has the same effect.
            Ok(Err(_)) | Err(_) => Err(Why::NoAnswer),
        },
    }
}

/// Why a transaction failed: what comes after the first error is only told that there was one, and may be heard before.
fn worst(worked: Vec<Result<(), DatabaseError>>) -> Option<DatabaseError> {
    let (echoes, mut errors): (Vec<_>, Vec<_>) = worked
        .into_iter()
        .filter_map(Result::err)
        .partition(|error| has_code(error, &SqlState::IN_FAILED_SQL_TRANSACTION));
    errors.extend(echoes);
    errors.into_iter().next()
}

/// What the end of a transaction was. [`Why::Database`] where it was surely rolled back, and the connection can be used.
fn committed(ended: Result<Result<(), DatabaseError>, Elapsed>) -> Result<(), Why> {
    match ended {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) if is_refusal(&error) => Err(error.into()),
        Ok(Err(_)) | Err(_) => Err(Why::OutcomeUnknown),
    }
}

/// Whether the server has answered with an error and goes on. A FATAL one may come after the commit, and so may the code
/// for an ambiguous result.
fn is_refusal(error: &DatabaseError) -> bool {
    let DatabaseError::Postgres(error) = error else { return false };
    error.as_db_error().is_some_and(|error| {
        error.parsed_severity() == Some(Severity::Error) && *error.code() != SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN
    })
}

/// Whether the transaction was rolled back in favour of another.
fn is_conflict(error: &DatabaseError) -> bool {
    [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED].iter().any(|code| has_code(error, code))
}

/// How long to wait after each try: from 2 ms doubling to 64 ms, each spread over its second half.
fn pauses() -> impl Iterator<Item = Duration> {
    (0..TRIES).map(|try_| {
        let longest = Duration::from_millis(2 << try_.min(5));
        let dice = f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX);
        longest.mul_f64(0.5 + dice / 2.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_tries_take_less_than_a_second_of_waiting() {
        let pauses: Vec<_> = pauses().collect();
        assert_eq!(pauses.len(), 12);
        assert!(pauses[0] >= Duration::from_millis(1) && pauses[0] <= Duration::from_millis(2));
        assert!(pauses.iter().all(|pause| *pause <= Duration::from_millis(64)));
    }
}
