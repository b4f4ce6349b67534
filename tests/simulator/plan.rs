//! What the simulator serves; and the plan in which nothing is wrong, which all broken ones start from.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use jiff::Timestamp;

use super::certificate::IssuedCertificate;
use super::server::{NameServer, Resolver};
use super::site::{Greeting, Site, StubAnswer, StubPage};
use super::zone::{Zone, ZoneData};
use petstore::domains::DnsName;

/// What the simulator serves: plain data that can change while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The time in it, by which cached answers expire.
    pub now: Timestamp,
    /// The zones, each once; name servers may have their own copies.
    pub zones: Vec<Zone>,
    /// The servers that are authorities for them.
    pub name_servers: Vec<NameServer>,
    /// The servers that ask the authorities on behalf of others.
    pub resolvers: Vec<Resolver>,
    /// What answers to http and https, by address: of 127.0.0.0/8, or `::1`.
    pub sites: BTreeMap<IpAddr, Site>,
}

impl Plan {
    /// An empty plan.
    pub fn new(now: Timestamp) -> Self {
        Self { now, zones: Vec::new(), name_servers: Vec::new(), resolvers: Vec::new(), sites: BTreeMap::new() }
    }

    /// The plan after `change`, which may be one of the methods that break something.
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// The zone with this apex; an empty one, that no server serves yet, if there was none.
    pub fn zone(&mut self, apex: &str) -> &mut Zone {
        let wanted = DnsName::new(apex);
        entry(&mut self.zones, |zone| zone.apex == wanted, || Zone::new(apex, &[]))
    }

    /// The name server of this name; one without zones if there was none.
    pub fn name_server(&mut self, host: &str) -> &mut NameServer {
        let host = DnsName::new(host);
        let new = || NameServer { host: host.clone(), ..NameServer::default() };
        entry(&mut self.name_servers, |server| server.host == host, new)
    }

    /// The resolver of this number, from 0; those up to it that were missing remember nothing.
    pub fn resolver(&mut self, number: usize) -> &mut Resolver {
        if self.resolvers.len() <= number {
            self.resolvers.resize_with(number + 1, Resolver::default);
        }
        &mut self.resolvers[number]
    }

    /// What answers at `address`; something without any host if there was nothing.
    pub fn site(&mut self, address: impl Into<IpAddr>) -> &mut Site {
        self.sites.entry(address.into()).or_default()
    }
}

/// The item that `fits`, new if there was none.
fn entry<T>(items: &mut Vec<T>, fits: impl FnMut(&T) -> bool, new: impl FnOnce() -> T) -> &mut T {
    let place = items.iter().position(fits).unwrap_or_else(|| {
        items.push(new());
        items.len() - 1
    });
    &mut items[place]
}

