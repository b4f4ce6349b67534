//! The list of profiles: how they answer, and switching to one.
//!
//! The worker reports when the new client is ready. Until then, nothing is sent that depends on the service;
//! afterwards, nothing of the previous service remains. Its typed text returns when the user switches back.

use std::sync::Arc;

use super::{State, form};
use crate::api::Failure;
use crate::app::Queue;
use crate::app::connections::Tested::{self, Answered, Failed, Unusable};
use crate::app::outbox::queue::Unfinished;
use crate::config::ServiceLocation::{self, At, Demo, Inside, Unclear};
use crate::config::{Accent, KeyOrigin, Origin, Profile, ProfileEntry, Profiles, Settings};
use crate::model::{BaseUrl, cut, shell_word, short, width};
use crate::tui::drafts::{self, Drafts};
use crate::tui::job::Changed;
use crate::tui::popups::help::ErrorBox;
use crate::tui::popups::{KeyBox, Question};
use crate::tui::screens::add_pet::{import, lines};
use crate::tui::screens::pets;
use crate::tui::screens::pets::change::StatusBox;
use crate::tui::screens::pets::edit::EditBox;
use crate::tui::screens::pets::popups::{LimitBox, LookupBox};
use crate::tui::session_cache::{SessionCache, read_kept};
use crate::tui::start::start;
use crate::tui::state::Link;
use crate::tui::{
    App, Command, Env, Health, Job, Now, Page, Place, SHORT_LIST, Screen, Slot, StyleRole, away_word, blocking, cells,
    command, copy, moved, moves, shown,
};

/// Why a session over SSH shows no profiles and asks for no key.
pub const ONE_SERVICE: &str = "A session over SSH has one service and one API key.";

pub const SHOW: Command = command("profiles", "P", "", "profiles", show)
    .everywhere()
    .not_over_ssh(ONE_SERVICE)
    .shell(|_| Some("profiles list".to_owned()));

static PROFILES: &[Command] = &[
    command("confirm", "Enter F2", "use", "use it", switch),
    command("test-profile", "t", "test", "test its service", test)
        .shell(|app| Some(format!("profiles test {}", shell_word(&app.profiles.entry()?.name)))),
    command("new-profile", "n a", "new", "a new profile", |app, _| app.profiles.form_open = true)
        .shell(|_| Some("profiles add NAME --base-url URL".to_owned())),
    command("refresh", "r F5", "", "read the file again", show),
    command("enter-key", "K F4", "key", "enter another key", enter_key),
    command("copy", "y", "copy address", "copy the address", copy_address),
    moves(SHORT_LIST, "", "move", |app, movement, _| {
        let entries = app.profiles.entries();
        let there = entries.get(moved(app.profiles.cursor(), movement, entries.len(), entries.len()));
        if let Some(name) = there.map(|entry| entry.name.clone()) {
            app.profiles.selected = name;
        }
    }),
    command("back", "Esc F3 q", "back", "back", |app, _| app.screen = app.profiles.from),
];

pub static LIST_PLACE: Place = Place::new("profiles", "Profiles", &[PROFILES]).around(around);

fn around(app: &mut App, command: &Command, now: Now) {
    let needs_one = !["back", "refresh", "new-profile"].contains(&command.name);
    if needs_one && app.profiles.list.is_none() && app.runs(Slot::Profiles) {
        return app.tell("The profiles are being read.");
    }
    command.run(app, now);
}

/// Shows the screen.
pub fn show(app: &mut App, now: Now) {
    app.cancel(Slot::TestKey);
    app.popups.take::<KeyBox>();
    if app.screen != Screen::Profiles {
        // Two screens that return to each other could never be left.
        app.profiles.from = match (app.screen, app.requests.back) {
            (Screen::Requests, Screen::Profiles) => app.profiles.from,
            (Screen::Requests, before) => before,
            (here, _) => here,
        };
        app.profiles.selected.clone_from(&app.link.name);
        app.screen = Screen::Profiles;
    }
    app.pets.searching = false;
    app.start(ReadProfiles, now);
}

