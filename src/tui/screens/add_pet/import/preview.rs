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
    /// Where the cursor is: at the column or value of a field, or after these at one of the [`QUESTIONS`].
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

/// A choice about sending.
pub struct Question {
    /// What it asks, with the answer so far; `None` if it does not arise.
    pub text: fn(&PreviewState) -> Option<String>,
    /// Chooses the other answer.
    change: fn(&mut PreviewState),
    /// Why nothing is sent before it is answered.
    pub open: fn(&PreviewState) -> Option<String>,
}

/// What can be done about pasted rows that cannot be sent.
pub const CORRECTED: &str = "Paste them again, corrected.";

/// In the order of Tab.
pub static QUESTIONS: [Question; 4] = [
    Question {
        text: |looked| {
            let doubts = looked.doubts()?;
            Some(format!("{} these columns are right: {doubts}", tick(looked.columns_are_right)))
        },
        change: |looked| looked.columns_are_right = !looked.columns_are_right,
        open: |looked| {
            let doubts = looked.doubts().filter(|_| !looked.columns_are_right)?;
            Some(format!(
                "Nothing was sent. Is it right to read {doubts}? Then press Space; if not, choose others above."
            ))
        },
    },
    Question {
        text: |looked| {
            let preview = &looked.seen()?.preview;
            let (only, stop) = (radio(looked.only_good), radio(!looked.only_good));
            let good = counted(preview.good, "good row");
            let instead = if looked.source.is_file() { "fix the file first" } else { "send none" };
            (preview.bad > 0).then(|| format!("{only} send only the {good}      {stop} {instead}"))
        },
        change: |looked| looked.only_good = !looked.only_good,
        open: |looked| {
            let bad = looked.seen()?.preview.bad;
            (bad > 0 && !looked.only_good).then(|| {
                let rows = counted(bad, "row");
                let way = if looked.source.is_file() { ", or fix the file and press F5" } else { " (Space)" };
                format!("{rows} cannot be sent. Choose to send only the others{way}.")
            })
        },
    },
    Question {
        text: |looked| {
            let seen = looked.seen()?;
            let (before, all) = (seen.before.as_ref()?, seen.preview.good);
            let add = format!("{} add all {all}", radio(looked.again == Some(true)));
            match before.way() {
                EarlierVerdict::Done => Some(format!("{add} again")),
                EarlierVerdict::Choose if before.here == 0 => Some(add),
                EarlierVerdict::Choose => {
                    let leave = radio(looked.again == Some(false));
                    Some(format!("{leave} skip those {}   {add}", before.here))
                }
                EarlierVerdict::GoOn | EarlierVerdict::Anew => None,
            }
        },
        change: |looked| {
            let can_leave_out = looked.seen().is_some_and(|seen| seen.start(Some(false)).is_some());
            looked.again = Some(!looked.again.unwrap_or(can_leave_out));
        },
        open: |looked| {
            let before = looked.before().filter(|_| looked.start().is_none())?;
            let text = match (before.way(), before.here) {
                (EarlierVerdict::Done, _) => {
                    "Nothing was sent: every row was added before. Press Space to add them all again."
                }
                (_, 0) => "Nothing was sent. If this is another list, press Space to add all its rows.",
                _ => "Nothing was sent. Choose what to do with the rows added before (Space).",
            };
            Some(text.to_owned())
        },
    },
    Question {
        text: |looked| {
            let (leave, send) = (radio(!looked.how.send_unknown), radio(looked.how.send_unknown));
            let goes_on = looked.before().filter(|before| before.way() == EarlierVerdict::GoOn)?;
            (goes_on.unknown > 0)
                .then(|| format!("Rows without an answer:  {leave} send if safe   {send} send (may add duplicates)"))
        },
        change: |looked| looked.how.send_unknown = !looked.how.send_unknown,
        open: |_| None,
    },
];

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
            Some(Ok(_) | Err(_)) | None => self.found_columns().map_or(&[], |columns| &columns.names),
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

    /// The questions that arise, each with its part and text.
    pub fn questions(&self) -> impl Iterator<Item = (usize, String)> {
        (3..).zip(&QUESTIONS).filter_map(|(part, question)| Some((part, (question.text)(self)?)))
    }

    /// The current parts, in order.
    pub fn parts(&self) -> Vec<usize> {
        (0..3).chain(self.questions().map(|(part, _)| part)).collect()
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
        let Some(field) = Field::ALL.get(at) else { return (QUESTIONS[at - 3].change)(self) };
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
