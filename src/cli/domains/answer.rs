//! The output of a command that reports findings, and its exit status.

use clap::ValueEnum;
use jiff::Timestamp;
use serde_json::Value;

use crate::domains::finding::overall;
use crate::domains::{Finding, Verdict};

use super::super::error::{Exit, Failed};
use super::super::render::{ResultFormat, print, print_json};
use super::{json, words};

/// The least verdict that ends with the status of a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Something is wrong and needs action.
    #[default]
    Fail,
    /// There is a warning.
    Warn,
}

/// The exit status of a verdict.
pub const fn exit(verdict: Verdict, fail_on: FailOn) -> Exit {
    match (verdict, fail_on) {
        (Verdict::Fail, _) | (Verdict::Warn, FailOn::Warn) => Exit::DomainFails,
        (Verdict::You, _) => Exit::DomainYours,
        (Verdict::Wait, _) => Exit::DomainWaits,
        (Verdict::Ok | Verdict::Warn, _) => Exit::Done,
        (Verdict::Unknown, _) => Exit::Failure,
    }
}

/// The exit status of several domains: the worst of them. If nothing is wrong, but some could not be checked, only a part
/// is known.
pub fn exit_of_all(verdicts: &[Verdict], fail_on: FailOn) -> Exit {
    let exits = || verdicts.iter().map(|verdict| exit(*verdict, fail_on));
    let worst = [Exit::DomainFails, Exit::DomainYours, Exit::DomainWaits]
        .into_iter()
        .find(|worst| exits().any(|exit| exit == *worst));
    worst.unwrap_or_else(|| match exits().filter(|exit| *exit == Exit::Failure).count() {
        0 => Exit::Done,
        unknown if unknown == verdicts.len() => Exit::Failure,
        _ => Exit::Partly,
    })
}

/// The exit status of findings.
pub fn exit_of(findings: &[Finding]) -> Exit {
    exit(overall(findings), FailOn::default())
}

/// Findings, and their subject.
pub struct Answer<'a> {
    pub findings: &'a [Finding],
    /// The time of the check.
    pub at: Timestamp,
    /// Further members in JSON.
    pub about: Value,
}

impl Answer<'_> {
    /// Prints them; returns the exit status.
    pub fn print(self, format: ResultFormat) -> Result<Exit, Failed> {
        let Self { findings, at, about } = self;
        match format {
            ResultFormat::Json => print_json(&json::with(json::findings(findings), about))?,
            ResultFormat::Table => print(|out| words::findings(out, findings, at, false))?,
        }
        Ok(exit_of(findings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_domains_end_with_the_worst_status() {
        use Verdict::{Fail, Ok, Unknown, Wait, Warn, You};
        for (verdicts, fail_on, status) in [
            (&[Ok, Warn][..], FailOn::Fail, Exit::Done),
            (&[Ok, Warn], FailOn::Warn, Exit::DomainFails),
            (&[Ok, Wait, Unknown], FailOn::Fail, Exit::DomainWaits),
            (&[Wait, You, Ok], FailOn::Fail, Exit::DomainYours),
            (&[Fail, You], FailOn::Fail, Exit::DomainFails),
            (&[Warn, Wait], FailOn::Warn, Exit::DomainFails),
            (&[Wait, Fail, Unknown], FailOn::Fail, Exit::DomainFails),
            (&[Unknown, Unknown], FailOn::Fail, Exit::Failure),
            (&[Unknown, Ok], FailOn::Fail, Exit::Partly),
            (&[], FailOn::Fail, Exit::Done),
        ] {
            assert_eq!(exit_of_all(verdicts, fail_on), status, "{verdicts:?} {fail_on:?}");
        }
    }
}
