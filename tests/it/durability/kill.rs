//! The end that nobody asked for: kill -9, again and again on the same file.

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use petstore::clock;

use super::fixture::{Added, Client, Shop, Told, WRITERS, faults, writers};
use super::remains::Dice;

#[test]
fn d20_kill_9_under_sixteen_writers_loses_and_doubles_nothing() {
    let shop = Shop::new();
    let mut dice = Dice(20);
    let mut added = Vec::new();
    for round in 0..5 {
        let started = clock::now().mono;
        let service = shop.serve();
        assert_eq!(service.client().get("/readyz").status, 204);
        assert!(clock::now().mono - started < Duration::from_secs(2));
        let told = writers(WRITERS, &service, &format!("herd {round}"));
        added.extend(told.iter().take(1 + dice.below(300)).map(Told::added));
        service.kill_9();
        added.extend(told.into_iter().map(Told::added));
    }
    // Nothing is ever removed: what any round had lost would be missing now.
    assert_eq!(faults(&added, &shop.animals()), Vec::<String>::new());
}

/// How many animals each writer adds.
const EACH: usize = 50;

/// Sends the same creation until it is acknowledged, to wherever the service is now.
fn repeat(service: &Mutex<Client>, key: &str, name: &str) -> Told {
    loop {
        let client = service.lock().unwrap().clone();
        match client.add_with(&format!("Idempotency-Key: {key}\r\n"), name) {
            Err(_) => thread::yield_now(),
            // One that was sent before is still being handled, or it is no good moment.
            Ok(told) if matches!(told.answer.status, 409 | 503) => thread::yield_now(),
            Ok(told) => return told,
        }
    }
}

fn add_and_repeat(service: &Mutex<Client>, writer: usize, acknowledged: &Sender<Added>) {
    for animal in 0..EACH {
        let (key, name) = (format!("{writer}-{animal}"), format!("animal {writer}-{animal}"));
        let added = repeat(service, &key, &name).added();
        // Also where the first answer came through.
        let again = repeat(service, &key, &name);
        assert!(again.answer.head.contains("\nidempotency-replayed: true"), "{again:?}");
        assert_eq!(again.added().id, added.id);
        acknowledged.send(added).unwrap();
    }
}

#[test]
fn d21_clients_that_repeat_with_their_key_through_kill_9_lose_and_double_nothing() {
    let shop = Shop::new();
    let mut service = shop.serve();
    let current = Arc::new(Mutex::new(service.client().clone()));
    let (acknowledged, all_acknowledged) = mpsc::channel();
    for writer in 0..WRITERS {
        let (current, acknowledged) = (Arc::clone(&current), acknowledged.clone());
        thread::spawn(move || add_and_repeat(&current, writer, &acknowledged));
    }
    drop(acknowledged);

    let mut added = Vec::new();
    for _ in 0..3 {
        added.extend(all_acknowledged.iter().take(WRITERS * EACH / 4));
        service.kill_9();
        service = shop.serve();
        *current.lock().unwrap() = service.client().clone();
    }
    added.extend(all_acknowledged);
    let animals = shop.animals();
    assert_eq!(faults(&added, &animals), Vec::<String>::new());
    assert_eq!((added.len(), animals.len()), (WRITERS * EACH, WRITERS * EACH));
}
