//! Questions and answers in plain lines, on any reader and writer. Written lines never change, which suits screen readers
//! and braille displays.

use std::collections::HashSet;
use std::future::Future;
use std::io::{self, Write};
use std::time::Duration;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::model::display_safe;
use crate::model::text::wrap;

/// The most columns of a written line.
const LONGEST: usize = 200;
/// The most bytes of an answer.
const MOST: usize = 64 * 1024;
/// The most characters of a default that is written out; a longer one is given by number.
const SHORT: usize = 20;
/// How often progress is reported.
const PROGRESS: Duration = Duration::from_secs(10);
/// Answers that every question takes.
const ALWAYS: &str = "back goes back, quit ends petstore. To use one of these words as an answer, put it in quotes.";

/// Why a question was left without an answer.
#[derive(Debug, derive_more::From)]
pub enum Leave {
    /// Back to where the task was chosen.
    Back,
    /// The end of the program, or of the input.
    Quit,
    /// Ctrl-C, once: the current work stops.
    Stopped,
    /// Ctrl-C, twice.
    Interrupted,
    /// Nothing was typed for too long.
    Idle,
    /// The API key of this session over SSH, which is this person's, is not accepted any more.
    Revoked(String),
    /// Reading or writing failed.
    #[from]
    Broken(io::Error),
}

/// An answer, unless the question was left.
pub type Asked<T> = Result<T, Leave>;

/// The input and output of the dialogue.
pub struct Dialogue {
    lines: Box<dyn AsyncBufRead + Unpin>,
    out: Box<dyn Write>,
    interrupts: mpsc::Receiver<()>,
    /// Answers are written too, because no terminal shows them.
    echo: bool,
    /// The part of a line that has arrived.
    line: Vec<u8>,
    /// Ctrl-C was pressed since the last answer.
    interrupted: bool,
    /// The choices that were listed.
    listed: HashSet<String>,
    /// How long an answer may take.
    pub idle: Option<Duration>,
}

impl Dialogue {
    /// Reads answers from `lines` and writes to `out`; each message of `interrupts` is a Ctrl-C. With `echo`, answers are
    /// written after their questions.
    pub fn new(
        lines: impl AsyncBufRead + Unpin + 'static,
        out: impl Write + 'static,
        interrupts: mpsc::Receiver<()>,
        echo: bool,
    ) -> Self {
        let (lines, out) = (Box::new(lines), Box::new(out));
        Self { lines, out, interrupts, echo, line: Vec::new(), interrupted: false, listed: HashSet::new(), idle: None }
    }

    /// Writes a sentence, safe to show; a long one on several lines.
    pub fn say(&mut self, text: impl AsRef<str>) -> Asked<()> {
        for line in wrap(&display_safe(text.as_ref()), LONGEST) {
            writeln!(self.out, "{line}")?;
        }
        Ok(self.out.flush()?)
    }

    /// Writes several.
    pub(super) fn say_all(&mut self, lines: impl IntoIterator<Item = impl AsRef<str>>) -> Asked<()> {
        lines.into_iter().try_for_each(|line| self.say(line))
    }

    /// Asks until `read` accepts the trimmed answer. Its errors are written before the question is asked again. `help`
    /// explains the answers, in one or more lines.
    pub async fn ask<T>(
        &mut self,
        question: &str,
        help: &str,
        mut read: impl FnMut(&str) -> Result<T, String>,
    ) -> Asked<T> {
        loop {
            write!(self.out, "{} ", display_safe(question))?;
            self.out.flush()?;
            let Some(line) = self.next_line().await? else { continue };
            match line.to_lowercase().as_str() {
                "back" => return Err(Leave::Back),
                "quit" => return Err(Leave::Quit),
                "help" | "?" => self.say_all(help.lines().chain([ALWAYS]))?,
                _ => match read(unquoted(&line)) {
                    Ok(answer) => return Ok(answer),
                    Err(why) => self.say(why)?,
                },
            }
        }
    }

    /// Asks for one of `ways` by number or first letters; Enter takes the one at `enter`. They are listed the first time, and
    /// then by `help`. One of several words says what to do. Returns the index.
    pub async fn choose(&mut self, what: &str, ways: &[impl AsRef<str>], enter: Option<usize>) -> Asked<usize> {
        let listed: Vec<_> = (1..).zip(ways).map(|(number, way)| format!("{number}: {}", way.as_ref())).collect();
        let help = format!("Type a number or the first letters.\n{}", listed.join("\n"));
        if self.listed.insert(help.clone()) {
            self.say_all(&listed)?;
        }
        let last = ways.len();
        let default = enter.map_or(String::new(), |enter| {
            let way = in_short(enter, ways);
            format!(", press Enter {} {way}", if way.contains(' ') { "to" } else { "for" })
        });
        let read = |answer: &str| {
            let chosen = if answer.is_empty() { enter } else { place(answer, ways) };
            chosen.ok_or_else(|| format!("Choose a number from 1 to {last}; help lists them."))
        };
        self.ask(&format!("{what}, 1 to {last}{default}:"), &help, read).await
    }

