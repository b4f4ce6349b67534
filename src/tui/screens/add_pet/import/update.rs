//! Handles keys of the import.

use std::path::{Path, PathBuf};

use crate::clock::Now;
use crate::model::Field;
use crate::model::escape::shell_word;
use crate::model::text::short;
use crate::model::words::counted;
use crate::transfer::earlier_import::{EarlierImport, EarlierVerdict};
use crate::transfer::import::Start;
use crate::transfer::journal::{Journal, RowOutcome};
use crate::transfer::validate::RowCounts;
use crate::tui::effect::Effect;
use crate::tui::keymap::{ImportFileAction, ImportRunAction, PreviewAction};
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

/// The rows of a page of the list.
const PAGE: usize = 8;

/// A key in the field for the file.
pub fn in_file_field(state: &mut AppState, action: ImportFileAction, now: Now) -> Vec<Effect> {
    match action {
        ImportFileAction::Confirm => return start::look_at_typed(state, now),
        ImportFileAction::Clear => {
            if state.add.import.shows_unfinished() {
                start::drop_unfinished(state);
            }
            state.add.import.path.clear();
            state.add.import.error = None;
        }
        ImportFileAction::Back => state.add.import.on = false,
    }
    Vec::new()
}

/// A key in the preview.
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
            if looked.moves_in_text(movement) {
                return Vec::new();
            }
            looked.choose(movement.is_down());
            // An empty value is checked once it is typed.
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
        PreviewAction::WriteFile => write_rejects(state),
        PreviewAction::Clear if state.add.import.shows_unfinished() => {
            start::drop_unfinished(state);
            state.add.import.path.clear();
            return start::leave(state);
        }
        PreviewAction::Clear => {}
        PreviewAction::Back => return start::leave(state),
    }
    Vec::new()
}

/// Lists the bad and duplicate rows.
fn list(state: &mut AppState) {
    let Some(seen) = state.add.import.looked_mut().and_then(|looked| looked.seen()) else { return };
    let preview = &seen.preview;
    let mut lines = Vec::new();
    if preview.check.bad > 0 {
        lines.push(format!("Cannot be sent ({}):", preview.check.bad));
        lines.extend(preview.bad.iter().map(|bad| format!("  {}", bad.sentence())));
        lines.push(String::new());
    }
    if preview.check.duplicates > 0 {
        lines.push(format!("Duplicates: same name, category and status ({}):", preview.check.duplicates));
        lines.extend(preview.duplicates.iter().map(|(line, name)| format!("  line {line}: {name}")));
    }
    if lines.is_empty() {
        state.say(MessageKind::Note, "Every row can be sent; there are no duplicates.");
        return;
    }
    state.popup = Some(Popup::Text(TextBox::new(TextKind::Rows, lines.join("\n"), "rows-to-fix")));
}

/// Starts the import, or says what prevents it.
fn start(state: &mut AppState, now: Now) -> Vec<Effect> {
    let is_looking = state.pending.is_running(Slot::CheckFile);
    let Some(looked) = state.add.import.looked_mut() else { return Vec::new() };
    if looked.changed || is_looking {
        let effects = if looked.changed { start::look_again(state, now) } else { Vec::new() };
        state.say(MessageKind::Note, "Still checking the file. Press F2 once that is done.");
        return effects;
    }
    let Some(seen) = looked.seen() else {
        let why = match &looked.found {
            Some(Err(UnusableFile { why, .. })) => why.clone(),
            Some(Ok(_)) | None => "The file was not checked.".to_owned(),
        };
        state.say(MessageKind::Error, format!("Nothing was sent. {why}"));
        return Vec::new();
    };
    let check = &seen.preview.check;
    let (good, bad) = (check.good, check.bad);
    if good == 0 {
        state.say(MessageKind::Error, "Nothing was sent: no row can be sent. Fix the file, then press F5.");
    } else if bad > 0 && !looked.only_good {
        looked.part = PreviewField::Bad;
        let text = format!(
            "{} cannot be sent. Choose to send only the others, or fix the file and press F5.",
            counted(bad, "row")
        );
        state.say(MessageKind::Error, text);
    } else if let Some(doubts) = looked.doubts().filter(|_| !looked.columns_are_right) {
        looked.part = PreviewField::Doubts;
        let text =
            format!("Nothing was sent. Is it right to read {doubts}? Then press Space; if not, choose others above.");
        state.say(MessageKind::Error, text);
    } else if looked.start().is_none() {
        let way = looked.before().map(EarlierImport::way);
        let text = match looked.before() {
            _ if way == Some(EarlierVerdict::Done) => {
                "Nothing was sent: every row was added before. Press Space to add them all again."
            }
            Some(EarlierImport { here: 0, .. }) => {
                "Nothing was sent. If this is another list, press Space to add all its rows."
            }
            _ => "Nothing was sent. Choose what to do with the rows added before (Space).",
        };
        looked.part = PreviewField::Again;
        state.say(MessageKind::Error, text);
    } else if state.key_refused() && !state.is_switching() {
        let text = "Nothing was sent: the service refused the API key. 1, F4: enter another; then 2, F2.";
        state.say(MessageKind::Error, text);
    } else if !is_still_switching(state, "nothing was sent. Press F2 again after that.") {
        return begin(state, now);
    }
    Vec::new()
}

