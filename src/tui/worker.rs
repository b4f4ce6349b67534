//! The worker of the app: runs jobs against the service, one a slot, and sends back their results.
//!
//! Does not know the state or the screens. A newer job replaces the older one of its slot, except for a creation, which only the
//! user gives up. A job that panics becomes a reply like any other, so that nothing on screen waits for ever.

pub mod context;
#[cfg(test)]
mod over_ssh;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinHandle};
use tokio::time::timeout;
use tokio_util::task::JoinMap;

use super::job::{Changed, Outcome, Reply, Started};
use super::msg::Recorded;
use super::pending::ReqId;
use super::{Effect, Env, Slot};
use crate::api::{Client, Exchange, Failure, Recorder};
use crate::app::Queue;
use crate::config::{Service, Settings};
use crate::model::display_safe;
use crate::transfer::import::ImportControl;

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
pub fn spawn(settings: Option<Settings>, machine: Arc<WorkerContext>) -> (Handle, JoinHandle<()>) {
    let (effects, incoming) = mpsc::unbounded_channel();
    let (outgoing, replies) = mpsc::channel(QUEUE);
    let (client, connection) = watch::channel(None);
    let setter = client.clone();
    let (recorder, exchanges) = recorder();
    let mut queue = Queue::default();
    if let Some(settings) = settings.clone() {
        queue = machine.queues.of(settings.identity().as_deref()).map(|(queue, _)| queue).unwrap_or_default();
        let connect = (machine.services.connect)(settings);
        let recorder = Recorder::clone(&recorder);
        tokio::spawn(async move {
            let connected = connect.await.map(|client| client.recording(recorder));
            // Another service may have been changed to meanwhile.
            setter.send_if_modified(|client| client.is_none() && client.replace(connected).is_none());
        });
    }
    let import_control = watch::Sender::new(ImportControl::Go);
    let env = Env {
        machine,
        settings: settings.map(Arc::new),
        id: ReqId(0),
        connection,
        queue,
        import_control: import_control.subscribe(),
        recorder,
        changed: Arc::default(),
        replies: outgoing,
    };
    let worker = Worker { jobs: JoinMap::new(), running: HashMap::new(), client, import_control, env };
    (Handle { effects, replies, exchanges }, tokio::spawn(worker.run(incoming)))
}

/// Records that may wait: more than one job sends without a reply in between.
const RECORDS: usize = 512;

/// The recorder for a client, and where its records come out. Never waits: what does not fit is counted, and reported with
/// the next one that does.
fn recorder() -> (Recorder, mpsc::Receiver<Recorded>) {
    let (records, coming) = mpsc::channel(RECORDS);
    let missed = AtomicU64::new(0);
    let tell = move |exchange: Exchange| {
        let before = missed.swap(0, Ordering::Relaxed);
        if records.try_send(Recorded { exchange: Box::new(exchange), missed: before }).is_err() {
            missed.fetch_add(before + 1, Ordering::Relaxed);
        }
    };
    (Arc::new(tell), coming)
}

