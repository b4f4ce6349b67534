//! Paints the profiles screen.
#![expect(clippy::wildcard_enum_match_arm, reason = "painting may use a default style")]

use ratatui::text::Span;

use super::{State, form};
use crate::app::connections::Tested;
use crate::clock::Now;
use crate::config::{Accent, KeyOrigin, ProfileEntry, ServiceLocation};
use crate::model::BaseUrl;
use crate::model::text::{cut, width};
use crate::tui::pending::Slot;
use crate::tui::state::{AppState, Health};
use crate::tui::theme::StyleRole;
use crate::tui::widgets::away_word;
use crate::tui::widgets::list::shown;
use crate::tui::widgets::page::Page;

/// The rows of the details, with their heading.
const DETAILS: u16 = 8;

/// Paints the list or the form.
pub fn draw(state: &AppState, now: Now, page: &mut Page<'_>) {
    if state.profiles.form_open {
        return form::draw(state, now, page);
    }
    let rows = u16::try_from(state.profiles.entries().len()).unwrap_or(u16::MAX).max(1);
    let list = page.take(2 + rows.min(page.area.height.saturating_sub(2 + DETAILS).max(3)));
    let details = page.rest();
    page.go_to(list);
    draw_list(state, now, page);
    page.go_to(details);
    if let Some(entry) = state.profiles.entry() {
        draw_details(entry, state, page);
    }
    if page.left() > 1 {
        page.gap();
        page.quiet("   All settings: petstore config show --origin");
    }
}

/// The widths of the columns name, address and key; 0 without room.
const fn widths(area: u16) -> [usize; 3] {
    match area {
        0..56 => [16, 0, 0],
        56..70 => [14, 24, 0],
        _ => [14, 30, 14],
    }
}

fn draw_list(state: &AppState, now: Now, page: &mut Page<'_>) {
    let [name, address, key] = widths(page.area.width);
    let columns = |in_use| [("NAME", name), ("ADDRESS", address), ("KEY", key), ("", in_use), ("STATE", 30)];
    page.headings(&columns(0));
    let entries = state.profiles.entries();
    if entries.is_empty() {
        page.line("   Reading the profiles ...");
        return;
    }
    // A row is left blank below.
    let rows = usize::from(page.left().saturating_sub(1).max(1));
    for (here, entry) in shown(entries.iter(), state.profiles.cursor(), rows) {
        let is_in_use = entry.name == state.link.name;
        let (word, role) = state_word(entry, state, now);
        let key = if is_in_use && state.link.key.1 == KeyOrigin::Typed { "typed" } else { key_word(&entry.key) };
        let place = place(&entry.place);
        let [name, place, key] = [entry.name.as_str(), &place, key].map(|text| (text, StyleRole::Text));
        page.click_row(here);
        let columns = columns(if is_in_use { 8 } else { 0 });
        page.row(here, &columns, &[name, place, key, ("in use", StyleRole::InUse), (&word, role)]);
    }
}

/// The last answer of a profile's service, in a word or two.
fn state_word(entry: &ProfileEntry, state: &AppState, now: Now) -> (String, StyleRole) {
    let State { testing, using, .. } = &state.profiles;
    let running = |slot, name: &str| state.pending.since(slot).filter(|_| entry.name == name);
    if let Some(since) = running(Slot::UseProfile, using) {
        return (format!("switching {} s", now.seconds_since(since)), StyleRole::Wait);
    }
    if let Some(since) = running(Slot::TestProfile, testing) {
        return (format!("testing {} s", now.seconds_since(since)), StyleRole::Wait);
    }
    last(entry, state).map_or((String::new(), StyleRole::Quiet), |(_, tested)| word(&tested))
}

/// The last test of a profile's service and its time. For the one in use, every answer counts.
fn last(entry: &ProfileEntry, state: &AppState) -> Option<(Option<Now>, Tested)> {
    let tested = state.profiles.tests.get(&entry.name).map(|(at, tested)| (Some(*at), tested.clone()));
    if entry.name != state.link.name {
        return tested;
    }
    match &state.link.health {
        Health::Unknown => tested,
        // Without a key nothing was sent.
        Health::KeyRefused { .. } if !state.link.has_key() => tested,
        Health::Away { failure, .. } | Health::KeyRefused { failure } => Some((None, Tested::Failed(failure.clone()))),
        Health::Ok { took } => {
            let read = state.pets.store.read();
            let newer = tested.filter(|(at, _)| at.map(|at| at.mono) >= read.map(|read| read.mono));
            newer.or(Some((read, Tested::Answered(*took))))
        }
    }
}

