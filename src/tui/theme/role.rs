//! What a piece of the screen is for.

use crate::config::Accent;

/// What a piece of the screen is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum StyleRole {
    Text,
    Heading,
    Quiet,
    InUse,
    Selected,
    Available,
    Pending,
    Sold,
    Error,
    Wait,
    Good,
    Key,
    Border,
    /// A row that is new or has changed since the last refresh; it has a mark too.
    New,
    /// Letters that a search fits. Keeps the colours of the place where they stand.
    Match,
    /// The word for a profile in the header.
    Accent(Accent),
}

impl StyleRole {
    /// All of them.
    pub const ALL: [Self; 22] = [
        Self::Text,
        Self::Heading,
        Self::Quiet,
        Self::InUse,
        Self::Selected,
        Self::Available,
        Self::Pending,
        Self::Sold,
        Self::Error,
        Self::Wait,
        Self::Good,
        Self::Key,
        Self::Border,
        Self::New,
        Self::Match,
        Self::Accent(Accent::None),
        Self::Accent(Accent::Red),
        Self::Accent(Accent::Yellow),
        Self::Accent(Accent::Green),
        Self::Accent(Accent::Blue),
        Self::Accent(Accent::Magenta),
        Self::Accent(Accent::Cyan),
    ];

    /// This where it applies, else that of text.
    #[must_use]
    pub const fn when(self, applies: bool) -> Self {
        if applies { self } else { Self::Text }
    }
}
