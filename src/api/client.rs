//! The three operations of the description over HTTP, and those that are additions, each asked once.
//!
//! By default reqwest has no time limit, follows redirects with the key and uses proxies for loopback. This client limits
//! connecting, reading, the whole exchange and the size, follows no redirects, and uses no proxy for loopback.

use std::iter;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, DATE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH, LINK,
    RETRY_AFTER,
};
use reqwest::{Certificate, ClientBuilder, Method, Request, RequestBuilder, Response, StatusCode, Url};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::exchange::{Recorder, Recording};
use super::failure::RetryAfter;
use super::{Failure, NextPage, PetPage, Result};
use crate::clock;
use crate::model::{
    ApiKey, BaseUrl, IdempotencyKey, Limit, NewPet, Pet, PetHistoryEntry, PetId, PetPatch, PetQuery, PetStatus, Problem,
};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const JSON_PATCH: HeaderValue = HeaderValue::from_static("application/json-patch+json");

/// The addresses of `localhost` and of every name below it; the port is that of the URL.
const LOOPBACK: [SocketAddr; 2] =
    [SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0), SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), 0)];

/// How long an idle connection is kept: shorter than services do, ours 10 s, so that no request meets one that closes.
const IDLE: Duration = Duration::from_secs(8);

/// By how much two clocks may differ, and how long a creation may be under way, in seconds.
const CLOCKS_DIFFER: SignedDuration = SignedDuration::from_secs(600);

/// The longest entity tag that is kept, in bytes.
const MAX_ETAG: usize = 256;

/// How long each part of an exchange may take.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// Until the connection is established, including TLS.
    pub connect: Duration,
    /// Between two pieces of the answer.
    pub read: Duration,
    /// The whole exchange.
    pub total: Duration,
    /// Between two pieces of a stream of events, which has a comment at least every 15 s.
    pub silence: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let [connect, read, total, silence] = [5, 15, 30, 40].map(Duration::from_secs);
        Self { connect, read, total, silence }
    }
}

/// A client of one service with one key. Cheap to clone; clones share their connections.
#[derive(Clone, derive_more::Debug)]
#[debug("Client {{ base: {:?}, key: {key:?}, .. }}", to.base)]
pub struct Client {
    http: reqwest::Client,
    to: Endpoint,
    key: Option<ApiKey>,
    /// What is the same in every request: the address of the pets, and the headers.
    pets: Url,
    headers: HeaderMap,
    learned: Arc<Mutex<Learned>>,
    recorder: Option<Recorder>,
    what: &'static str,
}

/// What is connected to, and how.
#[derive(Clone)]
struct Endpoint {
    base: BaseUrl,
    timeouts: Timeouts,
    authorities: Option<Authorities>,
}

/// What the answers so far have shown of the service.
#[derive(Default)]
struct Learned {
    offers: Offers,
    idempotency_retention: Duration,
    /// The `Date` of the last answer that had one, and when it came.
    date: Option<(Timestamp, Instant)>,
}

/// Which additions to the description a service has, by the last list that a client or a clone of it has asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// New pets can be followed.
    pub events: bool,
    /// It lists the newest pets first where it is asked to. Others need not know the parameter.
    pub order: bool,
    /// Pets can be changed.
    pub changes: bool,
}

/// CA certificates to trust instead of those of the system or of `SSL_CERT_FILE`.
#[derive(Clone, Debug)]
pub struct Authorities(Arc<[Certificate]>);

/// Why CA certificates cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NoAuthorities {
    /// There are no certificates.
    #[error("it contains no certificate")]
    Empty,
    /// It is not PEM.
    #[error(transparent)]
    Malformed(#[from] reqwest::Error),
}

impl Authorities {
    /// Those of a PEM file (RFC 7468).
    pub fn of(pem: &[u8]) -> Result<Self, NoAuthorities> {
        let authorities = Certificate::from_pem_bundle(pem)?;
        if authorities.is_empty() { Err(NoAuthorities::Empty) } else { Ok(Self(authorities.into())) }
    }
}

/// A page as it came.
pub(super) struct UnreadPage {
    /// Where the list goes on, if the service says so.
    pub(super) next: Option<NextPage>,
    /// It still has the entity tag that was shown, and comes without rows.
    pub(super) is_same: bool,
    /// Its entity tag, if it has one that can be shown again.
    pub(super) etag: Option<String>,
    body: Vec<u8>,
}

