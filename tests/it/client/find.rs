//! One pet by its id, step by step.

use crate::prelude::*;

use petstore::api::find::{Ask, Lists, LookupResult, find};

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

async fn found(client: &Client, id: PetId, ask: Ask) -> LookupResult {
    find(client, &Lists::default(), id, ask).await.unwrap()
}

/// The targets of the first pages of these lists.
fn lists<const N: usize>(statuses: [PetStatus; N]) -> Vec<String> {
    statuses.map(|status| format!("/v1/pets?limit=100&status={status}")).to_vec()
}

#[tokio::test]
async fn the_search_stops_at_the_list_that_has_the_pet() {
    let service = service(|| panic!("not asked")).await;
    let client = service.client();
    let in_first = LookupResult { pet: Some(pet(100)), get: None, is_cut: false, steps: 1 };
    assert_eq!(found(&client, 100, Ask::IfNeeded).await, in_first);
    assert_eq!(service.asked(), lists([Available]));
    let in_last = LookupResult { pet: Some(pet(301)), get: None, is_cut: true, steps: 3 };
    assert_eq!(found(&client, 301, Ask::Never).await, in_last);
    assert_eq!(service.asked(), lists([Available, Pending, Sold]));
}

#[tokio::test]
async fn the_deprecated_operation_is_asked_where_the_lists_prove_nothing() {
    for (answer, pet, status) in [
        (pet_answer as fn() -> Vec<u8>, Some(pet(7000)), 200),
        (|| refused(404), None, 404),
        (|| refused(405), None, 405),
        (|| refused(410), None, 410),
    ] {
        let service = service(answer).await;
        let expected = LookupResult { pet, get: Some(status), is_cut: true, steps: 4 };
        assert_eq!(found(&service.client(), 7000, Ask::IfNeeded).await, expected);
        assert_eq!(service.asked(), [lists([Available, Pending, Sold]), vec!["/v1/pets/7000".to_owned()]].concat());
    }
}

#[tokio::test]
async fn the_deprecated_operation_is_not_asked_where_that_is_not_allowed_or_not_needed() {
    let full = service(pet_answer).await;
    let in_no_row = LookupResult { pet: None, get: None, is_cut: true, steps: 3 };
    assert_eq!(found(&full.client(), 7000, Ask::Never).await, in_no_row);
    assert_eq!(full.asked(), lists([Available, Pending, Sold]));
    let short = Scripted::new(|_, _| page(1..=99, "", "")).await;
    assert_eq!(found(&short.client(), 7000, Ask::IfNeeded).await, LookupResult { steps: 3, ..LookupResult::default() });
    assert_eq!(short.asked(), lists(PetStatus::ALL));
}

#[tokio::test]
async fn the_deprecated_operation_alone_is_asked_where_that_is_wanted() {
    let service = service(pet_answer).await;
    let shown = LookupResult { pet: Some(pet(7000)), get: Some(200), is_cut: false, steps: 1 };
    assert_eq!(found(&service.client(), 7000, Ask::Now).await, shown);
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
