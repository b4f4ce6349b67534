//! Resolvers over TLS and HTTPS, for networks that block port 53.

use std::sync::Arc;

use petstore::domains::check_options::{CheckOptions, named_resolver};
use petstore::domains::observation::{NoReply, Protocol, Server};
use petstore::domains::simulator::{Plan, Simulator};
use petstore::domains::{Code, Verdict};

use super::fixture::{check, now, reported, settings};

/// The first two resolvers, as they are named for `scheme`, for example `tls://`.
fn resolvers(world: &Simulator, scheme: &str) -> Vec<Arc<Server>> {
    let texts = (0..2).map(|number| format!("{scheme}{}", world.encrypted_resolver(number).unwrap()));
    texts.map(|text| named_resolver(&text).unwrap()).collect()
}

#[tokio::test]
async fn a_domain_is_checked_by_resolvers_over_tls_and_over_https() {
    let world = Simulator::start(Plan::healthy(now())).await.unwrap();
    for (scheme, protocol) in [("tls://", Protocol::Tls), ("https://", Protocol::Https("/dns-query".to_owned()))] {
        let settings = CheckOptions { resolvers: resolvers(&world, scheme), ..settings(&world) };
        assert!(settings.resolvers.iter().all(|resolver| resolver.protocol == protocol));
        let outcome = check(&settings, Plan::DOMAIN, &reported()).await;
        assert_eq!((outcome.code(), outcome.verdict()), (Code::DnsOk, Verdict::Ok), "{}", outcome.lines());
        let of_resolvers = outcome.seen.lookups.iter().filter(|lookup| lookup.server.protocol == protocol);
        assert!(of_resolvers.clone().count() >= 6 && of_resolvers.clone().all(|lookup| lookup.reply().is_some()));
    }
}

#[tokio::test]
async fn a_resolver_whose_certificate_is_not_trusted_is_not_counted() {
    let world = Simulator::start(Plan::healthy(now())).await.unwrap();
    let own = settings(&world);
    let settings = CheckOptions {
        resolvers: resolvers(&world, "tls://"),
        name_servers: own.name_servers,
        now: own.now,
        ..CheckOptions::new(own.expectation, Vec::new())
    };
    let outcome = check(&settings, Plan::DOMAIN, &reported()).await;
    let of_resolvers = outcome.seen.lookups.iter().filter(|lookup| lookup.server.protocol == Protocol::Tls);
    let failures: Vec<_> = of_resolvers.map(|lookup| lookup.outcome.as_ref().err().copied()).collect();
    assert!(
        !failures.is_empty() && failures.iter().all(|failure| *failure == Some(NoReply::Untrusted)),
        "{failures:?}"
    );
}

#[test]
fn resolvers_are_named_by_address_with_or_without_a_protocol() {
    for (text, address) in [
        ("1.1.1.1", "1.1.1.1:53"),
        ("tls://1.1.1.1", "1.1.1.1:853"),
        ("tls://[2001:db8::1]", "[2001:db8::1]:853"),
        ("https://9.9.9.9/dns-query", "9.9.9.9:443"),
        ("https://127.0.0.1:8443", "127.0.0.1:8443"),
    ] {
        assert_eq!(named_resolver(text).unwrap().address.to_string(), address, "{text}");
    }
    for text in ["tls://dns.example", "https://dns.example/dns-query", "nonsense"] {
        assert!(named_resolver(text).unwrap_err().contains("is not an address"), "{text}");
    }
}
