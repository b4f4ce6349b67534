//! Sends the rows of a file, several at a time, each with an Idempotency-Key of its own that is the same whenever it is
//! sent again. Stops whenever it is told to, and goes on by its journal.

mod backoff;
mod plan;
mod prefetch;
mod progress;
mod send;

use std::io;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::dedicated_thread::{alone, thread};
use super::input::Print;
use super::journal::{self, Head, Journal, Past, RowOutcome, RowState, Target};
use super::rows::{self, Bad, Row};
use super::{ColumnMapping, Input, TransferError};
use crate::api::{ApiError, Client, Failure};
use crate::clock::{self, Now};
use crate::model::IdempotencyKey;
use backoff::Pace;
pub use plan::{ImportControl, ImportOptions, OnError, Patience};
use prefetch::{Turn, queue};
pub use progress::{ImportEvent, ImportProgress, OnImportEvent};
use send::Sender;

/// Rows that the reader hands over at once, so that it need not wake the senders for each, and such parts ahead of them.
const PART: usize = 32;
const AHEAD: usize = 2;

/// Why an import has ended.
#[derive(Debug)]
pub enum ImportEnded {
    /// Every row was dealt with.
    Complete,
    /// It was told to.
    Stopped,
    /// A row was not added, and [`OnError::Stop`] was chosen.
    OnError,
    /// So many rows were not added that it was too much.
    TooManyErrors,
    /// The service does not accept the key.
    Unauthorized(Failure),
    /// Nothing has succeeded for too long, or the service asks for too long a pause.
    NoAnswer(Failure),
    /// The file or the journal failed.
    Failed(TransferError),
}

/// What came of an import.
#[derive(Debug)]
pub struct Summary {
    /// The counts at its end.
    pub progress: ImportProgress,
    /// Why it ended.
    pub ended: ImportEnded,
    /// Good rows that were not dealt with, where it is known how many there are.
    pub left: Option<u64>,
    /// The journal.
    pub report: Option<PathBuf>,
}

/// How an import begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// There is no report yet.
    New,
    /// It goes on by its report.
    GoOn,
    /// It takes the place of an earlier one: of the one that was seen, or whatever is there.
    Anew(Option<Seen>),
}

/// What was looked at before it was decided how to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The file.
    pub file: Print,
    /// The earlier import.
    pub import: Uuid,
}

/// An import that is ready to be sent.
#[derive(Debug)]
pub struct Work {
    id: Uuid,
    reading: ColumnMapping,
    good: Option<u64>,
    journal: Option<Journal>,
    past: Option<Past>,
}

impl Work {
    /// An import that begins so, with its journal at `report`. Blocks.
    pub fn start(
        start: &Start,
        input: &Input,
        reading: &ColumnMapping,
        good: Option<u64>,
        report: Option<PathBuf>,
        target: &Target,
    ) -> Result<Self, TransferError> {
        match (start, report) {
            (Start::GoOn, Some(report)) => Self::resume(input, reading, report, target),
            (Start::Anew(seen), Some(report)) if seen.is_some() || Journal::guard(&report).is_err() => {
                Self::anew(input, reading.clone(), good, report, target, seen.as_ref())
            }
            (_, report) => Self::begin(input, reading.clone(), good, report, target),
        }
    }

    /// A new import, with its journal at `report` if it is to have one. `good` says how many rows can be sent, where
    /// that is known. Blocks.
    pub fn begin(
        input: &Input,
        reading: ColumnMapping,
        good: Option<u64>,
        report: Option<PathBuf>,
        target: &Target,
    ) -> Result<Self, TransferError> {
        let Some(report) = report else {
            return Ok(Self { id: Uuid::new_v4(), reading, good, journal: None, past: None });
        };
        Journal::guard(&report)?;
        let head = Head::new(input.print()?, target, reading, good, clock::now().wall);
        let journal = Journal::create(&report, &head)?;
        Ok(Self { id: head.id, reading: head.reading, good, journal: Some(journal), past: None })
    }

    /// A new import whose journal takes the place of an earlier one, which is kept. If that was decided by what was
    /// `seen` of the file and of that journal, they must be the same still. Blocks.
    fn anew(
        input: &Input,
        reading: ColumnMapping,
        good: Option<u64>,
        report: PathBuf,
        target: &Target,
        seen: Option<&Seen>,
    ) -> Result<Self, TransferError> {
        let print = input.print()?;
        if let Some(differs) = seen.and_then(|seen| seen.file.difference(&print)) {
            return Err(TransferError::changed(&report, differs));
        }
        let head = Head::new(print, target, reading, good, clock::now().wall);
        let journal = Journal::replace(&report, &head, seen.map(|seen| seen.import))?;
        Ok(Self { id: head.id, reading: head.reading, good, journal: Some(journal), past: None })
    }

