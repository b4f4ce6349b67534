//! The internet of the sandbox, in memory: what its servers answer follows from the facts and the time.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RecordType;
use jiff::{SignedDuration, Timestamp};
use url::{Position, Url};

use super::{Project, Sandbox, later, since};
use crate::domains::DnsName;
use crate::domains::check_options::{CheckOptions, resolver};
use crate::domains::diagnosis::Expectation;
use crate::domains::observation::{
    Certificate, ConnectionFailure, Data, Method, Presented, Question, Record, Reply, Response, Server,
};

/// The only CA that the zone allows at first.
const OTHER_CA: &str = "digicert.com";
/// How long the A record of the old host may be kept, in seconds.
const OLD_TTL: u32 = 1254;
/// Where resolvers answer.
const RESOLVERS: [Ipv4Addr; 4] = [
    Ipv4Addr::new(192, 0, 2, 1),
    Ipv4Addr::new(192, 0, 2, 2),
    Ipv4Addr::new(192, 0, 2, 3),
    Ipv4Addr::new(192, 0, 2, 4),
];
/// The resolvers that have the A record when it is deleted, and for how many seconds more.
const HOLDING: [(Ipv4Addr, u32); 2] = [(RESOLVERS[1], OLD_TTL), (RESOLVERS[2], OLD_TTL / 3)];
/// The resolver that asks repeatedly, even while there is no record.
const ASKING: Ipv4Addr = RESOLVERS[3];
/// How long before the CNAME came it asked last.
const ASKED_BEFORE: SignedDuration = SignedDuration::from_mins(5);
/// How long an answer that says no may be kept, in seconds.
const NOTHING_TTL: u32 = 900;
/// How far CAs backdate a certificate, for slow clocks.
const BACKDATED: SignedDuration = SignedDuration::from_hours(1);
/// How long a certificate is valid.
const VALID: SignedDuration = SignedDuration::from_hours(90 * 24);
/// How often the platform renews certificates: practice may go on for days, which are months.
const RENEWAL: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Where the platform answers.
const PLATFORM_ADDRESS: Ipv4Addr = Ipv4Addr::new(203, 0, 113, 1);
/// The name servers of the zones of the project.
const NAME_SERVERS: [&str; 2] = ["ns1.acme-dns.net", "ns2.acme-dns.net"];

/// What there is at one time: zones, caches and web servers.
#[derive(Clone, Debug)]
pub struct World {
    now: Timestamp,
    zones: Vec<Zone>,
    /// What resolvers still have for the domain: for one type, or for all.
    held: Vec<(Ipv4Addr, Option<RecordType>, Reply)>,
    hosts: Vec<Host>,
}

/// A zone with the hosts that serve it.
#[derive(Clone, Debug)]
struct Zone {
    apex: DnsName,
    servers: Vec<DnsName>,
    records: Vec<Record>,
}

/// A name for which the platform has a certificate.
#[derive(Clone, Debug)]
struct Host {
    name: &'static str,
    /// From when on the certificate is valid.
    certified: Timestamp,
    answer: Answer,
}

/// What the platform answers for a name over https.
#[derive(Clone, Debug)]
enum Answer {
    Pages,
    /// The same path there.
    Redirect(String),
    NoProject,
}

impl Sandbox {
    /// The settings of a check in the sandbox at this time.
    pub fn options(&self, now: Timestamp) -> CheckOptions {
        let world = self.world(now);
        let expectation =
            Expectation { platform_host: None, ca_identities: vec![Self::CA.to_owned()], allow_private: true };
        CheckOptions {
            resolvers: RESOLVERS.iter().map(|address| resolver(SocketAddr::from((*address, 53)))).collect(),
            name_servers: world.name_servers(),
            now: Some(now),
            world: Some(Arc::new(world)),
            ..CheckOptions::new(expectation, Vec::new())
        }
    }

    /// The internet at a time of the sandbox.
    pub fn world(&self, now: Timestamp) -> World {
        let to_platform = |name| record(name, Self::TTL, Data::Cname(DnsName::new(Self::PLATFORM_HOST)));
        let platform = record(Self::PLATFORM_HOST, Self::TTL, Data::A(PLATFORM_ADDRESS));
        let above = ["a.gtld-servers.net"];
        let zones = vec![
            Zone::new("", &["a.root-servers.net"], Vec::new()),
            Zone::new("com", &above, Vec::new()),
            Zone::new("net", &above, Vec::new()),
            Zone::new("petplatform.net", &["ns1.petplatform.net"], vec![platform]),
            Zone::new("acme-pets.com", &NAME_SERVERS, [Self::PRIMARY, Self::REDIRECTED].map(to_platform).into()),
            Zone::new(Self::ZONE, &NAME_SERVERS, self.records(to_platform(Self::DOMAIN))),
        ];
        World { now, zones, held: self.held(now), hosts: self.hosts(now) }
    }

