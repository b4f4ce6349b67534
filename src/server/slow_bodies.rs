//! Bodies that are slow to arrive: a bounded number for each API key, so that no key takes the places of the others.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::store::KeyId;

/// What part of all connections may be slow bodies with the same key.
const PART: usize = 4;

/// Those with each key. One of them lasts until what [`Self::begin`] gives is dropped.
#[derive(Debug)]
pub(super) struct SlowBodies {
    most: usize,
    of_key: Mutex<HashMap<KeyId, Arc<()>>>,
}

impl SlowBodies {
    pub(super) fn new(connections: usize) -> Self {
        Self { most: connections.div_ceil(PART), of_key: Mutex::default() }
    }

    /// One more, unless there are too many with this key.
    pub(super) fn begin(&self, key: KeyId) -> Option<Arc<()>> {
        let mut of_key = self.of_key.lock();
        of_key.retain(|_, body| Arc::strong_count(body) > 1);
        let body = of_key.entry(key).or_default();
        (Arc::strong_count(body) <= self.most).then(|| Arc::clone(body))
    }
}
