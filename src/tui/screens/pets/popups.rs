//! The boxes over the pets: how many rows a request asks for; a pet by its id, to be sold or shown, from the loaded rows,
//! then from the lists, and with the deprecated operation only where those cannot answer; and a name that makes the search
//! a view.

use std::sync::Arc;
use std::time::Instant;

use super::change::{asks_first, becoming, begin, can_change};
use super::update::{on_failure, on_sign_of_life, reload, show_tab, waits};
use super::{BUILT_IN, Outcome, ReadNext, State};
use crate::api::Failure;
use crate::api::find::{Ask, Lists, LookupResult, find};
use crate::app::inventory::changes::named;
use crate::clock::Now;
use crate::config::file::{is_taken, name_fault};
use crate::config::{View, edit};
use crate::model::search::Query;
use crate::model::sunset::{self, GET_PET_REMOVED_ON_WORDS};
use crate::model::{Limit, Pet, PetId, PetStatus, counted, cut, short};
use crate::tui::command::closes;
use crate::tui::popups::{DEAF, FieldBox};
use crate::tui::{
    App, Command, Env, Job, Page, Place, Popup, Screen, Slot, StyleRole, TextInput, Typing, blocking, command,
};

#[derive(Debug)]
pub struct LimitBox(pub FieldBox);

static LIMIT: &[Command] = &[
    command("confirm", "Enter F2", "use it", "use this number", use_limit)
        .when(|app| app.popups.get().is_some_and(|LimitBox(field)| field.input.value().parse::<Limit>().is_ok())),
    closes("Esc F3", "cancel", "close without a change"),
];

pub static LIMIT_PLACE: Place = Place::new("limit-box", "Number of rows", &[LIMIT]).text().in_box();

pub fn open_limit(app: &mut App, _: Now) {
    let mut input = TextInput::new(app.pets.limit.to_string());
    input.select();
    app.popups.show(LimitBox(FieldBox { input, error: None }));
}

fn use_limit(app: &mut App, now: Now) {
    let Some(LimitBox(field)) = app.popups.get_mut() else { return };
    let typed = field.input.value().trim();
    let Ok(limit) = typed.parse() else {
        return field.refuse(format!("\"{}\" is not a number from 1 to 100.", short(typed)));
    };
    app.popups.close();
    app.message = None;
    app.pets.limit = limit;
    if !waits(app) {
        reload(app, ReadNext::Nothing, now);
    }
}

impl Popup for LimitBox {
    fn place(&self) -> &'static Place {
        &LIMIT_PLACE
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        self.0.on_typing(typing.trimmed())
    }

    fn draw(&self, _: &App, page: &mut Page<'_>) {
        page.popup(62, 9, "How many rows?");
        self.0.draw("Rows", 6, "How many the first request asks for, 1 to 100.", page);
    }
}

/// Looks up the pet with this id.
pub fn look_up(app: &mut App, id: PetId, now: Now) {
    let field = FieldBox { input: TextInput::new(id.to_string()), error: None };
    app.popups.show(LookupBox { field, sells_from: None });
    look(app, false, now);
}

#[derive(Debug, Default)]
pub struct LookupBox {
    pub field: FieldBox,
    /// Sells what is typed from then on: what follows in a scan whose letter has opened the sale mode is not a sale.
    pub sells_from: Option<Instant>,
}

impl LookupBox {
    /// The id that was typed, or what is wrong with it.
    fn id(&self) -> Result<PetId, String> {
        let typed = self.field.input.value().trim();
        typed.parse().map_err(|_| match typed {
            "" => "Type a pet's id: a whole number.".to_owned(),
            _ => format!("\"{}\" is not an id. Type a whole number, for example 100232.", short(typed)),
        })
    }
}

static LOOKUP: &[Command] = &[
    command("confirm", "Enter F2 F5", "find", "find it", |app, now| look(app, false, now)).when(has_id),
    command("sale-mode", "S", "sale mode", "sell each scan at once", open_sale).adds(),
    command("ask-deprecated", "g", "GET /pets/ID", "GET /pets/{petId}", |app, now| look(app, true, now)).when(has_id),
    command("back", "Esc F3", "close", "close", |app, _| {
        app.popups.close();
        app.cancel(Slot::ById);
    }),
];

