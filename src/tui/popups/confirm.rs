//! The box before the first change to a service that is protected, each time it is changed to.

use std::time::Instant;

use super::{Popup, key::DEAF};
use crate::clock::Now;
use crate::model::NewPet;
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::screens::add_pet::{import, rapid};
use crate::tui::screens::{add_pet, pets};
use crate::tui::state::{AppState, MessageKind};

/// Add it?
#[derive(Clone, Debug, PartialEq)]
pub struct ConfirmBox {
    /// What is to be done.
    pub change: PendingChange,
    /// Keys pressed before this moment were meant for what was there before the box.
    deaf_until: Instant,
}

/// A change that is asked about.
#[derive(Clone, Debug, PartialEq)]
pub enum PendingChange {
    /// This animal is added.
    Add(NewPet),
    /// So many samples are added.
    Samples(usize),
    /// Rapid entry begins; so many lines wait already.
    Rapid(usize),
    /// So many rows of a file are sent.
    Import(u64),
}

/// Opens the box where the service in use is protected and nothing was allowed there so far; `None` where the change may
/// be made.
pub fn ask(state: &mut AppState, change: PendingChange, now: Now) -> Option<Vec<Effect>> {
    if state.may_change() {
        return None;
    }
    state.popup = Some(Popup::Confirm(ConfirmBox { change, deaf_until: now.mono + DEAF }));
    Some(Vec::new())
}

/// A key in the box: only one of them means yes.
pub(super) fn on_key(state: &mut AppState, asked: ConfirmBox, action: Option<Action>, now: Now) -> Vec<Effect> {
    if now.mono < asked.deaf_until {
        return Vec::new();
    }
    match action {
        Some(Action::Confirm) => {
            state.popup = None;
            state.allowed = true;
            match asked.change {
                PendingChange::Add(new) => add_pet::update::send(state, new, now),
                PendingChange::Samples(_) => pets::update::add_samples(state, now),
                PendingChange::Rapid(_) => rapid::update::switch(state, now),
                PendingChange::Import(_) => import::update::begin(state, now),
            }
        }
        Some(Action::Back) => {
            state.popup = None;
            state.say(MessageKind::Note, "Nothing was added. What you typed is kept.");
            Vec::new()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::Pet;
    use crate::tui::keymap::Context;
    use crate::tui::msg::{Msg, Outcome, Size};
    use crate::tui::pending::Slot;
    use crate::tui::test_kit::{App, animals, remote};

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
        app.reply(Slot::Create, Outcome::Created(Ok(pet)));
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
