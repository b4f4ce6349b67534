//! The page of `domains.primary` and `domains.redirects`: the list, what is wrong with it, and each redirect followed.
#![expect(clippy::wildcard_enum_match_arm, reason = "what is painted may have a default")]

use super::{BACK, Location, PRACTICE, State, act_of, around, popups, scheduler, verdict_role, verdict_word};
use crate::api::Failure;
use crate::app::domain_service::PracticeNow;
use crate::domains::redirect_config::Linted;
use crate::domains::{
    DnsName, FollowedRedirect, Redirect, Verdict, WrittenRedirect, deciding, leads_on, overall, redirect_config,
    sentence,
};
use crate::tui::{
    App, Command, Env, Job, Now, Page, Place, Slot, StyleRole, command, copy, first_of_page, moved, moves,
};
use std::sync::Arc;

impl State {
    /// The configured redirect from a domain.
    pub fn redirect_from(&self, from: &DnsName) -> Option<&WrittenRedirect> {
        self.setup.configuration.redirects.iter().find(|redirect| DnsName::new(&redirect.from) == *from)
    }

    /// The result of following a redirect.
    pub fn result_of(&self, written: &WrittenRedirect) -> Option<&FollowedRedirect> {
        let redirect = redirect(written)?;
        self.redirects.followed.iter().find(|followed| followed.redirect == redirect)
    }

    /// The result of following the redirect from a domain.
    pub fn followed(&self, from: &DnsName) -> Option<&FollowedRedirect> {
        self.result_of(self.redirect_from(from)?)
    }

    /// What fails in the redirect from a domain, if it was followed.
    pub fn failing_redirect(&self, from: &DnsName) -> Option<&str> {
        let followed = self.followed(from).filter(|followed| !leads_on(&followed.findings))?;
        let decides = deciding(&followed.findings).filter(|finding| finding.fails())?;
        Some(&decides.title)
    }
}

/// What is wrong with the configuration.
pub fn lint(state: &State) -> Linted {
    let listed: Vec<DnsName> = state.entries().map(|entry| entry.name.clone()).collect();
    redirect_config::check(state.setup.configuration.clone(), &listed)
}

/// A redirect for the checks, if its names are valid.
pub fn redirect(written: &WrittenRedirect) -> Option<Redirect> {
    let name = |text: &str| crate::domains::parse_name::domain(text).ok().map(|domain| domain.name);
    Some(Redirect { from: name(&written.from)?, to: name(&written.to)?, status: u16::try_from(written.status).ok()? })
}

/// Opens the page, and follows every redirect.
pub fn open(app: &mut App, now: Now) {
    let panel = &mut app.domains;
    panel.enter(Location::Redirects);
    let redirects = &panel.setup.configuration.redirects;
    let is_of = |name: &DnsName| redirects.iter().position(|redirect| DnsName::new(&redirect.from) == *name);
    if let Some(at) = panel.selected.as_ref().and_then(is_of) {
        panel.redirects.selected = at;
    }
    follow(app, now);
}

/// Follows every redirect by header-only requests.
pub fn follow(app: &mut App, now: Now) {
    let redirects: Vec<Redirect> = app.domains.setup.configuration.redirects.iter().filter_map(redirect).collect();
    if !redirects.is_empty() && popups::resolvers::may_send(app, now) {
        app.start(FollowRedirects { redirects, practice: app.domains.setup.practice_at(now) }, now);
    }
}

/// Follows redirects by header-only requests.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowRedirects {
    /// Which.
    pub redirects: Vec<Redirect>,
    pub practice: PracticeNow,
}

impl Job for FollowRedirects {
    type Answer = Result<Vec<FollowedRedirect>, Failure>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Redirects;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        let followed = env.machine.domains_context.follow(self.redirects.clone(), self.practice.clone()).await;
        followed.map_err(|why| Failure::Crashed { why })
    }

    fn done(&self, app: &mut App, followed: Self::Answer, now: Now) {
        let followed = match followed {
            Ok(followed) => followed,
            Err(failure) => return app.complain(failure),
        };
        for followed in followed.iter().filter(|followed| leads_on(&followed.findings)) {
            app.domains.worked.insert(followed.redirect.from.clone());
        }
        let from: Vec<DnsName> = followed.iter().map(|followed| followed.redirect.from.clone()).collect();
        let redirects = &mut app.domains.redirects;
        redirects.followed.retain(|old| !followed.iter().any(|new| new.redirect == old.redirect));
        redirects.followed.extend(followed);
        // A live domain is checked again only for a redirect that fails.
        let is_idle = |name: &&DnsName| app.domains.checks.get(name).is_some_and(|check| check.due.is_none());
        for name in from.iter().filter(is_idle).cloned().collect::<Vec<_>>() {
            scheduler::wait(&mut app.domains, &name, now);
        }
    }
}

