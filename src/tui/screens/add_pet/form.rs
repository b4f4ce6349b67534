//! Handles the keys of the add screen.

use std::time::Duration;

use crate::app::Fate;
use crate::clock::Now;
use crate::config::Notify;
use crate::config::file::Add;
use crate::model::{Draft, NewPet, PetStatus, counted, short};
use crate::tui::command::ARROWS;
use crate::tui::popups::help;
use crate::tui::screens::add_pet::{CATEGORY, NAME, State, import};
use crate::tui::screens::pets;
use crate::tui::{App, Command, Effect, Movement, Place, Screen, Typing, command, forms, moves};

use super::MOST_WAITING;
use super::import::update::{IMPORT, check_unfinished};
use super::lines;

/// So soon after a pet, the same name again may be a mistake: a code that was read twice.
const A_MOMENT: Duration = Duration::from_secs(10);

/// Shows the form itself; another command shows what was left open in its place.
pub const NEW: Command = command("show-add", "a", "add", "add a pet", show_form).everywhere().adds().shell(add_line);

pub fn add_line(_: &App) -> Option<String> {
    Some("pets add --name NAME --category-id ID".to_owned())
}

/// To the lines and back.
pub const LINES: Command = command("rapid-entry", "F6", "lines", "to the lines and back", switch)
    .everywhere()
    .adds()
    .when(|app| !app.add.outbox.lines.is_empty());

const CONFIRM: Command = command("confirm", "Enter", "add", "add it, or to the name", confirm)
    .when(|app| !app.add.form.is_at(&NAME) || !app.add.form.value(&NAME).is_empty())
    .word(|app| (!app.add.form.is_at(&NAME)).then_some("accept"));
const NEXT: Command = command("next-field", "Tab down", "next", "next field", next);
const PREVIOUS: Command = command("previous-field", "S-Tab up", "", "previous field", |app, _| go(app, false));
const SAVE: Command = command("save", "F2", "add", "check and add", save).when(|app| !app.add.form.is_at(&NAME));
const IMPORT_HERE: Command = IMPORT.at("F7", "import", "import a file");
const CLEAR: Command = command("clear", "F8", "clear", "clear; again: undo", clear);
const BACK: Command = command("back", "Esc F3", "pets", "to the pets, text stays", back);

/// A text field of the form.
static FORM: &[Command] = &[CONFIRM, NEXT, PREVIOUS, SAVE, LINES, IMPORT_HERE, CLEAR, BACK];

pub static FORM_PLACE: Place = Place::new("form", "Add pet", &[FORM]).text();

/// The status. Letters are for the name.
static FORM_CHOICE: &[Command] = &[
    moves(ARROWS, "choose", "choose the status", |app, movement, _| app.add.form.choose(movement)),
    command("previous-tab", "left", "", "choose the status", |app, _| app.add.form.choose(Movement::Up)),
    command("next-tab", "right", "", "choose the status", |app, _| app.add.form.choose(Movement::Down)),
    CONFIRM.at("Enter", "accept", "to the name"),
    NEXT.at("Tab", "", "next field"),
    PREVIOUS.at("S-Tab", "back", "previous field"),
    SAVE,
    LINES.at("F6", "", "to the lines and back"),
    IMPORT_HERE.at("F7", "", "import a file"),
    CLEAR,
    help::SHOW.at("?", "", "this help"),
    BACK,
];

pub static FORM_CHOICE_PLACE: Place = Place::new("form-choice", "Add pet", &[FORM_CHOICE]).text();

/// The lines. Letters are for the name.
static LINES_BELOW: &[Command] = &[
    command("confirm", "Enter", "fix, search", "fix !, search for ?", |app, now| about_line(app, now, lines::open))
        .when(|app| fate(app).is_some_and(Fate::wants_the_user)),
    command("refresh", "F5", "send again", "send ? again", |app, now| about_line(app, now, lines::send_again))
        .when(|app| matches!(fate(app), Some(Fate::Unknown(_)))),
    command("delete", "Del", "drop", "drop the line", |app, now| about_line(app, now, lines::drop_marked))
        .when(|app| fate(app).is_some_and(Fate::can_be_dropped)),
    moves(ARROWS, "move", "move", |app, movement, _| lines::step(app, movement.is_down())),
    command("next-field", "Tab", "", "to the form", |app, _| app.add.go_to_name()),
    SAVE.at("F2", "", "check and add"),
    LINES.at("F6", "", "to the form"),
    help::SHOW.at("?", "", "this help"),
    command("back", "Esc F3", "form", "to the form", |app, _| app.add.go_to_name()),
];

