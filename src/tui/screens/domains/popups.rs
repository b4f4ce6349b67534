//! The boxes of the panel: the record in all formats, and what can be done outside where all this is practice.

mod state;

use crate::clock::Now;
use crate::domains::DnsName;
use crate::domains::record_export::{ExportFormat, export};
use crate::domains::sandbox::{Sandbox, SandboxStep};
use crate::tui::effect::Effect;
use crate::tui::keymap::{FormatsAction, PickAction};
use crate::tui::popups::{Contents, Popup, WriteBox, copy};
use crate::tui::state::{AppState, MessageKind};
use crate::tui::widgets::list::moved;

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
pub fn in_formats(app: &mut AppState, action: FormatsAction, now: Now) -> Vec<Effect> {
    let Some(Popup::Formats(formats)) = &mut app.popup else { return Vec::new() };
    match action {
        FormatsAction::Move(movement) => {
            let all = ExportFormat::ALL.len();
            formats.choice = moved(formats.choice, movement, all, all);
        }
        FormatsAction::Toggle => {
            formats.with_deletes = !formats.with_deletes;
            let none = app
                .domains
                .domain()
                .and_then(|domain| app.domains.seen(&domain.name))
                .is_none_or(|seen| seen.conflicts.is_empty());
            if none {
                app.say(MessageKind::Note, "Nothing was seen there that must be deleted.");
            }
        }
        FormatsAction::Copy => {
            let (text, format) = (formats.text(&app.domains), formats.format());
            return copy(app, text, &format!("the record as {format}"), now);
        }
        FormatsAction::WriteFile => {
            let text = Contents::Text(formats.text(&app.domains));
            let name = app.domains.selected.as_ref().map_or("record", |name| name.as_str());
            let write = WriteBox::new(format!("{name}.{}.txt", formats.format()), text);
            app.popup = Some(Popup::Write(write));
        }
        FormatsAction::Back => app.popup = None,
    }
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
pub fn in_outside(app: &mut AppState, action: PickAction, now: Now) -> Vec<Effect> {
    let Some(Popup::Outside(outside)) = &mut app.popup else { return Vec::new() };
    match action {
        PickAction::Move(movement) => {
            outside.choice = moved(outside.choice, movement, outside.acts.len(), outside.acts.len());
        }
        PickAction::Confirm => {
            let act = outside.acts.get(outside.choice).copied();
            app.popup = None;
            return act.map_or_else(Vec::new, |act| do_outside(app, act, now));
        }
        PickAction::Back => app.popup = None,
    }
    Vec::new()
}

/// Changes what stands outside, and looks again.
fn do_outside(app: &mut AppState, act: SandboxStep, now: Now) -> Vec<Effect> {
    let wall = app.domains.wall(now);
    if let Some(sandbox) = &mut app.domains.setup.sandbox {
        sandbox.act(act, wall);
    }
    #[expect(clippy::wildcard_enum_match_arm, reason = "after most nothing is to be said")]
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
