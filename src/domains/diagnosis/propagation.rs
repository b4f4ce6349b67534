//! Resolvers that do not see the right record of the name servers: until when, and why. A difference is a wait only
//! while a TTL explains it.

use super::authoritative::{behind, invents, sees_right};
use super::cname_target::shown;
use super::delegation;
use super::facts::Facts;
use super::prelude::*;
use crate::domains::caches::OldAnswer;

/// The TTL of an expired answer (RFC 8767 section 4).
const STALE_TTL: u32 = 30;

/// For how long a resolver may remember that there is no record, in seconds, where no answer has an SOA record: the longest
/// that RFC 2308 recommends.
const NEGATIVE_TTL: u32 = 3 * 60 * 60;

/// Why a resolver gives another answer than the name servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It has it cached until then; `several`: that is the latest time for all caches behind its address.
    Cached { until: Timestamp, several: bool },
    /// It cannot reach the name servers, and gives an answer that has expired.
    Expired,
    /// No cache explains it: the name servers gave it, or the resolver filters answers.
    Unexplained,
}

impl Cause {
    pub fn until(self) -> Option<Timestamp> {
        if let Self::Cached { until, .. } = self { Some(until) } else { None }
    }
}

/// The answer of a resolver, in short.
fn view(name: &DnsName, reply: &Reply) -> String {
    if reply.is_nxdomain() {
        return "no such name".to_owned();
    }
    let list = list(reply.at(name).map(|it| it.data.words()));
    if list.is_empty() { "no record".to_owned() } else { list }
}

/// Which resolver gives it.
fn gives(name: &DnsName, lookup: &Lookup) -> Option<String> {
    Some(format!("{}: {}", lookup.server.label(), view(name, lookup.reply()?)))
}

/// Resolvers with an old answer, each with the time when it expires.
pub fn findings(facts: &Facts<'_>) -> Vec<Finding> {
    let split = split_local(facts);
    let mut waiting: Vec<(&Lookup, Finding)> = Vec::new();
    let mut others: Vec<&Lookup> = Vec::new();
    let is_split = |it: &Lookup| split.as_ref().is_some_and(|(local, _)| *local == it.server.name);
    for lookup in facts.resolvers(A).filter(|it| !invents(facts, it) && !is_split(it)) {
        let old = not_right(facts, lookup).into_iter().filter(|it| !is_of_source(facts, it));
        let (unexplained, old): (Vec<_>, Vec<_>) =
            old.map(|it| (it, cause(facts, it))).partition(|(_, cause)| *cause == Cause::Unexplained);
        others.extend(unexplained.into_iter().map(|(lookup, _)| lookup));
        // One line for each resolver: the one that takes longer.
        let old = old.into_iter().filter_map(|(lookup, cause)| Some((lookup, wait(facts, lookup, cause)?)));
        waiting.extend(old.max_by_key(|(_, finding)| finding.until));
    }
    // The one that caches longest decides how long it takes; of equal ones the order of their names, not of the answers.
    waiting.sort_by_cached_key(|(_, finding)| (std::cmp::Reverse(finding.until), finding.seen.clone()));
    let split = split.map(|(_, finding)| finding);
    split.into_iter().chain(views_differ(facts, &others)).chain(together(facts, waiting)).collect()
}

/// One finding for all resolvers that wait with the same answer: that of the one that takes longest, and who else.
fn together(facts: &Facts<'_>, waiting: Vec<(&Lookup, Finding)>) -> impl Iterator<Item = Finding> {
    let held = |it: &Lookup| it.records_at(facts.name());
    let mut merged: Vec<(&Lookup, Finding, Vec<String>)> = Vec::new();
    for (lookup, finding) in waiting {
        let same = merged.iter_mut().find(|(first, one, _)| one.code == finding.code && held(first) == held(lookup));
        let Some((_, first, others)) = same else {
            merged.push((lookup, finding, Vec::new()));
            continue;
        };
        first.evidence.extend(finding.evidence);
        others.push(lookup.server.label());
    }
    merged.into_iter().map(|(_, finding, others)| {
        let as_long = if finding.until.is_some() { ", for at most as long" } else { "" };
        match others.is_empty() {
            true => finding,
            false => Finding { seen: format!("{}; also {}{as_long}", finding.seen, list(others)), ..finding },
        }
    })
}

