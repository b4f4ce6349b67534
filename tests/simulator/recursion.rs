//! How a simulated resolver finds an answer: from the root through the delegations, and from its cache.

use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RecordType;

use super::fault::ServerFault;
use super::lookup::{self, MOST_NAMES, Reply};
use super::plan::Plan;
use super::server::{CachedAnswer, HeldAnswer, NameServer, Resolver};
use super::zone::{Zone, ZoneData, ZoneRecord};
use petstore::domains::DnsName;

/// The extended error of RFC 8914 for a zone without the key that its DS record names.
const DNSKEY_MISSING: u16 = 9;
/// The extended error of RFC 8914 for servers that cannot be reached.
pub(super) const NO_REACHABLE_AUTHORITY: u16 = 22;

/// The answer of the resolver of this number, without its faults. What it heard for that is cached.
pub(super) fn resolve_and_keep(
    plan: &mut Plan,
    number: usize,
    name: &DnsName,
    kind: RecordType,
    unchecked: bool,
) -> Option<Reply> {
    plan.resolvers.get_mut(number)?.take_turns(name);
    let (reply, kept) = resolve(plan, &plan.resolvers[number], name, kind, unchecked);
    let now = plan.now;
    plan.resolvers[number].keep(kept, now);
    Some(reply)
}

/// The answer of `resolver`, without its faults, and what it caches of the answers it got.
fn resolve(
    plan: &Plan,
    resolver: &Resolver,
    name: &DnsName,
    kind: RecordType,
    unchecked: bool,
) -> (Reply, Vec<CachedAnswer>) {
    let mut kept = Vec::new();
    let mut reply = follow(plan, resolver, name, kind, unchecked, &mut kept);
    if let (ResponseCode::NXDomain, Some(address)) = (reply.code, resolver.invents) {
        reply = Reply::of(ResponseCode::NoError);
        let data = ZoneData::address(address);
        let is_asked = data.kind() == kind;
        reply.answers.extend(is_asked.then(|| ZoneRecord { owner: name.clone(), ttl: 60, data }));
    }
    if reply.code != ResponseCode::ServFail {
        let remarks = resolver.remarks.iter().filter(|(domain, ..)| name.is_within(domain));
        reply.remarks.extend(remarks.map(|(_, code, text)| (*code, text.clone())));
    }
    (reply, kept)
}

fn follow(
    plan: &Plan,
    resolver: &Resolver,
    name: &DnsName,
    kind: RecordType,
    unchecked: bool,
    kept: &mut Vec<CachedAnswer>,
) -> Reply {
    let mut whole = Reply::of(ResponseCode::NoError);
    let mut name = name.clone();
    for _ in 0..MOST_NAMES {
        if let Some((_, code, text)) = resolver.bogus.iter().find(|(domain, ..)| !unchecked && name.is_within(domain)) {
            return Reply { remarks: vec![(*code, text.clone())], ..Reply::of(ResponseCode::ServFail) };
        }
        if resolver.validates && !unchecked && is_bogus(plan, resolver, &name, kind, kept) {
            let remarks = vec![(DNSKEY_MISSING, format!("no DNSKEY matches the DS of {name}"))];
            return Reply { remarks, ..Reply::of(ResponseCode::ServFail) };
        }
        let part = remembered(plan, resolver, &name, kind).or_else(|| fresh(plan, resolver, &name, kind, kept));
        let Some(part) = part else {
            let remarks = vec![(NO_REACHABLE_AUTHORITY, format!("no server answered for {name}"))];
            return Reply { remarks, ..Reply::of(ResponseCode::ServFail) };
        };
        if part.answers.iter().any(|record| record.answers(&name, kind)) {
            whole.answers.extend(part.answers.into_iter().filter(|record| record.answers(&name, kind)));
            return whole;
        }
        // Of the names that the server followed only the first counts: the next is asked for again.
        let is_step = |record: &ZoneRecord| record.data.kind() == RecordType::DNAME || record.owner == name;
        let steps: Vec<_> = part.answers.into_iter().take_while(is_step).collect();
        let Some(ZoneData::Cname(target)) = steps.iter().find(|step| step.owner == name).map(|step| step.data.clone())
        else {
            return Reply { answers: whole.answers, authorities: part.authorities, ..Reply::of(part.code) };
        };
        whole.answers.extend(steps);
        name = target;
    }
    Reply::of(ResponseCode::ServFail)
}

/// What the name servers answer, which is kept.
fn fresh(
    plan: &Plan,
    resolver: &Resolver,
    name: &DnsName,
    kind: RecordType,
    kept: &mut Vec<CachedAnswer>,
) -> Option<Reply> {
    let mut referrals = Vec::new();
    let heard = ask(plan, resolver, name, kind, &mut referrals)?;
    if resolver.keeps {
        kept.extend(referrals);
        kept.extend(CachedAnswer::of(name, kind, &heard, plan.now));
    }
    Some(heard)
}

