//! `petstore database`: maintenance of the database of a service.

use std::fmt::{self, Display, Formatter, from_fn};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval_at};
use tokio_util::sync::CancellationToken;

use super::args::{DATABASE_VARIABLE, DatabaseArg, DatabaseParser};
use super::output;
use super::render::print;
use super::signals::Signals;
use super::{Exit, Failed, Result, note};
use crate::clock;
use crate::model::{counted, display_safe};
use crate::store::{self, CopyError, CopyProgress, CopySummary, DatabaseUrl, Store};

/// How often progress is shown.
const PROGRESS: Duration = Duration::from_millis(500);
const PROGRESS_IN_A_LOG: Duration = Duration::from_secs(60);

pub const DATABASE_HELP: &str = "Examples:
  petstore database backup --database sqlite:store.db store-2026-11-21.db
  petstore database check --database sqlite:store.db";

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum DatabaseCommand {
    /// Copy a service's database while it is in use.
    Backup(BackupArgs),
    /// Restore a service's database from a backup, while the service is stopped.
    ///
    /// The backup is verified first, and the copy of it before it takes the place of the database. The backup stays.
    Restore(RestoreArgs),
    /// Check a service's database: every page and every pet.
    #[command(after_help = "Example:\n  petstore database check --database sqlite:store.db")]
    Check(DatabaseArg),
    /// Copy a store to another database, and verify the copy.
    ///
    /// Copies pets with their ids, API keys and Idempotency-Keys. Stop the service first: pets added during the copy are
    /// not copied. An interrupted copy leaves nothing: run the same command again. At the end every row of the copy is
    /// compared with the store.
    Copy(CopyArgs),
    /// Create or update the tables of a service's database.
    #[command(after_help = "Example:\n  petstore database migrate --database postgres://owner@db.shop.example/pets")]
    Migrate(DatabaseArg),
}

