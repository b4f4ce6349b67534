//! `check`, `redirects` and `report`.

use std::future::Future;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use jiff::Timestamp;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::app::domain_progress::count_words;
use crate::config::file::Domains as Configured;
use crate::domains::check::{self, Checked, FollowedRedirect, OnFindings, Subject, follow, now};
use crate::domains::check_options::CheckOptions;
use crate::domains::finding::{deciding, overall};
use crate::domains::observation::Observations;
use crate::domains::parse_name::{self, ExistingDomains, ParsedName};
use crate::domains::probe::cache::ProbeCache;
use crate::domains::redirect_config::{self, Redirect};
use crate::domains::registry::{Registry, RegistryFile};
use crate::domains::report::matrix;
use crate::domains::{Code, Finding, Verdict};
use crate::model::text::short;

use super::super::error::{Exit, Failed};
use super::super::output::note;
use super::super::render::{ResultFormat, print, print_json};
use super::answer::{Answer, exit, exit_of};
use super::args::{CheckArgs, ProbeArgs, RedirectsArgs, ReportArgs};
use super::files::read_text;
use super::settings::{announce, configured_domains, need_name, prepare, resolve, subject};
use super::{json, words};

/// When a long check first reports that it is still running, and how often after that.
const FIRST_WORD: Duration = Duration::from_secs(2);
const FURTHER_WORDS: Duration = Duration::from_secs(5);

/// How many domains are checked concurrently.
const AT_ONCE: usize = 24;

/// `petstore domains check`.
pub async fn run(args: CheckArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let options = resolve(&args.probe, configured)?;
    announce(&options, file);
    if let (Some(from), Some(to)) = (&args.from, &args.to) {
        let redirect = Redirect { from: need_name(from)?.name, to: need_name(to)?.name, status: args.status };
        return one_redirect(&options, redirect, args.output.chosen(), args.evidence).await;
    }
    let list = file.read()?;
    let names: Vec<String> = if args.names.is_empty() {
        list.domains.iter().map(|entry| entry.name.to_string()).collect()
    } else {
        args.names.clone()
    };
    match names.as_slice() {
        [] => Err(Failed::new(Exit::Usage, "no domain given, and the list is empty").hint(
            "run petstore domains check docs.example.com --platform-host HOST, or add one: petstore domains add docs.example.com",
        )),
        [name] => one(name, &args, &options, &list, file).await,
        several => many(several, args, options, list, file).await,
    }
}

/// A domain to check, by its typed name, or what is wrong with the name.
fn subject_of(name: &str, options: &CheckOptions, list: &Registry, args: &ProbeArgs) -> Result<Subject, Vec<Finding>> {
    let known = ExistingDomains { platform_host: options.expectation.platform_host.clone(), listed: Vec::new() };
    let ParsedName { domain, findings: about_name } = parse_name::read(name, &known);
    match domain {
        Some(domain) => Ok(Subject { about_name, ..subject(options, list, domain, args) }),
        None => Err(about_name),
    }
}