    /// The import whose journal is at `report`. A `reading` by which nothing is decided is that of its beginning. In a
    /// file that has changed, rows are recognised by what is in them. Blocks.
    pub fn resume(
        input: &Input,
        reading: &ColumnMapping,
        report: PathBuf,
        target: &Target,
    ) -> Result<Self, TransferError> {
        let (journal, past) = Journal::resume(&report, input, target, reading)?;
        let Head { id, reading, good, .. } = past.head.clone();
        Ok(Self { id, reading, good, journal: Some(journal), past: Some(past) })
    }

    /// Leaves no journal of an import of which nothing was sent.
    fn discard(self) {
        if let (Some(journal), None) = (self.journal, self.past) {
            journal.discard();
        }
    }

    /// Where the earlier journal is kept whose place this one's has taken.
    #[must_use]
    pub fn kept(&self) -> Option<&Path> {
        self.journal.as_ref()?.kept.as_deref()
    }

    /// How many rows can be sent, where that is known.
    #[must_use]
    pub const fn good(&self) -> Option<u64> {
        self.good
    }

    /// The rows that may have been added, with their lines, in ascending order.
    #[must_use]
    pub fn doubts(&self) -> Vec<(u64, u64)> {
        let doubts = self.past.iter().flat_map(|past| &past.doubts);
        let mut doubts: Vec<_> = doubts.map(|(row, doubt)| (*row, doubt.line)).collect();
        doubts.sort_unstable();
        doubts
    }

    /// Whether a row that may have been added can be sent again to `client`'s service without adding it twice.
    fn can_repeat(&self, row: u64, client: &Client, now: Timestamp) -> bool {
        let doubt = self.past.as_ref().and_then(|past| past.doubts.get(&row));
        doubt.is_some_and(|doubt| {
            let age = SignedDuration::from_secs(now.as_second().saturating_sub(doubt.sent));
            doubt.ours && client.surely_knows(age)
        })
    }

    /// The Idempotency-Key of a row: the same whenever it is sent.
    fn key(&self, row: u64) -> IdempotencyKey {
        let doubt = self.past.as_ref().and_then(|past| Some(past.doubts.get(&row)?.key(&past.head, row)));
        doubt.unwrap_or_else(|| IdempotencyKey::numbered(self.id, row))
    }
}

/// The clock of the service, as one of its answers had it; this machine's where they have no date.
#[derive(Clone, Copy, Debug)]
struct ServiceClock {
    date: Timestamp,
    at: Now,
}

impl ServiceClock {
    fn now(self) -> Timestamp {
        let passed = clock::now().mono.saturating_duration_since(self.at.mono);
        self.date.checked_add(passed).unwrap_or(Timestamp::MAX)
    }
}

/// What all that work at one import share.
struct Shared {
    work: Work,
    how: ImportOptions,
    client: Client,
    clock: ServiceClock,
    pace: Pace,
    progress: watch::Sender<ImportProgress>,
    tell: OnImportEvent,
    /// Nothing new is sent.
    halt: CancellationToken,
    ended: Mutex<Option<ImportEnded>>,
}

