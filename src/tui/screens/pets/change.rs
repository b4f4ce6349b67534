//! Sell, reserve, return: the status of the pet under the cursor, or of those that are marked, is changed, each tested
//! against what is on the screen, so that nothing is overwritten unseen. The rows show it at once, marked until the service
//! has answered. What a command changes it reports as one, and it is undone as one.

use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

use super::update::on_failure;
use super::{Outcome, edit};
use crate::api::retry::change_pet_once;
use crate::api::{Failure, Remedy};
use crate::app::inventory::changes::NOTHING_TO_UNDO;
use crate::clock::Now;
use crate::model::words::{age, counts, list};
use crate::model::{
    IdempotencyKey, IdempotencyKeys, ObservedStatus, Pet, PetMembers, PetPatch, PetStatus, counted, cut, short,
};
use crate::tui::command::{LETTERS, closes};
use crate::tui::keymap::PETS;
use crate::tui::popups::{Question, TextBox};
use crate::tui::{AppState, Command, Env, Job, Page, Place, Popup, Slot, command, moved, moves};

/// How many changes are under way at most; further ones wait.
const LANES: usize = 16;

pub static CHANGE: &[Command] = &[
    command("change-status", "s", "sell", "sell, reserve, return", open).adds().shell(|app| {
        let pets = app.pets.chosen();
        let seen =
            pets.first()?.status.as_ref().filter(|seen| pets.iter().all(|pet| pet.status.as_ref() == Some(seen)));
        // Other words are nothing for a command line.
        let seen = seen.filter(|seen| matches!(seen, ObservedStatus::Known(_)));
        let seen = seen.map_or(String::new(), |seen| format!(" --if-status {}", seen.as_str()));
        let ids = pets.iter().map(|pet| pet.id.to_string()).collect::<Vec<_>>().join(" ");
        Some(format!("pets set {ids} --status {}{seen}", likely(&pets)))
    }),
    edit::EDIT,
    command("undo", "u", "", "undo your last change", undo).adds(),
];

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
        *chosen = moved(*chosen, movement, PetStatus::ALL.len(), PetStatus::ALL.len());
    }),
    command("confirm", "Enter F2", "change", "change it", |app, now| {
        let Some(StatusBox { pets, chosen }) = app.popups.take() else { return };
        let status = PetStatus::ALL[chosen];
        let wanted = |seen: Pet| (Pet { status: Some(status.into()), ..seen.clone() }, seen);
        change(app, pets.into_iter().map(wanted).collect(), false, now);
    }),
    closes("Esc F3", "cancel", "change nothing"),
];

pub static STATUS_PLACE: Place = Place::new("status-box", "Status of a pet", &[STATUS]).in_box();

impl Popup for StatusBox {
    fn place(&self) -> &'static Place {
        &STATUS_PLACE
    }

    fn draw(&self, _: &AppState, page: &mut Page<'_>) {
        page.popup(46, 9, "Change the status");
        page.gap();
        let pets = page.appearance.text(&about(self.pets.iter()));
        page.line(format!("  {}", cut(&pets, page.columns().saturating_sub(4))));
        page.gap();
        for (at, status) in PetStatus::ALL.into_iter().enumerate() {
            let so = self.pets.iter().filter(|pet| pet.status == Some(status.into())).count();
            let now = match so {
                0 => String::new(),
                _ if self.pets.len() == 1 => "  (as it is)".to_owned(),
                so => format!("  ({so} as they are)"),
            };
            page.item(&format!("{status}{now}"), at == self.chosen);
        }
    }
}

/// With the likely status chosen.
fn open(app: &mut AppState, _: Now) {
    let pets = app.pets.chosen();
    if pets.is_empty() {
        return app.tell("No pet is selected.");
    }
    if can_change(app, &pets.iter().collect::<Vec<_>>()) {
        let chosen = likely(&pets) as usize;
        app.popups.show(StatusBox { pets, chosen });
    }
}