/// Starts or resumes the import. Asks first for a protected service.
pub fn begin(state: &mut AppState, now: Now) -> Vec<Effect> {
    if state.add.import.running().is_some() {
        return go_on(state, now);
    }
    let Some(looked) = state.add.import.looked_mut() else { return Vec::new() };
    let Some(start) = looked.start() else { return Vec::new() };
    let (source, reading, how) = (looked.source.clone(), looked.reading(), looked.how);
    let RowCounts { good, bad } = looked.seen().map(|seen| seen.preview.check.counts()).unwrap_or_default();
    // The report of an import before the last one has another name.
    let report = looked.before().filter(|_| start == Start::GoOn).map(|before| before.report.clone());
    let change = PendingChange::Import(looked.to_send());
    if state.asks_first(change, now) {
        return Vec::new();
    }
    run(state, RunImport { source, reading, good, bad, start, report, how }, now)
}

/// Continues an import that has ended before all rows were added, and sends refused rows again. If only invalid rows
/// are left, the file is previewed first, since it may have been fixed.
fn go_on(state: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(running) = state.add.import.running() else { return Vec::new() };
    let Running { run: before, files, progress, .. } = running;
    let Some((file, report)) = files.as_ref().filter(|_| running.left() > 0 || progress.errors() > 0) else {
        state.say(MessageKind::Note, "Nothing left to send.");
        return Vec::new();
    };
    if running.left() == 0 && progress.invalid + progress.unknown > 0 {
        let source = ImportSource::File(file.clone());
        state.message = None;
        return start::look(state, source, FOUND, now);
    }
    let (source, report) = (ImportSource::File(file.clone()), Some(PathBuf::from(report)));
    let again = RunImport { source, start: Start::GoOn, report, ..before.clone() };
    if is_still_switching(state, "nothing was sent. Press F2 again after that.")
        || state.asks_first(PendingChange::Import(again.good), now)
    {
        return Vec::new();
    }
    run(state, again, now)
}

