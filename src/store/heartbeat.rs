//! Whether anything can be written, found out by writing.

use std::time::Duration;

use uuid::Uuid;

use super::job::Work;
use super::sql;
use super::value_row::{Connection, DatabaseError, Value};

/// How long a caller waits for it.
pub(super) const BEAT_TIME: Duration = Duration::from_millis(1500);

/// Writes as adding a pet does, and leaves nothing behind.
pub(super) struct Heartbeat(String);

impl Heartbeat {
    /// No two of them write the same row, so that no instance waits for another.
    pub(super) fn new() -> Self {
        Self(Uuid::new_v4().to_string())
    }
}

impl Work for Heartbeat {
    type Output = ();

    async fn run(&self, on: &Connection<'_>) -> Result<(), DatabaseError> {
        on.execute(sql::MAY_ADD, &[]).await?;
        let key = Value::Text(&self.0);
        on.execute(sql::ADD_HEARTBEAT, &[key, Value::Bytes(&[0; 32])]).await?;
        on.execute(sql::END_HEARTBEAT, &[key]).await.map(drop)
    }
}
