//! What the pets screen knows.

use std::cmp::Ordering;
use std::time::{Duration, Instant};

use crate::api::NextPage;
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
    /// What is searched for.
    pub search: TextInput,
    /// Whether the search field has the cursor.
    pub searching: bool,
    /// Whether the detail drawer is open.
    pub drawer: bool,
    /// The pause between automatic refreshes.
    pub live: Option<Duration>,
    /// An animal shown in the drawer that need not be among the rows: the one just added.
    pub pinned: Option<Pet>,
    /// How many animals have each status, as far as known, in the order of [`PetStatus::ALL`].
    pub counts: [Option<Count>; 3],
    /// Whether the counts are to be asked for after the next list.
    pub counts_due: bool,
    lists: [Option<Loaded>; 4],
    /// The rows as shown: indices into the list, searched and sorted.
    rows: Vec<usize>,
    cursor: usize,
    /// The animal under the cursor, so that it stays there when rows come and go.
    anchor: Option<PetId>,
}

/// A list as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What was asked.
    pub limit: Limit,
    /// How many pages were followed.
    pub pages: u16,
    /// The animals, in the service's order.
    pub pets: Vec<Pet>,
    /// Where it goes on.
    pub next: Option<NextPage>,
    /// When it was read.
    pub at: Now,
    /// Not from an answer to this very question, but picked from another list.
    pub provisional: bool,
}

/// A number of animals: exact, or at least so many.
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

/// An order of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sort {
    /// By which column.
    pub by: SortBy,
    /// Largest first.
    pub descending: bool,
}

/// A column, or the order of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum SortBy {
    Id,
    Name,
    Category,
    Status,
    AsItCame,
}

impl SortBy {
    /// The next one in turn.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Id => Self::Name,
            Self::Name => Self::Category,
            Self::Category => Self::Status,
            Self::Status => Self::AsItCame,
            Self::AsItCame => Self::Id,
        }
    }

    /// The word on the screen.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Name => "name",
            Self::Category => "category",
            Self::Status => "status",
            Self::AsItCame => "as it came",
        }
    }
}

const fn tab(filter: Option<PetStatus>) -> usize {
    match filter {
        None => 0,
        Some(PetStatus::Available) => 1,
        Some(PetStatus::Pending) => 2,
        Some(PetStatus::Sold) => 3,
    }
}

