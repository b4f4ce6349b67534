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
use crate::cli::signals::Signals;
use crate::config::Settings;
use crate::model::display_safe;
use crate::model::escape::shell_word;
use crate::model::text::cut;
use crate::model::words::counted;
use crate::transfer::earlier_import::{EarlierImport, EarlierVerdict};
use crate::transfer::import::{
    self, ImportControl, ImportEnded, ImportEvent, ImportProgress, OnImportEvent, Start, Summary, Work,
};
use crate::transfer::journal::{Journal, RowOutcome, Target};
use crate::transfer::validate::{self, Check};
use crate::transfer::{ColumnMapping, Input, TransferError, rejects};

/// What a command works with until it ends.
struct Command {
    args: Arc<ImportArgs>,
    signals: Signals,
    verbosity: Verbosity,
}

/// `--dry-run`: checks everything, and needs no service.
pub async fn check(args: ImportArgs, verbosity: Verbosity) -> Result<Exit, Failed> {
    let mut command = Command::new(args, verbosity)?;
    let reading = command.args.reading();
    let checked = command.look(&reading).await?;
    verbosity.note(&format!("{}; nothing was sent", checked.sentence()));
    command.mend(&reading, None).await?;
    Ok(match checked {
        Check { bad: 0, .. } => Exit::Done,
        Check { good: 0, .. } => Exit::Refused,
        Check { .. } => Exit::Partly,
    })
}

/// Adds the rows of the file to `client`'s service.
pub async fn run(
    client: &Client,
    service: &str,
    args: ImportArgs,
    settings: &Settings,
    verbosity: Verbosity,
) -> Result<Exit, Failed> {
    let mut command = Command::new(args, verbosity)?;
    let (args, target) = (Arc::clone(&command.args), Target::of(settings));
    let Some(Begin { mut start, reading, report, new }) = command.begin(&target).await? else {
        return Ok(Exit::Done);
    };
    let mut good = None;
    if !args.resume && !args.is_stdin() {
        let checked = command.look(&reading).await?;
        verbosity.note(&checked.sentence());
        if checked.bad > 0 && args.how().on_error == import::OnError::Stop {
            command.mend(&reading, None).await?;
            return Err(Failed::new(Exit::Refused, "nothing was sent, since there are bad rows")
                .hint("mend the file, or send the good rows: --on-error go-on"));
        }
        good = Some(checked.good);
    }
    command.confirm(new.filter(|new| *new > 0).or(good), settings).await?;
    let mut send_unknown = args.unknown == UnknownArg::Send;
    loop {
        let prepare = {
            let (args, target, reading, report) = (Arc::clone(&args), target.clone(), reading.clone(), report.clone());
            move || {
                let input = open(&args)?;
                let work = Work::start(&start, &input, &reading, good, report, &target)?;
                Ok((input, work))
            }
        };
        let (input, work) = command.blocking(prepare).await?;
        if let Some(kept) = work.kept() {
            verbosity.note(&format!("the report of before is kept: {}", display_safe(&kept.display().to_string())));
        }
        let how = import::ImportOptions { send_unknown, ..args.how() };
        let sent = command.send(client, (input, work, how), settings).await;
        let (summary, ended_by) = sent.map_err(|error| match error {
            TransferError::Api(error) => Failed::request(&error, service, false),
            error => failed(error),
        })?;
        let exit = say(&summary, ended_by, service, &args, verbosity);
        let doubts = summary.progress.left_alone;
        let asks = args.unknown == UnknownArg::Ask && !send_unknown && !args.is_stdin();
        if doubts == 0 || !matches!(summary.ended, ImportEnded::Complete) || !asks {
            // Whoever ends it does not want to wait for more.
            if ended_by.is_none() {
                command.mend(&reading, report).await?;
            }
            return Ok(exit);
        }
        let question = format!("{doubts} rows may have been added. Send them again? They may then be there twice.");
        if command.ask(question).await? != Some(true) {
            note(
                "hint: petstore pets list --all shows whether they are there; --resume --unknown send sends them again",
            );
            command.mend(&reading, report).await?;
            return Ok(exit);
        }
        (send_unknown, start) = (true, Start::GoOn);
    }
}

