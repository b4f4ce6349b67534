//! What is asked before anything of a file is sent.

use std::path::{Path, PathBuf};

use crate::config::paths::in_home;
use crate::dialogue::prompt::Asked;
use crate::dialogue::session::Session;
use crate::dialogue::words;
use crate::model::Field;
use crate::model::text::short;
use crate::transfer::earlier_import::{EarlierImport, EarlierVerdict};
use crate::transfer::import::Start;
use crate::transfer::{ColumnMapping, TransferError};

const FILE_HELP: &str = "Say the name of a file: CSV, JSON, NDJSON or XLSX. Its first row names the columns, such as \
                         name, categoryId, status.";

impl Session {
    /// Asks for a file that is there.
    pub(super) async fn ask_file(&mut self) -> Asked<PathBuf> {
        let home = self.setup.home.clone();
        let read = |answer: &str| {
            let path = path_of(answer, home.as_deref());
            match path.metadata() {
                _ if answer.is_empty() => Err("Say the name of a file.".to_owned()),
                Ok(metadata) if metadata.is_dir() => Err(format!("{} is a directory.", short(answer))),
                Ok(_) => Ok(path),
                Err(error) => Err(format!("{} cannot be read: {error}.", short(answer))),
            }
        };
        self.talk.ask("File to import:", FILE_HELP, read).await
    }

    /// Asks where a field comes from that no column has by its name.
    pub(super) async fn ask_column(
        &mut self,
        reading: &mut ColumnMapping,
        missing: Field,
        there: &[String],
    ) -> Asked<()> {
        self.talk.say(format!("No column is named {}. Which one is it?", missing.member()))?;
        let mut ways = there.to_vec();
        ways.push("none: one value for all animals".to_owned());
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
        let question = format!("{} of all animals:", missing.member());
        *reading = self.talk.ask(&question, "Say the value that all animals of the file get.", read).await?;
        Ok(())
    }

    /// How an import begins after an earlier one of a file of this name; nothing if it is not to begin.
    pub(super) async fn ask_how_to_begin(&mut self, earlier: &EarlierImport) -> Asked<Option<Start>> {
        let EarlierImport { here, new, .. } = earlier;
        let anew = earlier.anew();
        self.talk.say(earlier.sentence())?;
        let (all, way) = (here + new, earlier.way());
        let start = match way {
            EarlierVerdict::Done => self.talk.is_yes("Add all of them once more?", false).await?.then_some(anew),
            EarlierVerdict::GoOn => self.talk.is_yes("Go on with it?", true).await?.then_some(Start::GoOn),
            EarlierVerdict::Anew => Some(anew),
            EarlierVerdict::Choose if *here == 0 => {
                self.talk.is_yes(&format!("Is it another list? Add all {all}?"), false).await?.then_some(anew)
            }
            EarlierVerdict::Choose => {
                let ways = [format!("leave out those {here} rows, send the other {new}"), format!("add all {all}")];
                let at = self.talk.choose("Equal rows", &ways, None).await?;
                Some(if at == 0 { Start::GoOn } else { anew })
            }
        };
        if start.is_none() {
            self.talk.say("Nothing was sent.")?;
        }
        Ok(start)
    }

    /// Names the number and the service, and asks.
    pub(super) async fn may_import(&mut self, good: u64, goes_on: bool) -> Asked<bool> {
        let animals = words::counted(good, "animal");
        let place = self.place();
        self.talk.say(match goes_on {
            false => format!("This adds {animals} to {place}."),
            true => format!("This adds what is left of {animals} to {place}."),
        })?;
        let is_protected = self.setup.settings.protect && !self.may_add;
        let question = if is_protected { "It is protected, and there is no undo. Send them?" } else { "Send them?" };
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
    in_home(plain, home)
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
