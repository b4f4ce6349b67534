//! What the panel asks the worker for, and what comes back.

use derive_more::From;
use jiff::Timestamp;

use crate::api::failure::Failure;
use crate::domains::finding::overall;
use crate::domains::record_export::Conflict;
use crate::domains::redirect_config::{ConfigSource, DomainsConfiguration, Redirect};
use crate::domains::registry::{Entry, Registry};
use crate::domains::reported::{Dated, Event, Reported};
use crate::domains::sandbox::Sandbox;
use crate::domains::stage::Measurement;
use crate::domains::vantage_points::View;
use crate::domains::{DnsName, Finding, Verdict};

/// What a job about domains does.
#[derive(Clone, Debug, PartialEq)]
pub enum DomainTask {
    /// Apply these changes to the list on disk, and read it.
    Keep(Vec<RegistryChange>),
    /// Look at one domain, in this lane.
    Check(usize, Box<CheckRequest>),
    /// Follow redirects by header-only requests.
    FollowRedirects {
        /// Which.
        redirects: Vec<Redirect>,
        /// What stands outside, where this is practice.
        sandbox: Option<Sandbox>,
        /// The time of day in practice.
        at: Option<Timestamp>,
    },
    /// Write the project's configuration into the configuration file.
    Save {
        /// As it was when it was read; what somebody else has changed since is not written over.
        was: ConfigSource,
        /// As it is to be.
        configuration: DomainsConfiguration,
    },
}

/// A domain to look at.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckRequest {
    /// The domain, and what was measured of it.
    pub entry: Entry,
    /// What was told of it.
    pub reported: Reported,
    /// The operator looks on: tell what is found as it is found, and write a report.
    pub detail: bool,
    /// What stands outside, where this is practice.
    pub sandbox: Option<Sandbox>,
    /// The time of day in practice.
    pub at: Option<Timestamp>,
}

/// What came of a job about domains.
#[derive(Clone, Debug, PartialEq)]
pub enum DomainReply {
    /// The list of domains as it is on disk now.
    RegistryWritten(Result<Registry, String>),
    /// What the look in this lane has found so far; it goes on.
    CheckProgress(usize, Vec<Finding>),
    /// The domain in this lane was looked at, or could not be.
    Checked(usize, Result<Box<CheckResult>, Failure>),
    /// Redirects were followed, or could not be.
    RedirectsFollowed(Result<Vec<FollowedRedirect>, Failure>),
    /// This configuration was written to this file, or why not.
    Saved(Result<(DomainsConfiguration, String), NotSaved>),
}

/// Why the configuration's domains were not written.
#[derive(Clone, Debug, PartialEq, Eq, From)]
pub enum NotSaved {
    /// Somebody else has changed them; this is there now.
    Changed(ConfigSource),
    /// It could not be done.
    #[from]
    Failed(String),
}

/// What is to be kept on disk.
#[derive(Clone, Debug, PartialEq)]
pub enum RegistryChange {
    /// The operator told something.
    Reported(DnsName, Dated),
    /// A domain was measured.
    Measured(DnsName, Box<Measurement>),
    /// A domain is taken off the list.
    Forgotten(DnsName),
}

impl RegistryChange {
    /// Applies it. Twice is the same as once.
    pub fn apply(&self, list: &mut Registry) {
        match self {
            Self::Reported(name, dated) => {
                // What another program took off the list comes back only by being added.
                let fits = match list.get(name) {
                    Some(entry) => !entry.events.contains(dated),
                    None => dated.event == Event::Added,
                };
                if fits {
                    list.note(name, dated.clone());
                }
            }
            Self::Measured(name, measurement) => {
                if let Some(entry) = list.get_mut(name)
                    && entry.measurements.iter().all(|known| known.at != measurement.at)
                {
                    entry.keep((**measurement).clone());
                }
            }
            Self::Forgotten(name) => list.domains.retain(|entry| entry.name != *name),
        }
    }
}

/// What is kept of a check while the app runs.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckResult {
    /// When.
    pub at: Timestamp,
    /// What it means.
    pub findings: Vec<Finding>,
    /// Who sees what.
    pub views: Vec<View>,
    /// What must go before the record can stand there.
    pub conflicts: Vec<Conflict>,
    /// The zone that the record is entered in.
    pub zone: DnsName,
    /// For support; only of checks that the operator asked for.
    pub report: String,
    /// For the list.
    pub measurement: Measurement,
}

/// What following a redirect gave.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowedRedirect {
    /// Which.
    pub redirect: Redirect,
    /// When.
    pub at: Timestamp,
    /// What it means.
    pub findings: Vec<Finding>,
    /// Each step: the address, and what it answered.
    pub hops: Vec<String>,
}

impl FollowedRedirect {
    /// How it is.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        overall(&self.findings)
    }
}
