//! Paints the form for a new profile.

use super::{answer, host};
use crate::clock::Now;
use crate::tui::pending::Slot;
use crate::tui::screens::profiles::jobs::Tested;
use crate::tui::screens::profiles::{Focus, KeySourceChoice};
use crate::tui::state::AppState;
use crate::tui::text_input::TextInput;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::page::{Page, radio, tick};

/// The left edge of the fields.
const FIELDS: u16 = 17;

/// Paints the form, scrolled so that the part in use and the text below it are visible.
pub fn draw(state: &AppState, now: Now, page: &mut Page<'_>) {
    page.scrolled(1, |page| draw_whole(state, now, page));
}

fn draw_whole(state: &AppState, now: Now, page: &mut Page<'_>) {
    let form = &state.profiles.form;
    let room = page.area.width.saturating_sub(FIELDS + 3);
    page.gap();
    draw_field(state, Focus::Name, "Name *", &form.name, room.min(41), "letters, digits, - and _", page);
    let hint = form.address_hint().unwrap_or("for example https://api.example.com/v1");
    draw_field(state, Focus::Address, "Address *", &form.address, room.min(58), hint, page);
    let is_source = draw_label(state, Focus::Source, "API key", page);
    for source in KeySourceChoice::ALL {
        let chosen = form.source == source;
        if chosen && is_source {
            page.point(FIELDS + 1);
        }
        page.at(FIELDS, format!("{} {}", radio(chosen), source.words()), StyleRole::Text);
        page.gap();
    }
    if let (Some(label), Some(input)) = (form.source.label(), form.value()) {
        let hidden = form.source.is_typed() && !form.shown;
        let stars = TextInput::new("*".repeat(input.value().chars().count()));
        let input = if hidden { &stars } else { input };
        let hint = if form.source.is_typed() { "paste works; Ctrl-R shows or hides it" } else { "" };
        draw_field(state, Focus::Value, label, input, room.min(58), hint, page);
    }
    if draw_label(state, Focus::Protect, "Protect", page) {
        page.point(FIELDS + 1);
    }
    let text = format!("{} ask before the first change (Space)", tick(form.protect));
    page.at(FIELDS, text, StyleRole::Text);
    page.y += 2;
    let in_use = draw_label(state, Focus::Save, "", page);
    page.button(FIELDS, &button(state, now), in_use);
    page.gap();
    if let Some(tested) = form.tried.as_ref().filter(|tested| !matches!(tested, Tested::Answered(_))) {
        page.banner(&answer(tested, &host(form.address.value())), usize::MAX);
    }
}

/// Paints the label of a part. Whether the part is in use.
fn draw_label(state: &AppState, focus: Focus, text: &str, page: &mut Page<'_>) -> bool {
    let in_use = state.profiles.form.focus == focus;
    page.label(0, 3, &format!("{text:<12}"), in_use);
    in_use
}

/// A text field, and its error or a hint below it.
fn draw_field(
    state: &AppState,
    focus: Focus,
    label: &str,
    input: &TextInput,
    columns: u16,
    hint: &str,
    page: &mut Page<'_>,
) {
    let in_use = draw_label(state, focus, label, page);
    page.input(FIELDS, columns, input, in_use);
    page.gap();
    let profiles = &state.profiles;
    match profiles.form.error_at(focus, |name| profiles.is_taken(name)) {
        Some(error) => page.banner(&error, usize::MAX),
        None => page.quiet(format!("{:17}{hint}", "")),
    }
}

fn button(state: &AppState, now: Now) -> String {
    match state.pending.since(Slot::TryProfile) {
        Some(since) => format!("[ testing {} s ]", now.seconds_since(since)),
        None if state.pending.is_running(Slot::WriteProfile) => "[ saving ]".to_owned(),
        None if state.profiles.form.saves_anyway() => "[ F2 Save anyway ]".to_owned(),
        None => "[ F2 Test and save ]".to_owned(),
    }
}
