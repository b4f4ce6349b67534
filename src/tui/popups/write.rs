//! Into which file? Its name to type; whether it was written comes as a reply.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::api::Failure;
use crate::local::atomic_file;
use crate::model::export::{self, Kind};
use crate::model::{Pet, cut};
use crate::transfer::{ColumnMapping, ImportSource, TransferError, rejects};
use crate::tui::command::closes;
use crate::tui::forms::COMPLETE;
use crate::tui::widgets::page::radio;
use crate::tui::{App, Command, Env, Job, Now, Page, Place, Popup, Slot, TextInput, Typing, blocking, cells, command};

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
}

/// What a file is to hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// This.
    Text(String),
    /// Pets, in the format that the name's ending asks for: one of these sets.
    Pets { sets: Vec<PetSet>, chosen: usize },
    /// The rows of an import that were not added.
    Rejects(Box<RejectsSource>),
}

/// Pets that can be written.
#[derive(Clone, Debug, PartialEq)]
pub struct PetSet {
    /// How many, and of what.
    pub what: String,
    pub pets: Arc<Vec<Pet>>,
}

/// Rows that were not added, or cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectsSource {
    pub source: ImportSource,
    /// How it is read.
    pub reading: ColumnMapping,
    /// The report of its import, if that was started.
    pub report: Option<PathBuf>,
}

impl WriteBox {
    /// The box with the name of a file, relative to where the program was started.
    pub fn new(path: impl Into<String>, text: Contents) -> Self {
        Self { path: TextInput::new(path), text, what: None, asked: None, replace: false, error: None }
    }

    /// The same, which says how much it is.
    pub fn holding(self, what: impl Into<String>) -> Self {
        Self { what: Some(what.into()), ..self }
    }

    /// What is wrong with the name: with its ending, where that chooses the format.
    fn fault(&self) -> Option<String> {
        let name = self.path.value().trim();
        if name.is_empty() {
            return Some("Type a file name.".to_owned());
        }
        let file = name.rsplit('/').next().unwrap_or(name);
        let (_, ending) = file.rsplit_once('.').filter(|_| matches!(self.text, Contents::Pets { .. }))?;
        let known = Kind::ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known));
        let endings = || Kind::ENDINGS.map(|ending| format!(".{ending}")).join(", ");
        (!known).then(|| format!("Unknown format. The name must end in one of {}.", endings()))
    }
}

/// Why a session over SSH writes none.
pub const NO_FILES: &str = "A session over SSH writes no files of the server.";

impl Popup for WriteBox {
    fn place(&self) -> &'static Place {
        &PLACE
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        // The result for the previous name does not apply to this one.
        (self.replace, self.error) = (false, None);
        self.path.take(typing)
    }

    fn path(&mut self) -> Option<&mut TextInput> {
        Some(&mut self.path)
    }

    fn draw(&self, _: &App, page: &mut Page<'_>) {
        let sets = if let Contents::Pets { sets, chosen } = &self.text { Some((sets, *chosen)) } else { None };
        let more = sets.map_or(0, |(sets, _)| sets.len() - 1);
        page.popup(70, 10 + cells(more), "Write to file");
        let formats = if sets.is_some() { " The ending sets the format: .csv, .tsv, .json or .ndjson." } else { "" };
        page.gap();
        page.paragraph(2, &format!("The path is relative to where petstore was started.{formats}"));
        match sets {
            Some((sets, chosen)) if more > 0 => {
                for (at, set) in sets.iter().enumerate() {
                    let way = if at == 0 { "   (Down chooses)" } else { "" };
                    page.line(format!("  {} {}{way}", radio(at == chosen), set.what));
                }
            }
            Some((sets, _)) => page.line(format!("  {}", sets[0].what)),
            None => page.line(cut(&format!("  {}", self.what.as_deref().unwrap_or_default()), page.columns())),
        }
        page.input(2, 60, &self.path, true);
        page.next_row();
        page.gap();
        if let Some(error) = &self.error {
            page.banner(error, usize::MAX);
        }
    }
}

