//! Escapes foreign text for each format.

use serde::Serialize;

use super::Conflict;
use crate::domains::dns_name::DnsName;
use crate::model::escape::{ascii_json, shell_word};

/// The most bytes in one string of a TXT record (RFC 1035 section 3.3.14).
const TXT_STRING: usize = 255;

/// A byte that is not printable, in zone-file format.
fn decimal(byte: u8) -> String {
    format!("\\{byte:03}")
}

const fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// `text` in printable ASCII: any other byte as a backslash and three decimal digits.
pub fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if is_printable(byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&decimal(byte));
        }
    }
    out
}

/// Whether three digits are the value of a byte (RFC 1035 section 5.1).
fn is_byte(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_digit) && digits <= b"255".as_slice()
}

/// `text`, which is a name or a part of one, of letters, digits, `-`, `_`, `.`, `*`, and escapes of three digits.
pub fn name(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte.is_ascii_alphanumeric() || b"-_.*".contains(&byte) {
            out.push(char::from(byte));
        } else if byte != b'\\' {
            out.push_str(&decimal(byte));
        } else if let Some((digits, after)) = after.split_at_checked(3).filter(|(digits, _)| is_byte(digits)) {
            out.push('\\');
            out.extend(digits.iter().copied().map(char::from));
            rest = after;
        } else if let Some((&escaped, after)) = after.split_first() {
            out.push_str(&decimal(escaped));
            rest = after;
        } else {
            out.push_str(&decimal(byte));
        }
    }
    out
}

/// The full name, without the final dot.
pub fn full(dns_name: &DnsName) -> String {
    name(dns_name.as_str())
}

/// The full name, with the final dot.
pub fn dotted(dns_name: &DnsName) -> String {
    name(&dns_name.dotted())
}

/// A record's data in zone-file format, in printable ASCII.
pub fn rdata(conflict: &Conflict, value: &str) -> String {
    if conflict.is("TXT") { strings(value, decimal) } else { ascii(value) }
}

/// A record's data in Route 53 format.
pub fn route53(conflict: &Conflict, value: &str) -> String {
    if conflict.is("TXT") { strings(value, |byte| format!("\\{byte:03o}")) } else { value.to_owned() }
}

/// The quoted strings of a TXT record, each filled up: how the source splits them is unknown.
fn strings(text: &str, escaped: impl Fn(u8) -> String) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for (index, byte) in text.bytes().enumerate() {
        if index > 0 && index % TXT_STRING == 0 {
            out.push_str("\" \"");
        }
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            _ if is_printable(byte) => out.push(char::from(byte)),
            _ => out.push_str(&escaped(byte)),
        }
    }
    out.push('"');
    out
}

/// `value` as JSON in printable ASCII, over several lines when `pretty`.
pub fn json(value: &impl Serialize, pretty: bool) -> String {
    let text = if pretty { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) };
    // Strings and numbers can always be written.
    ascii_json(&text.unwrap_or_default())
}

/// A string literal of HCL without templates.
pub(super) fn hcl(text: &str) -> String {
    json(&ascii(text), false).replace("${", "$${").replace("%{", "%%{")
}

/// A YAML scalar that is always read as this string.
pub fn yaml(text: &str) -> String {
    const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    if plain { text.to_owned() } else { format!("'{}'", ascii(text).replace('\'', "''")) }
}

/// One word of a POSIX shell, in printable ASCII.
pub fn shell(text: &str) -> String {
    shell_word(&ascii(text))
}
