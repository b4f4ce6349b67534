//! How things look: styles by purpose and the marks, never a raw colour in a view.
//!
//! Every theme is a file; the built-in ones are in `assets/themes`. Colour never carries a meaning alone. In the default theme text keeps the terminal's own colours, and colour sits on
//! marks only, from the first 16, which every palette adapts. Its contrast is the palette's: in that of xterm each mark
//! can be seen on black, but cyan and yellow are faint on white. The built-in themes with their own colours promise
//! a contrast of 4.5 to 1 for whatever they show, high-contrast 7 to 1; with 16 colours only where they are those of
//! xterm. Their files say what each colour is on terminals with fewer.

pub mod colour;
pub mod palette;
mod role;

use std::borrow::Cow;
use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{Timestamp, fmt::strtime};
use ratatui::style::Style;
use ratatui::symbols::border;
use ratatui::text::Span;

pub use crate::config::Accent;
use crate::config::Depth;
use crate::model::{ObservedStatus, PetStatus, display_safe};
pub use palette::Theme;
pub use role::StyleRole;

/// Everything that painting needs to know about the terminal and its user.
#[derive(Clone, Debug)]
pub struct Appearance {
    /// Nothing beyond ASCII.
    pub ascii: bool,
    /// Which colours are used.
    pub theme: Arc<Theme>,
    /// How many colours the terminal shows. Where it shows none, every theme looks like `mono`.
    pub depth: Depth,
    /// For times of day.
    pub zone: TimeZone,
}

const ASCII_BORDER: border::Set<'_> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

impl Appearance {
    /// The style of a role. That of [`StyleRole::Text`] fills the frame and every box in it before anything else is painted.
    pub fn style(&self, role: StyleRole) -> Style {
        self.theme.style(self.depth, role)
    }

    /// The mark of a status, as one column.
    pub const fn mark(&self, status: Option<&ObservedStatus>) -> (&'static str, StyleRole) {
        let (ascii, sign, role) = match status {
            Some(ObservedStatus::Known(PetStatus::Available)) => ("o", "●", StyleRole::Available),
            Some(ObservedStatus::Known(PetStatus::Pending)) => ("~", "◐", StyleRole::Pending),
            Some(ObservedStatus::Known(PetStatus::Sold)) => ("x", "○", StyleRole::Sold),
            Some(ObservedStatus::Unknown(_)) => ("?", "?", StyleRole::Wait),
            None => ("-", "–", StyleRole::Quiet),
        };
        (if self.ascii { ascii } else { sign }, role)
    }

    pub fn span<'a>(&self, text: impl Into<Cow<'a, str>>, role: StyleRole) -> Span<'a> {
        Span::styled(text, self.style(role))
    }

    /// The mark of a status, in its style.
    pub fn status(&self, status: Option<&ObservedStatus>) -> Span<'static> {
        let (mark, role) = self.mark(status);
        self.span(mark, role)
    }

    /// Foreign text as this terminal can show it: cleaned, and in ASCII mode with `?` for what is not ASCII.
    pub fn text(&self, text: &str) -> String {
        let safe = display_safe(text);
        if !self.ascii || safe.is_ascii() {
            return safe.into_owned();
        }
        use unicode_segmentation::UnicodeSegmentation as _;
        safe.graphemes(true).map(|cluster| if cluster.is_ascii() { cluster } else { "?" }).collect()
    }

    /// A horizontal line of `columns`.
    pub fn rule(&self, columns: usize) -> String {
        if self.ascii { "-" } else { "─" }.repeat(columns)
    }

    pub fn bar(&self, columns: usize) -> String {
        if self.ascii { "#" } else { "█" }.repeat(columns)
    }

    /// The lines of a box.
    pub(super) const fn border(&self) -> border::Set<'static> {
        if self.ascii { ASCII_BORDER } else { border::PLAIN }
    }

    /// A time of day, `14:03:07`.
    pub fn time(&self, at: Timestamp) -> String {
        strtime::format("%H:%M:%S", &at.to_zoned(self.zone.clone())).unwrap_or_default()
    }

    /// A moment for people: the time of day, with the day where it is another one than that of `now`.
    pub fn moment(&self, at: Timestamp, now: Timestamp) -> String {
        let (at, now) = (at.to_zoned(self.zone.clone()), now.to_zoned(self.zone.clone()));
        let format = match at.date() {
            date if date == now.date() => "%H:%M",
            date if date.year() == now.year() => "%a %d %b %H:%M",
            _ => "%a %d %b %Y %H:%M",
        };
        at.strftime(format).to_string()
    }
}

#[cfg(test)]
mod tests;
