//! Whether two tables hold the same rows, in whatever order they come.

use sha2::{Digest, Sha256};

use super::tables::Record;
use crate::store::value_row::Value;

/// The number of rows, and the sum of their hashes. Different tables do not have the same sum by chance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) rows: u64,
    hashes: u128,
}

impl Sum {
    pub(super) fn add(&mut self, row: &Record) {
        let mut hash = Sha256::new();
        for value in row.values() {
            // Each with its kind and length, so that nothing can move from one column to the next.
            let number;
            let (kind, bytes): (u8, &[u8]) = match value {
                Value::Null => (0, &[]),
                Value::Int(int) => {
                    number = int.to_be_bytes();
                    (1, &number)
                }
                Value::Text(text) => (2, text.as_bytes()),
                Value::Bytes(bytes) => (3, bytes),
            };
            hash.update([kind]);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        }
        let hash: [u8; 32] = hash.finalize().into();
        let half = hash.first_chunk().copied().unwrap_or_default();
        self.rows += 1;
        self.hashes = self.hashes.wrapping_add(u128::from_be_bytes(half));
    }
}
