//! The service that a command or the app talks to: a remote one, or the embedded one; and `petstore status`: which one
//! is used, by which settings, and whether it answers and accepts the key.

use std::error::Error;
use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::Mutex;

use super::render::FormatArg;
use super::{Exit, Failed, Result};
use crate::api::client::{Authorities, Timeouts};
use crate::api::{Client, Failure};
use crate::app::connections::{self, Connect};
use crate::clock;
use crate::config::{Choices, Env, Origin, Service, Settings, Sourced};
use crate::local::atomic_file;
use crate::model::text::causes;
use crate::model::{ApiKey, BaseUrl, safe_text, short, table};
use crate::server::{self, ServerHandle};
use crate::store::{DatabaseUrl, Store};

/// How many pets `--demo` has.
const DEMO_PETS: usize = 250;

/// How long the embedded service may take to finish its requests.
const STOP_WITHIN: Duration = Duration::from_secs(2);

/// Connections to the embedded service. Only this program uses it; others must not take its file descriptors.
const CONNECTIONS: usize = 64;
const STREAMS: usize = 16;

/// How often something happens on a stream without news: its two ends are in this program, and its key is never revoked.
const QUIET: Duration = Duration::from_secs(24 * 3600);

/// The embedded service: real HTTP on a free loopback port, with its own key.
pub struct Embedded {
    server: ServerHandle,
    store: Store,
    /// The directory of the demo, removed when this is dropped.
    _directory: Option<TempDir>,
}

impl Embedded {
    /// Lets requests finish, and closes the database.
    pub async fn stop(self) {
        let Self { server, store, _directory } = self;
        let stopped = async {
            server.shutdown().await;
            store.close().await;
        };
        // What does not finish in time is dropped; SQLite loses nothing that was acknowledged.
        let _ = tokio::time::timeout(STOP_WITHIN, stopped).await;
    }
}

/// The embedded services that the app has used: each is started once, and all of them stop with the app.
#[derive(Clone, Default)]
pub struct Inside(Arc<Mutex<Started>>);

#[derive(Default)]
struct Started {
    running: Vec<(Service, Client, Embedded)>,
    /// The app has ended; nothing is started any more.
    over: bool,
}

impl Inside {
    /// The function that connects the app to the service of some settings.
    pub fn connect(&self) -> Connect {
        let started = Arc::clone(&self.0);
        Arc::new(move |settings| {
            let started = Arc::clone(&started);
            Box::pin(async move { started.lock().await.connect(&settings).await })
        })
    }

    /// Stops all of them.
    pub async fn stop(self) {
        let running = {
            let mut started = self.0.lock().await;
            started.over = true;
            std::mem::take(&mut started.running)
        };
        for (_, _, embedded) in running {
            embedded.stop().await;
        }
    }
}

impl Started {
    async fn connect(&mut self, settings: &Settings) -> Result<Client, Failure> {
        if let Some((_, client, _)) = self.running.iter().find(|(service, ..)| *service == settings.service) {
            return Ok(client.clone());
        }
        if self.over {
            return Err(Failure::NotStarted { why: "the program is ending".to_owned() });
        }
        let connected = connect(settings).await;
        let (client, embedded) = connected.map_err(|failed| Failure::NotStarted { why: safe_text(&failed) })?;
        if let Some(embedded) = embedded {
            self.running.push((settings.service.clone(), client.clone(), embedded));
        }
        Ok(client)
    }
}

/// A client for the service of the settings, and the service itself if it is embedded.
pub async fn connect(settings: &Settings) -> Result<(Client, Option<Embedded>)> {
    match &settings.service {
        Service::Remote(remote) => {
            Ok((client(remote.base_url.clone(), remote.key.clone(), remote.ca_file.as_deref())?, None))
        }
        Service::Demo => {
            let directory = atomic_file::temporary_directory("petstore-demo-");
            let directory = directory.map_err(Failed::because("cannot start the demo: no temporary directory"))?;
            let store = open(&DatabaseUrl::Sqlite(directory.path().join("demo.db"))).await?;
            store.insert_samples(DEMO_PETS, clock::now()).await.map_err(inside)?;
            start(store, Some(directory)).await
        }
        Service::Embedded { database } => start(open(&DatabaseUrl::Sqlite(database.clone())).await?, None).await,
    }
}

