//! How the pets screen looks.

pub mod boxes;
mod detail;
mod lookup;
mod table;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::api::Failure;
use crate::clock::Now;
use crate::model::text::{cut, width};
use crate::model::words;
use crate::model::{Limit, ObservedStatus, PetStatus};
use crate::tui::pending::Slot;
use crate::tui::screens::pets::{Count, ListSource, SortBy};
use crate::tui::state::{AppState, Health, Layout};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::{WIDE, banner_with_keys, boxed, put, put_right};

use super::update::{may_have_more, waits};

/// The most rows that a banner takes from the table.
const BANNER_ROWS: usize = 3;

/// The width of the list where there are panes beside it.
const LIST_BESIDE_PANES: u16 = 80;

/// Paints the screen into `body`, the rows between header and message.
pub fn draw(
    state: &AppState,
    appearance: &Appearance,
    now: Now,
    buf: &mut Buffer,
    body: Rect,
    layout: &mut Layout,
) -> Option<Position> {
    let wide = body.width >= WIDE;
    if let Some(by_id) = &state.pets.by_id {
        layout.table_rows = body.height;
        return Some(lookup::draw(buf, body, by_id, state, appearance, now));
    }
    draw_tabs(buf, body, state, appearance, wide);
    let search_cursor = draw_search(buf, body, state, appearance);
    let mut top = 2;
    for line in &banner_lines(state, appearance, now, body.width) {
        put(buf, body, top, line);
        top += 1;
    }
    let rest = Rect { y: body.y + top, height: body.height.saturating_sub(top), ..body };
    let row_cursor = if wide {
        let list = Rect { width: LIST_BESIDE_PANES, ..rest };
        let panes = Rect { x: list.right(), width: rest.width - list.width, ..rest };
        detail::draw_panes(buf, panes, state, appearance);
        let inner = boxed(buf, list, &list_title(state, layout), appearance);
        table::draw(buf, inner, state, appearance, now, layout)
    } else {
        let drawer = if state.pets.drawer && rest.height >= 10 { 5 } else { 0 };
        let list = Rect { height: rest.height - drawer, ..rest };
        if drawer > 0 {
            detail::draw_drawer(buf, Rect { y: list.bottom(), height: drawer, ..rest }, state, appearance);
        }
        table::draw(buf, list, state, appearance, now, layout)
    };
    search_cursor.or(row_cursor)
}

fn draw_tabs(buf: &mut Buffer, body: Rect, state: &AppState, appearance: &Appearance, wide: bool) {
    let mut spans = vec![Span::raw(" ")];
    let count = |count: Option<Count>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
    let mut tab = |filter: Option<PetStatus>, number: Option<Count>| {
        let in_use = state.pets.filter == filter;
        let style = appearance.style(if in_use { StyleRole::InUse } else { StyleRole::Text });
        let (left, right) = if in_use { ("[", "]") } else { (" ", " ") };
        spans.push(Span::styled(left, style));
        let status = filter.map(ObservedStatus::from);
        if status.is_some() {
            let (mark, role) = appearance.mark(status.as_ref());
            spans.push(Span::styled(mark, appearance.style(role)));
            spans.push(Span::raw(" "));
        }
        let word = filter.map_or("All", PetStatus::as_str);
        spans.push(Span::styled(format!("{word} {}{right}", count(number)), style));
        spans.push(Span::raw(if wide || filter.is_none() { " " } else { "" }));
    };
    tab(None, state.pets.total());
    for status in PetStatus::ALL {
        tab(Some(status), state.pets.count(status));
    }
    let tabs = Line::from(spans);
    put(buf, body, 0, &tabs);
    let pages = state.pets.list().map_or(1, |loaded| loaded.list.pages());
    let limit = state.pets.limit;
    let (long, short) = match pages {
        _ if state.pets.whole.is_there() && state.pets.whole.is_complete() => {
            ("the whole inventory ".to_owned(), "all ".to_owned())
        }
        _ if state.pets.whole.is_there() => ("part of the inventory ".to_owned(), "a part ".to_owned()),
        0 | 1 => (format!("show {limit} (max 100) "), format!("show {limit} ")),
        _ => (format!("show {limit} a page, {pages} pages "), format!("show {limit} ")),
    };
    let room = usize::from(body.width).saturating_sub(tabs.width() + 1);
    if let Some(text) = [long, short].into_iter().find(|text| width(text) <= room) {
        put_right(buf, body, 0, &text, appearance, StyleRole::Text);
    }
}

