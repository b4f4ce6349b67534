//! `petstore pets import`.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::watch;

use super::args::{ImportArgs, UnknownArg};
use super::progress::TransferProgress;
use crate::api::Client;
use crate::app::CheckedFile;
use crate::app::import_run::{report_option, word};
use crate::cli::confirm::{self, allowed, question};
use crate::cli::output::Verbosity;
use crate::cli::pets::context::Context;
use crate::cli::signals::Signals;
use crate::cli::{Exit, Failed, Result, note};
use crate::clock;
use crate::config::Settings;
use crate::model::{Categories, counted, safe_text};
use crate::transfer::earlier_import::EarlierImport;
use crate::transfer::import::{self, ImportControl, ImportEnded, ImportProgress, OnImportedRow, Summary, Work};
use crate::transfer::rows::Bad;
use crate::transfer::{
    ColumnMapping, EarlierVerdict, ImportRun, Input, Journal, RowOutcome, Start, Target, TransferError, blocking,
    rejects,
};

/// The context of an import command.
struct Command {
    args: Arc<ImportArgs>,
    categories: Arc<Categories>,
    signals: Signals,
    verbosity: Verbosity,
}

/// `--dry-run`: checks every row without a service.
pub async fn check(args: ImportArgs, categories: Arc<Categories>, verbosity: Verbosity) -> Result<Exit> {
    let mut command = Command::new(args, categories, verbosity)?;
    let CheckedFile { preview, reading, .. } = command.look(None).await?;
    verbosity.note(&format!("{}. Nothing was sent", preview.sentence()));
    command.write_rejects(&reading, None).await?;
    Ok(match (preview.good, preview.bad) {
        (_, 0) => Exit::Done,
        (0, _) => Exit::Refused,
        _ => Exit::Partly,
    })
}

/// Adds the rows of the file to the service.
pub async fn run(context: &Context<'_>, args: ImportArgs) -> Result<Exit> {
    let Context { client, service, settings, verbosity, .. } = *context;
    let mut command = Command::new(args, Arc::clone(&settings.categories), verbosity)?;
    let (args, target) = (Arc::clone(&command.args), Target::of(settings));
    let Some(mut run) = command.begin(&target, settings).await? else { return Ok(Exit::Done) };
    loop {
        let (to_start, target, from) = (run.clone(), target.clone(), Arc::clone(&args));
        let ready = command.blocking(move || Work::start(to_start, open(&from.file)?, &target)).await?;
        if let Some(Journal { kept: Some(kept), .. }) = &ready.1.journal {
            verbosity.note(&format!("the earlier report is kept: {}", safe_text(&kept.display())));
        }
        let sent = command.send(client, ready, settings).await;
        let (summary, ended_by) = sent.map_err(|error| Failed::transfer(&error, service))?;
        let exit = command.say(&summary, ended_by, settings);
        let unknown = summary.progress.left_alone;
        let may_ask = args.unknown == UnknownArg::Ask && !run.how.send_unknown && !args.is_stdin();
        let asks = unknown > 0 && summary.ended == ImportEnded::Complete && may_ask;
        if asks {
            let rows = counted(unknown, "row");
            let question = format!("{rows} may have been added. Send again? That may add duplicates.");
            if command.ask(question).await? == Some(true) {
                (run.how.send_unknown, run.start) = (true, Start::GoOn);
                continue;
            }
            let hint = "hint: check with petstore pets list --all; --resume --unknown send sends them again";
            note(&settings.with_flags(hint));
        }
        // After an interrupt, nothing more is written.
        if asks || ended_by.is_none() {
            command.write_rejects(&run.reading, run.report).await?;
        }
        return Ok(exit);
    }
}

/// Opens a file; `-` is standard input.
pub fn open(file: &Path) -> Result<Input, TransferError> {
    if file.as_os_str() != "-" {
        return Input::file(file);
    }
    if io::stdin().is_terminal() {
        note("reading standard input; Ctrl-D ends it");
    }
    Input::stream("standard input", io::stdin())
}

impl Command {
    /// Fails before anything is sent if the rejects could not be written.
    fn new(args: ImportArgs, categories: Arc<Categories>, verbosity: Verbosity) -> Result<Self> {
        let signals = Signals::new()?;
        match &args.rejects {
            Some(_) if args.is_stdin() => {
                let why = "--rejects reads the file a second time, and standard input can be read only once";
                return Err(Failed::config(why));
            }
            Some(to) => rejects::guard(&args.file, args.journal().as_deref(), (to, args.force)).map_err(unsent)?,
            None => {}
        }
        Ok(Self { args: Arc::new(args), categories, signals, verbosity })
    }

