//! What only a database server brings with it: connections that are lost, transactions that are refused, other
//! instances.

use crate::prelude::*;

use std::net::{TcpListener, TcpStream};

use futures_util::future::join;
use petstore::model::text::safe_causes;
use petstore::store::ChangeOutcome;

use super::fixture::{Database, Kind, added_after, fails, once, rex, till_key};
use super::list::all;
use super::proxy::{Line, Proxy};
use crate::instances::Running;
use crate::postgres::{as_owner, server};
use crate::service::fixture::until;
use crate::skipped::skipped;

/// An instance, with a line to its database that can be cut.
async fn over_a_line(database: &Database) -> (Proxy, Store) {
    let proxy = Proxy::start(database.server().port()).await;
    let url = format!("postgres://petstore@127.0.0.1:{}/{}", proxy.port, database.name());
    let store = Store::open(&url.parse().unwrap()).await.unwrap();
    (proxy, store)
}

fn ada() -> NewPet {
    NewPet { name: "Ada".into(), ..rex() }
}

async fn count_of_ada(store: &Store) -> usize {
    all(store).await.iter().filter(|pet| pet.name == "Ada").count()
}

/// Adds Ada between BEGIN and COMMIT: of callers that come at once the first goes alone at most, and the others share a
/// transaction.
async fn add_in_transaction(store: &Store, idempotency: Idempotency) -> Result<CreateOutcome, StoreError> {
    let Idempotency { api_key, key } = &idempotency;
    let beside = (0..3).map(|number| store.add_once(rex(), once(*api_key, &format!("{key} {number}")), clock::now()));
    // They are polled in this order.
    join(join_all(beside), store.add_once(ada(), idempotency.clone(), clock::now())).await.1
}

#[tokio::test]
async fn a_commit_whose_answer_got_lost_is_not_repeated_and_its_key_settles_it() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let (proxy, store) = over_a_line(&database).await;
    let (api_key, _) = till_key(&store).await;
    // A connection that knows the statements sends all of them and the COMMIT at once.
    let lines = [
        (Line::LosesAnswerTo("COMMIT"), false),
        (Line::LosesAnswerTo("COMMIT"), true),
        (Line::LosesAnswersFrom("BEGIN"), true),
    ];
    for (number, (line, is_known)) in lines.into_iter().enumerate() {
        // They take turns.
        for round in 0..if is_known { 10 } else { 0 } {
            add_in_transaction(&store, once(api_key, &format!("before {number} {round}"))).await.unwrap();
        }
        let (key, before) = (once(api_key, &format!("lost {number}")), count_of_ada(&store).await);
        proxy.set(line);
        let lost = add_in_transaction(&store, key.clone()).await;
        fails(lost, FailureKind::UnknownOutcome);
        proxy.set(Line::Whole);
        let repeated = add_in_transaction(&store, key).await.unwrap();
        assert!(repeated.replayed && repeated.pet.name == "Ada", "{number}: {repeated:?}");
        assert_eq!(count_of_ada(&store).await, before + 1, "{number}");
    }
}

#[tokio::test]
async fn a_lone_add_whose_answer_got_lost_is_not_repeated() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let (proxy, store) = over_a_line(&database).await;
    // The value that goes to a prepared statement can be seen on the line, and the first word of the answer.
    let ada = || NewPet { name: "INSERT Ada".into(), ..rex() };
    proxy.set(Line::LosesAnswerTo("INSERT Ada"));
    let lost = store.add(ada(), clock::now()).await;
    fails(lost, FailureKind::UnknownOutcome);
    proxy.set(Line::Whole);
    let (api_key, _) = till_key(&store).await;
    proxy.set(Line::LosesAnswerTo("INSERT Ada"));
    let lost = store.add_once(ada(), once(api_key, "k"), clock::now()).await;
    fails(lost, FailureKind::UnknownOutcome);
    proxy.set(Line::Whole);
    assert!(store.add_once(ada(), once(api_key, "k"), clock::now()).await.unwrap().replayed);
    assert_eq!(all(&store).await.len(), 2);
}

