//! The pet under the cursor, and how many there are of each kind: under the list, or beside it.

use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::clock::Now;
use crate::model::text::{cut, width};
use crate::model::{ObservedStatus, Pet, PetStatus};
use crate::tui::screens::pets::provenance;
use crate::tui::state::{AppState, Layout};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::page::Page;

use super::count_word;
use super::table::status_word;

/// The same with a note if this version does not know it.
fn status_in_detail(appearance: &Appearance, pet: &Pet) -> String {
    match &pet.status {
        Some(ObservedStatus::Unknown(_)) => format!("{} (unknown)", cut(&status_word(appearance, pet), 12)),
        Some(ObservedStatus::Known(_)) | None => status_word(appearance, pet),
    }
}

/// The pet under the cursor: under the list, or in a box beside it. What an earlier frame wrote there goes first.
pub(super) fn redraw(state: &AppState, now: Now, page: &mut Page<'_>, layout: &mut Layout) {
    page.go_to(Rect { height: layout.detail_rows, ..layout.detail.into() });
    page.blank();
    draw(state, now, page, layout);
}

/// The same where nothing was written before.
pub(super) fn draw(state: &AppState, now: Now, page: &mut Page<'_>, layout: &mut Layout) {
    let detail = layout.detail;
    page.go_to(detail.into());
    if detail.x > 0 {
        draw_detail(state, now, page);
    } else if detail.rows > 0 {
        draw_drawer(state, now, page);
    }
    layout.detail_rows = (page.area.y + page.y - detail.y).min(detail.rows);
}

/// The detail under the list, with the counts as bars.
fn draw_drawer(state: &AppState, now: Now, page: &mut Page<'_>) {
    let Some(pet) = state.pets.selected() else { return };
    let appearance = page.appearance;
    let title = format!(" Pet {} ", pet.id);
    let from = match state.pets.provenance.get(pet.id) {
        Some(provenance) => format!(" added: {} ", provenance::words(provenance, appearance, now)),
        None => format!(" {} ", origin(state, appearance)),
    };
    let from = cut(&from, page.columns().saturating_sub(10 + width(&title)));
    let middle = page.columns().saturating_sub(10 + width(&title) + width(&from));
    let rule = format!("{}{title}{}{from}{}", appearance.rule(4), appearance.rule(middle), appearance.rule(3));
    page.heading(format!(" {rule}"));
    let name = cut(&appearance.text(&pet.name), page.columns().saturating_sub(14));
    page.line(format!(" Name       {name}"));
    let mark = appearance.status(pet.status.as_ref());
    // The id is whole in the title above. What does not fit ends with a mark, so that nothing cut reads as whole.
    let category = cut(&appearance.text(&state.pets.categories.label(pet.category_id)), 20);
    let before = format!(" Category   {category}{}   Status  ", " ".repeat(20 - width(&category)));
    let after = format!(" {:<12}  Id  {}", status_in_detail(appearance, pet), pet.id);
    let after = cut(&after, page.columns().saturating_sub(width(&before) + mark.width()));
    page.line(vec![before.into(), mark, after.into()]);
    draw_chart(state, page);
}

/// Where the pet in the detail comes from.
fn origin(state: &AppState, appearance: &Appearance) -> String {
    let read = state.pets.store.read().map_or(String::new(), |at| appearance.time(at.wall));
    format!("from the list, {read}")
}

fn draw_chart(state: &AppState, page: &mut Page<'_>) {
    let mut spans = vec![Span::raw(" Of all     ")];
    let most = most(state).max(1);
    for status in PetStatus::ALL {
        let Some(count) = state.pets.store.count(Some(status)) else { continue };
        let (_, role) = page.appearance.mark(Some(&status.into()));
        let bar = page.appearance.bar(count.seen * 7 / most);
        spans.extend([format!("{status} ").into(), page.appearance.span(bar, role), format!(" {count}   ").into()]);
    }
    page.line(spans);
}

