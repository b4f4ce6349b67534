//! How the pets screen looks: its tabs and rows, the pet under the cursor, and how many there are of each kind.

mod table;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::update::waits;
use super::{BUILT_IN, Tab};
use crate::api::Failure;
use crate::app::inventory::changes::{named, status};
use crate::app::inventory::store::Count;
use crate::model::columns::SortOrder;
use crate::model::export::Column;
use crate::model::{ObservedStatus, Pet, PetStatus, Provenance, cut, width, words};
use crate::tui::mouse::Target;
use crate::tui::widgets::page::FrameLayout;
use crate::tui::{App, Appearance, Health, Page, Slot, StyleRole, WIDE, cells};
use table::status_word;

/// The most rows that a banner takes from the table.
const BANNER_ROWS: usize = 3;

/// The least width of the list where there are panes beside it.
const LIST_BESIDE_PANES: u16 = 80;

/// The most columns of the panes: the list has the rest.
const PANES: u16 = 56;

/// The most columns that the name of a key takes in the detail.
const NAME_WIDTH: usize = 24;

/// Paints the screen.
pub fn draw(app: &App, page: &mut Page<'_>) {
    let body = page.area;
    page.y = 2;
    draw_banner(app, page);
    page.go_to(page.rest());
    let (rows, visible) = (app.pets.row_count(), usize::from(page.area.height.saturating_sub(3)));
    let top = table::first_visible(app.pets.cursor, page.layout.table_top, visible, rows);
    let (first, last) = (top.min(rows.saturating_sub(1)) + 1, (top + visible).min(rows));
    let title = if rows == 0 { "Pets".to_owned() } else { format!("Pets {first}-{last} of {rows} loaded") };
    if let Some(panes) = page.pane(LIST_BESIDE_PANES.max(page.area.width.saturating_sub(PANES)), &title) {
        table::draw(app, page);
        if !app.panes_wait {
            page.go_to(panes);
            draw_panes(app, page);
        }
    } else {
        let drawer = if app.pets.drawer && page.area.height >= 7 { 5 } else { 0 };
        let list = page.take(page.area.height - drawer);
        page.layout.detail = page.rest();
        page.go_to(list);
        table::draw(app, page);
        draw_selected(app, page);
    }
    page.go_to(body);
    draw_tabs(app, page);
    page.gap();
    draw_search(app, page);
}

/// Where only the cursor has moved, from row `from`: that row, the one that it is on now, and the detail; gives where they
/// are. `None` if the rows scroll.
pub fn draw_moved_cursor(from: usize, app: &App, page: &mut Page<'_>) -> Option<Vec<Rect>> {
    let mut painted = table::draw_moved_cursor(from, app, page)?;
    let FrameLayout { detail, detail_rows, .. } = page.layout;
    page.go_to(Rect { height: detail_rows, ..detail });
    // What an earlier frame wrote there goes first.
    page.blank();
    draw_selected(app, page);
    painted.push(Rect { height: detail_rows.max(page.layout.detail_rows), ..detail });
    Some(painted)
}

