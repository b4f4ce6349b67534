//! The record at the name (catalogue, section 2.2).

use super::authoritative::{invents, sees_right};
use super::cname_target::{self, shown};
use super::facts::{Authoritative, Facts};
use super::http::is_parked;
use super::prelude::*;
use super::propagation::left;
use crate::domains::caches::PUBLICATION;

/// A TTL above this gets a warning.
const DAY: u32 = 86_400;
/// Name servers of parking services, and of registrars for domains that have expired.
const PARKING_SERVERS: &str = "\
    above.com afternic.com bodis.com cashparking.com dan.com dsredirection.com fabulous.com \
    parkingcrew.net parklogic.com pendingrenewaldeletion.com renewyourname.net sedoparking.com \
    undeveloped.com uniregistrymarket.link voodoo.com";

/// The findings on the record; the one to act on is first. Those that name neither what is expected nor what proves them
/// expect the record from the dashboard, and are proved by what is there.
pub fn findings(facts: &Facts<'_>) -> Vec<Finding> {
    let complete = |mut finding: Finding| {
        if finding.expected.is_empty() && (finding.verdict >= Verdict::Warn || facts.domain.is_apex()) {
            finding.expected = expected(facts);
        }
        match finding.evidence.is_empty() {
            true => finding.evidence(facts.source().evidence(&[CNAME, A, AAAA])),
            false => finding,
        }
    };
    of_record(facts).into_iter().map(complete).collect()
}

fn of_record(facts: &Facts<'_>) -> Vec<Finding> {
    if facts.source().lookups.is_empty() {
        // No answer; the findings on servers explain why.
        return Vec::new();
    }
    let own_zone = facts.seen.zone.as_ref() == Some(facts.name()) && !facts.domain.is_apex();
    if own_zone || !facts.source().cut.is_empty() {
        return vec![zone_cut(facts)];
    }
    if let Some(proxy) = cloudflare(facts) {
        return vec![proxy];
    }
    let mut findings = if facts.domain.is_apex() { vec![apex(facts)] } else { subdomain(facts) };
    // These name the cause more exactly.
    findings = private(facts).into_iter().chain(value_gone(facts)).chain(findings).collect();
    let just_saved = is_just_saved(facts);
    // What fails is given a minute.
    for finding in findings.iter_mut().filter(|it| just_saved && it.fails() && it.who == Who::DnsProvider) {
        (finding.verdict, finding.who) = (Verdict::Wait, Who::Nobody);
        finding.title = "Your provider has not published the record yet".to_owned();
        finding.fix = format!("wait a minute; if nothing changes: {}", finding.fix);
        finding.until = facts.reported.saved.and_then(|saved| saved.checked_add(PUBLICATION).ok());
    }
    findings.into_iter().chain(https_elsewhere(facts)).chain(long_ttl(facts.source())).collect()
}

/// Whether the record was saved a moment ago, and the name servers still have what they had before, or nothing.
fn is_just_saved(facts: &Facts<'_>) -> bool {
    let Some(saved) = facts.reported.saved.filter(|saved| facts.since(*saved) < PUBLICATION) else { return false };
    let before = facts.earlier.and_then(|earlier| earlier.now.as_ref());
    let unchanged = |now: SourceAnswer| match before {
        Some(before) if before.records == now.records => before.first <= saved,
        Some(before) => now.records.is_empty() && before.last <= saved,
        None => now.records.is_empty(),
    };
    facts.source().remembered(facts).is_some_and(unchanged)
}

/// An HTTPS record that leads browsers past the other records; next to a CNAME it is reported as not allowed at all.
fn https_elsewhere(facts: &Facts<'_>) -> Option<Finding> {
    let host = facts.value().filter(|_| facts.source().cnames().is_empty())?;
    let (name, platform) = (facts.name(), facts.platform_addresses());
    let is_platforms = |name: &DnsName| facts.platform_zone().is_some_and(|zone| name.is_within(&zone));
    let leads_away = |record: &&&Record| match &record.data {
        Data::Https { target, hints, port, ech, .. } => {
            let own = target.is_root() || target == host || target == name;
            !own || hints.iter().any(|hint| !platform.contains(hint))
                || port.is_some_and(|port| port != 443)
                || !ech.iter().all(is_platforms)
        }
        _ => false,
    };
    let record = facts.source().own.iter().find(leads_away)?;
    Some(say::https_elsewhere(name, record.data.words()).evidence(facts.source().evidence(&[HTTPS])))
}

