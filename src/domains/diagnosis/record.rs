//! The record at the name (catalogue, section 2.2).

use std::collections::BTreeSet;
use std::net::IpAddr;

use crate::model::text::whole;
use crate::model::words::counted;

use super::super::caches::{PUBLICATION, SourceAnswer};
use super::super::catalogue::say;
use super::super::observation::RecordType::{A, AAAA, CNAME, HTTPS, NS};
use super::super::observation::{Data, Lookup, Record, Reply, type_name};
use super::super::{DnsName, Finding, Verdict, Who};
use super::authoritative::Authoritative;
use super::cname_target::{self, shown};
use super::{Case, missing_cname, proxied, wildcard, words};

/// A TTL above this gets a warning.
const DAY: u32 = 86_400;

/// The findings on the record; the one to act on is first.
pub fn findings(case: &Case<'_>, source: &Authoritative<'_>) -> Vec<Finding> {
    if source.lookups.is_empty() {
        // No answer; the findings on servers explain why.
        return Vec::new();
    }
    let own_zone = case.seen.zone.as_ref() == Some(&case.domain.name) && !case.domain.is_apex();
    if own_zone || !source.cut.is_empty() {
        return vec![zone_cut(case, source)];
    }
    if let Some(proxy) = proxied::cloudflare(case, source) {
        return vec![proxy];
    }
    let mut findings = if case.domain.is_apex() { vec![apex(case, source)] } else { subdomain(case, source) };
    // These name the cause more exactly.
    findings = proxied::private(case, source).into_iter().chain(value_gone(case, source)).chain(findings).collect();
    if is_just_saved(case, source) {
        findings.iter_mut().for_each(|finding| not_published(case, finding));
    }
    findings.extend(https_elsewhere(case, source));
    findings.extend(long_ttl(source));
    findings
}

/// Whether the record was saved a moment ago, and the name servers still have what they had before, or nothing.
fn is_just_saved(case: &Case<'_>, source: &Authoritative<'_>) -> bool {
    let Some(saved) = case.reported.saved.filter(|saved| case.since(*saved) < PUBLICATION) else { return false };
    let before = case.earlier.and_then(|earlier| earlier.now.as_ref());
    let unchanged = |now: SourceAnswer| match before {
        Some(before) if before.records == now.records => before.first <= saved,
        Some(before) => now.records.is_empty() && before.last <= saved,
        None => now.records.is_empty(),
    };
    source.remembered(case).is_some_and(unchanged)
}

/// What fails is given a minute.
fn not_published(case: &Case<'_>, finding: &mut Finding) {
    if finding.verdict != Verdict::Fail || finding.who != Who::DnsProvider {
        return;
    }
    (finding.verdict, finding.who) = (Verdict::Wait, Who::Nobody);
    finding.title = "Your provider has not published the record yet".to_owned();
    finding.fix = format!("wait a minute; if nothing changes: {}", finding.fix);
    finding.until = case.reported.saved.and_then(|saved| saved.checked_add(PUBLICATION).ok());
}

/// An HTTPS record that leads browsers past the other records; next to a CNAME it is reported as not allowed at all.
fn https_elsewhere(case: &Case<'_>, source: &Authoritative<'_>) -> Option<Finding> {
    let host = case.value().filter(|_| source.cnames().is_empty())?;
    let (name, platform) = (&case.domain.name, case.platform_addresses());
    let leads_away = |record: &&&Record| match &record.data {
        Data::Https { target, hints, port, ech, .. } => {
            let own = target.is_root() || target == host || target == name;
            let is_platforms = |name: &DnsName| case.platform_zone().is_some_and(|zone| name.is_within(&zone));
            !own || hints.iter().any(|hint| !platform.contains(hint))
                || port.is_some_and(|port| port != 443)
                || !ech.iter().all(is_platforms)
        }
        _ => false,
    };
    let record = source.own.iter().find(leads_away)?;
    Some(say::https_elsewhere(name, record.data.words()).evidence(source.evidence(&[HTTPS])))
}

fn subdomain(case: &Case<'_>, source: &Authoritative<'_>) -> Vec<Finding> {
    let cnames = source.cnames();
    if let Some((above, target)) = source.dname {
        wildcard::dname(case, source, above, target)
    } else if wildcard::is_wildcard(case, source) {
        vec![wildcard::finding(case, source)]
    } else if cnames.is_empty() {
        missing_cname::findings(case, source)
    } else {
        with_cname(case, source, &cnames)
    }
}

