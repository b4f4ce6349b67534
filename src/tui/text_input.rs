//! A line of text being typed: value and cursor, by grapheme cluster, with the readline keys people expect.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

use crate::model::{display_safe, width};

/// The most bytes one field takes; a paste beyond it is cut.
pub const MAX_BYTES: usize = 4096;

/// A text field's content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Kept")]
pub struct TextInput {
    value: String,
    /// Byte offset of the cursor, always on a cluster boundary.
    cursor: usize,
    /// The value is selected: the next text replaces it.
    #[serde(skip)]
    pub selected: bool,
}

/// A text field's content as it was kept on disk. Drafts of earlier versions have words and ticks as such.
#[derive(Deserialize)]
#[serde(untagged)]
enum Kept {
    Text { value: String, cursor: usize },
    Word(String),
    Tick(bool),
    Other(IgnoredAny),
}

impl From<Kept> for TextInput {
    /// Cleaned as if it were typed, since a file may hold anything.
    fn from(kept: Kept) -> Self {
        let (value, cursor) = match kept {
            Kept::Text { value, cursor } => (value, cursor),
            Kept::Word(value) => (value, 0),
            Kept::Tick(true) => ("true".to_owned(), 0),
            Kept::Tick(false) | Kept::Other(_) => Default::default(),
        };
        let mut input = Self::default();
        input.insert(&value);
        let mut places = input.value.grapheme_indices(true).map(|(at, _)| at).chain([input.value.len()]);
        input.cursor = places.rfind(|at| *at <= cursor).unwrap_or(0);
        input
    }
}

/// A change to a text field: of the cursor, or what is cleared from there on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    Go(To),
    Clear(To),
}

/// Where to, from the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    Left,
    Right,
    WordLeft,
    WordRight,
    /// The blank before the word.
    Blank,
    Start,
    End,
}

/// What is typed: text, or a key that edits.
#[derive(Clone, Copy, Debug)]
pub enum Typing<'a> {
    /// Typed or pasted.
    Text(&'a str),
    /// By the key map.
    Edit(Edit),
}

impl Typing<'_> {
    /// The same, for what is never surrounded by blanks.
    pub fn trimmed(self) -> Self {
        if let Self::Text(text) = self { Self::Text(text.trim()) } else { self }
    }
}

impl TextInput {
    /// A field that holds `value`, the cursor behind it.
    pub fn new(value: impl Into<String>) -> Self {
        let value = value.into();
        Self { cursor: value.len(), value, selected: false }
    }

    /// What was typed.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Whether nothing was typed.
    pub fn is_empty(&self) -> bool {
        self.value.is_empty()
    }

    /// Selects the value: the next text replaces it, and a key that deletes empties the field.
    pub const fn select(&mut self) {
        self.selected = !self.value.is_empty();
        self.cursor = self.value.len();
    }

    /// Empties the field.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Takes what is typed. Returns whether the end of it found no room.
    pub fn take(&mut self, typing: Typing<'_>) -> bool {
        match typing {
            Typing::Text(text) => return self.insert(text),
            Typing::Edit(edit) => self.edit(edit),
        }
        false
    }

    /// Inserts text at the cursor. A paste never submits: line ends and tabs become blanks, other controls go. Returns
    /// whether the end of it found no room.
    pub fn insert(&mut self, text: &str) -> bool {
        if std::mem::take(&mut self.selected) && !text.is_empty() {
            self.clear();
        }
        let line = text.trim_end_matches(['\r', '\n']).replace("\r\n", " ").replace(['\r', '\n', '\t'], " ");
        for c in line.chars().filter(|c| !c.is_control()) {
            if self.value.len() + c.len_utf8() > MAX_BYTES {
                return true;
            }
            self.value.insert(self.cursor, c);
            self.cursor += c.len_utf8();
        }
        false
    }

