//! The store on a real file.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use rusqlite::Connection;
use secrecy::{ExposeSecret, SecretString};
use tempfile::TempDir;

use super::keys::{NewKey, Scopes};
use super::*;
use crate::clock::{self, Now};
use crate::model::{Limit, NewPet, PetQuery, PetStatus};

async fn store() -> (TempDir, DatabaseUrl, Store) {
    let directory = tempfile::tempdir().unwrap();
    let url = DatabaseUrl::Sqlite(directory.path().join("new/store.db"));
    let store = Store::open(&url).await.unwrap();
    (directory, url, store)
}

fn rex() -> NewPet {
    NewPet { name: "Rex".into(), category_id: i64::MIN, status: None }
}

#[tokio::test]
async fn an_animal_comes_back_as_it_was_added_also_after_reopening() {
    let (_directory, url, store) = store().await;
    let added = store.add(rex(), clock::now()).await.unwrap();
    assert_eq!(added.status, Some(PetStatus::Available.into()));
    assert_eq!(store.get(added.id).await.unwrap(), Some(added.clone()));
    assert_eq!(store.get(added.id + 1).await.unwrap(), None);
    store.close().await;
    let reopened = Store::open(&url).await.unwrap();
    assert_eq!(reopened.get(added.id).await.unwrap(), Some(added));
}

#[tokio::test]
async fn pages_follow_the_ids_and_end() {
    let (_directory, _url, store) = store().await;
    store.insert_samples(25, clock::now()).await.unwrap();
    let limit = Limit::new(10).unwrap();
    let mut query = PetQuery { limit, ..PetQuery::default() };
    let mut pages = Vec::new();
    loop {
        let page = store.list(&query).await.unwrap();
        pages.push(page.pets.iter().map(|pet| pet.id).collect::<Vec<_>>());
        query.after = page.next;
        if query.after.is_none() {
            break;
        }
    }
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [10, 10, 5]);
    assert!(pages.concat().is_sorted());
}

#[tokio::test]
async fn a_full_last_page_has_no_next_and_a_filter_pages_within_its_status() {
    let (_directory, _url, store) = store().await;
    store.insert_samples(20, clock::now()).await.unwrap();
    assert_eq!(store.list(&PetQuery::default()).await.unwrap().next, None);
    let sold = PetQuery { status: Some(PetStatus::Sold), limit: Limit::MIN, after: None };
    let first = store.list(&sold).await.unwrap();
    let second = store.list(&PetQuery { after: first.next, ..sold }).await.unwrap();
    assert_eq!((first.pets.len(), second.pets.len(), second.next), (1, 1, None));
    assert!(first.pets[0].id < second.pets[0].id);
}

#[tokio::test]
async fn a_page_at_any_depth_is_found_by_an_index_and_never_sorted() {
    let (_directory, url, _store) = store().await;
    let connection = direct(&url);
    let plan = |query: &str| -> Vec<String> {
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {query}")).unwrap();
        let values = vec![rusqlite::types::Null; plan.parameter_count()];
        let steps = plan.query_map(rusqlite::params_from_iter(values), |row| row.get("detail")).unwrap();
        steps.map(Result::unwrap).collect()
    };
    assert_eq!(plan(sql::LIST), ["SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)"]);
    assert_eq!(plan(sql::LIST_BY_STATUS), ["SEARCH pets USING INDEX pets_by_status (status=? AND id>?)"]);
    assert_eq!(plan(sql::GET), ["SEARCH pets USING INTEGER PRIMARY KEY (rowid=?)"]);
    assert!(plan(sql::FIND_CREATION)[0].contains("USING PRIMARY KEY (api_key_id=? AND idempotency_key=?)"));
    let forget = plan(sql::FORGET_CREATIONS);
    assert!(forget.iter().all(|step| !step.starts_with("SCAN") && !step.contains("TEMP B-TREE")), "{forget:?}");
}

#[tokio::test]
async fn sixty_four_writers_at_once_get_ids_of_their_own() {
    let (_directory, url, store) = store().await;
    let writers = (0..64).map(|number| {
        let store = store.clone();
        let new = NewPet { name: format!("Pet {number}"), ..rex() };
        tokio::spawn(async move { store.add(new, clock::now()).await.unwrap() })
    });
    let mut added = Vec::new();
    for writer in writers.collect::<Vec<_>>() {
        added.push(writer.await.unwrap());
    }
    store.close().await;
    let reopened = Store::open(&url).await.unwrap();
    for pet in added {
        assert_eq!(reopened.get(pet.id).await.unwrap(), Some(pet));
    }
}

#[tokio::test]
async fn a_closed_store_refuses() {
    let (_directory, _url, store) = store().await;
    store.list(&PetQuery::default()).await.unwrap();
    store.close().await;
    store.close().await;
    assert!(matches!(store.add(rex(), clock::now()).await, Err(StoreError::Unavailable(Why::Closed))));
    assert!(matches!(store.list(&PetQuery::default()).await, Err(StoreError::Unavailable(Why::Closed))));
}

