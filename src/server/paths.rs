//! The paths of the service.

/// The path of the description, which is also where the deprecation is explained.
pub(super) const OPENAPI_PATH: &str = "/v1/openapi.yaml";

pub(super) const PETS_PATH: &str = "/v1/pets";
pub(super) const EVENTS_PATH: &str = "/v1/pets/events";
pub(super) const PET_PATH: &str = "/v1/pets/{petId}";
pub(super) const PROVENANCE_PATH: &str = "/v1/pets/{petId}/provenance";
pub(super) const HEALTH_PATH: &str = "/healthz";
pub(super) const READINESS_PATH: &str = "/readyz";

pub(super) fn is_get_pet(path: &str) -> bool {
    path != EVENTS_PATH && path.strip_prefix("/v1/pets/").is_some_and(|id| !id.is_empty() && !id.contains('/'))
}

/// The id in the path of a provenance, which need not be one.
pub(super) fn id_of_provenance(path: &str) -> Option<&str> {
    path.strip_prefix("/v1/pets/")?.strip_suffix("/provenance").filter(|id| !id.is_empty() && !id.contains('/'))
}
