//! Which path leads where, and what is around it.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use futures_util::future::join;
use tokio::time::timeout;
use tower::Layer;

use super::failure::{Failure, Result};
use super::names::{
    EVENTS_PATH, HEALTH_PATH, HISTORY_PATH, OPENAPI_PATH, PET_PATH, PETS_PATH, PROVENANCE_PATH, READINESS_PATH,
};
use super::service::{Service, require_key};
use super::{events, frame, pets};
use crate::store::{FailureKind, StoreFailure};

/// The description of the API, as it is served at `/v1/openapi.yaml`.
pub const OPENAPI: &str = include_str!("../../assets/openapi.yaml");

/// This form ends with `# EOF`, so that half of it is not taken for the whole.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// How long the metrics wait to learn whether the service is ready: no longer than Prometheus waits for them.
const READY_TIME: Duration = Duration::from_secs(3);

const GET_ONLY: &str = "GET, HEAD, OPTIONS";
const GET_AND_PATCH: &str = "GET, HEAD, PATCH, OPTIONS";
const GET_AND_POST: &str = "GET, HEAD, POST, OPTIONS";

/// The whole service. Without a key nothing can be learnt from it, not even which paths there are; only the
/// description and the two probes are open.
pub fn router(service: Service) -> Router {
    let closed = Router::new()
        .route(PETS_PATH, with_allow(get(pets::list).post(pets::create), GET_AND_POST))
        .route(EVENTS_PATH, with_allow(get(events::events), GET_ONLY))
        .route(PET_PATH, with_allow(get(pets::get).patch(pets::change), GET_AND_PATCH))
        .route(PROVENANCE_PATH, with_allow(get(pets::provenance), GET_ONLY))
        .route(HISTORY_PATH, with_allow(get(pets::history), GET_ONLY))
        .fallback(|| async { Failure::NoSuchPath })
        .with_state(service.clone());
    // Around the closed router as a whole: a layer inside it would not see the Allow header that axum adds to a 405.
    let guarded = from_fn_with_state(service.clone(), require_key).layer(closed);
    let openapi = || async { ([(header::CONTENT_TYPE, "application/yaml")], OPENAPI) };
    let around = (Arc::clone(&service.metrics), Arc::clone(&service.config));
    Router::new()
        .route(OPENAPI_PATH, with_allow(get(openapi), GET_ONLY))
        // The process answers.
        .route(HEALTH_PATH, with_allow(get(|| async { StatusCode::NO_CONTENT }), GET_ONLY))
        .route(READINESS_PATH, with_allow(get(readyz), GET_ONLY))
        .fallback_service(guarded)
        .layer(from_fn(frame::require_sound))
        .layer(from_fn_with_state(around, frame::frame))
        .with_state(service)
}

/// `methods`, with OPTIONS answered and every other method refused by naming `allow`.
fn with_allow(methods: MethodRouter<Service>, allow: &'static str) -> MethodRouter<Service> {
    let header = [(header::ALLOW, HeaderValue::from_static(allow))];
    let options = header.clone();
    methods.options((StatusCode::NO_CONTENT, options)).fallback(move |method: Method| async move {
        let failure = Failure::MethodNotAllowed { method: method.to_string(), allow };
        (header, failure)
    })
}

/// Pets can be listed and added; with `?reads`, only listing is checked.
async fn readyz(State(service): State<Service>, uri: Uri) -> Result<StatusCode> {
    let ready = match uri.query() {
        Some("reads") => service.store.ping_for_reading().await,
        _ => service.store.ping().await,
    };
    ready.map_err(Failure::NotReady)?;
    Ok(StatusCode::NO_CONTENT)
}

/// What is served on the listener of the metrics.
pub fn metrics_router(service: Service) -> Router {
    Router::new().route("/metrics", get(metrics)).layer(from_fn(frame::require_sound)).with_state(service)
}

async fn metrics(State(Service { store, metrics, .. }): State<Service>) -> Response {
    let (writes, reads) = join(in_time(store.ping()), in_time(store.ping_for_reading())).await;
    metrics.set_ready("writes", writes);
    metrics.set_ready("reads", reads);
    match metrics.encode() {
        Ok(text) => ([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        // A string takes all that is written to it.
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn in_time(ping: impl Future<Output = Result<(), StoreFailure>>) -> Result<(), FailureKind> {
    timeout(READY_TIME, ping).await.map_err(|_| FailureKind::Timeout)?.map_err(|why| why.kind())
}
