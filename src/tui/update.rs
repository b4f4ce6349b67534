//! What follows from what: the one place where the state changes, but for what the loop notes of painting. Pure; wildcard
//! arms only where a condition comes first, so that nothing is swallowed.

use std::time::{Duration, Instant};

use super::command::{Reach, Run, edit};
use super::deadline::can_refresh;
use super::keymap::{GLOBAL, PETS, TEXT};
use super::msg::{KeyPress, MOST_PASTED, MouseEvent, Msg, QuitReason, Reply};
use super::paste_detection::Expected;
use super::screens::add_pet::{self, import, lines};
use super::screens::domains::popups::practice::NO_DOMAINS;
use super::screens::{domains, pets, profiles, requests};
use super::text_input::{Edit, MAX_BYTES, To};
use super::{
    App, Command, Effect, Key, MessageKind, Now, Place, Popup, Screen, Slot, Target, Typing, command, custom_actions,
    drafts, forms, popups,
};

/// The keys in every text field.
static TEXT_FIELD: &[Command] = &[
    edit("edit-left", "left", "cursor", Edit::Go(To::Left)),
    edit("edit-right", "right", "cursor", Edit::Go(To::Right)),
    edit("edit-word-left", "Alt-B Ctrl-Left", "word left", Edit::Go(To::WordLeft)),
    edit("edit-word-right", "Alt-F Ctrl-Right", "word right", Edit::Go(To::WordRight)),
    edit("edit-start", "Home Ctrl-A", "start, end", Edit::Go(To::Start)),
    edit("edit-end", "End Ctrl-E", "start, end", Edit::Go(To::End)),
    edit("edit-backspace", "Backspace", "delete", Edit::Clear(To::Left)),
    edit("edit-delete", "Del", "delete", Edit::Clear(To::Right)),
    edit("edit-clear-word", "Ctrl-W", "clear to a blank", Edit::Clear(To::Blank)),
    edit("edit-clear-word-left", "Alt-Backspace", "clear word left", Edit::Clear(To::WordLeft)),
    edit("edit-clear-word-right", "Alt-D", "clear word right", Edit::Clear(To::WordRight)),
    edit("edit-clear-to-start", "Ctrl-U", "clear to start, to end", Edit::Clear(To::Start)),
    edit("edit-clear-to-end", "Ctrl-K", "clear to start, to end", Edit::Clear(To::End)),
];

pub static TEXT_FIELD_PLACE: Place = Place::new(TEXT, "Text fields", &[TEXT_FIELD]).text();

impl Command {
    /// Does it.
    pub fn run(&self, app: &mut App, now: Now) {
        match self.run {
            Run::Do(run) => run(app, now),
            Run::Own(number) => custom_actions::choose(app, number, now),
            Run::Move(go, movement) => go(app, movement, now),
            Run::Edit(edit) => _ = on_typing(app, Typing::Edit(edit), now),
        }
    }

    /// Does it, chosen by its key or from the list of all commands.
    pub fn act(&self, app: &mut App, now: Now) {
        if !app.allows(self) {
            return app.tell("Choose how to start first.");
        }
        if let Some(why) = self.why_not(&app.link) {
            return app.tell(why);
        }
        if self.reach == Reach::Here { (self.place.around)(app, self, now) } else { self.run(app, now) }
    }
}

/// Two presses of Ctrl-C within this time end the program.
const TWICE: Duration = Duration::from_secs(2);

/// SIGCONT comes this soon after the end of a stop. Where no shell could continue the program, nothing stops it.
const SIGCONT: Duration = Duration::from_secs(1);

/// How many rows the wheel goes on at a time.
const WHEEL: usize = 3;

/// A line feed this soon after Enter is the second half of a CR LF, as scanners send it.
const SAME_LINE_END: Duration = Duration::from_millis(50);

