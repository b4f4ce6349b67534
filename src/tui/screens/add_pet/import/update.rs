//! What follows from a key on the import.

use std::path::{Path, PathBuf};

use crate::clock::Now;
use crate::model::Field;
use crate::model::escape::shell_word;
use crate::model::text::short;
use crate::transfer::earlier_import::{EarlierImport, EarlierVerdict};
use crate::transfer::import::{ImportControl, Start};
use crate::transfer::journal::{Journal, RowOutcome};
use crate::tui::effect::Effect;
use crate::tui::keymap::{AskAction, ImportRunAction, PreviewAction};
use crate::tui::pending::Slot;
use crate::tui::popups::jobs::RejectsSource;
use crate::tui::popups::{Contents, PendingChange, Popup, TextBox, TextKind, WriteBox, copy};
use crate::tui::screens::add_pet::import::jobs::{ImportSource, ImportTask, RunImport, UnusableFile};
use crate::tui::screens::add_pet::update::is_still_switching;
use crate::tui::screens::pets;
use crate::tui::state::{AppState, MessageKind, Screen};
use crate::tui::widgets::form::neighbour;
use crate::tui::widgets::list::moved;

use super::preview::{Choice, FOUND, PreviewField, PreviewState};
use super::progress::{RowEntry, Running};
use super::start;
use super::state::{Phase, State};

/// Rows that a page of the list is.
const PAGE: usize = 8;

/// A key in the field for the file.
pub fn in_file_field(state: &mut AppState, action: AskAction, now: Now) -> Vec<Effect> {
    match action {
        AskAction::Confirm => start::look_at_typed(state, now),
        AskAction::Back => {
            state.add.import.on = false;
            Vec::new()
        }
    }
}

/// A key where the file was looked at.
pub fn in_preview(state: &mut AppState, action: PreviewAction, now: Now) -> Vec<Effect> {
    let key_refused = state.key_refused();
    let Some(looked) = state.add.import.looked_mut() else { return Vec::new() };
    match action {
        PreviewAction::NextField | PreviewAction::PreviousField => {
            looked.part = neighbour(&looked.parts(), looked.part, action == PreviewAction::NextField);
            if looked.changed {
                return start::look_again(state, now);
            }
        }
        PreviewAction::Move(movement) => {
            looked.choose(movement.is_down());
            // A value that is still to be typed is looked at when it is.
            let typing = looked.input_ref().is_some_and(|input| input.is_empty());
            if looked.changed && !typing {
                return start::look_again(state, now);
            }
        }
        PreviewAction::Save => return start(state, now),
        PreviewAction::Refresh => {
            state.message = None;
            return start::look_again(state, now);
        }
        PreviewAction::Choices if key_refused => state.open_key_box(false, now),
        PreviewAction::Choices => list(state),
        PreviewAction::Copy => {
            let line = command_line(state, " --dry-run");
            return copy(state, line, "the command line", now);
        }
        PreviewAction::WriteFile => mend(state),
        PreviewAction::Back => return start::leave(state),
    }
    Vec::new()
}

/// Opens the list of everything that is to be known of single rows.
fn list(state: &mut AppState) {
    let Some(seen) = state.add.import.looked_mut().and_then(|looked| looked.seen()) else { return };
    let preview = &seen.preview;
    let mut lines = Vec::new();
    if preview.check.bad > 0 {
        lines.push(format!("Cannot be sent ({}):", preview.check.bad));
        lines.extend(preview.bad.iter().map(|bad| format!("  {}", bad.sentence())));
        lines.push(String::new());
    }
    if preview.check.doubles > 0 {
        lines.push(format!("Came before with the same name, category and status ({}):", preview.check.doubles));
        lines.extend(preview.doubles.iter().map(|(line, name)| format!("  line {line}: {name}")));
    }
    if lines.is_empty() {
        state.say(MessageKind::Note, "Every row can be sent, and none is there twice.");
        return;
    }
    state.popup = Some(Popup::Text(TextBox::new(TextKind::Rows, lines.join("\n"), "rows-to-mend")));
}

