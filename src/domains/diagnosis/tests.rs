//! Cases that need no world: times, clocks, and answers that are rare. The rows of the catalogue themselves are shown
//! against real sockets.

use std::cell::Cell;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::redirect::{Redirect, Walk, judge};
use super::remember;
use super::*;
use crate::domains::Measurement;
use crate::domains::{
    Caches, Certificate, ConnectionFailure, Data, Distrust, DnsName, Handshake, Hop, Lookup, Method, NoReply,
    Observations, Presented, Promise, Protocol, Question, Record, Reply, Reported, Response, ResponseCode, Role,
    Server, Trail, Who, deciding, overall, parse_name,
};

#[path = "../../../tests/golden/golden.rs"]
mod golden;

pub const HOST: &str = "sites.platform.net";
pub const NAME: &str = "docs.acme.com";
pub const PLATFORM: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 51, 100, 7));

/// Noon, and minutes from it.
pub fn at(minutes: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + 60 * minutes).unwrap()
}

pub fn server(role: Role, name: &str) -> Arc<Server> {
    let protocol = Protocol::Plain;
    Arc::new(Server { role, name: name.to_owned(), address: ([192, 0, 2, 53], 53).into(), protocol })
}

pub fn ns(number: u8) -> Arc<Server> {
    server(Role::Authoritative, &format!("ns{number}.acme.com"))
}

pub fn resolver(number: u8) -> Arc<Server> {
    server(Role::Resolver { system: false }, &format!("resolver{number}"))
}

pub fn record(owner: &str, ttl: u32, data: Data) -> Record {
    Record { owner: DnsName::new(owner), ttl, data }
}

pub fn cname(owner: &str, target: &str) -> Record {
    record(owner, 3600, Data::Cname(DnsName::new(target)))
}

pub fn address(owner: &str, address: IpAddr) -> Record {
    match address {
        IpAddr::V4(address) => record(owner, 3600, Data::A(address)),
        IpAddr::V6(address) => record(owner, 3600, Data::Aaaa(address)),
    }
}

pub fn answer(answers: Vec<Record>) -> Reply {
    Reply { authoritative: true, answers, ..Reply::default() }
}

pub fn nxdomain(zone: &str, minimum: u32) -> Reply {
    let soa = record(zone, minimum, Data::Soa { serial: 1, refresh: 1800, retry: 900, minimum });
    Reply { code: ResponseCode::NXDomain, authoritative: true, authorities: vec![soa], ..Reply::default() }
}

/// A measurement that grows line by line.
pub struct Seen(pub Observations);

impl Seen {
    pub fn new() -> Self {
        Self(Observations {
            zone: Some(DnsName::new("acme.com")),
            delegated: vec![DnsName::new("ns1.acme.com")],
            sibling: DnsName::new("nobody.acme.com"),
            nobody: DnsName::new("nobody.com"),
            ..Observations::default()
        })
    }

    pub fn with(mut self, server: &Arc<Server>, name: &str, kind: RecordType, outcome: Result<Reply, NoReply>) -> Self {
        let question = Question::new(DnsName::new(name), kind);
        let took = Duration::from_millis(5);
        self.0.lookups.push(Lookup { server: Arc::clone(server), question, at: at(0), took, outcome });
        self
    }

    pub fn source(self, kind: RecordType, reply: Reply) -> Self {
        self.with(&ns(1), NAME, kind, Ok(reply))
    }

    pub fn resolved(self, number: u8, reply: Reply) -> Self {
        self.with(&resolver(number), NAME, A, Ok(reply))
    }

    /// A resolver rejects the answers, and has one without validation.
    fn rejected(mut self, number: u8, error: u16) -> Self {
        let extended_error = Some((error, String::new()));
        let fails = Reply { code: ResponseCode::ServFail, extended_error, ..Reply::default() };
        let question = Question { checking_disabled: true, ..Question::new(DnsName::new(NAME), A) };
        let outcome = Ok(answer(vec![cname(NAME, HOST)]));
        let (server, took) = (resolver(number), Duration::ZERO);
        self.0.lookups.push(Lookup { server, question, at: at(0), took, outcome });
        self.resolved(number, fails)
    }

    /// The same answers, some minutes later.
    fn later(mut self, minutes: i64) -> Self {
        self.0.lookups.iter_mut().for_each(|lookup| lookup.at = at(minutes));
        self
    }

    /// The record is right, and two resolvers see it.
    pub fn right() -> Self {
        Self::new()
            .source(CNAME, answer(vec![cname(NAME, HOST)]))
            .resolved(1, right_answer())
            .resolved(2, right_answer())
            .with(&resolver(1), HOST, A, Ok(answer(vec![address(HOST, PLATFORM)])))
    }

    pub fn caa(self, level: &str, records: Vec<Record>) -> Self {
        self.with(&resolver(1), level, CAA, Ok(answer(records)))
    }

    pub fn shows(mut self, outcome: Result<Presented, ConnectionFailure>, date: Option<Timestamp>) -> Self {
        let response = Response { status: 200, date, ..Response::default() };
        let hop = Hop {
            url: url::Url::parse("https://docs.acme.com/").unwrap(),
            method: Method::HEAD,
            address: None,
            at: at(0),
            outcome: Ok(response),
        };
        self.0.handshakes.push(Handshake {
            server_name: Some(NAME.to_owned()),
            address: (PLATFORM, 443).into(),
            at: at(0),
            outcome,
            page: Some(hop),
        });
        self
    }
}

fn certificate(names: &[&str], from: Timestamp, until: Timestamp) -> Presented {
    let leaf = Certificate {
        subject: format!("CN={}", names.first().unwrap_or(&"")),
        issuer: "C=US, O=Let's Encrypt, CN=R11".to_owned(),
        issuer_short: "Let's Encrypt".to_owned(),
        common_name: None,
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        not_before: from,
        not_after: until,
        serial: "01:02".to_owned(),
        rsa_bits: None,
        names_its_issuer: true,
    };
    Presented { chain: vec![leaf], trust: Ok(()) }
}

pub fn expectation() -> Expectation {
    let ca_identities = vec!["letsencrypt.org".to_owned()];
    Expectation { platform_host: Some(DnsName::new(HOST)), ca_identities, ..Expectation::default() }
}

pub fn reported() -> Reported {
    Reported { added: Some(at(-60)), ..Reported::default() }
}

fn diagnosed(seen: &Seen, expectation: &Expectation, reported: &Reported, now: Timestamp) -> Vec<Finding> {
    let domain = parse_name::domain(NAME).unwrap();
    same(diagnose(&Facts::new(&domain, expectation, reported, &seen.0, None, now)))
}

thread_local! {
    static WORLDS: Cell<usize> = const { Cell::new(0) };
}

/// A finding as it is, in one line; of its evidence only who was asked what.
fn exact(finding: &Finding) -> String {
    let mut finding = serde_json::to_value(finding).unwrap();
    if let Some(serde_json::Value::Array(evidence)) = finding.get_mut("evidence") {
        let short = |one: &serde_json::Value| format!("{} @ {}", one["question"], one["server"]).replace('"', "");
        let mut all: Vec<String> = evidence.iter().map(short).collect();
        all.sort_unstable();
        *evidence = all.into_iter().map(serde_json::Value::from).collect();
    }
    finding.to_string()
}

/// The findings of the next world of this test, which are those of the last time.
fn same(findings: Vec<Finding>) -> Vec<Finding> {
    let thread = std::thread::current();
    // Alone, a test has the thread of all.
    if let Some((_, test)) = thread.name().and_then(|name| name.rsplit_once("::")) {
        let number = WORLDS.get();
        WORLDS.set(number + 1);
        let lines: Vec<String> = findings.iter().map(exact).collect();
        assert_eq!(golden::difference("diagnosis.txt", &format!("{test} {number:02}"), &lines), None);
    }
    findings
}

/// The finding that decides, with what was reported at noon.
fn first(seen: &Seen) -> Finding {
    deciding(&diagnosed(seen, &expectation(), &reported(), at(0))).unwrap().clone()
}

/// The finding with this code, with what was reported at noon.
fn found(seen: &Seen, code: Code) -> Finding {
    let mut findings = diagnosed(seen, &expectation(), &reported(), at(0)).into_iter();
    findings.find(|finding| finding.code == code).unwrap()
}

