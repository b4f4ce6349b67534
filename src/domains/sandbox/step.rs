//! What an operator does outside this program on the way of a domain.

use super::Sandbox;
use crate::domains::Who;
use crate::domains::simulator::Plan;

/// Something that the operator does outside this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// The redirect that leads in a circle is set up anew.
    CorrectRedirect,
    /// The domain is redirected to the primary domain.
    RedirectDomain,
    /// The domain is removed from the project.
    Remove,
    /// The CNAME to the platform is deleted.
    DeleteCname,
}

impl SandboxStep {
    /// All of them, in the order of the way.
    pub const ALL: [Self; 10] = [
        Self::AddDomain,
        Self::DeleteA,
        Self::AddCname,
        Self::AddCaa,
        Self::Verify,
        Self::Reverify,
        Self::CorrectRedirect,
        Self::RedirectDomain,
        Self::Remove,
        Self::DeleteCname,
    ];

    /// Where it is done: at the DNS provider or in the dashboard.
    #[must_use]
    pub const fn place(self) -> Who {
        match self {
            Self::DeleteA | Self::AddCname | Self::AddCaa | Self::DeleteCname => Who::DnsProvider,
            Self::AddDomain
            | Self::Verify
            | Self::Reverify
            | Self::CorrectRedirect
            | Self::RedirectDomain
            | Self::Remove => Who::Dashboard,
        }
    }

    /// What is done, to stand behind the place.
    #[must_use]
    pub fn words(self) -> String {
        let (domain, primary, redirected) = (Sandbox::DOMAIN, Sandbox::PRIMARY, Sandbox::REDIRECTED);
        let (zone, host) = (Sandbox::ZONE, Plan::PLATFORM_HOST);
        match self {
            Self::AddDomain => format!("add {domain}; the value: {host}"),
            Self::DeleteA => format!("delete A {} at {domain}", Plan::OLD_ADDRESS),
            Self::AddCname => format!("add CNAME {domain} -> {host}, TTL {}", Plan::TTL),
            Self::AddCaa => format!("add CAA 0 issue \"{}\" at {zone}", Plan::CA),
            Self::Verify => format!("choose Verify for {domain}"),
            Self::Reverify => format!("choose Re-verify for {domain}"),
            Self::CorrectRedirect => format!("redirect {redirected} to {primary}, 301"),
            Self::RedirectDomain => format!("redirect {domain} to {primary}, 301"),
            Self::Remove => format!("choose Remove for {domain}"),
            Self::DeleteCname => format!("delete CNAME {domain} -> {host}"),
        }
    }
}
