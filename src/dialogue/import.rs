//! Imports a file of pets: checks it, reports what is wrong, and asks before sending.

mod ask;
mod send;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::task::spawn_blocking;

use super::prompt::Asked;
use super::session::Session;
use super::words;
use crate::app::import_run::CheckedFile;
use crate::model::words::counted;
use crate::transfer::import::{ImportOptions, Start};
use crate::transfer::journal::{Journal, Target};
use crate::transfer::preview::Preview;
use crate::transfer::rows::Bad;
use crate::transfer::{ColumnMapping, Input, TransferError};
use send::MOST;

impl Session {
    /// Imports a file.
    pub(super) async fn import(&mut self) -> Asked<()> {
        let path = self.ask_file().await?;
        let categories = Arc::clone(&self.setup.settings.categories);
        let mut reading = ColumnMapping { categories, ..ColumnMapping::default() };
        let checked = loop {
            match self.check_file(&path, &reading).await? {
                Ok(checked) => break checked,
                Err(TransferError::NoColumn { missing, there }) => {
                    self.ask_column(&mut reading, missing, &there).await?;
                }
                Err(error) => return self.talk.say(error.to_string()),
            }
        };
        self.say_preview(&checked.preview)?;
        let good = checked.preview.check.good;
        if good == 0 {
            return self.talk.say("No row can be sent. Fix the file, then import it again.");
        }
        let Some(start) = self.ask_how_to_begin(&checked).await? else { return self.talk.say("Nothing was sent.") };
        if self.may_import(good, start == Start::GoOn).await? {
            let run = checked.run(start, Some(&Journal::beside(&path)), ImportOptions::default());
            self.send_file(path, run).await?;
        }
        Ok(())
    }

    /// What is in a file, and an earlier import of it.
    async fn check_file(&mut self, path: &Path, reading: &ColumnMapping) -> Asked<Result<CheckedFile, TransferError>> {
        let (path, reading, target) = (path.to_owned(), reading.clone(), Target::of(&self.setup.settings));
        let rows = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&rows);
        let looking = spawn_blocking(move || {
            let report = Journal::beside(&path);
            let count = |rows, _: Option<&Bad>| {
                counter.store(rows, Ordering::Relaxed);
                // If the other end is gone, the result is not needed.
                Arc::strong_count(&counter) > 1
            };
            CheckedFile::look(|| Input::file(&path), &reading, Some((&path, &report, &target)), count)
        });
        let how_far = || format!("{} rows checked.", rows.load(Ordering::Relaxed));
        let looked = self.talk.during(looking, how_far).await?;
        Ok(looked.unwrap_or_else(|error| Err(TransferError::Start(error.into()))))
    }

    fn say_preview(&mut self, looked: &Preview) -> Asked<()> {
        let Preview { check, first, bad, duplicates, .. } = looked;
        let rows = counted(check.good + check.bad, "row");
        let bad_words =
            if check.bad == 0 { "all can be sent".to_owned() } else { format!("{} cannot be sent", check.bad) };
        self.talk.say(format!("{rows}: {bad_words}."))?;
        self.talk.say_all(bad.iter().take(MOST).map(|row| format!("Needs fixing: {}", row.sentence())))?;
        if check.bad > MOST as u64 {
            self.talk.say(format!("{} more need fixing.", check.bad - MOST as u64))?;
        }
        if check.corrected > 0 {
            self.talk.say(format!("Corrected: the status of {}.", counted(check.corrected, "row")))?;
        }
        if check.duplicates > 0 {
            let lines: Vec<_> =
                duplicates.iter().take(MOST).map(|(line, name)| format!("{name} in line {line}")).collect();
            self.talk.say(format!("Duplicates: {}. They are sent too.", lines.join(", ")))?;
        }
        match first.first() {
            Some(new) => {
                self.talk.say(format!("The first is {}.", words::new_pet(new, &self.setup.settings.categories)))
            }
            None => Ok(()),
        }
    }
}
