//! One domain of the list in a few words: its role, where it stands, and what is to be done next.

use jiff::Timestamp;

use crate::clock::Now;
use crate::domains::registry::Entry;
use crate::domains::stage::{Measurement, Stage as Step, status};
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
    /// Where it stands.
    pub step: Step,
    /// How it is; `None` where nothing is known yet.
    pub verdict: Option<Verdict>,
    /// The same in a few words.
    pub what: String,
    /// What is next.
    pub next: Next,
    /// Somebody must act.
    pub needs_act: bool,
    /// Time or somebody will change it, so that it is worth looking again by itself.
    pub pending: bool,
}

/// What is next for a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Something is to be done.
    Act(String),
    /// Time does it: until then, where that is known; the time may have passed.
    Wait(Option<Timestamp>),
    /// Time does it: Verify was chosen then.
    Verified(Timestamp),
    /// Nothing.
    Nothing,
}

/// Where a domain stands, how it is, and the same in words.
pub type StatusWords = (Step, Option<Verdict>, String);

/// What the project's configuration says of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DomainRole {
    /// It is `domains.primary`.
    Primary,
    /// It is the `from` of one of `domains.redirects`.
    Redirect,
    /// Nothing.
    None,
}

impl DomainRole {
    /// The word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Redirect => "redirect",
            Self::None => "-",
        }
    }
}

impl DomainSummary {
    /// The row of an entry.
    #[must_use]
    pub fn of(entry: &Entry, state: &State, now: Now) -> Self {
        let reported = state.setup.reported(entry);
        let wall = state.wall(now);
        let step = status(&reported, &entry.measurements, wall).state;
        let last = entry.measurements.iter().rev().find(|measurement| measurement.known);
        let title = last.map_or("nothing known yet", |last| last.title.as_str());
        let fix = || Next::Act(last.map_or_else(String::new, |last| short_act(&last.fix)));
        let act = |text: &str| Next::Act(text.to_owned());
        let wait = Next::Wait(last.and_then(|last| last.until));
        let measured = last.map(|last| last.verdict);
        let fails = measured == Some(Verdict::Fail);
        let redirect = state.redirects.failing(&entry.name);
        let (verdict, what, next) = match step {
            Step::Draft => (None, "draft", act("Enter: the value")),
            _ if last.is_none() && !entry.measurements.is_empty() => {
                (Some(Verdict::Unknown), "cannot be checked", act("Enter: why"))
            }
            _ if last.is_none() && (reported.saved.is_some() || reported.verified.is_some()) => {
                (None, "not checked yet", act("r: check"))
            }
            Step::WaitingForDns if fails => (Some(Verdict::Fail), title, fix()),
            Step::WaitingForDns if reported.saved.is_some() => (Some(Verdict::Wait), title, wait),
            Step::WaitingForDns => (Some(Verdict::Wait), "for the record", act("Enter: the record")),
            Step::Propagating => (measured, "propagating", wait),
            Step::ReadyToVerify => (Some(Verdict::Wait), "ready to verify", act("Verify, then V")),
            Step::CertificatePending => {
                (Some(Verdict::Wait), "certificate", reported.verified.map_or(wait, Next::Verified))
            }
            Step::CertificateLate => (Some(Verdict::Fail), "no certificate", act("t: the three checks")),
            // What the editor of the redirects shows, the list shows, too.
            Step::Live if redirect.is_some() => (Some(Verdict::Fail), redirect.unwrap_or(title), act("R: redirects")),
            Step::Live if measured > Some(Verdict::Ok) => (measured, title, fix()),
            Step::Live => (measured, "live", Next::Nothing),
            Step::Failing => (measured, title, fix()),
            Step::RemovalPlanned => (None, "to be removed", act("U: in which order")),
            Step::Removed if last.is_some_and(Measurement::is_left_behind) => {
                (Some(Verdict::Fail), "CNAME left behind", act("delete the CNAME"))
            }
            Step::Removed => (None, "removed", act("U: off the list")),
        };
        let needs_act = match step {
            _ if last.is_none() && (reported.saved.is_some() || reported.verified.is_some()) => false,
            Step::Live => redirect.is_some(),
            Step::Propagating | Step::CertificatePending => false,
            Step::WaitingForDns => fails || reported.saved.is_none(),
            Step::Removed => verdict.is_some(),
            Step::Draft | Step::ReadyToVerify | Step::CertificateLate | Step::Failing | Step::RemovalPlanned => true,
        };
        Self {
            shown: shown(&entry.name),
            name: entry.name.clone(),
            role: state.role(&entry.name),
            pending: step.is_pending() || step == Step::Removed && verdict.is_some(),
            step,
            verdict,
            what: what.to_owned(),
            next,
            needs_act,
        }
    }

    /// What it says, times apart.
    #[must_use]
    pub fn said(&self) -> StatusWords {
        (self.step, self.verdict, self.what.clone())
    }

    /// Greater is worse.
    #[must_use]
    pub fn rank(&self) -> (Option<Verdict>, bool) {
        // A draft and a planned removal are nobody's failure, but they wait for somebody.
        let verdict = self.verdict.or(self.needs_act.then_some(Verdict::Wait));
        (verdict, self.needs_act)
    }
}

/// A name for people; only an `xn--` one has another form.
fn shown(name: &DnsName) -> String {
    if !name.as_str().contains("xn--") {
        return name.to_string();
    }
    parse_name::domain(name.as_str()).map_or_else(|_| name.to_string(), |domain| domain.unicode)
}

/// A remedy without the place, which the list has no room for.
fn short_act(fix: &str) -> String {
    let fix = fix.strip_prefix("at your DNS provider ").unwrap_or(fix);
    fix.strip_prefix("in the dashboard ").unwrap_or(fix).to_owned()
}
