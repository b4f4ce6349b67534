//! What the tests of the app share: states in five lines, keys by name, frames as text.

mod hints;
pub mod looks;
pub(in crate::tui) mod loss;
mod pictures;
mod walk;

use std::any::{Any, type_name};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use uuid::Uuid;

use super::{App, Appearance, Effect, Job, Screen, Slot};
use crate::api::failure::RetryAfter;
use crate::api::{Coverage, Failure, List, ListAnswer, NextPage, Offers};
use crate::app::DomainSetup;
use crate::app::domain_service::DomainService;
use crate::app::outbox::queue::LineSent;
use crate::clock::{self, Now};
use crate::config::file::Ui;
use crate::config::{
    Accent, Depth, File, KeyOrigin, LinkSpeed, Profile, ProfileEntry, Profiles, Remote, Service, ServiceLocation,
    Settings,
};
use crate::domains::RegistryFile;
use crate::domains::check_options as domains;
use crate::model::{AddedBy, ApiKey, IdempotencyKeys, Pet, PetId, PetStatus, Provenance};

use super::job::{Answered, AnyJob, Ongoing, Reply, Started};
use super::msg::{Key, KeyPress, Msg, Size};
use super::pending::{PendingJobs, ReqId};
use super::start::start;
use super::theme::Theme;
use super::update::update;
use super::view::draw_whole;
use crate::tui::screens::add_pet::lines::{SendLine, WriteLines};
use crate::tui::screens::domains::update::KeepRegistry;
use crate::tui::screens::pets::reading::ListPets;
use crate::tui::screens::pets::reading::ReadInventory;

/// What most tests of the app name: the jobs, and what they answer.
pub(in crate::tui) mod prelude {
    pub(in crate::tui) use crate::api::failure::RetryAfter;
    pub(in crate::tui) use crate::api::find::LookupResult;
    pub(in crate::tui) use crate::api::follow::{AddedPet, EventPosition, Followed};
    pub(in crate::tui) use crate::api::{Coverage, Failure, ListAnswer, Offers};
    pub(in crate::tui) use crate::app::clipboard::ClipboardBackend;
    pub(in crate::tui) use crate::app::connections::{AddedProfile, Tested};
    pub(in crate::tui) use crate::app::outbox::SearchedPets;
    pub(in crate::tui) use crate::app::outbox::queue::{LineSent, QueueRecord, QueuedPet, SentAt, Unfinished};
    pub(in crate::tui) use crate::app::{CheckedFile, DomainSetup};
    pub(in crate::tui) use crate::config::{KeyOrigin, Service, Settings};
    pub(in crate::tui) use crate::local::complete::Completion;
    pub(in crate::tui) use crate::model::{
        ApiKey, Draft, Field, IdempotencyKeys, ObservedStatus, Pet, PetId, PetStatus,
    };
    pub(in crate::tui) use crate::transfer::earlier_import::EarlierImport;
    pub(in crate::tui) use crate::transfer::import::{ImportEnded, ImportProgress, Seen, Summary};
    pub(in crate::tui) use crate::transfer::preview::preview;
    pub(in crate::tui) use crate::transfer::{ColumnMapping, ImportSource, ImportedRow, Input, Start};
    pub(in crate::tui) use crate::tui::forms::CompletePath;
    pub(in crate::tui) use crate::tui::msg::{Msg, QuitReason, Size};
    pub(in crate::tui) use crate::tui::popups::key::{FindKeyFile, KeepKey, TestKey};
    pub(in crate::tui) use crate::tui::popups::text::CopyText;
    pub(in crate::tui) use crate::tui::popups::write::{Contents, NotWritten, WriteFile};
    pub(in crate::tui) use crate::tui::popups::{DEAF, KeyBox, Question, TextBox, WriteBox};
    pub(in crate::tui) use crate::tui::screens::add_pet::import::RunImport;
    pub(in crate::tui) use crate::tui::screens::add_pet::import::jobs::{CheckFile, ImportPart};
    pub(in crate::tui) use crate::tui::screens::add_pet::import::preview::UnusableFile;
    pub(in crate::tui) use crate::tui::screens::add_pet::lines::{SearchForLine, SendLine, WriteLines};
    pub(in crate::tui) use crate::tui::screens::domains::popups::resolvers::ChooseResolvers;
    pub(in crate::tui) use crate::tui::screens::domains::redirects::FollowRedirects;
    pub(in crate::tui) use crate::tui::screens::domains::scheduler::CheckDomain;
    pub(in crate::tui) use crate::tui::screens::domains::update::KeepRegistry;
    pub(in crate::tui) use crate::tui::screens::pets::history::ReadHistory;
    pub(in crate::tui) use crate::tui::screens::pets::popups::{AddView, FindPet};
    pub(in crate::tui) use crate::tui::screens::pets::reading::{AskProvenance, FollowPets, ListPets, ReadInventory};
    pub(in crate::tui) use crate::tui::screens::pets::update::AddSamples;
    pub(in crate::tui) use crate::tui::screens::profiles::form::{AddProfile, TryProfile};
    pub(in crate::tui) use crate::tui::screens::profiles::list::{ReadProfiles, TestProfile, UseProfile, Used};
    pub(in crate::tui) use crate::tui::session_cache::SessionCache;
    pub(in crate::tui) use crate::tui::testing::looks::Looks;
    pub(in crate::tui) use crate::tui::testing::loss::whole_at_every_size;
    pub(in crate::tui) use crate::tui::testing::{TestApp, animals, remote};
    pub(in crate::tui) use crate::tui::{Effect, Screen, Slot};
    pub(in crate::tui) use std::time::Duration;
}

