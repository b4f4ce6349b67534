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

use args::DomainsCommand;

/// Runs `command` with the `[domains]` part of the configuration and the list at `list`.
pub async fn run(command: DomainsCommand, configured: &Configured, list: &Path) -> Result<Exit, Failed> {
    let file = RegistryFile::new(list);
    let work = async {
        match command {
            DomainsCommand::Add(args) => registry::add(&args, configured, &file),
            DomainsCommand::List(args) => list::list(&args, configured, &file),
            DomainsCommand::Saved(args) => registry::saved(&args, configured, &file),
            DomainsCommand::Verified(args) => registry::verified(&args, configured, &file),
            DomainsCommand::Remove(args) => registry::remove(args, configured, &file).await,
            DomainsCommand::Check(args) => check::run(args, configured, &file).await,
            DomainsCommand::Report(args) => check::report(&args, configured, &file).await,
            DomainsCommand::Watch(args) => check::watch(args, configured, &file).await,
            DomainsCommand::Records(args) => files::records(args, configured, &file).await,
            DomainsCommand::Redirects(args) => check::redirects(args, configured, &file).await,
            DomainsCommand::Explain(args) => files::explain(&args),
        }
    };
    tokio::select! {
        result = work => result,
        _ = tokio::signal::ctrl_c() => Ok(Exit::Interrupt),
    }
}
