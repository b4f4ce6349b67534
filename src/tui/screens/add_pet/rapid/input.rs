//! How typed, scanned and pasted text becomes lines.

use crate::app::outbox::queue::{QueueRecord, QueuedPet};
use crate::clock::Now;
use crate::config::Notify;
use crate::model::text::short;
use crate::model::{Draft, FieldError};
use crate::tui::effect::Effect;
use crate::tui::screens::add_pet::import;
use crate::tui::state::AppState;

use super::state::{Fate, Focus, Line, MOST_WAITING, reason};

/// Takes the name field as a line, unless too many lines are waiting.
pub(super) fn take_name(state: &mut AppState, now: Now) -> Vec<Effect> {
    if let Some(why) = why_not(state) {
        state.complain(format!("{why} Your text is kept."));
        return vec![bell()];
    }
    let text = state.add.rapid.name.value().to_owned();
    state.add.rapid.name.clear();
    state.add.rapid.stray = false;
    state.add.rapid.focus = Focus::Name;
    take(state, &text, now).into_iter().collect()
}

/// Handles pasted text. Several codes come from a fast scanner: each is taken, the first appended to what is typed
/// already. Several lines of anything else are previewed before they are sent, as in the form. The rest is typed.
pub fn paste(state: &mut AppState, text: &str, now: Now) -> Option<Vec<Effect>> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let rapid = &state.add.rapid;
    let whole = format!("{}{text}", rapid.name.value());
    let lines: Vec<&str> = text.trim_end_matches('\n').split('\n').collect();
    if lines.len() < 2 || rapid.focus == Focus::Category {
        return None;
    }
    if !whole.lines().all(|line| is_code(rapid.setup.code_in(line))) {
        return import::start::paste(state, &text, now);
    }
    state.add.rapid.focus = Focus::Name;
    let mut rings = Vec::new();
    let mut taken = 0;
    for (at, line) in lines.iter().enumerate() {
        if let Some(why) = why_not(state) {
            let rest = lines.len() - at;
            let from = short(line);
            let text = format!("{why} {taken} lines were taken, {rest} were not. Paste again from \"{from}\".");
            state.complain(text);
            return Some(vec![bell()]);
        }
        state.add.rapid.name.insert(line);
        let whole = state.add.rapid.name.value().to_owned();
        state.add.rapid.name.clear();
        taken += 1;
        rings.extend(take(state, &whole, now));
    }
    if rings.is_empty() {
        state.tell(format!("{taken} codes pasted, one line each."));
    } else {
        let wrong = rings.len();
        state.complain(format!("{taken} codes pasted. To fix (marked !): {wrong}."));
    }
    rings.truncate(1);
    Some(rings)
}

/// Why no line can be taken now.
fn why_not(state: &AppState) -> Option<String> {
    if state.is_switching() {
        return Some(format!("Switching to {}.", short(&state.profiles.using)));
    }
    let full = state.add.rapid.counts().waiting >= MOST_WAITING;
    full.then(|| format!("{MOST_WAITING} lines are waiting, the maximum."))
}

/// Takes a pet from the form as a line, or says why not.
pub(in crate::tui::screens::add_pet) fn queue(state: &mut AppState, draft: Draft, now: Now) -> Result<(), String> {
    if let Some(why) = why_not(state) {
        return Err(why);
    }
    let rapid = &mut state.add.rapid;
    let category_id = rapid.setup.categories.number(draft.category_id.trim()).into_owned();
    let draft = Draft { category_id, ..draft };
    let number = rapid.next_number();
    let line = Line { number, at: now.wall, draft, key: state.keys.make(), sent: None, fate: Fate::Unwritten };
    rapid.unwritten.push(typed(&line));
    rapid.lines.push(line);
    Ok(())
}

/// Takes one line; the bell if it is refused here.
fn take(state: &mut AppState, text: &str, now: Now) -> Option<Effect> {
    let rapid = &mut state.add.rapid;
    let draft = rapid.draft(rapid.setup.code_in(text));
    let (fate, refused, sentence) = match draft.check(&rapid.setup.categories) {
        Ok(_) => (Fate::Unwritten, None, String::new()),
        Err(errors) => {
            let why = reason(&errors);
            let sentence = match errors.as_slice() {
                [FieldError::NameBlank] => "Blank line: nothing was sent.".to_owned(),
                [error, ..] => format!("Not sent: {error}"),
                [] => String::new(),
            };
            (Fate::Refused(why.clone()), Some(why), sentence)
        }
    };
    let number = rapid.next_number();
    let line = Line { number, at: now.wall, draft, key: state.keys.make(), sent: None, fate };
    // A blank line is not kept.
    if !line.draft.name.is_empty() {
        rapid.unwritten.push(typed(&line));
        rapid.unwritten.extend(refused.clone().map(|why| QueueRecord::Refused { line: number, why }));
    }
    rapid.place(line);
    refused.map(|_| {
        state.complain(sentence);
        bell()
    })
}

/// The record of a taken line.
fn typed(line: &Line) -> QueueRecord {
    let Line { number, at, draft, key, .. } = line.clone();
    QueueRecord::Typed(QueuedPet { line: number, at, key, pet: draft })
}

/// Whether it has the form of a barcode: 8 to 14 digits, as in EAN and UPC.
fn is_code(text: &str) -> bool {
    (8..=14).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The terminal's bell.
pub const fn bell() -> Effect {
    Effect::Notify(Notify::Bell, String::new())
}