pub static LOOKUP_PLACE: Place = Place::new("by-id", "Find a pet", &[LOOKUP]).text().in_box();

fn has_id(app: &App) -> bool {
    app.popups.get().is_some_and(|lookup: &LookupBox| lookup.id().is_ok())
}

/// Looks up the pet; with `at_once`, by the deprecated operation.
fn look(app: &mut App, at_once: bool, now: Now) {
    let Some(lookup) = app.popups.get_mut::<LookupBox>() else { return };
    let id = match lookup.id() {
        Ok(id) => id,
        Err(why) => return lookup.field.refuse(why),
    };
    lookup.field.error = None;
    // The next id replaces it.
    lookup.field.input.select();
    let here = if at_once { None } else { app.pets.store.get(id).cloned() };
    if let Some(pet) = here {
        app.cancel(Slot::ById);
        return show(app, pet, "in the loaded rows", now);
    }
    let ask = if at_once { Ask::Now } else { may_ask(now) };
    app.start(FindPet { id, ask, sells: false }, now);
}

/// Once the deprecated operation is removed, or about to be, it is only used on request.
fn may_ask(now: Now) -> Ask {
    if sunset::is_over(now.wall) { Ask::Never } else { Ask::IfNeeded }
}

/// Selects the pet that was found.
fn show(app: &mut App, pet: Pet, how: &str, now: Now) {
    app.popups.take::<LookupBox>();
    app.screen = Screen::Pets;
    app.say_done(format!("Pet {} found {how}.", pet.id), now.mono);
    app.pets.drawer = true;
    app.pets.go_to(pet);
}

/// Looks up the pet with this id.
#[derive(Clone, Debug, PartialEq)]
pub struct FindPet {
    pub id: PetId,
    pub ask: Ask,
    /// For the sale mode.
    pub sells: bool,
}

impl Job for FindPet {
    type Answer = Result<LookupResult, Failure>;
    const SLOT: fn(&Self) -> Slot = |job| if job.sells { Slot::Scanned } else { Slot::ById };

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        find(&env.api("pet by id").await?, &Lists::default(), self.id, self.ask).await
    }

    fn done(&self, app: &mut App, found: Self::Answer, now: Now) {
        if self.sells {
            return sell_found(app, self.id, found, now);
        }
        let Some(LookupBox { field, .. }) = app.popups.get_mut() else { return };
        match found {
            Err(failure) => {
                field.error = Some(format!("{} Enter tries again.", failure.sentence(&app.link.service)));
                return on_failure(app, failure, now);
            }
            Ok(LookupResult { pet: Some(pet), steps, .. }) => {
                show(app, pet, &format!("with {}", counted(steps, "request")), now);
            }
            Ok(none) => {
                let further = if none.get.is_some() { "" } else { " g asks for it directly." };
                field.error = Some(format!("{}{further}", none.why_none()));
            }
        }
        on_sign_of_life(app, now);
    }
}

impl Popup for LookupBox {
    fn place(&self) -> &'static Place {
        if self.sells_from.is_some() { &SALE_PLACE } else { &LOOKUP_PLACE }
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        self.field.on_typing(typing.trimmed())
    }

    fn deaf_until(&self) -> Option<Instant> {
        self.sells_from
    }

    /// Nor the rest of a scan that has begun too soon: its last digits are another pet.
    fn on_ignored(&mut self, now: Now) {
        self.sells_from = Some(now.mono + DEAF);
        self.field.refuse("That came too soon after S and was not taken. Scan it again.".to_owned());
    }

    fn draw(&self, app: &App, page: &mut Page<'_>) {
        if self.sells_from.is_some() {
            return self.draw_sale(&app.pets, page);
        }
        page.popup(62, 13, "Find a pet");
        let note = match app.pending.since(Slot::ById) {
            Some(since) => &format!("Looking for it ... ({} s, Ctrl-C cancels)", page.now.seconds_since(since)),
            None => "Scan a pet, or type its id and Enter: it is selected, and s sells it. S: each scan is a sale.",
        };
        self.field.draw("Id", 21, note, page);
        page.gap();
        // The operation by id is deprecated, which is shown wherever it can be used.
        let when = if sunset::is_over(page.now.wall) { "was" } else { "will be" };
        let removed = format!("{when} removed on {GET_PET_REMOVED_ON_WORDS}");
        page.wrapped(3, &format!("g asks GET /pets/{{petId}}, which is deprecated and {removed}."), 2);
    }
}

