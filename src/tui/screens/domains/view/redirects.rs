//! The redirect editor: each redirect with the result of following it.
#![expect(clippy::wildcard_enum_match_arm, reason = "what is painted may have a default")]

use ratatui::text::Span;

use crate::domains::finding::deciding;
use crate::domains::{Finding, Verdict};
use crate::model::text::cut;
use crate::tui::pending::Slot;
use crate::tui::widgets::list::first_of_page;
use crate::tui::widgets::page::marker;

use super::super::redirects::{Focus, RedirectForm, about, about_typed, lint};
use super::{Page, Scene, act_of, closed, list_row, sentence, verdict_cell, verdict_word};

/// The columns of the table; the last one takes what is left.
const STATUS: usize = 8;
const SEEN: usize = 24;

/// Paints the editor; the cursor is on the marked line or in the field.
pub fn draw(scene: Scene<'_>, page: &mut Page<'_>) {
    let panel = &scene.app.domains;
    let redirects = &panel.redirects;
    page.gap();
    let here = |line: usize| redirects.form.is_none() && redirects.selected == line;
    let primary = redirects.edited.primary.clone().unwrap_or_else(|| "not set: Enter sets it".to_owned());
    if here(0) {
        page.point(1);
    }
    page.item(&format!("primary  {}", page.appearance.text(&primary)), here(0));
    page.gap();
    let seen_columns = if page.columns() < 70 { 7 } else { SEEN };
    let name = page.columns().saturating_sub(3 + STATUS + seen_columns) / 2;
    page.heading(format!("   {:<name$}{:<name$}{:<STATUS$}RESULT", "FROM", "TO", "STATUS"));
    let room = usize::from(page.left()).saturating_sub(11).max(1);
    let top = first_of_page(redirects.selected.saturating_sub(1), room);
    for (at, redirect) in redirects.edited.redirects.iter().enumerate().skip(top).take(room) {
        let (verdict, seen) = match redirects.walked_at(at + 1) {
            Some(walked) => (Some(walked.verdict()), deciding(&walked.findings).map_or("", |finding| &finding.title)),
            None if scene.app.pending.is_running(Slot::Walk) => (None, "checking ..."),
            None => (None, "not checked (r)"),
        };
        let text = format!(
            " {} {}{}{:<STATUS$}",
            marker(here(at + 1)),
            page.column(&redirect.from, name),
            page.column(&redirect.to, name),
            redirect.status
        );
        let cells = vec![
            Span::raw(text),
            verdict_cell(verdict, 6, page.appearance),
            Span::raw(if seen_columns < SEEN { String::new() } else { cut(&page.appearance.text(seen), SEEN - 6) }),
        ];
        list_row(page, here(at + 1), 1, cells);
    }
    if redirects.edited.redirects.is_empty() {
        page.wrapped(3, "No redirects. a adds one, from an old domain to the current one.", 2);
    }
    page.gap();
    if let Some(form) = &redirects.form {
        draw_form(page, form);
    }
    let findings = match &redirects.form {
        // Empty fields are not mistakes yet.
        Some(_) => about_typed(panel).into_iter().filter(|finding| !finding.seen.contains(": \"\":")).collect(),
        None => {
            let findings = lint(panel).findings;
            let about = about(&findings, redirects.selected).chain(general(&findings, redirects.selected)).cloned();
            about.collect::<Vec<_>>()
        }
    };
    let text = if redirects.is_unsaved(&panel.setup.configuration) {
        "Not saved. F2 saves to your file; set the same in the dashboard."
    } else {
        "Saved in your file. Set the same in the dashboard (petstore cannot)."
    };
    let below = u16::try_from(page.rows(3, text)).unwrap_or(1);
    // The last lines say what to do next, and keep their place.
    let at_most = |page: &Page<'_>, rows: usize| usize::from(page.left().saturating_sub(below)).min(rows);
    for finding in findings.iter().take(3) {
        let text = format!("{}: {} {}", finding.title, closed(&finding.seen), act_of(finding));
        match finding.verdict {
            Verdict::Fail => page.error(3, &text, at_most(page, 3)),
            verdict => page.labelled(&format!("   {:<6}", verdict_word(Some(verdict))), &text, at_most(page, 3)),
        }
    }
    let marked = redirects.selected;
    if let Some(walked) = redirects.walked_at(marked).filter(|_| redirects.form.is_none()) {
        if let Some(finding) = deciding(&walked.findings).filter(|finding| finding.verdict > Verdict::Ok) {
            page.labelled(&format!("   {:<6}", verdict_word(Some(finding.verdict))), &finding.seen, at_most(page, 2));
            page.labelled("   Do: ", &act_of(finding), at_most(page, 3));
        }
        for hop in walked.hops.iter().take(4) {
            page.wrapped(3, hop, at_most(page, 2));
        }
        page.wrapped(3, &format!("Checked {}.", scene.appearance.time(walked.at)), at_most(page, 1));
    }
    page.down_to(below);
    page.wrapped(3, text, 2);
}

/// Findings that are not about one redirect; without those about the primary if that is the marked line.
fn general(findings: &[Finding], marked: usize) -> impl Iterator<Item = &Finding> {
    let fails = findings.iter().filter(|finding| finding.verdict == Verdict::Fail);
    fails.filter(move |finding| {
        let of_primary = finding.seen.starts_with("domains.primary");
        !(finding.seen.starts_with("domains.redirects[") || of_primary && marked == 0)
    })
}

fn draw_form(page: &mut Page<'_>, form: &RedirectForm) {
    let rule = page.appearance.rule(page.columns().saturating_sub(16));
    page.text(&format!("   {} edit {rule}", page.appearance.rule(3)));
    if form.line == 0 {
        return page.field("Primary", 12, 50, &form.to, true);
    }
    page.field("From", 12, 50, &form.from, form.focus == Focus::From);
    page.field("To", 12, 50, &form.to, form.focus == Focus::To);
    page.field("Status", 12, 5, &form.status, form.focus == Focus::Status);
    page.labelled("   i  ", "301 is permanent, 308 too and keeps the method; 302, 303, 307 are temporary.", 2);
}

/// What is served, hop by hop, and the file after saving.
pub fn beside(scene: Scene<'_>, page: &mut Page<'_>) {
    let panel = &scene.app.domains;
    page.heading("Hop by hop");
    if let Some(walked) = panel.redirects.walked_at(panel.redirects.selected) {
        for hop in &walked.hops {
            page.wrapped(0, hop, 3);
        }
        page.gap();
        for finding in walked.findings.iter().take(3) {
            page.wrapped(0, &sentence(&finding.title), 2);
            page.wrapped(2, &finding.seen, 4);
        }
    }
    page.gap();
    page.wrapped(0, "Browsers cache a 301. Test in a private window.", 3);
    page.gap();
    if let Some(configuration) = lint(panel).configuration {
        page.heading("After saving");
        page.code(&configuration.to_toml(), usize::MAX);
    }
}
