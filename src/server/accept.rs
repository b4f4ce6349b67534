//! Connections: accepted up to a limit, and drained at the end.
//!
//! When every place or file descriptor is taken, the connection makes room that has waited longest for a whole request,
//! first of those that never had a valid key: many clients that only hold on must not keep the others out.

use std::collections::HashMap;
use std::future::poll_fn;
use std::io;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use rustix::io::Errno;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::config::Config;
use super::connection::{Acceptor, Waiting};
use super::metrics;
use crate::clock;

/// How long to wait when the system accepts nothing, and no connection can make room.
const BACK_OFF: Duration = Duration::from_millis(100);

/// How long a connection may wait before it can be made to give up its place: longer than it takes to ask.
pub(super) const GRACE: Duration = Duration::from_millis(250);

/// How often to check whether the grace of a connection is over.
const CHECK_EVERY: Duration = Duration::from_millis(10);

/// Until `stop`, then for as long as the running requests take, at most `config.drain`.
pub(super) async fn run(
    listeners: Vec<TcpListener>,
    router: Router,
    config: Arc<Config>,
    metrics: metrics::Connections,
    stop: CancellationToken,
) {
    let acceptor = Acceptor::new(Arc::clone(&config), router, stop.clone());
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
                Err(error) if is_about_one_connection(&error) => {}
                Err(error) => {
                    connections.metrics.failed.inc();
                    tracing::warn!(%error, "cannot accept connections");
                    if is_about_descriptors(&error) && connections.make_room(true) {
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
        let id = match self.tasks.join_next_with_id().await {
            None => return,
            Some(Ok((id, ()))) => id,
            Some(Err(error)) => error.id(),
        };
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
        let connections = self.open.iter().filter(|(_, (_, waiting))| is_for_descriptor || !waiting.is_stream());
        let waiting = connections.filter_map(|(id, (_, waiting))| Some((waiting.time(now)?, waiting, *id)));
        let first = waiting.max_by_key(|(time, waiting, _)| (!waiting.had_key(), *time));
        let first = first.filter(|(time, ..)| *time >= GRACE).map(|(.., id)| id);
        let Some((handle, _)) = first.and_then(|id| self.open.remove(&id)) else { return false };
        handle.abort();
        self.metrics.evicted.inc();
        self.metrics.open.dec();
        true
    }
}

/// The process, or the whole system, has no more of them.
fn is_about_descriptors(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

/// The client was gone before it was accepted.
fn is_about_one_connection(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset)
}

#[cfg(test)]
mod tests {
    use super::*;

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
