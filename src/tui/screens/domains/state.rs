//! The state of the domains panel. What the operator recorded and what was measured stay apart, as in the list on disk.

use crate::app::DomainSetup;
use crate::domains::{
    Checked, Complete, ConfigSource, Dated, DnsName, DnsRecord, Domain, DomainProgress, DomainRole, DomainRoles, Entry,
    Event, FollowedRedirect, Registry, RegistryChange, Reported, Rule, Stage, Verdict, parse_name,
};
use crate::tui::pending::LANES;
use crate::tui::widgets::form::{FormDraft, Kind};
use crate::tui::{Field, Form, Now, TextInput};
use jiff::Timestamp;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Instant;

pub static NAME: Field = Field::new("name", "Domain", Kind::Text).columns(48);
pub static VALUE: Field = Field::new("value", "Value", Kind::Text).columns(48);
pub static BUTTON: Field = Field::new("next", "[ F2 Next: the record ]", Kind::Button);

/// The form for a domain.
#[derive(Clone, Debug)]
pub struct Wizard {
    pub form: Form,
    /// The entry that is set up, if it exists: its name can no longer change.
    pub entry: Option<DnsName>,
}

impl Default for Wizard {
    fn default() -> Self {
        Self { form: Form::new(&[&NAME, &VALUE, &BUTTON]), entry: None }
    }
}

impl Wizard {
    /// The form for an entry of the list, with its value.
    pub fn of(name: &DnsName, value: &str) -> Self {
        let mut wizard = Self { entry: Some(name.clone()), ..Self::default() };
        wizard.form.set(&NAME, name.as_str());
        wizard.form.set(&VALUE, value);
        wizard.form.go_to(&VALUE);
        wizard
    }

    /// The text field that has the cursor.
    pub fn input(&mut self) -> Option<&mut TextInput> {
        let is_fixed = self.entry.is_some() && self.form.is_at(&NAME);
        self.form.input().filter(|_| !is_fixed)
    }

    pub fn draft(&self) -> FormDraft {
        let entry = self.entry.as_ref().map(|entry| ("entry".to_owned(), TextInput::new(entry.as_str())));
        self.form.draft().into_iter().chain(entry).collect()
    }

    /// The form that a draft has.
    pub fn restored(draft: &FormDraft) -> Self {
        let entry = draft.get("entry").filter(|entry| !entry.is_empty()).map(|entry| DnsName::new(entry.value()));
        let mut wizard = Self { entry, ..Self::default() };
        wizard.form.restore(draft);
        if wizard.entry.is_some() {
            // Its name is fixed, whatever was in use.
            wizard.form.go_to(&VALUE);
        }
        wizard
    }
}

/// The panel.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The project and its configuration.
    pub setup: DomainSetup,
    /// Where in the panel the operator is.
    pub place: Location,
    /// Where the operator came from, the latest last.
    pub trail: Vec<Location>,
    /// The list as last read, with later records and measurements. `None` before it was read.
    pub list: Option<Registry>,
    /// Why the list cannot be read or saved.
    pub list_error: Option<String>,
    /// The domain that has the cursor, or is shown.
    pub selected: Option<DnsName>,
    /// A domain that is not on the list, to be checked in this session only.
    pub unlisted: Option<Entry>,
    /// The checks of this session, by domain.
    pub checks: HashMap<DnsName, CheckView>,
    /// The domains being checked, one for each lane.
    pub lanes: [Option<DnsName>; LANES],
    /// The domains to check next.
    pub queue: VecDeque<DnsName>,
    /// Pending domains are checked automatically.
    pub watching: bool,
    /// The last write failed: the next change by the operator tries again.
    pub blocked: bool,
    /// Changes that are not on disk yet.
    pub changes: Vec<RegistryChange>,
    /// How many of them are being written.
    pub writing: usize,
    /// The role of each domain in the configuration.
    pub roles: DomainRoles,
    /// Adding a domain.
    pub wizard: Wizard,
    /// Unfinished forms of other domains.
    pub left: Vec<Wizard>,
    /// The browser message typed on the page of rule 3.
    pub browser: TextInput,
    pub redirects: Redirects,
    /// Removing a domain.
    pub removal: Form,
    /// The domains from which a redirect worked.
    pub worked: HashSet<DnsName>,
    /// The action that the same key confirms when pressed again.
    pub confirming: Option<ConfirmTwice>,
}

/// The page of the redirects.
#[derive(Clone, Debug, Default)]
pub struct Redirects {
    /// The redirect that has the cursor.
    pub selected: usize,
    /// The redirects that were followed by header-only requests.
    pub followed: Vec<FollowedRedirect>,
}

/// Actions that need the same key twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmTwice {
    /// Verify was chosen, though it cannot succeed yet.
    Verified,
    /// The record was saved, though it was saved before.
    Saved,
    /// The domain is taken off the list, though a record may be left behind.
    Forgotten,
}

