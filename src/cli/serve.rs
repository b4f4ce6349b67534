//! `petstore serve`: runs the service in the foreground until a signal. Listens on addresses or on sockets of systemd,
//! and reports to it that the service starts, is ready, works and stops (sd_notify(3)).

mod log;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{io, process, slice, thread};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, value_parser};
use listenfd::ListenFd;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use secrecy::{ExposeSecret, SecretString};
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::time::{interval, sleep};
use tracing::Level;

pub use self::log::as_json;

use self::log::{Log, LogFormat};
use super::args::{DATABASE_VARIABLE, DatabaseParser};
use super::output::{complaint, safe};
use super::signals::{Signals, log_panics};
use super::{Exit, Failed, Result};
use crate::clock;
use crate::config::{Env, Paths};
use crate::local::atomic_file::rewrite_private;
use crate::model::{display_safe, safe_causes};
use crate::server::{self, Config, Proxy, RateLimit, Tls};
use crate::store::keys::{NewKey, Scopes};
use crate::store::{DatabaseUrl, Store, StoreError};

/// How long after a write that failed the next one shows whether pets can be added.
const PING_PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  petstore serve --listen 127.0.0.1:8080 --database sqlite:store.db\n  \
    petstore serve --listen 127.0.0.1:8080 --sample 250 --log-level info --log-format json")]
