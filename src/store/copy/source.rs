//! The store that is copied, as it is at one moment.

use tokio::time::timeout;

use super::tables::{Record, Table};
use crate::store::postgres::{ANSWER_TIME, Session};
use crate::store::value_row::Connection;
use crate::store::{DatabaseUrl, StoreError, StoreFailure, postgres, sqlite};

/// A connection in a transaction that only reads.
pub(super) enum Source {
    Sqlite(rusqlite::Connection),
    Postgres(Session),
}

impl Source {
    pub(super) async fn open(url: &DatabaseUrl) -> Result<Self, StoreError> {
        match url {
            DatabaseUrl::Sqlite(path) => Ok(Self::Sqlite(sqlite::moment(path)?)),
            DatabaseUrl::Postgres(url) => Ok(Self::Postgres(postgres::moment(url).await?)),
        }
    }

    pub(super) async fn page(
        &mut self,
        table: &Table,
        last: Option<&Record>,
        limit: i64,
    ) -> Result<Vec<Record>, StoreFailure> {
        let on = match self {
            Self::Sqlite(connection) => Connection::sqlite(connection),
            Self::Postgres(session) => Connection::Postgres(session),
        };
        let page = timeout(ANSWER_TIME, table.page(&on, last, limit)).await;
        Ok(page.map_err(|_| StoreFailure::NoAnswer)??)
    }
}