/// The code that decides and the verdict, with what was reported at noon.
fn judged(seen: &Seen, reported: &Reported) -> (Code, Verdict) {
    let findings = diagnosed(seen, &expectation(), reported, at(0));
    (deciding(&findings).unwrap().code, overall(&findings))
}

#[test]
fn a_missing_record_is_the_next_step_before_saved_and_a_failure_after() {
    let seen = Seen::new().source(CNAME, nxdomain("acme.com", 900));
    assert_eq!(judged(&seen, &reported()), (Code::DnsMissing, Verdict::You));
    assert_eq!(judged(&seen, &Reported { saved: Some(at(-1)), ..reported() }), (Code::DnsMissing, Verdict::Fail));
}

#[test]
fn the_wait_for_a_missing_record_includes_what_resolvers_still_have() {
    let (domain, expectation) = (parse_name::domain(NAME).unwrap(), expectation());
    for (ttl, wait) in [(2940, "wait up to 49 min"), (60, "wait up to 15 min")] {
        let seen = Seen::new().source(CNAME, nxdomain("acme.com", 900)).resolved(1, old_answer(ttl));
        let findings = diagnose(&Facts::new(&domain, &expectation, &reported(), &seen.0, None, at(0)));
        let first = deciding(&findings).unwrap();
        assert_eq!(first.code, Code::DnsMissing);
        assert!(first.fix.contains(wait), "{}", first.fix);
    }
}

#[test]
fn until_the_record_is_there_the_old_server_is_no_cause() {
    let shown = || {
        [
            Ok(certificate(&["old.acme.com"], at(-60 * 24), at(60 * 24 * 80))),
            Ok(certificate(&[HOST], at(-60 * 24), at(60 * 24 * 80))),
            Err(ConnectionFailure::Refused),
        ]
    };
    let saved = Reported { saved: Some(at(10)), ..reported() };
    for (old, reported) in [(true, saved), (false, reported())] {
        for outcome in shown() {
            let before = Seen::new().source(A, old_answer(600)).resolved(1, old_answer(600));
            let (domain, expectation) = (parse_name::domain(NAME).unwrap(), expectation());
            let earlier = remember(&Facts::new(&domain, &expectation, &reported, &before.0, None, at(0)));
            // The provider has not published it yet; or the old record is deleted, and still cached.
            let nothing = Seen::new().source(CNAME, nxdomain("acme.com", 900)).resolved(1, old_answer(600));
            let seen = if old { before } else { nothing }.shows(outcome, None).later(10);
            let findings = diagnose(&Facts::new(&domain, &expectation, &reported, &seen.0, Some(&earlier), at(10)));
            let first = deciding(&findings).unwrap();
            let verdict = if old { Verdict::Wait } else { Verdict::You };
            assert_eq!((first.code.topic(), first.verdict), (Topic::Record, verdict), "{findings:?}");
            let of_server = findings.iter().filter(|finding| finding.code.topic() == Topic::Certificate);
            let acts: Vec<(Who, &str)> = of_server.map(|finding| (finding.who, &*finding.fix)).collect();
            let act = "another server answers: this line disappears once the record is right";
            assert_eq!(acts, [(Who::Nobody, act)], "{findings:?}");
        }
    }
}

#[test]
fn without_the_value_the_record_cannot_be_judged() {
    let unknown = Expectation { platform_host: None, ..expectation() };
    let findings = diagnosed(&Seen::right(), &unknown, &reported(), at(0));
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), [Code::DnsValueUnknown]);
    assert_eq!(overall(&findings), Verdict::Unknown);
}

#[test]
fn a_wait_ends_when_the_cached_answer_expires() {
    let old = answer(vec![record(NAME, 1260, Data::Cname(DnsName::new("old.host.net")))]);
    let seen = Seen::right().resolved(3, old);
    let wait = found(&seen, Code::TtlWait);
    assert_eq!(wait.until, Some(at(21)));
    let seen = Seen::right().resolved(3, nxdomain("acme.com", 840));
    let wait = found(&seen, Code::NegWait);
    assert_eq!(wait.until, Some(at(14)));
}

#[test]
fn an_answer_beyond_its_promised_end_is_stale() {
    let old = answer(vec![record(NAME, 30, Data::Cname(DnsName::new("old.host.net")))]);
    let seen = Seen::right().resolved(3, old);
    let domain = parse_name::domain(NAME).unwrap();
    let code = |promised: Option<Timestamp>| {
        let records = vec!["old.host.net.".to_owned()];
        let promise = |until| Promise { server: "resolver3".to_owned(), records, until, several: false, ttl: 3600 };
        let earlier = Caches { promises: promised.map(promise).into_iter().collect(), ..Caches::default() };
        let (expectation, reported) = (expectation(), reported());
        let case = Facts::new(&domain, &expectation, &reported, &seen.0, Some(&earlier), at(0));
        deciding(&same(diagnose(&case))).unwrap().code
    };
    assert_eq!(code(None), Code::TtlWait);
    assert_eq!(code(Some(at(-5))), Code::StaleServed);
    assert_eq!(code(Some(at(5))), Code::TtlWait);
}

#[test]
fn every_wait_ends_after_48_hours_and_a_clock_set_back_starts_none() {
    let old = || answer(vec![cname(NAME, "old.host.net")]);
    let seen = Seen::right().resolved(3, old());
    let saved = |minutes| Reported { saved: Some(at(minutes)), ..reported() };
    assert_eq!(judged(&seen, &saved(-48 * 60)), (Code::TtlWait, Verdict::Wait));
    assert_eq!(judged(&seen, &saved(-48 * 60 - 1)), (Code::Over48h, Verdict::Fail));
    assert_eq!(judged(&seen, &saved(90)), (Code::TtlWait, Verdict::Wait));
}

#[test]
fn a_secondary_may_lag_as_long_as_it_should_copy_even_when_serials_wrap() {
    let seen = |newer, older| versions([soa(newer, 1800, 900), soa(older, 1800, 900)]);
    for (newer, older) in [(43, 42), (1, u32::MAX)] {
        let saved = |minutes| Reported { saved: Some(at(minutes)), ..reported() };
        assert_eq!(judged(&seen(newer, older), &saved(-44)), (Code::SecondaryBehind, Verdict::Wait), "{newer}");
        assert_eq!(judged(&seen(newer, older), &saved(-46)), (Code::SecondaryBehind, Verdict::Warn), "{newer}");
        let findings = diagnosed(&seen(newer, older), &expectation(), &saved(-44), at(0));
        let seen = &deciding(&findings).unwrap().seen;
        assert!(seen.starts_with("ns2.acme.com does not have the record yet"), "{seen}");
    }
}

#[test]
fn name_servers_that_only_this_machine_cannot_reach_are_not_counted() {
    let seen = Seen::new()
        .with(&ns(1), NAME, CNAME, Err(NoReply::Timeout))
        .resolved(1, right_answer())
        .resolved(2, right_answer());
    let findings = diagnosed(&seen, &expectation(), &reported(), at(0));
    assert_eq!((deciding(&findings).unwrap().code, overall(&findings)), (Code::DnsOk, Verdict::Ok));
    assert!(findings.iter().any(|finding| finding.code == Code::Offline && finding.verdict == Verdict::Unknown));
}

#[test]
fn lists_of_name_servers_that_differ_are_a_warning_where_all_is_right() {
    let ns_records = |hosts: &[&str]| {
        answer(hosts.iter().map(|host| record("acme.com", 3600, Data::Ns(DnsName::new(host)))).collect())
    };
    let seen = |hosts: &[&str]| Seen::right().with(&ns(1), "acme.com", NS, Ok(ns_records(hosts)));
    assert_eq!(judged(&seen(&["ns1.acme.com"]), &reported()), (Code::DnsOk, Verdict::Ok));
    assert_eq!(judged(&seen(&["ns1.acme.com", "ns3.acme.com"]), &reported()), (Code::NsMismatch, Verdict::Warn));
    assert_eq!(judged(&seen(&["ns8.other.net"]), &reported()), (Code::NsMismatch, Verdict::Fail));
}

#[test]
fn a_detour_to_the_platform_works_only_once_it_has_a_certificate() {
    let seen = || {
        Seen::new()
            .source(CNAME, answer(vec![cname(NAME, "edge.acme.net")]))
            .with(&resolver(1), "edge.acme.net", CNAME, Ok(answer(vec![cname("edge.acme.net", HOST)])))
            .resolved(1, answer(vec![cname(NAME, "edge.acme.net"), cname("edge.acme.net", HOST)]))
    };
    assert_eq!(judged(&seen(), &reported()), (Code::DnsChain, Verdict::Fail));
    let good = certificate(&[NAME], at(-60 * 24), at(60 * 24 * 80));
    assert_eq!(judged(&seen().shows(Ok(good), None), &reported()), (Code::DnsChain, Verdict::Warn));
}

