//! `petstore backup`, `check` and `migrate`: maintenance of a database, which may be in use.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use tokio::time::{Instant, interval_at};
use tokio_util::sync::CancellationToken;

use crate::clock;
use crate::model::display_safe;
use crate::model::words::counted;
use crate::store::{self, BackupError, DatabaseUrl, Store, StoreError};

use super::args::DatabaseArg;
use super::error::{Exit, Failed};
use super::output::{self, note};

/// How often progress is shown.
const PROGRESS: Duration = Duration::from_millis(500);
const PROGRESS_IN_A_LOG: Duration = Duration::from_secs(60);

/// Copy a service's database while it is in use.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  petstore backup --database sqlite:store.db store-2026-11-21.db\n\n\
    To use the copy: petstore serve --database sqlite:store-2026-11-21.db")]
pub struct BackupArgs {
    #[command(flatten)]
    database: DatabaseArg,
    /// The new file of the copy. It also contains the hashes of the API keys.
    file: PathBuf,
}

impl From<BackupError> for Failed {
    fn from(error: BackupError) -> Self {
        match error {
            BackupError::Cancelled => interrupted(),
            error => Self::of(Exit::Failure, &error),
        }
    }
}

fn interrupted() -> Failed {
    Failed::new(Exit::Interrupt, "interrupted")
}

/// The failure of a database that cannot be read.
fn unreadable(error: StoreError) -> Failed {
    Failed::of(Exit::Failure, &error)
}

/// Makes the copy, and fails if a quick check finds it damaged; the file then stays. Ctrl-C cancels, and leaves no
/// incomplete copy behind.
pub async fn backup(args: BackupArgs) -> Result<Exit, Failed> {
    let (database, copy) = (args.database.url, args.file.display());
    let cancel = cancelled_by_interrupt();
    let copying = store::backup(&database, &args.file, cancel.clone());
    with_progress(|| "copying".to_owned(), copying).await?;
    let copied = DatabaseUrl::Sqlite(args.file.clone());
    let checking = cancel.run_until_cancelled(store::quick_check(&copied));
    let checked = with_progress(|| "checking the copy".to_owned(), checking).await;
    let problems = checked.ok_or_else(interrupted)?.map_err(unreadable)?.problems;
    if !problems.is_empty() {
        note_problems(&problems);
        let what = format!(
            "{copy} was written but is damaged ({}); {database} may be damaged too: run petstore check, and keep your \
             older backups",
            counted(problems.len(), "problem")
        );
        return Err(Failed::new(Exit::Failure, display_safe(&what)));
    }
    note(&format!("copied {database} to {copy}"));
    Ok(Exit::Done)
}

/// Reports that the database is intact; otherwise lists each problem and fails.
pub async fn check(database: DatabaseUrl) -> Result<Exit, Failed> {
    output::is_there()?;
    let checked = with_progress(|| "checking".to_owned(), store::check(&database)).await.map_err(unreadable)?;
    if checked.problems.is_empty() {
        output::write(|out| writeln!(out, "{database} is intact: {}", counted(checked.pets, "pet")))?;
        return Ok(Exit::Done);
    }
    note_problems(&checked.problems);
    let what = format!(
        "{database} is damaged ({}): stop the service, keep this file, and restore the last backup",
        counted(checked.problems.len(), "problem")
    );
    Err(Failed::new(Exit::Failure, display_safe(&what)))
}

fn note_problems(problems: &[String]) {
    problems.iter().for_each(|problem| note(&display_safe(problem)));
}

/// Brings the schema up to date. Several programs may do so at once.
pub async fn migrate(database: DatabaseUrl) -> Result<Exit, Failed> {
    let migrating = Store::open(&database);
    let store = with_progress(|| "updating the schema".to_owned(), migrating).await;
    store.map_err(unreadable)?.close().await;
    note(&format!("the schema of {database} is up to date"));
    Ok(Exit::Done)
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

/// Waits for `work` and shows `what`: continuously on a terminal, elsewhere as a line a minute.
pub(super) async fn with_progress<T>(what: impl Fn() -> String, work: impl Future<Output = T>) -> T {
    let mut stderr = io::stderr();
    let is_terminal = stderr.is_terminal();
    let started = clock::now().mono;
    let every = if is_terminal { PROGRESS } else { PROGRESS_IN_A_LOG };
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
