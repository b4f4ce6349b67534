//! Jobs of an import: checking a file, and sending its rows.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

use super::context::Surroundings;
use super::job::{BETWEEN_NEWS, Connection, Progress, api_of};
use crate::api::failure::Failure;
use crate::clock;
use crate::local::atomic_file;
use crate::model::{PetId, display_safe};
use crate::transfer::earlier_import::EarlierImport;
use crate::transfer::import::{
    self, ImportControl, ImportEnded, ImportEvent, ImportProgress, OnImportEvent, Summary, Work,
};
use crate::transfer::journal::{Journal, RowOutcome};
use crate::transfer::preview::preview;
use crate::transfer::validate::RowCounts;
use crate::transfer::{ColumnMapping, FileFormat, Input, TransferError};
use crate::tui::screens::add_pet::import::jobs::{
    CheckedFile, ImportReply, ImportSource, ImportTask, RunImport, UnusableFile,
};

/// The most added rows in one report: the screen shows fewer.
const MOST_ROWS: usize = 200;

/// The most others.
const MOST_PROBLEMS: usize = 1_000;

/// Does a job; `controls` are for an import that is under way.
pub(super) async fn perform(
    task: ImportTask,
    connection: Connection,
    around: Surroundings,
    controls: watch::Receiver<ImportControl>,
    progress: Progress,
) -> ImportReply {
    match task {
        ImportTask::CheckFile(source, reading) => {
            ImportReply::Checked(check(source, around.reading(*reading), around, progress).await)
        }
        ImportTask::Run(run) => match send(*run, connection, around, controls, &progress).await {
            Ok(end) => ImportReply::Ended(Box::new(end)),
            Err(why) => ImportReply::NotStarted(why),
        },
    }
}

/// Checks all of a file, and tells how far that is.
async fn check(
    source: ImportSource,
    reading: ColumnMapping,
    around: Surroundings,
    progress: Progress,
) -> Result<Box<CheckedFile>, UnusableFile> {
    let stop = Arc::new(AtomicBool::new(false));
    let _guard = StopOnDrop(Arc::clone(&stop));
    let work = move || {
        let path = match &source {
            ImportSource::Pasted(_) => None,
            ImportSource::File(path) => Some(around.place(path)),
        };
        let earlier = |path: &PathBuf| EarlierImport::look(path, &reading, &Journal::beside(path), &around.target());
        let before = path.as_ref().map_or(Ok(None), earlier)?;
        let reading = before.as_ref().map_or(reading, |before| before.reading.clone());
        let input = around.open(&source)?;
        let mut reported = clock::now().mono;
        let preview = preview(input, &reading, |rows| {
            if rows.is_multiple_of(1_024) {
                let now = clock::now().mono;
                if now.saturating_duration_since(reported) >= BETWEEN_NEWS {
                    reported = now;
                    progress.offer(ImportReply::Checking(rows));
                }
            }
            !stop.load(Ordering::Relaxed)
        })?;
        let path = path.map(|path| path.display().to_string());
        Ok(Box::new(CheckedFile { path, preview, before }))
    };
    let checked: Result<_, TransferError> = match spawn_blocking(work).await {
        Ok(checked) => checked,
        Err(error) => return Err(UnusableFile { why: error.to_string(), missing: None }),
    };
    checked.map_err(|error| {
        let why = why_not(&error);
        let TransferError::NoColumn { missing, there } = error else { return UnusableFile { why, missing: None } };
        UnusableFile { why, missing: Some((missing, there)) }
    })
}

/// The words of the screen where those of the command line would name options.
#[expect(clippy::wildcard_enum_match_arm, reason = "the other errors already say it all")]
fn why_not(error: &TransferError) -> String {
    match error {
        TransferError::NoColumn { missing, .. } => {
            format!("No column is named {}. Choose one, or one value for all.", missing.member())
        }
        TransferError::FixedValue { why, .. } => why.clone(),
        TransferError::Another { what, .. } if *what != "the service" => {
            "This file was imported before with other columns or values. Choose those again, or rows that were \
             added then would be added twice."
                .to_owned()
        }
        TransferError::JournalExists(_) | TransferError::Changed { .. } => {
            "The file or its report has changed. Read the file again (F5).".to_owned()
        }
        error => format!("{}.", display_safe(&error.to_string())),
    }
}

struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Imports a file and reports progress, until it ends or is stopped.
async fn send(
    task: RunImport,
    connection: Connection,
    around: Surroundings,
    controls: watch::Receiver<ImportControl>,
    so_far: &Progress,
) -> Result<Summary, ImportEnded> {
    let api = api_of(connection).await.map_err(ImportEnded::NoAnswer)?;
    let RunImport { source, reading, good, bad, start, report, how } = task;
    let pasted = matches!(source, ImportSource::Pasted(_));
    let begin = move || {
        let reading = around.reading(reading);
        let place = match &source {
            ImportSource::File(path) => around.place(path),
            ImportSource::Pasted(text) => keep(text, &around)?,
        };
        let report = report.unwrap_or_else(|| Journal::beside(&place));
        let input = Input::file(&place)?;
        let work = Work::start(
            &start,
            &input,
            &reading,
            Some(RowCounts { good, bad }),
            Some(report.clone()),
            &around.target(),
        )?;
        Ok::<_, TransferError>((place, report, input, work))
    };
    let begun = spawn_blocking(begin).await.map_err(|error| ImportEnded::Failed(error.to_string()))?;
    let (place, report, input, work) = begun.map_err(|error| ImportEnded::Failed(why_not(&error)))?;
    let names = [&place, &report].map(|path| path.display().to_string());
    let [place_name, report_name] = names;
    so_far.give(ImportReply::Started(place_name, report_name)).await;
    let (progress, counts) = watch::channel(ImportProgress::default());
    let unreported = Arc::new(Mutex::new(Unreported::default()));
    let sent = import::run(&api, input, work, how, (record(&unreported), progress, controls));
    let (sent, ()) = tokio::join!(sent, follow(counts, &unreported, so_far));
    if pasted && sent.is_err() && !report.exists() {
        // Nothing was sent and there is nothing to continue; the pasted text is still on the screen.
        let _ = std::fs::remove_file(&place);
    }
    let mut summary = sent.map_err(|error| {
        let TransferError::Api(error) = &error else { return ImportEnded::Failed(why_not(&error)) };
        let failure = Failure::from(error);
        if error.is_unauthorized() { ImportEnded::Unauthorized(failure) } else { ImportEnded::NoAnswer(failure) }
    })?;
    if let ImportEnded::Failed(why) = &mut summary.ended {
        *why = format!("{}.", display_safe(why));
    }
    if pasted && summary.ended == ImportEnded::Complete && summary.progress.errors() == 0 {
        // All of it is in the service; a file that cannot be removed does no harm.
        let _ = std::fs::remove_file(&place).and_then(|()| std::fs::remove_file(&report));
    }
    Ok(summary)
}

/// Writes what was pasted into its own file, from which its import can be continued like any other.
fn keep(pasted: &str, around: &Surroundings) -> Result<PathBuf, TransferError> {
    let failed = |source| TransferError::Write { name: "what was pasted".to_owned(), source };
    let none = || failed(io::Error::other("no home directory was found"));
    let directory = around.machine.pasted.clone().ok_or_else(none)?;
    let at = clock::now().wall.strftime("%Y%m%d-%H%M%S%3f");
    let ending = FileFormat::recognise(None, pasted.as_bytes()).to_string().to_lowercase();
    let place = directory.join(format!("pasted-{at}.{ending}"));
    atomic_file::replace_private(&place, pasted).map_err(failed)?;
    Ok(place)
}

/// What happened since the last report: every pet that was added, and as many rows as the screen shows.
#[derive(Default)]
struct Unreported {
    added: Vec<PetId>,
    rows: VecDeque<ImportEvent>,
    problems: VecDeque<ImportEvent>,
}

fn record(unreported: &Arc<Mutex<Unreported>>) -> OnImportEvent {
    let unreported = Arc::clone(unreported);
    Arc::new(move |event| {
        let mut unreported = unreported.lock();
        if let ImportEvent::Row { outcome: RowOutcome::Added(id), .. } = &event {
            unreported.added.push(*id);
        }
        let Unreported { rows, problems, .. } = &mut *unreported;
        let (list, most) = if event.is_error() { (problems, MOST_PROBLEMS) } else { (rows, MOST_ROWS) };
        if list.len() == most {
            list.pop_front();
        }
        list.push_back(event);
    })
}

/// Reports progress to the screen until the import has ended.
async fn follow(mut counts: watch::Receiver<ImportProgress>, unreported: &Mutex<Unreported>, so_far: &Progress) {
    loop {
        let goes_on = counts.changed().await.is_ok();
        let Unreported { added, rows, problems } = std::mem::take(&mut *unreported.lock());
        let events = rows.into_iter().chain(problems).collect();
        let progress = counts.borrow_and_update().clone();
        so_far.give(ImportReply::Progress { progress, events, added }).await;
        if !goes_on {
            return;
        }
        tokio::time::sleep(BETWEEN_NEWS).await;
    }
}
