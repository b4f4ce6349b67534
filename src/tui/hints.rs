//! The keys that the bottom line names: those of the place that do something in this state.
#![expect(clippy::wildcard_enum_match_arm, reason = "most keys always do something")]

use super::keymap::{
    Action, AskAction, CommandsAction, DomainsAction, FormAction, GlobalAction, HelpAction, Hint, ImportRunAction,
    KeyAction, LookupAction, PetsAction, RapidAction, ReaderAction, RedirectsAction, SearchAction, TextAction,
};
use super::popups::Popup;
use super::screens::add_pet::rapid::Focus;
use super::screens::pets::BUILT_IN;
use super::state::AppState;
use super::widgets::WIDE;
use crate::model::{Limit, PetId};

/// Key and word of each, in order; help last.
pub fn hints(state: &AppState) -> Vec<Hint> {
    state.keymap.hints(state.context(), |action, hint| works(state, action).then(|| word(state, action, hint)))
}

/// The word for an action that depends on the state.
fn word(state: &AppState, action: Action, hint: &'static str) -> &'static str {
    match action {
        Action::Pets(PetsAction::NextTab) if state.pets.tabs().0.len() > BUILT_IN => return "tab",
        Action::ProfileForm(FormAction::Save) if state.profiles.form.saves_anyway() => return "save anyway",
        Action::Rapid(RapidAction::Confirm) if state.add.rapid.focus == Focus::Category => return "name",
        Action::Rapid(RapidAction::NextField) if state.add.rapid.focus == Focus::Category => return "status",
        _ => {}
    }
    let Some(running) = state.add.import.running() else { return hint };
    match action {
        Action::ImportRun(ImportRunAction::Back) if running.is_under_way() => "stop",
        Action::ImportRun(ImportRunAction::Back) => "leave",
        Action::ImportRun(ImportRunAction::Save) if !running.is_under_way() => "check again",
        _ => hint,
    }
}

/// Whether an action does something now.
fn works(state: &AppState, action: Action) -> bool {
    let scrolls = || state.layout.reader_lines > state.layout.reader_rows;
    match (action, &state.popup) {
        (action, _) if state.link.why_not(action).is_some() => false,
        // Where there is room, the detail is always shown.
        (Action::Pets(PetsAction::Open), _) => state.size.columns < WIDE,
        (Action::Search(SearchAction::Move(_)), _) => state.pets.row_count() > 1,
        (Action::Search(SearchAction::Whole), _) => !state.pets.whole.is_there(),
        (Action::Reader(ReaderAction::Move(_)), _)
        | (Action::Text(TextAction::Move(_)), _)
        | (Action::Help(HelpAction::Move(_)), _) => scrolls(),
        (Action::Rapid(RapidAction::Refresh | RapidAction::Delete), _) => state.add.rapid.focus == Focus::Lines,
        (Action::Lookup(LookupAction::Confirm | LookupAction::AskDeprecated), Some(Popup::Lookup(lookup))) => {
            lookup.input.value().trim().parse::<PetId>().is_ok()
        }
        (Action::Limit(AskAction::Confirm), Some(Popup::Limit(limit))) => limit.input.value().parse::<Limit>().is_ok(),
        (Action::Key(KeyAction::Choices), Some(Popup::Key(key))) => !key.input.is_empty(),
        (Action::Domains(DomainsAction::Redirects(RedirectsAction::Refresh)), _) => {
            !state.domains.setup.configuration.redirects.is_empty()
        }
        (Action::ImportRun(ImportRunAction::Save), _) => {
            state.add.import.running().is_none_or(|running| !running.is_under_way())
        }
        (Action::Global(GlobalAction::Commands), Some(Popup::Help(help))) => {
            help.below.is_none() && state.allows(action)
        }
        (Action::Commands(CommandsAction::Move(_)), Some(Popup::Commands(commands))) => commands.found.len() > 1,
        (Action::SaveView(AskAction::Confirm), Some(Popup::View(view))) => {
            view.error.is_none() && !view.input.is_empty()
        }
        _ => true,
    }
}
