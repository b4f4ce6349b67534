//! The queue of pets and changes on disk, and sending its lines.
//!
//! Each step is recorded before it is taken. The file is synced at most once a second. Typing does not wait for that;
//! sending does.

mod file;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::api::retry::{create_pet_once, once};
use crate::api::{Client, Failure};
use crate::clock;
use crate::local::draft_files::{Claim, Claims, left_queues};
use crate::model::{IdempotencyKey, NewPet, Pet, PetId, PetPatch, sample};
use file::QueueFile;
use parking_lot::Mutex;

pub use file::{Attempt, Fate, Line, QueueRecord, QueuedChange, QueuedPet, SentAt, SentPet, Unfinished};

/// What is wrong if the file cannot be written.
pub const UNWRITABLE: &str = "What you add or change cannot be saved to disk, and is kept only while petstore runs";

/// What is wrong if it cannot be opened.
pub const NOT_KEPT: &str = "What you add or change cannot be saved for the next start";

/// The shortest time between two syncs.
const BETWEEN_SYNCS: Duration = Duration::from_secs(1);

/// A line to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineToSend {
    /// Its number in the file.
    pub line: u64,
    /// The pet, or as it will be.
    pub new: NewPet,
    /// Which pet is changed, and how; if absent, it is added.
    pub patch: Option<(PetId, PetPatch)>,
    /// With which key.
    pub key: IdempotencyKey,
    /// The attempt, as recorded in the file.
    pub attempt: Attempt,
    /// When it was first sent, if it was: it is then sent only if the service certainly still knows its key.
    pub again: Option<SentAt>,
    /// Whether it is in the file: it is then sent only once that says so.
    pub is_kept: bool,
    /// Whether what fails quickly is sent again at once, where the service keeps keys.
    pub repeats: bool,
}

/// The result of sending a line.
#[derive(Clone, Debug, PartialEq)]
pub enum LineSent {
    /// It was added, or changed.
    Saved(Pet),
    /// The request failed.
    Failed(Failure),
    /// It was not sent this time, for this reason.
    NotSent(Failure),
    /// It was not sent, because the file cannot be written.
    NotWritten,
    /// It may have been done before, and the service may not know its key: it was not sent again.
    NotRepeatable,
}

/// How many pets wait in each queue that ended programs left in the state directory, with the stem of its service, for other
/// services than that with the stem `own`.
pub fn waiting(state: &Path, own: Option<&str>) -> Vec<(String, usize)> {
    let count = |path| QueueFile::new(path).read().map_or(0, |left| left.open.len());
    let left = left_queues(state, own).into_iter().map(|(stem, path)| (stem, count(path)));
    left.filter(|(_, count)| *count > 0).collect()
}

/// The open queues, one for each service that was used.
#[derive(Debug, Default)]
pub struct Queues {
    claims: Option<Arc<Claims>>,
    open: Mutex<HashMap<String, Queue>>,
}

impl Queues {
    /// Queues whose files are claimed with `claims`; without it, nothing is kept.
    pub fn new(claims: Option<Arc<Claims>>) -> Self {
        Self { claims, open: Mutex::default() }
    }

    /// The queue of the service `identity` and its lines, or why it cannot be opened.
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

    /// Ends the session: writes the remaining records to the queue of the service `identity`, and removes queues
    /// without waiting lines.
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

/// `None` once the session has ended.
type Kept = Arc<Mutex<Option<Claimed>>>;

/// The file, and the right to write it.
#[derive(Debug)]
struct Claimed {
    file: QueueFile,
    /// When the file was last synced.
    synced: Option<Instant>,
    /// A sync is scheduled.
    is_sync_due: bool,
    _claim: Arc<Claim>,
}

impl Queue {
    fn new(claim: Arc<Claim>) -> Self {
        let file = QueueFile::new(claim.queue.clone());
        Self(Some(Arc::new(Mutex::new(Some(Claimed { file, synced: None, is_sync_due: false, _claim: claim })))))
    }

    /// Whether there is a file.
    pub const fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    fn read(&self) -> Result<Unfinished, String> {
        let Some(kept) = &self.0 else { return Ok(Unfinished::default()) };
        let left = kept.lock().as_ref().map_or(Ok(Unfinished::default()), |claimed| claimed.file.read());
        left.map_err(|error| error.to_string())
    }