struct Worker {
    jobs: JoinMap<Slot, Box<dyn Outcome>>,
    /// Each with what it changes for those after it.
    running: HashMap<Slot, (Started, Arc<Mutex<Changed>>)>,
    client: watch::Sender<Option<Result<Client, Failure>>>,
    /// Controls the running import.
    import_control: watch::Sender<ImportControl>,
    /// What the next job gets.
    env: Env,
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
                && self.env.replies.send(reply).await.is_err()
            {
                return self.finish().await;
            }
        }
    }

    /// The app has ended: an import stops after the rows in flight, or soon.
    async fn finish(mut self) {
        self.import_control.send_replace(ImportControl::Stop);
        let ended = async {
            while self.jobs.contains_key(&Slot::Import) {
                self.jobs.join_next().await;
            }
        };
        // Its report says what is not known yet.
        let _ = timeout(LAST_ROWS, ended).await;
    }

    /// Starts or stops a job; a reply when it cannot be started.
    fn take(&mut self, effect: Effect) -> Option<Reply> {
        match effect {
            Effect::Job(started) => return self.start(started),
            Effect::Cancel(slot) => {
                self.jobs.abort(&slot);
                // It may have ended already: then that is nothing, either.
                self.running.remove(&slot);
            }
            Effect::StopImport => _ = self.import_control.send_replace(ImportControl::Stop),
            // The loop keeps these to itself.
            Effect::Suspend | Effect::Resume | Effect::Redraw => {}
            Effect::Mouse(_) | Effect::Notify(..) | Effect::Clipboard(_) => {}
        }
        None
    }

    fn start(&mut self, started: Started) -> Option<Reply> {
        let Started { id, job } = started.clone();
        let slot = job.slot();
        if self.env.machine.over_ssh && !job.is_allowed_over_ssh(&self.env.machine) {
            return Some(Reply::end(id, job.failed(Failure::NotOverSsh)));
        }
        if slot == Slot::Import {
            self.import_control = watch::Sender::new(ImportControl::Go);
            self.env.import_control = self.import_control.subscribe();
        }
        let changed = Arc::<Mutex<Changed>>::default();
        let env = Env { id, changed: Arc::clone(&changed), ..self.env.clone() };
        self.jobs.spawn(slot, job.work(env));
        self.running.insert(slot, (started, changed));
        None
    }

    fn ended(&mut self, slot: Slot, ended: Result<Box<dyn Outcome>, JoinError>) -> Option<Reply> {
        let (Started { id, job }, changed) = self.running.remove(&slot)?;
        let outcome = match ended {
            Ok(outcome) => {
                self.change(std::mem::take(&mut *changed.lock()));
                outcome
            }
            Err(error) if error.is_cancelled() => return None,
            Err(error) => job.failed(Failure::Crashed { why: display_safe(&error.to_string()).into_owned() }),
        };
        Some(Reply::end(id, outcome))
    }

    /// What all jobs use from now on.
    fn change(&mut self, Changed { client, service }: Changed) {
        if let Some((settings, queue)) = service {
            // A key that is still being tried is one for the service before.
            self.running.remove(&Slot::TestKey);
            (self.env.settings, self.env.queue) = (Some(settings), queue);
        }
        if let Some(client) = client {
            if let Some(settings) = &mut self.env.settings
                && let Service::Remote(remote) = &mut Arc::make_mut(settings).service
            {
                remote.key = client.key().cloned();
            }
            self.client.send_replace(Some(Ok(client)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::any::Any;
    use std::sync::Mutex;

    use tokio::sync::oneshot;

    use super::*;
    use crate::api::Client;
    use crate::api::client::{Timeouts, install_tls_provider};
    use crate::app::connections::Connect;
    use crate::app::connections::tests::services;
    use crate::model::PetQuery;
    use crate::tui::job::{Answered, Job};
    use crate::tui::testing::prelude::*;
    use crate::tui::testing::{no_domains_context, settings};

    /// What the job gave.
    fn answered<J: Job>(reply: Option<Reply>) -> J::Answer {
        let outcome: Box<dyn Any> = reply.unwrap().outcome;
        outcome.downcast::<Answered<J, J::Answer>>().unwrap().answer
    }

    #[tokio::test]
    async fn the_service_changed_to_stays_though_the_first_one_comes_later() {
        install_tls_provider();
        let (release, released) = oneshot::channel::<()>();
        let released = Mutex::new(Some(released));
        let connect: Connect = Arc::new(move |settings| {
            let released = released.lock().unwrap().take();
            Box::pin(async move {
                if let Some(released) = released {
                    let _ = released.await;
                    return Err(Failure::NotStarted { why: "the first one".into() });
                }
                let Service::Remote(remote) = settings.service else { return Err(Failure::Busy) };
                Ok(Client::new(remote.base_url, remote.key, Timeouts::default()).unwrap())
            })
        });
        let (_directory, services) = services(connect);
        let domains_context = no_domains_context();
        let services = Arc::new(services);
        let context = WorkerContext {
            domains_context,
            copying: Vec::new(),
            home: None,
            config: Err("not here"),
            kept: None,
            pasted: None,
            drafts: None,
            queues: Arc::default(),
            services,
            over_ssh: false,
        };
        let (mut worker, _) = spawn(Some(settings(remote())), Arc::new(context));
        let started = |id, job| Effect::Job(Started { id: ReqId(id), job });
        worker.effects.send(started(1, Arc::new(UseProfile("lab".into())))).unwrap();
        let used = answered::<UseProfile>(worker.replies.recv().await);
        assert_eq!(used.unwrap().settings.name, "lab");
        release.send(()).unwrap();
        for _ in 0..16 {
            tokio::task::yield_now().await;
        }
        let query = PetQuery::default();
        worker.effects.send(started(2, Arc::new(ListPets { query, known: None }))).unwrap();
        let listed = answered::<ListPets>(worker.replies.recv().await);
        let refused = matches!(listed, Err(Failure::NotSent { .. }));
        assert!(refused, "nobody listens where lab is, and lab was asked: {listed:?}");
    }

    #[test]
    fn what_does_not_fit_is_counted_and_nobody_waits() {
        let (tell, mut coming) = recorder();
        for _ in 0..RECORDS + 3 {
            tell(Exchange::default());
        }
        let first = coming.try_recv().unwrap();
        assert_eq!((first.missed, &*first.exchange), (0, &Exchange::default()));
        tell(Exchange::default());
        let missed: Vec<u64> = std::iter::from_fn(|| coming.try_recv().ok()).map(|recorded| recorded.missed).collect();
        assert_eq!((missed.len(), missed.iter().sum::<u64>(), missed.last()), (RECORDS, 3, Some(&3)));
        drop(coming);
        tell(Exchange::default());
    }
}
