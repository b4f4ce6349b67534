//! Holds answers against `assets/openapi.yaml`.

use crate::prelude::*;

use petstore::model::ProblemCode;
use petstore::model::draft::check_name;
use petstore::server::OPENAPI;
use serde_json::json;

use super::fixture::{Answer, JSON, Service, head, read_answer};
use super::idempotency::two_at_once;

pub static DESCRIPTION: LazyLock<Value> = LazyLock::new(|| serde_yaml_ng::from_str(OPENAPI).unwrap());

/// Headers of HTTP itself, which a description does not name.
const PLAIN: [&str; 4] = ["connection", "content-length", "content-type", "date"];

/// Panics unless the description allows `answer` to this request: its status, headers and body.
#[track_caller]
pub fn check(method: &str, target: &str, answer: &Answer) {
    let path = target.split('?').next().unwrap_or_default();
    let template = match path.strip_prefix("/v1/pets/") {
        Some("events") => path,
        Some(id) if !id.is_empty() && !id.contains('/') => "/v1/pets/{petId}",
        Some(rest) => match rest.split_once('/') {
            Some((id, "provenance")) if !id.is_empty() => "/v1/pets/{petId}/provenance",
            Some((id, "history")) if !id.is_empty() => "/v1/pets/{petId}/history",
            _ => path,
        },
        _ => path,
    };
    let operation = &DESCRIPTION["paths"][template][method.to_ascii_lowercase()];
    let content = if operation.is_null() {
        // An unknown path, or a method that the path has not: the text of the description says what comes then.
        assert!([401, 403, 404, 405, 429].contains(&answer.status), "{method} {target}: {answer:?}");
        assert_eq!(answer.header("allow").is_some(), answer.status == 405, "{answer:?}");
        let error = json!({"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}});
        if method == "HEAD" { Value::Null } else { error }
    } else {
        let response = response(operation, answer.status);
        assert!(!response.is_null(), "{method} {target}: {} is not described: {}", answer.status, answer.text());
        check_headers(&response["headers"], answer);
        response["content"].clone()
    };
    check_body(&content, answer);
}

/// The response object of this status, or of its class, with references followed.
fn response(operation: &Value, status: u16) -> &Value {
    let responses = &operation["responses"];
    match resolve(&responses[status.to_string()]) {
        Value::Null => resolve(&responses[format!("{}XX", status / 100)]),
        found => found,
    }
}

fn check_headers(described: &Value, answer: &Answer) {
    let described = described.as_object().unwrap();
    for (name, header) in described {
        let required = resolve(header)["required"] == true;
        assert!(!required || answer.header(&name.to_ascii_lowercase()).is_some(), "{name} is missing: {answer:?}");
    }
    for (name, _) in &answer.headers {
        let known = PLAIN.contains(&name.as_str()) || described.keys().any(|key| key.eq_ignore_ascii_case(name));
        assert!(known, "{name} is not described: {answer:?}");
    }
}

fn check_body(content: &Value, answer: &Answer) {
    let Some((media_type, content)) = content.as_object().and_then(|content| content.iter().next()) else {
        assert_eq!(answer.text(), "");
        return;
    };
    assert_eq!(answer.header("content-type"), Some(media_type.as_str()), "{answer:?}");
    let body = if media_type == "application/json" { answer.json() } else { answer.text().into() };
    let mut schema = content["schema"].clone();
    schema["components"] = DESCRIPTION["components"].clone();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(&body).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?} in {body}");
    if answer.status >= 400 {
        assert_eq!(body["status"], answer.status, "{body}");
    }
}

pub fn resolve(value: &Value) -> &Value {
    match value["$ref"].as_str() {
        None => value,
        Some(reference) => DESCRIPTION.pointer(reference.strip_prefix('#').unwrap()).unwrap(),
    }
}

#[test]
fn the_description_allows_just_the_names_that_are_taken() {
    let schema = &DESCRIPTION["components"]["schemas"]["NewPet"]["properties"]["name"];
    let described = jsonschema::validator_for(schema).unwrap();
    for character in '\0'..=char::MAX {
        for name in [character.to_string(), format!("a{character}"), format!("{character} ")] {
            assert_eq!(described.is_valid(&json!(name)), check_name(&name).is_ok(), "{name:?}");
        }
    }
}

#[tokio::test]
async fn every_answer_of_every_operation_is_as_described() {
    let config = Config { body_bytes: 100, body_time: Duration::from_millis(20), ..Service::config() };
    let service = Service::with(config).await;
    let mut seen = Vec::new();
    const PATCH: (&str, &str) = ("Content-Type", "application/json-patch+json");
    let rename = r#"[{"op":"replace","path":"/name","value":"Max"}]"#;
    let bearer = service.bearer();
    for (method, target, body) in [
        ("POST", "/v1/pets", REX),
        ("POST", "/v1/pets", REX),
        ("POST", "/v1/pets", "{}"),
        ("POST", "/v1/pets", &" ".repeat(101)),
        ("GET", "/v1/pets", ""),
        ("GET", "/v1/pets?limit=1", ""),
        ("GET", "/v1/pets?limit=0", ""),
        ("HEAD", "/v1/pets", ""),
        ("OPTIONS", "/v1/pets", ""),
        ("GET", "/v1/pets/1", ""),
        ("GET", "/v1/pets/3", ""),
        ("HEAD", "/v1/pets/1", ""),
        ("OPTIONS", "/v1/pets/1", ""),
        ("DELETE", "/v1/pets/1", ""),
        ("GET", "/v1/openapi.yaml", ""),
        ("GET", "/healthz", ""),
        ("GET", "/readyz", ""),
        ("GET", "/v1/store/orders", ""),
    ] {
        seen.push((method, target, service.call(method, target, &[JSON], body).await));
        seen.push((method, target, service.send(method, target, &[JSON], body).await));
    }
    seen.push(("POST", "/v1/pets", service.call("POST", "/v1/pets", &[], REX).await));
    for (target, body) in [
        ("/v1/pets/1", rename),
        ("/v1/pets/1", r#"[{"op":"test","path":"/name","value":"Bo"}]"#),
        ("/v1/pets/1", "{}"),
        ("/v1/pets/9", "[]"),
        ("/v1/pets/1", &" ".repeat(101)),
    ] {
        seen.push(("PATCH", target, service.call("PATCH", target, &[PATCH], body).await));
        seen.push(("PATCH", target, service.send("PATCH", target, &[PATCH], body).await));
    }
    seen.push(("PATCH", "/v1/pets/1", service.call("PATCH", "/v1/pets/1", &[JSON], rename).await));
    for body in [rename, "[]"] {
        let once = [("Authorization", &*bearer), PATCH, ("Idempotency-Key", "a")];
        seen.push(("PATCH", "/v1/pets/1", service.send("PATCH", "/v1/pets/1", &once, body).await));
    }

    for (method, target, media_type) in [("POST", "/v1/pets", JSON), ("PATCH", "/v1/pets/1", PATCH)] {
        let mut stream = service.connect().await;
        let slow = head(method, target, &[("Authorization", &bearer), media_type, ("Content-Length", "9")]);
        stream.write_all(format!("{slow}\r\n{{").as_bytes()).await.unwrap();
        let timed_out = read_answer(&mut stream).await;
        check(method, target, &timed_out);
        timed_out.is_error(408, "request_timeout");
        seen.push((method, target, timed_out));
    }

    let (_, read) = service.new_key("read").await;
    let (_, write) = service.new_key("write").await;
    let slow = Service::with(Config { failed_authentications: Some(NonZeroU32::MIN), ..Config::default() }).await;
    for (method, target) in [
        ("GET", "/v1/pets"),
        ("OPTIONS", "/v1/pets"),
        ("POST", "/v1/pets"),
        ("GET", "/v1/pets/1"),
        ("PATCH", "/v1/pets/1"),
        ("OPTIONS", "/v1/pets/1"),
    ] {
        let unable = if ["POST", "PATCH"].contains(&method) { &read } else { &write };
        let forbidden = service.call_as(unable, method, target, "").await;
        forbidden.is_error(403, "forbidden");
        let slowed = slow.slowed(method, target).await;
        slowed.is_error(429, "rate_limited");
        seen.extend([(method, target, forbidden), (method, target, slowed)]);
        if method == "GET" {
            let known = service.call(method, target, &[("If-None-Match", "*")], "").await;
            assert_eq!(known.status, 304);
            seen.push((method, target, known));
        }
    }
    seen.push(("POST", "/v1/pets", service.post_once("k", REX).await));
    seen.push(("POST", "/v1/pets", service.post_once("k", r#"{"name":"Bella","categoryId":1}"#).await));
    let (refused, _) = two_at_once(&service, "k2", REX).await;
    seen.push(("POST", "/v1/pets", refused));

    service.store.close().await;
    for (method, target, body) in [
        ("GET", "/v1/pets", ""),
        ("HEAD", "/v1/pets", ""),
        ("GET", "/v1/pets/1", ""),
        ("POST", "/v1/pets", REX),
        ("GET", "/readyz", ""),
    ] {
        let answer = service.call(method, target, &[JSON], body).await;
        assert_eq!(answer.status, 503, "{method} {target}");
        seen.push((method, target, answer));
    }
    seen.push(("PATCH", "/v1/pets/1", service.call("PATCH", "/v1/pets/1", &[PATCH], rename).await));
    assert_eq!(undocumented_or_unseen(&seen), Vec::<String>::new());
}

/// The described answers of the operations of the first version that no request led to. A 500 is a mistake of ours,
/// so no request leads to it; an OPTIONS that meets a closed database needs a key that is not in memory.
fn undocumented_or_unseen(seen: &[(&str, &str, Answer)]) -> Vec<String> {
    let mut unseen = Vec::new();
    for (path, target) in [("/v1/pets", "/v1/pets"), ("/v1/pets/{petId}", "/v1/pets/")] {
        for (method, operation) in DESCRIPTION["paths"][path].as_object().unwrap() {
            let Some(responses) = operation["responses"].as_object() else { continue };
            for status in responses.keys().filter(|status| *status != "500" && !status.ends_with('X')) {
                let was_seen = seen.iter().any(|(seen_method, seen_target, answer)| {
                    let seen_path = seen_target.split('?').next().unwrap();
                    let same_path = if path == target { seen_path == target } else { seen_path.starts_with(target) };
                    same_path && seen_method.eq_ignore_ascii_case(method) && answer.status.to_string() == **status
                });
                if !was_seen && (method, status.as_str()) != (&"options".to_owned(), "503") {
                    unseen.push(format!("{method} {path} {status}"));
                }
            }
        }
    }
    unseen
}

#[test]
fn additions_are_marked_and_the_operations_keep_their_names() {
    let paths = &DESCRIPTION["paths"];
    for (path, method, name) in
        [("/v1/pets", "get", "listPets"), ("/v1/pets", "post", "createPet"), ("/v1/pets/{petId}", "get", "getPet")]
    {
        assert_eq!(paths[path][method]["operationId"], name);
        assert_eq!(paths[path][method]["tags"], json!(["animals"]));
    }
    assert_eq!(paths["/v1/pets/{petId}"]["get"]["deprecated"], true);
    // What the first description shows; everything else is an addition.
    let given = ["listPets 200", "listPets 401", "createPet 201", "createPet 400", "createPet 401"];
    let given = [&given[..], &["getPet 200", "getPet 401", "getPet 404"]].concat();
    for operation in paths.as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values()) {
        let Some(name) = operation["operationId"].as_str() else { continue };
        for (status, response) in operation["responses"].as_object().unwrap() {
            let is_given = given.contains(&format!("{name} {status}").as_str());
            let is_marked = operation["x-addition"] == true || resolve(response)["x-addition"] == true;
            assert_ne!(is_given, is_marked, "{name} {status}");
        }
    }
}

#[test]
fn every_described_code_is_one_of_ours() {
    let codes = DESCRIPTION["components"]["schemas"]["Error"]["properties"]["code"]["enum"].as_array().unwrap();
    assert!(codes.iter().all(|code| ProblemCode::ALL.iter().any(|ours| ours.as_str() == code)), "{codes:?}");
}
