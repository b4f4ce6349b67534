//! Imports a file of pets: checks it, reports what is wrong, asks before sending, and reports progress and the result.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::sync::watch;

use super::prompt::{Asked, Leave};
use super::session::Session;
use crate::app::CheckedFile;
use crate::app::import_run::typed_path;
use crate::clock;
use crate::config::paths::expand_home;
use crate::model::words::capitalized;
use crate::model::{Field, counted, short};
use crate::transfer::earlier_import::EarlierImport;
use crate::transfer::import::{self, ImportControl, ImportEnded, ImportProgress, OnImportedRow, Summary, Work};
use crate::transfer::preview::Preview;
use crate::transfer::rows::Bad;
use crate::transfer::{
    ColumnMapping, EarlierVerdict, ImportOptions, ImportRun, Input, Journal, RowOutcome, Start, Target, TransferError,
    blocking,
};

/// The most bad rows, duplicates and refusals that are listed.
const MOST: usize = 20;

const FILE_HELP: &str = "Type the name of a file: CSV, JSON, NDJSON or XLSX. Its first row names the columns, such as \
                         name, categoryId, status.";

impl Session {
    /// Imports a file.
    pub(super) async fn import(&mut self) -> Asked<()> {
        let path = self.ask_file().await?;
        let categories = Arc::clone(&self.settings.categories);
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
        let good = checked.preview.good;
        if good == 0 {
            return self.talk.say("No row can be sent. Fix the file, then import it again.");
        }
        let Some(start) = self.ask_how_to_begin(&checked).await? else { return self.talk.say("Nothing was sent.") };
        let mut pets = counted(good, "pet");
        if let (Start::GoOn, Some(earlier)) = (&start, &checked.before) {
            pets = format!("the remaining {} of {pets}", earlier.new);
        }
        if self.may_send(&pets, "Send them?", true).await? {
            let run = checked.run(start, Some(&Journal::beside(&path)), ImportOptions::default());
            self.send_file(path, run).await?;
        }
        Ok(())
    }

