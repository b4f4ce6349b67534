//! The steps before the record: the name, and the value from the dashboard.

use crate::domains::sandbox::Sandbox;
use crate::domains::troubleshooting::PRECONDITIONS;
use crate::domains::{Code, Finding, Verdict};
use crate::tui::theme::StyleRole;

use super::super::wizard::{BUTTON, NAME, VALUE, read_name, read_value};
use super::{Page, Scene, closed, sentence, tabs};

/// The left edge of the fields.
const FIELDS: u16 = 15;

/// The steps, with the one that is shown in brackets.
pub fn steps(page: &mut Page<'_>, step: usize) {
    let head = if page.columns() < 72 { "  " } else { "   Add a domain   " };
    let head = page.appearance.span(head, StyleRole::Heading);
    let titles = ["Name and value", "DNS record", "Verify"].map(str::to_owned);
    tabs(page, head, titles, step - 1);
    page.next_row();
}

/// Paints the form.
pub fn draw(scene: Scene<'_>, page: &mut Page<'_>) {
    let panel = &scene.app.domains;
    let form = &panel.wizard.form;
    steps(page, 1);
    page.gap();
    page.wrapped(3, &format!("Before you start: {PRECONDITIONS}."), 3);
    page.gap();
    let reading = read_name(panel);
    page.form_field(form, &NAME, FIELDS);
    if form.value(&NAME).is_empty() {
        match &panel.setup.sandbox {
            Some(_) => note(page, &format!("Sandbox: type {}, or https://{0}/guide", Sandbox::DOMAIN)),
            None => note(page, "for example docs.example.com; you can paste a whole address"),
        }
    } else {
        feedback(page, &reading.findings);
    }
    if let Some(domain) = &reading.domain {
        let (kind, record) = if domain.is_apex() {
            (format!("{} itself, the apex", domain.unicode), "ALIAS or ANAME")
        } else {
            let label = domain.name.relative_to(&domain.registrable);
            (format!("subdomain \"{label}\" of {}", domain.registrable), "CNAME")
        };
        page.text(&format!("   Kind        {kind} -> {record}"));
    }
    page.gap();
    let shown = reading.domain.as_ref().map_or("the domain", |domain| domain.unicode.as_str());
    let where_to = format!("In the dashboard (Project settings, Domains, Add domain) enter {shown}.");
    page.wrapped(3, &format!("{where_to} It then shows a value. Type or paste it here:"), 3);
    page.form_field(form, &VALUE, FIELDS);
    if form.value(&VALUE).is_empty() {
        match &panel.setup.sandbox {
            Some(_) => note(
                page,
                &format!("Sandbox: Ctrl-O adds it in the dashboard, which then shows {}", Sandbox::PLATFORM_HOST),
            ),
            None => note(page, "Without it, F2 saves a draft. Use only the value the dashboard shows."),
        }
    } else {
        match read_value(panel) {
            Ok(_) => note(page, "The next step checks whether it exists."),
            Err(findings) => feedback(page, &findings),
        }
    }
    page.gap();
    page.button(FIELDS, BUTTON.label, form.is_at(&BUTTON));
}

fn note(page: &mut Page<'_>, text: &str) {
    page.labelled("   i  ", text, 2);
}

/// What was understood from a typed name, or what is wrong with it.
fn feedback(page: &mut Page<'_>, findings: &[Finding]) {
    // The kind of name has its own line.
    let shown = findings.iter().filter(|finding| !matches!(finding.code, Code::InOk | Code::InApex));
    for finding in shown.take(2) {
        if finding.verdict == Verdict::Fail {
            let text = format!("{}: {} {}", finding.title, closed(&finding.seen), sentence(&finding.fix));
            page.error(3, &text, 3);
        } else {
            note(page, &format!("{}: {}", finding.title, finding.seen));
        }
    }
}
