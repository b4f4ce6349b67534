//! What each key does where, from the tables of the places: keys are looked up here, and help and bottom line are made.
//! A file of the user's may give a command other keys:
//! a line of it that cannot be used is reported, and its command keeps its default keys.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::command::{Reach, Run};
use super::key::{Hint, KeyPress, Movement};
use super::{Command, Key, Place};
use crate::config::{ConfigError, CustomAction};
use crate::model::display_safe;

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
    pub fn of_tables(places: &[&'static Place]) -> Self {
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
            let command = Command::own(self.0[pets].0, number, name, if number < MOST_HINTED { name } else { "" });
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
    pub fn hints(&self, place: &Place, word: impl Fn(&Command) -> Option<&'static str>) -> Vec<Hint> {
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
    pub fn help_lines(&self, place: &'static str, works: impl Fn(&Command) -> bool) -> HelpLines {
        let useful = self.of(place).filter(|binding| works(&binding.command));
        lines(useful.map(|binding| (&binding.command, binding.keys.clone())))
    }

    /// The lines of the help for what works everywhere, as far as the keys mean that in `place`, too, and do it now.
    pub fn global_help(&self, place: &Place, works: impl Fn(&Command) -> bool) -> HelpLines {
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
pub type HelpLines = Vec<(String, &'static str)>;

fn lines<'a>(bindings: impl Iterator<Item = (&'a Command, Vec<KeyPress>)>) -> HelpLines {
    let mut lines = HelpLines::new();
    for (command, mut keys) in bindings {
        // Moving is one line: half pages, and further keys, are for those who know them.
        if let Run::Move(_, movement) = command.run {
            keys.truncate(usize::from(!matches!(movement, Movement::HalfPageUp | Movement::HalfPageDown)));
        }
        if keys.is_empty() {
            continue;
        }
        let keys = keys.into_iter().map(key_name).collect::<Vec<_>>().join(" ");
        match lines.last_mut() {
            Some((before, help)) if *help == command.help => {
                *before += if command.moves() { " " } else { "  " };
                *before += &keys;
            }
            _ => lines.push((keys, command.help)),
        }
    }
    lines
}

/// The keys that have a name.
const NAMED: [(&str, Key); 17] = [
    ("Space", Key::Char(' ')),
    ("Enter", Key::Enter),
    ("Esc", Key::Esc),
    ("Tab", Key::Tab),
    ("S-Tab", Key::BackTab),
    ("Backspace", Key::Backspace),
    ("Del", Key::Delete),
    ("up", Key::Up),
    ("down", Key::Down),
    ("<-", Key::Left),
    ("->", Key::Right),
    ("PgUp", Key::PageUp),
    ("PgDn", Key::PageDown),
    ("Home", Key::Home),
    ("End", Key::End),
    // In a file.
    ("left", Key::Left),
    ("right", Key::Right),
];

/// A key as the screen writes it: `F2`, `Ctrl-C`, `up`, `a`.
pub fn key_name(key: KeyPress) -> String {
    if key.alt {
        let name = key_name(KeyPress { alt: false, ..key });
        return format!("Alt-{}", if name.len() == 1 { name.to_ascii_uppercase() } else { name });
    }
    match (key.key, key.ctrl, NAMED.iter().find(|(_, named)| *named == key.key)) {
        (Key::Left, true, _) => "Ctrl-Left".into(),
        (Key::Right, true, _) => "Ctrl-Right".into(),
        (.., Some((name, _))) => (*name).into(),
        (Key::Char(c), true, _) => format!("Ctrl-{}", c.to_ascii_uppercase()),
        (Key::Char(c), false, _) => c.into(),
        (Key::F(number), ..) => format!("F{number}"),
        _ => "Enter".into(),
    }
}

/// The key that `text` names, in the words of [`key_name`], or `left` and `right`; why not, where it cannot be bound.
fn read_key(text: &str) -> Result<KeyPress, &'static str> {
    if let Some((_, key)) = NAMED.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Ok((*key).into());
    }
    if let Some(c) = text.parse::<char>().ok().filter(|c| !c.is_control()) {
        return Ok(Key::Char(c).into());
    }
    if let Some(number) = text.strip_prefix('F').and_then(|number| number.parse().ok()) {
        return match number {
            1..=9 => Ok(Key::F(number).into()),
            _ => Err("F10 to F12 are reserved by terminals; use F1 to F9"),
        };
    }
    if let Some(key) = text.strip_prefix("Alt-") {
        let key = match (key, key.as_bytes()) {
            ("Backspace", _) => Key::Backspace,
            (_, [letter]) if letter.is_ascii_alphabetic() => Key::Char(letter.to_ascii_lowercase().into()),
            _ => return Err("Alt works only with a letter or Backspace"),
        };
        return Ok(KeyPress { alt: true, ..key.into() });
    }
    let key = match text.strip_prefix("Ctrl-").map(|key| (key, key.parse::<char>())) {
        Some(("Left", _)) => Key::Left,
        Some(("Right", _)) => Key::Right,
        Some((_, Ok(letter))) => match letter.to_ascii_lowercase() {
            'h' | 'i' | 'j' | 'm' => return Err("terminals send Backspace, Tab or Enter instead"),
            's' | 'q' | 'v' | 'p' | 't' | 'n' => return Err("terminals and multiplexers reserve it"),
            letter @ 'a'..='z' => Key::Char(letter),
            _ => return Err("Ctrl works only with a letter"),
        },
        _ => return Err(KEYS),
    };
    Ok(KeyPress { ctrl: true, ..key.into() })
}

const KEYS: &str = "keys are written a, G, ?, F2, Ctrl-L, Ctrl-Left, Alt-B, Enter, Esc, Tab, S-Tab, Space, Del, up, down, left, right, PgUp, PgDn, Home, End";

/// Keys that cannot be changed: help, and the ways out.
const KEPT: [(KeyPress, &str); 3] = [
    (KeyPress { key: Key::F(1), ctrl: false, alt: false }, "help"),
    (KeyPress { key: Key::Char('c'), ctrl: true, alt: false }, "interrupt"),
    (KeyPress { key: Key::Char('z'), ctrl: true, alt: false }, "suspend"),
];

/// Names that older files use, and the current ones.
const OLD_NAMES: [(&str, &str); 5] = [
    ("formats", "zone-file"),
    ("import-look", "import-preview"),
    ("outside-box", "sandbox-box"),
    ("sort-turn", "sort-reverse"),
    ("views", "save-view"),
];

fn current_name(name: &str) -> &str {
    OLD_NAMES.iter().find(|(old, _)| *old == name).map_or(name, |(_, current)| current)
}

/// One change that the file asks for.
struct Change {
    line: usize,
    /// The number of its place.
    place: usize,
    /// Its number there.
    at: usize,
}

impl Keymap {
    /// The default keys changed by `text`, from the file `name`; and what is wrong with it, a sentence each.
    pub fn changed_by(text: &str, name: &str) -> (Self, Vec<String>) {
        let mut map = Self::default();
        let line = |at: usize| ConfigError::place(text, at).0;
        let tables = match DeTable::parse(text) {
            Ok(tables) => tables,
            Err(error) => {
                let line = line(error.span().map_or(0, |span| span.start));
                return (map, vec![format!("{name}:{line}: {}. The default keys are used.", error.message())]);
            }
        };
        let (mut changes, mut complaints) = (Vec::new(), Vec::new());
        for (place, table) in tables.get_ref() {
            let number = map.0.iter().position(|(known, _)| known.name == current_name(place.get_ref()));
            let (Some(number), DeValue::Table(lines)) = (number, table.get_ref()) else {
                let known = map.0.iter().map(|(known, _)| known.name).collect::<Vec<_>>().join(", ");
                let (line, place) = (line(place.span().start), place.get_ref());
                complaints.push(format!("{name}:{line}: unknown place \"{place}\". Places: {known}."));
                continue;
            };
            for (action, keys) in lines {
                let line = line(action.span().start);
                match map.change(number, action.get_ref(), keys) {
                    Ok((at, keys)) => {
                        changes.push(Change { line, place: number, at });
                        map.0[number].1[at].keys = keys;
                    }
                    Err(why) => complaints.push(format!("{name}:{line}: {why}.")),
                }
            }
        }
        complaints.extend(changes.iter().filter_map(|change| map.hidden(change, name)));
        complaints.extend(map.settle(changes, name));
        (map, complaints)
    }

    /// The global key that a change hides, if any. The change applies all the same.
    fn hidden(&self, Change { line, place, at }: &Change, name: &str) -> Option<String> {
        let (place, Binding { keys, command }) = (self.0[*place].0.name, &self.0[*place].1[*at]);
        let before = keys_of(command);
        let mut new = keys.iter().filter(|key| place != GLOBAL && !before.contains(key));
        let (key, global) = new.find_map(|key| Some((key, self.find(GLOBAL, *key)?)))?;
        let (mine, key, hidden) = (command.name, key_name(*key), global.name);
        Some(format!("{name}:{line}: in {place} the key {key} is now {mine} instead of {hidden}."))
    }

    /// Takes back changes until no key has two owners in one place.
    fn settle(&mut self, mut changes: Vec<Change>, name: &str) -> Vec<String> {
        let mut complaints = Vec::new();
        while let Some((number, (key, other))) =
            changes.iter().enumerate().find_map(|(number, change)| Some((number, self.clash(change)?)))
        {
            let Change { line, place, at } = changes.remove(number);
            let (Place { name: place, .. }, lines) = &mut self.0[place];
            let (mine, theirs, key) = (lines[at].command.name, lines[other].command.name, key_name(key));
            complaints.push(format!(
                "{name}:{line}: in {place} {key} is bound to both {mine} and {theirs}. {mine} keeps its default keys."
            ));
            lines[at].keys = keys_of(&lines[at].command);
        }
        complaints
    }

    /// A key of a change that another line of its place has, too, and which.
    fn clash(&self, Change { place, at, .. }: &Change) -> Option<(KeyPress, usize)> {
        let lines = &self.0[*place].1;
        let shared = |line: &Binding| line.keys.iter().copied().find(|key| lines[*at].keys.contains(key));
        let mut others = lines.iter().enumerate().filter(|(other, _)| other != at);
        others.find_map(|(other, line)| Some((shared(line)?, other)))
    }

    /// The whole map as a file.
    pub fn file(&self) -> String {
        let mut out = String::from(
            "# petstore: keys by place. Copy what you change to keymap.toml next to config.toml.\n\
             # Several keys for an action: [\"r\", \"F5\"]; none: \"none\".\n",
        );
        for (place, lines) in &self.0 {
            // Writing to a String cannot fail.
            let _ = write!(out, "\n[{}]\n", place.name);
            for line in lines {
                let keys: Vec<_> = line.keys.iter().map(|key| format!("{:?}", key_name(*key))).collect();
                let keys = if keys.is_empty() { "\"none\"".to_owned() } else { format!("[{}]", keys.join(", ")) };
                let _ = writeln!(out, "{:<24} # {}", format!("{} = {keys}", line.command.name), line.command.help);
            }
        }
        out
    }

    /// The line of a place that a line of the file changes, and its keys from then on.
    fn change(
        &self,
        number: usize,
        action: &str,
        keys: &Spanned<DeValue<'_>>,
    ) -> Result<(usize, Vec<KeyPress>), String> {
        let (place, lines) = &self.0[number];
        let (place, is_text) = (place.name, place.is_text);
        let Some(at) = lines.iter().position(|line| line.command.name == current_name(action)) else {
            let known = lines.iter().map(|line| line.command.name).collect::<Vec<_>>().join(", ");
            return Err(format!("{place} has no action \"{action}\". It has: {known}"));
        };
        let no_keys = || format!("{place}.{action} takes a key or a list of keys, for example [\"r\", \"F5\"]");
        let texts: Option<Vec<&str>> = match (keys.get_ref().as_str(), keys.get_ref().as_array()) {
            (Some("none"), _) => Some(Vec::new()),
            (Some(text), _) => Some(vec![text]),
            (None, texts) => texts.and_then(|texts| texts.iter().map(|text| text.get_ref().as_str()).collect()),
        };
        let read = |text: &str| read_key(text).map_err(|why| format!("{place}.{action} = \"{text}\": {why}"));
        let keys = texts.ok_or_else(no_keys)?.into_iter().map(read).collect::<Result<Vec<_>, String>>()?;
        let line = &lines[at];
        let is_typed = |key: &&KeyPress| is_text && key.typed().is_some() && !line.keys.contains(key);
        if let Some(letter) = keys.iter().find(is_typed) {
            return Err(format!("{place}.{action} = \"{}\": letters are typed there", key_name(*letter)));
        }
        for (key, owner) in KEPT {
            let [before, now] = [&line.keys, &keys].map(|keys| keys.contains(&key));
            // Its owner loses it, or another command gets it.
            if before != now && before == (line.command.name == owner) {
                return Err(format!("{place}.{action}: {} is always {owner}", key_name(key)));
            }
        }
        let esc = KeyPress::from(Key::Esc);
        if line.command.name == "back" && line.keys.contains(&esc) && !keys.contains(&esc) {
            return Err(format!("{place}.{action}: Esc always goes back"));
        }
        Ok((at, keys))
    }
}
