//! How an import that is under way looks, and one that has ended.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::clock::Now;
use crate::model::text::{cut, width};
use crate::tui::screens::add_pet::import::jobs::ImportSource;
use crate::tui::screens::add_pet::import::progress::{RowEntry, Running, Shown};
use crate::tui::screens::add_pet::import::update::command_line;
use crate::tui::state::AppState;
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::{WIDE, boxed, put, wrap};

/// The columns of the list: their left edges.
const LINE: u16 = 3;
const NAME: u16 = 11;
const RESULT: u16 = 36;

/// Rows below the list: how to go on with it elsewhere.
const BELOW: u16 = 4;

/// Paints the import; gives the place of the cursor.
pub fn draw(
    running: &Running,
    state: &AppState,
    appearance: &Appearance,
    now: Now,
    buf: &mut Buffer,
    body: Rect,
) -> Option<Position> {
    let wide = body.width >= WIDE;
    let file = match (&running.source, &running.files) {
        (ImportSource::Pasted(_), _) => "what was pasted",
        (ImportSource::File(_), Some((file, _))) => file.rsplit('/').next().unwrap_or(file),
        (ImportSource::File(_), None) => "...",
    };
    let title = vec![
        Span::styled("   Import   ", appearance.style(StyleRole::Heading)),
        Span::raw(cut(&appearance.text(file), 40)),
        Span::raw(format!("  -> {}", cut(&appearance.text(&running.service), 20))),
    ];
    put(buf, body, 1, &Line::from(title));
    draw_gauge(running, appearance, buf, body, 3);
    put(buf, body, 4, &Line::raw(cut(&counts(running, now), usize::from(body.width))));
    // What was pasted and is in the service leaves no report.
    let is_gone = matches!(running.source, ImportSource::Pasted(_)) && !running.is_under_way() && running.left() == 0;
    if let Some((_, report)) = running.files.as_ref().filter(|_| !is_gone) {
        let name = report.rsplit('/').next().unwrap_or(report);
        let text = format!("   Report   {}   (written row by row)", appearance.text(name));
        put(buf, body, 6, &Line::raw(cut(&text, usize::from(body.width))));
    }
    let list = Rect { y: body.y + 7.min(body.height), height: body.height.saturating_sub(7 + BELOW), ..body };
    let cursor = if wide && !running.only_rejects {
        let half = list.height / 2;
        let rows = boxed(buf, Rect { height: list.height - half, ..list }, "Rows (f: only problems)", appearance);
        let cursor = draw_rows(running, running.listed(), true, appearance, buf, rows);
        let title = format!("To mend: {}", running.progress.errors());
        let mend = boxed(buf, Rect { y: list.y + list.height - half, height: half, ..list }, &title, appearance);
        draw_rows(running, &running.rejects, false, appearance, buf, mend);
        cursor
    } else {
        draw_rows(running, running.listed(), true, appearance, buf, list)
    };
    draw_below(
        running,
        state,
        appearance,
        buf,
        Rect { y: list.bottom(), height: body.bottom() - list.bottom(), ..body },
    );
    cursor
}

fn draw_gauge(running: &Running, appearance: &Appearance, buf: &mut Buffer, area: Rect, y: u16) {
    let done = running.good - running.left();
    let words = format!("  {done} of {}   {}%", running.good, running.percent());
    let room = usize::from(area.width).saturating_sub(width(&words) + 6);
    let full = usize::try_from(running.percent()).unwrap_or(100) * room / 100;
    let bar = vec![
        Span::raw("   ["),
        Span::styled("#".repeat(full), appearance.style(StyleRole::Good)),
        Span::styled("-".repeat(room - full), appearance.style(StyleRole::Quiet)),
        Span::raw(format!("]{words}")),
    ];
    put(buf, area, y, &Line::from(bar));
}

