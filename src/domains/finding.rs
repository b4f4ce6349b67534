//! A finding: what was seen, who must act, what to do, how long to wait, and the evidence.

use std::cmp::Reverse;

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::{Code, Topic};

/// The judgement of a finding, or of a domain as a whole.
///
/// The order is that of a summary: the worst of several is the greatest. [`Verdict::Unknown`] is least, since it never
/// counts against a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Verdict {
    /// Could not be checked from here.
    Unknown,
    /// Right.
    Ok,
    /// Works, with a caveat.
    Warn,
    /// It only needs time.
    Wait,
    /// Nothing is wrong, and the next step is the operator's.
    You,
    /// Action is needed.
    Fail,
}

impl Verdict {
    /// The word, in lower case.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Who must act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Who {
    /// The operator, at the DNS provider.
    DnsProvider,
    /// The operator, at the registrar.
    Registrar,
    /// The operator, in the dashboard of the platform.
    Dashboard,
    Platform,
    /// Nobody: just wait, or nothing to do.
    Nobody,
    /// The owner of this machine or its network.
    ThisMachine,
}

impl Who {
    /// In words.
    pub const fn at(self) -> &'static str {
        match self {
            Self::DnsProvider => "at your DNS provider",
            Self::Registrar => "at your registrar",
            Self::Dashboard => "in the dashboard",
            Self::Platform => "the platform",
            Self::Nobody => "nobody",
            Self::ThisMachine => "on this machine",
        }
    }

    /// Where they act, before what to do; of the dashboard, in its redirects.
    pub(super) const fn there(self) -> &'static str {
        match self {
            Self::Dashboard => "in the dashboard under Project settings, Domains (domains.redirects), ",
            Self::Registrar => "at your registrar, ",
            _ => "at your DNS provider, ",
        }
    }
}

/// Evidence for a finding: a question, the server asked, the answer, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// What was asked, for example `docs.example.com CNAME`.
    pub question: String,
    /// The server: a name and an address.
    pub server: String,
    /// What came back, in one line.
    pub answer: String,
    pub at: Timestamp,
}

/// One line of a diagnosis. Every text is safe to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The row of the catalogue.
    pub code: Code,
    /// The judgement.
    pub verdict: Verdict,
    /// Who must act.
    pub who: Who,
    /// The cause in a few words.
    pub title: String,
    pub seen: String,
    /// What should have been seen; empty if there is nothing to compare.
    pub expected: String,
    /// What to do, with the operator's own names and values; empty if there is nothing to do.
    pub fix: String,
    /// Until when to wait, if known.
    pub until: Option<Timestamp>,
    pub evidence: Vec<Evidence>,
}

impl Finding {
    /// A finding with the title of its code; the rest is added by the methods below.
    pub fn new(code: Code, verdict: Verdict, who: Who) -> Self {
        Self {
            code,
            verdict,
            who,
            title: code.title().to_owned(),
            seen: String::new(),
            expected: String::new(),
            fix: String::new(),
            until: None,
            evidence: Vec::new(),
        }
    }

    /// All is right; no action needed.
    pub fn ok(code: Code) -> Self {
        Self::new(code, Verdict::Ok, Who::Nobody)
    }

    /// Action is needed.
    pub fn fail(code: Code, who: Who) -> Self {
        Self::new(code, Verdict::Fail, who)
    }

    /// Works, with a caveat.
    pub fn warn(code: Code, who: Who) -> Self {
        Self::new(code, Verdict::Warn, who)
    }

    /// With another title than that of its code.
    pub fn title(self, title: &str) -> Self {
        Self { title: title.to_owned(), ..self }
    }

    pub fn seen(self, seen: impl Into<String>) -> Self {
        Self { seen: seen.into(), ..self }
    }

    /// With what should have been seen.
    pub fn expected(self, expected: impl Into<String>) -> Self {
        Self { expected: expected.into(), ..self }
    }

