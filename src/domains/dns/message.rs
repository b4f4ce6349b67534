//! Writing a question and reading an answer. Any bytes give records or an error.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use hickory_proto::op::{Edns, Header, Message, MessageType, OpCode, Query, ResponseCode};
use hickory_proto::rr::RecordType::{A, AAAA, CAA, CNAME, DNAME, DNSKEY, DS, HTTPS, MX, NS, RRSIG, SOA, TXT};
use hickory_proto::rr::{Name, RecordType};
use hickory_proto::serialize::binary::{BinDecodable as _, BinDecoder, DecodeError};
use jiff::Timestamp;

use crate::domains::{Data, DnsName, KeyId, NoReply, Question, Record, Reply};

/// The largest UDP answer that is not fragmented (DNS flag day 2020).
const PAYLOAD: u16 = 1232;
/// The most records read from one section.
const MAX_RECORDS: u16 = 256;

/// The types of digests in DS records that resolvers validate: SHA-1, SHA-256 and SHA-384.
const DIGESTS: [u8; 3] = [1, 2, 4];
/// Extended DNS Error (RFC 8914 section 2).
const EXTENDED_ERROR: u16 = 15;

/// The bytes of `question` under `id`; an error if its name cannot be sent.
pub fn encode(question: &Question, id: u16, recursion: bool, edns: bool) -> Result<Vec<u8>, NoReply> {
    let mut message = Message::new(id, MessageType::Query, OpCode::Query);
    message.metadata.recursion_desired = recursion;
    message.metadata.checking_disabled = question.checking_disabled;
    message.add_query(Query::query(wire_name(&question.name)?, question.kind));
    if edns {
        let mut edns = Edns::new();
        edns.set_max_payload(PAYLOAD).set_version(0);
        // The signatures of the SOA record stand for those of the zone: they cost no further question.
        edns.set_dnssec_ok(!recursion && matches!(question.kind, SOA | DNSKEY));
        message.set_edns(edns);
    }
    message.to_vec().map_err(|_| NoReply::Malformed)
}

/// What an answer says, and whether it was cut off (the TC bit); `None` if it answers something else: the right answer may
/// still come.
pub fn decode(bytes: &[u8], question: &Question, id: u16) -> Result<Option<(Reply, bool)>, NoReply> {
    let mut decoder = BinDecoder::new(bytes);
    let Header { metadata, counts, .. } = Header::read(&mut decoder).map_err(|_| NoReply::Malformed)?;
    if metadata.id != id || metadata.message_type != MessageType::Response {
        return Ok(None);
    }
    let (code, authoritative, cut_off) = (metadata.response_code, metadata.authoritative, metadata.truncation);
    let mut reply = Reply { code, authoritative, ..Reply::default() };
    for _ in 0..counts.queries {
        let query = Query::read(&mut decoder).map_err(|_| NoReply::Malformed)?;
        if presentation(query.name()) != question.name || query.query_type() != question.kind {
            return Ok(None);
        }
    }
    let mut sections =
        [(counts.answers, Vec::new()), (counts.authorities, Vec::new()), (counts.additionals, Vec::new())];
    for (count, records) in &mut sections {
        for _ in 0..(*count).min(MAX_RECORDS) {
            match read_record(&mut decoder, &mut reply) {
                Ok(record) => records.extend(record),
                // A message that was cut off may end anywhere; the whole one follows over TCP.
                Err(_) if cut_off => return Ok(Some((reply, true))),
                Err(_) => return Err(NoReply::Malformed),
            }
        }
        if *count > MAX_RECORDS {
            // The sections behind it cannot be found without reading all of this one.
            break;
        }
    }
    let [answers, authorities, additionals] = sections.map(|(_, records)| records);
    Ok(Some((Reply { answers, authorities, additionals, ..reply }, cut_off)))
}

