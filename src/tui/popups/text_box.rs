//! Texts to read, to copy and to write to a file.

use super::super::effect::{Effect, Task};
use super::super::state::{AppState, MessageKind};
use super::super::text_input::{TextInput, Typing};
use super::jobs::{Exported, FileContents, NotWritten, PopupTask, WriteFile};
use super::state::{Contents, Popup, TextBox, TextKind, WriteBox};
use crate::app::clipboard::Copied;
use crate::clock::Now;
use crate::model::export::{self, Kind};

impl TextBox {
    /// The box at its top; `file` without `.txt`.
    #[must_use]
    pub fn new(kind: TextKind, text: String, file: &str) -> Self {
        Self { kind, text, file: format!("{file}.txt"), top: 0 }
    }
}

impl WriteBox {
    /// The box with the name of a file, relative to where the program was started.
    #[must_use]
    pub fn new(path: impl Into<String>, text: Contents) -> Self {
        Self { path: TextInput::new(path), text, what: None, asked: None, replace: false, error: None, written: None }
    }

    /// What is wrong with the ending of the name, where that chooses the format.
    fn wrong_ending(&self) -> Option<String> {
        let name = self.path.value().trim();
        let file = name.rsplit('/').next().unwrap_or(name);
        let (_, ending) = file.rsplit_once('.').filter(|_| matches!(self.text, Contents::Pets { .. }))?;
        let known = Kind::ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known));
        (!known).then(|| {
            format!("The ending chooses the format: {}.", Kind::ENDINGS.map(|ending| format!(".{ending}")).join(", "))
        })
    }

    /// Changes between the rows shown and the whole inventory.
    pub(super) fn toggle(&mut self) {
        if let Contents::Pets { whole, .. } = &mut self.text {
            *whole = !*whole;
        }
        self.forget_answer();
    }

    /// What is typed goes into the name.
    pub(super) fn on_typing(&mut self, typing: Typing<'_>) {
        self.path.take(typing);
        self.forget_answer();
    }

    /// What came of the name before says nothing about this one.
    fn forget_answer(&mut self) {
        self.replace = false;
        self.error = None;
    }

    /// What writes the file, unless something is wrong with its name.
    pub(super) fn write(&mut self) -> Option<Task> {
        let path = self.path.value().trim().to_owned();
        let wrong = if path.is_empty() { Some("Type the name of a file.".to_owned()) } else { self.wrong_ending() };
        if wrong.is_some() {
            self.error = wrong;
            return None;
        }
        self.asked = Some(self.path.value().to_owned());
        self.written = matches!(self.text, Contents::Pets { whole: true, .. }).then_some(0);
        Some(self.task(path))
    }

    fn task(&self, path: String) -> Task {
        let what = match &self.text {
            Contents::Text(text) => FileContents::Text(text.clone()),
            Contents::Pets { whole: true, .. } => FileContents::Inventory,
            Contents::Pets { shown, whole: false } => FileContents::Text(export::for_file(&path, shown)),
            Contents::ToMend(what) => FileContents::Rejects(what.clone()),
            Contents::Configuration { toml, .. } if path.ends_with(".toml") => FileContents::Text(toml.clone()),
            Contents::Configuration { json, .. } => FileContents::Text(json.clone()),
        };
        PopupTask::Write(WriteFile { path, replace: self.replace, what }).into()
    }
}

/// Terminals take no longer texts, in octets.
const MOST_COPIED: usize = 100_000;

/// Copies a text; `what` is how the message calls it.
pub fn copy(state: &mut AppState, text: String, what: &str, now: Now) -> Vec<Effect> {
    if text.len() > MOST_COPIED {
        state.say(
            MessageKind::Error,
            format!("{what} is too long for the clipboard of a terminal. Nothing was copied."),
        );
        return Vec::new();
    }
    state.copying = Some((text.clone(), what.to_owned()));
    vec![state.begin(PopupTask::Copy(text), now)]
}

/// A text was copied by a program of this machine, or the terminal must do it.
pub(super) fn on_copied(state: &mut AppState, copied: Copied) -> Vec<Effect> {
    let Some((text, what)) = state.copying.take() else { return Vec::new() };
    let (kind, said) = match &copied {
        Copied::Tmux => (MessageKind::Note, format!("Copied {what} (tmux has it; its prefix and ] pastes).")),
        Copied::Desktop => (MessageKind::Note, format!("Copied {what} (the desktop's clipboard has it).")),
        Copied::File(path) => (MessageKind::Note, format!("This terminal has no clipboard: {what} stands in {path}.")),
        Copied::Terminal => (MessageKind::Note, format!("Copied {what} (sent to the terminal, which says nothing).")),
        Copied::Nowhere(why) => (MessageKind::Error, format!("Not copied: {why}")),
    };
    state.say(kind, said);
    if copied == Copied::Terminal { vec![Effect::Clipboard(text)] } else { Vec::new() }
}

/// How far the whole inventory is.
pub(super) fn on_exporting(state: &mut AppState, count: u64) {
    if let Some(Popup::Write(write)) = &mut state.popup {
        write.written = Some(count);
    }
}

/// The whole inventory was written, or not.
pub fn on_exported(state: &mut AppState, result: Result<Exported, NotWritten>, now: Now) {
    match result {
        Ok(Exported { path, count, coverage }) => {
            let word = coverage.honest_word(usize::try_from(count).unwrap_or(usize::MAX));
            on_written(state, Ok(path.clone()), now);
            let kind = if coverage.complete { MessageKind::Done } else { MessageKind::Note };
            state.say(kind, format!("Written to {path}: {word}"));
        }
        Err(not_written) => on_written(state, Err(not_written), now),
    }
}

/// A file was written, or not.
pub(super) fn on_written(state: &mut AppState, result: Result<String, NotWritten>, now: Now) {
    if let Some(Popup::Write(write)) = &mut state.popup {
        write.written = None;
    }
    let why = match result {
        Ok(path) => {
            let what = match &state.popup {
                Some(Popup::Write(WriteBox { what: Some(what), .. })) => format!(": {what}"),
                _ => String::new(),
            };
            if matches!(&state.popup, Some(Popup::Write(write)) if write.asked.as_deref() == Some(write.path.value())) {
                state.popup = None;
            }
            return state.say_done(format!("Written to {path}{what}."), now.mono);
        }
        Err(NotWritten::Exists(path)) => match &mut state.popup {
            // Only for the name that was asked about.
            Some(Popup::Write(write)) if write.path.value().trim() == path => {
                write.replace = true;
                write.error = Some("There is such a file. Enter replaces it; or type another name.".to_owned());
                return;
            }
            _ => return state.say(MessageKind::Error, format!("There is a file {path}. Nothing was written.")),
        },
        Err(NotWritten::NotRead(failure)) => {
            format!("{} Nothing was written.", failure.sentence(&state.link.service))
        }
        Err(NotWritten::Failed(why)) => why,
    };
    match &mut state.popup {
        Some(Popup::Write(write)) => write.error = Some(why),
        _ => state.say(MessageKind::Error, why),
    }
}
