//! Keys and replies in the domains panel.

use std::sync::Arc;

use crate::clock::Now;
use crate::domains::DnsName;
use crate::domains::registry::{Registry, RegistryChange};
use crate::domains::report::sentence;
use crate::domains::stage::Stage as Step;
use crate::domains::troubleshooting::Rule;
use crate::tui::command::{self, Command, Movement, Place, change, command, moves};
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job, blocking};
use crate::tui::pending::Slot;
use crate::tui::state::{AppState, MessageKind, Screen};
use crate::tui::text_input::Typing;
use crate::tui::widgets::list::moved;

use super::detail::{self, is_listed};
use super::popups::outside::OUTSIDE;
use super::state::{ConfirmTwice, DomainSummary, PanelLocation, State};
use super::{popups, redirects, removal, scheduler, wizard};

/// Lines of the list that a page is.
const PAGE: usize = 10;

/// The answer to a key for a domain if the list is empty.
const NO_DOMAIN: &str = "No domains yet. a adds one.";

/// Shows the panel. The list is read each time because another program may have changed it.
pub fn show(app: &mut AppState, now: Now) -> Vec<Effect> {
    app.screen = Screen::Domains;
    app.pets.searching = false;
    read(app, now)
}

/// Reads the list.
fn read(app: &mut AppState, now: Now) -> Vec<Effect> {
    app.domains.blocked = false;
    // A write also returns the list.
    if app.pending.is_running(Slot::Registry) || !app.domains.changes.is_empty() {
        return scheduler::work(app, now);
    }
    vec![app.begin(KeepRegistry(Vec::new()), now)]
}

static LIST: &[Command] = &[
    command("open", "Enter", "open", "open, continue", open),
    change("add", "a", "add", "add a domain", |app, _| wizard::open(&mut app.domains))
        .shell(|_| Some("domains add NAME".to_owned())),
    command("redirects", "R", "redirects", "primary and redirects", redirects::open).shell(redirects::line),
    command("removal", "U", "removal", "remove step by step", |app, now| match settle_selection(app, now) {
        Some(_) => removal::open(app, now),
        None => app.note(NO_DOMAIN),
    })
    .shell(|app| line(app, "remove")),
    command("refresh", "r F5", "check now", "check all now", check_all).shell(|_| Some("domains check".to_owned())),
    change("live", "A", "watch", "watch, on and off", watch).shell(|app| line(app, "watch")),
    command("resolvers", "p", "", "public resolvers", popups::resolvers::change),
    OUTSIDE,
    change("delete", "Del", "", "drop a draft", drop_draft).confirms(),
    moves(command::LIST, "", "move|first, last", go),
];

pub static LIST_PLACE: Place = Place::new("domains", "Domains", &[LIST]).around(around);

impl State {
    /// Where a key goes.
    pub fn key_place(&self) -> &'static Place {
        match self.place {
            PanelLocation::List => &LIST_PLACE,
            PanelLocation::Wizard => {
                let (text, button) = (&wizard::TEXT_PLACE, &wizard::BUTTON_PLACE);
                self.wizard.form.place([text, text, text, button])
            }
            PanelLocation::Record => &detail::RECORD_PLACE,
            PanelLocation::Live => &detail::DOMAIN_PLACE,
            PanelLocation::Rules(Rule::Browser) => &detail::BROWSER_PLACE,
            PanelLocation::Rules(_) => &detail::RULES_PLACE,
            PanelLocation::Redirects => &redirects::PLACE,
            PanelLocation::Removal => {
                let (name, steps) = (&removal::NAME_PLACE, &removal::STEPS_PLACE);
                self.removal.place([name, name, steps, steps])
            }
        }
    }
}

/// The command that does the same to the domain that is selected.
pub(super) fn line(app: &AppState, verb: &str) -> Option<String> {
    Some(format!("domains {verb} {}", app.domains.selected.as_ref()?))
}

/// Runs a command of the panel once its list is read, and does what has become due.
pub(in crate::tui) fn around(app: &mut AppState, command: &Command, now: Now) -> Vec<Effect> {
    // A message stays until the next key.
    app.message = None;
    let reads = command.place == &LIST_PLACE && command.name == "refresh" && app.domains.list_error.is_some();
    if app.domains.list.is_none() && !reads {
        if app.domains.list_error.is_some() {
            return app.fail("The list could not be read. r tries again.");
        }
        return app.note("The list of domains is being read.");
    }
    if command.name != "outside" && !(command.works)(app) && !is_listed(app) {
        return app.note("Not on your list: F2 in its form adds it.");
    }
    if !command.confirms {
        app.domains.confirming = None;
    }
    let mut effects = command.run(app, now);
    effects.extend(scheduler::work(app, now));
    effects
}

/// To the pets.
pub fn leave(app: &mut AppState, now: Now) -> Vec<Effect> {
    app.message = None;
    app.screen = Screen::Pets;
    app.domains.confirming = None;
    scheduler::work(app, now)
}

