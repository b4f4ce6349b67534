//! One check of a domain: measure it, judge it, and store the result in the list.

use jiff::Timestamp;

use crate::clock;

use super::RecordType::{A, AAAA, CAA, CNAME, MX, TXT};
use super::diagnosis::redirect::judge;
use super::diagnosis::{diagnose, remember};
use super::probe::{OnProgress, measure, redirects};
use super::providers::Provider;
use super::vantage_points::views;
use super::{
    CheckOptions, Code, Conflict, Data, DnsName, DnsRecord, Domain, DomainProgress, Entry, Evidence, ExistingDomains,
    Facts, Finding, Hop, Mark, Measurement, Observations, ProbeCache, Redirect, RegistryChange, RegistryError,
    RegistryFile, Reported, Stage, Topic, Verdict, View, ViewVerdict, Who, last_known, overall, parse_name,
};

/// A domain to check, and what is known of it.
#[derive(Clone, Debug)]
pub struct Subject {
    pub domain: Domain,
    /// The check options, with the value of this domain.
    pub options: CheckOptions,
    pub reported: Reported,
    /// Earlier results, the latest last.
    pub measurements: Vec<Measurement>,
}

/// A domain that was checked.
#[derive(Clone, Debug)]
pub struct Checked {
    pub domain: Domain,
    pub reported: Reported,
    pub seen: Observations,
    pub findings: Vec<Finding>,
    /// How far the domain is, and what comes next.
    pub progress: DomainProgress,
    pub at: Timestamp,
    /// The result for the list.
    pub measurement: Measurement,
    /// What each server sees at its name: none is worse than the findings.
    pub views: Vec<View>,
    /// The records at the name that must be deleted before the new one can be added.
    pub conflicts: Vec<Conflict>,
    /// The zone that the record is entered in.
    pub zone: DnsName,
    /// The report for support, if it was asked for.
    pub report: String,
}

impl Subject {
    /// A domain, with its entry in the list if it has one. The value reported for it takes precedence over that of
    /// `options`.
    pub fn new(options: &CheckOptions, entry: Option<&Entry>, domain: Domain, reported: Reported) -> Self {
        let mut options = options.clone();
        let value = reported.value.clone().or(options.expectation.platform_host);
        options.expectation.platform_host = value.clone();
        let measurements = entry.map(|entry| entry.measurements.clone()).unwrap_or_default();
        Self { domain, options, reported: Reported { value, ..reported }, measurements }
    }

    /// Checks it.
    pub async fn check(&self, cache: &ProbeCache, progress: Option<OnProgress<'_>>) -> Checked {
        let Self { domain, options, reported, measurements } = self;
        let expectation = &options.expectation;
        let last = measurements.last();
        let earlier = last.map(|last| &last.caches);
        let options = &CheckOptions {
            source_first: self.is_not_there_yet(),
            caa_was_wrong: last.is_some_and(|last| !last.caa),
            ..options.clone()
        };
        let seen = measure(options, domain, cache, progress).await;
        let at = now(options);
        let facts = Facts::new(domain, expectation, reported, &seen, earlier, at);
        let (mut findings, caches) = (diagnose(&facts), remember(&facts));
        let about_name = parse_name::read(domain.name.as_str(), &ExistingDomains::default()).findings;
        let still_matter: Vec<Finding> = about_name.into_iter().filter(|it| still_matters(it, &findings)).collect();
        findings.extend(still_matter);
        let good = seen.handshakes.iter().filter_map(|it| it.good_leaf(domain.name.as_str()));
        let expires = good.map(|leaf| leaf.not_after).min();
        let measured = Measurement::of(&findings, at);
        let elsewhere = measured.elsewhere && !facts.leads_into_platform();
        let measurement = Measurement { caches, expires, elsewhere, ..measured };
        let all = [measurements.as_slice(), std::slice::from_ref(&measurement)].concat();
        let progress = DomainProgress::of(&all, reported, None, at);
        // That the platform no longer knows the name tells to delete the record, and until then visitors meet what fails in
        // the site; else the progress tells what to do.
        let is_in_service = progress.stage == Stage::RemovalPlanned && measurement.record;
        let is_done_with = |finding: &&mut Finding| {
            let is_met = finding.fails() && finding.code.topic() >= Topic::Certificate;
            let is_fault = is_in_service && is_met && !finding.code.is(Mark::NotYetCertificate);
            reported.is_being_removed() && finding.code != Code::Http404Project && !is_fault
        };
        // It is seen, and calls for nothing.
        for finding in findings.iter_mut().filter(is_done_with).filter(|it| it.verdict > Verdict::Ok) {
            (finding.verdict, finding.who, finding.until) = (Verdict::Ok, Who::Nobody, None);
            finding.fix.clear();
        }
        findings.sort_by_key(Finding::rank);
        let facts = Facts::new(domain, expectation, reported, &seen, Some(&measurement.caches), at);
        let (views, conflicts) = (views_beside(&findings, &facts), conflicts(&facts));
        let zone = facts.zone().clone();
        let (domain, reported, report) = (domain.clone(), reported.clone(), String::new());
        Checked { domain, reported, seen, findings, progress, at, measurement, views, conflicts, zone, report }
    }

