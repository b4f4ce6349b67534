//! An animal as it is stored.

use super::value_row::{DatabaseError, Row};
use crate::model::{ObservedStatus, Pet};

pub(super) fn pet(row: Row<'_>) -> Result<Pet, DatabaseError> {
    let status = row.text(3)?;
    let status = status.parse().map_or_else(|_| ObservedStatus::Unknown(status.to_owned()), ObservedStatus::Known);
    Ok(Pet { id: row.int(0)?, name: row.text(1)?.to_owned(), category_id: row.int(2)?, status: Some(status) })
}
