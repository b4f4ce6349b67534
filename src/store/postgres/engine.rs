//! How a group of jobs goes to the server, and what is repeated.
//!
//! A transaction is repeated only if the server has reported that it rolled it back in favour of another one (SQLSTATE
//! 40001 and 40P01). Never where the connection was lost while it was being committed: its outcome is unknown, and
//! repeating could do it twice. The same holds if the server warns of a commit: PostgreSQL says so when a wait for a
//! synchronous standby was cancelled, and then that it is done.
//!
//! Once more, on a fresh connection, is tried what a server has surely not done that cannot do it any more, as after a
//! switchover. A read is, too, where one of several hosts is silent; a write is not, whose outcome is unknown then.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{OptionFuture, join, join_all, maybe_done, poll_fn, try_join};
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};
use tokio_postgres::error::{Severity, SqlState};

use super::connections::{Connections, Session, has_code};
use super::pool::{ANSWER_TIME, Commit, STUCK};
use crate::clock;
use crate::model::safe_causes;
use crate::store::group::{Engine, Jobs, unawaited};
use crate::store::job::Heartbeat;
use crate::store::{Connection, DatabaseError, DbResult, FailureKind, Outcome, StoreFailure, Work, sql};

/// Reads, each separately, one after another on the same connection.
#[derive(Debug)]
pub struct Reads(pub Connections);

/// Writes, all in one transaction.
#[derive(Debug)]
pub struct Writes(pub Connections);

impl Engine for Reads {
    /// Connections overlap well.
    const PATIENCE: Option<Duration> = None;

    fn lets_callers_run(&self) -> bool {
        true
    }

    async fn commit(&self, group: &mut Jobs, _is_lone: bool) -> Outcome {
        let mut may_leave = true;
        for pause in pauses() {
            let session = self.0.take().await?;
            let on = Connection::Postgres(&session);
            let is_hasty = may_leave && self.0.are_several_hosts;
            let time = if is_hasty { HOST_TIME } else { ANSWER_TIME };
            let answers = timeout(time, join_all(group.iter_mut().map(|job| job.run(&on)))).await;
            let leads_elsewhere = |answer: &DbResult<()>| answer.as_ref().is_err_and(is_elsewhere);
            let is_sound = answers.as_ref().is_ok_and(|answers| !answers.iter().any(leads_elsewhere));
            session.release(is_sound);
            let leaves = !is_sound && may_leave;
            if leaves {
                self.0.leave();
                may_leave = false;
            }
            let answers = match answers {
                Ok(answers) => answers,
                Err(_) if is_hasty => continue,
                Err(_) => return Err(FailureKind::Timeout.into()),
            };
            let mut again = Vec::new();
            for (job, answer) in group.drain(..).zip(answers) {
                match answer {
                    Err(error) if is_conflict(&error) || leaves && is_elsewhere(&error) => again.push(job),
                    answer => job.end(answer.map_err(StoreFailure::from)),
                }
            }
            if again.is_empty() {
                return Ok(());
            }
            *group = again;
            sleep(pause).await;
        }
        Err(FailureKind::Conflicts.into())
    }
}

impl Engine for Writes {
    /// A little, since fewer transactions cost the server less.
    const PATIENCE: Option<Duration> = Some(Duration::from_millis(20));

    /// Stuck commits are probed meanwhile.
    fn refusal(&self) -> Option<StoreFailure> {
        let is_stuck = self.0.commits.is_stuck(None);
        is_stuck.then(|| {
            self.0.start_heartbeat();
            FailureKind::Stuck.into()
        })
    }

    /// Otherwise callers that give up one after another would each leave a commit.
    fn lets_callers_run(&self) -> bool {
        self.0.commits.is_quiet()
    }

    async fn commit(&self, group: &mut Jobs, _is_lone: bool) -> Outcome {
        if self.0.commits.is_stuck(None) {
            return Err(FailureKind::Stuck.into());
        }
        let written = self.0.with_retries(group, ANSWER_TIME).await;
        if let Err(why) = &written {
            let (error, writes) = (safe_causes(why), group.len());
            tracing::error!(error, writes, "a transaction failed, or its outcome is unknown");
        }
        written
    }
}

/// How often a transaction is tried, and until when it is tried again.
const TRIES: u32 = 32;
const TRY_FOR: Duration = Duration::from_secs(5);

/// How long a server may take for anything but a commit where another host may be quicker.
const HOST_TIME: Duration = Duration::from_millis(1500);

/// How long a transaction waits for another one of this process that adds pets.
const TURN_TIME: Duration = Duration::from_millis(100);

