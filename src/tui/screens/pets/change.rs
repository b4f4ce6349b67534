//! Sell, reserve, return: the status of the pet under the cursor, or of those that are marked, is changed, each tested
//! against what is on the screen, so that nothing is overwritten unseen. The rows show it at once, marked until the service
//! has answered. What a command changes it reports as one, and it is undone as one.

use jiff::Timestamp;

use super::popups::tell_of_sale;
use super::update::on_sign_of_life;
use super::{Outcome, edit};
use crate::api::Failure;
use crate::app::Fate;
use crate::app::inventory::changes::{NOTHING_TO_UNDO, likely, named, status};
use crate::app::outbox::queue::QueuedChange;
use crate::clock::Now;
use crate::model::words::{age, counts, list};
use crate::model::{AddedBy, Pet, PetStatus, counted, cut, short};
use crate::tui::command::{LETTERS, closes};
use crate::tui::keymap::PETS;
use crate::tui::popups::{DEAF, Question, TextBox};
use crate::tui::{App, Command, MessageKind, Page, Place, Popup, StyleRole, command, moved, moves};

pub static CHANGE: &[Command] = &[
    command("change-status", "s", "sell", "sell, reserve, return", open).adds().shell(|app| {
        let pets = app.pets.chosen();
        let ids = pets.iter().map(|pet| pet.id.to_string()).reduce(|ids, id| ids + " " + &id)?;
        let seen = PetStatus::ALL.into_iter().find(|status| pets.iter().all(|pet| pet.is(*status)));
        let seen = seen.map_or(String::new(), |seen| format!(" --if-status {seen}"));
        Some(format!("pets set {ids} --status {}{seen}", likely(&pets)))
    }),
    edit::EDIT,
];

pub const UNDO: Command =
    command("undo", "u", "undo", "undo your last change", undo).adds().when(|app| !app.pets.last_change.is_empty());

/// Which status the pets get.
#[derive(Debug)]
pub struct StatusBox {
    /// As they were when this was opened: nobody may have changed them since.
    pets: Vec<Pet>,
    chosen: usize,
}

static STATUS: &[Command] = &[
    moves(LETTERS, "choose", "choose", |app, movement, _| {
        let Some(StatusBox { chosen, .. }) = app.popups.get_mut() else { return };
        let all = PetStatus::ALL.len();
        *chosen = moved(*chosen, movement, all, all);
    }),
    command("confirm", "Enter F2", "change", "change it", |app, now| {
        let Some(StatusBox { pets, chosen }) = app.popups.take() else { return };
        let pets = pets.into_iter().map(|seen| becoming(seen, PetStatus::ALL[chosen])).collect();
        change(app, pets, false, now);
    }),
    closes("Esc F3", "cancel", "change nothing"),
];

pub static STATUS_PLACE: Place = Place::new("status-box", "Status of a pet", &[STATUS]).in_box();

impl Popup for StatusBox {
    fn place(&self) -> &'static Place {
        &STATUS_PLACE
    }

    fn draw(&self, _: &App, page: &mut Page<'_>) {
        let having = |status| self.pets.iter().filter(|pet| pet.is(status)).count();
        let sold = having(PetStatus::Sold);
        let some_sold = (1..self.pets.len()).contains(&sold);
        page.popup(46, 9 + u16::from(some_sold), "Change the status");
        page.gap();
        let pets = page.appearance.text(&about(self.pets.iter()));
        page.line(format!("  {}", cut(&pets, page.columns().saturating_sub(4))));
        if some_sold {
            page.styled(format!("  Sold now: {sold} of {}", self.pets.len()), StyleRole::Wait);
        }
        page.gap();
        for (at, status) in PetStatus::ALL.into_iter().enumerate() {
            let now = match having(status) {
                0 => String::new(),
                _ if self.pets.len() == 1 => "  (now)".to_owned(),
                so => format!("  ({so} now)"),
            };
            page.item(&format!("{status}{now}"), at == self.chosen);
        }
    }
}

/// The pet, and the same with this status.
pub fn becoming(seen: Pet, status: PetStatus) -> (Pet, Pet) {
    (seen.clone(), Pet { status: Some(status.into()), ..seen })
}

/// With the likely status chosen.
fn open(app: &mut App, _: Now) {
    let pets: Vec<Pet> = app.pets.chosen().iter().map(|pet| app.pets.as_shown(pet)).collect();
    if pets.is_empty() {
        return app.tell("No pet is selected.");
    }
    if can_change(app) {
        let chosen = likely(&pets) as usize;
        app.popups.show(StatusBox { pets, chosen });
    }
}

