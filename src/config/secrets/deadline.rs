//! Work with a time limit.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The result of `work` within `limit`. After that it continues in its thread, and its result is dropped.
pub(super) fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (give, given) = mpsc::channel();
    let work = move || {
        let _ = give.send(work());
    };
    thread::Builder::new().name("secret".into()).spawn(work).ok()?;
    given.recv_timeout(limit).ok()
}