    /// Whether the record is not expected to be there: the last check did not find it, or it was not saved yet.
    fn is_not_there_yet(&self) -> bool {
        match last_known(&self.measurements) {
            Some(last) => last.code.parse().is_ok_and(|code: Code| code.is(Mark::Missing)),
            None => self.reported.added.is_some() && self.reported.saved.is_none(),
        }
    }
}

/// The time of a check.
pub fn now(settings: &CheckOptions) -> Timestamp {
    let now = settings.now.unwrap_or_else(|| clock::now().wall);
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}

/// Keeps the measurements of domains that are on the list.
pub fn keep(file: &RegistryFile, checked: &[Checked]) -> Result<(), RegistryError> {
    let list = file.read()?;
    let listed = checked.iter().filter(|checked| list.get(&checked.domain.name).is_some());
    let measured = listed
        .map(|checked| RegistryChange::Measured(checked.domain.name.clone(), Box::new(checked.measurement.clone())));
    file.apply(&measured.collect::<Vec<_>>()).map(drop)
}

/// The result of following a redirect.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowedRedirect {
    pub redirect: Redirect,
    pub at: Timestamp,
    pub findings: Vec<Finding>,
    /// Each step: the address, and what it answered.
    pub hops: Vec<String>,
}

/// Follows one redirect and judges it. If the name that redirects is not a public domain, nothing is asked, and the
/// finding says why.
pub async fn follow(options: &CheckOptions, redirect: Redirect) -> FollowedRedirect {
    let from = match parse_name::domain(redirect.from.as_str()) {
        Ok(from) => from,
        Err(refusal) => {
            return FollowedRedirect { redirect, at: now(options), findings: vec![*refusal], hops: Vec::new() };
        }
    };
    let (walk, at) = redirects::walk(options, &from, &redirect).await;
    let findings = judge(&redirect, &walk, at);
    let trail = if walk.https.hops.is_empty() { &walk.http } else { &walk.https };
    let hop = |hop: &Hop| {
        let step = Evidence::from(hop);
        let kept = hop.kept().map_or_else(String::new, |kept| format!(" ({kept})"));
        format!("{} -> {}{kept}", step.question, step.answer)
    };
    let hops = trail.hops.iter().map(hop).collect();
    FollowedRedirect { redirect, at, findings, hops }
}

impl Checked {
    /// Adds what is not known yet, if anything could be measured; the measurement for the list stays as it is.
    pub fn add(&mut self, findings: Vec<Finding>) {
        let is_new = |new: &Finding| self.measurement.known && self.findings.iter().all(|known| known.code != new.code);
        let new: Vec<Finding> = findings.into_iter().filter(is_new).collect();
        self.findings.extend(new);
        self.findings.sort_by_key(Finding::rank);
    }

    /// The record that it needs with this value, where it is typed in.
    pub fn record(&self, value: DnsName) -> DnsRecord {
        let provider = Provider::of(&self.seen.delegated);
        DnsRecord { zone: self.zone.clone(), provider, ..DnsRecord::new(&self.domain, value) }
    }

    /// How far the domain is; `None` if nothing is known of its way: it is not on the list and has no value.
    pub fn stage(&self) -> Option<Stage> {
        self.reported.is_known().then_some(self.progress.stage)
    }

    /// The verdict: that of the findings; of a domain that is being removed, also what is left to do.
    pub fn verdict(&self) -> Verdict {
        let left = if self.is_removal() { self.progress.rank().0 } else { None };
        left.unwrap_or(Verdict::Unknown).max(overall(&self.findings))
    }

    /// Whether the removal decides what it is called and what comes next: it has begun, and the check did not fail.
    pub const fn is_removal(&self) -> bool {
        self.reported.is_being_removed() && self.measurement.known
    }

    /// The same in words.
    pub fn stage_words(&self) -> String {
        self.stage().map_or_else(|| "not on your list".to_owned(), |stage| stage.to_string())
    }