async fn one(
    name: &str,
    args: &CheckArgs,
    options: &CheckOptions,
    list: &Registry,
    file: &RegistryFile,
) -> Result<Exit, Failed> {
    let format = args.output.chosen();
    let subject = match subject_of(name, options, list, &args.probe) {
        Ok(subject) => subject,
        Err(findings) => {
            let about = json!({ "domain": short(name), "state": null });
            let answer = Answer { findings: &findings, at: now(options), evidence: false, about, head: String::new() };
            return answer.print(format);
        }
    };
    let Subject { domain, about_name, .. } = &subject;
    let table = format == ResultFormat::Table;
    if table {
        let expected = subject.reported.value.as_ref().map_or_else(String::new, |host| match domain.is_apex() {
            true => format!(" should point to {host}"),
            false => format!(" should be a CNAME to {host}"),
        });
        print(|out| {
            let understood =
                about_name.iter().filter(|finding| matches!(finding.code, Code::InUrl | Code::InPort | Code::InIdn));
            words::findings(out, understood, now(options), false)?;
            writeln!(out, "{}{expected}\n", domain.unicode)
        })?;
    }
    let printed = Mutex::new(Vec::new());
    let show = |findings: &[Finding], at: Timestamp| {
        let mut printed = printed.lock();
        let fresh: Vec<&Finding> = findings.iter().filter(|finding| !printed.contains(&finding_key(finding))).collect();
        // A closed pipe is reported by the next write.
        let _ = print(|out| words::findings(out, fresh.iter().copied(), at, args.evidence));
        printed.extend(fresh.into_iter().map(finding_key));
    };
    let progress: Option<OnFindings<'_>> = if table { Some(&show) } else { None };
    let cache = ProbeCache::default();
    let checked = patiently(subject.check(&cache, progress), || "still checking ...".to_owned()).await;
    keep(&args.probe, file, std::slice::from_ref(&checked))?;
    if table {
        show(&checked.findings, checked.at);
        print(|out| {
            write!(out, "{}", matrix(&domain.name, &checked.views()))?;
            words::summary(out, &checked)
        })?;
    } else {
        print_json(&json::check(&checked))?;
    }
    Ok(exit_of(&checked.findings))
}

/// Saves measurements, unless times were overridden.
pub fn keep(args: &ProbeArgs, file: &RegistryFile, checked: &[Checked]) -> Result<(), Failed> {
    if args.is_hypothetical() { Ok(()) } else { Ok(check::keep(file, checked)?) }
}

