//! Begins an import, by its key, a file dropped on the terminal, or pasted lines; and handles its keys.

use std::path::Path;

use super::jobs::{CheckFile, KEY_REFUSED, STOP};
use super::preview::{CORRECTED, PreviewState, UnusableFile};
use super::{PastedLines, Phase, RunImport, Running, State, rows_of};
use crate::app::CheckedFile;
use crate::app::import_run::{report_option, typed_path};
use crate::clock::Now;
use crate::model::{Field, counted, shell_word, short};
use crate::transfer::column_mapping::{is_header, is_id};
use crate::transfer::import::ImportProgress;
use crate::transfer::{ColumnMapping, FileFormat, ImportRun, ImportSource, ImportedRow, RowOutcome, Start};
use crate::tui::command::READER;
use crate::tui::forms::COMPLETE;
use crate::tui::popups::confirm::ask_of_service;
use crate::tui::popups::write::{NO_FILES, RejectsSource};
use crate::tui::popups::{Contents, Question, TextBox, WriteBox, copy};
use crate::tui::screens::add_pet::form::{bell, is_still_switching};
use crate::tui::screens::add_pet::{CATEGORY, NAME};
use crate::tui::screens::pets;
use crate::tui::text_input::MAX_BYTES;
use crate::tui::widgets::form::neighbour;
use crate::tui::{App, Command, Effect, Movement, Page, Place, Screen, Slot, TextInput, command, moved, moves};

/// The rows of a page of the list.
const PAGE: usize = 8;

/// The field for the file to import.
static FILE: &[Command] = &[
    command("confirm", "Enter F2", "preview", "preview the file", look_at_typed),
    COMPLETE,
    command("clear", "F8", "clear", "clear, drop unfinished", |app, _| {
        drop_unfinished(app);
        app.add.import.path.clear();
        app.add.import.error = None;
    }),
    command("back", "Esc F3", "back", "back", |app, _| {
        app.add.import.on = false;
        app.screen = app.add.import.opened_from;
    }),
];

pub static FILE_PLACE: Place = Place::new("import-file", "Import", &[FILE]).text();

const START: Command = command("save", "F2", "start", "send the rows", start);
const NEXT: Command =
    command("next-field", "down j Tab Enter", "move", "next line", |app, now| go(app, true, now)).called("up/down");
const PREVIOUS: Command = command("previous-field", "up k S-Tab", "", "previous line", |app, now| go(app, false, now));
const ROWS: Command = command("choices", "l", "list", "bad rows, duplicates", list);
const AGAIN: Command = command("refresh", "F5 r", "", "read the file again", look_again);
const DROP: Command = command("clear", "F8", "", "drop unfinished import", |app, now| {
    if drop_unfinished(app) {
        app.add.import.path.clear();
        to_file(app, now);
    }
});
const CANCEL: Command = command("back", "Esc F3", "cancel", "another file", cancel);
const REJECTS: Command =
    command("write-file", "w", "", "bad rows to a file", |app, _| write_rejects(app)).not_over_ssh(NO_FILES);

const CHANGE: Command = command("change-pets", "c", "change pets", "change pets by id", |app, now| {
    if !can_be_changes(app) {
        return app.tell("Only rows with a column id can change pets, where the service offers that.");
    }
    if let Some(looked) = app.add.import.looked_mut() {
        let reading = ColumnMapping { changes: true, ..looked.reading() };
        let check = CheckFile { source: looked.source.clone(), reading };
        app.start_if_free(check, now);
    }
})
.when(can_be_changes);

/// What is in it, and how it will be sent.
static PREVIEW: &[Command] = &[
    START,
    NEXT,
    PREVIOUS,
    moves("left|right Space", "choose", "another column, choice", choose),
    ROWS,
    CHANGE,
    AGAIN,
    REJECTS,
    command("copy", "y", "", "copy the command line", |app, now| {
        let line = command_line(app, " --dry-run");
        copy(app, line, "the command line", now);
    }),
    DROP,
    CANCEL,
];