fn with_cname(case: &Case<'_>, source: &Authoritative<'_>, cnames: &[(&DnsName, u32)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let name = &case.domain.name;
    let others = source.others();
    let targets = || cnames.iter().map(|(target, _)| shown(target));
    let several = |reply: &Reply| reply.cnames(name).map(|(target, _)| target).collect::<BTreeSet<_>>().len() > 1;
    let at_once = source.replies().any(several);
    if at_once {
        let keep = case.value().map_or("the right one", DnsName::as_str);
        let several = say::several_cnames(name, words::list(targets()), keep);
        findings.push(several.expected(case.one_cname()).evidence(source.evidence(&[CNAME])));
    }
    if !others.is_empty() {
        findings.push(not_alone(case, source, &others));
    }
    let Some(expected) = case.value() else {
        findings.push(say::value_unknown(&case.domain.name, targets().collect::<Vec<_>>().join(", ")));
        return findings;
    };
    match cnames.iter().find(|(target, _)| *target != expected) {
        Some((target, ttl)) if !at_once => findings.push(cname_target::wrong(case, source, target, *ttl, expected)),
        None if is_gone(case, expected) => {
            findings.push(say::value_denied(name, expected, case.label()).evidence(case.seen.asked(expected, A)));
        }
        None if others.is_empty() => findings.push(right(case, source, expected)),
        _ => {}
    }
    findings
}

/// A value that does not exist was mistyped, whatever records the name has.
fn value_gone(case: &Case<'_>, source: &Authoritative<'_>) -> Option<Finding> {
    let expected = case.value().filter(|expected| is_denied(case, expected))?;
    if source.cnames().iter().any(|(target, _)| *target == expected) {
        return None;
    }
    let instead = match source.cnames().first() {
        Some((target, _)) => format!("; the record at {} points to {}", case.domain.name, shown(target)),
        None => String::new(),
    };
    Some(say::value_gone(expected, instead).evidence(case.seen.asked(expected, A)))
}

/// Whether every server that was asked answers NXDOMAIN.
fn is_denied(case: &Case<'_>, host: &DnsName) -> bool {
    let mut replies = case.seen.asked(host, A).filter_map(Lookup::reply).peekable();
    replies.peek().is_some() && replies.all(Reply::is_nxdomain)
}

fn is_gone(case: &Case<'_>, host: &DnsName) -> bool {
    let reached = case.resolvers(A).filter_map(Lookup::reply);
    is_denied(case, host) && reached.flat_map(Reply::addresses).next().is_none()
}

/// The zone has the right record. Whether others see it, too, is reported with the servers.
fn right(case: &Case<'_>, source: &Authoritative<'_>, expected: &DnsName) -> Finding {
    let mut names: Vec<&str> = source.lookups.iter().map(|lookup| lookup.server.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let agree = |reply: &Reply| reply.cnames(&case.domain.name).any(|(target, _)| target == expected);
    let resolvers = case.resolvers(A).filter_map(Lookup::reply);
    let agreeing = resolvers.filter(|reply| agree(reply)).count();
    let who = if source.authoritative {
        let names = names.iter().map(|name| whole(name)).collect::<Vec<_>>().join(", ");
        format!("{names} and {}", counted(agreeing, "resolver"))
    } else {
        words::list(names.iter().map(|name| whole(name)))
    };
    say::dns_ok(&case.domain.name, expected, who).evidence(source.evidence(&[CNAME]).chain(case.resolvers(A)))
}

fn not_alone(case: &Case<'_>, source: &Authoritative<'_>, others: &[&Record]) -> Finding {
    let list = words::list(others.iter().map(|record| record.data.words()));
    let kinds: Vec<_> = others.iter().map(|record| record.data.kind()).chain([CNAME]).collect();
    say::not_alone(&case.domain.name, list, case.label(), case.mail_stops(others))
        .expected(format!("only {}", case.one_cname()))
        .evidence(source.evidence(&kinds))
}

fn zone_cut(case: &Case<'_>, source: &Authoritative<'_>) -> Finding {
    let handed_to = if source.cut.is_empty() { case.seen.delegated.iter().collect() } else { source.cut.clone() };
    let servers = words::list(handed_to.into_iter().map(shown));
    let (platform, own) = (case.platform_addresses(), source.all_addresses());
    if !own.is_empty() && own.iter().all(|address| platform.contains(address)) {
        let separate = say::zone_of_its_own(&case.domain.name, servers, words::list(&own));
        return separate.expected(case.one_cname()).evidence(source.evidence(&[A, AAAA, NS]));
    }
    say::zone_cut(&case.domain.name, servers, case.label(), case.record())
        .expected(case.one_cname())
        .evidence(source.evidence(&[CNAME, NS]))
}

fn long_ttl(source: &Authoritative<'_>) -> Option<Finding> {
    let leads = source.own.iter().filter(|record| matches!(record.data.kind(), CNAME | A | AAAA));
    let longest = leads.max_by_key(|record| record.ttl).filter(|record| record.ttl > DAY)?;
    let (kind, ttl) = (longest.data.kind(), longest.ttl);
    Some(say::ttl_long(type_name(kind), ttl, words::ttl(ttl)).evidence(source.evidence(&[kind])))
}

/// The finding on a domain without a subdomain: it has addresses instead of a CNAME.
fn apex(case: &Case<'_>, source: &Authoritative<'_>) -> Finding {
    let (name, record) = (&case.domain.name, case.record());
    if let Some((target, _)) = source.cnames().first() {
        let finding = say::apex_cname(name, shown(target), record);
        return finding.expected(apex_expected(case)).evidence(source.evidence(&[CNAME]));
    }
    let all = source.all_addresses();
    let list = words::list(&all);
    if case.value().is_none() {
        return say::value_unknown(&case.domain.name, &list);
    }
    let platform = case.platform_addresses();
    let foreign: Vec<&IpAddr> = all.iter().filter(|address| !platform.contains(address)).collect();
    if let Some(parked) = wildcard::parked(case, source, &list).filter(|_| foreign.len() == all.len()) {
        return parked;
    }
    let finding = if all.is_empty() {
        say::apex_none(name, record)
    } else if foreign.is_empty() {
        say::apex_ok(name, list)
    } else if foreign.len() == all.len() {
        say::apex_wrong(name, list, record)
    } else if foreign.iter().all(|address| address.is_ipv6()) {
        say::apex_aaaa(name, words::list(foreign))
    } else {
        say::apex_partial(name, list, words::list(foreign))
    };
    finding.expected(apex_expected(case)).evidence(source.evidence(&[A, AAAA]))
}

fn apex_expected(case: &Case<'_>) -> String {
    let platform = case.platform_addresses();
    let host = case.value().map_or("the platform", |host| host.as_str());
    if platform.is_empty() {
        format!("the addresses of {host}")
    } else {
        format!("the addresses of {host} ({})", words::list(platform))
    }
}
