//! How the profiles screen looks.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

mod form;

use super::State;
use crate::clock::Now;
use crate::config::{Accent, KeyOrigin, ProfileEntry, ServiceLocation, Sourced};
use crate::model::BaseUrl;
use crate::model::text::{cut, width};
use crate::tui::pending::Slot;
use crate::tui::screens::profiles::jobs::Tested;
use crate::tui::state::{AppState, Health};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::{WIDE, away_word, boxed, pane, put, wrap};

/// The width of the list where there is a pane beside it.
const LIST_BESIDE_PANE: u16 = 80;

/// The rows of the details, with their heading.
const DETAILS: u16 = 8;

/// Paints the list or the form into `body`; gives the place of the cursor.
pub fn draw(state: &AppState, appearance: &Appearance, now: Now, buf: &mut Buffer, body: Rect) -> Option<Position> {
    let wide = body.width >= WIDE;
    let area = if wide { Rect { width: LIST_BESIDE_PANE, ..body } } else { body };
    let title = if state.profiles.form_open { "A new profile" } else { "Profiles" };
    let inner = pane(buf, area, title, appearance, wide);
    let right = Rect { x: area.right(), width: body.width - area.width, ..body };
    if wide {
        let inside = boxed(buf, right, "In force, and why", appearance);
        draw_origins(buf, inside, &state.link.origins, state, appearance);
    }
    if state.profiles.form_open {
        return form::draw(state, appearance, now, buf, inner);
    }
    let profiles = &state.profiles;
    let count = u16::try_from(profiles.entries().len()).unwrap_or(u16::MAX);
    // Every profile is in sight before what is in force is.
    let rows = count.max(1).min(inner.height.saturating_sub(2 + DETAILS).max(3));
    let list = Rect { height: inner.height.min(rows + 2), ..inner };
    let cursor = draw_list(buf, list, state, appearance, now);
    let below = Rect { y: list.bottom(), height: inner.height - list.height, ..inner };
    let details = Rect { height: below.height.min(DETAILS), ..below };
    if let Some(entry) = profiles.entry() {
        draw_details(buf, details, entry, state, appearance);
    }
    if !wide {
        let rest = Rect { y: details.bottom(), height: below.height - details.height, ..below };
        draw_in_force(buf, rest, state, appearance);
    }
    cursor
}

/// The columns of the list: name, address, key; nothing where there is no room.
fn columns(area: u16) -> [usize; 3] {
    match area {
        0..56 => [16, 0, 0],
        56..70 => [14, 24, 0],
        _ => [14, 30, 14],
    }
}

fn draw_list(buf: &mut Buffer, area: Rect, state: &AppState, appearance: &Appearance, now: Now) -> Option<Position> {
    let [name, address, key] = columns(area.width);
    let cells = |texts: [&str; 4]| {
        let [a, b, c, rest] = texts;
        [(a, name), (b, address), (c, key)]
            .into_iter()
            .filter(|(_, columns)| *columns > 0)
            .map(|(text, columns)| {
                let text = cut(text, columns - 1);
                format!("{text}{}", " ".repeat(columns - width(&text)))
            })
            .chain([rest.to_owned()])
            .collect::<String>()
    };
    let heading = format!("   {}", cells(["NAME", "ADDRESS", "KEY", "STATE"]));
    put(buf, area, 0, &Line::styled(heading, appearance.style(StyleRole::Heading)));
    let entries = state.profiles.entries();
    if entries.is_empty() {
        put(buf, area, 1, &Line::raw("   Reading the profiles ..."));
        return None;
    }
    let rows = area.height.saturating_sub(2).max(1);
    let here = state.profiles.cursor();
    let top = (here + 1).saturating_sub(rows.into());
    for (y, (at, entry)) in (1..=rows).zip(entries.iter().enumerate().skip(top)) {
        let mark = if at == here { ">" } else { " " };
        let (word, role) = state_word(entry, state, now);
        let place = appearance.text(&place(&entry.place));
        let typed = entry.name == state.link.name && state.link.key.1 == KeyOrigin::Typed;
        let key = if typed { "typed" } else { key_word(&entry.key) };
        let text = cells([&appearance.text(&entry.name), &place, &appearance.text(key), ""]);
        let style = appearance.style(if at == here { StyleRole::Selected } else { StyleRole::Text });
        let in_use = if entry.name == state.link.name { "in use  " } else { "" };
        let spans = vec![
            Span::styled(format!(" {mark} {text}"), style),
            Span::styled(in_use, appearance.style(StyleRole::InUse)),
            Span::styled(word, appearance.style(role)),
        ];
        put(buf, area, y, &Line::from(spans));
    }
    let row = u16::try_from(here - top).unwrap_or(0);
    (row + 1 < area.height).then_some(Position { x: area.x + 1, y: area.y + 1 + row })
}

