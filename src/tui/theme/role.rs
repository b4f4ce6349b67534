//! What a piece of the screen is for.

use strum::{EnumIter, IntoEnumIterator as _, IntoStaticStr};

use crate::config::Accent;

/// What a piece of the screen is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
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
    /// Letters that a search fits. Keeps the colours of the place where they are.
    Match,
    /// The word for a profile in the header.
    Accent(Accent),
}

impl StyleRole {
    /// All of them, those of the accents last.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter().chain(Accent::iter().skip(1).map(Self::Accent))
    }

    /// Its key in the file of a theme.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The same, with the colour of an accent.
    pub fn label(self) -> String {
        if let Self::Accent(accent) = self { format!("accent {accent}") } else { self.name().to_owned() }
    }

    /// This where it applies, else that of text.
    pub const fn when(self, applies: bool) -> Self {
        if applies { self } else { Self::Text }
    }
}
