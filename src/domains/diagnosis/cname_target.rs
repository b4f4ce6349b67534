//! The value of a CNAME that is not the one of the dashboard: what kind of mistake it is.

use std::collections::HashMap;

use strsim::osa_distance;

use super::super::observation::RecordType::{A, CNAME};
use super::super::observation::{Data, Reply};
use super::super::{Code, DnsName, Finding, Verdict, Who};
use super::authoritative::Authoritative;
use super::{Case, words};

/// The finding on a CNAME to `target`, where `expected` should be.
pub fn wrong(case: &Case<'_>, source: &Authoritative<'_>, target: &DnsName, ttl: u32, expected: &DnsName) -> Finding {
    let name = &case.domain.name;
    let label = case.label();
    let change = format!("at your DNS provider change the value of the CNAME {label} to {expected}");
    let then = format!("Then: up to {} (the TTL of the old value).", words::ttl(ttl));
    let (code, verdict, seen, fix) = match classify(case, target, expected) {
        Mistake::Url => (
            Code::DnsValueUrl,
            Verdict::Fail,
            format!("{name} has CNAME {}", shown(target)),
            format!("{change}: only the host name, without https:// and without a path. {then}"),
        ),
        Mistake::Doubled => (
            Code::DnsValueDoubled,
            Verdict::Fail,
            format!("{name} has CNAME {}", shown(target)),
            format!("{change}. (with a dot at its end), or use the provider's switch for full names. {then}"),
        ),
        Mistake::Loop(circle) => (
            Code::DnsLoop,
            Verdict::Fail,
            circle.iter().map(shown).collect::<Vec<_>>().join(" -> "),
            format!("{change}. {then}"),
        ),
        Mistake::Chain(chain) => {
            let works = case.seen.handshakes.iter().any(|handshake| {
                handshake.outcome.as_ref().is_ok_and(|presented| presented.trust.is_ok())
                    && handshake.leaf().is_some_and(|leaf| leaf.covers(name.as_str()))
            });
            (
                Code::DnsChain,
                // A certificate proves that the platform took it; without one the dashboard compares the value.
                if works { Verdict::Warn } else { Verdict::Fail },
                chain.iter().map(shown).collect::<Vec<_>>().join(" -> "),
                format!("{change}, straight. {then}"),
            )
        }
        Mistake::Typing(difference) => (
            Code::DnsNearMiss,
            Verdict::Fail,
            format!("{name} has CNAME {}, which does not exist: {difference}", shown(target)),
            format!("{change}. {then}"),
        ),
        Mistake::Gone => (
            Code::DnsTargetGone,
            Verdict::Fail,
            format!("{name} has CNAME {}, which does not exist", shown(target)),
            format!("{change}; until then whoever is given that host gets your visitors. {then}"),
        ),
        Mistake::Other => (
            Code::DnsWrongTarget,
            Verdict::Fail,
            format!("{name} has CNAME {}", shown(target)),
            format!("{change}. {then}"),
        ),
    };
    Finding::new(code, verdict, Who::DnsProvider).seen(seen).expected(format!("CNAME {expected}")).fix(fix).evidence(
        source
            .evidence(&[CNAME])
            .into_iter()
            .chain(case.seen.asked(target, CNAME).chain(case.seen.asked(target, A)).map(|l| l.evidence())),
    )
}

/// Values are as hostile as names can be, but hold no more than visible ASCII; a value is worth seeing whole.
pub fn shown(name: &DnsName) -> String {
    crate::model::text::cut(&crate::model::display_safe(&name.to_string()), 80)
}

enum Mistake {
    Url,
    Doubled,
    Loop(Vec<DnsName>),
    Chain(Vec<DnsName>),
    Typing(String),
    Gone,
    Other,
}

fn classify(case: &Case<'_>, target: &DnsName, expected: &DnsName) -> Mistake {
    let text = target.as_str();
    if text.starts_with("http:") || text.starts_with("https:") || text.contains('/') {
        return Mistake::Url;
    }
    let zones = [case.zone(), &case.domain.registrable];
    if zones.iter().any(|zone| *target == expected.followed_by(zone)) {
        return Mistake::Doubled;
    }
    let (chain, circle) = follow(case, target);
    if circle {
        return Mistake::Loop(chain);
    }
    if chain.contains(expected) {
        return Mistake::Chain(chain);
    }
    let kinds = [CNAME, A];
    let mut replies = kinds.iter().flat_map(|kind| case.seen.asked(target, *kind)).filter_map(|lookup| lookup.reply());
    if !replies.any(Reply::is_nxdomain) {
        return Mistake::Other;
    }
    match difference(target.as_str(), expected.as_str()) {
        Some(difference) => Mistake::Typing(difference),
        None => Mistake::Gone,
    }
}

/// The names from the domain over `target` on, as far as CNAMEs are known; and whether they end in a circle.
fn follow(case: &Case<'_>, target: &DnsName) -> (Vec<DnsName>, bool) {
    let mut next: HashMap<&DnsName, &DnsName> = HashMap::new();
    for record in case.seen.lookups.iter().filter_map(|lookup| lookup.reply()).flat_map(|reply| &reply.answers) {
        if let Data::Cname(to) = &record.data
            && record.owner != case.domain.name
        {
            next.insert(&record.owner, to);
        }
    }
    let mut chain = vec![case.domain.name.clone(), target.clone()];
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
