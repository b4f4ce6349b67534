//! What the pets screen knows.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::follow::{Follow, MOST_KEPT};
use super::inventory::Inventory;
use super::provenance::KnownProvenance;
use super::rows::{Rows, Sort};
use crate::api::list::List;
use crate::app::inventory::changes::{Baseline, ChangeMarks};
use crate::app::inventory::search::Query;
use crate::clock::Now;
use crate::config::Settings;
use crate::config::file::View;
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
    /// Rows per request where a view does not say how many.
    usual_limit: Limit,
    /// Rows asked for at once.
    pub limit: Limit,
    /// The order of the rows.
    pub sort: Sort,
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
    /// A pet shown in the drawer that need not be among the rows: the one just added.
    pub pinned: Option<Pet>,
    /// How many pets have each status, as far as known, in the order of [`PetStatus::ALL`].
    pub counts: [Option<Count>; 3],
    /// Whether to ask for the counts after the next list.
    pub counts_due: bool,
    /// What is new or changed.
    pub changes: ChangeMarks,
    pub whole: Inventory,
    /// What the service reports.
    pub follow: Follow,
    /// Who added pets.
    pub provenance: KnownProvenance,
    /// Whether the meaning of the `+` of a number was explained.
    pub(super) is_count_explained: bool,
    /// The lists from which the counts are, and when they were read.
    pub counted: [Option<(List, Now)>; 3],
    rows: Rows,
    cursor: usize,
    /// The pet under the cursor, so that it stays there when rows come and go.
    anchor: Option<PetId>,
}

/// A list as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What was asked.
    pub limit: Limit,
    /// The pets.
    pub list: List,
    /// When it was read.
    pub at: Now,
    /// How it came to be here.
    pub source: ListSource,
}

/// How a list came to be here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListSource {
    /// By an answer to this very question.
    Answer,
    /// Picked from another list, until its own answer comes.
    Picked,
    /// Kept from an earlier session, until it is asked for again.
    Cached,
}

/// A number of pets: exact, or at least so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// How many were seen.
    pub seen: usize,
    /// Whether there may be more.
    pub or_more: bool,
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.seen, if self.or_more { "+" } else { "" })
    }
}

/// A view, built in or saved, and what was read for it.
#[derive(Clone, Debug)]
pub struct Tab {
    /// Its name, and which pets it shows.
    pub view: View,
    /// Its search, taken apart.
    query: Query,
    /// How many pets are known to fit; of those that are always there, the status counts.
    count: Option<Count>,
    /// Its rows.
    list: Option<Loaded>,
    /// The row, and its pet, and the first row on screen when another tab was chosen.
    place: (usize, Option<PetId>, usize),
    /// How its rows were chosen when another tab was chosen.
    choice: Option<Choice>,
}

/// How rows are chosen and ordered. The tabs that are always there share one choice.
#[derive(Clone, Debug)]
struct Choice {
    search: TextInput,
    sort: Sort,
    best_first: bool,
    limit: Limit,
}

impl Tab {
    fn new(view: View, categories: &Categories) -> Self {
        let query = Query::parse(&view.search, categories);
        Self { view, query, count: None, list: None, place: (0, None, 0), choice: None }
    }