fn subdomain(facts: &Facts<'_>) -> Vec<Finding> {
    let cnames = facts.source().cnames();
    match facts.source().dname {
        Some((above, target)) => dname(facts, above, target),
        None if is_wildcard(facts) => vec![wildcard(facts)],
        None if cnames.is_empty() => without_cname(facts),
        None => with_cname(facts, &cnames),
    }
}

fn with_cname(facts: &Facts<'_>, cnames: &[(&DnsName, u32)]) -> Vec<Finding> {
    let (name, others) = (facts.name(), facts.source().others());
    let targets = || cnames.iter().map(|(target, _)| shown(target));
    let several = |reply: &Reply| reply.cnames(name).map(|(target, _)| target).collect::<BTreeSet<_>>().len() > 1;
    let at_once = facts.source().replies().any(several);
    let keep = facts.value().map_or("the right one", DnsName::as_str);
    let several = at_once.then(|| say::several_cnames(name, list(targets()), keep));
    let beside = (!others.is_empty()).then(|| not_alone(facts, &others));
    let is_reached = || facts.resolvers(A).filter_map(Lookup::reply).flat_map(Reply::addresses).next().is_some();
    let of_value = match (facts.value(), cnames.iter().find(|(target, _)| Some(*target) != facts.value())) {
        (None, _) => Some(say::value_unknown(name, targets().collect::<Vec<_>>().join(", "))),
        (Some(expected), Some((target, ttl))) if !at_once => Some(cname_target::wrong(facts, target, *ttl, expected)),
        (Some(expected), None) if is_denied(facts, expected) && !is_reached() => {
            Some(say::value_denied(name, expected, facts.label()).evidence(facts.seen.asked(expected, A)))
        }
        (Some(expected), None) if others.is_empty() => Some(right(facts, expected)),
        _ => None,
    };
    [several, beside, of_value].into_iter().flatten().collect()
}

/// A value that does not exist was mistyped, whatever records the name has.
fn value_gone(facts: &Facts<'_>) -> Option<Finding> {
    let expected = facts.value().filter(|it| is_denied(facts, it))?;
    let cnames = facts.source().cnames();
    let instead = cnames.first().map_or_else(String::new, |(target, _)| {
        format!("; the record at {} points to {}", facts.name(), shown(target))
    });
    let is_there = cnames.iter().any(|(target, _)| *target == expected);
    (!is_there).then(|| say::value_gone(expected, instead).evidence(facts.seen.asked(expected, A)))
}

/// Whether every server that was asked answers NXDOMAIN.
fn is_denied(facts: &Facts<'_>, host: &DnsName) -> bool {
    let mut replies = facts.seen.asked(host, A).filter_map(Lookup::reply).peekable();
    replies.peek().is_some() && replies.all(Reply::is_nxdomain)
}

/// The zone has the right record. Whether others see it, too, is reported with the servers.
fn right(facts: &Facts<'_>, expected: &DnsName) -> Finding {
    let source = facts.source();
    let servers: BTreeSet<&str> = source.lookups.iter().map(|it| it.server.name.as_str()).collect();
    let agree = |reply: &&Reply| reply.cnames(facts.name()).any(|(target, _)| target == expected);
    let agreeing = facts.resolvers(A).filter_map(Lookup::reply).filter(agree).count();
    let who = match source.authoritative {
        true => {
            let servers = servers.into_iter().map(whole).collect::<Vec<_>>().join(", ");
            format!("{servers} and {}", counted(agreeing, "resolver"))
        }
        false => names(servers),
    };
    say::dns_ok(facts.name(), expected, who).evidence(source.evidence(&[CNAME]).chain(facts.resolvers(A)))
}

fn not_alone(facts: &Facts<'_>, others: &[&Record]) -> Finding {
    let list = list(others.iter().map(|it| it.data.words()));
    let kinds: Vec<_> = others.iter().map(|it| it.data.kind()).chain([CNAME]).collect();
    say::not_alone(facts.name(), list, facts.label(), facts.mail_stops(others))
        .expected(format!("only {}", facts.one_cname()))
        .evidence(facts.source().evidence(&kinds))
}

