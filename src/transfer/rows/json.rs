//! Reads JSON objects, one a line or in an array.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::row::{Cells, Manner, RowFault, Rows, Source, text_of};
use super::splitter::{Kind, Pieces};
use crate::model::text::{cut, short};
use crate::model::{Field, display_safe};
use crate::transfer::TransferError;
use crate::transfer::column_mapping::{ColumnMapping, Columns, field_of};
use crate::transfer::input::Input;

/// Reads all objects. Returns the members of the first one.
pub(super) fn read(input: Input, kind: Kind, rows: &mut Rows<'_>) -> Result<Option<Columns>, TransferError> {
    let name = input.name.clone();
    let (input, begin) = input.text();
    let mut pieces = Pieces::new(input, kind, name);
    let mut columns = None;
    let reading = rows.reading;
    let manner = Manner { columns: Field::ALL.map(Field::member), active: false, exact: true };
    while let Some(piece) = pieces.next()? {
        let found = text_of(piece.bytes, begin + piece.offset).and_then(|text| members(text, reading));
        if columns.is_none()
            && let Ok((members, _)) = &found
        {
            let header: Vec<String> = members.iter().map(|(name, _)| name.clone().into_owned()).collect();
            columns = Some(Columns::look(&header, reading)?);
        }
        let (cells, fault) = match found {
            Ok((members, places)) => cells(&members, places),
            Err(fault) => (Cells::default(), Some(fault)),
        };
        let cell = |place| if place == 0 { Some(piece.bytes) } else { None };
        let source = Source { columns: None, cell: &cell };
        if rows.row(piece.line, (&cells, fault), source, manner).is_break() {
            break;
        }
    }
    Ok(columns)
}

type Members<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// The members of an object, and the index of each field.
fn members<'a>(text: &'a str, reading: &ColumnMapping) -> Result<(Members<'a>, [Option<usize>; 3]), RowFault> {
    struct Object;
    impl<'de> Visitor<'de> for Object {
        type Value = Members<'de>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object with name and categoryId")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry::<Name<'de>, &RawValue>()? {
                members.push((member.0.0, member.1));
            }
            Ok(members)
        }
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let members = reader.deserialize_map(Object).and_then(|members| reader.end().map(|()| members));
    let members = members.map_err(|error| RowFault {
        column: String::new(),
        value: short(text),
        reason: format!("This is not a JSON object: {}.", cut(&display_safe(&error.to_string()), 200)),
    })?;
    let mut places: [Option<(usize, usize)>; 3] = [None; 3];
    for (place, (name, _)) in members.iter().enumerate() {
        for (field, wanted) in reading.map.iter().enumerate() {
            if wanted.as_ref().is_some_and(|wanted| wanted.trim().to_lowercase() == name.trim().to_lowercase()) {
                places[field] = Some((0, place));
            }
        }
        if let Some((field, rank)) = field_of(name)
            && reading.map[field].is_none()
            && places[field].is_none_or(|(before, _)| rank <= before)
        {
            places[field] = Some((rank, place));
        }
    }
    Ok((members, places.map(|place| place.map(|(_, place)| place))))
}

/// The name of a member, borrowed unless it has escapes.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The values as CSV cells, and the first invalid one: a name must be a string, a category may also be a number.
fn cells<'a>(members: &Members<'a>, places: [Option<usize>; 3]) -> (Cells<'a>, Option<RowFault>) {
    let (mut cells, mut fault) = (Cells::default(), None);
    for (field, place) in Field::ALL.into_iter().zip(places) {
        let Some((_, value)) = place.map(|place| &members[place]) else { continue };
        cells[field as usize] = cell(field, value.get()).unwrap_or_else(|wrong| {
            fault.get_or_insert(wrong);
            Some(Cow::Borrowed(value.get()))
        });
    }
    (cells, fault)
}

fn cell(field: Field, value: &str) -> Result<Option<Cow<'_, str>>, RowFault> {
    let fault = |reason| RowFault { column: field.member().to_owned(), value: short(value), reason };
    match value.as_bytes().first() {
        Some(b'"') => {
            let text = serde_json::from_str::<Name<'_>>(value);
            let why = |error: serde_json::Error| cut(&display_safe(&error.to_string()), 200);
            Ok(Some(text.map_err(|error| fault(format!("This is not valid text: {}.", why(error))))?.0))
        }
        Some(b'n') => Ok(None),
        _ if field == Field::CategoryId => Ok(Some(Cow::Borrowed(value))),
        _ => Err(fault(format!("{} must be a string in quotes, not {}.", field.member(), short(value)))),
    }
}