/// What works everywhere outside text; function keys and Ctrl keys of it also in text. The last one leads to those that the
/// help has no room for.
static EVERYWHERE: &[Command] = &[
    command("show-pets", "1", "", "Pets, Add, Domains", import::update::show_pets)
        .everywhere()
        .shell(pets::update::list_line),
    command("show-add", "2", "", "Pets, Add, Domains", |app, _| {
        (app.screen, app.pets.searching) = (Screen::AddPet, false);
    })
    .everywhere()
    .adds()
    .shell(add_pet::form::add_line),
    command("show-domains", "3", "", "Pets, Add, Domains", domains::update::show)
        .everywhere()
        .not_over_ssh(NO_DOMAINS)
        .shell(|_| Some("domains list".to_owned())),
    command("back", "Esc F3", "", "back", back).everywhere(),
    QUIT,
    command("interrupt", "Ctrl-C", "", "cancel; twice: quit", interrupt).always(),
    command("error-details", "e", "", "explain last error", popups::help::open_error).everywhere(),
    command("choices", "F4", "", "enter another API key", popups::key::open)
        .everywhere()
        .not_over_ssh(profiles::list::ONE_SERVICE)
        .shell(|app| (!app.link.embedded).then(|| "login".to_owned())),
    profiles::list::SHOW,
    requests::SHOW,
    command("themes", "T", "", "themes", popups::themes::open).everywhere(),
    command("mouse", "M", "", "mouse (Shift selects)", switch_mouse).everywhere(),
    command("redraw", "Ctrl-L", "", "redraw", |app, _| app.effect(Effect::Redraw)).always(),
    command("suspend", "Ctrl-Z", "", "suspend (fg resumes)", suspend)
        .always()
        .not_over_ssh("A session over SSH cannot be suspended. q ends it; what you typed is saved."),
    popups::help::SHOW,
    popups::help::SHOW_COMMANDS,
];

pub static EVERYWHERE_PLACE: Place = Place::new(GLOBAL, "Everywhere", &[EVERYWHERE]);

pub const QUIT: Command = command("quit", "q", "", "quit", quit).always();

/// Ends the program, once what would be lost was asked about.
fn quit(app: &mut App, now: Now) {
    let end = |app: &mut App, _: Now| app.quitting = Some(QuitReason::User);
    import::update::leaving(app, "Quit", None, end, now)
}

/// Takes one message; gives what to do about it.
pub fn update(app: &mut App, msg: Msg, now: Now) -> Vec<Effect> {
    let drawn_row = app.drawn_row.take().filter(|_| app.message.is_none() && !app.drafts.has_news());
    app.only_moved = false;
    follow(app, msg, now);
    lines::work(app, now);
    drafts::notice(app, now);
    pets::reading::announce(app);
    pets::reading::ask_provenance(app, now);
    pets::history::ask(app, now);
    let effects = app.take_effects();
    app.drawn_row = drawn_row.filter(|_| app.only_moved && effects.is_empty());
    effects
}

fn follow(app: &mut App, msg: Msg, now: Now) {
    if matches!(msg, Msg::Key(_) | Msg::Mouse(_) | Msg::Paste(_) | Msg::PasteTooLarge) {
        app.used = Some(now.mono);
    }
    match msg {
        Msg::Key(key) => on_key(app, key, now),
        Msg::Mouse(event) => on_mouse(app, event, now),
        Msg::Paste(text) => on_paste(app, &text, now),
        Msg::PasteTooLarge => {
            let way = if app.link.ssh.is_some() { "Paste it in parts." } else { "Save it as a file, and import that." };
            app.complain(format!("Nothing was pasted: it is larger than {} MiB. {way}", MOST_PASTED >> 20));
        }
        Msg::Tick => on_tick(app, now),
        // A reply counts only if its job is still waited for.
        Msg::Reply(Reply { id, goes_on, outcome, .. }) if app.pending.takes(id, goes_on) => outcome.apply(app, now),
        Msg::Reply(_) => {}
        Msg::Resize(size) => app.size = size,
        Msg::Focus { here } => app.unwatched = !here,
        Msg::Line { slow } => {
            app.slow_line = slow;
            let text = match slow {
                true => "Slow connection: clocks now update every 10 seconds.",
                false => "The connection is fast again.",
            };
            app.say_done(text, now.mono);
        }
        Msg::Exchanged(recorded) => app.requests.take(*recorded.exchange, recorded.missed),
        Msg::Suspend => suspend(app, now),
        // After Ctrl-Z it has the terminal already.
        Msg::Continued if app.suspended.take().is_some_and(|back| now.mono.duration_since(back) < SIGCONT) => {}
        Msg::Continued => app.effect(Effect::Resume),
        Msg::Resumed => {
            app.suspended = app.suspended.map(|_| now.mono);
            app.say_done("Resumed. Ctrl-L redraws the screen.", now.mono);
            // Leaving has switched it off.
            if app.mouse {
                app.effect(Effect::Mouse(true));
            }
        }
        Msg::Quit(reason) => app.quitting = Some(reason),
    }
}

