//! Sets up a domain: the name, the value from the dashboard, the record, and the steps until it is live.

use super::domains::read_name;
use super::prompt::Asked;
use super::session::Session;
use crate::app::domain_service::existing;
use crate::domains::{
    Checked, DnsName, Domain, Entry, Event, ExistingDomains, PRECONDITIONS, Practice, PracticeStep, Stage, parse_name,
};

const NAME_HELP: &str = "Type the name that visitors will use, such as docs.example.com. You can paste an address.";

/// The choices for a domain that is being set up. The order never changes: people learn the numbers.
const STEPS: [&str; 5] = [
    "check again",
    "read the record again",
    "spell the value of the record",
    "I saved the record at the DNS provider",
    "I chose Verify in the dashboard",
];
/// What to ask about a step that may be a mistake.
const SAVED_BEFORE: &str = "It was already saved. Did you save it again? That restarts the 48 hours.";
const TOO_EARLY: &str = "Verify would fail now. Did you choose it anyway?";
/// What to report once a step is recorded.
const SAVED: &str = "Recorded. DNS changes can take up to 48 hours.";
const VERIFIED: &str = "Recorded. The certificate usually follows within a couple of minutes.";
const SIMULATE: &str = "sandbox: simulate a step outside petstore";

impl Session {
    /// Starts with a new domain, or continues with one of the list.
    pub(super) async fn set_up_domain(&mut self) -> Asked<()> {
        let Some(list) = self.listed()? else { return Ok(()) };
        let is_open = |entry: &&Entry| {
            let is_known = !entry.measurements.is_empty() || entry.reported().verified.is_none();
            let stage = self.progress(entry).stage;
            is_known && !matches!(stage, Stage::Live | Stage::RemovalPlanned | Stage::Removed)
        };
        let unfinished: Vec<_> = list.domains.iter().filter(is_open).collect();
        let mut ways = vec!["a new domain".to_owned()];
        ways.extend(unfinished.iter().map(|entry| format!("continue with {}", entry.name)));
        let chosen = if unfinished.is_empty() { 0 } else { self.talk.choose("Which", &ways, None).await? };
        let entry = chosen.checked_sub(1).map(|at| unfinished[at]);
        let known = entry.and_then(|entry| parse_name::domain(entry.name.as_str()).ok());
        let existing = existing(self.setup.domains.platform_host.as_ref(), &list.domains);
        let domain = if known.is_some() { known } else { self.begin(existing).await? };
        let Some(domain) = domain else { return Ok(()) };
        if entry.is_none_or(|entry| entry.reported().value.is_none()) && !self.take_value(&domain).await? {
            return Ok(());
        }
        self.guide(&domain).await
    }

    /// Asks for the name, and adds the domain to the list.
    async fn begin(&mut self, known: ExistingDomains) -> Asked<Option<Domain>> {
        self.talk.say(format!("Before you start: {PRECONDITIONS}."))?;
        let is_practice = self.setup.domains.practice.is_some();
        let enter = if is_practice { format!(", press Enter for {}", Practice::DOMAIN) } else { String::new() };
        let read = |answer: &str| match (answer, is_practice) {
            ("" | Practice::DOMAIN, true) => read_name(Practice::DOMAIN, &known),
            (_, true) => Err(format!("The sandbox has only {}.", Practice::DOMAIN)),
            (answer, false) => read_name(answer, &known),
        };
        let domain = self.talk.ask(&format!("Domain{enter}:"), NAME_HELP, read).await?;
        if !self.record(&domain.name, Event::Added)? {
            return Ok(None);
        }
        self.talk.say(format!("{} is on the list. You can continue with it at any time.", domain.unicode))?;
        Ok(Some(domain))
    }

    /// Asks for the value from the dashboard, and saves it. Whether there is one now.
    async fn take_value(&mut self, domain: &Domain) -> Asked<bool> {
        let mut enter = self.setup.domains.platform_host.clone();
        self.talk
            .say("Now in the dashboard: Project settings, Domains, Add domain. It shows a value for the record.")?;
        if let Some(practice) = &self.setup.domains.practice {
            if practice.acts(self.wall()).contains(&PracticeStep::AddDomain) {
                self.act(PracticeStep::AddDomain)?;
            }
            enter = Some(DnsName::new(Practice::PLATFORM_HOST));
        }
        let question = match &enter {
            Some(host) => format!("Value, press Enter for {host}:"),
            None => "Value, or press Enter to continue later:".to_owned(),
        };
        let Some(host) = self.ask_value(&question, enter.as_ref(), domain).await? else { return Ok(false) };
        self.record(&domain.name, Event::Value { host })
    }

