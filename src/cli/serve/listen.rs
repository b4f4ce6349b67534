//! The addresses that the service listens on, and TLS.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::slice;
use std::thread;

use clap::Args;
use listenfd::ListenFd;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::{TcpListener, TcpSocket};

use crate::cli::error::{Exit, Failed};
use crate::server::Config;
use crate::server::Tls;

/// The longest queue of connections waiting to be accepted; the system may allow fewer.
const QUEUE: u32 = 4096;

// Where to listen.
#[derive(Debug, Args)]
pub(super) struct ListenArgs {
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

/// Open listeners.
pub(super) struct Listening {
    pub(super) api: Vec<TcpListener>,
    pub(super) metrics: Option<TcpListener>,
    pub(super) tls: Option<Tls>,
}

impl ListenArgs {
    /// Opens the listeners, or takes over the sockets passed by systemd.
    pub(super) fn open(&self) -> Result<Listening, Failed> {
        let unusable =
            "a socket passed by systemd cannot be used; each must be a listening TCP socket (ListenStream=PORT)";
        let passed_on = passed_on().map_err(Failed::because(unusable))?;
        let addresses = passed_on.iter().map(TcpListener::local_addr).collect::<io::Result<Vec<_>>>();
        let addresses = addresses.map_err(Failed::because(unusable))?;
        self.check(if addresses.is_empty() { slice::from_ref(&self.listen) } else { &addresses })?;
        let tls = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => {
                Some(Tls::load(certificate, key).map_err(|error| Failed::of(Exit::Failure, &error))?)
            }
            _ => None,
        };
        let api = if passed_on.is_empty() { vec![listen(self.listen)?] } else { passed_on };
        Ok(Listening { api, metrics: self.metrics_listen.map(listen).transpose()?, tls })
    }

    /// Allows clear text only on loopback, or behind a proxy.
    fn check(&self, addresses: &[SocketAddr]) -> Result<(), Failed> {
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

/// The sockets of a systemd unit, which listen already (sd_listen_fds(3)).
fn passed_on() -> io::Result<Vec<TcpListener>> {
    let mut sockets = ListenFd::from_env();
    let listeners = (0..sockets.len()).filter_map(|index| sockets.take_tcp_listener(index).transpose());
    listeners
        .map(|listener| {
            let listener = listener?;
            listener.set_nonblocking(true)?;
            TcpListener::from_std(listener)
        })
        .collect()
}

/// Listens with a queue as long as the system allows, for bursts of connections.
fn listen(address: SocketAddr) -> Result<TcpListener, Failed> {
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

/// How many connections there may be at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places {
    /// With requests.
    pub(super) connections: usize,
    /// With event streams.
    pub(super) streams: usize,
}

/// Raises the soft limit to the hard one, and returns the number of connections: the service's default, or fewer to leave
/// descriptors for the rest.
pub(super) fn places() -> Places {
    let limit = getrlimit(Resource::Nofile);
    // If that is not allowed, the soft limit counts.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    // Each thread may read SQLite's file and its write-ahead log.
    let others = OTHERS + 4 * thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    within(getrlimit(Resource::Nofile).current, others)
}

/// `limit` is the most descriptors, if there is one.
fn within(limit: Option<u64>, others: u64) -> Places {
    let Config { connections, streams, .. } = Config::default();
    // At least half of them are for clients, and of these a third for streams.
    let all = limit.map_or(usize::MAX, |limit| usize::try_from(limit - others.min(limit / 2)).unwrap_or(usize::MAX));
    let connections = connections.min(all - all / 3);
    Places { connections, streams: streams.min(all - connections) }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        listen: ListenArgs,
    }

    #[test]
    fn clear_text_stays_on_this_machine_unless_a_proxy_is_in_front() {
        let is_allowed = |flags: &str| {
            let Line { listen } = Line::parse_from(["serve"].into_iter().chain(flags.split_whitespace()));
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
            let Places { connections, streams } = within(limit, 72);
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
