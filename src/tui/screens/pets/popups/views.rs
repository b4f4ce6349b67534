//! The saved views: the present search gets a name and becomes one; others are renamed, moved and removed.

use super::super::BUILT_IN;
use super::super::update::{ask_where_unasked, show_tab};
use crate::clock::Now;
use crate::config::edit::{Direction, ViewChange};
use crate::config::file::View;
use crate::config::file::view::{is_taken, name_fault};
use crate::model::search::Query;
use crate::model::text::cut;
use crate::tui::effect::Effect;
use crate::tui::keymap::ViewsAction;
use crate::tui::pending::Slot;
use crate::tui::popups::jobs::PopupTask;
use crate::tui::popups::{Popup, ViewsBox};
use crate::tui::state::{AppState, MessageKind};
use crate::tui::text_input::TextInput;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::{moved, shown};
use crate::tui::widgets::page::Page;

/// Opens the box: on the view that is shown as it was saved, or for a new one.
pub fn open(state: &mut AppState) {
    let tab = state.pets.tabs().1;
    let is_saved = tab >= BUILT_IN && state.pets.as_view(state.pets.view().name.clone()) == *state.pets.view();
    choose(state, if is_saved { tab + 1 - BUILT_IN } else { 0 });
}

/// Shows the box with this line chosen, and the name of its view in the field.
fn choose(state: &mut AppState, cursor: usize) {
    let view = cursor.checked_sub(1).and_then(|number| saved(state).nth(number));
    let mut input = TextInput::new(view.map_or_else(String::new, |view| view.name.clone()));
    input.select();
    state.popup = Some(Popup::Views(ViewsBox { input, cursor, removes: false, error: None }));
}

fn saved(state: &AppState) -> impl Iterator<Item = &View> {
    state.pets.tabs().0[BUILT_IN..].iter().map(|tab| &tab.view)
}

pub fn on_action(state: &mut AppState, action: ViewsAction, now: Now) -> Vec<Effect> {
    let Some(Popup::Views(views)) = &state.popup else { return Vec::new() };
    let (cursor, removes, typed) = (views.cursor, views.removes, views.input.value().trim().to_owned());
    let chosen = cursor.checked_sub(1).and_then(|number| saved(state).nth(number)).map(|view| view.name.clone());
    let change = match (action, chosen) {
        (ViewsAction::Back, _) => {
            state.popup = None;
            return Vec::new();
        }
        (ViewsAction::Move(movement), _) => {
            choose(state, moved(cursor, movement, saved(state).count() + 1, 10));
            return Vec::new();
        }
        (ViewsAction::Confirm, Some(name)) if name == typed => {
            state.popup = None;
            return Vec::new();
        }
        (ViewsAction::Confirm, Some(name)) => allowed(state, &typed).map(|()| ViewChange::Rename(name, typed)),
        (ViewsAction::Confirm, None) => {
            allowed(state, &typed).and_then(|()| Ok(ViewChange::Add(Box::new(present(state, typed)?))))
        }
        (ViewsAction::MoveEarlier, Some(name)) => Ok(ViewChange::Move(name, Direction::Earlier)),
        (ViewsAction::MoveLater, Some(name)) => Ok(ViewChange::Move(name, Direction::Later)),
        (ViewsAction::Clear, Some(name)) if removes => Ok(ViewChange::Remove(name)),
        (ViewsAction::Clear, Some(_)) => {
            tell(state, None, true);
            return Vec::new();
        }
        (ViewsAction::MoveEarlier | ViewsAction::MoveLater | ViewsAction::Clear, None) => {
            Err("Choose a view below first.".to_owned())
        }
    };
    match change {
        // The next change is of what this one leaves.
        Ok(_) if state.pending.is_running(Slot::Views) => Vec::new(),
        Ok(change) => vec![state.begin(PopupTask::ChangeViews(change), now)],
        Err(why) => {
            tell(state, Some(why), false);
            Vec::new()
        }
    }
}

