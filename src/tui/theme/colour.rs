//! The colours of a theme, as a terminal can show them.

use std::ops::RangeInclusive;

use ratatui::style::Color;

use crate::config::Depth;
use crate::config::theme::Colour;

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
    Some(NAMED.get(usize::from(index)).copied().unwrap_or(Color::Indexed(index)))
}

/// The nearest of some colours.
fn nearest(wanted: [u8; 3], some: RangeInclusive<u8>) -> u8 {
    let apart = |index: &u8| -> u32 {
        let parts = xterm(*index).into_iter().zip(wanted);
        parts.map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum()
    };
    some.min_by_key(apart).unwrap_or_default()
}
