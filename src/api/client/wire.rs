//! One exchange: sends the request, reads the complete answer or, of a stream, its head, and records both if there is a
//! recorder.

use std::sync::atomic::Ordering;
use std::time::Instant;

use reqwest::header::HeaderName;
use reqwest::{Method, Request, RequestBuilder, Response, StatusCode};
use tokio::time::timeout;
use url::Url;

use super::response::{FullResponse, refusal};
use super::{Client, date_of};
use crate::api::exchange::Recording;
use crate::api::{ApiError, Defect};
use crate::clock;

const IDEMPOTENCY_KEY_RETENTION: HeaderName = HeaderName::from_static("idempotency-key-retention");

/// The largest body that is read.
const MAX_BODY: usize = 8 << 20;

impl Client {
    pub(in crate::api) fn request(&self, method: Method, url: Url) -> RequestBuilder {
        let mut request = Request::new(method, url);
        request.headers_mut().clone_from(&self.headers);
        RequestBuilder::from_parts(self.http.clone(), request)
    }

    /// Sends the request and reads the answer whole, up to [`MAX_BODY`]. Its status is one of `promised`.
    pub(super) async fn exchange(
        &self,
        request: RequestBuilder,
        promised: &[StatusCode],
    ) -> Result<FullResponse, ApiError> {
        let now = clock::now();
        let request = request.build().map_err(|error| self.classify(error, now.mono))?;
        let recorder = self.recorder.as_ref();
        let mut recording = recorder.map(|tell| Recording::begin(tell, self.what, &request, self.key.as_ref(), now));
        let answer = async {
            let response = self.head(request, now.mono, recording.as_mut()).await?;
            self.rest(response, now.mono).await
        };
        let answer = answer.await;
        if let Some(recording) = recording {
            match &answer {
                Ok(answer) => recording.answered(&answer.body),
                Err(error) => recording.failed(error),
            }
        }
        let answer = answer?;
        if promised.contains(&answer.status) { Ok(answer) } else { Err(refusal(&answer)) }
    }

    /// Sends the request, and returns the answer, whose status is 200, with its body still to come. Its head comes within
    /// the time allowed for a whole answer.
    pub(in crate::api) async fn open(&self, request: RequestBuilder) -> Result<Response, ApiError> {
        let now = clock::now();
        let request = request.build().map_err(|error| self.classify(error, now.mono))?;
        let recorder = self.recorder.as_ref();
        let mut recording = recorder.map(|tell| Recording::begin(tell, self.what, &request, self.key.as_ref(), now));
        let opened = timeout(self.timeouts.total, async {
            let response = self.head(request, now.mono, recording.as_mut()).await?;
            if response.status() == StatusCode::OK {
                return Ok(response);
            }
            let answer = self.rest(response, now.mono).await?;
            Err(refusal(&answer))
        });
        let opened = opened.await.unwrap_or(Err(ApiError::Timeout(self.timeouts.total)));
        if let Some(recording) = recording {
            match &opened {
                Ok(_) => recording.answered(&[]),
                Err(error) => recording.failed(error),
            }
        }
        opened
    }

    async fn head(
        &self,
        request: Request,
        started: Instant,
        recording: Option<&mut Recording>,
    ) -> Result<Response, ApiError> {
        let response = self.http.execute(request).await.map_err(|error| self.classify(error, started))?;
        if let Some(recording) = recording {
            recording.head(response.status(), response.headers());
        }
        if let Some(value) = response.headers().get(IDEMPOTENCY_KEY_RETENTION) {
            // Keys are kept, for an unknown time if the value is not a number of seconds.
            let seconds = value.to_str().ok().and_then(|value| value.trim().parse().ok()).unwrap_or(1);
            self.idempotency_retention.store(seconds, Ordering::Relaxed);
        }
        if let Some(date) = date_of(response.headers()) {
            *self.dated.lock() = Some((date, clock::now().mono));
        }
        Ok(response)
    }

    async fn rest(&self, mut response: Response, started: Instant) -> Result<FullResponse, ApiError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.classify(error, started))? {
            if body.len() + chunk.len() > MAX_BODY {
                return Err(ApiError::Malformed(Defect::TooLarge(MAX_BODY)));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(FullResponse { status: response.status(), headers: std::mem::take(response.headers_mut()), body })
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
