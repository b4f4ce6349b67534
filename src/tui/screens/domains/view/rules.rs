//! A troubleshooting rule: its questions, answered by the last check.

use ratatui::text::Span;

use crate::domains::explain;
use crate::domains::troubleshooting::{Rule, answers, conclusion};
use crate::model::text::wrap_words;
use crate::tui::key::Key;
use crate::tui::mouse::Target;
use crate::tui::theme::StyleRole;

use super::super::detail::with_facts;
use super::live::headline;
use super::{Page, Scene, sentence, tabs, verdict_role, verdict_word};

/// Paints the page of a rule; the cursor is in its text field, if it has one.
pub fn draw(scene: Scene<'_>, page: &mut Page<'_>, rule: Rule) {
    let panel = &scene.app.domains;
    let Some(name) = &panel.selected else { return };
    headline(scene, page, name);
    // Where digits are text, none is shown as a key.
    let title = |(number, other)| match rule == Rule::Browser {
        true => short_title(other).to_owned(),
        false => format!("{number} {}", short_title(other)),
    };
    let titles = (1..).zip(Rule::ALL).map(title);
    let here = Rule::ALL.iter().position(|other| *other == rule).unwrap_or(0);
    for (at, (x, columns)) in tabs(page, Span::raw("  "), titles, here).into_iter().enumerate() {
        let key = if at > here { Key::Tab } else { Key::BackTab };
        page.click(x, columns, Target::Press(key.into(), at.abs_diff(here)));
    }
    page.next_row();
    page.point(3);
    page.heading(format!("   {}", rule.title()));
    if rule == Rule::Browser {
        page.field("The browser says", 20, 50, &panel.browser, true);
        causes(page, panel.browser.value());
        if page.left() > 17 {
            page.gap();
        }
    }
    with_facts(panel, scene.now, |facts| {
        let answers = answers(rule, facts);
        let conclusion = conclusion(rule, facts);
        let room = page.columns().saturating_sub(18);
        let rows_of = |question: &str| wrap_words(question, room.saturating_sub(6)).len().max(1);
        // The questions and the conclusion keep their places; the details get what is left.
        let mut kept =
            page.rows(3, &conclusion).min(2) + answers.iter().map(|one| rows_of(&one.question)).sum::<usize>();
        for (at, answer) in answers.iter().enumerate() {
            kept -= rows_of(&answer.question);
            let word = match answer.verdict {
                Some(verdict) => verdict_word(Some(verdict)).to_owned(),
                None => answer.word.clone(),
            };
            let mut question = wrap_words(&answer.question, room.saturating_sub(6));
            let last = question.pop().unwrap_or_default();
            let number = format!("   {} ", at + 1);
            let mut head = number.as_str();
            for line in &question {
                page.heading(format!("{head}{line}"));
                head = "     ";
            }
            page.line(vec![
                page.appearance.span(format!("{:<room$}", format!("{head}{last}")), StyleRole::Heading),
                page.appearance.span(word, verdict_role(answer.verdict)),
            ]);
            let at_most = |page: &Page<'_>, rows: usize| usize::from(page.left()).saturating_sub(kept).min(rows);
            for seen in answer.seen.iter().take(3) {
                page.wrapped(7, seen, at_most(page, 2));
            }
            // The first fix in full, the others on one line each.
            for (at, act) in answer.act.iter().take(3).enumerate() {
                page.labelled("       Do: ", &sentence(act), at_most(page, if at == 0 { 3 } else { 1 }));
            }
        }
        if page.left() > 2 {
            page.gap();
        }
        page.down_to(2);
        page.wrapped(3, &conclusion, 2);
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

/// The causes of a browser message.
fn causes(page: &mut Page<'_>, message: &str) {
    if message.trim().is_empty() {
        return page.text("   i  for example ERR_CERT_DATE_INVALID, or TLS-OLD");
    }
    let causes = explain::causes(message);
    if causes.is_empty() {
        let nearest = explain::nearest(message).map_or_else(String::new, |word| format!(" Did you mean {word}?"));
        return page.text(&format!("   i  Unknown message.{nearest}"));
    }
    // The first cause in full, the others on one line each if there is little room.
    let rows = if page.left() < 19 { 1 } else { 2 };
    for (at, code) in causes.into_iter().take(3).enumerate() {
        page.labelled("   i  ", &format!("{}: {}", code.title(), code.cure()), if at == 0 { 2 } else { rows });
    }
}
