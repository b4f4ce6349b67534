//! The boxes over a screen; at most one is open. Their state and what keys do in them; no painting here.

mod commands;
pub mod confirm;
mod help;
pub mod key;
mod text_box;
pub mod themes;

use crate::model::Limit;

use super::effect::{Effect, Job, Task};
use super::keymap::Action;
use super::msg::KeyPress;
use super::pending::Slot;
use super::screens::domains::popups::{self, FormatsBox, OutsideBox};
use super::screens::pets::{self, popups::ChangesBox, popups::ChartsBox};
use super::state::{AppState, Layout, MessageKind};
use super::text_input::TextInput;
use crate::clock::Now;
use text_box::{WriteKey, write_key};

pub use commands::{Command, PaletteEntry};
pub use confirm::ConfirmBox;
pub use help::{HelpBox, HelpLine, PLACES, place_name};
pub use key::{KeyBox, open_key_box};
pub use text_box::{Contents, TextBox, TextKind, WriteBox, copy, on_copied, on_exported, on_exporting, on_written};
pub use themes::ThemesBox;

/// A box over the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Popup {
    /// How many rows?
    Limit(LimitBox),
    /// Which key?
    Key(KeyBox),
    /// What the keys do.
    Help(HelpBox),
    /// Everything that can be done.
    Commands(PaletteEntry),
    /// The last failure in full.
    Error(Reader),
    /// What has changed among the animals.
    Changes(ChangesBox),
    /// The charts of status and category.
    Charts(ChartsBox),
    /// The themes, to choose by sight.
    Themes(ThemesBox),
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

/// The presets of the limit, in order.
pub const LIMIT_PRESETS: [i64; 5] = [5, 10, 20, 50, 100];

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
    #[must_use]
    pub fn new(limit: Limit) -> Self {
        Self { input: TextInput::new(limit.to_string()), untouched: true }
    }

    /// The limit typed, if it is one.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        self.input.value().trim().parse().ok()
    }
}

/// Text that can be scrolled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reader {
    /// The first line shown.
    pub top: u16,
}

/// A key in the box that is open. `None` when there is none.
pub fn update(state: &mut AppState, action: Option<Action>, key: KeyPress, now: Now) -> Option<Vec<Effect>> {
    let effects = match state.popup.as_mut()? {
        Popup::Limit(limit_box) => {
            let chosen = limit_key(limit_box, action, key);
            match chosen {
                LimitKey::Stay => Vec::new(),
                LimitKey::Close => close(state),
                LimitKey::Use(limit) => {
                    state.popup = None;
                    pets::update::set_limit(state, limit, now)
                }
            }
        }
        Popup::Key(_) => return Some(key::on_key(state, action, key, now)),
        Popup::Help(_) if action == Some(Action::WriteFile) => {
            let keys = Contents::Text(state.keymap.file());
            let what = Some("beside config.toml its keys are used from the next start on".to_owned());
            state.popup = Some(Popup::Write(WriteBox { what, ..WriteBox::new("keymap.toml", keys) }));
            Vec::new()
        }
        Popup::Help(help) => {
            if help.key(action, key, state.layout) {
                Vec::new()
            } else {
                close(state)
            }
        }
        Popup::Changes(changes) => {
            let changes = *changes;
            return Some(pets::popups::changes_key(state, changes, action));
        }
        Popup::Charts(charts) => {
            let charts = charts.clone();
            return Some(pets::popups::charts_key(state, charts, action, now));
        }
        Popup::Themes(themes) => {
            let themes = *themes;
            return Some(themes::on_key(state, themes, action, now));
        }
        Popup::Commands(_) => return Some(commands::on_key(state, action, key, now)),
        Popup::Error(reader) => {
            if scroll(&mut reader.top, action, state.layout) {
                Vec::new()
            } else {
                close(state)
            }
        }
        Popup::Text(text) => {
            let open = scroll(&mut text.top, action, state.layout);
            match action {
                Some(Action::Copy) => {
                    let (text, what) = (text.text.clone(), text.file.clone());
                    return Some(copy(state, text, &what, now));
                }
                Some(Action::WriteFile) => {
                    let write = WriteBox::new(text.file.clone(), Contents::Text(text.text.clone()));
                    state.popup = Some(Popup::Write(write));
                    Vec::new()
                }
                _ if open => Vec::new(),
                _ => close(state),
            }
        }
        Popup::Write(write) => match write_key(write, action, key) {
            WriteKey::Stay => Vec::new(),
            WriteKey::Close if state.pending.forget(Slot::Export) => {
                state.popup = None;
                state.say(MessageKind::Note, "Stopped. Nothing was written.");
                vec![Effect::Cancel(Slot::Export)]
            }
            WriteKey::Close => close(state),
            WriteKey::Write(task) => {
                let slot = if matches!(task, Task::Export { .. }) { Slot::Export } else { Slot::Write };
                if state.pending.is_running(slot) {
                    return Some(Vec::new());
                }
                let id = state.pending.begin(slot, now.mono);
                vec![Effect::Job(Job { slot, id, task })]
            }
        },
        Popup::Formats(formats) => {
            let formats = *formats;
            return Some(popups::formats_key(state, formats, action, now));
        }
        Popup::Outside(outside) => {
            let outside = outside.clone();
            return Some(popups::outside_key(state, outside, action, now));
        }
        Popup::Confirm(asked) => {
            let asked = asked.clone();
            return Some(confirm::on_key(state, asked, action, now));
        }
    };
    Some(effects)
}

