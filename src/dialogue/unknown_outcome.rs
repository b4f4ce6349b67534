//! An animal that was sent, and no answer came: it may have been added, or not.

use super::prompt::{Asked, Leave};
use super::session::Session;
use super::words;
use crate::api::Failure;
use crate::api::creation::create_pet_once;
use crate::model::text::short;
use crate::model::{IdempotencyKey, NewPet, Pet};
use crate::tui::screens::add_pet::state::{SearchResult, UnknownOutcome, UnknownOutcomeChoice};
use crate::tui::worker;

/// What became of an animal.
pub(super) enum AddOutcome {
    /// It was added, or was found to be there.
    Added(Pet),
    /// It was not added: its answers are to be changed.
    Change,
    /// It is not sent again.
    Given,
}

/// An animal on its way.
pub(super) struct PendingAdd {
    pub(super) new: NewPet,
    pub(super) key: IdempotencyKey,
    pub(super) at: jiff::Timestamp,
}

impl Session {
    /// Sends an animal with its key. Where somebody stops that, nobody knows what became of it, and no failure says why.
    pub(super) async fn post(&mut self, pending_add: &PendingAdd) -> Asked<Result<Pet, Option<Failure>>> {
        let client = self.setup.client.called("add");
        let waiting = format!("Still waiting for {}.", self.service);
        match self.talk.during(create_pet_once(&client, &pending_add.new, &pending_add.key), || waiting.clone()).await {
            Ok(result) => Ok(result.map_err(|error| Some(Failure::from(&error)))),
            Err(Leave::Stopped) => Ok(Err(None)),
            Err(leave) => {
                self.remind(pending_add)?;
                Err(leave)
            }
        }
    }

    /// Asks what is to be done until it is known what became of the animal, or nobody wants to know.
    pub(super) async fn settle_unknown_outcome(
        &mut self,
        pending_add: &PendingAdd,
        failure: Option<Failure>,
    ) -> Asked<AddOutcome> {
        let repeatable = self.setup.client.keeps_idempotency_keys();
        let mut unknown_outcome = UnknownOutcome { failure, repeatable, found: None, choice: 0 };
        loop {
            self.tell_unknown_outcome(pending_add, &unknown_outcome)?;
            let answers = unknown_outcome.answers();
            let ways = answers.map(words_of);
            let answer = match self.talk.choose("What next", &ways, Some(0)).await {
                Ok(at) => answers[at],
                Err(leave) => {
                    self.remind(pending_add)?;
                    return Err(leave);
                }
            };
            match answer {
                UnknownOutcomeChoice::Keep => {
                    self.remind(pending_add)?;
                    return Ok(AddOutcome::Given);
                }
                UnknownOutcomeChoice::ThatIsIt => {
                    if let Some(SearchResult::Candidate(pet)) = unknown_outcome.found.take() {
                        return Ok(AddOutcome::Added(pet));
                    }
                }
                UnknownOutcomeChoice::LookFor => unknown_outcome.found = Some(self.look_for(pending_add).await?),
                UnknownOutcomeChoice::SendAgain => match self.post(pending_add).await? {
                    Ok(pet) => return Ok(AddOutcome::Added(pet)),
                    Err(failure) => (unknown_outcome.failure, unknown_outcome.found) = (failure, None),
                },
                UnknownOutcomeChoice::Settle => match self.send_safely(pending_add).await? {
                    Some(Ok(pet)) => return Ok(AddOutcome::Added(pet)),
                    Some(Err(failure)) => (unknown_outcome.failure, unknown_outcome.found) = (failure, None),
                    None => {
                        self.talk.say("Too late: the service may have forgotten it. Nothing was sent.")?;
                        (unknown_outcome.repeatable, unknown_outcome.failure, unknown_outcome.found) =
                            (false, None, None);
                    }
                },
            }
        }
    }

    fn tell_unknown_outcome(&mut self, pending_add: &PendingAdd, unknown_outcome: &UnknownOutcome) -> Asked<()> {
        match &unknown_outcome.found {
            None => {
                self.talk
                    .say(format!("Not known: {} may or may not have been added.", short(&pending_add.new.name)))?;
                match &unknown_outcome.failure {
                    Some(failure) => self.talk.say(failure.sentence(&self.service)),
                    None => Ok(()),
                }
            }
            Some(SearchResult::Candidate(pet)) => {
                self.talk.say(format!("One like it is there: {}.", words::animal(pet)))
            }
            Some(SearchResult::None { complete: true }) => self.talk.say("None like it is there."),
            Some(SearchResult::None { complete: false }) => {
                self.talk.say("None like it is among the animals that the service lists; there may be more.")
            }
            Some(SearchResult::Failed(failure)) => self.talk.say_all(words::failure(failure, &self.service)),
        }
    }

    /// Sends it again with the same key, where the service still knows that; nothing where it may not.
    async fn send_safely(&mut self, pending_add: &PendingAdd) -> Asked<Option<Result<Pet, Option<Failure>>>> {
        let client = self.setup.client.called("add");
        let waiting = format!("Still waiting for {}.", self.service);
        let settling = worker::settle(&client, &pending_add.new, &pending_add.key, pending_add.at);
        match self.talk.during(settling, || waiting.clone()).await {
            Ok(Ok(settled)) => Ok(settled.map(Ok)),
            Ok(Err(error)) => Ok(Some(Err(Some(Failure::from(&error))))),
            Err(Leave::Stopped) => Ok(Some(Err(None))),
            Err(leave) => {
                self.remind(pending_add)?;
                Err(leave)
            }
        }
    }

    async fn look_for(&mut self, pending_add: &PendingAdd) -> Asked<SearchResult> {
        let client = self.setup.client.called("look for it");
        let waiting = format!("Still waiting for {}.", self.service);
        let looked = self.talk.during(worker::search_for(&client, &pending_add.new), || waiting.clone()).await;
        let looked = match looked {
            Ok(looked) => looked,
            Err(leave) => {
                self.remind(pending_add)?;
                return Err(leave);
            }
        };
        Ok(match looked {
            Ok(looked) => {
                let new = looked.matches.into_iter().filter(|pet| !self.known.contains(&pet.id));
                // The newest has most likely the largest id, though only uniqueness is promised.
                new.max_by_key(|pet| pet.id)
                    .map_or(SearchResult::None { complete: looked.complete }, SearchResult::Candidate)
            }
            Err(error) => SearchResult::Failed(Failure::from(&error)),
        })
    }

    /// Says what is not known of an animal that is left.
    pub(super) fn remind(&mut self, pending_add: &PendingAdd) -> Asked<()> {
        let animal = words::new_animal(&pending_add.new);
        self.talk.say(format!("{animal}, may have been added. Search for it before you add it again."))
    }
}

const fn words_of(answer: UnknownOutcomeChoice) -> &'static str {
    match answer {
        UnknownOutcomeChoice::Settle => "send it again safely: the service adds it once",
        UnknownOutcomeChoice::SendAgain => "send it again: it may then be there twice",
        UnknownOutcomeChoice::LookFor => "look for it",
        UnknownOutcomeChoice::ThatIsIt => "that is it",
        UnknownOutcomeChoice::Keep => "leave it",
    }
}
