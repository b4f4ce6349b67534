//! Every row of the catalogue that can be made in a world shows under its code, and decides, where it is what is wrong.

use crate::prelude::*;

use std::future::ready;

use crate::simulator::{Plan, Simulator};
use petstore::domains::troubleshooting::{Facts, Rule, answers};
use petstore::domains::{CheckOptions, ExistingDomains, NextStep, Topic, redirect_config};

use super::fixture::{Outcome, ago, check, check_redirect, now, reported, settings, with_system_resolver};
use super::golden;
use super::worlds::{Trouble, WITHOUT};

/// Rows that accompany a cause, or other findings that are fine.
const ACCOMPANYING: &[Code] = &[
    // The certificate is not there yet.
    Code::AcmeLeftOver,
    Code::TlsSni,
    Code::HstsNote,
    Code::RdCached,
    Code::RdHead,
    Code::ResolverDown,
    Code::CaaNone,
    Code::CaaOk,
    Code::CaaWildOnly,
    Code::CaaCaUnknown,
    Code::TlsOk,
    Code::HttpOk,
];

/// What the operator reported, and what is known, if the row depends on it.
fn prepare(code: Code, mut settings: CheckOptions) -> (CheckOptions, Reported) {
    let mut reported = reported();
    match code {
        Code::Over48h => reported.saved = ago(49 * 60),
        Code::SplitLocal => {
            // After 48 hours no cache explains the difference.
            reported.saved = ago(49 * 60);
            settings = with_system_resolver(settings);
        }
        Code::DnsPrivate => settings.expectation.allow_private = false,
        Code::CaaCaUnknown => settings.expectation.ca_identities.clear(),
        _ => {}
    }
    (settings, reported)
}

async fn look(trouble: Trouble) -> Outcome {
    let world = Simulator::start(Plan::healthy(now()).with(trouble.make)).await.unwrap();
    let (settings, reported) = prepare(trouble.code, settings(&world));
    if trouble.code.topic() == Topic::Redirect && trouble.domain == Plan::REDIRECTED {
        return check_redirect(&settings, &redirect()).await;
    }
    check(&settings, trouble.domain, &reported).await
}

fn redirect() -> Redirect {
    Redirect { from: DnsName::new(Plan::REDIRECTED), to: DnsName::new(Plan::DOMAIN), status: 301 }
}

/// Rows that are no trouble for which there is a rule.
const NO_RULE: &[Code] = &[Code::EdnsBroken, Code::TtlLong];

/// Whether what was seen is on a page of the troubleshooting rules.
fn is_on_a_page(trouble: Trouble, outcome: &Outcome, seen: &String) -> bool {
    let (domain, reported, redirect) = (parse_name::domain(trouble.domain).unwrap(), reported(), redirect());
    let of_redirect = trouble.code.topic() == Topic::Redirect && trouble.domain == Plan::REDIRECTED;
    let (findings, redirect) = match of_redirect {
        true => (&[][..], Some((redirect, &outcome.findings[..]))),
        false => (&outcome.findings[..], None),
    };
    let next = NextStep::Fix;
    let facts = Facts { domain, reported, next, findings, views: &[], redirect, now: now() };
    Rule::ALL.into_iter().flat_map(|rule| answers(rule, &facts)).any(|answer| answer.seen.contains(seen))
}

fn judge(trouble: Trouble, outcome: &Outcome) -> Option<String> {
    let code = trouble.code;
    let Some(finding) = outcome.findings.iter().find(|finding| finding.code == code) else {
        return Some(format!("{code} is missing in\n{}", outcome.lines()));
    };
    if finding.seen.is_empty() || (finding.verdict != Verdict::Ok && finding.fix.is_empty()) {
        return Some(format!("{code} says too little: {finding:?}"));
    }
    if finding.evidence.is_empty() && !matches!(code, Code::HstsNote | Code::CaaNone | Code::RdHead) {
        return Some(format!("{code} has no evidence"));
    }
    if finding.verdict > Verdict::Ok && !NO_RULE.contains(&code) && !is_on_a_page(trouble, outcome, &finding.seen) {
        return Some(format!("{code} is on no page of the rules"));
    }
    if let Some(difference) = said(code.as_str(), &outcome.findings) {
        return Some(difference);
    }
    if !ACCOMPANYING.contains(&code) && outcome.code() != code {
        return Some(format!("{} decides instead of {code} in\n{}", outcome.code(), outcome.lines()));
    }
    None
}

/// A finding without what differs between two runs in a world of real servers: every word with a digit, the serial
/// numbers of certificates, which server was faster, and whether a wait happens to be of whole hours.
fn blurred(finding: &Finding) -> String {
    let finding = serde_json::to_value(finding).unwrap();
    let blur = |key: &str| {
        let words = finding[key].as_str().unwrap_or_default().split(' ').scan(false, |after_serial, word| {
            let hides = *after_serial || word.contains(|letter: char| letter.is_ascii_digit());
            *after_serial = word == "serial";
            Some(if hides { "#" } else { word })
        });
        words.collect::<Vec<_>>().join(" ").replace("# h # min", "# h")
    };
    let [code, verdict, who] = ["code", "verdict", "who"].map(|key| finding[key].as_str().unwrap_or_default());
    let until = if finding["until"].is_null() { "" } else { " until #" };
    let [title, seen, expected, fix] = ["title", "seen", "expected", "fix"].map(blur);
    format!("{code} {verdict} {who}{until} | {title} | {seen} | {expected} | {fix}")
}

/// How the words differ from those of the last time.
fn said(key: &str, findings: &[Finding]) -> Option<String> {
    let lines: Vec<String> = findings.iter().map(blurred).collect();
    golden::difference("catalogue.txt", key, &lines)
}

