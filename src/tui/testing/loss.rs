//! What a frame lost: text that did not fit where it was painted and carries no mark, text painted over, and boxes whose
//! borders do not meet. The functions that paint report here, in tests only.

use std::cell::RefCell;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::TestApp;
use crate::model::width;
use crate::tui::msg::{Msg, Size};

/// The sizes at which every state must be whole.
const SIZES: [(u16, u16); 5] = [(60, 16), (80, 24), (100, 30), (120, 40), (200, 50)];

thread_local! {
    static FRAME: RefCell<Painted> = RefCell::default();
}

/// What was reported since a frame began.
#[derive(Default)]
struct Painted {
    lost: Vec<String>,
    /// Boxes, with the columns of their titles.
    boxes: Vec<(Rect, u16)>,
    /// Whether what is painted is only measured, or shown in part: as much of it as there is room for, with the cursor.
    scrolls: u32,
}

/// Text is about to be painted at `(x, y)`, where there is room for so many `columns`.
pub(in crate::tui) fn written(buf: &Buffer, at: Option<(u16, u16)>, text: &str, columns: u16) {
    let Some((x, y)) = at else {
        if !text.trim().is_empty() {
            report(format!("no row left: {text:?}"));
        }
        return;
    };
    let wanted = width(text.trim_end());
    let room = usize::from(columns.min(buf.area.right().saturating_sub(x)));
    let report = |why: &str| report(format!("{why} at {x},{y}: {text:?}"));
    if wanted > room {
        report(&format!("{} columns cut off", wanted - room));
    }
    let before = (x..).zip(text.chars()).take(room).filter(|(_, letter)| *letter != ' ');
    let hidden = before.filter_map(|(x, letter)| Some((buf.cell((x, y))?.symbol(), letter)));
    if hidden.into_iter().any(|(before, letter)| before != " " && before != letter.to_string()) {
        report("painted over other text");
    }
}

/// A box with a title of so many columns was painted.
pub(in crate::tui) fn boxed(area: Rect, title: usize) {
    FRAME.with_borrow_mut(|frame| {
        if frame.scrolls == 0 {
            frame.boxes.push((area, u16::try_from(title).unwrap()));
        }
    });
}

/// Another box covers what is there.
pub(in crate::tui) fn covered(area: Rect) {
    FRAME.with_borrow_mut(|frame| frame.boxes.retain(|(below, _)| !below.intersects(area)));
}

/// Paints something that is measured, or scrolls.
pub(in crate::tui) fn scrolling<T>(paint: impl FnOnce() -> T) -> T {
    FRAME.with_borrow_mut(|frame| frame.scrolls += 1);
    let painted = paint();
    FRAME.with_borrow_mut(|frame| frame.scrolls -= 1);
    painted
}

fn report(what: String) {
    FRAME.with_borrow_mut(|frame| {
        if frame.scrolls == 0 {
            frame.lost.push(what);
        }
    });
}

/// Fails where a state loses something at one of the sizes, names a key that does nothing, or cannot be drawn at any size
/// down to nothing.
pub fn whole_at_every_size(name: &str, make: impl Fn(u16, u16) -> TestApp) {
    let mut lost: Vec<String> =
        SIZES.iter().flat_map(|(columns, rows)| lost_by(name, &mut make(*columns, *rows))).collect();
    lost.extend(super::hints::idle(name, &make));
    assert!(lost.is_empty(), "{}", lost.join("\n"));
    let mut app = make(80, 24);
    for columns in [0, 1, 2, 5, 10, 19, 20, 39, 40, 57, 80, 110, 250] {
        for rows in [0, 1, 2, 3, 7, 8, 9, 12, 16, 24, 80] {
            app.send(Msg::Resize(Size { columns, rows }));
            app.screen();
        }
    }
}

fn lost_by(name: &str, app: &mut TestApp) -> Vec<String> {
    FRAME.take();
    let buffer = app.buffer();
    let Painted { mut lost, boxes, .. } = FRAME.take();
    lost.extend(
        boxes
            .iter()
            .filter(|(area, title)| !is_whole(&buffer, *area, *title))
            .map(|(area, _)| format!("the box at {area} is broken")),
    );
    let size = buffer.area;
    lost.iter().map(|what| format!("{name} {}x{}: {what}", size.width, size.height)).collect()
}

/// Whether all lines of a box are there, but for its title.
fn is_whole(buffer: &Buffer, area: Rect, title: u16) -> bool {
    let (right, bottom) = (area.right() - 1, area.bottom() - 1);
    let is = |x: u16, y: u16, symbols: &[&str]| symbols.contains(&buffer[(x, y)].symbol());
    let corners = [(area.x, area.y, "┌"), (right, area.y, "┐"), (area.x, bottom, "└"), (right, bottom, "┘")];
    let title = area.x + 2..area.x + 2 + title;
    corners.iter().all(|(x, y, corner)| is(*x, *y, &["+", corner]))
        && (area.x + 1..right).all(|x| is(x, bottom, &["-", "─"]) && (title.contains(&x) || is(x, area.y, &["-", "─"])))
        && (area.y + 1..bottom).all(|y| is(area.x, y, &["|", "│"]) && is(right, y, &["|", "│"]))
}