fn zone_cut(facts: &Facts<'_>) -> Finding {
    let (name, source, own) = (facts.name(), facts.source(), facts.source().all_addresses());
    let delegated: Vec<&DnsName> = facts.seen.delegated.iter().collect();
    let servers = list(if source.cut.is_empty() { &delegated } else { &source.cut }.iter().map(|host| shown(host)));
    match own.is_empty() || !facts.foreign(&own).is_empty() {
        true => say::zone_cut(name, servers, facts.label(), facts.record()).evidence(source.evidence(&[CNAME, NS])),
        false => say::zone_of_its_own(name, servers, list(&own)),
    }
}

fn long_ttl(source: &Authoritative<'_>) -> Option<Finding> {
    let leads = source.own.iter().filter(|record| matches!(record.data.kind(), CNAME | A | AAAA));
    let longest = leads.max_by_key(|it| it.ttl).filter(|it| it.ttl > DAY)?;
    let (kind, ttl) = (longest.data.kind(), longest.ttl);
    Some(say::ttl_long(type_name(kind), ttl, words::ttl(ttl)).evidence(source.evidence(&[kind])))
}

/// A name without a CNAME: which records it has instead, if any.
fn without_cname(facts: &Facts<'_>) -> Vec<Finding> {
    let (v4, v6) = (facts.source().addresses(A), facts.source().addresses(AAAA));
    if v4.is_empty() && v6.is_empty() {
        let doubled = || doubled(facts).filter(|_| facts.source().is_nxdomain());
        return vec![value_in_txt(facts).or_else(doubled).unwrap_or_else(|| nothing_there(facts))];
    }
    if facts.value().is_none() {
        return vec![say::value_unknown(facts.name(), list(v4.iter().chain(&v6)))];
    }
    let ours = |addresses: &[IpAddr]| facts.foreign(addresses).is_empty();
    let direct = |addresses| say::a_direct(facts.name(), list(addresses), facts.record());
    let mut findings = Vec::new();
    if !v4.is_empty() {
        findings.push(if ours(&v4) { direct(&v4) } else { blocks(facts, A, &v4) });
    }
    if !ours(&v6) {
        findings.push(blocks(facts, AAAA, &v6));
    } else if v4.is_empty() {
        findings.push(direct(&v6));
    }
    findings
}

/// Addresses of one type, in the place of the CNAME.
fn blocks(facts: &Facts<'_>, kind: RecordType, addresses: &[IpAddr]) -> Finding {
    let (name, record) = (facts.name(), facts.record());
    // What else must be deleted: a CNAME must be the only record.
    let others = facts.source().others().into_iter().filter(|it| it.data.kind() != kind);
    let others = list(others.map(|it| it.data.words()));
    let others = if others.is_empty() { others } else { format!(" and {others}") };
    let ttl = facts.source().of_type(kind).map(|it| it.ttl).max().unwrap_or_default();
    let say = if kind == A { say::a_blocks } else { say::aaaa_left };
    say(name, list(addresses), facts.source().witness(), facts.label(), others, record, words::ttl(ttl))
}

fn value_in_txt(facts: &Facts<'_>) -> Option<Finding> {
    let expected = facts.value()?;
    let text = facts.source().own.iter().find_map(|record| match &record.data {
        Data::Txt(text) if text.to_ascii_lowercase().contains(expected.as_str()) => Some(text),
        _ => None,
    })?;
    let finding = say::value_in_txt(facts.name(), short(text), facts.record());
    Some(finding.evidence(facts.source().evidence(&[TXT])))
}

/// The name that has the record instead, because the provider added the zone to it.
fn doubled(facts: &Facts<'_>) -> Option<Finding> {
    let targets = |it: &Lookup| -> Vec<DnsName> {
        it.reply()
            .into_iter()
            .flat_map(|reply| reply.cnames(&it.question.name))
            .map(|(target, _)| target.clone())
            .collect()
    };
    let is_doubled = |it: &&Lookup| facts.seen.doubled.contains(&it.question.name) && !targets(it).is_empty();
    let found = facts.seen.lookups.iter().find(is_doubled)?;
    let wrong = facts.value().filter(|value| targets(found).iter().any(|target| target != *value));
    let value = wrong.map_or_else(|| " and keep its value".to_owned(), |value| format!(" and its value to {value}"));
    let place = shown(&found.question.name);
    let finding = say::name_doubled(place, facts.zone(), facts.label(), value, then_forgotten(facts));
    Some(finding.expected(format!("{} {}", facts.name(), facts.one_cname())).evidence([found]))
}

