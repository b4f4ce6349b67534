//! The preview of a file: what is in it, how it is read, and how it will be sent.

use crate::api::Failure;
use crate::app::CheckedFile;
use crate::model::{Field, counted};
use crate::transfer::column_mapping::named;
use crate::transfer::earlier_import::EarlierImport;
use crate::transfer::{ColumnMapping, Columns, EarlierVerdict, ImportOptions, ImportSource, Start};
use crate::tui::TextInput;
use crate::tui::key::Movement;
use crate::tui::text_input::{Edit, To};
use crate::tui::widgets::page::{radio, tick};

/// The preview of a file.
#[derive(Clone, Debug, Default)]
pub struct PreviewState {
    /// What is previewed.
    pub source: ImportSource,
    /// How it is read, but for what is typed as one value for all rows: an empty text stands for it.
    pub reading: ColumnMapping,
    /// What is typed as the value of each field.
    values: [TextInput; 3],
    /// The result of the last check; `None` before the first one has ended.
    pub found: Option<Result<CheckedFile, UnusableFile>>,
    /// How many rows the running check has read.
    pub rows: u64,
    /// The choices have changed since the last check began.
    pub changed: bool,
    /// Where the cursor is: at the column or value of a field, or after these at one of the [`questions`](Self::questions).
    pub part: usize,
    /// The columns are right although their names say otherwise.
    columns_are_right: bool,
    /// Send the good rows although there are bad ones.
    pub only_good: bool,
    /// Whether rows added before are added again, once that is chosen.
    pub again: Option<bool>,
    /// How rows are sent.
    pub how: ImportOptions,
}

/// Why a file cannot be imported as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableFile {
    /// A sentence.
    pub why: String,
    /// The field without a column, and the columns of the file, if choosing one would help.
    pub missing: Option<(Field, Vec<String>)>,
}

impl From<Failure> for UnusableFile {
    fn from(failure: Failure) -> Self {
        Self { why: failure.into(), missing: None }
    }
}

/// A choice about sending that arises.
pub struct Question {
    /// Its place after the fields.
    pub part: usize,
    /// What it asks, with the answer so far.
    pub text: String,
    /// Why nothing is sent before it is answered.
    pub open: Option<String>,
    /// Chooses the other answer.
    change: fn(&mut PreviewState),
}

/// What can be done about pasted rows that cannot be sent.
pub const CORRECTED: &str = "Paste them again, corrected.";

impl PreviewState {
    /// A new preview of `source`, read like this.
    pub fn new(source: ImportSource, reading: &ColumnMapping) -> Self {
        let mut new = Self { source, ..Self::default() };
        new.read_as(reading);
        new
    }

    /// Takes over a column mapping, such as that of an earlier import.
    pub fn read_as(&mut self, reading: &ColumnMapping) {
        self.reading = reading.clone();
        self.values = reading.set.clone().map(|value| TextInput::new(value.unwrap_or_default()));
    }

    /// The column mapping, with what is typed.
    pub fn reading(&self) -> ColumnMapping {
        let mut reading = self.reading.clone();
        for (set, value) in reading.set.iter_mut().zip(&self.values) {
            *set = set.take().map(|_| value.value().trim().to_owned());
        }
        reading
    }

    /// The checked file, if it can be read.
    pub fn seen(&self) -> Option<&CheckedFile> {
        self.found.as_ref().and_then(|found| found.as_ref().ok())
    }

    fn found_columns(&self) -> Option<&Columns> {
        self.seen()?.preview.layout.columns.as_ref()
    }

    /// The columns of the file, as far as known.
    pub fn columns(&self) -> &[String] {
        match &self.found {
            Some(Err(UnusableFile { missing: Some((_, columns)), .. })) => columns,
            _ => self.found_columns().map_or(&[], |columns| &columns.names),
        }
    }

    /// The column that a field is read from.
    pub(super) fn column_of(&self, field: Field) -> Option<&str> {
        let field = field as usize;
        if self.reading.set[field].is_some() {
            return None;
        }
        let found = || self.found_columns().and_then(|columns| Some(columns.names[columns.of[field]?].as_str()));
        self.reading.map[field].as_deref().or_else(found)
    }

    /// The fields of a new import whose column the names of the columns give to another field, if any.
    fn doubts(&self) -> Option<String> {
        let doubtful = self.found_columns()?.doubtful().into_iter();
        let words: Vec<_> = doubtful.map(|(field, column)| format!("{} from \"{column}\"", field.member())).collect();
        (!words.is_empty() && self.start() != Some(Start::GoOn)).then(|| words.join(", "))
    }

