//! What every task of a talk works with.

use std::collections::HashSet;
use std::future::Future;
use std::path::PathBuf;

use uuid::Uuid;

use super::prompt::{Asked, Dialogue};
use super::words;
use crate::api::{ApiError, Client, Failure};
use crate::app::domain_service::{DomainService, DomainSetup};
use crate::clock::Now;
use crate::config::{Service, Settings};
use crate::model::words::counted;
use crate::model::{IdempotencyKeys, PetId, PetStatus};

/// What a session works with.
pub struct DialogueSetup {
    /// What the user decided.
    pub settings: Settings,
    /// Asks the service of the settings.
    pub client: Client,
    /// What the domains begin with.
    pub domains: DomainSetup,
    /// The list of domains, and looks at them.
    pub domain_service: DomainService,
    /// The home directory, for `~/` in names of files.
    pub home: Option<PathBuf>,
    /// The time.
    pub clock: fn() -> Now,
}

/// A talk from its first to its last line.
pub struct Session {
    pub(super) talk: Dialogue,
    pub(super) setup: DialogueSetup,
    /// The service in a sentence.
    pub(super) service: String,
    pub(super) keys: IdempotencyKeys,
    /// It was said that animals may be added, or need not be.
    pub(super) may_add: bool,
    /// The animals that were seen, which are none that is looked for.
    pub(super) known: HashSet<PetId>,
    /// Those that were added here.
    pub(super) added: Vec<PetId>,
}

impl Session {
    /// A talk that has not begun.
    pub fn new(setup: DialogueSetup, talk: Dialogue) -> Self {
        let service = setup.settings.service.name();
        let may_add = false;
        let keys = IdempotencyKeys::new(Uuid::new_v4());
        Self { talk, setup, service, keys, may_add, known: HashSet::new(), added: Vec::new() }
    }

    /// Where the animals are, with the name that the user gave it.
    pub(super) fn place(&self) -> String {
        let Settings { label, service, .. } = &self.setup.settings;
        match service {
            Service::Remote(_) if *label != self.service => format!("{label}, {}", self.service),
            Service::Demo | Service::Embedded { .. } | Service::Remote(_) => self.service.clone(),
        }
    }

    /// Waits for an answer of the service; a failure is told, and nothing comes then.
    pub(super) async fn answer<T>(&mut self, work: impl Future<Output = Result<T, ApiError>>) -> Asked<Option<T>> {
        let waiting = format!("Still waiting for {}.", self.service);
        self.answer_meanwhile(work, || waiting.clone()).await
    }

    /// The same; `how_far` says what is told meanwhile.
    pub(super) async fn answer_meanwhile<T>(
        &mut self,
        work: impl Future<Output = Result<T, ApiError>>,
        how_far: impl Fn() -> String,
    ) -> Asked<Option<T>> {
        match self.talk.during(work, how_far).await? {
            Ok(answer) => Ok(Some(answer)),
            Err(error) => {
                self.talk.say_all(words::failure(&Failure::from(&error), &self.service))?;
                Ok(None)
            }
        }
    }

    /// Whether so many animals may be added. The first time it is told how many and where; a protected profile is asked
    /// about, too.
    pub(super) async fn may_add(&mut self, number: u64) -> Asked<bool> {
        if self.may_add {
            return Ok(true);
        }
        let animals = counted(number, "animal");
        self.talk.say(format!("This adds {animals} to {}.", self.place()))?;
        self.may_add = !self.setup.settings.protect
            || self.talk.is_yes("It is protected, and there is no undo. Go on?", false).await?;
        if !self.may_add {
            self.talk.say("Nothing was sent.")?;
        }
        Ok(self.may_add)
    }

    /// Asks for a status, or none of them; Enter means `enter`.
    pub(super) async fn ask_status(&mut self, none: &str, enter: Option<PetStatus>) -> Asked<Option<PetStatus>> {
        let enter = PetStatus::ALL.iter().position(|status| Some(*status) == enter).map_or(0, |at| at + 1);
        let chosen = self.talk.choose_again("Status", &[none, "available", "pending", "sold"], Some(enter)).await?;
        Ok(chosen.checked_sub(1).map(|at| PetStatus::ALL[at]))
    }

    pub(super) fn now(&self) -> Now {
        (self.setup.clock)()
    }
}
