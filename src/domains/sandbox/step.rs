//! What an operator does outside this program on the way of a domain.

use strum::VariantArray;

use crate::domains::Who;

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
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Where it is done: at the DNS provider or in the dashboard.
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
}
