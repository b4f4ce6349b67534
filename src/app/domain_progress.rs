//! How far a domain is and what comes next, for the panel, the commands and the dialogue. Each of them adds its key or
//! command, and formats the times.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::domains::finding::overall;
use crate::domains::redirect_config::ConfigSource;
use crate::domains::registry::Entry;
use crate::domains::reported::{Event, Reported};
use crate::domains::stage::{Measurement, Stage, Status, status};
use crate::domains::{Code, DnsName, Finding, Verdict};

/// How far a domain is, and what comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainProgress {
    /// Its stage, and the age of the measurement behind it.
    pub status: Status,
    /// Its verdict; `None` if nothing is known yet.
    pub verdict: Option<Verdict>,
    /// Its state in a few words.
    pub summary: String,
    /// What comes next.
    pub next: NextStep,
    /// The operator must act.
    pub needs_action: bool,
    /// It will change with time or by an action, so it is checked again automatically.
    pub pending: bool,
}

/// What comes next for a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// The operator copies the value from the dashboard.
    EnterValue,
    /// The operator enters the record at the DNS provider.
    EnterRecord,
    /// The first check.
    Check,
    /// The operator finds out why the check failed.
    FindOutWhy,
    /// The operator fixes the first problem, as described.
    Fix(String),
    /// The operator chooses Verify in the dashboard.
    Verify,
    /// The operator goes through the three checks, and chooses Re-verify.
    Reverify,
    /// The operator corrects the redirect from the domain.
    FixRedirect,
    /// The operator removes the domain, step by step.
    Remove,
    /// The operator deletes the record left behind.
    DeleteRecord,
    /// The operator takes the domain off the list.
    Forget,
    /// Waiting until then, if known; the time may have passed.
    Wait(Option<Timestamp>),
    /// The platform issues the certificate: Verify was chosen then.
    AwaitCertificate(Timestamp),
    /// Nothing.
    Nothing,
}

impl DomainProgress {
    /// The progress of an entry of the list. `failing_redirect` is the problem of the redirect from it, if any.
    pub fn of(entry: &Entry, reported: &Reported, failing_redirect: Option<&str>, now: Timestamp) -> Self {
        let status = status(reported, &entry.measurements, now);
        let stage = status.state;
        let last = last_known(entry);
        let title = last.map_or("unknown", |last| last.title.as_str());
        let fix = || NextStep::Fix(last.map_or_else(String::new, |last| last.fix.clone()));
        let wait = NextStep::Wait(last.and_then(|last| last.until));
        let measured = last.map(|last| last.verdict);
        let fails = measured == Some(Verdict::Fail);
        let is_unchecked = last.is_none() && (reported.saved.is_some() || reported.verified.is_some());
        let (verdict, summary, next) = match stage {
            Stage::Draft if reported.is_known() => (None, "draft", NextStep::EnterValue),
            _ if last.is_none() && !entry.measurements.is_empty() => {
                (Some(Verdict::Unknown), "check failed", NextStep::FindOutWhy)
            }
            // It is not on the list: only what was measured is known.
            Stage::Draft => (measured, last.map_or("not checked yet", |last| last.title.as_str()), NextStep::Nothing),
            _ if is_unchecked => (None, "not checked yet", NextStep::Check),
            Stage::WaitingForDns if fails => (measured, title, fix()),
            Stage::WaitingForDns if reported.saved.is_some() => (Some(Verdict::Wait), title, wait),
            Stage::WaitingForDns => (Some(Verdict::Wait), "record not saved yet", NextStep::EnterRecord),
            // Of a warning, the cause counts: time may not help.
            Stage::Propagating if measured == Some(Verdict::Warn) => (measured, title, wait),
            Stage::Propagating => (measured, "propagating", wait),
            Stage::ReadyToVerify => (Some(Verdict::Wait), "ready to verify", NextStep::Verify),
            // More than a certificate is missing.
            Stage::CertificatePending if fails => (measured, title, fix()),
            Stage::CertificatePending => {
                (Some(Verdict::Wait), "certificate pending", reported.verified.map_or(wait, NextStep::AwaitCertificate))
            }
            Stage::CertificateLate => (Some(Verdict::Fail), "no certificate", NextStep::Reverify),
            Stage::Live if failing_redirect.is_some() => {
                (Some(Verdict::Fail), failing_redirect.unwrap_or(title), NextStep::FixRedirect)
            }
            Stage::Live if measured > Some(Verdict::Ok) => (measured, title, fix()),
            Stage::Live => (measured, "live", NextStep::Nothing),
            Stage::Failing => (measured, title, fix()),
            Stage::RemovalPlanned => (None, "removal planned", NextStep::Remove),
            Stage::Removed if last.is_some_and(Measurement::is_left_behind) => {
                (Some(Verdict::Fail), "CNAME left behind", NextStep::DeleteRecord)
            }
            Stage::Removed => (None, "removed", NextStep::Forget),
        };
        let needs_action = match stage {
            _ if is_unchecked || !reported.is_known() => false,
            Stage::Live => failing_redirect.is_some(),
            Stage::Propagating => false,
            Stage::CertificatePending => fails,
            Stage::WaitingForDns => fails || reported.saved.is_none(),
            Stage::Removed => verdict.is_some(),
            Stage::Draft | Stage::ReadyToVerify | Stage::CertificateLate | Stage::Failing | Stage::RemovalPlanned => {
                true
            }
        };
        let pending = stage.is_pending() || stage == Stage::Removed && verdict.is_some();
        Self { status, verdict, summary: summary.to_owned(), next, needs_action, pending }
    }

