//! A text to read, to copy or to write.

use ratatui::text::Line;

use super::clipboard::copy;
use super::scroll;
use super::state::{Contents, Popup, TextBox, TextKind, WriteBox};
use super::write::NO_FILES;
use crate::tui::command::{Command, change, closes, command};
use crate::tui::state::Layout;
use crate::tui::widgets::page::Page;
use crate::tui::widgets::wrap_indented;

pub static BOX: &[Command] = &[
    scroll::SCROLL,
    command("copy", "y", "copy", "copy it", |app, now| match &app.popup {
        Some(Popup::Text(TextBox { text, file, .. })) => copy(app, text.clone(), &file.clone(), now),
        _ => Vec::new(),
    }),
    change("write-file", "w", "write to file", "write it to a file", |app, _| {
        if let Some(Popup::Text(TextBox { text, file, .. })) = &app.popup {
            app.popup = Some(Popup::Write(WriteBox::new(file.clone(), Contents::Text(text.clone()))));
        }
    })
    .not_over_ssh(NO_FILES),
    closes("Esc Enter q F3", "close", "close"),
];

pub(super) fn draw(text: &TextBox, page: &mut Page<'_>, layout: &mut Layout) {
    let title = match text.kind {
        TextKind::Evidence => "Evidence: questions and answers",
        TextKind::Report => "Support report",
        TextKind::Exchange => "Request and answer (key hidden)",
        TextKind::Output => "Output",
        TextKind::Rows => "Rows of the file",
    };
    page.popup(116, page.area.height, title);
    page.inset(1);
    let lines = text.text.lines().flat_map(|line| wrap_indented(&page.appearance.text(line), page.columns()));
    let lines: Vec<Line<'_>> = lines.map(Line::raw).collect();
    scroll::draw(text.top, lines, page, layout);
}
