//! The only place that writes to stdout (data) and stderr (notes), and when that is in colour.
//!
//! On a terminal, control characters in foreign text are made visible; pipes and files get every byte.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{ColorChoice, ValueEnum};

use super::{Exit, Failed, Result};
use crate::api::{Exchange, Recorder};
use crate::config::Env;
use crate::model::display_safe;
use crate::model::escape::shown_json;
use crate::model::text::without_keys;
use crate::terminal_size::terminal_size;

/// How much is written to a pipe or a file at a time, in bytes.
const FULL: usize = 64 << 10;

/// Whether standard output was closed when the program started.
static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Checks before `main`: later the standard library has replaced a closed descriptor by `/dev/null`, and output would be
/// lost silently.
#[ctor::ctor(unsafe)]
fn check_stdout() {
    WAS_CLOSED.store(rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err(), Ordering::Relaxed);
}

/// Fails if standard output is closed: for work whose result must not be lost.
pub fn is_there() -> Result<()> {
    if WAS_CLOSED.load(Ordering::Relaxed) {
        return Err(Failed::new(Exit::Failure, "cannot write to standard output: it is closed"));
    }
    Ok(())
}

/// The kind of output, which decides how foreign text in it is made visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Lines for people, with our colours.
    Lines,
    /// Lines on stderr, without colours and without anything that looks like an API key.
    Notes,
    /// Cells quoted as in RFC 4180, separated by commas or tabs.
    Cells,
    /// JSON values, spread over lines or one per line.
    Json,
}

impl Content {
    /// `text`, made of whole lines, with the same meaning but without control characters.
    fn shown(self, text: &str) -> String {
        match self {
            Self::Lines => by_line(text, |line| coloured(line).into()),
            Self::Notes => by_line(&without_keys(text), |line| tabbed(line).into()),
            // Only between quotes a line feed or a tab is foreign.
            Self::Cells => {
                let part = |(at, part): (usize, &str)| match at % 2 {
                    0 => by_line(part, |line| tabbed(line).into()),
                    _ => display_safe(part).into_owned(),
                };
                Vec::from_iter(text.split('"').enumerate().map(part)).join("\"")
            }
            Self::Json => by_line(text, shown_json),
        }
    }
}

fn by_line(text: &str, shown: impl Fn(&str) -> Cow<'_, str>) -> String {
    Vec::from_iter(text.split('\n').map(shown)).join("\n")
}

/// A line made safe, except for its tabs.
fn tabbed(line: &str) -> String {
    Vec::from_iter(line.split('\t').map(display_safe)).join("\t")
}

/// The same, keeping our own colours.
fn coloured(line: &str) -> String {
    let mut parts = line.split('\x1b');
    let mut shown = tabbed(parts.next().unwrap_or_default());
    for part in parts {
        match Ink::CODES.into_iter().find_map(|code| Some((code, part.strip_prefix(code)?))) {
            Some((code, rest)) => shown.extend(["\x1b", code, &tabbed(rest)]),
            None => shown.push_str(&tabbed(&format!("\x1b{part}"))),
        }
    }
    shown
}

/// A writer for text that may be foreign. What is not flushed when it is dropped is not written.
#[derive(Debug)]
pub struct Out<W> {
    to: W,
    /// What is written, if people see it; otherwise every byte is written unchanged.
    shown: Option<Content>,
    waiting: Vec<u8>,
    /// How many of these bytes are whole lines.
    whole: usize,
    is_quoted: bool,
}

/// Standard output.
#[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
pub fn out(content: Content) -> Out<io::Stdout> {
    Out::new(io::stdout(), is_terminal().then_some(content))
}

/// Standard error, which is for people even in a pipe.
pub fn err() -> Out<io::Stderr> {
    Out::new(io::stderr(), Some(Content::Notes))
}

impl<W: Write> Out<W> {
    const fn new(to: W, shown: Option<Content>) -> Self {
        Self { to, shown, waiting: Vec::new(), whole: 0, is_quoted: false }
    }

    /// Writes this many of the waiting bytes.
    fn pass(&mut self, count: usize) -> io::Result<()> {
        let bytes: Vec<u8> = self.waiting.drain(..count).collect();
        self.whole = 0;
        match self.shown {
            Some(content) => self.to.write_all(content.shown(&String::from_utf8_lossy(&bytes)).as_bytes()),
            None => self.to.write_all(&bytes),
        }
    }
}

impl<W: Write> Write for Out<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let before = self.waiting.len();
        self.waiting.extend_from_slice(bytes);
        if let Some(content) = self.shown {
            for (at, byte) in bytes.iter().enumerate() {
                self.is_quoted ^= *byte == b'"' && content == Content::Cells;
                if *byte == b'\n' && !self.is_quoted {
                    self.whole = before + at + 1;
                }
            }
            if self.whole > 0 {
                self.pass(self.whole)?;
            }
        } else if self.waiting.len() >= FULL {
            self.pass(self.waiting.len())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass(self.waiting.len())?;
        self.to.flush()
    }
}

