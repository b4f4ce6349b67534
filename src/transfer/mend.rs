//! The rows of a file that were not added, as a new file: with their cells as they stand and why. People mend them there,
//! and import that file.

use std::io::{self, BufWriter};
use std::ops::ControlFlow;
use std::path::Path;

use super::destination::Destination;
use super::journal::Reasons;
use super::rows;
use super::{Input, Reading, TransferError};
use crate::model::draft::parse_category_id;
use crate::model::export::inert;

/// The columns. An import leaves the last one alone.
const HEADER: [&str; 4] = ["name", "categoryId", "status", "why"];

/// What is written at once, in octets.
const BUFFER: usize = 64 << 10;

/// Writes the rows of `input` that cannot be sent to a CSV file, and those of which the journal at `report` says that the
/// service refused them or that they may have been added. How many these are: without any, no file is written.
///
/// The cells are those from which the animal was to be made, and fixed values stand in theirs, so that the file is
/// imported without further words; what a spreadsheet would run gets a `'` before it. The file is `to`, for its owner
/// alone, there once it is whole; with `true`, also where there is one. Blocks.
pub fn write(input: Input, reading: &Reading, report: Option<&Path>, to: (&Path, bool)) -> Result<u64, TransferError> {
    let destination = Destination::new(to)?;
    let mut reasons = report.map(|report| Reasons::read(report, &input.print()?, reading)).transpose()?;
    let reading = reasons.as_ref().map_or(reading, |reasons| &reasons.head().reading).clone();
    let file = destination.begin()?;
    let mut out = csv::Writer::from_writer(BufWriter::with_capacity(BUFFER, file));
    let (mut count, mut written) = (0, out.write_record(HEADER).map_err(io::Error::from));
    rows::read_with_cells(input, &reading, |row, cells| {
        let why = match &row {
            Err(bad) => Ok(Some(bad.sentence())),
            Ok(row) => reasons.as_mut().map_or(Ok(None), |reasons| reasons.why(row)),
        };
        written = why.and_then(|why| {
            let Some(why) = why else { return Ok(()) };
            count += 1;
            let [name, category, status] = cells;
            // A number is no formula, though it may begin like one.
            let category = if parse_category_id(category).is_ok() { category.into() } else { inert(category) };
            Ok(out.write_record([&*inert(name), &*category, &*inert(status), &*inert(&why)])?)
        });
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let finished = written.and_then(|()| out.into_inner().map_err(|error| error.into_error()));
    let file = finished.and_then(|out| out.into_inner().map_err(|error| error.into_error()));
    let file = file.map_err(|error| destination.failed(error))?;
    if count > 0 {
        destination.finish(file)?;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use jiff::Timestamp;
    use tempfile::TempDir;

    use super::*;
    use crate::transfer::check::check;
    use crate::transfer::journal::{Answer, Head, Journal, Outcome, Target};

    /// A file, and where what is to be mended is put.
    fn file(name: &str, text: &str) -> (TempDir, std::path::PathBuf, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let (file, out) = (directory.path().join(name), directory.path().join("mend.csv"));
        fs::write(&file, text).unwrap();
        (directory, file, out)
    }

    const TEXT: &str =
        "id;pet_name;cat;state\n1;Rex;3;sold\n2;'=1+1;three;\"a;b\"\n3;Zoë;-7;\n4;Bean;=1;gone\n5;Tom;3;\n";
    const BAD: &str = "name,categoryId,status,why\n\
        '=1+1,three,a;b,\"line 3: column cat: Category must be a whole number from -9223372036854775808 to \
        9223372036854775807. \"\"three\"\" is not one. column state: Status must be available, pending or sold, or not set. \
        \"\"a;b\"\" is none of them.\"\n";

    #[test]
    fn bad_rows_stand_there_as_they_were_found_with_the_reason() {
        let (_directory, path, out) = file("a.csv", TEXT);
        let write = |replace| write(Input::file(&path).unwrap(), &Reading::default(), None, (&out, replace));
        assert_eq!(write(false).unwrap(), 2);
        let text = fs::read_to_string(&out).unwrap();
        assert!(text.starts_with(BAD), "{text}");
        assert!(text.contains("\nBean,'=1,gone,\"line 5: column cat: "), "{text}");
        assert_eq!(fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(matches!(write(false), Err(TransferError::Exists(_))));
        assert_eq!(write(true).unwrap(), 2);
        // Once mended, the file is imported as it is.
        fs::write(&out, text.replace("three,a;b", "3,sold").replace("'=1,gone", "4,")).unwrap();
        let mut names = Vec::new();
        let checked = check(Input::file(&out).unwrap(), &Reading::default(), |found| {
            names.push(format!("{found:?}").split('"').nth(1).unwrap().to_owned());
            ControlFlow::Continue(())
        });
        assert_eq!((checked.unwrap().good, names), (2, vec!["=1+1".to_owned(), "Bean".to_owned()]));
    }

    #[test]
    fn what_the_journal_says_of_rows_is_written_too() {
        let (directory, path, out) = file("a.csv", TEXT);
        let input = || Input::file(&path).unwrap();
        let target = Target { service: "a".into(), key: "b".into() };
        let head = Head::new(input().print().unwrap(), &target, Reading::default(), None, Timestamp::UNIX_EPOCH);
        let report = directory.path().join("report");
        let journal = Journal::create(&report, &head).unwrap();
        let answer = |message: &str| Answer { status: Some(400), code: Some("c".into()), message: message.into() };
        for (row, outcome) in [
            (1, Outcome::Refused(answer("once"))),
            (1, Outcome::Added(7)),
            (3, Outcome::Unknown(answer("@x"))),
            (3, Outcome::Refused(answer("no"))),
        ] {
            journal.outcome(row, row + 1, &outcome).unwrap();
        }
        drop(journal);
        assert_eq!(write(input(), &Reading::default(), Some(&report), (&out, false)).unwrap(), 3);
        let text = fs::read_to_string(&out).unwrap();
        assert!(text.starts_with(BAD) && text.contains("\nZoë,-7,,line 4: refused: 400 c no\nBean,"), "{text}");
        fs::write(&path, TEXT.replace("Rex", "Max")).unwrap();
        let other = write(input(), &Reading::default(), Some(&report), (&out, true)).unwrap_err().to_string();
        assert!(other.contains("is the report of another import"), "{other}");
    }

    #[test]
    fn values_of_json_are_text_and_fixed_values_stand_in_their_column() {
        let text = "{\"name\":5,\"cat\":[1,2]}\n{\"name\":\"Rex\",\"cat\":\"x\",\"status\":null}\nno object\n";
        let (_directory, path, out) = file("a.ndjson", text);
        let reading = Reading { set: [None, None, Some("sold".to_owned())], ..Reading::default() };
        assert_eq!(write(Input::file(&path).unwrap(), &reading, None, (&out, false)).unwrap(), 3);
        let text = fs::read_to_string(&out).unwrap();
        let cells: Vec<_> = text.lines().map(|line| line.split_once("line").map_or(line, |(cells, _)| cells)).collect();
        assert_eq!(cells[1..], ["5,\"[1,2]\",sold,", "Rex,x,sold,\"", ",,sold,"]);
    }

    #[test]
    fn where_nothing_is_to_be_mended_no_file_is_written() {
        let (directory, path, out) = file("a.csv", "name,cat\nRex,3\n");
        assert_eq!(write(Input::file(&path).unwrap(), &Reading::default(), None, (&out, false)).unwrap(), 0);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
