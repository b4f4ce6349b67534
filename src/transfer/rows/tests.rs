use super::window::MOST;
use super::*;
use crate::model::draft::check_name;
use crate::model::{NewPet, ObservedStatus, Pet, PetStatus, export};
use crate::transfer::input::in_parts;

/// Every row in short, good or bad.
fn read_as(text: impl AsRef<[u8]>, reading: &ColumnMapping) -> Result<Vec<String>, String> {
    let mut rows = Vec::new();
    let input = Input::stream("a", std::io::Cursor::new(text.as_ref().to_vec())).map_err(|error| error.to_string())?;
    let layout = read(input, reading, |row| {
        rows.push(match row {
            Ok(Row { row, line, new: NewPet { name, category_id, status }, corrected, .. }) => {
                let status = status.map_or("-", PetStatus::as_str);
                format!("{row} {line} {name:?} {category_id} {status}{}", if corrected { " corrected" } else { "" })
            }
            Err(bad) => format!("{} {}", bad.row, bad.sentence()),
        });
        ControlFlow::Continue(())
    });
    layout.map(|_| rows).map_err(|error| error.to_string())
}

fn rows(text: impl AsRef<[u8]>) -> Vec<String> {
    read_as(text, &ColumnMapping::default()).unwrap()
}

#[test]
fn every_dialect_of_csv_gives_the_same_rows() {
    let expected = ["1 2 \"Rex, \\\"x\\\"\" 3 sold", "2 3 \"Zoë\" -7 -"];
    assert_eq!(rows("name,cat,state\n\"Rex, \"\"x\"\"\",3,sold\nZoë,-7,\n"), expected);
    assert_eq!(rows("\u{feff}Name;Category;Status\r\n\"Rex, \"\"x\"\"\";3;sold\r\nZoë; -7 ;"), expected);
    let tabs = "state\tpet_name\tcategoryId\rsold\t\"Rex, \"\"x\"\"\"\t3\r\tZoë\t-7";
    assert_eq!(rows(tabs), expected);
}

#[test]
fn utf_16_is_refused_with_what_to_do() {
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        let text: Vec<u8> = "\u{feff}name,cat\nRex,3\n".encode_utf16().flat_map(order).collect();
        let refused = read_as(text, &ColumnMapping::default()).unwrap_err().to_string();
        assert!(refused.ends_with("is in UTF-16: save it as UTF-8, or as .xlsx"), "{refused}");
    }
}

#[test]
fn bad_rows_are_named_with_line_column_and_reason() {
    let text = b"pet,id2,pet_name,cat,state\n,,,,\n,,\" \",three,gone\nx,y,Rex,3, Sold \n\n,,a\xffb,3,\n,,a,b,3,4\n,,a\0,3,\n\"";
    assert_eq!(
        rows(text),
        [
            "1 line 3: column pet_name: Name is required: 1 to 255 characters, not all blank. column cat: \
             \"three\" is not a number. Type digits, for example 3. \
             column state: Status must be available, pending or sold, or omitted, not \"gone\".",
            "2 4 \"Rex\" 3 sold corrected",
            "3 line 6: This is not UTF-8 at byte 70. Save the file as UTF-8.",
            "4 line 7: This row has 6 cells, but there are 5 columns. Put cells that contain the delimiter in quotes.",
            "5 line 8: column pet_name: Name contains U+0000 at position 2, which is not allowed. Delete it.",
            "6 line 9: A quote opens here and is not closed before the end of the file.",
        ]
    );
    assert_eq!(text[70], 0xff);
}

