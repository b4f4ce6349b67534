//! Sell, reserve, return: the status of the pet under the cursor is changed, tested against what is on the screen, so that
//! nothing is overwritten unseen. The row shows it at once, marked until the service has answered. The last change can be
//! undone.

use std::sync::Arc;

use uuid::Uuid;

use super::update::on_failure;
use crate::api::Failure;
use crate::api::retry::change_pet_once;
use crate::clock::Now;
use crate::model::words::age;
use crate::model::{IdempotencyKey, IdempotencyKeys, ObservedStatus, Pet, PetMembers, PetPatch, PetStatus, short};
use crate::tui::command::{LETTERS, closes};
use crate::tui::popups::Question;
use crate::tui::{AppState, Command, Env, Job, Page, Place, Popup, Slot, command, moved, moves};

/// How many changes are under way at most.
const LANES: usize = 16;

pub static CHANGE: &[Command] = &[
    command("change-status", "s", "sell", "sell, reserve, return", open).adds().shell(|app| {
        let pet = app.pets.selected()?;
        let seen =
            pet.status.as_ref().map_or(String::new(), |status| format!(" --if-status {}", short(status.as_str())));
        Some(format!("pets set {} --status {}{seen}", pet.id, likely(pet)))
    }),
    command("undo", "u", "", "undo your last change", undo).adds(),
];

/// Which status the pet gets.
#[derive(Debug)]
pub struct StatusBox {
    /// As it was when this was opened: nobody may have changed it since.
    pet: Pet,
    chosen: usize,
}

static STATUS: &[Command] = &[
    moves(LETTERS, "choose", "choose", |app, movement, _| {
        let Some(StatusBox { chosen, .. }) = app.popups.get_mut() else { return };
        *chosen = moved(*chosen, movement, PetStatus::ALL.len(), PetStatus::ALL.len());
    }),
    command("confirm", "Enter F2", "change", "change it", |app, now| {
        let Some(StatusBox { pet, chosen }) = app.popups.take() else { return };
        let wanted = Pet { status: Some(PetStatus::ALL[chosen].into()), ..pet.clone() };
        change(app, pet, wanted, false, now);
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
        let name = page.appearance.text(&self.pet.name);
        page.line(format!("  {} (#{})", short(&name), self.pet.id));
        page.gap();
        for (at, status) in PetStatus::ALL.into_iter().enumerate() {
            let is_so = self.pet.status == Some(status.into());
            let now = if is_so { "  (as it is)" } else { "" };
            page.item(&format!("{status}{now}"), at == self.chosen);
        }
    }
}

/// With the likely status chosen.
fn open(app: &mut AppState, _: Now) {
    let Some(pet) = app.pets.selected().cloned() else { return app.tell("No pet is selected.") };
    if app.pets.offers_changes == Some(false) {
        let service = &app.link.service;
        return app.tell(format!("{service} does not offer to change pets: what was added stays as it is."));
    }
    let chosen = likely(&pet) as usize;
    app.popups.show(StatusBox { pet, chosen });
}

/// What is in the store is sold, what was sold comes back.
fn likely(pet: &Pet) -> PetStatus {
    if pet.status == Some(PetStatus::Sold.into()) { PetStatus::Available } else { PetStatus::Sold }
}

fn undo(app: &mut AppState, now: Now) {
    match app.pets.last_change.take() {
        Some((is, was)) => change(app, is, was, true, now),
        None => app.tell("There is no change of yours to undo."),
    }
}

/// Makes `wanted` of a pet, if it still is as it was `seen`.
fn change(app: &mut AppState, seen: Pet, wanted: Pet, is_undo: bool, now: Now) {
    if seen == wanted {
        return app.tell(format!("{} is {} already.", named(&seen), status(&seen)));
    }
    if app.refuses_changes() {
        return;
    }
    if !app.may_change() {
        let title = format!("{} is protected", short(&app.link.label));
        let (from, to) = (seen.clone(), wanted.clone());
        let what = format!("{}: {} instead of {}", named(&seen), status(&wanted), status(&seen));
        let asked = Question::new(
            title,
            move |_, page| page.paragraph(2, &what),
            "Change it",
            move |app, now| {
                app.allowed = true;
                change(app, from, to, is_undo, now);
            },
            |app, _| app.tell("Nothing was changed."),
        );
        return app.ask(asked, now);
    }
    let is_free = |lane: &usize| !app.pending.is_running(Slot::Change(*lane));
    let Some(lane) = (0..LANES).find(is_free) else {
        return app.tell("Many changes are on their way. Try again when some have arrived.");
    };
    let key = IdempotencyKeys::new(Uuid::new_v4()).make();
    app.pets.changing.insert(seen.id, wanted.clone());
    app.start(ChangePet { seen, wanted, is_undo, key, lane }, now);
}

/// Changes a pet.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangePet {
    /// The pet as it was shown.
    pub seen: Pet,
    /// As it will be.
    pub wanted: Pet,
    is_undo: bool,
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
        match answer {
            Ok(pet) => {
                app.pets.changed_here(&pet);
                let text = format!("{}: {}.", named(&pet), done(&pet, self.is_undo));
                // Only what this has changed: the rest may be of others.
                let (from, to) = PetMembers::of_change(&self.seen, &self.wanted);
                let (mut is, mut was) = (pet.clone(), pet);
                to.put_into(&mut is);
                from.put_into(&mut was);
                if !self.is_undo {
                    app.pets.last_change = Some((is, was));
                }
                let undo = if self.is_undo { "" } else { " u undoes it." };
                app.say_done(text + undo, now.mono);
            }
            Err(failure) => {
                if let Some(pet) = failure.changed() {
                    app.complain(format!("{} Nothing was changed.", faster(app, &pet, now)));
                    return app.pets.take([pet], now);
                }
                let why = failure.sentence(&app.link.service);
                app.complain(match failure.outcome_unknown() {
                    true => {
                        format!("{why} {} may or may not be {}: r shows it.", named(&self.seen), status(&self.wanted))
                    }
                    false => format!("{why} {} was not changed.", named(&self.seen)),
                });
                if failure.may_pass() {
                    on_failure(app, failure, now);
                } else {
                    app.last_failure = Some(failure);
                }
            }
        }
    }
}