    /// Checks, reports and records until the operator leaves the domain.
    async fn guide(&mut self, domain: &Domain) -> Asked<()> {
        let Some(mut checked) = self.check(domain, None).await? else { return Ok(()) };
        let mut is_reported = checked.reported.saved.is_some();
        if is_reported {
            self.report(&checked, None)?
        } else {
            self.read_record(&checked)?
        }
        let practice = self.setup.domains.practice.iter().map(|_| SIMULATE);
        let ways: Vec<_> = STEPS.into_iter().chain(practice).collect();
        loop {
            let checks_again = match self.talk.choose(&format!("Next for {}", domain.unicode), &ways, Some(0)).await? {
                1 => self.read_record(&checked).map(|()| false)?,
                2 => {
                    let value = checked.reported.value.as_ref().map(|host| spelled(host.as_str()));
                    self.talk.say(value.unwrap_or_else(|| "No value yet.".to_owned())).map(|()| false)?
                }
                3 => {
                    let doubt = checked.reported.saved.is_some().then_some(SAVED_BEFORE);
                    self.record_step(domain, Event::Saved, doubt, SAVED).await?
                }
                4 => {
                    let doubt = (!checked.progress.stage.may_verify()).then_some(TOO_EARLY);
                    self.record_step(domain, Event::Verified, doubt, VERIFIED).await?
                }
                5 => self.practise().await.map(|()| true)?,
                _ => true,
            };
            if checks_again && let Some(again) = self.check(domain, None).await? {
                self.report(&again, is_reported.then_some(&checked))?;
                (checked, is_reported) = (again, true);
            }
        }
    }

    /// Reads the record, one part a line, and what is in its way.
    fn read_record(&mut self, checked: &Checked) -> Asked<()> {
        let Checked { reported, conflicts, .. } = checked;
        let Some(value) = reported.value.clone() else { return self.talk.say("No value yet.") };
        let record = checked.record(value);
        self.talk.say(format!("At {}, in the zone {}, add this record:", record.place(), record.zone))?;
        self.talk.say_all(record.form().map(|(label, text)| format!("{label}: {text}")))?;
        self.talk.say_all(Some(record.advice()).filter(|advice| !advice.is_empty()))?;
        if conflicts.is_empty() {
            return self.talk.say("There is nothing else at that name.");
        }
        self.talk.say_all(conflicts.iter().map(|conflict| {
            let values: Vec<_> = conflict.values.iter().map(|value| value.trim_end_matches('.')).collect();
            format!("In the way: {} {}. Delete it first.", conflict.kind, values.join(", "))
        }))
    }

    /// Records a step; if there is a doubt, asks first. Whether to check again.
    async fn record_step(&mut self, domain: &Domain, step: Event, doubt: Option<&str>, done: &str) -> Asked<bool> {
        if let Some(question) = doubt
            && !self.talk.is_yes(question, false).await?
        {
            return Ok(false);
        }
        let is_saved = self.record(&domain.name, step)?;
        self.talk.say_all(is_saved.then_some(done)).map(|()| true)
    }

    /// Offers the possible steps, and does one.
    pub(super) async fn practise(&mut self) -> Asked<()> {
        let now = self.wall();
        let Some(practice) = &self.setup.domains.practice else { return Ok(()) };
        let acts = practice.acts(now);
        let ways: Vec<_> = acts.iter().map(|act| format!("{}: {}", act.place().at(), act.words())).collect();
        let waits = practice.waits_for(now).map_or_else(String::new, |waits| format!(" To go on, {waits}."));
        self.talk.say(format!("Practice: one second is a minute here.{waits}"))?;
        let at = self.talk.choose("Which", &ways, None).await?;
        self.act(acts[at])
    }

    /// Does a step, and says so.
    pub(super) fn act(&mut self, act: PracticeStep) -> Asked<()> {
        let now = self.wall();
        if let Some(practice) = &mut self.setup.domains.practice {
            practice.act(act, now);
        }
        self.talk.say(format!("Done {}: {}.", act.place().at(), act.words()))
    }
}

/// A name letter by letter.
fn spelled(text: &str) -> String {
    let letters = text.chars().map(|letter| match letter {
        '.' => "dot".to_owned(),
        '-' => "hyphen".to_owned(),
        '_' => "underscore".to_owned(),
        other => other.to_string(),
    });
    format!("{}.", letters.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_spelled_letter_by_letter() {
        assert_eq!(spelled("a-1.b_c"), "a, hyphen, 1, dot, b, underscore, c.");
    }
}
