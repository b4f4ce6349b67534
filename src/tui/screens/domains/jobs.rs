//! Jobs of the panel for the worker, and their replies.

use jiff::Timestamp;

use crate::api::failure::Failure;
use crate::app::domain_service::{CheckRequest, CheckResult, ResolverChoice};
use crate::domains::check::FollowedRedirect;
use crate::domains::observation::Complete;
use crate::domains::redirect_config::Redirect;
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
    /// Ask public resolvers from now on or not, here and in every command.
    ChooseResolvers { public: bool },
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
    /// Which resolvers are asked from now on; and why that was not saved, if it was not.
    ResolversChosen(Result<(ResolverChoice, Option<String>), Failure>),
    /// Redirects were followed, or could not be.
    RedirectsFollowed(Result<Vec<FollowedRedirect>, Failure>),
}
