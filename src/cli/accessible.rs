//! `petstore --accessible`: the main tasks as questions and answers in plain lines, for screen readers, braille lines,
//! pipes, and terminals that can show nothing else. No cursor is moved, nothing is repainted, and nothing is meant by
//! colour or place alone.
//!
//! [`dialogue`] asks and answers; each task has a file of its own, and works with the library like the screen does.

mod add;
mod browse;
mod by_id;
pub mod dialogue;
mod domains;
mod import;
mod sandbox;
mod search;
mod unknown_outcome;
mod wizard;
mod words;

use std::collections::HashSet;
use std::future::Future;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use tokio::io::BufReader;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::api::{ApiError, Client, Failure};
use crate::clock::{self, Now};
use crate::config::{Choices, Env, Service, Settings};
use crate::model::{IdempotencyKeys, PetId};
use crate::tui::screens::domains::state::PanelSetup as DomainsSetup;
use crate::tui::worker::domains::DomainsContext;

use super::error::{Exit, Failed};
use super::output::{Content, out};
use super::signals::Signals;
use super::{service, setup};
use dialogue::{Asked, Dialogue, Leave};

/// What a session works with.
pub struct DialogueSetup {
    /// What the user decided.
    pub settings: Settings,
    /// Asks the service of the settings.
    pub client: Client,
    /// What the domains begin with.
    pub domains: DomainsSetup,
    /// The list of domains, and looks at them.
    pub domains_context: DomainsContext,
    /// The home directory, for `~/` in names of files.
    pub home: Option<PathBuf>,
    /// The time.
    pub clock: fn() -> Now,
}

/// A talk from its first to its last line.
pub struct Session {
    talk: Dialogue,
    setup: DialogueSetup,
    /// The service in a sentence.
    service: String,
    keys: IdempotencyKeys,
    /// It was said that animals may be added, or need not be.
    may_add: bool,
    /// The animals that were seen, which are none that is looked for.
    known: HashSet<PetId>,
    /// Those that were added here.
    added: Vec<PetId>,
}

/// What can be done.
#[derive(Clone, Copy)]
enum Task {
    Browse,
    Search,
    Add,
    ById,
    Import,
    CheckDomain,
    SetUpDomain,
    Practice,
    Quit,
}

impl Task {
    const ALL: [Self; 9] = [
        Self::Browse,
        Self::Search,
        Self::Add,
        Self::ById,
        Self::Import,
        Self::CheckDomain,
        Self::SetUpDomain,
        Self::Practice,
        Self::Quit,
    ];

    const fn words(self) -> &'static str {
        match self {
            Self::Browse => "browse animals",
            Self::Search => "search animals",
            Self::Add => "add animals",
            Self::ById => "get one animal by its id",
            Self::Import => "import a file of animals",
            Self::CheckDomain => "check a domain",
            Self::SetUpDomain => "set up a domain, step by step",
            Self::Practice => "practice: do what is done outside this program",
            Self::Quit => "quit",
        }
    }
}

/// Talks on standard input and output until it ends.
pub fn run(runtime: &Runtime, settings: Settings, choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    runtime.block_on(async {
        let (domains, domains_context) = setup::domains(choices, env)?;
        let (client, embedded) = service::connect(&settings).await?;
        let setup =
            DialogueSetup { settings, client, domains, domains_context, home: env.path("HOME"), clock: clock::now };
        let mut ends = Signals::new().map_err(|error| Failed::new(Exit::Failure, format!("cannot start: {error}")))?;
        let (interrupt, interrupts) = mpsc::channel(4);
        let echo = !io::stdin().is_terminal();
        let talk = Dialogue::new(BufReader::new(tokio::io::stdin()), out(Content::Lines), interrupts, echo);
        let ended = async {
            loop {
                match ends.next().await {
                    // Where some wait already, one more says nothing new.
                    Exit::Interrupt => drop(interrupt.try_send(())),
                    exit => return exit,
                }
            }
        };
        let session = Session::new(setup, talk);
        let result = tokio::select! {
            result = session.run() => result,
            exit = ended => Ok(exit),
        };
        if let Some(embedded) = embedded {
            embedded.stop().await;
        }
        result
    })
}

impl Session {
    /// A talk that has not begun.
    #[must_use]
    pub fn new(setup: DialogueSetup, talk: Dialogue) -> Self {
        let service = service::name(&setup.settings.service);
        let may_add = false;
        let keys = IdempotencyKeys::new(Uuid::new_v4());
        Self { talk, setup, service, keys, may_add, known: HashSet::new(), added: Vec::new() }
    }

