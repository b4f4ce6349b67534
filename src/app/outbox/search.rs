//! Searches for a pet that was sent without an answer.

use tokio::sync::mpsc;

use crate::api::inventory::inventory;
use crate::api::{ApiError, Client};
use crate::app::inventory::store::MOST_READ;
use crate::model::{NewPet, Pet, PetId};

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

/// Searches the list for every pet of that name, category and status.
pub async fn search_for(client: &Client, new: &NewPet) -> Result<SearchedPets, ApiError> {
    let (parts, mut coming) = mpsc::channel::<Vec<Pet>>(1);
    let collect = async move {
        let (mut matches, mut seen) = (Vec::new(), 0);
        while seen < MOST_READ
            && let Some(part) = coming.recv().await
        {
            seen += part.len();
            let is_it = |pet: &Pet| pet.name == new.name && pet.category_id == new.category_id;
            matches.extend(part.into_iter().filter(is_it));
        }
        matches
    };
    let (coverage, matches) = tokio::join!(inventory(client, new.status, parts), collect);
    Ok(SearchedPets { matches, complete: coverage?.complete })
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
