//! The redirects, each with the result of following it.
#![expect(clippy::wildcard_enum_match_arm, reason = "what is painted may have a default")]

use crate::domains::Verdict;
use crate::domains::finding::deciding;
use crate::tui::pending::Slot;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::first_of_page;

use super::super::redirects::lint;
use super::{Page, Scene, act_of, closed, verdict_role, verdict_word};

/// The columns beside the addresses, which share what is left. A narrow window does not have the last one.
const STATUS: usize = 8;
const RESULT: usize = 6;
const SEEN: usize = 19;

/// Where redirects are changed.
const ELSEWHERE: &str =
    "To change them, edit [domains] in your configuration, start petstore again, and set the same in the dashboard.";

/// Paints the list; the cursor is on the marked line.
pub fn draw(scene: Scene<'_>, page: &mut Page<'_>) {
    let panel = &scene.app.domains;
    let configuration = &panel.setup.configuration;
    let marked = panel.redirects.selected;
    page.gap();
    let primary = configuration.primary.clone().unwrap_or_else(|| "not set".to_owned());
    page.text(&format!("   primary  {}", page.appearance.text(&primary)));
    page.gap();
    let seen = if page.columns() < 70 { 0 } else { SEEN };
    let name = page.columns().saturating_sub(3 + STATUS + RESULT + seen) / 2;
    let columns = [("FROM", name), ("TO", name), ("STATUS", STATUS), ("RESULT", RESULT), ("", seen)];
    page.headings(&columns);
    let room = usize::from(page.left()).saturating_sub(11).max(1);
    let top = first_of_page(marked, room);
    for (at, redirect) in configuration.redirects.iter().enumerate().skip(top).take(room) {
        let (verdict, seen) = match panel.walked(redirect) {
            Some(walked) => (Some(walked.verdict()), deciding(&walked.findings).map_or("", |finding| &finding.title)),
            None if scene.app.pending.is_running(Slot::Redirects) => (None, "checking ..."),
            None => (None, "not checked (r)"),
        };
        let status = redirect.status.to_string();
        let cells = [redirect.from.as_str(), &redirect.to, &status].map(|text| (text, StyleRole::Text));
        let result = [(verdict_word(verdict), verdict_role(verdict)), (seen, StyleRole::Text)];
        page.click_row(at == marked);
        page.row(at == marked, &columns, &[&cells[..], &result].concat());
    }
    if configuration.redirects.is_empty() {
        page.text("   No redirects.");
    }
    page.gap();
    let elsewhere = match panel.setup.sandbox {
        Some(_) => "Sandbox: o sets redirects in the dashboard, and in the configuration here.",
        None => ELSEWHERE,
    };
    let below = u16::try_from(page.rows(3, elsewhere)).unwrap_or(2);
    // The last lines say where to change them, and keep their place.
    let at_most = |page: &Page<'_>, rows: usize| usize::from(page.left().saturating_sub(below)).min(rows);
    let place = format!("domains.redirects[{marked}]");
    let linted = lint(panel).findings;
    let is_shown = |seen: &str| {
        seen.starts_with(&place) || !seen.starts_with("domains.redirects[") && !configuration.redirects.is_empty()
    };
    let shown = linted.iter().filter(|finding| finding.verdict > Verdict::Ok && is_shown(&finding.seen));
    for finding in shown.take(3) {
        let text = format!("{}: {} {}", finding.title, closed(&finding.seen), act_of(finding));
        match finding.verdict {
            Verdict::Fail => page.error(3, &text, at_most(page, 3)),
            verdict => page.labelled(&format!("   {:<6}", verdict_word(Some(verdict))), &text, at_most(page, 3)),
        }
    }
    if let Some(walked) = configuration.redirects.get(marked).and_then(|redirect| panel.walked(redirect)) {
        if let Some(finding) = deciding(&walked.findings).filter(|finding| finding.verdict > Verdict::Ok) {
            page.labelled(&format!("   {:<6}", verdict_word(Some(finding.verdict))), &finding.seen, at_most(page, 3));
            page.labelled("   Do: ", &act_of(finding), at_most(page, 6));
        }
        for hop in walked.hops.iter().take(4) {
            page.wrapped(3, hop, at_most(page, 2));
        }
        page.wrapped(3, &format!("Checked {}.", scene.appearance.time(walked.at)), at_most(page, 1));
    }
    page.down_to(below);
    page.wrapped(3, elsewhere, usize::from(below));
}
