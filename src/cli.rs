//! The command line, and the one place that puts the parts together.
//!
//! Data goes to stdout, everything else to stderr. Every failure is a sentence, where possible a hint, and one of the
//! exit statuses of [`Exit`].

pub mod accessible;
mod app;
mod args;
pub mod copy;
mod domains;
mod exit;
mod format;
pub mod keys;
mod output;
mod pets;
pub mod serve;
mod service;
mod transfer;
pub mod upkeep;
mod welcome;

use std::fmt::Display;
use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

use crate::api;
use crate::config::{self, Env, Paths, Settings};
use crate::store::DatabaseUrl;

use args::{Args, Command};
pub use exit::{Exit, Failed};

/// Parses the arguments of the process, does what they say, and says what went wrong.
#[must_use]
pub fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version go to stdout, the rest to stderr; a closed stream is no reason to fail loudly.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() };
        }
    };
    match run(args) {
        Ok(exit) => exit.into(),
        Err(failed) => {
            complain(&failed);
            failed.exit.into()
        }
    }
}

/// One line on stderr: `petstore: what happened`. A closed stderr is left alone.
pub fn complain(what: &impl Display) {
    let _ = writeln!(std::io::stderr(), "petstore: {what}");
}

fn run(args: Args) -> Result<Exit, Failed> {
    let env = Env::from_process();
    api::client::install_tls_provider();
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if !matches!(args.command, Some(Command::Serve(_))) {
        // The screen has the main thread; two more carry the service inside and the requests.
        builder.worker_threads(2);
    }
    let runtime =
        builder.enable_all().build().map_err(|error| Failed::new(Exit::Failure, format!("cannot start: {error}")))?;
    let result = match args.command {
        None => app::run(&runtime, &args.shared.choices(), &env),
        Some(Command::Pets(command)) => {
            let settings = Settings::resolve(&args.shared.choices(), &env)?;
            runtime.block_on(pets::run(command, &settings))
        }
        Some(Command::Domains(command)) => {
            let file = config::settings::configuration(&args.shared.choices(), &env)?;
            let list = Paths::new(&env).map_err(Failed::config)?.domains_file();
            runtime.block_on(domains::run(*command, &file.domains, &list))
        }
        Some(Command::Serve(serve)) => runtime.block_on(async {
            let default = DatabaseUrl::Sqlite(Paths::new(&env).map_err(Failed::config)?.embedded_database());
            serve::run(serve, &default, &keys::actor(&env), &mut std::io::stderr()).await?;
            Ok(Exit::Done)
        }),
        Some(Command::Keys(keys)) => runtime.block_on(async {
            keys::run(keys, &env, &mut std::io::stdout(), &mut std::io::stderr()).await?;
            Ok(Exit::Done)
        }),
        Some(Command::Backup(backup)) => runtime.block_on(async {
            upkeep::backup(backup, &mut std::io::stderr()).await?;
            Ok(Exit::Done)
        }),
        Some(Command::Check(check)) => runtime.block_on(async {
            upkeep::check(check, &mut std::io::stdout(), &mut std::io::stderr()).await?;
            Ok(Exit::Done)
        }),
        Some(Command::Copy(args)) => runtime.block_on(async {
            copy::run(args, &mut std::io::stderr()).await?;
            Ok(Exit::Done)
        }),
        Some(Command::Migrate(migrate)) => runtime.block_on(async {
            upkeep::migrate(migrate, &mut std::io::stderr()).await?;
            Ok(Exit::Done)
        }),
    };
    // A thread that still waits for a name to resolve must not keep the program.
    runtime.shutdown_background();
    result
}
