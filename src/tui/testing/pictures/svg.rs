//! A terminal's screen as a picture: cells to SVG, one still or a film of several. Without scripts, so that it may be
//! shown anywhere.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr as _;

/// The size of a cell, in units of the picture.
const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 18.0;

/// Air around the screen.
const EDGE: f64 = 10.0;

/// What the terminal's own colours are.
#[derive(Clone, Copy)]
pub struct Ground {
    /// Of letters.
    pub text: &'static str,
    /// Behind them.
    pub ground: &'static str,
}

pub const DARK: Ground = Ground { text: "#d4d4d4", ground: "#16181d" };
#[allow(dead_code, reason = "the film does not need it")]
pub const LIGHT: Ground = Ground { text: "#24292f", ground: "#ffffff" };

/// How a run of cells looks.
#[derive(Clone, PartialEq, Eq)]
struct Paint {
    text: String,
    ground: Option<String>,
    bold: bool,
    dim: bool,
    underlined: bool,
}

#[allow(dead_code, reason = "the film does not need it")]
pub fn still(screen: &Buffer, ground: Ground) -> String {
    let (width, height) = size(screen);
    let mut out = open(width, height, ground);
    rows(&mut out, screen, ground);
    out.push_str("</svg>\n");
    out
}

/// Screens one after another, each for so many milliseconds, over and over.
#[allow(dead_code, reason = "the stills do not need it")]
pub fn film(screens: &[(u32, Buffer)], ground: Ground) -> String {
    let Some((_, first)) = screens.first() else { return String::new() };
    let (width, height) = size(first);
    let mut out = open(width, height, ground);
    let all: u32 = screens.iter().map(|(time, _)| time).sum();
    let mut begin = 0;
    for (at, (time, screen)) in screens.iter().enumerate() {
        let part = |time: u32| f64::from(time) / f64::from(all) * 100.0;
        let (from, to) = (part(begin), part(begin + time));
        let before = if begin == 0 { String::new() } else { format!("0%,{:.3}%{{visibility:hidden}}", from - 0.001) };
        let after = if begin + time == all { String::new() } else { format!("{to:.3}%,100%{{visibility:hidden}}") };
        // Where nothing moves, the first is visible.
        let shown = if at == 0 { "visible" } else { "hidden" };
        let last = if begin + time == all { 100.0 } else { to - 0.001 };
        let _ = writeln!(
            out,
            "<style>@keyframes f{at}{{{before}{from:.3}%,{last:.3}%{{visibility:visible}}{after}}}\
             .f{at}{{visibility:{shown};animation:f{at} {all}ms step-end infinite}}</style><g class=\"f{at}\">"
        );
        rows(&mut out, screen, ground);
        out.push_str("</g>\n");
        begin += time;
    }
    out.push_str("</svg>\n");
    out
}

fn size(screen: &Buffer) -> (f64, f64) {
    (f64::from(screen.area.width) * WIDTH + 2.0 * EDGE, f64::from(screen.area.height) * HEIGHT + 2.0 * EDGE)
}

fn open(width: f64, height: f64, Ground { text, ground }: Ground) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{ground}\"/>\n\
         <style>text{{font:14px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;white-space:pre;fill:{text}}}\
         .b{{font-weight:bold}}.d{{opacity:.7}}.u{{text-decoration:underline}}</style>\n"
    )
}

/// The rows, each as runs of cells that look the same.
fn rows(out: &mut String, screen: &Buffer, ground: Ground) {
    for y in 0..screen.area.height {
        let mut x = 0;
        while x < screen.area.width {
            let paint = paint_of(screen, x, y, ground);
            let (begin, mut letters) = (x, String::new());
            while x < screen.area.width && paint_of(screen, x, y, ground) == paint {
                let symbol = screen[(x, y)].symbol();
                letters.push_str(symbol);
                x += u16::try_from(symbol.width().max(1)).unwrap_or(1);
            }
            run(out, (begin, x - begin, y), &letters, &paint, ground);
        }
    }
}

fn run(out: &mut String, (x, columns, y): (u16, u16, u16), letters: &str, paint: &Paint, ground: Ground) {
    let (left, top) = (EDGE + f64::from(x) * WIDTH, EDGE + f64::from(y) * HEIGHT);
    let width = f64::from(columns) * WIDTH;
    if let Some(fill) = &paint.ground {
        let _ = writeln!(
            out,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{HEIGHT}\" fill=\"{fill}\"/>"
        );
    }
    let bare = letters.trim();
    if bare.is_empty() {
        return;
    }
    // Blanks at the ends are only room.
    let before = letters.len() - letters.trim_start().len();
    let left = left + before as f64 * WIDTH;
    let length = bare.width() as f64 * WIDTH;
    let classes: Vec<&str> = [(paint.bold, "b"), (paint.dim, "d"), (paint.underlined, "u")]
        .iter()
        .filter(|(is, _)| *is)
        .map(|(_, c)| *c)
        .collect();
    let class = if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) };
    let fill =
        if paint.text == ground.text { String::new() } else { format!(" fill=\"{0}\" style=\"fill:{0}\"", paint.text) };
    let text = bare.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let base = top + 13.5;
    let _ = writeln!(
        out,
        "<text x=\"{left:.1}\" y=\"{base:.1}\" textLength=\"{length:.1}\" lengthAdjust=\"spacingAndGlyphs\"{class}{fill}>{text}</text>"
    );
}

fn paint_of(screen: &Buffer, x: u16, y: u16, own: Ground) -> Paint {
    let cell = &screen[(x, y)];
    let (text, ground) = (colour(cell.fg), colour(cell.bg));
    let has = |modifier| cell.modifier.contains(modifier);
    let (text, ground) = if has(Modifier::REVERSED) {
        (ground.unwrap_or_else(|| own.ground.to_owned()), Some(text.unwrap_or_else(|| own.text.to_owned())))
    } else {
        (text.unwrap_or_else(|| own.text.to_owned()), ground)
    };
    Paint { text, ground, bold: has(Modifier::BOLD), dim: has(Modifier::DIM), underlined: has(Modifier::UNDERLINED) }
}

/// The colours of a usual terminal; none for its own.
fn colour(colour: Color) -> Option<String> {
    const SIXTEEN: [&str; 16] = [
        "#3b4048", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4", "#7f8796", "#ff7b86",
        "#b5e08f", "#ffd68a", "#7cc4ff", "#dd9bf0", "#74d3df", "#ffffff",
    ];
    let named = |index: usize| Some(SIXTEEN[index].to_owned());
    match colour {
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
        Color::Indexed(index @ 0..16) => named(index.into()),
        Color::Indexed(index @ 16..232) => {
            let level = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
            let index = index - 16;
            Some(format!("#{:02x}{:02x}{:02x}", level(index / 36), level(index / 6 % 6), level(index % 6)))
        }
        Color::Indexed(index) => {
            let grey = 8 + 10 * (index - 232);
            Some(format!("#{grey:02x}{grey:02x}{grey:02x}"))
        }
        _ => None,
    }
}