impl UnreadPage {
    /// The pets in it.
    pub(super) fn read(self) -> Result<PetPage> {
        Ok(PetPage { pets: read_json(&self.body)?, next: self.next })
    }
}

impl Client {
    /// A client for `base`. Without a key it still asks; the service then answers 401.
    ///
    /// The caller has checked [`BaseUrl::guard_clear_text`]. Fails when the machine's certificates cannot be read.
    pub fn new(base: BaseUrl, key: Option<ApiKey>, timeouts: Timeouts) -> reqwest::Result<Self> {
        Self::trusting(base, key, timeouts, None)
    }

    /// The same, with these CA certificates if any are given. Also fails if one of them cannot be used.
    pub fn trusting(
        base: BaseUrl,
        key: Option<ApiKey>,
        timeouts: Timeouts,
        authorities: Option<Authorities>,
    ) -> reqwest::Result<Self> {
        let (pets, headers, learned) = (base.join("pets"), headers(key.as_ref()), Arc::default());
        let to = Endpoint { base, timeouts, authorities };
        Ok(Self { http: to.http()?, to, key, pets, headers, learned, recorder: None, what: "request" })
    }

    /// The same client for many requests one after another: it keeps its connections also to a service on loopback.
    ///
    /// Fails when the machine's certificates cannot be read.
    pub fn keeping_connections(&self) -> reqwest::Result<Self> {
        Ok(Self { http: self.to.limited(true).build()?, ..self.clone() })
    }

    /// The same client with another limit for each answer.
    ///
    /// Fails when the machine's certificates cannot be read.
    pub fn within(&self, total: Duration) -> reqwest::Result<Self> {
        let timeouts = self.to.timeouts;
        let timeouts = Timeouts { connect: timeouts.connect.min(total), read: total, total, ..timeouts };
        let to = Endpoint { timeouts, ..self.to.clone() };
        Ok(Self { http: to.http()?, to, ..self.clone() })
    }

    /// The same service with another key; the connections are kept.
    pub fn with_key(&self, key: ApiKey) -> Self {
        Self { headers: headers(Some(&key)), key: Some(key), ..self.clone() }
    }

    /// The key that it asks with.
    pub const fn key(&self) -> Option<&ApiKey> {
        self.key.as_ref()
    }

    /// The same client, which passes each finished exchange to `recorder`; so do its clones.
    pub fn recording(self, recorder: Recorder) -> Self {
        Self { recorder: Some(recorder), ..self }
    }

    /// The same client for one purpose, which its records name; "request" when none is given.
    pub fn called(&self, what: &'static str) -> Self {
        Self { what, ..self.clone() }
    }

    /// `GET /pets` (section 4.1).
    pub async fn list_pets(&self, query: &PetQuery) -> Result<PetPage> {
        self.unread_page(&self.first_page(query), None).await?.read()
    }

    /// How many pets the service has, in all or with `status`, where it says so for a `HEAD` (an addition).
    pub async fn total(&self, status: Option<PetStatus>) -> Result<Option<u64>> {
        let asked = self.first_page(&PetQuery { status, limit: Limit::MIN, ..PetQuery::default() });
        let answer = match self.exchange(self.request(Method::HEAD, asked.0.clone()), &[StatusCode::OK]).await {
            // It has only what the description has.
            Err(Failure::Refused { status: 404 | 405 | 501, .. }) => return Ok(None),
            answer => answer?,
        };
        Ok(answer.headers.get("pets-total").and_then(|total| total.to_str().ok()?.parse().ok()))
    }

    /// Asks what the clock of the service says, to the second, by the `Date` of the answer; `None` where it has none.
    pub async fn date(&self) -> Result<Option<Timestamp>> {
        let asked = self.first_page(&PetQuery { limit: Limit::MIN, ..PetQuery::default() });
        let answer = self.get(asked.0.clone()).await?;
        self.next_page(&asked, &answer);
        Ok(date_of(&answer.headers))
    }

    /// What the clock of the service says now, by the last answer with a `Date`.
    pub fn time(&self) -> Option<Timestamp> {
        let (date, came) = self.learned.lock().date?;
        date.checked_add(clock::now().mono.saturating_duration_since(came)).ok()
    }

    /// The address of the first page of a list.
    pub(super) fn first_page(&self, query: &PetQuery) -> NextPage {
        NextPage::first(&self.to.base, query)
    }