pub static PREVIEW_PLACE: Place = Place::new("import-preview", "Import", &[PREVIEW]);

/// The field for one value there.
static VALUE: &[Command] = &[
    START,
    NEXT.at("down Tab Enter", "move", "next line"),
    PREVIOUS.at("up S-Tab", "", "previous line"),
    moves("left|right", "choose", "a column instead", choose),
    ROWS.at("Ctrl-O", "list", "bad rows, duplicates"),
    AGAIN.at("F5", "", "read the file again"),
    DROP,
    CANCEL,
];

pub static VALUE_PLACE: Place = Place::new("import-value", "Import", &[VALUE]).text();

/// The import that is under way, or has ended.
static RUN: &[Command] = &[
    command("back", "Esc F3", "stop, leave", "stop, leave", |app, now| match is_under_way(app) {
        true => ask_to_stop(app, now),
        false => leaving(app, "Leave", None, leave, now),
    })
    .word(|app| Some(if is_under_way(app) { "stop" } else { "leave" })),
    command("save", "F2", "resume", "resume", go_on)
        .when(|app| app.add.import.running().is_some_and(|running| !running.is_under_way && running.can_go_on()))
        .word(|app| app.add.import.running().is_some_and(|running| running.left() == 0).then_some("check again")),
    command("only-problems", "f", "only problems", "only rows to fix", |app, _| {
        if let Some(running) = app.add.import.running_mut() {
            running.only_rejects = !running.only_rejects;
            running.cursor = 0;
        }
    }),
    moves(READER, "", "move", |app, movement, _| {
        if let Some(running) = app.add.import.running_mut() {
            running.cursor = moved(running.cursor, movement, running.listed().len(), PAGE);
        }
    }),
    command("confirm", "Enter", "", "find among the pets", look_for),
    command("copy", "y", "copy command", "copy the command", |app, now| {
        let line = command_line(app, " --resume");
        copy(app, line, "the command that continues it", now);
    }),
    REJECTS.at("w", "rejects", "rejected rows to file"),
];

pub static RUN_PLACE: Place = Place::new("import-run", "Import", &[RUN]);

/// Whether the rows that are previewed can change pets.
pub fn can_be_changes(app: &App) -> bool {
    let Phase::Looked(looked) = &app.add.import.phase else { return false };
    app.pets.offers_changes == Some(true) && looked.columns().iter().any(|name| is_id(name))
}

impl State {
    /// Where a key goes.
    pub fn key_place(&self) -> &'static Place {
        match &self.phase {
            Phase::File => &FILE_PLACE,
            Phase::Looked(looked) if looked.value(looked.part).is_some() => &VALUE_PLACE,
            Phase::Looked(_) => &PREVIEW_PLACE,
            Phase::Running(_) => &RUN_PLACE,
        }
    }
}

fn is_under_way(app: &App) -> bool {
    app.add.import.under_way().is_some()
}

/// Shows the import as it was left, or asks for a file.
pub fn show(app: &mut App) {
    app.screen = Screen::AddPet;
    app.pets.searching = false;
    app.add.import.on = true;
}

pub const IMPORT: Command = command("import", "F7", "import", "import a file", open)
    .everywhere()
    .adds()
    .not_over_ssh("Import from your own machine: ssh USER@HOST pets import - < pets.csv")
    .shell(|_| Some("pets import FILE".to_owned()));

/// Shows it by its key: the unfinished import, if no other is shown.
fn open(app: &mut App, now: Now) {
    app.add.import.opened_from = app.screen;
    show(app);
    let import = &mut app.add.import;
    if let (Phase::File, Some(file)) = (&import.phase, &import.unfinished) {
        import.path = TextInput::new(file.clone());
    }
    check_unfinished(app, now);
}

