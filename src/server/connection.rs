//! One connection, with its time limits.
//!
//! `axum::serve` sets no timer, so hyper's own time limits are silently off there, and its graceful stop waits for
//! ever for a request that was half sent.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tower::Service as _;

use super::Config;
use super::auth::Peer;
use crate::clock::{self, Now};

/// What every connection needs. Cheap to clone.
#[derive(Clone)]
pub(super) struct Acceptor {
    config: Arc<Config>,
    http: http1::Builder,
    router: Router,
    stop: CancellationToken,
}

impl Acceptor {
    pub(super) fn new(config: Arc<Config>, router: Router, stop: CancellationToken) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(config.header_time)
            .max_header_size(config.header_bytes)
            // No more than this is kept for one connection, however much a client sends.
            .max_buf_size(2 * config.header_bytes.max(8 * 1024));
        Self { config, http, router, stop }
    }

    /// Until the client or `stop` ends it; `waiting` tells meanwhile whether a request is being answered.
    pub(super) async fn serve(self, stream: TcpStream, peer: SocketAddr, waiting: Arc<Waiting>) {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY");
        }
        // Almost all memory of a connection is that of its first request; many never send one.
        let mut first = [0];
        let begun = tokio::select! {
            begun = timeout(self.config.header_time, stream.peek(&mut first)) => matches!(begun, Ok(Ok(1))),
            () = self.stop.cancelled() => false,
        };
        if begun {
            Box::pin(self.answer(stream, peer, waiting)).await;
        }
    }

    async fn answer(self, stream: TcpStream, peer: SocketAddr, waiting: Arc<Waiting>) {
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.config.write_time));
        let service = service_fn(|mut request: Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer.ip()));
            let (mut router, waiting) = (self.router.clone(), Arc::clone(&waiting));
            async move {
                waiting.stop();
                // A router is always ready.
                let answer = router.call(request).await;
                waiting.begin(clock::now());
                answer
            }
        });
        let mut connection = pin!(self.http.serve_connection(TokioIo::new(Box::pin(stream)), service));
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = self.stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "connection ended");
        }
    }
}

/// How long a connection has been waiting for a request, or for its client to take the answer.
#[derive(Debug)]
pub(super) struct Waiting {
    accepted: Instant,
    /// Milliseconds after that, or [`Self::ANSWERING`].
    since: AtomicU64,
}

impl Waiting {
    const ANSWERING: u64 = u64::MAX;

    pub(super) fn since(now: Now) -> Self {
        Self { accepted: now.mono, since: AtomicU64::new(0) }
    }

    fn begin(&self, now: Now) {
        let since = now.mono.saturating_duration_since(self.accepted).as_millis();
        self.since.store(u64::try_from(since).unwrap_or(Self::ANSWERING), Ordering::Relaxed);
    }

    fn stop(&self) {
        self.since.store(Self::ANSWERING, Ordering::Relaxed);
    }

    /// Nothing while a request is being answered.
    pub(super) fn time(&self, now: Now) -> Option<Duration> {
        let since = Some(self.since.load(Ordering::Relaxed)).filter(|since| *since != Self::ANSWERING)?;
        Some(now.mono.saturating_duration_since(self.accepted + Duration::from_millis(since)))
    }
}
