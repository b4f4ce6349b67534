//! What follows from a key or a reply on the pets screen.

use std::sync::Arc;
use std::time::Duration;

use crate::api::failure::{Failure, Remedy};
use crate::api::list::ListAnswer;
use crate::app::outbox::send::add_samples as add_samples_to;
use crate::clock::Now;
use crate::model::escape::shell_word;
use crate::model::export::Column;
use crate::model::{IdempotencyKey, Limit, PetId, PetStatus};
use crate::tui::command::{Command, LIST, Movement, Place, TYPED_LIST, change, command, moves_on};
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job};
use crate::tui::pending::Slot;
use crate::tui::popups::Question;
use crate::tui::screens::pets::state::tab_of;
use crate::tui::screens::pets::{BUILT_IN, ListSource, Loaded};
use crate::tui::state::{AppState, Health, MessageKind};
use crate::tui::text_input::{TextInput, Typing};
use crate::tui::widgets::WIDE;
use crate::tui::widgets::list::moved;

use super::lists::{CountPets, ListPets, MorePets};
use super::{Sort, clipboard, inventory, popups};

/// The most pages that a refresh follows again.
const MAX_PAGES_AGAIN: u16 = 50;

pub static PETS: &[Command] = &[
    // Where there is room, the detail is always shown.
    change("open", "Enter Space", "detail", "open, close the detail", open).when(|app| app.size.columns < WIDE),
    change("search", "/", "search", "search these rows", |app, _| app.pets.searching = true),
    command("previous-tab", "left h", "", "tab", |app, now| step_tab(app, false, now)),
    command("next-tab", "right l", "status", "tab", |app, now| step_tab(app, true, now))
        .called("<- ->")
        .word(|app| (app.pets.tabs().0.len() > BUILT_IN).then_some("tab")),
    command("all-statuses", "0", "", "all statuses", |app, now| show_tab(app, tab_of(None), now)),
    command("more-rows", "+", "more", "more, fewer rows", |app, now| step_limit(app, true, now)),
    command("fewer-rows", "-", "", "more, fewer rows", |app, now| step_limit(app, false, now)),
    change("choose-limit", "L", "rows", "number of rows", popups::limit::open),
    change("live", "A", "live", "live refresh on, off", toggle_live)
        .shell(|app| Some(format!("pets watch{}", status_option(app)))),
    change("by-id", "#", "id", "pet by its id", popups::lookup::open)
        .shell(|app| Some(format!("pets get {}", app.pets.selected().map_or(1, |pet| pet.id)))),
    command("whole", "W", "", "whole inventory", inventory::toggle).shell(|_| Some("pets list --all".to_owned())),
    command("count", "=", "", "count exactly", inventory::count)
        .shell(|app| Some(format!("pets count{}", status_option(app)))),
    change("save-view", "V", "", "save as a view", popups::views::open)
        .not_over_ssh("A session over SSH cannot save views on the server."),
    command("copy", "y", "", "copy id, JSON, curl", clipboard::copy_id),
    command("copy-json", "Y", "", "copy id, JSON, curl", clipboard::copy_json)
        .shell(|app| Some(format!("pets get {} --format json", app.pets.selected()?.id))),
    command("copy-curl", "c", "", "copy id, JSON, curl", clipboard::copy_curl),
    change("export", "x", "export", "export rows to a file", |app, _| clipboard::export(app))
        .not_over_ssh("Export to your own machine: ssh USER@HOST pets export > pets.csv")
        .shell(|app| Some(format!("{} --format csv", list_line(app)?))),
    change("sort-by", "o", "sort", "sort, reverse", |app, _| {
        let Sort { by, .. } = app.pets.sort;
        // The first press takes the order in use instead of the best match.
        let next = by.map_or(Some(Column::Id), |by| Column::ALL.get(by as usize + 1).copied());
        let next = Sort { by: next, descending: false };
        choose_order(app, if app.pets.is_best_first() { app.pets.sort } else { next });
    }),
    change("sort-reverse", "O", "", "sort, reverse", |app, _| {
        let Sort { by, descending } = app.pets.sort;
        choose_order(app, Sort { by, descending: !descending });
    }),
    command("refresh", "r F5", "refresh", "refresh", refresh).shell(list_line),
];

