//! How many rows? A number to type, or a preset to pick.

use super::state::{LIMIT_PRESETS, LimitBox, Popup, next_preset};
use crate::clock::Now;
use crate::model::text::cut;
use crate::tui::effect::Effect;
use crate::tui::keymap::PickAction;
use crate::tui::screens::pets;
use crate::tui::state::AppState;
use crate::tui::text_input::TextInput;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::page::Page;

pub fn on_action(state: &mut AppState, action: PickAction, now: Now) -> Vec<Effect> {
    let Some(Popup::Limit(limit_box)) = &mut state.popup else { return Vec::new() };
    match action {
        PickAction::Move(movement) => {
            let here = limit_box.limit().map_or(20, |limit| i64::from(limit.get()));
            if let Some(preset) = next_preset(here, movement.is_down()) {
                *limit_box = LimitBox { input: TextInput::new(preset.to_string()), untouched: true };
            }
        }
        PickAction::Confirm => {
            if let Some(limit) = limit_box.limit() {
                state.popup = None;
                return pets::update::set_limit(state, limit, now);
            }
        }
        PickAction::Back => state.popup = None,
    }
    Vec::new()
}

pub(super) fn draw(limit_box: &LimitBox, state: &AppState, page: &mut Page<'_>) {
    page.popup(38, 14, "How many rows?");
    let chosen = limit_box.limit().map(|limit| i64::from(limit.get()));
    page.gap();
    for preset in LIMIT_PRESETS {
        let note = match preset {
            20 => "  (default)",
            100 => "  (maximum)",
            _ => "",
        };
        page.item(&format!("{preset:>3}{note}"), chosen == Some(preset));
    }
    page.gap();
    page.at(0, "   or type 1 to 100:", StyleRole::Text);
    page.input(22, 6, &limit_box.input, true);
    page.next_row();
    page.gap();
    if chosen.is_none() {
        let typed = cut(&page.appearance.text(limit_box.input.value()), 8);
        page.banner(&format!("\"{typed}\" is not a number from 1 to 100."), 2);
    } else if state.link.has_pages {
        page.wrapped(3, "Down on the last row loads more.", 2);
    } else {
        page.wrapped(3, "For more, try the status tabs: up to 100 each.", 2);
    }
}

#[cfg(test)]
mod tests {
    use crate::tui::popups::Popup;
    use crate::tui::testing::App;

    #[test]
    fn a_blank_is_no_number_of_rows() {
        let mut app = App::loaded(80, 24);
        app.keys("L Space");
        assert!(matches!(&app.state.popup, Some(Popup::Limit(limit)) if limit.input.value() == "20"));
    }
}
