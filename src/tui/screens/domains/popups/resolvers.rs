//! Whether the names of domains are sent to public resolvers: asked before the first check, and changeable in the list.

use super::super::{Location, redirects, scheduler};
use crate::app::domain_service::ResolverChoice;
use crate::domains::check_options::PUBLIC_RESOLVERS;
use crate::model::words::list;
use crate::tui::popups::Question;
use crate::tui::{App, Env, Job, Now, Page, Screen, Slot, blocking};
use std::sync::Arc;

/// Whether names may be sent. If the operator was never asked, asks now: nothing is sent before the answer.
pub fn may_send(app: &mut App, now: Now) -> bool {
    if !app.domains.setup.resolvers.ask_first {
        return true;
    }
    if !app.popups.is_open() && app.screen == Screen::Domains && !app.runs(Slot::Resolvers) {
        app.ask(question(), now);
    }
    false
}

/// Stops asking public resolvers, or asks whether to begin.
pub fn change(app: &mut App, now: Now) {
    if app.domains.setup.practice.is_some() {
        app.tell("The sandbox has its own resolvers; nothing is sent to public ones.");
    } else if app.domains.setup.resolvers.public.is_empty() {
        app.ask(question(), now);
    } else {
        app.start(ChooseResolvers { public: false }, now);
    }
}

fn question() -> Question {
    let choose = |public| move |app: &mut App, now| app.start(ChooseResolvers { public }, now);
    let question = Question::new("Public resolvers", draw, "Ask them", choose(true), choose(false));
    Question { no_word: "n  Do not ask them (Enter, Esc)", ..question }
}

/// Asks public resolvers from now on or not, here and in every command.
#[derive(Clone, Debug, PartialEq)]
pub struct ChooseResolvers {
    pub public: bool,
}

impl Job for ChooseResolvers {
    /// Which resolvers are asked from now on; and why that was not saved, if it was not.
    type Answer = Result<(ResolverChoice, Option<String>), String>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Resolvers;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        blocking(move || Ok(env.machine.domains_context.choose_resolvers(self.public))).await
    }

    /// What waited for the answer begins.
    fn done(&self, app: &mut App, chosen: Self::Answer, now: Now) {
        let (choice, not_saved) = match chosen {
            Ok(chosen) => chosen,
            Err(why) => return app.complain(why),
        };
        let text = match choice.public.is_empty() {
            true => "No public resolver is asked.".to_owned(),
            false => format!("{} are asked, too.", list(&choice.public)),
        };
        match not_saved {
            Some(why) => app.complain(format!("{text} Only until you quit, since it was not saved: {why}")),
            None => app.tell(format!("{text} Saved; p in the list of domains changes it.")),
        }
        app.domains.setup.resolvers = choice;
        if matches!(app.domains.place, Location::Redirects | Location::Removal) {
            redirects::follow(app, now);
        }
        scheduler::work(app, now);
    }
}

fn draw(app: &App, page: &mut Page<'_>) {
    let public = &app.domains.setup.resolvers.public;
    let public = if public.is_empty() { list(PUBLIC_RESOLVERS) } else { list(public) };
    page.paragraph(2, &format!("Besides this machine's resolver, a check can ask {public}."));
    page.gap();
    let why = "Those are public: with them petstore sees what visitors elsewhere see, and they learn the name.";
    page.paragraph(2, why);
    page.gap();
    page.paragraph(2, "Your answer is saved, and holds for petstore domains, too.");
}