/// Behind what leads to the form and to an import.
pub static PETS_BELOW: &[Command] = &[
    command("samples", "S", "", "samples (empty store)", add_samples).adds(),
    moves_on(LIST, "", "move|first, last", go),
];

static SEARCH: &[Command] = &[
    change("confirm", "Enter", "keep", "keep, go to the rows", |app, _| app.pets.searching = false),
    command("whole", "Tab", "search all pets", "search all pets", |app, now| match app.pets.whole.is_there() {
        true => app.note(app.pets.whole.word()),
        false => inventory::toggle(app, now),
    })
    .when(|app| !app.pets.whole.is_there()),
    command("back", "Esc F3", "clear", "clear and leave", back),
    moves_on(TYPED_LIST, "move", "move in the rows", go).when(|app| app.pets.row_count() > 1),
];

pub static SEARCH_PLACE: Place = Place::new("search", "Search", &[SEARCH]).text();

/// The command that lists the rows shown.
pub fn list_line(app: &AppState) -> Option<String> {
    let (tabs, tab) = app.pets.tabs();
    Some(match tab {
        BUILT_IN.. => format!("pets list --view {}", shell_word(&tabs[tab].view.name)),
        _ => format!("pets list{} --limit {}", status_option(app), app.pets.limit),
    })
}

/// The option for the status that is shown.
fn status_option(app: &AppState) -> String {
    app.pets.filter().map_or(String::new(), |status| format!(" --status {status}"))
}

fn open(state: &mut AppState, _: Now) {
    let pets = &mut state.pets;
    if pets.row_count() == 0 && pets.pinned.is_none() {
        return state.tell("No pet is selected.");
    }
    pets.drawer = !pets.drawer;
    pets.pinned = None;
}

/// What there is no use for while the whole inventory is shown: says so.
pub(super) fn refuses_limit(state: &mut AppState) -> bool {
    let is_whole = state.pets.whole.is_there();
    if is_whole {
        state.tell("This is the whole inventory: r reloads it, W goes back to the lists.");
    }
    is_whole
}

/// Moves the cursor in the rows. Beyond the last one there may be further pages.
fn go(state: &mut AppState, movement: Movement, now: Now) -> Vec<Effect> {
    if matches!(movement, Movement::Down | Movement::PageDown) && at_end(state) {
        return load_more(state, now);
    }
    let page = usize::from(state.layout.table_rows.max(1));
    state.pets.move_to(moved(state.pets.cursor(), movement, state.pets.row_count(), page));
    state.only_moved = !state.pets.searching;
    Vec::new()
}

/// What is typed goes into the search field.
pub fn on_typing(state: &mut AppState, typing: Typing<'_>) -> bool {
    let is_cut = state.pets.search.take(typing);
    searched(state);
    is_cut
}

/// Searches all rows for `query`.
pub fn search_for(state: &mut AppState, query: &str) {
    state.layout.table_top = state.pets.show_tab(tab_of(None), state.layout.table_top);
    state.pets.search = TextInput::new(query);
    searched(state);
}

fn searched(state: &mut AppState) {
    if state.pets.search.is_empty() {
        state.pets.best_first = true;
    }
    state.pets.arrange();
    state.pets.move_to(0);
}

fn choose_order(state: &mut AppState, sort: Sort) {
    state.pets.best_first = state.pets.search.is_empty();
    state.pets.sort = sort;
    state.pets.reorder();
}

/// Refreshes the rows and clears the marks of earlier changes.
fn refresh(state: &mut AppState, now: Now) -> Vec<Effect> {
    state.pets.changes.begin(true);
    if state.pets.whole.is_there() { inventory::read(state, now) } else { reload(state, true, now) }
}

/// Esc: leaves and clears the search, closes the drawer, goes back from the whole inventory, in this order.
pub fn back(state: &mut AppState, now: Now) -> Vec<Effect> {
    let pets = &mut state.pets;
    if pets.searching || !pets.is_searched_as_saved() {
        pets.searching = false;
        pets.reset_search();
        pets.arrange();
    } else if pets.drawer {
        pets.drawer = false;
        pets.pinned = None;
    } else if pets.whole.open {
        return inventory::toggle(state, now);
    } else {
        state.message = None;
    }
    Vec::new()
}

