//! Findings and next steps as text.

use std::io::{self, Write};

use jiff::Timestamp;

use crate::domains::catalogue::Topic;
use crate::domains::check::Checked;
use crate::domains::finding::deciding;
use crate::domains::progress::NextStep;
use crate::domains::report::{self, full_sentence, matrix, paragraph, room, sentence, until_words};
use crate::domains::{DnsName, Finding, Verdict};
use crate::model::words::{counted, list, uncapitalized};

use super::super::output::columns;

/// What to do next for `name`, with the command for it.
pub fn next_step(next: NextStep, name: &DnsName) -> String {
    let (join, verb, rest) = match next {
        NextStep::EnterValue => (", then run", "add", " --platform-host VALUE"),
        NextStep::EnterRecord => ("", "records", ""),
        NextStep::Check | NextStep::FindOutWhy => ("", "check", ""),
        NextStep::Verify | NextStep::Reverify => (", then run", "verified", ""),
        NextStep::Remove => ("", "remove", ""),
        NextStep::Forget => ("", "remove", " --forget"),
        NextStep::Fix
        | NextStep::FixRedirect
        | NextStep::DeleteRecord
        | NextStep::Wait
        | NextStep::AwaitCertificate
        | NextStep::Nothing => return next.words().to_owned(),
    };
    format!("{}{join}: petstore domains {verb} {name}{rest}", next.words())
}

/// Writes findings, with their evidence if `evidence` is set.
pub fn findings<'a>(
    out: &mut impl Write,
    findings: impl IntoIterator<Item = &'a Finding>,
    now: Timestamp,
    evidence: bool,
) -> io::Result<()> {
    let columns = columns();
    findings.into_iter().try_for_each(|finding| write!(out, "{}", report::finding(finding, now, columns, evidence)))
}

/// Everything behind the result of a check: what was expected, all findings with their evidence, and who sees what.
pub fn evidence(out: &mut impl Write, checked: &Checked) -> io::Result<()> {
    let Checked { domain, expectation, findings, at, .. } = checked;
    let kind = if domain.is_apex() { "point" } else { "be a CNAME" };
    if let Some(host) = &expectation.platform_host {
        writeln!(out, "{} should {kind} to {host}\n", domain.unicode)?;
    }
    self::findings(out, findings, *at, true)?;
    writeln!(out, "{}", matrix(&domain.name, &checked.views()))
}

/// The result of a check in three lines: the verdict and its cause, who does what, and until when, with what was seen.
pub fn summary(out: &mut impl Write, checked: &Checked, is_whole: bool) -> io::Result<()> {
    let Checked { domain, findings, progress, at, .. } = checked;
    let mut line = |text: &str| write!(out, "{}", paragraph("", text, room(columns())));
    let Some(decides) = deciding(findings) else { return line(&format!("{}: the check failed", domain.unicode)) };
    let title = match decides.verdict {
        Verdict::Ok if checked.stage().is_some() => progress.summary.clone(),
        Verdict::Ok => "all right; it is not on your list".to_owned(),
        _ => format!("{} [{}]", uncapitalized(&decides.title), decides.code),
    };
    line(&format!("{} {}: {title}", decides.verdict.as_str().to_uppercase(), domain.unicode))?;
    let next = next_step(progress.next, &domain.name);
    match decides.act() {
        Some(act) if decides.code.topic() == Topic::Name => line(&full_sentence(act))?,
        Some(act) => line(&format!("{}: {}", decides.who.acts(), sentence(act)))?,
        None if progress.next != NextStep::Nothing => line(&full_sentence(&next))?,
        None => {}
    }
    let mut seen = Vec::new();
    seen.extend(decides.until.map(|until| format!("Until {}.", until_words(until, *at))));
    seen.extend((!decides.seen.is_empty()).then(|| format!("{}.", decides.seen.trim_end_matches('.'))));
    seen.extend(
        progress.status.stale.map(|age| format!("{} min ago it was {}.", age.as_mins(), checked.stage_words())),
    );
    let others = findings.iter().filter(|finding| finding.verdict > Verdict::Ok).count().saturating_sub(1);
    if others > 0 && !is_whole {
        seen.push(format!("{} with -e.", counted(others, "more finding")));
    }
    line(&seen.join(" "))?;
    match checked.not_checked() {
        left if left.is_empty() || decides.verdict == Verdict::Fail => Ok(()),
        left => line(&format!("Not checked: {}", sentence(&list(left)))),
    }
}