fn draw_tabs(app: &App, page: &mut Page<'_>) {
    let appearance = page.appearance;
    let is_wide = page.area.width >= WIDE;
    let (tabs, shown) = (&app.pets.tabs, app.pets.tab);
    let label = |(at, tab): (usize, &Tab)| {
        let role = StyleRole::InUse.when(at == shown);
        let (left, right) = if at == shown { ("[", "]") } else { (" ", " ") };
        let mut spans = vec![appearance.span(left, role)];
        if let Some(status) = tab.view.status.filter(|_| at < BUILT_IN) {
            spans.extend([appearance.status(Some(&status.into())), Span::raw(" ")]);
        }
        let name = appearance.text(&tab.view.name);
        let count = if at < BUILT_IN { app.pets.store.count(tab.view.status) } else { tab.count };
        spans.push(appearance.span(format!("{name} {}{right}", count_word(count)), role));
        Line::from(spans)
    };
    let all: Vec<Line<'_>> = tabs.iter().enumerate().map(label).collect();
    let widths: Vec<usize> = all.iter().map(Line::width).collect();
    let gap = |at: usize| usize::from(is_wide || at == 0);
    // Scrolled no further than needed for the tab that is shown; a sign at each edge says that there are more.
    let room = page.columns().saturating_sub(2);
    let needs = |from: usize| (from..=shown).map(|at| widths[at] + gap(at)).sum::<usize>();
    let first = (0..shown).find(|from| needs(*from) <= room).unwrap_or(shown);
    page.at(0, if first > 0 { "<" } else { "" }, StyleRole::Text);
    let mut x = 1;
    for (at, tab) in all.into_iter().enumerate().skip(first) {
        if at > shown && x + widths[at] > room + 1 {
            return page.right(0, ">", StyleRole::Text);
        }
        let [from, columns] = [x, widths[at]].map(cells);
        page.click(from, columns, Target::Tab(at));
        page.line_at(from, tab);
        x += widths[at] + gap(at);
    }
    let room = page.columns().saturating_sub(x + 1);
    let limit = app.pets.limit;
    let (long, brief) = (format!("limit {limit} (max 100) "), format!("limit {limit} "));
    // Pets without a status are on no other tab: how many are known matters more than the limit.
    let none = match app.pets.store.without_status() {
        0 => String::new(),
        count => format!("{count} not set "),
    };
    let texts = [format!("{none}  {long}"), format!("{none}  {brief}"), none];
    if let Some(text) = texts.iter().map(|text| text.trim_start()).find(|text| width(text) <= room) {
        page.right(0, text, StyleRole::Text);
    }
}

/// How many there are, if that is known.
fn count_word(count: Option<Count>) -> String {
    count.map_or_else(|| "-".to_owned(), |count| count.to_string())
}

/// Row 3: the search at the left, the order at the right.
fn draw_search(app: &App, page: &mut Page<'_>) {
    let pets = &app.pets;
    let all = pets.rows.order.len();
    let order = match pets.sort {
        _ if pets.is_best_first() => "best match".to_owned(),
        SortOrder { column: Column::Id, descending: true } => "newest first".to_owned(),
        SortOrder { column, descending } => {
            let by = if column == Column::CategoryId { "category" } else { column.as_str() };
            format!("{by}, {}", if descending { "down" } else { "up" })
        }
    };
    let result = if pets.searching || !pets.search.is_empty() {
        format!("{} of {all} rows   sort: {order} ", pets.row_count())
    } else {
        format!("sort: {order} ")
    };
    let hint = match all {
        0 => String::new(),
        1 => "type to search this row".to_owned(),
        _ => format!("type to search these {all} rows"),
    };
    page.search(&pets.search, pets.searching, &hint, &result);
}

/// Why the rows are old, and when the next retry is.
fn draw_banner(app: &App, page: &mut Page<'_>) {
    let rows = match app.pets.store.read().map(|at| page.now.seconds_since(at.mono)) {
        None => String::new(),
        Some(0..60) => " The rows below are less than a minute old.".to_owned(),
        Some(seconds) => format!(" The rows below are {} old.", words::age(seconds)),
    };
    let service = &app.link.service;
    // Another follows, so one that ends with the words of the service needs a full stop.
    let sentence_of = |failure: &Failure| match failure.sentence(service) {
        words if words.ends_with('"') && !words.ends_with(".\"") => words + ".",
        sentence => sentence,
    };
    let (text, keys) = match &app.link.health {
        Health::Unknown | Health::Ok { .. } => return,
        Health::KeyRefused { .. } if !app.link.has_key() => {
            (format!("No API key is set for {service}. No request was sent."), "F4: enter one")
        }
        Health::KeyRefused { failure } => {
            (format!("{}{rows}", sentence_of(failure)), "F4: enter another key   e: details")
        }
        Health::Away { failure, tries, next_try } => {
            let (again, keys) = match next_try {
                _ if app.pending.is_running(Slot::List) => (" Retrying ...".to_owned(), "e: details"),
                Some(at) => {
                    let left = page.now.seconds_until(*at);
                    let again = format!(" Retry in {}:{:02} (attempt {}).", left / 60, left % 60, tries + 1);
                    (again, "r: now   e: details")
                }
                None if matches!(failure, Failure::NotStarted { .. }) => (String::new(), "e: details   q: quit"),
                None => (String::new(), "r: retry   e: details"),
            };
            (format!("{}{rows}{again}", sentence_of(failure)), keys)
        }
    };
    page.banner_with_keys(&text, keys, BANNER_ROWS);
}