pub static LINES_PLACE: Place = Place::new("rapid-choice", "Lines of Add pet", &[LINES_BELOW]).text();

impl State {
    /// Where a key goes.
    pub fn key_place(&self) -> &'static Place {
        if self.import.on {
            self.import.key_place()
        } else if self.marked.is_some() {
            &LINES_PLACE
        } else {
            self.form.place([&FORM_PLACE, &FORM_PLACE, &FORM_CHOICE_PLACE, &FORM_PLACE])
        }
    }
}

/// What happened to the selected line.
fn fate(app: &App) -> Option<&Fate> {
    app.add.marked_line().map(|line| &line.fate)
}

fn show_form(app: &mut App, _: Now) {
    app.screen = Screen::AddPet;
    app.pets.searching = false;
    app.add.import.on = false;
    app.add.marked = None;
}

/// Goes to the newest line that needs the user, or else to the newest; and back to the form.
fn switch(app: &mut App, now: Now) {
    let is_there = app.screen == Screen::AddPet && app.add.marked.is_some() && !app.add.import.on;
    show_form(app, now);
    if is_there {
        return;
    }
    let add = &mut app.add;
    let lines = &add.outbox.lines;
    let newest = lines.iter().rev().find(|line| line.fate.wants_the_user()).or(lines.last());
    let Some(line) = newest else { return app.tell("No lines yet.") };
    add.marked = Some(line.typed.line);
    add.form.go_to(&NAME);
}

/// Goes to the list and reloads it. Lines are still sent.
fn back(app: &mut App, now: Now) {
    if app.add.stop_editing().is_some() {
        return;
    }
    app.screen = Screen::Pets;
    let waiting = app.add.outbox.counts().waiting;
    if waiting > 0 {
        app.tell(format!("{} not sent yet.", counted(waiting, "line")));
    }
    if std::mem::take(&mut app.add.unread) && !app.key_refused() {
        pets::update::reload(app, pets::ReadNext::Nothing, now);
    }
}

fn clear(app: &mut App, _: Now) {
    app.add.stray = false;
    if app.add.stop_editing().is_some() {
        return;
    }
    let restored = app.add.clear_or_restore();
    app.tell(match restored {
        Some(true) => "Form restored.",
        Some(false) => "Form cleared. F8 restores it.",
        None => "Nothing is typed.",
    });
}

/// Puts typed text into the field with the cursor, or else into the name, so that a scan is never lost.
pub fn on_typing(app: &mut App, typing: Typing<'_>, now: Now) -> bool {
    let add = &mut app.add;
    if add.import.on {
        return add.import.on_typing(typing);
    }
    let is_text = matches!(typing, Typing::Text(_));
    let in_category = add.form.is_at(&CATEGORY);
    if let Typing::Text(text) = typing
        && !in_category
    {
        let is_elsewhere = add.marked.is_some() || !add.form.is_at(&NAME);
        let begins = add.form[&NAME].is_empty();
        add.note_text(text, begins, now.mono);
        add.asked = None;
        add.stray |= is_elsewhere && begins;
        add.go_to_name();
    }
    if in_category && std::mem::take(&mut add.sticky) && is_text {
        add.form[&CATEGORY].clear();
    }
    let is_cut = add.marked.is_none() && add.form.take(typing);
    add.stray &= !add.form[&NAME].is_empty();
    is_cut
}

/// Acts on a line, unless another service is being changed to.
fn about_line(app: &mut App, now: Now, act: fn(&mut App, Now)) {
    if is_still_switching(app, "the line was not changed.") {
        return bell(app);
    }
    act(app, now);
}

/// Whether another service is being switched to; then says so, with `text` on what was not done.
pub(super) fn is_still_switching(app: &mut App, text: &str) -> bool {
    if app.is_switching() {
        app.complain(format!("Switching to {}; {text}", short(&app.profiles.using)));
    }
    app.is_switching()
}