/// Checks the file of an unfinished import, so that one key continues it, and what was not checked to the end.
pub fn check_unfinished(app: &mut App, now: Now) {
    let import = &app.add.import;
    let is_looking = app.pending.is_running(Slot::CheckFile);
    match &import.phase {
        Phase::Looked(looked) if looked.found.is_none() && !is_looking => look_again(app, now),
        Phase::File if import.on && import.shows_unfinished() => look_at(app, import.path.value().to_owned(), now),
        Phase::File | Phase::Looked(_) | Phase::Running(_) => {}
    }
}

/// Drops the unfinished import, if it is the one that is shown: it is not offered at the next start. Its report stays.
fn drop_unfinished(app: &mut App) -> bool {
    let import = &mut app.add.import;
    let Some(file) = import.unfinished_name().filter(|_| import.shows_unfinished()) else { return false };
    import.unfinished = None;
    app.tell(format!("The import of {file} is dropped. Its report is kept: importing the file again continues it."));
    true
}

/// Takes a paste into the name field that is several lines or the path of a file. The text in the field is its
/// beginning if the paste begins with a line end.
pub fn paste(app: &mut App, text: &str, now: Now) -> bool {
    let first = app.add.form[&NAME].value();
    if app.add.import.under_way().is_some() || !(first.trim().is_empty() || text.starts_with(['\r', '\n'])) {
        return false;
    }
    let text = &format!("{first}{text}");
    let takes_file = app.link.ssh.is_none() && app.add.import.unsent().is_none();
    if let Some(path) = dropped(text).filter(|_| takes_file) {
        app.add.form[&NAME].clear();
        show(app);
        app.add.import.path = TextInput::new(path.clone());
        app.add.import.pasted = Some(text.as_str().into());
        look_at(app, path, now);
        return true;
    }
    if rows_of(&text.replace('\r', "\n")) < 2 {
        return false;
    }
    app.add.form[&NAME].clear();
    add_lines(app, text, now);
    true
}

/// Previews pasted lines, behind those that were pasted before and not sent, which are read as chosen already.
pub fn add_lines(app: &mut App, text: &str, now: Now) {
    // Most terminals send line ends as Enter.
    let mut text = text.replace("\r\n", "\n").replace('\r', "\n");
    let before = app.add.import.unsent();
    if before.is_some_and(|before| before.trim_start().starts_with('[')) {
        app.complain("Not added: JSON takes no further lines. First send what was pasted (F2).");
        return bell(app);
    }
    let goes_on = before.is_some();
    if let Some(before) = before {
        text = format!("{}\n{text}", before.trim_end_matches('\n'));
    }
    let (rows, reading) = table(app, &text);
    show(app);
    // A question would be about fewer lines.
    app.popups.take::<Question>();
    app.tell(format!("{} lines pasted, one pet each. Esc: use them as one name instead.", rows_of(&text)));
    app.add.import.pasted = Some(text.into());
    let source = ImportSource::Pasted(rows.into());
    match app.add.import.looked_mut().filter(|_| goes_on) {
        None => look(app, source, &reading, now),
        Some(looked) => {
            looked.source = source;
            look_again(app, now);
        }
    }
}

/// Previews the lines again that an earlier session left; they are checked with what else it left.
pub fn restore(app: &mut App, PastedLines { text, reading }: PastedLines) {
    let source = ImportSource::Pasted(table(app, &text).0.into());
    let import = &mut app.add.import;
    import.phase = Phase::Looked(Box::new(PreviewState::new(source, &reading)));
    (import.pasted, import.on) = (Some(text), true);
}

