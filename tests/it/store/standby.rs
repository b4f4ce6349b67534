//! A database server that does not commit as it should: its standby is gone, it is read-only, it acknowledges too early.

use crate::prelude::*;

use tokio_postgres::Client;

use super::fixture::{Database, Kind, fails, once, rex, till_key};
use super::list::all;
use crate::cli::fixture::{Lines, started};
use crate::instances::{Running, free_address, instance};
use crate::postgres::Server;
use crate::service::fixture::{Answer, JSON, exchange_at, until};

/// A server of its own, where nobody else waits for a standby.
struct Primary {
    server: Server,
    url: String,
    admin: Client,
}

impl Primary {
    async fn start() -> Option<Self> {
        let server = Server::of_its_own()?;
        let name = server.new_database();
        let url = format!("postgres://petstore@127.0.0.1:{}/{name}", server.port());
        let admin = server.admin(&name).await;
        Some(Self { server, url, admin })
    }

    async fn number(&self, sql: &str) -> i64 {
        self.admin.query_one(sql, &[]).await.unwrap().get(0)
    }

    /// How many commits wait for the standby.
    async fn waiting(&self) -> i64 {
        self.number("SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'").await
    }

    /// Has one of them wait no longer, as an operator may.
    async fn cancel_a_wait(&self) {
        until(async || self.waiting().await > 0).await;
        let cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        self.admin.batch_execute(cancel).await.unwrap();
    }
}

#[tokio::test]
async fn a_commit_whose_wait_for_its_standby_was_cancelled_is_not_acknowledged_and_nor_is_its_repeat() {
    let Some(primary) = Primary::start().await else { return };
    let open = async || Store::open(&primary.url.parse().unwrap()).await.unwrap();
    let (api_key, _) = till_key(&open().await).await;
    primary.server.lose_standby().await;
    // Each session knows it from its start.
    let store = open().await;

    let (lone, ()) = tokio::join!(store.add(rex(), clock::now()), primary.cancel_a_wait());
    fails(lone, FailureKind::UnknownOutcome);
    // Each of them is there to be read, and would be lost with its server.
    for _ in 0..3 {
        let (added, ()) = tokio::join!(add(&store, api_key, "k"), primary.cancel_a_wait());
        fails(added, FailureKind::UnknownOutcome);
        assert_eq!(all(&store).await.len(), 2);
    }
    let other = NewPet { category_id: 7, ..rex() };
    let mismatch = store.add_once(other, once(api_key, "k"), clock::now()).await;
    assert!(matches!(mismatch, Err(StoreError::IdempotencyMismatch)), "known without a commit: {mismatch:?}");

    primary.server.need_no_standby().await;
    until(async || add(&store, api_key, "k").await.is_ok_and(|added| added.replayed)).await;
    assert_eq!(all(&store).await.len(), 2);
}

async fn add(store: &Store, api_key: KeyId, key: &str) -> Result<CreateOutcome, StoreError> {
    store.add_once(rex(), Idempotency { api_key, key: key.into() }, clock::now()).await
}

#[tokio::test]
async fn a_trigger_that_warns_does_not_put_its_commits_in_doubt() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let store = database.open().await;
    let (api_key, _) = till_key(&store).await;
    let warn = "CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN RAISE WARNING 'an odd name'; RETURN NEW; END $$; \
        CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON pets DEFERRABLE INITIALLY DEFERRED \
        FOR EACH ROW EXECUTE FUNCTION warn()";
    database.server().sql(database.name(), warn);
    store.add(rex(), clock::now()).await.unwrap();
    add(&store, api_key, "k").await.unwrap();
}

#[tokio::test]
async fn serve_says_at_its_start_why_nothing_can_be_added() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    database.open().await.close().await;
    database.server().sql(database.name(), "REVOKE INSERT ON pets FROM petstore");
    let (_service, mut lines) = serve(&database.address(""));
    let why = lines.find(|line| line.contains("not ready")).unwrap();
    assert!(why.ends_with("no pets can be added: the role at the database lacks a privilege"), "{why}");
}

/// The real binary, and what it logs.
fn serve(database: &str) -> (Running, Lines) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_petstore"));
    command.args(["serve", "--listen", "127.0.0.1:0"]).env_clear().env("PETSTORE_DATABASE", database);
    command.stdin(Stdio::null());
    started(command)
}

/// An instance of the real binary, and a key for it.
struct Served {
    address: SocketAddr,
    key: SecretString,
    _running: Running,
}

impl Served {
    async fn start(url: &str) -> Self {
        let (_, key) = till_key(&Store::open(&url.parse().unwrap()).await.unwrap()).await;
        let address = free_address();
        let _running = instance(&address, url);
        Self { address: address.parse().unwrap(), key, _running }
    }

