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
use super::cname_target::{self, shown};
use super::facts::Authoritative;
use super::{Facts, missing_cname, proxied, wildcard, words};

/// A TTL above this gets a warning.
const DAY: u32 = 86_400;

/// The findings on the record; the one to act on is first. Those that name neither what is expected nor what proves them
/// expect the record from the dashboard, and are proved by what is there.
pub fn findings(facts: &Facts<'_>) -> Vec<Finding> {
    let whole = |finding: Finding| {
        let expected =
            if finding.verdict >= Verdict::Warn || facts.domain.is_apex() { expected(facts) } else { String::new() };
        let finding = if finding.expected.is_empty() { finding.expected(expected) } else { finding };
        match finding.evidence.is_empty() {
            true => finding.evidence(facts.source().evidence(&[CNAME, A, AAAA])),
            false => finding,
        }
    };
    of_record(facts).into_iter().map(whole).collect()
}

fn of_record(facts: &Facts<'_>) -> Vec<Finding> {
    if facts.source().lookups.is_empty() {
        // No answer; the findings on servers explain why.
        return Vec::new();
    }
    let own_zone = facts.seen.zone.as_ref() == Some(&facts.domain.name) && !facts.domain.is_apex();
    if own_zone || !facts.source().cut.is_empty() {
        return vec![zone_cut(facts)];
    }
    if let Some(proxy) = proxied::cloudflare(facts) {
        return vec![proxy];
    }
    let mut findings = if facts.domain.is_apex() { vec![apex(facts)] } else { subdomain(facts) };
    // These name the cause more exactly.
    findings = proxied::private(facts).into_iter().chain(value_gone(facts)).chain(findings).collect();
    if is_just_saved(facts) {
        findings.iter_mut().for_each(|finding| not_published(facts, finding));
    }
    findings.extend(https_elsewhere(facts));
    findings.extend(long_ttl(facts.source()));
    findings
}

/// Whether the record was saved a moment ago, and the name servers still have what they had before, or nothing.
fn is_just_saved(facts: &Facts<'_>) -> bool {
    let Some(saved) = facts.reported.saved.filter(|saved| facts.since(*saved) < PUBLICATION) else { return false };
    let before = facts.earlier.and_then(|earlier| earlier.now.as_ref());
    let unchanged = |now: SourceAnswer| match before {
        Some(before) if before.records == now.records => before.first <= saved,
        Some(before) => now.records.is_empty() && before.last <= saved,
        None => now.records.is_empty(),
    };
    facts.source().remembered(facts).is_some_and(unchanged)
}

/// What fails is given a minute.
fn not_published(facts: &Facts<'_>, finding: &mut Finding) {
    if finding.verdict != Verdict::Fail || finding.who != Who::DnsProvider {
        return;
    }
    (finding.verdict, finding.who) = (Verdict::Wait, Who::Nobody);
    finding.title = "Your provider has not published the record yet".to_owned();
    finding.fix = format!("wait a minute; if nothing changes: {}", finding.fix);
    finding.until = facts.reported.saved.and_then(|saved| saved.checked_add(PUBLICATION).ok());
}

/// An HTTPS record that leads browsers past the other records; next to a CNAME it is reported as not allowed at all.
fn https_elsewhere(facts: &Facts<'_>) -> Option<Finding> {
    let host = facts.value().filter(|_| facts.source().cnames().is_empty())?;
    let (name, platform) = (&facts.domain.name, facts.platform_addresses());
    let leads_away = |record: &&&Record| match &record.data {
        Data::Https { target, hints, port, ech, .. } => {
            let own = target.is_root() || target == host || target == name;
            let is_platforms = |name: &DnsName| facts.platform_zone().is_some_and(|zone| name.is_within(&zone));
            !own || hints.iter().any(|hint| !platform.contains(hint))
                || port.is_some_and(|port| port != 443)
                || !ech.iter().all(is_platforms)
        }
        _ => false,
    };
    let record = facts.source().own.iter().find(leads_away)?;
    Some(say::https_elsewhere(name, record.data.words()).evidence(facts.source().evidence(&[HTTPS])))
}

fn subdomain(facts: &Facts<'_>) -> Vec<Finding> {
    let cnames = facts.source().cnames();
    if let Some((above, target)) = facts.source().dname {
        wildcard::dname(facts, above, target)
    } else if wildcard::is_wildcard(facts) {
        vec![wildcard::finding(facts)]
    } else if cnames.is_empty() {
        missing_cname::findings(facts)
    } else {
        with_cname(facts, &cnames)
    }
}

fn with_cname(facts: &Facts<'_>, cnames: &[(&DnsName, u32)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let name = &facts.domain.name;
    let others = facts.source().others();
    let targets = || cnames.iter().map(|(target, _)| shown(target));
    let several = |reply: &Reply| reply.cnames(name).map(|(target, _)| target).collect::<BTreeSet<_>>().len() > 1;
    let at_once = facts.source().replies().any(several);
    if at_once {
        let keep = facts.value().map_or("the right one", DnsName::as_str);
        findings.push(say::several_cnames(name, words::list(targets()), keep));
    }
    if !others.is_empty() {
        findings.push(not_alone(facts, &others));
    }
    let Some(expected) = facts.value() else {
        findings.push(say::value_unknown(&facts.domain.name, targets().collect::<Vec<_>>().join(", ")));
        return findings;
    };
    match cnames.iter().find(|(target, _)| *target != expected) {
        Some((target, ttl)) if !at_once => findings.push(cname_target::wrong(facts, target, *ttl, expected)),
        None if is_gone(facts, expected) => {
            findings.push(say::value_denied(name, expected, facts.label()).evidence(facts.seen.asked(expected, A)));
        }
        None if others.is_empty() => findings.push(right(facts, expected)),
        _ => {}
    }
    findings
}

