//! The question before the name of a domain is first sent to public resolvers.

use super::super::jobs::DomainTask;
use super::super::state::PanelLocation;
use super::super::{redirects, scheduler};
use crate::clock::Now;
use crate::model::words::list;
use crate::tui::effect::Effect;
use crate::tui::pending::Slot;
use crate::tui::popups::PendingChange;
use crate::tui::state::{AppState, MessageKind, Screen};
use crate::tui::widgets::page::Page;

/// Whether names may be sent. If the operator was never asked, asks now: nothing is sent before the answer.
pub fn may_send(app: &mut AppState, now: Now) -> bool {
    if app.domains.setup.new_resolvers.is_empty() {
        return true;
    }
    if app.popup.is_none() && app.screen == Screen::Domains && !app.pending.is_running(Slot::Resolvers) {
        app.ask(PendingChange::PublicResolvers, now);
    }
    false
}

/// The operator has answered.
pub fn choose(app: &mut AppState, public: bool, now: Now) -> Vec<Effect> {
    if !public {
        let text = "Only this machine's resolver is asked until you quit. To keep that, set resolvers = [\"system\"] under \
                    [domains] in the configuration.";
        app.say(MessageKind::Note, text);
    }
    vec![app.begin(DomainTask::ChooseResolvers { public }, now)]
}

/// What waited for the answer begins.
pub fn on_chosen(app: &mut AppState, now: Now) -> Vec<Effect> {
    app.domains.setup.new_resolvers.clear();
    let follows_redirects = matches!(app.domains.place, PanelLocation::Redirects | PanelLocation::Removal);
    let mut effects = if follows_redirects { redirects::keys::walk(app, now) } else { Vec::new() };
    effects.extend(scheduler::work(app, now));
    effects
}

pub fn draw(app: &AppState, page: &mut Page<'_>) {
    page.margin = 2;
    page.gap();
    let resolvers = list(&app.domains.setup.new_resolvers);
    page.paragraph(2, &format!("A check sends the name of the domain to this machine's resolver, and to {resolvers}."));
    page.gap();
    page.paragraph(
        2,
        "Those are public: with them petstore sees what visitors elsewhere see, and they learn the name.",
    );
    page.gap();
    page.paragraph(2, "To never ask them, set resolvers = [\"system\"] under [domains] in the configuration.");
    page.gap();
}
