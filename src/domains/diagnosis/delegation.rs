//! The name servers of the zone: as the registrar lists them, as the zone does, and whether they serve it.

use std::collections::BTreeSet;

use jiff::SignedDuration;

use crate::model::text::short;

use super::super::observation::RecordType::{CNAME, NS, SOA};
use super::super::observation::{Data, Lookup, Reply, ResponseCode, Role, code_name};
use super::super::{Code, DnsName, Finding, Verdict, Who};
use super::advice::record_to_add;
use super::authoritative::{self, invents, serials};
use super::cname_target::shown;
use super::{Case, words};

/// How long a secondary may be behind before it is worth a warning.
const SECONDARY_WAIT: SignedDuration = SignedDuration::from_hours(1);

pub(super) fn not_delegated(case: &Case<'_>) -> Option<Finding> {
    let domain = &case.domain.registrable;
    // A server that has records below it disproves those that deny it.
    let exists = |lookup: &Lookup| {
        lookup.question.name.is_within(domain)
            && lookup.reply().is_some_and(|reply| reply.answers.iter().any(|record| record.owner.is_within(domain)))
            && !invents(case, lookup)
    };
    if case.seen.lookups.iter().any(exists) {
        return None;
    }
    let about = |lookup: &&Lookup| lookup.question.name == *domain && matches!(lookup.question.kind, NS | SOA);
    let denies = |reply: &Reply| reply.is_nxdomain() && reply.negative().is_none_or(|(owner, _)| owner != domain);
    let asked = || case.seen.lookups.iter().filter(about);
    let parents = asked().filter(|lookup| lookup.server.role == Role::Parent && lookup.reply().is_some());
    let mut answered: Vec<&Lookup> = parents.collect();
    if answered.is_empty() {
        answered = asked().filter(|lookup| lookup.answer().is_some()).collect();
    }
    if answered.is_empty() || !answered.iter().all(|lookup| lookup.reply().is_some_and(denies)) {
        return None;
    }
    if let Some(denied) = denies_the_top(case) {
        return Some(
            Finding::unknown(Code::Offline, Who::ThisMachine)
                .title("The DNS of this network is unusable")
                .seen(format!("it reports that even {} does not exist", denied.question.name))
                .fix("test from another network, or name a resolver that this one allows, with --resolver")
                .evidence([denied]),
        );
    }
    Some(
        Finding::fail(Code::NotDelegated, Who::Registrar)
            .seen(format!("the registry does not know {domain}"))
            .fix(format!("at your registrar, register or renew {domain}; check the spelling"))
            .evidence(answered),
    )
}

/// A resolver's NXDOMAIN for a top-level domain that the Public Suffix List has.
fn denies_the_top<'a>(case: &Case<'a>) -> Option<&'a Lookup> {
    let top = case.domain.registrable.parents().last()?;
    let exists = psl::suffix(top.as_str().as_bytes()).is_some_and(|suffix| suffix.is_known());
    let mut asked = case.seen.lookups.iter().filter(|lookup| lookup.question.name == top);
    asked.find(|lookup| exists && lookup.reply().is_some_and(Reply::is_nxdomain))
}

/// The name servers that the zone itself lists.
fn served<'a>(case: &Case<'a>) -> (BTreeSet<DnsName>, Vec<&'a Lookup>) {
    let Some(zone) = &case.seen.zone else { return (BTreeSet::new(), Vec::new()) };
    let lookups = case.seen.asked(zone, NS).filter(|lookup| lookup.server.role == Role::Authoritative);
    let lookups: Vec<&Lookup> =
        lookups.filter(|lookup| lookup.reply().is_some_and(|reply| reply.authoritative)).collect();
    let records = lookups.iter().filter_map(|lookup| lookup.reply()).flat_map(|reply| reply.at(zone));
    (records.filter_map(|record| record.data.name_server().cloned()).collect(), lookups)
}

pub fn mismatch(case: &Case<'_>, record: &[Finding]) -> Option<Finding> {
    let (served, lookups) = served(case);
    let delegated: BTreeSet<DnsName> = case.seen.delegated.iter().cloned().collect();
    if served.is_empty() || delegated.is_empty() || served == delegated {
        return None;
    }
    let fine = record.iter().all(|finding| finding.verdict != Verdict::Fail);
    let referral = case.seen.asked(case.zone(), NS).filter(|lookup| lookup.server.role == Role::Parent);
    // With a common server and the right record on each, only the lists differ.
    let verdict = if fine && !served.is_disjoint(&delegated) { Verdict::Warn } else { Verdict::Fail };
    Some(
        Finding::new(Code::NsMismatch, verdict, Who::Registrar)
            .seen(format!("the registrar lists {}", words::list(delegated.iter().map(shown))))
            .expected(format!("{}, as the zone itself lists", words::list(served.iter().map(shown))))
            .fix(format!(
                "to keep the zone at {new}, set the name servers of {} to these at your registrar. To keep it at {old}, add {} there. Then wait up to 48 h until the delegation is updated everywhere",
                case.zone(),
                record_to_add(case),
                new = words::list(served.iter().map(shown)),
                old = words::list(delegated.iter().map(shown)),
            ))
            .evidence(referral.chain(lookups)),
    )
}

