//! Paints the add form.
#![expect(clippy::wildcard_enum_match_arm, reason = "painting may use a default style")]

use crate::api::failure::Failure;
use crate::app::outbox::unknown_outcome::{SearchResult, UnknownOutcome, UnknownOutcomeChoice};
use crate::clock::Now;
use crate::model::ObservedStatus;
use crate::model::text::{cut, width};
use crate::tui::pending::Slot;
use crate::tui::state::AppState;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::column;
use crate::tui::widgets::page::{Page, marker, radio};

use super::fields::{Focus, STATUSES};
use super::state::State;

/// The width of the form with a pane beside it.
const FORM_BESIDE_PANE: u16 = 72;

/// From this height on, there are blank rows between the parts.
const ROOMY: u16 = 18;

/// The left edge of the fields.
const FIELDS: u16 = 18;

/// Paints the form.
pub fn draw(state: &AppState, now: Now, page: &mut Page<'_>) {
    let beside = page.pane(FORM_BESIDE_PANE, "Add a pet");
    let is_roomy = page.area.height >= ROOMY;
    page.scrolled(2, |page| draw_form(state, now, beside.is_none(), is_roomy, page));
    if let Some(beside) = beside {
        page.go_to(beside);
        draw_added(state, page);
    }
}

fn draw_form(state: &AppState, now: Now, has_title: bool, is_roomy: bool, page: &mut Page<'_>) {
    let add = &state.add;
    page.gap();
    draw_banner(state, page);
    if has_title {
        page.at(0, "   Add a pet", StyleRole::Heading);
    }
    if let Some(at) = state.drafts.written_at.filter(|_| add.is_typed()) {
        page.right(1, &format!("draft saved {}", page.appearance.time(at)), StyleRole::Quiet);
    }
    let name_width = page.area.width.saturating_sub(FIELDS + 4).min(48);
    // A low window has no room for blank rows.
    let gap = u16::from(is_roomy);
    page.y += 1 + gap;
    let category_width = name_width.min(21);
    let categories = &add.rapid.setup.categories;
    let room = page.columns().saturating_sub(usize::from(FIELDS + category_width) + 4);
    let (hint, brief) = match categories.parse(add.category.value().trim()) {
        Ok(id) if id < 0 => ("negative: is it right?".to_owned(), "negative".to_owned()),
        Ok(id) if categories.name(id).is_some() => (categories.label(id), cut(&categories.label(id), room)),
        _ if categories.is_empty() => ("a whole number, e.g. 3".to_owned(), "e.g. 3".to_owned()),
        _ => (format!("a number, or {}", categories.names()), "a number or name".to_owned()),
    };
    let hint = if width(&hint) <= room { hint } else { brief };
    for (focus, label, input, columns, hint) in [
        (Focus::Name, "Name *", &add.name, name_width, ""),
        (Focus::Category, "Category *", &add.category, category_width, hint.as_str()),
    ] {
        let in_use = draw_label(add, focus, label, page);
        page.input(FIELDS, columns, input, in_use);
        page.at(FIELDS + columns + 4, hint, StyleRole::Quiet);
        page.gap();
        if let Some(error) = error_at(add, focus) {
            page.banner(&error, 3);
        }
        page.y += gap;
    }
    draw_status(add, is_roomy, page);
    page.y += gap;
    if let Some(unknown_outcome) = &add.unknown_outcome {
        page.y += gap;
        draw_unknown_outcome(unknown_outcome, state, now, page);
    } else {
        draw_button(state, now, page);
    }
}

/// Paints the label of a part. Whether the part is in use.
fn draw_label(add: &State, focus: Focus, label: &str, page: &mut Page<'_>) -> bool {
    let in_use = add.focus == focus && add.unknown_outcome.is_none();
    page.label(0, 3, label, in_use);
    in_use
}

/// Why the pet was not added.
fn draw_banner(state: &AppState, page: &mut Page<'_>) {
    let service = &state.link.service;
    let text = match (&state.add.unknown_outcome, &state.add.refusal) {
        (Some(unknown_outcome), _) => {
            let what = match &unknown_outcome.failure {
                None => "petstore ended before an answer arrived.".to_owned(),
                Some(Failure::NoAnswer { after }) => format!("No answer after {} s.", after.as_secs()),
                Some(other) => other.sentence(service),
            };
            let again = if unknown_outcome.repeatable {
                "Sending it again is safe: it is added only once."
            } else {
                "Sending it again could add it twice."
            };
            format!("{what} The pet may or may not have been added. {again}")
        }
        (None, Some(refusal)) => match &refusal.failure {
            Failure::Refused { status: status @ (400 | 402..500), code: Some(code), message, .. } => {
                format!("The service refused this pet ({status}, {code}): \"{message}\"")
            }
            Failure::NotSent { .. } | Failure::Busy => {
                format!("{} Nothing was sent. F2 tries again, Ctrl-O queues it.", refusal.failure.sentence(service))
            }
            other => other.sentence(service),
        },
        (None, None) => return,
    };
    page.banner(&text, 4);
}

