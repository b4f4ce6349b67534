//! Words that several places of the panel share.

use crate::app::domain_progress::NextStep;
use crate::app::domain_service::CheckResult;
use crate::domains::catalogue::Topic;
use crate::domains::{Finding, Verdict};

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
    let is_wrong = |finding: &&Finding| finding.verdict > Verdict::Ok;
    // What was not checked again is not fixed. Name servers that are right have no finding, and a redirect of the page that
    // works is one about the page.
    let group = |topic| if topic == Topic::Redirect { Topic::Http } else { topic };
    let seen = after.findings.iter().filter(|one| one.verdict != Verdict::Unknown).map(|one| one.code.topic());
    let looked = |topic| seen.clone().any(|seen| topic == Topic::Servers || group(seen) == group(topic));
    let news = |how: &str, from: &CheckResult, other: &CheckResult| {
        let stays = |one: &Finding| other.findings.iter().filter(is_wrong).any(|known| known.code == one.code);
        let only = from.findings.iter().filter(is_wrong).filter(|one| !stays(one) && looked(one.code.topic()));
        let mut titles: Vec<String> = only.map(|finding| format!("\"{}\"", finding.title)).collect();
        titles.dedup();
        (!titles.is_empty()).then(|| format!("{how}: {}", titles.join(", ")))
    };
    let changes: Vec<String> =
        [news("fixed", before, after), news("new", after, before)].into_iter().flatten().collect();
    (!changes.is_empty()).then(|| changes.join("; "))
}