#[tokio::test]
async fn what_the_database_refuses_of_one_client_fails_nobody_else() {
    for kind in [Kind::Postgres, Kind::Serializable] {
        let Some(database) = Database::new(kind) else { return };
        let store = database.open().await;
        // As a database may that cannot hold every name.
        database.server().sql(database.name(), "ALTER TABLE pets ADD CHECK (name <> 'odd')");
        // Later on the connections know the statements.
        for round in 1..=3 {
            let adds = (0..64).map(|number| {
                let name = if number % 8 == 0 { "odd" } else { "Rex" };
                store.add(NewPet { name: name.into(), ..rex() }, clock::now())
            });
            let added = join_all(adds).await;
            for (number, added) in added.iter().enumerate() {
                assert_eq!(added.is_ok(), number % 8 != 0, "{kind:?} {number}: {added:?}");
            }
            assert_eq!(all(&store).await.len(), 56 * round, "{kind:?}");
        }
    }
}

/// A pooler in front of the database, and its port.
async fn pooler(database: &Database, directory: &TempDir, settings: &str) -> Option<(Running, u16)> {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (users, log) = (directory.path().join("users"), directory.path().join("log"));
    fs::write(&users, "\"petstore\" \"\"\n").unwrap();
    let file = directory.path().join("pgbouncer.ini");
    let text = format!(
        "[databases]\n* = host=127.0.0.1 port={}\n[pgbouncer]\n{settings}\n\
         listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = trust\nauth_file = {}\n\
         logfile = {}\n",
        database.server().port(),
        users.display(),
        log.display()
    );
    fs::write(&file, text).unwrap();
    let running = Running::start(as_owner("pgbouncer", directory.path()).arg(&file))?;
    until(async || TcpStream::connect(("127.0.0.1", port)).is_ok()).await;
    Some((running, port))
}

const NO_POOLER: &str = "there is no pgbouncer (Debian: apt-get install pgbouncer)";
const REMEDY: &str = "it must be PgBouncer 1.21 or later with max_prepared_statements, and with \
    ignore_startup_parameters = options";

#[tokio::test]
async fn a_pooler_that_cannot_serve_is_refused_with_the_remedy() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let directory = tempfile::tempdir().unwrap();
    let url = |port: u16| format!("postgres://petstore@127.0.0.1:{port}/{}", database.name());
    let settings = "pool_mode = transaction\nignore_startup_parameters = extra_float_digits";
    let Some((strict, port)) = pooler(&database, &directory, settings).await else { return skipped(NO_POOLER) };
    let refused = Store::open(&url(port).parse().unwrap()).await.unwrap_err();
    assert!(safe_causes(&refused).contains(REMEDY), "{refused:?}");
    drop(strict);

    // Without prepared statements: this version has none, or none are allowed.
    let settings = "pool_mode = transaction\ndefault_pool_size = 2\nignore_startup_parameters = options";
    let Some((_pooler, port)) = pooler(&database, &directory, settings).await else { return skipped(NO_POOLER) };
    let store = Store::open(&url(port).parse().unwrap()).await.unwrap();
    store.add(rex(), clock::now()).await.unwrap();
    // Takes the connection on which the statement was prepared.
    let (other, connection) = tokio_postgres::connect(&url(port), NoTls).await.unwrap();
    tokio::spawn(connection);
    other.batch_execute("BEGIN").await.unwrap();
    let why = safe_causes(&store.add(rex(), clock::now()).await.unwrap_err());
    assert!(why.contains(REMEDY), "{why}");
}

/// As PgBouncer 1.21 does: here each client keeps its session, and with it what is prepared in it.
#[tokio::test]
async fn behind_a_pooler_that_keeps_what_is_prepared_pets_are_added_and_followed() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let directory = tempfile::tempdir().unwrap();
    let settings = "pool_mode = session\ndefault_pool_size = 40\nignore_startup_parameters = options";
    let Some((_pooler, port)) = pooler(&database, &directory, settings).await else { return skipped(NO_POOLER) };
    let url = format!("postgres://petstore@127.0.0.1:{port}/{}", database.name()).parse().unwrap();
    let (one, other) = (Store::open(&url).await.unwrap(), Store::open(&url).await.unwrap());
    let (api_key, _) = till_key(&one).await;
    let mut additions = other.additions();
    for number in 0..3 {
        let added = add_in_transaction(&one, once(api_key, &number.to_string())).await.unwrap();
        assert!(
            !added.replayed && add_in_transaction(&one, once(api_key, &number.to_string())).await.unwrap().replayed
        );
        until(async || {
            additions.changed().await;
            added_after(&other, added.pet.id - 1).await.len() == 1
        })
        .await;
    }
    one.ping().await.unwrap();
    // What cannot be set in a session of others.
    let weak = format!("ALTER DATABASE {} SET synchronous_commit = off", database.name());
    database.server().sql("postgres", &weak);
    database.server().sql(
        "postgres",
        &format!("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{}'", database.name()),
    );
    let refused = Store::open(&url).await.unwrap_err();
    let why = "has synchronous_commit = off, which can lose acknowledged pets, and petstore cannot change it behind a pooler: \
               run ALTER ROLE";
    assert!(refused.to_string().contains(why), "{refused}");
}

