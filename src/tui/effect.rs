//! Everything that the app can ask for: jobs, which the worker does, and what the loop does with the terminal.

use crate::config::Notify;

use super::Slot;
use super::job::Started;

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Work for the worker.
    Job(Started),
    /// Stop what runs in this slot; its reply no longer matters.
    Cancel(Slot),
    /// Stop the import that is under way.
    StopImport,
    /// Give the terminal back and stop, as Ctrl-Z asks.
    Suspend,
    /// Take the terminal again, after something else has stopped the program.
    Resume,
    /// Redraw everything.
    Redraw,
    /// Have the terminal report the mouse, or not.
    Mouse(bool),
    /// Notify the user.
    Notify(Notify, String),
    /// Give a text to the terminal's clipboard.
    Clipboard(String),
}
