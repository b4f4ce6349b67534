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
    pub(super) fn toggle(&mut self) {
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
    pub(super) fn name(&mut self) -> Option<String> {
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
