//! An internet in memory, for practice: what its name servers, resolvers and web servers answer.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RecordType;
use jiff::{SignedDuration, Timestamp};
use url::{Position, Url};

use super::{
    Certificate, ConnectionFailure, Data, DnsName, Method, Presented, Question, Record, Reply, Response, Server,
};

/// How long an answer that says no may be kept, in seconds.
pub const NOTHING_TTL: u32 = 900;
/// How long a certificate is valid.
const VALID: SignedDuration = SignedDuration::from_hours(90 * 24);

/// What there is at one time: zones, caches and web servers.
#[derive(Clone, Debug)]
pub struct World {
    pub now: Timestamp,
    /// From the root down.
    pub zones: Vec<Zone>,
    pub held: Vec<Held>,
    /// Where the platform answers; the same old pages are at every other address.
    pub platform: IpAddr,
    /// The first is the platform's own, whose certificate strangers see.
    pub hosts: Vec<Host>,
}

/// A zone with the hosts that serve it.
#[derive(Clone, Debug)]
pub struct Zone {
    apex: DnsName,
    servers: Vec<DnsName>,
    records: Vec<Record>,
}

/// What a resolver still has.
#[derive(Clone, Debug)]
pub struct Held {
    /// The address of the resolver.
    pub by: IpAddr,
    pub name: DnsName,
    /// Every type, without one.
    pub kind: Option<RecordType>,
    pub reply: Reply,
}

/// A name for which the platform has a certificate.
#[derive(Clone, Debug)]
pub struct Host {
    pub name: &'static str,
    /// From when on the certificate is valid.
    pub certified: Timestamp,
    pub answer: Answer,
}

/// What the platform answers for a name over https.
#[derive(Clone, Debug)]
pub enum Answer {
    Pages,
    /// The same path there.
    Redirect(String),
    NoProject,
}

impl World {
    /// Where its name servers answer.
    pub fn name_servers(&self) -> HashMap<DnsName, SocketAddr> {
        let hosts = self.zones.iter().flat_map(|zone| zone.servers.iter().cloned());
        let addresses = (1..).map(|number| SocketAddr::from(([198, 51, 100, number], 53)));
        hosts.zip(addresses).collect()
    }

    /// What a name server or a resolver answers.
    pub fn answer(&self, server: &Server, question: &Question) -> Reply {
        match server.role.is_resolver() {
            true => self.resolve(server.address.ip(), question),
            false => self.authoritative(&DnsName::new(&server.name), question),
        }
    }

    fn authoritative(&self, host: &DnsName, question: &Question) -> Reply {
        let Some(zone) = self.zones_of(question).rfind(|zone| zone.servers.contains(host)) else {
            return Reply { code: ResponseCode::Refused, ..Reply::default() };
        };
        match self.zones_of(question).find(|below| below.apex != zone.apex && below.apex.is_within(&zone.apex)) {
            Some(below) => Reply { authorities: below.name_servers().collect(), ..Reply::default() },
            None => zone.answer(question),
        }
    }

    fn resolve(&self, by: IpAddr, question: &Question) -> Reply {
        let held = self.held.iter().find(|held| {
            held.by == by && held.name == question.name && held.kind.is_none_or(|kind| kind == question.kind)
        });
        let fresh = || self.zones_of(question).next_back().map(|zone| zone.answer(question)).unwrap_or_default();
        let mut reply = held.map_or_else(fresh, |held| held.reply.clone());
        reply.authoritative = false;
        let target = reply.answers.first().and_then(|record| record.data.cname());
        // No zone here leads in a circle.
        if let Some(target) = target.filter(|_| question.kind != RecordType::CNAME) {
            let next = self.resolve(by, &Question::new(target.clone(), question.kind));
            reply = Reply { answers: [reply.answers, next.answers].concat(), ..next };
        }
        reply
    }

    /// The zones that may answer, the uppermost first. DS records are in the zone above.
    fn zones_of(&self, question: &Question) -> impl DoubleEndedIterator<Item = &Zone> {
        let is_below = |zone: &&Zone| !(question.kind == RecordType::DS && question.name == zone.apex);
        self.zones.iter().filter(|zone| question.name.is_within(&zone.apex)).filter(is_below)
    }

