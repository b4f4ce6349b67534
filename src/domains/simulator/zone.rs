//! Zones: an SOA record, and a flat list of unchecked records.

use hickory_proto::rr::RecordType;

use super::record::{ZoneData, ZoneRecord};
use crate::domains::DnsName;

/// A zone. Its records may contradict each other in every way that real servers refuse to load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    /// The name at its top.
    pub apex: DnsName,
    /// The primary name server that its SOA record names.
    pub primary: DnsName,
    /// The version that its SOA record tells.
    pub serial: u32,
    /// How long its SOA record may be kept, in seconds.
    pub ttl: u32,
    /// How long an answer that says no may be kept, in seconds, as far as `ttl` allows.
    pub minimum: u32,
    /// Everything but the SOA record, with the NS records of the apex.
    pub records: Vec<ZoneRecord>,
}

impl Zone {
    /// How long NS records may be kept, in seconds.
    pub(super) const NS_TTL: u32 = 172_800;

    /// A zone with nothing but its SOA and NS records.
    pub fn new(apex: &str, name_servers: &[&str]) -> Self {
        let primary = DnsName::new(name_servers.first().unwrap_or(&apex));
        let apex = DnsName::new(apex);
        let (serial, ttl, minimum) = (2_026_112_001, 3600, 900);
        let mut zone = Self { apex: apex.clone(), primary, serial, ttl, minimum, records: Vec::new() };
        zone.delegate(apex.as_str(), name_servers);
        zone
    }

    /// Adds a record to the others, with `owner` in full.
    pub fn add(&mut self, owner: &str, ttl: u32, data: ZoneData) -> &mut Self {
        self.records.push(ZoneRecord::new(owner, ttl, data));
        self
    }

    /// Makes this the only record at `owner`.
    pub fn set(&mut self, owner: &str, ttl: u32, data: ZoneData) -> &mut Self {
        self.clear(owner).add(owner, ttl, data)
    }

    /// Removes all records at `owner`.
    pub fn clear(&mut self, owner: &str) -> &mut Self {
        let owner = DnsName::new(owner);
        self.records.retain(|record| record.owner != owner);
        self
    }

    /// Removes the records of one type at `owner`.
    pub fn remove(&mut self, owner: &str, kind: RecordType) -> &mut Self {
        let owner = DnsName::new(owner);
        self.records.retain(|record| !record.answers(&owner, kind));
        self
    }

    /// Makes these the name servers of `owner`: the zone's own at its apex, a delegation below it.
    pub fn delegate(&mut self, owner: &str, name_servers: &[&str]) -> &mut Self {
        self.remove(owner, RecordType::NS);
        for host in name_servers {
            self.add(owner, Self::NS_TTL, ZoneData::ns(host));
        }
        self
    }

    pub(super) fn soa(&self) -> ZoneRecord {
        let (primary, serial, minimum) = (self.primary.clone(), self.serial, self.minimum);
        ZoneRecord { owner: self.apex.clone(), ttl: self.ttl, data: ZoneData::Soa { primary, serial, minimum } }
    }

    /// Its SOA record as in a negative answer (RFC 2308 section 3).
    pub(super) fn denial(&self) -> ZoneRecord {
        ZoneRecord { ttl: self.ttl.min(self.minimum), ..self.soa() }
    }

    /// All records at `owner`.
    pub(super) fn at(&self, owner: &DnsName) -> Vec<ZoneRecord> {
        let soa = (self.apex == *owner).then(|| self.soa());
        soa.into_iter().chain(self.records.iter().filter(|record| record.owner == *owner).cloned()).collect()
    }

    /// Whether there is a record at `name` or below it.
    pub(super) fn exists(&self, name: &DnsName) -> bool {
        *name == self.apex || self.records.iter().any(|record| record.owner.is_within(name))
    }
}
