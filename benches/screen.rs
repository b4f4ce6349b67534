//! Measures what the app writes to its terminal, key by key, beside what a backend that writes cell by cell, as ratatui's
//! own does, writes for the same frames.
//!
//! `cargo bench --bench screen`. Reports and never fails. See `benches/README.md`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "it measures and reports")]

#[allow(dead_code, reason = "shared with the measurements of the service")]
mod common;
#[allow(dead_code, reason = "shared with the tests in a pseudo-terminal")]
#[path = "../tests/pty/harness.rs"]
mod harness;
#[path = "common/kept.rs"]
mod kept;

use std::cell::RefCell;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::style::{Attribute, Colors, Print, ResetColor, SetAttribute, SetColors};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier};

use common::Limit::{self, AtMost, LessIsBetter};
use common::{heading, milliseconds, report};
use harness::{Start, Terminal};
use kept::Kept;

fn main() {
    // Under `cargo test --benches` nothing is measured.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    crossterm::style::force_color_output(true);
    heading();
    first_screen();
    kept_over_the_line();
    for (columns, rows, most) in [(80, 24, 120.0), (120, 40, 160.0)] {
        row_moves(columns, rows, AtMost(most));
    }
    scrolls();
    pages();
    search();
    echo();
    for (columns, rows, most) in [(80, 24, 0.25), (200, 60, 0.4)] {
        processor(columns, rows, AtMost(most));
    }
}

/// A screen as it was seen: what is on it, and where the cursor is.
struct Seen {
    buffer: Buffer,
    cursor: Option<Position>,
}

/// What one key has led to.
struct Frame {
    before: Seen,
    after: Seen,
    written: Vec<u8>,
    /// From the key until a second screen shows it, in milliseconds.
    took: f64,
}

/// A line of 200 ms there and back, and 64 kbit/s.
const ROUND_TRIP: f64 = 200.0;
const OCTETS_A_MILLISECOND: f64 = 8.0;

/// How long what was measured beside takes at the other end of that line, until its last byte is there.
fn over_the_line(took: f64, written: &[u8]) -> f64 {
    ROUND_TRIP + took + written.len() as f64 / OCTETS_A_MILLISECOND
}

impl Frame {
    /// How many characters look different, and in how many rows.
    fn changed(&self) -> (usize, usize) {
        let places = self.before.buffer.diff(&self.after.buffer);
        let mut rows: Vec<u16> = places.iter().map(|(_, y, _)| *y).collect();
        rows.dedup();
        (places.len(), rows.len())
    }

    /// Bytes for each that would be allowed.
    fn share(&self, each: f64) -> f64 {
        let (characters, rows) = self.changed();
        self.written.len() as f64 / (each * characters as f64 + 10.0 * rows as f64)
    }

    /// What is written for it cell by cell: each place that is not behind the last one, each change of colours and
    /// attributes, each symbol, and at the end the colours and the cursor.
    fn yardstick(&self) -> f64 {
        let mut out = Vec::new();
        let (mut next, mut look) = (None, (Color::Reset, Color::Reset, Modifier::empty()));
        for (x, y, cell) in self.before.buffer.diff(&self.after.buffer) {
            if next != Some((x, y)) {
                queue!(out, MoveTo(x, y)).unwrap();
            }
            next = Some((x + 1, y));
            if cell.modifier != look.2 {
                queue!(out, SetAttribute(Attribute::Reset)).unwrap();
                for (modifier, attribute) in ATTRIBUTES {
                    if cell.modifier.contains(modifier) {
                        queue!(out, SetAttribute(attribute)).unwrap();
                    }
                }
            }
            if (cell.fg, cell.bg, cell.modifier) != look {
                queue!(out, SetColors(Colors::new(crossterm_colour(cell.fg), crossterm_colour(cell.bg)))).unwrap();
            }
            look = (cell.fg, cell.bg, cell.modifier);
            queue!(out, Print(cell.symbol())).unwrap();
        }
        queue!(out, ResetColor, SetAttribute(Attribute::Reset)).unwrap();
        match self.after.cursor {
            Some(Position { x, y }) => queue!(out, MoveTo(x, y), Show).unwrap(),
            None => queue!(out, Hide).unwrap(),
        }
        out.len() as f64
    }
}

const ATTRIBUTES: [(Modifier, Attribute); 5] = [
    (Modifier::BOLD, Attribute::Bold),
    (Modifier::DIM, Attribute::Dim),
    (Modifier::ITALIC, Attribute::Italic),
    (Modifier::UNDERLINED, Attribute::Underlined),
    (Modifier::REVERSED, Attribute::Reverse),
];

fn crossterm_colour(colour: Color) -> crossterm::style::Color {
    match colour {
        Color::Indexed(index) => crossterm::style::Color::AnsiValue(index),
        Color::Rgb(r, g, b) => crossterm::style::Color::Rgb { r, g, b },
        _ => crossterm::style::Color::Reset,
    }
}

