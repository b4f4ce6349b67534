//! A name without a CNAME: which records it has instead, if any.

use std::net::IpAddr;

use crate::model::text::short;

use super::super::catalogue::say;
use super::super::observation::RecordType::{A, AAAA, CAA, CNAME, HTTPS, MX, TXT};
use super::super::observation::{Data, RecordType, TYPES};
use super::super::{Finding, Verdict};
use super::authoritative::Authoritative;
use super::cname_target::shown;
use super::{Case, words};

pub fn findings(case: &Case<'_>, source: &Authoritative<'_>) -> Vec<Finding> {
    let (v4, v6) = (source.addresses(A), source.addresses(AAAA));
    if v4.is_empty() && v6.is_empty() {
        return vec![if let Some(in_txt) = value_in_txt(case, source) {
            in_txt
        } else if source.is_nxdomain() {
            doubled(case).unwrap_or_else(|| missing(case, source))
        } else {
            nothing_useful(case, source)
        }];
    }
    if case.value().is_none() {
        return vec![say::value_unknown(&case.domain.name, words::list(v4.iter().chain(&v6)))];
    }
    let platform = case.platform_addresses();
    let ours = |addresses: &[IpAddr]| addresses.iter().all(|address| platform.contains(address));
    let mut findings = Vec::new();
    if !v4.is_empty() {
        findings.push(if ours(&v4) { direct(case, source, &v4) } else { blocks(case, source, A, &v4) });
    }
    if !ours(&v6) {
        findings.push(blocks(case, source, AAAA, &v6));
    } else if v4.is_empty() {
        findings.push(direct(case, source, &v6));
    }
    findings
}

/// Addresses of one type, in the place of the CNAME.
fn blocks(case: &Case<'_>, source: &Authoritative<'_>, kind: RecordType, list: &[IpAddr]) -> Finding {
    let (name, list, record) = (&case.domain.name, words::list(list), case.record());
    let (others, ttl) = (others(source, kind), words::ttl(source.ttl(kind)));
    let say = if kind == A { say::a_blocks } else { say::aaaa_left };
    let shows: &[RecordType] = if kind == A { &[A, CNAME] } else { &[AAAA] };
    say(name, list, source.witness(), case.label(), others, record, ttl)
        .expected(case.one_cname())
        .evidence(source.evidence(shows))
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

fn direct(case: &Case<'_>, source: &Authoritative<'_>, addresses: &[IpAddr]) -> Finding {
    say::a_direct(&case.domain.name, words::list(addresses), case.record())
        .expected(case.one_cname())
        .evidence(source.evidence(&[A, AAAA]))
}

fn value_in_txt(case: &Case<'_>, source: &Authoritative<'_>) -> Option<Finding> {
    let expected = case.value()?;
    let text = source.own.iter().find_map(|record| match &record.data {
        Data::Txt(text) if text.to_ascii_lowercase().contains(expected.as_str()) => Some(text),
        _ => None,
    })?;
    let finding = say::value_in_txt(&case.domain.name, short(text), case.record());
    Some(finding.expected(case.one_cname()).evidence(source.evidence(&[TXT])))
}

/// The name that has the record instead, because the provider added the zone to it.
fn doubled(case: &Case<'_>) -> Option<Finding> {
    let found = case.seen.lookups.iter().find(|lookup| {
        case.seen.doubled.contains(&lookup.question.name)
            && lookup.reply().is_some_and(|reply| reply.cnames(&lookup.question.name).next().is_some())
    })?;
    let mut targets = found.reply().into_iter().flat_map(|reply| reply.cnames(&found.question.name));
    let is_right = targets.all(|(target, _)| case.value().is_none_or(|value| value == target));
    let value = case.value().filter(|_| !is_right);
    let value = value.map_or_else(|| " and keep its value".to_owned(), |value| format!(" and its value to {value}"));
    let place = shown(&found.question.name);
    let finding = say::name_doubled(place, case.zone(), case.label(), value, then_forgotten(case));
    Some(finding.expected(format!("{} {}", case.domain.name, case.one_cname())).evidence([found]))
}

fn missing(case: &Case<'_>, source: &Authoritative<'_>) -> Finding {
    let finding = say::dns_missing(&case.domain.name, source.witness(), case.record(), then_forgotten(case));
    absent(case, finding).evidence(source.evidence(&[CNAME]))
}

/// How long resolvers cache that there was nothing (RFC 2308).
fn then_forgotten(case: &Case<'_>) -> String {
    let name = &case.domain.name;
    let lookups = case.seen.asked(name, CNAME).chain(case.seen.asked(name, A));
    let longest = lookups.filter_map(|lookup| lookup.reply()?.negative()).map(|(_, ttl)| ttl).max();
    longest.map_or_else(String::new, |ttl| {
        format!(". Then wait up to {} for resolvers that already looked it up", words::ttl(ttl))
    })
}

fn nothing_useful(case: &Case<'_>, source: &Authoritative<'_>) -> Finding {
    let name = &case.domain.name;
    let list = words::list(source.own.iter().map(|record| record.data.words()));
    let record = case.record();
    let finding = match list.is_empty() {
        true => say::only_below(name, record),
        false => say::nothing_useful(name, list, record, case.mail_stops(&source.own)),
    };
    absent(case, finding).evidence(source.evidence(&TYPES))
}

/// Before the operator saved the record, its absence is only the next step.
fn absent(case: &Case<'_>, finding: Finding) -> Finding {
    let verdict = if case.reported.saved.is_some() { Verdict::Fail } else { Verdict::You };
    Finding { verdict, ..finding }.expected(case.one_cname())
}