/// Before the operator saved the record, its absence is only the next step.
fn nothing_there(facts: &Facts<'_>) -> Finding {
    let (name, source, record) = (facts.name(), facts.source(), facts.record());
    let records = list(source.own.iter().map(|it| it.data.words()));
    let finding =
        match records.is_empty() {
            _ if source.is_nxdomain() => say::dns_missing(name, source.witness(), record, then_forgotten(facts))
                .evidence(source.evidence(&[CNAME])),
            true => say::only_below(name, record).evidence(source.evidence(&TYPES)),
            false => say::nothing_useful(name, records, record, facts.mail_stops(&source.own))
                .evidence(source.evidence(&TYPES)),
        };
    finding.fail_if(facts.reported.saved.is_some())
}

/// How long resolvers cache that there was nothing (RFC 2308), or the record that was there before.
fn then_forgotten(facts: &Facts<'_>) -> String {
    let lookups = [CNAME, A, AAAA].into_iter().flat_map(|kind| facts.seen.asked(facts.name(), kind));
    let longest = lookups.filter_map(|it| left(facts.name(), it.reply()?)).max();
    longest.map_or_else(String::new, |ttl| {
        format!(". Then wait up to {} for resolvers that already looked it up", words::ttl(ttl))
    })
}

fn dname(facts: &Facts<'_>, above: &DnsName, target: &DnsName) -> Vec<Finding> {
    let (above, target) = (shown(above), shown(target));
    let wrong = facts.value().and_then(|expected| {
        let cnames = facts.source().cnames();
        let (made, ttl) = cnames.iter().find(|(made, _)| *made != expected)?;
        Some(cname_target::wrong(facts, made, *ttl, expected)).filter(|wrong| wrong.code != Code::DnsChain)
    });
    let fix = format!("at your DNS provider, remove the DNAME of {above}, or add the CNAME below {target}");
    wrong.map(|wrong| wrong.fix(fix)).into_iter().chain([say::dname(above, target)]).collect()
}

/// Whether a random name gets the same answer.
fn is_wildcard(facts: &Facts<'_>) -> bool {
    let sibling = &facts.seen.sibling;
    let lookups = facts.seen.asked(sibling, A).filter(|it| match facts.source().authoritative {
        true => it.server.role == Role::Authoritative,
        false => !invents(facts, it),
    });
    let of_sibling: Vec<&Data> = lookups.flat_map(|it| it.at(sibling)).map(|it| &it.data).collect();
    let leads = |data: &&Data| matches!(data, Data::Cname(_) | Data::A(_));
    let own: Vec<&Data> = facts.source().own.iter().map(|it| &it.data).filter(leads).collect();
    let same = own.iter().all(|data| of_sibling.contains(data)) && of_sibling.iter().all(|data| own.contains(data));
    !own.is_empty() && same
}

/// A name without its own record: a wildcard or parking answers for it.
fn wildcard(facts: &Facts<'_>) -> Finding {
    let (zone, name, record, source) = (facts.zone(), facts.name(), facts.record(), facts.source());
    let leads = list(source.own.iter().map(|it| it.data.words()));
    let parked = parked(facts, &leads);
    let finding = match source.own.iter().any(|it| facts.leads(&it.data)) {
        _ if parked.is_some() || facts.value().is_none() => {
            return parked.unwrap_or_else(|| say::value_unknown(name, leads));
        }
        true => say::wildcard_ok(zone, leads, name, record),
        false => say::wildcard_wrong(zone, leads, name, record),
    };
    let sibling = facts.seen.asked(&facts.seen.sibling, A);
    finding.evidence(source.evidence(&[CNAME, A]).chain(sibling).take(8))
}

