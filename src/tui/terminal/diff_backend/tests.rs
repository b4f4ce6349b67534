use std::cell::Cell as Shared;
use std::num::NonZero;
use std::rc::Rc;

use proptest::collection::vec;
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::{Clear, Widget as _};
use unicode_width::UnicodeWidthStr as _;

use super::*;

/// What tells how large the terminal is.
type Measure = Box<dyn Fn() -> io::Result<Size>>;

/// The frames that were written, and an emulated terminal that shows them.
struct Screen {
    terminal: Terminal<DiffBackend<Vec<u8>, Measure>>,
    size: Rc<Shared<Size>>,
    emulator: vt100::Parser,
}

fn nonzero(number: u16) -> NonZero<u16> {
    NonZero::new(number).unwrap()
}

impl Screen {
    fn new(columns: u16, rows: u16) -> Self {
        Self::marked(columns, rows, false)
    }

    fn marked(columns: u16, rows: u16, synchronized: bool) -> Self {
        let size = Rc::new(Shared::new(Size::new(columns, rows)));
        let reported = Rc::clone(&size);
        let reported: Box<dyn Fn() -> io::Result<Size>> = Box::new(move || Ok(reported.get()));
        let terminal = Terminal::new(DiffBackend::new(Vec::new(), reported, synchronized).unwrap()).unwrap();
        let mut emulator = vt100::Parser::new(nonzero(rows), nonzero(columns), 0);
        emulator.process(b"what was there before\r\n\x1b[31;44mand in which colours");
        Self { terminal, size, emulator }
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.size.set(Size::new(columns, rows));
        self.emulator.screen_mut().set_size(nonzero(rows), nonzero(columns));
    }

    /// Draws a frame; gives what was written for it.
    fn draw(&mut self, next: &Buffer, cursor: Option<(u16, u16)>) -> Vec<u8> {
        let draw = |frame: &mut ratatui::Frame<'_>| {
            frame.buffer_mut().clone_from(next);
            if let Some(cursor) = cursor {
                frame.set_cursor_position(cursor);
            }
        };
        self.terminal.draw(draw).unwrap();
        let written = std::mem::take(&mut self.terminal.backend_mut().out);
        self.emulator.process(&written);
        written
    }

    /// What the terminal shows in other ways than `wanted`.
    fn wrong(&self, wanted: &Buffer, cursor: Option<(u16, u16)>) -> Vec<String> {
        let (screen, mut wrong) = (self.emulator.screen(), Vec::new());
        for y in 0..wanted.area.height {
            let mut x = 0;
            while x < wanted.area.width {
                let (cell, shown) = (&wanted[(x, y)], screen.cell(y, x).unwrap());
                // This terminal joins no emoji, so that it shows only a part of one.
                let letters = match cell.symbol() {
                    joined if joined.contains('\u{200d}') => shown.contents(),
                    symbol => symbol,
                };
                let there = if shown.contents().is_empty() { " " } else { shown.contents() };
                if there != letters || !looks_like(shown, cell) {
                    wrong.push(format!("{x},{y}: {there:?} for {cell:?}, as {:?}", shown.fgcolor()));
                }
                x += u16::try_from(cell.symbol().width()).unwrap().max(1);
            }
        }
        if screen.hide_cursor() != cursor.is_none() {
            wrong.push("the cursor is seen, or not".into());
        }
        if let Some((x, y)) = cursor.filter(|(x, y)| screen.cursor_position() != (*y, *x)) {
            wrong.push(format!("the cursor is at {:?} for {:?}", screen.cursor_position(), (y, x)));
        }
        wrong
    }
}

fn looks_like(shown: &vt100::Cell, wanted: &Cell) -> bool {
    let colour = |colour| match colour {
        Color::Reset => vt100::Color::Default,
        Color::Indexed(index) => vt100::Color::Idx(index),
        Color::Rgb(red, green, blue) => vt100::Color::Rgb(red, green, blue),
        other => panic!("{other:?}"),
    };
    let has = |modifier| wanted.modifier.contains(modifier);
    let (underlined, reversed) = (has(Modifier::UNDERLINED), has(Modifier::REVERSED));
    let ground = shown.bgcolor() == colour(wanted.bg);
    let lines = (shown.underline(), shown.inverse()) == (underlined, reversed);
    let letters = shown.fgcolor() == colour(wanted.fg)
        && (shown.bold(), shown.dim(), shown.italic())
            == (has(Modifier::BOLD), has(Modifier::DIM), has(Modifier::ITALIC));
    ground && lines && (letters || wanted.symbol() == " " && !underlined && !reversed)
}

