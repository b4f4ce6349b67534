//! One frame: the rows that are the same on every screen, and the screen and the box in them.
//!
//! Paints from `&AppState` and gives back what it learned. No effects, no clock.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::clock::Now;
use crate::config::KeyOrigin;
use crate::model::text::{cut, width};

use super::deadline::{SHOW_LOADING_AFTER, STALE_AFTER};
use super::inflight::Slot;
use super::keymap::{self, Context};
use super::popups::{KeyBox, LIMIT_PRESETS, LimitBox, Popup, Reader, TextBox, TextKind, WriteBox};
use super::screens::{add_pet, domains, pets};
use super::state::{AppState, Health, Layout, MessageKind, Screen};
use super::text_input::TextInput;
use super::theme::{Look, Role};
use super::widgets::{banner, boxed, field, hint_line, popup, put, put_right, wrap, wrap_indented};
use crate::api::failure::Failure;

/// The least size at which anything but one line is drawn.
pub const LEAST: (u16, u16) = (40, 8);

/// From this width on there are panes at the right.
pub const WIDE: u16 = 110;

/// Paints the whole screen; gives what the next update needs to know about it.
pub fn draw(state: &AppState, look: &Look, now: Now, frame: &mut Frame<'_>) -> Layout {
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let text = format!("{}x{} needed, {}x{} here. Nothing is lost.", LEAST.0, LEAST.1, area.width, area.height);
        for (y, line) in (0..).zip(wrap(&text, area.width.into())) {
            put(frame.buffer_mut(), area, y, &Line::raw(line));
        }
        return state.layout;
    }
    let body = Rect { y: area.y + 1, height: area.height - 3, ..area };
    let mut layout = state.layout;
    let buf = frame.buffer_mut();
    let cursor = if let Some(Popup::Help(reader)) = &state.popup {
        draw_help(buf, Rect { height: area.height - 1, ..area }, *reader, look, &mut layout);
        None
    } else {
        draw_header(buf, area, state, look, now);
        match state.screen {
            Screen::Pets => pets::view::draw(state, look, now, buf, body, &mut layout),
            Screen::AddPet => add_pet::view::draw(state, look, now, buf, body),
            Screen::Domains => domains::view::draw(state, look, now, buf, body),
        }
    };
    let cursor = draw_popup(state, look, now, buf, body, &mut layout).or(cursor);
    draw_message(buf, area, state, look);
    put(buf, area, area.height - 1, &hint_line(keymap::hints(state.context()), area.width, look));
    if let Some(place) = cursor {
        frame.set_cursor_position(place);
    }
    layout
}

/// Row 1: the screens at the left, the service and how it is at the right.
fn draw_header(buf: &mut Buffer, area: Rect, state: &AppState, look: &Look, now: Now) {
    let tab = |screen: Screen, text: &str| {
        let in_use = state.screen == screen;
        let text = if in_use { format!("[{text}]") } else { format!(" {text} ") };
        Span::styled(text, look.style(if in_use { Role::InUse } else { Role::Text }))
    };
    let tabs = Line::from(vec![
        Span::raw(" "),
        tab(Screen::Pets, "1 Pets"),
        tab(Screen::AddPet, "2 Add pet"),
        tab(Screen::Domains, "3 Domains"),
    ]);
    put(buf, area, 0, &tabs);
    let (word, role) = health(state, look, now, area.width >= WIDE);
    let room = usize::from(area.width).saturating_sub(tabs.width() + 2);
    let name = if state.link.embedded && area.width >= WIDE {
        format!("{}, this program", state.link.name)
    } else {
        state.link.name.clone()
    };
    let name = cut(&look.text(&name), room.saturating_sub(width(&word) + 4));
    put_right(buf, area, 0, &format!("{name} | {} ", " ".repeat(width(&word))), look, Role::Text);
    put_right(buf, Rect { width: area.width - 1, ..area }, 0, &word, look, role);
}

