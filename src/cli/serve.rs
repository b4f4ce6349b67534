//! `petstore serve`: the service in the foreground, until a signal.

use std::io::{self, Write};
use std::net::SocketAddr;

use clap::Args;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::clock;
use crate::server::{self, Config};
use crate::store::{DatabaseUrl, Store, StoreError};

/// Serve the Petstore Animals API.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The address to listen on, of this machine only. Port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The database, for example sqlite:store.db; made if it is not there.
    #[arg(long, value_name = "URL")]
    database: Option<DatabaseUrl>,
    /// First add this many sample animals.
    #[arg(long, value_name = "N", default_value_t = 0)]
    sample: usize,
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
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Serves until SIGTERM or SIGINT, then lets running requests end; a second signal ends at once. `default` is the
/// database where none was named. One line with the address goes to `err` as soon as requests are accepted.
pub async fn run(args: ServeArgs, default: &DatabaseUrl, err: &mut impl Write) -> Result<(), ServeError> {
    let address = args.listen;
    if !address.ip().is_loopback() {
        return Err(ServeError::NotLoopback(address));
    }
    let cannot_listen = |source| ServeError::Listen { address, source };
    let mut signals = Signals::new().map_err(ServeError::Signals)?;
    let listener = TcpListener::bind(address).await.map_err(cannot_listen)?;
    let store = Store::open(args.database.as_ref().unwrap_or(default)).await?;
    if args.sample > 0 {
        store.insert_samples(args.sample, clock::now()).await?;
    }
    let server = server::start(Config::default(), store.clone(), listener).map_err(cannot_listen)?;
    // Serving matters more than a closed stderr.
    let _ = writeln!(err, "listening on {}", server.base_url());
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
    use super::*;

    #[tokio::test]
    async fn an_address_that_others_reach_is_refused_before_anything_is_opened() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db");
        let args = ServeArgs { listen: "0.0.0.0:0".parse().unwrap(), database: None, sample: 0 };
        let refused = run(args, &DatabaseUrl::Sqlite(path.clone()), &mut Vec::new()).await;
        assert!(matches!(refused, Err(ServeError::NotLoopback(_))));
        assert!(!path.exists());
    }
}
