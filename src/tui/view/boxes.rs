//! How the boxes over the screens look.

use ratatui::text::{Line, Span};

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
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::first_shown;
use crate::tui::widgets::page::{Page, radio};
use crate::tui::widgets::wrap_indented;

/// Lines that can be scrolled.
pub(super) fn read(top: u16, lines: Vec<Line<'_>>, page: &mut Page<'_>, layout: &mut Layout) {
    layout.reader_rows = page.area.height;
    layout.reader_lines = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    for line in lines.into_iter().skip(top.into()).take(page.area.height.into()) {
        page.line(line);
    }
}

/// How many rows?
pub fn draw_limit(limit_box: &LimitBox, state: &AppState, page: &mut Page<'_>) {
    page.popup(38, 14, "How many rows?");
    let chosen = limit_box.limit().map(|limit| i64::from(limit.get()));
    page.gap();
    for preset in LIMIT_PRESETS {
        let note = match preset {
            20 => "  (default)",
            100 => "  (the most)",
            _ => "",
        };
        page.item(&format!("{preset:>3}{note}"), chosen == Some(preset));
    }
    page.y = 7;
    page.at(0, "   or type 1 to 100:", StyleRole::Text);
    page.back_to_last();
    page.input(22, 6, &limit_box.input, true);
    page.y = 9;
    if chosen.is_none() {
        page.banner(&format!("1 to 100, not \"{}\".", cut(&page.appearance.text(limit_box.input.value()), 8)), 2);
    } else if state.link.has_pages {
        page.line("   Down on the last row loads the");
        page.line("   next rows of this number.");
    } else {
        page.line("   For more than 100 see the status");
        page.line("   tabs: each shows up to 100.");
    }
}

