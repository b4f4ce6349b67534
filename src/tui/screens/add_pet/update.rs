//! Handles keys and replies of the add form.

use std::sync::Arc;

use crate::api::failure::{Failure, Remedy};
use crate::app::outbox::send::{self as outbox, NotCreated, SentAt};
use crate::app::outbox::unknown_outcome::{
    PendingAdd, SearchResult, SearchedPets, UnknownOutcome, UnknownOutcomeChoice, search_for,
};
use crate::clock::Now;
use crate::model::text::short;
use crate::model::words::counted;
use crate::model::{Field, IdempotencyKey, NewPet, Pet, PetStatus};
use crate::tui::command::{Command, Place, change, command, moves};
use crate::tui::drafts;
use crate::tui::effect::Effect;
use crate::tui::forms::{self, CHOOSE, CONFIRM, NEXT, PREVIOUS};
use crate::tui::job::{Env, Job};
use crate::tui::pending::Slot;
use crate::tui::popups::confirm::ask_of_service;
use crate::tui::popups::{Question, help};
use crate::tui::screens::pets;
use crate::tui::state::{AddedPet, AppState, Screen};
use crate::tui::text_input::Typing;
use crate::tui::widgets::list::moved;
use crate::tui::widgets::page::Page;

use super::fields::{CATEGORY, NAME, STATUS};
use super::import::start::IMPORT;
use super::rapid;
use super::state::{Held, Refusal, State};

/// The most keys held for the next pet while one is being sent.
pub(super) const MAX_HELD: usize = 4096;

/// Shows the form itself; another command shows what was left open in its place.
pub const NEW: Command = command("show-add", "a", "add", "add a pet", show_form).everywhere().adds().shell(add_line);

pub fn add_line(_: &AppState) -> Option<String> {
    Some("pets add --name NAME --category-id ID".to_owned())
}

const SAVE: Command = command("save", "F2", "save", "check and send", save);
const QUEUE: Command = command("queue", "Ctrl-O", "", "queue it after a failure", queue);
const CLEAR: Command = change("clear", "F8", "clear", "clear; again: undo", clear);
const BACK: Command = change("back", "Esc F3", "pets", "to the pets, text stays", leave);

/// A text field of the form.
static FORM: &[Command] =
    &[NEXT, PREVIOUS, SAVE, QUEUE, rapid::update::RAPID_ENTRY, IMPORT.at("F7", "import", "import a file"), CLEAR, BACK];

pub static FORM_PLACE: Place = Place::new("form", "Add pet", &[FORM]).text();

/// A choice of it.
static FORM_CHOICE: &[Command] = &[
    NEXT.at("Tab", "next", "next field"),
    CONFIRM,
    PREVIOUS.at("S-Tab", "back", "previous field"),
    CHOOSE,
    SAVE,
    QUEUE,
    rapid::update::RAPID_ENTRY.at("F6", "", "rapid entry"),
    IMPORT.at("F7", "", "import a file"),
    CLEAR,
    help::SHOW.at("?", "", "this help"),
    BACK,
];

pub static FORM_CHOICE_PLACE: Place = Place::new("form-choice", "Add pet", &[FORM_CHOICE]).letters();

/// Its button.
static FORM_BUTTON: &[Command] = &[
    SAVE.at("Enter F2", "save", "check and send"),
    NEXT.at("Tab down", "first field", "first field").called(""),
    PREVIOUS.at("S-Tab up", "back", "previous field"),
    QUEUE,
    rapid::update::RAPID_ENTRY,
    IMPORT.at("F7", "", "import a file"),
    CLEAR,
    help::SHOW.at("?", "", "this help"),
    BACK,
];

pub static FORM_BUTTON_PLACE: Place = Place::new("form-button", "Add pet", &[FORM_BUTTON]).letters();

