//! The rows an import is done with, and its counts.

use std::sync::Arc;
use std::time::Instant;

use jiff::SignedDuration;

use crate::clock::Now;
use crate::model::words::{counts, duration};
use crate::model::{cut, display_safe};
use crate::transfer::RowOutcome;
use crate::transfer::rows::Row;

/// Takes a row, in the task that is done with it. It must not wait.
pub type OnImportedRow = Arc<dyn Fn(ImportedRow) + Send + Sync>;

/// What became of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedRow {
    /// Its line in the file.
    pub line: u64,
    /// The pet's name, safe to show; empty if the row cannot be sent.
    pub name: String,
    pub outcome: RowOutcome,
    /// Whether it was sent now. Rows that cannot be sent are not, nor are some that may have been added before.
    pub was_sent: bool,
}

impl ImportedRow {
    /// What became of a row that can be sent.
    pub(super) fn of(row: &Row, outcome: RowOutcome, was_sent: bool) -> Self {
        Self { line: row.line, name: display_safe(&row.new.name).into_owned(), outcome, was_sent }
    }

    /// Whether it was not added.
    pub const fn is_error(&self) -> bool {
        !matches!(self.outcome, RowOutcome::Added(_) | RowOutcome::NotSent(_))
    }

    /// Its line, and what became of it.
    pub fn sentence(&self) -> String {
        let refused = if matches!(self.outcome, RowOutcome::Refused(_)) { "refused: " } else { "" };
        format!("line {}: {refused}{}", self.line, self.outcome.words())
    }
}

/// The counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportProgress {
    /// Added now.
    pub added: u64,
    /// Added before, by the journal.
    pub added_before: u64,
    /// Refused by the service, now or before.
    pub refused: u64,
    /// Rows that cannot be sent.
    pub invalid: u64,
    /// May have been added.
    pub unknown: u64,
    /// Those that were not sent now, since that could add them twice.
    pub left_alone: u64,
    /// Sent, but definitely not added: they may be sent again.
    pub not_sent: u64,
    /// Sent, and no answer yet.
    pub under_way: u64,
    /// Rows are sent again and again because the service takes none.
    pub waiting: Option<Waiting>,
}

/// The service takes no rows for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Since when.
    pub since: Instant,
    /// Nothing is sent before this time.
    pub until: Instant,
    /// The last failure, safe to show.
    pub why: String,
}

impl Waiting {
    /// How long it has lasted, when the next row is sent, and why.
    pub fn words(&self, now: Now) -> String {
        let since = duration(SignedDuration::from_secs(now.seconds_since(self.since).cast_signed()));
        let next = match now.seconds_until(self.until) {
            0 => "trying again".to_owned(),
            seconds => format!("next try in {seconds} s"),
        };
        format!("waiting for {since}; {next}: {}", cut(&self.why, 200))
    }
}

impl ImportProgress {
    /// Good rows that are done.
    pub const fn dealt_with(&self) -> u64 {
        self.added + self.added_before + self.refused + self.unknown
    }

    /// Rows that were not added.
    pub const fn errors(&self) -> u64 {
        self.refused + self.invalid + self.unknown
    }

    /// The counts other than zero, with how many rows are `left`, if that is known.
    pub fn words(&self, left: Option<u64>) -> String {
        let mut words = counts([
            (self.added, "added"),
            (self.added_before, "added before"),
            (self.refused, "refused"),
            (self.invalid, "not sent"),
            (self.unknown, "unknown"),
            (left.unwrap_or_default(), "left"),
        ]);
        words.extend(left.is_none().then(|| "an unknown number left".to_owned()));
        if words.is_empty() { "nothing added".to_owned() } else { words.join(", ") }
    }

    pub(super) fn count(&mut self, row: &ImportedRow) {
        self.under_way = self.under_way.saturating_sub(row.was_sent.into());
        if matches!(row.outcome, RowOutcome::Added(_) | RowOutcome::Refused(_)) {
            self.waiting = None;
        }
        match row.outcome {
            RowOutcome::Added(_) => self.added += 1,
            RowOutcome::Refused(_) => self.refused += 1,
            RowOutcome::Unknown(_) => {
                self.unknown += 1;
                self.left_alone += u64::from(!row.was_sent);
            }
            RowOutcome::Invalid(_) => self.invalid += 1,
            RowOutcome::NotSent(_) => self.not_sent += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_leaves_out_zeros() {
        let words = |progress: ImportProgress, left| progress.words(left);
        let none = ImportProgress::default();
        assert_eq!(words(none.clone(), Some(0)), "nothing added");
        assert_eq!(words(none.clone(), Some(3)), "3 left");
        let expected = "2 added before, 1 not sent";
        assert_eq!(words(ImportProgress { added_before: 2, invalid: 1, ..none.clone() }, Some(0)), expected);
        let expected = "2 added, 1 refused, an unknown number left";
        assert_eq!(words(ImportProgress { added: 2, refused: 1, ..none }, None), expected);
    }
}