fn failed(error: TransferError) -> Failed {
    // No hint may lead to rows that are added a second time.
    let why = display_safe(&error.to_string()).into_owned();
    let hint = match &error {
        TransferError::NotAJournal { .. } => {
            "if it has nothing to do with petstore, name another file for the report: --report FILE"
        }
        TransferError::Damaged { .. } => {
            "without it nobody knows which rows were added: look with petstore pets list --all, and import only those \
             that are missing"
        }
        TransferError::Changed { .. } => {
            "import the file once more: rows are then recognised by what is in them. A stream has to be the same again"
        }
        TransferError::Unrelated(_) => {
            "name the report of this file: --report. Only a file of which nothing was ever added begins anew: without \
             --resume"
        }
        TransferError::Another { what: "the service", .. } => {
            "to go on, choose that service (--profile, --base-url). Only if this one is another store: a report of its \
             own, --report FILE"
        }
        TransferError::Another { .. } => {
            "leave those options out to go on; --again adds every row, also those that were added before"
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
        | TransferError::Start(_) => return Failed::new(Exit::Failure, why),
    };
    Failed::new(Exit::Usage, why).hint(hint)
}

/// How an import begins.
struct Begin {
    start: Start,
    reading: ColumnMapping,
    report: Option<PathBuf>,
    /// How many rows are left to send, where that is known.
    new: Option<u64>,
}

fn open(args: &ImportArgs) -> Result<Input, TransferError> {
    if !args.is_stdin() {
        return Input::file(&args.file);
    }
    if io::stdin().is_terminal() {
        note("reading from standard input; Ctrl-D ends");
    }
    Input::stream("standard input", io::stdin())
}

impl Command {
    /// Fails where what it is to write cannot be written: before anything is sent.
    fn new(args: ImportArgs, verbosity: Verbosity) -> Result<Self, Failed> {
        let signals = Signals::new()?;
        match &args.mend {
            Some(_) if args.is_stdin() => {
                let why = "--mend reads the file once more, and standard input can be read only once";
                return Err(Failed::new(Exit::Usage, why));
            }
            Some(to) => rejects::guard(&args.file, args.journal().as_deref(), (to, args.force)).map_err(failed)?,
            None => {}
        }
        Ok(Self { args: Arc::new(args), signals, verbosity })
    }

    /// Finds out how the import begins, by the report of an earlier one. Nothing if that has added every row.
    async fn begin(&mut self, target: &Target) -> Result<Option<Begin>, Failed> {
        let (args, verbosity) = (Arc::clone(&self.args), self.verbosity);
        let plain = |start, report| Ok(Some(Begin { start, reading: args.reading(), report, new: None }));
        let Some(report) = args.journal() else {
            if args.resume {
                return Err(Failed::new(Exit::Usage, "--resume needs the report: name it with --report"));
            }
            verbosity.note("there is no report, so that this import cannot be resumed; --report FILE writes one");
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
            let (args, report, target) = (Arc::clone(&args), report.clone(), target.clone());
            self.blocking(move || EarlierImport::look(&args.file, &args.reading(), &report, &target)).await?
        };
        let Some(earlier) = looked else { return plain(Start::New, Some(report)) };
        let EarlierImport { reading, here, new, .. } = earlier.clone();
        let all = here + new;
        let start = match earlier.way() {
            EarlierVerdict::Done => {
                verbosity
                    .note(&format!("{} Nothing was sent; --again would add all {all} once more.", earlier.sentence()));
                return Ok(None);
            }
            EarlierVerdict::GoOn => Start::GoOn,
            EarlierVerdict::Anew => earlier.anew(),
            EarlierVerdict::Choose => {
                let question = format!("{} Leave those out, and send the other {new}?", earlier.sentence());
                if here == 0 || new == 0 || self.ask(question).await? != Some(true) {
                    let of =
                        if earlier.replaced { format!("--report {} ", word(&earlier.report)) } else { String::new() };
                    let what = format!("{} Nothing was sent", earlier.sentence());
                    let same = match here {
                        0 => "if it is the same list, change only the rows that were not added".to_owned(),
                        _ => format!("if they are the same pets, leave them out: {of}--resume (sends the other {new})"),
                    };
                    return Err(Failed::new(Exit::Usage, display_safe(&what))
                        .hint(format!("{same}; if they are new ones, add all {all}: --again")));
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

    /// Runs what blocks where it may, until it is done or somebody ends it. It is before anything is sent.
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

    /// Checks the whole file, and names each bad row.
    async fn look(&mut self, reading: &ColumnMapping) -> Result<Check, Failed> {
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

    /// Writes the rows that were not added, where that is asked for.
    async fn mend(&self, reading: &ColumnMapping, report: Option<PathBuf>) -> Result<(), Failed> {
        let Some(to) = self.args.mend.clone() else { return Ok(()) };
        let (args, reading) = (Arc::clone(&self.args), reading.clone());
        let name = display_safe(&to.display().to_string()).into_owned();
        let write = move || rejects::write(open(&args)?, &reading, report.as_deref(), (&to, args.force));
        let rows = spawn_blocking(write).await.map_err(|error| Failed::new(Exit::Failure, error.to_string()))?;
        self.verbosity.note(&match rows.map_err(failed)? {
            0 => "no row is to be mended".to_owned(),
            rows => format!("{} to mend: {name}", counted(rows, "row")),
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

    /// Whether the answer is yes; nothing where there is no terminal to ask at.
    async fn ask(&mut self, question: String) -> Result<Option<bool>, Failed> {
        self.blocking(move || Ok(confirm::ask(&question, false))).await
    }

    /// Sends everything, shows how it goes, and stops when it is told to: at once by a second signal.
    async fn send(
        &mut self,
        client: &Client,
        (input, work, how): (Input, Work, import::ImportOptions),
        settings: &Settings,
    ) -> Result<(Summary, Option<Exit>), TransferError> {
        let (progress, counts) = watch::channel(ImportProgress::default());
        let (control, controls) = watch::channel(ImportControl::Go);
        let bar = TransferProgress::new(work.good, self.verbosity, settings);
        let tell = tell(bar.clone(), self.args.is_stdin() || self.args.resume);
        let now = || {
            let counts = counts.borrow();
            let ImportProgress { added, refused, unknown, .. } = &*counts;
            (counts.dealt_with(), format!("added {added}  refused {refused}  unknown {unknown}"))
        };
        let mut ended_by = None;
        let sent = import::run(client, input, work, how, (tell, progress, controls));
        tokio::pin!(sent);
        let sent = loop {
            tokio::select! {
                sent = &mut sent => break sent,
                exit = self.signals.next() => {
                    let is_first = ended_by.replace(exit).is_none();
                    bar.note(if is_first { "stopping; what is under way may end, once more ends at once" } else { "stopped" });
                    // The import has ended where nobody listens.
                    let _ = control.send(if is_first { ImportControl::Stop } else { ImportControl::Abort });
                }
                () = bar.follow(now) => {}
            }
        };
        bar.clear();
        Ok((sent?, ended_by))
    }
}

/// Names on stderr each row that was not added. Bad rows only where they were not named by the check before.
fn tell(bar: TransferProgress, bad_too: bool) -> OnImportEvent {
    Arc::new(move |told| match told {
        ImportEvent::Row { line, outcome, name: _ } => match outcome {
            RowOutcome::Added(_) | RowOutcome::Invalid(_) | RowOutcome::NotSent(_) => {}
            RowOutcome::Refused(answer) => bar.note(&format!("line {line}: refused: {}", answer.words())),
            RowOutcome::Unknown(answer) => bar.note(&format!("line {line}: may have been added: {}", answer.words())),
        },
        ImportEvent::Bad(bad) if bad_too => bar.note(&bad.sentence()),
        ImportEvent::Bad(_) => {}
        ImportEvent::UnknownOutcome { line } => {
            bar.note(&format!("line {line}: may have been added before; it was not sent again"));
        }
        ImportEvent::Waiting { wait, why } if wait.as_secs() > 0 => {
            bar.note(&format!("waiting {} s: {}", wait.as_secs(), cut(&why, 200)));
        }
        ImportEvent::Waiting { .. } => {}
    })
}

/// Says what came of it. How the program ends.
fn say(summary: &Summary, ended_by: Option<Exit>, service: &str, args: &ImportArgs, verbosity: Verbosity) -> Exit {
    let Summary { progress, ended, left, report } = summary;
    let exit = exit(progress, ended, ended_by);
    if exit == Exit::Done && verbosity == Verbosity::Quiet {
        return exit;
    }
    let why = match ended {
        ImportEnded::Complete => None,
        ImportEnded::Stopped => Some("stopped".to_owned()),
        ImportEnded::OnError => Some("stopped after a row that was not added (--on-error stop)".to_owned()),
        ImportEnded::TooManyErrors => Some("stopped after too many rows that were not added (--max-errors)".to_owned()),
        ImportEnded::Unauthorized(failure) | ImportEnded::NoAnswer(failure) => Some(failure.sentence(service)),
        ImportEnded::Failed(why) => Some(display_safe(why).into_owned()),
    };
    if let Some(why) = why {
        note(&format!("petstore: {why}"));
    }
    let ImportProgress { added, added_before, refused, invalid, unknown, .. } = progress;
    let before = if *added_before > 0 { format!(" ({added_before} before)") } else { String::new() };
    let left_words = left.map_or("an unknown number".to_owned(), |left| left.to_string());
    note(&format!("{added} added{before}, {refused} refused, {invalid} invalid, {unknown} unknown, {left_words} left"));
    if let Some(report) = report {
        note(&format!("report: {}", display_safe(&report.display().to_string())));
        let named = if args.report.is_none() && *report == Journal::beside(&args.file) {
            String::new()
        } else {
            format!(" --report {}", word(report))
        };
        let file = word(&args.file);
        if *left != Some(0) {
            note(&format!("go on with: petstore pets import {file}{named} --resume"));
        } else if refused + invalid > 0 && args.mend.is_none() && !args.is_stdin() {
            note(&format!(
                "the others: fix them in {file} and import it again, which sends only them; or write them to a file to fix \
                 and import there: petstore pets import {file}{named} --resume --mend CSV"
            ));
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
        ImportEnded::NoAnswer(_) if any || progress.errors() > 0 => Exit::Partly,
        ImportEnded::NoAnswer(_) => Exit::NoAnswer,
        ImportEnded::Complete | ImportEnded::OnError | ImportEnded::TooManyErrors => {
            match (any, progress.errors(), progress.unknown) {
                (_, 0, _) => Exit::Done,
                (true, _, _) => Exit::Partly,
                (false, errors, unknown) if errors == unknown => Exit::Unknown,
                (false, _, 0) => Exit::Refused,
                (false, ..) => Exit::Partly,
            }
        }
    }
}
