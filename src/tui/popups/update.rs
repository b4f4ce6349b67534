//! What follows from a key in the box that is open.

use super::help::PLACES;
use super::jobs::PopupReply;
use super::state::{Contents, LimitBox, PendingChange, Popup, WriteBox, next_preset};
use super::text_box::{self, copy};
use super::themes;
use crate::api::failure::{Failure, Remedy};
use crate::clock::Now;
use crate::config::{KeepKey, KeyOrigin};
use crate::model::ApiKey;
use crate::tui::effect::Effect;
use crate::tui::keymap::{AskAction, HelpAction, Movement, PickAction, ReaderAction, TextAction, WriteAction};
use crate::tui::pending::Slot;
use crate::tui::screens::add_pet::{self, import, rapid};
use crate::tui::screens::pets;
use crate::tui::screens::profiles::jobs::ProfileTask;
use crate::tui::state::{AppState, Health, Layout, MessageKind};
use crate::tui::text_input::{TextInput, Typing};
use crate::tui::widgets::list::moved;

/// A key in the box that asks for the number of rows.
pub fn in_limit_box(state: &mut AppState, action: PickAction, now: Now) -> Vec<Effect> {
    let Some(Popup::Limit(limit_box)) = &mut state.popup else { return Vec::new() };
    match action {
        PickAction::Move(movement) => {
            let here = limit_box.limit().map_or(20, |limit| i64::from(limit.get()));
            if let Some(preset) = next_preset(here, movement.is_down()) {
                *limit_box = LimitBox { input: TextInput::new(preset.to_string()), untouched: true };
            }
        }
        PickAction::Confirm => {
            if let Some(limit) = limit_box.limit() {
                state.popup = None;
                return pets::update::set_limit(state, limit, now);
            }
        }
        PickAction::Back => state.popup = None,
    }
    Vec::new()
}

/// A key in the help.
pub fn in_help(state: &mut AppState, action: HelpAction) {
    let Some(Popup::Help(help)) = &mut state.popup else { return };
    match action {
        HelpAction::Move(movement) => scroll(&mut help.top, movement, state.layout),
        HelpAction::NextTab => help.turn(1),
        HelpAction::PreviousTab => help.turn(PLACES.len() - 1),
        HelpAction::WriteFile => {
            let keys = Contents::Text(state.keymap.file());
            let what = Some("beside config.toml its keys are used from the next start on".to_owned());
            state.popup = Some(Popup::Write(WriteBox { what, ..WriteBox::new("keymap.toml", keys) }));
        }
        HelpAction::Back => state.popup = None,
    }
}

/// A key at the last error.
pub fn in_last_error(state: &mut AppState, action: ReaderAction) {
    let Some(Popup::Error(reader)) = &mut state.popup else { return };
    match action {
        ReaderAction::Move(movement) => scroll(&mut reader.top, movement, state.layout),
        ReaderAction::Back => state.popup = None,
    }
}

/// A key at a text.
pub fn in_text_box(state: &mut AppState, action: TextAction, now: Now) -> Vec<Effect> {
    let Some(Popup::Text(text)) = &mut state.popup else { return Vec::new() };
    match action {
        TextAction::Move(movement) => scroll(&mut text.top, movement, state.layout),
        TextAction::Copy => {
            let (text, what) = (text.text.clone(), text.file.clone());
            return copy(state, text, &what, now);
        }
        TextAction::WriteFile => {
            let write = WriteBox::new(text.file.clone(), Contents::Text(text.text.clone()));
            state.popup = Some(Popup::Write(write));
        }
        TextAction::Back => state.popup = None,
    }
    Vec::new()
}

/// Scrolls a text.
fn scroll(top: &mut u16, movement: Movement, layout: Layout) {
    let [lines, rows] = [layout.reader_lines, layout.reader_rows].map(usize::from);
    let first = moved(usize::from(*top), movement, lines.saturating_sub(rows) + 1, rows.max(1));
    *top = u16::try_from(first).unwrap_or(u16::MAX);
}

/// A key in the box that asks for a file.
pub fn in_write_box(state: &mut AppState, action: WriteAction, now: Now) -> Vec<Effect> {
    let Some(Popup::Write(write)) = &mut state.popup else { return Vec::new() };
    match action {
        WriteAction::Confirm => {
            let Some(task) = write.write() else { return Vec::new() };
            if !state.pending.is_running(task.slot()) {
                return vec![state.begin(task, now)];
            }
        }
        WriteAction::Toggle => write.toggle(),
        WriteAction::Back => {
            state.popup = None;
            if let Some(stopped) = state.cancel(Slot::Export) {
                state.say(MessageKind::Note, "Stopped. Nothing was written.");
                return vec![stopped];
            }
        }
    }
    Vec::new()
}

/// What is typed into the box that is open. `false` when there is none.
pub fn on_typing(state: &mut AppState, typing: Typing<'_>) -> bool {
    match &mut state.popup {
        None => return false,
        Some(Popup::Limit(limit_box)) => limit_box.on_typing(typing.trimmed()),
        Some(Popup::Key(key_box)) => key_box.on_typing(typing),
        Some(Popup::Write(write)) => write.on_typing(typing),
        Some(Popup::Help(help)) => {
            help.search.take(typing);
            help.top = 0;
        }
        Some(Popup::Commands(commands)) => commands.on_typing(typing),
        // These have no field.
        Some(Popup::Error(_) | Popup::Changes(_) | Popup::Charts(_) | Popup::Themes(_)) => {}
        Some(Popup::Text(_) | Popup::Formats(_) | Popup::Outside(_) | Popup::Confirm(_)) => {}
    }
    true
}

/// A key at the question before the first change: only one of them means yes.
pub fn at_confirmation(state: &mut AppState, action: AskAction, now: Now) -> Vec<Effect> {
    let Some(Popup::Confirm(asked)) = state.popup.take() else { return Vec::new() };
    match action {
        AskAction::Confirm => {
            state.allowed = true;
            match asked.change {
                PendingChange::Add(new) => add_pet::update::send(state, new, now),
                PendingChange::Samples(_) => pets::update::add_samples(state, now),
                PendingChange::Rapid(_) => rapid::update::switch(state, now),
                PendingChange::Import(_) => import::update::begin(state, now),
            }
        }
        AskAction::Back => {
            state.say(MessageKind::Note, "Nothing was added. What you typed is kept.");
            Vec::new()
        }
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
            key_box.error = Some(match failure.remedy() == Remedy::EnterKey {
                true => "This key was not accepted either. Nothing else has changed.".to_owned(),
                false => format!("{} Enter tries again.", failure.sentence(&service)),
            });
            state.last_failure = Some(failure);
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tui::msg::Msg;
    use crate::tui::popups::Popup;
    use crate::tui::testing::App;

    #[test]
    fn what_is_pasted_into_a_box_counts_as_what_is_typed() {
        let mut app = App::loaded(80, 24);
        app.keys("x C-u Enter");
        assert!(app.says("Type the name of a file."), "{}", app.screen());
        app.send(Msg::Paste("pets.csv".into()));
        assert!(!app.says("Type the name of a file."), "{}", app.screen());
        app.keys("Esc ? PgDn");
        app.send(Msg::Paste("redirects".into()));
        assert!(matches!(&app.state.popup, Some(Popup::Help(help)) if help.top == 0));
    }

    #[test]
    fn a_blank_is_no_number_of_rows() {
        let mut app = App::loaded(80, 24);
        app.keys("L Space");
        assert!(matches!(&app.state.popup, Some(Popup::Limit(limit)) if limit.input.value() == "20"));
    }
}