fn step_tab(state: &mut AppState, forward: bool, now: Now) -> Vec<Effect> {
    let (tabs, here) = state.pets.tabs();
    let by = if forward { 1 } else { tabs.len() - 1 };
    show_tab(state, (here + by) % tabs.len(), now)
}

/// Goes to another tab, and asks for its rows. Of the whole inventory every tab is here already.
pub fn show_tab(state: &mut AppState, tab: usize, now: Now) -> Vec<Effect> {
    state.message = None;
    state.layout.table_top = state.pets.show_tab(tab, state.layout.table_top);
    explain_count(state);
    let mut effects = Vec::from_iter(state.cancel(Slot::More));
    // What was asked for another tab must not be taken for this one's.
    effects.extend(state.cancel(Slot::List));
    // While the service is away, switching tabs sends nothing: the next retry asks for this tab.
    if !state.pets.whole.is_there() && !waits(state) {
        effects.extend(reload(state, false, now));
    }
    effects
}

/// Says once what the `+` of a number means.
fn explain_count(state: &mut AppState) {
    let number = state.pets.tab_count(state.pets.tabs().1);
    if let Some(count) = number.filter(|count| count.or_more && !state.pets.is_count_explained) {
        state.pets.is_count_explained = true;
        state.tell(format!("{count}: at least {}. = counts exactly.", count.seen));
    }
}

/// Loads the rows of the current tab if the whole inventory was shown instead of them.
pub(super) fn ask_where_unasked(state: &mut AppState, now: Now) -> Vec<Effect> {
    let asked = state.pets.list().is_some_and(|loaded| loaded.source == ListSource::Answer);
    if asked || waits(state) || state.pending.is_running(Slot::List) {
        return Vec::new();
    }
    reload(state, false, now)
}

/// Asks for another number of rows.
pub fn set_limit(state: &mut AppState, limit: Limit, now: Now) -> Vec<Effect> {
    state.message = None;
    state.pets.limit = limit;
    let mut effects = Vec::from_iter(state.cancel(Slot::More));
    if waits(state) {
        state.tell(format!("{limit} rows load when the service is back."));
    } else {
        effects.extend(ask(state, 1, now));
    }
    effects
}

/// The numbers of rows that + and - go through.
const LIMITS: [i64; 5] = [5, 10, 20, 50, 100];

fn step_limit(state: &mut AppState, up: bool, now: Now) -> Vec<Effect> {
    if refuses_limit(state) {
        return Vec::new();
    }
    let (here, mut presets) = (i64::from(state.pets.limit.get()), LIMITS.into_iter());
    let next = if up { presets.find(|preset| *preset > here) } else { presets.rfind(|preset| *preset < here) };
    match next.map(Limit::new) {
        Some(Ok(limit)) => set_limit(state, limit, now),
        _ if up => {
            let way = if state.link.has_pages { "Down on the last row loads more." } else { "Try a status tab." };
            state.note(format!("100 rows is the maximum per request. {way}"))
        }
        _ => state.note("5 is the smallest preset. L accepts any number from 1 to 100."),
    }
}

/// The pause between automatic refreshes that are switched on by a key.
const LIVE: Duration = Duration::from_secs(30);

fn toggle_live(state: &mut AppState, now: Now) {
    if refuses_limit(state) {
        return;
    }
    if state.pets.follow.is_live() {
        return state.tell("The list is live: new pets appear at once.");
    }
    state.pets.live = if state.pets.live.is_some() { None } else { Some(LIVE) };
    let text = match state.pets.live {
        Some(_) if waits(state) => "Refreshing every 30 s once the service is back.",
        Some(_) => "Refreshing every 30 s. A stops it.",
        None => "Automatic refresh is off. r refreshes.",
    };
    state.say_done(text, now.mono);
}

pub(super) fn at_end(state: &AppState) -> bool {
    state.pets.cursor() + 1 >= state.pets.row_count()
}

