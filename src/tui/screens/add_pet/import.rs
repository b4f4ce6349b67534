//! Import of a file: choose it, preview it, send it. Nothing is sent before the whole file was checked and previewed.
//!
//! [`crate::transfer`] does the work; these are its three steps on the screen. A running import continues while other
//! screens are shown, and resumes from its report after a restart.

pub mod jobs;
pub mod preview;
pub mod update;
pub mod view;

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::app::import_run::typed_path;
use crate::clock::Now;
use crate::model::{Field, text::short};
use crate::transfer::column_mapping::{ColumnMapping, is_header};
use crate::transfer::import::{ImportProgress, ImportRun, ImportedRow};
use crate::transfer::{FileFormat, ImportSource};
use crate::tui::command::{Command, command};
use crate::tui::effect::Effect;
use crate::tui::pending::Slot;
use crate::tui::screens::add_pet::{CATEGORY, NAME};
use crate::tui::state::{AppState, Screen};
use crate::tui::text_input::{TextInput, Typing};

use jobs::CheckFile;
use preview::PreviewState;

/// The most recent rows that are shown.
const LAST_ROWS: usize = 200;

/// The most rejects that are shown; the report has all.
const MOST_REJECTS: usize = 1_000;

/// The import.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Whether it is shown instead of the form.
    pub on: bool,
    /// The name of the file, as typed.
    pub path: TextInput,
    /// Why the file cannot be imported.
    pub error: Option<String>,
    /// The step of the import.
    pub phase: Phase,
    /// The text that was pasted into the form and is imported instead.
    pub pasted: Option<String>,
    /// The file of an import that was started, and is neither finished nor dropped.
    pub unfinished: Option<String>,
}

/// The step of an import.
#[derive(Clone, Debug, Default)]
pub enum Phase {
    #[default]
    File,
    Looked(Box<PreviewState>),
    /// It is running or has ended.
    Running(Box<Running>),
}

/// An import to start or resume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunImport {
    pub source: ImportSource,
    /// Its report is beside the file if it names none.
    pub run: ImportRun,
}

/// An import that was started.
#[derive(Clone, Debug, Default)]
pub struct Running {
    /// The preview of the file, as long as nothing of it was sent.
    pub looked: Option<Box<PreviewState>>,
    pub job: RunImport,
    /// The file and the report, once it has started.
    pub files: Option<(String, String)>,
    /// The service, as the header names it.
    pub service: String,
    /// The counts.
    pub progress: ImportProgress,
    /// The most recent rows, the newest first.
    pub rows: VecDeque<ImportedRow>,
    /// The rows that were not added, the newest first.
    pub rejects: VecDeque<ImportedRow>,
    /// Whether rows are being sent, or will be.
    pub is_under_way: bool,
    /// Only rows that were not added are listed.
    pub only_rejects: bool,
    /// The selected row, from 0.
    pub cursor: usize,
    /// When measuring the speed began, and how many rows were added then.
    pub(super) since: Option<(Instant, u64)>,
    /// Rows added a second, if known.
    pub(super) speed: Option<f64>,
}

impl State {
    /// Puts typed text into the field with the cursor.
    pub fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        match &mut self.phase {
            Phase::File => {
                self.error = None;
                self.path.take(typing)
            }
            Phase::Looked(looked) => {
                let Some(input) = looked.input() else { return false };
                let is_cut = input.take(typing);
                looked.changed = true;
                is_cut
            }
            Phase::Running(_) => false,
        }
    }

    /// The name of that file, short.
    pub fn unfinished_name(&self) -> Option<String> {
        self.unfinished.as_ref().map(|file| short(file.rsplit('/').next().unwrap_or(file)))
    }

    /// Whether that file is the one that is shown.
    pub(super) fn shows_unfinished(&self) -> bool {
        let shown = match &self.phase {
            Phase::File => Some(self.path.value()),
            Phase::Looked(looked) => looked.seen().and_then(|seen| seen.path.as_deref()?.to_str()),
            Phase::Running(running) => running.files.as_ref().map(|(file, _)| file.as_str()),
        };
        shown.is_some() && shown == self.unfinished.as_deref()
    }

    /// The import that is running or has ended.
    pub const fn running(&self) -> Option<&Running> {
        if let Phase::Running(running) = &self.phase { Some(running) } else { None }
    }

    /// The same, for changes.
    pub(super) const fn running_mut(&mut self) -> Option<&mut Running> {
        if let Phase::Running(running) = &mut self.phase { Some(running) } else { None }
    }

    /// The preview of the file.
    pub(super) const fn looked_mut(&mut self) -> Option<&mut PreviewState> {
        if let Phase::Looked(looked) = &mut self.phase { Some(looked) } else { None }
    }

    /// What is imported, if known.
    pub const fn source(&self) -> Option<&ImportSource> {
        match &self.phase {
            Phase::File => None,
            Phase::Looked(looked) => Some(&looked.source),
            Phase::Running(running) => Some(&running.job.source),
        }
    }

    /// Whether it shows a countdown to the next try.
    pub fn is_waiting(&self) -> bool {
        self.running().is_some_and(|running| running.is_under_way && running.progress.waiting.is_some())
    }
}

