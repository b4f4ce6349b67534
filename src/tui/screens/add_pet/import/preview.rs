//! The preview of a file: what is in it, how it is read, and how it will be sent.

use crate::api::failure::Failure;
use crate::app::import_run::CheckedFile;
use crate::model::Field;
use crate::transfer::ColumnMapping;
use crate::transfer::ImportSource;
use crate::transfer::column_mapping::named;
use crate::transfer::earlier_import::{EarlierImport, EarlierVerdict};
use crate::transfer::import::{ImportOptions, Start};
use crate::tui::key::Movement;
use crate::tui::text_input::{Edit, TextInput};

/// The preview of a file.
#[derive(Clone, Debug)]
pub struct PreviewState {
    /// What is previewed.
    pub source: ImportSource,
    /// How each field is read.
    pub choices: [Choice; 3],
    /// The result of the last check; `None` before the first one has ended.
    pub found: Option<Result<CheckedFile, UnusableFile>>,
    /// How many rows the running check has read.
    pub rows: u64,
    /// The choices have changed since the last check began.
    pub changed: bool,
    /// Where the cursor is.
    pub part: PreviewField,
    /// The columns are right although their names say otherwise.
    pub columns_are_right: bool,
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

/// Where a field is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The column found by its name, if any.
    Found,
    Column(String),
    /// One value for all rows, as typed.
    Value(TextInput),
}

/// Every field from the column found by its name.
pub const FOUND: [Choice; 3] = [Choice::Found, Choice::Found, Choice::Found];

/// The parts of the screen, in the order of Tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreviewField {
    /// The column or value of this field.
    Of(Field),
    /// Whether columns are right that their names give to other fields.
    Doubts,
    /// What to do with bad rows.
    Bad,
    /// What to do with rows added before.
    Again,
    /// What to do with rows that may have been added before.
    Unknown,
}

impl PreviewState {
    /// A new preview of `source`, with these choices.
    pub fn new(source: ImportSource, choices: [Choice; 3]) -> Self {
        let how = ImportOptions::default();
        let part = PreviewField::Of(Field::Name);
        Self {
            source,
            choices,
            found: None,
            rows: 0,
            changed: false,
            part,
            columns_are_right: false,
            only_good: false,
            again: None,
            how,
        }
    }

    /// Takes over the column mapping of an earlier import.
    pub fn read_as(&mut self, reading: &ColumnMapping) {
        for (choice, pair) in self.choices.iter_mut().zip(reading.map.iter().zip(&reading.set)) {
            *choice = match pair {
                (_, Some(value)) => Choice::Value(TextInput::new(value.clone())),
                (Some(column), None) => Choice::Column(column.clone()),
                (None, None) => Choice::Found,
            };
        }
    }

    /// The column mapping.
    pub fn reading(&self) -> ColumnMapping {
        let mut reading = ColumnMapping::default();
        for (at, choice) in self.choices.iter().enumerate() {
            match choice {
                Choice::Found => {}
                Choice::Column(column) => reading.map[at] = Some(column.clone()),
                Choice::Value(value) => reading.set[at] = Some(value.value().trim().to_owned()),
            }
        }
        reading
    }

    /// The checked file, if it can be read.
    pub fn seen(&self) -> Option<&CheckedFile> {
        self.found.as_ref().and_then(|found| found.as_ref().ok())
    }

    /// The columns of the file, as far as known.
    pub fn columns(&self) -> &[String] {
        match &self.found {
            None => &[],
            Some(Ok(seen)) => seen.preview.check.layout.columns.as_ref().map_or(&[], |columns| &columns.names),
            Some(Err(not_seen)) => not_seen.missing.as_ref().map_or(&[], |(_, columns)| columns),
        }
    }

    /// The column that a field is read from.
    pub(super) fn column_of(&self, field: Field) -> Option<&str> {
        match &self.choices[field as usize] {
            Choice::Column(column) => Some(column),
            Choice::Value(_) => None,
            Choice::Found => {
                let columns = self.seen()?.preview.check.layout.columns.as_ref()?;
                Some(&columns.names[columns.of[field as usize]?])
            }
        }
    }

