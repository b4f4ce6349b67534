//! The user's own actions: programs that run beside the app for the pet under the cursor, for the rows, or for each pet
//! that is added.

pub mod run;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::effect::Effect;
use super::keymap::Context;
use super::pending::Slot;
use super::popups::state::{PendingChange, Popup, TextBox, TextKind};
use super::state::{AppState, MessageKind};
use crate::clock::Now;
use crate::config::On;
use crate::model::Pet;
use crate::model::text::short;

use run::{Ran, Run};

/// The most added pets that wait for an earlier run, and the most that are remembered as handled.
const MOST: usize = 1000;

/// Runs an action that was chosen, unless it asks first.
pub fn choose(state: &mut AppState, number: usize, now: Now) -> Vec<Effect> {
    let Some(action) = state.actions.all.get(number).cloned() else { return Vec::new() };
    let pets: Vec<Pet> = match action.on {
        On::Pet | On::Added => state.pets.selected().cloned().into_iter().collect(),
        On::Rows => state.pets.rows_from(0).cloned().collect(),
    };
    let run = Run { number, action, pets, automatic: false };
    if let Some(why) = why_not(state, &run) {
        return state.note(why);
    }
    if run.action.confirm || run.action.writes && state.link.protect {
        state.ask(PendingChange::Run(Box::new(run)), now);
        return Vec::new();
    }
    begin(state, run, now)
}

/// Why an action cannot run now.
fn why_not(state: &AppState, run: &Run) -> Option<String> {
    let name = &run.action.name;
    if run.action.writes && state.link.read_only {
        return Some(format!("{name} cannot run: {}.", state.link.why_read_only()));
    }
    if run.pets.is_empty() {
        return Some("No pet is selected.".to_owned());
    }
    let is_running = state.pending.is_running(Slot::Action(run.number));
    is_running.then(|| format!("{name} is still running. Ctrl-C stops it."))
}

/// Runs it.
pub fn begin(state: &mut AppState, run: Run, now: Now) -> Vec<Effect> {
    if !run.automatic {
        state.say(MessageKind::Note, format!("{}: running for {}. Ctrl-C stops it.", run.action.name, run.subject()));
    }
    vec![state.begin(run, now)]
}

/// Runs what is to run for each pet that was added, here or by others.
pub fn on_added<'a>(state: &mut AppState, pets: impl IntoIterator<Item = &'a Pet>, now: Now) -> Vec<Effect> {
    let all = Arc::clone(&state.actions.all);
    if all.iter().all(|action| action.on != On::Added) {
        return Vec::new();
    }
    for pet in pets {
        if !state.actions.handled.insert(pet.id) {
            continue;
        }
        if state.actions.handled.len() > MOST {
            state.actions.handled.pop_first();
        }
        for (number, action) in all.iter().enumerate().filter(|(_, action)| action.on == On::Added) {
            if state.actions.waiting.len() == MOST {
                let name = &action.name;
                let why = format!("{name} does not run for pet {} and later ones: {MOST} runs wait.", pet.id);
                state.say(MessageKind::Error, why);
                break;
            }
            let run = Run { number, action: action.clone(), pets: vec![pet.clone()], automatic: true };
            state.actions.waiting.push_back(run);
        }
    }
    go_on(state, now)
}

/// Begins what waits and may run.
fn go_on(state: &mut AppState, now: Now) -> Vec<Effect> {
    let mut effects = Vec::new();
    for number in 0..state.actions.all.len() {
        while !state.pending.is_running(Slot::Action(number)) {
            let Some(at) = state.actions.waiting.iter().position(|run| run.number == number) else { break };
            let Some(run) = state.actions.waiting.remove(at) else { break };
            // Nobody can be asked.
            if run.action.writes && !state.may_change() {
                let why = format!("{} was not run for {}: the service is protected.", run.action.name, run.subject());
                state.say(MessageKind::Error, why);
                continue;
            }
            effects.extend(begin(state, run, now));
        }
    }
    effects
}

/// What waits is given up.
pub fn on_cancelled(state: &mut AppState) {
    state.actions.waiting.clear();
}

/// A run has ended.
pub fn on_ran(state: &mut AppState, ran: Ran, now: Now) -> Vec<Effect> {
    let name = state.actions.all.get(ran.number).map_or_else(String::new, |action| action.name.clone());
    match ran.result {
        Err(why) => state.say(MessageKind::Error, format!("{name}: {why}.")),
        Ok(_) if ran.automatic => {}
        Ok(text) => {
            let mut lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
            match (lines.next(), lines.next()) {
                (None, _) => state.say_done(format!("{name}: done."), now.mono),
                (Some(line), None) if line.len() < 60 => state.say_done(format!("{name}: {}", short(line)), now.mono),
                (Some(_), _) if state.popup.is_none() && state.context() == Context::Pets => {
                    state.message = None;
                    state.popup = Some(Popup::Text(TextBox::new(TextKind::Output, text, "output.txt")));
                }
                // Nothing covers what is typed elsewhere.
                (Some(line), _) => state.say_done(format!("{name}: {} …", short(line)), now.mono),
            }
        }
    }
    go_on(state, now)
}
