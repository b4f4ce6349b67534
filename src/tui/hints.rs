//! The keys that the bottom line names: those of the place that do something in this state.
#![expect(clippy::wildcard_enum_match_arm, reason = "most keys always do something")]

use super::keymap::{
    Action, ChangesAction, CommandsAction, DomainsAction, FormAction, GlobalAction, HelpAction, Hint, ImportRunAction,
    KeyAction, LookupAction, PetsAction, PickAction, RapidAction, ReaderAction, RedirectsAction, SearchAction,
    TextAction, ViewsAction,
};
use super::popups::Popup;
use super::screens::add_pet::rapid::Focus;
use super::screens::pets::BUILT_IN;
use super::state::AppState;
use super::widgets::WIDE;

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
        Action::ImportRun(ImportRunAction::Back) if running.is_under_way() && !running.paused => "pause",
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
        (Action::Lookup(LookupAction::Confirm | LookupAction::AskDeprecated), _) => {
            state.pets.by_id.as_ref().is_some_and(|by_id| by_id.id().is_ok())
        }
        (Action::Key(KeyAction::Choices), Some(Popup::Key(key))) => !key.input.is_empty(),
        (Action::Domains(DomainsAction::Redirects(RedirectsAction::Refresh)), _) => {
            !state.domains.setup.configuration.redirects.is_empty()
        }
        (Action::Changes(ChangesAction::Move(_) | ChangesAction::Open), _) => !state.pets.changes.log().is_empty(),
        (Action::ImportRun(ImportRunAction::Save), _) => {
            state.add.import.running().is_none_or(|running| running.paused || !running.is_under_way())
        }
        (Action::Limit(PickAction::Confirm), Some(Popup::Limit(limit))) => limit.limit().is_some(),
        (Action::Global(GlobalAction::Commands), Some(Popup::Help(help))) => {
            help.below.is_none() && state.allows(action)
        }
        (Action::Commands(CommandsAction::Move(_)), Some(Popup::Commands(commands))) => commands.found.len() > 1,
        (Action::Views(ViewsAction::Confirm), Some(Popup::Views(views))) => !views.input.is_empty(),
        (Action::Views(ViewsAction::Move(_)), _) => state.pets.tabs().0.len() > BUILT_IN,
        (
            Action::Views(ViewsAction::MoveEarlier | ViewsAction::MoveLater | ViewsAction::Clear),
            Some(Popup::Views(views)),
        ) => views.cursor > 0,
        _ => true,
    }
}
