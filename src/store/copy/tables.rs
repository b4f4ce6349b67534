//! What is copied: every row of these tables.

use sha2::{Digest, Sha256};

use crate::store::sql;
use crate::store::value_row::{Connection, DatabaseError, Row, Value};

use self::Column::{Hash, Int, Text};

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

pub(super) const TABLES: [Table; 4] = [
    Table {
        name: "pets",
        columns: &[Int, Text, Int, Text, Int, Text],
        keys: 1,
        export: sql::EXPORT_PETS,
        import: sql::IMPORT_PET,
    },
    Table {
        name: "API keys",
        columns: &[Text, Hash, Text, Text, Int, Int, Int, Int],
        keys: 1,
        export: sql::EXPORT_KEYS,
        import: sql::IMPORT_KEY,
    },
    Table {
        name: "events of keys",
        columns: &[Int, Int, Text, Text, Text],
        keys: 1,
        export: sql::EXPORT_KEY_EVENTS,
        import: sql::IMPORT_KEY_EVENT,
    },
    Table {
        name: "Idempotency-Keys",
        columns: &[Text, Text, Hash, Int, Int],
        keys: 2,
        export: sql::EXPORT_CREATIONS,
        import: sql::IMPORT_CREATION,
    },
];

impl Table {
    pub(super) fn is_of_pets(&self) -> bool {
        self.name == TABLES[0].name
    }

    /// At most `limit` rows, after `last` in the order of their keys.
    pub(super) async fn page(
        &self,
        on: &Connection<'_>,
        last: Option<&Record>,
        limit: i64,
    ) -> Result<Vec<Record>, DatabaseError> {
        // Before any key: ids of pets are positive, and no text is empty.
        let first = |column: &Column| if matches!(column, Int) { Value::Int(i64::MIN) } else { Value::Text("") };
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
                Int => row.optional_int(number)?.map_or(Owned::Null, Owned::Int),
                Text => row.optional_text(number)?.map_or(Owned::Null, |text| Owned::Text(text.to_owned())),
                Hash => Owned::Hash(row.bytes(number)?),
            })
        };
        self.columns.iter().enumerate().map(value).collect::<Result<_, _>>().map(Record)
    }
}

impl Record {
    pub(super) fn values(&self) -> impl ExactSizeIterator<Item = Value<'_>> {
        self.0.iter().map(|value| match value {
            Owned::Null => Value::Null,
            Owned::Int(number) => Value::Int(*number),
            Owned::Text(text) => Value::Text(text),
            Owned::Hash(bytes) => Value::Bytes(bytes),
        })
    }
}

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
            // Each with its kind and length, so that nothing can move from one column to the next.
            let number;
            let (kind, bytes): (u8, &[u8]) = match value {
                Value::Null => (0, &[]),
                Value::Int(int) => {
                    number = int.to_be_bytes();
                    (1, &number)
                }
                Value::Text(text) => (2, text.as_bytes()),
                Value::Bytes(bytes) => (3, bytes),
            };
            hash.update([kind]);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        }
        let hash: [u8; 32] = hash.finalize().into();
        let half = hash.first_chunk().copied().unwrap_or_default();
        self.rows += 1;
        self.hashes = self.hashes.wrapping_add(u128::from_be_bytes(half));
    }
}
