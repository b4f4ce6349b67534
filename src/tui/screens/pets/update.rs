//! What follows from a key or a reply on the pets screen; and what leaves it, for the clipboard and for a file.

use std::sync::Arc;
use std::time::Duration;

use super::change::UNDO;
use super::popups::{LookupBox, ViewBox};
use super::reading::ListPets;
use super::{BUILT_IN, ReadNext, popups, tab_of, view};
use crate::api::exchange::curl_for_list;
use crate::api::{Failure, ListAnswer, Remedy};
use crate::app::outbox::queue::add_samples as add_samples_to;
use crate::clock::Now;
use crate::model::columns::SortOrder;
use crate::model::export::Column;
use crate::model::{IdempotencyKey, Pet, PetId, counted, shell_word, short};
use crate::tui::command::{LIST, TYPED_LIST};
use crate::tui::popups::{Contents, PetSet, Question, WriteBox, copy, copy_curl};
use crate::tui::{
    App, Command, Env, Health, Job, MessageKind, Movement, Place, Slot, TextInput, Typing, WIDE, command, moved, moves,
};

/// The most useful first: the bottom line has no more of them than it has room for.
pub static PETS: &[Command] = &[
    command("search", "/", "search", "search these rows", begin_search),
    // Where there is room, the detail is always shown.
    command("open", "Enter", "detail", "open, close the detail", open).when(|app| app.size.columns < WIDE),
    command("previous-tab", "left h", "", "tab", |app, now| step_tab(app, false, now)),
    command("next-tab", "right l", "status", "tab", |app, now| step_tab(app, true, now))
        .called("<- ->")
        .word(|app| (app.pets.tabs.len() > BUILT_IN).then_some("tab")),
    UNDO,
    command("all-statuses", "0", "", "all statuses", |app, now| show_tab(app, tab_of(None), now)),
    command("refresh", "r F5", "refresh", "refresh", refresh).when(|app| !app.pets.follow.is_live()).shell(list_line),
    command("mark", "Space", "mark", "mark: several at once", mark),
    command("export", "x", "export", "export rows to a file", |app, _| export(app))
        .not_over_ssh("Export to your own machine: ssh USER@HOST pets export > pets.csv")
        .shell(|app| Some(format!("{} --format csv", list_line(app)?))),
    command("by-id", "#", "id", "pet by its id", |app, _| app.popups.show(LookupBox::default()))
        .shell(|app| Some(format!("pets get {}", app.pets.selected().map_or(1, |pet| pet.id)))),
    command("newest", "N", "newest", "newest first", |app, _| {
        choose_order(app, SortOrder { column: Column::Id, descending: true });
        // Whichever pet comes to be there.
        (app.pets.cursor, app.pets.anchor) = (0, None);
    })
    .shell(|app| Some(format!("{} --sort id:desc", list_line(app)?))),
    command("go-to-new", "n", "", "go to the newest new pet", |app, _| match app.pets.store.newest_marked().cloned() {
        Some(pet) => {
            app.message = None;
            app.pets.go_to(pet);
        }
        None => app.tell("No pet is marked as new."),
    }),
    command("sort-by", "o", "sort", "sort, reverse", |app, _| {
        // The first press takes the order in use instead of the best match.
        let next = (app.pets.sort.column as usize + 1) % Column::OF_PETS.len();
        let next = SortOrder { column: Column::OF_PETS[next], descending: false };
        choose_order(app, if app.pets.is_best_first() { app.pets.sort } else { next });
    }),
    command("sort-reverse", "O", "", "sort, reverse", |app, _| {
        let SortOrder { column, descending } = app.pets.sort;
        choose_order(app, SortOrder { column, descending: !descending });
    }),
    command("live", "A", "live", "live refresh on, off", toggle_live)
        .shell(|app| Some(format!("pets watch{}", status_option(app)))),
    command("copy", "y", "", "copy id, JSON, curl", |app, now| {
        copy_of_pet(app, |pet| (pet.id.to_string(), format!("id {}", pet.id)), now)
    }),
    command("copy-json", "Y", "", "copy id, JSON, curl", |app, now| {
        copy_of_pet(app, |pet| (serde_json::to_string(pet).unwrap_or_default(), format!("pet {} as JSON", pet.id)), now)
    })
    .shell(|app| Some(format!("pets get {} --format json", app.pets.selected()?.id))),
    command("copy-curl", "c", "", "copy id, JSON, curl", |app, now| {
        copy_curl(app, |app, address| curl_for_list(address, &app.pets.query()), now)
    }),
    command("save-view", "V", "", "save as a view", |app, _| app.popups.show(ViewBox::default()))
        .not_over_ssh("A session over SSH cannot save views on the server."),
    command("choose-limit", "L", "", "rows of a request", popups::open_limit),
    command("samples", "S", "", "samples (empty store)", add_samples).adds(),
    moves(LIST, "", "move", go),
];