/// Whether pets can be changed now; else says why not.
pub fn can_change(app: &mut App) -> bool {
    if app.pets.offers_changes == Some(false) {
        app.tell(format!("{} does not offer to change pets: what was added stays as it is.", app.link.service));
    } else if app.is_switching() {
        app.tell("Another service is being switched to. Nothing was changed.");
    } else {
        return !app.refuses_changes();
    }
    false
}

fn undo(app: &mut App, now: Now) {
    let waiting = app.add.outbox.changes().next_back().map(|(_, change)| change.command);
    if let Some(command) = waiting {
        take_back(app, command, now);
    } else if app.pets.last_change.is_empty() {
        app.tell(NOTHING_TO_UNDO);
    } else {
        change(app, app.pets.last_change.clone(), true, now);
    }
}

/// Makes the second of each two pets of the first, if that still is as it was seen.
fn change(app: &mut App, mut pets: Vec<(Pet, Pet)>, is_undo: bool, now: Now) {
    let Some((seen, wanted)) = pets.first().cloned() else { return };
    let (all, so) = (pets.len(), status(&wanted));
    pets.retain(|(seen, wanted)| seen != wanted);
    if pets.is_empty() {
        // It may have been changed behind the open box.
        let pet = app.pets.store.get(seen.id).map(|pet| app.pets.as_shown(pet));
        return match pet.filter(|pet| *pet != seen) {
            _ if all > 1 => app.tell(format!("All {all} are {so} already.")),
            Some(pet) => app.complain(format!("{} Nothing was changed.", faster(app, &seen, &pet, now))),
            None => app.tell(format!("{} is {so} already.", named(&seen))),
        };
    }
    let can = can_change(app);
    let names = about(pets.iter().map(|(seen, _)| seen));
    let what = match pets.as_slice() {
        _ if is_undo => format!("Undo the change of {names}"),
        [(seen, wanted)] => format!("{names}: {} instead of {}", status(wanted), status(seen)),
        _ => format!("{names}: {so}"),
    };
    let later = pets.clone();
    if can && !asks_first(app, what, move |app, now| change(app, later, is_undo, now), now) {
        app.pets.marked.clear();
        app.pets.last_change.retain(|_| !is_undo);
        let so = all - pets.len();
        begin(app, pets, Outcome { is_undo, so, ..Outcome::default() }, now);
    }
}

/// `Rex (#7)`, or `3 pets: Rex (#7), ...`.
fn about<'a>(pets: impl Iterator<Item = &'a Pet>) -> String {
    let names: Vec<_> = pets.map(named).collect();
    match names.len() {
        0 | 1 => list(names),
        all => format!("{all} pets: {}", list(names)),
    }
}

/// Asks before the first change to a protected service, over the open box; `false` where it may be made.
pub fn asks_first(app: &mut App, what: String, yes: impl FnOnce(&mut App, Now) + Send + 'static, now: Now) -> bool {
    if app.may_change() {
        return false;
    }
    let what = match app.add.outbox.counts().waiting {
        0 => what,
        waiting => format!("{what}. {} that wait are sent, too.", counted(waiting, "line")),
    };
    let asked = Question::new(
        format!("{} is protected", short(&app.link.label)),
        move |_, page| page.paragraph(2, &what),
        "Change it",
        move |app, now| {
            app.allowed = true;
            yes(app, now);
        },
        |app, _| app.tell("Nothing was changed."),
    );
    app.popups.cover(Question { deaf_until: Some(now.mono + DEAF), ..asked });
    true
}

/// Changes these pets, as one command: each waits in the outbox until the service has answered. Its number.
pub fn begin(app: &mut App, pets: Vec<(Pet, Pet)>, command: Outcome, now: Now) -> u64 {
    let open = pets.len();
    let becomes = |status| pets.iter().all(|(seen, wanted)| wanted.is(status) && !seen.is(status));
    let status = PetStatus::ALL.into_iter().find(|status| becomes(*status));
    let (_, doing) = verbs(status.map_or("", PetStatus::as_str));
    app.tell(format!("{doing} {} ...", about(pets.iter().map(|(seen, _)| seen))));
    app.pets.changing.extend(pets.iter().map(|(seen, wanted)| (seen.id, wanted.clone())));
    let number = app.add.outbox.take_changes(pets, command.is_undo, &mut app.keys, now.wall);
    app.pets.commands.insert(number, Outcome { total: open + command.so, open, ..command });
    number
}

/// Takes up the changes that an earlier session left.
pub fn restore(app: &mut App) {
    for (_, change) in app.add.outbox.changes() {
        app.pets.changing.insert(change.seen.id, change.wanted.clone());
        let command = app.pets.commands.entry(change.command).or_default();
        (command.is_undo, command.waits) = (change.is_undo, true);
        command.total += 1;
        command.open += 1;
    }
}

