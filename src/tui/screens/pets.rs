//! Browse the pets: status tabs, limit, search, sort, detail. Here is what the screen knows.

pub mod change;
pub mod edit;
pub mod history;
pub mod popups;
pub mod reading;
#[cfg(test)]
mod tests;
pub mod update;
pub mod view;

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::api::List;
use crate::api::follow::{ChangedPet, EventPosition};
use crate::app::inventory::search::{Query, Search};
use crate::app::inventory::store::{Count, PetStore};
use crate::clock::Now;
use crate::config::{Settings, View};
use crate::model::columns::SortOrder;
use crate::model::export::Column;
use crate::model::{Categories, Limit, Pet, PetHistoryEntry, PetId, PetQuery, PetStatus, Provenance, Provenances};
use crate::tui::TextInput;

/// The pets screen.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The tabs: first those that are always there, in the order of [`built_in`], then the views of the configuration.
    tabs: Vec<Tab>,
    /// Which of them is shown.
    tab: usize,
    /// How many rows one request asks for.
    pub limit: Limit,
    /// The order of the rows.
    pub sort: SortOrder,
    /// Whether search results show the best match first, until another order is chosen.
    pub best_first: bool,
    pub search: TextInput,
    /// The names of categories.
    pub categories: Arc<Categories>,
    /// Whether the search field has the cursor.
    pub searching: bool,
    /// Whether the detail drawer is open.
    pub drawer: bool,
    /// The pause between automatic refreshes.
    pub live: Option<Duration>,
    /// The pets that are known.
    pub store: PetStore,
    /// What is read after the next list.
    pub read_due: ReadNext,
    /// When rows were last asked for.
    pub asked_at: Option<Instant>,
    /// The last list that came, and what was asked for it: rows that are still the same need not come again.
    pub listed: Option<(PetQuery, List)>,
    /// What the service reports.
    pub follow: Follow,
    /// Who added pets.
    pub provenance: KnownProvenance,
    /// Whether pets can be changed, by the last list.
    pub offers_changes: Option<bool>,
    /// What becomes of the pets whose changes are under way, or wait.
    pub changing: BTreeMap<PetId, Pet>,
    /// The commands that they belong to, by the numbers of these in the outbox.
    commands: BTreeMap<u64, Outcome>,
    /// What this program changed last, as it is and as it was.
    pub last_change: Vec<(Pet, Pet)>,
    /// The pets that the next command is about, instead of the one under the cursor.
    pub marked: BTreeSet<PetId>,
    /// Whether the first row tells how a pet is sold, as in the demo.
    pub teaches: bool,
    /// The last change of each pet, as reported.
    pub changed_by: BTreeMap<PetId, ChangedPet>,
    /// Changed under the cursor, it stays in its rows until that moves.
    kept: Option<PetId>,
    /// The pets that were changed since a reading began: what it shows of them may be older.
    changed: HashSet<PetId>,
    /// What was done to the pet in the detail.
    pub history: History,
    /// The sale mode.
    pub sale: Sale,
    rows: Rows,
    cursor: usize,
    /// The pet under the cursor, so that it stays there when rows come and go.
    anchor: Option<PetId>,
}

/// What has become of a command.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    is_undo: bool,
    /// It is a scan in the sale mode.
    is_sale: bool,
    /// The user knows that it waits for the service: what is not made of it stays among the lines.
    waits: bool,
    /// How many pets it is about, how many of them needed no change, and how many answers are still to come.
    total: usize,
    so: usize,
    open: usize,
    /// As they are, and as they were.
    done: Vec<(Pet, Pet)>,
    /// Why others were not changed, a sentence each; how many of these may have been.
    not: Vec<String>,
    unknown: usize,
    /// What failed, as it would be and as it was seen: it can be tried again.
    failed: Vec<(Pet, Pet)>,
}

/// What was scanned. It outlives the box: nothing of it is lost.
#[derive(Clone, Debug, Default)]
pub struct Sale {
    /// The pets whose turn has not come: they are not in the outbox yet.
    pub waiting: VecDeque<PetId>,
    /// What became of others, the newest first: a sentence that it was sold, or why not.
    outcomes: VecDeque<Result<String, String>>,
}

/// What is known of the pet in the detail.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The pet in the detail, if it was asked about or will be.
    of: Option<PetId>,
    /// When that is.
    due: Option<Instant>,
    /// What came last, of which pet.
    known: Option<(PetId, Vec<PetHistoryEntry>)>,
    /// This key may not see it.
    refused: bool,
}

