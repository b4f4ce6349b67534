//! `petstore pets import`.

use std::io::{self, IsTerminal as _};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::spawn_blocking;

use super::args::{ImportArgs, UnknownArg};
use super::progress::TransferProgress;
use crate::api::Client;
use crate::cli::confirm::{self, allowed, question};
use crate::cli::error::{Exit, Failed};
use crate::cli::output::{Verbosity, note};
use crate::cli::pets::context::PetsContext;
use crate::cli::signals::Signals;
use crate::clock;
use crate::config::Settings;
use crate::model::escape::shell_word;
use crate::model::words::counted;
use crate::model::{Categories, display_safe};
use crate::transfer::earlier_import::{EarlierImport, EarlierVerdict};
use crate::transfer::import::{
    self, ImportControl, ImportEnded, ImportEvent, ImportProgress, OnImportEvent, Start, Summary, Work,
};
use crate::transfer::journal::{Journal, RowOutcome, Target};
use crate::transfer::validate::{self, Check};
use crate::transfer::{ColumnMapping, Input, TransferError, rejects};

/// The context of an import command.
struct Command {
    args: Arc<ImportArgs>,
    categories: Arc<Categories>,
    signals: Signals,
    verbosity: Verbosity,
}

/// `--dry-run`: checks every row without a service.
pub async fn check(args: ImportArgs, categories: Arc<Categories>, verbosity: Verbosity) -> Result<Exit, Failed> {
    let mut command = Command::new(args, categories, verbosity)?;
    let reading = command.reading();
    let checked = command.validate(&reading).await?;
    verbosity.note(&format!("{}. Nothing was sent", checked.sentence()));
    command.write_rejects(&reading, None).await?;
    Ok(match checked {
        Check { bad: 0, .. } => Exit::Done,
        Check { good: 0, .. } => Exit::Refused,
        Check { .. } => Exit::Partly,
    })
}

/// Adds the rows of the file to the service.
pub async fn run(context: &PetsContext<'_>, args: ImportArgs) -> Result<Exit, Failed> {
    let PetsContext { client, service, settings, verbosity, .. } = *context;
    let mut command = Command::new(args, Arc::clone(&settings.categories), verbosity)?;
    let (args, target) = (Arc::clone(&command.args), Target::of(settings));
    let Some(Begin { mut start, reading, report, new }) = command.begin(&target, settings).await? else {
        return Ok(Exit::Done);
    };
    let mut counts = None;
    if !args.resume && !args.is_stdin() {
        let checked = command.validate(&reading).await?;
        verbosity.note(&checked.sentence());
        if checked.bad > 0 && args.how().stop_on_error {
            command.write_rejects(&reading, None).await?;
            return Err(Failed::new(Exit::Refused, "nothing was sent because some rows need fixing")
                .hint("fix the file, or send the other rows: --on-error continue"));
        }
        counts = Some(checked.counts());
    }
    command.confirm(new.filter(|new| *new > 0).or(counts.map(|counts| counts.good)), settings).await?;
    let mut send_unknown = args.unknown == UnknownArg::Send;
    loop {
        let prepare = {
            let (args, target, reading, report) = (Arc::clone(&args), target.clone(), reading.clone(), report.clone());
            move || {
                let input = open(&args)?;
                let work = Work::start(&start, &input, &reading, counts, report, &target)?;
                Ok((input, work))
            }
        };
        let (input, work) = command.blocking(prepare).await?;
        if let Some(kept) = work.kept() {
            verbosity.note(&format!("the earlier report is kept: {}", display_safe(&kept.display().to_string())));
        }
        let how = import::ImportOptions { send_unknown, ..args.how() };
        let sent = command.send(client, (input, work, how), settings).await;
        let (summary, ended_by) = sent.map_err(|error| match error {
            TransferError::Api(error) => Failed::request(&error, service, false),
            error => failed(error),
        })?;
        let exit = say(&summary, ended_by, settings, &args, verbosity);
        let unknown = summary.progress.left_alone;
        let asks = args.unknown == UnknownArg::Ask && !send_unknown && !args.is_stdin();
        if unknown == 0 || !matches!(summary.ended, ImportEnded::Complete) || !asks {
            // After an interrupt, nothing more is written.
            if ended_by.is_none() {
                command.write_rejects(&reading, report).await?;
            }
            return Ok(exit);
        }
        let question = format!("{} may have been added. Send again? That may add duplicates.", counted(unknown, "row"));
        if command.ask(question).await? != Some(true) {
            note(
                &settings
                    .with_flags("hint: check with petstore pets list --all; --resume --unknown send sends them again"),
            );
            command.write_rejects(&reading, report).await?;
            return Ok(exit);
        }
        (send_unknown, start) = (true, Start::GoOn);
    }
}

