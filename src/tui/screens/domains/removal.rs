//! Taking a domain out of service, in an order that loses no visitor and leaves no record behind.

use jiff::Timestamp;

use crate::app::domain_progress::{self, leads_on};
use crate::clock::Now;
use crate::domains::DnsName;
use crate::domains::parse_name;
use crate::domains::reported::Event;
use crate::domains::stage::{Measurement, Stage as Step};
use crate::tui::command::{Command, Place, change, command};
use crate::tui::effect::Effect;
use crate::tui::forms::{NEXT, PREVIOUS};
use crate::tui::state::{AppState, MessageKind};
use crate::tui::widgets::form::{Field, Form, Kind};

use super::detail::BACK;
use super::popups::outside::{OUTSIDE, OUTSIDE_TYPED};
use super::redirects;
use super::scheduler;
use super::state::{ConfirmTwice, PanelLocation, State};
use super::update::{around, line};

/// Visitors are few enough, in the operator's judgement.
pub static VISITORS: Field = Field::new("visitors", "", Kind::Tick(""));
/// Remove was chosen in the dashboard.
pub static DASHBOARD: Field = Field::new("dashboard", "", Kind::Tick(""));
/// The name, typed to take the domain off the list.
pub static NAME: Field = Field::new("name", "", Kind::Text).columns(40);

/// When the redirect from `name` last worked: removing the domain also removes its redirect.
pub fn worked(state: &State, name: &DnsName) -> Option<Timestamp> {
    let last = state.entry(name)?.measurements.last();
    let gone = state.reported(name).removed || last.is_some_and(|last| last.unknown_there) || is_gone(state, name);
    state.worked.get(name).copied().filter(|_| gone && state.redirect_from(name).is_some())
}

/// Whether a record still points to the platform after the removal; `None` if unknown.
pub fn is_left_behind(state: &State, name: &DnsName, now: Now) -> Option<bool> {
    domain_progress::is_left_behind(state.entry(name)?, state.status(name, now).state)
}

/// Whether the last check saw that no record points to the platform, whatever was recorded.
pub fn is_gone(state: &State, name: &DnsName) -> bool {
    let last = state.entry(name).and_then(domain_progress::last_known);
    last.and_then(Measurement::leads_to_platform) == Some(false)
}

/// Opens the page for the domain that has the cursor.
pub fn open(app: &mut AppState, now: Now) -> Vec<Effect> {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return Vec::new() };
    panel.removal = Form::new(&[&VISITORS, &DASHBOARD, &NAME]);
    panel.removal.go_to(match is_left_behind(panel, &name, now) {
        Some(false) => &NAME,
        _ if panel.status(&name, now).state == Step::Removed => &DASHBOARD,
        _ => &VISITORS,
    });
    panel.enter(PanelLocation::Removal);
    check(app, now)
}

/// Checks the redirect before the removal, and the record after it.
pub fn check(app: &mut AppState, now: Now) -> Vec<Effect> {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return Vec::new() };
    scheduler::ask_anew(panel, &name);
    if panel.reported(&name).removed { Vec::new() } else { redirects::walk(app, now) }
}

static AT_STEPS: &[Command] = &[
    change("toggle", "Space", "tick", "tick, done", tick).confirms(),
    NEXT.at("Tab Enter down", "next", "next line").called(""),
    PREVIOUS.at("S-Tab up", "", "previous line"),
    CHECK.at("r F5", "check again", "check again"),
    command("redirects", "R", "redirects", "the redirects", redirects::open),
    OUTSIDE,
    BACK,
];

pub static STEPS_PLACE: Place = Place::new("removal", "Removal", &[AT_STEPS]).around(around);

/// The field for the name at their end.
static AT_NAME: &[Command] = &[
    change("confirm", "Enter F2", "remove", "remove from list", forget).confirms(),
    PREVIOUS.at("S-Tab up", "back", "previous step"),
    CHECK,
    OUTSIDE_TYPED,
    BACK.at("Esc F3", "back", "back"),
];

pub static NAME_PLACE: Place = Place::new("removal-name", "Removal", &[AT_NAME]).text().around(around);

const CHECK: Command = command("refresh", "F5", "check again", "check again", check).shell(|app| line(app, "check"));

fn tick(app: &mut AppState, now: Now) {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return };
    let reported = panel.reported(&name);
    let confirmed = panel.confirming.take();
    if panel.removal.is_at(&VISITORS) {
        let event = if reported.removal_planned { Event::RemovalDropped } else { Event::RemovalPlanned };
        if !reported.removed {
            panel.record(&name, event, now);
        }
    } else if reported.removed {
        panel.record(&name, Event::RemovalDropped, now);
        scheduler::ask_anew(panel, &name);
        app.tell("Recorded as not removed.");
    } else {
        let works = panel.followed(&name).is_some_and(|followed| leads_on(&followed.findings));
        // The removal ends it, which the next check may see before the other.
        let works = works || panel.worked.contains_key(&name);
        let open = (!works).then_some("Step 1 is open: no working redirect was found.");
        let open = open.or((!reported.removal_planned).then_some("Step 2 is not ticked: are visitors few enough?"));
        match open {
            Some(open) if confirmed != Some(ConfirmTwice::Removed) => {
                panel.confirming = Some(ConfirmTwice::Removed);
                app.complain(format!("{open} If you removed it anyway, press Space again."));
            }
            Some(_) | None => {
                panel.record(&name, Event::Removed, now);
                scheduler::ask_anew(panel, &name);
                app.tell("Recorded as removed. Now delete the record at your DNS provider; r checks.");
            }
        }
    }
}

/// Takes the domain off the list if its name was typed and no record is left behind; if that is unknown, on the second press.
fn forget(app: &mut AppState, now: Now) {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return };
    let confirmed = panel.confirming.take();
    let typed = panel.removal.value(&NAME);
    if parse_name::domain(typed).map_or_else(|_| DnsName::new(typed), |domain| domain.name) != name {
        return app.complain(format!("To take it off the list, type the full name: {name}"));
    }
    let doubt = match is_left_behind(panel, &name, now) {
        Some(true) => {
            let text = "The record still points to the platform. Delete it before taking the domain off the list.";
            return app.complain(text);
        }
        Some(false) => None,
        None if panel.status(&name, now).state == Step::Removed => {
            Some("Not checked since the removal: F5 checks. If the record is gone, press Enter again.")
        }
        None if is_gone(panel, &name) => {
            Some("Step 3 is not ticked, but the record is gone. Press Enter again to take it off the list.")
        }
        None => Some("Not removed yet: see steps 1 to 4. Press Enter again to take it off the list anyway."),
    };
    if let Some(doubt) = doubt.filter(|_| confirmed != Some(ConfirmTwice::Forgotten)) {
        panel.confirming = Some(ConfirmTwice::Forgotten);
        return app.complain(doubt);
    }
    panel.forget(&name);
    panel.back();
    let rest = if panel.redirect_from(&name).is_some() { " Its redirect is still in your configuration." } else { "" };
    app.say(MessageKind::Done, format!("{name} is off the list.{rest}"));
}
