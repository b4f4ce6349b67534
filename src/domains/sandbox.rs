//! The sandbox: the world outside petstore on a fast clock, for operators who want to practise setting up a domain.
//!
//! The zone at the DNS provider, the project in the dashboard and the caches of resolvers are a few facts. Only an
//! [`SandboxStep`] changes them; the internet follows from them and the time, as a [`World`](super::world::World) in
//! memory. On the way are an A record, a wait for caches, a CAA record and a certificate that does not come; next to it,
//! a redirect loops.
//!
//! CAA records count for the whole zone, so the domain is in another zone than those that are live.

mod plan;
#[cfg(test)]
mod tests;

use std::net::Ipv4Addr;

use jiff::{SignedDuration, Timestamp};
use strum::VariantArray;

use super::diagnosis::CERTIFICATE_WAIT;
use super::dns_name::DnsName;
use super::finding::Who;
use super::redirect_config::{ConfigSource, WrittenRedirect};
use super::registry::Registry;
use super::reported::{Dated, Event};

/// A second of the wall clock is this many in the sandbox: a minute.
pub const PACE: i32 = 60;

/// How long the platform takes for a certificate.
const ISSUANCE: SignedDuration = SignedDuration::from_mins(2);
/// How long ago the domains that are live were set up.
const SET_UP: SignedDuration = SignedDuration::from_hours(10 * 24);

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
pub enum SandboxStep {
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

/// The facts of a sandbox. All times are those of its clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sandbox {
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

impl Sandbox {
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

    /// A sandbox at its start, at `begin` of the wall clock.
    pub fn new(begin: Timestamp) -> Self {
        Self { begin, ..Self::default() }
    }

    /// The time in the sandbox when the wall clock shows `wall`; never before its start.
    pub fn time(&self, wall: Timestamp) -> Timestamp {
        later(self.begin, since(self.begin, wall).saturating_mul(PACE))
    }

    /// What can be done, the most sensible first.
    pub fn acts(&self, now: Timestamp) -> Vec<SandboxStep> {
        let mut acts: Vec<SandboxStep> =
            SandboxStep::ALL.iter().copied().filter(|act| self.is_possible(*act, now)).collect();
        acts.sort_by_key(|act| match (act, self.project == Project::Removed) {
            // The record that is left is a danger, so it comes first.
            (SandboxStep::DeleteCname, true) => 0,
            // Starting over begins there.
            (SandboxStep::AddDomain, true) if self.cname.is_none() => 1,
            (SandboxStep::AddDomain, true) => 3,
            // What removes is never the first.
            (SandboxStep::Remove | SandboxStep::DeleteCname, false) => 4,
            _ => 2,
        });
        acts
    }

    /// Whether the provider or the dashboard would accept it.
    fn is_possible(&self, act: SandboxStep, now: Timestamp) -> bool {
        let added = self.project == Project::With;
        match act {
            SandboxStep::AddDomain => !added,
            SandboxStep::DeleteA => self.deleted.is_none(),
            // Providers reject one next to an A record.
            SandboxStep::AddCname => self.deleted.is_some() && self.cname.is_none(),
            SandboxStep::AddCaa => !self.allowed,
            // Practice never proposes what would fail.
            SandboxStep::Verify => added && self.verified.is_none() && self.is_right(now),
            SandboxStep::Reverify => {
                let is_late = self.verified.is_some_and(|verified| since(verified, now) >= CERTIFICATE_WAIT);
                added && is_late && self.certificate.is_none() && self.is_right(now)
            }
            SandboxStep::CorrectRedirect => !self.corrected,
            SandboxStep::RedirectDomain => added && !self.redirected && self.has_certificate(now),
            SandboxStep::Remove => added,
            SandboxStep::DeleteCname => self.cname.is_some(),
        }
    }

    /// Whether the record is right everywhere, and the platform's CA allowed.
    fn is_right(&self, now: Timestamp) -> bool {
        self.cname.is_some() && self.allowed && self.caches_end() <= Some(now)
    }

    /// What the domain waits for and how long, in words; `None` if a step helps it.
    pub fn waits_for(&self, now: Timestamp) -> Option<String> {
        let is_set_up = self.project == Project::With && self.cname.is_some() && self.allowed;
        let helps = [SandboxStep::Verify, SandboxStep::Reverify].iter().any(|act| self.is_possible(*act, now));
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
    pub fn act(&mut self, act: SandboxStep, now: Timestamp) {
        if !self.is_possible(act, now) {
            return;
        }
        match act {
            SandboxStep::AddDomain => (self.project, self.redirected) = (Project::With, false),
            SandboxStep::DeleteA => self.deleted = Some(now),
            SandboxStep::AddCname => self.cname = Some(now),
            SandboxStep::AddCaa => self.allowed = true,
            // The order for the certificate is lost: it never comes.
            SandboxStep::Verify => self.verified = Some(now),
            SandboxStep::Reverify => self.certificate = Some(later(now, ISSUANCE)),
            SandboxStep::CorrectRedirect => self.corrected = true,
            SandboxStep::RedirectDomain => self.redirected = true,
            SandboxStep::Remove => (self.project, self.verified) = (Project::Removed, None),
            SandboxStep::DeleteCname => self.cname = None,
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
        let primary = || Self::PRIMARY.to_owned();
        let sources = [Some(Self::REDIRECTED), self.redirected.then_some(Self::DOMAIN)].into_iter().flatten();
        let to_primary = |from: &str| WrittenRedirect { from: from.to_owned(), to: primary(), status: 301 };
        ConfigSource { primary: Some(primary()), redirects: sources.map(to_primary).collect() }
    }
}

impl SandboxStep {
    /// All of them, in order.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Where it is done: at the DNS provider or in the dashboard.
    pub const fn place(self) -> Who {
        match self {
            Self::DeleteA | Self::AddCname | Self::AddCaa | Self::DeleteCname => Who::DnsProvider,
            _ => Who::Dashboard,
        }
    }

    /// What is done, to follow the place.
    pub fn words(self) -> String {
        let (domain, primary, redirected) = (Sandbox::DOMAIN, Sandbox::PRIMARY, Sandbox::REDIRECTED);
        let (zone, host) = (Sandbox::ZONE, Sandbox::PLATFORM_HOST);
        match self {
            Self::AddDomain => format!("add {domain}; the value: {host}"),
            Self::DeleteA => format!("delete A {} at {domain}", Sandbox::OLD_ADDRESS),
            Self::AddCname => format!("add CNAME {domain} -> {host}, TTL {}", Sandbox::TTL),
            Self::AddCaa => format!("add CAA 0 issue \"{}\" at {zone}", Sandbox::CA),
            Self::Verify => format!("choose Verify for {domain}"),
            Self::Reverify => format!("choose Re-verify for {domain}"),
            Self::CorrectRedirect => format!("redirect {redirected} to {primary}, 301"),
            Self::RedirectDomain => format!("redirect {domain} to {primary}, 301"),
            Self::Remove => format!("choose Remove for {domain}"),
            Self::DeleteCname => format!("delete CNAME {domain} -> {host}"),
        }
    }
}

/// The time from `then` to `now`; never negative.
fn since(then: Timestamp, now: Timestamp) -> SignedDuration {
    now.duration_since(then).max(SignedDuration::ZERO)
}

/// So much after `then`, as far as there is time.
fn later(then: Timestamp, duration: SignedDuration) -> Timestamp {
    let end = if duration.is_negative() { Timestamp::MIN } else { Timestamp::MAX };
    then.checked_add(duration).unwrap_or(end)
}