    /// What the DNS provider has.
    fn records(&self, cname: Record) -> Vec<Record> {
        let caa = |authority: &str| {
            record(Self::ZONE, Self::TTL, Data::Caa { flags: 0, tag: "issue".to_owned(), value: authority.into() })
        };
        let old = self.deleted.is_none().then(|| record(Self::DOMAIN, OLD_TTL, Data::A(Self::OLD_ADDRESS)));
        let allowed = self.allowed.then(|| caa(Self::CA));
        [Some(caa(OTHER_CA)), allowed, old, self.cname.map(|_| cname)].into_iter().flatten().collect()
    }

    /// What resolvers still have cached.
    fn held(&self, now: Timestamp) -> Vec<(Ipv4Addr, Option<RecordType>, Reply)> {
        let left = |from: Timestamp, ttl: u32| {
            u32::try_from(i64::from(ttl) - since(from, now).as_secs()).ok().filter(|left| *left > 0)
        };
        let old = HOLDING.into_iter().filter_map(|(by, ttl)| {
            let answers = vec![record(Self::DOMAIN, left(self.deleted?, ttl)?, Data::A(Self::OLD_ADDRESS))];
            Some((by, Some(RecordType::A), Reply { answers, ..Reply::default() }))
        });
        let nothing = self.denied_before().and_then(|asked| {
            let authorities = vec![Record { ttl: left(asked, NOTHING_TTL)?, ..soa(&DnsName::new(Self::ZONE)) }];
            Some((ASKING, None, Reply { code: ResponseCode::NXDomain, authorities, ..Reply::default() }))
        });
        old.chain(nothing).collect()
    }

    /// When the last resolver has forgotten what was there before the CNAME.
    pub(super) fn caches_end(&self) -> Option<Timestamp> {
        let held = |from: Timestamp, ttl: u32| later(from, SignedDuration::from_secs(ttl.into()));
        let nothing = self.denied_before().map(|asked| held(asked, NOTHING_TTL));
        HOLDING.into_iter().filter_map(|(_, ttl)| Some(held(self.deleted?, ttl))).chain(nothing).max()
    }

    /// When the resolver that asks repeatedly heard last that there is no record.
    fn denied_before(&self) -> Option<Timestamp> {
        let (deleted, cname) = (self.deleted?, self.cname?);
        (since(deleted, cname) >= ASKED_BEFORE).then(|| later(cname, -ASKED_BEFORE))
    }

    /// The names that the platform has certificates for. For the domain there is none at first, and it stays when the
    /// domain is removed.
    fn hosts(&self, now: Timestamp) -> Vec<Host> {
        let renewed = later(self.renewed(now), -RENEWAL);
        let to_primary = || Answer::Redirect(format!("https://{}", Self::PRIMARY));
        let circle = || Answer::Redirect(format!("http://{}", Self::REDIRECTED));
        let redirected = if self.corrected { to_primary() } else { circle() };
        let live =
            [(Self::PLATFORM_HOST, Answer::Pages), (Self::PRIMARY, Answer::Pages), (Self::REDIRECTED, redirected)];
        let live = live.into_iter().map(|(name, answer)| Host { name, certified: renewed, answer });
        let own = self.certificate.filter(|from| *from <= now).map(|from| Host {
            name: Self::DOMAIN,
            certified: renewed.max(later(from, -BACKDATED)),
            answer: match self.project {
                Project::With if self.redirected => to_primary(),
                Project::With => Answer::Pages,
                Project::Without | Project::Removed => Answer::NoProject,
            },
        });
        live.chain(own).collect()
    }

    /// When the platform renewed certificates last.
    fn renewed(&self, now: Timestamp) -> Timestamp {
        let passed = since(self.begin, now).as_secs();
        later(self.begin, SignedDuration::from_secs(passed - passed % RENEWAL.as_secs()))
    }
}

impl World {
    fn name_servers(&self) -> HashMap<DnsName, SocketAddr> {
        let hosts = self.zones.iter().flat_map(|zone| zone.servers.iter().cloned());
        let addresses = (1..).map(|number| SocketAddr::from(([198, 51, 100, number], 53)));
        hosts.zip(addresses).collect()
    }

    /// What a name server or a resolver answers.
    pub fn answer(&self, server: &Server, question: &Question) -> Reply {
        match server.role.is_resolver() {
            true => self.resolve(server.address.ip(), question),
            false => self.from_authority(&DnsName::new(&server.name), question),
        }
    }

    fn from_authority(&self, host: &DnsName, question: &Question) -> Reply {
        let Some(zone) = self.zones_of(question).rfind(|zone| zone.servers.contains(host)) else {
            return Reply { code: ResponseCode::Refused, ..Reply::default() };
        };
        match self.zones_of(question).find(|below| below.apex != zone.apex && below.apex.is_within(&zone.apex)) {
            Some(below) => Reply { authorities: below.name_servers().collect(), ..Reply::default() },
            None => zone.answer(question),
        }
    }