/// While the service is away, says once of what is changed that it waits.
pub fn note_waiting(app: &mut App) {
    let App { link, pets, add, .. } = app;
    if link.health_is_ok() || pets.commands.values().all(|command| command.waits) {
        return;
    }
    let is_new = |change: &&QueuedChange| pets.commands.get(&change.command).is_some_and(|command| !command.waits);
    let new: Vec<_> = add.outbox.changes().map(|(_, change)| change).filter(is_new).cloned().collect();
    // A refused key is reported already.
    let is_reported = !app.key_refused();
    if is_reported {
        let pets = about(new.iter().map(|change| &change.wanted));
        app.tell(format!("Changed once {} is back: {pets}. u takes it back.", app.link.service));
    }
    for QueuedChange { seen, command, .. } in new {
        edit::answered(app, command, None);
        let Some(outcome) = app.pets.commands.get_mut(&command) else { continue };
        outcome.waits = true;
        if is_reported && outcome.is_sale {
            app.pets.sale.outcomes.push_front(Ok(format!("{}: sold once the service is back.", named(&seen))));
        }
    }
}

/// A change was made, and the pet is this one now.
pub fn made(app: &mut App, change: &QueuedChange, pet: &Pet, now: Now) {
    edit::answered(app, change.command, None);
    app.pets.changed_here(pet);
    if let Some(command) = app.pets.commands.get_mut(&change.command) {
        command.done.push(change.undo(pet));
    }
    ended(app, change, now);
    on_sign_of_life(app, now);
}

/// A change was not made, or may have been: says why.
pub fn not_made(app: &mut App, number: u64, failure: Option<Failure>, now: Now) {
    let outbox = &app.add.outbox;
    let changes = outbox.from_change(number);
    let Some((line, (_, QueuedChange { seen, command, .. }))) = outbox.line(number).zip(changes.first()) else {
        return;
    };
    let is_unknown = matches!(line.fate, Fate::Unknown(_));
    let word = if line.is_unknown() { "no answer" } else { "not changed" };
    let changed = failure.as_ref().and_then(Failure::changed);
    let why = match &changed {
        Some(pet) => faster(app, seen, pet, now),
        None => {
            let none = || "No answer came, and it is not sent again.".to_owned();
            let sentence = failure.as_ref().map_or_else(none, |failure| failure.sentence(&app.link.service));
            let became = if is_unknown { "may or may not be changed: r shows it" } else { "was not changed" };
            format!("{sentence} {} {became}.", named(seen))
        }
    };
    edit::answered(app, *command, failure.as_ref());
    if let Some(outcome) = app.pets.commands.get_mut(command) {
        outcome.unknown += usize::from(is_unknown);
    }
    let is_faster = changed.is_some();
    if let Some(pet) = changed {
        app.pets.take([pet], now);
    }
    // Nor are those of the same pet made that come on top of it.
    for (number, change) in changes {
        let Some(outcome) = app.pets.commands.get_mut(&change.command) else { continue };
        let nothing = if is_faster && outcome.total == 1 { " Nothing was changed." } else { "" };
        let why = format!("{why}{nothing}");
        match outcome.waits {
            true => app.add.outbox.refuse(number, format!("{word}: {why}")),
            false => app.add.outbox.drop_line(number),
        }
        outcome.not.push(why);
        if !is_faster {
            outcome.failed.push((change.seen.clone(), change.wanted.clone()));
        }
        ended(app, &change, now);
    }
    app.last_failure = failure.or(app.last_failure.take());
}

/// A change is taken back, with those of the same pet that come on top of it.
pub fn drop_change(app: &mut App, number: u64, now: Now) {
    for (number, change) in app.add.outbox.from_change(number) {
        app.add.outbox.drop_line(number);
        ended(app, &change, now);
    }
}

/// What became of one pet of a command is known: shows its next change, if one waits, and reports the command after its last
/// pet.
fn ended(app: &mut App, QueuedChange { seen, command, .. }: &QueuedChange, now: Now) {
    match app.add.outbox.changes().rfind(|(line, _)| line.changes(seen.id)) {
        Some((_, next)) => app.pets.changing.insert(seen.id, next.wanted.clone()),
        None => app.pets.changing.remove(&seen.id),
    };
    let Some(mut outcome) = app.pets.commands.remove(command) else { return };
    outcome.open -= 1;
    if outcome.open > 0 {
        app.pets.commands.insert(*command, outcome);
    } else if !outcome.done.is_empty() || !outcome.not.is_empty() {
        let was = if seen.is(PetStatus::Pending) { ", which was reserved" } else { "" };
        let sold = Ok(format!("Sold {}{was}.", named(seen)));
        let sale = outcome.is_sale.then(|| outcome.not.first().cloned().map_or(sold, Err));
        report(app, outcome, now);
        if let Some(sale) = sale {
            tell_of_sale(app, sale);
        }
    }
}

