//! The name servers of the zone: as the registrar lists them, as the zone does, and whether they serve it.

use super::authoritative::{answer, behind, invents, is_right, serials};
use super::cname_target::shown;
use super::facts::Facts;
use super::prelude::*;

/// How long a secondary may be behind before it is worth a warning, if its SOA record does not say.
const SECONDARY_WAIT: SignedDuration = SignedDuration::from_hours(1);

pub(super) fn not_delegated(facts: &Facts<'_>) -> Option<Finding> {
    let domain = &facts.domain.registrable;
    // A server that has records below it disproves those that deny it.
    let exists = |lookup: &Lookup| {
        lookup.question.name.is_within(domain)
            && lookup.reply().is_some_and(|reply| reply.answers.iter().any(|it| it.owner.is_within(domain)))
            && !invents(facts, lookup)
    };
    if facts.seen.lookups.iter().any(exists) {
        return None;
    }
    let about = |lookup: &&Lookup| lookup.question.name == *domain && matches!(lookup.question.kind, NS | SOA);
    let denies = |reply: &Reply| reply.is_nxdomain() && reply.negative().is_none_or(|(owner, _)| owner != domain);
    let asked = || facts.seen.lookups.iter().filter(about);
    let parents = asked().filter(|it| it.server.role == Role::Parent && it.reply().is_some());
    let mut answered: Vec<&Lookup> = parents.collect();
    if answered.is_empty() {
        answered = asked().filter(|it| it.answer().is_some()).collect();
    }
    let is_denied = !answered.is_empty() && answered.iter().all(|it| it.reply().is_some_and(denies));
    is_denied.then(|| match denies_the_top(facts) {
        Some(denied) => say::unusable_dns(&denied.question.name).evidence([denied]),
        None => say::not_registered(domain).evidence(answered),
    })
}

/// A resolver's NXDOMAIN for a top-level domain that the Public Suffix List has.
fn denies_the_top<'a>(facts: &Facts<'a>) -> Option<&'a Lookup> {
    let top = facts.domain.registrable.parents().last()?;
    let exists = psl::suffix(top.as_str().as_bytes()).is_some_and(|suffix| suffix.is_known());
    let mut asked = facts.seen.lookups.iter().filter(|it| it.question.name == top);
    asked.find(|it| exists && it.reply().is_some_and(Reply::is_nxdomain))
}

/// The name servers that the zone itself lists.
fn served<'a>(facts: &Facts<'a>) -> (BTreeSet<DnsName>, Vec<&'a Lookup>) {
    let zone = facts.zone_asked();
    let lookups = facts.seen.source(zone, NS).filter(|lookup| lookup.reply().is_some_and(|reply| reply.authoritative));
    let lookups: Vec<&Lookup> = lookups.collect();
    let records = lookups.iter().flat_map(|it| it.at(zone));
    (records.filter_map(|it| it.data.name_server().cloned()).collect(), lookups)
}

pub fn mismatch(facts: &Facts<'_>) -> Option<Finding> {
    let (served, lookups) = served(facts);
    let delegated: BTreeSet<DnsName> = facts.seen.delegated.iter().cloned().collect();
    let differ = !served.is_empty() && !delegated.is_empty() && served != delegated;
    let referral = facts.seen.parents(facts.zone(), NS);
    // With a common server the zone is the same at both, and what is wrong with a record there comes first.
    let [old, new] = [&delegated, &served].map(|hosts| list(hosts.iter().map(shown)));
    let finding = say::ns_mismatch(old, new, facts.zone(), facts.record()).fail_if(served.is_disjoint(&delegated));
    differ.then(|| finding.evidence(referral.chain(lookups)))
}

