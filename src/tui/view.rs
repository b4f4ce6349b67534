//! One frame: the rows that are the same on every screen, and the screen and the box in them.
//!
//! Paints from `&AppState` and gives back what it learned. No effects, no clock.

mod boxes;
mod help;
mod reader;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::clock::Now;
use crate::model::text::{cut, width};
use crate::model::words;

use super::deadline::{SHOW_LOADING_AFTER, STALE_AFTER};
use super::pending::Slot;
use super::popups::Popup;
use super::screens::{add_pet, domains, pets, profiles, requests, welcome};
use super::state::{AppState, Health, Layout, MessageKind, Screen};
use super::theme::{Appearance, StyleRole};
use super::widgets::{WIDE, away_word, cover, hint_line, put, put_right, wrap};

/// The least size at which anything but one line is drawn.
pub const LEAST: (u16, u16) = (40, 8);

/// Columns that the word for the service has at least.
const LEAST_LABEL: usize = 12;

/// Paints the whole screen; gives what the next update needs to know about it.
pub fn draw(state: &AppState, appearance: &Appearance, now: Now, frame: &mut Frame<'_>) -> Layout {
    let area = frame.area();
    cover(frame.buffer_mut(), area, appearance);
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
    let cursor = if let Some(Popup::Help(help)) = &state.popup {
        Some(help::draw(buf, Rect { height: area.height - 1, ..area }, help, state, appearance, &mut layout))
    } else {
        draw_header(buf, area, state, appearance, now);
        match state.screen {
            Screen::Pets => pets::view::draw(state, appearance, now, buf, body, &mut layout),
            Screen::AddPet if state.add.import.on => add_pet::import::view::draw(state, appearance, now, buf, body),
            Screen::AddPet if state.add.rapid.on => add_pet::rapid::view::draw(state, appearance, buf, body),
            Screen::AddPet => add_pet::view::draw(state, appearance, now, buf, body),
            Screen::Domains => domains::view::draw(state, appearance, now, buf, body),
            Screen::Profiles => profiles::view::draw(state, appearance, now, buf, body),
            Screen::Requests => requests::view::draw(state, appearance, buf, body, &mut layout),
            Screen::Welcome => welcome::view::draw(state, appearance, buf, body),
        }
    };
    let cursor = draw_popup(state, appearance, now, buf, body, &mut layout).or(cursor);
    draw_message(buf, area, state, appearance, now);
    put(buf, area, area.height - 1, &hint_line(state.keymap.hints(state.context()), area.width, appearance));
    if let Some(place) = cursor {
        frame.set_cursor_position(place);
    }
    layout
}

