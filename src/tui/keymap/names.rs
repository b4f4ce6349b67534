//! The names of places and keys, on the screen and in a file.

use super::super::key::{Key, KeyPress};

/// The keys that have a name.
const NAMED: [(&str, Key); 14] = [
    ("Space", Key::Char(' ')),
    ("Enter", Key::Enter),
    ("Esc", Key::Esc),
    ("Tab", Key::Tab),
    ("S-Tab", Key::BackTab),
    ("Backspace", Key::Backspace),
    ("Del", Key::Delete),
    ("up", Key::Up),
    ("down", Key::Down),
    ("<-", Key::Left),
    ("->", Key::Right),
    ("PgUp", Key::PageUp),
    ("PgDn", Key::PageDown),
    ("Home", Key::Home),
];

/// A key as the screen writes it: `F2`, `Ctrl-C`, `up`, `a`.
pub fn key_name(key: KeyPress) -> String {
    if key.alt {
        let name = key_name(KeyPress { alt: false, ..key });
        return format!("Alt-{}", if name.len() == 1 { name.to_ascii_uppercase() } else { name });
    }
    let named = NAMED.iter().find(|(_, named)| *named == key.key).map(|(name, _)| (*name).to_owned());
    match (key.key, key.ctrl) {
        (Key::Left, true) => "Ctrl-Left".into(),
        (Key::Right, true) => "Ctrl-Right".into(),
        _ if named.is_some() => named.unwrap_or_default(),
        (Key::Char(c), true) => format!("Ctrl-{}", c.to_ascii_uppercase()),
        (Key::Char(c), false) => c.into(),
        (Key::F(number), _) => format!("F{number}"),
        (Key::LineFeed, _) => "Enter".into(),
        _ => "End".into(),
    }
}

/// The key that `text` names, in the words of [`key_name`], or `left` and `right`; why not, where it cannot be bound.
pub(super) fn read_key(text: &str) -> Result<KeyPress, String> {
    let named = match text {
        "left" => Some(Key::Left),
        "right" => Some(Key::Right),
        "End" => Some(Key::End),
        _ => NAMED.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, key)| *key),
    };
    if let Some(key) = named {
        return Ok(key.into());
    }
    let mut chars = text.chars();
    if let (Some(c), None) = (chars.next(), chars.next())
        && !c.is_control()
    {
        return Ok(Key::Char(c).into());
    }
    if let Some(number) = text.strip_prefix('F').and_then(|number| number.parse().ok()) {
        return match number {
            1..=9 => Ok(Key::F(number).into()),
            _ => Err("F10 to F12 are reserved by terminals; use F1 to F9".to_owned()),
        };
    }
    if let Some(key) = text.strip_prefix("Alt-") {
        let key = match (key, key.as_bytes()) {
            ("Backspace", _) => Key::Backspace,
            (_, [letter]) if letter.is_ascii_alphabetic() => Key::Char(letter.to_ascii_lowercase().into()),
            _ => return Err("Alt works only with a letter or Backspace".to_owned()),
        };
        return Ok(KeyPress { alt: true, ..key.into() });
    }
    if let Some(side) =
        [("Ctrl-Left", Key::Left), ("Ctrl-Right", Key::Right)].into_iter().find(|(name, _)| *name == text)
    {
        return Ok(KeyPress { ctrl: true, ..side.1.into() });
    }
    if let Some(c) = text.strip_prefix("Ctrl-").and_then(|letter| letter.parse::<char>().ok()) {
        let c = c.to_ascii_lowercase();
        return match c {
            'h' | 'i' | 'j' | 'm' => Err("terminals send Backspace, Tab or Enter instead".to_owned()),
            's' | 'q' | 'v' | 'p' | 't' | 'n' => Err("terminals and multiplexers reserve it".to_owned()),
            'a'..='z' => Ok(KeyPress { ctrl: true, ..Key::Char(c).into() }),
            _ => Err("Ctrl works only with a letter".to_owned()),
        };
    }
    Err("keys are written a, G, ?, F2, Ctrl-L, Ctrl-Left, Alt-B, Enter, Esc, Tab, S-Tab, Space, Del, up, down, left, right, PgUp, PgDn, Home, End".to_owned())
}