/// Whether a resolver has the record of the name servers, which may lead to the platform through other names.
fn is_of_source(facts: &Facts<'_>, lookup: &Lookup) -> bool {
    let mut records = lookup.at(facts.name()).peekable();
    records.peek().is_some() && records.all(|record| facts.source().own.iter().any(|own| own.data == record.data))
}

/// The old answers of a resolver: the one given, and the one for IPv6.
pub fn not_right<'b, 'a: 'b>(facts: &Facts<'a>, lookup: &'b Lookup) -> Vec<&'b Lookup> {
    let other = |lookup: &&Lookup| match lookup.reply() {
        Some(reply) if reply.is_answer() => !sees_right(facts, reply),
        // It may fail because it asks servers that no longer have the zone.
        Some(_) => former_servers(facts, lookup).is_some(),
        None => false,
    };
    [Some(lookup), old_ipv6(facts, lookup)].into_iter().flatten().filter(other).collect()
}

/// Whether most resolvers lead to the platform, and the name servers agree with each other: then the `others` are
/// exceptions.
pub fn are_exceptions(facts: &Facts<'_>, others: usize) -> bool {
    right_resolvers(facts) > others && behind(facts).is_empty()
}

/// How many resolvers lead to the platform.
fn right_resolvers(facts: &Facts<'_>) -> usize {
    let right = |it: &&Lookup| it.answer().is_some() && not_right(facts, it).is_empty();
    facts.resolvers(A).filter(right).count()
}

/// Resolvers with an answer that no cache explains.
fn views_differ(facts: &Facts<'_>, others: &[&Lookup]) -> Option<Finding> {
    let seen = list(others.iter().filter_map(|other| gives(facts.name(), other)));
    let former = others.iter().filter_map(|other| former_servers(facts, other));
    let hosts: BTreeSet<&DnsName> = former.flat_map(|former| former.hosts).collect();
    let old = list(hosts.into_iter().map(shown));
    let old = if old.is_empty() { old } else { format!(", and delete the zone at {old}") };
    let finding = match are_exceptions(facts, others.len()) {
        true => say::exceptions(seen),
        false => say::views_differ(seen, facts.record(), facts.zone(), old),
    };
    (!others.is_empty()).then(|| finding.expected(value(facts)).evidence(others.iter().copied()))
}

/// The value from the dashboard; empty if unknown.
fn value(facts: &Facts<'_>) -> String {
    facts.value().map_or_else(String::new, DnsName::to_string)
}

