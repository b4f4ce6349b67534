//! How things look: styles by purpose and the marks, never a raw colour in a view.
//!
//! Every theme is a file; the built-in ones are in `assets/themes`. Colour never carries a meaning alone. In the default theme text keeps the terminal's own colours, and colour sits on
//! marks only, from the first 16, which every palette adapts. Its contrast is the palette's: in that of xterm each mark
//! can be seen on black, but cyan and yellow are faint on white. The built-in themes with their own colours promise
//! a contrast of 4.5 to 1 for whatever they show, high-contrast 7 to 1; with 16 colours only where they are those of
//! xterm. Their files say what each colour is on terminals with fewer.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;
use strum::EnumIter;

pub use crate::config::ThemeFile as Theme;
use crate::config::theme::{Colour, Paint};
use crate::config::{self, Accent, Depth, Themes};
use crate::model::{ObservedStatus, PetStatus, display_safe};

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

    /// The corners of a box, those at the top first, and its lines across and down.
    pub const fn border(&self) -> [&'static str; 6] {
        if self.ascii { ["+", "+", "+", "+", "-", "|"] } else { ["┌", "┐", "└", "┘", "─", "│"] }
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

/// What a piece of the screen is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter)]
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
    /// This where it applies, else that of text.
    pub const fn when(self, applies: bool) -> Self {
        if applies { self } else { Self::Text }
    }
}

impl Theme {
    /// The one of this name, else the default one. The others are not read.
    pub fn named(name: &str, themes: &Themes) -> Arc<Self> {
        let named = themes.all().find(|theme| theme.name == name).or_else(|| themes.all().next());
        Arc::new(named.unwrap_or_default())
    }

    /// A built-in one.
    pub fn built_in(name: &str) -> Arc<Self> {
        Self::named(name, &Themes::default())
    }

    /// What the file says about a role.
    const fn paint(&self, role: StyleRole) -> Paint {
        use StyleRole::*;
        match role {
            Text | Accent(config::Accent::None) => self.text,
            Heading => self.heading,
            Quiet => self.quiet,
            InUse => self.in_use,
            Selected => self.selected,
            Available => self.available,
            Pending => self.pending,
            Sold => self.sold,
            Error => self.error,
            Wait => self.wait,
            Good => self.good,
            Key => self.key,
            Border => self.border,
            New => self.new,
            Match => self.matched,
            Accent(config::Accent::Red) => self.accent.red,
            Accent(config::Accent::Yellow) => self.accent.yellow,
            Accent(config::Accent::Green) => self.accent.green,
            Accent(config::Accent::Blue) => self.accent.blue,
            Accent(config::Accent::Magenta) => self.accent.magenta,
            Accent(config::Accent::Cyan) => self.accent.cyan,
        }
    }

    /// How a role looks: what it does not name is that of text.
    pub fn style(&self, depth: Depth, role: StyleRole) -> Style {
        let (own, plain) = (self.paint(role), without_colours(role));
        let is_named = own != Paint::default();
        let without = Style::new().add_modifier(plain);
        if depth == Depth::Mono || role == StyleRole::Match && !is_named {
            return without;
        }
        let text = if own.text == Colour::Default { self.text.text } else { own.text };
        let ground = own.ground.or(self.text.ground).unwrap_or_default();
        let (fg, bg) = (shown(text, depth), shown(ground, depth));
        // Colours that differ may be the same where there are fewer.
        if fg.is_some() && fg == bg {
            return without.fg(Color::Reset).bg(Color::Reset);
        }
        let modifier = match (is_named, bg) {
            (false, _) => plain,
            (true, None) => plain - Modifier::DIM,
            // Where there are 16 colours, bold makes others of the first eight.
            (true, Some(_)) if plain == Modifier::BOLD && !matches!(fg, Some(Color::Indexed(..8))) => plain,
            (true, Some(_)) => Modifier::empty(),
        };
        Style { fg, bg, ..Style::new() }.add_modifier(modifier)
    }
}

/// How a role looks without colours.
const fn without_colours(role: StyleRole) -> Modifier {
    use StyleRole::*;
    match role {
        Quiet => Modifier::DIM,
        Selected => Modifier::REVERSED,
        Match => Modifier::UNDERLINED,
        Accent(config::Accent::None) => Modifier::empty(),
        Accent(_) => Modifier::BOLD.union(Modifier::REVERSED),
        Heading | InUse | Key | Error | New => Modifier::BOLD,
        Text | Available | Pending | Sold | Wait | Good | Border => Modifier::empty(),
    }
}

/// The first 16 as xterm has them. Terminals and their users choose others; the later ones are everywhere the same.
const FIRST: [u32; 16] = [
    0x00_0000, 0xcd_0000, 0x00_cd00, 0xcd_cd00, 0x00_00ee, 0xcd_00cd, 0x00_cdcd, 0xe5_e5e5, 0x7f_7f7f, 0xff_0000,
    0x00_ff00, 0xff_ff00, 0x5c_5cff, 0xff_00ff, 0x00_ffff, 0xff_ffff,
];

/// Red, green and blue of an index, as xterm has it.
pub fn xterm(index: u8) -> [u8; 3] {
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    match index {
        0..16 => {
            let [_, rgb @ ..] = FIRST[usize::from(index)].to_be_bytes();
            rgb
        }
        16..232 => [(index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6].map(level),
        232.. => [8 + 10 * (index - 232); 3],
    }
}

/// A colour as a terminal with so many shows it; nothing for the terminal's own.
pub fn shown(colour: Colour, depth: Depth) -> Option<Color> {
    let index = match (colour, depth) {
        (Colour::Default, _) | (_, Depth::Mono) => return None,
        (Colour::Rgb([red, green, blue], _), Depth::TrueColour) => return Some(Color::Rgb(red, green, blue)),
        (Colour::Rgb(_, Some([index, _])), Depth::TwoFiftySix) | (Colour::Rgb(_, Some([_, index])), _) => index,
        // The first 16 are left alone, since nobody knows what they are.
        (Colour::Rgb(rgb, None), Depth::TwoFiftySix) => nearest(rgb, 16..=255),
        (Colour::Rgb(rgb, None), Depth::Sixteen) => nearest(rgb, 0..=15),
        (Colour::Indexed(index @ 16..), Depth::Sixteen) => nearest(xterm(index), 0..=15),
        (Colour::Indexed(index), _) => index,
    };
    Some(Color::Indexed(index))
}

/// The nearest of some colours.
fn nearest(wanted: [u8; 3], some: RangeInclusive<u8>) -> u8 {
    let apart = |index: &u8| -> u32 {
        xterm(*index).into_iter().zip(wanted).map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum()
    };
    some.min_by_key(apart).unwrap_or_default()
}
