//! Resolvers that do not see the right record of the name servers yet: until when, and why.

use std::collections::BTreeSet;
use std::net::IpAddr;

use jiff::Timestamp;

use super::super::ip_ranges::is_public;
use super::super::observation::{Lookup, RecordType, Reply, Role};
use super::super::{Code, DnsName, Finding, Verdict, Who};
use super::authoritative::{Authoritative, invents};
use super::{Case, words};

/// The TTL of an expired answer (RFC 8767 section 4).
const STALE_TTL: u32 = 30;

/// The answer of a resolver, in short.
fn view(name: &DnsName, reply: &Reply) -> String {
    if reply.is_nxdomain() {
        return "no such name".to_owned();
    }
    let own = reply.at(name).map(|record| record.data.words());
    let list = words::list(own);
    if list.is_empty() { "no record".to_owned() } else { list }
}

/// Whether a resolver has the record of the name servers.
pub(super) fn sees_right(case: &Case<'_>, reply: &Reply) -> bool {
    let name = &case.domain.name;
    match &case.expectation.platform_host {
        Some(host) if !case.domain.is_apex() => {
            let platform = case.platform_addresses();
            let wildcard_address =
                reply.at(name).any(|record| record.data.address().is_some_and(|address| platform.contains(&address)));
            let mut cnames = reply.cnames(name).peekable();
            cnames.peek().is_some() && cnames.all(|(target, _)| target == host) || wildcard_address
        }
        Some(_) => {
            let platform = case.platform_addresses();
            let mut addresses = reply.addresses().peekable();
            addresses.peek().is_some() && addresses.all(|address| platform.contains(&address))
        }
        None => true,
    }
}

/// Resolvers with an old answer, each with the time when it expires.
pub fn findings(case: &Case<'_>, resolvers: &[&Lookup], findings: &mut Vec<Finding>) {
    let split = split_local(case, resolvers);
    findings.extend(split.as_ref().map(|(_, finding)| finding.clone()));
    let mut waiting: Vec<Finding> = Vec::new();
    for lookup in resolvers {
        let is_split = split.as_ref().is_some_and(|(local, _)| *local == lookup.server.name);
        if invents(case, lookup) || is_split {
            continue;
        }
        let old = not_right(case, lookup).into_iter().filter_map(|lookup| wait(case, lookup));
        // One line for each resolver: the one that takes longer.
        waiting.extend(old.max_by_key(|finding| finding.until));
    }
    // The one that caches longest decides how long it takes.
    waiting.sort_by_key(|finding| std::cmp::Reverse(finding.until));
    findings.append(&mut waiting);
}

/// The old answers of a resolver: the one given, and the one for IPv6.
pub fn not_right<'a>(case: &Case<'a>, lookup: &'a Lookup) -> Vec<&'a Lookup> {
    let other = |lookup: &&Lookup| lookup.reply().is_some_and(|reply| reply.is_answer() && !sees_right(case, reply));
    [Some(lookup), old_ipv6(case, lookup)].into_iter().flatten().filter(other).collect()
}

/// The answer of the same resolver for IPv6, if it has records; having none does not mean that it is old.
fn old_ipv6<'a>(case: &Case<'a>, ipv4: &Lookup) -> Option<&'a Lookup> {
    let name = &case.domain.name;
    let lookup = case.seen.resolvers(name, RecordType::AAAA).find(|lookup| lookup.server == ipv4.server)?;
    let holds = lookup.reply().is_some_and(|reply| reply.at(name).next().is_some());
    holds.then_some(lookup)
}

/// The finding on an answer that differs from the name servers.
fn wait(case: &Case<'_>, lookup: &Lookup) -> Option<Finding> {
    let name = &case.domain.name;
    let reply = lookup.reply()?;
    let who = lookup.server.label();
    let negative = reply.answers.is_empty();
    let left = left(name, reply);
    let until = forgets(name, lookup);
    let for_long = left.map_or_else(String::new, |left| format!(" for {} more", words::ttl(left)));
    let held = view(name, reply);
    let finding = if case.is_past_propagation() {
        Finding::fail(Code::Over48h, Who::DnsProvider)
            .seen(format!("{who} still answers {held}, more than 48 h after the record was saved"))
            .fix(format!(
                "no cache may keep it that long: check the delegation of {} and its secondary name servers",
                case.zone()
            ))
    } else if is_stale(case, lookup, reply, left.unwrap_or_default()) {
        Finding::new(Code::StaleServed, Verdict::Wait, Who::Nobody)
            .seen(format!("{who} answers {held}, which has expired"))
            .fix("wait; it serves old answers because it cannot reach the domain's name servers")
    } else if negative {
        Finding::new(Code::NegWait, Verdict::Wait, Who::Nobody)
            .seen(format!("{who} has cached that there was no record{for_long}"))
            .fix("just wait; asking again does not shorten it. Next time, add the record before testing it")
            .until(until)
    } else {
        Finding::new(Code::TtlWait, Verdict::Wait, Who::Nobody)
            .seen(format!("{who} still has {held} cached{for_long}"))
            .fix("just wait")
            .until(until)
    };
    let expected = case.expectation.platform_host.as_ref();
    Some(finding.expected(expected.map_or_else(String::new, DnsName::to_string)).evidence([lookup]))
}

