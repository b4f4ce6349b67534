//! A database of each kind, for one test.

use crate::prelude::*;

use std::fmt::Debug;

use petstore::store::AddedPet;

use crate::postgres::{Server, server};

/// Where the list of checks is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Sqlite,
    Postgres,
    /// PostgreSQL where transactions are serializable, so that it refuses some in favour of others.
    Serializable,
}

pub struct Database {
    pub url: DatabaseUrl,
    /// The name on the server.
    name: String,
    _directory: Option<TempDir>,
}

impl Database {
    /// Nothing where there is no server to have it on.
    pub fn new(kind: Kind) -> Option<Self> {
        if kind == Kind::Sqlite {
            let directory = tempfile::tempdir().unwrap();
            let url = DatabaseUrl::Sqlite(directory.path().join("new/store.db"));
            return Some(Self { url, name: String::new(), _directory: Some(directory) });
        }
        let server = server()?;
        let name = server.new_database();
        if kind == Kind::Serializable {
            server.sql("postgres", &format!("ALTER DATABASE {name} SET default_transaction_isolation = serializable"));
        }
        let url = format!("postgres://petstore@127.0.0.1:{}/{name}", server.port());
        Some(Self { url: url.parse().unwrap(), name, _directory: None })
    }

    /// Opens it, as one instance of the service does.
    pub async fn open(&self) -> Store {
        Store::open(&self.url).await.unwrap()
    }

    /// On the server, with these options.
    pub fn address(&self, options: &str) -> String {
        format!("postgres://petstore@127.0.0.1:{}/{}{options}", self.server().port(), self.name)
    }

    /// What was done to keys, oldest first: when, what, to which key and by whom.
    pub async fn key_events(&self) -> Vec<(i64, String, String, String)> {
        let sql = "SELECT at, action, api_key_id, actor FROM key_events ORDER BY at, id";
        if let DatabaseUrl::Sqlite(path) = &self.url {
            let connection = rusqlite::Connection::open(path).unwrap();
            let mut events = connection.prepare(sql).unwrap();
            let event = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
            return events.query_map([], event).unwrap().map(Result::unwrap).collect();
        }
        let events = self.server().admin(&self.name).await.query(sql, &[]).await.unwrap();
        events.iter().map(|row| (row.get(0), row.get(1), row.get(2), row.get(3))).collect()
    }

    pub fn server(&self) -> &'static Server {
        server().unwrap()
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The pets that were added after this one, at most 500.
pub async fn added_after(store: &Store, pet: PetId) -> Vec<AddedPet> {
    store.news_after(Position { pet, change: 0 }, 500).await.unwrap().pets
}

pub fn rex() -> NewPet {
    NewPet { name: "Rex".into(), category_id: i64::MIN, status: None }
}

/// That it failed in this way.
#[track_caller]
pub fn fails<T: Debug>(outcome: Result<T, StoreError>, kind: FailureKind) {
    let failed = matches!(&outcome, Err(StoreError::Unavailable(StoreFailure::Kind(found))) if *found == kind);
    assert!(failed, "{outcome:?} is not {kind:?}");
}

pub fn till() -> NewKey {
    NewKey { name: "till".into(), scopes: Scopes::default(), expires_at: None }
}

pub async fn till_key(store: &Store) -> (KeyId, SecretString) {
    store.create_key(till(), "ada", clock::now()).await.unwrap()
}

/// The Idempotency-Key `key` of an API key.
pub fn once(api_key: KeyId, key: &str) -> Idempotency {
    Idempotency { api_key, key: key.into() }
}
