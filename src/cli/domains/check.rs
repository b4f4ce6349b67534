//! `check`, `redirects` and `report`: looking, and saying what was seen.

use std::future::Future;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;
use jiff::Timestamp;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::config::file::Domains as Configured;
use crate::domains::check::{self, Checked, OnFindings, check, now, walk_redirect};
use crate::domains::check_options::CheckOptions;
use crate::domains::finding::overall;
use crate::domains::observation::Observations;
use crate::domains::probe::cache::ProbeCache;
use crate::domains::redirect_config::{self, Redirect};
use crate::domains::registry::{Registry, RegistryFile};
use crate::domains::report::matrix;
use crate::domains::vantage_points::views;
use crate::domains::{Code, Finding, Verdict};
use crate::model::text::short;

use super::super::error::{Exit, Failed};
use super::super::output::{columns, note};
use super::super::render::{ResultFormat, print, print_json};
use super::args::{CheckArgs, ProbeArgs, RedirectsArgs, ReportArgs};
use super::exit_status::{exit, exit_of};
use super::files::read_text;
use super::settings::{configured_domains, for_domain, need_name, read_list, read_name, reported, resolve};
use super::{json, words};

/// After how long somebody who waits is told that it goes on, and then again.
const FIRST_WORD: Duration = Duration::from_secs(2);
const FURTHER_WORDS: Duration = Duration::from_secs(5);

/// How many domains are looked at side by side.
const AT_ONCE: usize = 24;

/// `petstore domains check`.
pub async fn run(args: CheckArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let settings = resolve(&args.probe, configured)?;
    if let (Some(from), Some(to)) = (&args.from, &args.to) {
        let redirect = Redirect { from: need_name(from)?.name, to: need_name(to)?.name, status: args.status };
        return one_redirect(&settings, &redirect, args.output.chosen(), args.evidence).await;
    }
    let list = read_list(file)?;
    let names: Vec<String> = if args.names.is_empty() {
        list.domains.iter().map(|entry| entry.name.to_string()).collect()
    } else {
        args.names.clone()
    };
    match names.as_slice() {
        [] => Err(Failed::new(Exit::Usage, "no domain was named, and the list is empty").hint(
            "petstore domains check docs.example.com --platform-host HOST, or petstore domains add docs.example.com",
        )),
        [name] => one(name, &args, &settings, &list, file).await,
        several => many(several, &args, &settings, &list, file).await,
    }
}

async fn one(
    name: &str,
    args: &CheckArgs,
    settings: &CheckOptions,
    list: &Registry,
    file: &RegistryFile,
) -> Result<Exit, Failed> {
    let (domain, about_name) = match read_name(name, settings.expectation.platform_host.as_ref()) {
        Ok(read) => read,
        Err(findings) => return refused(name, &findings, now(settings), args.output.chosen()),
    };
    let settings = for_domain(settings, list, &domain, &args.probe);
    let reported = reported(list, &domain, &args.probe, &settings);
    let table = args.output.chosen() == ResultFormat::Table;
    let columns = columns();
    if table {
        let expected = settings.expectation.platform_host.as_ref();
        let expected = expected.map_or_else(String::new, |host| match domain.is_apex() {
            true => format!(", which should lead to {host}"),
            false => format!(", which should be a CNAME to {host}"),
        });
        print(|out| {
            about_name
                .iter()
                .filter(|finding| matches!(finding.code, Code::InUrl | Code::InPort | Code::InIdn))
                .try_for_each(|finding| words::finding(out, finding, now(&settings), columns, false))?;
            writeln!(out, "{}{expected}\n", domain.unicode)
        })?;
    }
    let printed = Mutex::new(Vec::new());
    let show = |findings: &[Finding], at: Timestamp| {
        let mut printed = printed.lock();
        let fresh: Vec<&Finding> = findings.iter().filter(|finding| !printed.contains(&finding_key(finding))).collect();
        // A closed pipe is noticed when the rest is written.
        let _ = print(|out| fresh.iter().try_for_each(|f| words::finding(out, f, at, columns, args.evidence)));
        printed.extend(fresh.into_iter().map(finding_key));
    };
    let progress: Option<OnFindings<'_>> = if table { Some(&show) } else { None };
    let memory = ProbeCache::default();
    let looking = check(&settings, list.get(&domain.name), &domain, &reported, &about_name, &memory, progress);
    let checked = patiently(looking, || "still looking ...".to_owned()).await;
    keep(&args.probe, file, std::slice::from_ref(&checked))?;
    if table {
        show(&checked.findings, checked.at);
        print(|out| {
            let case = checked.case(&settings.expectation, &reported);
            write!(out, "{}", matrix(&domain.name, &views(&case)))?;
            words::summary(out, &domain, &checked.findings, checked.standing, checked.at, columns)
        })?;
    } else {
        print_json(&json::check(&checked, &settings.expectation, &reported))?;
    }
    Ok(exit_of(&checked.findings))
}

