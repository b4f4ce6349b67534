//! The hosts of a server, and which of them a connection is made to.
//!
//! After a failover another host of the address is the one that writes, and the one before may be dead, frozen or cut
//! off. So the hosts are tried side by side, each a little after the one before, and each with a limit for its whole
//! handshake; the last one that worked comes first, one whose commits wait comes last.

use std::error::Error;
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::net::lookup_host;
use tokio::time::timeout;
use tokio_postgres::Config;
use tokio_postgres::config::{Host as HostName, TargetSessionAttrs};

use crate::store::url::PORT;
use crate::store::{DatabaseError, DbResult};

/// How long a host may take for all of connecting, TLS, start-up and the check of the session, unless the address has a
/// `connect_timeout`.
const HANDSHAKE: Duration = Duration::from_secs(3);

/// How often a handshake may be woken. The driver keeps every notice and parameter until the session is ready; a turn ends
/// after at most 128 reads, so that a server which floods it is cut off before that fills the memory.
const TURNS: usize = 40;

/// For how long an attempt has the field to itself.
const HEAD_START: Duration = Duration::from_millis(300);

/// Why no connection was made.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error(transparent)]
    Refused(#[from] DatabaseError),
    #[error("the host {0} is not known")]
    Unknown(String, #[source] io::Error),
    #[error("{0} did not answer in time")]
    NoAnswer(String),
    #[error("{0} sent too much before it was ready")]
    TooMuch(String),
    #[error("the address names no host")]
    NoHost,
}

type Connected<T> = Result<T, ConnectError>;

/// Every host of an address, in its order.
#[derive(Debug)]
pub struct Hosts {
    /// What to connect to each with.
    hosts: Vec<Config>,
    /// The one that worked last.
    good: AtomicUsize,
}

impl Hosts {
    /// Those of `hosts`, to connect to with `shared`, which names none. Of several hosts one that can be written is looked
    /// for, unless the address says otherwise.
    pub fn of(hosts: &Config, shared: &Config) -> Self {
        let (names, addresses, ports) = (hosts.get_hosts(), hosts.get_hostaddrs(), hosts.get_ports());
        let count = names.len().max(addresses.len());
        let mut shared = shared.clone();
        if count > 1 && shared.get_target_session_attrs() == TargetSessionAttrs::Any {
            shared.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        let hosts = (0..count).map(|number| {
            let mut host = shared.clone();
            match names.get(number) {
                Some(HostName::Tcp(name)) => host.host(name),
                Some(HostName::Unix(directory)) => host.host_path(directory),
                None => &mut host,
            };
            addresses.get(number).map(|address| host.hostaddr(*address));
            host.port(ports.get(number).or(ports.first()).copied().unwrap_or(PORT));
            host
        });
        Self { hosts: hosts.collect(), good: AtomicUsize::new(0) }
    }

    /// What `connect` makes of the first host that answers it, and the number of that host. Those for which `is_stuck`
    /// come last.
    pub async fn connect<T, F: Future<Output = DbResult<T>>>(
        &self,
        is_stuck: impl Fn(usize) -> bool,
        connect: impl Fn(Config) -> F,
    ) -> Connected<(usize, T)> {
        let good = self.good.load(Ordering::Relaxed);
        let mut order: Vec<usize> = (0..self.hosts.len()).collect();
        order.sort_by_key(|number| (is_stuck(*number), *number != good));
        let connect = &connect;
        let attempts = order.into_iter().map(|number| async move {
            let connected = connected(&self.hosts[number], connect).await?;
            Ok((number, connected))
        });
        let (number, connected) = first(attempts).await?;
        self.good.store(number, Ordering::Relaxed);
        Ok((number, connected))
    }
}

async fn connected<T, F: Future<Output = DbResult<T>>>(host: &Config, connect: &impl Fn(Config) -> F) -> Connected<T> {
    let limit = host.get_connect_timeout().copied().unwrap_or(HANDSHAKE);
    let attempt = |config| {
        let connecting = timeout(limit, in_few_turns(connect(config)));
        async {
            let connected = connecting.await.map_err(|_| ConnectError::NoAnswer(shown(host)))?;
            Ok(connected.ok_or_else(|| ConnectError::TooMuch(shown(host)))??)
        }
    };
    let ([HostName::Tcp(name)], [], [port]) = (host.get_hosts(), host.get_hostaddrs(), host.get_ports()) else {
        return attempt(host.clone()).await;
    };
    let found = timeout(limit, lookup_host((name.as_str(), *port))).await;
    let found = found.map_err(|_| ConnectError::NoAnswer(shown(host)))?;
    let addresses = found.map_err(|source| ConnectError::Unknown(name.clone(), source))?;
    let at = |address: SocketAddr| attempt(host.clone().hostaddr(address.ip()).clone());
    first(addresses.map(at)).await
}

fn shown(host: &Config) -> String {
    let port = host.get_ports().first().unwrap_or(&PORT);
    match (host.get_hosts(), host.get_hostaddrs()) {
        ([HostName::Tcp(name), ..], _) => format!("{name}:{port}"),
        ([HostName::Unix(directory), ..], _) => format!("{}:{port}", directory.display()),
        ([], [address, ..]) => format!("{address}:{port}"),
        ([], []) => port.to_string(),
    }
}

/// Nothing where `handshake` goes on for more than [`TURNS`].
async fn in_few_turns<F: Future>(handshake: F) -> Option<F::Output> {
    let (mut handshake, mut turns) = (pin!(handshake), 0);
    poll_fn(|context| {
        turns += 1;
        if turns > TURNS { Poll::Ready(None) } else { handshake.as_mut().poll(context).map(Some) }
    })
    .await
}

impl ConnectError {
    /// Whether somebody was there, and refused.
    fn is_answer(&self) -> bool {
        let Self::Refused(error) = self else { return false };
        let mut causes = std::iter::successors(Some(error as &(dyn Error + 'static)), |error| (*error).source());
        let unreached = [ErrorKind::ConnectionRefused, ErrorKind::HostUnreachable, ErrorKind::NetworkUnreachable];
        !causes.any(|cause| cause.downcast_ref().is_some_and(|error: &io::Error| unreached.contains(&error.kind())))
    }
}

/// The first attempt that succeeds. Each begins when all before it have failed, or had their head start. Where all
/// fail: what the first host answered that did, else why the first attempt failed.
async fn first<T>(attempts: impl IntoIterator<Item = impl Future<Output = Connected<T>>>) -> Connected<T> {
    let (mut attempts, mut running, mut why) = (attempts.into_iter(), FuturesUnordered::new(), None::<ConnectError>);
    loop {
        let next = attempts.next();
        let is_last = next.is_none();
        running.extend(next);
        let ended = if is_last { Ok(running.next().await) } else { timeout(HEAD_START, running.next()).await };
        match ended {
            Ok(Some(Ok(connected))) => return Ok(connected),
            Ok(Some(Err(failure))) => match &why {
                Some(earlier) if earlier.is_answer() || !failure.is_answer() => {}
                _ => why = Some(failure),
            },
            Ok(None) if is_last => return Err(why.unwrap_or(ConnectError::NoHost)),
            Ok(None) | Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::time::{Instant, sleep};

    use super::*;

    async fn refused<T>() -> Result<T, ConnectError> {
        Err(ConnectError::NoHost)
    }

    #[test]
    fn a_host_is_named_as_the_address_has_it() {
        let named = |config: &str| -> Vec<String> {
            Hosts::of(&config.parse().unwrap(), &Config::new()).hosts.iter().map(shown).collect()
        };
        assert_eq!(named("host=db1,/run/postgresql port=5433,5434"), ["db1:5433", "/run/postgresql:5434"]);
        assert_eq!(named("hostaddr=192.0.2.1"), ["192.0.2.1:5432"]);
    }

    #[tokio::test(start_paused = true)]
    #[expect(clippy::disallowed_methods, reason = "the paused clock is the runtime's")]
    async fn a_silent_host_costs_its_head_start_and_a_refusal_nothing() {
        let begun = Instant::now();
        let attempts: [futures_util::future::LocalBoxFuture<'_, _>; 4] = [
            Box::pin(refused()),
            Box::pin(pending()),
            Box::pin(pending()),
            Box::pin(async {
                sleep(Duration::from_millis(20)).await;
                Ok("connected")
            }),
        ];
        assert_eq!(first(attempts).await.unwrap(), "connected");
        assert_eq!(begun.elapsed(), HEAD_START * 2 + Duration::from_millis(20));
    }

    #[tokio::test(start_paused = true)]
    async fn where_all_fail_the_first_reason_is_given() {
        let failing = async |name: &str| Err::<(), _>(ConnectError::NoAnswer(name.to_owned()));
        let why = first([failing("one"), failing("two")]).await.unwrap_err();
        assert_eq!(why.to_string(), "one did not answer in time");
    }

    #[tokio::test(start_paused = true)]
    async fn where_one_answers_no_that_is_given() {
        let failing = async |why: ConnectError| Err::<(), _>(why);
        let no = |name: &str| ConnectError::Unknown(name.to_owned(), ErrorKind::NotFound.into());
        let refused = || ConnectError::Refused(DatabaseError::Vanished);
        let why = first([failing(no("one")), failing(refused()), failing(no("three"))]).await.unwrap_err();
        assert!(matches!(why, ConnectError::Refused(_)), "{why}");
    }

    #[tokio::test]
    async fn the_last_host_that_worked_is_tried_first_and_a_stuck_one_last() {
        let hosts = Hosts::of(
            &"postgres://ada@one:1,two:2,three:3/pets?hostaddr=127.0.0.1,127.0.0.2,127.0.0.3".parse().unwrap(),
            &Config::new(),
        );
        let port = |config: Config| async move { Ok(config.get_ports()[0]) };
        assert_eq!(hosts.connect(|number| number == 0, port).await.unwrap(), (1, 2));
        assert_eq!(hosts.connect(|_| false, port).await.unwrap(), (1, 2));
        assert_eq!(hosts.connect(|number| number < 2, port).await.unwrap(), (2, 3));
    }

    #[test]
    fn every_option_of_the_address_reaches_each_host() {
        let options = "options=-c%20search_path%3Dshop&application_name=till&connect_timeout=2&keepalives=0&\
            channel_binding=require&sslmode=require&keepalives_retries=4&keepalives_interval=3&tcp_user_timeout=9";
        let of = |hosts: &str| format!("postgres://ada:secret@{hosts}/pets?{options}").parse::<Config>().unwrap();
        let host = &Hosts::of(&of("one:1,two:2"), &of("")).hosts[1];
        assert_eq!(*host, *of("two:2").target_session_attrs(TargetSessionAttrs::ReadWrite));
        let alone = &Hosts::of(&of("two:2"), &of("")).hosts[0];
        assert_eq!(*alone, of("two:2"));
    }
}
