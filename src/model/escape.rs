//! Escaping for commands and files that people copy.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::display_safe;

/// `text` as one word of a POSIX shell, in single quotes if needed.
pub fn shell_word(text: &str) -> String {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// `json` in printable ASCII, with the same meaning. Line feeds are kept.
pub fn ascii_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || (c.is_ascii() && !c.is_ascii_control()) {
            out.push(c);
        } else {
            // Outside of strings JSON is printable ASCII, so this is always inside a string.
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

/// JSON without invisible characters, with the same meaning.
pub fn shown_json(json: &str) -> Cow<'_, str> {
    if display_safe(json) == json { Cow::Borrowed(json) } else { Cow::Owned(ascii_json(json)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_if_needed() {
        for (text, word) in
            [("a-b_c.1", "a-b_c.1"), ("", "''"), ("$HOME", "'$HOME'"), ("it's", r"'it'\''s'"), ("a b", "'a b'")]
        {
            assert_eq!(shell_word(text), word);
        }
    }

    #[test]
    fn json_in_ascii_means_the_same() {
        let name = "Zoë \u{202e}👨‍👩‍👧 \"q\" \\ \u{7f}";
        let json = ascii_json(&serde_json::to_string(name).unwrap());
        assert!(json.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), name);
    }

    #[test]
    fn only_a_body_with_invisible_characters_is_escaped() {
        assert_eq!(shown_json("{\"name\":\"Zoë\"}"), "{\"name\":\"Zoë\"}");
        assert_eq!(shown_json("{\"name\":\"a\u{200b}\"}"), "{\"name\":\"a\\u200b\"}");
    }
}
