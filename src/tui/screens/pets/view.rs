//! How the pets screen looks.

pub(super) mod detail;
mod lookup;
mod table;

use ratatui::text::{Line, Span};

use crate::api::Failure;
use crate::clock::Now;
use crate::model::text::{cut, width};
use crate::model::words;
use crate::model::{Limit, PetStatus};
use crate::tui::pending::Slot;
use crate::tui::screens::pets::{Count, ListSource, SortBy};
use crate::tui::state::{AppState, Health, Layout};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::page::Page;
use crate::tui::widgets::{WIDE, banner_with_keys};

use super::update::{may_have_more, waits};

/// The most rows that a banner takes from the table.
const BANNER_ROWS: usize = 3;

/// The width of the list where there are panes beside it.
const LIST_BESIDE_PANES: u16 = 80;

/// Paints the screen.
pub fn draw(state: &AppState, now: Now, page: &mut Page<'_>, layout: &mut Layout) {
    let body = page.area;
    if let Some(by_id) = &state.pets.by_id {
        layout.table_rows = body.height;
        lookup::draw(by_id, state, now, page);
        return;
    }
    page.y = 2;
    draw_banner(state, now, page);
    page.go_to(page.rest());
    let title = list_title(state, layout.table_top, page.area.height.saturating_sub(3).into());
    if let Some(panes) = page.pane(LIST_BESIDE_PANES, &title) {
        table::draw(state, now, page, layout);
        page.go_to(panes);
        detail::draw_panes(state, page);
    } else {
        let drawer = if state.pets.drawer && page.area.height >= 10 { 5 } else { 0 };
        let list = page.take(page.area.height - drawer);
        let below = page.rest();
        page.go_to(list);
        table::draw(state, now, page, layout);
        if drawer > 0 {
            page.go_to(below);
            detail::draw_drawer(state, page);
        }
    }
    page.go_to(body);
    draw_tabs(state, page);
    page.gap();
    draw_search(state, page);
}

fn draw_tabs(state: &AppState, page: &mut Page<'_>) {
    let appearance = page.appearance;
    let blank_after_all = page.area.width >= WIDE;
    let mut spans = vec![Span::raw(" ")];
    let mut tab = |filter: Option<PetStatus>, number: Option<Count>| {
        let in_use = state.pets.filter == filter;
        let role = StyleRole::InUse.when(in_use);
        let (left, right) = if in_use { ("[", "]") } else { (" ", " ") };
        spans.push(appearance.span(left, role));
        if let Some(status) = filter {
            spans.extend([appearance.status(Some(&status.into())), Span::raw(" ")]);
        }
        let word = filter.map_or("All", PetStatus::as_str);
        spans.push(appearance.span(format!("{word} {}{right}", count_word(number)), role));
        spans.push(Span::raw(if blank_after_all || filter.is_none() { " " } else { "" }));
    };
    tab(None, state.pets.total());
    for status in PetStatus::ALL {
        tab(Some(status), state.pets.count(status));
    }
    let tabs = Line::from(spans);
    let room = page.columns().saturating_sub(tabs.width() + 1);
    page.line_at(0, tabs);
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
    if let Some(text) = [long, short].into_iter().find(|text| width(text) <= room) {
        page.right(0, &text, StyleRole::Text);
    }
}

/// How many there are, if that is known.
pub(super) fn count_word(count: Option<Count>) -> String {
    count.map_or_else(|| "-".to_owned(), |count| count.to_string())
}

/// Row 3: the search at the left, the order at the right.
fn draw_search(state: &AppState, page: &mut Page<'_>) {
    let pets = &state.pets;
    let all = pets.rows().of();
    let order = match (pets.sort.by, pets.sort.descending) {
        _ if pets.is_best_first() => "best match".to_owned(),
        (SortBy::AsItCame, false) => SortBy::AsItCame.to_string(),
        (SortBy::AsItCame, true) => "service order, reversed".to_owned(),
        (by, descending) => format!("{by}, {}", if descending { "down" } else { "up" }),
    };
    let result = if pets.searching || !pets.search.is_empty() {
        format!("{} of {all} rows   sort: {order} ", pets.row_count())
    } else {
        format!("sort: {order} ")
    };
    let hint = if all == 0 { String::new() } else { format!("type to search these {all} rows") };
    page.search(&pets.search, pets.searching, &hint, &result);
}

