//! `petstore domains list`: the state of each domain and what comes next, the worst first.

use std::cmp::Reverse;
use std::io::{self, Write};

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::app::DomainSetup;
use crate::cli::{Exit, Failed, note};
use crate::clock;
use crate::domains::{
    DnsName, DomainProgress, DomainRoles, Entry, Measurement, NextStep, Reported, Stage, Verdict, count_words,
    last_known, until_words,
};
use crate::model::words::counts;
use crate::model::{cut, display_safe, table};

use super::super::output::columns;
use super::super::render::{ResultFormat, print, print_json};
use super::args::ListArgs;
use super::json;
use super::settings::{Project, domain_setup};
use super::words::{exit_of_all, next_step};

/// The least columns for a name on a narrow terminal.
const LEAST_NAME: usize = 12;
/// The columns for the next step before names are cut.
const LEAST_NEXT: usize = 24;

/// `petstore domains list`.
pub fn list(args: &ListArgs, project: &Project<'_>) -> Result<Exit, Failed> {
    let (setup, now) = (domain_setup(project.configured)?, clock::now().wall);
    let roles = DomainRoles::of(&setup.configuration);
    let list = project.file.read()?;
    let mut rows: Vec<_> = list.domains.iter().map(|entry| ListRow::of(entry, &setup, &roles, now)).collect();
    rows.sort_by_cached_key(|row| (Reverse(row.progress.rank()), row.name.clone()));
    let here = rows.iter().filter(|row| row.counts());
    let verdicts: Vec<_> = here.map(|row| row.progress.rank().0.unwrap_or(Verdict::Unknown)).collect();
    let exit = args.fail_on.map_or(Exit::Done, |fail_on| exit_of_all(&verdicts, fail_on));
    if args.output.chosen() == ResultFormat::Json {
        // Sorted, so that the first is the worst.
        let rows: Vec<_> = rows.iter().map(ListRow::json).collect();
        let of_worst = |member: &str| rows.first().map(|worst| worst[member].clone());
        print_json(&json!({
            "schemaVersion": json::SCHEMA_VERSION, "verdict": of_worst("verdict"), "code": of_worst("code"),
            "until": of_worst("until"), "domains": rows,
        }))?;
        return Ok(exit);
    }
    if rows.is_empty() {
        note("no domains yet. To add one: petstore domains add docs.example.com --platform-host HOST");
        return Ok(Exit::Done);
    }
    print(|out| {
        lines(out, &rows, columns())?;
        writeln!(out, "\n{}", sum(&rows))
    })?;
    Ok(exit)
}

/// One domain of the list.
struct ListRow {
    name: DnsName,
    role: &'static str,
    /// What was reported of it.
    reported: Reported,
    progress: DomainProgress,
    /// The last check that gave a result, or else the last one.
    last: Option<Measurement>,
    /// What comes next, with its command.
    next: String,
}

impl ListRow {
    fn of(entry: &Entry, setup: &DomainSetup, roles: &DomainRoles, now: Timestamp) -> Self {
        let last = last_known(&entry.measurements).or(entry.measurements.last()).cloned();
        let reported = setup.reported(entry);
        // What the redirect from it does, only the panel and `redirects` know.
        let progress = DomainProgress::of(&entry.measurements, &reported, None, now);
        let next = next_words(&progress, last.as_ref(), &entry.name, now);
        Self { name: entry.name.clone(), role: roles.get(&entry.name).into(), reported, progress, last, next }
    }

    /// Whether it is in service, or a record of it is left.
    fn counts(&self) -> bool {
        self.progress.stage != Stage::Removed || self.progress.verdict.is_some()
    }

    fn json(&self) -> Value {
        let Self { name, role, reported, progress, last, next } = self;
        let last = last.as_ref();
        json!({
            "domain": name, "role": role, "state": progress.stage, "verdict": progress.verdict,
            "code": last.map(|last| &last.code), "next": next, "checkedAt": last.map(|last| last.at),
            "until": progress.until.or(last.and_then(|last| last.until)), "value": reported.value, "addedAt": reported.added,
            "savedAt": reported.saved, "verifiedAt": reported.verified,
        })
    }

    fn cells(&self) -> [String; 5] {
        let verdict = self.progress.verdict.map_or("-", Verdict::as_str).to_uppercase();
        let state = self.progress.stage.to_string();
        [self.name.to_string(), self.role.to_owned(), state, verdict, display_safe(&self.next).into_owned()]
    }
}

/// What comes next, with its command. What is waited for is named: the row has no other place for it.
fn next_words(progress: &DomainProgress, last: Option<&Measurement>, name: &DnsName, now: Timestamp) -> String {
    let title = last.map_or(&progress.summary, |last| &last.title);
    let words = progress.until.map_or_else(String::new, |until| format!(", until {}", until_words(until, now)));
    match (progress.next, progress.until) {
        (NextStep::Fix, _) => progress.act().to_owned(),
        (NextStep::AwaitCertificate, Some(_)) => format!("{}{words}", progress.act()),
        (NextStep::Wait, Some(until)) if until <= now => format!("{title}{words}: petstore domains check {name}"),
        (NextStep::Wait, _) => format!("{title}{words}"),
        (next, _) => next_step(next, name),
    }
}

