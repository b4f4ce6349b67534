//! Adding a domain: the name, and the value from the dashboard.

use super::state::{BUTTON, NAME, Wizard, is_unsaved};
use super::{Location, PRACTICE_TYPED, State, VALUE, around, scheduler, tabs};
use crate::app::domain_service::existing;
use crate::domains::{
    Code, Dated, DnsName, Domain, Entry, Event, ExistingDomains, Finding, PRECONDITIONS, ParsedName, Practice, Topic,
    Verdict, Who, full_sentence, parse_name, sentence,
};
use crate::model::short;
use crate::tui::{App, Command, NEXT, Now, PREVIOUS, Page, Place, StyleRole, command};
use jiff::Timestamp;

/// Opens the form for an entry of the list.
pub fn resume(state: &mut State, name: &DnsName) {
    switch(state, Wizard::of(name, &state.reported(name).value.map_or_else(String::new, |value| value.to_string())));
}

/// Opens `form`, with what was typed there before; what was typed for another domain waits.
fn switch(state: &mut State, form: Wizard) {
    if state.wizard.entry == form.entry {
        return;
    }
    let left = std::mem::replace(&mut state.wizard, form);
    if is_unsaved(state, &left) {
        state.left.push(left);
    }
    if let Some(at) = state.left.iter().position(|left| left.entry == state.wizard.entry) {
        state.wizard = state.left.remove(at);
    }
}

/// What the typed name means.
pub fn read_name(state: &State) -> ParsedName {
    let mut known = existing(state.setup.platform_host.as_ref(), state.entries());
    known.listed.retain(|name| Some(name) != state.wizard.entry.as_ref());
    parse_name::read(state.wizard.form.value(&NAME), &known)
}

/// The typed value as a host, or what is wrong with it.
pub(super) fn read_value(state: &State) -> Result<DnsName, Vec<Finding>> {
    let reading = parse_name::read(state.wizard.form.value(&VALUE), &ExistingDomains::default());
    let own = read_name(state).domain;
    match reading.domain {
        Some(domain) if own.is_some_and(|own| own.name == domain.name) => {
            let own = Finding::new(Code::InPlatform, Verdict::Fail, Who::Dashboard).seen(domain.name.as_str());
            Err(vec![own.fix("this is the domain itself; copy the host that the dashboard shows")])
        }
        Some(domain) => Ok(domain.name),
        None => Err(reading.findings),
    }
}

/// Opens an empty form, or the unfinished one.
pub fn open(state: &mut State) {
    switch(state, Wizard::default());
    if state.wizard.form.value(&VALUE).is_empty()
        && let Some(host) = &state.setup.platform_host
    {
        state.wizard.form.set(&VALUE, host.as_str());
    }
    state.enter(Location::Wizard);
}

const SAVE: Command = command("save", "F2", "the record", "on to the record", next);
const CHECK: Command = command("check", "F5", "", "check, do not add", |app, _| check_only(app));
const CLEAR: Command = command("clear", "F8", "", "clear the field", |app, _| {
    if let Some(input) = app.domains.wizard.input() {
        input.clear();
    }
})
.when(|app| app.domains.wizard.clone().input().is_some_and(|input| !input.is_empty()));
const LEAVE: Command = command("back", "Esc F3", "leave", "back, kept", leave);

/// The button.
static AT_BUTTON: &[Command] = &[
    SAVE.at("Enter F2 Space", "the record", "on to the record"),
    NEXT.at("Tab down", "first line", "first line").called(""),
    PREVIOUS.at("S-Tab up", "back", "previous line"),
    CHECK,
    PRACTICE_TYPED,
    LEAVE,
];

pub static BUTTON_PLACE: Place = Place::new("wizard-button", "Add a domain", &[AT_BUTTON]).letters().around(around);

/// A text field.
static AT_TEXT: &[Command] = &[
    NEXT,
    PREVIOUS,
    SAVE,
    CHECK.at("F5", "check only", "check, do not add"),
    PRACTICE_TYPED,
    CLEAR.at("F8", "clear", "clear the field"),
    LEAVE,
];

pub static TEXT_PLACE: Place = Place::new("wizard-text", "Add a domain", &[AT_TEXT]).text().around(around);

