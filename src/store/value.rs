//! The values that go to a database.

/// One value of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Int(i64),
    OptionalInt(Option<i64>),
    Text(&'a str),
    OptionalText(Option<&'a str>),
    Bytes(&'a [u8]),
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        Ok(match *self {
            Self::Int(number) => number.into(),
            Self::OptionalInt(number) => number.map_or_else(|| rusqlite::types::Null.into(), Into::into),
            Self::Text(text) => text.into(),
            Self::OptionalText(text) => text.map_or_else(|| rusqlite::types::Null.into(), Into::into),
            Self::Bytes(bytes) => bytes.into(),
        })
    }
}
