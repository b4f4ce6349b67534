//! The queue of rapid entry on disk, and its lines on their way to the service.
//!
//! One thread for each file writes in the order in which it is asked to, at once, and has the disk keep it at most once
//! a second. Nobody who types waits for it; whoever sends does.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

use crate::api::failure::Failure;
use crate::api::{ApiError, Client};
use crate::clock;
use crate::config::Settings;
use crate::config::queue::{QueueFile, QueueRecord, Unfinished};
use crate::local::draft_files::{Claim, Claims};
use crate::tui::screens::add_pet::rapid::jobs::{LineSent, LineToSend};
use crate::tui::session_cache;

/// The least time between two waits for the disk.
const BETWEEN_SYNCS: Duration = Duration::from_secs(1);

/// The queues that this program has, one for each service that it has used.
#[derive(Debug, Default)]
pub struct Queues {
    claims: Option<Arc<Claims>>,
    open: Mutex<HashMap<String, Queue>>,
}

impl Queues {
    /// Those that are claimed with `claims`; without them nothing is kept.
    #[must_use]
    pub fn new(claims: Option<Arc<Claims>>) -> Self {
        Self { claims, open: Mutex::default() }
    }

    /// The queue of a service, and what waits in it. Why not, where there should be one.
    pub fn of(&self, settings: &Settings) -> Result<(Queue, Unfinished), String> {
        let (Some(claims), Some(identity)) = (&self.claims, session_cache::identity(settings)) else {
            return Ok((Queue::default(), Unfinished::default()));
        };
        let mut open = self.open.lock();
        if let Some(queue) = open.get(&identity) {
            let left = queue.read()?;
            return Ok((queue.clone(), left));
        }
        let claim = claims.of(&identity).map_err(|error| error.to_string())?;
        let queue = Queue::start(claim)?;
        let left = queue.read()?;
        open.insert(identity, queue.clone());
        Ok((queue, left))
    }

    /// The end of the session: writes what may not be on disk yet into the queue of the service `identity`, and removes
    /// those in which nothing waits.
    pub fn close(&self, identity: Option<&str>, rest: &[QueueRecord]) -> Result<(), String> {
        let mut open = self.open.lock();
        let last = identity.and_then(|identity| open.remove(identity));
        let last = last.map_or(Ok(()), |queue| queue.close(rest));
        open.drain().map(|(_, queue)| queue.close(&[])).fold(last, Result::and)
    }
}

/// The queue of one service. Without a file it takes everything and keeps nothing.
#[derive(Clone, Debug, Default)]
pub struct Queue(Option<Arc<Kept>>);

#[derive(Debug)]
struct Kept {
    file: Arc<Mutex<Option<Claimed>>>,
    orders: Sender<Order>,
}

/// The file, and the right to write it; nothing of both once the session has ended.
#[derive(Debug)]
struct Claimed {
    file: QueueFile,
    _claim: Arc<Claim>,
}

struct Order {
    records: Vec<QueueRecord>,
    done: oneshot::Sender<Result<(), String>>,
}

impl Queue {
    fn start(claim: Arc<Claim>) -> Result<Self, String> {
        let claimed = Claimed { file: QueueFile::new(claim.queue_path().to_owned()), _claim: claim };
        let file = Arc::new(Mutex::new(Some(claimed)));
        let (orders, coming) = channel();
        let written = Arc::clone(&file);
        let thread = std::thread::Builder::new().name("queue".into()).spawn(move || write(&written, &coming));
        thread.map_err(|error| error.to_string())?;
        Ok(Self(Some(Arc::new(Kept { file, orders }))))
    }

    fn read(&self) -> Result<Unfinished, String> {
        let Some(kept) = &self.0 else { return Ok(Unfinished::default()) };
        let left = locked(&kept.file).as_ref().map_or(Ok(Unfinished::default()), |claimed| claimed.file.read());
        left.map_err(|error| error.to_string())
    }

    /// Writes these lines after all that were given before; why not, where it failed.
    pub async fn write(&self, records: Vec<QueueRecord>) -> Result<(), String> {
        let Some(kept) = &self.0 else { return Ok(()) };
        let (done, written) = oneshot::channel();
        let over = || "the session has ended".to_owned();
        kept.orders.send(Order { records, done }).map_err(|_| over())?;
        written.await.unwrap_or_else(|_| Err(over()))
    }

    fn close(&self, rest: &[QueueRecord]) -> Result<(), String> {
        let Some(kept) = &self.0 else { return Ok(()) };
        let Some(Claimed { mut file, _claim }) = locked(&kept.file).take() else { return Ok(()) };
        let appended = if rest.is_empty() { Ok(()) } else { file.append(rest) };
        appended.and_then(|()| file.remove_if_settled()).map_err(|error| error.to_string())
    }

