//! Words that several places of the panel share.

use crate::app::domain_progress::NextStep;
use crate::app::domain_service::CheckResult;
use crate::domains::record_export::DnsRecord;
use crate::domains::{Code, Domain, Verdict, report};

use super::state::State;

/// The record that a domain needs at its DNS provider, once the value is known.
pub fn record(state: &State, domain: &Domain) -> Option<DnsRecord> {
    let value = state.reported(&domain.name).value?;
    let zone = state.seen(&domain.name).map_or_else(|| domain.registrable.clone(), |seen| seen.zone.clone());
    Some(DnsRecord::new(domain, zone, value))
}

/// What the operator does next, with the key for it; `None` if there is nothing to do but wait.
pub fn act(next: &NextStep) -> Option<&str> {
    Some(match next {
        NextStep::EnterValue => "press Enter to add the value",
        NextStep::EnterRecord => "press Enter to add the record",
        NextStep::Check => "press r to check",
        NextStep::FindOutWhy => "press Enter to see why",
        NextStep::Fix(fix) => {
            // The list has no room for the place.
            let places = ["at your DNS provider", "in the dashboard"];
            let rest = places.iter().find_map(|place| fix.strip_prefix(place)).unwrap_or(fix);
            rest.trim_start_matches([',', ' '])
        }
        NextStep::Verify => "choose Verify, then press V",
        NextStep::Reverify => "press t for three checks",
        NextStep::FixRedirect => "press R to fix the redirect",
        NextStep::Remove => "press U to remove it step by step",
        NextStep::DeleteRecord => "delete the CNAME",
        NextStep::Forget => "press U to take it off the list",
        NextStep::Wait(_) | NextStep::AwaitCertificate(_) | NextStep::Nothing => return None,
    })
}

/// The problems that came or went between two checks.
pub fn difference(before: &CheckResult, after: &CheckResult) -> Option<String> {
    // What is right or could not be checked comes and goes without being news.
    let wrong = |seen: &CheckResult| -> Vec<(Code, String)> {
        let wrong = seen.findings.iter().filter(|finding| finding.verdict > Verdict::Ok);
        wrong.map(|finding| (finding.code, finding.title.clone())).collect()
    };
    let (old, new) = (wrong(before), wrong(after));
    let words = |from: &[(Code, String)], other: &[(Code, String)]| {
        let only = from.iter().filter(|(code, _)| !other.iter().any(|(known, _)| known == code));
        let mut words: Vec<String> = only.map(|(_, title)| format!("\"{title}\"")).collect();
        words.dedup();
        words.join(", ")
    };
    let changes = [("fixed", words(&old, &new)), ("new", words(&new, &old))];
    let changes: Vec<String> = changes
        .iter()
        .filter(|(_, titles)| !titles.is_empty())
        .map(|(how, titles)| format!("{how}: {titles}"))
        .collect();
    (!changes.is_empty()).then(|| changes.join("; "))
}

/// The findings with their evidence, in lines of at most `columns`.
pub fn evidence(seen: &CheckResult, columns: usize) -> String {
    let lines = seen.findings.iter().map(|finding| report::finding(finding, seen.at, Some(columns), true));
    lines.collect::<Vec<_>>().join("\n")
}
