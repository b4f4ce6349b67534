//! What is copied: every row of these tables.

use crate::store::sql;
use crate::store::value_row::{Connection, DatabaseError, Row, Value};

/// What a column holds, if it holds something.
#[derive(Clone, Copy, Debug)]
enum Column {
    Int,
    Text,
    Hash,
}

/// An owned value.
#[derive(Clone, Debug)]
enum Owned {
    Null,
    Int(i64),
    Text(String),
    Hash([u8; 32]),
}

/// One row of a table.
#[derive(Clone, Debug)]
pub(super) struct Record(Vec<Owned>);

#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    columns: &'static [Column],
    /// How many of the first columns are the key, by which pages follow each other.
    keys: usize,
    export: &'static str,
    pub(super) import: &'static str,
}

pub(super) const PETS: Table = Table {
    name: "pets",
    columns: &[Column::Int, Column::Text, Column::Int, Column::Text, Column::Int, Column::Text],
    keys: 1,
    export: sql::EXPORT_PETS,
    import: sql::IMPORT_PET,
};

/// Small ones, which are copied from the beginning each time.
pub(super) const OTHERS: [Table; 3] = [
    Table {
        name: "API keys",
        columns: &[
            Column::Text,
            Column::Hash,
            Column::Text,
            Column::Text,
            Column::Int,
            Column::Int,
            Column::Int,
            Column::Int,
        ],
        keys: 1,
        export: sql::EXPORT_KEYS,
        import: sql::IMPORT_KEY,
    },
    Table {
        name: "events of keys",
        columns: &[Column::Int, Column::Int, Column::Text, Column::Text, Column::Text],
        keys: 1,
        export: sql::EXPORT_KEY_EVENTS,
        import: sql::IMPORT_KEY_EVENT,
    },
    Table {
        name: "Idempotency-Keys",
        columns: &[Column::Text, Column::Text, Column::Hash, Column::Int, Column::Int],
        keys: 2,
        export: sql::EXPORT_CREATIONS,
        import: sql::IMPORT_CREATION,
    },
];

impl Table {
    /// At most `limit` rows, after `last` in the order of their keys.
    pub(super) async fn page(
        &self,
        on: &Connection<'_>,
        last: Option<&Record>,
        limit: i64,
    ) -> Result<Vec<Record>, DatabaseError> {
        // Before any key: ids of pets are positive, and no text is empty.
        let first =
            |column: &Column| if matches!(column, Column::Int) { Value::Int(i64::MIN) } else { Value::Text("") };
        let mut values: Vec<Value<'_>> = match last {
            Some(last) => last.values().take(self.keys).collect(),
            None => self.columns.iter().take(self.keys).map(first).collect(),
        };
        values.push(Value::Int(limit));
        on.rows(self.export, &values, |row| self.record(&row)).await
    }

    fn record(&self, row: &Row<'_>) -> Result<Record, DatabaseError> {
        let value = |(number, column): (usize, &Column)| {
            Ok(match column {
                Column::Int => row.optional_int(number)?.map_or(Owned::Null, Owned::Int),
                Column::Text => row.optional_text(number)?.map_or(Owned::Null, |text| Owned::Text(text.to_owned())),
                Column::Hash => Owned::Hash(row.bytes(number)?),
            })
        };
        self.columns.iter().enumerate().map(value).collect::<Result<_, _>>().map(Record)
    }
}

impl Record {
    /// Of a row whose key is one.
    pub(super) fn id(&self) -> Option<i64> {
        if let Some(Owned::Int(id)) = self.0.first() { Some(*id) } else { None }
    }

    pub(super) fn values(&self) -> impl ExactSizeIterator<Item = Value<'_>> {
        self.0.iter().map(|value| match value {
            Owned::Null => Value::Null,
            Owned::Int(number) => Value::Int(*number),
            Owned::Text(text) => Value::Text(text),
            Owned::Hash(bytes) => Value::Bytes(bytes),
        })
    }
}
