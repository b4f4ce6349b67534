//! The animal under the cursor, and how many there are of each kind: under the list, or beside it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::model::text::{cut, width};
use crate::model::{ObservedStatus, Pet, PetStatus};
use crate::tui::state::AppState;
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::{boxed, put, put_right};

use super::table::status_word;

/// The same where there is room to say that this version does not know it.
fn status_in_detail(appearance: &Appearance, pet: &Pet) -> String {
    match &pet.status {
        Some(ObservedStatus::Unknown(_)) => format!("{} (unknown)", cut(&status_word(appearance, pet), 12)),
        Some(ObservedStatus::Known(_)) | None => status_word(appearance, pet),
    }
}

/// The detail under the list, with the counts as bars.
pub fn draw_drawer(buf: &mut Buffer, area: Rect, state: &AppState, appearance: &Appearance) {
    let Some(pet) = state.pets.detailed() else { return };
    let title = format!(" Pet {} ", pet.id);
    let from = format!(" {} ", origin(state, appearance));
    let columns = usize::from(area.width).saturating_sub(3);
    let middle = columns.saturating_sub(4 + width(&title) + width(&from) + 3);
    let rule = format!("{}{title}{}{from}{}", appearance.rule(4), appearance.rule(middle), appearance.rule(3));
    put(buf, area, 0, &Line::styled(format!(" {rule}"), appearance.style(StyleRole::Heading)));
    let name = cut(&appearance.text(&pet.name), usize::from(area.width).saturating_sub(14));
    put(buf, area, 1, &Line::raw(format!(" Name       {name}")));
    let (mark, role) = appearance.mark(pet.status.as_ref());
    // The id is whole in the title above. What does not fit ends with a mark, so that nothing cut reads as whole.
    let before = format!(" Category   {:<20}   Status  ", pet.category_id);
    let after = format!(" {:<12}  Id  {}", status_in_detail(appearance, pet), pet.id);
    let room = usize::from(area.width).saturating_sub(width(&before) + width(mark));
    put(
        buf,
        area,
        2,
        &Line::from(vec![Span::raw(before), Span::styled(mark, appearance.style(role)), Span::raw(cut(&after, room))]),
    );
    put(buf, area, 3, &chart_line(state, appearance));
}

/// Where the animal in the detail comes from.
fn origin(state: &AppState, appearance: &Appearance) -> String {
    let read = state.pets.read_at().map_or(String::new(), |at| appearance.time(at.wall));
    match &state.pets.pinned {
        Some(pet) if state.added.iter().any(|added| added.pet.id == pet.id) => "just added".to_owned(),
        Some(_) => "as it was read last".to_owned(),
        None if state.pets.whole.is_there() => format!("whole inventory, {read}"),
        None => format!("from the list, {read}"),
    }
}

fn chart_line(state: &AppState, appearance: &Appearance) -> Line<'static> {
    let mut spans = vec![Span::raw(" Of all     ")];
    let most = most(state).max(1);
    for status in PetStatus::ALL {
        let Some(count) = state.pets.count(status) else { continue };
        let (_, role) = appearance.mark(Some(&status.into()));
        spans.push(Span::raw(format!("{status} ")));
        spans.push(Span::styled(appearance.bar(count.seen * 7 / most), appearance.style(role)));
        spans.push(Span::raw(format!(" {count}   ")));
    }
    Line::from(spans)
}

