//! All commands: everything that can be done from here, by its name, with its key and with the line that does the same
//! in a shell.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

use super::clipboard::copy;
use super::help::place_name;
use super::state::{Command, CommandsBox, Popup};
use crate::clock::Now;
use crate::model::text::{cut, width};
use crate::tui::effect::Effect;
use crate::tui::keymap::{Action, Binding, CommandsAction, Context, GlobalAction, key_name};
use crate::tui::shell_equivalent;
use crate::tui::state::{AppState, MessageKind};
use crate::tui::text_input::{TextInput, Typing};
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::{moved, shown};
use crate::tui::widgets::page::Page;

/// The places whose actions are offered from everywhere, each where its screen was left, and what shows them.
fn screens(state: &AppState) -> [(Context, GlobalAction); 5] {
    [
        (Context::Pets, GlobalAction::ShowPets),
        (state.add.context(), GlobalAction::ShowAdd),
        (state.domains.context(), GlobalAction::ShowDomains),
        (Context::Requests, GlobalAction::Requests),
        (state.profiles.context(), GlobalAction::Profiles),
    ]
}

/// What shows the screen of `place`, if it has its own.
pub fn way_to(state: &AppState, place: Context) -> Option<GlobalAction> {
    screens(state).into_iter().find(|(of, _)| *of == place).map(|(_, show)| show)
}

impl CommandsBox {
    /// Everything that can be done where `state` is.
    pub fn new(state: &AppState) -> Self {
        let from = state.context();
        let mut places = vec![from, Context::Global];
        let offered =
            screens(state).into_iter().filter(|(_, show)| state.link.why_not(Action::Global(*show)).is_none());
        places.extend(offered.map(|(place, _)| place));
        let mut commands: Vec<Command> = Vec::new();
        for place in places {
            for command in of_place(state, place, from) {
                if !commands.iter().any(|known| known.action == command.action && known.title == command.title) {
                    commands.push(command);
                }
            }
        }
        let found = commands.clone();
        Self { input: TextInput::default(), found, cursor: 0, from, commands }
    }

    pub fn chosen(&self) -> Option<&Command> {
        self.found.get(self.cursor)
    }

