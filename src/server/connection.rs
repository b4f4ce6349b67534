//! Connections: accepted up to a limit, each with its time limits, and drained at the end.
//!
//! When every place or file descriptor is taken, the connection makes room that has waited longest for a whole request,
//! first of those that never had a valid key: many clients that only hold on must not keep the others out.
//!
//! `axum::serve` sets no timer, so hyper's own time limits are silently off there, and its graceful stop waits for
//! ever for a request that was half sent.

use std::collections::HashMap;
use std::future::poll_fn;
use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, UnexpectedEof};
use std::io::{self, Cursor};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Poll, ready};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use rustix::io::Errno;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf, join, split};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tower::Service as _;

use super::config::{Config, Tls};
use super::limits::Peer;
use super::metrics;
use crate::clock::{self, Now};

/// What every connection needs. Cheap to clone.
#[derive(Clone)]
pub struct Acceptor {
    config: Arc<Config>,
    http: http1::Builder,
    router: Router,
    stop: CancellationToken,
}

impl Acceptor {
    pub fn new(config: Arc<Config>, router: Router, stop: CancellationToken) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(config.header_time)
            .max_header_size(config.header_bytes)
            // No more than this is kept for one connection, however much a client sends.
            .max_buf_size(2 * config.header_bytes.max(8 * 1024));
        Self { config, http, router, stop }
    }

    /// Until the client or `stop` ends it; `waiting` tells meanwhile whether a request is being answered.
    pub async fn serve(self, stream: TcpStream, peer: SocketAddr, waiting: Arc<Waiting>) {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY");
        }
        match self.config.tls.clone() {
            None => {
                let (reader, writer) = stream.into_split();
                self.exchange(reader, writer, peer, waiting).await;
            }
            // What TLS takes, plain connections do not.
            Some(tls) => Box::pin(self.serve_encrypted(tls, stream, peer, waiting)).await,
        }
    }

    async fn serve_encrypted(self, tls: Tls, stream: TcpStream, peer: SocketAddr, waiting: Arc<Waiting>) {
        let Some(encrypted) = self.in_time(tls.acceptor().accept(stream)).await else { return };
        let (reader, writer) = split(encrypted);
        self.exchange(reader, writer, peer, waiting).await;
    }

    async fn exchange<R, W>(self, mut reader: R, writer: W, peer: SocketAddr, waiting: Arc<Waiting>)
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let Some(head) = self.in_time(first_head(&mut reader, self.config.header_bytes)).await else { return };
        let stream = join(Cursor::new(head).chain(reader), writer);
        Box::pin(self.answer(stream, peer, waiting)).await;
    }

    /// What comes of `begin` within the time for headers, if anything: after that the client hears nothing, as hyper
    /// does with the heads that follow.
    async fn in_time<T>(&self, begin: impl Future<Output = io::Result<T>>) -> Option<T> {
        tokio::select! {
            begun = timeout(self.config.header_time, begin) => match begun {
                Ok(Ok(begun)) => return Some(begun),
                Ok(Err(error)) => tracing::debug!(%error, "connection ended"),
                Err(_) => {}
            },
            () = self.stop.cancelled() => {}
        }
        None
    }

    async fn answer(self, stream: impl AsyncRead + AsyncWrite, peer: SocketAddr, waiting: Arc<Waiting>) {
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.config.write_time));
        let service = service_fn(|mut request: Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer.ip()));
            request.extensions_mut().insert(Arc::clone(&waiting));
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

/// What has come when the headers of the first request are complete, longer than `most`, or no HTTP at all.
///
/// They are waited for with no more memory than they take: hyper takes 16 KiB for a connection at once, which adds up
/// where many send nothing, or a byte now and then.
async fn first_head(reader: &mut (impl AsyncRead + Unpin), most: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    loop {
        let read = poll_fn(|context| {
            let mut part = [0; 2048];
            let mut part = ReadBuf::new(&mut part);
            ready!(Pin::new(&mut *reader).poll_read(context, &mut part))?;
            head.extend_from_slice(part.filled());
            Poll::Ready(io::Result::Ok(part.filled().len()))
        });
        let read = read.await?;
        if read == 0 {
            return Err(UnexpectedEof.into());
        }
        let is_whole = has_blank_line(&head[(head.len() - read).saturating_sub(3)..]) || head.len() >= most;
        // A client that starts with TLS, for example, gets an error at once.
        let is_text = head[0].is_ascii_graphic() || b"\r\n".contains(&head[0]);
        if is_whole || !is_text {
            return Ok(head);
        }
    }
}

