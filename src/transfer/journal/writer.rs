//! Writes lines in a thread of its own: all that have come while it wrote are written at once. A write may wait for the
//! disk, and then for all of them rather than for each.
//!
//! Only a line that is waited for wakes the thread. The others go with the next one of that kind, or a moment later:
//! waking it for each would take longer than all else that is done here for a row.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::oneshot;

/// How long a line that nobody waits for may be kept in memory.
const SOON: Duration = Duration::from_millis(2);

/// So many octets are written at once, and further lines have to wait until they are.
const MOST: usize = 256 << 10;

/// The way to the thread. Its end is waited for where this is dropped.
#[derive(Debug)]
pub(super) struct Writer {
    desk: Arc<Desk>,
    thread: Option<JoinHandle<()>>,
}

/// A line that is on its way.
#[derive(Debug)]
pub(super) struct Pending {
    written: oneshot::Receiver<()>,
    desk: Arc<Desk>,
}

/// What both sides share.
#[derive(Debug, Default)]
struct Desk {
    orders: Mutex<Orders>,
    /// For the thread: there is something to do at once.
    now: Condvar,
    /// For whoever has too much to write: it has been taken.
    room: Condvar,
}

#[derive(Debug, Default)]
struct Orders {
    text: Vec<u8>,
    /// Who waits until it is written.
    waiting: Vec<oneshot::Sender<()>>,
    /// Bring everything to the disk then, and let others have the file.
    close: Option<oneshot::Sender<()>>,
    /// Whether the thread waits for an order without looking again soon.
    is_idle: bool,
    /// No orders come any more, or none is carried out.
    is_over: bool,
    failure: Option<io::Error>,
}

impl Writer {
    pub(super) fn new(file: File) -> io::Result<Self> {
        let desk = Arc::<Desk>::default();
        let shared = Arc::clone(&desk);
        let write = move || shared.write(file);
        let thread = std::thread::Builder::new().name("journal".into()).spawn(write)?;
        Ok(Self { desk, thread: Some(thread) })
    }

    /// Lines that need not be waited for.
    pub(super) fn lines(&self, lines: &[u8]) -> io::Result<()> {
        self.desk.order(lines, |_| {})
    }

    /// Lines that are waited for.
    pub(super) fn lines_to_wait_for(&self, lines: &[u8]) -> io::Result<Pending> {
        self.pending(lines, |orders, tell| orders.waiting.push(tell))
    }

    /// Everything is on the disk then, and the lock of the file is gone.
    pub(super) fn close(&self) -> io::Result<Pending> {
        self.pending(&[], |orders, tell| orders.close = Some(tell))
    }

    fn pending(&self, lines: &[u8], wait: impl FnOnce(&mut Orders, oneshot::Sender<()>)) -> io::Result<Pending> {
        let (tell, written) = oneshot::channel();
        self.desk.order(lines, |orders| wait(orders, tell))?;
        Ok(Pending { written, desk: Arc::clone(&self.desk) })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.desk.orders().is_over = true;
        self.desk.now.notify_one();
        // It has said already what went wrong.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Pending {
    /// Waits until it is written.
    pub(super) async fn written(self) -> io::Result<()> {
        self.written.await.map_err(|_| self.desk.orders().why())
    }
}

impl Orders {
    /// Once the thread has ended, why. The first who asks is told; then it is only known that it did.
    fn why(&mut self) -> io::Error {
        self.failure.take().unwrap_or_else(|| io::Error::other("an earlier line could not be written"))
    }

    fn is_urgent(&self) -> bool {
        self.is_over || !self.waiting.is_empty() || self.close.is_some() || self.text.len() >= MOST
    }
}

impl Desk {
    fn orders(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn order(&self, lines: &[u8], more: impl FnOnce(&mut Orders)) -> io::Result<()> {
        let is_full = |orders: &mut Orders| orders.text.len() >= MOST && !orders.is_over;
        let mut orders = self.room.wait_while(self.orders(), is_full).unwrap_or_else(PoisonError::into_inner);
        if orders.is_over {
            return Err(orders.why());
        }
        orders.text.extend_from_slice(lines);
        more(&mut orders);
        if orders.is_urgent() || orders.is_idle {
            self.now.notify_one();
        }
        Ok(())
    }

    /// Until no orders come any more, or one fails.
    fn write(&self, mut file: File) {
        let mut text = Vec::new();
        loop {
            let mut orders = self.next();
            if orders.is_over && orders.text.is_empty() && orders.close.is_none() {
                return;
            }
            std::mem::swap(&mut text, &mut orders.text);
            let (waiting, close) = (std::mem::take(&mut orders.waiting), orders.close.take());
            drop(orders);
            self.room.notify_all();
            let written = file.write_all(&text);
            text.clear();
            let done = if close.is_some() {
                written.and_then(|()| file.sync_all()).and_then(|()| file.unlock())
            } else {
                written
            };
            if let Err(error) = done {
                let mut orders = self.orders();
                (orders.is_over, orders.failure) = (true, Some(error));
                // Those who wait hear of it as nobody tells them any more.
                orders.waiting.clear();
                drop(orders);
                self.room.notify_all();
                return;
            }
            for tell in waiting.into_iter().chain(close) {
                // Whoever was stopped does not wait any more.
                let _ = tell.send(());
            }
        }
    }

    /// Waits until there is something to write.
    fn next(&self) -> MutexGuard<'_, Orders> {
        let mut orders = self.orders();
        while !orders.is_urgent() {
            let (now, waited) = self.now.wait_timeout(orders, SOON).unwrap_or_else(PoisonError::into_inner);
            orders = now;
            if waited.timed_out() && !orders.text.is_empty() {
                break;
            }
            if waited.timed_out() {
                orders.is_idle = true;
                let nothing = |orders: &mut Orders| orders.text.is_empty() && !orders.is_urgent();
                orders = self.now.wait_while(orders, nothing).unwrap_or_else(PoisonError::into_inner);
                orders.is_idle = false;
            }
        }
        orders
    }
}
