//! The list of domains: `add`, `show`, `saved`, `verified` and `remove`. Only `remove` makes requests: it checks the redirect
//! first.

use std::io::{self, Write as _};

use jiff::Timestamp;
use serde_json::json;

use crate::app::domain_progress::{DomainRoles, leads_on};
use crate::app::domain_service::existing;
use crate::clock;
use crate::config::file::Domains as Configured;
use crate::domains::check::{Checked, FollowedRedirect, follow};
use crate::domains::finding::deciding;
use crate::domains::parse_name;
use crate::domains::probe::cache::ProbeCache;
use crate::domains::redirect_config;
use crate::domains::registry::{Entry, Registry, RegistryChange, RegistryError, RegistryFile};
use crate::domains::reported::{Dated, Event};
use crate::domains::stage::{Measurement, Stage, status};
use crate::domains::{DnsName, Domain, Verdict};

use super::super::confirm::ask;
use super::super::error::{Exit, Failed};
use super::super::output::note;
use super::super::render::{ResultFormat, print, print_json};
use super::answer::{Answer, exit_of};
use super::args::{AddArgs, RemoveArgs, ShowArgs, VerifiedArgs, WhenArgs};
use super::check::keep;
use super::json;
use super::list::ListRow;
use super::settings::{configured_domains, domain_setup, need_name, platform_host, prepare};
use super::words::{self, next_step};

/// `petstore domains add`. For a domain on the list, it can set a new value.
pub fn add(args: &AddArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let host = platform_host(args.platform_host.as_deref(), configured)?;
    let list = file.read()?;
    let at = clock::now().wall;
    let mut known = existing(host.as_ref(), &list.domains);
    known.listed.extend(configured.redirects.iter().map(|redirect| DnsName::new(&redirect.from)));
    let brings_value = |entry: &&Entry| !entry.reported().removed && host.is_some() && entry.reported().value != host;
    let fresh: Vec<DnsName> = list.domains.iter().filter(brings_value).map(|entry| entry.name.clone()).collect();
    known.listed.retain(|name| !fresh.contains(name));
    let reading = parse_name::read(&args.name, &known);
    if let Some(domain) = reading.domain.as_ref().filter(|_| !args.dry_run) {
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
    let (format, about) = (args.output.chosen(), json::domain(reading.domain.as_ref()));
    let exit = Answer { findings: &reading.findings, at, about }.print(format)?;
    if let (ResultFormat::Table, Some(Domain { name, unicode, registrable })) = (format, &reading.domain) {
        if args.dry_run {
            let label = name.relative_to(registrable);
            note(&format!("{name} is {label} in {registrable}; nothing was changed"));
            return Ok(exit);
        }
        note(&match &host {
            Some(host) => {
                format!("{unicode} is on the list, with the value {host}. Next: petstore domains records {name}")
            }
            None => format!("{unicode} is on the list. Next: {}", next_step(Stage::Draft, name)),
        });
    }
    Ok(exit)
}

/// The entry of a domain, or a failure with the command that adds it.
fn entry<'a>(list: &'a Registry, domain: &Domain) -> Result<&'a Entry, Failed> {
    list.get(&domain.name).ok_or_else(|| {
        Failed::new(Exit::NotFound, format!("{} is not on the list", domain.unicode))
            .hint(format!("petstore domains add {} --platform-host VALUE", domain.name))
    })
}

