//! The hands of the app: runs jobs against the service, one a slot, and sends back what came of each.
//!
//! Knows no state and no screen. A newer job replaces the older one of its slot, except for a creation, which is never
//! aborted. A job that panics becomes a reply like any other, so that nothing on screen waits for ever.

pub mod domains;
pub mod drafts;
mod import;
mod job;
pub mod profiles;
mod recorder;

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinHandle};
use tokio::time::timeout;
use tokio_util::task::JoinMap;

use crate::api::find::{Lists, find};
use crate::api::inventory::inventory;
use crate::api::list;
use crate::api::{Client, Recorder};
use crate::app::clipboard::{self, ClipboardBackend};
use crate::app::connections::Services;
use crate::app::domain_service::DomainService;
use crate::app::outbox::queue::{Queue, Queues};
use crate::app::outbox::send::{add, add_samples, settle};
use crate::app::outbox::unknown_outcome::search_for;
use crate::clock;
use crate::config::{Service, Settings, ThemeChoice, edit};
use crate::local::atomic_file;
use crate::model::{Limit, Pet, PetQuery, display_safe};
use crate::transfer::import::ImportControl;

use super::effect::{DraftTask, Effect, ImportTask, Job, LineToSend, Task};
use super::msg::{DraftReply, LineSent, NotWritten, Outcome, ProfileReply, Recorded, Reply};
use super::pending::{ReqId, Slot};
use super::session_cache::{self, SessionCache};
use crate::api::failure::Failure;
use domains::SoFar;
use drafts::DraftFiles;
use import::place;
use job::{Connection, Done, api_of};

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

/// What the worker has at hand on this machine.
pub struct WorkerContext {
    /// For domains.
    pub domains_context: Arc<DomainService>,
    /// How texts are copied here, the best way first.
    pub copying: Vec<ClipboardBackend>,
    /// What `~` stands for in the name of a file.
    pub home: Option<PathBuf>,
    /// The configuration file.
    pub config: Option<PathBuf>,
    /// The directory for what is kept for the next session.
    pub kept: Option<PathBuf>,
    /// The directory for what is pasted and imported.
    pub pasted: Option<PathBuf>,
    /// Where lines of rapid entry wait.
    pub queues: Arc<Queues>,
    /// For what is typed; none where nothing of it is kept.
    pub drafts: Option<Arc<DraftFiles>>,
    /// For profiles.
    pub services: Arc<Services>,
}

