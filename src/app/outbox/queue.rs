//! The queue of rapid entry on disk, and its lines on their way to the service.
//!
//! A record is written before it is acted upon; the disk is told to keep it at most once a second. Nobody who types waits
//! for it; whoever sends does.

mod file;

use std::collections::HashMap;
use std::future::Ready;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::send::is_known_still;
use crate::api::creation::create_pet;
use crate::api::{ApiError, Client, Failure};
use crate::clock;
use crate::local::draft_files::{Claim, Claims};
use crate::model::{IdempotencyKey, NewPet, Pet};
use file::QueueFile;
use parking_lot::Mutex;

pub use file::{Open, QueueRecord, QueuedPet, Unfinished};

/// The least time between two waits for the disk.
const BETWEEN_SYNCS: Duration = Duration::from_secs(1);

/// A line of rapid entry to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineToSend {
    /// Its number in the file.
    pub line: u64,
    /// The pet.
    pub new: NewPet,
    /// With which key.
    pub key: IdempotencyKey,
    /// Whose API key goes with it, for the file.
    pub by: String,
    /// It was typed then and sent since, and may have arrived: only for a service that is sure to know its key still.
    pub again: Option<Timestamp>,
}

/// What came of sending a line of rapid entry.
#[derive(Clone, Debug, PartialEq)]
pub enum LineSent {
    /// It was added.
    Saved(Pet),
    /// This came instead of the pet.
    Failed(Failure),
    /// It was not sent this time, for this reason.
    NotSent(Failure),
    /// It may have arrived before, and the service does not keep keys: it was not sent again.
    NotRepeatable,
}

/// The queues that this program has, one for each service that it has used.
#[derive(Debug, Default)]
pub struct Queues {
    claims: Option<Arc<Claims>>,
    open: Mutex<HashMap<String, Queue>>,
}

impl Queues {
    /// Those that are claimed with `claims`; without them nothing is kept.
    pub fn new(claims: Option<Arc<Claims>>) -> Self {
        Self { claims, open: Mutex::default() }
    }