const WORDS: &str = "Rex,Mr. Whiskers,available,  ,          ,│──│,●○,ポチ,日本語の名前,כלב שלי,قِطّة,cafe\u{301} e\u{301},🐶,👩\u{200d}🚀!,\
     ❤\u{fe0f}?,1234567";

fn style() -> impl Strategy<Value = Style> {
    const COLOURS: [Color; 6] = [
        Color::Reset,
        Color::Indexed(1),
        Color::Indexed(8),
        Color::Indexed(15),
        Color::Indexed(99),
        Color::Rgb(17, 21, 28),
    ];
    // Bold and dim together are one of the two for this terminal.
    const MODIFIERS: [Modifier; 7] = [
        Modifier::empty(),
        Modifier::BOLD,
        Modifier::DIM,
        Modifier::ITALIC,
        Modifier::UNDERLINED,
        Modifier::REVERSED,
        Modifier::BOLD.union(Modifier::REVERSED),
    ];
    let colour = || prop::sample::select(&COLOURS[..]);
    let coloured = (colour(), colour(), prop::sample::select(&MODIFIERS[..]));
    prop_oneof![
        Just(Style::new()),
        coloured.prop_map(|(fg, bg, modifier)| Style::new().fg(fg).bg(bg).add_modifier(modifier))
    ]
}

/// What happens between two frames.
#[derive(Clone, Debug)]
enum Step {
    Write { x: u16, y: u16, word: &'static str, style: Style },
    Fill { y: u16, words: Vec<(&'static str, Style)> },
    Box { area: (u16, u16, u16, u16) },
    Roll { top: u16, rows: u16, by: u16, down: bool },
    Resize { columns: u16, rows: u16 },
    Repaint,
}

fn step() -> impl Strategy<Value = Step> {
    let word = || prop::sample::select(WORDS.split(',').collect::<Vec<_>>());
    let write = (0..40u16, 0..14u16, word(), style());
    let fill = (0..14u16, vec((word(), style()), 0..9));
    let roll = (0..10u16, 2..14u16, 1..5u16, any::<bool>());
    prop_oneof![
        6 => write.prop_map(|(x, y, word, style)| Step::Write { x, y, word, style }),
        6 => fill.prop_map(|(y, words)| Step::Fill { y, words }),
        1 => (0..30u16, 0..10u16, 1..30u16, 1..10u16).prop_map(|area| Step::Box { area: (area.0, area.1, area.2, area.3) }),
        4 => roll.prop_map(|(top, rows, by, down)| Step::Roll { top, rows, by, down }),
        1 => (2..50u16, 1..16u16).prop_map(|(columns, rows)| Step::Resize { columns, rows }),
        1 => Just(Step::Repaint),
    ]
}

impl Step {
    fn take(&self, screen: &mut Screen, buffer: &mut Buffer) {
        let area = buffer.area;
        match self {
            Self::Write { x, y, word, style } => {
                if *x < area.width && *y < area.height {
                    // Nothing that is drawn begins within a wide sign.
                    let begins = (0..*x).all(|left| left + width(buffer, left, *y) <= *x);
                    let x = if begins { *x } else { 0 };
                    write(buffer, x, *y, word, *style);
                }
            }
            Self::Fill { y, words } => {
                if *y < area.height {
                    Clear.render(Rect { y: *y, height: 1, ..area }, buffer);
                    words.iter().fold(0, |x, (word, style)| write(buffer, x, *y, word, *style));
                }
            }
            Self::Box { area: (x, y, columns, rows) } => {
                let block = Rect { x: 0, y: *y, width: x + columns, height: *rows }.intersection(area);
                Clear.render(block, buffer);
                for y in block.top()..block.bottom() {
                    write(buffer, block.right().saturating_sub(1), y, "|", Style::new());
                }
            }
            Self::Roll { top, rows, by, down } => {
                let bottom = (top + rows).min(area.height);
                let before = buffer.clone();
                for y in *top..bottom {
                    let from = if *down {
                        y.checked_sub(*by).filter(|from| from >= top)
                    } else {
                        Some(y + by).filter(|from| *from < bottom)
                    };
                    for x in 0..area.width {
                        buffer[(x, y)] = from.map_or(Cell::EMPTY, |from| before[(x, from)].clone());
                    }
                }
            }
            Self::Resize { columns, rows } => {
                screen.resize(*columns, *rows);
                *buffer = Buffer::empty(Rect::new(0, 0, *columns, *rows));
                write(buffer, 0, rows / 2, "after it", Style::new());
            }
            Self::Repaint => {
                screen.emulator.process(b"\x1b[3;1Hnoise from another program\x1b[7m\x1b[?25h");
                screen.terminal.resize(area).unwrap();
            }
        }
    }
}

fn width(buffer: &Buffer, x: u16, y: u16) -> u16 {
    buffer[(x, y)].cell_width().max(1)
}

/// Writes a word without leaving half of a wide sign behind it; gives the column after it.
fn write(buffer: &mut Buffer, x: u16, y: u16, word: &str, style: Style) -> u16 {
    if x >= buffer.area.width {
        return x;
    }
    let (end, _) = buffer.set_stringn(x, y, word, usize::from(buffer.area.width - x), Style::reset().patch(style));
    end
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn a_terminal_always_shows_exactly_the_frame(frames in vec((vec(step(), 0..6), prop::option::of((0..50u16, 0..16u16))), 1..12)) {
        let mut screen = Screen::new(40, 12);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 12));
        for (steps, cursor) in frames {
            for step in steps {
                step.take(&mut screen, &mut buffer);
            }
            let cursor = cursor.map(|(x, y): (u16, u16)| (x.min(buffer.area.width - 1), y.min(buffer.area.height - 1)));
            let written = screen.draw(&buffer, cursor);
            let wrong = screen.wrong(&buffer, cursor);
            prop_assert!(wrong.is_empty(), "{wrong:#?}\n{:?}\n{buffer:?}", String::from_utf8_lossy(&written));
            prop_assert_eq!(screen.draw(&buffer, cursor), b"", "the same frame again");
        }
    }
}

/// A list of names as it is at some point.
fn list(first: usize, selected: usize) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 12));
    buffer.set_string(0, 0, " Pets", Style::new().add_modifier(Modifier::BOLD));
    for row in 0..10 {
        let y = u16::try_from(row).unwrap() + 1;
        let name = ["Rex", "Mr. Whiskers", "Pochi", "Luna", "Captain Fluff", "Tiger", "Nibbles"][(first + row) % 7];
        let style = if row == selected { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        buffer.set_string(
            1,
            y,
            format!("{} {:<6}{name}", if row == selected { ">" } else { " " }, 100 + first + row),
            style,
        );
        buffer.set_string(50, y, "available", Style::new());
    }
    buffer.set_string(0, 11, format!(" Row {}", first + selected + 1), Style::new());
    buffer
}