/// Starts the worker on the current runtime. Jobs that need the service wait until there is a client for that of
/// `settings`; where there are none, for the one that is changed to.
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
    let jobs = JoinMap::new();
    let ids = HashMap::new();
    let (drafts_taken, import_control) = (0, watch::channel(ImportControl::Go).0);
    let worker = Worker {
        jobs,
        ids,
        settings,
        client,
        connection,
        queue,
        context,
        drafts_taken,
        import_control,
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
    context: WorkerContext,
    /// The number of the newest writing of drafts that was begun.
    drafts_taken: u64,
    /// What is wished of the import that is under way.
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

    /// Nobody waits for anything any more: an import ends after the rows that are under way, or soon.
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
            Effect::Job(Job { slot: Slot::Create, id, .. }) if self.jobs.contains_key(&Slot::Create) => {
                Some(Reply { slot: Slot::Create, id, outcome: Outcome::Failed(Failure::Busy) })
            }
            Effect::Job(Job { slot, id, task }) => {
                self.ids.insert(slot, id);
                let so_far = SoFar { slot, id, replies: self.outgoing.clone() };
                let WorkerContext { domains_context, copying, home, config, kept, pasted, drafts, queues, services } =
                    &self.context;
                let (domains_context, copying, home) = (Arc::clone(domains_context), copying.clone(), home.clone());
                let (config, kept, services) = (config.clone(), kept.clone(), Arc::clone(services));
                let drafts = drafts.clone();
                let connection = self.connection.clone();
                let around = import::Surroundings {
                    home: home.clone(),
                    pasted: pasted.clone(),
                    settings: self.settings.clone(),
                };
                match task {
                    Task::Domains(task) => self.spawn(slot, domains::perform(domains_context, task, so_far)),
                    Task::Profile(task) => {
                        let (recorder, queues) = (Recorder::clone(&self.recorder), Arc::clone(queues));
                        self.jobs.spawn(slot, profiles::perform(services, task, connection, recorder, kept, queues));
                    }
                    Task::Queue(records) => {
                        let queue = self.queue.clone();
                        self.spawn(slot, async move { Outcome::QueueWritten(queue.write(records).await) });
                    }
                    Task::SendLine(line) => self.spawn(slot, send_line(self.queue.clone(), connection, *line)),
                    Task::Copy(text) => {
                        self.spawn(slot, async move { Outcome::Copied(clipboard::copy(&text, &copying).await) });
                    }
                    Task::Import(task) => match *task {
                        ImportTask::Run(run) => {
                            self.import_control = watch::channel(ImportControl::Go).0;
                            let controls = self.import_control.subscribe();
                            self.spawn(slot, import::run(run, connection, around, controls, so_far));
                        }
                        ImportTask::CheckFile(source, reading) => {
                            self.spawn(slot, import::look(source, reading, around, so_far));
                        }
                        ImportTask::WriteRejects { what, path, replace } => {
                            self.spawn(slot, import::write_rejects(what, path, replace, around));
                        }
                    },
                    Task::Export { path, replace } => {
                        self.spawn(slot, import::export(path, replace, connection, around, so_far));
                    }
                    Task::Write { path, text, replace } => self.spawn(slot, write(path, text, replace, home)),
                    Task::SetTheme(theme) => self.spawn(slot, set_theme(theme, config)),
                    Task::WriteCache(what) => self.spawn(slot, remember(*what, kept)),
                    Task::Drafts(task) => {
                        if let DraftTask::Write(write) = &task {
                            self.drafts_taken = write.number;
                        }
                        self.spawn(slot, keep_drafts(task, drafts));
                    }
                    task @ Task::Create(..) => {
                        let (files, number) = (drafts, self.drafts_taken);
                        self.jobs.spawn(slot, async move {
                            if let Some(files) = files {
                                files.ended(number).await;
                            }
                            perform(task, slot, connection, so_far).await
                        });
                    }
                    task => self.jobs.spawn(slot, perform(task, slot, connection, so_far)),
                }
                None
            }
            Effect::ControlImport(control) => {
                self.import_control.send_replace(control);
                None
            }
            // The loop keeps these to itself.
            Effect::Suspend | Effect::Redraw | Effect::Notify(..) | Effect::Clipboard(_) => None,
        }
    }

    /// Runs a job after which the client is as before.
    fn spawn(&mut self, slot: Slot, work: impl Future<Output = Outcome> + Send + 'static) {
        self.jobs.spawn(slot, async move { work.await.into() });
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
                if let Outcome::Profile(ProfileReply::Used(Ok(used))) = &outcome {
                    self.settings = Some(used.settings.clone());
                }
                if let Some(queue) = queue {
                    self.queue = queue;
                }
                outcome
            }
            Err(error) if error.is_cancelled() => return None,
            Err(error) => Outcome::Failed(Failure::Crashed { why: display_safe(&error.to_string()).into_owned() }),
        };
        Some(Reply { slot, id, outcome })
    }
}

async fn send_line(queue: Queue, connection: Connection, line: LineToSend) -> Outcome {
    Outcome::LineSent(match api_of(connection).await {
        Ok(api) => queue.send(&api.called("rapid entry"), line).await,
        Err(failure) => LineSent::NotSent(failure),
    })
}

async fn perform(task: Task, slot: Slot, connection: Connection, so_far: SoFar) -> Done {
    let what = if matches!(slot, Slot::Count(_)) { "count" } else { "list" };
    let api = match api_of(connection).await {
        Ok(api) => api,
        Err(failure) => return Outcome::Failed(failure).into(),
    };
    let outcome = match task {
        Task::List { query, pages, known } => {
            let answer = list::list(&api.called(what), &query, pages, known.as_ref()).await;
            Outcome::Listed(answer.map_err(|error| Failure::from(&error)))
        }
        Task::More(next) => {
            let answer = list::more(&api.called("further page"), &next).await;
            Outcome::Listed(answer.map_err(|error| Failure::from(&error)))
        }
        Task::ReadInventory => whole(&api.called("whole inventory"), so_far).await,
        Task::Find(id, ask) => {
            let found = find(&api.called("pet by id"), &Lists::default(), id, ask).await;
            Outcome::Found(found.map_err(|error| Failure::from(&error)))
        }
        Task::Create(new, key) => Outcome::Created(add(&api.called("add"), &new, &key).await),
        Task::Settle(new, key, at) => {
            let settled = settle(&api.called("add"), &new, &key, at).await.transpose();
            settled.map_or(Outcome::NotSettled, Outcome::Created)
        }
        Task::SearchFor(new) => {
            let found = search_for(&api.called("look for it"), &new).await;
            Outcome::SearchedFor(found.map_err(|error| Failure::from(&error)))
        }
        Task::AddSamples(count, key) => {
            let (added, failure) = add_samples(&api.called("sample"), count, &key).await;
            Outcome::SamplesAdded(added, failure)
        }
        Task::TestKey(key) => {
            let with_key = api.called("test of a key").with_key(key);
            let query = PetQuery { limit: Limit::MIN, ..PetQuery::default() };
            let tested = with_key.list_pets(&query).await;
            let client = tested.is_ok().then_some(with_key);
            let outcome = Outcome::KeyTested(tested.map(drop).map_err(|error| Failure::from(&error)));
            return Done { outcome, client, queue: None };
        }
        // These are not given to this function.
        Task::Domains(_)
        | Task::Profile(_)
        | Task::Queue(_)
        | Task::SendLine(_)
        | Task::Import(_)
        | Task::Export { .. }
        | Task::Drafts(_)
        | Task::Copy(_)
        | Task::Write { .. }
        | Task::WriteCache(_)
        | Task::SetTheme(_) => Outcome::Failed(Failure::Busy),
    };
    outcome.into()
}

