//! What the domains panel knows. What the operator told and what was measured stay apart, as in the list on disk.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use jiff::Timestamp;

use crate::app::domain_progress::DomainRoles;
use crate::app::domain_service::{CheckResult, DomainSetup};
use crate::clock::Now;
use crate::domains::redirect_config::ConfigSource;
use crate::domains::registry::{Entry, Registry, RegistryChange};
use crate::domains::reported::{Dated, Event, Reported};
use crate::domains::stage::{Status, status};
use crate::domains::troubleshooting::Rule;
use crate::domains::{DnsName, Domain, Finding, parse_name};
use crate::tui::keymap::Context;
use crate::tui::pending::LANES;
use crate::tui::text_input::TextInput;

use super::redirects::RedirectEditor;
use super::removal::Removal;
use super::summary::{DomainSummary, StatusWords};
use super::wizard::Wizard;

/// The panel.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The project and its configuration.
    pub setup: DomainSetup,
    /// Where in the panel the operator is.
    pub place: PanelLocation,
    /// The list as it was last read, with what was told and measured since. `None` before it was read.
    pub list: Option<Registry>,
    /// Why the list cannot be read or kept.
    pub list_error: Option<String>,
    /// The domain that has the cursor, or is shown.
    pub selected: Option<DnsName>,
    /// What this session saw of each domain.
    pub looks: HashMap<DnsName, CheckView>,
    /// What is looked at now, a lane each.
    pub lanes: [Option<DnsName>; LANES],
    /// What is to be looked at next.
    pub queue: VecDeque<DnsName>,
    /// Looking goes on by itself while something is pending.
    pub watching: bool,
    /// The last write failed: the next act of the operator tries again.
    pub blocked: bool,
    /// What is not kept on disk yet.
    pub changes: Vec<RegistryChange>,
    /// Those of them that are being written.
    pub writing: usize,
    /// What the configuration says of each domain.
    pub roles: DomainRoles,
    /// Adding a domain.
    pub wizard: Wizard,
    /// Forms that were left with something in them that could not be kept.
    pub left: Vec<Wizard>,
    /// What the browser says, as typed on the page of rule 3.
    pub browser: TextInput,
    pub redirects: RedirectEditor,
    /// Removing a domain.
    pub removal: Removal,
    /// When a redirect from a domain was last seen to work.
    pub worked: HashMap<DnsName, Timestamp>,
    /// Something was said where it does not fit: the same key once more takes it.
    pub doubted: Option<ConfirmTwice>,
}

/// What is only taken when it is said twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmTwice {
    /// Verify was chosen, though it cannot succeed yet.
    Verified,
    /// The domain was removed, though the steps before it are open.
    Removed,
    /// The record was saved, though it was so before.
    Saved,
    /// The domain is to be forgotten, though nobody saw that nothing is left behind.
    Forgotten,
}

/// Where in the panel the operator is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PanelLocation {
    /// All domains.
    #[default]
    List,
    /// The steps before the record.
    Wizard,
    /// The record to enter.
    Record,
    /// One domain as it is now.
    Live,
    /// A troubleshooting rule, run live.
    Rules(Rule),
    /// The editor of the redirects.
    Redirects,
    /// Taking a domain out of service.
    Removal,
}

/// What this session saw of a domain.
#[derive(Clone, Debug, Default)]
pub struct CheckView {
    /// The last check.
    pub seen: Option<CheckResult>,
    /// What a check that goes on has found so far.
    pub so_far: Option<Vec<Finding>>,
    /// The operator asked for it, and waits.
    pub asked: bool,
    /// Something was told or done since the check that goes on began: it is made once more.
    pub again: bool,
    /// What the row said when it was last looked at, to tell what is new.
    pub said: Option<StatusWords>,
    /// It was live before the last check, which saw it bad.
    pub bad_once: bool,
    /// What was last made heard, and when.
    pub announced: Option<(String, Instant)>,
    /// How many checks in a row said the same.
    pub unchanged: u32,
    /// When it is looked at again by itself.
    pub due: Option<Instant>,
    /// What differs from the check before, newest first.
    pub changed: Vec<(Timestamp, String)>,
}

impl State {
    /// The panel before anything was read.
    pub fn new(setup: DomainSetup) -> Self {
        let configuration = setup.configuration.clone();
        let redirects = RedirectEditor { edited: configuration.clone(), ..RedirectEditor::default() };
        let mut state = Self { watching: true, redirects, setup, ..Self::default() };
        state.configure(configuration);
        state
    }

    /// Takes the project's configuration over.
    pub fn configure(&mut self, configuration: ConfigSource) {
        self.roles = DomainRoles::of(&configuration);
        self.setup.configuration = configuration;
    }

