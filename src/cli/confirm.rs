//! The question before a protected profile is changed.

use std::io::{self, BufRead as _, IsTerminal as _};

use crate::config::Settings;
use crate::model::display_safe;

use super::exit::{Exit, Failed};
use super::output::note;

/// Asks before `what` is added, unless `yes` was said or the profile is not protected. It blocks until somebody answers.
pub fn confirm(what: &str, settings: &Settings, yes: bool) -> Result<(), Failed> {
    if !settings.protect || yes {
        return Ok(());
    }
    let label = display_safe(&settings.label);
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        let what = format!("{label} is protected, and there is nobody to ask");
        return Err(Failed::new(Exit::Usage, what).hint("say that it is meant: --yes"));
    }
    note(&format!("This adds {what} to {label}. There is no undo in the service. Go on? [y/N]"));
    let mut answer = String::new();
    // Whoever closes the terminal does not say yes.
    let _ = io::stdin().lock().read_line(&mut answer);
    if matches!(answer.trim(), "y" | "Y" | "yes") { Ok(()) } else { Err(Failed::new(Exit::Usage, "nothing was sent")) }
}
