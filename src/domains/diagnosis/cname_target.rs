//! A CNAME with another value than the one from the dashboard: what kind of mistake it is.

use std::collections::HashMap;
use strsim::osa_distance;

use super::facts::Facts;
use super::prelude::*;

/// The finding on a CNAME to `target`, where `expected` should be.
pub fn wrong(facts: &Facts<'_>, target: &DnsName, ttl: u32, expected: &DnsName) -> Finding {
    let name = facts.name();
    let text = target.as_str();
    let has = format!("{name} has CNAME {}", shown(target));
    let zones = [facts.zone(), &facts.domain.registrable];
    let (chain, circle) = follow(facts, target);
    let way = || chain.iter().map(|host| shown(host)).collect::<Vec<_>>().join(" -> ");
    let known = || facts.seen.asked(target, CNAME).chain(facts.seen.asked(target, A));
    let gone = known().filter_map(Lookup::reply).any(Reply::is_nxdomain);
    let dead = facts.is_dead(target);
    let is_url = text.starts_with("http:") || text.starts_with("https:") || text.contains('/');
    let (code, seen, how) = match difference(text, expected.as_str()) {
        _ if is_url => (Code::DnsValueUrl, has, ": only the host name, without https:// and without a path."),
        _ if zones.iter().any(|zone| *target == expected.followed_by(zone)) => {
            let how = ". (with a dot at its end), or use the provider's option for full names.";
            (Code::DnsValueDoubled, has, how)
        }
        _ if circle => (Code::DnsLoop, way(), "."),
        _ if chain.contains(&expected) => (Code::DnsChain, way(), " itself."),
        _ if !(gone || dead) => (Code::DnsWrongTarget, has, "."),
        Some(difference) => {
            let lacks = if gone { "does not exist" } else { "no name server answers for" };
            (Code::DnsNearMiss, format!("{has}, which {lacks}: {difference}"), ".")
        }
        None if dead => (Code::DnsWrongTarget, format!("{has}, which no name server answers for"), "."),
        None => {
            let taken = "; until then, anyone who gets that host name gets your visitors.";
            (Code::DnsTargetGone, format!("{has}, which does not exist"), taken)
        }
    };
    // A certificate proves that the platform took it; without one the dashboard compares the value.
    let works = facts.seen.handshakes.iter().any(|it| it.good_leaf(name.as_str()).is_some());
    let (label, ttl) = (facts.label(), words::ttl(ttl));
    let verdict = if code == Code::DnsChain && works { Verdict::Warn } else { Verdict::Fail };
    Finding::new(code, verdict, Who::DnsProvider)
        .seen(seen)
        .fix(format!(
            "at your DNS provider, change the value of the CNAME {label} to {expected}{how} Then wait up to {ttl} (the TTL of the old value).",
        ))
        .evidence(facts.source().evidence(&[CNAME]).chain(known()))
}

/// Values are as hostile as names can be, but hold no more than visible ASCII; a value is worth seeing whole.
pub fn shown(name: &DnsName) -> String {
    cut(&display_safe(&name.to_string()), 80)
}

/// The chain of names from the domain through `target`, as far as known; and whether it loops.
fn follow<'a>(facts: &'a Facts<'_>, target: &'a DnsName) -> (Vec<&'a DnsName>, bool) {
    let answers = facts.seen.lookups.iter().filter_map(Lookup::reply).flat_map(|reply| &reply.answers);
    let others = answers.filter(|it| it.owner != *facts.name());
    let next: HashMap<&DnsName, &DnsName> = others.filter_map(|it| Some((&it.owner, it.data.cname()?))).collect();
    let mut chain = vec![facts.name(), target];
    loop {
        let (at, before) = (chain[chain.len() - 1], &chain[..chain.len() - 1]);
        let circle = before.contains(&at);
        match next.get(at) {
            Some(to) if !circle && chain.len() < 20 => chain.push(to),
            _ => return (chain, circle),
        }
    }
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
    match seen.split('.').zip(expected.split('.')).find(|(left, right)| left != right) {
        Some((left, right)) => format!("{} for {right}", short(left)),
        None => shown(&DnsName::new(seen)),
    }
}
