//! What commands on domains print, and their exit statuses.

use std::io::{self, Write};

use clap::ValueEnum;
use jiff::Timestamp;

use super::super::output::columns;
use crate::cli::Exit;
use crate::domains::report::{matrix, paragraph, room};
use crate::domains::{
    Checked, DnsName, Finding, NextStep, Topic, Verdict, Who, deciding, full_sentence, overall, report, sentence,
    until_words, wait_ends,
};
use crate::model::counted;
use crate::model::words::{list, uncapitalized};

/// What to do next for `name`, with the command for it.
pub fn next_step(next: NextStep, name: &DnsName) -> String {
    let (join, verb, rest) = match next {
        NextStep::EnterValue => (", then run", "add", " --platform-host VALUE"),
        NextStep::EnterRecord => ("", "records", ""),
        NextStep::Check | NextStep::FindOutWhy => ("", "check", ""),
        NextStep::Verify | NextStep::Reverify => (", then run", "verified", ""),
        NextStep::Remove => ("", "remove", ""),
        NextStep::Forget => ("", "remove", " --forget"),
        _ => return next.words().to_owned(),
    };
    format!("{}{join}: petstore domains {verb} {name}{rest}", next.words())
}

/// `act`, what to do about the finding that decides, and the command that records it, if it is Verify.
pub fn recorded(act: &str, decides: &Finding, checked: &Checked) -> String {
    let is_verify = matches!(checked.progress.next, NextStep::Verify | NextStep::Reverify);
    match is_verify && decides.code.topic() == Topic::Certificate {
        true => format!("{act}; then run: petstore domains verified {}", checked.domain.name),
        false => act.to_owned(),
    }
}

/// Writes findings, with their evidence if `evidence` is set.
pub fn findings(out: &mut impl Write, findings: &[Finding], now: Timestamp, evidence: bool) -> io::Result<()> {
    let columns = columns();
    findings.iter().try_for_each(|finding| write!(out, "{}", report::finding(finding, now, columns, evidence)))
}

/// Everything behind the result of a check: what was expected, all findings with their evidence, and who sees what.
pub fn evidence(out: &mut impl Write, checked: &Checked) -> io::Result<()> {
    let Checked { domain, reported, findings, at, .. } = checked;
    let kind = if domain.is_apex() { "point" } else { "be a CNAME" };
    if let Some(host) = reported.value.as_ref().filter(|_| !reported.is_being_removed()) {
        writeln!(out, "{} should {kind} to {host}\n", domain.unicode)?;
    }
    self::findings(out, findings, *at, true)?;
    writeln!(out, "{}", matrix(&domain.name, &checked.views))
}

/// The result of a check in three lines: the verdict and its cause, who does what, and until when, with what was seen.
pub fn summary(out: &mut impl Write, checked: &Checked, is_whole: bool) -> io::Result<()> {
    let Checked { domain, reported, findings, progress, at, .. } = checked;
    let mut line = |text: &str| write!(out, "{}", paragraph("", text, room(columns())));
    let Some(decides) = deciding(findings) else { return line(&format!("{}: the check failed", domain.unicode)) };
    let title = match decides.verdict {
        Verdict::Ok if checked.stage().is_some() => progress.summary.clone(),
        Verdict::Ok => "all right; it is not on your list".to_owned(),
        _ => format!("{} [{}]", uncapitalized(&decides.title), decides.code),
    };
    line(&format!("{} {}: {title}", checked.verdict().as_str().to_uppercase(), domain.unicode))?;
    let next = next_step(progress.next, &domain.name);
    match decides.act() {
        Some(act) if decides.code.topic() == Topic::Name => line(&full_sentence(act))?,
        // What to ask the platform for is the operator's act.
        Some(act) if matches!(decides.who, Who::Platform | Who::Nobody) => line(&full_sentence(act))?,
        Some(act) => {
            let act = recorded(&uncapitalized(act), decides, checked);
            let record = reported.value.clone().map(|value| checked.record(value));
            let form = record.filter(|record| decides.who == Who::DnsProvider && record.provider.is_some());
            let place = form.as_ref().map(|form| format!("at {}", form.place()));
            let at = place.unwrap_or_else(|| decides.who.at().replace("your", "the"));
            line(&format!("You, {at}: {}", sentence(&act)))?;
            if let Some(record) = form.filter(|_| !checked.measurement.record) {
                let fields = record.form().map(|(label, text)| format!("{label} {text}"));
                line(&full_sentence(&format!("Its form: {}. {}", fields.join(", "), record.advice())))?;
            }
        }
        None if progress.next != NextStep::Nothing => line(&full_sentence(&next))?,
        None => {}
    }
    let mut seen = Vec::new();
    let until = if decides.verdict == Verdict::Wait { wait_ends(findings) } else { decides.until };
    seen.extend(until.map(|until| format!("Until {}.", until_words(until, *at))));
    seen.extend((!decides.seen.is_empty()).then(|| format!("{}.", decides.seen.trim_end_matches('.'))));
    seen.extend(progress.stale.map(|age| format!("{} min ago it was {}.", age.as_mins(), checked.stage_words())));
    let others = findings.iter().filter(|finding| finding.verdict > Verdict::Ok).count().saturating_sub(1);
    if others > 0 && !is_whole {
        seen.push(format!("{} with -e.", counted(others, "more finding")));
    }
    line(&seen.join(" "))?;
    let left = checked.not_checked();
    if left.is_empty() || decides.fails() {
        return Ok(());
    }
    line(&format!("Not checked: {}", sentence(&list(left))))
}

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
    let worst = [Exit::DomainFails, Exit::DomainYours, Exit::DomainWaits];
    worst.into_iter().find(|worst| exits().any(|exit| exit == *worst)).unwrap_or_else(|| {
        match exits().filter(|exit| *exit == Exit::Failure).count() {
            0 => Exit::Done,
            unknown if unknown == verdicts.len() => Exit::Failure,
            _ => Exit::Partly,
        }
    })
}

/// The exit status of findings.
pub fn exit_of(findings: &[Finding]) -> Exit {
    exit(overall(findings), FailOn::default())
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
