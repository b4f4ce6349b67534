//! The rows.

use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::app::inventory::search::{Query, Search};
use crate::clock::Now;
use crate::model::columns::ShownColumn;
use crate::model::export::{Column, Recorded};
use crate::model::words::age;
use crate::model::{Pet, cut, width};
use crate::tui::mouse::Target;
use crate::tui::screens::pets::State;
use crate::tui::widgets::first_shown;
use crate::tui::widgets::page::FrameLayout;
use crate::tui::{App, Appearance, Health, Page, StyleRole, cells};

/// The columns of the name of a key.
const BY_WIDTH: u16 = 14;
/// The most columns of the name of a category.
const MOST_OF_NAME: u16 = 16;
/// What is left of a name before other columns are left out.
const LEAST_OF_NAME: u16 = 19;
/// The same before categories are shown without their names.
const NAME_BESIDE_CATEGORIES: u16 = 32;
/// Narrower screens show only the mark of a status.
const LEAST_FOR_STATUS: u16 = 44;
/// Lists as wide as this show how pets were added.
const WITH_ADDITION: u16 = 122;
/// What is left out of a narrow window, in this order. The name and the status stay.
const LEFT_OUT: [Column; 5] = [Column::At, Column::Age, Column::CategoryId, Column::By, Column::Id];

/// A column of the table.
#[derive(Clone, Copy)]
struct Shown {
    column: Column,
    x: u16,
    width: u16,
}

/// The columns of the table.
struct Columns {
    /// How many the screen has.
    room: u16,
    /// Those of the longest id and category.
    digits: (u16, u16),
    /// How wide the names of categories are; 0 without.
    beside: u16,
    wanted: Vec<ShownColumn>,
    /// From left to right.
    shown: Vec<Shown>,
}

/// The first column of the table, after the signs for what is marked, for the cursor and for what is new.
const LEFT: u16 = 3;

impl Columns {
    /// Fixed by the width of the screen; only numbers that would not fit otherwise get more room.
    fn new(room: u16, digits: (u16, u16), names: usize, wanted: Vec<ShownColumn>) -> Self {
        let beside = cells(names).min(MOST_OF_NAME);
        let mut columns = Self { room, digits, beside, wanted, shown: Vec::new() };
        if columns.rest() < NAME_BESIDE_CATEGORIES {
            columns.beside = 0;
        }
        for column in LEFT_OUT {
            if columns.rest() < LEAST_OF_NAME && columns.wanted.len() > 1 {
                columns.wanted.retain(|shown| shown.column != column);
            }
        }
        let (mut x, rest) = (LEFT, columns.rest());
        let place = |wanted: &ShownColumn| {
            let width = columns.width(wanted).unwrap_or(rest).min(room.saturating_sub(x));
            let shown = Shown { column: wanted.column, x, width };
            x += width + columns.look(wanted.column).2;
            shown
        };
        let shown = columns.wanted.iter().map(place).collect();
        Self { shown, ..columns }
    }

    fn find(&self, wanted: Column) -> Option<Shown> {
        self.shown.iter().find(|shown| shown.column == wanted).copied()
    }

    /// The digits before the names of categories, where those are shown.
    fn digits(&self) -> Option<u16> {
        (self.beside > 0).then_some(self.digits.1)
    }

    /// The heading of a column, its width (none for a name, which gets what the others leave), and what is blank behind it:
    /// what is cut ends with a sign for that.
    fn look(&self, column: Column) -> (&'static str, Option<u16>, u16) {
        let number = |digits: u16| Some(if digits > 8 { 20 } else { 8 });
        match column {
            Column::Id => ("ID", number(self.digits.0), 2),
            Column::Name => ("NAME", None, 1),
            Column::CategoryId if self.beside > 0 => ("CATEGORY", Some((self.digits.1 + 1 + self.beside).max(8)), 2),
            Column::CategoryId => ("CATEGORY", number(self.digits.1), 2),
            Column::Status if self.room >= LEAST_FOR_STATUS => ("STATUS", Some(11), 2),
            Column::Status => ("", Some(2), 2),
            Column::By => ("ADDED BY", Some(BY_WIDTH), 1),
            Column::At => ("ADDED AT", Some(16), 2),
            Column::Age => ("AGE", Some(9), 2),
        }
    }

