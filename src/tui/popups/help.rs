//! The help: the keys of a place, of the others, and a search over all of them.

use ratatui::text::{Line, Span};
use strum::IntoEnumIterator as _;

use super::scroll;
use super::state::{Contents, HelpBox, Popup, WriteBox};
use crate::model::PetStatus;
use crate::model::text::width;
use crate::tui::keymap::{Context, HelpAction, Keymap};
use crate::tui::state::{AppState, Layout};
use crate::tui::text_input::TextInput;
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::page::Page;

/// One key, or several of the same meaning.
#[derive(PartialEq, Eq)]
struct HelpLine {
    place: &'static str,
    keys: String,
    help: &'static str,
}

/// The places that Tab goes through.
const PLACES: [Context; 8] = [
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
    pub fn new(place: Context) -> Self {
        Self { place, search: TextInput::default(), top: 0, below: None }
    }

    /// The lines that match the search; `None` without a search.
    fn found(&self, keymap: &Keymap, in_practice: bool) -> Option<Vec<HelpLine>> {
        let words: Vec<String> = self.search.value().split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return None;
        }
        let useful = |context: &Context| in_practice || *context != Context::OutsideBox;
        let all = Context::iter().filter(useful).flat_map(|context| {
            let lines = keymap.help_lines(context, in_practice).into_iter();
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
    fn turn(&mut self, by: usize) {
        let next = match PLACES.iter().position(|place| *place == self.place) {
            Some(here) => (here + by) % PLACES.len(),
            None => 0,
        };
        *self = Self { below: self.below.take(), ..Self::new(PLACES[next]) };
    }
}

/// Clears the search in the help; `false` without a search.
pub fn clear_search(state: &mut AppState) -> bool {
    match &mut state.popup {
        Some(Popup::Help(help)) if !help.search.is_empty() => {
            *help = HelpBox { below: help.below.take(), ..HelpBox::new(help.place) };
            true
        }
        _ => false,
    }
}

pub fn on_action(state: &mut AppState, action: HelpAction) {
    let Some(Popup::Help(help)) = &mut state.popup else { return };
    match action {
        HelpAction::Move(movement) => scroll::to(&mut help.top, movement, &state.layout),
        HelpAction::NextTab => help.turn(1),
        HelpAction::PreviousTab => help.turn(PLACES.len() - 1),
        HelpAction::WriteFile => {
            let keys = Contents::Text(state.keymap.file());
            let what = Some("next to config.toml, it is used from the next start".to_owned());
            state.popup = Some(Popup::Write(WriteBox { what, ..WriteBox::new("keymap.toml", keys) }));
        }
        HelpAction::Back => state.popup = help.below.take().map(|below| *below),
    }
}

/// The name of a place on the screen.
pub const fn place_name(context: Context) -> &'static str {
    match context {
        Context::Global => "Everywhere",
        Context::Text => "Text fields",
        Context::Pets => "Pets",
        Context::Search => "Search",
        Context::ById => "Pet by id",
        Context::Changes => "Changes",
        Context::Charts => "Charts",
        Context::Form | Context::FormChoice | Context::FormButton => "Add pet",
        Context::Rapid | Context::RapidChoice | Context::RapidStatus => "Rapid entry",
        Context::ImportFile | Context::ImportLook | Context::ImportValue | Context::ImportRun => "Import",
        Context::Doubt => "Unknown outcome",
        Context::LimitBox => "Number of rows",
        Context::KeyBox => "API key",
        Context::Domains => "Domains",
        Context::Wizard | Context::WizardText | Context::WizardButton => "Add a domain",
        Context::Record => "The DNS record",
        Context::Domain => "One domain",
        Context::Rules | Context::Browser => "Troubleshooting",
        Context::Redirects | Context::RedirectForm => "Redirects",
        Context::Removal | Context::RemovalName => "Removal",
        Context::FormatsBox => "Formats",
        Context::WriteBox => "Write to a file",
        Context::OutsideBox => "Sandbox",
        Context::Confirm => "Protected service",
        Context::Profiles => "Profiles",
        Context::ProfileText | Context::ProfilePath | Context::ProfileChoice | Context::ProfileButton => {
            "A new profile"
        }
        Context::Requests | Context::RequestSearch => "Requests",
        Context::Welcome | Context::WelcomePath => "First start",
        Context::Help => "Help",
        Context::Commands => "All commands",
        Context::Themes => "Themes",
        Context::Views => "Views",
        Context::Reader | Context::TextBox => "Texts",
    }
}

/// Keys of the place at the left, those that work everywhere at the right; or what was searched for.
pub fn draw(help: &HelpBox, state: &AppState, page: &mut Page<'_>, layout: &mut Layout) {
    let (title, prompt) = (format!(" Help: {}", place_name(help.place)), "type to search all keys: ");
    page.at(0, &title, StyleRole::Heading);
    let room = page.columns().saturating_sub(width(&title) + width(prompt) + 6).min(20);
    let cells = |columns: usize| u16::try_from(columns).unwrap_or(0);
    let x = page.area.width.saturating_sub(cells(width(prompt) + room + 3));
    page.at(x, prompt, StyleRole::Text);
    page.input(x + cells(width(prompt)), cells(room), &help.search, true);
    page.gap();
    page.line(format!(" {}", page.appearance.rule(page.columns().saturating_sub(2))));
    page.go_to(page.rest());
    page.area.x += 1;
    page.area.width -= 1;
    let in_practice = state.domains.setup.sandbox.is_some();
    match help.found(&state.keymap, in_practice) {
        Some(found) => draw_found(&found, help, page, layout),
        None => draw_place(help, state, in_practice, page, layout),
    }
}

fn draw_found(found: &[HelpLine], help: &HelpBox, page: &mut Page<'_>, layout: &mut Layout) {
    let appearance = page.appearance;
    let mut lines = vec![heading("WHERE                KEYS           WHAT THEY DO", appearance)];
    lines.extend(found.iter().map(|line| {
        Line::from(vec![
            Span::raw(format!(" {:<19} ", line.place)),
            appearance.span(format!("{:<14} ", line.keys), StyleRole::Key),
            Span::raw(line.help),
        ])
    }));
    if found.is_empty() {
        lines = vec![Line::raw(" No matching key. Esc clears the search; F9 lists all commands.")];
    }
    scroll::draw(help.top, lines, page, layout);
}

fn draw_place(help: &HelpBox, state: &AppState, in_practice: bool, page: &mut Page<'_>, layout: &mut Layout) {
    let (keymap, appearance) = (&state.keymap, page.appearance);
    let mut left = vec![heading("HERE", appearance)];
    left.extend(lines_of(keymap.help_lines(help.place, in_practice), appearance));
    if help.place.is_text() {
        left.push(Line::raw(""));
        left.push(heading("IN THIS FIELD", appearance));
        left.extend(lines_of(keymap.help_lines(Context::Text, in_practice), appearance));
    }
    let mut right = vec![heading("EVERYWHERE", appearance)];
    right.extend(lines_of(keymap.global_help(help.place, |action| state.allows(action)), appearance));
    right.push(Line::raw(""));
    right.extend(["In text fields, letters are typed;", "Tab, Enter, Esc and F keys still act.", ""].map(Line::raw));
    if matches!(help.place, Context::Pets | Context::Search) {
        right.push(Line::raw("Search: whis  cat:3,7  is:sold"));
        right.extend(["  id:1002  by:till  \"exact\"  -not", ""].map(Line::raw));
    }
    right.extend(if keymap.is_about_domains(help.place) { domain_words() } else { marks(appearance) });
    if page.columns() >= 76 {
        let rows = left.len().max(right.len());
        for (area, mut lines) in page.halves().into_iter().zip([left, right]) {
            lines.resize(rows, Line::raw(""));
            page.go_to(area);
            scroll::draw(help.top, lines, page, layout);
        }
    } else {
        left.push(Line::raw(""));
        left.extend(right);
        scroll::draw(help.top, left, page, layout);
    }
}

fn marks(appearance: &Appearance) -> Vec<Line<'static>> {
    let mut lines = vec![Line::raw("Marks:")];
    for (status, word) in PetStatus::ALL.into_iter().zip(["for sale", "promised", "handed over"]) {
        let mark = appearance.status(Some(&status.into()));
        lines.push(Line::from(vec![Span::raw("  "), mark, Span::raw(format!(" {status}  ({word})"))]));
    }
    lines.push(Line::raw(format!("  {} not set   ? another status", appearance.mark(None).0)));
    lines
}

