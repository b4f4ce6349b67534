//! Where the database is: what `--database` takes.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::model::text::causes;

/// The address of a database, for example `sqlite:store.db`, `sqlite:///var/lib/petstore/store.db` or
/// `postgres://petstore@db.shop.example/pets`. What is shown of it has no password.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::Display)]
pub enum DatabaseUrl {
    /// A SQLite file, by its absolute path.
    #[display("sqlite:{}", _0.display())]
    Sqlite(PathBuf),
    /// A PostgreSQL server.
    Postgres(PostgresUrl),
}

impl FromStr for DatabaseUrl {
    type Err = DatabaseUrlError;

    /// `sqlite:relative.db`, `sqlite:/abs.db` and `sqlite:///abs.db`. A relative path is taken from the working
    /// directory of now. For servers see [`PostgresUrl`].
    fn from_str(text: &str) -> Result<Self, DatabaseUrlError> {
        Err(refused(match text.split_once(':') {
            Some(("sqlite", rest)) => match rest.strip_prefix("//").unwrap_or(rest) {
                "" => "sqlite: needs a file name, for example sqlite:store.db",
                ":memory:" => "a database in memory is not supported, since it is lost with the process: use a file",
                file if file.contains('?') => "sqlite:FILE does not support options after a question mark",
                file => {
                    let path = std::path::absolute(file).map(Self::Sqlite);
                    return path.map_err(|error| refused(&format!("cannot find the working directory: {error}")));
                }
            },
            Some(("postgres" | "postgresql", _)) => return Ok(Self::Postgres(text.parse()?)),
            _ => "use sqlite:FILE or postgres://USER@HOST/DATABASE",
        }))
    }
}

/// Why a text is not the address of a database. Repeats nothing that could be a password.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DatabaseUrlError(String);

/// How long to wait for a server to accept a connection, at each of its addresses.
const CONNECT_TIME: Duration = Duration::from_secs(3);

/// How long a statement may take; the server ends it then.
const STATEMENT_TIME: Duration = Duration::from_secs(5);

/// How long the server keeps a transaction open for an instance that has gone silent: shorter than the others wait for
/// their turn to add pets.
const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(3);

/// Otherwise each page is planned again, since a generic plan seems more expensive, and planning takes longer than reading.
const KEEP_PLANS: &str = "-c plan_cache_mode=force_generic_plan";

/// After how long without a word from the other side the system gives a connection up.
const SILENCE: Duration = Duration::from_secs(6);

pub const PORT: u16 = 5432;

/// A server and a database on it, as `--database` takes it. Neither `Debug` nor `Display` shows the password.
///
/// Nothing but this address counts: neither `PGHOST` nor other variables of the environment, nor `~/.pgpass`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresUrl {
    /// What to connect with at any of the hosts.
    pub(super) config: Arc<Config>,
    /// The hosts; the driver takes none back from the other.
    pub(super) hosts: Arc<Config>,
    /// The certificates to trust, instead of the system's.
    pub(super) root_certificates: Option<PathBuf>,
    /// Whether by TLS, with the server's certificate and name verified; else the server is on this machine.
    pub(super) is_encrypted: bool,
}

/// What is wrong with an address that has more than one @.
const SECOND_AT: &str = "the address of the database has more than one @: write an @ of the password as %40";

impl PostgresUrl {
    /// Whether there is another host to go to.
    pub(super) fn are_several_hosts(&self) -> bool {
        self.hosts.get_hosts().len().max(self.hosts.get_hostaddrs().len()) > 1
    }
}

/// The options `sslmode` and `sslrootcert` are read here; the driver knows the others, among them `connect_timeout`,
/// `application_name`, `options` and `target_session_attrs`.
impl FromStr for PostgresUrl {
    type Err = DatabaseUrlError;

