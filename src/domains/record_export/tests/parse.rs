//! Small and strict readers of the formats. What they do not know, they refuse.

/// The lines of a text that ends with one line feed and is printable ASCII, with tabs where `tabs`.
pub fn lines(text: &str, tabs: bool) -> Vec<&str> {
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{text:?}");
    let text = text.strip_suffix('\n').unwrap();
    let strange = |c: char| !(matches!(c, ' '..='~' | '\n') || tabs && c == '\t');
    assert!(!text.contains(strange), "{text:?}");
    text.split('\n').collect()
}

/// Comments without their mark, and the other lines.
pub fn split<'a>(text: &'a str, mark: &str) -> (Vec<&'a str>, Vec<&'a str>) {
    let (comments, rest): (Vec<_>, Vec<_>) = lines(text, true).into_iter().partition(|line| line.starts_with(mark));
    (comments.into_iter().map(|line| line.strip_prefix(mark).unwrap().trim_start()).collect(), rest)
}

/// The words of one line of a zone file, with quotes and escapes resolved.
pub(super) fn zone_line(line: &str) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quoted = false;
    let mut bytes = line.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' if quoted => {
                quoted = false;
                words.push(word.take().unwrap());
            }
            b'"' => {
                // Service parameters have quotes after their sign.
                assert!(word.as_ref().is_none_or(|word| word.ends_with(b"=")), "a quote inside of a word: {line}");
                quoted = true;
                word.get_or_insert_default();
            }
            b'\\' => {
                let next = bytes.next().unwrap();
                let byte = if next.is_ascii_digit() {
                    let digits = [next, bytes.next().unwrap(), bytes.next().unwrap()];
                    std::str::from_utf8(&digits).unwrap().parse::<u8>().unwrap()
                } else {
                    next
                };
                word.get_or_insert_default().push(byte);
            }
            b' ' if !quoted => words.extend(word.take()),
            b';' | b'(' | b')' if !quoted => panic!("not plain: {line}"),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    assert!(!quoted, "{line}");
    words.extend(word);
    words
}

/// A resource of HCL: its type, its name, and its attributes.
pub type Resource = (String, String, Vec<(String, String)>);

/// The resources of a file. A string is resolved, a list of one string is that string in brackets.
pub fn hcl(text: &str) -> (Vec<&str>, Vec<Resource>) {
    let (comments, rest) = split(text, "#");
    let mut resources: Vec<Resource> = Vec::new();
    let mut open = false;
    for line in rest {
        if line == "}" {
            assert!(std::mem::take(&mut open), "{text}");
        } else if let Some((key, value)) = line.split_once('=').filter(|_| open) {
            let key = key.strip_prefix("  ").unwrap().trim_end();
            assert!(key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{line}");
            resources.last_mut().unwrap().2.push((key.to_owned(), expression(value.strip_prefix(' ').unwrap())));
        } else if let Some(head) = line.strip_prefix("resource ").and_then(|rest| rest.strip_suffix(" {")) {
            assert!(!std::mem::replace(&mut open, true), "{text}");
            let (kind, name) = head.split_once(' ').unwrap();
            resources.push((string(kind), string(name), Vec::new()));
        } else {
            assert!(line.is_empty() && !open, "{line}");
        }
    }
    assert!(!open, "{text}");
    (comments, resources)
}

fn expression(text: &str) -> String {
    if let Some(item) = text.strip_prefix('[') {
        return format!("[{}]", string(item.strip_suffix(']').unwrap()));
    }
    if text.starts_with('"') {
        return string(text);
    }
    let name = text.strip_prefix("var.").unwrap_or(text);
    assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'), "{text}");
    text.to_owned()
}

/// A string literal. Of the escapes of HCL only those that JSON has too, and doubled templates.
pub fn string(literal: &str) -> String {
    let text: String = serde_json::from_str(literal).unwrap();
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("${").into_iter().chain(rest.find("%{")).min() {
        let sign = &rest[at..=at];
        let before = rest[..at].strip_suffix(sign).expect("a template");
        out.extend([before, sign, "{"]);
        rest = &rest[at + 2..];
    }
    out + rest
}
