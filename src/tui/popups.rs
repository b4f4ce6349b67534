//! The boxes over a screen. Each has a file for what it holds, what its keys do and how it looks, those of a screen beside
//! that; [`stack`] says what every box is.

mod clipboard;
pub(super) mod commands;
pub(super) mod confirm;
pub(super) mod error;
mod field;
pub(super) mod help;
pub mod jobs;
pub(super) mod key;
pub mod stack;
pub mod state;
pub(super) mod text;
pub(super) mod themes;
pub(super) mod write;

use super::effect::Effect;
use super::screens::pets;
use super::state::AppState;
use crate::clock::Now;
use jobs::PopupReply;

pub use clipboard::copy;
pub use field::FieldBox;
pub use key::KeyBox;
pub use stack::Popup;
#[cfg(test)]
pub(super) use state::DEAF;
pub use state::{ConfirmBox, PendingChange};
pub use text::{TextBox, TextKind};
pub use write::{Contents, WriteBox};

/// A job of a box has ended, or is so far.
pub(super) fn on_reply(state: &mut AppState, reply: PopupReply, now: Now) -> Vec<Effect> {
    match reply {
        PopupReply::Copied(copied) => return clipboard::on_copied(state, copied),
        PopupReply::Written(result) => write::on_written(state, result, now),
        PopupReply::Exporting(count) => write::on_exporting(state, count),
        PopupReply::Exported(result) => write::on_exported(state, result, now),
        PopupReply::ThemeWritten(result) => themes::on_set(state, result, now),
        PopupReply::ViewAdded(result) => return pets::popups::views::on_written(state, result, now),
        PopupReply::KeyTested(result) => return key::on_key_tested(state, result, now),
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::jobs::{NotWritten, PopupReply};
    use crate::api::failure::Failure;
    use crate::api::find::LookupResult;
    use crate::local::complete::Completion;
    use crate::tui::context::Context;
    use crate::tui::msg::{Msg, Outcome};
    use crate::tui::pending::Slot;
    use crate::tui::screens::pets::jobs::PetsReply;
    use crate::tui::testing::{App, animals, remote};

    /// What is asked, the slot of the job, how it ends, and what the box says then.
    type Answered = (&'static str, Slot, Outcome, &'static str);

    #[test]
    fn an_answer_that_comes_while_the_help_is_open_is_in_its_box_afterwards() {
        let failure = || Failure::NotSent { why: "connection refused".into() };
        let found = |pet| PetsReply::Found(Ok(LookupResult { pet, steps: Vec::new() })).into();
        let failed = || NotWritten::Failed("no room".into());
        let more = Completion { more: "orts/".into(), names: Vec::new() };
        let answered: [Answered; 7] = [
            ("# \"-7\" Enter", Slot::ById, found(None), "It is in none of the lists"),
            ("# \"-7\" Enter", Slot::ById, PetsReply::Found(Err(failure())).into(), "(connection refused)"),
            ("V \"rex\" Enter", Slot::Views, PopupReply::ViewAdded(Err("no room".into())).into(), "no room"),
            (
                "F4 \"petk_x\" Enter",
                Slot::TestKey,
                PopupReply::KeyTested(Err(failure())).into(),
                "(connection refused)",
            ),
            ("x Enter", Slot::Write, PopupReply::Written(Err(failed())).into(), "no room"),
            ("x Down Enter", Slot::Export, PopupReply::Exported(Err(failed())).into(), "no room"),
            ("x C-u \"exp\" Tab", Slot::CompletePath, Outcome::PathCompleted("exp".into(), more), "exports/"),
        ];
        for (keys, slot, outcome, text) in answered {
            let mut app = App::loaded_from(remote(), 80, 24, &animals(39));
            app.keys(keys).keys("F1");
            app.reply(slot, outcome);
            assert_eq!(app.state.context(), Context::Help, "{keys}");
            app.keys("Esc");
            assert!(app.says(text), "{keys}: {}", app.screen());
        }
        for (keys, slot, outcome) in [
            ("# \"-7\" Enter", Slot::ById, found(Some(animals(1).remove(0)))),
            ("F4 \"petk_0123456789abcdef77d1\" Enter", Slot::TestKey, PopupReply::KeyTested(Ok(())).into()),
            ("x Enter", Slot::Write, PopupReply::Written(Ok("/home/ada/pets.csv".into())).into()),
        ] {
            let mut app = App::loaded_from(remote(), 80, 24, &animals(39));
            app.keys(keys).keys("F1");
            app.reply(slot, outcome);
            app.keys("Esc");
            assert!(!app.state.popups.is_open(), "{keys}");
        }
    }

    #[test]
    fn the_help_over_a_box_opens_no_other_box() {
        let mut app = App::loaded(80, 24);
        for key in ["w", "F9"] {
            app.keys("# \"100\" F1").keys(key);
            assert!(app.says("Close the help and the box below it first."), "{key}: {}", app.screen());
            app.keys("Esc");
            assert!(app.state.context() == Context::ById && app.says("100"), "{key}: {}", app.screen());
            app.keys("Esc");
        }
    }

    #[test]
    fn what_is_pasted_into_a_box_counts_as_what_is_typed() {
        let mut app = App::loaded(80, 24);
        app.keys("x C-u Enter");
        assert!(app.says("Type a file name."), "{}", app.screen());
        app.send(Msg::Paste("pets.csv".into()));
        assert!(!app.says("Type a file name."), "{}", app.screen());
    }
}