    async fn call(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let bearer = format!("Bearer {}", self.key.expose_secret());
        let headers = [headers, &[("Authorization", &bearer)]].concat();
        exchange_at(self.address, method, target, &headers, body.as_bytes()).await
    }

    async fn get(&self, target: &str) -> Answer {
        self.call("GET", target, &[], "").await
    }

    async fn add(&self, key: &str) -> Answer {
        let body = format!(r#"{{"name":"{key}","categoryId":1}}"#);
        self.call("POST", "/v1/pets", &[JSON, ("Idempotency-Key", key)], &body).await
    }

    async fn is_ready(&self) -> bool {
        self.get("/readyz").await.status == 204
    }

    async fn not_ready(&self, why: &str) {
        until(async || !self.is_ready().await).await;
        let answer = self.get("/readyz").await;
        answer.is_error(503, "storage_unavailable");
        assert!(answer.text().contains(&format!("Not ready: {why}")), "{}", answer.text());
        assert_eq!(self.get("/readyz?reads").await.status, 204);
        assert_eq!(self.get("/v1/pets").await.status, 200);
    }
}

#[tokio::test]
async fn while_commits_wait_for_a_standby_others_are_refused_and_lists_go_on() {
    let Some(primary) = Primary::start().await else { return };
    let served = Served::start(&primary.url).await;
    assert_eq!(served.add("before").await.status, 201);
    primary.server.lose_standby().await;

    let (doubted, ()) = tokio::join!(served.add("doubted"), primary.cancel_a_wait());
    doubted.is_error(503, "storage_unavailable");
    assert!(doubted.text().contains("may or may not have been added"), "{}", doubted.text());

    // Clients that give up after a moment, as each of them does that has a time limit.
    for number in 0..40 {
        let hasty = format!("hasty-{number}");
        let _ = timeout(Duration::from_millis(100), served.add(&hasty)).await;
    }
    served.not_ready("commits are waiting").await;
    let begun = clock::now().mono;
    for number in 0..20 {
        let refused = served.add(&format!("refused-{number}")).await;
        refused.is_error(503, "not_added");
        assert_eq!(refused.header("retry-after"), Some("1"));
        assert_eq!(served.get("/v1/pets").await.status, 200);
    }
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    // Of three groups, of one who came alone, of what nobody waits for, and of the one that finds out.
    assert!(primary.waiting().await <= 6, "{} commits wait", primary.waiting().await);

    primary.server.need_no_standby().await;
    until(async || primary.waiting().await == 0).await;
    until(async || served.is_ready().await).await;
    for key in ["after", "before", "doubted", "hasty-0", "refused-0"] {
        assert_eq!(served.add(key).await.status, 201, "{key}");
    }
    let twice = "SELECT COUNT(*) FROM (SELECT FROM pets GROUP BY name HAVING COUNT(*) > 1) AS twice";
    assert_eq!(primary.number(twice).await, 0);
}

#[tokio::test]
async fn a_database_that_has_become_read_only_is_not_ready_and_is_left_at_once_when_that_is_over() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let served = Served::start(&database.address("")).await;
    assert_eq!(served.add("before").await.status, 201);
    let (server, name) = (database.server(), database.name());
    server.sql("postgres", &format!("ALTER DATABASE {name} SET default_transaction_read_only = on"));
    let end = format!("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{name}'");
    server.sql("postgres", &end);
    served.not_ready("the database is read-only").await;
    served.add("meanwhile").await.is_error(503, "not_added");
    // The connection that this leaves open stays read-only; new ones are not.
    assert_eq!(served.get("/v1/pets").await.status, 200);
    server.sql("postgres", &format!("ALTER DATABASE {name} RESET default_transaction_read_only"));
    assert_eq!(served.add("after").await.status, 201);
    assert!(served.is_ready().await);
}

#[tokio::test]
async fn a_role_that_may_not_add_pets_is_not_ready() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let served = Served::start(&database.address("")).await;
    assert!(served.is_ready().await);
    database.server().sql(database.name(), "REVOKE INSERT ON pets FROM petstore");
    served.not_ready("the role at the database lacks a privilege").await;
    database.server().sql(database.name(), "GRANT INSERT ON pets TO petstore");
    assert!(served.is_ready().await);
}

