//! `petstore --accessible`: the main tasks as questions and answers in plain lines, for screen readers, braille displays,
//! pipes and simple terminals. The cursor never moves, nothing is repainted, and no meaning depends on colour or position.
//!
//! [`prompt`] asks the questions; each task has its own file and uses the same library as the screens.

mod add;
mod domains;
mod import;
mod pets;
pub mod prompt;
mod session;
mod wizard;
mod words;

use strum::VariantArray as _;

use crate::config::Service;
use crate::model::text::short;
use crate::model::words::{counted, ids};

use prompt::{Asked, Leave};
pub use session::{DialogueSetup, Session};

/// A choice of the main menu.
#[derive(Clone, Copy, strum::AsRefStr, strum::VariantArray)]
enum Task {
    #[strum(serialize = "browse pets")]
    Browse,
    #[strum(serialize = "search pets")]
    Search,
    #[strum(serialize = "add pets")]
    Add,
    #[strum(serialize = "find a pet by its id")]
    ById,
    #[strum(serialize = "import a file of pets")]
    Import,
    #[strum(serialize = "check a domain")]
    CheckDomain,
    #[strum(serialize = "set up a domain, step by step")]
    SetUpDomain,
    #[strum(serialize = "practice: do a step outside petstore")]
    Practice,
    #[strum(serialize = "quit")]
    Quit,
}

impl Session {
    /// Runs until the user quits or the input ends; returns why.
    pub async fn run(&mut self) -> Leave {
        let leave = match self.greet() {
            Ok(()) => self.tasks().await,
            Err(leave) => leave,
        };
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
        if let Some(ssh) = self.setup.settings.ssh.as_ref().filter(|ssh| !ssh.message.is_empty()) {
            self.talk.say(&ssh.message)?;
        }
        if let Some(why) = self.setup.settings.why_read_only() {
            self.talk.say(format!("Nothing can be added: {why}."))?;
        }
        if let Some(file) = &self.setup.unfinished {
            let file = short(file);
            self.talk.say(format!("The import of {file} is not finished. Import that file again to continue it."))?;
        }
        if !self.setup.settings.read_only {
            self.open_queue()?;
        }
        match &self.setup.settings.service {
            Service::Demo => self.talk.say("These are 250 samples; changes are not kept."),
            Service::Remote(remote) if remote.key.is_none() => {
                self.talk.say("No API key is set. Set PETSTORE_API_KEY, or start with --demo for samples.")
            }
            Service::Embedded { .. } | Service::Remote(_) => Ok(()),
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

    /// One task after another, until the user quits.
    async fn tasks(&mut self) -> Leave {
        let is_practice = self.setup.domains.sandbox.is_some();
        let may_add = !self.setup.settings.read_only;
        let is_over_ssh = self.setup.settings.ssh.is_some();
        let tasks: Vec<_> = Task::VARIANTS
            .iter()
            .copied()
            .filter(|task| match task {
                Task::Practice => is_practice,
                Task::Add => may_add,
                Task::Import => may_add && !is_over_ssh,
                Task::CheckDomain | Task::SetUpDomain => !is_over_ssh,
                Task::Browse | Task::Search | Task::ById | Task::Quit => true,
            })
            .collect();
        loop {
            let chosen = self.talk.choose("Main menu", &tasks, None).await;
            let result = match chosen.map(|at| tasks[at]) {
                Ok(Task::Browse) => self.browse().await,
                Ok(Task::Search) => self.search().await,
                Ok(Task::Add) => self.add().await,
                Ok(Task::ById) => self.by_id().await,
                Ok(Task::Import) => self.import().await,
                Ok(Task::CheckDomain) => self.check_domain().await,
                Ok(Task::SetUpDomain) => self.set_up_domain().await,
                Ok(Task::Practice) => self.practise().await,
                Ok(Task::Quit) => Err(Leave::Quit),
                Err(Leave::Back) => self.talk.say("This is the main menu. quit ends petstore."),
                Err(leave) => Err(leave),
            };
            let shown = match result {
                Ok(()) | Err(Leave::Back) => Ok(()),
                Err(Leave::Stopped) => self.talk.say("Stopped. Ctrl-C again ends petstore."),
                Err(leave) => Err(leave),
            };
            if let Err(leave) = shown {
                return leave;
            }
        }
    }
}
