//! Names between their text and their octets.

use hickory_proto::ProtoError;
use hickory_proto::rr::Name;

use crate::domains::DnsName;

/// The labels as octets, with the escapes of RFC 1035 section 5.1 read.
pub(super) fn labels(name: &DnsName) -> Vec<Vec<u8>> {
    let mut labels = vec![Vec::new()];
    let mut rest = name.as_str().as_bytes();
    while let [first, after @ ..] = rest {
        let (byte, after) = match (first, after) {
            (b'\\', [a, b, c, after @ ..]) if [a, b, c].iter().all(|digit| digit.is_ascii_digit()) => {
                let number = [a, b, c].iter().fold(0_u32, |sum, digit| sum * 10 + u32::from(**digit - b'0'));
                (Some(u8::try_from(number).unwrap_or(u8::MAX)), after)
            }
            (b'\\', [escaped, after @ ..]) => (Some(*escaped), after),
            (b'.', after) => (None, after),
            (byte, after) => (Some(*byte), after),
        };
        match (byte, labels.last_mut()) {
            (Some(byte), Some(label)) => label.push(byte),
            _ => labels.push(Vec::new()),
        }
        rest = after;
    }
    labels.retain(|label| !label.is_empty());
    labels
}

/// The name as record data carries it, without compression and without a look at its lengths.
pub(super) fn bytes(name: &DnsName) -> Vec<u8> {
    let mut bytes = Vec::new();
    for label in labels(name) {
        bytes.push(u8::try_from(label.len()).unwrap_or(u8::MAX));
        bytes.extend(label);
    }
    bytes.push(0);
    bytes
}

/// The name as the protocol library has it.
pub(super) fn to_proto(name: &DnsName) -> Result<Name, ProtoError> {
    Name::from_labels(labels(name).iter().map(Vec::as_slice))
}

/// The name that the protocol library read.
pub(super) fn from_proto(name: &Name) -> DnsName {
    let label = |label: &[u8]| label.iter().map(|byte| escaped(*byte)).collect::<String>();
    DnsName::new(&name.iter().map(label).collect::<Vec<_>>().join("."))
}

fn escaped(byte: u8) -> String {
    match byte {
        b'.' | b'\\' => format!("\\{}", char::from(byte)),
        _ if byte.is_ascii_graphic() => char::from(byte).to_string(),
        _ => format!("\\{byte:03}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_odd_octets_survive_the_way_there_and_back() {
        for text in ["docs.acme-pets.com", "", r"a\.b.c", r"https://x.y", r"nul\000.x", r"b\\s.x"] {
            let name = DnsName::new(text);
            assert_eq!(from_proto(&to_proto(&name).unwrap()), name, "{text}");
        }
        assert_eq!(bytes(&DnsName::new("ab.c")), b"\x02ab\x01c\x00");
    }
}
