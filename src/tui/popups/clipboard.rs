//! Copying texts, by a program of this machine or by the terminal.

use std::sync::Arc;

use crate::api::failure::Failure;
use crate::app::clipboard::{self, ClipboardBackend};
use crate::clock::Now;
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job};
use crate::tui::pending::Slot;
use crate::tui::state::AppState;

/// Terminals take no longer texts, in bytes.
const MOST_COPIED: usize = 100_000;

/// Copies a text; `what` is how the message calls it.
pub fn copy(state: &mut AppState, text: String, what: &str, now: Now) -> Vec<Effect> {
    if text.len() > MOST_COPIED {
        return state.fail(format!("Not copied: {what} is too long for a terminal's clipboard."));
    }
    vec![state.begin(CopyText { text, what: what.to_owned() }, now)]
}

/// Copies a text with a program of this machine, if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyText {
    pub text: String,
    /// How the message calls it.
    pub what: String,
}

impl Job for CopyText {
    /// The clipboard that has it, or why none does.
    type Answer = Result<ClipboardBackend, String>;
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Copy;

    async fn run(self: Arc<Self>, env: Env) -> Result<Self::Answer, Failure> {
        Ok(clipboard::copy(&self.text, &env.machine.copying).await)
    }

    /// It was copied by a program of this machine, or the terminal must do it.
    fn done(&self, app: &mut AppState, copied: Result<Self::Answer, Failure>, _: Now) -> Vec<Effect> {
        let what = &self.what;
        match copied {
            Ok(Ok(ClipboardBackend::Tmux)) => app.note(format!("Copied {what} to tmux (prefix ] pastes it).")),
            Ok(Ok(ClipboardBackend::Desktop(..))) => app.note(format!("Copied {what} to the clipboard.")),
            Ok(Ok(ClipboardBackend::File(path))) => {
                app.note(format!("This terminal has no clipboard: wrote {what} to {}.", path.display()))
            }
            Ok(Err(why)) => app.fail(format!("Not copied: {why}")),
            Ok(Ok(ClipboardBackend::Terminal)) | Err(_) => {
                app.tell(format!("Copied {what} (sent to the terminal, which does not confirm it)."));
                vec![Effect::Clipboard(self.text.clone())]
            }
        }
    }
}
