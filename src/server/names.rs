//! The paths of the service, and the names of headers that are used in more than one place.

use axum::http::HeaderName;

/// The path of the description, which is also where the deprecation is explained.
pub const OPENAPI_PATH: &str = "/v1/openapi.yaml";

pub const PETS_PATH: &str = "/v1/pets";
pub const EVENTS_PATH: &str = "/v1/pets/events";
pub const PET_PATH: &str = "/v1/pets/{petId}";
pub const PROVENANCE_PATH: &str = "/v1/pets/{petId}/provenance";
pub const HISTORY_PATH: &str = "/v1/pets/{petId}/history";
pub const HEALTH_PATH: &str = "/healthz";
pub const READINESS_PATH: &str = "/readyz";

pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// A link would be taken for one to the next page by clients that only check whether there is one.
pub const PETS_EVENTS: HeaderName = HeaderName::from_static("pets-events");
pub const PETS_ORDER: HeaderName = HeaderName::from_static("pets-order");
pub const PETS_TOTAL: HeaderName = HeaderName::from_static("pets-total");
pub const ACCEPT_PATCH: HeaderName = HeaderName::from_static("accept-patch");
pub const IDEMPOTENCY_KEY_RETENTION: HeaderName = HeaderName::from_static("idempotency-key-retention");
pub const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The media types of bodies.
pub const JSON: &str = "application/json";
pub const JSON_PATCH: &str = "application/json-patch+json";

/// Every route, and what stands for all other paths.
pub const ROUTES: [&str; 9] =
    [PETS_PATH, EVENTS_PATH, PET_PATH, PROVENANCE_PATH, HISTORY_PATH, OPENAPI_PATH, HEALTH_PATH, READINESS_PATH, OTHER];
pub const OTHER: &str = "other";

/// The route of a path, and the id in it, which need not be one.
pub fn route(path: &str) -> (&'static str, &str) {
    let id = path.strip_prefix("/v1/pets/").filter(|_| path != EVENTS_PATH).unwrap_or_default();
    let below = [("/provenance", PROVENANCE_PATH), ("/history", HISTORY_PATH)];
    let below = below.into_iter().find_map(|(suffix, route)| Some((id.strip_suffix(suffix)?, route)));
    let (id, of_pet) = below.unwrap_or((id, PET_PATH));
    if id.is_empty() || id.contains('/') {
        return (ROUTES.iter().find(|route| **route == path).unwrap_or(&OTHER), "");
    }
    (of_pet, id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_route_and_perhaps_an_id() {
        assert_eq!(route("/v1/pets/1"), (PET_PATH, "1"));
        assert_eq!(route("/v1/pets/abc"), (PET_PATH, "abc"));
        assert_eq!(route("/v1/pets/provenance"), (PET_PATH, "provenance"));
        assert_eq!(route("/v1/pets/7/provenance"), (PROVENANCE_PATH, "7"));
        assert_eq!(route("/v1/pets/7/history"), (HISTORY_PATH, "7"));
        for known in [PETS_PATH, EVENTS_PATH, OPENAPI_PATH, HEALTH_PATH, READINESS_PATH] {
            assert_eq!(route(known), (known, ""));
        }
        for other in ["/v1/pets/", "/v1/pets/1/photo", "/v1/pets//provenance", "/v1/pets/1/2/provenance", "", "other"] {
            assert_eq!(route(other), (OTHER, ""));
        }
    }
}
