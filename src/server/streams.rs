//! Places for event streams: a bounded number in all and for each API key, apart from those of other connections.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use prometheus_client::metrics::gauge::Gauge;
use tokio_util::sync::CancellationToken;

use super::connection::Waiting;
use crate::clock::Now;
use crate::store::{KeyId, Store};

/// What part of all streams may have the same key.
const PART: usize = 2;

/// The open streams.
#[derive(Debug)]
pub(super) struct Streams {
    most: usize,
    of_key: Mutex<HashMap<KeyId, OfKey>>,
    open: Gauge,
}

#[derive(Debug, Default)]
struct OfKey {
    /// Each of them has a clone.
    place: Arc<()>,
    /// Cancelled once the key is not valid any more.
    end: CancellationToken,
}

/// The place of one stream, until this is dropped.
#[derive(Debug)]
pub(super) struct StreamPlace {
    open: Gauge,
    _place: Arc<()>,
    pub(super) end: CancellationToken,
    waiting: Option<Arc<Waiting>>,
}

impl Streams {
    pub(super) fn new(most: usize, open: Gauge) -> Self {
        Self { most, of_key: Mutex::default(), open }
    }

    /// One more, unless there are too many. Its connection gives its own place to others.
    pub(super) fn begin(&self, key: KeyId, waiting: Option<Arc<Waiting>>) -> Option<StreamPlace> {
        let mut of_key = self.of_key.lock();
        of_key.retain(|_, of_key| Arc::strong_count(&of_key.place) > 1);
        let all: usize = of_key.values().map(|of_key| Arc::strong_count(&of_key.place) - 1).sum();
        let OfKey { place, end } = of_key.entry(key).or_default();
        if all >= self.most || Arc::strong_count(place) > self.most.div_ceil(PART) {
            return None;
        }
        self.open.inc();
        waiting.as_ref().inspect(|waiting| waiting.begin_stream());
        Some(StreamPlace { open: self.open.clone(), _place: Arc::clone(place), end: end.clone(), waiting })
    }

    /// Ends the streams whose keys are revoked or have expired; not where the database does not say.
    pub(super) async fn end_invalid(&self, store: &Store, now: Now) {
        let keys: Vec<_> = self.of_key.lock().keys().copied().collect();
        for key in keys {
            if matches!(store.is_valid_key(key, now).await, Ok(false))
                && let Some(ended) = self.of_key.lock().get(&key)
            {
                ended.end.cancel();
            }
        }
    }
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        self.open.dec();
        self.waiting.iter().for_each(|waiting| waiting.end_stream());
    }
}