/// Down on the last row: the next page, or a note on how to see more.
fn load_more(state: &mut AppState, now: Now) -> Vec<Effect> {
    if state.pets.whole.is_there() {
        return state.note(state.pets.whole.word());
    }
    if !state.pets.search.is_empty() {
        let way = if state.pets.searching { "Tab" } else { "W" };
        return state.note(format!("No more matches in these rows. {way} searches all pets, Esc clears the search."));
    }
    let Some(loaded) = state.pets.list() else { return Vec::new() };
    match loaded.list.next() {
        Some(_) if waits(state) => state.note("More rows load when the service is back."),
        Some(_) if loaded.source != ListSource::Answer => {
            state.note("These rows are cached. Refresh (r) to load more.")
        }
        Some(_) if state.pending.is_running(Slot::More) || state.pending.is_running(Slot::List) => Vec::new(),
        Some(next) => {
            let next = next.clone();
            vec![state.begin(MorePets(next), now)]
        }
        None if !may_have_more(state) => state.note("No more rows."),
        None if state.pets.limit < Limit::MAX => {
            state.note("There may be more: press + for more rows, L for another number.")
        }
        None => state.note("100 rows is the maximum per request. Try a status tab."),
    }
}

/// Whether nothing is asked at the moment but by hand: the service is away, or wants another key.
pub fn waits(state: &AppState) -> bool {
    state.link.health.next_try().is_some() || state.key_refused()
}

/// Whether the list in use may go on beyond what is here.
pub(super) fn may_have_more(state: &AppState) -> bool {
    let may = |loaded: &Loaded| loaded.list.next().is_some() || !(loaded.is_complete() || full_but_last(state, loaded));
    state.pets.list().is_some_and(may)
}

/// A full last page of a service that is known to link further pages.
fn full_but_last(state: &AppState, loaded: &Loaded) -> bool {
    state.link.has_pages && loaded.list.next().is_none() && loaded.source == ListSource::Answer
}

/// Asks for the rows again, as many pages as are here; with `counts`, for the numbers on the tabs after them.
pub fn reload(state: &mut AppState, counts: bool, now: Now) -> Vec<Effect> {
    state.pets.counts_due |= counts;
    state.pets.changes.begin(false);
    let same = state.pets.list().filter(|loaded| loaded.limit == state.pets.limit);
    let pages = same.map_or(1, |loaded| loaded.list.pages().min(MAX_PAGES_AGAIN));
    ask(state, pages, now)
}

fn ask(state: &mut AppState, pages: u16, now: Now) -> Vec<Effect> {
    let query = state.pets.query();
    let mut effects = Vec::from_iter(state.cancel(Slot::More));
    // What is here already need not come again.
    let known =
        state.pets.list().filter(|loaded| loaded.source != ListSource::Picked).map(|loaded| loaded.list.clone());
    effects.push(state.begin(ListPets { query, pages, known }, now));
    effects
}

/// How many samples one key adds.
const SAMPLES: usize = 25;

/// Asks whether to add samples, but only to an empty store: they cannot be removed.
pub(in crate::tui) fn add_samples(state: &mut AppState, now: Now) -> Vec<Effect> {
    let is_empty = |loaded: &Loaded| loaded.source == ListSource::Answer && loaded.list.pets.is_empty();
    let empty = state.pets.filter().is_none() && state.pets.list().is_some_and(is_empty);
    if !empty || state.pending.is_running(Slot::Samples) || state.is_switching() {
        return state.note("Samples can only be added to an empty store: they cannot be removed.");
    }
    if !state.refuses_changes() {
        let question = Question::change(state, format!("Add {SAMPLES} samples to"), Vec::new(), send_samples);
        let unprotected = |asked| Question { title: "Add samples".to_owned(), yes_word: "Add them", ..asked };
        state.ask(if state.link.protect { question } else { unprotected(question) }, now);
    }
    Vec::new()
}

fn send_samples(state: &mut AppState, now: Now) -> Vec<Effect> {
    state.tell(format!("Adding {SAMPLES} samples ..."));
    let key = state.keys.make();
    vec![state.begin(AddSamples { count: SAMPLES, key }, now)]
}