/// Why a resolver has another answer than the name servers.
pub fn cause(facts: &Facts<'_>, lookup: &Lookup) -> Cause {
    let name = facts.name();
    let records = lookup.records_at(name);
    let earlier = facts.promised(lookup, &records);
    let is_other = |other: &&Lookup| other.server == lookup.server && other.question == lookup.question;
    let others = || facts.seen.again.iter().filter(is_other);
    let is_right = |other: &Lookup| other.answer().is_some_and(|reply| sees_right(facts, reply));
    let old = std::iter::once(lookup).chain(others().filter(|other| !is_right(other)));
    let servers = former_servers(facts, lookup);
    let until = old.filter_map(|lookup| match &servers {
        // Until it asks the new ones, it may renew the old answer.
        Some(former) => {
            words::after(former.until, former.ttl.or_else(|| left(name, lookup.reply()?)).unwrap_or_default())
        }
        None => expires(facts, lookup),
    });
    let until: Vec<Timestamp> = until.collect();
    let old =
        OldAnswer { records: &records, at: lookup.at, until: &until, some_right: others().any(is_right), earlier };
    let caches = facts.caches();
    let outlasts = caches.outlasts(&old, facts.reported.saved);
    // Extended DNS Errors (RFC 8914 section 4): stale answers, and blocked, censored, filtered, prohibited ones.
    let says = lookup.reply().and_then(|reply| reply.extended_error.as_ref()).map(|(code, _)| *code);
    let is_short = lookup.reply().and_then(|reply| left(name, reply)).is_some_and(|left| left <= STALE_TTL);
    // It may also come from another cache of which nothing is known.
    let looks_stale = is_short
        && earlier.is_some_and(|earlier| earlier.ttl > STALE_TTL)
        && old.is_beyond(caches.latest(&records, facts.reported.saved));
    match caches.promise(&old, facts.reported.saved) {
        _ if matches!(says, Some(3 | 19)) || looks_stale => Cause::Expired,
        Some((until, several)) if !matches!(says, Some(15..=18)) && (!outlasts || is_copied(facts)) => {
            Cause::Cached { until, several }
        }
        _ => Cause::Unexplained,
    }
}

/// When an old answer expires. Some forwarders leave the SOA record out, and with it for how long they remember that there
/// is no record: the name servers say that. Where most resolvers are right, one that says nothing of it is not waited for.
pub fn expires(facts: &Facts<'_>, lookup: &Lookup) -> Option<Timestamp> {
    let most_are_right = || 2 * right_resolvers(facts) > facts.resolvers(A).count();
    let servers = facts.seen.lookups.iter().filter(|it| it.server.role == Role::Authoritative);
    let records = servers.flat_map(|it| it.at(facts.zone()));
    let ttl = records.filter_map(Record::negative_ttl);
    let promised = facts.promised(lookup, &[]).map(|promised| promised.until).filter(|until| *until > lookup.at);
    let assumed = promised.or_else(|| words::after(lookup.at, ttl.max().unwrap_or(NEGATIVE_TTL)));
    let is_bare = lookup.reply().is_some_and(|reply| reply.answers.is_empty());
    forgets(facts.name(), lookup).or_else(|| assumed.filter(|_| is_bare && !most_are_right()))
}

/// Whether a name server still copies the zone, and may give resolvers what it had before.
fn is_copied(facts: &Facts<'_>) -> bool {
    delegation::secondaries(facts).is_some_and(|behind| behind.verdict == Verdict::Wait)
}

/// The name servers of before that a resolver still asks.
struct FormerServers<'a> {
    hosts: BTreeSet<&'a DnsName>,
    /// Until when it has them cached.
    until: Timestamp,
    /// For how long it may cache what they answer, if known.
    ttl: Option<u32>,
}

/// The name servers that a resolver has cached, if they are not those of now, and do not have the right record.
fn former_servers<'a>(facts: &Facts<'a>, lookup: &Lookup) -> Option<FormerServers<'a>> {
    let (name, zone) = (facts.name(), facts.seen.zone.as_ref()?);
    let former = facts.seen.former(zone);
    let asked = facts.seen.resolvers(zone, NS).find(|asked| asked.server == lookup.server)?;
    let records = asked.reply()?.at(zone);
    let cached = records.filter_map(|it| Some((it.data.name_server()?, it.ttl)));
    let cached: Vec<(&DnsName, u32)> = cached.filter(|(host, _)| former.contains(host)).collect();
    let ttl = cached.iter().map(|(_, ttl)| *ttl).max()?;
    let answer = facts.seen.asked(name, A).find(|asked| asked.server.role == Role::Former);
    let answer = answer.and_then(Lookup::reply);
    let hosts = cached.into_iter().map(|(host, _)| host).collect();
    let (until, ttl) = (words::after(asked.at, ttl)?, answer.and_then(|reply| left(name, reply)));
    let is_right = answer.is_some_and(|reply| sees_right(facts, reply));
    (!is_right).then_some(FormerServers { hosts, until, ttl })
}