    /// What a web server shows to callers of a name.
    pub fn shake(&self, address: IpAddr, server_name: Option<&str>) -> Result<Presented, ConnectionFailure> {
        if address != self.platform {
            return Err(ConnectionFailure::Alert("unrecognized_name".to_owned()));
        }
        let known = self.hosts.iter().find(|host| Some(host.name) == server_name);
        // Strangers see the platform's own certificate.
        let host = known.or_else(|| self.hosts.first()).ok_or(ConnectionFailure::Reset)?;
        Ok(Presented { chain: vec![host.certificate()], trust: Ok(()) })
    }

    /// What a web server answers.
    pub fn request(&self, address: IpAddr, method: Method, url: &Url) -> Result<Response, ConnectionFailure> {
        if url.scheme() == "https" {
            self.shake(address, url.host_str()).map_err(ConnectionFailure::before_request)?;
        }
        let path = &url[Position::BeforePath..Position::AfterQuery];
        let host = self.hosts.iter().find(|host| Some(host.name) == url.host_str());
        let (status, location, page) = match host.map(|host| &host.answer) {
            _ if address != self.platform => (200, None, "<title>Old pages</title>\n"),
            None | Some(Answer::NoProject) => (404, None, "<title>No such project</title>\n"),
            Some(_) if url.scheme() == "http" && path.starts_with("/.well-known/acme-challenge/") => (404, None, ""),
            Some(_) if url.scheme() == "http" => {
                (301, Some(format!("https://{}{path}", url.host_str().unwrap_or_default())), "")
            }
            Some(Answer::Redirect(there)) => (301, Some(format!("{there}{path}")), ""),
            Some(Answer::Pages) => (200, None, "<title>Acme Pets, the documentation</title>\n"),
        };
        let page = (method == Method::GET).then(|| page.to_owned());
        Ok(Response { status, location, date: Some(self.now), page, ..Response::default() })
    }
}

impl Zone {
    pub fn new(apex: &str, servers: &[&str], records: Vec<Record>) -> Self {
        Self { apex: DnsName::new(apex), servers: servers.iter().map(|host| DnsName::new(host)).collect(), records }
    }

    fn name_servers(&self) -> impl Iterator<Item = Record> {
        self.servers.iter().map(|host| record(self.apex.as_str(), 172_800, Data::Ns(host.clone())))
    }

    fn answer(&self, question: &Question) -> Reply {
        let own = self.records.iter().cloned();
        let all: Vec<_> = own.chain(self.name_servers()).chain([soa(&self.apex)]).collect();
        let at = |kind| {
            let fits = |record: &&Record| record.owner == question.name && record.data.kind() == kind;
            all.iter().filter(fits).cloned().collect::<Vec<_>>()
        };
        let answers = Some(at(question.kind)).filter(|answers| !answers.is_empty());
        let answers = answers.unwrap_or_else(|| at(RecordType::CNAME));
        let exists = all.iter().any(|record| record.owner.is_within(&question.name));
        let code = if exists { ResponseCode::NoError } else { ResponseCode::NXDomain };
        let denial = answers.is_empty().then(|| Record { ttl: NOTHING_TTL, ..soa(&self.apex) });
        Reply { code, authoritative: true, answers, authorities: denial.into_iter().collect(), ..Reply::default() }
    }
}

impl Host {
    fn certificate(&self) -> Certificate {
        Certificate {
            subject: format!("CN={}", self.name),
            issuer: "CN=World Trust R3, O=World Trust".to_owned(),
            issuer_short: "World Trust".to_owned(),
            common_name: Some(self.name.to_owned()),
            names: vec![self.name.to_owned()],
            not_before: self.certified,
            not_after: self.certified.checked_add(VALID).unwrap_or(Timestamp::MAX),
            serial: format!("{:x}", self.certified.as_second()),
            rsa_bits: None,
            names_its_issuer: true,
        }
    }
}

/// A record at `owner`.
pub fn record(owner: &str, ttl: u32, data: Data) -> Record {
    Record { owner: DnsName::new(owner), ttl, data }
}

/// The SOA record of a zone.
pub fn soa(apex: &DnsName) -> Record {
    let data = Data::Soa { serial: 2_026_112_001, refresh: 7200, retry: 900, minimum: NOTHING_TTL };
    record(apex.as_str(), 3600, data)
}