    /// The parts of the check that gave no result, for lack of what they need.
    pub fn not_checked(&self) -> Vec<&'static str> {
        let judged = self.findings.iter().filter(|it| it.verdict != Verdict::Unknown);
        let about = |topic| judged.clone().any(|it| it.code.topic() == topic);
        let parts = [
            ("the value of the record", self.reported.value.is_some()),
            ("CAA", about(Topic::Caa)),
            ("the certificate", about(Topic::Certificate)),
            ("the site", about(Topic::Http)),
        ];
        parts.into_iter().filter(|(_, checked)| !checked).map(|(part, _)| part).collect()
    }
}

/// What each server sees at the name: where the domain works, none is worse than that; where it is being removed, nothing
/// is expected.
fn views_beside(findings: &[Finding], facts: &Facts<'_>) -> Vec<View> {
    let is_dns = |it: &&Finding| it.code.topic() <= Topic::Record;
    let works = findings.iter().filter(is_dns).all(|it| it.verdict <= Verdict::Warn);
    let mut views = views(facts);
    for view in views.iter_mut().filter(|view| view.verdict == ViewVerdict::Wrong && works) {
        view.verdict = if facts.reported.is_being_removed() { ViewVerdict::Unjudged } else { ViewVerdict::Other };
    }
    views
}

/// The records at the name that must be deleted before the record from the dashboard can be added.
fn conflicts(facts: &Facts<'_>) -> Vec<Conflict> {
    let is_in_the_way = |kind| match kind {
        CNAME | A | AAAA => true,
        TXT | MX | CAA => !facts.domain.is_apex(),
        // HTTPS records are not read as far as a provider wants them written.
        _ => false,
    };
    let mut conflicts: Vec<Conflict> = Vec::new();
    for record in facts.source().own.iter().filter(|it| is_in_the_way(it.data.kind())) {
        let (kind, value) = (record.data.kind(), record.data.presentation());
        let is_right = kind == CNAME && facts.leads(&record.data);
        match conflicts.iter_mut().find(|it| it.kind == kind) {
            _ if is_right || matches!(record.data, Data::Malformed(_)) => {}
            Some(conflict) => conflict.values.push(value),
            None => conflicts.push(Conflict { kind, ttl: record.ttl, values: vec![value] }),
        }
    }
    conflicts
}