/// The panes at the right: detail, and two charts.
pub fn draw_panes(state: &AppState, now: Now, page: &mut Page<'_>, layout: &mut Layout) {
    let by_category = state.pets.rows().categories();
    let category_rows =
        if page.area.height >= 30 { u16::try_from(by_category.len().min(10)).unwrap_or(0) + 4 } else { 0 };
    layout.detail = page.take(page.area.height - 7.min(page.area.height) - category_rows).into();
    let of_status = page.take(7);
    let of_category = page.take(category_rows);
    draw(state, now, page, layout);
    page.go_to(of_status);
    page.boxed("Status");
    page.gap();
    for status in PetStatus::ALL {
        draw_status_bar(state, status, page);
        page.gap();
    }
    if category_rows > 0 {
        page.go_to(of_category);
        page.boxed("Category, these rows");
        page.gap();
        let most = most_of_category(state);
        for (category, count) in by_category.iter().take(page.left().into()) {
            let name = state.pets.categories.name(*category).unwrap_or_default();
            let label = cut(&page.appearance.text(&format!("{category:>10}  {name}")), 22);
            draw_bar(&label, (*count, most), &count.to_string(), StyleRole::Text, page);
            page.gap();
        }
    }
}

/// The largest number of pets of one status.
fn most(state: &AppState) -> usize {
    PetStatus::ALL
        .into_iter()
        .filter_map(|status| state.pets.store.count(Some(status)))
        .map(|count| count.seen)
        .max()
        .unwrap_or(0)
}

/// The largest number of pets of one category.
fn most_of_category(state: &AppState) -> usize {
    state.pets.rows().categories().first().map_or(0, |(_, count)| *count)
}

/// The bar of a status.
fn draw_status_bar(state: &AppState, status: PetStatus, page: &mut Page<'_>) {
    let count = state.pets.store.count(Some(status));
    let (mark, role) = page.appearance.mark(Some(&status.into()));
    let label = format!("{mark} {:<10}", status.as_str());
    draw_bar(&label, (count.map_or(0, |count| count.seen), most(state)), &count_word(count), role, page);
}

/// On the row, a bar for a value and the most that there is of it.
fn draw_bar(label: &str, (value, most): (usize, usize), number: &str, role: StyleRole, page: &mut Page<'_>) {
    let room = page.columns().saturating_sub(width(label) + 8);
    let columns = if most == 0 { 0 } else { (value * room).div_ceil(most).min(room) };
    page.line_at(0, vec![format!(" {label} ").into(), page.appearance.span(page.appearance.bar(columns), role)]);
    page.right(1, number, StyleRole::Text);
}

/// The pet under the cursor in a box.
fn draw_detail(state: &AppState, now: Now, page: &mut Page<'_>) {
    let pet = state.pets.selected();
    page.boxed(&pet.map_or_else(|| "No pet".to_owned(), |pet| format!("Pet {}", pet.id)));
    let Some(pet) = pet else { return };
    let appearance = page.appearance;
    page.gap();
    page.labelled(" Name       ", &pet.name, 4);
    page.labelled(" Category   ", &state.pets.categories.label(pet.category_id), 2);
    let status = format!(" {}", status_in_detail(appearance, pet));
    page.line(vec![" Status     ".into(), appearance.status(pet.status.as_ref()), status.into()]);
    page.line(format!(" Id         {}", pet.id));
    if let Some(provenance) = state.pets.provenance.get(pet.id) {
        page.labelled(" Added      ", &provenance::words(provenance, appearance, now), 2);
    }
    page.gap();
    page.line(format!(" Seen       {}", origin(state, appearance)));
    let others = state.pets.rows().categories().iter().find(|(category, _)| *category == pet.category_id);
    let others = others.map_or(0, |(_, count)| *count);
    page.line(format!(" Category {}: {others} in this list", pet.category_id));
    page.gap();
    page.quiet(" y copy id   Y JSON   c curl (no key)");
}
