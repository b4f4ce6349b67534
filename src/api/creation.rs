//! One animal, sent as often as it takes and added once.

use tokio::time::sleep;

use super::retry::{dice, wait_before_repeat, wait_before_sending_again};
use super::{ApiError, Client};
use crate::model::{IdempotencyKey, Limit, NewPet, Pet, PetQuery};

/// Adds `new`. Where the service keeps idempotency keys, what failed quickly is sent again with the same `key`, at most
/// three times within a few seconds; whether it keeps them is asked where no answer has said so yet.
///
/// After a time limit it is not sent again: whoever has waited that long decides for himself.
pub async fn create_pet_once(client: &Client, new: &NewPet, key: &IdempotencyKey) -> Result<Pet, ApiError> {
    let mut repeat = 0;
    // The first that may have been carried out: what fails for sure later says nothing about it.
    let mut outcome_unknown = None;
    loop {
        let error = match client.create_pet(new, key).await {
            Ok(pet) => return Ok(pet),
            Err(error) => error,
        };
        let may_pass_by = wait_before_repeat(repeat, &error, dice()).is_some();
        if may_pass_by && !client.keeps_idempotency_keys() {
            // Every answer says it, whatever else it says.
            let _ = client.list_pets(&PetQuery { limit: Limit::MIN, ..PetQuery::default() }).await;
        }
        let keeps_keys = client.keeps_idempotency_keys();
        let Some(wait) = wait_before_sending_again(repeat, &error, keeps_keys, dice()) else {
            return Err(outcome_unknown.unwrap_or(error));
        };
        if outcome_unknown.is_none() && error.outcome_unknown() {
            outcome_unknown = Some(error);
        }
        sleep(wait).await;
        repeat += 1;
    }
}