    pub fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: fix.into(), ..self }
    }

    /// With the catalogue's cure.
    pub(super) fn cured(self) -> Self {
        let cure = self.code.cure();
        self.fix(cure)
    }

    /// What to do, without the place; `None` if nothing.
    pub fn act(&self) -> Option<&str> {
        let act = without_place(&self.fix);
        (self.verdict != Verdict::Ok && !act.is_empty()).then_some(act)
    }

    /// Of another server, such as a registrar's forwarder: it cannot be changed in the dashboard, and waiting does not help.
    pub(super) fn after_record(self) -> Self {
        let fix = "fix the record first: another server answers, and this line disappears once the record is right";
        Self { who: Who::DnsProvider, until: None, ..self }.fix(fix)
    }

    /// Action is needed.
    pub fn fails(&self) -> bool {
        self.verdict == Verdict::Fail
    }

    /// It is not right yet: it needs time, or somebody must act.
    pub(super) fn is_open(&self) -> bool {
        self.verdict >= Verdict::Wait
    }

    /// One that may do no harm, and does.
    pub(super) fn fail_if(self, fails: bool) -> Self {
        let verdict = if fails { Verdict::Fail } else { self.verdict };
        Self { verdict, ..self }
    }

    /// The order of findings: the worst first, of those the first cause.
    pub(super) fn rank(&self) -> (Reverse<Verdict>, Topic) {
        (Reverse(self.verdict), self.code.topic())
    }

    /// With the end of the wait, in whole seconds: never before it.
    pub fn until(self, until: impl Into<Option<Timestamp>>) -> Self {
        let whole = RoundMode::Ceil;
        let whole = TimestampRound::new().smallest(Unit::Second).mode(whole);
        Self { until: until.into().map(|until| until.round(whole).unwrap_or(until)), ..self }
    }

    pub fn evidence(self, evidence: impl IntoIterator<Item: Into<Evidence>>) -> Self {
        Self { evidence: evidence.into_iter().map(Into::into).collect(), ..self }
    }
}

/// What to do, without the place at its beginning.
pub fn without_place(fix: &str) -> &str {
    let mut places = [Who::DnsProvider, Who::Registrar, Who::Dashboard].into_iter().map(Who::at);
    let rest = places.find_map(|place| fix.strip_prefix(place)).filter(|rest| rest.starts_with([',', ' ']));
    rest.map_or(fix, |rest| rest.trim_start_matches([',', ' ']))
}

/// The verdict of several findings: the worst of them. [`Verdict::Unknown`] only if nothing else is known.
pub fn overall(findings: &[Finding]) -> Verdict {
    findings.iter().map(|it| it.verdict).max().unwrap_or(Verdict::Unknown)
}

/// The finding that decides: among the worst, the first in the order in which to fix causes.
pub fn deciding<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Option<&'a Finding> {
    findings.into_iter().min_by_key(|it| it.rank())
}

/// When the wait ends that decides; `None` if something else decides, or if unknown. Until DNS is right, all caches must
/// have expired: of the servers, of the record and of CAA.
pub fn wait_ends(findings: &[Finding]) -> Option<Timestamp> {
    let decides = deciding(findings).filter(|it| it.verdict == Verdict::Wait)?;
    let is_dns = |it: &&Finding| it.code.topic() <= Topic::Caa && it.verdict == Verdict::Wait;
    match decides.until {
        Some(_) if is_dns(&decides) => findings.iter().filter(is_dns).filter_map(|it| it.until).max(),
        until => until,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(code: Code, verdict: Verdict) -> Finding {
        Finding::new(code, verdict, Who::Nobody)
    }

    #[test]
    fn the_worst_verdict_counts_and_unknown_does_not() {
        assert_eq!(overall(&[]), Verdict::Unknown);
        let [ok, unknown] = [finding(Code::DnsOk, Verdict::Ok), finding(Code::V6Untested, Verdict::Unknown)];
        assert_eq!(overall(&[unknown.clone(), ok.clone()]), Verdict::Ok);
        assert_eq!(overall(std::slice::from_ref(&unknown)), Verdict::Unknown);
        let worst = [ok, finding(Code::TtlWait, Verdict::Wait), finding(Code::TlsSoon, Verdict::Warn), unknown];
        assert_eq!(overall(&worst), Verdict::Wait);
    }

    #[test]
    fn a_wait_ends_at_a_whole_second_and_not_before_it() {
        let until = |text: &str| finding(Code::TtlWait, Verdict::Wait).until(text.parse::<Timestamp>().unwrap()).until;
        assert_eq!(until("2026-11-21T12:00:00.000000001Z").unwrap().to_string(), "2026-11-21T12:00:01Z");
        assert_eq!(until("2026-11-21T12:00:00Z").unwrap().to_string(), "2026-11-21T12:00:00Z");
    }

    #[test]
    fn of_equal_verdicts_the_first_cause_decides() {
        let findings = [
            finding(Code::TlsExpired, Verdict::Fail),
            finding(Code::CaaBlocked, Verdict::Fail),
            finding(Code::DnsABlocks, Verdict::Fail),
            finding(Code::DnsAaaaLeft, Verdict::Fail),
        ];
        assert_eq!(deciding(&findings).unwrap().code, Code::DnsABlocks);
    }
}
