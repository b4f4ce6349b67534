//! The paths of the service, and the names of headers that are used in more than one place.

use axum::http::HeaderName;

/// The path of the description, which is also where the deprecation is explained.
pub const OPENAPI_PATH: &str = "/v1/openapi.yaml";

pub const PETS_PATH: &str = "/v1/pets";
pub const EVENTS_PATH: &str = "/v1/pets/events";
pub const PET_PATH: &str = "/v1/pets/{petId}";
pub const PROVENANCE_PATH: &str = "/v1/pets/{petId}/provenance";
pub const HEALTH_PATH: &str = "/healthz";
pub const READINESS_PATH: &str = "/readyz";

pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// A link would be taken for one to the next page by clients that only check whether there is one.
pub const PETS_EVENTS: HeaderName = HeaderName::from_static("pets-events");
pub const PETS_ORDER: HeaderName = HeaderName::from_static("pets-order");
pub const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub const IDEMPOTENCY_KEY_RETENTION: HeaderName = HeaderName::from_static("idempotency-key-retention");
pub const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

pub fn is_get_pet(path: &str) -> bool {
    path != EVENTS_PATH && path.strip_prefix("/v1/pets/").is_some_and(|id| !id.is_empty() && !id.contains('/'))
}

/// The id in the path of a provenance, which need not be one.
pub fn id_of_provenance(path: &str) -> Option<&str> {
    path.strip_prefix("/v1/pets/")?.strip_suffix("/provenance").filter(|id| !id.is_empty() && !id.contains('/'))
}
