//! What the panel asks to be kept, and what checks gave.

use jiff::Timestamp;

use crate::domains::finding::overall;
use crate::domains::record_export::Conflict;
use crate::domains::redirect_config::Redirect;
use crate::domains::registry::Registry;
use crate::domains::reported::{Dated, Event};
use crate::domains::stage::Measurement;
use crate::domains::vantage_points::View;
use crate::domains::{DnsName, Finding, Verdict};

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
