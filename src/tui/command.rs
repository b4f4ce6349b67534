//! What a user can do at a place, each declared once, in the file of its screen or box. Keys, bottom line, help, list of
//! commands and `keymap.toml` are made from these tables.

use strum::IntoEnumIterator as _;

pub use super::key::Movement;
use super::state::Link;
use super::text_input::Edit;
use super::{App, Now};

/// Keys for each [`Movement`]: choices beside a text field.
pub const ARROWS: &str = "up|down";
/// Choices where letters are not typed.
pub const LETTERS: &str = "up k|down j";
/// A list under a text field.
pub const TYPED_LIST: &str = "up|down|PgUp|PgDn";
/// A list without pages.
pub const SHORT_LIST: &str = "up k|down j|||||Home g|End G";
/// The list of a screen.
pub const LIST: &str = "up k|down j|PgUp Ctrl-B|PgDn Ctrl-F|Ctrl-U|Ctrl-D|Home g|End G";
/// A text, or a long list in a box.
pub const READER: &str = "up k|down j|PgUp|PgDn Space|Ctrl-U|Ctrl-D|Home g|End G";

/// Words of a table.
type Text = &'static str;

/// Something that can be done at a place.
#[derive(Clone, Copy, derive_more::Debug)]
#[debug("{}.{name}", place.name)]
pub struct Command {
    /// Its name in a file: `refresh`, `copy-part-value`, `answer-1`.
    pub name: Text,
    /// The most natural one first. Of movements those of each, between bars.
    pub keys: Text,
    /// For the bottom line; empty keeps it out.
    pub hint: Text,
    /// For the help. Neighbours with the same text share a line.
    pub help: Text,
    /// How the bottom line calls its keys, unless they were changed; empty: the first of them.
    pub called: Text,
    pub run: Run,
    /// Where it works.
    pub reach: Reach,
    /// Pressed a second time, it does what it asked about.
    pub confirms: bool,
    /// Its place, once it is in a key map.
    pub place: &'static Place,
    pub works: fn(&App) -> bool,
    word: Option<fn(&App) -> Option<Text>>,
    shell: Option<fn(&App) -> Option<String>>,
    adds: bool,
    over_ssh: Text,
}

/// What a command does.
#[derive(Clone, Copy)]
pub enum Run {
    Do(fn(&mut App, Now)),
    Move(fn(&mut App, Movement, Now), Movement),
    /// Edits the text field that has the cursor.
    Edit(Edit),
    /// Runs one of the user's own actions, by its number.
    Own(usize),
}

/// Where a command works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// At its place.
    Here,
    /// Wherever it is bound, once a service is chosen.
    Everywhere,
    /// Also before that.
    Always,
}

/// A command with the keys, hint and help as they are there.
pub const fn command(name: Text, keys: Text, hint: Text, help: Text, run: fn(&mut App, Now)) -> Command {
    Command {
        name,
        keys,
        hint,
        help,
        called: "",
        run: Run::Do(run),
        reach: Reach::Here,
        confirms: false,
        place: NOWHERE,
        works: |_| true,
        word: None,
        shell: None,
        adds: false,
        over_ssh: "",
    }
}

/// All keys that move: hints for a line and a page.
pub const fn moves(keys: Text, hints: Text, help: Text, go: fn(&mut App, Movement, Now)) -> Command {
    Command { run: Run::Move(go, Movement::Up), ..command("", keys, hints, help, |_, _| {}) }
}

/// What edits the text field that has the cursor.
pub const fn edit(name: Text, keys: Text, help: Text, edit: Edit) -> Command {
    Command { run: Run::Edit(edit), ..command(name, keys, "", help, |_, _| {}) }
}

/// Closes the box that is open.
pub const fn closes(keys: Text, hint: Text, help: Text) -> Command {
    command("back", keys, hint, help, |app, _| app.popups.close())
}

impl Command {
    /// One of the user's own actions.
    pub fn own(place: &'static Place, number: usize, name: Text, hint: Text) -> Self {
        Self { run: Run::Own(number), place, ..command(name, "", hint, name, |_, _| {}) }
    }

    /// The same on other keys.
    pub const fn at(self, keys: Text, hint: Text, help: Text) -> Self {
        Self { keys, hint, help, ..self }
    }

    pub const fn called(self, called: Text) -> Self {
        Self { called, ..self }
    }

    /// It works wherever it is bound, once a service is chosen.
    pub const fn everywhere(self) -> Self {
        Self { reach: Reach::Everywhere, ..self }
    }

    /// The same also before that.
    pub const fn always(self) -> Self {
        Self { reach: Reach::Always, ..self }
    }

    pub const fn confirms(self) -> Self {
        Self { confirms: true, ..self }
    }