/// Where in the panel the operator is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Location {
    /// All domains.
    #[default]
    List,
    /// The steps before the record.
    Wizard,
    /// The record to enter.
    Record,
    /// One domain.
    Live,
    /// A troubleshooting rule.
    Rules(Rule),
    /// The redirects.
    Redirects,
    /// Taking a domain out of service.
    Removal,
}

/// The checks of one domain in this session.
#[derive(Clone, Debug, Default)]
pub struct CheckView {
    /// The last check.
    pub seen: Option<Checked>,
    /// What is complete of the running check, and when it began.
    pub so_far: Option<(Complete, Timestamp)>,
    /// The operator asked for the check.
    pub asked: bool,
    /// Something was recorded since the running check began: it is repeated.
    pub again: bool,
    /// The status after the last check, to notice what is new.
    pub known: Option<StatusWords>,
    /// It was live before the last check, which failed.
    pub bad_once: bool,
    /// The last notification, and when.
    pub announced: Option<(String, Instant)>,
    /// How many checks in a row gave the same result.
    pub unchanged: u32,
    /// When it is checked again automatically.
    pub due: Option<Instant>,
    /// What the last check changed.
    pub changed: Option<String>,
}

/// A row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainSummary {
    /// The domain.
    pub name: DnsName,
    /// Its name for people.
    pub shown: String,
    /// What the project's configuration says of it.
    pub role: DomainRole,
    /// How far it is.
    pub progress: DomainProgress,
}

/// How far a domain is, how it is, and the same in words.
pub type StatusWords = (Stage, Option<Verdict>, String);

impl DomainSummary {
    /// The row of an entry.
    pub fn of(entry: &Entry, state: &State, now: Now) -> Self {
        // The list shows what the page of the redirects shows.
        let redirect = state.failing_redirect(&entry.name);
        Self {
            name: entry.name.clone(),
            shown: shown(&entry.name),
            role: state.roles.get(&entry.name),
            progress: DomainProgress::of(&entry.measurements, &state.setup.reported(entry), redirect, state.wall(now)),
        }
    }

    /// How far it is, without times.
    pub fn words(&self) -> StatusWords {
        let DomainProgress { stage, verdict, summary, .. } = &self.progress;
        (*stage, *verdict, summary.clone())
    }
}

impl State {
    /// The panel before the list is read.
    pub fn new(setup: DomainSetup) -> Self {
        let configuration = setup.configuration.clone();
        let mut state = Self { watching: true, setup, ..Self::default() };
        state.configure(configuration);
        state
    }

    /// Sets the project's configuration.
    pub fn configure(&mut self, configuration: ConfigSource) {
        self.roles = DomainRoles::of(&configuration);
        self.setup.configuration = configuration;
    }

    /// Goes to a page from which Esc leads back here.
    pub fn enter(&mut self, place: Location) {
        self.trail.push(std::mem::replace(&mut self.place, place));
    }

    /// Goes back to where the operator came from; to the list, if its domain is gone.
    pub fn back(&mut self) {
        let here = self.place;
        let from = std::iter::from_fn(|| self.trail.pop()).find(|place| *place != here);
        let is_there = self.selected.as_ref().is_some_and(|name| self.entry(name).is_some());
        self.place = from.filter(|_| is_there).unwrap_or_default();
        if self.place == Location::List {
            self.trail.clear();
        }
        if !matches!(self.place, Location::Live | Location::Rules(_)) {
            self.unlisted = None;
        }
    }

    /// The text field that has the cursor.
    pub fn input(&mut self) -> Option<&mut TextInput> {
        use Location::*;
        match self.place {
            Wizard => self.wizard.input(),
            Rules(Rule::Browser) => Some(&mut self.browser),
            Removal => self.removal.input(),
            List | Record | Live | Rules(_) | Redirects => None,
        }
    }

    /// The time of day for domains: in practice it runs faster.
    pub fn wall(&self, now: Now) -> Timestamp {
        self.setup.time(now)
    }

