//! The jobs of an import, and what follows from their answers: the check of the whole file, and the run that sends its
//! rows.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

use super::preview::UnusableFile;
use super::update::leave;
use super::{Phase, RunImport, State};
use crate::api::{Failure, Remedy};
use crate::app::CheckedFile;
use crate::app::inventory::changes::FileChanges;
use crate::clock::{self, Now};
use crate::local::{atomic_file, file_stem};
use crate::model::{PetId, counted};
use crate::transfer::import::{self, ImportEnded, ImportProgress, OnImportedRow, Summary, Work};
use crate::transfer::rows::Bad;
use crate::transfer::{
    ColumnMapping, EarlierVerdict, FileFormat, ImportRun, ImportSource, ImportedRow, Input, Journal, RowOutcome,
    TransferError, blocking,
};
use crate::tui::job::{BETWEEN_NEWS, Ongoing};
use crate::tui::popups::Question;
use crate::tui::screens::pets::change::{begin, can_change};
use crate::tui::screens::pets::{self, Outcome};
use crate::tui::worker::context::WorkerContext;
use crate::tui::{App, Env, Job, Page, Slot};

pub(super) const KEY_REFUSED: &str =
    "Nothing was sent: the service refused the API key. 1, F4: enter another; then 2, F2.";

/// The title of the question whether to stop.
pub(super) const STOP: &str = "Import";

/// The most rows in one report: the screen shows fewer.
const MOST_ROWS: usize = 1_200;

/// Checks the whole file, and sends nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckFile {
    pub source: ImportSource,
    /// How it is read.
    pub reading: ColumnMapping,
}

impl Job for CheckFile {
    type Answer = Result<CheckedFile, UnusableFile>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::CheckFile;

    fn may_run_over_ssh(&self, machine: &WorkerContext) -> bool {
        machine.is_own(&self.source)
    }

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        // It is dropped with this.
        let wanted = Arc::new(());
        let is_wanted = Arc::downgrade(&wanted);
        let checked = blocking(move || self.check(&env, || is_wanted.strong_count() > 0)).await;
        checked.map_err(|error| {
            let why = why_not(&error);
            let TransferError::NoColumn { missing, there } = error else { return UnusableFile { why, missing: None } };
            UnusableFile { why, missing: Some((missing, there)) }
        })
    }

    fn done(&self, app: &mut App, found: Self::Answer, now: Now) {
        if self.reading.changes {
            return ask_to_change(app, found, now);
        }
        let import = &mut app.add.import;
        let Some(looked) = import.looked_mut() else { return };
        let is_first = looked.found.is_none();
        if let Ok(CheckedFile { before: Some(before), .. }) = &found
            && is_first
        {
            looked.read_as(&before.reading);
        }
        let trouble = found.as_ref().err().filter(|_| is_first).cloned();
        looked.found = Some(found);
        let is_done = looked.before().is_some_and(|before| before.way() == EarlierVerdict::Done);
        if !looked.parts().contains(&looked.part) {
            looked.part = 0;
        }
        if let Some(trouble) = trouble {
            first_trouble(import, trouble);
        }
        if is_done && import.shows_unfinished() {
            import.unfinished = None;
        }
    }
}

/// How many changes the question lists.
const CHANGES: usize = 5;

/// Asks whether to change what the rows change.
fn ask_to_change(app: &mut App, found: Result<CheckedFile, UnusableFile>, now: Now) {
    let CheckedFile { preview, .. } = match found {
        Ok(found) => found,
        Err(unusable) => return app.complain(unusable.why),
    };
    if preview.bad > 0 {
        let first = preview.bad_rows.first().map_or_else(String::new, Bad::sentence);
        return app.complain(format!("Nothing was changed: {} to fix. {first}", counted(preview.bad, "row")));
    }
    let changes = FileChanges::of(&preview.changes, |id| app.pets.store.get(id).map(|pet| app.pets.as_shown(pet)));
    let (pets, counts) = (changes.pets.len(), changes.counts());
    if !changes.missing.is_empty() && !app.pets.store.coverage().is_some_and(|coverage| coverage.complete) {
        let why = format!("not all of these pets are loaded ({} missing)", counted(changes.missing.len(), "pet"));
        return app.complain(format!("Nothing was changed: {why}. petstore pets set --file reads all."));
    }
    if pets == 0 {
        return app.tell(format!("Nothing was changed: {counts}."));
    }
    if can_change(app) {
        let mut lines: Vec<_> = [format!("{}: {counts}.", app.link.label), String::new()].into();
        lines.extend(changes.lines().take(CHANGES));
        lines.extend((pets > CHANGES).then(|| format!("and {} more", pets - CHANGES)));
        let body = move |_: &App, page: &mut Page<'_>| lines.iter().for_each(|line| page.wrapped(2, line, 1));
        let yes = |app: &mut App, now| {
            app.allowed = true;
            leave(app, now);
            begin(app, changes.pets, Outcome::default(), now);
        };
        app.ask(Question::new("Change these pets", body, "Change them", yes, |_, _| {}), now);
    }
}