/// Continues to the record, or to the first field that is wrong.
fn next(app: &mut App, now: Now) {
    let panel = &mut app.domains;
    let reading = read_name(panel);
    let Some(domain) = reading.domain else {
        panel.wizard.form.go_to(&NAME);
        // A name that is already on the list is selected there.
        let listed = reading.findings.iter().find(|finding| finding.code == Code::InDuplicate);
        if let Some(listed) = listed.map(|finding| DnsName::new(&finding.seen)) {
            panel.wizard = Wizard::default();
            panel.selected = Some(listed.clone());
            panel.trail.clear();
            panel.place = Location::List;
            return app.tell(format!("{listed} is already on the list."));
        }
        panel.wizard.form.select(&NAME);
        return app.complain(refusal("the domain", &reading.findings));
    };
    if panel.setup.practice.is_some() && domain.name.as_str() != Practice::DOMAIN {
        return app.complain(format!("The sandbox has only {}. Type that name.", Practice::DOMAIN));
    }
    let value = read_value(panel);
    save(app, &domain, value.as_ref().ok(), now);
    let panel = &mut app.domains;
    match value {
        Ok(_) => {
            panel.place = Location::Record;
            scheduler::ask_anew(panel, &domain.name);
            app.say_done("Saved as a draft.", now.mono);
        }
        Err(_) if panel.wizard.form.value(&VALUE).is_empty() => {
            panel.wizard.form.go_to(&VALUE);
            app.tell("Saved as a draft. Next: the value the dashboard shows for this domain.");
        }
        Err(findings) => {
            panel.wizard.form.select(&VALUE);
            app.complain(refusal("the value", &findings));
        }
    }
}

/// Checks the typed domain without adding it to the list; what is typed stays in the form.
fn check_only(app: &mut App) {
    let panel = &mut app.domains;
    let typed = parse_name::read(panel.wizard.form.value(&NAME), &ExistingDomains::default());
    let Some(domain) = typed.domain else {
        panel.wizard.form.go_to(&NAME);
        return app.complain(refusal("the domain", &typed.findings));
    };
    let name = domain.name;
    if panel.entry(&name).is_none() {
        let value = read_value(panel).ok();
        let events = value.map(|host| Dated { at: Timestamp::UNIX_EPOCH, event: Event::Value { host } });
        let events = events.into_iter().collect();
        panel.unlisted = Some(Entry { name: name.clone(), events, measurements: Vec::new() });
        panel.checks.remove(&name);
    }
    panel.selected = Some(name.clone());
    panel.enter(Location::Live);
    scheduler::ask(panel, &name);
}

fn refusal(what: &str, findings: &[Finding]) -> String {
    let refused = findings.iter().find(|finding| finding.fails());
    let Some(refused) = refused else { return format!("Check {what}.") };
    format!("Check {what}: {}. {}", refused.title, full_sentence(&refused.fix))
}

/// Back to the list. A valid domain is saved there as a draft; other text stays in the form.
fn leave(app: &mut App, now: Now) {
    let panel = &app.domains;
    let reading = read_name(panel);
    let value = read_value(panel).ok();
    match reading.domain {
        Some(domain) => {
            let before = app.domains.changes.len();
            save(app, &domain, value.as_ref(), now);
            let shown = short(&domain.unicode);
            if is_unsaved(&app.domains, &app.domains.wizard) {
                app.tell(format!("{shown} saved as a draft. The value is not valid yet and stays in the form."));
            } else {
                if app.domains.changes.len() > before {
                    app.say_done(format!("{shown} saved as a draft."), now.mono);
                }
                app.domains.wizard = Wizard::default();
            }
        }
        None if is_unsaved(panel, &panel.wizard) => app.tell("Your text is kept. a opens the form again."),
        None => {}
    }
    app.domains.back();
}

