//! The end that nobody asked for: kill -9, again and again on the same file.

use crate::prelude::*;

use std::sync::mpsc::{self, Sender};

use super::after_power_cut::Dice;
use super::fixture::{Added, Client, Shop, Told, WRITERS, faults, pets, writers};

#[test]
fn kill_9_under_sixteen_writers_loses_and_doubles_nothing() {
    let shop = Shop::new();
    let mut dice = Dice(20);
    let mut added = Vec::new();
    for round in 0..5 {
        let service = shop.serve();
        assert_eq!(service.client().get("/readyz").status, 204);
        let told = writers(WRITERS, &service, &format!("herd {round}"));
        added.extend(told.iter().take(1 + dice.below(300)).map(Told::added));
        service.kill_9();
        added.extend(told.into_iter().map(Told::added));
    }
    // Nothing is ever removed: what any round had lost would be missing now.
    assert_eq!(faults(&added, &shop.pets()), Vec::<String>::new());
}

#[test]
fn kill_9_during_first_starts_leaves_no_key_without_its_file_and_no_other_file() {
    let home = tempfile::tempdir().unwrap();
    let mut dice = Dice(16);
    let serve = |directory: &Path| {
        let url = format!("sqlite:{}/store.db", directory.display());
        let mut serve = Command::new(env!("CARGO_BIN_EXE_petstore"));
        serve.args(["serve", "--listen", "127.0.0.1:0", "--database", &url]).env_clear().stdin(Stdio::null());
        (serve.stderr(Stdio::piped()).spawn().unwrap(), clock::now().mono)
    };
    let (mut whole, started) = serve(&home.path().join("whole"));
    BufReader::new(whole.stderr.take().unwrap()).lines().next().unwrap().unwrap();
    let time_to_start = clock::now().mono - started;
    whole.kill().unwrap();
    whole.wait().unwrap();

    let (mut round, mut first_starts) = (0, 0);
    while round < 50 || first_starts < 5 {
        let directory = home.path().join(first_starts.to_string());
        let (mut child, started) = serve(&directory);
        let moment = time_to_start * u32::try_from(dice.below(1000)).unwrap() / 1000;
        while clock::now().mono - started < moment {
            thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        round += 1;
        let known = ["store.db", "store.db-wal", "store.db-shm", "store.db-journal", "store.db.admin-key"];
        let names = fs::read_dir(&directory).into_iter().flatten().map(|file| file.unwrap().file_name());
        let other: Vec<_> = names.filter(|name| !known.contains(&name.to_str().unwrap())).collect();
        assert!(other.is_empty(), "{other:?}");
        // The next round tries again unless there is a key now.
        let file = directory.join("store.db");
        if file.exists() && keys(&file) > 0 {
            let key = fs::read_to_string(directory.join("store.db.admin-key")).unwrap();
            pets(&file, Some(key.trim())).unwrap();
            first_starts += 1;
        }
    }
}

/// How many keys a database has, however far its first start went.
fn keys(file: &Path) -> u32 {
    let file = rusqlite::Connection::open(file).unwrap();
    file.query_row("SELECT COUNT(*) FROM api_keys", [], |row| row.get(0)).unwrap_or(0)
}

/// How many pets each writer adds.
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
    for pet in 0..EACH {
        let (key, name) = (format!("{writer}-{pet}"), format!("pet {writer}-{pet}"));
        let added = repeat(service, &key, &name).added();
        // Also where the first answer came through.
        let again = repeat(service, &key, &name);
        assert!(again.answer.head.contains("\nidempotency-replayed: true"), "{again:?}");
        assert_eq!(again.added().id, added.id);
        acknowledged.send(added).unwrap();
    }
}

#[test]
fn clients_that_repeat_with_their_key_through_kill_9_lose_and_double_nothing() {
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
    let pets = shop.pets();
    assert_eq!(faults(&added, &pets), Vec::<String>::new());
    assert_eq!((added.len(), pets.len()), (WRITERS * EACH, WRITERS * EACH));
}