#[test]
fn what_stands_elsewhere_is_moved_and_not_written_again() {
    let mut screen = Screen::new(60, 12);
    screen.draw(&list(0, 9), None);
    for (first, selected, block) in [(1, 9, "\x1b[2;10r\x1b[10H\n\x1b[r"), (0, 0, "\x1b[2;11r\x1b[2H\x1bM\x1b[r")] {
        let written = screen.draw(&list(first, selected), None);
        assert_eq!(screen.wrong(&list(first, selected), None), [""; 0]);
        let text = String::from_utf8(written).unwrap();
        assert!(text.contains(block) && text.len() < 160, "{} {text:?}", text.len());
    }
}

#[test]
fn moving_a_bar_writes_two_names_and_a_number() {
    let mut screen = Screen::new(60, 12);
    screen.draw(&list(0, 3), Some((3, 4)));
    let written = String::from_utf8(screen.draw(&list(0, 4), Some((3, 5)))).unwrap();
    let wanted = "\x1b[m\x08\x08  103   Luna\x1b[12;6H5\x1b[7m\x1b[6;2H> 104   Captain Fluff\x1b[19D";
    assert_eq!(written, wanted);
}

#[test]
fn the_end_of_a_row_is_erased_only_where_it_has_no_ground() {
    let mut screen = Screen::new(40, 3);
    let row = |text: &str, style: Style| {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 3));
        buffer.set_style(buffer.area, style);
        buffer.set_string(0, 1, text, style);
        buffer
    };
    for style in [Style::new(), Style::new().bg(Color::Indexed(17))] {
        screen.draw(&row("a long sentence, which goes away", style), None);
        let written = screen.draw(&row("a long", style), None);
        assert_eq!(screen.wrong(&row("a long", style), None), [""; 0]);
        assert_eq!(written.windows(3).any(|erase| erase == b"\x1b[K"), style.bg.is_none());
    }
}

#[test]
fn only_long_frames_are_marked_and_only_for_terminals_that_know_it() {
    let mut full = Buffer::empty(Rect::new(0, 0, 60, 30));
    for y in 0..30 {
        full.set_string(0, y, "0123456789".repeat(5), Style::new());
    }
    let marked = |synchronized, buffer: &Buffer| {
        let mut screen = Screen::marked(60, 30, synchronized);
        let written = screen.draw(buffer, None);
        (written.starts_with(b"\x1b[?2026h"), written.ends_with(b"\x1b[?2026l"))
    };
    assert_eq!(marked(true, &full), (true, true));
    assert_eq!(marked(false, &full), (false, false));
    assert_eq!(marked(true, &Buffer::empty(Rect::new(0, 0, 60, 30))), (false, false));
}
