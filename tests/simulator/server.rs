//! Name servers and resolvers, as a plan has them.

use std::collections::{HashMap, VecDeque};
use std::mem;
use std::net::IpAddr;

use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RecordType;
use jiff::{SignedDuration, Timestamp};

use super::fault::ServerFault;
use super::lookup::{self, Reply};
use super::zone::{Zone, ZoneData, ZoneRecord};
use petstore::domains::DnsName;

/// A server that is the authority for zones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameServer {
    pub host: DnsName,
    /// The zones of the plan that it serves, by apex.
    pub zones: Vec<DnsName>,
    /// Its own zones, before those of the plan: for a secondary that lags behind, or another provider.
    pub copies: Vec<Zone>,
    /// What is wrong with it.
    pub faults: Vec<ServerFault>,
}

impl NameServer {
    /// Serves this zone of the plan too.
    pub fn serve(&mut self, apex: &str) -> &mut Self {
        self.zones.push(DnsName::new(apex));
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
    pub faults: Vec<ServerFault>,
    /// Cached answers that it gives instead of asking again.
    pub held: Vec<CachedAnswer>,
    /// It keeps what it is answered for as long as the TTL allows, by the plan's time of day: answers, denials, and
    /// which name servers to ask.
    pub keeps: bool,
    /// The cached answers of other caches behind its address, which take turns with `held`.
    pub others: VecDeque<Vec<CachedAnswer>>,
    /// How many questions came for each name: they go through the caches, whatever is asked in between.
    pub(super) asked: HashMap<DnsName, usize>,
    /// Which of the caches `held` is.
    pub(super) turn: usize,
    /// It checks signatures: a zone with a DS record above it, and without a DNSKEY, fails.
    pub validates: bool,
    /// It keeps trying name servers that do not answer, longer than its askers wait, instead of giving up.
    pub waits: bool,
    /// Zones that only it sees (split horizon), instead of the plan's.
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
pub struct CachedAnswer {
    /// The name that was asked for.
    pub name: DnsName,
    /// The type that was asked for.
    pub kind: RecordType,
    /// What it has.
    pub answer: HeldAnswer,
    /// When it forgets that; without a time it never does, and the time left stays as it is.
    pub until: Option<Timestamp>,
}

/// What a resolver still has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeldAnswer {
    /// These records, with the time that they have left.
    Records(Vec<ZoneRecord>),
    /// That there is nothing, with the time in seconds that this has left.
    Nothing {
        /// The time left.
        ttl: u32,
        /// Whether the name does not exist (NXDOMAIN), instead of having no record of this type.
        nxdomain: bool,
    },
}

impl CachedAnswer {
    /// What a server just answered for `name` and `kind`, as far as it may be cached.
    pub(super) fn of(name: &DnsName, asked: RecordType, reply: &Reply, now: Timestamp) -> Option<Self> {
        let of =
            |kind| -> Vec<ZoneRecord> { reply.answers.iter().filter(|it| it.answers(name, kind)).cloned().collect() };
        let (kind, records) = match of(asked) {
            none if none.is_empty() => (RecordType::CNAME, of(RecordType::CNAME)),
            records => (asked, records),
        };
        let is_soa = |record: &&ZoneRecord| matches!(record.data, ZoneData::Soa { .. });
        let (kind, ttl, answer) = match records.iter().map(|record| record.ttl).min() {
            Some(ttl) => (kind, ttl, HeldAnswer::Records(records)),
            None if !reply.answers.is_empty() => return None,
            None => {
                let ttl = reply.authorities.iter().find(is_soa)?.ttl;
                (asked, ttl, HeldAnswer::Nothing { ttl, nxdomain: reply.code == ResponseCode::NXDomain })
            }
        };
        Self::from(name, (kind, ttl), answer, now)
    }

