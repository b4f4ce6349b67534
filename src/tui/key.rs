//! A key as the app knows it.

use strum::{EnumIter, IntoStaticStr};

/// A key, without what terminals disagree about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyPress {
    pub key: Key,
    /// Whether Ctrl was held. Only with letters, left and right.
    pub ctrl: bool,
    /// Whether Alt was held, or Esc came right before it.
    pub alt: bool,
}

impl KeyPress {
    /// The character that it types.
    pub const fn typed(self) -> Option<char> {
        if let Self { key: Key::Char(c), ctrl: false, alt: false } = self { Some(c) } else { None }
    }
}

/// The keys that the app knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Char(char),
    Enter,
    /// Ctrl-J: Enter from some pipes and scanners, or the second half of a CR LF.
    LineFeed,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    F(u8),
}

impl From<Key> for KeyPress {
    fn from(key: Key) -> Self {
        Self { key, ctrl: false, alt: false }
    }
}

/// Moves a cursor, or the part of a text that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Movement {
    Up,
    Down,
    PageUp,
    PageDown,
    HalfPageUp,
    HalfPageDown,
    First,
    Last,
}

impl Movement {
    /// Whether it goes down, to what comes next.
    pub const fn is_down(self) -> bool {
        matches!(self, Self::Down | Self::PageDown | Self::HalfPageDown | Self::Last)
    }
}

/// An entry of the bottom line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The name of the key, or of the keys.
    pub key: String,
    /// What it does.
    pub word: &'static str,
    /// What a click presses.
    pub press: KeyPress,
}
