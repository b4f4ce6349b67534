//! What was measured, as plain data: every question with its answer, every handshake, every hop. No judgement.
//!
//! None of it is trusted: it is bounded when read, and cleaned when put into words.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

pub use hickory_proto::op::ResponseCode;
pub use hickory_proto::rr::RecordType;
use hickory_proto::rr::RecordType::{A, AAAA, CAA, CNAME, DNAME, DNSKEY, DS, HTTPS, MX, NS, RRSIG, SOA, TXT};
pub use hyper::Method;
use jiff::Timestamp;
use url::Url;

use crate::model::text::{display_safe, whole};
use crate::model::{cut, short, words};

use super::{DnsName, Evidence};

/// The types that are asked for at a name: those that lead somewhere, and those that are not allowed next to a CNAME.
pub(super) const TYPES: [RecordType; 8] = [CNAME, A, AAAA, TXT, MX, NS, HTTPS, CAA];

/// The role of a server; the word for it as in tables and JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::EnumIs, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// A name server of the zone above the domain's.
    Parent,
    /// A name server that the parent delegates the zone to.
    #[strum(serialize = "source")]
    Authoritative,
    /// A name server that a resolver still asks, and the parent no longer delegates to.
    #[strum(serialize = "former source")]
    Former,
    /// A recursive resolver.
    Resolver {
        /// The one that this machine uses.
        system: bool,
    },
}

impl Role {
    /// Whether it is the resolver of this machine.
    pub fn is_system(self) -> bool {
        self == Self::Resolver { system: true }
    }
}

/// How a server is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Over UDP, and over TCP if need be.
    #[default]
    Plain,
    /// DNS over TLS (RFC 7858).
    Tls,
    /// DNS over HTTPS (RFC 8484), at this path.
    Https(String),
}

/// A server that is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Server {
    /// What it is.
    pub role: Role,
    /// Its host name, or its address if it has none.
    pub name: String,
    /// Where it is reached.
    pub address: SocketAddr,
    pub protocol: Protocol,
}

impl Server {
    /// For people: the name, with the address if that adds information.
    pub fn label(&self) -> String {
        let (ip, name) = (self.address.ip(), display_safe(&self.name));
        let address = if self.address.port() == 53 { ip.to_string() } else { self.address.to_string() };
        if name == address || ip.is_unspecified() || self.protocol != Protocol::Plain {
            return name.into_owned();
        }
        format!("{name} ({address})")
    }
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    pub name: DnsName,
    pub kind: RecordType,
    /// The CD bit: answer also what does not validate (RFC 4035 section 3.2.2).
    pub checking_disabled: bool,
}

impl Question {
    /// A question without the CD bit.
    pub const fn new(name: DnsName, kind: RecordType) -> Self {
        Self { name, kind, checking_disabled: false }
    }
}

/// A question, the server asked, and the reply.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// The server asked.
    pub server: Arc<Server>,
    /// What.
    pub question: Question,
    /// When it was asked.
    pub at: Timestamp,
    /// How long the answer took.
    pub took: Duration,
    /// What came back.
    pub outcome: Result<Reply, NoReply>,
}

/// Why no answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoReply {
    /// Nothing came in time.
    #[error("no answer")]
    Timeout,
    /// Nothing listens at the address.
    #[error("nothing listens there")]
    Closed,
    /// No route to the address.
    #[error("not reachable from here")]
    Unreachable,
    /// The response is not a DNS message, or not for this question.
    #[error("invalid response")]
    Malformed,
    /// It was not asked: its name has no address.
    #[error("the name server has no address")]
    NoAddress,
    /// Its certificate is not for its address, or not trusted.
    #[error("its certificate is not trusted")]
    Untrusted,
    /// It was not asked: its address is not public.
    #[error("not asked: its address is not public")]
    Withheld,
}

/// An answer.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    pub code: ResponseCode,
    /// The AA bit: the server has authority for the zone.
    pub authoritative: bool,
    /// The answer section.
    pub answers: Vec<Record>,
    /// The authority section.
    pub authorities: Vec<Record>,
    /// The additional section, without EDNS.
    pub additionals: Vec<Record>,
    /// The first Extended DNS Error (RFC 8914): its code and its text.
    pub extended_error: Option<(u16, String)>,
    /// It came only when asked without EDNS.
    pub without_edns: bool,
}