/// What is read after a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadNext {
    #[default]
    Nothing,
    /// All pets, unless the service reports those that are not here.
    New,
    /// All pets.
    All,
}

/// A view, built in or saved.
#[derive(Clone, Debug)]
pub struct Tab {
    /// Its name, and which pets it shows.
    pub view: View,
    /// Its search, taken apart.
    query: Query,
    /// How many pets are known to fit; of those that are always there, the store has the numbers.
    count: Option<Count>,
    /// The row, and its pet, and the first row on screen when another tab was chosen.
    place: (usize, Option<PetId>, usize),
    /// How its rows were chosen when another tab was chosen.
    choice: Option<Choice>,
}

/// How rows are chosen and ordered. The tabs that are always there share one choice.
#[derive(Clone, Debug)]
struct Choice {
    search: TextInput,
    sort: SortOrder,
    best_first: bool,
}

impl Tab {
    fn new(view: View, categories: &Categories) -> Self {
        let query = Query::parse(&view.search, categories);
        Self { view, query, count: None, place: (0, None, 0), choice: None }
    }
}

/// The number of the tab that shows all pets, or those of a status.
fn tab_of(status: Option<PetStatus>) -> usize {
    status.map_or(0, |status| status as usize + 1)
}

/// The views that are always there.
fn built_in() -> [View; BUILT_IN] {
    let [available, pending, sold] = PetStatus::ALL.map(|status| (status.as_str(), Some(status)));
    [("All", None), available, pending, sold].map(|(name, status)| View {
        name: name.to_owned(),
        status,
        ..View::default()
    })
}

/// How many views are always there.
pub const BUILT_IN: usize = 4;

impl State {
    /// The screen before anything was read.
    pub fn new(settings: &Settings) -> Self {
        let tab = |view| Tab::new(view, &settings.categories);
        Self {
            tabs: built_in().into_iter().chain(settings.config.views.iter().cloned()).map(tab).collect(),
            tab: tab_of(settings.config.pets.status),
            limit: settings.config.pets.limit,
            best_first: true,
            categories: Arc::clone(&settings.categories),
            live: settings.config.pets.live,
            store: PetStore::new(settings.config.pets.load_limit),
            ..Self::default()
        }
    }

    /// The view of the tab that is shown.
    pub fn view(&self) -> &View {
        &self.tabs[self.tab].view
    }

    /// The status of the pets of the tab that is shown; all when absent.
    pub fn filter(&self) -> Option<PetStatus> {
        self.view().status
    }

    /// Counts what is known of each saved view; the pets before `first` were counted the last time.
    fn count_views(&mut self, first: usize) {
        let pets = &self.store.pets()[first..];
        for tab in &mut self.tabs[BUILT_IN..] {
            let fits = |pet: &&Pet| is_of(tab.view.status, pet) && tab.query.fits(pet);
            let before = tab.count.filter(|_| first > 0).map_or(0, |count| count.seen);
            let known = self.store.count(tab.view.status).filter(|_| !tab.query.asks_who());
            tab.count = known.map(|of| Count { seen: before + pets.iter().filter(fits).count(), ..of });
        }
    }

    /// What to ask for.
    pub fn query(&self) -> PetQuery {
        PetQuery { status: self.filter(), limit: self.limit, ..PetQuery::default() }
    }

    /// How many rows are shown, after search.
    pub fn row_count(&self) -> usize {
        self.rows.shown.len()
    }

    /// The pets shown from row `from` on.
    pub fn rows_from(&self, from: usize) -> impl Iterator<Item = &Pet> {
        let pets = self.store.pets();
        self.rows.shown.iter().skip(from).filter_map(|index| pets.get(*index as usize))
    }

    /// The row under the cursor, from 0.
    pub const fn cursor(&self) -> usize {
        self.cursor
    }

    /// The pet under the cursor.
    pub fn selected(&self) -> Option<&Pet> {
        self.rows_from(self.cursor).next()
    }

    /// The pets that are marked, or else the one under the cursor.
    pub fn chosen(&self) -> Vec<Pet> {
        let marked = self.marked.iter().filter_map(|id| self.store.get(*id));
        marked.chain(self.selected().filter(|_| self.marked.is_empty())).cloned().collect()
    }

    /// The pet as its row shows it: as it will be.
    pub fn as_shown(&self, pet: &Pet) -> Pet {
        self.changing.get(&pet.id).unwrap_or(pet).clone()
    }

