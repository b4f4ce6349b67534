//! `petstore pets`: list, add, set, get and watch, for scripts; import and export are in the module beside it.

mod add;
pub mod args;
pub mod context;
mod get;
mod history;
mod list;
mod set;
mod watch;

use std::cell::Cell;

use crate::config::{Env, Service, Settings, settings};
use crate::model::export::Kind;
use crate::model::{PetId, display_safe};

use super::args::GlobalArgs;
use super::confirm::{change_question, confirm, question};
use super::error::GIVE_A_KEY;
use super::output::{colours, is_coloured, is_terminal};
use super::render::ResultFormat;
use super::signals::Signals;
use super::{Exit, Failed, Result, note, service, transfer};
use args::{PetsCommand, WatchFormat};
use context::{Context, format};

/// Runs `command`.
pub async fn run(command: PetsCommand, shared: &GlobalArgs, env: &Env) -> Result<Exit> {
    let choices = &shared.choices;
    let wants_json = wants_json(&command, env);
    let done = match command {
        PetsCommand::Import(args) if args.dry_run => {
            transfer::check(args, settings::configuration(choices, env)?.categories, shared.verbosity()).await
        }
        PetsCommand::Add(args) if args.dry_run => add::show(args, &Settings::without_key(choices, env)?),
        command => at_the_service(command, shared, &Settings::resolve(choices, env)?, env).await,
    };
    done.map_err(|failed| Failed { shows_body: wants_json, ..failed })
}

async fn at_the_service(command: PetsCommand, shared: &GlobalArgs, settings: &Settings, env: &Env) -> Result<Exit> {
    use PetsCommand::*;
    let changes = matches!(&command, Set(args) if !args.dry_run);
    if (changes || matches!(command, Add(_) | Import(_)))
        && let Some(why) = settings.why_read_only()
    {
        return Err(Failed::config(format!("nothing was sent: {}", display_safe(&why))));
    }
    if let Service::Remote(remote) = &settings.service
        && remote.key.is_none()
    {
        return Err(Failed::new(Exit::Unauthorized, format!("no API key for {}", remote.base_url)).hint(GIVE_A_KEY));
    }
    // What is not known where a signal ends the wait for the answer.
    let unknown = match &command {
        Add(args) => {
            confirm(&question("a pet", settings), settings, args.yes)?;
            "the pet may or may not have been added; check with: petstore pets list --all".to_owned()
        }
        Set(args) if changes => {
            let check = if args.file.is_some() {
                // They are listed before the question.
                "list --all".to_owned()
            } else {
                confirm(&change_question(args.ids.len(), settings), settings, args.yes)?;
                format!("get {}", Vec::from_iter(args.ids.iter().map(PetId::to_string)).join(" "))
            };
            format!("pets may or may not have been changed; check with: petstore pets {check}")
        }
        _ => String::new(),
    };
    let is_sent = Cell::new(matches!(command, Add(_)));
    let (mut client, embedded) = service::connect(settings).await?;
    if let Some(timeout) = command.timeout() {
        client = client.within(timeout).map_err(Failed::because("cannot prepare requests"))?;
    }
    let verbosity = shared.verbosity();
    if let Some(recorder) = verbosity.recorder() {
        client = client.recording(recorder);
    }
    let service = &settings.service.name();
    let coloured = is_coloured(colours(shared.color, env), is_terminal(), env);
    let context = Context { client: &client, service, settings, env, verbosity, coloured };
    // The others see to their end, and say how far they came.
    let ends_at_once = command.asks_one_by_one();
    let mut signals = Signals::new()?;
    let work = async {
        match command {
            List(args) => list::run(&context, args).await,
            Count(args) => list::count(&context, &args, false).await,
            Stats(args) => list::count(&context, &args, true).await,
            Add(args) => add::run(&context, args).await,
            Set(args) => set::run(&context, args, &is_sent).await,
            History(args) => history::run(&context, &args).await,
            Get(args) => get::run(&context, &args).await,
            Watch(args) => watch::run(&context, &args).await,
            Import(args) => transfer::import(&context, args).await,
            Export(args) => transfer::export(&context, &args).await,
        }
    };
    let result = tokio::select! {
        result = work => result,
        exit = signals.next(), if ends_at_once => Ok(exit),
    };
    if is_sent.get() && matches!(result, Ok(Exit::Hangup | Exit::Interrupt | Exit::Quit | Exit::Terminate)) {
        note(&settings.with_flags(&format!("stopped waiting: {unknown}")));
    }
    if let Some(embedded) = embedded {
        embedded.stop().await;
    }
    result.map_err(|failed| failed.with_key_of(settings).at(settings))
}

/// Whether the output is JSON, so that an Error body is printed too.
fn wants_json(command: &PetsCommand, env: &Env) -> bool {
    use PetsCommand::*;
    let output = match command {
        List(args) => &args.output,
        Add(args) => &args.output,
        Set(args) => &args.output,
        Get(args) => &args.output,
        History(args) => return args.output.chosen() == ResultFormat::Json,
        Count(args) | Stats(args) => return args.output.chosen() == ResultFormat::Json,
        Watch(args) => return args.format == WatchFormat::Ndjson,
        Import(_) | Export(_) => return false,
    };
    matches!(format(output, env), Ok(Kind::Json | Kind::Ndjson))
}
