//! What the boxes hold.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::jobs::RejectsSource;
use crate::domains::sandbox::SandboxStep;
use crate::model::{Draft, Limit, NewPet, Pet};
use crate::tui::custom_actions::run::Run;
use crate::tui::keymap::{Action, Context};
use crate::tui::text_input::{TextInput, Typing};
use crate::tui::theme::Theme;

/// A box over the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Popup {
    /// How many rows?
    Limit(LimitBox),
    Key(KeyBox),
    /// What the keys do.
    Help(HelpBox),
    /// Everything that can be done.
    Commands(CommandsBox),
    /// The last failure in full, from this line on.
    Error(u16),
    /// What has changed among the pets, the newest first; with the line under the cursor, from 0.
    Changes(usize),
    /// The themes, to choose by sight.
    Themes(ThemesBox),
    /// The saved views, and a name for the present search.
    Views(ViewsBox),
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

/// The presets of the limit, in order.
pub(super) const LIMIT_PRESETS: [i64; 5] = [5, 10, 20, 50, 100];

/// The preset after a number of rows, or the one before.
pub fn next_preset(here: i64, up: bool) -> Option<i64> {
    let mut presets = LIMIT_PRESETS.into_iter();
    if up { presets.find(|preset| *preset > here) } else { presets.rfind(|preset| *preset < here) }
}

/// How many rows?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitBox {
    /// The number typed, or that of the preset last picked.
    pub input: TextInput,
    /// Whether the number is as it was when the box was opened or picked: the next digit then replaces it.
    pub untouched: bool,
}

impl LimitBox {
    /// The box, with the limit in use.
    pub fn new(limit: Limit) -> Self {
        Self { input: TextInput::new(limit.to_string()), untouched: true }
    }

    /// What is typed goes into the field, the first of it in place of a preset.
    pub(super) fn on_typing(&mut self, typing: Typing<'_>) {
        if matches!(typing, Typing::Text("")) {
            return;
        }
        let untouched = std::mem::take(&mut self.untouched);
        if let Typing::Text(text) = typing {
            if untouched {
                self.input.clear();
            }
            // Long enough for every mistake that can still be read in the field.
            if self.input.value().len() + text.len() > 5 {
                return;
            }
        }
        self.input.take(typing);
    }

    /// The limit typed, if it is one.
    pub fn limit(&self) -> Option<Limit> {
        self.input.value().trim().parse().ok()
    }
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
    /// What was typed for another profile is copied into the form. Sends nothing.
    Copy {
        /// That profile.
        from: String,
        /// What was typed.
        typed: Draft,
    },
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
    pub found: Vec<Command>,
    /// Which of them is chosen, from 0.
    pub cursor: usize,
    pub(in crate::tui) from: Context,
    pub(in crate::tui) commands: Vec<Command>,
}

/// One thing that can be done.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// What it does.
    pub title: String,
    /// Its keys, if any.
    pub keys: String,
    /// The same in a shell, if there is a command.
    pub line: Option<String>,
    pub(in crate::tui) place: Context,
    pub(in crate::tui) action: Action,
}

#[derive(Clone, Debug, PartialEq)]
pub struct HelpBox {
    /// The place whose keys are shown.
    pub place: Context,
    /// The first line shown.
    pub top: u16,
    /// The box that it was opened over, which comes back.
    pub below: Option<Box<Popup>>,
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

/// The saved views.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewsBox {
    /// The name of the chosen view, or a new one.
    pub input: TextInput,
    /// The line that is chosen: the first one is for a new view.
    pub cursor: usize,
    /// F8 again removes the chosen view.
    pub removes: bool,
    /// Why nothing was written.
    pub error: Option<String>,
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
