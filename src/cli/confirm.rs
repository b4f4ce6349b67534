//! Questions at the terminal: yes or no, such as the one before a protected profile is changed, and a line that is
//! typed without being shown.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use super::output::err;
use super::{Failed, Result};
use crate::config::Settings;
use crate::model::{counted, display_safe};

/// Asks the `question` where the profile is protected, unless `yes` is given. Blocks until there is an answer.
pub fn confirm(question: &str, settings: &Settings, yes: bool) -> Result<()> {
    if !settings.protect || yes {
        return Ok(());
    }
    allowed(ask(question, false), settings)
}

/// The question before `what` is added to a protected profile.
pub fn question(what: &str, settings: &Settings) -> String {
    format!("This adds {what} to {}. It cannot be undone. Continue?", display_safe(&settings.label))
}

/// The question before this many pets are changed.
pub fn change_question(count: usize, settings: &Settings) -> String {
    format!("This changes {} of {}. Continue?", counted(count, "pet"), display_safe(&settings.label))
}

/// Whether to continue after the answer to [`question`].
pub fn allowed(answer: Option<bool>, settings: &Settings) -> Result<()> {
    match answer {
        Some(true) => Ok(()),
        Some(false) => Err(Failed::config("nothing was sent")),
        None => {
            let protected = if settings.protect { " is protected and" } else { "" };
            let what = format!("{}{protected} needs a confirmation", display_safe(&settings.label));
            Err(Failed::config(what).hint("to confirm: --yes"))
        }
    }
}

/// Whether `--no-input` was given.
static NEVER: AtomicBool = AtomicBool::new(false);

/// From now on nothing is asked.
pub fn never_ask() {
    NEVER.store(true, Ordering::Relaxed);
}

/// Whether nothing may be asked.
pub fn never_asks() -> bool {
    NEVER.load(Ordering::Relaxed)
}

/// Whether there is somebody to ask.
pub fn can_ask() -> bool {
    !never_asks() && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Whether the answer is yes; Enter alone gives the `usual` answer. `None` without somebody to ask. Blocks until there
/// is an answer.
pub fn ask(question: &str, usual: bool) -> Option<bool> {
    if !can_ask() {
        return None;
    }
    let mut err = err();
    let _ = write!(err, "{question} {} ", if usual { "[Y/n]" } else { "[y/N]" }).and_then(|()| err.flush());
    let mut answer = String::new();
    // A closed terminal is not a yes.
    let is_answered = io::stdin().lock().read_line(&mut answer).is_ok_and(|bytes| bytes > 0);
    Some(match answer.trim() {
        "" => usual && is_answered,
        answer => matches!(answer, "y" | "Y" | "yes"),
    })
}

/// The longest line that is read, in bytes. Longer than any key; the rest is ignored.
const MOST: usize = 4096;

/// The answer to the prompt.
#[derive(Debug, PartialEq, Eq)]
pub enum PromptAnswer {
    Line(String),
    /// An empty line, or the end of the input.
    Nothing,
    /// Ctrl-C.
    Interrupt,
}

/// Asks on stderr and reads from the terminal. A caller that does not wait for the end calls [`restore_terminal`].
pub async fn ask_hidden(question: String) -> io::Result<PromptAnswer> {
    let typed = tokio::task::spawn_blocking(move || {
        let mut stderr = err();
        // In raw mode nothing is shown, and Ctrl-C is read as a key. It starts before the question, so that an early answer
        // is not shown either.
        enable_raw_mode()?;
        let asked = write!(stderr, "{question}").and_then(|()| stderr.flush());
        let typed = asked.and_then(|()| read(io::stdin().lock().bytes()));
        disable_raw_mode()?;
        let _ = writeln!(stderr);
        typed
    });
    typed.await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// Restores the terminal.
pub fn restore_terminal() {
    let _ = disable_raw_mode();
}

fn read(keys: impl Iterator<Item = io::Result<u8>>) -> io::Result<PromptAnswer> {
    let mut line = Vec::new();
    for key in keys {
        match key? {
            b'\r' | b'\n' => break,
            0x03 => return Ok(PromptAnswer::Interrupt),
            0x04 if line.is_empty() => return Ok(PromptAnswer::Nothing),
            0x08 | 0x7f => {
                line.pop();
            }
            0x15 => line.clear(),
            key if line.len() < MOST => line.push(key),
            _ => {}
        }
    }
    let line = String::from_utf8_lossy(&line).into_owned();
    Ok(if line.trim().is_empty() { PromptAnswer::Nothing } else { PromptAnswer::Line(line) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &str) -> PromptAnswer {
        read(keys.bytes().map(Ok)).unwrap()
    }

    #[test]
    fn a_line_ends_with_enter_and_can_be_corrected_before() {
        let line = |text: &str| PromptAnswer::Line(text.to_owned());
        assert_eq!(typed("petk_1\rrest"), line("petk_1"));
        assert_eq!(typed("petk_12\u{7f}3\n"), line("petk_13"));
        assert_eq!(typed("wrong\u{15}petk_1"), line("petk_1"));
        assert_eq!(typed("\u{8}\u{7f}a\r"), line("a"));
    }

    #[test]
    fn an_empty_line_and_ctrl_c_are_not_keys() {
        for nothing in ["", "\r", "  \r", "\u{4}", "a\u{15}\r"] {
            assert_eq!(typed(nothing), PromptAnswer::Nothing, "{nothing:?}");
        }
        assert_eq!(typed("petk_\u{3}1\r"), PromptAnswer::Interrupt);
    }
}
