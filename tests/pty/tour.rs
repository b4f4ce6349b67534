//! The film of the README: the real app in a terminal, led by this script.
//!
//! `cargo test --test pty the_tour -- --ignored` makes `assets/img/tour.svg` anew.

#[path = "../../src/tui/testing/pictures/svg.rs"]
mod svg;

use crate::prelude::*;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

const COLUMNS: u16 = 80;
const ROWS: u16 = 24;

/// One step: the keys, what is on screen then, and for how many milliseconds it is shown.
const STEPS: &[(&str, &str, u32)] = &[
    ("", "Mr. Whiskers", 2_500),
    ("j", "Row 2 of 250", 400),
    ("j", "Row 3 of 250", 400),
    ("\x1b[C", "[● available", 1_200),
    ("\x1b[C", "[◐ pending", 1_600),
    ("0", "[All", 900),
    ("/w", "/ w", 300),
    ("h", "/ wh", 250),
    ("i", "/ whi", 250),
    ("s", "/ whis", 1_600),
    ("\x1b", "type to search", 600),
    ("a", "Add a pet", 1_000),
    ("Bis", "[Bis_", 300),
    ("cuit", "[Biscuit_", 500),
    ("\t3rd", "[3rd_", 700),
    ("\x1bOQ", "\"3rd\" is not a category.", 2_800),
    ("3", "[3_", 600),
    ("\x1bOQ", "Added Biscuit, id 251", 2_400),
    ("\x1b", "[1 Pets]", 1_000),
    ("3", "[3 Domains]", 3_000),
    ("1", "[1 Pets]", 600),
    ("?", "Help: Pets", 2_400),
];

#[test]
#[ignore = "it makes a picture"]
fn the_tour() {
    let mut app = Start::petstore(&["--demo"]).env("COLORTERM", "truecolor").open();
    let mut screens = Vec::new();
    for (keys, shown, time) in STEPS {
        app.send(keys).shows(&[shown]);
        screens.push((*time, screen(&app)));
    }
    app.send("q");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/img/tour.svg");
    fs::write(path, svg::film(&screens, svg::DARK)).unwrap();
}

/// What the terminal shows, as cells.
fn screen(app: &Terminal) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, COLUMNS, ROWS));
    app.with_screen(|screen| {
        for (y, x) in (0..ROWS).flat_map(|y| (0..COLUMNS).map(move |x| (y, x))) {
            let Some(seen) = screen.cell(y, x).filter(|cell| cell.has_contents()) else { continue };
            let mut style = Style::new().fg(colour(seen.fgcolor())).bg(colour(seen.bgcolor()));
            for (is, modifier) in [
                (seen.bold(), Modifier::BOLD),
                (seen.dim(), Modifier::DIM),
                (seen.underline(), Modifier::UNDERLINED),
                (seen.inverse(), Modifier::REVERSED),
            ] {
                if is {
                    style = style.add_modifier(modifier);
                }
            }
            buffer[(x, y)].set_symbol(seen.contents()).set_style(style);
        }
    });
    buffer
}

const fn colour(colour: vt100::Color) -> Color {
    match colour {
        vt100::Color::Default => Color::Reset,
        vt100::Color::Idx(index) => Color::Indexed(index),
        vt100::Color::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}
