//! The themes with their own colours: text and ground for each purpose, and how a terminal shows them.

use std::sync::OnceLock;

use ratatui::style::{Color, Modifier, Style};

use crate::config::{Accent, Depth, ThemeChoice as Theme};

use super::colour::{NAMED, Rgb, shown};
use super::role::StyleRole;

/// The colours of a theme. A role without its own ground is painted on that of the theme.
pub struct Palette {
    ground: u32,
    text: u32,
    heading: u32,
    quiet: u32,
    border: u32,
    key: u32,
    available: u32,
    pending: u32,
    sold: u32,
    error: u32,
    wait: u32,
    new: u32,
    /// Text and ground.
    selected: (u32, u32),
    accents: Accents,
    /// The least contrast of text to its ground.
    pub contrast: f64,
}

/// Text on all accents, and their grounds in the order of [`Accent`].
type Accents = (u32, [u32; 6]);

const BRIGHT: Accents = (0x00_0000, [0xff_8a80, 0xf2_cc60, 0x7e_e787, 0x9a_c1ff, 0xe2_a8ff, 0x5c_d9e6]);

const DEEP: Accents = (0xff_ffff, [0xa3_1515, 0x6b_4e00, 0x0b_5a1f, 0x0a_3f8f, 0x6f_1d8a, 0x00_535c]);

const DARK: Palette = Palette {
    ground: 0x11_151c,
    text: 0xd7_dce2,
    heading: 0xff_ffff,
    quiet: 0x9a_a4b2,
    border: 0x8a_94a3,
    key: 0x9a_c1ff,
    available: 0x5c_c8d6,
    pending: 0xe5_c07b,
    sold: 0x8a_94a3,
    error: 0xff_7b72,
    wait: 0xe5_c07b,
    new: 0xd2_a8ff,
    selected: (0xff_ffff, 0x2b_4a77),
    accents: BRIGHT,
    contrast: 4.5,
};

const LIGHT: Palette = Palette {
    ground: 0xfa_fafa,
    text: 0x1f_2328,
    heading: 0x00_0000,
    quiet: 0x57_606a,
    border: 0x65_6d76,
    key: 0x0a_3f8f,
    available: 0x0b_6e7a,
    pending: 0x85_5300,
    sold: 0x65_6d76,
    error: 0xb3_261e,
    wait: 0x85_5300,
    new: 0x7a_2fa0,
    selected: (0xff_ffff, 0x0a_4a8f),
    accents: DEEP,
    contrast: 4.5,
};

const HIGH_CONTRAST: Palette = Palette {
    ground: 0x00_0000,
    text: 0xff_ffff,
    heading: 0xff_ffff,
    quiet: 0xd0_d0d0,
    border: 0xff_ffff,
    key: 0xff_ffff,
    available: 0x00_ffff,
    pending: 0xff_ff00,
    sold: 0xc0_c0c0,
    error: 0xff_8a80,
    wait: 0xff_ff00,
    new: 0xff_9cff,
    selected: (0x00_0000, 0xff_ff00),
    accents: BRIGHT,
    contrast: 7.0,
};

/// The marks are from the palette of Okabe and Ito: sky blue, yellow, vermilion, orange and reddish purple.
const COLOUR_BLIND: Palette = Palette {
    ground: 0x0b_0e14,
    text: 0xe6_e6e6,
    heading: 0xff_ffff,
    quiet: 0xa6_a6a6,
    border: 0x99_9999,
    key: 0xff_ffff,
    available: 0x56_b4e9,
    pending: 0xf0_e442,
    sold: 0x99_9999,
    error: 0xd5_5e00,
    wait: 0xe6_9f00,
    new: 0xcc_79a7,
    selected: (0x00_0000, 0xe6_e6e6),
    accents: BRIGHT,
    contrast: 4.5,
};

impl Theme {
    /// The colours of a theme that has its own.
    pub(super) const fn palette(self) -> Option<&'static Palette> {
        match self {
            Self::Default | Self::Mono => None,
            Self::Dark => Some(&DARK),
            Self::Light => Some(&LIGHT),
            Self::HighContrast => Some(&HIGH_CONTRAST),
            Self::ColourBlind => Some(&COLOUR_BLIND),
        }
    }
}

impl Palette {
    /// Text and ground of a role. Nothing where it takes those of the place where it is.
    pub const fn pair(&self, role: StyleRole) -> Option<(Rgb, Rgb)> {
        let (text, ground) = match role {
            StyleRole::Match => return None,
            StyleRole::Text | StyleRole::Accent(Accent::None) => (self.text, self.ground),
            StyleRole::Heading | StyleRole::InUse => (self.heading, self.ground),
            StyleRole::Quiet => (self.quiet, self.ground),
            StyleRole::Selected => self.selected,
            StyleRole::Available | StyleRole::Good => (self.available, self.ground),
            StyleRole::Pending => (self.pending, self.ground),
            StyleRole::Sold => (self.sold, self.ground),
            StyleRole::Error => (self.error, self.ground),
            StyleRole::Wait => (self.wait, self.ground),
            StyleRole::New => (self.new, self.ground),
            StyleRole::Key => (self.key, self.ground),
            StyleRole::Border => (self.border, self.ground),
            // The first accent is none.
            StyleRole::Accent(accent) => (self.accents.0, self.accents.1[accent as usize - 1]),
        };
        Some((Rgb::hex(text), Rgb::hex(ground)))
    }

    fn style(&self, role: StyleRole, depth: Depth) -> Style {
        let Some((text, ground)) = self.pair(role) else { return Style::new().add_modifier(Modifier::UNDERLINED) };
        let (text, ground) = shown(text, ground, self.contrast, depth);
        let style = Style::new().fg(text).bg(ground);
        let bold =
            matches!(role, StyleRole::Heading | StyleRole::InUse | StyleRole::Key | StyleRole::Error | StyleRole::New);
        if bold && stays_when_bold(text) { style.add_modifier(Modifier::BOLD) } else { style }
    }
}

/// Where there are 16 colours, bold makes others of the first eight.
fn stays_when_bold(colour: Color) -> bool {
    !NAMED[..8].contains(&colour)
}

type Styles = Vec<(StyleRole, Style)>;

/// By theme and depth, found once: looking for the nearest colours at each word of each frame would be slow.
static STYLES: [[OnceLock<Styles>; 4]; Theme::ALL.len()] = [const { [const { OnceLock::new() }; 4] }; Theme::ALL.len()];

/// The style of a role in a theme with its own colours, on a terminal that shows colours.
pub fn style(theme: Theme, depth: Depth, role: StyleRole) -> Option<Style> {
    let palette = theme.palette().filter(|_| depth != Depth::Mono)?;
    let styles = STYLES[theme as usize][depth as usize]
        .get_or_init(|| StyleRole::all().map(|role| (role, palette.style(role, depth))).collect());
    let found = styles.iter().find(|(known, _)| *known == role);
    Some(found.map_or_else(|| palette.style(role, depth), |(_, style)| *style))
}
