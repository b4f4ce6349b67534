//! The import of a file, from the first look to the decision how it starts. Screen, dialogue and command show it and
//! answer its questions; [`crate::transfer::import`] sends the rows.

use std::path::{Path, PathBuf};

use crate::model::shell_word;
use crate::transfer::earlier_import::EarlierImport;
use crate::transfer::preview::{Preview, preview};
use crate::transfer::rows::Bad;
use crate::transfer::{ColumnMapping, EarlierVerdict, ImportOptions, ImportRun, Input, Journal, Result, Start, Target};

/// A file that was read whole. Nothing of it was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedFile {
    /// Where it is, if it can be imported again from there.
    pub path: Option<PathBuf>,
    pub preview: Preview,
    /// An earlier import of a file with this name.
    pub before: Option<EarlierImport>,
    /// How the file was read: as then, unless another column mapping was chosen.
    pub reading: ColumnMapping,
}

impl CheckedFile {
    /// Reads all of what `open` opens, with the report and the service of a file that may have been imported `before`; or
    /// until `each` row, which comes with their number so far and what is wrong with it, returns false. Blocks.
    pub fn look(
        open: impl FnOnce() -> Result<Input>,
        reading: &ColumnMapping,
        before: Option<(&Path, PathBuf, Target)>,
        each: impl FnMut(u64, Option<&Bad>) -> bool,
    ) -> Result<Self> {
        let path = before.as_ref().map(|(path, ..)| path.to_path_buf());
        let earlier = |(path, report, target): (_, PathBuf, _)| EarlierImport::look(path, reading, &report, &target);
        let before = before.map(earlier).transpose()?.flatten();
        let reading = before.as_ref().map_or(reading, |before| &before.reading).clone();
        Ok(Self { path, preview: preview(open()?, &reading, each)?, before, reading })
    }

    /// How it starts; `None` if that must be chosen first, or nothing is left to send.
    pub fn start(&self, again: Option<bool>) -> Option<Start> {
        let Some(before) = &self.before else { return Some(Start::New) };
        match (before.way(), again) {
            (EarlierVerdict::Choose, Some(false)) if before.here == 0 => None,
            (EarlierVerdict::GoOn, _) | (EarlierVerdict::Choose, Some(false)) => Some(Start::GoOn),
            (EarlierVerdict::Anew, _) | (_, Some(true)) => Some(before.anew()),
            (EarlierVerdict::Done, Some(false)) | (EarlierVerdict::Done | EarlierVerdict::Choose, None) => None,
        }
    }

    /// How many rows would be sent.
    pub fn to_send(&self, start: &Start) -> u64 {
        match &self.before {
            Some(before) if *start == Start::GoOn => before.new + before.unknown,
            _ => self.preview.good,
        }
    }

    /// The import that starts so, with its report at `report` unless it continues one with another name.
    pub fn run(&self, start: Start, report: Option<&Path>, how: ImportOptions) -> ImportRun {
        let continued = self.before.as_ref().filter(|_| start == Start::GoOn).map(|before| before.report.as_path());
        let report = continued.or(report).map(Path::to_owned);
        ImportRun { reading: self.reading.clone(), counts: Some(self.preview.counts()), start, report, how }
    }
}

/// The option of the command line that names the report of an import of `file`, if it is not beside that.
pub fn report_option(file: &Path, report: &Path) -> String {
    if *report == Journal::beside(file) { String::new() } else { format!(" --report {}", word(report)) }
}

/// A path as a word of a command line.
pub fn word(path: &Path) -> String {
    shell_word(&path.display().to_string())
}

/// A path as it is typed, pasted or dropped on the terminal: perhaps quoted, with escaped blanks, or as a URL.
pub fn typed_path(text: &str) -> String {
    let quoted = ['\'', '"'].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    let plain = quoted.map_or_else(|| text.replace("\\ ", " "), str::to_owned);
    plain.strip_prefix("file://").map(str::to_owned).unwrap_or(plain)
}