fn test(app: &mut App, now: Now) {
    let Some(name) = app.profiles.entry().map(|entry| entry.name.clone()) else { return };
    app.profiles.testing.clone_from(&name);
    let in_use = name == app.link.name && !app.is_first_start();
    app.start(TestProfile { name, in_use }, now);
}

fn enter_key(app: &mut App, now: Now) {
    let Some(entry) = app.profiles.entry() else { return };
    if entry.name != app.link.name {
        let how = format!("K sets the API key of the profile in use. Press Enter to use {} first.", short(&entry.name));
        app.tell(how);
    } else if app.link.embedded {
        app.tell("The embedded store makes its own API key.");
    } else {
        app.open_key_box(false, now);
    }
}

fn copy_address(app: &mut App, now: Now) {
    match app.profiles.entry().map(|entry| entry.place.clone()) {
        Some(At(address)) => copy(app, address, "the address", now),
        Some(Inside | Demo) => app.tell("The embedded store has a new address each time."),
        Some(Unclear) | None => app.tell("No address to copy."),
    }
}

/// Reads the profiles.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadProfiles;

impl Job for ReadProfiles {
    type Answer = Result<Profiles, String>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Profiles;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        blocking(move || env.machine.services.profiles()).await
    }

    fn done(&self, app: &mut App, read: Self::Answer, _: Now) {
        match read {
            Ok(profiles) => app.profiles.list = Some(profiles),
            Err(why) => app.complain(format!("Cannot read the profiles: {why}")),
        }
    }
}

/// Tests a service by requesting one pet.
#[derive(Clone, Debug, PartialEq)]
pub struct TestProfile {
    pub name: String,
    /// It is the one in use: test it with the key in use, which may have been typed.
    pub in_use: bool,
}

impl Job for TestProfile {
    type Answer = Result<Tested, Failure>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::TestProfile;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        if self.in_use {
            return Ok(Tested::of(&env.api("profile test").await?).await);
        }
        let services = Arc::clone(&env.machine.services);
        Ok(services.test(move |services| services.settings(&self.name), env.recorder).await)
    }

    fn done(&self, app: &mut App, tested: Self::Answer, now: Now) {
        app.profiles.tests.insert(self.name.clone(), (now, tested.unwrap_or_else(Failed)));
    }
}

/// Switches to the selected service, unless a pet is being sent to the current one.
fn switch(app: &mut App, now: Now) {
    let Some(name) = app.profiles.entry().map(|entry| entry.name.clone()) else { return };
    if app.is_switching() {
        return app.tell(format!("Still switching to {}.", short(&app.profiles.using)));
    }
    if let Some(why) = why_not(app) {
        return app.complain(why);
    }
    if name == app.link.name && app.link.key.1 == KeyOrigin::Typed {
        // Reading the profile again would drop the typed key.
        let text = format!("{} is in use, with the key that you typed for this session.", short(&name));
        app.say_done(text, now.mono);
        return app.screen = app.profiles.from;
    }
    // The key being tested is for the service in use.
    app.cancel(Slot::TestKey);
    use_profile(app, name, now);
}

/// Switches to the service of this name.
pub fn use_profile(app: &mut App, name: String, now: Now) {
    app.profiles.using.clone_from(&name);
    app.tell(format!("Switching to {} ...", short(&name)));
    app.start(UseProfile(name), now);
}

/// Why another service cannot be switched to now.
fn why_not(app: &App) -> Option<String> {
    let service = &app.link.service;
    if app.runs(Slot::Samples) {
        return Some(format!("Samples are being sent to {service}. Wait for the answer, then switch."));
    }
    if !app.pets.sale.waiting.is_empty() {
        return Some(format!("Scanned pets are being looked up at {service}. Wait for them, then switch."));
    }
    import::update::why_not_switch(app).or_else(|| lines::why_not_switch(app))
}

