//! What a TLS server presented.

use std::net::SocketAddr;

use jiff::Timestamp;

use crate::model::text::{display_safe, whole};

use super::super::Evidence;
use super::http::{ConnectionFailure, Hop, Response};

/// A handshake with one address, and the front page over it.
#[derive(Clone, Debug)]
pub struct Handshake {
    /// The server name that was sent (RFC 6066 section 3), if one was.
    pub server_name: Option<String>,
    /// The server.
    pub address: SocketAddr,
    /// When it began.
    pub at: Timestamp,
    /// What was presented.
    pub outcome: Result<Presented, ConnectionFailure>,
    /// The answer to HEAD / over this connection.
    pub page: Option<Hop>,
}

/// The certificates of a server, even an untrusted one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presented {
    /// The leaf first.
    pub chain: Vec<Certificate>,
    /// The verdict on issuer and signatures, regardless of dates and names.
    pub trust: Result<(), Distrust>,
}

/// Why a chain is not trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distrust {
    /// It does not lead to a known root.
    UnknownIssuer,
    /// This machine has no roots at all.
    NoRoots,
    /// The dates of another certificate than the server's own, in words.
    Dates(&'static str),
    /// Another reason, in words.
    Other(&'static str),
}

/// What a certificate says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The subject's distinguished name.
    pub subject: String,
    /// The issuer's distinguished name.
    pub issuer: String,
    /// The issuer in short: its organisation, else its common name.
    pub issuer_short: String,
    /// The subject's common name.
    pub common_name: Option<String>,
    /// The DNS names among its subject alternative names, lower case.
    pub names: Vec<String>,
    /// Valid from.
    pub not_before: Timestamp,
    /// Valid until.
    pub not_after: Timestamp,
    /// In hexadecimal.
    pub serial: String,
    /// The size of its key in bits, if it is an RSA key.
    pub rsa_bits: Option<usize>,
    /// It has a URL of its issuer's certificate (RFC 5280 section 4.2.2.1).
    pub names_its_issuer: bool,
}

impl Certificate {
    /// Whether it is self-signed.
    pub fn is_self_issued(&self) -> bool {
        self.subject == self.issuer
    }

    /// Whether browsers reject its key (CA/Browser Forum, Baseline Requirements 6.1.5).
    pub fn is_weak(&self) -> bool {
        self.rsa_bits.is_some_and(|bits| bits < 2048)
    }

    /// Whether it is for `name`.
    pub fn covers(&self, name: &str) -> bool {
        self.names.iter().any(|pattern| covers(pattern, name))
    }
}

/// Whether a name of a certificate is for `name`: a wildcard covers exactly one label (RFC 9525 section 6.3).
pub fn covers(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(rest) => name.split_once('.').is_some_and(|(label, below)| !label.is_empty() && below == rest),
        None => pattern == name,
    }
}

impl Presented {
    /// The server's own certificate.
    pub fn leaf(&self) -> Option<&Certificate> {
        self.chain.first()
    }
}

impl Handshake {
    /// The server's own certificate.
    pub fn leaf(&self) -> Option<&Certificate> {
        self.outcome.as_ref().ok()?.leaf()
    }

    /// The server's certificate, if it is trusted and for `name`.
    pub fn good_leaf(&self, name: &str) -> Option<&Certificate> {
        let presented = self.outcome.as_ref().ok().filter(|presented| presented.trust.is_ok());
        presented.and_then(Presented::leaf).filter(|leaf| leaf.covers(name))
    }

    /// The answer to HEAD /, if one came.
    pub fn response(&self) -> Option<&Response> {
        self.page.as_ref()?.response()
    }
}

impl From<&Handshake> for Evidence {
    fn from(handshake: &Handshake) -> Self {
        let answer = match (&handshake.outcome, handshake.leaf()) {
            (Ok(presented), Some(leaf)) => {
                let names = leaf.names.iter().take(4).map(|name| whole(name)).collect::<Vec<_>>().join(", ");
                let names = if names.is_empty() { "no names".to_owned() } else { names };
                let sent: Vec<String> = presented.chain.iter().map(|certificate| whole(&certificate.subject)).collect();
                format!(
                    "{names}; {} to {}; issuer {}; serial {}; sent: {}",
                    leaf.not_before.strftime("%Y-%m-%d"),
                    leaf.not_after.strftime("%Y-%m-%d"),
                    whole(&leaf.issuer_short),
                    whole(&leaf.serial),
                    sent.join(" / ")
                )
            }
            (Ok(_), None) => "no certificate".to_owned(),
            (Err(why), _) => why.to_string(),
        };
        let question = match &handshake.server_name {
            Some(name) => format!("TLS handshake for {}", display_safe(name)),
            None => "TLS handshake without SNI".to_owned(),
        };
        Self { question, server: handshake.address.to_string(), answer, at: handshake.at }
    }
}
