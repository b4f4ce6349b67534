//! A name without a CNAME: which records it has instead, if any.

use std::net::IpAddr;

use crate::model::text::short;

use super::super::catalogue::say;
use super::super::observation::RecordType::{A, AAAA, CAA, CNAME, HTTPS, MX, TXT};
use super::super::observation::{Data, RecordType, TYPES};
use super::super::{Finding, Verdict};
use super::cname_target::shown;
use super::facts::Authoritative;
use super::{Facts, words};

pub fn findings(facts: &Facts<'_>) -> Vec<Finding> {
    let (v4, v6) = (facts.source().addresses(A), facts.source().addresses(AAAA));
    if v4.is_empty() && v6.is_empty() {
        return vec![if let Some(in_txt) = value_in_txt(facts) {
            in_txt
        } else if facts.source().is_nxdomain() {
            doubled(facts).unwrap_or_else(|| missing(facts))
        } else {
            nothing_useful(facts)
        }];
    }
    if facts.value().is_none() {
        return vec![say::value_unknown(&facts.domain.name, words::list(v4.iter().chain(&v6)))];
    }
    let platform = facts.platform_addresses();
    let ours = |addresses: &[IpAddr]| addresses.iter().all(|address| platform.contains(address));
    let mut findings = Vec::new();
    if !v4.is_empty() {
        findings.push(if ours(&v4) { direct(facts, &v4) } else { blocks(facts, A, &v4) });
    }
    if !ours(&v6) {
        findings.push(blocks(facts, AAAA, &v6));
    } else if v4.is_empty() {
        findings.push(direct(facts, &v6));
    }
    findings
}

/// Addresses of one type, in the place of the CNAME.
fn blocks(facts: &Facts<'_>, kind: RecordType, list: &[IpAddr]) -> Finding {
    let (name, list, record) = (&facts.domain.name, words::list(list), facts.record());
    let (others, ttl) = (others(facts.source(), kind), words::ttl(facts.source().ttl(kind)));
    let say = if kind == A { say::a_blocks } else { say::aaaa_left };
    say(name, list, facts.source().witness(), facts.label(), others, record, ttl)
}

/// What else must be deleted: a CNAME must be the only record.
fn others(source: &Authoritative<'_>, except: RecordType) -> String {
    let others = source.own.iter().filter(|record| {
        let kind = record.data.kind();
        matches!(kind, A | AAAA | TXT | MX | HTTPS | CAA) && kind != except
    });
    let others: Vec<String> = others.map(|record| record.data.words()).collect();
    if others.is_empty() { String::new() } else { format!(" and {}", words::list(others)) }
}

fn direct(facts: &Facts<'_>, addresses: &[IpAddr]) -> Finding {
    say::a_direct(&facts.domain.name, words::list(addresses), facts.record())
}

fn value_in_txt(facts: &Facts<'_>) -> Option<Finding> {
    let expected = facts.value()?;
    let text = facts.source().own.iter().find_map(|record| match &record.data {
        Data::Txt(text) if text.to_ascii_lowercase().contains(expected.as_str()) => Some(text),
        _ => None,
    })?;
    let finding = say::value_in_txt(&facts.domain.name, short(text), facts.record());
    Some(finding.evidence(facts.source().evidence(&[TXT])))
}

/// The name that has the record instead, because the provider added the zone to it.
fn doubled(facts: &Facts<'_>) -> Option<Finding> {
    let found = facts.seen.lookups.iter().find(|lookup| {
        facts.seen.doubled.contains(&lookup.question.name)
            && lookup.reply().is_some_and(|reply| reply.cnames(&lookup.question.name).next().is_some())
    })?;
    let mut targets = found.reply().into_iter().flat_map(|reply| reply.cnames(&found.question.name));
    let is_right = targets.all(|(target, _)| facts.value().is_none_or(|value| value == target));
    let value = facts.value().filter(|_| !is_right);
    let value = value.map_or_else(|| " and keep its value".to_owned(), |value| format!(" and its value to {value}"));
    let place = shown(&found.question.name);
    let finding = say::name_doubled(place, facts.zone(), facts.label(), value, then_forgotten(facts));
    Some(finding.expected(format!("{} {}", facts.domain.name, facts.one_cname())).evidence([found]))
}

fn missing(facts: &Facts<'_>) -> Finding {
    let finding = say::dns_missing(&facts.domain.name, facts.source().witness(), facts.record(), then_forgotten(facts));
    absent(facts, finding).evidence(facts.source().evidence(&[CNAME]))
}

/// How long resolvers cache that there was nothing (RFC 2308).
fn then_forgotten(facts: &Facts<'_>) -> String {
    let name = &facts.domain.name;
    let lookups = facts.seen.asked(name, CNAME).chain(facts.seen.asked(name, A));
    let longest = lookups.filter_map(|lookup| lookup.reply()?.negative()).map(|(_, ttl)| ttl).max();
    longest.map_or_else(String::new, |ttl| {
        format!(". Then wait up to {} for resolvers that already looked it up", words::ttl(ttl))
    })
}

fn nothing_useful(facts: &Facts<'_>) -> Finding {
    let name = &facts.domain.name;
    let list = words::list(facts.source().own.iter().map(|record| record.data.words()));
    let record = facts.record();
    let finding = match list.is_empty() {
        true => say::only_below(name, record),
        false => say::nothing_useful(name, list, record, facts.mail_stops(&facts.source().own)),
    };
    absent(facts, finding).evidence(facts.source().evidence(&TYPES))
}

/// Before the operator saved the record, its absence is only the next step.
fn absent(facts: &Facts<'_>, finding: Finding) -> Finding {
    let verdict = if facts.reported.saved.is_some() { Verdict::Fail } else { Verdict::You };
    Finding { verdict, ..finding }
}
