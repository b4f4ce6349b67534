//! The service that a command or the app talks to: another one, or one started inside this program.

use std::time::Duration;

use secrecy::ExposeSecret as _;
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::api::client::Timeouts;
use crate::api::{Client, Failure};
use crate::clock;
use crate::config::{Service, Settings};
use crate::model::text::causes;
use crate::model::{ApiKey, BaseUrl};
use crate::server::{self, ServerHandle};
use crate::store::{DatabaseUrl, Store};

use super::exit::{Exit, Failed};

/// How many animals `--demo` shows.
const DEMO_ANIMALS: usize = 250;

/// What the service inside gets to end what is under way.
const STOP_WITHIN: Duration = Duration::from_secs(2);

/// A service inside this program: real HTTP on a free port of loopback, with a key of its own.
pub struct Embedded {
    server: ServerHandle,
    store: Store,
    /// Of the demo; removed when this is dropped.
    _directory: Option<TempDir>,
}

impl Embedded {
    /// Lets what is under way end, and closes the database.
    pub async fn stop(self) {
        let Self { server, store, _directory } = self;
        let stopped = async {
            server.shutdown().await;
            store.close().await;
        };
        // What does not end in time is dropped; SQLite loses nothing that was acknowledged.
        let _ = tokio::time::timeout(STOP_WITHIN, stopped).await;
    }
}

/// A client for the service that the settings name, and the service itself where it is inside.
pub async fn connect(settings: &Settings) -> Result<(Client, Option<Embedded>), Failed> {
    match &settings.service {
        Service::Remote(remote) => Ok((client(remote.base_url.clone(), remote.key.clone())?, None)),
        Service::Demo => {
            let directory = tempfile::Builder::new().prefix("petstore-demo-").tempdir();
            let directory = directory.map_err(|error| inside(&format!("no temporary directory: {error}")))?;
            let store = open(&DatabaseUrl::Sqlite(directory.path().join("demo.db"))).await?;
            store.insert_samples(DEMO_ANIMALS, clock::now()).await.map_err(|error| inside(&causes(&error)))?;
            start(store, Some(directory)).await
        }
        Service::Embedded { database } => start(open(&DatabaseUrl::Sqlite(database.clone())).await?, None).await,
    }
}

async fn open(url: &DatabaseUrl) -> Result<Store, Failed> {
    Store::open(url).await.map_err(|error| inside(&causes(&error)))
}

async fn start(store: Store, directory: Option<TempDir>) -> Result<(Client, Option<Embedded>), Failed> {
    let key = store.session_key().map_err(|error| inside(&causes(&error)))?;
    let key = ApiKey::new(key.expose_secret()).map_err(|error| inside(&error.to_string()))?;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(|error| inside(&error.to_string()))?;
    let server = server::start(server::Config::default(), store.clone(), listener);
    let server = server.map_err(|error| inside(&error.to_string()))?;
    let base: BaseUrl = server.base_url().parse().map_err(Failed::config)?;
    let client = client(base, Some(key))?;
    Ok((client, Some(Embedded { server, store, _directory: directory })))
}

fn client(base: BaseUrl, key: Option<ApiKey>) -> Result<Client, Failed> {
    Client::new(base, key, Timeouts::default())
        .map_err(|error| Failed::new(Exit::Failure, format!("cannot prepare requests: {}", causes(&error))))
}

fn inside(why: &str) -> Failed {
    Failed::new(Exit::Failure, format!("the service inside the program did not start: {why}"))
}

/// The same failure, as the screen shows it.
pub fn as_failure(failed: &Failed) -> Failure {
    Failure::NotStarted { why: crate::model::display_safe(&failed.to_string()).into_owned() }
}
