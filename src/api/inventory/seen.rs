//! The ids that have come, in little memory where they come in ascending order, as services with pages give them.

use std::collections::HashSet;

use crate::model::PetId;

/// A set of ids. While they arrive in ascending order, only the steps between them are stored, usually a byte each; after
/// that, the ids themselves.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The steps from each id to the next, seven bits a byte, the lowest first.
    steps: Vec<u8>,
    last: Option<PetId>,
    all: HashSet<PetId>,
    count: usize,
}

impl Seen {
    /// Takes an id: whether it is new.
    pub(super) fn insert(&mut self, id: PetId) -> bool {
        let is_new = if self.all.is_empty() && self.last.is_none_or(|last| id > last) {
            self.step(id);
            true
        } else {
            if self.all.is_empty() {
                self.all = self.ids();
                self.steps = Vec::new();
            }
            self.all.insert(id)
        };
        self.count += usize::from(is_new);
        is_new
    }

    pub(super) const fn len(&self) -> usize {
        self.count
    }

    fn step(&mut self, id: PetId) {
        let mut step = id.wrapping_sub(self.last.unwrap_or(0)).cast_unsigned();
        while step > 0x7f {
            self.steps.push(step as u8 | 0x80);
            step >>= 7;
        }
        self.steps.push(step as u8);
        self.last = Some(id);
    }

    fn ids(&self) -> HashSet<PetId> {
        let (mut ids, mut id, mut step, mut shift) = (HashSet::with_capacity(self.count), 0_i64, 0_u64, 0);
        for byte in &self.steps {
            step |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                id = id.wrapping_add_unsigned(step);
                ids.insert(id);
                (step, shift) = (0, 0);
            }
        }
        ids
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_ids_in_order_take_a_megabyte() {
        let mut seen = Seen::default();
        assert!((1..=1_000_000).all(|id| seen.insert(id)));
        assert!(seen.steps.len() <= 1_000_000 && seen.all.is_empty());
        assert!(!seen.insert(7) && seen.insert(0) && seen.insert(2_000_000));
        assert_eq!(seen.len(), 1_000_002);
    }

    proptest::proptest! {
        #[test]
        fn it_tells_the_same_as_a_set(mut ids: Vec<i64>, sorted: bool) {
            if sorted {
                ids.sort_unstable();
            }
            let (mut seen, mut set) = (Seen::default(), HashSet::new());
            for id in ids {
                proptest::prop_assert_eq!(seen.insert(id), set.insert(id), "{}", id);
            }
            proptest::prop_assert_eq!(seen.len(), set.len());
        }
    }
}
