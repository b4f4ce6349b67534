//! The hands of the app: runs jobs against the service, one a slot, and sends back what came of each.
//!
//! Knows no state and no screen. A newer job replaces the older one of its slot, except for a creation, which is never
//! aborted. A job that panics becomes a reply like any other, so that nothing on screen waits for ever.

pub mod domains;

use std::collections::HashMap;
use std::future::Future;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinError;
use tokio_util::task::JoinMap;

use crate::api::creation::create_pet_once;
use crate::api::{ApiError, Client, PetPage};
use crate::clock;
use crate::config::edit;
use crate::model::samples::sample;
use crate::model::{IdempotencyKey, Limit, NewPet, PetQuery, display_safe};

use super::effect::{Effect, Job, Task};
use super::inflight::{ReqId, Slot};
use super::msg::{Listed, LookedUp, NotCreated, NotWritten, Outcome, Reply};
use crate::api::failure::Failure;
use domains::{Desk, SoFar};

/// Effects and replies that may wait. More than the screen can ever ask for at once.
const QUEUE: usize = 64;

/// The most pages that looking for one animal follows.
const MAX_PAGES_LOOKED_UP: usize = 200;

/// The loop's ends of the two channels.
#[derive(Debug)]
pub struct Handle {
    /// Effects go in here; when it is full, the effect fails at once as "busy".
    pub effects: mpsc::Sender<Effect>,
    /// Replies come out here.
    pub replies: mpsc::Receiver<Reply>,
}

/// The client, once there is one. The service inside the program may still be starting.
type Connection = watch::Receiver<Option<Result<Client, Failure>>>;

/// What the worker has at hand on this machine.
pub struct Hands {
    /// For domains.
    pub desk: Arc<Desk>,
    /// The app runs in tmux, which takes copied texts.
    pub in_tmux: bool,
    /// What `~` stands for in the name of a file.
    pub home: Option<PathBuf>,
}

/// Starts the worker on the current runtime. Jobs that need the service wait until `connect` has made a client.
pub fn spawn(connect: impl Future<Output = Result<Client, Failure>> + Send + 'static, hands: Hands) -> Handle {
    let (effects, incoming) = mpsc::channel(QUEUE);
    let (outgoing, replies) = mpsc::channel(QUEUE);
    let (client, connection) = watch::channel(None);
    let setter = client.clone();
    tokio::spawn(async move {
        let connected = connect.await;
        setter.send_replace(Some(connected));
    });
    let jobs = JoinMap::new();
    tokio::spawn(Worker { jobs, ids: HashMap::new(), client, connection, hands, outgoing }.run(incoming));
    Handle { effects, replies }
}

struct Worker {
    jobs: JoinMap<Slot, Outcome>,
    ids: HashMap<Slot, ReqId>,
    client: watch::Sender<Option<Result<Client, Failure>>>,
    connection: Connection,
    hands: Hands,
    outgoing: mpsc::Sender<Reply>,
}

impl Worker {
    /// Until the app drops its ends.
    async fn run(mut self, mut incoming: mpsc::Receiver<Effect>) {
        loop {
            let reply = tokio::select! {
                effect = incoming.recv() => match effect {
                    None => return,
                    Some(effect) => self.take(effect),
                },
                Some((slot, ended)) = self.jobs.join_next() => self.ended(slot, ended),
            };
            if let Some(reply) = reply
                && self.outgoing.send(reply).await.is_err()
            {
                return;
            }
        }
    }

    /// Starts or stops a job; a reply when it cannot be started.
    fn take(&mut self, effect: Effect) -> Option<Reply> {
        match effect {
            Effect::Cancel(slot) => {
                self.jobs.abort(&slot);
                None
            }
            Effect::Job(Job { slot: Slot::Create, id, .. }) if self.jobs.contains_key(&Slot::Create) => {
                Some(Reply { slot: Slot::Create, id, outcome: Outcome::Failed(Failure::Busy) })
            }
            Effect::Job(Job { slot, id, task }) => {
                self.ids.insert(slot, id);
                match task {
                    Task::Domains(task) => {
                        let so_far = SoFar { slot, id, replies: self.outgoing.clone() };
                        self.jobs.spawn(slot, Arc::clone(&self.hands.desk).perform(task, so_far));
                    }
                    Task::Copy(text) => self.jobs.spawn(slot, copy(text, self.hands.in_tmux)),
                    Task::Write { path, text, replace } => {
                        self.jobs.spawn(slot, write(path, text, replace, self.hands.home.clone()))
                    }
                    task => self.jobs.spawn(slot, perform(task, self.connection.clone(), self.client.clone())),
                }
                None
            }
            // The loop keeps these to itself.
            Effect::Suspend | Effect::Redraw | Effect::Notify(..) | Effect::Clipboard(_) => None,
        }
    }

    fn ended(&self, slot: Slot, ended: Result<Outcome, JoinError>) -> Option<Reply> {
        let id = *self.ids.get(&slot)?;
        let outcome = match ended {
            Ok(outcome) => outcome,
            Err(error) if error.is_cancelled() => return None,
            Err(error) => Outcome::Failed(Failure::Crashed { why: display_safe(&error.to_string()).into_owned() }),
        };
        Some(Reply { slot, id, outcome })
    }
}

