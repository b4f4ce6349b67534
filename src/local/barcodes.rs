//! The barcode file: which pet each code adds.
//!
//! CSV with the columns `code`, `name` and optionally `category`, in any order; the first line names them. An invalid line
//! is reported and skipped.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::model::draft::{check_name, parse_category_id};
use crate::model::text::short;

/// The maximum number of codes.
pub const MOST: usize = 100_000;

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// How many lines are reported one by one.
const MAX_REPORTED: usize = 5;

/// The pet that a code adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coded {
    /// The pet's name.
    pub name: String,
    /// Its category; the current one if missing.
    pub category: Option<i64>,
}

/// The pets by their codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Codes(HashMap<String, Coded>);

impl Codes {
    /// The pet of `code`.
    pub fn get(&self, code: &str) -> Option<&Coded> {
        self.0.get(code)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Reads the file at `path`, and returns its errors, a sentence each.
    pub fn read(path: &Path) -> (Self, Vec<String>) {
        match File::open(path) {
            Ok(file) => Self::of(file.take(MAX_BYTES), &path.display().to_string()),
            Err(error) => (Self::default(), vec![format!("Cannot read {}: {error}.", path.display())]),
        }
    }

    fn of(text: impl Read, file: &str) -> (Self, Vec<String>) {
        let mut codes = HashMap::new();
        let mut faults = Faults { file, sentences: Vec::new(), more: 0 };
        let mut reader = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(text);
        let columns = match reader.headers().map_err(|error| io::Error::from(error).to_string()).and_then(Columns::of) {
            Ok(columns) => columns,
            Err(why) => {
                faults.add(1, &why);
                return (Self::default(), faults.sentences());
            }
        };
        for record in reader.records() {
            let record = match record {
                Ok(record) => record,
                Err(error) => {
                    let line = error.position().map_or(0, csv::Position::line);
                    faults.add(line, "the line is not CSV in UTF-8");
                    continue;
                }
            };
            let line = record.position().map_or(0, csv::Position::line);
            if codes.len() == MOST {
                faults.add(line, &format!("there are more than {MOST} codes; the rest is skipped"));
                break;
            }
            match columns.read(&record) {
                Err(why) => faults.add(line, &why),
                Ok((code, _)) if codes.contains_key(&code) => {
                    faults.add(line, &format!("duplicate code \"{}\"; the first one is used", short(&code)));
                }
                Ok((code, coded)) => {
                    codes.insert(code, coded);
                }
            }
        }
        (Self(codes), faults.sentences())
    }
}

/// The positions of the columns.
struct Columns {
    code: usize,
    name: usize,
    category: Option<usize>,
}

impl Columns {
    fn of(header: &csv::StringRecord) -> Result<Self, String> {
        let at = |wanted: &str| {
            header.iter().position(|name| name.trim_start_matches('\u{feff}').eq_ignore_ascii_case(wanted))
        };
        let both = at("code").zip(at("name"));
        let (code, name) = both.ok_or("the first line must have the columns code, name and, optionally, category")?;
        Ok(Self { code, name, category: at("category") })
    }

    fn read(&self, record: &csv::StringRecord) -> Result<(String, Coded), String> {
        let text = |at: usize| record.get(at).unwrap_or_default();
        let (code, name) = (text(self.code), text(self.name));
        if code.is_empty() {
            return Err("the code is missing".to_owned());
        }
        check_name(name).map_err(|error| error.to_string())?;
        let category = match self.category.map_or("", text) {
            "" => None,
            number => Some(parse_category_id(number).map_err(|error| error.to_string())?),
        };
        Ok((code.to_owned(), Coded { name: name.to_owned(), category }))
    }
}

/// Errors in the file: the first lines by number, the others counted.
struct Faults<'a> {
    file: &'a str,
    sentences: Vec<String>,
    more: usize,
}

impl Faults<'_> {
    fn add(&mut self, line: u64, why: &str) {
        if self.sentences.len() < MAX_REPORTED {
            self.sentences.push(format!("{}:{line}: {}.", self.file, why.trim_end_matches('.')));
        } else {
            self.more += 1;
        }
    }

    fn sentences(mut self) -> Vec<String> {
        if self.more > 0 {
            self.sentences.push(format!("{}: {} more lines are invalid.", self.file, self.more));
        }
        self.sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Codes, Vec<String>) {
        Codes::of(text.as_bytes(), "codes.csv")
    }

    #[test]
    fn columns_are_found_by_name_in_any_order() {
        let (codes, faults) =
            read("\u{feff}Category,Code,note,NAME\n12, 4006381333931 ,x,Goldfish\n,96385074,,\"Rex, II\"\n");
        assert_eq!(faults, Vec::<String>::new());
        assert_eq!(codes.get("4006381333931"), Some(&Coded { name: "Goldfish".into(), category: Some(12) }));
        assert_eq!(codes.get("96385074"), Some(&Coded { name: "Rex, II".into(), category: None }));
        assert_eq!((codes.count(), codes.get("1")), (2, None));
    }

    #[test]
    fn an_invalid_line_is_reported_and_skipped() {
        let text = "code,name,category\n1,Rex,3\n2,,3\n,Mochi,\n3,Tank,x\n1,Luna,4\n4,Zoe,5\n5\n6\n7\n";
        let (codes, faults) = read(text);
        assert_eq!((codes.count(), codes.get("1").unwrap().name.as_str()), (2, "Rex"));
        assert!(faults[0].starts_with("codes.csv:3: Name is required"), "{faults:?}");
        assert_eq!(faults[1], "codes.csv:4: the code is missing.");
        assert!(faults[2].starts_with("codes.csv:5: \"x\" is not a number"), "{faults:?}");
        assert_eq!(faults[3], "codes.csv:6: duplicate code \"1\"; the first one is used.");
        assert_eq!(faults[5], "codes.csv: 2 more lines are invalid.");
    }

    #[test]
    fn a_file_that_is_not_a_barcode_file_is_reported() {
        assert_eq!(
            read("1,Rex,3\n"),
            (
                Codes::default(),
                vec!["codes.csv:1: the first line must have the columns code, name and, optionally, category.".into()]
            )
        );
        assert_eq!(read("").1.len(), 1);
        assert_eq!(Codes::read(Path::new("/nonexistent/codes.csv")).1.len(), 1);
        let latin: &[u8] = b"code,name\n1,Zo\xeb\n2,Rex\n";
        let (codes, faults) = Codes::of(latin, "codes.csv");
        assert_eq!((codes.count(), faults.len()), (1, 1));
    }

    #[test]
    fn the_number_of_codes_is_limited() {
        let lines: String = (0..MOST + 10).map(|code| format!("{code},Rex\n")).collect();
        let (codes, faults) = read(&format!("code,name\n{lines}"));
        assert_eq!((codes.count(), faults.len()), (MOST, 1));
    }
}
