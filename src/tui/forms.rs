//! The keys of every form, and of every field with a path.

use std::sync::Arc;

use super::command::LETTERS;
use super::screens::add_pet::import::Phase;
use super::widgets::form::Form;
use super::{App, Command, Env, Job, Now, Screen, Slot, TextInput, Typing, blocking, command, moves};
use crate::local::complete::Completion;
use crate::model::words::list;
use crate::model::{counted, short};

pub const NEXT: Command =
    command("next-field", "Tab Enter down", "next", "next field", |app, _| on_form(app, |form| form.go(true)))
        .called("Tab/Enter");
pub const PREVIOUS: Command =
    command("previous-field", "S-Tab up", "", "previous field", |app, _| on_form(app, |form| form.go(false)));
pub const CONFIRM: Command = command("confirm", "Enter", "", "next field", |app, _| on_form(app, |form| form.go(true)));
pub const CHOOSE: Command =
    moves(LETTERS, "choose", "choose", |app, movement, _| on_form(app, |form| form.choose(movement)));
pub const TOGGLE: Command = command("toggle", "Space", "", "change it", |app, _| on_form(app, Form::toggle));

/// Puts typed text into the field in use. Returns whether the end of it found no room.
pub fn on_typing(app: &mut App, typing: Typing<'_>) -> bool {
    app.message = None;
    app.form().is_some_and(|form| form.take(typing))
}

/// Whether nothing is wrong with the form in use; else goes to the first field to fix, and says that `nothing` was done.
pub fn passes(app: &mut App, nothing: &str) -> bool {
    let mut form = app.form().cloned().unwrap_or_default();
    let wrong = form.check(&app.known());
    on_form(app, |shown| *shown = form);
    if wrong > 0 {
        app.complain(format!("Fix {} first. {nothing}", counted(wrong, "field")));
    }
    wrong == 0
}

fn on_form(app: &mut App, act: impl FnOnce(&mut Form)) {
    app.message = None;
    if let Some(form) = app.form() {
        act(form);
    }
}

pub const COMPLETE: Command = command("complete", "Tab", "complete", "complete the path", ask).always();

/// Asks for what begins as typed.
fn ask(app: &mut App, now: Now) {
    let Some(typed) = field(app).map(|path| path.value().to_owned()) else { return };
    app.start(CompletePath(typed), now);
}

/// Finds what begins like this path.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletePath(pub String);

impl Job for CompletePath {
    type Answer = Result<Completion, String>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::CompletePath;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        blocking(move || Ok(env.machine.complete(&self.0))).await
    }

    /// The path grows as far as it is certain; then the names that are possible are listed.
    fn done(&self, app: &mut App, completion: Self::Answer, _: Now) {
        let Completion { more, names } = match completion {
            Ok(completion) => completion,
            Err(why) => return app.complain(why),
        };
        let Some(path) = field(app).filter(|path| path.value() == self.0) else { return };
        if !more.is_empty() {
            *path = TextInput::new(format!("{}{more}", self.0));
            return;
        }
        app.tell(match names.as_slice() {
            [] => "No file begins like this.".to_owned(),
            [_] => "The path is complete.".to_owned(),
            names => format!("{}.", list(names.iter().map(|name| short(name)))),
        })
    }
}

/// The field with a path, if it has the cursor.
fn field(app: &mut App) -> Option<&mut TextInput> {
    if app.popups.path().is_some() {
        return app.popups.path();
    }
    if app.screen == Screen::AddPet && app.add.import.on {
        let import = &mut app.add.import;
        return matches!(import.phase, Phase::File).then_some(&mut import.path);
    }
    app.form().filter(|form| form.place([false, true, false, false]))?.input()
}
