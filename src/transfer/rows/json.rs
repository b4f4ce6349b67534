//! Reads JSON objects, one a line or in an array.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::io::Read;

use csv::ByteRecord;
use serde::de::{Deserializer as _, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::row::{RowFault, Rows, Stop};
use super::window::{Piece, Window, window};
use crate::model::{Field, cut, display_safe, short};
use crate::transfer::input::Input;
use crate::transfer::{Columns, FileFormat, Result};

/// Reads all objects, as rows with a cell for each field and one with the whole object.
pub fn read(input: Input, rows: &mut Rows<'_>) -> Result<(), Stop> {
    let names = Field::ALL.map(Field::member).into_iter().chain(["row"]).map(str::to_owned).collect();
    // The id of a change is behind them.
    rows.columns = Some(Columns { names, of: [0, 1, 2].map(Some), id: Some(4), ours: true, is_marked: false });
    let (reading, is_array) = (rows.reading, rows.layout.format == FileFormat::Json);
    let (mut names, mut columns, mut cells) = (ByteRecord::new(), Columns::default(), ByteRecord::new());
    let each = |piece: Piece<'_>| {
        let members = members(&piece).and_then(|members| {
            // Most objects have the same members as the one before.
            if !members.iter().map(|(name, _)| name.as_bytes()).eq(&names) {
                let here = members.iter().map(|(name, _)| name.as_bytes()).collect();
                let twice = "Two members of this object are for the same field. Remove one of them.";
                columns = Columns::look(&here, reading).map_err(|_| RowFault::whole(twice))?;
                names = here;
            }
            Ok(members)
        });
        if members.is_ok() && rows.layout.columns.is_none() {
            columns.check(reading, false)?;
            rows.layout.columns = Some(columns.clone());
        }
        let (members, mut fault) = members.map_or_else(|fault| (Vec::new(), Some(fault)), |members| (members, None));
        cells.clear();
        for field in Field::ALL {
            let place = columns.of[field as usize];
            let value = place.and_then(|place| members.get(place)).map_or("null", |(_, value)| value.get());
            let text = match &reading.set[field as usize] {
                Some(fixed) => Cow::Borrowed(fixed.as_str()),
                None => text(field, value).unwrap_or_else(|wrong| {
                    fault.get_or_insert(wrong);
                    value.into()
                }),
            };
            cells.push_field(text.as_bytes());
        }
        cells.push_field(piece.bytes);
        if let Some((_, id)) = columns.id.filter(|_| reading.changes).and_then(|place| members.get(place)) {
            cells.push_field(id.get().trim_matches('"').as_bytes());
        }
        rows.row(piece.line, &cells, fault)
    };
    let window = window(input, b" \t\r\n");
    if is_array { elements(window, each) } else { lines(window, each) }
}

fn lines(mut window: Window<impl Read>, mut each: impl FnMut(Piece<'_>) -> Result<(), Stop>) -> Result<(), Stop> {
    while window.byte(0)?.is_some() {
        let mut length = 0;
        while window.byte(length)?.is_some_and(|byte| byte != b'\n') {
            length += 1;
        }
        each(window.piece(window.offset + length as u64))?;
    }
    Ok(())
}

/// Splits an array without parsing its elements, so that one that is malformed is the fault of a row.
fn elements(mut window: Window<impl Read>, mut each: impl FnMut(Piece<'_>) -> Result<(), Stop>) -> Result<(), Stop> {
    match window.byte(0)? {
        Some(b'[') => window.pass(1),
        Some(_) => return Err(window.malformed("the file is not a JSON array of objects").into()),
        None => return Err(window.malformed("the file has no JSON array").into()),
    }
    let mut comma = true;
    let wrong = loop {
        match window.byte(0)? {
            None => break UNFINISHED,
            Some(b']') => {
                window.pass(1);
                let Some(_) = window.byte(0)? else { return Ok(()) };
                break "something comes after the end of the JSON array";
            }
            Some(b',') if comma => break "there is an extra comma in the JSON array",
            Some(b',') => window.pass(1),
            Some(_) if !comma => break "a comma is missing in the JSON array",
            Some(_) => {
                let end = window.offset + length(&mut window)?;
                each(window.piece(end))?;
            }
        }
        comma = !comma;
    };
    Err(window.malformed(wrong).into())
}

const UNFINISHED: &str = "the file ends in the middle of its JSON array. Is it complete?";

/// The length of the next element.
fn length(window: &mut Window<impl Read>) -> Result<u64> {
    let (mut at, mut depth, mut is_quoted) = (0, 0_usize, false);
    while let Some(byte) = window.byte(at)? {
        match byte {
            // The next byte is part of the escape.
            b'\\' if is_quoted => at += 1,
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'{' | b'[' => depth += 1,
            b',' | b']' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => return Ok(at as u64),
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
        if depth == 0 && !is_quoted && matches!(byte, b'"' | b'}' | b']') {
            return Ok(at as u64);
        }
    }
    Err(window.malformed(UNFINISHED))
}

type Members<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// The members of an object.
fn members<'a>(piece: &Piece<'a>) -> Result<Members<'a>, RowFault> {
    struct Object;
    impl<'de> Visitor<'de> for Object {
        type Value = Members<'de>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object with name and categoryId")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let (mut members, mut names) = (Vec::new(), HashSet::new());
            while let Some(Name(name)) = map.next_key::<Name<'de>>()? {
                if !names.insert(name.clone()) {
                    return Err(A::Error::custom(format_args!("duplicate member \"{}\"", short(&name))));
                }
                members.push((name, map.next_value()?));
            }
            Ok(members)
        }
    }
    let mut reader = serde_json::Deserializer::from_str(piece.text()?);
    let members = reader.deserialize_map(Object).and_then(|members| reader.end().map(|()| members));
    members.map_err(|error| {
        let (line, column) = (piece.line + error.line().saturating_sub(1) as u64, error.column());
        let why = without_place(&error);
        RowFault::whole(format!("This is not a valid JSON object: {why} at line {line} column {column}."))
    })
}

