//! How the boxes over the pets screen look.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::clock::Now;
use crate::model::text::{cut, width};
use crate::tui::screens::pets::popups::{ChangesBox, ChartBar, ChartsBox};
use crate::tui::state::AppState;
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::list::first_shown;
use crate::tui::widgets::{popup, put};

use super::detail::{draw_bar, most};

/// What has changed, the newest first.
pub fn draw_changes(
    buf: &mut Buffer,
    body: Rect,
    changes: ChangesBox,
    state: &AppState,
    appearance: &Appearance,
    now: Now,
) -> Position {
    let log = state.pets.changes.log();
    let title = format!("Changes: {} of {}", changes.cursor + 1, log.len());
    let inner = popup(buf, body, body.width.min(90), body.height.saturating_sub(2), &title, appearance);
    let top = first_shown(changes.cursor, inner.height.into());
    for (y, (at, change)) in (0..inner.height).zip(log.iter().enumerate().skip(top)) {
        let chosen = at == changes.cursor;
        let when = appearance.moment(change.at, now.wall);
        let (mark, role) = appearance.mark(change.to.status());
        let start = format!(" {} {when:<16} {:>8}  ", if chosen { ">" } else { " " }, change.id);
        let room = usize::from(inner.width).saturating_sub(width(&start) + 4);
        // What it is now stands at the end: the name gives way.
        let tail = width(&change.sentence(""));
        let name = cut(&appearance.text(&change.name), room.saturating_sub(tail));
        let text = appearance.text(&change.sentence(&name));
        let style = appearance.style(if chosen { StyleRole::Selected } else { StyleRole::Text });
        let spans = vec![
            Span::styled(start, style),
            Span::styled(mark, appearance.style(role)),
            Span::raw(" "),
            Span::styled(text, style),
        ];
        put(buf, inner, y, &Line::from(spans));
    }
    Position { x: inner.x + 1, y: inner.y + u16::try_from(changes.cursor.saturating_sub(top)).unwrap_or(0) }
}

/// The bars of status and category; Enter on one shows only its animals.
pub fn draw_charts(
    buf: &mut Buffer,
    body: Rect,
    charts: &ChartsBox,
    state: &AppState,
    appearance: &Appearance,
) -> Position {
    let rows = u16::try_from(charts.bars.len() + 5).unwrap_or(u16::MAX);
    let inner = popup(buf, body, 70, body.height.saturating_sub(2).min(rows), "Of these animals", appearance);
    let list = Rect { height: inner.height.saturating_sub(1), ..inner };
    let top = first_shown(charts.cursor, list.height.into());
    let of_status = most(state);
    let of_category = state.pets.rows().categories().first().map_or(0, |(_, count)| *count);
    for (y, (at, bar)) in (0..list.height).zip(charts.bars.iter().enumerate().skip(top)) {
        let chosen = if at == charts.cursor { ">" } else { " " };
        let (label, value, most, number, role) = match bar {
            ChartBar::Tab(None) => {
                let total = state.pets.total();
                let number = total.map_or_else(|| "-".to_owned(), |count| count.to_string());
                (format!("{chosen}   {:<18}", "all"), 0, 0, number, StyleRole::Text)
            }
            ChartBar::Tab(Some(status)) => {
                let (mark, role) = appearance.mark(Some(&(*status).into()));
                let count = state.pets.count(*status);
                let number = count.map_or_else(|| "-".to_owned(), |count| count.to_string());
                let label = format!("{chosen} {mark} {:<18}", status.as_str());
                (label, count.map_or(0, |count| count.seen), of_status, number, role)
            }
            ChartBar::Category(category, count) => {
                let label = format!("{chosen}   {:<18}", cut(&format!("category {category}"), 18));
                (label, *count, of_category, count.to_string(), StyleRole::Text)
            }
        };
        draw_bar(buf, list, y, &label, value, most, &number, appearance, role);
        if at == charts.cursor {
            let row = Rect { x: list.x + 1, y: list.y + y, width: 22.min(list.width.saturating_sub(1)), height: 1 };
            buf.set_style(row, appearance.style(StyleRole::Selected));
        }
    }
    let note = " + means: at least. Categories are counted in the rows of this tab.";
    put(buf, inner, inner.height.saturating_sub(1), &Line::styled(note, appearance.style(StyleRole::Quiet)));
    Position { x: list.x + 1, y: list.y + u16::try_from(charts.cursor.saturating_sub(top)).unwrap_or(0) }
}
