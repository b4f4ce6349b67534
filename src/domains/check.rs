//! One look at a domain: it is measured and judged, and what came of it is kept in the list.

use jiff::{SignedDuration, Timestamp};

use crate::clock;

use super::catalogue::Code;
use super::check_options::CheckOptions;
use super::diagnosis::redirect::{Redirect, Walk, judge};
use super::diagnosis::{Case, Expectation, conflicting, diagnose};
use super::dns_name::{DnsName, Domain};
use super::finding::{Finding, Verdict};
use super::observation::{Data, Observations, RecordType};
use super::parse_name;
use super::probe::cache::ProbeCache;
use super::probe::{measure, redirects};
use super::record_export::Conflict;
use super::registry::{Entry, RegistryError, RegistryFile};
use super::reported::Reported;
use super::stage::{Measurement, Status, status};

/// A domain that was looked at.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The domain.
    pub domain: Domain,
    /// What was seen.
    pub seen: Observations,
    /// What it means.
    pub findings: Vec<Finding>,
    /// Where the domain stands.
    pub standing: Status,
    /// When.
    pub at: Timestamp,
    /// For the list.
    pub measurement: Measurement,
}

/// What is told while a check goes on: all findings so far, and the time.
pub type OnFindings<'a> = &'a (dyn Fn(&[Finding], Timestamp) + Sync);

/// Looks at one domain. `entry` is its place in the list, if it has one; `about_name` what was said of its name.
/// `progress` gets the findings as they come, each time all that are known.
pub async fn check(
    settings: &CheckOptions,
    entry: Option<&Entry>,
    domain: &Domain,
    reported: &Reported,
    about_name: &[Finding],
    memory: &ProbeCache,
    progress: Option<OnFindings<'_>>,
) -> Checked {
    let earlier: Vec<(String, Timestamp)> =
        entry.and_then(|entry| entry.measurements.last()).map(|last| last.held.clone()).unwrap_or_default();
    let judge = |seen: &Observations| {
        let at = now(settings);
        let case = Case { domain, expectation: &settings.expectation, reported, seen, earlier: &earlier, now: at };
        (diagnose(&case), at)
    };
    let tell = |seen: &Observations| {
        if let Some(progress) = progress {
            let (findings, at) = judge(seen);
            progress(&findings, at);
        }
    };
    let seen = measure(settings, domain, memory, progress.is_some().then_some(&tell)).await;
    let (mut findings, at) = judge(&seen);
    let measurement = Measurement::of(&findings, held(domain, &seen), at);
    let beside: Vec<Finding> = about_name.iter().filter(|finding| still_matters(finding, &findings)).cloned().collect();
    findings.extend(beside);
    let mut measurements = entry.map(|entry| entry.measurements.clone()).unwrap_or_default();
    measurements.push(measurement.clone());
    let standing = status(reported, &measurements, at);
    Checked { domain: domain.clone(), seen, findings, standing, at, measurement }
}

/// The time of a check.
#[must_use]
pub fn now(settings: &CheckOptions) -> Timestamp {
    let now = settings.now.unwrap_or_else(|| clock::now().wall);
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}

/// The settings for one domain: the value told for it wins over the configured one.
#[must_use]
pub fn with_value(settings: &CheckOptions, reported: &Reported) -> CheckOptions {
    let mut settings = settings.clone();
    if reported.value.is_some() {
        settings.expectation.platform_host.clone_from(&reported.value);
    }
    settings
}

/// Keeps the measurements of domains that are on the list.
pub fn keep(file: &RegistryFile, checked: &[Checked]) -> Result<(), RegistryError> {
    let list = file.read()?;
    if !checked.iter().any(|checked| list.get(&checked.domain.name).is_some()) {
        return Ok(());
    }
    file.change(|list| {
        for checked in checked {
            if let Some(entry) = list.get_mut(&checked.domain.name) {
                entry.keep(checked.measurement.clone());
            }
        }
        Ok(())
    })
}

/// Follows one redirect and judges it; the time is that of the judgement. Where the name that redirects is no public
/// domain nothing is asked, and the finding says why.
pub async fn walk_redirect(settings: &CheckOptions, redirect: &Redirect) -> (Walk, Vec<Finding>, Timestamp) {
    match parse_name::domain(redirect.from.as_str()) {
        Ok(from) => {
            let (walked, at) = redirects::walk(settings, &from, redirect).await;
            let findings = judge(redirect, &walked, at);
            (walked, findings, at)
        }
        Err(refusal) => (Walk::default(), vec![*refusal], now(settings)),
    }
}

