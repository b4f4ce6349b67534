//! The list of domains: `add`, `saved`, `verified` and `remove`. Only `remove` makes requests: it checks the record
//! and the redirect.

use std::io::Write as _;

use futures_util::future::OptionFuture;

use crate::app::domain_guide::{is_out, removal};
use crate::app::domain_service::existing;
use crate::cli::{Exit, Failed, note};
use crate::clock;
use crate::domains::check::follow;
use crate::domains::report::{paragraph, room};
use crate::domains::{
    Checked, Dated, DnsName, Domain, Entry, Event, NextStep, Registry, RegistryChange, RegistryError, Stage, deciding,
    last_known, parse_name, redirect_config,
};

use super::super::confirm::ask;
use super::super::output::columns;
use super::super::render::{ResultFormat, print};
use super::args::{AddArgs, RemoveArgs, VerifiedArgs, WhenArgs};
use super::json;
use super::settings::{Project, configured_domains, domain_setup, need_name, platform_host};
use super::words::{self, exit_of, next_step};

/// `petstore domains add`. For a domain on the list, it can set a new value.
pub fn add(args: &AddArgs, project: &Project<'_>) -> Result<Exit, Failed> {
    let host = platform_host(args.platform_host.as_deref(), project.configured)?;
    let list = project.file.read()?;
    let at = clock::now().wall;
    let mut known = existing(host.as_ref(), &list.domains);
    let brings_value = |entry: &&Entry| !entry.reported().removed && host.is_some() && entry.reported().value != host;
    known.listed.retain(|name| !list.get(name).as_ref().is_some_and(brings_value));
    let reading = parse_name::read(&args.name, &known);
    if let Some(domain) = reading.domain.as_ref().filter(|_| !args.dry_run) {
        project.file.change(|list| {
            if list.get(&domain.name).is_none_or(|entry| entry.reported().removed) {
                list.note(&domain.name, Dated { at, event: Event::Added });
            }
            if let Some(host) = host.clone() {
                list.note(&domain.name, Dated { at, event: Event::Value { host } });
            }
            Ok::<_, RegistryError>(())
        })?;
    }
    let (domain, findings) = (reading.domain.as_ref(), &reading.findings);
    let object = || json::with(json::findings(findings), json::domain(domain));
    args.output.write(|out| words::findings(out, findings, at, false), object)?;
    if let (ResultFormat::Table, Some(Domain { name, unicode, registrable })) = (args.output.chosen(), domain) {
        note(&match &host {
            _ if args.dry_run => {
                format!("{name} is {} in {registrable}; nothing was changed", name.relative_to(registrable))
            }
            Some(host) => {
                format!("{unicode} is on the list, with the value {host}. Next: petstore domains records {name}")
            }
            None => format!("{unicode} is on the list. Next: {}", next_step(NextStep::EnterValue, name)),
        });
    }
    Ok(exit_of(findings))
}

/// The entry of a domain, or a failure with the command that adds it.
fn entry<'a>(list: &'a Registry, domain: &Domain) -> Result<&'a Entry, Failed> {
    list.get(&domain.name).ok_or_else(|| {
        Failed::new(Exit::NotFound, format!("{} is not on the list", domain.unicode))
            .hint(format!("petstore domains add {} --platform-host VALUE", domain.name))
    })
}

/// `petstore domains saved`.
pub fn saved(args: &WhenArgs, project: &Project<'_>) -> Result<Exit, Failed> {
    let name = record(args, Event::Saved, project)?;
    note(&format!("recorded. DNS changes can take up to 48 hours. To check: petstore domains check {name}"));
    Ok(Exit::Done)
}

/// `petstore domains verified`. If Verify would fail by what is known, it asks first.
pub fn verified(args: &VerifiedArgs, project: &Project<'_>) -> Result<Exit, Failed> {
    if !args.yes
        && let Some(doubt) = doubt(&args.when, project)?
    {
        match ask(&format!("{doubt}. Did you choose Verify anyway?"), false) {
            Some(true) => {}
            Some(false) => return Err(Failed::new(Exit::Usage, "nothing was recorded")),
            None => return Err(Failed::new(Exit::Usage, doubt).hint("to record it anyway: --yes")),
        }
    }
    let name = record(&args.when, Event::Verified, project)?;
    note(&format!(
        "recorded. The certificate usually follows within a couple of minutes. To wait for it: petstore domains watch {name}"
    ));
    Ok(Exit::Done)
}

/// Why Verify cannot have succeeded, by the last check, or because the record was never saved.
fn doubt(args: &WhenArgs, project: &Project<'_>) -> Result<Option<String>, Failed> {
    let domain = need_name(&args.name)?;
    let list = project.file.read()?;
    let entry = entry(&list, &domain)?;
    let reported = domain_setup(project.configured)?.reported(entry);
    let name = &domain.unicode;
    Ok(match last_known(&entry.measurements) {
        _ if reported.value.is_none() => None,
        Some(last) if reported.saved > Some(last.at) => None,
        Some(last) if !Stage::of(&reported, &entry.measurements, last.at).may_verify() => {
            Some(format!("Verify would fail for {name}: {}", last.title))
        }
        None if reported.saved.is_none() => Some(format!("the record of {name} was never saved or checked")),
        _ => None,
    })
}

