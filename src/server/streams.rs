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
    count: usize,
    /// Cancelled once the key is not valid any more.
    end: CancellationToken,
}

/// The place of one stream, until this is dropped.
#[derive(Debug)]
pub(super) struct StreamPlace {
    streams: Arc<Streams>,
    key: KeyId,
    pub(super) end: CancellationToken,
    waiting: Option<Arc<Waiting>>,
}

impl Streams {
    pub(super) fn new(most: usize, open: Gauge) -> Self {
        Self { most, of_key: Mutex::default(), open }
    }

    /// One more, unless there are too many. Its connection gives its own place to others.
    pub(super) fn begin(self: &Arc<Self>, key: KeyId, waiting: Option<Arc<Waiting>>) -> Option<StreamPlace> {
        let mut of_key = self.of_key.lock();
        let all: usize = of_key.values().map(|of_key| of_key.count).sum();
        let most = self.most.div_ceil(PART);
        if all >= self.most || of_key.get(&key).is_some_and(|of_key| of_key.count >= most) {
            return None;
        }
        let entry = of_key.entry(key).or_default();
        entry.count += 1;
        self.open.inc();
        let end = entry.end.clone();
        waiting.as_ref().inspect(|waiting| waiting.begin_stream());
        Some(StreamPlace { streams: Arc::clone(self), key, end, waiting })
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
        let mut of_key = self.streams.of_key.lock();
        if let Some(entry) = of_key.get_mut(&self.key) {
            entry.count -= 1;
            if entry.count == 0 {
                of_key.remove(&self.key);
            }
        }
        self.streams.open.dec();
        self.waiting.iter().for_each(|waiting| waiting.end_stream());
    }
}