    /// The same, unless it still has this entity tag, and not yet read: where the list goes on is known before, so that
    /// reading need not be waited for.
    pub(super) async fn unread_page(&self, asked: &NextPage, etag: Option<&str>) -> Result<UnreadPage> {
        let request = self.request(Method::GET, asked.0.clone());
        let (request, promised) = match etag {
            Some(etag) => (request.header(IF_NONE_MATCH, etag), &[StatusCode::OK, StatusCode::NOT_MODIFIED][..]),
            None => (request, &[StatusCode::OK][..]),
        };
        let answer = self.exchange(request, promised).await?;
        let (next, is_same) = (self.next_page(asked, &answer), answer.status == StatusCode::NOT_MODIFIED);
        let etag = answer.headers.get(ETAG).and_then(|value| value.to_str().ok()).filter(|etag| is_etag(etag));
        Ok(UnreadPage { next, is_same, etag: etag.map(str::to_owned), body: answer.body })
    }

    /// What the service offers beyond the description.
    pub fn offers(&self) -> Offers {
        self.learned.lock().offers
    }

    /// The same client without a limit for whole answers.
    pub(super) fn for_streams(&self) -> reqwest::Result<Self> {
        Ok(Self { http: self.to.unlimited(false).build()?, ..self.clone() })
    }

    pub(super) const fn silence(&self) -> Duration {
        self.to.timeouts.silence
    }

    /// The address of something below that of the service.
    pub(super) fn url(&self, path: &str) -> Url {
        self.to.base.join(path)
    }

    /// Where the list goes on. Also learns what else the service offers.
    fn next_page(&self, asked: &NextPage, answer: &FullResponse) -> Option<NextPage> {
        let has = |name| answer.headers.contains_key(name);
        let changes = answer.headers.get("accept-patch") == Some(&JSON_PATCH);
        self.learned.lock().offers = Offers { events: has("pets-events"), order: has("pets-order"), changes };
        let links = answer.headers.get_all(LINK).iter();
        NextPage::from_links(&asked.0, links.filter_map(|value| value.to_str().ok()))
    }

    /// `POST /pets` (section 4.2), sent exactly once. Where the service keeps such keys, sending it again with the same
    /// key adds no second pet.
    pub async fn create_pet(&self, new: &NewPet, key: &IdempotencyKey) -> Result<Pet> {
        let body = serde_json::to_vec(new).map_err(|error| Failure::malformed(error, ""))?;
        let request = self
            .request(Method::POST, self.pets.clone())
            .header(CONTENT_TYPE, JSON)
            .header(IDEMPOTENCY_KEY, key.as_str())
            .body(body);
        read_json(&self.exchange(request, &[StatusCode::CREATED]).await?.body)
    }

    /// `PATCH /pets/{petId}` (an addition), sent exactly once: sending it again with the same key changes nothing again.
    /// Where a test fails, the pet as it is now is in the [`Failure`].
    pub async fn change_pet(&self, id: PetId, patch: &PetPatch, key: &IdempotencyKey) -> Result<Pet> {
        let body = serde_json::to_vec(patch).map_err(|error| Failure::malformed(error, ""))?;
        let request = self
            .request(Method::PATCH, self.url(&format!("pets/{id}")))
            .header(CONTENT_TYPE, JSON_PATCH)
            .header(IDEMPOTENCY_KEY, key.as_str())
            .body(body);
        let pet: Pet = read_json(&self.exchange(request, &[StatusCode::OK]).await?.body)?;
        if pet.id == id { Ok(pet) } else { Err(Failure::malformed("it is about another pet", "")) }
    }

    /// `GET /pets/{petId}/history` (an addition): the addition of a pet, then its changes, for keys that may audit.
    pub async fn history(&self, id: PetId) -> Result<Vec<PetHistoryEntry>> {
        read_json(&self.get(self.url(&format!("pets/{id}/history"))).await?.body)
    }

    /// Whether any answer so far, to this client or a clone of it, shows that the service keeps idempotency keys (an
    /// addition).
    pub fn keeps_idempotency_keys(&self) -> bool {
        !self.idempotency_retention().is_zero()
    }

    /// How long it keeps them, by the last answer with that header; zero without one.
    pub fn idempotency_retention(&self) -> Duration {
        self.learned.lock().idempotency_retention
    }