    /// Decides how the import starts, and asks before anything is added to a protected profile. `None` if an earlier
    /// import added every row.
    async fn begin(&mut self, target: &Target, settings: &Settings) -> Result<Option<ImportRun>> {
        let (args, verbosity) = (Arc::clone(&self.args), self.verbosity);
        let report = args.journal();
        if report.is_none() {
            if args.resume {
                return Err(Failed::config("--resume needs a report: name it with --report"));
            }
            // Over SSH no report can be written.
            let how = if settings.ssh.is_some() { "" } else { "; --report FILE writes one" };
            verbosity.note(&format!("no report is written, so this import cannot be resumed{how}"));
        }
        let chosen = if args.resume { Some(Start::GoOn) } else { args.again.then_some(Start::Anew(None)) };
        if args.resume || args.is_stdin() {
            if let (None, Some(report)) = (&chosen, &report) {
                Journal::guard(report).map_err(unsent)?;
            }
            let (start, reading, how) = (chosen.unwrap_or(Start::New), args.reading(&self.categories), args.how());
            self.confirm(None, settings).await?;
            return Ok(Some(ImportRun { reading, counts: None, start, report, how }));
        }
        let before = report.clone().filter(|_| chosen.is_none()).map(|report| (report, target.clone()));
        let checked = self.look(before).await?;
        verbosity.note(&checked.preview.sentence());
        if checked.preview.bad > 0 && args.how().stop_on_error {
            self.write_rejects(&checked.reading, None).await?;
            return Err(Failed::new(Exit::Refused, "nothing was sent because some rows need fixing")
                .hint("fix the file, or send the other rows: --on-error continue"));
        }
        let Some(start) = self.start(&checked, chosen).await? else { return Ok(None) };
        self.confirm(Some(checked.to_send(&start)), settings).await?;
        Ok(Some(checked.run(start, report.as_deref(), args.how())))
    }

    /// How the import of a checked file starts: as `chosen`, or else from the report of an earlier one.
    async fn start(&mut self, checked: &CheckedFile, chosen: Option<Start>) -> Result<Option<Start>> {
        let Some(earlier) = checked.before.as_ref().filter(|_| chosen.is_none()) else {
            return Ok(chosen.or(Some(Start::New)));
        };
        let EarlierImport { here, new, .. } = earlier;
        let (all, sentence) = (here + new, earlier.sentence());
        match earlier.way() {
            EarlierVerdict::Done => {
                self.verbosity.note(&format!("{sentence} Nothing was sent; --again adds all {all} again."));
                return Ok(None);
            }
            EarlierVerdict::GoOn | EarlierVerdict::Anew => {
                self.verbosity.note(&sentence);
                return Ok(checked.start(None));
            }
            EarlierVerdict::Choose => {}
        }
        let question = format!("{sentence} Skip those and send the other {new}?");
        if *here > 0 && *new > 0 && self.ask(question).await? == Some(true) {
            return Ok(checked.start(Some(false)));
        }
        let of = if earlier.replaced { format!("--report {} ", word(&earlier.report)) } else { String::new() };
        let same = match here {
            0 => "if it is the same list, change only the rows that were not added".to_owned(),
            _ => format!("if they are the same pets, skip them: {of}--resume (sends the other {new})"),
        };
        Err(Failed::config(safe_text(&format_args!("{sentence} Nothing was sent")))
            .hint(format!("{same}; if they are new pets, add all {all}: --again")))
    }

