//! The record that a domain needs, and the records that it replaces.

use super::super::{DnsName, Domain};

/// The record that points a domain to the platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DnsRecord {
    /// The full name.
    pub name: DnsName,
    /// Its DNS zone.
    pub zone: DnsName,
    /// The platform's host.
    pub value: DnsName,
    /// How long it may be cached, in seconds.
    pub ttl: u32,
}

impl DnsRecord {
    /// The time to live that the platform asks for, in seconds.
    pub const TTL: u32 = 3600;

    /// The record of `domain`.
    pub fn new(domain: &Domain, zone: DnsName, value: DnsName) -> Self {
        Self { name: domain.name.clone(), zone, value, ttl: Self::TTL }
    }

    /// `CNAME`, or `ALIAS` at the apex of the zone, where a CNAME is not allowed.
    pub fn kind(&self) -> &'static str {
        if self.is_apex() { "ALIAS" } else { "CNAME" }
    }

    /// Whether it is at the zone's own name.
    pub fn is_apex(&self) -> bool {
        self.name == self.zone
    }
}

/// Records of one type at the same name, which must be deleted before the record can work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The type, for example `AAAA`.
    pub kind: String,
    /// Its time to live at the source, in seconds.
    pub ttl: u32,
    /// The data of each record in presentation form; that of a TXT as text without quotes.
    pub values: Vec<String>,
}

impl Conflict {
    /// Whether this is a record set: its type is a word, and it has a value.
    pub(super) fn is_real(&self) -> bool {
        !self.values.is_empty()
            && self.kind.starts_with(|c: char| c.is_ascii_alphabetic())
            && self.kind.bytes().all(|byte| byte.is_ascii_alphanumeric())
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        self.kind.eq_ignore_ascii_case(kind)
    }
}