    /// Whether it surely still knows the Idempotency-Key of a creation of this age. A creation in the future has no known
    /// age: one of the clocks was or is wrong.
    pub fn surely_knows(&self, age: SignedDuration) -> bool {
        let retention = SignedDuration::try_from(self.idempotency_retention()).unwrap_or(SignedDuration::MAX);
        -CLOCKS_DIFFER <= age && age.max(SignedDuration::ZERO) < retention.saturating_sub(CLOCKS_DIFFER)
    }

    /// `GET /pets/{petId}` (section 4.3), deprecated: it is removed on 5 December 2030.
    pub(super) async fn get_pet(&self, id: PetId) -> Result<Pet> {
        read_json(&self.get(self.url(&format!("pets/{id}"))).await?.body)
    }
}

/// When the service sent this answer (RFC 9110, section 6.6.1).
fn date_of(headers: &HeaderMap) -> Option<Timestamp> {
    let date = headers.get(DATE)?.to_str().ok()?;
    Some(jiff::fmt::rfc2822::parse(date).ok()?.timestamp())
}

/// Those of every request.
fn headers(key: Option<&ApiKey>) -> HeaderMap {
    // A key has only characters that a header may have.
    let bearer = key.and_then(|key| HeaderValue::try_from(format!("Bearer {}", key.expose())).ok());
    let bearer = bearer.map(|mut bearer| {
        bearer.set_sensitive(true);
        (AUTHORIZATION, bearer)
    });
    iter::once((ACCEPT, JSON)).chain(bearer).collect()
}

impl Endpoint {
    fn http(&self) -> reqwest::Result<reqwest::Client> {
        self.limited(!self.base.is_loopback()).build()
    }

    fn limited(&self, keep_connections: bool) -> ClientBuilder {
        self.unlimited(keep_connections).read_timeout(self.timeouts.read).timeout(self.timeouts.total)
    }

    /// Limits nothing but the time to connect.
    fn unlimited(&self, keep_connections: bool) -> ClientBuilder {
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("petstore/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(self.timeouts.connect)
            .tcp_nodelay(true)
            .pool_idle_timeout(IDLE)
            .http1_only();
        if self.base.is_https() {
            builder = builder.https_only(true);
            if let Some(Authorities(certificates)) = &self.authorities {
                builder = builder.tls_certs_only(certificates.iter().cloned());
            }
        } else {
            // Never used over plain HTTP, but reading the machine's certificates would take longer than the request.
            let none = rustls::ClientConfig::builder().with_root_certificates(rustls::RootCertStore::empty());
            builder = builder.tls_backend_preconfigured(none.with_no_client_auth());
        }
        if self.base.is_loopback() {
            builder = builder.no_proxy();
        }
        if let Some(name) = self.base.loopback_name() {
            builder = builder.resolve_to_addrs(name, &LOOPBACK);
        }
        if !keep_connections {
            // A new connection costs next to nothing on loopback, while looking after idle ones would wake an idle program.
            builder = builder.pool_max_idle_per_host(0);
        }
        builder
    }
}

/// Whether it has the form of an entity tag (RFC 9110, section 8.8.3), strong or weak, and is of a length to keep.
fn is_etag(text: &str) -> bool {
    let tag = text.strip_prefix("W/").unwrap_or(text);
    let quoted = tag.len() >= 2 && tag.starts_with('"') && tag.ends_with('"');
    quoted && text.len() <= MAX_ETAG
}

/// Makes ring the process's TLS provider. To be called once at start, before any [`Client`] is made.
pub fn install_tls_provider() {
    // Fails only when one is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// How much of a body that could not be read is kept for the error, in bytes.
const EXCERPT: usize = 800;

/// An answer that came whole.
struct FullResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

/// What an answer with an unexpected status means.
fn refusal(FullResponse { status, headers, body }: &FullResponse) -> Failure {
    if status.is_success() || *status == StatusCode::NOT_MODIFIED {
        Failure::malformed(format_args!("unexpected status {}", status.as_u16()), "")
    } else {
        let excerpt = excerpt(body);
        let body = serde_json::from_slice::<Problem>(body).map_err(|_| excerpt.as_str());
        let retry_after = headers.get(RETRY_AFTER).map(|value| retry_after(value.to_str().unwrap_or("")));
        Failure::refused(status.as_u16(), body, retry_after)
    }
}

pub(super) fn read_json<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    serde_json::from_slice(body).map_err(|error| Failure::malformed(error, &excerpt(body)))
}

fn excerpt(body: &[u8]) -> String {
    String::from_utf8_lossy(&body[..body.len().min(EXCERPT)]).into_owned()
}

fn retry_after(value: &str) -> RetryAfter {
    value.trim().parse().map_or(RetryAfter::Other, RetryAfter::Seconds)
}

const IDEMPOTENCY_KEY_RETENTION: HeaderName = HeaderName::from_static("idempotency-key-retention");

/// The largest body that is read.
const MAX_BODY: usize = 8 << 20;

impl Client {
    pub(super) fn request(&self, method: Method, url: Url) -> RequestBuilder {
        let mut request = Request::new(method, url);
        request.headers_mut().clone_from(&self.headers);
        RequestBuilder::from_parts(self.http.clone(), request)
    }