/// `petstore domains show`.
pub fn show(args: &ShowArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let domain = need_name(&args.name)?;
    let list = file.read()?;
    let entry = entry(&list, &domain)?;
    let setup = domain_setup(configured)?;
    let row = ListRow::of(entry, &setup, &DomainRoles::of(&setup.configuration), clock::now().wall);
    let reported = setup.reported(entry);
    if args.output.chosen() == ResultFormat::Json {
        let more = json!({ "value": reported.value, "events": entry.events, "measurements": entry.measurements });
        print_json(&json::with(row.json(), more))?;
        return Ok(Exit::Done);
    }
    let time = |at: Option<Timestamp>| match at {
        None => "-".to_owned(),
        Some(at) => at.to_zoned(clock::time_zone()).strftime("%Y-%m-%d %H:%M %Z").to_string(),
    };
    let last = entry.measurements.last();
    let checked = last.map_or_else(
        || "never".to_owned(),
        |last| {
            let verdict = last.verdict.as_str().to_uppercase();
            format!("{}: {verdict}, {} [{}]", time(Some(last.at)), last.title, last.code)
        },
    );
    // While waiting, the expected time is more useful than the fix.
    let is_act = |last: &&Measurement| last.verdict > Verdict::Ok && last.until.is_none() && !last.fix.is_empty();
    let facts = [
        ("State", row.state.to_string()),
        ("Role", row.role.to_owned()),
        ("Value", reported.value.map_or("unknown: the dashboard shows it".to_owned(), |value| value.to_string())),
        ("Added", time(reported.added)),
        ("Saved", time(reported.saved)),
        ("Verify", time(reported.verified)),
        ("Checked", checked),
        ("Next", last.filter(is_act).map_or(row.next, |last| last.fix.clone())),
    ];
    print(|out| {
        writeln!(out, "{}", domain.unicode)?;
        facts.iter().try_for_each(|(label, fact)| writeln!(out, "  {label:<10}{fact}"))
    })?;
    Ok(Exit::Done)
}

/// `petstore domains saved`.
pub fn saved(args: &WhenArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let name = record(args, Event::Saved, configured, file)?;
    note(&format!("recorded. DNS changes can take up to 48 hours. To check: petstore domains check {name}"));
    Ok(Exit::Done)
}

/// `petstore domains verified`. If Verify would fail by what is known, it asks first.
pub fn verified(args: &VerifiedArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    if !args.yes
        && let Some(doubt) = doubt(&args.when, configured, file)?
    {
        match ask(&format!("{doubt}. Did you choose Verify anyway?"), false) {
            Some(true) => {}
            Some(false) => return Err(Failed::new(Exit::Usage, "nothing was recorded")),
            None => return Err(Failed::new(Exit::Usage, doubt).hint("to record it anyway: --yes")),
        }
    }
    let name = record(&args.when, Event::Verified, configured, file)?;
    note(&format!(
        "recorded. The certificate usually follows within a couple of minutes. To wait for it: petstore domains watch {name}"
    ));
    Ok(Exit::Done)
}

/// Why Verify cannot have succeeded, by the last check, or because the record was never saved.
fn doubt(args: &WhenArgs, configured: &Configured, file: &RegistryFile) -> Result<Option<String>, Failed> {
    let domain = need_name(&args.name)?;
    let list = file.read()?;
    let entry = entry(&list, &domain)?;
    let reported = domain_setup(configured)?.reported(entry);
    let name = &domain.unicode;
    Ok(match entry.measurements.iter().rev().find(|measured| measured.known) {
        _ if reported.value.is_none() => None,
        Some(last) if reported.saved > Some(last.at) => None,
        Some(last) if !status(&reported, &entry.measurements, last.at).state.may_verify() => {
            Some(format!("Verify would fail for {name}: {}", last.title))
        }
        None if reported.saved.is_none() => Some(format!("the record of {name} was never saved or checked")),
        _ => None,
    })
}

/// Records an event, and returns the name of the domain.
fn record(args: &WhenArgs, event: Event, configured: &Configured, file: &RegistryFile) -> Result<DnsName, Failed> {
    let domain = need_name(&args.name)?;
    let host = platform_host(None, configured)?;
    let now = clock::now().wall;
    let at = args.at.unwrap_or(now);
    if at > now {
        return Err(Failed::config(format!("--at {at} is in the future")).hint("use the time when it was done"));
    }
    file.change(|list| {
        let value = entry(list, &domain)?.reported().value.or(host);
        if value.is_none() {
            let what = format!("{} has no value yet, so there is no record to save", domain.unicode);
            return Err(Failed::config(what).hint(next_step(Stage::Draft, &domain.name)));
        }
        list.note(&domain.name, Dated { at, event });
        Ok::<_, Failed>(())
    })?;
    Ok(domain.name)
}

