//! A pet that was sent without an answer: it may or may not have been added.

use super::prompt::{Asked, Leave};
use super::session::Session;
use super::words;
use crate::api::Failure;
use crate::app::outbox::send::{SentAt, add, settle};
use crate::app::outbox::unknown_outcome::{SearchResult, UnknownOutcome, UnknownOutcomeChoice, search_for};
use crate::model::text::short;
use crate::model::{IdempotencyKey, NewPet, Pet};

/// The outcome of adding a pet.
pub(super) enum AddOutcome {
    /// It was added, or found.
    Added(Pet),
    /// It was not added: ask for its fields again.
    Change,
    /// It is not sent again.
    Skipped,
}

/// A pet being sent.
pub(super) struct PendingAdd {
    pub(super) new: NewPet,
    pub(super) key: IdempotencyKey,
    pub(super) at: SentAt,
}

impl Session {
    /// Sends a pet with its key. If the user stops that, the outcome is unknown without a failure.
    pub(super) async fn post(&mut self, pending_add: &PendingAdd) -> Asked<Result<Pet, Option<Failure>>> {
        let client = self.setup.client.called("add");
        let sent = self.until_stopped(pending_add, add(&client, &pending_add.new, &pending_add.key)).await?;
        Ok(sent.map_or(Err(None), |sent| sent.map_err(Some)))
    }

    /// Waits for an answer about a pet; `None` if the user stops that.
    async fn until_stopped<T>(&mut self, about: &PendingAdd, work: impl Future<Output = T>) -> Asked<Option<T>> {
        let waiting = format!("Still waiting for {}.", self.service);
        match self.talk.during(work, || waiting.clone()).await {
            Ok(answer) => Ok(Some(answer)),
            Err(Leave::Stopped) => Ok(None),
            Err(leave) => {
                self.remind(about)?;
                Err(leave)
            }
        }
    }

    /// Asks what to do until the outcome is known or the user gives up.
    pub(super) async fn settle_unknown_outcome(
        &mut self,
        pending_add: &PendingAdd,
        failure: Option<Failure>,
    ) -> Asked<AddOutcome> {
        let repeatable = self.setup.client.keeps_idempotency_keys();
        let mut unknown_outcome = UnknownOutcome { failure, repeatable, ..UnknownOutcome::default() };
        loop {
            self.say_unknown_outcome(pending_add, &unknown_outcome)?;
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
                    return Ok(AddOutcome::Skipped);
                }
                UnknownOutcomeChoice::ThatIsIt => {
                    if let Some(pet) = unknown_outcome.take_candidate() {
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
                        self.talk.say("Too late: the service may have forgotten the request. Nothing was sent.")?;
                        unknown_outcome = UnknownOutcome::default();
                    }
                },
            }
        }
    }

    fn say_unknown_outcome(&mut self, pending_add: &PendingAdd, unknown_outcome: &UnknownOutcome) -> Asked<()> {
        match &unknown_outcome.found {
            None => {
                self.talk.say(format!(
                    "Unknown outcome: {} may or may not have been added.",
                    short(&pending_add.new.name)
                ))?;
                match &unknown_outcome.failure {
                    Some(failure) => self.talk.say(failure.sentence(&self.service)),
                    None => Ok(()),
                }
            }
            Some(SearchResult::Candidate(pet)) => {
                self.talk.say(format!("Found a matching pet: {}.", words::pet(pet, &self.setup.settings.categories)))
            }
            Some(SearchResult::None { complete: true }) => self.talk.say("Not found."),
            Some(SearchResult::None { complete: false }) => {
                self.talk.say("Not found among the pets that the service lists; there may be more.")
            }
            Some(SearchResult::Failed(failure)) => self.talk.say_all(words::failure(failure, &self.service)),
        }
    }

    /// Sends it again with the same key; `None` if the service may have forgotten the key.
    async fn send_safely(&mut self, pending_add: &PendingAdd) -> Asked<Option<Result<Pet, Option<Failure>>>> {
        let client = self.setup.client.called("add");
        let settling = settle(&client, &pending_add.new, &pending_add.key, pending_add.at);
        Ok(match self.until_stopped(pending_add, settling).await? {
            Some(Ok(settled)) => settled.map(Ok),
            Some(Err(failure)) => Some(Err(Some(failure))),
            None => Some(Err(None)),
        })
    }

    async fn look_for(&mut self, pending_add: &PendingAdd) -> Asked<SearchResult> {
        let client = self.setup.client.called("look for it");
        let Some(searched) = self.until_stopped(pending_add, search_for(&client, &pending_add.new)).await? else {
            self.remind(pending_add)?;
            return Err(Leave::Stopped);
        };
        Ok(SearchResult::new(searched.map_err(|error| Failure::from(&error)), |id| self.known.contains(&id)))
    }

    /// Reminds of a pet whose outcome stays unknown.
    fn remind(&mut self, pending_add: &PendingAdd) -> Asked<()> {
        let pet = words::new_pet(&pending_add.new, &self.setup.settings.categories);
        self.talk.say(format!("May have been added: {pet}. Search for it before you add it again."))
    }
}

const fn words_of(answer: UnknownOutcomeChoice) -> &'static str {
    match answer {
        UnknownOutcomeChoice::Settle => "send it again safely: it is added only once",
        UnknownOutcomeChoice::SendAgain => "send it again: may add a duplicate",
        UnknownOutcomeChoice::LookFor => "search for it",
        UnknownOutcomeChoice::ThatIsIt => "this is it",
        UnknownOutcomeChoice::Keep => "skip it",
    }
}