    fn from_str(text: &str) -> Result<Self, DatabaseUrlError> {
        // As the driver does, which does not mind a / or ? before it.
        let start = text.find('@').map(|at| at + 1).or_else(|| text.find("://").map(|at| at + 3));
        let (user, place) = text.split_at(start.unwrap_or_default());
        let (place, options) = place.split_once('?').unwrap_or((place, ""));
        if place.contains('@') || !place.contains('/') && options.contains('@') {
            return Err(refused(SECOND_AT));
        }
        let (mut all, mut ssl_mode, mut root_certificates) = (Vec::new(), None, None);
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("sslmode", mode)) => ssl_mode = Some(mode),
                Some(("sslrootcert", file)) => {
                    let decoded = url::form_urlencoded::parse(file.as_bytes()).next();
                    root_certificates =
                        decoded.map(|(name, _)| PathBuf::from(name.into_owned())).or(Some(PathBuf::new()));
                }
                Some(("pgbouncer", value)) => {
                    let why = "is not supported: remove it; PgBouncer must be 1.21 or later";
                    return Err(refused(&format!("pgbouncer={value} {why}")));
                }
                _ => all.push(option),
            }
        }
        let is_of_host = |option: &&&str| {
            let name = url::form_urlencoded::parse(option.as_bytes()).next();
            name.is_some_and(|(name, _)| matches!(&*name, "host" | "hostaddr" | "port"))
        };
        let shared: Vec<_> = all.iter().filter(|option| !is_of_host(option)).copied().collect();
        let path = place.find('/').map_or("", |at| &place[at..]);
        let parse = |place: &str, options: &[&str]| format!("{user}{place}?{}", options.join("&")).parse::<Config>();
        let parsed = parse(place, &all).and_then(|hosts| Ok((hosts, parse(path, &shared)?)));
        // What the driver says of an option has the option in it.
        let (hosts, mut config) = parsed.map_err(|error| match options.contains('@') {
            true => refused(SECOND_AT),
            false => {
                let form = "the address of the database is invalid; use postgres://USER:PASSWORD@HOST:PORT/DATABASE";
                refused(&format!("{form}: {}", causes(&error)))
            }
        })?;
        if config.get_dbname().is_none_or(str::is_empty) {
            return Err(refused("the address has no database; use postgres://USER@HOST/DATABASE"));
        }
        let is_encrypted = is_encrypted(ssl_mode, root_certificates.is_some(), is_here(&hosts))?;
        config.ssl_mode(if is_encrypted { SslMode::Require } else { SslMode::Disable });
        config.tcp_user_timeout(SILENCE).keepalives_idle(SILENCE / 2).keepalives_interval(SILENCE / 6);
        config.keepalives_retries(3);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIME);
        }
        if config.get_application_name().is_none() {
            config.application_name("petstore");
        }
        let [statement, idle] = [STATEMENT_TIME, IDLE_IN_TRANSACTION].map(|time| time.as_millis());
        let limits = format!("-c statement_timeout={statement} -c idle_in_transaction_session_timeout={idle}");
        let given = config.get_options().unwrap_or_default();
        config.options(format!("{given} {KEEP_PLANS} {limits}"));
        Ok(Self { config: Arc::new(config), hosts: Arc::new(hosts), root_certificates, is_encrypted })
    }
}

fn refused(why: &str) -> DatabaseUrlError {
    DatabaseUrlError(why.to_owned())
}

/// Elsewhere always, and always verified; on this machine where it is asked for.
fn is_encrypted(mode: Option<&str>, has_roots: bool, is_here: bool) -> Result<bool, DatabaseUrlError> {
    let refused = |value: &str, remedy| Err(refused(&format!("sslmode={value} is not supported: {remedy}")));
    match mode {
        None => Ok(!is_here || has_roots),
        Some("verify-full") => Ok(true),
        Some("disable") if is_here => Ok(false),
        Some(mode @ ("disable" | "allow" | "prefer" | "require" | "verify-ca")) => {
            refused(mode, "use verify-full, which checks certificate and name, or disable for a server on this machine")
        }
        Some(mode) => refused(mode, "use verify-full, or disable for a server on this machine"),
    }
}

