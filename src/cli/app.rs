//! Opens the full screen, and says on the way out what was done.

use std::io::{IsTerminal as _, Write as _};

use clap::CommandFactory as _;
use crossterm::event::EventStream;
use jiff::tz::TimeZone;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use crate::clock;
use crate::config::{Choices, Env, Settings};
use crate::model::{Draft, IdempotencyKeys, text::short};
use crate::tui::event_loop::{self, Wires};
use crate::tui::msg::{QuitReason, Size};
use crate::tui::state::AppState;
use crate::tui::theme::Look;
use crate::tui::{terminal, worker};

use super::args::Args;
use super::exit::{Exit, Failed};
use super::service::{self, Embedded, as_failure};

/// Runs the app on this terminal until it ends.
pub fn run(runtime: &Runtime, choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        let what = "the full screen needs a terminal for both input and output";
        let usage = Args::command().render_usage();
        return Err(Failed::new(Exit::Usage, what).hint(format!("for scripts: petstore pets list\n{usage}")));
    }
    if matches!(env.get("TERM"), None | Some("dumb")) {
        let what = "this terminal (TERM is dumb or unset) cannot show a full screen";
        return Err(Failed::new(Exit::Usage, what).hint("petstore pets list works everywhere"));
    }
    let settings = Settings::resolve(choices, env)?;
    let look = Look { ascii: settings.ascii, mono: settings.mono, zone: TimeZone::system() };
    runtime.block_on(show(settings, look))
}

async fn show(settings: Settings, look: Look) -> Result<Exit, Failed> {
    let failed = |error: &dyn std::fmt::Display| Failed::new(Exit::Failure, format!("the terminal failed: {error}"));
    // The service starts while the first frame is drawn.
    let (keep, kept) = oneshot::channel::<Embedded>();
    let for_service = settings.clone();
    let worker = worker::spawn(async move {
        let (client, embedded) = service::connect(&for_service).await.map_err(|error| as_failure(&error))?;
        if let Some(Err(unwanted)) = embedded.map(|embedded| keep.send(embedded)) {
            unwanted.stop().await;
        }
        Ok(client)
    });
    let quits = watch_signals().map_err(|error| failed(&error))?;
    let (columns, rows) = crossterm::terminal::size().unwrap_or((80, 24));
    let state = AppState::new(&settings, Size { columns, rows }, IdempotencyKeys::new(Uuid::new_v4()));
    let mut screen = terminal::enter().map_err(|error| failed(&error))?;
    let wires = Wires { input: EventStream::new(), worker, quits, suspend: terminal::suspend, clock: clock::now };
    let ended = event_loop::run(&mut screen, state, &look, wires).await;
    terminal::leave();
    if let Ok(embedded) = kept.await {
        embedded.stop().await;
    }
    let state = ended.map_err(|error| failed(&error))?;
    hand_over(&state);
    Ok(match state.quitting {
        None | Some(QuitReason::User) => Exit::Done,
        Some(QuitReason::Interrupt) => Exit::Interrupt,
        Some(QuitReason::Terminate) => Exit::Terminate,
        Some(QuitReason::Hangup) => Exit::Hangup,
    })
}

/// Signals, and the end of the terminal, as reasons to quit.
fn watch_signals() -> std::io::Result<mpsc::Receiver<QuitReason>> {
    let (quit, quits) = mpsc::channel(4);
    for (kind, reason) in [
        (SignalKind::interrupt(), QuitReason::Interrupt),
        (SignalKind::terminate(), QuitReason::Terminate),
        (SignalKind::hangup(), QuitReason::Hangup),
    ] {
        let mut signals = signal(kind)?;
        let quit = quit.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                let _ = quit.send(reason).await;
            }
        });
    }
    std::thread::Builder::new().name("hangup".into()).spawn(move || {
        terminal::wait_for_hangup();
        let _ = quit.blocking_send(QuitReason::Hangup);
    })?;
    Ok(quits)
}

/// What was added, and what was typed but not sent, so that nothing is lost with the screen.
fn hand_over(state: &AppState) {
    let mut lines = Vec::new();
    let ids: Vec<String> = state.added.iter().map(|added| added.pet.id.to_string()).collect();
    match ids.as_slice() {
        [] => {}
        [id] => lines.push(format!("1 added: id {id}")),
        [first, .., last] => lines.push(format!("{} added: ids {first} to {last}", ids.len())),
    }
    if let Some(sent) = &state.add.sent {
        let new = serde_json::to_string(&sent.new).unwrap_or_default();
        lines.push(format!("sent without an answer, it may have been added: {new}"));
    } else if !state.add.name.is_empty() {
        let Draft { name, category_id, status } = state.add.draft();
        let status = status.map_or(String::new(), |status| format!(" --status {status}"));
        lines.push(format!("typed but not sent: name {:?}, category {:?}{status}", short(&name), short(&category_id)));
    }
    for line in lines {
        let _ = writeln!(std::io::stdout(), "{}", crate::model::display_safe(&line));
    }
}
