//! Starts an import: by its key, a file dropped on the terminal, or pasted lines.

use std::path::Path;

use crate::app::import_run::typed_path;
use crate::clock::Now;
use crate::model::{Field, text::short};
use crate::transfer::FileFormat;
use crate::transfer::column_mapping::{ColumnMapping, is_header};
use crate::tui::command::{Command, command};
use crate::tui::effect::Effect;
use crate::tui::pending::Slot;
use crate::tui::state::{AppState, Screen};
use crate::tui::text_input::TextInput;

use super::Phase;
use super::jobs::CheckFile;
use super::preview::PreviewState;
use crate::transfer::ImportSource;
use crate::tui::screens::add_pet::{CATEGORY, NAME};

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
mod tests {
    use super::*;

    #[test]
    fn a_dropped_file_is_distinguished_from_a_name() {
        let path = |text: &str| dropped(text);
        assert_eq!(path("/home/ada/new arrivals.csv"), Some("/home/ada/new arrivals.csv".into()));
        assert_eq!(path("'/home/ada/new arrivals.XLSX' "), Some("/home/ada/new arrivals.XLSX".into()));
        assert_eq!(path("/home/ada/new\\ arrivals.json\n"), Some("/home/ada/new arrivals.json".into()));
        assert_eq!(path("file:///tmp/a.ndjson"), Some("/tmp/a.ndjson".into()));
        for name in ["Rex", "/etc/passwd", "pets.csv", "/a.csv\n/b.csv"] {
            assert_eq!(path(name), None, "{name}");
        }
    }
}
