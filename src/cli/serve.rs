//! `petstore serve`: runs the service in the foreground until a signal.

mod listen;
mod log;
mod systemd;

use std::ffi::OsString;
use std::io;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::{Args, ValueEnum, value_parser};
use secrecy::{ExposeSecret, SecretString};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tracing::Level;

use self::listen::{ListenArgs, Listening, places};
pub(super) use self::log::as_json;
use self::log::{Log, LogFormat};
use self::systemd::ServiceManager;
use super::args::{DATABASE_VARIABLE, DatabaseParser};
use super::error::{Exit, Failed};
use super::output::{complaint, safe};
use super::panics;
use super::signals::Signals;
use crate::clock;
use crate::config::{Env, Paths};
use crate::local::atomic_file::rewrite_private;
use crate::model::display_safe;
use crate::model::text::safe_causes;
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
    pub(super) database: Option<DatabaseUrl>,
    /// Add this many sample pets first.
    #[arg(long, value_name = "N", default_value_t = 0)]
    sample: usize,
    /// What to log on standard error; `info` logs each request.
    #[arg(long, value_enum, default_value_t = LogLevel::Warn)]
    log_level: LogLevel,
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

/// The lowest level that is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogLevel {
    /// Errors in the service.
    Error,
    /// Also warnings.
    Warn,
    /// Also each request.
    Info,
    /// Also how connections ended.
    Debug,
}

/// Whether `arguments` ask for a log in JSON, also if they are wrong.
pub fn logs_json(arguments: &[OsString]) -> bool {
    let is_apart = |pair: &[OsString]| pair[0] == "--log-format" && pair[1] == "json";
    arguments.iter().any(|argument| argument == "--log-format=json") || arguments.windows(2).any(is_apart)
}

/// Runs the service, and reports a failure in its log.
pub fn in_process(runtime: &Runtime, mut args: ServeArgs, env: &Env, coloured: bool) -> Result<Exit, Failed> {
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
    let exit = served.map_or_else(
        |failed| {
            manager.status(failed.what());
            // A failure must not wait for stderr, either.
            log.line(Level::ERROR, &complaint(&failed, coloured && log.format() == LogFormat::Text));
            failed.exit
        },
        |()| Exit::Done,
    );
    log.finish();
    Ok(exit)
}

/// Serves `database` until SIGTERM or SIGINT, then lets running requests finish; a second signal stops at once. Logs the
/// address as soon as requests are accepted.
///
/// If the store never had a key, creates an admin key in the name of `actor`, in a private file beside the database.
async fn run(
    args: ServeArgs,
    database: &DatabaseUrl,
    actor: &str,
    log: &Log,
    manager: &ServiceManager,
) -> Result<(), Failed> {
    let Listening { api, metrics, tls } = args.listen.open()?;
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
    let places = places();
    let config = Config {
        failed_authentications: args.limits.failed_authentications(),
        rate_limit: args.limits.rate_limit(),
        proxies: args.proxy,
        tls: tls.clone(),
        connections: places.connections,
        streams: places.streams,
        dropped_log_lines: log.dropped(),
        ..Config::default()
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
        notified.ready(&listening.join(", "));
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
fn write_to(log: &Log, level: LogLevel) {
    let level = match level {
        LogLevel::Error => Level::ERROR,
        LogLevel::Warn => Level::WARN,
        LogLevel::Info => Level::INFO,
        LogLevel::Debug => Level::DEBUG,
    };
    let writer = log.clone();
    // Internal errors would go to stderr themselves.
    let lines =
        tracing_subscriber::fmt().with_max_level(level).with_writer(move || writer.clone()).log_internal_errors(false);
    match log.format() {
        LogFormat::Text => lines.with_ansi(false).init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
    panics::log();
}

/// What to log about keys if there were none. Only for a file the first key is created: the instances of a server may run
/// where their operator does not see the file.
async fn first_key(store: &Store, database: &DatabaseUrl, actor: &str) -> Result<Option<String>, Failed> {
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
            reload(&tls);
            drop(permit);
        });
        if let Err(error) = reloading {
            tracing::error!(%error, "cannot reload the certificate; the old one stays in use");
        }
    }
}

fn reload(tls: &Tls) {
    match tls.reload() {
        Ok(()) => tracing::warn!("certificate reloaded for new connections"),
        Err(error) => {
            tracing::error!(error = safe_causes(&error), "cannot reload the certificate; the old one stays in use")
        }
    }
}

// The rate limits.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct LimitArgs {
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
    pub(super) fn failed_authentications(self) -> Option<NonZeroU32> {
        NonZeroU32::new(self.failed_auth_limit)
    }

    pub(super) fn rate_limit(self) -> Option<RateLimit> {
        let each_second = NonZeroU32::new(self.rate_limit?)?;
        let twice = each_second.saturating_add(each_second.get());
        let burst = self.rate_burst.and_then(NonZeroU32::new).unwrap_or(twice);
        Some(RateLimit { each_second, burst })
    }
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
            assert!(failed.exit == exit && failed.what().contains(why), "{failed}");
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
}