/// Lines may end with or without CR (RFC 9112, 2.2).
fn has_blank_line(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| pair == b"\n\n") || bytes.windows(3).any(|three| three == b"\n\r\n")
}

/// How long a connection has been waiting for a request or its body, or for its client to take the answer.
#[derive(Debug)]
pub struct Waiting {
    /// Nothing while a request is being answered.
    since: Mutex<Option<Instant>>,
    /// Whether a request came with a valid key.
    pub had_key: AtomicBool,
    is_stream: AtomicBool,
    /// How many connections of its listener are streams.
    streams: Arc<AtomicUsize>,
}

impl Waiting {
    pub fn since(now: Now, streams: &Arc<AtomicUsize>) -> Self {
        let (had_key, is_stream) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { since: Mutex::new(Some(now.mono)), had_key, is_stream, streams: Arc::clone(streams) }
    }

    pub fn begin(&self, now: Now) {
        *self.since.lock() = Some(now.mono);
    }

    pub fn stop(&self) {
        *self.since.lock() = None;
    }

    /// Whether its answer is a stream of events, which has a place apart from those of connections.
    pub fn set_stream(&self, is_stream: bool) {
        match (self.is_stream.swap(is_stream, Ordering::Relaxed), is_stream) {
            (false, true) => _ = self.streams.fetch_add(1, Ordering::Relaxed),
            (true, false) => _ = self.streams.fetch_sub(1, Ordering::Relaxed),
            _ => {}
        }
    }

    /// Nothing while a request is being answered.
    pub fn time(&self, now: Now) -> Option<Duration> {
        self.since.lock().map(|since| now.mono.saturating_duration_since(since))
    }
}

/// How long to wait when the system accepts nothing, and no connection can make room.
const BACK_OFF: Duration = Duration::from_millis(100);

/// How long a connection may wait before it can be made to give up its place: longer than it takes to ask.
pub const GRACE: Duration = Duration::from_millis(250);

/// How often to check whether the grace of a connection is over.
const CHECK_EVERY: Duration = Duration::from_millis(10);

/// Until `stop`, then for as long as the running requests take, at most `config.drain`.
pub async fn run(listeners: Vec<TcpListener>, acceptor: Acceptor, metrics: metrics::Connections) {
    let Acceptor { config, stop, .. } = &acceptor;
    let mut connections = Connections { metrics, tasks: JoinSet::new(), open: HashMap::new(), streams: Arc::default() };
    let (mut newcomer, mut turn) = (None, 0);
    loop {
        let has_place = |_: &mut _| connections.count() < config.connections || connections.make_room(false);
        if let Some((stream, peer)) = newcomer.take_if(has_place) {
            connections.start(&acceptor, stream, peer);
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            () = connections.one_ended(), if !connections.tasks.is_empty() => {}
            accepted = accept(&listeners, turn), if newcomer.is_none() => match accepted {
                Ok((accepted, next)) => (newcomer, turn) = (Some(accepted), next),
                // The client was gone before it was accepted.
                Err(error) if matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) => {}
                Err(error) => {
                    connections.metrics.failed.inc();
                    tracing::warn!(%error, "cannot accept connections");
                    // The process, or the whole system, has no more descriptors.
                    let is_full = matches!(Errno::from_io_error(&error), Some(Errno::MFILE | Errno::NFILE));
                    if is_full && connections.make_room(true) {
                        connections.one_ended().await;
                    } else {
                        sleep(BACK_OFF).await;
                    }
                }
            },
            () = sleep(CHECK_EVERY), if newcomer.is_some() => {}
        }
    }
    drop(listeners);
    let drained = timeout(config.drain, async { while connections.tasks.join_next().await.is_some() {} }).await;
    if drained.is_err() {
        tracing::warn!(left = connections.tasks.len(), "connections dropped because they did not finish in time");
        connections.tasks.shutdown().await;
    }
}

