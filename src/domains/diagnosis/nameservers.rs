//! Name servers and resolvers as a whole (catalogue, section 2.3).

use super::authoritative::invents;
use super::facts::Facts;
use super::prelude::*;
use super::propagation::{self, forgets, listed_ds, not_right, old_ds};
use super::{delegation, dnssec};

/// How long resolvers may cache that they failed (RFC 9520 section 3.2).
const FAILURE_CACHED: SignedDuration = SignedDuration::from_mins(5);

/// No key of the zone is that of its DS record (RFC 8914 section 4.10).
const DNSKEY_MISSING: u16 = 9;

/// The findings on servers; `Err` if nothing else is known, or the domain does not exist: all others would only be
/// consequences. `record`: the findings on the record.
pub fn findings(facts: &Facts<'_>, record: &[Finding]) -> Result<Vec<Finding>, Box<Finding>> {
    let unheard = facts.resolvers(A).all(|it| no_answer(it).is_some());
    let right = record.iter().any(|it| it.code.is(Mark::Leads)) && record.iter().all(|it| !it.fails());
    let (silent, failing) = (delegation::silent(facts), facts.source().lookups.is_empty());
    // Nothing is right that no resolver leads to.
    if unheard && (failing || right && dead_platform(facts).is_none()) {
        return Err(Box::new(silent.unwrap_or_else(|| offline(facts))));
    }
    if let Some(not_delegated) = delegation::not_delegated(facts) {
        return Err(Box::new(not_delegated));
    }
    let lame = silent.filter(|_| failing).or_else(|| delegation::lame(facts, failing));
    let none = failing && facts.resolvers(A).all(|it| it.answer().is_none())
        || lame.iter().any(|finding| matches!(finding.code, Code::LameAll | Code::NsSilent));
    // A wrong address explains why no server answers.
    let unfound = delegation::glue(facts, none).or_else(|| delegation::unfound(facts, none));
    let rejected = rejected(facts);
    let cached = || old_ds(facts, &self::failing(facts));
    let of_keys = dnssec::finding(facts, rejected.is_some()).or_else(cached).or_else(|| kept_failure(facts));
    let (mismatch, behind) = (delegation::mismatch(facts), delegation::secondaries(facts));
    let found = [unfound, mismatch, lame, of_keys.or(rejected), none_succeeds(facts), behind, only_here(facts)];
    let mut findings: Vec<Finding> = found.into_iter().flatten().collect();
    let disagreement = propagation::disagreement(facts);
    // After 48 hours no answer may be old any more, whatever the reason.
    if right && facts.source().authoritative && (disagreement.is_none() || facts.is_past_propagation()) {
        findings.extend(propagation::findings(facts));
    }
    findings.extend(disagreement);
    findings.extend(remarks(facts));
    Ok(findings)
}

/// Why a resolver did not answer. SERVFAIL counts as an answer, since the domain may be the reason.
fn no_answer(lookup: &Lookup) -> Option<String> {
    lookup.failure().filter(|_| !lookup.reply().is_some_and(Reply::is_servfail))
}

/// The name servers answer this machine otherwise than visitors.
fn only_here(facts: &Facts<'_>) -> Option<Finding> {
    let here = facts.source().only_here.as_ref()?;
    let here = if here.is_empty() { "that there is no record" } else { here };
    let until = facts.resolvers(A).filter_map(|it| forgets(facts.name(), it)).max();
    let left = words::wait(until.unwrap_or(facts.now).duration_since(facts.now));
    Some(say::own_view(here, left).evidence(TYPES.iter().flat_map(|kind| facts.seen.source(facts.name(), *kind))))
}

