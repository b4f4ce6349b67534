//! Setting up a domain: what must be so before, the name, the value of the dashboard, the record to enter part by part,
//! and then what to do next until it is live.

use super::domains::{Looked, read_name};
use super::prompt::Asked;
use super::session::Session;
use crate::app::domain_service::existing;
use crate::domains::parse_name::ExistingDomains;
use crate::domains::record_export::DnsRecord;
use crate::domains::reported::{Event, Precondition};
use crate::domains::sandbox::{Sandbox, SandboxStep};
use crate::domains::simulator::Plan;
use crate::domains::stage::Stage;
use crate::domains::{DnsName, Domain, parse_name};

const NAME_HELP: &str = "Say the name that visitors shall type, such as docs.example.com. A pasted address will do.";

/// What can be done with a domain that is on its way. The order never changes, so that the numbers can be learned.
const STEPS: [&str; 5] = [
    "look again",
    "say the record again",
    "spell the value of the record",
    "note: the record is saved at the DNS provider",
    "note: Verify was chosen in the dashboard",
];
const PRACTISE: &str = "practice: do a step outside this program";

impl Session {
    /// Begins with a new domain, or goes on with one of the list.
    pub(super) async fn set_up_domain(&mut self) -> Asked<()> {
        let Some(list) = self.listed()? else { return Ok(()) };
        let done = |state| matches!(state, None | Some(Stage::Live | Stage::Removed));
        let unfinished: Vec<_> = list.domains.iter().filter(|entry| !done(self.state_of(entry))).collect();
        let mut ways = vec!["a new domain".to_owned()];
        ways.extend(unfinished.iter().map(|entry| format!("go on with {}", entry.name)));
        let chosen = if unfinished.is_empty() { 0 } else { self.talk.choose("Which", &ways, None).await? };
        let entry = chosen.checked_sub(1).map(|at| unfinished[at]);
        let known = entry.and_then(|entry| parse_name::domain(entry.name.as_str()).ok());
        let domain = match known {
            Some(domain) => domain,
            None => {
                let known = existing(self.setup.domains.platform_host.as_ref(), &list.domains);
                let Some(domain) = self.begin(known).await? else { return Ok(()) };
                domain
            }
        };
        if entry.is_none_or(|entry| entry.reported().value.is_none()) && !self.take_value(&domain).await? {
            return Ok(());
        }
        self.go_the_way(&domain).await
    }

    /// Asks for what must be so before and for the name, and puts it on the list.
    async fn begin(&mut self, known: ExistingDomains) -> Asked<Option<Domain>> {
        self.talk.say("First, three things that must be so. A no does not stop you.")?;
        let mut events = vec![Event::Added];
        for precondition in Precondition::ALL {
            let holds = self.talk.is_yes(&format!("Is it so that {}?", precondition.words()), true).await?;
            events.push(Event::Ticked { precondition, holds });
        }
        let is_practice = self.setup.domains.sandbox.is_some();
        let question = match is_practice {
            true => format!("Domain, press Enter for {}:", Sandbox::DOMAIN),
            false => "Domain:".to_owned(),
        };
        let read = |answer: &str| match (answer, is_practice) {
            ("" | Sandbox::DOMAIN, true) => read_name(Sandbox::DOMAIN, &known),
            (_, true) => Err(format!("Practice has only {} to be set up.", Sandbox::DOMAIN)),
            (answer, false) => read_name(answer, &known),
        };
        let domain = self.talk.ask(&question, NAME_HELP, read).await?;
        if !self.note(&domain.name, events)? {
            return Ok(None);
        }
        self.talk.say(format!("{} is on the list. You can go on with it at any time.", domain.unicode))?;
        Ok(Some(domain))
    }

    /// Asks for the value of the dashboard, and keeps it. Whether there is one now.
    async fn take_value(&mut self, domain: &Domain) -> Asked<bool> {
        let mut enter = self.setup.domains.platform_host.clone();
        self.talk
            .say("Now in the dashboard: Project settings, Domains, Add domain. It shows a value for the record.")?;
        if let Some(sandbox) = &self.setup.domains.sandbox {
            if sandbox.acts(self.wall()).contains(&SandboxStep::AddDomain) {
                self.act(SandboxStep::AddDomain)?;
            }
            enter = Some(DnsName::new(Plan::PLATFORM_HOST));
        }
        let question = match &enter {
            Some(host) => format!("Value, press Enter for {host}:"),
            None => "Value, or press Enter to go on later:".to_owned(),
        };
        let Some(host) = self.ask_value(&question, enter.as_ref(), domain).await? else { return Ok(false) };
        self.note(&domain.name, vec![Event::Value { host }])
    }

