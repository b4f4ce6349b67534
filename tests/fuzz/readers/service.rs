//! What clients send to the service.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use petstore::model::{NewPet, Pet, PetStatus, Problem, draft};
use petstore::server::{self, Config, OPENAPI, ServerHandle};
use petstore::store::{DatabaseUrl, Store};
use secrecy::ExposeSecret as _;
use serde_json::{Value, from_slice, from_str, to_value};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use super::{contains, directory, is_clean, runtime};

/// Stands for the API key in a seed.
const KEY: &[u8] = b"KEY";

/// What clients may wait for an answer, far longer than it takes.
const LONG: Duration = Duration::from_secs(60);

struct Service {
    runtime: &'static Runtime,
    address: SocketAddr,
    key: String,
    /// The pet that is changed, as it is now.
    pet: RefCell<Value>,
    _server: ServerHandle,
    _directory: TempDir,
}

thread_local!(static SERVICE: Service = Service::start());

struct Answer {
    status: u16,
    body: Vec<u8>,
}

impl Service {
    fn start() -> Self {
        let (runtime, directory) = (runtime(), directory());
        let url = DatabaseUrl::Sqlite(directory.path().join("store.db"));
        let (store, server) = runtime.block_on(async {
            let store = Store::open(&url).await.unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let config = Config { failed_authentications: None, ..Config::default() };
            (store.clone(), server::start(config, store, vec![listener]).unwrap())
        });
        let key = store.session_key().unwrap().expose_secret().to_owned();
        let (address, pet) = (server.local_addr(), RefCell::default());
        let service = Self { runtime, address, key, pet, _server: server, _directory: directory };
        for status in ["available", "pending", "sold"].repeat(3) {
            let new = format!(r#"{{"name":"Rex","categoryId":3,"status":"{status}"}}"#);
            let added = service.ask("POST /v1/pets", "application/json", new.as_bytes());
            service.pet.replace(from_slice(&added.body).unwrap());
        }
        service
    }

    /// The answer to these bytes, if there is one; `patience` is how long to wait for it before the client hangs up.
    fn exchange(&self, request: &[u8], patience: Duration) -> Option<Answer> {
        let exchange = async {
            let mut stream = TcpStream::connect(self.address).await.unwrap();
            // The service may answer and close before it has read everything.
            let _ = stream.write_all(request).await;
            let _ = timeout(patience, stream.readable()).await;
            if patience < LONG {
                let _ = stream.shutdown().await;
            }
            let mut answer = Vec::new();
            // A stream need not end while somebody reads.
            while !contains(&answer, b"\r\ncontent-type: text/event-stream")
                && stream.read_buf(&mut answer).await.is_ok_and(|count| count > 0)
            {}
            answer
        };
        let answer = self.runtime.block_on(async { timeout(LONG, exchange).await }).expect("the connection ends");
        assert!(!contains(&answer, self.key.as_bytes()));
        let answer = answer.strip_prefix(b"HTTP/1.1 100 Continue\r\n\r\n").unwrap_or(&answer);
        let end = answer.windows(4).position(|end| end == b"\r\n\r\n")?;
        let head = str::from_utf8(&answer[..end]).unwrap();
        let status = head.strip_prefix("HTTP/1.").unwrap()[2..5].parse().unwrap();
        assert!((200..500).contains(&status), "{head}");
        // After the head of an answer to HEAD comes the next answer.
        let body = if answer[end + 4..].starts_with(b"HTTP/1.") { &[] } else { &answer[end + 4..] };
        if status >= 400 && !body.is_empty() {
            let problem: Problem = serde_json::Deserializer::from_slice(body).into_iter().next().unwrap().unwrap();
            assert!(problem.status == status && !problem.message.is_empty());
            is_clean(&problem.message);
        }
        Some(Answer { status, body: body.to_vec() })
    }

    /// The answer to a whole request.
    fn ask(&self, what: &str, media_type: &str, body: &[u8]) -> Answer {
        let (key, length) = (&self.key, body.len());
        let head = format!(
            "{what} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {key}\r\nContent-Type: \
             {media_type}\r\nContent-Length: {length}\r\n\r\n"
        );
        self.exchange(&[head.as_bytes(), body].concat(), LONG).expect("an answer")
    }
}

/// A request is answered or its connection ends; without the key nothing but the description and the probes is, and
/// without a single `Host` nothing.
pub fn head(bytes: &[u8]) {
    SERVICE.with(|service| {
        let key = bytes.windows(KEY.len()).position(|here| here == KEY);
        let request = match key {
            Some(at) => [&bytes[..at], service.key.as_bytes(), &bytes[at + KEY.len()..]].concat(),
            None => bytes.to_vec(),
        };
        let is_whole = contains(bytes, b"\n\n") || contains(bytes, b"\n\r\n");
        let patience = Duration::from_millis(if is_whole { 3 } else { 0 });
        let Some(Answer { status, body }) = service.exchange(&request, patience) else { return };
        // It may be cut off, or another answer may follow.
        let is_description = body.iter().zip(OPENAPI.as_bytes()).all(|(here, there)| here == there);
        assert!(key.is_some() || status >= 400 || is_description, "{status}");
        let head = String::from_utf8_lossy(bytes).trim_start().to_ascii_lowercase();
        let mut lines = head.lines().take_while(|line| !line.is_empty());
        let is_old = lines.next().is_some_and(|line| line.ends_with("http/1.0"));
        let hosts = lines.filter(|line| line.starts_with("host:")).count();
        assert!(status >= 400 || hosts == 1 || is_old && hosts == 0, "{status}");
    });
}

/// The pets that a query gets are those that it asks for; any other query is refused.
pub fn query(bytes: &[u8]) {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"&=%+-._".contains(byte);
    let text = |byte: &u8| if is_plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") };
    let query: String = bytes.iter().map(text).collect();
    let Answer { status, body } = SERVICE.with(|service| service.ask(&format!("GET /v1/pets?{query}"), "", b""));
    if status != 200 {
        return assert!([400, 414, 431].contains(&status), "{status}");
    }
    let mut asked: HashMap<Cow<'_, str>, Cow<'_, str>> = HashMap::new();
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        let is_known = ["limit", "status", "order", "after", "before"].contains(&&*name);
        assert!(asked.insert(name, value).is_none() || !is_known, "{query}");
    }
    let pets: Vec<Pet> = from_slice(&body).unwrap();
    let limit = asked.get("limit").map_or(20, |limit| limit.parse().unwrap());
    assert!(pets.len() <= limit && (1..=100).contains(&limit));
    let descends = asked.get("order").is_some_and(|order| order == "desc");
    assert!(pets.is_sorted_by(|one, next| if descends { one.id > next.id } else { one.id < next.id }));
    let [after, before] = ["after", "before"].map(|name| asked.get(name).map(|id| id.parse::<i64>().unwrap()));
    assert!(pets.iter().all(|pet| after.is_none_or(|id| pet.id > id) && before.is_none_or(|id| pet.id < id)));
    let status = asked.get("status").map(|status| status.parse::<PetStatus>().unwrap().into());
    assert!(status.is_none() || pets.iter().all(|pet| pet.status == status));
}

