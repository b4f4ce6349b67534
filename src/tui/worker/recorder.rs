//! Records of requests on their way to the screen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc;

use crate::api::{Exchange, Recorder};
use crate::tui::msg::Recorded;

/// Records that may wait: more than one job sends without a reply in between.
const QUEUE: usize = 512;

/// The recorder for a client, and where its records come out. Never waits: what does not fit is counted, and reported with
/// the next one that does.
pub(super) fn recorder() -> (Recorder, mpsc::Receiver<Recorded>) {
    let (records, coming) = mpsc::channel(QUEUE);
    let missed = AtomicU64::new(0);
    let tell = move |exchange: Exchange| {
        let before = missed.swap(0, Ordering::Relaxed);
        if records.try_send(Recorded { exchange: Box::new(exchange), missed: before }).is_err() {
            missed.fetch_add(before + 1, Ordering::Relaxed);
        }
    };
    (Arc::new(tell), coming)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_counted_and_nobody_waits() {
        let (tell, mut coming) = recorder();
        for _ in 0..QUEUE + 3 {
            tell(Exchange::default());
        }
        let first = coming.try_recv().unwrap();
        assert_eq!((first.missed, &*first.exchange), (0, &Exchange::default()));
        tell(Exchange::default());
        let missed: Vec<u64> = std::iter::from_fn(|| coming.try_recv().ok()).map(|recorded| recorded.missed).collect();
        assert_eq!((missed.len(), missed.iter().sum::<u64>(), missed.last()), (QUEUE, 3, Some(&3)));
        drop(coming);
        tell(Exchange::default());
    }
}
