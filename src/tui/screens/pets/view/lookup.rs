//! How the look for one animal by its id looks.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::api::find::{LookupRequest, Step, StepOutcome};
use crate::clock::Now;
use crate::model::sunset::{GET_PET_REMOVED_ON_WORDS, days_until_get_pet_is_removed};
use crate::tui::screens::pets::lookup::{ById, Lookup};
use crate::tui::state::AppState;
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::{banner, field, put, wrap};

use super::table::status_word;

/// Paints it; gives the place of the cursor.
pub fn draw(
    buf: &mut Buffer,
    body: Rect,
    by_id: &ById,
    state: &AppState,
    appearance: &Appearance,
    now: Now,
) -> Position {
    put(buf, body, 1, &Line::raw("   Pet by id"));
    put(buf, Rect { x: body.x + 40.min(body.width), ..body }, 1, &Line::raw("Enter looks it up"));
    let cursor = field(buf, body.x + 15, body.y + 1, 21, &by_id.input, appearance);
    let mut lines = Vec::new();
    if let Some(error) = &by_id.error {
        lines.extend(banner(&appearance.text(error), body.width, appearance));
        lines.push(Line::raw(""));
    }
    match &by_id.looked {
        None => lines.extend(
            ["", "   Rows that are here already are looked through first, then the lists by", "   status."]
                .map(Line::raw),
        ),
        Some(looked) => lines.extend(looked_lines(looked, by_id, state, appearance, now)),
    }
    lines.push(Line::raw(""));
    lines.extend(deprecation(appearance, now, usize::from(body.width)));
    for (y, line) in (3..).zip(&lines) {
        put(buf, body, y, line);
    }
    cursor
}

fn looked_lines(
    looked: &Lookup,
    by_id: &ById,
    state: &AppState,
    appearance: &Appearance,
    now: Now,
) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let found = match &looked.result {
        None => {
            let seconds = now.mono.saturating_duration_since(looked.at.mono).as_secs();
            return vec![Line::raw(format!("   Looking for {} ... ({seconds} s, Ctrl-C cancels)", looked.id))];
        }
        Some(Err(failure)) => {
            let text = format!("{} Enter tries again.", failure.sentence(&state.link.service));
            return banner(&appearance.text(&text), state.size.columns, appearance);
        }
        Some(Ok(found)) => found,
    };
    match by_id.pet() {
        Some(pet) => {
            lines.push(Line::styled(format!("   Pet {}", pet.id), appearance.style(StyleRole::Heading)));
            let room = usize::from(state.size.columns).saturating_sub(18);
            for (at, part) in wrap(&appearance.text(&pet.name), room).into_iter().take(3).enumerate() {
                lines.push(Line::raw(format!("     {:<12}{part}", if at == 0 { "Name" } else { "" })));
            }
            lines.push(Line::raw(format!("     Category    {}", pet.category_id)));
            let (mark, role) = appearance.mark(pet.status.as_ref());
            let status = format!(" {}", status_word(appearance, pet));
            lines.push(Line::from(vec![
                Span::raw("     Status      "),
                Span::styled(mark, appearance.style(role)),
                Span::raw(status),
            ]));
            let when = match looked.was_here {
                Some(read) => appearance.moment(read, now.wall),
                None => appearance.time(looked.at.wall),
            };
            lines.push(Line::raw(format!("     Looked at   {when}")));
        }
        None => lines.push(Line::styled(
            format!("   {}", not_found(looked.id, &found.steps)),
            appearance.style(StyleRole::Error),
        )),
    }
    lines.extend([Line::raw(""), Line::styled("   How it was looked for", appearance.style(StyleRole::Heading))]);
    let here = if looked.was_here.is_some() { "found" } else { "not there" };
    lines.push(Line::raw(format!("     {:<36} {here}", "rows that are here ".to_owned() + &".".repeat(17))));
    lines.extend(found.steps.iter().map(step));
    lines
}

fn not_found(id: i64, steps: &[Step]) -> String {
    let last = steps.last().map(|step| step.outcome);
    match last {
        Some(StepOutcome::NotFound) => format!("There is no animal {id} (404)."),
        Some(StepOutcome::Gone { status }) => {
            format!("{id} is not in the lists, and the operation that could tell is gone ({status}).")
        }
        Some(StepOutcome::NotThereButFull { .. }) => {
            format!("{id} is not among the rows that the lists give. F4 asks for it by id.")
        }
        _ => format!("{id} is in no list. One without a status would be in none: F4 asks for it by id."),
    }
}

fn step(step: &Step) -> Line<'static> {
    let asked = match step.asked {
        LookupRequest::List(status) => format!("GET /pets?status={status} "),
        LookupRequest::Get => "GET /pets/{petId}, deprecated ".to_owned(),
    };
    let outcome = match step.outcome {
        StepOutcome::Found => "found".to_owned(),
        StepOutcome::NotThere => "not there".to_owned(),
        StepOutcome::NotThereButFull { rows } => format!("not in these {rows} (there are more)"),
        StepOutcome::NotFound => "404, there is none".to_owned(),
        StepOutcome::Gone { status } => format!("{status}, the operation is gone"),
    };
    let dots = ".".repeat(36_usize.saturating_sub(asked.len()));
    Line::raw(format!("     {asked}{dots} {outcome}"))
}

/// The operation by id goes away: said wherever it could be used.
fn deprecation(appearance: &Appearance, now: Now, columns: usize) -> Vec<Line<'static>> {
    let days = days_until_get_pet_is_removed(now.wall.to_zoned(appearance.zone.clone()).date());
    let when = if days > 0 { format!("in {days} days") } else { "past".to_owned() };
    let text = format!(
        "The service also has GET /pets/{{petId}}. It is deprecated and removed on {GET_PET_REMOVED_ON_WORDS} ({when}). \
         The lists are asked first, and that operation only where they cannot answer; F4 asks it at once."
    );
    let role = if days <= 365 { StyleRole::Wait } else { StyleRole::Quiet };
    let lines = wrap(&text, columns.saturating_sub(10));
    lines.into_iter().map(|line| Line::styled(format!("     {line}"), appearance.style(role))).collect()
}
