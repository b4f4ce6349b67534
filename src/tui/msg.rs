//! Everything that can happen to the app.

use crate::api::Exchange;

pub use super::job::Reply;
pub use super::key::{Key, KeyPress};
pub use super::mouse::MouseEvent;
pub use super::state::{QuitReason, Size};

/// A paste of more bytes is not taken.
pub const MOST_PASTED: usize = 64 << 20;

/// One thing that happened.
#[derive(Debug, PartialEq)]
pub enum Msg {
    /// A key went down or repeats.
    Key(KeyPress),
    /// The mouse, while it is on.
    Mouse(MouseEvent),
    /// Text came as one piece, through bracketed paste.
    Paste(String),
    /// The same, of more bytes than `MOST_PASTED`.
    PasteTooLarge,
    /// The terminal has another size.
    Resize(Size),
    /// The terminal gained focus, or lost it.
    Focus { here: bool },
    /// The connection to the terminal became slow, or fast again.
    Line { slow: bool },
    /// A deadline that `next_deadline` named has come.
    Tick,
    /// A job that an effect started has ended.
    Reply(Reply),
    /// A request has ended.
    Exchanged(Recorded),
    /// SIGTSTP: the program is asked to stop, as by Ctrl-Z.
    Suspend,
    /// SIGCONT: the program goes on, whatever had stopped it.
    Continued,
    /// The terminal was taken again.
    Resumed,
    /// The program must end.
    Quit(QuitReason),
}

impl Msg {
    /// Whether it may be drawn later.
    pub const fn can_wait(&self) -> bool {
        matches!(self, Self::Reply(Reply { can_wait: true, .. }))
    }
}

/// The record of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// What was asked and answered.
    pub exchange: Box<Exchange>,
    /// How many before it were not recorded, because more came at once than can wait.
    pub missed: u64,
}