    /// Sends a line once, after it was written that it is sent; what came of it is written before it is told.
    pub(super) async fn send(&self, api: &Client, to_send: LineToSend) -> LineSent {
        let LineToSend { line, new, key, by, again } = to_send;
        if let Some(typed) = again {
            match is_known_still(api, typed).await {
                Ok(true) => {}
                Ok(false) => return LineSent::NotRepeatable,
                Err(error) => return LineSent::NotSent(not_sent(&error)),
            }
        }
        if let Err(why) = self.write(vec![QueueRecord::Sent { line, by }]).await {
            return LineSent::NotSent(Failure::NotSent { why: format!("the queue cannot be written: {why}") });
        }
        match api.create_pet(&new, &key).await {
            Ok(pet) => {
                // What is not written is in doubt at the next start, and asked for again.
                let _ = self.write(vec![QueueRecord::Saved { line, id: pet.id }]).await;
                LineSent::Saved(pet)
            }
            Err(error) => LineSent::Failed(Failure::from(&error)),
        }
    }
}

/// Only a question was asked: whatever came back, nothing was added by it.
fn not_sent(error: &ApiError) -> Failure {
    match Failure::from(error) {
        refused @ Failure::Refused { .. } => refused,
        other => Failure::NotSent { why: other.sentence("the service") },
    }
}

fn locked(file: &Mutex<Option<Claimed>>) -> MutexGuard<'_, Option<Claimed>> {
    file.lock()
}

/// Writes until nobody can ask any more.
fn write(file: &Mutex<Option<Claimed>>, orders: &Receiver<Order>) {
    let mut synced = None;
    let mut due = false;
    loop {
        let order = if due {
            let passed = synced.map_or(BETWEEN_SYNCS, |at| clock::now().mono.saturating_duration_since(at));
            orders.recv_timeout(BETWEEN_SYNCS.saturating_sub(passed))
        } else {
            orders.recv().map_err(RecvTimeoutError::from)
        };
        match order {
            Ok(Order { records, done }) => {
                // After the end of the session nobody hears of it, so that nothing is sent.
                let Some(result) = locked(file).as_mut().map(|claimed| claimed.file.append(&records)) else { continue };
                due |= result.is_ok();
                let _ = done.send(result.map_err(|error| error.to_string()));
            }
            Err(RecvTimeoutError::Timeout) => {
                // Failing here loses nothing but at the end of the machine; the next one may succeed.
                due = locked(file).as_ref().is_some_and(|claimed| claimed.file.sync().is_err());
                synced = Some(clock::now().mono);
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Whether the service is sure to know the key of an animal that was sent after `at`.
pub(super) async fn is_known_still(api: &Client, at: Timestamp) -> Result<bool, ApiError> {
    // Every answer says how long keys are kept, and what time it is there. This machine's clock may be wrong.
    let there = api.date().await?;
    Ok([Some(clock::now().wall), there].into_iter().flatten().all(|now| api.surely_knows(now.duration_since(at))))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::config::Service;
    use crate::config::queue::QueuedPet;
    use crate::model::{Draft, IdempotencyKeys};
    use crate::tui::testing::settings;

    fn service() -> Settings {
        settings(Service::Embedded { database: "/d/embedded.db".into() })
    }

    fn typed(line: u64) -> QueueRecord {
        let key = IdempotencyKeys::new(Uuid::from_u128(line.into())).make();
        let pet = Draft { name: "Rex".into(), category_id: "3".into(), status: None };
        QueueRecord::Typed(QueuedPet { line, at: "2026-11-20T14:03:07Z".parse().unwrap(), key, pet, code: None })
    }

    fn lines(left: &Unfinished) -> Vec<u64> {
        left.open.iter().map(|open| open.typed.line).collect()
    }

    #[tokio::test]
    async fn what_waits_is_there_at_the_next_start_and_no_file_is_left_when_all_is_settled() {
        let state = tempfile::tempdir().unwrap();
        let queues = Queues::new(Some(Arc::new(Claims::new(state.path().to_owned()))));
        let (queue, left) = queues.of(&service()).unwrap();
        assert_eq!(left, Unfinished::default());
        for line in 1..=20 {
            queue.write(vec![typed(line)]).await.unwrap();
        }
        queue.write((1..20).map(|line| QueueRecord::Saved { line, id: 1 }).collect()).await.unwrap();
        // Gone to another service and back, it is the same queue.
        assert_eq!(lines(&queues.of(&service()).unwrap().1), [20]);
        queues.close(session_cache::identity(&service()).as_deref(), &[typed(21)]).unwrap();
        assert!(queue.write(vec![typed(22)]).await.is_err());
        drop((queue, queues));

        let queues = Queues::new(Some(Arc::new(Claims::new(state.path().to_owned()))));
        let (_, left) = queues.of(&service()).unwrap();
        assert_eq!(lines(&left), [20, 21]);
        queues
            .close(session_cache::identity(&service()).as_deref(), &[20, 21].map(|line| QueueRecord::Dropped { line }))
            .unwrap();
        drop(queues);
        let files = std::fs::read_dir(state.path().join("drafts")).unwrap();
        let names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        assert!(names.iter().all(|name| name.ends_with(".lock")), "{names:?}");
    }

    #[tokio::test]
    async fn a_service_that_is_gone_with_the_session_has_no_file() {
        let state = tempfile::tempdir().unwrap();
        let queues = Queues::new(Some(Arc::new(Claims::new(state.path().to_owned()))));
        queues.of(&settings(Service::Demo)).unwrap().0.write(vec![typed(1)]).await.unwrap();
        queues.close(None, &[typed(2)]).unwrap();
        assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0);
    }
}