/// Which key?
pub fn draw_key(key_box: &KeyBox, state: &AppState, now: Now, page: &mut Page<'_>) {
    let title = match (state.key_refused(), state.link.has_key()) {
        (true, true) => "The service needs another API key",
        (true, false) => "The service needs an API key",
        (false, _) => "Another API key",
    };
    page.popup(68, 18, title);
    let appearance = page.appearance;
    let Link { service, name, key: (ending, origin), .. } = &state.link;
    let used = if ending.is_empty() { String::new() } else { format!("ends in {ending}, ") };
    let service = if service == name { service.clone() } else { format!("{service} ({name})") };
    page.gap();
    page.text(&format!("  Service   {service}"));
    page.text(&format!("  Key       {used}{origin}"));
    if let Health::KeyRefused { failure: Failure::Refused { message, .. } } = &state.link.health
        && state.link.has_key()
    {
        page.text(&format!("  Answer    \"{message}\""));
    }
    page.gap();
    page.at(0, "  New key", StyleRole::Text);
    let stars = TextInput::new("*".repeat(key_box.input.value().chars().count()));
    page.input(12, 46, if key_box.shown { &key_box.input } else { &stars }, !key_box.choosing);
    page.gap();
    page.line("            paste works; F4 shows or hides it");
    page.gap();
    page.at(0, "  Keep it", StyleRole::Text);
    for keep in [KeepKey::Session, KeepKey::File, KeepKey::Keyring] {
        let chosen = key_box.keep == keep;
        let here = chosen && key_box.choosing;
        if here {
            page.point(13);
        }
        let role = if key_box.can(keep) { StyleRole::Selected.when(here) } else { StyleRole::Quiet };
        let text = format!("{} {}", radio(chosen), appearance.text(&kept_where(key_box, keep)));
        page.at(12, cut(&text, page.columns().saturating_sub(13)), role);
        page.gap();
    }
    page.gap();
    if let Some(since) = state.pending.since(Slot::TestKey) {
        page.styled(format!("  Trying it ... {} s", now.seconds_since(since)), StyleRole::Wait);
    } else if let Some(error) = &key_box.error {
        page.banner(error, usize::MAX);
    } else {
        page.line("  It is tried with one request before it is kept.");
    }
    // A key that is kept has the profile name its own place, which no variable overrides.
    if let (KeyOrigin::Environment(name), KeepKey::Session) = (origin, key_box.keep) {
        page.gap();
        page.line(format!("  Note: {} wins again at the next start.", cut(&appearance.text(name), 30)));
    }
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
pub fn draw_error(reader: Reader, state: &AppState, now: Now, page: &mut Page<'_>, layout: &mut Layout) {
    page.popup(100, page.area.height.saturating_sub(2), "The last error");
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
    read(reader.top, lines, page, layout);
}

/// Which keys help, and when it is tried again by itself.
fn from_here(failure: &Failure, state: &AppState, now: Now) -> String {
    let again = match &state.link.health {
        _ if !state.link.health.is_about(failure) => "It is not tried again by itself.".to_owned(),
        Health::Away { next_try: Some(at), .. } => {
            let seconds = now.seconds_until(*at);
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
pub fn draw_text(text: &TextBox, page: &mut Page<'_>, layout: &mut Layout) {
    let title = match text.kind {
        TextKind::Evidence => "Evidence: what was asked, and what was answered",
        TextKind::Report => "A report for support",
        TextKind::Exchange => "A request and its answer, without the key",
        TextKind::Rows => "Rows of the file",
    };
    page.popup(116, page.area.height, title);
    page.inset(1);
    let lines = text.text.lines().flat_map(|line| wrap_indented(&page.appearance.text(line), page.columns()));
    let lines: Vec<Line<'_>> = lines.map(Line::raw).collect();
    read(text.top, lines, page, layout);
}

/// Into which file?
pub fn draw_write(write: &WriteBox, page: &mut Page<'_>) {
    page.popup(70, 9, "Write to which file?");
    let formats = if matches!(write.text, Contents::Pets { .. }) { " .csv .tsv .json .ndjson" } else { "" };
    page.gap();
    page.line(format!("  Relative to where petstore was started.{formats}"));
    let what = match (&write.text, write.written) {
        (_, Some(count)) => format!("{count} animals so far ... Esc stops it"),
        (Contents::Pets { whole, .. }, None) => {
            let rows = write.what.as_deref().unwrap_or_default();
            format!("{} {rows}   {} everything (Tab)", radio(!whole), radio(*whole))
        }
        (Contents::Text(_) | Contents::ToMend(_) | Contents::Configuration { .. }, None) => {
            write.what.clone().unwrap_or_default()
        }
    };
    page.line(cut(&format!("  {what}"), page.columns()));
    page.back_to_last();
    page.input(2, 60, &write.path, true);
    page.y += 2;
    if let Some(error) = &write.error {
        page.banner(error, usize::MAX);
    }
}

/// All commands: the field, those that match, and the chosen one in a shell.
pub fn draw_commands(commands: &PaletteEntry, page: &mut Page<'_>) {
    page.popup(76, page.area.height.min(18), "All commands");
    let appearance = page.appearance;
    let rule = appearance.rule(page.columns());
    let room = page.columns().saturating_sub(4);
    page.prompt(" : ", &commands.input, room, StyleRole::Text, true);
    page.gap();
    page.line(rule.as_str());
    let rows = usize::from(page.area.height.saturating_sub(6));
    for (at, command) in commands.found.iter().enumerate().skip(first_shown(commands.cursor, rows)).take(rows) {
        page.right(1, &command.keys, StyleRole::Key);
        page.item(&cut(&command.title, room.saturating_sub(width(&command.keys) + 2)), at == commands.cursor);
    }
    if commands.found.is_empty() {
        page.line("   No command is called so. Backspace, or Esc to close.");
    }
    page.to_bottom(4);
    page.line(rule);
    match commands.chosen().map(|command| &command.line) {
        Some(Some(line)) => {
            page.quiet(" The same on the command line (F6 copies it):");
            page.line(cut(&format!("   {}", appearance.text(line)), page.columns()));
        }
        Some(None) => page.quiet(" Only here: no command line does this."),
        None => {}
    }
    page.to_bottom(1);
    page.quiet(format!(" {} of {} commands", commands.found.len(), commands.all));
}

/// Is the first change to a protected service to be made?
pub fn draw_confirm(asked: &ConfirmBox, state: &AppState, page: &mut Page<'_>) {
    page.popup(62, 15, &format!("{} is protected", cut(&page.appearance.text(&state.link.label), 20)));
    let room = page.columns().saturating_sub(4);
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
    page.margin = 2;
    page.gap();
    page.paragraph(2, &format!("{what} {address}?"));
    page.gap();
    for (label, value) in parts {
        let text = format!("   {label:<10} {}", page.appearance.text(&value));
        page.line(format!("  {}", cut(&text, room)));
    }
    page.gap();
    page.paragraph(2, "The service shows no way to change or delete a pet afterwards.");
    page.gap();
    page.back_to_last();
    page.point(20);
    page.line(vec![
        page.appearance.span("     y", StyleRole::Key),
        Span::raw("  Add it      "),
        page.appearance.span("n  Not now (Enter, Esc)", StyleRole::Selected),
    ]);
}

/// The themes, and how marks look in the one that is chosen.
pub fn draw_themes(state: &AppState, page: &mut Page<'_>) {
    page.popup(66, u16::try_from(ThemeChoice::ALL.len() + 8).unwrap_or(u16::MAX), "Themes");
    let appearance = page.appearance;
    page.gap();
    for theme in ThemeChoice::ALL {
        page.item(&format!("{theme:<14} {}", theme.title()), theme == state.theme);
    }
    page.gap();
    let mut marks = vec![Span::raw("   ")];
    for status in PetStatus::ALL {
        marks.extend([appearance.status(Some(&status.into())), Span::raw(format!(" {status}   "))]);
    }
    page.line(marks);
    let words = [
        ("+ new", StyleRole::New),
        ("! error", StyleRole::Error),
        ("wait", StyleRole::Wait),
        ("good", StyleRole::Good),
    ];
    page.line(words.map(|(text, role)| appearance.span(format!("   {text}"), role)).to_vec());
    if appearance.depth == Depth::Mono {
        page.quiet("   This terminal shows no colours: they all look alike.");
    }
}
