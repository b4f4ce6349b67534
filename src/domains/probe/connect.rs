//! Connecting to one address, and what it means when that fails.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use super::super::observation::ConnectionFailure;

/// How long a connection may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(3);

/// Connects to `address`; once more if it was refused or reset, which may be chance.
pub async fn connect(address: SocketAddr) -> Result<TcpStream, ConnectionFailure> {
    match once(address).await {
        Err(ConnectionFailure::Refused | ConnectionFailure::Reset) => once(address).await,
        other => other,
    }
}

async fn once(address: SocketAddr) -> Result<TcpStream, ConnectionFailure> {
    match timeout(CONNECT_LIMIT, TcpStream::connect(address)).await {
        Err(_) => Err(ConnectionFailure::Timeout),
        Ok(Err(error)) => Err(reason(&error)),
        Ok(Ok(stream)) => {
            // Small messages: waiting to fill a segment would only cost time.
            let _ = stream.set_nodelay(true);
            Ok(stream)
        }
    }
}

/// The failure that a socket error means.
fn reason(error: &io::Error) -> ConnectionFailure {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => ConnectionFailure::Refused,
        io::ErrorKind::TimedOut => ConnectionFailure::Timeout,
        io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::HostUnreachable
        | io::ErrorKind::AddrNotAvailable
        | io::ErrorKind::Unsupported => ConnectionFailure::Unreachable,
        _ => ConnectionFailure::Reset,
    }
}
