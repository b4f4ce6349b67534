//! What each key does where, from the tables of the places: keys are looked up here, and help and bottom line are made.
//! A file of the user's may give a command other keys ([`remap`]).

pub mod names;
pub mod remap;
#[cfg(test)]
mod tests;

use super::command::{Command, Place, Reach};
use super::key::{Hint, Key, KeyPress};
use crate::config::CustomAction;
use crate::model::display_safe;
use names::read_key;

pub use names::key_name;

/// The place whose commands work everywhere outside text; those on function keys and Ctrl keys also in text.
pub const GLOBAL: &str = "global";
/// The one whose commands work in every text field.
pub const TEXT: &str = "text";
/// The one with the user's own actions.
pub const PETS: &str = "pets";
/// The one whose bottom line does not name the help.
pub const HELP: &str = "help";

/// How many of the user's own actions the bottom line names.
const MOST_HINTED: usize = 3;

/// A command with its keys.
#[derive(Clone, Debug)]
pub struct Binding {
    /// None where only the list of all commands has it.
    pub keys: Vec<KeyPress>,
    pub command: Command,
}

/// The keys in use, place by place.
#[derive(Clone, Debug)]
pub struct Keymap(Vec<(&'static Place, Vec<Binding>)>);

/// The keys that a table names.
fn keys_of(command: &Command) -> Vec<KeyPress> {
    command.keys.split_whitespace().filter_map(|key| read_key(key).ok()).collect()
}

impl Keymap {
    /// The keys that the tables of these places name.
    pub(super) fn of_tables(places: &[&'static Place]) -> Self {
        let bound = |command: Command| Binding { keys: keys_of(&command), command };
        let of = |&place: &&'static Place| {
            let commands = place.commands.iter().copied().flatten();
            (place, commands.flat_map(|command| command.each(place)).map(bound).collect())
        };
        Self(places.iter().map(of).collect())
    }

    /// The same with the user's own actions among the pets; the number of one whose key cannot be used, and why.
    pub fn with_actions(mut self, actions: &[CustomAction]) -> Result<Self, (usize, String)> {
        // Behind the first entries of the bottom line, which leaves out the last ones where it is full.
        let first = self.of(PETS).position(|binding| binding.command.name == "all-statuses").unwrap_or(0);
        let pets = self.0.iter().position(|(place, _)| place.name == PETS).unwrap_or(0);
        for (number, action) in actions.iter().enumerate() {
            let wrong = |why: String| (number, why);
            let mut keys = Vec::new();
            if let Some(key) = &action.key {
                let key = read_key(key.get_ref()).map_err(|why| wrong(format!("key: {why}")))?;
                let owner = [PETS, GLOBAL].map(|place| self.find(place, key));
                if let Some(Command { help, .. }) = owner.into_iter().flatten().next() {
                    return Err(wrong(format!("key: {} is taken by \"{help}\"", key_name(key))));
                }
                keys.push(key);
            }
            // As the words of the tables, these are there until the program ends.
            let name: &'static str = display_safe(&action.name).into_owned().leak();
            let hint = if number < MOST_HINTED { name } else { "" };
            let command = Command::own(self.0[pets].0, number, name, hint);
            self.0[pets].1.insert(first + number, Binding { keys, command });
        }
        Ok(self)
    }

    /// Every line, the more special ones of a place first.
    pub fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.0.iter().flat_map(|(_, bindings)| bindings)
    }

    pub fn of(&self, place: &'static str) -> impl Iterator<Item = &Binding> {
        self.0.iter().find(|(at, _)| at.name == place).into_iter().flat_map(|(_, bindings)| bindings)
    }

    /// A command of a place, by its name.
    pub fn named(&self, place: &'static str, name: &str) -> Option<&Command> {
        self.of(place).map(|binding| &binding.command).find(|command| command.name == name)
    }

    fn find(&self, place: &'static str, key: KeyPress) -> Option<&Command> {
        self.of(place).find(|binding| binding.keys.contains(&key)).map(|binding| &binding.command)
    }

    /// What `key` does in `place`; `None` if it is not bound there.
    pub fn lookup(&self, place: &Place, key: KeyPress) -> Option<&Command> {
        let is_letter = key.typed().is_some();
        let leaves_a_box = is_letter || matches!(key.key, Key::F(_) | Key::Esc);
        let global = || {
            let global = self.find(GLOBAL, key).filter(|_| !(is_letter && place.takes_letters))?;
            (global.name == "help" || !(place.is_box && leaves_a_box)).then_some(global)
        };
        // Most places have their own way back.
        let own = |global: &Command| self.named(place.name, "back").filter(|_| global.name == "back");
        self.find(place.name, key)
            .or_else(|| place.is_text.then(|| self.find(TEXT, key)).flatten())
            .or_else(|| global().map(|global| own(global).unwrap_or(global)))
    }

    /// The entries of the bottom line: key and word, in order; help last. `word` is that of a command, if it has one now.
    /// Where `?` is typed, the key of the help is `F1`.
    pub(super) fn hints(&self, place: &Place, word: impl Fn(&Command) -> Option<&'static str>) -> Vec<Hint> {
        let entry = |Binding { keys, command }: &Binding| {
            let (press, word) = (*keys.first()?, word(command)?);
            let unchanged = !command.called.is_empty() && keys_of(command).first() == Some(&press);
            Some(Hint { key: if unchanged { command.called.to_owned() } else { key_name(press) }, word, press })
        };
        let mut entries: Vec<_> = self.of(place.name).filter_map(entry).collect();
        if place.name != HELP {
            let typed = place.takes_letters && self.find(place.name, Key::Char('?').into()).is_none();
            entries.push(Hint { key: if typed { "F1" } else { "?" }.into(), word: "help", press: Key::F(1).into() });
        }
        entries
    }

    /// The lines of the help for `place`: keys and meaning, neighbours with the same meaning on one line.
    pub(super) fn help_lines(&self, place: &'static str, works: impl Fn(&Command) -> bool) -> HelpLines {
        let useful = self.of(place).filter(|binding| works(&binding.command));
        lines(useful.map(|binding| (&binding.command, binding.keys.clone())))
    }

    /// The lines of the help for what works everywhere, as far as the keys mean that in `place`, too, and do it now.
    pub(super) fn global_help(&self, place: &Place, works: impl Fn(&Command) -> bool) -> HelpLines {
        let global = self.of(GLOBAL).filter(|binding| works(&binding.command));
        let acts = |command: &Command, key: &KeyPress| {
            self.lookup(place, *key).is_some_and(|meant| meant.name == command.name && meant.reach != Reach::Here)
        };
        lines(global.map(|Binding { keys, command }| {
            (command, keys.iter().copied().filter(|key| acts(command, key)).collect())
        }))
    }
}

/// Keys and meaning.
pub(super) type HelpLines = Vec<(String, &'static str)>;

fn lines<'a>(bindings: impl Iterator<Item = (&'a Command, Vec<KeyPress>)>) -> HelpLines {
    let mut lines = HelpLines::new();
    for (command, keys) in bindings.filter(|(_, keys)| !keys.is_empty()) {
        let keys = keys.into_iter().map(key_name).collect::<Vec<_>>().join(" ");
        match lines.last_mut() {
            Some((before, help)) if *help == command.help => {
                before.push_str("  ");
                before.push_str(&keys);
            }
            _ => lines.push((keys, command.help)),
        }
    }
    lines
}
