//! The charts of status and category, whose bars filter: Enter on one shows only its pets.

use super::super::state::tab_of;
use super::super::update::show_tab;
use super::super::view::count_word;
use super::super::view::detail::{draw_bar, draw_status_bar, most_of_category};
use crate::clock::Now;
use crate::model::PetStatus;
use crate::model::text::cut;
use crate::tui::effect::Effect;
use crate::tui::keymap::PickAction;
use crate::tui::popups::{ChartBar, ChartsBox, Popup};
use crate::tui::state::{AppState, MessageKind};
use crate::tui::text_input::TextInput;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::{moved, shown};
use crate::tui::widgets::page::{Page, marker};

impl ChartsBox {
    /// The bars of what is shown.
    pub fn new(state: &AppState) -> Self {
        let categories = state.pets.rows().categories().iter();
        let tabs: Vec<_> = [None].into_iter().chain(PetStatus::ALL.map(Some)).collect();
        let cursor = tabs.iter().position(|tab| *tab == state.pets.filter()).unwrap_or(0);
        let bars = tabs.into_iter().map(ChartBar::Tab);
        let bars = bars.chain(categories.map(|(category, count)| ChartBar::Category(*category, *count)));
        Self { bars: bars.collect(), cursor }
    }
}

pub fn on_action(state: &mut AppState, action: PickAction, now: Now) -> Vec<Effect> {
    let Some(Popup::Charts(charts)) = &mut state.popup else { return Vec::new() };
    match action {
        PickAction::Move(movement) => charts.cursor = moved(charts.cursor, movement, charts.bars.len(), 10),
        PickAction::Confirm => {
            let bar = charts.bars.get(charts.cursor).copied();
            state.popup = None;
            match bar {
                Some(ChartBar::Tab(filter)) => return show_tab(state, tab_of(filter), now),
                Some(ChartBar::Category(category, _)) => only_category(state, category),
                None => {}
            }
        }
        PickAction::Back => state.popup = None,
    }
    Vec::new()
}

/// Adds a category to the search.
fn only_category(state: &mut AppState, category: i64) {
    let others = state.pets.search.value().split_whitespace().filter(|word| !word.starts_with("cat:"));
    let words: Vec<String> = others.map(str::to_owned).chain([format!("cat:{category}")]).collect();
    state.pets.search = TextInput::new(words.join(" "));
    state.pets.arrange();
    state.pets.move_to(0);
    state.say(
        MessageKind::Note,
        format!("Only category {}. Esc shows all again.", state.pets.categories.label(category)),
    );
}

pub fn draw(charts: &ChartsBox, state: &AppState, page: &mut Page<'_>) {
    let rows = u16::try_from(charts.bars.len() + 5).unwrap_or(u16::MAX);
    page.popup(70, page.area.height.saturating_sub(2).min(rows), "Status and category");
    let rows = usize::from(page.area.height.saturating_sub(1));
    for (chosen, bar) in shown(charts.bars.iter(), charts.cursor, rows) {
        let before = format!("{} ", marker(chosen));
        match bar {
            ChartBar::Tab(None) => {
                let label = format!("{before}  {:<18}", "all");
                draw_bar(&label, (0, 0), &count_word(state.pets.total()), StyleRole::Text, page);
            }
            ChartBar::Tab(Some(status)) => draw_status_bar(state, *status, &before, 18, page),
            ChartBar::Category(category, count) => {
                let words = format!("category {}", state.pets.categories.label(*category));
                let label = format!("{before}  {:<18}", cut(&page.appearance.text(&words), 18));
                let value = (*count, most_of_category(state));
                draw_bar(&label, value, &count.to_string(), StyleRole::Text, page);
            }
        }
        page.click_row(chosen);
        if chosen {
            page.point(1);
            page.restyle(1, 22, page.appearance.style(StyleRole::Selected));
        }
        page.gap();
    }
    page.down_to(1);
    page.quiet(" + means at least. Categories: rows of this tab only.");
}
