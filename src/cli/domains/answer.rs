//! The output of a command that reports findings, and its exit status.

use std::io::Write as _;

use jiff::Timestamp;
use serde_json::Value;

use crate::domains::finding::overall;
use crate::domains::{Finding, Verdict};

use super::super::error::{Exit, Failed};
use super::super::render::{ResultFormat, print, print_json};
use super::{json, words};

/// The exit status of a verdict.
pub fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Ok | Verdict::Warn => Exit::Done,
        Verdict::Wait => Exit::DomainWaits,
        Verdict::Fail => Exit::DomainFails,
        Verdict::Unknown => Exit::Failure,
    }
}

/// The exit status of findings.
pub fn exit_of(findings: &[Finding]) -> Exit {
    exit(overall(findings))
}

/// Findings, and their subject.
pub struct Answer<'a> {
    pub findings: &'a [Finding],
    /// The time of the check.
    pub at: Timestamp,
    /// Whether to show the evidence of each.
    pub evidence: bool,
    /// Further members in JSON.
    pub about: Value,
    /// The lines above the findings for people.
    pub head: String,
}

impl Answer<'_> {
    /// Prints them; returns the exit status.
    pub fn print(self, format: ResultFormat) -> Result<Exit, Failed> {
        let Self { findings, at, evidence, about, head } = self;
        match format {
            ResultFormat::Json => print_json(&json::with(json::findings(findings), about))?,
            ResultFormat::Table => print(|out| {
                write!(out, "{head}")?;
                words::findings(out, findings, at, evidence)
            })?,
        }
        Ok(exit_of(findings))
    }
}
