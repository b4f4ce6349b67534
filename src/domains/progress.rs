//! How far a domain is and what comes next: worked out and worded here only, for the panel, the commands and the dialogue.
//! Each of them adds its key or command, and formats the times.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use crate::model::words::counts;

use super::{Code, ConfigSource, DnsName, Finding, Measurement, Reported, Stage, Verdict, last_known, overall};

/// How far a domain is, and what comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainProgress {
    pub stage: Stage,
    /// The last check could not measure anything; the stage follows from one that is this old.
    pub stale: Option<SignedDuration>,
    /// Its verdict; `None` if nothing is known yet.
    pub verdict: Option<Verdict>,
    /// Its state in a few words.
    pub summary: String,
    /// What comes next.
    pub next: NextStep,
    /// What follows, once that is done; a domain that has its certificate needs no Verify.
    pub then: Option<&'static str>,
    /// What to do about the first problem of the last check; empty if nothing.
    pub fix: String,
    /// Until when to wait, if known; the time may have passed.
    pub until: Option<Timestamp>,
    /// The operator must act.
    pub needs_action: bool,
    /// It will change with time or by an action, so it is checked again automatically.
    pub pending: bool,
}

/// What comes next for a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// The operator copies the value from the dashboard.
    EnterValue,
    /// The operator enters the record at the DNS provider.
    EnterRecord,
    /// The first check.
    Check,
    /// The operator finds out why the check failed.
    FindOutWhy,
    /// The operator fixes the first problem.
    Fix,
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
    /// Waiting, mostly for caches.
    Wait,
    /// The platform issues the certificate.
    AwaitCertificate,
    /// Nothing.
    Nothing,
}

impl NextStep {
    /// What to do, without the key or command for it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::EnterValue => "copy the value from the dashboard",
            Self::EnterRecord => "enter the record at your DNS provider",
            Self::Check => "check it",
            Self::FindOutWhy => "find out why the check failed",
            Self::Fix => "fix the first problem",
            Self::Verify => "choose Verify in the dashboard",
            Self::Reverify => "choose Re-verify in the dashboard",
            Self::FixRedirect => "fix the redirect from it",
            Self::Remove => "remove it, step by step",
            Self::DeleteRecord => "delete the CNAME at your DNS provider",
            Self::Forget => "take it off the list",
            Self::Wait => "just wait",
            Self::AwaitCertificate => "wait for the certificate: mostly minutes",
            Self::Nothing => "nothing to do",
        }
    }

    /// What follows, once that is done.
    const fn then(self) -> Option<&'static str> {
        match self {
            Self::EnterValue => Some(Self::EnterRecord.words()),
            Self::EnterRecord | Self::Fix | Self::Wait => Some(Self::Verify.words()),
            Self::Verify | Self::Reverify => Some("the certificate follows, usually within a couple of minutes"),
            Self::AwaitCertificate => Some("the domain is live"),
            Self::Remove => Some(Self::DeleteRecord.words()),
            Self::DeleteRecord => Some(Self::Forget.words()),
            Self::Check | Self::FindOutWhy | Self::FixRedirect | Self::Forget | Self::Nothing => None,
        }
    }
}

