//! The help: the keys of a place, of the others, and a search over all of them.

use strum::IntoEnumIterator as _;

use super::super::keymap::{Context, Keymap};
use super::super::state::AppState;
use super::super::text_input::TextInput;
use super::state::{HelpBox, Popup};

/// One key, or several of the same meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpLine {
    /// Where.
    pub place: &'static str,
    /// The keys.
    pub keys: String,
    /// What they do.
    pub help: &'static str,
}

/// The places that Tab goes through.
pub const PLACES: [Context; 8] = [
    Context::Pets,
    Context::Form,
    Context::Domains,
    Context::Domain,
    Context::Redirects,
    Context::Profiles,
    Context::Requests,
    Context::ById,
];

impl HelpBox {
    /// The help for `place`.
    #[must_use]
    pub fn new(place: Context) -> Self {
        Self { place, search: TextInput::default(), top: 0 }
    }

    /// The lines that have every word that is searched for; `None` where nothing is.
    #[must_use]
    pub fn found(&self, keymap: &Keymap) -> Option<Vec<HelpLine>> {
        let words: Vec<String> = self.search.value().split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return None;
        }
        let all = Context::iter().flat_map(|context| {
            let lines = keymap.help_lines(context).into_iter();
            lines.map(move |(keys, help)| HelpLine { place: place_name(context), keys, help })
        });
        let has = |line: &HelpLine| {
            let text = format!("{} {} {}", line.place, line.keys, line.help).to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let mut found: Vec<HelpLine> = Vec::new();
        for line in all.filter(has) {
            if !found.contains(&line) {
                found.push(line);
            }
        }
        Some(found)
    }

    /// Goes on to another of the places.
    pub(super) fn turn(&mut self, by: usize) {
        let next = match PLACES.iter().position(|place| *place == self.place) {
            Some(here) => (here + by) % PLACES.len(),
            None => 0,
        };
        *self = Self::new(PLACES[next]);
    }
}

/// Clears what is searched for in the help; `false` where nothing is.
pub fn clear_search(state: &mut AppState) -> bool {
    match &mut state.popup {
        Some(Popup::Help(help)) if !help.search.is_empty() => {
            *help = HelpBox::new(help.place);
            true
        }
        _ => false,
    }
}

/// What people call a place.
#[must_use]
pub const fn place_name(context: Context) -> &'static str {
    match context {
        Context::Global => "Everywhere",
        Context::Text => "Text fields",
        Context::Pets => "Pets",
        Context::Search => "Search",
        Context::ById => "Pet by id",
        Context::Changes => "Changes",
        Context::Charts => "Charts",
        Context::Form | Context::FormChoice => "Add pet",
        Context::Rapid | Context::RapidChoice => "Rapid entry",
        Context::ImportFile | Context::ImportLook | Context::ImportValue | Context::ImportRun => "Import",
        Context::Doubt => "May have been added",
        Context::LimitBox => "Number of rows",
        Context::KeyBox => "API key",
        Context::Domains => "Domains",
        Context::Wizard | Context::WizardText => "Add a domain",
        Context::Record => "The DNS record",
        Context::Domain => "One domain",
        Context::Rules | Context::Browser => "Trouble",
        Context::Redirects | Context::RedirectForm => "Redirects",
        Context::Removal | Context::RemovalName => "Removal",
        Context::FormatsBox => "Formats",
        Context::WriteBox => "Write to a file",
        Context::OutsideBox => "Practice",
        Context::Confirm => "First change",
        Context::Profiles => "Profiles",
        Context::ProfileText | Context::ProfileChoice => "A new profile",
        Context::Requests | Context::RequestSearch => "Requests",
        Context::Welcome | Context::WelcomePath => "First start",
        Context::Help => "Help",
        Context::Commands => "All commands",
        Context::Themes => "Themes",
        Context::Reader | Context::TextBox => "Texts",
    }
}

#[cfg(test)]
mod tests {
    use crate::tui::popups::Popup;
    use crate::tui::testing::App;

    #[test]
    fn the_help_finds_keys_of_every_place_by_what_they_do() {
        let mut app = App::loaded(80, 24);
        app.keys("? \"redirects\"");
        assert!(app.says("Domains R primary and redirects"), "{}", app.screen());
        app.keys("C-u \"nothing does this\"");
        assert!(app.says("No key does that."));
        app.keys("Esc");
        assert!(app.says("Help: Pets"));
        app.keys("Tab");
        assert!(app.says("Help: Add pet"));
        app.keys("F7 Esc ? F1");
        assert_eq!(app.state.popup, None);
    }

    #[test]
    fn keys_that_the_user_changed_are_shown_as_they_are() {
        let mut app = App::loaded(80, 24);
        let (map, _) = crate::tui::keymap::Keymap::changed_by("[pets]\nrefresh = \"R\"\n", "keymap.toml");
        app.state.keymap = map.into();
        app.keys("? \"ask again\"");
        assert!(matches!(app.state.popup, Some(Popup::Help(_))));
        assert!(app.says("Pets R refresh: ask again"), "{}", app.screen());
    }
}