fn suspend(app: &mut App, now: Now) {
    app.suspended = Some(now.mono);
    app.effect(Effect::Suspend);
}

/// A message goes with the screen or the box that it is about.
fn on_key(app: &mut App, key: KeyPress, now: Now) {
    let (message, place) = (app.message.clone(), shown(app));
    press(app, key, now);
    if shown(app) != place && app.message == message {
        app.message = None;
    }
}

/// The screen that is shown, and which box over it.
fn shown(app: &App) -> (Screen, Option<&'static Place>) {
    (app.screen, app.popups.top().map(Popup::place))
}

fn press(app: &mut App, key: KeyPress, now: Now) {
    // On a slow connection Esc and the next key may arrive as one: better nothing than an unwanted action.
    if key.alt && app.keymap.lookup(app.place(), key).is_none() {
        return;
    }
    // Only the key before counts: a line feed after a line is an Enter.
    let entered = std::mem::replace(&mut app.entered, (key.key == Key::Enter).then_some(now.mono));
    let is_line_feed = key.key == Key::LineFeed;
    if is_line_feed && entered.is_some_and(|at| now.mono.saturating_duration_since(at) < SAME_LINE_END) {
        return;
    }
    let key = if is_line_feed { Key::Enter.into() } else { key };
    let place = app.place();
    let command = app.keymap.lookup(place, key).copied();
    // What is wrong stays while it is corrected by typing.
    let types = matches!(command, None | Some(Command { run: Run::Edit(_), .. }));
    app.message.take_if(|message| !types || message.kind != MessageKind::Error);
    (app.drafts.back, app.drafts.elsewhere) = (None, None);
    match command {
        Some(command) if command.reach != Reach::Here => command.act(app, now),
        // Keys pressed before the box opened are ignored.
        _ if app.popups.top().and_then(Popup::deaf_until).is_some_and(|until| now.mono < until) => {
            app.popups.top_mut().into_iter().for_each(|popup| popup.on_ignored(now));
        }
        Some(command) => command.act(app, now),
        None => {
            if let Some(c) = key.typed() {
                on_typing(app, Typing::Text(&c.to_string()), now);
            }
            // In a form, letters choose.
            let chooses = app.screen == Screen::AddPet && !app.popups.is_open();
            if !place.takes_letters && !chooses && app.message.is_none() {
                app.tell(match (place.name, key.key) {
                    (PETS, Key::Delete | Key::Backspace) => {
                        "Pets cannot be deleted: the API has no operation for that."
                    }
                    _ => "No action on this key; ? lists the keys.",
                });
            }
        }
    }
}

/// Other places have their own way back, or none.
fn back(app: &mut App, now: Now) {
    let place = app.place();
    if place == &domains::list::LIST_PLACE {
        domains::update::leave(app, now);
    } else if place.name == PETS {
        pets::update::back(app);
    }
}

/// Ctrl-C: cancels what runs and may be cancelled; twice in two seconds ends the program.
fn interrupt(app: &mut App, now: Now) {
    if app.interrupted.is_some_and(|at| now.mono.saturating_duration_since(at) < TWICE) {
        return quit(app, now);
    }
    app.interrupted = Some(now.mono);
    let what = if app.cancel_all(Slot::is_cancellable) { "Cancelled. " } else { "" };
    domains::scheduler::cancelled(&mut app.domains, now);
    app.say_for(TWICE, MessageKind::Note, format!("{what}Press Ctrl-C again to quit."), now.mono);
}

/// Switches the mouse on or off.
fn switch_mouse(app: &mut App, _: Now) {
    app.mouse = !app.mouse;
    app.tell(match app.mouse {
        true => "Mouse on: wheel and clicks work here; hold Shift to select text. M turns it off.",
        false => "Mouse off: the terminal selects text.",
    });
    app.effect(Effect::Mouse(app.mouse));
}

