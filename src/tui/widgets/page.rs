//! A part of the screen that is written from top to bottom, cut where it ends; also the controls of forms.

use jiff::Timestamp;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::model::text::{wrap, wrap_rows};
use crate::model::{ObservedStatus, cut, width};
use crate::tui::key::Hint;
#[cfg(test)]
use crate::tui::testing::loss;
use crate::tui::{Appearance, Field, Form, Key, Now, StyleRole, Target, TextInput};

use super::form::{Kind, Known, Part};
use super::{WIDE, cells};

/// The page, and how far it is written. What is written from a column on stays on its row; a whole row goes on to the next.
pub struct Page<'a> {
    /// Where the frame is painted.
    pub buf: &'a mut Buffer,
    /// Where it is.
    pub area: Rect,
    /// The terminal and its user.
    pub appearance: &'a Appearance,
    /// When it is painted.
    pub now: Now,
    /// What the next update needs to know about it.
    pub layout: FrameLayout,
    /// The next row.
    pub y: u16,
    /// Where the cursor of the terminal is, as far as that is known: the last to set it wins.
    pub cursor: Option<Position>,
    /// Columns that wrapped text leaves blank at the right edge.
    pub margin: usize,
    /// Whether there is no room for blank rows.
    pub tight: bool,
}

/// What drawing learned; the next update uses it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameLayout {
    /// The place where keys went when it was drawn: in another one a click means nothing.
    pub place: Option<&'static str>,
    /// Where a click does something, in the order of drawing; each is on one row.
    pub clickable: Vec<(Rect, Target)>,
    /// Rows of the table that are visible.
    pub table_rows: u16,
    /// The first of them, from 0.
    pub table_top: usize,
    /// Where the rows of the pets are on the screen, and the detail of one of them.
    pub table: Rect,
    pub detail: Rect,
    /// How many rows of the detail are written.
    pub detail_rows: u16,
    /// Lines of the reader (help, details) that are visible.
    pub reader_rows: u16,
    /// Lines that the reader has.
    pub reader_lines: u16,
}

/// How a form is laid out.
pub struct Layout {
    /// The column of the controls.
    pub x: u16,
    /// Hints are beside the fields, else below them.
    pub beside: bool,
    /// Blank rows between fields.
    pub gap: u16,
    /// It waits for something else: no field is in use, and no button is shown.
    pub idle: bool,
}

/// The most entries of the bottom line.
const MOST_HINTS: usize = 8;

/// A column of a table: its heading, and its width with a blank behind it; 0 leaves it out.
pub type Column<'a> = (&'a str, usize);

/// The mark of the row or the field in use.
pub const fn marker(in_use: bool) -> &'static str {
    if in_use { ">" } else { " " }
}

/// How one of several choices is marked.
pub const fn radio(chosen: bool) -> &'static str {
    if chosen { "(*)" } else { "( )" }
}

/// How something that can be ticked is marked.
pub const fn tick(ticked: bool) -> &'static str {
    if ticked { "[x]" } else { "[ ]" }
}

/// Writes `text` at `(x, y)` in at most `columns`, none of it behind the right edge; gives the column behind it.
///
/// Nearly all of what is shown is ASCII, a byte and a column each: that needs no search for clusters.
fn write_at(buf: &mut Buffer, x: u16, y: u16, text: &str, columns: u16, style: Style) -> u16 {
    if !text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return buf.set_stringn(x, y, text, columns.into(), style).0;
    }
    let room = usize::from(columns.min(buf.area.right().saturating_sub(x)));
    let letters = text.len().min(room);
    if letters == 0 {
        return x;
    }
    let first = buf.index_of(x, y);
    for (at, cell) in buf.content[first..first + letters].iter_mut().enumerate() {
        cell.set_symbol(&text[at..=at]).set_style(style);
    }
    // No more than the room, which is that of a column.
    x + cells(letters)
}

impl<'a> Page<'a> {
    /// An empty page.
    pub fn new(buf: &'a mut Buffer, area: Rect, appearance: &'a Appearance, now: Now) -> Self {
        let layout = FrameLayout::default();
        Self { buf, area, appearance, now, layout, y: 0, cursor: None, margin: 1, tight: false }
    }

