//! What answers at an address: its doors, its certificates, and its pages.

use super::certificate::IssuedCertificate;
use super::page::{StubAnswer, StubPage};
use crate::domains::DnsName;

/// What answers at an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    pub http: Door,
    pub https: Door,
    /// How callers of certain names (or of all in `*.zone`) are greeted; the last that fits is taken.
    pub greetings: Vec<(DnsName, Greeting)>,
    /// How all other callers are greeted.
    pub stranger: Greeting,
    /// What is answered; the last that fits is taken.
    pub pages: Vec<StubPage>,
    /// What is answered when no page fits.
    pub otherwise: StubAnswer,
}

/// What happens to a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Door {
    /// It is served.
    #[default]
    Open,
    /// Nothing listens. Only a simulator that starts with it refuses connections: a door that is closed later resets
    /// them.
    Closed,
    /// It is accepted and reset.
    Resets,
    /// It is accepted, and nothing is sent.
    Silent,
    /// After its first bytes these are sent.
    Says(Vec<u8>),
}

/// How a TLS handshake goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Greeting {
    Certificate(IssuedCertificate),
    /// It fails with this alert.
    Alert(u8),
}

impl Greeting {
    /// The alert for a name that a server does not know (RFC 6066).
    pub const UNRECOGNIZED_NAME: Self = Self::Alert(112);
    /// The alert of a server that speaks only old versions of TLS.
    pub const PROTOCOL_VERSION: Self = Self::Alert(70);
    /// The alert of a server that gives no other reason.
    pub const HANDSHAKE_FAILURE: Self = Self::Alert(40);
}

impl Default for Greeting {
    fn default() -> Self {
        Self::UNRECOGNIZED_NAME
    }
}

impl Site {
    /// Greets callers of `name`, which may be `*.zone`, like this from now on.
    pub fn greet(&mut self, name: &str, greeting: Greeting) -> &mut Self {
        self.greetings.push((DnsName::new(name), greeting));
        self
    }

    /// Shows this certificate to callers of its names.
    pub fn show(&mut self, certificate: IssuedCertificate) -> &mut Self {
        for name in &certificate.names {
            self.greetings.push((DnsName::new(name), Greeting::Certificate(certificate.clone())));
        }
        self
    }

    /// Answers with this page before all others.
    pub fn page(&mut self, page: StubPage) -> &mut Self {
        self.pages.push(page);
        self
    }

    /// How a caller of `name` is greeted.
    pub(super) fn greeting(&self, name: Option<&str>) -> &Greeting {
        let name = name.map(DnsName::new);
        let fits = |pattern: &DnsName| match pattern.as_str().strip_prefix("*.") {
            Some(zone) => name.as_ref().and_then(DnsName::parent) == Some(DnsName::new(zone)),
            None => name.as_ref() == Some(pattern),
        };
        self.greetings.iter().rev().find(|(pattern, _)| fits(pattern)).map_or(&self.stranger, |(_, greeting)| greeting)
    }
}
