//! What is known of the connection over which the service reports new pets.

use std::collections::VecDeque;

use crate::model::PetId;

/// The most reported pets of which more is kept than the table shows; the oldest are forgotten first.
pub const MOST_KEPT: usize = 10_000;

/// What the service reports, and what is not settled of it.
#[derive(Clone, Debug, Default)]
pub struct Follow {
    pub(super) link: FollowLink,
    /// The last pet that was reported, or the position at which the reports began.
    pub(in crate::tui::screens::pets) position: Option<PetId>,
    /// Reported while this program was adding pets: they may be its own.
    pub(in crate::tui::screens::pets) held: Vec<PetId>,
    /// Those of which more is kept than lists show, the oldest first.
    pub(in crate::tui::screens::pets) kept: VecDeque<PetId>,
}

/// The connection to the reports of the service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FollowLink {
    /// There is none.
    #[default]
    Off,
    /// New pets come at once.
    Live,
    /// The service has refused it: it is not tried again.
    Refused,
}

impl Follow {
    /// Whether new pets come at once.
    pub fn is_live(&self) -> bool {
        self.link == FollowLink::Live
    }

    /// Another key is in use, with which it may be tried again.
    pub fn on_other_key(&mut self) {
        self.link = FollowLink::Off;
    }
}