    /// What is typed into the field narrows the list.
    pub(super) fn on_typing(&mut self, typing: Typing<'_>) {
        self.input.take(typing);
        self.cursor = 0;
        let pattern = Pattern::parse(self.input.value(), CaseMatching::Ignore, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut found: Vec<(u32, &Command)> = Vec::new();
        let mut buffer = Vec::new();
        for command in &self.commands {
            let text = nucleo_matcher::Utf32Str::new(&command.title, &mut buffer);
            found.extend(pattern.score(text, &mut matcher).map(|score| (score, command)));
        }
        // Stable: of two equal matches, the one of this place comes first.
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.found = found.into_iter().map(|(_, command)| command.clone()).collect();
    }
}

/// What can be done in one place, but for moving about in it.
fn of_place(state: &AppState, place: Context, from: Context) -> Vec<Command> {
    let bindings = || state.keymap.bindings().iter().filter(move |binding| binding.context == place);
    let elsewhere = place != from && place != Context::Global;
    let offered =
        bindings().filter(|binding| !is_about_moving(binding) && state.link.why_not(binding.action).is_none());
    let commands = offered.map(|binding| {
        let shared = bindings().filter(|other| other.help == binding.help).count() > 1;
        let name = binding.name.replace('-', " ");
        let what = if shared { name } else { binding.help.to_owned() };
        let title = if elsewhere { format!("{}: {what}", place_name(place)) } else { what };
        let keys: Vec<_> = binding.keys.iter().map(|key| key_name(*key)).collect();
        let line = shell_equivalent::of(state, binding.action);
        Command { title, keys: keys.join(" "), line, place, action: binding.action }
    });
    commands.collect()
}

/// Whether an action only makes sense in its place: it moves there, or answers a question there.
fn is_about_moving(binding: &Binding) -> bool {
    let moves = [
        "up",
        "down",
        "page-up",
        "page-down",
        "half-page-up",
        "half-page-down",
        "first",
        "last",
        "next-field",
        "previous-field",
    ];
    let answers = ["confirm", "back", "answer-1", "answer-2", "answer-3", "answer-4"];
    moves.contains(&binding.name)
        || answers.contains(&binding.name)
        || matches!(binding.action, Action::Edit(_) | Action::Global(GlobalAction::Commands))
}

pub fn on_action(state: &mut AppState, action: CommandsAction, now: Now) -> Vec<Effect> {
    let Some(Popup::Commands(commands)) = &mut state.popup else { return Vec::new() };
    match action {
        CommandsAction::Move(movement) => {
            commands.cursor = moved(commands.cursor, movement, commands.found.len(), PAGE);
        }
        CommandsAction::Copy => match commands.chosen().and_then(|command| command.line.clone()) {
            Some(line) => return copy(state, line, "the command line", now),
            None => state.say(MessageKind::Note, "This has no command line."),
        },
        CommandsAction::Back => state.popup = None,
    }
    Vec::new()
}

/// Lines of the list that a page is.
const PAGE: usize = 6;

/// All commands: the field, those that match, and the chosen one in a shell.
pub(super) fn draw(commands: &CommandsBox, page: &mut Page<'_>) {
    page.popup(76, page.area.height.min(18), "All commands");
    let appearance = page.appearance;
    let rule = appearance.rule(page.columns());
    let room = page.columns().saturating_sub(4);
    page.prompt(" : ", &commands.input, room, StyleRole::Text, true);
    page.next_row();
    page.line(rule.as_str());
    let rows = usize::from(page.area.height.saturating_sub(6));
    for (chosen, command) in shown(commands.found.iter(), commands.cursor, rows) {
        page.right(1, &command.keys, StyleRole::Key);
        page.item(&cut(&command.title, room.saturating_sub(width(&command.keys) + 2)), chosen);
    }
    if commands.found.is_empty() {
        page.line("   No matching command. Esc closes the list.");
    }
    page.down_to(4);
    page.line(rule);
    match commands.chosen().map(|command| &command.line) {
        Some(Some(line)) => {
            page.quiet(" The same on the command line (Ctrl-Y copies it):");
            page.line(cut(&format!("   {}", appearance.text(line)), page.columns()));
        }
        Some(None) => page.quiet(" Only in the app: no command does this."),
        None => {}
    }
    page.down_to(1);
    page.quiet(format!(" {} of {} commands", commands.found.len(), commands.commands.len()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::effect::{Effect, Task};
    use crate::tui::pending::Slot;
    use crate::tui::popups::jobs::PopupTask;
    use crate::tui::testing::{App, animals, remote};

    fn found(app: &App) -> Vec<String> {
        match &app.state.popup {
            Some(Popup::Commands(commands)) => commands.found.iter().map(|command| command.title.clone()).collect(),
            other => panic!("no commands: {other:?}"),
        }
    }

    #[test]
    fn a_few_letters_find_a_command_of_any_screen_and_enter_does_it_there() {
        let mut app = App::loaded(80, 24);
        app.keys("3");
        app.reply_kept();
        app.keys("1 : \"dom redi\"");
        assert_eq!(found(&app)[0], "Domains: primary and redirects");
        app.keys("Enter");
        assert_eq!((app.state.context(), app.state.popup), (Context::Redirects, None));
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
        let Some(Effect::Job(job)) = app.effects.last() else { panic!("nothing was copied") };
        let line = "petstore --demo pets list --status available --limit 20 --format csv".to_owned();
        assert_eq!((job.task.slot(), &job.task), (Slot::Copy, &Task::Popups(PopupTask::Copy(line))));
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
        assert_eq!(line("refresh").unwrap(), "petstore --demo pets list --limit 20");
        for (title, command) in [
            ("Domains: check all now", "domains check"),
            ("Domains: primary and redirects", "domains redirects"),
            ("whole inventory", "pets list --all"),
            ("count exactly", "pets count"),
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
        assert!(matches!(app.state.popup, Some(Popup::Key(_))), "{}", app.screen());
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
                let Some(Popup::Commands(commands)) = &mut app.state.popup else { panic!("no commands") };
                commands.cursor = at;
                let title = commands.chosen().unwrap().title.clone();
                let popup = app.state.popup.take();
                let before = (app.screen(), app.effects.len());
                app.state.popup = popup;
                app.keys("Enter");
                if before == (app.screen(), app.effects.len()) && app.state.quitting.is_none() {
                    idle.push(format!("{way} {title}"));
                }
            }
        }
        // Nothing shows profiles yet, and there are no domains to check.
        idle.retain(|command| !command.ends_with(" profiles"));
        let add = "2 Pets: add a pet";
        let here = [" show pets", "2 show add", add, "3 check all now", "3 show domains", "H requests"];
        assert_eq!(idle, here);
    }
}
