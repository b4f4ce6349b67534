//! The boxes of the panel: the record in all formats, and what can be done outside where all this is practice.

mod state;

use crate::clock::Now;
use crate::domains::DnsName;
use crate::domains::record_export::{ExportFormat, export};
use crate::domains::sandbox::{Sandbox, SandboxStep};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::popups::{Contents, Popup, WriteBox, copy};
use crate::tui::state::{AppState, MessageKind};

use super::state::{PanelLocation, State};
use super::{labels, redirects, removal, scheduler};

pub use state::{FormatsBox, OutsideBox};

impl FormatsBox {
    /// The format.
    pub fn format(self) -> ExportFormat {
        ExportFormat::ALL[self.choice.min(ExportFormat::ALL.len() - 1)]
    }

    /// The record of the shown domain in this format.
    pub fn text(self, state: &State) -> String {
        let Some(domain) = state.domain() else { return String::new() };
        let Some(record) = labels::record(state, &domain) else { return String::new() };
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
    match &app.domains.setup.sandbox {
        Some(sandbox) => {
            let mut acts = sandbox.acts(wall);
            // Who has the practice domain before him goes on with that.
            if !matches!(app.domains.place, PanelLocation::List | PanelLocation::Redirects)
                && app.domains.selected == Some(DnsName::new(Sandbox::DOMAIN))
            {
                acts.sort_by_key(|act| *act == SandboxStep::CorrectRedirect);
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
fn do_outside(app: &mut AppState, act: SandboxStep, now: Now) -> Vec<Effect> {
    let wall = app.domains.wall(now);
    if let Some(sandbox) = &mut app.domains.setup.sandbox {
        sandbox.act(act, wall);
    }
    let then = match act {
        SandboxStep::AddCname => "; say so: s",
        SandboxStep::Verify | SandboxStep::Reverify => "; say so: V",
        SandboxStep::Remove => "; say so: Space on step 3",
        _ => "",
    };
    app.say(MessageKind::Note, format!("Done in practice: {}{then}", act.words()));
    let mut effects = match app.domains.place {
        PanelLocation::Redirects => redirects::keys::walk(app, now),
        PanelLocation::Removal => removal::look(app, now),
        PanelLocation::List => {
            scheduler::ask_all(&mut app.domains, now);
            Vec::new()
        }
        PanelLocation::Wizard => Vec::new(),
        PanelLocation::Record | PanelLocation::Live | PanelLocation::Rules(_) => {
            if let Some(name) = app.domains.selected.clone() {
                scheduler::ask_anew(&mut app.domains, &name);
            }
            Vec::new()
        }
    };
    effects.extend(scheduler::work(app, now));
    effects
}