fn caa(owner: &str, flags: u8, tag: &str, value: &str) -> Record {
    record(owner, 3600, Data::Caa { flags, tag: tag.to_owned(), value: value.as_bytes().to_vec() })
}

#[test]
fn the_first_level_with_any_caa_record_decides_alone() {
    let code = |seen: Seen| judged(&seen, &reported()).0;
    let levels = |name: Vec<Record>, parent: Vec<Record>, top: Vec<Record>| {
        Seen::right().caa(NAME, name).caa("acme.com", parent).caa("com", top)
    };
    let ours = |owner: &str| vec![caa(owner, 0, "issue", "letsencrypt.org")];
    let other = |owner: &str| vec![caa(owner, 0, "issue", "digicert.com")];
    assert_eq!(code(levels(vec![], vec![], vec![])), Code::DnsOk);
    assert_eq!(code(levels(ours(NAME), other("acme.com"), vec![])), Code::DnsOk);
    assert_eq!(code(levels(other(NAME), ours("acme.com"), vec![])), Code::CaaBlocked);
    assert_eq!(code(levels(vec![], other("acme.com"), ours("com"))), Code::CaaBlocked);
    assert_eq!(code(levels(vec![], vec![], other("com"))), Code::CaaBlocked);
    // Through the CNAME the target's records count for the name itself, and its parent is never asked.
    let through = |records: Vec<Record>| [vec![cname(NAME, HOST)], records].concat();
    assert_eq!(code(levels(through(ours(HOST)), other("acme.com"), vec![])), Code::DnsOk);
    let blocked = levels(through(other(HOST)), ours("acme.com"), vec![]);
    let finding = found(&blocked, Code::CaaBlocked);
    assert_eq!(finding.who, Who::Platform);
    assert!(
        finding.seen.contains("sites.platform.net has CAA") && finding.seen.contains("through the CNAME"),
        "{}",
        finding.seen
    );
}

#[test]
fn a_caa_level_that_no_server_answered_is_unknown() {
    let found = |seen: Seen| {
        let findings = diagnosed(&seen, &expectation(), &reported(), at(0));
        let caa: Vec<_> = findings.iter().filter(|finding| finding.code.topic() == Topic::Caa).collect();
        caa.iter().map(|finding| (finding.code, finding.verdict)).collect::<Vec<_>>()
    };
    let unknown = [(Code::CaaLookupFailed, Verdict::Unknown)];
    let silent = |seen: Seen, level: &str| seen.with(&resolver(1), level, CAA, Err(NoReply::Timeout));
    assert_eq!(found(silent(Seen::right().caa(NAME, vec![]).caa("acme.com", vec![]), "com")), unknown);
    // A level that was not asked, between others.
    assert_eq!(found(Seen::right().caa(NAME, vec![]).caa("com", vec![])), unknown);
    // One that decides makes those above it not matter.
    let ours = vec![caa("acme.com", 0, "issue", "letsencrypt.org")];
    let decided = Seen::right().caa(NAME, vec![]).caa("acme.com", ours);
    assert_eq!(found(silent(decided, "com")), [(Code::CaaOk, Verdict::Ok)]);
    assert_eq!(found(Seen::right()), []);
}

#[test]
fn caa_values_are_judged_one_by_one() {
    let code = |records: &[(u8, &str, &str)]| {
        let records = records.iter().map(|(flags, tag, value)| caa("acme.com", *flags, tag, value)).collect();
        let seen = Seen::right().caa(NAME, vec![]).caa("acme.com", records);
        let findings = diagnosed(&seen, &expectation(), &reported(), at(0));
        findings.iter().find(|finding| finding.code.topic() == Topic::Caa).unwrap().code
    };
    assert_eq!(code(&[(0, "issue", "LetsEncrypt.ORG")]), Code::CaaOk);
    assert_eq!(code(&[(0, "issue", "digicert.com"), (0, "issue", "letsencrypt.org")]), Code::CaaOk);
    assert_eq!(code(&[(0, "issue", "letsencrypt.org; validationmethods=dns-01")]), Code::CaaMethod);
    assert_eq!(code(&[(0, "issue", "letsencrypt.org; accounturi=https://x/1")]), Code::CaaAccount);
    assert_eq!(
        code(&[(0, "issue", "letsencrypt.org; accounturi=https://x/1"), (0, "issue", "letsencrypt.org")]),
        Code::CaaOk
    );
    assert_eq!(code(&[(0, "issue", ";")]), Code::CaaEmpty);
    assert_eq!(code(&[(0, "issue", ";"), (0, "issue", "letsencrypt.org")]), Code::CaaOk);
    assert_eq!(code(&[(0, "issue", "%%%")]), Code::CaaBadSyntax);
    assert_eq!(code(&[(0, "issuewild", ";")]), Code::CaaWildOnly);
    assert_eq!(code(&[(0, "iodef", "mailto:a@b.c")]), Code::CaaOk);
    assert_eq!(code(&[(128, "issue", "letsencrypt.org")]), Code::CaaOk);
    assert_eq!(code(&[(128, "tbs", "x")]), Code::CaaCritical);
    // Known to some authorities only.
    assert_eq!(code(&[(128, "contactemail", "a@b.c"), (0, "issue", "letsencrypt.org")]), Code::CaaCritical);
    assert_eq!(code(&[(0, "contactemail", "a@b.c"), (0, "issue", "letsencrypt.org")]), Code::CaaOk);
    // The critical bit is the uppermost; 1 is a reserved one.
    assert_eq!(code(&[(1, "tbs", "x"), (0, "issue", "letsencrypt.org")]), Code::CaaOk);
}

#[test]
fn the_last_quarter_of_a_lifetime_is_soon_however_long_it_is() {
    let code = |days: i64, left_hours: i64| {
        let until = at(left_hours * 60);
        let from = until.checked_sub(SignedDuration::from_hours(24 * days)).unwrap();
        judged(&Seen::right().shows(Ok(certificate(&[NAME], from, until)), None), &reported()).0
    };
    assert_eq!(code(90, 24 * 23), Code::DnsOk);
    assert_eq!(code(90, 24 * 22), Code::TlsSoon);
    assert_eq!(code(6, 37), Code::DnsOk);
    assert_eq!(code(6, 35), Code::TlsSoon);
}

#[test]
fn certificates_may_be_valid_for_as_long_as_the_day_of_their_beginning_allows() {
    let code = |begin: &str, days: i64| {
        let from: Timestamp = format!("{begin}T00:00:00Z").parse().unwrap();
        let until = from.checked_add(SignedDuration::from_hours(24 * days)).unwrap();
        let seen = Seen::right().shows(Ok(certificate(&[NAME], from, until)), None);
        let findings = diagnosed(&seen, &expectation(), &reported(), from);
        let finding = findings.iter().find(|finding| finding.code.topic() == Topic::Certificate).unwrap();
        (finding.code, finding.expected.clone())
    };
    let limits =
        [("2026-03-14", 398), ("2026-03-15", 200), ("2027-03-14", 200), ("2027-03-15", 100), ("2029-03-15", 47)];
    for (begin, longest) in limits {
        assert_eq!(code(begin, longest).0, Code::TlsOk, "{begin}");
        assert_eq!(code(begin, longest + 1), (Code::TlsLong, format!("at most {longest} days")), "{begin}");
    }
}

#[test]
fn a_key_that_is_too_short_is_named() {
    let weak = |bits| {
        let mut presented = certificate(&[NAME], at(-60), at(60 * 24 * 60));
        presented.chain[0].rsa_bits = Some(bits);
        judged(&Seen::right().shows(Ok(presented), None), &reported())
    };
    assert_eq!(weak(1024), (Code::TlsWeak, Verdict::Fail));
    assert_eq!(weak(2048), (Code::DnsOk, Verdict::Ok));
}