/// The question after an add without an answer.
static QUESTION: &[Command] = &[
    command("answer-1", "1", "", "select this answer", |app, now| answer(app, 0, now)),
    command("answer-2", "2", "", "select this answer", |app, now| answer(app, 1, now)),
    command("answer-3", "3", "", "select this answer", |app, now| answer(app, 2, now)),
    command("confirm", "Enter", "select", "select this answer", |app, now| {
        let choice = app.add.unknown_outcome.as_ref().map_or(0, |unknown| unknown.choice);
        answer(app, choice, now)
    }),
    moves("up S-Tab k|down Tab j", "choose", "choose", |app, movement, _| {
        if let Some(unknown) = &mut app.add.unknown_outcome {
            let answers = unknown.answers().len();
            unknown.choice = moved(unknown.choice, movement, answers, answers);
        }
    }),
    command("clear", "F8", "drop the question", "drop the question", |app, _| {
        app.add.unknown_outcome = None;
        app.add.sent = None;
        app.add.form.go_to(&NAME);
        app.note("You can edit the form again. The pet may or may not have been added.")
    }),
    change("back", "Esc F3", "pets", "to the pets", leave),
];

pub static QUESTION_PLACE: Place = Place::new("unknown-outcome", "Unknown outcome", &[QUESTION]);

impl State {
    /// Where a key goes.
    pub fn key_place(&self) -> &'static Place {
        match &self.unknown_outcome {
            _ if self.import.on => self.import.key_place(),
            _ if self.rapid.on => self.rapid.key_place(),
            Some(_) => &QUESTION_PLACE,
            None => self.form.place([&FORM_PLACE, &FORM_PLACE, &FORM_CHOICE_PLACE, &FORM_BUTTON_PLACE]),
        }
    }
}

fn show_form(state: &mut AppState, now: Now) -> Vec<Effect> {
    state.screen = Screen::AddPet;
    state.pets.searching = false;
    state.add.import.on = false;
    if state.add.rapid.on { rapid::update::switch(state, now) } else { Vec::new() }
}

fn leave(state: &mut AppState, _: Now) {
    state.screen = Screen::Pets;
}

/// Holds a key or a paste while a pet is being sent: it is typed ahead for the next one.
pub fn hold(state: &mut AppState, typed: Held) -> bool {
    let is_form = state.screen == Screen::AddPet && !state.add.rapid.on && !state.add.import.on;
    let holds = is_form && state.add.is_sending();
    if holds && state.add.held.len() < MAX_HELD {
        state.add.held.push(typed);
    } else if holds {
        state.complain("Too much was typed while sending: the rest is ignored until the answer comes.");
    }
    holds
}

fn clear(state: &mut AppState, _: Now) {
    if !state.add.can_clear() {
        return state.tell("The form is empty.");
    }
    let restored = state.add.clear_or_restore();
    state.tell(if restored { "Form restored." } else { "Form cleared. F8 restores it." });
}

/// Puts typed text into the field with the cursor.
pub fn on_typing(state: &mut AppState, typing: Typing<'_>, now: Now) -> bool {
    if state.add.import.on {
        return state.add.import.on_typing(typing);
    }
    if state.add.rapid.on {
        return rapid::update::on_typing(state, typing, now);
    }
    let add = &mut state.add;
    let was_kept = add.form.is_at(&CATEGORY) && std::mem::take(&mut add.sticky);
    if was_kept && matches!(typing, Typing::Text(_)) {
        add.form[&CATEGORY].clear();
    }
    forms::on_typing(state, typing)
}

/// A letter at a choice: `a p s n` select a status.
pub fn on_letter(state: &mut AppState, letter: char) {
    if state.add.unknown_outcome.is_none() && state.add.form.is_at(&STATUS) && !state.add.import.on {
        state.add.set_status(match letter {
            'a' => Some(PetStatus::Available),
            'p' => Some(PetStatus::Pending),
            's' => Some(PetStatus::Sold),
            'n' => None,
            _ => return,
        });
    }
}

/// Puts a pet that could not be sent among the lines of rapid entry, which are sent once the service answers.
fn queue(state: &mut AppState, now: Now) -> Vec<Effect> {
    let can_wait = state.add.refusal.as_ref().is_some_and(|refusal| refusal.failure.can_wait());
    let draft = state.add.draft();
    if !can_wait || draft.check(&state.add.rapid.setup.categories).is_err() {
        return state.note("Ctrl-O queues a pet that could not be sent. F2 sends this one.");
    }
    let name = short(&draft.name);
    if let Err(why) = rapid::input::queue(state, draft, now) {
        return state.fail(format!("{why} Your text is kept."));
    }
    state.add.next_animal();
    state.drafts.at_once = true;
    state.note(format!("{name} is queued, and sent once {} answers. F6 shows the queue.", state.link.service))
}