fn offline(facts: &Facts<'_>) -> Finding {
    let silent = facts.resolvers(A).map(|lookup| {
        let why = lookup.reply().map_or_else(String::new, |reply| format!(" ({})", code_name(reply.code)));
        lookup.server.label() + &why
    });
    let of_others = |it: &&Lookup| it.server.role.is_resolver() && it.answer().is_some();
    let finding = match facts.seen.lookups.iter().any(|it| of_others(&it)) {
        true => say::no_answer_for_it(list(silent), facts.zone()),
        false => say::offline(list(silent)),
    };
    finding.evidence(facts.resolvers(A))
}

/// The resolvers that answer SERVFAIL, without those that only ask old name servers.
fn failing<'a>(facts: &Facts<'a>) -> Vec<&'a Lookup> {
    let failing = facts.resolvers(A).filter(|it| it.reply().is_some_and(Reply::is_servfail));
    failing.filter(|it| not_right(facts, it).is_empty()).collect()
}

/// The answer that a failing resolver gave without validation.
fn unchecked<'a>(facts: &Facts<'a>) -> Option<&'a Lookup> {
    facts.seen.lookups.iter().find(|it| it.question.checking_disabled && it.answer().is_some())
}

/// Whether the domain is the reason why resolvers fail: all that answer do, or they answer without validation.
pub fn domain_fails(facts: &Facts<'_>) -> bool {
    let failing = failing(facts).len();
    let answered = facts.resolvers(A).filter(|it| it.reply().is_some()).count();
    failing > 0 && (failing == answered || unchecked(facts).is_some())
}

/// Resolvers that still reject the answers although the registrar lists no DS record any more, or one that goes with
/// the zone: they may cache the failure. Each with what is promised.
pub fn remembered_failures<'a>(facts: &Facts<'a>) -> Vec<(&'a Lookup, Promise)> {
    let failing = failing(facts);
    let is_old = old_ds(facts, &failing).is_some();
    let is_known = unchecked(facts).is_some() && dead_platform(facts).is_none() && !is_old;
    let listed = listed_ds(facts).filter(|_| is_known);
    let promised = |lookup: &'a Lookup| {
        let (server, records) = (lookup.server.name.clone(), vec![code_name(ResponseCode::ServFail).to_owned()]);
        let earlier = facts.promised(lookup, &records).cloned();
        let until = lookup.at.checked_add(FAILURE_CACHED).ok()?;
        Some((lookup, earlier.unwrap_or(Promise { server, records, until, several: false, ttl: 0 })))
    };
    let Some((_, listed)) = listed else { return Vec::new() };
    let error = |it: &Lookup| Some(it.reply()?.extended_error.as_ref()?.0);
    let is_signed = facts.seen.source(facts.zone_asked(), DNSKEY).any(|it| it.answer().is_some());
    let is_right_now = is_signed && dnssec::finding(facts, true).is_none();
    let remembers = |it: &&Lookup| listed.is_empty() || is_right_now && error(it) == Some(DNSKEY_MISSING);
    failing.into_iter().filter(remembers).filter_map(promised).collect()
}

/// The wait for resolvers that cache their failure.
fn kept_failure(facts: &Facts<'_>) -> Option<Finding> {
    let failing = remembered_failures(facts);
    let has_passed = |(lookup, promise): &(&Lookup, Promise)| promise.until <= lookup.at;
    let until = failing.iter().map(|(_, promise)| promise.until).max();
    let until = until.filter(|_| !failing.iter().any(has_passed))?;
    let labels = list(failing.iter().map(|(lookup, _)| lookup.server.label()));
    let (parent, _) = listed_ds(facts)?;
    let left = words::wait(until.duration_since(facts.now));
    let evidence = failing.into_iter().map(|(lookup, _)| lookup).chain([parent]);
    Some(say::failure_cached(facts.zone(), labels, left).until(until).evidence(evidence))
}

