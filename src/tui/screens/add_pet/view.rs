//! How the add form looks.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::api::failure::Failure;
use crate::app::outbox::unknown_outcome::{SearchResult, UnknownOutcome, UnknownOutcomeChoice};
use crate::clock::Now;
use crate::model::text::cut;
use crate::model::{ObservedStatus, PetStatus};
use crate::tui::pending::Slot;
use crate::tui::state::AppState;
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::{WIDE, banner, boxed, field, pane, put, put_right, wrap};

use super::fields::{After, Focus};
use super::state::State;

/// The width of the form where there is a pane beside it.
const FORM_BESIDE_PANE: u16 = 72;

/// From this height on there are blank rows between the parts.
const ROOMY: u16 = 18;

/// The left edge of the fields.
const FIELDS: u16 = 18;

/// Paints the form into `body`; gives the place of the cursor.
pub fn draw(state: &AppState, appearance: &Appearance, now: Now, buf: &mut Buffer, body: Rect) -> Option<Position> {
    let wide = body.width >= WIDE;
    let area = if wide { Rect { width: FORM_BESIDE_PANE, ..body } } else { body };
    let form = pane(buf, area, "Add a pet", appearance, wide);
    let add = &state.add;
    let top = draw_banner(buf, form, state, appearance);
    if !wide {
        put(buf, form, top, &Line::styled("   Add a pet", appearance.style(StyleRole::Heading)));
    }
    if let Some(at) = state.drafts.written_at.filter(|_| add.is_typed()) {
        let kept = Rect { width: form.width.saturating_sub(1), ..form };
        put_right(buf, kept, top, &format!("draft kept, {}", appearance.time(at)), appearance, StyleRole::Quiet);
    }
    let name_width = form.width.saturating_sub(FIELDS + 4).min(48);
    // In a low window every row counts.
    let gap = u16::from(form.height >= ROOMY);
    let mut y = top + 1 + gap;
    let mut cursor = None;
    for (focus, label, input, columns, hint) in [
        (Focus::Name, "Name *", &add.name, name_width, ""),
        (Focus::Category, "Category *", &add.category, name_width.min(21), "  a whole number, e.g. 3"),
    ] {
        label_at(buf, form, y, label, add.focus == focus && add.unknown_outcome.is_none(), appearance);
        if y < form.height {
            let place = field(buf, form.x + FIELDS, form.y + y, columns, input, appearance);
            if add.focus == focus && add.unknown_outcome.is_none() {
                cursor = Some(place);
            }
            let after = FIELDS + columns + 2;
            let hint_area = Rect { x: form.x + after, width: form.width.saturating_sub(after), ..form };
            put(buf, hint_area, y, &Line::styled(hint, appearance.style(StyleRole::Quiet)));
        }
        y = draw_error(buf, form, y + 1, add, focus, appearance, gap).max(y + 1 + gap);
    }
    y = draw_status(buf, form, y, add, appearance, &mut cursor) + gap;
    if let Some(unknown_outcome) = &add.unknown_outcome {
        let place = draw_unknown_outcome(buf, form, y + gap, unknown_outcome, state, appearance, now);
        cursor = Some(place);
    } else {
        draw_after(buf, form, y, add, appearance, &mut cursor);
        draw_button(buf, form, y + 1 + gap, state, appearance, now, &mut cursor);
    }
    if wide {
        let right = Rect { x: area.right(), width: body.width - area.width, ..body };
        draw_beside(buf, right, state, appearance);
    }
    cursor
}

fn label_at(buf: &mut Buffer, form: Rect, y: u16, label: &str, in_use: bool, appearance: &Appearance) {
    let marker = if in_use { ">" } else { " " };
    let role = if in_use { StyleRole::InUse } else { StyleRole::Text };
    put(buf, form, y, &Line::styled(format!("   {marker} {label}"), appearance.style(role)));
}

