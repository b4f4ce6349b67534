//! Makes foreign text safe for a terminal, a log or a report, and fits text into columns.

use std::borrow::Cow;
use std::error::Error;
use std::fmt::{Display, Write as _};

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The prefix of the service's API keys. Their public id follows.
pub const KEY_PREFIX: &str = "petk_";
/// The length of that id, which may be shown.
const KEY_ID: usize = 8;
/// The maximum number of combining marks on one base character; more would cover the rows around it.
const MAX_MARKS: usize = 4;

/// Makes everything visible that could move the cursor, reorder, or hide text: control characters (Cc), formatting
/// characters (Cf, other than the joiner inside an emoji), line and paragraph separators, and letters that no terminal
/// draws are written as `⟨U+202E⟩`. At most four combining marks stay on a base. Borrows if nothing changes.
pub fn display_safe(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut marks = 0;
    let mut previous = '\0';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // Zero width joiner and the two variation selectors that emoji use.
        if matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}') {
            let inside_emoji =
                may_be_in_emoji(previous) && (c != '\u{200d}' || chars.peek().is_some_and(|n| may_be_in_emoji(*n)));
            if inside_emoji {
                out.push(c);
            } else {
                escape(&mut out, c);
            }
        } else if is_hidden(c) {
            escape(&mut out, c);
            marks = 0;
        } else if c.width() == Some(0) {
            // A mark that is not hidden.
            marks += 1;
            if marks <= MAX_MARKS {
                out.push(c);
            }
        } else {
            marks = 0;
            out.push(c);
        }
        previous = c;
    }
    Cow::Owned(out)
}

/// `text` made safe and cut to 40 columns, to quote a value in a sentence.
pub fn short(text: &str) -> String {
    cut(&display_safe(text), 40)
}

/// A foreign text that is read as a whole, such as the name of an issuer: cleaned, and bounded only against abuse.
pub fn whole(text: &str) -> String {
    cut(&display_safe(text), 300)
}

/// `text` with `petk_...` for everything that looks like an API key: more than the public id after the prefix.
pub fn without_keys(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut taken = 0;
    for (at, _) in text.match_indices(KEY_PREFIX).filter(|(at, _)| key_length(&text[*at..]) > KEY_PREFIX.len() + KEY_ID)
    {
        if at >= taken {
            out.push_str(&text[taken..at]);
            out.push_str(KEY_PREFIX);
            out.push_str("...");
            taken = at + key_length(&text[at..]);
        }
    }
    if taken == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[taken..]);
    Cow::Owned(out)
}

/// Whether something in `text` looks like an API key.
pub fn holds_key(text: &str) -> bool {
    matches!(without_keys(text), Cow::Owned(_))
}

fn key_length(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte)).count()
}

/// The width of `text` in columns. It must be safe already.
pub fn width(text: &str) -> usize {
    text.width()
}

/// `text` cut to at most `columns`, with `..` at the end if something was cut, never inside a character.
pub fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(2);
    let mut out = String::new();
    let mut used = 0;
    for cluster in text.graphemes(true) {
        used += cluster.width();
        if used > room {
            break;
        }
        out.push_str(cluster);
    }
    out.extend(std::iter::repeat_n('.', columns.min(2)));
    out
}

/// Breaks `text` into lines of at most `columns`, between words if possible; a word longer than a line is broken too.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    wrapped(text, columns, true)
}

/// The same in at most `rows` lines; where `text` goes on, the last one ends in `..`.
pub fn wrap_rows(text: &str, columns: usize, rows: usize) -> Vec<String> {
    let mut lines = wrap(text, columns);
    if lines.len() > rows {
        lines.truncate(rows);
        if let Some(last) = lines.last_mut() {
            while width(last) + 3 > columns
                && let Some(word) = last.rfind(' ')
            {
                last.truncate(word);
            }
            *last = cut(&format!("{last} .."), columns);
        }
    }
    lines
}

/// The same, but words longer than a line stay whole, so that they can be copied.
pub fn wrap_words(text: &str, columns: usize) -> Vec<String> {
    wrapped(text, columns, false)
}

fn wrapped(text: &str, columns: usize, breaks_words: bool) -> Vec<String> {
    if width(text) <= columns && !text.starts_with(' ') {
        return vec![text.to_owned()];
    }
    let mut lines = vec![String::new()];
    for mut word in text.split(' ') {
        while let Some(line) = lines.last_mut() {
            let gap = usize::from(!line.is_empty());
            let is_alone = line.is_empty() && !breaks_words;
            if width(line) + gap + width(word) <= columns || columns == 0 || is_alone {
                line.push_str(&" ".repeat(gap));
                line.push_str(word);
                break;
            }
            if line.is_empty() {
                let (begin, rest) = word.split_at(fitting(word, columns));
                line.push_str(begin);
                word = rest;
            }
            lines.push(String::new());
        }
    }
    lines
}

/// How many bytes of `word` fit into this many columns: at least one character.
fn fitting(word: &str, columns: usize) -> usize {
    let mut used = 0;
    let beyond = |(at, c): &(usize, char)| {
        used += width(&word[*at..*at + c.len_utf8()]);
        *at > 0 && used > columns
    };
    word.char_indices().find(beyond).map_or(word.len(), |(at, _)| at)
}