pub struct ServeArgs {
    #[command(flatten)]
    listen: ListenArgs,
    /// The database: sqlite:FILE, created if needed, or postgres://USER@HOST/DATABASE. [default: the embedded store]
    #[arg(long, value_name = "URL", env = DATABASE_VARIABLE, hide_env_values = true, value_parser = DatabaseParser)]
    pub database: Option<DatabaseUrl>,
    /// Add this many sample pets first.
    #[arg(long, value_name = "N", default_value_t = 0)]
    sample: usize,
    /// What to log on standard error: error (errors in the service), warn (also warnings), info (also each request), debug
    /// (also how connections ended).
    #[arg(long, default_value = "warn", value_parser = levels())]
    log_level: Level,
    /// The format of the log.
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,
    /// A proxy whose X-Forwarded-For is trusted: its address, or a network of proxies only. It must append the client's
    /// address, as nginx and HAProxy do. May be given more than once.
    #[arg(long, value_name = "ADDRESS|NETWORK")]
    proxy: Vec<Proxy>,
    /// Do not record when and by which API key pets are added.
    #[arg(long)]
    no_provenance: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

fn levels() -> impl TypedValueParser<Value = Level> {
    PossibleValuesParser::new(["error", "warn", "info", "debug"]).try_map(|word| word.parse::<Level>())
}

/// Whether `arguments` ask for a log in JSON, also if they are wrong.
pub fn logs_json(arguments: &[OsString]) -> bool {
    let is_apart = |pair: &[OsString]| pair[0] == "--log-format" && pair[1] == "json";
    arguments.iter().any(|argument| argument == "--log-format=json") || arguments.windows(2).any(is_apart)
}

/// Runs the service, and reports a failure in its log.
pub fn in_process(runtime: &Runtime, mut args: ServeArgs, env: &Env, coloured: bool) -> Result<Exit> {
    let log = Log::to_stderr(args.log_format).map_err(Failed::because("cannot start"))?;
    let manager = ServiceManager::new(env);
    let served = runtime.block_on(async {
        // Without a home there is no default.
        let database = match args.database.take() {
            Some(database) => database,
            None => DatabaseUrl::Sqlite(Paths::new(env).map_err(Failed::config)?.embedded_database()),
        };
        run(args, &database, &env.actor(), &log, &manager).await
    });
    if let Err(failed) = &served {
        manager.status(&failed.what);
        // A failure must not wait for stderr, either.
        log.line(Level::ERROR, &complaint(failed, coloured && log.format == LogFormat::Text));
    }
    log.finish();
    Ok(served.map_or_else(|failed| failed.exit, |()| Exit::Done))
}

/// Serves `database` until SIGTERM or SIGINT, then lets running requests finish; a second signal stops at once. Logs the
/// address as soon as requests are accepted.
///
/// If the store never had a key, creates an admin key in the name of `actor`, in a private file beside the database.
async fn run(args: ServeArgs, database: &DatabaseUrl, actor: &str, log: &Log, manager: &ServiceManager) -> Result<()> {
    let (api, metrics, tls) = args.listen.open()?;
    write_to(log, args.log_level);
    let mut signals = Signals::new()?;
    manager.status("opening the database");
    let opened = async {
        let store = Store::open(database).await?;
        store.set_provenance(!args.no_provenance);
        if args.sample > 0 {
            store.insert_samples(args.sample, clock::now()).await?;
        }
        let about_keys = first_key(&store, database, actor).await?;
        Ok::<_, Failed>((store, about_keys))
    };
    let (store, about_keys) = tokio::select! {
        opened = opened => opened?,
        // The database rolls back what is incomplete.
        () = stop(&mut signals, None) => {
            manager.stopping();
            return Ok(());
        }
    };
    let config = Config {
        failed_authentications: args.limits.failed_authentications(),
        rate_limit: args.limits.rate_limit(),
        proxies: args.proxy,
        tls: tls.clone(),
        dropped_log_lines: log.dropped(),
        ..defaults()
    };
    let mut server = server::start(config, store.clone(), api).map_err(no_address)?;
    let metrics = metrics.map(|listener| server.serve_metrics(listener)).transpose().map_err(no_address)?;
    let listening: Vec<String> = server.base_urls().map(|address| format!("listening on {address}")).collect();
    listening.iter().for_each(|line| log.line(Level::INFO, line));
    if let Some(address) = metrics {
        log.line(Level::INFO, &format!("metrics on http://{address}/metrics"));
    }
    if let Some(about_keys) = about_keys {
        log.line(Level::INFO, &safe(&about_keys));
    }
    // A separate task, so that the watchdog of systemd sees whether tasks are run.
    let (at_start, notified) = (store.clone(), manager.clone());
    let reporting = tokio::spawn(async move {
        until_ready(&at_start, &notified).await;
        notified.notify(&format!("READY=1\nSTATUS={}", listening.join(", ")));
        notified.keep_alive().await;
    });
    stop(&mut signals, tls.as_ref()).await;
    // One that is just being run would still find the store closed, and report it.
    reporting.abort();
    let _ = reporting.await;
    manager.stopping();
    tracing::info!("stopping");
    let stopped = async {
        server.shutdown().await;
        store.close().await;
    };
    tokio::select! {
        () = stopped => {}
        () = stop(&mut signals, None) => {}
    }
    tracing::info!("stopped");
    Ok(())
}

/// Waits until pets can be added, and says why they cannot.
async fn until_ready(store: &Store, manager: &ServiceManager) {
    let mut reported = None;
    while let Err(why) = store.ping().await {
        let why = format!("not ready, no pets can be added: {}", why.in_short());
        if reported.as_ref() != Some(&why) {
            tracing::warn!("{why}");
            manager.status(&display_safe(&why));
            reported = Some(why);
        }
        sleep(PING_PAUSE).await;
    }
}

fn no_address(error: io::Error) -> Failed {
    Failed::because("cannot determine the listening address")(error)
}

/// Sends tracing events and panics to `log`. Names, paths and ids are cleaned where they are traced; API keys are never
/// traced.
fn write_to(log: &Log, level: Level) {
    let writer = log.clone();
    // Internal errors would go to stderr themselves.
    let lines =
        tracing_subscriber::fmt().with_max_level(level).with_writer(move || writer.clone()).log_internal_errors(false);
    match log.format {
        LogFormat::Text => lines.with_ansi(false).init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
    log_panics();
}

/// What to log about keys if there were none. Only for a file the first key is created: the instances of a server may run
/// where their operator does not see the file.
async fn first_key(store: &Store, database: &DatabaseUrl, actor: &str) -> Result<Option<String>> {
    let now = clock::now();
    if let DatabaseUrl::Sqlite(file) = database {
        let path = file.with_added_extension("admin-key");
        let new = NewKey { name: "first start".to_owned(), scopes: Scopes::ADMIN, expires_at: None };
        let place = path.display().to_string();
        // A key left in such a file, by an earlier store or an interrupted start, is not valid here.
        let write = move |key: &SecretString| rewrite_private(&path, &format!("{}\n", key.expose_secret()));
        let is_first = store.create_first_key(new, actor, now, write).await.map_err(|error| match error {
            StoreError::HandOver(error) => Failed::because(format!("cannot write the first API key to {place}"))(error),
            error => error.into(),
        });
        if is_first? {
            return Ok(Some(format!("the first API key, with scope admin, is in {place}")));
        }
    }
    if store.list_keys().await?.iter().any(|key| key.is_valid(now)) {
        return Ok(None);
    }
    let hint = "there is no active API key; to create one: petstore keys create --name NAME --scopes admin";
    Ok(Some(format!("{hint} --database '{database}'")))
}

/// Waits for a signal that stops the service, and reloads the certificate on SIGHUP.
async fn stop(signals: &mut Signals, tls: Option<&Tls>) {
    let turn = Arc::new(Semaphore::new(1));
    while signals.next().await == Exit::Hangup {
        let Some(tls) = tls.cloned() else { continue };
        let Ok(permit) = Arc::clone(&turn).try_acquire_owned() else {
            tracing::warn!("the certificate is still being read");
            continue;
        };
        // A thread that nothing waits for: its files may hang.
        let reloading = thread::Builder::new().name("reload".into()).spawn(move || {
            match tls.reload() {
                Ok(()) => tracing::warn!("certificate reloaded for new connections"),
                Err(error) => {
                    let error = safe_causes(&error);
                    tracing::error!(error, "cannot reload the certificate; the old one stays in use");
                }
            }
            drop(permit);
        });
        if let Err(error) = reloading {
            tracing::error!(%error, "cannot reload the certificate; the old one stays in use");
        }
    }
}

// The rate limits.
#[derive(Clone, Copy, Debug, Args)]
pub struct LimitArgs {
    /// Maximum requests per second with one API key. Each instance counts separately.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=RateLimit::MAX.get().into()))]
    rate_limit: Option<u32>,
    /// How many requests may come at once after a pause. [default: twice the rate limit]
    #[arg(long, value_name = "N", requires = "rate_limit", value_parser = value_parser!(u32).range(1..))]
    rate_burst: Option<u32>,
    /// Maximum requests per second without a valid API key from one address: these get a 401, further ones a 429. 0 means
    /// no limit. Each instance counts separately.
    #[arg(long, value_name = "N", default_value_t = 10)]
    failed_auth_limit: u32,
}

impl LimitArgs {
    pub fn failed_authentications(self) -> Option<NonZeroU32> {
        NonZeroU32::new(self.failed_auth_limit)
    }

    pub fn rate_limit(self) -> Option<RateLimit> {
        let each_second = NonZeroU32::new(self.rate_limit?)?;
        let twice = each_second.saturating_add(each_second.get());
        let burst = self.rate_burst.and_then(NonZeroU32::new).unwrap_or(twice);
        Some(RateLimit { each_second, burst })
    }
}

/// The service manager that started the process, or nobody.
#[derive(Clone, Debug)]
struct ServiceManager {
    socket: Option<PathBuf>,
    /// After how long without a sign of life it ends the process.
    watchdog: Option<Duration>,
}

impl ServiceManager {
    fn new(env: &Env) -> Self {
        // The variables of a parent that is watched are not for this process.
        let is_watched = env.get("WATCHDOG_PID").is_none_or(|id| id == process::id().to_string());
        let watchdog = env.get("WATCHDOG_USEC").filter(|_| is_watched).and_then(|time| time.parse().ok());
        let watchdog = watchdog.filter(|time| *time > 0).map(Duration::from_micros);
        Self { socket: env.path("NOTIFY_SOCKET"), watchdog }
    }

    /// The line that `systemctl status` shows; `text` is safe to show.
    fn status(&self, text: &str) {
        self.notify(&format!("STATUS={text}"));
    }

    fn stopping(&self) {
        self.notify("STOPPING=1\nSTATUS=finishing requests");
    }

    /// Shows that tasks are run, for as long as they are.
    async fn keep_alive(&self) {
        let Some(watchdog) = self.watchdog else { return };
        // Twice in that time, as sd_watchdog_enabled(3) asks.
        let mut ticks = interval(watchdog / 2);
        loop {
            ticks.tick().await;
            self.notify("WATCHDOG=1");
        }
    }

    fn notify(&self, state: &str) {
        let Some(socket) = &self.socket else { return };
        let send = || {
            let datagram = UnixDatagram::unbound()?;
            // Nothing waits for the service manager.
            datagram.set_nonblocking(true)?;
            datagram.send_to(state.as_bytes(), socket)
        };
        if let Err(error) = send() {
            tracing::warn!(%error, "cannot notify systemd");
        }
    }
}

/// The longest queue of connections waiting to be accepted; the system may allow fewer.
const QUEUE: u32 = 4096;

// Where to listen.
#[derive(Debug, Args)]
struct ListenArgs {
    /// The address to listen on; port 0 takes a free one. Sockets passed by systemd are used instead, all of them. An
    /// address that other machines reach needs TLS or --behind-proxy.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Serve https with this certificate: a PEM chain, the server's certificate first. Reloaded on SIGHUP.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's private key as PEM, not readable by others.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Listen in clear text on an address that other machines reach, because a TLS proxy is in front and the network
    /// behind it is private.
    #[arg(long)]
    behind_proxy: bool,
    /// Address of the Prometheus metrics endpoint (/metrics, without a key, in clear text). It must be a loopback address
    /// unless --behind-proxy is given. [default: no metrics]
    #[arg(long, value_name = "ADDRESS")]
    metrics_listen: Option<SocketAddr>,
}

impl ListenArgs {
    /// Opens the listeners of the API, or takes over the sockets passed by systemd; and that of the metrics.
    fn open(&self) -> Result<(Vec<TcpListener>, Option<TcpListener>, Option<Tls>)> {
        let unusable =
            "a socket passed by systemd cannot be used; each must be a listening TCP socket (ListenStream=PORT)";
        let passed_on = passed_on().map_err(Failed::because(unusable))?;
        let (addresses, passed_on): (Vec<_>, Vec<_>) = passed_on.into_iter().unzip();
        self.check(if addresses.is_empty() { slice::from_ref(&self.listen) } else { &addresses })?;
        let tls = self.tls_cert.as_ref().zip(self.tls_key.as_ref());
        let tls = tls.map(|(certificate, key)| Tls::load(certificate, key)).transpose();
        let tls = tls.map_err(|error| Failed::of(Exit::Failure, &error))?;
        let api = if passed_on.is_empty() { vec![listen(self.listen)?] } else { passed_on };
        Ok((api, self.metrics_listen.map(listen).transpose()?, tls))
    }

    /// Allows clear text only on loopback, or behind a proxy.
    fn check(&self, addresses: &[SocketAddr]) -> Result<()> {
        let is_private = self.behind_proxy || self.tls_cert.is_some();
        if let Some(address) = addresses.iter().find(|address| !is_private && !address.ip().is_loopback()) {
            return Err(Failed::config(format!(
                "{address} would send keys and pets in clear text over the network; use --tls-cert and --tls-key, or \
                 --behind-proxy if a TLS proxy forwards requests over a private network"
            )));
        }
        match self.metrics_listen {
            Some(address) if !self.behind_proxy && !address.ip().is_loopback() => Err(Failed::config(format!(
                "--metrics-listen {address} would expose the metrics to the whole network; use 127.0.0.1, or \
                     --behind-proxy"
            ))),
            _ => Ok(()),
        }
    }
}

/// The sockets of a systemd unit, which listen already (sd_listen_fds(3)), with their addresses.
fn passed_on() -> io::Result<Vec<(SocketAddr, TcpListener)>> {
    let mut sockets = ListenFd::from_env();
    let listeners = (0..sockets.len()).filter_map(|index| sockets.take_tcp_listener(index).transpose());
    let ready = listeners.map(|listener| {
        let listener = listener?;
        listener.set_nonblocking(true)?;
        Ok((listener.local_addr()?, TcpListener::from_std(listener)?))
    });
    ready.collect()
}

/// Listens with a queue as long as the system allows, for bursts of connections.
fn listen(address: SocketAddr) -> Result<TcpListener> {
    let listen = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(QUEUE)
    };
    listen().map_err(|error| {
        let failed = Failed::because(format!("cannot listen on {address}"))(error);
        failed.hint("choose another address; to use a free port: --listen 127.0.0.1:0")
    })
}

/// Descriptors for everything but connections: the database, listeners, certificates.
const OTHERS: u64 = 64;

/// Raises the soft limit to the hard one, and returns the service's defaults with fewer connections where that leaves
/// descriptors for the rest.
fn defaults() -> Config {
    let limit = getrlimit(Resource::Nofile);
    // If that is not allowed, the soft limit counts.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    // Each thread may read SQLite's file and its write-ahead log.
    let others = OTHERS + 4 * thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    within(getrlimit(Resource::Nofile).current, others)
}

/// `limit` is the most descriptors, if there is one.
fn within(limit: Option<u64>, others: u64) -> Config {
    let Config { connections, streams, .. } = Config::default();
    // At least half of them are for clients, and of these a third for streams.
    let all = limit.map_or(usize::MAX, |limit| usize::try_from(limit - others.min(limit / 2)).unwrap_or(usize::MAX));
    let connections = connections.min(all - all / 3);
    Config { connections, streams: streams.min(all - connections), ..Config::default() }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::server::Config;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        serve: ServeArgs,
    }

