//! The record of a domain in all formats: their names at the left, the text at the right.

use super::super::labels;
use super::super::state::State;
use crate::clock::Now;
use crate::domains::record_export::{ExportFormat, export};
use crate::tui::effect::Effect;
use crate::tui::keymap::FormatsAction;
use crate::tui::popups::{Contents, FormatsBox, Popup, WriteBox, copy};
use crate::tui::state::{AppState, MessageKind};
use crate::tui::widgets::list::{moved, shown};
use crate::tui::widgets::page::Page;

impl FormatsBox {
    fn format(self) -> ExportFormat {
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

pub fn on_action(app: &mut AppState, action: FormatsAction, now: Now) -> Vec<Effect> {
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
                app.say(MessageKind::Note, "Nothing to delete: no conflicting records found.");
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

pub fn draw(formats: FormatsBox, app: &AppState, page: &mut Page<'_>) {
    let title = if formats.with_deletes { "DNS record with deletions" } else { "DNS record in all formats" };
    page.popup(page.area.width.min(110), page.area.height.saturating_sub(2), title);
    page.gap();
    let rows = usize::from(page.left());
    for (here, format) in shown(ExportFormat::ALL.iter(), formats.choice, rows) {
        if here {
            page.point(1);
        }
        page.item(&format!("{:<11}", format.as_str()), here);
    }
    page.area.x += 16;
    page.area.width = page.area.width.saturating_sub(17);
    page.y = 1;
    page.code(&formats.text(&app.domains), usize::MAX);
}
