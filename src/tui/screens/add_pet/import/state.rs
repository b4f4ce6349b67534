//! What the import knows.

use super::jobs::ImportSource;
use crate::tui::keymap::Context;
use crate::tui::text_input::{TextInput, Typing};

use super::preview::PreviewState;
use super::progress::Running;

/// The import.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Whether it is shown, and not the form.
    pub on: bool,
    /// The name of the file, as typed.
    pub path: TextInput,
    /// Why the file cannot be imported, where that is so.
    pub error: Option<String>,
    /// How far it is.
    pub phase: Phase,
    /// What was pasted into a field of one line, instead of which it is imported.
    pub pasted: Option<String>,
}

/// How far an import is.
#[derive(Clone, Debug, Default)]
pub enum Phase {
    #[default]
    File,
    Looked(Box<PreviewState>),
    /// It is under way, or has ended.
    Running(Box<Running>),
}

impl State {
    /// What is typed goes into the field that has the cursor.
    pub fn on_typing(&mut self, typing: Typing<'_>) {
        match &mut self.phase {
            Phase::File => {
                self.path.take(typing);
                self.error = None;
            }
            Phase::Looked(looked) => {
                if let Some(input) = looked.input() {
                    input.take(typing);
                    looked.changed = true;
                }
            }
            Phase::Running(_) => {}
        }
    }

    /// Where a key goes.
    pub fn context(&self) -> Context {
        match &self.phase {
            Phase::File => Context::ImportFile,
            Phase::Looked(looked) if looked.input_ref().is_some() => Context::ImportValue,
            Phase::Looked(_) => Context::ImportLook,
            Phase::Running(_) => Context::ImportRun,
        }
    }

    /// The import that is under way or has ended.
    pub const fn running(&self) -> Option<&Running> {
        match &self.phase {
            Phase::Running(running) => Some(running),
            Phase::File | Phase::Looked(_) => None,
        }
    }

    /// The same, to be changed.
    pub(super) const fn running_mut(&mut self) -> Option<&mut Running> {
        match &mut self.phase {
            Phase::Running(running) => Some(running),
            Phase::File | Phase::Looked(_) => None,
        }
    }

    /// The file that is looked at, or was.
    pub(super) const fn looked_mut(&mut self) -> Option<&mut PreviewState> {
        match &mut self.phase {
            Phase::Looked(looked) => Some(looked),
            Phase::File | Phase::Running(_) => None,
        }
    }

    /// What is imported, where that is known.
    pub const fn source(&self) -> Option<&ImportSource> {
        match &self.phase {
            Phase::File => None,
            Phase::Looked(looked) => Some(&looked.source),
            Phase::Running(running) => Some(&running.run.source),
        }
    }

    /// Whether it counts the seconds until something is sent again.
    pub fn is_waiting(&self) -> bool {
        self.running().is_some_and(|running| running.is_under_way() && running.progress.waiting_until.is_some())
    }
}
