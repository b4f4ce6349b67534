//! One pet by its id, step by step.

use petstore::api::find::{Ask, Lists, LookupRequest, LookupResult, Step, StepOutcome, find};
use petstore::api::{Client, Failure};
use petstore::model::{Pet, PetId, PetStatus};

use super::scripted::{Scripted, answer, page, refused};
use PetStatus::{Available, Pending, Sold};

/// Available: 1 to 100, and no way on. Pending: 201, with a way on. Sold: 301 alone. And `get` for one pet.
async fn service(get: fn() -> Vec<u8>) -> Scripted {
    Scripted::new(move |target, _| match target {
        "/v1/pets?limit=100&status=available" => page(1..=100, "", ""),
        "/v1/pets?limit=100&status=pending" => page(201..=201, "/v1/pets?after=201", ""),
        "/v1/pets?limit=100&status=sold" => page(301..=301, "", ""),
        _ => get(),
    })
    .await
}

fn pet_answer() -> Vec<u8> {
    answer("200 OK", "", r#"{"id":7000,"name":"a","categoryId":1}"#)
}

fn pet(id: PetId) -> Pet {
    Pet { id, name: "a".into(), category_id: 1, status: None }
}

fn step(status: PetStatus, outcome: StepOutcome) -> Step {
    Step { asked: LookupRequest::List(status), outcome }
}

fn get(outcome: StepOutcome) -> Step {
    Step { asked: LookupRequest::Get, outcome }
}

async fn found(client: &Client, id: PetId, ask: Ask) -> LookupResult {
    find(client, &Lists::default(), id, ask).await.unwrap()
}

const FULL: StepOutcome = StepOutcome::NotThereButFull { rows: 100 };
const WITH_MORE: StepOutcome = StepOutcome::NotThereButFull { rows: 1 };

#[tokio::test]
async fn the_search_stops_at_the_list_that_has_the_pet() {
    let service = service(|| panic!("not asked")).await;
    let client = service.client();
    let in_first = LookupResult { pet: Some(pet(100)), steps: vec![step(Available, StepOutcome::Found)] };
    assert_eq!(found(&client, 100, Ask::IfNeeded).await, in_first);
    assert_eq!(service.asked(), ["/v1/pets?limit=100&status=available"]);
    let steps = vec![step(Available, FULL), step(Pending, WITH_MORE), step(Sold, StepOutcome::Found)];
    assert_eq!(found(&client, 301, Ask::Never).await, LookupResult { pet: Some(pet(301)), steps });
}

#[tokio::test]
async fn the_deprecated_operation_is_asked_where_the_lists_prove_nothing() {
    let lists = [step(Available, FULL), step(Pending, WITH_MORE), step(Sold, StepOutcome::NotThere)];
    for (answer, pet, outcome) in [
        (pet_answer as fn() -> Vec<u8>, Some(pet(7000)), StepOutcome::Found),
        (|| refused(404), None, StepOutcome::NotFound),
        (|| refused(405), None, StepOutcome::Gone { status: 405 }),
        (|| refused(410), None, StepOutcome::Gone { status: 410 }),
    ] {
        let service = service(answer).await;
        let steps = [&lists[..], &[get(outcome)]].concat();
        assert_eq!(found(&service.client(), 7000, Ask::IfNeeded).await, LookupResult { pet, steps });
        assert_eq!(service.asked()[3..], ["/v1/pets/7000"]);
    }
}

#[tokio::test]
async fn the_deprecated_operation_is_not_asked_where_that_is_not_allowed_or_not_needed() {
    let full = service(pet_answer).await;
    let steps = vec![step(Available, FULL), step(Pending, WITH_MORE), step(Sold, StepOutcome::NotThere)];
    assert_eq!(found(&full.client(), 7000, Ask::Never).await, LookupResult { pet: None, steps });
    assert_eq!(full.asked().len(), 3);
    let short = Scripted::new(|_, _| page(1..=99, "", "")).await;
    let steps = PetStatus::ALL.map(|status| step(status, StepOutcome::NotThere)).to_vec();
    assert_eq!(found(&short.client(), 7000, Ask::IfNeeded).await, LookupResult { pet: None, steps });
    assert_eq!(short.asked().len(), 3);
}

#[tokio::test]
async fn the_deprecated_operation_alone_is_asked_where_that_is_wanted() {
    let service = service(pet_answer).await;
    let steps = vec![get(StepOutcome::Found)];
    assert_eq!(found(&service.client(), 7000, Ask::Now).await, LookupResult { pet: Some(pet(7000)), steps });
    assert_eq!(service.asked(), ["/v1/pets/7000"]);
}

#[tokio::test]
async fn a_step_that_fails_ends_the_search() {
    let service = service(|| refused(503)).await;
    let error = find(&service.client(), &Lists::default(), 7000, Ask::IfNeeded).await.unwrap_err();
    assert!(matches!(error, Failure::Refused { status: 503, .. }), "{error:?}");
    let wrong_key = Scripted::new(|_, _| refused(401)).await;
    assert!(find(&wrong_key.client(), &Lists::default(), 1, Ask::IfNeeded).await.unwrap_err().is_unauthorized());
    assert_eq!(wrong_key.asked().len(), 1);
}