    /// Talks until somebody ends it, or the input ends; says how the program ends then.
    pub async fn run(mut self) -> Result<Exit, Failed> {
        let leave = match self.greet() {
            Ok(()) => self.tasks().await,
            Err(leave) => leave,
        };
        match leave {
            Leave::Quit | Leave::Back | Leave::Stopped => {
                // Whoever read it may have gone.
                let _ = self.farewell();
                Ok(Exit::Done)
            }
            Leave::Interrupted => Ok(Exit::Interrupt),
            Leave::Broken(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Done),
            Leave::Broken(error) => Err(Failed::new(Exit::Failure, format!("cannot go on: {error}"))),
        }
    }

    fn greet(&mut self) -> Asked<()> {
        let place = self.place();
        self.talk.say(format!("petstore in plain lines. Animals are in {place}."))?;
        self.talk.say("At every question: help says what can be answered, back goes back, quit ends.")?;
        match &self.setup.settings.service {
            Service::Demo => self.talk.say("These are 250 samples; nothing is kept."),
            Service::Remote(remote) if remote.key.is_none() => {
                self.talk.say("No API key is set. Set PETSTORE_API_KEY, or start with --demo for samples.")
            }
            Service::Embedded { .. } | Service::Remote(_) => Ok(()),
        }
    }

    /// Where the animals are, with the name that the user gave it.
    fn place(&self) -> String {
        let Settings { label, service, .. } = &self.setup.settings;
        match service {
            Service::Remote(_) if *label != self.service => format!("{label}, {}", self.service),
            Service::Demo | Service::Embedded { .. } | Service::Remote(_) => self.service.clone(),
        }
    }

    fn farewell(&mut self) -> Asked<()> {
        let ids: Vec<String> = self.added.iter().map(PetId::to_string).collect();
        match ids.as_slice() {
            [] => {}
            [id] => self.talk.say(format!("1 animal was added by hand: id {id}."))?,
            [first, .., last] => {
                self.talk.say(format!("{} animals were added by hand: ids {first} to {last}.", ids.len()))?
            }
        }
        self.talk.say("Goodbye.")
    }

    /// One task after another, until one is left for good.
    async fn tasks(&mut self) -> Leave {
        let is_practice = self.setup.domains.sandbox.is_some();
        let tasks: Vec<Task> =
            Task::ALL.into_iter().filter(|task| is_practice || !matches!(task, Task::Practice)).collect();
        let words: Vec<&str> = tasks.iter().map(|task| task.words()).collect();
        loop {
            let chosen = self.talk.choose_again("Main menu", &words, None).await;
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
                Err(Leave::Back) => self.talk.say("This is the main menu. quit ends the program."),
                Err(leave) => Err(leave),
            };
            let said = match result {
                Ok(()) | Err(Leave::Back) => Ok(()),
                Err(Leave::Stopped) => self.talk.say("Stopped. Ctrl-C once more ends the program."),
                Err(leave) => Err(leave),
            };
            if let Err(leave) = said {
                return leave;
            }
        }
    }

    /// Waits for an answer of the service; a failure is told, and nothing comes then.
    async fn answer<T>(&mut self, work: impl Future<Output = Result<T, ApiError>>) -> Asked<Option<T>> {
        let waiting = format!("Still waiting for {}.", self.service);
        match self.talk.during(work, || waiting.clone()).await? {
            Ok(answer) => Ok(Some(answer)),
            Err(error) => {
                self.talk.say_all(words::failure(&Failure::from(&error), &self.service))?;
                Ok(None)
            }
        }
    }

    /// Whether so many animals may be added. The first time it is told how many and where; a protected profile is asked
    /// about, too.
    async fn may_add(&mut self, number: u64) -> Asked<bool> {
        if self.may_add {
            return Ok(true);
        }
        let animals = words::counted(number, "animal");
        self.talk.say(format!("This adds {animals} to {}.", self.place()))?;
        self.may_add = !self.setup.settings.protect
            || self.talk.is_yes("It is protected, and there is no undo. Go on?", false).await?;
        if !self.may_add {
            self.talk.say("Nothing was sent.")?;
        }
        Ok(self.may_add)
    }

    fn now(&self) -> Now {
        (self.setup.clock)()
    }
}
