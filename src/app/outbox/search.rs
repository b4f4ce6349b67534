//! Searches for a pet that was sent without an answer.

use std::future::ready;

use parking_lot::Mutex;

use crate::api::inventory::in_parts;
use crate::api::{ApiError, Client};
use crate::config::file::LoadLimit;
use crate::model::{NewPet, Pet, PetId, PetQuery};

/// The pets that match one that may have been added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedPets {
    /// Pets of the same name and category.
    pub matches: Vec<Pet>,
    /// Whether every pet of that status was seen.
    pub complete: bool,
}

impl SearchedPets {
    /// That a pet of this name was not found.
    pub fn none_found(&self, name: &str) -> String {
        match self.complete {
            true => format!("{name} is not in the list yet."),
            false => format!("{name} was not found, but the list may be incomplete."),
        }
    }

    /// The newest that was not `known` before: probably the one with the largest id.
    pub fn newest(self, known: impl Fn(PetId) -> bool) -> Option<Pet> {
        self.matches.into_iter().filter(|pet| !known(pet.id)).max_by_key(|pet| pet.id)
    }
}

/// Searches for every pet of that name, category and status, among the newest where the service lists them first.
pub async fn search_for(client: &Client, new: &NewPet) -> Result<SearchedPets, ApiError> {
    let matches = Mutex::new(Vec::new());
    let is_it = |pet: &Pet| pet.name == new.name && pet.category_id == new.category_id;
    let take = |part: Vec<Pet>| {
        matches.lock().extend(part.into_iter().filter(is_it));
        ready(())
    };
    if !client.offers_order() {
        // Any list tells.
        client.date().await?;
    }
    let query = PetQuery { status: new.status, newest_first: client.offers_order(), ..PetQuery::default() };
    let coverage = in_parts(client, query, LoadLimit::default().get(), take).await?;
    Ok(SearchedPets { matches: matches.into_inner(), complete: coverage.complete })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_pet_that_was_not_there_before_is_the_candidate() {
        let pet = |id| Pet { id, name: "Rex".into(), category_id: 1, status: None };
        let found = |known: &[PetId]| {
            let searched = SearchedPets { matches: [3, 9, 5].map(pet).into(), complete: true };
            searched.newest(|id| known.contains(&id)).map(|pet| pet.id)
        };
        assert_eq!([&[][..], &[9], &[3, 5, 9]].map(found), [Some(9), Some(5), None]);
    }
}
