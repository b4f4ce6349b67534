//! `petstore domains`: checks of domains, and the list of domains.
//!
//! What the operator recorded is kept apart from what was measured: `saved`, `verified` and `remove` record, `check` and
//! `watch` measure.

pub mod args;
mod check;
mod files;
mod json;
mod list;
mod registry;
pub mod settings;
mod words;

use std::path::Path;

use super::{Exit, Failed};
use crate::config::file::Domains as Configured;
use crate::domains::RegistryFile;

use args::DomainsCommand as Command;
use settings::Project;

/// Runs `command` with the `[domains]` part of the configuration and the list at `list`.
pub async fn run(command: Command, configured: &Configured, list: &Path) -> Result<Exit, Failed> {
    let project = &Project { configured, file: RegistryFile::new(list) };
    let work = async {
        match command {
            Command::Add(args) => registry::add(&args, project),
            Command::List(args) => list::list(&args, project),
            Command::Saved(args) => registry::saved(&args, project),
            Command::Verified(args) => registry::verified(&args, project),
            Command::Remove(args) => registry::remove(args, project).await,
            Command::Check(args) => check::run(args, project).await,
            Command::Report(args) => check::report(&args, project).await,
            Command::Watch(args) => check::watch(args, project).await,
            Command::Records(args) => files::records(args, project).await,
            Command::Redirects(args) => check::redirects(args, project).await,
            Command::Explain(args) => files::explain(&args),
        }
    };
    tokio::select! {
        result = work => result,
        _ = tokio::signal::ctrl_c() => Ok(Exit::Interrupt),
    }
}