/// Sends what can be sent, or says what is in the way.
fn start(state: &mut AppState, now: Now) -> Vec<Effect> {
    let is_looking = state.pending.is_running(Slot::CheckFile);
    let Some(looked) = state.add.import.looked_mut() else { return Vec::new() };
    if looked.changed || is_looking {
        let effects = if looked.changed { start::look_again(state, now) } else { Vec::new() };
        state.say(MessageKind::Note, "The file is being checked. F2 starts when that has ended.");
        return effects;
    }
    let Some(seen) = looked.seen() else {
        let why = match &looked.found {
            Some(Err(UnusableFile { why, .. })) => why.clone(),
            Some(Ok(_)) | None => "The file was not checked.".to_owned(),
        };
        state.say(MessageKind::Error, format!("Nothing has been sent. {why}"));
        return Vec::new();
    };
    let check = &seen.preview.check;
    let (good, bad) = (check.good, check.bad);
    if good == 0 {
        state.say(MessageKind::Error, "Nothing has been sent: no row can be. Mend the file, then F5 reads it again.");
    } else if bad > 0 && !looked.only_good {
        looked.part = PreviewField::Bad;
        let text =
            format!("{bad} rows cannot be sent. Choose to send the others, or mend the file; F5 reads it again.");
        state.say(MessageKind::Error, text);
    } else if looked.start().is_none() {
        let way = looked.before().map(EarlierImport::way);
        let text = match looked.before() {
            _ if way == Some(EarlierVerdict::Done) => {
                "Nothing has been sent: every row was added before. Space chooses to add all once more."
            }
            Some(EarlierImport { here: 0, .. }) => {
                "Nothing has been sent. Is it another list? Space chooses to add all."
            }
            _ => "Nothing has been sent: choose what to do with the rows that were added before (Space).",
        };
        looked.part = PreviewField::Again;
        state.say(MessageKind::Error, text);
    } else if state.key_refused() && !state.is_switching() {
        let text = "Nothing has been sent: the service needs another API key. 1, then F4: another key; 2, then F2.";
        state.say(MessageKind::Error, text);
    } else if !is_still_switching(state, "nothing has been sent. F2 starts after that.") {
        return begin(state, now);
    }
    Vec::new()
}

/// Begins, or goes on with what was begun before. A protected service is asked about first.
pub fn begin(state: &mut AppState, now: Now) -> Vec<Effect> {
    if state.add.import.running().is_some() {
        return go_on(state, now);
    }
    let Some(looked) = state.add.import.looked_mut() else { return Vec::new() };
    let Some(start) = looked.start() else { return Vec::new() };
    let (source, reading, good, how) = (looked.source.clone(), looked.reading(), looked.good(), looked.how);
    // That of an import before the last one has another name.
    let report = looked.before().filter(|_| start == Start::GoOn).map(|before| before.report.clone());
    let change = PendingChange::Import(looked.to_send());
    if state.asks_first(change, now) {
        return Vec::new();
    }
    run(state, RunImport { source, reading, good, start, report, how }, now)
}

/// Goes on with an import that has ended before all rows were added. What was refused is sent once more. Rows that cannot
/// be sent may have been corrected in the file, which is looked at first.
fn go_on(state: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(running) = state.add.import.running() else { return Vec::new() };
    let Running { run: before, files, progress, .. } = running;
    let Some((file, report)) = files.as_ref().filter(|_| running.left() > 0 || progress.errors() > 0) else {
        state.say(MessageKind::Note, "There is nothing left to send.");
        return Vec::new();
    };
    if running.left() == 0 && progress.invalid + progress.unknown > 0 {
        let source = ImportSource::File(file.clone());
        state.message = None;
        return start::look(state, source, FOUND, now);
    }
    let (source, report) = (ImportSource::File(file.clone()), Some(PathBuf::from(report)));
    let again = RunImport { source, start: Start::GoOn, report, ..before.clone() };
    if is_still_switching(state, "nothing has been sent. F2 goes on after that.")
        || state.asks_first(PendingChange::Import(again.good), now)
    {
        return Vec::new();
    }
    run(state, again, now)
}

fn run(state: &mut AppState, mut run: RunImport, now: Now) -> Vec<Effect> {
    let goes_on = run.start == Start::GoOn;
    // Whoever goes on wants the rest: also what was refused, which may be mended in the service by now.
    run.how.retry_refused = goes_on;
    let service = state.link.label.clone();
    let import = &mut state.add.import;
    let looked = match std::mem::take(&mut import.phase) {
        Phase::Looked(looked) => Some(looked).filter(|_| !goes_on),
        Phase::File | Phase::Running(_) => None,
    };
    import.phase = Phase::Running(Box::new(Running::new(run.clone(), looked, service)));
    state.message = None;
    vec![state.begin(ImportTask::Run(Box::new(run)), now)]
}

/// A key while rows are sent, and after that.
pub fn while_running(state: &mut AppState, action: ImportRunAction, now: Now) -> Vec<Effect> {
    let Some(running) = state.add.import.running_mut() else { return Vec::new() };
    let (under_way, paused) = (running.is_under_way(), running.paused);
    match action {
        ImportRunAction::Move(movement) => {
            running.cursor = moved(running.cursor, movement, running.listed().len(), PAGE);
        }
        ImportRunAction::OnlyProblems => {
            running.only_rejects = !running.only_rejects;
            running.cursor = 0;
        }
        ImportRunAction::Save if !under_way => return go_on(state, now),
        ImportRunAction::Save if paused => return lead(state, false),
        ImportRunAction::Save => {}
        ImportRunAction::Back if !under_way => {
            state.add.import = State::default();
            state.screen = Screen::Pets;
        }
        ImportRunAction::Back if paused => {
            state.screen = Screen::Pets;
            state.say(MessageKind::Note, "The import is paused. 2 shows it again.");
        }
        ImportRunAction::Back => return lead(state, true),
        ImportRunAction::Delete if !under_way => {}
        ImportRunAction::Delete if paused => return vec![Effect::ControlImport(ImportControl::Stop)],
        ImportRunAction::Delete => state.say(MessageKind::Note, "Esc pauses it first; then Del stops it for good."),
        ImportRunAction::Copy => {
            let line = command_line(state, " --resume");
            return copy(state, line, "the command that goes on with it", now);
        }
        ImportRunAction::WriteFile => mend(state),
        ImportRunAction::Confirm => return look_for(state, now),
    }
    Vec::new()
}