fn close(state: &mut AppState) -> Vec<Effect> {
    state.popup = None;
    Vec::new()
}

enum LimitKey {
    Stay,
    Close,
    Use(Limit),
}

fn limit_key(limit_box: &mut LimitBox, action: Option<Action>, key: KeyPress) -> LimitKey {
    match action {
        Some(Action::Confirm) => match limit_box.limit() {
            Some(limit) => return LimitKey::Use(limit),
            None => return LimitKey::Stay,
        },
        Some(Action::Back) => return LimitKey::Close,
        Some(Action::Up | Action::Down) => {
            let here = limit_box.limit().map_or(20, |limit| i64::from(limit.get()));
            let preset = match action {
                Some(Action::Up) => LIMIT_PRESETS.into_iter().rev().find(|preset| *preset < here),
                _ => LIMIT_PRESETS.into_iter().find(|preset| *preset > here),
            };
            if let Some(preset) = preset {
                *limit_box = LimitBox { input: TextInput::new(preset.to_string()), untouched: true };
            }
        }
        Some(Action::Edit(edit)) => {
            limit_box.untouched = false;
            limit_box.input.edit(edit);
        }
        _ => {
            if let Some(c) = key.typed() {
                type_number(limit_box, &c.to_string());
            }
        }
    }
    LimitKey::Stay
}

fn type_number(limit_box: &mut LimitBox, text: &str) {
    if std::mem::take(&mut limit_box.untouched) {
        limit_box.input.clear();
    }
    // Long enough for every mistake that can still be read in the field.
    if limit_box.input.value().len() + text.len() <= 5 {
        limit_box.input.insert(text);
    }
}

/// Text pasted into the box that is open. `false` when there is none, or none that takes text.
pub fn paste(state: &mut AppState, text: &str) -> bool {
    match &mut state.popup {
        None => false,
        Some(Popup::Limit(limit_box)) => {
            type_number(limit_box, text.trim());
            true
        }
        Some(Popup::Key(key_box)) => {
            key::paste(key_box, text);
            true
        }
        Some(Popup::Write(write)) => {
            write.path.insert(text);
            write.replace = false;
            true
        }
        Some(Popup::Help(help)) => {
            help.search.insert(text);
            true
        }
        Some(Popup::Commands(commands)) => {
            commands.type_in(text);
            true
        }
        Some(Popup::Error(_) | Popup::Changes(_) | Popup::Charts(_) | Popup::Themes(_)) => true,
        Some(Popup::Text(_) | Popup::Formats(_) | Popup::Outside(_) | Popup::Confirm(_)) => true,
    }
}

/// Scrolls; `false` when the key closes the reader.
fn scroll(top: &mut u16, action: Option<Action>, layout: Layout) -> bool {
    let last = layout.reader_lines.saturating_sub(layout.reader_rows);
    let page = layout.reader_rows.max(1);
    *top = match action {
        Some(Action::Up) => top.saturating_sub(1),
        Some(Action::Down) => *top + 1,
        Some(Action::PageUp) => top.saturating_sub(page),
        Some(Action::PageDown) => *top + page,
        Some(Action::First) => 0,
        Some(Action::Last) => last,
        Some(Action::Back) => return false,
        _ => *top,
    }
    .min(last);
    true
}
