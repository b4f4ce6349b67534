//! Which jobs are running: the one freshness check of the app.
//!
//! A reply counts only if its id is the one that its slot waits for. Aborting an older job saves work; the id decides.

use std::time::Instant;

/// How many domains are checked at the same time.
pub const LANES: usize = 4;

/// How many lines are sent at the same time.
pub const LINES: usize = 8;

/// A kind of job of which one at a time matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// The rows of the table.
    List,
    /// Writing lines into their file. Never aborted.
    Queue,
    /// Sending a line, in one of `LINES` lanes. Never aborted.
    Line(usize),
    /// Searching for a line that may have been added.
    SearchForLine,
    /// Trying a typed key.
    TestKey,
    /// Adding samples to an empty store.
    Samples,
    /// Checking a domain, in one of `LANES` lanes.
    Check(usize),
    /// Writing the list of domains, and reading it back. Never aborted.
    Registry,
    /// Following the redirects of the configuration.
    Redirects,
    /// Choosing which resolvers are asked. Never aborted.
    Resolvers,
    /// Writing a text to a file. Never aborted.
    Write,
    /// Copying a text.
    Copy,
    /// Reading all pets.
    Inventory,
    /// Looking up a pet by its id.
    ById,
    /// The same, to sell it.
    Scanned,
    /// Following the pets that are added. Given up only with the service or its key.
    Follow,
    /// Asking who added pets.
    Provenance,
    /// Asking for the history of the pet in the detail.
    History,
    /// Writing the name of the theme. Never aborted.
    Theme,
    /// Writing the views. Never aborted.
    Views,
    /// Writing the session cache. Never aborted.
    Cache,
    /// Reading which profiles there are.
    Profiles,
    /// Asking the service of a profile for one pet.
    TestProfile,
    /// The same for a profile that is not written yet.
    TryProfile,
    /// Switching to another service. Never aborted: it must be known which one is in use.
    UseProfile,
    /// Writing a profile or its key. Never aborted.
    WriteProfile,
    /// Finding out where a key can be stored.
    KeyFile,
    /// Writing what is typed. Never aborted: a newer one comes after it.
    Drafts,
    /// Completing the path of a file.
    CompletePath,
    /// Checking a file before its import.
    CheckFile,
    /// Importing a file. Never aborted: it stops on request.
    Import,
    /// Running one of the user's own actions, by its number.
    Action(usize),
}

impl Slot {
    /// Whether it may be given up: nothing is lost or left half done.
    pub const fn is_cancellable(self) -> bool {
        use Slot::*;
        matches!(self, Action(_) | Check(_) | Redirects | CompletePath | TestProfile | TryProfile)
            || self.is_about_service() && !matches!(self, KeyFile | Follow | Scanned)
    }

    /// Whether a session over SSH may do it at all: nothing of it changes the server or names a file of it. Some have no
    /// configuration file to write to there, and `[ssh]` of the configuration decides whether there are actions.
    pub const fn is_allowed_over_ssh(self) -> bool {
        use Slot::*;
        matches!(self, List | Inventory | ById | Scanned | Follow | History | Provenance | Samples)
            || matches!(self, Queue | Line(_) | SearchForLine | Drafts | Cache | Action(_) | CheckFile | Import)
            || matches!(self, Copy | TestKey | Theme | Views)
    }

    /// Whether its answer is about the service in use, and nothing once there is another.
    pub const fn is_about_service(self) -> bool {
        use Slot::*;
        matches!(self, List | Inventory | ById | Scanned | Samples | SearchForLine)
            || matches!(self, CheckFile | TestKey | KeyFile | Follow | History | Provenance)
    }
}

/// Tells one job from every other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReqId(pub u64);

/// The jobs that are waited for.
#[derive(Clone, Debug, Default)]
pub struct PendingJobs {
    last: u64,
    running: Vec<(Slot, ReqId, Instant)>,
}

impl PendingJobs {
    /// Starts waiting for a new job in `slot`; an older one there is forgotten.
    pub fn begin(&mut self, slot: Slot, now: Instant) -> ReqId {
        self.last += 1;
        let id = ReqId(self.last);
        self.forget_all(|running| running == slot);
        self.running.push((slot, id, now));
        id
    }

    /// Whether a reply of job `id` is still waited for. Unless it `goes_on`, none is afterwards.
    pub fn takes(&mut self, id: ReqId, goes_on: bool) -> bool {
        let Some(at) = self.running.iter().position(|(_, running, _)| *running == id) else { return false };
        if !goes_on {
            self.running.remove(at);
        }
        true
    }

    /// Stops waiting for the jobs in matching slots; returns the slots that had one.
    pub fn forget_all(&mut self, such: impl Fn(Slot) -> bool) -> Vec<Slot> {
        self.running.extract_if(.., |(slot, ..)| such(*slot)).map(|(slot, ..)| slot).collect()
    }

    /// The slots in which something runs, and since when.
    pub fn running(&self) -> impl Iterator<Item = (Slot, Instant)> {
        self.running.iter().map(|(slot, _, since)| (*slot, *since))
    }

    /// Since when `slot` has been running.
    pub fn since(&self, slot: Slot) -> Option<Instant> {
        self.running().find(|(running, _)| *running == slot).map(|(_, since)| since)
    }

    /// Whether anything runs in `slot`.
    pub fn is_running(&self, slot: Slot) -> bool {
        self.since(slot).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    #[test]
    fn only_the_newest_job_of_a_slot_is_waited_for_and_only_once() {
        let now = clock::now().mono;
        let mut pending = PendingJobs::default();
        let old = pending.begin(Slot::List, now);
        let new = pending.begin(Slot::List, now);
        let other = pending.begin(Slot::Samples, now);
        assert!(!pending.takes(old, false));
        assert!(!pending.takes(old, true));
        assert!(pending.takes(new, true) && pending.takes(new, true));
        assert!(pending.takes(new, false));
        assert!(!pending.takes(new, false) && !pending.takes(new, true));
        assert!(pending.is_running(Slot::Samples) && pending.takes(other, false));
        assert!(!pending.is_running(Slot::Samples));
    }
}
