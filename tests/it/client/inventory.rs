//! The whole inventory, from services with pages and without.

use crate::prelude::*;

use petstore::api::follow::ProvenanceError;
use petstore::api::inventory::{Coverage, Part, Selection, in_parts, inventory};

use super::scripted::{Scripted, answer, page, refused, rows};
use crate::service::fixture::Service;
use crate::stub::json;

/// The ids of each part, and what came at the end.
async fn parts(client: &Client) -> (Vec<Vec<PetId>>, Result<Coverage, Failure>) {
    let (parts, mut taken) = mpsc::channel::<Part>(1);
    let take = async {
        let mut ids = Vec::new();
        while let Some(Part { pets, .. }) = taken.recv().await {
            ids.push(pets.iter().map(|pet| pet.id).collect());
        }
        ids
    };
    let (ids, coverage) = tokio::join!(take, inventory(client, Selection::default(), parts));
    let coverage = coverage.map_err(|error| match error {
        ProvenanceError::Api(error) => error,
        other => panic!("{other}"),
    });
    (ids, coverage)
}

async fn all(client: &Client) -> Result<(Vec<PetId>, Coverage), Failure> {
    let (ids, coverage) = parts(client).await;
    Ok((ids.concat(), coverage?))
}

fn complete(requests: u32) -> Coverage {
    Coverage { requests, complete: true, full: Vec::new(), is_cut: false, from: None }
}

#[tokio::test]
async fn our_service_is_followed_to_its_end() {
    let service = Service::start().await;
    service.store.insert_samples(250, clock::now()).await.unwrap();
    let client = service.client();
    let (ids, coverage) = parts(&client).await;
    assert_eq!(ids, [(1..=100).collect::<Vec<_>>(), (101..=200).collect(), (201..=250).collect()]);
    assert_eq!(coverage.unwrap(), complete(3));
}

/// The ids that come where no more than `most` are wanted, in order, and what came at the end.
async fn newest(client: &Client, most: usize) -> (Vec<PetId>, Coverage) {
    let ids = Mutex::new(Vec::new());
    let tell = |pets: Vec<Pet>| {
        ids.lock().unwrap().extend(pets.iter().map(|pet| pet.id));
        std::future::ready(())
    };
    let query = PetQuery { newest_first: client.offers().order, ..PetQuery::default() };
    let coverage = in_parts(client, query, most, tell).await.unwrap();
    let mut ids = ids.into_inner().unwrap();
    ids.sort_unstable();
    (ids, coverage)
}

#[tokio::test]
async fn of_our_service_the_newest_are_read_once_it_has_offered_that() {
    let service = Service::start().await;
    service.store.insert_samples(450, clock::now()).await.unwrap();
    let client = service.client();
    let (ids, coverage) = newest(&client, 200).await;
    assert_eq!((ids, coverage.known_from()), ((1..=200).collect(), None), "nothing is known of it yet");
    client.list_pets(&PetQuery::default()).await.unwrap();
    let (ids, coverage) = newest(&client, 200).await;
    assert_eq!((ids, coverage.known_from()), ((251..=450).collect(), Some(251)));
    assert!(coverage.is_cut && !coverage.complete);
    let (ids, coverage) = newest(&client, 1_000).await;
    assert_eq!((ids, coverage), ((1..=450).collect(), complete(6)));
}

#[tokio::test]
async fn what_is_added_while_the_newest_are_read_is_not_missed() {
    let offers = |ids: std::ops::RangeInclusive<i64>, next: &str| {
        let link = if next.is_empty() { String::new() } else { format!("link: <{next}>; rel=next\r\n") };
        answer("200 OK", &format!("Pets-Order: asc, desc\r\n{link}"), &rows(ids))
    };
    let service = Scripted::new(move |target, _| match target {
        "/v1/pets?limit=100&order=desc" => offers(9..=9, "/v1/pets?limit=100&order=desc&before=9"),
        "/v1/pets?limit=100&order=desc&before=9" => offers(8..=8, ""),
        "/v1/pets?limit=100&after=9" => offers(10..=12, ""),
        _ => offers(1..=1, ""),
    })
    .await;
    let client = service.client();
    client.list_pets(&PetQuery::default()).await.unwrap();
    service.asked();
    assert_eq!(newest(&client, 100).await, (vec![8, 9, 10, 11, 12], complete(3)));
    let (ids, coverage) = newest(&client, 1).await;
    assert_eq!((ids, coverage.known_from()), (vec![9, 10, 11, 12], Some(9)));
}