fn word(tested: &Tested) -> (String, StyleRole) {
    match tested {
        Tested::Answered(took) => (format!("OK {} ms", took.as_millis()), StyleRole::Good),
        Tested::Failed(failure) => (format!("! {}", away_word(failure)), StyleRole::Error),
        Tested::Unusable(_) => ("! NOT USABLE".to_owned(), StyleRole::Error),
    }
}

fn place(place: &ServiceLocation) -> String {
    match place {
        ServiceLocation::Inside => "in this program".to_owned(),
        ServiceLocation::Demo => "in this program, sample data".to_owned(),
        ServiceLocation::At(address) => address.clone(),
        ServiceLocation::Unclear => "unclear".to_owned(),
    }
}

/// The name in sentences of the service at this address.
pub(super) fn host(address: &str) -> String {
    address.parse::<BaseUrl>().map_or_else(|_| "the service".to_owned(), |address| address.authority())
}

/// Where a key comes from, in one word.
fn key_word(key: &str) -> &str {
    match key.strip_prefix("from ") {
        Some(source) => source.trim_start_matches("the ").split(' ').next().unwrap_or(source),
        None => key,
    }
}

/// The result of a test, as a sentence.
pub(super) fn answer(tested: &Tested, service: &str) -> String {
    match tested {
        Tested::Answered(took) => format!("It answered in {} ms.", took.as_millis()),
        Tested::Failed(failure) => failure.sentence(service),
        Tested::Unusable(why) => why.clone(),
    }
}

fn draw_details(entry: &ProfileEntry, state: &AppState, page: &mut Page<'_>) {
    let appearance = page.appearance;
    let name = cut(&appearance.text(&entry.name), 40);
    let rule = appearance.rule(page.columns().saturating_sub(width(&name) + 10));
    page.heading(format!("   {} {name} {rule}", appearance.rule(3)));
    let file = state.profiles.list.as_ref().and_then(|list| list.file.file_name());
    let line = entry.line.zip(file).map_or(String::new(), |(line, file)| format!(" ({}, line {line})", file.display()));
    let address = match &entry.place {
        ServiceLocation::Unclear => "set either base_url or embedded, not both or neither".to_owned(),
        place => self::place(place),
    };
    let service = match &entry.place {
        ServiceLocation::At(address) => host(address),
        _ => "the embedded store".to_owned(),
    };
    let answer = match last(entry, state) {
        None => "not tested yet: t tests it".to_owned(),
        Some((None, tested)) => answer(&tested, &service),
        Some((Some(at), tested)) => format!("{} ({})", answer(&tested, &service), appearance.time(at.wall)),
    };
    let key = if entry.name == state.link.name { in_use(state) } else { entry.key.clone() };
    let protect = match entry {
        ProfileEntry { read_only: true, .. } => "read-only: nothing can be added",
        ProfileEntry { protect: true, .. } => "asks before the first change after each switch",
        _ => "no",
    };
    let label = |name: &str| appearance.span(format!("   {name:<9} "), StyleRole::Quiet);
    for (name, value) in [
        ("Address", format!("{address}{line}")),
        ("Key", key),
        ("Protect", protect.to_owned()),
        ("Colour", colour(entry)),
    ] {
        let room = page.columns().saturating_sub(14);
        page.line(vec![label(name), Span::raw(cut(&appearance.text(&value), room))]);
    }
    // The longest comes last and takes the remaining rows.
    page.behind(&label("Answer"), &answer, usize::MAX);
}

/// The key of the profile in use, which may have been typed.
fn in_use(state: &AppState) -> String {
    let (ending, origin) = &state.link.key;
    if ending.is_empty() { origin.to_string() } else { format!("{origin}, ends in {ending}") }
}

fn colour(entry: &ProfileEntry) -> String {
    let reversed = if entry.accent == Accent::Red { ", reversed" } else { "" };
    format!("{}{reversed}; the word {}", entry.accent, entry.label)
}
