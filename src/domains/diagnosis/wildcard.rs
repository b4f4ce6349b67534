//! Names without their own record: a wildcard, parking or a DNAME above answers for them.

use std::net::IpAddr;

use super::super::catalogue::say;
use super::super::observation::RecordType::{A, CNAME};
use super::super::observation::{Data, Lookup, Reply, Role};
use super::super::{Code, DnsName, Finding};
use super::authoritative::invents;
use super::cname_target::{self, shown};
use super::http::is_parked;
use super::{Facts, words};

/// Name servers of parking services, and of registrars for domains that have expired.
const PARKING_SERVERS: &str = "\
    above.com afternic.com bodis.com cashparking.com dan.com dsredirection.com fabulous.com \
    parkingcrew.net parklogic.com pendingrenewaldeletion.com renewyourname.net sedoparking.com \
    undeveloped.com uniregistrymarket.link voodoo.com";

pub(super) fn dname(facts: &Facts<'_>, above: &DnsName, target: &DnsName) -> Vec<Finding> {
    let (above, target) = (shown(above), shown(target));
    let cnames = facts.source().cnames();
    let leads = facts.value().and_then(|expected| {
        let (made, ttl) = cnames.iter().find(|(made, _)| *made != expected)?;
        let wrong = cname_target::wrong(facts, made, *ttl, expected);
        (wrong.code != Code::DnsChain).then_some(wrong)
    });
    let leads = leads.map(|wrong| {
        wrong.fix(format!("at your DNS provider, remove the DNAME of {above}, or add the CNAME below {target}"))
    });
    leads.into_iter().chain([say::dname(above, target)]).collect()
}

/// Whether a random name gets the same answer.
pub(super) fn is_wildcard(facts: &Facts<'_>) -> bool {
    let sibling = &facts.seen.sibling;
    let lookups = facts.seen.asked(sibling, A).filter(|lookup| {
        if facts.source().authoritative { lookup.server.role == Role::Authoritative } else { !invents(facts, lookup) }
    });
    let of_sibling: Vec<&Data> =
        lookups.filter_map(Lookup::reply).flat_map(|reply| reply.at(sibling)).map(|record| &record.data).collect();
    let leads = |data: &&Data| matches!(data, Data::Cname(_) | Data::A(_));
    let own: Vec<&Data> = facts.source().own.iter().map(|record| &record.data).filter(leads).collect();
    let same = own.iter().all(|data| of_sibling.contains(data)) && of_sibling.iter().all(|data| own.contains(data));
    !own.is_empty() && same
}

pub fn finding(facts: &Facts<'_>) -> Finding {
    let leads = words::list(facts.source().own.iter().map(|record| record.data.words()));
    if let Some(parked) = parked(facts, &leads) {
        return parked;
    }
    if facts.value().is_none() {
        return say::value_unknown(&facts.domain.name, &leads);
    }
    let right = facts.source().own.iter().any(|record| facts.leads(&record.data));
    let (zone, name, record) = (facts.zone(), &facts.domain.name, facts.record());
    let finding = match right {
        true => say::wildcard_ok(zone, leads, name, record),
        false => say::wildcard_wrong(zone, leads, name, record),
    };
    let sibling = facts.seen.asked(&facts.seen.sibling, A);
    finding.evidence(facts.source().evidence(&[CNAME, A]).chain(sibling).take(8))
}

/// Parking answers for every name and the apex with one address, or is known by its servers.
pub(super) fn parked(facts: &Facts<'_>, leads: &str) -> Option<Finding> {
    let served_by_parking = facts
        .seen
        .delegated
        .iter()
        .find(|server| PARKING_SERVERS.split_whitespace().any(|parking| server.is_within(&DnsName::new(parking))));
    let addresses = facts.source().addresses(A);
    if addresses.is_empty() && facts.source().cnames().is_empty() {
        return None;
    }
    let apex = facts.seen.asked(facts.zone(), A).filter_map(Lookup::reply);
    let of_apex: Vec<IpAddr> = apex.flat_map(Reply::addresses).collect();
    let one_address =
        addresses.len() == 1 && !of_apex.is_empty() && of_apex.iter().all(|address| *address == addresses[0]);
    let looks_parked = facts.seen.front.as_ref().and_then(|front| front.last()).is_some_and(is_parked);
    if served_by_parking.is_none() && !(one_address && looks_parked) {
        return None;
    }
    let by = served_by_parking.map_or_else(String::new, |server| format!(", served by {}", shown(server)));
    Some(say::parked(facts.zone(), leads, by, facts.record()))
}