    /// Asks for yes or no; Enter means `enter`.
    pub(super) async fn is_yes(&mut self, question: &str, enter: bool) -> Asked<bool> {
        let default = if enter { "yes" } else { "no" };
        let asked = format!("{question} Yes or no, press Enter for {default}:");
        let read = |answer: &str| match answer.to_lowercase().as_str() {
            "" => Ok(enter),
            "y" | "yes" => Ok(true),
            "n" | "no" => Ok(false),
            _ => Err("Type yes or no.".to_owned()),
        };
        self.ask(&asked, "Type yes or no; y and n work too.", read).await
    }

    /// Waits for `work`, and writes `how_far` it is every ten seconds. Ctrl-C leaves it.
    pub async fn during<T>(&mut self, work: impl Future<Output = T>, how_far: impl Fn() -> String) -> Asked<T> {
        let mut due = tokio::time::interval(PROGRESS);
        due.tick().await;
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return Ok(done),
                _ = due.tick() => self.say(how_far())?,
                Some(()) = self.interrupts.recv() => return Err(self.interrupt()),
            }
        }
    }

    /// The next answer; `None` if the question must be asked again.
    async fn next_line(&mut self) -> Asked<Option<String>> {
        let Self { lines, line, interrupts, idle, .. } = self;
        let room = (MOST - line.len().min(MOST)) as u64;
        let mut limited = lines.take(room);
        tokio::select! {
            read = limited.read_until(b'\n', line) => drop(read?),
            () = sleep(idle.unwrap_or(Duration::MAX)) => {
                writeln!(self.out)?;
                return Err(Leave::Idle);
            }
            Some(()) = interrupts.recv() => {
                self.line.clear();
                writeln!(self.out)?;
                let leave = self.interrupt();
                if matches!(leave, Leave::Interrupted) {
                    return Err(leave);
                }
                self.say("Ctrl-C again ends petstore.")?;
                return Ok(None);
            }
        }
        let line = std::mem::take(&mut self.line);
        self.interrupted = false;
        if line.is_empty() {
            writeln!(self.out)?;
            return Err(Leave::Quit);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if self.echo {
            self.say(text)?;
        }
        if line.len() >= MOST && !line.ends_with(b"\n") {
            self.say("Too long: an answer has at most 64 KiB.")?;
            self.lines.read_until(b'\n', &mut Vec::new()).await?;
            return Ok(None);
        }
        if text.contains(char::REPLACEMENT_CHARACTER) {
            self.say("The answer is not valid UTF-8.")?;
            return Ok(None);
        }
        Ok(Some(text.to_owned()))
    }

    fn interrupt(&mut self) -> Leave {
        if std::mem::replace(&mut self.interrupted, true) { Leave::Interrupted } else { Leave::Stopped }
    }
}

/// A way up to its explanation, or its number if that is long.
fn in_short(at: usize, ways: &[impl AsRef<str>]) -> String {
    let way = ways[at].as_ref().split([',', ':']).next().unwrap_or_default();
    if way.chars().count() <= SHORT { way.to_owned() } else { (at + 1).to_string() }
}

/// Which of `ways` an answer selects: by number, by word, or by unambiguous first letters.
fn place(answer: &str, ways: &[impl AsRef<str>]) -> Option<usize> {
    if let Ok(number) = answer.parse::<usize>() {
        return number.checked_sub(1).filter(|at| *at < ways.len());
    }
    let answer = answer.to_lowercase();
    let begins = |way: &str| !answer.is_empty() && way.to_lowercase().starts_with(&answer);
    let mut fitting = ways.iter().enumerate().filter(|(_, way)| begins(way.as_ref()));
    let exact = ways.iter().position(|way| way.as_ref().to_lowercase() == answer);
    exact.or_else(|| fitting.next().filter(|_| fitting.next().is_none()).map(|(at, _)| at))
}

/// The answer, without quotes around a word that every question takes as a command.
fn unquoted(answer: &str) -> &str {
    let inner = answer.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|word| matches!(word.to_lowercase().as_str(), "back" | "quit" | "help" | "?")).unwrap_or(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_named_by_its_number_its_word_or_its_first_letters() {
        let ways = ["all", "available", "pending", "sold", "add more"];
        for (answer, expected) in [
            ("1", Some(0)),
            ("5", Some(4)),
            ("0", None),
            ("6", None),
            ("-1", None),
            ("P", Some(2)),
            ("al", Some(0)),
            ("ALL", Some(0)),
            ("a", None),
            ("", None),
            ("sold out", None),
        ] {
            assert_eq!(place(answer, &ways), expected, "{answer:?}");
        }
    }

    #[test]
    fn a_pet_may_have_the_name_of_a_command() {
        assert_eq!(["\"Quit\"", "\"Rex\"", "quit", "\""].map(unquoted), ["Quit", "\"Rex\"", "quit", "\""]);
    }

    #[test]
    fn long_lines_are_broken_between_words_and_within_words_that_are_longer() {
        assert_eq!(wrap("", LONGEST), [""]);
        let text = format!("{} {}", "a".repeat(150), "b".repeat(60));
        assert_eq!(wrap(&text, LONGEST), ["a".repeat(150), "b".repeat(60)]);
        assert_eq!(wrap(&"c".repeat(201), LONGEST), ["c".repeat(200), "c".to_owned()]);
        assert_eq!(wrap("one  two", LONGEST), ["one  two"]);
    }
}