/// Writes the rows in columns. On a terminal of `columns`, names are cut first, then the next step.
fn lines(out: &mut impl Write, rows: &[ListRow], columns: Option<usize>) -> io::Result<()> {
    let headings = ["DOMAIN", "ROLE", "STATE", "VERDICT", "NEXT"].map(str::to_owned);
    let lines: Vec<[String; 5]> = std::iter::once(headings).chain(rows.iter().map(ListRow::cells)).collect();
    let mut widths = table::widths(&lines);
    let columns = columns.unwrap_or(usize::MAX);
    let others = widths[1..4].iter().sum::<usize>() + 8 + LEAST_NEXT;
    widths[0] = widths[0].min(columns.saturating_sub(others).max(LEAST_NAME));
    let mut lines = lines.iter().map(|cells| table::line(cells, &widths, &[], |_, cell| cell));
    lines.try_for_each(|line| writeln!(out, "{}", cut(&line, columns)))
}

/// How many domains have which verdict; each counts once.
fn sum(rows: &[ListRow]) -> String {
    let verdicts: Vec<_> = rows.iter().filter_map(|row| row.progress.verdict).collect();
    let removed = rows.iter().filter(|row| !row.counts()).count();
    let is_unchecked = |row: &&ListRow| row.counts() && row.progress.verdict.is_none() && row.last.is_none();
    let unchecked = rows.iter().filter(is_unchecked).count();
    let mut sum = counts([(unchecked, "not checked yet"), (removed, "removed")]);
    if !verdicts.is_empty() {
        sum.insert(0, count_words(&verdicts));
    }
    sum.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::DnsName;
    use crate::model::text::width;

    fn row(name: &str, verdict: Option<Verdict>) -> ListRow {
        let reported = Reported { added: Some(Timestamp::UNIX_EPOCH), ..Reported::default() };
        let progress = DomainProgress::of(&[], &reported, None, Timestamp::UNIX_EPOCH);
        let (name, progress) = (DnsName::new(name), DomainProgress { verdict, ..progress });
        let next = next_step(progress.next, &name);
        ListRow { name, role: "-", reported, progress, last: None, next }
    }

    fn written(rows: &[ListRow], columns: Option<usize>) -> String {
        let mut out = Vec::new();
        lines(&mut out, rows, columns).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_fit_the_terminal_and_names_stay_readable() {
        let long = format!("{}.example.com", "docs".repeat(12));
        let rows = [row(&long, Some(Verdict::Unknown)), row("a.example.com", None)];
        for columns in [40, 60, 80, 120] {
            let shown = written(&rows, Some(columns));
            assert!(shown.lines().all(|line| width(line) <= columns), "{columns}\n{shown}");
            assert!(shown.contains("\ndocsdocsdo"), "{columns}\n{shown}");
        }
        assert!(written(&rows, Some(80)).contains("  copy the value "));
    }

    #[test]
    fn nothing_is_cut_without_a_terminal() {
        let long = format!("{}.example.com", "docs".repeat(12));
        let shown = written(&[row(&long, None)], None);
        assert!(shown.contains(&format!("\n{long}  ")) && shown.ends_with(" --platform-host VALUE\n"), "{shown}");
    }

    #[test]
    fn the_configured_value_is_the_default() {
        let entry = Entry { name: DnsName::new("a.example.com"), events: Vec::new(), measurements: Vec::new() };
        let state = |platform_host| {
            let setup = DomainSetup { platform_host, ..DomainSetup::default() };
            ListRow::of(&entry, &setup, &DomainRoles::default(), Timestamp::UNIX_EPOCH).progress.stage
        };
        assert_eq!(state(None), Stage::Draft);
        assert_eq!(state(Some(DnsName::new("sites.platform.net"))), Stage::WaitingForDns);
    }

    #[test]
    fn the_next_step_is_what_to_do_and_until_when() {
        let name = DnsName::new("a.example.com");
        let next = |step, fix: &str, until| {
            let progress = row("a.example.com", None).progress;
            let progress = DomainProgress { next: step, fix: fix.to_owned(), until, ..progress };
            next_words(&progress, None, &name, Timestamp::UNIX_EPOCH)
        };
        let act = "at your DNS provider, delete the A record 192.0.2.10 of a";
        assert_eq!(next(NextStep::Fix, act, None), act);
        let until = Timestamp::from_second(1800).ok();
        let shown = next(NextStep::AwaitCertificate, "", until);
        assert!(shown.starts_with("wait for the certificate: mostly minutes, until ") && shown.ends_with("(30 min)"));
    }

    #[test]
    fn every_domain_counts_once() {
        let verdicts = [None, Some(Verdict::Unknown), Some(Verdict::Unknown), Some(Verdict::Warn), Some(Verdict::Fail)];
        let mut rows: Vec<ListRow> = verdicts.map(|verdict| row("a.example.com", verdict)).into();
        let mut removed = row("b.example.com", None);
        removed.progress.stage = Stage::Removed;
        rows.push(removed);
        assert_eq!(sum(&rows), "1 to fix, 1 with a warning, 2 unknown, 1 not checked yet, 1 removed");
    }
}
