//! One frame: the rows that are the same on every screen, and the screen and the box in them.
//!
//! Paints from `&App` and gives back what it learned. No effects, no clock.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{App, Appearance, Health, MessageKind, Now, Page, Screen, Slot, StyleRole, Target, WIDE, away_word, cells};
use crate::model::text::{wrap, wrap_rows};
use crate::model::{cut, width, words};

use super::deadline::{SHOW_LOADING_AFTER, STALE_AFTER};
use super::keymap::PETS;
use super::popups::help::HelpBox;
use super::screens::{add_pet, domains, pets, profiles, requests, welcome};
use super::state::{Message, RequestLog};
use super::widgets::page::FrameLayout;

/// The least size at which anything but one line is drawn.
pub const LEAST: (u16, u16) = (40, 8);

/// Columns that the word for the service has at least.
const LEAST_LABEL: usize = 12;

/// What was painted.
#[derive(Debug)]
pub struct Frame {
    /// What the next update needs to know about it.
    pub layout: FrameLayout,
    /// Where the cursor of the terminal is, if it is shown.
    pub cursor: Option<Position>,
    /// The parts of the screen that may differ from the frame before.
    pub painted: Vec<Rect>,
}

/// Paints the screen over the frame before.
pub fn draw(app: &App, appearance: &Appearance, now: Now, buf: &mut Buffer) -> Frame {
    draw_moved_cursor(app, appearance, now, buf).unwrap_or_else(|| draw_whole(app, appearance, now, buf))
}

/// The row that a frame of this state marks, where the next one may be painted over it.
pub fn drawn_row(app: &App) -> Option<usize> {
    (app.place().name == PETS).then(|| app.pets.cursor())
}

/// Where only the cursor among the pets has moved, most of the screen stays: a fifth of the work of a whole frame.
fn draw_moved_cursor(app: &App, appearance: &Appearance, now: Now, buf: &mut Buffer) -> Option<Frame> {
    let from = app.drawn_row?;
    let area = buf.area;
    let mut page = Page { layout: app.layout.clone(), ..Page::new(buf, area, appearance, now) };
    let mut painted = pets::view::draw_moved_cursor(from, app, &mut page)?;
    let (lines, role) = message(app, &page);
    let [text] = lines.as_slice() else { return None };
    page.go_to(Rect { y: area.bottom() - 2, height: 1, ..area });
    draw_message(text, role, &mut page);
    painted.push(page.area);
    Some(Frame { layout: page.layout, cursor: page.cursor, painted })
}

fn draw_message(text: &str, role: StyleRole, page: &mut Page<'_>) {
    page.at(0, " ".repeat(page.columns()), StyleRole::Text);
    page.at(1, text, role);
    page.next_row();
}

/// Paints the whole screen.
pub fn draw_whole(app: &App, appearance: &Appearance, now: Now, buf: &mut Buffer) -> Frame {
    let area = buf.area;
    buf.reset();
    let mut page = Page { layout: app.layout.clone(), ..Page::new(buf, area, appearance, now) };
    page.cover();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let text = format!("{}x{} needed, {}x{} here. Nothing is lost.", LEAST.0, LEAST.1, area.width, area.height);
        for line in wrap(&text, area.width.into()) {
            page.line(line);
        }
        return Frame { layout: page.layout, cursor: None, painted: vec![area] };
    }
    page.layout.clickable.clear();
    let message = message(app, &page);
    let below = cells(message.0.len().max(1)) + 1;
    let body = Rect { y: area.y + 1, height: area.height - 1 - below, ..area };
    // The help takes the place of the screen.
    let help = app.popups.get::<HelpBox>();
    if help.is_some() {
        page.area.height -= below;
    } else {
        draw_header(app, &mut page);
        page.go_to(body);
        draw_screen(app, &mut page);
        page.go_to(body);
    }
    if let Some(popup) = app.popups.top() {
        popup.draw(app, &mut page);
    }
    page.go_to(area);
    page.y = area.height - below;
    let (lines, role) = message;
    for text in lines {
        draw_message(&text, role, &mut page);
    }
    page.y = area.height - 1;
    page.hints(app.hints());
    page.layout.place = Some(app.place().name);
    Frame { layout: page.layout, cursor: page.cursor, painted: vec![area] }
}