#[tokio::test]
async fn a_service_that_does_not_offer_the_newest_first_is_not_asked_for_them() {
    let service = Scripted::new(move |_, _| page(1..=3, "", "")).await;
    let client = service.client();
    client.list_pets(&PetQuery::default()).await.unwrap();
    assert_eq!(newest(&client, 2).await.0, [1, 2, 3]);
    assert_eq!(service.asked(), ["/v1/pets?limit=20", "/v1/pets?limit=100"]);
}

#[tokio::test]
async fn a_short_list_is_the_whole_inventory() {
    let service = Scripted::new(|_, _| page(1..=99, "", "")).await;
    assert_eq!(all(&service.client()).await.unwrap(), ((1..=99).collect(), complete(1)));
    let empty = Scripted::new(|_, _| json("200 OK", "[]")).await;
    assert_eq!(all(&empty.client()).await.unwrap(), (Vec::new(), complete(1)));
}

#[tokio::test]
async fn a_last_page_that_is_full_is_the_end_where_there_are_pages() {
    let service = Scripted::new(|target, _| match target {
        "/v1/pets?limit=100" => page(1..=100, "/v1/pets?after=100", ""),
        _ => page(101..=200, "", ""),
    })
    .await;
    assert_eq!(all(&service.client()).await.unwrap(), ((1..=200).collect(), complete(2)));
}

#[tokio::test]
async fn without_pages_the_lists_of_the_statuses_are_put_together() {
    let service = Scripted::new(|target, _| match target {
        "/v1/pets?limit=100" => page(1..=100, "", ""),
        "/v1/pets?limit=100&status=available" => page(51..=150, "", ""),
        "/v1/pets?limit=100&status=pending" => page(200..=200, "/v1/pets?more", ""),
        "/v1/pets?more" => page(201..=300, "", ""),
        _ => page(90..=110, "", ""),
    })
    .await;
    let (ids, coverage) = all(&service.client()).await.unwrap();
    assert_eq!(ids, (1..=150).chain(200..=300).collect::<Vec<_>>());
    assert_eq!(
        coverage,
        Coverage { requests: 5, complete: false, full: vec![PetStatus::Available], is_cut: false, from: None }
    );
}

#[tokio::test]
async fn pages_in_a_circle_end_with_an_error() {
    for (first, second) in [("?limit=100", ""), ("/v1/pets?b", "/v1/pets?b"), ("/v1/pets?b", "/v1/pets?limit=100")] {
        let service = Scripted::new(move |target, _| {
            page(1..=1, if target == "/v1/pets?limit=100" { first } else { second }, "")
        })
        .await;
        let error = all(&service.client()).await.unwrap_err();
        assert!(matches!(&error, Failure::Malformed { why, .. } if why == "its pages form a loop"), "{error:?}");
        assert!(service.asked().len() <= 2);
    }
}

#[tokio::test]
async fn what_may_pass_automatically_is_asked_again_and_counted() {
    let count = AtomicUsize::new(0);
    let service = Scripted::new(move |_, _| match count.fetch_add(1, Ordering::SeqCst) {
        1 => refused(503),
        number => page(number as i64..=number as i64, if number == 0 { "/v1/pets?b" } else { "" }, ""),
    })
    .await;
    assert_eq!(all(&service.client()).await.unwrap(), (vec![0, 2], complete(3)));
}

#[tokio::test]
async fn what_was_given_out_before_a_failure_stays_given_out() {
    let service = Scripted::new(|target, _| match target {
        "/v1/pets?limit=100" => page(1..=3, "/v1/pets?b", ""),
        _ => refused(401),
    })
    .await;
    let (ids, coverage) = parts(&service.client()).await;
    assert_eq!(ids, [[1, 2, 3]]);
    assert!(coverage.unwrap_err().is_unauthorized());
}

#[tokio::test]
async fn nothing_more_is_asked_for_where_nobody_takes_it() {
    let service = Scripted::new(|_, _| page(1..=100, "", "")).await;
    let (parts, taken) = mpsc::channel(1);
    drop(taken);
    let coverage = inventory(&service.client(), Selection::default(), parts).await.unwrap();
    assert_eq!(coverage, Coverage { requests: 1, complete: false, full: Vec::new(), is_cut: false, from: None });
    assert_eq!(service.asked().len(), 1);
}
