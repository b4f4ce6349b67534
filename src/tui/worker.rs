//! The worker of the app: runs jobs against the service, one a slot, and sends back their results.
//!
//! Does not know the state or the screens. A newer job replaces the older one of its slot, except for a creation, which only the
//! user gives up. A job that panics becomes a reply like any other, so that nothing on screen waits for ever.

mod actions;
mod context;
pub mod domains;
pub mod drafts;
mod import;
mod job;
mod outbox;
#[cfg(test)]
mod over_ssh;
mod pets;
mod popups;
pub mod profiles;
mod recorder;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinHandle};
use tokio::time::timeout;
use tokio_util::task::JoinMap;

use crate::api::failure::Failure;
use crate::api::{Client, Recorder};
use crate::app::outbox::queue::Queue;
use crate::config::{Service, Settings};
use crate::local::atomic_file;
use crate::model::display_safe;
use crate::transfer::import::ImportControl;

use super::effect::{Effect, Job, Task};
use super::msg::{Outcome, Recorded, Reply};
use super::pending::{ReqId, Slot};
use super::screens::add_pet::import::jobs::ImportTask;
use super::screens::profiles::jobs::ProfileReply;
use super::session_cache::{self, SessionCache};
use context::Surroundings;
use job::{Connection, Done, Progress, blocking};

pub use context::WorkerContext;

/// Replies that may wait.
const QUEUE: usize = 64;

/// What an import that is under way gets when the program ends. What has no answer by then is known from its report.
const LAST_ROWS: Duration = Duration::from_millis(700);

/// The loop's ends of the two channels.
#[derive(Debug)]
pub struct Handle {
    /// Effects go in here, and are taken at once: none is lost, and none that stops something waits behind others.
    pub effects: mpsc::UnboundedSender<Effect>,
    /// Replies come out here.
    pub replies: mpsc::Receiver<Reply>,
    /// Records of requests come out here, each before the reply that it belongs to. They may wait.
    pub exchanges: mpsc::Receiver<Recorded>,
}

/// Starts the worker on the current runtime. Jobs that need the service wait until there is a client for that of
/// `settings`; if there are none, for the one that is changed to.
///
/// It ends soon after its handle is dropped; the second value waits for that.
pub fn spawn(settings: Option<Settings>, context: WorkerContext) -> (Handle, JoinHandle<()>) {
    let (effects, incoming) = mpsc::unbounded_channel();
    let (outgoing, replies) = mpsc::channel(QUEUE);
    let (client, connection) = watch::channel(None);
    let setter = client.clone();
    let (recorder, exchanges) = recorder::recorder();
    let mut queue = Queue::default();
    if let Some(settings) = settings.clone() {
        queue = context
            .queues
            .of(session_cache::identity(&settings).as_deref())
            .map(|(queue, _)| queue)
            .unwrap_or_default();
        let connect = (context.services.connect)(settings);
        let recorder = Recorder::clone(&recorder);
        tokio::spawn(async move {
            let connected = connect.await.map(|client| client.recording(recorder));
            // Another service may have been changed to meanwhile.
            setter.send_if_modified(|client| {
                let first = client.is_none();
                if first {
                    *client = Some(connected);
                }
                first
            });
        });
    }
    let worker = Worker {
        jobs: JoinMap::new(),
        ids: HashMap::new(),
        settings,
        client,
        connection,
        queue,
        context: Arc::new(context),
        drafts_taken: 0,
        import_control: watch::Sender::new(ImportControl::Go),
        recorder,
        outgoing,
    };
    let ended = tokio::spawn(worker.run(incoming));
    (Handle { effects, replies, exchanges }, ended)
}

struct Worker {
    jobs: JoinMap<Slot, Done>,
    ids: HashMap<Slot, ReqId>,
    /// The service in use.
    settings: Option<Settings>,
    client: watch::Sender<Option<Result<Client, Failure>>>,
    connection: Connection,
    queue: Queue,
    context: Arc<WorkerContext>,
    /// The number of the newest writing of drafts that was begun.
    drafts_taken: u64,
    /// Controls the running import.
    import_control: watch::Sender<ImportControl>,
    recorder: Recorder,
    outgoing: mpsc::Sender<Reply>,
}

impl Worker {
    /// Until the app drops its ends.
    async fn run(mut self, mut incoming: mpsc::UnboundedReceiver<Effect>) {
        loop {
            let reply = tokio::select! {
                effect = incoming.recv() => match effect {
                    None => return self.finish().await,
                    Some(effect) => self.take(effect),
                },
                Some((slot, ended)) = self.jobs.join_next() => self.ended(slot, ended),
            };
            if let Some(reply) = reply
                && self.outgoing.send(reply).await.is_err()
            {
                return self.finish().await;
            }
        }
    }

    /// The app has ended: an import stops after the rows in flight, or soon.
    async fn finish(mut self) {
        if !self.jobs.contains_key(&Slot::Import) {
            return;
        }
        self.import_control.send_replace(ImportControl::Stop);
        let ended = async {
            while let Some((slot, _)) = self.jobs.join_next().await {
                if slot == Slot::Import {
                    return;
                }
            }
        };
        // Its report says what is not known yet.
        let _ = timeout(LAST_ROWS, ended).await;
    }

