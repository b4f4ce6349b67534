//! Findings for people: cause, proof, act, time.

use std::io::{self, Write};

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::domains::finding::deciding;
use crate::domains::observation::{Lookup, Observations, RecordType, Role};
use crate::domains::state::{Standing, State};
use crate::domains::{Domain, Finding, Verdict, Who};
use crate::model::display_safe;
use crate::model::text::{cut, width};

/// The column where texts begin, behind the verdict.
const INDENT: usize = 10;
/// How wide lines are where nobody says.
const USUAL_WIDTH: usize = 100;

/// Writes one finding: a headline, and below it what was seen, what to do, and until when to wait.
pub fn finding(
    out: &mut impl Write,
    finding: &Finding,
    now: Timestamp,
    columns: Option<usize>,
    evidence: bool,
) -> io::Result<()> {
    let room = columns.unwrap_or(USUAL_WIDTH).clamp(40, 120);
    let word = finding.verdict.as_str().to_uppercase();
    let title = format!("{} [{}]", finding.title, finding.code);
    paragraph(out, &format!("{word:<width$}", width = INDENT - 2), &title, room)?;
    if !finding.seen.is_empty() {
        paragraph(out, "", &finding.seen, room)?;
    }
    if matches!(finding.verdict, Verdict::Fail | Verdict::Warn | Verdict::Wait) && !finding.expected.is_empty() {
        paragraph(out, "", &format!("Expected: {}", finding.expected), room)?;
    }
    if !finding.fix.is_empty() && finding.verdict != Verdict::Ok {
        paragraph(out, "", &format!("Do: {}", sentence(&finding.fix)), room)?;
    }
    if let Some(until) = finding.until {
        paragraph(out, "", &format!("Until: {}", until_words(until, now)), room)?;
    }
    if evidence {
        for proof in &finding.evidence {
            let line = format!(
                "- {} asked {}: {} ({})",
                proof.question,
                proof.server,
                proof.answer,
                proof.at.strftime("%H:%M:%S UTC")
            );
            paragraph(out, "", &line, room)?;
        }
    }
    Ok(())
}

/// The end of a check: the verdict, its cause, where the domain stands and what comes next.
pub fn summary(
    out: &mut impl Write,
    domain: &Domain,
    findings: &[Finding],
    standing: Standing,
    at: Timestamp,
    columns: Option<usize>,
) -> io::Result<()> {
    let next = standing.state.next_step(&domain.name);
    let room = columns.unwrap_or(USUAL_WIDTH).clamp(40, 120);
    writeln!(out)?;
    let Some(decides) = deciding(findings) else {
        return paragraph(out, "", &format!("{}: nothing could be measured", domain.name), room);
    };
    let headline = match decides.verdict {
        Verdict::Fail => format!("{} needs an act: {}.", domain.unicode, lower_first(&decides.title)),
        Verdict::Wait if matches!(decides.who, Who::Nobody | Who::Platform) => {
            format!("{} needs time: {}.", domain.unicode, lower_first(&decides.title))
        }
        Verdict::Wait => format!("{} waits for your next step: {}.", domain.unicode, lower_first(&decides.title)),
        Verdict::Warn => format!("{} works, but: {}.", domain.unicode, lower_first(&decides.title)),
        Verdict::Ok => format!("{} is all right.", domain.unicode),
        Verdict::Unknown => format!("{} could not be judged: {}.", domain.unicode, lower_first(&decides.title)),
    };
    writeln!(out, "{}", display_safe(&headline))?;
    if decides.verdict == Verdict::Fail
        && findings.iter().filter(|finding| finding.verdict == Verdict::Fail).count() > 1
    {
        paragraph_at(out, "", "Mend this first; the other failures may go with it.", room, 0)?;
    }
    let now = if decides.fix.is_empty() { &next } else { &decides.fix };
    if decides.verdict != Verdict::Ok {
        let until = decides.until.map_or_else(String::new, |until| format!(" until {}", until_words(until, at)));
        paragraph_at(out, "Now:  ", &sentence(&format!("{now}{until}")), room, 6)?;
    }
    let age = standing.stale.map_or_else(String::new, |age| format!(", as of {} min ago", age.as_mins()));
    // What comes next on the way is only worth a word where nothing else is to be done first.
    let silent = match decides.verdict {
        Verdict::Ok => false,
        Verdict::Wait => standing.state == State::Live,
        Verdict::Fail | Verdict::Warn | Verdict::Unknown => true,
    };
    let next = if silent { String::new() } else { format!("; {next}") };
    paragraph_at(out, "Step: ", &format!("{}{age}{next}", standing.state), room, 6)
}