    /// It adds pets, or leads to where they are added: not with a read-only profile.
    pub const fn adds(self) -> Self {
        Self { adds: true, ..self }
    }

    /// Why it cannot be done in a session over SSH, which has one service and no files.
    pub const fn not_over_ssh(self, over_ssh: Text) -> Self {
        Self { over_ssh, ..self }
    }

    /// The bottom line, and the help of domains, name it only where it does something.
    pub const fn when(self, works: fn(&App) -> bool) -> Self {
        Self { works, ..self }
    }

    /// The word for the bottom line where it is another one.
    pub const fn word(self, word: fn(&App) -> Option<Text>) -> Self {
        Self { word: Some(word), ..self }
    }

    /// The same on the command line.
    pub const fn shell(self, shell: fn(&App) -> Option<String>) -> Self {
        Self { shell: Some(shell), ..self }
    }

    /// Itself, or each movement that has keys.
    pub fn each(self, place: &'static Place) -> Vec<Self> {
        let Run::Move(go, _) = self.run else { return vec![Self { place, ..self }] };
        let (line, page) = self.hint.split_once('|').unwrap_or((self.hint, ""));
        let bound = Movement::iter().zip(self.keys.split('|')).filter(|(_, keys)| !keys.is_empty());
        let one = |(movement, keys): (Movement, Text)| {
            let hints = [(Movement::Up, line), (Movement::PageDown, page)];
            let hint = hints.into_iter().find(|(hinted, _)| *hinted == movement).map_or("", |(_, hint)| hint);
            let called = match keys {
                _ if movement != Movement::Up => "",
                _ if !self.called.is_empty() => self.called,
                "left" => "<- ->",
                _ => "up/down",
            };
            Self { name: movement.into(), keys, hint, called, place, run: Run::Move(go, movement), ..self }
        };
        bound.map(one).collect()
    }

    pub const fn moves(&self) -> bool {
        matches!(self.run, Run::Move(..))
    }

    /// Why it cannot be done with this service: nothing can be added, or this is a session over SSH.
    pub fn why_not(&self, link: &Link) -> Option<String> {
        let over_ssh = || (link.ssh.is_some() && !self.over_ssh.is_empty()).then(|| self.over_ssh.to_owned());
        self.adds.then(|| link.why_no_changes()).flatten().or_else(over_ssh)
    }

    /// The word that the bottom line has for it now, if any.
    pub fn hint(&self, app: &App) -> Option<Text> {
        if self.hint.is_empty() || self.why_not(&app.link).is_some() || !(self.works)(app) {
            return None;
        }
        Some(self.word.and_then(|word| word(app)).unwrap_or(self.hint))
    }

    /// The line that does the same in a shell, if there is one.
    pub fn line(&self, app: &App) -> Option<String> {
        // The command line does not have practice.
        let line =
            self.shell?(app).filter(|line| app.domains.setup.practice.is_none() || !line.starts_with("domains "));
        Some(format!("petstore{} {}", app.link.flags, line?))
    }
}

impl PartialEq for Command {
    fn eq(&self, other: &Self) -> bool {
        (self.place, self.name) == (other.place, other.name)
    }
}

/// Where keys are pressed: a screen, a part of it, or a box over it. Each is declared once, beside its commands.
#[derive(derive_more::Debug)]
#[debug("{name}")]
pub struct Place {
    /// Its name in a file: `pets`, `limit-box`.
    pub name: Text,
    /// Its name on the screen.
    pub title: Text,
    /// Its own, between those that belong elsewhere.
    pub commands: &'static [&'static [Command]],
    /// Letters are text here.
    pub is_text: bool,
    /// Letters that are not bound here are typed.
    pub takes_letters: bool,
    /// The keys that work everywhere and would leave the place do not work here.
    pub is_box: bool,
    /// Runs a command of the place, with what is done before and after each.
    pub around: fn(&mut App, &Command, Now),
}

impl Place {
    pub const fn new(name: Text, title: Text, commands: &'static [&'static [Command]]) -> Self {
        let around = |app: &mut App, command: &Command, now: Now| command.run(app, now);
        Self { name, title, commands, is_text: false, takes_letters: false, is_box: false, around }
    }

    pub const fn text(self) -> Self {
        Self { is_text: true, takes_letters: true, ..self }
    }

    pub const fn letters(self) -> Self {
        Self { takes_letters: true, ..self }
    }

    pub const fn in_box(self) -> Self {
        Self { is_box: true, ..self }
    }

    pub const fn around(self, around: fn(&mut App, &Command, Now)) -> Self {
        Self { around, ..self }
    }
}

/// The place of a command that is in no key map yet.
const NOWHERE: &Place = &Place::new("", "", &[]);

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