    /// Starts or stops a job; a reply when it cannot be started.
    fn take(&mut self, effect: Effect) -> Option<Reply> {
        match effect {
            Effect::Cancel(slot) => {
                self.jobs.abort(&slot);
                // It may have ended already: then that is nothing, either.
                self.ids.remove(&slot);
                None
            }
            Effect::Job(job) => self.start(job),
            Effect::StopImport => {
                self.import_control.send_replace(ImportControl::Stop);
                None
            }
            // The loop keeps these to itself.
            Effect::Suspend
            | Effect::Resume
            | Effect::Redraw
            | Effect::Mouse(_)
            | Effect::Notify(..)
            | Effect::Clipboard(_) => None,
        }
    }

    fn start(&mut self, Job { id, task }: Job) -> Option<Reply> {
        let slot = task.slot();
        if !self.context.allows(&task) {
            return Some(Reply { id, outcome: Outcome::failed(slot, Failure::NotOverSsh) });
        }
        if slot == Slot::Create && self.jobs.contains_key(&slot) {
            return Some(Reply { id, outcome: Outcome::failed(slot, Failure::Busy) });
        }
        self.ids.insert(slot, id);
        let progress = Progress { id, replies: self.outgoing.clone() };
        let (connection, context) = (self.connection.clone(), Arc::clone(&self.context));
        match task {
            Task::Pets(task) => self.spawn_online(slot, pets::perform(task, connection, progress)),
            Task::Add(task) => {
                let drafts = context.drafts.clone().map(|files| (files, self.drafts_taken));
                self.spawn_online(slot, outbox::add_pet(task, connection, drafts));
            }
            Task::Rapid(task) => self.spawn_online(slot, outbox::rapid_entry(task, connection, self.queue.clone())),
            Task::Import(task) => {
                if matches!(task, ImportTask::Run(_)) {
                    self.import_control = watch::Sender::new(ImportControl::Go);
                }
                let controls = self.import_control.subscribe();
                self.spawn(slot, import::perform(task, connection, self.surroundings(), controls, progress));
            }
            Task::Domains(task) => {
                self.spawn(slot, domains::perform(Arc::clone(&context.domains_context), task, progress))
            }
            Task::Profiles(task) => {
                let (services, recorder) = (Arc::clone(&context.services), Recorder::clone(&self.recorder));
                self.spawn(slot, profiles::perform(services, task, connection, recorder, context));
            }
            Task::Popups(task) => {
                self.spawn_online(slot, popups::perform(task, connection, self.surroundings(), progress))
            }
            Task::Action(run) => self.spawn(slot, actions::perform(run)),
            Task::CompletePath(typed) => {
                let around = self.surroundings();
                self.spawn(slot, async move {
                    let completed = tokio::task::spawn_blocking(move || (around.complete(&typed), typed)).await;
                    let (completion, typed) = completed.unwrap_or_default();
                    Outcome::PathCompleted(typed, completion)
                });
            }
            Task::Drafts(task) => {
                self.drafts_taken = task.number;
                self.spawn(slot, async move {
                    Outcome::DraftsWritten(match &context.drafts {
                        Some(files) => Arc::clone(files).keep(task).await,
                        None => Ok(()),
                    })
                });
            }
            Task::WriteCache(cache) => {
                self.spawn(
                    slot,
                    async move { Outcome::CacheWritten(blocking(move || write_cache(&cache, &context)).await) },
                )
            }
        }
        None
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings { machine: Arc::clone(&self.context), settings: self.settings.clone() }
    }

    fn spawn<T: Into<Done>>(&mut self, slot: Slot, work: impl Future<Output = T> + Send + 'static) {
        self.jobs.spawn(slot, async move { work.await.into() });
    }

    /// Runs a job that needs the service.
    fn spawn_online<T: Into<Done>>(
        &mut self,
        slot: Slot,
        work: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) {
        self.spawn(
            slot,
            async move { work.await.map_or_else(|failure| Outcome::failed(slot, failure).into(), T::into) },
        );
    }

    fn ended(&mut self, slot: Slot, ended: Result<Done, JoinError>) -> Option<Reply> {
        let id = *self.ids.get(&slot)?;
        let outcome = match ended {
            Ok(Done { outcome, client, queue }) => {
                if slot == Slot::UseProfile && client.is_some() {
                    // A key that is still being tried is one for the service before.
                    self.ids.remove(&Slot::TestKey);
                }
                if let Some(client) = client {
                    if let Some(Service::Remote(remote)) = self.settings.as_mut().map(|settings| &mut settings.service)
                    {
                        remote.key = client.key().cloned();
                    }
                    self.client.send_replace(Some(Ok(client)));
                }
                if let Outcome::Profiles(ProfileReply::Used(Ok(used))) = &outcome {
                    self.settings = Some(used.settings.clone());
                }
                if let Some(queue) = queue {
                    self.queue = queue;
                }
                outcome
            }
            Err(error) if error.is_cancelled() => return None,
            Err(error) => {
                let why = display_safe(&error.to_string()).into_owned();
                Outcome::failed(slot, Failure::Crashed { why })
            }
        };
        Some(Reply { id, outcome })
    }
}

/// Writes what is kept of a service, for the owner's eyes only.
fn write_cache(cache: &SessionCache, context: &WorkerContext) -> Result<(), String> {
    let Some(directory) = &context.kept else { return Ok(()) };
    let file = session_cache::file(directory, &cache.identity);
    atomic_file::replace_private(&file, cache.text()).map_err(|error| error.to_string())
}
