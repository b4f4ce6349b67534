//! Name servers and resolvers, as a plan has them.

use std::net::IpAddr;

use hickory_proto::rr::RecordType;

use super::fault::Fault;
use super::lookup::{self, Reply};
use super::record::Record;
use super::zone::Zone;
use crate::domains::DnsName;

/// A server that is the authority for zones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameServer {
    /// Its name.
    pub host: DnsName,
    /// The zones of the plan that it serves, by apex.
    pub zones: Vec<DnsName>,
    /// Zones of its own, before those of the plan: for a secondary that lags behind, or another provider.
    pub copies: Vec<Zone>,
    /// What is wrong with it.
    pub faults: Vec<Fault>,
}

impl NameServer {
    /// Serves this zone of the plan too.
    pub fn serve(&mut self, apex: &str) -> &mut Self {
        self.zones.push(DnsName::new(apex));
        self
    }

    /// Has a fault more.
    pub fn fault(&mut self, fault: Fault) -> &mut Self {
        self.faults.push(fault);
        self
    }

    /// Its answer from the zones it has, without its faults.
    pub(super) fn answer(&self, zones: &[Zone], name: &DnsName, kind: RecordType) -> Reply {
        let is_own = |zone: &Zone| self.copies.iter().any(|copy| copy.apex == zone.apex);
        let shared = zones.iter().filter(|zone| self.zones.contains(&zone.apex) && !is_own(zone));
        lookup::answer(&self.copies.iter().chain(shared).collect::<Vec<_>>(), name, kind)
    }
}

/// A resolver that has asked before and may have kept answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolver {
    /// What is wrong with it.
    pub faults: Vec<Fault>,
    /// Answers that it still has and gives instead of asking anew.
    pub held: Vec<Held>,
    /// Zones that only it sees (split horizon), instead of the world's.
    pub zones: Vec<Zone>,
    /// Domains whose signatures it finds wrong: SERVFAIL with this extended error (number, text), unless the asker
    /// wants unchecked answers.
    pub bogus: Vec<(DnsName, u16, String)>,
    /// Extended errors (number, text) that it adds to good answers for names in a domain.
    pub remarks: Vec<(DnsName, u16, String)>,
    /// The address that it invents for every name that does not exist.
    pub invents: Option<IpAddr>,
}

/// An answer that a resolver still has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The name that was asked for.
    pub name: DnsName,
    /// The type that was asked for.
    pub kind: RecordType,
    /// What it has.
    pub answer: HeldAnswer,
}

/// What a resolver still has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeldAnswer {
    /// These records, with the time that they have left.
    Records(Vec<Record>),
    /// That there is nothing, with the time in seconds that this has left.
    Nothing {
        /// The time left.
        ttl: u32,
        /// Whether the name does not exist (NXDOMAIN), instead of having no record of this type.
        nxdomain: bool,
    },
}

impl Resolver {
    /// Has a fault more.
    pub fn fault(&mut self, fault: Fault) -> &mut Self {
        self.faults.push(fault);
        self
    }

    /// Still has these records for `name` and `kind`, with the time that they have left. A CNAME among them is followed
    /// anew.
    pub fn remembers(&mut self, name: &str, kind: RecordType, records: Vec<Record>) -> &mut Self {
        self.hold(name, kind, HeldAnswer::Records(records))
    }

    /// Still has for `ttl` seconds that there is no such record, or with `nxdomain` no such name.
    pub fn remembers_nothing(&mut self, name: &str, kind: RecordType, ttl: u32, nxdomain: bool) -> &mut Self {
        self.hold(name, kind, HeldAnswer::Nothing { ttl, nxdomain })
    }

    fn hold(&mut self, name: &str, kind: RecordType, answer: HeldAnswer) -> &mut Self {
        self.held.push(Held { name: DnsName::new(name), kind, answer });
        self
    }

    /// What it holds for `name` and `kind`; that a name does not exist holds for every type (RFC 2308 section 5).
    pub(super) fn held(&self, name: &DnsName, kind: RecordType) -> Option<&HeldAnswer> {
        let fits = |held: &&Held| {
            let is_absent = matches!(held.answer, HeldAnswer::Nothing { nxdomain: true, .. });
            held.name == *name && (held.kind == kind || is_absent)
        };
        self.held.iter().find(fits).map(|held| &held.answer)
    }

    /// Sees this zone instead of the world's.
    pub fn sees(&mut self, zone: Zone) -> &mut Self {
        self.zones.push(zone);
        self
    }

    /// Finds the signatures of `domain` wrong.
    pub fn finds_bogus(&mut self, domain: &str, code: u16, text: &str) -> &mut Self {
        self.bogus.push((DnsName::new(domain), code, text.to_owned()));
        self
    }

    /// Adds an extended error to good answers for names in `domain`.
    pub fn remarks(&mut self, domain: &str, code: u16, text: &str) -> &mut Self {
        self.remarks.push((DnsName::new(domain), code, text.to_owned()));
        self
    }
}
