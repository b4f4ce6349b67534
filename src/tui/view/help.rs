//! How the help looks: the whole screen but the bottom line.

use ratatui::text::{Line, Span};

use super::boxes::read;
use crate::model::text::width;
use crate::tui::keymap::{Context, Keymap};
use crate::tui::popups::{HelpBox, HelpLine, place_name};
use crate::tui::state::{AppState, Layout};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::page::Page;

/// Keys of the place at the left, those that work everywhere at the right; or what was searched for.
pub fn draw(help: &HelpBox, state: &AppState, page: &mut Page<'_>, layout: &mut Layout) {
    let (title, prompt) = (format!(" Help: {}", place_name(help.place)), "type to search all keys: ");
    page.at(0, &title, StyleRole::Heading);
    let room = page.columns().saturating_sub(width(&title) + width(prompt) + 6).min(20);
    let cells = |columns: usize| u16::try_from(columns).unwrap_or(0);
    let x = page.area.width.saturating_sub(cells(width(prompt) + room + 3));
    page.at(x, prompt, StyleRole::Text);
    page.input(x + cells(width(prompt)), cells(room), &help.search, true);
    page.gap();
    page.line(format!(" {}", page.appearance.rule(page.columns().saturating_sub(2))));
    page.go_to(page.rest());
    page.area.x += 1;
    page.area.width -= 1;
    match help.found(&state.keymap) {
        Some(found) => draw_found(&found, help, page, layout),
        None => draw_place(help, &state.keymap, page, layout),
    }
}

fn draw_found(found: &[HelpLine], help: &HelpBox, page: &mut Page<'_>, layout: &mut Layout) {
    let appearance = page.appearance;
    let mut lines = vec![heading("WHERE                KEYS           WHAT THEY DO", appearance)];
    lines.extend(found.iter().map(|line| {
        Line::from(vec![
            Span::raw(format!(" {:<19} ", line.place)),
            appearance.span(format!("{:<14} ", line.keys), StyleRole::Key),
            Span::raw(line.help),
        ])
    }));
    if found.is_empty() {
        lines = vec![Line::raw(" No key does that. Esc clears what was typed; F9 lists all commands.")];
    }
    read(help.top, lines, page, layout);
}

fn draw_place(help: &HelpBox, keymap: &Keymap, page: &mut Page<'_>, layout: &mut Layout) {
    let appearance = page.appearance;
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
    if page.columns() >= 76 {
        let rows = left.len().max(right.len());
        for (area, mut lines) in page.halves().into_iter().zip([left, right]) {
            lines.resize(rows, Line::raw(""));
            page.go_to(area);
            read(help.top, lines, page, layout);
        }
    } else {
        left.push(Line::raw(""));
        left.extend(right);
        read(help.top, left, page, layout);
    }
}

fn marks(appearance: &Appearance) -> Vec<Line<'static>> {
    let mut lines = vec![Line::raw("Marks of an animal:")];
    for (status, word) in [("available", "for sale"), ("pending", "promised"), ("sold", "handed over")] {
        let status = status.parse().ok().map(crate::model::ObservedStatus::Known);
        let word = format!(" {}  ({word})", status.as_ref().map_or("", |status| status.as_str()));
        lines.push(Line::from(vec![Span::raw("  "), appearance.status(status.as_ref()), Span::raw(word)]));
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
    appearance.span(text, StyleRole::Heading).into()
}

fn lines_of(keys: Vec<(String, &'static str)>, appearance: &Appearance) -> impl Iterator<Item = Line<'static>> {
    let key = |keys| appearance.span(format!(" {keys:<12} "), StyleRole::Key);
    keys.into_iter().map(move |(keys, help)| Line::from(vec![key(keys), Span::raw(help)]))
}