/// Reads one record; none where it was the EDNS pseudo-record, which goes into `reply`.
fn read_record(decoder: &mut BinDecoder<'_>, reply: &mut Reply) -> Result<Option<Record>, DecodeError> {
    let owner = Name::read(decoder)?;
    let kind = RecordType::read(decoder)?;
    let class = decoder.read_u16()?.unverified();
    let ttl = decoder.read_u32()?.unverified();
    let length = usize::from(decoder.read_u16()?.unverified());
    let start = decoder.index();
    let bytes = decoder.read_slice(length)?.unverified();
    if kind == RecordType::OPT {
        // The upper eight bits of the response code are in the place of the TTL.
        let [high, ..] = ttl.to_be_bytes();
        reply.code = ResponseCode::from(high, reply.code.low());
        reply.extended_error = extended_error(bytes);
        return Ok(None);
    }
    if class != 1 {
        return Ok(None);
    }
    let data = read_data(kind, bytes, decoder, start).unwrap_or(Data::Malformed(kind));
    // A TTL with its uppermost bit set counts as zero (RFC 2181 section 8).
    let ttl = if ttl > i32::MAX as u32 { 0 } else { ttl };
    Ok(Some(Record { owner: presentation(&owner), ttl, data }))
}

fn read_data(kind: RecordType, bytes: &[u8], message: &BinDecoder<'_>, start: usize) -> Option<Data> {
    // Names may be compressed, that is, go on elsewhere in the message, but must end where the record does.
    let name_at = |offset: usize| -> Option<DnsName> {
        let mut decoder = message.clone(u16::try_from(start + offset).ok()?);
        let name = Name::read(&mut decoder).ok()?;
        (decoder.index() == start + bytes.len()).then(|| presentation(&name))
    };
    Some(match kind {
        A => Data::A(Ipv4Addr::from(<[u8; 4]>::try_from(bytes).ok()?)),
        AAAA => Data::Aaaa(Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?)),
        CNAME => Data::Cname(name_at(0)?),
        DNAME => Data::Dname(name_at(0)?),
        NS => Data::Ns(name_at(0)?),
        MX => Data::Mx(number_at(bytes, 0)?, name_at(2)?),
        SOA => {
            // Two names of any length, then five numbers.
            let numbers = bytes.len().checked_sub(20)?;
            let number = |index: usize| long_number_at(bytes, numbers + 4 * index);
            Data::Soa { serial: number(0)?, refresh: number(1)?, retry: number(2)?, minimum: number(4)? }
        }
        TXT => Data::Txt(text(bytes)?),
        CAA => {
            let (flags, rest) = bytes.split_first()?;
            let (length, rest) = rest.split_first()?;
            let (tag, value) = rest.split_at_checked(usize::from(*length))?;
            let is_tag = !tag.is_empty() && tag.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
            let tag = String::from_utf8(tag.to_ascii_lowercase()).ok().filter(|_| is_tag)?;
            Data::Caa { flags: *flags, tag, value: value.to_vec() }
        }
        // One with another digest proves nothing to resolvers (RFC 8624 section 3.3).
        DS if !DIGESTS.contains(bytes.get(3)?) => Data::Other(kind),
        DS => Data::Ds(KeyId { tag: number_at(bytes, 0)?, algorithm: *bytes.get(2)? }),
        DNSKEY => Data::Dnskey(KeyId { tag: key_tag(bytes), algorithm: *bytes.get(3)? }),
        RRSIG => {
            let time = |at: usize| Timestamp::from_second(long_number_at(bytes, at)?.into()).ok();
            Data::Rrsig { covers: number_at(bytes, 0)?.into(), expires: time(8)?, begins: time(12)? }
        }
        HTTPS => {
            let mut decoder = message.clone(u16::try_from(start + 2).ok()?);
            let target = Name::read(&mut decoder).ok()?;
            let parameters = bytes.get(decoder.index().checked_sub(start)?..)?;
            https(number_at(bytes, 0)?, presentation(&target), parameters)?
        }
        other => Data::Other(other),
    })
}

