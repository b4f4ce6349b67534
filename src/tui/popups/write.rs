//! Into which file? Its name to type; whether it was written comes as a reply.

use std::path::PathBuf;
use std::sync::Arc;

use super::stack::Popup;
use crate::clock::Now;
use crate::model::Pet;
use crate::model::export::Kind;
use crate::model::text::cut;
use crate::transfer::{ColumnMapping, ImportSource};
use crate::tui::command::Place;
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
    pub(super) asked: Option<String>,
    /// The file exists, and Enter overwrites it.
    pub(super) replace: bool,
    /// Why it was not written.
    pub error: Option<String>,
}

/// What a file is to hold.
#[derive(Debug)]
pub enum Contents {
    /// This.
    Text(String),
    /// Pets, in the format that the name's ending asks for: one of these sets.
    Pets { sets: Vec<PetSet>, chosen: usize },
    /// The rows of an import that were not added.
    Rejects(Box<RejectsSource>),
}

/// Pets that can be written.
#[derive(Debug)]
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

    /// Chooses the next set of pets, or the one before.
    pub(super) fn step(&mut self, forward: bool) {
        if let Contents::Pets { sets, chosen } = &mut self.text {
            *chosen = (*chosen + if forward { 1 } else { sets.len() - 1 }) % sets.len();
        }
        self.forget_answer();
    }

    /// The result for the previous name does not apply to this one.
    fn forget_answer(&mut self) {
        self.replace = false;
        self.error = None;
    }

    /// The name of the file, unless something is wrong with it.
    pub(super) fn name(&mut self) -> Option<String> {
        let path = self.path.value().trim().to_owned();
        let wrong = if path.is_empty() { Some("Type a file name.".to_owned()) } else { self.wrong_ending() };
        if wrong.is_some() {
            self.error = wrong;
            return None;
        }
        self.asked = Some(self.path.value().to_owned());
        if let Contents::Pets { sets, chosen } = &self.text {
            self.what = Some(sets[*chosen].what.clone());
        }
        Some(path)
    }
}

/// Why a session over SSH writes none.
pub const NO_FILES: &str = "A session over SSH writes no files of the server.";

impl Popup for WriteBox {
    fn place(&self) -> &'static Place {
        Self::PLACE
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        self.forget_answer();
        self.path.take(typing)
    }

    fn path(&mut self) -> Option<&mut TextInput> {
        Some(&mut self.path)
    }

    fn draw(&self, _: &AppState, _: Now, page: &mut Page<'_>, _: &mut Layout) {
        let sets = if let Contents::Pets { sets, chosen } = &self.text { Some((sets, *chosen)) } else { None };
        let more = sets.map_or(0, |(sets, _)| sets.len() - 1);
        page.popup(70, 10 + u16::try_from(more).unwrap_or(0), "Write to file");
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
