//! Checks a domain and reports the result: the first problem and its fix come first.

use super::prompt::Asked;
use super::session::Session;
use crate::app::domain_service::CheckRequest;
use crate::domains::report::headline;
use crate::domains::{
    Checked, Dated, DnsName, Domain, DomainProgress, Entry, Event, ExistingDomains, Finding, NextStep, Registry,
    RegistryChange, Verdict, deciding, full_sentence, parse_name, sentence, until_words,
};
use crate::model::words::list;
use crate::model::{counted, short};
use jiff::Timestamp;

const NAME_HELP: &str = "Type the number of a listed domain, or a name such as docs.example.com. You can paste an \
                         address.";
const VALUE_HELP: &str = "Type the host that the dashboard shows as the value of the record. It is not the domain \
                          itself.";

impl Session {
    /// Asks for a domain, checks it, and reports what is wrong and what to do.
    pub(super) async fn check_domain(&mut self) -> Asked<()> {
        let Some(list) = self.listed()? else { return Ok(()) };
        for (number, entry) in (1..).zip(&list.domains) {
            self.talk.say(format!("{number}: {}, {}", entry.name, self.progress(entry).summary))?;
        }
        let question = if list.domains.is_empty() { "Domain:" } else { "Domain, a number or a name:" };
        let read = |answer: &str| {
            let listed = answer.parse::<usize>().ok().and_then(|number| list.domains.get(number.checked_sub(1)?));
            read_name(listed.map_or(answer, |entry| entry.name.as_str()), &ExistingDomains::default())
        };
        let domain = self.talk.ask(question, NAME_HELP, read).await?;
        let entry = list.get(&domain.name);
        let value = match entry.and_then(|entry| entry.reported().value).or(self.setup.domains.platform_host.clone()) {
            Some(_) => None,
            None => self.ask_value("Value in the dashboard, press Enter if you do not know it:", None, &domain).await?,
        };
        match self.check(&domain, value).await? {
            Some(checked) => self.report(&checked, None),
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
    pub(super) fn record(&mut self, name: &DnsName, event: Event) -> Asked<bool> {
        let at = self.wall();
        let change = RegistryChange::Reported(name.clone(), Dated { at, event });
        match self.setup.domain_service.apply(&[change]) {
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
        let why_not = self.setup.domain_service.choose_resolvers(public).1;
        self.talk.say_all(why_not.map(|why| format!("Not saved: {why}")))
    }

    /// Checks a domain, with `value` if none is known. `None`, after a message, if the check failed.
    pub(super) async fn check(&mut self, domain: &Domain, value: Option<DnsName>) -> Asked<Option<Checked>> {
        let Some(list) = self.listed()? else { return Ok(None) };
        let known = list.get(&domain.name).cloned();
        let is_listed = known.is_some();
        let nothing = || Entry { name: domain.name.clone(), events: Vec::new(), measurements: Vec::new() };
        let mut entry = known.unwrap_or_else(nothing);
        entry.events.extend(value.map(|host| Dated { at: self.wall(), event: Event::Value { host } }));
        let task = CheckRequest { entry, detail: true, practice: self.setup.domains.practice_at(self.now()) };
        self.choose_resolvers().await?;
        self.talk.say(format!("Checking {}.", domain.unicode))?;
        // Boxed because the future is large.
        let checking = Box::pin(self.setup.domain_service.check(task, |_, _| {}));
        let checked = match self.talk.during(checking, || "Still checking.".to_owned()).await? {
            Ok(checked) => checked,
            Err(why) => return self.talk.say(why).map(|()| None),
        };
        if is_listed {
            let measured = RegistryChange::Measured(domain.name.clone(), Box::new(checked.measurement.clone()));
            self.talk.say_all(self.setup.domain_service.apply(&[measured]).err())?;
        }
        Ok(Some(checked))
    }

    /// Reports how a domain is, what to do now, and what else is wrong; in full only if something has changed since
    /// `before`.
    pub(super) fn report(&mut self, checked: &Checked, before: Option<&Checked>) -> Asked<()> {
        let Checked { domain, reported, findings, progress, measurement, at, .. } = checked;
        let decides = deciding(findings);
        self.talk.say(match decides {
            Some(_) if checked.is_removal() => format!("{}: {}.", domain.unicode, progress.summary),
            Some(decides) => headline(domain, decides),
            None => format!("No check of {} succeeded.", domain.unicode),
        })?;
        if let Some(decides) = decides.filter(|decides| decides.verdict != Verdict::Ok) {
            self.report_finding(decides, *at)?;
        }
        let before = before.filter(|before| before.progress.stage == progress.stage);
        if before.is_some_and(|before| before.measurement.says_the_same_as(measurement)) {
            return self.talk.say("Nothing has changed since the last check.");
        }
        let rest = findings.iter().filter(|finding| !decides.is_some_and(|decides| std::ptr::eq(*finding, decides)));
        for finding in rest.clone().filter(|finding| finding.verdict > Verdict::Ok) {
            let also = match finding.verdict {
                Verdict::Fail => "Also wrong",
                Verdict::Wait | Verdict::You => "Also pending",
                Verdict::Warn | Verdict::Ok | Verdict::Unknown => "Also note",
            };
            self.talk.say(format!("{also}: {}.", finding.title))?;
            self.report_finding(finding, *at)?;
        }
        let right = rest.filter(|finding| finding.verdict == Verdict::Ok).count();
        if right > 0 {
            self.talk.say(format!("Passed: {}.", counted(right, "check")))?;
        }
        if !reported.is_known() {
            return self.talk.say("It is not on your list.");
        }
        let stage = progress.stage.to_string().replace('-', " ").replace("dns", "DNS");
        self.talk.say(format!("Step: {stage}. {}", full_sentence(progress.next.words())))?;
        let is_verify = matches!(progress.next, NextStep::Verify | NextStep::Reverify);
        let record = "Then record it: in \"set up a domain\", choose \"I chose Verify in the dashboard\".";
        self.talk.say_all(is_verify.then_some(record))
    }

    fn report_finding(&mut self, finding: &Finding, at: Timestamp) -> Asked<()> {
        let texts = [("Found", &finding.seen), ("Do", &finding.fix)].into_iter().filter(|(_, text)| !text.is_empty());
        self.talk.say_all(texts.map(|(label, text)| format!("{label}: {}", sentence(text))))?;
        self.talk.say_all(finding.until.map(|until| format!("Wait until {}.", until_words(until, at))))
    }

    /// How far an entry of the list is.
    pub(super) fn progress(&self, entry: &Entry) -> DomainProgress {
        DomainProgress::of(&entry.measurements, &self.setup.domains.reported(entry), None, self.wall())
    }

    /// The time of day for domains: in practice it runs faster.
    pub(super) fn wall(&self) -> Timestamp {
        self.setup.domains.time(self.now())
    }
}

/// The domain in a typed name, or what is wrong with it.
pub(super) fn read_name(answer: &str, known: &ExistingDomains) -> Result<Domain, String> {
    let reading = parse_name::read(answer, known);
    reading.domain.ok_or_else(|| {
        let refused = reading.findings.iter().find(|finding| finding.fails());
        refused.map_or_else(
            || format!("\"{}\" is not a domain name.", short(answer)),
            |finding| format!("{}: {} {}", finding.title, sentence(&finding.seen), sentence(&finding.fix)),
        )
    })
}
