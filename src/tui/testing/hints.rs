//! Whether every key that a frame names does something there.

use std::time::Duration;

use ratatui::buffer::Buffer;

use super::{TestApp, letters};
use crate::tui::Popup;
use crate::tui::key::Hint;
use crate::tui::key::{Key, KeyPress};
use crate::tui::keymap::{Binding, key_name};
use crate::tui::msg::Msg;

/// The sizes at which the keys are pressed.
const SIZES: [(u16, u16); 3] = [(60, 16), (80, 24), (120, 40)];

/// Presses, each in a separate state, the keys of the bottom line and those that the text names. Gives those that do
/// nothing.
pub(super) fn idle(name: &str, make: &impl Fn(u16, u16) -> TestApp) -> Vec<String> {
    let mut idle = Vec::new();
    for (columns, rows) in SIZES {
        let mut app = ready(make(columns, rows));
        let frame = app.buffer();
        for (word, keys) in named(&app, &frame) {
            // Of a pair such as `up/down`, one may be at its end.
            if !keys.iter().any(|key| works(ready(make(columns, rows)), *key)) {
                idle.push(format!("{name} {columns}x{rows}: {word} does nothing"));
            }
        }
    }
    idle
}

/// The state once a box that opened automatically takes keys.
fn ready(mut app: TestApp) -> TestApp {
    if app.state.popups.top().and_then(Popup::deaf_until).is_some_and(|until| app.now.mono < until) {
        app.wait(Duration::from_secs(1));
    }
    app
}

/// The keys that a frame names, with the words that name them.
fn named(app: &TestApp, frame: &Buffer) -> Vec<(String, Vec<KeyPress>)> {
    let text = letters(frame);
    let (body, bottom) = text.trim_end().rsplit_once('\n').unwrap_or(("", &text));
    let place = app.state.place().name;
    let keymap = &app.state.keymap;
    let of = |key: &str, word: &str| -> Vec<KeyPress> {
        let lines = keymap.of(place);
        let is_it = |line: &Binding| {
            line.command.hint == word || line.keys.first().is_some_and(|first| key_name(*first) == key)
        };
        let mut lines = lines.skip_while(|line| !is_it(line)).take(2);
        let first = lines.next().into_iter();
        // The line after a movement is the one the other way.
        let other = lines.next().filter(|line| line.command.hint.is_empty());
        first.chain(other).filter_map(|line| line.keys.first().copied()).collect()
    };
    let hints = app.state.hints();
    let shown = hints.into_iter().filter(|Hint { key, word, .. }| bottom.contains(&format!("{key} {word}")));
    let mut named: Vec<_> = shown
        .map(|Hint { key, word, .. }| {
            let keys = if word == "help" { vec![Key::F(1).into()] } else { of(&key, word) };
            (format!("{key} {word}"), keys)
        })
        .collect();
    // Beside a box there is what it is over, and the help lists the keys of every place.
    if !app.state.popups.is_open() {
        let words = body.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        for word in words {
            let number = word.strip_prefix('F').and_then(|number| number.parse::<u8>().ok());
            let key = match word {
                "Esc" => Some(Key::Esc),
                "Enter" => Some(Key::Enter),
                _ => number.filter(|number| (1..=12).contains(number)).map(Key::F),
            };
            named.extend(key.map(|key| (word.to_owned(), vec![KeyPress::from(key)])));
        }
    }
    named.sort_by(|one, other| one.0.cmp(&other.0));
    named.dedup_by(|one, other| one.0 == other.0);
    named
}

/// Whether a key changes what is shown, or has an effect.
fn works(mut app: TestApp, key: KeyPress) -> bool {
    // A message that is repeated counts, too.
    app.state.message = None;
    let before = app.buffer();
    let effects = app.effects.len();
    app.send(Msg::Key(key));
    let says_no = app.state.message.as_ref().is_some_and(|message| message.text.starts_with("No action on this key"));
    let acts = app.effects.len() > effects || app.state.quitting.is_some();
    acts || !says_no && app.buffer() != before
}