/// Whether these pets can be changed now; else says why not.
pub fn can_change(app: &mut AppState, pets: &[&Pet]) -> bool {
    let service = &app.link.service;
    let why = match pets.iter().find(|pet| app.pets.changing.contains_key(&pet.id)) {
        _ if app.pets.offers_changes == Some(false) => {
            format!("{service} does not offer to change pets: what was added stays as it is.")
        }
        _ if app.is_switching() => "Another service is being switched to. Nothing was changed.".to_owned(),
        Some(pet) => format!("{} is being changed. Try again when that is done.", named(pet)),
        None => return !app.refuses_changes(),
    };
    app.tell(why);
    false
}

/// What is in the store is sold, what was sold comes back.
fn likely(pets: &[Pet]) -> PetStatus {
    let sold = pets.iter().all(|pet| pet.status == Some(PetStatus::Sold.into()));
    if sold { PetStatus::Available } else { PetStatus::Sold }
}

fn undo(app: &mut AppState, now: Now) {
    if !app.pets.changing.is_empty() {
        return app.tell("Your last change is still on its way. u undoes it when it has arrived.");
    }
    match app.pets.last_change.clone() {
        last if last.is_empty() => app.tell(NOTHING_TO_UNDO),
        last => change(app, last.into_iter().map(|(is, was)| (was, is)).collect(), true, now),
    }
}

/// Makes the first of each two pets of the second, if that still is as it was seen.
fn change(app: &mut AppState, mut pets: Vec<(Pet, Pet)>, is_undo: bool, now: Now) {
    let all = pets.len();
    let first = pets.first().cloned();
    let so = first.as_ref().map_or_else(String::new, |(wanted, _)| status(wanted));
    pets.retain(|(wanted, seen)| wanted != seen);
    if pets.is_empty() {
        let Some((_, seen)) = first.filter(|_| all == 1) else {
            return app.tell(format!("All {all} are {so} already."));
        };
        return match app.pets.store.get(seen.id).cloned() {
            // Behind the open box.
            Some(pet) if pet != seen => {
                app.complain(format!("{} Nothing was changed.", faster(app, &seen, &pet, now)));
            }
            Some(_) | None => app.tell(format!("{} is {so} already.", named(&seen))),
        };
    }
    let can = can_change(app, &pets.iter().map(|(_, seen)| seen).collect::<Vec<_>>());
    let what = match (about(pets.iter().map(|(_, seen)| seen)), pets.as_slice()) {
        (names, _) if is_undo => format!("Undo the change of {names}"),
        (name, [(wanted, seen)]) => format!("{name}: {} instead of {}", status(wanted), status(seen)),
        (names, _) => format!("{names}: {so}"),
    };
    let later = pets.clone();
    if can && !asks_first(app, what, move |app, now| change(app, later, is_undo, now), |_, _| {}, now) {
        app.pets.marked.clear();
        app.pets.last_change.retain(|_| !is_undo);
        let so = all - pets.len();
        begin(app, pets, Outcome { is_undo, so, ..Outcome::default() }, now);
    }
}

/// `Rex (#7)`, or `3 pets: Rex (#7), ...`.
fn about<'a>(pets: impl ExactSizeIterator<Item = &'a Pet>) -> String {
    let all = if pets.len() > 1 { format!("{}: ", counted(pets.len(), "pet")) } else { String::new() };
    all + &list(pets.map(named))
}

/// Asks before the first change to a protected service; `false` where it may be made.
pub fn asks_first(
    app: &mut AppState,
    what: String,
    yes: impl FnOnce(&mut AppState, Now) + Send + 'static,
    no: impl FnOnce(&mut AppState, Now) + Send + 'static,
    now: Now,
) -> bool {
    let asks = !app.may_change();
    if asks {
        let asked = Question::new(
            format!("{} is protected", short(&app.link.label)),
            move |_, page| page.paragraph(2, &what),
            "Change it",
            move |app, now| {
                app.allowed = true;
                yes(app, now);
            },
            move |app, now| {
                app.tell("Nothing was changed.");
                no(app, now);
            },
        );
        app.ask(asked, now);
    }
    asks
}