static BOX: &[Command] = &[
    command("confirm", "Enter F2", "write", "write the file", confirm),
    COMPLETE,
    command("next-set", "down", "", "which pets", |app, _| step(app, true)),
    command("previous-set", "up", "", "which pets", |app, _| step(app, false)),
    closes("Esc F3", "cancel", "close without writing"),
];

pub static PLACE: Place = Place::new("write-box", "Write to a file", &[BOX]).text().in_box();

/// Chooses the next set of pets, or the one before.
fn step(app: &mut App, forward: bool) {
    let Some(write) = app.popups.get_mut::<WriteBox>() else { return };
    if let Contents::Pets { sets, chosen } = &mut write.text {
        *chosen = (*chosen + if forward { 1 } else { sets.len() - 1 }) % sets.len();
    }
    (write.replace, write.error) = (false, None);
}

fn confirm(app: &mut App, now: Now) {
    let Some(write) = app.popups.get_mut::<WriteBox>() else { return };
    if let Some(fault) = write.fault() {
        return write.error = Some(fault);
    }
    write.asked = Some(write.path.value().to_owned());
    if let Contents::Pets { sets, chosen } = &write.text {
        write.what = Some(sets[*chosen].what.clone());
    }
    let path = write.path.value().trim().to_owned();
    let write = WriteFile { path, replace: write.replace, what: write.text.clone() };
    app.start_if_free(write, now);
}

/// Why a file was not written.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::From)]
pub enum NotWritten {
    /// There is a file of this name.
    Exists(String),
    /// It could not be written.
    #[from(Failure)]
    Failed(String),
}

/// Writes a file.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteFile {
    /// Its name, as typed.
    pub path: String,
    /// Overwrite an existing file.
    pub replace: bool,
    /// What will be in it.
    pub what: Contents,
}

impl Job for WriteFile {
    /// The file.
    type Answer = Result<String, NotWritten>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Write;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        blocking(move || {
            let place = env.machine.place(&self.path);
            let text = match &self.what {
                Contents::Text(text) => text,
                Contents::Pets { sets, chosen } => &export::for_file(&self.path, &sets[*chosen].pets),
                Contents::Rejects(what) => return self.write_rejects(what, &place, &env),
            };
            match atomic_file::write(&place, text, self.replace) {
                Ok(_) => Ok(place.display().to_string()),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(NotWritten::Exists(self.path.clone())),
                Err(error) => Err(NotWritten::Failed(format!("{} could not be written: {error}.", place.display()))),
            }
        })
        .await
    }

    fn done(&self, app: &mut App, written: Self::Answer, now: Now) {
        let open = app.popups.get_mut::<WriteBox>();
        match (written, open) {
            (Ok(path), open) => {
                let what = open.and_then(|open| open.what.as_ref()).map(|what| format!(": {what}")).unwrap_or_default();
                app.popups.take_if(|write: &WriteBox| write.asked.as_deref() == Some(write.path.value()));
                app.say_done(format!("Written to {path}{what}."), now.mono);
            }
            // Only for the name that was asked about.
            (Err(NotWritten::Exists(path)), Some(write)) if write.path.value().trim() == path => {
                write.replace = true;
                write.error = Some("File exists. Enter overwrites it, or type another name.".to_owned());
            }
            (Err(NotWritten::Exists(path)), _) => app.complain(format!("{path} exists already. Nothing was written.")),
            (Err(NotWritten::Failed(why)), Some(write)) => write.error = Some(why),
            (Err(NotWritten::Failed(why)), None) => app.complain(why),
        }
    }
}

impl WriteFile {
    /// The rows that were not added.
    fn write_rejects(&self, what: &RejectsSource, place: &Path, env: &Env) -> Result<String, NotWritten> {
        let RejectsSource { source, reading, report } = what;
        let (input, reading) = (env.machine.open(source), env.reading(reading.clone()));
        match input.and_then(|input| rejects::write(input, &reading, report.as_deref(), (place, self.replace))) {
            Ok(_) => Ok(place.display().to_string()),
            Err(TransferError::Exists(_)) => Err(NotWritten::Exists(self.path.clone())),
            Err(error) => Err(NotWritten::Failed(error.sentence())),
        }
    }
}
