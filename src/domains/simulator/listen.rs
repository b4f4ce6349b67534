//! Ports that others may have taken, and connections to them.

use std::io::{self, ErrorKind};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// `bind` with another port when a second socket found its port taken.
pub(super) fn retry<T>(mut bind: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 0..32 {
        match bind() {
            Err(error) if error.kind() == ErrorKind::AddrInUse => {}
            bound => return bound,
        }
    }
    bind()
}

/// The next connection. After an error, for example for want of a file descriptor, it is awaited a little later.
pub(super) async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(_) => sleep(Duration::from_millis(10)).await,
        }
    }
}
