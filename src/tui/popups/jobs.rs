//! The commands and jobs of the box for files: a text, the rows that were not added, or the whole inventory.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::write::{Contents, RejectsSource, WriteBox};
use crate::api::failure::Failure;
use crate::api::inventory::Coverage;
use crate::clock::Now;
use crate::local::atomic_file;
use crate::model::export::{self, Kind};
use crate::model::{display_safe, text};
use crate::transfer::export::{ExportEnded, ExportOptions, to_file};
use crate::transfer::{TransferError, rejects};
use crate::tui::command::{Command, Place, change, command};
use crate::tui::effect::Effect;
use crate::tui::job::{BETWEEN_NEWS, Env, Job, Ongoing, blocking};
use crate::tui::path_completion::COMPLETE;
use crate::tui::pending::Slot;
use crate::tui::state::{AppState, MessageKind};

static BOX: &[Command] = &[
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

pub static PLACE: Place = Place::new("write-box", "Write to a file", &[BOX]).text().in_box();

impl WriteBox {
    /// For the box, which must not know what is done with it.
    pub(super) const PLACE: &'static Place = &PLACE;
}

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

const STOPPED: &str = "Stopped. Nothing was written.";

/// A file was written, or not.
fn on_written(state: &mut AppState, result: Result<String, NotWritten>, now: Now) {
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

/// Why a file was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotWritten {
    /// There is a file of this name.
    Exists(String),
    /// Its contents could not be read.
    NotRead(Failure),
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

/// Writes the whole inventory into a file, in the format that the name's ending asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Its name, as typed.
    pub path: String,
    /// Overwrite an existing file.
    pub replace: bool,
}

/// The whole inventory in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The file.
    pub path: String,
    /// How many pets are in it.
    pub count: u64,
    /// Whether these are known to be all.
    pub coverage: Coverage,
}

impl Job for Export {
    type Answer = Exported;
    type Error = NotWritten;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Export;

    async fn run(self: Arc<Self>, env: Env) -> Result<Exported, NotWritten> {
        let api = env.api("export").await.map_err(NotWritten::NotRead)?;
        let place = env.machine.place(&self.path);
        // The box has shown the known endings.
        let kind = Kind::of_name(&place).unwrap_or(Kind::Csv);
        let columns = Vec::new();
        let how = ExportOptions { kind, raw: false, status: None, require_complete: false, search: None, columns };
        let (count, counted) = watch::channel(0);
        // Where this is dropped, so is the token's guard: the thread that writes hears of it.
        let stop = CancellationToken::new();
        let _guard = stop.clone().drop_guard();
        let written = to_file(&api, how, (&place, self.replace), count, &stop);
        let (written, count) = tokio::join!(written, self.count_up(counted, &env));
        match written {
            Ok(ExportEnded::Done(coverage) | ExportEnded::Incomplete(coverage)) => {
                Ok(Exported { path: place.display().to_string(), count, coverage })
            }
            Ok(ExportEnded::Stopped) => Err(NotWritten::Failed(STOPPED.to_owned())),
            Err(TransferError::Exists(_)) => Err(NotWritten::Exists(self.path.clone())),
            Err(TransferError::Api(error)) => Err(NotWritten::NotRead(Failure::from(&error))),
            Err(error) => Err(NotWritten::Failed(format!("{}.", text::safe_causes(&error)))),
        }
    }

    fn done(&self, app: &mut AppState, exported: Result<Exported, NotWritten>, now: Now) -> Vec<Effect> {
        let message = exported.as_ref().ok().map(|Exported { path, count, coverage }| {
            let word = coverage.honest_word(usize::try_from(*count).unwrap_or(usize::MAX));
            let kind = if coverage.complete { MessageKind::Done } else { MessageKind::Note };
            (kind, format!("Written to {path}: {word}"))
        });
        on_written(app, exported.map(|exported| exported.path), now);
        if let Some((kind, text)) = message {
            app.say(kind, text);
        }
        Vec::new()
    }
}

impl Ongoing for Export {
    /// How many pets are in the file so far.
    type Part = u64;

    fn on_part(&self, app: &mut AppState, count: u64, _: Now) -> Vec<Effect> {
        if let Some(write) = app.popups.get_mut::<WriteBox>() {
            write.written = Some(count);
        }
        Vec::new()
    }
}

impl Export {
    async fn count_up(self: &Arc<Self>, mut counted: watch::Receiver<u64>, env: &Env) -> u64 {
        while counted.changed().await.is_ok() {
            let count = *counted.borrow_and_update();
            env.tell(self, count).await;
            tokio::time::sleep(BETWEEN_NEWS).await;
        }
        *counted.borrow()
    }
}