/// The panes at the right: detail, and two charts.
pub fn draw_panes(buf: &mut Buffer, area: Rect, state: &AppState, appearance: &Appearance) {
    let chart_rows = 7.min(area.height);
    let by_category = state.pets.rows().categories();
    let category_rows = if area.height >= 30 { u16::try_from(by_category.len().min(10)).unwrap_or(0) + 4 } else { 0 };
    let detail = Rect { height: area.height - chart_rows - category_rows, ..area };
    draw_detail(buf, detail, state, appearance);
    let status = Rect { y: detail.bottom(), height: chart_rows, ..area };
    let inner = boxed(buf, status, "Status", appearance);
    let most = most(state);
    for (y, status) in (1..).zip(PetStatus::ALL) {
        let count = state.pets.count(status);
        let (mark, role) = appearance.mark(Some(&status.into()));
        let number = count.map_or_else(|| "-".to_owned(), |count| count.to_string());
        let label = format!("{mark} {:<10}", status.as_str());
        draw_bar(buf, inner, y, &label, count.map_or(0, |count| count.seen), most, &number, appearance, role);
    }
    if category_rows > 0 {
        let inner =
            boxed(buf, Rect { y: status.bottom(), height: category_rows, ..area }, "Category, these rows", appearance);
        let most = by_category.first().map_or(0, |(_, count)| *count);
        for (y, (category, count)) in (1..inner.height).zip(by_category) {
            let label = cut(&format!("{category:>10}  "), 22);
            draw_bar(buf, inner, y, &label, *count, most, &count.to_string(), appearance, StyleRole::Text);
        }
    }
}

/// The largest number of animals of one status.
pub(super) fn most(state: &AppState) -> usize {
    PetStatus::ALL.into_iter().filter_map(|status| state.pets.count(status)).map(|count| count.seen).max().unwrap_or(0)
}

#[expect(clippy::too_many_arguments, reason = "a bar has that many parts")]
pub(super) fn draw_bar(
    buf: &mut Buffer,
    area: Rect,
    y: u16,
    label: &str,
    value: usize,
    most: usize,
    number: &str,
    appearance: &Appearance,
    role: StyleRole,
) {
    let room = usize::from(area.width).saturating_sub(width(label) + 8);
    let columns = if most == 0 { 0 } else { (value * room).div_ceil(most).min(room) };
    put(
        buf,
        area,
        y,
        &Line::from(vec![
            Span::raw(format!(" {label} ")),
            Span::styled(appearance.bar(columns), appearance.style(role)),
        ]),
    );
    put_right(buf, Rect { width: area.width.saturating_sub(1), ..area }, y, number, appearance, StyleRole::Text);
}

fn draw_detail(buf: &mut Buffer, area: Rect, state: &AppState, appearance: &Appearance) {
    let title = state.pets.detailed().map_or_else(|| "No pet".to_owned(), |pet| format!("Pet {}", pet.id));
    let inner = boxed(buf, area, &title, appearance);
    let Some(pet) = state.pets.detailed() else { return };
    let room = usize::from(inner.width).saturating_sub(13);
    let mut y = 1;
    for (at, part) in crate::tui::widgets::wrap(&appearance.text(&pet.name), room).into_iter().take(4).enumerate() {
        put(buf, inner, y, &Line::raw(format!(" {:<10} {part}", if at == 0 { "Name" } else { "" })));
        y += 1;
    }
    put(buf, inner, y, &Line::raw(format!(" Category   {}", pet.category_id)));
    let (mark, role) = appearance.mark(pet.status.as_ref());
    put(
        buf,
        inner,
        y + 1,
        &Line::from(vec![
            Span::raw(" Status     "),
            Span::styled(mark, appearance.style(role)),
            Span::raw(format!(" {}", status_in_detail(appearance, pet))),
        ]),
    );
    put(buf, inner, y + 2, &Line::raw(format!(" Id         {}", pet.id)));
    put(buf, inner, y + 4, &Line::raw(format!(" Seen       {}", origin(state, appearance))));
    let others = state.pets.rows().categories().iter().find(|(category, _)| *category == pet.category_id);
    let others = others.map_or(0, |(_, count)| *count);
    put(buf, inner, y + 5, &Line::raw(format!(" Category {}: {others} in this list", pet.category_id)));
    put(buf, inner, y + 7, &Line::styled(" y copy id   Y JSON   c curl (no key)", appearance.style(StyleRole::Quiet)));
}
