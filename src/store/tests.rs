//! What holds for a SQLite file only. What holds on every database is in `tests/it/store/list.rs`.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::join_all;
use jiff::SignedDuration;
use secrecy::{ExposeSecret, SecretString};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::job::DatabaseError;
use super::keys::{NewKey, Scopes};
use super::*;
use super::{Connection, Work};
use crate::clock::{self, Now};
use crate::model::{NewPet, PetQuery};

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
    assert_eq!(plan(sql::LIST_NEWEST), ["SEARCH pets USING INTEGER PRIMARY KEY (rowid<?)"]);
    assert_eq!(plan(sql::LIST_NEWEST_BY_STATUS), ["SEARCH pets USING INDEX pets_by_status (status=? AND id<?)"]);
    assert_eq!(plan(sql::GET), ["SEARCH pets USING INTEGER PRIMARY KEY (rowid=?)"]);
    assert!(plan(sql::FIND_CREATION)[0].contains("USING PRIMARY KEY (api_key_id=? AND idempotency_key=?)"));
    let forget = plan(sql::FORGET_CREATIONS);
    assert!(forget.iter().all(|step| !step.starts_with("SCAN") && !step.contains("TEMP B-TREE")), "{forget:?}");
}

#[tokio::test]
async fn a_group_that_fails_leaves_nothing_behind_and_tells_everyone() {
    let (_directory, url, store) = store().await;
    direct(&url).execute_batch("DROP TABLE api_keys").unwrap();
    let (pet, key) = tokio::join!(store.add(rex(), clock::now()), till_key(&store, clock::now()));
    assert!(matches!(key, Err(StoreError::Unavailable(StoreFailure::Database(_)))));
    let found = store.list(&PetQuery::default()).await.unwrap().pets;
    assert_eq!(pet.ok().into_iter().collect::<Vec<_>>(), found);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lock_of_another_process_costs_all_that_wait_one_limit() {
    let (_directory, url, store) = store().await;
    let other = direct(&url);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = clock::now().mono;
    let refused = join_all((0..3).map(|_| store.add(rex(), clock::now()))).await;
    // The limit is 5 s; one after another they would wait for 15.
    assert!(clock::now().mono - begun < Duration::from_secs(14));
    for added in refused {
        let Err(StoreError::Unavailable(why)) = added else { panic!("{added:?}") };
        assert_eq!(why.in_short(), "another process holds the database");
    }
    other.execute_batch("ROLLBACK").unwrap();
    let pet = store.add(rex(), clock::now()).await.unwrap();
    assert_eq!(store.list(&PetQuery::default()).await.unwrap().pets, [pet]);
}

#[tokio::test]
async fn files_are_for_their_owner_only() {
    let (_directory, url, store) = store().await;
    store.add(rex(), clock::now()).await.unwrap();
    let path = path(&url);
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
    assert_eq!(store.inner.database.write(Synchronous).await.unwrap(), Some(2));
}

#[tokio::test]
async fn a_file_that_is_not_a_database_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notes.txt");
    std::fs::write(&path, "buy hay ".repeat(200)).unwrap();
    let refused = Store::open(&DatabaseUrl::Sqlite(path)).await.unwrap_err().to_string();
    assert!(refused.starts_with("cannot open the database sqlite:"), "{refused}");
    let path = directory.path().join("no\0file");
    let refused = Store::open(&DatabaseUrl::Sqlite(path)).await.unwrap_err().to_string();
    assert!(refused.starts_with("cannot create the database file "), "{refused}");
}

#[tokio::test]
async fn a_database_of_another_program_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("other.db");
    for version in [0, 6] {
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch(&format!("CREATE TABLE IF NOT EXISTS t (x); PRAGMA user_version = {version}")).unwrap();
        drop(other);
        let before = std::fs::read(&path).unwrap();
        let url = DatabaseUrl::Sqlite(path.clone());
        let refused = [
            Store::open(&url).await.map(drop),
            Store::open_existing(&url).await.map(drop),
            check(&url, true).await.map(drop),
        ];
        for refused in refused.map(|refused| refused.unwrap_err().to_string()) {
            let why = format!("{url} is not a petstore database: choose another file, or a new one");
            assert_eq!(refused, why, "{version}");
        }
        assert!(std::fs::read(&path).unwrap() == before, "not even its journal is another one");
    }
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_left_alone() {
    let (_directory, url, store) = store().await;
    store.close().await;
    direct(&url).pragma_update(None, "user_version", 9999).unwrap();
    let refused = Store::open(&url).await.unwrap_err().to_string();
    assert!(refused.contains("was made by a newer petstore (schema 9999; this one supports 9)"), "{refused}");
}