/// The answer of the same resolver for IPv6, if it has records; having none does not mean that it is old.
fn old_ipv6<'a>(facts: &Facts<'a>, ipv4: &Lookup) -> Option<&'a Lookup> {
    let lookup = facts.seen.resolvers(facts.name(), AAAA).find(|it| it.server == ipv4.server)?;
    let holds = lookup.reply().is_some_and(|reply| reply.at(facts.name()).next().is_some());
    holds.then_some(lookup)
}

/// The finding on an answer that will expire.
fn wait(facts: &Facts<'_>, lookup: &Lookup, cause: Cause) -> Option<Finding> {
    let (name, at, reply) = (facts.name(), lookup.at, lookup.reply()?);
    let (who, held) = (lookup.server.label(), view(name, reply));
    let until = cause.until();
    if let Some(former) = former_servers(facts, lookup).filter(|_| !facts.is_past_propagation()) {
        let hosts = list(former.hosts.into_iter().map(shown));
        let soon = left(name, reply).map_or_else(String::new, |left| format!(" in {}", words::ttl(left)));
        let left = words::wait(former.until.duration_since(at));
        let servers = list(facts.seen.delegated.iter().map(shown));
        let finding = say::ns_wait(who, hosts, left, servers, facts.record(), soon).until(until);
        return Some(finding.evidence(facts.seen.resolvers(facts.zone(), NS).chain([lookup])));
    }
    // Other caches behind the same address may not have been met yet.
    let latest = facts.caches().latest(&lookup.records_at(name), facts.reported.saved);
    let for_long = until.map_or_else(String::new, |until| {
        let left = until.duration_since(at);
        let latest = latest.map(|latest| latest.duration_since(at)).filter(|latest| latest.as_mins() > left.as_mins());
        let more = match latest.map(words::wait) {
            _ if matches!(cause, Cause::Cached { several: true, .. }) => {
                " at the latest: several caches are behind this address".to_owned()
            }
            Some(latest) => format!("; {latest} at the latest, if several caches share its address"),
            None => String::new(),
        };
        format!(" for {} more{more}", words::wait(left))
    });
    let finding = match cause {
        _ if facts.is_past_propagation() => say::over_48h(who, held, facts.zone()),
        Cause::Expired => say::stale_served(who, held),
        _ if reply.answers.is_empty() => say::negative_wait(who, for_long).until(until),
        _ => say::ttl_wait(who, held, for_long).until(until),
    };
    Some(finding.expected(value(facts)).evidence([lookup]))
}

/// The parent's answer about the DS record of the zone, and what it lists.
pub fn listed_ds<'a>(facts: &Facts<'a>) -> Option<(&'a Lookup, Vec<String>)> {
    let parent = facts.seen.parents(facts.zone_asked(), DS).next()?;
    parent.answer().map(|_| (parent, parent.records_at(facts.zone_asked())))
}

/// A DS record that the parent does not have any more, and that makes resolvers fail.
pub fn old_ds(facts: &Facts<'_>, failing: &[&Lookup]) -> Option<Finding> {
    let zone = facts.zone_asked();
    let (parent, listed) = listed_ds(facts)?;
    let is_old = |asked: &&Lookup| {
        let held = asked.records_at(zone);
        let is_other = asked.answer().is_some() && !held.is_empty() && held != listed;
        is_other && failing.iter().any(|it| it.server == asked.server)
    };
    let holding: Vec<&Lookup> = facts.seen.resolvers(zone, DS).filter(is_old).collect();
    let until = holding.iter().filter_map(|asked| forgets(zone, asked)).max()?;
    let labels = list(holding.iter().map(|asked| asked.server.label()));
    let left = words::wait(until.duration_since(facts.now));
    let has = if listed.is_empty() { "has no DS record any more" } else { "has another DS record now" };
    Some(say::old_ds(has, zone, labels, left).until(until).evidence(holding.into_iter().chain([parent])))
}

