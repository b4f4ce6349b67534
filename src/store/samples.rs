//! Many sample animals in one transaction.

use sqlx::{QueryBuilder, Sqlite, Transaction};

use crate::model::samples::sample;
use crate::model::{PetId, PetStatus};

/// Rows in one statement; four values each must stay below SQLite's limit of 32,766.
const CHUNK: usize = 1000;

/// Adds `count` animals and returns the last id, 0 for none.
pub(super) async fn insert(
    transaction: &mut Transaction<'_, Sqlite>,
    count: usize,
    created_at: i64,
) -> Result<PetId, sqlx::Error> {
    let mut last = 0;
    for first in (0..count).step_by(CHUNK) {
        let mut insert = QueryBuilder::new("INSERT INTO pets (name, category_id, status, created_at) ");
        insert.push_values((first..count.min(first + CHUNK)).map(sample), |mut row, pet| {
            let status = pet.status.unwrap_or(PetStatus::Available);
            row.push_bind(pet.name).push_bind(pet.category_id).push_bind(status.as_str()).push_bind(created_at);
        });
        last = insert.build().persistent(false).execute(&mut **transaction).await?.last_insert_rowid();
    }
    Ok(last)
}
