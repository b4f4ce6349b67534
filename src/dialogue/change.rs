//! Sells, reserves and returns pets, one after another, each tested against what was read out of it before: nothing is
//! overwritten unseen. The last change can be undone.

use std::future::ready;

use super::prompt::Asked;
use super::session::Session;
use super::words;
use crate::api::retry::change_pet_once;
use crate::app::inventory::changes::NOTHING_TO_UNDO;
use crate::model::{Limit, Pet, PetId, PetMembers, PetPatch, PetQuery, PetStatus, short};

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
                Which::Undo => match self.last_change.clone() {
                    Some((is, was)) => self.change_to(is, was, true).await?,
                    None => self.talk.say(NOTHING_TO_UNDO)?,
                },
                Which::Id(id) => self.sell(id).await?,
            }
        }
    }

    /// Says what a pet is, and asks what it becomes.
    async fn sell(&mut self, id: PetId) -> Asked<()> {
        let known = self.pets.get(id).cloned();
        let Some(pet) = (if known.is_some() { known } else { self.find_by_id(id).await? }) else { return Ok(()) };
        if !self.setup.client.offers_changes() {
            // A list says it; there may have been none yet.
            let client = self.setup.client.called("list");
            let query = PetQuery { limit: Limit::MIN, ..PetQuery::default() };
            if self.answer(client.list_pets(&query)).await?.is_none() {
                return Ok(());
            }
        }
        if !self.setup.client.offers_changes() {
            return self.talk.say(format!("{} does not offer to change pets: this one stays as it is.", self.service));
        }
        self.talk.say(format!("{}.", words::pet(&pet, &self.settings.categories)))?;
        let likely = if pet.status == Some(PetStatus::Sold.into()) { PetStatus::Available } else { PetStatus::Sold };
        let ways = PetStatus::ALL.map(PetStatus::as_str);
        let chosen = self.talk.choose("New status", &ways, Some(likely as usize)).await?;
        let wanted = Pet { status: Some(PetStatus::ALL[chosen].into()), ..pet.clone() };
        if wanted == pet {
            return self.talk.say(format!("{} is {} already.", short(&pet.name), ways[chosen]));
        }
        self.change_to(pet, wanted, false).await
    }

    /// Makes `wanted` of a pet, if it still is as it was `seen`, and says what came of that.
    async fn change_to(&mut self, seen: Pet, wanted: Pet, is_undo: bool) -> Asked<()> {
        if self.settings.protect && !self.may_add {
            self.talk.say(format!("This changes 1 pet of {}.", self.place()))?;
            self.may_add = self.talk.is_yes("This profile is protected. Continue?", false).await?;
            if !self.may_add {
                return self.talk.say("Nothing was sent.");
            }
        }
        let (client, key) = (self.setup.client.called("change"), self.keys.make());
        let (patch, name) = (PetPatch::between(&seen, &wanted), short(&seen.name));
        let (waiting, unknown) =
            (format!("Still waiting for {}.", self.service), format!("{name} may or may not have been changed."));
        let sending = change_pet_once(&client, seen.id, &patch, &key);
        let sent = match self.talk.during(sending, || waiting.clone()).await {
            Ok(sent) => sent,
            Err(leave) => return self.talk.say(unknown).and(Err(leave)),
        };
        let categories = self.settings.categories.clone();
        let named = |pet: &Pet| words::pet(pet, &categories);
        if let Err(failure) = &sent {
            // What was certainly not undone still can be; of what may have been changed, an older change is not the last one.
            if failure.outcome_unknown() || is_undo && failure.changed().is_some() {
                self.last_change = None;
            }
            if let Some(pet) = failure.changed() {
                let text = format!("Somebody was faster: {}. Nothing was changed.", named(&pet));
                self.pets.put([pet]);
                return self.talk.say(text);
            }
            let outcome = if failure.outcome_unknown() { unknown } else { format!("Not changed: {}.", named(&seen)) };
            self.talk.say(outcome)?;
        }
        let Some(pet) = self.answer(ready(sent)).await? else { return Ok(()) };
        let text = format!("{}: {}.", if is_undo { "Undone" } else { "Changed" }, named(&pet));
        self.last_change = (!is_undo).then(|| PetMembers::undo(&seen, &wanted, &pet));
        self.pets.put([pet]);
        self.talk.say(text)
    }
}

/// Reads an answer; `listed` are the pets of the last list.
fn which(answer: &str, listed: &[PetId]) -> Result<Which, String> {
    let answer = answer.to_lowercase();
    let number = |text: &str| text.trim().parse::<PetId>().ok();
    let id = answer.strip_prefix("id").or(answer.strip_prefix('#'));
    match (answer.as_str(), id.and_then(number), number(&answer)) {
        ("", ..) => Ok(Which::End),
        ("undo", ..) => Ok(Which::Undo),
        (_, Some(id), _) => Ok(Which::Id(id)),
        (_, None, Some(number)) if listed.is_empty() => Err(format!("No pets were listed yet. Type id {number}.")),
        (_, None, Some(number)) => {
            let place = usize::try_from(number).ok().and_then(|number| listed.get(number.checked_sub(1)?));
            let wrong =
                || format!("The last list has the numbers 1 to {}; an id is typed as id {number}.", listed.len());
            place.copied().map(Which::Id).ok_or_else(wrong)
        }
        _ => Err(format!("\"{}\" does not name a pet; help explains the answers.", short(&answer))),
    }
}