impl Shared {
    /// Sends nothing new, for the first of the reasons that are given.
    fn end(&self, why: ImportEnded) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        self.halt.cancel();
    }

    /// Writes to the journal, if there is one. What cannot be written ends the import.
    fn note(&self, write: impl FnOnce(&Journal) -> Result<(), TransferError>) -> bool {
        match self.work.journal.as_ref().map_or(Ok(()), write) {
            Ok(()) => true,
            Err(error) => {
                self.end(ImportEnded::Failed(error));
                false
            }
        }
    }

    /// Counts what became of a row, tells it, and ends the import where that is enough.
    fn settled(&self, told: ImportEvent) {
        let mut errors = 0;
        self.progress.send_modify(|progress| {
            progress.count(&told);
            errors = progress.errors();
        });
        let is_error = told.is_error();
        (self.tell)(told);
        if is_error && self.how.on_error == OnError::Stop {
            self.end(ImportEnded::OnError);
        } else if is_error && self.how.max_errors.is_some_and(|most| errors >= most) {
            self.end(ImportEnded::TooManyErrors);
        }
    }

    /// Reads everything, in a thread of its own.
    fn read(&self, input: Input, turns: &mpsc::Sender<Vec<Turn>>) {
        let (mut part, name) = (Vec::new(), input.name.clone());
        let read = || rows::read(input, &self.work.reading, |row| self.sort(row, &mut part, turns));
        match catch_unwind(AssertUnwindSafe(read)) {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => self.end(ImportEnded::Failed(error)),
            // What is read is hostile, and not all of its readers are from here. It must not be taken for its end.
            Err(_) => {
                let source = io::Error::other("its reader gave up; please report this");
                self.end(ImportEnded::Failed(TransferError::Read { name, source }));
            }
        }
        // Without senders it is not needed any more.
        let _ = turns.blocking_send(part);
    }

    /// Deals with a row that is read: what is not to be sent ends here.
    fn sort(&self, row: Result<Row, Bad>, part: &mut Vec<Turn>, turns: &mpsc::Sender<Vec<Turn>>) -> ControlFlow<()> {
        if self.halt.is_cancelled() {
            return ControlFlow::Break(());
        }
        let turn = match row {
            Ok(row) => self.turn(row),
            Err(bad) => {
                let is_new = self.state(bad.row) == RowState::Open;
                let why = bad.sentence();
                if is_new && !self.note(|journal| journal.outcome(bad.row, bad.line, &RowOutcome::Invalid(why))) {
                    return ControlFlow::Break(());
                }
                self.settled(ImportEvent::Bad(bad));
                None
            }
        };
        part.extend(turn);
        if part.len() >= PART && turns.blocking_send(std::mem::take(part)).is_err() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// A row is not the one of its number in the journal: somebody has written to the file meanwhile.
    fn changed(&self, line: u64) -> TransferError {
        let path = self.work.journal.as_ref().map_or_else(PathBuf::new, |journal| journal.path.clone());
        TransferError::Changed { path, what: format!("line {line} is another row") }
    }

    fn state(&self, row: u64) -> RowState {
        self.work.past.as_ref().map_or(RowState::Open, |past| past.state(row))
    }

    fn turn(&self, row: Row) -> Option<Turn> {
        if row.corrected {
            self.progress.send_modify(|progress| progress.corrected += 1);
        }
        let before = self.work.past.as_ref().and_then(|past| past.hash(row.row));
        if before.is_some_and(|before| before != journal::hash(&row.new)) {
            self.end(ImportEnded::Failed(self.changed(row.line)));
            return None;
        }
        let turn = match self.state(row.row) {
            RowState::Open => Turn { row, doubted: false },
            RowState::Refused if self.how.retry_refused => Turn { row, doubted: false },
            RowState::Unknown => {
                let is_safe = self.work.can_repeat(row.row, &self.client, self.clock.now());
                if !is_safe && !self.how.send_unknown {
                    self.settled(ImportEvent::UnknownOutcome { row: row.row, line: row.line });
                    return None;
                }
                Turn { row, doubted: true }
            }
            state @ (RowState::Added | RowState::Refused) => {
                self.progress.send_modify(|progress| progress.before(state));
                return None;
            }
        };
        Some(turn)
    }
}

/// How an import is followed and led: what happens is told, the counts go on, and the wishes are heard.
pub type ImportIo = (OnImportEvent, watch::Sender<ImportProgress>, watch::Receiver<ImportControl>);

/// Sends what is to be sent of `input`. It works in a thread of its own, where no other work is between an answer and
/// the next row, and stops as by [`ImportControl::Stop`] where this is dropped.
///
/// Fails only before anything is sent: where the service is not there or does not accept the key.
pub async fn run(
    client: &Client,
    input: Input,
    work: Work,
    how: ImportOptions,
    (tell, progress, controls): ImportIo,
) -> Result<Summary, TransferError> {
    let client = client.keeping_connections().map_err(ApiError::NotSent)?.called("import");
    let (at, pace) = (clock::now(), Pace::new(how.patience, clock::now().mono));
    let clock = ServiceClock { date: at.wall, at };
    let (halt, ended) = (CancellationToken::new(), Mutex::new(None));
    let _stop = halt.clone().drop_guard();
    let shared = Shared { work, how, client, clock, pace, progress, tell, halt, ended };
    alone("import", move || send_all(shared, input, controls)).await?
}