/// A resource record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub owner: DnsName,
    /// How long it may be cached, in seconds.
    pub ttl: u32,
    /// What it says.
    pub data: Data,
}

impl Record {
    /// How long an SOA record lets a negative answer be cached, in seconds.
    pub(super) fn negative_ttl(&self) -> Option<u32> {
        if let Data::Soa { minimum, .. } = self.data { Some(self.ttl.min(minimum)) } else { None }
    }
}

/// What a record says, for the types that matter here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// An IPv4 address.
    A(Ipv4Addr),
    /// An IPv6 address.
    Aaaa(Ipv6Addr),
    /// Another name for everything.
    Cname(DnsName),
    /// Another name for everything below.
    Dname(DnsName),
    /// A name server.
    Ns(DnsName),
    /// The start of a zone.
    Soa {
        /// The version of the zone.
        serial: u32,
        /// How often a secondary asks for a new version, in seconds.
        refresh: u32,
        /// How soon it asks again if that failed, in seconds.
        retry: u32,
        /// How long "no such name" may be cached, in seconds (RFC 2308).
        minimum: u32,
    },
    /// Text, its strings joined.
    Txt(String),
    /// A mail server.
    Mx(u16, DnsName),
    /// Which CAs may issue (RFC 8659).
    Caa {
        /// 128 is the critical bit.
        flags: u8,
        /// The property.
        tag: String,
        value: Vec<u8>,
    },
    /// The key of a zone, as its parent lists it (RFC 4034 section 5).
    Ds(KeyId),
    /// A key of the zone (RFC 4034 section 2).
    Dnskey(KeyId),
    /// A signature (RFC 4034 section 3).
    Rrsig {
        /// The type that it signs.
        covers: RecordType,
        begins: Timestamp,
        expires: Timestamp,
    },
    /// How to reach a web server (RFC 9460).
    Https {
        priority: u16,
        /// The root for the name itself.
        target: DnsName,
        /// The addresses that browsers may use at once.
        hints: Vec<IpAddr>,
        port: Option<u16>,
        /// Who decrypts the first message of browsers (ECH); the root if that cannot be read.
        ech: Option<DnsName>,
    },
    /// A type whose data is not read.
    Other(RecordType),
    /// A record that does not hold what its type says.
    Malformed(RecordType),
}

/// What tells keys of a zone apart (RFC 4034 appendix B).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyId {
    pub tag: u16,
    pub algorithm: u8,
}

impl Data {
    /// The record's type.
    pub const fn kind(&self) -> RecordType {
        match self {
            Self::A(_) => A,
            Self::Aaaa(_) => AAAA,
            Self::Cname(_) => CNAME,
            Self::Dname(_) => DNAME,
            Self::Ns(_) => NS,
            Self::Soa { .. } => SOA,
            Self::Txt(_) => TXT,
            Self::Mx(..) => MX,
            Self::Caa { .. } => CAA,
            Self::Ds(_) => DS,
            Self::Dnskey(_) => DNSKEY,
            Self::Rrsig { .. } => RRSIG,
            Self::Https { .. } => HTTPS,
            Self::Other(kind) | Self::Malformed(kind) => *kind,
        }
    }

    /// The address, for the two types that are one.
    pub const fn address(&self) -> Option<IpAddr> {
        match self {
            Self::A(address) => Some(IpAddr::V4(*address)),
            Self::Aaaa(address) => Some(IpAddr::V6(*address)),
            _ => None,
        }
    }

    /// The target of a CNAME.
    pub const fn cname(&self) -> Option<&DnsName> {
        if let Self::Cname(target) = self { Some(target) } else { None }
    }

    /// The host of a name server.
    pub const fn name_server(&self) -> Option<&DnsName> {
        if let Self::Ns(host) = self { Some(host) } else { None }
    }