/// Adds this many samples, one after another, with one key for all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct AddSamples {
    pub count: usize,
    pub key: IdempotencyKey,
}

impl Job for AddSamples {
    /// Those that were added; fewer than asked for with the reason.
    type Answer = (Vec<PetId>, Option<Failure>);
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Samples;

    async fn run(self: Arc<Self>, env: Env) -> Result<Self::Answer, Failure> {
        Ok(add_samples_to(&env.api("sample").await?, self.count, &self.key).await)
    }

    fn done(&self, app: &mut AppState, added: Result<Self::Answer, Failure>, now: Now) -> Vec<Effect> {
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
        app.pets.whole.is_outdated |= added > 0;
        app.pets.forget_lists();
        app.pets.changes.added(ids);
        reload(app, true, now)
    }
}

/// Asks how many pets have each status, up to what one request returns.
pub(super) fn count(state: &mut AppState, now: Now) -> Vec<Effect> {
    PetStatus::ALL
        .into_iter()
        .map(|status| {
            let known = state.pets.counted[status as usize].as_ref().map(|(list, _)| list.clone());
            state.begin(CountPets { status, known }, now)
        })
        .collect()
}

/// The service has answered something else: retries the rows if they failed.
pub(in crate::tui) fn on_sign_of_life(state: &mut AppState, now: Now) -> Vec<Effect> {
    if state.link.health.next_try().is_some() && !state.pending.is_running(Slot::List) {
        reload(state, true, now)
    } else {
        Vec::new()
    }
}

pub(super) fn on_answer(state: &mut AppState, answer: &ListAnswer, now: Now) {
    state.link.has_pages |= answer.list.as_ref().is_some_and(|list| list.next().is_some());
    // What was just added matters more.
    let has_news = state.message.as_ref().is_some_and(|message| message.kind == MessageKind::Done);
    if matches!(state.link.health, Health::Away { .. }) && !has_news {
        let part = if state.pets.whole.is_there() { " r reloads the inventory." } else { "" };
        state.say_done(format!("Back: {} answers again.{part}", state.link.service), now.mono);
    }
    state.link.health = Health::Ok { took: answer.took };
    state.link.dated = answer.there.map(|there| (there, now.mono)).or(state.link.dated);
}

/// The rows stay; the banner shows why they are old and when the next retry is.
pub(in crate::tui) fn on_failure(state: &mut AppState, failure: Failure, now: Now) {
    state.last_failure = Some(failure.clone());
    if failure.remedy() == Remedy::EnterKey {
        return refuse_key(state, failure, now);
    }
    if !failure.may_pass() {
        state.link.health = Health::Away { failure, tries: 1, next_try: None };
        return;
    }
    let tries = match &state.link.health {
        // Asked by hand before its time: that does not make the pause longer.
        Health::Away { tries, next_try: Some(at), .. } if now.mono < *at => {
            state.link.health = Health::Away { failure, tries: *tries, next_try: Some(*at) };
            return;
        }
        Health::Away { tries, .. } => tries + 1,
        Health::Unknown | Health::Ok { .. } | Health::KeyRefused { .. } => 1,
    };
    let asked = if let Remedy::Wait(seconds) = failure.remedy() {
        Duration::from_secs(seconds.clamp(1, 3600))
    } else {
        pause_before(tries + 1)
    };
    state.link.health = Health::Away { failure, tries, next_try: Some(now.mono + asked) };
}

/// The key was not accepted. Another one is asked for where nothing was answered yet; later somebody may be at the keys,
/// whose letters must not be taken for a key: then the header says it, and which key asks.
pub fn refuse_key(state: &mut AppState, failure: Failure, now: Now) {
    let before = std::mem::replace(&mut state.link.health, Health::KeyRefused { failure });
    let is_first = matches!(before, Health::Unknown);
    if state.link.ssh.is_some() || is_first && !state.popups.is_open() && !state.place().is_text {
        state.open_key_box(true, now);
    } else if !matches!(before, Health::KeyRefused { .. }) {
        state.complain("The API key is missing or not accepted. F4 asks for one.");
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
