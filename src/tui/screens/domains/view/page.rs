//! A page that is written from top to bottom, cut where it ends.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::domains::Verdict;
use crate::model::text::{cut, width};
use crate::tui::text_input::TextInput;
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::{field, put, wrap, wrap_indented};

use super::{verdict_style, verdict_word};

/// The page, and how far it is written.
pub struct Page<'a> {
    buf: &'a mut Buffer,
    /// Where it is.
    pub area: Rect,
    /// The terminal and its user.
    pub appearance: &'a Appearance,
    /// The next row.
    pub y: u16,
}

impl<'a> Page<'a> {
    /// An empty page.
    pub const fn new(buf: &'a mut Buffer, area: Rect, appearance: &'a Appearance) -> Self {
        Self { buf, area, appearance, y: 0 }
    }

    /// How many columns it has.
    pub const fn columns(&self) -> usize {
        self.area.width as usize
    }

    /// How many rows are left.
    pub const fn left(&self) -> u16 {
        self.area.height.saturating_sub(self.y)
    }

    /// Leaves a row out.
    pub const fn gap(&mut self) {
        self.y += 1;
    }

    /// Writes a line.
    pub fn line<'b>(&mut self, line: impl Into<Line<'b>>) {
        put(self.buf, self.area, self.y, &line.into());
        self.y += 1;
    }

    /// Writes a heading.
    pub fn heading(&mut self, text: impl Into<String>) {
        let style = self.appearance.style(StyleRole::Heading);
        self.line(Line::styled(text.into(), style));
    }

    /// Writes foreign text on one line, cut where the page ends.
    pub fn text(&mut self, text: &str) {
        self.line(Line::raw(self.appearance.text(text)));
    }

    /// Writes foreign text over at most `rows` rows, each `indent` columns from the left.
    pub fn wrapped(&mut self, indent: usize, text: &str, rows: usize) {
        self.labelled(&" ".repeat(indent), text, rows);
    }

    /// The same behind a label; further rows begin below the text.
    pub fn labelled(&mut self, label: &str, text: &str, rows: usize) {
        let indent = width(label);
        let lines = wrap(&self.appearance.text(text), self.columns().saturating_sub(indent + 1).max(8));
        let is_cut = lines.len() > rows;
        for (at, line) in lines.into_iter().take(rows).enumerate() {
            let head = if at == 0 { label.to_owned() } else { " ".repeat(indent) };
            let end = if is_cut && at + 1 == rows { " .." } else { "" };
            self.line(Line::raw(format!("{head}{line}{end}")));
        }
    }

    /// Writes a line of code: its indentation stays.
    pub fn code(&mut self, line: &str) {
        for line in wrap_indented(&self.appearance.text(line), self.columns()) {
            self.line(Line::raw(line));
        }
    }

    /// How many rows a text takes behind a label of `indent` columns.
    pub fn rows(&self, indent: usize, text: &str) -> usize {
        wrap(&self.appearance.text(text), self.columns().saturating_sub(indent + 1).max(8)).len()
    }

    /// Writes what is wrong, over at most `rows` rows.
    pub fn error(&mut self, indent: usize, text: &str, rows: usize) {
        let mark = self.appearance.style(StyleRole::Error);
        let lines = wrap(&self.appearance.text(text), self.columns().saturating_sub(indent + 3).max(8));
        for (at, line) in lines.into_iter().take(rows).enumerate() {
            let head = Span::styled(if at == 0 { "! " } else { "  " }, mark);
            self.line(Line::from(vec![Span::raw(" ".repeat(indent)), head, Span::raw(line)]));
        }
    }

    /// Writes a text field `at` columns from the left, behind its label; gives the place of its cursor, if it is in use.
    pub fn field(&mut self, label: &str, at: u16, columns: u16, input: &TextInput, in_use: bool) -> Option<Position> {
        let role = if in_use { StyleRole::InUse } else { StyleRole::Text };
        let marker = if in_use { ">" } else { " " };
        let y = self.y;
        self.line(Line::styled(format!(" {marker} {label}"), self.appearance.style(role)));
        if y >= self.area.height || at + 4 > self.area.width {
            return None;
        }
        let columns = columns.min(self.area.width - at - 3);
        let place = field(self.buf, self.area.x + at, self.area.y + y, columns, input, self.appearance);
        in_use.then_some(place)
    }

    /// Writes a line that can be chosen, the one that is `here` marked and in `role`; gives the place of its cursor, `at`
    /// columns from the left.
    pub fn choice(&mut self, here: bool, text: &str, role: StyleRole, at: u16) -> Option<Position> {
        let (marker, role) = if here { (">", role) } else { (" ", StyleRole::Text) };
        self.line(Line::styled(format!(" {marker} {text}"), self.appearance.style(role)));
        if here { self.cell(at) } else { None }
    }

    /// Foreign text for a column of a table: cut, and filled with blanks.
    pub fn column(&self, text: &str, columns: usize) -> String {
        let text = cut(&self.appearance.text(text), columns.saturating_sub(1));
        format!("{text}{}", " ".repeat(columns.saturating_sub(width(&text))))
    }

    /// A verdict for a column of a table.
    pub fn verdict(&self, verdict: Option<Verdict>, columns: usize) -> Span<'static> {
        Span::styled(format!("{:<columns$}", verdict_word(verdict)), verdict_style(verdict, self.appearance))
    }

    /// The place of a cell of the row written last, if that is on the page.
    pub const fn cell(&self, x: u16) -> Option<Position> {
        let row = self.y.saturating_sub(1);
        if row < self.area.height && x < self.area.width {
            Some(Position { x: self.area.x + x, y: self.area.y + row })
        } else {
            None
        }
    }

    /// Goes to a row counted from the bottom, unless the page is written further.
    pub fn to_bottom(&mut self, rows: u16) {
        self.y = self.y.max(self.area.height.saturating_sub(rows));
    }
}