static REDIRECTS: &[Command] = &[
    command("refresh", "r F5", "check", "follow all redirects", follow)
        .when(|app| !app.domains.setup.configuration.redirects.is_empty())
        .shell(line),
    command("copy", "y", "copy", "copy all as JSON", |app, now| match lint(&app.domains).configuration {
        Some(configuration) => copy(app, configuration.to_json(), "the configuration as JSON", now),
        None => app.complain("The redirects have errors. Fix them in your configuration first."),
    }),
    PRACTICE,
    moves("up k|down j|||||PgUp Home g|PgDn End G", "", "move", |app, movement, _| {
        let lines = app.domains.setup.configuration.redirects.len();
        let selected = &mut app.domains.redirects.selected;
        *selected = moved(*selected, movement, lines, lines);
    }),
    BACK,
];

pub static PLACE: Place = Place::new("redirects", "Redirects", &[REDIRECTS]).around(around);

pub(super) fn line(_: &App) -> Option<String> {
    Some("domains redirects".to_owned())
}

/// The columns beside the addresses, which share what is left. A narrow window does not have the last one.
const STATUS: usize = 8;
const RESULT: usize = 6;
const SEEN: usize = 19;

/// Where redirects are changed.
const ELSEWHERE: &str =
    "To change them, edit [domains] in your configuration, start petstore again, and set the same in the dashboard.";

/// Paints the list; the cursor is on the marked line.
pub fn draw(app: &App, page: &mut Page<'_>) {
    let panel = &app.domains;
    let configuration = &panel.setup.configuration;
    let marked = panel.redirects.selected;
    page.gap();
    let primary = configuration.primary.clone().unwrap_or_else(|| "not set".to_owned());
    page.text(&format!("   primary  {}", page.appearance.text(&primary)));
    page.gap();
    let seen = if page.columns() < 70 { 0 } else { SEEN };
    let name = page.room(3 + STATUS + RESULT + seen) / 2;
    let columns = [("FROM", name), ("TO", name), ("STATUS", STATUS), ("RESULT", RESULT), ("", seen)];
    page.headings(&columns);
    let room = usize::from(page.left()).saturating_sub(11).max(1);
    for (at, redirect) in configuration.redirects.iter().enumerate().skip(first_of_page(marked, room)).take(room) {
        let (verdict, seen) = match panel.result_of(redirect) {
            Some(FollowedRedirect { findings, .. }) => {
                (Some(overall(findings)), deciding(findings).map_or("", |one| &one.title))
            }
            None if app.runs(Slot::Redirects) => (None, "checking ..."),
            None => (None, "not checked (r)"),
        };
        let status = redirect.status.to_string();
        let [from, to, status, seen] = [&redirect.from, &redirect.to, &status, seen].map(|one| (one, StyleRole::Text));
        page.click_row(at == marked);
        page.row(at == marked, &columns, &[from, to, status, (verdict_word(verdict), verdict_role(verdict)), seen]);
    }
    if configuration.redirects.is_empty() {
        page.text("   No redirects.");
    }
    page.gap();
    let elsewhere = match panel.setup.practice {
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
    for finding in linted.iter().filter(|finding| finding.verdict > Verdict::Ok && is_shown(&finding.seen)).take(3) {
        let text = format!("{}: {} {}", finding.title, sentence(&finding.seen), act_of(finding));
        match finding.verdict {
            Verdict::Fail => page.error(3, &text, at_most(page, 3)),
            verdict => page.labelled(&format!("   {:<6}", verdict_word(Some(verdict))), &text, at_most(page, 3)),
        }
    }
    if let Some(followed) = configuration.redirects.get(marked).and_then(|redirect| panel.result_of(redirect)) {
        if let Some(finding) = deciding(&followed.findings).filter(|finding| finding.verdict > Verdict::Ok) {
            page.labelled(&format!("   {:<6}", verdict_word(Some(finding.verdict))), &finding.seen, at_most(page, 3));
            page.labelled("   Do: ", &act_of(finding), at_most(page, 6));
        }
        for hop in followed.hops.iter().take(4) {
            page.wrapped(3, hop, at_most(page, 2));
        }
        page.wrapped(3, &format!("Checked {}.", page.appearance.time(followed.at)), at_most(page, 1));
    }
    page.down_to(below);
    page.wrapped(3, elsewhere, usize::from(below));
}