/// The pasted text as a table with a header. A list of names gets the category and the status of the form.
fn table(app: &App, text: &str) -> (String, ColumnMapping) {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let starts_json = first.trim_start().starts_with(['{', '[']);
    let delimiter = ['\t', ';', ','].into_iter().find(|delimiter| first.contains(*delimiter));
    let cells: Vec<&str> = first.split(|c| Some(c) == delimiter).collect();
    if starts_json || is_header(&cells) {
        return (text.to_owned(), ColumnMapping::default());
    }
    let category = Some(app.add.form[&CATEGORY].value().to_owned());
    let status = app.add.draft().status.map(|status| status.to_string());
    let with = |set| ColumnMapping { set, has_added_header: true, ..ColumnMapping::default() };
    // Cells without a header are in the order of the form.
    match (delimiter, cells.len()) {
        (Some(delimiter), 2..=3) => {
            let header = Field::ALL.map(Field::member)[..cells.len()].join(&delimiter.to_string());
            (format!("{header}\n{text}"), with([None, None, status.filter(|_| cells.len() == 2)]))
        }
        _ => {
            let quoted = text.lines().map(|line| match line.trim() {
                "" => "\n".to_owned(),
                name => format!("\"{}\"\n", name.replace('"', "\"\"")),
            });
            let names: String = quoted.collect();
            (format!("{}\n{names}", Field::Name.member()), with([None, category, status]))
        }
    }
}

/// The path of a file of pets, as terminals paste it for a dropped file.
pub(super) fn dropped(text: &str) -> Option<String> {
    let path = typed_path(text.trim());
    let is_path = path.starts_with('/') || path.starts_with("~/");
    (is_path && !path.contains('\n') && FileFormat::of_name(Path::new(&path)).is_some()).then_some(path)
}

/// Checks the file whose name is typed.
fn look_at_typed(app: &mut App, now: Now) {
    let import = &mut app.add.import;
    let path = import.path.value().trim().to_owned();
    if path.is_empty() {
        return import.error = Some("Type or paste the name of a file.".to_owned());
    }
    // The message may be about another file.
    app.message = None;
    look_at(app, dropped(&path).unwrap_or(path), now);
}

/// Begins to check the file at `path`.
fn look_at(app: &mut App, path: String, now: Now) {
    look(app, ImportSource::File(path), &ColumnMapping::default(), now);
}

/// Begins to check `source`.
pub fn look(app: &mut App, source: ImportSource, reading: &ColumnMapping, now: Now) {
    app.add.import.error = None;
    app.add.import.phase = Phase::Looked(Box::new(PreviewState::new(source, reading)));
    look_again(app, now);
}

/// Checks it again with the current choices.
pub fn look_again(app: &mut App, now: Now) {
    let Some(looked) = app.add.import.looked_mut() else { return };
    (looked.changed, looked.rows, looked.again) = (false, 0, None);
    let check = CheckFile { source: looked.source.clone(), reading: looked.reading() };
    app.start(check, now);
}

/// Gives the preview up, once it was asked whether pasted lines are to become one name.
fn cancel(app: &mut App, now: Now) {
    let fits = app.add.import.unsent().is_none_or(|text| text.len() <= MAX_BYTES);
    let fate = if fits { "They become one name in the form." } else { "Their beginning becomes one name in the form." };
    leaving(app, "One name", Some(fate), to_file, now);
}

/// Does what gives pasted rows up, but asks first where some were not added; `fate` is what becomes of them.
pub fn leaving(app: &mut App, word: &'static str, fate: Option<&'static str>, leave: fn(&mut App, Now), now: Now) {
    let rows = app.add.import.at_risk();
    if rows == 0 || app.popups.get::<Question>().is_some_and(|asked| asked.title == PASTED) {
        return leave(app, now);
    }
    show(app);
    let is_kept = app.link.identity.is_some() && app.add.import.draft().is_some();
    let kept = if is_kept { "They are offered again at the next start." } else { "They will be lost." };
    let fate = fate.unwrap_or(kept);
    let body = move |_: &App, page: &mut Page<'_>| {
        page.paragraph(2, &format!("Pasted and not added: {}.", counted(rows, "line")));
        page.gap();
        page.paragraph(2, fate);
    };
    app.ask(Question::new(PASTED, body, word, leave, |_, _| {}), now);
}