/// The error without its place, which is that in the text of a row or value.
fn without_place(error: &serde_json::Error) -> String {
    let why = error.to_string();
    cut(&display_safe(why.rsplit_once(" at line ").map_or(&*why, |(why, _)| why)), 200)
}

/// A text, borrowed unless it has escapes.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The value as a cell: a name must be a string, a category may also be a number.
fn text(field: Field, value: &str) -> Result<Cow<'_, str>, RowFault> {
    let why = match value.as_bytes().first() {
        Some(b'"') => match serde_json::from_str(value) {
            Ok(Name(text)) => return Ok(text),
            Err(error) => format!("This is not valid text: {}.", without_place(&error)),
        },
        Some(b'n') => return Ok(Cow::default()),
        _ if field == Field::CategoryId => return Ok(value.into()),
        _ => format!("{} must be a string in quotes, not {}.", field.member(), short(value)),
    };
    Err(RowFault { field: Some(field), column: field.member().to_owned(), value: short(value), reason: why })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transfer::input::in_parts;

    /// Every element with its line, or the first error; read in parts of `part` bytes.
    fn pieces(text: &[u8], part: usize) -> Result<Vec<(u64, String)>, String> {
        let mut all = Vec::new();
        let split = elements(window(in_parts(text, part), b" \t\r\n"), |piece| {
            all.push((piece.line, String::from_utf8_lossy(piece.bytes).into_owned()));
            Ok(())
        });
        split.map(|()| all).map_err(|stop| stop.unwrap().to_string())
    }

    fn lines(text: &str) -> Vec<(u64, String)> {
        let whole = pieces(text.as_bytes(), 4096).unwrap();
        assert_eq!(pieces(text.as_bytes(), 1).unwrap(), whole);
        whole
    }

    #[test]
    fn elements_are_found_whatever_is_in_their_strings() {
        let elements = lines("\n[ {\"a\":\"]},\\\"\"},\n[1,[2]] ,3,\"x,\"\n, null]\n");
        let element = |line, text: &str| (line, text.to_owned());
        assert_eq!(
            elements,
            [
                element(2, "{\"a\":\"]},\\\"\"}"),
                element(3, "[1,[2]]"),
                element(3, "3"),
                element(3, "\"x,\""),
                element(4, "null")
            ]
        );
        assert_eq!(lines("[]"), []);
    }

    #[test]
    fn text_that_is_not_an_array_is_an_error() {
        for (text, why) in [
            ("", "has no JSON array"),
            ("{}", "is not a JSON array"),
            ("[1", "ends in the middle"),
            ("[1,", "ends in the middle"),
            ("[\n1 2]", "line 2: a comma is missing"),
            ("[{}{}]", "a comma is missing"),
            ("[,1]", "an extra comma"),
            ("[1,,2]", "an extra comma"),
            ("[1]]", "after the end"),
        ] {
            let error = pieces(text.as_bytes(), 3).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    proptest::proptest! {
        #[test]
        fn elements_are_those_of_the_array(values: Vec<(String, i64)>, part in 1_usize..9) {
            let values: Vec<_> = values.iter().map(|(text, number)| serde_json::json!({ text: [number, text] })).collect();
            let text = serde_json::to_string_pretty(&values).unwrap();
            let elements = pieces(text.as_bytes(), part).unwrap();
            let read: Vec<serde_json::Value> =
                elements.iter().map(|(_, element)| serde_json::from_str(element).unwrap()).collect();
            proptest::prop_assert_eq!(read, values);
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(text: Vec<u8>, part in 1_usize..9) {
            let _ = pieces(&text, part);
        }
    }
}
