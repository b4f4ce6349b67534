//! Work beside the loop: what it is, where one runs at a time, and what follows from its answer, in one type.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;

use super::pending::ReqId;
use super::worker::context::WorkerContext;
use super::{App, Now, Slot};
use crate::api::{Client, Failure, Recorder};
use crate::app::Queue;
use crate::config::Settings;
use crate::transfer::import::ImportControl;
use crate::transfer::{ColumnMapping, Target};

/// The pause between two progress reports.
pub const BETWEEN_NEWS: Duration = Duration::from_millis(100);

/// Work for the worker, declared beside the command that begins it.
pub trait Job: Debug + Send + Sync + Sized + 'static {
    /// What comes of it, or why nothing: also if it could not start, or panicked.
    type Answer: Debug + From<Failure> + Send + 'static;

    /// Where it runs: one at a time in each slot.
    const SLOT: fn(&Self) -> Slot;

    /// Whether a session over SSH may do it, where jobs in its slot are allowed. What is typed there comes from another
    /// machine and names no file of this one.
    fn may_run_over_ssh(&self, _: &WorkerContext) -> bool {
        true
    }

    /// Does it, in the worker.
    fn run(self: Arc<Self>, env: Env) -> impl Future<Output = Self::Answer> + Send;

    /// What follows from its answer, in the app.
    fn done(&self, app: &mut App, answer: Self::Answer, now: Now);
}

/// A job that reports before it ends.
pub trait Ongoing: Job {
    /// What it reports.
    type Part: Debug + Send + 'static;

    /// What follows from it, in the app.
    fn on_part(&self, app: &mut App, part: Self::Part, now: Now);

    /// Whether it may be drawn later: what others do is not waited for.
    fn can_wait(_: &Self::Part) -> bool {
        false
    }
}

/// A job whose type the loop and the worker need not know.
pub trait AnyJob: Any + Debug + Send + Sync {
    /// Where it runs.
    fn slot(&self) -> Slot;

    /// Whether a session over SSH may do it.
    fn is_allowed_over_ssh(&self, machine: &WorkerContext) -> bool;

    /// Does it.
    fn work(self: Arc<Self>, env: Env) -> BoxFuture<'static, Box<dyn Outcome>>;

    /// The answer of a job that could not start, or panicked.
    fn failed(self: Arc<Self>, failure: Failure) -> Box<dyn Outcome>;
}

impl<J: Job> AnyJob for J {
    fn slot(&self) -> Slot {
        J::SLOT(self)
    }

    fn is_allowed_over_ssh(&self, machine: &WorkerContext) -> bool {
        J::SLOT(self).is_allowed_over_ssh() && self.may_run_over_ssh(machine)
    }

    fn work(self: Arc<Self>, env: Env) -> BoxFuture<'static, Box<dyn Outcome>> {
        Box::pin(async move {
            let answer = Arc::clone(&self).run(env).await;
            Box::new(Answered { job: self, answer, done: J::done }) as Box<dyn Outcome>
        })
    }

    fn failed(self: Arc<Self>, failure: Failure) -> Box<dyn Outcome> {
        Box::new(Answered { job: self, answer: failure.into(), done: J::done })
    }
}

/// A job, with the id that its reply will carry. A newer one replaces the older one of its slot.
#[derive(Clone, Debug)]
pub struct Started {
    /// Which job it is.
    pub id: ReqId,
    /// What to do.
    pub job: Arc<dyn AnyJob>,
}

/// The same job.
impl PartialEq for Started {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// What a job gave, and what follows from it.
pub trait Outcome: Any + Debug + Send {
    /// Takes it into the state.
    fn apply(self: Box<Self>, app: &mut App, now: Now);
}

/// The answer of a job, or a part of it.
#[derive(Debug)]
pub struct Answered<J, A> {
    /// What was asked for.
    pub job: Arc<J>,
    /// What came of it.
    pub answer: A,
    /// What follows from it.
    pub done: fn(&J, &mut App, A, Now),
}

impl<J: Job, A: Debug + Send + 'static> Outcome for Answered<J, A> {
    fn apply(self: Box<Self>, app: &mut App, now: Now) {
        (self.done)(&self.job, app, self.answer, now)
    }
}