/// How the service is and when the rows were read, in a few words.
fn health(state: &AppState, look: &Look, now: Now, wide: bool) -> (String, Role) {
    let read = state.pets.read_at();
    let data = read.map_or(String::new(), |at| format!(", data {}", look.time(at.wall)));
    let running = state.inflight.since(Slot::List).or_else(|| state.inflight.since(Slot::More));
    let running = running.map(|since| now.mono.saturating_duration_since(since));
    if let Some(time) = running.filter(|time| *time >= SHOW_LOADING_AFTER) {
        return (format!("loading {} s{data}", time.as_secs()), Role::Wait);
    }
    match &state.link.health {
        Health::Unknown => (if running.is_some() { "connecting".into() } else { "not asked yet".into() }, Role::Text),
        Health::Away { failure, .. } => (format!("{}{data}", away_word(failure)), Role::Error),
        Health::KeyRefused { .. } if !state.link.has_key() => (format!("no key{data}"), Role::Error),
        Health::KeyRefused { .. } => (format!("401{data}"), Role::Error),
        Health::Ok { took } => {
            let age = read.map_or(0, |at| now.mono.saturating_duration_since(at.mono).as_secs());
            // Elsewhere it would be news by itself every minute.
            let old = state.screen == Screen::Pets && age >= STALE_AFTER.as_secs();
            let age = if old { format!(", {} min old", age / 60) } else { String::new() };
            let live = state.pets.live.map_or(String::new(), |every| format!(", live {} s", every.as_secs()));
            let time = read.map_or(String::new(), |at| look.time(at.wall));
            let text = if wide {
                format!("ok {} ms | read {time}{age}{live}", took.as_millis())
            } else {
                format!("ok, {time}{age}{live}")
            };
            (text, if old { Role::Wait } else { Role::Text })
        }
    }
}

fn away_word(failure: &Failure) -> String {
    match failure {
        Failure::NotSent { .. } | Failure::NoAnswer { .. } | Failure::Broken { .. } => "OFFLINE".into(),
        Failure::NotStarted { .. } => "NOT STARTED".into(),
        Failure::Refused { status, .. } => format!("ERROR {status}"),
        Failure::Malformed { .. } => "BAD ANSWER".into(),
        Failure::Busy => "BUSY".into(),
        Failure::Crashed { .. } => "FAULT".into(),
    }
}

/// The last but one row: what happened, or where the cursor is.
fn draw_message(buf: &mut Buffer, area: Rect, state: &AppState, look: &Look) {
    let y = area.height - 2;
    match &state.message {
        Some(message) => {
            let role = match message.kind {
                MessageKind::Done => Role::Good,
                MessageKind::Note => Role::Text,
                MessageKind::Error => Role::Error,
            };
            // A long one takes the row above, too: what is to be done stands at its end.
            let room = usize::from(area.width).saturating_sub(2);
            let mut lines = wrap(&look.text(&message.text), room);
            if let Some(rest) =
                lines.split_off(lines.len().min(1)).into_iter().reduce(|left, right| left + " " + &right)
            {
                lines.push(cut(&rest, room));
            }
            let top = y + 1 - u16::try_from(lines.len()).unwrap_or(1);
            for (y, text) in (top..).zip(lines) {
                put(buf, area, y, &Line::raw(" ".repeat(usize::from(area.width))));
                put(buf, area, y, &Line::from(vec![Span::raw(" "), Span::styled(text, look.style(role))]));
            }
        }
        None if state.screen == Screen::Pets && !matches!(state.popup, Some(Popup::Help(_))) => {
            put(buf, area, y, &Line::raw(format!(" {}", pets::view::place(state))));
        }
        None => {}
    }
}

fn draw_popup(
    state: &AppState,
    look: &Look,
    now: Now,
    buf: &mut Buffer,
    body: Rect,
    layout: &mut Layout,
) -> Option<Position> {
    match &state.popup {
        None | Some(Popup::Help(_)) => None,
        Some(Popup::Limit(limit_box)) => Some(draw_limit_box(buf, body, limit_box, state, look)),
        Some(Popup::Key(key_box)) => draw_key_box(buf, body, key_box, state, look, now),
        Some(Popup::Error(reader)) => {
            draw_error(buf, body, *reader, state, look, layout);
            None
        }
        Some(Popup::Text(text)) => {
            draw_text(buf, body, text, look, layout);
            None
        }
        Some(Popup::Write(write)) => Some(draw_write(buf, body, write, look)),
        Some(Popup::Formats(formats)) => domains::view::draw_formats(buf, body, *formats, state, look),
        Some(Popup::Outside(outside)) => domains::view::draw_outside(buf, body, outside, look),
    }
}

fn draw_limit_box(buf: &mut Buffer, body: Rect, limit_box: &LimitBox, state: &AppState, look: &Look) -> Position {
    let inner = popup(buf, body, 38, 14, "How many rows?", look);
    let chosen = limit_box.limit().map(|limit| i64::from(limit.get()));
    for (y, preset) in (1..).zip(LIMIT_PRESETS) {
        let note = match preset {
            20 => "  (default)",
            100 => "  (the most)",
            _ => "",
        };
        let here = chosen == Some(preset);
        let line = format!(" {} {preset:>3}{note}", if here { ">" } else { " " });
        put(buf, inner, y, &Line::styled(line, look.style(if here { Role::Selected } else { Role::Text })));
    }
    put(buf, inner, 7, &Line::raw("   or type 1 to 100:"));
    let cursor = field(buf, inner.x + 22, inner.y + 7.min(inner.height - 1), 6, &limit_box.input, look);
    let note = if chosen.is_none() {
        let typed = cut(&look.text(limit_box.input.value()), 8);
        banner(&format!("1 to 100, not \"{typed}\"."), inner.width, look)
    } else if state.link.has_pages {
        vec![Line::raw("   Down on the last row loads the"), Line::raw("   next rows of this number.")]
    } else {
        vec![Line::raw("   For more than 100 see the status"), Line::raw("   tabs: each shows up to 100.")]
    };
    for (y, line) in (9..).zip(&note) {
        put(buf, inner, y, line);
    }
    cursor
}

