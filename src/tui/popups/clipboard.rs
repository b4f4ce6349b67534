//! Copying texts, by a program of this machine or by the terminal.

use super::jobs::PopupTask;
use crate::app::clipboard::Copied;
use crate::clock::Now;
use crate::tui::effect::Effect;
use crate::tui::state::{AppState, MessageKind};

/// Terminals take no longer texts, in bytes.
const MOST_COPIED: usize = 100_000;

/// Copies a text; `what` is how the message calls it.
pub fn copy(state: &mut AppState, text: String, what: &str, now: Now) -> Vec<Effect> {
    if text.len() > MOST_COPIED {
        return state.fail(format!("Not copied: {what} is too long for a terminal's clipboard."));
    }
    state.copying = Some((text.clone(), what.to_owned()));
    vec![state.begin(PopupTask::Copy(text), now)]
}

/// A text was copied by a program of this machine, or the terminal must do it.
pub(super) fn on_copied(state: &mut AppState, copied: Copied) -> Vec<Effect> {
    let Some((text, what)) = state.copying.take() else { return Vec::new() };
    let (kind, sentence) = match &copied {
        Copied::Tmux => (MessageKind::Note, format!("Copied {what} to tmux (prefix ] pastes it).")),
        Copied::Desktop => (MessageKind::Note, format!("Copied {what} to the clipboard.")),
        Copied::File(path) => (MessageKind::Note, format!("This terminal has no clipboard: wrote {what} to {path}.")),
        Copied::Terminal => {
            (MessageKind::Note, format!("Copied {what} (sent to the terminal, which does not confirm it)."))
        }
        Copied::Nowhere(why) => (MessageKind::Error, format!("Not copied: {why}")),
    };
    state.say(kind, sentence);
    if copied == Copied::Terminal { vec![Effect::Clipboard(text)] } else { Vec::new() }
}
