//! The box before the first change to a service that is protected, each time it is changed to, and before public
//! resolvers are asked.

use std::time::Instant;

use ratatui::text::Span;

use super::stack::Popup;
use super::state::{ConfirmBox, PendingChange};
use crate::clock::Now;
use crate::model::NewPet;
use crate::model::text::{cut, short};
use crate::model::words::counted;
use crate::tui::command::{Command, command};
use crate::tui::context::Context;
use crate::tui::custom_actions;
use crate::tui::effect::Effect;
use crate::tui::pending::Slot;
use crate::tui::screens::add_pet::{self, import, rapid};
use crate::tui::screens::{domains, pets};
use crate::tui::state::{AppState, Layout};
use crate::tui::theme::StyleRole;
use crate::tui::widgets::page::Page;

/// Only one key means yes.
pub static BOX: &[Command] = &[
    command("confirm", "y", "yes", "yes", |app, now| take(app).map_or_else(Vec::new, |change| yes(app, change, now))),
    command("back", "n Enter Esc F3", "no (or Enter, Esc)", "no", |app, now| match take(app) {
        None | Some(PendingChange::StopImport) => Vec::new(),
        Some(PendingChange::PublicResolvers) => domains::popups::resolvers::choose(app, false, now),
        Some(PendingChange::StopWaiting) => app.note("Still waiting for the answer."),
        Some(PendingChange::Run(_)) => app.note("It was not run."),
        Some(_) => app.note("Nothing was added. What you typed is kept."),
    }),
];

fn take(app: &mut AppState) -> Option<PendingChange> {
    app.popups.take().map(|ConfirmBox { change, .. }| change)
}

fn yes(state: &mut AppState, change: PendingChange, now: Now) -> Vec<Effect> {
    state.allowed |= !matches!(
        change,
        PendingChange::Run(_) | PendingChange::StopWaiting | PendingChange::StopImport | PendingChange::PublicResolvers
    );
    match change {
        PendingChange::PublicResolvers => domains::popups::resolvers::choose(state, true, now),
        PendingChange::Run(run) => custom_actions::begin(state, *run, now),
        PendingChange::Add(new) => add_pet::update::send(state, new, now),
        PendingChange::Samples(count) => pets::update::send_samples(state, count, now),
        PendingChange::Rapid(_) => rapid::update::switch(state, now),
        PendingChange::Import(_) => import::update::begin(state, now),
        PendingChange::StopWaiting => add_pet::update::stop_waiting(state, now),
        PendingChange::StopImport => import::update::stop(state),
    }
}

impl Popup for ConfirmBox {
    fn context(&self) -> Context {
        Context::Confirm
    }

    fn deaf_until(&self) -> Option<Instant> {
        Some(self.deaf_until)
    }