/// Resolvers that reject answers, since there is one without validation.
fn rejected(facts: &Facts<'_>) -> Option<Finding> {
    let failing = failing(facts);
    let unchecked = unchecked(facts).filter(|_| !failing.is_empty())?;
    let reason = failing.iter().filter_map(|it| it.reply()?.extended_error.as_ref());
    let bogus = reason.clone().find(|(code, _)| matches!(code, 5..=12));
    let why = bogus.or_else(|| reason.clone().next()).map_or_else(String::new, error_words);
    let zone = facts.zone();
    // RFC 8914: 7 and 8 are about the dates of signatures; the others about keys, and the DS record above them.
    let finding = match (dead_platform(facts), listed_ds(facts), bogus) {
        (Some(host), ..) => say::platform_rejected(host),
        (_, Some((_, listed)), _) if listed.is_empty() => say::rejected_without_ds(zone, facts.name()),
        (.., Some((7 | 8, _))) => say::rejected_dates(zone),
        _ => say::rejected_key(zone),
    };
    let labels = list(failing.iter().map(|it| it.server.label()));
    let reject = if failing.len() == 1 { "rejects" } else { "reject" };
    let finding = finding.seen(format!("{labels} {reject} the answer{why}; without validation there is one"));
    Some(finding.expected("signatures that resolvers can verify").evidence(failing.into_iter().chain([unchecked])))
}

/// The platform's host, if resolvers fail for it, but answer for the zone that points to it.
fn dead_platform<'a>(facts: &Facts<'a>) -> Option<&'a DnsName> {
    let host = facts.value().filter(|host| facts.is_dead(host))?;
    let own = |it: &Lookup| it.server.role.is_resolver() && it.question.name.is_within(facts.zone());
    facts.seen.lookups.iter().any(|it| own(it) && it.answer().is_some()).then_some(host)
}

/// No resolver succeeds: the name servers of the zone fail, or those of what its record leads to.
fn none_succeeds(facts: &Facts<'_>) -> Option<Finding> {
    let failing = failing(facts);
    let answered = facts.resolvers(A).filter(|it| it.reply().is_some()).count();
    let none = facts.resolvers(A).next().is_some() && failing.len() == answered;
    let name = facts.name();
    // What explains it is reported with the record: a delegation of the name itself, or an ALIAS that leads nowhere.
    let is_cut = facts.source().authoritative && !facts.source().cut.is_empty();
    let source_fails = || facts.seen.source(name, A).any(|it| it.reply().is_some_and(Reply::is_servfail));
    if !none || is_cut || facts.domain.is_apex() && source_fails() {
        return None;
    }
    let cnames = facts.source().cnames();
    let target = cnames.first().map(|(target, _)| *target).filter(|_| facts.source().authoritative);
    let finding = match (target.filter(|target| facts.is_dead(target)), facts.value()) {
        (Some(target), Some(host)) if target == host => say::platform_silent(name, target),
        // The wrong value is the cause, and is reported with the record.
        (Some(_), Some(_)) => return None,
        _ if failing.is_empty() => return None,
        _ => say::none_succeeds(failing.len(), answered, name),
    };
    Some(finding.evidence(facts.resolvers(A).filter(|it| it.answer().is_none())))
}

/// Remarks that are not problems.
fn remarks(facts: &Facts<'_>) -> Vec<Finding> {
    let of_resolver = |lookup: &Lookup| match no_answer(lookup) {
        Some(why) => Some(say::resolver_down(lookup.server.label(), why).evidence([lookup])),
        None if invents(facts, lookup) => {
            let evidence = facts.seen.resolvers(&facts.seen.nobody, A);
            Some(say::rewrites(lookup.server.label()).evidence(evidence))
        }
        None => None,
    };
    let without_edns = |lookup: &&Lookup| {
        !matches!(lookup.server.role, Role::Parent | Role::Former)
            && lookup.reply().is_some_and(|reply| reply.without_edns)
    };
    let rejects = facts.seen.lookups.iter().find(without_edns);
    let rejects = rejects.map(|it| say::edns_broken(it.server.label()).evidence([it]));
    facts.resolvers(A).filter_map(of_resolver).chain(rejects).collect()
}
