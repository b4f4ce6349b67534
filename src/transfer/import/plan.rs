//! The options and controls of an import.

use std::time::Duration;

/// How rows are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportOptions {
    /// Rows sent at a time, 1 to 16.
    pub concurrency: usize,
    /// Send no more rows after one that was not added. Otherwise the others are sent.
    pub stop_on_error: bool,
    /// Send rows that may have been added even if that could add them twice. Otherwise they are skipped and counted as
    /// unknown.
    pub send_unknown: bool,
    /// The timeouts and pauses.
    pub patience: Patience,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self { concurrency: 4, stop_on_error: false, send_unknown: false, patience: Patience::default() }
    }
}

/// The timeouts and pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The first pause after a failure; each further one is twice as long.
    pub first: Duration,
    /// The longest pause that the service did not ask for.
    pub longest: Duration,
    /// The import stops after this time without a success, or if the service asks for a longer pause. Without a limit,
    /// somebody must be there to stop it.
    pub give_up: Option<Duration>,
    /// How long requests may take after the import is stopped.
    pub stop_within: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(200),
            longest: Duration::from_secs(60),
            give_up: None,
            stop_within: Duration::from_secs(10),
        }
    }
}

/// The controls of a running import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportControl {
    /// Nothing: rows are sent.
    Go,
    /// Send no new rows, wait for those being sent, and end.
    Stop,
    /// End immediately.
    Abort,
}