/// A name server within the zone whose address the registrar has otherwise than the zone itself. `matters`: no
/// server answers for the zone.
pub(super) fn glue(facts: &Facts<'_>, matters: bool) -> Option<Finding> {
    let zone = facts.zone();
    let of_parent = || facts.seen.parents(zone, NS);
    let glue: Vec<&Record> = of_parent().filter_map(Lookup::reply).flat_map(|reply| &reply.additionals).collect();
    facts.seen.delegated.iter().filter(|host| host.is_within(zone)).find_map(|host| {
        let listed = glue.iter().filter(|it| it.owner == *host).filter_map(|it| it.data.address());
        let listed: BTreeSet<IpAddr> = listed.filter(IpAddr::is_ipv4).collect();
        let lookups: Vec<&Lookup> = facts.seen.resolvers(host, A).filter(|it| it.answer().is_some()).collect();
        let own: BTreeSet<IpAddr> = lookups.iter().filter_map(|it| it.reply()).flat_map(Reply::addresses).collect();
        let differ = !listed.is_empty() && !own.is_empty() && listed.is_disjoint(&own);
        let finding = say::glue_differs(list(listed), shown(host), list(own)).fail_if(matters);
        differ.then(|| finding.evidence(of_parent().chain(lookups)))
    })
}

/// A name server that the registrar lists, and that resolvers do not find by its name. `matters`: no server answers.
pub(super) fn unfound(facts: &Facts<'_>, matters: bool) -> Option<Finding> {
    let zone = facts.zone();
    let referral = || facts.seen.parents(zone, NS);
    let lacks_glue = |host: &DnsName| {
        let lists = |reply: &&Reply| {
            let mut records = reply.authorities.iter().chain(&reply.answers);
            records.any(|it| it.data.name_server() == Some(host))
        };
        let mut replies = referral().filter_map(Lookup::reply).filter(lists).peekable();
        let is_own = |it: &Record| it.owner == *host;
        replies.peek().is_some() && !replies.any(|reply| reply.additionals.iter().any(is_own))
    };
    facts.seen.delegated.iter().find_map(|host| {
        let asked: Vec<&Lookup> = facts.seen.resolvers(host, A).collect();
        let mut replies = asked.iter().filter_map(|it| it.reply()).peekable();
        replies.peek()?;
        let has_address = replies.clone().any(|reply| reply.addresses().next().is_some());
        let denied = replies.clone().all(Reply::is_nxdomain);
        let finding = match replies.find_map(|reply| reply.cnames(host).next()) {
            Some((target, _)) => say::server_is_cname(shown(host), shown(target), zone),
            None if !has_address && host.is_within(zone) && lacks_glue(host) => say::no_glue(shown(host), zone),
            None if denied => say::unknown_server(shown(host), zone),
            None => return None,
        };
        Some(finding.fail_if(matters).evidence(asked.into_iter().chain(referral())))
    })
}

/// What each name server answered about the name; about the zone if it was silent then already.
fn heard<'a>(facts: &Facts<'a>) -> Vec<&'a Lookup> {
    let zone = facts.zone_asked();
    let mut heard: Vec<&Lookup> = facts.seen.source(facts.name(), CNAME).collect();
    for lookup in facts.seen.source(zone, SOA).filter(|it| it.outcome.is_err()) {
        if !heard.iter().any(|known| known.server == lookup.server) {
            heard.push(lookup);
        }
    }
    heard
}

/// No name server of the zone answers anybody, although this network lets questions through.
pub(super) fn silent(facts: &Facts<'_>) -> Option<Finding> {
    use NoReply::{Closed, Timeout, Unreachable};
    let heard = heard(facts);
    let is_silent = |it: &&Lookup| matches!(it.outcome, Err(Timeout | Closed | Unreachable));
    let works = facts.seen.lookups.iter().any(|it| it.server.role.is_resolver() && it.answer().is_some());
    let why = |it: &&Lookup| Some(format!("{}: {}", it.server.label(), it.outcome.as_ref().err()?));
    let finding = say::name_servers_silent(list(heard.iter().filter_map(why)), facts.zone());
    (works && !heard.is_empty() && heard.iter().all(is_silent)).then(|| finding.evidence(heard))
}