fn counts(running: &Running, now: Now) -> String {
    let progress = &running.progress;
    let mut text = format!("   added {}", progress.added);
    if progress.added_before > 0 {
        text.push_str(&format!(" (and {} before)", progress.added_before));
    }
    let (refused, unknown, left) = (progress.refused + progress.invalid, progress.unknown, running.left());
    text.push_str(&format!("   refused {refused}   unknown {unknown}   left {left}"));
    if !running.is_under_way() {
        return text;
    }
    if let Some(until) = progress.waiting_until {
        let seconds = until.saturating_duration_since(now.mono).as_millis().div_ceil(1000);
        let why = running.waiting.as_deref().unwrap_or("the service asks for a pause");
        return format!("{text}   waiting {seconds} s: {why}");
    }
    if running.paused {
        return format!("{text}   paused, {} under way", progress.under_way);
    }
    if let Some(speed) = running.speed() {
        text.push_str(&format!("   {speed:.1} a second"));
    }
    if let Some(left) = running.time_left() {
        text.push_str(&format!("   about {}", clock_words(left)));
    }
    text
}

fn clock_words(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3_600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// Rows, the newest on top; gives the place of the marked one where these are the ones that it is among.
fn draw_rows<'a>(
    running: &Running,
    rows: impl IntoIterator<Item = &'a RowEntry>,
    has_cursor: bool,
    appearance: &Appearance,
    buf: &mut Buffer,
    area: Rect,
) -> Option<Position> {
    let at = |x: u16| Rect { x: area.x + x.min(area.width), width: area.width.saturating_sub(x), ..area };
    for (x, text) in [(LINE + 1, "LINE"), (NAME, "NAME"), (RESULT, "RESULT")] {
        put(buf, at(x), 0, &Line::styled(text, appearance.style(StyleRole::Heading)));
    }
    let height = usize::from(area.height.saturating_sub(1));
    let top = if has_cursor { (running.cursor + 1).saturating_sub(height) } else { 0 };
    let mut place = None;
    for (y, (index, row)) in (1..area.height).zip(rows.into_iter().enumerate().skip(top)) {
        let here = has_cursor && index == running.cursor;
        let style = |role| appearance.style(if here { StyleRole::Selected } else { role });
        if here {
            put(buf, area, y, &Line::styled(" ".repeat(area.width.into()), style(StyleRole::Text)));
            place = Some(Position { x: area.x + NAME.min(area.width - 1), y: area.y + y });
        }
        let (mark, role, text) = match &row.shown {
            Shown::Added(id) => ("+", StyleRole::Good, format!("id {id}")),
            Shown::Refused(why) => ("!", StyleRole::Error, why.clone()),
            Shown::Unknown(why) => ("?", StyleRole::Wait, format!("may have been added: {why}")),
            Shown::NotSent(why) => ("*", StyleRole::Wait, format!("not sent: {why}")),
        };
        put(buf, area, y, &Line::styled(format!(" {}{mark}", if here { ">" } else { " " }), style(role)));
        put(buf, at(LINE + 1), y, &Line::styled(format!("{:>5}", row.line), style(StyleRole::Text)));
        let name = cut(&appearance.text(&row.name), usize::from(RESULT - NAME) - 1);
        put(buf, at(NAME), y, &Line::styled(name, style(StyleRole::Text)));
        let text = cut(&appearance.text(&text), usize::from(area.width.saturating_sub(RESULT)));
        put(buf, at(RESULT), y, &Line::styled(text, style(role)));
    }
    place
}

fn draw_below(running: &Running, state: &AppState, appearance: &Appearance, buf: &mut Buffer, area: Rect) {
    let is_done = running.left() == 0 && running.progress.refused + running.progress.unknown == 0;
    if running.files.is_none() || (!running.is_under_way() && is_done) {
        return;
    }
    let title = if running.is_under_way() {
        "If this window or the connection is lost, nothing is lost:"
    } else {
        "F2 goes on here; in a shell:"
    };
    put(buf, area, 1, &Line::raw(format!("   {title}")));
    let line = appearance.text(&command_line(state, " --resume"));
    for (y, line) in (2..area.height).zip(wrap(&line, usize::from(area.width).saturating_sub(7))) {
        put(buf, area, y, &Line::raw(format!("     {line}")));
    }
}