    /// Where a key goes.
    pub fn context(&self) -> Context {
        match self.place {
            PanelLocation::List => Context::Domains,
            PanelLocation::Wizard => self.wizard.context(),
            PanelLocation::Record => Context::Record,
            PanelLocation::Live => Context::Domain,
            PanelLocation::Rules(Rule::Browser) => Context::Browser,
            PanelLocation::Rules(_) => Context::Rules,
            PanelLocation::Redirects => self.redirects.context(),
            PanelLocation::Removal => self.removal.context(),
        }
    }

    /// The text field that has the cursor.
    pub fn input(&mut self) -> Option<&mut TextInput> {
        match self.place {
            PanelLocation::Wizard => self.wizard.input(),
            PanelLocation::Rules(Rule::Browser) => Some(&mut self.browser),
            PanelLocation::Redirects => self.redirects.input(),
            PanelLocation::Removal => self.removal.input(),
            PanelLocation::List | PanelLocation::Record | PanelLocation::Live | PanelLocation::Rules(_) => None,
        }
    }

    /// The time of day for domains: that of the wall, or the fast one of practice.
    pub fn wall(&self, now: Now) -> Timestamp {
        self.setup.time(now)
    }

    /// The entries of the list.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.list.iter().flat_map(|list| &list.domains)
    }

    pub fn entry(&self, name: &DnsName) -> Option<&Entry> {
        self.list.as_ref()?.get(name)
    }

    /// What was told of a domain; the value of the configuration stands in for one that was not.
    pub fn reported(&self, name: &DnsName) -> Reported {
        self.entry(name).map(|entry| self.setup.reported(entry)).unwrap_or_default()
    }

    /// Where a domain stands.
    pub fn standing(&self, name: &DnsName, now: Now) -> Status {
        let measurements = self.entry(name).map_or(&[][..], |entry| &entry.measurements);
        status(&self.reported(name), measurements, self.wall(now))
    }

    /// The domain that is shown, as far as its name is one.
    pub fn domain(&self) -> Option<Domain> {
        parse_name::domain(self.selected.as_ref()?.as_str()).ok()
    }

    /// What the last check saw of a domain.
    pub fn seen(&self, name: &DnsName) -> Option<&CheckResult> {
        self.looks.get(name)?.seen.as_ref()
    }

    /// All domains, those that need somebody first.
    pub fn rows(&self, now: Now) -> Vec<DomainSummary> {
        let mut rows: Vec<DomainSummary> = self.entries().map(|entry| DomainSummary::of(entry, self, now)).collect();
        rows.sort_by(|left, right| {
            right.progress.rank().cmp(&left.progress.rank()).then_with(|| left.name.cmp(&right.name))
        });
        rows
    }

    /// Whether a domain is looked at now.
    pub(super) fn is_looking_at(&self, name: &DnsName) -> bool {
        self.lanes.iter().flatten().any(|looked_at| looked_at == name)
    }

    /// Forms with something typed that is not on the list.
    pub fn unsaved_wizards(&self) -> impl Iterator<Item = &Wizard> {
        self.left.iter().chain([&self.wizard]).filter(|wizard| is_unsaved(self, wizard))
    }

    /// Notes a change, here at once and on disk soon.
    pub fn change(&mut self, change: RegistryChange) {
        if let Some(list) = &mut self.list {
            change.apply(list);
        }
        match &change {
            // What waits for a disk that is full must not grow with every check.
            RegistryChange::Measured(name, _) => {
                let mut at = 0;
                let writing = self.writing;
                self.changes.retain(|old| {
                    at += 1;
                    at <= writing || !matches!(old, RegistryChange::Measured(other, _) if other == name)
                });
            }
            RegistryChange::Reported(..) | RegistryChange::Forgotten(_) => self.blocked = false,
        }
        self.changes.push(change);
    }

    /// Takes a domain off the list, with all that was typed and seen of it.
    pub fn forget(&mut self, name: &DnsName) {
        self.change(RegistryChange::Forgotten(name.clone()));
        self.looks.remove(name);
        self.worked.remove(name);
        self.left.retain(|form| form.entry.as_ref() != Some(name));
        if self.wizard.entry.as_ref() == Some(name) {
            self.wizard = Wizard::default();
        }
        self.selected = None;
    }

    /// Notes what the operator told.
    pub fn tell(&mut self, name: &DnsName, event: Event, now: Now) {
        let at = self.wall(now);
        let at = Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at);
        self.change(RegistryChange::Reported(name.clone(), Dated { at, event }));
        let is_looking = self.is_looking_at(name);
        let look = self.looks.entry(name.clone()).or_default();
        look.again = is_looking;
    }
}

/// Whether anything is typed that is not on the list.
pub fn is_unsaved(state: &State, wizard: &Wizard) -> bool {
    let value = wizard.value.value().trim();
    let known = match &wizard.entry {
        Some(name) => state.reported(name).value,
        None => state.setup.platform_host.clone(),
    };
    let value_is_new = !value.is_empty() && known.is_none_or(|known| known.as_str() != value);
    value_is_new || wizard.entry.is_none() && !wizard.name.is_empty()
}
