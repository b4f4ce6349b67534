//! The editor of `domains.primary` and `domains.redirects`: checked while typing and against the live site.

mod form;
pub mod keys;

use crate::app::domain_progress::leads_on;
use crate::domains::check::FollowedRedirect;
use crate::domains::finding::deciding;
use crate::domains::redirect_config::{self, ConfigSource, Linted, Redirect, WrittenRedirect};
use crate::domains::{Code, DnsName, Finding, Verdict};
use crate::tui::keymap::Context;
use crate::tui::text_input::{TextInput, Typing};

use super::state::State;

pub use form::{Focus, RedirectForm};

#[derive(Clone, Debug, Default)]
pub struct RedirectEditor {
    /// The configuration as it is edited.
    pub edited: ConfigSource,
    /// The line that has the cursor: 0 is the primary domain, redirects follow.
    pub selected: usize,
    /// The line that is being typed.
    pub form: Option<RedirectForm>,
    /// The redirects that were followed by header-only requests.
    pub walked: Vec<FollowedRedirect>,
}

impl RedirectEditor {
    /// Where a key goes.
    pub const fn context(&self) -> Context {
        if self.form.is_some() { Context::RedirectForm } else { Context::Redirects }
    }

    /// The text field that has the cursor.
    pub fn input(&mut self) -> Option<&mut TextInput> {
        self.form.as_mut().map(RedirectForm::input)
    }

    /// Whether there are unsaved changes.
    pub fn is_unsaved(&self, configuration: &ConfigSource) -> bool {
        self.form.is_some() || self.edited != *configuration
    }

    /// Types into the focused field; the first text replaces the suggested target.
    pub fn on_typing(&mut self, typing: Typing<'_>) {
        if let Some(form) = &mut self.form {
            match typing {
                Typing::Text(_) if form.focus != Focus::To => {}
                Typing::Text(_) if std::mem::take(&mut form.untouched) => form.to.clear(),
                Typing::Text(_) => {}
                Typing::Edit(_) => form.untouched = false,
            }
        }
        if let Some(input) = self.input() {
            input.take(typing);
        }
    }

    /// How many lines there are.
    pub const fn lines(&self) -> usize {
        1 + self.edited.redirects.len()
    }

    /// The configuration with the line that is being typed.
    fn candidate(&self) -> ConfigSource {
        let mut written = self.edited.clone();
        let Some(form) = &self.form else { return written };
        if form.line == 0 {
            written.primary = Some(form.to.value().trim().to_owned()).filter(|text| !text.is_empty());
            return written;
        }
        let typed = WrittenRedirect {
            from: form.from.value().trim().to_owned(),
            to: form.to.value().trim().to_owned(),
            status: form.status.value().trim().parse().unwrap_or(0),
        };
        match written.redirects.get_mut(form.line - 1) {
            Some(redirect) => *redirect = typed,
            None => written.redirects.push(typed),
        }
        written
    }

    /// What fails in the redirect from a domain, if it was followed.
    pub fn failing(&self, from: &DnsName) -> Option<&str> {
        let configured = self.edited.redirects.iter().filter_map(redirect).find(|redirect| redirect.from == *from)?;
        let walked = self.walked.iter().filter(|walked| walked.redirect == configured && !leads_on(&walked.findings));
        let mut findings = walked.filter_map(|walked| deciding(&walked.findings));
        findings.next().filter(|finding| finding.verdict == Verdict::Fail).map(|finding| finding.title.as_str())
    }

    /// The line of the redirect from a domain.
    pub fn line_of(&self, from: &DnsName) -> Option<usize> {
        let at = self.edited.redirects.iter().position(|redirect| DnsName::new(&redirect.from) == *from)?;
        Some(at + 1)
    }

    /// The result of following the redirect on a line.
    pub(super) fn walked_at(&self, line: usize) -> Option<&FollowedRedirect> {
        let written = self.edited.redirects.get(line.checked_sub(1)?)?;
        let redirect = redirect(written)?;
        self.walked.iter().find(|walked| walked.redirect == redirect)
    }
}

/// Lints the configuration with the line that is being typed.
pub fn lint(state: &State) -> Linted {
    redirect_config::check(state.redirects.candidate(), &listed(state))
}

pub fn about(findings: &[Finding], line: usize) -> impl Iterator<Item = &Finding> {
    let place = if line == 0 { "domains.primary".to_owned() } else { format!("domains.redirects[{}]", line - 1) };
    findings.iter().filter(move |finding| finding.seen.starts_with(&place))
}

/// The findings about the line that is being typed, and those that it causes elsewhere.
pub(super) fn about_typed(state: &State) -> Vec<Finding> {
    let Some(form) = &state.redirects.form else { return Vec::new() };
    let before = redirect_config::check(state.redirects.edited.clone(), &listed(state)).findings;
    let mut findings = lint(state).findings;
    let own: Vec<Code> = about(&findings, form.line).map(|finding| finding.code).collect();
    let is_new = |finding: &Finding| {
        let known = |known: &Finding| (known.code, &known.seen) == (finding.code, &finding.seen);
        finding.code != Code::CfgOk && !own.contains(&finding.code) && !before.iter().any(known)
    };
    findings.retain(|finding| about(std::slice::from_ref(finding), form.line).next().is_some() || is_new(finding));
    findings
}

fn listed(state: &State) -> Vec<DnsName> {
    state.entries().map(|entry| entry.name.clone()).collect()
}

/// A redirect for the checks, if its names are valid.
pub fn redirect(written: &WrittenRedirect) -> Option<Redirect> {
    let name = |text: &str| crate::domains::parse_name::domain(text).ok().map(|domain| domain.name);
    Some(Redirect { from: name(&written.from)?, to: name(&written.to)?, status: u16::try_from(written.status).ok()? })
}