async fn open(url: &DatabaseUrl) -> Result<Store> {
    Store::open(url).await.map_err(inside)
}

async fn start(store: Store, directory: Option<TempDir>) -> Result<(Client, Option<Embedded>)> {
    let key = store.session_key().map_err(inside)?;
    let key = ApiKey::new(key.expose_secret()).map_err(inside)?;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(inside)?;
    let config = server::Config {
        connections: CONNECTIONS,
        streams: STREAMS,
        comment_every: QUIET,
        check_keys_every: QUIET,
        ..server::Config::default()
    };
    let server = server::start(config, store.clone(), vec![listener]).map_err(inside)?;
    let base: BaseUrl = server.base_url().parse().map_err(Failed::config)?;
    let timeouts = Timeouts { silence: 2 * QUIET, ..Timeouts::default() };
    let client = Client::new(base, Some(key), timeouts).map_err(inside)?;
    Ok((client, Some(Embedded { server, store, _directory: directory })))
}

/// A client for the service at `base`, which trusts the CA certificates in `ca_file`, or the system's.
pub fn client(base: BaseUrl, key: Option<ApiKey>, ca_file: Option<&Path>) -> Result<Client> {
    let authorities = ca_file.map(ca_certificates).transpose()?;
    Client::trusting(base, key, Timeouts::default(), authorities).map_err(Failed::because("cannot prepare requests"))
}

/// The largest file of CA certificates that is read, in bytes; the system's has a quarter of that.
const MAX_CA_FILE: u64 = 1 << 20;

fn ca_certificates(file: &Path) -> Result<Authorities> {
    let unusable = |why: &dyn Error| {
        let what = format!("cannot use the CA certificates in {}: {}", short(&file.to_string_lossy()), causes(why));
        Failed::config(what).hint("--ca-file, and ca_file of a profile, take a PEM file of CA certificates")
    };
    let mut pem = Vec::new();
    let read = File::open(file).and_then(|opened| opened.take(MAX_CA_FILE).read_to_end(&mut pem));
    read.map_err(|error| unusable(&error))?;
    Authorities::of(&pem).map_err(|error| unusable(&error))
}

/// For `map_err`: why the embedded service did not start.
fn inside<E: Error>(error: E) -> Failed {
    Failed::because("cannot start the embedded store")(error)
}

/// The result of a test request.
#[derive(Debug, Default)]
pub struct ServiceAnswer {
    /// How long the answer took; `None` without an answer.
    pub took: Option<Duration>,
    /// Whether the key was accepted; `None` if unknown.
    pub accepted: Option<bool>,
    /// What went wrong.
    pub failed: Option<Failed>,
}

impl ServiceAnswer {
    fn failed(failed: Failed) -> Self {
        Self { failed: Some(failed), ..Self::default() }
    }
}

/// Shows the status; the exit status is that of the request.
pub async fn status(output: FormatArg, choices: &Choices, env: &Env) -> Result<Exit> {
    // A key that cannot be read must not hide the rest.
    let known = Settings::without_key(choices, env)?;
    let (settings, answer) = match Settings::resolve(choices, env) {
        Ok(settings) => {
            let answer = ask(&settings).await;
            (settings, answer)
        }
        Err(error) => (known, ServiceAnswer::failed(error.into())),
    };
    output.write(|out| lines(out, &settings, &answer), || object(&settings, &answer))?;
    answer.failed.map_or(Ok(Exit::Done), Err)
}

/// Sends a test request to the service of these settings. An embedded store that does not exist yet is not created, since
/// that would end the first start; then there is neither an answer nor a failure.
pub async fn ask(settings: &Settings) -> ServiceAnswer {
    if let Service::Embedded { database } = &settings.service
        && !database.exists()
    {
        return ServiceAnswer::default();
    }
    let (client, embedded) = match connect(settings).await {
        Ok(connected) => connected,
        Err(failed) => return ServiceAnswer::failed(failed),
    };
    let (answer, took) = connections::ask(&client, "status").await;
    let took = Some(took);
    if let Some(embedded) = embedded {
        embedded.stop().await;
    }
    let Err(error) = answer else { return ServiceAnswer { took, accepted: Some(true), failed: None } };
    let failed = match (&settings.service, &error) {
        (Service::Remote(remote), Failure::Refused { status: 401, .. }) if remote.key.is_none() => {
            Failed::new(Exit::Unauthorized, format!("no API key for {}", remote.base_url))
                .hint(super::error::GIVE_A_KEY)
        }
        _ => Failed::request(&error, &settings.service.name(), false).with_key_of(settings),
    };
    let took = took.filter(|_| matches!(error, Failure::Refused { .. } | Failure::Malformed { .. }));
    let accepted = matches!(error, Failure::Refused { status: 401, .. }).then_some(false);
    ServiceAnswer { took, accepted, failed: Some(failed) }
}