    /// Applies one change.
    pub fn edit(&mut self, edit: Edit) {
        if std::mem::take(&mut self.selected) && matches!(edit, Edit::Clear(To::Left | To::Right)) {
            return self.clear();
        }
        let (Edit::Go(to) | Edit::Clear(to)) = edit;
        let (before, after) = self.value.split_at(self.cursor);
        let there = match to {
            To::Left => before.grapheme_indices(true).next_back().map_or(0, |(at, _)| at),
            To::Right => self.cursor + after.graphemes(true).next().map_or(0, str::len),
            // What is between words is skipped.
            To::WordLeft => {
                let word = before.grapheme_indices(true).rev().skip_while(|(_, cluster)| !is_of_word(cluster));
                word.take_while(|(_, cluster)| is_of_word(cluster)).last().map_or(0, |(at, _)| at)
            }
            To::WordRight => {
                let word = after.grapheme_indices(true).skip_while(|(_, cluster)| !is_of_word(cluster));
                let last = word.take_while(|(_, cluster)| is_of_word(cluster)).last();
                self.cursor + last.map_or(after.len(), |(at, cluster)| at + cluster.len())
            }
            To::Blank => {
                let blank = before.trim_end().char_indices().rfind(|(_, c)| c.is_whitespace());
                blank.map_or(0, |(at, c)| at + c.len_utf8())
            }
            To::Start => 0,
            To::End => self.value.len(),
        };
        let from = there.min(self.cursor);
        if matches!(edit, Edit::Clear(_)) {
            self.value.replace_range(from..there.max(self.cursor), "");
            self.cursor = from;
        } else {
            self.cursor = there;
        }
    }

    /// The part to show in `columns` columns, cleaned, and the column of the cursor in it. The cursor is always inside.
    pub fn window(&self, columns: usize) -> (String, usize) {
        let room = columns.saturating_sub(1);
        let before = display_safe(&self.value[..self.cursor]);
        let mut start = 0;
        let mut column = width(&before);
        for cluster in before.graphemes(true) {
            if column <= room {
                break;
            }
            start += cluster.len();
            column -= width(cluster);
        }
        let mut shown = before[start..].to_owned();
        let mut used = column;
        for cluster in display_safe(&self.value[self.cursor..]).graphemes(true) {
            used += width(cluster);
            if used > columns {
                break;
            }
            shown.push_str(cluster);
        }
        (shown, column)
    }
}

