//! Files that are imported, and the reports of imports.

use std::collections::HashMap;
use std::fs;
use std::io::{Cursor, Write as _};
use std::ops::ControlFlow;
use std::path::Path;

use petstore::model::export::for_file;
use petstore::model::{NewPet, Pet, draft};
use petstore::transfer::earlier_import::EarlierImport;
use petstore::transfer::rows::{self, Bad, Row};
use petstore::transfer::{ColumnMapping, FileFormat, Input, Journal, Target, TransferError, rejects};
use serde_json::Value;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{directory, is_clean};

thread_local!(static DIRECTORY: TempDir = directory());

type Rows = Result<Vec<Result<Row, Bad>>, TransferError>;

fn input(bytes: &[u8]) -> Result<Input, TransferError> {
    Input::stream("a", Cursor::new(bytes.to_vec()))
}

fn mapping(format: FileFormat) -> ColumnMapping {
    ColumnMapping { format: Some(format), ..ColumnMapping::default() }
}

fn read(bytes: &[u8], format: FileFormat) -> Rows {
    let mut all = Vec::new();
    rows::read(input(bytes)?, &mapping(format), |row| {
        all.push(row);
        ControlFlow::Continue(())
    })?;
    Ok(all)
}

fn pets(rows: Rows) -> Vec<NewPet> {
    rows.unwrap().into_iter().flatten().map(|row| row.new).collect()
}

/// Each row is a pet that can be sent or has its faults. What can be sent is the same after an export, and what cannot be
/// is written to be fixed.
pub fn import(bytes: &[u8], format: FileFormat) {
    let rows = match read(bytes, format) {
        Ok(rows) => rows,
        Err(error) => return is_clean(&error.sentence()),
    };
    let mut last = 1;
    for (number, row) in (1..).zip(&rows) {
        let place = match row {
            Ok(Row { row, line, new, .. }) => {
                assert!(draft::check_name(&new.name).is_ok());
                (*row, *line)
            }
            Err(bad) => {
                assert!(!bad.faults.is_empty());
                is_clean(&bad.sentence());
                (bad.row, bad.line)
            }
        };
        // The rows of a sheet may come in any order.
        assert!(place.0 == number && (place.1 >= last || format == FileFormat::Xlsx));
        last = place.1;
    }
    let bad = rows.iter().filter(|row| row.is_err()).count();
    let good = pets(Ok(rows));
    let pet = |NewPet { name, category_id, status }: &NewPet| Pet {
        id: 1,
        name: name.clone(),
        category_id: *category_id,
        status: status.map(Into::into),
    };
    let exported: Vec<Pet> = good.iter().map(pet).collect();
    for (name, format) in [
        ("a.csv", FileFormat::Csv),
        ("a.tsv", FileFormat::Csv),
        ("a.json", FileFormat::Json),
        ("a.ndjson", FileFormat::Ndjson),
    ] {
        assert!(exported.is_empty() || pets(read(for_file(name, &exported).as_bytes(), format)) == good);
    }
    DIRECTORY.with(|directory| {
        let to = directory.path().join("rejects.csv");
        assert_eq!(rejects::write(input(bytes).unwrap(), &mapping(format), None, (&to, true)).unwrap(), bad as u64);
        let again = (bad > 0).then(|| read(&fs::read(to).unwrap(), FileFormat::Csv).unwrap());
        // In JSON a name that is a number is at fault, and in CSV it is none.
        let stays = |row: &Result<Row, Bad>| row.is_err() || format != FileFormat::Csv;
        assert!(again.is_none_or(|again| again.len() == bad && again.iter().all(stays)));
    });
}

/// A whole workbook, or what a sheet and the shared texts have, separated by a zero: the checksums of a workbook would
/// fit no change.
pub fn xlsx(bytes: &[u8]) {
    if bytes.starts_with(b"PK") {
        return import(bytes, FileFormat::Xlsx);
    }
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let (sheet, texts) = (parts.next().unwrap_or_default(), parts.next());
    let relation = |to: &str, kind: &str| {
        let kind = format!("http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}");
        format!(r#"<Relationships><Relationship Id="a" Target="{to}" Type="{kind}"/></Relationships>"#)
    };
    let (top, ties) = (relation("xl/workbook.xml", "officeDocument"), relation("worksheets/sheet1.xml", "worksheet"));
    let mut file = ZipWriter::new(Cursor::new(Vec::new()));
    let parts = [
        ("_rels/.rels", top.as_bytes()),
        ("xl/_rels/workbook.xml.rels", ties.as_bytes()),
        ("xl/workbook.xml", br#"<workbook><sheets><sheet name="A" sheetId="1" r:id="a"/></sheets></workbook>"#),
        ("xl/worksheets/sheet1.xml", sheet),
    ];
    for (name, text) in parts.into_iter().chain(texts.map(|texts| ("xl/sharedStrings.xml", texts))) {
        file.start_file(name, SimpleFileOptions::default()).unwrap();
        file.write_all(text).unwrap();
    }
    import(&file.finish().unwrap().into_inner(), FileFormat::Xlsx);
}

/// A report is resumed, with the last state that it has of each row, or left as it is; resuming twice makes no
/// difference.
pub fn report(bytes: &[u8]) {
    DIRECTORY.with(|directory| {
        let [file, report] = ["pets.csv", "report"].map(|name| directory.path().join(name));
        fs::write(&file, "name,categoryId\nRex,1\nMax,2\nRex,1\n").unwrap();
        fs::write(&report, bytes).unwrap();
        resume(bytes, &file, &report);
    });
}

fn resume(bytes: &[u8], file: &Path, report: &Path) {
    let target = Target { service: "http://127.0.0.1/v1".into(), key: "a".into() };
    let mapping = ColumnMapping::default();
    match EarlierImport::look(file, &mapping, report, &target) {
        Ok(earlier) => {
            let earlier = earlier.expect("there is a report");
            assert_eq!(earlier.here + earlier.new + earlier.bad, 3);
            is_clean(&earlier.sentence());
        }
        Err(error) => is_clean(&error.sentence()),
    }
    let resume = || Journal::resume(report, &Input::file(file)?, &target, &mapping).map(|(_, past)| past);
    let past = match resume() {
        Ok(past) => past,
        Err(error) => {
            is_clean(&error.sentence());
            // A line that was cut off may be gone.
            let now = fs::read(report).unwrap();
            return assert!(bytes.starts_with(&now) && !bytes[now.len()..].contains(&b'\n'));
        }
    };
    let whole = &bytes[..bytes.iter().rposition(|byte| *byte == b'\n').unwrap()];
    let mut states = HashMap::new();
    for line in whole.split(|byte| *byte == b'\n').skip(1) {
        // A member that is not known may be anything, also something that is not text.
        let line: Value = serde_json::from_str(&String::from_utf8_lossy(line)).unwrap();
        let state = match line["outcome"].as_str() {
            _ if !line["end"].is_null() || !line["edited"].is_null() => continue,
            Some(known) if known != "unknown" => known.to_owned(),
            _ if line["sent"].is_null() => continue,
            _ => "unknown".to_owned(),
        };
        states.insert(line["row"].as_u64().unwrap(), state);
    }
    let again = resume().unwrap();
    for row in 0..=past.last + 1 {
        let state = states.get(&row).map_or("not_sent", String::as_str);
        assert_eq!(serde_json::to_value(past.state(row)).unwrap(), state);
        assert!(past.state(row) == again.state(row) && past.key_of(row) == again.key_of(row));
    }
}
