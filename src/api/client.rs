//! The three operations of the description over HTTP, each asked once.
//!
//! reqwest has no time limit, follows redirects with the key and takes proxies for loopback unless told otherwise; here
//! it is told: limits on connecting, reading, the whole exchange and the size, no redirects, no proxy for loopback.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, LINK, RETRY_AFTER};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde::de::DeserializeOwned;
use url::Url;

use super::error::RetryAfter;
use super::{ApiError, Defect, NextPage, PetPage};
use crate::clock;
use crate::model::{ApiKey, BaseUrl, IdempotencyKey, NewPet, Pet, PetId, PetQuery, Problem};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const IDEMPOTENCY_KEY_RETENTION: HeaderName = HeaderName::from_static("idempotency-key-retention");

/// The largest body that is read.
const MAX_BODY: usize = 8 << 20;

/// How long an idle connection is kept: shorter than services do, ours 10 s, so that no request meets one that closes.
const IDLE: Duration = Duration::from_secs(8);

/// How much of a body that could not be read is kept for the error, in bytes.
const EXCERPT: usize = 800;

/// How long each part of an exchange may take.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// Until the connection stands, TLS included.
    pub connect: Duration,
    /// Between two pieces of the answer.
    pub read: Duration,
    /// The whole exchange.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), read: Duration::from_secs(15), total: Duration::from_secs(30) }
    }
}

/// A client of one service with one key. Cheap to clone; clones share their connections.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    base: BaseUrl,
    key: Option<ApiKey>,
    timeouts: Timeouts,
    keeps_idempotency_keys: Arc<AtomicBool>,
}