    /// Writes records.
    pub async fn write(&self, records: Vec<QueueRecord>) -> Result<(), String> {
        let Some(kept) = self.0.clone() else { return Ok(()) };
        let written = spawn_blocking(move || {
            let mut claimed = kept.lock();
            // After the end of the session, nothing is sent.
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

    /// Sends a line once. The attempt is recorded first, and the result before it is returned.
    pub async fn send(&self, client: &Client, to_send: LineToSend) -> LineSent {
        let LineToSend { line, new, patch, key, attempt, again, is_kept, repeats } = to_send;
        if let Some(first) = again {
            match is_known_still(client, first).await {
                Ok(true) => {}
                Ok(false) => return LineSent::NotRepeatable,
                Err(error) => return LineSent::NotSent(not_sent(error)),
            }
        }
        if is_kept && self.write(vec![attempt.record(line)]).await.is_err() {
            return LineSent::NotWritten;
        }
        let send = async || match &patch {
            None => client.create_pet(&new, &key).await,
            Some((id, patch)) => client.change_pet(*id, patch, &key).await,
        };
        // Without repeats, the caller decides about the next try.
        match if repeats { once(client, send).await } else { send().await } {
            Ok(pet) => {
                // If this fails, the outcome is unknown at the next start, and the line is sent again with its key.
                let _ = self.write(vec![QueueRecord::Saved { line, id: pet.id }]).await;
                LineSent::Saved(pet)
            }
            Err(error) => LineSent::Failed(error),
        }
    }
}

/// Adds one sample after another, until one fails. Those that were added.
pub async fn add_samples(client: &Client, count: usize, key: &IdempotencyKey) -> (Vec<PetId>, Option<Failure>) {
    let mut added = Vec::new();
    for number in 0..count {
        match create_pet_once(client, &sample(number), &key.part(number)).await {
            Ok(pet) => added.push(pet.id),
            Err(error) => return (added, Some(error)),
        }
    }
    (added, None)
}

/// Whether the service certainly still knows the key of a pet first sent at `at`.
async fn is_known_still(client: &Client, at: SentAt) -> Result<bool, Failure> {
    // Every answer has the retention of keys and the time of the service.
    let there = client.date().await?;
    let knows = |now: Timestamp, sent: Timestamp| client.surely_knows(now.duration_since(sent));
    Ok(match (at.there, there) {
        (Some(sent), Some(now)) => knows(now, sent),
        // Only this machine's clock says when it was sent: both have to agree.
        (_, now) => knows(clock::now().wall, at.here) && now.is_none_or(|now| knows(now, at.here)),
    })
}

/// Only a GET was sent, so nothing was added.
fn not_sent(failure: Failure) -> Failure {
    if matches!(failure, Failure::Refused { .. }) {
        return failure;
    }
    Failure::NotSent { why: failure.sentence("the service") }
}

/// Syncs the file after `wait`, with everything written until then.
async fn sync_after(mut wait: Duration, kept: Kept) {
    let mut is_due = true;
    while is_due {
        sleep(wait).await;
        let kept = Arc::clone(&kept);
        let synced = spawn_blocking(move || {
            let mut claimed = kept.lock();
            let Some(claimed) = claimed.as_mut() else { return false };
            // A failed sync loses data only if the machine crashes; the next one may succeed.
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
        QueueRecord::Typed(QueuedPet {
            line,
            at: "2026-11-20T14:03:07Z".parse().unwrap(),
            key,
            pet,
            known: 0,
            change: None,
        })
    }

    fn lines(left: &Unfinished) -> Vec<u64> {
        left.open.iter().map(|open| open.typed.line).collect()
    }

    #[tokio::test]
    async fn waiting_lines_survive_a_restart_and_a_settled_queue_leaves_no_file() {
        let state = tempfile::tempdir().unwrap();
        let queues = Queues::new(Some(Arc::new(Claims::new(state.path().to_owned()))));
        let (queue, left) = queues.of(SERVICE).unwrap();
        assert_eq!(left, Unfinished::default());
        for line in 1..=20 {
            queue.write(vec![typed(line)]).await.unwrap();
        }
        queue.write((1..20).map(|line| QueueRecord::Saved { line, id: 1 }).collect()).await.unwrap();
        // After a switch and back, it is the same queue.
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
    async fn a_service_without_an_identity_has_no_file() {
        let state = tempfile::tempdir().unwrap();
        let queues = Queues::new(Some(Arc::new(Claims::new(state.path().to_owned()))));
        queues.of(None).unwrap().0.write(vec![typed(1)]).await.unwrap();
        queues.close(None, &[typed(2)]).unwrap();
        assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0);
    }
}
