//! Each rule against facts of all kinds.

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::domains::{DnsName, DnsRecord, Protocol, Server, parse_name};

const NAME: &str = "docs.acme.com";

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + 60 * minutes).unwrap()
}

fn finding(code: Code, verdict: Verdict, who: Who) -> Finding {
    Finding::new(code, verdict, who).seen(format!("seen {code}")).fix(format!("fix {code}"))
}

fn fail(code: Code) -> Finding {
    finding(code, Verdict::Fail, Who::DnsProvider)
}

fn ok(code: Code) -> Finding {
    finding(code, Verdict::Ok, Who::Nobody)
}

fn wait(code: Code, until: i64) -> Finding {
    finding(code, Verdict::Wait, Who::Nobody).until(at(until))
}

fn unknown(code: Code) -> Finding {
    finding(code, Verdict::Unknown, Who::ThisMachine)
}

/// A domain that is all right.
fn right() -> Vec<Finding> {
    [Code::DnsOk, Code::CaaNone, Code::TlsOk, Code::HttpOk].map(ok).to_vec()
}

fn view(server: &str, role: Role, verdict: ViewVerdict) -> View {
    View {
        server: Arc::new(Server {
            role,
            name: server.to_owned(),
            address: ([0, 0, 0, 0], 53).into(),
            protocol: Protocol::Plain,
        }),
        sees: "CNAME sites.platform.net".to_owned(),
        ttl: Some(DnsRecord::TTL),
        took: Duration::from_millis(5),
        verdict,
    }
}

/// One name server, and two resolvers with the last one's verdict.
fn seen_by(source: ViewVerdict, last: ViewVerdict) -> [View; 3] {
    let resolver = Role::Resolver { system: false };
    [view("ns1", Role::Authoritative, source), view("8.8.8.8", resolver, source), view("9.9.9.9", resolver, last)]
}

fn verified(minutes: i64) -> Reported {
    Reported { verified: Some(at(minutes)), verified_times: 1, ..Reported::default() }
}

/// Each question's verdict, or its word; and the conclusion.
fn page(rule: Rule, findings: &[Finding], views: &[View], reported: &Reported) -> (Vec<String>, String) {
    let (answers, conclusion) = full(rule, findings, views, reported);
    (shown(answers), conclusion)
}

fn shown(answers: Vec<RuleAnswer>) -> Vec<String> {
    let shown = |answer: RuleAnswer| answer.verdict.map_or(answer.word, Verdict::as_str).to_owned();
    answers.into_iter().map(shown).collect()
}

fn full(rule: Rule, findings: &[Finding], views: &[View], reported: &Reported) -> (Vec<RuleAnswer>, String) {
    let domain = parse_name::domain(NAME).unwrap();
    let (reported, next) = (reported.clone(), NextStep::Verify);
    let facts = Facts { domain, reported, next, findings, views, redirect: None, now: at(0) };
    (answers(rule, &facts), conclusion(rule, &facts))
}

fn redirected(findings: &[Finding]) -> (Vec<RuleAnswer>, String) {
    let (domain, reported) = (parse_name::domain(NAME).unwrap(), Reported::default());
    let redirect = Redirect { from: DnsName::new(NAME), to: DnsName::new("acme.com"), status: 301 };
    let redirect = Some((redirect, findings));
    let next = NextStep::FixRedirect;
    let facts = Facts { domain, reported, next, findings: &[], views: &[], redirect, now: at(0) };
    (answers(Rule::Redirects, &facts), conclusion(Rule::Redirects, &facts))
}

#[test]
fn without_a_check_nothing_is_claimed() {
    let reported = Reported::default();
    for rule in Rule::ALL {
        let (answers, conclusion) = full(rule, &[], &[], &reported);
        assert!(answers.iter().all(|answer| answer.verdict.is_none() && !answer.word.is_empty()), "{answers:?}");
        assert_eq!(conclusion, "Not checked yet: check the domain first.");
        let offline = [unknown(Code::Offline)];
        let (answers, conclusion) = full(rule, &offline, &[], &reported);
        let known = |answer: &RuleAnswer| answer.verdict.is_some_and(|verdict| verdict != Verdict::Unknown);
        assert!(!answers.iter().any(known), "{answers:?}");
        assert_eq!(conclusion, "Nothing answers. Fix OFFLINE.");
    }
}

