//! Proxies (4.17): whose address a request counts for. What is counted here is asking without a key.

use crate::prelude::*;

use super::fixture::{Service, until};

/// A service that this machine asks, and that was told to believe these. One failure a second is not slowed.
async fn believing(proxies: &[&str]) -> Service {
    let proxies = proxies.iter().map(|proxy| proxy.parse().unwrap()).collect();
    Service::with(Config { failed_authentications: Some(NonZeroU32::MIN), proxies, ..Config::default() }).await
}

async fn status(service: &Service, forwarded_for: &str) -> u16 {
    service.send("GET", "/v1/pets", &[("X-Forwarded-For", forwarded_for)], "").await.status
}

/// Asks with another `{}` each time; the others of a crowd would never be slowed.
async fn until_slowed(service: &Service, forwarded_for: &str) {
    let mut number = 0;
    until(async || {
        number += 1;
        status(service, &forwarded_for.replace("{}", &(number % 250).to_string())).await == 429
    })
    .await;
}

#[tokio::test]
async fn clients_behind_a_named_proxy_are_slowed_each_by_themselves() {
    let service = believing(&["127.0.0.1"]).await;
    until_slowed(&service, "192.0.2.1").await;
    assert_eq!(status(&service, "192.0.2.2").await, 401);
    assert_eq!(status(&service, "2001:db8::1").await, 401);
    // Nor the proxy itself.
    assert_eq!(service.send("GET", "/v1/pets", &[], "").await.status, 401);
}

#[tokio::test]
async fn a_client_without_an_exception_is_slowed_whatever_the_headers_say() {
    for proxies in [&[][..], &["127.0.0.2", "10.0.0.0/8"]] {
        let service = believing(proxies).await;
        until_slowed(&service, "192.0.2.{}").await;
        let mut number = 0;
        until(async || {
            number += 1;
            let (real, forwarded) = (format!("192.0.2.{number}"), format!("for=192.0.2.{number}"));
            let headers = [("X-Real-IP", real.as_str()), ("Forwarded", &forwarded)];
            service.send("GET", "/v1/pets", &headers, "").await.status == 429
        })
        .await;
    }
}

#[tokio::test]
async fn what_a_client_wrote_itself_does_not_count() {
    let service = believing(&["127.0.0.0/8", "10.0.0.0/8"]).await;
    until_slowed(&service, "198.51.100.{}, 192.0.2.1").await;
    until_slowed(&service, "198.51.100.{}, 192.0.2.2, 10.1.2.3").await;
    until_slowed(&service, "10.1.2.3, not-an-address-{}, 10.1.2.4").await;
    // A field that this proxy does not set.
    until(async || {
        let headers = [("Forwarded", "for=203.0.113.9"), ("X-Forwarded-For", "192.0.2.3")];
        service.send("GET", "/v1/pets", &headers, "").await.status == 429
    })
    .await;
    assert_eq!(status(&service, "203.0.113.9").await, 401);
}