    /// The entries of the list.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.list.iter().flat_map(|list| &list.domains)
    }

    pub fn entry(&self, name: &DnsName) -> Option<&Entry> {
        let unlisted = || self.unlisted.as_ref().filter(|entry| entry.name == *name);
        self.list.as_ref().and_then(|list| list.get(name)).or_else(unlisted)
    }

    /// Whether a domain is only checked, without being on the list.
    pub fn is_unlisted(&self, name: &DnsName) -> bool {
        self.unlisted.as_ref().is_some_and(|entry| entry.name == *name)
    }

    /// What was recorded of a domain; the value in the configuration is the default.
    pub fn reported(&self, name: &DnsName) -> Reported {
        self.entry(name).map(|entry| self.setup.reported(entry)).unwrap_or_default()
    }

    /// The stage of a domain.
    pub fn stage(&self, name: &DnsName, now: Now) -> Stage {
        Stage::of(&self.reported(name), self.entry(name).map_or(&[][..], |entry| &entry.measurements), self.wall(now))
    }

    /// The row of a domain.
    pub fn row(&self, name: &DnsName, now: Now) -> Option<DomainSummary> {
        Some(DomainSummary::of(self.entry(name)?, self, now))
    }

    /// Whether an action is confirmed, by the same key again; if not, the next one confirms it.
    pub(super) fn is_confirmed(&mut self, action: ConfirmTwice) -> bool {
        let confirmed = self.confirming == Some(action);
        self.confirming = (!confirmed).then_some(action);
        confirmed
    }

    /// The selected domain, if its name is valid.
    pub fn domain(&self) -> Option<Domain> {
        parse_name::domain(self.selected.as_ref()?.as_str()).ok()
    }

    /// The record that it needs at its DNS provider, once the value is known.
    pub fn dns_record(&self) -> Option<DnsRecord> {
        let domain = self.domain()?;
        let value = self.reported(&domain.name).value?;
        let seen = self.seen(&domain.name);
        Some(seen.map_or_else(|| DnsRecord::new(&domain, value.clone()), |seen| seen.record(value.clone())))
    }

    /// The result of the last check of a domain.
    pub fn seen(&self, name: &DnsName) -> Option<&Checked> {
        self.checks.get(name)?.seen.as_ref()
    }

    /// That of the selected domain.
    pub fn shown(&self) -> Option<&Checked> {
        self.seen(self.selected.as_ref()?)
    }

    /// All domains, those that need action first.
    pub fn rows(&self, now: Now) -> Vec<DomainSummary> {
        let mut rows: Vec<DomainSummary> = self.entries().map(|entry| DomainSummary::of(entry, self, now)).collect();
        rows.sort_by_cached_key(|row| (Reverse(row.progress.rank()), row.name.clone()));
        rows
    }

    /// Whether a domain is being checked.
    pub(super) fn is_checking(&self, name: &DnsName) -> bool {
        self.lanes.iter().flatten().any(|checked| checked == name)
    }

    /// Forms with unsaved text.
    pub fn unsaved_wizards(&self) -> impl Iterator<Item = &Wizard> {
        self.left.iter().chain([&self.wizard]).filter(|wizard| is_unsaved(self, wizard))
    }

    /// Applies a change here at once, and on disk soon.
    pub fn change(&mut self, change: RegistryChange) {
        if let Some(list) = &mut self.list {
            change.apply(list);
        }
        match &change {
            RegistryChange::Measured(name, measurement) if self.is_unlisted(name) => {
                return self.unlisted.iter_mut().for_each(|entry| entry.keep((**measurement).clone()));
            }
            // On a full disk, the queue must not grow with every check.
            RegistryChange::Measured(name, _) => {
                let is_older = |old: &mut RegistryChange| matches!(old, RegistryChange::Measured(of, _) if of == name);
                self.changes.extract_if(self.writing.., is_older).for_each(drop);
            }
            RegistryChange::Reported(..) | RegistryChange::Forgotten(_) => self.blocked = false,
        }
        self.changes.push(change);
    }

    /// Takes a domain off the list, with its forms and checks.
    pub fn forget(&mut self, name: &DnsName) {
        self.change(RegistryChange::Forgotten(name.clone()));
        self.checks.remove(name);
        self.worked.remove(name);
        self.left.retain(|form| form.entry.as_ref() != Some(name));
        if self.wizard.entry.as_ref() == Some(name) {
            self.wizard = Wizard::default();
        }
        self.selected = None;
    }

    /// Records what the operator has done.
    pub fn record(&mut self, name: &DnsName, event: Event, now: Now) {
        let at = self.wall(now);
        let at = Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at);
        self.change(RegistryChange::Reported(name.clone(), Dated { at, event }));
        self.checks.entry(name.clone()).or_default().again = self.is_checking(name);
    }
}

/// Whether a form has text that is not on the list.
pub fn is_unsaved(state: &State, wizard: &Wizard) -> bool {
    let value = wizard.form.value(&VALUE);
    let known = match &wizard.entry {
        Some(name) => state.reported(name).value,
        None => state.setup.platform_host.clone(),
    };
    let value_is_new = !value.is_empty() && known.is_none_or(|known| known.as_str() != value);
    value_is_new || wizard.entry.is_none() && !wizard.form.value(&NAME).is_empty()
}

/// A name for people; only an `xn--` one has another form.
fn shown(name: &DnsName) -> String {
    if !name.as_str().contains("xn--") {
        return name.to_string();
    }
    parse_name::domain(name.as_str()).map_or_else(|_| name.to_string(), |domain| domain.unicode)
}
