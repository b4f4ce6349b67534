//! Name servers and resolvers as a whole (catalogue, section 2.3).

use jiff::SignedDuration;

use crate::model::text::short;

use super::super::caches::Promise;
use super::super::catalogue::{Mark, say};
use super::super::observation::RecordType::{A, DNSKEY};
use super::super::observation::{Lookup, Reply, ResponseCode, Role, TYPES, code_name};
use super::super::{Code, DnsName, Finding, Verdict, Who};
use super::authoritative::{Authoritative, invents};
use super::{Case, delegation, dnssec, propagation, words};

/// How long resolvers may cache that they failed (RFC 9520 section 3.2).
const FAILURE_CACHED: SignedDuration = SignedDuration::from_mins(5);

/// No key of the zone is that of its DS record (RFC 8914 section 4.10).
const DNSKEY_MISSING: u16 = 9;

/// The findings on servers; `Err` if nothing else is known, or the domain does not exist: all others would only be
/// consequences. `record`: the findings on the record.
pub fn findings(case: &Case<'_>, source: &Authoritative<'_>, record: &[Finding]) -> Result<Vec<Finding>, Finding> {
    let resolvers: Vec<&Lookup> = case.resolvers(A).collect();
    let unheard = resolvers.iter().all(|lookup| no_answer(lookup).is_some());
    let right = record.iter().any(|finding| finding.code.is(Mark::Leads))
        && record.iter().all(|finding| finding.verdict != Verdict::Fail);
    // Nothing is right that no resolver leads to.
    if unheard && (source.lookups.is_empty() || right && dead_platform(case).is_none()) {
        return Err(delegation::silent(case).unwrap_or_else(|| offline(case, &resolvers)));
    }
    if let Some(not_delegated) = delegation::not_delegated(case) {
        return Err(not_delegated);
    }
    let failing = source.lookups.is_empty();
    let lame = delegation::lame(case, failing);
    let none = failing && resolvers.iter().all(|lookup| lookup.answer().is_none())
        || lame.iter().any(|finding| matches!(finding.code, Code::LameAll | Code::NsSilent));
    // A wrong address explains why no server answers.
    let unfound = delegation::glue(case, none).or_else(|| delegation::unfound(case, none));
    let mut findings: Vec<Finding> = unfound.into_iter().chain(delegation::mismatch(case)).chain(lame).collect();
    let rejected = rejected(case, &resolvers);
    let cached = || propagation::old_ds(case, &self::failing(case, &resolvers));
    let of_keys = dnssec::finding(case, rejected.is_some()).or_else(cached).or_else(|| kept_failure(case));
    findings.extend(of_keys.or(rejected));
    findings.extend(none_succeeds(case, source, &resolvers));
    findings.extend(delegation::secondaries(case));
    findings.extend(only_here(case, source));
    let disagreement = propagation::disagreement(case, source, &resolvers);
    // After 48 hours no answer may be old any more, whatever the reason.
    if right && source.authoritative && (disagreement.is_none() || case.is_past_propagation()) {
        findings.extend(propagation::findings(case, source, &resolvers));
    }
    findings.extend(disagreement);
    findings.extend(remarks(case, &resolvers));
    Ok(findings)
}

/// Why a resolver did not answer. SERVFAIL counts as an answer, since the domain may be the reason.
fn no_answer(lookup: &Lookup) -> Option<String> {
    match &lookup.outcome {
        Err(why) => Some(why.to_string()),
        Ok(reply) if reply.is_answer() || fails(reply) => None,
        Ok(reply) => Some(code_name(reply.code).to_owned()),
    }
}

/// The name servers answer this machine otherwise than visitors.
fn only_here(case: &Case<'_>, source: &Authoritative<'_>) -> Option<Finding> {
    let here = source.only_here.as_ref()?;
    let here = if here.is_empty() { "that there is no record" } else { here };
    let name = &case.domain.name;
    let until = case.resolvers(A).filter_map(|lookup| propagation::forgets(name, lookup)).max();
    let left = words::wait(until.unwrap_or(case.now).duration_since(case.now));
    Some(say::own_view(here, left).evidence(TYPES.iter().flat_map(|kind| case.seen.source(name, *kind))))
}

fn offline(case: &Case<'_>, resolvers: &[&Lookup]) -> Finding {
    let silent = resolvers.iter().map(|lookup| {
        let why = lookup.reply().map_or_else(String::new, |reply| format!(" ({})", code_name(reply.code)));
        lookup.server.label() + &why
    });
    let of_others = |lookup: &&Lookup| lookup.server.role.is_resolver() && lookup.answer().is_some();
    let finding = match case.seen.lookups.iter().any(|lookup| of_others(&lookup)) {
        true => say::no_answer_for_it(words::list(silent), case.zone()),
        false => say::offline(words::list(silent)),
    };
    finding.evidence(resolvers.iter().copied())
}

