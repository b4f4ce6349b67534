//! The command line, and the one place that puts the parts together.
//!
//! Data goes to stdout, everything else to stderr. Every failure is a sentence, where possible a hint, and one of the
//! exit statuses of [`Exit`].

pub mod args;
pub mod command;
mod completions;
mod configuration;
mod confirm;
mod dialogue;
mod doctor;
mod domains;
mod error;
mod format;
mod keys;
mod launch;
mod maintenance;
mod output;
pub mod pets;
mod profiles;
mod render;
mod serve;
mod service;
mod signals;
pub mod ssh;
mod transfer;

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::FromArgMatches as _;
use clap::error::ErrorKind;
use tokio::runtime::Builder;
use tracing::Level;

use crate::api;
use crate::config::{self, Choices, Env, Paths};
use crate::local::atomic_file::temporary_directory;

use args::OVER_SSH;
use command::{AGENTS, AccessCommand, Args, Command, VERSION};
pub use error::{Exit, Failed, Result};
use output::{colours, colours_of_help, is_coloured, note};
use pets::args::PetsCommand;
use signals::fail_at_file_size_limit;
pub use signals::report as report_panics;
use ssh::SshStart;
use ssh::person::{ASK, revoked};

/// The whole command line, for the manual pages.
pub fn command() -> clap::Command {
    command::root()
}

/// Parses the arguments of the process, runs the command, and reports a failure.
pub fn main() -> ExitCode {
    let mut coloured = false;
    let arguments: Vec<_> = std::env::args_os().collect();
    let env = Env::from_process();
    let done = ssh::leave_variables(&arguments, &env).and_then(|()| start(&arguments, &env, &mut coloured));
    let exit = done.unwrap_or_else(|failed| {
        report(&failed, coloured, serve::logs_json(&arguments));
        failed.exit
    });
    ExitCode::from(exit as u8)
}

/// Sets `coloured` to whether a failure is shown in colour, as soon as that is known.
fn start(arguments: &[OsString], env: &Env, coloured: &mut bool) -> Result<Exit> {
    if let Some(exit) = completions::answer(command, arguments, env) {
        return Ok(exit);
    }
    error::refuse_misplaced_key(arguments, env)?;
    // This needs no parsing of the whole command line.
    if matches!(arguments, [_, only] if only == "--version" || only == "-V") {
        return render::print(|out| writeln!(out, "petstore {}", *VERSION)).map(|()| Exit::Done);
    }
    let mut start = |args: Args, env: &Env| {
        *coloured = is_coloured(colours(args.shared.color, env), io::stderr().is_terminal(), env);
        run(args, env, *coloured)
    };
    match parse(arguments, env) {
        Err(ended) => ended,
        Ok(Args { command: Some(Command::SshSession { name }), .. }) => {
            let (arguments, session) = SshStart::new(&name, env)?;
            match parse(&arguments, &session.env) {
                Err(ended) => ended.map_err(|failed| failed.hint(OVER_SSH)),
                Ok(args) => {
                    let args = session.confine(args)?;
                    #[cfg(target_os = "linux")]
                    session.restrict(&args.shared.choices);
                    start(args, &session.env).map_err(|failed| match failed.exit {
                        Exit::Unauthorized => failed.hint(ASK),
                        _ => failed,
                    })
                }
            }
        }
        Ok(args) => start(args, env),
    }
}

/// Reads the command line. If there is nothing to run, the error says how it ended: help was printed, or what is wrong.
fn parse(arguments: &[OsString], env: &Env) -> Result<Args, Result<Exit>> {
    let mut command = command().color(colours_of_help(arguments, env));
    let mut matches = command.try_get_matches_from_mut(arguments);
    if matches.as_ref().is_err_and(|error| error.kind() == ErrorKind::DisplayHelp) {
        // Only now, since it takes a while to build every command.
        command.build();
        command.get_subcommands_mut().for_each(args::hide_global_options);
        matches = command.try_get_matches_from_mut(arguments);
    }
    let parsed = matches.and_then(|matches| Args::from_arg_matches(&matches));
    parsed.map_err(|error| error::usage_error(&error, &command, arguments).map_or_else(|| print(&error), Err))
}

/// Prints requested help and the version to stdout, and other help to stderr.
fn print(error: &clap::Error) -> Result<Exit> {
    if error.use_stderr() {
        let _ = error.print();
        return Ok(Exit::Usage);
    }
    output::is_there()?;
    match error.print() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failed::because("cannot write to standard output")(error))
        }
        Ok(()) | Err(_) => Ok(Exit::Done),
    }
}

