//! What an HTTP server answered, hop by hop.

use std::net::SocketAddr;

use hyper::Method;
use jiff::Timestamp;
use url::Url;

use crate::model::text::{cut, display_safe, short};

use super::super::Evidence;

/// One request and its answer.
#[derive(Clone, Debug)]
pub struct Hop {
    /// What was asked for.
    pub url: Url,
    /// HEAD; or GET, if HEAD gives another error, or the page itself matters.
    pub method: Method,
    /// The server asked; `None` if the host has no address.
    pub address: Option<SocketAddr>,
    /// When.
    pub at: Timestamp,
    /// What came back.
    pub outcome: Result<Response, ConnectionFailure>,
}

/// Hops from the first to the last that was followed.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    /// In order; never more than eleven.
    pub hops: Vec<Hop>,
    /// The last hop redirects on, but the limit was reached.
    pub cut: bool,
}

/// The fields of an answer that matter here, as they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    pub location: Option<String>,
    pub server: Option<String>,
    /// Whether Cloudflare's `CF-RAY` was there.
    pub cf_ray: bool,
    pub cache_control: Option<String>,
    /// `Age`, in seconds.
    pub age: Option<u64>,
    /// `Strict-Transport-Security`.
    pub hsts: Option<String>,
    pub date: Option<Timestamp>,
    pub refresh: Option<String>,
    /// The beginning of the page, if it was requested.
    pub page: Option<String>,
    /// A field that only parking services send.
    pub parking_field: bool,
}

/// Why a connection, a handshake or an answer failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectionFailure {
    /// The host has no address.
    #[error("the host has no address")]
    NoAddress,
    /// The address is not public, and was not connected to.
    #[error("not connected: the address is not public")]
    Withheld,
    /// No route to the address.
    #[error("not reachable from here")]
    Unreachable,
    /// The connection was refused.
    #[error("connection refused")]
    Refused,
    /// The connection was reset.
    #[error("connection reset")]
    Reset,
    /// No answer in time.
    #[error("no answer")]
    Timeout,
    /// Something else than TLS answered.
    #[error("an answer that is not TLS")]
    NotTls,
    /// The server ended the handshake with this alert (RFC 8446 section 6).
    #[error("alert {0}")]
    Alert(String),
    /// It speaks only versions of TLS that browsers have given up (RFC 8996).
    #[error("no TLS version that browsers still use")]
    OldTls,
    /// It takes only cipher suites without forward secrecy or authenticated encryption.
    #[error("only old cipher suites, such as those with CBC")]
    OldCiphers,
    /// The server sent something that is not a certificate.
    #[error("an unreadable certificate")]
    BadCertificate,
    /// Not requested, since no TLS handshake was possible.
    #[error("no TLS handshake")]
    NoHandshake,
    /// The answer is not HTTP, or larger than allowed.
    #[error("an answer that is not HTTP")]
    NotHttp,
}

impl ConnectionFailure {
    /// What the failure of a handshake means for the request that was to follow.
    pub fn before_request(self) -> Self {
        match self {
            Self::Withheld | Self::Unreachable | Self::Refused | Self::Timeout => self,
            _ => Self::NoHandshake,
        }
    }
}

impl Response {
    /// Whether it is a redirect.
    pub const fn is_redirect(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308)
    }

    /// A directive of `Cache-Control` with a number of seconds.
    pub fn cache_seconds(&self, directive: &str) -> Option<u64> {
        self.cache_control.as_deref()?.split(',').find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.trim().eq_ignore_ascii_case(directive).then(|| value.trim().trim_matches('"').parse().ok())?
        })
    }
}

impl Trail {
    /// The answer of the last hop.
    pub fn last(&self) -> Option<&Response> {
        self.hops.last()?.response()
    }
}

impl Hop {
    /// The answer, if one came.
    pub fn response(&self) -> Option<&Response> {
        self.outcome.as_ref().ok()
    }

    /// Whether it is a redirect.
    pub fn is_redirect(&self) -> bool {
        self.response().is_some_and(Response::is_redirect)
    }

    /// How long a browser may keep this redirect, in words; `None` if it is not a redirect. Without a limit a permanent
    /// one may be kept as long as the browser likes (RFC 9111 section 4.2.2).
    pub fn kept(&self) -> Option<String> {
        let response = self.response().filter(|response| response.is_redirect())?;
        Some(match (response.cache_seconds("max-age"), response.status) {
            (Some(0), _) => "not cached".to_owned(),
            (Some(seconds), _) => format!("cached for {seconds} s"),
            (None, 301 | 308) => "cached without a limit".to_owned(),
            (None, _) => "not cached".to_owned(),
        })
    }
}

impl From<&Hop> for Evidence {
    fn from(hop: &Hop) -> Self {
        let answer = match &hop.outcome {
            Ok(response) => match &response.location {
                Some(location) => format!("{} to {}", response.status, short(location)),
                None => response.status.to_string(),
            },
            Err(why) => why.to_string(),
        };
        Self {
            question: format!("{} {}", hop.method.as_str(), cut(&display_safe(hop.url.as_str()), 120)),
            server: hop.address.map_or_else(|| "-".to_owned(), |address| address.to_string()),
            answer,
            at: hop.at,
        }
    }
}
