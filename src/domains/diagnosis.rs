//! Turns what was measured, what the operator reported, and the time into findings: one pure function.
//!
//! Each part of the catalogue has its file. They read the same [`Case`] and write findings in the order in which to fix
//! causes. There is no IO here, so every row of the catalogue is tested as a table.

pub(super) mod authoritative;
pub mod caa;
mod case;
mod certificate;
mod cname_target;
mod delegation;
mod dnssec;
mod http;
pub(super) mod memory;
mod missing_cname;
pub(super) mod nameservers;
pub(super) mod propagation;
pub(super) mod proxied;
mod record;
pub mod redirect;
#[cfg(test)]
pub(super) mod tests;
mod wildcard;
pub(super) mod words;

use super::catalogue::{Code, Topic};
use super::finding::{Finding, Verdict};
use super::observation::{Data, Record, RecordType};

use authoritative::Authoritative;

pub use case::{ACME_CHALLENGE, CERTIFICATE_WAIT, Case, Expectation, PROPAGATION};

/// The records at the name that must be deleted before the record from the dashboard can be added.
pub(super) fn conflicting<'a>(case: &Case<'a>) -> Vec<&'a Record> {
    let expected = case.value();
    let right = |record: &&Record| {
        !case.domain.is_apex() && matches!(&record.data, Data::Cname(target) if Some(target) == expected)
    };
    let leads = |record: &&Record| {
        matches!(record.data.kind(), RecordType::CNAME | RecordType::A | RecordType::AAAA)
            || (!case.domain.is_apex()
                && matches!(record.data.kind(), RecordType::TXT | RecordType::MX | RecordType::HTTPS | RecordType::CAA))
    };
    Authoritative::of(case).own.into_iter().filter(leads).filter(|record| !right(record)).collect()
}

/// The findings of a case, first causes first.
pub fn diagnose(case: &Case<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let source = Authoritative::of(case);
    let mut record = record::findings(case, &source);
    nameservers::findings(case, &source, &mut record, &mut findings);
    findings.append(&mut record);
    if is_the_end(&findings) {
        return findings;
    }
    findings.extend(caa::findings(case, &source));
    // What another server shows says nothing about the platform.
    let dns_fails = findings.iter().any(|finding| {
        finding.verdict == Verdict::Fail && matches!(finding.code.topic(), Topic::Servers | Topic::Record)
    });
    let leads_here = !dns_fails && case.value().is_some();
    let is_caa = |finding: &&Finding| finding.code.topic() == Topic::Caa;
    let free = findings.iter().filter(is_caa).all(|finding| finding.verdict < Verdict::Wait);
    let mut certificates = certificate::findings(case, leads_here, free);
    // Verify comes once nothing before it is open.
    if findings.iter().any(|finding| finding.verdict.is_open()) {
        certificates.iter_mut().filter(|one| one.verdict == Verdict::You).for_each(|one| one.verdict = Verdict::Wait);
    }
    let trusted = certificates.iter().any(certificate::is_good);
    findings.extend(certificates);
    findings.extend(http::challenge_left_over(case, leads_here));
    findings.extend(http::findings(case, leads_here, trusted && !dns_fails));
    findings
}

/// If nothing is known, or the domain does not exist, all other findings would only be consequences.
fn is_the_end(findings: &[Finding]) -> bool {
    let unknown = findings.iter().all(|finding| finding.verdict == Verdict::Unknown);
    findings.iter().any(|finding| match finding.code {
        Code::Offline => unknown,
        code => code == Code::NotDelegated,
    })
}
