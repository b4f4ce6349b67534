//! Questions that are answered by y or n, each made where it is asked: before the first change to a protected service, and
//! before what cannot be undone.

use std::time::{Duration, Instant};

use ratatui::text::Span;

use crate::model::cut;
use crate::tui::{App, Command, Now, Page, Place, Popup, StyleRole, command};

/// How long keys are ignored after a box opened on its own.
pub const DEAF: Duration = Duration::from_millis(250);

/// What follows from an answer.
pub type Answer = Box<dyn FnOnce(&mut App, Now) + Send>;

/// What is asked, as it is painted.
pub type Body = Box<dyn Fn(&App, &mut Page<'_>) + Send>;

/// A question: what is asked, and what follows from y and n.
#[derive(derive_more::Debug)]
#[debug("Question({title})")]
pub struct Question {
    pub title: String,
    pub body: Body,
    /// What y does, in words.
    pub yes_word: &'static str,
    pub yes: Answer,
    /// What n does, in words.
    pub no_word: &'static str,
    pub no: Answer,
    /// Keys pressed before this moment are ignored.
    pub deaf_until: Option<Instant>,
}

impl Question {
    pub fn new(
        title: impl Into<String>,
        body: impl Fn(&App, &mut Page<'_>) + Send + 'static,
        yes_word: &'static str,
        yes: impl FnOnce(&mut App, Now) + Send + 'static,
        no: impl FnOnce(&mut App, Now) + Send + 'static,
    ) -> Self {
        let (body, yes, no) = (Box::new(body), Box::new(yes), Box::new(no));
        let no_word = "n  Not now (Enter, Esc)";
        Self { title: title.into(), body, yes_word, yes, no_word, no, deaf_until: None }
    }

    /// Before the first change to a protected service: `what` is done to it, with these details.
    pub fn change(
        app: &App,
        what: String,
        details: Vec<(&'static str, String)>,
        yes: impl FnOnce(&mut App, Now) + Send + 'static,
    ) -> Self {
        let last = "A pet that was added cannot be deleted.";
        Self::new(
            format!("{} is protected", cut(&app.link.label, 20)),
            move |app, page| ask_of_service(app, page, &what, &details, last),
            "Add it",
            |app, now| {
                app.allowed = true;
                yes(app, now)
            },
            |app, _| app.tell("Nothing was added. What you typed is kept."),
        )
    }
}

/// Paints the question whether to do `what` to the service in use, with details and a note.
pub fn ask_of_service(app: &App, page: &mut Page<'_>, what: &str, details: &[(&str, String)], note: &str) {
    let room = page.columns().saturating_sub(4);
    let address = app.link.address.as_ref().map_or_else(|| app.link.service.clone(), ToString::to_string);
    page.paragraph(2, &format!("{what} {address}?"));
    page.gap();
    for (label, value) in details {
        let text = format!("   {label:<10} {}", page.appearance.text(value));
        page.line(format!("  {}", cut(&text, room)));
    }
    page.gap();
    page.paragraph(2, note);
}

impl App {
    /// Asks before the first change to a protected service, or says that it is read-only; `false` where the change may be
    /// made.
    pub fn asks_first(
        &mut self,
        what: String,
        details: Vec<(&'static str, String)>,
        yes: impl FnOnce(&mut Self, Now) + Send + 'static,
        now: Now,
    ) -> bool {
        if self.may_change() {
            return false;
        }
        if !self.refuses_changes() {
            self.ask(Question::change(self, what, details, yes), now);
        }
        true
    }

    /// Asks it.
    pub fn ask(&mut self, question: Question, now: Now) {
        self.popups.show(Question { deaf_until: Some(now.mono + DEAF), ..question });
    }

    /// Takes back the question of this title, if it is open.
    pub fn unask(&mut self, title: &str) {
        self.popups.take_if(|asked: &Question| asked.title == title);
    }
}

/// Only one key means yes.
static BOX: &[Command] = &[
    command("confirm", "y", "yes", "yes", |app, now| answer(app, |asked| asked.yes, now)),
    command("back", "n Enter Esc F3", "no (or Enter, Esc)", "no", |app, now| answer(app, |asked| asked.no, now)),
];

fn answer(app: &mut App, which: fn(Question) -> Answer, now: Now) {
    if let Some(asked) = app.popups.take() {
        which(asked)(app, now);
    }
}

pub static PLACE: Place = Place::new("confirm", "Protected service", &[BOX]).in_box();

impl Popup for Question {
    fn place(&self) -> &'static Place {
        &PLACE
    }

    fn deaf_until(&self) -> Option<Instant> {
        self.deaf_until
    }

    fn draw(&self, app: &App, page: &mut Page<'_>) {
        page.popup(62, 15, &page.appearance.text(&self.title));
        page.margin = 2;
        page.gap();
        (self.body)(app, page);
        page.gap();
        page.y = page.y.min(page.area.height.saturating_sub(1));
        page.point(20);
        page.line(vec![
            page.appearance.span("     y", StyleRole::Key),
            Span::raw(format!("  {:<12}", self.yes_word)),
            page.appearance.span(self.no_word, StyleRole::Selected),
        ]);
    }
}

#[cfg(test)]
mod tests {
    use crate::tui::testing::prelude::*;

    use super::DEAF;
    use crate::tui::pending::Slot;
    use crate::tui::screens::add_pet;

    fn protected() -> TestApp {
        let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(3));
        app.state.link.protect = true;
        app
    }

    fn asked() -> TestApp {
        let app = protected().after("a \"Biscuit\" Tab \"3\" Tab Down F2");
        assert_eq!((app.state.place().name, app.job(Slot::Queue)), ("confirm", None));
        app
    }

    #[test]
    fn keys_under_way_and_pastes_are_no_answer() {
        let mut app = asked().after("y Enter Esc");
        app.send(Msg::Paste("y".into())).wait(Duration::from_millis(249)).keys("y");
        assert_eq!((app.state.place().name, app.job(Slot::Queue)), ("confirm", None));
        app.wait(Duration::from_millis(1)).send(Msg::Paste("y".into())).keys("x 1 Space");
        assert_eq!((app.state.place().name, app.job(Slot::Queue)), ("confirm", None));
    }

    #[test]
    fn no_loses_nothing_and_asks_again() {
        for no in ["n", "Enter", "Esc", "F3"] {
            let mut app = asked().later(DEAF).after(no);
            assert_eq!((app.state.place().name, app.job(Slot::Queue)), ("form-choice", None), "{no}");
            assert_eq!(
                (app.state.add.form[&add_pet::NAME].value(), app.state.add.form[&add_pet::CATEGORY].value()),
                ("Biscuit", "3")
            );
            app.keys("F2");
            assert_eq!(app.state.place().name, "confirm");
        }
    }

    #[test]
    fn one_yes_is_enough_as_long_as_the_service_is_in_use() {
        let mut app = asked().later(DEAF).after("y");
        let pet = Pet { id: 7, name: "Biscuit".into(), category_id: 3, status: None };
        app.added(pet);
        app.effects.clear();
        app.keys("\"Rex\" F2");
        assert!(app.job(Slot::Queue).is_some() && !app.state.popups.is_open());
    }

    #[test]
    fn the_first_change_names_the_service_and_the_pet() {
        let make = |columns, rows| {
            let mut app = asked();
            app.send(Msg::Resize(Size { columns, rows }));
            app
        };
        let mut looks = Looks::default();
        looks.state("confirm", make);
        insta::assert_snapshot!(looks);
    }

    #[test]
    fn samples_are_a_change_too() {
        let mut app = TestApp::loaded_from(remote(), 80, 24, &[]);
        app.state.link.protect = true;
        app.keys("S").shows("Add 25 samples to  https://api.example.com/v1?");
        assert_eq!(app.job(Slot::Samples), None);
        app.wait(DEAF).keys("y");
        assert!(app.job(Slot::Samples).is_some());
    }
}
