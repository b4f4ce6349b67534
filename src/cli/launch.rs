//! Opens the full screen, and prints a summary at the end. Opens the plain-line dialogue instead if that is set, or if the
//! terminal supports nothing else.

use std::error::Error;
use std::io::{IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::Path;
use std::sync::Arc;

use clap::builder::StyledStr;
use futures_util::FutureExt as _;
use rustix::process::Signal;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::args::{IDLE_ENDED, OVER_SSH, StartScreen};
use super::confirm::never_asks;
use super::output::is_terminal;
use super::render::print;
use super::service::Inside;
use super::signals::Signals;
use super::ssh::person::{may_not_log_in, revoked, take_over, taken_over};
use super::{Exit, Failed, Result, dialogue, note};
use crate::app::connections::{DEMO_KEEPS_NOTHING, Services};
use crate::app::first_run::{self, StartChoice};
use crate::app::outbox::queue;
use crate::app::{Fate, Line, Queues, clipboard};
use crate::clock;
use crate::config::secrets::refuse_where_others_write;
use crate::config::{
    Choices, ConfigError, Env, Paths, ProfileEntry, Profiles, Settings, SshSession, file_path, settings_without_key,
};
use crate::local::draft_files::Claims;
use crate::local::{atomic_file, file_stem};
use crate::model::words::ids;
use crate::model::{Draft, IdempotencyKeys, PetId, counted, short};
use crate::terminal_size::terminal_size;
use crate::tui::drafts::{self, Drafts, Ending};
use crate::tui::event_loop::{self, LoopError, LoopIo};
use crate::tui::frame_pacer::Pacing;
use crate::tui::keymap::Keymap;
use crate::tui::msg::{Msg, QuitReason, Size};
use crate::tui::screens::add_pet::State as AddPet;
use crate::tui::screens::add_pet::import::rows_of;
use crate::tui::screens::add_pet::import::update::resume_line;
use crate::tui::screens::add_pet::lines::restore;
use crate::tui::screens::domains::state::{NAME, VALUE};
use crate::tui::session_cache::{SessionCache, read_kept};
use crate::tui::terminal::writer_thread::TerminalWriter;
use crate::tui::worker::{self, WorkerContext};
use crate::tui::{App, Appearance, MessageKind, Screen, terminal, view};

/// The smallest size of the full screen, in columns and rows.
pub const LEAST: (u16, u16) = view::LEAST;

/// How a session ended: with an exit status, or with what was chosen at the first start, to continue with.
type SessionEnd = ControlFlow<Exit, StartChoice>;

/// The keyboard shortcuts with the changes in keymap.toml, and the errors of that file.
pub(super) fn read_keymap(env: &Env) -> (Keymap, Vec<String>) {
    let Ok(paths) = Paths::new(env) else { return Default::default() };
    let path = paths.config.join("keymap.toml");
    match atomic_file::read(&path) {
        Ok(text) => text.map(|text| Keymap::changed_by(&text, "keymap.toml")).unwrap_or_default(),
        Err(error) => (Keymap::default(), vec![format!("Cannot read {}: {error}.", path.display())]),
    }
}

/// The keys with those of the user's own actions. Of a configuration that others can change none are used, which is
/// complained about.
fn with_actions(keymap: Keymap, settings: &mut Settings, path: &Path, complaints: &mut Vec<String>) -> Result<Keymap> {
    if settings.config.actions.is_empty() {
        return Ok(keymap);
    }
    if let Err(why) = refuse_where_others_write(path) {
        complaints.push(format!("{why}."));
        settings.config.actions = Arc::default();
        return Ok(keymap);
    }
    keymap.with_actions(&settings.config.actions).map_err(|(number, message)| {
        let (line, column) = settings.config.actions[number].place;
        ConfigError::Syntax { path: path.to_owned(), line, column, message }.into()
    })
}

/// Runs the app on this terminal until it ends. `usage` is shown if there is no terminal.
pub fn run(
    runtime: &Runtime,
    choices: &Choices,
    env: &Env,
    place: Option<StartScreen>,
    usage: impl FnOnce() -> StyledStr,
) -> Result<Exit> {
    let settings = Settings::resolve(choices, env)?;
    let is_terminal = std::io::stdin().is_terminal() && is_terminal();
    if is_terminal && never_asks() {
        let what = "the app waits for keys, which --no-input, AGENT or CI rules out";
        return Err(Failed::config(what).hint("for programs: petstore help agents"));
    }
    let is_dumb = matches!(env.get("TERM"), None | Some("dumb"));
    if settings.accessible || is_terminal && is_dumb {
        if place.is_some() {
            note("in plain lines, choose the screen at the first question");
        }
        let unfinished = unfinished_import(&settings, env);
        if let Some(waiting) = waiting_elsewhere(&settings, choices, env) {
            note(&format!("{waiting}; choose that profile to send them: -p NAME"));
        }
        return runtime.block_on(dialogue::run(settings, unfinished, choices, env));
    }
    if !is_terminal {
        let what = "the full screen needs a terminal for input and output";
        let hint = match &settings.ssh {
            Some(_) => format!("log in with a terminal, ssh -t; {OVER_SSH}"),
            None => format!("in scripts: petstore pets list; in plain lines: petstore --accessible\n{}", usage()),
        };
        return Err(Failed::config(what).hint(hint));
    }
    let is_first = first_run::is_first_start(choices, env);
    let chosen = match session(runtime, settings, choices, env, place, is_first)? {
        ControlFlow::Break(exit) => return Ok(exit),
        ControlFlow::Continue(chosen) => chosen,
    };
    let choices = Choices { demo: chosen == StartChoice::Samples, ..choices.clone() };
    let settings = Settings::resolve(&choices, env)?;
    let ended = session(runtime, settings, &choices, env, place, false)?;
    Ok(ended.break_value().unwrap_or(Exit::Done))
}

/// The file of an import to this service that the app has begun and not finished, if no other program shows it.
fn unfinished_import(settings: &Settings, env: &Env) -> Option<String> {
    let identity = settings.identity()?;
    let state = Paths::new(env).ok()?.state;
    let drafts = Drafts::open(&Claims::new(state), &identity).ok().flatten()?;
    drafts.typed.import.filter(|import| import.begun).map(|import| import.path.value().to_owned())
}

/// The pets that wait to be sent to other profiles than the one in use.
fn waiting_elsewhere(settings: &Settings, choices: &Choices, env: &Env) -> Option<String> {
    // Neither can switch to them.
    if choices.demo || choices.ssh.is_some() {
        return None;
    }
    let here = settings.identity().as_deref().map(file_stem);
    let waiting = queue::waiting(&Paths::new(env).ok()?.state, here.as_deref());
    if waiting.is_empty() {
        return None;
    }
    let of = |entry: &ProfileEntry| {
        let identity = settings_without_key(&entry.name, choices, env).ok()?.identity()?;
        let stem = file_stem(&identity);
        let pets: usize = waiting.iter().filter(|(of, _)| *of == stem).map(|(_, pets)| pets).sum();
        (pets > 0).then(|| format!("{} for {}", counted(pets, "pet"), short(&entry.name)))
    };
    let waiting: Vec<String> = Profiles::read(choices, env).ok()?.entries.iter().filter_map(of).collect();
    (!waiting.is_empty()).then(|| format!("Waiting to be sent: {}", waiting.join(", ")))
}

/// Runs the app once; if this `is_first`, it starts with the welcome screen.
fn session(
    runtime: &Runtime,
    mut settings: Settings,
    choices: &Choices,
    env: &Env,
    place: Option<StartScreen>,
    is_first: bool,
) -> Result<SessionEnd> {
    let (keymap, mut complaints) = read_keymap(env);
    let config = file_path(choices, env).unwrap_or_default();
    let keymap = with_actions(keymap, &mut settings, &config, &mut complaints)?;
    let (domains, domains_context) = dialogue::domains(&settings.config.domains, choices, env)?;
    let paths = Paths::new(env).ok();
    let copied = paths.as_ref().map(Paths::copied_file);
    let own = paths.map(|paths| paths.state);
    let kept = own.as_ref().map(|own| own.join("lists"));
    // The demo keeps nothing, not even an import that is not finished.
    let scratch = choices.demo.then(tempfile::tempdir).and_then(Result::ok);
    let pasted = scratch.as_ref().map(|scratch| scratch.path().to_owned());
    let pasted = pasted.or_else(|| own.as_ref().map(|own| own.join("imports")));
    let other = match (&own, settings.identity()) {
        (Some(own), Some(identity)) if choices.ssh.is_some() => runtime.block_on(take_over(own, &identity)),
        _ => None,
    };
    let claims = own.map(|own| Arc::new(Claims::new(own)));
    let inside = Inside::default();
    let connect = inside.connect();
    let context = WorkerContext {
        domains_context: Arc::new(domains_context),
        copying: clipboard::ways(settings.config.ui.clipboard, env, copied),
        home: env.path("HOME"),
        config: match choices {
            Choices { demo: true, .. } => Err(DEMO_KEEPS_NOTHING),
            Choices { ssh: Some(_), .. } => Err("a session over SSH changes no settings."),
            Choices { .. } => file_path(choices, env).map_err(|_| "there is no home directory to keep it in."),
        },
        kept,
        pasted,
        queues: Arc::new(Queues::new(claims.clone())),
        drafts: claims,
        services: Arc::new(Services { connect, choices: choices.clone(), env: env.clone() }),
        over_ssh: choices.ssh.is_some(),
    };
    let (columns, rows) = terminal_size().unwrap_or((80, 24));
    let keys = IdempotencyKeys::new(Uuid::new_v4());
    let mut state = App::new(&settings, domains, Size { columns, rows }, keys);
    state.keymap = Arc::new(keymap);
    state.pets.teaches = choices.demo;
    let theme = Arc::clone(&state.theme);
    let appearance = Appearance { ascii: settings.ascii, theme, depth: env.depth(), zone: clock::time_zone() };
    state.add.setup = settings.config.add.clone();
    if is_first {
        state.screen = Screen::Welcome;
        state.welcome.directories = first_run::directories(env);
    } else {
        let left = context.queues.of(state.link.identity.as_deref()).map(|(_, left)| left);
        restore(&mut state, left);
    }
    if let Some(kept) = context.kept.as_ref().and_then(|kept| read_kept(kept, &settings)) {
        kept.restore(&mut state, clock::now());
    }
    if !is_first {
        if let (Some(files), Some(identity)) = (&context.drafts, &state.link.identity) {
            let opened = Drafts::open(files, identity);
            drafts::on_opened(&mut state, opened);
        }
        state.screen = match place {
            None => state.screen,
            Some(StartScreen::Pets) => Screen::Pets,
            Some(StartScreen::Add) => Screen::AddPet,
            Some(StartScreen::Domains) => Screen::Domains,
        };
        let way = if state.screen == Screen::AddPet { "Esc, then P," } else { "P" };
        let waiting = waiting_elsewhere(&settings, choices, env);
        let elsewhere = waiting.map(|waiting| format!("{waiting}. {way} switches profiles."));
        state.drafts.elsewhere = elsewhere.or_else(|| other.map(str::to_owned));
    }
    if let Some(message) = settings.message() {
        state.say(MessageKind::Note, message);
    }
    if let [first, others @ ..] = complaints.as_slice() {
        let more = if others.is_empty() { String::new() } else { format!(" {} more; e shows all.", others.len()) };
        state.say(MessageKind::Error, format!("{first}{more}"));
        state.complaints = complaints;
    }
    runtime.block_on(show(settings, state, context, appearance, env.shows_frames_at_once(), inside))
}

async fn show(
    settings: Settings,
    mut state: App,
    context: WorkerContext,
    appearance: Appearance,
    synchronized: bool,
    inside: Inside,
) -> Result<SessionEnd> {
    use QuitReason::*;
    let machine = Arc::new(context);
    let link = settings.config.ui.link;
    // The service starts while the first frame is drawn. At the first start none is chosen yet.
    let settings = (state.screen != Screen::Welcome).then_some(settings);
    let (worker, worker_ended) = worker::spawn(settings, Arc::clone(&machine));
    let signals = watch_signals(state.link.ssh.clone(), machine.drafts.clone())?;
    let outlet = TerminalWriter::to_stdout().map_err(no_terminal)?;
    let mut screen = terminal::enter(&outlet, synchronized).map_err(no_terminal)?;
    let written = outlet.clone();
    let wires = LoopIo {
        input: terminal::events().map_err(no_terminal)?,
        worker,
        signals,
        tell: Box::new(move |effect| terminal::tell(&written, effect)),
        traffic: outlet.traffic.clone(),
        pacing: Pacing::new(link),
        clock: clock::now,
    };
    let run = AssertUnwindSafe(event_loop::run(&mut screen, &mut state, &appearance, wires)).catch_unwind().await;
    let not_kept = machine.drafts.as_ref().and_then(|files| keep_drafts(files, &state, run.as_ref().ok()));
    // This takes a while over a slow connection.
    let is_there = terminal::leave(&outlet, state.quitting == Some(User));
    if let Some(why) = &not_kept {
        note(&format!("cannot save what you typed: {why}"));
    }
    // At most an import that stops is waited for.
    let _ = worker_ended.await;
    let ended = run.unwrap_or_else(|panic| resume_unwind(panic));
    // What changed since the last save: the age of rows, further pages. Losing it only costs time at the next start.
    if let (Some(directory), Some(kept)) = (&machine.kept, SessionCache::at_the_end(&state)) {
        let _ = kept.write(directory);
    }
    // The last reports may not be on disk yet; writing them twice does no harm.
    if !state.domains.changes.is_empty()
        && let Err(why) = machine.domains_context.apply(&state.domains.changes)
    {
        note(&why);
    }
    let rest: Vec<_> = state.add.outbox.not_in_file().cloned().collect();
    let queued = machine.queues.close(state.link.identity.as_deref(), &rest);
    if let Err(why) = &queued {
        note(&format!("cannot save the pets that wait to be sent: {why}"));
    }
    // A terminal that does not respond gets no summary.
    if is_there {
        hand_over(&state, not_kept.is_none(), queued.is_ok());
    }
    inside.stop().await;
    ended.map_err(no_terminal)?;
    let exit = match state.quitting {
        None | Some(User) => match state.welcome.chosen {
            Some(chosen) => return Ok(ControlFlow::Continue(chosen)),
            None => Exit::Done,
        },
        Some(Interrupt) => Exit::Interrupt,
        Some(Idle) => {
            note(IDLE_ENDED);
            Exit::Done
        }
        Some(Revoked) => return Err(may_not_log_in(&state.link.label)),
        Some(TakenOver) => {
            note("you have logged in again, and go on there");
            Exit::Done
        }
        Some(Terminate) => Exit::Terminate,
        Some(Quit) => Exit::Quit,
        Some(Hangup) => Exit::Hangup,
    };
    Ok(ControlFlow::Break(exit))
}

fn no_terminal<E: Error>(error: E) -> Failed {
    Failed::because("cannot use the terminal")(error)
}

/// Saves what is typed for the next session, even if the terminal is gone. Returns why it could not.
fn keep_drafts(files: &Claims, state: &App, run: Option<&Result<(), LoopError>>) -> Option<String> {
    let ended = match (run, state.quitting) {
        (None, _) => Ending::Fault,
        (Some(Err(_)), _) | (_, Some(QuitReason::Hangup)) => Ending::Hangup,
        (_, None | Some(QuitReason::User | QuitReason::TakenOver)) => Ending::Quit,
        (_, Some(_)) => Ending::Signal,
    };
    let writes = drafts::last(state, ended, clock::now());
    // All of them, even if some fail.
    writes.iter().filter_map(|write| write.write(files).err()).reduce(|first, _| first)
}

/// What signals ask for, and what a session over SSH does whose person was revoked, or goes on elsewhere.
fn watch_signals(ssh: Option<SshSession>, drafts: Option<Arc<Claims>>) -> Result<mpsc::Receiver<Msg>> {
    use QuitReason::*;
    let (sender, asked) = mpsc::channel(4);
    let listen = |number: Signal| signal(SignalKind::from_raw(number.as_raw())).map_err(no_terminal);
    let (mut stops, mut continues) = (listen(Signal::TSTP)?, listen(Signal::CONT)?);
    // By default these end the process at once, and leave the terminal as it is.
    for number in [Signal::USR1, Signal::USR2, Signal::ALARM] {
        let (mut ends, sender) = (listen(number)?, sender.clone());
        tokio::spawn(async move {
            ends.recv().await;
            let _ = sender.send(Msg::Quit(Terminate)).await;
        });
    }
    let mut ends = Signals::new()?;
    let by_mark = sender.clone();
    tokio::spawn(async move {
        let drafts = drafts.filter(|_| ssh.is_some());
        let reason = tokio::select! {
            _ = revoked(ssh, false) => Revoked,
            () = taken_over(drafts) => TakenOver,
        };
        let _ = by_mark.send(Msg::Quit(reason)).await;
    });
    tokio::spawn(async move {
        loop {
            let msg = tokio::select! {
                Some(()) = stops.recv() => Msg::Suspend,
                Some(()) = continues.recv() => Msg::Continued,
                exit = ends.next() => Msg::Quit(match exit {
                    Exit::Interrupt => Interrupt,
                    Exit::Quit => Quit,
                    Exit::Terminate => Terminate,
                    _ => Hangup,
                }),
            };
            let _ = sender.send(msg).await;
        }
    });
    Ok(asked)
}

/// What was typed in the form and pasted for it, after `of` and `word`, which says that it is kept.
fn typed(add: &AddPet, of: &str, word: &str) -> impl Iterator<Item = String> {
    let draft = add.draft();
    let name = (!draft.name.is_empty()).then(|| format!("Not sent{of}{word}: {}", words_of(&draft)));
    let word = add.import.draft().map_or("", |_| word);
    let pasted =
        add.import.unsent().map(|text| format!("Not sent{of}{word}: {}", counted(rows_of(text), "pasted line")));
    name.into_iter().chain(pasted)
}

/// A pet that was typed, as far as it was.
fn words_of(Draft { name, category_id, status }: &Draft) -> String {
    let category = match category_id.trim() {
        "" => "no category yet".to_owned(),
        category => format!("category {}", short(category)),
    };
    let status = status.map_or(String::new(), |status| format!(", {status}"));
    format!("{} ({category}{status})", short(name))
}

/// How many pets were added in the session: by hand with these ids, and by imports and as samples.
fn leaving(by_hand: &[PetId], in_bulk: u64) -> Option<String> {
    let (hand, all) = (by_hand.len(), by_hand.len() as u64 + in_bulk);
    match (hand, in_bulk) {
        (0, 0) => None,
        (_, 0) => Some(format!("{all} added: {}", ids(by_hand))),
        (0, _) => Some(format!("{all} added from files or as samples")),
        (_, _) => Some(format!("{all} added: {hand} by hand ({}), {in_bulk} from files or as samples", ids(by_hand))),
    }
}

/// Prints what was added and what was typed but not sent. `is_kept`: the form is on disk; `queued`: the lines
/// are.
fn hand_over(state: &App, is_kept: bool, queued: bool) {
    let mut lines = Vec::new();
    let word = |is_kept: bool| if is_kept { ", kept for the next start" } else { "" };
    let is_named = state.link.identity.is_some();
    let by_import = state.add.import.under_way().map_or(0, |running| running.progress.added);
    lines.extend(leaving(&state.added, state.added_in_bulk + by_import));
    lines.extend(typed(&state.add, "", word(is_kept && is_named)));
    for (profile, add, on_disk) in drafts::left(state) {
        lines.extend(typed(add, &format!(" for {}", short(profile)), word(is_kept && on_disk)));
    }
    lines.extend(
        resume_line(state)
            .map(|line| format!("The import is not finished. Continue it at the next start with F2, or with: {line}")),
    );
    let unsold: Vec<_> = state.pets.sale.waiting.iter().copied().collect();
    lines.extend((!unsold.is_empty()).then(|| format!("Scanned, but not sold: {}", ids(&unsold))));
    let kept = word(queued && is_named);
    let outbox = &state.add.outbox;
    let counts = outbox.counts();
    let waiting = (counts.waiting > 0).then(|| counted(counts.waiting, "pet"));
    let unknown = (counts.unknown > 0).then(|| format!("{} without an answer", counts.unknown));
    let waiting = Vec::from_iter(waiting.into_iter().chain(unknown));
    lines.extend((!waiting.is_empty()).then(|| format!("Not done yet{kept}: {}", waiting.join(", "))));
    if !queued {
        for line in outbox.lines.iter().filter(|line| line.fate.is_waiting()) {
            let id = line.change().map_or(String::new(), |change| format!(", id {}", change.seen.id));
            lines.push(format!("Not sent: {}{id}", words_of(&line.typed.pet)));
        }
    }
    let to_fix = |line: &&Line| matches!(line.fate, Fate::Refused(_)) && !line.typed.pet.name.is_empty();
    let to_fix = outbox.lines.iter().filter(to_fix);
    lines.extend(to_fix.map(|line| format!("To fix{kept}: {}", words_of(&line.typed.pet))));
    for wizard in state.domains.unsaved_wizards() {
        let (name, value) = (short(wizard.form.value(&NAME)), short(wizard.form.value(&VALUE)));
        lines.push(format!("Not saved: domain {name:?}, value {value:?}"));
    }
    let _ = print(|out| lines.iter().try_for_each(|line| writeln!(out, "{line}")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leaving_line_counts_everything_that_was_added() {
        assert_eq!(leaving(&[], 0), None);
        assert_eq!(leaving(&[3, 1, 2], 0).unwrap(), "3 added: ids 1 to 3");
        assert_eq!(leaving(&[], 35).unwrap(), "35 added from files or as samples");
        let all = "38 added: 3 by hand (ids 1, 5 and 9), 35 from files or as samples";
        assert_eq!(leaving(&[1, 5, 9], 35).unwrap(), all);
    }
}
