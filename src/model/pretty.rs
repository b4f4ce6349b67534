//! Indented JSON for people.

use serde::de::IgnoredAny;

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
