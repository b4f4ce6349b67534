//! Paints the domains panel.

use super::{Location, State, list, live, record, redirects, removal, rules, wizard};
use crate::domains::{DomainProgress, Finding, NextStep, Verdict, full_sentence};
use crate::tui::{App, Page, StyleRole, cells};
use jiff::Timestamp;
use ratatui::text::Span;

/// The width of a page with details at its right.
const BESIDE_PANE: u16 = 83;

/// The height of a form. Of one that does not fit, the part with the cursor is shown.
const FORM_ROWS: u16 = 20;

/// Paints the panel.
pub fn draw(app: &App, page: &mut Page<'_>) {
    use Location::*;
    let panel = &app.domains;
    mark_practice(panel, page);
    // Only the list has something to say beside its rows.
    let beside = (panel.place == List).then(|| page.pane(BESIDE_PANE, "Domains")).flatten();
    match panel.place {
        List => list::draw(app, page),
        Record => record::draw(panel, page),
        Live => live::draw(panel, page),
        Wizard => page.at_least(FORM_ROWS, 2, |page| wizard::draw(panel, page)),
        Rules(rule) => page.at_least(FORM_ROWS, 2, |page| rules::draw(panel, page, rule)),
        Redirects => page.at_least(FORM_ROWS, 2, |page| redirects::draw(app, page)),
        Removal => removal::draw(app, page),
    }
    let Some(beside) = beside else { return };
    page.go_to(beside);
    page.boxed("Details");
    page.inset(1);
    page.gap();
    list::beside(panel, page);
}

/// Marks every page in practice.
fn mark_practice(panel: &State, page: &mut Page<'_>) {
    if panel.setup.practice.is_none() {
        return;
    }
    let time = page.appearance.time(panel.wall(page.now));
    let letters = !panel.key_place().is_text && panel.place != Location::Wizard;
    let key = if letters { "o" } else { "Ctrl-O" };
    page.line(vec![
        " ".into(),
        page.appearance.span(" SANDBOX ", StyleRole::Selected),
        " ".into(),
        page.appearance.span(key, StyleRole::Key),
        format!(": simulate a step. 1 s is 1 min, now {time}.").into(),
    ]);
    page.go_to(page.rest());
}

/// Writes the titles of pages behind `head` on the row, that of the page `here` in brackets; gives where each is.
pub fn tabs(page: &mut Page<'_>, head: Span<'static>, titles: &[String], here: usize) -> Vec<(u16, u16)> {
    let (mut places, mut x) = (Vec::new(), head.width());
    let mut spans = vec![head];
    for (at, title) in titles.iter().enumerate() {
        let (text, role) =
            if at == here { (format!("[{title}]"), StyleRole::InUse) } else { (format!(" {title} "), StyleRole::Text) };
        let span = page.appearance.span(text, role);
        places.push([x, span.width()].map(cells).into());
        x += span.width();
        spans.push(span);
    }
    page.line_at(0, spans);
    places
}

/// A verdict as a word, four columns wide.
pub fn verdict_word(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        None => "-",
        Some(Verdict::Ok) => "OK",
        Some(Verdict::Warn) => "WARN",
        Some(Verdict::Wait) => "WAIT",
        Some(Verdict::You) => "YOU",
        Some(Verdict::Fail) => "FAIL",
        Some(Verdict::Unknown) => "?",
    }
}

impl State {
    /// A moment in the user's format.
    pub fn moment(&self, page: &Page<'_>, at: Timestamp) -> String {
        page.appearance.moment(at, self.wall(page.now))
    }
}

/// The colour of a verdict.
pub const fn verdict_role(verdict: Option<Verdict>) -> StyleRole {
    match verdict {
        None | Some(Verdict::Unknown) => StyleRole::Quiet,
        Some(Verdict::Ok) => StyleRole::Good,
        Some(Verdict::You) => StyleRole::InUse,
        Some(Verdict::Warn | Verdict::Wait) => StyleRole::Wait,
        Some(Verdict::Fail) => StyleRole::Error,
    }
}

/// What to do next for a domain, with the key for it: on its own page, or in the list.
pub fn act(progress: &DomainProgress, is_page: bool) -> String {
    use NextStep::*;
    let key = match progress.next {
        EnterValue if is_page => " (c)",
        EnterRecord if is_page => " (d)",
        FindOutWhy if is_page => " (e)",
        EnterValue | EnterRecord | FindOutWhy => " (Enter)",
        Check => " (r)",
        Verify => ", then press V",
        Reverify => ", then press V (t: three checks)",
        FixRedirect => " (R)",
        Remove | Forget => " (U)",
        Fix | DeleteRecord | Wait | AwaitCertificate | Nothing => "",
    };
    format!("{}{key}", progress.act())
}

/// What to do about a finding, as a sentence; empty if nothing.
pub fn act_of(finding: &Finding) -> String {
    if finding.fix.is_empty() || finding.verdict <= Verdict::Ok { String::new() } else { full_sentence(&finding.fix) }
}