    /// The data in presentation form, as it is; for exports, not for screens.
    pub(super) fn presentation(&self) -> String {
        match self {
            Self::A(address) => address.to_string(),
            Self::Aaaa(address) => address.to_string(),
            Self::Cname(name) | Self::Dname(name) | Self::Ns(name) => name.dotted(),
            Self::Soa { serial, .. } => format!("serial {serial}"),
            Self::Txt(text) => text.clone(),
            Self::Mx(preference, host) => format!("{preference} {}", host.dotted()),
            Self::Caa { flags, tag, value } => format!("{flags} {tag} \"{}\"", String::from_utf8_lossy(value)),
            Self::Ds(key) | Self::Dnskey(key) => format!("key {}, algorithm {}", key.tag, key.algorithm),
            Self::Rrsig { covers, begins, expires } => format!("{covers} {begins} to {expires}"),
            Self::Https { priority, target, hints, port, ech } => {
                let hints = hints.iter().map(ToString::to_string);
                let rest = hints.chain(port.map(|port| format!("port={port}")));
                let rest = rest.chain(ech.as_ref().map(|name| format!("ech={name}")));
                rest.fold(format!("{priority} {}", target.dotted()), |text, part| text + " " + &part)
            }
            Self::Other(_) => "(present)".to_owned(),
            Self::Malformed(_) => "(unreadable)".to_owned(),
        }
    }

    /// Type and data for people, cleaned and cut.
    pub fn words(&self) -> String {
        let data = self.presentation();
        let data = match self {
            Self::Cname(_) | Self::Dname(_) | Self::Ns(_) | Self::Mx(..) => data.trim_end_matches('.'),
            _ => &data,
        };
        format!("{} {}", type_name(self.kind()), short(data))
    }
}

/// A type as people write it; one without a name as RFC 3597 does.
pub(super) fn type_name(kind: RecordType) -> String {
    match kind {
        RecordType::Unknown(number) => format!("TYPE{number}"),
        other => other.to_string(),
    }
}

impl Reply {
    /// The records of the answer section at `owner` itself.
    pub fn at<'a>(&'a self, owner: &'a DnsName) -> impl Iterator<Item = &'a Record> {
        self.answers.iter().filter(move |record| record.owner == *owner)
    }

    /// The targets of the CNAMEs at `owner`.
    pub(super) fn cnames<'a>(&'a self, owner: &'a DnsName) -> impl Iterator<Item = (&'a DnsName, u32)> {
        self.at(owner).filter_map(|record| Some((record.data.cname()?, record.ttl)))
    }

    /// The target of the first CNAME at `owner`.
    pub(super) fn target<'a>(&'a self, owner: &'a DnsName) -> Option<&'a DnsName> {
        self.at(owner).find_map(|record| record.data.cname())
    }

    /// Every address in the answer section, behind CNAMEs too.
    pub fn addresses(&self) -> impl Iterator<Item = IpAddr> {
        self.answers.iter().filter_map(|record| record.data.address())
    }

    /// The owner of the SOA record in the authority section, with the time that a negative answer may be cached
    /// (RFC 2308 section 5).
    pub fn negative(&self) -> Option<(&DnsName, u32)> {
        self.authorities.iter().find_map(|record| Some((&record.owner, record.negative_ttl()?)))
    }

    /// Whether it is SERVFAIL.
    pub(super) fn is_servfail(&self) -> bool {
        self.code == ResponseCode::ServFail
    }

    /// Whether it is NXDOMAIN.
    pub(super) fn is_nxdomain(&self) -> bool {
        self.code == ResponseCode::NXDomain
    }

    /// Whether it is an answer, positive or negative, and not an error.
    pub fn is_answer(&self) -> bool {
        matches!(self.code, ResponseCode::NoError | ResponseCode::NXDomain)
    }

    /// Whether it is a referral to other servers.
    pub(super) fn is_referral(&self) -> bool {
        self.code == ResponseCode::NoError
            && !self.authoritative
            && self.answers.is_empty()
            && self.authorities.iter().any(|record| matches!(record.data, Data::Ns(_)))
    }

    /// Whether a name server has authority for the zone, or refers to those that have.
    pub(super) fn speaks(&self) -> bool {
        self.is_answer() && (self.authoritative || self.is_referral())
    }

    /// As one line, cleaned and bounded.
    pub fn words(&self) -> String {
        let what = match self.code {
            ResponseCode::NoError if self.is_referral() => {
                let names = self.authorities.iter().filter_map(|record| record.data.name_server()).take(4);
                format!("referral to {}", names.map(|name| display_safe(name.as_str())).collect::<Vec<_>>().join(", "))
            }
            ResponseCode::NoError if self.answers.is_empty() => "no record of this type".to_owned(),
            ResponseCode::NoError => String::new(),
            code => code_name(code).to_owned(),
        };
        let records = self.answers.iter().take(6).map(|record| format!("{}, TTL {}", record.data.words(), record.ttl));
        let records = records.collect::<Vec<_>>().join("; ");
        let more = self.answers.len().checked_sub(6).filter(|more| *more > 0);
        let more = more.map_or_else(String::new, |more| format!("; and {more} more"));
        format!("{what}{records}{more}{}", self.extended_error.as_ref().map_or_else(String::new, error_words))
    }
}