// The sale mode: each number that is scanned is sold at once, whatever comes while others are on their way.

/// How many outcomes are shown.
const OUTCOMES: usize = 5;

static SALE: &[Command] = &[
    command("confirm", "Enter F2", "sell", "sell it", scan),
    command("find", "S", "only find", "find pets, sell nothing", |app, _| app.popups.show(LookupBox::default())),
    closes("Esc F3", "leave", "leave the sale mode"),
];

pub static SALE_PLACE: Place = Place::new("sale-mode", "Sale mode", &[SALE]).text().in_box();

fn open_sale(app: &mut App, now: Now) {
    if !can_change(app) {
        return;
    }
    app.popups.close();
    if !asks_first(app, "In the sale mode, each scan sells a pet at once.".to_owned(), open_sale, now) {
        app.cancel(Slot::ById);
        app.popups.show(LookupBox { sells_from: Some(now.mono + DEAF), ..LookupBox::default() });
    }
}

fn scan(app: &mut App, now: Now) {
    let Some(lookup) = app.popups.get_mut::<LookupBox>() else { return };
    match lookup.id() {
        Err(why) => lookup.field.refuse(why),
        Ok(id) => {
            lookup.field.input.clear();
            app.pets.sale.waiting.push_back(id);
            sell_next(app, now);
        }
    }
}

/// Sells what was scanned, in its order; one that is not among the loaded pets is looked up first.
fn sell_next(app: &mut App, now: Now) {
    while !app.pending.is_running(Slot::Scanned)
        && let Some(&id) = app.pets.sale.waiting.front()
    {
        let pets = &app.pets;
        // One that was sold may have come back since.
        let is_current = |pet: &&Pet| !pet.is(PetStatus::Sold) || pets.changing.contains_key(&id);
        match pets.store.get(id).filter(is_current).cloned() {
            Some(pet) => {
                app.pets.sale.waiting.pop_front();
                sell(app, &pet, now);
            }
            None => app.start(FindPet { id, ask: may_ask(now), sells: true }, now),
        }
    }
}

/// Sells it, if it still is as it is known.
fn sell(app: &mut App, pet: &Pet, now: Now) {
    let seen = app.pets.as_shown(pet);
    if seen.is(PetStatus::Sold) {
        tell_of_sale(app, Err(format!("{} is sold already. Nothing was changed.", named(&seen))));
    } else if can_change(app) {
        begin(app, vec![becoming(seen, PetStatus::Sold)], Outcome { is_sale: true, ..Outcome::default() }, now);
    } else {
        let why = app.message.take().map_or_else(String::new, |message| message.text);
        tell_of_sale(app, Err(format!("{} was not sold. {why}", named(&seen))));
    }
}

/// What was found of a pet that is not among the loaded ones.
fn sell_found(app: &mut App, id: PetId, found: Result<LookupResult, Failure>, now: Now) {
    app.pets.sale.waiting.pop_front();
    let not_sold = |why: &str| Err(format!("Pet {id} was not sold. {why}"));
    match found {
        Ok(LookupResult { pet: Some(pet), .. }) => sell(app, &pet, now),
        Ok(none) => tell_of_sale(app, not_sold(none.why_none())),
        Err(failure) => {
            tell_of_sale(app, not_sold(&failure.sentence(&app.link.service)));
            on_failure(app, failure, now);
        }
    }
    sell_next(app, now);
}

