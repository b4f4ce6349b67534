//! Practice: the world outside petstore on a fast clock, for operators who want to practise setting up a domain.
//!
//! The zone at the DNS provider, the project in the dashboard and the caches of resolvers are a few facts. Only an
//! [`PracticeStep`] changes them; the internet follows from them and the time, as a [`World`] in
//! memory. On the way are an A record, a wait for caches, a CAA record and a certificate that does not come; next to it,
//! a redirect loops.
//!
//! CAA records count for the whole zone, so the domain is in another zone than those that are live.

#[cfg(test)]
mod tests;

use std::net::Ipv4Addr;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use strum::VariantArray;

use super::check_options::resolver;
use super::world::{Answer, Held, Host, NOTHING_TTL, Zone, record, soa};
use super::{
    CERTIFICATE_WAIT, CheckOptions, ConfigSource, Data, Dated, DnsName, Event, Expectation, Record, RecordType,
    Registry, Reply, ResponseCode, Who, World, WrittenRedirect,
};

/// A second of the wall clock is this many in practice: a minute.
pub const PACE: i32 = 60;

/// How long the platform takes for a certificate.
const ISSUANCE: SignedDuration = SignedDuration::from_mins(2);
/// How long ago the domains that are live were set up.
const SET_UP: SignedDuration = SignedDuration::from_hours(10 * 24);

/// The only CA that the zone allows at first.
const OTHER_CA: &str = "digicert.com";
/// How long the A record of the old host may be kept, in seconds.
const OLD_TTL: u32 = 1254;
/// Where resolvers answer.
const RESOLVERS: [[u8; 4]; 4] = [[192, 0, 2, 1], [192, 0, 2, 2], [192, 0, 2, 3], [192, 0, 2, 4]];
/// The resolvers that have the A record when it is deleted, and for how many seconds more.
const HOLDING: [([u8; 4], u32); 2] = [(RESOLVERS[1], OLD_TTL), (RESOLVERS[2], OLD_TTL / 3)];
/// The resolver that asks repeatedly, even while there is no record.
const ASKING: [u8; 4] = RESOLVERS[3];
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

/// Whether the domain is in the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Project {
    /// Not yet.
    #[default]
    Without,
    /// It is.
    With,
    /// No more.
    Removed,
}

/// Something that the operator does outside this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, VariantArray)]
pub enum PracticeStep {
    /// The domain is added to the project, which then shows the value.
    AddDomain,
    /// The A record of the old host is deleted.
    DeleteA,
    /// The CNAME to the platform is added.
    AddCname,
    /// A CAA record for the platform's authority is added.
    AddCaa,
    /// Verify is chosen.
    Verify,
    /// Verify is chosen once more.
    Reverify,
    /// The redirect that loops is corrected.
    CorrectRedirect,
    /// The domain is redirected to the primary domain.
    RedirectDomain,
    /// The domain is removed from the project.
    Remove,
    /// The CNAME to the platform is deleted.
    DeleteCname,
}

/// The facts of practice. All times are those of its clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Practice {
    begin: Timestamp,
    project: Project,
    /// When the A record was deleted.
    deleted: Option<Timestamp>,
    /// Since when the CNAME is there.
    cname: Option<Timestamp>,
    /// The authority of the platform is allowed.
    allowed: bool,
    /// When Verify was chosen first.
    verified: Option<Timestamp>,
    /// From when on there is a certificate.
    certificate: Option<Timestamp>,
    /// The redirect that led in a circle is right.
    corrected: bool,
    /// The domain was redirected, as long as it is in the project.
    redirected: bool,
}

impl Practice {
    /// The domain to set up.
    pub const DOMAIN: &'static str = "docs.acme-cats.com";
    pub const ZONE: &'static str = "acme-cats.com";
    /// The primary domain of the project, which is live.
    pub const PRIMARY: &'static str = "www.acme-pets.com";
    /// A domain of the project that should lead to the primary one.
    pub const REDIRECTED: &'static str = "help.acme-pets.com";
    /// The host of the platform, to which the domain's CNAME leads.
    pub const PLATFORM_HOST: &'static str = "sites.petplatform.net";
    /// Where the domain used to be.
    const OLD_ADDRESS: Ipv4Addr = Ipv4Addr::new(203, 0, 113, 2);
    /// The platform's CA, as CAA records name it.
    const CA: &'static str = "letsencrypt.org";
    /// How long ordinary records may be kept, in seconds.
    const TTL: u32 = 3600;

