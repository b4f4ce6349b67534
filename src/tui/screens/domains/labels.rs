//! Words that several places of the panel share.

use jiff::SignedDuration;

use crate::app::domain_progress::NextStep;
use crate::app::domain_service::CheckResult;
use crate::domains::record_export::DnsRecord;
use crate::domains::{Code, Domain, Verdict, report};

use super::state::State;

/// What a domain needs at its DNS provider, once the value is known.
pub fn record(state: &State, domain: &Domain) -> Option<DnsRecord> {
    let value = state.reported(&domain.name).value?;
    let zone = state.seen(&domain.name).map_or_else(|| domain.registrable.clone(), |seen| seen.zone.clone());
    Some(DnsRecord { name: domain.name.clone(), zone, value, ttl: DnsRecord::TTL })
}

/// What the operator does next, with the key for it; `None` where nothing is to do, or time does it.
pub fn act(next: &NextStep) -> Option<&str> {
    Some(match next {
        NextStep::EnterValue => "Enter: the value",
        NextStep::EnterRecord => "Enter: the record",
        NextStep::Check => "r: check",
        NextStep::FindOutWhy => "Enter: why",
        NextStep::Fix(fix) => {
            // The list has no room for the place.
            let places = ["at your DNS provider", "in the dashboard"];
            let rest = places.iter().find_map(|place| fix.strip_prefix(place)).unwrap_or(fix);
            rest.trim_start_matches([',', ' '])
        }
        NextStep::Verify => "Verify, then V",
        NextStep::Reverify => "t: the three checks",
        NextStep::FixRedirect => "R: redirects",
        NextStep::Remove => "U: in which order",
        NextStep::DeleteRecord => "delete the CNAME",
        NextStep::Forget => "U: off the list",
        NextStep::Wait(_) | NextStep::AwaitCertificate(_) | NextStep::Nothing => return None,
    })
}

/// How long ago, or how long still: in minutes, in hours, in days from two days on.
pub fn span(time: SignedDuration) -> String {
    let minutes = time.abs().as_secs() / 60;
    match minutes {
        0 => "less than a minute".to_owned(),
        1..60 => format!("{minutes} min"),
        60..2880 => format!("{} h {} min", minutes / 60, minutes % 60),
        _ => format!("{} days", minutes / 1440),
    }
}

/// What differs between two checks: each line that came or went.
pub fn difference(before: &CheckResult, after: &CheckResult) -> Option<String> {
    // What is right, or could not be looked at, comes and goes without being news.
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
    let changes = [("gone", words(&old, &new)), ("new", words(&new, &old))];
    let changes: Vec<String> = changes
        .iter()
        .filter(|(_, titles)| !titles.is_empty())
        .map(|(how, titles)| format!("{how}: {titles}"))
        .collect();
    (!changes.is_empty()).then(|| changes.join("; "))
}

/// The findings with what proves each, in lines of at most `columns`.
pub fn evidence(seen: &CheckResult, columns: usize) -> String {
    let lines = seen.findings.iter().map(|finding| report::finding(finding, seen.at, Some(columns), true));
    lines.collect::<Vec<_>>().join("\n")
}
