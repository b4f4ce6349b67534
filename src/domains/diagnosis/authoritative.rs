//! The records of the zone: from its own name servers, or from resolvers if none of them can be asked.

use super::facts::{Authoritative, Facts};
use super::prelude::*;

impl<'a> Facts<'a> {
    /// The records of the zone.
    pub(in crate::domains) fn source(&self) -> &Authoritative<'a> {
        self.source.get_or_init(|| Authoritative::of(self))
    }

    /// What is remembered of earlier answers, with the present one of the name servers.
    pub(super) fn caches(&self) -> &Caches {
        self.caches.get_or_init(|| Caches::with_source(self.earlier, self.source().remembered(self)))
    }
}

impl<'a> Authoritative<'a> {
    pub fn of(facts: &Facts<'a>) -> Self {
        let (name, seen) = (facts.name(), facts.seen);
        let servers = TYPES.iter().flat_map(|kind| seen.source(name, *kind));
        let servers: Vec<&Lookup> = servers.filter(|it| it.reply().is_some_and(Reply::speaks)).collect();
        if servers.is_empty() {
            return Self::with(facts, of_most_resolvers(facts), false);
        }
        let behind = behind(facts);
        let up_to_date = servers.into_iter().filter(|it| !behind.contains(it.server.name.as_str()));
        let at_servers = Self::with(facts, up_to_date.collect(), true);
        if !at_servers.is_only_here(facts) {
            return at_servers;
        }
        let here = list(at_servers.own.iter().map(|it| it.data.words()));
        Self { only_here: Some(here), ..Self::with(facts, of_most_resolvers(facts), false) }
    }

    /// The records in `lookups`.
    fn with(facts: &Facts<'a>, lookups: Vec<&'a Lookup>, authoritative: bool) -> Self {
        let name = facts.name();
        let replies = || lookups.iter().filter_map(|it| it.reply());
        let mut own: Vec<&Record> = Vec::new();
        for record in replies().flat_map(|reply| reply.at(name)) {
            // The TTL counts down between answers; the data does not.
            if !own.iter().any(|known| known.data == record.data) {
                own.push(record);
            }
        }
        let mut dname = replies().flat_map(|reply| &reply.answers).filter_map(|record| match &record.data {
            Data::Dname(target) if record.owner != *name => Some((&record.owner, target)),
            _ => None,
        });
        let dname = dname.rfind(|(above, _)| name.is_within(above));
        let referred = replies().filter(|reply| reply.is_referral()).flat_map(|reply| &reply.authorities);
        let here = referred.filter(|it| it.owner == *name);
        let cut: BTreeSet<&DnsName> = here.filter_map(|it| it.data.name_server()).collect();
        Self { lookups, authoritative, own, dname, cut: cut.into_iter().collect(), only_here: None }
    }

    /// Whether this machine is shown its own view: every resolver of visitors leads straight to the platform, and
    /// does not just remember an answer of before a change.
    fn is_only_here(&self, facts: &Facts<'_>) -> bool {
        let name = facts.name();
        let is_cached = |leading: &[&Data], at| {
            let records: Vec<String> = leading.iter().map(|data| data.presentation()).collect();
            let caches = Caches::with_source(facts.earlier, self.remembered(facts));
            caches.latest(&records, None).is_some_and(|latest| latest > at)
        };
        let has_ipv6 = !self.addresses(AAAA).is_empty();
        let is_right = |lookup: &&Lookup| {
            let leads = leading_at(name, lookup);
            let ipv6 = facts.seen.resolvers(name, AAAA).find(|other| other.server == lookup.server);
            let by_ipv6 = ipv6.map(|other| leading_at(name, other)).unwrap_or_default();
            let counts = !invents(facts, lookup) && (!has_ipv6 || ipv6.is_some_and(|other| other.answer().is_some()));
            counts
                && is_right(facts, &leads)
                && (by_ipv6.is_empty() || is_right(facts, &by_ipv6))
                && !is_cached(&leads, lookup.at)
        };
        let visitors = facts.seen.of_visitors(name, A);
        let any_server_right =
            || facts.seen.source(name, CNAME).any(|it| self::is_right(facts, &answer(facts, &it.server.name)));
        self.dname.is_none()
            && self.cut.is_empty()
            && !visitors.is_empty()
            && visitors.iter().all(is_right)
            && !any_server_right()
    }