#[tokio::test]
async fn a_database_that_cannot_hold_every_name_is_refused() {
    let Some(server) = server() else { return };
    let create =
        "CREATE DATABASE latin OWNER petstore ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0";
    server.sql("postgres", create);
    let url = format!("postgres://petstore@127.0.0.1:{}/latin", server.port());
    let refused = Store::open(&url.parse().unwrap()).await.unwrap_err().to_string();
    assert!(
        refused.ends_with("/latin has the encoding LATIN1: create one with ENCODING 'UTF8' TEMPLATE template0"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_connection_lost_before_the_commit_adds_nothing() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let (proxy, store) = over_a_line(&database).await;
    let (api_key, _) = till_key(&store).await;
    proxy.set(Line::LosesAnswerTo("BEGIN"));
    // The connection does not know the statements yet, so that no COMMIT is sent before they are answered.
    let lost = add_in_transaction(&store, once(api_key, "k")).await;
    assert!(matches!(lost, Err(StoreError::Unavailable(_))), "{lost:?}");
    proxy.set(Line::Whole);
    assert_eq!(count_of_ada(&store).await, 0);
    assert!(!add_in_transaction(&store, once(api_key, "k")).await.unwrap().replayed);
}

/// The till gives up the instance that is cut off, and hears at another one that somebody was faster. What it hears holds,
/// also once the first one goes on and the pet is as it was.
#[tokio::test]
async fn a_change_that_was_refused_at_one_instance_is_not_made_later_by_another() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let (proxy, cut_off) = over_a_line(&database).await;
    let store = database.open().await;
    let (key, _) = till_key(&store).await;
    let pet = store.add(rex(), clock::now()).await.unwrap();
    let patch = |from: PetStatus, to: PetStatus| {
        let [seen, wanted] = [from, to].map(|status| Pet { status: Some(status.into()), ..pet.clone() });
        PetPatch::between(&seen, &wanted)
    };
    let sale = || (pet.id, patch(PetStatus::Available, PetStatus::Pending), Some(once(key, "sale")));
    proxy.set(Line::Cut);
    let (id, sell, sold_once) = sale();
    let late = tokio::spawn(async move { cut_off.change(id, sell, sold_once, key, clock::now()).await });
    let change = async |from, to| store.change(id, patch(from, to), None, key, clock::now()).await.unwrap();
    change(PetStatus::Available, PetStatus::Sold).await;
    let sold = Pet { status: Some(PetStatus::Sold.into()), ..pet.clone() };
    let ask = async || {
        let (id, sell, once) = sale();
        store.change(id, sell, once, key, clock::now()).await.unwrap()
    };
    assert_eq!(ask().await, ChangeOutcome::Refused(sold.clone()));
    change(PetStatus::Sold, PetStatus::Available).await;
    proxy.set(Line::Whole);
    assert_eq!(late.await.unwrap().unwrap(), ChangeOutcome::Refused(pet.clone()));
    assert_eq!(all(&store).await, std::slice::from_ref(&pet));
    // Nor where it is asked for again, while another request with this key is still another one.
    assert_eq!(ask().await, ChangeOutcome::Refused(pet.clone()));
    let other = patch(PetStatus::Available, PetStatus::Sold);
    let other = store.change(id, other, Some(once(key, "sale")), key, clock::now()).await;
    assert!(matches!(other, Err(StoreError::IdempotencyMismatch)), "{other:?}");
}

#[tokio::test]
async fn a_frozen_server_is_given_up_and_used_again_when_it_thaws() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let (proxy, store) = over_a_line(&database).await;
    let (api_key, _) = till_key(&store).await;
    store.list(&PetQuery::default()).await.unwrap();
    proxy.set(Line::Frozen);
    let (begun, query) = (clock::now().mono, PetQuery::default());
    let (listed, added, once_added) = tokio::join!(
        store.list(&query),
        store.add(rex(), clock::now()),
        store.add_once(rex(), once(api_key, "k"), clock::now())
    );
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert!(matches!(listed, Err(StoreError::Unavailable(StoreFailure::Kind(FailureKind::Timeout)))), "{listed:?}");
    assert!(matches!(added, Err(StoreError::Unavailable(_))), "{added:?}");
    assert!(matches!(once_added, Err(StoreError::Unavailable(_))), "{once_added:?}");
    proxy.set(Line::Whole);
    let before = all(&store).await.len();
    store.add_once(rex(), once(api_key, "k"), clock::now()).await.unwrap();
    assert!(all(&store).await.len() <= before + 1);
}