fn number_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn long_number_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The checksum that DS records and signatures name a key by (RFC 4034 appendix B).
fn key_tag(key: &[u8]) -> u16 {
    let words = key.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair.get(1).copied().unwrap_or_default()));
    let sum = words.fold(0_u32, u32::wrapping_add);
    (sum.wrapping_add(sum >> 16) & 0xffff) as u16
}

/// An HTTPS record, with those of its parameters that lead elsewhere (RFC 9460 section 7, RFC 9848).
fn https(priority: u16, target: DnsName, mut parameters: &[u8]) -> Option<Data> {
    let (mut hints, mut port, mut ech) = (Vec::new(), None, None);
    while !parameters.is_empty() {
        let (key, length) = (number_at(parameters, 0)?, number_at(parameters, 2)?);
        let (value, rest) = parameters.get(4..)?.split_at_checked(usize::from(length))?;
        match key {
            3 => port = Some(number_at(value, 0)?),
            4 => hints.extend(value.as_chunks::<4>().0.iter().copied().map(IpAddr::from)),
            5 => ech = Some(public_name(value).unwrap_or_default()),
            6 => hints.extend(value.as_chunks::<16>().0.iter().copied().map(IpAddr::from)),
            _ => {}
        }
        parameters = rest;
    }
    Some(Data::Https { priority, target, hints, port, ech })
}

/// The public name of the first configuration for ECH (RFC 9849 section 4).
fn public_name(list: &[u8]) -> Option<DnsName> {
    let behind = |bytes: &[u8]| Some(2 + usize::from(number_at(bytes, 0)?));
    // Behind lengths, version, identifiers, the key, its cipher suites, and how long names may be.
    let suites = list.get(9..).and_then(|key| key.get(behind(key)?..))?;
    let (length, name) = suites.get(behind(suites)? + 1..)?.split_first()?;
    Some(DnsName::new(std::str::from_utf8(name.get(..usize::from(*length))?).ok()?))
}

/// The strings of a TXT record, joined; bytes that are not UTF-8 are replaced.
fn text(mut bytes: &[u8]) -> Option<String> {
    let mut joined = Vec::new();
    while let Some((length, rest)) = bytes.split_first() {
        let (string, rest) = rest.split_at_checked(usize::from(*length))?;
        joined.extend_from_slice(string);
        bytes = rest;
    }
    Some(String::from_utf8_lossy(&joined).into_owned())
}

fn extended_error(mut options: &[u8]) -> Option<(u16, String)> {
    while let (Some(code), Some(length)) = (number_at(options, 0), number_at(options, 2)) {
        let (option, rest) = options.get(4..)?.split_at_checked(usize::from(length))?;
        if code == EXTENDED_ERROR {
            let text = option.get(2..).unwrap_or_default();
            return Some((number_at(option, 0)?, String::from_utf8_lossy(text).trim_end_matches('\0').to_owned()));
        }
        options = rest;
    }
    None
}

/// The labels of a name in presentation form, with its escapes undone (RFC 1035 section 5.1).
pub fn labels(name: &DnsName) -> Option<Vec<Vec<u8>>> {
    if name.is_root() {
        return Some(Vec::new());
    }
    let mut labels = vec![Vec::new()];
    let mut bytes = name.as_str().bytes();
    while let Some(byte) = bytes.next() {
        let label = labels.last_mut()?;
        match byte {
            b'.' => labels.push(Vec::new()),
            b'\\' => match bytes.next()? {
                digit @ b'0'..=b'9' => {
                    let digits = [digit, bytes.next()?, bytes.next()?];
                    label.push(std::str::from_utf8(&digits).ok()?.parse().ok()?);
                }
                escaped => label.push(escaped),
            },
            other => label.push(other),
        }
    }
    Some(labels)
}

