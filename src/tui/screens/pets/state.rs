//! What the pets screen knows.

use std::time::{Duration, Instant};

use super::inventory::Inventory;
use super::lookup::ById;
use super::rows::{Rows, Sort, SortBy};
use crate::api::list::List;
use crate::app::inventory::changes::{Baseline, Change, PetChange};
use crate::app::inventory::search::Query;
use crate::clock::Now;
use crate::config::Settings;
use crate::model::{Limit, ObservedStatus, Pet, PetId, PetQuery, PetStatus};
use crate::tui::text_input::TextInput;

/// The pets screen.
#[derive(Clone, Debug)]
pub struct State {
    /// The status tab; all when absent.
    pub filter: Option<PetStatus>,
    /// Rows asked for at once.
    pub limit: Limit,
    /// The order of the rows.
    pub sort: Sort,
    /// Whether search results show the best match first, until another order is chosen.
    pub best_first: bool,
    pub search: TextInput,
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
    /// What is new or has another status.
    pub changes: PetChange,
    pub whole: Inventory,
    /// Whether the meaning of the `+` of a number was explained.
    pub(super) is_count_explained: bool,
    /// The look-up by id, if it is open.
    pub by_id: Option<ById>,
    /// The list of each tab, in the order of [`tab`].
    lists: [Option<Loaded>; 4],
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

/// The place of a tab among the lists.
const fn tab(filter: Option<PetStatus>) -> usize {
    match filter {
        None => 0,
        Some(status) => status as usize + 1,
    }
}

/// The tabs, in their order.
pub(super) const TABS: [Option<PetStatus>; 4] =
    [None, Some(PetStatus::Available), Some(PetStatus::Pending), Some(PetStatus::Sold)];

impl State {
    /// The screen before anything was read.
    pub fn new(settings: &Settings) -> Self {
        Self {
            filter: settings.status,
            limit: settings.limit,
            sort: Sort { by: SortBy::Id, descending: false },
            best_first: true,
            search: TextInput::default(),
            searching: false,
            drawer: false,
            live: settings.live,
            pinned: None,
            counts: [None; 3],
            counts_due: true,
            changes: PetChange::default(),
            whole: Inventory::default(),
            is_count_explained: false,
            by_id: None,
            lists: [const { None }; 4],
            counted: [const { None }; 3],
            rows: Rows::default(),
            cursor: 0,
            anchor: None,
        }
    }

    /// The list of the tab in use.
    pub fn list(&self) -> Option<&Loaded> {
        self.lists[tab(self.filter)].as_ref()
    }

    /// The lists that were read or kept, by tab.
    pub fn lists(&self) -> impl Iterator<Item = (Option<PetStatus>, &Loaded)> {
        TABS.into_iter().zip(&self.lists).filter_map(|(filter, list)| Some((filter, list.as_ref()?)))
    }

    /// The pets that the rows are of.
    pub fn pets(&self) -> &[Pet] {
        match self.whole.shown() {
            Some(whole) => whole,
            None => self.list().map_or(&[][..], |list| &list.list.pets),
        }
    }