/// Row 1: the screens at the left, the service and how it is at the right.
fn draw_header(buf: &mut Buffer, area: Rect, state: &AppState, appearance: &Appearance, now: Now) {
    let tab = |screen: Screen, text: &str| {
        let in_use = state.screen == screen;
        let text = if in_use { format!("[{text}]") } else { format!(" {text} ") };
        Span::styled(text, appearance.style(if in_use { StyleRole::InUse } else { StyleRole::Text }))
    };
    let add_tab = match (state.screen, &state.add) {
        (Screen::AddPet, add) if add.import.on => "2 Add pet: import",
        (Screen::AddPet, add) if add.rapid.on => "2 Add pet: rapid entry",
        _ => "2 Add pet",
    };
    let numbered = || {
        vec![
            Span::raw(" "),
            tab(Screen::Pets, "1 Pets"),
            tab(Screen::AddPet, add_tab),
            tab(Screen::Domains, "3 Domains"),
        ]
    };
    let tabs = match state.screen {
        Screen::Welcome => {
            put(buf, area, 0, &Line::raw(concat!(" petstore ", env!("CARGO_PKG_VERSION"))));
            put_right(buf, area, 0, "first start ", appearance, StyleRole::Text);
            return;
        }
        Screen::Requests => Line::from(vec![
            Span::raw(" "),
            tab(Screen::Requests, "Requests"),
            // The word for the service has the right of way.
            Span::raw(cut(&requests::view::counts(&state.requests), usize::from(area.width).saturating_sub(48))),
        ]),
        Screen::Profiles => {
            // It has no number, so that it must be seen where there is room for one only.
            let beside = if area.width < 80 { vec![Span::raw(" ")] } else { numbered() };
            Line::from_iter(beside.into_iter().chain([tab(Screen::Profiles, "Profiles")]))
        }
        Screen::Pets | Screen::AddPet | Screen::Domains => Line::from(numbered()),
    };
    put(buf, area, 0, &tabs);
    let (word, role) = health(state, appearance, now, area.width >= WIDE);
    let waiting = add_pet::import::view::word(state).or_else(|| add_pet::rapid::view::waiting_word(state));
    let (word, role) = match waiting {
        // What waits matters more than when the rows were read.
        Some(waiting) if state.link.health_is_ok() => (waiting, StyleRole::Wait),
        Some(waiting) => (format!("{waiting}, {word}"), role),
        None => (word, role),
    };
    let room = usize::from(area.width).saturating_sub(tabs.width() + 2);
    let beside = if state.link.embedded && area.width >= WIDE { ", this program" } else { "" };
    // The word for the service is never left away, however little room there is.
    let room = room.saturating_sub(width(&word) + width(beside) + 4).max(LEAST_LABEL);
    let label = cut(&appearance.text(&state.link.label), room);
    let from_right =
        |columns: usize| Rect { width: area.width.saturating_sub(u16::try_from(columns).unwrap_or(0)), ..area };
    let behind = format!("{beside} | {} ", " ".repeat(width(&word)));
    put_right(buf, area, 0, &behind, appearance, StyleRole::Text);
    put_right(buf, from_right(width(&behind) + width(&label)), 0, " ", appearance, StyleRole::Text);
    put_right(buf, from_right(width(&behind)), 0, &label, appearance, StyleRole::Accent(state.link.accent));
    put_right(buf, from_right(1), 0, &word, appearance, role);
}

/// How the service is and when the rows were read, in a few words.
fn health(state: &AppState, appearance: &Appearance, now: Now, wide: bool) -> (String, StyleRole) {
    let read = state.pets.read_at();
    let age = read.map_or(0, |at| now.mono.saturating_duration_since(at.mono).as_secs());
    let data = match read {
        None => String::new(),
        // A time of day says nothing of rows that are from another day.
        Some(_) if age >= 3600 => format!(", data {} old", words::age(age)),
        Some(at) => format!(", data {}", appearance.time(at.wall)),
    };
    let slots = [Slot::List, Slot::More, Slot::Inventory, Slot::ById];
    let running = slots.into_iter().find_map(|slot| state.pending.since(slot));
    let running = running.map(|since| now.mono.saturating_duration_since(since));
    if let Some(time) = running.filter(|time| *time >= SHOW_LOADING_AFTER) {
        return (format!("loading {} s{data}", time.as_secs()), StyleRole::Wait);
    }
    match &state.link.health {
        Health::Unknown => {
            (if running.is_some() { "connecting".into() } else { "not asked yet".into() }, StyleRole::Text)
        }
        Health::Away { failure, .. } => (format!("{}{data}", away_word(failure)), StyleRole::Error),
        Health::KeyRefused { .. } if !state.link.has_key() => (format!("no key{data}"), StyleRole::Error),
        Health::KeyRefused { .. } => (format!("401{data}"), StyleRole::Error),
        Health::Ok { took } => {
            // Elsewhere it would be news by itself every minute.
            let old = state.screen == Screen::Pets && age >= STALE_AFTER.as_secs();
            let age = if old { format!(", {} old", words::age(age)) } else { String::new() };
            let live = state.pets.live.map_or(String::new(), |every| format!(", live {} s", every.as_secs()));
            let time = read.map_or(String::new(), |at| appearance.time(at.wall));
            let text = if wide {
                format!("ok {} ms | read {time}{age}{live}", took.as_millis())
            } else {
                format!("ok, {time}{age}{live}")
            };
            (text, if old { StyleRole::Wait } else { StyleRole::Text })
        }
    }
}

