//! Findings for people: cause, proof, act, time.

use std::io::{self, Write};

use jiff::Timestamp;

use crate::domains::finding::deciding;
use crate::domains::report::{self, headline, paragraph, room, sentence, until_words};
use crate::domains::stage::Status;
use crate::domains::{Domain, Finding, Verdict};
use crate::model::display_safe;

/// Writes one finding.
pub fn finding(
    out: &mut impl Write,
    finding: &Finding,
    now: Timestamp,
    columns: Option<usize>,
    evidence: bool,
) -> io::Result<()> {
    out.write_all(report::finding(finding, now, columns, evidence).as_bytes())
}

/// The end of a check: the verdict, its cause, where the domain stands and what comes next.
pub fn summary(
    out: &mut impl Write,
    domain: &Domain,
    findings: &[Finding],
    standing: Status,
    at: Timestamp,
    columns: Option<usize>,
) -> io::Result<()> {
    let next = standing.state.next_step(&domain.name);
    let room = room(columns);
    writeln!(out)?;
    let Some(decides) = deciding(findings) else {
        let text = format!("{}: nothing could be measured", domain.name);
        return write!(out, "{}", paragraph("        ", &text, room));
    };
    writeln!(out, "{}", display_safe(&headline(domain, decides)))?;
    if decides.verdict == Verdict::Fail
        && findings.iter().filter(|finding| finding.verdict == Verdict::Fail).count() > 1
    {
        write!(out, "{}", paragraph("", "Mend this first; the other failures may go with it.", room))?;
    }
    let now = if decides.fix.is_empty() { &next } else { &decides.fix };
    if decides.verdict != Verdict::Ok {
        let until = decides.until.map_or_else(String::new, |until| format!(" until {}", until_words(until, at)));
        write!(out, "{}", paragraph("Now:  ", &sentence(&format!("{now}{until}")), room))?;
    }
    let age = standing.stale.map_or_else(String::new, |age| format!(", as of {} min ago", age.as_mins()));
    // What comes next on the way is only worth a word where nothing else is to be done first.
    let silent = !matches!(decides.verdict, Verdict::Ok | Verdict::Wait);
    let next = if silent { String::new() } else { format!("; {next}") };
    write!(out, "{}", paragraph("Step: ", &format!("{}{age}{next}", standing.state), room))
}