    /// Looks, tells, and takes notes until the domain is left.
    async fn go_the_way(&mut self, domain: &Domain) -> Asked<()> {
        let Some(mut looked) = self.look(domain, None).await? else { return Ok(()) };
        let mut is_told = looked.reported.saved.is_some();
        if is_told {
            self.tell_checked(&looked)?;
        } else {
            self.tell_record(&looked)?;
        }
        let mut ways = STEPS.to_vec();
        if self.setup.domains.sandbox.is_some() {
            ways.push(PRACTISE);
        }
        loop {
            match self.talk.choose_again(&format!("Next for {}", domain.unicode), &ways, Some(0)).await? {
                1 => {
                    self.tell_record(&looked)?;
                    continue;
                }
                2 => {
                    let value = looked.reported.value.as_ref().map(|host| spelled(host.as_str()));
                    self.talk.say(value.unwrap_or_else(|| "The value is not known yet.".to_owned()))?;
                    continue;
                }
                3 if !self.note_saved(&looked).await? => continue,
                4 if !self.note_verified(&looked).await? => continue,
                5 => self.practise().await?,
                _ => {}
            }
            let Some(again) = self.look(domain, None).await? else { continue };
            if is_told {
                self.tell_checked_again(&looked, &again)?;
            } else {
                self.tell_checked(&again)?;
            }
            (looked, is_told) = (again, true);
        }
    }

    /// The record, one part a line, and what stands in its way.
    fn tell_record(&mut self, looked: &Looked) -> Asked<()> {
        let Looked { domain, reported, seen, .. } = looked;
        let Some(value) = reported.value.clone() else { return self.talk.say("The value is not known yet.") };
        let record = DnsRecord { name: domain.name.clone(), zone: seen.zone.clone(), value, ttl: DnsRecord::TTL };
        self.talk.say(format!("At your DNS provider, in the zone {}, add this record:", record.zone))?;
        self.talk.say(format!("Type: {}", if record.is_apex() { "ALIAS or ANAME" } else { record.kind() }))?;
        self.talk.say(format!("Name: {}", record.name.relative_to(&record.zone)))?;
        self.talk.say(format!("Value: {}", record.value))?;
        self.talk.say(format!("TTL: {} seconds", record.ttl))?;
        self.talk.say(format!("Some providers want the full name: {}", record.name.dotted()))?;
        if record.is_apex() {
            self.talk.say("If your provider has neither, set up www instead, and redirect this domain there.")?;
        }
        if seen.conflicts.is_empty() {
            return self.talk.say("Nothing else stands at that name.");
        }
        for conflict in &seen.conflicts {
            let values: Vec<&str> = conflict.values.iter().map(|value| value.trim_end_matches('.')).collect();
            let values = values.join(", ");
            self.talk.say(format!("In the way: {} {values}. Delete it first.", conflict.kind))?;
        }
        Ok(())
    }

    /// Notes that the record was saved. Where it was before, it is asked whether it was saved anew.
    async fn note_saved(&mut self, looked: &Looked) -> Asked<bool> {
        let question = "It was saved before. Was it saved anew, so that the 48 hours begin again?";
        if looked.reported.saved.is_some() && !self.talk.is_yes(question, false).await? {
            return Ok(false);
        }
        if self.note(&looked.domain.name, vec![Event::Saved])? {
            self.talk.say("Noted. DNS changes may take up to 48 hours.")?;
        }
        Ok(true)
    }

    /// Notes that Verify was chosen. Where it cannot succeed yet, it is asked whether it was.
    async fn note_verified(&mut self, looked: &Looked) -> Asked<bool> {
        let question = "Not everything that Verify looks at is right yet. Was it chosen all the same?";
        if !looked.state.may_verify() && !self.talk.is_yes(question, false).await? {
            return Ok(false);
        }
        if self.note(&looked.domain.name, vec![Event::Verified])? {
            self.talk.say("Noted. The certificate follows by itself, usually within a couple of minutes.")?;
        }
        Ok(true)
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
