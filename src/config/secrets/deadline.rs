//! Work that may take longer than anybody waits.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// What `work` gives within `limit`. After that it goes on in its thread, and nobody waits for it.
pub(super) fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (give, given) = mpsc::channel();
    let work = move || {
        let _ = give.send(work());
    };
    thread::Builder::new().name("secret".into()).spawn(work).ok()?;
    given.recv_timeout(limit).ok()
}