fn draw_key_box(
    buf: &mut Buffer,
    body: Rect,
    key_box: &KeyBox,
    state: &AppState,
    look: &Look,
    now: Now,
) -> Option<Position> {
    let title = if state.link.has_key() { "The service needs another API key" } else { "The service needs an API key" };
    let inner = popup(buf, body, 64, 15, title, look);
    let (ending, origin) = &state.link.key;
    let used = if ending.is_empty() { String::new() } else { format!("ends in {ending}, ") };
    let mut lines = vec![
        Line::raw(""),
        Line::raw(format!("  Service   {} ({})", look.text(&state.link.service), look.text(&state.link.name))),
        Line::raw(format!("  Key       {used}{}", look.text(&origin.to_string()))),
    ];
    if let Health::KeyRefused { failure: Failure::Refused { message, .. } } = &state.link.health
        && state.link.has_key()
    {
        lines.push(Line::raw(format!("  Answer    \"{}\"", look.text(message))));
    }
    lines.extend([Line::raw(""), Line::raw("  New key")]);
    let stars = TextInput::new("*".repeat(key_box.input.value().chars().count()));
    let input = if key_box.shown { &key_box.input } else { &stars };
    let field_row = u16::try_from(lines.len()).unwrap_or(1) - 1;
    lines.extend([Line::raw("            paste works; F4 shows or hides it"), Line::raw("")]);
    if let Some(since) = state.inflight.since(Slot::TestKey) {
        let seconds = now.mono.saturating_duration_since(since).as_secs();
        lines.push(Line::styled(format!("  Trying it ... {seconds} s"), look.style(Role::Wait)));
    } else if let Some(error) = &key_box.error {
        lines.extend(banner(error, inner.width, look));
    } else {
        lines.push(Line::raw("  It is tried with one request, used until the program ends,"));
        lines.push(Line::raw("  and not written anywhere."));
    }
    if let KeyOrigin::Environment(name) = origin {
        lines.push(Line::raw(""));
        lines.push(Line::raw(format!("  Note: {} wins again at the next start.", cut(name, 30))));
    }
    for (y, line) in (0..).zip(&lines) {
        put(buf, inner, y, line);
    }
    (field_row < inner.height).then(|| field(buf, inner.x + 12, inner.y + field_row, 46, input, look))
}

fn draw_error(buf: &mut Buffer, body: Rect, reader: Reader, state: &AppState, look: &Look, layout: &mut Layout) {
    let columns = body.width.min(100);
    let inner = popup(buf, body, columns, body.height.saturating_sub(2), "The last error", look);
    let inside = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let details = state.last_failure.as_ref().map_or_else(Vec::new, |failure| failure.details(&state.link.service));
    let lines: Vec<String> = details.iter().flat_map(|line| wrap(&look.text(line), inside.width.into())).collect();
    read(buf, inside, reader.top, &lines.into_iter().map(Line::raw).collect::<Vec<_>>(), layout);
}

fn draw_text(buf: &mut Buffer, body: Rect, text: &TextBox, look: &Look, layout: &mut Layout) {
    let title = match text.kind {
        TextKind::Evidence => "Evidence: what was asked, and what was answered",
        TextKind::Report => "A report for support",
    };
    let inner = popup(buf, body, body.width.min(116), body.height, title, look);
    let inside = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let columns = usize::from(inside.width);
    let lines = text.text.lines().flat_map(|line| wrap_indented(&look.text(line), columns));
    read(buf, inside, text.top, &lines.map(Line::raw).collect::<Vec<_>>(), layout);
}

fn draw_write(buf: &mut Buffer, body: Rect, write: &WriteBox, look: &Look) -> Position {
    let inner = popup(buf, body, 70, 9, "Write to which file?", look);
    put(buf, inner, 1, &Line::raw("  Relative to where petstore was started."));
    let cursor = field(buf, inner.x + 2, inner.y + 3.min(inner.height - 1), 60, &write.path, look);
    for (y, line) in (5..).zip(write.error.iter().flat_map(|error| banner(&look.text(error), inner.width, look))) {
        put(buf, inner, y, &line);
    }
    cursor
}