/// A valid pet is added as it is written, anything else is refused.
pub fn body(bytes: &[u8]) {
    let Answer { status, body } = SERVICE.with(|service| service.ask("POST /v1/pets", "application/json", bytes));
    let sent: Value = from_slice(bytes).unwrap_or_default();
    let text = str::from_utf8(bytes).unwrap_or_default();
    let valid = from_str::<NewPet>(text).is_ok_and(|new| draft::check_name(&new.name).is_ok());
    if status != 201 {
        return assert!(status == 400 && !(valid && sent.is_object() && sent.get("status") != Some(&Value::Null)));
    }
    let pet: Pet = from_slice(&body).unwrap();
    assert!(draft::check_name(&pet.name).is_ok() && sent["name"] == *pet.name);
    // It may be written as -0.
    assert_eq!(sent["categoryId"].as_i64().unwrap_or_default(), pet.category_id);
    assert!(sent.get("status").is_none_or(|status| *status == to_value(pet.status).unwrap()));
}

/// A change does what its operations say and nothing else, or nothing at all.
pub fn patch(bytes: &[u8]) {
    // What -0 is the same as is a matter of JSON.
    if contains(bytes, b"-0") {
        return;
    }
    SERVICE.with(|service| {
        let mut pet = service.pet.borrow_mut();
        let what = format!("PATCH /v1/pets/{}", pet["id"]);
        let Answer { status, body } = service.ask(&what, "application/json-patch+json", bytes);
        let changed = changed(&pet, &from_slice(bytes).unwrap_or_default());
        match status {
            200 => {
                *pet = from_slice(&body).unwrap();
                assert_eq!(changed, Some(pet.clone()));
            }
            409 => assert!(changed.is_none() && from_slice::<Value>(&body).unwrap()["pet"] == *pet),
            _ => assert_eq!(status, 400),
        }
    });
}

/// What the operations of `patch` make of `pet`; nothing where a test fails.
fn changed(pet: &Value, patch: &Value) -> Option<Value> {
    let mut pet = pet.clone();
    for operation in patch.as_array()? {
        let member = operation["path"].as_str()?.strip_prefix('/')?;
        if operation["op"] == "replace" {
            pet[member] = operation["value"].clone();
        } else if pet[member] != operation["value"] {
            return None;
        }
    }
    Some(pet)
}