fn draw_screen(app: &App, page: &mut Page<'_>) {
    match app.screen {
        Screen::Pets => pets::view::draw(app, page),
        Screen::AddPet if app.add.import.on => add_pet::import::view::draw(app, page.now, page),
        Screen::AddPet => add_pet::view::draw(app, page.now, page),
        Screen::Domains => domains::view::draw(app, page),
        Screen::Profiles => profiles::list::draw(app, page),
        Screen::Requests => requests::draw(app, page),
        Screen::Welcome => welcome::draw(app, page),
    }
}

/// Row 1: the screens at the left, the service and how it is at the right.
fn draw_header(app: &App, page: &mut Page<'_>) {
    let appearance = page.appearance;
    let columns = page.columns();
    if app.screen == Screen::Welcome {
        page.at(0, concat!(" petstore ", env!("CARGO_PKG_VERSION")), StyleRole::Text);
        return page.right(0, "first start ", StyleRole::Text);
    }
    let (narrow, is_at) = (columns < 80, |screen| app.screen == screen);
    let add = match app.add.import.on && is_at(Screen::AddPet) {
        true => ["2 Add pet: import", "2 Import"][usize::from(narrow)],
        false => "2 Add pet",
    };
    // Profiles have no number: where there is room for one tab only, that is theirs.
    let numbered = !(is_at(Screen::Requests) || is_at(Screen::Profiles) && narrow);
    let tabs = [
        (Screen::Pets, "1 Pets", Some("show-pets"), numbered),
        (Screen::AddPet, add, Some("show-add"), numbered && !app.link.read_only),
        (Screen::Domains, "3 Domains", Some("show-domains"), numbered && app.link.ssh.is_none()),
        (Screen::Profiles, "Profiles", None, is_at(Screen::Profiles)),
        (Screen::Requests, "Requests", None, is_at(Screen::Requests)),
    ];
    let mut x = 1;
    for (screen, text, show, _) in tabs.into_iter().filter(|(.., is_shown)| *is_shown) {
        let in_use = is_at(screen);
        // Where there is little room, the number is enough.
        let short = if narrow { text.split(' ').next().unwrap_or(text) } else { text };
        let text = if in_use { format!("[{text}]") } else { format!(" {short} ") };
        let columns = cells(width(&text));
        page.at(x, text, StyleRole::InUse.when(in_use));
        show.into_iter().for_each(|show| page.click(x, columns, Target::Show(show)));
        x += columns;
    }
    let mut room = columns.saturating_sub(usize::from(x) + 2);
    if is_at(Screen::Requests) {
        // The word for the service has the right of way.
        let RequestLog { total, failed, .. } = &app.requests;
        let counts = cut(&format!("  this session: {total}, failed {failed}"), columns.saturating_sub(48));
        room = room.saturating_sub(width(&counts));
        page.at(x, counts, StyleRole::Text);
    }
    let wide = page.area.width >= WIDE;
    let waiting = add_pet::import::view::word(app).or_else(|| add_pet::view::waiting_word(app));
    let (word, role) = health(app, page, waiting.is_none());
    let (word, role) = match waiting {
        // What waits matters more than when the rows were read.
        Some(waiting) if app.link.health_is_ok() => (waiting, StyleRole::Wait),
        Some(waiting) => (format!("{waiting}, {word}"), role),
        None => (word, role),
    };
    let beside = if app.link.embedded && wide { ", this program" } else { "" };
    // The word for the service is always shown, however little room there is.
    let read_only = if app.link.read_only { ", read-only" } else { "" };
    let room = room.saturating_sub(width(&word) + width(beside) + width(read_only) + 4).max(LEAST_LABEL);
    let label = cut(&appearance.text(&app.link.label), room) + read_only;
    let behind = format!("{beside} | {} ", " ".repeat(width(&word)));
    page.right(0, &behind, StyleRole::Text);
    page.right(width(&behind) + width(&label), " ", StyleRole::Text);
    page.right(width(&behind), &label, StyleRole::Accent(app.link.accent));
    page.right(1, &word, role);
}

