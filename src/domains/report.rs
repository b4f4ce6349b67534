//! Findings and servers as plain text for people: on the command line, and in a report for support.

use jiff::Timestamp;

use crate::clock::time_zone;
use crate::model::text::wrap_words;
use crate::model::words::{capitalized, duration, uncapitalized};
use crate::model::{cut, display_safe, table, width};

use super::{Checked, DnsName, Domain, Finding, Verdict, View};

/// The column where texts begin, after the verdict.
const INDENT: usize = 8;
/// The default width of lines.
const USUAL_WIDTH: usize = 100;

/// How wide lines may be on a terminal of `columns`, or without a terminal.
pub fn room(columns: Option<usize>) -> usize {
    columns.unwrap_or(USUAL_WIDTH).clamp(40, 120)
}

/// One finding: a headline, and below it what was seen, what to do, and until when to wait.
pub fn finding(finding: &Finding, now: Timestamp, columns: Option<usize>, evidence: bool) -> String {
    let room = room(columns);
    let head = format!("{:<INDENT$}", finding.verdict.as_str().to_uppercase());
    let title = format!("{} [{}]", finding.title, finding.code);
    let mut out = paragraph(&head, &title, room);
    let mut add = |text: &str| out.push_str(&paragraph(&" ".repeat(INDENT), text, room));
    if !finding.seen.is_empty() {
        add(&finding.seen);
    }
    if finding.verdict > Verdict::Ok && !finding.expected.is_empty() {
        add(&format!("Expected: {}", finding.expected));
    }
    if !finding.fix.is_empty() && finding.verdict != Verdict::Ok {
        let label = if matches!(finding.verdict, Verdict::Wait | Verdict::You) { "Next" } else { "Fix" };
        add(&format!("{label}: {}", full_sentence(&finding.fix)));
    }
    if let Some(until) = finding.until {
        add(&format!("Until: {}", until_words(until, now)));
    }
    for proof in finding.evidence.iter().filter(|_| evidence) {
        let at = proof.at.strftime("%H:%M:%S UTC");
        add(&format!("- {} at {}: {} ({at})", proof.question, proof.server, proof.answer));
    }
    out
}

/// What each server sees at `name`: one line for each server.
pub fn matrix(name: &DnsName, views: &[View]) -> String {
    if views.is_empty() {
        return String::new();
    }
    let headings = ["SERVER", "KIND", "SEES", "TTL LEFT", "TIME", "VERDICT"].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(headings).chain(views.iter().map(row)).collect();
    let widths = table::widths(&rows);
    // Numbers are right-aligned.
    let lines = rows.iter().map(|row| format!("  {}\n", table::line(row, &widths, &[3, 4], |_, cell| cell)));
    format!("\nWhat each server sees at {name}:\n{}", lines.collect::<String>())
}

fn row(view: &View) -> [String; 6] {
    [
        cut(&view.server.label(), 40),
        <&str>::from(view.server.role).to_owned(),
        cut(&view.sees, 48),
        view.ttl.map_or_else(|| "-".to_owned(), |ttl| ttl.to_string()),
        format!("{} ms", view.took.as_millis()),
        view.verdict.word(),
    ]
}

/// A moment for people, with how long it is until then, or that it has passed.
pub fn until_words(until: Timestamp, now: Timestamp) -> String {
    let left = until.duration_since(now);
    let [until_there, now_there] = [until, now].map(|at| at.to_zoned(time_zone()));
    let format = match left.abs().as_secs() {
        _ if until_there.year() != now_there.year() => "%a %d %b %Y %H:%M %Z",
        72_001.. => "%a %d %b %H:%M %Z",
        _ => "%H:%M %Z",
    };
    let left = if until <= now { "passed".to_owned() } else { duration(left) };
    format!("{} ({left})", until_there.strftime(format))
}

