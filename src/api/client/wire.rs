//! One exchange: sends the request, reads the complete answer, and records both if there is a recorder.

use std::sync::atomic::Ordering;
use std::time::Instant;

use reqwest::header::HeaderName;
use reqwest::{Method, Request, RequestBuilder, StatusCode};
use url::Url;

use super::response::{FullResponse, judge};
use super::{Client, date_of};
use crate::api::exchange::Recording;
use crate::api::{ApiError, Defect};
use crate::clock;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const IDEMPOTENCY_KEY_RETENTION: HeaderName = HeaderName::from_static("idempotency-key-retention");

/// The largest body that is read.
const MAX_BODY: usize = 8 << 20;

impl Client {
    pub(super) fn request(&self, method: Method, url: Url) -> RequestBuilder {
        let mut request = Request::new(method, url);
        request.headers_mut().clone_from(&self.headers);
        RequestBuilder::from_parts(self.http.clone(), request).header(TRACEPARENT, self.trace.new_parent())
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
        let answer = self.whole(request, now.mono, recording.as_mut()).await;
        if let Some(recording) = recording {
            match &answer {
                Ok(answer) => recording.answered(&answer.body),
                Err(error) => recording.failed(error),
            }
        }
        judge(answer?, promised)
    }

    async fn whole(
        &self,
        request: Request,
        started: Instant,
        recording: Option<&mut Recording>,
    ) -> Result<FullResponse, ApiError> {
        let mut response = self.http.execute(request).await.map_err(|error| self.classify(error, started))?;
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