    /// The practice at its start, at `begin` of the wall clock.
    pub fn new(begin: Timestamp) -> Self {
        Self { begin, ..Self::default() }
    }

    /// The time in practice when the wall clock shows `wall`; never before its start.
    pub fn time(&self, wall: Timestamp) -> Timestamp {
        later(self.begin, since(self.begin, wall).saturating_mul(PACE))
    }

    /// What can be done, the most sensible first.
    pub fn acts(&self, now: Timestamp) -> Vec<PracticeStep> {
        let acts = PracticeStep::VARIANTS.iter().copied();
        let mut acts: Vec<_> = acts.filter(|act| self.is_possible(*act, now)).collect();
        acts.sort_by_key(|act| match (act, self.project == Project::Removed) {
            // The record that is left is a danger, so it comes first.
            (PracticeStep::DeleteCname, true) => 0,
            // Starting over begins there.
            (PracticeStep::AddDomain, true) if self.cname.is_none() => 1,
            (PracticeStep::AddDomain, true) => 3,
            // What removes is never the first.
            (PracticeStep::Remove | PracticeStep::DeleteCname, false) => 4,
            _ => 2,
        });
        acts
    }

    /// Whether the provider or the dashboard would accept it.
    fn is_possible(&self, act: PracticeStep, now: Timestamp) -> bool {
        use PracticeStep::*;
        let added = self.project == Project::With;
        match act {
            AddDomain => !added,
            DeleteA => self.deleted.is_none(),
            // Providers reject one next to an A record.
            AddCname => self.deleted.is_some() && self.cname.is_none(),
            AddCaa => !self.allowed,
            // Practice never proposes what would fail.
            Verify => added && self.verified.is_none() && self.is_right(now),
            Reverify => {
                let is_late = self.verified.is_some_and(|verified| since(verified, now) >= CERTIFICATE_WAIT);
                added && is_late && self.certificate.is_none() && self.is_right(now)
            }
            CorrectRedirect => !self.corrected,
            RedirectDomain => added && !self.redirected && self.has_certificate(now),
            Remove => added,
            DeleteCname => self.cname.is_some(),
        }
    }

    /// Whether the record is right everywhere, and the platform's CA allowed.
    fn is_right(&self, now: Timestamp) -> bool {
        self.cname.is_some() && self.allowed && self.caches_end() <= Some(now)
    }

    /// What the domain waits for and how long, in words; `None` if a step helps it.
    pub fn waits_for(&self, now: Timestamp) -> Option<String> {
        let is_set_up = self.project == Project::With && self.cname.is_some() && self.allowed;
        let helps = [PracticeStep::Verify, PracticeStep::Reverify].iter().any(|act| self.is_possible(*act, now));
        if !is_set_up || helps || self.has_certificate(now) {
            return None;
        }
        let (until, what) = match (self.certificate, self.verified) {
            (Some(from), _) => (from, "the certificate comes"),
            (None, Some(verified)) => {
                (later(verified, CERTIFICATE_WAIT), "Re-verify helps: here the first Verify brings no certificate")
            }
            (None, None) => (self.caches_end()?, "resolvers have forgotten the old record"),
        };
        let seconds = since(now, until).as_secs() / i64::from(PACE) + 1;
        Some(format!("wait {seconds} s, until {what}"))
    }

    /// Does it; what is not possible changes nothing.
    pub fn act(&mut self, act: PracticeStep, now: Timestamp) {
        use PracticeStep::*;
        if !self.is_possible(act, now) {
            return;
        }
        match act {
            AddDomain => (self.project, self.redirected) = (Project::With, false),
            DeleteA => self.deleted = Some(now),
            AddCname => self.cname = Some(now),
            AddCaa => self.allowed = true,
            // The order for the certificate is lost: it never comes.
            Verify => self.verified = Some(now),
            Reverify => self.certificate = Some(later(now, ISSUANCE)),
            CorrectRedirect => self.corrected = true,
            RedirectDomain => self.redirected = true,
            Remove => (self.project, self.verified) = (Project::Removed, None),
            DeleteCname => self.cname = None,
        }
    }