/// The name as it is sent.
pub fn wire_name(name: &DnsName) -> Result<Name, NoReply> {
    let labels = labels(name).ok_or(NoReply::Malformed)?;
    Name::from_labels(labels.iter().map(Vec::as_slice)).map_err(|_| NoReply::Malformed)
}

/// The presentation form of a name from the wire (RFC 1035 section 5.1).
pub fn presentation(name: &Name) -> DnsName {
    let escaped = |byte: &u8| match byte {
        b'.' | b'\\' | b'"' => format!("\\{}", char::from(*byte)),
        b'!'..=b'~' => char::from(*byte).to_string(),
        other => format!("\\{other:03}"),
    };
    let labels: Vec<String> = name.iter().map(|label| label.iter().map(escaped).collect()).collect();
    DnsName::new(&labels.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hickory_proto::rr::rdata;
    use hickory_proto::rr::{RData, Record as WireRecord};

    fn question() -> Question {
        Question::new(DnsName::new("docs.acme.com"), CNAME)
    }

    fn answer(change: impl FnOnce(&mut Message)) -> Vec<u8> {
        let mut message = Message::response(7, OpCode::Query);
        message.add_query(Query::query(Name::from_ascii("docs.acme.com.").unwrap(), CNAME));
        change(&mut message);
        message.to_vec().unwrap()
    }

    fn record(owner: &str, data: RData) -> WireRecord {
        WireRecord::from_rdata(Name::from_ascii(owner).unwrap(), 300, data)
    }

    #[test]
    fn a_question_reads_back_with_its_bits() {
        let asked = Question { checking_disabled: true, ..question() };
        let message = Message::from_vec(&encode(&asked, 9, true, true).unwrap()).unwrap();
        assert!(message.metadata.recursion_desired && message.metadata.checking_disabled);
        assert_eq!((message.metadata.id, message.max_payload()), (9, PAYLOAD));
        assert!(Message::from_vec(&encode(&asked, 9, false, false).unwrap()).unwrap().edns.is_none());
    }

    #[test]
    fn an_answer_keeps_what_the_diagnosis_needs() {
        let bytes = answer(|message| {
            message.metadata.authoritative = true;
            let target = Name::from_ascii("Sites.Platform.net.").unwrap();
            message.add_answer(record("DOCS.acme.com.", RData::CNAME(rdata::CNAME(target))));
            let names = ["ns1.acme.com.", "ada.acme.com."].map(|name| Name::from_ascii(name).unwrap());
            let [mname, rname] = names;
            message.add_authority(record("acme.com.", RData::SOA(rdata::SOA::new(mname, rname, 42, 1, 2, 3, 90))));
        });
        let (reply, cut_off) = decode(&bytes, &question(), 7).unwrap().unwrap();
        assert!(reply.authoritative && !cut_off);
        let name = DnsName::new("docs.acme.com");
        assert_eq!(reply.cnames(&name).collect::<Vec<_>>(), [(&DnsName::new("sites.platform.net"), 300)]);
        assert_eq!(reply.negative(), Some((&DnsName::new("acme.com"), 90)));
    }

    #[test]
    fn a_ds_record_counts_with_a_digest_that_resolvers_know() {
        let read = |digest: u8| {
            let bytes = answer(|message| {
                let rdata = rdata::NULL::with(vec![0, 1, 13, digest, 7]);
                message.add_answer(record("acme.com.", RData::Unknown { code: DS, rdata }));
            });
            let (reply, _) = decode(&bytes, &question(), 7).unwrap().unwrap();
            reply.answers.into_iter().map(|record| record.data).next().unwrap()
        };
        for digest in 0..=u8::MAX {
            let counts = matches!(read(digest), Data::Ds(KeyId { tag: 1, algorithm: 13 }));
            assert_eq!(counts, matches!(digest, 1 | 2 | 4), "{digest}");
        }
    }

    #[test]
    fn an_https_record_shows_its_port_and_who_decrypts_the_first_message() {
        let config =
            [&[0, 32, 0xfe, 13, 0, 28, 7, 0, 32, 0, 2, 1, 1, 0, 4, 0, 1, 0, 1, 0][..], b"\x0aecho.proxy"].concat();
        let port = [0, 3, 0, 2, 0x20, 0xfb];
        let ech = [&[0, 5, 0, u8::try_from(config.len()).unwrap()][..], &config].concat();
        let https =
            |parameters: &[&[u8]]| https(1, DnsName::default(), &parameters.concat()).map(|it| it.presentation());
        assert_eq!(https(&[&port, &ech]), Some("1 . port=8443 ech=echo.proxy".to_owned()));
        assert_eq!(https(&[&[0, 5, 0, 1, 9]]), Some("1 . ech=.".to_owned()));
        assert_eq!(https(&[&port[..4]]), None);
    }

    #[test]
    fn an_answer_to_something_else_is_distinguished_from_a_broken_one() {
        let bytes = answer(|_| {});
        assert!(decode(&bytes, &question(), 8).unwrap().is_none());
        let other = Question::new(DnsName::new("x.acme.com"), CNAME);
        assert!(decode(&bytes, &other, 7).unwrap().is_none());
        assert_eq!(decode(&bytes[..20], &question(), 7).unwrap_err(), NoReply::Malformed);
    }

    #[test]
    fn a_broken_record_does_not_hide_the_others() {
        let bytes = answer(|message| {
            let broken = rdata::NULL::with(vec![0, 200, b'x']);
            message.add_answer(record("docs.acme.com.", RData::Unknown { code: CAA, rdata: broken }));
            message.add_answer(record("docs.acme.com.", RData::A(rdata::A::new(192, 0, 2, 1))));
        });
        let (reply, _) = decode(&bytes, &question(), 7).unwrap().unwrap();
        let data: Vec<_> = reply.answers.into_iter().map(|record| record.data).collect();
        assert_eq!(data, [Data::Malformed(CAA), Data::A(Ipv4Addr::new(192, 0, 2, 1))]);
    }

    #[test]
    fn an_extended_error_is_read_with_its_text() {
        let mut options = vec![0, 10, 0, 2, 1, 2];
        options.extend([0, 15, 0, 5, 0, 7]);
        options.extend(b"old");
        assert_eq!(extended_error(&options), Some((7, "old".to_owned())));
        assert_eq!(extended_error(&[0, 15, 0, 9, 0]), None);
    }

    #[test]
    fn names_of_any_bytes_round_trip() {
        for text in ["https://sites.platform.net", r"a\.b\\c.d\032e\255f.com", "_dmarc.acme.com", r"nul\000.x", ""] {
            let name = DnsName::new(text);
            assert_eq!(presentation(&wire_name(&name).unwrap()), name, "{text}");
        }
        assert!(wire_name(&DnsName::new(&"a".repeat(64))).is_err());
        assert!(wire_name(&DnsName::new(r"a\")).is_err() && wire_name(&DnsName::new(r"a\999")).is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400)) {
            let _ = decode(&bytes, &question(), 7);
        }

        #[test]
        fn no_damage_to_an_answer_panics(at in 0_usize..100, byte in proptest::num::u8::ANY, length in 0_usize..120) {
            let mut bytes = answer(|message| {
                let target = Name::from_ascii("sites.platform.net.").unwrap();
                message.add_answer(record("docs.acme.com.", RData::CNAME(rdata::CNAME(target))));
                message.add_answer(record("docs.acme.com.", RData::TXT(rdata::TXT::new(vec!["x".into()]))));
            });
            let at = at % bytes.len();
            bytes[at] = byte;
            bytes.truncate(length.max(12));
            let _ = decode(&bytes, &question(), 7);
        }
    }
}
