//! An animal that was sent, and no answer came: it may have been added, or not.

use super::add::{Parcel, Sent};
use super::dialogue::{Asked, Leave};
use super::{Session, words};
use crate::api::Failure;
use crate::model::Pet;
use crate::model::text::short;
use crate::tui::screens::add_pet::state::{Answer, Doubt, Found};
use crate::tui::worker;

impl Session {
    /// Asks what is to be done until it is known what became of the animal, or nobody wants to know.
    pub(super) async fn settle_doubt(&mut self, parcel: &Parcel, failure: Option<Failure>) -> Asked<Sent> {
        let repeatable = self.setup.client.keeps_idempotency_keys();
        let mut doubt = Doubt { failure, repeatable, found: None, choice: 0 };
        loop {
            self.tell_doubt(parcel, &doubt)?;
            let answers = doubt.answers();
            let ways = answers.map(words_of);
            let answer = match self.talk.choose("What next", &ways, Some(0)).await {
                Ok(at) => answers[at],
                Err(leave) => {
                    self.remind(parcel)?;
                    return Err(leave);
                }
            };
            match answer {
                Answer::Keep => {
                    self.remind(parcel)?;
                    return Ok(Sent::Given);
                }
                Answer::ThatIsIt => {
                    if let Some(Found::Candidate(pet)) = doubt.found.take() {
                        return Ok(Sent::Added(pet));
                    }
                }
                Answer::LookFor => doubt.found = Some(self.look_for(parcel).await?),
                Answer::SendAgain => match self.post(parcel).await? {
                    Ok(pet) => return Ok(Sent::Added(pet)),
                    Err(failure) => (doubt.failure, doubt.found) = (failure, None),
                },
                Answer::Settle => match self.send_safely(parcel).await? {
                    Some(Ok(pet)) => return Ok(Sent::Added(pet)),
                    Some(Err(failure)) => (doubt.failure, doubt.found) = (failure, None),
                    None => {
                        self.talk.say("Too late: the service may have forgotten it. Nothing was sent.")?;
                        (doubt.repeatable, doubt.failure, doubt.found) = (false, None, None);
                    }
                },
            }
        }
    }

    fn tell_doubt(&mut self, parcel: &Parcel, doubt: &Doubt) -> Asked<()> {
        match &doubt.found {
            None => {
                self.talk.say(format!("Not known: {} may or may not have been added.", short(&parcel.new.name)))?;
                match &doubt.failure {
                    Some(failure) => self.talk.say(failure.sentence(&self.service)),
                    None => Ok(()),
                }
            }
            Some(Found::Candidate(pet)) => self.talk.say(format!("One like it is there: {}.", words::animal(pet))),
            Some(Found::None { complete: true }) => self.talk.say("None like it is there."),
            Some(Found::None { complete: false }) => {
                self.talk.say("None like it is among the animals that the service lists; there may be more.")
            }
            Some(Found::Failed(failure)) => self.talk.say_all(words::failure(failure, &self.service)),
        }
    }

    /// Sends it again with the same key, where the service still knows that; nothing where it may not.
    async fn send_safely(&mut self, parcel: &Parcel) -> Asked<Option<Result<Pet, Option<Failure>>>> {
        let client = self.setup.client.called("add");
        let waiting = format!("Still waiting for {}.", self.service);
        let settling = worker::settle(&client, &parcel.new, &parcel.key, parcel.at);
        match self.talk.during(settling, || waiting.clone()).await {
            Ok(Ok(settled)) => Ok(settled.map(Ok)),
            Ok(Err(error)) => Ok(Some(Err(Some(Failure::from(&error))))),
            Err(Leave::Stopped) => Ok(Some(Err(None))),
            Err(leave) => {
                self.remind(parcel)?;
                Err(leave)
            }
        }
    }

    async fn look_for(&mut self, parcel: &Parcel) -> Asked<Found> {
        let client = self.setup.client.called("look for it");
        let waiting = format!("Still waiting for {}.", self.service);
        let looked = self.talk.during(worker::look_up(&client, &parcel.new), || waiting.clone()).await;
        let looked = match looked {
            Ok(looked) => looked,
            Err(leave) => {
                self.remind(parcel)?;
                return Err(leave);
            }
        };
        Ok(match looked {
            Ok(looked) => {
                let new = looked.matches.into_iter().filter(|pet| !self.known.contains(&pet.id));
                // The newest has most likely the largest id, though only uniqueness is promised.
                new.max_by_key(|pet| pet.id).map_or(Found::None { complete: looked.complete }, Found::Candidate)
            }
            Err(error) => Found::Failed(Failure::from(&error)),
        })
    }

    /// Says what is not known of an animal that is left.
    pub(super) fn remind(&mut self, parcel: &Parcel) -> Asked<()> {
        let animal = words::new_animal(&parcel.new);
        self.talk.say(format!("{animal}, may have been added. Search for it before you add it again."))
    }
}

const fn words_of(answer: Answer) -> &'static str {
    match answer {
        Answer::Settle => "send it again safely: the service adds it once",
        Answer::SendAgain => "send it again: it may then be there twice",
        Answer::LookFor => "look for it",
        Answer::ThatIsIt => "that is it",
        Answer::Keep => "leave it",
    }
}
