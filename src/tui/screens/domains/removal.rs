//! Taking a domain out of service, in the order in which no visitor is lost and no record is left behind.

mod form;

use jiff::Timestamp;

use crate::app::domain_progress::{self, leads_on};
use crate::clock::Now;
use crate::domains::DnsName;
use crate::domains::check::FollowedRedirect;
use crate::domains::parse_name;
use crate::domains::reported::Event;
use crate::domains::stage::Stage as Step;
use crate::tui::effect::Effect;
use crate::tui::keymap::RemovalAction;
use crate::tui::state::{AppState, MessageKind};
use crate::tui::text_input::TextInput;
use crate::tui::widgets::form::neighbour;

use super::redirects;
use super::scheduler;
use super::state::{ConfirmTwice, PanelLocation, State};

pub use form::{Focus, Removal};

/// When the redirect from `name` was last seen to work: once the domain is removed, its redirect is gone, too.
pub fn worked(state: &State, name: &DnsName) -> Option<Timestamp> {
    let last = state.entry(name)?.measurements.last();
    let gone = state.reported(name).removed || last.is_some_and(|last| last.unknown_there);
    state.worked.get(name).copied().filter(|_| gone && state.redirects.line_of(name).is_some())
}

/// What was seen of the redirect from `name`.
pub(super) fn followed<'a>(state: &'a State, name: &DnsName) -> Option<&'a FollowedRedirect> {
    state.redirects.walked_at(state.redirects.line_of(name)?)
}

/// Whether a record still leads to the platform, as far as was seen since the domain was removed; `None` where that is
/// not known.
pub fn is_left_behind(state: &State, name: &DnsName, now: Now) -> Option<bool> {
    domain_progress::is_left_behind(state.entry(name)?, state.standing(name, now).state)
}

/// Opens the page for the domain that has the cursor.
pub fn open(app: &mut AppState, now: Now) -> Vec<Effect> {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return Vec::new() };
    let focus = match is_left_behind(panel, &name, now) {
        Some(false) => Focus::Name,
        _ if panel.standing(&name, now).state == Step::Removed => Focus::Dashboard,
        _ => Focus::Visitors,
    };
    panel.removal = Removal { focus, typed: TextInput::default() };
    panel.place = PanelLocation::Removal;
    look(app, now)
}

/// Looks at what is measured here: the redirect before the removal, the record after it.
pub fn look(app: &mut AppState, now: Now) -> Vec<Effect> {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return Vec::new() };
    scheduler::ask_anew(panel, &name);
    if panel.reported(&name).removed { Vec::new() } else { redirects::keys::walk(app, now) }
}

/// A key on the page.
pub fn on_action(app: &mut AppState, action: RemovalAction, now: Now) -> Vec<Effect> {
    let removal = &mut app.domains.removal;
    match action {
        RemovalAction::NextField => removal.focus = neighbour(&Focus::ORDER, removal.focus, true),
        RemovalAction::PreviousField => removal.focus = neighbour(&Focus::ORDER, removal.focus, false),
        RemovalAction::Toggle => tick(app, now),
        RemovalAction::Confirm => forget(app, now),
        RemovalAction::Refresh => return look(app, now),
        RemovalAction::Redirects => return redirects::keys::open(app, now),
        RemovalAction::Back => app.domains.place = PanelLocation::List,
    }
    Vec::new()
}

fn tick(app: &mut AppState, now: Now) {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return };
    let reported = panel.reported(&name);
    let doubted = panel.doubted.take();
    match panel.removal.focus {
        Focus::Visitors if reported.removed => {}
        Focus::Visitors if reported.removal_planned => panel.tell(&name, Event::RemovalDropped, now),
        Focus::Visitors => panel.tell(&name, Event::RemovalPlanned, now),
        Focus::Dashboard if reported.removed => {
            panel.tell(&name, Event::RemovalDropped, now);
            scheduler::ask_anew(panel, &name);
            app.say(MessageKind::Note, "Noted: it is not removed.");
        }
        Focus::Dashboard => {
            let works = followed(panel, &name).is_some_and(|followed| leads_on(&followed.findings));
            let open = (!works && worked(panel, &name).is_none()).then_some("1: no redirect was seen to work");
            let open = open.or((!reported.removal_planned).then_some("2: whether visitors are few enough"));
            match open {
                Some(open) if doubted != Some(ConfirmTwice::Removed) => {
                    panel.doubted = Some(ConfirmTwice::Removed);
                    app.say(MessageKind::Error, format!("Step {open}. Space again, if it is removed all the same."));
                }
                Some(_) | None => {
                    panel.tell(&name, Event::Removed, now);
                    scheduler::ask_anew(panel, &name);
                    app.say(MessageKind::Note, "Noted: removed. Now delete the record at your DNS provider; r looks.");
                }
            }
        }
        Focus::Name => {}
    }
}

/// Takes the domain off the list, if its name was typed and nothing is left behind. What nobody saw is asked for twice.
fn forget(app: &mut AppState, now: Now) {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return };
    let doubted = panel.doubted.take();
    let typed = panel.removal.typed.value();
    if parse_name::domain(typed).map_or_else(|_| DnsName::new(typed), |domain| domain.name) != name {
        return app.say(MessageKind::Error, format!("Type the whole name, {name}, to take it off the list."));
    }
    let doubt = match is_left_behind(panel, &name, now) {
        Some(true) => {
            let text = "The record still leads to the platform: it stays here until that is gone.";
            return app.say(MessageKind::Error, text);
        }
        Some(false) => None,
        None if panel.standing(&name, now).state == Step::Removed => {
            Some("Nobody has seen the record gone since the removal (F5 looks). Enter again, if it is.")
        }
        None => Some("It was not removed: steps 1 to 4. Enter again, to take it off this list all the same."),
    };
    if let Some(doubt) = doubt.filter(|_| doubted != Some(ConfirmTwice::Forgotten)) {
        panel.doubted = Some(ConfirmTwice::Forgotten);
        return app.say(MessageKind::Error, doubt);
    }
    panel.forget(&name);
    panel.place = PanelLocation::List;
    let rest =
        if panel.redirects.line_of(&name).is_some() { " Its redirect is still in your configuration: R." } else { "" };
    app.say(MessageKind::Done, format!("{name} is off the list.{rest}"));
}
