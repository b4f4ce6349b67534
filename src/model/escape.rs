//! Commands, files and JSON as people copy and read them.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::de::IgnoredAny;

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

/// `json` with a line for each value, indented, each value as it was written; `None` if it is not JSON.
pub fn indented(json: &str) -> Option<String> {
    serde_json::from_str::<IgnoredAny>(json).ok()?;
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    // The character after an opening bracket shows whether it is empty.
    let mut opened = false;
    for c in json.chars() {
        if quoted {
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
            out.push(c);
            continue;
        }
        if c.is_ascii_whitespace() {
            continue;
        }
        let closes = matches!(c, ']' | '}');
        if closes {
            depth -= 1;
        }
        if opened != closes {
            new_line(&mut out, depth);
        }
        opened = matches!(c, '[' | '{');
        if opened {
            depth += 1;
        }
        quoted = c == '"';
        out.push(c);
        match c {
            ':' => out.push(' '),
            ',' => new_line(&mut out, depth),
            _ => {}
        }
    }
    Some(out)
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
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

    #[test]
    fn every_value_gets_a_line_and_stays_as_it_was_written() {
        let json = r#" {"b" :[1.10, {"a":"x, {\"y\\"}],"e":[],"o":{ },"n":null} "#;
        let lines = [
            "{",
            "  \"b\": [",
            "    1.10,",
            "    {",
            "      \"a\": \"x, {\\\"y\\\\\"",
            "    }",
            "  ],",
            "  \"e\": [],",
            "  \"o\": {},",
            "  \"n\": null",
            "}",
        ];
        assert_eq!(indented(json).unwrap(), lines.join("\n"));
        assert_eq!((indented("17").as_deref(), indented("[]").as_deref()), (Some("17"), Some("[]")));
        for text in ["", "<html>", "{\"cut\": \"of..", "[1] [2]"] {
            assert_eq!(indented(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn the_meaning_stays(name in ".{0,20}", number: i64) {
            let value = serde_json::json!({"n": [name.clone(), {"x": number}, [[]]], name: null});
            let pretty = indented(&value.to_string()).unwrap();
            proptest::prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&pretty).unwrap(), value);
        }
    }
}