impl Ongoing for CheckFile {
    /// So many rows were checked so far.
    type Part = u64;

    fn on_part(&self, app: &mut App, rows: u64, _: Now) {
        if let Some(looked) = app.add.import.looked_mut() {
            looked.rows = rows;
        }
    }
}

impl CheckFile {
    /// Checks all of a file while that is wanted, and tells how far that is. Blocks.
    fn check(self: &Arc<Self>, env: &Env, is_wanted: impl Fn() -> bool) -> Result<CheckedFile, TransferError> {
        let reading = env.reading(self.reading.clone());
        let path = match &self.source {
            ImportSource::File(path) => Some(env.machine.place(path)),
            // Its import may have begun before the program was killed.
            ImportSource::Pasted(text) => file_of(text, &self.reading, env).filter(|path| path.exists()),
        };
        let before = path.as_deref().filter(|_| !self.reading.changes);
        let before = before.map(|path| (path, Journal::beside(path), env.target()));
        let mut reported = clock::now().mono;
        let each = |rows: u64, _: Option<&Bad>| {
            if rows.is_multiple_of(1_024) {
                let now = clock::now().mono;
                if now.saturating_duration_since(reported) >= BETWEEN_NEWS {
                    reported = now;
                    env.offer(self, rows);
                }
            }
            is_wanted()
        };
        CheckedFile::look(|| env.machine.open(&self.source), &reading, before, each)
    }
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
        error => error.sentence(),
    }
}

impl Job for RunImport {
    /// How it ended, or why it did not start: then nothing was sent, and no report was written.
    type Answer = Result<Result<Summary, ImportEnded>, Failure>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Import;

    fn may_run_over_ssh(&self, machine: &WorkerContext) -> bool {
        machine.is_own(&self.source) && self.run.report.as_deref().is_none_or(|report| machine.is_own_file(report))
    }

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        Ok(self.send(env).await)
    }

    fn done(&self, app: &mut App, ended: Self::Answer, now: Now) {
        let summary = match ended {
            Ok(Err(why)) => return on_not_begun(app, why, now),
            Ok(Ok(summary)) => summary,
            Err(failure) => Summary::of(ImportEnded::Failed(failure.into())),
        };
        let import = &mut app.add.import;
        if import.running().is_some_and(|running| running.files.is_some()) {
            // The pasted text is in its own file now.
            import.pasted = None;
        }
        on_ended(app, summary, now);
    }
}

/// What is new of an import.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportPart {
    /// It started, from this file and with this report.
    Started(String, String),
    /// The counts so far, the rows to show, and every pet added since the last report.
    Progress { progress: ImportProgress, rows: Vec<ImportedRow>, added: Vec<PetId> },
}

impl Ongoing for RunImport {
    type Part = ImportPart;

    fn on_part(&self, app: &mut App, part: ImportPart, now: Now) {
        let import = &mut app.add.import;
        match part {
            ImportPart::Started(file, report) => {
                let Some(running) = import.running_mut() else { return };
                running.files = Some((file.clone(), report));
                let before = import.unfinished_name();
                let other = import.unfinished.replace(file.clone()).filter(|other| *other != file).and(before);
                app.drafts.at_once = true;
                if let Some(other) = other {
                    app.tell(format!("The import of {other} is not finished. Import it again to continue it."));
                }
            }
            ImportPart::Progress { progress, rows, added } => {
                app.pets.added_here(&added);
                if let Some(running) = import.running_mut() {
                    running.take(progress, rows, now.mono);
                }
            }
        }
    }
}

