//! An address with several hosts: the one that writes is found whatever the others do.

use crate::prelude::*;

use std::net::TcpListener;

use petstore::model::text::safe_causes;

use super::fixture::{Database, Kind, rex};
use super::list::all;
use super::proxy::{Line, Proxy};
use crate::postgres::Server;
use crate::service::fixture::until;

/// The server ends a statement later than this, and so do the driver's own limits.
const SOON: Duration = Duration::from_millis(2500);

/// Two servers with a database of the same name, whose schema is up to date.
async fn two_servers() -> Option<[Server; 2]> {
    let servers = [Server::of_its_own()?, Server::of_its_own()?];
    for server in &servers {
        server.sql("postgres", "CREATE DATABASE shop OWNER petstore");
        open(&[server.port()], "").await.close().await;
    }
    Some(servers)
}

async fn open(ports: &[u16], options: &str) -> Store {
    let hosts: Vec<_> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    let url = format!("postgres://petstore@{}/shop{options}", hosts.join(","));
    Store::open(&url.parse().unwrap()).await.unwrap()
}

#[tokio::test]
async fn a_frozen_host_and_a_dead_one_keep_nobody_from_the_one_that_answers() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let living = database.server().port();
    let frozen = Proxy::start(living).await;
    frozen.set(Line::Frozen);
    let dead = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!(
        "postgres://petstore@127.0.0.1:{},127.0.0.1:{dead},127.0.0.1:{living}/{}",
        frozen.port,
        database.name()
    );
    let store = timeout(SOON, Store::open(&url.parse().unwrap())).await.expect("the third host answers").unwrap();
    store.add(rex(), clock::now()).await.unwrap();
}

#[tokio::test]
async fn a_host_that_freezes_after_connecting_is_left_for_one_that_answers() {
    let Some(database) = Database::new(Kind::Postgres) else { return };
    let living = database.server().port();
    let freezing = Proxy::start(living).await;
    let url = format!("postgres://petstore@127.0.0.1:{},127.0.0.1:{living}/{}", freezing.port, database.name());
    let store = Store::open(&url.parse().unwrap()).await.unwrap();
    store.add(rex(), clock::now()).await.unwrap();
    freezing.set(Line::Frozen);
    let pets = timeout(SOON, all(&store)).await.expect("the second host answers");
    assert_eq!(pets.len(), 1);
    timeout(SOON, store.add(rex(), clock::now())).await.expect("it is used from now on").unwrap();
}

#[tokio::test]
async fn a_host_that_became_read_only_is_left_for_one_that_can_be_written() {
    let Some([before, after]) = two_servers().await else { return };
    let store = open(&[before.port(), after.port()], "").await;
    store.add(rex(), clock::now()).await.unwrap();
    before.sql("postgres", "ALTER DATABASE shop SET default_transaction_read_only = on");
    before.sql("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'shop'");
    until(async || store.add(rex(), clock::now()).await.is_ok()).await;
    assert_eq!(all(&open(&[after.port()], "").await).await.len(), 1);
    store.ping().await.unwrap();
}

#[tokio::test]
async fn a_host_whose_commits_wait_is_left_for_one_that_commits() {
    let Some([before, after]) = two_servers().await else { return };
    let store = open(&[before.port(), after.port()], "").await;
    before.lose_standby().await;
    let stuck = tokio::spawn({
        let store = store.clone();
        async move { store.add(rex(), clock::now()).await }
    });
    until(async || store.add(rex(), clock::now()).await.is_ok()).await;
    assert_eq!(all(&open(&[after.port()], "").await).await.len(), 1);
    let admin = before.admin("postgres").await;
    let waiting = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    let waiting: i64 = admin.query_one(waiting, &[]).await.unwrap().get(0);
    assert!((1..=3).contains(&waiting), "{waiting}");
    assert!(matches!(stuck.await.unwrap(), Err(StoreError::Unavailable(_))));
}

/// A message of the server, as `kind` has it.
fn message(kind: u8, length: usize, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(length + 4).unwrap();
    [&[kind][..], &length.to_be_bytes(), body].concat()
}

/// How many bytes a server could send of `flood`, over and over, before it was cut off in the handshake, and why it was.
async fn taken(flood: Vec<u8>) -> (usize, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://petstore@{}/shop?connect_timeout=60", listener.local_addr().unwrap());
    let hostile = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]).unwrap();
        stream.write_all(&message(b'R', 4, &[0; 4])).unwrap();
        let mut sent = 0;
        while let Ok(written) = stream.write(&flood) {
            sent += written;
        }
        sent
    });
    let refused = Store::open(&url.parse().unwrap()).await.unwrap_err();
    (hostile.join().unwrap(), safe_causes(&refused))
}

#[tokio::test]
async fn a_server_that_floods_the_handshake_is_cut_off_before_that_fills_the_memory() {
    let body = [b'M', b'x'].repeat(2000);
    for flood in [
        message(b'N', body.len(), &body).repeat(100),
        message(b'S', body.len() + 2, &[&body[..], &[0, 0]].concat()).repeat(100),
        message(b'N', 1 << 30, &vec![b'x'; 1 << 20]),
    ] {
        let (sent, why) = taken(flood).await;
        assert!(why.ends_with("sent too much before it was ready"), "{why} after {sent} bytes");
        assert!(sent < 512 << 20, "{sent}");
    }
}