/// Changes these pets, as one command. Its number.
pub fn begin(app: &mut AppState, pets: Vec<(Pet, Pet)>, command: Outcome, now: Now) -> u64 {
    let open = pets.len();
    app.tell(format!("Changing {} ...", about(pets.iter().map(|(_, seen)| seen))));
    let changes = &mut app.pets.changes;
    changes.begun += 1;
    let number = changes.begun;
    changes.commands.insert(number, Outcome { total: open + command.so, open, ..command });
    for (wanted, seen) in pets {
        app.pets.changing.insert(seen.id, wanted.clone());
        changes.waiting.push_back((seen, wanted, number));
    }
    send(app, now);
    number
}

/// Sends what waits, as far as lanes are free.
fn send(app: &mut AppState, now: Now) {
    for lane in 0..LANES {
        if app.pending.is_running(Slot::Change(lane)) {
            continue;
        }
        let Some((seen, wanted, command)) = app.pets.changes.waiting.pop_front() else { return };
        let key = IdempotencyKeys::new(Uuid::new_v4()).make();
        app.start(ChangePet { seen, wanted, command, key, lane }, now);
    }
}

/// Asks before the program ends while changes have no answer: nobody would learn what became of them.
pub fn asks_before_end(app: &mut AppState, end: fn(&mut AppState, Now), now: Now) -> bool {
    let waiting = app.pets.changing.len();
    let asks = waiting > 0 && app.popups.get::<Question>().is_none();
    if asks {
        let text =
            format!("No answer has come yet for {}. It may be lost if petstore ends now.", counted(waiting, "change"));
        app.ask(
            Question::new("Changes are on their way", move |_, page| page.paragraph(2, &text), "Quit", end, |_, _| {}),
            now,
        );
    }
    asks
}

/// Changes a pet.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangePet {
    /// The pet as it was shown.
    pub seen: Pet,
    /// As it will be.
    pub wanted: Pet,
    pub command: u64,
    key: IdempotencyKey,
    lane: usize,
}

impl Job for ChangePet {
    type Answer = Result<Pet, Failure>;
    const SLOT: fn(&Self) -> Slot = |job| Slot::Change(job.lane);

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        let patch = PetPatch::between(&self.seen, &self.wanted);
        change_pet_once(&env.api("change").await?, self.seen.id, &patch, &self.key).await
    }

    fn done(&self, app: &mut AppState, answer: Self::Answer, now: Now) {
        app.pets.changing.remove(&self.seen.id);
        edit::answered(app, self, answer.as_ref().err());
        let Some(mut outcome) = app.pets.changes.commands.remove(&self.command) else { return };
        outcome.open -= 1;
        match answer {
            Ok(pet) => {
                app.pets.changed_here(&pet);
                outcome.done.push(PetMembers::undo(&self.seen, &self.wanted, &pet));
            }
            Err(failure) => self.failed(app, failure, &mut outcome, now),
        }
        send(app, now);
        if outcome.open > 0 {
            app.pets.changes.commands.insert(self.command, outcome);
        } else {
            report(app, outcome, now);
        }
    }
}

impl ChangePet {
    fn failed(&self, app: &mut AppState, failure: Failure, outcome: &mut Outcome, now: Now) {
        let name = named(&self.seen);
        if let Some(pet) = failure.changed() {
            let nothing = if outcome.total == 1 { " Nothing was changed." } else { "" };
            outcome.not.push(faster(app, &self.seen, &pet, now) + nothing);
            return app.pets.take([pet], now);
        }
        let why = failure.sentence(&app.link.service);
        let is_unknown = failure.outcome_unknown();
        outcome.unknown += usize::from(is_unknown);
        let became = if is_unknown { "may or may not be changed: r shows it" } else { "was not changed" };
        outcome.not.push(format!("{why} {name} {became}."));
        outcome.failed.push((self.wanted.clone(), self.seen.clone()));
        // What waits would fail in the same way, each after its tries.
        if failure.may_pass() || failure.remedy() == Remedy::EnterKey {
            let waiting = std::mem::take(&mut app.pets.changes.waiting);
            let (rest, others) = waiting.into_iter().partition(|(.., command)| *command == self.command);
            app.pets.changes.waiting = others;
            for (seen, wanted, _) in rest {
                app.pets.changing.remove(&seen.id);
                outcome.open -= 1;
                outcome.unsent += 1;
                outcome.failed.push((wanted, seen));
            }
        }
        if failure.may_pass() {
            on_failure(app, failure, now);
        } else {
            app.last_failure = Some(failure);
        }
    }
}

