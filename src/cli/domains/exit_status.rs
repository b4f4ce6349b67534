//! The exit status of what a check of domains found.

use crate::domains::finding::overall;
use crate::domains::{Finding, Verdict};

use super::super::error::Exit;

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