/// Says what became of one: in the box, or where that was left, below.
pub fn tell_of_sale(app: &mut App, outcome: Result<String, String>) {
    if app.place() == &SALE_PLACE {
        app.message = None;
    } else if let Err(why) = &outcome {
        app.complain(why.clone());
    }
    app.pets.sale.outcomes.push_front(outcome);
    app.pets.sale.outcomes.truncate(OUTCOMES);
}

impl LookupBox {
    /// Below what was typed is what became of what was scanned.
    fn draw_sale(&self, pets: &State, page: &mut Page<'_>) {
        page.popup(62, 18, "SALE MODE: each scan sells");
        let sent = pets.commands.values().filter(|command| command.is_sale).count();
        let note = match pets.sale.waiting.len() + sent {
            0 => "Scan a pet, or type its id and Enter: it is sold at once. Esc leaves; u then undoes the last sale.",
            scans => &format!("Selling ... No answer yet for {}.", counted(scans, "scan")),
        };
        self.field.draw("Sell", 21, note, page);
        page.gap();
        for outcome in &pets.sale.outcomes {
            match outcome {
                Ok(sold) => {
                    page.styled(format!("   {}", cut(&page.appearance.text(sold), page.columns() - 4)), StyleRole::Good)
                }
                Err(why) => page.error(3, why, 3),
            }
        }
    }
}

#[derive(Debug, Default)]
pub struct ViewBox(FieldBox);

static VIEW: &[Command] = &[
    command("confirm", "Enter F2", "save", "save the view", save_view)
        .when(|app| app.popups.get().is_some_and(|ViewBox(view)| view.error.is_none() && !view.input.is_empty())),
    closes("Esc F3", "cancel", "close without saving"),
];

pub static VIEW_PLACE: Place = Place::new("save-view", "Save as a view", &[VIEW]).text().in_box();

fn save_view(app: &mut App, now: Now) {
    let Some(ViewBox(field)) = app.popups.get() else { return };
    match present(app, field.input.value().trim().to_owned()) {
        Ok(view) => app.start_if_free(AddView(Box::new(view)), now),
        Err(why) => refuse(app, why),
    }
}

/// Says in the box why nothing was saved, or below if it was closed.
fn refuse(app: &mut App, why: String) {
    match app.popups.get_mut() {
        Some(ViewBox(view)) => view.refuse(why),
        None => app.complain(why),
    }
}

/// What is shown as a view of this name, or why it cannot be saved.
fn present(app: &App, name: String) -> Result<View, String> {
    let pets = &app.pets;
    let is_used = pets.tabs[BUILT_IN..].iter().any(|tab| tab.view.name == name);
    if let Some(fault) = name_fault(&name).or_else(|| is_used.then(|| is_taken(&name))) {
        return Err(fault);
    }
    let view = pets.as_view(name);
    let fault = Query::fault(&view.search, &pets.categories);
    fault.map_or(Ok(view), |fault| Err(format!("This search cannot be saved: {fault}.")))
}

/// Adds a view to the configuration file; the rest of that stays as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct AddView(pub Box<View>);

impl Job for AddView {
    type Answer = Result<(), String>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Views;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        blocking(move || edit::add_view(env.machine.configuration()?, &self.0).map_err(|error| error.to_string())).await
    }

    fn done(&self, app: &mut App, written: Self::Answer, now: Now) {
        if let Err(why) = written {
            return refuse(app, format!("The view was not saved: {why}"));
        }
        app.popups.take::<ViewBox>();
        app.pets.add_view(View::clone(&self.0));
        show_tab(app, app.pets.tabs.len() - 1, now);
        app.say_done(format!("View {} saved. To change it, edit config.toml.", short(&self.0.name)), now.mono);
    }
}

impl Popup for ViewBox {
    fn place(&self) -> &'static Place {
        &VIEW_PLACE
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        self.0.on_typing(typing)
    }

    fn draw(&self, _: &App, page: &mut Page<'_>) {
        page.popup(62, 9, "Save as a view");
        self.0.draw("Name", 26, "Enter saves the search, status and order shown as a tab.", page);
    }
}