/// The same for a line of a report or of code: further lines are indented below its text.
pub fn wrap_indented(line: &str, columns: usize) -> Vec<String> {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    if width(line) <= columns {
        return vec![line.to_owned()];
    }
    let lines = wrap(text, columns.saturating_sub(indent + 2).max(8));
    let indented = lines.into_iter().enumerate().map(|(at, text)| {
        let indent = if at == 0 { indent } else { indent + 2 };
        format!("{}{text}", " ".repeat(indent))
    });
    indented.collect()
}

fn escape(out: &mut String, c: char) {
    // Writing to a String cannot fail.
    let _ = write!(out, "⟨U+{:04X}⟩", u32::from(c));
}

/// A rough test that rather shows an escape than hides a character: symbols, pictographs and what continues them.
const fn may_be_in_emoji(c: char) -> bool {
    matches!(c, '#' | '*' | '0'..='9' | '©' | '®' | '\u{203c}'..='\u{3299}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

/// Control and formatting characters, separators, and letters that are drawn as nothing.
const fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\x1f' | '\x7f'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
        | '\u{890}' | '\u{891}' | '\u{8e2}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1345f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}

/// `error` and its causes, innermost last, without repeating a message that contains the next one.
pub fn causes(error: &dyn Error) -> String {
    let mut parts = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if parts.last().is_none_or(|last| !last.contains(&text)) {
            parts.push(text);
        }
        next = cause.source();
    }
    parts.join(": ")
}

/// The same, made safe for a log or a screen.
pub fn safe_causes(error: &dyn Error) -> String {
    display_safe(&causes(error)).into_owned()
}

/// `value` as text, made safe in the same way.
pub fn safe_text(value: &impl Display) -> String {
    display_safe(&value.to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_borrowed_and_other_scripts_are_unchanged() {
        assert!(matches!(display_safe("Mr. Whiskers"), Cow::Borrowed(_)));
        for text in ["Zoë", "ポチ", "قط", "e\u{301}", "👨‍👩‍👧", "❤️", "👍🏽"] {
            assert_eq!(display_safe(text), text);
        }
    }

    #[test]
    fn characters_that_move_reorder_or_hide_are_made_visible() {
        assert_eq!(display_safe("\x1b[2Jx"), "⟨U+001B⟩[2Jx");
        assert_eq!(display_safe("a\u{202e}b"), "a⟨U+202E⟩b");
        assert_eq!(display_safe("R\u{200b}ex\u{feff}"), "R⟨U+200B⟩ex⟨U+FEFF⟩");
        assert_eq!(display_safe("a\u{200d}b"), "a⟨U+200D⟩b");
        assert_eq!(display_safe("\u{2028}\u{3164}\u{e0041}"), "⟨U+2028⟩⟨U+3164⟩⟨U+E0041⟩");
    }

    #[test]
    fn keys_are_hidden_and_public_ids_are_not() {
        for (text, hidden) in [
            ("a petk_4fT9qLx2_s3cret b", "a petk_... b"),
            ("'petk_0123456789abcdef',petk_aaaaaaaaa", "'petk_...',petk_..."),
            ("petk_petk_petk_petk_", "petk_..."),
            ("xpetk_123456789", "xpetk_..."),
        ] {
            assert_eq!(without_keys(text), hidden);
            assert!(holds_key(text));
        }
        for text in ["", "petk_", "after petk_, as shown", "petk_4fT9qLx2", "petk_4fT9qLx2 petk_", "Pétk_0123456789"] {
            assert!(!holds_key(text) && without_keys(text) == text, "{text}");
        }
    }

    #[test]
    fn marks_are_capped() {
        let zalgo = format!("e{}x", "\u{301}".repeat(500));
        assert_eq!(display_safe(&zalgo).chars().count(), 1 + 4 + 1);
    }

    #[test]
    fn cutting_never_splits_a_wide_character() {
        assert_eq!(cut("Biscuit", 7), "Biscuit");
        assert_eq!(cut("Biscuits", 7), "Biscu..");
        assert_eq!(cut("ポチポチ", 7), "ポチ..");
        assert_eq!(cut("ポチポチ", 1), ".");
        assert_eq!(cut("x", 0), "");
    }

    #[test]
    fn wrapping_loses_nothing_and_keeps_the_width() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(wrap("a b", 0), ["a b"]);
        assert_eq!(wrap("one  two abcdefghij k", 9), ["one  two", "abcdefghi", "j k"]);
        assert_eq!(wrap_words("one two abcdefghij k", 7), ["one two", "abcdefghij", "k"]);
        assert_eq!(wrap("ポチ", 1), ["ポ", "チ", ""]);
    }

    proptest::proptest! {
        #[test]
        fn safe_text_has_no_control_characters_and_cut_text_fits(text in "\\PC{0,40}|.{0,40}", columns in 0_usize..50) {
            let safe = display_safe(&text);
            let harmful = safe.chars().any(|c| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
            proptest::prop_assert!(!harmful);
            proptest::prop_assert!(width(&cut(&safe, columns)) <= columns);
        }
    }
}
