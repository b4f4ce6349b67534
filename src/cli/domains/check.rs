//! `check`, `watch`, `redirects` and `report`.

use std::cmp::Reverse;
use std::io::{self, IsTerminal as _, Write as _};
use std::slice;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::super::output::Out;
use super::super::render::{ResultFormat, print, print_json};
use super::args::{CheckArgs, RedirectsArgs, ReportArgs, Until, WatchArgs};
use super::files::read_text;
use super::settings::{Project, configured_domains, need_name, resolve, subject};
use super::words::{FailOn, exit, exit_of, exit_of_all, next_step, recorded};
use super::{json, words};
use crate::cli::{Exit, Failed, note};
use crate::clock;
use crate::domains::check::{follow, now};
use crate::domains::{
    CheckOptions, Checked, Code, Complete, ExistingDomains, Finding, FollowedRedirect, Measurement, Observations,
    ParsedName, ProbeCache, Redirect, Registry, Stage, Subject, Verdict, count_words, deciding, next_check, overall,
    parse_name, redirect_config, until_words, wait_ends,
};
use crate::model::short;

/// When a long check first reports that it is still running, and how often after that.
const FIRST_WORD: Duration = Duration::from_secs(2);
const FURTHER_WORDS: Duration = Duration::from_secs(5);

/// How many domains are checked concurrently.
const AT_ONCE: usize = 18;

/// `petstore domains check`.
pub async fn run(args: CheckArgs, project: &Project<'_>) -> Result<Exit, Failed> {
    let options = resolve(&args.probe, project.configured)?;
    project.announce(&options);
    if let (Some(from), Some(to)) = (&args.from, &args.to) {
        let redirect = Redirect { from: need_name(from)?.name, to: need_name(to)?.name, status: args.status };
        return one_redirect(&args, &options, redirect).await;
    }
    let list = project.file.read()?;
    let names = match args.names.as_slice() {
        [] => list.domains.iter().map(|entry| entry.name.to_string()).collect(),
        names => names.to_vec(),
    };
    let run = Run { args, options, list, cache: ProbeCache::default() };
    match (names.as_slice(), run.args.output.chosen()) {
        ([], _) => Err(Failed::new(Exit::Usage, "no domain given, and the list is empty").hint(
            "run petstore domains check docs.example.com --platform-host HOST, or add one: petstore domains add docs.example.com",
        )),
        ([name], ResultFormat::Table) => run.one(name, project).await,
        _ => Arc::new(run).many(names, project).await,
    }
}

/// What the checks of a run share.
struct Run {
    args: CheckArgs,
    options: CheckOptions,
    list: Registry,
    cache: ProbeCache,
}

impl Run {
    /// A domain to check, by its typed name, and the note about how it was typed; or what is wrong with it.
    fn subject_of(&self, name: &str) -> Result<(Subject, Vec<Finding>), Vec<Finding>> {
        let platform_host = self.options.expectation.platform_host.clone();
        let ParsedName { domain, findings } =
            parse_name::read(name, &ExistingDomains { platform_host, listed: Vec::new() });
        let Some(domain) = domain else { return Err(findings) };
        let is_about_typing = |finding: &Finding| matches!(finding.code, Code::InUrl | Code::InPort | Code::InIdn);
        let subject = subject(&self.options, &self.list, domain, &self.args.probe);
        Ok((subject, findings.into_iter().filter(is_about_typing).collect()))
    }

    /// Checks one domain, and prints its findings.
    async fn one(&self, name: &str, project: &Project<'_>) -> Result<Exit, Failed> {
        let Self { args, options, cache, .. } = self;
        let (subject, about_typing) = match self.subject_of(name) {
            Ok(understood) => understood,
            Err(findings) => {
                print(|out| words::findings(out, &findings, now(options), false))?;
                return Ok(exit(overall(&findings), args.fail_on));
            }
        };
        let so_far = Mutex::new((Complete::default(), now(options)));
        let progress = |complete, since| *so_far.lock() = (complete, since);
        let word = || {
            let (complete, since) = *so_far.lock();
            format!("still asking {}, since {}", complete.still_asking(), since.strftime("%H:%M:%S UTC"))
        };
        let mut checked = patiently(subject.check(cache, Some(&progress)), word).await;
        checked.add(about_typing);
        project.keep(&args.probe, slice::from_ref(&checked))?;
        print(|out| {
            if args.evidence {
                words::evidence(out, &checked)?;
            }
            words::summary(out, &checked, args.evidence)
        })?;
        Ok(exit(checked.verdict(), args.fail_on))
    }

    /// Checks one of several, if it is a domain.
    async fn check(&self, name: &str) -> (Outcome, Option<Checked>) {
        let (subject, about_typing) = match self.subject_of(name) {
            Ok(understood) => understood,
            Err(findings) => {
                let name = short(name);
                let json = json::refused(&name, &findings);
                return (Outcome::new(&name, overall(&findings), None, &findings, json), None);
            }
        };
        let mut checked = subject.check(&self.cache, None).await;
        checked.add(about_typing);
        let is_json = self.args.output.chosen() == ResultFormat::Json;
        let json = if is_json { json::check(&checked) } else { Value::Null };
        let name = checked.domain.name.as_str();
        let outcome = Outcome::new(name, checked.verdict(), checked.stage(), &checked.findings, json);
        // The list does not need the details; dropping them saves memory.
        (outcome, Some(Checked { seen: Observations::default(), views: Vec::new(), ..checked }))
    }