/// How the service of a profile last answered, in a word or two.
fn state_word(entry: &ProfileEntry, state: &AppState, now: Now) -> (String, StyleRole) {
    let State { testing, using, .. } = &state.profiles;
    let running = |slot, name: &str| state.pending.since(slot).filter(|_| entry.name == name);
    let seconds = |since| now.mono.saturating_duration_since(since).as_secs();
    if let Some(since) = running(Slot::UseProfile, using) {
        return (format!("switching {} s", seconds(since)), StyleRole::Wait);
    }
    if let Some(since) = running(Slot::TestProfile, testing) {
        return (format!("asking {} s", seconds(since)), StyleRole::Wait);
    }
    last(entry, state).map_or((String::new(), StyleRole::Quiet), |(_, tested)| word(&tested))
}

/// What the service of a profile said last, and when, where that is known: of the one in use every answer tells.
fn last(entry: &ProfileEntry, state: &AppState) -> Option<(Option<Now>, Tested)> {
    let tested = state.profiles.tests.get(&entry.name).map(|(at, tested)| (Some(*at), tested.clone()));
    if entry.name != state.link.name {
        return tested;
    }
    match &state.link.health {
        Health::Unknown => tested,
        Health::Away { failure, .. } | Health::KeyRefused { failure } => Some((None, Tested::Failed(failure.clone()))),
        Health::Ok { took } => {
            let read = state.pets.read_at();
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
        ServiceLocation::Demo => "in this program, on samples".to_owned(),
        ServiceLocation::At(address) => address.clone(),
        ServiceLocation::Unclear => "unclear".to_owned(),
    }
}

/// How sentences call the service at this address.
fn host(address: &str) -> String {
    address.parse::<BaseUrl>().map_or_else(|_| "the service".to_owned(), |address| address.authority())
}

/// Where a key comes from, in one word.
fn key_word(key: &str) -> &str {
    match key.strip_prefix("from ") {
        Some(source) => source.trim_start_matches("the ").split(' ').next().unwrap_or(source),
        None => key,
    }
}

/// What a test gave, as a sentence.
fn answer(tested: &Tested, service: &str) -> String {
    match tested {
        Tested::Answered(took) => format!("It answered in {} ms.", took.as_millis()),
        Tested::Failed(failure) => failure.sentence(service),
        Tested::Unusable(why) => why.clone(),
    }
}

fn draw_details(buf: &mut Buffer, area: Rect, entry: &ProfileEntry, state: &AppState, appearance: &Appearance) {
    let name = cut(&appearance.text(&entry.name), 40);
    let rule = appearance.rule(usize::from(area.width).saturating_sub(width(&name) + 10));
    put(
        buf,
        area,
        0,
        &Line::styled(format!("   {} {name} {rule}", appearance.rule(3)), appearance.style(StyleRole::Heading)),
    );
    let file = state.profiles.list.as_ref().and_then(|list| list.file.file_name());
    let line = entry.line.zip(file).map_or(String::new(), |(line, file)| format!(" ({}, line {line})", file.display()));
    let address = match &entry.place {
        ServiceLocation::Unclear => "neither or both of base_url and embedded are said".to_owned(),
        place => self::place(place),
    };
    let service = match &entry.place {
        ServiceLocation::At(address) => host(address),
        ServiceLocation::Inside | ServiceLocation::Demo | ServiceLocation::Unclear => {
            "the service in this program".to_owned()
        }
    };
    let answer = match last(entry, state) {
        None => "not asked yet: t asks for one animal".to_owned(),
        Some((None, tested)) => answer(&tested, &service),
        Some((Some(at), tested)) => format!("{} ({})", answer(&tested, &service), appearance.time(at.wall)),
    };
    let key = if entry.name == state.link.name { in_use(state) } else { entry.key.clone() };
    let protect = if entry.protect { "asks before the first change after each switch" } else { "no" };
    let mut lines = vec![
        fact("Address", format!("{address}{line}"), appearance),
        fact("Key", key, appearance),
        fact("Protect", protect.to_owned(), appearance),
        fact("Colour", colour(entry), appearance),
    ];
    // The longest last: it may take what is left.
    let room = usize::from(area.width).saturating_sub(14);
    let mut said = wrap(&appearance.text(&answer), room).into_iter();
    lines.extend(said.next().map(|first| fact("Answer", first, appearance)));
    lines.extend(said.map(|more| fact("", more, appearance)));
    for (y, line) in (1..).zip(&lines) {
        put(buf, area, y, line);
    }
}

/// The key of the profile in use, which may have been typed.
fn in_use(state: &AppState) -> String {
    let (ending, origin) = &state.link.key;
    if ending.is_empty() { origin.to_string() } else { format!("{origin}, ends in {ending}") }
}

fn colour(entry: &ProfileEntry) -> String {
    let label = &entry.label;
    match entry.accent {
        Accent::None => format!("none; the word {label}"),
        Accent::Red => format!("red, reversed; the word {label}"),
        Accent::Yellow => format!("yellow; the word {label}"),
        Accent::Green => format!("green; the word {label}"),
        Accent::Blue => format!("blue; the word {label}"),
        Accent::Magenta => format!("magenta; the word {label}"),
        Accent::Cyan => format!("cyan; the word {label}"),
    }
}

fn fact(name: &str, value: String, appearance: &Appearance) -> Line<'static> {
    Line::from(vec![
        Span::styled(format!("   {name:<9} "), appearance.style(StyleRole::Quiet)),
        Span::raw(appearance.text(&value)),
    ])
}

