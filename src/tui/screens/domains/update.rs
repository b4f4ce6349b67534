//! What follows from a key or a reply in the domains panel.

use crate::clock::Now;
use crate::domains::registry::Registry;
use crate::domains::report::sentence;
use crate::domains::stage::Stage as Step;
use crate::domains::{DnsName, Finding};
use crate::tui::effect::Effect;
use crate::tui::keymap::{DomainAction, DomainListAction, DomainsAction, Movement, RemovalAction, RulesAction};
use crate::tui::pending::Slot;
use crate::tui::state::{AppState, MessageKind, Screen};
use crate::tui::text_input::Typing;
use crate::tui::widgets::list::moved;

use super::jobs::{DomainReply, DomainTask};
use super::state::{ConfirmTwice, PanelLocation, State};
use super::{detail, redirects, removal, scheduler, wizard};

/// Lines of the list that a page is.
const PAGE: usize = 10;

/// What is said of an act on a domain where there is none.
const NO_DOMAIN: &str = "There is no domain yet: a adds one.";

/// Shows the panel. Its list is read each time: another program may have changed it.
pub fn show(app: &mut AppState, now: Now) -> Vec<Effect> {
    app.screen = Screen::Domains;
    app.pets.searching = false;
    read(app, now)
}

/// Reads the list.
fn read(app: &mut AppState, now: Now) -> Vec<Effect> {
    app.domains.blocked = false;
    // A write that is under way, or due, brings the list back, too.
    if app.pending.is_running(Slot::Keep) || !app.domains.changes.is_empty() {
        return scheduler::work(app, now);
    }
    vec![app.begin(DomainTask::Keep(Vec::new()), now)]
}

/// A key on the panel: a page of it takes its own.
pub fn on_action(app: &mut AppState, action: DomainsAction, now: Now) -> Vec<Effect> {
    if app.domains.list.is_none() && action != DomainsAction::List(DomainListAction::Refresh) {
        if app.domains.list_error.is_some() {
            app.say(MessageKind::Error, "Nothing can be done before the list is read: r tries again.");
        }
        return Vec::new();
    }
    let may_confirm = matches!(
        action,
        DomainsAction::List(DomainListAction::Delete)
            | DomainsAction::Domain(DomainAction::Verified | DomainAction::Saved)
            | DomainsAction::Rules(RulesAction::Verified)
            | DomainsAction::Removal(RemovalAction::Toggle | RemovalAction::Confirm)
    );
    if !may_confirm {
        app.domains.doubted = None;
    }
    let (place, message) = (app.domains.place, app.message.clone());
    let mut effects = match action {
        DomainsAction::List(action) => in_list(app, action, now),
        DomainsAction::Wizard(action) => wizard::on_action(app, action, now),
        DomainsAction::Record(action) => detail::at_record(app, action, now),
        DomainsAction::Domain(action) => detail::at_domain(app, action, now),
        DomainsAction::Rules(action) => detail::in_rules(app, action, now),
        DomainsAction::Redirects(action) => redirects::keys::on_action(app, action, now),
        DomainsAction::RedirectForm(action) => redirects::keys::in_form(app, action, now),
        DomainsAction::Removal(action) => removal::on_action(app, action, now),
    };
    // What was said of one page is no news on the next.
    if app.domains.place != place && app.message == message {
        app.message = None;
    }
    effects.extend(scheduler::work(app, now));
    effects
}

/// To the pets.
pub fn leave(app: &mut AppState, now: Now) -> Vec<Effect> {
    app.screen = Screen::Pets;
    app.domains.doubted = None;
    scheduler::work(app, now)
}

/// What is typed goes into the field that has the cursor.
pub fn on_typing(app: &mut AppState, typing: Typing<'_>) {
    match typing {
        // Who types corrects what was wrong.
        Typing::Text(_) => app.message = None,
        Typing::Edit(_) => app.domains.doubted = None,
    }
    if app.domains.place == PanelLocation::Redirects {
        app.domains.redirects.on_typing(typing);
    } else if let Some(input) = app.domains.input() {
        input.take(typing);
    }
}

fn in_list(app: &mut AppState, action: DomainListAction, now: Now) -> Vec<Effect> {
    match action {
        DomainListAction::Move(movement) => go(app, movement, now),
        DomainListAction::Open => return open(app, now),
        DomainListAction::Add => wizard::open(&mut app.domains),
        DomainListAction::Redirects => return redirects::keys::open(app, now),
        DomainListAction::Removal => match settle_selection(app, now) {
            Some(_) => return removal::open(app, now),
            None => app.say(MessageKind::Note, NO_DOMAIN),
        },
        DomainListAction::Refresh => {
            scheduler::ask_all(&mut app.domains, now);
            if !app.domains.rows(now).is_empty() {
                app.say_done("Looking at all of them. Ctrl-C cancels.", now.mono);
            }
            let mut effects = read(app, now);
            effects.extend(redirects::keys::walk(app, now));
            return effects;
        }
        DomainListAction::Delete => drop_draft(app, now),
        DomainListAction::Live => {
            app.domains.watching = !app.domains.watching;
            let on = "Watching: what is pending is looked at by itself, and an act that is due makes itself heard.";
            let off = "Not watching: r looks.";
            app.say(MessageKind::Note, if app.domains.watching { on } else { off });
            scheduler::due(&mut app.domains, now);
        }
    }
    Vec::new()
}