impl State {
    /// The screen before anything was read.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self {
            filter: settings.status,
            limit: settings.limit,
            sort: Sort { by: SortBy::Id, descending: false },
            search: TextInput::default(),
            searching: false,
            drawer: false,
            live: settings.live,
            pinned: None,
            counts: [None; 3],
            counts_due: true,
            lists: [const { None }; 4],
            rows: Vec::new(),
            cursor: 0,
            anchor: None,
        }
    }

    /// The list of the tab in use.
    #[must_use]
    pub fn list(&self) -> Option<&Loaded> {
        self.lists[tab(self.filter)].as_ref()
    }

    /// What to ask for.
    #[must_use]
    pub const fn query(&self) -> PetQuery {
        PetQuery { status: self.filter, limit: self.limit, after: None }
    }

    /// How many rows are shown, after search.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// The animals shown from row `from` on.
    pub fn rows_from(&self, from: usize) -> impl Iterator<Item = &Pet> {
        let pets = self.list().map_or(&[][..], |list| &list.pets);
        self.rows.iter().skip(from).filter_map(|index| pets.get(*index))
    }

    /// The row under the cursor, from 0.
    #[must_use]
    pub const fn cursor(&self) -> usize {
        self.cursor
    }

    /// The animal under the cursor.
    #[must_use]
    pub fn selected(&self) -> Option<&Pet> {
        self.rows_from(self.cursor).next()
    }

    /// The animal that the detail shows.
    #[must_use]
    pub fn detailed(&self) -> Option<&Pet> {
        self.pinned.as_ref().or_else(|| self.selected())
    }

    /// Every animal id that any list here holds.
    pub fn known_ids(&self) -> impl Iterator<Item = PetId> {
        self.lists.iter().flatten().flat_map(|list| list.pets.iter().map(|pet| pet.id))
    }

    /// Puts the cursor on row `row`, or on the last one.
    pub fn move_to(&mut self, row: usize) {
        self.cursor = row.min(self.rows.len().saturating_sub(1));
        self.anchor = self.selected().map(|pet| pet.id);
        self.pinned = None;
    }

    /// Goes to another tab. Rows of it that other lists hold are shown until its own are read.
    pub fn show_tab(&mut self, filter: Option<PetStatus>) {
        self.filter = filter;
        if self.list().is_none()
            && let (Some(status), Some(all)) = (filter, &self.lists[0])
        {
            let wanted = ObservedStatus::Known(status);
            let pets: Vec<_> = all.pets.iter().filter(|pet| pet.status.as_ref() == Some(&wanted)).cloned().collect();
            let picked =
                (!pets.is_empty()).then(|| Loaded { pets, next: None, pages: 1, provisional: true, ..all.clone() });
            self.lists[tab(filter)] = picked;
        }
        self.pinned = None;
        self.arrange();
        self.move_to(0);
    }

    /// Takes a list that was read for the tab `filter`.
    pub fn take(&mut self, filter: Option<PetStatus>, list: Loaded) {
        self.lists[tab(filter)] = Some(list);
        if filter == self.filter {
            self.arrange();
        }
    }

    /// Appends a further page to the list of the tab in use.
    pub fn append(&mut self, pets: Vec<Pet>, next: Option<NextPage>, at: Now) {
        if let Some(list) = &mut self.lists[tab(self.filter)] {
            // A page that begins before the last one ended, as a service without a fixed order may send.
            let here: std::collections::HashSet<_> = list.pets.iter().map(|pet| pet.id).collect();
            list.pets.extend(pets.into_iter().filter(|pet| !here.contains(&pet.id)));
            list.next = next;
            list.pages = list.pages.saturating_add(1);
            list.at = at;
        }
        self.arrange();
    }

    /// Searches and sorts anew. The cursor stays on its animal, or goes to the one that took its place.
    pub fn arrange(&mut self) {
        let pets = self.lists[tab(self.filter)].as_ref().map_or(&[][..], |list| &list.pets);
        let terms: Vec<String> = self.search.value().split_whitespace().map(str::to_lowercase).collect();
        self.rows = (0..pets.len()).filter(|index| matches(&pets[*index], &terms)).collect();
        let sort = self.sort;
        self.rows.sort_by(|a, b| {
            let ordering = compare(&pets[*a], &pets[*b], sort.by);
            if sort.descending { ordering.reverse() } else { ordering }
        });
        if sort == (Sort { by: SortBy::AsItCame, descending: true }) {
            self.rows.reverse();
        }
        let place = self.anchor.and_then(|id| self.rows.iter().position(|index| pets[*index].id == id));
        self.cursor = place.unwrap_or(self.cursor).min(self.rows.len().saturating_sub(1));
        self.anchor = self.rows.get(self.cursor).map(|index| pets[*index].id);
    }

    /// How many animals there are in all, as far as the three counts or the list of all tell.
    #[must_use]
    pub fn total(&self) -> Option<Count> {
        if let Some(all) = self.lists[0].as_ref().filter(|list| list.is_complete()) {
            return Some(Count { seen: all.pets.len(), or_more: false });
        }
        let counts: Option<Vec<_>> = self.counts.iter().copied().collect();
        let counts = counts?;
        Some(Count {
            seen: counts.iter().map(|count| count.seen).sum(),
            // Animals without a status are in none of the three.
            or_more: true,
        })
    }

    /// Since when the rows shown are what they are.
    #[must_use]
    pub fn read_at(&self) -> Option<Now> {
        self.list().map(|list| list.at)
    }

    /// When the next automatic refresh is due.
    #[must_use]
    pub fn next_refresh(&self) -> Option<Instant> {
        Some(self.read_at()?.mono + self.live?)
    }
}

impl Loaded {
    /// Whether these are certainly all animals of that question.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.provisional && self.next.is_none() && self.pets.len() < usize::from(self.limit.get())
    }
}

fn matches(pet: &Pet, terms: &[String]) -> bool {
    if terms.is_empty() {
        return true;
    }
    let status = pet.status.as_ref().map_or("", ObservedStatus::as_str);
    let haystack = format!("{} {} {} {status}", pet.id, pet.name.to_lowercase(), pet.category_id);
    terms.iter().all(|term| haystack.contains(term.as_str()))
}

fn compare(a: &Pet, b: &Pet, by: SortBy) -> Ordering {
    let first = match by {
        SortBy::Id => Ordering::Equal,
        SortBy::Name => a.name.to_lowercase().cmp(&b.name.to_lowercase()),
        SortBy::Category => a.category_id.cmp(&b.category_id),
        SortBy::Status => a.status.cmp(&b.status),
        SortBy::AsItCame => return Ordering::Equal,
    };
    first.then(a.id.cmp(&b.id))
}
