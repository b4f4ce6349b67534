//! The list: what the operator tells, and where each domain stands. Nothing here looks at the outside world but
//! `remove`, which wants to see the redirect first.

use std::io::Write as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;

use crate::clock;
use crate::config::file::Domains as Configured;
use crate::domains::check::{check, walk_redirect};
use crate::domains::finding::deciding;
use crate::domains::probe::cache::ProbeCache;
use crate::domains::redirect_config::{self, Redirect};
use crate::domains::registry::{Entry, Registry, RegistryError, RegistryFile};
use crate::domains::reported::{Dated, Event};
use crate::domains::stage::{Measurement, Stage};
use crate::domains::{Code, DnsName, Domain, Finding, Verdict};

use super::super::error::{Exit, Failed};
use super::super::output::{columns, note};
use super::super::render::{ResultFormat, print, print_json};
use super::args::{AddArgs, RemoveArgs, ShowArgs, WhenArgs};
use super::exit_status::exit_of;
use super::list::ListRow;
use super::settings::{configured_domains, need_name, platform_host, prepare, read_list, reported};
use super::{json, words};

/// `petstore domains add`. A domain that is there already takes a value that it has not.
pub fn add(args: &AddArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let host = platform_host(args.platform_host.as_deref(), configured)?;
    let list = file.read()?;
    let mut known = known(host.clone(), configured, &list);
    let at = clock::now().wall;
    let brings_value = |entry: &&Entry| !entry.reported().removed && host.is_some() && entry.reported().value != host;
    let fresh: Vec<DnsName> = list.domains.iter().filter(brings_value).map(|entry| entry.name.clone()).collect();
    known.listed.retain(|name| !fresh.contains(name));
    let reading = crate::domains::parse_name::read(&args.name, &known);
    if let Some(domain) = &reading.domain {
        file.change(|list| {
            if list.get(&domain.name).is_none_or(|entry| entry.reported().removed) {
                list.note(&domain.name, Dated { at, event: Event::Added });
            }
            if let Some(host) = host.clone() {
                list.note(&domain.name, Dated { at, event: Event::Value { host } });
            }
            Ok::<_, RegistryError>(())
        })?;
    }
    if args.output.chosen() == ResultFormat::Json {
        let about = reading.domain.as_ref().map_or_else(|| json!({ "domain": null }), json::domain);
        print_json(&json::with(json::findings(&reading.findings), about))?;
        return Ok(exit_of(&reading.findings));
    }
    print(|out| reading.findings.iter().try_for_each(|finding| words::finding(out, finding, at, columns(), false)))?;
    if let Some(Domain { name, unicode, .. }) = &reading.domain {
        note(&match &host {
            Some(host) => {
                format!("{unicode} is on the list, with the value {host}. Next: petstore domains records {name}")
            }
            None => format!("{unicode} is on the list. Next: {}", Stage::Draft.next_step(name)),
        });
    }
    Ok(exit_of(&reading.findings))
}

/// What is there already: listed domains and sources of redirects.
pub fn known(
    platform_host: Option<DnsName>,
    configured: &Configured,
    list: &Registry,
) -> crate::domains::parse_name::ExistingDomains {
    let sources = configured.redirects.iter().map(|redirect| DnsName::new(&redirect.from));
    let removed = |entry: &&Entry| !entry.reported().removed;
    let listed = list.domains.iter().filter(removed).map(|entry| entry.name.clone()).chain(sources).collect();
    crate::domains::parse_name::ExistingDomains { platform_host, listed }
}

/// The entry of a name; a failure that says how to add it otherwise.
fn entry<'a>(list: &'a Registry, domain: &Domain) -> Result<&'a Entry, Failed> {
    list.get(&domain.name).ok_or_else(|| {
        Failed::new(Exit::NotFound, format!("{} is not on the list", domain.unicode))
            .hint(format!("petstore domains add {} --platform-host VALUE", domain.name))
    })
}

/// `petstore domains show`.
pub fn show(args: &ShowArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let domain = need_name(&args.name)?;
    let list = read_list(file)?;
    let entry = entry(&list, &domain)?;
    let now = clock::now().wall;
    let row = ListRow::of(entry, configured, now);
    let reported = entry.reported();
    if args.output.chosen() == ResultFormat::Json {
        let more = json!({ "value": reported.value, "events": entry.events, "measurements": entry.measurements });
        print_json(&json::with(row.json(), more))?;
        return Ok(Exit::Done);
    }
    let time = |at: Option<Timestamp>| match at {
        None => "not told".to_owned(),
        Some(at) => at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M %Z").to_string(),
    };
    print(|out| {
        writeln!(out, "{}", domain.unicode)?;
        writeln!(out, "  State     {}", row.state)?;
        writeln!(out, "  Role      {}", row.role)?;
        writeln!(
            out,
            "  Value     {}",
            reported.value.as_ref().map_or("not known: the dashboard shows it", DnsName::as_str)
        )?;
        writeln!(out, "  Added     {}", time(reported.added))?;
        writeln!(out, "  Saved     {}", time(reported.saved))?;
        writeln!(out, "  Verify    {}", time(reported.verified))?;
        match entry.measurements.last() {
            Some(last) => {
                let verdict = last.verdict.as_str().to_uppercase();
                writeln!(out, "  Checked   {}: {verdict}, {} [{}]", time(Some(last.at)), last.title, last.code)?;
            }
            None => writeln!(out, "  Checked   never")?,
        }
        // Of a wait the promised time says more than that there is nothing but to wait.
        let is_act = |last: &&Measurement| last.verdict > Verdict::Ok && last.until.is_none() && !last.fix.is_empty();
        let act = entry.measurements.last().filter(is_act);
        writeln!(out, "  Next      {}", act.map_or(&row.next, |last| &last.fix))
    })?;
    Ok(Exit::Done)
}