/// Keeps what was measured, unless it was a rehearsal.
pub fn keep(args: &ProbeArgs, file: &RegistryFile, checked: &[Checked]) -> Result<(), Failed> {
    if args.is_rehearsal() { Ok(()) } else { Ok(check::keep(file, checked)?) }
}

/// What tells whether a finding was written already; what is all right is said once, however many say so.
fn finding_key(finding: &Finding) -> (Code, Verdict, String) {
    let seen = if finding.verdict == Verdict::Ok { String::new() } else { finding.seen.clone() };
    (finding.code, finding.verdict, seen)
}

/// Says on a terminal that it goes on, where `work` takes long.
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

/// What the checks of several domains share.
struct Run {
    probe: ProbeArgs,
    settings: CheckOptions,
    list: Registry,
    memory: ProbeCache,
    table: bool,
}

impl Run {
    /// Looks at one of them; the findings on its name, where it is none.
    async fn look(&self, name: &str) -> Result<(Checked, Value), Vec<Finding>> {
        let (domain, about_name) = read_name(name, self.settings.expectation.platform_host.as_ref())?;
        let settings = for_domain(&self.settings, &self.list, &domain, &self.probe);
        let reported = reported(&self.list, &domain, &self.probe, &settings);
        let checked =
            check(&settings, self.list.get(&domain.name), &domain, &reported, &about_name, &self.memory, None).await;
        // What was seen in detail is not needed for the table, and memory is.
        let value = if self.table { Value::Null } else { json::check(&checked, &settings.expectation, &reported) };
        Ok((Checked { seen: Observations::default(), ..checked }, value))
    }
}

async fn many(
    names: &[String],
    args: &CheckArgs,
    settings: &CheckOptions,
    list: &Registry,
    file: &RegistryFile,
) -> Result<Exit, Failed> {
    let table = args.output.chosen() == ResultFormat::Table;
    let mut verdicts = Vec::new();
    let mut values = vec![Value::Null; names.len()];
    let mut rows = Vec::new();
    let (probe, settings, list) = (args.probe.clone(), settings.clone(), list.clone());
    let run = Arc::new(Run { probe, settings, list, memory: ProbeCache::default(), table });
    let mut running = stream::iter(names.iter().enumerate().map(|(order, name)| {
        let (run, owned) = (Arc::clone(&run), name.clone());
        // On a task of its own, so that all processors take part.
        let looking = tokio::spawn(async move { run.look(&owned).await });
        async move { (order, name, looking.await) }
    }))
    .buffer_unordered(AT_ONCE);
    let mut done = Vec::new();
    while let Some((order, name, result)) =
        patiently(running.next(), || format!("still looking: {} of {} done ...", verdicts.len(), names.len())).await
    {
        let result = result.map_err(|error| Failed::new(Exit::Failure, format!("{}: {error}", short(name))))?;
        let (findings, state) = match result {
            Ok((checked, value)) => {
                values[order] = value;
                let state = checked.standing.state.to_string();
                let findings = checked.findings.clone();
                done.push(checked);
                (findings, state)
            }
            Err(findings) => {
                values[order] = json::with(json::findings(&findings), json!({ "domain": short(name) }));
                (findings, "-".to_owned())
            }
        };
        verdicts.push(overall(&findings));
        let decides = crate::domains::finding::deciding(&findings);
        let (code, title) = decides.map_or(("-", ""), |finding| (finding.code.as_str(), finding.title.as_str()));
        let verdict = overall(&findings);
        rows.push((
            verdict,
            format!("{:<7}  {:<40}  {state:<19}  {title} [{code}]", verdict.as_str().to_uppercase(), short(name)),
        ));
    }
    drop(running);
    keep(&args.probe, file, &done)?;
    let worst = verdicts.iter().copied().max().unwrap_or(Verdict::Unknown);
    if table {
        rows.sort_by(|(left, a), (right, b)| right.cmp(left).then_with(|| a.cmp(b)));
        print(|out| {
            rows.iter().try_for_each(|(_, row)| writeln!(out, "{row}"))?;
            let count = |verdict| verdicts.iter().filter(|seen| **seen == verdict).count();
            writeln!(
                out,
                "\n{} to mend, {} waiting, {} with a warning, {} fine, {} unknown",
                count(Verdict::Fail),
                count(Verdict::Wait),
                count(Verdict::Warn),
                count(Verdict::Ok),
                count(Verdict::Unknown)
            )
        })?;
    } else {
        let code =
            values.iter().find(|value| value["verdict"] == worst.as_str()).map_or(&Value::Null, |value| &value["code"]);
        print_json(&json!({ "verdict": worst, "code": code, "domains": values }))?;
    }
    let same = verdicts.iter().all(|verdict| exit(*verdict) == exit(worst));
    Ok(if same { exit(worst) } else { Exit::Partly })
}