/// Whether the answer is SERVFAIL.
pub fn fails(reply: &Reply) -> bool {
    reply.code == ResponseCode::ServFail
}

/// The resolvers that answer SERVFAIL, without those that only ask old name servers.
fn failing<'a>(case: &Case<'_>, resolvers: &[&'a Lookup]) -> Vec<&'a Lookup> {
    let failing = resolvers.iter().copied().filter(|lookup| lookup.reply().is_some_and(fails));
    failing.filter(|lookup| propagation::not_right(case, lookup).is_empty()).collect()
}

/// The answer that a failing resolver gave without validation.
fn unchecked<'a>(case: &Case<'a>) -> Option<&'a Lookup> {
    case.seen.lookups.iter().find(|lookup| lookup.question.checking_disabled && lookup.answer().is_some())
}

/// Whether the domain is the reason why resolvers fail: all that answer do, or they answer without validation.
pub fn domain_fails(case: &Case<'_>, resolvers: &[&Lookup]) -> bool {
    let failing = failing(case, resolvers).len();
    let answered = resolvers.iter().filter(|lookup| lookup.reply().is_some()).count();
    failing > 0 && (failing == answered || unchecked(case).is_some())
}

/// Resolvers that still reject the answers although the registrar lists no DS record any more, or one that goes with
/// the zone: they may cache the failure. Each with what is promised.
fn remembered_failures<'a>(case: &Case<'a>) -> Vec<(&'a Lookup, Promise)> {
    let resolvers: Vec<&Lookup> = case.resolvers(A).collect();
    let failing = failing(case, &resolvers);
    let is_old = propagation::old_ds(case, &failing).is_some();
    let is_known = unchecked(case).is_some() && dead_platform(case).is_none() && !is_old;
    let listed = propagation::listed_ds(case).filter(|_| is_known);
    let promised = |lookup: &'a Lookup| {
        let (server, records) = (lookup.server.name.clone(), vec![code_name(ResponseCode::ServFail).to_owned()]);
        let earlier = case.earlier.and_then(|earlier| earlier.promised(&server, &records)).cloned();
        let until = lookup.at.checked_add(FAILURE_CACHED).ok()?;
        Some((lookup, earlier.unwrap_or(Promise { server, records, until, several: false, ttl: 0 })))
    };
    let Some((_, listed)) = listed else { return Vec::new() };
    let error = |lookup: &Lookup| Some(lookup.reply()?.extended_error.as_ref()?.0);
    let is_signed = case.seen.source(case.zone_asked(), DNSKEY).any(|lookup| lookup.answer().is_some());
    let is_right_now = is_signed && dnssec::finding(case, true).is_none();
    let remembers = |lookup: &&Lookup| listed.is_empty() || is_right_now && error(lookup) == Some(DNSKEY_MISSING);
    failing.into_iter().filter(remembers).filter_map(promised).collect()
}

/// What to remember of failing resolvers for the next check.
pub fn kept_failures(case: &Case<'_>) -> impl Iterator<Item = Promise> {
    remembered_failures(case).into_iter().map(|(_, promise)| promise)
}

/// The wait for resolvers that cache their failure.
fn kept_failure(case: &Case<'_>) -> Option<Finding> {
    let failing = remembered_failures(case);
    let has_passed = |(lookup, promise): &(&Lookup, Promise)| promise.until <= lookup.at;
    let until = failing.iter().map(|(_, promise)| promise.until).max()?;
    if failing.iter().any(has_passed) {
        return None;
    }
    let labels = words::list(failing.iter().map(|(lookup, _)| lookup.server.label()));
    let (parent, _) = propagation::listed_ds(case)?;
    let left = words::wait(until.duration_since(case.now));
    let evidence = failing.into_iter().map(|(lookup, _)| lookup).chain([parent]);
    Some(say::failure_cached(case.zone(), labels, left).until(until).evidence(evidence))
}