/// Records an event, and returns the name of the domain.
fn record(args: &WhenArgs, event: Event, project: &Project<'_>) -> Result<DnsName, Failed> {
    let domain = need_name(&args.name)?;
    let host = platform_host(None, project.configured)?;
    let now = clock::now().wall;
    let at = args.at.unwrap_or(now);
    if at > now {
        return Err(Failed::config(format!("--at {at} is in the future")).hint("use the time when it was done"));
    }
    project.file.change(|list| {
        let value = entry(list, &domain)?.reported().value.or(host);
        if value.is_none() {
            let what = format!("{} has no value yet, so there is no record to save", domain.unicode);
            return Err(Failed::config(what).hint(next_step(NextStep::EnterValue, &domain.name)));
        }
        list.note(&domain.name, Dated { at, event });
        Ok::<_, Failed>(())
    })?;
    Ok(domain.name)
}

/// `petstore domains remove`.
pub async fn remove(args: RemoveArgs, project: &Project<'_>) -> Result<Exit, Failed> {
    let subject = project.subject(&args.name, &args.probe)?;
    let domain = &subject.domain;
    entry(&project.file.read()?, domain)?;
    if args.forget {
        project.file.apply(&[RegistryChange::Forgotten(domain.name.clone())])?;
        note(&format!("{} removed from the list", domain.unicode));
        return Ok(Exit::Done);
    }
    let event = match args {
        RemoveArgs { keep: true, .. } => Event::RemovalDropped,
        RemoveArgs { done: true, .. } => Event::Removed,
        _ => Event::RemovalPlanned,
    };
    let at = clock::now().wall;
    project.file.apply(&[RegistryChange::Reported(domain.name.clone(), Dated { at, event })])?;
    if args.keep {
        note(&format!("the removal is called off: {} stays in service", domain.unicode));
        return Ok(Exit::Done);
    }
    // What was seen before says nothing of now.
    let subject = project.subject(&args.name, &args.probe)?;
    project.announce(&subject.options);
    let checked = project.check(&subject, &args.probe).await?;
    if args.done {
        return left_behind(&checked);
    }
    let domain = &subject.domain;
    let redirects = redirect_config::check(configured_domains(project.configured), &[]).configuration;
    let redirect = redirects.into_iter().flat_map(|c| c.redirects).find(|redirect| redirect.from == domain.name);
    let list = project.file.read()?;
    let entry = entry(&list, domain)?;
    let (stage, is_redirected) = (checked.progress.stage, redirect.is_some());
    let followed = redirect.filter(|_| !is_out(entry, stage)).map(|redirect| follow(&subject.options, redirect));
    let followed = OptionFuture::from(followed).await;
    let record = subject.reported.value.clone().map(|value| checked.record(value));
    let seen = is_redirected.then(|| followed.as_ref().ok_or(""));
    let steps = removal(entry, stage, seen, false, record.as_ref());
    print(|out| {
        writeln!(out, "The removal of {} has begun. To call it off:", domain.unicode)?;
        writeln!(out, "petstore domains remove {} --keep\n", domain.name)?;
        writeln!(out, "To remove {}, in this order:\n", domain.unicode)?;
        for (number, step) in (1..).zip(&steps) {
            write!(out, "{}", paragraph(&format!("{number} {} ", step.mark()), &step.text, room(columns())))?;
            if !step.seen.is_empty() {
                write!(out, "{}", paragraph("      ", &step.seen, room(columns())))?;
            }
        }
        writeln!(out, "\nThen: petstore domains remove {} --done checks what is left.", domain.name)
    })?;
    Ok(followed.map_or(Exit::Done, |followed| exit_of(&followed.findings)))
}

/// After the removal: the record left behind.
fn left_behind(checked: &Checked) -> Result<Exit, Failed> {
    let Domain { name, unicode, .. } = &checked.domain;
    match checked.measurement.leads_to_platform() {
        Some(true) => print(|out| {
            writeln!(out, "FAIL   The record of {unicode} is still there")?;
            let danger = "anyone who adds this name to their project gets your";
            writeln!(out, "       Do: at your DNS provider, delete it now: {danger}")?;
            writeln!(out, "       visitors. Then: petstore domains remove {name} --forget")
        })
        .map(|()| Exit::DomainFails),
        Some(false) => {
            note(&format!(
                "no record points to the platform. To take it off the list: petstore domains remove {name} --forget"
            ));
            Ok(Exit::Done)
        }
        None => {
            let decides = deciding(&checked.findings).map_or(&[][..], std::slice::from_ref);
            print(|out| words::findings(out, decides, checked.at, false))?;
            let why = if checked.measurement.known { "unclear result" } else { "the check failed" };
            let what = format!("{why}: a record of {unicode} may still point to the platform");
            Err(Failed::new(Exit::Failure, what)
                .hint(format!("it stays on the list. To check again: petstore domains remove {name} --done")))
        }
    }
}