#[tokio::test]
async fn connections_that_the_server_has_closed_are_replaced() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let store = database.open().await;
    for _ in 0..3 {
        store.add(rex(), clock::now()).await.unwrap();
        let end = format!(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{}' AND usename = 'petstore'",
            database.name()
        );
        database.server().sql("postgres", &end);
        // Who comes in the moment in which this is found out may be told so; nobody after that.
        let mut refused = 0;
        while let Err(error) = store.list(&PetQuery::default()).await {
            assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
            refused += 1;
            assert!(refused < 10);
        }
    }
}

/// Has every transaction that adds a pet refused at its end, and counts them.
const REFUSE: &str = "
    CREATE SEQUENCE tries;
    CREATE FUNCTION refuse() RETURNS trigger SECURITY DEFINER LANGUAGE plpgsql AS $f$ BEGIN
        PERFORM nextval('tries');
        RAISE EXCEPTION 'no' USING ERRCODE = 'SQLSTATE';
    END $f$;
    CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON pets DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION refuse()";

#[tokio::test]
async fn a_write_for_which_one_connection_lacks_something_is_tried_once_more_on_a_fresh_one() {
    for code in ["53100", "53200", "42501"] {
        let Some(database) = Database::new(Kind::Postgres) else { return };
        let store = database.open().await;
        store.add(rex(), clock::now()).await.unwrap();
        let lack = format!(
            "CREATE TABLE lacking AS SELECT pid FROM pg_stat_activity WHERE usename = 'petstore'; \
             GRANT SELECT ON lacking TO petstore; \
             CREATE FUNCTION lack() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF pg_backend_pid() IN (SELECT pid FROM lacking) THEN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END IF; \
             RETURN NEW; END $$; \
             CREATE TRIGGER lack BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION lack()"
        );
        database.server().sql(database.name(), &lack);
        store.add(rex(), clock::now()).await.unwrap_or_else(|error| panic!("{code}: {error:?}"));
        assert_eq!(all(&store).await.len(), 2);
    }
}

#[tokio::test]
async fn a_read_whose_server_is_shut_down_is_answered_by_the_next_one() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let store = database.open().await;
    store.add(rex(), clock::now()).await.unwrap();
    let (holder, admin) =
        (database.server().admin(database.name()).await, database.server().admin(database.name()).await);
    holder.batch_execute("BEGIN; LOCK TABLE pets IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let listed = tokio::spawn({
        let store = store.clone();
        async move { all(&store).await }
    });
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE datname = current_database() AND usename = 'petstore' AND wait_event_type = 'Lock'";
    until(async || !admin.query(end, &[]).await.unwrap().is_empty()).await;
    holder.batch_execute("COMMIT").await.unwrap();
    assert_eq!(listed.await.unwrap().len(), 1);
}

