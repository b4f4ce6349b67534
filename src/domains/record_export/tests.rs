//! Both formats, for a subdomain and an apex, without and with deletes, read back by a strict parser.

mod formats;
mod hostile;
mod parse;

use super::*;
use crate::domains::DnsName;

/// `docs.example.com` in the zone `example.com`.
fn subdomain() -> DnsRecord {
    DnsRecord {
        name: DnsName::new("docs.example.com"),
        zone: DnsName::new("example.com"),
        value: DnsName::new("sites.platform.example"),
        provider: None,
    }
}

#[test]
fn a_form_has_the_words_of_the_provider_or_both_forms_of_the_name() {
    let at = |server: &str, record: DnsRecord| DnsRecord { provider: Provider::of(&[DnsName::new(server)]), ..record };
    let words = |record: &DnsRecord| record.form().map(|(label, text)| format!("{label}: {text}")).join(", ");
    let unknown = at("ns1.acme.com", subdomain());
    assert_eq!(words(&unknown), "Type: CNAME, Name: docs, Value: sites.platform.example, TTL: 3600");
    assert_eq!(unknown.advice(), "Some providers want the full name: docs.example.com.");
    let made_easy = at("ns0.dnsmadeeasy.com", subdomain());
    assert_eq!(words(&made_easy), "Type: CNAME, Name: docs, Alias to: sites.platform.example., TTL: 3600");
    assert_eq!((made_easy.place(), made_easy.advice().as_str()), ("DNS Made Easy", ""));
    let cloudflare = at("ada.ns.cloudflare.com", apex());
    assert_eq!(words(&cloudflare), "Type: CNAME, Name: @, Target: sites.platform.example, TTL: 3600");
    let route_53 = at("ns-42.awsdns-05.com", apex());
    assert!(route_53.advice().starts_with("Amazon Route 53 has nothing for an apex"), "{}", route_53.advice());
}

/// The zone `example.com` itself.
fn apex() -> DnsRecord {
    DnsRecord { name: DnsName::new("example.com"), ..subdomain() }
}

fn conflict(kind: &str, ttl: u32, values: &[&str]) -> Conflict {
    Conflict { kind: kind.parse().unwrap(), ttl, values: values.iter().map(|value| (*value).to_owned()).collect() }
}

/// One of every type, without mail.
fn without_mail() -> Vec<Conflict> {
    vec![
        conflict("A", 300, &["192.0.2.1", "192.0.2.2"]),
        conflict("AAAA", 301, &["2001:db8::1"]),
        conflict("TXT", 302, &["v=spf1 -all", "say \"hi\" \\ ${x} $(rm) `rm` 'x' %{y} <é>\n; end\t\u{7f}"]),
        conflict("CAA", 303, &["0 issue \"ca.example\""]),
        conflict("HTTPS", 304, &["1 . alpn=\"h2\""]),
        conflict("CNAME", 305, &["old.example."]),
    ]
}

fn with_mail() -> Vec<Conflict> {
    let mut conflicts = without_mail();
    conflicts.push(conflict("MX", 306, &["10 mail.example.com."]));
    conflicts
}

/// The delete lines of a comment, read as lines of a zone file, are the records to delete.
fn assert_deletes_in(comments: &[&str], record: &DnsRecord) {
    let owner = record.name.dotted();
    let found: Vec<_> =
        comments.iter().filter(|line| line.contains(" IN ")).map(|line| parse::zone_line(line)).collect();
    let mut expected = Vec::new();
    for conflict in with_mail() {
        for value in &conflict.values {
            let mut words: Vec<Vec<u8>> = [owner.as_str(), &conflict.ttl.to_string(), "IN", &conflict.kind.to_string()]
                .map(|word| word.into())
                .into();
            if conflict.kind == RecordType::TXT {
                words.push(value.as_bytes().to_vec())
            } else {
                words.extend(parse::zone_line(value))
            }
            expected.push(words);
        }
    }
    assert_eq!(found, expected);
}

const WARNING: &str = "without its MX records, mail for";

#[test]
fn the_type_is_alias_at_the_apex_only() {
    assert_eq!(subdomain().kind(), "CNAME");
    assert_eq!(apex().kind(), "ALIAS");
}

/// Writes a record after the records to delete.
type Export = fn(&DnsRecord, &[Conflict]) -> String;

const FORMATS: [(&str, Export); 2] = [("plain", plain), ("bind", zone_file)];

#[test]
fn the_plain_subdomain_reads_like_this() {
    for (format, export) in FORMATS {
        insta::assert_snapshot!(format, export(&subdomain(), &[]));
    }
}

#[test]
fn a_mail_record_among_the_deletes_is_warned_of_in_every_format() {
    for (format, export) in FORMATS {
        assert!(!export(&subdomain(), &without_mail()).contains(WARNING), "{format}");
        assert!(export(&subdomain(), &with_mail()).contains(WARNING), "{format}");
    }
}

#[test]
fn deletes_come_before_the_record_and_are_off_without_conflicts() {
    for (format, export) in FORMATS {
        let alone = export(&subdomain(), &[]);
        let both = export(&subdomain(), &with_mail());
        assert!(!alone.to_ascii_lowercase().contains("delete"), "{format}");
        let first = both.to_ascii_lowercase().find("delete").unwrap();
        assert!(first < both.find("sites.platform.example").unwrap(), "{format}");
    }
}

#[test]
fn where_the_apex_cannot_be_expressed_deletes_are_not_offered_either() {
    let text = zone_file(&apex(), &with_mail());
    assert_eq!(text, zone_file(&apex(), &[]));
    for words in ["ALIAS or ANAME", "publish on", "www", "redirect"] {
        assert!(text.contains(words), "{words}");
    }
}

#[test]
fn text_has_quotes_and_its_escapes_in_decimal() {
    assert_eq!(rdata(RecordType::TXT, "v=spf1 -all"), r#""v=spf1 -all""#);
    assert_eq!(rdata(RecordType::TXT, "a\"b\\c\né"), r#""a\"b\\c\010\195\169""#);
    assert_eq!(rdata(RecordType::TXT, &"x".repeat(256)), format!("\"{}\" \"x\"", "x".repeat(255)));
    assert_eq!(rdata(RecordType::TXT, ""), "\"\"");
    assert_eq!(rdata(RecordType::CAA, "0 issue \"x\""), "0 issue \"x\"");
}