impl DomainProgress {
    /// The progress of a domain of which this was measured, the latest last. `broken` is the problem of the redirect from
    /// it, if any.
    pub fn of(measured: &[Measurement], reported: &Reported, broken: Option<&str>, now: Timestamp) -> Self {
        let stage = Stage::of(reported, measured, now);
        let is_measured = !measured.is_empty();
        let last = last_known(measured);
        let is_gone = last.and_then(Measurement::leads_to_platform) == Some(false);
        let stale = last.filter(|_| measured.last().is_some_and(|last| !last.known));
        let stale = stale.map(|known| now.duration_since(known.at).max(SignedDuration::ZERO));
        let title = last.map_or("unknown", |last| last.title.as_str());
        let measured = last.map(|last| last.verdict);
        let fails = measured == Some(Verdict::Fail);
        let is_unchecked = last.is_none() && (reported.saved.is_some() || reported.verified.is_some());
        let (verdict, summary, next) = match stage {
            Stage::Draft if reported.is_known() => (None, "draft", NextStep::EnterValue),
            _ if last.is_none() && is_measured => (Some(Verdict::Unknown), "check failed", NextStep::FindOutWhy),
            // It is not on the list: only what was measured is known.
            Stage::Draft if measured > Some(Verdict::Ok) => (measured, title, NextStep::Fix),
            Stage::Draft if last.is_none() => (None, "not checked yet", NextStep::EnterValue),
            Stage::Draft => (measured, title, NextStep::EnterValue),
            _ if is_unchecked => (None, "not checked yet", NextStep::Check),
            Stage::WaitingForDns if fails => (measured, title, NextStep::Fix),
            Stage::WaitingForDns if reported.saved.is_some() => (Some(Verdict::Wait), title, NextStep::Wait),
            Stage::WaitingForDns => (Some(Verdict::You), "record not there yet", NextStep::EnterRecord),
            // Of a warning, the cause counts: time may not help.
            Stage::Propagating if measured == Some(Verdict::Warn) => (measured, title, NextStep::Wait),
            Stage::Propagating => (measured, "propagating", NextStep::Wait),
            Stage::ReadyToVerify => (Some(Verdict::You), "ready to verify", NextStep::Verify),
            // More than a certificate is missing.
            Stage::CertificatePending if fails => (measured, title, NextStep::Fix),
            Stage::CertificatePending => (Some(Verdict::Wait), "certificate pending", NextStep::AwaitCertificate),
            Stage::CertificateLate => (Some(Verdict::Fail), "no certificate", NextStep::Reverify),
            Stage::Live if broken.is_some() => (Some(Verdict::Fail), broken.unwrap_or(title), NextStep::FixRedirect),
            Stage::Live if measured > Some(Verdict::Ok) => (measured, title, NextStep::Fix),
            Stage::Live => (measured, "live", NextStep::Nothing),
            Stage::Failing => (measured, title, NextStep::Fix),
            Stage::RemovalPlanned => (None, "removal planned", NextStep::Remove),
            Stage::Removed if last.is_some_and(Measurement::is_left_behind) => {
                (Some(Verdict::Fail), "CNAME left behind", NextStep::DeleteRecord)
            }
            Stage::Removed if is_gone => (None, "removed", NextStep::Forget),
            Stage::Removed => (Some(Verdict::Unknown), "removed; the record may be left", NextStep::Check),
        };
        let needs_action = match next {
            _ if is_unchecked || !reported.is_known() => false,
            NextStep::Fix => stage != Stage::Live,
            NextStep::FindOutWhy => stage != Stage::Removed,
            NextStep::Check | NextStep::Wait | NextStep::AwaitCertificate | NextStep::Forget | NextStep::Nothing => {
                false
            }
            _ => true,
        };
        let pending =
            stage.is_pending() || stage == Stage::Removed && verdict.is_some() || next == NextStep::FixRedirect;
        let until = match next {
            NextStep::Wait => last.and_then(|last| last.until),
            NextStep::AwaitCertificate => reported.certificate_due(),
            _ => None,
        };
        let fixes = last.filter(|_| matches!(next, NextStep::Fix | NextStep::Wait));
        let fix = fixes.map_or_else(String::new, |last| last.fix.clone());
        let is_verified = last.is_some_and(|last| last.record && last.certificate);
        let then = match next {
            NextStep::Fix | NextStep::Wait if is_verified => None,
            NextStep::Remove if is_gone => NextStep::DeleteRecord.then(),
            _ => next.then(),
        };
        Self { stage, stale, verdict, summary: summary.to_owned(), next, then, fix, until, needs_action, pending }
    }