/// An Extended DNS Error, to follow what it explains.
pub(super) fn error_words((code, text): &(u16, String)) -> String {
    let text = if text.is_empty() { String::new() } else { format!(": {}", short(text)) };
    format!(" (extended error {code}{text})")
}

impl Lookup {
    /// The answer, if one came.
    pub fn reply(&self) -> Option<&Reply> {
        self.outcome.as_ref().ok()
    }

    /// Whether an answer came, positive or negative.
    pub(super) fn is_answered(&self) -> bool {
        self.answer().is_some()
    }

    /// Whether the server could not answer, as resolvers say of a zone that does not validate.
    pub(super) fn is_servfail(&self) -> bool {
        self.reply().is_some_and(|reply| reply.code == ResponseCode::ServFail)
    }

    /// The reply, unless it is an error.
    pub fn answer(&self) -> Option<&Reply> {
        self.reply().filter(|reply| reply.is_answer())
    }

    /// The records at `owner` in presentation form, sorted, to compare and to remember.
    pub(super) fn records_at(&self, owner: &DnsName) -> Vec<String> {
        let mut records: Vec<_> = self.at(owner).map(|record| record.data.presentation()).collect();
        records.sort_unstable();
        records
    }

    /// Whether it shows signatures.
    pub(super) fn is_signed(&self) -> bool {
        self.reply().is_some_and(|reply| reply.answers.iter().any(|record| matches!(record.data, Data::Rrsig { .. })))
    }

    /// The records of the answer section at `owner` itself.
    pub fn at<'a>(&'a self, owner: &'a DnsName) -> impl Iterator<Item = &'a Record> {
        self.reply().into_iter().flat_map(|reply| reply.at(owner))
    }

    /// The answer of a server with authority for the zone.
    pub fn authoritative(&self) -> Option<&Reply> {
        self.answer().filter(|reply| reply.authoritative)
    }

    /// Why there is no answer, neither positive nor negative.
    pub(super) fn failure(&self) -> Option<String> {
        match &self.outcome {
            Err(why) => Some(why.to_string()),
            Ok(reply) => (!reply.is_answer()).then(|| code_name(reply.code).to_owned()),
        }
    }
}

/// What became of a question: three things that no judgement may take for each other.
#[derive(Clone, Copy, Debug)]
pub enum Asked<'a> {
    NotAsked,
    /// Nobody answered it; one of those that failed.
    Failed(&'a Lookup),
    Answered(&'a Lookup, &'a Reply),
}

impl<'a> FromIterator<&'a Lookup> for Asked<'a> {
    /// The first answer, else the first failure.
    fn from_iter<T: IntoIterator<Item = &'a Lookup>>(lookups: T) -> Self {
        lookups.into_iter().fold(Self::NotAsked, |asked, lookup| match (asked, lookup.answer()) {
            (Self::NotAsked | Self::Failed(_), Some(reply)) => Self::Answered(lookup, reply),
            (Self::NotAsked, None) => Self::Failed(lookup),
            (asked, _) => asked,
        })
    }
}

impl From<&Lookup> for Evidence {
    fn from(lookup: &Lookup) -> Self {
        let Question { name, kind, checking_disabled } = &lookup.question;
        let validation = if *checking_disabled { " (validation off)" } else { "" };
        Self {
            question: format!("{} {}{validation}", display_safe(name.as_str()), type_name(*kind)),
            server: lookup.server.label(),
            answer: match &lookup.outcome {
                Ok(reply) if reply.is_answer() && !reply.speaks() && lookup.server.role == Role::Authoritative => {
                    format!("{} (without the AA bit)", reply.words())
                }
                Ok(reply) => reply.words(),
                Err(why) => why.to_string(),
            },
            at: lookup.at,
        }
    }
}