fn read(buf: &mut Buffer, area: Rect, top: u16, lines: &[Line<'_>], layout: &mut Layout) {
    layout.reader_rows = area.height;
    layout.reader_lines = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    for (y, line) in (0..area.height).zip(lines.iter().skip(top.into())) {
        put(buf, area, y, line);
    }
}

/// The whole screen but the bottom line: keys of this place at the left, those that work everywhere at the right.
fn draw_help(buf: &mut Buffer, area: Rect, reader: Reader, look: &Look, layout: &mut Layout) {
    let (here, is_text) = (place_name(reader.from), reader.from.is_text());
    put(buf, area, 0, &Line::styled(format!(" Help: {here}"), look.style(Role::Heading)));
    put(buf, area, 1, &Line::raw(format!(" {}", look.rule(usize::from(area.width).saturating_sub(2)))));
    let mut left = vec![heading("HERE", look)];
    left.extend(key_lines(reader.from, look));
    if is_text {
        left.push(Line::raw(""));
        left.push(heading("IN THIS FIELD", look));
        left.extend(key_lines(Context::Text, look));
    }
    let mut right = vec![heading("EVERYWHERE", look)];
    right.extend(lines_of(keymap::global_help(reader.from), look));
    right.push(Line::raw(""));
    right.extend(["In a text field letters are text;", "Tab, Enter, Esc and the F keys act.", ""].map(Line::raw));
    right.extend(if reader.from.is_about_domains() { domain_words() } else { marks(look) });
    let area = Rect { x: area.x + 1, y: area.y + 2, width: area.width - 1, height: area.height.saturating_sub(2) };
    if area.width >= 76 {
        let half = Rect { width: area.width / 2, ..area };
        let other = Rect { x: area.x + half.width, width: area.width - half.width, ..area };
        let rows = left.len().max(right.len());
        left.resize(rows, Line::raw(""));
        read(buf, half, reader.top, &left, layout);
        right.resize(rows, Line::raw(""));
        read(buf, other, reader.top, &right, layout);
    } else {
        left.push(Line::raw(""));
        left.extend(right);
        read(buf, area, reader.top, &left, layout);
    }
}

fn marks(look: &Look) -> Vec<Line<'static>> {
    let mut lines = vec![Line::raw("Marks of an animal:")];
    for (status, word) in [("available", "for sale"), ("pending", "promised"), ("sold", "handed over")] {
        let status = status.parse().ok().map(crate::model::ObservedStatus::Known);
        let (mark, role) = look.mark(status.as_ref());
        let word = format!(" {}  ({word})", status.as_ref().map_or("", |status| status.as_str()));
        lines.push(Line::from(vec![Span::raw("  "), Span::styled(mark, look.style(role)), Span::raw(word)]));
    }
    lines.push(Line::raw(format!("  {} not set   ? a status of its own", look.mark(None).0)));
    lines
}

/// Words for somebody who has never touched DNS.
fn domain_words() -> Vec<Line<'static>> {
    let words = [
        "Words:",
        " CNAME    record: name leads to a host",
        " source   name server that decides",
        " resolver remembers answers for a time",
        " TTL      that time, in seconds",
        " NXDOMAIN there is no such name",
        " CAA      who may issue certificates",
    ];
    words.map(Line::raw).to_vec()
}

fn heading(text: &'static str, look: &Look) -> Line<'static> {
    Line::styled(text, look.style(Role::Heading))
}

fn key_lines(context: Context, look: &Look) -> impl Iterator<Item = Line<'static>> {
    lines_of(keymap::help_lines(context), look)
}

fn lines_of(keys: Vec<(String, &'static str)>, look: &Look) -> impl Iterator<Item = Line<'static>> {
    let key = look.style(Role::Key);
    keys.into_iter()
        .map(move |(keys, help)| Line::from(vec![Span::styled(format!(" {keys:<12} "), key), Span::raw(help)]))
}

const fn place_name(context: Context) -> &'static str {
    match context {
        Context::Pets => "Pets",
        Context::Search => "Search",
        Context::Form | Context::FormChoice => "Add pet",
        Context::Doubt => "May have been added",
        Context::LimitBox => "Number of rows",
        Context::KeyBox => "API key",
        Context::Domains => "Domains",
        Context::Wizard | Context::WizardText => "Add a domain",
        Context::Record => "The DNS record",
        Context::Domain => "One domain",
        Context::Rules | Context::Browser => "Trouble",
        Context::Redirects | Context::RedirectForm => "Redirects",
        Context::Removal | Context::RemovalName => "Removal",
        Context::FormatsBox => "Formats",
        Context::WriteBox => "Write to a file",
        Context::OutsideBox => "Practice",
        Context::Global | Context::Text | Context::Reader | Context::TextBox => "Keys",
    }
}

/// A titled box where the terminal is wide, the bare area where it is not.
pub fn pane(buf: &mut Buffer, area: Rect, title: &str, look: &Look, wide: bool) -> Rect {
    if wide { boxed(buf, area, title, look) } else { area }
}