fn failed(error: TransferError) -> Failed {
    // No hint may lead to rows being added twice.
    let why = display_safe(&error.to_string()).into_owned();
    let hint = match &error {
        TransferError::NotAJournal { .. } => {
            "if that file is not petstore's, use another one for the report: --report FILE"
        }
        TransferError::Damaged { .. } => {
            "without the report it is unknown which rows were added: check with petstore pets list --all, and import \
             only the missing ones"
        }
        TransferError::Changed { .. } => {
            "import the file again: its rows are then matched by content. Standard input must be the same as before"
        }
        TransferError::Unrelated(_) => {
            "name the report of this file with --report. If no row of this file was ever added, run without --resume"
        }
        TransferError::Another { what: "the service", .. } => {
            "to continue, choose that service (--profile, --base-url). If this is another store, use a separate report: \
             --report FILE"
        }
        TransferError::Another { .. } => {
            "omit those options to continue; --again adds every row, even those added before"
        }
        TransferError::NoColumn { .. }
        | TransferError::Columns(_)
        | TransferError::FixedValue { .. }
        | TransferError::JournalExists(_)
        | TransferError::NoJournal(_)
        | TransferError::Exists(_)
        | TransferError::Needed { .. }
        | TransferError::NoFile { .. } => return Failed::new(Exit::Usage, why),
        TransferError::Read { .. }
        | TransferError::Empty(_)
        | TransferError::Malformed(_)
        | TransferError::JournalInUse(_)
        | TransferError::Write { .. }
        | TransferError::Api(_)
        | TransferError::Provenance(_)
        | TransferError::Start(_) => return Failed::new(Exit::Failure, why),
    };
    Failed::new(Exit::Usage, why).hint(hint)
}

/// How an import begins.
struct Begin {
    start: Start,
    reading: ColumnMapping,
    report: Option<PathBuf>,
    /// How many rows are left to send, if known.
    new: Option<u64>,
}

fn open(args: &ImportArgs) -> Result<Input, TransferError> {
    if !args.is_stdin() {
        return Input::file(&args.file);
    }
    if io::stdin().is_terminal() {
        note("reading standard input; Ctrl-D ends it");
    }
    Input::stream("standard input", io::stdin())
}

impl Command {
    /// Fails before anything is sent if the rejects could not be written.
    fn new(args: ImportArgs, categories: Arc<Categories>, verbosity: Verbosity) -> Result<Self, Failed> {
        let signals = Signals::new()?;
        match &args.rejects {
            Some(_) if args.is_stdin() => {
                let why = "--rejects reads the file a second time, and standard input can be read only once";
                return Err(Failed::new(Exit::Usage, why));
            }
            Some(to) => rejects::guard(&args.file, args.journal().as_deref(), (to, args.force)).map_err(failed)?,
            None => {}
        }
        Ok(Self { args: Arc::new(args), categories, signals, verbosity })
    }

    /// How the file is read.
    fn reading(&self) -> ColumnMapping {
        self.args.reading(&self.categories)
    }

