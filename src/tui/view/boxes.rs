//! How the boxes over the screens look.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::reader::read;
use crate::api::explain::{Explanation, explain};
use crate::api::failure::Failure;
use crate::clock::Now;
use crate::config::{Depth, KeepKey, KeyOrigin, ThemeChoice};
use crate::model::PetStatus;
use crate::model::text::{cut, width};
use crate::tui::pending::Slot;
use crate::tui::popups::PendingChange;
use crate::tui::popups::{
    ConfirmBox, Contents, KeyBox, LIMIT_PRESETS, LimitBox, PaletteEntry, Reader, TextBox, TextKind, WriteBox,
};
use crate::tui::screens::profiles::jobs::KeyPlaces;
use crate::tui::state::{AppState, Health, Layout, Link};
use crate::tui::text_input::TextInput;
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::{banner, field, popup, put, put_right, wrap, wrap_indented};

/// How many rows?
pub fn draw_limit(
    buf: &mut Buffer,
    body: Rect,
    limit_box: &LimitBox,
    state: &AppState,
    appearance: &Appearance,
) -> Position {
    let inner = popup(buf, body, 38, 14, "How many rows?", appearance);
    let chosen = limit_box.limit().map(|limit| i64::from(limit.get()));
    for (y, preset) in (1..).zip(LIMIT_PRESETS) {
        let note = match preset {
            20 => "  (default)",
            100 => "  (the most)",
            _ => "",
        };
        let here = chosen == Some(preset);
        let line = format!(" {} {preset:>3}{note}", if here { ">" } else { " " });
        put(
            buf,
            inner,
            y,
            &Line::styled(line, appearance.style(if here { StyleRole::Selected } else { StyleRole::Text })),
        );
    }
    put(buf, inner, 7, &Line::raw("   or type 1 to 100:"));
    let cursor = field(buf, inner.x + 22, inner.y + 7.min(inner.height - 1), 6, &limit_box.input, appearance);
    let note = if chosen.is_none() {
        let typed = cut(&appearance.text(limit_box.input.value()), 8);
        banner(&format!("1 to 100, not \"{typed}\"."), inner.width, appearance)
    } else if state.link.has_pages {
        vec![Line::raw("   Down on the last row loads the"), Line::raw("   next rows of this number.")]
    } else {
        vec![Line::raw("   For more than 100 see the status"), Line::raw("   tabs: each shows up to 100.")]
    };
    for (y, line) in (9..).zip(&note) {
        put(buf, inner, y, line);
    }
    cursor
}