    fn draw(&self, state: &AppState, now: Now, page: &mut Page<'_>, _: &mut Layout) {
        if self.change == PendingChange::PublicResolvers {
            page.popup(62, 15, "Public resolvers");
            domains::popups::resolvers::draw(state, page);
            return answers(page, "Ask them", "n  Do not ask them (Enter, Esc)");
        }
        let label = cut(&page.appearance.text(&state.link.label), 20);
        let last = "A pet that was added cannot be changed or deleted.";
        let (title, yes, note) = match &self.change {
            PendingChange::StopWaiting => {
                let note = "It may or may not have been added. Your text is kept, and you choose what to do next.";
                ("No answer yet".to_owned(), "Stop", note)
            }
            PendingChange::StopImport => {
                let note = "Rows that were added stay. F2 sends the rest, also after the next start.";
                ("Import".to_owned(), "Stop", note)
            }
            PendingChange::Run(run) if run.action.writes => {
                (format!("Run {}", run.action.name), "Run it", "It changes the service.")
            }
            PendingChange::Run(run) => (format!("Run {}", run.action.name), "Run it", ""),
            PendingChange::Samples(_) if !state.link.protect => ("Add samples".to_owned(), "Add them", last),
            PendingChange::PublicResolvers
            | PendingChange::Add(_)
            | PendingChange::Samples(_)
            | PendingChange::Rapid(_)
            | PendingChange::Import(_) => (format!("{label} is protected"), "Add it", last),
        };
        page.popup(62, 15, &title);
        let room = page.columns().saturating_sub(4);
        let address = state.link.address.as_ref().map_or_else(|| state.link.service.clone(), ToString::to_string);
        let (what, parts) = match &self.change {
            PendingChange::Add(NewPet { name, category_id, status }) => {
                let status = status.map_or("not set (the service decides)".to_owned(), |status| status.to_string());
                let category = state.pets.categories.label(*category_id);
                let parts = vec![("Name", name.clone()), ("Category", category), ("Status", status)];
                ("Add this pet to".to_owned(), parts)
            }
            PendingChange::Run(run) => (
                format!("Run {} for {} of", run.action.name, run.subject()),
                vec![("Command", run.action.command.get_ref().join(" "))],
            ),
            PendingChange::Samples(count) => (format!("Add {count} samples to"), Vec::new()),
            PendingChange::StopWaiting => {
                let name = state.add.sent.as_ref().map_or_else(String::new, |sent| short(&sent.new.name));
                let seconds = state.pending.since(Slot::Create).map_or(0, |since| now.seconds_since(since));
                (format!("{name} was sent {seconds} s ago. Stop waiting for the answer of"), Vec::new())
            }
            PendingChange::StopImport => {
                let left = state.add.import.running().map_or(0, import::Running::left);
                (format!("{} left. Stop sending to", counted(left, "row")), Vec::new())
            }
            PendingChange::PublicResolvers => (String::new(), Vec::new()),
            PendingChange::Rapid(0) => ("Start rapid entry: each line is added immediately to".to_owned(), Vec::new()),
            PendingChange::Import(count) => (format!("Import {count} pets into"), Vec::new()),
            PendingChange::Rapid(count) => (format!("Start rapid entry and send {count} waiting lines to"), Vec::new()),
        };
        page.margin = 2;
        page.gap();
        page.paragraph(2, &format!("{what} {address}?"));
        page.gap();
        for (label, value) in parts {
            let text = format!("   {label:<10} {}", page.appearance.text(&value));
            page.line(format!("  {}", cut(&text, room)));
        }
        page.gap();
        page.paragraph(2, note);
        page.gap();
        answers(page, yes, "n  Not now (Enter, Esc)");
    }
}

/// The keys for the answers, in the last line.
fn answers(page: &mut Page<'_>, yes: &str, no: &'static str) {
    page.back_to_last();
    page.point(20);
    page.line(vec![
        page.appearance.span("     y", StyleRole::Key),
        Span::raw(format!("  {yes:<12}")),
        page.appearance.span(no, StyleRole::Selected),
    ]);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::state::DEAF;
    use crate::model::Pet;
    use crate::tui::context::Context;
    use crate::tui::msg::{Msg, Size};
    use crate::tui::pending::Slot;
    use crate::tui::screens::add_pet::fields;
    use crate::tui::screens::add_pet::update::CreatePet;
    use crate::tui::testing::loss::whole_at_every_size;
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
    fn the_first_change_names_the_service_and_the_pet() {
        let mut app = asked();
        for text in [
            "production is protected",
            "Add this pet to  https://api.example.com/v1?",
            "Name       Biscuit",
            "Category   3",
            "Status     pending",
            "A pet that was added cannot be changed or deleted.",
            "y  Add it      n  Not now (Enter, Esc)",
        ] {
            assert!(app.says(text), "{text}:\n{}", app.screen());
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
            assert_eq!(
                (app.state.add.form[&fields::NAME].value(), app.state.add.form[&fields::CATEGORY].value()),
                ("Biscuit", "3")
            );
            app.keys("F2");
            assert_eq!(app.state.context(), Context::Confirm);
        }
    }

    #[test]
    fn one_yes_is_enough_as_long_as_the_service_is_in_use() {
        let mut app = asked();
        app.wait(DEAF).keys("y");
        let pet = Pet { id: 7, name: "Biscuit".into(), category_id: 3, status: None };
        app.answer::<CreatePet>(Ok(pet));
        app.effects.clear();
        app.keys("\"Rex\" F2");
        assert!(app.job(Slot::Create).is_some() && !app.state.popups.is_open());
    }

    #[test]
    fn looks() {
        let make = |columns, rows| {
            let mut app = asked();
            app.send(Msg::Resize(Size { columns, rows }));
            app
        };
        whole_at_every_size("confirm", make);
        for (columns, rows) in [(80, 24), (120, 40)] {
            let mut app = make(columns, rows);
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