/// Records what is new: the entry and the value.
fn save(app: &mut App, domain: &Domain, value: Option<&DnsName>, now: Now) {
    let panel = &mut app.domains;
    let name = &domain.name;
    if panel.entry(name).is_none_or(|entry| entry.reported().removed) {
        panel.record(name, Event::Added, now);
    }
    let reported = panel.entry(name).map(|entry| entry.reported()).unwrap_or_default();
    if let Some(host) = value.filter(|host| reported.value.as_ref() != Some(*host)) {
        panel.record(name, Event::Value { host: host.clone() }, now);
        // The last check used the old value.
        scheduler::ask_anew(panel, name);
    }
    panel.wizard.entry = Some(name.clone());
    panel.selected = Some(name.clone());
}

/// What the last check found in the way of the record.
pub(super) fn in_the_way<'a>(state: &'a State, name: &DnsName) -> impl Iterator<Item = &'a Finding> {
    let seen = state.seen(name);
    seen.into_iter().flat_map(|seen| &seen.findings).filter(|finding| {
        matches!(finding.code.topic(), Topic::Servers | Topic::Record | Topic::Caa)
            && matches!(finding.verdict, Verdict::Fail | Verdict::Warn)
    })
}

/// The left edge of the fields.
const FIELDS: u16 = 15;

/// The steps, with the one that is shown in brackets.
pub fn steps(page: &mut Page<'_>, step: usize) {
    let head = if page.columns() < 72 { "  " } else { "   Add a domain   " };
    let head = page.appearance.span(head, StyleRole::Heading);
    let titles = ["Name and value", "DNS record", "Verify"].map(str::to_owned);
    tabs(page, head, &titles, step - 1);
    page.next_row();
}

/// Paints the form.
pub fn draw(panel: &State, page: &mut Page<'_>) {
    let (form, in_practice) = (&panel.wizard.form, panel.setup.practice.is_some());
    steps(page, 1);
    page.gap();
    page.wrapped(3, &format!("Before you start: {PRECONDITIONS}."), 3);
    page.gap();
    let reading = read_name(panel);
    page.form_field(form, &NAME, FIELDS);
    if form.value(&NAME).is_empty() {
        match in_practice {
            true => note(page, &format!("Sandbox: type {}, or https://{0}/guide", Practice::DOMAIN)),
            false => note(page, "for example docs.example.com; you can paste a whole address"),
        }
    } else {
        feedback(page, &reading.findings);
    }
    if let Some(domain) = &reading.domain {
        let (kind, record) = if domain.is_apex() {
            (format!("{} itself, the apex", domain.unicode), "ALIAS or ANAME")
        } else {
            let label = domain.name.relative_to(&domain.registrable);
            (format!("subdomain \"{label}\" of {}", domain.registrable), "CNAME")
        };
        page.text(&format!("   Kind        {kind} -> {record}"));
    }
    page.gap();
    let shown = reading.domain.as_ref().map_or("the domain", |domain| domain.unicode.as_str());
    let where_to = format!("In the dashboard (Project settings, Domains, Add domain) enter {shown}.");
    page.wrapped(3, &format!("{where_to} It then shows a value. Type or paste it here:"), 3);
    page.form_field(form, &VALUE, FIELDS);
    if form.value(&VALUE).is_empty() {
        let platform = Practice::PLATFORM_HOST;
        match in_practice {
            true => note(page, &format!("Sandbox: Ctrl-O adds it in the dashboard, which then shows {platform}")),
            false => note(page, "Without it, F2 saves a draft. Use only the value the dashboard shows."),
        }
    } else {
        match read_value(panel) {
            Ok(_) => note(page, "The next step checks whether it exists."),
            Err(findings) => feedback(page, &findings),
        }
    }
    page.gap();
    page.button(FIELDS, BUTTON.label, form.is_at(&BUTTON));
}

fn note(page: &mut Page<'_>, text: &str) {
    page.labelled("   i  ", text, 2);
}

/// What was understood from a typed name, or what is wrong with it.
fn feedback(page: &mut Page<'_>, findings: &[Finding]) {
    // The kind of name has its own line.
    let shown = findings.iter().filter(|finding| !matches!(finding.code, Code::InOk | Code::InApex));
    for finding in shown.take(2) {
        if finding.fails() {
            let text = format!("{}: {} {}", finding.title, sentence(&finding.seen), full_sentence(&finding.fix));
            page.error(3, &text, 3);
        } else {
            note(page, &format!("{}: {}", finding.title, finding.seen));
        }
    }
}
