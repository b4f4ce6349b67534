//! One line of a diagnosis: what is so, who must act, what to do, how long to wait, and what proves it.

use std::cmp::Reverse;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::catalogue::Code;

/// How a finding, or a domain as a whole, is judged.
///
/// The order is that of a summary: the worst of several is the greatest. [`Verdict::Unknown`] is least, since it never
/// counts against a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Verdict {
    /// It could not be checked from here.
    Unknown,
    /// Right.
    Ok,
    /// Works, but.
    Warn,
    /// Right at the source; time will do it.
    Wait,
    /// Somebody must act.
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
    /// Nobody; time does it, or nothing is to do.
    Nobody,
    /// Whoever keeps this machine or its network.
    ThisMachine,
}

impl Who {
    /// In words, for the beginning of a sentence about what to do.
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
}

/// What proves a finding: a question, whom it was put to, the answer, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// What was asked, for example `docs.example.com CNAME`.
    pub question: String,
    /// Whom: a name and an address.
    pub server: String,
    /// What came back, in one line.
    pub answer: String,
    /// When.
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
    /// What should have been seen; empty where there is nothing to compare.
    pub expected: String,
    /// What to do, with the operator's own names and values; empty where nothing is to do.
    pub fix: String,
    /// Until when to wait, where that is known.
    pub until: Option<Timestamp>,
    /// The proof.
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

    /// All is right, and nobody has to act.
    pub fn ok(code: Code) -> Self {
        Self::new(code, Verdict::Ok, Who::Nobody)
    }

    /// Somebody must act.
    pub fn fail(code: Code, who: Who) -> Self {
        Self::new(code, Verdict::Fail, who)
    }

    /// It works, but.
    pub fn warn(code: Code, who: Who) -> Self {
        Self::new(code, Verdict::Warn, who)
    }

    /// It could not be checked from here.
    pub fn unknown(code: Code, who: Who) -> Self {
        Self::new(code, Verdict::Unknown, who)
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

    /// With what to do.
    pub fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: fix.into(), ..self }
    }

    /// With what its row of the catalogue says to do.
    pub(super) fn cured(self) -> Self {
        let cure = self.code.cure();
        self.fix(cure)
    }

    /// With the end of the wait.
    pub fn until(self, until: impl Into<Option<Timestamp>>) -> Self {
        Self { until: until.into(), ..self }
    }

    /// With its proof.
    pub fn evidence(self, evidence: impl IntoIterator<Item: Into<Evidence>>) -> Self {
        Self { evidence: evidence.into_iter().map(Into::into).collect(), ..self }
    }
}

/// The verdict of several findings: the worst of them. [`Verdict::Unknown`] only where nothing else is known.
pub fn overall(findings: &[Finding]) -> Verdict {
    findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Unknown)
}

/// The finding that decides: among the worst, the first in the order in which causes are to be mended.
pub fn deciding<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Option<&'a Finding> {
    findings.into_iter().min_by_key(|finding| (Reverse(finding.verdict), finding.code.topic()))
}

/// When the wait ends that decides; `None` where something else decides, or nobody knows.
pub fn wait_ends(findings: &[Finding]) -> Option<Timestamp> {
    deciding(findings).filter(|finding| finding.verdict == Verdict::Wait)?.until
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(code: Code, verdict: Verdict) -> Finding {
        Finding::new(code, verdict, Who::Nobody)
    }

    #[test]
    fn the_worst_verdict_counts_and_unknown_stands_beside() {
        assert_eq!(overall(&[]), Verdict::Unknown);
        let [ok, unknown] = [finding(Code::DnsOk, Verdict::Ok), finding(Code::V6Untested, Verdict::Unknown)];
        assert_eq!(overall(&[unknown.clone(), ok.clone()]), Verdict::Ok);
        assert_eq!(overall(std::slice::from_ref(&unknown)), Verdict::Unknown);
        let worst = [ok, finding(Code::TtlWait, Verdict::Wait), finding(Code::TlsSoon, Verdict::Warn), unknown];
        assert_eq!(overall(&worst), Verdict::Wait);
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
