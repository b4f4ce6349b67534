//! Paints the add form.
#![expect(clippy::wildcard_enum_match_arm, reason = "painting may use a default style")]

use crate::api::failure::Failure;
use crate::app::outbox::unknown_outcome::{SearchResult, UnknownOutcome, UnknownOutcomeChoice};
use crate::clock::Now;
use crate::model::text::cut;
use crate::tui::pending::Slot;
use crate::tui::state::AppState;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::column;
use crate::tui::widgets::page::{Layout, Page, marker};

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
    // A low window has no room for blank rows.
    let gap = u16::from(is_roomy);
    page.y += 1 + gap;
    let idle = add.unknown_outcome.is_some();
    let button = match state.pending.since(Slot::Create) {
        Some(since) => format!("[ sending {} s ]", now.seconds_since(since)),
        None if add.refusal.is_some() => "[ F2 Save again ]".to_owned(),
        None => "[ F2 Save ]".to_owned(),
    };
    page.form(&add.form, &Layout { x: FIELDS, beside: true, gap, idle }, &state.known(), &button);
    if let Some(unknown_outcome) = &add.unknown_outcome {
        page.y += gap;
        draw_unknown_outcome(unknown_outcome, state, now, page);
    }
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
