//! What the service is compared with: the same list from memory, and the same disk with one fsync for each insert.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use petstore::model::sample;
use rusqlite::Connection;
use serde::Serialize;
use tokio::net::TcpListener;
use url::form_urlencoded;

use super::common::Served;

/// With this, the measurements are the server instead.
pub const OPTION: &str = "--yardstick";

const PETS: usize = 1000;

#[derive(Serialize)]
struct Pet {
    id: usize,
    name: String,
    #[serde(rename = "categoryId")]
    category_id: i64,
    status: String,
}

type Pets = Arc<RwLock<Vec<Pet>>>;

/// The server in a separate process, as the service is.
pub fn start() -> Served {
    Served::spawn(Command::new(std::env::current_exe().unwrap()).arg(OPTION))
}

/// The least that an axum server can do for a list: no key is asked for, nothing is checked, nothing is stored.
#[tokio::main]
#[allow(clippy::print_stderr, reason = "it says where it listens, as the service does")]
pub async fn serve() {
    let pets = (0..PETS).map(|index| {
        let new = sample(index);
        let status = new.status.unwrap().to_string();
        Pet { id: index + 1, name: new.name, category_id: new.category_id, status }
    });
    let pets: Pets = Arc::new(RwLock::new(pets.collect()));
    let router = Router::new().route("/v1/pets", get(list)).with_state(pets);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    eprintln!("listening on http://{}/v1", listener.local_addr().unwrap());
    axum::serve(listener, router).await.unwrap();
}

async fn list(State(pets): State<Pets>, RawQuery(query): RawQuery) -> impl IntoResponse {
    let query = query.unwrap();
    let (mut limit, mut status) = (None, None);
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "limit" => limit = value.parse().ok(),
            "status" => status = Some(value),
            _ => panic!("{name}"),
        }
    }
    let pets = pets.read().unwrap();
    let is_wanted = |pet: &&Pet| status.as_ref().is_none_or(|status| *status == pet.status);
    let found: Vec<_> = pets.iter().filter(is_wanted).take(limit.unwrap()).collect();
    ([(CONTENT_TYPE, "application/json")], serde_json::to_vec(&found).unwrap())
}

/// Inserts in a second into a database in `directory`, each of them on disk before the next one.
pub fn inserts(directory: &Path, time: Duration) -> f64 {
    let database = Connection::open(directory.join("yardstick.db")).unwrap();
    let table = "CREATE TABLE IF NOT EXISTS pets (id INTEGER PRIMARY KEY, name TEXT, category_id BIGINT, status TEXT)";
    database.execute_batch(&format!("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; {table}")).unwrap();
    let insert = "INSERT INTO pets (name, category_id, status) VALUES ('Biscuit', 3, 'available')";
    let mut insert = database.prepare(insert).unwrap();
    let (begin, mut inserts) = (Instant::now(), 0);
    while begin.elapsed() < time {
        insert.execute([]).unwrap();
        inserts += 1;
    }
    f64::from(inserts) / begin.elapsed().as_secs_f64()
}
