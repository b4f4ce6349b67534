//! One pet, sent as often as it takes and added once.

use std::time::Instant;

use tokio::time::sleep;

use super::retry::{dice, wait_before_repeat, wait_before_sending_again};
use super::{ApiError, Client};
use crate::clock;
use crate::model::{IdempotencyKey, Limit, NewPet, Pet, PetQuery};

/// A request that has not added its pet, for all that is known.
#[derive(Clone, Copy, Debug)]
pub struct FailedAttempt<'a> {
    /// What came instead.
    pub error: &'a ApiError,
    /// When it began.
    pub began: Instant,
    /// Whether this or an earlier one may have added the pet all the same.
    pub is_unknown: bool,
}

/// Sends `new` with its `key` until it is added or is not to be sent `again`. That gives what to wait for before the next
/// request, which can still say no.
///
/// The failure is the first one after which the pet may have been added: what fails for sure later says nothing about it.
pub async fn create_pet<W: Future<Output = bool>>(
    client: &Client,
    new: &NewPet,
    key: &IdempotencyKey,
    mut again: impl FnMut(FailedAttempt<'_>) -> Option<W>,
) -> Result<Pet, ApiError> {
    let mut unknown = None;
    loop {
        let began = clock::now().mono;
        let error = match client.create_pet(new, key).await {
            Ok(pet) => return Ok(pet),
            Err(error) => error,
        };
        let is_first_unknown = unknown.is_none() && error.outcome_unknown();
        let is_unknown = unknown.is_some() || is_first_unknown;
        let goes_on = match again(FailedAttempt { error: &error, began, is_unknown }) {
            Some(wait) => wait.await,
            None => false,
        };
        if !goes_on {
            return Err(unknown.unwrap_or(error));
        }
        if is_first_unknown {
            unknown = Some(error);
        }
    }
}

/// Adds `new`. Where the service keeps idempotency keys, what failed quickly is sent again with the same `key`, at most
/// three times within a few seconds. If no answer has shown yet whether it keeps them, a request finds out.
///
/// After a timeout it is not sent again: the user decides.
pub async fn create_pet_once(client: &Client, new: &NewPet, key: &IdempotencyKey) -> Result<Pet, ApiError> {
    let mut repeat = 0;
    let again = |FailedAttempt { error, .. }: FailedAttempt<'_>| {
        let may_pass_by = wait_before_repeat(repeat, error, dice()).is_some();
        let wait = wait_before_sending_again(repeat, error, dice())?;
        repeat += 1;
        Some(async move {
            if may_pass_by && !client.keeps_idempotency_keys() {
                // Every answer says it, whatever else it says.
                let _ = client.list_pets(&PetQuery { limit: Limit::MIN, ..PetQuery::default() }).await;
            }
            let keeps_keys = client.keeps_idempotency_keys();
            if keeps_keys {
                sleep(wait).await;
            }
            keeps_keys
        })
    };
    create_pet(client, new, key, again).await
}