/// The mouse did something.
fn on_mouse(app: &mut App, event: MouseEvent, now: Now) {
    // It may have been under way while the mouse was switched off, or before a frame showed what is there now.
    if !app.mouse || app.layout.place != Some(app.place().name) {
        return;
    }
    match event {
        MouseEvent::Wheel { down } => step(app, down, WHEEL, now),
        MouseEvent::Click { column, row } => click(app, (column, row), now),
    }
}

fn click(app: &mut App, (column, row): (u16, u16), now: Now) {
    let areas = &app.layout.clickable;
    let Some((area, target)) = areas.iter().rev().find(|(area, _)| area.contains((column, row).into())).copied() else {
        return;
    };
    match target {
        Target::Press(key, times) => (0..times).for_each(|_| on_key(app, key, now)),
        Target::Show(name) => {
            if let Some(show) = app.keymap.named(GLOBAL, name).copied() {
                show.act(app, now);
            }
        }
        Target::Tab(tab) => pets::update::show_tab(app, tab, now),
        Target::Row { selected: true } => on_key(app, Key::Enter.into(), now),
        Target::Row { selected: false } => {
            let rows = || areas.iter().filter(|(_, target)| matches!(target, Target::Row { .. }));
            let selected = rows().position(|(_, target)| *target == Target::Row { selected: true });
            if let (Some(from), Some(to)) = (selected, rows().position(|(other, _)| *other == area)) {
                step(app, to > from, to.abs_diff(from), now);
            }
        }
    }
}

/// Moves in a list or a text, as the arrow keys do there; in a form nothing moves.
fn step(app: &mut App, down: bool, steps: usize, now: Now) {
    let key = KeyPress::from(if down { Key::Down } else { Key::Up });
    let in_form = !app.popups.is_open() && app.screen == Screen::AddPet && !app.add.import.on;
    let moves = app.keymap.lookup(app.place(), key).is_some_and(Command::moves);
    if moves && !in_form && app.place() != &profiles::form::CHOICE_PLACE {
        (0..steps).for_each(|_| on_key(app, key, now));
    }
}

/// What is typed goes into the field that has the cursor, or nowhere. Returns whether the end of it found no room.
pub fn on_typing(app: &mut App, typing: Typing<'_>, now: Now) -> bool {
    if let Some(popup) = app.popups.top_mut() {
        return popup.on_typing(typing);
    }
    match app.screen {
        _ if !app.place().is_text => false,
        Screen::Pets => pets::update::on_typing(app, typing),
        Screen::AddPet => add_pet::form::on_typing(app, typing, now),
        Screen::Domains => domains::update::on_typing(app, typing),
        Screen::Profiles => forms::on_typing(app, typing),
        // These have no field.
        Screen::Requests | Screen::Welcome => false,
    }
}

/// What keys that come at once would be.
pub fn expected(app: &App) -> Expected {
    let import = &app.add.import;
    let has_rows = app.screen == Screen::AddPet && import.on && import.previews_paste();
    match takes_names(app) {
        true => Expected::Names,
        false if has_rows && !(app.popups.is_open() && app.place().is_text) => Expected::Rows,
        false => Expected::Keys,
    }
}

/// Whether what is typed goes into the name of a pet.
fn takes_names(app: &App) -> bool {
    let places = [&add_pet::form::FORM_PLACE, &add_pet::form::FORM_CHOICE_PLACE, &add_pet::form::LINES_PLACE];
    places.contains(&app.place()) && !app.add.form.is_at(&add_pet::CATEGORY)
}

/// A paste goes into the field that has the cursor, or nowhere. It never submits and never triggers.
fn on_paste(app: &mut App, text: &str, now: Now) {
    if takes_names(app) && add_pet::form::paste(app, text, now) {
        return;
    }
    if expected(app) == Expected::Rows && (!app.place().is_text || text.contains(['\r', '\n'])) {
        return import::update::add_lines(app, text, now);
    }
    if on_typing(app, Typing::Text(text), now) {
        app.complain(format!("The end of the paste was cut: a field takes {MAX_BYTES} bytes."));
    }
}

