//! Questions at the terminal that are answered by yes or no, such as the one before a protected profile is changed.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use crate::config::Settings;
use crate::model::display_safe;

use super::error::{Exit, Failed};
use super::output::err;

/// Asks before `what` is added, unless `yes` was said or the profile is not protected. It blocks until somebody answers.
pub fn confirm(what: &str, settings: &Settings, yes: bool) -> Result<(), Failed> {
    if !settings.protect || yes {
        return Ok(());
    }
    allowed(ask(&question(what, settings), false), settings)
}

/// What is asked before `what` is added to a protected profile.
pub fn question(what: &str, settings: &Settings) -> String {
    format!("This adds {what} to {}. There is no undo in the service. Go on?", display_safe(&settings.label))
}

/// What follows from the answer to [`question`].
pub fn allowed(answer: Option<bool>, settings: &Settings) -> Result<(), Failed> {
    match answer {
        Some(true) => Ok(()),
        Some(false) => Err(Failed::new(Exit::Usage, "nothing was sent")),
        None => {
            let what = format!("{} is protected, and there is nobody to ask", display_safe(&settings.label));
            Err(Failed::new(Exit::Usage, what).hint("say that it is meant: --yes"))
        }
    }
}

/// Whether the answer is yes, as Enter alone is where it is the `usual` one; nothing where there is no terminal to ask
/// at. It blocks until somebody answers.
pub fn ask(question: &str, usual: bool) -> Option<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return None;
    }
    let mut err = err();
    let _ = write!(err, "{question} {} ", if usual { "[Y/n]" } else { "[y/N]" }).and_then(|()| err.flush());
    let mut answer = String::new();
    // Whoever closes the terminal does not say yes.
    let is_answered = io::stdin().lock().read_line(&mut answer).is_ok_and(|bytes| bytes > 0);
    Some(match answer.trim() {
        "" => usual && is_answered,
        answer => matches!(answer, "y" | "Y" | "yes"),
    })
}
