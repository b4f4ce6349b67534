//! Everything the app knows. Owned by the event loop, changed by [`update`](super::update::update); of painting, the loop
//! notes here what is on the screen.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::api::{Exchange, Failure};
use crate::app::DomainSetup;
use crate::app::first_run::StartChoice;
use crate::config::{Accent, CustomAction, KeyOrigin, Service, Settings, Sourced, SshSession, Themes, read_only};
use crate::model::{BaseUrl, IdempotencyKeys, PetId};

use super::command::Reach;
use super::drafts::DraftState;
use super::job::{AnyJob as _, Started};
use super::key::Hint;
use super::keymap::Keymap;
use super::pending::PendingJobs;
use super::popups::stack::Popups;
use super::screens::domains::state::{self as domains, Location};
use super::screens::{add_pet, pets, profiles};
use super::theme::Theme;
use super::widgets::form::Known;
use super::widgets::page::FrameLayout;
use super::{Command, Effect, Form, Job, Now, Slot};

pub use super::screens::Screen;

/// The whole state.
#[derive(Debug, Default)]
pub struct App {
    /// The terminal's size.
    pub size: Size,
    /// Which screen is shown.
    pub screen: Screen,
    /// The boxes over it.
    pub popups: Popups,
    /// The table of pets.
    pub pets: pets::State,
    /// The add form.
    pub add: add_pet::State,
    /// The domains panel.
    pub domains: domains::State,
    pub profiles: profiles::State,
    /// What is typed, on disk.
    pub drafts: DraftState,
    /// Whether a change was allowed since the service in use is in use.
    pub allowed: bool,
    /// What was asked and answered.
    pub requests: RequestLog,
    /// The first start.
    pub welcome: FirstStart,
    /// The service in use.
    pub link: Link,
    /// The jobs that are waited for.
    pub pending: PendingJobs,
    /// The last message.
    pub message: Option<Message>,
    /// The last failure, for the full view.
    pub last_failure: Option<Failure>,
    /// The session cache has changed while it was being written.
    pub keep_again: bool,
    /// It was reported that the session cache cannot be written.
    pub cache_failure_shown: bool,
    /// Which colours are used.
    pub theme: Arc<Theme>,
    /// Those that can be chosen.
    pub themes: Arc<Themes>,
    /// The terminal reports the mouse.
    pub mouse: bool,
    /// What could not be used of the user's files at the start, a sentence each.
    pub complaints: Vec<String>,
    /// The user's own actions.
    pub actions: Arc<[CustomAction]>,
    /// What each key does.
    pub keymap: Arc<Keymap>,
    /// The connection to the terminal is slow: clocks update less often.
    pub slow_line: bool,
    /// The terminal has no focus: clocks and changes by others update less often.
    pub unwatched: bool,
    /// What the last frame learned.
    pub layout: FrameLayout,
    /// The row that the last frame marks, while nothing but the cursor among the pets has moved since.
    pub drawn_row: Option<usize>,
    /// The panes beside the list of pets come a frame after its first rows: on a slow connection each part takes time.
    pub panes_wait: bool,
    /// The message just taken has moved the cursor among the pets, and changed nothing else.
    pub only_moved: bool,
    /// Makes the keys of creations.
    pub keys: IdempotencyKeys,
    /// The ids of the pets that were added in this session, newest last.
    pub added: Vec<PetId>,
    /// How many more were added by imports and as samples.
    pub added_in_bulk: u64,
    /// When the program has stopped itself, or was back after that: SIGCONT is still to come, if anything stopped it.
    pub suspended: Option<Instant>,
    /// Set when the program is to end.
    pub quitting: Option<QuitReason>,
    /// When something was last typed, or the app began.
    pub used: Option<Instant>,
    /// When Ctrl-C was last pressed.
    pub interrupted: Option<Instant>,
    /// When Enter was last pressed, to tell the second half of a CR LF.
    pub entered: Option<Instant>,
    /// What was asked for since it was last taken.
    effects: Vec<Effect>,
}

