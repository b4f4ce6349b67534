//! Answers over HTTP, and what comes instead of them.

use std::net::Ipv4Addr;
use std::time::Duration;

use crate::simulator::{Plan, Simulator, StubAnswer, StubBody, StubPage};
use petstore::clock;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::ask::healthy_but;
use super::call::{handshake, http, https, request};

const PLATFORM: Ipv4Addr = Plan::PLATFORM_ADDRESS;

/// A world whose platform answers everything like this.
async fn with(answer: StubAnswer) -> Simulator {
    healthy_but(|plan| {
        plan.site(PLATFORM).page(StubPage::new(answer));
    })
    .await
}

#[tokio::test]
async fn the_platform_sends_http_to_https_and_answers_there() {
    let world = healthy_but(|_| ()).await;
    let plain = http(&world, PLATFORM, "HEAD", &format!("{}:80", Plan::DOMAIN), "/guide?a=b").await;
    assert!(plain.starts_with("HTTP/1.1 301 Moved Permanently\r\n"), "{plain}");
    assert!(plain.contains("\r\nLocation: https://docs.acme-pets.com/guide?a=b\r\n"), "{plain}");
    assert!(plain.contains("\r\nDate: Fri, 20 Nov 2026 12:00:00 GMT\r\n"), "{plain}");
    let page = https(&world, PLATFORM, Plan::DOMAIN, "/guide").await;
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("the documentation"), "{page}");
    let challenge = http(&world, PLATFORM, "GET", Plan::DOMAIN, "/.well-known/acme-challenge/x").await;
    assert!(challenge.starts_with("HTTP/1.1 404"), "{challenge}");
    let stranger = https(&world, PLATFORM, "other.example.com", "/").await;
    assert!(stranger.starts_with("HTTP/1.1 404") && stranger.contains("No such project"), "{stranger}");
    let redirected = https(&world, PLATFORM, Plan::REDIRECTED, "/x").await;
    assert!(redirected.contains("\r\nLocation: https://docs.acme-pets.com/x\r\n"), "{redirected}");
}

#[tokio::test]
async fn every_request_is_logged() {
    let world = healthy_but(|_| ()).await;
    http(&world, PLATFORM, "HEAD", "Docs.Acme-Pets.com:80", "/a?b").await;
    https(&world, Plan::OLD_ADDRESS, Plan::OLD_HOST, "/").await;
    let log = world.requests();
    assert_eq!(log[0].address, (PLATFORM, world.http_port()).into());
    assert_eq!((log[0].tls, log[0].sni.as_deref(), log[0].method.as_str()), (false, None, "HEAD"));
    assert_eq!((log[0].host.as_str(), log[0].path.as_str()), ("Docs.Acme-Pets.com", "/a?b"));
    assert_eq!(log[1].address, (Plan::OLD_ADDRESS, world.https_port()).into());
    assert_eq!((log[1].tls, log[1].sni.as_deref()), (true, Some(Plan::OLD_HOST)));
    assert_eq!(log.len(), 2);
}

#[tokio::test]
async fn the_last_page_that_fits_is_the_one() {
    let world = healthy_but(|plan| {
        plan.site(PLATFORM)
            .page(StubPage::new(StubAnswer::status(503)).https().host(Plan::DOMAIN))
            .page(StubPage::new(StubAnswer::status(405)).https().host(Plan::DOMAIN).method("HEAD"))
            .page(StubPage::new(StubAnswer::redirect(302, "/login")).https().host(Plan::DOMAIN).path("/private"));
    });
    let world = world.await;
    assert!(https(&world, PLATFORM, Plan::DOMAIN, "/").await.starts_with("HTTP/1.1 503 Service Unavailable"));
    assert!(https(&world, PLATFORM, Plan::DOMAIN, "/private/x").await.contains("\r\nLocation: /login\r\n"));
    assert!(https(&world, PLATFORM, Plan::PLATFORM_HOST, "/private/x").await.starts_with("HTTP/1.1 200"));
    let head = request(handshake(&world, PLATFORM, Plan::DOMAIN).await.unwrap(), "HEAD", Plan::DOMAIN, "/").await;
    assert!(head.starts_with(b"HTTP/1.1 405 Method Not Allowed\r\n"));
}

#[tokio::test]
async fn headers_and_statuses_are_as_the_plan_has_them() {
    let world = with(StubAnswer::status(599).header("cf-ray", "1-FRA").header("Date", "never")).await;
    let answer = http(&world, PLATFORM, "GET", Plan::DOMAIN, "/").await;
    assert_eq!(
        answer,
        "HTTP/1.1 599 \r\nConnection: close\r\ncf-ray: 1-FRA\r\nDate: never\r\nContent-Length: 0\r\n\r\n"
    );
}

#[tokio::test]
async fn an_answer_can_be_late() {
    let time = Duration::from_millis(30);
    let world = with(StubAnswer::status(200).slow(time)).await;
    let before = clock::now().mono;
    http(&world, PLATFORM, "GET", Plan::DOMAIN, "/").await;
    assert!(clock::now().mono.duration_since(before) >= time);
}

#[tokio::test]
async fn an_answer_can_be_no_http_or_very_large() {
    let world = with(StubAnswer::status(200).with(StubBody::Garbage(b"\0\xffSSH-2.0-nothing\r\n".to_vec()))).await;
    let stream = handshake(&world, PLATFORM, Plan::DOMAIN).await.unwrap();
    assert_eq!(request(stream, "GET", Plan::DOMAIN, "/").await, b"\0\xffSSH-2.0-nothing\r\n");
    world.change(|plan| {
        plan.site(PLATFORM).page(StubPage::new(StubAnswer::status(200).with(StubBody::Huge(3_000_000))));
    });
    assert!(https(&world, PLATFORM, Plan::DOMAIN, "/").await.len() > 3_000_000);
    let head = http(&world, PLATFORM, "HEAD", Plan::DOMAIN, "/").await;
    assert!(head.ends_with("Content-Length: 3000000\r\n\r\n"), "{head}");
}

#[tokio::test]
async fn headers_can_come_without_end() {
    let world = with(StubAnswer::status(200).with(StubBody::EndlessHeaders)).await;
    let mut stream = TcpStream::connect((PLATFORM, world.http_port())).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let mut part = vec![0; 1_000_000];
    stream.read_exact(&mut part).await.unwrap();
    assert!(!part.windows(4).any(|four| four == b"\r\n\r\n"));
}
