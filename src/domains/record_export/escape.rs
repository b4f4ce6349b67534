//! Escapes foreign text for each format.

use crate::domains::{DnsName, RecordType};

/// The most bytes in one string of a TXT record (RFC 1035 section 3.3.14).
const TXT_STRING: usize = 255;

/// A byte that is not printable, in zone-file format.
fn decimal(byte: u8) -> String {
    format!("\\{byte:03}")
}

/// `text` in printable ASCII: any other byte as a backslash and three decimal digits.
pub fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' '..=b'~' => out.push(char::from(byte)),
            _ => out.push_str(&decimal(byte)),
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
pub fn rdata(kind: RecordType, value: &str) -> String {
    if kind == RecordType::TXT { strings(value) } else { ascii(value) }
}

/// The quoted strings of a TXT record, each filled up: how the source splits them is unknown.
fn strings(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for (index, byte) in text.bytes().enumerate() {
        if index > 0 && index % TXT_STRING == 0 {
            out.push_str("\" \"");
        }
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => out.push_str(&decimal(byte)),
        }
    }
    out.push('"');
    out
}

/// A string literal of HCL without templates.
pub(super) fn hcl(text: &str) -> String {
    serde_json::Value::from(ascii(text)).to_string().replace("${", "$${").replace("%{", "%%{")
}
