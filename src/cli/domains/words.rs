//! Findings and next steps for people: cause, proof, act, time.

use std::io::{self, Write};

use jiff::Timestamp;

use crate::app::domain_progress::what_to_do;
use crate::domains::check::Checked;
use crate::domains::finding::deciding;
use crate::domains::report::{self, headline, paragraph, room, sentence, until_words};
use crate::domains::stage::Stage;
use crate::domains::{DnsName, Finding, Verdict};
use crate::model::display_safe;

use super::super::output::columns;

/// What is to be done now for `name`, with the command that goes with it.
pub fn next_step(stage: Stage, name: &DnsName) -> String {
    let command = match stage {
        Stage::Draft => format!(", then: petstore domains add {name} --platform-host VALUE"),
        Stage::WaitingForDns => format!(", then say so: petstore domains saved {name}"),
        Stage::ReadyToVerify | Stage::CertificateLate => format!(", then say so: petstore domains verified {name}"),
        Stage::Propagating
        | Stage::CertificatePending
        | Stage::Live
        | Stage::Failing
        | Stage::RemovalPlanned
        | Stage::Removed => String::new(),
    };
    format!("{}{command}", what_to_do(stage))
}

/// Writes findings, with what proves each if `evidence` is wanted.
pub fn findings<'a>(
    out: &mut impl Write,
    findings: impl IntoIterator<Item = &'a Finding>,
    now: Timestamp,
    evidence: bool,
) -> io::Result<()> {
    let columns = columns();
    findings.into_iter().try_for_each(|finding| write!(out, "{}", report::finding(finding, now, columns, evidence)))
}

/// The end of a check: the verdict, its cause, how far the domain is and what comes next.
pub fn summary(out: &mut impl Write, checked: &Checked) -> io::Result<()> {
    let Checked { domain, findings, status, at, .. } = checked;
    let next = next_step(status.state, &domain.name);
    let room = room(columns());
    writeln!(out)?;
    let Some(decides) = deciding(findings) else {
        let text = format!("{}: nothing could be measured", domain.name);
        return write!(out, "{}", paragraph("        ", &text, room));
    };
    writeln!(out, "{}", display_safe(&headline(domain, decides)))?;
    let failures = findings.iter().filter(|finding| finding.verdict == Verdict::Fail).count();
    if failures > 1 {
        write!(out, "{}", paragraph("", "Mend this first; the other failures may go with it.", room))?;
    }
    let now = if decides.fix.is_empty() { &next } else { &decides.fix };
    if decides.verdict != Verdict::Ok {
        let until = decides.until.map_or_else(String::new, |until| format!(" until {}", until_words(until, *at)));
        write!(out, "{}", paragraph("Now:  ", &sentence(&format!("{now}{until}")), room))?;
    }
    let age = status.stale.map_or_else(String::new, |age| format!(", as of {} min ago", age.as_mins()));
    // What comes next on the way is only worth a word where nothing else is to be done first.
    let silent = !matches!(decides.verdict, Verdict::Ok | Verdict::Wait);
    let next = if silent { String::new() } else { format!("; {next}") };
    write!(out, "{}", paragraph("Step: ", &format!("{}{age}{next}", status.state), room))
}
