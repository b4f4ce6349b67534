//! What all simulated servers share, and how each takes its connections.

use std::io::{self, ErrorKind};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

use super::certificate::Authorities;
use super::log::{Log, LoggedQuestion, Request};
use super::plan::Plan;

/// What all simulated servers share.
pub(super) struct Shared {
    /// Locked only while an answer is made, never while it is sent.
    pub plan: Mutex<Plan>,
    pub authorities: Mutex<Authorities>,
    pub questions: Log<LoggedQuestion>,
    pub requests: Log<Request>,
}

impl Shared {
    pub fn new(plan: Plan) -> io::Result<Self> {
        let authorities = Mutex::new(Authorities::new()?);
        Ok(Self {
            plan: Mutex::new(plan),
            authorities,
            questions: Log(Mutex::default()),
            requests: Log(Mutex::default()),
        })
    }
}

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