fn on_tick(app: &mut App, now: Now) {
    let is_due = |at: Option<Instant>| at.is_some_and(|at| at <= now.mono);
    if is_due(app.idle_end()) {
        return app.quitting = Some(QuitReason::Idle);
    }
    app.message.take_if(|message| is_due(message.until));
    let retry_due = !app.runs(Slot::List) && is_due(app.link.health.next_try());
    domains::scheduler::due(&mut app.domains, now);
    domains::scheduler::work(app, now);
    let refresh_due = can_refresh(app) && is_due(app.pets.next_refresh());
    if retry_due || refresh_due {
        pets::update::reload(app, pets::ReadNext::New, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Settings, SshSession};
    use crate::tui::msg::Recorded;
    use crate::tui::popups::help::CommandsBox;
    use crate::tui::state::Link;
    use crate::tui::testing::{TestApp, remote, settings};

    /// The app in a session over SSH, with its first rows.
    fn over_ssh(idle: Option<Duration>) -> TestApp {
        let mut app = TestApp::loaded(80, 24);
        let ssh = Some(SshSession { name: "till-2".to_owned(), idle, ..SshSession::default() });
        app.state.link =
            Link { health: app.state.link.health.clone(), ..Link::of(&Settings { ssh, ..settings(remote()) }) };
        app.effects.clear();
        app
    }

    #[test]
    fn a_session_over_ssh_has_no_files_no_other_service_and_cannot_be_suspended() {
        let mut app = over_ssh(None);
        for (keys, why) in [
            ("x", "Export to your own machine: ssh USER@HOST pets export > pets.csv"),
            ("I", "Import from your own machine: ssh USER@HOST pets import - < pets.csv"),
            ("F7", "Import from your own machine"),
            ("P", "A session over SSH has one service and one API key."),
            ("3", "A session over SSH has no custom domains."),
            ("C-z", "A session over SSH cannot be suspended."),
        ] {
            app.keys(keys);
            assert!(app.says(why), "{keys}: {}", app.screen());
            let expected = (Screen::Pets, false, 0);
            assert_eq!((app.state.screen, app.state.popups.is_open(), app.effects.len()), expected, "{keys}");
        }
        app.send(Msg::Exchanged(Recorded { exchange: Box::default(), missed: 0 })).keys("H Enter w");
        assert!(
            app.says("A session over SSH writes no files of the server.") && app.effects.is_empty(),
            "{}",
            app.screen()
        );
        app.keys("Esc");
        assert!(!app.screen().contains("3 Domains"));
        app.keys("Esc :");
        let commands = app.state.popups.get::<CommandsBox>().unwrap();
        assert!(commands.found.iter().all(|found| found.command.why_not(&app.state.link).is_none()));
    }

    #[test]
    fn after_a_stop_that_did_not_happen_the_next_one_is_seen() {
        let mut app = TestApp::loaded(80, 24);
        let mut takes_again = |after: u64| {
            app.keys("C-z").send(Msg::Resumed);
            app.effects.clear();
            app.wait(Duration::from_secs(after)).send(Msg::Continued);
            app.effects.contains(&Effect::Resume)
        };
        assert!(!takes_again(0), "that is its own");
        assert!(takes_again(60));
    }

    #[test]
    fn a_paste_that_is_too_large_is_reported() {
        let mut app = TestApp::loaded(80, 24);
        app.send(Msg::PasteTooLarge).shows("Nothing was pasted: it is larger than 64 MiB. Save it as a file");
        let long = "x".repeat(MAX_BYTES + 1);
        for keys in ["", "/", "# ", "Esc Esc a", "F6"] {
            app.keys(keys).send(Msg::Paste(long.clone()));
            assert_eq!(app.says("The end of the paste was cut: a field takes 4096 bytes."), !keys.is_empty(), "{keys}");
            app.send(Msg::Paste("y".into()));
            assert_eq!(app.says("The end of the paste was cut: a field takes 4096 bytes."), !keys.is_empty(), "{keys}");
        }
    }

    #[test]
    fn a_session_over_ssh_ends_when_nothing_is_typed_for_its_idle_limit() {
        let mut app = over_ssh(Some(Duration::from_secs(600)));
        app.keys("Down").wait(Duration::from_secs(599));
        assert_eq!(app.state.quitting, None);
        app.keys("Up").wait(Duration::from_secs(599));
        assert_eq!(app.state.quitting, None);
        app.wait(Duration::from_secs(1));
        assert_eq!(app.state.quitting, Some(QuitReason::Idle));
    }
}