    /// Writes into `area` from now on, from its top.
    pub const fn go_to(&mut self, area: Rect) {
        (self.area, self.y, self.margin, self.tight) = (area, 0, 1, false);
    }

    /// Everything from the next row on.
    pub const fn rest(&self) -> Rect {
        let height = self.left();
        Rect { y: self.area.bottom() - height, height, ..self.area }
    }

    /// Removes what an earlier frame left on it.
    pub fn blank(&mut self) {
        for Rect { x, y, width, .. } in self.area.rows() {
            let first = self.buf.index_of(x, y);
            self.buf.content[first..first + usize::from(width)].fill(Cell::EMPTY);
        }
        self.cover();
    }

    /// The next `rows` rows, as far as there are so many: to be written later, this goes on below them.
    pub fn take(&mut self, rows: u16) -> Rect {
        let rest = self.rest();
        self.y += rows;
        Rect { height: rest.height.min(rows), ..rest }
    }

    /// Leaves `columns` blank on both sides.
    pub const fn inset(&mut self, columns: u16) {
        self.area.x += columns;
        self.area.width = self.area.width.saturating_sub(2 * columns);
    }

    /// What is left, in two parts beside each other.
    pub const fn halves(&self) -> [Rect; 2] {
        let rest = self.rest();
        let left = rest.width / 2;
        [Rect { width: left, ..rest }, Rect { x: rest.x + left, width: rest.width - left, ..rest }]
    }

    /// Gives blank cells the ground of all text.
    pub fn cover(&mut self) {
        let ground = self.appearance.style(StyleRole::Text);
        // Most themes leave it to the terminal.
        if ground != Style::new() {
            self.buf.set_style(self.area, ground);
        }
    }

    /// A titled box around the page, which is what is inside from now on. What is there stays as it is, which saves going
    /// over every cell of it.
    pub fn boxed(&mut self, title: &str) {
        let area = self.area.intersection(self.buf.area);
        let [top_left, top_right, bottom_left, bottom_right, across, down] = self.appearance.border();
        let style = self.appearance.style(StyleRole::Border);
        if area.width < 2 || area.height < 2 {
            return self.go_to(Rect { width: 0, height: 0, ..area });
        }
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        let mut edge = |x: u16, y: u16, symbol: &str| {
            self.buf[(x, y)].set_symbol(symbol).set_style(style);
        };
        for x in area.x + 1..right {
            edge(x, area.y, across);
            edge(x, bottom, across);
        }
        for y in area.y + 1..bottom {
            edge(area.x, y, down);
            edge(right, y, down);
        }
        edge(area.x, area.y, top_left);
        edge(right, area.y, top_right);
        edge(area.x, bottom, bottom_left);
        edge(right, bottom, bottom_right);
        let title = cut(title, usize::from(area.width).saturating_sub(6));
        #[cfg(test)]
        loss::boxed(area, width(&title) + 2);
        if area.width > 6 {
            let heading = self.appearance.style(StyleRole::Heading);
            write_at(self.buf, area.x + 2, area.y, &format!(" {title} "), area.width - 2, heading);
        }
        self.go_to(Rect { x: area.x + 1, y: area.y + 1, width: area.width - 2, height: area.height - 2 });
    }

    /// Where the terminal is wide, only a titled box of so many columns from now on; gives what is right of it.
    pub fn pane(&mut self, columns: u16, title: &str) -> Option<Rect> {
        let area = self.area;
        if area.width < WIDE {
            return None;
        }
        self.area.width = columns;
        self.boxed(title);
        Some(Rect { x: area.x + columns, width: area.width - columns, ..area })
    }