pub fn appearance() -> Appearance {
    Appearance { ascii: true, theme: Theme::built_in("default"), depth: Depth::TrueColour, zone: TimeZone::UTC }
}

/// A state with its own clock, and the effects that wait for an answer.
pub struct TestApp {
    pub state: App,
    pub now: Now,
    pub effects: Vec<Effect>,
    pub appearance: Appearance,
    /// All jobs that were asked for.
    begun: Vec<Started>,
}

pub(super) fn job_of(effect: &Effect) -> Option<&Started> {
    if let Effect::Job(started) = effect { Some(started) } else { None }
}

/// The job, if it is of this kind.
pub(super) fn of_kind<J: Job>(started: &Started) -> Option<&J> {
    (&*started.job as &dyn Any).downcast_ref()
}

pub fn settings(service: Service) -> Settings {
    let name = if matches!(service, Service::Remote(_)) { "production" } else { "embedded" };
    Settings {
        name: name.into(),
        label: name.into(),
        accent: Accent::None,
        protect: false,
        read_only: false,
        ssh: None,
        service,
        config: File { ui: Ui { link: LinkSpeed::Fast, ..Ui::default() }, ..File::default() },
        categories: Arc::default(),
        ascii: true,
        accessible: false,
        origins: Vec::new(),
    }
}

pub fn remote() -> Service {
    Service::Remote(Remote {
        base_url: "https://api.example.com/v1".parse().unwrap(),
        key: Some(ApiKey::new("petk_0123456789abcdef77d0").unwrap()),
        key_origin: KeyOrigin::Environment("PETSTORE_API_KEY".into()),
        ca_file: None,
    })
}

/// The hands of the domains panel, where a test is not about it.
pub(super) fn no_domains_context() -> Arc<DomainService> {
    let settings =
        domains::CheckOptions { resolvers: Vec::new(), ..domains::CheckOptions::new(Default::default(), Vec::new()) };
    Arc::new(DomainService::new(
        RegistryFile::new("/nonexistent/domains.json"),
        "/nonexistent/config.toml".into(),
        settings,
    ))
}

