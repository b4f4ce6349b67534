//! The help: the keys of a place, and those that work everywhere; all commands by their names, with the lines that do
//! the same in a shell; and the last failure in full.

use std::collections::HashSet;

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};
use ratatui::text::{Line, Span};

use super::stack::Popup;
use super::text::{SCROLL, copy, draw_lines};
use super::write::{Contents, NO_FILES, WriteBox};
use crate::api::Failure;
use crate::api::failure::{Explanation, explain};
use crate::clock::Now;
use crate::model::{PetStatus, cut, width};
use crate::tui::command::{Run, TYPED_LIST, closes};
use crate::tui::keymap::{Binding, GLOBAL, HELP, HelpLines, PETS, TEXT, key_name};
use crate::tui::screens::requests;
use crate::tui::{
    App, Appearance, Command, Health, Page, Place, Screen, StyleRole, TextInput, Typing, command, moved, moves, shown,
};

#[derive(Debug)]
pub struct HelpBox {
    /// The place whose keys are shown.
    pub place: &'static Place,
}

pub const SHOW: Command = command("help", "? F1 Ctrl-G", "help", "this help", |app, _| {
    let place = app.place();
    app.popups.cover(HelpBox { place });
})
.always();

static BOX: &[Command] = &[
    SCROLL,
    SHOW_COMMANDS
        .at(": F9", "all commands", "all commands")
        .when(|app| !app.popups.covers() && app.allows(&SHOW_COMMANDS)),
    command("write-file", "w Ctrl-O", "keys to a file", "write all to a file", |app, _| {
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

    fn draw(&self, app: &App, page: &mut Page<'_>) {
        page.at(0, format!(" Help: {}", self.place.title), StyleRole::Heading);
        page.gap();
        page.line(format!(" {}", page.appearance.rule(page.columns().saturating_sub(2))));
        page.go_to(page.rest());
        page.area.x += 1;
        page.area.width -= 1;
        let is_about = |screen| app.screen == screen && !app.popups.covers();
        let is_about_domains = is_about(Screen::Domains);
        let works = |command: &Command| !is_about_domains || (command.works)(app);
        let (keymap, appearance) = (&app.keymap, page.appearance);
        let mut left = section("HERE", keymap.help_lines(self.place.name, works), appearance);
        if self.place.is_text {
            left.push(Line::raw(""));
            left.extend(section("IN THIS FIELD", keymap.help_lines(TEXT, works), appearance));
        }
        let (rows, has_halves) = (usize::from(page.area.height), page.columns() >= 76);
        if left.len() > rows || !has_halves {
            left.push(Line::raw(""));
        }
        let mut right = if has_halves { left.split_off(left.len().min(rows)) } else { Vec::new() };
        if is_about(Screen::Pets) {
            right.extend(["Search: whis  cat:3,7  is:sold", "  id:1002  by:till  \"exact\"  -not", ""].map(Line::raw));
            right.extend(marks(appearance));
        }
        if is_about_domains {
            right.extend(DOMAIN_WORDS.map(Line::raw));
        }
        let global = keymap.global_help(self.place, |command| app.allows(command));
        let mut global = section("EVERYWHERE", global, appearance);
        let (room, all) = (rows.saturating_sub(right.len()).max(2), global.len());
        if has_halves && all > room {
            // The last one leads to the others.
            global.drain(room - 1..all - 1);
        }
        right.extend(global);
        if has_halves {
            let rows = left.len().max(right.len());
            for (area, mut lines) in page.halves().into_iter().zip([left, right]) {
                lines.resize(rows, Line::raw(""));
                page.go_to(area);
                draw_lines(app, lines, page);
            }
        } else {
            left.extend(right);
            draw_lines(app, left, page);
        }
    }
}

/// What is before a row of pets, and before a status.
fn marks(appearance: &Appearance) -> Vec<Line<'static>> {
    let mut lines = ["Before a row: x marked (Space)", "  . on its way  + new  * changed"].map(Line::raw).to_vec();
    for (status, word) in PetStatus::ALL.into_iter().zip(["for sale", "promised", "handed over"]) {
        let mark = appearance.status(Some(&status.into()));
        lines.push(vec!["  ".into(), mark, format!(" {status}  ({word})").into()].into());
    }
    lines.push(format!("  {} not set   ? another status", appearance.mark(None).0).into());
    lines.push("".into());
    lines
}

/// DNS terms for beginners.
const DOMAIN_WORDS: [&str; 8] = [
    "Words:",
    " CNAME    record: points to a host",
    " source   authoritative name server",
    " resolver caches answers for a time",
    " TTL      how long, in seconds",
    " NXDOMAIN the name does not exist",
    " CAA      who may issue certificates",
    "",
];

/// Keys and what they do, below a heading.
fn section(heading: &'static str, keys: HelpLines, appearance: &Appearance) -> Vec<Line<'static>> {
    let key = |keys| appearance.span(format!(" {keys:<12} "), StyleRole::Key);
    let lines = keys.into_iter().map(|(keys, help)| Line::from(vec![key(keys), Span::raw(help)]));
    [appearance.span(heading, StyleRole::Heading).into()].into_iter().chain(lines).collect()
}

pub const SHOW_COMMANDS: Command = command("commands", ": F9", "", "all commands", |app, _| {
    if app.popups.covers() {
        return app.tell(COVERS_BOX);
    }
    app.popups.close();
    let commands = CommandsBox::new(app);
    app.popups.show(commands);
})
.everywhere();

/// Why no other box opens from the help over one, which would be lost with what is typed in it.
const COVERS_BOX: &str = "Close the help and the box below it first.";

/// The list of all commands.
#[derive(Debug)]
pub struct CommandsBox {
    /// What was typed to narrow the list.
    input: TextInput,
    /// Those that match, the best first.
    pub found: Vec<FoundCommand>,
    /// Which of them is chosen, from 0.
    cursor: usize,
    /// The place from which it was opened.
    from: &'static str,
    commands: Vec<FoundCommand>,
}

/// One thing that can be done.
#[derive(Clone, Debug)]
pub struct FoundCommand {
    /// What it does.
    pub title: String,
    /// Its keys, if any.
    keys: String,
    /// The same in a shell, if there is a command.
    pub line: Option<String>,
    pub command: Command,
}

impl AsRef<str> for FoundCommand {
    fn as_ref(&self) -> &str {
        &self.title
    }
}

static COMMANDS: &[Command] = &[
    moves(TYPED_LIST, "choose", "choose", |app, movement, _| {
        if let Some(commands) = app.popups.get_mut::<CommandsBox>() {
            commands.cursor = moved(commands.cursor, movement, commands.found.len(), LIST_PAGE);
        }
    })
    .when(|app| app.popups.get::<CommandsBox>().is_some_and(|commands| commands.found.len() > 1)),
    command("confirm", "Enter F2", "run", "run it", run_chosen).everywhere(),
    command("copy", "Ctrl-Y", "copy command", "copy the command line", |app, now| {
        match app.popups.get().and_then(CommandsBox::chosen).and_then(|found| found.line.clone()) {
            Some(line) => copy(app, line, "the command line", now),
            None => app.tell("This has no command line."),
        }
    }),
    closes("Esc F3 F9", "close", "close"),
];

pub static COMMANDS_PLACE: Place = Place::new("commands", "All commands", &[COMMANDS]).text().in_box();

/// The places whose commands are offered from everywhere, each where its screen was left, and what shows them.
fn screens(app: &App) -> [(&'static str, &'static str); 5] {
    [
        (PETS, "show-pets"),
        (app.add.key_place().name, "show-add"),
        (app.domains.key_place().name, "show-domains"),
        (requests::PLACE.name, "requests"),
        (app.profiles.key_place().name, "profiles"),
    ]
}

/// Does what is chosen, on the screen that it belongs to.
fn run_chosen(app: &mut App, now: Now) {
    let Some(commands) = app.popups.get::<CommandsBox>() else { return };
    let Some(FoundCommand { command, .. }) = commands.chosen().cloned() else { return };
    let way = screens(app).into_iter().find(|(place, _)| *place == command.place.name && *place != commands.from);
    let show = way.and_then(|(_, show)| app.keymap.named(GLOBAL, show).copied());
    app.popups.close();
    if let Some(show) = show {
        show.act(app, now);
    }
    command.act(app, now);
}

impl CommandsBox {
    /// Everything that can be done where `app` is.
    fn new(app: &App) -> Self {
        let from = app.place().name;
        let mut places = vec![from, GLOBAL];
        let named = |name| app.keymap.named(GLOBAL, name);
        let is_offered = |show| named(show).is_some_and(|show| show.why_not(&app.link).is_none());
        places.extend(screens(app).into_iter().filter(|(_, show)| is_offered(show)).map(|(place, _)| place));
        let mut commands: Vec<_> = places.into_iter().flat_map(|place| of_place(app, place, from)).collect();
        let mut known = HashSet::new();
        commands.retain(|found| known.insert((found.command.name, found.title.clone())));
        Self { input: TextInput::default(), found: commands.clone(), cursor: 0, from, commands }
    }

    fn chosen(&self) -> Option<&FoundCommand> {
        self.found.get(self.cursor)
    }
}

/// What can be done in one place, but for moving about in it.
fn of_place(app: &App, place: &'static str, from: &'static str) -> Vec<FoundCommand> {
    let elsewhere = place != from && place != GLOBAL;
    // Not what only makes sense in its place: it moves there, or answers a question there.
    let names = ["next-field", "previous-field", "confirm", "back", "answer-1", "answer-2", "answer-3", "commands"];
    let is_offered = |command: &Command| {
        let is_about_moving = command.moves() || matches!(command.run, Run::Edit(_)) || names.contains(&command.name);
        !is_about_moving && command.why_not(&app.link).is_none()
    };
    let offered = app.keymap.of(place).filter(|binding| is_offered(&binding.command));
    let commands = offered.map(|Binding { keys, command }| {
        let shared = app.keymap.of(place).filter(|other| other.command.help == command.help).count() > 1;
        let what = if shared { command.name.replace('-', " ") } else { command.help.to_owned() };
        let title = if elsewhere { format!("{}: {what}", command.place.title) } else { what };
        let keys: Vec<_> = keys.iter().map(|key| key_name(*key)).collect();
        FoundCommand { title, keys: keys.join(" "), line: command.line(app), command: *command }
    });
    commands.collect()
}

/// Lines of the list that a page is.
const LIST_PAGE: usize = 6;

impl Popup for CommandsBox {
    fn place(&self) -> &'static Place {
        &COMMANDS_PLACE
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        let is_cut = self.input.take(typing);
        self.cursor = 0;
        let pattern = Pattern::parse(self.input.value(), CaseMatching::Ignore, Normalization::Smart);
        // Of two equal matches, the one of this place comes first.
        let found = pattern.match_list(&self.commands, &mut Matcher::new(Config::DEFAULT));
        self.found = found.into_iter().map(|(command, _)| command.clone()).collect();
        is_cut
    }

    fn draw(&self, _: &App, page: &mut Page<'_>) {
        page.popup(76, page.area.height.min(18), "All commands");
        let appearance = page.appearance;
        let rule = appearance.rule(page.columns());
        let room = page.columns().saturating_sub(4);
        page.prompt(" : ", &self.input, room, StyleRole::Text, true);
        page.next_row();
        page.line(rule.as_str());
        let rows = usize::from(page.area.height.saturating_sub(6));
        for (chosen, command) in shown(self.found.iter(), self.cursor, rows) {
            page.right(1, &command.keys, StyleRole::Key);
            page.item(&cut(&command.title, room.saturating_sub(width(&command.keys) + 2)), chosen);
        }
        if self.found.is_empty() {
            page.line("   No matching command. Esc closes the list.");
        }
        page.down_to(4);
        page.line(rule);
        match self.chosen().map(|command| &command.line) {
            Some(Some(line)) => {
                page.quiet(" The same on the command line (Ctrl-Y copies it):");
                page.line(cut(&format!("   {}", appearance.text(line)), page.columns()));
            }
            Some(None) => page.quiet(" Only in the app: no command does this."),
            None => {}
        }
        page.down_to(1);
        page.quiet(format!(" {} of {} commands", self.found.len(), self.commands.len()));
    }
}

#[derive(Debug)]
pub struct ErrorBox;

static ERROR: &[Command] =
    &[SCROLL, requests::SHOW.at("H", "requests", "requests"), closes("Esc Enter q F3", "close", "close")];

pub static ERROR_PLACE: Place = Place::new("reader", "Texts", &[ERROR]).in_box();

pub fn open_error(app: &mut App, _: Now) {
    if app.last_failure.is_none() && app.complaints.is_empty() {
        return app.tell("No errors in this session.");
    }
    app.popups.show(ErrorBox);
}

impl Popup for ErrorBox {
    fn place(&self) -> &'static Place {
        &ERROR_PLACE
    }

    fn draw(&self, app: &App, page: &mut Page<'_>) {
        page.popup(100, page.area.height.saturating_sub(2), "Last error");
        page.inset(1);
        page.margin = 0;
        let wrapped = |text: &str| page.wrap(0, text).into_iter().map(Line::raw);
        let mut lines: Vec<Line<'_>> = Vec::new();
        if let Some(failure) = &app.last_failure {
            lines.extend(failure.details(&app.link.service).iter().flat_map(|line| wrapped(line)));
            let Explanation { means, todo } = explain(failure);
            let here = from_here(failure, app, page.now);
            for (heading, text) in [("What it means", means), ("What to do", todo), ("From here", &here)] {
                lines.extend([Line::raw(""), page.appearance.span(heading, StyleRole::Heading).into()]);
                lines.extend(wrapped(text));
            }
        } else {
            lines.extend(app.complaints.iter().flat_map(|complaint| wrapped(complaint)));
        }
        draw_lines(app, lines, page);
    }
}

