//! How the look-up looks.

use crate::api::find::{LookupRequest, Step, StepOutcome};
use crate::clock::Now;
use crate::model::sunset::{GET_PET_REMOVED_ON_WORDS, days_until_get_pet_is_removed};
use crate::tui::screens::pets::lookup::{ById, Lookup};
use crate::tui::state::AppState;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::page::Page;

use super::table::status_word;

/// Paints it.
pub fn draw(by_id: &ById, state: &AppState, now: Now, page: &mut Page<'_>) {
    page.gap();
    page.at(0, "   Pet by id", StyleRole::Text);
    if by_id.error.is_none() {
        page.at(40, "Enter looks it up", StyleRole::Text);
    }
    page.input(15, 21, &by_id.input, true);
    page.y += 2;
    if let Some(error) = &by_id.error {
        page.banner(error, usize::MAX);
        page.gap();
    }
    match &by_id.looked {
        None => {
            page.gap();
            page.paragraph(3, "Searches the loaded rows first, then the lists by status.");
        }
        Some(looked) => draw_looked(looked, by_id, state, now, page),
    }
    page.gap();
    draw_deprecation(now, page);
}

fn draw_looked(looked: &Lookup, by_id: &ById, state: &AppState, now: Now, page: &mut Page<'_>) {
    let appearance = page.appearance;
    let found = match &looked.result {
        None => {
            let seconds = now.seconds_since(looked.at.mono);
            page.line(format!("   Looking for {} ... ({seconds} s, Ctrl-C cancels)", looked.id));
            return;
        }
        Some(Err(failure)) => {
            let text = format!("{} Enter tries again.", failure.sentence(&state.link.service));
            page.banner(&text, usize::MAX);
            return;
        }
        Some(Ok(found)) => found,
    };
    match by_id.pet() {
        Some(pet) => {
            page.heading(format!("   Pet {}", pet.id));
            page.labelled("     Name        ", &pet.name, 3);
            page.labelled("     Category    ", &state.pets.categories.label(pet.category_id), 2);
            let status = format!(" {}", status_word(appearance, pet));
            page.line(vec!["     Status      ".into(), appearance.status(pet.status.as_ref()), status.into()]);
            let when = match looked.was_here {
                Some(read) => appearance.moment(read, now.wall),
                None => appearance.time(looked.at.wall),
            };
            page.line(format!("     Read at     {when}"));
        }
        None => page.error(3, &not_found(looked.id, &found.steps), usize::MAX),
    }
    page.gap();
    page.heading("   How it was searched");
    let here = if looked.was_here.is_some() { "found" } else { "not found" };
    draw_step("loaded rows ", here, page);
    for step in &found.steps {
        let (asked, outcome) = step_words(step);
        draw_step(&asked, &outcome, page);
    }
}

fn draw_step(asked: &str, outcome: &str, page: &mut Page<'_>) {
    page.line(format!("     {asked:.<32} {outcome}"));
}

fn not_found(id: i64, steps: &[Step]) -> String {
    let last = steps.last().map(|step| step.outcome);
    match last {
        Some(StepOutcome::NotFound) => format!("Pet {id} does not exist (404)."),
        Some(StepOutcome::Gone { status }) => {
            format!("{id} is not in the lists, and GET /pets/{{petId}} no longer exists ({status}).")
        }
        Some(StepOutcome::NotThereButFull { .. }) => {
            format!("{id} is not in the rows that the lists return. g asks for it directly.")
        }
        _ => format!("{id} is in none of the lists, where a pet without a status never is. g asks for it directly."),
    }
}

fn step_words(step: &Step) -> (String, String) {
    let asked = match step.asked {
        LookupRequest::List(status) => format!("GET /pets?status={status} "),
        LookupRequest::Get => "GET /pets/{petId}, deprecated ".to_owned(),
    };
    let outcome = match step.outcome {
        StepOutcome::Found => "found".to_owned(),
        StepOutcome::NotThere => "not found".to_owned(),
        StepOutcome::NotThereButFull { rows } => format!("not in the first {rows}"),
        StepOutcome::NotFound => "404, not found".to_owned(),
        StepOutcome::Gone { status } => format!("{status}, operation gone"),
    };
    (asked, outcome)
}

/// The operation by id is deprecated, which is shown wherever it can be used.
fn draw_deprecation(now: Now, page: &mut Page<'_>) {
    let days = days_until_get_pet_is_removed(now.wall.to_zoned(page.appearance.zone.clone()).date());
    let when = if days > 0 { "will be" } else { "was" };
    let text = format!(
        "g asks the service directly with GET /pets/{{petId}}, which is deprecated and {when} removed on \
         {GET_PET_REMOVED_ON_WORDS}."
    );
    // The operation is in the line of keys, too.
    if page.rows(10, &text) > page.left().into() {
        return;
    }
    let role = if days <= 365 { StyleRole::Wait } else { StyleRole::Quiet };
    page.margin = 5;
    for line in page.wrap(5, &text) {
        page.styled(format!("     {line}"), role);
    }
}