    /// Greater is worse.
    pub fn rank(&self) -> (Option<Verdict>, bool) {
        // A draft and a planned removal have no verdict, but wait for the operator.
        let verdict = self.verdict.or(self.needs_action.then_some(Verdict::Wait));
        (verdict, self.needs_action)
    }
}

/// The last measurement that succeeded.
pub fn last_known(entry: &Entry) -> Option<&Measurement> {
    entry.measurements.iter().rev().find(|measurement| measurement.known)
}

/// What to do at a stage, without the key or command for it.
pub const fn what_to_do(stage: Stage) -> &'static str {
    match stage {
        Stage::Draft => "copy the value from the dashboard (Project settings, Domains, Add domain)",
        Stage::WaitingForDns => "enter the record at your DNS provider",
        Stage::Propagating => "wait: the record is right, some caches still hold the old answer",
        Stage::ReadyToVerify => "choose Verify in the dashboard",
        Stage::CertificatePending => "wait: the certificate usually follows within a couple of minutes",
        Stage::CertificateLate => "choose Re-verify in the dashboard",
        Stage::Live => "nothing to do",
        Stage::Failing => "fix the first problem",
        Stage::RemovalPlanned => "set up the redirect first, then choose Remove in the dashboard",
        Stage::Removed => "delete the CNAME at your DNS provider, if it is still there",
    }
}

/// Whether a redirect works: nothing fails in it, though it may have warnings.
pub fn leads_on(findings: &[Finding]) -> bool {
    let breaks = |finding: &Finding| finding.verdict == Verdict::Fail || finding.code == Code::RdNone;
    overall(findings) > Verdict::Unknown && !findings.iter().any(breaks)
}

/// Whether a record still points to the platform after the removal; `None` if unknown or not removed.
pub fn is_left_behind(entry: &Entry, stage: Stage) -> Option<bool> {
    if stage != Stage::Removed {
        return None;
    }
    let removed = entry.events.iter().filter(|dated| dated.event == Event::Removed).map(|dated| dated.at).max();
    let last = last_known(entry)?;
    last.leads_to_platform().filter(|_| Some(last.at) >= removed)
}

/// The role of a domain in the project's configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum DomainRole {
    /// It is `domains.primary`.
    Primary,
    /// It is the `from` of one of `domains.redirects`.
    Redirect,
    /// Not configured.
    #[default]
    #[strum(serialize = "-")]
    None,
}

/// The roles of all domains that the project's configuration names.
#[derive(Clone, Debug, Default)]
pub struct DomainRoles(HashMap<DnsName, DomainRole>);

impl DomainRoles {
    /// The roles in a configuration.
    pub fn of(configuration: &ConfigSource) -> Self {
        let sources = configuration.redirects.iter().map(|redirect| (&redirect.from, DomainRole::Redirect));
        let primary = configuration.primary.iter().map(|primary| (primary, DomainRole::Primary));
        Self(sources.chain(primary).map(|(name, role)| (DnsName::new(name), role)).collect())
    }

    /// The role of a domain.
    pub fn get(&self, name: &DnsName) -> DomainRole {
        self.0.get(name).copied().unwrap_or_default()
    }
}