#[test]
fn a_wildcard_covers_one_label() {
    let code = |names: &[&str]| {
        judged(&Seen::right().shows(Ok(certificate(names, at(-60), at(60 * 24))), None), &reported()).0
    };
    assert_eq!(code(&["*.acme.com"]), Code::DnsOk);
    assert_eq!(code(&["*.com"]), Code::TlsWrongName);
    assert_eq!(code(&["acme.com", "*.docs.acme.com"]), Code::TlsWrongName);
    assert_eq!(code(&["*.platform.net"]), Code::TlsPending);
}

#[test]
fn a_date_that_is_wrong_only_here_is_this_machines_clock() {
    let who = |from, until, date| {
        let seen = Seen::right().shows(Ok(certificate(&[NAME], from, until)), date);
        let decides = first(&seen);
        (decides.code, decides.who)
    };
    let (long_ago, later) = (at(-60 * 24 * 30), at(60 * 24 * 30));
    assert_eq!(who(at(60), later, None), (Code::TlsFuture, Who::Platform));
    assert_eq!(who(at(60), later, Some(at(90))), (Code::TlsFuture, Who::ThisMachine));
    assert_eq!(who(long_ago, at(-60), Some(at(0))), (Code::TlsExpired, Who::Platform));
    assert_eq!(who(long_ago, at(-60), Some(at(-90))), (Code::TlsExpired, Who::ThisMachine));
    let seen = Seen::right().shows(Ok(certificate(&[NAME], at(60), later)), Some(at(90)));
    let decides = first(&seen);
    assert_eq!((decides.title.as_str(), decides.until), ("This machine's clock is wrong", None));
    assert!(decides.fix.starts_with("set this machine's clock: "), "{}", decides.fix);
}

#[test]
fn missing_ipv6_on_this_machine_does_not_count_against_the_domain() {
    let good = certificate(&[NAME], at(-60), at(60 * 24));
    let mut seen = Seen::right().shows(Ok(good), None).shows(Err(ConnectionFailure::Unreachable), None);
    seen.0.handshakes[1].address = "[2001:db8::7]:443".parse().unwrap();
    let findings = diagnosed(&seen, &expectation(), &reported(), at(0));
    assert_eq!(overall(&findings), Verdict::Ok);
    assert!(findings.iter().any(|finding| finding.code == Code::V6Untested && finding.verdict == Verdict::Unknown));
}

#[test]
fn resolvers_without_a_usable_answer_are_offline_and_do_not_judge_the_domain() {
    let refused = || Reply { code: ResponseCode::Refused, ..Reply::default() };
    let seen = Seen::new().resolved(1, refused()).with(&resolver(2), NAME, A, Err(NoReply::Timeout));
    assert_eq!(judged(&seen, &reported()), (Code::Offline, Verdict::Unknown));
    let for_others = seen.with(&resolver(1), "acme.com", SOA, Ok(answer(vec![])));
    let findings = diagnosed(&for_others, &expectation(), &reported(), at(0));
    assert_eq!(findings[0].title, "No resolver answers for this name");
    assert!(findings[0].seen.contains("REFUSED") && !findings[0].fix.contains("connection"), "{findings:?}");
    let findings = diagnosed(&Seen::right().resolved(3, refused()), &expectation(), &reported(), at(0));
    assert_eq!(overall(&findings), Verdict::Ok);
    assert!(findings.iter().any(|finding| finding.code == Code::ResolverDown && finding.seen.contains("REFUSED")));
}

#[test]
fn an_answer_from_name_servers_alone_is_not_known_to_be_right() {
    let right = answer(vec![cname(NAME, HOST)]);
    let seen = Seen::new().source(CNAME, right);
    let seen = seen.with(&resolver(1), NAME, A, Err(NoReply::Timeout));
    let findings = diagnosed(&seen, &expectation(), &reported(), at(0));
    assert_eq!(overall(&findings), Verdict::Unknown, "{findings:?}");
}

#[test]
fn different_records_at_the_same_serial_are_not_waited_for() {
    let seen = versions([soa(7, 1800, 900), soa(7, 1800, 900)]);
    let finding = found(&seen, Code::SecondaryBehind);
    assert_eq!((finding.verdict, finding.until), (Verdict::Warn, None));
    assert!(finding.seen.contains("at the same serial") && finding.fix.contains("ns2.acme.com"), "{finding:?}");
}

#[test]
fn all_conflicting_records_are_named_together() {
    let old = IpAddr::V4(Ipv4Addr::new(198, 51, 100, 9));
    let seen = Seen::new()
        .source(A, answer(vec![address(NAME, old)]))
        .source(TXT, answer(vec![record(NAME, 3600, Data::Txt("v=spf1 -all".into()))]));
    let blocks = found(&seen, Code::DnsABlocks);
    assert!(blocks.fix.contains("TXT") && blocks.fix.contains("v=spf1"), "{}", blocks.fix);
}

#[test]
fn one_dead_address_of_the_platform_needs_no_action_by_the_operator() {
    let seen = Seen::right()
        .shows(Ok(certificate(&[NAME], at(-1000), at(100_000))), None)
        .shows(Err(ConnectionFailure::Refused), None);
    let findings = diagnosed(&seen, &expectation(), &reported(), at(0));
    let refused = findings.iter().find(|finding| finding.code == Code::TlsRefused).unwrap();
    assert_eq!((refused.verdict, refused.who), (Verdict::Warn, Who::Platform));
    assert_eq!(overall(&findings), Verdict::Warn);
}

#[test]
fn a_redirect_behind_an_untrusted_certificate_does_not_count() {
    let (from, to) = (DnsName::new(NAME), DnsName::new("shop.acme.com"));
    let redirect = Redirect { from, to, status: 301 };
    let judged = |presented: Presented| {
        let location = Some("https://shop.acme.com/".to_owned());
        let hop = |path: &str| Hop {
            url: url::Url::parse(&format!("https://{NAME}{path}")).unwrap(),
            method: Method::HEAD,
            address: None,
            at: at(0),
            outcome: Ok(Response { status: 301, location: location.clone(), ..Response::default() }),
        };
        let seen = Seen::new().shows(Ok(presented), None);
        let trail = |path| Trail { hops: vec![hop(path)], cut: false };
        let walk = Walk {
            https: trail("/"),
            http: Trail::default(),
            deep: Trail::default(),
            back: Trail::default(),
            elsewhere: Vec::new(),
            handshake: seen.0.handshakes.first().cloned(),
        };
        same(judge(&redirect, &walk, at(0))).into_iter().map(|finding| finding.code).next().unwrap()
    };
    let good = || certificate(&[NAME], at(-1000), at(100_000));
    assert_eq!(judged(good()), Code::RdOk);
    assert_eq!(judged(certificate(&["other.com"], at(-1000), at(100_000))), Code::TlsWrongName);
    assert_eq!(judged(certificate(&[NAME], at(-1000), at(-1))), Code::TlsExpired);
    assert_eq!(judged(certificate(&[NAME], at(1), at(100_000))), Code::TlsFuture);
    assert_eq!(judged(Presented { trust: Err(Distrust::UnknownIssuer), ..good() }), Code::TlsUnknownCa);
}

#[test]
fn an_https_record_with_a_foreign_port_or_key_is_found() {
    let seen = |port, ech: Option<&str>| {
        let (priority, ech, target) = (1, ech.map(DnsName::new), DnsName::default());
        let https = Data::Https { priority, target, hints: vec![PLATFORM], port, ech };
        Seen::new()
            .source(CNAME, answer(vec![]))
            .source(A, answer(vec![address(NAME, PLATFORM)]))
            .source(HTTPS, answer(vec![record(NAME, 300, https)]))
            .with(&resolver(1), HOST, A, Ok(answer(vec![address(HOST, PLATFORM)])))
            .resolved(1, answer(vec![address(NAME, PLATFORM)]))
    };
    let (direct, elsewhere) = ((Code::DnsADirect, Verdict::Warn), (Code::DnsHttpsElsewhere, Verdict::Fail));
    assert_eq!(judged(&seen(None, None), &reported()), direct);
    assert_eq!(judged(&seen(Some(443), Some("ech.platform.net")), &reported()), direct);
    assert_eq!(judged(&seen(Some(8443), None), &reported()), elsewhere);
    assert_eq!(judged(&seen(None, Some("cloudflare-ech.com")), &reported()), elsewhere);
    assert_eq!(judged(&seen(None, Some(".")), &reported()), elsewhere, "one that cannot be read");
}