impl Checked {
    /// What was judged, for those who want to know more of it than the findings.
    #[must_use]
    pub fn case<'a>(&'a self, expectation: &'a Expectation, reported: &'a Reported) -> Case<'a> {
        Case { domain: &self.domain, expectation, reported, seen: &self.seen, earlier: &[], now: self.at }
    }

    /// The records at the name that must go before the new one can stand there.
    #[must_use]
    pub fn conflicts(&self, expectation: &Expectation, reported: &Reported) -> Vec<Conflict> {
        let mut conflicts: Vec<Conflict> = Vec::new();
        for record in conflicting(&self.case(expectation, reported)) {
            let kind = record.data.kind().to_string();
            let value = match &record.data {
                Data::Other(_) | Data::Malformed(_) => continue,
                data => data.presentation(),
            };
            match conflicts.iter_mut().find(|conflict| conflict.kind == kind) {
                Some(conflict) => conflict.values.push(value),
                None => conflicts.push(Conflict { kind, ttl: record.ttl, values: vec![value] }),
            }
        }
        conflicts
    }

    /// The zone that the record is entered in.
    #[must_use]
    pub fn zone(&self) -> DnsName {
        let own = |zone: &&DnsName| **zone != self.domain.name || self.domain.is_apex();
        self.seen.zone.as_ref().filter(own).unwrap_or(&self.domain.registrable).clone()
    }
}

/// What was said of the name before it was looked at, unless the look disproved it: a name that has a trusted
/// certificate is not out of reach of every authority, and one that is answered has a top-level domain.
fn still_matters(about_name: &Finding, findings: &[Finding]) -> bool {
    // Where nothing was measured, a well-formed name must not look like a domain that is all right.
    if findings.iter().all(|finding| finding.verdict == Verdict::Unknown) {
        return false;
    }
    match about_name.code {
        Code::InReserved => {
            !findings.iter().any(|finding| matches!(finding.code, Code::TlsOk | Code::TlsSoon | Code::TlsOld))
        }
        Code::InUnknownTld => findings.iter().any(|finding| matches!(finding.code, Code::NotDelegated | Code::Offline)),
        Code::InOk => false,
        _ => true,
    }
}

/// Until when each resolver keeps what it answered.
fn held(domain: &Domain, seen: &Observations) -> Vec<(String, Timestamp)> {
    let lookups = seen.resolvers(&domain.name, RecordType::A);
    let until = lookups.filter_map(|lookup| {
        let left = lookup.reply()?.at(&domain.name).map(|record| record.ttl).max()?;
        let until = lookup.at.checked_add(SignedDuration::from_secs(left.into())).ok()?;
        Some((lookup.server.name.clone(), until))
    });
    until.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::reported::{Dated, Event};

    const NAME: &str = "docs.acme.com";

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn checked(zone: Option<&str>) -> Checked {
        let measurement = Measurement::of(&[], Vec::new(), at(1));
        Checked {
            domain: parse_name::domain(NAME).unwrap(),
            seen: Observations { zone: zone.map(DnsName::new), ..Observations::default() },
            findings: Vec::new(),
            standing: status(&Reported::default(), &[], at(1)),
            at: at(1),
            measurement,
        }
    }

    #[test]
    fn the_record_is_entered_in_the_zone_above_the_name() {
        for (zone, expected) in
            [(None, "acme.com"), (Some("acme.com"), "acme.com"), (Some("com"), "com"), (Some(NAME), "acme.com")]
        {
            assert_eq!(checked(zone).zone(), DnsName::new(expected), "{zone:?}");
        }
    }

    #[test]
    fn the_value_that_was_told_wins_over_the_configured_one() {
        let host = |host: &str| Some(DnsName::new(host));
        let settings =
            CheckOptions::new(Expectation { platform_host: host("a.net"), ..Expectation::default() }, vec![]);
        let value = |value| with_value(&settings, &Reported { value, ..Reported::default() }).expectation.platform_host;
        assert_eq!(value(host("b.net")), host("b.net"));
        assert_eq!(value(None), host("a.net"));
    }

    #[test]
    fn only_domains_of_the_list_are_kept_and_no_list_is_made_for_others() {
        let dir = tempfile::tempdir().unwrap();
        let file = RegistryFile::new(dir.path().join("domains.json"));
        keep(&file, &[checked(None)]).unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let added = Dated { at: at(0), event: Event::Added };
        file.change(|list| {
            list.note(&DnsName::new(NAME), added);
            Ok::<_, RegistryError>(())
        })
        .unwrap();
        keep(&file, &[checked(None)]).unwrap();
        let list = file.read().unwrap();
        assert_eq!(list.get(&DnsName::new(NAME)).unwrap().measurements, [checked(None).measurement]);
    }

    #[tokio::test]
    async fn a_redirect_from_what_is_no_domain_is_a_finding() {
        let settings = CheckOptions { now: Some(at(5)), ..CheckOptions::new(Expectation::default(), vec![]) };
        let redirect = Redirect { from: DnsName::new("localhost"), to: DnsName::new(NAME), status: 301 };
        let (walk, findings, time) = walk_redirect(&settings, &redirect).await;
        assert!(walk.https.hops.is_empty());
        assert_eq!((findings.first().unwrap().verdict, time), (Verdict::Fail, at(5)));
    }
}
