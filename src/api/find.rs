//! One pet by its id, without the deprecated operation where the lists of section 4.1 are enough.

use tokio::sync::OnceCell;

use super::{Client, Failure, PetPage, Result};
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LookupResult {
    /// The pet, if a list or the service itself showed it.
    pub pet: Option<Pet>,
    /// The status with which `GET /pets/{petId}` answered, if that was asked: 200, 404, or 405 or 410 where the operation is
    /// gone, which says nothing about the pet.
    pub get: Option<u16>,
    /// Whether a list without the pet may have more rows than were seen.
    pub is_cut: bool,
    /// How many steps it took.
    pub steps: usize,
}

impl LookupResult {
    /// Why no pet was found.
    pub const fn why_none(&self) -> &'static str {
        match self.get {
            Some(404) => "This pet does not exist (404).",
            Some(_) => "It is not in the lists, and GET /pets/{petId} no longer exists.",
            None if self.is_cut => "It is not in the rows that the lists return.",
            None => "No list has it. Lists leave out pets without a status.",
        }
    }
}

/// The first page of each status, fetched once for several lookups.
#[derive(Debug, Default)]
pub struct Lists([OnceCell<PetPage>; PetStatus::ALL.len()]);

/// Looks for the pet `id`: in the list of each status, and then as `ask` allows. Stops where it is found.
///
/// A pet without a status is in none of these lists.
pub async fn find(client: &Client, lists: &Lists, id: PetId, ask: Ask) -> Result<LookupResult> {
    let mut found = LookupResult::default();
    let asked = if ask == Ask::Now { 0 } else { lists.0.len() };
    for (status, list) in PetStatus::ALL.into_iter().zip(&lists.0).take(asked) {
        let query = PetQuery { status: Some(status), limit: Limit::MAX, ..PetQuery::default() };
        found.steps += 1;
        let page = list.get_or_try_init(|| client.list_pets(&query)).await?;
        found.pet = page.pets.iter().find(|pet| pet.id == id).cloned();
        if found.pet.is_some() {
            return Ok(found);
        }
        found.is_cut |= page.next.is_some() || page.pets.len() >= usize::from(Limit::MAX.get());
    }
    if ask == Ask::Now || ask == Ask::IfNeeded && found.is_cut {
        found.steps += 1;
        found.get = Some(match client.get_pet(id).await {
            Ok(pet) => {
                found.pet = Some(pet);
                200
            }
            Err(Failure::Refused { status: status @ (404 | 405 | 410), .. }) => status,
            Err(failure) => return Err(failure),
        });
    }
    Ok(found)
}
