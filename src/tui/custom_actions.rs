//! The user's own actions: programs that run beside the app for the pet under the cursor, for the rows, or for what is
//! marked.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use super::keymap::PETS;
use super::popups::Question;
use super::popups::confirm::ask_of_service;
use super::popups::text::TextBox;
use super::{App, Env, Job, Now, Page, Slot};
use crate::config::file::ID;
use crate::config::{CustomAction, On};
use crate::local::log::line;
use crate::local::program::{command, output_of};
use crate::model::{Pet, short};

/// Runs an action that was chosen, unless it asks first.
pub fn choose(app: &mut App, number: usize, now: Now) {
    let Some(action) = app.actions.get(number).cloned() else { return };
    let pets: Vec<Pet> = match action.on {
        On::Rows if app.pets.marked.is_empty() => app.pets.rows_from(0).cloned().collect(),
        On::Pet | On::Rows => app.pets.chosen(),
    };
    let run = Run { number, action, pets };
    if let Some(why) = why_not(app, &run) {
        app.tell(why);
    } else if run.action.confirm || run.action.writes && app.link.protect {
        let title = format!("Run {}", run.action.name);
        let what = format!("{title} for {} of", run.subject());
        let details = [("Command", run.action.command.get_ref().join(" "))];
        let note = if run.action.writes { "It changes the service." } else { "" };
        let body = move |app: &App, page: &mut Page<'_>| ask_of_service(app, page, &what, &details, note);
        let no = |app: &mut App, _| app.tell("It was not run.");
        app.ask(Question::new(title, body, "Run it", |app, now| begin(app, run, now), no), now);
    } else {
        begin(app, run, now);
    }
}

/// Why an action cannot run now.
fn why_not(app: &App, run: &Run) -> Option<String> {
    let name = &run.action.name;
    if run.action.writes && app.link.read_only {
        return Some(format!("{name} cannot run: {}.", app.link.why_read_only()));
    }
    if run.pets.is_empty() {
        return Some("No pet is selected.".to_owned());
    }
    let is_running = app.pending.is_running(Slot::Action(run.number));
    is_running.then(|| format!("{name} is still running. Ctrl-C stops it."))
}

/// Runs it.
fn begin(app: &mut App, run: Run, now: Now) {
    app.tell(format!("{}: running for {}. Ctrl-C stops it.", run.action.name, run.subject()));
    app.start(run, now);
}

impl Job for Run {
    /// What the program printed.
    type Answer = Result<String, String>;
    const SLOT: fn(&Self) -> Slot = |job| Slot::Action(job.number);

    async fn run(self: Arc<Self>, _: Env) -> Self::Answer {
        self.output().await
    }

    fn done(&self, app: &mut App, ran: Self::Answer, now: Now) {
        let name = &self.action.name;
        let text = match ran {
            Ok(text) => text,
            Err(why) => return app.complain(format!("{name}: {why}.")),
        };
        let mut lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        match (lines.next(), lines.next()) {
            (None, _) => app.say_done(format!("{name}: done."), now.mono),
            (Some(line), None) if line.len() < 60 => app.say_done(format!("{name}: {}", short(line)), now.mono),
            (Some(_), _) if !app.popups.is_open() && app.place().name == PETS => {
                app.message = None;
                app.popups.show(TextBox::new("Output", text, "output"));
            }
            // Nothing covers what is typed elsewhere.
            (Some(line), _) => app.say_done(format!("{name}: {} …", short(line)), now.mono),
        }
    }
}

/// One run of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its number in the configuration.
    pub number: usize,
    pub action: CustomAction,
    /// What it gets.
    pub pets: Vec<Pet>,
}

impl Run {
    /// What it is about, in words.
    pub fn subject(&self) -> String {
        match self.pets.as_slice() {
            [pet] => format!("{} {}", pet.id, short(&pet.name)),
            pets => format!("{} rows", pets.len()),
        }
    }

    /// Runs its program without a shell: the pets are on its standard input, a JSON object a line.
    pub async fn output(&self) -> Result<String, String> {
        let ids = self.pets.iter().map(|pet| pet.id.to_string()).collect::<Vec<_>>().join(" ");
        let words = self.action.command.get_ref();
        let mut command = command(&words[0]);
        command.args(words[1..].iter().map(|word| word.replace(ID, &ids)));
        // Systems refuse to start a program with a longer variable.
        if ids.len() <= MOST_IDS {
            command.env("PETSTORE_IDS", &ids);
        }
        let input: Result<String, _> = self.pets.iter().map(line).collect();
        output_of(command, input.map_err(|error| error.to_string())?.as_bytes(), LIMIT).await
    }
}

/// How long a run may take.
const LIMIT: Duration = Duration::from_secs(60);
/// The most bytes of `PETSTORE_IDS`: Linux takes 128 KiB.
const MOST_IDS: usize = 100_000;
