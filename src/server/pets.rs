//! The three operations on animals (section 4 of the description).

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::time::timeout;

use super::failure::Failure;
use super::{Service, extract, new_pet};
use crate::clock;
use crate::model::PetQuery;
use crate::store::StoreError;

/// `GET /pets` (4.1). Where there are more, `Link: <…>; rel="next"` leads on (an addition).
pub(super) async fn list(State(service): State<Service>, uri: Uri) -> Result<Response, Failure> {
    let query = extract::pet_query(&uri)?;
    let page = service.within_time(service.store.list(&query)).await?;
    let mut headers = HeaderMap::new();
    let next = page.next.map(|after| next_link(&PetQuery { after: Some(after), ..query }));
    headers.extend(next.and_then(|link| Some((header::LINK, link.parse().ok()?))));
    Ok((headers, json(&page.pets)?).into_response())
}

/// `POST /pets` (4.2). Answers once the animal is on disk.
pub(super) async fn create(State(service): State<Service>, request: Request) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    let body = extract::json_body(&parts.headers, body, &service.config).await?;
    let new = new_pet::parse(&body)?;
    let pet = service.within_time(service.store.add(new, clock::now())).await?;
    Ok((StatusCode::CREATED, json(&pet)?).into_response())
}

/// `GET /pets/{petId}` (4.3, deprecated).
pub(super) async fn get(State(service): State<Service>, uri: Uri) -> Result<Response, Failure> {
    let id = extract::pet_id(&uri)?;
    let pet = service.within_time(service.store.get(id)).await?;
    let pet = pet.ok_or_else(|| Failure::NoSuchPet(id.to_string()))?;
    Ok(json(&pet)?.into_response())
}

impl Service {
    async fn within_time<T>(&self, work: impl Future<Output = Result<T, StoreError>>) -> Result<T, Failure> {
        let done = timeout(self.config.request_time, work).await.map_err(|_| Failure::Storage(None))?;
        Ok(done?)
    }
}

/// Relative to the service, so that it holds behind any proxy and never leads to another host.
fn next_link(query: &PetQuery) -> String {
    let mut link = format!("</v1/pets?limit={}", query.limit);
    link.extend(query.status.map(|status| format!("&status={status}")));
    link.extend(query.after.map(|after| format!("&after={after}")));
    link + ">; rel=\"next\""
}

/// Straight to bytes; about a hundred of them for an animal.
fn json<T: Serialize>(value: &T) -> Result<impl IntoResponse + use<T>, Failure> {
    let bytes = serde_json::to_vec(value).map_err(|_| Failure::Internal)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], Bytes::from(bytes)))
}