static SEARCH: &[Command] = &[
    command("confirm", "Enter", "keep", "keep, go to the rows", |app, _| app.pets.searching = false),
    command("back", "Esc F3", "clear", "clear and leave", |app, _| back(app)),
    moves(TYPED_LIST, "move", "move in the rows", go).when(|app| app.pets.row_count() > 1),
];

pub static SEARCH_PLACE: Place = Place::new("search", "Search", &[SEARCH]).text();

/// The command that lists the rows shown.
pub fn list_line(app: &App) -> Option<String> {
    Some(match app.pets.tab {
        BUILT_IN.. => format!("pets list --view {}", shell_word(&app.pets.view().name)),
        _ => format!("pets list --all{}", status_option(app)),
    })
}

/// The option for the status that is shown.
fn status_option(app: &App) -> String {
    app.pets.filter().map_or(String::new(), |status| format!(" --status {status}"))
}

/// Marks the row under the cursor, or not any more, and goes on.
fn mark(app: &mut App, _: Now) {
    let pets = &mut app.pets;
    let Some(id) = pets.selected().map(|pet| pet.id) else { return app.tell("No pet is selected.") };
    if !pets.marked.remove(&id) {
        pets.marked.insert(id);
    }
    pets.move_to(pets.cursor + 1);
}

/// What is typed in a view is a new word.
fn begin_search(app: &mut App, _: Now) {
    let pets = &mut app.pets;
    pets.searching = true;
    if pets.is_searched_as_saved() && !pets.search.is_empty() {
        pets.search.insert(" ");
    }
}

fn open(app: &mut App, _: Now) {
    if app.pets.row_count() == 0 {
        return app.tell("No pet is selected.");
    }
    app.pets.drawer = !app.pets.drawer;
}

/// Moves the cursor in the rows. At the last one, says whether there are more.
fn go(app: &mut App, movement: Movement, _: Now) {
    let all = app.pets.row_count();
    let pets = &mut app.pets;
    if matches!(movement, Movement::Down | Movement::PageDown) && pets.cursor + 1 >= all {
        if pets.store.read().is_some() {
            app.tell(view::rest(app));
        }
        return;
    }
    let page = usize::from(app.layout.table_rows.max(1));
    app.only_moved = !pets.searching && pets.kept.is_none();
    pets.move_to(moved(pets.cursor, movement, all, page));
}

/// What is typed goes into the search field.
pub fn on_typing(app: &mut App, typing: Typing<'_>) -> bool {
    let is_cut = app.pets.search.take(typing);
    searched(app);
    is_cut
}

/// Searches all rows for `query`.
pub fn search_for(app: &mut App, query: &str) {
    app.layout.table_top = app.pets.show_tab(tab_of(None), app.layout.table_top);
    app.pets.search = TextInput::new(query);
    searched(app);
}

fn searched(app: &mut App) {
    if app.pets.search.is_empty() {
        app.pets.best_first = true;
    }
    app.pets.arrange();
    app.pets.move_to(0);
}

fn choose_order(app: &mut App, sort: SortOrder) {
    app.pets.best_first = app.pets.search.is_empty();
    app.pets.sort = sort;
    app.pets.reorder(0);
}

/// Refreshes the rows and clears the marks of earlier changes.
fn refresh(app: &mut App, now: Now) {
    app.pets.store.begin(true);
    app.pets.history.of = None;
    reload(app, ReadNext::All, now);
}

/// Esc: leaves and clears the search, the marks, closes the drawer, in this order.
pub fn back(app: &mut App) {
    let pets = &mut app.pets;
    if pets.searching || !pets.is_searched_as_saved() {
        pets.searching = false;
        pets.search = TextInput::new(pets.view().search.clone());
        pets.best_first = pets.view().sort.is_none();
        pets.arrange();
    } else if !pets.marked.is_empty() {
        pets.marked.clear();
    } else if pets.drawer {
        pets.drawer = false;
    } else {
        app.message = None;
    }
}

fn step_tab(app: &mut App, forward: bool, now: Now) {
    let all = app.pets.tabs.len();
    show_tab(app, (app.pets.tab + if forward { 1 } else { all - 1 }) % all, now);
}

/// How long rows are shown without asking again when their tab is chosen.
const FRESH: Duration = Duration::from_secs(60);