impl Connections {
    /// Checks, on a separate connection, whether commits get through, however long that takes, unless another host may be
    /// quicker; one check at a time.
    pub fn start_heartbeat(&self) {
        let Ok(permit) = Arc::clone(&self.commits.heartbeat_permit).try_acquire_owned() else { return };
        let connections = self.clone();
        tokio::spawn(async move {
            let patience = if connections.are_several_hosts { STUCK } else { Duration::MAX };
            let ended = connections.with_retries(&mut vec![unawaited(Heartbeat::new())], patience).await;
            // The next one may begin once this is known.
            drop(permit);
            let _ = connections.commits.heartbeats.send_replace(ended);
        });
    }

    /// A single statement without a waiting caller. It proves nothing about commits: there may be nothing to write.
    pub async fn write_alone(&self, work: impl Work) -> Outcome {
        let session = self.take().await?;
        session.begin(&self.commits);
        let done = committed(&session, timeout(ANSWER_TIME, work.run(&Connection::Postgres(&session))).await).map(drop);
        self.give_back(session, &done);
        done
    }

    /// `patience` is for the commit.
    async fn with_retries(&self, group: &mut Jobs, patience: Duration) -> Outcome {
        let begun = clock::now().mono;
        let mut is_again = false;
        for pause in pauses() {
            match self.once(group, patience).await {
                Err(StoreFailure::Database(error)) if is_conflict(&error) => {}
                // Another process may have remembered the same creation just now.
                Err(StoreFailure::Database(error))
                    if !is_again && (is_elsewhere(&error) || has_code(&error, &SqlState::UNIQUE_VIOLATION)) =>
                {
                    is_again = true;
                }
                done => return done,
            }
            if clock::now().mono.duration_since(begun) > TRY_FOR {
                break;
            }
            sleep(pause).await;
        }
        Err(FailureKind::Conflicts.into())
    }

    async fn once(&self, group: &mut Jobs, patience: Duration) -> Outcome {
        let writes_pets = group.iter().any(|job| job.writes_pets());
        // Without it where another one takes long: the server decides.
        let _turn = if writes_pets { timeout(TURN_TIME, self.turn.lock()).await.ok() } else { None };
        let session = self.take().await?;
        if self.are_several_hosts && self.commits.is_stuck(Some(session.host())) {
            session.release(true);
            return Err(FailureKind::Stuck.into());
        }
        let written = match group.as_mut_slice() {
            [job] if job.is_one_statement() => {
                session.begin(&self.commits);
                let on = Connection::Postgres(&session);
                committed(&session, timeout(patience, job.run(&on)).await)
            }
            _ => {
                let written = self.together(&session, group, patience).await;
                // Unanswered, the session keeps it.
                if matches!(written, Err(StoreFailure::Database(_))) {
                    drop(session.end());
                }
                written
            }
        };
        let written = written.map(Commit::done);
        self.give_back(session, &written);
        written
    }

    /// What is not sound is closed; what has lost its server is closed with all that may have.
    fn give_back(&self, session: Session, written: &Outcome) {
        let (is_sound, is_left) = match written {
            Ok(()) => (true, false),
            Err(StoreFailure::Database(error)) => (!is_elsewhere(error), is_elsewhere(error)),
            Err(_) => (false, self.are_several_hosts),
        };
        session.release(is_sound);
        if is_left {
            self.leave();
        }
    }

    /// All of `group` in one transaction. [`StoreFailure::Database`] where it was surely rolled back.
    ///
    /// The first statements go with the BEGIN, ahead of its answer. The COMMIT does, too, where none of them waits for an
    /// answer, which saves a way to the server and back; but not through a pooler, which may end the connection to its
    /// client ahead of answers of the server.
    async fn together(&self, session: &Session, group: &mut Jobs, patience: Duration) -> Outcome<Commit> {
        let on = Connection::Postgres(session);
        let mut begin = "BEGIN".to_owned();
        if group.iter().any(|job| job.writes_pets()) {
            // The turn of another transaction ends with its commit: waiting for the turn is waiting for a commit.
            session.begin(&self.commits);
            session.has_turn.store(true, Ordering::Relaxed);
            begin = format!("{begin}; {}", sql::TAKE_TURN);
        }
        let wait_for_none = !session.is_shared() && group.iter().all(|job| job.is_one_statement());
        let mut begun = maybe_done(Box::pin(session.batch(&begin)));
        let mut worked: Vec<_> = group.iter_mut().map(|job| maybe_done(job.run(&on))).collect();
        // What is asked for the first time is sent.
        poll_fn(|context| {
            let _ = begun.poll_unpin(context);
            worked.iter_mut().for_each(|work| _ = work.poll_unpin(context));
            Poll::Ready(())
        })
        .await;
        let is_commit_sent = wait_for_none && !session.is_preparing();
        let commit = || async {
            session.begin(&self.commits);
            session.batch("COMMIT").await
        };
        let time = if self.are_several_hosts { HOST_TIME } else { ANSWER_TIME };
        let work = timeout(time, join(&mut begun, join_all(&mut worked)));
        let sent = timeout(patience, OptionFuture::from(is_commit_sent.then(commit)));
        let (_, ended) = try_join(work, sent).await.map_err(|_| FailureKind::UnknownOutcome)?;
        let worked: Vec<_> = worked.iter_mut().filter_map(|work| Pin::new(work).take_output()).collect();
        let failed = match Pin::new(&mut begun).take_output() {
            // The server has ended the connection instead.
            Some(Err(error)) if severity(&error) == Some(Severity::Fatal) && is_elsewhere(&error) => {
                return Err(error.into());
            }
            // If not all was refused for it, the BEGIN itself was, and each statement was its own transaction.
            Some(Err(error)) if worked.iter().all(is_echo) => Some(error),
            Some(Err(_)) => return Err(FailureKind::UnknownOutcome.into()),
            Some(Ok(())) | None => worst(worked),
        };
        match (failed, ended) {
            (None, Some(ended)) => committed(session, Ok(ended)),
            (Some(error), Some(_)) => committed(session, Ok(Err::<(), _>(error))),
            (None, None) => committed(session, timeout(patience, commit()).await),
            (Some(error), None) => match timeout(ANSWER_TIME, session.batch("ROLLBACK")).await {
                Ok(Ok(())) => Err(error.into()),
                // The connection is closed, which has the same effect.
                _ if is_elsewhere(&error) => Err(error.into()),
                _ => Err(FailureKind::Timeout.into()),
            },
        }
    }
}

