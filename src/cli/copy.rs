//! `petstore copy`: copies a whole store from one database to another.

use clap::Args;

use super::args::DatabaseParser;
use super::error::{Exit, Failed};
use super::maintenance::{Stop, with_progress};
use super::output::note;
use crate::model::words::counted;
use crate::store::{self, CopyError, CopyProgress, CopySummary, DatabaseUrl};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  petstore copy --from sqlite:store.db --to postgres://petstore@db.shop.example/pets\n  \
    petstore copy --from postgres://petstore@db.shop.example/pets --to sqlite:store.db"
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
pub async fn run(args: CopyArgs) -> Result<Exit, Failed> {
    let CopyArgs { from, to } = args;
    let (progress, stop) = (CopyProgress::default(), Stop::on_signal()?);
    let copied = with_progress(|| describe(&progress), store::copy(&from, &to, &progress, &stop.token)).await;
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

fn describe(progress: &CopyProgress) -> String {
    match progress.counts() {
        [copied, 0] => format!("copying, {}", counted(copied, "pet")),
        [_, verified] => format!("verifying, {}", counted(verified, "pet")),
    }
}
