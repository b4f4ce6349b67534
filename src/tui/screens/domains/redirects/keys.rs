//! Keys and replies in the redirect editor.

use crate::app::domain_progress::leads_on;
use crate::app::domain_service::NotSaved;
use crate::clock::Now;
use crate::domains::check::FollowedRedirect;
use crate::domains::redirect_config::{ConfigSource, DomainsConfiguration, Linted, Redirect, WrittenRedirect};
use crate::domains::report::sentence;
use crate::domains::{Finding, Verdict};
use crate::model::words::counted;
use crate::tui::effect::Effect;
use crate::tui::keymap::{FormAction, RedirectsAction};
use crate::tui::pending::Slot;
use crate::tui::popups::{Contents, Popup, WriteBox, copy};
use crate::tui::screens::domains::jobs::DomainTask;
use crate::tui::state::{AppState, MessageKind};
use crate::tui::text_input::TextInput;
use crate::tui::widgets::form::{self, FormEvent};
use crate::tui::widgets::list::moved;

use super::super::popups;
use super::super::state::{PanelLocation, State};
use super::{Focus, RedirectEditor, RedirectForm, about, about_typed, lint, redirect};

/// Opens the editor, and follows every redirect.
pub fn open(app: &mut AppState, now: Now) -> Vec<Effect> {
    let panel = &mut app.domains;
    panel.enter(PanelLocation::Redirects);
    let line = panel.selected.as_ref().and_then(|name| panel.redirects.line_of(name));
    if let (Some(line), None) = (line, &panel.redirects.form) {
        panel.redirects.selected = line;
    }
    walk(app, now)
}

/// Follows every redirect by header-only requests.
pub fn walk(app: &mut AppState, now: Now) -> Vec<Effect> {
    let panel = &app.domains;
    let redirects: Vec<Redirect> = panel.redirects.edited.redirects.iter().filter_map(redirect).collect();
    if redirects.is_empty() || !popups::resolvers::may_send(app, now) {
        return Vec::new();
    }
    let panel = &app.domains;
    let task = DomainTask::FollowRedirects { redirects, sandbox: panel.setup.sandbox_at(now) };
    vec![app.begin(task, now)]
}

/// A key in the editor.
pub fn on_action(app: &mut AppState, action: RedirectsAction, now: Now) -> Vec<Effect> {
    let redirects = &mut app.domains.redirects;
    match action {
        RedirectsAction::Move(movement) => {
            redirects.selected = moved(redirects.selected, movement, redirects.lines(), redirects.lines());
        }
        RedirectsAction::Open => edit(redirects, redirects.selected),
        RedirectsAction::Add => edit(redirects, redirects.lines()),
        RedirectsAction::Delete => delete(app),
        RedirectsAction::MakePrimary => {
            let marked = redirects.selected.checked_sub(1).and_then(|line| redirects.edited.redirects.get(line));
            match marked.map(|redirect| redirect.to.clone()) {
                Some(to) => {
                    app.say(MessageKind::Note, format!("{to} becomes the primary domain when you save (F2)."));
                    app.domains.redirects.edited.primary = Some(to);
                }
                None => edit(redirects, 0),
            }
        }
        RedirectsAction::Save => return save(app, now),
        RedirectsAction::Choices => fix(app),
        RedirectsAction::Refresh => return walk(app, now),
        RedirectsAction::Copy => {
            if let Some(configuration) = valid(app) {
                return copy(app, configuration.to_json(), "the configuration as JSON", now);
            }
        }
        RedirectsAction::WriteFile => {
            if let Some(configuration) = valid(app) {
                let text = Contents::Configuration { json: configuration.to_json(), toml: configuration.to_toml() };
                app.popup = Some(Popup::Write(WriteBox::new("domains.json", text)));
            }
        }
        RedirectsAction::Back => {
            let unsaved = redirects.edited != app.domains.setup.configuration;
            app.domains.back();
            if unsaved {
                app.say(MessageKind::Note, "Redirects are not saved. R opens them again, F2 there saves.");
            }
        }
    }
    Vec::new()
}

fn edit(redirects: &mut RedirectEditor, line: usize) {
    let primary = redirects.edited.primary.clone().unwrap_or_default();
    let new = WrittenRedirect { from: String::new(), to: primary, status: 301 };
    let written = line.checked_sub(1).and_then(|at| redirects.edited.redirects.get(at)).unwrap_or(&new);
    redirects.form = Some(RedirectForm {
        line,
        from: TextInput::new(&written.from),
        to: TextInput::new(&written.to),
        status: TextInput::new(written.status.to_string()),
        focus: if line == 0 { Focus::To } else { Focus::From },
        untouched: line > redirects.edited.redirects.len(),
    });
}

fn delete(app: &mut AppState) {
    let redirects = &mut app.domains.redirects;
    let Some(at) = redirects.selected.checked_sub(1).filter(|at| *at < redirects.edited.redirects.len()) else {
        return app.say(MessageKind::Note, "The primary domain cannot be removed. Enter changes it.");
    };
    let gone = redirects.edited.redirects.remove(at);
    redirects.selected = redirects.selected.min(redirects.lines() - 1);
    app.say(MessageKind::Note, format!("Redirect from {} removed. F2 saves.", gone.from));
}

