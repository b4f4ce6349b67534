//! A disk that is full for a while, and one that cannot sync: the service says so, goes on reading, and never says 201
//! of what it could not keep.

use std::sync::mpsc::Receiver;

use super::fixture::{Added, LONG, Service, Shop, Told, WRITERS, faults, writers};

fn add(service: &Service, name: &str) -> Told {
    service.client().add(name).unwrap()
}

/// What can be read while nothing can be written.
#[track_caller]
fn still_reads(service: &Service, added: &[Added]) {
    let listed = service.client().get("/v1/pets?limit=100");
    assert_eq!(listed.status, 200, "{listed:?}");
    let mut first_page = added.iter().filter(|added| added.id <= 100);
    assert!(first_page.all(|added| listed.body.contains(&added.name)), "{listed:?}");
}

#[test]
#[cfg_attr(not(target_env = "gnu"), ignore = "the disk stands before glibc")]
fn a_full_disk_refuses_pets_until_there_is_room_again() {
    let shop = Shop::on_a_watched_disk();
    let service = shop.serve();
    let mut added = vec![add(&service, "before").added()];

    shop.disk().fill();
    for name in ["first", "second", "third"] {
        let refused = add(&service, name).answer;
        refused.is_unavailable();
        let why = "The pet was not added: the disk of the database is full. Try again later.";
        assert!(refused.body.contains(why), "{refused:?}");
        still_reads(&service, &added);
        let ready = service.client().get("/readyz");
        ready.is_unavailable();
        assert!(ready.body.contains("Not ready: the disk of the database is full."), "{ready:?}");
        assert_eq!(service.client().get("/readyz?reads").status, 204);
    }

    shop.disk().clear();
    assert_eq!(service.client().get("/readyz").status, 204);
    added.push(add(&service, "after").added());
    still_reads(&service, &added);
    service.stop();
    assert_eq!(faults(&added, &shop.pets()), Vec::<String>::new());
}

/// Listens until `number` more answers had this status; returns all that it heard.
fn hear(told: &Receiver<Told>, status: u16, number: usize) -> Vec<Told> {
    let mut heard = Vec::new();
    let mut missing = number;
    while missing > 0 {
        assert!(heard.len() < 10_000, "{missing} more of {status} did not come, but {:?}", heard.last());
        let told = told.recv().unwrap();
        missing -= usize::from(told.answer.status == status);
        heard.push(told);
    }
    heard
}

/// What was acknowledged; panics where anything else was not refused as it should be.
fn added_or_refused(told: impl IntoIterator<Item = Told>) -> Vec<Added> {
    let (added, refused): (Vec<_>, Vec<_>) = told.into_iter().partition(|told| told.answer.status == 201);
    refused.iter().for_each(|told| told.answer.is_unavailable());
    added.into_iter().map(Told::added).collect()
}

#[test]
#[cfg_attr(not(target_env = "gnu"), ignore = "the disk stands before glibc")]
fn a_disk_that_fills_up_under_load_loses_nothing_that_was_acknowledged() {
    let shop = Shop::on_a_watched_disk();
    let service = shop.serve();
    let told = writers(WRITERS, &service, "herd");
    let mut all = hear(&told, 201, 200);
    for _ in 0..3 {
        shop.disk().fill();
        all.extend(hear(&told, 503, 50));
        shop.disk().clear();
        all.extend(hear(&told, 201, 200));
    }
    service.stop();
    all.extend(told);
    assert_eq!(faults(&added_or_refused(all), &shop.pets()), Vec::<String>::new());
}

/// That it takes no pets any more, and says that it is not ready; a sync would work again.
#[track_caller]
fn is_read_only(service: &Service, added: &[Added]) {
    for name in ["first", "second", "third"] {
        add(service, name).answer.is_unavailable();
        service.client().get("/readyz").is_unavailable();
        still_reads(service, added);
    }
}

#[test]
#[cfg_attr(not(target_env = "gnu"), ignore = "the disk stands before glibc")]
fn a_write_ahead_log_that_cannot_be_synced_ends_all_writing_until_a_restart() {
    let shop = Shop::on_a_watched_disk();
    let service = shop.serve();
    let mut added = vec![add(&service, "before").added()];

    shop.disk().break_next_sync("store.db-wal");
    add(&service, "meanwhile").answer.is_unavailable();
    assert!(shop.disk().has_broken_sync("store.db-wal"));
    is_read_only(&service, &added);

    service.stop();
    let service = shop.serve();
    added.push(add(&service, "after").added());
    service.stop();
    assert_eq!(faults(&added, &shop.pets()), Vec::<String>::new());
}

#[test]
#[cfg_attr(not(target_env = "gnu"), ignore = "the disk stands before glibc")]
fn a_database_that_cannot_be_synced_ends_all_writing_until_a_restart() {
    let shop = Shop::on_a_watched_disk();
    let service = shop.serve();
    shop.disk().break_next_sync("store.db");
    let told = writers(WRITERS, &service, LONG);
    let mut heard = Vec::new();
    // That is when the write-ahead log is long enough to be folded into it.
    while !shop.disk().has_broken_sync("store.db") {
        heard.extend(told.iter().take(10));
    }
    let mut added = added_or_refused(heard);
    is_read_only(&service, &added);

    service.stop();
    added.extend(added_or_refused(told));
    let service = shop.serve();
    added.push(add(&service, "after").added());
    service.stop();
    assert_eq!(faults(&added, &shop.pets()), Vec::<String>::new());
}

#[test]
#[cfg_attr(not(target_env = "gnu"), ignore = "the disk stands before glibc")]
fn a_refusal_is_answered_also_where_nobody_reads_stderr() {
    let shop = Shop::on_a_watched_disk();
    let (service, stderr) = shop.serve_and_listen();
    drop(stderr);
    shop.disk().fill();
    add(&service, "refused").answer.is_unavailable();
    service.stop();
}

#[test]
fn a_limit_on_the_size_of_files_refuses_pets_and_does_not_end_the_service() {
    let mut shop = Shop::new();
    shop.limit_file_size(1024);
    let service = shop.serve();
    let told = writers(4, &service, LONG);
    let mut added = added_or_refused(hear(&told, 503, 20));
    assert!(!added.is_empty());
    still_reads(&service, &added);
    service.client().get("/readyz").is_unavailable();
    service.stop();
    added.extend(added_or_refused(told));
    assert_eq!(faults(&added, &shop.pets()), Vec::<String>::new());
}