    /// How many changes are under way without waiting for the service.
    pub fn under_way(&self) -> usize {
        self.commands.values().filter(|command| !command.waits).map(|command| command.open).sum()
    }

    /// Puts the cursor on row `row`, or on the last one.
    pub fn move_to(&mut self, row: usize) {
        self.cursor = row.min(self.row_count().saturating_sub(1));
        self.anchor = self.selected().map(|pet| pet.id);
        if self.kept.is_some() && self.kept != self.anchor {
            self.kept = None;
            self.reorder(0);
        }
    }

    /// What is changed now stays in sight, if the cursor is on it.
    fn keep(&mut self, id: PetId) {
        if self.selected().is_some_and(|pet| pet.id == id) {
            (self.kept, self.anchor) = (Some(id), Some(id));
        }
    }

    /// Puts the cursor on this pet, also where the tab or a search did not show it.
    fn go_to(&mut self, pet: Pet) {
        let id = pet.id;
        self.put([pet]);
        if !self.rows_from(0).any(|pet| pet.id == id) {
            self.show_tab(tab_of(None), 0);
            self.search = TextInput::default();
            self.arrange();
        }
        self.anchor = Some(id);
        self.arrange();
    }

    /// Goes to another tab, to where it was left, and returns its first row on screen; `top` is that of this one.
    fn show_tab(&mut self, tab: usize, top: usize) -> usize {
        self.kept = None;
        self.tabs[self.tab].place = (self.cursor, self.anchor, top);
        // Those that are always there keep their common choice in the first.
        let keeper = |tab: usize| if tab < BUILT_IN { 0 } else { tab };
        if keeper(self.tab) != keeper(tab) {
            let next = self.tabs[keeper(tab)].choice.take();
            let next = next.unwrap_or_else(|| Self::choice_of(&self.tabs[tab].view));
            let search = std::mem::replace(&mut self.search, next.search);
            let left = Choice { search, sort: self.sort, best_first: self.best_first };
            self.tabs[keeper(self.tab)].choice = Some(left);
            (self.sort, self.best_first) = (next.sort, next.best_first);
        }
        self.tab = tab;
        let (cursor, anchor, top) = self.tabs[tab].place;
        (self.cursor, self.anchor) = (cursor, anchor);
        self.reorder(0);
        top
    }

    /// How a view chooses its rows before anybody chooses otherwise.
    fn choice_of(view: &View) -> Choice {
        Choice {
            search: TextInput::new(view.search.clone()),
            sort: view.sort.unwrap_or_default(),
            best_first: view.sort.is_none(),
        }
    }

    /// What is shown as a view of this name: only what differs from what a view without it shows.
    fn as_view(&self, name: String) -> View {
        let has_words = self.searched().words().next().is_some();
        let is_usual = if has_words { self.best_first } else { self.sort == SortOrder::default() };
        View {
            name,
            search: self.search.value().trim().to_owned(),
            status: self.filter(),
            sort: (!is_usual).then_some(self.sort),
            columns: self.view().columns.clone(),
            ..View::default()
        }
    }

    /// A view was saved: it is the last tab.
    fn add_view(&mut self, view: View) {
        self.tabs.push(Tab::new(view, &self.categories));
        self.count_views(0);
    }

    /// Whether the search is the one of the tab.
    pub fn is_searched_as_saved(&self) -> bool {
        self.search.value().trim_end() == self.view().search.trim_end()
    }

    /// Takes up what an answer holds.
    pub fn take(&mut self, pets: impl IntoIterator<Item = Pet>, now: Now) {
        let from = self.store.take(pets, now);
        self.show_from(from);
    }

    /// Takes up pets that need no mark.
    fn put(&mut self, pets: impl IntoIterator<Item = Pet>) {
        let from = self.store.put(pets);
        self.show_from(from);
    }

    /// These were added just now.
    fn arrive(&mut self, added: &[Pet], now: Now) {
        if self.store.known_from().is_some() && !self.store.is_cached() {
            self.store.touch(now);
        }
        self.anchor = self.selected().map(|pet| pet.id);
        self.put(added.iter().cloned());
    }

    /// Takes up what was read, but for what was changed meanwhile.
    fn read(&mut self, mut pets: Vec<Pet>, now: Now) {
        for pet in pets.iter_mut().filter(|pet| self.changed.contains(&pet.id)) {
            if let Some(known) = self.store.get(pet.id) {
                pet.clone_from(known);
            }
        }
        self.take(pets, now);
    }

