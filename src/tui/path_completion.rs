//! Completes the path in the field that has the cursor, as shells do on Tab.

use crate::clock::Now;
use crate::local::complete::Completion;
use crate::model::text::short;
use crate::model::words::list;

use super::command::{Command, command};
use super::context::Context;
use super::effect::{Effect, Task};
use super::state::AppState;
use super::text_input::TextInput;

pub const COMPLETE: Command = command("complete", "Tab", "complete", "complete the path", ask).always();

/// Asks for what begins as typed.
fn ask(state: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(typed) = field(state).map(|path| path.value().to_owned()) else { return Vec::new() };
    vec![state.begin(Task::CompletePath(typed), now)]
}

/// The path grows as far as it is certain; then the names that are possible are listed.
pub fn on_completed(state: &mut AppState, typed: &str, completion: &Completion) {
    let Some(path) = field(state).filter(|path| path.value() == typed) else { return };
    if !completion.more.is_empty() {
        *path = TextInput::new(format!("{typed}{}", completion.more));
        return;
    }
    let text = match completion.names.as_slice() {
        [] => "No file begins like this.".to_owned(),
        [_] => "The path is complete.".to_owned(),
        names => format!("{}.", list(names.iter().map(|name| short(name)))),
    };
    state.tell(text);
}

/// The field with a path, if it has the cursor.
fn field(state: &mut AppState) -> Option<&mut TextInput> {
    let below = state.below_boxes();
    if let Some(path) = state.popups.path() {
        return Some(path);
    }
    if below == Context::ImportFile {
        return Some(&mut state.add.import.path);
    }
    if below == Context::ProfilePath { state.profiles.form.input() } else { None }
}
