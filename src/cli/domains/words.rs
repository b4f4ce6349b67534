//! Findings and next steps as text.

use std::io::{self, Write};

use jiff::Timestamp;

use crate::app::domain_progress::what_to_do;
use crate::domains::check::Checked;
use crate::domains::finding::deciding;
use crate::domains::report::{self, headline, paragraph, room, sentence, until_words};
use crate::domains::stage::Stage;
use crate::domains::{DnsName, Finding, Verdict};
use crate::model::display_safe;
use crate::model::words::list;

use super::super::output::columns;

/// What to do next for `name`, with the command for it.
pub fn next_step(stage: Stage, name: &DnsName) -> String {
    let command = match stage {
        Stage::Draft => format!(", then run: petstore domains add {name} --platform-host VALUE"),
        Stage::WaitingForDns => format!(", then run: petstore domains saved {name}"),
        Stage::ReadyToVerify | Stage::CertificateLate => format!(", then run: petstore domains verified {name}"),
        Stage::Propagating
        | Stage::CertificatePending
        | Stage::Live
        | Stage::Failing
        | Stage::RemovalPlanned
        | Stage::Removed => String::new(),
    };
    format!("{}{command}", what_to_do(stage))
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

/// The summary of a check: the verdict, its cause, the stage and what comes next.
pub fn summary(out: &mut impl Write, checked: &Checked) -> io::Result<()> {
    let Checked { domain, findings, status, at, .. } = checked;
    let next = next_step(status.state, &domain.name);
    let room = room(columns());
    writeln!(out)?;
    let Some(decides) = deciding(findings) else {
        let text = format!("{}: the check failed", domain.name);
        return write!(out, "{}", paragraph("        ", &text, room));
    };
    writeln!(out, "{}", display_safe(&headline(domain, decides)))?;
    let failures = findings.iter().filter(|finding| finding.verdict == Verdict::Fail).count();
    if failures > 1 {
        write!(out, "{}", paragraph("", "Fix this first; the others may disappear with it.", room))?;
    }
    let now = if decides.fix.is_empty() { &next } else { &decides.fix };
    if decides.verdict != Verdict::Ok {
        let until = decides.until.map_or_else(String::new, |until| format!(" until {}", until_words(until, *at)));
        write!(out, "{}", paragraph("Now:  ", &sentence(&format!("{now}{until}")), room))?;
    }
    let left = checked.not_checked();
    if !left.is_empty() {
        write!(out, "{}", paragraph("Not checked: ", &sentence(&list(left)), room))?;
    }
    let age = status.stale.map_or_else(String::new, |age| format!(", as of {} min ago", age.as_mins()));
    // The next stage matters only if nothing must be fixed first.
    let silent = !matches!(decides.verdict, Verdict::Ok | Verdict::Wait);
    let next = if silent { String::new() } else { format!("; {next}") };
    write!(out, "{}", paragraph("Step: ", &format!("{}{age}{next}", checked.stage_words()), room))
}