/// Delegated servers that do not serve the zone.
pub fn lame(facts: &Facts<'_>, failing: bool) -> Option<Finding> {
    let asked = heard(facts);
    let why = |lookup: &Lookup| match lookup.answer() {
        None => lookup.failure(),
        Some(reply) if !reply.speaks() => Some("an answer without authority".to_owned()),
        // A referral upwards, or sideways, is how some servers say that they have nothing.
        Some(reply) if reply.is_referral() && !refers_down(facts, reply) => Some("a referral elsewhere".to_owned()),
        Some(_) => None,
    };
    let lame: Vec<(&Lookup, String)> = asked.iter().filter_map(|it| Some((*it, why(it)?))).collect();
    // A server that fails has the zone; the resolvers, which fail with it, report why.
    let all_fail =
        lame.len() == asked.len() && lame.iter().all(|(lookup, _)| lookup.reply().is_some_and(Reply::is_servfail));
    if lame.is_empty() || all_fail && failing {
        return None;
    }
    let zone = facts.zone();
    let list = list(lame.iter().map(|(lookup, why)| format!("{}: {why}", lookup.server.label())));
    let silent = lame.iter().all(|(lookup, _)| lookup.reply().is_none());
    let finding = match lame.len() == asked.len() {
        false => say::lame_one(list, zone),
        true if all_fail => say::all_fail(list),
        // Others reach them; this machine does not.
        true if silent && !failing => say::unreachable_servers(list),
        true => say::lame_all(list, zone),
    };
    Some(finding.evidence(lame.iter().map(|(lookup, _)| *lookup)))
}

fn refers_down(facts: &Facts<'_>, reply: &Reply) -> bool {
    reply.authorities.iter().any(|record| {
        matches!(record.data, Data::Ns(_))
            && facts.name().is_within(&record.owner)
            && facts.seen.zone.as_ref().is_some_and(|zone| record.owner.is_within(zone) && record.owner != *zone)
    })
}

pub(super) fn secondaries(facts: &Facts<'_>) -> Option<Finding> {
    let behind = behind(facts);
    if behind.is_empty() {
        return None;
    }
    let all = serials(facts);
    let serials = list(all.iter().map(|(lookup, serial)| format!("{} has serial {serial}", lookup.server.name)));
    let names = names(&behind);
    let numbers: BTreeSet<u32> = all.iter().map(|(_, serial)| *serial).collect();
    // A secondary asks after `refresh`, and if that failed again after `retry` (RFC 1035 section 3.3.13).
    let soas = all.iter().filter_map(|(lookup, _)| lookup.reply()).flat_map(|reply| &reply.answers);
    let bound = soas.filter_map(|record| match record.data {
        Data::Soa { refresh, retry, .. } => Some(SignedDuration::from_secs(i64::from(refresh) + i64::from(retry))),
        _ => None,
    });
    let bound = bound.max().unwrap_or(SECONDARY_WAIT).min(PROPAGATION);
    // Without a word of the operator, it counts from the first check that saw the new zone.
    let seen = facts.caches().now.as_ref().map(|now| now.first);
    let changed = facts.reported.saved.or(seen).unwrap_or(facts.now);
    let finding = if numbers.len() == 1 && all.len() > 1 {
        // No update is pending: the same version of the zone has two contents.
        say::same_serial(names, serials)
    } else {
        let serials = if serials.is_empty() { serials } else { format!(" ({serials})") };
        let has = list(behind.iter().flat_map(|server| answer(facts, server)).map(Data::words));
        let instead = if has.is_empty() { String::new() } else { format!(", but still {has}") };
        let is_right = behind.iter().any(|server| is_right(facts, &answer(facts, server)));
        let seen = match is_right {
            true => format!("{names} still has {has}, from an older version of the zone{serials}"),
            false => format!("{names} does not have the record yet{instead}{serials}"),
        };
        let longest = duration(bound);
        match facts.since(changed) > bound {
            true => say::secondary_late(names, longest),
            false => say::secondary_behind(longest).until(changed.checked_add(bound).ok()),
        }
        .seen(seen)
    };
    let lookups = all.iter().map(|(lookup, _)| *lookup);
    Some(finding.expected("the same zone at every server").evidence(lookups))
}