fn run(state: &mut AppState, run: RunImport, now: Now) -> Vec<Effect> {
    let goes_on = run.start == Start::GoOn;
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

/// A key while rows are sent, and after the end.
pub fn while_running(state: &mut AppState, action: ImportRunAction, now: Now) -> Vec<Effect> {
    let Some(running) = state.add.import.running_mut() else { return Vec::new() };
    let under_way = running.is_under_way();
    match action {
        ImportRunAction::Move(movement) => {
            running.cursor = moved(running.cursor, movement, running.listed().len(), PAGE);
        }
        ImportRunAction::OnlyProblems => {
            running.only_rejects = !running.only_rejects;
            running.cursor = 0;
        }
        ImportRunAction::Save if !under_way => return go_on(state, now),
        ImportRunAction::Save => {}
        ImportRunAction::Back if !under_way => {
            let unfinished = state.add.import.unfinished.take();
            state.add.import = State { unfinished, ..State::default() };
            state.screen = Screen::Pets;
            if let Some(file) = state.add.import.unfinished_name() {
                state.say(MessageKind::Note, format!("The import of {file} is not finished. I shows it again."));
            }
        }
        ImportRunAction::Back => state.ask(PendingChange::StopImport, now),
        ImportRunAction::Copy => {
            let line = command_line(state, " --resume");
            return copy(state, line, "the command that continues it", now);
        }
        ImportRunAction::WriteFile => write_rejects(state),
        ImportRunAction::Confirm => return look_for(state, now),
    }
    Vec::new()
}

/// Shows the pets, with those that a running import has added so far.
pub fn show_pets(state: &mut AppState, now: Now) -> Vec<Effect> {
    state.screen = Screen::Pets;
    let adds = |running: &Running| running.is_under_way() && running.progress.added > 0;
    if state.add.import.running().is_some_and(adds) { pets::update::reload(state, true, now) } else { Vec::new() }
}

/// Stops it after the rows that are being sent.
pub fn stop(state: &mut AppState) -> Vec<Effect> {
    if !state.add.import.running().is_some_and(Running::is_under_way) {
        return Vec::new();
    }
    state.say(MessageKind::Note, "Stopping after the rows being sent.");
    vec![Effect::StopImport]
}

/// Looks up the pet of the selected row, or says why there is none. One that may have been added is searched for among
/// all pets.
fn look_for(state: &mut AppState, now: Now) -> Vec<Effect> {
    let marked = state.add.import.running().and_then(|running| running.listed().get(running.cursor));
    let Some(RowEntry { line, name, outcome }) = marked.cloned() else { return Vec::new() };
    let why = match outcome {
        RowOutcome::Added(id) => {
            state.screen = Screen::Pets;
            return pets::popups::lookup::look_up(state, id, now);
        }
        RowOutcome::Unknown(_) if !name.is_empty() => {
            state.screen = Screen::Pets;
            pets::update::search_for(state, &name);
            state.pets.whole.open = true;
            return pets::inventory::read(state, now);
        }
        RowOutcome::Unknown(answer) | RowOutcome::Refused(answer) | RowOutcome::NotSent(answer) => answer.words(),
        RowOutcome::Invalid(why) => why,
    };
    state.note(format!("Line {line}: {why}"))
}

/// Asks for the file to write the rejects to.
fn write_rejects(state: &mut AppState) {
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
        state.say(MessageKind::Note, "Nothing to fix.");
        return;
    }
    let what = Some(match count {
        1 => "1 row to fix, with the reason".to_owned(),
        _ => format!("{count} rows to fix, each with the reason"),
    });
    let name = import.source().map_or_else(String::new, rejects_name);
    let write = WriteBox::new(name, Contents::Rejects(Box::new(RejectsSource { source, reading, report })));
    state.popup = Some(Popup::Write(WriteBox { what, ..write }));
}

/// The default name of the rejects file, beside the imported one.
pub(super) fn rejects_name(source: &ImportSource) -> String {
    match source {
        ImportSource::File(path) => {
            let path = Path::new(path);
            let stem = path.file_stem().unwrap_or_default().display();
            path.with_file_name(format!("{stem}-rejects.csv")).display().to_string()
        }
        ImportSource::Pasted(_) => "pasted-rejects.csv".to_owned(),
    }
}

/// The equivalent command line.
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
        // The report has the column mapping.
        Phase::Running(running) => running.files.as_ref().map_or_else(String::new, report_option),
        Phase::File => String::new(),
    };
    format!("petstore{} pets import {file}{options}{more}", state.link.flags)
}

/// The command that continues the unfinished import.
pub fn resume_line(state: &AppState) -> Option<String> {
    let import = &state.add.import;
    let file = import.unfinished.as_ref()?;
    Some(match import.running() {
        Some(_) => command_line(state, " --resume"),
        None => format!("petstore{} pets import {} --resume", state.link.flags, shell_word(file)),
    })
}

/// The report as an option, if it is not beside the file.
fn report_option((file, report): &(String, String)) -> String {
    let is_beside = Journal::beside(Path::new(file)) == Path::new(report);
    if is_beside { String::new() } else { format!(" --report {}", shell_word(report)) }
}

/// The column mapping as options.
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
    Some(format!(
        "An import into {} is running, with {} left. Stop it first (2, Esc).",
        short(service),
        counted(left, "row")
    ))
}
