//! Bodies that are slow to arrive: a bounded number for each API key, so that no key takes the places of the others.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::store::KeyId;

/// What part of all connections may be slow bodies with the same key.
const PART: usize = 4;

/// How many there are with each key.
#[derive(Debug)]
pub(super) struct SlowBodies {
    most: usize,
    of_key: Mutex<HashMap<KeyId, usize>>,
}

/// One of them, until this is dropped.
#[derive(Debug)]
pub(super) struct SlowBody<'a> {
    bodies: &'a SlowBodies,
    key: KeyId,
}

impl SlowBodies {
    pub(super) fn new(connections: usize) -> Self {
        Self { most: connections.div_ceil(PART), of_key: Mutex::default() }
    }

    /// One more, unless there are too many with this key.
    pub(super) fn begin(&self, key: KeyId) -> Option<SlowBody<'_>> {
        let mut of_key = self.of_key.lock();
        let count = of_key.entry(key).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(SlowBody { bodies: self, key })
    }
}

impl Drop for SlowBody<'_> {
    fn drop(&mut self) {
        let mut of_key = self.bodies.of_key.lock();
        if let Some(count) = of_key.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                of_key.remove(&self.key);
            }
        }
    }
}
