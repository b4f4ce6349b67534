//! The commands and the job of the box for files: a text, pets, or the rows of an import that were not added.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use super::write::{Contents, RejectsSource, WriteBox};
use crate::api::failure::Failure;
use crate::clock::Now;
use crate::local::atomic_file;
use crate::model::{display_safe, export};
use crate::transfer::{TransferError, rejects};
use crate::tui::command::{Command, Place, change, closes, command};
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job, blocking};
use crate::tui::path_completion::COMPLETE;
use crate::tui::pending::Slot;
use crate::tui::state::AppState;

static BOX: &[Command] = &[
    command("confirm", "Enter F2", "write", "write the file", confirm),
    COMPLETE,
    change("next-set", "down", "", "which pets", |app, _| step(app, true)),
    change("previous-set", "up", "", "which pets", |app, _| step(app, false)),
    closes("Esc F3", "cancel", "close without writing"),
];

pub static PLACE: Place = Place::new("write-box", "Write to a file", &[BOX]).text().in_box();

impl WriteBox {
    /// For the box, which must not know what is done with it.
    pub(super) const PLACE: &'static Place = &PLACE;
}

fn step(app: &mut AppState, forward: bool) {
    if let Some(write) = app.popups.get_mut::<WriteBox>() {
        write.step(forward);
    }
}

fn confirm(app: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(write) = app.popups.get_mut::<WriteBox>() else { return Vec::new() };
    let Some(path) = write.name() else { return Vec::new() };
    let replace = write.replace;
    let what = match &write.text {
        Contents::Text(text) => FileContents::Text(text.clone()),
        Contents::Pets { sets, chosen } => FileContents::Text(export::for_file(&path, &sets[*chosen].pets)),
        Contents::Rejects(what) => FileContents::Rejects(what.clone()),
    };
    app.begin_if_free(WriteFile { path, replace, what }, now)
}

/// A file was written, or not.
fn on_written(state: &mut AppState, result: Result<String, NotWritten>, now: Now) {
    let open = state.popups.get_mut::<WriteBox>();
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
        Err(NotWritten::Failed(why)) => why,
    };
    match state.popups.get_mut::<WriteBox>() {
        Some(write) => write.error = Some(why),
        None => state.complain(why),
    }
}

/// Why a file was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotWritten {
    /// There is a file of this name.
    Exists(String),
    /// It could not be written.
    Failed(String),
}

impl From<Failure> for NotWritten {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure.into())
    }
}

/// Writes a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteFile {
    /// Its name, as typed.
    pub path: String,
    /// Overwrite an existing file.
    pub replace: bool,
    /// What will be in it.
    pub what: FileContents,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileContents {
    /// This.
    Text(String),
    /// The rows of an import that were not added.
    Rejects(Box<RejectsSource>),
}

impl Job for WriteFile {
    /// The file.
    type Answer = String;
    type Error = NotWritten;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Write;

    async fn run(self: Arc<Self>, env: Env) -> Result<String, NotWritten> {
        blocking(move || {
            let place = env.machine.place(&self.path);
            match &self.what {
                FileContents::Text(text) => self.write(text, &place)?,
                FileContents::Rejects(what) => self.write_rejects(what, &place, &env)?,
            }
            Ok(place.display().to_string())
        })
        .await
    }

    fn done(&self, app: &mut AppState, written: Result<String, NotWritten>, now: Now) -> Vec<Effect> {
        on_written(app, written, now);
        Vec::new()
    }
}

impl WriteFile {
    fn write(&self, text: &str, place: &Path) -> Result<(), NotWritten> {
        atomic_file::write(place, text, self.replace).map_err(|error| {
            if error.kind() == ErrorKind::AlreadyExists {
                return NotWritten::Exists(self.path.clone());
            }
            NotWritten::Failed(format!("{} could not be written: {error}.", place.display()))
        })
    }

    /// The rows that were not added.
    fn write_rejects(&self, what: &RejectsSource, place: &Path, env: &Env) -> Result<(), NotWritten> {
        let reading = env.reading(what.reading.clone());
        let written = env
            .machine
            .open(&what.source)
            .and_then(|input| rejects::write(input, &reading, what.report.as_deref(), (place, self.replace)));
        match written {
            Ok(_) => Ok(()),
            Err(TransferError::Exists(_)) => Err(NotWritten::Exists(self.path.clone())),
            Err(error) => Err(NotWritten::Failed(format!("{}.", display_safe(&error.to_string())))),
        }
    }
}