    /// What is in a file, and an earlier import of it.
    async fn check_file(&mut self, path: &Path, reading: &ColumnMapping) -> Asked<Result<CheckedFile, TransferError>> {
        let (path, reading, target) = (path.to_owned(), reading.clone(), Target::of(&self.settings));
        let rows = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&rows);
        let looking = blocking(move || {
            let before = (path.as_path(), Journal::beside(&path), target);
            let count = |rows, _: Option<&Bad>| {
                counter.store(rows, Ordering::Relaxed);
                // If the other end is gone, the result is not needed.
                Arc::strong_count(&counter) > 1
            };
            CheckedFile::look(|| Input::file(&path), &reading, Some(before), count)
        });
        let how_far = || format!("{} rows checked.", rows.load(Ordering::Relaxed));
        self.talk.during(looking, how_far).await
    }

    fn say_preview(&mut self, looked: &Preview) -> Asked<()> {
        let Preview { good, bad, corrected, duplicates, .. } = *looked;
        let rows = counted(good + bad, "row");
        let bad_words = if bad == 0 { "all can be sent".to_owned() } else { format!("{bad} cannot be sent") };
        self.talk.say(format!("{rows}: {bad_words}."))?;
        self.talk.say_all(looked.bad_rows.iter().take(MOST).map(|row| format!("Needs fixing: {}", row.sentence())))?;
        let more = bad.saturating_sub(MOST as u64);
        self.talk.say_all((more > 0).then(|| format!("{more} more need fixing.")))?;
        let rows = counted(corrected, "row");
        self.talk.say_all((corrected > 0).then(|| format!("Corrected: the status of {rows}.")))?;
        if duplicates > 0 {
            let lines = looked.duplicate_rows.iter().take(MOST);
            let lines: Vec<_> = lines.map(|(line, name)| format!("{name} in line {line}")).collect();
            self.talk.say(format!("Duplicates: {}. They are sent too.", lines.join(", ")))?;
        }
        let first = looked.first.first().map(|new| format!("The first is {}.", self.describe_new(new)));
        self.talk.say_all(first)
    }

    /// Asks for an existing file.
    async fn ask_file(&mut self) -> Asked<PathBuf> {
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
    async fn ask_column(&mut self, reading: &mut ColumnMapping, missing: Field, there: &[String]) -> Asked<()> {
        self.talk.say(format!("No column is named {}. Which column is it?", missing.member()))?;
        let mut ways = there.to_vec();
        ways.push("none: one value for all pets".to_owned());
        let at = self.talk.choose("Column", &ways, None).await?;
        if let Some(column) = there.get(at) {
            reading.map[missing as usize] = Some(column.clone());
            return Ok(());
        }
        let read = |answer: &str| {
            reading.set[missing as usize] = Some(answer.to_owned());
            reading.check().map_err(|error| match error {
                TransferError::FixedValue { why, .. } => why,
                error => error.to_string(),
            })
        };
        let question = format!("{} of all pets:", missing.member());
        self.talk.ask(&question, "Type the value for all pets of the file.", read).await
    }

    /// How an import begins after an earlier one of this file; `None` if the user declines.
    async fn ask_how_to_begin(&mut self, checked: &CheckedFile) -> Asked<Option<Start>> {
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

    /// Sends a file, and again the rows with an unknown outcome if the user wants that.
    async fn send_file(&mut self, path: PathBuf, mut run: ImportRun) -> Asked<()> {
        let mut tried_safely = false;
        loop {
            let summary = match self.send_once(path.clone(), run.clone()).await? {
                Ok(summary) => summary,
                Err(TransferError::Api(error)) => return self.say_failure(&error),
                Err(error) => return self.talk.say(error.to_string()),
            };
            self.say_summary(&summary)?;
            let unknown = summary.progress.unknown;
            if unknown == 0 || run.how.send_unknown || !matches!(summary.ended, ImportEnded::Complete) {
                return Ok(());
            }
            run.start = Start::GoOn;
            let is_safe = self.setup.client.keeps_idempotency_keys() && !tried_safely;
            (tried_safely, run.how.send_unknown) = (true, !is_safe);
            let question = if is_safe {
                "Send those again safely? The service adds each only once."
            } else {
                "Send those again? That may add duplicates."
            };
            if !self.talk.is_yes(question, is_safe).await? {
                return Ok(());
            }
        }
    }

    async fn send_once(&mut self, path: PathBuf, run: ImportRun) -> Asked<Result<Summary, TransferError>> {
        let target = Target::of(&self.settings);
        let ready = match blocking(move || Work::start(run, Input::file(&path)?, &target)).await {
            Ok(ready) => ready,
            Err(error) => return Ok(Err(error)),
        };
        let (progress, counts) = watch::channel(ImportProgress::default());
        let (control, controls) = watch::channel(ImportControl::Go);
        let trouble = Arc::new(Mutex::new(Vec::new()));
        let rows = Arc::clone(&trouble);
        // The first ones that were not added. Bad rows are in the preview.
        let on_row: OnImportedRow = Arc::new(move |row| {
            let mut rows = rows.lock();
            if row.is_error() && !matches!(row.outcome, RowOutcome::Invalid(_)) && rows.len() < MOST {
                rows.push(capitalized(&row.sentence()));
            }
        });
        let client = self.setup.client.clone();
        let good = ready.1.past.head.good.unwrap_or_default();
        let sent = import::run(&client, ready, (on_row, progress, controls));
        tokio::pin!(sent);
        let how_far = || {
            let counts = counts.borrow();
            let waiting = counts.waiting.as_ref().map(|waiting| format!("; {}", waiting.words(clock::now())));
            format!("{} of {good} rows done{}.", counts.dealt_with(), waiting.unwrap_or_default())
        };
        let sent = loop {
            match self.talk.during(sent.as_mut(), how_far).await {
                Ok(sent) => break sent,
                Err(Leave::Stopped) => {
                    self.talk.say("Stopping after the rows being sent. Ctrl-C again stops now.")?;
                    // It fails only if the import has ended.
                    let _ = control.send(ImportControl::Stop);
                }
                Err(Leave::Interrupted) => {
                    let _ = control.send(ImportControl::Abort);
                }
                Err(leave) => return Err(leave),
            }
        };
        self.talk.say_all(trouble.lock().iter()).map(|()| sent)
    }

    fn say_summary(&mut self, summary: &Summary) -> Asked<()> {
        let Summary { progress, ended, left, report } = summary;
        match ended {
            ImportEnded::Unauthorized(failure) | ImportEnded::NoAnswer(failure) => self.say_failure(failure)?,
            ended => self.talk.say_all(ended.why(&self.service))?,
        }
        self.talk.say(format!("{}.", capitalized(&progress.words(*left))))?;
        if *left != Some(0) {
            self.talk.say("Import the same file again to continue.")?;
        } else if progress.refused + progress.invalid > 0 {
            self.talk.say("Fix those rows in the file and import it again: only they are sent.")?;
            self.talk.say("petstore pets import with --resume --rejects CSV writes them to a separate file.")?;
        }
        self.talk.say_all(report.as_ref().map(|report| format!("Report: {}", report.display())))
    }
}

/// A path as it is typed, pasted or dropped on the terminal.
pub(super) fn path_of(answer: &str, home: Option<&Path>) -> PathBuf {
    expand_home(Path::new(&typed_path(answer)), home)
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