/// Who sees what: one line for each server.
pub fn matrix(out: &mut impl Write, domain: &Domain, seen: &Observations) -> io::Result<()> {
    let rows: Vec<[String; 5]> = views(domain, seen).iter().map(|view| view.row()).collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nWho sees what at {}:", domain.name)?;
    let headings = ["WHO", "KIND", "SEES", "TTL LEFT", "TIME"];
    let widest = |column: usize| {
        rows.iter().map(|row| width(&row[column])).chain([headings[column].len()]).max().unwrap_or_default()
    };
    let widths = [widest(0), widest(1), widest(2), widest(3), widest(4)];
    let mut line = |row: [&str; 5]| {
        let cells = row.iter().zip(widths).enumerate().map(|(index, (cell, wide))| {
            let pad = " ".repeat(wide - width(cell));
            if index < 3 { format!("{cell}{pad}") } else { format!("{pad}{cell}") }
        });
        writeln!(out, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    line(headings)?;
    rows.iter().try_for_each(|row| line(row.each_ref().map(String::as_str)))
}

/// What one server sees.
pub struct View<'a> {
    /// The answer that is shown.
    pub lookup: &'a Lookup,
    /// In few words.
    pub sees: String,
    /// Seconds until the server forgets it.
    pub ttl: Option<u32>,
}

impl View<'_> {
    fn row(&self) -> [String; 5] {
        let kind = match self.lookup.server.role {
            Role::Parent => "parent",
            Role::Authoritative => "source",
            Role::Resolver { .. } => "resolver",
        };
        let ttl = self.ttl.map_or_else(|| "-".to_owned(), |ttl| ttl.to_string());
        let time = format!("{} ms", self.lookup.took.as_millis());
        [cut(&self.lookup.server.label(), 40), kind.to_owned(), cut(&self.sees, 48), ttl, time]
    }
}

/// The views of the name servers, then of the resolvers.
pub fn views<'a>(domain: &Domain, seen: &'a Observations) -> Vec<View<'a>> {
    let name = &domain.name;
    let mut lookups: Vec<&Lookup> = Vec::new();
    let sources = if domain.is_apex() { RecordType::A } else { RecordType::CNAME };
    let of_kind = |role: fn(Role) -> bool, kind: RecordType| {
        seen.lookups.iter().filter(move |lookup| {
            role(lookup.server.role) && lookup.question.kind == kind && !lookup.question.checking_disabled
        })
    };
    for source in of_kind(|role| role == Role::Authoritative, sources).filter(|lookup| lookup.question.name == *name) {
        // A server without a CNAME may have addresses, which say more.
        let addresses = of_kind(|role| role == Role::Authoritative, RecordType::A)
            .find(|lookup| lookup.question.name == *name && lookup.server == source.server);
        let empty = source.reply().is_some_and(|reply| reply.answers.is_empty());
        lookups.push(addresses.filter(|_| empty).unwrap_or(source));
    }
    lookups.extend(
        of_kind(|role| matches!(role, Role::Resolver { .. }), RecordType::A)
            .filter(|lookup| lookup.question.name == *name),
    );
    lookups
        .into_iter()
        .map(|lookup| {
            let (sees, ttl) = match &lookup.outcome {
                Err(why) => (why.to_string(), None),
                Ok(reply) => {
                    let own: Vec<_> = reply.at(name).collect();
                    let sees = if own.is_empty() {
                        reply.words()
                    } else {
                        own.iter().map(|record| record.data.words()).collect::<Vec<_>>().join(", ")
                    };
                    let ttl =
                        own.iter().map(|record| record.ttl).max().or_else(|| reply.negative().map(|(_, ttl)| ttl));
                    (sees, ttl)
                }
            };
            View { lookup, sees, ttl }
        })
        .collect()
}

/// A moment for people, with how long it is until then.
pub fn until_words(until: Timestamp, now: Timestamp) -> String {
    let left = until.duration_since(now).max(SignedDuration::ZERO);
    let zoned = until.to_zoned(TimeZone::system());
    let format = if left.as_secs() > 20 * 3600 { "%a %d %b %H:%M %Z" } else { "%H:%M %Z" };
    let minutes = left.as_secs() / 60;
    let left = match minutes {
        0 => format!("{} s", left.as_secs()),
        1..60 => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    };
    format!("{} ({left})", zoned.strftime(format))
}

fn sentence(text: &str) -> String {
    let mut text = text.to_owned();
    if !text.ends_with(['.', ')', ':']) {
        text.push('.');
    }
    text
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        // An abbreviation stays as it is.
        (Some(first), Some(second)) if !second.is_uppercase() => format!("{}{}", first.to_lowercase(), chars.as_str()),
        _ => text.to_owned(),
    }
}

/// Text in the column behind the verdict, broken between words.
fn paragraph(out: &mut impl Write, head: &str, text: &str, room: usize) -> io::Result<()> {
    let head = if head.is_empty() { " ".repeat(INDENT - 2) } else { head.to_owned() };
    paragraph_at(out, &head, text, room, INDENT - 2)
}

fn paragraph_at(out: &mut impl Write, head: &str, text: &str, room: usize, indent: usize) -> io::Result<()> {
    let text = display_safe(text);
    let mut line = head.to_owned();
    let mut empty = true;
    for word in text.split(' ') {
        if !empty && width(&line) + 1 + width(word) > room {
            writeln!(out, "{line}")?;
            line = " ".repeat(indent);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    writeln!(out, "{line}")
}