/// Whether no other machine is on the way.
fn is_here(config: &Config) -> bool {
    let is_loopback =
        |host: &str| host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    let named = config.get_hosts().iter().all(|host| match host {
        Host::Tcp(host) => is_loopback(host),
        Host::Unix(_) => true,
    });
    named && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

/// Without password and options.
impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        if let Some(user) = self.config.get_user() {
            write!(f, "{user}@")?;
        }
        let ports = self.hosts.get_ports();
        for (number, host) in self.hosts.get_hosts().iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            let port = ports.get(number).or(ports.first()).unwrap_or(&PORT);
            match host {
                Host::Tcp(host) if host.contains(':') => write!(f, "{comma}[{host}]:{port}")?,
                Host::Tcp(host) => write!(f, "{comma}{host}:{port}")?,
                Host::Unix(directory) => write!(f, "{comma}{}:{port}", directory.display())?,
            }
        }
        write!(f, "/{}", self.config.get_dbname().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sqlite_file_is_named_relative_or_absolute() {
        let relative = std::path::absolute("store.db").unwrap();
        for (text, path) in [
            ("sqlite:store.db", relative.clone()),
            ("sqlite://store.db", relative),
            ("sqlite:/srv/store.db", "/srv/store.db".into()),
            ("sqlite:///srv/store.db", "/srv/store.db".into()),
        ] {
            assert_eq!(text.parse::<DatabaseUrl>().unwrap(), DatabaseUrl::Sqlite(path), "{text}");
        }
        assert_eq!("sqlite:///srv/s.db".parse::<DatabaseUrl>().unwrap().to_string(), "sqlite:/srv/s.db");
    }

    #[test]
    fn what_cannot_be_a_store_is_refused_with_the_reason() {
        let refusal = |text: &str| text.parse::<DatabaseUrl>().unwrap_err().to_string();
        assert_eq!(refusal("store.db"), "use sqlite:FILE or postgres://USER@HOST/DATABASE");
        assert_eq!(refusal("mysql://host/db"), "use sqlite:FILE or postgres://USER@HOST/DATABASE");
        assert_eq!(refusal("sqlite:"), "sqlite: needs a file name, for example sqlite:store.db");
        let expected = "a database in memory is not supported, since it is lost with the process: use a file";
        assert_eq!(refusal("sqlite::memory:"), expected);
        let expected = "a database in memory is not supported, since it is lost with the process: use a file";
        assert_eq!(refusal("sqlite://:memory:"), expected);
        assert_eq!(refusal("sqlite:store.db?mode=ro"), "sqlite:FILE does not support options after a question mark");
        assert_eq!(refusal("postgres://host"), "the address has no database; use postgres://USER@HOST/DATABASE");
    }

    fn url(text: &str) -> PostgresUrl {
        text.parse().unwrap()
    }

    #[test]
    fn a_server_elsewhere_is_verified_and_one_on_this_machine_may_be() {
        for (text, encrypted) in [
            ("postgres://ada@db.shop.example/pets", true),
            ("postgres://ada@db.shop.example/pets?sslmode=verify-full", true),
            ("postgresql://ada@10.0.0.7:5433/pets?sslrootcert=/etc/ca.pem", true),
            ("postgres://ada@localhost/pets", false),
            ("postgres://ada@127.0.0.1/pets?sslmode=disable", false),
            ("postgres://ada@[::1]/pets", false),
            ("postgres://ada@%2Frun%2Fpostgresql/pets", false),
            ("postgres:///pets?host=/run/postgresql", false),
            ("postgres://ada@localhost/pets?sslmode=verify-full", true),
            ("postgres://ada@localhost,db.shop.example/pets", true),
            ("postgres://ada@localhost/pets?hostaddr=10.0.0.7", true),
        ] {
            assert_eq!(url(text).is_encrypted, encrypted, "{text}");
        }
        for mode in ["disable", "allow", "prefer", "require", "verify-ca", "off"] {
            let refused = format!("postgres://ada@db.shop.example/pets?sslmode={mode}").parse::<PostgresUrl>();
            let refused = refused.unwrap_err().to_string();
            assert!(refused.starts_with(&format!("sslmode={mode} is not supported: use verify-full")), "{refused}");
        }
    }

    #[test]
    fn what_is_shared_by_all_hosts_names_none() {
        let hosts = ["one:1,two", "/pets?host=one", "", "%2Frun:7", ":5/pets?h%6Fst=one&port=3&hostaddr=10.0.0.7"];
        for place in hosts {
            for user in ["", "ada@", "ada:p/w@"] {
                let place = if place.contains('/') { place.to_owned() } else { format!("{place}/pets") };
                let url = url(&format!(
                    "postgres://{user}{place}{}connect_timeout=7",
                    if place.contains('?') { '&' } else { '?' }
                ));
                let shared = &url.config;
                assert!(
                    shared.get_hosts().is_empty() && shared.get_hostaddrs().is_empty() && shared.get_ports().is_empty()
                );
                assert_eq!((shared.get_dbname(), shared.get_user()), (Some("pets"), url.hosts.get_user()), "{place}");
                assert_eq!(shared.get_connect_timeout(), Some(&Duration::from_secs(7)));
            }
        }
    }

    #[test]
    fn the_password_is_never_shown() {
        let url = url("postgres://ada:p%40ss@db.shop.example:5433/pets?sslrootcert=%2Fetc%2Fca.pem");
        assert_eq!(url.to_string(), "postgres://ada@db.shop.example:5433/pets");
        assert!(!format!("{url:?}").contains("p@ss"));
        assert_eq!(url.root_certificates, Some("/etc/ca.pem".into()));
        assert_eq!(url.config.get_password(), Some(&b"p@ss"[..]));
    }

    #[test]
    fn an_invalid_address_is_refused_with_the_reason() {
        let refusal = |text: &str| text.parse::<PostgresUrl>().unwrap_err().to_string();
        let form = "the address of the database is invalid; use postgres://USER:PASSWORD@HOST:PORT/DATABASE: ";
        for text in ["postgres://ada@host:port/pets", "postgres://ada@host/pets?colour=red"] {
            assert!(refusal(text).starts_with(form), "{}", refusal(text));
        }
        assert_eq!(refusal("postgres://ada@host"), "the address has no database; use postgres://USER@HOST/DATABASE");
        let pooler = refusal("postgres://ada@host/pets?pgbouncer=true");
        let why = "pgbouncer=true is not supported: remove it; PgBouncer must be 1.21 or later";
        assert_eq!(pooler, why);
    }

    #[test]
    fn an_at_sign_of_the_password_is_refused_wherever_it_is_and_no_part_of_the_password_is_repeated() {
        for password in ["p@ss", "p@ss/w@", "p@ss:1@", "p@ss?w@", "p@ss?w=1@", "p@ss/w?x=1@", "p/w@", "p?w@", "p@ss#w"]
        {
            let refused = format!("postgres://ada:{password}@127.0.0.1/pets").parse::<PostgresUrl>().unwrap_err();
            let why = "the address of the database has more than one @: write an @ of the password as %40";
            assert_eq!(refused.to_string(), why, "{password}");
        }
        for password in ["p/w", "5432/w", "p?w", "p?sslmode=w"] {
            let url = url(&format!("postgres://ada:{password}@127.0.0.1/pets?sslmode=verify-full"));
            assert_eq!(url.config.get_password(), Some(password.as_bytes()));
            assert!(url.is_encrypted);
        }
        let contact = url("postgres://ada@db.shop.example/pets?application_name=till@shop");
        assert_eq!(contact.config.get_application_name(), Some("till@shop"));
    }
}