    /// The answers that count.
    pub fn replies(&self) -> impl Iterator<Item = &'a Reply> {
        self.lookups.iter().filter_map(|it| it.reply())
    }

    /// Whether the zone itself leads straight to the platform, as its own name servers report.
    pub fn is_right(&self, facts: &Facts<'_>) -> bool {
        self.authoritative && is_right(facts, &leading(self.own.iter().copied()))
    }

    /// The answer, for the memory: the records that lead somewhere, and how long they may be cached. `None` if the name
    /// servers did not give one.
    pub fn remembered(&self, facts: &Facts<'_>) -> Option<SourceAnswer> {
        let leading = self.own.iter().filter(|record| matches!(record.data.kind(), CNAME | A | AAAA));
        let mut records: Vec<String> = leading.clone().map(|it| it.data.presentation()).collect();
        records.sort_unstable();
        let nothing = || self.replies().filter_map(|reply| reply.negative()).map(|(_, ttl)| ttl).max();
        let ttl = leading.map(|it| it.ttl).max().or_else(nothing).unwrap_or_default();
        self.authoritative.then_some(SourceAnswer { records, ttl, first: facts.now, last: facts.now })
    }

    /// The targets of CNAMEs at the name, with their TTL.
    pub fn cnames(&self) -> Vec<(&'a DnsName, u32)> {
        self.own.iter().filter_map(|it| Some((it.data.cname()?, it.ttl))).collect()
    }

    /// The records of one type at the name itself.
    pub fn of_type(&self, kind: RecordType) -> impl Iterator<Item = &'a Record> {
        self.own.iter().copied().filter(move |it| it.data.kind() == kind)
    }

    /// The addresses of one type at the name itself.
    pub fn addresses(&self, kind: RecordType) -> Vec<IpAddr> {
        self.of_type(kind).filter_map(|it| it.data.address()).collect()
    }

    /// All addresses at the name itself, those of IPv4 first.
    pub(super) fn all_addresses(&self) -> Vec<IpAddr> {
        [A, AAAA].into_iter().flat_map(|kind| self.addresses(kind)).collect()
    }

    /// Records at the name that are not allowed next to a CNAME.
    pub fn others(&self) -> Vec<&'a Record> {
        // Signatures and denials may (RFC 4035 section 2.5); they are not asked for, but come along.
        let other = |record: &&&Record| matches!(record.data.kind(), A | AAAA | TXT | MX | HTTPS | CAA);
        self.own.iter().filter(other).copied().collect()
    }

    /// Whether every answer is NXDOMAIN.
    pub fn is_nxdomain(&self) -> bool {
        let mut replies = self.replies().peekable();
        replies.peek().is_some() && replies.all(Reply::is_nxdomain)
    }

    /// The answers of these types, as evidence.
    pub fn evidence(&self, kinds: &[RecordType]) -> impl Iterator<Item = &'a Lookup> {
        self.lookups.iter().copied().filter(|it| kinds.contains(&it.question.kind))
    }

    /// A server that gave the answer.
    pub(super) fn witness(&self) -> String {
        self.lookups.first().map(|it| it.server.label()).unwrap_or_default()
    }
}

/// The answers of the resolvers that agree with each other, where most do: without the name servers, that is the best
/// available, and cached answers of others must not be mixed into it.
fn of_most_resolvers<'a>(facts: &Facts<'a>) -> Vec<&'a Lookup> {
    let lookups = TYPES.iter().flat_map(|kind| facts.resolvers(*kind));
    let lookups: Vec<&Lookup> = lookups.filter(|it| it.answer().is_some() && !invents(facts, it)).collect();
    let view = |it: &Lookup| Some((it.reply()?.is_nxdomain(), it.records_at(facts.name())));
    let of_addresses: Vec<&Lookup> = lookups.iter().filter(|it| it.question.kind == A).copied().collect();
    let agreeing = |lookup: &Lookup| of_addresses.iter().filter(|other| view(other) == view(lookup)).count();
    let Some(most) = of_addresses.iter().rev().max_by_key(|it| agreeing(it)) else { return lookups };
    let agrees =
        |server: &Server| of_addresses.iter().any(|other| *other.server == *server && view(other) == view(most));
    lookups.into_iter().filter(|it| agrees(&it.server)).collect()
}

