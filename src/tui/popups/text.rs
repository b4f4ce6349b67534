//! A text to read, to copy or to write.

use ratatui::text::Line;

use super::clipboard::copy;
use super::scroll;
use super::state::{Contents, Popup, TextBox, TextKind, WriteBox};
use crate::clock::Now;
use crate::tui::effect::Effect;
use crate::tui::keymap::TextAction;
use crate::tui::state::{AppState, Layout};
use crate::tui::widgets::page::Page;
use crate::tui::widgets::wrap_indented;

pub fn on_action(state: &mut AppState, action: TextAction, now: Now) -> Vec<Effect> {
    let Some(Popup::Text(text)) = &mut state.popup else { return Vec::new() };
    match action {
        TextAction::Move(movement) => scroll::to(&mut text.top, movement, &state.layout),
        TextAction::Copy => {
            let (text, what) = (text.text.clone(), text.file.clone());
            return copy(state, text, &what, now);
        }
        TextAction::WriteFile => {
            let write = WriteBox::new(text.file.clone(), Contents::Text(text.text.clone()));
            state.popup = Some(Popup::Write(write));
        }
        TextAction::Back => state.popup = None,
    }
    Vec::new()
}

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
