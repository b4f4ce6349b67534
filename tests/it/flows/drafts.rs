//! What an earlier session has sent: sent again only where the service still knows it.

use petstore::app::outbox::queue::SentAt;

use super::*;
use crate::service::fixture::Service;
use petstore::app::outbox::queue::{Attempt, LineSent, LineToSend, Queue};

#[tokio::test]
async fn what_was_sent_at_a_time_that_a_clock_does_not_know_is_not_sent_again_unasked() {
    let service = Service::start().await;
    let ahead = stub::answering_at(service.server.local_addr(), "Sat, 01 Jan 2050 00:00:00 GMT").await;
    let new = NewPet { name: "Rex".into(), category_id: 3, status: None };
    let key = IdempotencyKey::numbered(Uuid::nil(), 1);
    let now = clock::now().wall;
    let hours = |hours: i64| now + SignedDuration::from_hours(hours);
    let settle_sent = async |base_url: &str, here: i64, there: Option<i64>| {
        let at = SentAt { here: hours(here), there: there.map(hours) };
        let attempt = Attempt { by: String::new(), there: at.there };
        let (new, key) = (new.clone(), key.clone());
        let line =
            LineToSend { line: 1, new, patch: None, key, attempt, again: Some(at), is_kept: true, repeats: false };
        match Queue::default().send(&client(base_url, service.key(), Timeouts::default()), line).await {
            LineSent::Saved(pet) => Some(pet.id),
            LineSent::NotRepeatable => None,
            other => panic!("{other:?}"),
        }
    };
    let settle = async |base_url: &str, here: i64| settle_sent(base_url, here, None).await;
    let here = service.server.base_url();
    // Just now, and at the end of the time for which keys are kept.
    assert_eq!([settle(&here, 0).await, settle(&here, -23).await], [Some(1), Some(1)]);
    // Before that; in the future of this machine; and far back by the clock of the service.
    assert_eq!([settle(&here, -24).await, settle(&here, 48).await, settle(&ahead.base_url, 0).await], [None; 3]);
    // Where the time of the service is known, it decides: the clock here was a day ahead when it was sent, or behind.
    assert_eq!([settle_sent(&here, 0, Some(-25)).await, settle_sent(&here, -30, Some(48)).await], [None; 2]);
    assert_eq!([settle_sent(&here, 48, Some(0)).await, settle_sent(&here, -30, Some(-1)).await], [Some(1); 2]);
}
