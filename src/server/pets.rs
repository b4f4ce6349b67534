//! The operations on pets (section 4 of the description), but for their events.
//!
//! What is read is answered with a strong ETag, and with 304 if the client sends it again (RFC 9110, 8.8.3 and 13.1.2;
//! an addition). Polling then costs a slow connection next to nothing.

use std::pin::pin;
use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use super::connection::{GRACE, Waiting};
use super::extract;
use super::failure::{Failure, Result, Write};
use super::limits::Limit;
use super::names::{
    EVENTS_PATH, IDEMPOTENCY_REPLAYED, JSON, JSON_PATCH, PETS_EVENTS, PETS_ORDER, PETS_PATH, PETS_TOTAL,
};
use super::service::Service;
use crate::clock;
use crate::model::{Pet, PetId, PetQuery, Provenance};
use crate::store::keys::Identity;
use crate::store::{ChangeOutcome, CreateOutcome, Idempotency, KeyId, StoreError};

/// `GET /pets` (4.1). Where there are more, `Link: <…>; rel="next"` leads on, and other headers tell where new ones can be
/// followed, and which orders there are; `HEAD` also says how many pets there are in all (additions).
pub async fn list(State(service): State<Service>, method: Method, headers: HeaderMap, uri: Uri) -> Result<Response> {
    let query = extract::pet_query(&uri, true)?;
    let page = service.within_time(service.store.list(&query)).await?;
    // Relative to the service, so that it holds behind any proxy and never leads to another host.
    let next = page.next.map(|_| format!("<{PETS_PATH}?{}>; rel=\"next\"", PetQuery { after: page.next, ..query }));
    let next = next.and_then(|link| HeaderValue::try_from(link).ok());
    let mut response = answer(&headers, json(&page.pets)?, next);
    response.headers_mut().insert(PETS_EVENTS, HeaderValue::from_static(EVENTS_PATH));
    response.headers_mut().insert(PETS_ORDER, HeaderValue::from_static("asc, desc"));
    if method == Method::HEAD {
        let total = service.within_time(service.store.count(query.status)).await?;
        response.headers_mut().insert(PETS_TOTAL, total.into());
    }
    Ok(response)
}