/// `petstore domains remove`.
pub async fn remove(args: RemoveArgs, configured: &Configured, file: &RegistryFile) -> Result<Exit, Failed> {
    let (subject, list) = prepare(&args.name, &args.probe, configured, file)?;
    let domain = &subject.domain;
    entry(&list, domain)?;
    if args.forget {
        file.apply(&[RegistryChange::Forgotten(domain.name.clone())])?;
        note(&format!("{} removed from the list", domain.unicode));
        return Ok(Exit::Done);
    }
    let at = clock::now().wall;
    let event = if args.done { Event::Removed } else { Event::RemovalPlanned };
    file.apply(&[RegistryChange::Reported(domain.name.clone(), Dated { at, event })])?;
    if args.done {
        let (subject, _) = prepare(&args.name, &args.probe, configured, file)?;
        let checked = subject.check(&ProbeCache::default(), None).await;
        keep(&args.probe, file, std::slice::from_ref(&checked))?;
        return left_behind(&checked);
    }
    let redirects = redirect_config::check(configured_domains(configured), &[]).configuration;
    let redirect = redirects.into_iter().flat_map(|c| c.redirects).find(|redirect| redirect.from == domain.name);
    let followed = match redirect {
        Some(redirect) => Some(follow(&subject.options, redirect).await),
        None => None,
    };
    print(|out| plan(out, domain, followed.as_ref(), at))?;
    Ok(followed.map_or(Exit::Done, |followed| exit_of(&followed.findings)))
}

fn plan(
    out: &mut impl io::Write,
    domain: &Domain,
    redirect: Option<&FollowedRedirect>,
    at: Timestamp,
) -> io::Result<()> {
    let name = &domain.name;
    writeln!(out, "To remove {}, in this order:\n", domain.unicode)?;
    match redirect {
        Some(FollowedRedirect { redirect, findings, .. }) => {
            let mark = if leads_on(findings) { "x" } else { " " };
            writeln!(out, "1 [{mark}] Redirect to {} with {}", redirect.to, redirect.status)?;
            words::findings(out, findings, at, false)?;
        }
        None => {
            writeln!(out, "1 [ ] Redirect: {name} has none. If visitors should find the new place, set one up first:")?;
            writeln!(out, "      domains.redirects in the dashboard, and [domains] in petstore's configuration")?;
        }
    }
    writeln!(out, "2 [ ] In the dashboard under Domains, open the menu next to {name} and choose Remove.")?;
    writeln!(out, "      The site at this name goes offline at once.")?;
    writeln!(out, "3 [ ] Record it: petstore domains remove {name} --done")?;
    writeln!(
        out,
        "4 [ ] At your DNS provider, delete the CNAME: anyone who adds this name to their project gets your visitors"
    )
}

/// After the removal: the record left behind.
fn left_behind(checked: &Checked) -> Result<Exit, Failed> {
    let domain = &checked.domain;
    let name = &domain.name;
    match checked.measurement.leads_to_platform() {
        Some(true) => print(|out| {
            writeln!(out, "FAIL   The record of {} is still there", domain.unicode)?;
            writeln!(
                out,
                "       Do: at your DNS provider, delete it now: anyone who adds this name to their project gets your"
            )?;
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
            let decides = deciding(&checked.findings);
            print(|out| words::findings(out, decides, checked.at, false))?;
            let why = if checked.measurement.known { "unclear result" } else { "the check failed" };
            let what = format!("{why}: a record of {} may still point to the platform", domain.unicode);
            Err(Failed::new(Exit::Failure, what)
                .hint(format!("it stays on the list. To check again: petstore domains remove {name} --done")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::redirect_config::Redirect;
    use crate::domains::{Code, Finding, Who};

    #[test]
    fn a_redirect_that_works_is_ticked_even_with_warnings() {
        let domain = parse_name::domain("old.example.com").unwrap();
        let (at, [from, to]) = (Timestamp::UNIX_EPOCH, ["old.example.com", "www.example.com"].map(DnsName::new));
        for (code, verdict, mark) in [
            (Code::RdOk, Verdict::Ok, "1 [x]"),
            (Code::RdStatus, Verdict::Warn, "1 [x]"),
            (Code::RdLoop, Verdict::Fail, "1 [ ]"),
        ] {
            let redirect = Redirect { from: from.clone(), to: to.clone(), status: 301 };
            let findings = vec![Finding::new(code, verdict, Who::Dashboard)];
            let followed = FollowedRedirect { redirect, at, findings, hops: Vec::new() };
            let mut out = Vec::new();
            plan(&mut out, &domain, Some(&followed), at).unwrap();
            assert!(String::from_utf8(out).unwrap().contains(mark), "{code}");
        }
    }
}