/// Three profiles: the one inside, `staging` and `production`.
pub fn profiles() -> Profiles {
    let entry = |name: &str, place, key: &str, line| ProfileEntry {
        name: name.to_owned(),
        place,
        key: key.to_owned(),
        label: name.to_owned(),
        profile: Profile::default(),
        line,
    };
    let at = |host: &str| ServiceLocation::At(format!("https://{host}/v1"));
    let production = entry("production", at("api.example.com"), "from environment PETSTORE_API_KEY", Some(14));
    let protected = Profile { accent: Accent::Red, protect: true, ..Profile::default() };
    Profiles {
        entries: vec![
            entry("embedded", ServiceLocation::Inside, "not needed", None),
            ProfileEntry { label: "PRODUCTION".into(), profile: protected, ..production },
            entry("staging", at("staging.api.example.com"), "from the file ~/.config/petstore/keys/staging", Some(9)),
        ],
        default: "staging".into(),
        file: "/home/ada/.config/petstore/config.toml".into(),
    }
}

impl TestApp {
    pub fn started(service: Service, columns: u16, rows: u16) -> Self {
        Self::started_with(service, DomainSetup::default(), columns, rows)
    }

    pub(super) fn started_with(service: Service, domains: DomainSetup, columns: u16, rows: u16) -> Self {
        let now = Now { mono: clock::now().mono, wall: "2026-11-20T14:03:07Z".parse::<Timestamp>().unwrap() };
        let size = Size { columns, rows };
        Self::of(App::new(&settings(service), domains, size, IdempotencyKeys::new(Uuid::nil())), now)
    }

    /// Started with this state.
    pub(super) fn of(state: App, now: Now) -> Self {
        let mut app = Self { state, now, effects: Vec::new(), appearance: appearance(), begun: Vec::new() };
        start(&mut app.state, now);
        app.take_effects();
        app
    }

    /// What the state asked for waits for an answer.
    fn take_effects(&mut self) {
        let effects = self.state.take_effects();
        self.wait_for(effects);
    }

    fn wait_for(&mut self, effects: Vec<Effect>) {
        self.begun.extend(effects.iter().filter_map(job_of).cloned());
        self.effects.extend(effects);
    }

    /// The first start, where nothing is set up.
    pub(super) fn first_start(columns: u16, rows: u16) -> Self {
        let mut app = Self::started(Service::Embedded { database: "/d/embedded.db".into() }, columns, rows);
        app.state.screen = Screen::Welcome;
        app.state.pending = PendingJobs::default();
        (app.effects, app.begun) = (Vec::new(), Vec::new());
        start(&mut app.state, app.now);
        app.take_effects();
        let directories = ["config", "local/share", "local/state"].map(|at| format!("~/.{at}/petstore/"));
        app.state.welcome.directories = directories.into();
        app
    }

    /// Started, and every question answered from `pets` by a service without further pages.
    pub fn loaded(columns: u16, rows: u16) -> Self {
        Self::loaded_from(Service::Demo, columns, rows, &animals(39))
    }

    pub(super) fn loaded_from(service: Service, columns: u16, rows: u16, pets: &[Pet]) -> Self {
        let mut app = Self::started(service, columns, rows);
        app.answer_lists(pets);
        app.screen();
        app
    }

    pub fn name_categories(mut self, names: &str) -> Self {
        self.state.pets.categories = Arc::new(toml::from_str(names).unwrap());
        self
    }

    pub fn send(&mut self, msg: Msg) -> &mut Self {
        let effects = update(&mut self.state, msg, self.now);
        self.wait_for(effects);
        self
    }

    /// Begins a job that no key asked for.
    pub(super) fn begin(&mut self, job: impl Job) -> &mut Self {
        self.state.start(job, self.now);
        self.take_effects();
        self
    }