    /// Decides how the import starts, from the report of an earlier one. `None` if that added every row.
    async fn begin(&mut self, target: &Target, settings: &Settings) -> Result<Option<Begin>, Failed> {
        let (args, reading, verbosity) = (Arc::clone(&self.args), self.reading(), self.verbosity);
        let plain = |start, report| Ok(Some(Begin { start, reading: reading.clone(), report, new: None }));
        let Some(report) = args.journal() else {
            if args.resume {
                return Err(Failed::new(Exit::Usage, "--resume needs a report: name it with --report"));
            }
            // Over SSH no report can be written.
            let how = if settings.ssh.is_some() { "" } else { "; --report FILE writes one" };
            verbosity.note(&format!("no report is written, so this import cannot be resumed{how}"));
            return plain(Start::New, None);
        };
        if args.resume {
            return plain(Start::GoOn, Some(report));
        }
        let is_there = !matches!(Journal::guard(&report), Ok(()) | Err(TransferError::NotAJournal { .. }));
        if args.again && is_there {
            return plain(Start::Anew(None), Some(report));
        }
        if args.again || args.is_stdin() {
            Journal::guard(&report).map_err(failed)?;
            return plain(Start::New, Some(report));
        }
        let looked = {
            let (args, chosen, report, target) = (Arc::clone(&args), reading.clone(), report.clone(), target.clone());
            self.blocking(move || EarlierImport::look(&args.file, &chosen, &report, &target)).await?
        };
        let Some(earlier) = looked else { return plain(Start::New, Some(report)) };
        let EarlierImport { reading, here, new, .. } = earlier.clone();
        let all = here + new;
        let start = match earlier.way() {
            EarlierVerdict::Done => {
                verbosity.note(&format!("{} Nothing was sent; --again adds all {all} again.", earlier.sentence()));
                return Ok(None);
            }
            EarlierVerdict::GoOn => Start::GoOn,
            EarlierVerdict::Anew => earlier.anew(),
            EarlierVerdict::Choose => {
                let question = format!("{} Skip those and send the other {new}?", earlier.sentence());
                if here == 0 || new == 0 || self.ask(question).await? != Some(true) {
                    let of =
                        if earlier.replaced { format!("--report {} ", word(&earlier.report)) } else { String::new() };
                    let what = format!("{} Nothing was sent", earlier.sentence());
                    let same = match here {
                        0 => "if it is the same list, change only the rows that were not added".to_owned(),
                        _ => format!("if they are the same pets, skip them: {of}--resume (sends the other {new})"),
                    };
                    return Err(Failed::new(Exit::Usage, display_safe(&what))
                        .hint(format!("{same}; if they are new pets, add all {all}: --again")));
                }
                Start::GoOn
            }
        };
        if earlier.way() != EarlierVerdict::Choose {
            verbosity.note(&earlier.sentence());
        }
        let (report, new) = if start == Start::GoOn { (earlier.report, Some(new)) } else { (report, None) };
        Ok(Some(Begin { start, reading, report: Some(report), new }))
    }

    /// Runs blocking work before anything is sent, until it is done or interrupted.
    async fn blocking<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> Result<T, TransferError> + Send + 'static,
    ) -> Result<T, Failed> {
        tokio::select! {
            done = spawn_blocking(work) => {
                done.map_err(|error| Failed::new(Exit::Failure, error.to_string()))?.map_err(failed)
            }
            exit = self.signals.next() => Err(Failed::new(exit, "stopped; nothing was sent")),
        }
    }

    /// Validates the whole file, and lists the bad rows.
    async fn validate(&mut self, reading: &ColumnMapping) -> Result<Check, Failed> {
        let (args, reading) = (Arc::clone(&self.args), reading.clone());
        let work = move || {
            validate::check(open(&args)?, &reading, |found| {
                if let Err(bad) = found {
                    note(&bad.sentence());
                }
                ControlFlow::Continue(())
            })
        };
        self.blocking(work).await
    }

    /// Writes the rejects, if requested.
    async fn write_rejects(&self, reading: &ColumnMapping, report: Option<PathBuf>) -> Result<(), Failed> {
        let Some(to) = self.args.rejects.clone() else { return Ok(()) };
        let (args, reading) = (Arc::clone(&self.args), reading.clone());
        let name = display_safe(&to.display().to_string()).into_owned();
        let write = move || rejects::write(open(&args)?, &reading, report.as_deref(), (&to, args.force));
        let rows = spawn_blocking(write).await.map_err(|error| Failed::new(Exit::Failure, error.to_string()))?;
        self.verbosity.note(&match rows.map_err(failed)? {
            0 => "no rows need fixing".to_owned(),
            rows => format!("{} to fix: {name}", counted(rows, "row")),
        });
        Ok(())
    }

    /// Asks before anything is added to a protected profile.
    async fn confirm(&mut self, good: Option<u64>, settings: &Settings) -> Result<(), Failed> {
        if !settings.protect || self.args.yes {
            return Ok(());
        }
        let rows = good.map_or("the remaining".to_owned(), |good| good.to_string());
        allowed(self.ask(question(&format!("{rows} pets"), settings)).await?, settings)
    }

    /// Whether the answer is yes; `None` without a terminal.
    async fn ask(&mut self, question: String) -> Result<Option<bool>, Failed> {
        self.blocking(move || Ok(confirm::ask(&question, false))).await
    }

    /// Sends the rows, shows progress, and stops after an interrupt: immediately after a second one.
    async fn send(
        &mut self,
        client: &Client,
        (input, work, how): (Input, Work, import::ImportOptions),
        settings: &Settings,
    ) -> Result<(Summary, Option<Exit>), TransferError> {
        let (progress, counts) = watch::channel(ImportProgress::default());
        let (control, controls) = watch::channel(ImportControl::Go);
        let bar = TransferProgress::new(work.good, self.verbosity, settings);
        let on_event = on_event(bar.clone(), self.args.is_stdin() || self.args.resume);
        let now = || {
            let counts = counts.borrow();
            let waiting = counts.waiting.as_ref().map(|waiting| format!(", {}", waiting.words(clock::now())));
            (counts.dealt_with(), counts.words(Some(0)) + &waiting.unwrap_or_default())
        };
        let mut ended_by = None;
        let sent = import::run(client, input, work, how, (on_event, progress, controls));
        tokio::pin!(sent);
        let sent = loop {
            tokio::select! {
                sent = &mut sent => break sent,
                exit = self.signals.next() => {
                    let is_first = ended_by.replace(exit).is_none();
                    bar.note(if is_first { "stopping after the rows being sent; interrupt again to stop now" } else { "stopped" });
                    // It fails only if the import has ended.
                    let _ = control.send(if is_first { ImportControl::Stop } else { ImportControl::Abort });
                }
                () = bar.follow(now) => {}
            }
        };
        bar.clear();
        Ok((sent?, ended_by))
    }
}

