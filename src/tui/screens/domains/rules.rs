//! A troubleshooting rule: its questions, answered by the last check.

use super::live::{EVIDENCE, REPORT, VERIFIED, headline};
use super::{
    Location, PRACTICE, PRACTICE_TYPED, State, around, line, redirects, scheduler, tabs, verdict_role, verdict_word,
};
use crate::domains::troubleshooting::{Facts, answers, conclusion};
use crate::domains::{Rule, Stage, Topic, deciding, explain, full_sentence};
use crate::model::text::wrap_words;
use crate::tui::widgets::form::neighbour;
use crate::tui::{App, Command, Key, Now, Page, Place, StyleRole, Target, command, copy};

/// A troubleshooting rule.
static RULES: &[Command] = &[
    command("next-tab", "right Tab", "next", "other rules", |app, _| step_rule(app, true)),
    command("previous-tab", "left S-Tab", "", "other rules", |app, _| step_rule(app, false)),
    command("rule-verification", "1", "", "a rule", |app, _| show_rule(app, Rule::Verification)),
    command("rule-certificate", "2", "", "a rule", |app, _| show_rule(app, Rule::Certificate)),
    command("rule-browser", "3", "", "a rule", |app, _| show_rule(app, Rule::Browser)),
    command("rule-redirects", "4", "", "a rule", |app, _| show_rule(app, Rule::Redirects)),
    CHECK_RULE,
    VERIFIED.at("V", "I chose Re-verify", "I chose (Re-)Verify"),
    command("copy", "y", "", "copy the first fix", copy_fix),
    EVIDENCE.at("e", "in full", "evidence, in full"),
    REPORT,
    PRACTICE,
    LEAVE_RULES,
];

pub static RULES_PLACE: Place = Place::new("rules", "Troubleshooting", &[RULES]).around(around);

/// The field for what the browser says.
static BROWSER: &[Command] = &[
    command("next-tab", "Tab", "next rule", "next rule", |app, _| step_rule(app, true)),
    command("previous-tab", "S-Tab", "", "previous rule", |app, _| step_rule(app, false)),
    CHECK_RULE.at("F5", "check", "check now"),
    PRACTICE_TYPED,
    LEAVE_RULES.at("Esc F3", "back", "to the domain"),
];

pub static BROWSER_PLACE: Place = Place::new("browser", "Troubleshooting", &[BROWSER]).text().around(around);

const CHECK_RULE: Command = command("refresh", "r F5", "check", "check now", |app, now| {
    if let Some(name) = app.domains.selected.clone() {
        scheduler::ask(&mut app.domains, &name);
    }
    if app.domains.place == Location::Rules(Rule::Redirects) {
        redirects::follow(app, now);
    }
})
.shell(|app| line(app, "check"));

const LEAVE_RULES: Command = command("back", "Esc F3 q", "back", "to the domain", |app, _| {
    // Not to the other rules.
    app.domains.trail.retain(|place| !matches!(place, Location::Rules(_)));
    app.domains.back();
});

fn show_rule(app: &mut App, rule: Rule) {
    app.domains.place = Location::Rules(rule);
}

fn step_rule(app: &mut App, next: bool) {
    if let Location::Rules(rule) = app.domains.place {
        show_rule(app, neighbour(&Rule::ALL, rule, next));
    }
}

/// The rule to show first at the current state.
pub fn likely_rule(state: &State, now: Now) -> Rule {
    let Some(name) = &state.selected else { return Rule::Verification };
    let (stage, decides) = (state.stage(name, now), state.shown().and_then(|seen| deciding(&seen.findings)));
    let is_up = matches!(stage, Stage::Live | Stage::Failing);
    match decides.map(|finding| finding.code.topic()).filter(|_| is_up) {
        _ if matches!(stage, Stage::CertificatePending | Stage::CertificateLate) => Rule::Certificate,
        Some(Topic::Redirect | Topic::Http) => Rule::Redirects,
        Some(Topic::Certificate) => Rule::Browser,
        Some(Topic::Caa) => Rule::Certificate,
        _ => Rule::Verification,
    }
}

/// Copies the first fix on a page.
fn copy_fix(app: &mut App, now: Now) {
    let Location::Rules(rule) = app.domains.place else { return };
    let answers = facts(&app.domains, now).map(|facts| answers(rule, &facts)).unwrap_or_default();
    match answers.into_iter().flat_map(|answer| answer.act).next() {
        Some(act) => copy(app, act, "what to do", now),
        None => app.tell("Nothing to do here."),
    }
}

/// Everything that the rules use, for the selected domain.
fn facts(state: &State, now: Now) -> Option<Facts<'_>> {
    let domain = state.domain()?;
    let seen = state.seen(&domain.name);
    let written = state.redirect_from(&domain.name);
    let followed = state.followed(&domain.name).map_or(&[][..], |followed| &followed.findings);
    Some(Facts {
        reported: state.reported(&domain.name),
        next: state.row(&domain.name, now)?.progress.next,
        findings: seen.map_or(&[], |seen| &seen.findings),
        views: seen.map_or(&[], |seen| &seen.views),
        redirect: written.and_then(redirects::redirect).map(|redirect| (redirect, followed)),
        now: state.wall(now),
        domain,
    })
}

/// Paints the page of a rule; the cursor is in its text field, if it has one.
pub fn draw(panel: &State, page: &mut Page<'_>, rule: Rule) {
    let Some(name) = &panel.selected else { return };
    headline(panel, page, name);
    // Where digits are text, none is shown as a key.
    let title = |(number, other)| match rule == Rule::Browser {
        true => short_title(other).to_owned(),
        false => format!("{number} {}", short_title(other)),
    };
    let titles: Vec<String> = (1..).zip(Rule::ALL).map(title).collect();
    let (here, head) = (rule as usize, page.appearance.span("  ", StyleRole::Text));
    for (at, (x, columns)) in tabs(page, head, &titles, here).into_iter().enumerate() {
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
    let Some(facts) = facts(panel, page.now) else { return };
    let answers = answers(rule, &facts);
    let conclusion = conclusion(rule, &facts);
    let room = page.room(18);
    let rows_of = |question: &str| wrap_words(question, room.saturating_sub(6)).len().max(1);
    // The questions and the conclusion keep their places; the details get what is left.
    let mut kept = page.rows(3, &conclusion).min(2) + answers.iter().map(|one| rows_of(one.question)).sum::<usize>();
    for (at, answer) in answers.iter().enumerate() {
        kept -= rows_of(answer.question);
        let word = answer.verdict.map_or(answer.word, |verdict| verdict_word(Some(verdict)));
        let mut question = wrap_words(answer.question, room.saturating_sub(6));
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
            page.labelled("       Do: ", &full_sentence(act), at_most(page, if at == 0 { 3 } else { 1 }));
        }
    }
    page.down_to(2);
    page.wrapped(3, &conclusion, 2);
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