/// Writes the theme into the configuration; the rest of the file stays as it is.
async fn set_theme(theme: ThemeChoice, config: Option<PathBuf>) -> Outcome {
    let work = move || {
        let path = config.ok_or("no home directory is known")?;
        edit::set_theme(&path, theme).map_err(|error| error.to_string())?;
        Ok(path.display().to_string())
    };
    let done = tokio::task::spawn_blocking(work).await;
    Outcome::SettingWritten(done.unwrap_or_else(|error| Err(error.to_string())))
}

/// Writes what is kept of a service, for the owner's eyes only.
async fn remember(kept: SessionCache, directory: Option<PathBuf>) -> Outcome {
    let work = move || match directory {
        None => Ok(()),
        Some(directory) => atomic_file::replace_private(&session_cache::file(&directory, &kept.identity), &kept.text()),
    };
    let done = tokio::task::spawn_blocking(work).await;
    Outcome::CacheWritten(
        done.map_or_else(|error| Err(error.to_string()), |done| done.map_err(|error| error.to_string())),
    )
}

async fn keep_drafts(task: DraftTask, files: Option<Arc<DraftFiles>>) -> Outcome {
    match (files, task) {
        (Some(files), task) => files.perform(task).await,
        (None, DraftTask::Open(_)) => Outcome::Drafts(DraftReply::Opened(Ok(None))),
        (None, DraftTask::Write(_)) => Outcome::Drafts(DraftReply::Written(Ok(()))),
    }
}

/// Writes a file; a name that begins with `~/` stands in the home directory.
async fn write(path: String, text: String, replace: bool, home: Option<PathBuf>) -> Outcome {
    let work = move || {
        let place = place(&path, home.as_deref());
        match atomic_file::write(&place, &text, replace) {
            Ok(()) => Ok(place.display().to_string()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(NotWritten::Exists(path)),
            Err(error) => Err(NotWritten::Failed(format!("{} could not be written: {error}.", place.display()))),
        }
    };
    let done = tokio::task::spawn_blocking(work).await;
    Outcome::Written(done.unwrap_or_else(|error| Err(NotWritten::Failed(error.to_string()))))
}

/// How many animals of the whole inventory are told at once, where they come quickly.
const PART: usize = 1_000;

/// The longest that some of them are held back.
const BETWEEN_PARTS: Duration = Duration::from_millis(250);

/// Gives out the whole inventory as it comes, in parts of some size.
async fn whole(api: &Client, so_far: SoFar) -> Outcome {
    let (pages, mut coming) = mpsc::channel(4);
    let tell = async {
        let mut part: Vec<Pet> = Vec::new();
        let mut told = clock::now().mono;
        while let Some(pets) = coming.recv().await {
            part.extend(pets);
            let now = clock::now().mono;
            if part.len() >= PART || now.saturating_duration_since(told) >= BETWEEN_PARTS {
                told = now;
                so_far.give(Outcome::InventoryPart(std::mem::take(&mut part))).await;
            }
        }
        so_far.give(Outcome::InventoryPart(part)).await;
    };
    let (given, ()) = tokio::join!(inventory(api, None, pages), tell);
    Outcome::InventoryRead(given.map_err(|error| Failure::from(&error)))
}