/// Says what has become of a command, once all of it is known. What is too long for a message is in a box.
fn report(app: &mut AppState, outcome: Outcome, now: Now) {
    let Outcome { is_undo, total, so, done, mut not, unknown, unsent, failed, .. } = outcome;
    let word = match done.first() {
        _ if is_undo => "undone".to_owned(),
        Some((is, was)) if is.status != was.status => status(is),
        Some(_) | None => "changed".to_owned(),
    };
    let changed = (!done.is_empty()).then(|| format!("{} {word}", done.len()));
    let others = [(so, "so already"), (not.len() - unknown + unsent, "not"), (unknown, "unknown")];
    let all = changed.into_iter().chain(counts(others)).collect::<Vec<_>>().join(", ");
    not.extend((unsent > 0).then(|| format!("{unsent} were not sent.")));
    let text = match (done.as_slice(), not.as_slice()) {
        ([(pet, _)], []) if is_undo && total == 1 => format!("{}: undone, {}.", named(pet), status(pet)),
        ([(pet, _)], []) if total == 1 => format!("{}: {word}.", named(pet)),
        ([], [why]) if total == 1 => why.clone(),
        (_, []) => format!("{all}."),
        // Nothing covers what is typed elsewhere.
        (_, whys) if whys.len() < 3 || app.popups.is_open() || app.place().name != PETS => {
            format!("{all}: {}", whys.join(" "))
        }
        (_, whys) => {
            app.popups.show(TextBox::new(
                "What became of the change",
                format!("{all}:\n\n{}", whys.join("\n")),
                "not-changed",
            ));
            format!("{all}.")
        }
    };
    let undo = if is_undo || done.is_empty() { "" } else { " u undoes it." };
    match not.is_empty() {
        true => app.say_done(text + undo, now.mono),
        false => app.complain(text + undo),
    }
    if is_undo {
        // What failed can still be undone.
        app.pets.last_change = failed.into_iter().map(|(was, is)| (is, was)).collect();
        return;
    }
    if total > 1 && app.pets.marked.is_empty() {
        app.pets.marked = failed.iter().map(|(_, seen)| seen.id).collect();
    }
    // Of what may have been changed, an older change is not the last one.
    if !done.is_empty() || unknown > 0 {
        app.pets.last_change = done;
    }
}

/// Who was faster, and with what.
pub fn faster(app: &AppState, seen: &Pet, pet: &Pet, now: Now) -> String {
    // Of an older change, neither says anything about this one.
    let last = app.pets.changed_by.get(&pet.id).filter(|(known, ..)| known == pet);
    let (who, at) = last.map_or((None, None), |(_, who, at)| (who.clone(), *at));
    let who = who.map_or_else(|| "somebody".to_owned(), |who| short(&who));
    let ago = at.map_or(String::new(), |at| format!(" {}", ago(at, now)));
    let what = if pet.status == seen.status { "changed" } else { verb(pet.status.as_ref()) };
    format!("{} was {what} by {who}{ago}.", named(pet))
}

/// What was done to a pet that has this status since.
pub const fn verb(status: Option<&ObservedStatus>) -> &'static str {
    match status {
        Some(ObservedStatus::Known(PetStatus::Available)) => "returned",
        Some(ObservedStatus::Known(PetStatus::Pending)) => "reserved",
        Some(ObservedStatus::Known(PetStatus::Sold)) => "sold",
        Some(ObservedStatus::Unknown(_)) | None => "changed",
    }
}

/// How long ago something was.
pub fn ago(at: Timestamp, now: Now) -> String {
    match u64::try_from(now.wall.duration_since(at).as_secs()).unwrap_or_default() {
        0..60 => "just now".to_owned(),
        seconds => format!("{} ago", age(seconds)),
    }
}

pub fn named(pet: &Pet) -> String {
    format!("{} (#{})", short(&pet.name), pet.id)
}

fn status(pet: &Pet) -> String {
    pet.status.as_ref().map_or_else(|| "without a status".to_owned(), |status| short(status.as_str()))
}