/// What came back instead of success; gives the first free row.
fn draw_banner(buf: &mut Buffer, form: Rect, state: &AppState, appearance: &Appearance) -> u16 {
    let service = &state.link.service;
    let text = match (&state.add.unknown_outcome, &state.add.refusal) {
        (Some(unknown_outcome), _) => {
            let what = match &unknown_outcome.failure {
                None => "The program ended before an answer came.".to_owned(),
                Some(Failure::NoAnswer { after }) => format!("No answer came after {} s.", after.as_secs()),
                Some(other) => other.sentence(service),
            };
            let again = if unknown_outcome.repeatable {
                "Sending it again adds it once, whatever became of this."
            } else {
                "Sending it again could add it twice."
            };
            format!("{what} The pet may or may not have been added. {again}")
        }
        (None, Some(refusal)) => match &refusal.failure {
            Failure::Refused { status, code: Some(code), message, .. } if *status != 401 => {
                format!("The service did not accept this pet ({status}, code {code}). It says: \"{message}\"")
            }
            Failure::NotSent { .. } | Failure::Busy => {
                format!("{} Nothing was sent. F2 tries again.", refusal.failure.sentence(service))
            }
            other => other.sentence(service),
        },
        (None, None) => return 1,
    };
    let lines = banner(&appearance.text(&text), form.width, appearance);
    let shown = lines.len().min(4);
    for (y, line) in (1..).zip(lines.iter().take(shown)) {
        put(buf, form, y, line);
    }
    u16::try_from(shown).unwrap_or(0) + 1
}

/// The error of a field, under it; gives the first free row.
fn draw_error(
    buf: &mut Buffer,
    form: Rect,
    mut y: u16,
    add: &State,
    focus: Focus,
    appearance: &Appearance,
    gap: u16,
) -> u16 {
    let Some(field) = focus.field() else { return y };
    let said =
        add.refusal.as_ref().filter(|refusal| refusal.field == Some(field)).map(|refusal| match &refusal.failure {
            Failure::Refused { message, .. } => format!("The service refused this field: \"{message}\""),
            other => other.sentence("the service"),
        });
    let Some(text) = said.or_else(|| add.error_at(field).map(|error| error.to_string())) else { return y };
    for line in banner(&appearance.text(&text), form.width, appearance).iter().take(3) {
        put(buf, form, y, line);
        y += 1;
    }
    y + gap
}

fn draw_status(
    buf: &mut Buffer,
    form: Rect,
    y: u16,
    add: &State,
    appearance: &Appearance,
    cursor: &mut Option<Position>,
) -> u16 {
    let in_use = add.focus == Focus::Status && add.unknown_outcome.is_none();
    label_at(buf, form, y, "Status", in_use, appearance);
    let choices = [None, Some(PetStatus::Available), Some(PetStatus::Pending), Some(PetStatus::Sold)];
    for (row, choice) in (y..).zip(choices) {
        let chosen = add.status == choice;
        let mut spans = vec![Span::raw(if chosen { "(*) " } else { "( ) " })];
        match choice {
            None => spans.push(Span::raw("not set (the service decides)")),
            Some(status) => {
                let (mark, role) = appearance.mark(Some(&ObservedStatus::Known(status)));
                spans.push(Span::styled(mark, appearance.style(role)));
                spans.push(Span::raw(format!(" {status}")));
            }
        }
        let area = Rect { x: form.x + FIELDS, width: form.width.saturating_sub(FIELDS), ..form };
        put(buf, area, row, &Line::from(spans));
        if chosen && in_use {
            *cursor = Some(Position { x: form.x + FIELDS + 1, y: form.y + row });
        }
    }
    y + 4
}

fn draw_after(
    buf: &mut Buffer,
    form: Rect,
    y: u16,
    add: &State,
    appearance: &Appearance,
    cursor: &mut Option<Position>,
) {
    let in_use = add.focus == Focus::After;
    label_at(buf, form, y, "After saving", in_use, appearance);
    let mark = |after| if add.after == after { "(*)" } else { "( )" };
    let text = format!("{} stay here for another   {} show the new pet", mark(After::Stay), mark(After::Show));
    let area = Rect { x: form.x + FIELDS, width: form.width.saturating_sub(FIELDS), ..form };
    put(buf, area, y, &Line::raw(text));
    if in_use {
        let x = if add.after == After::Stay { 1 } else { 28 };
        *cursor = Some(Position { x: form.x + FIELDS + x, y: form.y + y });
    }
}

fn draw_button(
    buf: &mut Buffer,
    form: Rect,
    y: u16,
    state: &AppState,
    appearance: &Appearance,
    now: Now,
    cursor: &mut Option<Position>,
) {
    let text = match state.pending.since(Slot::Create) {
        Some(since) => format!("[ sending {} s ]", now.mono.saturating_duration_since(since).as_secs()),
        None if state.add.refusal.is_some() => "[ F2 Save again ]".to_owned(),
        None => "[ F2 Save ]".to_owned(),
    };
    let in_use = state.add.focus == Focus::Save;
    label_at(buf, form, y, "", in_use, appearance);
    let area = Rect { x: form.x + FIELDS, width: form.width.saturating_sub(FIELDS), ..form };
    let role = if in_use { StyleRole::Selected } else { StyleRole::Key };
    put(buf, area, y, &Line::styled(text, appearance.style(role)));
    if in_use {
        *cursor = Some(Position { x: form.x + FIELDS + 2, y: form.y + y });
    }
}