/// One line on stderr: `petstore: what happened`, or the same as a line of a log in JSON. A closed stderr is left alone.
fn report(what: &impl Display, coloured: bool, is_json: bool) {
    let _ = match is_json {
        true => writeln!(io::stderr(), "{}", serve::as_json(Level::ERROR, &output::complaint(what, false))),
        false => writeln!(io::stderr(), "{}", output::complaint(what, coloured)),
    };
}

/// Refuses two options that name a service. Only `login` takes both, for a new profile and its address.
fn one_service(choices: &Choices, command: Option<&Command>) -> Result<()> {
    let makes_one = matches!(command, Some(Command::Access(AccessCommand::Login(_))));
    let given = [
        ("--demo", choices.demo),
        ("--profile", choices.profile.is_some() && !makes_one),
        ("--base-url", choices.base_url.is_some()),
    ];
    let mut given = given.iter().filter(|(_, given)| *given).map(|(name, _)| name);
    let (Some(one), Some(other)) = (given.next(), given.next()) else { return Ok(()) };
    Err(Failed::config(format!("{one} and {other} each name a service")).hint("use only one of them"))
}

fn run(args: Args, env: &Env, coloured: bool) -> Result<Exit> {
    use Command::*;
    api::client::install_tls_provider();
    if args.shared.no_input || env.is_unattended() {
        confirm::never_ask();
    }
    let mut builder = match &args.command {
        Some(Pets(pets)) if pets.asks_one_by_one() => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    if !matches!(args.command, Some(Serve(_))) {
        // The screen has the main thread; two more run the embedded service and the requests.
        builder.worker_threads(2);
    }
    let runtime = builder.enable_all().build().map_err(Failed::because("cannot start"))?;
    runtime.block_on(async { fail_at_file_size_limit() }).map_err(Failed::because("cannot start"))?;
    let choices = args.shared.choices.clone();
    one_service(&choices, args.command.as_ref())?;
    let result = match args.command.unwrap_or(Ui { place: None }) {
        Ui { place } => launch::run(&runtime, &choices, env, place, || command().render_usage()),
        Pets(command) => runtime.block_on(async {
            let sends = matches!(command, PetsCommand::Add(_) | PetsCommand::Import(_));
            tokio::select! {
                done = pets::run(command, &args.shared, env) => done,
                failed = revoked(choices.ssh.clone(), sends) => Err(failed),
            }
        }),
        Domains(command) => {
            if choices.demo && command.asks() {
                return Err(Failed::config("the demo asks no name servers")
                    .hint("leave out --demo; its practice domains are in the app: petstore --demo ui domains"));
            }
            let file = config::settings::configuration(&choices, env)?;
            // The demo keeps nothing.
            let samples = choices.demo.then(|| temporary_directory("petstore-demo-")).transpose();
            let samples = samples.map_err(Failed::because("cannot create a temporary directory"))?;
            let list = match &samples {
                Some(directory) => directory.path().join("domains.json"),
                None => Paths::new(env).map_err(Failed::config)?.domains_file(),
            };
            let done = runtime.block_on(domains::run(*command, &file.domains, &list));
            if samples.is_some() && list.exists() {
                note("with --demo, the list of domains is not kept");
            }
            done
        }
        Access(command) => match command {
            AccessCommand::Login(login) => runtime.block_on(profiles::login(login, &choices, env)),
            AccessCommand::Logout => profiles::logout(&choices, env),
            AccessCommand::Status(output) => runtime.block_on(service::status(output, &choices, env)),
        },
        Profiles(profiles) => runtime.block_on(profiles::run(profiles, choices, env)),
        Config(config) => configuration::run(&config, &choices, env),
        Doctor(output) => runtime.block_on(doctor::run(output, launch::LEAST, &choices, env)),
        Serve(serve) => serve::in_process(&runtime, serve, env, coloured),
        Keys(keys) => runtime.block_on(keys::at_the_terminal(keys, env)),
        Ssh(command) => runtime.block_on(ssh::run(command, &choices, env)),
        SshSession { .. } => unreachable!("it was replaced by the command of the session"),
        Database(command) | Older(command) => runtime.block_on(maintenance::run(command)),
        Completions(args) => completions::run(&args),
        Agents => render::print(|out| out.write_all(AGENTS.as_bytes())).map(|()| Exit::Done),
    };
    // A thread that still waits for a name to resolve must not keep the program running.
    runtime.shutdown_background();
    result
}
