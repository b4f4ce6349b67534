//! Into which file? Its name to type; whether it was written comes as a reply.

use std::sync::Arc;

use super::jobs::{Export, FileContents, NotWritten, RejectsSource, WriteFile};
use super::stack::Popup;
use crate::clock::Now;
use crate::model::Pet;
use crate::model::export::{self, Kind};
use crate::model::text::cut;
use crate::tui::command::{Command, change, command};
use crate::tui::context::Context;
use crate::tui::effect::Effect;
use crate::tui::path_completion::COMPLETE;
use crate::tui::pending::Slot;
use crate::tui::state::{AppState, Layout};
use crate::tui::text_input::{TextInput, Typing};
use crate::tui::widgets::page::{Page, radio};

/// Into which file?
#[derive(Debug)]
pub struct WriteBox {
    /// Its name, as typed.
    pub path: TextInput,
    /// What will be in it.
    pub text: Contents,
    /// How much it is, if that matters.
    pub what: Option<String>,
    /// The name that was asked to be written.
    asked: Option<String>,
    /// The file exists, and Enter overwrites it.
    replace: bool,
    /// Why it was not written.
    pub error: Option<String>,
    /// How many pets are in it so far, while the whole inventory is written.
    pub(super) written: Option<u64>,
}

/// What a file is to hold.
#[derive(Debug)]
pub enum Contents {
    /// This.
    Text(String),
    /// Pets, in the format that the name's ending asks for.
    Pets {
        /// The rows shown.
        shown: Arc<Vec<Pet>>,
        /// The whole inventory instead, read from the service.
        whole: bool,
    },
    /// The rows of an import that were not added.
    Rejects(Box<RejectsSource>),
}

impl WriteBox {
    /// The box with the name of a file, relative to where the program was started.
    pub fn new(path: impl Into<String>, text: Contents) -> Self {
        Self { path: TextInput::new(path), text, what: None, asked: None, replace: false, error: None, written: None }
    }

    /// The same, which says how much it is.
    pub fn holding(self, what: impl Into<String>) -> Self {
        Self { what: Some(what.into()), ..self }
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

    /// The result for the previous name does not apply to this one.
    fn forget_answer(&mut self) {
        self.replace = false;
        self.error = None;
    }

    /// The name of the file, unless something is wrong with it.
    fn name(&mut self) -> Option<String> {
        let path = self.path.value().trim().to_owned();
        let wrong = if path.is_empty() { Some("Type a file name.".to_owned()) } else { self.wrong_ending() };
        if wrong.is_some() {
            self.error = wrong;
            return None;
        }
        self.asked = Some(self.path.value().to_owned());
        self.written = matches!(self.text, Contents::Pets { whole: true, .. }).then_some(0);
        Some(path)
    }
}

/// Why a session over SSH writes none.
pub const NO_FILES: &str = "A session over SSH writes no files of the server.";

pub static BOX: &[Command] = &[
    command("confirm", "Enter F2", "write", "write the file", confirm),
    COMPLETE,
    change("toggle", "up down", "", "rows or everything", |app, _| {
        if let Some(write) = app.popups.get_mut::<WriteBox>() {
            write.toggle();
        }
    }),
    command("back", "Esc F3", "cancel", "close without writing", |app, _| {
        app.popups.close();
        let stopped = app.cancel(Slot::Export);
        if stopped.is_some() {
            app.tell(STOPPED);
        }
        stopped.into_iter().collect()
    }),
];

fn confirm(app: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(write) = app.popups.get_mut::<WriteBox>() else { return Vec::new() };
    let Some(path) = write.name() else { return Vec::new() };
    let replace = write.replace;
    let what = match &write.text {
        Contents::Text(text) => FileContents::Text(text.clone()),
        Contents::Pets { whole: true, .. } => return app.begin_if_free(Export { path, replace }, now),
        Contents::Pets { shown, whole: false } => FileContents::Text(export::for_file(&path, shown)),
        Contents::Rejects(what) => FileContents::Rejects(what.clone()),
    };
    app.begin_if_free(WriteFile { path, replace, what }, now)
}

/// The export was stopped.
pub fn on_stopped(app: &mut AppState, now: Now) {
    on_written(app, Err(NotWritten::Failed(STOPPED.to_owned())), now);
}

pub(super) const STOPPED: &str = "Stopped. Nothing was written.";

/// A file was written, or not.
pub(super) fn on_written(state: &mut AppState, result: Result<String, NotWritten>, now: Now) {
    let mut open = state.popups.get_mut::<WriteBox>();
    if let Some(write) = &mut open {
        write.written = None;
    }
    let why = match result {
        Ok(path) => {
            let what = open.and_then(|write| write.what.clone()).map_or_else(String::new, |what| format!(": {what}"));
            state.popups.take_if(|write: &WriteBox| write.asked.as_deref() == Some(write.path.value()));
            return state.say_done(format!("Written to {path}{what}."), now.mono);
        }
        Err(NotWritten::Exists(path)) => match open {
            // Only for the name that was asked about.
            Some(write) if write.path.value().trim() == path => {
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
    match state.popups.get_mut::<WriteBox>() {
        Some(write) => write.error = Some(why),
        None => state.complain(why),
    }
}

impl Popup for WriteBox {
    fn context(&self) -> Context {
        Context::WriteBox
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        self.forget_answer();
        self.path.take(typing)
    }

    fn path(&mut self) -> Option<&mut TextInput> {
        Some(&mut self.path)
    }

    fn draw(&self, _: &AppState, _: Now, page: &mut Page<'_>, _: &mut Layout) {
        page.popup(70, 10, "Write to file");
        let is_export = matches!(self.text, Contents::Pets { .. });
        let formats = if is_export { " The ending sets the format: .csv, .tsv, .json or .ndjson." } else { "" };
        page.gap();
        page.paragraph(2, &format!("The path is relative to where petstore was started.{formats}"));
        let what = match (&self.text, self.written) {
            (_, Some(count)) => format!("{count} pets so far ... Esc stops"),
            (Contents::Pets { whole, .. }, None) => {
                let rows = self.what.as_deref().unwrap_or_default();
                format!("{} {rows}   {} everything (Down)", radio(!whole), radio(*whole))
            }
            (Contents::Text(_) | Contents::Rejects(_), None) => self.what.clone().unwrap_or_default(),
        };
        page.line(cut(&format!("  {what}"), page.columns()));
        page.input(2, 60, &self.path, true);
        page.next_row();
        page.gap();
        if let Some(error) = &self.error {
            page.banner(error, usize::MAX);
        }
    }
}
