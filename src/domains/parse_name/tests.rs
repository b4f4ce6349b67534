use super::*;
use crate::domains::Verdict;

fn codes(typed: &str) -> Vec<&'static str> {
    read(typed, &ExistingDomains::default()).findings.iter().map(|finding| finding.code.as_str()).collect()
}

fn name(typed: &str) -> String {
    read(typed, &ExistingDomains::default()).domain.unwrap_or_else(|| panic!("{typed} was refused")).name.to_string()
}

/// The fail that refuses `typed`, and what it says was seen.
fn refusal(typed: &str) -> (&'static str, String) {
    let reading = read(typed, &ExistingDomains::default());
    assert!(reading.domain.is_none(), "{typed:?} was taken");
    let refused = reading.findings.into_iter().find(|finding| finding.verdict == Verdict::Fail).unwrap();
    assert!(!refused.fix.is_empty(), "{typed:?} has no remedy");
    (refused.code.as_str(), refused.seen)
}

#[test]
fn typed_or_pasted_text_is_reduced_to_the_domain_and_changes_are_reported() {
    for (typed, expected, code) in [
        ("docs.acme-pets.com", "docs.acme-pets.com", "IN-OK"),
        ("  DOCS.Acme-Pets.COM. ", "docs.acme-pets.com", "IN-OK"),
        ("https://docs.acme-pets.com/guide?x=1#y", "docs.acme-pets.com", "IN-URL"),
        ("//docs.acme-pets.com", "docs.acme-pets.com", "IN-URL"),
        ("docs.acme-pets.com/guide", "docs.acme-pets.com", "IN-URL"),
        ("https://ada:secret@docs.acme-pets.com/", "docs.acme-pets.com", "IN-URL"),
        ("docs.acme-pets.com:8443", "docs.acme-pets.com", "IN-PORT"),
        ("acme-pets.co.uk", "acme-pets.co.uk", "IN-APEX"),
        ("docs.münchen.de", "docs.xn--mnchen-3ya.de", "IN-IDN"),
        ("docs.xn--mnchen-3ya.de", "docs.xn--mnchen-3ya.de", "IN-IDN"),
        ("docs。acme-pets。com", "docs.acme-pets.com", "IN-OK"),
        ("docs.straße.de", "docs.xn--strae-oqa.de", "IN-IDN"),
        ("docs.раура.com", "docs.xn--80aa0cbo.com", "IN-IDN"),
        ("docs.pаypal.com", "docs.xn--pypal-4ve.com", "IN-MIXED-SCRIPT"),
        ("ada.github.io", "ada.github.io", "IN-PRIVATE-SUFFIX"),
        ("shop.acme.local", "shop.acme.local", "IN-RESERVED"),
        ("shop.acme.onion", "shop.acme.onion", "IN-RESERVED"),
        ("docs.acme.c0m", "docs.acme.c0m", "IN-UNKNOWN-TLD"),
        ("docs.公司.中国", "docs.xn--55qx5d.xn--fiqs8s", "IN-IDN"),
    ] {
        assert_eq!(name(typed), expected, "{typed}");
        assert!(codes(typed).contains(&code), "{typed}: {:?}", codes(typed));
    }
    let reading = read("https://docs.acme-pets.com/guide", &ExistingDomains::default());
    assert_eq!(reading.findings[0].seen, "the domain is docs.acme-pets.com; /guide is not part of it");
}

