//! For which trace work is done: what a request belongs to goes with its writes to PostgreSQL.

use crate::model::TraceId;

tokio::task_local! {
    static TRACE: TraceId;
}

/// Does `work`, all of whose writes belong to `trace` if there is one.
pub async fn traced<T>(trace: Option<TraceId>, work: impl Future<Output = T>) -> T {
    match trace {
        Some(trace) => TRACE.scope(trace, work).await,
        None => work.await,
    }
}

/// That of the running task.
pub(super) fn current() -> Option<TraceId> {
    TRACE.try_with(|trace| *trace).ok()
}
