//! What happens to connections before anything is sent.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::time::Duration;

use crate::simulator::{Door, Plan, Simulator};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::super::worlds::faults::plain_http;
use super::ask::healthy_but;
use super::call::{handshake, http, https};

const PLATFORM: Ipv4Addr = Plan::PLATFORM_ADDRESS;

async fn with_door(door: Door) -> Simulator {
    healthy_but(|plan| plan.site(PLATFORM).https = door).await
}

#[tokio::test]
async fn all_addresses_have_the_same_two_ports() {
    let world = healthy_but(|_| ()).await;
    assert_ne!(world.http_port(), world.https_port());
    assert!(https(&world, Plan::OLD_ADDRESS, Plan::OLD_HOST, "/").await.contains("Old pages"));
    assert!(http(&world, Plan::OLD_ADDRESS, "GET", Plan::OLD_HOST, "/").await.contains("Old pages"));
    let error = TcpStream::connect((Plan::NOWHERE, world.http_port())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn where_nothing_listens_connections_are_refused() {
    let world = with_door(Door::Closed).await;
    let error = handshake(&world, PLATFORM, Plan::DOMAIN).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    assert!(http(&world, PLATFORM, "GET", Plan::DOMAIN, "/").await.starts_with("HTTP/1.1 301"));
    world.change(|plan| plan.site(PLATFORM).https = Door::Open);
    assert!(https(&world, PLATFORM, Plan::DOMAIN, "/").await.starts_with("HTTP/1.1 200"));
    world.change(|plan| plan.site(PLATFORM).https = Door::Closed);
    assert!(handshake(&world, PLATFORM, Plan::DOMAIN).await.is_err());
}

#[tokio::test]
async fn a_connection_can_be_reset() {
    let world = with_door(Door::Resets).await;
    let error = handshake(&world, PLATFORM, Plan::DOMAIN).await.unwrap_err();
    assert!([ErrorKind::ConnectionReset, ErrorKind::BrokenPipe].contains(&error.kind()), "{error:?}");
}

#[tokio::test]
async fn a_connection_can_be_met_with_silence() {
    let world = with_door(Door::Silent).await;
    let greeted = timeout(Duration::from_millis(100), handshake(&world, PLATFORM, Plan::DOMAIN));
    assert!(greeted.await.is_err());
}

#[tokio::test]
async fn plain_http_can_be_spoken_on_the_port_for_https() {
    let world = with_door(plain_http()).await;
    let error = handshake(&world, PLATFORM, Plan::DOMAIN).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    let mut stream = TcpStream::connect((PLATFORM, world.https_port())).await.unwrap();
    stream.write_all(b"\x16\x03\x01").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n") && answer.ends_with("HTTPS port\n"), "{answer}");
}

#[tokio::test]
async fn sites_can_come_and_go_while_the_world_runs() {
    let world = healthy_but(|_| ()).await;
    let place = Ipv4Addr::new(127, 0, 0, 44);
    world.change(|plan| {
        let site = plan.site(PLATFORM).clone();
        plan.sites.insert(place.into(), site);
    });
    assert!(https(&world, place, Plan::DOMAIN, "/").await.starts_with("HTTP/1.1 200"));
    world.change(|plan| drop(plan.sites.remove(&place.into())));
    assert!(handshake(&world, place, Plan::DOMAIN).await.is_err());
}

#[tokio::test]
async fn a_site_can_be_at_an_ipv6_address_where_there_is_one() {
    let world = healthy_but(|plan| {
        let site = plan.site(PLATFORM).clone();
        plan.sites.insert(Ipv6Addr::LOCALHOST.into(), site);
    });
    let world = world.await;
    if TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok() {
        assert!(https(&world, Ipv6Addr::LOCALHOST, Plan::DOMAIN, "/").await.starts_with("HTTP/1.1 200"));
    }
    assert!(https(&world, PLATFORM, Plan::DOMAIN, "/").await.starts_with("HTTP/1.1 200"));
}