/// Checks the form and sends it, or puts the cursor on the first field to fix.
fn save(state: &mut AppState, now: Now) -> Vec<Effect> {
    // Only what is wrong here keeps it from being sent again.
    let refusal = state.add.refusal.take();
    let passes = forms::passes(state, "Nothing was sent.");
    state.add.refusal = refusal;
    match state.add.draft().check(&state.add.rapid.setup.categories) {
        Ok(new) if passes => send(state, new, now),
        _ => Vec::new(),
    }
}

fn send(state: &mut AppState, new: NewPet, now: Now) -> Vec<Effect> {
    if is_still_switching(state, "nothing was sent. Press F2 again after that.") || asks_first(state, &new, now) {
        return Vec::new();
    }
    // A second try may be for the same pet as the first: its key, its time and the ids known before still apply.
    let before = state.add.sent.take().filter(|sent| sent.new == new);
    let outcome_unknown = before.is_some();
    let (key, at, known) = match before {
        Some(sent) => (sent.key, sent.at, sent.known),
        None => {
            let at = SentAt { here: now.wall, there: state.link.time(now.mono) };
            (state.keys.make(), at, Arc::new(drafts::known(state.pets.changes.known_ids())))
        }
    };
    state.add.unknown_outcome = None;
    state.add.refusal = None;
    state.message = None;
    let api_key = state.link.key.0.clone();
    let (new_sent, key_sent) = (new.clone(), key.clone());
    state.add.sent = Some(PendingAdd { new: new_sent, key: key_sent, at, known, api_key, outcome_unknown });
    // On disk before it is sent, so its key survives a crash.
    let mut effects: Vec<Effect> = drafts::write(state, now).into_iter().collect();
    effects.push(state.begin(CreatePet { new, key, drafts: state.drafts.number }, now));
    effects
}

/// Adds a pet, once for each key.
#[derive(Clone, Debug, PartialEq)]
pub struct CreatePet {
    pub new: NewPet,
    pub key: IdempotencyKey,
    /// The number of the newest writing of drafts, which comes first: its key is on disk before it is sent.
    pub drafts: u64,
}

impl Job for CreatePet {
    type Answer = Pet;
    type Error = NotCreated;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Create;

    async fn run(self: Arc<Self>, env: Env) -> Result<Pet, NotCreated> {
        if let Some(files) = &env.machine.drafts {
            files.ended(self.drafts).await;
        }
        outbox::add(&env.api("add").await?, &self.new, &self.key).await
    }

    fn done(&self, app: &mut AppState, created: Result<Pet, NotCreated>, now: Now) -> Vec<Effect> {
        on_created(app, created, now)
    }
}

fn asks_first(state: &mut AppState, new: &NewPet, now: Now) -> bool {
    let status = new.status.map_or("not set (the service decides)".to_owned(), |status| status.to_string());
    let category = state.pets.categories.label(new.category_id);
    let details = vec![("Name", new.name.clone()), ("Category", category), ("Status", status)];
    let new = new.clone();
    state.asks_first("Add this pet to".to_owned(), details, move |app, now| send(app, new, now), now)
}

/// Whether another service is being switched to; then says so, with `text` on what was not done.
pub(super) fn is_still_switching(state: &mut AppState, text: &str) -> bool {
    let is_switching = state.is_switching();
    if is_switching {
        let there = short(&state.profiles.using);
        state.complain(format!("Switching to {there}; {text}"));
    }
    is_switching
}

/// The title of the question whether to stop waiting.
const NO_ANSWER: &str = "No answer yet";

/// Whether to stop waiting for the answer about the pet that is being sent.
pub(in crate::tui) fn waiting_question() -> Question {
    let body = |app: &AppState, now: Now, page: &mut Page<'_>| {
        let name = app.add.sent.as_ref().map_or_else(String::new, |sent| short(&sent.new.name));
        let seconds = app.pending.since(Slot::Create).map_or(0, |since| now.seconds_since(since));
        let what = format!("{name} was sent {seconds} s ago. Stop waiting for the answer of");
        let note = "It may or may not have been added. Your text is kept, and you choose what to do next.";
        ask_of_service(app, page, &what, &[], note);
    };
    Question::new(NO_ANSWER, body, "Stop", stop_waiting, |app, _| app.note("Still waiting for the answer."))
}

