//! API keys from the command line to the service.

use petstore::clock;
use petstore::store::Store;
use secrecy::ExposeSecret;

use super::fixture::Service;

#[tokio::test]
async fn a_key_made_beside_the_running_service_works_at_once() {
    let service = Service::start().await;
    let beside = Store::open(&service.url()).await.unwrap();
    let key = beside.create_key("till 2", clock::now()).await.unwrap();
    beside.close().await;
    let authorization = format!("Bearer {}", key.expose_secret());
    let answer = service.send("GET", "/v1/pets", &[("Authorization", &authorization)], "").await;
    assert_eq!(answer.status, 200);
    let wrong = authorization.replace("Bearer petk_", "Bearer petk-");
    service.send("GET", "/v1/pets", &[("Authorization", &wrong)], "").await.is_error(401, "unauthorized");
}