/// Which keys help, and when it is retried automatically.
fn from_here(failure: &Failure, app: &App, now: Now) -> String {
    let none = "There is no automatic retry.";
    let again = match &app.link.health {
        Health::Unknown | Health::Ok { .. } => none,
        Health::Away { failure: now, .. } | Health::KeyRefused { failure: now } if now != failure => none,
        Health::Away { next_try: Some(at), .. } => {
            &format!("Next retry in {} s; Esc, then r retries now.", now.seconds_until(*at))
        }
        Health::Away { failure: Failure::NotStarted { .. }, .. } => {
            "A retry would fail the same way: Esc, then q quits."
        }
        Health::Away { .. } => "There is no automatic retry; Esc, then r retries.",
        Health::KeyRefused { .. } => "No requests are sent until you enter another key: Esc, then F4.",
    };
    format!("{again} H shows requests and answers.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::places::PLACES;
    use crate::tui::testing::prelude::*;

    #[test]
    fn the_help_lists_no_key_of_everywhere_that_does_nothing_in_the_place() {
        let listed = |keys: &str| {
            let mut app = TestApp::loaded(80, 60);
            app.keys(keys).keys("F1");
            app.screen()
        };
        let screen = listed("");
        assert!(screen.contains("all commands") && screen.contains("quit"), "{screen}");
        assert!(screen.contains("x marked (Space)") && screen.contains(". on its way  + new  * changed"), "{screen}");
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
    fn the_help_of_every_place_is_one_page_of_80x24() {
        let mut app = TestApp::loaded(80, 24);
        for (screen, place) in
            [Screen::Pets, Screen::Domains].into_iter().flat_map(|at| PLACES.iter().map(move |place| (at, *place)))
        {
            app.state.screen = screen;
            app.state.popups.show(HelpBox { place });
            let text = app.screen();
            assert!(app.state.layout.reader_lines <= app.state.layout.reader_rows, "{place:?}: {text}");
            let works = |command: &Command| screen == Screen::Pets || (command.works)(&app.state);
            let own = app.state.keymap.help_lines(place.name, works);
            let leads_on = app.state.keymap.global_help(place, |_| true).pop();
            for (keys, help) in own.into_iter().chain(leads_on) {
                assert!(text.contains(&format!("{keys:<12} {help}")), "{place:?}: {keys} {help}: {text}");
            }
        }
    }

    #[test]
    fn all_commands_can_be_searched_from_the_help() {
        let mut app = TestApp::loaded(80, 24).after("? : \"reverse\" Enter");
        assert!(app.state.pets.sort.descending, "{}", app.screen());
        app.keys("? q ? F1 ? Esc");
        assert!(!app.state.popups.is_open());
    }

    #[test]
    fn keys_that_the_user_changed_are_shown_as_they_are() {
        let mut app = TestApp::loaded(80, 24);
        let (map, _) = crate::tui::keymap::Keymap::changed_by("[pets]\nrefresh = \"R\"\n", "keymap.toml");
        app.state.keymap = map.into();
        app.keys("?").shows(" R refresh");
    }

    fn found(app: &TestApp) -> Vec<String> {
        let commands = app.state.popups.get::<CommandsBox>().expect("no commands");
        commands.found.iter().map(|command| command.title.clone()).collect()
    }

    #[test]
    fn a_few_letters_find_a_command_of_any_screen_and_enter_does_it_there() {
        let mut app = TestApp::loaded(80, 24).after("3");
        app.reply_kept().keys("1 : \"dom redi\"");
        assert_eq!(found(&app)[0], "Domains: primary and redirects");
        app.keys("Enter");
        assert_eq!(app.state.place().name, "redirects");
    }

    #[test]
    fn what_belongs_here_is_done_here_and_what_is_called_nothing_says_so() {
        let mut app = TestApp::loaded(80, 24).after(": \"nosuchthing\"");
        assert_eq!(found(&app), Vec::<String>::new());
        app.keys("C-u \"reverse\" Enter");
        assert!(app.state.pets.sort.descending);
        app.keys("F9 \"quit\" Enter");
        assert!(app.state.quitting.is_some());
    }

    #[test]
    fn the_same_on_the_command_line_is_shown_and_copied() {
        let mut app = TestApp::loaded(80, 24).after("Right : \"rows to a file\" C-y");
        let line = "petstore --demo pets list --all --status available --format csv".to_owned();
        assert_eq!(app.asked().map(|CopyText { text, .. }| text), Some(line));
        app.shows("The same on the command line");
    }

    #[test]
    fn a_screen_offers_what_can_be_done_where_it_was_left() {
        let mut app = TestApp::loaded(80, 24).after("3");
        app.reply_kept().keys("R 1 : \"drop a draft\"");
        assert_eq!(found(&app), Vec::<String>::new());
        app.keys("C-u \"copy all as json\"");
        assert_eq!(found(&app)[0], "Redirects: copy all as JSON");
    }

    #[test]
    fn each_command_shows_the_line_of_its_own_screen() {
        let app = TestApp::loaded(80, 24);
        let commands = CommandsBox::new(&app.state).commands;
        let line = |title: &str| commands.iter().find(|command| command.title == title).unwrap().line.clone();
        assert_eq!(line("refresh").unwrap(), "petstore --demo pets list --all");
        for (title, command) in [
            ("Domains: check all now", "domains check"),
            ("Domains: primary and redirects", "domains redirects"),
            ("newest first", "pets list --all --sort id:desc"),
            ("live refresh on, off", "pets watch"),
            ("import a file", "pets import FILE"),
            ("profiles", "profiles list"),
            ("Profiles: a new profile", "profiles add NAME --base-url URL"),
        ] {
            assert_eq!(line(title), Some(format!("petstore --demo {command}")), "{title}");
        }
        assert_eq!(line("redraw"), None);
    }

    #[test]
    fn another_key_can_be_entered_though_the_one_in_use_is_accepted() {
        let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(3)).after(": \"another api key\" Enter");
        assert_eq!(app.state.place().name, "key-box", "{}", app.screen());
    }

    #[test]
    fn every_command_from_every_screen_does_something_or_is_where_it_leads_to() {
        let start = |way: &str| {
            let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39)).after("3");
            app.reply_kept().keys("1").keys(way).keys("F9");
            app
        };
        let mut idle = Vec::new();
        for way in ["", "2", "3", "H"] {
            for at in 0..found(&start(way)).len() {
                let mut app = start(way);
                let commands = app.state.popups.get_mut::<CommandsBox>().expect("no commands");
                commands.cursor = at;
                let title = commands.chosen().unwrap().title.clone();
                let popups = std::mem::take(&mut app.state.popups);
                let before = (app.screen(), app.effects.len());
                app.state.popups = popups;
                app.keys("Enter");
                if before == (app.screen(), app.effects.len()) && app.state.quitting.is_none() {
                    idle.push(format!("{way} {title}"));
                }
            }
        }
        // Nothing shows profiles yet, and there are no domains to check.
        idle.retain(|command| !command.ends_with(" profiles"));
        let add = "2 Pets: add a pet";
        let here =
            [" all statuses", " show pets", "2 show add", add, "3 check all now", "3 show domains", "H requests"];
        assert_eq!(idle, here);
    }
}
