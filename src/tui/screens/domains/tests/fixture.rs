//! Domains in every state, with records and measurements.

use crate::tui::testing::prelude::*;
use std::net::SocketAddr;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::domains::{
    Checked, Code, Complete, ConfigSource, Conflict, Dated, DnsName, DomainProgress, Event, Evidence, Finding,
    FollowedRedirect, Measurement, Observations, Protocol, RecordType, Redirect, Registry, Reported, Role, Server,
    Verdict, View, ViewVerdict, Who, WrittenRedirect,
};

/// The value that the dashboard shows.
pub const HOST: &str = "sites.petplatform.net";

/// The time at which the app starts in tests.
pub fn start() -> Timestamp {
    "2026-11-20T14:03:07Z".parse().unwrap()
}

/// So many minutes before the start.
pub fn ago(minutes: i64) -> Timestamp {
    start() - SignedDuration::from_mins(minutes)
}

/// A finding as the checker would give it.
pub fn finding(code: Code) -> Finding {
    let (verdict, who) = match code {
        Code::DnsOk | Code::CaaNone | Code::TlsOk | Code::HttpOk | Code::RdOk => (Verdict::Ok, Who::Nobody),
        Code::TtlWait | Code::TlsPending => (Verdict::Wait, Who::Nobody),
        Code::RdStatus | Code::RdChain => (Verdict::Warn, Who::Dashboard),
        _ => (Verdict::Fail, Who::DnsProvider),
    };
    let finding = Finding::new(code, verdict, who);
    let finding = match code {
        Code::DnsABlocks => finding
            .seen("docs.acme-pets.com has A 192.0.2.10 (ns1.acme-dns.net)")
            .fix("at your DNS provider, delete the A record 192.0.2.10 of docs, then add CNAME docs -> sites.petplatform.net, TTL 3600: a CNAME must be the only record"),
        Code::TtlWait => finding
            .seen("8.8.8.8 still has A 192.0.2.10 cached for 21 min more")
            .fix("just wait")
            .until(start() + SignedDuration::from_mins(21)),
        Code::CaaBlocked => finding
            .seen("acme-pets.com has CAA 0 issue \"digicert.com\" (the nearest level with CAA records)")
            .fix("at your DNS provider, add a CAA record at acme-pets.com: flag 0, tag issue, value letsencrypt.org. Keep the other records"),
        Code::TlsPending => finding
            .seen("the platform answers with its own certificate, for sites.petplatform.net")
            .fix("choose Verify in the dashboard; the certificate follows automatically"),
        Code::RdLoop => finding
            .seen("https://help.acme-pets.com/ -> http://help.acme-pets.com/ -> https://help.acme-pets.com/")
            .fix("in the dashboard under Project settings, Domains (domains.redirects), remove one of the redirects"),
        Code::RdStatus => finding.seen("302 instead of 301").expected("301").fix("in the dashboard, set 301"),
        Code::Http404Project => finding.seen("https://old.acme-pets.com/ answers 404").fix("delete the CNAME"),
        Code::DnsOk => finding.seen("CNAME sites.petplatform.net (ns1.acme-dns.net and 4 resolvers)"),
        Code::CaaNone => finding.seen("no CAA record up to the top-level domain"),
        Code::TlsOk => finding.seen("for docs.acme-pets.com, 60 days left (until 2027-01-20 10:00 UTC), issued by Let's Encrypt"),
        Code::HttpOk => finding.seen("the page answers 200"),
        _ => finding,
    };
    finding.evidence([Evidence {
        question: "docs.acme-pets.com CNAME".into(),
        server: "ns1.acme-dns.net (192.0.2.53)".into(),
        answer: "CNAME sites.petplatform.net, TTL 3600".into(),
        at: ago(1),
    }])
}

fn all(codes: &[Code]) -> Vec<Finding> {
    codes.iter().map(|code| finding(*code)).collect()
}

/// A check that has asked the servers, and began at the start.
pub fn so_far() -> (Complete, Timestamp) {
    (Complete { source: true, record: true, ..Complete::default() }, start())
}

/// Findings of one kind or another.
pub fn findings(which: usize) -> Vec<Finding> {
    match which % 6 {
        0 => all(&[Code::DnsABlocks, Code::CaaNone]),
        1 => all(&[Code::TtlWait, Code::CaaNone, Code::TlsPending]),
        2 => all(&[Code::DnsOk, Code::CaaBlocked, Code::TlsPending]),
        3 => all(&[Code::DnsOk, Code::CaaNone, Code::TlsPending]),
        4 => all(&[Code::DnsOk, Code::CaaNone, Code::TlsOk, Code::HttpOk]),
        _ => Vec::new(),
    }
}

fn view(name: &str, role: Role, sees: &str, ttl: u32, verdict: ViewVerdict) -> View {
    let address: SocketAddr = "0.0.0.0:53".parse().unwrap();
    let server = Arc::new(Server { role, name: name.into(), address, protocol: Protocol::Plain });
    View { server, sees: sees.into(), ttl: Some(ttl), took: Duration::from_millis(12), verdict }
}