fn lead(state: &mut AppState, pause: bool) -> Vec<Effect> {
    let Some(running) = state.add.import.running_mut() else { return Vec::new() };
    // The speed is measured anew.
    (running.paused, running.since, running.speed) = (pause, None, None);
    if pause {
        let text = "Paused after the rows under way. F2 goes on, Del stops for good, Esc leaves it paused.";
        state.say(MessageKind::Note, text);
    }
    vec![Effect::ControlImport(if pause { ImportControl::Pause } else { ImportControl::Go })]
}

/// Looks among the animals for the one of the marked row.
fn look_for(state: &mut AppState, now: Now) -> Vec<Effect> {
    let marked = state.add.import.running().and_then(|running| running.listed().get(running.cursor));
    let Some(RowEntry { name, outcome, .. }) = marked.filter(|entry| !entry.name.is_empty()) else { return Vec::new() };
    let query = if let RowOutcome::Added(id) = outcome { id.to_string() } else { name.clone() };
    state.screen = Screen::Pets;
    pets::update::search_for(state, &query);
    pets::update::reload(state, true, now)
}

/// Asks for the file that takes the rows to mend.
fn mend(state: &mut AppState) {
    let import = &state.add.import;
    let (source, reading, report, count) = match &import.phase {
        Phase::Looked(looked) => {
            let bad = looked.seen().map_or(0, |seen| seen.preview.check.bad);
            (looked.source.clone(), looked.reading(), None, bad)
        }
        Phase::Running(running) => {
            let Some((file, report)) = running.files.clone() else { return };
            (
                ImportSource::File(file),
                running.run.reading.clone(),
                Some(PathBuf::from(report)),
                running.progress.errors(),
            )
        }
        Phase::File => return,
    };
    if count == 0 {
        state.say(MessageKind::Note, "There is nothing to mend.");
        return;
    }
    let what = Some(match count {
        1 => "1 row to mend, with the reason".to_owned(),
        _ => format!("{count} rows to mend, each with the reason"),
    });
    let name = import.source().map_or_else(String::new, rejects_name);
    let write = WriteBox::new(name, Contents::ToMend(Box::new(RejectsSource { source, reading, report })));
    state.popup = Some(Popup::Write(WriteBox { what, ..write }));
}

/// A name beside the file.
pub(super) fn rejects_name(source: &ImportSource) -> String {
    match source {
        ImportSource::File(path) => {
            let path = Path::new(path);
            let stem = path.file_stem().unwrap_or_default().display();
            path.with_file_name(format!("{stem}-to-mend.csv")).display().to_string()
        }
        ImportSource::Pasted(_) => "pasted-to-mend.csv".to_owned(),
    }
}

/// The line that does the same in a shell.
pub fn command_line(state: &AppState, more: &str) -> String {
    let import = &state.add.import;
    let file = match &import.phase {
        Phase::Running(running) => running.files.as_ref().map(|(file, _)| file.clone()),
        Phase::Looked(looked) => looked.seen().and_then(|seen| seen.path.clone()),
        Phase::File => None,
    };
    let file = file.or_else(|| match import.source() {
        Some(ImportSource::File(path)) => Some(path.clone()),
        Some(ImportSource::Pasted(_)) | None => None,
    });
    let file = file.map_or("FILE".to_owned(), |file| shell_word(&file));
    let options = match &import.phase {
        Phase::Looked(looked) => options(looked),
        // The report knows how it is read.
        Phase::Running(running) => running.files.as_ref().map_or_else(String::new, report_option),
        Phase::File => String::new(),
    };
    format!("petstore{} pets import {file}{options}{more}", state.link.flags)
}

/// The report, as an option, if it is not the one beside the file.
fn report_option((file, report): &(String, String)) -> String {
    let is_beside = Journal::beside(Path::new(file)) == Path::new(report);
    if is_beside { String::new() } else { format!(" --report {}", shell_word(report)) }
}

/// How the file is to be read, as options.
fn options(looked: &PreviewState) -> String {
    let choices = Field::ALL.into_iter().zip(&looked.choices);
    let options = choices.filter_map(|(field, choice)| match choice {
        Choice::Found => None,
        Choice::Column(column) => Some(format!(" --map {}={}", field.member(), shell_word(column))),
        Choice::Value(value) => Some(format!(" --set {}={}", field.member(), shell_word(value.value().trim()))),
    });
    options.collect()
}

/// Why another service cannot be changed to now.
pub fn why_not_switch(state: &AppState) -> Option<String> {
    let running = state.add.import.running().filter(|running| running.is_under_way())?;
    let (service, left) = (&running.service, running.left());
    Some(format!("An import into {} is under way, {left} rows are left. Stop it first (2, Esc, Del).", short(service)))
}
