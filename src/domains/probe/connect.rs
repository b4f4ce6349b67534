//! Connecting to one address, and what it means when that fails.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long a connection may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(3);

/// Why there is no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoConnection {
    /// Nobody listens there.
    Refused,
    /// It was cut.
    Reset,
    /// Nothing came in time.
    Timeout,
    /// There is no way there from here.
    Unreachable,
}

impl NoConnection {
    /// What an error of a socket means.
    pub fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Self::Refused,
            io::ErrorKind::TimedOut => Self::Timeout,
            io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::AddrNotAvailable
            | io::ErrorKind::Unsupported => Self::Unreachable,
            _ => Self::Reset,
        }
    }
}

/// Connects to `address`; once more where it was refused or cut, which may be chance.
pub async fn connect(address: SocketAddr) -> Result<TcpStream, NoConnection> {
    match once(address).await {
        Err(NoConnection::Refused | NoConnection::Reset) => once(address).await,
        other => other,
    }
}

async fn once(address: SocketAddr) -> Result<TcpStream, NoConnection> {
    match timeout(CONNECT_LIMIT, TcpStream::connect(address)).await {
        Err(_) => Err(NoConnection::Timeout),
        Ok(Err(error)) => Err(NoConnection::of(&error)),
        Ok(Ok(stream)) => {
            // Small messages in turn: waiting to fill a segment would only cost time.
            let _ = stream.set_nodelay(true);
            Ok(stream)
        }
    }
}