#[tokio::test]
async fn only_what_is_surely_rolled_back_in_favour_of_others_is_tried_again_and_again() {
    for (code, tries) in [("40001", 32), ("40P01", 32), ("23514", 1), ("40003", 1), ("53100", 2), ("42501", 2)] {
        let Some(database) = Database::new(Kind::Postgres) else { return };
        let store = database.open().await;
        let (api_key, _) = till_key(&store).await;
        let admin = database.server().admin(database.name()).await;
        admin.batch_execute(&REFUSE.replace("SQLSTATE", code)).await.unwrap();
        for add_once in [false, true] {
            admin.batch_execute("ALTER SEQUENCE tries RESTART").await.unwrap();
            let refused = match add_once {
                true => store.add_once(rex(), once(api_key, "k"), clock::now()).await.map(drop),
                false => store.add(rex(), clock::now()).await.map(drop),
            };
            let Err(StoreError::Unavailable(why)) = refused else { panic!("{code}: {refused:?}") };
            let is_right = match code {
                "40001" | "40P01" => matches!(why, StoreFailure::Kind(FailureKind::Conflicts)),
                "40003" => matches!(why, StoreFailure::Kind(FailureKind::UnknownOutcome)),
                _ => matches!(why, StoreFailure::Database(_)),
            };
            assert!(is_right, "{code}: {why:?}");
            let tried: i64 = admin.query_one("SELECT last_value FROM tries", &[]).await.unwrap().get(0);
            assert_eq!(tried, tries, "{code}");
        }
        assert!(all(&store).await.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conflict_in_the_middle_of_a_group_repeats_the_whole_group() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let store = database.open().await;
    // Every fifth of the first twenty pets that are tried.
    let refuse = REFUSE
        .replace("PERFORM nextval('tries');", "IF nextval('tries') % 5 > 0 OR lastval() > 20 THEN RETURN NEW; END IF;")
        .replace("CONSTRAINT TRIGGER refuse AFTER", "TRIGGER refuse BEFORE")
        .replace("DEFERRABLE INITIALLY DEFERRED", "")
        .replace("SQLSTATE", "40001");
    database.server().sql(database.name(), &refuse);
    let (api_key, _) = till_key(&store).await;
    let writers = (0..64).map(|number| {
        let store = store.clone();
        tokio::spawn(async move { store.add_once(rex(), once(api_key, &number.to_string()), clock::now()).await })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap().unwrap();
    }
    assert_eq!(all(&store).await.len(), 64);
}

#[tokio::test]
async fn ids_may_be_far_apart_and_beyond_what_a_float_holds() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let store = database.open().await;
    let mut ids = Vec::new();
    for next in [1, 100, 9_007_199_254_740_993, i64::MAX - 2] {
        database.server().sql(database.name(), &format!("ALTER TABLE pets ALTER COLUMN id RESTART WITH {next}"));
        ids.push(store.add(rex(), clock::now()).await.unwrap().id);
    }
    assert_eq!(ids, [1, 100, 9_007_199_254_740_993, i64::MAX - 2]);
    let query = PetQuery { limit: Limit::try_from(3).unwrap(), ..PetQuery::default() };
    let first = store.list(&query).await.unwrap();
    assert_eq!(first.next, Some(9_007_199_254_740_993));
    let second = store.list(&PetQuery { after: first.next, ..query }).await.unwrap();
    assert_eq!((second.pets[0].id, second.next), (i64::MAX - 2, None));
}

#[tokio::test]
async fn pages_of_a_large_store_are_found_by_an_index() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let store = database.open().await;
    store.insert_samples(5000, clock::now()).await.unwrap();
    let scans = async || -> i64 {
        let admin = database.server().admin(database.name()).await;
        let scans =
            "SELECT pg_stat_force_next_flush(); SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'pets'";
        admin.batch_execute("ANALYZE pets").await.unwrap();
        admin.simple_query(scans).await.unwrap();
        admin.query_one("SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'pets'", &[]).await.unwrap().get(0)
    };
    let before = scans().await;
    for after in [None, Some(4000)] {
        for status in [None, Some(PetStatus::Sold)] {
            store.list(&PetQuery { after, status, ..PetQuery::default() }).await.unwrap();
        }
    }
    // The figures of a connection are complete when it has ended.
    store.close().await;
    assert_eq!(scans().await, before);
}

#[tokio::test]
async fn a_schema_that_is_too_old_or_too_new_is_refused_and_a_running_instance_is_then_not_ready() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let refused = Store::open_existing(&database.url).await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.ends_with(" has schema 0, and this petstore needs 10: run petstore database migrate"), "{refused}");
    let store = database.open().await;
    store.ping().await.unwrap();
    let sql = |sql: &str| database.server().sql(database.name(), sql);
    sql("INSERT INTO schema_versions VALUES (9999)");
    let refused = Store::open(&database.url).await.unwrap_err().to_string();
    assert!(refused.contains("was made by a newer petstore (schema 9999; this one supports 10)"), "{refused}");
    // Migrations only add, so that an older instance goes on.
    store.ping().await.unwrap();
    sql("DELETE FROM schema_versions WHERE version > 1");
    assert!(matches!(store.ping().await, Err(StoreFailure::Kind(FailureKind::Schema))));
    let again = database.open().await;
    again.ping().await.unwrap();
    store.ping().await.unwrap();
}