/// Why a transaction failed: statements after the first error only report that there was one, and may be answered before.
fn worst(worked: Vec<DbResult<()>>) -> Option<DatabaseError> {
    let (echoes, mut errors): (Vec<_>, Vec<_>) = worked.into_iter().filter(Result::is_err).partition(is_echo);
    errors.extend(echoes);
    errors.into_iter().find_map(Result::err)
}

/// Whether it was refused for an earlier error of its transaction.
fn is_echo(worked: &DbResult<()>) -> bool {
    worked.as_ref().is_err_and(|error| has_code(error, &SqlState::IN_FAILED_SQL_TRANSACTION))
}

/// What the end of a transaction was. [`StoreFailure::Database`] where it was surely rolled back.
fn committed<T>(session: &Session, ended: Result<DbResult<T>, Elapsed>) -> Outcome<Commit> {
    // Unanswered, the session keeps it.
    let ended = ended.map_err(|_| FailureKind::UnknownOutcome)?;
    let commit = session.end();
    match ended {
        Ok(_) => commit.ok_or(FailureKind::UnknownOutcome.into()),
        Err(error) if is_refusal(&error) => Err(error.into()),
        Err(_) => Err(FailureKind::UnknownOutcome.into()),
    }
}

/// Whether the server has answered with an error and goes on. A FATAL one may come after the commit, and so may the code
/// for an ambiguous result.
fn is_refusal(error: &DatabaseError) -> bool {
    severity(error) == Some(Severity::Error) && !has_code(error, &SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN)
}

fn severity(error: &DatabaseError) -> Option<Severity> {
    error.postgres()?.as_db_error()?.parsed_severity()
}

/// Whether this server cannot do it any more, lacks something for it (class 53) or does not allow it, and another
/// connection may lead to one that does.
fn is_elsewhere(error: &DatabaseError) -> bool {
    let Some(error) = error.postgres() else { return false };
    error.is_closed() || error.code().is_some_and(|code| ELSEWHERE.contains(code) || code.code().starts_with("53"))
}

const ELSEWHERE: [SqlState; 5] = [
    SqlState::READ_ONLY_SQL_TRANSACTION,
    SqlState::ADMIN_SHUTDOWN,
    SqlState::CRASH_SHUTDOWN,
    SqlState::CANNOT_CONNECT_NOW,
    SqlState::INSUFFICIENT_PRIVILEGE,
];

/// Whether the transaction was rolled back in favour of another.
fn is_conflict(error: &DatabaseError) -> bool {
    [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED].iter().any(|code| has_code(error, code))
}

/// How long to wait after each try: from 2 ms doubling to 32 ms, each spread over its second half.
fn pauses() -> impl Iterator<Item = Duration> {
    (0..TRIES).map(|try_| {
        let longest = Duration::from_millis(2 << try_.min(4));
        let dice = f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX);
        longest.mul_f64(0.5 + dice / 2.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tries_take_less_than_a_second_of_waiting() {
        let pauses: Vec<_> = pauses().collect();
        assert!(pauses.iter().sum::<Duration>() < Duration::from_secs(1));
        assert!(pauses[0] >= Duration::from_millis(1) && pauses[0] <= Duration::from_millis(2));
        assert!(pauses.iter().all(|pause| *pause <= Duration::from_millis(32)));
    }
}
