//! The boxes over the pets screen: what has changed, and the charts whose bars filter.

mod state;

use crate::clock::Now;
use crate::tui::effect::Effect;
use crate::tui::keymap::{ChangesAction, PickAction};
use crate::tui::popups::{Contents, Popup, WriteBox};
use crate::tui::state::{AppState, MessageKind, Screen};
use crate::tui::text_input::TextInput;
use crate::tui::widgets::list::moved;

use super::state::TABS;
use super::update::show_tab;
use crate::app::inventory::changes::Change;

pub use state::{ChangesBox, ChartBar, ChartsBox};

impl ChartsBox {
    /// The bars of what is shown.
    #[must_use]
    pub fn new(state: &AppState) -> Self {
        let categories = state.pets.rows().categories().iter();
        let bars = TABS.into_iter().map(ChartBar::Tab);
        let bars = bars.chain(categories.map(|(category, count)| ChartBar::Category(*category, *count)));
        let cursor = TABS.iter().position(|tab| *tab == state.pets.filter).unwrap_or(0);
        Self { bars: bars.collect(), cursor }
    }
}

/// Opens the list of changes.
pub fn open_changes(state: &mut AppState) {
    if state.pets.changes.log().is_empty() {
        let text = "Among the rows that were read nothing has changed. r asks again, W compares all animals.";
        state.say(MessageKind::Note, text);
        return;
    }
    state.pets.changes.unseen = 0;
    state.popup = Some(Popup::Changes(ChangesBox::default()));
}

/// Lines of a box that a page is.
const PAGE: usize = 10;

/// A key in the list of changes.
pub fn in_changes(state: &mut AppState, action: ChangesAction) {
    let log = state.pets.changes.log();
    let Some(Popup::Changes(changes)) = &mut state.popup else { return };
    match action {
        ChangesAction::Move(movement) => changes.cursor = moved(changes.cursor, movement, log.len(), PAGE),
        ChangesAction::Open => {
            let Some(id) = log.get(changes.cursor).map(|change| change.id) else { return };
            state.popup = None;
            state.screen = Screen::Pets;
            state.pets.by_id = None;
            state.pets.pinned = state.pets.find(id).map(|(pet, _)| pet.clone());
            state.pets.drawer = state.pets.pinned.is_some();
            if !state.pets.drawer {
                state.say(MessageKind::Note, format!("Animal {id} is not among the rows here. # looks for it."));
            }
        }
        ChangesAction::WriteFile => {
            let text: String = log.iter().map(|change| line(change) + "\n").collect();
            state.popup = Some(Popup::Write(WriteBox::new("changes.txt", Contents::Text(text))));
        }
        ChangesAction::Back => state.popup = None,
    }
}

/// A change as one line of a file: its time as RFC 3339.
fn line(change: &Change) -> String {
    format!("{} {} {}", change.at, change.id, change.sentence(&change.name))
}

/// A key in the charts.
pub fn in_charts(state: &mut AppState, action: PickAction, now: Now) -> Vec<Effect> {
    let Some(Popup::Charts(charts)) = &mut state.popup else { return Vec::new() };
    match action {
        PickAction::Move(movement) => charts.cursor = moved(charts.cursor, movement, charts.bars.len(), PAGE),
        PickAction::Confirm => {
            let bar = charts.bars.get(charts.cursor).copied();
            state.popup = None;
            match bar {
                Some(ChartBar::Tab(filter)) => return show_tab(state, filter, now),
                Some(ChartBar::Category(category, _)) => only_category(state, category),
                None => {}
            }
        }
        PickAction::Back => state.popup = None,
    }
    Vec::new()
}

/// Searches for one category, beside whatever else is searched for.
fn only_category(state: &mut AppState, category: i64) {
    let others = state.pets.search.value().split_whitespace().filter(|word| !word.starts_with("cat:"));
    let words: Vec<String> = others.map(str::to_owned).chain([format!("cat:{category}")]).collect();
    state.pets.search = TextInput::new(words.join(" "));
    state.pets.arrange();
    state.pets.move_to(0);
    state.say(MessageKind::Note, format!("Only category {category}. Esc shows all again."));
}