    /// Presses keys by name: `Enter`, `F2`, `C-c`, single letters; a text in quotes is typed.
    pub fn keys(&mut self, keys: &str) -> &mut Self {
        for key in parse_keys(keys) {
            self.send(Msg::Key(key));
            self.screen();
        }
        self
    }

    /// The app after these keys.
    pub fn after(mut self, keys: &str) -> Self {
        self.keys(keys);
        self
    }

    /// The app after the newest job of this kind has answered this.
    pub fn answered<J: Job>(mut self, answer: J::Answer) -> Self {
        self.answer::<J>(answer);
        self
    }

    /// The app after this was done with it.
    pub fn and(mut self, act: impl FnOnce(&mut Self)) -> Self {
        act(&mut self);
        self
    }

    /// The app some time later.
    pub fn later(mut self, time: Duration) -> Self {
        self.wait(time);
        self
    }

    pub fn in_monochrome(mut self) -> Self {
        self.state.theme = Theme::built_in("mono");
        self
    }

    pub fn wait(&mut self, time: Duration) -> &mut Self {
        self.now.mono += time;
        self.now.wall += jiff::SignedDuration::try_from(time).unwrap();
        self.send(Msg::Tick);
        self
    }

    /// What was typed is on disk, and the service answers that it is this pet.
    pub fn added(&mut self, pet: Pet) -> &mut Self {
        self.answer::<WriteLines>(Ok(()));
        self.answer_in::<SendLine>(Slot::Line(0), Ok(LineSent::Saved(pet)));
        self
    }

    /// The newest job of `slot` that was asked for.
    pub fn job(&self, slot: Slot) -> Option<Started> {
        let mut jobs = self.effects.iter().rev().filter_map(job_of);
        jobs.find(|started| started.job.slot() == slot).cloned()
    }

    /// The newest job of this kind that was asked for, unless one of another kind came after it in its slot.
    pub fn asked<J: Job + Clone>(&self) -> Option<J> {
        let newest: J = self.all_asked().pop()?;
        of_kind(&self.job(J::SLOT(&newest))?).cloned()
    }

    /// All jobs of this kind that were asked for.
    pub(super) fn all_asked<J: Job + Clone>(&self) -> Vec<J> {
        self.effects.iter().filter_map(job_of).filter_map(|started| of_kind::<J>(started).cloned()).collect()
    }

    /// What the newest job of this kind answers.
    pub fn answer<J: Job>(&mut self, answer: J::Answer) -> &mut Self {
        self.answer_to::<J>(self.newest::<J>(|_| true), answer);
        self
    }

    /// What the newest job in `slot` answers.
    pub fn answer_in<J: Job>(&mut self, slot: Slot, answer: J::Answer) -> &mut Self {
        self.answer_to::<J>(self.newest::<J>(|job| job.slot() == slot), answer);
        self
    }

    /// An answer to this job, whether it is still waited for or not.
    pub(super) fn answer_to<J: Job>(&mut self, id: ReqId, answer: J::Answer) {
        let job = self.begun::<J>(id);
        self.send(Msg::Reply(Reply::end(id, Box::new(Answered { job, answer, done: J::done }))));
    }

    /// What the newest job of this kind says while it goes on.
    pub(super) fn say<J: Ongoing>(&mut self, part: J::Part) -> &mut Self {
        self.say_to::<J>(self.newest::<J>(|_| true), part);
        self
    }

    /// What this job says while it goes on.
    pub(super) fn say_to<J: Ongoing>(&mut self, id: ReqId, part: J::Part) {
        let job = self.begun::<J>(id);
        self.send(Msg::Reply(Reply::part(id, &job, part)));
    }

    /// The newest job in `slot` could not start, or panicked.
    pub(super) fn fail(&mut self, slot: Slot, failure: Failure) -> &mut Self {
        let Started { id, job } = self.job(slot).unwrap_or_else(|| panic!("no job in {slot:?}"));
        self.send(Msg::Reply(Reply::end(id, job.failed(failure))))
    }