    /// The width of a column, as it is wanted; a mark alone has its own.
    fn width(&self, shown: &ShownColumn) -> Option<u16> {
        let (heading, usual, _) = self.look(shown.column);
        shown.width.filter(|_| !heading.is_empty()).or(usual)
    }

    /// What the other columns leave for the name, or of the screen.
    fn rest(&self) -> u16 {
        let others =
            self.wanted.iter().filter(|shown| shown.column != Column::Name).filter_map(|shown| self.width(shown));
        let gaps = self.wanted.iter().rev().skip(1).map(|shown| self.look(shown.column).2);
        let taken = others.chain(gaps).fold(LEFT, u16::saturating_add);
        self.room.saturating_sub(taken)
    }
}

/// Paints the rows that there is room for; the cursor is on the selected one.
pub fn draw(app: &App, page: &mut Page<'_>) {
    let pets = &app.pets;
    let mut rows = Rows::new(app, page.now, page.area.width);
    draw_headings(&rows.columns, page);
    page.layout.table = page.rest();
    page.layout.table_rows = page.left();
    if pets.row_count() == 0 {
        page.gap();
        super::draw_empty(app, page);
        return;
    }
    let visible = usize::from(page.left());
    let top = first_visible(pets.cursor, page.layout.table_top, visible, pets.row_count());
    page.layout.table_top = top;
    for (place, pet) in (top..).zip(pets.rows_from(top)).take(visible) {
        let selected = place == pets.cursor;
        page.click_row(selected);
        rows.draw(pet, selected, page);
        page.gap();
    }
}

/// Paints the row that the cursor was on and the one that it is on now; gives where they are. `None` if the rows scroll.
pub fn draw_moved_cursor(from: usize, app: &App, page: &mut Page<'_>) -> Option<Vec<Rect>> {
    let FrameLayout { table, table_top: top, .. } = page.layout;
    let pets = &app.pets;
    let here = pets.cursor;
    let visible = top..top + usize::from(table.height);
    if !visible.contains(&from) || !visible.contains(&here) {
        return None;
    }
    let mut rows = Rows::new(app, page.now, table.width);
    let mut painted = Vec::with_capacity(4);
    for place in [from, here] {
        let below = u16::try_from(place - top).ok()?;
        page.go_to(Rect { y: table.y + below, height: 1, ..table });
        page.blank();
        rows.draw(pets.rows_from(place).next()?, place == here, page);
        painted.push(page.area);
    }
    for (area, target) in &mut page.layout.clickable {
        if let Target::Row { selected } = target {
            *selected = area.y == page.area.y;
        }
    }
    Some(painted)
}

/// What the rows have in common.
struct Rows<'a> {
    pets: &'a State,
    columns: Columns,
    recorded: Recorded<'a>,
    role: StyleRole,
    query: Query,
    /// Finds what is searched for in a name.
    search: Option<Search>,
}

impl<'a> Rows<'a> {
    fn new(app: &'a App, now: Now, width: u16) -> Self {
        let pets = &app.pets;
        let query = pets.searched();
        let [id, name, category, status] = Column::OF_PETS;
        // Who added pets also where that is searched for.
        let by = query.asks_who().then_some(Column::By);
        let added = pets.provenance.columns().filter(|column| width >= WITH_ADDITION && by != Some(*column));
        let usual = [id, name].into_iter().chain(by).chain([category, status]).chain(added).map(ShownColumn::from);
        let of_view = &pets.view().columns;
        let wanted = if of_view.is_empty() { usual.collect() } else { of_view.clone() };
        let columns = Columns::new(width, pets.rows.digits, pets.categories.longest(), wanted);
        let recorded = Recorded { provenances: &pets.provenance.of, now: now.wall };
        let quiet =
            pets.store.is_cached() || matches!(app.link.health, Health::Away { .. } | Health::KeyRefused { .. });
        let role = if quiet { StyleRole::Quiet } else { StyleRole::Text };
        let search = (!query.is_empty()).then(Search::default);
        Self { pets, columns, recorded, role, query, search }
    }