/// Letters and digits make words, as in shells.
fn is_of_word(cluster: &str) -> bool {
    cluster.starts_with(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str, edits: &[Edit]) -> (String, usize) {
        let mut input = TextInput::new(text);
        for edit in edits {
            input.edit(*edit);
        }
        (input.value.clone(), input.cursor)
    }

    #[test]
    fn editing_goes_by_cluster() {
        assert_eq!(typed("e\u{301}👨‍👩‍👧", &[Edit::Clear(To::Left)]), ("e\u{301}".into(), 3));
        let twice_left = [Edit::Go(To::Left), Edit::Go(To::Left), Edit::Clear(To::Right)];
        assert_eq!(typed("e\u{301}x", &twice_left), ("x".into(), 0));
        assert_eq!(typed("one two  ", &[Edit::Clear(To::Blank)]), ("one ".into(), 4));
        assert_eq!(typed("one", &[Edit::Clear(To::Blank)]), (String::new(), 0));
        assert_eq!(typed("abc", &[Edit::Go(To::Left), Edit::Clear(To::End)]), ("ab".into(), 2));
        assert_eq!(typed("abc", &[Edit::Go(To::Left), Edit::Clear(To::Start)]), ("c".into(), 0));
        assert_eq!(typed("abc", &[Edit::Go(To::Start), Edit::Go(To::Left), Edit::Clear(To::Left)]), ("abc".into(), 0));
    }

    #[test]
    fn words_are_moved_over_and_cleared_as_in_a_shell() {
        let cursor = |text: &str, edits: &[Edit]| typed(text, edits).1;
        assert_eq!(cursor("one two.three ", &[Edit::Go(To::WordLeft)]), 8);
        assert_eq!(cursor("one two.three ", &[Edit::Go(To::WordLeft); 4]), 0);
        assert_eq!(cursor(" one two", &[Edit::Go(To::Start), Edit::Go(To::WordRight)]), 4);
        let words = [Edit::Go(To::WordRight); 3];
        assert_eq!(cursor(" one two ", &[&[Edit::Go(To::Start)], &words[..]].concat()), 9);
        assert_eq!(cursor("e\u{301}a ポチ", &[Edit::Go(To::WordLeft)]), 5);
        assert_eq!(typed("/home/ada/x.csv", &[Edit::Clear(To::WordLeft)]), ("/home/ada/x.".into(), 12));
        assert_eq!(typed("one two  ", &[Edit::Clear(To::WordLeft), Edit::Clear(To::WordLeft)]), (String::new(), 0));
        assert_eq!(typed("one two", &[Edit::Go(To::Start), Edit::Clear(To::WordRight)]), (" two".into(), 0));
        assert_eq!(typed("one two", &[Edit::Clear(To::WordRight)]), ("one two".into(), 7));
        for edit in
            [Edit::Go(To::WordLeft), Edit::Go(To::WordRight), Edit::Clear(To::WordLeft), Edit::Clear(To::WordRight)]
        {
            assert_eq!(typed("", &[edit]), (String::new(), 0));
        }
    }

    #[test]
    fn typing_replaces_what_is_selected_and_moving_keeps_it() {
        let selected = |typing: Typing<'_>| {
            let mut input = TextInput::new("three");
            input.select();
            input.take(typing);
            (input.value().to_owned(), input.selected)
        };
        for (typing, value) in [
            (Typing::Text("9"), "9"),
            (Typing::Edit(Edit::Clear(To::Left)), ""),
            (Typing::Edit(Edit::Clear(To::Right)), ""),
            (Typing::Edit(Edit::Go(To::Left)), "three"),
            (Typing::Edit(Edit::Clear(To::Blank)), ""),
        ] {
            assert_eq!(selected(typing), (value.to_owned(), false), "{typing:?}");
        }
        let mut empty = TextInput::default();
        empty.select();
        assert!(!empty.selected);
    }

    #[test]
    fn a_paste_becomes_one_clean_line() {
        let mut input = TextInput::new("<>");
        input.edit(Edit::Go(To::Left));
        input.insert("a\r\nb\tc\x1b[2J\n");
        assert_eq!(input.value(), "<a b c[2J>");
        assert!(!input.insert(&"x".repeat(MAX_BYTES - 10)), "it fits");
        assert!(input.insert("y"));
        assert_eq!(input.value().len(), MAX_BYTES);
    }

    #[test]
    fn what_was_kept_comes_back_with_its_cursor_and_clean() {
        let mut input = TextInput::new("ポチ e\u{301}");
        input.edit(Edit::Go(To::Left));
        let text = serde_json::to_string(&input).unwrap();
        assert_eq!(serde_json::from_str::<TextInput>(&text).unwrap(), input);
        let hostile = r#"{"value":"a\u001b[2J\nb\u00e9","cursor":7}"#;
        let read: TextInput = serde_json::from_str(hostile).unwrap();
        assert_eq!((read.value.as_str(), read.cursor), ("a[2J bé", 6));
        let read: TextInput = serde_json::from_str(r#"{"value":"ab","cursor":99}"#).unwrap();
        assert_eq!(read, TextInput::new("ab"));
    }

    #[test]
    fn the_window_follows_the_cursor() {
        let mut input = TextInput::new("abcdefghij");
        assert_eq!(input.window(5), ("ghij".into(), 4));
        input.edit(Edit::Go(To::Start));
        assert_eq!(input.window(5), ("abcde".into(), 0));
        assert_eq!(TextInput::new("ポチポチ").window(5), ("ポチ".into(), 4));
        assert_eq!(TextInput::new("x").window(0), (String::new(), 0));
    }
}
