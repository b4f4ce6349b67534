//! What follows from what: the one place where the state changes, but for what the loop notes of painting. Pure; wildcard
//! arms only where a condition comes first, so that nothing is swallowed.

use std::time::{Duration, Instant};

use super::command::{Reach, Run, edit};
use super::deadline::can_refresh;
use super::keymap::{GLOBAL, PETS, TEXT};
use super::mouse::Target;
use super::msg::{Key, KeyPress, MOST_PASTED, MouseEvent, Msg, QuitReason, Reply};
use super::paste_detection::Expected;
use super::screens::add_pet::{self, import, lines};
use super::screens::domains::popups::practice::NO_DOMAINS;
use super::screens::{domains, pets, profiles, requests};
use super::text_input::{Edit, MAX_BYTES, To};
use super::{
    App, Command, Effect, MessageKind, Now, Place, Popup, Screen, Slot, Typing, command, custom_actions, drafts, forms,
    popups,
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
    pub fn act(&self, state: &mut App, now: Now) {
        if !state.allows(self) {
            return state.tell("Choose how to start first.");
        }
        if let Some(why) = self.why_not(&state.link) {
            return state.tell(why);
        }
        let around = self.place.around;
        if self.reach == Reach::Here { around(state, self, now) } else { self.run(state, now) }
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
pub fn update(state: &mut App, msg: Msg, now: Now) -> Vec<Effect> {
    let drawn_row = state.drawn_row.take().filter(|_| state.message.is_none() && !state.drafts.has_news());
    state.only_moved = false;
    follow(state, msg, now);
    lines::work(state, now);
    drafts::notice(state, now);
    pets::reading::announce(state);
    pets::reading::ask_provenance(state, now);
    pets::history::ask(state, now);
    let effects = state.take_effects();
    state.drawn_row = drawn_row.filter(|_| state.only_moved && effects.is_empty());
    effects
}

fn follow(state: &mut App, msg: Msg, now: Now) {
    if matches!(msg, Msg::Key(_) | Msg::Mouse(_) | Msg::Paste(_) | Msg::PasteTooLarge) {
        state.used = Some(now.mono);
    }
    match msg {
        Msg::Key(key) => on_key(state, key, now),
        Msg::Mouse(event) => on_mouse(state, event, now),
        Msg::Paste(text) => on_paste(state, &text, now),
        Msg::PasteTooLarge => {
            let over_ssh = state.link.ssh.is_some();
            let way = if over_ssh { "Paste it in parts." } else { "Save it as a file, and import that." };
            state.complain(format!("Nothing was pasted: it is larger than {} MiB. {way}", MOST_PASTED >> 20));
        }
        Msg::Tick => on_tick(state, now),
        // A reply counts only if its job is still waited for.
        Msg::Reply(Reply { id, goes_on, outcome, .. }) if state.pending.takes(id, goes_on) => outcome.apply(state, now),
        Msg::Reply(_) => {}
        Msg::Resize(size) => state.size = size,
        Msg::Focus { here } => state.unwatched = !here,
        Msg::Line { slow } => {
            state.slow_line = slow;
            let text = match slow {
                true => "Slow connection: clocks now update every 10 seconds.",
                false => "The connection is fast again.",
            };
            state.say_done(text, now.mono);
        }
        Msg::Exchanged(recorded) => state.requests.take(*recorded.exchange, recorded.missed),
        Msg::Suspend => suspend(state, now),
        // After Ctrl-Z it has the terminal already.
        Msg::Continued if state.suspended.take().is_some_and(|back| now.mono.duration_since(back) < SIGCONT) => {}
        Msg::Continued => state.effect(Effect::Resume),
        Msg::Resumed => {
            state.suspended = state.suspended.map(|_| now.mono);
            state.say_done("Resumed. Ctrl-L redraws the screen.", now.mono);
            // Leaving has switched it off.
            if state.mouse {
                state.effect(Effect::Mouse(true));
            }
        }
        Msg::Quit(reason) => state.quitting = Some(reason),
    }
}

fn suspend(state: &mut App, now: Now) {
    state.suspended = Some(now.mono);
    state.effect(Effect::Suspend);
}

/// A message goes with the screen or the box that it is about.
fn on_key(state: &mut App, key: KeyPress, now: Now) {
    let (message, place) = (state.message.clone(), shown(state));
    press(state, key, now);
    if shown(state) != place && state.message == message {
        state.message = None;
    }
}

/// The screen that is shown, and which box over it.
fn shown(state: &App) -> (Screen, Option<&'static Place>) {
    (state.screen, state.popups.top().map(Popup::place))
}

fn press(state: &mut App, key: KeyPress, now: Now) {
    // On a slow connection Esc and the next key may arrive as one: better nothing than an unwanted action.
    if key.alt && state.keymap.lookup(state.place(), key).is_none() {
        return;
    }
    // Only the key before counts: a line feed after a line is an Enter.
    let entered = std::mem::replace(&mut state.entered, (key.key == Key::Enter).then_some(now.mono));
    let is_line_feed = key.key == Key::LineFeed;
    if is_line_feed && entered.is_some_and(|at| now.mono.saturating_duration_since(at) < SAME_LINE_END) {
        return;
    }
    let key = if is_line_feed { Key::Enter.into() } else { key };
    let place = state.place();
    let command = state.keymap.lookup(place, key).copied();
    // What is wrong stays while it is corrected by typing.
    let types = matches!(command, None | Some(Command { run: Run::Edit(_), .. }));
    state.message.take_if(|message| !types || message.kind != MessageKind::Error);
    (state.drafts.back, state.drafts.elsewhere) = (None, None);
    match command {
        Some(command) if command.reach != Reach::Here => command.act(state, now),
        // Keys pressed before the box opened are ignored.
        _ if state.popups.top().and_then(Popup::deaf_until).is_some_and(|until| now.mono < until) => {
            state.popups.top_mut().into_iter().for_each(|popup| popup.on_ignored(now));
        }
        Some(command) => command.act(state, now),
        None => {
            if let Some(c) = key.typed() {
                on_typing(state, Typing::Text(&c.to_string()), now);
            }
            // In a form, letters choose.
            let chooses = state.screen == Screen::AddPet && !state.popups.is_open();
            if !place.takes_letters && !chooses && state.message.is_none() {
                state.tell(match (place.name, key.key) {
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
fn back(state: &mut App, now: Now) {
    let place = state.place();
    if place == &domains::list::LIST_PLACE {
        domains::update::leave(state, now);
    } else if place.name == PETS {
        pets::update::back(state);
    }
}

/// Ctrl-C: cancels what runs and may be cancelled; twice in two seconds ends the program.
fn interrupt(state: &mut App, now: Now) {
    if state.interrupted.is_some_and(|at| now.mono.saturating_duration_since(at) < TWICE) {
        return quit(state, now);
    }
    state.interrupted = Some(now.mono);
    let what = if state.cancel_all(Slot::is_cancellable) { "Cancelled. " } else { "" };
    domains::scheduler::cancelled(&mut state.domains, now);
    state.say_for(TWICE, MessageKind::Note, format!("{what}Press Ctrl-C again to quit."), now.mono);
}

/// Switches the mouse on or off.
fn switch_mouse(state: &mut App, _: Now) {
    state.mouse = !state.mouse;
    state.tell(match state.mouse {
        true => "Mouse on: wheel and clicks work here; hold Shift to select text. M turns it off.",
        false => "Mouse off: the terminal selects text.",
    });
    state.effect(Effect::Mouse(state.mouse));
}

/// The mouse did something.
fn on_mouse(state: &mut App, event: MouseEvent, now: Now) {
    // It may have been under way while the mouse was switched off, or before a frame showed what is there now.
    if !state.mouse || state.layout.place != Some(state.place().name) {
        return;
    }
    match event {
        MouseEvent::Wheel { down } => step(state, down, WHEEL, now),
        MouseEvent::Click { column, row } => click(state, (column, row), now),
    }
}

fn click(state: &mut App, (column, row): (u16, u16), now: Now) {
    let areas = &state.layout.clickable;
    let Some((area, target)) = areas.iter().rev().find(|(area, _)| area.contains((column, row).into())).copied() else {
        return;
    };
    match target {
        Target::Press(key, times) => (0..times).for_each(|_| on_key(state, key, now)),
        Target::Show(name) => {
            if let Some(show) = state.keymap.named(GLOBAL, name).copied() {
                show.act(state, now);
            }
        }
        Target::Tab(tab) => pets::update::show_tab(state, tab, now),
        Target::Row { selected: true } => on_key(state, Key::Enter.into(), now),
        Target::Row { selected: false } => {
            let rows = || areas.iter().filter(|(_, target)| matches!(target, Target::Row { .. }));
            let selected = rows().position(|(_, target)| *target == Target::Row { selected: true });
            if let (Some(from), Some(to)) = (selected, rows().position(|(other, _)| *other == area)) {
                step(state, to > from, to.abs_diff(from), now);
            }
        }
    }
}

/// Moves in a list or a text, as the arrow keys do there; in a form nothing moves.
fn step(state: &mut App, down: bool, steps: usize, now: Now) {
    let key = KeyPress::from(if down { Key::Down } else { Key::Up });
    let in_form = !state.popups.is_open() && state.screen == Screen::AddPet && !state.add.import.on;
    let moves = state.keymap.lookup(state.place(), key).is_some_and(Command::moves);
    if moves && !in_form && state.place() != &profiles::form::CHOICE_PLACE {
        (0..steps).for_each(|_| on_key(state, key, now));
    }
}

/// What is typed goes into the field that has the cursor, or nowhere. Returns whether the end of it found no room.
pub fn on_typing(state: &mut App, typing: Typing<'_>, now: Now) -> bool {
    if let Some(popup) = state.popups.top_mut() {
        return popup.on_typing(typing);
    }
    match state.screen {
        _ if !state.place().is_text => false,
        Screen::Pets => pets::update::on_typing(state, typing),
        Screen::AddPet => add_pet::form::on_typing(state, typing, now),
        Screen::Domains => domains::update::on_typing(state, typing),
        Screen::Profiles => forms::on_typing(state, typing),
        // These have no field.
        Screen::Requests | Screen::Welcome => false,
    }
}

/// What keys that come at once would be.
pub fn expected(state: &App) -> Expected {
    let import = &state.add.import;
    let has_rows = state.screen == Screen::AddPet && import.on && import.previews_paste();
    match takes_names(state) {
        true => Expected::Names,
        false if has_rows && !(state.popups.is_open() && state.place().is_text) => Expected::Rows,
        false => Expected::Keys,
    }
}

/// Whether what is typed goes into the name of a pet.
fn takes_names(state: &App) -> bool {
    let places = [&add_pet::form::FORM_PLACE, &add_pet::form::FORM_CHOICE_PLACE, &add_pet::form::LINES_PLACE];
    places.contains(&state.place()) && !state.add.form.is_at(&add_pet::CATEGORY)
}

/// A paste goes into the field that has the cursor, or nowhere. It never submits and never triggers.
fn on_paste(state: &mut App, text: &str, now: Now) {
    if takes_names(state) && add_pet::form::paste(state, text, now) {
        return;
    }
    if expected(state) == Expected::Rows && (!state.place().is_text || text.contains(['\r', '\n'])) {
        return import::update::add_lines(state, text, now);
    }
    if on_typing(state, Typing::Text(text), now) {
        state.complain(format!("The end of the paste was cut: a field takes {MAX_BYTES} bytes."));
    }
}

fn on_tick(state: &mut App, now: Now) {
    let is_due = |at: Option<Instant>| at.is_some_and(|at| at <= now.mono);
    if is_due(state.idle_end()) {
        return state.quitting = Some(QuitReason::Idle);
    }
    state.message.take_if(|message| is_due(message.until));
    let retry_due = !state.pending.is_running(Slot::List) && is_due(state.link.health.next_try());
    domains::scheduler::due(&mut state.domains, now);
    domains::scheduler::work(state, now);
    let refresh_due = can_refresh(state) && is_due(state.pets.next_refresh());
    if retry_due || refresh_due {
        pets::update::reload(state, pets::ReadNext::New, now);
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
