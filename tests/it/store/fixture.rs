//! A database of each kind, for one test.

use petstore::clock;
use petstore::model::NewPet;
use petstore::store::keys::{NewKey, Scopes};
use petstore::store::{DatabaseUrl, Idempotency, KeyId, Store};
use secrecy::SecretString;
use tempfile::TempDir;

use crate::postgres::{Server, server};

/// Where the list of checks is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Sqlite,
    Postgres,
    /// As PostgreSQL's kin may be: transactions are serializable, there are no advisory locks, and every third
    /// transaction that writes is refused at its COMMIT with 40001, the first one among them.
    Distributed,
    /// With a pooler in between, which keeps nothing of a session.
    Pooled,
}

pub struct Database {
    kind: Kind,
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
            return Some(Self { kind, url, name: String::new(), _directory: Some(directory) });
        }
        let server = server()?;
        let name = server.new_database();
        if kind == Kind::Distributed {
            server.sql("postgres", &format!("ALTER DATABASE {name} SET default_transaction_isolation = serializable"));
            server.sql(&name, REFUSE_ADVISORY_LOCKS);
        }
        let url = match kind {
            Kind::Pooled => format!("postgres://petstore@127.0.0.1:{}/{name}?pgbouncer=true", server.port()),
            _ => format!("postgres://petstore@127.0.0.1:{}/{name}", server.port()),
        };
        Some(Self { kind, url: url.parse().unwrap(), name, _directory: None })
    }

    /// Opens it, as one instance of the service does.
    pub async fn open(&self) -> Store {
        let store = Store::open(&self.url).await.unwrap();
        if self.kind == Kind::Distributed {
            self.server().sql(&self.name, REFUSE_COMMITS);
        }
        store
    }

    /// On the server, with these options.
    pub fn address(&self, options: &str) -> String {
        format!("postgres://petstore@127.0.0.1:{}/{}{options}", self.server().port(), self.name)
    }

    pub fn server(&self) -> &'static Server {
        server().unwrap()
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}

const REFUSE_ADVISORY_LOCKS: &str = "
    DO $$ DECLARE lock record; BEGIN
        FOR lock IN SELECT oid::regprocedure AS name FROM pg_proc WHERE proname ~ 'advisory' LOOP
            EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', lock.name);
        END LOOP;
    END $$";

/// A deferred trigger runs at COMMIT, once for each row; only the first row of a transaction counts. A sequence counts
/// on when its transaction is rolled back.
const REFUSE_COMMITS: &str = "
    DO $$ BEGIN
        IF EXISTS (SELECT FROM pg_class WHERE relname = 'commits') THEN RETURN; END IF;
        CREATE SEQUENCE commits;
        CREATE FUNCTION refuse_commit() RETURNS trigger SECURITY DEFINER LANGUAGE plpgsql AS $f$ BEGIN
            IF current_setting('test.counted', true) IS DISTINCT FROM txid_current()::text THEN
                PERFORM set_config('test.counted', txid_current()::text, true);
                IF nextval('commits') % 3 = 1 THEN
                    RAISE EXCEPTION 'restart transaction' USING ERRCODE = '40001';
                END IF;
            END IF;
            RETURN NULL;
        END $f$;
        CREATE CONSTRAINT TRIGGER refuse AFTER INSERT OR UPDATE ON pets DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION refuse_commit();
        CREATE CONSTRAINT TRIGGER refuse AFTER INSERT OR UPDATE ON api_keys DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION refuse_commit();
        CREATE CONSTRAINT TRIGGER refuse AFTER INSERT OR UPDATE ON idempotency_keys DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION refuse_commit();
    END $$";

pub fn rex() -> NewPet {
    NewPet { name: "Rex".into(), category_id: i64::MIN, status: None }
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
