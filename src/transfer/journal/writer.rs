//! Writes lines in a thread of its own: all that have come while it wrote are written at once. A write may wait for the
//! disk, and then for all of them rather than for each.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

/// Lines that wait to be written.
const AHEAD: usize = 1024;

/// The most octets that are written at once, about.
const MOST: usize = 256 << 10;

enum Order {
    Line(Vec<u8>, Option<oneshot::Sender<()>>),
    /// Bring everything to the disk, and let others have the file.
    Close(oneshot::Sender<()>),
}

/// The way to the thread. Its end is waited for where this is dropped.
#[derive(Debug)]
pub(super) struct Writer {
    orders: Option<SyncSender<Order>>,
    thread: Option<JoinHandle<()>>,
    failure: Arc<Mutex<Option<io::Error>>>,
}

/// A line that is on its way.
#[derive(Debug)]
pub(super) struct Pending {
    written: oneshot::Receiver<()>,
    failure: Arc<Mutex<Option<io::Error>>>,
}

impl Writer {
    pub(super) fn new(file: File) -> io::Result<Self> {
        let (orders, taken) = sync_channel(AHEAD);
        let failure = Arc::<Mutex<Option<io::Error>>>::default();
        let tell = Arc::clone(&failure);
        let write = move || {
            if let Err(error) = write(file, &taken) {
                tell.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        };
        let thread = std::thread::Builder::new().name("journal".into()).spawn(write)?;
        Ok(Self { orders: Some(orders), thread: Some(thread), failure })
    }

    /// A line that need not be waited for.
    pub(super) fn line(&self, line: Vec<u8>) -> io::Result<()> {
        self.order(Order::Line(line, None))
    }

    /// A line that is waited for.
    pub(super) fn line_to_wait_for(&self, line: Vec<u8>) -> io::Result<Pending> {
        let (tell, written) = oneshot::channel();
        self.order(Order::Line(line, Some(tell)))?;
        Ok(Pending { written, failure: Arc::clone(&self.failure) })
    }

    /// Everything is on the disk then, and the lock of the file is gone.
    pub(super) fn close(&self) -> io::Result<Pending> {
        let (tell, written) = oneshot::channel();
        self.order(Order::Close(tell))?;
        Ok(Pending { written, failure: Arc::clone(&self.failure) })
    }

    fn order(&self, order: Order) -> io::Result<()> {
        let sent = self.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok());
        if sent { Ok(()) } else { Err(why(&self.failure)) }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.orders = None;
        // It has said already what went wrong.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Pending {
    /// Waits until it is written.
    pub(super) async fn written(self) -> io::Result<()> {
        self.written.await.map_err(|_| why(&self.failure))
    }
}

/// Once the thread has ended, why. The first who asks is told; then it is only known that it did.
fn why(failure: &Mutex<Option<io::Error>>) -> io::Error {
    let failure = failure.lock().unwrap_or_else(PoisonError::into_inner).take();
    failure.unwrap_or_else(|| io::Error::other("an earlier line could not be written"))
}

fn write(mut file: File, orders: &Receiver<Order>) -> io::Result<()> {
    let (mut text, mut waiting) = (Vec::new(), Vec::new());
    while let Ok(first) = orders.recv() {
        let mut next = Some(first);
        let mut close = None;
        while let Some(order) = next {
            match order {
                Order::Line(line, tell) => {
                    text.extend_from_slice(&line);
                    waiting.extend(tell);
                }
                Order::Close(tell) => close = Some(tell),
            }
            next = if text.len() < MOST && close.is_none() { orders.try_recv().ok() } else { None };
        }
        file.write_all(&text)?;
        text.clear();
        for tell in waiting.drain(..) {
            // Whoever was stopped does not wait any more.
            let _ = tell.send(());
        }
        if let Some(tell) = close {
            file.sync_all().and_then(|()| file.unlock())?;
            let _ = tell.send(());
        }
    }
    Ok(())
}
