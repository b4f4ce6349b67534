//! What the pets screen knows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::reported::{Follow, KnownProvenance};
use super::rows::Rows;
use crate::api::list::List;
use crate::app::inventory::search::Query;
use crate::app::inventory::store::{Count, PetStore};
use crate::clock::Now;
use crate::config::Settings;
use crate::config::file::View;
use crate::model::columns::SortOrder;
use crate::model::export::Column;
use crate::model::{Categories, Limit, ObservedStatus, Pet, PetId, PetQuery, PetStatus};
use crate::tui::text_input::TextInput;

/// The pets screen.
#[derive(Clone, Debug)]
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
    rows: Rows,
    cursor: usize,
    /// The pet under the cursor, so that it stays there when rows come and go.
    anchor: Option<PetId>,
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
pub(in crate::tui) const fn tab_of(status: Option<PetStatus>) -> usize {
    match status {
        None => 0,
        Some(status) => status as usize + 1,
    }
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
pub(in crate::tui) const BUILT_IN: usize = 4;

/// The most pets that are put among the rows one by one.
const MOST_PLACED: usize = 100;

/// The default order of rows.
const USUAL_SORT: SortOrder = SortOrder { column: Column::Id, descending: false };

impl State {
    /// The screen before anything was read.
    pub fn new(settings: &Settings) -> Self {
        let tab = |view| Tab::new(view, &settings.categories);
        Self {
            tabs: built_in().into_iter().chain(settings.views.iter().cloned()).map(tab).collect(),
            tab: tab_of(settings.status),
            limit: settings.limit,
            sort: USUAL_SORT,
            best_first: true,
            search: TextInput::default(),
            categories: Arc::clone(&settings.categories),
            searching: false,
            drawer: false,
            live: settings.live,
            store: PetStore::new(settings.load_limit),
            read_due: ReadNext::Nothing,
            asked_at: None,
            listed: None,
            follow: Follow::default(),
            provenance: KnownProvenance::default(),
            rows: Rows::default(),
            cursor: 0,
            anchor: None,
        }
    }

    /// The tabs, and the number of the one that is shown.
    pub fn tabs(&self) -> (&[Tab], usize) {
        (&self.tabs, self.tab)
    }

    /// The view of the tab that is shown.
    pub fn view(&self) -> &View {
        &self.tabs[self.tab].view
    }

    /// The status of the pets of the tab that is shown; all when absent.
    pub fn filter(&self) -> Option<PetStatus> {
        self.view().status
    }

    /// How many pets a tab has, as far as that is known.
    pub fn tab_count(&self, tab: usize) -> Option<Count> {
        if tab < BUILT_IN { self.store.count(self.tabs[tab].view.status) } else { self.tabs[tab].count }
    }

    /// Counts what is known of each saved view; the pets before `first` were counted the last time.
    pub(super) fn count_views(&mut self, first: usize) {
        let pets = &self.store.pets()[first..];
        for tab in &mut self.tabs[BUILT_IN..] {
            let wanted = tab.view.status.map(ObservedStatus::from);
            let fits = |pet: &&Pet| (wanted.is_none() || pet.status == wanted) && tab.query.fits(pet);
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
        self.rows.shown().len()
    }

    /// The rows of the tab: how many, of which categories, how wide.
    pub const fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The pets shown from row `from` on.
    pub fn rows_from(&self, from: usize) -> impl Iterator<Item = &Pet> {
        let pets = self.store.pets();
        self.rows.shown().iter().skip(from).filter_map(|index| pets.get(*index as usize))
    }

    /// The row under the cursor, from 0.
    pub const fn cursor(&self) -> usize {
        self.cursor
    }

    /// The pet under the cursor.
    pub fn selected(&self) -> Option<&Pet> {
        self.rows_from(self.cursor).next()
    }

    /// Puts the cursor on row `row`, or on the last one.
    pub fn move_to(&mut self, row: usize) {
        self.cursor = row.min(self.row_count().saturating_sub(1));
        self.anchor = self.selected().map(|pet| pet.id);
    }

    /// Puts the cursor on the first row, whichever pet comes to be there.
    pub(super) fn go_to_top(&mut self) {
        (self.cursor, self.anchor) = (0, None);
    }

    /// Puts the cursor on this pet, also where the tab or a search did not show it.
    pub(super) fn go_to(&mut self, pet: Pet) {
        let id = pet.id;
        let is_shown = |state: &Self| state.rows_from(0).any(|pet| pet.id == id);
        let from = self.store.put([pet]);
        self.show_from(from);
        if !is_shown(self) {
            self.show_tab(tab_of(None), 0);
            self.search = TextInput::default();
            self.arrange();
        }
        self.anchor = Some(id);
        self.arrange();
    }

    /// Goes to another tab, to where it was left, and returns its first row on screen; `top` is that of this one.
    pub(super) fn show_tab(&mut self, tab: usize, top: usize) -> usize {
        self.tabs[self.tab].place = (self.cursor, self.anchor, top);
        // Those that are always there keep their common choice in the first.
        let keeper = |tab: usize| if tab < BUILT_IN { 0 } else { tab };
        if keeper(self.tab) != keeper(tab) {
            let next = self.tabs[keeper(tab)].choice.take();
            let next = next.unwrap_or_else(|| Self::choice_of(&self.tabs[tab].view));
            let left = Choice {
                search: std::mem::replace(&mut self.search, next.search),
                sort: std::mem::replace(&mut self.sort, next.sort),
                best_first: std::mem::replace(&mut self.best_first, next.best_first),
            };
            self.tabs[keeper(self.tab)].choice = Some(left);
        }
        self.tab = tab;
        let (cursor, anchor, top) = self.tabs[tab].place;
        (self.cursor, self.anchor) = (cursor, anchor);
        self.reorder();
        top
    }

    /// How a view chooses its rows before anybody chooses otherwise.
    fn choice_of(view: &View) -> Choice {
        Choice {
            search: TextInput::new(view.search.clone()),
            sort: view.sort.unwrap_or(USUAL_SORT),
            best_first: view.sort.is_none(),
        }
    }

    /// What is shown as a view of this name: only what differs from what a view without it shows.
    pub(super) fn as_view(&self, name: String) -> View {
        let view = View { name, search: self.search.value().trim().to_owned(), ..View::default() };
        let usual = Self::choice_of(&view);
        let has_words = self.searched().words().next().is_some();
        let is_usual = if has_words { self.best_first } else { self.sort == usual.sort };
        View {
            status: self.filter(),
            sort: (!is_usual).then_some(self.sort),
            columns: self.view().columns.clone(),
            ..view
        }
    }

    /// A view was saved: it is the last tab.
    pub(super) fn add_view(&mut self, view: View) {
        self.tabs.push(Tab::new(view, &self.categories));
        self.count_views(0);
    }

    /// Takes back what was typed into the search field.
    pub(super) fn reset_search(&mut self) {
        self.search = TextInput::new(self.view().search.clone());
        self.best_first = self.view().sort.is_none();
    }

    /// Whether the search is the one of the tab.
    pub fn is_searched_as_saved(&self) -> bool {
        self.search.value() == self.view().search
    }

    /// Takes up what an answer holds.
    pub fn take(&mut self, pets: impl IntoIterator<Item = Pet>, now: Now) {
        let from = self.store.take(pets, now);
        self.show_from(from);
    }

    /// These were added just now.
    pub(super) fn arrive(&mut self, added: &[Pet], now: Now) {
        if self.store.known_from().is_some() && !self.store.is_cached() {
            self.store.touch(now);
        }
        self.anchor = self.selected().map(|pet| pet.id);
        let from = self.store.put(added.iter().cloned());
        self.show_from(from);
    }

    /// This was added here.
    pub fn added(&mut self, pet: &Pet) {
        let from = self.store.put([pet.clone()]);
        self.added_here(&[pet.id]);
        self.show_from(from);
    }

    /// Pets with these ids were added here: they are not marked as new.
    pub fn added_here(&mut self, ids: &[PetId]) {
        self.follow.held.retain(|held| !ids.contains(held));
        self.store.added(ids);
    }

    /// Shows pets that are new from this place on, or all again.
    fn show_from(&mut self, from: Option<usize>) {
        let pets = self.store.pets();
        match from {
            Some(from) if from == pets.len() => {}
            Some(from) if pets.len() - from <= MOST_PLACED => {
                self.rows.extend(pets, from, self.tabs[self.tab].view.status, self.sort);
                self.arrange();
                self.count_views(from);
            }
            _ => self.show_all(),
        }
    }

    /// What is known has changed anywhere.
    pub(in crate::tui) fn show_all(&mut self) {
        self.provenance.of.retain(|id, _| self.store.get(*id).is_some());
        self.reorder();
        self.count_views(0);
    }

    /// The service goes on after this pet: those that were there after it are gone.
    pub(super) fn forget_after(&mut self, last: PetId) {
        self.follow.position = Some(last);
        self.follow.held.retain(|id| *id <= last);
        self.store.forget_after(last);
        self.listed = None;
        self.show_all();
    }

    /// Sorts the rows after they, the tab or the order changed.
    pub(super) fn reorder(&mut self) {
        self.rows.order(self.store.pets(), self.tabs[self.tab].view.status, self.sort);
        self.arrange();
    }

    /// Searches again. The cursor stays on its pet, or goes to the one that took its place.
    pub fn arrange(&mut self) {
        let mut query = self.searched();
        query.know(self.provenance.all());
        let (pets, is_best_first) = (self.store.pets(), self.is_best_first());
        self.rows.show(pets, &query, is_best_first);
        let is_anchor = |index: &u32| self.anchor == Some(pets[*index as usize].id);
        let place = self.anchor.and_then(|_| self.rows.shown().iter().position(is_anchor));
        self.cursor = place.unwrap_or(self.cursor).min(self.row_count().saturating_sub(1));
        self.anchor = self.selected().map(|pet| pet.id).filter(|_| self.cursor > 0 || self.anchor.is_some());
    }

    /// Whether the best match comes first.
    pub(super) fn is_best_first(&self) -> bool {
        self.best_first && self.searched().words().next().is_some()
    }

    /// What is searched for, taken apart.
    pub fn searched(&self) -> Query {
        Query::parse(self.search.value(), &self.categories)
    }

    /// The pets of the tab, also those that a search in it does not show.
    pub(super) fn of_tab(&self) -> Vec<Pet> {
        let tab = &self.tabs[self.tab];
        let (mut query, wanted) = (tab.query.clone(), tab.view.status.map(ObservedStatus::from));
        query.know(self.provenance.all());
        let fits = |pet: &&Pet| (wanted.is_none() || pet.status == wanted) && query.fits(pet);
        self.store.pets().iter().filter(fits).cloned().collect()
    }

    /// When the next automatic refresh is due.
    pub fn next_refresh(&self) -> Option<Instant> {
        Some(self.asked_at.max(self.store.read().map(|at| at.mono))? + self.live?)
    }
}
