//! Lists that are asked for again.

use crate::prelude::*;

use petstore::api::list::{List, list};

use super::scripted::{Scripted, answer, not_modified, page, refused, rows};
use crate::service::fixture::Service;

const QUERY: PetQuery = PetQuery { status: None, limit: Limit::MAX, newest_first: false, after: None };

fn ids(list: &List) -> Vec<PetId> {
    list.pets.iter().map(|pet| pet.id).collect()
}

async fn fetched(client: &Client, pages: u16, known: Option<&List>) -> List {
    list(client, &QUERY, pages, known).await.unwrap().list.expect("another list")
}

async fn is_unchanged(client: &Client, pages: u16, known: &List) -> bool {
    list(client, &QUERY, pages, Some(known)).await.unwrap().list.is_none()
}

/// Two pages of one row each, the second of which changes as often as its number says. A tag that is still right is
/// answered with 304.
async fn two_pages(second: Arc<AtomicUsize>) -> Scripted {
    Scripted::new(move |target, shown| {
        let version = second.load(Ordering::SeqCst);
        let (etag, rows, next) = match target {
            "/v1/pets?limit=100" => (r#"W/"one""#.to_owned(), 1..=1, "/v1/pets?after=1"),
            _ => (format!("\"two-{version}\""), 2..=2 + version as i64, ""),
        };
        if shown == Some(&etag) { not_modified(&etag) } else { page(rows, next, &etag) }
    })
    .await
}

#[tokio::test]
async fn a_list_of_the_same_pages_is_not_sent_again() {
    let service = two_pages(Arc::default()).await;
    let known = fetched(&service.client(), 9, None).await;
    assert_eq!((ids(&known), known.pages(), known.next()), (vec![1, 2], 2, None));
    assert_eq!(service.asked(), ["/v1/pets?limit=100", "/v1/pets?after=1"]);
    assert!(is_unchanged(&service.client(), 9, &known).await);
    assert_eq!(service.asked(), [r#"/v1/pets?limit=100 W/"one""#, r#"/v1/pets?after=1 "two-0""#]);
}

#[tokio::test]
async fn a_second_page_that_has_changed_comes_alone() {
    let version = Arc::new(AtomicUsize::new(0));
    let service = two_pages(Arc::clone(&version)).await;
    let known = fetched(&service.client(), 2, None).await;
    version.store(2, Ordering::SeqCst);
    let now = fetched(&service.client(), 2, Some(&known)).await;
    assert_eq!((ids(&now), now.pages()), (vec![1, 2, 3, 4], 2));
    assert!(is_unchanged(&service.client(), 2, &now).await);
}

#[tokio::test]
async fn more_or_fewer_pages_than_before_are_another_list() {
    let service = two_pages(Arc::default()).await;
    let one = fetched(&service.client(), 1, None).await;
    assert_eq!((ids(&one), one.pages(), one.next().is_some()), (vec![1], 1, true));
    service.asked();
    let two = fetched(&service.client(), 2, Some(&one)).await;
    assert_eq!((ids(&two), two.pages()), (vec![1, 2], 2));
    assert_eq!(service.asked(), [r#"/v1/pets?limit=100 W/"one""#, "/v1/pets?after=1"]);
    assert_eq!(fetched(&service.client(), 0, Some(&two)).await, one);
}

#[tokio::test]
async fn an_entity_tag_is_shown_only_to_the_address_it_is_of() {
    let service = two_pages(Arc::default()).await;
    let known = fetched(&service.client(), 2, None).await;
    service.asked();
    let sold = PetQuery { status: Some(PetStatus::Sold), ..QUERY };
    list(&service.client(), &sold, 1, Some(&known)).await.unwrap();
    let own = List::of(known.pets.to_vec(), None);
    list(&service.client(), &QUERY, 1, Some(&own)).await.unwrap();
    assert_eq!(service.asked(), ["/v1/pets?limit=100&status=sold", "/v1/pets?limit=100"]);
}

#[tokio::test]
async fn nothing_has_changed_is_no_answer_to_who_did_not_ask_so() {
    let service = Scripted::new(|_, _| not_modified("\"a\"")).await;
    let known = List::of(Vec::new(), None);
    for known in [None, Some(&known)] {
        let error = list(&service.client(), &QUERY, 1, known).await.unwrap_err();
        assert!(matches!(&error, Failure::Malformed { why, .. } if why == "unexpected status 304"), "{error:?}");
    }
    let error = service.client().list_pets(&QUERY).await.unwrap_err();
    assert!(matches!(&error, Failure::Malformed { why, .. } if why == "unexpected status 304"), "{error:?}");
}

#[tokio::test]
async fn a_tag_without_quotes_or_without_end_is_not_shown_again() {
    for (etag, kept) in [
        ("*".to_owned(), false),
        ("\"".to_owned(), false),
        ("bare".to_owned(), false),
        (format!("\"{}\"", "x".repeat(255)), false),
        (format!("\"{}\"", "x".repeat(254)), true),
        ("W/\"\"".to_owned(), true),
    ] {
        let sent = etag.clone();
        let service = Scripted::new(move |_, _| page(1..=1, "", &sent)).await;
        let known = fetched(&service.client(), 1, None).await;
        let again = fetched(&service.client(), 1, Some(&known)).await;
        assert_eq!(again, known);
        let shown = if kept { format!("/v1/pets?limit=100 {etag}") } else { "/v1/pets?limit=100".to_owned() };
        assert_eq!(service.asked()[1], shown);
    }
}

#[tokio::test]
async fn a_next_link_that_is_new_is_taken_although_the_rows_are_the_same() {
    let service = Scripted::new(|_, shown| match shown {
        None => page(1..=1, "", "\"rows\""),
        Some(_) => b"HTTP/1.1 304 N\r\nlink: </v1/pets?after=1>; rel=next\r\nconnection: close\r\n\r\n".to_vec(),
    })
    .await;
    let known = fetched(&service.client(), 1, None).await;
    let now = fetched(&service.client(), 1, Some(&known)).await;
    assert!(now.next().is_some());
    assert!(is_unchanged(&service.client(), 1, &now).await);
}

#[tokio::test]
async fn a_page_that_fails_makes_the_list_fail() {
    let service = Scripted::new(|target, _| match target {
        "/v1/pets?limit=100" => page(1..=1, "/v1/pets?after=1", ""),
        _ => refused(500),
    })
    .await;
    let error = list(&service.client(), &QUERY, 2, None).await.unwrap_err();
    assert!(matches!(error, Failure::Refused { status: 500, .. }), "{error:?}");
}

#[tokio::test]
async fn pages_that_overlap_show_each_pet_once_and_a_page_with_a_gap_is_never_reused() {
    let moved = Arc::new(AtomicUsize::new(0));
    let has_moved = Arc::clone(&moved);
    let service = Scripted::new(move |target, shown| match (target, shown) {
        ("/v1/pets?limit=100", _) if has_moved.load(Ordering::SeqCst) == 1 => {
            page(9..=9, "/v1/pets?after=2", "\"moved\"")
        }
        ("/v1/pets?limit=100", _) => page(1..=2, "/v1/pets?after=2", "\"one\""),
        (_, None) => page(2..=3, "", "\"two\""),
        (_, Some(_)) => not_modified("\"two\""),
    })
    .await;
    let known = fetched(&service.client(), 2, None).await;
    assert_eq!(ids(&known), [1, 2, 3]);
    moved.store(1, Ordering::SeqCst);
    assert_eq!(ids(&fetched(&service.client(), 2, Some(&known)).await), [9, 2, 3]);
}

#[tokio::test]
async fn pages_that_lead_in_a_circle_end_with_the_pages_that_were_asked_for() {
    let service = Scripted::new(|_, _| answer("200 OK", "link: <?limit=100>; rel=next\r\n", &rows(1..=2))).await;
    let all = fetched(&service.client(), 5, None).await;
    assert_eq!((ids(&all), all.pages()), (vec![1, 2], 5));
    assert_eq!(service.asked().len(), 5);
}

#[tokio::test]
async fn our_service_says_when_nothing_has_changed_and_sends_the_page_that_has() {
    let service = Service::start().await;
    service.store.insert_samples(150, clock::now()).await.unwrap();
    let client = service.client();
    let known = fetched(&client, 2, None).await;
    assert_eq!((known.pets.len(), known.pages(), known.next()), (150, 2, None));
    assert!(is_unchanged(&client, 2, &known).await);
    let new = NewPet { name: "Rex".into(), category_id: 3, status: None };
    service.store.add(new, clock::now()).await.unwrap();
    let now = fetched(&client, 2, Some(&known)).await;
    assert_eq!((now.pets.len(), &now.pets[..150]), (151, &known.pets[..]));
}
