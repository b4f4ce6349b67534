//! `petstore serve`: the service in the foreground, until a signal.

mod limits;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use secrecy::ExposeSecret;
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{Signal, SignalKind, signal};

use self::limits::LimitArgs;
use super::args::DATABASE_VARIABLE;
use crate::clock;
use crate::server::{self, Config, Origin, Proxy};
use crate::store::keys::{NewKey, Scopes};
use crate::store::{DatabaseUrl, Store, StoreError};

/// The most connections that wait to be accepted; the system may allow fewer.
const QUEUE: u32 = 4096;

/// Serve the Petstore Animals API.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The address to listen on, of this machine only. Port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The database: sqlite:FILE, made if it is not there, or postgres://USER@HOST/DATABASE.
    #[arg(long, value_name = "URL", env = DATABASE_VARIABLE, hide_env_values = true)]
    database: Option<DatabaseUrl>,
    /// Where Prometheus gets the figures of the service, at /metrics without a key; an address of this machine only. They
    /// are not served unless this is given.
    #[arg(long, value_name = "ADDRESS")]
    metrics_listen: Option<SocketAddr>,
    /// First add this many sample animals.
    #[arg(long, value_name = "N", default_value_t = 0)]
    sample: usize,
    /// What is logged on stderr: `info` has a line for each request.
    #[arg(long, value_enum, default_value_t = LogLevel::Warn)]
    log_level: LogLevel,
    /// How it is logged.
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,
    /// Let web pages of this origin use the service, for example `https://shop.example`. May be given more than once.
    #[arg(long, value_name = "ORIGIN")]
    cors_origin: Vec<Origin>,
    /// A proxy whose X-Forwarded-For is believed: the address it comes from, or a network with nothing but proxies. It must
    /// write the client's address at the right end, as nginx and HAProxy do. May be given more than once.
    #[arg(long, value_name = "ADDRESS|NETWORK")]
    proxy: Vec<Proxy>,
    #[command(flatten)]
    limits: LimitArgs,
}

/// From which level on something is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogLevel {
    /// What went wrong in the service.
    Error,
    /// And what is about to.
    Warn,
    /// And each request.
    Info,
    /// And how connections ended.
    Debug,
}

/// How a line of the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// For people.
    Text,
    /// A JSON object a line.
    Json,
}

