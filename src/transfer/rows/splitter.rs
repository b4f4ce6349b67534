//! Splits text into pieces: rows of CSV, lines, or elements of an array. A piece has a maximum length, so even a broken
//! file is never held in memory.

use std::io::BufRead;

use crate::transfer::TransferError;

/// The most bytes of a piece.
pub(super) const MOST: usize = 1 << 20;

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A row, which may have line ends in quotes.
    Csv {
        /// The delimiter of the cells.
        delimiter: u8,
    },
    Line,
    /// An element of the top-level array.
    Element,
}

/// One of them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    /// The line in the file where it begins, from 1.
    pub(super) line: u64,
    /// Its offset in the text, in bytes.
    pub(super) offset: u64,
    pub(super) bytes: &'a [u8],
    /// Whether the text ended in quotes.
    pub(super) is_open: bool,
}

/// The state within a piece, or between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Between two pieces.
    Between,
    /// At the beginning of a cell.
    Cell,
    /// In a piece, not in quotes.
    Plain,
    Quoted,
    /// After a quote in quotes: the end, or the first of two.
    Quote,
    /// In a JSON string, after a backslash.
    Escape,
    /// After the end of the array.
    After,
}

/// The state of the text so far.
struct Grammar {
    kind: Kind,
    state: State,
    /// How many brackets and braces are open, including that of the array.
    depth: usize,
    /// Whether a comma came since the last element.
    comma: bool,
}

/// The pieces of a text.
pub(super) struct Pieces<R> {
    input: R,
    name: String,
    piece: Vec<u8>,
    grammar: Grammar,
    line: u64,
    offset: u64,
    last: u8,
}

impl<R: BufRead> Pieces<R> {
    pub(super) fn new(input: R, kind: Kind, name: String) -> Self {
        let grammar = Grammar { kind, state: State::Between, depth: 0, comma: true };
        Self { input, name, piece: Vec::new(), grammar, line: 1, offset: 0, last: 0 }
    }

    pub(super) fn next(&mut self) -> Result<Option<Piece<'_>>, TransferError> {
        self.piece.clear();
        let (mut line, mut offset) = (self.line, self.offset);
        loop {
            let chunk = self.input.fill_buf();
            let chunk = chunk.map_err(|source| TransferError::Read { name: self.name.clone(), source })?;
            if chunk.is_empty() {
                let ended_in = std::mem::replace(&mut self.grammar.state, State::Between);
                return self.end(ended_in, line, offset);
            }
            let mut taken = 0;
            let mut is_whole = false;
            while taken < chunk.len() && !is_whole {
                let byte = chunk[taken];
                if self.grammar.is_between() {
                    if !self.grammar.begins(byte).map_err(|why| malformed(self.line, why))? {
                        count_line(&mut self.line, &mut self.last, byte);
                        taken += 1;
                        continue;
                    }
                    (line, offset) = (self.line, self.offset + taken as u64);
                }
                match self.grammar.step(byte) {
                    Step::On => {}
                    Step::Last => is_whole = true,
                    // It belongs to the space between pieces.
                    Step::Before => {
                        is_whole = true;
                        break;
                    }
                }
                self.piece.push(byte);
                count_line(&mut self.line, &mut self.last, byte);
                taken += 1;
            }
            self.input.consume(taken);
            self.offset += taken as u64;
            if self.piece.len() > MOST {
                let why = format!("the row that begins here is longer than {} KiB. Is a quote missing?", MOST >> 10);
                return Err(malformed(line, &why));
            }
            if is_whole {
                self.grammar.state = State::Between;
                return Ok(Some(Piece { line, offset, bytes: &self.piece, is_open: false }));
            }
        }
    }

    fn end(&mut self, ended_in: State, line: u64, offset: u64) -> Result<Option<Piece<'_>>, TransferError> {
        if self.grammar.kind == Kind::Element {
            return match ended_in {
                State::After => {
                    self.grammar.state = State::After;
                    Ok(None)
                }
                State::Between if self.grammar.depth == 0 => Err(malformed(self.line, "the file has no JSON array")),
                _ => Err(malformed(self.line, "the file ends in the middle of its JSON array. Is it complete?")),
            };
        }
        if ended_in == State::Between {
            return Ok(None);
        }
        Ok(Some(Piece { line, offset, bytes: &self.piece, is_open: ended_in == State::Quoted }))
    }
}

fn malformed(line: u64, why: &str) -> TransferError {
    TransferError::Malformed(format!("line {line}: {why}"))
}

/// A line feed, a carriage return, or both together end a line.
const fn count_line(line: &mut u64, last: &mut u8, byte: u8) {
    if byte == b'\r' || (byte == b'\n' && *last != b'\r') {
        *line += 1;
    }
    *last = byte;
}

/// The role of a byte in a piece.
enum Step {
    /// The piece continues.
    On,
    /// It is the last of the piece.
    Last,
    /// The piece ended before it.
    Before,
}

impl Grammar {
    const fn is_between(&self) -> bool {
        matches!(self.state, State::Between | State::After)
    }

