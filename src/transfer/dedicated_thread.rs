//! Dedicated threads with a runtime for sending many requests: nothing else runs between an answer and the next
//! request.

use std::{io, thread};

use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::{Result, TransferError};

/// Runs `work` there and waits for it. If this is dropped, the work continues unless it is cancelled.
pub async fn alone<T, F>(name: &str, work: impl FnOnce() -> F + Send + 'static) -> Result<T>
where
    T: Send + 'static,
    F: Future<Output = T>,
{
    let runtime = Builder::new_current_thread().enable_all().build().map_err(TransferError::Start)?;
    let (sender, done) = oneshot::channel();
    let run = move || {
        // It fails only if this was dropped.
        let _ = sender.send(runtime.block_on(work()));
        // What it still waits for, such as standard input, must not delay its end.
        runtime.shutdown_background();
    };
    thread::Builder::new().name(name.into()).spawn(run).map_err(TransferError::Start)?;
    done.await.map_err(|_| TransferError::Start(io::ErrorKind::Other.into()))
}

/// Runs work that waits for the disk beside the others.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    spawn_blocking(work).await.unwrap_or_else(|error| Err(TransferError::Start(error.into())))
}