impl Running {
    /// Takes the counts and new rows.
    pub fn take(&mut self, progress: ImportProgress, rows: Vec<ImportedRow>, now: Instant) {
        let (begun, before) = *self.since.get_or_insert((now, self.progress.added));
        let took = now.saturating_duration_since(begun);
        if took >= Duration::from_millis(500) {
            self.speed = Some((progress.added - before.min(progress.added)) as f64 / took.as_secs_f64());
        }
        self.progress = progress;
        for row in rows {
            if row.is_error() {
                self.rejects.push_front(row.clone());
                self.rejects.truncate(MOST_REJECTS);
            }
            self.rows.push_front(row);
            self.rows.truncate(LAST_ROWS);
            // The selection stays on its row.
            if self.cursor > 0 && !self.only_rejects {
                self.cursor = (self.cursor + 1).min(self.rows.len() - 1);
            }
        }
    }

    /// The rows that are listed, the newest first.
    pub const fn listed(&self) -> &VecDeque<ImportedRow> {
        if self.only_rejects { &self.rejects } else { &self.rows }
    }

    /// How many rows there are to send.
    pub fn good(&self) -> u64 {
        self.job.run.counts.map_or(0, |counts| counts.good)
    }

    /// Rows not done yet.
    pub fn left(&self) -> u64 {
        self.good().saturating_sub(self.progress.dealt_with())
    }

    /// How much is done, in percent.
    pub fn percent(&self) -> u64 {
        let done = self.good() - self.left();
        (done * 100).checked_div(self.good()).unwrap_or(100)
    }

    /// How long the rest takes at this speed.
    pub(super) fn time_left(&self) -> Option<Duration> {
        let speed = self.speed.filter(|speed| *speed > 0.0)?;
        Duration::try_from_secs_f64(self.left() as f64 / speed).ok()
    }
}

/// Shows the import as it was left, or asks for a file.
pub fn show(state: &mut AppState) {
    state.screen = Screen::AddPet;
    state.pets.searching = false;
    state.add.import.on = true;
}

pub const IMPORT: Command = command("import", "F7", "import", "import a file", open)
    .everywhere()
    .adds()
    .not_over_ssh("Import from your own machine: ssh USER@HOST pets import - < pets.csv")
    .shell(|_| Some("pets import FILE".to_owned()));

/// Shows it by its key: the unfinished import, if no other is shown.
fn open(state: &mut AppState, now: Now) -> Vec<Effect> {
    show(state);
    let import = &mut state.add.import;
    if let (Phase::File, Some(file)) = (&import.phase, &import.unfinished) {
        import.path = TextInput::new(file.clone());
    }
    check_unfinished(state, now)
}

/// Checks the file of an unfinished import, so that one key continues it.
pub fn check_unfinished(state: &mut AppState, now: Now) -> Vec<Effect> {
    let import = &state.add.import;
    if !(import.on && matches!(import.phase, Phase::File) && import.shows_unfinished()) {
        return Vec::new();
    }
    let source = ImportSource::File(import.path.value().to_owned());
    look(state, source, &ColumnMapping::default(), now)
}

/// Drops the unfinished import, if it is the one that is shown: it is not offered at the next start. Its report stays.
pub(super) fn drop_unfinished(state: &mut AppState) -> bool {
    let shown = state.add.import.unfinished_name().filter(|_| state.add.import.shows_unfinished());
    let Some(file) = shown else { return false };
    state.add.import.unfinished = None;
    let text = format!("The import of {file} is dropped. Its report is kept: importing the file again continues it.");
    state.tell(text);
    true
}