/// The registrar lists two name servers, of which the first is found like this.
fn found_as(host: &str, outcome: Reply, one_answers: bool) -> Finding {
    let mut seen = if one_answers { Seen::right() } else { Seen::new().resolved(1, fails()).resolved(2, fails()) };
    seen.0.delegated = vec![DnsName::new(host), DnsName::new("ns1.acme.com")];
    let referral = Reply {
        authorities: vec![record("acme.com", 3600, Data::Ns(DnsName::new(host)))],
        additionals: vec![address("ns1.acme.com", PLATFORM)],
        ..Reply::default()
    };
    let nowhere = server(Role::Authoritative, host);
    let seen = seen
        .with(&server(Role::Parent, "a.gtld.net"), "acme.com", NS, Ok(referral))
        .with(&nowhere, NAME, CNAME, Err(NoReply::NoAddress))
        .with(&resolver(1), host, A, Ok(outcome));
    let findings = diagnosed(&seen, &expectation(), &reported(), at(0));
    deciding(&findings).unwrap().clone()
}

#[test]
fn a_name_server_that_nobody_finds_is_corrected_at_the_registrar() {
    let (typo, own) = ("ns1.acme-dsn.net", "ns0.acme.com");
    for (host, outcome, title) in [
        (typo, nxdomain("net", 900), "A name server at the registrar does not exist"),
        (own, nxdomain("acme.com", 900), "The registrar has no address for a name server"),
        (own, fails(), "The registrar has no address for a name server"),
        (typo, answer(vec![cname(typo, "ns1.acme-dns.net")]), "A name server is a CNAME"),
    ] {
        for (one_answers, verdict) in [(true, Verdict::Warn), (false, Verdict::Fail)] {
            let finding = found_as(host, outcome.clone(), one_answers);
            assert_eq!((finding.title.as_str(), finding.verdict, finding.who), (title, verdict, Who::Registrar));
            assert!(finding.fix.contains(host), "{}", finding.fix);
        }
    }
}

#[test]
fn an_expired_registration_is_renewed_at_the_registrar() {
    let parked = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 80));
    let mut seen = Seen::new()
        .source(A, answer(vec![address(NAME, parked)]))
        .with(&ns(1), "nobody.acme.com", A, Ok(answer(vec![address("nobody.acme.com", parked)])))
        .resolved(1, answer(vec![address(NAME, parked)]));
    seen.0.delegated = vec![DnsName::new("ns1.renewyourname.net")];
    let first = first(&seen);
    assert_eq!((first.code, first.who), (Code::DnsParked, Who::Registrar));
    assert!(first.fix.contains("renew acme.com"), "{}", first.fix);
}

#[test]
fn an_alias_that_leads_nowhere_is_the_records_fault() {
    let (apex, domain) = ("acme.com", parse_name::domain("acme.com").unwrap());
    let (expectation, reported) = (expectation(), reported());
    let soa = Data::Soa { serial: 1, refresh: 1800, retry: 900, minimum: 900 };
    let seen = Seen::new()
        .with(&ns(1), apex, CNAME, Ok(answer(vec![])))
        .with(&ns(1), apex, SOA, Ok(answer(vec![record(apex, 3600, soa)])))
        .with(&ns(1), apex, A, Ok(fails()))
        .with(&resolver(1), apex, A, Ok(fails()))
        .with(&resolver(2), apex, A, Ok(fails()))
        .with(&resolver(1), HOST, A, Ok(answer(vec![address(HOST, PLATFORM)])));
    let (domain, expectation, reported) = (&domain, &expectation, &reported);
    let findings = same(diagnose(&Facts::new(domain, expectation, reported, &seen.0, None, at(0))));
    let first = deciding(&findings).unwrap();
    assert_eq!((first.code, first.who), (Code::ApexNone, Who::DnsProvider));
    assert!(first.fix.contains("its value leads nowhere"), "{}", first.fix);
}

#[test]
fn a_record_below_a_name_that_is_doubled_in_part_is_found_with_its_value() {
    let fix = |value: &str| {
        let doubled = "docs.acme.acme.com";
        let mut seen = Seen::new()
            .source(CNAME, nxdomain("acme.com", 900))
            .resolved(1, nxdomain("acme.com", 900))
            .with(&ns(1), doubled, CNAME, Ok(answer(vec![cname(doubled, value)])));
        seen.0.doubled = vec![DnsName::new(doubled)];
        let first = first(&seen);
        assert_eq!(first.code, Code::DnsNameDoubled);
        first.fix.clone()
    };
    assert!(fix(HOST).contains("change the record's name to docs and keep its value"), "{}", fix(HOST));
    assert!(fix("old.host.net").contains("to docs and its value to sites.platform.net"), "{}", fix("old.host.net"));
}

#[test]
fn what_a_ca_sees_from_other_places_is_named_where_all_is_right_from_here() {
    let fix = |seen: Seen| {
        let verified = Reported { verified: Some(at(-31)), ..reported() };
        let alert = Err(ConnectionFailure::Alert("unrecognized_name".to_owned()));
        let findings = diagnosed(&seen.shows(alert, None), &expectation(), &verified, at(0));
        findings.iter().find(|finding| finding.code == Code::TlsAlert).unwrap().fix.clone()
    };
    let free = || Seen::right().caa(NAME, vec![]).caa("acme.com", vec![]).caa("com", vec![]);
    assert!(fix(free()).contains("CAs check a name from several places"), "{}", fix(free()));
    let blocked = || Seen::right().caa(NAME, vec![caa(NAME, 0, "issue", ";")]);
    assert!(!fix(blocked()).contains("several places"), "{}", fix(blocked()));
}

#[test]
fn a_value_without_a_host_is_wrong_even_if_the_dashboard_shows_it() {
    let seen = Seen::new()
        .source(CNAME, answer(vec![cname(NAME, HOST)]))
        .resolved(1, answer(vec![cname(NAME, HOST)]))
        .with(&resolver(1), HOST, A, Ok(nxdomain("platform.net", 900)));
    assert_eq!(judged(&seen, &reported()), (Code::DnsTargetGone, Verdict::Fail));
}

#[test]
fn cached_answers_do_not_count_against_the_zone() {
    let private = answer(vec![address(NAME, IpAddr::V4(Ipv4Addr::new(10, 0, 0, 5)))]);
    assert_eq!(judged(&Seen::right().resolved(3, private.clone()), &reported()), (Code::TtlWait, Verdict::Wait));
    let in_zone = Seen::new().source(A, private.clone()).resolved(1, private);
    assert_eq!(judged(&in_zone, &reported()), (Code::DnsPrivate, Verdict::Fail));
    // CAA of the old target counts no more than the old target itself.
    let old = "old.host.net";
    let seen = Seen::right()
        .resolved(3, answer(vec![cname(NAME, old)]))
        .caa(NAME, vec![cname(NAME, old), caa(old, 0, "issue", "pki.goog")])
        .caa(HOST, vec![])
        .caa("acme.com", vec![])
        .caa("com", vec![]);
    assert_eq!(judged(&seen, &reported()), (Code::TtlWait, Verdict::Wait));
}

#[test]
fn an_old_address_for_ipv6_alone_is_waited_for_too() {
    let old = answer(vec![record(NAME, 4020, Data::Aaaa("2001:db8::9".parse().unwrap()))]);
    let seen = Seen::right().with(&resolver(2), NAME, AAAA, Ok(old));
    let findings = diagnosed(&seen, &expectation(), &reported(), at(0));
    assert_eq!(deciding(&findings).map(|finding| (finding.code, finding.until)), Some((Code::TtlWait, Some(at(67)))));
    let none = Seen::right().with(&resolver(2), NAME, AAAA, Ok(answer(vec![])));
    assert_eq!(judged(&none, &reported()), (Code::DnsOk, Verdict::Ok));
}

#[test]
fn differing_name_servers_are_distinguished_from_a_wrong_record() {
    let old = || answer(vec![cname(NAME, "old.host.net")]);
    let second = |reply| Seen::right().with(&ns(2), NAME, CNAME, Ok(reply));
    assert_eq!(judged(&second(old()), &reported()), (Code::SecondaryBehind, Verdict::Wait));
    assert_eq!(judged(&second(nxdomain("acme.com", 900)), &reported()), (Code::SecondaryBehind, Verdict::Wait));
    let two = answer(vec![cname(NAME, HOST), cname(NAME, "old.host.net")]);
    assert_eq!(judged(&Seen::new().source(CNAME, two), &reported()), (Code::DnsMultiCname, Verdict::Fail));
}

