//! The help: the keys of a place, and those that work everywhere.

use ratatui::text::{Line, Span};

use super::commands::{self, COVERS_BOX};
use super::stack::Popup;
use super::text::{SCROLL, draw_lines};
use super::write::{Contents, NO_FILES, WriteBox};
use crate::clock::Now;
use crate::model::PetStatus;
use crate::tui::command::{Command, Place, change, closes};
use crate::tui::keymap::{HELP, TEXT};
use crate::tui::state::{AppState, Layout, Screen};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::page::Page;

#[derive(Debug)]
pub struct HelpBox {
    /// The place whose keys are shown.
    pub place: &'static Place,
}

pub const SHOW: Command = change("help", "? F1 Ctrl-G", "help", "this help", |app, _| {
    let place = app.place();
    app.popups.cover(HelpBox { place });
})
.always();

static BOX: &[Command] = &[
    SCROLL,
    commands::SHOW
        .at(": F9", "all commands", "all commands")
        .when(|app| !app.popups.covers() && app.allows(&commands::SHOW)),
    change("write-file", "w Ctrl-O", "keys to a file", "write all to a file", |app, _| {
        if app.popups.covers() {
            return app.tell(COVERS_BOX);
        }
        let keys = Contents::Text(app.keymap.file());
        let what = "next to config.toml, it is used from the next start";
        app.popups.show(WriteBox::new("keymap.toml", keys).holding(what));
    })
    .not_over_ssh(NO_FILES)
    .when(|app| !app.popups.covers()),
    closes("Esc Enter q ? F1 F3 Ctrl-G", "close", "close"),
];

pub static PLACE: Place = Place::new(HELP, "Help", &[BOX]).in_box();

impl Popup for HelpBox {
    fn place(&self) -> &'static Place {
        &PLACE
    }

    fn draw(&self, state: &AppState, _: Now, page: &mut Page<'_>, layout: &mut Layout) {
        page.at(0, format!(" Help: {}", self.place.title), StyleRole::Heading);
        page.gap();
        page.line(format!(" {}", page.appearance.rule(page.columns().saturating_sub(2))));
        page.go_to(page.rest());
        page.area.x += 1;
        page.area.width -= 1;
        let is_about = |screen| state.screen == screen && !state.popups.covers();
        let is_about_domains = is_about(Screen::Domains);
        let works = |command: &Command| !is_about_domains || (command.works)(state);
        let (keymap, appearance) = (&state.keymap, page.appearance);
        let mut left = vec![heading("HERE", appearance)];
        left.extend(lines_of(keymap.help_lines(self.place.name, works), appearance));
        if self.place.is_text {
            left.push(Line::raw(""));
            left.push(heading("IN THIS FIELD", appearance));
            left.extend(lines_of(keymap.help_lines(TEXT, works), appearance));
        }
        let mut right = vec![heading("EVERYWHERE", appearance)];
        right.extend(lines_of(keymap.global_help(self.place, |command| state.allows(command)), appearance));
        right.push(Line::raw(""));
        right
            .extend(["In text fields, letters are typed;", "Tab, Enter, Esc and F keys still act.", ""].map(Line::raw));
        if is_about(Screen::Pets) {
            right.push(Line::raw("Search: whis  cat:3,7  is:sold"));
            right.extend(["  id:1002  by:till  \"exact\"  -not", ""].map(Line::raw));
        }
        right.extend(if is_about_domains { domain_words() } else { marks(appearance) });
        if page.columns() >= 76 {
            let rows = left.len().max(right.len());
            for (area, mut lines) in page.halves().into_iter().zip([left, right]) {
                lines.resize(rows, Line::raw(""));
                page.go_to(area);
                draw_lines(state, lines, page, layout);
            }
        } else {
            left.push(Line::raw(""));
            left.extend(right);
            draw_lines(state, left, page, layout);
        }
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
        assert!(!app.state.popups.is_open());
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