/// The settings with their values and origins, in columns.
pub fn columns(out: &mut impl Write, settings: &[Sourced], origins: bool) -> io::Result<()> {
    let row = |sourced: &Sourced| {
        let mut row = vec![sourced.name.clone(), safe_text(&sourced.value)];
        row.extend(origins.then(|| safe_text(&sourced.origin)));
        row
    };
    table::write(out, settings.iter().map(row))
}

/// The settings with their values and origins, for programs.
pub fn objects(settings: &[Sourced]) -> Value {
    let object = |sourced: &Sourced| {
        let mut object = json!({ "name": sourced.name, "value": sourced.value, "origin": safe_text(&sourced.origin) });
        if let Origin::File { path, line } = &sourced.origin {
            object["file"] = path.display().to_string().into();
            object["line"] = (*line).into();
        }
        object
    };
    settings.iter().map(object).collect()
}

fn lines(out: &mut impl Write, settings: &Settings, answer: &ServiceAnswer) -> io::Result<()> {
    columns(out, &settings.origins, true)?;
    let answers = match (answer.took, &answer.failed) {
        (Some(took), _) => format!("answers in {} ms", took.as_millis()),
        (None, Some(_)) => "no answer".to_owned(),
        (None, None) => "created at first use".to_owned(),
    };
    let key = match answer.accepted {
        Some(true) => ", key accepted",
        Some(false) => ", key not accepted",
        None => "",
    };
    writeln!(out, "\nservice    {answers}{key}")
}

fn object(settings: &Settings, answer: &ServiceAnswer) -> Value {
    json!({
        "profile": settings.name,
        "settings": objects(&settings.origins),
        "reachable": (answer.took.is_some() || answer.failed.is_some()).then_some(answer.took.is_some()),
        "milliseconds": answer.took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
        "keyAccepted": answer.accepted,
        "failure": answer.failed.as_ref().map(|failed| &failed.what),
    })
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;
    use tokio::net::TcpStream;

    use super::*;
    use crate::api::client::install_tls_provider;
    use crate::config::{Choices, Env};
    use crate::model::PetQuery;

    #[tokio::test]
    async fn foreign_connections_take_few_descriptors_of_the_program() {
        install_tls_provider();
        let choices = Choices { demo: true, ..Choices::default() };
        let (client, inside) = connect(&Settings::resolve(&choices, &Env::default()).unwrap()).await.unwrap();
        let inside = inside.unwrap();
        let mut strangers = Vec::new();
        for _ in 0..=CONNECTIONS {
            strangers.push(TcpStream::connect(inside.server.local_addr()).await.unwrap());
        }
        client.list_pets(&PetQuery::default()).await.unwrap();
        assert_eq!(strangers[0].read(&mut [0]).await.unwrap(), 0);
        inside.stop().await;
    }

    #[tokio::test]
    async fn an_embedded_service_is_started_once_and_none_after_the_end() {
        install_tls_provider();
        let directory = tempfile::tempdir().unwrap();
        let env: Env = [("HOME", directory.path()), ("XDG_DATA_HOME", directory.path())].into_iter().collect();
        let settings = Settings::resolve(&Choices::default(), &env).unwrap();
        let inside = Inside::default();
        let connect = inside.connect();
        for _ in 0..2 {
            let client = connect(settings.clone()).await.unwrap();
            client.list_pets(&PetQuery::default()).await.unwrap();
        }
        assert_eq!(inside.0.lock().await.running.len(), 1);
        inside.stop().await;
        let why = "the program is ending".to_owned();
        assert_eq!(connect(settings).await.err(), Some(Failure::NotStarted { why }));
    }
}