/// The service in use.
#[derive(Clone, Debug, Default)]
pub struct Link {
    /// The profile's name.
    pub name: String,
    /// The word for it in the header.
    pub label: String,
    /// Ask before the first change, and again after each switch to it.
    pub protect: bool,
    /// Refuse every change.
    pub read_only: bool,
    /// The session over SSH that this is.
    pub ssh: Option<SshSession>,
    /// The colour of that word.
    pub accent: Accent,
    /// How sentences call the service: its host, or `the embedded store`.
    pub service: String,
    /// Whether it runs inside this program.
    pub embedded: bool,
    /// Its address; none for the one inside, which has another one each time.
    pub address: Option<BaseUrl>,
    /// Identifies its data; none if they end with the session.
    pub identity: Option<String>,
    /// The options that a command needs to use it, with a blank before; empty for the default service.
    pub flags: String,
    /// The end of the key in use, and where it came from.
    pub key: (String, KeyOrigin),
    /// Where each setting in force came from.
    pub origins: Vec<Sourced>,
    /// How it is.
    pub health: Health,
    /// The time by its clock in an answer, and when that came.
    pub dated: Option<(Timestamp, Instant)>,
}

/// How the service is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Health {
    /// Nothing has come back yet.
    #[default]
    Unknown,
    /// The last question was answered, and how fast.
    Ok { took: Duration },
    /// The last questions, so many in a row, were not answered as they should be: why not, and when the next one is asked,
    /// if that helps.
    Away { failure: Failure, tries: u32, next_try: Option<Instant> },
    /// The key was not accepted, with this answer. Nothing is asked until there is another.
    KeyRefused { failure: Failure },
}

impl Health {
    /// When the service is asked again, if it was not there and that may pass.
    pub const fn next_try(&self) -> Option<Instant> {
        if let Self::Away { next_try, .. } = self { *next_try } else { None }
    }
}

/// A sentence on the message line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What happened, what was kept, what to do next. Safe to show.
    pub text: String,
    /// Errors stay until something replaces them.
    pub kind: MessageKind,
    /// When it disappears.
    pub until: Option<Instant>,
}

/// How a message is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// Something went well.
    Done,
    /// Something to know.
    Note,
    /// Something to correct.
    Error,
}

impl Link {
    /// The service that these settings name: nothing has come back from it yet.
    pub fn of(settings: &Settings) -> Self {
        let (service, address, key) = match &settings.service {
            Service::Demo | Service::Embedded { .. } => {
                ("the embedded store".to_owned(), None, (String::new(), KeyOrigin::Embedded))
            }
            Service::Remote(remote) => {
                let ending = remote.key.as_ref().map_or(String::new(), |key| key.ending().to_owned());
                let key = (ending, remote.key_origin.clone());
                (remote.base_url.authority(), Some(remote.base_url.clone()), key)
            }
        };
        Self {
            name: settings.name.clone(),
            label: settings.label.clone(),
            protect: settings.protect,
            read_only: settings.read_only,
            ssh: settings.ssh.clone(),
            accent: settings.accent,
            service,
            embedded: address.is_none(),
            address,
            identity: settings.identity(),
            flags: settings.flags(),
            key,
            origins: settings.origins.clone(),
            ..Self::default()
        }
    }

    /// The time by its clock at `at`, if known.
    pub fn time(&self, at: Instant) -> Option<Timestamp> {
        let (date, came) = self.dated?;
        date.checked_add(at.saturating_duration_since(came)).ok()
    }

    /// Why nothing can be added, as a sentence; `None` where pets can be added.
    pub fn why_no_changes(&self) -> Option<String> {
        self.read_only.then(|| format!("Nothing can be added or changed: {}.", self.why_read_only()))
    }

    /// Why nothing can be added.
    pub fn why_read_only(&self) -> String {
        read_only(&self.label, self.ssh.is_some())
    }

    /// Whether the last question was answered.
    pub const fn health_is_ok(&self) -> bool {
        matches!(self.health, Health::Ok { .. })
    }

