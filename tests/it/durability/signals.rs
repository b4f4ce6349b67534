//! The end that is asked for: SIGTERM, SIGINT, and a second one for the impatient.

use crate::prelude::*;

use std::net::TcpStream;
use std::sync::mpsc::Receiver;

use super::fixture::{Client, PATIENCE, Service, Shop, Told, WRITERS, faults, writers};

/// A half-sent request may hold the stop for so long.
const AT_ONCE: Duration = Duration::from_secs(8);

/// A request that is being handled, and whose body will never be whole.
fn half_sent(client: &Client) -> TcpStream {
    let mut stream = client.connect().unwrap();
    let head = client.head("POST /v1/pets");
    let head = format!("{head}Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"{\"name\"").unwrap();
    stream
}

/// A service that is busy, and what its clients are told.
fn under_load(shop: &Shop) -> (Service, Receiver<Told>, Vec<Told>) {
    let service = shop.serve();
    let told = writers(WRITERS, &service, "herd");
    let begun = told.iter().take(200).collect();
    (service, told, begun)
}

/// That all of it is there.
#[track_caller]
fn nothing_is_lost(shop: &Shop, told: impl Iterator<Item = Told>) {
    let added: Vec<_> = told.map(Told::added).collect();
    assert_eq!(faults(&added, &shop.pets()), Vec::<String>::new());
}

/// Sends the signal; how long the service then took to end, with exit status 0.
fn time_to_end(service: &mut Service, signal: Signal) -> Duration {
    let started = clock::now().mono;
    service.signal(signal);
    assert_eq!(service.wait().code(), Some(0));
    clock::now().mono - started
}

#[test]
fn sigterm_under_load_ends_the_service_and_loses_nothing() {
    let shop = Shop::new();
    let (mut service, told, begun) = under_load(&shop);
    let _idle = service.client().connect().unwrap();
    let mut half_head = service.client().connect().unwrap();
    half_head.write_all(b"POST /v1/pets HT").unwrap();
    let _half_bodies = [(); 3].map(|()| half_sent(service.client()));

    assert!(time_to_end(&mut service, Signal::TERM) < PATIENCE);
    nothing_is_lost(&shop, begun.into_iter().chain(told));
}

#[test]
fn sigint_under_load_ends_at_once_where_nothing_is_half_sent() {
    let shop = Shop::new();
    let (mut service, told, begun) = under_load(&shop);
    let _idle = service.client().connect().unwrap();

    assert!(time_to_end(&mut service, Signal::INT) < AT_ONCE);
    nothing_is_lost(&shop, begun.into_iter().chain(told));
}

#[test]
fn a_second_signal_ends_what_a_half_sent_request_holds_and_loses_nothing() {
    let shop = Shop::new();
    let (mut service, told, begun) = under_load(&shop);
    let _half_sent = half_sent(service.client());
    service.signal(Signal::TERM);
    // Once nothing is accepted any more, the first one has been taken.
    while service.client().connect().is_ok() {}

    assert!(time_to_end(&mut service, Signal::TERM) < AT_ONCE);
    nothing_is_lost(&shop, begun.into_iter().chain(told));
}