/// DNS terms for beginners.
fn domain_words() -> Vec<Line<'static>> {
    let words = [
        "Words:",
        " CNAME    record: points to a host",
        " source   authoritative name server",
        " resolver caches answers for a time",
        " TTL      how long, in seconds",
        " NXDOMAIN the name does not exist",
        " CAA      who may issue certificates",
    ];
    words.map(Line::raw).to_vec()
}

fn heading(text: &'static str, appearance: &Appearance) -> Line<'static> {
    appearance.span(text, StyleRole::Heading).into()
}

fn lines_of(keys: Vec<(String, &'static str)>, appearance: &Appearance) -> impl Iterator<Item = Line<'static>> {
    let key = |keys| appearance.span(format!(" {keys:<12} "), StyleRole::Key);
    keys.into_iter().map(move |(keys, help)| Line::from(vec![key(keys), Span::raw(help)]))
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
        assert!(app.says("No matching key."));
        app.keys("Esc");
        assert!(app.says("Help: Pets"));
        app.keys("Tab");
        assert!(app.says("Help: Add pet"));
        app.keys("C-o Esc ? F1");
        assert_eq!(app.state.popup, None);
    }

    #[test]
    fn keys_that_the_user_changed_are_shown_as_they_are() {
        let mut app = App::loaded(80, 24);
        let (map, _) = crate::tui::keymap::Keymap::changed_by("[pets]\nrefresh = \"R\"\n", "keymap.toml");
        app.state.keymap = map.into();
        app.keys("? \"refresh\"");
        assert!(matches!(app.state.popup, Some(Popup::Help(_))));
        assert!(app.says("Pets R refresh"), "{}", app.screen());
    }
}