/// Several side by side, since some wait for servers that are silent.
#[tokio::test(flavor = "multi_thread")]
async fn every_row_shows_under_its_code_with_its_verdict_its_cause_its_cure_and_its_evidence() {
    let looks = Trouble::all().map(|trouble| async move { judge(trouble, &look(trouble).await) });
    let wrong: Vec<String> = stream::iter(looks).buffer_unordered(12).filter_map(ready).collect().await;
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn every_row_that_needs_a_world_has_one() {
    let made: BTreeSet<Code> = Trouble::all().map(|trouble| trouble.code).collect();
    let pure = [Topic::Name, Topic::Configuration];
    let missing: Vec<Code> = Code::ALL
        .iter()
        .copied()
        .filter(|code| !pure.contains(&code.topic()) && !WITHOUT.contains(code) && !made.contains(code))
        .collect();
    assert_eq!(missing, []);
}

/// The headings of the documentation, in its order.
const TOPICS: [(Topic, &str); 8] = [
    (Topic::Record, "The record"),
    (Topic::Servers, "Name servers, resolvers and caches"),
    (Topic::Caa, "What lets a CA issue a certificate"),
    (Topic::Certificate, "The certificate"),
    (Topic::Http, "The site"),
    (Topic::Redirect, "Redirects"),
    (Topic::Name, "The name as it was typed"),
    (Topic::Configuration, "The configuration"),
];

#[test]
fn every_code_is_documented() {
    let page = include_str!("../../../docs/domains.md");
    for (topic, heading) in TOPICS {
        let codes = Code::ALL.iter().filter(|code| code.topic() == topic);
        let rows: String = codes.map(|code| format!("| `{code}` | {} |\n", code.title())).collect();
        let section = format!("### {heading}\n\n| Code | Meaning |\n|---|---|\n{rows}");
        assert!(page.contains(&section), "docs/domains.md lacks\n{section}");
    }
    let documented = page.lines().filter(|line| {
        line.strip_prefix("| `")
            .is_some_and(|row| row.split('`').next().is_some_and(|code| code.parse::<Code>().is_ok()))
    });
    assert_eq!(documented.count(), Code::ALL.len());
}

#[test]
fn every_row_about_a_name_has_a_text_that_shows_it() {
    let (label, name) = (format!("{}.com", "a".repeat(64)), format!("{}com", "abcdefghi.".repeat(26)));
    let known = ExistingDomains {
        platform_host: Some(DnsName::new(Plan::PLATFORM_HOST)),
        listed: vec![DnsName::new(Plan::DOMAIN)],
    };
    let typed = format!(
        "shop.acme.com,https://shop.acme.com/,shop.acme.com:8443,ada@acme.com,docs.m\u{fc}nchen.de,xn--a-ecp.acme.com,\
         docs.p\u{430}ypal.com,,docs,docs..acme.com,{label},{name},-docs.acme.com,my_docs.acme.com,do cs.acme.com,\
         *.acme.com,192.0.2.1,co.uk,acme.com,ada.github.io,shop.acme.local,docs.acme.c0m,{},{}",
        Plan::PLATFORM_HOST,
        Plan::DOMAIN,
    );
    let findings: Vec<_> = typed.split(',').flat_map(|typed| parse_name::read(typed, &known).findings).collect();
    assert_eq!(said("names", &findings), None);
    let shown = findings.into_iter();
    assert_eq!(missing(Topic::Name, shown.map(|finding| finding.code)), []);
}

#[test]
fn every_row_about_a_configuration_has_a_text_that_shows_it() {
    let with = |primary: &str, from: &str, to: &str, status: i64| {
        format!(
            "[domains]\nprimary = {primary:?}\n[[domains.redirects]]\nfrom = {from:?}\nto = {to:?}\nstatus = {status}\n"
        )
    };
    let main = "docs.acme.com";
    let twice = with(main, "a.acme.com", main, 301)
        + "[[domains.redirects]]\nfrom = \"a.acme.com\"\nto = \"docs.acme.com\"\nstatus = 301\n";
    let on = |to: &str| {
        with(main, "a.acme.com", "b.acme.com", 301)
            + &format!("[[domains.redirects]]\nfrom = \"b.acme.com\"\nto = {to:?}\nstatus = 301\n")
    };
    let texts = [
        with(main, "old.acme.com", main, 301),
        "[domains]\nprimary = docs\n".to_owned(),
        "[]".to_owned(),
        with("", "old.acme.com", main, 301),
        with("docs", "old.acme.com", "docs", 301),
        with("https://docs.acme.com/", "old.acme.com", main, 301),
        with(main, "old.acme.com", "old.acme.com", 301),
        on("a.acme.com"),
        on(main),
        twice,
        with(main, main, "x.acme.com", 301),
        with(main, "old.acme.com", main, 302),
        "[domains]\nprimary = \"docs.acme.com\"\nredirect = []\n".to_owned(),
    ];
    let findings: Vec<_> = texts.iter().flat_map(|text| redirect_config::lint(text, &[]).findings).collect();
    assert_eq!(said("configurations", &findings), None);
    let shown = findings.into_iter();
    assert_eq!(missing(Topic::Configuration, shown.map(|finding| finding.code)), []);
}

/// The codes of a topic that are not shown.
fn missing(topic: Topic, shown: impl Iterator<Item = Code>) -> Vec<Code> {
    let shown: BTreeSet<Code> = shown.collect();
    Code::ALL.iter().copied().filter(|code| code.topic() == topic && !shown.contains(code)).collect()
}