/// Whether a finding on the name still matters after the check: a name with a trusted certificate is not reserved after
/// all, and one that has answers has a known top-level domain.
fn still_matters(about_name: &Finding, findings: &[Finding]) -> bool {
    // If nothing was measured, a well-formed name must not look like a working domain.
    if findings.iter().all(|it| it.verdict == Verdict::Unknown) {
        return false;
    }
    match about_name.code {
        Code::InReserved => !findings.iter().any(|it| it.code.is(Mark::GoodCertificate)),
        Code::InUnknownTld => findings.iter().any(|finding| matches!(finding.code, Code::NotDelegated | Code::Offline)),
        Code::InOk => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domains::diagnosis::tests::{HOST, Seen, answer, cname};
    use crate::domains::{Dated, Event, Expectation, NextStep, Practice, PracticeStep};

    const NAME: &str = "docs.acme.com";

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn checked(zone: Option<&str>) -> Checked {
        let measurement = Measurement::of(&[], at(1));
        Checked {
            domain: parse_name::domain(NAME).unwrap(),
            reported: Reported::default(),
            seen: Observations { zone: zone.map(DnsName::new), ..Observations::default() },
            findings: Vec::new(),
            progress: DomainProgress::of(&[], &Reported::default(), None, at(1)),
            at: at(1),
            measurement,
            views: Vec::new(),
            conflicts: Vec::new(),
            zone: DnsName::default(),
            report: String::new(),
        }
    }

    #[test]
    fn the_record_is_entered_in_the_zone_above_the_name() {
        for (zone, expected) in
            [(None, "acme.com"), (Some("acme.com"), "acme.com"), (Some("com"), "com"), (Some(NAME), "acme.com")]
        {
            let Checked { domain, reported, seen, .. } = checked(zone);
            let expectation = Expectation::default();
            let facts = Facts::new(&domain, &expectation, &reported, &seen, None, at(1));
            assert_eq!(*facts.zone(), DnsName::new(expected), "{zone:?}");
        }
    }

    #[test]
    fn what_gave_no_result_is_listed_as_not_checked() {
        let mut checked = checked(None);
        assert_eq!(checked.not_checked(), ["the value of the record", "CAA", "the certificate", "the site"]);
        checked.reported.value = Some(DnsName::new("sites.platform.net"));
        checked.findings =
            vec![Finding::ok(Code::CaaNone), Finding::new(Code::V6Untested, Verdict::Unknown, Who::ThisMachine)];
        assert_eq!(checked.not_checked(), ["the certificate", "the site"]);
    }

    #[test]
    fn no_server_fails_where_the_domain_only_has_a_warning() {
        let edge = cname(NAME, "edge.acme.net");
        let mut checked = checked(Some("acme.com"));
        let expectation = Expectation { platform_host: Some(DnsName::new(HOST)), ..Expectation::default() };
        checked.seen = Seen::new().source(CNAME, answer(vec![edge])).0;
        let finding = |verdict| vec![Finding::new(Code::DnsChain, verdict, Who::DnsProvider)];
        for (verdict, expected) in [(Verdict::Fail, ViewVerdict::Wrong), (Verdict::Warn, ViewVerdict::Other)] {
            let Checked { domain, reported, seen, at, .. } = &checked;
            let facts = Facts::new(domain, &expectation, reported, seen, None, *at);
            let views: Vec<ViewVerdict> =
                views_beside(&finding(verdict), &facts).iter().map(|view| view.verdict).collect();
            assert_eq!(views, [expected]);
        }
    }

    #[tokio::test]
    async fn of_a_domain_that_is_removed_a_missing_record_is_no_failure() {
        let mut practice = Practice::new(at(0));
        let tell = |entry: &mut Entry, event| entry.note(Dated { at: at(0), event });
        let mut entry = Entry { name: DnsName::new(Practice::DOMAIN), events: Vec::new(), measurements: Vec::new() };
        let host = DnsName::new(Practice::PLATFORM_HOST);
        for event in [Event::Added, Event::Value { host }, Event::Saved, Event::RemovalPlanned] {
            tell(&mut entry, event);
        }
        let check = async |entry: &Entry, practice: &Practice| {
            let domain = parse_name::domain(Practice::DOMAIN).unwrap();
            let subject = Subject::new(&practice.options(at(60)), Some(entry), domain, entry.reported());
            subject.check(&ProbeCache::default(), None).await
        };
        let shown = |checked: &Checked| (checked.verdict(), checked.progress.next);
        // An A record is there, and the removal is planned.
        let checked = check(&entry, &practice).await;
        assert_eq!(shown(&checked), (Verdict::You, NextStep::Remove), "{:?}", checked.findings);
        practice.act(PracticeStep::DeleteA, at(1));
        tell(&mut entry, Event::Removed);
        let checked = check(&entry, &practice).await;
        assert_eq!(shown(&checked), (Verdict::Ok, NextStep::Forget), "{:?}", checked.findings);
        assert!(checked.findings.iter().all(|finding| finding.fix.is_empty()), "{:?}", checked.findings);
        practice.act(PracticeStep::AddCname, at(2));
        let checked = check(&entry, &practice).await;
        assert_eq!(shown(&checked), (Verdict::Fail, NextStep::DeleteRecord), "{:?}", checked.findings);
    }

    #[tokio::test]
    async fn a_planned_removal_does_not_silence_what_fails_in_a_site_that_is_in_service() {
        let practice = Practice::new(at(0));
        let mut list = practice.list();
        let name = DnsName::new(Practice::REDIRECTED);
        list.note(&name, Dated { at: at(0), event: Event::RemovalPlanned });
        let entry = list.get(&name).unwrap();
        let domain = parse_name::domain(name.as_str()).unwrap();
        let subject = Subject::new(&practice.options(at(60)), Some(entry), domain, entry.reported());
        let checked = subject.check(&ProbeCache::default(), None).await;
        assert_eq!((checked.verdict(), checked.progress.next), (Verdict::Fail, NextStep::Remove));
        assert_eq!(checked.findings[0].code, Code::RdLoop, "{:?}", checked.findings);
        assert!(!checked.findings[0].fix.is_empty());
    }

    #[test]
    fn the_reported_value_wins_over_the_configured_one() {
        let host = |host: &str| Some(DnsName::new(host));
        let settings =
            CheckOptions::new(Expectation { platform_host: host("a.net"), ..Expectation::default() }, vec![]);
        let value = |value| {
            let reported = Reported { value, ..Reported::default() };
            let subject = Subject::new(&settings, None, parse_name::domain(NAME).unwrap(), reported);
            assert_eq!(subject.reported.value, subject.options.expectation.platform_host);
            subject.reported.value
        };
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
        let followed = follow(&settings, redirect).await;
        assert!(followed.hops.is_empty());
        assert_eq!((overall(&followed.findings), followed.at), (Verdict::Fail, at(5)));
    }
}
