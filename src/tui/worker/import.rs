//! Files of animals: looks at one, imports it, writes what is to be mended of it, and exports the inventory.

use std::collections::VecDeque;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::domains::SoFar;
use super::job::{Connection, api_of};
use crate::api::failure::Failure;
use crate::clock;
use crate::config::Settings;
use crate::config::paths::in_home;
use crate::local::atomic_file;
use crate::model::export::Kind;
use crate::model::{display_safe, text};
use crate::transfer::earlier_import::EarlierImport;
use crate::transfer::export::{self, to_file};
use crate::transfer::import::{
    self, ImportControl, ImportEnded, ImportEvent, ImportProgress, OnImportEvent, Summary, Work,
};
use crate::transfer::journal::{Journal, Target};
use crate::transfer::preview::preview;
use crate::transfer::{ColumnMapping, FileFormat, Input, TransferError, rejects};
use crate::tui::effect::{ImportSource, RejectsSource, RunImport};
use crate::tui::msg::{CheckedFile, EndOf, Exported, ImportEnd, ImportReply, NotWritten, Outcome, UnusableFile};

/// How often it is told how far things are.
const BETWEEN_NEWS: Duration = Duration::from_millis(100);

/// The most rows that were added and are told at once: the screen shows fewer.
const MOST_ROWS: usize = 200;

/// The most others.
const MOST_PROBLEMS: usize = 1_000;

/// What is known here of the machine and of the service in use.
#[derive(Clone)]
pub(super) struct Surroundings {
    /// What `~` stands for in the name of a file.
    pub home: Option<PathBuf>,
    /// The directory for what was pasted.
    pub pasted: Option<PathBuf>,
    /// The service in use.
    pub settings: Option<Settings>,
}

impl Surroundings {
    /// Where a file is whose name was typed.
    fn place(&self, path: &str) -> PathBuf {
        place(path, self.home.as_deref())
    }

    /// The service in use, as reports name it.
    fn target(&self) -> Target {
        let none = || Target { service: String::new(), key: String::new() };
        self.settings.as_ref().map_or_else(none, Target::of)
    }

    fn open(&self, source: &ImportSource) -> Result<Input, TransferError> {
        match source {
            ImportSource::File(path) => Input::file(&self.place(path)),
            ImportSource::Pasted(text) => Input::stream("what was pasted", Cursor::new(text.as_bytes().to_vec())),
        }
    }
}

/// Writes the rows that were not added into a new file.
pub(super) async fn write_rejects(what: RejectsSource, path: String, replace: bool, around: Surroundings) -> Outcome {
    let work = move || {
        let RejectsSource { source, reading, report } = what;
        let place = around.place(&path);
        let written = around
            .open(&source)
            .and_then(|input| rejects::write(input, &reading, report.as_deref(), (&place, replace)));
        match written {
            Ok(_) => Ok(place.display().to_string()),
            Err(TransferError::Exists(_)) => Err(NotWritten::Exists(path)),
            Err(error) => Err(NotWritten::Failed(format!("{}.", display_safe(&error.to_string())))),
        }
    };
    let done = spawn_blocking(work).await;
    Outcome::Written(done.unwrap_or_else(|error| Err(NotWritten::Failed(error.to_string()))))
}

/// Checks all of a file, and tells how far that is.
pub(super) async fn look(source: ImportSource, reading: ColumnMapping, around: Surroundings, so_far: SoFar) -> Outcome {
    Outcome::Import(ImportReply::Checked(seen(source, reading, around, so_far).await))
}

async fn seen(
    source: ImportSource,
    reading: ColumnMapping,
    around: Surroundings,
    so_far: SoFar,
) -> Result<Box<CheckedFile>, UnusableFile> {
    let stop = Arc::new(AtomicBool::new(false));
    let _guard = StopOnDrop(Arc::clone(&stop));
    let work = move || {
        let path = match &source {
            ImportSource::Pasted(_) => None,
            ImportSource::File(path) => Some(around.place(path)),
        };
        let look = |path: &PathBuf| EarlierImport::look(path, &reading, &Journal::beside(path), &around.target());
        let before = path.as_ref().map_or(Ok(None), look)?;
        let reading = before.as_ref().map_or(reading, |before| before.reading.clone());
        let input = around.open(&source)?;
        let mut told = clock::now().mono;
        let preview = preview(input, &reading, |rows| {
            if rows.is_multiple_of(1_024) {
                let now = clock::now().mono;
                if now.saturating_duration_since(told) >= BETWEEN_NEWS {
                    told = now;
                    so_far.offer(Outcome::Import(ImportReply::Checking(rows)));
                }
            }
            !stop.load(Ordering::Relaxed)
        })?;
        let path = path.map(|path| path.display().to_string());
        Ok(Box::new(CheckedFile { path, preview, before }))
    };
    let looked: Result<_, TransferError> = match spawn_blocking(work).await {
        Ok(looked) => looked,
        Err(error) => return Err(UnusableFile { why: error.to_string(), missing: None }),
    };
    looked.map_err(|error| {
        let why = why_not(&error);
        let TransferError::NoColumn { missing, there } = error else { return UnusableFile { why, missing: None } };
        UnusableFile { why, missing: Some((missing, there)) }
    })
}