    /// What to do next, without the key or command for it.
    pub fn act(&self) -> &str {
        if self.fix.is_empty() { self.next.words() } else { &self.fix }
    }

    /// Greater is worse.
    pub fn rank(&self) -> (Option<Verdict>, bool) {
        // A draft and a planned removal have no verdict, but wait for the operator.
        let verdict = self.verdict.or(self.needs_action.then_some(Verdict::You));
        (verdict, self.needs_action)
    }
}

/// Whether a redirect works: nothing fails in it, though it may have warnings.
pub fn leads_on(findings: &[Finding]) -> bool {
    let breaks = |it: &Finding| it.fails() || it.code == Code::RdNone;
    overall(findings) > Verdict::Unknown && !findings.iter().any(breaks)
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
        let sources = configuration.redirects.iter().map(|it| (&it.from, DomainRole::Redirect));
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
        (Verdict::You, "for you"),
        (Verdict::Wait, "waiting"),
        (Verdict::Warn, "with a warning"),
        (Verdict::Ok, "fine"),
        (Verdict::Unknown, "unknown"),
    ];
    let count = |(verdict, words)| (verdicts.iter().filter(|seen| **seen == verdict).count(), words);
    counts(words.map(count)).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::Who;

    fn finding(code: Code, verdict: Verdict) -> Finding {
        Finding::new(code, verdict, Who::Nobody)
    }

    fn measured(lines: &[(Code, Verdict)]) -> Vec<Measurement> {
        let findings: Vec<Finding> = lines.iter().map(|(code, verdict)| finding(*code, *verdict)).collect();
        match lines {
            [] => Vec::new(),
            _ => vec![Measurement::of(&findings, Timestamp::UNIX_EPOCH)],
        }
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
        for (reported, lines, redirect, next, needs_action) in [
            (&draft, &[][..], None, NextStep::EnterValue, true),
            (&unlisted, &LIVE, None, NextStep::EnterValue, false),
            (&valued, &[], None, NextStep::EnterRecord, true),
            (&saved, &[], None, NextStep::Check, false),
            (&saved, &[(Code::Offline, Verdict::Unknown)], None, NextStep::FindOutWhy, false),
            (&saved, &[(Code::DnsMissing, Verdict::Wait)], None, NextStep::Wait, false),
            (&saved, &[(Code::DnsABlocks, Verdict::Fail)], None, NextStep::Fix, true),
            (&saved, &LIVE[..2], None, NextStep::Verify, true),
            (&saved, &LIVE, None, NextStep::Nothing, false),
            (&saved, &LIVE, Some("in a circle"), NextStep::FixRedirect, true),
            (&removed, &LIVE, None, NextStep::DeleteRecord, true),
            (&removed, &[(Code::DnsMissing, Verdict::Wait)], None, NextStep::Forget, false),
            // Whether the record is gone is not known: it is checked on.
            (&removed, &[(Code::ProxyCloudflare, Verdict::Fail)], None, NextStep::Check, false),
            (&removed, &[(Code::DnsTargetGone, Verdict::Fail)], None, NextStep::Check, false),
        ] {
            let progress = DomainProgress::of(&measured(lines), reported, redirect, Timestamp::UNIX_EPOCH);
            assert_eq!((progress.next, progress.needs_action), (next, needs_action), "{lines:?}");
        }
    }

    #[test]
    fn what_has_its_certificate_needs_no_verify() {
        let host = Some(DnsName::new("sites.platform.net"));
        let reported = Reported { value: host, saved: Some(Timestamp::UNIX_EPOCH), ..Reported::default() };
        let then = |lines| DomainProgress::of(&measured(lines), &reported, None, Timestamp::UNIX_EPOCH).then;
        assert_eq!(then(&[(Code::DnsABlocks, Verdict::Fail)]), Some("choose Verify in the dashboard"));
        assert_eq!(then(&[LIVE[0], LIVE[1], LIVE[2], (Code::RdLoop, Verdict::Fail)]), None);
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
