//! How many connections the process has file descriptors for.

use std::thread;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::server::Config;

/// Descriptors for everything but connections: the database, listeners, certificates.
const OTHERS: u64 = 64;

/// Raises the soft limit to the hard one, and returns the number of connections: the service's default, or fewer to leave
/// descriptors for the rest.
pub(super) fn places() -> usize {
    let limit = getrlimit(Resource::Nofile);
    // If that is not allowed, the soft limit counts.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    // Each thread may read SQLite's file and its write-ahead log.
    let others = OTHERS + 4 * thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    within(getrlimit(Resource::Nofile).current, others)
}

/// `limit` is the most descriptors, if there is one.
fn within(limit: Option<u64>, others: u64) -> usize {
    let most = Config::default().connections;
    // At least half of them are for clients.
    limit.map_or(most, |limit| usize::try_from(limit - others.min(limit / 2)).map_or(most, |places| places.min(most)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_the_rest() {
        for (limit, places) in [(1024, 952), (1096, 1024), (1 << 20, 1024), (144, 72), (64, 32), (3, 2)] {
            assert_eq!(within(Some(limit), 72), places, "{limit}");
        }
        assert_eq!(within(None, 72), 1024);
    }
}