/// What to do when the table is empty.
fn draw_empty(app: &App, page: &mut Page<'_>) {
    let pets = &app.pets;
    // That there were none in an earlier session says nothing of this one.
    if pets.store.read().is_none() || pets.store.is_cached() && pets.store.pets().is_empty() {
        let text = match app.pending.since(Slot::List) {
            Some(since) => {
                let seconds = page.now.seconds_since(since);
                format!("Loading pets from {} ... ({seconds} s, Ctrl-C cancels)", app.link.service)
            }
            None if app.key_refused() => "Nothing loaded yet. F4 asks for the API key.".to_owned(),
            None => "Nothing loaded yet. r loads the rows.".to_owned(),
        };
        page.paragraph(3, &text);
    } else if !pets.search.is_empty() {
        if let Some(elsewhere) = elsewhere(app) {
            return page.paragraph(3, &elsewhere);
        }
        let typed = cut(&page.appearance.text(pets.search.value()), 30);
        page.paragraph(3, &format!("No row matches \"{typed}\". Esc clears the search."));
        if !pets.store.covers(pets.filter()) {
            page.paragraph(3, &rest(app));
        }
    } else if let Some(status) = pets.filter() {
        let so_far = if pets.store.covers(Some(status)) { "" } else { " so far" };
        page.line(format!("   No pets with status {status}{so_far}. 0 for all, a to add one."));
    } else if !pets.store.covers(None) {
        page.paragraph(3, &rest(app));
    } else {
        page.line("   No pets yet. What you can do:");
        page.gap();
        let adding = [("a", "add the first one"), ("I", "import a file"), ("S", "load 25 samples to try things out")];
        let adding = if app.link.read_only { &[] } else { &adding[..] };
        for (key, what) in adding.iter().chain(&[("q", "quit, and in the shell:")]) {
            page.line(vec!["   ".into(), page.appearance.span(format!("{key:<12}"), StyleRole::Key), (*what).into()]);
        }
        page.gap();
        page.line("     petstore --demo               opens 250 sample pets");
        if app.link.embedded {
            page.line("     petstore --base-url URL       uses another service");
        }
    }
}

/// Where a pet is that is searched for, and that another tab has.
fn elsewhere(app: &App) -> Option<String> {
    let pets = &app.pets;
    let query = pets.searched();
    pets.filter()?;
    let pet = pets.store.pets().iter().rev().find(|pet| query.fits(pet))?;
    let what = pet.status.as_ref().map_or("has no status".to_owned(), |_| format!("is {}", status(pet)));
    Some(format!("{} {what}; All (0) shows it.", named(pet)))
}

/// The line without a message: where the cursor is, and whether there are more rows.
pub fn place(app: &App, page: &Page<'_>) -> String {
    let (pets, rows) = (&app.pets, app.pets.row_count());
    let all = pets.marked.len();
    let marked = match all - pets.rows_from(0).filter(|pet| pets.marked.contains(&pet.id)).count() {
        _ if all == 0 => String::new(),
        0 => format!("{all} marked; Esc unmarks. "),
        hidden => format!("{all} marked, {hidden} not in these rows; Esc unmarks. "),
    };
    if rows == 0 {
        return marked;
    }
    let here = format!("{marked}Row {} of {rows}.", (app.pets.cursor + 1).min(rows));
    let since = app.pets.store.read().filter(|_| app.pets.store.is_cached());
    let more = since.map_or_else(|| rest(app), |at| format!("From {}.", page.moment(at.wall)));
    let is_first = app.pets.teaches && app.pets.cursor == 0 && app.pets.last_change.is_empty();
    let sale = if is_first { " Press s and Enter to sell this pet; u undoes that." } else { "" };
    format!("{here} {more}{sale}")
}