/// Takes a paste into the name field that is several lines or the path of a file. The text in the field is its
/// beginning if the paste begins with a line end.
pub fn paste(state: &mut AppState, text: &str, now: Now) -> Option<Vec<Effect>> {
    let is_free = !state.add.import.running().is_some_and(|running| running.is_under_way);
    let first = state.add.form[&NAME].value();
    if !is_free || !(first.trim().is_empty() || text.starts_with(['\r', '\n'])) {
        return None;
    }
    let text = &format!("{first}{text}");
    if let Some(path) = dropped(text).filter(|_| state.link.ssh.is_none()) {
        state.add.form[&NAME].clear();
        show(state);
        state.add.import.path = TextInput::new(path.clone());
        state.add.import.pasted = Some(text.to_owned());
        return Some(look(state, ImportSource::File(path), &ColumnMapping::default(), now));
    }
    // Most terminals send line ends as Enter.
    let text = &text.replace("\r\n", "\n").replace('\r', "\n");
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    if lines < 2 {
        return None;
    }
    let (text_to_read, reading) = table(state, text);
    state.add.form[&NAME].clear();
    show(state);
    state.add.import.pasted = Some(text.to_owned());
    state.tell(format!("{lines} lines pasted, one pet each. Esc: use them as one name instead."));
    Some(look(state, ImportSource::Pasted(text_to_read.into()), &reading, now))
}

/// The pasted text as a table with a header. A list of names gets the category and the status of the form.
fn table(state: &AppState, text: &str) -> (String, ColumnMapping) {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let starts_json = first.trim_start().starts_with(['{', '[']);
    let delimiter = ['\t', ';', ','].into_iter().find(|delimiter| first.contains(*delimiter));
    let cells: Vec<&str> = delimiter.map_or_else(|| vec![first], |delimiter| first.split(delimiter).collect());
    if starts_json || is_header(&cells) {
        return (text.to_owned(), ColumnMapping::default());
    }
    let category = Some(state.add.form[&CATEGORY].value().to_owned());
    let status = state.add.draft().status.map(|status| status.to_string());
    let with = |set| ColumnMapping { set, ..ColumnMapping::default() };
    // Cells without a header are in the order of the form.
    match (delimiter, cells.len()) {
        (Some(delimiter), 2..=3) => {
            let header = Field::ALL.map(Field::member)[..cells.len()].join(&delimiter.to_string());
            (format!("{header}\n{text}"), with([None, None, status.filter(|_| cells.len() == 2)]))
        }
        _ => {
            let quoted = text.lines().map(|line| format!("\"{}\"", line.trim().replace('"', "\"\"")));
            let names: Vec<String> = quoted.filter(|line| line != "\"\"").collect();
            (format!("{}\n{}\n", Field::Name.member(), names.join("\n")), with([None, category, status]))
        }
    }
}

/// The path of a file of pets, as terminals paste it for a dropped file.
fn dropped(text: &str) -> Option<String> {
    let path = typed_path(text.trim());
    let is_path = path.starts_with('/') || path.starts_with("~/");
    (is_path && !path.contains('\n') && FileFormat::of_name(Path::new(&path)).is_some()).then_some(path)
}

/// Checks the file whose name is typed.
pub(super) fn look_at_typed(state: &mut AppState, now: Now) -> Vec<Effect> {
    let import = &mut state.add.import;
    let path = import.path.value().trim().to_owned();
    if path.is_empty() {
        import.error = Some("Type or paste the name of a file.".to_owned());
        return Vec::new();
    }
    let path = dropped(&path).unwrap_or(path);
    // The message may be about another file.
    state.message = None;
    look(state, ImportSource::File(path), &ColumnMapping::default(), now)
}

/// Begins to check `source`.
pub fn look(state: &mut AppState, source: ImportSource, reading: &ColumnMapping, now: Now) -> Vec<Effect> {
    state.add.import.error = None;
    state.add.import.phase = Phase::Looked(Box::new(PreviewState::new(source, reading)));
    look_again(state, now)
}

/// Checks it again with the current choices.
pub fn look_again(state: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(looked) = state.add.import.looked_mut() else { return Vec::new() };
    (looked.changed, looked.rows, looked.again) = (false, 0, None);
    let check = CheckFile { source: looked.source.clone(), reading: looked.reading() };
    vec![state.begin(check, now)]
}

/// Goes back to the file name; pasted text goes into the form.
pub fn leave(state: &mut AppState, _: Now) -> Vec<Effect> {
    let given_up = state.cancel(Slot::CheckFile);
    let import = &mut state.add.import;
    (import.phase, import.error) = (Phase::File, None);
    if let Some(pasted) = import.pasted.take() {
        import.on = false;
        let field = &mut state.add.form[&NAME];
        field.insert(&pasted);
        let name = short(field.value());
        state.tell(format!("The pasted text is in the form: {name}"));
    }
    given_up.into_iter().collect()
}

#[cfg(test)]
pub(in crate::tui) mod tests;