    /// The questions that arise, in the order of Tab.
    pub fn questions(&self) -> Vec<Question> {
        let mut questions = Vec::new();
        let mut ask = |part, text, open, change| questions.push(Question { part, text, open, change });
        if let Some(doubts) = self.doubts() {
            let open = format!(
                "Nothing was sent. Is it right to read {doubts}? Then press Space; if not, choose others above."
            );
            let text = format!("{} these columns are right: {doubts}", tick(self.columns_are_right));
            let open = Some(open).filter(|_| !self.columns_are_right);
            ask(3, text, open, |looked| looked.columns_are_right = !looked.columns_are_right);
        }
        let Some(CheckedFile { preview, before, .. }) = self.seen() else { return questions };
        if preview.bad > 0 {
            let (only, stop) = (radio(self.only_good), radio(!self.only_good));
            let (good, bad) = (counted(preview.good, "good row"), counted(preview.bad, "row"));
            let (instead, way) = match self.source.is_file() {
                true => ("fix the file first", ", or fix the file and press F5"),
                false => ("send none", " (Space)"),
            };
            let open = format!("{bad} cannot be sent. Choose to send only the others{way}.");
            let text = format!("{only} send only the {good}      {stop} {instead}");
            ask(4, text, Some(open).filter(|_| !self.only_good), |looked| looked.only_good = !looked.only_good);
        }
        let Some(before) = before else { return questions };
        let (skip, add) = (radio(self.again == Some(false)), radio(self.again == Some(true)));
        let add = format!("{add} add all {}", preview.good);
        let asked = match (before.way(), before.here) {
            (EarlierVerdict::Done, _) => {
                Some((format!("{add} again"), ": every row was added before. Press Space to add them all again."))
            }
            (EarlierVerdict::Choose, 0) => Some((add, ". If this is another list, press Space to add all its rows.")),
            (EarlierVerdict::Choose, here) => {
                let text = format!("{skip} skip those {here}   {add}");
                Some((text, ". Choose what to do with the rows added before (Space)."))
            }
            (EarlierVerdict::GoOn | EarlierVerdict::Anew, _) => None,
        };
        if let Some((text, why)) = asked {
            let open = self.start().is_none().then(|| format!("Nothing was sent{why}"));
            ask(5, text, open, |looked| {
                let can_skip = looked.seen().is_some_and(|seen| seen.start(Some(false)).is_some());
                looked.again = Some(!looked.again.unwrap_or(can_skip));
            });
        }
        if before.way() == EarlierVerdict::GoOn && before.unknown > 0 {
            let (skip, send) = (radio(!self.how.send_unknown), radio(self.how.send_unknown));
            let ways = format!("{skip} send if safe   {send} send (may add duplicates)");
            let text = format!("Rows without an answer:  {ways}");
            ask(6, text, None, |looked| looked.how.send_unknown = !looked.how.send_unknown);
        }
        questions
    }

    /// The current parts, in order.
    pub fn parts(&self) -> Vec<usize> {
        (0..3).chain(self.questions().iter().map(|question| question.part)).collect()
    }

    /// What is typed as the value of a field, if it has one.
    pub fn value(&self, field: usize) -> Option<&TextInput> {
        self.reading.set.get(field)?.as_ref().map(|_| &self.values[field])
    }

    /// The same where the cursor is, for typing.
    pub fn input(&mut self) -> Option<&mut TextInput> {
        self.value(self.part)?;
        Some(&mut self.values[self.part])
    }

    /// Moves the cursor in a typed value; `false` at its end, where the next choice comes.
    pub(super) fn moves_in_text(&mut self, movement: Movement) -> bool {
        let Some(input) = self.input() else { return false };
        let before = input.clone();
        input.edit(if movement.is_down() { Edit::Go(To::Right) } else { Edit::Go(To::Left) });
        *input != before
    }

    /// Selects the next or previous choice of the part that has the cursor: the columns, then one value for all rows.
    pub fn choose(&mut self, next: bool) {
        let at = self.part;
        let Some(field) = Field::ALL.get(at) else {
            let asked = self.questions().into_iter().find(|question| question.part == at);
            return asked.into_iter().for_each(|question| (question.change)(self));
        };
        let columns = self.columns().to_vec();
        let named = named(&columns, *field);
        let (map, set) = (&mut self.reading.map[at], &mut self.reading.set[at]);
        // Without a column of its name, that it has none is a choice, too.
        let first = usize::from(named.is_none());
        let last = first + columns.len();
        let column = columns.iter().position(|name| Some(name) == map.as_ref()).or(named);
        let here = if set.is_some() { last } else { column.map_or(0, |column| first + column) };
        let there = (here + if next { 1 } else { last }) % (last + 1);
        let column = there.checked_sub(first).filter(|column| Some(*column) != named);
        *map = column.and_then(|column| columns.get(column).cloned());
        *set = (there == last).then(String::new);
        self.values[at].clear();
        (self.changed, self.columns_are_right) = (true, false);
    }

    /// The earlier import of a file with this name.
    pub fn before(&self) -> Option<&EarlierImport> {
        self.seen()?.before.as_ref()
    }

    /// How the import would start; `None` before that is chosen.
    pub fn start(&self) -> Option<Start> {
        self.seen()?.start(self.again)
    }
}
