//! What a theme says about each purpose, and how a terminal shows it.

use std::sync::Arc;

use ratatui::style::{Color, Modifier, Style};

use crate::config::theme::{Colour, Paint};
use crate::config::{Accent, Depth, ThemeFile, Themes};

use super::colour::{NAMED, shown};
use super::role::StyleRole;

/// A theme, as its file has it.
#[derive(Debug, PartialEq)]
pub struct Theme(ThemeFile);

impl From<ThemeFile> for Theme {
    fn from(file: ThemeFile) -> Self {
        Self(file)
    }
}

impl Theme {
    /// All that can be chosen, in the order of the menu.
    pub fn all(themes: &Themes) -> Vec<Arc<Self>> {
        themes.all().map(|file| Arc::new(file.into())).collect()
    }

    /// The one of this name, else the default one. The others are not read.
    pub fn named(name: &str, themes: &Themes) -> Arc<Self> {
        let named = themes.all().find(|theme| theme.name == name).or_else(|| themes.all().next());
        Arc::new(named.unwrap_or_default().into())
    }

    /// A built-in one.
    pub fn built_in(name: &str) -> Arc<Self> {
        Self::named(name, &Themes::default())
    }

    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// A short description.
    pub fn title(&self) -> &str {
        &self.0.title
    }

    /// What the file says about a role.
    const fn paint(&self, role: StyleRole) -> Paint {
        let file = &self.0;
        match role {
            StyleRole::Text | StyleRole::Accent(Accent::None) => file.text,
            StyleRole::Heading => file.heading,
            StyleRole::Quiet => file.quiet,
            StyleRole::InUse => file.in_use,
            StyleRole::Selected => file.selected,
            StyleRole::Available => file.available,
            StyleRole::Pending => file.pending,
            StyleRole::Sold => file.sold,
            StyleRole::Error => file.error,
            StyleRole::Wait => file.wait,
            StyleRole::Good => file.good,
            StyleRole::Key => file.key,
            StyleRole::Border => file.border,
            StyleRole::New => file.new,
            StyleRole::Match => file.matched,
            StyleRole::Accent(Accent::Red) => file.accent.red,
            StyleRole::Accent(Accent::Yellow) => file.accent.yellow,
            StyleRole::Accent(Accent::Green) => file.accent.green,
            StyleRole::Accent(Accent::Blue) => file.accent.blue,
            StyleRole::Accent(Accent::Magenta) => file.accent.magenta,
            StyleRole::Accent(Accent::Cyan) => file.accent.cyan,
        }
    }

    /// Text and ground of a role: what it does not name is that of text.
    fn colours(&self, role: StyleRole) -> (Colour, Colour) {
        let (own, text) = (self.paint(role), self.0.text);
        let colour = if own.text == Colour::Default { text.text } else { own.text };
        (colour, own.ground.or(text.ground).unwrap_or_default())
    }

    /// How a role looks.
    pub fn style(&self, depth: Depth, role: StyleRole) -> Style {
        let is_named = self.paint(role) != Paint::default();
        let without = Style::new().add_modifier(without_colours(role));
        if depth == Depth::Mono || role == StyleRole::Match && !is_named {
            return without;
        }
        let (text, ground) = self.colours(role);
        let (fg, bg) = (shown(text, depth), shown(ground, depth));
        // Colours that differ may be the same where there are fewer.
        if fg.is_some() && fg == bg {
            return without.fg(Color::Reset).bg(Color::Reset);
        }
        let modifier = match (is_named, bg) {
            (false, _) => without_colours(role),
            (true, None) => without_colours(role) - Modifier::DIM,
            (true, Some(_)) if is_bold(role) && fg.is_none_or(stays_when_bold) => Modifier::BOLD,
            (true, Some(_)) => Modifier::empty(),
        };
        Style { fg, bg, ..Style::new() }.add_modifier(modifier)
    }
}

/// How a role looks without colours.
const fn without_colours(role: StyleRole) -> Modifier {
    match role {
        StyleRole::Quiet => Modifier::DIM,
        StyleRole::Selected => Modifier::REVERSED,
        StyleRole::Match => Modifier::UNDERLINED,
        StyleRole::Accent(Accent::None) => Modifier::empty(),
        StyleRole::Accent(_) => Modifier::BOLD.union(Modifier::REVERSED),
        StyleRole::Heading | StyleRole::InUse | StyleRole::Key | StyleRole::Error | StyleRole::New => Modifier::BOLD,
        StyleRole::Text | StyleRole::Available | StyleRole::Pending | StyleRole::Sold => Modifier::empty(),
        StyleRole::Wait | StyleRole::Good | StyleRole::Border => Modifier::empty(),
    }
}

/// Whether bold alone shows it without colours.
const fn is_bold(role: StyleRole) -> bool {
    without_colours(role).bits() == Modifier::BOLD.bits()
}

/// Where there are 16 colours, bold makes others of the first eight.
fn stays_when_bold(colour: Color) -> bool {
    !NAMED[..8].contains(&colour)
}