/// Whether an answer has expired: the resolver reports so, or it should have dropped the answer earlier, and its TTL is
/// that of an expired answer.
fn is_stale(case: &Case<'_>, lookup: &Lookup, reply: &Reply, left: u32) -> bool {
    let says_so = reply.extended_error.as_ref().is_some_and(|(code, _)| matches!(code, 3 | 19));
    let promised: Option<Timestamp> =
        case.earlier.iter().find(|(server, _)| *server == lookup.server.name).map(|(_, until)| *until);
    says_so || promised.is_some_and(|until| until < lookup.at && left <= STALE_TTL)
}

/// Only the resolver of this machine differs, in a way that no cache explains.
pub fn split_local(case: &Case<'_>, resolvers: &[&Lookup]) -> Option<(String, Finding)> {
    let is_local = |lookup: &&&Lookup| matches!(lookup.server.role, Role::Resolver { system: true });
    let warn = |seen: String| Finding::warn(Code::SplitLocal, Who::ThisMachine).seen(seen).cured();
    if let Some(address) = case.seen.hosts_file {
        return Some((
            String::new(),
            warn(format!("the hosts file of this machine has {address} for {}", case.domain.name)),
        ));
    }
    let local = resolvers.iter().find(is_local)?;
    let reply = local.answer()?;
    let others_agree = resolvers
        .iter()
        .filter(|lookup| !is_local(lookup))
        .filter_map(|lookup| lookup.reply())
        .all(|reply| sees_right(case, reply));
    let private = |address: IpAddr| !case.expectation.allow_private && !is_public(address);
    let no_cache = reply.addresses().any(private) || case.is_past_propagation();
    if sees_right(case, reply) || !others_agree || resolvers.len() < 2 || !no_cache {
        return None;
    }
    let seen =
        format!("{} answers {}; all others have the right value", local.server.label(), view(&case.domain.name, reply));
    Some((local.server.name.clone(), warn(seen).evidence([*local])))
}

/// Answers that differ among resolvers, none of them that of the name servers.
pub(super) fn disagreement(case: &Case<'_>, source: &Authoritative<'_>, resolvers: &[&Lookup]) -> Option<Finding> {
    let name = &case.domain.name;
    let answers: Vec<(&&Lookup, BTreeSet<String>)> = resolvers
        .iter()
        .filter(|lookup| !invents(case, lookup))
        .filter_map(|lookup| {
            let reply = lookup.answer()?;
            Some((lookup, reply.at(name).map(|record| record.data.presentation()).collect()))
        })
        .collect();
    // Different addresses of the platform are fine.
    let right = |(lookup, _): &(&&Lookup, _)| lookup.reply().is_some_and(|reply| sees_right(case, reply));
    if case.expectation.platform_host.is_some() && answers.iter().all(right) {
        return None;
    }
    let at_source: BTreeSet<String> = source.own.iter().map(|record| record.data.presentation()).collect();
    let differ = answers.iter().any(|(_, answer)| *answer != answers[0].1);
    let none_right = !source.authoritative
        || answers.iter().all(|(_, answer)| *answer != at_source && !answer.is_subset(&at_source));
    if !differ || !none_right {
        return None;
    }
    Some(
        Finding::warn(Code::ResolversDisagree, Who::DnsProvider)
            .seen(words::list(answers.iter().map(|(lookup, _)| {
                let seen = lookup.reply().map_or_else(String::new, |reply| view(name, reply));
                format!("{}: {seen}", lookup.server.label())
            })))
            .fix(format!(
                "{} If the record was changed recently, these are old answers: wait until they expire",
                Code::ResolversDisagree.cure()
            ))
            .until(
                answers
                    .iter()
                    .filter(|(_, answer)| !answer.is_empty())
                    .filter_map(|(lookup, _)| forgets(name, lookup))
                    .max(),
            )
            .evidence(answers.iter().map(|(lookup, _)| **lookup)),
    )
}

/// When the cached answer of a resolver expires.
pub fn forgets(name: &DnsName, lookup: &Lookup) -> Option<Timestamp> {
    words::after(lookup.at, left(name, lookup.reply()?)?)
}

/// How long a resolver caches an answer, in seconds.
fn left(name: &DnsName, reply: &Reply) -> Option<u32> {
    if reply.answers.is_empty() {
        return reply.negative().map(|(_, ttl)| ttl);
    }
    reply.at(name).map(|record| record.ttl).max()
}
