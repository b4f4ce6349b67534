//! Whether commits get through.
//!
//! With synchronous standbys that are all away a commit waits for ever, and neither a time limit of the server nor the
//! end of the connection ends that. So every commit is counted while it is under way. Where one has waited too long, no
//! other is begun, but for one at a time that finds out whether it is over.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{Semaphore, watch};

use crate::clock;
use crate::store::StoreFailure;

/// How long a commit may take before no other is begun.
pub(super) const STUCK: Duration = Duration::from_secs(2);

/// For how long a commit shows that others get through.
const SHOWN: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct CommitMonitor {
    commits: Mutex<Commits>,
    /// For the one that finds out.
    pub(super) beating: Arc<Semaphore>,
    /// How the last one of these ended.
    pub(super) beats: watch::Sender<Result<(), StoreFailure>>,
}

#[derive(Debug, Default)]
struct Commits {
    ever: u64,
    /// When each that is under way was begun, and at which host.
    pending: BTreeMap<u64, (Instant, usize)>,
    /// When the last one that is known to be done was begun, and was done.
    done: Option<(Instant, Instant)>,
}

/// A commit that is under way until this is dropped.
#[derive(Debug)]
pub(super) struct Commit {
    pulse: Arc<CommitMonitor>,
    number: u64,
    begun: Instant,
}

impl Default for CommitMonitor {
    fn default() -> Self {
        let (beating, beats) = (Arc::new(Semaphore::new(1)), watch::Sender::new(Ok(())));
        Self { commits: Mutex::default(), beating, beats }
    }
}

impl CommitMonitor {
    pub(super) fn begin(self: &Arc<Self>, host: usize) -> Commit {
        let begun = clock::now().mono;
        let mut commits = self.commits.lock();
        commits.ever += 1;
        let number = commits.ever;
        commits.pending.insert(number, (begun, host));
        Commit { pulse: Arc::clone(self), number, begun }
    }

    /// Whether a commit has waited too long, and none that was begun after it is done.
    pub(super) fn is_stuck(&self) -> bool {
        self.has_stuck(|_| true)
    }

    /// The same of the commits at one host.
    pub(super) fn is_stuck_at(&self, host: usize) -> bool {
        self.has_stuck(|at| at == host)
    }

    fn has_stuck(&self, is_asked: impl Fn(usize) -> bool) -> bool {
        let (now, commits) = (clock::now().mono, self.commits.lock());
        let passed = |begun: Instant| commits.done.is_some_and(|(later, _)| later > begun);
        let has_waited = |begun| now.saturating_duration_since(begun) >= STUCK && !passed(begun);
        commits.pending.values().any(|&(begun, host)| is_asked(host) && has_waited(begun))
    }

    /// Whether no commit is under way, not even one whose caller has gone away.
    pub(super) fn is_quiet(&self) -> bool {
        self.commits.lock().pending.is_empty()
    }

    /// Whether a commit was done just now.
    pub(super) fn is_felt(&self) -> bool {
        let now = clock::now().mono;
        self.commits.lock().done.is_some_and(|(_, at)| now.saturating_duration_since(at) < SHOWN)
    }
}

impl Commit {
    /// It is done, and has written something.
    pub(super) fn done(self) {
        let now = clock::now().mono;
        let mut commits = self.pulse.commits.lock();
        let done = commits.done.filter(|(begun, _)| *begun > self.begun);
        commits.done = Some((done.map_or(self.begun, |(begun, _)| begun), now));
    }
}

impl Drop for Commit {
    fn drop(&mut self) {
        self.pulse.commits.lock().pending.remove(&self.number);
    }
}