/// Whether a resolver answers for names that do not exist.
pub fn invents(facts: &Facts<'_>, lookup: &Lookup) -> bool {
    let nobody = &facts.seen.nobody;
    let answers = |lookup: &Lookup| lookup.answer().is_some_and(|reply| reply.addresses().next().is_some());
    let mine = facts.seen.resolvers(nobody, A).any(|asked| asked.server == lookup.server && answers(asked));
    // A top-level domain may have a wildcard: its name servers decide, else the other resolvers.
    let parents: Vec<_> = facts.seen.parents(nobody, A).filter(|asked| asked.answer().is_some()).collect();
    let others = facts.seen.resolvers(nobody, A).filter(|asked| asked.server != lookup.server);
    let mut witnesses = if parents.is_empty() { others.collect() } else { parents }.into_iter().peekable();
    mine && witnesses.peek().is_some() && witnesses.all(|asked| asked.reply().is_some_and(Reply::is_nxdomain))
}

/// The serial number of the zone at each of its servers.
pub(super) fn serials<'a>(facts: &Facts<'a>) -> Vec<(&'a Lookup, u32)> {
    let zone = facts.zone_asked();
    let serial = |lookup: &'a Lookup| {
        lookup.reply().filter(|reply| reply.authoritative)?.at(zone).find_map(|record| match record.data {
            Data::Soa { serial, .. } => Some((lookup, serial)),
            _ => None,
        })
    };
    facts.seen.source(zone, SOA).filter_map(serial).collect()
}

/// The names of servers that do not have yet what others have: an older version of the zone with another answer, or
/// another answer than the right one.
pub fn behind<'a>(facts: &Facts<'a>) -> BTreeSet<&'a str> {
    let servers = facts.seen.source(facts.name(), CNAME).filter(|it| it.authoritative().is_some());
    let servers: BTreeSet<&str> = servers.map(|it| it.server.name.as_str()).collect();
    let serials = serials(facts);
    let serial =
        |server: &str| serials.iter().find(|(lookup, _)| lookup.server.name == server).map(|(_, serial)| *serial);
    // Serial numbers wrap around (RFC 1982): newer is less than half the circle ahead.
    let newer = |left: u32, right: u32| left != right && left.wrapping_sub(right) < 1 << 31;
    let newest = serials.iter().map(|(_, serial)| *serial).reduce(|a, b| if newer(b, a) { b } else { a });
    let of_newest = servers.iter().copied().find(|server| serial(server).is_some() && serial(server) == newest);
    let right: Vec<&str> = servers.iter().copied().filter(|server| is_right(facts, &answer(facts, server))).collect();
    let is_behind = |server: &&str| {
        let own = answer(facts, server);
        let older = of_newest.filter(|newest| serial(server) != serial(newest) && serial(server).is_some());
        // Of the same version, or of unknown ones, the right one counts.
        let comparable =
            |right: &&str| serial(right).is_none() || serial(server).is_none_or(|own| serial(right) == Some(own));
        older.is_some_and(|newest| answer(facts, newest) != own)
            || right.iter().any(comparable) && !right.contains(server)
    };
    servers.iter().copied().filter(is_behind).collect()
}

/// What one name server has at the name: its CNAMEs, else its addresses.
pub fn answer<'a>(facts: &Facts<'a>, server: &str) -> Vec<&'a Data> {
    let lookups = facts.seen.leading(facts.name()).filter(|it| it.server.name == server);
    leading(lookups.flat_map(|it| it.at(facts.name())))
}

/// What an answer has at the name.
fn leading_at<'a>(name: &'a DnsName, lookup: &'a Lookup) -> Vec<&'a Data> {
    leading(lookup.answer().into_iter().flat_map(|reply| reply.at(name)))
}

/// The CNAMEs, else the addresses; sorted, each once.
fn leading<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<&'a Data> {
    let mut data: Vec<&Data> = records.map(|it| &it.data).collect();
    let is_cname = |data: &&Data| matches!(data, Data::Cname(_));
    let has_cname = data.iter().any(is_cname);
    data.retain(|data| if has_cname { is_cname(data) } else { data.address().is_some() });
    data.sort_by_key(|data| data.presentation());
    data.dedup();
    data
}

/// Whether all of these lead straight to the platform.
pub fn is_right(facts: &Facts<'_>, answer: &[&Data]) -> bool {
    !answer.is_empty() && answer.iter().all(|data| facts.leads(data))
}

/// Whether a resolver has the record of the name servers.
pub(super) fn sees_right(facts: &Facts<'_>, reply: &Reply) -> bool {
    facts.value().is_none() || is_right(facts, &leading(reply.at(facts.name())))
}