#[test]
fn each_reason_to_refuse_a_name_has_its_code_and_names_the_place() {
    let long = "a".repeat(64);
    let longest = [&"a".repeat(63), &"b".repeat(63), &"c".repeat(63), "d".repeat(62).as_str(), "com"].join(".");
    for (typed, code, seen) in [
        ("", "IN-EMPTY", ""),
        (" . ", "IN-EMPTY", " . "),
        ("https:///path", "IN-EMPTY", "https:///path"),
        ("docs", "IN-NO-DOT", "docs"),
        ("localhost", "IN-NO-DOT", "localhost"),
        ("docs..acme.com", "IN-EMPTY-LABEL", "docs..acme.com"),
        (".acme.com", "IN-EMPTY-LABEL", ".acme.com"),
        ("ada@acme.com", "IN-EMAIL", "ada@acme.com"),
        (&format!("{long}.com"), "IN-LABEL-LONG", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.. has 64 bytes, 1 too many"),
        (&longest, "IN-NAME-LONG", "258 bytes, 5 too many"),
        ("-docs.acme.com", "IN-HYPHEN", "-docs"),
        ("docs-.acme.com", "IN-HYPHEN", "docs-"),
        ("ab--cd.acme.com", "IN-HYPHEN", "ab--cd"),
        ("my_docs.acme.com", "IN-UNDERSCORE", "my_docs"),
        ("do cs.acme.com", "IN-CHAR", "U+0020 at position 3"),
        ("docs.ac$me.com", "IN-CHAR", "$ (U+0024) at position 8"),
        ("docs.ac\u{200b}me.com", "IN-CHAR", "U+200B at position 8"),
        ("docs.\u{202e}acme.com", "IN-CHAR", "U+202E at position 6"),
        ("docs.㉀acme.com", "IN-CHAR", "㉀ (U+3240) in ㉀acme"),
        ("docs.acme.com:http", "IN-CHAR", ": (U+003A) at position 14"),
        ("*.acme.com", "IN-WILDCARD", "*.acme.com"),
        ("192.0.2.1", "IN-IP", "192.0.2.1"),
        ("192.0.2.1:80", "IN-IP", "192.0.2.1:80"),
        ("http://192.0.2.1/x", "IN-IP", "192.0.2.1"),
        ("[2001:db8::1]:443", "IN-IP", "[2001:db8::1]:443"),
        ("2001:db8::1", "IN-IP", "2001:db8::1"),
        ("1.2.3", "IN-IP", "1.2.3"),
        ("co.uk", "IN-PUBLIC-SUFFIX", "co.uk"),
        ("xn--a-ecp.acme.com", "IN-IDN-BAD", "xn--a-ecp"),
        ("xn--99999999.acme.com", "IN-IDN-BAD", "xn--99999999"),
    ] {
        assert_eq!(refusal(typed), (code, seen.to_owned()), "{typed:?}");
    }
}

#[test]
fn a_name_that_is_known_already_is_refused() {
    let known = ExistingDomains {
        platform_host: Some(DnsName::new("sites.platform.net")),
        listed: vec![DnsName::new("docs.acme.com")],
    };
    let code = |typed: &str| read(typed, &known).findings.last().unwrap().code;
    assert_eq!(code("Sites.Platform.net."), Code::InPlatform);
    assert_eq!(code("acme.sites.platform.net"), Code::InPlatform);
    assert_eq!(code("platform.net"), Code::InApex);
    assert_eq!(code("https://DOCS.acme.com/"), Code::InDuplicate);
}

#[test]
fn the_registrable_part_is_found_behind_several_suffixes() {
    let registrable = |typed: &str| read(typed, &ExistingDomains::default()).domain.unwrap().registrable.to_string();
    assert_eq!(registrable("a.b.acme.co.uk"), "acme.co.uk");
    assert_eq!(registrable("docs.ada.github.io"), "github.io");
    assert_eq!(registrable("docs.acme.c0m"), "acme.c0m");
}

proptest::proptest! {
    #[test]
    fn no_text_panics_and_what_is_taken_reads_back_as_itself(typed in "\\PC{0,80}|[a-zA-Z0-9.:/@_*-]{0,300}|.{0,40}") {
        let reading = read(&typed, &ExistingDomains::default());
        proptest::prop_assert!(!reading.findings.is_empty());
        let harmful = |text: &str| text.chars().any(char::is_control);
        proptest::prop_assert!(!reading.findings.iter().any(|f| harmful(&f.seen) || harmful(&f.fix)));
        if let Some(domain) = reading.domain {
            let again = read(domain.name.as_str(), &ExistingDomains::default()).domain;
            proptest::prop_assert_eq!(again.map(|again| again.name), Some(domain.name));
        }
    }
}
