//! Keys and replies in the domains panel.

use super::list::LIST_PLACE;
use super::live::is_listed;
use super::{Location, State, live, record, redirects, removal, rules, scheduler, wizard};
use crate::domains::{Registry, RegistryChange, Rule, sentence};
use crate::tui::{App, Command, Env, Job, Now, Place, Screen, Slot, Typing, blocking};
use std::sync::Arc;

/// Shows the panel. The list is read each time because another program may have changed it.
pub fn show(app: &mut App, now: Now) {
    app.screen = Screen::Domains;
    app.pets.searching = false;
    read(app, now);
}

/// Reads the list.
pub fn read(app: &mut App, now: Now) {
    app.domains.blocked = false;
    // A write also returns the list.
    if app.runs(Slot::Registry) || !app.domains.changes.is_empty() {
        return scheduler::work(app, now);
    }
    app.start(KeepRegistry(Vec::new()), now);
}

impl State {
    /// Where a key goes.
    pub fn key_place(&self) -> &'static Place {
        use Location::*;
        match self.place {
            List => &LIST_PLACE,
            Wizard => {
                let (text, button) = (&wizard::TEXT_PLACE, &wizard::BUTTON_PLACE);
                self.wizard.form.place([text, text, text, button])
            }
            Record => &record::RECORD_PLACE,
            Live => &live::DOMAIN_PLACE,
            Rules(Rule::Browser) => &rules::BROWSER_PLACE,
            Rules(_) => &rules::RULES_PLACE,
            Redirects => &redirects::PLACE,
            Removal => {
                let (name, steps) = (&removal::NAME_PLACE, &removal::STEPS_PLACE);
                self.removal.place([name, name, steps, steps])
            }
        }
    }
}

/// The command that does the same to the domain that is selected.
pub(super) fn line(app: &App, verb: &str) -> Option<String> {
    Some(format!("domains {verb} {}", app.domains.selected.as_ref()?))
}

/// Runs a command of the panel once its list is read, and does what has become due.
pub(in crate::tui) fn around(app: &mut App, command: &Command, now: Now) {
    // A message stays until the next key.
    app.message = None;
    let reads = command.place == &LIST_PLACE && command.name == "refresh" && app.domains.list_error.is_some();
    if app.domains.list.is_none() && !reads {
        if app.domains.list_error.is_some() {
            return app.complain("The list could not be read. r tries again.");
        }
        return app.tell("The list of domains is being read.");
    }
    if command.name != "outside" && !(command.works)(app) && !is_listed(app) {
        return app.tell("Not on your list: F2 in its form adds it.");
    }
    if !command.confirms {
        app.domains.confirming = None;
    }
    command.run(app, now);
    scheduler::work(app, now);
}

/// To the pets.
pub fn leave(app: &mut App, now: Now) {
    app.message = None;
    app.screen = Screen::Pets;
    app.domains.confirming = None;
    scheduler::work(app, now);
}

/// What is typed goes into the field that has the cursor.
pub fn on_typing(app: &mut App, typing: Typing<'_>) -> bool {
    match typing {
        // Typing corrects what was wrong.
        Typing::Text(_) => app.message = None,
        Typing::Edit(_) => app.domains.confirming = None,
    }
    app.domains.input().is_some_and(|input| input.take(typing))
}

/// Applies these changes to the list on disk, and reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct KeepRegistry(pub Vec<RegistryChange>);

impl Job for KeepRegistry {
    /// The list as it is on disk now.
    type Answer = Result<Registry, String>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Registry;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        blocking(move || env.machine.domains_context.apply(&self.0)).await
    }

    fn done(&self, app: &mut App, kept: Self::Answer, now: Now) {
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
                scheduler::work(app, now);
            }
            Err(why) => {
                // Nothing is lost: the next change, or r in the list, tries again.
                panel.writing = 0;
                panel.blocked = true;
                panel.list_error = Some(sentence(&why));
                // The list itself shows it.
                if app.screen != Screen::Domains || app.domains.place != Location::List {
                    app.complain(format!("{} Press r in the list to try again.", sentence(&why)));
                }
            }
        }
    }
}