    /// The name servers of a zone, as a referral to them says.
    pub(super) fn of_referral(reply: &Reply, now: Timestamp) -> Option<Self> {
        let records: Vec<ZoneRecord> =
            reply.authorities.iter().filter(|record| record.data.kind() == RecordType::NS).cloned().collect();
        let first = records.first()?;
        let (zone, ttl) = (first.owner.clone(), first.ttl);
        Self::from(&zone, (RecordType::NS, ttl), HeldAnswer::Records(records), now)
    }

    fn from(name: &DnsName, (kind, ttl): (RecordType, u32), answer: HeldAnswer, now: Timestamp) -> Option<Self> {
        let until = now.checked_add(SignedDuration::from_secs(ttl.into())).ok()?;
        Some(Self { name: name.clone(), kind, answer, until: Some(until) })
    }

    /// What is left of it at `now`.
    fn at(&self, now: Timestamp) -> Option<HeldAnswer> {
        let Some(until) = self.until else { return Some(self.answer.clone()) };
        let left = u32::try_from(until.duration_since(now).as_secs()).ok().filter(|left| *left > 0)?;
        Some(match &self.answer {
            HeldAnswer::Records(records) => {
                HeldAnswer::Records(records.iter().map(|record| ZoneRecord { ttl: left, ..record.clone() }).collect())
            }
            HeldAnswer::Nothing { nxdomain, .. } => HeldAnswer::Nothing { ttl: left, nxdomain: *nxdomain },
        })
    }
}

impl Resolver {
    /// Still has these records for `name` and `kind`, with the time that they have left. A CNAME among them is followed
    /// again.
    pub fn remembers(&mut self, name: &str, kind: RecordType, records: Vec<ZoneRecord>) -> &mut Self {
        self.hold(name, kind, HeldAnswer::Records(records))
    }

    /// Has cached for `ttl` seconds that there is no record of this type, or with `nxdomain` no such name.
    pub fn remembers_nothing(&mut self, name: &str, kind: RecordType, ttl: u32, nxdomain: bool) -> &mut Self {
        self.hold(name, kind, HeldAnswer::Nothing { ttl, nxdomain })
    }

    fn hold(&mut self, name: &str, kind: RecordType, answer: HeldAnswer) -> &mut Self {
        self.held.push(CachedAnswer { name: DnsName::new(name), kind, answer, until: None });
        self
    }

    /// The next cache behind its address takes the next question for `name`.
    pub(super) fn take_turns(&mut self, name: &DnsName) {
        let caches = self.others.len() + 1;
        let asked = self.asked.entry(name.clone()).or_default();
        let wanted = *asked % caches;
        *asked += 1;
        while self.turn % caches != wanted
            && let Some(next) = self.others.pop_front()
        {
            self.others.push_back(mem::replace(&mut self.held, next));
            self.turn += 1;
        }
    }

    /// How long its SOA record of `zone` may be kept at `now`, in seconds: denials share it, so the newest one counts.
    pub(super) fn soa_left(&self, zone: &Zone, now: Timestamp) -> Option<u32> {
        let held = self.held.iter().filter(|held| held.until.is_some() && held.name.is_within(&zone.apex));
        let left = held.filter_map(|held| match held.at(now)? {
            HeldAnswer::Nothing { ttl, .. } => Some(ttl),
            HeldAnswer::Records(_) => None,
        });
        left.max()
    }

    /// What it holds at `now` for `name` and `kind`; that a name does not exist holds for every type (RFC 2308
    /// section 5).
    pub(super) fn held(&self, name: &DnsName, kind: RecordType, now: Timestamp) -> Option<HeldAnswer> {
        let fits = |held: &&CachedAnswer| {
            let is_absent = matches!(held.answer, HeldAnswer::Nothing { nxdomain: true, .. });
            held.name == *name && (held.kind == kind || is_absent)
        };
        self.held.iter().filter(fits).find_map(|held| held.at(now))
    }

    /// Keeps answers, and forgets those whose time is over.
    pub(super) fn keep(&mut self, answers: Vec<CachedAnswer>, now: Timestamp) {
        self.held.retain(|held| held.at(now).is_some());
        self.held.extend(answers);
    }
}