    async fn many(self: Arc<Self>, names: Vec<String>, project: &Project<'_>) -> Result<Exit, Failed> {
        let count = names.len();
        let checks = names.into_iter().enumerate().map(|(order, name)| {
            let run = Arc::clone(&self);
            // On its own task, to use all processors.
            let checking = tokio::spawn(async move { run.check(&name).await });
            async move { (order, checking.await) }
        });
        let mut running = stream::iter(checks).buffer_unordered(AT_ONCE);
        let (mut outcomes, mut kept) = (Vec::new(), Vec::new());
        let word = |done: usize| move || format!("still checking: {done} of {count} done ...");
        while let Some((order, result)) = patiently(running.next(), word(outcomes.len())).await {
            let (outcome, checked) = result.map_err(|error| Failed::new(Exit::Failure, error.to_string()))?;
            outcomes.push((order, outcome));
            kept.extend(checked);
        }
        drop(running);
        project.keep(&self.args.probe, &kept)?;
        outcomes.sort_unstable_by_key(|(order, _)| *order);
        print_outcomes(&outcomes.into_iter().map(|(_, outcome)| outcome).collect::<Vec<_>>(), &self.args)
    }
}

/// Shows progress on a terminal while `work` takes long.
async fn patiently<T>(work: impl Future<Output = T>, word: impl Fn() -> String) -> T {
    let mut wait = FIRST_WORD;
    tokio::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return done,
            () = sleep(wait) => {
                wait = FURTHER_WORDS;
                if io::stderr().is_terminal() {
                    note(&word());
                }
            }
        }
    }
}

/// Prints the outcomes in the chosen format; returns the exit status.
fn print_outcomes(outcomes: &[Outcome], args: &CheckArgs) -> Result<Exit, Failed> {
    let verdicts: Vec<_> = outcomes.iter().map(|outcome| outcome.verdict).collect();
    // The first of the worst.
    let Some(decides) = (0..verdicts.len()).rev().max_by_key(|at| verdicts[*at]) else { return Ok(Exit::Done) };
    let lines = |out: &mut Out<io::Stdout>| {
        let mut rows: Vec<_> = outcomes.iter().map(|outcome| (Reverse(outcome.verdict), &outcome.row)).collect();
        rows.sort_unstable();
        rows.iter().try_for_each(|(_, row)| writeln!(out, "{row}"))?;
        writeln!(out, "\n{}", count_words(&verdicts))
    };
    args.output.write(lines, || json::all(outcomes.iter().map(|outcome| outcome.json.clone()).collect(), decides))?;
    Ok(exit_of_all(&verdicts, args.fail_on))
}

async fn one_redirect(args: &CheckArgs, options: &CheckOptions, redirect: Redirect) -> Result<Exit, Failed> {
    let FollowedRedirect { redirect, findings, at, .. } = follow(options, redirect).await;
    let lines = |out: &mut Out<io::Stdout>| {
        writeln!(out, "{} to {} with {}\n", redirect.from, redirect.to, redirect.status)?;
        words::findings(out, &findings, at, args.evidence)
    };
    let object = || {
        let about = json!({ "domain": redirect.from, "state": null, "checkedAt": at });
        json::all(vec![json::with(json::with(json::findings(&findings), about), json!(redirect))], 0)
    };
    args.output.write(lines, object)?;
    Ok(exit(overall(&findings), args.fail_on))
}

/// `petstore domains redirects`.
pub async fn redirects(args: RedirectsArgs, project: &Project<'_>) -> Result<Exit, Failed> {
    let options = resolve(&args.probe, project.configured)?;
    if !args.offline {
        project.announce(&options);
    }
    let listed: Vec<_> = project.file.read()?.domains.into_iter().map(|entry| entry.name).collect();
    let linted = match &args.file {
        Some(path) => redirect_config::lint(&read_text(path)?, &listed),
        None => redirect_config::check(configured_domains(project.configured), &listed),
    };
    let linted_well = linted.configuration.is_some();
    let redirects = linted.configuration.filter(|_| !args.offline).map(|written| written.redirects).unwrap_or_default();
    let followed = stream::iter(redirects).map(|redirect| follow(&options, redirect)).buffered(AT_ONCE);
    let followed: Vec<_> = followed.collect().await;
    let found = followed.iter().flat_map(|followed| &followed.findings);
    let all: Vec<_> = linted.findings.iter().chain(found).cloned().collect();
    let at = now(&options);
    let lines = |out: &mut Out<io::Stdout>| {
        words::findings(out, &linted.findings, at, false)?;
        for FollowedRedirect { redirect, findings, .. } in &followed {
            writeln!(out, "\n{} to {} with {}", redirect.from, redirect.to, redirect.status)?;
            words::findings(out, findings, at, false)?;
        }
        if linted_well && followed.is_empty() && !args.offline {
            writeln!(out, "no redirects configured (domains.redirects)")?;
        }
        Ok(())
    };
    let each = |it: &FollowedRedirect| json::with(json::findings(&it.findings), json!(it.redirect));
    let each = || followed.iter().map(each).collect::<Value>();
    args.output.write(lines, || json::with(json::findings(&all), json!({ "redirects": each() })))?;
    Ok(exit_of(&all))
}

