//! The box before the first change to a service that is protected, each time it is changed to.

use super::key::DEAF;
use super::state::{ConfirmBox, PendingChange, Popup};
use crate::clock::Now;
use crate::tui::effect::Effect;
use crate::tui::state::AppState;

/// Opens the box where the service in use is protected and nothing was allowed there so far; `None` where the change may
/// be made.
pub fn ask(state: &mut AppState, change: PendingChange, now: Now) -> Option<Vec<Effect>> {
    if state.may_change() {
        return None;
    }
    state.popup = Some(Popup::Confirm(ConfirmBox { change, deaf_until: now.mono + DEAF }));
    Some(Vec::new())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::Pet;
    use crate::tui::keymap::Context;
    use crate::tui::msg::{Msg, Size};
    use crate::tui::pending::Slot;
    use crate::tui::screens::add_pet::jobs::AddReply;
    use crate::tui::testing::{App, animals, remote};

    fn protected() -> App {
        let mut app = App::loaded_from(remote(), 80, 24, &animals(3));
        app.state.link.protect = true;
        app
    }

    fn asked() -> App {
        let mut app = protected();
        app.keys("a \"Biscuit\" Tab \"3\" Tab p F2");
        assert_eq!((app.state.context(), app.job(Slot::Create)), (Context::Confirm, None));
        app
    }

    #[test]
    fn the_first_change_names_the_service_and_the_animal() {
        let mut app = asked();
        for said in [
            "production is protected",
            "Add this pet to  https://api.example.com/v1?",
            "Name       Biscuit",
            "Category   3",
            "Status     pending",
            "The service shows no way to change or delete a pet",
            "y  Add it      n  Not now (Enter, Esc)",
        ] {
            assert!(app.says(said), "{said}:\n{}", app.screen());
        }
    }

    #[test]
    fn keys_under_way_and_pastes_are_no_answer() {
        let mut app = asked();
        app.keys("y Enter Esc");
        app.send(Msg::Paste("y".into()));
        app.wait(Duration::from_millis(249)).keys("y");
        assert_eq!((app.state.context(), app.job(Slot::Create)), (Context::Confirm, None));
        app.wait(Duration::from_millis(1));
        app.send(Msg::Paste("y".into()));
        app.keys("x 1 Space");
        assert_eq!((app.state.context(), app.job(Slot::Create)), (Context::Confirm, None));
    }

    #[test]
    fn no_loses_nothing_and_asks_again() {
        for no in ["n", "Enter", "Esc", "F3"] {
            let mut app = asked();
            app.wait(DEAF).keys(no);
            assert_eq!((app.state.context(), app.job(Slot::Create)), (Context::FormChoice, None), "{no}");
            assert_eq!((app.state.add.name.value(), app.state.add.category.value()), ("Biscuit", "3"));
            app.keys("F2");
            assert_eq!(app.state.context(), Context::Confirm);
        }
    }

    #[test]
    fn one_yes_is_enough_as_long_as_the_service_is_in_use() {
        let mut app = asked();
        app.wait(DEAF).keys("y");
        let pet = Pet { id: 7, name: "Biscuit".into(), category_id: 3, status: None };
        app.reply(Slot::Create, AddReply::Created(Ok(pet)));
        app.effects.clear();
        app.keys("\"Rex\" F2");
        assert!(app.job(Slot::Create).is_some() && app.state.popup.is_none());
    }

    #[test]
    fn looks() {
        for (columns, rows) in [(80, 24), (120, 40)] {
            let mut app = asked();
            app.send(Msg::Resize(Size { columns, rows }));
            insta::assert_snapshot!(format!("confirm_{columns}x{rows}"), app.snapshot());
        }
    }

    #[test]
    fn samples_are_a_change_too() {
        let mut app = App::loaded_from(remote(), 80, 24, &[]);
        app.state.link.protect = true;
        app.keys("S");
        assert!(app.says("Add 25 samples to  https://api.example.com/v1?"), "{}", app.screen());
        assert_eq!(app.job(Slot::Samples), None);
        app.wait(DEAF).keys("y");
        assert!(app.job(Slot::Samples).is_some());
    }
}
