//! The editor of the redirects: the wish, and the truth beside it.
#![expect(clippy::wildcard_enum_match_arm, reason = "what is painted may have a look by default")]

use ratatui::text::{Line, Span};

use crate::domains::finding::deciding;
use crate::domains::{Finding, Verdict};
use crate::model::text::cut;
use crate::tui::pending::Slot;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::first_of_page;

use super::super::redirects::{Focus, RedirectForm, about, about_typed, lint};
use super::{Page, Scene, act_of, closed, sentence, verdict_cell, verdict_word};

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
    let name = page.columns().saturating_sub(3 + STATUS + SEEN) / 2;
    page.heading(format!("   {:<name$}{:<name$}{:<STATUS$}SEEN", "FROM", "TO", "STATUS"));
    let room = usize::from(page.left()).saturating_sub(11).max(1);
    let top = first_of_page(redirects.selected.saturating_sub(1), room);
    for (at, redirect) in redirects.edited.redirects.iter().enumerate().skip(top).take(room) {
        let (verdict, seen) = match redirects.walked_at(at + 1) {
            Some(walked) => (Some(walked.verdict()), deciding(&walked.findings).map_or("", |finding| &finding.title)),
            None if scene.app.pending.is_running(Slot::Walk) => (None, "looking ..."),
            None => (None, "not seen yet (r)"),
        };
        let text = format!(
            " {} {}{}{:<STATUS$}",
            if here(at + 1) { ">" } else { " " },
            page.column(&redirect.from, name),
            page.column(&redirect.to, name),
            redirect.status
        );
        let line = Line::from(vec![
            Span::raw(text),
            verdict_cell(verdict, 6, page.appearance),
            Span::raw(cut(&page.appearance.text(seen), SEEN - 6)),
        ]);
        if here(at + 1) {
            page.point(1);
        }
        page.line(if here(at + 1) { line.style(page.appearance.style(StyleRole::Selected)) } else { line });
    }
    if redirects.edited.redirects.is_empty() {
        page.text("   No redirect. a adds one: from an old domain to the one that is in use.");
    }
    page.gap();
    if let Some(form) = &redirects.form {
        draw_form(page, form);
    }
    let findings = match &redirects.form {
        // What was not typed yet is no mistake yet.
        Some(_) => about_typed(panel).into_iter().filter(|finding| !finding.seen.contains(": \"\":")).collect(),
        None => {
            let findings = lint(panel).findings;
            let about = about(&findings, redirects.selected).chain(general(&findings, redirects.selected)).cloned();
            about.collect::<Vec<_>>()
        }
    };
    for finding in findings.iter().take(3) {
        let text = format!("{}: {} {}", finding.title, closed(&finding.seen), act_of(finding));
        match finding.verdict {
            Verdict::Fail => page.error(3, &text, 3),
            verdict => page.labelled(&format!("   {:<6}", verdict_word(Some(verdict))), &text, 3),
        }
    }
    let marked = redirects.selected;
    if let Some(walked) = redirects.walked_at(marked).filter(|_| redirects.form.is_none()) {
        if let Some(finding) = deciding(&walked.findings).filter(|finding| finding.verdict > Verdict::Ok) {
            page.labelled(&format!("   {:<6}", verdict_word(Some(finding.verdict))), &finding.seen, 2);
            page.labelled("   Do: ", &act_of(finding), 3);
        }
        for hop in walked.hops.iter().take(4) {
            page.wrapped(3, hop, 2);
        }
        page.text(&format!("   seen {}", scene.appearance.time(walked.at)));
    }
    page.down_to(1);
    let unsaved = redirects.is_unsaved(&panel.setup.configuration);
    page.text(if unsaved {
        "   Not saved yet: F2 writes it to your file. Set the same in the dashboard."
    } else {
        "   As in your file. petstore cannot change the dashboard: set the same there."
    });
}

/// Findings that are about no redirect; without those about the primary where it is the marked line.
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
    page.text("   i  301 permanent, in use; 308 keeps the method; 302, 303, 307 temporary");
}

/// Beside the editor: what will be written, and hop by hop what is served.
pub fn beside(scene: Scene<'_>, page: &mut Page<'_>) {
    let panel = &scene.app.domains;
    page.heading("HEAD by HEAD");
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
    page.wrapped(0, "Browsers may keep an old 301: test in a private window.", 3);
    page.gap();
    if let Some(configuration) = lint(panel).configuration {
        page.heading("Will be written");
        page.code(&configuration.to_toml(), usize::MAX);
    }
}