/// The title of the question about pasted rows.
const PASTED: &str = "Pasted rows";

/// Goes back to the file name; pasted text goes into the form.
fn to_file(app: &mut App, _: Now) {
    app.cancel(Slot::CheckFile);
    let import = &mut app.add.import;
    (import.phase, import.error) = (Phase::File, None);
    if let Some(pasted) = import.pasted.take() {
        import.on = false;
        let field = &mut app.add.form[&NAME];
        let is_cut = field.insert(&pasted);
        let name = short(field.value());
        match is_cut {
            true => app.complain(format!("The end of the paste was cut: a field takes {MAX_BYTES} bytes.")),
            false => app.tell(format!("The pasted text is in the form: {name}")),
        }
    }
}

/// Another line of the preview.
fn go(app: &mut App, next: bool, now: Now) {
    let Some(looked) = app.add.import.looked_mut() else { return };
    looked.part = neighbour(&looked.parts(), looked.part, next);
    if looked.changed {
        look_again(app, now);
    }
}

/// Another choice at that line.
fn choose(app: &mut App, movement: Movement, now: Now) {
    let Some(looked) = app.add.import.looked_mut() else { return };
    if looked.moves_in_text(movement) {
        return;
    }
    looked.choose(movement.is_down());
    // An empty value is checked once it is typed.
    let typing = looked.value(looked.part).is_some_and(|input| input.is_empty());
    if looked.changed && !typing {
        look_again(app, now);
    }
}

/// Leaves what has ended.
pub fn leave(app: &mut App, _: Now) {
    let unfinished = app.add.import.unfinished.take();
    app.add.import = State { unfinished, ..State::default() };
    app.screen = Screen::Pets;
    if let Some(file) = app.add.import.unfinished_name() {
        app.tell(format!("The import of {file} is not finished. I shows it again."));
    }
}

/// Lists the bad and duplicate rows.
fn list(app: &mut App, now: Now) {
    if app.key_refused() {
        return app.open_key_box(false, now);
    }
    let Some(CheckedFile { preview, .. }) = app.add.import.looked_mut().and_then(|looked| looked.seen()) else {
        return;
    };
    let mut lines = Vec::new();
    if preview.bad > 0 {
        lines.push(format!("Cannot be sent ({}):", preview.bad));
        lines.extend(preview.bad_rows.iter().map(|bad| format!("  {}", bad.sentence())));
        lines.push(String::new());
    }
    if preview.duplicates > 0 {
        lines.push(format!("Duplicates: same name, category and status ({}):", preview.duplicates));
        lines.extend(preview.duplicate_rows.iter().map(|(line, name)| format!("  line {line}: {name}")));
    }
    if lines.is_empty() {
        return app.tell("Every row can be sent; there are no duplicates.");
    }
    app.popups.show(TextBox::new("Rows of the file", lines.join("\n"), "rows-to-fix"));
}

/// Starts the import, or says what prevents it.
fn start(app: &mut App, now: Now) {
    let is_looking = app.pending.is_running(Slot::CheckFile);
    let Some(looked) = app.add.import.looked_mut() else { return };
    if looked.changed || is_looking {
        if looked.changed {
            look_again(app, now);
        }
        return app.tell("Still checking the file. Press F2 once that is done.");
    }
    let Some(seen) = looked.seen() else {
        let why = match &looked.found {
            Some(Err(UnusableFile { why, .. })) => why.clone(),
            Some(Ok(_)) | None => "The file was not checked.".to_owned(),
        };
        return app.complain(format!("Nothing was sent. {why}"));
    };
    let open = looked.questions().into_iter().find_map(|question| Some((question.part, question.open?)));
    if seen.preview.good == 0 {
        let way = if looked.source.is_file() { "Fix the file, then press F5." } else { CORRECTED };
        app.complain(format!("Nothing was sent: no row can be sent. {way}"));
    } else if let Some((part, why)) = open {
        looked.part = part;
        app.complain(why);
    } else if app.key_refused() && !app.is_switching() {
        app.complain(KEY_REFUSED);
    } else {
        begin(app, now);
    }
}

