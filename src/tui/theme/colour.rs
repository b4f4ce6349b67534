//! Colours as numbers: brightness, distance, and the nearest one that a terminal can show.

use std::sync::LazyLock;

use ratatui::style::Color;

use crate::config::Depth;
use crate::config::theme::Colour;

/// Red, green and blue in sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// From `0xRRGGBB`.
    pub const fn hex(code: u32) -> Self {
        let [_, red, green, blue] = code.to_be_bytes();
        Self(red, green, blue)
    }

    /// Red, green and blue as amounts of light, 0 to 1.
    pub fn light(self) -> [f64; 3] {
        [self.0, self.1, self.2].map(|value| {
            let value = f64::from(value) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// The relative luminance of WCAG 2.2, 0 for black to 1 for white.
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.light();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// The contrast of WCAG 2.2 between the two, 1 to 21.
    pub fn contrast(self, other: Self) -> f64 {
        ratio(self.luminance(), other.luminance())
    }
}

fn ratio(one: f64, other: f64) -> f64 {
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// A colour as the eye sees it: CIELAB under daylight (D65), from amounts of light.
pub fn lab([red, green, blue]: [f64; 3]) -> [f64; 3] {
    let x = (0.412_456_4 * red + 0.357_576_1 * green + 0.180_437_5 * blue) / 0.950_47;
    let y = 0.212_672_9 * red + 0.715_152_2 * green + 0.072_175 * blue;
    let z = (0.019_333_9 * red + 0.119_192 * green + 0.950_304_1 * blue) / 1.088_83;
    let [x, y, z] = [x, y, z].map(|t| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// How different two colours look: about 2 is just visible side by side.
pub(super) fn distance(one: [f64; 3], other: [f64; 3]) -> f64 {
    one.into_iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// One colour of the terminal.
struct Known {
    index: u8,
    luminance: f64,
    lab: [f64; 3],
}

/// The first 16 as xterm has them. Terminals and their users choose others; the later ones are everywhere the same.
const FIRST: [u32; 16] = [
    0x00_0000, 0xcd_0000, 0x00_cd00, 0xcd_cd00, 0x00_00ee, 0xcd_00cd, 0x00_cdcd, 0xe5_e5e5, 0x7f_7f7f, 0xff_0000,
    0x00_ff00, 0xff_ff00, 0x5c_5cff, 0xff_00ff, 0x00_ffff, 0xff_ffff,
];

/// Their names; bold may make others of the first eight.
pub(in crate::tui) const NAMED: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

/// The colour of an index, as xterm has it.
pub fn xterm(index: u8) -> Rgb {
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    match index {
        0..16 => Rgb::hex(FIRST[usize::from(index)]),
        16..232 => {
            let at = index - 16;
            Rgb(level(at / 36), level(at / 6 % 6), level(at % 6))
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            Rgb(grey, grey, grey)
        }
    }
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let known = |index| {
        let colour = xterm(index);
        Known { index, luminance: colour.luminance(), lab: lab(colour.light()) }
    };
    (0..=255).map(known).collect()
});

/// How `text` on `ground` is shown at that depth. The terminal's own colours are left to it.
pub fn shown(text: Colour, ground: Colour, least: f64, depth: Depth) -> (Option<Color>, Option<Color>) {
    match (text, ground) {
        (Colour::Rgb(..), Colour::Rgb(..)) if matches!(depth, Depth::Sixteen | Depth::TwoFiftySix) => {
            let known = all_at(depth);
            // The ground is one on which black or white has the contrast, so that some text always has.
            let ground = nearest(known, ground, |luminance| ratio(luminance, 0.0).max(ratio(luminance, 1.0)) >= least);
            let text = nearest(known, text, |luminance| ratio(luminance, ground.luminance) >= least);
            (Some(text.colour()), Some(ground.colour()))
        }
        _ => (alone(text, depth), alone(ground, depth)),
    }
}

/// A colour that a terminal shows as it is, or else the nearest that it does.
fn alone(colour: Colour, depth: Depth) -> Option<Color> {
    match colour {
        Colour::Default => None,
        Colour::Rgb(red, green, blue) if depth == Depth::TrueColour => Some(Color::Rgb(red, green, blue)),
        Colour::Indexed(index) if index < 16 || depth != Depth::Sixteen => Some(indexed(index)),
        Colour::Rgb(..) | Colour::Indexed(_) => Some(nearest(all_at(depth), colour, |_| true).colour()),
    }
}

/// With 256 colours the first 16 are left alone, since nobody knows what they are.
fn all_at(depth: Depth) -> &'static [Known] {
    if depth == Depth::Sixteen { &KNOWN[..16] } else { &KNOWN[16..] }
}

/// The nearest of those whose luminance may be.
fn nearest(known: &[Known], wanted: Colour, may: impl Fn(f64) -> bool) -> &Known {
    let wanted = lab(rgb(wanted).unwrap_or(Rgb(0, 0, 0)).light());
    let may = known.iter().filter(|known| may(known.luminance));
    may.min_by(|a, b| distance(a.lab, wanted).total_cmp(&distance(b.lab, wanted))).unwrap_or(&known[0])
}

impl Known {
    fn colour(&self) -> Color {
        indexed(self.index)
    }
}

fn indexed(index: u8) -> Color {
    NAMED.get(usize::from(index)).copied().unwrap_or(Color::Indexed(index))
}

/// What a colour of a theme looks like on an xterm; nothing for that of the terminal itself.
pub fn rgb(colour: Colour) -> Option<Rgb> {
    match colour {
        Colour::Default => None,
        Colour::Indexed(index) => Some(xterm(index)),
        Colour::Rgb(red, green, blue) => Some(Rgb(red, green, blue)),
    }
}

/// What a colour looks like on an xterm; nothing for that of the terminal itself.
#[cfg(test)]
pub fn seen(colour: Color) -> Option<Rgb> {
    match colour {
        Color::Rgb(red, green, blue) => Some(Rgb(red, green, blue)),
        Color::Indexed(index) => Some(xterm(index)),
        named => NAMED.iter().position(|known| *known == named).map(|index| Rgb::hex(FIRST[index])),
    }
}