/// Goes to another tab, and asks for its rows unless they are known.
pub fn show_tab(app: &mut App, tab: usize, now: Now) {
    app.message = None;
    app.layout.table_top = app.pets.show_tab(tab, app.layout.table_top);
    // What was asked for another tab is asked for this one.
    let stopped = app.cancel(Slot::List);
    let pets = &app.pets;
    let is_new = |at: Now| pets.follow.is_live() || now.mono.saturating_duration_since(at.mono) < FRESH;
    let is_read = pets.store.read().is_some_and(is_new) && !pets.store.is_cached();
    // While the service is away, switching tabs sends nothing: the next retry asks for this tab.
    let is_known = is_read && pets.store.covers(pets.filter()) && !stopped;
    if !is_known && !waits(app) {
        reload(app, if is_read { ReadNext::Nothing } else { ReadNext::New }, now);
    }
}

/// The pause between automatic refreshes that are switched on by a key.
const LIVE: Duration = Duration::from_secs(30);

fn toggle_live(app: &mut App, now: Now) {
    if app.pets.follow.is_live() {
        return app.tell("The list is live: new pets appear at once.");
    }
    app.pets.live = if app.pets.live.is_some() { None } else { Some(LIVE) };
    let text = match app.pets.live {
        Some(_) if waits(app) => "Refreshing every 30 s once the service is back.",
        Some(_) => "Refreshing every 30 s. A stops it.",
        None => "Automatic refresh is off. r refreshes.",
    };
    app.say_done(text, now.mono);
}

/// Whether nothing is asked at the moment but by hand: the service is away, or wants another key.
pub fn waits(app: &App) -> bool {
    app.link.health.next_try().is_some() || app.key_refused()
}

/// Asks for the rows again, and after them for what follows from them.
pub fn reload(app: &mut App, next: ReadNext, now: Now) {
    if next == ReadNext::All {
        app.cancel(Slot::Inventory);
    }
    let pets = &mut app.pets;
    pets.read_due = next.max(pets.read_due);
    pets.asked_at = Some(now.mono);
    pets.store.begin(false);
    if !app.pending.is_running(Slot::Inventory) {
        pets.changed.clear();
        pets.store.expect();
    }
    let query = pets.query();
    let known = pets.listed.clone().filter(|(asked, _)| *asked == query).map(|(_, list)| list);
    app.start(ListPets { query, known }, now);
}

/// How many samples one key adds.
const SAMPLES: usize = 25;

/// Asks whether to add samples, but only to an empty store: they cannot be removed.
pub fn add_samples(app: &mut App, now: Now) {
    let store = &app.pets.store;
    let is_empty = store.covers(None) && store.pets().is_empty() && !store.is_cached();
    if !is_empty || app.pets.filter().is_some() || app.pending.is_running(Slot::Samples) || app.is_switching() {
        return app.tell("Samples can only be added to an empty store: they cannot be removed.");
    }
    if !app.refuses_changes() {
        let mut question = Question::change(app, format!("Add {SAMPLES} samples to"), Vec::new(), |app, now| {
            let key = app.keys.make();
            app.tell(format!("Adding {SAMPLES} samples ..."));
            app.start(AddSamples { count: SAMPLES, key }, now);
        });
        if !app.link.protect {
            (question.title, question.yes_word) = ("Add samples".to_owned(), "Add them");
        }
        app.ask(question, now);
    }
}

/// Adds this many samples, one after another, with one key for all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct AddSamples {
    pub count: usize,
    pub key: IdempotencyKey,
}

impl Job for AddSamples {
    /// Those that were added; fewer than asked for with the reason.
    type Answer = Result<(Vec<PetId>, Option<Failure>), Failure>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Samples;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        Ok(add_samples_to(&env.api("sample").await?, self.count, &self.key).await)
    }

    fn done(&self, app: &mut App, added: Self::Answer, now: Now) {
        let (ids, failure) = added.unwrap_or_else(|failure| (Vec::new(), Some(failure)));
        let added = ids.len();
        app.added_in_bulk += added as u64;
        match failure {
            None => app.say_done(format!("{added} samples added."), now.mono),
            Some(failure) => {
                let why = failure.sentence(&app.link.service);
                app.complain(format!("{added} samples added, then it stopped: {why}"));
                app.last_failure = Some(failure);
            }
        }
        app.pets.added_here(&ids);
        reload(app, ReadNext::New, now);
    }
}

/// The service has answered something else: retries the rows if they failed.
pub fn on_sign_of_life(app: &mut App, now: Now) {
    if app.link.health.next_try().is_some() && !app.pending.is_running(Slot::List) {
        reload(app, ReadNext::New, now);
    }
}