#[tokio::test]
async fn readiness_of_a_service_where_nobody_adds_anything_leaves_nothing_behind() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let store = database.open().await;
    store.ping().await.unwrap();
    let admin = database.server().admin(database.name()).await;
    for table in ["pets", "idempotency_keys"] {
        let count = admin.query_one(&format!("SELECT COUNT(*) FROM {table}"), &[]).await.unwrap();
        assert_eq!(count.get::<_, i64>(0), 0, "{table}");
    }
    assert_eq!(store.add(rex(), clock::now()).await.unwrap().id, 1);
}

#[tokio::test]
async fn doctor_says_of_the_database_of_the_service_why_nothing_can_be_added() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    database.open().await.close().await;
    let home = tempfile::tempdir().unwrap();
    let doctor = |address: &str| {
        let mut doctor = Command::new(env!("CARGO_BIN_EXE_petstore"));
        doctor.arg("doctor").env_clear().env("HOME", home.path()).env("PETSTORE_DATABASE", address);
        let output = doctor.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let address = database.address("");
    let (status, out) = doctor(&address);
    assert!(status == Some(0) && out.contains("pets can be listed and added"), "{out}");
    database.server().sql(database.name(), "REVOKE INSERT ON pets FROM petstore");
    let (status, out) = doctor(&address);
    let why = "no pets can be added: the role at the database lacks a privilege";
    assert!(status == Some(1) && out.contains(why) && out.contains("fail  PETSTORE_DATABASE"), "{out}");
    let (status, out) = doctor("postgres://petstore:secret@127.0.0.1:1/pets");
    assert!(status == Some(1) && out.contains("no connection to") && !out.contains("secret"), "{out}");
    let (status, out) = doctor("mysql://petstore:secret@127.0.0.1/pets");
    assert!(status == Some(1) && out.contains("use sqlite:FILE or postgres:") && !out.contains("secret"), "{out}");
    let (status, out) = doctor(&format!("sqlite:{}/none.db", home.path().display()));
    assert!(status == Some(1) && out.contains("there is no database"), "{out}");
}

#[tokio::test]
async fn a_session_waits_for_the_disk_and_the_standby_before_it_acknowledges() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    drop(database.open().await);
    let (server, name) = (database.server(), database.name());
    // What each commit was like, as the database saw it.
    let note = "CREATE TABLE commits (how TEXT NOT NULL); GRANT ALL ON commits TO petstore; \
        CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN INSERT INTO commits VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$; \
        CREATE TRIGGER note BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION note()";
    server.sql(name, note);
    let admin = server.admin(name).await;
    for (set, kept) in [
        ("off", "on"),
        ("local", "on"),
        ("on", "on"),
        ("remote_write", "remote_write"),
        ("remote_apply", "remote_apply"),
    ] {
        server.sql(name, &format!("TRUNCATE commits; ALTER DATABASE {name} SET synchronous_commit = {set}"));
        database.open().await.add(rex(), clock::now()).await.unwrap();
        let how: String = admin.query_one("SELECT how FROM commits", &[]).await.unwrap().get(0);
        assert_eq!(how, kept, "{set}");
    }
}

#[tokio::test]
async fn serve_warns_of_a_server_that_does_not_sync_its_disk() {
    // That of the tests does not, which saves their time.
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let (_service, lines) = serve(&database.address(""));
    let before: Vec<_> = lines.take_while(|line| !line.starts_with("listening on")).collect();
    assert!(before.iter().any(|line| line.contains("fsync is off")), "{before:?}");
}

#[tokio::test]
async fn a_server_that_warns_without_end_is_logged_in_a_few_short_lines() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let (_, key) = till_key(&database.open().await).await;
    let warn = "CREATE FUNCTION warn() RETURNS trigger SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN \
        PERFORM pg_cancel_backend(999999) FROM generate_series(1, 20000); RETURN NEW; END $$; \
        CREATE TRIGGER warn BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION warn()";
    database.server().sql(database.name(), warn);
    let (mut service, mut lines) = serve(&database.address(""));
    let address =
        lines.find_map(|line| Some(line.strip_prefix("listening on http://")?.strip_suffix("/v1")?.to_owned()));
    let bearer = format!("Bearer {}", key.expose_secret());
    let headers = [JSON, ("Authorization", &*bearer)];
    let body = REX.as_bytes();
    let begun = clock::now().mono;
    exchange_at(address.unwrap().parse().unwrap(), "POST", "/v1/pets", &headers, body).await;
    let seconds = clock::now().mono.duration_since(begun).as_secs() as usize;
    service.signal(Signal::TERM);
    service.0.wait().unwrap();
    let warned: Vec<_> = lines.filter(|line| line.contains("the database server warns")).collect();
    assert!((1..=seconds + 2).contains(&warned.len()), "{} lines in {seconds} s", warned.len());
}
