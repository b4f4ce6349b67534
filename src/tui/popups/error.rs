//! The last failure in full: the message, what it means, what to do, and when it is retried.

use ratatui::text::Line;

use super::stack::Popup;
use super::text::{SCROLL, draw_lines};
use crate::api::failure::{Explanation, explain};
use crate::api::failure::Failure;
use crate::clock::Now;
use crate::tui::command::{Command, Place, closes};
use crate::tui::screens::requests;
use crate::tui::state::{AppState, Health, Layout};
use crate::tui::theme::StyleRole;
use crate::tui::widgets::page::Page;

#[derive(Debug)]
pub struct ErrorBox;

static BOX: &[Command] =
    &[SCROLL, requests::SHOW.at("H", "requests", "requests"), closes("Esc Enter q F3", "close", "close")];

pub static PLACE: Place = Place::new("reader", "Texts", &[BOX]).in_box();

pub fn open(app: &mut AppState, _: Now) {
    if app.last_failure.is_none() && app.complaints.is_empty() {
        return app.tell("No errors in this session.");
    }
    app.popups.show(ErrorBox);
}

impl Popup for ErrorBox {
    fn place(&self) -> &'static Place {
        &PLACE
    }

    fn draw(&self, state: &AppState, now: Now, page: &mut Page<'_>, layout: &mut Layout) {
        page.popup(100, page.area.height.saturating_sub(2), "Last error");
        page.inset(1);
        page.margin = 0;
        let wrapped = |text: &str| page.wrap(0, text).into_iter().map(Line::raw);
        let mut lines: Vec<Line<'_>> = Vec::new();
        if let Some(failure) = &state.last_failure {
            lines.extend(failure.details(&state.link.service).iter().flat_map(|line| wrapped(line)));
            let Explanation { means, todo } = explain(failure);
            for (heading, text) in
                [("What it means", means), ("What to do", todo), ("From here", &from_here(failure, state, now))]
            {
                lines.extend([Line::raw(""), page.appearance.span(heading, StyleRole::Heading).into()]);
                lines.extend(wrapped(text));
            }
        } else {
            lines.extend(state.complaints.iter().flat_map(|complaint| wrapped(complaint)));
        }
        draw_lines(state, lines, page, layout);
    }
}

/// Which keys help, and when it is retried automatically.
fn from_here(failure: &Failure, state: &AppState, now: Now) -> String {
    let again = match &state.link.health {
        _ if !state.link.health.is_about(failure) => "There is no automatic retry.".to_owned(),
        Health::Away { next_try: Some(at), .. } => {
            let seconds = now.seconds_until(*at);
            format!("Next retry in {seconds} s; Esc, then r retries now.")
        }
        Health::Away { failure: Failure::NotStarted { .. }, .. } => {
            "A retry would fail the same way: Esc, then q quits.".to_owned()
        }
        Health::Away { .. } => "There is no automatic retry; Esc, then r retries.".to_owned(),
        Health::KeyRefused { .. } => "No requests are sent until you enter another key: Esc, then F4.".to_owned(),
        Health::Unknown | Health::Ok { .. } => String::new(),
    };
    format!("{again} H shows requests and answers.")
}