    /// This was changed here.
    pub fn changed_here(&mut self, pet: &Pet) {
        self.changed.insert(pet.id);
        self.keep(pet.id);
        self.put([pet.clone()]);
        self.store.unmark(pet.id);
        self.history.forget(pet.id);
    }

    /// This was added here.
    pub fn added(&mut self, pet: &Pet) {
        self.put([pet.clone()]);
        self.added_here(&[pet.id]);
    }

    /// Pets with these ids were added here: they are not marked as new.
    pub fn added_here(&mut self, ids: &[PetId]) {
        self.follow.held.retain(|held| !ids.contains(held));
        self.store.added(ids);
    }

    /// Shows pets that are new from this place on, or all again.
    fn show_from(&mut self, from: Option<usize>) {
        match from {
            Some(from) if from == self.store.pets().len() => {}
            Some(from) => {
                self.reorder(from);
                self.count_views(from);
            }
            None => self.show_all(),
        }
    }

    /// What is known has changed anywhere.
    pub fn show_all(&mut self) {
        self.provenance.of.retain(|id, _| self.store.get(*id).is_some());
        self.changed_by.retain(|id, _| self.store.get(*id).is_some());
        self.marked.retain(|id| self.store.get(*id).is_some());
        self.reorder(0);
        self.count_views(0);
    }

    /// The service goes on after this pet: those that were there after it are gone.
    fn forget_after(&mut self, last: PetId) {
        self.follow.position = Some(EventPosition::after(last));
        self.follow.held.retain(|id| *id <= last);
        // Their ids may be given to other pets.
        self.last_change.retain(|(pet, _)| pet.id <= last);
        self.store.forget_after(last);
        self.listed = None;
        self.show_all();
    }

    /// Sorts the rows after they, the tab or the order changed; those of the pets before `from` are the same.
    fn reorder(&mut self, from: usize) {
        self.rows.order(self.store.pets(), from, self.tabs[self.tab].view.status, self.kept, self.sort);
        self.arrange();
    }

    /// Searches again. The cursor stays on its pet, or goes to the one that took its place.
    pub fn arrange(&mut self) {
        let mut query = self.searched();
        query.know(&self.provenance.of);
        let (pets, is_best_first) = (self.store.pets(), self.is_best_first());
        self.rows.show(pets, &query, is_best_first);
        let is_anchor = |index: &u32| self.anchor == Some(pets[*index as usize].id);
        let place = self.anchor.and_then(|_| self.rows.shown.iter().position(is_anchor));
        self.cursor = place.unwrap_or(self.cursor).min(self.row_count().saturating_sub(1));
        self.anchor = self.selected().map(|pet| pet.id).filter(|_| self.cursor > 0 || self.anchor.is_some());
    }

    /// Whether the best match comes first.
    fn is_best_first(&self) -> bool {
        self.best_first && self.searched().words().next().is_some()
    }

    /// What is searched for, taken apart.
    pub fn searched(&self) -> Query {
        Query::parse(self.search.value(), &self.categories)
    }

    /// The pets of the tab, also those that a search in it does not show.
    fn of_tab(&self) -> Vec<Pet> {
        let mut query = self.tabs[self.tab].query.clone();
        query.know(&self.provenance.of);
        let fits = |pet: &&Pet| is_of(self.filter(), pet) && query.fits(pet);
        self.store.pets().iter().filter(fits).cloned().collect()
    }

    /// Another key is in use, which may see other pets and who added them, and with which the service may be followed.
    pub fn on_other_key(&mut self) {
        self.follow.link = FollowLink::Off;
        self.provenance.barrier = None;
        self.history = History::default();
        self.store.doubt();
    }

    /// When the next automatic refresh is due.
    pub fn next_refresh(&self) -> Option<Instant> {
        Some(self.asked_at.max(self.store.read().map(|at| at.mono))? + self.live?)
    }
}

/// What the service reports, and what is not settled of it.
#[derive(Clone, Debug, Default)]
pub struct Follow {
    link: FollowLink,
    /// What was reported last, or where the reports began.
    pub position: Option<EventPosition>,
    /// Reported while this program was adding pets: they may be its own.
    held: Vec<PetId>,
}

/// The connection to the reports of the service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FollowLink {
    /// There is none.
    #[default]
    Off,
    /// New pets come at once.
    Live,
    /// The service has refused it: it is not tried again.
    Refused,
}

impl Follow {
    /// Whether new pets come at once.
    pub fn is_live(&self) -> bool {
        self.link == FollowLink::Live
    }
}