/// Writes to stdout. `false` if the reader has gone, which is not a failure.
pub fn write_as(content: Content, write: impl FnOnce(&mut Out<io::Stdout>) -> io::Result<()>) -> Result<bool> {
    is_there()?;
    let mut out = out(content);
    match write(&mut out).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failed::because("cannot write to standard output")(error)),
    }
}

/// Writes a line to stderr, if it is open.
pub fn note(text: &str) {
    let _ = err().write_all(format!("{text}\n").as_bytes());
}

/// Text for stderr, without control characters and without anything that looks like an API key.
pub fn safe(text: &str) -> String {
    Content::Notes.shown(text)
}

/// The line for a failure on stderr: `petstore: what happened`.
pub fn complaint(what: &impl Display, coloured: bool) -> String {
    format!("{} {}", Ink::Red.paint("petstore:", coloured), safe(&what.to_string()))
}

/// What is printed on stderr besides failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// Nothing.
    Quiet,
    /// Notes about missing, deprecated or late results.
    Normal,
    /// Also each request.
    Verbose,
}

impl Verbosity {
    /// Writes a line to stderr, unless quiet.
    pub fn note(self, text: &str) {
        if self != Self::Quiet {
            note(text);
        }
    }

    /// Prints each request, if verbose.
    pub fn recorder(self) -> Option<Recorder> {
        (self == Self::Verbose).then(|| -> Recorder { Arc::new(|exchange| note(&line(&exchange))) })
    }
}

/// A request and its result, without the key.
fn line(exchange: &Exchange) -> String {
    let Exchange { method, path_and_query, status, size, took, failure, .. } = exchange;
    let milliseconds = took.as_millis();
    let status = status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
    match failure {
        None => format!("{method} {path_and_query}: {status}, {size} bytes, {milliseconds} ms"),
        Some(why) => format!("{method} {path_and_query}: {status}, {why}, {milliseconds} ms"),
    }
}

/// Whether stdout is a terminal.
#[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// The width of the terminal on stdout; `None` if stdout is not a terminal.
pub fn columns() -> Option<usize> {
    is_terminal().then(|| terminal_size().map_or(80, |(columns, _)| columns).into())
}

/// When colours are used: by the flag, then PETSTORE_COLOR, NO_COLOR, CLICOLOR_FORCE and CLICOLOR, in this order; then
/// never where another program runs this.
pub fn colours(flag: Option<ColorChoice>, env: &Env) -> ColorChoice {
    use ColorChoice::*;
    let ours = || env.get("PETSTORE_COLOR").and_then(|word| <ColorChoice as ValueEnum>::from_str(word, true).ok());
    flag.or_else(ours).unwrap_or_else(|| match (env.get("NO_COLOR"), env.get("CLICOLOR_FORCE"), env.get("CLICOLOR")) {
        (Some(_), ..) => Never,
        (None, Some(force), _) if force != "0" => Always,
        (None, _, Some("0")) => Never,
        (None, ..) if env.is_unattended() => Never,
        (None, ..) => Auto,
    })
}

/// Whether a stream gets colours.
pub fn is_coloured(choice: ColorChoice, is_terminal: bool, env: &Env) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => is_terminal && !matches!(env.get("TERM"), None | Some("dumb")),
    }
}

/// When help has colours: it is printed while the arguments are parsed, so this searches them for `--color` first.
pub fn colours_of_help(arguments: &[OsString], env: &Env) -> ColorChoice {
    let words: Vec<_> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    let after = |at: usize| words[at].strip_prefix("--color=").or_else(|| words.get(at + 1).copied());
    let flag = words.iter().position(|word| *word == "--color" || word.starts_with("--color=")).and_then(after);
    colours(flag.and_then(|word| word.parse().ok()), env)
}

/// One of the 16 colours that terminals let their users choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Plain,
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
}

impl Ink {
    /// Everything that [`Self::paint`] writes after an escape character, in the order of the inks.
    const CODES: [&str; 6] = ["[0m", "[1m", "[2m", "[1;31m", "[32m", "[33m"];