    /// The fields of a new import whose column the names of the columns give to another field, if any.
    pub(super) fn doubts(&self) -> Option<String> {
        let columns = self.seen()?.preview.check.layout.columns.as_ref()?;
        let doubtful = columns.doubtful().into_iter();
        let words: Vec<_> = doubtful.map(|(field, column)| format!("{} from \"{column}\"", field.member())).collect();
        (!words.is_empty() && self.start() != Some(Start::GoOn)).then(|| words.join(", "))
    }

    /// The current parts, in order.
    pub fn parts(&self) -> Vec<PreviewField> {
        let mut parts: Vec<PreviewField> = Field::ALL.map(PreviewField::Of).into();
        if let Some(seen) = self.seen() {
            if self.doubts().is_some() {
                parts.push(PreviewField::Doubts);
            }
            if seen.preview.check.bad > 0 {
                parts.push(PreviewField::Bad);
            }
            if matches!(seen.verdict(), Some(EarlierVerdict::Done | EarlierVerdict::Choose)) {
                parts.push(PreviewField::Again);
            } else if self.may_be_there() > 0 {
                parts.push(PreviewField::Unknown);
            }
        }
        parts
    }

    /// The value field that has the cursor.
    pub fn input_ref(&self) -> Option<&TextInput> {
        let PreviewField::Of(field) = self.part else { return None };
        if let Choice::Value(value) = &self.choices[field as usize] { Some(value) } else { None }
    }

    /// The same, for typing.
    pub fn input(&mut self) -> Option<&mut TextInput> {
        let PreviewField::Of(field) = self.part else { return None };
        if let Choice::Value(value) = &mut self.choices[field as usize] { Some(value) } else { None }
    }

    /// Moves the cursor in a typed value; `false` at its end, where the next choice comes.
    pub(super) fn moves_in_text(&mut self, movement: Movement) -> bool {
        let Some(input) = self.input() else { return false };
        let before = input.clone();
        input.edit(if movement.is_down() { Edit::Right } else { Edit::Left });
        *input != before
    }

    /// Selects the next or previous choice of the part that has the cursor.
    pub fn choose(&mut self, next: bool) {
        match self.part {
            PreviewField::Of(field) => {
                let columns = self.columns();
                let named = named(columns, field);
                let of_column = |name: &String| match named {
                    Some(place) if columns[place] == *name => Choice::Found,
                    _ => Choice::Column(name.clone()),
                };
                let choice = match &self.choices[field as usize] {
                    Choice::Column(name) => of_column(name),
                    choice @ (Choice::Found | Choice::Value(_)) => choice.clone(),
                };
                let mut all = Vec::from_iter(named.is_none().then_some(Choice::Found));
                all.extend(columns.iter().map(of_column));
                // The typed value is kept.
                let value = matches!(choice, Choice::Value(_)).then(|| choice.clone());
                all.push(value.unwrap_or_else(|| Choice::Value(TextInput::default())));
                let here = all.iter().position(|one| *one == choice).unwrap_or(0);
                let there = (here + if next { 1 } else { all.len() - 1 }) % all.len();
                self.choices[field as usize] = all.swap_remove(there);
                (self.changed, self.columns_are_right) = (true, false);
            }
            PreviewField::Doubts => self.columns_are_right = !self.columns_are_right,
            PreviewField::Bad => self.only_good = !self.only_good,
            PreviewField::Again => {
                let can_leave_out = self.seen().is_some_and(|seen| seen.start(Some(false)).is_some());
                self.again = Some(!self.again.unwrap_or(can_leave_out));
            }
            PreviewField::Unknown => self.how.send_unknown = !self.how.send_unknown,
        }
    }

    /// The earlier import of a file with this name.
    pub fn before(&self) -> Option<&EarlierImport> {
        self.seen()?.before.as_ref()
    }

    /// How many rows of an import that is continued may have been added.
    pub(super) fn may_be_there(&self) -> u64 {
        self.before().filter(|before| before.way() == EarlierVerdict::GoOn).map_or(0, |before| before.unknown)
    }

    /// How the import would start; `None` before that is chosen.
    pub fn start(&self) -> Option<Start> {
        self.seen()?.start(self.again)
    }
}