/// A name that was refused, in the shape of a check.
fn refused(typed: &str, findings: &[Finding], now: Timestamp, format: ResultFormat) -> Result<Exit, Failed> {
    match format {
        ResultFormat::Json => {
            print_json(&json::with(json::findings(findings), json!({ "domain": short(typed), "state": null })))?
        }
        ResultFormat::Table => {
            print(|out| findings.iter().try_for_each(|f| words::finding(out, f, now, columns(), false)))?
        }
    }
    Ok(exit_of(findings))
}

async fn one_redirect(
    settings: &CheckOptions,
    redirect: &Redirect,
    format: ResultFormat,
    evidence: bool,
) -> Result<Exit, Failed> {
    let (_, findings, _) = walk_redirect(settings, redirect).await;
    let at = now(settings);
    match format {
        ResultFormat::Json => {
            let about = json!({ "from": redirect.from, "to": redirect.to, "status": redirect.status, "checkedAt": at });
            print_json(&json::with(json::findings(&findings), about))?;
        }
        ResultFormat::Table => print(|out| {
            writeln!(out, "{} to {} with {}\n", redirect.from, redirect.to, redirect.status)?;
            findings.iter().try_for_each(|finding| words::finding(out, finding, at, columns(), evidence))
        })?,
    }
    Ok(exit_of(&findings))
}

/// `petstore domains redirects`.
pub async fn redirects(args: RedirectsArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let settings = resolve(&args.probe, configured)?;
    let listed: Vec<_> = read_list(file)?.domains.into_iter().map(|entry| entry.name).collect();
    let linted = match &args.file {
        Some(path) => redirect_config::lint(&read_text(path)?, &listed),
        None => redirect_config::check(configured_domains(configured), &listed),
    };
    let linted_well = linted.configuration.is_some();
    let redirects = linted.configuration.map(|configuration| configuration.redirects).unwrap_or_default();
    let settings = &settings;
    let mut checked: Vec<(usize, Redirect, Vec<Finding>)> = stream::iter(redirects.into_iter().enumerate())
        .map(|(order, redirect)| async move {
            let (_, findings, _) = walk_redirect(settings, &redirect).await;
            (order, redirect, findings)
        })
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    checked.sort_by_key(|(order, ..)| *order);
    let all: Vec<Finding> =
        linted.findings.iter().chain(checked.iter().flat_map(|(.., findings)| findings)).cloned().collect();
    let at = now(settings);
    match args.output.chosen() {
        ResultFormat::Json => {
            let each: Vec<Value> = checked
                .iter()
                .map(|(_, redirect, findings)| {
                    let about = json!({ "from": redirect.from, "to": redirect.to, "status": redirect.status });
                    json::with(json::findings(findings), about)
                })
                .collect();
            print_json(&json::with(json::findings(&all), json!({ "redirects": each })))?;
        }
        ResultFormat::Table => print(|out| {
            linted.findings.iter().try_for_each(|finding| words::finding(out, finding, at, columns(), false))?;
            for (_, redirect, findings) in &checked {
                writeln!(out, "\n{} to {} with {}", redirect.from, redirect.to, redirect.status)?;
                findings.iter().try_for_each(|finding| words::finding(out, finding, at, columns(), false))?;
            }
            if linted_well && checked.is_empty() {
                writeln!(out, "no redirect is configured; they stand under domains.redirects")?;
            }
            Ok(())
        })?,
    }
    Ok(exit_of(&all))
}

/// `petstore domains report`: a check with all its evidence, as plain text.
pub async fn report(args: &ReportArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let settings = resolve(&args.probe, configured)?;
    let list = read_list(file)?;
    let domain = need_name(&args.name)?;
    let settings = for_domain(&settings, &list, &domain, &args.probe);
    let reported = reported(&list, &domain, &args.probe, &settings);
    note(&format!("looking at {} ...", domain.name));
    let checked = check(&settings, list.get(&domain.name), &domain, &reported, &[], &ProbeCache::default(), None).await;
    keep(&args.probe, file, std::slice::from_ref(&checked))?;
    print(|out| write!(out, "{}", checked.report(&settings.expectation, &reported)))?;
    Ok(exit_of(&checked.findings))
}
