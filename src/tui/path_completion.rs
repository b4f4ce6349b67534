//! Completes the path in the field that has the cursor, as shells do on Tab.

use std::sync::Arc;

use crate::clock::Now;
use crate::local::complete::Completion;
use crate::model::text::short;
use crate::model::words::list;

use super::command::{Command, command};
use super::effect::Effect;
use super::job::{Env, Job, blocking};
use super::pending::Slot;
use super::screens::add_pet::import::Phase;
use super::state::{AppState, Screen};
use super::text_input::TextInput;

pub const COMPLETE: Command = command("complete", "Tab", "complete", "complete the path", ask).always();

/// Asks for what begins as typed.
fn ask(state: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(typed) = field(state).map(|path| path.value().to_owned()) else { return Vec::new() };
    vec![state.begin(CompletePath(typed), now)]
}

/// Finds what begins like this path.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletePath(pub String);

impl Job for CompletePath {
    type Answer = Completion;
    type Error = String;
    const SLOT: fn(&Self) -> Slot = |_| Slot::CompletePath;

    async fn run(self: Arc<Self>, env: Env) -> Result<Completion, String> {
        blocking(move || Ok(env.machine.complete(&self.0))).await
    }

    /// The path grows as far as it is certain; then the names that are possible are listed.
    fn done(&self, app: &mut AppState, completion: Result<Completion, String>, _: Now) -> Vec<Effect> {
        let Completion { more, names } = match completion {
            Ok(completion) => completion,
            Err(why) => return app.fail(why),
        };
        let Some(path) = field(app).filter(|path| path.value() == self.0) else { return Vec::new() };
        if !more.is_empty() {
            *path = TextInput::new(format!("{}{more}", self.0));
            return Vec::new();
        }
        app.note(match names.as_slice() {
            [] => "No file begins like this.".to_owned(),
            [_] => "The path is complete.".to_owned(),
            names => format!("{}.", list(names.iter().map(|name| short(name)))),
        })
    }
}

/// The field with a path, if it has the cursor.
fn field(state: &mut AppState) -> Option<&mut TextInput> {
    if state.popups.path().is_some() {
        return state.popups.path();
    }
    if state.screen == Screen::AddPet && state.add.import.on {
        let import = &mut state.add.import;
        return matches!(import.phase, Phase::File).then_some(&mut import.path);
    }
    state.form().filter(|form| form.place([false, true, false, false]))?.input()
}