/// A value that does not exist was mistyped, whatever records the name has.
fn value_gone(facts: &Facts<'_>) -> Option<Finding> {
    let expected = facts.value().filter(|expected| is_denied(facts, expected))?;
    if facts.source().cnames().iter().any(|(target, _)| *target == expected) {
        return None;
    }
    let instead = match facts.source().cnames().first() {
        Some((target, _)) => format!("; the record at {} points to {}", facts.domain.name, shown(target)),
        None => String::new(),
    };
    Some(say::value_gone(expected, instead).evidence(facts.seen.asked(expected, A)))
}

/// Whether every server that was asked answers NXDOMAIN.
fn is_denied(facts: &Facts<'_>, host: &DnsName) -> bool {
    let mut replies = facts.seen.asked(host, A).filter_map(Lookup::reply).peekable();
    replies.peek().is_some() && replies.all(Reply::is_nxdomain)
}

fn is_gone(facts: &Facts<'_>, host: &DnsName) -> bool {
    let reached = facts.resolvers(A).filter_map(Lookup::reply);
    is_denied(facts, host) && reached.flat_map(Reply::addresses).next().is_none()
}

/// The zone has the right record. Whether others see it, too, is reported with the servers.
fn right(facts: &Facts<'_>, expected: &DnsName) -> Finding {
    let mut names: Vec<&str> = facts.source().lookups.iter().map(|lookup| lookup.server.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let agree = |reply: &Reply| reply.cnames(&facts.domain.name).any(|(target, _)| target == expected);
    let resolvers = facts.resolvers(A).filter_map(Lookup::reply);
    let agreeing = resolvers.filter(|reply| agree(reply)).count();
    let who = if facts.source().authoritative {
        let names = names.iter().map(|name| whole(name)).collect::<Vec<_>>().join(", ");
        format!("{names} and {}", counted(agreeing, "resolver"))
    } else {
        words::list(names.iter().map(|name| whole(name)))
    };
    say::dns_ok(&facts.domain.name, expected, who).evidence(facts.source().evidence(&[CNAME]).chain(facts.resolvers(A)))
}

fn not_alone(facts: &Facts<'_>, others: &[&Record]) -> Finding {
    let list = words::list(others.iter().map(|record| record.data.words()));
    let kinds: Vec<_> = others.iter().map(|record| record.data.kind()).chain([CNAME]).collect();
    say::not_alone(&facts.domain.name, list, facts.label(), facts.mail_stops(others))
        .expected(format!("only {}", facts.one_cname()))
        .evidence(facts.source().evidence(&kinds))
}

fn zone_cut(facts: &Facts<'_>) -> Finding {
    let handed_to =
        if facts.source().cut.is_empty() { facts.seen.delegated.iter().collect() } else { facts.source().cut.clone() };
    let servers = words::list(handed_to.into_iter().map(shown));
    let (platform, own) = (facts.platform_addresses(), facts.source().all_addresses());
    if !own.is_empty() && own.iter().all(|address| platform.contains(address)) {
        return say::zone_of_its_own(&facts.domain.name, servers, words::list(&own));
    }
    say::zone_cut(&facts.domain.name, servers, facts.label(), facts.record())
        .evidence(facts.source().evidence(&[CNAME, NS]))
}

fn long_ttl(source: &Authoritative<'_>) -> Option<Finding> {
    let leads = source.own.iter().filter(|record| matches!(record.data.kind(), CNAME | A | AAAA));
    let longest = leads.max_by_key(|record| record.ttl).filter(|record| record.ttl > DAY)?;
    let (kind, ttl) = (longest.data.kind(), longest.ttl);
    Some(say::ttl_long(type_name(kind), ttl, words::ttl(ttl)).evidence(source.evidence(&[kind])))
}

/// The finding on a domain without a subdomain: it has addresses instead of a CNAME.
fn apex(facts: &Facts<'_>) -> Finding {
    let (name, record) = (&facts.domain.name, facts.record());
    if let Some((target, _)) = facts.source().cnames().first() {
        return say::apex_cname(name, shown(target), record);
    }
    let all = facts.source().all_addresses();
    let list = words::list(&all);
    if facts.value().is_none() {
        return say::value_unknown(&facts.domain.name, &list);
    }
    let platform = facts.platform_addresses();
    let foreign: Vec<&IpAddr> = all.iter().filter(|address| !platform.contains(address)).collect();
    if let Some(parked) = wildcard::parked(facts, &list).filter(|_| foreign.len() == all.len()) {
        return parked;
    }
    if all.is_empty() {
        say::apex_none(name, record)
    } else if foreign.is_empty() {
        say::apex_ok(name, list)
    } else if foreign.len() == all.len() {
        say::apex_wrong(name, list, record)
    } else if foreign.iter().all(|address| address.is_ipv6()) {
        say::apex_aaaa(name, words::list(foreign))
    } else {
        say::apex_partial(name, list, words::list(foreign))
    }
}

fn expected(facts: &Facts<'_>) -> String {
    if !facts.domain.is_apex() {
        return facts.one_cname();
    }
    let platform = facts.platform_addresses();
    let host = facts.value().map_or("the platform", |host| host.as_str());
    if platform.is_empty() {
        format!("the addresses of {host}")
    } else {
        format!("the addresses of {host} ({})", words::list(platform))
    }
}