/// Where a setting came from, in words. The key says so by itself, also where it was typed.
fn source(setting: &Sourced, state: &AppState) -> String {
    if setting.name == "key" { state.link.key.1.to_string() } else { setting.origin.to_string() }
}

/// For the profile in use: what is in force, each setting with the place that it came from.
fn draw_origins(buf: &mut Buffer, area: Rect, origins: &[Sourced], state: &AppState, appearance: &Appearance) {
    let room = usize::from(area.width).saturating_sub(3);
    let mut lines = Vec::new();
    for setting in origins {
        let value = if setting.name == "key" { in_use(state) } else { setting.value.clone() };
        let mut value = wrap(&appearance.text(&value), room.saturating_sub(10)).into_iter();
        lines.push(Line::from(vec![
            Span::styled(format!(" {:<9} ", setting.name), appearance.style(StyleRole::Heading)),
            Span::raw(value.next().unwrap_or_default()),
        ]));
        lines.extend(value.map(|more| Line::raw(format!(" {:<9} {more}", ""))));
        if setting.name != "key" {
            let source = wrap(&appearance.text(&source(setting, state)), room.saturating_sub(10));
            let quiet = |line| Line::styled(format!(" {:<9} {line}", ""), appearance.style(StyleRole::Quiet));
            lines.extend(source.into_iter().map(quiet));
        }
    }
    lines.push(Line::raw(""));
    let rule = "Flags beat the environment, that beats the file, and the file beats the defaults.";
    lines.extend(
        wrap(rule, room).into_iter().map(|line| Line::styled(format!(" {line}"), appearance.style(StyleRole::Quiet))),
    );
    for (y, line) in (0..).zip(&lines) {
        put(buf, area, y, line);
    }
}

/// The same in few rows: two columns, only where each came from.
fn draw_in_force(buf: &mut Buffer, area: Rect, state: &AppState, appearance: &Appearance) {
    let origins = &state.link.origins;
    if origins.is_empty() {
        return;
    }
    put(buf, area, 0, &Line::styled("   In force, and why", appearance.style(StyleRole::Heading)));
    let columns = usize::from(area.width).saturating_sub(4) / 2;
    let cell = |setting: &Sourced| {
        // The first three stand above with their values.
        let shown = matches!(setting.name, "profile" | "address" | "key");
        let value = if shown { String::new() } else { format!(" {}", setting.value) };
        let text = format!("{}{value}: {}", setting.name, source(setting, state));
        let text = cut(&appearance.text(&text), columns - 1);
        format!("{text}{}", " ".repeat(columns - width(&text)))
    };
    let half = origins.len().div_ceil(2);
    let (left, right) = origins.split_at(half);
    for (y, (at, setting)) in (1..).zip(left.iter().enumerate()) {
        let beside = right.get(at).map_or(String::new(), cell);
        put(buf, area, y, &Line::raw(format!("   {}{beside}", cell(setting))));
    }
    let rule = "   Flags beat the environment, that beats the file, the file the defaults.";
    put(buf, area, u16::try_from(half).unwrap_or(0) + 1, &Line::styled(rule, appearance.style(StyleRole::Quiet)));
}
