//! `petstore domains watch`: checks repeatedly, with a line for each change, until done or the time is up.

use std::io::Write as _;
use std::time::Duration;

use tokio::time::sleep;

use crate::clock;
use crate::config::file::Domains as Configured;
use crate::domains::Verdict;
use crate::domains::check::{Checked, now};
use crate::domains::finding::{deciding, overall, wait_ends};
use crate::domains::probe::cache::ProbeCache;
use crate::domains::registry::RegistryFile;
use crate::domains::report::until_words;
use crate::domains::stage::{Measurement, Stage, next_check};

use super::super::error::{Exit, Failed};
use super::super::output::note;
use super::super::render::{ResultFormat, print, print_json};
use super::answer::exit_of;
use super::args::{Until, WatchArgs};
use super::check::keep;
use super::json;
use super::settings::{need_name, resolve, subject};
use super::words::next_step;

/// Watches one domain. Exits with 0 when it is live (or the record is right everywhere), or with 9 after a last check when
/// the time is up.
pub async fn run(args: WatchArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let options = resolve(&args.probe, configured)?;
    let domain = need_name(&args.name)?;
    let begin = clock::now().mono;
    // What was printed last.
    let mut last: Option<(Stage, Measurement)> = None;
    let mut unchanged = 0;
    loop {
        // Read each time, as another terminal may have recorded something.
        let subject = subject(&options, &file.read()?, domain.clone(), &args.probe);
        let checked = subject.check(&ProbeCache::default(), None).await;
        keep(&args.probe, file, std::slice::from_ref(&checked))?;
        let state = checked.progress.status.state;
        let measurement = &checked.measurement;
        if last.as_ref().is_some_and(|(before, last)| *before == state && last.says_the_same_as(measurement)) {
            unchanged += 1;
        } else {
            unchanged = 0;
            line(&checked, args.output.chosen())?;
            last = Some((state, measurement.clone()));
        }
        if is_done(args.until, &checked) {
            return Ok(Exit::Done);
        }
        let Some(next) = next_check(state, &subject.reported, measurement.until, unchanged, checked.at) else {
            note(&next_step(checked.progress.next, &domain.name));
            return Ok(exit_of(&checked.findings));
        };
        let left = args.timeout.saturating_sub(clock::now().mono - begin);
        if left.is_zero() {
            note(&format!("time is up; last verdict: {}", overall(&checked.findings).as_str()));
            return Ok(Exit::DomainWaits);
        }
        let wait = Duration::try_from(next.duration_since(now(&options))).unwrap_or_default();
        sleep(wait.min(left)).await;
    }
}

fn is_done(until: Until, checked: &Checked) -> bool {
    match until {
        Until::Live => checked.progress.status.is_seen_live(),
        Until::Dns => checked.measurement.everywhere,
    }
}

/// One line for one change.
fn line(checked: &Checked, format: ResultFormat) -> Result<(), Failed> {
    let decides = deciding(&checked.findings);
    let state = checked.stage_words();
    if format == ResultFormat::Json {
        return print_json(&json::all(vec![json::check(checked)], 0));
    }
    let until = wait_ends(&checked.findings);
    let until = until.map_or_else(String::new, |until| format!(", until {}", until_words(until, checked.at)));
    print(|out| {
        let time = checked.at.to_zoned(clock::time_zone()).strftime("%H:%M:%S").to_string();
        let verdict = overall(&checked.findings).as_str().to_uppercase();
        let title = decides.map_or("the check failed", |finding| finding.title.as_str());
        writeln!(out, "{time}  {verdict:<5}  {state}: {title}{until}")?;
        match decides.filter(|finding| !finding.fix.is_empty() && finding.verdict != Verdict::Ok) {
            Some(finding) => writeln!(out, "          Do: {}", crate::model::display_safe(&finding.fix)),
            None => Ok(()),
        }
    })
}
