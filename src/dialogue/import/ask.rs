//! The questions before a file is sent.

use std::path::{Path, PathBuf};

use crate::app::import_run::CheckedFile;
use crate::config::paths::expand_home;
use crate::dialogue::prompt::Asked;
use crate::dialogue::session::Session;
use crate::model::Field;
use crate::model::text::short;
use crate::model::words::counted;
use crate::transfer::earlier_import::{EarlierImport, EarlierVerdict};
use crate::transfer::import::Start;
use crate::transfer::{ColumnMapping, TransferError};

const FILE_HELP: &str = "Type the name of a file: CSV, JSON, NDJSON or XLSX. Its first row names the columns, such as \
                         name, categoryId, status.";

impl Session {
    /// Asks for an existing file.
    pub(super) async fn ask_file(&mut self) -> Asked<PathBuf> {
        let home = self.setup.home.clone();
        let read = |answer: &str| {
            let path = path_of(answer, home.as_deref());
            match path.metadata() {
                _ if answer.is_empty() => Err("Type the name of a file.".to_owned()),
                Ok(metadata) if metadata.is_dir() => Err(format!("{} is a directory.", short(answer))),
                Ok(_) => Ok(path),
                Err(error) => Err(format!("Cannot read {}: {error}.", short(answer))),
            }
        };
        self.talk.ask("File to import:", FILE_HELP, read).await
    }

    /// Asks for the column or value of a field that has no column.
    pub(super) async fn ask_column(
        &mut self,
        reading: &mut ColumnMapping,
        missing: Field,
        there: &[String],
    ) -> Asked<()> {
        self.talk.say(format!("No column is named {}. Which column is it?", missing.member()))?;
        let mut ways = there.to_vec();
        ways.push("none: one value for all pets".to_owned());
        let at = self.talk.choose("Column", &ways, None).await?;
        if let Some(column) = there.get(at) {
            reading.map[missing as usize] = Some(column.clone());
            return Ok(());
        }
        let before = reading.clone();
        let read = |answer: &str| {
            let mut reading = before.clone();
            reading.set[missing as usize] = Some(answer.to_owned());
            match reading.check() {
                Ok(()) => Ok(reading),
                Err(TransferError::FixedValue { why, .. }) => Err(why),
                Err(error) => Err(error.to_string()),
            }
        };
        let question = format!("{} of all pets:", missing.member());
        *reading = self.talk.ask(&question, "Type the value for all pets of the file.", read).await?;
        Ok(())
    }

    /// How an import begins after an earlier one of this file; `None` if the user declines.
    pub(super) async fn ask_how_to_begin(&mut self, checked: &CheckedFile) -> Asked<Option<Start>> {
        let Some(earlier) = &checked.before else { return Ok(checked.start(None)) };
        self.talk.say(earlier.sentence())?;
        let EarlierImport { here, new, .. } = earlier;
        let all = here + new;
        let again = match earlier.way() {
            EarlierVerdict::Done => Some(self.talk.is_yes("Add all of them again?", false).await?),
            EarlierVerdict::GoOn if !self.talk.is_yes("Continue it?", true).await? => return Ok(None),
            EarlierVerdict::GoOn | EarlierVerdict::Anew => None,
            EarlierVerdict::Choose if *here == 0 => {
                Some(self.talk.is_yes(&format!("Is it another list? Add all {all}?"), false).await?)
            }
            EarlierVerdict::Choose => {
                let ways = [
                    format!("skip {}, send the other {new}", counted(*here, "matching row")),
                    format!("add all {all}"),
                ];
                Some(self.talk.choose("Matching rows", &ways, None).await? == 1)
            }
        };
        Ok(checked.start(again))
    }

    /// Asks before sending, with the number of pets and the service.
    pub(super) async fn may_import(&mut self, good: u64, goes_on: bool) -> Asked<bool> {
        let pets = counted(good, "pet");
        let place = self.place();
        self.talk.say(match goes_on {
            false => format!("This adds {pets} to {place}."),
            true => format!("This adds what is left of {pets} to {place}."),
        })?;
        let is_protected = self.setup.settings.protect && !self.may_add;
        let question = if is_protected {
            "This profile is protected, and adding cannot be undone. Send them?"
        } else {
            "Send them?"
        };
        let may = self.talk.is_yes(question, false).await?;
        self.may_add |= may;
        if !may {
            self.talk.say("Nothing was sent.")?;
        }
        Ok(may)
    }
}

/// A path as it is typed, pasted or dropped on the terminal.
fn path_of(answer: &str, home: Option<&Path>) -> PathBuf {
    let quoted = ['\'', '"'].into_iter().find_map(|quote| answer.strip_prefix(quote)?.strip_suffix(quote));
    let plain = quoted.map_or_else(|| answer.replace("\\ ", " "), str::to_owned);
    let plain = plain.strip_prefix("file://").unwrap_or(&plain);
    expand_home(Path::new(plain), home)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_may_be_quoted_dropped_or_in_the_home_directory() {
        let home = Path::new("/home/ada");
        for (answer, expected) in [
            ("pets.csv", "pets.csv"),
            ("'/tmp/new pets.csv'", "/tmp/new pets.csv"),
            ("/tmp/new\\ pets.csv", "/tmp/new pets.csv"),
            ("file:///tmp/a.csv", "/tmp/a.csv"),
            ("~/a.csv", "/home/ada/a.csv"),
        ] {
            assert_eq!(path_of(answer, Some(home)), Path::new(expected), "{answer}");
        }
    }
}