/// Row 3: the search at the left, the order at the right.
fn draw_search(buf: &mut Buffer, body: Rect, state: &AppState, appearance: &Appearance) -> Option<Position> {
    let pets = &state.pets;
    let all = pets.rows().of();
    let order = match (pets.sort.by, pets.sort.descending) {
        _ if pets.is_best_first() => "best match".to_owned(),
        (SortBy::AsItCame, false) => "as it came".to_owned(),
        (SortBy::AsItCame, true) => "as it came, turned".to_owned(),
        (by, descending) => format!("{}, {}", by.word(), if descending { "down" } else { "up" }),
    };
    let right = if pets.searching || !pets.search.is_empty() {
        format!("{} of {all} rows   sort: {order} ", pets.row_count())
    } else {
        format!("sort: {order} ")
    };
    put_right(buf, body, 1, &right, appearance, StyleRole::Text);
    let room = usize::from(body.width).saturating_sub(width(&right) + 5);
    if pets.searching || !pets.search.is_empty() {
        let (shown, cursor) = pets.search.window(room);
        put(
            buf,
            Rect { width: body.width - 1, ..body },
            1,
            &Line::from(vec![
                Span::styled(" / ", appearance.style(StyleRole::Key)),
                Span::styled(appearance.text(&shown), appearance.style(StyleRole::Heading)),
            ]),
        );
        let x = body.x + 3 + u16::try_from(cursor).unwrap_or(0);
        return pets.searching.then_some(Position { x, y: body.y + 1 });
    }
    let hint = if all == 0 { String::new() } else { cut(&format!("type to search these {all} rows"), room) };
    put(
        buf,
        body,
        1,
        &Line::from(vec![
            Span::styled(" / ", appearance.style(StyleRole::Key)),
            Span::styled(hint, appearance.style(StyleRole::Quiet)),
        ]),
    );
    None
}

/// Why the rows are old, and when they are asked for again.
fn banner_lines(state: &AppState, appearance: &Appearance, now: Now, columns: u16) -> Vec<Line<'static>> {
    let age = state.pets.read_at().map(|at| now.mono.saturating_duration_since(at.mono).as_secs());
    let rows = match age {
        None => String::new(),
        Some(0..60) => " The rows below are less than a minute old.".to_owned(),
        Some(seconds) => format!(" The rows below are {} old.", words::age(seconds)),
    };
    let service = &state.link.service;
    let (text, keys) = match &state.link.health {
        Health::Unknown | Health::Ok { .. } => return Vec::new(),
        Health::KeyRefused { .. } if !state.link.has_key() => {
            (format!("No API key is set for {service}. Nothing has been asked."), "F4: enter one")
        }
        Health::KeyRefused { failure } => {
            (format!("{}{rows}", failure.sentence(service)), "F4: enter another key   e: details")
        }
        Health::Away { failure, tries, next_try } => {
            let (again, keys) = match next_try {
                _ if state.pending.is_running(Slot::List) => (" Trying again ...".to_owned(), "e: details"),
                Some(at) => {
                    let left = at.saturating_duration_since(now.mono).as_millis().div_ceil(1000);
                    let again = format!(" Trying again in {}:{:02} (try {}).", left / 60, left % 60, tries + 1);
                    (again, "r: now   e: details")
                }
                None if matches!(failure, Failure::NotStarted { .. }) => (String::new(), "e: details   q: quit"),
                None => (String::new(), "r: ask again   e: details"),
            };
            (format!("{}{rows}{again}", failure.sentence(service)), keys)
        }
    };
    banner_with_keys(&appearance.text(&text), keys, columns, BANNER_ROWS, appearance)
}

