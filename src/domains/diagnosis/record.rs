//! The record at the name (catalogue, section 2.2).

use std::net::IpAddr;

use crate::model::text::short;

use super::super::address::{is_cloudflare, is_public};
use super::super::code::Code;
use super::super::dns_name::DnsName;
use super::super::finding::{Finding, Verdict, Who};
use super::super::observation::{Data, Record, RecordType, Reply, Response, Role, type_name};
use super::source::Source;
use super::value::{self, shown};
use super::{Case, apex, words};

/// A TTL above this is worth a word.
const DAY: u32 = 86_400;

/// Name servers of registrars' parking services.
const PARKING_SERVERS: &[&str] = &[
    "above.com",
    "afternic.com",
    "bodis.com",
    "cashparking.com",
    "dan.com",
    "dsredirection.com",
    "fabulous.com",
    "parkingcrew.net",
    "parklogic.com",
    "sedoparking.com",
    "undeveloped.com",
    "uniregistrymarket.link",
    "voodoo.com",
];

/// The findings on the record; the one that says what is to be done is first.
pub fn findings(case: &Case<'_>, source: &Source<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if source.lookups.is_empty() {
        // Nobody gave an answer; the servers' part says why.
        return findings;
    }
    let own_zone = case.seen.zone.as_ref() == Some(&case.domain.name) && !case.domain.is_apex();
    if own_zone || !source.cut.is_empty() {
        findings.push(zone_cut(case, source));
        return findings;
    }
    if let Some(proxy) = cloudflare(case, source) {
        findings.push(proxy);
        return findings;
    }
    if case.domain.is_apex() {
        apex::findings(case, source, &mut findings);
    } else {
        subdomain(case, source, &mut findings);
    }
    private(case, source, &mut findings);
    long_ttl(source, &mut findings);
    findings
}

fn subdomain(case: &Case<'_>, source: &Source<'_>, findings: &mut Vec<Finding>) {
    let cnames = source.cnames();
    if let Some((above, target)) = source.dname {
        dname(case, source, above, target, findings);
    } else if is_wildcard(case, source) {
        wildcard(case, source, findings);
    } else if cnames.is_empty() {
        without_cname(case, source, findings);
    } else {
        with_cname(case, source, &cnames, findings);
    }
}

fn with_cname(case: &Case<'_>, source: &Source<'_>, cnames: &[(&DnsName, u32)], findings: &mut Vec<Finding>) {
    let name = &case.domain.name;
    let others = source.others();
    if let [_, _, ..] = cnames {
        let targets = words::list(cnames.iter().map(|(target, _)| shown(target)));
        let keep =
            case.expectation.platform_host.as_ref().map_or_else(|| "the right one".to_owned(), DnsName::to_string);
        findings.push(
            fail(Code::DnsMultiCname)
                .seen(format!("{name} has CNAMEs to {targets}"))
                .expected(one_cname(case))
                .fix(format!("at your DNS provider keep the CNAME to {keep} and delete the other"))
                .evidence(source.evidence(&[RecordType::CNAME])),
        );
    }
    if !others.is_empty() {
        findings.push(beside(case, source, &others));
    }
    let Some(expected) = &case.expectation.platform_host else {
        findings
            .push(value_unknown(case, &cnames.iter().map(|(target, _)| shown(target)).collect::<Vec<_>>().join(", ")));
        return;
    };
    match cnames.iter().find(|(target, _)| *target != expected) {
        Some((target, ttl)) if cnames.len() == 1 => findings.push(value::wrong(case, source, target, *ttl, expected)),
        None if others.is_empty() => findings.push(right(case, source, expected)),
        _ => {}
    }
}