    /// `text` in this ink, if colours are used.
    pub fn paint(self, text: &str, coloured: bool) -> String {
        if !coloured || self == Self::Plain {
            return text.to_owned();
        }
        let code = |ink: Self| Self::CODES[ink as usize];
        format!("\x1b{}{text}\x1b{}", code(self), code(Self::Plain))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// What arrives of `text`, written in pieces of this many bytes.
    fn arrives(text: &str, shown: Option<Content>, pieces: usize) -> String {
        let mut out = Out::new(Vec::new(), shown);
        for piece in text.as_bytes().chunks(pieces) {
            out.write_all(piece).unwrap();
        }
        out.flush().unwrap();
        String::from_utf8(out.to).unwrap()
    }

    #[test]
    fn control_characters_are_made_visible_on_a_terminal_and_stay_elsewhere() {
        let csv = "id,name\n1,\"Rex\x1b[2J\n2,\"\"Fake\"\",\tx\"\n3,a\u{202e}b\u{9b}\n";
        let json = "[\n  {\"name\": \"Zoë \x7f\u{9b}2J\u{202e}\"},\n  {\"name\": \"Zoë\"}\n]\n";
        let lines = "\x1b[1;31mRex\x1b[0m\tsold\x1b[8m \x1b]0;x\x07\r\u{85}\nno end";
        for pieces in [1, 3, 7, 1000] {
            for (text, content, expected) in [
                (
                    csv,
                    Content::Cells,
                    "id,name\n1,\"Rex⟨U+001B⟩[2J⟨U+000A⟩2,\"\"Fake\"\",⟨U+0009⟩x\"\n3,a⟨U+202E⟩b⟨U+009B⟩\n",
                ),
                (
                    json,
                    Content::Json,
                    "[\n  {\"name\": \"Zo\\u00eb \\u007f\\u009b2J\\u202e\"},\n  {\"name\": \"Zoë\"}\n]\n",
                ),
                (
                    lines,
                    Content::Lines,
                    "\x1b[1;31mRex\x1b[0m\tsold⟨U+001B⟩[8m ⟨U+001B⟩]0;x⟨U+0007⟩⟨U+000D⟩⟨U+0085⟩\nno end",
                ),
            ] {
                assert_eq!(arrives(text, Some(content), pieces), expected, "{content:?}");
                assert_eq!(arrives(text, None, pieces), text);
            }
        }
        assert_eq!(arrives("key petk_0123456789\x1b\n", Some(Content::Notes), 5), "key petk_...⟨U+001B⟩\n");
    }

    #[test]
    fn a_terminal_gets_each_line_at_once_and_a_question_when_it_is_flushed() {
        let mut out = Out::new(Vec::new(), Some(Content::Lines));
        out.write_all(b"one\ntwo").unwrap();
        assert_eq!(out.to, b"one\n");
        out.flush().unwrap();
        assert_eq!(out.to, b"one\ntwo");
    }

    #[test]
    fn a_request_is_one_line_with_its_status_and_duration() {
        let answered = Exchange {
            method: "GET".into(),
            path_and_query: "/v1/pets?limit=20".into(),
            status: Some(200),
            size: 812,
            took: Duration::from_micros(3900),
            ..Exchange::default()
        };
        assert_eq!(line(&answered), "GET /v1/pets?limit=20: 200, 812 bytes, 3 ms");
        let failed = Exchange { status: None, failure: Some("no connection (refused)".into()), ..answered };
        assert_eq!(line(&failed), "GET /v1/pets?limit=20: no answer, no connection (refused), 3 ms");
    }

    #[test]
    fn the_flag_wins_then_our_variable_then_the_common_ones() {
        let when = |flag, vars: &[(&str, &str)]| colours(flag, &vars.iter().copied().collect());
        assert_eq!(when(None, &[]), ColorChoice::Auto);
        assert_eq!(when(None, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]), ColorChoice::Never);
        assert_eq!(when(None, &[("NO_COLOR", ""), ("CLICOLOR_FORCE", "1")]), ColorChoice::Always);
        assert_eq!(when(None, &[("CLICOLOR_FORCE", "0")]), ColorChoice::Auto);
        assert_eq!(when(None, &[("CLICOLOR", "0")]), ColorChoice::Never);
        assert_eq!(when(None, &[("AGENT", "1")]), ColorChoice::Never);
        assert_eq!(when(None, &[("CI", "false")]), ColorChoice::Auto);
        assert_eq!(when(None, &[("CI", "true"), ("CLICOLOR_FORCE", "1")]), ColorChoice::Always);
        assert_eq!(when(None, &[("PETSTORE_COLOR", "always"), ("NO_COLOR", "1")]), ColorChoice::Always);
        assert_eq!(when(Some(ColorChoice::Never), &[("PETSTORE_COLOR", "always")]), ColorChoice::Never);
    }

    #[test]
    fn only_a_terminal_that_supports_colours_gets_them_automatically() {
        let xterm = Env::from_iter([("TERM", "xterm")]);
        assert!(is_coloured(ColorChoice::Auto, true, &xterm) && !is_coloured(ColorChoice::Auto, false, &xterm));
        assert!(!is_coloured(ColorChoice::Auto, true, &Env::from_iter([("TERM", "dumb")])));
        assert!(!is_coloured(ColorChoice::Auto, true, &Env::default()));
        assert!(is_coloured(ColorChoice::Always, false, &Env::default()));
        assert!(!is_coloured(ColorChoice::Never, true, &xterm));
    }

    #[test]
    fn the_flag_counts_for_help_at_any_position() {
        let of = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            colours_of_help(&words, &Env::default())
        };
        assert_eq!(of("petstore pets --help"), ColorChoice::Auto);
        assert_eq!(of("petstore pets --help --color never"), ColorChoice::Never);
        assert_eq!(of("petstore --color=always --help"), ColorChoice::Always);
        assert_eq!(of("petstore --help --color"), ColorChoice::Auto);
    }
}
