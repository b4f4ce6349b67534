//! Into which file? Its name to type; whether it was written comes as a reply.

use super::jobs::{Exported, FileContents, NotWritten, PopupTask, WriteFile};
use super::state::{Contents, Popup, WriteBox};
use crate::clock::Now;
use crate::model::export::{self, Kind};
use crate::model::text::cut;
use crate::tui::command::{Command, change, command};
use crate::tui::effect::{Effect, Task};
use crate::tui::path_completion::COMPLETE;
use crate::tui::pending::Slot;
use crate::tui::state::{AppState, MessageKind};
use crate::tui::text_input::{TextInput, Typing};
use crate::tui::widgets::page::{Page, radio};

impl WriteBox {
    /// The box with the name of a file, relative to where the program was started.
    pub fn new(path: impl Into<String>, text: Contents) -> Self {
        Self { path: TextInput::new(path), text, what: None, asked: None, replace: false, error: None, written: None }
    }

    /// What is wrong with the ending of the name, where that chooses the format.
    fn wrong_ending(&self) -> Option<String> {
        let name = self.path.value().trim();
        let file = name.rsplit('/').next().unwrap_or(name);
        let (_, ending) = file.rsplit_once('.').filter(|_| matches!(self.text, Contents::Pets { .. }))?;
        let known = Kind::ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known));
        (!known).then(|| {
            format!(
                "Unknown format. The name must end in one of {}.",
                Kind::ENDINGS.map(|ending| format!(".{ending}")).join(", ")
            )
        })
    }

    /// Changes between the rows shown and the whole inventory.
    fn toggle(&mut self) {
        if let Contents::Pets { whole, .. } = &mut self.text {
            *whole = !*whole;
        }
        self.forget_answer();
    }

    /// What is typed goes into the name.
    pub(super) fn on_typing(&mut self, typing: Typing<'_>) {
        self.path.take(typing);
        self.forget_answer();
    }

    /// The result for the previous name does not apply to this one.
    fn forget_answer(&mut self) {
        self.replace = false;
        self.error = None;
    }

    /// What writes the file, unless something is wrong with its name.
    fn write(&mut self) -> Option<Task> {
        let path = self.path.value().trim().to_owned();
        let wrong = if path.is_empty() { Some("Type a file name.".to_owned()) } else { self.wrong_ending() };
        if wrong.is_some() {
            self.error = wrong;
            return None;
        }
        self.asked = Some(self.path.value().to_owned());
        self.written = matches!(self.text, Contents::Pets { whole: true, .. }).then_some(0);
        Some(self.task(path))
    }

    fn task(&self, path: String) -> Task {
        let what = match &self.text {
            Contents::Text(text) => FileContents::Text(text.clone()),
            Contents::Pets { whole: true, .. } => FileContents::Inventory,
            Contents::Pets { shown, whole: false } => FileContents::Text(export::for_file(&path, shown)),
            Contents::Rejects(what) => FileContents::Rejects(what.clone()),
        };
        PopupTask::Write(WriteFile { path, replace: self.replace, what }).into()
    }
}

/// Why a session over SSH writes none.
pub const NO_FILES: &str = "A session over SSH writes no files of the server.";

pub static BOX: &[Command] = &[
    command("confirm", "Enter F2", "write", "write the file", confirm),
    COMPLETE,
    change("toggle", "up down", "", "rows or everything", |app, _| {
        if let Some(Popup::Write(write)) = &mut app.popup {
            write.toggle();
        }
    }),
    command("back", "Esc F3", "cancel", "close without writing", |app, _| {
        app.popup = None;
        let stopped = app.cancel(Slot::Export);
        if stopped.is_some() {
            app.tell("Stopped. Nothing was written.");
        }
        stopped.into_iter().collect()
    }),
];

fn confirm(app: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(Popup::Write(write)) = &mut app.popup else { return Vec::new() };
    match write.write() {
        Some(task) if !app.pending.is_running(task.slot()) => vec![app.begin(task, now)],
        Some(_) | None => Vec::new(),
    }
}

/// How far the whole inventory is.
pub(super) fn on_exporting(state: &mut AppState, count: u64) {
    if let Some(Popup::Write(write)) = Popup::behind_help(&mut state.popup) {
        write.written = Some(count);
    }
}

/// The whole inventory was written, or not.
pub fn on_exported(state: &mut AppState, result: Result<Exported, NotWritten>, now: Now) {
    match result {
        Ok(Exported { path, count, coverage }) => {
            let word = coverage.honest_word(usize::try_from(count).unwrap_or(usize::MAX));
            on_written(state, Ok(path.clone()), now);
            let kind = if coverage.complete { MessageKind::Done } else { MessageKind::Note };
            state.say(kind, format!("Written to {path}: {word}"));
        }
        Err(not_written) => on_written(state, Err(not_written), now),
    }
}

/// A file was written, or not.
pub(super) fn on_written(state: &mut AppState, result: Result<String, NotWritten>, now: Now) {
    let open = Popup::behind_help(&mut state.popup);
    if let Some(Popup::Write(write)) = open {
        write.written = None;
    }
    let why = match result {
        Ok(path) => {
            let what = match open {
                Some(Popup::Write(WriteBox { what: Some(what), .. })) => format!(": {what}"),
                _ => String::new(),
            };
            open.take_if(
                |popup| matches!(popup, Popup::Write(write) if write.asked.as_deref() == Some(write.path.value())),
            );
            return state.say_done(format!("Written to {path}{what}."), now.mono);
        }
        Err(NotWritten::Exists(path)) => match open {
            // Only for the name that was asked about.
            Some(Popup::Write(write)) if write.path.value().trim() == path => {
                write.replace = true;
                write.error = Some("File exists. Enter overwrites it, or type another name.".to_owned());
                return;
            }
            _ => return state.complain(format!("{path} exists already. Nothing was written.")),
        },
        Err(NotWritten::NotRead(failure)) => {
            format!("{} Nothing was written.", failure.sentence(&state.link.service))
        }
        Err(NotWritten::Failed(why)) => why,
    };
    match open {
        Some(Popup::Write(write)) => write.error = Some(why),
        _ => state.complain(why),
    }
}

pub(super) fn draw(write: &WriteBox, page: &mut Page<'_>) {
    page.popup(70, 10, "Write to file");
    let is_export = matches!(write.text, Contents::Pets { .. });
    let formats = if is_export { " The ending sets the format: .csv, .tsv, .json or .ndjson." } else { "" };
    page.gap();
    page.paragraph(2, &format!("The path is relative to where petstore was started.{formats}"));
    let what = match (&write.text, write.written) {
        (_, Some(count)) => format!("{count} pets so far ... Esc stops"),
        (Contents::Pets { whole, .. }, None) => {
            let rows = write.what.as_deref().unwrap_or_default();
            format!("{} {rows}   {} everything (Down)", radio(!whole), radio(*whole))
        }
        (Contents::Text(_) | Contents::Rejects(_), None) => write.what.clone().unwrap_or_default(),
    };
    page.line(cut(&format!("  {what}"), page.columns()));
    page.input(2, 60, &write.path, true);
    page.next_row();
    page.gap();
    if let Some(error) = &write.error {
        page.banner(error, usize::MAX);
    }
}