    /// A box of `columns` by `rows` in the middle, over whatever is there: the page is what is inside from now on. Where
    /// the screen has fewer rows, the page has no blank ones.
    pub fn popup(&mut self, columns: u16, rows: u16, title: &str) {
        let screen = self.area;
        let (width, height) = (columns.min(screen.width), rows.min(screen.height));
        let (x, y) = (screen.x + (screen.width - width) / 2, screen.y + (screen.height - height) / 2);
        self.area = Rect { x, y, width, height };
        #[cfg(test)]
        loss::covered(self.area);
        self.layout.clickable.clear();
        self.blank();
        self.boxed(title);
        self.tight = height < rows;
    }

    /// Paints what may want more rows than there are: then the part with the cursor and `below` further rows is shown.
    pub fn scrolled(&mut self, below: u16, paint: impl Fn(&mut Page<'_>)) {
        let rows = self.measured(&paint);
        self.at_least(rows, below, paint);
    }

    /// Paints on at least so many rows: of more than there are the part with the cursor and `below` further rows is shown.
    pub fn at_least(&mut self, rows: u16, below: u16, paint: impl Fn(&mut Page<'_>)) {
        let area = self.area;
        if rows <= area.height {
            return paint(self);
        }
        let whole = Rect { height: rows, ..area };
        let mut tall = Buffer::empty(whole);
        let mut page = Page::new(&mut tall, whole, self.appearance, self.now);
        page.cover();
        paint(&mut page);
        let (cursor, clickable) = (page.cursor, page.layout.clickable);
        let row = cursor.map_or(0, |cursor| cursor.y - whole.y);
        let top = (row + 1 + below).min(rows).saturating_sub(area.height);
        for Position { x, y } in area.positions() {
            if let Some(cell) = self.buf.cell_mut((x, y)) {
                *cell = tall[(x, y + top)].clone();
            }
        }
        self.cursor = cursor.map(|cursor| Position { y: cursor.y - top, ..cursor });
        let shown = clickable.into_iter().filter(|(at, _)| (area.y + top..area.bottom() + top).contains(&at.y));
        self.layout.clickable.extend(shown.map(|(at, target)| (Rect { y: at.y - top, ..at }, target)));
    }

    /// How many rows something takes: it is written to a page without rows.
    fn measured(&mut self, paint: impl Fn(&mut Page<'_>)) -> u16 {
        let mut page = Page::new(self.buf, Rect { height: 0, ..self.area }, self.appearance, self.now);
        #[cfg(test)]
        loss::scrolling(|| paint(&mut page));
        #[cfg(not(test))]
        paint(&mut page);
        page.y
    }

    /// A moment for people, as seen from now.
    pub fn moment(&self, at: Timestamp) -> String {
        self.appearance.moment(at, self.now.wall)
    }

    /// How many columns it has.
    pub const fn columns(&self) -> usize {
        self.area.width as usize
    }

    /// How many columns there are beside `others`.
    pub const fn room(&self, others: usize) -> usize {
        self.columns().saturating_sub(others)
    }

    /// How many rows are left.
    pub const fn left(&self) -> u16 {
        self.area.height.saturating_sub(self.y)
    }

    /// Goes on to the next row.
    pub const fn next_row(&mut self) {
        self.y += 1;
    }

    /// Leaves a row blank, where there is room for that.
    pub fn gap(&mut self) {
        self.y += u16::from(!self.tight);
    }

    /// Goes down to a row counted from the bottom, unless the page is written further.
    pub fn down_to(&mut self, rows: u16) {
        self.y = self.y.max(self.area.height.saturating_sub(rows));
    }

    // Text on the row, from a column on.

    /// Writes on the row from column `x` on.
    pub fn at(&mut self, x: u16, text: impl AsRef<str>, role: StyleRole) {
        self.write(x, u16::MAX, text.as_ref(), self.appearance.style(role));
    }

    /// Writes text of several styles on the row from column `x` on.
    pub fn line_at<'b>(&mut self, mut x: u16, line: impl Into<Line<'b>>) {
        let line = line.into();
        for span in &line.spans {
            x = self.write(x, u16::MAX, &span.content, line.style.patch(span.style));
        }
    }

    /// Writes on at most so many columns of the row; gives the column behind it.
    fn write(&mut self, x: u16, columns: u16, text: &str, style: Style) -> u16 {
        let columns = columns.min(self.area.width.saturating_sub(x));
        let (left, y, is_there) = (self.area.x + x, self.area.y + self.y, self.y < self.area.height);
        #[cfg(test)]
        loss::written(self.buf, is_there.then_some((left, y)), text, columns);
        if is_there && columns > 0 { write_at(self.buf, left, y, text, columns, style) - self.area.x } else { x }
    }

    /// Writes on the row, so that `margin` columns are left at the right.
    pub fn right(&mut self, margin: usize, text: &str, role: StyleRole) {
        let end = self.area.width.saturating_sub(cells(margin));
        let columns = end.min(cells(width(text)));
        self.write(end - columns, columns, text, self.appearance.style(role));
    }

    /// Gives `columns` cells of the row another style.
    pub fn restyle(&mut self, x: u16, columns: u16, style: Style) {
        self.buf.set_style(self.part(x, columns), style);
    }

    /// `columns` cells of the row from column `x` on, as far as they are on the page.
    fn part(&self, x: u16, columns: u16) -> Rect {
        let row = Rect { x: self.area.x + x, y: self.area.y + self.y, width: columns, height: 1 };
        row.intersection(self.area)
    }

    /// The cursor is at column `x` of the row.
    pub const fn point(&mut self, x: u16) {
        if self.y < self.area.height && x < self.area.width {
            self.cursor = Some(Position { x: self.area.x + x, y: self.area.y + self.y });
        }
    }

    /// A click on `columns` cells of the row from column `x` on does this.
    pub fn click(&mut self, x: u16, columns: u16, target: Target) {
        let there = self.part(x, columns);
        if !there.is_empty() {
            self.layout.clickable.push((there, target));
        }
    }

    /// A click on the row selects it, or opens what is `selected`.
    pub fn click_row(&mut self, selected: bool) {
        self.click(0, self.area.width, Target::Row { selected });
    }

    // Whole rows.

    /// Writes a line.
    pub fn line<'b>(&mut self, line: impl Into<Line<'b>>) {
        self.line_at(0, line);
        self.y += 1;
    }

    /// Writes a line of one style.
    pub fn styled(&mut self, text: impl AsRef<str>, role: StyleRole) {
        self.at(0, text, role);
        self.y += 1;
    }

    /// Writes a heading.
    pub fn heading(&mut self, text: impl AsRef<str>) {
        self.styled(text, StyleRole::Heading);
    }

    /// Writes what matters less.
    pub fn quiet(&mut self, text: impl AsRef<str>) {
        self.styled(text, StyleRole::Quiet);
    }

    /// Writes foreign text on one line; a longer one ends in a mark.
    pub fn text(&mut self, text: &str) {
        self.line(cut(&self.appearance.text(text), self.columns()));
    }

    /// Writes foreign text over as many rows as it takes, each `indent` columns from the left.
    pub fn paragraph(&mut self, indent: usize, text: &str) {
        self.wrapped(indent, text, usize::MAX);
    }

    /// The same over at most `rows` rows.
    pub fn wrapped(&mut self, indent: usize, text: &str, rows: usize) {
        self.labelled(&" ".repeat(indent), text, rows);
    }

    /// The same behind a label; further rows begin below the text.
    pub fn labelled(&mut self, label: &str, text: &str, rows: usize) {
        self.behind(&Span::raw(label), text, rows);
    }

    /// The same behind a label with its own style.
    pub fn behind(&mut self, label: &Span<'_>, text: &str, rows: usize) {
        let below = Span::styled(" ".repeat(label.width()), label.style);
        for (at, line) in self.wrap_rows(label.width(), text, rows).into_iter().enumerate() {
            let head = if at == 0 { label } else { &below };
            self.line(vec![head.clone(), Span::raw(line)]);
        }
    }

    /// How many rows a text takes behind a label of `indent` columns.
    pub fn rows(&self, indent: usize, text: &str) -> usize {
        self.wrap(indent, text).len()
    }

    /// A foreign text in rows that fit behind `indent` columns.
    pub fn wrap(&self, indent: usize, text: &str) -> Vec<String> {
        self.wrap_rows(indent, text, usize::MAX)
    }

    /// The same in at most so many rows; where the text goes on, it ends in a mark.
    fn wrap_rows(&self, indent: usize, text: &str, rows: usize) -> Vec<String> {
        wrap_rows(&self.appearance.text(text), self.room(indent + self.margin).max(8), rows)
    }

    /// Writes what is wrong, over at most `rows` rows.
    pub fn error(&mut self, indent: usize, text: &str, rows: usize) {
        for (at, line) in self.wrap_rows(indent + 2, text, rows).into_iter().enumerate() {
            let head = self.appearance.span(if at == 0 { "! " } else { "  " }, StyleRole::Error);
            self.line(vec![Span::raw(" ".repeat(indent)), head, Span::raw(line)]);
        }
    }

    /// Writes what is wrong, every row marked, over at most `rows` rows.
    pub fn banner(&mut self, text: &str, rows: usize) {
        self.marked(wrap_rows(&self.appearance.text(text), self.room(4), rows));
    }

    fn marked(&mut self, lines: Vec<String>) {
        for line in lines {
            self.line(vec![self.appearance.span(" ! ", StyleRole::Error), Span::raw(line)]);
        }
    }

    /// The same, with the keys that help at the end: those stay together and are never cut off.
    pub fn banner_with_keys(&mut self, text: &str, keys: &str, rows: usize) {
        let room = self.room(4);
        let text = self.appearance.text(text);
        let mut lines = wrap(&text, room);
        let fits = lines.len() <= rows;
        match lines.last_mut().filter(|last| fits && width(last) + 3 + width(keys) <= room) {
            Some(last) => *last += &format!("   {keys}"),
            None => {
                lines = wrap_rows(&text, room, rows.saturating_sub(1));
                lines.push(cut(keys, room));
            }
        }
        self.marked(lines);
    }

    /// The keys of the moment, which a click presses: the first ones, as many as there is room for, then the way back and help.
    pub fn hints(&mut self, mut entries: Vec<Hint>) {
        let columns = |Hint { key, word, .. }: &Hint| width(key) + 1 + width(word);
        let is_dropped = |hint: &Hint| !matches!(hint.press.key, Key::Esc | Key::F(1));
        while (entries.len() > MOST_HINTS
            || entries.iter().map(|hint| columns(hint) + 2).sum::<usize>() > self.columns() + 1)
            && let Some(last) = entries.iter().skip(1).rposition(is_dropped)
        {
            entries.remove(1 + last);
        }
        let mut x = 1;
        for hint in entries {
            let columns = cells(columns(&hint));
            self.click(x, columns, Target::Press(hint.press, 1));
            self.line_at(x, vec![self.appearance.span(hint.key, StyleRole::Key), format!(" {}", hint.word).into()]);
            x = x.saturating_add(columns + 2);
        }
    }

    // The controls of forms, on the row unless noted.

    /// The label of a control `x` columns from the left, marked if that is in use.
    pub fn label(&mut self, x: u16, indent: usize, label: &str, in_use: bool) {
        self.at(x, format!("{:indent$}{} {label}", "", marker(in_use)), StyleRole::InUse.when(in_use));
    }

    /// A text field, `columns` wide inside as far as there is room; with the cursor, if it is in use.
    pub fn input(&mut self, x: u16, columns: u16, input: &TextInput, in_use: bool) {
        if self.y >= self.area.height || x + 3 > self.area.width {
            return;
        }
        let columns = columns.min(self.area.width - x - 3);
        let (shown, cursor) = input.window(columns.into());
        let shown = self.appearance.text(&shown);
        let blank = "_".repeat(usize::from(columns).saturating_sub(width(&shown)));
        let role = StyleRole::Selected.when(in_use && input.selected);
        self.line_at(x, vec![Span::raw("["), self.appearance.span(shown, role), Span::raw(format!("{blank}]"))]);
        if in_use {
            self.point(x + 1 + cells(cursor));
        }
    }

    /// A label and its text field on their own row.
    pub fn field(&mut self, label: &str, x: u16, columns: u16, input: &TextInput, in_use: bool) {
        self.label(0, 1, label, in_use);
        self.input(x, columns, input, in_use);
        self.y += 1;
    }

    /// Something to press, with the cursor, if it is in use.
    pub fn button(&mut self, x: u16, text: &str, in_use: bool) {
        self.at(x, text, if in_use { StyleRole::Selected } else { StyleRole::Key });
        // Every button is that of its form.
        self.click(x, cells(width(text)), Target::Press(Key::F(2).into(), 1));
        if in_use {
            self.point(x + 2);
        }
    }

    /// A form, with this on its button.
    pub fn form(&mut self, form: &Form, layout: &Layout, known: &Known<'_>, button: &str) {
        let &Layout { x, beside, gap, idle } = layout;
        for (_, part) in form.shown() {
            let (Part { field, input, checked, .. }, in_use) = (part, form.is_at(part.field) && !idle);
            let (is_button, value) = (matches!(field.kind, Kind::Button), input.value().trim());
            if is_button && idle {
                return;
            }
            self.y += u16::from(is_button && !beside);
            self.label(0, 3, &format!("{:1$}", field.label, if beside { 0 } else { usize::from(x) - 5 }), in_use);
            match field.kind {
                Kind::Text | Kind::Secret | Kind::Path => {
                    let hidden = matches!(field.kind, Kind::Secret) && !form.shown;
                    let stars = hidden.then(|| TextInput::new("*".repeat(input.value().chars().count())));
                    let columns = field.columns.min(self.area.width.saturating_sub(x + 3 + u16::from(beside)));
                    self.input(x, columns, stars.as_ref().unwrap_or(input), in_use);
                    let hint_at = if beside { x + columns + 4 } else { x };
                    let room = self.room(hint_at.into());
                    let hint = (field.advice)(value, known, room).unwrap_or_else(|| field.hint.to_owned());
                    if beside {
                        self.at(hint_at, &hint, StyleRole::Quiet);
                    }
                    self.gap();
                    match Form::fault(part, known).filter(|_| *checked) {
                        Some(fault) => self.banner(&fault, if beside { 3 } else { usize::MAX }),
                        None if beside => {}
                        None => self.quiet(format!("{:1$}{hint}", "", usize::from(x))),
                    }
                }
                Kind::Choice(words) => {
                    // Where there is little room, that of a form that waits goes to what it waits for.
                    let all = !idle || gap > 0;
                    for (word, text) in words.iter().filter(|(word, _)| all || *word == value) {
                        let chosen = *word == value;
                        self.option(x, radio(chosen), word, text, chosen && in_use);
                    }
                }
                Kind::Tick(text) => self.option(x, tick(!value.is_empty()), "", text, in_use),
                Kind::Button => {
                    self.button(x, button, in_use);
                    self.gap();
                }
            }
            self.y += gap;
        }
    }

    /// One of several choices, or something to tick; a status has its mark.
    fn option(&mut self, x: u16, tick: &str, word: &str, text: &str, in_use: bool) {
        if in_use {
            self.point(x + 1);
        }
        let mut spans = vec![Span::raw(format!("{tick} "))];
        if let Ok(status) = word.parse() {
            spans.extend([self.appearance.status(Some(&ObservedStatus::Known(status))), Span::raw(" ")]);
        }
        spans.push(Span::raw(text));
        self.line_at(x, spans);
        self.gap();
    }

    /// A text field of a form alone, behind its label on its own row.
    pub fn form_field(&mut self, form: &Form, field: &Field, x: u16) {
        self.field(field.label, x, field.columns, &form[field], form.is_at(field));
    }

    /// The headings of a table, right of the marks of its rows.
    pub fn headings(&mut self, columns: &[Column<'_>]) {
        let shown = columns.iter().filter(|(_, width)| *width > 0);
        let headings: String = shown.map(|(heading, width)| format!("{heading:width$}")).collect();
        self.heading(format!("   {}", headings.trim_end()));
    }

    /// A row of a table: foreign texts, each cut to its column. The one with the cursor is marked.
    pub fn row(&mut self, here: bool, columns: &[Column<'_>], cells: &[(&str, StyleRole)]) {
        if here {
            self.point(1);
        }
        let mut spans = vec![Span::raw(format!(" {} ", marker(here)))];
        for (&(_, width), &(text, role)) in columns.iter().zip(cells) {
            let text = self.column(text, width);
            spans.push(if role == StyleRole::Text { Span::raw(text) } else { self.appearance.span(text, role) });
        }
        self.line(Line::from(spans).style(self.appearance.style(StyleRole::Selected.when(here))));
    }

    /// A row of a list, marked if it is the chosen one.
    pub fn item(&mut self, text: &str, chosen: bool) {
        self.click_row(chosen);
        self.styled(format!(" {} {text}", marker(chosen)), StyleRole::Selected.when(chosen));
    }

    /// Foreign text for a column of a table: cut, and filled with blanks.
    pub fn column(&self, text: &str, columns: usize) -> String {
        let text = cut(&self.appearance.text(text), columns.saturating_sub(1));
        let blank = " ".repeat(columns.saturating_sub(width(&text)));
        text + &blank
    }

    /// What is typed behind a sign, as for a search; with the cursor, if it is in use.
    pub fn prompt(&mut self, sign: &str, input: &TextInput, room: usize, role: StyleRole, in_use: bool) {
        let (shown, cursor) = input.window(room);
        let x = cells(width(sign));
        self.at(0, sign, StyleRole::Key);
        let role = if in_use && input.selected { StyleRole::Selected } else { role };
        self.at(x, self.appearance.text(&shown), role);
        if in_use {
            self.point(x + cells(cursor));
        }
    }

    /// The row of a search: what is typed or else a hint, and at the right what came of it.
    pub fn search(&mut self, input: &TextInput, searching: bool, hint: &str, result: &str) {
        self.right(0, result, StyleRole::Text);
        let room = self.room(width(result) + 5);
        if searching || !input.is_empty() {
            self.prompt(" / ", input, room, StyleRole::Heading, searching);
        } else {
            self.at(0, " / ", StyleRole::Key);
            self.at(3, cut(hint, room), StyleRole::Quiet);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::now;
    use crate::tui::testing::appearance;

    /// What is painted on `rows` rows of 20 columns, a blank row below them, and the place of the cursor.
    fn painted(rows: u16, paint: impl FnOnce(&mut Page<'_>)) -> (Vec<String>, Option<(u16, u16)>) {
        let appearance = appearance();
        let mut buf = Buffer::empty(Rect::new(0, 0, 21, rows + 1));
        let mut page = Page::new(&mut buf, Rect::new(0, 0, 20, rows), &appearance, now());
        paint(&mut page);
        let cursor = page.cursor.map(|Position { x, y }| (x, y));
        let row = |y: u16| (0..21_u16).map(|x| buf[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        assert_eq!(row(rows), "");
        ((0..rows).map(row).collect(), cursor)
    }

    fn form(page: &mut Page<'_>, in_use: usize) {
        for at in 0..5 {
            page.label(0, 1, &format!("{at}"), at == in_use);
            page.input(5, 6, &TextInput::new("ab"), at == in_use);
            page.gap();
        }
    }

    #[test]
    fn the_cursor_is_shown_only_where_its_row_is() {
        let (rows, cursor) = painted(2, |page| form(page, 1));
        assert_eq!((rows, cursor), (vec!["   0 [ab____]".into(), " > 1 [ab____]".into()], Some((8, 1))));
        assert_eq!(painted(2, |page| form(page, 2)).1, None);
        let button = |page: &mut Page<'_>| {
            page.y = 1;
            page.button(3, "[ F2 Save ]", true);
        };
        assert_eq!((painted(2, button).1, painted(1, button).1), (Some((5, 1)), None));
        assert_eq!(painted(1, |page| page.point(20)).1, None);
    }

    #[test]
    fn a_form_that_is_too_high_shows_the_part_in_use() {
        let shown = |rows, in_use| {
            let (rows, cursor) = painted(rows, |page| page.scrolled(1, |page| form(page, in_use)));
            (rows.iter().map(|row| row[1..4].to_owned()).collect::<Vec<_>>(), cursor)
        };
        assert_eq!(shown(5, 4).1, Some((8, 4)));
        assert_eq!(shown(3, 0), (vec!["> 0".into(), "  1".into(), "  2".into()], Some((8, 0))));
        assert_eq!(shown(3, 2), (vec!["  1".into(), "> 2".into(), "  3".into()], Some((8, 1))));
        assert_eq!(shown(3, 4), (vec!["  2".into(), "  3".into(), "> 4".into()], Some((8, 2))));
    }

    #[test]
    fn a_field_ends_inside_its_page() {
        let field = |columns| painted(1, |page| page.input(10, columns, &TextInput::new("x"), false)).0;
        assert_eq!(field(4), ["          [x___]"]);
        assert_eq!(field(60), ["          [x______]"]);
    }

    #[test]
    fn text_that_does_not_fit_says_so() {
        let name = |text| painted(3, |page| page.labelled(" Name ", text, 2)).0;
        assert_eq!(name("Biscuit"), [" Name Biscuit", "", ""]);
        assert_eq!(name("Biscuit the Third of"), [" Name Biscuit the", "      Third of", ""]);
        assert_eq!(name("Biscuit the Third of Springfield"), [" Name Biscuit the", "      Third of ..", ""]);
    }

    /// What is painted on so many rows and columns.
    fn lines(columns: u16, rows: u16, paint: impl FnOnce(&mut Page<'_>)) -> Vec<String> {
        let (area, appearance) = (Rect::new(0, 0, columns, rows), appearance());
        let mut buf = Buffer::empty(area);
        paint(&mut Page::new(&mut buf, area, &appearance, now()));
        let row = |y| (0..columns).map(|x| buf[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        (0..rows).map(row).collect()
    }

    #[test]
    fn the_keys_of_a_banner_stay_together_however_long_its_text_is() {
        let lines = |text: &str| lines(40, 4, |page| page.banner_with_keys(text, "r: now   e: details", 3));
        assert_eq!(lines("Gone."), [" ! Gone.   r: now   e: details", "", "", ""]);
        let two = [" ! Gone for a good while now.", " ! r: now   e: details", "", ""];
        assert_eq!(lines("Gone for a good while now."), two);
        let long = lines(&"word ".repeat(50));
        assert_eq!((long[2].as_str(), long[3].as_str()), (" ! r: now   e: details", ""));
    }

    #[test]
    fn hints_are_the_first_eight_that_fit_and_the_way_back_and_help_are_kept() {
        let entries = || {
            [("a", "one", Key::Enter), ("b", "two", Key::Tab), ("c", "three", Key::Tab)]
                .into_iter()
                .chain([("Esc", "back", Key::Esc), ("?", "help", Key::F(1))])
                .map(|(key, word, press)| Hint { key: key.to_owned(), word, press: press.into() })
                .collect::<Vec<_>>()
        };
        let text = |columns, more| {
            let entries = [vec![entries().remove(1); more], entries()].concat();
            lines(columns, 1, |page| page.hints(entries)).remove(0)
        };
        assert_eq!(text(80, 0), " a one  b two  c three  Esc back  ? help");
        assert_eq!(text(32, 0), " a one  b two  Esc back  ? help");
        for columns in 24..40 {
            let line = text(columns, 0);
            let is_kept = line.starts_with(" a one") && line.ends_with("  Esc back  ? help");
            assert!(line.len() <= columns.into() && is_kept, "{line}");
        }
        assert_eq!(text(200, 9), format!("{}  Esc back  ? help", " b two ".repeat(6).trim_end()));
    }

    #[test]
    fn text_at_the_right_keeps_its_margin() {
        assert_eq!(painted(1, |page| page.right(1, "now", StyleRole::Quiet)).0, [format!("{:16}now", "")]);
        assert_eq!(painted(1, |page| page.right(18, "now", StyleRole::Quiet)).0, ["no"]);
    }
}