/// Identifies a finding, to print it once; those that are OK only once for each code.
fn finding_key(finding: &Finding) -> (Code, Verdict, String) {
    let seen = if finding.verdict == Verdict::Ok { String::new() } else { finding.seen.clone() };
    (finding.code, finding.verdict, seen)
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

/// What the checks of several domains share.
struct Run {
    probe: ProbeArgs,
    options: CheckOptions,
    list: Registry,
    cache: ProbeCache,
    table: bool,
}

impl Run {
    /// Checks one of them, or returns what is wrong with its name.
    async fn check(&self, name: &str) -> Result<(Checked, Value), Vec<Finding>> {
        let subject = subject_of(name, &self.options, &self.list, &self.probe)?;
        let checked = subject.check(&self.cache, None).await;
        // The table does not need the details; dropping them saves memory.
        let value = if self.table { Value::Null } else { json::check(&checked) };
        Ok((Checked { seen: Observations::default(), ..checked }, value))
    }
}

async fn many(
    names: &[String],
    args: CheckArgs,
    options: CheckOptions,
    list: Registry,
    file: &RegistryFile,
) -> Result<Exit, Failed> {
    let table = args.output.chosen() == ResultFormat::Table;
    let mut verdicts = Vec::new();
    let mut values = vec![Value::Null; names.len()];
    let mut rows = Vec::new();
    let run = Arc::new(Run { probe: args.probe, options, list, cache: ProbeCache::default(), table });
    let mut running = stream::iter(names.iter().enumerate().map(|(order, name)| {
        let (run, owned) = (Arc::clone(&run), name.clone());
        // On its own task, to use all processors.
        let checking = tokio::spawn(async move { run.check(&owned).await });
        async move { (order, name, checking.await) }
    }))
    .buffer_unordered(AT_ONCE);
    let mut done = Vec::new();
    while let Some((order, name, result)) =
        patiently(running.next(), || format!("still checking: {} of {} done ...", verdicts.len(), names.len())).await
    {
        let result = result.map_err(|error| Failed::new(Exit::Failure, format!("{}: {error}", short(name))))?;
        let (findings, state) = match result {
            Ok((checked, value)) => {
                values[order] = value;
                let answer = (checked.findings.clone(), checked.status.state.to_string());
                done.push(checked);
                answer
            }
            Err(findings) => {
                values[order] = json::with(json::findings(&findings), json!({ "domain": short(name) }));
                (findings, "-".to_owned())
            }
        };
        let (code, title) =
            deciding(&findings).map_or(("-", ""), |finding| (finding.code.as_str(), finding.title.as_str()));
        let verdict = overall(&findings);
        verdicts.push(verdict);
        let word = verdict.as_str().to_uppercase();
        rows.push((verdict, format!("{word:<7}  {:<40}  {state:<19}  {title} [{code}]", short(name))));
    }
    drop(running);
    keep(&run.probe, file, &done)?;
    let worst = verdicts.iter().copied().max().unwrap_or(Verdict::Unknown);
    if table {
        rows.sort_by(|(left, a), (right, b)| right.cmp(left).then_with(|| a.cmp(b)));
        print(|out| {
            rows.iter().try_for_each(|(_, row)| writeln!(out, "{row}"))?;
            writeln!(out, "\n{}", count_words(&verdicts))
        })?;
    } else {
        let code =
            values.iter().find(|value| value["verdict"] == worst.as_str()).map_or(&Value::Null, |value| &value["code"]);
        print_json(&json!({ "verdict": worst, "code": code, "domains": values }))?;
    }
    let same = verdicts.iter().all(|verdict| exit(*verdict) == exit(worst));
    Ok(if same { exit(worst) } else { Exit::Partly })
}

async fn one_redirect(
    options: &CheckOptions,
    redirect: Redirect,
    format: ResultFormat,
    evidence: bool,
) -> Result<Exit, Failed> {
    let FollowedRedirect { redirect, findings, .. } = follow(options, redirect).await;
    let at = now(options);
    let head = format!("{} to {} with {}\n\n", redirect.from, redirect.to, redirect.status);
    let about = json::with(about_redirect(&redirect), json!({ "checkedAt": at }));
    Answer { findings: &findings, at, evidence, about, head }.print(format)
}

fn about_redirect(Redirect { from, to, status }: &Redirect) -> Value {
    json!({ "from": from, "to": to, "status": status })
}

/// `petstore domains redirects`.
pub async fn redirects(args: RedirectsArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let options = resolve(&args.probe, configured)?;
    let listed: Vec<_> = file.read()?.domains.into_iter().map(|entry| entry.name).collect();
    let linted = match &args.file {
        Some(path) => redirect_config::lint(&read_text(path)?, &listed),
        None => redirect_config::check(configured_domains(configured), &listed),
    };
    let linted_well = linted.configuration.is_some();
    let redirects = linted.configuration.map(|configuration| configuration.redirects).unwrap_or_default();
    let followed = stream::iter(redirects).map(|redirect| follow(&options, redirect)).buffered(AT_ONCE);
    let followed: Vec<FollowedRedirect> = followed.collect().await;
    let found = followed.iter().flat_map(|followed| &followed.findings);
    let all: Vec<Finding> = linted.findings.iter().chain(found).cloned().collect();
    let at = now(&options);
    match args.output.chosen() {
        ResultFormat::Json => {
            let each = |followed: &FollowedRedirect| {
                json::with(json::findings(&followed.findings), about_redirect(&followed.redirect))
            };
            let each: Vec<Value> = followed.iter().map(each).collect();
            print_json(&json::with(json::findings(&all), json!({ "redirects": each })))?;
        }
        ResultFormat::Table => print(|out| {
            words::findings(out, &linted.findings, at, false)?;
            for FollowedRedirect { redirect, findings, .. } in &followed {
                writeln!(out, "\n{} to {} with {}", redirect.from, redirect.to, redirect.status)?;
                words::findings(out, findings, at, false)?;
            }
            if linted_well && followed.is_empty() {
                writeln!(out, "no redirects configured (domains.redirects)")?;
            }
            Ok(())
        })?,
    }
    Ok(exit_of(&all))
}

/// `petstore domains report`: a check with all its evidence, as plain text.
pub async fn report(args: &ReportArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let (subject, _) = prepare(&args.name, &args.probe, configured, file)?;
    note(&format!("checking {} ...", subject.domain.name));
    let checked = subject.check(&ProbeCache::default(), None).await;
    keep(&args.probe, file, std::slice::from_ref(&checked))?;
    print(|out| write!(out, "{}", checked.report()))?;
    Ok(exit_of(&checked.findings))
}
