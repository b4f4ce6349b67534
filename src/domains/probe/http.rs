//! One request over one connection, and hop by hop from there: HEAD, no following by a library, no cookies, no proxy.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use http_body_util::{BodyExt as _, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{
    AGE, CACHE_CONTROL, DATE, HOST, HeaderMap, HeaderName, LOCATION, REFRESH, SERVER, STRICT_TRANSPORT_SECURITY,
    USER_AGENT,
};
use hyper::{Request, body::Incoming};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use url::{Position, Url};

use super::context::ProbeContext;
use super::tls::{self, connect};
use crate::domains::{CheckOptions, ConnectionFailure, DnsName, Hop, Method, Observations, Response, Trail};

/// How long an answer may take.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);
/// How long one hop may take, with its lookups, connection and handshake.
const HOP_LIMIT: Duration = Duration::from_secs(8);
/// The most time for asking by GET what HEAD has answered with an error.
const GET_LIMIT: Duration = Duration::from_secs(3);
/// How long after the start of a check redirects are followed.
const TRAIL_LIMIT: Duration = Duration::from_secs(8);
/// The most bytes of an answer's head.
const MAX_HEAD: usize = 64 * 1024;
/// The most bytes of a page that are read.
const MAX_PAGE: usize = 64 * 1024;
/// How many redirects are followed.
const MAX_REDIRECTS: usize = 10;
/// The most bytes of one header field that are kept.
const MAX_FIELD: usize = 2048;

/// The path of the file that CAs fetch (RFC 8555 section 8.3).
pub(super) const CHALLENGE_PATH: &str = "/.well-known/acme-challenge/petstore-check";

const AGENT: &str = concat!("petstore/", env!("CARGO_PKG_VERSION"), " (domains check)");

/// Sends one request over `stream`. A page is read only for GET, and only its beginning.
pub async fn request(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send,
    method: Method,
    url: &Url,
) -> Result<Response, ConnectionFailure> {
    let exchange = async {
        let request = Request::builder()
            .method(&method)
            .uri(&url[Position::BeforePath..Position::AfterQuery])
            .header(HOST, &url[Position::BeforeHost..Position::AfterPort])
            .header(USER_AGENT, AGENT)
            .body(Empty::<Bytes>::new())
            .map_err(|_| ConnectionFailure::NotHttp)?;
        let connected = http1::Builder::new().max_buf_size(MAX_HEAD).handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = connected.map_err(reason)?;
        let mut talk = std::pin::pin!(async {
            let answer = sender.send_request(request).await.map_err(reason)?;
            let mut response = fields(answer.status().as_u16(), answer.headers());
            if method == Method::GET {
                response.page = Some(beginning(answer.into_body()).await);
            }
            Ok(response)
        });
        // The connection must be polled, too; it ends first only when the server ends it.
        tokio::select! {
            result = &mut talk => result,
            _ = connection => talk.await,
        }
    };
    timeout(ANSWER_LIMIT, exchange).await.unwrap_or(Err(ConnectionFailure::Timeout))
}

fn reason(error: hyper::Error) -> ConnectionFailure {
    if error.is_parse() || error.is_parse_too_large() {
        ConnectionFailure::NotHttp
    } else if error.is_timeout() {
        ConnectionFailure::Timeout
    } else {
        ConnectionFailure::Reset
    }
}

fn fields(status: u16, headers: &HeaderMap) -> Response {
    let text = |name: &HeaderName| {
        let value = headers.get(name)?.as_bytes();
        Some(String::from_utf8_lossy(&value[..value.len().min(MAX_FIELD)]).into_owned())
    };
    let has = |name: &'static str| headers.contains_key(HeaderName::from_static(name));
    Response {
        status,
        location: text(&LOCATION),
        server: text(&SERVER),
        cf_ray: has("cf-ray"),
        cache_control: text(&CACHE_CONTROL),
        age: text(&AGE).and_then(|value| value.trim().parse().ok()),
        hsts: text(&STRICT_TRANSPORT_SECURITY),
        date: text(&DATE).and_then(|value| jiff::fmt::rfc2822::parse(value.trim()).ok()).map(|date| date.timestamp()),
        refresh: text(&REFRESH),
        page: None,
        parking_field: has("x-adblock-key"),
    }
}

async fn beginning(mut body: Incoming) -> String {
    let mut page = Vec::new();
    while page.len() < MAX_PAGE
        && let Some(Ok(frame)) = body.frame().await
    {
        if let Some(data) = frame.data_ref() {
            let room = MAX_PAGE - page.len();
            page.extend_from_slice(&data[..data.len().min(room)]);
        }
    }
    String::from_utf8_lossy(&page).into_owned()
}

