//! One domain of the list: its name for people, its role, and how far it is.

use crate::app::domain_progress::{DomainProgress, DomainRole};
use crate::clock::Now;
use crate::domains::registry::Entry;
use crate::domains::stage::Stage;
use crate::domains::{DnsName, Verdict, parse_name};

use super::state::State;

/// A row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainSummary {
    /// The domain.
    pub name: DnsName,
    /// Its name for people.
    pub shown: String,
    /// What the project's configuration says of it.
    pub role: DomainRole,
    /// How far it is.
    pub progress: DomainProgress,
}

/// How far a domain is, how it is, and the same in words.
pub type StatusWords = (Stage, Option<Verdict>, String);

impl DomainSummary {
    /// The row of an entry.
    pub fn of(entry: &Entry, state: &State, now: Now) -> Self {
        // The list shows what the page of the redirects shows.
        let redirect = state.failing_redirect(&entry.name);
        Self {
            name: entry.name.clone(),
            shown: shown(&entry.name),
            role: state.roles.get(&entry.name),
            progress: DomainProgress::of(entry, &state.setup.reported(entry), redirect, state.wall(now)),
        }
    }

    /// How far it is, without times.
    pub fn words(&self) -> StatusWords {
        let DomainProgress { status, verdict, summary, .. } = &self.progress;
        (status.state, *verdict, summary.clone())
    }
}

/// A name for people; only an `xn--` one has another form.
fn shown(name: &DnsName) -> String {
    if !name.as_str().contains("xn--") {
        return name.to_string();
    }
    parse_name::domain(name.as_str()).map_or_else(|_| name.to_string(), |domain| domain.unicode)
}