/// Whether there are more pets than the tab shows, and where they are.
pub fn rest(app: &App) -> String {
    let store = &app.pets.store;
    match store.coverage() {
        _ if store.covers(app.pets.filter()) => "No more rows.".to_owned(),
        _ if [Slot::List, Slot::Inventory].into_iter().any(|slot| app.pending.is_running(slot)) => {
            "Loading more ...".to_owned()
        }
        _ if waits(app) => "There may be more, which load when the service is back.".to_owned(),
        Some(coverage) if coverage.is_cut => {
            let newest = if coverage.from.is_some() { "the newest " } else { "" };
            format!("There are more: only {newest}{} are loaded.", store.pets().len())
        }
        Some(_) => "There may be more: the service lists only 100 of a status.".to_owned(),
        None => "There may be more: r loads them.".to_owned(),
    }
}

/// The same with a note if this version does not know it.
fn status_in_detail(appearance: &Appearance, pet: &Pet) -> String {
    match &pet.status {
        Some(ObservedStatus::Unknown(_)) => format!("{} (unknown)", cut(&status_word(appearance, pet), 12)),
        Some(ObservedStatus::Known(_)) | None => status_word(appearance, pet),
    }
}

/// The pet under the cursor: under the list, or in a box beside it.
fn draw_selected(app: &App, page: &mut Page<'_>) {
    let detail = page.layout.detail;
    page.go_to(detail);
    if detail.x > 0 {
        draw_detail(app, page);
    } else if detail.height > 0 {
        draw_drawer(app, page);
    }
    page.layout.detail_rows = (page.area.y + page.y - detail.y).min(detail.height);
}

/// The detail under the list, with the counts as bars.
fn draw_drawer(app: &App, page: &mut Page<'_>) {
    let Some(pet) = app.pets.selected() else { return };
    let appearance = page.appearance;
    let title = format!(" Pet {} ", pet.id);
    let from = match app.pets.provenance.of.get(&pet.id) {
        Some(provenance) => format!(" added: {} ", provenance_words(provenance, page)),
        None => format!(" {} ", origin(app, appearance)),
    };
    let room = page.columns().saturating_sub(10 + width(&title));
    let from = cut(&from, room);
    let middle = room - width(&from);
    let rule = format!("{}{title}{}{from}{}", appearance.rule(4), appearance.rule(middle), appearance.rule(3));
    page.heading(format!(" {rule}"));
    let name = cut(&appearance.text(&pet.name), page.columns().saturating_sub(14));
    page.line(format!(" Name       {name}"));
    let mark = appearance.status(pet.status.as_ref());
    // The id is whole in the title above. What does not fit ends with a mark, so that nothing cut reads as whole.
    let category = cut(&appearance.text(&app.pets.categories.label(pet.category_id)), 20);
    let before = format!(" Category   {category}{}   Status  ", " ".repeat(20 - width(&category)));
    let after = format!(" {:<12}  Id  {}", status_in_detail(appearance, pet), pet.id);
    let after = cut(&after, page.columns().saturating_sub(width(&before) + mark.width()));
    page.line(vec![before.into(), mark, after.into()]);
    let mut spans = vec![" Of all     ".into()];
    let most = most(app).max(1);
    for status in PetStatus::ALL {
        let Some(count) = app.pets.store.count(Some(status)) else { continue };
        let (_, role) = appearance.mark(Some(&status.into()));
        let bar = appearance.span(appearance.bar(count.seen * 7 / most), role);
        spans.extend([format!("{status} ").into(), bar, format!(" {count}   ").into()]);
    }
    page.line(spans);
    if let Some(last) = app.pets.history.lines(pet.id, &app.pets.categories, page.now).next() {
        page.line(format!(" History    {}", cut(&appearance.text(&last), page.columns().saturating_sub(13))));
    }
}

/// Where the pet in the detail comes from.
fn origin(app: &App, appearance: &Appearance) -> String {
    let read = app.pets.store.read().map_or(String::new(), |at| appearance.time(at.wall));
    format!("from the list, {read}")
}