/// Switches to the service of this name.
#[derive(Clone, Debug, PartialEq)]
pub struct UseProfile(pub String);

/// The service now in use.
#[derive(Clone, Debug, PartialEq)]
pub struct Used {
    /// The settings in use with it.
    pub settings: Arc<Settings>,
    pub kept: Option<SessionCache>,
    /// Its lines in the queue, or why they cannot be read.
    pub left: Result<Unfinished, String>,
    /// What an earlier session left of its text, or why that cannot be read.
    pub drafts: Result<Option<Drafts>, String>,
}

impl Job for UseProfile {
    type Answer = Result<Used, String>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::UseProfile;

    /// Resolves and connects. The client comes with the answer, so that nothing uses it where the change failed.
    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        let machine = Arc::clone(&env.machine);
        let resolve = move || {
            let settings = Arc::new(machine.services.settings(&self.0)?);
            let kept = machine.kept.as_ref().and_then(|kept| read_kept(kept, &settings));
            let identity = settings.identity();
            let (queue, left) = match machine.queues.of(identity.as_deref()) {
                Ok((queue, left)) => (queue, Ok(left)),
                Err(why) => (Queue::default(), Err(why)),
            };
            let drafts = match (&machine.drafts, &identity) {
                (Some(files), Some(identity)) => Drafts::open(files, identity),
                _ => Ok(None),
            };
            Ok::<_, String>((Used { settings, kept, left, drafts }, queue))
        };
        let (used, queue) = blocking(resolve).await?;
        let connected = (env.machine.services.connect)(Settings::clone(&used.settings)).await;
        let client = connected
            .map_err(|failure| if let Failure::NotStarted { why } = failure { why } else { String::from(failure) })?;
        let client = Some(client.recording(env.recorder));
        *env.changed.lock() = Changed { client, service: Some((Arc::clone(&used.settings), queue)) };
        Ok(used)
    }

    fn done(&self, app: &mut App, used: Self::Answer, now: Now) {
        match used {
            Ok(used) => on_used(app, used, now),
            // The previous service stays in use.
            Err(why) => {
                app.complain(format!("Cannot use {}; still using {}: {why}", short(&self.0), short(&app.link.name)));
            }
        }
    }
}

/// The switch is done: puts aside the text typed for the previous service, and restores the text for this one.
fn on_used(app: &mut App, used: Used, now: Now) {
    let Used { settings, kept, left, drafts } = used;
    app.cancel_all(Slot::is_about_service);
    let stays = drafts::leave(app, now);
    let before = std::mem::replace(&mut app.link, Link::of(&settings));
    app.allowed = false;
    app.pets = pets::State::new(&settings);
    app.last_failure = None;
    app.keep_again = false;
    if let Some(kept) = kept {
        kept.restore(app, now);
    }
    app.popups.take::<KeyBox>();
    app.popups.take::<LimitBox>();
    app.popups.take::<ErrorBox>();
    app.popups.take::<Question>();
    app.popups.take::<LookupBox>();
    app.popups.take::<StatusBox>();
    app.popups.take::<EditBox>();
    if app.screen == Screen::Profiles && !app.profiles.form_open {
        app.screen = app.profiles.from;
    }
    if app.screen == Screen::Welcome {
        app.screen = Screen::Pets;
    }
    let is_back = drafts::enter(app, drafts, now);
    if is_back && app.screen == Screen::Pets {
        app.screen = Screen::AddPet;
    }
    if app.link.read_only && app.screen == Screen::AddPet {
        app.screen = Screen::Pets;
    }
    let (name, service, before_name) = (short(&app.link.name), &app.link.service, short(&before.name));
    let using = format!("Using {name}: {service}.");
    let mut more = String::new();
    let key = app.link.origins.iter().find(|setting| setting.name == "key").map(|setting| &setting.origin);
    // To another host, although its profile does not name it.
    if let Some(Origin::Environment(variable)) = key
        && app.link.has_key()
        && *service != before.service
    {
        more += &format!(" The API key from {variable} is now sent to {service}.");
    }
    if before.key.1 == KeyOrigin::Typed {
        more += &format!(" The key typed for {before_name} was for this session and is forgotten.");
    }
    if stays {
        more += &format!(" Your text for {before_name} stays there.");
    }
    if is_back {
        more += " Your text here is restored.";
    }
    if more.is_empty() {
        app.say_done(using, now.mono)
    } else {
        app.tell(using + &more)
    }
    lines::restore(app, left);
    start(app, now);
}

