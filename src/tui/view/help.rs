//! How the help looks: the whole screen but the bottom line.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::reader::read;
use crate::model::text::width;
use crate::tui::keymap::{Context, Keymap};
use crate::tui::popups::{HelpBox, HelpLine, place_name};
use crate::tui::state::{AppState, Layout};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::{field, put, put_at};

/// Keys of the place at the left, those that work everywhere at the right; or what was searched for.
pub fn draw(
    buf: &mut Buffer,
    area: Rect,
    help: &HelpBox,
    state: &AppState,
    appearance: &Appearance,
    layout: &mut Layout,
) -> Position {
    let (title, prompt) = (format!(" Help: {}", place_name(help.place)), "type to search all keys: ");
    put(buf, area, 0, &Line::styled(title.clone(), appearance.style(StyleRole::Heading)));
    let room = usize::from(area.width).saturating_sub(width(&title) + width(prompt) + 6).min(20);
    let x = area.right().saturating_sub(u16::try_from(width(prompt) + room + 3).unwrap_or(u16::MAX));
    put_at(buf, x, area.y, prompt, area.width, appearance.style(StyleRole::Text));
    let columns = u16::try_from(room).unwrap_or(0);
    let cursor = field(buf, x + u16::try_from(width(prompt)).unwrap_or(0), area.y, columns, &help.search, appearance);
    put(buf, area, 1, &Line::raw(format!(" {}", appearance.rule(usize::from(area.width).saturating_sub(2)))));
    let area = Rect { x: area.x + 1, y: area.y + 2, width: area.width - 1, height: area.height.saturating_sub(2) };
    match help.found(&state.keymap) {
        Some(found) => draw_found(buf, area, &found, help, appearance, layout),
        None => draw_place(buf, area, help, &state.keymap, appearance, layout),
    }
    cursor
}

fn draw_found(
    buf: &mut Buffer,
    area: Rect,
    found: &[HelpLine],
    help: &HelpBox,
    appearance: &Appearance,
    layout: &mut Layout,
) {
    let key = appearance.style(StyleRole::Key);
    let mut lines = vec![heading("WHERE                KEYS           WHAT THEY DO", appearance)];
    lines.extend(found.iter().map(|line| {
        Line::from(vec![
            Span::raw(format!(" {:<19} ", line.place)),
            Span::styled(format!("{:<14} ", line.keys), key),
            Span::raw(line.help),
        ])
    }));
    if found.is_empty() {
        lines = vec![Line::raw(" No key does that. Esc clears what was typed; F9 lists all commands.")];
    }
    read(buf, area, help.top, &lines, layout);
}

fn draw_place(
    buf: &mut Buffer,
    area: Rect,
    help: &HelpBox,
    keymap: &Keymap,
    appearance: &Appearance,
    layout: &mut Layout,
) {
    let mut left = vec![heading("HERE", appearance)];
    left.extend(lines_of(keymap.help_lines(help.place), appearance));
    if help.place.is_text() {
        left.push(Line::raw(""));
        left.push(heading("IN THIS FIELD", appearance));
        left.extend(lines_of(keymap.help_lines(Context::Text), appearance));
    }
    let mut right = vec![heading("EVERYWHERE", appearance)];
    right.extend(lines_of(keymap.global_help(help.place), appearance));
    right.push(Line::raw(""));
    right.extend(["In a text field letters are text;", "Tab, Enter, Esc and the F keys act.", ""].map(Line::raw));
    if matches!(help.place, Context::Pets | Context::Search) {
        right.push(Line::raw("Search: whis  cat:3,7  is:sold"));
        right.extend(["  id:1002  \"exact words\"  -not", ""].map(Line::raw));
    }
    right.extend(if keymap.is_about_domains(help.place) { domain_words() } else { marks(appearance) });
    if area.width >= 76 {
        let half = Rect { width: area.width / 2, ..area };
        let other = Rect { x: area.x + half.width, width: area.width - half.width, ..area };
        let rows = left.len().max(right.len());
        left.resize(rows, Line::raw(""));
        read(buf, half, help.top, &left, layout);
        right.resize(rows, Line::raw(""));
        read(buf, other, help.top, &right, layout);
    } else {
        left.push(Line::raw(""));
        left.extend(right);
        read(buf, area, help.top, &left, layout);
    }
}

fn marks(appearance: &Appearance) -> Vec<Line<'static>> {
    let mut lines = vec![Line::raw("Marks of an animal:")];
    for (status, word) in [("available", "for sale"), ("pending", "promised"), ("sold", "handed over")] {
        let status = status.parse().ok().map(crate::model::ObservedStatus::Known);
        let (mark, role) = appearance.mark(status.as_ref());
        let word = format!(" {}  ({word})", status.as_ref().map_or("", |status| status.as_str()));
        lines.push(Line::from(vec![Span::raw("  "), Span::styled(mark, appearance.style(role)), Span::raw(word)]));
    }
    lines.push(Line::raw(format!("  {} not set   ? a status of its own", appearance.mark(None).0)));
    lines
}

/// Words for somebody who has never touched DNS.
fn domain_words() -> Vec<Line<'static>> {
    let words = [
        "Words:",
        " CNAME    record: name leads to a host",
        " source   name server that decides",
        " resolver remembers answers for a time",
        " TTL      that time, in seconds",
        " NXDOMAIN there is no such name",
        " CAA      who may issue certificates",
    ];
    words.map(Line::raw).to_vec()
}

fn heading(text: &'static str, appearance: &Appearance) -> Line<'static> {
    Line::styled(text, appearance.style(StyleRole::Heading))
}

fn lines_of(keys: Vec<(String, &'static str)>, appearance: &Appearance) -> impl Iterator<Item = Line<'static>> {
    let key = appearance.style(StyleRole::Key);
    keys.into_iter()
        .map(move |(keys, help)| Line::from(vec![Span::styled(format!(" {keys:<12} "), key), Span::raw(help)]))
}
