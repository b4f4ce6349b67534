//! One pet by its id, without the deprecated operation where the lists of section 4.1 are enough.

use tokio::sync::OnceCell;

use super::{Client, Failure, PetPage};
use crate::model::{Limit, Pet, PetId, PetQuery, PetStatus};

/// Whether `GET /pets/{petId}` may be asked, which is deprecated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// When the lists do not show the pet and do not prove either that it is not there.
    IfNeeded,
    /// Never.
    Never,
    /// At once, instead of the lists.
    Now,
}

/// What was found, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookupResult {
    /// The pet; `None` where no step showed it.
    pub pet: Option<Pet>,
    /// Every step that was taken, in order.
    pub steps: Vec<Step>,
}

impl LookupResult {
    /// Why no pet was found.
    pub fn why_none(&self) -> &'static str {
        match self.steps.last().map(|step| step.outcome) {
            Some(StepOutcome::NotFound) => "This pet does not exist (404).",
            Some(StepOutcome::Gone { .. }) => "It is not in the lists, and GET /pets/{petId} no longer exists.",
            Some(StepOutcome::NotThereButFull { .. }) => "It is not in the rows that the lists return.",
            Some(StepOutcome::Found | StepOutcome::NotThere) | None => {
                "It is in none of the lists, where a pet without a status never is."
            }
        }
    }

    /// Whether the pet itself was asked for, after which nothing else can be tried.
    pub fn is_final(&self) -> bool {
        self.steps.last().is_some_and(|step| step.asked == LookupRequest::Get)
    }
}

/// One request of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was asked.
    pub asked: LookupRequest,
    /// What came of it.
    pub outcome: StepOutcome,
}

/// What a step asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupRequest {
    /// The list of a status, as long as one request gives it.
    List(PetStatus),
    /// `GET /pets/{petId}`.
    Get,
}

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOutcome {
    /// The pet.
    Found,
    /// The whole list, and the pet is not in it.
    NotThere,
    /// The pet is not among the first rows of a list that may have more.
    NotThereButFull {
        /// How many rows were seen.
        rows: usize,
    },
    /// 404: there is no such pet.
    NotFound,
    /// 405 or 410: the operation itself is gone, which says nothing about the pet.
    Gone {
        /// The HTTP status code.
        status: u16,
    },
}

/// The first page of each status, fetched once for several lookups.
#[derive(Debug, Default)]
pub struct Lists([OnceCell<PetPage>; PetStatus::ALL.len()]);

/// Looks for the pet `id`: in the list of each status, and then as `ask` allows. Stops where it is found.
///
/// A pet without a status is in none of these lists.
pub async fn find(client: &Client, lists: &Lists, id: PetId, ask: Ask) -> Result<LookupResult, Failure> {
    let mut steps = Vec::new();
    let mut is_proven_absent = true;
    let asked = if ask == Ask::Now { 0 } else { lists.0.len() };
    for (status, list) in PetStatus::ALL.into_iter().zip(&lists.0).take(asked) {
        let query = PetQuery { status: Some(status), limit: Limit::MAX, ..PetQuery::default() };
        let (pet, outcome) = in_list(list.get_or_try_init(|| client.list_pets(&query)).await?, id);
        steps.push(Step { asked: LookupRequest::List(status), outcome });
        if pet.is_some() {
            return Ok(LookupResult { pet, steps });
        }
        is_proven_absent &= outcome == StepOutcome::NotThere;
    }
    let get = match ask {
        Ask::Now => true,
        Ask::Never => false,
        Ask::IfNeeded => !is_proven_absent,
    };
    if !get {
        return Ok(LookupResult { pet: None, steps });
    }
    let (pet, outcome) = match client.get_pet(id).await {
        Ok(pet) => (Some(pet), StepOutcome::Found),
        Err(Failure::Refused { status: 404, .. }) => (None, StepOutcome::NotFound),
        Err(Failure::Refused { status: status @ (405 | 410), .. }) => (None, StepOutcome::Gone { status }),
        Err(error) => return Err(error),
    };
    steps.push(Step { asked: LookupRequest::Get, outcome });
    Ok(LookupResult { pet, steps })
}

fn in_list(page: &PetPage, id: PetId) -> (Option<Pet>, StepOutcome) {
    let rows = page.pets.len();
    let may_be_more = page.next.is_some() || rows >= usize::from(Limit::MAX.get());
    let pet = page.pets.iter().find(|pet| pet.id == id).cloned();
    let outcome = match (&pet, may_be_more) {
        (Some(_), _) => StepOutcome::Found,
        (None, true) => StepOutcome::NotThereButFull { rows },
        (None, false) => StepOutcome::NotThere,
    };
    (pet, outcome)
}