/// `text` with a full stop, unless it has another ending.
pub fn sentence(text: &str) -> String {
    let ending = if text.ends_with(['.', ')', ':', '?', '!']) { "" } else { "." };
    format!("{text}{ending}")
}

/// `text` after `head`, wrapped between words where a line would be wider than `room`; other lines begin below the
/// text.
pub fn paragraph(head: &str, text: &str, room: usize) -> String {
    let indent = " ".repeat(width(head));
    let heads = std::iter::once(head).chain(std::iter::repeat(indent.as_str()));
    let lines = wrap_words(&display_safe(text), room.saturating_sub(indent.len()));
    heads.zip(lines).map(|(head, line)| format!("{head}{line}\n")).collect()
}

impl Checked {
    /// A report for support: what was reported, what each server sees, the findings with their evidence, and all
    /// questions. Plain text, safe to show.
    pub fn support_report(&self) -> String {
        let reported = &self.reported;
        let time = |at: Option<Timestamp>| at.map_or_else(|| "not recorded".to_owned(), |at| at.to_string());
        let value = reported.value.as_ref().map_or("not entered", DnsName::as_str);
        let again = match reported.verified_times {
            0 | 1 => String::new(),
            times => format!(" ({times} times so far)"),
        };
        let about = [
            ("Checked at", format!("{} by petstore {}", self.at, env!("CARGO_PKG_VERSION"))),
            ("Value", value.to_owned()),
            ("Record saved", time(reported.saved)),
            ("Verify chosen", format!("{}{again}", time(reported.verified))),
            ("State", self.stage_words()),
        ];
        let about = about.map(|(label, value)| format!("{:<15}{value}\n", format!("{label}:"))).concat();
        let servers = matrix(&self.domain.name, &self.views);
        let findings: String = self.findings.iter().map(|found| finding(found, self.at, None, true)).collect();
        let questions = self.seen.lookups.iter().map(|lookup| {
            let proof = super::Evidence::from(lookup);
            let at = proof.at.strftime("%H:%M:%S%.3f UTC");
            let took = lookup.took.as_millis();
            format!("  {at} {} at {}: {} ({took} ms)\n", proof.question, proof.server, proof.answer)
        });
        let questions: String = questions.collect();
        let name = &self.domain.name;
        format!("Domain report: {name}\n{about}{servers}\nFindings:\n{findings}\nAll questions:\n{questions}")
    }
}

/// The state of a domain in one sentence, from the finding that decides.
pub fn headline(domain: &Domain, decides: &Finding) -> String {
    let (name, title) = (&domain.unicode, uncapitalized(&decides.title));
    match decides.verdict {
        Verdict::Fail => format!("{name} needs action: {title}."),
        Verdict::Wait => format!("{name} is waiting: {title}."),
        Verdict::You => format!("{name} is waiting for you: {title}."),
        Verdict::Warn => format!("{name} works, but {title}."),
        Verdict::Ok => format!("{name} is all right."),
        Verdict::Unknown => format!("{name} could not be checked: {title}."),
    }
}

/// A sentence with a capital and a full stop. Not for what was seen, since names of domains stay as they are.
pub fn full_sentence(text: &str) -> String {
    sentence(&capitalized(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_their_year_if_it_is_another_and_long_waits_count_days() {
        let now: Timestamp = "2026-06-15T12:00:00Z".parse().unwrap();
        let words = |hours: i64| until_words(now + jiff::SignedDuration::from_hours(hours), now);
        assert!(words(2).ends_with("(2 h)") && !words(2).contains("Jun"), "{}", words(2));
        assert!(words(47).contains("17 Jun") && words(47).ends_with("(47 h)"), "{}", words(47));
        assert!(words(72).ends_with("(3 days)") && !words(72).contains("2026"), "{}", words(72));
        assert!(words(24 * 365).contains("Jun 2027") && words(24 * 365).ends_with("(365 days)"));
        assert!(words(-1).ends_with("(passed)"));
    }
}
