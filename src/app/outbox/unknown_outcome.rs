//! A pet that was sent, and no answer came: it may have been added, or not.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::api::{ApiError, Client, Failure};
use crate::model::{IdempotencyKey, Limit, NewPet, Pet, PetId, PetQuery};

/// The most pages that looking for one pet follows.
const MAX_PAGES: usize = 200;

/// A pet on its way, as it is kept in a draft until there is an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PendingAdd {
    /// What was sent.
    pub new: NewPet,
    /// With which key, also when it is sent again.
    pub key: IdempotencyKey,
    /// When.
    pub at: Timestamp,
    /// The pets known before, which cannot be this one.
    pub known: Arc<HashSet<PetId>>,
    /// The end of the API key it was sent with, as every screen shows it: the service keeps idempotency keys for each API
    /// key, so that with another one it would be added again.
    pub api_key: String,
    /// Whether it was sent before, and nobody knows what became of that: so it is with one that is read from a draft.
    #[serde(skip, default = "yes")]
    pub outcome_unknown: bool,
}

const fn yes() -> bool {
    true
}

/// The pet may have been added, or not. Nothing is sent until the user chooses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnknownOutcome {
    /// What came instead of an answer; nothing where the program ended before.
    pub failure: Option<Failure>,
    /// Whether the service keeps idempotency keys, so that sending it again adds no second one.
    pub repeatable: bool,
    /// What looking for it gave.
    pub found: Option<SearchResult>,
    /// The marked answer, from 0.
    pub choice: usize,
}

/// What looking for a pet that may have been added gave.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchResult {
    /// A pet of that name and category that was not known before.
    Candidate(Pet),
    /// None like it.
    None {
        /// Whether every pet of that status was looked at.
        complete: bool,
    },
    /// The search itself failed.
    Failed(Failure),
}

/// An answer to the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownOutcomeChoice {
    /// Look for it in the list.
    LookFor,
    /// It is the one that was found: done.
    ThatIsIt,
    /// Send it again with its key: the service gives what it added the first time, or adds it now.
    Settle,
    /// Send it again, which may add a second one.
    SendAgain,
    /// Keep what is typed and go back.
    Keep,
}

/// The pets that look like one that may have been added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedPets {
    /// Those of the same name and category.
    pub matches: Vec<Pet>,
    /// Whether every pet of that status was seen.
    pub complete: bool,
}

impl UnknownOutcome {
    /// The answers that can be given, in order.
    pub const fn answers(&self) -> [UnknownOutcomeChoice; 3] {
        use UnknownOutcomeChoice::{Keep, LookFor, SendAgain, Settle, ThatIsIt};
        match (&self.found, self.repeatable) {
            (Some(SearchResult::Candidate(_)), true) => [ThatIsIt, Settle, Keep],
            (Some(SearchResult::Candidate(_)), false) => [ThatIsIt, SendAgain, Keep],
            (None | Some(SearchResult::None { .. } | SearchResult::Failed(_)), true) => [Settle, LookFor, Keep],
            (None | Some(SearchResult::None { .. } | SearchResult::Failed(_)), false) => [LookFor, SendAgain, Keep],
        }
    }

    /// The pet that was found, which is taken for the one that was sent.
    pub fn take_candidate(&mut self) -> Option<Pet> {
        if let SearchResult::Candidate(pet) = self.found.take()? { Some(pet) } else { None }
    }
}

impl SearchResult {
    /// What a search says of a pet, which cannot be one that was `known` before.
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
    /// The newest that was not `known` before: it has most likely the largest id, though only uniqueness is promised.
    pub fn newest(self, known: impl Fn(PetId) -> bool) -> Option<Pet> {
        self.matches.into_iter().filter(|pet| !known(pet.id)).max_by_key(|pet| pet.id)
    }
}

/// Looks for every pet of that name, category and status that the list shows.
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