#[tokio::test]
async fn a_clock_that_jumps_in_either_direction_is_noticed_once_and_one_that_is_corrected_is_not() {
    for (minutes, jumps) in [(0, false), (4, false), (-4, false), (25 * 60, true), (-60, true)] {
        let (_directory, _, store) = store().await;
        let opened = store.inner.opened;
        let day = Duration::from_secs(24 * 60 * 60);
        let later = Now { mono: opened.mono + day, wall: opened.wall + day };
        let now = Now { wall: later.wall + SignedDuration::from_mins(minutes), ..later };
        assert_eq!(now.clock_change_since(opened), SignedDuration::from_mins(minutes));
        assert!(store.verify_key("petk_wrong", now).await.unwrap().is_none());
        assert_eq!(store.inner.clock_changed.load(Ordering::Relaxed), jumps, "{minutes} minutes");
    }
}

#[tokio::test]
async fn only_the_hash_of_a_key_is_kept() {
    let (_directory, url, store) = store().await;
    let key = till_key(&store, clock::now()).await.unwrap();
    store.close().await;
    let (file, key) = (std::fs::read(path(&url)).unwrap(), key.expose_secret().as_bytes());
    assert!(!file.windows(key.len()).any(|part| part == key));
}

struct Synchronous;

impl Work for Synchronous {
    type Output = Option<i64>;

    async fn run(&self, on: &Connection<'_>) -> Result<Option<i64>, DatabaseError> {
        Ok(on.rows("PRAGMA synchronous", &[], |row| row.get(0)).await?.pop())
    }
}

/// A connection beside the store's own.
fn direct(url: &DatabaseUrl) -> rusqlite::Connection {
    rusqlite::Connection::open(path(url)).unwrap()
}

fn path(url: &DatabaseUrl) -> &Path {
    let DatabaseUrl::Sqlite(path) = url else { panic!("{url} is not a file") };
    path
}

fn till() -> NewKey {
    NewKey { name: "till".into(), scopes: Scopes::default(), expires_at: None }
}

async fn till_key(store: &Store, now: Now) -> Result<SecretString, StoreError> {
    store.create_key(till(), "ada", now).await.map(|(_, key)| key)
}

/// A pet whose id is taken.
struct Taken;

impl Work for Taken {
    type Output = ();

