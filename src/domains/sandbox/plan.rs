//! The internet that follows from the facts of a sandbox and the time.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RecordType;
use jiff::{SignedDuration, Timestamp};

use super::{Project, Sandbox, later, since};
use crate::domains::DnsName;
use crate::domains::check_options::{CheckOptions, resolver};
use crate::domains::diagnosis::Expectation;
use crate::domains::observation::{Data, Record, Reply};
use crate::domains::world::{Answer, Held, Host, NOTHING_TTL, World, Zone, record, soa};

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
/// How far CAs backdate a certificate, for slow clocks.
const BACKDATED: SignedDuration = SignedDuration::from_hours(1);
/// How often the platform renews certificates: practice may go on for days, which are months.
const RENEWAL: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Where the platform answers.
const PLATFORM_ADDRESS: Ipv4Addr = Ipv4Addr::new(203, 0, 113, 1);
/// The name servers of the zones of the project.
const NAME_SERVERS: [&str; 2] = ["ns1.acme-dns.net", "ns2.acme-dns.net"];

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
        World { now, zones, held: self.held(now), platform: PLATFORM_ADDRESS.into(), hosts: self.hosts(now) }
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
    fn held(&self, now: Timestamp) -> Vec<Held> {
        let of_domain =
            |by: Ipv4Addr, kind, reply| Held { by: by.into(), name: DnsName::new(Self::DOMAIN), kind, reply };
        let left = |from: Timestamp, ttl: u32| {
            u32::try_from(i64::from(ttl) - since(from, now).as_secs()).ok().filter(|left| *left > 0)
        };
        let old = HOLDING.into_iter().filter_map(|(by, ttl)| {
            let answers = vec![record(Self::DOMAIN, left(self.deleted?, ttl)?, Data::A(Self::OLD_ADDRESS))];
            Some(of_domain(by, Some(RecordType::A), Reply { answers, ..Reply::default() }))
        });
        let nothing = self.denied_before().and_then(|asked| {
            let authorities = vec![Record { ttl: left(asked, NOTHING_TTL)?, ..soa(&DnsName::new(Self::ZONE)) }];
            Some(of_domain(ASKING, None, Reply { code: ResponseCode::NXDomain, authorities, ..Reply::default() }))
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