/// How the service is and, `with_data`, when the rows were read, in a few words.
fn health(app: &App, page: &Page<'_>, with_data: bool) -> (String, StyleRole) {
    let Page { appearance, now, .. } = page;
    let wide = page.area.width >= WIDE;
    let read = app.pets.store.read().filter(|_| with_data);
    let age = read.map_or(0, |at| now.seconds_since(at.mono));
    let data = match read {
        None => String::new(),
        // A time of day means nothing for rows from another day.
        Some(_) if age >= 3600 => format!(", data {} old", words::age(age)),
        Some(at) => format!(", data {}", appearance.time(at.wall)),
    };
    let since = [Slot::List, Slot::Inventory, Slot::ById].into_iter().find_map(|slot| app.pending.since(slot));
    let running = since.map(|since| now.mono.saturating_duration_since(since));
    if let Some(time) = running.filter(|time| *time >= SHOW_LOADING_AFTER) {
        return (format!("loading {} s{data}", time.as_secs()), StyleRole::Wait);
    }
    match &app.link.health {
        Health::Unknown if running.is_some() => ("connecting".into(), StyleRole::Text),
        Health::Unknown => ("not connected yet".into(), StyleRole::Text),
        Health::Away { failure, .. } => (format!("{}{data}", away_word(failure)), StyleRole::Error),
        Health::KeyRefused { .. } if !app.link.has_key() => (format!("no key{data}"), StyleRole::Error),
        Health::KeyRefused { .. } => (format!("401{data}"), StyleRole::Error),
        Health::Ok { took } => {
            let ok = if wide { format!("ok {} ms | ", took.as_millis()) } else { "ok, ".to_owned() };
            if app.pets.follow.is_live() {
                return (ok + "live", StyleRole::Text);
            }
            // On other screens it would only distract every minute.
            let old = app.screen == Screen::Pets && age >= STALE_AFTER.as_secs();
            let age = if old { format!(", {} old", words::age(age)) } else { String::new() };
            let live = app.pets.live.map_or(String::new(), |every| format!(", live {} s", every.as_secs()));
            let time = read.map_or(String::new(), |at| appearance.time(at.wall));
            let read = if wide { "read " } else { "" };
            (format!("{ok}{read}{time}{age}{live}"), if old { StyleRole::Wait } else { StyleRole::Text })
        }
    }
}

/// What happened, or where the cursor is: one line above the keys, or two.
fn message(app: &App, page: &Page<'_>) -> (Vec<String>, StyleRole) {
    let (text, role) = match &app.message {
        Some(Message { text, kind: MessageKind::Done, .. }) => (text.clone(), StyleRole::Good),
        Some(Message { text, kind: MessageKind::Note, .. }) => (text.clone(), StyleRole::Text),
        Some(Message { text, kind: MessageKind::Error, .. }) => (text.clone(), StyleRole::Error),
        None if app.drafts.has_news() || app.drafts.trouble.is_some() => about_drafts(app, page),
        None if app.popups.get::<HelpBox>().is_some() => (String::new(), StyleRole::Text),
        None => {
            let place = match app.screen {
                Screen::Pets => pets::view::place(app, page),
                Screen::Requests => requests::place(&app.requests),
                Screen::Welcome => welcome::LINE.to_owned(),
                Screen::AddPet if app.add.import.on => add_pet::import::view::place(app),
                Screen::AddPet => add_pet::view::place(app).to_owned(),
                Screen::Domains | Screen::Profiles => String::new(),
            };
            (place, StyleRole::Text)
        }
    };
    (wrap_rows(&page.appearance.text(&text), usize::from(page.buf.area.width).saturating_sub(2), 2), role)
}

/// What came back from a session before and what waits elsewhere, or why nothing is kept for the next one.
fn about_drafts(app: &App, page: &Page<'_>) -> (String, StyleRole) {
    let drafts = &app.drafts;
    if let Some(why) = drafts.trouble.as_ref().filter(|_| !drafts.has_news()) {
        let text = format!("Cannot save drafts: {why}. What you type is kept only while petstore runs.");
        return (text, StyleRole::Error);
    }
    let back = drafts.back.as_ref().map(|back| back.sentence(&page.moment(back.at), &app.link.service));
    let news: Vec<String> = back.into_iter().chain(drafts.elsewhere.clone()).collect();
    (news.join(" "), StyleRole::Text)
}
