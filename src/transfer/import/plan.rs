//! How an import is to go: what is decided before it begins, and what is wished while it goes.

use std::time::Duration;

/// What to do after a row that was not added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// Go on with the others.
    GoOn,
    /// Send no more.
    Stop,
}

/// How rows are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportOptions {
    /// How many at a time, 1 to 16.
    pub concurrency: usize,
    /// What to do after a row that was not added.
    pub on_error: OnError,
    /// Stop once so many rows were not added.
    pub max_errors: Option<u64>,
    /// Send also rows that may have been added where nothing makes sure that they are added once. Otherwise they are
    /// left alone and counted as unknown.
    pub send_unknown: bool,
    /// Send again what the service refused before.
    pub retry_refused: bool,
    /// How long things may take.
    pub patience: Patience,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            concurrency: 4,
            on_error: OnError::GoOn,
            max_errors: None,
            send_unknown: false,
            retry_refused: false,
            patience: Patience::default(),
        }
    }
}

/// How long things may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The first pause after a failure; each further one is twice as long.
    pub first: Duration,
    /// The longest pause that is made unasked.
    pub longest: Duration,
    /// Without any success for so long, the import stops; it also does where the service asks for a longer pause.
    pub give_up: Duration,
    /// What is under way gets so long when the import is told to stop.
    pub stop_within: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(200),
            longest: Duration::from_secs(60),
            give_up: Duration::from_secs(5 * 60),
            stop_within: Duration::from_secs(10),
        }
    }
}

/// What whoever started an import wants of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportControl {
    /// Send.
    Go,
    /// Send nothing new until told to.
    Pause,
    /// Send nothing new, wait for what is under way, and end.
    Stop,
    /// End at once.
    Abort,
}
