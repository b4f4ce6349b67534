//! Taking a domain out of service, step by step. What was done is seen, not asked.

use super::{BACK, ConfirmTwice, Location, PRACTICE, PRACTICE_TYPED, around, line, redirects, scheduler};
use crate::app::domain_guide::{self, Step};
use crate::domains::{DnsName, DomainRole, Event, Stage, parse_name};
use crate::model::words::capitalized;
use crate::tui::widgets::form::Kind;
use crate::tui::{App, Command, Field, Form, MessageKind, NEXT, Now, PREVIOUS, Page, Place, Slot, command};

/// The removal begins, or is called off.
pub static BEGIN: Field = Field::new("begin", "", Kind::Button);
/// The name, typed to take the domain off the list.
pub static NAME: Field = Field::new("name", "", Kind::Text).columns(40);

/// The least rows for everything.
const ROOMY: u16 = 20;

/// The steps, with what was seen of each.
fn steps(app: &App, name: &DnsName, now: Now) -> Option<[Step; 4]> {
    let panel = &app.domains;
    let (entry, stage) = (panel.entry(name)?, panel.stage(name, now));
    let why_not = if app.runs(Slot::Redirects) { "checking ..." } else { "not checked yet (r)" };
    let redirect = panel.redirect_from(name).map(|_| panel.followed(name).ok_or(why_not));
    let (worked, record) = (panel.worked.contains(name), panel.dns_record());
    Some(domain_guide::removal(entry, stage, redirect, worked, record.as_ref()))
}

/// Opens the page for the domain that has the cursor.
pub fn open(app: &mut App, now: Now) {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return };
    panel.removal = Form::new(&[&BEGIN, &NAME]);
    if panel.entry(&name).is_some_and(domain_guide::is_gone) {
        panel.removal.go_to(&NAME);
    }
    panel.enter(Location::Removal);
    check(app, now);
}

/// Checks the redirect before the removal, and the record after it.
pub fn check(app: &mut App, now: Now) {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return };
    scheduler::ask_anew(panel, &name);
    if !panel.reported(&name).removed {
        redirects::follow(app, now);
    }
}

static AT_STEPS: &[Command] = &[
    command("toggle", "Space Enter", "begin, call off", "begin, or call it off", toggle),
    NEXT.at("Tab down", "next", "next line").called(""),
    PREVIOUS.at("S-Tab up", "", "previous line"),
    CHECK.at("r F5", "check again", "check again"),
    command("redirects", "R", "redirects", "the redirects", redirects::open),
    PRACTICE,
    BACK,
];

pub static STEPS_PLACE: Place = Place::new("removal", "Removal", &[AT_STEPS]).around(around);

/// The field for the name at their end.
static AT_NAME: &[Command] = &[
    command("confirm", "Enter F2", "remove", "remove from list", forget).confirms(),
    PREVIOUS.at("S-Tab up", "back", "previous step"),
    CHECK,
    PRACTICE_TYPED,
    BACK.at("Esc F3", "back", "back"),
];

pub static NAME_PLACE: Place = Place::new("removal-name", "Removal", &[AT_NAME]).text().around(around);

const CHECK: Command = command("refresh", "F5", "check again", "check again", check).shell(|app| line(app, "check"));

fn toggle(app: &mut App, now: Now) {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return };
    let begun = panel.reported(&name).is_being_removed();
    panel.record(&name, if begun { Event::RemovalDropped } else { Event::RemovalPlanned }, now);
    scheduler::ask_anew(panel, &name);
    app.tell(match begun {
        true => "Called off: it stays in service.",
        false => "Begun. petstore sees each step as you do it; r checks now.",
    });
}

/// Takes the domain off the list if its name was typed and no record is left behind; if that is unknown, on the second press.
fn forget(app: &mut App, now: Now) {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return };
    let confirmed = panel.confirming.take();
    let typed = panel.removal.value(&NAME);
    if parse_name::domain(typed).map_or_else(|_| DnsName::new(typed), |domain| domain.name) != name {
        return app.complain(format!("To take it off the list, type the full name: {name}"));
    }
    let Some(entry) = panel.entry(&name) else { return };
    let stage = panel.stage(&name, now);
    let doubt = match domain_guide::is_left_behind(entry, stage) {
        Some(true) => {
            return app
                .complain("The record still points to the platform. Delete it before taking the domain off the list.");
        }
        // What was seen before this page was opened says nothing of now: opening it has asked.
        left if left == Some(false) || domain_guide::is_gone(entry) => {
            let is_asked = panel.is_checking(&name) || panel.queue.contains(&name);
            let is_known = !is_asked && entry.measurements.last().is_some_and(|last| last.known);
            (!is_known)
                .then_some("Not seen since this page was opened: F5 checks. If the record is gone, press Enter again.")
        }
        _ if stage == Stage::Removed => {
            Some("Not checked since the removal: F5 checks. If the record is gone, press Enter again.")
        }
        _ => Some("Not removed yet: see steps 1 to 4. Press Enter again to take it off the list anyway."),
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

/// Paints the page, scrolled so that the part in use is visible.
pub fn draw(app: &App, page: &mut Page<'_>) {
    let is_small = page.area.height < ROOMY;
    page.scrolled(0, |page| {
        page.tight = is_small;
        draw_whole(app, page);
    });
}

fn draw_whole(app: &App, page: &mut Page<'_>) {
    let panel = &app.domains;
    let Some(name) = &panel.selected else { return };
    let Some(steps) = steps(app, name, page.now) else { return };
    page.gap();
    page.heading(format!("   Remove {}", page.appearance.text(name.as_str())));
    page.gap();
    for (number, step) in (1..).zip(&steps) {
        let rows = if page.tight { 1 } else { 2 };
        page.labelled(&format!("   {number} {} ", step.mark()), &capitalized(&step.text), rows);
        match step.is_wrong {
            true => page.error(9, &step.seen, 2),
            false if step.seen.is_empty() || page.tight => {}
            false => page.wrapped(9, &step.seen, 2),
        }
    }
    page.gap();
    let leads = panel.setup.configuration.redirects.iter().filter(|redirect| redirect.to == name.as_str());
    let leads: Vec<&str> = leads.map(|redirect| redirect.from.as_str()).collect();
    let primary = (panel.roles.get(name) == DomainRole::Primary).then_some("it is the primary domain");
    let leads = (!leads.is_empty()).then(|| format!("redirects to it: {}", leads.join(", ")));
    let used: Vec<String> = primary.map(str::to_owned).into_iter().chain(leads).collect();
    if !used.is_empty() {
        page.labelled("   Still in your settings: ", &used.join("; "), 2);
        page.gap();
    }
    let has_begun = panel.reported(name).is_being_removed();
    let label = if has_begun { "[ Call it off ]" } else { "[ Begin: watch for these steps ]" };
    if panel.removal.is_at(&BEGIN) {
        page.point(5);
    }
    page.label(0, 3, label, panel.removal.is_at(&BEGIN));
    page.next_row();
    page.gap();
    page.text(match panel.removal.is_at(&NAME) {
        true => "   Type the name to take it off this list:",
        false => "   To take it off this list, Tab here and type the name:",
    });
    page.form_field(&panel.removal, &NAME, 4);
}
