//! A database of an earlier version: its pets stay as they are, and say that it was not recorded who added them.

use crate::prelude::*;

use petstore::model::Provenance;
use petstore::store::backup;

use super::fixture::{Database, Kind, added_after, rex, till_key};

/// What the version before the column made, with a pet in it that was added at the second 1700000000.
macro_rules! earlier {
    ($kind:literal, $($name:literal),*) => {
        concat!($(include_str!(concat!("../../../assets/migrations/", $kind, "/", $name, ".sql")),)*
            "INSERT INTO pets (name, category_id, status, created_at) VALUES ('Old', 1, 'sold', 1700000000);")
    };
}

const SQLITE: &str = earlier!(
    "sqlite",
    "0001_pets",
    "0002_pets_by_status",
    "0003_api_keys",
    "0004_idempotency_keys",
    "0005_idempotency_keys_by_age",
    "0006_key_events"
);
const POSTGRES: &str = earlier!(
    "postgres",
    "0001_pets",
    "0002_pets_by_status",
    "0003_api_keys",
    "0004_idempotency_keys",
    "0005_idempotency_keys_by_age",
    "0006_key_events",
    "0007_pet_turn"
);

async fn says_what_was_recorded(store: &Store) {
    let old = store.provenance(1).await.unwrap().unwrap();
    assert_eq!(old, Provenance { added_at: Some("2023-11-14T22:13:20Z".parse().unwrap()), added_by: None });
    let (key, _) = till_key(store).await;
    let new = store.add_by(rex(), Some(key), clock::now()).await.unwrap();
    let recorded = store.provenance(new.id).await.unwrap().unwrap();
    assert_eq!(recorded.added_by.unwrap().key, key.to_string());
}

#[tokio::test]
async fn an_earlier_sqlite_file_is_upgraded_and_says_that_it_was_not_recorded_who_added_its_pets() {
    let database = Database::new(Kind::Sqlite).unwrap();
    let DatabaseUrl::Sqlite(path) = &database.url else { unreachable!("a file") };
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let earlier = rusqlite::Connection::open(path).unwrap();
    earlier.execute_batch(&format!("{SQLITE} PRAGMA user_version = 6;")).unwrap();
    drop(earlier);
    let store = database.open().await;
    says_what_was_recorded(&store).await;
    let recorded = added_after(&store, 0).await;
    store.close().await;
    let copy = path.with_file_name("copy.db");
    backup(&database.url, &copy, CancellationToken::new()).await.unwrap();
    let copy = Store::open(&DatabaseUrl::Sqlite(copy)).await.unwrap();
    assert_eq!(added_after(&copy, 0).await, recorded);
}

#[tokio::test]
async fn an_earlier_postgresql_database_is_upgraded_without_being_rewritten() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let versions = "CREATE TABLE schema_versions (version BIGINT PRIMARY KEY); \
        INSERT INTO schema_versions SELECT generate_series(1, 7);";
    database.server().sql(database.name(), &format!("SET ROLE petstore; {POSTGRES} {versions}"));
    let admin = database.server().admin(database.name()).await;
    let file = async || -> u32 { admin.query_one("SELECT pg_relation_filenode('pets')", &[]).await.unwrap().get(0) };
    let before = file().await;
    let store = database.open().await;
    assert_eq!(file().await, before, "the same file, not a new one with all rows");
    says_what_was_recorded(&store).await;
    // An instance of that version goes on beside this one.
    let older = "INSERT INTO pets (name, category_id, status, created_at) VALUES ('Older', 1, 'sold', 0)";
    database.server().sql(database.name(), older);
    assert_eq!(added_after(&store, 2).await[0].provenance, Provenance::default());
}