/// Runs `command`.
pub async fn run(command: DatabaseCommand) -> Result<Exit> {
    use DatabaseCommand::*;
    match command {
        Backup(args) => backup(args).await,
        Restore(args) => restore(args).await,
        Check(database) => check(database.url).await,
        Copy(args) => copy(args).await,
        Migrate(database) => migrate(database.url).await,
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  petstore database backup --database sqlite:store.db store-2026-11-21.db\n\n\
    To put it back: petstore database restore store-2026-11-21.db --database sqlite:store.db")]
pub struct BackupArgs {
    #[command(flatten)]
    database: DatabaseArg,
    /// The new file of the copy. It also contains the hashes of the API keys.
    file: PathBuf,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  petstore database restore store-2026-11-21.db --database sqlite:store.db --force\n\n\
    Under systemd, first: systemctl stop petstore.socket petstore.service"
)]
pub struct RestoreArgs {
    /// The backup: a file of petstore database backup.
    file: PathBuf,
    /// The database to restore, sqlite:FILE. It must not be in use.
    #[arg(long, value_name = "URL", env = DATABASE_VARIABLE, hide_env_values = true, value_parser = DatabaseParser)]
    database: DatabaseUrl,
    /// Overwrite an existing database.
    #[arg(long)]
    force: bool,
}

/// Makes the copy, and fails if a quick check finds it damaged. Then, and after a signal, no file is left.
async fn backup(args: BackupArgs) -> Result<Exit> {
    let (database, copy) = (args.database.url, args.file.display());
    let stop = Stop::on_signal()?;
    let copying = store::backup(&database, &args.file, stop.token.clone());
    let copied = with_progress("copying", copying).await;
    let damaged = |count| {
        format!(
            "{copy} was not written, since the copy is damaged ({count}); {database} may be damaged too: run \
             petstore database check, and keep your older backups"
        )
    };
    let changed = stop.done(copied, damaged).await?;
    note(&format!("copied {database} to {copy}"));
    changed.iter().for_each(|changed| note(changed));
    Ok(Exit::Done)
}

/// Replaces the database by the backup, and reports how many pets it has now. A failure leaves it as it was.
async fn restore(args: RestoreArgs) -> Result<Exit> {
    let RestoreArgs { file, database, force } = args;
    let backup = file.display();
    let stop = Stop::on_signal()?;
    let restoring = store::restore(&file, &database, force, stop.token.clone());
    let restored = with_progress("restoring", restoring).await;
    let damaged = |count| format!("{backup} is damaged ({count}), and {database} was not changed: use an older backup");
    let restored = stop.done(restored, damaged).await?;
    note(&format!("restored {database} from {backup}: {}", counted(restored.pets, "pet")));
    note("API keys are as they were in the backup; petstore keys list shows whether one that was revoked is back");
    restored.changed.iter().for_each(|changed| note(changed));
    Ok(Exit::Done)
}

/// Reports that the database is intact; otherwise lists each problem and fails.
async fn check(database: DatabaseUrl) -> Result<Exit> {
    output::is_there()?;
    let checked = with_progress("checking", store::check(&database, false)).await;
    let checked = checked.map_err(|error| Failed::of(Exit::Failure, &error))?;
    if !checked.problems.is_empty() {
        return Err(damaged(&checked.problems, |count| {
            format!("{database} is damaged ({count}): stop the service, keep this file, and restore the last backup")
        }));
    }
    if let Some(changed) = checked.changed {
        return Err(Failed::new(Exit::Failure, format!("{database} is intact, but {changed}")));
    }
    print(|out| writeln!(out, "{database} is intact: {}", counted(checked.pets, "pet"))).map(|()| Exit::Done)
}

/// Lists each problem; `what` says what it means, with their count.
fn damaged(problems: &[String], what: impl FnOnce(String) -> String) -> Failed {
    problems.iter().for_each(|problem| note(&display_safe(problem)));
    Failed::new(Exit::Failure, display_safe(&what(counted(problems.len(), "problem"))))
}

/// Brings the schema up to date. Several programs may do so at once.
async fn migrate(database: DatabaseUrl) -> Result<Exit> {
    let store = with_progress("updating the schema", Store::open(&database)).await;
    store.map_err(|error| Failed::of(Exit::Failure, &error))?.close().await;
    note(&format!("the schema of {database} is up to date"));
    Ok(Exit::Done)
}

/// Calls work off at the first signal that ends a command, so that nothing of it is left.
struct Stop {
    token: CancellationToken,
    signal: JoinHandle<Exit>,
}

impl Stop {
    fn on_signal() -> Result<Self> {
        let (token, mut signals) = (CancellationToken::new(), Signals::new()?);
        let cancelled = token.clone();
        let signal = tokio::spawn(async move {
            let exit = signals.next().await;
            cancelled.cancel();
            exit
        });
        Ok(Self { token, signal })
    }

    /// The exit status of work that was called off.
    async fn exit(self) -> Exit {
        self.signal.await.unwrap_or(Exit::Interrupt)
    }

    /// What the work gave; `what` says what problems in the copy mean, with their count.
    async fn done<T>(self, done: Result<T, CopyError>, what: impl FnOnce(String) -> String) -> Result<T> {
        Err(match done {
            Ok(value) => return Ok(value),
            Err(CopyError::Damaged(problems)) => damaged(&problems, what),
            Err(CopyError::Cancelled) => Failed::new(self.exit().await, "interrupted"),
            Err(error) => Failed::of(Exit::Failure, &error),
        })
    }
}

/// Waits for `work` and shows `what`: continuously on a terminal, elsewhere as a line a minute.
async fn with_progress<T>(what: impl Display, work: impl Future<Output = T>) -> T {
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
                let seconds = clock::now().mono.duration_since(started).as_secs_f64();
                let _ = if is_terminal {
                    write!(stderr, "\r\x1b[K{what}, {seconds:.1} s (Ctrl-C to stop)")
                } else {
                    writeln!(stderr, "{what}, {seconds:.0} s")
                };
            }
        }
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  petstore database copy --from sqlite:store.db --to postgres://petstore@db.shop.example/pets\n  \
    petstore database copy --from postgres://petstore@db.shop.example/pets --to sqlite:store.db"
)]
pub struct CopyArgs {
    /// The database to copy. It is not changed.
    #[arg(long, value_name = "URL", env = "PETSTORE_COPY_FROM", hide_env_values = true, value_parser = DatabaseParser)]
    from: DatabaseUrl,
    /// An empty database.
    #[arg(long, value_name = "URL", env = "PETSTORE_COPY_TO", hide_env_values = true, value_parser = DatabaseParser)]
    to: DatabaseUrl,
}

/// Copies, and reports how many pets the copy has.
async fn copy(args: CopyArgs) -> Result<Exit> {
    let CopyArgs { from, to } = args;
    let (progress, stop) = (CopyProgress::default(), Stop::on_signal()?);
    let copied =
        with_progress(from_fn(|f| describe(f, &progress)), store::copy(&from, &to, &progress, &stop.token)).await;
    let CopySummary { added, pets, .. } = match copied {
        Ok(copied) => copied,
        Err(error @ CopyError::Cancelled) => return Err(Failed::of(stop.exit().await, &error)),
        Err(error @ CopyError::Same) => return Err(Failed::of(Exit::Usage, &error)),
        Err(error) => return Err(Failed::of(Exit::Failure, &error)),
    };
    let added = counted(added, "pet");
    note(&format!("copied {added} from {from} to {to}, which now has {}, all verified", counted(pets, "pet")));
    Ok(Exit::Done)
}

fn describe(f: &mut Formatter<'_>, progress: &CopyProgress) -> fmt::Result {
    match progress.counts() {
        [copied, 0] => write!(f, "copying, {}", counted(copied, "pet")),
        [_, verified] => write!(f, "verifying, {}", counted(verified, "pet")),
    }
}
