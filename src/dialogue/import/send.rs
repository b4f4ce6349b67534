//! Sends the rows of a file, and reports progress and the result.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

use crate::api::Failure;
use crate::clock;
use crate::dialogue::prompt::{Asked, Leave};
use crate::dialogue::session::Session;
use crate::dialogue::words;
use crate::model::words::capitalized;
use crate::transfer::import::{
    self, ImportControl, ImportEnded, ImportProgress, ImportRun, OnImportedRow, Start, Summary, Work,
};
use crate::transfer::journal::{RowOutcome, Target};
use crate::transfer::{Input, TransferError};

/// The most bad rows, duplicates and refusals that are listed.
pub(super) const MOST: usize = 20;

impl Session {
    /// Sends a file, and again the rows with an unknown outcome if the user wants that.
    pub(super) async fn send_file(&mut self, path: PathBuf, mut run: ImportRun) -> Asked<()> {
        let mut tried_safely = false;
        loop {
            let summary = match self.send_once(path.clone(), run.clone()).await? {
                Ok(summary) => summary,
                Err(TransferError::Api(error)) => {
                    return self.talk.say_all(words::failure(&Failure::from(&error), &self.service));
                }
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
        let target = Target::of(&self.setup.settings);
        let prepared = spawn_blocking(move || {
            let input = Input::file(&path)?;
            let work = Work::start(&run, &input, &target)?;
            Ok((input, work))
        });
        let (input, work) = match prepared.await {
            Ok(Ok(prepared)) => prepared,
            Ok(Err(error)) => return Ok(Err(error)),
            Err(error) => return Ok(Err(TransferError::Start(error.into()))),
        };
        let (progress, counts) = watch::channel(ImportProgress::default());
        let (control, controls) = watch::channel(ImportControl::Go);
        let trouble = Arc::new(Mutex::new(Vec::new()));
        let client = self.setup.client.clone();
        let good = work.good.unwrap_or_default();
        let sent = import::run(&client, input, work, (on_row(Arc::clone(&trouble)), progress, controls));
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
        let lines = std::mem::take(&mut *trouble.lock());
        self.talk.say_all(&lines)?;
        Ok(sent)
    }

    fn say_summary(&mut self, summary: &Summary) -> Asked<()> {
        let Summary { progress, ended, left, report } = summary;
        match ended {
            ImportEnded::Complete => {}
            ImportEnded::Stopped => self.talk.say("Stopped.")?,
            ImportEnded::OnError => self.talk.say("Stopped because rows were not added.")?,
            ImportEnded::Unauthorized(failure) | ImportEnded::NoAnswer(failure) => {
                self.talk.say_all(words::failure(failure, &self.service))?;
            }
            ImportEnded::Failed(why) => self.talk.say(why)?,
        }
        self.talk.say(format!("{}.", capitalized(&progress.words(*left))))?;
        if *left != Some(0) {
            self.talk.say("Import the same file again to continue.")?;
        } else if progress.refused + progress.invalid > 0 {
            self.talk.say("Fix those rows in the file and import it again: only they are sent.")?;
            self.talk.say("petstore pets import with --resume --rejects CSV writes them to a separate file.")?;
        }
        match report {
            Some(report) => self.talk.say(format!("Report: {}", report.display())),
            None => Ok(()),
        }
    }
}

/// Collects the first messages about rows that were not added. Bad rows are in the preview.
fn on_row(trouble: Arc<Mutex<Vec<String>>>) -> OnImportedRow {
    Arc::new(move |row| {
        let mut trouble = trouble.lock();
        if row.is_error() && !matches!(row.outcome, RowOutcome::Invalid(_)) && trouble.len() < MOST {
            trouble.push(capitalized(&row.sentence()));
        }
    })
}
