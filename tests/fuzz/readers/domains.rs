//! Names, DNS messages, certificates and configurations of domains.

use petstore::domains::diagnosis::caa::Issue;
use petstore::domains::dns::message;
use petstore::domains::observation::{Question, RecordType};
use petstore::domains::probe::trust;
use petstore::domains::{DnsName, Finding, Verdict, parse_name, redirect_config};

use super::is_clean;

/// Every text of them can be shown.
fn are_clean(findings: &[Finding]) {
    for Finding { title, seen, expected, fix, .. } in findings {
        [title, seen, expected, fix].into_iter().for_each(|text| is_clean(text));
    }
}

/// A typed name is understood or refused, with a remedy; what is taken reads back as itself.
pub fn name(bytes: &[u8]) {
    let Ok(typed) = std::str::from_utf8(bytes) else { return };
    let reading = parse_name::read(typed, &parse_name::ExistingDomains::default());
    assert!(!reading.findings.is_empty());
    are_clean(&reading.findings);
    match reading.domain {
        Some(domain) => {
            let text = domain.name.as_str();
            assert!(text.is_ascii() && text.len() <= 253 && domain.name.is_within(&domain.registrable));
            let again = parse_name::domain(text);
            assert!(again.is_ok_and(|again| again.name == domain.name), "{text}");
        }
        None => assert!(reading.findings.iter().any(|f| f.verdict == Verdict::Fail && !f.fix.is_empty())),
    }
}

/// A message is read or refused, and what is read can be shown.
pub fn message(bytes: &[u8]) {
    let id = bytes.first_chunk().map_or(0, |id| u16::from_be_bytes(*id));
    for kind in [RecordType::A, RecordType::CNAME] {
        let question = Question::new(DnsName::new("docs.acme-pets.com"), kind);
        let Ok(Some((reply, _))) = message::decode(bytes, &question, id) else { continue };
        assert!(!reply.words().chars().any(char::is_control));
        for record in reply.answers.iter().chain(&reply.authorities).chain(&reply.additionals) {
            assert!(!record.data.words().chars().any(char::is_control));
            assert!(record.owner.as_str().is_ascii() && record.ttl <= i32::MAX.cast_unsigned());
        }
    }
}

/// A CAA value names an authority, nobody, or is unreadable.
pub fn caa(bytes: &[u8]) {
    if let Some(issue) = Issue::parse(bytes) {
        let issuer = issue.issuer.unwrap_or_default();
        assert!(issuer.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte)));
    }
}

/// A certificate is read or refused, and what is read can be compared.
pub fn certificate(bytes: &[u8]) {
    if let Some(certificate) = trust::certificate(bytes) {
        let _ = certificate.covers("docs.acme-pets.com");
        assert!(certificate.names.iter().map(String::len).sum::<usize>() <= bytes.len());
    }
}

/// A configuration is judged, with a remedy for each failure.
pub fn configuration(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let linted = redirect_config::lint(text, &[]);
    assert!(!linted.findings.is_empty());
    are_clean(&linted.findings);
    assert!(linted.findings.iter().all(|finding| finding.verdict == Verdict::Ok || !finding.fix.is_empty()));
    if let Some(configuration) = linted.configuration {
        let text = configuration.to_json();
        assert_eq!(redirect_config::lint(&text, &[]).configuration.as_ref(), Some(&configuration));
    }
}