/// Whether a zone of the answer is signed by its DS record, which may be cached, but has no key. The DS record itself is
/// in the zone above.
fn is_bogus(plan: &Plan, resolver: &Resolver, name: &DnsName, kind: RecordType, kept: &mut Vec<CachedAnswer>) -> bool {
    let has_key = |zone: &Zone| zone.records.iter().any(|record| record.data.kind() == RecordType::DNSKEY);
    let is_in = |zone: &Zone| name.is_within(&zone.apex) && !(kind == RecordType::DS && *name == zone.apex);
    let unsigned = plan.zones.iter().filter(|zone| is_in(zone) && !zone.apex.is_root() && !has_key(zone));
    let mut has_ds = unsigned.map(|zone| match resolver.held(&zone.apex, RecordType::DS, plan.now) {
        Some(held) => matches!(held, HeldAnswer::Records(_)),
        None => {
            let heard = fresh(plan, resolver, &zone.apex, RecordType::DS, kept);
            heard.is_some_and(|heard| heard.answers.iter().any(|record| record.data.kind() == RecordType::DS))
        }
    });
    has_ds.any(|has_ds| has_ds)
}

/// What it holds about `name`, as an answer.
fn remembered(plan: &Plan, resolver: &Resolver, name: &DnsName, kind: RecordType) -> Option<Reply> {
    let is_given = |held: &HeldAnswer| matches!(held, HeldAnswer::Records(_));
    let held = |kind| resolver.held(name, kind, plan.now);
    match held(kind).or_else(|| held(RecordType::CNAME).filter(is_given))? {
        HeldAnswer::Records(answers) => Some(Reply { answers, ..Reply::of(ResponseCode::NoError) }),
        HeldAnswer::Nothing { ttl, nxdomain } => {
            let zones: Vec<_> = plan.zones.iter().collect();
            let zone = lookup::nearest(&zones, name);
            let soa = zone.map(|zone| {
                let shared = resolver.soa_left(zone, plan.now).unwrap_or_default();
                ZoneRecord { ttl: ttl.max(shared), ..zone.soa() }
            });
            let code = if nxdomain { ResponseCode::NXDomain } else { ResponseCode::NoError };
            Some(Reply { authorities: soa.into_iter().collect(), ..Reply::of(code) })
        }
    }
}

/// What the servers answer, from the nearest that the resolver has cached down; nothing if none of those that must know
/// answers. The servers named on the way go to `referrals`.
fn ask(
    plan: &Plan,
    resolver: &Resolver,
    name: &DnsName,
    kind: RecordType,
    referrals: &mut Vec<CachedAnswer>,
) -> Option<Reply> {
    let own: Vec<_> = resolver.zones.iter().filter(|zone| name.is_within(&zone.apex)).collect();
    if !own.is_empty() {
        return Some(lookup::answer(&own, name, kind));
    }
    let server_of = |host: &DnsName| plan.name_servers.iter().find(|server| server.host == *host);
    let mut servers: Vec<&NameServer> = match cached_servers(plan, resolver, name, kind) {
        Some(hosts) => hosts.iter().filter_map(server_of).collect(),
        None => {
            let around = plan.zones.iter().filter(|zone| name.is_within(&zone.apex));
            let top: &Zone = around.min_by_key(|zone| zone.apex.labels().count())?;
            plan.name_servers.iter().filter(|server| server.zones.contains(&top.apex)).collect()
        }
    };
    for _ in 0..MOST_NAMES {
        let reply = servers.iter().find_map(|server| usable(plan, server, name, kind))?;
        let Some(hosts) = reply.referral() else { return Some(reply) };
        referrals.extend(CachedAnswer::of_referral(&reply, plan.now));
        servers = hosts.into_iter().filter_map(server_of).collect();
    }
    None
}

/// The name servers that a resolver has cached for the nearest zone of `name`; for a DS record, of the zone above.
fn cached_servers(plan: &Plan, resolver: &Resolver, name: &DnsName, kind: RecordType) -> Option<Vec<DnsName>> {
    let own = (kind != RecordType::DS).then(|| name.clone());
    own.into_iter().chain(name.parents()).find_map(|zone| match resolver.held(&zone, RecordType::NS, plan.now)? {
        HeldAnswer::Records(records) => {
            let hosts = records.into_iter().filter_map(|record| match record.data {
                ZoneData::Ns(host) => Some(host),
                _ => None,
            });
            Some(hosts.collect())
        }
        HeldAnswer::Nothing { .. } => None,
    })
}

/// The server's answer, if it is an authority's or tells where to ask.
fn usable(plan: &Plan, server: &NameServer, name: &DnsName, kind: RecordType) -> Option<Reply> {
    if ServerFault::met_by(&server.faults, kind).iter().any(|fault| fault.is_fatal()) {
        return None;
    }
    let reply = server.answer(&plan.zones, name, kind);
    (reply.authoritative || reply.referral().is_some()).then_some(reply)
}