impl ProbeContext<'_> {
    /// The address that a URL's host has: the known ones for the domain itself, others by resolvers.
    async fn address_of(&self, url: &Url, known: &[IpAddr]) -> Option<IpAddr> {
        match url.host()? {
            url::Host::Ipv4(address) => Some(address.into()),
            url::Host::Ipv6(address) => Some(address.into()),
            url::Host::Domain(host) => {
                let host = DnsName::new(host);
                if host == self.domain.name && !known.is_empty() {
                    return known.first().copied();
                }
                self.addresses_of(&host).await.first().copied()
            }
        }
    }

    /// The answer to GET where HEAD gives an error that GET does not give: visitors send GET.
    pub(super) async fn or_by_get(&self, hop: Hop, known: &[IpAddr]) -> Hop {
        let status = |hop: &Hop| hop.response().map(|response| response.status);
        // The site has no such file.
        let is_usual = hop.url.path().contains("petstore-check") && status(&hop) == Some(404);
        if is_usual || status(&hop).is_none_or(|status| status < 400) {
            return hop;
        }
        // It must not cost what is known already.
        match timeout(GET_LIMIT, self.hop_by(Method::GET, hop.url.clone(), known)).await {
            Ok(by_get) if status(&by_get).is_some_and(|by_get| Some(by_get) != status(&hop)) => by_get,
            _ => hop,
        }
    }

    /// The same, in bounded time.
    async fn bounded_hop(&self, url: Url, known: &[IpAddr]) -> Hop {
        let (at, method) = (self.now(), Method::HEAD);
        match timeout(HOP_LIMIT, self.hop_by(method.clone(), url.clone(), known)).await {
            Ok(hop) => self.or_by_get(hop, known).await,
            Err(_) => Hop { url, method, address: None, at, outcome: Err(ConnectionFailure::Timeout) },
        }
    }

    /// One request by `method`.
    pub(super) async fn hop_by(&self, method: Method, url: Url, known: &[IpAddr]) -> Hop {
        let at = self.now();
        let CheckOptions { http_port, https_port, .. } = self.options;
        let port = url.port().unwrap_or(if url.scheme() == "https" { *https_port } else { *http_port });
        let address = self.address_of(&url, known).await.map(|address| SocketAddr::new(address, port));
        let outcome = match address {
            None => Err(ConnectionFailure::NoAddress),
            Some(address) if !self.may_connect(address.ip()) => Err(ConnectionFailure::Withheld),
            Some(address) => self.answer(method.clone(), &url, address).await,
        };
        Hop { url, method, address, at, outcome }
    }

    async fn answer(&self, method: Method, url: &Url, address: SocketAddr) -> Result<Response, ConnectionFailure> {
        if let Some(world) = &self.options.world {
            return world.request(address.ip(), method, url);
        }
        if url.scheme() == "https" {
            let stream = tls::handshake(&self.options.trust, address, url.host_str()).await;
            return request(stream.map_err(ConnectionFailure::before_request)?, method, url).await;
        }
        request(connect(address).await?, method, url).await
    }

    /// From `next` on, hop by hop, until there is no redirect, an address comes again, or the limit is reached. `page`
    /// is asked for after the handshake anyway: that answer is taken.
    pub async fn trail(&self, mut next: Option<Url>, known: &[IpAddr], page: Option<&Url>) -> Trail {
        let mut trail = Trail::default();
        while let Some(url) = next.take() {
            let again = trail.hops.iter().any(|hop| hop.url == url);
            let hop = match known.first() {
                Some(address) if page == Some(&url) => self.page_of(*address, url).await,
                _ => self.bounded_hop(url, known).await,
            };
            next = hop.response().and_then(|response| target(&hop.url, response)).filter(|_| !again);
            trail.hops.push(hop);
            if trail.hops.len() > MAX_REDIRECTS || self.passed() > TRAIL_LIMIT {
                trail.cut = next.is_some();
                break;
            }
        }
        trail
    }

    /// The front page that came after the handshake with `address`.
    async fn page_of(&self, address: IpAddr, url: Url) -> Hop {
        let shaken = |seen: &Observations| seen.handshakes.iter().find(|shake| shake.address.ip() == address).cloned();
        let shake = self.until(shaken).await;
        let failure = shake.outcome.err().map_or(ConnectionFailure::NoHandshake, ConnectionFailure::before_request);
        let (method, address, outcome) = (Method::HEAD, Some(shake.address), Err(failure));
        shake.page.unwrap_or(Hop { url, method, address, at: shake.at, outcome })
    }
}

/// The target of a redirect, if it is http or https.
fn target(from: &Url, response: &Response) -> Option<Url> {
    let location = response.location.as_deref().filter(|_| response.is_redirect())?;
    let mut url = from.join(location.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    url.set_fragment(None);
    Some(url)
}