    async fn run(&self, on: &Connection<'_>) -> Result<(), DatabaseError> {
        let again =
            "INSERT INTO pets (id, name, category_id, status, created_at) SELECT id, '', 0, status, 0 FROM pets";
        on.execute(again, &[]).await.map(drop)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_database_refuses_of_one_client_fails_nobody_else() {
    let (_directory, _url, store) = store().await;
    store.add(rex(), clock::now()).await.unwrap();
    let refused = join_all((0..8).map(|_| store.inner.database.write(Taken)));
    let (refused, added) = tokio::join!(refused, join_all((0..56).map(|_| store.add(rex(), clock::now()))));
    assert!(refused.iter().all(Result::is_err) && added.iter().all(Result::is_ok), "{refused:?} {added:?}");
}

#[tokio::test]
async fn no_pet_is_added_where_another_program_has_changed_the_schema_and_a_check_says_so() {
    for (change, what) in [
        (
            "CREATE TRIGGER gone AFTER INSERT ON pets BEGIN DELETE FROM pets WHERE id = NEW.id; END",
            "trigger gone was added",
        ),
        ("ALTER TABLE pets ADD COLUMN shelf TEXT NOT NULL DEFAULT ''", "table pets was changed"),
        ("CREATE UNIQUE INDEX once ON pets (name)", "index once was added"),
        ("CREATE VIEW cheap AS SELECT * FROM pets", "view cheap was added"),
        ("ALTER TABLE pets RENAME TO hidden; CREATE VIEW pets AS SELECT * FROM hidden", "table pets is missing"),
        ("DROP INDEX pets_by_status", "index pets_by_status is missing"),
    ] {
        let (directory, url, store) = store().await;
        store.add(rex(), clock::now()).await.unwrap();
        direct(&url).execute_batch(change).unwrap();
        for why in [store.ping().await.unwrap_err(), {
            let Err(StoreError::Unavailable(why)) = store.add(rex(), clock::now()).await else { panic!("{change}") };
            why
        }] {
            assert!(
                why.in_short().contains("was changed by another program") && why.in_short().contains(what),
                "{why:?}"
            );
            assert_eq!(why.kind(), FailureKind::Schema);
        }
        let (checked, quick) = (check(&url, false).await.unwrap(), check(&url, true).await.unwrap());
        for (problems, changed) in [(checked.problems, checked.changed), (quick.problems, quick.changed)] {
            assert!(problems.is_empty() && changed.unwrap().contains(what), "{change}");
        }
        store.close().await;
        // No damage: it can be backed up and restored.
        let [copy, other] = ["copy.db", "other.db"].map(|name| directory.path().join(name));
        let noted = backup(&url, &copy, CancellationToken::new()).await.unwrap();
        let other = DatabaseUrl::Sqlite(other);
        let restored = restore(&copy, &other, false, CancellationToken::new()).await.unwrap();
        assert_eq!((restored.pets, &restored.changed), (1, &noted), "{change}");
        assert!(noted.unwrap().contains(what), "{change}");
        // Pets can still be read, also after a restart.
        let again = Store::open(&url).await.unwrap();
        assert_eq!(again.list(&PetQuery::default()).await.unwrap().pets.len(), 1, "{change}");
        assert!(again.add(rex(), clock::now()).await.is_err(), "{change}");
    }
}

#[tokio::test]
async fn tables_of_others_and_statistics_are_left_alone() {
    let (_directory, url, store) = store().await;
    direct(&url).execute_batch("CREATE TABLE theirs (a UNIQUE); CREATE INDEX by_a ON theirs (a); ANALYZE").unwrap();
    store.add(rex(), clock::now()).await.unwrap();
    store.ping().await.unwrap();
    let checked = check(&url, false).await.unwrap();
    assert!(checked.problems.is_empty() && checked.changed.is_none());
}

#[tokio::test]
async fn a_file_with_a_second_name_is_refused_by_every_command() {
    let (directory, url, store) = store().await;
    store.add(rex(), clock::now()).await.unwrap();
    let DatabaseUrl::Sqlite(path) = &url else { unreachable!("a file") };
    let link = directory.path().join("link.db");
    std::fs::hard_link(path, &link).unwrap();
    let linked = DatabaseUrl::Sqlite(link);
    let copy = directory.path().join("copy.db");
    let cancel = CancellationToken::new;
    for why in [
        Store::open(&linked).await.unwrap_err().to_string(),
        check(&linked, false).await.unwrap_err().to_string(),
        backup(&linked, &copy, cancel()).await.unwrap_err().to_string(),
        restore(&directory.path().join("link.db"), &DatabaseUrl::Sqlite(copy), false, cancel())
            .await
            .unwrap_err()
            .to_string(),
    ] {
        assert!(why.contains("link.db has 2 names (hard links)"), "{why}");
    }
    std::fs::remove_file(directory.path().join("link.db")).unwrap();
    // A finished copy has nothing beside it.
    let [copy, linked, other] = ["copy.db", "daily.1.db", "other.db"].map(|name| directory.path().join(name));
    backup(&url, &copy, cancel()).await.unwrap();
    std::fs::hard_link(&copy, &linked).unwrap();
    restore(&linked, &DatabaseUrl::Sqlite(other), false, cancel()).await.unwrap();
    let linked = DatabaseUrl::Sqlite(linked);
    assert_eq!(check(&linked, false).await.unwrap().pets, 1);
    assert!(Store::open(&linked).await.is_err());
}

#[tokio::test]
async fn a_pipe_is_refused_instead_of_waited_for() {
    let (directory, url, store) = store().await;
    store.close().await;
    let pipe = directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let piped = DatabaseUrl::Sqlite(pipe.clone());
    let copy = directory.path().join("copy.db");
    let cancel = CancellationToken::new;
    for why in [
        Store::open(&piped).await.unwrap_err().to_string(),
        check(&piped, false).await.unwrap_err().to_string(),
        backup(&piped, &copy, cancel()).await.unwrap_err().to_string(),
        restore(&pipe, &url, true, cancel()).await.unwrap_err().to_string(),
        restore(&pipe, &DatabaseUrl::Sqlite(copy.clone()), false, cancel()).await.unwrap_err().to_string(),
        restore(&copy, &piped, true, cancel()).await.unwrap_err().to_string(),
    ] {
        assert!(why.contains("is not a regular file"), "{why}");
    }
}