/// What stands in an empty table: never nothing, always what to do next.
fn empty_lines(state: &AppState, appearance: &Appearance, now: Now) -> Vec<Line<'static>> {
    let pets = &state.pets;
    let service = appearance.text(&state.link.service);
    if let Some(since) = state.pending.since(Slot::List)
        && pets.list().is_none()
    {
        let seconds = now.mono.saturating_duration_since(since).as_secs();
        return vec![Line::raw(format!("   Loading pets from {service} ... ({seconds} s, Ctrl-C cancels)"))];
    }
    if pets.list().is_none() && state.key_refused() {
        return vec![Line::raw("   No rows have been read yet. F4 asks for the API key.")];
    }
    if pets.list().is_none() {
        return vec![Line::raw("   No rows have been read yet. r asks for them.")];
    }
    if !pets.search.is_empty() {
        let typed = cut(&appearance.text(pets.search.value()), 30);
        let mut lines = vec![Line::raw(format!("   None of these rows matches \"{typed}\". Esc clears the search."))];
        if !pets.whole.is_there() && may_have_more(state) {
            lines.push(Line::raw("   There may be others: Esc, then W reads the whole inventory."));
        }
        return lines;
    }
    if let Some(status) = pets.filter {
        return vec![Line::raw(format!("   No pets with status {status}. 0 for all, a to add one."))];
    }
    let key = appearance.style(StyleRole::Key);
    let line = |left: &'static str, right: &'static str| {
        Line::from(vec![Span::raw("   "), Span::styled(format!("{left:<12}"), key), Span::raw(right)])
    };
    let mut lines = vec![
        Line::raw("   There are no animals here yet. What you can do:"),
        Line::raw(""),
        line("a", "add the first one"),
        line("S", "load 25 samples to try things out"),
        line("q", "leave, and at the shell:"),
        Line::raw(""),
        Line::raw("     petstore pets add - < FILE         add the animals of a file,"),
        Line::raw("                                        one JSON object a line"),
        Line::raw("     petstore --demo                    look around among 250 samples"),
    ];
    if state.link.embedded {
        lines.push(Line::raw("     petstore --base-url URL            connect to another service"));
        lines.push(Line::raw("                                        (its key in PETSTORE_API_KEY)"));
    }
    lines
}

fn list_title(state: &AppState, layout: &Layout) -> String {
    let rows = state.pets.row_count();
    let first = layout.table_top.min(rows.saturating_sub(1)) + 1;
    let last = (layout.table_top + usize::from(layout.table_rows)).min(rows);
    if rows == 0 { "Pets".to_owned() } else { format!("Pets {first}-{last} of {rows} here") }
}

/// The message line when nothing else is to be said: where the cursor is, and whether there is more.
#[must_use]
pub fn place(state: &AppState, appearance: &Appearance, now: Now) -> String {
    if let Some(by_id) = &state.pets.by_id {
        return by_id.word();
    }
    let rows = state.pets.row_count();
    let reading = state.pending.is_running(Slot::Inventory);
    if rows == 0 && !reading {
        return String::new();
    }
    let here = format!("Row {} of {rows}.", (state.pets.cursor() + 1).min(rows));
    if reading {
        let animals = state.pets.whole.coming();
        return format!("Reading the whole inventory: {animals} animals so far. Ctrl-C stops.");
    }
    match state.pets.changes.unseen {
        0 => {}
        1 => return format!("{here} 1 change: C shows it."),
        many => return format!("{here} {many} changes: C shows them."),
    }
    if state.pets.whole.is_there() {
        let all = if state.pets.whole.is_complete() { "These are all" } else { "There may be more: r reads all" };
        return format!("{here} {all}. W goes back to the lists.");
    }
    let list = state.pets.list();
    let loading_more = state.pending.is_running(Slot::More);
    match list {
        _ if loading_more => format!("{here} Loading more ..."),
        Some(loaded) if loaded.source == ListSource::Picked => {
            let rest = if state.pending.is_running(Slot::List) { "; asking for the rest" } else { "" };
            format!("{here} Picked from other lists{rest}.")
        }
        Some(loaded) if loaded.source == ListSource::Cached => {
            format!("{here} From {}.", appearance.moment(loaded.at.wall, now.wall))
        }
        Some(loaded) if loaded.list.next().is_some() && waits(state) => format!("{here} There are more."),
        Some(loaded) if loaded.list.next().is_some() => {
            format!("{here} There are more: Down on the last row loads them.")
        }
        _ if !may_have_more(state) => format!("{here} These are all."),
        _ if state.pets.limit == Limit::MAX => {
            format!("{here} 100 is the most one request gives. A status tab may show others.")
        }
        _ => format!("{here} There may be more: press + for more rows, L for another number."),
    }
}
