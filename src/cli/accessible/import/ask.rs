//! What is asked before anything of a file is sent.

use std::path::{Path, PathBuf};

use super::path_of;
use crate::cli::accessible::dialogue::Asked;
use crate::cli::accessible::{Session, words};
use crate::model::Field;
use crate::model::text::short;
use crate::transfer::{Reading, TransferError};

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
    pub(super) async fn ask_column(&mut self, reading: &mut Reading, missing: Field, there: &[String]) -> Asked<()> {
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

    /// Whether an import that was begun before is gone on with.
    pub(super) async fn ask_to_go_on(&mut self, report: &Path, ended: bool) -> Asked<bool> {
        let report = report.display();
        if ended {
            self.talk.say("This file was imported before, to its end.")?;
            self.talk.say(format!("To add the same animals once more, remove its report first: {report}"))?;
            return Ok(false);
        }
        self.talk.say("An import of this file was begun before, and is not at its end.")?;
        self.talk.is_yes("Go on where it stopped?", true).await
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
