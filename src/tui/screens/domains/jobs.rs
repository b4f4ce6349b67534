//! Jobs of the panel for the worker, and their replies.

use jiff::Timestamp;

use crate::api::failure::Failure;
use crate::app::domain_service::{CheckRequest, CheckResult, NotSaved};
use crate::domains::check::FollowedRedirect;
use crate::domains::observation::Complete;
use crate::domains::redirect_config::{ConfigSource, DomainsConfiguration, Redirect};
use crate::domains::registry::{Registry, RegistryChange};
use crate::domains::sandbox::Sandbox;

/// What a job about domains does.
#[derive(Clone, Debug, PartialEq)]
pub enum DomainTask {
    /// Apply these changes to the list on disk, and read it.
    Keep(Vec<RegistryChange>),
    /// Check one domain, in this lane.
    Check(usize, Box<CheckRequest>),
    /// Follow redirects by header-only requests.
    FollowRedirects {
        /// Which.
        redirects: Vec<Redirect>,
        /// In the sandbox: its state and its time of day.
        sandbox: Option<(Sandbox, Timestamp)>,
    },
    /// Ask public resolvers from now on, or not until the program ends.
    ChooseResolvers { public: bool },
    /// Write the project's configuration into the configuration file.
    Save {
        /// As it was when it was read: later changes by others are not overwritten.
        was: ConfigSource,
        /// The new one.
        configuration: DomainsConfiguration,
    },
}

/// The result of a job about domains.
#[derive(Clone, Debug, PartialEq)]
pub enum DomainReply {
    /// The list of domains as it is on disk now.
    RegistryWritten(Result<Registry, String>),
    /// What is complete of the check in this lane, and when it began.
    CheckProgress(usize, (Complete, Timestamp)),
    /// The domain in this lane was checked, or could not be.
    Checked(usize, Result<Box<CheckResult>, Failure>),
    /// Which resolvers are asked is settled, or why not.
    ResolversChosen(Result<(), Failure>),
    /// Redirects were followed, or could not be.
    RedirectsFollowed(Result<Vec<FollowedRedirect>, Failure>),
    /// This configuration was written to this file, or why not.
    Saved(Result<(DomainsConfiguration, String), NotSaved>),
}
