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
            // Each with its length, so that nothing can move from one column to the next.
            match value {
                Value::Int(number) => hash.update(number.to_be_bytes()),
                Value::OptionalInt(None) => hash.update([0]),
                Value::OptionalInt(Some(number)) => {
                    hash.update([1]);
                    hash.update(number.to_be_bytes());
                }
                Value::Text(text) => {
                    hash.update((text.len() as u64).to_be_bytes());
                    hash.update(text);
                }
                Value::OptionalText(None) => hash.update([0]),
                Value::OptionalText(Some(text)) => {
                    hash.update([1]);
                    hash.update((text.len() as u64).to_be_bytes());
                    hash.update(text);
                }
                Value::Bytes(bytes) => {
                    hash.update((bytes.len() as u64).to_be_bytes());
                    hash.update(bytes);
                }
            }
        }
        let hash: [u8; 32] = hash.finalize().into();
        let half = hash.first_chunk().copied().unwrap_or_default();
        self.rows += 1;
        self.hashes = self.hashes.wrapping_add(u128::from_be_bytes(half));
    }
}