/// Reports on stderr each row that was not added; bad rows only if the validation did not list them before.
fn on_event(bar: TransferProgress, bad_too: bool) -> OnImportEvent {
    Arc::new(move |event| match event {
        ImportEvent::Row { line, outcome, name: _ } => match outcome {
            RowOutcome::Added(_) | RowOutcome::Invalid(_) | RowOutcome::NotSent(_) => {}
            RowOutcome::Refused(answer) => bar.note(&format!("line {line}: refused: {}", answer.words())),
            RowOutcome::Unknown(answer) => bar.note(&format!("line {line}: may have been added: {}", answer.words())),
        },
        ImportEvent::Bad(bad) if bad_too => bar.note(&bad.sentence()),
        ImportEvent::Bad(_) => {}
        ImportEvent::UnknownOutcome { line } => {
            bar.note(&format!("line {line}: may have been added before; not sent again"));
        }
    })
}

/// Reports the result. Returns the exit status.
fn say(
    summary: &Summary,
    ended_by: Option<Exit>,
    settings: &Settings,
    args: &ImportArgs,
    verbosity: Verbosity,
) -> Exit {
    let Summary { progress, ended, left, report } = summary;
    let exit = exit(progress, ended, ended_by);
    if exit == Exit::Done && verbosity == Verbosity::Quiet {
        return exit;
    }
    let why = match ended {
        ImportEnded::Complete => None,
        ImportEnded::Stopped => Some("stopped".to_owned()),
        ImportEnded::OnError => Some("stopped after a row that was not added (--on-error stop)".to_owned()),
        ImportEnded::Unauthorized(failure) | ImportEnded::NoAnswer(failure) => {
            Some(failure.sentence(&settings.service.name()))
        }
        ImportEnded::Failed(why) => Some(display_safe(why).into_owned()),
    };
    if let Some(why) = why {
        note(&format!("petstore: {why}"));
    }
    note(&progress.words(*left));
    if let Some(report) = report {
        note(&format!("report: {}", display_safe(&report.display().to_string())));
        let named = if args.report.is_none() && *report == Journal::beside(&args.file) {
            String::new()
        } else {
            format!(" --report {}", word(report))
        };
        let file = word(&args.file);
        if *left != Some(0) {
            note(&settings.with_flags(&format!("continue with: petstore pets import {file}{named} --resume")));
        } else if progress.refused + progress.invalid > 0 && args.rejects.is_none() && !args.is_stdin() {
            note(&settings.with_flags(&format!(
                "to fix the others: edit {file} and import it again, which sends only them; or write them to a new file: \
                 petstore pets import {file}{named} --resume --rejects CSV"
            )));
        }
    }
    exit
}

fn word(path: &std::path::Path) -> String {
    shell_word(&display_safe(&path.display().to_string()))
}

fn exit(progress: &ImportProgress, ended: &ImportEnded, ended_by: Option<Exit>) -> Exit {
    let any = progress.added + progress.added_before > 0;
    match ended {
        ImportEnded::Stopped => ended_by.unwrap_or(Exit::Failure),
        ImportEnded::Unauthorized(_) => Exit::Unauthorized,
        ImportEnded::Failed(_) => Exit::Failure,
        ImportEnded::NoAnswer(_) => Exit::NoAnswer,
        ImportEnded::Complete | ImportEnded::OnError => match (any, progress.errors(), progress.unknown) {
            (_, 0, _) => Exit::Done,
            (true, _, _) => Exit::Partly,
            (false, errors, unknown) if errors == unknown => Exit::Unknown,
            (false, _, 0) => Exit::Refused,
            (false, ..) => Exit::Partly,
        },
    }
}