/// The screen of the moment.
fn seen(app: &Terminal) -> Seen {
    let found = RefCell::new(None);
    app.wait_until("a screen", |screen, _| {
        *found.borrow_mut() = Some(copy(screen));
        true
    });
    found.into_inner().unwrap()
}

fn copy(screen: &vt100::Screen) -> Seen {
    let (rows, columns) = screen.size();
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns.get(), rows.get()));
    for (y, x) in (0..rows.get()).flat_map(|y| (0..columns.get()).map(move |x| (y, x))) {
        let from = screen.cell(y, x).unwrap();
        if from.is_wide_continuation() {
            continue;
        }
        let blank = matches!(from.contents(), "" | " ");
        let cell = &mut buffer[(x, y)];
        cell.set_symbol(if blank { " " } else { from.contents() });
        cell.bg = colour(from.bgcolor());
        for (there, modifier) in [(from.inverse(), Modifier::REVERSED), (from.underline(), Modifier::UNDERLINED)] {
            cell.modifier.set(modifier, there);
        }
        // Nothing else is seen of a blank.
        if !blank || !cell.modifier.is_empty() {
            cell.fg = colour(from.fgcolor());
            for (there, modifier) in
                [(from.bold(), Modifier::BOLD), (from.dim(), Modifier::DIM), (from.italic(), Modifier::ITALIC)]
            {
                cell.modifier.set(modifier, there);
            }
        }
    }
    let (y, x) = screen.cursor_position();
    Seen { buffer, cursor: (!screen.hide_cursor()).then_some(Position { x, y }) }
}