/// The words of the screen where those of the command line would name options.
fn why_not(error: &TransferError) -> String {
    match error {
        TransferError::NoColumn { missing, .. } => {
            format!("No column is named {}. Choose one, or one value for all.", missing.member())
        }
        TransferError::FixedValue { why, .. } => why.clone(),
        TransferError::Another { what, .. } if *what != "the service" => {
            "It was imported before with other columns or values: choose those again. With these, rows that were added \
             then would be added a second time."
                .to_owned()
        }
        TransferError::JournalExists(_) | TransferError::Changed { .. } => {
            "The file or its report has changed meanwhile. Look at the file again.".to_owned()
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

/// Imports a file, and tells how it goes, until it has ended or is told to.
pub(super) async fn run(
    task: RunImport,
    connection: Connection,
    around: Surroundings,
    controls: watch::Receiver<ImportControl>,
    so_far: SoFar,
) -> Outcome {
    Outcome::Import(match send(task, connection, around, controls, &so_far).await {
        Ok(end) => ImportReply::Ended(Box::new(end)),
        Err(why) => ImportReply::NotStarted(why),
    })
}

async fn send(
    task: RunImport,
    connection: Connection,
    around: Surroundings,
    controls: watch::Receiver<ImportControl>,
    so_far: &SoFar,
) -> Result<ImportEnd, EndOf> {
    let api = api_of(connection).await.map_err(EndOf::NoAnswer)?;
    let RunImport { source, reading, good, start, report, how } = task;
    let pasted = matches!(source, ImportSource::Pasted(_));
    let begin = move || {
        let place = match &source {
            ImportSource::File(path) => around.place(path),
            ImportSource::Pasted(text) => keep(text, &around)?,
        };
        let report = report.unwrap_or_else(|| Journal::beside(&place));
        let input = Input::file(&place)?;
        let work = Work::start(&start, &input, &reading, Some(good), Some(report.clone()), &around.target())?;
        Ok::<_, TransferError>((place, report, input, work))
    };
    let begun = spawn_blocking(begin).await.map_err(|error| EndOf::Failed(error.to_string()))?;
    let (place, report, input, work) = begun.map_err(|error| EndOf::Failed(why_not(&error)))?;
    let names = [&place, &report].map(|path| path.display().to_string());
    let [place_name, report_name] = names;
    so_far.give(Outcome::Import(ImportReply::Started(place_name, report_name))).await;
    let (progress, counts) = watch::channel(ImportProgress::default());
    let heard = Arc::new(Mutex::new(Heard::default()));
    let sent = import::run(&api, input, work, how, (tell(&heard), progress, controls));
    let (sent, ()) = tokio::join!(sent, follow(counts, &heard, so_far));
    if pasted && sent.is_err() && !report.exists() {
        // Nothing was sent and nothing is to be gone on with; what was pasted is on the screen still.
        let _ = std::fs::remove_file(&place);
    }
    let summary = sent.map_err(|error| match &error {
        TransferError::Api(error) if error.is_unauthorized() => EndOf::KeyRefused(Failure::from(error)),
        TransferError::Api(error) => EndOf::NoAnswer(Failure::from(error)),
        error => EndOf::Failed(why_not(error)),
    })?;
    let end = end_of(summary);
    if pasted && matches!(end.why, EndOf::Complete) && end.progress.errors() == 0 {
        // Everything of it is in the service; what cannot be removed is in nobody's way.
        let _ = std::fs::remove_file(&place).and_then(|()| std::fs::remove_file(&report));
    }
    Ok(end)
}

/// Writes what was pasted into a file of its own, so that its import can be gone on with like any other.
fn keep(pasted: &str, around: &Surroundings) -> Result<PathBuf, TransferError> {
    let failed = |source| TransferError::Write { name: "what was pasted".to_owned(), source };
    let none = || failed(io::Error::other("no home directory is known"));
    let directory = around.pasted.clone().ok_or_else(none)?;
    let at = clock::now().wall.strftime("%Y%m%d-%H%M%S%3f");
    let ending = FileFormat::recognise(None, pasted.as_bytes()).ending();
    let place = directory.join(format!("pasted-{at}.{ending}"));
    atomic_file::replace_private(&place, pasted).map_err(failed)?;
    Ok(place)
}

/// What was told since the screen was told, as much of it as it shows.
#[derive(Default)]
struct Heard {
    rows: VecDeque<ImportEvent>,
    problems: VecDeque<ImportEvent>,
}

fn tell(heard: &Arc<Mutex<Heard>>) -> OnImportEvent {
    let heard = Arc::clone(heard);
    Arc::new(move |told| {
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        let (list, most) =
            if told.is_error() { (&mut heard.problems, MOST_PROBLEMS) } else { (&mut heard.rows, MOST_ROWS) };
        if list.len() == most {
            list.pop_front();
        }
        list.push_back(told);
    })
}

/// Tells the screen how it goes until there is no news any more.
async fn follow(mut counts: watch::Receiver<ImportProgress>, heard: &Mutex<Heard>, so_far: &SoFar) {
    loop {
        let goes_on = counts.changed().await.is_ok();
        let told = {
            let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            let Heard { rows, problems } = std::mem::take(&mut *heard);
            rows.into_iter().chain(problems).collect()
        };
        let progress = counts.borrow_and_update().clone();
        so_far.give(Outcome::Import(ImportReply::Progress(progress, told))).await;
        if !goes_on {
            return;
        }
        tokio::time::sleep(BETWEEN_NEWS).await;
    }
}

fn end_of(summary: Summary) -> ImportEnd {
    let Summary { progress, ended, left, report: _ } = summary;
    let why = match ended {
        ImportEnded::Complete => EndOf::Complete,
        ImportEnded::Stopped => EndOf::Stopped,
        ImportEnded::OnError | ImportEnded::TooManyErrors => EndOf::OnError,
        ImportEnded::Unauthorized(failure) => EndOf::KeyRefused(failure),
        ImportEnded::NoAnswer(failure) => EndOf::NoAnswer(failure),
        ImportEnded::Failed(error) => EndOf::Failed(format!("{}.", display_safe(&error.to_string()))),
    };
    ImportEnd { progress, left, why }
}

/// Writes the whole inventory into a file, in the format that the name's ending asks for.
pub(super) async fn export(
    path: String,
    replace: bool,
    connection: Connection,
    around: Surroundings,
    so_far: SoFar,
) -> Outcome {
    let api = match api_of(connection).await {
        Ok(api) => api,
        Err(failure) => return Outcome::Failed(failure),
    };
    let place = around.place(&path);
    // The box has said which endings there are.
    let kind = Kind::of_name(&place).unwrap_or(Kind::Csv);
    let how = export::ExportOptions { kind, raw: false, status: None, require_complete: false };
    let (count, counted) = watch::channel(0);
    // Where this is dropped, so is the token's guard: the thread that writes hears of it.
    let stop = CancellationToken::new();
    let _guard = stop.clone().drop_guard();
    let api = api.called("export");
    let written = to_file(&api, how, (&place, replace), count, &stop);
    let (written, count) = tokio::join!(written, count_up(counted, &so_far));
    Outcome::Exported(match written {
        Ok(export::ExportEnded::Done(coverage) | export::ExportEnded::Incomplete(coverage)) => {
            Ok(Exported { path: place.display().to_string(), count, coverage })
        }
        Ok(export::ExportEnded::Stopped) => Err(NotWritten::Failed("Stopped. Nothing was written.".to_owned())),
        Err(TransferError::Exists(_)) => Err(NotWritten::Exists(path)),
        Err(TransferError::Api(error)) => {
            let failure = Failure::from(&error);
            Err(NotWritten::Failed(format!("{} Nothing was written.", failure.sentence("the service"))))
        }
        Err(error) => Err(NotWritten::Failed(format!("{}.", text::safe_causes(&error)))),
    })
}

async fn count_up(mut counted: watch::Receiver<u64>, so_far: &SoFar) -> u64 {
    while counted.changed().await.is_ok() {
        let count = *counted.borrow_and_update();
        so_far.give(Outcome::Exporting(count)).await;
        tokio::time::sleep(BETWEEN_NEWS).await;
    }
    *counted.borrow()
}

/// Where a file is whose name was typed.
pub(super) fn place(path: &str, home: Option<&Path>) -> PathBuf {
    let place = in_home(path, home);
    std::path::absolute(&place).unwrap_or(place)
}
