//! A CNAME with another value than the one from the dashboard: what kind of mistake it is.

use std::collections::HashMap;

use strsim::osa_distance;

use super::{Facts, words};
use crate::domains::RecordType::{A, CNAME};
use crate::domains::{Code, Data, DnsName, Finding, Lookup, Reply, Verdict, Who};

/// The finding on a CNAME to `target`, where `expected` should be.
pub fn wrong(facts: &Facts<'_>, target: &DnsName, ttl: u32, expected: &DnsName) -> Finding {
    let name = facts.name();
    let text = target.as_str();
    let has = format!("{name} has CNAME {}", shown(target));
    let zones = [facts.zone(), &facts.domain.registrable];
    let (chain, circle) = follow(facts, target);
    let way = || chain.iter().map(shown).collect::<Vec<_>>().join(" -> ");
    let known = || facts.seen.asked(target, CNAME).chain(facts.seen.asked(target, A));
    let gone = known().filter_map(Lookup::reply).any(Reply::is_nxdomain);
    let dead = facts.is_dead(target);
    let (code, seen, how) = if text.starts_with("http:") || text.starts_with("https:") || text.contains('/') {
        (Code::DnsValueUrl, has, ": only the host name, without https:// and without a path.")
    } else if zones.iter().any(|zone| *target == expected.followed_by(zone)) {
        (Code::DnsValueDoubled, has, ". (with a dot at its end), or use the provider's option for full names.")
    } else if circle {
        (Code::DnsLoop, way(), ".")
    } else if chain.contains(expected) {
        (Code::DnsChain, way(), " itself.")
    } else if !(gone || dead) {
        (Code::DnsWrongTarget, has, ".")
    } else if let Some(difference) = difference(text, expected.as_str()) {
        let lacks = if gone { "does not exist" } else { "no name server answers for" };
        (Code::DnsNearMiss, format!("{has}, which {lacks}: {difference}"), ".")
    } else if dead {
        (Code::DnsWrongTarget, format!("{has}, which no name server answers for"), ".")
    } else {
        let taken = "; until then, anyone who gets that host name gets your visitors.";
        (Code::DnsTargetGone, format!("{has}, which does not exist"), taken)
    };
    // A certificate proves that the platform took it; without one the dashboard compares the value.
    let works = facts.seen.handshakes.iter().any(|handshake| handshake.good_leaf(name.as_str()).is_some());
    let verdict = if code == Code::DnsChain && works { Verdict::Warn } else { Verdict::Fail };
    Finding::new(code, verdict, Who::DnsProvider)
        .seen(seen)
        .fix(format!(
            "at your DNS provider, change the value of the CNAME {} to {expected}{how} Then wait up to {} (the TTL of the old value).",
            facts.label(),
            words::ttl(ttl)
        ))
        .evidence(facts.source().evidence(&[CNAME]).chain(known()))
}

/// Values are as hostile as names can be, but hold no more than visible ASCII; a value is worth seeing whole.
pub fn shown(name: &DnsName) -> String {
    crate::model::text::cut(&crate::model::display_safe(&name.to_string()), 80)
}

/// The chain of names from the domain through `target`, as far as known; and whether it loops.
fn follow(facts: &Facts<'_>, target: &DnsName) -> (Vec<DnsName>, bool) {
    let mut next: HashMap<&DnsName, &DnsName> = HashMap::new();
    for record in facts.seen.lookups.iter().filter_map(Lookup::reply).flat_map(|reply| &reply.answers) {
        if let Data::Cname(to) = &record.data
            && record.owner != *facts.name()
        {
            next.insert(&record.owner, to);
        }
    }
    let mut chain = vec![facts.name().clone(), target.clone()];
    let mut at = target;
    while chain.len() < 20 {
        if chain[..chain.len() - 1].contains(at) {
            return (chain, true);
        }
        let Some(to) = next.get(at) else { return (chain, false) };
        chain.push((*to).clone());
        at = to;
    }
    (chain, false)
}

/// How a value that is almost right differs.
fn difference(seen: &str, expected: &str) -> Option<String> {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    let same_letters = sorted(seen) == sorted(expected);
    let how = match osa_distance(seen, expected) {
        1 if same_letters => "two letters swapped",
        1 => "one letter differs",
        _ if same_letters => "the same letters in another order",
        2 => "two letters differ",
        _ => return None,
    };
    Some(format!("{how}: {}", differing_label(seen, expected)))
}

/// The first label that is not as it should be.
fn differing_label(seen: &str, expected: &str) -> String {
    let pair = seen.split('.').zip(expected.split('.')).find(|(left, right)| left != right);
    pair.map_or_else(
        || shown(&DnsName::new(seen)),
        |(left, right)| format!("{} for {right}", crate::model::text::short(left)),
    )
}