/// `petstore domains saved`.
pub fn saved(args: &WhenArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let name = tell(args, Event::Saved, configured, file)?;
    note(&format!("noted. DNS changes may take up to 48 hours; see how far it is: petstore domains check {name}"));
    Ok(Exit::Done)
}

/// `petstore domains verified`.
pub fn verified(args: &WhenArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let name = tell(args, Event::Verified, configured, file)?;
    note(&format!(
        "noted. The certificate follows by itself, usually within a couple of minutes: petstore domains watch {name}"
    ));
    Ok(Exit::Done)
}

/// Notes it, and gives the name that it was noted for.
fn tell(args: &WhenArgs, event: Event, configured: &Configured, file: &RegistryFile) -> Result<DnsName, Failed> {
    let domain = need_name(&args.name)?;
    let host = platform_host(None, configured)?;
    let now = clock::now().wall;
    let at = args.at.unwrap_or(now);
    if at > now {
        return Err(Failed::config(format!("--at {at} is in the future")).hint("give the time when it was done"));
    }
    file.change(|list| {
        let value = entry(list, &domain)?.reported().value.or(host);
        if value.is_none() {
            let what = format!("no value is known for {} yet, so that there is no record to save", domain.unicode);
            return Err(Failed::config(what).hint(Stage::Draft.next_step(&domain.name)));
        }
        list.note(&domain.name, Dated { at, event });
        Ok::<_, Failed>(())
    })?;
    Ok(domain.name)
}

/// `petstore domains remove`.
pub async fn remove(args: RemoveArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let (domain, settings, list) = prepare(&args.name, &args.probe, configured, file)?;
    entry(&list, &domain)?;
    if args.forget {
        file.change(|list| {
            list.domains.retain(|entry| entry.name != domain.name);
            Ok::<_, RegistryError>(())
        })?;
        note(&format!("{} is off the list", domain.unicode));
        return Ok(Exit::Done);
    }
    let at = clock::now().wall;
    let event = if args.done { Event::Removed } else { Event::RemovalPlanned };
    let list = file.change(|list| {
        list.note(&domain.name, Dated { at, event });
        Ok::<_, RegistryError>(list.clone())
    })?;
    if args.done {
        return left_behind(&domain, &settings, &list, &args).await;
    }
    let redirects = redirect_config::check(configured_domains(configured), &[]).configuration;
    let redirect = redirects.into_iter().flat_map(|c| c.redirects).find(|redirect| redirect.from == domain.name);
    let findings = match &redirect {
        Some(redirect) => walk_redirect(&settings, redirect).await.1,
        None => Vec::new(),
    };
    print(|out| plan(out, &domain, redirect.as_ref(), &findings, at))?;
    Ok(if findings.is_empty() { Exit::Done } else { exit_of(&findings) })
}

fn plan(
    out: &mut impl std::io::Write,
    domain: &Domain,
    redirect: Option<&Redirect>,
    findings: &[Finding],
    at: Timestamp,
) -> std::io::Result<()> {
    let name = &domain.name;
    writeln!(out, "To remove {}, in this order:\n", domain.unicode)?;
    match redirect {
        Some(redirect) => {
            let seen = findings.iter().any(|finding| finding.code == Code::RdOk);
            let mark = if seen { "x" } else { " " };
            writeln!(out, "1 [{mark}] Redirect to {} with {}", redirect.to, redirect.status)?;
            findings.iter().try_for_each(|finding| words::finding(out, finding, at, columns(), false))?;
        }
        None => {
            writeln!(
                out,
                "1 [ ] Redirect: none of {name} is configured. Set one up first, if visitors shall find the"
            )?;
            writeln!(out, "      new place: domains.redirects in the dashboard, and in [domains] of this program")?;
        }
    }
    writeln!(out, "2 [ ] In the dashboard under Domains open the menu next to {name}, and choose Remove.")?;
    writeln!(out, "      Traffic stops being served at once.")?;
    writeln!(out, "3 [ ] Say so: petstore domains remove {name} --done")?;
    writeln!(
        out,
        "4 [ ] At your DNS provider delete the CNAME: whoever adds the name to a project of theirs gets your visitors"
    )
}

/// After the removal: the record that was left.
async fn left_behind(
    domain: &Domain,
    settings: &crate::domains::check_options::CheckOptions,
    list: &Registry,
    args: &RemoveArgs,
) -> Result<Exit, Failed> {
    let reported = reported(list, domain, &args.probe, settings);
    let checked = check(settings, list.get(&domain.name), domain, &reported, &[], &ProbeCache::default(), None).await;
    let name = &domain.name;
    match checked.measurement.leads_to_platform() {
        Some(true) => print(|out| {
            writeln!(out, "FAIL   The record of {} is still there", domain.unicode)?;
            writeln!(
                out,
                "       Do: at your DNS provider delete it now: whoever adds the name to a project of theirs gets your"
            )?;
            writeln!(out, "       visitors. Then: petstore domains remove {name} --forget")
        })
        .map(|()| Exit::DomainFails),
        Some(false) => {
            note(&format!("no record leads to the platform. Off the list: petstore domains remove {name} --forget"));
            Ok(Exit::Done)
        }
        None => {
            let decides = deciding(&checked.findings);
            print(|out| decides.into_iter().try_for_each(|it| words::finding(out, it, checked.at, columns(), false)))?;
            let why = if checked.measurement.known { "it cannot be told" } else { "nothing could be measured" };
            let what = format!("{why}: a record of {} may still lead to the platform", domain.unicode);
            Err(Failed::new(Exit::Failure, what)
                .hint(format!("it stays on the list; look again: petstore domains remove {name} --done")))
        }
    }
}