#[test]
fn resolvers_that_all_have_something_else_cached_do_not_make_a_domain_live() {
    let held = |last| answer(vec![address(NAME, IpAddr::V4(Ipv4Addr::new(198, 51, 100, last)))]);
    let seen = Seen::new().source(CNAME, answer(vec![cname(NAME, HOST)])).resolved(1, held(8)).resolved(2, held(9));
    let findings = diagnosed(&seen, &expectation(), &reported(), at(0));
    let codes: Vec<Code> = findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Code::ResolversDisagree]);
    let measurement = Measurement::of(&findings, at(0));
    assert!(measurement.record && !measurement.everywhere);
    assert_eq!(judged(&seen, &Reported { saved: Some(at(-49 * 60)), ..reported() }), (Code::Over48h, Verdict::Fail));
}

#[test]
fn resolvers_that_lead_to_the_platform_by_different_addresses_do_not_disagree() {
    let second = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 81));
    let apex = "acme.com";
    let seen = |other: IpAddr| {
        let sees = |number, own| {
            move |seen: Seen| {
                seen.with(&resolver(number), apex, A, Ok(answer(vec![address(apex, own)]))).with(
                    &resolver(number),
                    HOST,
                    A,
                    Ok(answer(vec![address(HOST, PLATFORM), address(HOST, second)])),
                )
            }
        };
        sees(2, other)(sees(1, PLATFORM)(Seen::new().with(&ns(1), apex, A, Err(NoReply::Timeout))))
    };
    let domain = parse_name::domain(apex).unwrap();
    let disagree = |seen: &Seen| {
        let (expectation, reported) = (expectation(), reported());
        let case = Facts::new(&domain, &expectation, &reported, &seen.0, None, at(0));
        same(diagnose(&case)).iter().any(|finding| finding.code == Code::ResolversDisagree)
    };
    assert!(!disagree(&seen(second)));
    assert!(disagree(&seen(IpAddr::V4(Ipv4Addr::new(198, 51, 100, 8)))));
}

#[test]
fn failing_name_servers_are_reported_even_while_resolvers_have_cached_answers() {
    let fails = Reply { code: ResponseCode::ServFail, ..Reply::default() };
    let seen = Seen::new().source(CNAME, fails).resolved(1, right_answer()).resolved(2, right_answer());
    assert_eq!(judged(&seen, &reported()), (Code::ServfailAll, Verdict::Fail));
}

#[test]
fn a_name_server_without_an_address_is_named() {
    let seen = Seen::right().with(&ns(2), NAME, CNAME, Err(NoReply::NoAddress));
    let lame = found(&seen, Code::LameOne);
    assert!(lame.seen.contains("ns2.acme.com") && lame.seen.contains("has no address"), "{}", lame.seen);
}

#[test]
fn an_untrusted_chain_is_reported_with_its_most_exact_reason() {
    let code = |subject: &str, issuer: &str, trust: Distrust| {
        let mut shown = certificate(&[NAME], at(-60), at(60 * 24));
        shown.trust = Err(trust);
        shown.chain[0].subject = subject.to_owned();
        shown.chain[0].issuer = issuer.to_owned();
        shown.chain[0].names_its_issuer = false;
        judged(&Seen::right().shows(Ok(shown), None), &reported()).0
    };
    let other = || Distrust::Other("it cannot be used for a server");
    assert_eq!(code("CN=a", "CN=a", Distrust::UnknownIssuer), Code::TlsSelf);
    assert_eq!(code("CN=a", "CN=a", other()), Code::TlsSelf, "as openssl makes them");
    assert_eq!(code("CN=a", "CN=(STAGING) Pretend Pear X1", other()), Code::TlsStaging);
    assert_eq!(code("CN=a", "CN=Acme Issuing CA 1", Distrust::UnknownIssuer), Code::TlsChain);
    assert_eq!(code("CN=a", "C=US, O=Let's Encrypt, CN=R11", Distrust::UnknownIssuer), Code::TlsChain);
    assert_eq!(code("CN=a", "CN=Acme Root CA", Distrust::UnknownIssuer), Code::TlsUnknownCa);
    assert_eq!(code("CN=a", "CN=Acme Root CA", other()), Code::TlsUnknownCa);
}

#[test]
fn an_intermediate_is_known_by_the_chain_of_the_platforms_own_host() {
    let mut shown = certificate(&[NAME], at(-60), at(60 * 24));
    shown.trust = Err(Distrust::UnknownIssuer);
    shown.chain[0].issuer = "CN=Acme CA".to_owned();
    shown.chain[0].names_its_issuer = false;
    let code = |subject: &str| {
        let mut seen = Seen::right().shows(Ok(shown.clone()), None);
        let mut own = certificate(&[HOST], at(-60), at(60 * 24));
        own.chain.push(Certificate { subject: subject.to_owned(), ..own.chain[0].clone() });
        seen.0.platform_handshake = Some(Handshake { outcome: Ok(own), ..seen.0.handshakes[0].clone() });
        judged(&seen, &reported()).0
    };
    assert_eq!(code("CN=Acme CA"), Code::TlsChain);
    assert_eq!(code("CN=Another CA"), Code::TlsUnknownCa);
}

#[test]
fn a_loop_is_reported_once() {
    let round = answer(vec![cname(NAME, "b.acme.com"), cname("b.acme.com", NAME), cname(NAME, "b.acme.com")]);
    assert_eq!(judged(&Seen::new().source(CNAME, round), &reported()), (Code::DnsLoop, Verdict::Fail));
}

#[test]
fn a_network_that_denies_a_known_top_level_domain_proves_nothing() {
    let denied = |name: &str, kind| (name.to_owned(), kind);
    let mut seen = Seen::new();
    for (name, kind) in [denied("com", NS), denied("acme.com", SOA), denied(NAME, A)] {
        seen = seen.with(&resolver(1), &name, kind, Ok(nxdomain("", 900)));
    }
    assert_eq!(judged(&seen, &reported()), (Code::Offline, Verdict::Unknown));
}

#[test]
fn expired_signatures_are_the_providers_and_differing_keys_the_registrars() {
    let who = |code| {
        let seen = Seen::new().source(CNAME, answer(vec![cname(NAME, HOST)])).rejected(1, code);
        let decides = first(&seen);
        (decides.code, decides.who)
    };
    assert_eq!(who(7), (Code::DnssecBogus, Who::DnsProvider));
    assert_eq!(who(9), (Code::DnssecBogus, Who::Registrar));
}

/// The findings of checks that follow each other: what one leaves about caches is known to the next.
fn checked(checks: Vec<(Seen, i64)>) -> Vec<Vec<Finding>> {
    let (domain, expectation, reported) = (parse_name::domain(NAME).unwrap(), expectation(), reported());
    let mut earlier = None;
    let check = |(seen, minutes): (Seen, i64)| {
        let seen = seen.later(minutes).0;
        let known = earlier.take();
        let (earlier_, now) = (known.as_ref(), at(minutes));
        let case = Facts::new(&domain, &expectation, &reported, &seen, earlier_, now);
        let findings = same(diagnose(&case));
        earlier = Some(remember(&case));
        findings
    };
    checks.into_iter().map(check).collect()
}

/// What decides after each of these checks.
fn decided(checks: Vec<(Seen, i64)>) -> Vec<(&'static str, Verdict)> {
    let decides = |findings: &Vec<Finding>| {
        let first = deciding(findings).unwrap();
        (first.code.as_str(), first.verdict)
    };
    checked(checks).iter().map(decides).collect()
}

/// The record, and the address that its value has.
fn right_answer() -> Reply {
    answer(vec![cname(NAME, HOST), address(HOST, PLATFORM)])
}

/// The SOA record of the zone: its serial number, and after how many seconds a secondary asks, and asks again.
fn soa(serial: u32, refresh: u32, retry: u32) -> Reply {
    answer(vec![record("acme.com", 3600, Data::Soa { serial, refresh, retry, minimum: 900 })])
}

fn old_answer(ttl: u32) -> Reply {
    answer(vec![record(NAME, ttl, Data::A(Ipv4Addr::new(192, 0, 2, 10)))])
}

fn fails() -> Reply {
    Reply { code: ResponseCode::ServFail, authoritative: false, ..Reply::default() }
}

