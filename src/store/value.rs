//! The values that go to a database.

/// One value of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Null,
    Int(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    pub(super) fn int(number: Option<i64>) -> Self {
        number.map_or(Self::Null, Self::Int)
    }

    pub(super) fn text(text: Option<&'a str>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        Ok(match *self {
            Self::Null => rusqlite::types::Null.into(),
            Self::Int(number) => number.into(),
            Self::Text(text) => text.into(),
            Self::Bytes(bytes) => bytes.into(),
        })
    }
}
