//! A pet in a form: its name, category and status. Only what is different then is sent, tested against what was seen; where
//! somebody was faster, the form shows what the pet is now, and keeps what was typed.

use super::Outcome;
use super::change::{asks_first, begin, can_change};
use crate::api::Failure;
use crate::app::inventory::changes::named;
use crate::clock::Now;
use crate::model::{Categories, Pet, PetMembers, PetStatus, short};
use crate::tui::forms::{CHOOSE, NEXT, PREVIOUS, passes};
use crate::tui::popups::help;
use crate::tui::screens::add_pet::{CATEGORY, NAME};
use crate::tui::widgets::form::{Field, Form, Kind};
use crate::tui::widgets::page::Layout;
use crate::tui::{App, Command, Page, Place, Popup, Typing, command};

const STATUSES: &[(&str, &str)] =
    &[("", "as it is"), ("available", "available"), ("pending", "pending"), ("sold", "sold")];
static STATUS: Field = Field::new("status", "Status", Kind::Choice(STATUSES.split_at(1).1));
/// Of a pet without one of the three.
static OTHER_STATUS: Field = Field::new("status", "Status", Kind::Choice(STATUSES));

/// The form.
#[derive(Clone, Debug)]
pub struct EditBox {
    /// As it was seen last.
    pet: Pet,
    form: Form,
    /// The command that is not answered yet.
    sent: Option<u64>,
    /// Somebody changed it meanwhile.
    was_changed: bool,
}

pub const EDIT: Command = command("edit", "E", "", "edit name, category", open)
    .adds()
    .shell(|app| Some(format!("pets set {} --name NAME", app.pets.selected()?.id)));

const SAVE: Command = command("save", "Enter F2", "save", "save what is different", save);
const BACK: Command = command("back", "Esc F3", "cancel", "change nothing", |app, _| {
    let Some(edit) = app.popups.take::<EditBox>() else { return };
    // What is on its way is reported.
    if edit.sent.is_none() && parts(&edit.pet).iter().any(|(field, value)| edit.form.value(field) != value.trim()) {
        app.tell(format!("{} was not changed: what you typed is dropped.", named(&edit.pet)));
    }
});

static TEXT: &[Command] = &[SAVE, NEXT.at("Tab down", "next", "next field").called(""), PREVIOUS, BACK];

pub static TEXT_PLACE: Place = Place::new("edit-box", "Edit a pet", &[TEXT]).text().in_box();

static CHOICE: &[Command] = &[
    SAVE,
    CHOOSE,
    NEXT.at("Tab", "next", "next field").called(""),
    PREVIOUS.at("S-Tab", "", "previous field"),
    help::SHOW.at("?", "", "this help"),
    BACK,
];

pub static CHOICE_PLACE: Place = Place::new("edit-choice", "Edit a pet", &[CHOICE]).letters().in_box();

/// What a form has for each part of a pet.
fn parts(pet: &Pet) -> [(&'static Field, String); 3] {
    let status = pet.status_word().parse().map_or("", PetStatus::as_str);
    [(&NAME, pet.name.clone()), (&CATEGORY, pet.category_id.to_string()), (&STATUS, status.to_owned())]
}

fn open(app: &mut App, _: Now) {
    let Some(pet) = app.pets.selected().map(|pet| app.pets.as_shown(pet)) else {
        return app.tell("No pet is selected.");
    };
    if can_change(app) {
        let parts = parts(&pet);
        let status = if parts[2].1.is_empty() { &OTHER_STATUS } else { &STATUS };
        let mut form = Form::new(&[&NAME, &CATEGORY, status]);
        parts.iter().for_each(|(field, value)| form.set(field, value));
        app.popups.show(EditBox { pet, form, sent: None, was_changed: false });
    }
}

impl EditBox {
    /// The pet as it will be. What was not touched stays, also where it has blanks around it.
    fn wanted(&self, categories: &Categories) -> Pet {
        let [name, category, status] = [&NAME, &CATEGORY, &STATUS].map(|field| self.form.value(field));
        let status = status.parse().ok().map(|status: PetStatus| status.into());
        let category_id = categories.parse(category).ok();
        PetMembers { name: Some(name.to_owned()), category_id, status }.typed_over(&self.pet)
    }

    /// Takes up what the pet is now, except where something else was typed.
    fn see(&mut self, now: Pet) {
        for ((field, old), (_, new)) in parts(&self.pet).iter().zip(parts(&now)) {
            if self.form.value(field) == old.trim() {
                self.form.set(field, &new);
            }
        }
        (self.pet, self.was_changed) = (now, true);
    }
}

fn save(app: &mut App, now: Now) {
    let Some(edit) = app.popups.get::<EditBox>().filter(|edit| edit.sent.is_none()).cloned() else { return };
    if !passes(app, "Nothing was changed.") {
        return;
    }
    let wanted = edit.wanted(&app.pets.categories);
    if wanted == edit.pet {
        return app.tell("Nothing is different from what it was.");
    }
    if can_change(app) && !asks_first(app, format!("{} is changed.", named(&edit.pet)), save, now) {
        let command = begin(app, vec![(edit.pet, wanted)], Outcome::default(), now);
        if let Some(EditBox { sent, .. }) = app.popups.get_mut() {
            *sent = Some(command);
        }
    }
}

/// The answer to what was saved, or that it waits: closes the form, or shows in it what is wrong.
pub fn answered(app: &mut App, command: u64, failure: Option<&Failure>) {
    let Some(edit) = app.popups.get_mut::<EditBox>().filter(|edit| edit.sent == Some(command)) else { return };
    edit.sent = None;
    let Some(failure) = failure else { return drop(app.popups.take::<EditBox>()) };
    if let Some(pet) = failure.changed() {
        return edit.see(pet);
    }
    let Failure::Refused { code: Some(code), message, .. } = failure else { return };
    // The codes of the description: `invalid_name`, `invalid_category`, `invalid_status`.
    for field in [&NAME, &CATEGORY, &STATUS].into_iter().filter(|field| *code == format!("invalid_{}", field.name)) {
        edit.form.refuse(field, short(message));
    }
}

impl Popup for EditBox {
    fn place(&self) -> &'static Place {
        self.form.place([&TEXT_PLACE, &TEXT_PLACE, &CHOICE_PLACE, &TEXT_PLACE])
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        self.form.take(typing)
    }

    fn form(&mut self) -> Option<&mut Form> {
        Some(&mut self.form)
    }

    fn draw(&self, app: &App, page: &mut Page<'_>) {
        let rows = if self.was_changed { 15 } else { 11 };
        page.popup(74, rows + 2, &format!("Edit pet {}", self.pet.id));
        page.at_least(rows, 1, |page| {
            page.gap();
            if self.was_changed {
                let [name, _, status] = parts(&self.pet).map(|(_, value)| value);
                let category = app.pets.categories.label(self.pet.category_id);
                page.wrapped(3, &format!("It is now: {name}, {category}, {status}. Saving changes that."), 3);
                page.gap();
            }
            page.form(&self.form, &Layout { x: 17, beside: true, gap: 0, idle: false }, &app.known(), "");
            page.gap();
            page.quiet(if self.sent.is_some() { "   Saving ..." } else { "" });
        });
    }
}