    /// Whether requests carry a key at all.
    pub fn has_key(&self) -> bool {
        self.key.1 != KeyOrigin::Absent
    }
}

/// The first start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstStart {
    /// The directories that will be written.
    pub directories: Vec<String>,
    /// The marked option, from 0.
    pub cursor: usize,
    /// What was chosen: the program starts again with it.
    pub chosen: Option<StartChoice>,
}

/// How many exchanges are kept.
pub const REQUESTS_KEPT: usize = 500;

/// What was asked in this session, and where the cursor is.
#[derive(Clone, Debug, Default)]
pub struct RequestLog {
    /// The newest exchanges, the newest first.
    pub rows: VecDeque<Exchange>,
    /// How many there were in this session.
    pub total: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many were not recorded, because more came at once than can wait.
    pub missed: u64,
    /// The row under the cursor.
    pub cursor: usize,
    /// The screen that Esc goes back to.
    pub back: Screen,
}

/// Whether an exchange gave no success: it was refused, or no whole answer came, though nobody cancelled it.
pub fn has_failed(exchange: &Exchange) -> bool {
    // A list that has not changed is answered 304.
    let is_cancelled = exchange.failure.as_deref() == Some("cancelled");
    let is_good = exchange.status.map_or(is_cancelled, |status| matches!(status, 200..=299 | 304));
    !is_good || exchange.failure.is_some() && !is_cancelled
}

impl RequestLog {
    /// Takes a new exchange; `missed` are those before it that could not be recorded. The cursor stays on the one that
    /// it is on.
    pub fn take(&mut self, exchange: Exchange, missed: u64) {
        self.missed += missed;
        self.total += 1;
        self.failed += u64::from(has_failed(&exchange));
        self.rows.push_front(exchange);
        self.rows.truncate(REQUESTS_KEPT);
        if self.rows.len() > 1 {
            self.cursor = (self.cursor + 1).min(self.rows.len() - 1);
        }
    }

    /// The exchange under the cursor.
    pub fn selected(&self) -> Option<&Exchange> {
        self.rows.get(self.cursor)
    }
}

/// Why the app ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuitReason {
    /// The user asked for it.
    User,
    /// SIGINT from outside; Ctrl-C in the terminal is a key.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGQUIT.
    Quit,
    /// SIGHUP, or the terminal is gone.
    Hangup,
    /// A session over SSH in which nothing was typed for its idle limit.
    Idle,
    /// A session over SSH whose person may not log in any more.
    Revoked,
    /// A session over SSH whose person has opened another one, which has the drafts from then on.
    TakenOver,
}

/// Columns and rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Width in cells.
    pub columns: u16,
    /// Height in cells.
    pub rows: u16,
}

impl App {
    /// The state at start: nothing known, the list about to be asked for.
    pub fn new(settings: &Settings, domains: DomainSetup, size: Size, keys: IdempotencyKeys) -> Self {
        Self {
            size,
            pets: pets::State::new(settings),
            add: add_pet::State::new(),
            domains: domains::State::new(domains),
            profiles: profiles::State { form: profiles::new_form(), ..profiles::State::default() },
            link: Link::of(settings),
            theme: Theme::named(settings.config.ui.theme.get_ref(), &settings.config.themes),
            themes: Arc::clone(&settings.config.themes),
            mouse: settings.config.ui.mouse,
            actions: Arc::clone(&settings.config.actions),
            keys,
            ..Self::default()
        }
    }

    /// The form that is shown.
    pub fn form(&mut self) -> Option<&mut Form> {
        if self.popups.form().is_some() {
            return self.popups.form();
        }
        match self.screen {
            Screen::Profiles if self.profiles.form_open => Some(&mut self.profiles.form),
            Screen::Domains if self.domains.place == Location::Removal => Some(&mut self.domains.removal),
            Screen::Domains => Some(&mut self.domains.wizard.form),
            Screen::AddPet => Some(&mut self.add.form),
            Screen::Pets | Screen::Profiles | Screen::Requests | Screen::Welcome => None,
        }
    }