    fn resolve(&self, by: IpAddr, question: &Question) -> Reply {
        let held = self.held.iter().find(|(holder, kind, _)| {
            by == *holder && question.name.as_str() == Sandbox::DOMAIN && kind.is_none_or(|kind| kind == question.kind)
        });
        let fresh = || self.zones_of(question).next_back().map(|zone| zone.answer(question)).unwrap_or_default();
        let mut reply = held.map_or_else(fresh, |(.., reply)| reply.clone());
        reply.authoritative = false;
        let target = reply.answers.first().and_then(|record| record.data.cname());
        if let Some(target) = target.filter(|_| question.kind != RecordType::CNAME) {
            let next = self.resolve(by, &Question::new(target.clone(), question.kind));
            reply = Reply { answers: [reply.answers, next.answers].concat(), ..next };
        }
        reply
    }

    /// The zones that may answer, the uppermost first. What is signed is told by the zone above.
    fn zones_of(&self, question: &Question) -> impl DoubleEndedIterator<Item = &Zone> {
        let is_below = |zone: &&Zone| !(question.kind == RecordType::DS && question.name == zone.apex);
        self.zones.iter().filter(|zone| question.name.is_within(&zone.apex)).filter(is_below)
    }

    /// What a web server shows to callers of a name.
    pub fn shake(&self, address: IpAddr, server_name: Option<&str>) -> Result<Presented, ConnectionFailure> {
        if address != PLATFORM_ADDRESS {
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
            _ if address != PLATFORM_ADDRESS => (200, None, "<title>Old pages</title>\n"),
            None | Some(Answer::NoProject) => (404, None, "<title>No such project</title>\n"),
            Some(_) if url.scheme() == "http" && path.starts_with("/.well-known/acme-challenge/") => (404, None, ""),
            Some(_) if url.scheme() == "http" => {
                (301, Some(format!("https://{}{path}", url.host_str().unwrap_or_default())), "")
            }
            Some(Answer::Redirect(there)) => (301, Some(format!("{there}{path}")), ""),
            Some(Answer::Pages) => (200, None, "<title>Acme Pets, the documentation</title>\n"),
        };
        let page = (method == Method::Get).then(|| page.to_owned());
        Ok(Response { status, location, date: Some(self.now), page, ..Response::default() })
    }
}

impl Zone {
    fn new(apex: &str, servers: &[&str], records: Vec<Record>) -> Self {
        Self { apex: DnsName::new(apex), servers: servers.iter().map(|host| DnsName::new(host)).collect(), records }
    }

    fn name_servers(&self) -> impl Iterator<Item = Record> {
        self.servers.iter().map(|host| record(self.apex.as_str(), 172_800, Data::Ns(host.clone())))
    }

    fn answer(&self, question: &Question) -> Reply {
        let all: Vec<Record> =
            self.records.iter().cloned().chain(self.name_servers()).chain([soa(&self.apex)]).collect();
        let at = |kind| -> Vec<Record> {
            let fits = |record: &&Record| record.owner == question.name && record.data.kind() == kind;
            all.iter().filter(fits).cloned().collect()
        };
        let mut answers = at(question.kind);
        if answers.is_empty() {
            answers = at(RecordType::CNAME);
        }
        let exists = all.iter().any(|record| record.owner.is_within(&question.name));
        let code = if exists { ResponseCode::NoError } else { ResponseCode::NXDomain };
        let denial = answers.is_empty().then(|| Record { ttl: NOTHING_TTL, ..soa(&self.apex) });
        Reply { code, authoritative: true, answers, authorities: denial.into_iter().collect(), ..Reply::default() }
    }
}

impl Host {
    fn certificate(&self) -> Certificate {
        let platform = (self.name == Sandbox::PLATFORM_HOST).then(|| "*.petplatform.net".to_owned());
        Certificate {
            subject: format!("CN={}", self.name),
            issuer: "CN=World Trust R3, O=World Trust".to_owned(),
            issuer_short: "World Trust".to_owned(),
            common_name: Some(self.name.to_owned()),
            names: [self.name.to_owned()].into_iter().chain(platform).collect(),
            not_before: self.certified,
            not_after: later(self.certified, VALID),
            serial: format!("{:x}", self.certified.as_second()),
            names_its_issuer: true,
        }
    }
}

fn record(owner: &str, ttl: u32, data: Data) -> Record {
    Record { owner: DnsName::new(owner), ttl, data }
}

fn soa(apex: &DnsName) -> Record {
    let data = Data::Soa { serial: 2_026_112_001, refresh: 7200, retry: 900, minimum: NOTHING_TTL };
    record(apex.as_str(), Sandbox::TTL, data)
}
