//! How the boxes over the pets screen look.

use ratatui::text::Span;

use crate::clock::Now;
use crate::model::text::{cut, width};
use crate::tui::screens::pets::popups::{ChangesBox, ChartBar, ChartsBox};
use crate::tui::state::AppState;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::first_shown;
use crate::tui::widgets::page::{Page, marker};

use super::count_word;
use super::detail::{draw_bar, draw_status_bar, most_of_category};

/// What has changed, the newest first.
pub fn draw_changes(changes: ChangesBox, state: &AppState, now: Now, page: &mut Page<'_>) {
    let log = state.pets.changes.log();
    let title = format!("Changes: {} of {}", changes.cursor + 1, log.len());
    page.popup(page.area.width.min(90), page.area.height.saturating_sub(2), &title);
    let appearance = page.appearance;
    let rows = usize::from(page.area.height);
    for (at, change) in log.iter().enumerate().skip(first_shown(changes.cursor, rows)).take(rows) {
        let chosen = at == changes.cursor;
        if chosen {
            page.point(1);
        }
        let when = appearance.moment(change.at, now.wall);
        let start = format!(" {} {when:<16} {:>8}  ", marker(chosen), change.id);
        let room = page.columns().saturating_sub(width(&start) + 4);
        // What it is now stands at the end: the name gives way.
        let tail = width(&change.sentence(""));
        let name = cut(&appearance.text(&change.name), room.saturating_sub(tail));
        let text = appearance.text(&change.sentence(&name));
        let role = StyleRole::Selected.when(chosen);
        page.line(vec![
            appearance.span(start, role),
            appearance.status(change.to.status()),
            Span::raw(" "),
            appearance.span(text, role),
        ]);
    }
}

/// The bars of status and category; Enter on one shows only its animals.
pub fn draw_charts(charts: &ChartsBox, state: &AppState, page: &mut Page<'_>) {
    let rows = u16::try_from(charts.bars.len() + 5).unwrap_or(u16::MAX);
    page.popup(70, page.area.height.saturating_sub(2).min(rows), "Of these animals");
    let rows = usize::from(page.area.height.saturating_sub(1));
    for (at, bar) in charts.bars.iter().enumerate().skip(first_shown(charts.cursor, rows)).take(rows) {
        let chosen = at == charts.cursor;
        let before = format!("{} ", marker(chosen));
        match bar {
            ChartBar::Tab(None) => {
                let label = format!("{before}  {:<18}", "all");
                draw_bar(&label, (0, 0), &count_word(state.pets.total()), StyleRole::Text, page);
            }
            ChartBar::Tab(Some(status)) => draw_status_bar(state, *status, &before, 18, page),
            ChartBar::Category(category, count) => {
                let label = format!("{before}  {:<18}", cut(&format!("category {category}"), 18));
                let value = (*count, most_of_category(state));
                draw_bar(&label, value, &count.to_string(), StyleRole::Text, page);
            }
        }
        if chosen {
            page.point(1);
            page.restyle(1, 22, page.appearance.style(StyleRole::Selected));
        }
        page.gap();
    }
    page.to_bottom(1);
    page.quiet(" + means: at least. Categories are counted in the rows of this tab.");
}