    #[tokio::test]
    async fn an_address_that_other_machines_reach_is_refused_before_anything_is_opened() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db");
        let refused = async |flags: &[&str]| {
            let Line { serve: args } = Line::parse_from(["serve"].iter().chain(flags));
            let log = Log::to(io::sink(), LogFormat::Text).unwrap();
            let manager = ServiceManager::new(&Env::default());
            let refused = run(args, &DatabaseUrl::Sqlite(path.clone()), "ada", &log, &manager).await;
            assert!(!path.exists());
            refused
        };
        for (flags, exit, why) in [
            (&["--listen", "0.0.0.0:0"][..], Exit::Usage, "keys and pets in clear text"),
            (&["--listen", "127.0.0.1:0", "--metrics-listen", "[::]:0"], Exit::Usage, "expose the metrics"),
            (&["--listen", "0.0.0.0:0", "--tls-cert", "none.pem", "--tls-key", "none"], Exit::Failure, "none.pem"),
        ] {
            let failed = refused(flags).await.unwrap_err();
            assert!(failed.exit == exit && failed.what.contains(why), "{failed}");
        }
    }

    fn parse(flags: &[&str]) -> Option<LimitArgs> {
        Line::try_parse_from(["serve"].iter().chain(flags)).ok().map(|line| line.serve.limits)
    }

    #[test]
    fn the_default_burst_is_twice_the_rate_limit() {
        let limit = |flags: &[&str]| {
            parse(flags).map(|limits| limits.rate_limit().map(|limit| (limit.each_second.get(), limit.burst.get())))
        };
        assert_eq!(limit(&["--rate-limit", "50"]), Some(Some((50, 100))));
        assert_eq!(limit(&["--rate-limit", "50", "--rate-burst", "7"]), Some(Some((50, 7))));
        for wrong in [&["--rate-limit", "0"][..], &["--rate-limit", "1000001"], &["--rate-burst", "7"]] {
            assert_eq!(limit(wrong), None, "{wrong:?}");
        }
        assert_eq!(limit(&["--rate-limit", "50", "--rate-burst", "0"]), None);
    }

    #[test]
    fn the_defaults_are_those_of_the_service_and_0_removes_the_limit_for_failures() {
        let (limits, default) = (parse(&[]).unwrap(), Config::default());
        assert_eq!(limits.rate_limit(), default.rate_limit);
        assert_eq!(limits.failed_authentications(), default.failed_authentications);
        let lifted = parse(&["--failed-auth-limit", "0"]).unwrap();
        assert_eq!(lifted.failed_authentications(), None);
    }

    #[test]
    fn clear_text_stays_on_this_machine_unless_a_proxy_is_in_front() {
        let is_allowed = |flags: &str| {
            let line = Line::parse_from(["serve"].into_iter().chain(flags.split_whitespace()));
            let listen = line.serve.listen;
            listen.check(&[listen.listen]).is_ok()
        };
        for allowed in [
            "",
            "--listen [::1]:80",
            "--listen 0.0.0.0:443 --tls-cert c.pem --tls-key k.pem",
            "--listen 0.0.0.0:80 --behind-proxy --metrics-listen 10.0.0.7:9000",
            "--metrics-listen 127.0.0.1:9000",
        ] {
            assert!(is_allowed(allowed), "{allowed}");
        }
        for refused in [
            "--listen 0.0.0.0:80",
            "--listen 192.0.2.7:80",
            "--listen [::]:80",
            "--metrics-listen 0.0.0.0:9000",
            "--tls-cert c.pem --tls-key k.pem --metrics-listen 0.0.0.0:9000",
        ] {
            assert!(!is_allowed(refused), "{refused}");
        }
        assert!(Line::try_parse_from(["serve", "--tls-cert", "c.pem"]).is_err());
    }

    #[test]
    fn connections_leave_descriptors_for_the_rest() {
        let within = |limit| {
            let Config { connections, streams, .. } = within(limit, 72);
            (connections, streams)
        };
        for (limit, places) in [
            (1024, (635, 317)),
            (1608, (1024, 512)),
            (4096, (1024, 2048)),
            (1 << 20, (1024, 2048)),
            (144, (48, 24)),
            (64, (22, 10)),
            (3, (2, 0)),
        ] {
            assert_eq!(within(Some(limit)), places, "{limit}");
        }
        assert_eq!(within(None), (1024, 2048));
    }
}