/// Continues an import that has ended before all rows were added, and sends refused rows again. If only invalid rows
/// are left, the file is previewed first, since it may have been fixed.
fn go_on(app: &mut App, now: Now) {
    let Some(running) = app.add.import.running().filter(|running| !running.is_under_way) else { return };
    let ImportProgress { unknown, invalid, .. } = running.progress;
    let Some((file, _)) = running.files.clone().filter(|_| running.can_go_on()) else {
        return app.tell("Nothing left to send.");
    };
    if running.left() == 0 && (unknown > 0 || invalid > 0 && running.job.source.is_file()) {
        app.message = None;
        look_at(app, file, now);
    } else {
        begin(app, now);
    }
}

/// Starts or resumes the import. Asks first for a protected service.
fn begin(app: &mut App, now: Now) {
    if is_still_switching(app, "nothing was sent. Press F2 again after that.") {
        return;
    }
    let Some((pets, job)) = job(&app.add.import) else { return };
    if app.asks_first(format!("Import {pets} pets into"), Vec::new(), begin, now) {
        return;
    }
    let (service, import) = (app.link.label.clone(), &mut app.add.import);
    // What was there before is there again if it cannot begin.
    let (looked, files) = match std::mem::take(&mut import.phase) {
        Phase::Looked(looked) => (Some(looked), None),
        Phase::Running(before) => (None, before.files),
        Phase::File => (None, None),
    };
    let running = Running { looked, files, job: job.clone(), service, is_under_way: true, ..Running::default() };
    import.phase = Phase::Running(Box::new(running));
    app.message = None;
    app.start(job, now);
}

/// How many pets would be sent now, and how.
fn job(import: &State) -> Option<(u64, RunImport)> {
    match &import.phase {
        Phase::File => None,
        Phase::Looked(looked) => {
            let (seen, start, source) = (looked.seen()?, looked.start()?, looked.source.clone());
            Some((seen.to_send(&start), RunImport { source, run: seen.run(start, None, looked.how) }))
        }
        Phase::Running(running) => {
            let (file, report) = running.files.clone()?;
            let run = ImportRun { start: Start::GoOn, report: Some(report.into()), ..running.job.run.clone() };
            let pasted = Some(&running.job.source).filter(|source| source.is_pasted());
            let source = pasted.cloned().unwrap_or(ImportSource::File(file));
            Some((running.good(), RunImport { source, run }))
        }
    }
}

/// Shows the pets, with those that were added meanwhile.
pub fn show_pets(app: &mut App, now: Now) {
    app.screen = Screen::Pets;
    let unread = std::mem::take(&mut app.add.unread) && !app.key_refused();
    if unread || app.add.import.under_way().is_some_and(|running| running.progress.added > 0) {
        pets::update::reload(app, pets::ReadNext::New, now);
    }
}

/// Asks whether to stop it after the rows that are being sent.
fn ask_to_stop(app: &mut App, now: Now) {
    let body = |app: &App, page: &mut Page<'_>| {
        let left = app.add.import.running().map_or(0, Running::left);
        let note = "Rows that were added stay. F2 sends the rest, also after the next start.";
        ask_of_service(app, page, &format!("{} left. Stop sending to", counted(left, "row")), &[], note);
    };
    let stop = |app: &mut App, _| {
        if is_under_way(app) {
            app.tell("Stopping after the rows being sent.");
            app.effect(Effect::StopImport);
        }
    };
    app.ask(Question::new(STOP, body, "Stop", stop, |_, _| {}), now);
}