/// The error at a field.
fn error_at(add: &State, focus: Focus) -> Option<String> {
    let field = focus.field()?;
    if let Some(error) = add.error_at(field) {
        return Some(error.to_string());
    }
    let refusal = add.refusal.as_ref().filter(|refusal| refusal.field == Some(field))?;
    Some(match &refusal.failure {
        Failure::Refused { message, .. } => format!("The service refused this field: \"{message}\""),
        other => other.sentence("the service"),
    })
}

/// The status; in a low window only the selected one while there is a question below.
fn draw_status(add: &State, is_roomy: bool, page: &mut Page<'_>) {
    let in_use = draw_label(add, Focus::Status, "Status", page);
    for choice in STATUSES {
        let chosen = add.status == choice;
        if !chosen && !is_roomy && add.unknown_outcome.is_some() {
            continue;
        }
        if chosen && in_use {
            page.point(FIELDS + 1);
        }
        page.at(FIELDS, radio(chosen), StyleRole::Text);
        match choice {
            None => page.at(FIELDS + 4, "not set (the service decides)", StyleRole::Text),
            Some(status) => {
                let mark = page.appearance.status(Some(&ObservedStatus::Known(status)));
                page.line_at(FIELDS + 4, vec![mark, format!(" {status}").into()]);
            }
        }
        page.gap();
    }
}

fn draw_button(state: &AppState, now: Now, page: &mut Page<'_>) {
    let text = match state.pending.since(Slot::Create) {
        Some(since) => format!("[ sending {} s ]", now.seconds_since(since)),
        None if state.add.refusal.is_some() => "[ F2 Save again ]".to_owned(),
        None => "[ F2 Save ]".to_owned(),
    };
    let in_use = draw_label(&state.add, Focus::Save, "", page);
    page.button(FIELDS, &text, in_use);
    page.gap();
}

/// The question after a pet was sent without an answer, with the cursor on the selected answer.
fn draw_unknown_outcome(unknown_outcome: &UnknownOutcome, state: &AppState, now: Now, page: &mut Page<'_>) {
    let name = state.add.sent.as_ref().map_or(String::new(), |sent| cut(&page.appearance.text(&sent.new.name), 20));
    let found = unknown_outcome.found.as_ref().map(|found| match found {
        SearchResult::Candidate(pet) => {
            format!("A new pet, id {}, has this name and category. Is it this one?", pet.id)
        }
        SearchResult::None { complete: true } => "It is not in the list yet; it may still appear.".to_owned(),
        SearchResult::None { complete: false } => "Not found, but the list may be incomplete.".to_owned(),
        SearchResult::Failed(failure) => format!("The search failed: {}", failure.sentence(&state.link.service)),
    });
    let looking = state.pending.since(Slot::SearchFor);
    let looking = looking.map(|since| format!("Searching the list ... {} s", now.seconds_since(since)));
    if let Some(news) = looking.or(found) {
        page.wrapped(5, &news, 2);
    }
    page.at(0, "     What now?", StyleRole::Heading);
    for (number, answer) in unknown_outcome.answers().into_iter().enumerate() {
        let text = match answer {
            UnknownOutcomeChoice::LookFor => format!("Search the list for \"{name}\""),
            UnknownOutcomeChoice::ThatIsIt => "Yes, this is it".to_owned(),
            UnknownOutcomeChoice::Settle => "Send it again (safe: added only once)".to_owned(),
            UnknownOutcomeChoice::SendAgain => "Send it again (may add a second pet)".to_owned(),
            UnknownOutcomeChoice::Keep => "Keep the form and go back".to_owned(),
        };
        let here = number == unknown_outcome.choice;
        if here {
            page.point(FIELDS);
        }
        page.at(FIELDS, format!("{} {}) {text}", marker(here), number + 1), StyleRole::Selected.when(here));
        page.gap();
    }
}

/// The pane beside the form: the pets added so far.
fn draw_added(state: &AppState, page: &mut Page<'_>) {
    page.boxed(&format!("Added in this session: {}", state.added.len()));
    page.gap();
    page.heading(" TIME      NAME                 RESULT");
    for added in state.added.iter().rev().take(page.left().into()) {
        let (time, name) = (page.appearance.time(added.at), column(&page.appearance.text(&added.pet.name), 21));
        page.line(cut(&format!(" {time}  {name}id {}", added.pet.id), page.columns()));
    }
}