async fn send_all(
    mut shared: Shared,
    input: Input,
    controls: watch::Receiver<ImportControl>,
) -> Result<Summary, TransferError> {
    match probe(&shared.client).await {
        Ok(date) => {
            let at = clock::now();
            shared.clock = ServiceClock { date: date.unwrap_or(at.wall), at };
        }
        Err(error) => {
            shared.work.discard();
            return Err(error.into());
        }
    }
    let (shared, (turns, taken)) = (Arc::new(shared), mpsc::channel(AHEAD));
    // A thread that waits for standard input must not keep the runtime from its end.
    let reader = Arc::clone(&shared);
    thread("rows", move || reader.read(input, &turns))?;
    let count = shared.how.concurrency.clamp(1, 16);
    let (announcer, queue) = queue(&shared, count, taken, controls.clone());
    tokio::spawn(announcer.run());
    let queue = Arc::new(queue);
    let mut senders = JoinSet::new();
    for _ in 0..count {
        let sender = Sender { shared: Arc::clone(&shared), queue: Arc::clone(&queue), controls: controls.clone() };
        senders.spawn(sender.run());
    }
    let keeper = tokio::spawn(keep_up(Arc::clone(&shared)));
    listen(&shared, senders, controls).await;
    keeper.abort();
    queue.give_back(&shared).await;
    Ok(summary(&shared))
}

/// Has the journal written while nothing new is sent.
async fn keep_up(shared: Arc<Shared>) {
    if let Some(journal) = &shared.work.journal {
        shared.end(ImportEnded::Failed(journal.keep_up().await));
    }
}

/// Asks for one animal: whether the service is there, accepts the key and keeps idempotency keys, and what time it is
/// there.
async fn probe(client: &Client) -> Result<Option<Timestamp>, ApiError> {
    match client.date().await {
        Err(error @ (ApiError::NotSent(_) | ApiError::ConnectTimeout(_))) => Err(error),
        Err(error) if error.is_unauthorized() => Err(error),
        Ok(date) => Ok(date),
        // A key may be for adding only, and what may pass by is waited for while sending.
        Err(_) => Ok(None),
    }
}

/// Waits for the senders, and does what is wished.
async fn listen(shared: &Shared, mut senders: JoinSet<()>, mut controls: watch::Receiver<ImportControl>) {
    let ending = async {
        shared.halt.cancelled().await;
        tokio::time::sleep(shared.how.patience.stop_within).await;
    };
    tokio::pin!(ending);
    loop {
        tokio::select! {
            ended = senders.join_next() => {
                if ended.is_none() {
                    return;
                }
            }
            Ok(()) = controls.changed() => {
                let control = *controls.borrow_and_update();
                match control {
                    ImportControl::Go => shared.pace.forgive(clock::now().mono),
                    ImportControl::Pause => {}
                    ImportControl::Stop => shared.end(ImportEnded::Stopped),
                    ImportControl::Abort => {
                        shared.end(ImportEnded::Stopped);
                        break;
                    }
                }
            }
            () = &mut ending => break,
        }
    }
    // What is still under way stays in the journal as sent without an outcome.
    senders.shutdown().await;
    shared.progress.send_modify(ImportProgress::abandon);
}

fn summary(shared: &Shared) -> Summary {
    let ended = shared.ended.lock().unwrap_or_else(PoisonError::into_inner).take();
    // It is halted without a reason where nobody waits for its end any more.
    let ended = ended.unwrap_or(if shared.halt.is_cancelled() { ImportEnded::Stopped } else { ImportEnded::Complete });
    let done = matches!(ended, ImportEnded::Complete);
    let at = clock::now().wall;
    shared.note(|journal| if done { journal.end(at) } else { Ok(()) });
    if let Some(journal) = &shared.work.journal
        && let Err(error) = journal.close()
    {
        shared.end(ImportEnded::Failed(error));
    }
    let failed = shared.ended.lock().unwrap_or_else(PoisonError::into_inner).take();
    let progress = shared.progress.borrow().clone();
    let undone = shared.work.good.map(|good| good.saturating_sub(progress.dealt_with()));
    let left = if done { Some(progress.not_sent) } else { undone };
    let report = shared.work.journal.as_ref().map(|journal| journal.path.clone());
    Summary { ended: failed.unwrap_or(ended), left, report, progress }
}