/// The panes at the right: detail, and two charts.
fn draw_panes(app: &App, page: &mut Page<'_>) {
    let by_category = &app.pets.rows.categories;
    let category_rows = if page.area.height >= 30 { cells(by_category.len().min(10)) + 4 } else { 0 };
    page.layout.detail = page.take(page.area.height - 7.min(page.area.height) - category_rows);
    let of_status = page.take(7);
    let of_category = page.take(category_rows);
    draw_selected(app, page);
    page.go_to(of_status);
    page.boxed("Status");
    page.gap();
    for status in PetStatus::ALL {
        let count = app.pets.store.count(Some(status));
        let (mark, role) = page.appearance.mark(Some(&status.into()));
        let label = format!("{mark} {:<10}", status.as_str());
        draw_bar(&label, (count.map_or(0, |count| count.seen), most(app)), &count_word(count), role, page);
        page.gap();
    }
    if category_rows > 0 {
        page.go_to(of_category);
        page.boxed("Category, these rows");
        page.gap();
        let most = by_category.first().map_or(0, |(_, count)| *count);
        for (category, count) in by_category.iter().take(page.left().into()) {
            let name = app.pets.categories.name(*category).unwrap_or_default();
            let label = format!("{category:>10} {}", page.column(name, app.pets.categories.longest() + 1));
            draw_bar(&cut(&label, 22), (*count, most), &count.to_string(), StyleRole::Text, page);
            page.gap();
        }
    }
}

/// The largest number of pets of one status.
fn most(app: &App) -> usize {
    let counts = PetStatus::ALL.into_iter().filter_map(|status| app.pets.store.count(Some(status)));
    counts.map(|count| count.seen).max().unwrap_or(0)
}

/// On the row, a bar for a value and the most that there is of it.
fn draw_bar(label: &str, (value, most): (usize, usize), number: &str, role: StyleRole, page: &mut Page<'_>) {
    let room = page.columns().saturating_sub(width(label) + 8);
    let columns = if most == 0 { 0 } else { (value * room).div_ceil(most).min(room) };
    page.line_at(0, vec![format!(" {label} ").into(), page.appearance.span(page.appearance.bar(columns), role)]);
    page.right(1, number, StyleRole::Text);
}

/// The pet under the cursor in a box.
fn draw_detail(app: &App, page: &mut Page<'_>) {
    let pet = app.pets.selected();
    page.boxed(&pet.map_or_else(|| "No pet".to_owned(), |pet| format!("Pet {}", pet.id)));
    let Some(pet) = pet else { return };
    let appearance = page.appearance;
    page.gap();
    page.labelled(" Name       ", &pet.name, 4);
    page.labelled(" Category   ", &app.pets.categories.label(pet.category_id), 2);
    let status = format!(" {}", status_in_detail(appearance, pet));
    page.line(vec![" Status     ".into(), appearance.status(pet.status.as_ref()), status.into()]);
    page.line(format!(" Id         {}", pet.id));
    if let Some(provenance) = app.pets.provenance.of.get(&pet.id) {
        page.labelled(" Added      ", &provenance_words(provenance, page), 2);
    }
    page.gap();
    page.line(format!(" Seen       {}", origin(app, appearance)));
    let mut counts = app.pets.rows.categories.iter();
    let others = counts.find(|(category, _)| *category == pet.category_id).map_or(0, |(_, count)| *count);
    page.line(format!(" Category {}: {others} in this list", pet.category_id));
    let mut label = " History    ";
    for line in app.pets.history.lines(pet.id, &app.pets.categories, page.now) {
        // Below it there are a blank row and the keys.
        if page.left() < 5 {
            break;
        }
        page.labelled(std::mem::replace(&mut label, "            "), &line, 3);
    }
    page.gap();
    page.quiet(" y copy id   Y JSON   c curl (no key)");
}

/// Who added a pet and when, in words.
fn provenance_words(provenance: &Provenance, page: &Page<'_>) -> String {
    let by = provenance.by().map(|by| format!("by {}", cut(&page.appearance.text(by), NAME_WIDTH)));
    let at = provenance.added_at.map(|at| page.moment(at));
    by.into_iter().chain(at).reduce(|by, at| format!("{by}, {at}")).unwrap_or_else(|| "not recorded".to_owned())
}