/// A response code as people write it.
pub(super) fn code_name(code: ResponseCode) -> &'static str {
    match code {
        ResponseCode::NoError => "NOERROR",
        ResponseCode::FormErr => "FORMERR",
        ResponseCode::ServFail => "SERVFAIL",
        ResponseCode::NXDomain => "NXDOMAIN",
        ResponseCode::NotImp => "NOTIMP",
        ResponseCode::Refused => "REFUSED",
        ResponseCode::NotAuth => "NOTAUTH",
        _ => "an error",
    }
}

/// Everything measured about one domain in one check.
#[derive(Clone, Debug, Default)]
pub struct Observations {
    /// Every question, in the order of the answers.
    pub lookups: Vec<Lookup>,
    /// Questions put to a resolver once more: several caches may be behind its address.
    pub again: Vec<Lookup>,
    /// The zone of the name.
    pub zone: Option<DnsName>,
    /// The name servers that the parent delegates the zone to; empty if the parent could not be asked.
    pub delegated: Vec<DnsName>,
    /// A random name next to the domain, which does not exist. Only name servers are asked for it: in a resolver it
    /// would renew the SOA record that a cached "no such name" is shown with.
    pub sibling: DnsName,
    /// A random name next to the registered domain, which does not exist; for resolvers.
    pub nobody: DnsName,
    /// Where CAs look for proof by DNS (RFC 8555 section 8.4).
    pub dns_challenge: DnsName,
    /// The names that result when a provider adds the zone to a full name.
    pub doubled: Vec<DnsName>,
    /// The system's hosts file has this address for the name.
    pub hosts_file: Option<IpAddr>,
    /// One handshake for each address, https.
    pub handshakes: Vec<Handshake>,
    /// The handshake with the platform under its own name.
    pub platform_handshake: Option<Handshake>,
    /// Handshakes for the platform's own name at other addresses: its further edges have its certificate, too.
    pub edge_handshakes: Vec<Handshake>,
    /// A handshake without a server name, with a server that has no certificate for the name.
    pub nameless_handshake: Option<Handshake>,
    /// From `http://` the name.
    pub front: Option<Trail>,
    /// The path of the certificate check over port 80, for each address.
    pub challenges: Vec<Trail>,
    /// Which parts are complete.
    pub complete: Complete,
}

/// Which parts of a measurement are complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Complete {
    /// The name servers.
    pub source: bool,
    /// Name servers and resolvers, except resolvers that are late.
    pub record: bool,
    /// The platform's own host, if known.
    pub platform: bool,
    pub caa: bool,
    /// Certificates.
    pub certificate: bool,
    pub http: bool,
}

impl Complete {
    /// Everything.
    pub const ALL: Self = Self { source: true, record: true, platform: true, caa: true, certificate: true, http: true };

    /// What is still being asked, in words.
    pub fn still_asking(self) -> String {
        let parts = [
            (self.source, "name servers"),
            (self.record, "resolvers"),
            (self.caa, "CAA"),
            (self.certificate, "certificates"),
            (self.http, "the site"),
        ];
        words::list(parts.into_iter().filter(|(complete, _)| !complete).map(|(_, part)| part))
    }
}