/// The question after an add without an answer; gives the place of the marked answer.
fn draw_unknown_outcome(
    buf: &mut Buffer,
    form: Rect,
    mut y: u16,
    unknown_outcome: &UnknownOutcome,
    state: &AppState,
    appearance: &Appearance,
    now: Now,
) -> Position {
    let name = state.add.sent.as_ref().map_or(String::new(), |sent| cut(&appearance.text(&sent.new.name), 20));
    let looking = state.pending.since(Slot::SearchFor);
    let news = match (&unknown_outcome.found, looking) {
        (_, Some(since)) => {
            let seconds = now.mono.saturating_duration_since(since).as_secs();
            Some(format!("Looking for it in the list ... {seconds} s"))
        }
        (None, None) => None,
        (Some(SearchResult::Candidate(pet)), None) => {
            Some(format!("One new pet, id {}, has this name and category. Was it this one?", pet.id))
        }
        (Some(SearchResult::None { complete: true }), None) => {
            Some("It is not in the list now; it may still arrive.".to_owned())
        }
        (Some(SearchResult::None { complete: false }), None) => {
            Some("It is not among the animals that the list shows; the list may not show all.".to_owned())
        }
        (Some(SearchResult::Failed(failure)), None) => {
            Some(format!("Looking for it failed: {}", failure.sentence(&state.link.service)))
        }
    };
    for line in
        news.iter().flat_map(|news| wrap(&appearance.text(news), usize::from(form.width).saturating_sub(6))).take(2)
    {
        put(buf, form, y, &Line::raw(format!("     {line}")));
        y += 1;
    }
    put(buf, form, y, &Line::styled("     What now?", appearance.style(StyleRole::Heading)));
    for (number, (row, answer)) in (0..).zip((y..).zip(unknown_outcome.answers())) {
        let text = match answer {
            UnknownOutcomeChoice::LookFor => format!("Look for it: list the pets named \"{name}\""),
            UnknownOutcomeChoice::ThatIsIt => "Yes, that is it: the form is done".to_owned(),
            UnknownOutcomeChoice::Settle => "Send it again (safe: it is added once)".to_owned(),
            UnknownOutcomeChoice::SendAgain => "Send it again (may add a second one)".to_owned(),
            UnknownOutcomeChoice::Keep => "Keep what is typed and go back".to_owned(),
        };
        let here = number == unknown_outcome.choice;
        let line = format!("{} {}) {text}", if here { ">" } else { " " }, number + 1);
        let area = Rect { x: form.x + FIELDS, width: form.width.saturating_sub(FIELDS), ..form };
        put(
            buf,
            area,
            row,
            &Line::styled(line, appearance.style(if here { StyleRole::Selected } else { StyleRole::Text })),
        );
    }
    Position { x: form.x + FIELDS, y: form.y + y + u16::try_from(unknown_outcome.choice).unwrap_or(0) }
}

/// Beside the form: what was added so far, and what will be sent.
fn draw_beside(buf: &mut Buffer, area: Rect, state: &AppState, appearance: &Appearance) {
    let sent = Rect { height: 9.min(area.height), y: area.bottom().saturating_sub(9.min(area.height)), ..area };
    let list = Rect { height: area.height - sent.height, ..area };
    let inner = boxed(buf, list, &format!("Added in this session: {}", state.added.len()), appearance);
    put(buf, inner, 1, &Line::styled(" TIME      NAME                 RESULT", appearance.style(StyleRole::Heading)));
    for (y, added) in (2..inner.height).zip(state.added.iter().rev()) {
        let name = cut(&appearance.text(&added.pet.name), 20);
        let pad = " ".repeat(21_usize.saturating_sub(crate::model::text::width(&name)));
        let line = format!(" {}  {name}{pad}id {}", appearance.time(added.at), added.pet.id);
        put(buf, inner, y, &Line::raw(cut(&line, inner.width.into())));
    }
    let inner = boxed(buf, sent, "What will be sent", appearance);
    put(buf, inner, 1, &Line::raw(" POST /pets"));
    let body = state.add.draft().check().ok().and_then(|new| serde_json::to_string(&new).ok());
    let text = body.unwrap_or_else(|| "Name and category are needed. Status may be left out.".to_owned());
    for (y, line) in (2..inner.height).zip(wrap(&appearance.text(&text), usize::from(inner.width).saturating_sub(2))) {
        put(buf, inner, y, &Line::raw(format!(" {line}")));
    }
}