#[test]
fn the_conclusion_follows_what_comes_next() {
    let reported = Reported { removal_planned: true, ..verified(-40) };
    let (domain, findings) = (parse_name::domain(NAME).unwrap(), right());
    let base =
        Facts { domain, reported, next: NextStep::Remove, findings: &findings, views: &[], redirect: None, now: at(0) };
    for rule in Rule::ALL {
        assert_eq!(conclusion(rule, &base), "It is being removed: remove it, step by step.");
        let asks = |answer: &RuleAnswer| !answer.act.is_empty() || answer.word == "yours to do";
        assert!(!answers(rule, &base).iter().any(asks), "{rule:?}");
    }
    let live = Facts { reported: verified(-40), next: NextStep::Nothing, ..base };
    assert_eq!(conclusion(Rule::Verification, &live), "The record is right. Nothing to do.");
}

#[test]
fn verification_begins_with_conflicting_records() {
    use ViewVerdict::{NotCounted, Old, Right, Wrong};
    let reported = verified(-40);
    let verdicts = |findings: &[Finding], views: &[View]| page(Rule::Verification, findings, views, &reported);
    let wrong = seen_by(Wrong, Wrong);
    for (findings, views, expected, conclusion) in [
        (right(), seen_by(Right, NotCounted), ["ok", "ok", "ok", "yours to do"], "Everything that petstore can check"),
        (
            vec![fail(Code::DnsABlocks)],
            wrong.clone(),
            ["fail", "after 1", "after 1", "yours to do"],
            "First cause: An A record blocks the CNAME. Fix it at your DNS provider, then check again.",
        ),
        (
            vec![fail(Code::DnsWrongTarget)],
            wrong.clone(),
            ["ok", "fail", "after 2", "yours to do"],
            "First cause: The CNAME",
        ),
        (
            vec![fail(Code::DnsNodata)],
            wrong.clone(),
            ["see 2", "fail", "after 2", "yours to do"],
            "First cause: The name",
        ),
        (
            vec![finding(Code::DnsMissing, Verdict::You, Who::DnsProvider)],
            wrong.clone(),
            ["ok", "you", "after 2", "yours to do"],
            "Next: fix DNS-MISSING.",
        ),
        (
            vec![wait(Code::TtlWait, 21), wait(Code::NegWait, 14), ok(Code::CaaNone)],
            seen_by(Right, Old { until: None }),
            ["ok", "ok", "wait", "yours to do"],
            "A resolver still has the old answer cached: just wait until ",
        ),
        (
            vec![fail(Code::Over48h)],
            seen_by(Right, Wrong),
            ["ok", "ok", "fail", "yours to do"],
            "First cause: A resolver still has",
        ),
        (
            vec![fail(Code::NotDelegated)],
            seen_by(NotCounted, NotCounted),
            ["after 3", "after 3", "fail", "yours to do"],
            "First cause: The domain is not registered",
        ),
        (
            vec![unknown(Code::DnsValueUnknown)],
            seen_by(ViewVerdict::Unjudged, NotCounted),
            ["see 2", "unknown", "see 2", "yours to do"],
            "The value to compare with is unknown. Fix DNS-VALUE-UNKNOWN.",
        ),
        (
            vec![finding(Code::DnsADirect, Verdict::Warn, Who::DnsProvider)],
            seen_by(Right, Right),
            ["warn", "after 1", "ok", "yours to do"],
            "This may be why: An A record has the platform's address.",
        ),
    ] {
        let (shown, sentence) = verdicts(&findings, &views);
        assert_eq!(shown, expected, "{findings:?}");
        assert!(sentence.starts_with(conclusion), "{sentence}");
    }
}