    /// Runs blocking work before anything is sent, until it is done or interrupted.
    async fn blocking<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> Result<T, TransferError> + Send + 'static,
    ) -> Result<T> {
        tokio::select! {
            done = blocking(work) => done.map_err(unsent),
            exit = self.signals.next() => Err(Failed::new(exit, "stopped; nothing was sent")),
        }
    }

    /// Reads the whole file, lists the bad rows, and compares it with the report of an earlier import, if that is named.
    async fn look(&mut self, before: Option<(PathBuf, Target)>) -> Result<CheckedFile> {
        let (args, reading) = (Arc::clone(&self.args), self.args.reading(&self.categories));
        self.blocking(move || {
            let before = before.map(|(report, target)| (args.file.as_path(), report, target));
            let list = |_: u64, bad: Option<&Bad>| {
                bad.into_iter().for_each(|bad| note(&bad.sentence()));
                true
            };
            CheckedFile::look(|| open(&args.file), &reading, before, list)
        })
        .await
    }

    /// Writes the rejects, if requested.
    async fn write_rejects(&self, reading: &ColumnMapping, report: Option<PathBuf>) -> Result<()> {
        let Some(to) = self.args.rejects.clone() else { return Ok(()) };
        let (args, reading) = (Arc::clone(&self.args), reading.clone());
        let name = safe_text(&to.display());
        let write = move || rejects::write(open(&args.file)?, &reading, report.as_deref(), (&to, args.force));
        self.verbosity.note(&match blocking(write).await.map_err(unsent)? {
            0 => "no rows need fixing".to_owned(),
            rows => format!("{} to fix: {name}", counted(rows, "row")),
        });
        Ok(())
    }

    /// Asks before anything is added to a protected profile.
    async fn confirm(&mut self, good: Option<u64>, settings: &Settings) -> Result<()> {
        if !settings.protect || self.args.yes {
            return Ok(());
        }
        let rows = good.map_or("the remaining".to_owned(), |good| good.to_string());
        allowed(self.ask(question(&format!("{rows} pets"), settings)).await?, settings)
    }

    /// Whether the answer is yes; `None` without a terminal.
    async fn ask(&mut self, question: String) -> Result<Option<bool>> {
        self.blocking(move || Ok(confirm::ask(&question, false))).await
    }

    /// Sends the rows, shows progress, and stops after an interrupt: immediately after a second one.
    async fn send(
        &mut self,
        client: &Client,
        ready: (Input, Work),
        settings: &Settings,
    ) -> Result<(Summary, Option<Exit>), TransferError> {
        let (progress, counts) = watch::channel(ImportProgress::default());
        let (control, controls) = watch::channel(ImportControl::Go);
        let bar = TransferProgress::new(ready.1.past.head.good, self.verbosity, settings);
        // Bad rows were listed before, unless the file was not read then.
        let (row_bar, bad_too) = (bar.clone(), self.args.is_stdin() || self.args.resume);
        let on_row: OnImportedRow = Arc::new(move |row| {
            if row.is_error() && (bad_too || !matches!(row.outcome, RowOutcome::Invalid(_))) {
                row_bar.note(&row.sentence());
            }
        });
        let now = || {
            let counts = counts.borrow();
            let waiting = counts.waiting.as_ref().map(|waiting| format!(", {}", waiting.words(clock::now())));
            (counts.dealt_with(), counts.words(Some(0)) + &waiting.unwrap_or_default())
        };
        let mut ended_by = None;
        let sent = import::run(client, ready, (on_row, progress, controls));
        let stop = |exit| {
            let is_first = ended_by.replace(exit).is_none();
            bar.note(match is_first {
                true => "stopping after the rows being sent; interrupt again to stop now",
                false => "stopped",
            });
            // It fails only if the import has ended.
            let _ = control.send(if is_first { ImportControl::Stop } else { ImportControl::Abort });
        };
        let sent = bar.during(sent, &mut self.signals, now, stop).await;
        Ok((sent?, ended_by))
    }

    /// Reports the result. Returns the exit status.
    fn say(&self, summary: &Summary, ended_by: Option<Exit>, settings: &Settings) -> Exit {
        let Summary { progress, ended, left, report } = summary;
        let exit = exit(progress, ended, ended_by);
        if exit == Exit::Done && self.verbosity == Verbosity::Quiet {
            return exit;
        }
        if let Some(why) = ended.why(&settings.service.name()) {
            let option = if *ended == ImportEnded::OnError { " (--on-error stop)" } else { "" };
            note(&format!("petstore: {why}{option}"));
        }
        note(&progress.words(*left));
        if let Some(report) = report {
            note(&format!("report: {}", safe_text(&report.display())));
            let (file, named) = (word(&self.args.file), report_option(&self.args.file, report));
            if *left != Some(0) {
                note(&settings.with_flags(&format!("continue with: petstore pets import {file}{named} --resume")));
            } else if progress.refused + progress.invalid > 0 && self.args.rejects.is_none() && !self.args.is_stdin() {
                note(&settings.with_flags(&format!(
                    "to fix the others: edit {file} and import it again, which sends only them; or write them to a new file: \
                     petstore pets import {file}{named} --resume --rejects CSV"
                )));
            }
        }
        exit
    }
}

/// Why the import failed before it had to do with a service.
fn unsent(error: TransferError) -> Failed {
    Failed::transfer(&error, "")
}

fn exit(progress: &ImportProgress, ended: &ImportEnded, ended_by: Option<Exit>) -> Exit {
    use ImportEnded::*;
    let any = progress.added + progress.added_before > 0;
    match ended {
        Stopped => ended_by.unwrap_or(Exit::Failure),
        Unauthorized(_) => Exit::Unauthorized,
        Failed(_) => Exit::Failure,
        NoAnswer(_) => Exit::NoAnswer,
        Complete | OnError => match (any, progress.errors(), progress.unknown) {
            (_, 0, _) => Exit::Done,
            (false, errors, unknown) if errors == unknown => Exit::Unknown,
            (false, _, 0) => Exit::Refused,
            _ => Exit::Partly,
        },
    }
}
