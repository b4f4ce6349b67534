//! What is copied: every row of these tables.

use sha2::{Digest as _, Sha256};

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
    /// As the databases call it.
    table: &'static str,
    /// The columns by which pages follow each other. They are the first ones.
    key: &'static str,
    columns: &'static str,
    kinds: &'static [Column],
}

pub(super) const TABLES: [Table; 4] = [
    Table {
        name: "pets",
        table: "pets",
        key: "id",
        columns: "id, name, category_id, status, created_at, added_by",
        kinds: &[Int, Text, Int, Text, Int, Text],
    },
    Table {
        name: "API keys",
        table: "api_keys",
        key: "id",
        columns: "id, hash, name, scopes, created_at, expires_at, last_used_at, revoked_at",
        kinds: &[Text, Hash, Text, Text, Int, Int, Int, Int],
    },
    Table {
        name: "events of keys",
        table: "key_events",
        key: "id",
        columns: "id, at, action, api_key_id, actor",
        kinds: &[Int, Int, Text, Text, Text],
    },
    Table {
        name: "Idempotency-Keys",
        table: "idempotency_keys",
        key: "api_key_id, idempotency_key",
        columns: "api_key_id, idempotency_key, fingerprint, pet_id, created_at",
        kinds: &[Text, Text, Hash, Int, Int],
    },
];

impl Table {
    pub(super) fn is_of_pets(&self) -> bool {
        self.name == TABLES[0].name
    }

    /// Writes one row.
    pub(super) fn import(&self) -> String {
        format!("INSERT INTO {} ({}) VALUES ({})", self.table, self.columns, numbered(self.kinds.len()))
    }

    /// Reads a page, after the row with a key.
    fn export(&self, keys: usize) -> String {
        let Self { table, key, columns, .. } = self;
        let (values, limit) = (numbered(keys), keys + 1);
        format!("SELECT {columns} FROM {table} WHERE ({key}) > ({values}) ORDER BY {key} LIMIT ${limit}")
    }

    /// At most `limit` rows, after `last` in the order of their keys.
    pub(super) async fn page(
        &self,
        on: &Connection<'_>,
        last: Option<&Record>,
        limit: i64,
    ) -> Result<Vec<Record>, DatabaseError> {
        let keys = self.key.split(", ").count();
        // Before any key: ids of pets are positive, and no text is empty.
        let first = |kind: &Column| if matches!(kind, Int) { Value::Int(i64::MIN) } else { Value::Text("") };
        let mut values: Vec<Value<'_>> = match last {
            Some(last) => last.values().take(keys).collect(),
            None => self.kinds.iter().take(keys).map(first).collect(),
        };
        values.push(Value::Int(limit));
        on.rows(&self.export(keys), &values, |row| self.record(&row)).await
    }

    fn record(&self, row: &Row<'_>) -> Result<Record, DatabaseError> {
        let value = |(number, column): (usize, &Column)| {
            Ok(match column {
                Int => row.int::<Option<i64>>(number)?.map_or(Owned::Null, Owned::Int),
                Text => row.optional_text(number)?.map_or(Owned::Null, |text| Owned::Text(text.to_owned())),
                Hash => Owned::Hash(row.bytes(number)?),
            })
        };
        self.kinds.iter().enumerate().map(value).collect::<Result<_, _>>().map(Record)
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

/// The parameters of a statement.
fn numbered(count: usize) -> String {
    (1..=count).map(|number| format!("${number}")).collect::<Vec<_>>().join(", ")
}

/// The number of rows, and the sum of their hashes. Different tables do not have the same sum by chance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) rows: u64,
    hashes: u128,
}

impl Sum {
    pub(super) fn add(&mut self, row: &Record) {
        // Each value with its kind, and texts in quotes, so that nothing can move from one column to the next.
        let hash: [u8; 32] = Sha256::digest(format!("{row:?}")).into();
        let half = hash.first_chunk().copied().unwrap_or_default();
        self.rows += 1;
        self.hashes = self.hashes.wrapping_add(u128::from_be_bytes(half));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_rows_have_each_column_once() {
        let [pets, .., creations] = &TABLES;
        assert_eq!(
            pets.export(1),
            "SELECT id, name, category_id, status, created_at, added_by FROM pets WHERE (id) > ($1) ORDER BY id LIMIT $2"
        );
        let columns = "api_key_id, idempotency_key, fingerprint, pet_id, created_at";
        assert_eq!(
            creations.export(2),
            format!(
                "SELECT {columns} FROM idempotency_keys WHERE (api_key_id, idempotency_key) > ($1, $2) \
                 ORDER BY api_key_id, idempotency_key LIMIT $3"
            )
        );
        let import = format!("INSERT INTO idempotency_keys ({columns}) VALUES ($1, $2, $3, $4, $5)");
        assert_eq!(creations.import(), import);
        for table in &TABLES {
            assert_eq!(table.columns.split(", ").count(), table.kinds.len(), "{}", table.name);
            assert!(table.columns.starts_with(table.key), "{}", table.name);
        }
    }

    #[test]
    fn rows_with_other_values_in_any_column_have_another_sum() {
        let sum = |values: &[Owned]| {
            let mut sum = Sum::default();
            sum.add(&Record(values.to_vec()));
            sum
        };
        let text = |text: &str| Owned::Text(text.to_owned());
        let rows = [
            vec![text("a"), text("bc")],
            vec![text("ab"), text("c")],
            vec![text("a\", Text(\"bc"), text("")],
            vec![text("1"), Owned::Null],
            vec![Owned::Int(1), Owned::Null],
            vec![Owned::Null, Owned::Int(1)],
            vec![text(""), Owned::Int(1)],
            vec![Owned::Hash([0; 32])],
        ];
        for (number, row) in rows.iter().enumerate() {
            assert!(rows[..number].iter().all(|other| sum(other) != sum(row)), "{row:?}");
        }
    }
}