/// What a check gave: findings `which`, a minute before the start.
pub fn seen(name: &DnsName, which: usize) -> Checked {
    let findings = findings(which);
    let at = ago(1) + SignedDuration::from_mins(i64::try_from(which / 6).unwrap());
    let (source, resolver) = (Role::Authoritative, Role::Resolver { system: false });
    let cname = format!("CNAME {HOST}");
    let views = match which % 6 {
        0 => vec![
            view("ns1.acme-dns.net", source, "A 192.0.2.10", 3600, ViewVerdict::Wrong),
            view("1.1.1.1", resolver, "A 192.0.2.10", 1254, ViewVerdict::Wrong),
        ],
        1 => vec![
            view("ns1.acme-dns.net", source, &cname, 3600, ViewVerdict::Right),
            view("ns2.acme-dns.net", source, &cname, 3600, ViewVerdict::Right),
            view("1.1.1.1", resolver, &cname, 3214, ViewVerdict::Right),
            view(
                "8.8.8.8",
                resolver,
                "A 192.0.2.10",
                1254,
                ViewVerdict::Old { until: Some(start() + SignedDuration::from_mins(21)) },
            ),
            view("9.9.9.9", resolver, "no answer", 0, ViewVerdict::NotCounted),
        ],
        _ => vec![
            view("ns1.acme-dns.net", source, &cname, 3600, ViewVerdict::Right),
            view("1.1.1.1", resolver, &cname, 3214, ViewVerdict::Right),
        ],
    };
    let conflicts = match which % 6 {
        0 => vec![Conflict { kind: RecordType::A, ttl: 3600, values: vec!["192.0.2.10".into()] }],
        _ => Vec::new(),
    };
    let measurement = Measurement::of(&findings, at);
    let report = format!("Domain report: {name}\n");
    let domain = crate::domains::parse_name::domain(name.as_str()).unwrap();
    let zone = domain.registrable.clone();
    let (reported, seen) = (Reported::default(), Observations::default());
    let progress = DomainProgress::of(std::slice::from_ref(&measurement), &reported, None, at);
    Checked { domain, reported, seen, findings, progress, at, measurement, views, conflicts, zone, report }
}

/// Adds a domain to the list, with what was recorded so many minutes ago, and the result of a check.
pub fn put(list: &mut Registry, name: &str, reported: &[(i64, Event)], check: Option<usize>) {
    let name = DnsName::new(name);
    list.note(&name, Dated { at: ago(10_000), event: Event::Added });
    for (minutes, event) in reported {
        list.note(&name, Dated { at: ago(*minutes), event: event.clone() });
    }
    if let (Some(which), Some(entry)) = (check, list.get_mut(&name)) {
        entry.keep(seen(&name, which).measurement);
    }
}

/// The dashboard shows the value.
pub fn value() -> Event {
    Event::Value { host: DnsName::new(HOST) }
}

/// One domain in each state.
pub fn list() -> Registry {
    let mut list = Registry::default();
    put(&mut list, "help.acme-pets.com", &[(60, value()), (50, Event::Saved)], Some(0));
    put(&mut list, "docs.acme-pets.com", &[(60, value()), (27, Event::Saved)], Some(1));
    put(&mut list, "shop.acme-pets.com", &[(60, value()), (50, Event::Saved), (4, Event::Verified)], Some(3));
    put(&mut list, "late.acme-pets.com", &[(90, value()), (80, Event::Saved), (34, Event::Verified)], Some(3));
    put(&mut list, "news.acme-pets.com", &[(60, value()), (50, Event::Saved)], Some(3));
    put(&mut list, "acme-pets.com", &[(9000, value()), (8000, Event::Verified)], Some(4));
    put(
        &mut list,
        "old.acme-pets.com",
        &[(9000, value()), (8000, Event::Verified), (5, Event::RemovalPlanned)],
        Some(4),
    );
    put(&mut list, "gone.acme-pets.com", &[(9000, value()), (8000, Event::Verified), (5, Event::Removed)], Some(4));
    put(&mut list, "new.acme-pets.com", &[], None);
    list
}

/// The configuration of the project.
pub fn setup() -> DomainSetup {
    let redirect = |from: &str, to: &str, status| WrittenRedirect { from: from.into(), to: to.into(), status };
    let redirects = vec![
        redirect("acme-pets.com", "docs.acme-pets.com", 301),
        redirect("www.acme-pets.com", "docs.acme-pets.com", 301),
        redirect("old.acme-pets.com", "www.acme-pets.com", 301),
    ];
    let configuration = ConfigSource { primary: Some("docs.acme-pets.com".into()), redirects };
    DomainSetup { configuration, ..DomainSetup::default() }
}

/// What following a redirect gave: as configured, or with another status.
pub fn followed(redirect: Redirect, right: bool) -> FollowedRedirect {
    let code = if right { Code::RdOk } else { Code::RdStatus };
    let hops = vec![format!(
        "HEAD https://{}/ -> 30{} to https://{}/ (kept for 300 s)",
        redirect.from,
        if right { 1 } else { 2 },
        redirect.to
    )];
    FollowedRedirect { redirect, at: ago(1), findings: all(&[code]), hops }
}
