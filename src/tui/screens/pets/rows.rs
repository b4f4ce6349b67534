//! The rows as they are shown: of the tab in use, in their order, and those that are searched for.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use crate::app::inventory::search::{Query, Search};
use crate::model::columns::SortOrder;
use crate::model::export::Column;
use crate::model::{ObservedStatus, Pet, PetStatus};

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
    /// Takes other pets, or another order of them: those of `status` only, where one is given.
    pub fn order(&mut self, pets: &[Pet], status: Option<PetStatus>, sort: SortOrder) {
        let wanted = status.map(ObservedStatus::from);
        let mut order: Vec<u32> = (0..)
            .zip(pets)
            .filter(|(_, pet)| wanted.is_none() || pet.status == wanted)
            .map(|(index, _)| index)
            .collect();
        let pet = |index: &u32| &pets[*index as usize];
        match sort.column {
            // Made once for each name, not for each comparison.
            Column::Name => order.sort_by_cached_key(|index| (pet(index).name.to_lowercase(), pet(index).id)),
            by @ (Column::Id | Column::CategoryId | Column::Status) => {
                order.sort_by(|a, b| compare(pet(a), pet(b), by));
            }
        }
        if sort.descending {
            order.reverse();
        }
        let mut categories = BTreeMap::new();
        for index in &order {
            *categories.entry(pet(index).category_id).or_insert(0) += 1;
        }
        self.categories = categories.into_iter().collect();
        self.categories.sort_by_key(|(category, count)| (Reverse(*count), *category));
        let longest = |number: fn(&Pet) -> i64| {
            let extremes = [pets.iter().map(number).min(), pets.iter().map(number).max()];
            extremes.into_iter().flatten().map(|number| number.to_string().len()).max().unwrap_or(0) as u16
        };
        self.digits = (longest(|pet| pet.id), longest(|pet| pet.category_id));
        self.order = order;
        self.search.forget();
    }

    /// Takes further pets: those of `pets` from index `from` on.
    pub fn extend(&mut self, pets: &[Pet], from: usize, status: Option<PetStatus>, sort: SortOrder) {
        let wanted = status.map(ObservedStatus::from);
        for (index, pet) in (0..).zip(pets).skip(from) {
            let longest = |known: u16, number: i64| known.max(number.to_string().len() as u16);
            self.digits = (longest(self.digits.0, pet.id), longest(self.digits.1, pet.category_id));
            if wanted.is_some() && pet.status != wanted {
                continue;
            }
            let place = self.order.partition_point(|known| {
                // What came before stays before.
                let order = compare(&pets[*known as usize], pet, sort.column);
                if sort.descending { order.is_gt() } else { order.is_lt() }
            });
            self.order.insert(place, index);
            match self.categories.iter_mut().find(|(category, _)| *category == pet.category_id) {
                Some((_, count)) => *count += 1,
                None => self.categories.push((pet.category_id, 1)),
            }
        }
        self.categories.sort_by_key(|(category, count)| (Reverse(*count), *category));
        self.search.forget();
    }

    /// Shows those that fit: in the order of the tab, or the best match first.
    pub fn show(&mut self, pets: &[Pet], query: &Query, best_first: bool) {
        if query.is_empty() {
            self.shown.clone_from(&self.order);
            return;
        }
        let whole_list = self.order.len() == pets.len();
        if best_first {
            let found = self.search.best_first(query, pets);
            self.shown = found.iter().map(|found| found.row).collect();
            if !whole_list {
                let mut here = self.order.clone();
                here.sort_unstable();
                self.shown.retain(|index| here.binary_search(index).is_ok());
            }
        } else {
            let mut fits = vec![false; pets.len()];
            for row in self.search.run(query, pets) {
                fits[*row as usize] = true;
            }
            self.shown = self.order.iter().copied().filter(|index| fits[*index as usize]).collect();
        }
    }

    /// The rows that are shown.
    pub fn shown(&self) -> &[u32] {
        &self.shown
    }

    /// How many rows the tab has.
    pub fn of(&self) -> usize {
        self.order.len()
    }

    /// How many of the tab's rows are in each category, the most frequent first.
    pub(super) fn categories(&self) -> &[(i64, usize)] {
        &self.categories
    }

    /// The digits of the longest id and of the longest category.
    pub const fn digits(&self) -> (u16, u16) {
        self.digits
    }
}

fn compare(a: &Pet, b: &Pet, by: Column) -> Ordering {
    let first = match by {
        Column::Id => Ordering::Equal,
        Column::Name => a.name.to_lowercase().cmp(&b.name.to_lowercase()),
        Column::CategoryId => a.category_id.cmp(&b.category_id),
        Column::Status => a.status.cmp(&b.status),
    };
    first.then(a.id.cmp(&b.id))
}
