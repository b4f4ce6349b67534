//! `petstore --accessible`: the main tasks as questions and answers in plain lines, for screen readers, braille displays,
//! pipes and simple terminals. The cursor never moves, nothing is repainted, and no meaning depends on colour or position.
//!
//! [`prompt`] asks the questions; each task has its own file and uses the same library as the screens.

mod add;
mod change;
mod domains;
mod export;
mod import;
mod pets;
pub mod prompt;
mod session;
mod wizard;

use std::convert::Infallible;
use std::future::ready;

use futures_util::future::LocalBoxFuture;

use crate::config::Service;
use crate::model::words::ids;
use crate::model::{counted, short};

use prompt::{Asked, Leave};
pub use session::{DialogueSetup, Session};

/// A choice of the main menu: its name, where it is offered, and what it does.
type Task = (&'static str, fn(&Session) -> bool, fn(&mut Session) -> LocalBoxFuture<'_, Asked<()>>);

const TASKS: [Task; 12] = [
    ("browse pets", |_| true, |session| Box::pin(session.browse())),
    ("search pets", |_| true, |session| Box::pin(session.search())),
    ("add pets", may_add, |session| Box::pin(session.add())),
    ("find a pet by its id", |_| true, |session| Box::pin(session.by_id())),
    ("sell, reserve or return a pet", may_add, |session| Box::pin(session.change())),
    ("import a file of pets", |session| may_add(session) && is_local(session), |session| Box::pin(session.import())),
    ("count pets", |_| true, |session| Box::pin(session.count())),
    ("export pets to a file", is_local, |session| Box::pin(session.export())),
    ("check a domain", is_local, |session| Box::pin(session.check_domain())),
    ("set up a domain, step by step", is_local, |session| Box::pin(session.set_up_domain())),
    ("practice: do a step outside petstore", is_practice, |session| Box::pin(session.practise())),
    ("quit", |_| true, |_| Box::pin(ready(Err(Leave::Quit)))),
];

const fn may_add(session: &Session) -> bool {
    !session.settings.read_only
}

const fn is_local(session: &Session) -> bool {
    session.settings.ssh.is_none()
}

const fn is_practice(session: &Session) -> bool {
    session.setup.domains.practice.is_some()
}

impl Session {
    /// Runs until the user quits or the input ends; returns why.
    pub async fn run(&mut self) -> Leave {
        let Err(leave) = self.tasks().await;
        if matches!(leave, Leave::Quit | Leave::Back | Leave::Stopped) {
            // The reader may be gone.
            let _ = self.farewell();
        }
        leave
    }

    fn greet(&mut self) -> Asked<()> {
        let place = self.place();
        self.talk.say(format!("petstore in plain lines. Pets are in {place}."))?;
        self.talk.say("At every question: help explains the answers, back goes back, quit ends.")?;
        self.talk.say_all(self.settings.message())?;
        let why = self.settings.why_read_only();
        self.talk.say_all(why.map(|why| format!("Nothing can be added or changed: {why}.")))?;
        let unfinished = self.setup.unfinished.as_ref().map(|file| short(file));
        let continued = |file| format!("The import of {file} is not finished. Import that file again to continue it.");
        self.talk.say_all(unfinished.map(continued))?;
        if !self.settings.read_only {
            self.open_queue()?;
        }
        match &self.settings.service {
            Service::Demo => self.talk.say(
                "These are 250 samples; changes are not kept. For a first sale, type sell, then id 1, and press Enter.",
            ),
            Service::Remote(remote) if remote.key.is_none() => {
                self.talk.say("No API key is set. Set PETSTORE_API_KEY, or start with --demo for samples.")
            }
            _ => Ok(()),
        }
    }

    fn farewell(&mut self) -> Asked<()> {
        if !self.added.is_empty() {
            let pets = counted(self.added.len(), "pet");
            self.talk.say(format!("Added by hand: {pets}, {}.", ids(&self.added)))?;
        }
        self.close_queue()?;
        self.talk.say("Goodbye.")
    }

    /// Greets, and does one task after another until the user quits.
    async fn tasks(&mut self) -> Asked<Infallible> {
        self.greet()?;
        let tasks: Vec<_> = TASKS.iter().filter(|(_, is_offered, _)| is_offered(self)).collect();
        let names: Vec<_> = tasks.iter().map(|(name, ..)| name).collect();
        loop {
            let result = match self.talk.choose("Main menu", &names, None).await {
                Ok(at) => tasks[at].2(self).await,
                Err(Leave::Back) => self.talk.say("This is the main menu. quit ends petstore."),
                Err(leave) => Err(leave),
            };
            match result {
                Ok(()) | Err(Leave::Back) => {}
                Err(Leave::Stopped) => self.talk.say("Stopped. Ctrl-C again ends petstore.")?,
                Err(leave) => return Err(leave),
            }
        }
    }
}
