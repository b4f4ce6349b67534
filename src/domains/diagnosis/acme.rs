//! Where certificate authorities look for proof by DNS: `_acme-challenge` below the name.

use super::super::observation::Lookup;
use super::super::observation::RecordType::{CNAME, TXT};
use super::super::{Code, Finding, Verdict, Who};
use super::Case;

/// The findings on `_acme-challenge`. `leads_here`: the record leads to the platform; `trusted`: there is a good
/// certificate.
pub fn findings(case: &Case<'_>, leads_here: bool, trusted: bool) -> Option<Finding> {
    let name = &case.seen.dns_challenge;
    let asked: Vec<&Lookup> = [CNAME, TXT].into_iter().flat_map(|kind| case.seen.asked(name, kind)).collect();
    let records = || asked.iter().filter_map(|lookup| lookup.answer()).flat_map(|reply| reply.at(name));
    let found = records().find_map(|record| record.data.cname());
    let has_text = records().any(|record| record.data.kind() == TXT);
    let beside = if has_text { " and TXT records beside it" } else { "" };
    let finding = match (case.expectation.platform.challenge_target(&case.domain.name), found) {
        // It was not asked, or nobody answered.
        _ if asked.iter().all(|lookup| lookup.answer().is_none()) => return None,
        (Some(wanted), found) if found != Some(&wanted) => {
            let seen = match (found, has_text) {
                (Some(target), _) => format!("{name} has CNAME {target}{beside}"),
                (None, true) => format!("{name} has TXT records, and no CNAME"),
                (None, false) => format!("{name} has no record"),
            };
            let first = if found.is_some() || has_text { "delete what is there, then add" } else { "add" };
            let verdict = match (trusted, case.reported.saved) {
                (true, _) => Verdict::Warn,
                (false, Some(_)) => Verdict::Fail,
                (false, None) => Verdict::Wait,
            };
            Finding::new(Code::AcmeDelegation, verdict, Who::DnsProvider)
                .seen(seen)
                .expected(format!("CNAME {wanted}"))
                .fix(format!("at your DNS provider, {first} CNAME {} -> {wanted}", name.relative_to(case.zone())))
        }
        (wanted, Some(target)) if leads_here => {
            let of_platform = wanted.is_some() || target.is_within(&case.platform_zone()?);
            let fix = match (of_platform, has_text) {
                (true, false) => return None,
                (true, true) => {
                    format!("at your DNS provider, delete the TXT records at {name}: a CNAME must be the only record")
                }
                (false, _) => format!(
                    "at your DNS provider, delete the records at {name}, unless you know what they are for: they are of an earlier provider"
                ),
            };
            Finding::warn(Code::AcmeLeftOver, Who::DnsProvider)
                .seen(format!("{name} has CNAME {target}{beside}"))
                .expected("no record, or the platform's")
                .fix(fix)
        }
        _ => return None,
    };
    Some(finding.evidence(asked))
}