/// Which key?
pub fn draw_key(
    buf: &mut Buffer,
    body: Rect,
    key_box: &KeyBox,
    state: &AppState,
    appearance: &Appearance,
    now: Now,
) -> Option<Position> {
    let title = match (state.key_refused(), state.link.has_key()) {
        (true, true) => "The service needs another API key",
        (true, false) => "The service needs an API key",
        (false, _) => "Another API key",
    };
    let inner = popup(buf, body, 68, 18, title, appearance);
    let (ending, origin) = &state.link.key;
    let used = if ending.is_empty() { String::new() } else { format!("ends in {ending}, ") };
    let Link { service, name, .. } = &state.link;
    let service = if service == name { service.clone() } else { format!("{service} ({name})") };
    let mut lines = vec![
        Line::raw(""),
        Line::raw(format!("  Service   {}", appearance.text(&service))),
        Line::raw(format!("  Key       {used}{}", appearance.text(&origin.to_string()))),
    ];
    if let Health::KeyRefused { failure: Failure::Refused { message, .. } } = &state.link.health
        && state.link.has_key()
    {
        lines.push(Line::raw(format!("  Answer    \"{}\"", appearance.text(message))));
    }
    lines.extend([Line::raw(""), Line::raw("  New key")]);
    let row = |lines: &[Line<'_>]| u16::try_from(lines.len()).unwrap_or(1) - 1;
    let field_row = row(&lines);
    lines.extend([Line::raw("            paste works; F4 shows or hides it"), Line::raw("")]);
    let mut cursor_row = field_row;
    for (label, keep) in [("Keep it", KeepKey::Session), ("", KeepKey::File), ("", KeepKey::Keyring)] {
        let chosen = key_box.keep == keep;
        let mark = if chosen { "(*)" } else { "( )" };
        let here = chosen && key_box.choosing;
        let role = match (key_box.can(keep), here) {
            (false, _) => StyleRole::Quiet,
            (true, true) => StyleRole::Selected,
            (true, false) => StyleRole::Text,
        };
        let words = appearance.text(&kept_where(key_box, keep));
        let text = cut(&format!("{mark} {words}"), usize::from(inner.width).saturating_sub(13));
        lines.push(Line::from(vec![Span::raw(format!("  {label:<10}")), Span::styled(text, appearance.style(role))]));
        if here {
            cursor_row = row(&lines);
        }
    }
    lines.push(Line::raw(""));
    if let Some(since) = state.pending.since(Slot::TestKey) {
        let seconds = now.mono.saturating_duration_since(since).as_secs();
        lines.push(Line::styled(format!("  Trying it ... {seconds} s"), appearance.style(StyleRole::Wait)));
    } else if let Some(error) = &key_box.error {
        lines.extend(banner(error, inner.width, appearance));
    } else {
        lines.push(Line::raw("  It is tried with one request before it is kept."));
    }
    // A key that is kept has the profile name its own place, which no variable overrides.
    if let (KeyOrigin::Environment(name), KeepKey::Session) = (origin, key_box.keep) {
        lines.push(Line::raw(""));
        lines.push(Line::raw(format!("  Note: {} wins again at the next start.", cut(&appearance.text(name), 30))));
    }
    for (y, line) in (0..).zip(&lines) {
        put(buf, inner, y, line);
    }
    let stars = TextInput::new("*".repeat(key_box.input.value().chars().count()));
    let input = if key_box.shown { &key_box.input } else { &stars };
    let in_field =
        (field_row < inner.height).then(|| field(buf, inner.x + 12, inner.y + field_row, 46, input, appearance));
    let on_choice = (cursor_row < inner.height).then(|| Position { x: inner.x + 13, y: inner.y + cursor_row });
    if key_box.choosing { on_choice } else { in_field }
}

/// A place for the key, in words.
fn kept_where(key_box: &KeyBox, keep: KeepKey) -> String {
    match (keep, &key_box.places) {
        (KeepKey::Session, _) => "for this session only".to_owned(),
        (KeepKey::File, None) => "in a file (looking ...)".to_owned(),
        (KeepKey::File, Some(KeyPlaces { file: Some(file), .. })) => format!("in the file {file}"),
        (KeepKey::File, Some(KeyPlaces { file: None, .. })) => {
            "in a file (only for a profile in the configuration)".to_owned()
        }
        (KeepKey::Keyring, None) => "in the system keyring (looking ...)".to_owned(),
        (KeepKey::Keyring, Some(_)) if key_box.can(keep) => "in the system keyring".to_owned(),
        (KeepKey::Keyring, Some(_)) => "in the system keyring (not available here)".to_owned(),
    }
}

/// The last failure in full: what it says, what it means, what to do, and when it is asked again.
pub fn draw_error(
    buf: &mut Buffer,
    body: Rect,
    reader: Reader,
    state: &AppState,
    appearance: &Appearance,
    now: Now,
    layout: &mut Layout,
) {
    let columns = body.width.min(100);
    let inner = popup(buf, body, columns, body.height.saturating_sub(2), "The last error", appearance);
    let inside = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let room = usize::from(inside.width);
    let wrapped = |text: &str| wrap(&appearance.text(text), room).into_iter().map(Line::raw).collect::<Vec<_>>();
    let Some(failure) = &state.last_failure else {
        let complaints = state.complaints.iter().flat_map(|complaint| wrapped(complaint));
        read(buf, inside, reader.top, &complaints.collect::<Vec<_>>(), layout);
        return;
    };
    let mut lines: Vec<Line<'_>> = failure.details(&state.link.service).iter().flat_map(|line| wrapped(line)).collect();
    let Explanation { means, todo } = explain(failure);
    for (heading, text) in
        [("What it means", means), ("What to do", todo), ("From here", &from_here(failure, state, now))]
    {
        lines.extend([Line::raw(""), Line::styled(heading, appearance.style(StyleRole::Heading))]);
        lines.extend(wrapped(text));
    }
    read(buf, inside, reader.top, &lines, layout);
}

/// Which keys help, and when it is tried again by itself.
fn from_here(failure: &Failure, state: &AppState, now: Now) -> String {
    let again = match &state.link.health {
        _ if !state.link.health.is_about(failure) => "It is not tried again by itself.".to_owned(),
        Health::Away { next_try: Some(at), .. } => {
            let seconds = at.saturating_duration_since(now.mono).as_millis().div_ceil(1000);
            format!("It is tried again in {seconds} s; Esc, then r tries at once.")
        }
        Health::Away { failure: Failure::NotStarted { .. }, .. } => {
            "Trying again gives the same: Esc, then q quits.".to_owned()
        }
        Health::Away { .. } => "It is not tried again by itself; Esc, then r tries.".to_owned(),
        Health::KeyRefused { .. } => "Nothing is asked before there is another key: Esc, then F4.".to_owned(),
        Health::Unknown | Health::Ok { .. } => String::new(),
    };
    format!("{again} H shows the requests with their answers.")
}

/// A text to read.
pub fn draw_text(buf: &mut Buffer, body: Rect, text: &TextBox, appearance: &Appearance, layout: &mut Layout) {
    let title = match text.kind {
        TextKind::Evidence => "Evidence: what was asked, and what was answered",
        TextKind::Report => "A report for support",
        TextKind::Exchange => "A request and its answer, without the key",
        TextKind::Rows => "Rows of the file",
    };
    let inner = popup(buf, body, body.width.min(116), body.height, title, appearance);
    let inside = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let columns = usize::from(inside.width);
    let lines = text.text.lines().flat_map(|line| wrap_indented(&appearance.text(line), columns));
    read(buf, inside, text.top, &lines.map(Line::raw).collect::<Vec<_>>(), layout);
}

/// Into which file?
pub fn draw_write(buf: &mut Buffer, body: Rect, write: &WriteBox, appearance: &Appearance) -> Position {
    let inner = popup(buf, body, 70, 9, "Write to which file?", appearance);
    let formats = if matches!(write.text, Contents::Pets { .. }) { " .csv .tsv .json .ndjson" } else { "" };
    put(buf, inner, 1, &Line::raw(format!("  Relative to where petstore was started.{formats}")));
    let what = match (&write.text, write.written) {
        (_, Some(count)) => format!("{count} animals so far ... Esc stops it"),
        (Contents::Pets { whole, .. }, None) => {
            let mark = |chosen: bool| if chosen { "(*)" } else { "( )" };
            let rows = write.what.as_deref().unwrap_or_default();
            format!("{} {rows}   {} everything (Tab)", mark(!whole), mark(*whole))
        }
        (Contents::Text(_) | Contents::ToMend(_) | Contents::Configuration { .. }, None) => {
            write.what.clone().unwrap_or_default()
        }
    };
    put(buf, inner, 2, &Line::raw(cut(&format!("  {what}"), usize::from(inner.width))));
    let cursor = field(buf, inner.x + 2, inner.y + 3.min(inner.height - 1), 60, &write.path, appearance);
    for (y, line) in
        (5..).zip(write.error.iter().flat_map(|error| banner(&appearance.text(error), inner.width, appearance)))
    {
        put(buf, inner, y, &line);
    }
    cursor
}

/// All commands: the field, those that match, and the chosen one in a shell.
pub fn draw_commands(buf: &mut Buffer, body: Rect, commands: &PaletteEntry, appearance: &Appearance) -> Position {
    let inner = popup(buf, body, 76, body.height.min(18), "All commands", appearance);
    let room = usize::from(inner.width).saturating_sub(4);
    let (shown, cursor) = commands.input.window(room);
    put(
        buf,
        inner,
        0,
        &Line::from(vec![Span::styled(" : ", appearance.style(StyleRole::Key)), Span::raw(appearance.text(&shown))]),
    );
    put(buf, inner, 1, &Line::raw(appearance.rule(usize::from(inner.width))));
    let list = Rect { y: inner.y + 2, height: inner.height.saturating_sub(6), ..inner };
    let top = (commands.cursor + 1).saturating_sub(list.height.into());
    for (y, (at, command)) in (0..list.height).zip(commands.found.iter().enumerate().skip(top)) {
        let chosen = at == commands.cursor;
        let style = appearance.style(if chosen { StyleRole::Selected } else { StyleRole::Text });
        let title = cut(&command.title, room.saturating_sub(width(&command.keys) + 2));
        let line = format!(" {} {title}", if chosen { ">" } else { " " });
        put(buf, list, y, &Line::styled(line, style));
        put_right(
            buf,
            Rect { width: list.width.saturating_sub(1), ..list },
            y,
            &command.keys,
            appearance,
            StyleRole::Key,
        );
    }
    if commands.found.is_empty() {
        put(buf, list, 0, &Line::raw("   No command is called so. Backspace, or Esc to close."));
    }
    let below = inner.height.saturating_sub(3);
    put(buf, inner, below.saturating_sub(1), &Line::raw(appearance.rule(usize::from(inner.width))));
    let chosen = commands.chosen();
    if let Some(line) = chosen.and_then(|command| command.line.as_ref()) {
        put(
            buf,
            inner,
            below,
            &Line::styled(" The same on the command line (F6 copies it):", appearance.style(StyleRole::Quiet)),
        );
        put(buf, inner, below + 1, &Line::raw(cut(&format!("   {}", appearance.text(line)), usize::from(inner.width))));
    } else if chosen.is_some() {
        put(
            buf,
            inner,
            below,
            &Line::styled(" Only here: no command line does this.", appearance.style(StyleRole::Quiet)),
        );
    }
    let count = format!(" {} of {} commands", commands.found.len(), commands.all);
    put(buf, inner, below + 2, &Line::styled(count, appearance.style(StyleRole::Quiet)));
    Position { x: inner.x + 3 + u16::try_from(cursor).unwrap_or(0), y: inner.y }
}

/// Is the first change to a protected service to be made?
pub fn draw_confirm(
    buf: &mut Buffer,
    body: Rect,
    asked: &ConfirmBox,
    state: &AppState,
    appearance: &Appearance,
) -> Position {
    let title = format!("{} is protected", cut(&appearance.text(&state.link.label), 20));
    let inner = popup(buf, body, 62, 15, &title, appearance);
    let room = usize::from(inner.width).saturating_sub(4);
    let address = state.link.address.as_ref().map_or_else(|| state.link.service.clone(), ToString::to_string);
    let (what, parts) = match &asked.change {
        PendingChange::Add(new) => {
            let status = new.status.map_or("not set (the service decides)".to_owned(), |status| status.to_string());
            let parts = [("Name", new.name.clone()), ("Category", new.category_id.to_string()), ("Status", status)];
            ("Add this pet to".to_owned(), parts.to_vec())
        }
        PendingChange::Samples(count) => (format!("Add {count} samples to"), Vec::new()),
        PendingChange::Rapid(0) => ("Begin rapid entry: each line is added at once to".to_owned(), Vec::new()),
        PendingChange::Import(count) => (format!("Import {count} pets into"), Vec::new()),
        PendingChange::Rapid(count) => (format!("Begin rapid entry, and send {count} lines that wait, to"), Vec::new()),
    };
    let mut lines = vec![String::new()];
    lines.extend(wrap(&format!("{what} {}?", appearance.text(&address)), room));
    lines.push(String::new());
    lines.extend(parts.iter().map(|(label, value)| format!("   {label:<10} {}", appearance.text(value))));
    lines.push(String::new());
    lines.extend(wrap("The service shows no way to change or delete a pet afterwards.", room));
    lines.push(String::new());
    for (y, line) in (0..).zip(&lines) {
        put(buf, inner, y, &Line::raw(format!("  {}", cut(line, room))));
    }
    let answers = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(inner.height.saturating_sub(1));
    let answer = Line::from(vec![
        Span::styled("     y", appearance.style(StyleRole::Key)),
        Span::raw("  Add it      "),
        Span::styled("n  Not now (Enter, Esc)", appearance.style(StyleRole::Selected)),
    ]);
    put(buf, inner, answers, &answer);
    Position { x: inner.x + 20, y: inner.y + answers }
}

/// The themes, and how marks look in the one that is chosen.
pub fn draw_themes(buf: &mut Buffer, body: Rect, state: &AppState, appearance: &Appearance) {
    let rows = u16::try_from(ThemeChoice::ALL.len() + 8).unwrap_or(u16::MAX);
    let inner = popup(buf, body, 66, rows, "Themes", appearance);
    let mut lines = vec![Line::raw("")];
    for theme in ThemeChoice::ALL {
        let here = theme == state.theme;
        let text = format!(" {} {:<14} {}", if here { ">" } else { " " }, theme.name(), theme.title());
        lines.push(Line::styled(text, appearance.style(if here { StyleRole::Selected } else { StyleRole::Text })));
    }
    lines.push(Line::raw(""));
    let mut marks = vec![Span::raw("   ")];
    for status in PetStatus::ALL {
        let (mark, role) = appearance.mark(Some(&status.into()));
        marks.extend([Span::styled(mark, appearance.style(role)), Span::raw(format!(" {status}   "))]);
    }
    lines.push(Line::from(marks));
    let said = [
        ("+ new", StyleRole::New),
        ("! error", StyleRole::Error),
        ("wait", StyleRole::Wait),
        ("good", StyleRole::Good),
    ];
    let said = said.map(|(text, role)| Span::styled(format!("   {text}"), appearance.style(role)));
    lines.push(Line::from(said.to_vec()));
    if appearance.depth == Depth::Mono {
        lines.push(Line::styled(
            "   This terminal shows no colours: they all look alike.",
            appearance.style(StyleRole::Quiet),
        ));
    }
    for (y, line) in (0..).zip(&lines) {
        put(buf, inner, y, line);
    }
}