#[test]
fn nothing_is_right_that_no_resolver_leads_to() {
    let silent = |seen: Seen, name: &str| {
        (1..3).fold(seen, |seen, number| seen.with(&resolver(number), name, A, Err(NoReply::Timeout)))
    };
    let seen = silent(silent(Seen::new(), NAME), HOST)
        .source(CNAME, answer(vec![cname(NAME, HOST)]))
        .with(&ns(1), NAME, CAA, Ok(answer(vec![])))
        .with(&ns(1), "acme.com", CAA, Ok(answer(vec![])))
        .caa("com", vec![])
        .with(&resolver(1), "acme.com", SOA, Ok(answer(vec![])));
    let findings = diagnosed(&seen, &expectation(), &reported(), at(0));
    let decides = deciding(&findings).unwrap();
    assert_eq!((decides.code, decides.verdict, decides.who), (Code::ServfailAll, Verdict::Fail, Who::Platform));
    assert!(!Measurement::of(&findings, at(0)).record);
}

#[test]
fn what_resolvers_say_of_caa_outranks_the_name_servers() {
    let free = |seen: Seen| {
        let seen = seen.with(&ns(1), NAME, CAA, Ok(answer(vec![])));
        seen.with(&ns(1), "acme.com", CAA, Ok(answer(vec![]))).caa("com", vec![])
    };
    let asked = |number, level: &str, reply| {
        let level = level.to_owned();
        move |seen: Seen| seen.with(&resolver(number), &level, CAA, Ok(reply))
    };
    let judged = |seen: Seen| {
        let findings = diagnosed(&seen, &expectation(), &reported(), at(0));
        let finding = findings.into_iter().find(|finding| finding.code.topic() == Topic::Caa).unwrap();
        (finding.code, finding.verdict, finding.who)
    };
    assert_eq!(judged(free(Seen::right())), (Code::CaaNone, Verdict::Ok, Who::Nobody));
    for level in [NAME, "acme.com"] {
        let rejected = asked(2, level, fails())(asked(1, level, fails())(free(Seen::right())));
        assert_eq!(judged(rejected), (Code::CaaLookupFailed, Verdict::Fail, Who::DnsProvider), "{level}");
        let one = asked(2, level, answer(vec![]))(asked(1, level, fails())(free(Seen::right())));
        assert_eq!(judged(one).0, Code::CaaNone, "half of them: {level}");
        let alone = || asked(1, level, fails())(free(Seen::right()));
        assert_eq!(judged(alone()).0, Code::CaaNone, "the name servers answer: {level}");
        assert_eq!(judged(signed(alone(), 13)).0, Code::CaaLookupFailed, "it validates: {level}");
    }
    let seen = free(Seen::right().resolved(3, answer(vec![cname(NAME, HOST)])));
    let seen = asked(3, NAME, answer(vec![]))(asked(2, NAME, answer(vec![]))(asked(1, NAME, fails())(seen)));
    assert_eq!(judged(seen), (Code::CaaNone, Verdict::Ok, Who::Nobody), "one of three had trouble");
    let target = asked(1, HOST, fails())(free(Seen::right()));
    assert_eq!(judged(target), (Code::CaaLookupFailed, Verdict::Fail, Who::Platform));
}

/// A signed zone, whose parent lists a key of this algorithm: at `ns1` with signatures.
fn signed(seen: Seen, algorithm: u8) -> Seen {
    use crate::domains::observation::KeyId;
    let zone = "acme.com";
    let soa = record(zone, 3600, Data::Soa { serial: 7, refresh: 1800, retry: 900, minimum: 900 });
    let signature = Data::Rrsig { covers: SOA, begins: at(-60), expires: at(60 * 24) };
    let key = Data::Dnskey(KeyId { tag: 1, algorithm: 13 });
    let ds = Data::Ds(KeyId { tag: 1, algorithm });
    seen.with(&ns(1), zone, SOA, Ok(answer(vec![soa, record(zone, 3600, signature)])))
        .with(&ns(1), zone, DNSKEY, Ok(answer(vec![record(zone, 3600, key)])))
        .with(&server(Role::Parent, "a.gtld-servers.net"), zone, DS, Ok(answer(vec![record(zone, 3600, ds)])))
}

#[test]
fn a_name_server_without_the_signatures_that_others_have_fails_at_every_look() {
    let seen = signed(Seen::right(), 13).with(&ns(2), NAME, CNAME, Ok(answer(vec![cname(NAME, HOST)]))).with(
        &ns(2),
        "acme.com",
        SOA,
        Ok(soa(7, 1800, 900)),
    );
    let decides = first(&seen);
    assert_eq!((decides.code, decides.verdict, decides.who), (Code::DnssecBogus, Verdict::Fail, Who::DnsProvider));
    assert!(decides.seen.contains("ns2.acme.com") && !decides.seen.contains("ns1.acme.com"), "{}", decides.seen);
    assert_eq!(judged(&signed(Seen::right(), 13), &reported()), (Code::DnsOk, Verdict::Ok));
}

#[test]
fn a_ds_record_of_an_algorithm_that_resolvers_do_not_know_does_not_count() {
    assert_eq!(judged(&signed(Seen::right(), 200), &reported()), (Code::DnsOk, Verdict::Ok));
    assert_eq!(judged(&signed(Seen::right(), 8), &reported()), (Code::DnssecBogus, Verdict::Fail));
}

#[test]
fn a_failure_that_outlasts_the_ds_record_is_waited_for_once() {
    let parent = || server(Role::Parent, "a.gtld-servers.net");
    let seen = || {
        let source = Seen::new().source(CNAME, answer(vec![cname(NAME, HOST)]));
        source.rejected(1, 9).with(&parent(), "acme.com", DS, Ok(answer(vec![])))
    };
    let checks = checked(vec![(seen(), 0), (seen(), 1), (seen(), 6)]);
    let decides: Vec<&Finding> = checks.iter().map(|findings| deciding(findings).unwrap()).collect();
    assert_eq!((decides[0].code, decides[0].verdict, decides[0].until), (Code::DsWait, Verdict::Wait, Some(at(5))));
    assert_eq!(decides[1].until, Some(at(5)), "the promise stays");
    let expected = (Code::DnssecBogus, Verdict::Fail, Who::DnsProvider);
    assert_eq!((decides[2].code, decides[2].verdict, decides[2].who), expected);
    assert!(!decides[2].fix.contains("remove the DS"), "{}", decides[2].fix);
}

/// The registrar lists another DS record than `resolver1` has cached, which rejects the answers with this extended error.
fn replaced_ds(cached: u16, ttl: u32, error: u16) -> Seen {
    use crate::domains::observation::KeyId;
    let ds = record("acme.com", ttl, Data::Ds(KeyId { tag: cached, algorithm: 13 }));
    let seen = signed(Seen::new().source(CNAME, answer(vec![cname(NAME, HOST)])), 13);
    seen.rejected(1, error).with(&resolver(1), "acme.com", DS, Ok(answer(vec![ds])))
}

#[test]
fn a_replaced_ds_record_is_waited_for_until_resolvers_forget_the_old_one_and_the_failure() {
    let checks = checked(vec![
        (replaced_ds(2, 3600, 9), 0),
        (replaced_ds(2, 600, 9), 50),
        // They have the new one.
        (replaced_ds(1, 86_400, 9), 61),
        (replaced_ds(1, 86_100, 9), 65),
        (replaced_ds(1, 85_800, 9), 67),
    ]);
    let decides: Vec<&Finding> = checks.iter().map(|findings| deciding(findings).unwrap()).collect();
    let wait = |until| (Code::DsWait, Verdict::Wait, Some(at(until)));
    let ends = [wait(60), wait(60), wait(66), wait(66), (Code::DnssecBogus, Verdict::Fail, None)];
    assert_eq!(decides.iter().map(|finding| (finding.code, finding.verdict, finding.until)).collect::<Vec<_>>(), ends);
    assert!(decides[..4].iter().all(|finding| !finding.fix.contains("remove the DS")), "{decides:#?}");
    // Signatures that do not match have nothing to do with the DS record.
    assert_eq!(judged(&replaced_ds(1, 3600, 6), &reported()), (Code::DnssecBogus, Verdict::Fail));
}