/// Takes back what waits of a command. What may have reached the service is undone after that.
fn take_back(app: &mut App, command: u64, now: Now) {
    let lines = app.add.outbox.changes().filter(|(_, change)| change.command == command);
    let lines: Vec<_> = lines.map(|(line, change)| (line.clone(), change.clone())).collect();
    if lines.iter().any(|(line, _)| matches!(line.fate, Fate::Sending(..))) {
        return app.tell("Your last change is still on its way. u undoes it when it has arrived.");
    }
    let (sent, unsent): (Vec<_>, Vec<_>) = lines.into_iter().partition(|(line, _)| line.sent.is_some());
    if !unsent.is_empty() {
        app.say_done(format!("Taken back: {}.", about(unsent.iter().map(|(_, change)| &change.seen))), now.mono);
    }
    for (line, _) in unsent {
        drop_change(app, line.typed.line, now);
    }
    change(app, sent.into_iter().map(|(_, change)| (change.wanted, change.seen)).collect(), true, now);
}

/// Says what has become of a command, once all of it is known. What is too long for a message is in a box.
fn report(app: &mut App, outcome: Outcome, now: Now) {
    let Outcome { is_undo, waits, total, so, done, not, unknown, failed, .. } = outcome;
    let word = match done.first() {
        _ if is_undo => "undone",
        Some((is, was)) if is.status != was.status && done.iter().all(|(pet, _)| pet.status == is.status) => {
            &status(is)
        }
        _ => "changed",
    };
    let all = [(done.len(), word), (so, "so already"), (not.len() - unknown, "not"), (unknown, "unknown")];
    let all = counts(all).join(", ");
    let text = match (done.as_slice(), not.as_slice()) {
        ([(pet, _)], []) if is_undo && total == 1 => format!("{}: undone, {}.", named(pet), status(pet)),
        ([(pet, _)], []) if total == 1 => format!("{}: {word}.", named(pet)),
        ([], [why]) if total == 1 => why.clone(),
        (_, []) if is_undo => format!("{all}: {}.", list(done.iter().map(|(pet, _)| named(pet)))),
        (_, []) => format!("{all}."),
        // Nothing covers what is typed elsewhere.
        (_, whys) if whys.len() < 3 || app.popups.is_open() || app.place().name != PETS => {
            format!("{all}: {}", whys.join(" "))
        }
        (_, whys) => {
            let text = format!("{all}:\n\n{}", whys.join("\n"));
            app.popups.show(TextBox::new("What became of the change", text, "not-changed"));
            format!("{all}.")
        }
    };
    let undo = if is_undo || done.is_empty() { "" } else { " u undoes it." };
    match not.is_empty() {
        // Nobody may have read yet what another one that waited came to.
        true if waits && app.message.as_ref().is_some_and(|message| message.kind == MessageKind::Error) => {}
        true => app.say_done(text + undo, now.mono),
        false => app.complain(text + undo),
    }
    if is_undo {
        // What failed can still be undone.
        app.pets.last_change = failed;
        return;
    }
    if total > 1 && app.pets.marked.is_empty() {
        app.pets.marked = failed.iter().map(|(seen, _)| seen.id).collect();
    }
    // Of what may have been changed, an older change is not the last one.
    if !done.is_empty() || unknown > 0 {
        app.pets.last_change = done;
    }
}

/// Who was faster, and with what.
pub fn faster(app: &App, seen: &Pet, pet: &Pet, now: Now) -> String {
    // Of an older change, neither says anything about this one.
    let last = app.pets.changed_by.get(&pet.id).filter(|last| last.pet == *pet);
    let who = last.and_then(|last| last.changed_by.as_ref()).map_or("somebody", AddedBy::word);
    let ago = last.and_then(|last| last.changed_at).map_or(String::new(), |at| format!(" {}", ago(at, now)));
    let (what, _) = verbs(if pet.status == seen.status { "" } else { pet.status_word() });
    format!("{} was {what} by {}{ago}.", named(pet), short(who))
}

/// What was done to a pet that has this status since, and what is done to it that will have it.
pub fn verbs(status: &str) -> (&'static str, &'static str) {
    match status {
        "available" => ("returned", "Returning"),
        "pending" => ("reserved", "Reserving"),
        "sold" => ("sold", "Selling"),
        _ => ("changed", "Changing"),
    }
}

/// How long ago something was.
pub fn ago(at: Timestamp, now: Now) -> String {
    match now.wall.duration_since(at).as_secs() {
        ..60 => "just now".to_owned(),
        seconds => format!("{} ago", age(seconds.unsigned_abs())),
    }
}