    /// Whether a piece begins with `byte`, which comes between two.
    fn begins(&mut self, byte: u8) -> Result<bool, &'static str> {
        self.state = match self.kind {
            Kind::Csv { .. } if byte == b'\r' || byte == b'\n' => return Ok(false),
            Kind::Csv { .. } => State::Cell,
            Kind::Line | Kind::Element if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') => return Ok(false),
            Kind::Line => State::Plain,
            Kind::Element => match byte {
                _ if self.state == State::After => return Err("something comes after the end of the JSON array"),
                b'[' if self.depth == 0 => {
                    self.depth = 1;
                    State::Between
                }
                _ if self.depth == 0 => return Err("the file is not a JSON array of objects"),
                b']' => State::After,
                b',' if !self.comma => {
                    self.comma = true;
                    State::Between
                }
                b',' => return Err("there is an extra comma in the JSON array"),
                _ if !self.comma => return Err("a comma is missing in the JSON array"),
                _ => {
                    self.comma = false;
                    State::Plain
                }
            },
        };
        Ok(!self.is_between())
    }

    /// Takes a byte in a piece.
    fn step(&mut self, byte: u8) -> Step {
        self.state = match self.kind {
            Kind::Line if byte == b'\n' => return Step::Before,
            Kind::Line => State::Plain,
            Kind::Csv { delimiter } => match (self.state, byte) {
                (State::Quoted, b'"') => State::Quote,
                (State::Quoted, _) | (State::Cell | State::Quote, b'"') => State::Quoted,
                (_, b'\r' | b'\n') => return Step::Before,
                (_, byte) if byte == delimiter => State::Cell,
                _ => State::Plain,
            },
            Kind::Element => match (self.state, byte) {
                (State::Escape, _) => State::Quoted,
                (State::Quoted, b'\\') => State::Escape,
                (State::Quoted, b'"') if self.depth == 1 => return Step::Last,
                (State::Quoted, b'"') => State::Plain,
                (State::Quoted, _) | (_, b'"') => State::Quoted,
                (_, b'{' | b'[') => {
                    self.depth += 1;
                    State::Plain
                }
                (_, b'}' | b']') if self.depth > 1 => {
                    self.depth -= 1;
                    if self.depth == 1 {
                        return Step::Last;
                    }
                    State::Plain
                }
                (_, b',' | b']' | b' ' | b'\t' | b'\r' | b'\n') if self.depth == 1 => return Step::Before,
                _ => State::Plain,
            },
        };
        Step::On
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    /// Every piece with its line and offset, or the first error; read in parts of `part` bytes.
    fn pieces(text: &[u8], kind: Kind, part: usize) -> Result<Vec<(u64, u64, String)>, String> {
        let mut pieces = Pieces::new(BufReader::with_capacity(part, text), kind, "a".into());
        let mut all = Vec::new();
        while let Some(piece) = pieces.next().map_err(|error| error.to_string())? {
            all.push((piece.line, piece.offset, String::from_utf8_lossy(piece.bytes).into_owned()));
        }
        Ok(all)
    }

    fn lines(text: &str, kind: Kind) -> Vec<(u64, String)> {
        let whole = pieces(text.as_bytes(), kind, 4096).unwrap();
        assert_eq!(pieces(text.as_bytes(), kind, 1).unwrap(), whole);
        whole.into_iter().map(|(line, _, text)| (line, text)).collect()
    }

    const CSV: Kind = Kind::Csv { delimiter: b',' };

    #[test]
    fn rows_end_outside_of_quotes_only_and_begin_on_their_line() {
        let rows = lines("a,b\r\n\r\n\"x\r\ny\",\"\"\"\n\"\"\"\rc\"d,e\n\n", CSV);
        let row = |line, text: &str| (line, text.to_owned());
        assert_eq!(rows, [row(1, "a,b"), row(3, "\"x\r\ny\",\"\"\"\n\"\"\""), row(6, "c\"d,e")]);
    }

    #[test]
    fn elements_are_found_whatever_is_in_their_strings() {
        let elements = lines("\n[ {\"a\":\"]},\\\"\"},\n[1,[2]] ,3,\"x,\"\n, null]\n", Kind::Element);
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
        assert_eq!(lines("[]", Kind::Element), []);
    }

    #[test]
    fn text_that_is_not_an_array_is_an_error() {
        for (text, why) in [
            ("", "has no JSON array"),
            ("{}", "is not a JSON array"),
            ("[1", "ends in the middle"),
            ("[1,", "ends in the middle"),
            ("[\n1 2]", "line 2: a comma is missing"),
            ("[,1]", "an extra comma"),
            ("[1]]", "after the end"),
        ] {
            let error = pieces(text.as_bytes(), Kind::Element, 3).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn a_piece_without_an_end_is_not_held() {
        let text = format!("a\n\"{}", "x\n".repeat(MOST));
        let error = pieces(text.as_bytes(), CSV, 4096).unwrap_err();
        assert_eq!(error, "line 2: the row that begins here is longer than 1024 KiB. Is a quote missing?");
    }

    /// The cells of each row as the csv crate reads the whole text.
    fn by_csv(text: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        reader.byte_records().map(|row| row.unwrap().iter().map(<[u8]>::to_vec).collect()).collect()
    }

    proptest::proptest! {
        #[test]
        fn rows_are_those_of_the_csv_crate(text in "[a\",\r\n]{0,40}", part in 1_usize..9) {
            let rows = pieces(text.as_bytes(), CSV, part).unwrap();
            let cells: Vec<_> = rows.iter().flat_map(|(_, _, row)| by_csv(row.as_bytes())).collect();
            proptest::prop_assert_eq!(cells, by_csv(text.as_bytes()));
        }

        #[test]
        fn elements_are_those_of_the_array(values: Vec<(String, i64)>, part in 1_usize..9) {
            let values: Vec<_> = values.iter().map(|(text, number)| serde_json::json!({ text: [number, text] })).collect();
            let text = serde_json::to_string_pretty(&values).unwrap();
            let elements = pieces(text.as_bytes(), Kind::Element, part).unwrap();
            let read: Vec<serde_json::Value> =
                elements.iter().map(|(_, _, element)| serde_json::from_str(element).unwrap()).collect();
            proptest::prop_assert_eq!(read, values);
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(text: Vec<u8>, part in 1_usize..9) {
            for kind in [CSV, Kind::Line, Kind::Element] {
                let _ = pieces(&text, kind, part);
            }
        }
    }
}