impl Observations {
    /// The answers of the name servers of the zone to a question.
    pub fn source<'a>(&'a self, name: &DnsName, kind: RecordType) -> impl Iterator<Item = &'a Lookup> {
        self.asked(name, kind).filter(|lookup| lookup.server.role == Role::Authoritative)
    }

    /// Whether one of them has authority for the zone, and answers.
    pub(super) fn speaks_for(&self, name: &DnsName, kind: RecordType) -> bool {
        self.source(name, kind).any(|lookup| lookup.authoritative().is_some())
    }

    /// The answers of the name servers of the zone above to a question.
    pub(super) fn parents<'a>(&'a self, name: &DnsName, kind: RecordType) -> impl Iterator<Item = &'a Lookup> {
        self.asked(name, kind).filter(|lookup| lookup.server.role == Role::Parent)
    }

    /// The answers of the name servers of the zone about what leads somewhere: CNAMEs, then addresses.
    pub(super) fn leading<'a>(&'a self, name: &DnsName) -> impl Iterator<Item = &'a Lookup> {
        [CNAME, A, AAAA].into_iter().flat_map(|kind| self.source(name, kind))
    }

    /// Whether the name servers answered that nothing at `name` leads anywhere.
    pub(super) fn leads_nowhere(&self, name: &DnsName) -> bool {
        let mut replies = self.leading(name).filter_map(Lookup::authoritative).peekable();
        replies.peek().is_some() && replies.all(|reply| reply.answers.is_empty())
    }

    /// The name servers asked so far turn out to be those of the zone above.
    pub(super) fn descend(&mut self) {
        for lookup in self.lookups.iter_mut().filter(|lookup| lookup.server.role == Role::Authoritative) {
            lookup.server = Arc::new(Server { role: Role::Parent, ..(*lookup.server).clone() });
        }
    }

    /// The name servers that resolvers have cached for the zone, and that neither its parent nor the zone itself lists.
    pub(super) fn former<'a>(&'a self, zone: &'a DnsName) -> Vec<DnsName> {
        let hosts = |lookup: &'a Lookup| lookup.at(zone).filter_map(|record| record.data.name_server());
        let own: Vec<_> = self.source(zone, NS).flat_map(hosts).chain(&self.delegated).collect();
        let cached = self.resolvers(zone, NS).flat_map(hosts);
        let former: BTreeSet<_> = cached.filter(|host| !self.delegated.is_empty() && !own.contains(host)).collect();
        former.into_iter().cloned().collect()
    }

    /// Whether a resolver answers for a name otherwise than its name servers, which have a record there.
    pub(super) fn is_cached(&self, lookup: &Lookup) -> bool {
        let name = &lookup.question.name;
        let at_source = self.leading(name).flat_map(|lookup| lookup.at(name));
        let at_source: Vec<_> = at_source.map(|record| &record.data).collect();
        let is_other = |reply: &Reply| !reply.at(name).any(|it| at_source.contains(&&it.data));
        !at_source.is_empty() && lookup.answer().is_some_and(is_other)
    }

    /// The answers of the resolvers to a question.
    pub fn resolvers<'a>(&'a self, name: &DnsName, kind: RecordType) -> impl Iterator<Item = &'a Lookup> {
        self.asked(name, kind).filter(|lookup| lookup.server.role.is_resolver())
    }

    /// The resolvers that answered as they answer visitors: that of this machine only if there is no other.
    pub(super) fn of_visitors<'a>(&'a self, name: &DnsName, kind: RecordType) -> Vec<&'a Lookup> {
        let answered = self.resolvers(name, kind).filter(|lookup| lookup.is_answered());
        let (local, others): (Vec<_>, Vec<_>) = answered.partition(|lookup| lookup.server.role.is_system());
        if others.is_empty() { local } else { others }
    }

    /// Every address of a host, from any server.
    pub(super) fn addresses_of(&self, host: &DnsName) -> Vec<IpAddr> {
        let lookups = [A, AAAA].into_iter().flat_map(|kind| self.asked(host, kind));
        let addresses: BTreeSet<_> = lookups.filter_map(Lookup::reply).flat_map(Reply::addresses).collect();
        addresses.into_iter().collect()
    }

    /// What the platform shows under its own name.
    pub fn platform(&self) -> Option<&Presented> {
        self.platform_handshake.as_ref()?.outcome.as_ref().ok()
    }

    /// The answers of all servers to a question.
    pub fn asked<'a>(&'a self, name: &DnsName, kind: RecordType) -> impl Iterator<Item = &'a Lookup> {
        self.lookups.iter().filter(move |lookup| {
            lookup.question.kind == kind && lookup.question.name == *name && !lookup.question.checking_disabled
        })
    }
}

/// A handshake with one address, and the front page over it.
#[derive(Clone, Debug)]
pub struct Handshake {
    /// The server name that was sent (RFC 6066 section 3), if one was.
    pub server_name: Option<String>,
    /// The server.
    pub address: SocketAddr,
    /// When it began.
    pub at: Timestamp,
    /// What was presented.
    pub outcome: Result<Presented, ConnectionFailure>,
    /// The answer to HEAD / over this connection.
    pub page: Option<Hop>,
}

/// The certificates of a server, even an untrusted one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presented {
    /// The leaf first.
    pub chain: Vec<Certificate>,
    /// The verdict on issuer and signatures, regardless of dates and names.
    pub trust: Result<(), Distrust>,
}