/// Stops waiting: whether the pet was added is then unknown.
fn stop_waiting(state: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(since) = state.pending.since(Slot::Create) else { return Vec::new() };
    let failure = Failure::NoAnswer { after: now.mono.saturating_duration_since(since) };
    let not_created = NotCreated { failure, repeatable: state.link.keeps_keys };
    let mut effects = Vec::from_iter(state.cancel(Slot::Create));
    effects.extend(on_created(state, Err(not_created), now));
    effects
}

/// Takes up what an earlier session left: a pet without an answer, an import that is not finished.
pub fn take_up(state: &mut AppState, now: Now) -> Vec<Effect> {
    let mut effects = super::import::start::check_unfinished(state, now);
    effects.extend(settle(state, now));
    effects
}

/// Sends a pet of an earlier session again with its key, if that cannot add a second one.
fn settle(state: &mut AppState, now: Now) -> Vec<Effect> {
    if state.is_switching() {
        return Vec::new();
    }
    let Some(sent) = state.add.sent.as_ref().filter(|_| std::mem::take(&mut state.add.unsettled)) else {
        return Vec::new();
    };
    state.add.unknown_outcome = None;
    let settle = SettlePet { new: sent.new.clone(), key: sent.key.clone(), at: sent.at };
    vec![state.begin(settle, now)]
}

/// Sends a pet again that was first sent then with this key, if the service certainly still knows the key.
#[derive(Clone, Debug, PartialEq)]
pub struct SettlePet {
    pub new: NewPet,
    pub key: IdempotencyKey,
    pub at: SentAt,
}

impl Job for SettlePet {
    /// None where it was not sent again: the service may have forgotten its key.
    type Answer = Option<Pet>;
    type Error = NotCreated;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Create;

    async fn run(self: Arc<Self>, env: Env) -> Result<Option<Pet>, NotCreated> {
        outbox::settle(&env.api("add").await?, &self.new, &self.key, self.at).await
    }

    fn done(&self, app: &mut AppState, settled: Result<Option<Pet>, NotCreated>, now: Now) -> Vec<Effect> {
        if let Some(created) = settled.transpose() {
            return on_created(app, created, now);
        }
        // The question is shown.
        app.add.unknown_outcome = Some(UnknownOutcome::default());
        app.fail("The service may have forgotten this request; sending it again could add a second pet.")
    }
}

/// The pet was added or refused, or its outcome is unknown.
fn on_created(state: &mut AppState, result: Result<Pet, NotCreated>, now: Now) -> Vec<Effect> {
    // The question whether to stop waiting is answered.
    state.unask(NO_ANSWER);
    let not_created = match result {
        Ok(pet) => return added(state, pet, now),
        Err(not_created) => not_created,
    };
    let NotCreated { failure, repeatable } = not_created;
    let dropped = std::mem::take(&mut state.add.held).len();
    state.last_failure = Some(failure.clone());
    let key_refused = failure.remedy() == Remedy::EnterKey;
    if key_refused {
        pets::update::refuse_key(state, failure.clone(), now);
    } else if failure.may_pass() {
        pets::update::on_failure(state, failure.clone(), now);
    }
    // A definite failure of the second try says nothing about the first.
    let text = if failure.outcome_unknown() || state.add.sent.as_ref().is_some_and(|sent| sent.outcome_unknown) {
        let failure = Some(failure);
        state.add.unknown_outcome = Some(UnknownOutcome { failure, repeatable, ..UnknownOutcome::default() });
        "Nothing is sent until you choose. Your text is kept."
    } else {
        state.add.sent = None;
        let field = named_field(&failure);
        let can_wait = failure.can_wait();
        if let Some(field) = field {
            state.add.form.select(match field {
                Field::Name => &NAME,
                Field::CategoryId => &CATEGORY,
                Field::Status => &STATUS,
            });
        }
        state.add.refusal = Some(Refusal { failure, field });
        match field {
            _ if key_refused => "Your text is kept. F4 enters another API key, then F2 sends again.",
            Some(_) => "Your text is kept. The cursor is on the field that the service named.",
            None if can_wait => "Your text is kept. F2 sends it again, Ctrl-O queues it until the service answers.",
            None => "Your text is kept. F2 sends it again.",
        }
    };
    state.complain(text);
    if dropped > 0 {
        state.complain(format!("Ignored {} typed while sending.", counted(dropped, "key")));
    }
    Vec::new()
}

