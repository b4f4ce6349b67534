//! The state of the import.

use crate::model::text::short;
use crate::transfer::ImportSource;
use crate::tui::text_input::{TextInput, Typing};

use super::preview::PreviewState;
use super::progress::Running;

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