impl Client {
    /// A client for `base`. Without a key it still asks; the service then answers 401.
    ///
    /// The caller has checked [`BaseUrl::guard_clear_text`]. Fails when the machine's certificates cannot be read.
    pub fn new(base: BaseUrl, key: Option<ApiKey>, timeouts: Timeouts) -> Result<Self, reqwest::Error> {
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("petstore/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(timeouts.connect)
            .read_timeout(timeouts.read)
            .timeout(timeouts.total)
            .tcp_nodelay(true)
            .pool_idle_timeout(IDLE)
            .http1_only();
        if base.is_https() {
            builder = builder.https_only(true);
        } else {
            // Never used over plain HTTP, but reading the machine's certificates would take longer than the request.
            builder = builder.tls_backend_preconfigured(no_certificates());
        }
        if base.is_loopback() {
            // A new connection costs next to nothing here, while looking after idle ones would wake an idle program.
            builder = builder.no_proxy().pool_max_idle_per_host(0);
        }
        let keeps_idempotency_keys = Arc::default();
        Ok(Self { http: builder.build()?, base, key, timeouts, keeps_idempotency_keys })
    }

    /// The same service with another key; the connections are kept.
    #[must_use]
    pub fn with_key(&self, key: ApiKey) -> Self {
        Self { key: Some(key), ..self.clone() }
    }

    /// `GET /pets` (section 4.1).
    pub async fn list_pets(&self, query: &PetQuery) -> Result<PetPage, ApiError> {
        let mut url = self.base.join("pets");
        {
            let mut pairs = url.query_pairs_mut();
            pairs.append_pair("limit", &query.limit.to_string());
            if let Some(status) = query.status {
                pairs.append_pair("status", status.as_str());
            }
            if let Some(after) = query.after {
                pairs.append_pair("after", &after.to_string());
            }
        }
        self.page(url).await
    }

    /// A further page of a list.
    pub async fn list_next(&self, next: &NextPage) -> Result<PetPage, ApiError> {
        self.page(next.0.clone()).await
    }

    /// `POST /pets` (section 4.2), sent exactly once. Where the service keeps such keys, sending it again with the same
    /// one adds no second animal.
    pub async fn create_pet(&self, new: &NewPet, key: &IdempotencyKey) -> Result<Pet, ApiError> {
        let body = serde_json::to_vec(new).map_err(|source| json_defect(source, &[]))?;
        let request = self
            .request(Method::POST, self.base.join("pets"))
            .header(CONTENT_TYPE, "application/json")
            .header(IDEMPOTENCY_KEY, key.as_str())
            .body(body);
        let (_, body) = self.exchange(request, StatusCode::CREATED).await?;
        read_json(&body)
    }

    /// Whether any answer so far, to this client or a clone of it, has said that the service keeps idempotency keys (an
    /// addition).
    #[must_use]
    pub fn keeps_idempotency_keys(&self) -> bool {
        self.keeps_idempotency_keys.load(Ordering::Relaxed)
    }

    /// `GET /pets/{petId}` (section 4.3), deprecated: it is removed on 5 December 2030.
    pub async fn get_pet(&self, id: PetId) -> Result<Pet, ApiError> {
        let url = self.base.join(&format!("pets/{id}"));
        let (_, body) = self.exchange(self.request(Method::GET, url), StatusCode::OK).await?;
        read_json(&body)
    }

    async fn page(&self, url: Url) -> Result<PetPage, ApiError> {
        let request = self.request(Method::GET, url.clone());
        let (headers, body) = self.exchange(request, StatusCode::OK).await?;
        let links = headers.get_all(LINK);
        let next = NextPage::from_links(&url, links.iter().filter_map(|value| value.to_str().ok()));
        Ok(PetPage { pets: read_json(&body)?, next })
    }

    fn request(&self, method: Method, url: Url) -> RequestBuilder {
        let request = self.http.request(method, url).header(ACCEPT, "application/json");
        match &self.key {
            Some(key) => request.bearer_auth(key.expose()),
            None => request,
        }
    }

    /// Sends the request and reads the answer whole, up to [`MAX_BODY`].
    async fn exchange(&self, request: RequestBuilder, promised: StatusCode) -> Result<(HeaderMap, Vec<u8>), ApiError> {
        let started = clock::now().mono;
        let mut response = request.send().await.map_err(|error| self.classify(error, started))?;
        if response.headers().contains_key(IDEMPOTENCY_KEY_RETENTION) {
            self.keeps_idempotency_keys.store(true, Ordering::Relaxed);
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.classify(error, started))? {
            if body.len() + chunk.len() > MAX_BODY {
                return Err(ApiError::Malformed(Defect::TooLarge(MAX_BODY)));
            }
            body.extend_from_slice(&chunk);
        }
        let status = response.status();
        if status == promised {
            Ok((std::mem::take(response.headers_mut()), body))
        } else if status.is_success() {
            Err(ApiError::Malformed(Defect::Status(status.as_u16())))
        } else {
            let problem = serde_json::from_slice::<Problem>(&body).ok();
            let excerpt = if problem.is_some() { String::new() } else { excerpt(&body) };
            let retry_after =
                response.headers().get(RETRY_AFTER).map(|value| retry_after(value.to_str().unwrap_or("")));
            Err(ApiError::Refused { status: status.as_u16(), problem, excerpt, retry_after })
        }
    }

    fn classify(&self, error: reqwest::Error, started: Instant) -> ApiError {
        // The URL is ours and shown elsewhere; without it the causes read better.
        let error = error.without_url();
        if error.is_connect() && error.is_timeout() {
            ApiError::ConnectTimeout(self.timeouts.connect)
        } else if error.is_connect() || error.is_builder() {
            ApiError::NotSent(error)
        } else if error.is_timeout() {
            ApiError::Timeout(clock::now().mono.duration_since(started))
        } else {
            ApiError::Broken(error)
        }
    }
}

fn read_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|source| json_defect(source, body))
}

fn json_defect(source: serde_json::Error, body: &[u8]) -> ApiError {
    ApiError::Malformed(Defect::Json { source, excerpt: excerpt(body) })
}

fn excerpt(body: &[u8]) -> String {
    String::from_utf8_lossy(&body[..body.len().min(EXCERPT)]).into_owned()
}

fn retry_after(value: &str) -> RetryAfter {
    value.trim().parse().map_or(RetryAfter::Other, RetryAfter::Seconds)
}

fn no_certificates() -> rustls::ClientConfig {
    rustls::ClientConfig::builder().with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth()
}

/// Makes ring the process's TLS provider. To be called once at start, before any [`Client`] is made.
pub fn install_tls_provider() {
    // Fails only when one is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
