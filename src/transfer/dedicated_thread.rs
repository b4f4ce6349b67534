//! Dedicated threads with a runtime for sending many requests: nothing else runs between an answer and the next
//! request.

use std::io;

use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::TransferError;

/// Runs `work` there and waits for it. If this is dropped, the work continues unless it is cancelled.
pub async fn alone<T, F>(name: &str, work: impl FnOnce() -> F + Send + 'static) -> Result<T, TransferError>
where
    T: Send + 'static,
    F: Future<Output = T>,
{
    let runtime = Builder::new_current_thread().enable_all().build().map_err(TransferError::Start)?;
    let (sender, done) = oneshot::channel();
    thread(name, move || {
        // It fails only if this was dropped.
        let _ = sender.send(runtime.block_on(work()));
        runtime.shutdown_background();
    })?;
    done.await.map_err(|_| TransferError::Start(io::ErrorKind::Other.into()))
}

/// A detached thread.
pub fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), TransferError> {
    std::thread::Builder::new().name(name.into()).spawn(work).map(drop).map_err(TransferError::Start)
}

/// Runs work that waits for the disk beside the others.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, TransferError> + Send + 'static,
) -> Result<T, TransferError> {
    spawn_blocking(work).await.unwrap_or_else(|error| Err(TransferError::Start(error.into())))
}