/// The rows of the details, with their heading.
const DETAILS: u16 = 8;

/// Paints the list or the form.
pub fn draw(app: &App, page: &mut Page<'_>) {
    if app.profiles.form_open {
        return form::draw(app, page);
    }
    let rows = cells(app.profiles.entries().len().max(1));
    let list = page.take(2 + rows.min(page.area.height.saturating_sub(2 + DETAILS).max(3)));
    let details = page.rest();
    page.go_to(list);
    draw_list(app, page);
    page.go_to(details);
    if let Some(entry) = app.profiles.entry() {
        draw_details(entry, app, page);
    }
    if page.left() > 1 {
        page.gap();
        page.quiet("   All settings: petstore config show --origin");
    }
}

/// The widths of the columns name, address and key; 0 without room.
const fn widths(area: u16) -> [usize; 3] {
    match area {
        0..56 => [16, 0, 0],
        56..70 => [14, 24, 0],
        _ => [14, 30, 14],
    }
}

fn draw_list(app: &App, page: &mut Page<'_>) {
    let [name, address, key] = widths(page.area.width);
    let columns = |in_use| [("NAME", name), ("ADDRESS", address), ("KEY", key), ("", in_use), ("STATE", 30)];
    page.headings(&columns(0));
    let entries = app.profiles.entries();
    if entries.is_empty() {
        return page.line("   Reading the profiles ...");
    }
    // A row is left blank below.
    let rows = usize::from(page.left().saturating_sub(1).max(1));
    for (here, entry) in shown(entries.iter(), app.profiles.cursor(), rows) {
        let is_in_use = entry.name == app.link.name;
        let (word, role) = state_word(entry, app, page.now);
        let key = if is_in_use && app.link.key.1 == KeyOrigin::Typed { "typed" } else { key_word(&entry.key) };
        let [name, place, key] = [&entry.name, place(&entry.place), key].map(|text| (text, StyleRole::Text));
        page.click_row(here);
        let columns = columns(if is_in_use { 8 } else { 0 });
        page.row(here, &columns, &[name, place, key, ("in use", StyleRole::InUse), (&word, role)]);
    }
}

/// The last answer of a profile's service, in a word or two.
fn state_word(entry: &ProfileEntry, app: &App, now: Now) -> (String, StyleRole) {
    let State { testing, using, .. } = &app.profiles;
    for (slot, name, what) in [(Slot::UseProfile, using, "switching"), (Slot::TestProfile, testing, "testing")] {
        if let Some(since) = app.pending.since(slot).filter(|_| entry.name == *name) {
            return (format!("{what} {} s", now.seconds_since(since)), StyleRole::Wait);
        }
    }
    match last(entry, app) {
        None => (String::new(), StyleRole::Quiet),
        Some((_, Answered(took))) => (format!("OK {} ms", took.as_millis()), StyleRole::Good),
        Some((_, Failed(failure))) => (format!("! {}", away_word(&failure)), StyleRole::Error),
        Some((_, Unusable(_))) => ("! NOT USABLE".to_owned(), StyleRole::Error),
    }
}

