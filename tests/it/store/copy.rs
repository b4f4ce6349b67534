//! A whole store from one database to another.

use crate::prelude::*;

use std::collections::HashSet;

use petstore::store::{CopyError, CopyProgress, CopySummary, copy};
use rusqlite::OpenFlags;

use super::fixture::{Database, Kind, added_after, once, rex, till, till_key};
use super::list::all;
use super::proxy::{Line, Proxy};

/// More than go over in one transaction.
const MANY: usize = 12_345;

#[track_caller]
fn differs(copied: Result<CopySummary, CopyError>, table: &str) {
    let refused = copied.unwrap_err().to_string();
    let why = format!(" has {table} that are not those of the store: choose an empty database");
    assert!(refused.ends_with(&why), "{refused}");
}

async fn copied(from: &DatabaseUrl, to: &DatabaseUrl) -> Result<CopySummary, CopyError> {
    copy(from, to, &CopyProgress::default(), &CancellationToken::new()).await
}

/// A closed store with many pets.
async fn filled(database: &Database) -> Vec<Pet> {
    let store = database.open().await;
    store.insert_samples(MANY, clock::now()).await.unwrap();
    let pets = all(&store).await;
    store.close().await;
    pets
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_goes_over_and_back() {
    for (from, to) in [
        (Kind::Sqlite, Kind::Postgres),
        (Kind::Postgres, Kind::Sqlite),
        (Kind::Sqlite, Kind::Sqlite),
        (Kind::Sqlite, Kind::Serializable),
    ] {
        let (Some(from), Some(to)) = (Database::new(from), Database::new(to)) else { return };
        let pets = filled(&from).await;
        let store = from.open().await;
        let (api_key, key) = till_key(&store).await;
        let (revoked, _) = till_key(&store).await;
        store.revoke_key(revoked, "ada", clock::now()).await.unwrap();
        let late = store.add_once(rex(), once(api_key, "k"), clock::now()).await.unwrap();
        store.set_provenance(false);
        let unrecorded = store.add_by(rex(), Some(api_key), clock::now()).await.unwrap();
        let last = added_after(&store, late.pet.id - 2).await;
        let (keys, events) = (store.list_keys().await.unwrap(), from.key_events().await);
        store.close().await;
        if to.url.to_string().starts_with("postgres") {
            to.open().await.close().await;
        }

        let there = pets.len() as u64 + 2;
        assert_eq!(copied(&from.url, &to.url).await.unwrap(), CopySummary { added: there, pets: there });
        let copy = to.open().await;
        let pets: Vec<Pet> = pets.into_iter().chain([late.pet.clone(), unrecorded]).collect();
        assert!(all(&copy).await == pets);
        assert_eq!(added_after(&copy, late.pet.id - 2).await, last);
        let keys_of = last.iter().filter_map(|added| added.provenance.added_by.as_ref());
        assert_eq!(keys_of.map(|by| &by.key).collect::<Vec<_>>(), [&api_key.to_string()]);
        assert_eq!((copy.list_keys().await.unwrap(), to.key_events().await), (keys, events));
        assert!(copy.verify_key(key.expose_secret(), clock::now()).await.unwrap().is_some());
        let repeated = copy.add_once(rex(), once(api_key, "k"), clock::now()).await.unwrap();
        assert_eq!((repeated.replayed, &repeated.pet), (true, &late.pet));
        let ids: HashSet<_> = pets.iter().map(|pet| pet.id).collect();
        assert!(!ids.contains(&copy.add(rex(), clock::now()).await.unwrap().id));
        copy.create_key(till(), "ada", clock::now()).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_whose_end_is_not_known_is_verified_by_the_next() {
    let (Some(from), Some(to)) = (Database::new(Kind::Sqlite), Database::new(Kind::Postgres)) else { return };
    let pets = filled(&from).await;
    to.open().await.close().await;
    let proxy = Proxy::start(to.server().port()).await;
    let over_a_line = format!("postgres://petstore@127.0.0.1:{}/{}", proxy.port, to.name()).parse().unwrap();
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let stopped = copy(&from.url, &to.url, &CopyProgress::default(), &cancelled).await;
    assert!(matches!(stopped, Err(CopyError::Cancelled)));
    assert!(all(&to.open().await).await.is_empty());

    proxy.set(Line::LosesAnswerTo("COMMIT"));
    let failed = copied(&from.url, &over_a_line).await.unwrap_err().to_string();
    assert!(failed.starts_with("cannot copy to ") && failed.ends_with(": run the same command again"), "{failed}");
    proxy.set(Line::Whole);
    let progress = CopyProgress::default();
    let done = copy(&from.url, &over_a_line, &progress, &CancellationToken::new()).await.unwrap();
    assert_eq!(done, CopySummary { added: 0, pets: MANY as u64 });
    assert_eq!(progress.counts(), [MANY as u64; 2]);
    assert!(all(&to.open().await).await == pets);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_with_other_pets_is_refused_and_left_as_it_is() {
    for to in [Kind::Sqlite, Kind::Postgres] {
        let (Some(from), Some(to)) = (Database::new(Kind::Sqlite), Database::new(to)) else { return };
        filled(&from).await;
        let other = to.open().await;
        let rex = other.add(rex(), clock::now()).await.unwrap();
        differs(copied(&from.url, &to.url).await, "pets");
        assert_eq!(all(&other).await, [rex]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_that_are_not_of_the_store_are_found_at_the_end() {
    let (Some(from), Some(to)) = (Database::new(Kind::Sqlite), Database::new(Kind::Sqlite)) else { return };
    filled(&from).await;
    copied(&from.url, &to.url).await.unwrap();
    till_key(&to.open().await).await;
    differs(copied(&from.url, &to.url).await, "API keys");
}

#[tokio::test]
async fn what_cannot_be_copied_is_reported_before_anything_is_made() {
    let directory = tempfile::tempdir().unwrap();
    let url = |name: &str| DatabaseUrl::Sqlite(directory.path().join(name));
    assert!(matches!(copied(&url("a.db"), &url("a.db")).await, Err(CopyError::Same)));
    assert!(matches!(copied(&url("a.db"), &url("b.db")).await, Err(CopyError::Store(_))));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    Store::open(&url("a.db")).await.unwrap().close().await;
    assert_eq!(copied(&url("a.db"), &url("b.db")).await.unwrap(), CopySummary { added: 0, pets: 0 });
}

/// The real binary with nothing in its environment.
fn petstore(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstore"));
    command.args(arguments).env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// How many pets the target of a copy has, whether or not it may be used; nothing where there is no table yet.
async fn pets_at(to: &Database) -> Option<i64> {
    const COUNT: &str = "SELECT COUNT(*) FROM pets";
    match &to.url {
        DatabaseUrl::Sqlite(path) => {
            let file = rusqlite::Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
            file.query_row(COUNT, [], |row| row.get(0)).ok()
        }
        DatabaseUrl::Postgres(_) => {
            let admin = to.server().admin(to.name()).await;
            Some(admin.query_one(COUNT, &[]).await.ok()?.get(0))
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_that_was_killed_has_left_nothing_and_is_made_when_the_command_is_given_again() {
    for to in [Kind::Sqlite, Kind::Postgres] {
        let (Some(from), Some(to)) = (Database::new(Kind::Sqlite), Database::new(to)) else { return };
        let store = from.open().await;
        store.insert_samples(60_000, clock::now()).await.unwrap();
        store.close().await;
        let (from, url) = (from.url.to_string(), to.url.to_string());
        let copy = || petstore(&["database", "copy", "--from", &from, "--to", &url]);

        let mut killed = copy().spawn().unwrap();
        while pets_at(&to).await.is_none() {}
        killed.kill().unwrap();
        killed.wait().unwrap();
        assert_eq!(pets_at(&to).await, Some(0), "it was not killed in time");
        let migrated = petstore(&["database", "migrate"]).env("PETSTORE_DATABASE", &url).output().unwrap();
        assert_eq!(migrated.status.code(), Some(0), "{}", String::from_utf8_lossy(&migrated.stderr));

        let output = copy().output().unwrap();
        let said = str::from_utf8(&output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert_eq!(said, format!("copied 60000 pets from {from} to {url}, which now has 60000 pets, all verified\n"));
        assert!(all(&Store::open(&from.parse().unwrap()).await.unwrap()).await == all(&to.open().await).await);
    }
}

#[tokio::test]
async fn an_unfinished_copy_of_an_earlier_version_is_refused() {
    for kind in [Kind::Sqlite, Kind::Postgres] {
        let Some(to) = Database::new(kind) else { return };
        to.open().await.close().await;
        match &to.url {
            DatabaseUrl::Sqlite(path) => {
                let file = rusqlite::Connection::open(path).unwrap();
                file.pragma_update(None, "user_version", 1_000_000).unwrap();
            }
            DatabaseUrl::Postgres(_) => {
                to.server().sql(to.name(), "INSERT INTO schema_versions VALUES (1000000)");
            }
        }
        for refused in [Store::open(&to.url).await, Store::open_existing(&to.url).await] {
            let refused = refused.unwrap_err().to_string();
            assert!(
                refused.ends_with("is an unfinished copy of an earlier petstore: copy to an empty database"),
                "{refused}"
            );
        }
    }
}

#[test]
fn the_command_says_what_stands_against_a_copy() {
    let directory = tempfile::tempdir().unwrap();
    let file = format!("sqlite:{}/store.db", directory.path().display());
    for (from, to, status, says) in [
        (file.as_str(), file.as_str(), 2, "onto itself"),
        (&file, "sqlite:other.db", 1, "there is no database"),
        ("postgres://ada:secret@127.0.0.1:1/pets", &file, 1, "no connection to postgres://ada@127.0.0.1:1/pets: "),
    ] {
        let output = petstore(&["database", "copy", "--from", from, "--to", to]).output().unwrap();
        let said = str::from_utf8(&output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{said}");
        assert!(said.starts_with("petstore: ") && said.contains(says) && !said.contains("secret"), "{said}");
    }
}

#[test]
fn migrate_makes_the_tables_and_keys_are_made_there_without_a_word_of_the_password() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let url = database.url.to_string().replace("petstore@", "petstore:secret@");
    let run = |arguments: &[&str]| {
        let output = petstore(arguments).env("PETSTORE_DATABASE", &url).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!said.contains("secret"), "{said}");
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), said)
    };
    let (status, _, said) = run(&["keys", "list"]);
    assert!(status == Some(1) && said.contains("run petstore database migrate"), "{said}");
    for _ in 0..2 {
        let (status, _, said) = run(&["database", "migrate"]);
        assert!(status == Some(0) && said.ends_with(" is up to date\n"), "{said}");
    }
    let (status, key, _) = run(&["keys", "create", "--name", "till"]);
    assert!(status == Some(0) && key.starts_with("petk_"), "{key}");
    assert!(run(&["keys", "list"]).1.contains("till"));
}
