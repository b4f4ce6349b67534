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
