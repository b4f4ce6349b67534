//! Writes the rows of a file that were not added to a new file, with the reason and all their cells, to be fixed and
//! imported from there.

use std::borrow::Cow;
use std::path::Path;

use csv::ByteRecord;
use tempfile::NamedTempFile;

use super::column_mapping::WHY_EXACT;
use super::journal::Reasons;
use super::output_file::{Destination, must_not_be};
use super::{ColumnMapping, Columns, Input, Result, rows};
use crate::model::Field;
use crate::model::draft::parse_category_id;
use crate::model::export::{active, inert};

/// The first column, which an import ignores.
const WHY: &str = "why not added";

/// The size of the write buffer, in bytes.
const BUFFER: usize = 64 << 10;

/// Fails if [`write()`] may not write to `to`, such as the input or its `report`.
pub fn guard(input: &Path, report: Option<&Path>, to: (&Path, bool)) -> Result<()> {
    destination(Some(input), report, to).map(drop)
}

fn destination(input: Option<&Path>, report: Option<&Path>, to: (&Path, bool)) -> Result<Destination> {
    input.map_or(Ok(()), |input| must_not_be(to.0, input, "the file that is imported"))?;
    report.map_or(Ok(()), |report| must_not_be(to.0, report, "the report of this import"))?;
    Destination::new(to)
}

/// Writes to a CSV file the rows of `input` that cannot be sent, and those that the journal at `report` has as refused
/// or with an unknown outcome. Returns their number; if it is 0, no file is written.
///
/// Cells keep their content and order, including extra ones. The columns of the fields have the fields' names, and
/// fixed values have their own columns, so the file can be imported without options. Cells that a spreadsheet would run
/// get a `'`. The file is `to`, readable only by its owner, and appears once it is complete; with `true`, it may
/// replace an existing one. Blocks.
pub fn write(input: Input, reading: &ColumnMapping, report: Option<&Path>, to: (&Path, bool)) -> Result<u64> {
    let destination = destination(input.path.as_deref(), report, to)?;
    let mut reasons = report.map(|report| Reasons::read(report, &input.print()?, reading)).transpose()?;
    let reading = reasons.as_ref().map_or(reading, |reasons| &reasons.head().reading).clone();
    let file = destination.begin()?;
    let mut out = csv::WriterBuilder::new().flexible(true).buffer_capacity(BUFFER).from_writer(file);
    let mut count = 0;
    rows::read_with_cells(input, &reading, |row, columns, cells| {
        let why = match &row {
            Err(bad) => Some(bad.sentence()),
            Ok(row) => reasons.as_mut().map_or(Ok(None), |reasons| reasons.why(row))?,
        };
        let Some(why) = why else { return Ok(()) };
        let first = if count == 0 { header(&mut out, &reading, columns) } else { Ok(()) };
        count += 1;
        let written = first.and_then(|()| record(&mut out, &reading, columns, cells, &why));
        written.map_err(|error| destination.failed(error.into()).into())
    })?;
    let file = out.into_inner().map_err(|error| destination.failed(error.into_error()))?;
    if count > 0 {
        destination.finish(file)?;
    }
    Ok(count)
}

/// The file that is written.
type Out = csv::Writer<NamedTempFile>;

/// The header: the reason, fixed values, and the columns of the file.
fn header(out: &mut Out, reading: &ColumnMapping, columns: &Columns) -> csv::Result<()> {
    out.write_field(if columns.ours { WHY_EXACT } else { WHY })?;
    fixed(reading, columns).try_for_each(|(field, _)| out.write_field(field.member()))?;
    for (place, name) in columns.names.iter().enumerate().skip(before(columns)) {
        match Field::ALL.into_iter().find(|field| columns.of[*field as usize] == Some(place)) {
            Some(field) => out.write_field(field.member())?,
            // Another column must not be mistaken for that of a field.
            None if ColumnMapping::field(name).is_some() => out.write_field(format!("({name})"))?,
            None => out.write_field(&*inert(name))?,
        }
    }
    out.write_record(None::<&[u8]>)
}

fn record(out: &mut Out, reading: &ColumnMapping, columns: &Columns, cells: &ByteRecord, why: &str) -> csv::Result<()> {
    out.write_field(&*inert(why))?;
    fixed(reading, columns).try_for_each(|(_, value)| out.write_field(&*inert(value)))?;
    let category = columns.of[Field::CategoryId as usize];
    for (place, bytes) in cells.iter().enumerate().skip(before(columns)) {
        out.write_field(cell(bytes, category == Some(place), columns.is_marked))?;
    }
    out.write_record(None::<&[u8]>)
}

/// The fields that have one value for all rows instead of a column.
fn fixed<'a>(reading: &'a ColumnMapping, columns: &Columns) -> impl Iterator<Item = (Field, &'a str)> {
    let fixed = Field::ALL.into_iter().zip(&reading.set).zip(columns.of);
    fixed.filter_map(|((field, value), place)| Some((field, value.as_deref()?)).filter(|_| place.is_none()))
}

