//! Handles keys of rapid entry.

use crate::clock::Now;
use crate::model::PetStatus;
use crate::model::text::short;
use crate::model::words::counted;
use crate::tui::command::{ARROWS, Command, Movement, Place, change, command, moves};
use crate::tui::effect::Effect;
use crate::tui::popups::help;
use crate::tui::screens::pets;
use crate::tui::state::{AppState, Screen};
use crate::tui::text_input::Typing;
use crate::tui::widgets::form::neighbour;
use crate::tui::widgets::list::moved;

use super::super::fields::{CATEGORY, NAME};
use super::super::update::is_still_switching;
use super::state::{Focus, State};
use super::{input, lines};

pub const RAPID_ENTRY: Command = command("rapid-entry", "F6", "rapid", "rapid entry", switch).everywhere().adds();

const CONFIRM: Command = command("confirm", "Enter", "save", "add the line", confirm);
const NEXT: Command = command("next-field", "Tab", "", "next field", next);
const PREVIOUS: Command = change("previous-field", "S-Tab", "", "previous field", |app, _| {
    app.add.rapid.focus = neighbour(&Focus::FIELDS, app.add.rapid.focus, false)
});
const FINISH: Command = command("save", "F2", "finish", "finish, to the pets", leave);
const TO_NAME: Command = change("back", "Esc F3", "", "to the name", |app, _| app.add.rapid.focus = Focus::Name);

/// A text field.
static NAMES: &[Command] = &[
    CONFIRM.word(|app| in_category(app).then_some("name")),
    NEXT.at("Tab", "category, status", "next field").word(|app| in_category(app).then_some("status")),
    PREVIOUS,
    moves(ARROWS, "lines", "to the lines", |app, _, _| lines::enter(app)).called("up"),
    FINISH,
    RAPID_ENTRY.at("F6", "form", "the form"),
    change("clear", "F8", "", "clear the field", clear),
    command("back", "Esc F3", "", "to the pets", |app, now| {
        if app.add.rapid.editing.is_none() {
            return leave(app, now);
        }
        lines::leave_as_it_was(app);
        Vec::new()
    }),
];

pub static NAMES_PLACE: Place = Place::new("rapid", "Rapid entry", &[NAMES]).text();

/// The lines that were taken. Letters are for the name.
static LINES: &[Command] = &[
    CONFIRM.at("Enter", "fix, search", "fix !, search for ?"),
    command("refresh", "F5", "send again", "send ? again", |app, _| about_line(app, lines::send_again)),
    command("delete", "Del", "drop", "drop the line", |app, now| about_line(app, |app| lines::drop_marked(app, now))),
    moves(ARROWS, "move", "move", |app, movement, _| lines::step(app, movement.is_down())),
    NEXT,
    PREVIOUS,
    FINISH.at("F2", "", "finish, to the pets"),
    RAPID_ENTRY.at("F6", "", "the form"),
    help::SHOW.at("?", "", "this help"),
    TO_NAME.at("Esc F3", "name", "to the name"),
];

pub static LINES_PLACE: Place = Place::new("rapid-choice", "Rapid entry", &[LINES]).text();

static STATUS: &[Command] = &[
    moves(ARROWS, "choose", "choose the status", |app, movement, _| choose(app, movement)),
    change("previous-tab", "left", "", "choose the status", |app, _| choose(app, Movement::Up)),
    change("next-tab", "right", "", "choose the status", |app, _| choose(app, Movement::Down)),
    NEXT.at("Enter Tab", "name", "to the name"),
    PREVIOUS.at("S-Tab", "category", "to the category"),
    FINISH,
    RAPID_ENTRY.at("F6", "form", "the form"),
    help::SHOW.at("?", "", "this help"),
    TO_NAME,
];

pub static STATUS_PLACE: Place = Place::new("rapid-status", "Rapid entry", &[STATUS]).text();

impl State {
    /// Where a key goes.
    pub const fn key_place(&self) -> &'static Place {
        match self.focus {
            Focus::Name | Focus::Category => &NAMES_PLACE,
            Focus::Status => &STATUS_PLACE,
            Focus::Lines => &LINES_PLACE,
        }
    }
}

fn in_category(app: &AppState) -> bool {
    app.add.rapid.focus == Focus::Category
}

