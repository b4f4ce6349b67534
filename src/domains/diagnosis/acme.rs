//! Where certificate authorities look for proof by DNS: `_acme-challenge` below the name.

use super::super::Finding;
use super::super::catalogue::say;
use super::super::observation::Lookup;
use super::super::observation::RecordType::{CNAME, TXT};
use super::Case;

/// A CNAME that an earlier provider left there. `leads_here`: the record leads to the platform.
pub fn left_over(case: &Case<'_>, leads_here: bool) -> Option<Finding> {
    let name = &case.seen.dns_challenge;
    let asked: Vec<&Lookup> = [CNAME, TXT].into_iter().flat_map(|kind| case.seen.asked(name, kind)).collect();
    let records = || asked.iter().filter_map(|lookup| lookup.answer()).flat_map(|reply| reply.at(name));
    let target = records().find_map(|record| record.data.cname()).filter(|_| leads_here)?;
    let has_text = records().any(|record| record.data.kind() == TXT);
    let beside = if has_text { " and TXT records beside it" } else { "" };
    let finding = match (target.is_within(&case.platform_zone()?), has_text) {
        (true, false) => return None,
        (true, true) => say::challenge_not_alone(name, target, beside),
        (false, _) => say::challenge_left_over(name, target, beside),
    };
    Some(finding.evidence(asked))
}
