//! DNSSEC by plain questions, without cryptography: the dates of signatures at each name server, and whether the parent
//! lists a key that the zone has (catalogue, section 2.3).

use super::facts::Facts;
use super::prelude::*;

/// The algorithms that resolvers validate (RFC 8624 section 3.1); a zone with only others is unsigned to them.
const VALIDATED: [u8; 8] = [5, 7, 8, 10, 13, 14, 15, 16];

/// What is wrong with the signatures or keys of the zone, as its servers and its parent show it. `failing`: a resolver
/// rejects the answers.
pub(super) fn finding(facts: &Facts<'_>, failing: bool) -> Option<Finding> {
    let zone = facts.zone_asked();
    let answered = |it: &&Lookup| it.answer().is_some();
    let mut listed: Vec<&Lookup> = facts.seen.parents(zone, DS).filter(answered).collect();
    if listed.is_empty() {
        // Resolvers may have an old one cached, but nothing else is known.
        listed = facts.seen.asked(zone, DS).filter(answered).collect();
    }
    let mut trusted = keys(zone, &listed);
    trusted.retain(|key| VALIDATED.contains(&key.algorithm));
    if trusted.is_empty() {
        // Nobody validates a zone that its parent does not list as signed, in a way that resolvers know.
        return None;
    }
    let zones_own: Vec<&Lookup> = facts.seen.source(zone, DNSKEY).filter(answered).collect();
    let own = keys(zone, &zones_own);
    if !zones_own.is_empty() && !trusted.iter().any(|key| own.contains(key)) {
        return Some(unknown_key(facts, zone, &trusted, &own).evidence(listed.into_iter().chain(zones_own)));
    }
    wrong_dates(facts, zone, failing)
}

fn keys(zone: &DnsName, lookups: &[&Lookup]) -> Vec<KeyId> {
    let records = lookups.iter().flat_map(|it| it.at(zone));
    let keys = records.filter_map(|record| match record.data {
        Data::Ds(key) | Data::Dnskey(key) => Some(key),
        _ => None,
    });
    keys.collect()
}

fn unknown_key(facts: &Facts<'_>, zone: &DnsName, trusted: &[KeyId], own: &[KeyId]) -> Finding {
    let tags = |keys: &[KeyId]| list(keys.iter().map(|key| key.tag));
    let own_tags = tags(own);
    let keep = "Or, to keep DNSSEC, replace it by the DS record that your DNS provider shows for key";
    let (has, then) = match own {
        [] => ("the zone is not signed".to_owned(), "Sign the zone first if you want DNSSEC".to_owned()),
        _ => (format!("the zone has {own_tags}"), format!("{keep} {own_tags}")),
    };
    say::other_key(zone, tags(trusted), has, facts.zone(), then)
}

/// What is wrong with the dates of a server's signatures of the SOA record, of which one valid is enough; empty if it has
/// none.
fn dates_of(lookup: &Lookup, now: Timestamp) -> Option<String> {
    let dates = lookup.answer()?.at(&lookup.question.name).filter_map(|record| match record.data {
        Data::Rrsig { covers: SOA, begins, expires } => Some((begins, expires)),
        _ => None,
    });
    let dates: Vec<(Timestamp, Timestamp)> = dates.collect();
    let expired = dates.iter().map(|(_, expires)| *expires).filter(|expires| *expires < now).max();
    let expired = expired.map(|when| format!("expired on {}", moment(when)));
    let begins = || Some(format!("begin on {}", moment(dates.iter().map(|(begins, _)| *begins).min()?)));
    let is_valid = dates.iter().any(|(begins, expires)| (*begins..=*expires).contains(&now));
    (!is_valid).then(|| expired.or_else(begins).unwrap_or_default())
}

fn wrong_dates(facts: &Facts<'_>, zone: &DnsName, failing: bool) -> Option<Finding> {
    let asked: Vec<&Lookup> = facts.seen.source(zone, SOA).filter(|it| it.answer().is_some()).collect();
    let wrong = asked.iter().filter_map(|it| Some((*it, dates_of(it, facts.now)?)));
    let (missing, wrong): (Vec<_>, Vec<_>) = wrong.partition(|(_, dates)| dates.is_empty());
    let names = |of: &[(&Lookup, String)]| names(of.iter().map(|(lookup, _)| &lookup.server.name));
    if !missing.is_empty() {
        let unsigned = || say::unsigned(zone, names(&missing)).evidence(missing.iter().map(|(lookup, _)| *lookup));
        return (missing.len() < asked.len()).then(unsigned);
    }
    let (_, dates) = wrong.first()?;
    let clock = if failing { "" } else { ". If resolvers still validate the answers, set the clock of this machine" };
    let finding = match wrong.len() == asked.len() {
        true => say::wrong_dates(zone, dates, names(&wrong), clock),
        false => say::wrong_dates_at_one(zone, names(&wrong), dates),
    };
    let finding = finding.fail_if(failing).expected("signatures that are valid now");
    Some(finding.evidence(wrong.iter().map(|(lookup, _)| *lookup)))
}