impl Plan {
    /// The domain to check.
    pub const DOMAIN: &str = "docs.acme-pets.com";
    /// The registered domain, which is the zone too.
    pub const ZONE: &str = "acme-pets.com";
    /// A name that is redirected to [`Self::DOMAIN`].
    pub const REDIRECTED: &str = "help.acme-pets.com";
    /// The host of the platform, to which the domain's CNAME leads.
    pub const PLATFORM_HOST: &str = "sites.petplatform.net";
    pub const PLATFORM_ZONE: &str = "petplatform.net";
    /// A host elsewhere, where the domain used to be.
    pub const OLD_HOST: &str = "pets.oldhost.net";
    /// The name servers of the zone, as the registrar lists them.
    pub const NAME_SERVERS: [&str; 2] = ["ns1.acme-dns.net", "ns2.acme-dns.net"];
    /// The name server of the zones above.
    pub const PARENT_SERVER: &str = "a.gtld-servers.net";
    /// Where the platform answers.
    pub const PLATFORM_ADDRESS: Ipv4Addr = Ipv4Addr::LOCALHOST;
    /// Where the old host answers.
    pub const OLD_ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
    /// Where nothing answers.
    pub const NOWHERE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 9);
    /// The platform's CA, as CAA records name it.
    pub const CA: &str = "letsencrypt.org";
    /// Where CAs look for proof that a domain is the platform's.
    pub const ACME_PATH: &str = "/.well-known/acme-challenge/";
    /// How long ordinary records may be kept, in seconds.
    pub const TTL: u32 = 3600;

    /// A plan in which the domain is set up correctly, seen through four resolvers.
    pub fn healthy(now: Timestamp) -> Self {
        let mut plan = Self::new(now);
        plan.hosted("", &["a.root-servers.net"]);
        for zone in ["com", "net", "gtld-servers.net"] {
            plan.hosted(zone, &[Self::PARENT_SERVER]);
        }
        plan.hosted("root-servers.net", &["a.root-servers.net"]);
        plan.hosted("acme-dns.net", &Self::NAME_SERVERS);
        plan.hosted(Self::ZONE, &Self::NAME_SERVERS);
        plan.hosted(Self::PLATFORM_ZONE, &["ns1.petplatform.net"]);
        plan.hosted("oldhost.net", &["ns1.oldhost.net"]);
        plan.zone(Self::PLATFORM_ZONE).add(Self::PLATFORM_HOST, Self::TTL, ZoneData::address(Self::PLATFORM_ADDRESS));
        plan.zone("oldhost.net").add(Self::OLD_HOST, Self::TTL, ZoneData::address(Self::OLD_ADDRESS));
        let mail = format!("mail.{}", Self::ZONE);
        plan.zone(Self::ZONE)
            .add(Self::ZONE, Self::TTL, ZoneData::Mx(10, DnsName::new(&mail)))
            .add(Self::ZONE, Self::TTL, ZoneData::txt("v=spf1 mx -all"))
            .add(&mail, Self::TTL, ZoneData::address(Self::OLD_ADDRESS))
            .add(Self::DOMAIN, Self::TTL, ZoneData::cname(Self::PLATFORM_HOST))
            .add(Self::REDIRECTED, Self::TTL, ZoneData::cname(Self::PLATFORM_HOST));
        plan.resolver(3);
        plan.platform();
        let old = IssuedCertificate::new(now, &[Self::OLD_HOST, "*.oldhost.net"]);
        plan.site(Self::OLD_ADDRESS)
            .show(old)
            .page(StubPage::new(StubAnswer::status(200).body("<title>Old pages</title>\n")));
        plan
    }

    /// What the platform answers: its projects, also a certificate for itself, and nothing for strangers.
    fn platform(&mut self) {
        let now = self.now;
        let own = IssuedCertificate::new(now, &[Self::PLATFORM_HOST, "*.petplatform.net"]);
        self.site(Self::PLATFORM_ADDRESS).stranger = Greeting::Certificate(own.clone());
        self.project(Self::PLATFORM_HOST, own);
        for host in [Self::DOMAIN, Self::REDIRECTED] {
            self.project(host, IssuedCertificate::new(now, &[host]));
        }
        self.redirect(Self::REDIRECTED, &format!("https://{}{{path}}", Self::DOMAIN));
    }

    /// The platform has a project at `host`, with this certificate: pages over https only.
    pub fn project(&mut self, host: &str, certificate: IssuedCertificate) {
        let pages = StubAnswer::status(200).body("<title>Acme Pets, the documentation</title>\n");
        let to_https = StubAnswer::redirect(301, "https://{host}{path}");
        self.site(Self::PLATFORM_ADDRESS)
            .show(certificate)
            .page(StubPage::new(pages).https().host(host))
            .page(StubPage::new(to_https).http().host(host))
            .page(StubPage::new(StubAnswer::status(404)).http().host(host).path(Self::ACME_PATH));
    }

    /// The project at `host` leads to `location` for good; `{host}` and `{path}` in it are replaced by those of the
    /// request.
    pub fn redirect(&mut self, host: &str, location: &str) {
        let page = StubPage::new(StubAnswer::redirect(301, location)).https().host(host);
        self.site(Self::PLATFORM_ADDRESS).page(page);
    }

    /// A new zone on these servers, with the delegation in the zone above and the addresses that it needs.
    pub fn hosted(&mut self, apex: &str, name_servers: &[&str]) {
        let mut zone = Zone::new(apex, name_servers);
        let own = name_servers.iter().filter(|host| DnsName::new(host).is_within(&zone.apex));
        let own: Vec<_> = own.filter(|_| !zone.apex.is_root()).collect();
        for host in &own {
            zone.add(host, Zone::NS_TTL, ZoneData::address(Ipv4Addr::LOCALHOST));
        }
        let above = self.zones.iter_mut().filter(|above| zone.apex.is_within(&above.apex));
        if let Some(above) = above.max_by_key(|above| above.apex.labels().count()) {
            above.delegate(apex, name_servers);
            for host in own {
                above.set(host, Zone::NS_TTL, ZoneData::address(Ipv4Addr::LOCALHOST));
            }
        }
        for host in name_servers {
            self.name_server(host).serve(apex);
        }
        self.zones.push(zone);
    }
}