/// Why a chain is not trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distrust {
    /// It does not lead to a known root.
    UnknownIssuer,
    /// This machine has no roots at all.
    NoRoots,
    /// The dates of another certificate than the server's own, in words.
    Dates(&'static str),
    /// Another reason, in words.
    Other(&'static str),
}

/// What a certificate says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The subject's distinguished name.
    pub subject: String,
    /// The issuer's distinguished name.
    pub issuer: String,
    /// The issuer in short: its organisation, else its common name.
    pub issuer_short: String,
    /// The subject's common name.
    pub common_name: Option<String>,
    /// The DNS names among its subject alternative names, lower case.
    pub names: Vec<String>,
    /// Valid from.
    pub not_before: Timestamp,
    /// Valid until.
    pub not_after: Timestamp,
    /// In hexadecimal.
    pub serial: String,
    /// The size of its key in bits, if it is an RSA key.
    pub rsa_bits: Option<usize>,
    /// It has a URL of its issuer's certificate (RFC 5280 section 4.2.2.1).
    pub names_its_issuer: bool,
}

impl Certificate {
    /// Whether it is self-signed.
    pub fn is_self_issued(&self) -> bool {
        self.subject == self.issuer
    }

    /// Whether browsers reject its key (CA/Browser Forum, Baseline Requirements 6.1.5).
    pub fn is_weak(&self) -> bool {
        self.rsa_bits.is_some_and(|bits| bits < 2048)
    }

    /// Whether it is for `name`.
    pub fn covers(&self, name: &str) -> bool {
        self.names.iter().any(|pattern| covers(pattern, name))
    }
}

/// Whether a name of a certificate is for `name`: a wildcard covers exactly one label (RFC 9525 section 6.3).
pub fn covers(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(rest) => name.split_once('.').is_some_and(|(label, below)| !label.is_empty() && below == rest),
        None => pattern == name,
    }
}

impl Presented {
    /// The server's own certificate.
    pub fn leaf(&self) -> Option<&Certificate> {
        self.chain.first()
    }
}

impl Handshake {
    /// The server's own certificate.
    pub fn leaf(&self) -> Option<&Certificate> {
        self.outcome.as_ref().ok()?.leaf()
    }

    /// The server's certificate, if it is trusted and for `name`.
    pub fn good_leaf(&self, name: &str) -> Option<&Certificate> {
        let presented = self.outcome.as_ref().ok().filter(|presented| presented.trust.is_ok());
        presented?.leaf().filter(|leaf| leaf.covers(name))
    }

    /// The answer to HEAD /, if one came.
    pub fn response(&self) -> Option<&Response> {
        self.page.as_ref()?.response()
    }
}

impl From<&Handshake> for Evidence {
    fn from(handshake: &Handshake) -> Self {
        let answer = match (&handshake.outcome, handshake.leaf()) {
            (Ok(presented), Some(leaf)) => {
                let names = leaf.names.iter().take(4).map(|name| whole(name)).collect::<Vec<_>>().join(", ");
                let names = if names.is_empty() { "no names" } else { &names };
                let [from, to] = [leaf.not_before, leaf.not_after].map(|at| at.strftime("%Y-%m-%d").to_string());
                let [issuer, serial] = [&leaf.issuer_short, &leaf.serial].map(|text| whole(text));
                let sent: Vec<_> = presented.chain.iter().map(|certificate| whole(&certificate.subject)).collect();
                format!("{names}; {from} to {to}; issuer {issuer}; serial {serial}; sent: {}", sent.join(" / "))
            }
            (Ok(_), None) => "no certificate".to_owned(),
            (Err(why), _) => why.to_string(),
        };
        let question = match &handshake.server_name {
            Some(name) => format!("TLS handshake for {}", display_safe(name)),
            None => "TLS handshake without SNI".to_owned(),
        };
        Self { question, server: handshake.address.to_string(), answer, at: handshake.at }
    }
}

/// One request and its answer.
#[derive(Clone, Debug)]
pub struct Hop {
    /// What was asked for.
    pub url: Url,
    /// HEAD; or GET, if HEAD gives another error, or the page itself matters.
    pub method: Method,
    /// The server asked; `None` if the host has no address.
    pub address: Option<SocketAddr>,
    /// When.
    pub at: Timestamp,
    /// What came back.
    pub outcome: Result<Response, ConnectionFailure>,
}

/// Hops from the first to the last that was followed.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    /// In order; never more than eleven.
    pub hops: Vec<Hop>,
    /// The last hop redirects on, but the limit was reached.
    pub cut: bool,
}