    /// The answer with status 200.
    async fn get(&self, url: Url) -> Result<FullResponse> {
        self.exchange(self.request(Method::GET, url), &[StatusCode::OK]).await
    }

    /// Sends the request and reads the answer whole, up to [`MAX_BODY`]. Its status is one of `promised`.
    async fn exchange(&self, request: RequestBuilder, promised: &[StatusCode]) -> Result<FullResponse> {
        let (request, started, mut recording) = self.begin(request)?;
        let answer = async { self.rest(self.head(request, started, recording.as_mut()).await?, started).await }.await;
        if let Some(recording) = recording {
            recording.end(answer.as_ref().map(|answer| answer.body.as_slice()));
        }
        let answer = answer?;
        if promised.contains(&answer.status) { Ok(answer) } else { Err(refusal(&answer)) }
    }

    /// Sends the request, and returns the answer, whose status is 200, with its body still to come. Its head comes within
    /// the time allowed for a whole answer.
    pub(super) async fn open(&self, request: RequestBuilder) -> Result<Response> {
        let (request, started, mut recording) = self.begin(request)?;
        let opened = timeout(self.to.timeouts.total, async {
            let response = self.head(request, started, recording.as_mut()).await?;
            if response.status() == StatusCode::OK {
                return Ok(response);
            }
            Err(refusal(&self.rest(response, started).await?))
        });
        let opened = opened.await.unwrap_or(Err(Failure::NoAnswer { after: self.to.timeouts.total }));
        if let Some(recording) = recording {
            recording.end(opened.as_ref().map(|_| &[][..]));
        }
        opened
    }

    /// The request, when it begins, and its record if there is a recorder.
    fn begin(&self, request: RequestBuilder) -> Result<(Request, Instant, Option<Recording>)> {
        let now = clock::now();
        let request = request.build().map_err(|error| self.classify(error, now.mono))?;
        let recording = |tell| Recording::begin(tell, self.what, &request, self.key.as_ref(), now);
        let recording = self.recorder.clone().map(recording);
        Ok((request, now.mono, recording))
    }

    async fn head(&self, request: Request, started: Instant, recording: Option<&mut Recording>) -> Result<Response> {
        let response = self.http.execute(request).await.map_err(|error| self.classify(error, started))?;
        if let Some(recording) = recording {
            recording.head(response.status(), response.headers());
        }
        if let Some(value) = response.headers().get(IDEMPOTENCY_KEY_RETENTION) {
            // Keys are kept, for an unknown time if the value is not a number of seconds.
            let seconds = value.to_str().ok().and_then(|value| value.trim().parse().ok()).unwrap_or(1);
            self.learned.lock().idempotency_retention = Duration::from_secs(seconds);
        }
        if let Some(date) = date_of(response.headers()) {
            self.learned.lock().date = Some((date, clock::now().mono));
        }
        Ok(response)
    }

    async fn rest(&self, mut response: Response, started: Instant) -> Result<FullResponse> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.classify(error, started))? {
            if body.len() + chunk.len() > MAX_BODY {
                return Err(Failure::malformed(format_args!("larger than {} MiB", MAX_BODY >> 20), ""));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(FullResponse { status: response.status(), headers: std::mem::take(response.headers_mut()), body })
    }

    fn classify(&self, error: reqwest::Error, started: Instant) -> Failure {
        // The URL is ours and shown elsewhere; without it the causes read better.
        let error = error.without_url();
        if error.is_connect() && error.is_timeout() {
            Failure::NotSent { why: format!("no connection within {} s", self.to.timeouts.connect.as_secs()) }
        } else if error.is_connect() || error.is_builder() {
            Failure::not_sent(&error)
        } else if error.is_timeout() {
            Failure::NoAnswer { after: clock::now().mono.duration_since(started) }
        } else {
            Failure::broken(&error)
        }
    }
}
