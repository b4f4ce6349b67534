//! Checks a domain and reports the result: the first problem and its fix come first.

use super::prompt::Asked;
use super::session::Session;
use super::words;
use crate::app::domain_service::{CheckRequest, CheckResult};
use crate::domains::finding::deciding;
use crate::domains::parse_name::{self, ExistingDomains};
use crate::domains::registry::{Entry, Registry, RegistryChange};
use crate::domains::report::{headline, sentence, until_words};
use crate::domains::reported::{Dated, Event, Reported};
use crate::domains::stage::{Stage, status};
use crate::domains::{DnsName, Domain, Finding, Verdict};
use crate::model::text::short;
use crate::model::words::{counted, list};

const NAME_HELP: &str = "Type the number of a listed domain, or a name such as docs.example.com. You can paste an \
                         address.";
const VALUE_HELP: &str = "Type the host that the dashboard shows as the value of the record. It is not the domain \
                          itself.";

/// A domain and the result of its check.
pub(super) struct CheckedDomain {
    pub(super) domain: Domain,
    pub(super) reported: Reported,
    pub(super) seen: CheckResult,
    pub(super) state: Stage,
}

impl Session {
    /// Asks for a domain, checks it, and reports what is wrong and what to do.
    pub(super) async fn check_domain(&mut self) -> Asked<()> {
        let Some(list) = self.listed()? else { return Ok(()) };
        let listed: Vec<DnsName> = list.domains.iter().map(|entry| entry.name.clone()).collect();
        for (number, entry) in (1..).zip(&list.domains) {
            let state = self.state_of(entry).map_or("not checked yet".to_owned(), words::state);
            self.talk.say(format!("{number}: {}, {state}", entry.name))?;
        }
        let question = if listed.is_empty() { "Domain:" } else { "Domain, a number or a name:" };
        let read = |answer: &str| match answer.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) {
            Some(at) if at < listed.len() => read_name(listed[at].as_str(), &ExistingDomains::default()),
            _ => read_name(answer, &ExistingDomains::default()),
        };
        let domain = self.talk.ask(question, NAME_HELP, read).await?;
        let value = match list.get(&domain.name).and_then(|entry| entry.reported().value) {
            Some(_) => None,
            None if self.setup.domains.platform_host.is_some() => None,
            None => self.ask_value("Value in the dashboard, press Enter if you do not know it:", None, &domain).await?,
        };
        match self.check(&domain, value).await? {
            Some(checked) => self.report(&checked),
            None => Ok(()),
        }
    }

    /// Asks for the value of the record. Enter chooses `enter`, if given.
    pub(super) async fn ask_value(
        &mut self,
        question: &str,
        enter: Option<&DnsName>,
        domain: &Domain,
    ) -> Asked<Option<DnsName>> {
        let read = |answer: &str| match answer {
            "" => Ok(enter.cloned()),
            answer => match read_name(answer, &ExistingDomains::default())?.name {
                own if own == domain.name => {
                    Err("That is the domain itself. Copy the host that the dashboard shows.".into())
                }
                host => Ok(Some(host)),
            },
        };
        self.talk.ask(question, VALUE_HELP, read).await
    }

    /// The list of domains; `None`, after a message, if it cannot be read.
    pub(super) fn listed(&mut self) -> Asked<Option<Registry>> {
        match self.setup.domain_service.apply(&[]) {
            Ok(list) => Ok(Some(list)),
            Err(why) => self.talk.say(why).map(|()| None),
        }
    }

    /// Records on disk what the operator has done. Whether that succeeded.
    pub(super) fn record(&mut self, name: &DnsName, events: Vec<Event>) -> Asked<bool> {
        let at = self.wall();
        let changes: Vec<RegistryChange> =
            events.into_iter().map(|event| RegistryChange::Reported(name.clone(), Dated { at, event })).collect();
        match self.setup.domain_service.apply(&changes) {
            Ok(_) => Ok(true),
            Err(why) => self.talk.say(format!("Not saved: {why}")).map(|()| false),
        }
    }

    /// Asks once whether names may be sent to public resolvers, before one is.
    pub(super) async fn choose_resolvers(&mut self) -> Asked<()> {
        let resolvers = self.setup.domain_service.resolvers();
        if !resolvers.ask_first {
            return Ok(());
        }
        let public = list(&resolvers.public);
        self.talk.say(format!("A check sends the domain to this machine's resolver, and to the public {public}."))?;
        self.talk.say("Your answer is saved; domains.resolvers in the configuration changes it.")?;
        let public = self.talk.is_yes("Ask them?", false).await?;
        match self.setup.domain_service.choose_resolvers(public).1 {
            Some(why) => self.talk.say(format!("Not saved: {why}")),
            None => Ok(()),
        }
    }

    /// Checks a domain, with `value` unless one is known. `None`, after a message, if the check failed.
    pub(super) async fn check(&mut self, domain: &Domain, value: Option<DnsName>) -> Asked<Option<CheckedDomain>> {
        let Some(list) = self.listed()? else { return Ok(None) };
        let known = list.get(&domain.name).cloned();
        let is_listed = known.is_some();
        let nothing = || Entry { name: domain.name.clone(), events: Vec::new(), measurements: Vec::new() };
        let entry = known.unwrap_or_else(nothing);
        let reported = self.setup.domains.reported(&entry);
        let reported = Reported { value: reported.value.or(value), ..reported };
        let sandbox = self.setup.domains.sandbox_at(self.now());
        let task = CheckRequest { entry: entry.clone(), reported: reported.clone(), detail: true, sandbox };
        self.choose_resolvers().await?;
        self.talk.say(format!("Checking {}.", domain.unicode))?;
        // Boxed because the future is large.
        let checking = Box::pin(self.setup.domain_service.check(task, |_, _| {}));
        let seen = match self.talk.during(checking, || "Still checking.".to_owned()).await? {
            Ok(seen) => seen,
            Err(why) => return self.talk.say(why).map(|()| None),
        };
        if is_listed {
            let measured = RegistryChange::Measured(domain.name.clone(), Box::new(seen.measurement.clone()));
            if let Err(why) = self.setup.domain_service.apply(&[measured]) {
                self.talk.say(why)?;
            }
        }
        let measurements = [entry.measurements, vec![seen.measurement.clone()]].concat();
        let state = status(&reported, &measurements, seen.at).state;
        Ok(Some(CheckedDomain { domain: domain.clone(), reported, seen, state }))
    }

    /// Reports how a domain is, what to do now, and what else is wrong.
    pub(super) fn report(&mut self, checked: &CheckedDomain) -> Asked<()> {
        let CheckedDomain { domain, seen, state, .. } = checked;
        self.report_cause(checked)?;
        let decides = deciding(&seen.findings);
        let rest =
            seen.findings.iter().filter(|finding| decides.is_none_or(|decides| !std::ptr::eq(*finding, decides)));
        let (wrong, right): (Vec<_>, Vec<_>) = rest.partition(|finding| finding.verdict > Verdict::Ok);
        for finding in wrong {
            let also = match finding.verdict {
                Verdict::Fail => "Also wrong",
                Verdict::Wait => "Also pending",
                Verdict::Warn | Verdict::Ok | Verdict::Unknown => "Also note",
            };
            self.talk.say(format!("{also}: {}.", finding.title))?;
            self.report_finding(finding, seen)?;
        }
        let right = right.iter().filter(|finding| finding.verdict == Verdict::Ok).count();
        if right > 0 {
            self.talk.say(format!("Passed: {}.", counted(right, "check")))?;
        }
        if !checked.reported.is_known() {
            return self.talk.say("It is not on your list.");
        }
        self.talk.say(format!("Step: {}. {}", words::state(*state), words::next_step(*state, &domain.name)))
    }

    /// The same after another check, in full only if something has changed.
    pub(super) fn report_again(&mut self, before: &CheckedDomain, checked: &CheckedDomain) -> Asked<()> {
        if before.state != checked.state || !before.seen.measurement.says_the_same_as(&checked.seen.measurement) {
            return self.report(checked);
        }
        self.report_cause(checked)?;
        self.talk.say("Nothing has changed since the last check.")
    }

    /// Reports how a domain is, and what to do about its first problem.
    fn report_cause(&mut self, checked: &CheckedDomain) -> Asked<()> {
        let CheckedDomain { domain, seen, .. } = checked;
        let Some(decides) = deciding(&seen.findings) else {
            return self.talk.say(format!("No check of {} succeeded.", domain.unicode));
        };
        self.talk.say(headline(domain, decides))?;
        if decides.verdict == Verdict::Ok { Ok(()) } else { self.report_finding(decides, seen) }
    }

    fn report_finding(&mut self, finding: &Finding, seen: &CheckResult) -> Asked<()> {
        if !finding.seen.is_empty() {
            self.talk.say(format!("Found: {}", sentence(&finding.seen)))?;
        }
        if !finding.fix.is_empty() {
            self.talk.say(format!("Do: {}", sentence(&finding.fix)))?;
        }
        match finding.until {
            Some(until) => self.talk.say(format!("Wait until {}.", until_words(until, seen.at))),
            None => Ok(()),
        }
    }

    /// The stage of an entry of the list; `None` if it was set up and never checked.
    pub(super) fn state_of(&self, entry: &Entry) -> Option<Stage> {
        let reported = self.setup.domains.reported(entry);
        let is_known = !entry.measurements.is_empty() || reported.verified.is_none();
        is_known.then(|| status(&reported, &entry.measurements, self.wall()).state)
    }

    /// The time of day for domains: in the sandbox it runs faster.
    pub(super) fn wall(&self) -> jiff::Timestamp {
        self.setup.domains.time(self.now())
    }
}

/// The domain in a typed name, or what is wrong with it.
pub(super) fn read_name(answer: &str, known: &ExistingDomains) -> Result<Domain, String> {
    let reading = parse_name::read(answer, known);
    reading.domain.ok_or_else(|| {
        let refused = reading.findings.iter().find(|finding| finding.verdict == Verdict::Fail);
        refused.map_or_else(
            || format!("\"{}\" is not a domain name.", short(answer)),
            |finding| format!("{}: {} {}", finding.title, sentence(&finding.seen), sentence(&finding.fix)),
        )
    })
}
