//! When and by which API key each pet was added: recorded in the transaction of the pet, unless that is turned off.

use std::sync::atomic::Ordering;

use jiff::Timestamp;

use super::job::Work;
use super::keys::{KeyId, SESSION_KEY, SESSION_NAME};
use super::value_row::{Connection, DatabaseError, Row, Value};
use super::{Store, StoreError, sql};
use crate::clock::Now;
use crate::model::{AddedBy, PetId, Provenance};

/// What is recorded of an addition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// Unix seconds.
    at: i64,
    by: Option<KeyId>,
}

/// What is stored as the time that was not recorded.
const NO_TIME: i64 = 0;

impl Store {
    /// Whether to record, from now on, when and by which key pets are added. By default it is.
    pub fn set_provenance(&self, is_recorded: bool) {
        self.inner.is_provenance_recorded.store(is_recorded, Ordering::Relaxed);
    }

    /// When and by which key the pet of this id was added; `None` if there is no such pet.
    pub async fn provenance(&self, id: PetId) -> Result<Option<Provenance>, StoreError> {
        Ok(self.inner.database.read(Find(id)).await?)
    }

    pub(super) fn origin(&self, by: Option<KeyId>, now: Now) -> Origin {
        if self.inner.is_provenance_recorded.load(Ordering::Relaxed) {
            Origin { at: now.wall.as_second(), by }
        } else {
            Origin { at: NO_TIME, by: None }
        }
    }
}

impl Origin {
    /// The time and the key.
    pub(super) fn values(&self) -> [Value<'_>; 2] {
        [Value::Int(self.at), Value::text(self.by.as_ref().map(KeyId::as_str))]
    }
}

struct Find(PetId);

impl Work for Find {
    type Output = Option<Provenance>;

    async fn run(&self, on: &Connection<'_>) -> Result<Option<Provenance>, DatabaseError> {
        on.row(sql::PROVENANCE, &[Value::Int(self.0)], |row| provenance(&row, 0)).await
    }
}

/// The time, the id of the key and its name in three columns from `first` on.
pub(super) fn provenance(row: &Row<'_>, first: usize) -> Result<Provenance, DatabaseError> {
    let at = Some(row.int(first)?).filter(|at| *at != NO_TIME);
    let (key, name) = (row.optional_text(first + 1)?, row.optional_text(first + 2)?);
    let added_by = key.map(|key| {
        let name = name.or_else(|| (key == SESSION_KEY.as_str()).then_some(SESSION_NAME));
        AddedBy { key: key.to_owned(), name: name.map(str::to_owned) }
    });
    Ok(Provenance { added_at: at.and_then(|at| Timestamp::from_second(at).ok()), added_by })
}