/// What is typed goes into the field that has the cursor.
pub fn on_typing(app: &mut AppState, typing: Typing<'_>) -> bool {
    match typing {
        // Typing corrects what was wrong.
        Typing::Text(_) => app.message = None,
        Typing::Edit(_) => app.domains.confirming = None,
    }
    app.domains.input().is_some_and(|input| input.take(typing))
}

fn check_all(app: &mut AppState, now: Now) -> Vec<Effect> {
    scheduler::ask_all(&mut app.domains, now);
    if !app.domains.rows(now).is_empty() {
        app.say_done("Checking all domains. Ctrl-C cancels.", now.mono);
    }
    let mut effects = read(app, now);
    effects.extend(redirects::walk(app, now));
    effects
}

fn watch(app: &mut AppState, now: Now) {
    app.domains.watching = !app.domains.watching;
    let on = "Watching: pending domains are checked automatically. You are notified when one needs action.";
    let off = "Not watching. r checks now.";
    app.tell(if app.domains.watching { on } else { off });
    scheduler::due(&mut app.domains, now);
}

/// Takes a draft off the list, on the second press.
fn drop_draft(app: &mut AppState, now: Now) {
    let Some(name) = settle_selection(app, now) else {
        return app.tell(NO_DOMAIN);
    };
    let panel = &mut app.domains;
    let reported = panel.reported(&name);
    if reported.saved.is_some() || reported.verified.is_some() {
        return app.tell("Del only removes drafts. U takes a domain out of service step by step.");
    }
    if panel.confirming.take() != Some(ConfirmTwice::Forgotten) {
        panel.confirming = Some(ConfirmTwice::Forgotten);
        return app.tell(format!("Press Del again to drop the draft {name}."));
    }
    panel.forget(&name);
    app.say(MessageKind::Done, format!("Draft {name} removed from the list."));
}

/// Moves the cursor in the list.
pub fn go(app: &mut AppState, movement: Movement, now: Now) {
    let rows = app.domains.rows(now);
    let Some(here) = cursor(&app.domains, &rows) else { return };
    app.domains.selected = Some(rows[moved(here, movement, rows.len(), PAGE)].name.clone());
}

/// The row that has the cursor: the selected domain, or the first.
pub fn cursor(state: &State, rows: &[DomainSummary]) -> Option<usize> {
    let selected = state.selected.as_ref();
    selected.and_then(|name| rows.iter().position(|row| row.name == *name)).or((!rows.is_empty()).then_some(0))
}

/// The domain under the cursor becomes the one that is shown.
fn settle_selection(app: &mut AppState, now: Now) -> Option<DnsName> {
    let rows = app.domains.rows(now);
    app.domains.selected = cursor(&app.domains, &rows).map(|at| rows[at].name.clone());
    app.domains.selected.clone()
}

/// Opens the selected domain at its next step.
fn open(app: &mut AppState, now: Now) -> Vec<Effect> {
    let selected = settle_selection(app, now);
    let panel = &mut app.domains;
    let Some(name) = selected else {
        wizard::open(panel);
        return Vec::new();
    };
    match panel.status(&name, now).state {
        Step::Draft => {
            wizard::resume(panel, &name);
            panel.enter(PanelLocation::Wizard);
        }
        Step::WaitingForDns if panel.reported(&name).saved.is_none() => {
            wizard::resume(panel, &name);
            panel.enter(PanelLocation::Record);
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
            panel.enter(PanelLocation::Live);
            scheduler::ask_if_old(panel, &name, now);
        }
    }
    Vec::new()
}

/// Applies these changes to the list on disk, and reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct KeepRegistry(pub Vec<RegistryChange>);

impl Job for KeepRegistry {
    /// The list as it is on disk now.
    type Answer = Registry;
    type Error = String;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Registry;

    async fn run(self: Arc<Self>, env: Env) -> Result<Registry, String> {
        blocking(move || env.machine.domains_context.apply(&self.0)).await
    }

    fn done(&self, app: &mut AppState, kept: Result<Registry, String>, now: Now) -> Vec<Effect> {
        let panel = &mut app.domains;
        match kept {
            Ok(mut list) => {
                panel.changes.drain(..std::mem::take(&mut panel.writing));
                // Measurements of other programs count, and those made here since.
                for change in &panel.changes {
                    change.apply(&mut list);
                }
                panel.list = Some(list);
                panel.list_error = None;
                scheduler::begin(panel, now);
            }
            Err(why) => {
                // Nothing is lost: the next change, or r in the list, tries again.
                panel.writing = 0;
                panel.blocked = true;
                panel.list_error = Some(sentence(&why));
                // The list itself shows it.
                if app.screen != Screen::Domains || app.domains.place != PanelLocation::List {
                    app.complain(format!("{} Press r in the list to try again.", sentence(&why)));
                }
                return Vec::new();
            }
        }
        scheduler::work(app, now)
    }
}