    /// What its checks compare values with.
    pub fn known(&self) -> Known<'_> {
        Known { profiles: self.profiles.entries(), categories: &self.pets.categories }
    }

    /// Shows a message until another one replaces it.
    pub fn say(&mut self, kind: MessageKind, text: impl Into<String>) {
        self.message = Some(Message { text: text.into(), kind, until: None });
    }

    /// The same for so long at most.
    pub fn say_for(&mut self, time: Duration, kind: MessageKind, text: impl Into<String>, now: Instant) {
        self.message = Some(Message { text: text.into(), kind, until: Some(now + time) });
    }

    /// Shows something to know.
    pub fn tell(&mut self, text: impl Into<String>) {
        self.say(MessageKind::Note, text);
    }

    /// Shows something to correct.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.say(MessageKind::Error, text);
    }

    /// Shows a success for five seconds or until the next key.
    pub fn say_done(&mut self, text: impl Into<String>, now: Instant) {
        self.say_for(Duration::from_secs(5), MessageKind::Done, text, now);
    }

    /// Asks the loop for it, after what was asked for before.
    pub fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Asks the worker for a job, and waits for its reply; for one in the same slot no longer.
    pub fn start(&mut self, job: impl Job, now: Now) {
        let id = self.pending.begin(job.slot(), now.mono);
        self.effect(Effect::Job(Started { id, job: Arc::new(job) }));
    }

    /// The same, unless one is waited for in its slot.
    pub fn start_if_free(&mut self, job: impl Job, now: Now) {
        if !self.runs(job.slot()) {
            self.start(job, now);
        }
    }

    /// Whether anything runs in `slot`.
    pub fn runs(&self, slot: Slot) -> bool {
        self.pending.is_running(slot)
    }

    /// Gives up what runs in `slot`; whether anything did.
    pub fn cancel(&mut self, slot: Slot) -> bool {
        self.cancel_all(|running| running == slot)
    }

    /// The same in all matching slots.
    pub fn cancel_all(&mut self, such: impl Fn(Slot) -> bool) -> bool {
        let stopped = self.pending.forget_all(such);
        self.effects.extend(stopped.iter().copied().map(Effect::Cancel));
        !stopped.is_empty()
    }

    /// What was asked for since it was last taken, in that order.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// Whether another service is being changed to: nothing may be sent for which it matters which one it is.
    pub fn is_switching(&self) -> bool {
        self.runs(Slot::UseProfile)
    }

    /// Whether changes may be made to the service in use without asking.
    pub const fn may_change(&self) -> bool {
        !self.link.read_only && (!self.link.protect || self.allowed)
    }

    /// When a session over SSH ends because nothing is typed.
    pub fn idle_end(&self) -> Option<Instant> {
        self.used?.checked_add(self.link.ssh.as_ref()?.idle?)
    }

    /// The keys that the bottom line names, with their words: those of the place that do something in this state.
    pub fn hints(&self) -> Vec<Hint> {
        self.keymap.hints(self.place(), |command| command.hint(self))
    }

    /// Says why nothing can be added, for a read-only profile; `false` for others.
    pub fn refuses_changes(&mut self) -> bool {
        self.link.why_no_changes().map(|why| self.tell(why)).is_some()
    }

    /// Whether no service is chosen yet: at the first start, and among the profiles that were reached from there.
    pub fn is_first_start(&self) -> bool {
        match self.screen {
            Screen::Welcome => true,
            Screen::Profiles => self.profiles.from == Screen::Welcome,
            Screen::Pets | Screen::AddPet | Screen::Domains | Screen::Requests => false,
        }
    }

    /// Whether a command may be given. Before a service is chosen, the others would ask one, or show a screen that has
    /// nothing to show yet.
    pub fn allows(&self, command: &Command) -> bool {
        command.reach != Reach::Everywhere || !self.is_first_start()
    }

    /// Whether the key was refused, or there is none.
    pub fn key_refused(&self) -> bool {
        matches!(self.link.health, Health::KeyRefused { .. })
    }
}