    fn draw(&mut self, pet: &Pet, selected: bool, page: &mut Page<'_>) {
        let Self { pets, columns, recorded, role, query, search } = self;
        let changing = pets.changing.get(&pet.id);
        let pet = changing.unwrap_or(pet);
        let role = *role;
        let mut selected_to = columns.shown.first().map_or(LEFT, |first| first.x + first.width);
        let missing = || "-".to_owned();
        for Shown { column, x, width: room } in columns.shown.iter().copied() {
            let cell = match column {
                Column::Id => pet.id.to_string(),
                Column::Name => {
                    let name = name_in_table(page.appearance, &pet.name, room.into());
                    // No further than the name: each of its columns is written twice when it moves.
                    selected_to = x + cells(width(&name));
                    name
                }
                Column::CategoryId => {
                    let digits = columns.digits().unwrap_or(room);
                    let category = format!("{:>1$}", pet.category_id, usize::from(digits));
                    let name = columns.digits().and(pets.categories.name(pet.category_id)).unwrap_or_default();
                    let name = cut(&page.appearance.text(name), usize::from(room.saturating_sub(digits + 1)));
                    format!("{category} {name}").trim_end().to_owned()
                }
                // Its mark has a separate style.
                Column::Status => {
                    let word = status_word(page.appearance, pet);
                    // A mark alone leaves no room.
                    page.at(x + 2, cut(&word, room.saturating_sub(2).into()), role);
                    continue;
                }
                Column::By => recorded.by(pet).map_or_else(missing, |by| page.appearance.text(by)),
                Column::At => {
                    let at = recorded.at(pet).map(|at| page.appearance.moment(at, recorded.now));
                    at.unwrap_or_else(missing)
                }
                Column::Age => recorded.age(pet).map_or_else(missing, age),
            };
            page.at(x, cut(&cell, room.into()), role);
        }
        if selected {
            page.point(columns.shown.first().map_or(LEFT, |first| first.x));
            page.at(1, ">", role);
            let style = page.appearance.style(StyleRole::Selected).remove_modifier(Modifier::DIM);
            page.restyle(1, selected_to.saturating_sub(1), style);
        }
        if let Some(status) = columns.find(Column::Status) {
            let (mark, role) = page.appearance.mark(pet.status.as_ref());
            page.at(status.x, mark, role);
        }
        let mark = changing.map(|_| ".").or_else(|| Some(pets.store.mark(pet.id)?.sign()));
        if let Some(mark) = mark {
            page.at(2, mark, StyleRole::New);
        }
        if pets.marked.contains(&pet.id) {
            page.at(0, "x", StyleRole::InUse);
        }
        if let Some(search) = search {
            underline(columns, &pet.name, &search.positions(query, pet), page);
        }
    }
}

/// Scrolls no further than needed, and never leaves room below while rows are above.
pub fn first_visible(cursor: usize, top: usize, visible: usize, rows: usize) -> usize {
    let least = first_shown(cursor, visible.max(1));
    top.clamp(least, cursor.max(least)).min(rows.saturating_sub(visible.max(1)))
}

fn draw_headings(columns: &Columns, page: &mut Page<'_>) {
    for Shown { column, x, width } in columns.shown.iter().copied() {
        // Numbers alone are at the right.
        let blank = if column == Column::CategoryId && columns.beside == 0 { width.saturating_sub(8) } else { 0 };
        page.at(x + blank, cut(columns.look(column).0, width.into()), StyleRole::Heading);
    }
    page.gap();
}

/// Underlines the signs of the name that are searched for.
fn underline(columns: &Columns, name: &str, signs: &[usize], page: &mut Page<'_>) {
    use unicode_segmentation::UnicodeSegmentation as _;
    // What is shown in other words than it came cannot be pointed at.
    if page.appearance.text(name) != name {
        return;
    }
    let Some(column) = columns.find(Column::Name) else { return };
    let style = page.appearance.style(StyleRole::Match);
    let mut x = column.x;
    for (at, sign) in name.graphemes(true).enumerate() {
        let wide = cells(width(sign));
        if x + wide > column.x + column.width {
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
    pet.status.as_ref().map_or_else(|| "not set".to_owned(), |status| appearance.text(status.as_str()))
}
