//! `petstore copy`: a whole store from one database to another, when one machine is outgrown, and back.

use clap::Args;

use super::args::DatabaseParser;
use super::error::{Exit, Failed};
use super::maintenance::{cancelled_by_interrupt, say_that_it_goes_on};
use super::output::note;
use crate::store::{self, CopyError, CopyProgress, CopySummary, DatabaseUrl};

/// Copy a store to another database: animals with their ids, API keys and Idempotency-Keys.
///
/// Stop the service first: what is added meanwhile is not copied. After an interruption the same command goes on where
/// it was. At the end every row of the copy is read and held against the store.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  petstore copy --from sqlite:store.db --to postgres://petstore@db.shop.example/pets\n  \
    petstore copy --from postgres://petstore@db.shop.example/pets --to sqlite:store.db"
)]
pub struct CopyArgs {
    /// The database to copy. It is not changed.
    #[arg(long, value_name = "URL", env = "PETSTORE_COPY_FROM", hide_env_values = true, value_parser = DatabaseParser)]
    from: DatabaseUrl,
    /// An empty database, or one that an earlier copy had begun to fill.
    #[arg(long, value_name = "URL", env = "PETSTORE_COPY_TO", hide_env_values = true, value_parser = DatabaseParser)]
    to: DatabaseUrl,
}

impl From<CopyError> for Failed {
    fn from(error: CopyError) -> Self {
        let exit = match &error {
            CopyError::Cancelled => Exit::Interrupt,
            CopyError::Same => Exit::Usage,
            _ => Exit::Failure,
        };
        Self::of(exit, &error)
    }
}

/// Copies, and says how many animals are there now.
pub async fn run(args: CopyArgs) -> Result<Exit, Failed> {
    let CopyArgs { from, to } = args;
    let (progress, cancel) = (CopyProgress::default(), cancelled_by_interrupt());
    let copied = say_that_it_goes_on(|| describe(&progress), store::copy(&from, &to, &progress, &cancel)).await?;
    let CopySummary { added, pets, .. } = copied;
    note(&format!("copied {added} animals from {from} to {to}, which has {pets} now, each verified"));
    Ok(Exit::Done)
}

fn describe(progress: &CopyProgress) -> String {
    match progress.counts() {
        [found, 0, 0] if found > 0 => format!("reading what an earlier copy has left, {found} animals"),
        [_, copied, 0] => format!("copying, {copied} animals"),
        [_, _, verified] => format!("verifying, {verified} animals"),
    }
}