/// How many columns are omitted: the reasons of earlier rejects.
fn before(columns: &Columns) -> usize {
    usize::from(columns.names.first().is_some_and(|name| name == WHY || name == WHY_EXACT))
}

/// The cell, with a `'` if a spreadsheet would run it. It may already have one if `is_marked`.
fn cell(bytes: &[u8], is_category: bool, is_marked: bool) -> Cow<'_, [u8]> {
    let text = String::from_utf8_lossy(bytes);
    // A number is not a formula, although it may begin like one.
    let is_number = is_category && parse_category_id(&text).is_ok();
    let is_inert = is_number || is_marked && active(&text) != text || inert(&text) == text;
    if is_inert { bytes.into() } else { [b"'", bytes].concat().into() }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::ops::ControlFlow;
    use std::os::unix::fs::PermissionsExt as _;

    use jiff::Timestamp;
    use tempfile::TempDir;

    use super::*;
    use crate::transfer::journal::{Head, Journal, RowAnswer, RowOutcome, Target};
    use crate::transfer::preview::{Preview, preview};

    /// A file, and the path for its rejects.
    fn file(name: &str, text: &str) -> (TempDir, std::path::PathBuf, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let (file, out) = (directory.path().join(name), directory.path().join("rejects.csv"));
        fs::write(&file, text).unwrap();
        (directory, file, out)
    }

    fn checked(path: &Path) -> Preview {
        preview(Input::file(path).unwrap(), &ColumnMapping::default(), |_, _| true).unwrap()
    }

    const TEXT: &str =
        "id;pet_name;cat;state\n1;Rex;3;sold\n2;'=1+1;three;\"a;b\"\n3;Zoë;-7;\n4;Bean;=1;gone\n5;Tom;3;\n";
    const BAD: &str = "why not added,id,name,categoryId,status\n\
        \"line 3: column cat: \"\"three\"\" is not a number. Type digits, for example 3. column state: Status must be available, pending or sold, or omitted, not \"\"a;b\"\".\",2,'=1+1,three,a;b\n";

    #[test]
    fn bad_rows_are_written_unchanged_with_the_reason() {
        let (_directory, path, out) = file("a.csv", TEXT);
        let write = |replace| write(Input::file(&path).unwrap(), &ColumnMapping::default(), None, (&out, replace));
        assert_eq!(write(false).unwrap(), 2);
        let text = fs::read_to_string(&out).unwrap();
        assert!(text.starts_with(BAD), "{text}");
        assert!(text.contains("\n\"line 5: column cat: ") && text.ends_with(",4,Bean,'=1,gone\n"), "{text}");
        assert_eq!(fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(matches!(write(false), Err(crate::transfer::TransferError::Exists(_))));
        assert_eq!(write(true).unwrap(), 2);
        // Once fixed, the file can be imported.
        fs::write(&out, text.replace("three,a;b", "3,sold").replace("'=1,gone", "4,")).unwrap();
        let Preview { good, first, .. } = checked(&out);
        let names: Vec<_> = first.iter().map(|new| new.name.as_str()).collect();
        assert_eq!((good, names), (2, vec!["=1+1", "Bean"]));
    }

    #[test]
    fn rows_that_the_journal_has_as_refused_are_written_too() {
        let (directory, path, out) = file("a.csv", TEXT);
        let input = || Input::file(&path).unwrap();
        let target = Target { service: "a".into(), key: "b".into() };
        let head = Head::new(input().print().unwrap(), &target, ColumnMapping::default(), None, Timestamp::UNIX_EPOCH);
        let report = directory.path().join("report");
        let journal = Journal::create(&report, &head).unwrap();
        let answer = |message: &str| RowAnswer { status: Some(400), code: Some("c".into()), message: message.into() };
        for (row, outcome) in [
            (1, RowOutcome::Refused(answer("once"))),
            (1, RowOutcome::Added(7)),
            (3, RowOutcome::Unknown(answer("@x"))),
            (3, RowOutcome::Refused(answer("no"))),
        ] {
            journal.outcome(row, row + 1, &outcome).unwrap();
        }
        drop(journal);
        assert_eq!(write(input(), &ColumnMapping::default(), Some(&report), (&out, false)).unwrap(), 3);
        let text = fs::read_to_string(&out).unwrap();
        assert!(text.starts_with(BAD) && text.contains("\nline 4: refused: 400 c no,3,Zoë,-7,\n\"line 5"), "{text}");
        fs::write(&path, TEXT.replace("Rex", "Max")).unwrap();
        let other = write(input(), &ColumnMapping::default(), Some(&report), (&out, true)).unwrap_err().to_string();
        assert!(other.contains("the file has changed since"), "{other}");
    }

    #[test]
    fn values_of_json_are_text_and_fixed_values_have_a_column() {
        let text = "{\"name\":5,\"cat\":[1,2]}\n{\"name\":\"Rex\",\"cat\":\"x\",\"status\":null}\nno object\n";
        let (_directory, path, out) = file("a.ndjson", text);
        let reading = ColumnMapping { set: [None, None, Some("sold".to_owned())], ..ColumnMapping::default() };
        assert_eq!(write(Input::file(&path).unwrap(), &reading, None, (&out, false)).unwrap(), 3);
        let text = fs::read_to_string(&out).unwrap();
        assert_eq!(
            after_why(&text),
            [
                r#"name,categoryId,status,row"#,
                r#"5,"[1,2]",sold,"{""name"":5,""cat"":[1,2]}""#,
                r#"Rex,x,sold,"{""name"":""Rex"",""cat"":""x"",""status"":null}""#,
                ",,sold,no object",
            ]
        );
    }

    /// Each row without its first cell.
    fn after_why(text: &str) -> Vec<String> {
        let mut rows = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        let row = |row: Result<csv::StringRecord, _>| {
            let mut out = csv::Writer::from_writer(Vec::new());
            out.write_record(row.unwrap().iter().skip(1)).unwrap();
            String::from_utf8(out.into_inner().unwrap()).unwrap().trim_end().to_owned()
        };
        rows.records().map(row).collect()
    }

    #[test]
    fn every_cell_of_a_bad_row_is_kept_and_it_stays_bad_until_it_is_fixed() {
        let text =
            "state,notes,name,categoryId\nsold,-x,Smith, Jr,3,more\nx,short\nsold,,Bean,4\nnone,\"open,Rex,3\nTom";
        let (_directory, path, out) = file("a.csv", text);
        let fixed = ColumnMapping { set: [None, None, Some("sold".to_owned())], ..ColumnMapping::default() };
        assert_eq!(write(Input::file(&path).unwrap(), &fixed, None, (&out, false)).unwrap(), 3);
        let text = fs::read_to_string(&out).unwrap();
        let rows = after_why(&text);
        assert_eq!(
            rows,
            [
                "status,(state),notes,name,categoryId",
                "sold,sold,'-x,Smith, Jr,3,more",
                "sold,x,short",
                "sold,,,,,\"none,\"\"open,Rex,3\nTom\"",
            ]
        );
        let count = || checked(&out);
        assert_eq!((count().good, count().bad), (0, 3));
        // Partly fixed rows are written again with the remaining faults.
        fs::write(&out, text.replace("Smith, Jr,3,more", "\"Smith, Jr\",3")).unwrap();
        assert_eq!((count().good, count().bad), (1, 2));
        let again = out.with_extension("again");
        assert_eq!(write(Input::file(&out).unwrap(), &ColumnMapping::default(), None, (&again, false)).unwrap(), 2);
        assert_eq!(after_why(&fs::read_to_string(&again).unwrap()), [&rows[..1], &rows[2..]].concat());
    }

    #[test]
    fn spaces_count_in_fixed_rows_if_they_counted_before() {
        for (name, text, sent) in [
            ("a.json", r#"[{"name":" Rex ","categoryId":"x"}]"#, " Rex "),
            ("a.ndjson", r#"{"name":" Rex ","categoryId":"x"}"#, " Rex "),
            ("a.csv", "id,name,categoryId,status\n1, Rex ,x,\n", " Rex "),
            ("b.csv", "name,categoryId\n Rex ,x\n", "Rex"),
        ] {
            let (_directory, path, out) = file(name, text);
            assert_eq!(write(Input::file(&path).unwrap(), &ColumnMapping::default(), None, (&out, false)).unwrap(), 1);
            let corrected = fs::read_to_string(&out).unwrap().replace(",x,", ",3,").replace(",x\n", ",3\n");
            fs::write(&out, corrected).unwrap();
            let mut names = Vec::new();
            rows::read(Input::file(&out).unwrap(), &ColumnMapping::default(), |row| {
                names.push(row.unwrap().new.name);
                ControlFlow::Continue(())
            })
            .unwrap();
            assert_eq!(names, [sent], "{name}");
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_kept() {
        let (_directory, path, out) = file("a.csv", "");
        fs::write(&path, b"name,cat\n=\xff,3\n").unwrap();
        assert_eq!(write(Input::file(&path).unwrap(), &ColumnMapping::default(), None, (&out, false)).unwrap(), 1);
        assert!(fs::read(&out).unwrap().ends_with(b",'=\xff,3\n"));
    }

    #[test]
    fn without_rejects_no_file_is_written() {
        let (directory, path, out) = file("a.csv", "name,cat\nRex,3\n");
        assert_eq!(write(Input::file(&path).unwrap(), &ColumnMapping::default(), None, (&out, false)).unwrap(), 0);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