    fn newest<J: Job>(&self, such: impl Fn(&J) -> bool) -> ReqId {
        let mut jobs = self.effects.iter().rev().filter_map(job_of);
        let job = jobs.find(|started| of_kind(started).is_some_and(&such));
        job.unwrap_or_else(|| panic!("no {}", type_name::<J>())).id
    }

    fn begun<J: Job>(&self, id: ReqId) -> Arc<J> {
        let started = self.begun.iter().find(|started| started.id == id).unwrap();
        let job: Arc<dyn Any + Send + Sync> = Arc::<dyn AnyJob>::clone(&started.job);
        job.downcast().unwrap_or_else(|_| panic!("not {}", type_name::<J>()))
    }

    /// Answers every waiting write of the list of domains, as a disk that works.
    pub(super) fn reply_kept(&mut self) -> &mut Self {
        while let Some(at) = self.effects.iter().position(|e| job_of(e).and_then(of_kind::<KeepRegistry>).is_some()) {
            let Effect::Job(started) = self.effects.remove(at) else { continue };
            let mut list = self.state.domains.list.clone().unwrap_or_default();
            let KeepRegistry(changes) = of_kind(&started).unwrap();
            changes.iter().for_each(|change| change.apply(&mut list));
            self.answer_to::<KeepRegistry>(started.id, Ok(list));
        }
        self
    }

    /// Answers every waiting question for pets from `pets`.
    pub(super) fn answer_lists(&mut self, pets: &[Pet]) -> &mut Self {
        self.answer_limited(pets, usize::MAX)
    }

    /// The same, by a service that lists only so many of each status.
    pub(super) fn answer_limited(&mut self, pets: &[Pet], most: usize) -> &mut Self {
        let asks = |effect: &mut Effect| {
            let asked = job_of(effect);
            asked.is_some_and(|job| of_kind::<ListPets>(job).is_some() || of_kind::<ReadInventory>(job).is_some())
        };
        let of_status = |status: Option<PetStatus>| {
            let wanted = status.map(Into::into);
            pets.iter().filter(move |pet| wanted.is_none() || pet.status == wanted).cloned()
        };
        loop {
            let asked: Vec<_> = self.effects.extract_if(.., asks).collect();
            if asked.is_empty() {
                return self;
            }
            for effect in asked {
                let Effect::Job(started) = effect else { continue };
                if let Some(ListPets { query, .. }) = of_kind(&started) {
                    let rows = of_status(query.status).take(query.limit.get().into()).collect();
                    self.answer_to::<ListPets>(started.id, listed(rows, None));
                    continue;
                }
                let full = PetStatus::ALL.into_iter().filter(|status| of_status(Some(*status)).count() >= most);
                let full: Vec<_> = if pets.len() < most { Vec::new() } else { full.collect() };
                let complete = pets.len() < most;
                let listed = PetStatus::ALL.into_iter().flat_map(|status| of_status(Some(status)).take(most));
                let all = if complete { pets.to_vec() } else { listed.collect() };
                if self.state.pending.is_running(Slot::Inventory) {
                    self.say_to::<ReadInventory>(started.id, all);
                }
                let coverage = Coverage { requests: 4, complete, full, is_cut: false, from: None };
                self.answer_to::<ReadInventory>(started.id, Ok(coverage));
            }
        }
    }

    /// The frame as it is now; the layout is stored, as the loop does.
    pub fn buffer(&mut self) -> Buffer {
        let Size { columns, rows } = self.state.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        let appearance = Appearance { theme: Arc::clone(&self.state.theme), ..self.appearance.clone() };
        let frame = draw_whole(&self.state, &appearance, self.now, &mut buffer);
        self.state.layout = frame.layout;
        if let Some(cursor) = frame.cursor
            && let Some(cell) = buffer.cell_mut(cursor)
        {
            cell.modifier |= Modifier::SLOW_BLINK;
        }
        buffer
    }

