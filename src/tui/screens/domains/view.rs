//! How the domains panel looks.

mod list;
mod live;
mod record;
mod redirects;
mod removal;
mod rules;
mod wizard;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::clock::Now;
use crate::domains::report::sentence as closed;
use crate::domains::{Finding, Verdict};
use crate::model::words::capitalized;
use crate::tui::state::AppState;
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::page::Page;
use crate::tui::widgets::{WIDE, boxed, pane, put};

use super::state::PanelLocation;

/// The width of the form where there is a pane beside it.
const BESIDE_PANE: u16 = 83;

/// Everything that a place paints from.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The whole state.
    pub app: &'a AppState,
    /// The terminal and its user.
    pub appearance: &'a Appearance,
    /// The time of the frame.
    pub now: Now,
}

/// Paints the panel into `body`; gives the place of the cursor.
pub fn draw(app: &AppState, appearance: &Appearance, now: Now, buf: &mut Buffer, body: Rect) -> Option<Position> {
    let scene = Scene { app, appearance, now };
    let body = draw_practice(scene, buf, body);
    let wide = body.width >= WIDE;
    if wide && app.domains.place == PanelLocation::Live {
        return live::draw_wide(scene, buf, body);
    }
    let area = if wide { Rect { width: BESIDE_PANE, ..body } } else { body };
    let inner = pane(buf, area, title(app.domains.place), appearance, wide);
    let cursor = draw_page(scene, buf, inner);
    if wide {
        let right = Rect { x: area.right(), width: body.width - area.width, ..body };
        let inner = boxed(buf, right, "Beside it", appearance);
        let mut page =
            Page::new(buf, Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner }, appearance);
        page.gap();
        match app.domains.place {
            PanelLocation::List => list::beside(scene, &mut page),
            // It has its own wide form.
            PanelLocation::Live => {}
            PanelLocation::Wizard => wizard::beside(scene, &mut page),
            PanelLocation::Record => record::beside(scene, &mut page),
            PanelLocation::Rules(_) => rules::beside(scene, &mut page),
            PanelLocation::Redirects => redirects::beside(scene, &mut page),
            PanelLocation::Removal => removal::beside(&mut page),
        }
    }
    cursor
}

/// The rows that a page wants.
const PAGE_ROWS: u16 = 20;

/// Paints the page of the place. Where a form does not fit, the part with the cursor is shown.
fn draw_page(scene: Scene<'_>, buf: &mut Buffer, area: Rect) -> Option<Position> {
    let place = scene.app.domains.place;
    if area.height >= PAGE_ROWS || matches!(place, PanelLocation::List | PanelLocation::Live | PanelLocation::Record) {
        return draw_whole(scene, &mut Page::new(buf, area, scene.appearance));
    }
    let whole = Rect { height: PAGE_ROWS, ..area };
    let mut tall = Buffer::empty(whole);
    let cursor = draw_whole(scene, &mut Page::new(&mut tall, whole, scene.appearance));
    let row = cursor.map_or(0, |cursor| cursor.y - whole.y);
    let top = (row + 3).saturating_sub(area.height).min(PAGE_ROWS - area.height);
    for (y, x) in (0..area.height).flat_map(|y| (0..area.width).map(move |x| (y, x))) {
        if let Some(cell) = buf.cell_mut((area.x + x, area.y + y)) {
            *cell = tall[(area.x + x, area.y + top + y)].clone();
        }
    }
    cursor.map(|cursor| Position { y: cursor.y - top, ..cursor })
}

fn draw_whole(scene: Scene<'_>, page: &mut Page<'_>) -> Option<Position> {
    match scene.app.domains.place {
        PanelLocation::List => list::draw(scene, page),
        PanelLocation::Wizard => wizard::draw(scene, page),
        PanelLocation::Record => record::draw(scene, page),
        PanelLocation::Live => live::draw(scene, page),
        PanelLocation::Rules(rule) => rules::draw(scene, page, rule),
        PanelLocation::Redirects => redirects::draw(scene, page),
        PanelLocation::Removal => removal::draw(scene, page),
    }
}

const fn title(place: PanelLocation) -> &'static str {
    match place {
        PanelLocation::List => "Domains",
        PanelLocation::Wizard | PanelLocation::Record => "Add a domain",
        PanelLocation::Live => "Domain",
        PanelLocation::Rules(_) => "Trouble",
        PanelLocation::Redirects => "Redirects",
        PanelLocation::Removal => "Removal",
    }
}

/// Practice says so on every page; gives the rest of the body.
fn draw_practice(scene: Scene<'_>, buf: &mut Buffer, body: Rect) -> Rect {
    let panel = &scene.app.domains;
    if panel.sandbox.is_none() {
        return body;
    }
    let time = scene.appearance.time(panel.wall(scene.now));
    let letters = !panel.context().is_text() && panel.place != PanelLocation::Wizard;
    let key = if letters { "o" } else { "F7" };
    let mark = scene.appearance.style(StyleRole::Selected);
    let line = Line::from(vec![
        Span::raw(" "),
        Span::styled(" PRACTICE ", mark),
        Span::raw(" "),
        Span::styled(key, scene.appearance.style(StyleRole::Key)),
        Span::raw(format!(": outside; 1 s is 1 min, now {time}; nothing leaves this program")),
    ]);
    put(buf, body, 0, &line);
    Rect { y: body.y + 1, height: body.height.saturating_sub(1), ..body }
}

/// A verdict as a word, four columns wide.
pub fn verdict_word(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        None => "-",
        Some(Verdict::Ok) => "OK",
        Some(Verdict::Warn) => "WARN",
        Some(Verdict::Wait) => "WAIT",
        Some(Verdict::Fail) => "FAIL",
        Some(Verdict::Unknown) => "?",
    }
}

/// How a verdict is marked.
pub fn verdict_style(verdict: Option<Verdict>, appearance: &Appearance) -> Style {
    appearance.style(match verdict {
        None | Some(Verdict::Unknown) => StyleRole::Quiet,
        Some(Verdict::Ok) => StyleRole::Good,
        Some(Verdict::Warn | Verdict::Wait) => StyleRole::Wait,
        Some(Verdict::Fail) => StyleRole::Error,
    })
}

/// What is to be done about a finding, as a sentence; empty where nothing is.
pub fn act_of(finding: &Finding) -> String {
    if finding.fix.is_empty() || finding.verdict <= Verdict::Ok { String::new() } else { sentence(&finding.fix) }
}

/// A sentence with a capital and a full stop. Names of domains stay as they are: what was seen does not pass here.
pub fn sentence(text: &str) -> String {
    closed(&capitalized(text))
}