impl RunImport {
    /// Imports a file and reports progress, until it ends or is stopped.
    async fn send(self: Arc<Self>, env: Env) -> Result<Summary, ImportEnded> {
        let api = env.api("import").await.map_err(ImportEnded::NoAnswer)?;
        let pasted = self.source.is_pasted();
        let (run, around) = (Arc::clone(&self), env.clone());
        let begin = move || {
            let place = match &run.source {
                ImportSource::File(path) => around.machine.place(path),
                ImportSource::Pasted(text) => keep(text, &run.run.reading, &around)?,
            };
            let report = run.run.report.clone().unwrap_or_else(|| Journal::beside(&place));
            let run = ImportRun { report: Some(report.clone()), ..run.run.clone() };
            let ready = Work::start(run, Input::file(&place)?, &around.target())?;
            Ok::<_, TransferError>((place, report, ready))
        };
        let begun = blocking(begin).await;
        let (place, report, ready) = begun.map_err(|error| ImportEnded::Failed(why_not(&error)))?;
        let [place_name, report_name] = [&place, &report].map(|path| path.display().to_string());
        env.tell(&self, ImportPart::Started(place_name, report_name)).await;
        let (progress, counts) = watch::channel(ImportProgress::default());
        let unreported = Arc::new(Mutex::new(Unreported::default()));
        let controls = env.import_control.clone();
        let sent = import::run(&api, ready, (record(&unreported), progress, controls));
        let (sent, ()) = tokio::join!(sent, self.follow(counts, &unreported, &env));
        if pasted && sent.is_err() && !report.exists() {
            // Nothing was sent and there is nothing to continue; the pasted text is still on the screen.
            let _ = std::fs::remove_file(&place);
        }
        let summary = sent.map_err(|error| {
            let TransferError::Api(failure) = error else { return ImportEnded::Failed(why_not(&error)) };
            if failure.is_unauthorized() { ImportEnded::Unauthorized(failure) } else { ImportEnded::NoAnswer(failure) }
        })?;
        if pasted && summary.ended == ImportEnded::Complete && summary.progress.errors() == 0 {
            // All of it is in the service; a file that cannot be removed does no harm.
            let _ = std::fs::remove_file(&place).and_then(|()| std::fs::remove_file(&report));
        }
        Ok(summary)
    }

    /// Reports progress to the screen until the import has ended.
    async fn follow(
        self: &Arc<Self>,
        mut counts: watch::Receiver<ImportProgress>,
        unreported: &Mutex<Unreported>,
        env: &Env,
    ) {
        loop {
            let goes_on = counts.changed().await.is_ok();
            let Unreported { added, rows } = std::mem::take(&mut *unreported.lock());
            let progress = counts.borrow_and_update().clone();
            env.tell(self, ImportPart::Progress { progress, rows: rows.into(), added }).await;
            if !goes_on {
                return;
            }
            tokio::time::sleep(BETWEEN_NEWS).await;
        }
    }
}

/// The file of pasted rows that are read like this. The same rows have the same one, so that no import of them begins twice.
fn file_of(pasted: &str, reading: &ColumnMapping, env: &Env) -> Option<PathBuf> {
    let reading = serde_json::to_string(reading).unwrap_or_default();
    let name = file_stem(&format!("{}{reading}{pasted}", env.target().service));
    let ending = FileFormat::recognise(None, pasted.as_bytes()).to_string().to_lowercase();
    Some(env.machine.pasted.as_ref()?.join(format!("pasted-{name}.{ending}")))
}

/// Writes what was pasted into its own file, from which its import can be continued like any other.
fn keep(pasted: &str, reading: &ColumnMapping, env: &Env) -> Result<PathBuf, TransferError> {
    let failed = |source| TransferError::Write { name: "what was pasted".to_owned(), source };
    let none = || failed(io::Error::other("no home directory was found"));
    let place = file_of(pasted, reading, env).ok_or_else(none)?;
    atomic_file::replace_private(&place, pasted).map_err(failed)?;
    Ok(place)
}

/// What happened since the last report: every pet that was added, and as many rows as the screen shows.
#[derive(Default)]
struct Unreported {
    added: Vec<PetId>,
    rows: VecDeque<ImportedRow>,
}

