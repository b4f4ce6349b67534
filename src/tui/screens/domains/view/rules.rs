//! A troubleshooting rule: its questions, each answered by what was measured.

use ratatui::text::{Line, Span};

use crate::domains::explain;
use crate::domains::troubleshooting::{Rule, answers, conclusion};
use crate::tui::theme::StyleRole;

use super::super::detail::with_facts;
use super::live::headline;
use super::{Page, Scene, sentence, verdict_style, verdict_word};

/// Paints the page of a rule; the cursor is in its text field, if it has one.
pub fn draw(scene: Scene<'_>, page: &mut Page<'_>, rule: Rule) {
    let panel = &scene.app.domains;
    let Some(name) = &panel.selected else { return };
    headline(scene, page, name);
    let mut tabs = vec![Span::raw("  ")];
    for (at, other) in Rule::ALL.into_iter().enumerate() {
        let here = other == rule;
        let text = format!("{} {}", at + 1, short_title(other));
        let text = if here { format!("[{text}]") } else { format!(" {text} ") };
        tabs.push(Span::styled(text, page.appearance.style(if here { StyleRole::InUse } else { StyleRole::Text })));
    }
    page.line(Line::from(tabs));
    page.point(3);
    page.heading(format!("   {}", rule.title()));
    if rule == Rule::Browser {
        page.field("The browser says", 20, 50, &panel.browser, true);
        said(page, panel.browser.value());
        if page.left() > 17 {
            page.gap();
        }
    }
    with_facts(panel, scene.now, |facts| {
        for (at, answer) in answers(rule, facts).iter().enumerate() {
            let word = match answer.verdict {
                Some(verdict) => verdict_word(Some(verdict)).to_owned(),
                None => answer.word.clone(),
            };
            let columns = page.columns();
            let question = format!("   {} {}", at + 1, answer.question);
            let pad = " ".repeat(columns.saturating_sub(18).saturating_sub(question.chars().count()).max(1));
            page.line(Line::from(vec![
                Span::styled(question, page.appearance.style(StyleRole::Heading)),
                Span::raw(pad),
                Span::styled(word, verdict_style(answer.verdict, page.appearance)),
            ]));
            for seen in answer.seen.iter().take(3) {
                page.wrapped(7, seen, 2);
            }
            // One act at a time: the first in full, the others in a line.
            for (at, act) in answer.act.iter().take(3).enumerate() {
                page.labelled("       Do: ", &sentence(act), if at == 0 { 3 } else { 1 });
            }
        }
        if page.left() > 2 {
            page.gap();
        }
        page.down_to(2);
        page.wrapped(3, &conclusion(rule, facts), 2);
    });
}

const fn short_title(rule: Rule) -> &'static str {
    match rule {
        Rule::Verification => "Verify",
        Rule::Certificate => "Certificate",
        Rule::Browser => "Browser",
        Rule::Redirects => "Redirect",
    }
}

/// What is behind the message of a browser.
fn said(page: &mut Page<'_>, message: &str) {
    if message.trim().is_empty() {
        return page.text("   i  for example ERR_CERT_COMMON_NAME_INVALID, or a code such as TLS-OLD");
    }
    let causes = explain::causes(message);
    if causes.is_empty() {
        let nearest = explain::nearest(message).map_or_else(String::new, |word| format!(" Did you mean {word}?"));
        return page.text(&format!("   i  Nothing is known of this message.{nearest}"));
    }
    for code in causes.into_iter().take(3) {
        page.labelled("   i  ", &format!("{}: {}", code.title(), code.cure()), 2);
    }
}

/// Beside the page: what proves the answers.
pub fn beside(scene: Scene<'_>, page: &mut Page<'_>) {
    let panel = &scene.app.domains;
    let Some(seen) = panel.selected.as_ref().and_then(|name| panel.seen(name)) else { return };
    page.heading("Evidence (e)");
    let wrong = seen.findings.iter().filter(|finding| finding.verdict > crate::domains::Verdict::Ok);
    for proof in wrong.flat_map(|finding| &finding.evidence).take(6) {
        page.gap();
        page.wrapped(0, &proof.question, 2);
        page.wrapped(2, &proof.answer, 3);
        page.wrapped(2, &format!("{}, {}", proof.server, scene.appearance.time(proof.at)), 2);
    }
    page.gap();
    page.text("S  a report for support");
}