/// How many domains have which verdict, in words.
pub fn count_words(verdicts: &[Verdict]) -> String {
    let words = [
        (Verdict::Fail, "to fix"),
        (Verdict::Wait, "waiting"),
        (Verdict::Warn, "with a warning"),
        (Verdict::Ok, "fine"),
        (Verdict::Unknown, "unknown"),
    ];
    let counts = words.map(|(verdict, words)| (verdicts.iter().filter(|seen| **seen == verdict).count(), words));
    let shown = counts.iter().filter(|(count, _)| *count > 0);
    shown.map(|(count, words)| format!("{count} {words}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::Who;
    use crate::domains::reported::Dated;

    fn finding(code: Code, verdict: Verdict) -> Finding {
        Finding::new(code, verdict, Who::Nobody)
    }

    fn entry(measured: &[(Code, Verdict)]) -> Entry {
        let findings: Vec<Finding> = measured.iter().map(|(code, verdict)| finding(*code, *verdict)).collect();
        let measurements = match measured {
            [] => Vec::new(),
            _ => vec![Measurement::of(&findings, Timestamp::UNIX_EPOCH)],
        };
        Entry { name: DnsName::new("docs.acme.com"), events: Vec::new(), measurements }
    }

    const LIVE: [(Code, Verdict); 4] = [
        (Code::DnsOk, Verdict::Ok),
        (Code::CaaNone, Verdict::Ok),
        (Code::TlsOk, Verdict::Ok),
        (Code::HttpOk, Verdict::Ok),
    ];

    #[test]
    fn what_comes_next_follows_from_what_was_reported_and_measured() {
        let draft = Reported { added: Some(Timestamp::UNIX_EPOCH), ..Reported::default() };
        let unlisted = Reported::default();
        let valued = Reported { value: Some(DnsName::new("sites.platform.net")), ..Reported::default() };
        let saved = Reported { saved: Some(Timestamp::UNIX_EPOCH), ..valued.clone() };
        let removed = Reported { removed: true, ..saved.clone() };
        for (reported, measured, redirect, next, needs_action) in [
            (&draft, &[][..], None, NextStep::EnterValue, true),
            (&unlisted, &LIVE, None, NextStep::Nothing, false),
            (&valued, &[], None, NextStep::EnterRecord, true),
            (&saved, &[], None, NextStep::Check, false),
            (&saved, &[(Code::Offline, Verdict::Unknown)], None, NextStep::FindOutWhy, false),
            (&saved, &[(Code::DnsMissing, Verdict::Wait)], None, NextStep::Wait(None), false),
            (&saved, &[(Code::DnsABlocks, Verdict::Fail)], None, NextStep::Fix(String::new()), true),
            (&saved, &LIVE[..2], None, NextStep::Verify, true),
            (&saved, &LIVE, None, NextStep::Nothing, false),
            (&saved, &LIVE, Some("in a circle"), NextStep::FixRedirect, true),
            (&removed, &LIVE, None, NextStep::DeleteRecord, true),
            (&removed, &[(Code::DnsMissing, Verdict::Wait)], None, NextStep::Forget, false),
        ] {
            let progress = DomainProgress::of(&entry(measured), reported, redirect, Timestamp::UNIX_EPOCH);
            assert_eq!((progress.next, progress.needs_action), (next, needs_action), "{measured:?}");
        }
    }

    #[test]
    fn a_record_is_left_behind_if_it_was_seen_after_the_removal() {
        let dated = |second, event| Dated { at: Timestamp::from_second(second).unwrap(), event };
        let removed = |at| Entry { events: vec![dated(-2, Event::Added), dated(at, Event::Removed)], ..entry(&LIVE) };
        assert_eq!(is_left_behind(&removed(-1), Stage::Removed), Some(true));
        // What was seen before says nothing.
        assert_eq!(is_left_behind(&removed(1), Stage::Removed), None);
        assert_eq!(is_left_behind(&removed(-1), Stage::Live), None);
    }

    #[test]
    fn a_redirect_works_if_nothing_fails_in_it() {
        assert!(leads_on(&[finding(Code::RdOk, Verdict::Ok)]));
        assert!(leads_on(&[finding(Code::RdStatus, Verdict::Warn)]));
        assert!(!leads_on(&[finding(Code::RdNone, Verdict::Warn)]));
        assert!(!leads_on(&[finding(Code::RdLoop, Verdict::Fail)]));
        assert!(!leads_on(&[]));
    }

    #[test]
    fn a_redirected_primary_domain_is_still_primary() {
        let redirect = crate::domains::redirect_config::WrittenRedirect {
            from: "www.acme.com".to_owned(),
            to: "acme.com".to_owned(),
            status: 301,
        };
        let roles = |primary: &str| {
            let primary = Some(primary.to_owned());
            DomainRoles::of(&ConfigSource { primary, redirects: vec![redirect.clone()] })
        };
        let www = DnsName::new("www.acme.com");
        assert_eq!(roles("WWW.acme.com").get(&www), DomainRole::Primary);
        assert_eq!(roles("acme.com").get(&www), DomainRole::Redirect);
        assert_eq!(roles("acme.com").get(&DnsName::new("other.com")), DomainRole::None);
    }
}