const fn colour(colour: vt100::Color) -> Color {
    match colour {
        vt100::Color::Default => Color::Reset,
        vt100::Color::Idx(index) => Color::Indexed(index),
        vt100::Color::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}

/// The app with a hundred rows, the cursor on the first one.
fn open(columns: u16, rows: u16) -> Terminal {
    let mut app = Start::petstore(&["--demo"]).size(columns, rows).open();
    app.shows(&["Rex", "sold 25"]);
    app.send("L100\r");
    app.shows(&["Row 1 of 100"]);
    settle();
    app
}

/// A frame is written in one piece; this is for what may come after it.
fn settle() {
    thread::sleep(Duration::from_millis(30));
}

/// Sends a key and waits until `place` is on the screen.
fn press(app: &mut Terminal, key: &str, place: &str) -> Frame {
    let (before, written) = (seen(app), app.bytes().len());
    let begun = Instant::now();
    app.send(key);
    app.wait_until(place, |screen, bytes| bytes.len() > written && screen.contents().contains(place));
    let took = milliseconds(begun.elapsed());
    settle();
    Frame { before, after: seen(app), written: app.bytes()[written..].to_vec(), took }
}

/// Reports the frames for one kind of key.
fn bytes(what: &str, limit: Limit, frames: &[Frame]) {
    report(what, limit, "bytes", frames.iter().map(|frame| frame.written.len() as f64).collect());
    report("  yardstick: cell by cell", LessIsBetter, "bytes", frames.iter().map(Frame::yardstick).collect());
    let parts: Vec<[f64; 3]> = frames.iter().map(|frame| parts(&frame.written)).collect();
    for (at, part) in ["letters", "moves and erasing", "looks"].into_iter().enumerate() {
        report(&format!("  of it {part}"), LessIsBetter, "bytes", parts.iter().map(|parts| parts[at]).collect());
    }
}

/// Bytes of letters, of cursor moves and the like, and of styles.
fn parts(written: &[u8]) -> [f64; 3] {
    let (mut parts, mut at) = ([0.0; 3], 0);
    while at < written.len() {
        let length = match &written[at..] {
            [b'\x1b', b'[', rest @ ..] => 3 + rest.iter().position(|end| (b'@'..=b'~').contains(end)).unwrap(),
            [b'\x1b', ..] => 2,
            _ => 1,
        };
        let part = match written[at] {
            b'\x1b' if written[at + length - 1] == b'm' => 2,
            b'\x1b' | b'\r' | b'\n' | b'\x08' => 1,
            _ => 0,
        };
        parts[part] += length as f64;
        at += length;
    }
    parts
}

fn first_screen() {
    let mut frames = Vec::new();
    for _ in 0..5 {
        let app = Start::petstore(&["--demo"]).open();
        app.shows(&["Rex", "sold 25"]);
        thread::sleep(Duration::from_millis(300));
        let after = seen(&app);
        let before = Seen { buffer: Buffer::empty(after.buffer.area), cursor: None };
        frames.push(Frame { before, after, written: app.bytes(), took: 0.0 });
    }
    bytes("first screen at 80x24, from exec to its rows", AtMost(2_500.0), &frames);
}

fn row_moves(columns: u16, rows: u16, limit: Limit) {
    let mut app = open(columns, rows);
    let frames: Vec<Frame> = (0..60)
        .map(|at| {
            let there = if at % 20 < 10 { at % 20 + 2 } else { 20 - at % 20 };
            press(&mut app, if at % 20 < 10 { "j" } else { "k" }, &format!("Row {there} of 100"))
        })
        .collect();
    bytes(&format!("row move at {columns}x{rows}"), limit, &frames);
    let times = frames.iter().map(|frame| over_the_line(frame.took, &frame.written)).collect();
    report(&format!("row move at {columns}x{rows} over 200 ms and 64 kbit/s"), AtMost(ROUND_TRIP + 100.0), "ms", times);
}

/// From exec to the kept rows at the other end of the line, the service away.
fn kept_over_the_line() {
    let kept = Kept::of_a_service_that_is_away();
    let mut times = Vec::new();
    for _ in 0..9 {
        let begun = Instant::now();
        let app = kept.start().open();
        app.shows(&["Rex", "sold 25", "Row 1 of 20"]);
        times.push(over_the_line(milliseconds(begun.elapsed()), &app.bytes()));
    }
    report("kept rows over 200 ms and 64 kbit/s", AtMost(ROUND_TRIP + 400.0), "ms", times);
}

fn scrolls() {
    let mut app = open(80, 24);
    let mut frames = Vec::new();
    let mut first = String::new();
    for row in 2..=60 {
        let frame = press(&mut app, "j", &format!("Row {row} of 100"));
        // The row below the headings is another one when the list has moved.
        let top: String = (0..40).map(|x| frame.after.buffer[(x, 4)].symbol().to_owned()).collect();
        if row > 3 && top != first {
            frames.push(frame);
        }
        first = top;
    }
    assert!(frames.len() > 30, "the list has not moved");
    bytes("one row past the edge at 80x24", AtMost(250.0), &frames);
}

fn pages() {
    let mut app = open(80, 24);
    let mut frames = Vec::new();
    let mut row = 1;
    while row < 100 {
        let before = row;
        let frame = press(&mut app, "\x1b[6~", "Row ");
        let text: String = (0..80).map(|x| frame.after.buffer[(x, 22)].symbol().to_owned()).collect();
        row = text.trim().trim_start_matches("Row ").split(' ').next().unwrap().parse().unwrap();
        assert!(row > before, "{text}");
        frames.push(frame);
    }
    bytes("page down at 80x24", LessIsBetter, &frames);
    let times = frames.iter().map(|frame| over_the_line(frame.took, &frame.written)).collect();
    report("page down over 200 ms and 64 kbit/s", AtMost(ROUND_TRIP + 250.0), "ms", times);
    let shares = frames.iter().map(|frame| frame.share(1.05)).collect();
    report("page down / (1.05 changed characters + 10 a row)", AtMost(1.0), "ratio", shares);
}

fn search() {
    let mut app = open(80, 24);
    let mut frames = Vec::new();
    for word in ["rex", "luna", "tiger", "mochi"] {
        press(&mut app, "/", "F1 help");
        for (at, letter) in word.char_indices() {
            let typed = &word[..=at];
            frames.push(press(&mut app, &letter.to_string(), &format!(" / {typed}")));
        }
        press(&mut app, "\x15\r", "these 100 rows");
    }
    bytes("a letter of the search at 80x24", LessIsBetter, &frames);
    let shares = frames.iter().map(|frame| frame.share(1.2)).collect();
    report("a letter / (1.2 changed characters + 10 a row)", AtMost(1.0), "ratio", shares);
}

/// Milliseconds of processor time so far, of all threads.
fn spent(app: &Terminal) -> f64 {
    let threads = fs::read_dir(format!("/proc/{}/task", app.process_id())).unwrap();
    let read = |path: std::path::PathBuf| fs::read_to_string(path.join("schedstat")).ok();
    let times = threads.filter_map(|thread| read(thread.unwrap().path()));
    times.map(|text| text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e6).sum()
}

/// What a key takes that is only read and written again.
fn echo() {
    let mut cat = Start::program("/bin/sh", &["-c", "stty raw -echo; echo ready; exec cat"]).open();
    cat.shows(&["ready"]);
    let mut times = Vec::new();
    for _ in 0..10 {
        let before = spent(&cat);
        for _ in 0..20 {
            let written = cat.bytes().len();
            cat.send("j");
            cat.wait_until("the echo", |_, bytes| bytes.len() > written);
        }
        times.push((spent(&cat) - before) / 20.0);
    }
    report("yardstick: a key echoed by `cat`: processor", LessIsBetter, "ms", times);
}

fn processor(columns: u16, rows: u16, limit: Limit) {
    let mut app = open(columns, rows);
    let mut times = Vec::new();
    for round in 0..10 {
        let before = spent(&app);
        for at in 0..20 {
            let there = if at < 10 { at + 2 } else { 20 - at };
            app.send(if at < 10 { "j" } else { "k" });
            app.shows(&[&format!("Row {there} of 100")]);
        }
        if round > 0 {
            times.push((spent(&app) - before) / 20.0);
        }
    }
    report(&format!("row move at {columns}x{rows}: processor"), limit, "ms", times);
}
