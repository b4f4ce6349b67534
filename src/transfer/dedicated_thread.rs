//! A thread and a runtime of its own for what sends one request after another: between an answer and the next request no
//! other thread has to be woken, and no other work is waited for.

use std::io;

use tokio::runtime::Builder;
use tokio::sync::oneshot;

use super::TransferError;

/// Does `work` there, and waits for it. Where this is dropped it goes on, unless it is told otherwise.
pub(super) async fn alone<T, F>(name: &str, work: impl FnOnce() -> F + Send + 'static) -> Result<T, TransferError>
where
    T: Send + 'static,
    F: Future<Output = T>,
{
    let runtime = Builder::new_current_thread().enable_all().build().map_err(TransferError::Start)?;
    let (tell, told) = oneshot::channel();
    thread(name, move || {
        // Nobody waits any more only where this was dropped.
        let _ = tell.send(runtime.block_on(work()));
        runtime.shutdown_background();
    })?;
    told.await.map_err(|_| TransferError::Start(io::ErrorKind::Other.into()))
}

/// A thread that nobody waits for.
pub(super) fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), TransferError> {
    std::thread::Builder::new().name(name.into()).spawn(work).map(drop).map_err(TransferError::Start)
}