/// Takes a draft off the list, on the second press.
fn drop_draft(app: &mut AppState, now: Now) {
    let Some(name) = settle_selection(app, now) else {
        return app.say(MessageKind::Note, NO_DOMAIN);
    };
    let panel = &mut app.domains;
    let reported = panel.reported(&name);
    if reported.saved.is_some() || reported.verified.is_some() {
        return app.say(MessageKind::Note, "Only a draft is dropped so. U takes a domain out of service, in order.");
    }
    if panel.doubted.take() != Some(ConfirmTwice::Forgotten) {
        panel.doubted = Some(ConfirmTwice::Forgotten);
        return app.say(MessageKind::Note, format!("Del again drops the draft {name}."));
    }
    panel.forget(&name);
    app.say(MessageKind::Done, format!("The draft {name} is off the list."));
}

/// Moves the cursor in the list.
pub fn go(app: &mut AppState, movement: Movement, now: Now) {
    let rows = app.domains.rows(now);
    let Some(here) = cursor(&app.domains, &rows) else { return };
    app.domains.selected = Some(rows[moved(here, movement, rows.len(), PAGE)].name.clone());
}

/// The row that has the cursor: the selected domain, or the first.
pub fn cursor(state: &State, rows: &[super::summary::DomainSummary]) -> Option<usize> {
    let selected = state.selected.as_ref();
    selected.and_then(|name| rows.iter().position(|row| row.name == *name)).or((!rows.is_empty()).then_some(0))
}

/// The domain under the cursor becomes the one that is shown.
fn settle_selection(app: &mut AppState, now: Now) -> Option<DnsName> {
    let rows = app.domains.rows(now);
    app.domains.selected = cursor(&app.domains, &rows).map(|at| rows[at].name.clone());
    app.domains.selected.clone()
}

/// Opens the domain under the cursor where its way goes on.
fn open(app: &mut AppState, now: Now) -> Vec<Effect> {
    let selected = settle_selection(app, now);
    let panel = &mut app.domains;
    let Some(name) = selected else {
        wizard::open(panel);
        return Vec::new();
    };
    match panel.standing(&name, now).state {
        Step::Draft => {
            wizard::resume(panel, &name);
            panel.place = PanelLocation::Wizard;
        }
        Step::WaitingForDns if panel.reported(&name).saved.is_none() => {
            wizard::resume(panel, &name);
            panel.place = PanelLocation::Record;
            scheduler::ask_if_old(panel, &name, now);
        }
        Step::RemovalPlanned | Step::Removed => return removal::open(app, now),
        Step::WaitingForDns
        | Step::Propagating
        | Step::ReadyToVerify
        | Step::CertificatePending
        | Step::CertificateLate
        | Step::Live
        | Step::Failing => {
            panel.place = PanelLocation::Live;
            scheduler::ask_if_old(panel, &name, now);
        }
    }
    Vec::new()
}

/// A job of the panel has ended, or is so far.
pub fn on_reply(app: &mut AppState, reply: DomainReply, now: Now) -> Vec<Effect> {
    match reply {
        DomainReply::RegistryWritten(result) => return on_kept(app, result, now),
        DomainReply::CheckProgress(lane, findings) => on_so_far(app, lane, findings),
        DomainReply::Checked(lane, Ok(seen)) => return scheduler::on_seen(app, lane, *seen, now),
        DomainReply::Checked(lane, Err(failure)) => {
            return on_not_seen(app, lane, &failure.sentence("the checker"), now);
        }
        DomainReply::RedirectsFollowed(Ok(walked)) => redirects::keys::on_walked(app, walked),
        DomainReply::RedirectsFollowed(Err(failure)) => app.say(MessageKind::Error, failure.sentence("this program")),
        DomainReply::Saved(result) => redirects::keys::on_saved(app, result, now),
    }
    Vec::new()
}

/// The list was read or written.
fn on_kept(app: &mut AppState, result: Result<Registry, String>, now: Now) -> Vec<Effect> {
    let panel = &mut app.domains;
    match result {
        Ok(mut list) => {
            panel.changes.drain(..std::mem::take(&mut panel.writing));
            // What another program measured counts, and what was measured here since.
            for change in &panel.changes {
                change.apply(&mut list);
            }
            panel.list = Some(list);
            panel.list_error = None;
            scheduler::begin(panel, now);
        }
        Err(why) => {
            // Nothing is lost: it is tried again with what is told next, or by r in the list.
            panel.writing = 0;
            panel.blocked = true;
            panel.list_error = Some(sentence(&why));
            // The list itself shows it.
            if app.screen != Screen::Domains || app.domains.place != PanelLocation::List {
                app.say(MessageKind::Error, format!("{} r in the list tries again.", sentence(&why)));
            }
            return Vec::new();
        }
    }
    scheduler::work(app, now)
}

/// A check has found something, and goes on.
fn on_so_far(app: &mut AppState, lane: usize, findings: Vec<Finding>) {
    let name = app.domains.lanes[lane].clone();
    if let Some(look) = name.and_then(|name| app.domains.looks.get_mut(&name)) {
        look.so_far = Some(findings);
    }
}

/// A check could not be made.
fn on_not_seen(app: &mut AppState, lane: usize, why: &str, now: Now) -> Vec<Effect> {
    if let Some(name) = scheduler::free(&mut app.domains, lane) {
        scheduler::wait(&mut app.domains, &name, now);
        app.say(MessageKind::Error, format!("{name} could not be looked at: {why} r tries again."));
    }
    scheduler::work(app, now)
}
