//! The record of a domain in all formats: their names at the left, the text at the right.

use super::super::state::State;
use crate::clock::Now;
use crate::domains::ExportFormat;
use crate::domains::record_export::export;
use crate::tui::command::{LETTERS, closes};
use crate::tui::popups::{Contents, WriteBox, copy};
use crate::tui::{AppState, Command, Page, Place, Popup, command, moved, moves, shown};

/// The record in one format after another.
#[derive(Clone, Copy, Debug, Default)]
pub struct FormatsBox {
    /// Which of [`ExportFormat::ALL`].
    pub choice: usize,
    /// With what must be deleted first.
    with_deletes: bool,
}

impl FormatsBox {
    fn format(self) -> ExportFormat {
        ExportFormat::ALL[self.choice.min(ExportFormat::ALL.len() - 1)]
    }

    /// The record of the shown domain in this format.
    pub fn text(self, state: &State) -> String {
        let Some(record) = state.dns_record() else { return String::new() };
        let conflicts = state.seen(&record.name).map_or(&[][..], |seen| &seen.conflicts);
        export(&record, self.format(), if self.with_deletes { conflicts } else { &[] })
    }
}

static BOX: &[Command] = &[
    moves(LETTERS, "choose", "choose the format", |app, movement, _| {
        if let Some(formats) = app.popups.get_mut::<FormatsBox>() {
            let all = ExportFormat::ALL.len();
            formats.choice = moved(formats.choice, movement, all, all);
        }
    }),
    command("copy", "y Enter", "copy", "copy it", |app, now| {
        let Some(formats) = app.popups.get::<FormatsBox>() else { return };
        copy(app, formats.text(&app.domains), &format!("the record as {}", formats.format()), now);
    }),
    command("write-file", "w", "write to file", "write it to a file", |app, _| {
        let Some(formats) = app.popups.get::<FormatsBox>() else { return };
        let text = Contents::Text(formats.text(&app.domains));
        let name = app.domains.selected.as_ref().map_or("record", |name| name.as_str());
        let write = WriteBox::new(format!("{name}.{}.txt", formats.format()), text);
        app.popups.show(write);
    }),
    command("toggle", "d", "with deletions", "with what to delete", toggle),
    closes("Esc q F3", "close", "close"),
];

pub static PLACE: Place = Place::new("formats-box", "Formats", &[BOX]).in_box();

pub fn open(app: &mut AppState, _: Now) {
    app.popups.show(FormatsBox::default());
}

fn toggle(app: &mut AppState, _: Now) {
    let Some(formats) = app.popups.get_mut::<FormatsBox>() else { return };
    formats.with_deletes = !formats.with_deletes;
    let seen = app.domains.domain().and_then(|domain| app.domains.seen(&domain.name));
    if seen.is_none_or(|seen| seen.conflicts.is_empty()) {
        app.tell("Nothing to delete: no conflicting records found.");
    }
}

impl Popup for FormatsBox {
    fn place(&self) -> &'static Place {
        &PLACE
    }

    fn draw(&self, app: &AppState, page: &mut Page<'_>) {
        let title = if self.with_deletes { "DNS record with deletions" } else { "DNS record in all formats" };
        page.popup(page.area.width.min(110), page.area.height.saturating_sub(2), title);
        page.gap();
        let rows = usize::from(page.left());
        for (here, format) in shown(ExportFormat::ALL.iter(), self.choice, rows) {
            if here {
                page.point(1);
            }
            page.item(&format!("{:<11}", format.as_str()), here);
        }
        page.area.x += 16;
        page.area.width = page.area.width.saturating_sub(17);
        page.y = 1;
        page.code(&self.text(&app.domains));
    }
}
