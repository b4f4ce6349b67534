//! All commands: everything that can be done from here, by its name, with its key and with the line that does the same
//! in a shell.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

use super::clipboard::copy;
use super::stack::Popup;
use crate::clock::Now;
use crate::model::text::{cut, width};
use crate::tui::command::{Command, Place, Run, TYPED_LIST, change, closes, command, moves};
use crate::tui::effect::Effect;
use crate::tui::keymap::{Binding, GLOBAL, PETS, key_name};
use crate::tui::screens::requests;
use crate::tui::state::{AppState, Layout};
use crate::tui::text_input::{TextInput, Typing};
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::{moved, shown};
use crate::tui::widgets::page::Page;

pub const SHOW: Command = change("commands", ": F9", "", "all commands", |app, _| {
    if app.popups.covers() {
        return app.tell(COVERS_BOX);
    }
    app.popups.close();
    let commands = CommandsBox::new(app);
    app.popups.show(commands);
})
.everywhere();

/// Why no other box opens from the help over one, which would be lost with what is typed in it.
pub(super) const COVERS_BOX: &str = "Close the help and the box below it first.";

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

static BOX: &[Command] = &[
    moves(TYPED_LIST, "choose", "choose", |app, movement, _| {
        if let Some(commands) = app.popups.get_mut::<CommandsBox>() {
            commands.cursor = moved(commands.cursor, movement, commands.found.len(), PAGE);
        }
    })
    .when(|app| app.popups.get::<CommandsBox>().is_some_and(|commands| commands.found.len() > 1)),
    command("confirm", "Enter F2", "run", "run it", run_chosen).everywhere(),
    command("copy", "Ctrl-Y", "copy command", "copy the command line", |app, now| {
        match app.popups.get().and_then(CommandsBox::chosen).and_then(|found| found.line.clone()) {
            Some(line) => copy(app, line, "the command line", now),
            None => app.note("This has no command line."),
        }
    }),
    closes("Esc F3 F9", "close", "close"),
];

pub static PLACE: Place = Place::new("commands", "All commands", &[BOX]).text().in_box();

/// The places whose commands are offered from everywhere, each where its screen was left, and what shows them.
fn screens(app: &AppState) -> [(&'static str, &'static str); 5] {
    [
        (PETS, "show-pets"),
        (app.add.key_place().name, "show-add"),
        (app.domains.key_place().name, "show-domains"),
        (requests::PLACE.name, "requests"),
        (app.profiles.key_place().name, "profiles"),
    ]
}

/// Does what is chosen, on the screen that it belongs to.
fn run_chosen(app: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(commands) = app.popups.get::<CommandsBox>() else { return Vec::new() };
    let Some(FoundCommand { command, .. }) = commands.chosen().cloned() else { return Vec::new() };
    let way = screens(app).into_iter().find(|(place, _)| *place == command.place.name && *place != commands.from);
    let show = way.and_then(|(_, show)| app.keymap.named(GLOBAL, show).copied());
    app.popups.close();
    let mut effects = show.map_or_else(Vec::new, |show| show.act(app, now));
    effects.extend(command.act(app, now));
    effects
}

impl CommandsBox {
    /// Everything that can be done where `state` is.
    fn new(state: &AppState) -> Self {
        let from = state.place().name;
        let mut places = vec![from, GLOBAL];
        let named = |name| state.keymap.named(GLOBAL, name);
        let is_offered = |show| named(show).is_some_and(|show| show.why_not(&state.link).is_none());
        places.extend(screens(state).into_iter().filter(|(_, show)| is_offered(show)).map(|(place, _)| place));
        let mut commands: Vec<FoundCommand> = Vec::new();
        for place in places {
            for found in of_place(state, place, from) {
                let is_it =
                    |known: &FoundCommand| known.command.name == found.command.name && known.title == found.title;
                if !commands.iter().any(is_it) {
                    commands.push(found);
                }
            }
        }
        let found = commands.clone();
        Self { input: TextInput::default(), found, cursor: 0, from, commands }
    }

    fn chosen(&self) -> Option<&FoundCommand> {
        self.found.get(self.cursor)
    }
}