#[test]
fn a_difference_is_a_wait_only_while_a_ttl_explains_it() {
    let view = |ttl| Seen::right().resolved(1, old_answer(ttl)).resolved(2, old_answer(ttl));
    let internal = |ttl| {
        let mut seen = view(ttl);
        seen.0.lookups.retain(|lookup| {
            lookup.reply().is_none_or(|reply| {
                !lookup.server.role.is_resolver()
                    || lookup.question.name != DnsName::new(NAME)
                    || reply.answers.len() == 1
            })
        });
        seen
    };
    let fail = ("VIEWS-DIFFER", Verdict::Fail);
    let wait = ("TTL-WAIT", Verdict::Wait);
    let expected = [wait, wait, fail, fail];
    assert_eq!(decided(vec![(internal(300), 0), (internal(60), 4), (internal(290), 6), (internal(300), 30)]), expected);
    let expected = [wait, fail];
    assert_eq!(decided(vec![(internal(20), 0), (internal(20), 1)]), expected, "a short TTL is not an expired answer");
    let findings = checked(vec![(internal(300), 0), (internal(300), 6)]).remove(1);
    let named = findings.iter().filter(|finding| finding.code.as_str() == "VIEWS-DIFFER").count();
    assert_eq!(named, 1, "once for all resolvers: {findings:?}");
    // It may come and go with the server that is asked.
    assert_eq!(decided(vec![(internal(300), 0), (Seen::right(), 6), (internal(300), 12)])[2], fail);
}

#[test]
fn a_resolver_that_filters_does_not_keep_a_domain_from_going_on() {
    let filtered = || Seen::right().resolved(3, nxdomain("acme.com", 600));
    let checks = checked(vec![(filtered(), 0), (filtered(), 11)]);
    assert_eq!(deciding(&checks[0]).unwrap().code, Code::NegWait);
    let decides = deciding(&checks[1]).unwrap();
    assert_eq!((decides.code.as_str(), decides.verdict), ("VIEWS-DIFFER", Verdict::Warn));
    let measurement = Measurement::of(&checks[1], at(11));
    assert!(measurement.record && measurement.everywhere);
    let bare = || Reply { authorities: Vec::new(), ..nxdomain("acme.com", 600) };
    let expected = [("VIEWS-DIFFER", Verdict::Warn)];
    assert_eq!(decided(vec![(Seen::right().resolved(3, bare()), 0)]), expected, "no TTL at all");
    // Where there is no other, it is remembered for three hours at most.
    let alone = || Seen::right().resolved(1, bare()).resolved(2, bare());
    let decides = decided(vec![(alone(), 0), (alone(), 179), (alone(), 181)]);
    assert_eq!(decides, [("NEG-WAIT", Verdict::Wait), ("NEG-WAIT", Verdict::Wait), ("VIEWS-DIFFER", Verdict::Fail)]);
}

#[test]
fn another_cache_of_a_farm_is_neither_expired_nor_another_view() {
    let before = || Seen::new().source(A, old_answer(3600)).resolved(1, old_answer(3600));
    let third = |ttl| Seen::right().resolved(3, old_answer(ttl));
    // Changed by minute 10, so that a cache may have asked until then: minute 70 is the latest time.
    let decides = decided(vec![(before(), 0), (third(600), 10), (third(20), 30), (third(1200), 40), (third(3600), 75)]);
    let wait = ("TTL-WAIT", Verdict::Wait);
    assert_eq!(decides[1..], [wait, wait, wait, ("VIEWS-DIFFER", Verdict::Warn)]);
}

#[test]
fn another_cache_of_a_farm_is_no_other_view_where_the_change_was_not_seen() {
    // The TTL is 3600 s, and the record was changed just before minute 0.
    let seen = |ttl| Seen::right().resolved(1, old_answer(ttl)).resolved(2, old_answer(ttl));
    let decides = decided(vec![(seen(6), 0), (seen(1200), 1), (seen(2000), 22), (seen(200), 56)]);
    assert_eq!(decides, [("TTL-WAIT", Verdict::Wait); 4]);
    // One that is given without end is.
    let decides = decided(vec![(seen(120), 0), (seen(200), 3), (seen(290), 7), (seen(80), 12)]);
    assert_eq!(decides[3], ("VIEWS-DIFFER", Verdict::Fail));
}

/// Two name servers with these serial numbers; the first has the right record, the second an old one.
fn two_versions(right: u32, other: u32) -> Seen {
    versions([soa(right, 60, 20), soa(other, 60, 20)])
}

fn versions([right, other]: [Reply; 2]) -> Seen {
    Seen::right()
        .with(&ns(2), NAME, CNAME, Ok(answer(vec![cname(NAME, "old.host.net")])))
        .with(&ns(1), "acme.com", SOA, Ok(right))
        .with(&ns(2), "acme.com", SOA, Ok(other))
}

#[test]
fn a_secondary_has_as_long_as_its_soa_record_says() {
    let saved = |seconds| Reported { saved: at(0).checked_sub(SignedDuration::from_secs(seconds)).ok(), ..reported() };
    assert_eq!(judged(&two_versions(43, 42), &saved(79)), (Code::SecondaryBehind, Verdict::Wait));
    assert_eq!(judged(&two_versions(43, 42), &saved(81)), (Code::SecondaryBehind, Verdict::Warn));
    let findings = diagnosed(&two_versions(43, 42), &expectation(), &saved(70), at(0));
    let decides = deciding(&findings).unwrap();
    assert!(decides.fix.contains("at most 80 s"), "{}", decides.fix);
    // Without a word of the operator, it counts from the first check that saw the record.
    let verdicts = decided(vec![(two_versions(43, 42), 0), (two_versions(43, 42), 1), (two_versions(43, 42), 2)]);
    let expected = [Verdict::Wait, Verdict::Wait, Verdict::Warn];
    assert_eq!(verdicts.iter().map(|(_, verdict)| *verdict).collect::<Vec<_>>(), expected);
}

#[test]
fn the_newest_version_of_the_zone_is_what_counts() {
    for (right, other) in [(42, 43), (u32::MAX, 1)] {
        let seen = two_versions(right, other);
        let findings = diagnosed(&seen, &expectation(), &reported(), at(0));
        let decides = deciding(&findings).unwrap();
        assert_eq!((decides.code, decides.verdict), (Code::DnsWrongTarget, Verdict::Fail), "{findings:?}");
        let behind = findings.iter().find(|finding| finding.code == Code::SecondaryBehind).unwrap();
        assert!(
            behind.seen.starts_with("ns1.acme.com ") && !behind.seen.contains("not have the record yet"),
            "{}",
            behind.seen
        );
    }
}

#[test]
fn the_act_for_a_left_over_aaaa_record_ends_with_the_cname() {
    let old = || answer(vec![address(NAME, "2001:db8::9".parse().unwrap())]);
    let fix = |seen: Seen| {
        let findings = diagnosed(&seen, &expectation(), &reported(), at(0));
        deciding(&findings).unwrap().fix.clone()
    };
    let add = "add CNAME docs -> sites.platform.net";
    let alone = fix(Seen::new().source(AAAA, old()));
    assert!(alone.contains("AAAA record 2001:db8::9") && alone.contains(add), "{alone}");
    let both = fix(Seen::new().source(A, old_answer(60)).source(AAAA, old()));
    assert!(both.contains("192.0.2.10") && both.contains("2001:db8::9") && both.contains(add), "{both}");
}

#[test]
fn what_only_this_machine_is_shown_does_not_count_against_the_domain() {
    let inside = || answer(vec![record(NAME, 3600, Data::A(Ipv4Addr::new(10, 0, 0, 5)))]);
    let view = || {
        let seen = Seen::new().source(CNAME, answer(vec![])).source(A, inside());
        let seen = seen.resolved(1, right_answer()).resolved(2, right_answer());
        seen.with(&resolver(1), HOST, A, Ok(answer(vec![address(HOST, PLATFORM)])))
    };
    let findings = diagnosed(&view(), &expectation(), &reported(), at(0));
    let split = findings.iter().find(|finding| finding.code == Code::SplitLocal).unwrap();
    assert_eq!((overall(&findings), split.who), (Verdict::Warn, Who::ThisMachine), "{findings:?}");
    assert!(split.seen.contains("10.0.0.5"), "{}", split.seen);
    assert!(findings.iter().any(|finding| finding.code == Code::DnsOk));
    // After a change, the right answers are only cached.
    let decides = decided(vec![(Seen::right(), 0), (view(), 10), (view(), 71)]);
    assert_eq!(decides[1], ("DNS-PRIVATE", Verdict::Fail));
    assert_eq!(decides[2], ("SPLIT-LOCAL", Verdict::Warn));
}