#[test]
fn json_is_read_object_by_object() {
    let expected = ["1 1 \" Rex \" 3 sold corrected", "2 2 \"'=x\" 9223372036854775807 -"];
    let objects = [
        r#"{"id":1,"name":" Rex ","category":1,"categoryId":3,"status":"Sold"}"#,
        r#"{"NAME":"'=x","category_id":9223372036854775807,"status":null,"x":{"name":[1]}}"#,
    ];
    assert_eq!(rows(objects.join("\n")), expected);
    assert_eq!(rows(format!("[{},\n{}]", objects[0], objects[1])), expected);
    let wrong = "{\"name\":7,\"cat\":1}\n{\"name\":\"a\",\"cat\":1.5}\n[1]\n{\"name\":\"a\"}\n{\"name\":\"a\u{ff}\"}\n";
    let wrong: Vec<u8> = wrong.chars().map(|c| c as u8).collect();
    assert_eq!(
        rows(wrong),
        [
            "1 line 1: column name: name must be a string in quotes, not 7.",
            "2 line 2: column categoryId: \"1.5\" is not a number. Type digits, for example 3.",
            "3 line 3: This is not a valid JSON object: invalid type: sequence, expected an object with name and \
             categoryId at line 3 column 0.",
            "4 line 4: column categoryId: Category is required: a whole number, for example 3.",
            "5 line 5: This is not UTF-8 at byte 69. Save the file as UTF-8.",
        ]
    );
}

#[test]
fn a_duplicate_member_is_refused_with_its_line() {
    let lines = "{\"name\":\"a\",\"cat\":1,\"name\":\"b\"}\n\n{\"name\":\"c\",\"cat\":2}\n{\"x\":1,\"\\u0078\":1}\n";
    assert_eq!(
        rows(lines),
        [
            "1 line 1: This is not a valid JSON object: duplicate member \"name\" at line 1 column 26.",
            "2 3 \"c\" 2 -",
            "3 line 4: This is not a valid JSON object: duplicate member \"x\" at line 4 column 15.",
        ]
    );
    let array = "[\n  {\"name\": \"a\", \"cat\": 1},\n  {\n    \"name\": \"b\",\n    \"cat\": 1,\n    \"cat\": 2\n  },\n\
        {\"Name\": \"c\", \"name\": \"d\", \"cat\": 3}\n]";
    assert_eq!(
        rows(array),
        [
            "1 2 \"a\" 1 -",
            "2 line 3: This is not a valid JSON object: duplicate member \"cat\" at line 6 column 9.",
            "3 line 8: Two members of this object are for the same field. Remove one of them.",
        ]
    );
}

/// The line, the cells and the fault of each row after the header.
fn sources(input: Input) -> Vec<(u64, Vec<String>, bool)> {
    let mut rows = Vec::new();
    let reading = ColumnMapping { format: Some(FileFormat::Csv), ..ColumnMapping::default() };
    read_with_cells(input, &reading, |row, _, cells| {
        let (line, is_open) = match row {
            Ok(row) => (row.line, false),
            Err(bad) => (bad.line, bad.reasons().contains("A quote opens here")),
        };
        let cells = cells.iter().map(|cell| String::from_utf8_lossy(cell).into_owned());
        rows.push((line, cells.collect(), is_open));
        Ok(())
    })
    .unwrap();
    rows
}

#[test]
fn rows_end_outside_of_quotes_only_and_begin_on_their_line() {
    let text = "name,cat\r\n\r\n\"x\r\ny\",\"\"\"\n\"\"\"\rc\"d,e\n\n\r\r\n\"f\n\",1";
    for part in [1, 4096] {
        let row = |line, cells: [&str; 2]| (line, cells.map(str::to_owned).to_vec(), false);
        let rows = sources(in_parts(text.as_bytes(), part));
        assert_eq!(rows, [row(3, ["x\r\ny", "\"\n\""]), row(6, ["c\"d", "e"]), row(10, ["f\n", "1"])]);
    }
}

#[test]
fn a_row_without_an_end_is_not_held() {
    let reading = |format| ColumnMapping { format: Some(format), ..ColumnMapping::default() };
    let text = format!("name,cat\n\n\"{}", "x\n".repeat(2 * MOST));
    let error = read_as(text, &reading(FileFormat::Csv)).unwrap_err();
    assert_eq!(error, "line 3: the row that begins here is longer than 1024 KiB. Is a quote missing?");
    for (format, begin) in [(FileFormat::Ndjson, "\n\n"), (FileFormat::Json, "[\n\n")] {
        let error = read_as(format!("{begin}\"{}", "x".repeat(2 * MOST)), &reading(format)).unwrap_err();
        assert_eq!(error, "line 3: the row that begins here is longer than 1024 KiB. Is a quote missing?");
    }
    // Blank lines are not part of a row.
    let blank = "\n".repeat(2 * MOST);
    let line = 2 * MOST + 2;
    let text = format!("name,cat\n{blank}Rex,3\n{blank}");
    assert_eq!(read_as(text, &ColumnMapping::default()).unwrap(), [format!("1 {line} \"Rex\" 3 -")]);
}

