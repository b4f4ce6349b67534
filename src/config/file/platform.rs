//! Platforms, `[platforms.NAME]`: what a platform says about itself, so that checks compare with it what they find.

use std::net::IpAddr;

use serde::Deserialize;

/// A platform. All of it is optional but `hosts`, by which it is found.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Platform {
    /// The values that its dashboard shows, or the domains that they are in.
    pub hosts: Vec<String>,
    /// The addresses that it gives for domains without a subdomain.
    pub addresses: Vec<IpAddr>,
    /// The CAA identities of its certificate authority, unless `[domains]` names some.
    pub ca_identities: Vec<String>,
    /// How its certificate authority validates: http-01, dns-01, tls-alpn-01.
    pub methods: Vec<String>,
    /// Its account at the certificate authority (RFC 8657); empty if unknown.
    pub account_uri: String,
    /// Labels below the domain at which it wants a TXT record, such as `_platform-challenge`.
    pub verification: Vec<String>,
    /// Where it wants `_acme-challenge` below the domain to lead; `{name}` in it is the domain.
    pub acme_challenge: String,
    /// Whether a proxy in front of it is fine.
    pub proxy_allowed: bool,
    /// Where its support is reached.
    pub support: String,
}
