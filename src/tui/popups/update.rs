//! What follows from a key in the box that is open.

use super::jobs::PopupReply;
use super::state::{ConfirmBox, Contents, LIMIT_PRESETS, LimitBox, PendingChange, Popup, WriteBox};
use super::text_box::{self, WriteKey, copy, scroll, write_key};
use super::{commands, key, themes};
use crate::api::failure::{Failure, Remedy};
use crate::clock::Now;
use crate::config::{KeepKey, KeyOrigin};
use crate::model::{ApiKey, Limit};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::msg::KeyPress;
use crate::tui::pending::Slot;
use crate::tui::screens::add_pet::{self, import, rapid};
use crate::tui::screens::domains::popups;
use crate::tui::screens::pets;
use crate::tui::screens::profiles::jobs::ProfileTask;
use crate::tui::state::{AppState, Health, MessageKind};
use crate::tui::text_input::TextInput;

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
            WriteKey::Close => {
                let stopped = state.cancel(Slot::Export);
                if stopped.is_some() {
                    state.say(MessageKind::Note, "Stopped. Nothing was written.");
                }
                state.popup = None;
                stopped.into_iter().collect()
            }
            WriteKey::Write(task) if state.pending.is_running(task.slot()) => Vec::new(),
            WriteKey::Write(task) => vec![state.begin(task, now)],
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
            return Some(on_confirm_key(state, asked, action, now));
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

/// A key in the box: only one of them means yes.
fn on_confirm_key(state: &mut AppState, asked: ConfirmBox, action: Option<Action>, now: Now) -> Vec<Effect> {
    if now.mono < asked.deaf_until {
        return Vec::new();
    }
    match action {
        Some(Action::Confirm) => {
            state.popup = None;
            state.allowed = true;
            match asked.change {
                PendingChange::Add(new) => add_pet::update::send(state, new, now),
                PendingChange::Samples(_) => pets::update::add_samples(state, now),
                PendingChange::Rapid(_) => rapid::update::switch(state, now),
                PendingChange::Import(_) => import::update::begin(state, now),
            }
        }
        Some(Action::Back) => {
            state.popup = None;
            state.say(MessageKind::Note, "Nothing was added. What you typed is kept.");
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// A job of a box has ended, or is so far.
pub fn on_reply(state: &mut AppState, reply: PopupReply, now: Now) -> Vec<Effect> {
    match reply {
        PopupReply::Copied(copied) => return text_box::on_copied(state, copied),
        PopupReply::Written(result) => text_box::on_written(state, result, now),
        PopupReply::Exporting(count) => text_box::on_exporting(state, count),
        PopupReply::Exported(result) => text_box::on_exported(state, result, now),
        PopupReply::ThemeWritten(result) => themes::on_set(state, result, now),
        PopupReply::KeyTested(result) => return on_key_tested(state, result, now),
    }
    Vec::new()
}

/// The key was tried with one request: the worker goes on with it if it was accepted.
fn on_key_tested(state: &mut AppState, result: Result<(), Failure>, now: Now) -> Vec<Effect> {
    let service = state.link.service.clone();
    let Some(Popup::Key(key_box)) = &mut state.popup else { return Vec::new() };
    match result {
        Ok(()) => {
            let (typed, keep) = (ApiKey::new(key_box.input.value()).ok(), key_box.keep);
            let ending = typed.as_ref().map_or(String::new(), |key| key.ending().to_owned());
            state.link.key = (ending, KeyOrigin::Typed);
            state.popup = None;
            state.link.health = Health::Unknown;
            add_pet::update::on_other_key(state);
            let mut effects = match (keep, typed, state.link.address.clone()) {
                (KeepKey::File | KeepKey::Keyring, Some(key), Some(address)) => {
                    let profile = state.link.name.clone();
                    vec![state.begin(ProfileTask::KeepKey { profile, address, key, keep }, now)]
                }
                (KeepKey::Session | KeepKey::File | KeepKey::Keyring, _, _) => {
                    state.say_done("The key was accepted and is used until the program ends.", now.mono);
                    Vec::new()
                }
            };
            effects.extend(pets::update::reload(state, true, now));
            effects
        }
        Err(failure) => {
            key_box.error = Some(match failure.remedy() {
                Remedy::EnterKey => "This key was not accepted either. Nothing else has changed.".to_owned(),
                Remedy::TryLater | Remedy::None => format!("{} Enter tries again.", failure.sentence(&service)),
            });
            state.last_failure = Some(failure);
            Vec::new()
        }
    }
}