/// Delegated servers that do not serve the zone.
pub fn lame(case: &Case<'_>, failing: bool) -> Option<Finding> {
    let asked: Vec<&Lookup> = case.seen.source(&case.domain.name, CNAME).collect();
    let why = |lookup: &Lookup| match &lookup.outcome {
        Err(why) => Some(why.to_string()),
        Ok(reply) if !reply.is_answer() => Some(code_name(reply.code).to_owned()),
        Ok(reply) if !reply.authoritative && !reply.is_referral() => Some("an answer without authority".to_owned()),
        // A referral upwards, or sideways, is how some servers say that they have nothing.
        Ok(reply) if reply.is_referral() && !refers_down(case, reply) => Some("a referral elsewhere".to_owned()),
        Ok(_) => None,
    };
    let lame: Vec<(&Lookup, String)> = asked.iter().filter_map(|lookup| Some((*lookup, why(lookup)?))).collect();
    let silent = lame.iter().all(|(lookup, _)| lookup.reply().is_none());
    // A server that fails has the zone; the resolvers, which fail with it, report why.
    let fails = |lookup: &Lookup| lookup.reply().is_some_and(|reply| reply.code == ResponseCode::ServFail);
    let all_fail = lame.len() == asked.len() && lame.iter().all(|(lookup, _)| fails(lookup));
    if lame.is_empty() || all_fail && failing {
        return None;
    }
    let zone = case.zone();
    let list = words::list(lame.iter().map(|(lookup, why)| format!("{}: {why}", lookup.server.label())));
    let finding = if lame.len() < asked.len() {
        Finding::warn(Code::LameOne, Who::DnsProvider)
            .seen(list)
            .expected(format!("every name server of {zone} answers with authority"))
            .fix(format!("at your DNS provider, set up {zone} on that server, or remove the server at the registrar"))
    } else if all_fail {
        Finding::fail(Code::ServfailAll, Who::DnsProvider)
            .seen(format!("{list}; resolvers still answer from their caches"))
            .fix("open a ticket at your DNS provider, with the evidence: the domain stops working once the caches expire")
    } else if silent && !failing {
        // Others reach them; this machine does not.
        Finding::unknown(Code::Offline, Who::ThisMachine)
            .title("The name servers cannot be reached from here")
            .seen(list)
            .fix("this network seems to block port 53 to other servers; the domain was judged by the resolvers")
    } else {
        Finding::fail(Code::LameAll, Who::DnsProvider)
            .seen(list)
            .expected(format!("the name servers of {zone} answer with authority"))
            .fix(format!(
                "at your DNS provider, set up the zone {zone}, or list the servers that have it at the registrar"
            ))
    };
    Some(finding.evidence(lame.iter().map(|(lookup, _)| *lookup)))
}

fn refers_down(case: &Case<'_>, reply: &Reply) -> bool {
    reply.authorities.iter().any(|record| {
        matches!(record.data, Data::Ns(_))
            && case.domain.name.is_within(&record.owner)
            && case.seen.zone.as_ref().is_some_and(|zone| record.owner.is_within(zone) && record.owner != *zone)
    })
}

pub(super) fn secondaries(case: &Case<'_>) -> Option<Finding> {
    let behind = authoritative::behind(case);
    if behind.is_empty() {
        return None;
    }
    let all = serials(case);
    let serials = words::list(all.iter().map(|(lookup, serial)| format!("{} has serial {serial}", lookup.server.name)));
    let names = words::list(behind.iter().map(|name| short(name)));
    let numbers: BTreeSet<u32> = all.iter().map(|(_, serial)| *serial).collect();
    let late = case.reported.saved.is_some_and(|saved| case.since(saved) > SECONDARY_WAIT);
    let finding = Finding::warn(Code::SecondaryBehind, Who::DnsProvider);
    let finding = if numbers.len() == 1 && all.len() > 1 {
        // No update is pending: the same version of the zone has two contents.
        finding
            .title("The name servers disagree about the same version of the zone")
            .seen(format!("{names} has another record at the same serial ({serials})"))
            .fix(format!(
                "at your DNS provider, enter the record at {names}, too, or ask why it does not copy the zone"
            ))
    } else {
        let serials = if serials.is_empty() { serials } else { format!(" ({serials})") };
        let finding = finding.seen(format!("{names} does not have the record yet{serials}"));
        if late {
            finding.fix(format!("ask your DNS provider why {names} has been behind for more than an hour"))
        } else {
            Finding { verdict: Verdict::Wait, ..finding }.fix("wait; this usually takes minutes")
        }
    };
    let evidence = all.iter().map(|(lookup, _)| *lookup);
    Some(finding.expected("the same zone at every server").evidence(evidence))
}
