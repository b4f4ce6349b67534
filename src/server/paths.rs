//! The paths of the service.

/// The path of the description, which is also where the deprecation is explained.
pub(super) const OPENAPI_PATH: &str = "/v1/openapi.yaml";

pub(super) const PETS_PATH: &str = "/v1/pets";
pub(super) const PET_PATH: &str = "/v1/pets/{petId}";
pub(super) const HEALTH_PATH: &str = "/healthz";
pub(super) const READINESS_PATH: &str = "/readyz";

pub(super) fn is_get_pet(path: &str) -> bool {
    path.strip_prefix("/v1/pets/").is_some_and(|id| !id.is_empty() && !id.contains('/'))
}