/// What can be done in one place, but for moving about in it.
fn of_place(state: &AppState, place: &'static str, from: &'static str) -> Vec<FoundCommand> {
    let elsewhere = place != from && place != GLOBAL;
    let is_offered = |command: &Command| !is_about_moving(command) && command.why_not(&state.link).is_none();
    let offered = state.keymap.of(place).filter(|binding| is_offered(&binding.command));
    let commands = offered.map(|Binding { keys, command }| {
        let shared = state.keymap.of(place).filter(|other| other.command.help == command.help).count() > 1;
        let what = if shared { command.name.replace('-', " ") } else { command.help.to_owned() };
        let title = if elsewhere { format!("{}: {what}", command.place.title) } else { what };
        let keys: Vec<_> = keys.iter().map(|key| key_name(*key)).collect();
        FoundCommand { title, keys: keys.join(" "), line: command.line(state), command: *command }
    });
    commands.collect()
}

/// Whether a command only makes sense in its place: it moves there, or answers a question there.
fn is_about_moving(command: &Command) -> bool {
    let names = ["next-field", "previous-field", "confirm", "back", "answer-1", "answer-2", "answer-3", "commands"];
    command.moves() || matches!(command.run, Run::Edit(_)) || names.contains(&command.name)
}

/// Lines of the list that a page is.
const PAGE: usize = 6;

impl Popup for CommandsBox {
    fn place(&self) -> &'static Place {
        &PLACE
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        let is_cut = self.input.take(typing);
        self.cursor = 0;
        let pattern = Pattern::parse(self.input.value(), CaseMatching::Ignore, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut found: Vec<(u32, &FoundCommand)> = Vec::new();
        let mut buffer = Vec::new();
        for command in &self.commands {
            let text = nucleo_matcher::Utf32Str::new(&command.title, &mut buffer);
            found.extend(pattern.score(text, &mut matcher).map(|score| (score, command)));
        }
        // Stable: of two equal matches, the one of this place comes first.
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.found = found.into_iter().map(|(_, command)| command.clone()).collect();
        is_cut
    }

    fn draw(&self, _: &AppState, _: Now, page: &mut Page<'_>, _: &mut Layout) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::popups::clipboard::CopyText;
    use crate::tui::testing::{App, animals, remote};

    fn found(app: &App) -> Vec<String> {
        let commands = app.state.popups.get::<CommandsBox>().expect("no commands");
        commands.found.iter().map(|command| command.title.clone()).collect()
    }

    #[test]
    fn a_few_letters_find_a_command_of_any_screen_and_enter_does_it_there() {
        let mut app = App::loaded(80, 24);
        app.keys("3");
        app.reply_kept();
        app.keys("1 : \"dom redi\"");
        assert_eq!(found(&app)[0], "Domains: primary and redirects");
        app.keys("Enter");
        assert_eq!(app.state.place().name, "redirects");
    }

    #[test]
    fn what_belongs_here_is_done_here_and_what_is_called_nothing_says_so() {
        let mut app = App::loaded(80, 24);
        app.keys(": \"nosuchthing\"");
        assert_eq!(found(&app), Vec::<String>::new());
        app.keys("C-u \"reverse\" Enter");
        assert!(app.state.pets.sort.descending);
        app.keys("F9 \"quit\" Enter");
        assert!(app.state.quitting.is_some());
    }

    #[test]
    fn the_same_on_the_command_line_is_shown_and_copied() {
        let mut app = App::loaded(80, 24);
        app.keys("Right : \"rows to a file\" C-y");
        let line = "petstore --demo pets list --all --status available --format csv".to_owned();
        assert_eq!(app.asked().map(|CopyText { text, .. }| text), Some(line));
        assert!(app.says("The same on the command line"));
    }

    #[test]
    fn a_screen_offers_what_can_be_done_where_it_was_left() {
        let mut app = App::loaded(80, 24);
        app.keys("3");
        app.reply_kept();
        app.keys("R 1 : \"drop a draft\"");
        assert_eq!(found(&app), Vec::<String>::new());
        app.keys("C-u \"copy all as json\"");
        assert_eq!(found(&app)[0], "Redirects: copy all as JSON");
    }

    #[test]
    fn each_command_shows_the_line_of_its_own_screen() {
        let app = App::loaded(80, 24);
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
        let mut app = App::loaded_from(remote(), 80, 24, &animals(3));
        app.keys(": \"another api key\" Enter");
        assert_eq!(app.state.place().name, "key-box", "{}", app.screen());
    }

    #[test]
    fn every_command_from_every_screen_does_something_or_is_where_it_leads_to() {
        let start = |way: &str| {
            let mut app = App::loaded_from(remote(), 80, 24, &animals(39));
            app.keys("3");
            app.reply_kept();
            app.keys("1").keys(way).keys("F9");
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