/// A key at one redirect.
pub fn in_form(app: &mut AppState, action: FormAction, now: Now) -> Vec<Effect> {
    let Some(form) = &mut app.domains.redirects.form else { return Vec::new() };
    // Enter at the last field accepts the line.
    let is_last = form.line == 0 || form.focus == Focus::Status;
    if action == FormAction::NextField && is_last {
        return take(app, now).unwrap_or_default();
    }
    let parts = if form.line == 0 { &Focus::PARTS[1..2] } else { &Focus::PARTS[..] };
    match form::update(&mut form.focus, parts, action) {
        FormEvent::Submit => {
            if let Some(mut effects) = take(app, now) {
                app.message = None;
                effects.extend(save(app, now));
                return effects;
            }
        }
        FormEvent::Choices => fix(app),
        FormEvent::Clear => {
            if let Some(input) = app.domains.redirects.input() {
                input.clear();
            }
        }
        FormEvent::None | FormEvent::Left(_) | FormEvent::Choose(_) | FormEvent::Toggle => {}
        FormEvent::Back => {
            app.domains.redirects.form = None;
            app.say(MessageKind::Note, "Cancelled. The line is unchanged.");
        }
    }
    Vec::new()
}

/// Accepts the typed line, unless something in it fails.
fn take(app: &mut AppState, now: Now) -> Option<Vec<Effect>> {
    let findings = about_typed(&app.domains);
    let redirects = &mut app.domains.redirects;
    let line = redirects.form.as_ref()?.line;
    if let Some(wrong) = findings.iter().find(|finding| finding.verdict == Verdict::Fail) {
        if let Some(form) =
            redirects.form.as_mut().filter(|_| about(std::slice::from_ref(wrong), line).next().is_some())
        {
            form.focus = Focus::of(wrong);
            form.input().select();
        }
        let text = format!("{}. {}", wrong.title, sentence(&wrong.fix));
        app.say(MessageKind::Error, text);
        return None;
    }
    redirects.edited = redirects.candidate();
    redirects.form = None;
    redirects.selected = line.min(redirects.lines() - 1);
    app.say(MessageKind::Note, "Changed. F2 saves it to your file; set the same in the dashboard.");
    Some(walk(app, now))
}

/// The line with the cursor, and what is wrong with it, if the right value is known.
pub fn fixable(panel: &State) -> Option<(usize, Finding)> {
    let redirects = &panel.redirects;
    let line = redirects.form.as_ref().map_or(redirects.selected, |form| form.line);
    let linted = lint(panel);
    let finding = about(&linted.findings, line).find(|finding| !finding.expected.is_empty())?;
    Some((line, finding.clone()))
}

/// Replaces a wrong value by the expected one.
fn fix(app: &mut AppState) {
    let Some((line, finding)) = fixable(&app.domains) else {
        return app.say(MessageKind::Note, "Nothing here can be fixed automatically.");
    };
    let redirects = &mut app.domains.redirects;
    if redirects.form.is_none() {
        edit(redirects, line);
    }
    let Some(form) = &mut redirects.form else { return };
    form.focus = Focus::of(&finding);
    *form.input() = TextInput::new(finding.expected.as_str());
    app.say(MessageKind::Note, format!("Fixed: {}. Enter accepts it.", finding.expected));
}

/// The configuration for export, if nothing in it fails.
fn valid(app: &mut AppState) -> Option<DomainsConfiguration> {
    let configuration = lint(&app.domains).configuration;
    if configuration.is_none() {
        app.say(MessageKind::Error, "The redirects have errors. Fix them first.");
    }
    configuration
}

/// Saves the configuration, if nothing in it fails.
fn save(app: &mut AppState, now: Now) -> Vec<Effect> {
    match lint(&app.domains) {
        Linted { configuration: Some(_), .. } if app.pending.is_running(Slot::Save) => {
            app.say(MessageKind::Note, "Still saving. Press F2 again to save later changes.");
            Vec::new()
        }
        Linted { configuration: Some(configuration), .. } => {
            let was = app.domains.setup.configuration.clone();
            vec![app.begin(DomainTask::Save { was, configuration }, now)]
        }
        Linted { findings, .. } => {
            let wrong = findings.into_iter().find(|finding| finding.verdict == Verdict::Fail);
            let text = wrong.map_or_else(String::new, |wrong| format!(" {}: {}.", wrong.title, wrong.seen));
            app.say(MessageKind::Error, format!("Not saved.{text}"));
            Vec::new()
        }
    }
}

/// Redirects were followed.
pub fn on_walked(app: &mut AppState, walked: Vec<FollowedRedirect>) {
    for walked in walked.iter().filter(|walked| leads_on(&walked.findings)) {
        app.domains.worked.insert(walked.redirect.from.clone(), walked.at);
    }
    let redirects = &mut app.domains.redirects;
    redirects.walked.retain(|old| !walked.iter().any(|new| new.redirect == old.redirect));
    redirects.walked.extend(walked);
}

/// The file was written, or not.
pub fn on_saved(app: &mut AppState, result: Result<(DomainsConfiguration, String), NotSaved>, now: Now) {
    let panel = &mut app.domains;
    match result {
        Ok((configuration, path)) => {
            // Later changes stay, unsaved.
            let same = panel.redirects.form.is_none()
                && lint(panel).configuration.is_some_and(|edited| edited == configuration);
            let written = ConfigSource::from(configuration);
            if same {
                panel.redirects.edited.clone_from(&written);
            }
            panel.configure(written);
            app.say_done(format!("Saved to {path}. Set the same in the dashboard."), now.mono);
        }
        Err(NotSaved::Changed(there)) => {
            let primary = there.primary.as_deref().unwrap_or("none");
            let redirects = counted(there.redirects.len(), "redirect");
            let text = format!("Not saved: the file has changed (primary {primary}, {redirects}). F2 overwrites it.");
            app.say(MessageKind::Error, text);
            app.domains.configure(there);
        }
        Err(NotSaved::Failed(why)) => {
            app.say(MessageKind::Error, format!("{why} Nothing was saved. F2 tries again."));
        }
    }
}