/// Parking answers for every name and the apex with one address, or is known by its servers.
fn parked(facts: &Facts<'_>, leads: &str) -> Option<Finding> {
    let is_parking =
        |server: &&DnsName| PARKING_SERVERS.split_whitespace().any(|it| server.is_within(&DnsName::new(it)));
    let server = facts.seen.delegated.iter().find(is_parking);
    let addresses = facts.source().addresses(A);
    let apex = facts.seen.asked(facts.zone(), A).filter_map(Lookup::reply);
    let of_apex: BTreeSet<IpAddr> = apex.flat_map(Reply::addresses).collect();
    let one_address = addresses.len() == 1 && of_apex == BTreeSet::from([addresses[0]]);
    let looks_parked = facts.seen.front.as_ref().and_then(|front| front.last()).is_some_and(is_parked);
    let leads_nowhere = addresses.is_empty() && facts.source().cnames().is_empty();
    if leads_nowhere || server.is_none() && !(one_address && looks_parked) {
        return None;
    }
    let by = server.map_or_else(String::new, |server| format!(", served by {}", shown(server)));
    Some(say::parked(facts.zone(), leads, by, facts.record()))
}

/// The finding on a domain without a subdomain: it has addresses instead of a CNAME.
fn apex(facts: &Facts<'_>) -> Finding {
    let (name, record) = (facts.name(), facts.record());
    if let Some((target, _)) = facts.source().cnames().first() {
        return say::apex_cname(name, shown(target), record);
    }
    let all = facts.source().all_addresses();
    let (addresses, foreign) = (list(&all), facts.foreign(&all));
    match foreign.len() {
        _ if facts.value().is_none() => say::value_unknown(name, addresses),
        _ if all.is_empty() => say::apex_none(name, record),
        0 => say::apex_ok(name, addresses),
        some if some == all.len() => {
            parked(facts, &addresses).unwrap_or_else(|| say::apex_wrong(name, addresses, record))
        }
        _ if foreign.iter().all(|address| address.is_ipv6()) => say::apex_aaaa(name, list(foreign)),
        _ => say::apex_partial(name, addresses, list(foreign)),
    }
}

fn expected(facts: &Facts<'_>) -> String {
    if !facts.domain.is_apex() {
        return facts.one_cname();
    }
    let platform = facts.platform_addresses();
    let host = facts.value().map_or("the platform", |host| host.as_str());
    let known = if platform.is_empty() { String::new() } else { format!(" ({})", list(platform)) };
    format!("the addresses of {host}{known}")
}

/// Cloudflare's proxy gives its own addresses and hides the record.
pub fn cloudflare(facts: &Facts<'_>) -> Option<Finding> {
    let addresses = facts.source().all_addresses();
    let pages: Vec<_> = facts.seen.handshakes.iter().filter_map(|it| it.response()).collect();
    let by_address = addresses.iter().all(|address| is_cloudflare(*address));
    let says_so = |page: &&Response| page.server.as_deref().is_some_and(|it| it.eq_ignore_ascii_case("cloudflare"));
    let by_servers = facts.seen.delegated.iter().any(|server| server.is_within(&DnsName::new("ns.cloudflare.com")));
    let by_answer = pages.iter().any(|page| page.cf_ray || by_servers && says_so(page));
    if facts.foreign(&addresses).is_empty() || !by_address && !by_answer {
        return None;
    }
    // Behind the proxy, only the answer shows whether the platform is reached.
    let reached = pages.iter().any(|page| page.status < 400);
    let status = pages.first().map_or_else(|| "no answer".to_owned(), |page| format!("status {}", page.status));
    Some(say::cloudflare(facts.name(), list(&addresses), status, facts.label()).fail_if(!reached))
}

/// Addresses at the end of the chain that are not public.
fn private(facts: &Facts<'_>) -> Option<Finding> {
    let own = facts.source().replies();
    let seen = facts.resolvers(A).filter(|it| !it.server.role.is_system());
    // What is only cached is no longer in the zone.
    let current = |reply: &&Reply| !facts.source().authoritative || sees_right(facts, reply);
    let addresses = own.chain(seen.filter_map(Lookup::reply).filter(current)).flat_map(Reply::addresses);
    let private: BTreeSet<IpAddr> = addresses.filter(|address| !is_public(*address)).collect();
    let fails = !private.is_empty() && !facts.expectation.allow_private;
    fails.then(|| say::private(facts.name(), list(private), facts.record()))
}
