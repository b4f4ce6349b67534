//! The rows.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use crate::app::inventory::search::Search;
use crate::clock::Now;
use crate::model::Pet;
use crate::model::text::{cut, width};
use crate::tui::screens::pets::ListSource;
use crate::tui::state::{AppState, Health, Layout};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::list::first_shown;
use crate::tui::widgets::{put, put_at};

/// The columns of the table, from their left edge.
struct Columns {
    id: Option<u16>,
    id_width: u16,
    name: u16,
    name_width: u16,
    category: Option<(u16, u16)>,
    status: u16,
    status_word: bool,
}

impl Columns {
    /// Fixed by the width of the screen; only numbers that would not fit otherwise get more room.
    fn new(columns: u16, (id_digits, category_digits): (u16, u16)) -> Self {
        let id_width: u16 = if id_digits > 8 { 20 } else { 8 };
        let category_width: u16 = if category_digits > 8 { 20 } else { 8 };
        let show_category = columns >= 60 + category_width - 8;
        let show_id = columns >= 50 + id_width - 8;
        let status_word = columns >= 44;
        let name = if show_id { 3 + id_width + 2 } else { 3 };
        let status = columns.saturating_sub(if status_word { 11 } else { 2 });
        let category = show_category.then(|| (status - 2 - category_width, category_width));
        let name_end = category.map_or(status, |(left, _)| left);
        let name_width = name_end.saturating_sub(name + 1);
        Self { id: show_id.then_some(3), id_width, name, name_width, category, status, status_word }
    }
}

/// Paints the rows that there is room for; gives the place of the cursor.
pub fn draw(
    buf: &mut Buffer,
    area: Rect,
    state: &AppState,
    appearance: &Appearance,
    now: Now,
    layout: &mut Layout,
) -> Option<Position> {
    let pets = &state.pets;
    let visible = area.height.saturating_sub(1);
    layout.table_rows = visible;
    let columns = Columns::new(area.width, pets.rows().digits());
    draw_headings(buf, area, &columns, appearance);
    if pets.row_count() == 0 {
        for (y, line) in (2..).zip(super::empty_lines(state, appearance, now)) {
            put(buf, area, y, &line);
        }
        return None;
    }
    let top = first_visible(pets.cursor(), layout.table_top, usize::from(visible), pets.row_count());
    layout.table_top = top;
    let kept = pets.list().is_some_and(|loaded| loaded.source == ListSource::Cached) && !pets.whole.is_there();
    let quiet = kept || matches!(state.link.health, Health::Away { .. } | Health::KeyRefused { .. });
    let query = pets.searched();
    let mut marker = (!query.is_empty()).then(Search::default);
    let mut cursor = None;
    for (y, (place, pet)) in (1..=visible).zip((top..).zip(pets.rows_from(top))) {
        let selected = place == pets.cursor();
        let row = Rect { y: area.y + y, height: 1, ..area };
        draw_row(buf, row, pet, &columns, appearance, selected, quiet);
        if let Some(mark) = pets.changes.mark(pet.id) {
            put_at(buf, row.x + 2, row.y, mark.sign(), 1, appearance.style(StyleRole::New));
        }
        if let Some(marker) = &mut marker {
            underline(buf, row, &columns, &pet.name, &marker.positions(&query, pet), appearance);
        }
        if selected {
            let x = area.x + columns.id.unwrap_or(columns.name);
            cursor = Some(Position { x, y: row.y });
        }
    }
    cursor
}

/// Scrolls no further than needed, and never leaves room below while rows are above.
fn first_visible(cursor: usize, top: usize, visible: usize, rows: usize) -> usize {
    let least = first_shown(cursor, visible.max(1));
    top.clamp(least, cursor.max(least)).min(rows.saturating_sub(visible.max(1)))
}

fn draw_headings(buf: &mut Buffer, area: Rect, columns: &Columns, appearance: &Appearance) {
    let style = appearance.style(StyleRole::Heading);
    let mut heading = |x: u16, text: &str, room: u16| {
        if area.height > 0 {
            put_at(buf, area.x + x, area.y, text, room, style);
        }
    };
    if let Some(x) = columns.id {
        heading(x, "ID", columns.id_width);
    }
    heading(columns.name, "NAME", columns.name_width);
    if let Some((x, room)) = columns.category {
        heading(x, &format!("{:>1$}", "CATEGORY", usize::from(room)), room);
    }
    if columns.status_word {
        heading(columns.status, "STATUS", 11);
    }
}

fn draw_row(
    buf: &mut Buffer,
    row: Rect,
    pet: &Pet,
    columns: &Columns,
    appearance: &Appearance,
    selected: bool,
    quiet: bool,
) {
    let base = appearance.style(if quiet { StyleRole::Quiet } else { StyleRole::Text });
    let mut text = |x: u16, text: &str, room: u16| {
        put_at(buf, row.x + x, row.y, text, room, base);
    };
    if let Some(x) = columns.id {
        text(x, &pet.id.to_string(), columns.id_width);
    }
    let name = name_in_table(appearance, &pet.name, columns.name_width.into());
    text(columns.name, &name, columns.name_width);
    if let Some((x, room)) = columns.category {
        text(x, &format!("{:>1$}", pet.category_id, usize::from(room)), room);
    }
    let (mark, role) = appearance.mark(pet.status.as_ref());
    if columns.status_word {
        text(columns.status + 2, &cut(&status_word(appearance, pet), 9), 9);
    }
    if selected {
        text(1, ">", 1);
        // No further than the name: each of its columns is written twice when it moves.
        let name_width = u16::try_from(width(&name)).unwrap_or(0);
        let bar = Rect { x: row.x + 1, width: (columns.name + name_width).saturating_sub(1), ..row };
        buf.set_style(bar, appearance.style(StyleRole::Selected).remove_modifier(Modifier::DIM));
    }
    put_at(buf, row.x + columns.status, row.y, mark, 1, appearance.style(role));
}

/// Underlines the signs of the name that are searched for.
fn underline(buf: &mut Buffer, row: Rect, columns: &Columns, name: &str, signs: &[usize], appearance: &Appearance) {
    use unicode_segmentation::UnicodeSegmentation as _;
    // What is shown in other words than it came cannot be pointed at.
    if appearance.text(name) != name {
        return;
    }
    let mut x = columns.name;
    for (at, sign) in name.graphemes(true).enumerate() {
        let wide = u16::try_from(width(sign)).unwrap_or(0);
        if x + wide > columns.name + columns.name_width {
            return;
        }
        if signs.binary_search(&at).is_ok() {
            buf.set_style(Rect { x: row.x + x, width: wide, ..row }, appearance.style(StyleRole::Match));
        }
        x += wide;
    }
}

/// Terminals disagree about joined emoji, so that a table shows only the first sign of each; the detail shows them whole.
fn name_in_table(appearance: &Appearance, name: &str, columns: usize) -> String {
    use unicode_segmentation::UnicodeSegmentation as _;
    let safe = appearance.text(name);
    if safe.is_ascii() {
        return cut(&safe, columns);
    }
    let simple: String = safe
        .graphemes(true)
        .map(|cluster| match cluster.find(['\u{200d}', '\u{fe0e}', '\u{fe0f}']) {
            Some(joint) if joint > 0 => &cluster[..joint],
            _ => cluster,
        })
        .collect();
    cut(&simple, columns)
}

/// The status as a word.
pub fn status_word(appearance: &Appearance, pet: &Pet) -> String {
    match &pet.status {
        None => "not set".to_owned(),
        Some(status) => appearance.text(status.as_str()),
    }
}