/// Only the resolver of this machine differs, in a way that no cache explains.
pub fn split_local(facts: &Facts<'_>) -> Option<(String, Finding)> {
    let is_local = |it: &&Lookup| it.server.role.is_system();
    if let Some(address) = facts.seen.hosts_file {
        return Some((String::new(), say::hosts_file(address, facts.name())));
    }
    let local = facts.resolvers(A).find(is_local)?;
    let reply = local.answer()?;
    let mut others = facts.resolvers(A).filter(|it| !is_local(it)).filter_map(Lookup::reply);
    let others_agree = others.all(|reply| sees_right(facts, reply));
    let private = |address: IpAddr| !facts.expectation.allow_private && !is_public(address);
    let no_cache = reply.addresses().any(private) || facts.is_past_propagation();
    let is_split = !sees_right(facts, reply) && others_agree && facts.resolvers(A).count() >= 2 && no_cache;
    let finding = || say::split_local(local.server.label(), view(facts.name(), reply)).evidence([local]);
    is_split.then(|| (local.server.name.clone(), finding()))
}

/// Answers that differ among resolvers, none of them that of the name servers.
pub(super) fn disagreement(facts: &Facts<'_>) -> Option<Finding> {
    let name = facts.name();
    let caches = facts.caches();
    // What the name servers answered before the change, or that there was nothing, is old and not another answer.
    let is_old = |lookup: &&Lookup| {
        let records = lookup.records_at(name);
        facts.source().is_right(facts)
            && (records.is_empty() || caches.gave_before(&records) || former_servers(facts, lookup).is_some())
    };
    let answered = facts.resolvers(A).filter(|it| it.answer().is_some());
    let counted = answered.filter(|it| !invents(facts, it) && !is_old(it));
    let answers: Vec<(&Lookup, Vec<String>)> = counted.map(|it| (it, it.records_at(name))).collect();
    // Different addresses of the platform are fine.
    let right = |(lookup, _): &(&Lookup, _)| lookup.reply().is_some_and(|reply| sees_right(facts, reply));
    let all_right = facts.value().is_some() && answers.iter().all(right);
    // What no cache explains is reported as that.
    let unexplained = |(lookup, _): &(&Lookup, _)| {
        not_right(facts, lookup).into_iter().any(|other| cause(facts, other) == Cause::Unexplained)
    };
    let at_source: Vec<String> = facts.source().own.iter().map(|it| it.data.presentation()).collect();
    let as_source = |(_, answer): &(_, Vec<String>)| answer.iter().all(|record| at_source.contains(record));
    let agree = answers.iter().all(|(_, answer)| *answer == answers[0].1);
    if all_right
        || agree
        || facts.source().authoritative && answers.iter().any(as_source)
        || facts.source().is_right(facts) && answers.iter().any(unexplained)
    {
        return None;
    }
    let seen = list(answers.iter().filter_map(|(lookup, _)| gives(name, lookup)));
    let held = answers.iter().filter(|(_, answer)| !answer.is_empty());
    let until = held.filter_map(|(lookup, _)| forgets(name, lookup)).max();
    let lookups = answers.iter().map(|(lookup, _)| *lookup);
    Some(say::resolvers_disagree(seen).until(until).evidence(lookups))
}

/// When the cached answer of a resolver expires.
pub fn forgets(name: &DnsName, lookup: &Lookup) -> Option<Timestamp> {
    words::after(lookup.at, left(name, lookup.reply()?)?)
}

/// How long a resolver caches an answer, in seconds.
pub fn left(name: &DnsName, reply: &Reply) -> Option<u32> {
    if reply.answers.is_empty() {
        return reply.negative().map(|(_, ttl)| ttl);
    }
    reply.at(name).map(|it| it.ttl).max()
}