/// Says in the box why nothing was written, or asks again before a removal.
fn tell(state: &mut AppState, error: Option<String>, removes: bool) {
    if let Some(Popup::Views(views)) = &mut state.popup {
        (views.error, views.removes) = (error, removes);
    }
}

/// Whether a view may have this name.
fn allowed(state: &AppState, name: &str) -> Result<(), String> {
    let is_used = saved(state).any(|view| view.name == name);
    name_fault(name).or_else(|| is_used.then(|| is_taken(name))).map_or(Ok(()), Err)
}

/// What is shown as a view of this name, or why it cannot be saved.
fn present(state: &AppState, name: String) -> Result<View, String> {
    let view = state.pets.as_view(name);
    let fault = Query::fault(&view.search, &state.pets.categories);
    fault.map_or(Ok(view), |fault| Err(format!("This search cannot be saved: {fault}.")))
}

/// The views were written into the configuration, or not.
pub fn on_written(state: &mut AppState, result: Result<Vec<View>, String>, now: Now) -> Vec<Effect> {
    let views = match (result, &mut state.popup) {
        (Ok(views), _) => views,
        (Err(why), Some(Popup::Views(views))) => {
            views.error = Some(format!("Not saved: {why}"));
            return Vec::new();
        }
        (Err(why), _) => {
            state.say(MessageKind::Error, format!("View not saved: {why}"));
            return Vec::new();
        }
    };
    let chosen = match &state.popup {
        Some(Popup::Views(views)) => Some((views.cursor, views.input.value().trim().to_owned())),
        _ => None,
    };
    let is_new = views.len() > saved(state).count();
    let last = views.last().map(|view| view.name.clone());
    state.layout.table_top = state.pets.set_views(views, state.layout.table_top);
    match (chosen, last) {
        (Some((0, _)), Some(name)) if is_new => {
            state.popup = None;
            let effects = show_tab(state, state.pets.tabs().0.len() - 1, now);
            state.say_done(format!("View {name} saved."), now.mono);
            effects
        }
        (Some((cursor, name)), _) => {
            // The cursor stays with the view of the name; where that was removed, on its place.
            let place = saved(state).position(|view| view.name == name).map_or(cursor, |number| number + 1);
            choose(state, place.min(saved(state).count()));
            ask_where_unasked(state, now)
        }
        (None, _) => ask_where_unasked(state, now),
    }
}

pub fn draw(views: &ViewsBox, state: &AppState, page: &mut Page<'_>) {
    let count = saved(state).count();
    page.popup(66, u16::try_from(count + 9).unwrap_or(u16::MAX), "Views");
    page.at(0, "   Name:", StyleRole::Text);
    page.input(9, 26, &views.input, true);
    page.next_row();
    page.gap();
    let line = |name: &str, view: &View| {
        let status = view.status.map_or_else(String::new, |status| status.to_string());
        let sort = view.sort.map_or_else(String::new, |sort| format!("sort {sort}"));
        let what = [view.search.as_str(), &status, &sort].into_iter().filter(|part| !part.is_empty());
        let what = what.collect::<Vec<_>>().join(", ");
        let what = if what.is_empty() { "all pets".to_owned() } else { page.appearance.text(&what) };
        cut(&format!("{} {what}", page.column(name, 24)), page.columns().saturating_sub(4))
    };
    let lines: Vec<String> = std::iter::once(line("new, of what is shown:", &state.pets.as_view(String::new())))
        .chain(saved(state).map(|view| line(&view.name, view)))
        .collect();
    let rows = usize::from(page.left().saturating_sub(4)).max(1);
    for (chosen, line) in shown(lines.iter(), views.cursor, rows) {
        page.item(line, chosen);
    }
    page.gap();
    match &views.error {
        Some(error) => page.error(3, error, 3),
        None if views.removes => page.wrapped(3, "F8 again removes this view. The pets stay.", 2),
        None if views.cursor == 0 => page.wrapped(3, "Type a name; Enter saves what is shown as a tab.", 2),
        None => page.wrapped(3, "Enter saves another name; PgUp and PgDn move the tab.", 2),
    }
}
