//! The steps that can be simulated in practice.

use super::super::{Location, VALUE, redirects, removal, scheduler};
use crate::domains::{DnsName, Practice, PracticeStep, Who};
use crate::model::cut;
use crate::model::words::capitalized;
use crate::tui::command::closes;
use crate::tui::{App, Command, Now, Page, Place, Popup, command, moved, moves};

/// Why a session over SSH does not show them.
pub const NO_DOMAINS: &str = "A session over SSH has no custom domains.";

pub const PRACTICE: Command = command("outside", "o Ctrl-O", "", "sandbox: act outside", open)
    .everywhere()
    .not_over_ssh(NO_DOMAINS)
    .when(|app| app.domains.setup.practice.is_some());

/// The same where letters are typed.
pub const PRACTICE_TYPED: Command = PRACTICE.at("Ctrl-O", "", "sandbox: act outside");

/// What can be done outside.
#[derive(Debug)]
struct PracticeBox {
    /// The acts, as they were when the box was opened.
    acts: Vec<PracticeStep>,
    /// What is waited for, if only time helps.
    waits: Option<String>,
    /// The marked one; none where all of them remove something.
    choice: Option<usize>,
}

static BOX: &[Command] = &[
    moves("up k|down j|||||Home|End", "choose", "choose", |app, movement, _| {
        if let Some(outside) = app.popups.get_mut::<PracticeBox>() {
            let acts = outside.acts.len();
            outside.choice = Some(outside.choice.map_or(0, |choice| moved(choice, movement, acts, acts)));
        }
    }),
    command("confirm", "Enter", "do it", "do it outside", |app, now| {
        let Some(outside) = app.popups.take::<PracticeBox>() else { return };
        if let Some(act) = outside.choice.and_then(|choice| outside.acts.get(choice)) {
            simulate(app, *act, now);
        }
    }),
    closes("Esc q F3", "close", "close"),
];

pub static PLACE: Place = Place::new("sandbox-box", "Sandbox", &[BOX]).in_box();

fn open(app: &mut App, now: Now) {
    let panel = &app.domains;
    let Some(practice) = &panel.setup.practice else { return app.tell("Only in the demo: petstore --demo") };
    let (mut acts, waits) = (practice.acts(panel.wall(now)), practice.waits_for(panel.wall(now)));
    // On the page of a domain, its steps come first.
    let is_page = !matches!(panel.place, Location::List | Location::Redirects);
    match panel.selected.as_ref().map(DnsName::as_str).filter(|_| is_page) {
        Some(Practice::DOMAIN) if waits.is_none() => acts.sort_by_key(|act| *act == PracticeStep::CorrectRedirect),
        Some(Practice::REDIRECTED) => acts.sort_by_key(|act| *act != PracticeStep::CorrectRedirect),
        _ => {}
    }
    let removes = matches!(acts.first(), Some(PracticeStep::Remove | PracticeStep::DeleteCname));
    let choice = (!removes || panel.place == Location::Removal).then_some(0);
    app.popups.show(PracticeBox { acts, waits, choice });
}

/// Simulates the step and checks again.
fn simulate(app: &mut App, act: PracticeStep, now: Now) {
    let wall = app.domains.wall(now);
    if let Some(practice) = &mut app.domains.setup.practice {
        practice.act(act, wall);
        let configuration = practice.configuration();
        app.domains.configure(configuration);
    }
    let then = if matches!(act, PracticeStep::Verify | PracticeStep::Reverify) { ". Now press V." } else { "." };
    app.tell(format!("Sandbox: {}{then}", act.words()));
    let form = &mut app.domains.wizard.form;
    if act == PracticeStep::AddDomain && app.domains.place == Location::Wizard && form.value(&VALUE).is_empty() {
        form.set(&VALUE, Practice::PLATFORM_HOST);
        form[&VALUE].select();
    }
    match app.domains.place {
        Location::Redirects => redirects::follow(app, now),
        Location::Removal => removal::check(app, now),
        Location::List => scheduler::ask_all(&mut app.domains, now),
        Location::Wizard => {}
        Location::Record | Location::Live | Location::Rules(_) => {
            if let Some(name) = app.domains.selected.clone() {
                scheduler::ask_anew(&mut app.domains, &name);
            }
        }
    }
    scheduler::work(app, now);
}

impl Popup for PracticeBox {
    fn place(&self) -> &'static Place {
        &PLACE
    }

    fn draw(&self, _: &App, page: &mut Page<'_>) {
        let is_narrow = page.columns() < 70;
        let rows = u16::try_from(self.acts.len()).unwrap_or(0) + if is_narrow { 9 } else { 6 };
        page.popup(80, rows, "Sandbox: simulate a step outside petstore");
        page.gap();
        page.line(match &self.waits {
            Some(waits) => format!(" {}.", capitalized(waits)),
            None => " Most useful first. Enter simulates the step.".to_owned(),
        });
        page.gap();
        for (at, act) in self.acts.iter().enumerate() {
            let here = Some(at) == self.choice;
            if here {
                page.point(1);
            }
            let at = if act.place() == Who::Dashboard { "dashboard" } else { "provider" };
            page.item(&cut(&format!("{at:<10}{}", act.words()), page.room(3)), here);
        }
        if let Some(act) = self.choice.and_then(|choice| self.acts.get(choice)).filter(|_| is_narrow) {
            // The marked step in full, as its row may be cut.
            page.gap();
            page.wrapped(1, &act.words(), 2);
        }
    }
}