fn go(app: &mut App, next: bool) {
    app.message = None;
    app.add.form.go(next);
}

/// Tab: ends a scan where the scanner is set to it, or else goes to the next field.
fn next(app: &mut App, now: Now) {
    let add = &app.add;
    if add.form.is_at(&NAME) && add.setup.scan_tab && add.is_scan(now.mono) {
        return confirm(app, now);
    }
    go(app, true);
}

/// Enter: adds the pet from its name once there is a category, and else leads there.
fn confirm(app: &mut App, now: Now) {
    let asked = draft(app);
    let (add, categories) = (&mut app.add, &app.pets.categories);
    let category = add.form.value(&CATEGORY);
    let is_wrong = !category.is_empty() && categories.parse(category).is_err();
    let is_at_name = add.form.is_at(&NAME);
    if is_at_name && add.form.value(&NAME).is_empty() {
        return;
    }
    if add.form.is_at(&CATEGORY) && is_wrong {
        add.form.select(&CATEGORY);
        bell(app);
    } else if add.form.is_at(&CATEGORY) && is_code(category) && add.asked.as_ref() != Some(&asked) {
        let text = format!("Is {category} a category, and not a code? Enter again takes it.");
        add.asked = Some(asked);
        add.form.select(&CATEGORY);
        app.tell(text);
        bell(app);
    } else if !is_at_name {
        add.form.go_to(&NAME);
    } else if !category.is_empty() && !is_wrong {
        save(app, now);
    } else if add.is_scan(now.mono) && add.outbox.counts().refused < MOST_WAITING && add.editing.is_none() {
        // A scanner does not look where the cursor goes: the next code must not become the category.
        take(app, now);
        app.complain("Not added: a category is missing. F6 shows the line, Enter there fixes it.");
        bell(app);
    } else if is_wrong {
        add.form.select(&CATEGORY);
        bell(app);
    } else {
        add.form.go_to(&CATEGORY);
    }
}

/// Checks the form and takes it as a line, or puts the cursor on the first field to fix.
fn save(app: &mut App, now: Now) {
    app.add.marked = None;
    let Some(NewPet { name, category_id, status }) = checked(app, now) else { return bell(app) };
    let status = status.map_or("not set (the service decides)", PetStatus::as_str).to_owned();
    let details = vec![("Name", name), ("Category", app.pets.categories.label(category_id)), ("Status", status)];
    let what = match app.add.outbox.counts().waiting {
        0 => "Add this pet to".to_owned(),
        waiting => format!("Add this pet, and send {} that wait, to", counted(waiting, "line")),
    };
    if !app.asks_first(what, details, take, now) {
        take(app, now);
    }
}

/// The pet in the form, or says why it cannot be taken.
fn checked(app: &mut App, now: Now) -> Option<NewPet> {
    if is_still_switching(app, "nothing was sent. Press F2 again after that.") {
        return None;
    }
    if let Some(why) = why_full(app) {
        app.complain(format!("{why} Your text is kept."));
    } else if forms::passes(app, "Nothing was sent.") {
        let Some(doubt) = doubt(app, now) else {
            // Of a name, nothing may be left but the prefix of a scanner.
            return draft(app).check(&app.pets.categories).ok();
        };
        app.tell(doubt);
    }
    None
}

/// Why this may be a mistake: the same key pressed again adds it.
fn doubt(app: &mut App, now: Now) -> Option<String> {
    let draft = draft(app);
    let add = &mut app.add;
    let name = short(add.form.value(&NAME));
    let is_scan = add.is_scan(now.mono);
    if std::mem::take(&mut add.stray) && !is_scan {
        add.form.select(&NAME);
        return Some(format!("Your keys went into the name field. Enter again adds \"{name}\"; F8 clears it."));
    }
    let recent = |at| now.wall.duration_since(at).unsigned_abs() < A_MOMENT;
    let mut recently = add.outbox.lines.iter().map(|line| &line.typed).rev().take_while(|typed| recent(typed.at));
    if !recently.any(|typed| typed.adds(&draft)) || add.editing.is_some() || add.asked.as_ref() == Some(&draft) {
        return None;
    }
    add.asked = Some(draft);
    // The next scan takes its place.
    add.form.select(&NAME);
    Some(format!("{name} was added a moment ago. Enter again adds another one; F8 clears it."))
}