/// Goes to the form, or from there to rapid entry.
pub fn switch(state: &mut AppState, now: Now) -> Vec<Effect> {
    lines::leave_as_it_was(state);
    if !state.add.rapid.on {
        let what = match state.add.rapid.counts().waiting {
            0 => "Start rapid entry: each line is added immediately to".to_owned(),
            count => format!("Start rapid entry and send {count} waiting lines to"),
        };
        if state.asks_first(what, Vec::new(), switch, now) {
            return Vec::new();
        }
    }
    let add = &mut state.add;
    let (form_is_free, status) = (add.sent.is_none(), add.draft().status);
    let rapid = &mut add.rapid;
    rapid.on = !rapid.on;
    if rapid.on {
        rapid.category = add.form[&CATEGORY].clone();
        rapid.status = status;
        if form_is_free && rapid.name.is_empty() {
            rapid.name = std::mem::take(&mut add.form[&NAME]);
        }
        let has_category = rapid.category_id().is_some();
        rapid.focus = if has_category { Focus::Name } else { Focus::Category };
    } else if form_is_free {
        add.form[&CATEGORY] = rapid.category.clone();
        if add.form[&NAME].is_empty() {
            add.form[&NAME] = std::mem::take(&mut rapid.name);
        }
        add.set_status(add.rapid.status);
    }
    Vec::new()
}

const BUSY: &str = "the line was not changed.";

/// Acts on a line, unless another service is being changed to.
fn about_line(state: &mut AppState, act: impl FnOnce(&mut AppState)) -> Vec<Effect> {
    if is_still_switching(state, BUSY) {
        return vec![input::bell()];
    }
    act(state);
    Vec::new()
}

/// Whether the category is wrong, which its field shows.
fn has_wrong_category(rapid: &mut State) -> bool {
    let is_wrong = rapid.focus == Focus::Category && rapid.has_wrong_category();
    if is_wrong {
        rapid.category.select();
    }
    is_wrong
}

fn confirm(state: &mut AppState, now: Now) -> Vec<Effect> {
    let rapid = &mut state.add.rapid;
    if has_wrong_category(rapid) {
        return vec![input::bell()];
    }
    match rapid.focus {
        Focus::Name if rapid.stray && !rapid.is_scan(now.mono) => {
            rapid.stray = false;
            let name = short(rapid.name.value());
            state.tell(format!("Your keys went into the name field. Enter again saves \"{name}\"; F8 clears it."));
            vec![input::bell()]
        }
        Focus::Name => input::take_name(state, now),
        Focus::Category | Focus::Status => {
            rapid.focus = Focus::Name;
            Vec::new()
        }
        Focus::Lines => match is_still_switching(state, BUSY) {
            true => vec![input::bell()],
            false => lines::open(state, now),
        },
    }
}

fn next(state: &mut AppState, now: Now) -> Vec<Effect> {
    let rapid = &mut state.add.rapid;
    if has_wrong_category(rapid) {
        return vec![input::bell()];
    }
    if rapid.focus == Focus::Name && rapid.setup.tab && rapid.is_scan(now.mono) {
        return input::take_name(state, now);
    }
    rapid.focus = neighbour(&Focus::FIELDS, rapid.focus, true);
    Vec::new()
}

const STATUSES: [Option<PetStatus>; 4] =
    [None, Some(PetStatus::Available), Some(PetStatus::Pending), Some(PetStatus::Sold)];

fn choose(state: &mut AppState, movement: Movement) {
    let rapid = &mut state.add.rapid;
    let here = STATUSES.iter().position(|choice| *choice == rapid.status).unwrap_or(0);
    rapid.status = STATUSES[moved(here, movement, STATUSES.len(), 1)];
}

fn clear(state: &mut AppState, _: Now) {
    let rapid = &mut state.add.rapid;
    rapid.stray = false;
    if rapid.editing.is_some() {
        lines::leave_as_it_was(state);
    } else if let Some(input) = rapid.input() {
        input.clear();
    }
}

/// Puts text into the field with the cursor, or else into the name field, so a scan is never lost.
pub fn on_typing(state: &mut AppState, typing: Typing<'_>, now: Now) -> bool {
    let rapid = &mut state.add.rapid;
    if let Typing::Text(text) = typing
        && rapid.focus != Focus::Category
    {
        rapid.note_text(text, now.mono);
        rapid.stray |= rapid.focus != Focus::Name && rapid.name.is_empty();
        rapid.focus = Focus::Name;
    }
    let is_cut = rapid.input().is_some_and(|input| input.take(typing));
    rapid.stray &= !rapid.name.is_empty();
    is_cut
}

/// Goes to the list and reloads it. Lines are still sent.
fn leave(state: &mut AppState, now: Now) -> Vec<Effect> {
    state.screen = Screen::Pets;
    let counts = state.add.rapid.counts();
    if counts.waiting > 0 {
        let text = format!("{} still being sent in the background.", counted(counts.waiting, "line"));
        state.tell(text);
    }
    if counts.saved == 0 || state.key_refused() {
        return Vec::new();
    }
    pets::update::reload(state, true, now)
}
