//! How a schema differs from the one that the migrations make.

use std::collections::BTreeMap;

use super::database_error::DatabaseError;
use crate::model::text::short;

/// The most differences that are named.
const MOST: usize = 5;

/// What a schema consists of: each object by its kind and name, and how it is defined.
pub(super) type Objects<T> = BTreeMap<String, T>;

/// An error that says how `found` differs from `ours`.
pub(super) fn require_same<T: PartialEq>(ours: &Objects<T>, found: &Objects<T>) -> Result<(), DatabaseError> {
    let missing =
        ours.keys().filter(|name| !found.contains_key(*name)).map(|name| format!("{} is missing", short(name)));
    let other = found.iter().filter_map(|(name, definition)| match ours.get(name) {
        None => Some(format!("{} was added", short(name))),
        Some(ours) => (ours != definition).then(|| format!("{} was changed", short(name))),
    });
    let all: Vec<_> = missing.chain(other).take(MOST).collect();
    if all.is_empty() { Ok(()) } else { Err(DatabaseError::Changed(all.join(", "))) }
}
