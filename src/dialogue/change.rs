//! Sells, reserves and returns pets, one after another, each tested against what was read out of it before: nothing is
//! overwritten unseen. The last change can be undone. Each waits in the queue of the pets that are added until its outcome
//! is known.

use std::slice;

use super::prompt::Asked;
use super::session::Session;
use crate::api::Failure;
use crate::app::inventory::changes::{NOTHING_TO_UNDO, likely};
use crate::app::outbox::queue::QueuedChange;
use crate::model::{Limit, Pet, PetId, PetQuery, PetStatus, counted, short};

const HELP: &str = "Type the number of a pet in the last list, such as 3, or id and its id, such as id 17. \
                    undo takes back your last change.";

/// An answer to the question for a pet.
enum Which {
    Id(PetId),
    Undo,
    End,
}

impl Session {
    /// Changes one pet after another.
    pub(super) async fn change(&mut self) -> Asked<()> {
        let mut question = "Which pet, by its number in the last list or as id 17, or press Enter to end:";
        loop {
            let listed = self.listed.clone();
            let which = self.talk.ask(question, HELP, |answer| which(answer, &listed)).await?;
            question = "Another pet, undo, or press Enter to end:";
            match which {
                Which::End => return Ok(()),
                Which::Undo => self.undo().await?,
                Which::Id(id) => self.sell(id).await?,
            }
        }
    }

    /// Undoes the last change, or takes it back while it waits. What may have been made already is settled first.
    async fn undo(&mut self) -> Asked<()> {
        let waiting = self.outbox.changes().next_back().map(|(line, _)| line.clone());
        match (waiting, self.last_change.clone()) {
            (Some(line), _) if line.sent.is_some() => self.bring_change(line.typed.line).await,
            (Some(line), _) => {
                self.talk.say(format!("Taken back: {}.", self.named(&line)))?;
                self.skip_change(line.typed.line).await
            }
            (None, Some((is, was))) => self.change_to(is, was, true).await,
            (None, None) => self.talk.say(NOTHING_TO_UNDO),
        }
    }

    /// Says what a pet is, and asks what it becomes.
    async fn sell(&mut self, id: PetId) -> Asked<()> {
        let waiting: Vec<_> = self.outbox.lines.iter().filter(|line| line.changes(id)).cloned().collect();
        for line in waiting {
            self.talk.say(format!("Waiting: {}.", self.named(&line)))?;
            self.bring_change(line.typed.line).await?;
            if self.outbox.line(line.typed.line).is_some() {
                return Ok(());
            }
        }
        let known = self.pets.get(id).cloned();
        let Some(pet) = (if known.is_some() { known } else { self.find_by_id(id).await? }) else { return Ok(()) };
        let client = self.setup.client.called("list");
        let query = PetQuery { limit: Limit::MIN, ..PetQuery::default() };
        // A list says it; there may have been none yet.
        if !client.offers().changes && self.answer(client.list_pets(&query)).await?.is_none() {
            return Ok(());
        }
        if !client.offers().changes {
            return self.talk.say(format!("{} does not offer to change pets: this one stays as it is.", self.service));
        }
        self.talk.say(format!("{}.", self.describe(&pet)))?;
        let ways = PetStatus::ALL.map(PetStatus::as_str);
        let likely = likely(slice::from_ref(&pet)) as usize;
        let chosen = self.talk.choose("New status", &ways, Some(likely)).await?;
        let wanted = Pet { status: Some(PetStatus::ALL[chosen].into()), ..pet.clone() };
        if wanted == pet {
            return self.talk.say(format!("{} is {} already.", short(&pet.name), ways[chosen]));
        }
        self.change_to(pet, wanted, false).await
    }

    /// Whether so many pets may be changed; asks for a protected profile.
    pub(super) async fn may_change(&mut self, count: usize) -> Asked<bool> {
        if self.may_add || !self.settings.protect {
            return Ok(true);
        }
        self.talk.say(format!("This changes {} of {}.", counted(count, "pet"), self.place()))?;
        self.may_add = self.talk.is_yes("This profile is protected. Continue?", false).await?;
        self.talk.say_all((!self.may_add).then_some("Nothing was sent.")).map(|()| self.may_add)
    }