/// What a job reports. Dropped unless the job of this id is waited for.
#[derive(Debug)]
pub struct Reply {
    /// Which job it was.
    pub id: ReqId,
    /// Whether the job goes on, and more comes of it.
    pub goes_on: bool,
    /// Whether it may be drawn later.
    pub can_wait: bool,
    /// What it gave.
    pub outcome: Box<dyn Outcome>,
}

/// Of the same job.
impl PartialEq for Reply {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Reply {
    /// The end of a job.
    pub fn end(id: ReqId, outcome: Box<dyn Outcome>) -> Self {
        Self { id, goes_on: false, can_wait: false, outcome }
    }

    /// A part of what a job reports.
    pub fn part<J: Ongoing>(id: ReqId, job: &Arc<J>, part: J::Part) -> Self {
        let can_wait = J::can_wait(&part);
        let outcome = Box::new(Answered { job: Arc::clone(job), answer: part, done: J::on_part });
        Self { id, goes_on: true, can_wait, outcome }
    }
}

/// The client, once there is one. The service inside the program may still be starting.
pub type Connection = watch::Receiver<Option<Result<Client, Failure>>>;

/// What all jobs use from now on.
#[derive(Debug, Default)]
pub struct Changed {
    /// Another client.
    pub client: Option<Client>,
    /// Another service: its settings, and its queue.
    pub service: Option<(Arc<Settings>, Queue)>,
}

/// What a job may use.
#[derive(Clone)]
pub struct Env {
    /// Which job it is.
    pub id: ReqId,
    /// This machine.
    pub machine: Arc<WorkerContext>,
    /// The service in use.
    pub settings: Option<Arc<Settings>>,
    /// The client.
    pub connection: Connection,
    /// The queue of lines.
    pub queue: Queue,
    /// Controls the import.
    pub import_control: watch::Receiver<ImportControl>,
    /// Gets the record of each request.
    pub recorder: Recorder,
    /// What the job changes for those after it, once it has ended.
    pub changed: Arc<Mutex<Changed>>,
    /// Where replies go.
    pub replies: mpsc::Sender<Reply>,
}

impl Env {
    /// The client, as soon as there is one; its requests are listed under `name`.
    pub async fn api(&self, name: &'static str) -> Result<Client, Failure> {
        let mut connection = self.connection.clone();
        let connected = connection.wait_for(Option::is_some).await.ok().and_then(|connected| connected.clone());
        let never = || Err(Failure::NotSent { why: "the connection was never made".to_owned() });
        connected.unwrap_or_else(never).map(|client| client.called(name))
    }

    /// The service in use, as reports name it.
    pub fn target(&self) -> Target {
        self.settings.as_deref().map_or_else(|| Target { service: String::new(), key: String::new() }, Target::of)
    }

    /// How a file is read, with the names of categories in use.
    pub fn reading(&self, chosen: ColumnMapping) -> ColumnMapping {
        let categories = self.settings.as_ref().map(|settings| Arc::clone(&settings.categories));
        ColumnMapping { categories: categories.unwrap_or_default(), ..chosen }
    }

    /// Waits until there is room for it: every part arrives.
    pub async fn tell<J: Ongoing>(&self, job: &Arc<J>, part: J::Part) {
        // Without a receiver nobody waits for it.
        let _ = self.replies.send(Reply::part(self.id, job, part)).await;
    }

    /// Drops it where there is no room: something newer comes.
    pub fn offer<J: Ongoing>(&self, job: &Arc<J>, part: J::Part) {
        let _ = self.replies.try_send(Reply::part(self.id, job, part));
    }
}

/// Does what waits for disks and programs where it holds up nothing else.
pub async fn blocking<T, E>(work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<Failure> + Send + 'static,
{
    spawn_blocking(work).await.unwrap_or_else(|error| Err(Failure::Crashed { why: error.to_string() }.into()))
}

impl<T, E: From<Failure>> From<Failure> for Result<T, E> {
    fn from(failure: Failure) -> Self {
        Err(failure.into())
    }
}

/// What went wrong inside this program, as a sentence.
impl From<Failure> for String {
    fn from(failure: Failure) -> Self {
        failure.sentence("this program")
    }
}
