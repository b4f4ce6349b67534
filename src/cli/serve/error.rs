//! Why the service did not start, and with which exit status that ends.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::cli::args::DATABASE_HINT;
use crate::cli::error::{Exit, Failed};
use crate::model::text::safe_causes;
use crate::server::TlsError;
use crate::store::StoreError;

/// Why the service did not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// An address that other machines reach.
    #[error(
        "{0} would send keys and animals in clear text over the network: give --tls-cert and --tls-key, \
         or --behind-proxy where a proxy with TLS passes requests on over a private way"
    )]
    NotLoopback(SocketAddr),
    /// An address where other machines would read the figures.
    #[error("--metrics-listen {0} would show the figures to the whole network: give 127.0.0.1, or --behind-proxy")]
    MetricsNotLoopback(SocketAddr),
    /// What systemd passes on is no listening TCP socket.
    #[error("the socket that was passed on cannot be used; it is to be a listening TCP socket (ListenStream=)")]
    PassedOn(#[source] io::Error),
    /// A listener without an address.
    #[error("the address that is listened on cannot be found")]
    NoAddress(#[source] io::Error),
    /// The certificate.
    #[error(transparent)]
    Tls(#[from] TlsError),
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

impl From<ServeError> for Failed {
    fn from(error: ServeError) -> Self {
        let exit = if matches!(error, ServeError::NotLoopback(_) | ServeError::MetricsNotLoopback(_)) {
            Exit::Usage
        } else {
            Exit::Failure
        };
        let failed = Self::new(exit, safe_causes(&error));
        match error {
            ServeError::Listen { .. } => failed.hint("name another one: --listen 127.0.0.1:0 takes a free port"),
            ServeError::Store(_) => failed.hint(DATABASE_HINT),
            ServeError::NotLoopback(_)
            | ServeError::MetricsNotLoopback(_)
            | ServeError::PassedOn(_)
            | ServeError::NoAddress(_)
            | ServeError::Tls(_)
            | ServeError::Signals(_)
            | ServeError::KeyFile { .. } => failed,
        }
    }
}