/// Why the service did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// An address that other machines reach.
    #[error(
        "--listen {0} would send keys and animals in clear text over the network; \
         listen on 127.0.0.1 and let a proxy with TLS pass requests on"
    )]
    NotLoopback(SocketAddr),
    /// An address where other machines would read the figures.
    #[error("--metrics-listen {0} would show the figures to the whole network; listen on 127.0.0.1")]
    MetricsNotLoopback(SocketAddr),
    /// The address is taken, or not ours.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// No signal could be waited for.
    #[error("cannot wait for signals")]
    Signals(#[source] io::Error),
    /// The first key could not be written for the operator to find.
    #[error("the first API key cannot be written to {}", .path.display())]
    KeyFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Serves until SIGTERM or SIGINT, then lets running requests end; a second signal ends at once. `default` is the
/// database where none was named. One line with the address goes to `err` as soon as requests are accepted.
///
/// Where no key was ever made, one that may do everything is made in the name of `actor`, and written to a file beside
/// the database, for its owner only.
pub async fn run(args: ServeArgs, default: &DatabaseUrl, actor: &str, err: &mut impl Write) -> Result<(), ServeError> {
    check_addresses(&args)?;
    log_to_stderr(args.log_level, args.log_format);
    let mut signals = Signals::new().map_err(ServeError::Signals)?;
    let listener = listen(args.listen)?;
    let metrics_listener = args.metrics_listen.map(listen).transpose()?;
    let database = args.database.as_ref().unwrap_or(default);
    let store = Store::open(database).await?;
    if args.sample > 0 {
        store.insert_samples(args.sample, clock::now()).await?;
    }
    let about_keys = first_key(&store, database, actor).await?;
    let config = Config {
        failed_authentications: args.limits.failed_authentications(),
        rate_limit: args.limits.rate_limit(),
        cors_origins: args.cors_origin,
        proxies: args.proxy,
        ..Config::default()
    };
    let cannot_listen = |source| ServeError::Listen { address: args.listen, source };
    let mut server = server::start(config, store.clone(), listener).map_err(cannot_listen)?;
    let metrics = metrics_listener.map(|listener| server.serve_metrics(listener)).transpose().map_err(cannot_listen)?;
    // Serving matters more than a closed stderr.
    let _ = writeln!(err, "listening on {}", server.base_url());
    if let Some(address) = metrics {
        let _ = writeln!(err, "metrics on http://{address}/metrics");
    }
    if let Some(about_keys) = about_keys {
        let _ = writeln!(err, "{about_keys}");
    }
    signals.recv().await;
    let stopped = async {
        server.shutdown().await;
        store.close().await;
    };
    tokio::select! {
        () = stopped => {}
        () = signals.recv() => {}
    }
    Ok(())
}

/// Names, paths and ids in it were cleaned where they are logged; API keys never are.
fn log_to_stderr(level: LogLevel, format: LogFormat) {
    let level = match level {
        LogLevel::Error => tracing::Level::ERROR,
        LogLevel::Warn => tracing::Level::WARN,
        LogLevel::Info => tracing::Level::INFO,
        LogLevel::Debug => tracing::Level::DEBUG,
    };
    // Where nobody reads stderr any more, complaining about that would be a panic.
    let log = tracing_subscriber::fmt().with_max_level(level).with_writer(io::stderr).log_internal_errors(false);
    match format {
        LogFormat::Text => log.with_ansi(false).init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
}

/// What is not encrypted stays on this machine.
fn check_addresses(args: &ServeArgs) -> Result<(), ServeError> {
    if !args.listen.ip().is_loopback() {
        return Err(ServeError::NotLoopback(args.listen));
    }
    match args.metrics_listen {
        Some(address) if !address.ip().is_loopback() => Err(ServeError::MetricsNotLoopback(address)),
        _ => Ok(()),
    }
}

/// With a queue as long as the system allows for those who all come at once.
fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    let listen = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(QUEUE)
    };
    listen().map_err(|source| ServeError::Listen { address, source })
}

/// What to say about keys where there were none. Beside a file the first one is made; a server may have several
/// instances, none of which is where its operator looks.
async fn first_key(store: &Store, database: &DatabaseUrl, actor: &str) -> Result<Option<String>, ServeError> {
    let DatabaseUrl::Sqlite(database) = database else {
        let hint = "there is no API key yet; make one: petstore keys create --name NAME --scopes admin";
        return Ok((!store.has_keys().await?).then(|| format!("{hint} --database '{database}'")));
    };
    let path = database.with_added_extension("admin-key");
    let new = NewKey { name: "first start".to_owned(), scopes: Scopes::ADMIN, expires_at: None };
    let Some((_, key)) = store.create_first_key(new, actor, clock::now()).await? else { return Ok(None) };
    match write_private(&path, key.expose_secret()) {
        Ok(()) => Ok(Some(format!("the first API key, which may do everything, is in {}", path.display()))),
        Err(source) => Err(ServeError::KeyFile { path, source }),
    }
}

/// Replaces what is there: no key in such a file is good where none was made before.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    // Born with mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new("/")))?;
    writeln!(file, "{text}")?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn recv(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        serve: ServeArgs,
    }

    #[tokio::test]
    async fn an_address_that_others_reach_is_refused_before_anything_is_opened() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db");
        let refused = async |flags: &[&str]| {
            let Line { serve: args } = Line::parse_from(flags);
            let refused = run(args, &DatabaseUrl::Sqlite(path.clone()), "ada", &mut Vec::new()).await;
            assert!(!path.exists());
            refused
        };
        let open = refused(&["serve", "--listen", "0.0.0.0:0"]).await;
        assert!(matches!(open, Err(ServeError::NotLoopback(_))));
        let open = refused(&["serve", "--listen", "127.0.0.1:0", "--metrics-listen", "[::]:0"]).await;
        assert!(matches!(open, Err(ServeError::MetricsNotLoopback(_))));
    }
}
