//! A pet that was sent without an answer: it may or may not have been added.

use super::prompt::{Asked, Leave};
use super::session::Session;
use super::words;
use crate::api::Failure;
use crate::app::outbox::search::search_for;
use crate::app::outbox::send::{SentAt, add, settle};
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
        mut failure: Option<Failure>,
    ) -> Asked<AddOutcome> {
        let mut repeatable = self.setup.client.keeps_idempotency_keys();
        let mut found: Option<Option<Pet>> = None;
        loop {
            if found.is_none() {
                let name = short(&pending_add.new.name);
                self.talk.say(format!("Unknown outcome: {name} may or may not have been added."))?;
                if let Some(failure) = &failure {
                    self.talk.say(failure.sentence(&self.service))?;
                }
            }
            let ways = match (&found, repeatable) {
                (Some(Some(_)), true) => [Way::ThatIsIt, Way::Settle, Way::Keep],
                (Some(Some(_)), false) => [Way::ThatIsIt, Way::SendAgain, Way::Keep],
                (_, true) => [Way::Settle, Way::LookFor, Way::Keep],
                (_, false) => [Way::LookFor, Way::SendAgain, Way::Keep],
            };
            let way = match self.talk.choose("What next", &ways.map(Way::words), Some(0)).await {
                Ok(at) => ways[at],
                Err(leave) => {
                    self.remind(pending_add)?;
                    return Err(leave);
                }
            };
            let sent = match (way, found.take().flatten()) {
                (Way::ThatIsIt, Some(pet)) => return Ok(AddOutcome::Added(pet)),
                (Way::Keep, _) => {
                    self.remind(pending_add)?;
                    return Ok(AddOutcome::Skipped);
                }
                (Way::SendAgain, _) => Some(self.post(pending_add).await?),
                (Way::Settle, _) => self.send_safely(pending_add).await?,
                (Way::LookFor | Way::ThatIsIt, _) => {
                    found = Some(self.look_for(pending_add).await?);
                    continue;
                }
            };
            failure = match sent {
                Some(Ok(pet)) => return Ok(AddOutcome::Added(pet)),
                Some(Err(failure)) => failure,
                None => {
                    self.talk.say("Too late: the service may have forgotten the request. Nothing was sent.")?;
                    repeatable = false;
                    None
                }
            };
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

    /// The newest pet that it may be, and says what was found.
    async fn look_for(&mut self, pending_add: &PendingAdd) -> Asked<Option<Pet>> {
        let client = self.setup.client.called("look for it");
        let Some(searched) = self.until_stopped(pending_add, search_for(&client, &pending_add.new)).await? else {
            self.remind(pending_add)?;
            return Err(Leave::Stopped);
        };
        let searched = match searched {
            Ok(searched) => searched,
            Err(error) => {
                self.talk.say_all(words::failure(&Failure::from(&error), &self.service))?;
                return Ok(None);
            }
        };
        let none = match searched.complete {
            true => "Not found.",
            false => "Not found among the pets that the service lists; there may be more.",
        };
        let found = searched.newest(|id| self.known.contains(&id));
        let categories = &self.setup.settings.categories;
        let what = |pet: &Pet| format!("Found a matching pet: {}.", words::pet(pet, categories));
        self.talk.say(found.as_ref().map_or_else(|| none.to_owned(), what))?;
        Ok(found)
    }

    /// Reminds of a pet whose outcome stays unknown.
    fn remind(&mut self, pending_add: &PendingAdd) -> Asked<()> {
        let pet = words::new_pet(&pending_add.new, &self.setup.settings.categories);
        self.talk.say(format!("May have been added: {pet}. Search for it before you add it again."))
    }
}

/// What can be done next.
#[derive(Clone, Copy)]
enum Way {
    LookFor,
    ThatIsIt,
    Settle,
    SendAgain,
    Keep,
}

impl Way {
    const fn words(self) -> &'static str {
        match self {
            Self::Settle => "send it again safely: it is added only once",
            Self::SendAgain => "send it again: may add a duplicate",
            Self::LookFor => "search for it",
            Self::ThatIsIt => "this is it",
            Self::Keep => "skip it",
        }
    }
}
