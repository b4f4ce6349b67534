//! The record to enter, and what is in its way.

use super::live::{CHECK, CORRECT, DELETES, EVIDENCE, ZONE_FILE, correct, of_selected};
use super::wizard::steps;
use super::{Location, PRACTICE, State, act_of, around, in_the_way, line, scheduler};
use crate::domains::record_export::plain;
use crate::domains::{DnsName, DnsRecord, Event, observation, sentence};
use crate::model::{cut, width};
use crate::tui::popups::{Contents, WriteBox};
use crate::tui::{App, Command, Now, Page, Place, StyleRole, cells, command, copy};

/// The record to enter.
static RECORD: &[Command] = &[
    command("saved", "s", "saved it", "I saved it there", |app, now| of_selected(app, now, saved))
        .shell(|app| line(app, "saved")),
    command("copy-part-type", "T", "", "copy Type", |app, now| copy_part(app, |record| record.field(0), now)),
    command("copy-part-name", "n", "", "copy Name", |app, now| copy_part(app, |record| record.field(1), now)),
    command("copy-part-value", "v", "copy", "copy Value", |app, now| copy_part(app, |record| record.field(2), now))
        .called("T n v l"),
    command("copy-part-ttl", "l", "", "copy TTL", |app, now| copy_part(app, |record| record.field(3), now)),
    command("copy-part-full-name", "N", "", "copy the full name", |app, now| {
        copy_part(app, |record| record.name.dotted(), now)
    }),
    ZONE_FILE,
    command("write-file", "w", "write", "write to a file", |app, _| {
        if let Some(record) = app.domains.dns_record() {
            app.popups.show(WriteBox::new(format!("{}.txt", record.name), Contents::Text(plain(&record, &[]))));
        }
    }),
    CHECK,
    CORRECT,
    DELETES,
    EVIDENCE.at("e down PgDn", "", "evidence, in full"),
    PRACTICE,
    command("back", "F3 left h", "step back", "name and value", |app, now| of_selected(app, now, correct)),
    command("leave", "Esc q", "back", "back", |app, _| app.domains.back()),
];

pub static RECORD_PLACE: Place = Place::new("record", "The DNS record", &[RECORD]).around(around);

/// Records that the record was saved.
fn saved(app: &mut App, name: &DnsName, now: Now) {
    app.domains.record(name, Event::Saved, now);
    app.domains.trail.clear();
    app.domains.place = Location::Live;
    scheduler::ask_anew(&mut app.domains, name);
    app.say_done("Recorded. DNS changes can take up to 48 hours; petstore keeps checking.", now.mono);
}

/// Where there is no record.
const NO_VALUE: &str = "No value yet. F3 goes back to enter it.";

/// Copies one part of the record.
fn copy_part(app: &mut App, part: fn(&DnsRecord) -> String, now: Now) {
    let Some(record) = app.domains.dns_record() else { return app.tell(NO_VALUE) };
    let text = part(&record);
    let shown = format!("\"{text}\"");
    copy(app, text, &shown, now);
}

/// With fewer rows, only the record and what is in its way are shown.
const SMALL: u16 = 20;
/// Paints the record; the cursor is on its value.
pub fn draw(panel: &State, page: &mut Page<'_>) {
    let small = page.area.height < SMALL;
    page.tight = small;
    steps(page, 2);
    page.gap();
    let Some(record) = panel.dns_record() else { return page.text(&format!("   {NO_VALUE}")) };
    page.heading(format!("   At {} add this record:", record.place()));
    page.gap();
    let form = record.form();
    let labels = form.iter().map(|(label, _)| label.len() + 1).max().unwrap_or(0).max(8);
    for ((label, text), key) in form.iter().zip(["T", "n", "v", "l"]) {
        if key == "v" {
            page.point(cells(labels + 7));
        }
        let room = page.room(labels + 17);
        let text = cut(text, room);
        let pad = " ".repeat(room.saturating_sub(width(&text)));
        page.line(vec![
            format!("       {label:<labels$}").into(),
            page.appearance.span(text, StyleRole::Heading),
            pad.into(),
            page.appearance.span(key, StyleRole::Key),
            " copy".into(),
        ]);
    }
    if small {
        // The footer has the key for the next step.
        let room = page.left().into();
        return now_there(panel, page, room);
    }
    page.gap();
    page.wrapped(3, &record.advice(), 2);
    page.text("   f  as a line of a zone file");
    page.gap();
    // The next step stays in sight, whatever is at the name.
    let room = page.left().saturating_sub(3);
    now_there(panel, page, usize::from(room));
    page.down_to(2);
    let text = "Save it there: petstore sees it and goes on (r checks now). Changes can take up to 48 h to be seen.";
    page.wrapped(3, text, 2);
}

/// What is at the name now.
fn now_there(panel: &State, page: &mut Page<'_>, room: usize) {
    let Some(name) = &panel.selected else { return };
    let Some(seen) = panel.seen(name) else {
        let text = if panel.is_checking(name) { "checking ..." } else { "not checked yet (r)" };
        return page.text(&format!("   Now at that name: {text}"));
    };
    let source = seen.views.iter().find(|view| view.server.role == observation::Role::Authoritative);
    page.text(&format!("   Now at that name ({}):", page.appearance.time(seen.at)));
    if !seen.measurement.known {
        return page.text("   ?  The check failed from here. Check this machine's network.");
    }
    let wrong: Vec<_> = in_the_way(panel, name).collect();
    let Some(first) = wrong.first() else {
        let sees = source.map_or("nothing", |view| view.sees.as_str());
        return page.text(&format!("   i  {sees}: nothing is in the way"));
    };
    let end = page.y + u16::try_from(room.saturating_sub(1)).unwrap_or(0);
    page.error(3, &sentence(&first.seen), 2);
    if !seen.conflicts.is_empty() && page.left() > 6 {
        page.text("     D  copies what to delete");
    }
    let rows = usize::from(end.saturating_sub(page.y)).saturating_sub(wrong.len() - 1).max(2);
    page.labelled("     ", &act_of(first), rows);
    for finding in &wrong[1..] {
        if page.y < end {
            page.error(3, &format!("{}: {}", finding.title, finding.seen), 1);
        }
    }
}
