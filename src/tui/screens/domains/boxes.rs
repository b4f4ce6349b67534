//! The boxes of the panel: the record in all formats, and what can be done outside where all this is practice.

use crate::clock::Now;
use crate::domains::DnsName;
use crate::domains::practice::{Act, Practice};
use crate::domains::records::{ExportFormat, export};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::popups::{Contents, Popup, WriteBox, copy};
use crate::tui::state::{AppState, MessageKind};

use super::state::{Place, State};
use super::{redirects, removal, texts, watch};

/// The record in one format after another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatsBox {
    /// Which of [`ExportFormat::ALL`].
    pub choice: usize,
    /// With what must be deleted first.
    pub with_deletes: bool,
}

/// What can be done outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideBox {
    /// The acts, as they were when the box was opened.
    pub acts: Vec<Act>,
    /// The marked one.
    pub choice: usize,
}

impl FormatsBox {
    /// The format.
    #[must_use]
    pub fn format(self) -> ExportFormat {
        ExportFormat::ALL[self.choice.min(ExportFormat::ALL.len() - 1)]
    }

    /// The record of the shown domain in this format.
    #[must_use]
    pub fn text(self, state: &State) -> String {
        let Some(domain) = state.domain() else { return String::new() };
        let Some(record) = texts::record(state, &domain) else { return String::new() };
        let conflicts = state.seen(&domain.name).map_or(&[][..], |seen| &seen.conflicts);
        export(&record, self.format(), if self.with_deletes { conflicts } else { &[] })
    }
}

/// A key in the box of formats.
pub fn formats_key(app: &mut AppState, mut formats: FormatsBox, action: Option<Action>, now: Now) -> Vec<Effect> {
    match action {
        Some(Action::Up) => formats.choice = formats.choice.saturating_sub(1),
        Some(Action::Down) => formats.choice = (formats.choice + 1).min(ExportFormat::ALL.len() - 1),
        Some(Action::Toggle) => {
            let none = app
                .domains
                .domain()
                .and_then(|domain| app.domains.seen(&domain.name))
                .is_none_or(|seen| seen.conflicts.is_empty());
            if none {
                app.say(MessageKind::Note, "Nothing was seen there that must be deleted.");
            }
            formats.with_deletes = !formats.with_deletes;
        }
        Some(Action::Copy) => {
            let text = formats.text(&app.domains);
            return copy(app, text, &format!("the record as {}", formats.format()), now);
        }
        Some(Action::WriteFile) => {
            let text = formats.text(&app.domains);
            let name = app.domains.selected.as_ref().map_or("record", |name| name.as_str());
            app.popup =
                Some(Popup::Write(WriteBox::new(format!("{name}.{}.txt", formats.format()), Contents::Text(text))));
            return Vec::new();
        }
        Some(Action::Back) => {
            app.popup = None;
            return Vec::new();
        }
        _ => {}
    }
    app.popup = Some(Popup::Formats(formats));
    Vec::new()
}

/// Opens the box of what can be done outside.
pub fn open_outside(app: &mut AppState, now: Now) {
    let wall = app.domains.wall(now);
    match &app.domains.practice {
        Some(practice) => {
            let mut acts = practice.acts(wall);
            // Who has the practice domain before him goes on with that.
            if !matches!(app.domains.place, Place::List | Place::Redirects)
                && app.domains.selected == Some(DnsName::new(Practice::DOMAIN))
            {
                acts.sort_by_key(|act| *act == Act::MendRedirect);
            }
            app.popup = Some(Popup::Outside(OutsideBox { acts, choice: 0 }));
        }
        None => app.say(MessageKind::Note, "This is no practice: outside is outside. petstore --demo has practice."),
    }
}

/// A key in the box of what can be done outside.
pub fn outside_key(app: &mut AppState, mut outside: OutsideBox, action: Option<Action>, now: Now) -> Vec<Effect> {
    match action {
        Some(Action::Up) => outside.choice = outside.choice.saturating_sub(1),
        Some(Action::Down) => outside.choice = (outside.choice + 1).min(outside.acts.len().saturating_sub(1)),
        Some(Action::First) => outside.choice = 0,
        Some(Action::Last) => outside.choice = outside.acts.len().saturating_sub(1),
        Some(Action::Confirm) => {
            app.popup = None;
            return outside.acts.get(outside.choice).map_or_else(Vec::new, |act| do_outside(app, *act, now));
        }
        Some(Action::Back) => {
            app.popup = None;
            return Vec::new();
        }
        _ => {}
    }
    app.popup = Some(Popup::Outside(outside));
    Vec::new()
}

/// Changes what stands outside, and looks again.
fn do_outside(app: &mut AppState, act: Act, now: Now) -> Vec<Effect> {
    let wall = app.domains.wall(now);
    if let Some(practice) = &mut app.domains.practice {
        practice.act(act, wall);
    }
    let then = match act {
        Act::AddCname => "; say so: s",
        Act::Verify | Act::Reverify => "; say so: V",
        Act::Remove => "; say so: Space on step 3",
        _ => "",
    };
    app.say(MessageKind::Note, format!("Done in practice: {}{then}", act.words()));
    let mut effects = match app.domains.place {
        Place::Redirects => redirects::walk(app, now),
        Place::Removal => removal::look(app, now),
        Place::List => {
            watch::ask_all(&mut app.domains, now);
            Vec::new()
        }
        Place::Wizard => Vec::new(),
        Place::Record | Place::Live | Place::Rules(_) => {
            if let Some(name) = app.domains.selected.clone() {
                watch::ask_anew(&mut app.domains, &name);
            }
            Vec::new()
        }
    };
    effects.extend(watch::work(app, now));
    effects
}
