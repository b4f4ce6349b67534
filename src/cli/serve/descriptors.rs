//! How many connections and event streams the process has file descriptors for.

use std::thread;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::server::Config;

/// Descriptors for everything but connections: the database, listeners, certificates.
const OTHERS: u64 = 64;

/// How many connections there may be at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// With requests.
    pub(super) connections: usize,
    /// With event streams.
    pub(super) streams: usize,
}

/// Raises the soft limit to the hard one, and returns the number of connections: the service's default, or fewer to leave
/// descriptors for the rest.
pub(super) fn places() -> Places {
    let limit = getrlimit(Resource::Nofile);
    // If that is not allowed, the soft limit counts.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    // Each thread may read SQLite's file and its write-ahead log.
    let others = OTHERS + 4 * thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    within(getrlimit(Resource::Nofile).current, others)
}

/// `limit` is the most descriptors, if there is one.
fn within(limit: Option<u64>, others: u64) -> Places {
    let Config { connections, streams, .. } = Config::default();
    // At least half of them are for clients, and of these a third for streams.
    let all = limit.map_or(usize::MAX, |limit| usize::try_from(limit - others.min(limit / 2)).unwrap_or(usize::MAX));
    let connections = connections.min(all - all / 3);
    Places { connections, streams: streams.min(all - connections) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_the_rest() {
        let within = |limit| {
            let Places { connections, streams } = within(limit, 72);
            (connections, streams)
        };
        for (limit, places) in [
            (1024, (635, 317)),
            (1608, (1024, 512)),
            (4096, (1024, 2048)),
            (1 << 20, (1024, 2048)),
            (144, (48, 24)),
            (64, (22, 10)),
            (3, (2, 0)),
        ] {
            assert_eq!(within(Some(limit)), places, "{limit}");
        }
        assert_eq!(within(None), (1024, 2048));
    }
}