/// Takes up what an earlier session left: a pet without an answer, an import that is not finished.
pub fn take_up(app: &mut App, now: Now) {
    if let Some(sent) = &app.add.sent {
        app.add.outbox.take_over(sent);
    }
    // The program may have been killed after a name was taken and before its draft was removed.
    let (draft, outbox) = (draft(app), &app.add.outbox);
    let mut taken = outbox.lines.iter().map(|line| &line.typed).chain(&outbox.before);
    if let Some(back) = &app.drafts.back
        && taken.any(|taken| taken.adds(&draft) && back.at <= taken.at)
    {
        app.add.next_animal();
        app.drafts.back = None;
    }
    check_unfinished(app, now);
}

/// Handles text that is pasted for the name. Several codes come from a fast scanner: each is taken, the first appended
/// to what is typed already. Several lines of anything else are previewed before they are sent. `false` leaves the rest to
/// be typed.
pub fn paste(app: &mut App, text: &str, now: Now) -> bool {
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let name = &app.add.form[&NAME];
    let begun = if name.selected { String::new() } else { name.value().to_owned() };
    let whole = format!("{begun}{lines}");
    let lines: Vec<&str> = lines.trim_end_matches('\n').split('\n').collect();
    let add = &app.add;
    let can_be_added = app.may_change() && !app.is_switching() && add.editing.is_none();
    let can_be_added = can_be_added && app.pets.categories.parse(add.form.value(&CATEGORY)).is_ok();
    if lines.len() < 2 || !can_be_added || !whole.lines().all(|line| is_code(code_in(line, &add.setup))) {
        return import::update::paste(app, text, now);
    }
    app.add.go_to_name();
    for (taken, line) in lines.iter().enumerate() {
        if let Some(why) = why_full(app) {
            let (rest, from) = (lines.len() - taken, short(line));
            app.complain(format!("{why} {taken} lines were taken, {rest} were not. Paste again from \"{from}\"."));
            bell(app);
            return true;
        }
        let begun = if taken == 0 { &*begun } else { "" };
        app.add.form.set(&NAME, &format!("{begun}{line}"));
        take(app, now);
    }
    app.tell(format!("{} codes pasted, one line each.", lines.len()));
    true
}

/// Why no further line can be taken now.
pub fn why_full(app: &App) -> Option<String> {
    let full = app.add.outbox.counts().waiting >= MOST_WAITING;
    full.then(|| format!("{MOST_WAITING} lines are waiting, the maximum."))
}

/// The pet in the form as a line has it: without the prefix of a scanner, with the number of its category.
pub fn draft(app: &App) -> Draft {
    let Draft { name, category_id, status } = app.add.draft();
    let category_id = app.pets.categories.number(category_id.trim()).into_owned();
    Draft { name: code_in(&name, &app.add.setup).to_owned(), category_id, status }
}

/// A line without the prefix of the scanner and surrounding spaces.
fn code_in<'a>(line: &'a str, setup: &Add) -> &'a str {
    let line = line.trim();
    line.strip_prefix(setup.scan_strip.as_str()).unwrap_or(line).trim()
}

/// Takes the form as a line, refused where something is wrong with it, and is ready for the next one.
pub fn take(app: &mut App, now: Now) {
    let pet = draft(app);
    let add = &mut app.add;
    let edited = add.stop_editing();
    if edited.is_none() {
        add.next_animal();
    } else if add.form.value(&CATEGORY).is_empty() {
        // It was missing, and is what the next ones have as well.
        add.form.set(&CATEGORY, &pet.category_id);
        add.left.category_id.clone_from(&pet.category_id);
        add.sticky = true;
    }
    let typed = (pet, app.keys.make(), now.wall);
    add.outbox.take(typed, &app.pets.store, &app.pets.categories, edited);
    add.asked = None;
}

/// Whether it has the form of a barcode: 8 to 14 digits, as in EAN and UPC.
fn is_code(text: &str) -> bool {
    (8..=14).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Rings the terminal's bell.
pub fn bell(app: &mut App) {
    app.effect(Effect::Notify(Notify::Bell, String::new()));
}