/// Resolvers that reject answers, since there is one without validation.
fn rejected(case: &Case<'_>, resolvers: &[&Lookup]) -> Option<Finding> {
    let failing = failing(case, resolvers);
    let unchecked = unchecked(case).filter(|_| !failing.is_empty())?;
    let reason = failing.iter().filter_map(|lookup| lookup.reply()?.extended_error.as_ref());
    let bogus = reason.clone().find(|(code, _)| matches!(code, 5..=12));
    let why = bogus.or_else(|| reason.clone().next()).map_or_else(String::new, |(code, text)| {
        let text = if text.is_empty() { String::new() } else { format!(": {}", short(text)) };
        format!(" (extended error {code}{text})")
    });
    let (zone, platform) = (case.zone(), dead_platform(case));
    // RFC 8914: 7 and 8 are about the dates of signatures; the others about keys, and the DS record above them.
    let dates = bogus.is_some_and(|(code, _)| matches!(code, 7 | 8));
    let ds = format!("remove the DS record of {zone} at your registrar and wait for its TTL");
    let (title, who, fix) = if let Some(host) = platform {
        let fix = format!("open a ticket at the platform's support: the signatures of {host} are wrong, not yours");
        (Code::DnssecBogus.title(), Who::Platform, fix)
    } else if propagation::listed_ds(case).is_some_and(|(_, listed)| listed.is_empty()) {
        let fix = format!(
            "the registrar lists no DS record for {zone}, so there is none to remove: open a ticket at your DNS provider, with the output of: petstore domains report {}",
            case.domain.name
        );
        (Code::DnssecBogus.title(), Who::DnsProvider, fix)
    } else if dates {
        let fix = format!("ask your DNS provider to sign {zone} again now; if that takes long, {ds}");
        ("The DNSSEC signatures have expired or are not valid yet", Who::DnsProvider, fix)
    } else {
        let fix = format!("{ds}: it belongs to an old provider or another key. Then sign the zone again");
        (Code::DnssecBogus.title(), Who::Registrar, fix)
    };
    Some(
        Finding::fail(Code::DnssecBogus, who)
            .title(title)
            .seen(format!(
                "{} reject{} the answer{why}; without validation there is one",
                words::list(failing.iter().map(|lookup| lookup.server.label())),
                if failing.len() == 1 { "s" } else { "" }
            ))
            .expected("signatures that resolvers can verify")
            .fix(fix)
            .evidence(failing.into_iter().chain([unchecked])),
    )
}

/// The platform's host, if resolvers fail for it, but answer for the zone that points to it.
fn dead_platform<'a>(case: &Case<'a>) -> Option<&'a DnsName> {
    let host = case.value().filter(|host| case.is_dead(host))?;
    let own = |lookup: &Lookup| lookup.server.role.is_resolver() && lookup.question.name.is_within(case.zone());
    case.seen.lookups.iter().any(|lookup| own(lookup) && lookup.answer().is_some()).then_some(host)
}

/// No resolver succeeds: the name servers of the zone fail, or those of what its record leads to.
fn none_succeeds(case: &Case<'_>, source: &Authoritative<'_>, resolvers: &[&Lookup]) -> Option<Finding> {
    let failing = failing(case, resolvers);
    let answered = resolvers.iter().filter(|lookup| lookup.reply().is_some()).count();
    let none = !resolvers.is_empty() && failing.len() == answered;
    if !none || source.authoritative && !source.cut.is_empty() {
        // A delegation of the name itself explains it, and is reported with the record.
        return None;
    }
    let name = &case.domain.name;
    if case.domain.is_apex() && case.seen.source(name, A).any(|lookup| lookup.reply().is_some_and(fails)) {
        // An ALIAS that leads nowhere is reported with the record.
        return None;
    }
    let cnames = source.cnames();
    let target = cnames.first().map(|(target, _)| *target).filter(|_| source.authoritative);
    let finding = match (target.filter(|target| case.is_dead(target)), case.value()) {
        (Some(target), Some(host)) if target == host => say::platform_silent(name, target),
        // The wrong value is the cause, and is reported with the record.
        (Some(_), Some(_)) => return None,
        _ if failing.is_empty() => return None,
        _ => say::none_succeeds(failing.len(), answered, name),
    };
    Some(finding.evidence(resolvers.iter().filter(|lookup| lookup.answer().is_none()).copied()))
}

/// Remarks that are not problems.
fn remarks(case: &Case<'_>, resolvers: &[&Lookup]) -> Vec<Finding> {
    let of_resolver = |lookup: &&Lookup| match no_answer(lookup) {
        Some(why) => Some(say::resolver_down(lookup.server.label(), why).evidence([*lookup])),
        None if invents(case, lookup) => {
            let evidence = case.seen.resolvers(&case.seen.nobody, A);
            Some(say::rewrites(lookup.server.label()).evidence(evidence))
        }
        None => None,
    };
    let without_edns = |lookup: &&Lookup| {
        !matches!(lookup.server.role, Role::Parent | Role::Former)
            && lookup.reply().is_some_and(|reply| reply.without_edns)
    };
    let rejects = case.seen.lookups.iter().find(without_edns);
    let rejects = rejects.map(|lookup| say::edns_broken(lookup.server.label()).evidence([lookup]));
    resolvers.iter().filter_map(of_resolver).chain(rejects).collect()
}
