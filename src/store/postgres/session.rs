//! One connection while it is in use.

use std::error::Error;

use bytes::BytesMut;
use deadpool_postgres::Object;
use futures_util::{TryStreamExt as _, pin_mut};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Row, RowStream};

use crate::store::connection::{DatabaseError, Value};

/// A connection, which goes back to the others only by [`release`](Self::release): one that is dropped half-way is
/// closed, and with it the transaction that it was in.
pub(in crate::store) struct Session {
    client: Option<Object>,
    by_name: bool,
}

impl Session {
    pub(super) fn new(client: Object, by_name: bool) -> Self {
        Self { client: Some(client), by_name }
    }

    /// Gives it back; closes it where it is not `sound`.
    pub(super) fn release(mut self, sound: bool) {
        if sound {
            drop(self.client.take());
        }
    }

    fn client(&self) -> Result<&Object, DatabaseError> {
        self.client.as_ref().ok_or(DatabaseError::Vanished)
    }

    /// What `read` makes of each row.
    pub(in crate::store) async fn rows<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl Fn(&Row) -> Result<T, DatabaseError>,
    ) -> Result<Vec<T>, DatabaseError> {
        let rows = self.query(sql, values).await?;
        pin_mut!(rows);
        let mut all = Vec::new();
        while let Some(row) = rows.try_next().await? {
            all.push(read(&row)?);
        }
        Ok(all)
    }

    /// How many rows were written.
    pub(in crate::store) async fn execute(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, DatabaseError> {
        let rows = self.query(sql, values).await?;
        pin_mut!(rows);
        while rows.try_next().await?.is_some() {}
        Ok(rows.rows_affected().unwrap_or_default())
    }

    /// Sends `rows`, whose values are of the kinds of `example`, to a COPY statement; all are written, or none.
    pub(in crate::store) async fn copy_in<'v, R>(
        &self,
        sql: &str,
        example: R,
        rows: impl Iterator<Item = R>,
    ) -> Result<(), DatabaseError>
    where
        R: ExactSizeIterator<Item = Value<'v>>,
    {
        let types: Vec<Type> = example.map(|value| value.kind()).collect();
        let writer = BinaryCopyInWriter::new(self.client()?.copy_in(sql).await?, &types);
        pin_mut!(writer);
        for row in rows {
            writer.as_mut().write_raw(row).await?;
        }
        Ok(writer.finish().await.map(drop)?)
    }

    /// Statements without values and answers.
    pub(super) async fn batch(&self, sql: &str) -> Result<(), DatabaseError> {
        Ok(self.client()?.batch_execute(sql).await?)
    }

    async fn query(&self, sql: &str, values: &[Value<'_>]) -> Result<RowStream, DatabaseError> {
        let client = self.client()?;
        if self.by_name {
            let statement = client.prepare_cached(sql).await?;
            Ok(client.query_raw(&statement, values).await?)
        } else {
            // In one go with its parameters, under no name: the next statement may be another connection's.
            let typed = values.iter().map(|value| (value, value.kind()));
            Ok(client.query_typed_raw(sql, typed).await?)
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.client.take().map(Object::take));
    }
}

impl Value<'_> {
    const fn kind(&self) -> Type {
        match self {
            Self::Int(_) | Self::OptionalInt(_) => Type::INT8,
            Self::Text(_) => Type::TEXT,
            Self::Bytes(_) => Type::BYTEA,
        }
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Int(number) => number.to_sql(kind, out),
            Self::OptionalInt(number) => number.to_sql(kind, out),
            Self::Text(text) => text.to_sql(kind, out),
            Self::Bytes(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::INT8 | Type::TEXT | Type::BYTEA)
    }

    to_sql_checked!();
}