/// The last test of a profile's service and its time. For the one in use, every answer counts.
fn last(entry: &ProfileEntry, app: &App) -> Option<(Option<Now>, Tested)> {
    let tested = app.profiles.tests.get(&entry.name).map(|(at, tested)| (Some(*at), tested.clone()));
    if entry.name != app.link.name {
        return tested;
    }
    match &app.link.health {
        Health::Unknown => tested,
        // Without a key nothing was sent.
        Health::KeyRefused { .. } if !app.link.has_key() => tested,
        Health::Away { failure, .. } | Health::KeyRefused { failure } => Some((None, Failed(failure.clone()))),
        Health::Ok { took } => {
            let read = app.pets.store.read();
            let newer = tested.filter(|(at, _)| at.map(|at| at.mono) >= read.map(|read| read.mono));
            newer.or(Some((read, Answered(*took))))
        }
    }
}

fn place(place: &ServiceLocation) -> &str {
    match place {
        Inside => "in this program",
        Demo => "in this program, sample data",
        At(address) => address,
        Unclear => "unclear",
    }
}

/// The name in sentences of the service at this address.
pub fn host(address: &str) -> String {
    address.parse::<BaseUrl>().map_or_else(|_| "the service".to_owned(), |address| address.authority())
}

/// Where a key comes from, in one word.
fn key_word(key: &str) -> &str {
    match key.strip_prefix("from ") {
        Some(source) => source.trim_start_matches("the ").split(' ').next().unwrap_or(source),
        None => key,
    }
}

/// The result of a test, as a sentence.
pub fn answer(tested: &Tested, service: &str) -> String {
    match tested {
        Answered(took) => format!("It answered in {} ms.", took.as_millis()),
        Failed(failure) => failure.sentence(service),
        Unusable(why) => why.clone(),
    }
}

fn draw_details(entry: &ProfileEntry, app: &App, page: &mut Page<'_>) {
    let appearance = page.appearance;
    let name = cut(&appearance.text(&entry.name), 40);
    let rule = appearance.rule(page.room(width(&name) + 10));
    page.heading(format!("   {} {name} {rule}", appearance.rule(3)));
    let file = app.profiles.list.as_ref().and_then(|list| list.file.file_name());
    let line = entry.line.zip(file).map_or(String::new(), |(line, file)| format!(" ({}, line {line})", file.display()));
    let embedded = "the embedded store".to_owned();
    let (address, service) = match &entry.place {
        At(address) => (address.as_str(), host(address)),
        Unclear => ("set either base_url or embedded, not both or neither", embedded),
        Inside | Demo => (place(&entry.place), embedded),
    };
    let answer = match last(entry, app) {
        None => "not tested yet: t tests it".to_owned(),
        Some((None, tested)) => answer(&tested, &service),
        Some((Some(at), tested)) => format!("{} ({})", answer(&tested, &service), appearance.time(at.wall)),
    };
    // That of the profile in use may have been typed.
    let key = match &app.link.key {
        _ if entry.name != app.link.name => entry.key.clone(),
        (ending, origin) if ending.is_empty() => origin.to_string(),
        (ending, origin) => format!("{origin}, ends in {ending}"),
    };
    let protect = match entry.profile {
        Profile { read_only: true, .. } => "read-only: nothing can be added",
        Profile { protect: true, .. } => "asks before the first change after each switch",
        _ => "no",
    };
    let accent = entry.profile.accent;
    let reversed = if accent == Accent::Red { ", reversed" } else { "" };
    let label = |name: &str| appearance.span(format!("   {name:<9} "), StyleRole::Quiet);
    for (name, value) in [
        ("Address", format!("{address}{line}")),
        ("Key", key),
        ("Protect", protect.to_owned()),
        ("Colour", format!("{accent}{reversed}; the word {}", entry.label)),
    ] {
        page.line(vec![label(name), cut(&appearance.text(&value), page.room(14)).into()]);
    }
    // The longest comes last and takes the remaining rows.
    page.behind(&label("Answer"), &answer, usize::MAX);
}