/// What stands in the zone is right. Whether the world sees it, too, is the servers' part.
fn right(case: &Case<'_>, source: &Source<'_>, expected: &DnsName) -> Finding {
    let mut names: Vec<&str> = source.lookups.iter().map(|lookup| lookup.server.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let agree = |reply: &Reply| reply.cnames(&case.domain.name).any(|(target, _)| target == expected);
    let resolvers = case.seen.resolvers(&case.domain.name, RecordType::A).filter_map(|lookup| lookup.reply());
    let agreeing = resolvers.filter(|reply| agree(reply)).count();
    let who = if source.authoritative {
        format!("{} and {agreeing} resolvers", names.iter().map(|name| short(name)).collect::<Vec<_>>().join(", "))
    } else {
        words::list(names.iter().map(|name| short(name)))
    };
    Finding::ok(Code::DnsOk)
        .seen(format!("{} has CNAME {expected} ({who})", case.domain.name))
        .expected(one_cname(case))
        .evidence(source.evidence(&[RecordType::CNAME]))
}

fn beside(case: &Case<'_>, source: &Source<'_>, others: &[&Record]) -> Finding {
    let mut fix = format!(
        "at your DNS provider keep the CNAME {} and delete {}",
        case.label(),
        words::list(others.iter().map(|record| record.data.words()))
    );
    if others.iter().any(|record| matches!(record.data, Data::Mx(..))) {
        fix.push_str(&format!(". Deleting the MX stops mail for {}: move mail first", case.domain.name));
    }
    let kinds: Vec<_> = others.iter().map(|record| record.data.kind()).chain([RecordType::CNAME]).collect();
    fail(Code::DnsCnameAndOther)
        .seen(format!(
            "{} has a CNAME and beside it {}",
            case.domain.name,
            words::list(others.iter().map(|record| record.data.words()))
        ))
        .expected(format!("{} alone", one_cname(case)))
        .fix(fix)
        .evidence(source.evidence(&kinds))
}

fn without_cname(case: &Case<'_>, source: &Source<'_>, findings: &mut Vec<Finding>) {
    let (v4, v4_ttl) = source.addresses(RecordType::A);
    let (v6, v6_ttl) = source.addresses(RecordType::AAAA);
    let platform = platform_addresses(case);
    if !v4.is_empty() || !v6.is_empty() {
        if case.expectation.platform_host.is_none() {
            findings.push(value_unknown(case, &words::list(v4.iter().chain(&v6))));
            return;
        }
        let ours = |addresses: &[IpAddr]| addresses.iter().all(|address| platform.contains(address));
        if !v4.is_empty() {
            findings.push(if ours(&v4) { direct(case, source, &v4) } else { blocks(case, source, &v4, v4_ttl) });
        }
        if !v6.is_empty() {
            if ours(&v6) {
                if v4.is_empty() {
                    findings.push(direct(case, source, &v6));
                }
            } else {
                findings.push(left_over(case, source, &v6, v6_ttl));
            }
        }
    } else if let Some(in_txt) = value_in_txt(case, source) {
        findings.push(in_txt);
    } else if source.is_nxdomain() {
        findings.push(doubled(case).unwrap_or_else(|| missing(case, source)));
    } else {
        findings.push(nothing_useful(case, source));
    }
}

fn blocks(case: &Case<'_>, source: &Source<'_>, addresses: &[IpAddr], ttl: u32) -> Finding {
    let (name, list) = (&case.domain.name, words::list(addresses));
    fail(Code::DnsABlocks)
        .seen(format!("{name} has A {list} ({})", source.witness()))
        .expected(one_cname(case))
        .fix(format!(
            "at your DNS provider delete the A record {list} of {}, then add {}: both cannot stand together. \
             Then: up to {} (its TTL).",
            case.label(),
            record_to_add(case),
            words::ttl(ttl)
        ))
        .evidence(source.evidence(&[RecordType::A, RecordType::CNAME]))
}

fn left_over(case: &Case<'_>, source: &Source<'_>, addresses: &[IpAddr], ttl: u32) -> Finding {
    let list = words::list(addresses);
    fail(Code::DnsAaaaLeft)
        .seen(format!("{} has AAAA {list} ({})", case.domain.name, source.witness()))
        .expected(one_cname(case))
        .fix(format!(
            "at your DNS provider delete the AAAA record {list} of {}. Then: up to {} (its TTL).",
            case.label(),
            words::ttl(ttl)
        ))
        .evidence(source.evidence(&[RecordType::AAAA]))
}

fn direct(case: &Case<'_>, source: &Source<'_>, addresses: &[IpAddr]) -> Finding {
    let list = words::list(addresses);
    Finding::new(Code::DnsADirect, Verdict::Warn, Who::DnsProvider)
        .seen(format!("{} has the address {list} itself, which is the platform's today", case.domain.name))
        .expected(one_cname(case))
        .fix(format!(
            "replace it by {}; it breaks when the platform changes its addresses. If your provider turns CNAMEs into \
             addresses by itself, nothing is to do, but Verify may not see the CNAME",
            record_to_add(case)
        ))
        .evidence(source.evidence(&[RecordType::A, RecordType::AAAA]))
}

fn value_in_txt(case: &Case<'_>, source: &Source<'_>) -> Option<Finding> {
    let expected = case.expectation.platform_host.as_ref()?;
    let text = source.own.iter().find_map(|record| match &record.data {
        Data::Txt(text) if text.to_ascii_lowercase().contains(expected.as_str()) => Some(text),
        _ => None,
    })?;
    Some(
        fail(Code::DnsValueInTxt)
            .seen(format!("{} has TXT \"{}\"", case.domain.name, short(text)))
            .expected(one_cname(case))
            .fix(format!("at your DNS provider delete this TXT record, then add {}", record_to_add(case)))
            .evidence(source.evidence(&[RecordType::TXT])),
    )
}

/// The name where the record stands instead, when the provider added the zone by itself.
fn doubled(case: &Case<'_>) -> Option<Finding> {
    let found = case.seen.lookups.iter().find(|lookup| {
        case.seen.doubled.contains(&lookup.question.name)
            && lookup.reply().is_some_and(|reply| reply.cnames(&lookup.question.name).next().is_some())
    })?;
    let at = &found.question.name;
    Some(
        fail(Code::DnsNameDoubled)
            .seen(format!("the record stands at {}", shown(at)))
            .expected(format!("{} {}", case.domain.name, one_cname(case)))
            .fix(format!("your DNS provider adds {} by itself: enter only {} as the name", case.zone(), case.label()))
            .evidence([found.evidence()]),
    )
}

fn missing(case: &Case<'_>, source: &Source<'_>) -> Finding {
    absent(case, Code::DnsMissing)
        .seen(format!("nothing exists at {} ({})", case.domain.name, source.witness()))
        .expected(one_cname(case))
        .fix(format!("at your DNS provider add {}", record_to_add(case)))
        .evidence(source.evidence(&[RecordType::CNAME]))
}

fn nothing_useful(case: &Case<'_>, source: &Source<'_>) -> Finding {
    let others: Vec<_> = source.own.iter().map(|record| record.data.words()).collect();
    let (seen, fix) = if others.is_empty() {
        (
            format!("{} has no CNAME and no address; only names below it exist", case.domain.name),
            format!("at your DNS provider add {}", record_to_add(case)),
        )
    } else {
        let list = words::list(&others);
        let mut fix =
            format!("at your DNS provider delete {list}, since a CNAME stands alone, then add {}", record_to_add(case));
        if source.own.iter().any(|record| matches!(record.data, Data::Mx(..))) {
            fix.push_str(&format!(". Deleting the MX stops mail for {}: move mail first", case.domain.name));
        }
        (format!("{} has {list}, but no CNAME and no address", case.domain.name), fix)
    };
    absent(case, Code::DnsNodata)
        .seen(seen)
        .expected(one_cname(case))
        .fix(fix)
        .evidence(source.evidence(&super::source::TYPES))
}

/// Before the operator saved the record, its absence is only the next step.
fn absent(case: &Case<'_>, code: Code) -> Finding {
    let verdict = if case.told.saved.is_some() { Verdict::Fail } else { Verdict::Wait };
    Finding::new(code, verdict, Who::DnsProvider)
}

fn zone_cut(case: &Case<'_>, source: &Source<'_>) -> Finding {
    let handed_to = if source.cut.is_empty() { case.seen.delegated.iter().collect() } else { source.cut.clone() };
    let servers = words::list(handed_to.into_iter().map(shown));
    fail(Code::DnsZoneCut)
        .seen(format!("{} is handed on to {servers}", case.domain.name))
        .expected(one_cname(case))
        .fix(format!(
            "at your DNS provider delete the NS records of {}, then add {}; or add an ALIAS to the value in the zone of {servers}",
            case.label(),
            record_to_add(case)
        ))
        .evidence(source.evidence(&[RecordType::CNAME, RecordType::NS]))
}

fn dname(case: &Case<'_>, source: &Source<'_>, above: &DnsName, target: &DnsName, findings: &mut Vec<Finding>) {
    let cnames = source.cnames();
    let leads = case.expectation.platform_host.as_ref().and_then(|expected| {
        let (made, ttl) = cnames.iter().find(|(made, _)| *made != expected)?;
        let wrong = value::wrong(case, source, made, *ttl, expected);
        (wrong.code != Code::DnsChain).then_some(wrong)
    });
    findings.extend(leads.map(|wrong| {
        wrong.fix(format!(
            "at your DNS provider remove the DNAME of {}, or add the CNAME below {}",
            shown(above),
            shown(target)
        ))
    }));
    findings.push(
        Finding::new(Code::DnsDname, Verdict::Warn, Who::DnsProvider)
            .seen(format!("everything below {} is redirected to {}", shown(above), shown(target)))
            .expected(one_cname(case))
            .fix(Code::DnsDname.cure())
            .evidence(source.evidence(&[RecordType::CNAME])),
    );
}

/// Whether a name that nobody has gets the same answer.
fn is_wildcard(case: &Case<'_>, source: &Source<'_>) -> bool {
    let sibling = &case.seen.sibling;
    let lookups = case.seen.asked(sibling, RecordType::A).filter(|lookup| {
        if source.authoritative {
            lookup.server.role == Role::Authoritative
        } else {
            !super::source::invents(case, lookup)
        }
    });
    let of_sibling: Vec<&Data> = lookups
        .filter_map(|lookup| lookup.reply())
        .flat_map(|reply| reply.at(sibling))
        .map(|record| &record.data)
        .collect();
    let leads = |data: &&Data| matches!(data, Data::Cname(_) | Data::A(_));
    let own: Vec<&Data> = source.own.iter().map(|record| &record.data).filter(leads).collect();
    let same = own.iter().all(|data| of_sibling.contains(data)) && of_sibling.iter().all(|data| own.contains(data));
    !own.is_empty() && same
}

fn wildcard(case: &Case<'_>, source: &Source<'_>, findings: &mut Vec<Finding>) {
    let zone = case.zone();
    let evidence = || {
        let sibling = case.seen.asked(&case.seen.sibling, RecordType::A).map(|lookup| lookup.evidence());
        source.evidence(&[RecordType::CNAME, RecordType::A]).into_iter().chain(sibling).take(8)
    };
    let leads = words::list(source.own.iter().map(|record| record.data.words()));
    if let Some(parked) = parked(case, source, &leads) {
        findings.push(parked);
        return;
    }
    let Some(expected) = &case.expectation.platform_host else {
        findings.push(value_unknown(case, &leads));
        return;
    };
    let platform = platform_addresses(case);
    let right = source.own.iter().any(|record| match &record.data {
        Data::Cname(target) => target == expected,
        other => other.address().is_some_and(|address| platform.contains(&address)),
    });
    let (code, verdict) =
        if right { (Code::DnsWildcardOk, Verdict::Warn) } else { (Code::DnsWildcardWrong, Verdict::Fail) };
    findings.push(
        Finding::new(code, verdict, Who::DnsProvider)
            .seen(format!("every name below {zone} has {leads}, as {} has", case.domain.name))
            .expected(one_cname(case))
            .fix(if right {
                format!(
                    "at your DNS provider add {} by itself, and remove the wildcard unless you need it: with it others \
                     could publish on names of yours",
                    record_to_add(case)
                )
            } else {
                format!("at your DNS provider add {}: it wins over the wildcard", record_to_add(case))
            })
            .evidence(evidence()),
    );
}

/// Parking answers for every name and the apex with one address, or is known by its servers.
fn parked(case: &Case<'_>, source: &Source<'_>, leads: &str) -> Option<Finding> {
    let served_by_parking = case
        .seen
        .delegated
        .iter()
        .find(|server| PARKING_SERVERS.iter().any(|parking| server.is_within(&DnsName::new(parking))));
    let (addresses, _) = source.addresses(RecordType::A);
    let apex = case.seen.asked(case.zone(), RecordType::A).filter_map(|lookup| lookup.reply());
    let of_apex: Vec<IpAddr> = apex.flat_map(Reply::addresses).collect();
    let one_address =
        addresses.len() == 1 && !of_apex.is_empty() && of_apex.iter().all(|address| *address == addresses[0]);
    let looks_parked = case.seen.front.as_ref().and_then(|front| front.last()).is_some_and(super::http::is_parked);
    if served_by_parking.is_none() && !(one_address && looks_parked) {
        return None;
    }
    let by = served_by_parking.map_or_else(String::new, |server| format!(", served by {}", shown(server)));
    Some(
        fail(Code::DnsParked)
            .seen(format!("every name of {} has {leads}{by}", case.zone()))
            .expected(one_cname(case))
            .fix(format!("at your registrar switch parking or forwarding off, then add {}", record_to_add(case)))
            .evidence(source.evidence(&[RecordType::A, RecordType::CNAME])),
    )
}

/// Cloudflare's proxy gives its own addresses and hides the record.
fn cloudflare(case: &Case<'_>, source: &Source<'_>) -> Option<Finding> {
    let platform = platform_addresses(case);
    let (v4, _) = source.addresses(RecordType::A);
    let (v6, _) = source.addresses(RecordType::AAAA);
    let addresses: Vec<IpAddr> = v4.into_iter().chain(v6).collect();
    if addresses.is_empty() || addresses.iter().all(|address| platform.contains(address)) {
        return None;
    }
    let pages: Vec<_> =
        case.seen.handshakes.iter().filter_map(|handshake| handshake.page.as_ref()?.outcome.as_ref().ok()).collect();
    let by_address = addresses.iter().all(|address| is_cloudflare(*address));
    let says_so =
        |page: &&&Response| page.server.as_deref().is_some_and(|server| server.eq_ignore_ascii_case("cloudflare"));
    let by_servers = case.seen.delegated.iter().any(|server| server.is_within(&DnsName::new("ns.cloudflare.com")));
    let by_answer = pages.iter().any(|page| page.cf_ray) || (by_servers && pages.iter().find(says_so).is_some());
    if !by_address && !by_answer {
        return None;
    }
    // Behind the proxy only the answer tells whether the platform is reached.
    let reached = pages.iter().any(|page| page.status < 400);
    let verdict = if reached { Verdict::Warn } else { Verdict::Fail };
    let status = pages.first().map_or_else(|| "no answer".to_owned(), |page| format!("status {}", page.status));
    Some(
        Finding::new(Code::ProxyCloudflare, verdict, Who::DnsProvider)
            .seen(format!(
                "{} has {}, which Cloudflare answers ({status}); the CNAME behind it cannot be seen from outside",
                case.domain.name,
                words::list(&addresses)
            ))
            .expected(one_cname(case))
            .fix(format!(
                "at Cloudflare set the record {} to DNS only (the grey cloud), at least until the domain is live",
                case.label()
            ))
            .evidence(source.evidence(&[RecordType::A, RecordType::AAAA])),
    )
}

/// Addresses at the end of the way that nobody outside reaches.
fn private(case: &Case<'_>, source: &Source<'_>, findings: &mut Vec<Finding>) {
    if case.expectation.allow_private {
        return;
    }
    let addresses = source.lookups.iter().filter_map(|lookup| lookup.reply()).flat_map(Reply::addresses);
    let seen = case.seen.resolvers(&case.domain.name, RecordType::A);
    let seen = seen.filter(|lookup| !matches!(lookup.server.role, Role::Resolver { system: true }));
    let addresses = addresses.chain(seen.filter_map(|lookup| lookup.reply()).flat_map(Reply::addresses));
    let mut private: Vec<IpAddr> = addresses.filter(|address| !is_public(*address)).collect();
    private.sort_unstable();
    private.dedup();
    if private.is_empty() {
        return;
    }
    let finding = fail(Code::DnsPrivate)
        .seen(format!("{} leads to {}", case.domain.name, words::list(&private)))
        .expected("an address that everybody reaches")
        .fix(format!(
            "at your DNS provider replace it by {}. Where the address is meant, --allow-private tests it, too",
            record_to_add(case)
        ))
        .evidence(source.evidence(&[RecordType::A, RecordType::AAAA]));
    // It names the cause more exactly than that there is an address at all.
    findings.insert(0, finding);
}

fn long_ttl(source: &Source<'_>, findings: &mut Vec<Finding>) {
    let leading = source
        .own
        .iter()
        .filter(|record| matches!(record.data.kind(), RecordType::CNAME | RecordType::A | RecordType::AAAA));
    let Some(longest) = leading.max_by_key(|record| record.ttl).filter(|record| record.ttl > DAY) else { return };
    findings.push(
        Finding::new(Code::TtlLong, Verdict::Warn, Who::DnsProvider)
            .seen(format!(
                "the {} has TTL {} ({})",
                type_name(longest.data.kind()),
                longest.ttl,
                words::ttl(longest.ttl)
            ))
            .expected("TTL 3600")
            .fix("at your DNS provider set the TTL to 3600: a mistake would otherwise last as long as the TTL")
            .evidence(source.evidence(&[longest.data.kind()])),
    );
}

/// There is a record, and nothing to compare it with.
pub fn value_unknown(case: &Case<'_>, leads: &str) -> Finding {
    Finding::new(Code::DnsValueUnknown, Verdict::Unknown, Who::Dashboard)
        .seen(format!("{} leads to {leads}", case.domain.name))
        .expected("the value that the dashboard shows")
        .fix(Code::DnsValueUnknown.cure())
}

/// Every address of the platform's own host.
pub fn platform_addresses(case: &Case<'_>) -> Vec<IpAddr> {
    let Some(host) = &case.expectation.platform_host else { return Vec::new() };
    let lookups = [RecordType::A, RecordType::AAAA].into_iter().flat_map(|kind| case.seen.asked(host, kind));
    let mut addresses: Vec<IpAddr> = lookups.filter_map(|lookup| lookup.reply()).flat_map(Reply::addresses).collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

/// The record to add, as one reads it out to somebody.
pub fn record_to_add(case: &Case<'_>) -> String {
    let value = case.expectation.platform_host.as_ref().map_or("(the value of the dashboard)", DnsName::as_str);
    if case.domain.is_apex() {
        format!("ALIAS or ANAME @ -> {value}, TTL 3600")
    } else {
        format!("CNAME {} -> {value}, TTL 3600", case.label())
    }
}

fn one_cname(case: &Case<'_>) -> String {
    case.expectation.platform_host.as_ref().map_or_else(|| "one CNAME".to_owned(), |host| format!("CNAME {host}"))
}

fn fail(code: Code) -> Finding {
    Finding::new(code, Verdict::Fail, Who::DnsProvider)
}