/// Why the rows are old, and when the next retry is.
fn draw_banner(state: &AppState, now: Now, page: &mut Page<'_>) {
    let age = state.pets.read_at().map(|at| now.seconds_since(at.mono));
    let rows = match age {
        None => String::new(),
        Some(0..60) => " The rows below are less than a minute old.".to_owned(),
        Some(seconds) => format!(" The rows below are {} old.", words::age(seconds)),
    };
    let service = &state.link.service;
    let (text, keys) = match &state.link.health {
        Health::Unknown | Health::Ok { .. } => return,
        Health::KeyRefused { .. } if !state.link.has_key() => {
            (format!("No API key is set for {service}. No request was sent."), "F4: enter one")
        }
        Health::KeyRefused { failure } => {
            (format!("{}{rows}", failure.sentence(service)), "F4: enter another key   e: details")
        }
        Health::Away { failure, tries, next_try } => {
            let (again, keys) = match next_try {
                _ if state.pending.is_running(Slot::List) => (" Retrying ...".to_owned(), "e: details"),
                Some(at) => {
                    let left = now.seconds_until(*at);
                    let again = format!(" Retry in {}:{:02} (attempt {}).", left / 60, left % 60, tries + 1);
                    (again, "r: now   e: details")
                }
                None if matches!(failure, Failure::NotStarted { .. }) => (String::new(), "e: details   q: quit"),
                None => (String::new(), "r: retry   e: details"),
            };
            (format!("{}{rows}{again}", failure.sentence(service)), keys)
        }
    };
    let text = page.appearance.text(&text);
    for line in banner_with_keys(&text, keys, page.area.width, BANNER_ROWS, page.appearance) {
        page.line(line);
    }
}

/// What to do when the table is empty.
fn draw_empty(state: &AppState, now: Now, page: &mut Page<'_>) {
    let pets = &state.pets;
    if pets.list().is_none() {
        let text = match state.pending.since(Slot::List) {
            Some(since) => {
                let seconds = now.seconds_since(since);
                format!("Loading pets from {} ... ({seconds} s, Ctrl-C cancels)", state.link.service)
            }
            None if state.key_refused() => "Nothing loaded yet. F4 asks for the API key.".to_owned(),
            None => "Nothing loaded yet. r loads the rows.".to_owned(),
        };
        page.paragraph(3, &text);
    } else if !pets.search.is_empty() {
        let typed = cut(&page.appearance.text(pets.search.value()), 30);
        page.paragraph(3, &format!("No row matches \"{typed}\". Esc clears the search."));
        if !pets.whole.is_there() && may_have_more(state) {
            let way = if pets.searching { "Tab" } else { "W" };
            page.line(format!("   There may be more pets: {way} searches all of them."));
        }
    } else if let Some(status) = pets.filter {
        page.line(format!("   No pets with status {status}. 0 for all, a to add one."));
    } else {
        page.line("   No pets yet. What you can do:");
        page.gap();
        for (key, what) in
            [("a", "add the first one"), ("S", "load 25 samples to try things out"), ("q", "quit, and in the shell:")]
        {
            page.line(vec!["   ".into(), page.appearance.span(format!("{key:<12}"), StyleRole::Key), what.into()]);
        }
        page.gap();
        page.line("     petstore pets add - < FILE    adds pets from NDJSON");
        page.line("     petstore --demo               opens 250 sample pets");
        if state.link.embedded {
            page.line("     petstore --base-url URL       uses another service");
        }
    }
}

fn list_title(state: &AppState, top: usize, visible: usize) -> String {
    let rows = state.pets.row_count();
    let first = top.min(rows.saturating_sub(1)) + 1;
    let last = (top + visible).min(rows);
    if rows == 0 { "Pets".to_owned() } else { format!("Pets {first}-{last} of {rows} loaded") }
}

/// The line without a message: where the cursor is, and whether there are more rows.
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
        let count = state.pets.whole.coming.len();
        return format!("Loading the whole inventory: {count} pets. Ctrl-C stops.");
    }
    match state.pets.changes.unseen {
        0 => {}
        1 => return format!("{here} 1 change: C shows it."),
        many => return format!("{here} {many} changes: C shows them."),
    }
    if state.pets.whole.is_there() {
        let all = if state.pets.whole.is_complete() { "All pets are loaded." } else { "Incomplete: r loads all." };
        return format!("{here} {all} W goes back.");
    }
    let list = state.pets.list();
    let loading_more = state.pending.is_running(Slot::More);
    match list {
        _ if loading_more => format!("{here} Loading more ..."),
        Some(loaded) if loaded.source == ListSource::Picked => {
            let rest = if state.pending.is_running(Slot::List) { "; loading the rest" } else { "" };
            format!("{here} From other lists{rest}.")
        }
        Some(loaded) if loaded.source == ListSource::Cached => {
            format!("{here} From {}.", appearance.moment(loaded.at.wall, now.wall))
        }
        Some(loaded) if loaded.list.next().is_some() && waits(state) => format!("{here} There are more."),
        _ if !state.pets.search.is_empty() && may_have_more(state) => {
            let way = if state.pets.searching { "Tab" } else { "W" };
            format!("{here} {way} searches all pets.")
        }
        Some(loaded) if loaded.list.next().is_some() => {
            format!("{here} Down on the last row loads more.")
        }
        _ if !may_have_more(state) => format!("{here} No more rows."),
        _ if state.pets.limit == Limit::MAX => {
            format!("{here} Limit of 100 reached. Try a status tab.")
        }
        _ => format!("{here} There may be more: + shows more rows."),
    }
}