/// Who was faster, and with what.
fn faster(app: &AppState, pet: &Pet, now: Now) -> String {
    let verb = match &pet.status {
        Some(ObservedStatus::Known(PetStatus::Available)) => "returned",
        Some(ObservedStatus::Known(PetStatus::Pending)) => "reserved",
        Some(ObservedStatus::Known(PetStatus::Sold)) => "sold",
        Some(ObservedStatus::Unknown(_)) | None => "changed",
    };
    // Of an older change, neither says anything about this one.
    let last = app.pets.changed_by.get(&pet.id).filter(|(known, ..)| known == pet);
    let (who, at) = last.map_or((None, None), |(_, who, at)| (who.clone(), *at));
    let who = who.map_or_else(|| "Somebody".to_owned(), |who| short(&who));
    let seconds = at.map(|at| u64::try_from(now.wall.duration_since(at).as_secs()).unwrap_or_default());
    let ago = match seconds {
        None => String::new(),
        Some(0..60) => " just now".to_owned(),
        Some(seconds) => format!(" {} ago", age(seconds)),
    };
    format!("{who} {verb} {}{ago}.", named(pet))
}

fn named(pet: &Pet) -> String {
    format!("{} (#{})", short(&pet.name), pet.id)
}

fn status(pet: &Pet) -> String {
    pet.status.as_ref().map_or_else(|| "without a status".to_owned(), |status| short(status.as_str()))
}

fn done(pet: &Pet, is_undo: bool) -> String {
    let undone = if is_undo { "undone, " } else { "" };
    format!("{undone}{}", status(pet))
}