    fn has_certificate(&self, now: Timestamp) -> bool {
        self.certificate.is_some_and(|from| from <= now)
    }

    /// The domains that are there at the beginning: what the operator reported of them long ago.
    pub fn list(&self) -> Registry {
        let at = later(self.begin, -SET_UP);
        let mut list = Registry::default();
        for name in [Self::PRIMARY, Self::REDIRECTED].map(DnsName::new) {
            let value = Event::Value { host: DnsName::new(Self::PLATFORM_HOST) };
            for event in [value, Event::Saved, Event::Verified] {
                list.note(&name, Dated { at, event });
            }
        }
        list
    }

    /// The configuration of the project: a redirect that is set in the dashboard is in it, too.
    pub fn configuration(&self) -> ConfigSource {
        let sources = [Some(Self::REDIRECTED), self.redirected.then_some(Self::DOMAIN)].into_iter().flatten();
        let to_primary = |from: &str| WrittenRedirect { from: from.into(), to: Self::PRIMARY.into(), status: 301 };
        ConfigSource { primary: Some(Self::PRIMARY.into()), redirects: sources.map(to_primary).collect() }
    }
}

impl PracticeStep {
    /// Where it is done: at the DNS provider or in the dashboard.
    pub const fn place(self) -> Who {
        match self {
            Self::DeleteA | Self::AddCname | Self::AddCaa | Self::DeleteCname => Who::DnsProvider,
            _ => Who::Dashboard,
        }
    }

    /// What is done, to follow the place.
    pub fn words(self) -> String {
        let (domain, primary, redirected) = (Practice::DOMAIN, Practice::PRIMARY, Practice::REDIRECTED);
        let (zone, host) = (Practice::ZONE, Practice::PLATFORM_HOST);
        match self {
            Self::AddDomain => format!("add {domain}; the value: {host}"),
            Self::DeleteA => format!("delete A {} at {domain}", Practice::OLD_ADDRESS),
            Self::AddCname => format!("add CNAME {domain} -> {host}, TTL {}", Practice::TTL),
            Self::AddCaa => format!("add CAA 0 issue \"{}\" at {zone}", Practice::CA),
            Self::Verify => format!("choose Verify for {domain}"),
            Self::Reverify => format!("choose Re-verify for {domain}"),
            Self::CorrectRedirect => format!("redirect {redirected} to {primary}, 301"),
            Self::RedirectDomain => format!("redirect {domain} to {primary}, 301"),
            Self::Remove => format!("choose Remove for {domain}"),
            Self::DeleteCname => format!("delete CNAME {domain} -> {host}"),
        }
    }
}

/// The internet that follows from the facts and the time.
impl Practice {
    /// The settings of a check in practice at this time.
    pub fn options(&self, now: Timestamp) -> CheckOptions {
        let world = self.world(now);
        let expectation =
            Expectation { platform_host: None, ca_identities: vec![Self::CA.to_owned()], allow_private: true };
        CheckOptions {
            resolvers: RESOLVERS.map(|address| resolver((address, 53).into())).into(),
            name_servers: world.name_servers(),
            now: Some(now),
            world: Some(Arc::new(world)),
            ..CheckOptions::new(expectation, Vec::new())
        }
    }

    /// The internet at a time of practice.
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
            |by: [u8; 4], kind, reply| Held { by: by.into(), name: DnsName::new(Self::DOMAIN), kind, reply };
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
    fn caches_end(&self) -> Option<Timestamp> {
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
        let circle = format!("http://{}", Self::REDIRECTED);
        let redirected = if self.corrected { to_primary() } else { Answer::Redirect(circle) };
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

/// The time from `then` to `now`; never negative.
fn since(then: Timestamp, now: Timestamp) -> SignedDuration {
    now.duration_since(then).max(SignedDuration::ZERO)
}

/// So much after `then`, as far as there is time.
fn later(then: Timestamp, duration: SignedDuration) -> Timestamp {
    then.saturating_add(duration).unwrap_or(then)
}