/// The fields of an answer that matter here, as they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    pub location: Option<String>,
    pub server: Option<String>,
    /// Whether Cloudflare's `CF-RAY` was there.
    pub cf_ray: bool,
    pub cache_control: Option<String>,
    /// `Age`, in seconds.
    pub age: Option<u64>,
    /// `Strict-Transport-Security`.
    pub hsts: Option<String>,
    pub date: Option<Timestamp>,
    pub refresh: Option<String>,
    /// The beginning of the page, if it was requested.
    pub page: Option<String>,
    /// A field that only parking services send.
    pub parking_field: bool,
}

/// Why a connection, a handshake or an answer failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectionFailure {
    /// The host has no address.
    #[error("the host has no address")]
    NoAddress,
    /// The address is not public, and was not connected to.
    #[error("not connected: the address is not public")]
    Withheld,
    /// No route to the address.
    #[error("not reachable from here")]
    Unreachable,
    /// The connection was refused.
    #[error("connection refused")]
    Refused,
    /// The connection was reset.
    #[error("connection reset")]
    Reset,
    /// No answer in time.
    #[error("no answer")]
    Timeout,
    /// Something else than TLS answered.
    #[error("an answer that is not TLS")]
    NotTls,
    /// The server ended the handshake with this alert (RFC 8446 section 6).
    #[error("alert {0}")]
    Alert(String),
    /// It speaks only versions of TLS that browsers have given up (RFC 8996).
    #[error("no TLS version that browsers still use")]
    OldTls,
    /// It takes only cipher suites without forward secrecy or authenticated encryption.
    #[error("only old cipher suites, such as those with CBC")]
    OldCiphers,
    /// The server sent something that is not a certificate.
    #[error("an unreadable certificate")]
    BadCertificate,
    /// Not requested, since no TLS handshake was possible.
    #[error("no TLS handshake")]
    NoHandshake,
    /// The answer is not HTTP, or larger than allowed.
    #[error("an answer that is not HTTP")]
    NotHttp,
}

impl ConnectionFailure {
    /// What the failure of a handshake means for the request that was to follow.
    pub fn before_request(self) -> Self {
        match self {
            Self::Withheld | Self::Unreachable | Self::Refused | Self::Timeout => self,
            _ => Self::NoHandshake,
        }
    }
}

impl Response {
    /// Whether it is a redirect.
    pub const fn is_redirect(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308)
    }

    /// A directive of `Cache-Control` with a number of seconds.
    pub fn cache_seconds(&self, directive: &str) -> Option<u64> {
        self.cache_control.as_deref()?.split(',').find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.trim().eq_ignore_ascii_case(directive).then(|| value.trim().trim_matches('"').parse().ok())?
        })
    }
}

impl Trail {
    /// The answer of the last hop.
    pub fn last(&self) -> Option<&Response> {
        self.hops.last()?.response()
    }
}

impl Hop {
    /// The answer, if one came.
    pub fn response(&self) -> Option<&Response> {
        self.outcome.as_ref().ok()
    }

    /// Whether it is a redirect.
    pub fn is_redirect(&self) -> bool {
        self.response().is_some_and(Response::is_redirect)
    }

    /// How long a browser may keep this redirect, in words; `None` if it is not a redirect. Without a limit a permanent
    /// one may be kept as long as the browser likes (RFC 9111 section 4.2.2).
    pub fn kept(&self) -> Option<String> {
        let response = self.response().filter(|response| response.is_redirect())?;
        Some(match (response.cache_seconds("max-age"), response.status) {
            (None, 301 | 308) => "cached without a limit".to_owned(),
            (Some(0) | None, _) => "not cached".to_owned(),
            (Some(seconds), _) => format!("cached for {seconds} s"),
        })
    }
}

impl From<&Hop> for Evidence {
    fn from(hop: &Hop) -> Self {
        let answer = match &hop.outcome {
            Ok(response) => match &response.location {
                Some(location) => format!("{} to {}", response.status, short(location)),
                None => response.status.to_string(),
            },
            Err(why) => why.to_string(),
        };
        Self {
            question: format!("{} {}", hop.method.as_str(), cut(&display_safe(hop.url.as_str()), 120)),
            server: hop.address.map_or_else(|| "-".to_owned(), |address| address.to_string()),
            answer,
            at: hop.at,
        }
    }
}