#[test]
fn verification_counts_who_sees_it_and_names_each_wait_once() {
    let findings = [wait(Code::TtlWait, 14), wait(Code::TtlWait, 21)];
    let views = seen_by(ViewVerdict::Right, ViewVerdict::Old { until: None });
    let (answers, conclusion) = full(Rule::Verification, &findings, &views, &Reported::default());
    assert_eq!(answers[1].seen, ["docs.acme.com has CNAME sites.platform.net (ns1)"]);
    assert_eq!(answers[2].seen, ["1 of 1 name servers and 1 of 2 resolvers see it", "seen TTL-WAIT"]);
    assert_eq!(answers[2].act, [format!("fix TTL-WAIT, until {}", until_words(at(21), at(0)))]);
    assert!(conclusion.contains("(21 min)"), "{conclusion}");
}

#[test]
fn preconditions_are_named_and_never_guessed() {
    let views = seen_by(ViewVerdict::Right, ViewVerdict::Right);
    let (answers, sentence) = full(Rule::Verification, &right(), &views, &Reported::default());
    assert_eq!((answers[3].verdict, answers[3].word), (None, "yours to do"));
    assert_eq!(answers[3].act, [format!("check them: {PRECONDITIONS}")]);
    assert!(sentence.starts_with("Everything that petstore can check is right"), "{sentence}");
}

#[test]
fn a_late_certificate_is_asked_for_again_only_when_dns_and_caa_are_right() {
    let pending = fail(Code::TlsPending);
    let caa = ok(Code::CaaNone);
    for (findings, reported, expected, conclusion) in [
        (vec![ok(Code::DnsOk), caa.clone(), pending.clone()], verified(-34), ["ok", "ok", "yours to do"], "Nothing bl"),
        (vec![ok(Code::DnsOk), caa.clone(), pending.clone()], verified(-5), ["ok", "ok", "not yet"], "It is not late"),
        (vec![ok(Code::DnsOk), caa.clone()], Reported::default(), ["ok", "ok", "yours to do"], "The 30 minutes start"),
        (
            vec![ok(Code::DnsOk), fail(Code::CaaBlocked), pending.clone()],
            verified(-34),
            ["ok", "fail", "after 2"],
            "First cause: CAA forbids the platform's CA. Fix it at your DNS provider, then check again.",
        ),
        (
            vec![fail(Code::DnsABlocks), fail(Code::CaaBlocked), pending.clone()],
            verified(-34),
            ["fail", "fail", "after 1"],
            "First cause: An A record blocks the CNAME.",
        ),
        (
            vec![ok(Code::DnsOk), unknown(Code::CaaCaUnknown), pending],
            verified(-34),
            ["ok", "unknown", "yours to do"],
            "Nothing blocks the certificate",
        ),
        (right(), verified(-34), ["ok", "ok", "not needed"], "The certificate is there. Nothing to do."),
    ] {
        let (shown, sentence) = page(Rule::Certificate, &findings, &[], &reported);
        assert_eq!(shown, expected, "{findings:?}");
        assert!(sentence.starts_with(conclusion), "{sentence}");
    }
}

#[test]
fn re_verify_says_since_when_and_how_often() {
    let sentence = |reported: &Reported| full(Rule::Certificate, &[], &[], reported).0[2].seen.concat();
    assert_eq!(sentence(&verified(-34)), "Verify was chosen 34 min ago (once so far); the 30 minutes count from then");
    assert_eq!(sentence(&Reported::default()), "Verify is not recorded yet; the 30 minutes count from it");
    let (answers, _) = full(Rule::Certificate, &right()[..2], &[], &verified(-34));
    assert!(answers[2].act[0].starts_with("choose Re-verify in the dashboard, then press V here"));
}

