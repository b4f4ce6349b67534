//! The names of headers that are used in more than one place.

use axum::http::HeaderName;

pub(super) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// A link would be taken for one to the next page by clients that only check whether there is one.
pub(super) const PETS_EVENTS: HeaderName = HeaderName::from_static("pets-events");
pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub(super) const IDEMPOTENCY_KEY_RETENTION: HeaderName = HeaderName::from_static("idempotency-key-retention");
pub(super) const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