#[tokio::test]
async fn an_instance_waits_for_another_one_that_migrates() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let admin = database.server().admin(database.name()).await;
    let pid: i32 = admin.query_one("SELECT pg_backend_pid()", &[]).await.unwrap().get(0);
    admin.batch_execute("BEGIN; SELECT pg_advisory_xact_lock(8099007544119226981)").await.unwrap();
    let url = database.url.clone();
    let opened = tokio::spawn(async move { Store::open(&url).await });
    let waits = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = \
        (SELECT oid FROM pg_database WHERE datname = current_database())";
    let other = database.server().admin(database.name()).await;
    until(async || !other.query(waits, &[]).await.unwrap().is_empty()).await;
    assert!(!opened.is_finished());
    // It dies, and its lock with it.
    other.execute("SELECT pg_terminate_backend($1, 10000)", &[&pid]).await.unwrap();
    opened.await.unwrap().unwrap().ping().await.unwrap();
}

/// What others do to a schema, and what is said of it.
const CHANGES: [(&str, &str); 6] = [
    (
        "CREATE FUNCTION gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM pets WHERE id = NEW.id; \
         RETURN NULL; END $$; CREATE TRIGGER gone AFTER INSERT ON pets FOR EACH ROW EXECUTE FUNCTION gone()",
        "trigger gone was added",
    ),
    ("ALTER TABLE pets ADD COLUMN shelf TEXT NOT NULL DEFAULT ''", "column pets.shelf was added"),
    ("CREATE UNIQUE INDEX once ON pets (name)", "index once was added"),
    ("ALTER TABLE pets ADD CONSTRAINT few CHECK (id < 3)", "constraint few was added"),
    ("ALTER TABLE pets ALTER COLUMN name DROP NOT NULL", "column pets.name was changed"),
    ("ALTER TABLE pets RENAME TO hidden; CREATE VIEW pets AS SELECT * FROM hidden", "constraint pets_pkey is missing"),
];

#[tokio::test]
async fn an_instance_whose_schema_another_program_has_changed_is_not_ready_and_says_why() {
    for (change, what) in CHANGES {
        let Some(database) = Database::new(Kind::Postgres) else { return };
        let store = database.open().await;
        store.ping().await.unwrap();
        database.server().sql(database.name(), change);
        let why = store.ping().await.unwrap_err();
        assert!(why.in_short().contains("was changed by another program") && why.in_short().contains(what), "{why:?}");
        assert!(matches!(why.kind(), FailureKind::Schema));
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_without_the_password() {
    let url: DatabaseUrl = "postgres://ada:secret@127.0.0.1:1/pets".parse().unwrap();
    let error = Store::open(&url).await.unwrap_err();
    assert_eq!(error.to_string(), "no connection to postgres://ada@127.0.0.1:1/pets");
    assert!(!format!("{error:?}").contains("secret"));
}

#[tokio::test]
async fn a_server_is_believed_by_its_certificate_and_name_only() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let server = database.server();
    let url = |host: &str, roots: &str| {
        let roots = server.certificates().join(roots);
        format!("postgres://petstore@{host}:{}/{}?sslrootcert={}", server.port(), database.name(), roots.display())
    };
    Store::open(&url("localhost", "authority.pem").parse().unwrap()).await.unwrap();
    for (host, roots, reason) in
        [("127.0.0.1", "authority.pem", "not valid for name"), ("localhost", "stranger.pem", "UnknownIssuer")]
    {
        let error = Store::open(&url(host, roots).parse().unwrap()).await.unwrap_err();
        let mut causes = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
        assert!(causes.any(|cause| cause.to_string().contains(reason)), "{error:?}");
    }
    let missing = Store::open(&url("localhost", "missing.pem").parse().unwrap()).await.unwrap_err();
    assert!(missing.to_string().starts_with("cannot read the certificates of sslrootcert=/"), "{missing}");
}

#[tokio::test]
async fn keys_past_their_time_go_away_by_the_clock_of_the_server() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let store = database.open().await;
    let (api_key, _) = till_key(&store).await;
    for key in ["old", "older"] {
        store.add_once(rex(), once(api_key, key), clock::now()).await.unwrap();
    }
    let admin = database.server().admin(database.name()).await;
    admin.batch_execute("UPDATE idempotency_keys SET created_at = created_at - 24 * 60 * 60").await.unwrap();
    for number in 0..65 {
        store.add_once(rex(), once(api_key, &number.to_string()), clock::now()).await.unwrap();
    }
    let kept = async || admin.query_one("SELECT COUNT(*) FROM idempotency_keys", &[]).await.unwrap().get::<_, i64>(0);
    until(async || kept().await == 65).await;
}
