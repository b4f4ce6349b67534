//! `petstore backup`, `check` and `migrate`: what an operator does with a database, which may be in use meanwhile.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use tokio::time::{Instant, interval_at};
use tokio_util::sync::CancellationToken;

use crate::clock;
use crate::model::display_safe;
use crate::model::text::safe_causes;
use crate::store::{self, BackupError, DatabaseUrl, Store, StoreError};

use super::args::DatabaseArg;
use super::error::{Exit, Failed};

/// How often somebody who waits is told that it goes on.
const PATIENCE: Duration = Duration::from_millis(500);
const PATIENCE_OF_A_LOG: Duration = Duration::from_secs(60);

/// Copy a service's database while it is in use.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  petstore backup --database sqlite:store.db store-2026-11-21.db\n\n\
    To use the copy: petstore serve --database sqlite:store-2026-11-21.db")]
pub struct BackupArgs {
    #[command(flatten)]
    database: DatabaseArg,
    /// The copy, a file that is not there yet. It holds the hashes of the API keys too.
    file: PathBuf,
}

/// Check every page and animal of a service's database.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  petstore check --database sqlite:store.db")]
pub struct CheckArgs {
    #[command(flatten)]
    database: DatabaseArg,
}

/// Make or bring up to date the tables of a service's database.
///
/// `petstore serve` does it too where it is needed. By itself it can be done by another user of the database, before any
/// instance is started.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  petstore migrate --database postgres://owner@db.shop.example/pets")]
pub struct MigrateArgs {
    #[command(flatten)]
    database: DatabaseArg,
}

/// Why there is no copy, or the database is not sound.
#[derive(Debug, thiserror::Error)]
pub enum UpkeepError {
    /// No copy was made.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The database is damaged.
    #[error("{0} is damaged ({1} found): stop the service, keep this file, and go on with the last backup")]
    Damaged(DatabaseUrl, usize),
    /// The copy is damaged, as far as a quick look tells.
    #[error(
        "{} was written and is damaged ({found} found); {database} may be, too: look with petstore check, and keep \
         the backups that you have", .copy.display()
    )]
    DamagedCopy {
        /// What was copied.
        database: DatabaseUrl,
        /// The copy, which stays.
        copy: PathBuf,
        /// How much is wrong with it.
        found: usize,
    },
    /// The findings could not be printed.
    #[error("the findings could not be printed")]
    Print(#[from] io::Error),
    /// SIGINT.
    #[error("interrupted")]
    Interrupted,
}

impl From<UpkeepError> for Failed {
    fn from(error: UpkeepError) -> Self {
        let exit = if matches!(error, UpkeepError::Interrupted) { Exit::Interrupt } else { Exit::Failure };
        Self::new(exit, safe_causes(&error))
    }
}

/// Makes the copy, and fails where a quick look finds it damaged; then it stays. Ctrl-C calls it off, and
/// leaves nothing behind before the copy is whole.
pub async fn backup(args: BackupArgs, err: &mut impl Write) -> Result<(), UpkeepError> {
    let cancel = cancelled_by_interrupt();
    let copying = store::backup(&args.database.url, &args.file, cancel.clone());
    let copied = say_that_it_goes_on(|| "copying".to_owned(), copying).await;
    match copied {
        Err(BackupError::Cancelled) => Err(UpkeepError::Interrupted),
        copied => {
            copied?;
            let copy = DatabaseUrl::Sqlite(args.file.clone());
            let looked = cancel.run_until_cancelled(store::quick_check(&copy));
            let looked = say_that_it_goes_on(|| "looking at the copy".to_owned(), looked).await;
            let looked = looked.ok_or(UpkeepError::Interrupted)??;
            if !looked.problems.is_empty() {
                say_problems(&looked.problems, err)?;
                let (database, copy, found) = (args.database.url, args.file, looked.problems.len());
                return Err(UpkeepError::DamagedCopy { database, copy, found });
            }
            let _ = writeln!(err, "copied {} to {}", args.database.url, args.file.display());
            Ok(())
        }
    }
}

/// Says on `out` that the database is sound; fails, after a line for each finding, when it is not.
pub async fn check(args: CheckArgs, out: &mut impl Write, err: &mut impl Write) -> Result<(), UpkeepError> {
    let checked = say_that_it_goes_on(|| "checking".to_owned(), store::check(&args.database.url)).await?;
    if checked.problems.is_empty() {
        writeln!(out, "{} is sound: {} animals", args.database.url, checked.pets)?;
        return Ok(out.flush()?);
    }
    say_problems(&checked.problems, err)?;
    Err(UpkeepError::Damaged(args.database.url, checked.problems.len()))
}

fn say_problems(problems: &[String], err: &mut impl Write) -> io::Result<()> {
    problems.iter().try_for_each(|problem| writeln!(err, "{}", display_safe(problem)))
}

/// Has the schema up to date; several may do it at once.
pub async fn migrate(args: MigrateArgs, err: &mut impl Write) -> Result<(), UpkeepError> {
    let migrating = Store::open(&args.database.url);
    let store = say_that_it_goes_on(|| "bringing the schema up to date".to_owned(), migrating).await?;
    store.close().await;
    let _ = writeln!(err, "the schema of {} is up to date", args.database.url);
    Ok(())
}

/// Cancelled by SIGINT.
pub(super) fn cancelled_by_interrupt() -> CancellationToken {
    let cancel = CancellationToken::new();
    let interrupted = cancel.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            interrupted.cancel();
        }
    });
    cancel
}

/// Waits for `work`, and says how far `what` is: on a terminal all the time, elsewhere a line a minute.
pub(super) async fn say_that_it_goes_on<T>(what: impl Fn() -> String, work: impl Future<Output = T>) -> T {
    let mut stderr = io::stderr();
    let is_terminal = stderr.is_terminal();
    let started = clock::now().mono;
    let every = if is_terminal { PATIENCE } else { PATIENCE_OF_A_LOG };
    let mut ticks = interval_at(Instant::from_std(started + every), every);
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            done = work.as_mut() => {
                if is_terminal {
                    let _ = write!(stderr, "\r\x1b[K");
                }
                return done;
            }
            _ = ticks.tick() => {
                let (what, seconds) = (what(), clock::now().mono.duration_since(started).as_secs_f64());
                let _ = if is_terminal {
                    write!(stderr, "\r\x1b[K{what}, {seconds:.1} s (Ctrl-C to stop)")
                } else {
                    writeln!(stderr, "{what}, {seconds:.0} s")
                };
            }
        }
    }
}