#[tokio::test]
async fn a_group_that_fails_leaves_nothing_behind_and_tells_everyone() {
    let (_directory, url, store) = store().await;
    direct(&url).execute_batch("DROP TABLE api_keys").unwrap();
    let (pet, key) = tokio::join!(store.add(rex(), clock::now()), till_key(&store, clock::now()));
    assert!(matches!(key, Err(StoreError::Unavailable(Why::Database(_)))));
    let found = store.list(&PetQuery::default()).await.unwrap().pets;
    assert_eq!(pet.ok().into_iter().collect::<Vec<_>>(), found);
}

#[tokio::test]
async fn files_are_for_their_owner_only() {
    let (_directory, url, store) = store().await;
    store.add(rex(), clock::now()).await.unwrap();
    let DatabaseUrl::Sqlite(path) = url;
    let mode = |path: &str| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let path = path.to_str().unwrap();
    for suffix in ["", "-wal", "-shm"] {
        assert_eq!(mode(&format!("{path}{suffix}")), 0o600, "{suffix:?}");
    }
    assert_eq!(mode(path.rsplit_once('/').unwrap().0), 0o700);
}

#[tokio::test]
async fn the_linked_sqlite_does_not_corrupt_and_commits_reach_the_disk() {
    let (_directory, url, store) = store().await;
    assert!(rusqlite::version_number() >= 3_051_003, "{}", rusqlite::version());
    let journal: String = direct(&url).pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(journal, "wal");
    let level = |connection: &Connection| connection.pragma_query_value(None, "synchronous", |row| row.get(0));
    let full: i64 = store.inner.database.write(level).await.unwrap();
    assert_eq!(full, 2);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notes.txt");
    std::fs::write(&path, "buy hay ".repeat(200)).unwrap();
    assert!(matches!(Store::open(&DatabaseUrl::Sqlite(path)).await, Err(StoreError::Open { .. })));
    let path = directory.path().join("no\0file");
    assert!(matches!(Store::open(&DatabaseUrl::Sqlite(path)).await, Err(StoreError::Create { .. })));
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_left_alone() {
    let (_directory, url, store) = store().await;
    store.close().await;
    direct(&url).pragma_update(None, "user_version", 9999).unwrap();
    assert!(matches!(Store::open(&url).await, Err(StoreError::Newer { found: 9999, .. })));
}

#[tokio::test]
async fn two_that_open_a_new_file_at_once_both_work() {
    let directory = tempfile::tempdir().unwrap();
    let url = DatabaseUrl::Sqlite(directory.path().join("store.db"));
    let (one, two) = tokio::join!(Store::open(&url), Store::open(&url));
    let (one, two) = (one.unwrap(), two.unwrap());
    let (first, second) = tokio::join!(one.add(rex(), clock::now()), two.add(rex(), clock::now()));
    assert_ne!(first.unwrap().id, second.unwrap().id);
}

#[tokio::test]
async fn a_key_is_found_by_the_right_text_only_and_its_hash_alone_is_kept() {
    let (_directory, url, store) = store().await;
    let now = clock::now();
    let key = till_key(&store, now).await.unwrap();
    let key = key.expose_secret();
    assert!(store.verify_key(key, now).await.unwrap().is_some());
    let other = store.session_key().unwrap();
    assert!(store.verify_key(other.expose_secret(), now).await.unwrap().is_some());
    for wrong in ["", "petk_", &key[..40], &key.to_lowercase()] {
        assert_eq!(store.verify_key(wrong, now).await.unwrap(), None, "{wrong:?}");
    }
    let evil = NewKey { name: "\x1b".into(), ..till() };
    assert!(matches!(store.create_key(evil, "ada", now).await, Err(StoreError::KeyName(_))));
    store.close().await;
    let DatabaseUrl::Sqlite(path) = &url;
    let file = std::fs::read(path).unwrap();
    assert!(!file.windows(key.len()).any(|part| part == key.as_bytes()));
    let reopened = Store::open(&url).await.unwrap();
    assert!(reopened.verify_key(key, now).await.unwrap().is_some());
    assert_eq!(reopened.verify_key(other.expose_secret(), now).await.unwrap(), None);
}

#[tokio::test]
async fn a_revoked_or_expired_key_is_refused_within_five_seconds() {
    let (_directory, url, store) = store().await;
    let now = clock::now();
    let key = till_key(&store, now).await.unwrap();
    let key = key.expose_secret();
    assert!(store.verify_key(key, now).await.unwrap().is_some());
    let connection = direct(&url);
    connection.execute("UPDATE api_keys SET expires_at = $1", [now.wall.as_second() + 60]).unwrap();
    let later =
        |seconds| Now { mono: now.mono + Duration::from_secs(seconds), wall: now.wall + Duration::from_secs(seconds) };
    assert!(store.verify_key(key, later(59)).await.unwrap().is_some());
    assert_eq!(store.verify_key(key, later(60)).await.unwrap(), None);
    connection.execute("UPDATE api_keys SET expires_at = NULL, revoked_at = 1", []).unwrap();
    assert_eq!(store.verify_key(key, later(65)).await.unwrap(), None);
}

/// A connection beside the store's own.
fn direct(url: &DatabaseUrl) -> Connection {
    let DatabaseUrl::Sqlite(path) = url;
    Connection::open(path).unwrap()
}

fn till() -> NewKey {
    NewKey { name: "till".into(), scopes: Scopes::default(), expires_at: None }
}

async fn till_key(store: &Store, now: Now) -> Result<SecretString, StoreError> {
    store.create_key(till(), "ada", now).await.map(|(_, key)| key)
}
