//! What a diagnosis knows: its input, and what follows from it, each worked out once, at its first use.

use std::cell::OnceCell;

use super::prelude::*;

/// The label at which CAs look for proof by DNS (RFC 8555 section 8.4).
pub const ACME_CHALLENGE: &str = "_acme-challenge";

/// What is expected.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    /// The value that the dashboard shows.
    pub platform_host: Option<DnsName>,
    /// The CAA identities of the platform's certificate authority, lower case; empty if unknown.
    pub ca_identities: Vec<String>,
    /// Private addresses are allowed, and were connected to.
    pub allow_private: bool,
}

/// The input of a diagnosis, and what follows from it.
#[derive(Debug)]
pub struct Facts<'a> {
    pub domain: &'a Domain,
    /// What is expected.
    pub expectation: &'a Expectation,
    /// What the operator reported.
    pub reported: &'a Reported,
    /// What was measured.
    pub seen: &'a Observations,
    /// What earlier checks left about caches.
    pub earlier: Option<&'a Caches>,
    /// The time of the diagnosis.
    pub now: Timestamp,
    pub(super) source: OnceCell<Authoritative<'a>>,
    pub(super) caches: OnceCell<Caches>,
    platform: OnceCell<Vec<IpAddr>>,
}

/// The records at the name, as they are in the zone.
#[derive(Debug)]
pub struct Authoritative<'a> {
    /// The answers that count: of the name servers with authority that are up to date, else of resolvers.
    pub lookups: Vec<&'a Lookup>,
    /// They are of name servers.
    pub authoritative: bool,
    /// Every record whose owner is the name itself, once.
    pub own: Vec<&'a Record>,
    /// The target that a DNAME above the name gives it.
    pub dname: Option<(&'a DnsName, &'a DnsName)>,
    /// The servers to which the zone delegates the name.
    pub cut: Vec<&'a DnsName>,
    /// What the name servers answer this machine, if the resolvers of visitors are right and get another answer.
    pub only_here: Option<String>,
}

impl<'a> Facts<'a> {
    pub fn new(
        domain: &'a Domain,
        expectation: &'a Expectation,
        reported: &'a Reported,
        seen: &'a Observations,
        earlier: Option<&'a Caches>,
        now: Timestamp,
    ) -> Self {
        let (source, caches, platform) = Default::default();
        Self { domain, expectation, reported, seen, earlier, now, source, caches, platform }
    }

    /// The name of the domain.
    pub(in crate::domains) fn name(&self) -> &'a DnsName {
        &self.domain.name
    }

    /// The value that the dashboard shows, if known.
    pub fn value(&self) -> Option<&'a DnsName> {
        self.expectation.platform_host.as_ref()
    }

    /// What an earlier check promised of an answer of this server.
    pub(super) fn promised(&self, lookup: &Lookup, records: &[String]) -> Option<&'a Promise> {
        self.earlier?.promised(&lookup.server.name, records)
    }

    /// The zone whose name servers were asked: the domain itself if it is a separate zone.
    pub(super) fn zone_asked(&self) -> &'a DnsName {
        self.seen.zone.as_ref().unwrap_or(&self.domain.registrable)
    }

    /// The answers of the resolvers about the name.
    pub(in crate::domains) fn resolvers(&self, kind: RecordType) -> impl Iterator<Item = &'a Lookup> + use<'a> {
        self.seen.resolvers(&self.domain.name, kind)
    }

    /// The time since `then`; never negative, even if the clock was set back.
    pub(super) fn since(&self, then: Timestamp) -> SignedDuration {
        self.now.duration_since(then).max(SignedDuration::ZERO)
    }

    /// Whether more than the 48 hours have passed since the record was saved.
    pub(super) fn is_past_propagation(&self) -> bool {
        self.reported.record_due().is_some_and(|due| self.now > due)
    }

    /// The name of the record as providers ask for it.
    pub(super) fn label(&self) -> &str {
        self.domain.name.relative_to(self.zone())
    }

    /// The record to add, as one would read it aloud.
    pub(super) fn record(&self) -> String {
        let value = self.value().map_or("(the value from the dashboard)", DnsName::as_str);
        match self.domain.is_apex() {
            true => format!("ALIAS or ANAME @ -> {value}, TTL 3600"),
            false => format!("CNAME {} -> {value}, TTL 3600", self.label()),
        }
    }

    /// The only record that should be there.
    pub(super) fn one_cname(&self) -> String {
        self.value().map_or_else(|| "one CNAME".to_owned(), |host| format!("CNAME {host}"))
    }

    /// Warns that deleting an MX record stops mail.
    pub(super) fn mail_stops(&self, deleted: &[&Record]) -> String {
        let stops = deleted.iter().any(|it| it.data.kind() == MX);
        if stops { format!(". Deleting the MX stops mail for {}: move mail first", self.name()) } else { String::new() }
    }

    /// The zone of the name, as far as is known.
    pub(in crate::domains) fn zone(&self) -> &DnsName {
        self.seen.zone.as_ref().filter(|zone| **zone != self.domain.name).unwrap_or(&self.domain.registrable)
    }

    /// Whether resolvers were asked for a host, and all failed.
    pub(super) fn is_dead(&self, host: &DnsName) -> bool {
        matches!(self.seen.resolvers(host, A).collect(), Asked::Failed(_))
    }

    /// The registered domain of the platform.
    pub(super) fn platform_zone(&self) -> Option<DnsName> {
        let host = self.value()?;
        Some(parse_name::domain(host.as_str()).map_or_else(|_| host.clone(), |domain| domain.registrable))
    }

    /// Whether any record of the name leads to the platform, though perhaps not to the host of the dashboard.
    pub fn leads_into_platform(&self) -> bool {
        let zone = self.platform_zone();
        self.source().own.iter().any(|record| match &record.data {
            Data::Cname(host) => zone.as_ref().is_some_and(|zone| host.is_within(zone)),
            address => self.leads(address),
        })
    }

    /// Every address of the platform's own host, and those that prove to be the platform's by its certificate.
    pub(super) fn platform_addresses(&self) -> &[IpAddr] {
        self.platform.get_or_init(|| {
            let Some(host) = self.value() else { return Vec::new() };
            let proves = |edge: &&Handshake| edge.good_leaf(host.as_str()).is_some();
            let edges = self.seen.edge_handshakes.iter().filter(proves).map(|edge| edge.address.ip());
            self.seen.addresses_of(host).into_iter().chain(edges).collect()
        })
    }

    /// The addresses of these that are not the platform's.
    pub(super) fn foreign<'b>(&self, addresses: &'b [IpAddr]) -> Vec<&'b IpAddr> {
        addresses.iter().filter(|address| !self.platform_addresses().contains(address)).collect()
    }

    /// Whether a record leads straight to the platform: the only place that compares.
    pub(in crate::domains) fn leads(&self, data: &Data) -> bool {
        match data {
            Data::Cname(target) => !self.domain.is_apex() && self.value() == Some(target),
            other => other.address().is_some_and(|address| self.platform_addresses().contains(&address)),
        }
    }
}