/// `petstore domains report`: a check with all its evidence.
pub async fn report(args: &ReportArgs, project: &Project<'_>) -> Result<Exit, Failed> {
    let subject = project.subject(&args.name, &args.probe)?;
    project.announce(&subject.options);
    note(&format!("checking {} ...", subject.domain.name));
    let checked = project.check(&subject, &args.probe).await?;
    args.output.write(|out| write!(out, "{}", checked.support_report()), || json::report(&checked))?;
    Ok(exit(checked.verdict(), FailOn::default()))
}

/// The result of one check, for every format.
struct Outcome {
    verdict: Verdict,
    /// The line for people.
    row: String,
    /// The whole, if it is printed.
    json: Value,
}

impl Outcome {
    /// `name`: the domain; or what was typed, if it is not one. `state`: how far it is.
    fn new(name: &str, verdict: Verdict, state: Option<Stage>, findings: &[Finding], json: Value) -> Self {
        let (word, state) = (verdict.as_str().to_uppercase(), state.map_or("-".to_owned(), |state| state.to_string()));
        let (code, title) = deciding(findings).map_or(("-", ""), |decides| (decides.code.as_str(), &decides.title));
        Self { verdict, row: format!("{word:<7}  {:<40}  {state:<19}  {title} [{code}]", short(name)), json }
    }
}

/// `petstore domains watch`: checks repeatedly, with a line for each change. Exits with 0 when the domain is live (or the
/// record is right everywhere), or with 9 after a last check when the time is up.
pub async fn watch(args: WatchArgs, project: &Project<'_>) -> Result<Exit, Failed> {
    let options = resolve(&args.probe, project.configured)?;
    project.announce(&options);
    let domain = need_name(&args.name)?;
    let begin = clock::now().mono;
    // What was printed last.
    let mut last: Option<(Stage, Measurement)> = None;
    let mut unchanged = 0;
    loop {
        // Read each time, as another terminal may have recorded something.
        let subject = subject(&options, &project.file.read()?, domain.clone(), &args.probe);
        let checked = project.check(&subject, &args.probe).await?;
        let state = checked.progress.stage;
        let measurement = &checked.measurement;
        unchanged += 1;
        if last.as_ref().is_none_or(|(before, last)| *before != state || !last.says_the_same_as(measurement)) {
            unchanged = 0;
            line(&checked, args.output.chosen())?;
            last = Some((state, measurement.clone()));
        }
        let is_done = match args.until {
            Until::Live => state == Stage::Live && checked.progress.stale.is_none(),
            Until::Dns => measurement.everywhere,
        };
        if is_done {
            return Ok(Exit::Done);
        }
        let Some(next) = next_check(state, &subject.reported, measurement.until, unchanged, checked.at) else {
            // The line of a removal has it already.
            if !checked.is_removal() {
                note(&next_step(checked.progress.next, &domain.name));
            }
            return Ok(exit(checked.verdict(), FailOn::default()));
        };
        let left = args.timeout.saturating_sub(clock::now().mono - begin);
        if left.is_zero() {
            note(&format!("time is up; last verdict: {}", checked.verdict().as_str()));
            return Ok(Exit::DomainWaits);
        }
        let wait = Duration::try_from(next.duration_since(now(&options))).unwrap_or_default();
        sleep(wait.min(left)).await;
    }
}

/// One line for one change.
fn line(checked: &Checked, format: ResultFormat) -> Result<(), Failed> {
    if format == ResultFormat::Json {
        return print_json(&json::all(vec![json::check(checked)], 0));
    }
    let (decides, state) = (deciding(&checked.findings), checked.stage_words());
    let until = wait_ends(&checked.findings);
    let until = until.map_or_else(String::new, |until| format!(", until {}", until_words(until, checked.at)));
    print(|out| {
        let time = checked.at.to_zoned(clock::time_zone()).strftime("%H:%M:%S").to_string();
        let verdict = checked.verdict().as_str().to_uppercase();
        let title = match decides {
            _ if checked.is_removal() => &checked.progress.summary,
            Some(finding) => &finding.title,
            None => "the check failed",
        };
        writeln!(out, "{time}  {verdict:<5}  {state}: {title}{until}")?;
        let act = match decides.filter(|finding| !finding.fix.is_empty() && finding.verdict != Verdict::Ok) {
            Some(finding) => recorded(&finding.fix, finding, checked),
            None if checked.is_removal() => next_step(checked.progress.next, &checked.domain.name),
            None => return Ok(()),
        };
        writeln!(out, "          Do: {}", crate::model::display_safe(&act))
    })
}