    /// The letters of the frame, a line a row.
    pub fn screen(&mut self) -> String {
        letters(&self.buffer())
    }

    /// Whether the screen says this, wherever its lines are broken.
    pub fn says(&mut self, text: &str) -> bool {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        words(&self.screen().replace("\n ! ", "\n")).contains(&words(text))
    }

    /// Fails unless the screen says this, as `says` has it.
    #[track_caller]
    pub(super) fn shows(&mut self, text: &str) -> &mut Self {
        assert!(self.says(text), "{text:?} is missing:\n{}", self.screen());
        self
    }

    /// Fails if the screen says this.
    #[track_caller]
    pub(super) fn lacks(&mut self, text: &str) -> &mut Self {
        assert!(!self.says(text), "{text:?} is there:\n{}", self.screen());
        self
    }
}

/// A page with these pets.
pub fn listed(pets: Vec<Pet>, next: Option<NextPage>) -> Result<ListAnswer, Failure> {
    let (took, offers) = (Duration::from_millis(12), Offers { changes: true, ..Offers::default() });
    Ok(ListAnswer { list: Some(List::of(pets, next)), took, there: None, offers })
}

/// What the service answers with this status, code and message.
pub(super) fn refused_with(status: u16, code: &str, message: &str) -> Failure {
    let (code, message) = (Some(code.to_owned()), message.to_owned());
    Failure::Refused { status, code, message, retry_after: None, body: None }
}

/// What the service answers that cannot keep a pet.
pub(super) fn disk_full() -> Failure {
    let message = "The pet was not added: the disk of the database is full. Try again later.".to_owned();
    let (code, retry_after) = (Some("not_added".to_owned()), Some(RetryAfter::Seconds(1)));
    Failure::Refused { status: 503, code, message, retry_after, body: None }
}

/// What a service answers where the pet is not as it was seen.
pub(super) fn changed_meanwhile(pet: &Pet) -> Failure {
    let pet = serde_json::to_string(pet).unwrap();
    let body = format!("{{\"code\":\"changed\",\"message\":\"\",\"status\":409,\"pet\":{pet}}}");
    let (code, message) = (Some("changed".to_owned()), String::new());
    Failure::Refused { status: 409, code, message, retry_after: None, body: Some(body) }
}

/// What the service answers that does not know the key.
pub(super) fn unauthorized() -> Failure {
    refused_with(401, "unauthorized", "API key is not valid")
}

/// Pets are added by two tills, but for every third one, of which nothing was recorded.
pub(super) fn provenance(id: PetId) -> Provenance {
    let till = id % 3;
    if till == 0 {
        return Provenance::default();
    }
    let added_by = Some(AddedBy { key: format!("AB12cd3{till}"), name: Some(format!("till {till}")) });
    Provenance { added_at: Some("2026-11-20T14:03:00Z".parse().unwrap()), added_by }
}