/// Who added pets, as far as it was asked for or reported.
#[derive(Clone, Debug, Default)]
pub struct KnownProvenance {
    of: Provenances,
    /// Whether any pet has the name of a key, and a time.
    knows: (bool, bool),
    /// Why nothing is asked.
    barrier: Option<Barrier>,
}

/// Why nothing is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Barrier {
    /// The service does not report it to this key.
    NotReported,
    /// It could not be asked; after the next list it is tried again.
    Failed,
}

impl KnownProvenance {
    /// Learns of a pet that was reported.
    fn learn(&mut self, id: PetId, provenance: Option<Provenance>) {
        match provenance {
            Some(provenance) => {
                self.barrier = None;
                self.take([(id, provenance)]);
            }
            None => self.barrier = Some(Barrier::NotReported),
        }
    }

    fn take(&mut self, found: impl IntoIterator<Item = (PetId, Provenance)>) {
        for (id, provenance) in found {
            self.knows.0 |= provenance.by().is_some();
            self.knows.1 |= provenance.added_at.is_some();
            self.of.insert(id, provenance);
        }
    }

    /// The columns that have something to show.
    fn columns(&self) -> impl Iterator<Item = Column> {
        let columns = [(Column::By, self.knows.0), (Column::At, self.knows.1), (Column::Age, self.knows.1)];
        columns.into_iter().filter_map(|(column, is_known)| is_known.then_some(column))
    }
}

/// The rows of a tab.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Every row of the tab, in order: indices into the list.
    order: Vec<u32>,
    /// Those that are shown.
    shown: Vec<u32>,
    /// How many of the tab's rows are in each category, the most frequent first.
    categories: Vec<(i64, usize)>,
    /// The digits of the longest id and category.
    digits: (u16, u16),
    search: Search,
}

impl Rows {
    /// Takes other pets, or another order of them: those of `status` only, where one is given, and the one that is kept.
    /// Those before `from` are here already.
    fn order(
        &mut self,
        pets: &[Pet],
        from: usize,
        status: Option<PetStatus>,
        kept: Option<PetId>,
        SortOrder { column, descending }: SortOrder,
    ) {
        if from == 0 {
            (self.order, self.categories, self.digits) = Default::default();
        }
        let mut categories: BTreeMap<_, _> = std::mem::take(&mut self.categories).into_iter().collect();
        for (index, pet) in (0..).zip(pets).skip(from).filter(|(_, pet)| is_of(status, pet) || kept == Some(pet.id)) {
            self.order.push(index);
            *categories.entry(pet.category_id).or_insert(0) += 1;
        }
        self.categories = categories.into_iter().collect();
        self.categories.sort_by_key(|(category, count)| (Reverse(*count), *category));
        let pet = |index: &u32| &pets[*index as usize];
        if column == Column::Name && from == 0 {
            // Made once for each name, not for each comparison.
            self.order.sort_by_cached_key(|index| (pet(index).name.to_lowercase(), pet(index).id));
        } else {
            // Fast where most are in this order already, or in the reverse one.
            self.order.sort_by(|a, b| compare(pet(a), pet(b), column));
        }
        if descending {
            self.order.reverse();
        }
        let longest = |known: u16, number: fn(&Pet) -> i64| {
            let numbers = || pets[from..].iter().map(number);
            let extremes = numbers().min().into_iter().chain(numbers().max());
            extremes.map(|number| number.to_string().len() as u16).fold(known, u16::max)
        };
        self.digits = (longest(self.digits.0, |pet| pet.id), longest(self.digits.1, |pet| pet.category_id));
    }

    /// Shows those that fit: in the order of the tab, or the best match first.
    fn show(&mut self, pets: &[Pet], query: &Query, best_first: bool) {
        self.shown = self.order.iter().copied().filter(|index| query.fits(&pets[*index as usize])).collect();
        if best_first {
            self.shown = self.search.best_first(query, pets, std::mem::take(&mut self.shown));
        }
    }
}

fn is_of(status: Option<PetStatus>, pet: &Pet) -> bool {
    status.is_none_or(|status| pet.is(status))
}

fn compare(a: &Pet, b: &Pet, by: Column) -> Ordering {
    let first = match by {
        Column::Id | Column::By | Column::At | Column::Age => Ordering::Equal,
        Column::Name => a.name.to_lowercase().cmp(&b.name.to_lowercase()),
        Column::CategoryId => a.category_id.cmp(&b.category_id),
        Column::Status => a.status.cmp(&b.status),
    };
    first.then(a.id.cmp(&b.id))
}
