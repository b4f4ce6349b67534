//! The rows.

use ratatui::style::Modifier;

use crate::app::inventory::search::Search;
use crate::clock::Now;
use crate::model::Pet;
use crate::model::text::{cut, width};
use crate::tui::screens::pets::ListSource;
use crate::tui::state::{AppState, Health, Layout};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::list::first_shown;
use crate::tui::widgets::page::Page;

/// The columns of the table, from their left edge.
struct Columns {
    id: Option<u16>,
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
        Self { id: show_id.then_some(3), name, name_width, category, status, status_word }
    }
}

/// Paints the rows that there is room for; the cursor is on the selected one.
pub fn draw(state: &AppState, now: Now, page: &mut Page<'_>, layout: &mut Layout) {
    let pets = &state.pets;
    let visible = page.area.height.saturating_sub(1);
    layout.table_rows = visible;
    let columns = Columns::new(page.area.width, pets.rows().digits());
    draw_headings(&columns, page);
    if pets.row_count() == 0 {
        page.gap();
        super::draw_empty(state, now, page);
        return;
    }
    let top = first_visible(pets.cursor(), layout.table_top, usize::from(visible), pets.row_count());
    layout.table_top = top;
    let kept = pets.list().is_some_and(|loaded| loaded.source == ListSource::Cached) && !pets.whole.is_there();
    let quiet = kept || matches!(state.link.health, Health::Away { .. } | Health::KeyRefused { .. });
    let role = if quiet { StyleRole::Quiet } else { StyleRole::Text };
    let query = pets.searched();
    let mut marker = (!query.is_empty()).then(Search::default);
    for (place, pet) in (top..).zip(pets.rows_from(top)).take(visible.into()) {
        let selected = place == pets.cursor();
        draw_row(pet, &columns, selected, role, page);
        if let Some(mark) = pets.changes.mark(pet.id) {
            page.at(2, mark.sign(), StyleRole::New);
        }
        if let Some(marker) = &mut marker {
            underline(&columns, &pet.name, &marker.positions(&query, pet), page);
        }
        if selected {
            page.point(columns.id.unwrap_or(columns.name));
        }
        page.gap();
    }
}

/// Scrolls no further than needed, and never leaves room below while rows are above.
fn first_visible(cursor: usize, top: usize, visible: usize, rows: usize) -> usize {
    let least = first_shown(cursor, visible.max(1));
    top.clamp(least, cursor.max(least)).min(rows.saturating_sub(visible.max(1)))
}

fn draw_headings(columns: &Columns, page: &mut Page<'_>) {
    if let Some(x) = columns.id {
        page.at(x, "ID", StyleRole::Heading);
    }
    page.at(columns.name, "NAME", StyleRole::Heading);
    if let Some((x, room)) = columns.category {
        page.at(x, format!("{:>1$}", "CATEGORY", usize::from(room)), StyleRole::Heading);
    }
    if columns.status_word {
        page.at(columns.status, "STATUS", StyleRole::Heading);
    }
    page.gap();
}

fn draw_row(pet: &Pet, columns: &Columns, selected: bool, role: StyleRole, page: &mut Page<'_>) {
    if let Some(x) = columns.id {
        page.at(x, pet.id.to_string(), role);
    }
    let name = name_in_table(page.appearance, &pet.name, columns.name_width.into());
    page.at(columns.name, &name, role);
    if let Some((x, room)) = columns.category {
        page.at(x, format!("{:>1$}", pet.category_id, usize::from(room)), role);
    }
    if columns.status_word {
        page.at(columns.status + 2, cut(&status_word(page.appearance, pet), 9), role);
    }
    if selected {
        page.at(1, ">", role);
        // No further than the name: each of its columns is written twice when it moves.
        let name_width = u16::try_from(width(&name)).unwrap_or(0);
        let style = page.appearance.style(StyleRole::Selected).remove_modifier(Modifier::DIM);
        page.restyle(1, (columns.name + name_width).saturating_sub(1), style);
    }
    let (mark, role) = page.appearance.mark(pet.status.as_ref());
    page.at(columns.status, mark, role);
}

/// Underlines the signs of the name that are searched for.
fn underline(columns: &Columns, name: &str, signs: &[usize], page: &mut Page<'_>) {
    use unicode_segmentation::UnicodeSegmentation as _;
    // What is shown in other words than it came cannot be pointed at.
    if page.appearance.text(name) != name {
        return;
    }
    let style = page.appearance.style(StyleRole::Match);
    let mut x = columns.name;
    for (at, sign) in name.graphemes(true).enumerate() {
        let wide = u16::try_from(width(sign)).unwrap_or(0);
        if x + wide > columns.name + columns.name_width {
            return;
        }
        if signs.binary_search(&at).is_ok() {
            page.restyle(x, wide, style);
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

pub fn status_word(appearance: &Appearance, pet: &Pet) -> String {
    match &pet.status {
        None => "not set".to_owned(),
        Some(status) => appearance.text(status.as_str()),
    }
}