#[test]
fn a_browser_warns_of_a_certificate_that_is_not_there_or_is_an_old_one() {
    let dns = ok(Code::DnsOk);
    for (findings, expected, conclusion) in [
        (right(), ["ok", "ok", "ok", "yours to do"], "The certificate is right. If a browser still warns"),
        (
            vec![dns.clone(), wait(Code::TlsPending, 25)],
            ["wait", "after 1", "not seen", "after 1"],
            "The certificate is not there yet: just wait until ",
        ),
        (
            vec![dns.clone(), fail(Code::TlsExpired), fail(Code::HstsNote)],
            ["see 2", "fail", "fail", "after 2"],
            "First cause: The certificate is no longer valid.",
        ),
        (
            vec![dns.clone(), finding(Code::TlsOld, Verdict::Warn, Who::DnsProvider)],
            ["ok", "warn", "ok", "yours to do"],
            "This may be why: The certificate is from before the domain was added.",
        ),
        (
            vec![fail(Code::DnsABlocks), fail(Code::TlsWrongName)],
            ["see 2", "fail", "not seen", "after 2"],
            "First cause: An A record blocks the CNAME.",
        ),
    ] {
        let (shown, sentence) = page(Rule::Browser, &findings, &[], &Reported::default());
        assert_eq!(shown, expected, "{findings:?}");
        assert!(sentence.starts_with(conclusion), "{sentence}");
    }
    let views = seen_by(ViewVerdict::Right, ViewVerdict::Old { until: None });
    let (answers, _) = full(Rule::Browser, &right(), &views, &Reported::default());
    assert_eq!(answers[3].seen, ["9.9.9.9 still has an old answer cached: CNAME sites.platform.net"]);
    assert!(answers[3].act[0].contains("https://docs.acme.com/ in a private window"));
    let local = finding(Code::SplitLocal, Verdict::Warn, Who::ThisMachine);
    let (answers, _) = full(Rule::Browser, &[right(), vec![local]].concat(), &[], &Reported::default());
    assert_eq!((&answers[3].seen[0], &answers[3].act[1]), (&"seen SPLIT-LOCAL".into(), &"fix SPLIT-LOCAL".into()));
}

#[test]
fn a_configured_redirect_is_compared_with_the_live_site() {
    let cached = fail(Code::RdCached);
    let warn = |code| finding(code, Verdict::Warn, Who::Dashboard);
    for (findings, expected, conclusion) in [
        (vec![ok(Code::RdOk)], ["ok", "ok", "yours to do"], "The redirect is right."),
        (vec![fail(Code::RdTarget), cached.clone()], ["fail", "after 1", "fail"], "First cause: The redirect leads"),
        (vec![fail(Code::RdLoop), cached], ["see 2", "fail", "fail"], "First cause: The redirect loops"),
        (vec![warn(Code::RdStatus)], ["see 2", "warn", "ok"], "This may be why: The redirect has a different status."),
        (vec![fail(Code::InNoDot)], ["fail", "after 1", "ok"], "First cause: The name has only one label."),
        (vec![], ["not checked yet"; 3], "Not checked yet"),
    ] {
        let (answers, sentence) = redirected(&findings);
        assert!(answers[0].seen.contains(&"configured: docs.acme.com to acme.com with 301".to_owned()));
        assert_eq!(shown(answers), expected, "{findings:?}");
        assert!(sentence.starts_with(conclusion), "{sentence}");
    }
}

#[test]
fn without_a_configured_redirect_the_live_redirect_is_shown() {
    let sentence = |findings: &[Finding]| page(Rule::Redirects, findings, &[], &Reported::default());
    let (shown, conclusion) = sentence(&right());
    assert_eq!(shown, ["ok", "ok", "yours to do"]);
    assert!(conclusion.starts_with("No redirect is configured for this name"), "{conclusion}");
    let (shown, conclusion) = sentence(&[ok(Code::DnsOk), fail(Code::RdLoop)]);
    assert_eq!(shown, ["see 2", "fail", "yours to do"]);
    assert!(conclusion.starts_with("First cause: The redirect loops."), "{conclusion}");
    let (shown, conclusion) = sentence(&[fail(Code::DnsABlocks)]);
    assert_eq!(shown, ["not checked yet"; 3]);
    assert!(conclusion.starts_with("First cause: An A record blocks the CNAME."), "{conclusion}");
}