    /// Whether a pet of `status` belongs to its list.
    fn takes(&self, status: Option<PetStatus>) -> bool {
        self.view.status.is_none() || self.view.status == status
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

/// The default order of rows.
const USUAL_SORT: Sort = Sort { by: Some(Column::Id), descending: false };

impl State {
    /// The screen before anything was read.
    pub fn new(settings: &Settings) -> Self {
        let tab = |view| Tab::new(view, &settings.categories);
        Self {
            tabs: built_in().into_iter().chain(settings.views.iter().cloned()).map(tab).collect(),
            tab: tab_of(settings.status),
            usual_limit: settings.limit,
            limit: settings.limit,
            sort: USUAL_SORT,
            best_first: true,
            search: TextInput::default(),
            categories: Arc::clone(&settings.categories),
            searching: false,
            drawer: false,
            live: settings.live,
            pinned: None,
            counts: [None; 3],
            counts_due: true,
            changes: ChangeMarks::default(),
            whole: Inventory::default(),
            follow: Follow::default(),
            provenance: KnownProvenance::default(),
            is_count_explained: false,
            counted: [const { None }; 3],
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

    /// The list of the tab that is shown.
    pub fn list(&self) -> Option<&Loaded> {
        self.tabs[self.tab].list.as_ref()
    }

    /// The lists of the tabs that are always there, as far as they were read or kept.
    pub fn lists(&self) -> impl Iterator<Item = (Option<PetStatus>, &Loaded)> {
        self.tabs[..BUILT_IN].iter().filter_map(|tab| Some((tab.view.status, tab.list.as_ref()?)))
    }

    /// How many pets a tab has, as far as that is known.
    pub fn tab_count(&self, tab: usize) -> Option<Count> {
        match self.tabs[tab].view.status {
            _ if tab >= BUILT_IN => self.tabs[tab].count,
            None => self.total(),
            Some(status) => self.count(status),
        }
    }

    /// Counts what is known of each saved view.
    pub(super) fn count_views(&mut self) {
        self.count_views_from(0);
    }

    /// The same, but of the whole inventory only the pets from `first` on, which are new since the last time.
    fn count_views_from(&mut self, first: usize) {
        if self.tabs.len() == BUILT_IN {
            return;
        }
        let pets: Vec<&Pet> = if self.whole.total().is_some() {
            self.whole.pets.iter().skip(first).collect()
        } else {
            let lists = self.tabs.iter().filter_map(|tab| tab.list.as_ref()).map(|loaded| &loaded.list);
            let counted = self.counted.iter().flatten().map(|(list, _)| list);
            let all = lists.chain(counted).flat_map(|list| list.pets.iter());
            all.map(|pet| (pet.id, pet)).collect::<HashMap<_, _>>().into_values().collect()
        };
        let count = |tab: &Tab| {
            let of_status = tab.view.status.map_or_else(|| self.total(), |status| self.count(status));
            let wanted = tab.view.status.map(ObservedStatus::from);
            let fits = |pet: &&&Pet| (wanted.is_none() || pet.status == wanted) && tab.query.fits(pet);
            let is_unknown = tab.query.asks_who() || pets.is_empty() && of_status.is_none();
            (!is_unknown).then(|| Count {
                seen: pets.iter().filter(fits).count() + tab.count.filter(|_| first > 0).map_or(0, |count| count.seen),
                or_more: of_status.is_none_or(|count| count.or_more),
            })
        };
        let counts: Vec<_> = self.tabs[BUILT_IN..].iter().map(count).collect();
        for (tab, count) in self.tabs[BUILT_IN..].iter_mut().zip(counts) {
            tab.count = count;
        }
    }

    /// The pets that the rows are of.
    pub fn pets(&self) -> &[Pet] {
        match self.whole.shown() {
            Some(whole) => whole,
            None => self.list().map_or(&[][..], |list| &list.list.pets),
        }
    }

    /// What to ask for.
    pub fn query(&self) -> PetQuery {
        PetQuery { status: self.filter(), limit: self.limit, after: None }
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
        let pets = self.pets();
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

    /// The pet that the detail shows.
    pub(super) fn detailed(&self) -> Option<&Pet> {
        self.pinned.as_ref().or_else(|| self.selected())
    }

    /// The pet `id` as last read, wherever among what was read, and when that was.
    pub fn find(&self, id: PetId) -> Option<(&Pet, Now)> {
        let whole = self.whole.at().map(|at| (&self.whole.pets[..], at));
        let lists = self.tabs.iter().filter_map(|tab| tab.list.as_ref());
        let lists = lists.map(|loaded| (&loaded.list.pets[..], loaded.at));
        let counted = self.counted.iter().flatten().map(|(list, at)| (&list.pets[..], *at));
        let all = whole.into_iter().chain(lists).chain(counted);
        all.filter_map(|(pets, at)| Some((pets.iter().find(|pet| pet.id == id)?, at))).max_by_key(|(_, at)| at.mono)
    }

    /// Puts the cursor on row `row`, or on the last one.
    pub fn move_to(&mut self, row: usize) {
        self.cursor = row.min(self.row_count().saturating_sub(1));
        self.anchor = self.selected().map(|pet| pet.id);
        self.pinned = None;
    }

    /// Goes to another tab, to where it was left, and returns its first row on screen; `top` is that of this one. Rows of
    /// it that other lists hold are shown until its own are read.
    pub(super) fn show_tab(&mut self, tab: usize, top: usize) -> usize {
        self.tabs[self.tab].place = (self.cursor, self.anchor, top);
        // Those that are always there keep their common choice in the first.
        let keeper = |tab: usize| if tab < BUILT_IN { 0 } else { tab };
        if keeper(self.tab) != keeper(tab) {
            let next = self.tabs[keeper(tab)].choice.take();
            let next = next.unwrap_or_else(|| self.choice_of(&self.tabs[tab].view));
            let left = Choice {
                search: std::mem::replace(&mut self.search, next.search),
                sort: std::mem::replace(&mut self.sort, next.sort),
                best_first: std::mem::replace(&mut self.best_first, next.best_first),
                limit: std::mem::replace(&mut self.limit, next.limit),
            };
            self.tabs[keeper(self.tab)].choice = Some(left);
        }
        self.tab = tab;
        if self.list().is_none() {
            self.tabs[tab].list = match self.filter() {
                Some(status) => self.picked(status),
                // The list of all pets may be here already.
                None => self.tabs[0].list.clone().map(|loaded| Loaded { source: ListSource::Picked, ..loaded }),
            };
        }
        let (cursor, anchor, top) = self.tabs[tab].place;
        (self.cursor, self.anchor, self.pinned) = (cursor, anchor, None);
        self.reorder();
        top
    }

    /// How a view chooses its rows before anybody chooses otherwise.
    fn choice_of(&self, view: &View) -> Choice {
        // Of few rows, few would be found.
        let usual = if view.searched().is_some() { Limit::MAX } else { self.usual_limit };
        Choice {
            search: TextInput::new(view.search.clone()),
            sort: view.sort.map_or(USUAL_SORT, Sort::from),
            best_first: view.sort.is_none(),
            limit: view.limit.unwrap_or(usual),
        }
    }

    /// What is shown as a view of this name: only what differs from what a view without it shows.
    pub(super) fn as_view(&self, name: String) -> View {
        let view = View { name, search: self.search.value().trim().to_owned(), ..View::default() };
        let usual = self.choice_of(&view);
        let has_words = self.searched().words().next().is_some();
        let is_usual = if has_words { self.best_first } else { self.sort == usual.sort };
        View {
            status: self.filter(),
            sort: self.sort.order().filter(|_| !is_usual),
            columns: self.view().columns.clone(),
            // A number that nobody chose is not kept: of a search, the view then reads more rows.
            limit: Some(self.limit).filter(|limit| ![usual.limit, self.usual_limit].contains(limit)),
            ..view
        }
    }

    /// A view was saved: it is the last tab.
    pub(super) fn add_view(&mut self, view: View) {
        self.tabs.push(Tab::new(view, &self.categories));
        self.count_views();
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

    /// What other lists hold of a tab.
    fn picked(&self, status: PetStatus) -> Option<Loaded> {
        let all = self.tabs[0].list.as_ref()?;
        let wanted = ObservedStatus::Known(status);
        let counted = self.counted[status as usize].as_ref().map_or(&[][..], |(list, _)| &list.pets);
        let here = if counted.is_empty() { &all.list.pets[..] } else { counted };
        let of_status = here.iter().filter(|pet| pet.status.as_ref() == Some(&wanted));
        let pets: Vec<_> = of_status.take(self.limit.get().into()).cloned().collect();
        let list = (!pets.is_empty()).then(|| List::of(pets, None))?;
        Some(Loaded { limit: self.limit, list, at: all.at, source: ListSource::Picked })
    }

    /// Takes a list that was read for the tab that is shown, and learns from it what has changed.
    pub fn take(&mut self, loaded: Loaded) {
        let (old, filter) = (self.list(), self.filter());
        let same = old.filter(|old| old.source != ListSource::Picked && old.limit == loaded.limit);
        // In the list of a status, a pet that was not there before may only have another status now.
        let before = if filter.is_none() || self.knows_all() { before(same) } else { Baseline::Unknown };
        let whole = filter.is_none() && loaded.is_complete();
        self.changes.learn(&loaded.list.pets, before, whole, loaded.at.wall);
        self.whole.compare(&loaded.list.pets);
        self.put(self.tab, loaded);
        self.add_arrived();
        self.count_views();
    }

    /// These were added just now: they come into every list to which they belong.
    pub(super) fn arrive(&mut self, added: &[Pet], at: Now) {
        self.touch(at);
        self.add(added);
    }

    /// What arrived while a list was on its way may be missing in it.
    pub(super) fn add_arrived(&mut self) {
        let arrived = std::mem::take(&mut self.follow.arrived);
        self.add(&arrived);
        self.follow.arrived = arrived;
    }

    /// These were reported: what is known of the oldest of too many is forgotten.
    pub(super) fn forget_oldest(&mut self, reported: &[Pet]) {
        let kept = &mut self.follow.kept;
        kept.extend(reported.iter().map(|pet| pet.id));
        for id in kept.drain(..kept.len().saturating_sub(MOST_KEPT)) {
            self.provenance.of.remove(&id);
            self.changes.forget(id);
        }
    }

    /// The service goes on after this pet: those that were there after it are gone.
    pub(super) fn forget_after(&mut self, last: PetId) {
        self.follow.position = Some(last);
        self.follow.arrived.retain(|pet| pet.id <= last);
        self.follow.held.retain(|pet| pet.id <= last);
        self.follow.kept.retain(|id| *id <= last);
        self.provenance.of.retain(|id, _| *id <= last);
        self.changes.forget_after(last);
        self.pinned.take_if(|pet| pet.id > last);
        self.whole.forget();
        self.forget_lists();
    }

    fn add(&mut self, added: &[Pet]) {
        let before = self.pets().len();
        let counted = self.whole.total().map_or(0, |_| self.whole.pets.len());
        for pet in added {
            let status = PetStatus::ALL.into_iter().find(|status| pet.status.as_ref() == Some(&(*status).into()));
            for tab in self.tabs.iter_mut().filter(|tab| tab.takes(status)) {
                if let Some(loaded) = tab.list.as_mut().filter(|list| list.source != ListSource::Cached) {
                    loaded.list.add(pet, loaded.limit);
                }
            }
            if let Some(status) = status
                && let Some((list, _)) = &mut self.counted[status as usize]
            {
                list.add(pet, Limit::MAX);
                let count = Count { seen: list.pets.len(), or_more: list.next().is_some() };
                self.counts[status as usize] = Some(count);
            }
            self.whole.add(pet);
        }
        if !added.is_empty() {
            self.count_views_from(counted);
        }
        if self.pets().len() > before {
            let mut rows = std::mem::take(&mut self.rows);
            let status = if self.whole.shown().is_some() { self.filter() } else { None };
            rows.extend(self.pets(), before, status, self.sort);
            self.rows = rows;
            self.arrange();
        }
    }

    /// What was read is as of now.
    pub(super) fn touch(&mut self, now: Now) {
        let lists = self.tabs.iter_mut().filter_map(|tab| tab.list.as_mut());
        let answers = lists.filter(|loaded| loaded.source == ListSource::Answer);
        answers.for_each(|loaded| loaded.at = now);
        self.counted.iter_mut().flatten().for_each(|(_, at)| *at = now);
        self.whole.touch(now);
    }

    /// Whether the list of all pets is here and ends with this one.
    pub(super) fn lists_up_to(&self, last: PetId) -> bool {
        let all =
            self.tabs[0].list.as_ref().filter(|loaded| loaded.source == ListSource::Answer && loaded.is_complete());
        all.is_some_and(|loaded| loaded.list.pets.last().is_some_and(|pet| pet.id == last))
    }

    /// Whether every pet of the service is here, in whichever list.
    fn knows_all(&self) -> bool {
        let all = self.tabs[0].list.as_ref().is_some_and(Loaded::is_complete);
        all || self.whole.is_complete() || self.counts.iter().all(|count| count.is_some_and(|count| !count.or_more))
    }

    /// Puts a list in its place, also one from an earlier session.
    pub fn put(&mut self, tab: usize, loaded: Loaded) {
        if let Some(pinned) = &mut self.pinned
            && let Some(newer) = loaded.list.pets.iter().find(|pet| pet.id == pinned.id)
        {
            pinned.clone_from(newer);
        }
        self.tabs[tab].list = Some(loaded);
        if tab == self.tab {
            self.reorder();
        }
    }

    /// The list of the tab that is shown was refreshed and has not changed.
    pub fn confirm(&mut self, at: Now) {
        if let Some(loaded) = &mut self.tabs[self.tab].list {
            loaded.at = at;
            loaded.source = ListSource::Answer;
        }
    }

    /// Takes the list from which the number of pets of one status is.
    pub(super) fn take_counted(&mut self, status: PetStatus, list: List, has_pages: bool, at: Now) {
        let before = if self.knows_all() { Baseline::All } else { Baseline::Unknown };
        self.changes.learn(&list.pets, before, false, at.wall);
        self.whole.compare(&list.pets);
        self.restore_counted(status, list, has_pages, at);
        self.add_arrived();
        self.count_views();
    }

    /// The list of a count was refreshed and has not changed.
    pub(super) fn confirm_counted(&mut self, status: PetStatus, at: Now) {
        if let Some((_, read)) = &mut self.counted[status as usize] {
            *read = at;
        }
    }

    /// Restores the list of a count from an earlier session.
    pub fn restore_counted(&mut self, status: PetStatus, list: List, has_pages: bool, at: Now) {
        let full = list.pets.len() >= usize::from(Limit::MAX.get()) && !has_pages;
        self.counts[status as usize] = Some(Count { seen: list.pets.len(), or_more: list.next().is_some() || full });
        self.counted[status as usize] = Some((list, at));
    }

    /// Lists of an earlier session were restored: what is in them is not new.
    pub fn know_restored(&mut self) {
        let counted = self.counted.iter().flatten().map(|(list, at)| (list, at.wall));
        let lists = self.tabs.iter().filter_map(|tab| tab.list.as_ref()).map(|loaded| (&loaded.list, loaded.at.wall));
        let mut all: Vec<_> = counted.chain(lists).collect();
        // Of a pet in two of them, the newer one counts.
        all.sort_by_key(|(_, at)| *at);
        self.changes.know(all.iter().flat_map(|(list, _)| list.pets.iter()));
        self.count_views();
    }

    /// Forgets the lists: the next pets were added by this program and are not changes.
    pub(super) fn forget_lists(&mut self) {
        self.tabs.iter_mut().for_each(|tab| (tab.list, tab.count) = (None, None));
        self.counted = [const { None }; 3];
        self.counts = [None; 3];
        self.reorder();
    }

    /// Appends a further page to the list of the tab in use.
    pub fn append(&mut self, more: List, at: Now) {
        self.changes.learn(&more.pets, Baseline::Unknown, false, at.wall);
        self.whole.compare(&more.pets);
        if let Some(loaded) = &mut self.tabs[self.tab].list {
            // The rows before are as old as they were.
            loaded.list.append(more);
        }
        self.reorder();
        self.add_arrived();
        self.count_views();
    }

    /// A pet was added in this session.
    pub fn added(&mut self, pet: &Pet) {
        self.changes.added([pet.id]);
        self.whole.add(pet);
        if self.whole.is_there() {
            self.reorder();
        }
    }

    /// Sorts the rows after they, the tab or the order changed.
    pub(super) fn reorder(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        let status = if self.whole.shown().is_some() { self.filter() } else { None };
        rows.order(self.pets(), status, self.sort);
        self.rows = rows;
        self.arrange();
    }

    /// Searches again. The cursor stays on its pet, or goes to the one that took its place.
    pub fn arrange(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        let pets = self.pets();
        let mut query = self.searched();
        query.know(self.provenance.all());
        rows.show(pets, &query, self.is_best_first());
        let is_anchor = |index: &u32| self.anchor == Some(pets[*index as usize].id);
        let place = self.anchor.and_then(|_| rows.shown().iter().position(is_anchor));
        self.rows = rows;
        self.cursor = place.unwrap_or(self.cursor).min(self.row_count().saturating_sub(1));
        self.anchor = self.selected().map(|pet| pet.id);
    }

    /// Whether the best match comes first.
    pub(super) fn is_best_first(&self) -> bool {
        self.best_first && self.searched().words().next().is_some()
    }

    /// What is searched for, taken apart.
    pub fn searched(&self) -> Query {
        Query::parse(self.search.value(), &self.categories)
    }

    /// How many pets there are in all, from the whole inventory, the three counts or the list of all.
    pub fn total(&self) -> Option<Count> {
        if let Some(total) = self.whole.total() {
            return Some(total);
        }
        if let Some(all) = self.tabs[0].list.as_ref().filter(|list| list.is_complete()) {
            return Some(Count { seen: all.list.pets.len(), or_more: false });
        }
        let counts: Option<Vec<_>> = self.counts.iter().copied().collect();
        let counts = counts?;
        Some(Count {
            seen: counts.iter().map(|count| count.seen).sum(),
            // Pets without a status are in none of the three.
            or_more: true,
        })
    }

    /// How many pets have `status`.
    pub fn count(&self, status: PetStatus) -> Option<Count> {
        self.whole.count(status).or(self.counts[status as usize])
    }

    /// Whether the tab in use shows this pet.
    pub(super) fn is_of_tab(&self, pet: &Pet) -> bool {
        self.filter().is_none_or(|status| pet.status == Some(status.into()))
    }

    /// How many pets without a status were read.
    pub(super) fn known_without_status(&self) -> usize {
        let read = self.tabs[0].list.as_ref().map_or(&[][..], |all| &all.list.pets);
        let all = if self.whole.pets.len() > read.len() { &self.whole.pets } else { read };
        all.iter().filter(|pet| pet.status.is_none()).count()
    }

    /// Since when the rows shown are what they are.
    pub fn read_at(&self) -> Option<Now> {
        match self.whole.shown() {
            Some(_) => self.whole.at().or_else(|| self.list().map(|list| list.at)),
            None => self.list().map(|list| list.at),
        }
    }

    /// When the next automatic refresh is due. The whole inventory is asked for by hand only.
    pub fn next_refresh(&self) -> Option<Instant> {
        let live = self.live.filter(|_| self.whole.shown().is_none())?;
        Some(self.list()?.at.mono + live)
    }
}

/// What an earlier answer to the same question held.
fn before(old: Option<&Loaded>) -> Baseline {
    match old {
        None => Baseline::Unknown,
        Some(old) if old.is_complete() => Baseline::All,
        Some(old) if old.list.pets.is_sorted_by_key(|pet| pet.id) => {
            old.list.pets.last().map_or(Baseline::Unknown, |last| Baseline::UpTo(last.id))
        }
        Some(_) => Baseline::Unknown,
    }
}

impl Loaded {
    /// Whether these are certainly all pets of that question.
    pub(super) fn is_complete(&self) -> bool {
        let full = self.list.pets.len() >= usize::from(self.limit.get());
        self.source != ListSource::Picked && self.list.next().is_none() && (!full || self.list.pages() > 1)
    }
}