/// The cells of each row as the csv crate reads the whole text.
fn by_csv(text: &str) -> Vec<Vec<String>> {
    let mut reader = ::csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

#[test]
fn fixed_values_and_chosen_columns_count() {
    let mut reading = ColumnMapping { map: [Some("who".into()), None, None], ..ColumnMapping::default() };
    reading.set = [None, Some("7".into()), Some("sold".into())];
    assert_eq!(read_as("name,who,status\na,Rex,gone\n", &reading).unwrap(), ["1 2 \"Rex\" 7 sold"]);
    assert_eq!(read_as("{\"name\":\"a\",\"Who\":\"Rex\"}", &reading).unwrap(), ["1 1 \"Rex\" 7 sold"]);
    assert!(read_as("{\"name\":\"a\"}", &reading).unwrap_err().starts_with("no column \"who\" for name"));
}

#[test]
fn nothing_and_no_header_are_errors() {
    assert_eq!(read_as("", &ColumnMapping::default()), Err("a is empty".to_owned()));
    assert!(read_as("\n\n", &ColumnMapping::default()).is_err());
    assert!(read_as("Rex,3\n", &ColumnMapping::default()).unwrap_err().contains("The first row must name the columns"));
    assert!(read_as("PK\u{3}\u{4}", &ColumnMapping::default()).unwrap_err().contains("cannot read the workbook"));
}

#[test]
fn a_mark_before_a_formula_is_removed() {
    let text = "name,cat\n'=1,'-3\n 'Rex ,3\n'''@a,3\n '=b,3\n";
    assert_eq!(rows(text), ["1 2 \"=1\" -3 -", "2 3 \"'Rex\" 3 -", "3 4 \"''@a\" 3 -", "4 5 \"=b\" 3 -"]);
    let raw = ColumnMapping { raw: true, ..ColumnMapping::default() };
    assert_eq!(read_as("name,cat\n'=1,3\n", &raw).unwrap(), ["1 2 \"'=1\" 3 -"]);
}

/// A workbook of one sheet.
fn workbook(more: &[(&str, &str)]) -> Vec<u8> {
    let book = r#"<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>
        <sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
    let ties = r#"<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"
        Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"/></Relationships>"#;
    let top = r#"<Relationships><Relationship Id="rId1" Target="xl/workbook.xml"
        Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>"#;
    let parts = [("_rels/.rels", top), ("xl/workbook.xml", book), ("xl/_rels/workbook.xml.rels", ties)];
    let mut file = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in parts.iter().chain(more) {
        let plain = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        file.start_file(*name, plain).unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    }
    file.finish().unwrap().into_inner()
}

#[test]
fn the_first_sheet_of_a_workbook_is_read() {
    let sheet = r#"<worksheet><sheetData>
        <row r="1"><c r="A1" t="inlineStr"><is><t>Pet name</t></is></c><c r="B1" t="inlineStr"><is><t>Cat</t></is></c></row>
        <row r="3"><c r="A3" t="inlineStr"><is><t> Zoë </t></is></c><c r="B3"><v>3</v></c></row>
        <row r="4"><c r="A4"><v>7</v></c><c r="B4"><v>1E+18</v></c></row></sheetData></worksheet>"#;
    let file = workbook(&[("xl/worksheets/sheet1.xml", sheet)]);
    let reason = "\"1e18\" is not a number. Type digits, for example 3.";
    assert_eq!(rows(&file), ["1 3 \"Zoë\" 3 -".to_owned(), format!("2 line 4: column Cat: {reason}")]);
    for cut in 0..file.len() {
        let _ = read_as(&file[..cut], &ColumnMapping { format: Some(FileFormat::Xlsx), ..ColumnMapping::default() });
    }
}

#[test]
fn an_impossible_number_of_texts_is_refused() {
    let sheet = r#"<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>
        <row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2"><v>3</v></c></row></sheetData></worksheet>"#;
    let read = |list: &str| {
        read_as(
            workbook(&[("xl/worksheets/sheet1.xml", sheet), ("xl/SharedStrings.xml", list)]),
            &ColumnMapping::default(),
        )
    };
    let texts = "<si><t>name</t></si><si><t>cat</t></si></sst>";
    assert_eq!(read(&format!("<sst uniqueCount=\"2\">{texts}")).unwrap(), ["1 2 \"name\" 3 -"]);
    for count in ["1000000000000000", "18446744073709551615", "900"] {
        for list in
            [format!("<!-- a --><x:sst a='b' uniqueCount='{count}'>{texts}"), format!("<sst uniqueCount=\"{count}\"/>")]
        {
            let why = read(&list).unwrap_err();
            assert!(why.contains(&format!("it claims {count} texts")), "{why}");
        }
    }
}

#[test]
fn a_row_with_too_many_cells_is_invalid() {
    let text = format!("name,cat\nRex,3{}x\n", ",".repeat(20_000));
    assert_eq!(rows(text), ["1 line 2: There are more than 16384 cells. Is a quote or the end of a line missing?"]);
}

fn name() -> impl proptest::strategy::Strategy<Value = String> {
    proptest::strategy::Strategy::prop_filter("[ '=+@a,;\"👨\u{301}-]{1,9}|\\PC{1,20}", "a name", |name: &String| {
        check_name(name).is_ok()
    })
}

proptest::proptest! {
    #[test]
    fn an_export_comes_back_byte_for_byte(names in proptest::collection::vec(name(), 1..9), category_id: i64) {
        let pets: Vec<Pet> = (1..).zip(names).map(|(id, name)| {
            Pet { id, name, category_id, status: (id % 2 == 0).then_some(ObservedStatus::Known(PetStatus::Sold)) }
        }).collect();
        for file in ["a.csv", "a.tsv", "a.json", "a.ndjson"] {
            let mut back = Vec::new();
            let input = Input::stream("a", std::io::Cursor::new(export::for_file(file, &pets))).unwrap();
            read(input, &ColumnMapping::default(), |row| {
                back.push(row.unwrap().new);
                ControlFlow::Continue(())
            }).unwrap();
            let news: Vec<NewPet> = pets.iter().map(|pet| NewPet {
                name: pet.name.clone(),
                category_id: pet.category_id,
                status: pet.status.as_ref().map(|_| PetStatus::Sold),
            }).collect();
            proptest::prop_assert_eq!(back, news, "{}", file);
        }
    }

    #[test]
    fn rows_are_those_of_the_csv_crate(text in "[a\",\r\n]{0,40}", part in 1_usize..9) {
        let text = format!("name,cat\n{text}");
        let rows = sources(in_parts(text.as_bytes(), part));
        let cells = rows.into_iter().flat_map(|(_, cells, is_open)| if is_open { by_csv(&cells[2]) } else { vec![cells] });
        let is_blank = |cells: &Vec<String>| cells.iter().all(|cell| cell.trim().is_empty());
        let expected: Vec<_> = by_csv(&text).into_iter().skip(1).filter(|cells| !is_blank(cells)).collect();
        proptest::prop_assert_eq!(cells.filter(|cells| !is_blank(cells)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn arbitrary_bytes_do_not_panic_a_reader(head in "(name,cat\n)?|\u{feff}", text: Vec<u8>, format in 0_usize..5) {
        let format = [None, Some(FileFormat::Csv), Some(FileFormat::Ndjson), Some(FileFormat::Json), Some(FileFormat::Xlsx)][format];
        let _ = read_as([head.as_bytes(), &text].concat(), &ColumnMapping { format, ..ColumnMapping::default() });
    }
}