pub(super) fn parse_keys(keys: &str) -> Vec<KeyPress> {
    let mut out = Vec::new();
    let mut rest = keys.trim_start();
    while !rest.is_empty() {
        if let Some(typed) = rest.strip_prefix('"') {
            let (text, after) = typed.split_once('"').unwrap();
            out.extend(text.chars().map(|c| KeyPress::from(Key::Char(c))));
            rest = after.trim_start();
            continue;
        }
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        out.push(match word {
            "Enter" => Key::Enter.into(),
            "Esc" => Key::Esc.into(),
            "Tab" => Key::Tab.into(),
            "S-Tab" => Key::BackTab.into(),
            "Up" => Key::Up.into(),
            "Down" => Key::Down.into(),
            "Left" => Key::Left.into(),
            "Right" => Key::Right.into(),
            "PgDn" => Key::PageDown.into(),
            "PgUp" => Key::PageUp.into(),
            "Home" => Key::Home.into(),
            "End" => Key::End.into(),
            "BS" => Key::Backspace.into(),
            "Del" => Key::Delete.into(),
            "Space" => Key::Char(' ').into(),
            "LF" => Key::LineFeed.into(),
            word if word.len() == 1 => Key::Char(word.chars().next().unwrap()).into(),
            word if word.starts_with('F') => Key::F(word[1..].parse().unwrap()).into(),
            "C-Left" => KeyPress { ctrl: true, ..Key::Left.into() },
            "C-Right" => KeyPress { ctrl: true, ..Key::Right.into() },
            "A-BS" => KeyPress { alt: true, ..Key::Backspace.into() },
            "A-Enter" => KeyPress { alt: true, ..Key::Enter.into() },
            word if word.starts_with("C-") => KeyPress { ctrl: true, ..Key::Char(word.chars().last().unwrap()).into() },
            word if word.starts_with("A-") => KeyPress { alt: true, ..Key::Char(word.chars().last().unwrap()).into() },
            word => panic!("unknown key {word}"),
        });
        rest = after.trim_start();
    }
    out
}

fn letters(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(crate::model::text::width(symbol).max(1)).unwrap();
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// The runs of a row that are not plain, as `from-to style`.
fn runs(buffer: &Buffer, y: u16) -> Vec<String> {
    let mut runs = Vec::new();
    let mut x = 0;
    while x < buffer.area.width {
        let name = style_name(buffer, x, y);
        let start = x;
        while x < buffer.area.width && style_name(buffer, x, y) == name {
            x += 1;
        }
        if !name.is_empty() {
            runs.push(format!("{start}-{} {name}", x - 1));
        }
    }
    runs
}

/// The first 16 colours, in order.
const FIRST_COLOURS: &str = "black red green yellow blue magenta cyan gray \
     darkgray lightred lightgreen lightyellow lightblue lightmagenta lightcyan white";

fn style_name(buffer: &Buffer, x: u16, y: u16) -> String {
    let cell = &buffer[(x, y)];
    let mut words = Vec::new();
    match cell.fg {
        Color::Reset => {}
        Color::Indexed(index @ 0..16) => words.extend(FIRST_COLOURS.split(' ').nth(index.into()).map(str::to_owned)),
        other => words.push(format!("{other:?}").to_lowercase()),
    }
    for (modifier, word) in [
        (Modifier::BOLD, "bold"),
        (Modifier::DIM, "dim"),
        (Modifier::REVERSED, "reverse"),
        (Modifier::UNDERLINED, "underline"),
        (Modifier::SLOW_BLINK, "CURSOR"),
    ] {
        if cell.modifier.contains(modifier) {
            words.push(word.to_owned());
        }
    }
    words.join(" ")
}

pub fn ids_of(pets: &[Pet]) -> Vec<PetId> {
    pets.iter().map(|pet| pet.id).collect()
}

/// `count` pets with fixed names, categories and statuses.
pub fn animals(count: usize) -> Vec<Pet> {
    const NAMES: &str = "Biscuit,Mr. Whiskers the Third of Springfield,Pochi,Zoe,eclair,Rex,Captain Fluff,Nibbles,Sir Barks-a-lot,\
         Mochi,Gordon,Pepper,Tank";
    let names: Vec<&str> = NAMES.split(',').collect();
    const CATEGORIES: [i64; 7] = [3, 1, 3, 2, 1, 7, 12];
    const STATUSES: [PetStatus; 5] =
        [PetStatus::Available, PetStatus::Pending, PetStatus::Available, PetStatus::Sold, PetStatus::Available];
    (0..count)
        .map(|at| Pet {
            id: 100_231 + i64::try_from(at).unwrap(),
            name: names[at % names.len()].to_owned(),
            category_id: CATEGORIES[at % CATEGORIES.len()],
            status: Some(STATUSES[at % STATUSES.len()].into()),
        })
        .collect()
}