/// The next connection at any of `listeners`, and whose turn comes then: none waits for the crowd at another one.
async fn accept(listeners: &[TcpListener], turn: usize) -> io::Result<((TcpStream, SocketAddr), usize)> {
    poll_fn(|context| {
        for index in (turn..listeners.len()).chain(0..turn) {
            if let Poll::Ready(accepted) = listeners[index].poll_accept(context) {
                return Poll::Ready(accepted.map(|accepted| (accepted, (index + 1) % listeners.len())));
            }
        }
        Poll::Pending
    })
    .await
}

struct Connections {
    metrics: metrics::Connections,
    tasks: JoinSet<()>,
    /// Those that have a place.
    open: HashMap<Id, (AbortHandle, Arc<Waiting>)>,
    /// How many of these are streams, which have places of another kind.
    streams: Arc<AtomicUsize>,
}

impl Connections {
    fn start(&mut self, acceptor: &Acceptor, stream: TcpStream, peer: SocketAddr) {
        let waiting = Arc::new(Waiting::since(clock::now(), &self.streams));
        let handle = self.tasks.spawn(acceptor.clone().serve(stream, peer, Arc::clone(&waiting)));
        self.open.insert(handle.id(), (handle, waiting));
        self.metrics.accepted.inc();
        self.metrics.open.inc();
    }

    async fn one_ended(&mut self) {
        let Some(ended) = self.tasks.join_next_with_id().await else { return };
        let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
        if self.open.remove(&id).is_some() {
            self.metrics.open.dec();
        }
    }

    /// How many are not streams.
    fn count(&self) -> usize {
        self.open.len().saturating_sub(self.streams.load(Ordering::Relaxed))
    }

    /// Ends the connection that has waited longest, first of those without a valid key. Not before it has for [`GRACE`].
    /// A stream is ended only for the descriptor that it has.
    fn make_room(&mut self, is_for_descriptor: bool) -> bool {
        let now = clock::now();
        let may_end = |waiting: &Waiting| is_for_descriptor || !waiting.is_stream.load(Ordering::Relaxed);
        let connections = self.open.iter().filter(|(_, (_, waiting))| may_end(waiting));
        let waiting = connections.filter_map(|(id, (_, waiting))| Some((waiting.time(now)?, waiting, *id)));
        let first = waiting.max_by_key(|(time, waiting, _)| (!waiting.had_key.load(Ordering::Relaxed), *time));
        let first = first.filter(|(time, ..)| *time >= GRACE).map(|(.., id)| id);
        let Some((handle, _)) = first.and_then(|id| self.open.remove(&id)) else { return false };
        handle.abort();
        self.metrics.evicted.inc();
        self.metrics.open.dec();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_ends_with_a_blank_line() {
        for whole in ["GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\nHost: x\n\n", "x\n\r\nbody"] {
            assert!(has_blank_line(whole.as_bytes()), "{whole:?}");
        }
        for half in ["", "\r\n", "GET / HTTP/1.1\r\nHost: x\r\n", "\r\r", "a\n b\r\n"] {
            assert!(!has_blank_line(half.as_bytes()), "{half:?}");
        }
    }

    #[tokio::test]
    async fn the_listeners_take_turns_however_many_connections_wait_at_one() {
        let mut listeners = Vec::new();
        for _ in 0..2 {
            listeners.push(TcpListener::bind("127.0.0.1:0").await.unwrap());
        }
        let addresses: Vec<_> = listeners.iter().map(|listener| listener.local_addr().unwrap()).collect();
        let connect = |address: &SocketAddr| std::net::TcpStream::connect(address).unwrap();
        let _waiting: Vec<_> = addresses.iter().cycle().take(6).map(connect).collect();
        let mut turn = 0;
        for expected in addresses.iter().cycle().take(6) {
            let ((stream, _), next) = accept(&listeners, turn).await.unwrap();
            assert_eq!(stream.local_addr().unwrap(), *expected);
            turn = next;
        }
    }
}
