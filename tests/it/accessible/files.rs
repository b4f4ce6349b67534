//! Importing a file.

use petstore::api::client::Timeouts;

use super::Person;
use crate::service::fixture::Service;
use crate::stub::{always, impatient, json};

const FILE: &str = "name,category,status\nRex,1,sold\nLuna,one,\n,2,\nMax,3, Available \nRex,1,sold\n";

#[tokio::test]
async fn bad_rows_are_named_before_it_is_asked_whether_to_send() {
    let service = Service::start().await;
    let person = Person::of(&service);
    person.file("pets.csv", FILE);
    let lines = ["5", "nothing.csv", "~/pets.csv", "", "import", "~/pets.csv", "yes", "5", "~/pets.csv", "quit"];
    insta::assert_snapshot!(person.says(&lines).await);
    assert_eq!(service.get("/v1/pets").await.json().as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn columns_without_a_known_name_are_asked_for() {
    let service = Service::start().await;
    let person = Person::of(&service);
    person.file("pets.csv", "animal,kind\nRex,3\nMax,4\n");
    let lines = ["5", "'~/pets.csv'", "animal", "3", "three", "7", "y", "quit"];
    insta::assert_snapshot!(person.says(&lines).await);
}

#[tokio::test]
async fn rows_that_the_service_refuses_are_named_and_a_file_that_is_none_is_said() {
    let stub = always(json("400 Bad Request", r#"{"code":"NO","message":"Not this one.","status":400}"#)).await;
    let person = Person::at(&stub.base_url, "petk_0123456789abcdef77d0", impatient(), "");
    person.file("pets.csv", "name,category\nRex,1\n");
    person.file("empty.csv", "");
    insta::assert_snapshot!(person.says(&["5", "~/empty.csv", "5", "~/pets.csv", "yes", "quit"]).await);
}

#[tokio::test]
async fn an_import_that_finds_no_service_sends_nothing_and_can_be_begun_again() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let person = Person::at(&base_url, "petk_0123456789abcdef77d0", Timeouts::default(), "");
    person.file("pets.csv", "name,category\nRex,1\n");
    let transcript = person.says(&["5", "~/pets.csv", "yes", "5", "~/pets.csv", "no", "quit"]).await;
    insta::assert_snapshot!(transcript);
}
