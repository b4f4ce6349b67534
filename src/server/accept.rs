//! Connections: accepted up to a limit, each with its time limits, and drained at the end.
//!
//! `axum::serve` sets no timer, so hyper's own time limits are silently off there, and its graceful stop waits for
//! ever for a request that was half sent.

use std::io;
use std::io::ErrorKind;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tower::Service as _;

use super::auth::Peer;
use super::{Config, Service, routes};

/// How long to wait when the system has no more file descriptors; one of them comes free by then.
const BACK_OFF: Duration = Duration::from_millis(100);

/// Until `stop`, then for as long as the running requests take, at most `config.drain`.
pub(super) async fn run(listener: TcpListener, service: Service, stop: CancellationToken) {
    let config = Arc::clone(&service.config);
    let http = http(&config);
    let router = routes::router(service);
    let slots = Arc::new(Semaphore::new(config.connections));
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            let slot = Arc::clone(&slots).acquire_owned().await;
            (slot, listener.accept().await)
        };
        let (slot, accepted) = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            Some(_) = connections.join_next() => continue,
            next = next => next,
        };
        match accepted {
            Ok((stream, peer)) => {
                let stream = with_write_time(stream, config.write_time);
                let connection = serve(http.clone(), stream, Peer(peer.ip()), router.clone(), stop.clone());
                connections.spawn(async move {
                    connection.await;
                    drop(slot);
                });
            }
            Err(error) if is_about_one_connection(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept");
                sleep(BACK_OFF).await;
            }
        }
    }
    drop(listener);
    let drained = timeout(config.drain, async { while connections.join_next().await.is_some() {} }).await;
    if drained.is_err() {
        tracing::warn!(left = connections.len(), "connections dropped: they did not end in time");
        connections.shutdown().await;
    }
}

fn http(config: &Config) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(config.header_time)
        .max_header_size(config.header_bytes)
        // No more than this is kept for one connection, however much a client sends.
        .max_buf_size(2 * config.header_bytes.max(8 * 1024));
    http
}

/// A stream that ends when the other side takes nothing of an answer for so long.
fn with_write_time(stream: TcpStream, write_time: Duration) -> Pin<Box<TimeoutStream<TcpStream>>> {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY");
    }
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(write_time));
    Box::pin(stream)
}

async fn serve(
    http: http1::Builder,
    stream: Pin<Box<TimeoutStream<TcpStream>>>,
    peer: Peer,
    router: Router,
    stop: CancellationToken,
) {
    let service = service_fn(|mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        // A router is always ready.
        router.clone().call(request)
    });
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "connection ended");
    }
}

/// The client was gone before it was accepted.
fn is_about_one_connection(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset)
}