    /// Makes `wanted` of a pet, if it still is as it was `seen`, and says what came of that.
    async fn change_to(&mut self, seen: Pet, wanted: Pet, is_undo: bool) -> Asked<()> {
        if !self.may_change(1).await? {
            return Ok(());
        }
        let at = self.now().wall;
        let number = self.outbox.take_changes(vec![(seen, wanted)], is_undo, &mut self.keys, at);
        self.write().await?;
        self.bring_change(number).await
    }

    /// Sends a change of the queue and asks what to do, until it has left the queue, or is kept for later.
    pub(super) async fn bring_change(&mut self, number: u64) -> Asked<()> {
        while let Some(line) = self.outbox.line(number).filter(|line| self.outbox.is_first(line)) {
            if let Some(why) = line.fate.explanation() {
                self.talk.say(why)?;
                return self.skip_change(number).await;
            }
            if !self.may_change(1).await? {
                return Ok(());
            }
            let failure = self.send(number).await?;
            let Some(line) = self.outbox.line(number).cloned() else { return Ok(()) };
            let Some(QueuedChange { seen, is_undo, .. }) = line.change() else { return Ok(()) };
            let changed = failure.as_ref().and_then(Failure::changed);
            // What was certainly not undone still can be; of what may have been changed, an older change is not the last one.
            if line.is_unknown() || *is_undo && changed.is_some() {
                self.last_change = None;
            }
            match changed {
                Some(pet) => {
                    self.talk.say(format!("Somebody was faster: {}. Nothing was changed.", self.describe(&pet)))?;
                    self.pets.put([pet]);
                }
                None => {
                    self.talk.say(match line.is_unknown() {
                        true => format!("{} may or may not have been changed.", short(&seen.name)),
                        false => format!("Not changed: {}.", self.describe(seen)),
                    })?;
                    failure.iter().try_for_each(|failure| self.say_failure(failure))?;
                }
            }
            let ways = ["send it again: it is changed only once", "keep it for later", "skip it"];
            let way = if line.fate.is_waiting() { self.talk.choose("What next", &ways, Some(0)).await? } else { 2 };
            match way {
                0 => {}
                1 => return Ok(()),
                _ => return self.skip_change(number).await,
            }
        }
        Ok(())
    }

    /// Forgets a change, and those of the same pet that were made on top of it.
    async fn skip_change(&mut self, number: u64) -> Asked<()> {
        for (at, change) in self.outbox.from_change(number) {
            self.outbox.drop_line(at);
            if at != number {
                self.talk.say(format!("Not changed either: {}.", self.describe(&change.wanted)))?;
            }
        }
        self.write().await
    }

    /// A change was made, and the pet is this one now.
    pub(super) fn changed(&mut self, change: &QueuedChange, pet: &Pet) -> Asked<()> {
        self.last_change = (!change.is_undo).then(|| change.undo(pet));
        let word = if change.is_undo { "Undone" } else { "Changed" };
        self.talk.say(format!("{word}: {}.", self.describe(pet)))
    }
}

/// Reads an answer; `listed` are the pets of the last list.
fn which(answer: &str, listed: &[PetId]) -> Result<Which, String> {
    let answer = answer.to_lowercase();
    let number = |text: &str| text.trim().parse::<PetId>().ok();
    let id = answer.strip_prefix("id").or(answer.strip_prefix('#')).and_then(number);
    match (answer.as_str(), id, number(&answer)) {
        ("", ..) => Ok(Which::End),
        ("undo", ..) => Ok(Which::Undo),
        (_, Some(id), _) => Ok(Which::Id(id)),
        (_, None, Some(number)) if listed.is_empty() => Err(format!("No pets were listed yet. Type id {number}.")),
        (_, None, Some(number)) => {
            let all = listed.len();
            let wrong = || format!("The last list has the numbers 1 to {all}; an id is typed as id {number}.");
            let place = (1..).zip(listed).find(|(place, _)| *place == number);
            place.map(|(_, id)| Which::Id(*id)).ok_or_else(wrong)
        }
        _ => Err(format!("\"{}\" does not name a pet; help explains the answers.", short(&answer))),
    }
}
