//! Yes-or-no questions at the terminal, such as the one before a protected profile is changed.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::config::Settings;
use crate::model::display_safe;

use super::error::{Exit, Failed};
use super::output::err;

/// Asks before `what` is added to a protected profile, unless `yes` is given. Blocks until there is an answer.
pub fn confirm(what: &str, settings: &Settings, yes: bool) -> Result<(), Failed> {
    if !settings.protect || yes {
        return Ok(());
    }
    allowed(ask(&question(what, settings), false), settings)
}

/// The question before `what` is added to a protected profile.
pub fn question(what: &str, settings: &Settings) -> String {
    format!("This adds {what} to {}. It cannot be undone. Continue?", display_safe(&settings.label))
}

/// Whether to continue after the answer to [`question`].
pub fn allowed(answer: Option<bool>, settings: &Settings) -> Result<(), Failed> {
    match answer {
        Some(true) => Ok(()),
        Some(false) => Err(Failed::new(Exit::Usage, "nothing was sent")),
        None => {
            let what = format!("{} is protected and needs a confirmation", display_safe(&settings.label));
            Err(Failed::new(Exit::Usage, what).hint("to confirm: --yes"))
        }
    }
}

/// Whether `--no-input` was given.
static NEVER: AtomicBool = AtomicBool::new(false);

/// From now on nothing is asked.
pub(super) fn never_ask() {
    NEVER.store(true, Ordering::Relaxed);
}

/// Whether there is somebody to ask.
pub fn can_ask() -> bool {
    !NEVER.load(Ordering::Relaxed) && io::stdin().is_terminal() && io::stderr().is_terminal()
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
