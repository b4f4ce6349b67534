//! How a name server answers from its zones (RFC 1034 section 4.3.2, RFC 4592, RFC 6672).
//!
//! The records may be illegal, so what real servers never have to decide is decided here: a record of the asked type
//! comes before a CNAME at the same name, and of several CNAMEs all are given.

use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RecordType;

use super::zone::{Zone, ZoneData, ZoneRecord};
use petstore::domains::DnsName;

/// How many names one answer follows.
pub(super) const MOST_NAMES: usize = 16;

/// The sections of an answer.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub code: ResponseCode,
    pub authoritative: bool,
    pub answers: Vec<ZoneRecord>,
    pub authorities: Vec<ZoneRecord>,
    pub additionals: Vec<ZoneRecord>,
    /// Extended errors (RFC 8914): number and text.
    pub remarks: Vec<(u16, String)>,
}

impl Reply {
    pub fn of(code: ResponseCode) -> Self {
        let (answers, authorities, additionals, remarks) = (vec![], vec![], vec![], vec![]);
        Self { code, authoritative: false, answers, authorities, additionals, remarks }
    }

    /// The hosts of the servers that it sends the asker to.
    pub fn referral(&self) -> Option<Vec<&DnsName>> {
        let refers = self.code == ResponseCode::NoError && !self.authoritative && self.answers.is_empty();
        let hosts = self.authorities.iter().filter_map(|record| match &record.data {
            ZoneData::Ns(host) => Some(host),
            _ => None,
        });
        Some(hosts.collect::<Vec<_>>()).filter(|hosts| refers && !hosts.is_empty())
    }
}

/// The answer of a server that has these zones.
pub(super) fn answer(zones: &[&Zone], name: &DnsName, kind: RecordType) -> Reply {
    let mut reply = Reply::of(ResponseCode::Refused);
    let mut seen = vec![name.clone()];
    while let Some(zone) = nearest(zones, &seen[seen.len() - 1]) {
        let is_first = seen.len() == 1;
        let next = step(zone, &seen[seen.len() - 1], kind, is_first, &mut reply);
        match next {
            Some(next) if !seen.contains(&next) && seen.len() < MOST_NAMES => seen.push(next),
            _ => break,
        }
    }
    reply
}

/// The zone of these that is nearest above `name`, or has it as its apex.
pub(super) fn nearest<'a>(zones: &[&'a Zone], name: &DnsName) -> Option<&'a Zone> {
    let around = zones.iter().filter(|zone| name.is_within(&zone.apex));
    around.max_by_key(|zone| zone.apex.labels().count()).copied()
}

/// Adds what `zone` says about `name`; the name at which to go on, if any.
fn step(zone: &Zone, name: &DnsName, kind: RecordType, is_first: bool, reply: &mut Reply) -> Option<DnsName> {
    // The name itself and those above it, from the one just below the apex.
    let mut path: Vec<_> = std::iter::once(name.clone()).chain(name.parents()).collect();
    path.retain(|step| *step != zone.apex && step.is_within(&zone.apex));
    path.reverse();
    let is_above = |cut: &DnsName| !(kind == RecordType::DS && cut == name);
    if let Some(cut) = path.iter().find(|cut| is_above(cut) && has(zone, cut, RecordType::NS)) {
        // After a CNAME the asker must start again at its target anyway.
        if is_first {
            refer(zone, cut, reply);
        }
        return None;
    }
    (reply.code, reply.authoritative) = (ResponseCode::NoError, true);
    let above = std::iter::once(&zone.apex).chain(&path).filter(|above| *above != name);
    for record in above.flat_map(|above| zone.at(above)) {
        let ZoneData::Dname(target) = &record.data else { continue };
        let next = DnsName::new(name.label_below(&record.owner)?).followed_by(target);
        let cname = ZoneRecord { owner: name.clone(), ttl: record.ttl, data: ZoneData::Cname(next.clone()) };
        reply.answers.extend([record, cname]);
        return Some(next);
    }
    let found = if zone.exists(name) { zone.at(name) } else { from_wildcard(zone, name, &path, reply) };
    let (answers, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|record| record.answers(name, kind));
    let cnames = others.into_iter().filter(|record| record.answers(name, RecordType::CNAME));
    let given: Vec<_> = if answers.is_empty() { cnames.collect() } else { answers };
    let next = given.first().and_then(|record| match &record.data {
        ZoneData::Cname(target) if ![RecordType::CNAME, RecordType::ANY].contains(&kind) => Some(target.clone()),
        _ => None,
    });
    if given.is_empty() {
        reply.authorities.push(zone.denial());
    } else {
        let signs = |data: &ZoneData| matches!(data, ZoneData::Rrsig { covers, .. } if *covers == kind);
        reply.answers.extend(zone.at(name).into_iter().filter(|record| signs(&record.data)));
    }
    reply.answers.extend(given);
    next
}

fn has(zone: &Zone, owner: &DnsName, kind: RecordType) -> bool {
    zone.records.iter().any(|record| record.answers(owner, kind))
}

fn refer(zone: &Zone, cut: &DnsName, reply: &mut Reply) {
    reply.code = ResponseCode::NoError;
    reply.authorities.extend(zone.records.iter().filter(|record| record.answers(cut, RecordType::NS)).cloned());
    for record in &reply.authorities {
        let ZoneData::Ns(host) = &record.data else { continue };
        let glue = zone.records.iter().filter(|glue| glue.owner == *host && glue.data.kind().is_ip_addr());
        reply.additionals.extend(glue.cloned());
    }
}

/// What the wildcard at the nearest name that exists gives to `name`, which does not.
fn from_wildcard(zone: &Zone, name: &DnsName, path: &[DnsName], reply: &mut Reply) -> Vec<ZoneRecord> {
    let encloser = path.iter().rev().find(|above| zone.exists(above)).unwrap_or(&zone.apex);
    let source = zone.at(&DnsName::new("*").followed_by(encloser));
    if source.is_empty() {
        reply.code = ResponseCode::NXDomain;
    }
    source.into_iter().map(|record| ZoneRecord { owner: name.clone(), ..record }).collect()
}