    /// What to ask for.
    pub const fn query(&self) -> PetQuery {
        PetQuery { status: self.filter, limit: self.limit, after: None }
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
        let lists = self.lists.iter().flatten().map(|loaded| (&loaded.list.pets[..], loaded.at));
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

    /// Goes to another tab. Rows of it that other lists hold are shown until its own are read.
    pub(super) fn show_tab(&mut self, filter: Option<PetStatus>) {
        self.filter = filter;
        if self.list().is_none()
            && let Some(status) = filter
        {
            self.lists[tab(filter)] = self.picked(status);
        }
        self.pinned = None;
        self.reorder();
        self.move_to(0);
    }

    /// What other lists hold of a tab.
    fn picked(&self, status: PetStatus) -> Option<Loaded> {
        let all = self.lists[0].as_ref()?;
        let wanted = ObservedStatus::Known(status);
        let counted = self.counted[status as usize].as_ref().map_or(&[][..], |(list, _)| &list.pets);
        let here = if counted.is_empty() { &all.list.pets[..] } else { counted };
        let of_status = here.iter().filter(|pet| pet.status.as_ref() == Some(&wanted));
        let pets: Vec<_> = of_status.take(self.limit.get().into()).cloned().collect();
        let list = (!pets.is_empty()).then(|| List::of(pets, None))?;
        Some(Loaded { limit: self.limit, list, at: all.at, source: ListSource::Picked })
    }

    /// Takes a list that was read for the tab `filter`, and learns from it what has changed.
    pub fn take(&mut self, filter: Option<PetStatus>, loaded: Loaded) {
        let old = self.lists[tab(filter)].as_ref();
        let same = old.filter(|old| old.source != ListSource::Picked && old.limit == loaded.limit);
        // In the list of a status, a pet that was not there before may only have another status now.
        let before = if filter.is_none() || self.knows_all() { before(same) } else { Baseline::Unknown };
        self.changes.learn(&loaded.list.pets, before, loaded.at.wall);
        self.whole.compare(&loaded.list.pets);
        self.put(filter, loaded);
    }

    /// Whether every pet of the service is here, in whichever list.
    fn knows_all(&self) -> bool {
        let all = self.lists[0].as_ref().is_some_and(Loaded::is_complete);
        all || self.whole.is_complete() || self.counts.iter().all(|count| count.is_some_and(|count| !count.or_more))
    }

    /// Puts a list in its place, also one from an earlier session.
    pub fn put(&mut self, filter: Option<PetStatus>, loaded: Loaded) {
        if let Some(pinned) = &mut self.pinned
            && let Some(newer) = loaded.list.pets.iter().find(|pet| pet.id == pinned.id)
        {
            pinned.clone_from(newer);
        }
        self.lists[tab(filter)] = Some(loaded);
        if filter == self.filter {
            self.reorder();
        }
    }

    /// The list of the tab `filter` was refreshed and has not changed.
    pub fn confirm(&mut self, filter: Option<PetStatus>, at: Now) {
        if let Some(loaded) = &mut self.lists[tab(filter)] {
            loaded.at = at;
            loaded.source = ListSource::Answer;
        }
    }

    /// Takes the list from which the number of pets of one status is.
    pub(super) fn take_counted(&mut self, status: PetStatus, list: List, has_pages: bool, at: Now) {
        let before = if self.knows_all() { Baseline::All } else { Baseline::Unknown };
        self.changes.learn(&list.pets, before, at.wall);
        self.whole.compare(&list.pets);
        self.restore_counted(status, list, has_pages, at);
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

    /// Takes up what had changed until an earlier session ended, after its lists.
    pub fn restore_changes(&mut self, log: Vec<Change>) {
        let counted = self.counted.iter().flatten().map(|(list, _)| list);
        let lists = self.lists.iter().flatten().map(|loaded| &loaded.list);
        self.changes.restore(counted.chain(lists).flat_map(|list| list.pets.iter()), log);
    }

    /// Forgets the lists: the next pets were added by this program and are not changes.
    pub(super) fn forget_lists(&mut self) {
        self.lists = [const { None }; 4];
        self.counted = [const { None }; 3];
        self.counts = [None; 3];
        self.reorder();
    }

    /// Appends a further page to the list of the tab in use.
    pub fn append(&mut self, more: List, at: Now) {
        self.changes.learn(&more.pets, Baseline::Unknown, at.wall);
        self.whole.compare(&more.pets);
        if let Some(loaded) = &mut self.lists[tab(self.filter)] {
            // The rows before are as old as they were.
            loaded.list.append(more);
        }
        self.reorder();
    }

    /// Sorts the rows after they, the tab or the order changed.
    pub(super) fn reorder(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        let status = if self.whole.shown().is_some() { self.filter } else { None };
        rows.order(self.pets(), status, self.sort);
        self.rows = rows;
        self.arrange();
    }

    /// Searches again. The cursor stays on its pet, or goes to the one that took its place.
    pub fn arrange(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        let pets = self.pets();
        rows.show(pets, &self.searched(), self.is_best_first());
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
        Query::parse(self.search.value())
    }

    /// How many pets there are in all, from the whole inventory, the three counts or the list of all.
    pub fn total(&self) -> Option<Count> {
        if let Some(total) = self.whole.total() {
            return Some(total);
        }
        if let Some(all) = self.lists[0].as_ref().filter(|list| list.is_complete()) {
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