/// Looks up the pet of the selected row, or says why there is none. One that may have been added is searched for among
/// all pets.
fn look_for(app: &mut App, now: Now) {
    let marked = app.add.import.running().and_then(|running| running.listed().get(running.cursor));
    let Some(ImportedRow { line, name, outcome, .. }) = marked.cloned() else { return };
    match outcome {
        RowOutcome::Added(id) => {
            app.screen = Screen::Pets;
            pets::popups::look_up(app, id, now);
        }
        RowOutcome::Unknown(_) => {
            app.screen = Screen::Pets;
            pets::update::search_for(app, &name);
            pets::update::reload(app, pets::ReadNext::New, now);
        }
        RowOutcome::Refused(_) | RowOutcome::NotSent(_) | RowOutcome::Invalid(_) => {
            app.tell(format!("Line {line}: {}", outcome.words()));
        }
    }
}

/// Asks for the file to write the rejects to.
fn write_rejects(app: &mut App) {
    let import = &app.add.import;
    let (count, rejects) = match &import.phase {
        Phase::Looked(looked) => {
            let rejects = RejectsSource { source: looked.source.clone(), reading: looked.reading(), report: None };
            (looked.seen().map_or(0, |seen| seen.preview.bad), rejects)
        }
        Phase::Running(running) => {
            let Some((file, report)) = running.files.clone() else { return };
            let (source, reading) = (ImportSource::File(file), running.job.run.reading.clone());
            (running.progress.errors(), RejectsSource { source, reading, report: Some(report.into()) })
        }
        Phase::File => return,
    };
    if count == 0 {
        return app.tell("Nothing to fix.");
    }
    let name = import.source().map(rejects_name).unwrap_or_default();
    let what = format!("{} to fix, with the reason", counted(count, "row"));
    app.popups.show(WriteBox::new(name, Contents::Rejects(Box::new(rejects))).holding(what));
}

/// The default name of the rejects file, beside the imported one.
pub(super) fn rejects_name(source: &ImportSource) -> String {
    let Some(path) = source.path().map(Path::new) else { return "pasted-rejects.csv".to_owned() };
    let stem = path.file_stem().unwrap_or_default().display();
    path.with_file_name(format!("{stem}-rejects.csv")).display().to_string()
}

/// The equivalent command line.
pub fn command_line(app: &App, more: &str) -> String {
    let import = &app.add.import;
    let options = match &import.phase {
        Phase::Looked(looked) => options(looked),
        Phase::File => String::new(),
        Phase::Running(running) => {
            // The report has the column mapping.
            let option = |(file, report): &(String, String)| report_option(file.as_ref(), report.as_ref());
            running.files.as_ref().map(option).unwrap_or_default()
        }
    };
    let typed = || import.source().and_then(ImportSource::path);
    let file = import.file().or_else(typed).map_or("FILE".to_owned(), shell_word);
    format!("petstore{} pets import {file}{options}{more}", app.link.flags)
}

/// The command that continues the unfinished import.
pub fn resume_line(app: &App) -> Option<String> {
    let import = &app.add.import;
    let file = import.unfinished.as_ref()?;
    Some(match import.running() {
        Some(_) => command_line(app, " --resume"),
        None => format!("petstore{} pets import {} --resume", app.link.flags, shell_word(file)),
    })
}

/// The column mapping as options.
fn options(looked: &PreviewState) -> String {
    let ColumnMapping { map, set, .. } = looked.reading();
    let options = [(" --map", map), (" --set", set)].map(|(option, values)| {
        let chosen = Field::ALL.into_iter().zip(values).filter_map(|(field, value)| Some((field, value?)));
        chosen.map(|(field, value)| format!("{option} {}={}", field.member(), shell_word(&value))).collect::<String>()
    });
    options.concat()
}

/// Why another service cannot be changed to now.
pub fn why_not_switch(app: &App) -> Option<String> {
    let running = app.add.import.under_way()?;
    let (service, left) = (short(&running.service), counted(running.left(), "row"));
    Some(format!("An import into {service} is running, with {left} left. Stop it first (2, Esc)."))
}
