//! Searches for a pet that was sent without an answer.

use crate::api::{ApiError, Client};
use crate::model::{Limit, NewPet, Pet, PetId, PetQuery};

/// The most pages that a search for a pet reads.
const MAX_PAGES: usize = 200;

/// The pets that match one that may have been added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedPets {
    /// Pets of the same name and category.
    pub matches: Vec<Pet>,
    /// Whether every pet of that status was seen.
    pub complete: bool,
}

impl SearchedPets {
    /// The newest that was not `known` before: probably the one with the largest id.
    pub fn newest(self, known: impl Fn(PetId) -> bool) -> Option<Pet> {
        self.matches.into_iter().filter(|pet| !known(pet.id)).max_by_key(|pet| pet.id)
    }
}

/// Searches the list for every pet of that name, category and status.
pub async fn search_for(client: &Client, new: &NewPet) -> Result<SearchedPets, ApiError> {
    let query = PetQuery { status: new.status, limit: Limit::MAX, after: None };
    let mut page = client.list_pets(&query).await?;
    let mut matches = Vec::new();
    for _ in 0..MAX_PAGES {
        let full = page.pets.len() >= usize::from(Limit::MAX.get());
        matches.extend(page.pets.into_iter().filter(|pet| pet.name == new.name && pet.category_id == new.category_id));
        match &page.next {
            Some(next) => page = client.list_next(next).await?,
            None => return Ok(SearchedPets { matches, complete: !full }),
        }
    }
    Ok(SearchedPets { matches, complete: false })
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
