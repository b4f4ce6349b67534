//! What the boxes hold.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::jobs::RejectsSource;
use crate::domains::sandbox::SandboxStep;
use crate::model::{NewPet, Pet};
use crate::tui::command::Command;
use crate::tui::context::Context;
use crate::tui::custom_actions::run::Run;
use crate::tui::text_input::TextInput;
use crate::tui::theme::Theme;

/// A box over the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Popup {
    /// How many rows?
    Limit(FieldBox),
    Key(KeyBox),
    /// What the keys do.
    Help(HelpBox),
    /// Everything that can be done.
    Commands(CommandsBox),
    /// The last failure in full, from this line on.
    Error(u16),
    /// The themes, to choose by sight.
    Themes(ThemesBox),
    /// A pet by its id.
    Lookup(FieldBox),
    /// A name for the present search.
    View(FieldBox),
    /// A text to read, to copy or to write.
    Text(TextBox),
    /// Into which file?
    Write(WriteBox),
    /// The record that a domain needs, in all formats.
    Formats(FormatsBox),
    /// What can be done outside, in practice.
    Outside(OutsideBox),
    /// Is it to be done?
    Confirm(ConfirmBox),
}

/// The menu of themes.
#[derive(Clone, Debug, PartialEq)]
pub struct ThemesBox {
    /// The one that Esc goes back to.
    pub before: Arc<Theme>,
    pub all: Vec<Arc<Theme>>,
}

impl Popup {
    /// The box that what was asked from it goes to: the one that is open, or the one below the help.
    pub(in crate::tui) fn behind_help(open: &mut Option<Self>) -> &mut Option<Self> {
        match open {
            Some(Self::Help(help)) => &mut help.below,
            open => open,
        }
    }

    /// Whether keys are not taken for an answer yet.
    pub(in crate::tui) fn is_deaf(&self, now: Instant) -> bool {
        if let Self::Key(KeyBox { deaf_until: Some(until), .. }) | Self::Confirm(ConfirmBox { deaf_until: until, .. }) =
            self
        {
            now < *until
        } else {
            false
        }
    }
}

/// How long keys are ignored after a box opened on its own.
pub(in crate::tui) const DEAF: Duration = Duration::from_millis(250);

/// A box with one text field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldBox {
    /// As typed.
    pub input: TextInput,
    /// What is wrong with it, or why nothing came of it.
    pub error: Option<String>,
}

/// Add it?
#[derive(Clone, Debug, PartialEq)]
pub struct ConfirmBox {
    /// What will be done.
    pub change: PendingChange,
    /// Keys pressed before this moment are ignored: the user had not seen the box.
    pub deaf_until: Instant,
}

/// A change that is asked about.
#[derive(Clone, Debug, PartialEq)]
pub enum PendingChange {
    /// Public resolvers are asked about domains.
    PublicResolvers,
    /// This pet is added.
    Add(NewPet),
    /// So many samples are added.
    Samples(usize),
    /// Rapid entry begins; so many lines wait already.
    Rapid(usize),
    /// So many rows of a file are sent.
    Import(u64),
    /// One of the user's own actions runs.
    Run(Box<Run>),
    /// The answer about a pet is no longer waited for. Sends nothing.
    StopWaiting,
    /// No more rows of a file are sent. Sends nothing.
    StopImport,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyBox {
    /// What was typed. Shown as stars unless `shown`.
    pub input: TextInput,
    /// Whether what is typed can be read.
    pub shown: bool,
    /// Why the key typed was not taken.
    pub error: Option<String>,
    /// Keys pressed before this moment are ignored: the user had not seen the box.
    pub deaf_until: Option<Instant>,
    /// Whether the key is stored once it was accepted, or used for this session only.
    pub store: bool,
    /// Whether the cursor is on that choice.
    pub choosing: bool,
    /// The file in which it can be stored, once that is known; none without a saved profile.
    pub file: Option<Option<String>>,
}

/// The list of all commands.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandsBox {
    /// What was typed to narrow the list.
    pub input: TextInput,
    /// Those that match, the best first.
    pub found: Vec<FoundCommand>,
    /// Which of them is chosen, from 0.
    pub cursor: usize,
    pub(in crate::tui) from: Context,
    pub(in crate::tui) commands: Vec<FoundCommand>,
}

/// One thing that can be done.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundCommand {
    /// What it does.
    pub title: String,
    /// Its keys, if any.
    pub keys: String,
    /// The same in a shell, if there is a command.
    pub line: Option<String>,
    pub(in crate::tui) command: Command,
}

#[derive(Clone, Debug, PartialEq)]
pub struct HelpBox {
    /// The place whose keys are shown.
    pub place: Context,
    /// The first line shown.
    pub top: u16,
    /// The box that it was opened over, which comes back.
    pub below: Box<Option<Popup>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// What proves the findings on a domain.
    Evidence,
    /// A support report.
    Report,
    /// A request and its answer.
    Exchange,
    /// What a program printed.
    Output,
    /// Rows of a file to import.
    Rows,
}

/// A text to read, to copy or to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextBox {
    /// What it is.
    pub kind: TextKind,
    pub text: String,
    /// The name of a file for it.
    pub file: String,
    /// The first line shown.
    pub top: u16,
}

/// Into which file?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteBox {
    /// Its name, as typed.
    pub path: TextInput,
    /// What will be in it.
    pub text: Contents,
    /// How much it is, if that matters.
    pub what: Option<String>,
    /// The name that was asked to be written.
    pub asked: Option<String>,
    /// The file exists, and Enter overwrites it.
    pub replace: bool,
    /// Why it was not written.
    pub error: Option<String>,
    /// How many pets are in it so far, while the whole inventory is written.
    pub written: Option<u64>,
}

impl TextBox {
    /// The box at its top; `file` without `.txt`.
    pub fn new(kind: TextKind, text: String, file: &str) -> Self {
        Self { kind, text, file: format!("{file}.txt"), top: 0 }
    }
}

/// What a file is to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// The record in one format after another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatsBox {
    /// Which of [`ExportFormat::ALL`](crate::domains::record_export::ExportFormat::ALL).
    pub choice: usize,
    /// With what must be deleted first.
    pub with_deletes: bool,
}

/// What can be done outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideBox {
    /// The acts, as they were when the box was opened.
    pub acts: Vec<SandboxStep>,
    /// Only time helps.
    pub waits: bool,
    /// The marked one.
    pub choice: usize,
}
