//! The help: the keys of a place, and those that work everywhere.

use ratatui::text::{Line, Span};

use super::scroll;
use super::state::{Contents, HelpBox, Popup, WriteBox};
use crate::model::PetStatus;
use crate::tui::keymap::{Context, HelpAction};
use crate::tui::state::{AppState, Layout};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::page::Page;

pub fn on_action(state: &mut AppState, action: HelpAction) {
    let Some(Popup::Help(help)) = &mut state.popup else { return };
    match action {
        HelpAction::Move(movement) => scroll::to(&mut help.top, movement, &state.layout),
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
        Context::Redirects => "Redirects",
        Context::Removal | Context::RemovalName => "Removal",
        Context::FormatsBox => "Formats",
        Context::WriteBox => "Write to a file",
        Context::OutsideBox => "Sandbox",
        Context::Confirm => "Protected service",
        Context::Profiles => "Profiles",
        Context::ProfileText | Context::ProfilePath | Context::ProfileChoice | Context::ProfileButton => {
            "A new profile"
        }
        Context::Requests => "Requests",
        Context::Welcome => "First start",
        Context::Help => "Help",
        Context::Commands => "All commands",
        Context::Themes => "Themes",
        Context::SaveView => "Save as a view",
        Context::Reader | Context::TextBox => "Texts",
    }
}

/// Keys of the place at the left, those that work everywhere at the right.
pub fn draw(help: &HelpBox, state: &AppState, page: &mut Page<'_>, layout: &mut Layout) {
    page.at(0, format!(" Help: {}", place_name(help.place)), StyleRole::Heading);
    page.gap();
    page.line(format!(" {}", page.appearance.rule(page.columns().saturating_sub(2))));
    page.go_to(page.rest());
    page.area.x += 1;
    page.area.width -= 1;
    let in_practice = state.domains.setup.sandbox.is_some();
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
    use crate::tui::testing::App;

    #[test]
    fn the_help_lists_no_key_of_everywhere_that_does_nothing_in_the_place() {
        let listed = |keys: &str| {
            let mut app = App::loaded(80, 60);
            app.keys(keys).keys("F1");
            app.screen()
        };
        let screen = listed("");
        assert!(screen.contains("all commands") && screen.contains("quit"), "{screen}");
        for keys in ["T", "x", "V", "L"] {
            let screen = listed(keys);
            assert!(screen.contains("Ctrl-L") && screen.contains("this help"), "{keys}: {screen}");
            for dead in ["Pets, Add, Domains", "all commands", "explain last error", "enter another API key"] {
                assert!(!screen.contains(dead), "{keys}: {dead} in {screen}");
            }
        }
        assert!(!listed("a").contains("1  2  3"), "letters are typed there");
    }

    #[test]
    fn all_commands_can_be_searched_from_the_help() {
        let mut app = App::loaded(80, 24);
        app.keys("? : \"reverse\" Enter");
        assert!(app.state.pets.sort.descending, "{}", app.screen());
        app.keys("? q ? F1 ? Esc");
        assert_eq!(app.state.popup, None);
    }

    #[test]
    fn keys_that_the_user_changed_are_shown_as_they_are() {
        let mut app = App::loaded(80, 24);
        let (map, _) = crate::tui::keymap::Keymap::changed_by("[pets]\nrefresh = \"R\"\n", "keymap.toml");
        app.state.keymap = map.into();
        app.keys("?");
        assert!(app.says(" R refresh"), "{}", app.screen());
    }
}