fn record(unreported: &Arc<Mutex<Unreported>>) -> OnImportedRow {
    let unreported = Arc::clone(unreported);
    Arc::new(move |row| {
        let Unreported { added, rows } = &mut *unreported.lock();
        if let RowOutcome::Added(id) = row.outcome {
            added.push(id);
        }
        if rows.len() == MOST_ROWS {
            // Rows to fix are shown longer.
            let oldest = rows.iter().position(|row| !row.is_error());
            rows.remove(oldest.unwrap_or(0));
        }
        rows.push_back(row);
    })
}

/// Shows an unreadable file's error at its name, or puts the cursor on the choice that is needed.
fn first_trouble(import: &mut State, UnusableFile { why, missing }: UnusableFile) {
    let Phase::Looked(looked) = &mut import.phase else { return };
    if missing.is_none() && looked.source.is_file() {
        import.error = Some(why);
        import.path.select();
        import.phase = Phase::File;
        return;
    }
    // The cursor goes to the first field without a value.
    let empty = (0..3).find(|field| looked.value(*field).is_some_and(|value| value.is_empty()));
    looked.part = empty.or(missing.map(|(field, _)| field as usize)).unwrap_or(0);
}

/// Nothing was sent: shows the preview again, and F2 tries again. A resumed import keeps its report.
fn on_not_begun(app: &mut App, ended: ImportEnded, now: Now) {
    let import = &mut app.add.import;
    let Some(looked) = import.running_mut().and_then(|running| running.looked.take()) else {
        return on_ended(app, Summary::of(ended), now);
    };
    import.phase = Phase::Looked(looked);
    let why = on_failed(app, &ended, now);
    if matches!(ended, ImportEnded::Unauthorized(_)) {
        return app.complain(KEY_REFUSED);
    }
    let again = if matches!(ended, ImportEnded::NoAnswer(_)) { " F2 tries again." } else { "" };
    app.complain(format!("Nothing was sent. {why}{again}"));
}

/// The import has ended.
fn on_ended(app: &mut App, summary: Summary, now: Now) {
    let Some(running) = app.add.import.running_mut() else { return };
    if running.files.is_some() {
        running.progress = summary.progress;
    }
    running.is_under_way = false;
    let ImportProgress { added, refused, invalid, unknown, .. } = running.progress;
    let counts = running.progress.words(Some(summary.left.unwrap_or_else(|| running.left())));
    let is_file = running.job.source.is_file();
    // There is nothing to stop any more.
    app.unask(STOP);
    app.added_in_bulk += added;
    app.add.outbox.saved += usize::try_from(added).unwrap_or(usize::MAX);
    if summary.ended == ImportEnded::Complete {
        app.add.import.unfinished = None;
    }
    let why = on_failed(app, &summary.ended, now);
    match summary.ended {
        ImportEnded::Complete if refused + invalid + unknown == 0 => {
            app.say_done(format!("Import finished: {counts}."), now.mono);
        }
        ImportEnded::Complete => {
            let (it, rows) = if refused + invalid == 1 { ("it", "that row") } else { ("them", "those rows") };
            let todo = if refused + invalid == 0 {
                ": no answer came for some rows (f). F2 shows what to do.".to_owned()
            } else if is_file {
                format!(" (f shows {it}). Correct the file and press F2, or press w to write {rows} to a new file.")
            } else {
                format!(" (f shows {it}). w writes {rows} to a file.")
            };
            app.complain(counts + &todo);
        }
        ImportEnded::Stopped | ImportEnded::OnError => app.tell(format!("Stopped: {counts}. F2 sends the rest.")),
        ImportEnded::Unauthorized(_) => {
            app.complain(format!("The service refused the API key: {counts}. F4 enters another."));
        }
        ImportEnded::NoAnswer(_) => app.complain(format!("{why} {counts}; y copies the command to continue.")),
        ImportEnded::Failed(_) => app.complain(format!("{why} {counts}.")),
    }
    if added > 0 && !app.key_refused() {
        pets::update::reload(app, pets::ReadNext::New, now);
    }
}

/// What follows where the service failed, and why an import ended early.
fn on_failed(app: &mut App, ended: &ImportEnded, now: Now) -> String {
    let why = ended.why(&app.link.service).unwrap_or_default();
    if let ImportEnded::NoAnswer(failure) = ended {
        pets::update::on_failure(app, failure.clone(), now);
    } else if let ImportEnded::Unauthorized(failure) = ended
        && failure.remedy() == Remedy::EnterKey
    {
        pets::update::refuse_key(app, failure.clone(), now);
    }
    why
}