/// The one field that an Error body names in its code, or else in its message. A heuristic, not part of the API.
fn named_field(failure: &Failure) -> Option<Field> {
    let Failure::Refused { status: 400 | 422, code, message, .. } = failure else { return None };
    code.as_deref().and_then(only_field_in).or_else(|| only_field_in(message))
}

fn only_field_in(text: &str) -> Option<Field> {
    let words: Vec<String> = text.split(|c: char| !c.is_alphanumeric()).map(str::to_ascii_lowercase).collect();
    let names = |field: Field| match field {
        Field::Name => ["name", "names"].as_slice(),
        Field::CategoryId => &["categoryid", "category"],
        Field::Status => &["status"],
    };
    let mut named =
        Field::ALL.into_iter().filter(|field| words.iter().any(|word| names(*field).contains(&word.as_str())));
    named.next().filter(|_| named.next().is_none())
}

fn added(state: &mut AppState, pet: Pet, now: Now) -> Vec<Effect> {
    let name = short(&pet.name);
    state.added.push(AddedPet { at: now.wall, pet: pet.clone() });
    state.pets.added(&pet);
    state.add.next_animal();
    state.drafts.at_once = true;
    state.message = None;
    let way_on = match state.screen {
        Screen::AddPet => "Type the next one, or Esc for the list.",
        Screen::Pets | Screen::Domains | Screen::Profiles | Screen::Requests | Screen::Welcome => "a adds another.",
    };
    state.add.just_added = Some(format!("Added {name}, id {}. {way_on}", pet.id));
    pets::update::reload(state, true, now)
}

/// Gives answer number `choice` to the question.
fn answer(state: &mut AppState, choice: usize, now: Now) -> Vec<Effect> {
    let Some(unknown_outcome) = &mut state.add.unknown_outcome else { return Vec::new() };
    let Some(sent) = &state.add.sent else { return Vec::new() };
    let Some(answer) = unknown_outcome.answers().get(choice).copied() else { return Vec::new() };
    unknown_outcome.choice = choice;
    match answer {
        UnknownOutcomeChoice::LookFor => {
            let search = SearchForPet(sent.new.clone());
            vec![state.begin(search, now)]
        }
        UnknownOutcomeChoice::Settle | UnknownOutcomeChoice::SendAgain => {
            let new = sent.new.clone();
            send(state, new, now)
        }
        UnknownOutcomeChoice::Keep => {
            state.screen = Screen::Pets;
            Vec::new()
        }
        UnknownOutcomeChoice::ThatIsIt => {
            unknown_outcome.take_candidate().map_or_else(Vec::new, |pet| added(state, pet, now))
        }
    }
}

/// Another API key is in use. The service keeps idempotency keys for each API key, so a repeat would add a second pet.
pub fn on_other_key(state: &mut AppState) {
    if let Some(unknown_outcome) = &mut state.add.unknown_outcome {
        unknown_outcome.repeatable = false;
        unknown_outcome.choice = 0;
    }
}

/// Searches for a pet of this name and category that may have been added.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchForPet(pub NewPet);

impl Job for SearchForPet {
    type Answer = SearchedPets;
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |_| Slot::SearchFor;

    async fn run(self: Arc<Self>, env: Env) -> Result<SearchedPets, Failure> {
        Ok(search_for(&env.api("search").await?, &self.0).await?)
    }

    fn done(&self, app: &mut AppState, searched: Result<SearchedPets, Failure>, _: Now) -> Vec<Effect> {
        if let (Some(unknown_outcome), Some(sent)) = (&mut app.add.unknown_outcome, &app.add.sent) {
            unknown_outcome.choice = 0;
            unknown_outcome.found = Some(SearchResult::new(searched, |id| sent.known.contains(&id)));
        }
        Vec::new()
    }
}