/// `POST /pets` (4.2). Answers once the pet is on disk.
pub async fn create(
    State(service): State<Service>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Response> {
    let (parts, body) = request.into_parts();
    let key = extract::idempotency_key(&parts.headers)?;
    let body = service.body(&parts, body, JSON, identity.key).await?;
    let (new, keyed, now) = (extract::new_pet(&body)?, key.is_some(), clock::now());
    let add = async {
        match key.map(|key| Idempotency { api_key: identity.key, key }) {
            Some(once) => service.store.add_once(new, once, now).await,
            None => {
                let pet = service.store.add_by(new, Some(identity.key), now).await?;
                Ok(CreateOutcome { pet, replayed: false })
            }
        }
    };
    let added = service.within_time(add).await.map_err(|failure| failure.of(Write::Addition, keyed))?;
    written(StatusCode::CREATED, &added.pet, added.replayed)
}

fn written(status: StatusCode, pet: &Pet, is_replayed: bool) -> Result<Response> {
    let mut response = (status, APPLICATION_JSON, json(pet)?).into_response();
    if is_replayed {
        response.headers_mut().insert(IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// `GET /pets/{petId}` (4.3, deprecated).
pub async fn get(State(service): State<Service>, parts: Parts) -> Result<Response> {
    service.about_pet(&parts, |id| service.store.get(id)).await
}

/// `PATCH /pets/{petId}` (an addition). Answers once the change is on disk.
pub async fn change(
    State(service): State<Service>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Response> {
    let (parts, body) = request.into_parts();
    let (id, key) = (extract::pet_id(&parts.uri)?, extract::idempotency_key(&parts.headers)?);
    extract::no_preconditions(&parts.headers)?;
    let body = service.body(&parts, body, JSON_PATCH, identity.key).await?;
    let (patch, keyed) = (extract::patch(&body)?, key.is_some());
    let once = key.map(|key| Idempotency { api_key: identity.key, key });
    let changed = service.within_time(service.store.change(id, patch, once, identity.key, clock::now())).await;
    match changed.map_err(|failure| failure.of(Write::Change, keyed))? {
        ChangeOutcome::Changed(pet) => written(StatusCode::OK, &pet, false),
        ChangeOutcome::Replayed(pet) => written(StatusCode::OK, &pet, true),
        ChangeOutcome::Refused(pet) => Err(Failure::Changed(Box::new(pet))),
        ChangeOutcome::NoSuchPet => Err(Failure::NoSuchPet(id.to_string())),
    }
}

/// `GET /pets/{petId}/history` (an addition).
pub async fn history(State(service): State<Service>, parts: Parts) -> Result<Response> {
    service.about_pet(&parts, |id| service.store.history(id)).await
}

/// `GET /pets/{petId}/provenance` (an addition).
pub async fn provenance(State(service): State<Service>, parts: Parts) -> Result<Response> {
    let find = async |id| Ok(service.store.provenance(id).await?.map(|provenance| OfPet { id, provenance }));
    service.about_pet(&parts, find).await
}

/// The provenance of a pet.
#[derive(Serialize)]
struct OfPet {
    id: PetId,
    #[serde(flatten)]
    provenance: Provenance,
}

impl Service {
    /// The whole body. Meanwhile the connection waits, and may have to make room for others.
    async fn body(&self, parts: &Parts, body: Body, media_type: &'static str, key: KeyId) -> Result<Bytes> {
        let waiting = parts.extensions.get::<Arc<Waiting>>();
        waiting.inspect(|waiting| waiting.begin(clock::now()));
        let mut body = pin!(extract::body(&parts.headers, body, media_type, &self.config));
        let body = match timeout(GRACE, body.as_mut()).await {
            Ok(soon) => soon,
            Err(_) => {
                let Some(_slow) = self.slow_bodies.begin(key) else { return Err(self.too_many(Limit::Bodies)) };
                body.await
            }
        };
        waiting.inspect(|waiting| waiting.stop());
        body
    }

    /// Answers with what `find` finds of the pet in the path.
    async fn about_pet<T: Serialize, F: Future<Output = Result<Option<T>, StoreError>>>(
        &self,
        parts: &Parts,
        find: impl FnOnce(PetId) -> F,
    ) -> Result<Response> {
        let id = extract::pet_id(&parts.uri)?;
        let found = self.within_time(find(id)).await?.ok_or_else(|| Failure::NoSuchPet(id.to_string()))?;
        Ok(answer(&parts.headers, json(&found)?, None))
    }

    async fn within_time<T>(&self, work: impl Future<Output = Result<T, StoreError>>) -> Result<T> {
        let done = timeout(self.config.request_time, work).await.map_err(|_| Failure::Storage(None))?;
        Ok(done?)
    }
}

fn json<T: Serialize>(value: &T) -> Result<Bytes> {
    serde_json::to_vec(value).map(Bytes::from).map_err(|_| Failure::Internal)
}

const APPLICATION_JSON: [(HeaderName, HeaderValue); 1] =
    [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];

/// `body` as JSON with its ETag, or 304 where `request` names that. `link` is part of what the ETag stands for, since
/// a full last page gets its link without any change of its body.
pub fn answer(request: &HeaderMap, body: Bytes, link: Option<HeaderValue>) -> Response {
    let etag = etag(&body, link.as_ref());
    let mut headers = HeaderMap::with_capacity(8);
    let is_known = is_known(request, &etag);
    headers.insert(header::ETAG, etag);
    headers.extend(link.map(|link| (header::LINK, link)));
    if is_known {
        (StatusCode::NOT_MODIFIED, headers).into_response()
    } else {
        (headers, APPLICATION_JSON, body).into_response()
    }
}

/// The first 128 bits of a hash, in quotes.
fn etag(body: &[u8], link: Option<&HeaderValue>) -> HeaderValue {
    let mut hasher = Sha256::new().chain_update(body);
    // What follows JSON cannot be taken for a part of it.
    hasher.update(link.map_or(&b""[..], HeaderValue::as_bytes));
    let hash: [u8; 32] = hasher.finalize().into();
    let half = hash.first_chunk().copied().unwrap_or_default();
    let text = format!("\"{:032x}\"", u128::from_be_bytes(half));
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// Whether `If-None-Match` names `etag`, or whatever there is. Weak ones compare equal too.
fn is_known(request: &HeaderMap, etag: &HeaderValue) -> bool {
    let mut values = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values.any(|value| {
        let mut tags = value.split(',').map(|tag| tag.trim().trim_start_matches("W/"));
        tags.any(|tag| tag == "*" || tag.as_bytes() == etag.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_etag_in_a_list_a_weak_one_and_a_star_are_known() {
        let etag = etag(b"[]", None);
        let known = |value: &str| {
            let headers = HeaderMap::from_iter([(header::IF_NONE_MATCH, HeaderValue::try_from(value).unwrap())]);
            is_known(&headers, &etag)
        };
        let text = etag.to_str().unwrap();
        assert!(known(text) && known(&format!("\"a\", W/{text}")) && known("*"));
        assert!(!known("") && !known("\"a\"") && !known(text.trim_matches('"')));
    }

    #[test]
    fn a_page_that_got_a_successor_is_another_one() {
        let link = HeaderValue::from_static("</v1/pets?limit=1&after=1>; rel=\"next\"");
        assert_ne!(etag(b"[]", None), etag(b"[]", Some(&link)));
    }
}