/// The last but one row: what happened, or where the cursor is.
fn draw_message(buf: &mut Buffer, area: Rect, state: &AppState, appearance: &Appearance, now: Now) {
    let y = area.height - 2;
    match &state.message {
        Some(message) => {
            let role = match message.kind {
                MessageKind::Done => StyleRole::Good,
                MessageKind::Note => StyleRole::Text,
                MessageKind::Error => StyleRole::Error,
            };
            two_lines(buf, area, y, &message.text, appearance, role);
        }
        None if state.drafts.back.is_some() || state.drafts.trouble.is_some() => {
            let (text, role) = about_drafts(state, appearance, now);
            two_lines(buf, area, y, &text, appearance, role);
        }
        None if matches!(state.popup, Some(Popup::Help(_))) => {}
        None => {
            let place = match state.screen {
                Screen::Pets => pets::view::place(state, appearance, now),
                Screen::Requests => requests::view::place(&state.requests),
                Screen::Welcome => welcome::view::PLACE.to_owned(),
                Screen::AddPet if state.add.import.on => add_pet::import::view::place(state).to_owned(),
                Screen::AddPet if state.add.rapid.on => add_pet::rapid::view::PLACE.to_owned(),
                Screen::AddPet | Screen::Domains | Screen::Profiles => return,
            };
            let place = cut(&appearance.text(&place), usize::from(area.width).saturating_sub(2));
            put(buf, area, y, &Line::raw(format!(" {place}")));
        }
    }
}

/// A sentence on row `y`; a long one takes the row above, too: what is to be done stands at its end.
fn two_lines(buf: &mut Buffer, area: Rect, y: u16, text: &str, appearance: &Appearance, role: StyleRole) {
    let room = usize::from(area.width).saturating_sub(2);
    let mut lines = wrap(&appearance.text(text), room);
    if let Some(rest) = lines.split_off(lines.len().min(1)).into_iter().reduce(|left, right| left + " " + &right) {
        lines.push(cut(&rest, room));
    }
    let top = y + 1 - u16::try_from(lines.len()).unwrap_or(1);
    for (y, text) in (top..).zip(lines) {
        put(buf, area, y, &Line::raw(" ".repeat(usize::from(area.width))));
        put(buf, area, y, &Line::from(vec![Span::raw(" "), Span::styled(text, appearance.style(role))]));
    }
}

/// What came back from a session before, or why nothing is kept for the next one.
fn about_drafts(state: &AppState, appearance: &Appearance, now: Now) -> (String, StyleRole) {
    match (&state.drafts.trouble, &state.drafts.back) {
        (Some(why), None) => {
            (format!("Drafts cannot be written: {why}. What you type is only in this window."), StyleRole::Error)
        }
        (_, Some(back)) => (back.sentence(&appearance.moment(back.at, now.wall), &state.link.service), StyleRole::Text),
        (None, None) => (String::new(), StyleRole::Text),
    }
}

fn draw_popup(
    state: &AppState,
    appearance: &Appearance,
    now: Now,
    buf: &mut Buffer,
    body: Rect,
    layout: &mut Layout,
) -> Option<Position> {
    match &state.popup {
        None | Some(Popup::Help(_)) => None,
        Some(Popup::Limit(limit_box)) => Some(boxes::draw_limit(buf, body, limit_box, state, appearance)),
        Some(Popup::Key(key_box)) => boxes::draw_key(buf, body, key_box, state, appearance, now),
        Some(Popup::Error(reader)) => {
            boxes::draw_error(buf, body, *reader, state, appearance, now, layout);
            None
        }
        Some(Popup::Text(text)) => {
            boxes::draw_text(buf, body, text, appearance, layout);
            None
        }
        Some(Popup::Changes(changes)) => {
            Some(pets::view::boxes::draw_changes(buf, body, *changes, state, appearance, now))
        }
        Some(Popup::Charts(charts)) => Some(pets::view::boxes::draw_charts(buf, body, charts, state, appearance)),
        Some(Popup::Themes(_)) => {
            boxes::draw_themes(buf, body, state, appearance);
            None
        }
        Some(Popup::Confirm(asked)) => Some(boxes::draw_confirm(buf, body, asked, state, appearance)),
        Some(Popup::Commands(commands)) => Some(boxes::draw_commands(buf, body, commands, appearance)),
        Some(Popup::Write(write)) => Some(boxes::draw_write(buf, body, write, appearance)),
        Some(Popup::Formats(formats)) => domains::view::draw_formats(buf, body, *formats, state, appearance),
        Some(Popup::Outside(outside)) => domains::view::draw_outside(buf, body, outside, appearance),
    }
}