pub fn on_answer(app: &mut App, answer: &ListAnswer, now: Now) {
    // What was just added, or not changed, matters more.
    let has_news = app.message.as_ref().is_some_and(|message| message.kind != MessageKind::Note);
    let is_back = matches!(app.link.health, Health::Away { .. });
    if is_back && !has_news {
        app.say_done(format!("Back: {} answers again.", app.link.service), now.mono);
    }
    if is_back && !app.pets.follow.is_live() {
        // Otherwise it connects again only after its pause, which may be a minute.
        app.pending.forget_all(|slot| slot == Slot::Follow);
    }
    app.link.health = Health::Ok { took: answer.took };
    app.link.dated = answer.there.map(|there| (there, now.mono)).or(app.link.dated);
}

/// The rows stay; the banner shows why they are old and when the next retry is.
pub fn on_failure(app: &mut App, failure: Failure, now: Now) {
    app.last_failure = Some(failure.clone());
    if failure.remedy() == Remedy::EnterKey {
        return refuse_key(app, failure, now);
    }
    let asked = if let Remedy::Wait(seconds) = failure.remedy() { Some(seconds.clamp(1, 3600)) } else { None };
    let pause = |tries| asked.map_or_else(|| pause_before(tries + 1), Duration::from_secs);
    let after = |tries| (tries, Some(now.mono + pause(tries)));
    let (tries, next_try) = match &app.link.health {
        _ if !failure.may_pass() => (1, None),
        // Asked by hand before its time: that does not make the pause longer.
        Health::Away { tries, next_try: Some(at), .. } if now.mono < *at => (*tries, Some(*at)),
        Health::Away { tries, .. } => after(tries + 1),
        Health::Unknown | Health::Ok { .. } | Health::KeyRefused { .. } => after(1),
    };
    app.link.health = Health::Away { failure, tries, next_try };
}

/// The key was not accepted. Another one is asked for where nothing was answered yet; later somebody may be at the keys,
/// whose letters must not be taken for a key: then the header says it, and which key asks.
pub fn refuse_key(app: &mut App, failure: Failure, now: Now) {
    let before = std::mem::replace(&mut app.link.health, Health::KeyRefused { failure });
    let is_first = matches!(before, Health::Unknown);
    if app.link.ssh.is_some() || is_first && !app.popups.is_open() && !app.place().is_text {
        app.open_key_box(true, now);
    } else if !matches!(before, Health::KeyRefused { .. }) {
        app.complain("The API key is missing or not accepted. F4 asks for one.");
    }
}

/// The pause before try number `tries`: 2, 4, 8, 16, 32, 60 s, then 5 minutes.
fn pause_before(tries: u32) -> Duration {
    Duration::from_secs(match tries {
        0..=2 => 2,
        3..=6 => 1 << (tries - 1),
        7 => 60,
        _ => 300,
    })
}

/// Copies what `text` makes of the selected pet, and how the message calls it.
fn copy_of_pet(app: &mut App, text: fn(&Pet) -> (String, String), now: Now) {
    match app.pets.selected().map(text) {
        Some((text, what)) => copy(app, text, &what, now),
        None => app.tell("No row to copy."),
    }
}

/// Asks into which file to write the marked pets, the rows found, those of the tab, or all pets.
pub fn export(app: &mut App) {
    let pets = &app.pets;
    let (is_found, filter) = (!pets.is_searched_as_saved(), pets.filter());
    let (is_whole, has_tab) = (pets.store.covers(None), pets.store.covers(filter));
    let mut sets = Vec::new();
    let mut add = |pets: Vec<Pet>, what: &str, is_all: bool| {
        let rest = if is_all { "" } else { ", there may be more" };
        let what = format!("{} {what}{rest}", counted(pets.len(), "pet"));
        sets.extend((!pets.is_empty()).then(|| PetSet { what, pets: pets.into() }));
    };
    let shown = || pets.rows_from(0).cloned().collect();
    if !pets.marked.is_empty() {
        add(pets.chosen(), "marked", true);
    }
    if is_found {
        add(shown(), "found", has_tab);
    }
    if pets.tab > 0 {
        let of_tab = if is_found { pets.of_tab() } else { shown() };
        add(of_tab, &format!("of {}", short(&pets.view().name)), has_tab);
    }
    let all = if !is_found && pets.tab == 0 { shown() } else { pets.store.pets().to_vec() };
    add(all, if is_whole { "in all" } else { "loaded" }, is_whole);
    let view = pets.view().name.replace(|c: char| !c.is_alphanumeric(), "-");
    let which = match filter {
        _ if !pets.marked.is_empty() => "marked",
        _ if is_found => "found",
        _ if pets.tab >= BUILT_IN => &view,
        Some(status) => status.as_str(),
        None if is_whole => "all",
        None => "part",
    };
    if sets.is_empty() {
        return app.tell("No rows to export.");
    }
    app.popups.show(WriteBox::new(format!("pets-{which}.csv"), Contents::Pets { sets, chosen: 0 }));
}