async fn perform(
    task: Task,
    mut connection: Connection,
    client: watch::Sender<Option<Result<Client, Failure>>>,
) -> Outcome {
    let connected = match connection.wait_for(Option::is_some).await {
        Ok(connected) => connected.clone(),
        Err(_) => None,
    };
    let api = match connected {
        Some(Ok(api)) => api,
        Some(Err(failure)) => return Outcome::Failed(failure),
        None => return Outcome::Failed(Failure::Crashed { why: "the connection was never made".to_owned() }),
    };
    match task {
        Task::List { query, pages } => Outcome::Listed(list(&api, &query, pages).await),
        Task::More(next) => {
            let started = clock::now().mono;
            let page = api.list_next(&next).await;
            Outcome::Listed(page.map(|page| listed(page, started)).map_err(|error| Failure::from(&error)))
        }
        Task::Create(new, key) => {
            let added = create_pet_once(&api, &new, &key).await;
            let repeatable = api.keeps_idempotency_keys();
            Outcome::Created(added.map_err(|error| NotCreated { failure: Failure::from(&error), repeatable }))
        }
        Task::LookUp(new) => Outcome::LookedUp(look_up(&api, &new).await.map_err(|error| Failure::from(&error))),
        Task::AddSamples(count, key) => add_samples(&api, count, &key).await,
        Task::TestKey(key) => {
            let with_key = api.with_key(key);
            let query = PetQuery { limit: Limit::MIN, ..PetQuery::default() };
            let tested = with_key.list_pets(&query).await;
            if tested.is_ok() {
                client.send_replace(Some(Ok(with_key)));
            }
            Outcome::KeyTested(tested.map(drop).map_err(|error| Failure::from(&error)))
        }
        // These need no service, and are not given to this function.
        Task::Domains(_) | Task::Copy(_) | Task::Write { .. } => Outcome::Failed(Failure::Busy),
    }
}

/// How long tmux may take.
const COPY_LIMIT: Duration = Duration::from_secs(2);

/// Gives a text to tmux, which keeps it and passes it on to its terminal; `false` where there is none.
async fn copy(text: String, in_tmux: bool) -> Outcome {
    use tokio::io::AsyncWriteExt as _;
    use tokio::process::Command;
    let load = async {
        let none = std::process::Stdio::null;
        let mut tmux = Command::new("tmux");
        tmux.args(["load-buffer", "-w", "-"]).stdin(std::process::Stdio::piped()).stdout(none()).stderr(none());
        let mut tmux = tmux.kill_on_drop(true).spawn().ok()?;
        let mut stdin = tmux.stdin.take()?;
        stdin.write_all(text.as_bytes()).await.ok()?;
        drop(stdin);
        tmux.wait().await.ok().filter(std::process::ExitStatus::success)
    };
    let loaded = if in_tmux { tokio::time::timeout(COPY_LIMIT, load).await.ok().flatten() } else { None };
    Outcome::Copied(loaded.is_some())
}

/// Writes a file; a name that begins with `~/` stands in the home directory.
async fn write(path: String, text: String, replace: bool, home: Option<PathBuf>) -> Outcome {
    let work = move || {
        let place = match (path.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(&path),
        };
        let shown = std::path::absolute(&place).unwrap_or_else(|_| place.clone());
        match edit::write(&place, &text, replace) {
            Ok(()) => Ok(shown.display().to_string()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(NotWritten::Exists(path)),
            Err(error) => Err(NotWritten::Failed(format!("{} could not be written: {error}.", shown.display()))),
        }
    };
    let done = tokio::task::spawn_blocking(work).await;
    Outcome::Written(done.unwrap_or_else(|error| Err(NotWritten::Failed(error.to_string()))))
}

fn listed(page: PetPage, started: std::time::Instant) -> Listed {
    let took = clock::now().mono.saturating_duration_since(started);
    Listed { pets: page.pets, next: page.next, took }
}

/// A list, with up to `pages` pages of it. A later page that fails ends the list where it stands.
async fn list(api: &Client, query: &PetQuery, pages: u16) -> Result<Listed, Failure> {
    let started = clock::now().mono;
    let first = api.list_pets(query).await.map_err(|error| Failure::from(&error))?;
    let mut all = listed(first, started);
    for _ in 1..pages {
        let Some(next) = &all.next else { break };
        let page = api.list_next(next).await.map_err(|error| Failure::from(&error))?;
        all.pets.extend(page.pets);
        all.next = page.next;
    }
    Ok(all)
}

/// One sample after another, until one is refused.
async fn add_samples(api: &Client, count: usize, key: &IdempotencyKey) -> Outcome {
    for added in 0..count {
        if let Err(error) = create_pet_once(api, &sample(added), &key.part(added)).await {
            return Outcome::SamplesAdded(added, Some(Failure::from(&error)));
        }
    }
    Outcome::SamplesAdded(count, None)
}

/// Every animal of that name, category and status that the list shows.
async fn look_up(api: &Client, new: &NewPet) -> Result<LookedUp, ApiError> {
    let query = PetQuery { status: new.status, limit: Limit::MAX, after: None };
    let mut page = api.list_pets(&query).await?;
    let mut matches = Vec::new();
    for _ in 0..MAX_PAGES_LOOKED_UP {
        let full = page.pets.len() >= usize::from(Limit::MAX.get());
        matches.extend(page.pets.into_iter().filter(|pet| pet.name == new.name && pet.category_id == new.category_id));
        match &page.next {
            Some(next) => page = api.list_next(next).await?,
            None => return Ok(LookedUp { matches, complete: !full }),
        }
    }
    Ok(LookedUp { matches, complete: false })
}
