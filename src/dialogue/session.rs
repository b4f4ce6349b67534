//! What every task of the dialogue works with.

use std::future::Future;
use std::path::PathBuf;

use uuid::Uuid;

use super::prompt::{Asked, Dialogue, Leave};
use crate::api::failure::explain;
use crate::api::{Client, Failure, Remedy};
use crate::app::domain_service::DomainService;
use crate::app::inventory::store::PetStore;
use crate::app::{DomainSetup, Outbox, Queue, Queues};
use crate::clock::Now;
use crate::config::{Service, Settings, View};
use crate::model::{IdempotencyKeys, NewPet, ObservedStatus, Pet, PetId, PetStatus, counted, short};

/// What a session works with.
pub struct DialogueSetup {
    /// The client of the service in use.
    pub client: Client,
    /// The configuration of the domains.
    pub domains: DomainSetup,
    /// The list of domains, and their checks.
    pub domain_service: DomainService,
    /// The home directory, for `~/` in file names.
    pub home: Option<PathBuf>,
    /// The file of an import that the app has begun and not finished.
    pub unfinished: Option<String>,
    /// The pets that wait to be sent, for each service.
    pub queues: Queues,
    /// The time.
    pub clock: fn() -> Now,
}

/// A dialogue from its first to its last line.
pub struct Session {
    pub(super) talk: Dialogue,
    pub(super) settings: Settings,
    pub(super) setup: DialogueSetup,
    /// The service in a sentence.
    pub(super) service: String,
    pub(super) keys: IdempotencyKeys,
    /// Adding pets was confirmed, or needs no confirmation.
    pub(super) may_add: bool,
    /// The pets known of the service.
    pub(super) pets: PetStore,
    /// The pets listed last, in the order of their numbers.
    pub(super) listed: Vec<PetId>,
    /// The last change of this session: the pet as it is and as it was.
    pub(super) last_change: Option<(Pet, Pet)>,
    /// The pets added in this session.
    pub(super) added: Vec<PetId>,
    /// The pets that wait to be sent.
    pub(super) outbox: Outbox,
    /// Their file.
    pub(super) queue: Queue,
}

impl Session {
    /// A dialogue that has not begun.
    pub fn new(settings: Settings, setup: DialogueSetup, talk: Dialogue) -> Self {
        let service = settings.service.name();
        let keys = IdempotencyKeys::new(Uuid::new_v4());
        let pets = PetStore::new(settings.config.pets.load_limit);
        let (added, outbox, queue) = (Vec::new(), Outbox::default(), Queue::default());
        let (listed, last_change, may_add) = (Vec::new(), None, false);
        Self { talk, settings, setup, service, keys, may_add, pets, listed, last_change, added, outbox, queue }
    }

    /// Where the pets are, with the user's name for it.
    pub(super) fn place(&self) -> String {
        let Settings { label, service, .. } = &self.settings;
        match service {
            Service::Remote(_) if *label != self.service => format!("{label}, {}", self.service),
            _ => self.service.clone(),
        }
    }

    /// Waits for an answer of the service; says why if it fails.
    pub(super) async fn answer<T>(&mut self, work: impl Future<Output = Result<T, Failure>>) -> Asked<Option<T>> {
        let waiting = format!("Still waiting for {}.", self.service);
        self.answer_meanwhile(work, || waiting.clone()).await
    }

    /// The same; `how_far` is the message while waiting.
    pub(super) async fn answer_meanwhile<T>(
        &mut self,
        work: impl Future<Output = Result<T, Failure>>,
        how_far: impl Fn() -> String,
    ) -> Asked<Option<T>> {
        match (self.talk.during(work, how_far).await?, &self.settings.ssh) {
            (Ok(answer), _) => Ok(Some(answer)),
            (Err(error), Some(ssh)) if error.is_unauthorized() => Err(Leave::Revoked(ssh.name.clone())),
            (Err(error), _) => self.say_failure(&error).map(|()| None),
        }
    }

    /// Says what happened, and what to do next.
    pub(super) fn say_failure(&mut self, failure: &Failure) -> Asked<()> {
        self.talk.say(failure.sentence(&self.service))?;
        self.talk.say(match (failure.remedy(), failure) {
            (Remedy::EnterKey, _) => {
                "What to do: Set PETSTORE_API_KEY to a key that this service accepts, then start petstore again.".into()
            }
            (Remedy::Wait(seconds), _) => format!("What to do: Wait {seconds} seconds, then try again."),
            (_, Failure::Refused { status: 429, .. }) => "What to do: Wait a minute, then try again.".to_owned(),
            (_, failure) => format!("What to do: {}", explain(failure).todo),
        })
    }

    /// A pet of the service: its name comes first.
    pub(super) fn describe(&self, pet: &Pet) -> String {
        let status = match &pet.status {
            None => "no status".to_owned(),
            Some(ObservedStatus::Known(status)) => status.to_string(),
            Some(ObservedStatus::Unknown(word)) => format!("unknown status {}", short(word)),
        };
        let category = self.settings.categories.label(pet.category_id);
        format!("{}, category {category}, {status}, id {}", pet.name, pet.id)
    }

    /// A pet that was not added yet.
    pub(super) fn describe_new(&self, new: &NewPet) -> String {
        let status = new.status.map_or(String::new(), |status| format!(", {status}"));
        format!("{}, category {}{status}", new.name, self.settings.categories.label(new.category_id))
    }

    /// Whether so many pets may be added. Says the first time how many and where, and asks for a protected profile.
    pub(super) async fn may_add(&mut self, number: u64) -> Asked<bool> {
        if self.may_add {
            return Ok(true);
        }
        self.may_send(&counted(number, "pet"), "Continue?", self.settings.protect).await
    }

    /// Says what is added and where, and asks if that `is_asked`; the first time also because the profile is protected.
    pub(super) async fn may_send(&mut self, pets: &str, question: &str, is_asked: bool) -> Asked<bool> {
        self.talk.say(format!("This adds {pets} to {}.", self.place()))?;
        let is_protected = self.settings.protect && !self.may_add;
        let why = if is_protected { "This profile is protected, and adding cannot be undone. " } else { "" };
        let may = !is_asked || self.talk.is_yes(&format!("{why}{question}"), false).await?;
        self.may_add |= may;
        self.talk.say_all((!may).then_some("Nothing was sent.")).map(|()| may)
    }

    /// Asks for a status or none of them, or with views for one of these; Enter means the status `enter`.
    pub(super) async fn ask_tab(
        &mut self,
        none: &str,
        enter: Option<PetStatus>,
        with_views: bool,
    ) -> Asked<(Option<PetStatus>, Option<View>)> {
        let views: &[View] = if with_views { &self.settings.config.views } else { &[] };
        let statuses = PetStatus::ALL.iter().map(|status| status.as_str());
        let names = views.iter().map(|view| view.name.as_str());
        let ways: Vec<_> = [none].into_iter().chain(statuses).chain(names).collect();
        let enter = enter.map_or(0, |status| status as usize + 1);
        let what = if views.is_empty() { "Status" } else { "Status or view" };
        let chosen = self.talk.choose(what, &ways, Some(enter)).await?;
        let view = chosen.checked_sub(1 + PetStatus::ALL.len()).map(|at| views[at].clone());
        Ok((chosen.checked_sub(1).and_then(|at| PetStatus::ALL.get(at).copied()), view))
    }

    pub(super) fn now(&self) -> Now {
        (self.setup.clock)()
    }
}
