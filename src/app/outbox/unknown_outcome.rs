//! A pet that was sent without an answer: it may or may not have been added.

use crate::api::{ApiError, Client, Failure};
use crate::model::{Limit, NewPet, Pet, PetId, PetQuery};

/// The most pages that a search for a pet reads.
const MAX_PAGES: usize = 200;

/// The pet may or may not have been added. Nothing is sent until the user chooses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnknownOutcome {
    /// The failure; `None` if petstore ended before.
    pub failure: Option<Failure>,
    /// Whether the service keeps idempotency keys, so that sending it again adds no second one.
    pub repeatable: bool,
    /// The result of searching for it.
    pub found: Option<SearchResult>,
}

/// The result of searching for a pet that may have been added.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchResult {
    /// A matching pet that was not known before.
    Candidate(Pet),
    /// No match.
    None {
        /// Whether every pet of that status was checked.
        complete: bool,
    },
    /// The search failed.
    Failed(Failure),
}

/// An answer to the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownOutcomeChoice {
    /// Search the list.
    LookFor,
    /// The pet that was found is this one.
    ThatIsIt,
    /// Send it again with its key, which adds it only once.
    Settle,
    /// Send it again, which may add a second pet.
    SendAgain,
    /// Leave it unknown.
    Keep,
}

/// The pets that match one that may have been added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedPets {
    /// Pets of the same name and category.
    pub matches: Vec<Pet>,
    /// Whether every pet of that status was seen.
    pub complete: bool,
}

impl UnknownOutcome {
    /// The possible answers, in order.
    pub const fn answers(&self) -> [UnknownOutcomeChoice; 3] {
        use UnknownOutcomeChoice::{Keep, LookFor, SendAgain, Settle, ThatIsIt};
        match (&self.found, self.repeatable) {
            (Some(SearchResult::Candidate(_)), true) => [ThatIsIt, Settle, Keep],
            (Some(SearchResult::Candidate(_)), false) => [ThatIsIt, SendAgain, Keep],
            (None | Some(SearchResult::None { .. } | SearchResult::Failed(_)), true) => [Settle, LookFor, Keep],
            (None | Some(SearchResult::None { .. } | SearchResult::Failed(_)), false) => [LookFor, SendAgain, Keep],
        }
    }

    /// Takes the pet that was found.
    pub fn take_candidate(&mut self) -> Option<Pet> {
        if let SearchResult::Candidate(pet) = self.found.take()? { Some(pet) } else { None }
    }
}

impl SearchResult {
    /// The result for a pet that cannot be one `known` before.
    pub fn new(searched: Result<SearchedPets, Failure>, known: impl Fn(PetId) -> bool) -> Self {
        match searched {
            Ok(searched) => {
                let complete = searched.complete;
                searched.newest(known).map_or(Self::None { complete }, Self::Candidate)
            }
            Err(failure) => Self::Failed(failure),
        }
    }
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
            SearchResult::new(Ok(searched), |id| known.contains(&id))
        };
        assert_eq!(found(&[]), SearchResult::Candidate(pet(9)));
        assert_eq!(found(&[9]), SearchResult::Candidate(pet(5)));
        assert_eq!(found(&[3, 5, 9]), SearchResult::None { complete: true });
    }
}