    /// The queue of the service `identity`, and what waits in it. Why not, where there should be one.
    pub fn of(&self, identity: Option<&str>) -> Result<(Queue, Unfinished), String> {
        let (Some(claims), Some(identity)) = (&self.claims, identity) else { return Ok(Default::default()) };
        let mut open = self.open.lock();
        if let Some(queue) = open.get(identity) {
            return Ok((queue.clone(), queue.read()?));
        }
        let claim = claims.of(identity).map_err(|error| error.to_string())?;
        let queue = Queue::new(claim);
        let left = queue.read()?;
        open.insert(identity.to_owned(), queue.clone());
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
pub struct Queue(Option<Kept>);

/// Nothing once the session has ended.
type Kept = Arc<Mutex<Option<Claimed>>>;

/// The file, and the right to write it.
#[derive(Debug)]
struct Claimed {
    file: QueueFile,
    /// When the disk last had everything.
    synced: Option<Instant>,
    /// What was written since then is to be kept by the disk soon.
    is_sync_due: bool,
    _claim: Arc<Claim>,
}

impl Queue {
    fn new(claim: Arc<Claim>) -> Self {
        let file = QueueFile::new(claim.queue.clone());
        Self(Some(Arc::new(Mutex::new(Some(Claimed { file, synced: None, is_sync_due: false, _claim: claim })))))
    }

    fn read(&self) -> Result<Unfinished, String> {
        let Some(kept) = &self.0 else { return Ok(Unfinished::default()) };
        let left = kept.lock().as_ref().map_or(Ok(Unfinished::default()), |claimed| claimed.file.read());
        left.map_err(|error| error.to_string())
    }

    /// Writes these records; why not, where it failed.
    pub async fn write(&self, records: Vec<QueueRecord>) -> Result<(), String> {
        let Some(kept) = self.0.clone() else { return Ok(()) };
        let written = spawn_blocking(move || {
            let mut claimed = kept.lock();
            // After the end of the session nobody hears of it, so that nothing is sent.
            let claimed = claimed.as_mut().ok_or("the session has ended")?;
            claimed.file.append(&records).map_err(|error| error.to_string())?;
            if !std::mem::replace(&mut claimed.is_sync_due, true) {
                let passed = claimed.synced.map(|at| clock::now().mono.saturating_duration_since(at));
                let wait = passed.map_or(Duration::ZERO, |passed| BETWEEN_SYNCS.saturating_sub(passed));
                tokio::spawn(sync_after(wait, Arc::clone(&kept)));
            }
            Ok(())
        });
        written.await.unwrap_or_else(|error| Err(error.to_string()))
    }

    fn close(&self, rest: &[QueueRecord]) -> Result<(), String> {
        let Some(kept) = &self.0 else { return Ok(()) };
        let Some(Claimed { mut file, _claim, .. }) = kept.lock().take() else { return Ok(()) };
        let appended = if rest.is_empty() { Ok(()) } else { file.append(rest) };
        appended.and_then(|()| file.remove_if_settled()).map_err(|error| error.to_string())
    }

    /// Sends a line once, after it was written that it is sent; what came of it is written before it is told.
    pub async fn send(&self, client: &Client, to_send: LineToSend) -> LineSent {
        let LineToSend { line, new, key, by, again } = to_send;
        if let Some(typed) = again {
            match is_known_still(client, typed).await {
                Ok(true) => {}
                Ok(false) => return LineSent::NotRepeatable,
                Err(error) => return LineSent::NotSent(not_sent(&error)),
            }
        }
        if let Err(why) = self.write(vec![QueueRecord::Sent { line, by }]).await {
            return LineSent::NotSent(Failure::NotSent { why: format!("the queue cannot be written: {why}") });
        }
        // What comes of it decides when the next try is.
        match create_pet(client, &new, &key, |_| None::<Ready<bool>>).await {
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
    let failure = Failure::from(error);
    if matches!(failure, Failure::Refused { .. }) {
        return failure;
    }
    Failure::NotSent { why: failure.sentence("the service") }
}

/// Has the disk keep what was written, with all that is written meanwhile.
async fn sync_after(mut wait: Duration, kept: Kept) {
    let mut is_due = true;
    while is_due {
        sleep(wait).await;
        let kept = Arc::clone(&kept);
        let synced = spawn_blocking(move || {
            let mut claimed = kept.lock();
            let Some(claimed) = claimed.as_mut() else { return false };
            // Failing here loses nothing but at the end of the machine; the next time may succeed.
            claimed.is_sync_due = claimed.file.sync().is_err();
            claimed.synced = Some(clock::now().mono);
            claimed.is_sync_due
        });
        is_due = synced.await.unwrap_or(false);
        wait = BETWEEN_SYNCS;
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::model::{Draft, IdempotencyKeys};

    const SERVICE: Option<&str> = Some("/d/embedded.db");

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
        let (queue, left) = queues.of(SERVICE).unwrap();
        assert_eq!(left, Unfinished::default());
        for line in 1..=20 {
            queue.write(vec![typed(line)]).await.unwrap();
        }
        queue.write((1..20).map(|line| QueueRecord::Saved { line, id: 1 }).collect()).await.unwrap();
        // Gone to another service and back, it is the same queue.
        assert_eq!(lines(&queues.of(SERVICE).unwrap().1), [20]);
        queues.close(SERVICE, &[typed(21)]).unwrap();
        assert!(queue.write(vec![typed(22)]).await.is_err());
        drop((queue, queues));

        let queues = Queues::new(Some(Arc::new(Claims::new(state.path().to_owned()))));
        let (_, left) = queues.of(SERVICE).unwrap();
        assert_eq!(lines(&left), [20, 21]);
        queues.close(SERVICE, &[20, 21].map(|line| QueueRecord::Dropped { line })).unwrap();
        drop(queues);
        let files = std::fs::read_dir(state.path().join("drafts")).unwrap();
        let names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        assert!(names.iter().all(|name| name.ends_with(".lock")), "{names:?}");
    }

    #[tokio::test]
    async fn a_service_that_is_gone_with_the_session_has_no_file() {
        let state = tempfile::tempdir().unwrap();
        let queues = Queues::new(Some(Arc::new(Claims::new(state.path().to_owned()))));
        queues.of(None).unwrap().0.write(vec![typed(1)]).await.unwrap();
        queues.close(None, &[typed(2)]).unwrap();
        assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0);
    }
}
