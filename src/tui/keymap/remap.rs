//! Other keys for the same actions, from the user's file: places as tables, actions with their keys.
//!
//! A line that cannot be used is reported, and its action keeps its default keys: the program still starts.

use std::fmt::Write as _;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::key::{Key, KeyPress};
use super::names::{key_name, read_key};
use super::{Binding, GLOBAL, Keymap, keys_of};

/// Keys that cannot be changed: help, and the ways out.
const KEPT: [(KeyPress, &str); 3] = [
    (KeyPress { key: Key::F(1), ctrl: false, alt: false }, "help"),
    (KeyPress { key: Key::Char('c'), ctrl: true, alt: false }, "interrupt"),
    (KeyPress { key: Key::Char('z'), ctrl: true, alt: false }, "suspend"),
];

/// Names that older files use, and the current ones.
const OLD_NAMES: [(&str, &str); 4] = [
    ("import-look", "import-preview"),
    ("outside-box", "sandbox-box"),
    ("sort-turn", "sort-reverse"),
    ("views", "save-view"),
];

/// Places and actions that older files name and that were removed, each with what there is instead. A name without a place
/// stands for all that end with it.
const GONE: [(&str, &str); 30] = [
    ("write-box.toggle", "up and down choose which pets are written"),
    ("more-rows", "all rows load automatically"),
    ("fewer-rows", "all rows load automatically"),
    ("whole", "all pets load automatically"),
    ("pets.count", "all pets load automatically, and are counted"),
    ("changes", "a mark shows in the list what is new"),
    ("charts", "the bars are beside the list, from 110 columns on"),
    ("wizard", "nothing is ticked there any more, and wizard-text has the keys of the form"),
    ("domain.toggle", "nothing is ticked there any more"),
    ("rules.toggle", "nothing is ticked there any more"),
    ("welcome-path", "the first start asks for no file"),
    ("next-match", "up and down move between the rows that match"),
    ("previous-match", "up and down move between the rows that match"),
    ("by-id.clear", "Ctrl-U empties the field"),
    ("by-id.copy", "Enter selects the pet, and y copies its id"),
    ("by-id.copy-json", "Enter selects the pet, and Y copies it as JSON"),
    ("form-button", "Enter in the name and F2 add the pet"),
    ("form.queue", "every pet is queued"),
    ("rapid", "form and rapid entry are one: form"),
    ("rapid-status", "form and rapid entry are one: form-choice"),
    ("unknown-outcome", "a pet without an answer is a line: rapid-choice"),
    ("doubt", "a pet without an answer is a line: rapid-choice"),
    ("use-code", "what a scanner types is the name"),
    ("import-run.delete", "Esc stops an import after a question, and F2 continues it"),
    ("help.next-tab", "the list of all commands has the keys of every place"),
    ("help.previous-tab", "the list of all commands has the keys of every place"),
    ("request-search", "the requests are a plain list"),
    ("requests.search", "the requests are a plain list"),
    ("requests.only-failed", "in the list of requests a ! marks those that failed"),
    ("requests.write-file", "one request can be written to a file; -v shows those of a command"),
];

/// Why a name that older files have means nothing now.
fn gone(name: &str) -> Option<String> {
    let action = name.split_once('.').map_or(name, |(_, action)| action);
    let (_, instead) = GONE.iter().find(|(gone, _)| [name, action].contains(gone))?;
    Some(format!("{name} was removed: {instead}"))
}

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
    keys: Vec<KeyPress>,
}

impl Keymap {
    /// The default keys changed by `text`, from the file `name`; and what is wrong with it, a sentence each.
    pub fn changed_by(text: &str, name: &str) -> (Self, Vec<String>) {
        let mut map = Self::default();
        let mut complaints = Vec::new();
        let tables = match DeTable::parse(text) {
            Ok(tables) => tables,
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                complaints.push(format!(
                    "{name}:{}: {}. The default keys are used.",
                    line_of(text, at),
                    error.message()
                ));
                return (map, complaints);
            }
        };
        let mut changes = Vec::new();
        for (place, table) in tables.get_ref() {
            let line = line_of(text, place.span().start);
            let number = map.0.iter().position(|(known, _)| known.name == current_name(place.get_ref()));
            let (Some(number), DeValue::Table(lines)) = (number, table.get_ref()) else {
                if let Some(why) = gone(place.get_ref()) {
                    complaints.push(format!("{name}:{line}: {why}."));
                    continue;
                }
                let known = map.0.iter().map(|(known, _)| known.name).collect::<Vec<_>>().join(", ");
                complaints.push(format!("{name}:{line}: unknown place \"{}\". Places: {known}.", place.get_ref()));
                continue;
            };
            for (action, keys) in lines {
                let line = line_of(text, action.span().start);
                match read_change(&map, number, action.get_ref(), keys) {
                    Ok((at, keys)) => changes.push(Change { line, place: number, at, keys }),
                    Err(why) => complaints.push(format!("{name}:{line}: {why}.")),
                }
            }
        }
        for change in &changes {
            map.0[change.place].1[change.at].keys.clone_from(&change.keys);
        }
        complaints.extend(changes.iter().filter_map(|change| map.hidden(change, name)));
        complaints.extend(map.settle(changes, name));
        (map, complaints)
    }

    /// The global key that a change hides, if any. The change applies all the same.
    fn hidden(&self, change: &Change, name: &str) -> Option<String> {
        let Change { line, place, at, .. } = change;
        let (place, command) = (self.0[*place].0.name, &self.0[*place].1[*at].command);
        let before = keys_of(command);
        let is_new = |key: &&KeyPress| !before.contains(key);
        let mut hidden = change.keys.iter().filter(is_new).filter_map(|key| Some((key, self.find(GLOBAL, *key)?)));
        let (key, global) = hidden.next().filter(|_| place != GLOBAL)?;
        let (mine, key, hidden) = (command.name, key_name(*key), global.name);
        Some(format!("{name}:{line}: in {place} the key {key} is now {mine} instead of {hidden}."))
    }

    /// Takes back changes until no key has two owners in one place.
    fn settle(&mut self, mut changes: Vec<Change>, name: &str) -> Vec<String> {
        let mut complaints = Vec::new();
        while let Some((place, key, at, other)) = changes.iter().find_map(|change| self.clash(change)) {
            let is_it = |change: &Change| change.place == place && (change.at == at || change.at == other);
            let Some(number) = changes.iter().position(is_it) else { break };
            let change = changes.remove(number);
            let others = if change.at == at { other } else { at };
            let (owner, line) = &mut self.0[place];
            let (mine, theirs) = (line[change.at].command.name, line[others].command.name);
            let (at, place, key) = (change.line, owner.name, key_name(key));
            complaints.push(format!(
                "{name}:{at}: in {place} {key} is bound to both {mine} and {theirs}. {mine} keeps its default keys."
            ));
            line[change.at].keys = keys_of(&line[change.at].command);
        }
        complaints
    }

    /// A key of a change that another line of its place has, too.
    fn clash(&self, Change { place, at, .. }: &Change) -> Option<(usize, KeyPress, usize, usize)> {
        let lines = &self.0[*place].1;
        let shared = |line: &Binding| line.keys.iter().copied().find(|key| lines[*at].keys.contains(key));
        let mut others = lines.iter().enumerate().filter(|(other, _)| other != at);
        others.find_map(|(other, line)| Some((*place, shared(line)?, *at, other)))
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
}

fn read_change(
    map: &Keymap,
    number: usize,
    action: &str,
    keys: &Spanned<DeValue<'_>>,
) -> Result<(usize, Vec<KeyPress>), String> {
    let (place, lines) = &map.0[number];
    let (place, is_text) = (place.name, place.is_text);
    let at = lines.iter().position(|line| line.command.name == current_name(action));
    let Some(at) = at else {
        let known = lines.iter().map(|line| line.command.name).collect::<Vec<_>>().join(", ");
        let unknown = || format!("{place} has no action \"{action}\". It has: {known}");
        return Err(gone(&format!("{place}.{action}")).unwrap_or_else(unknown));
    };
    let no_keys = || format!("{place}.{action} takes a key or a list of keys, for example [\"r\", \"F5\"]");
    let texts: Vec<&str> = match keys.get_ref() {
        DeValue::String(text) if text == "none" => Vec::new(),
        DeValue::String(text) => vec![text],
        DeValue::Array(texts) => {
            texts.iter().map(|text| text.get_ref().as_str()).collect::<Option<_>>().ok_or_else(no_keys)?
        }
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Table(_) => {
            return Err(no_keys());
        }
    };
    let keys: Result<Vec<_>, String> = texts
        .iter()
        .map(|text| read_key(text).map_err(|why| format!("{place}.{action} = \"{text}\": {why}")))
        .collect();
    let keys = keys?;
    let line = &lines[at];
    let is_letter = |key: &&KeyPress| key.typed().is_some() && !line.keys.contains(key);
    if let Some(letter) = keys.iter().find(is_letter)
        && is_text
    {
        return Err(format!("{place}.{action} = \"{}\": letters are typed there", key_name(*letter)));
    }
    for (key, owner) in KEPT {
        let is_owner = line.command.name == owner;
        let lost = is_owner && line.keys.contains(&key) && !keys.contains(&key);
        if lost || (!is_owner && keys.contains(&key) && !line.keys.contains(&key)) {
            return Err(format!("{place}.{action}: {} is always {owner}", key_name(key)));
        }
    }
    let closes = line.command.name == "back" && line.keys.contains(&Key::Esc.into());
    if closes && !keys.contains(&Key::Esc.into()) {
        return Err(format!("{place}.{action}: Esc always goes back"));
    }
    Ok((at, keys))
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at.min(text.len())].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::super::tests::place;
    use super::*;
    use crate::tui::places::DEFAULT;

    /// The name of what a key does.
    fn name(map: &Keymap, at: &str, key: char) -> Option<&'static str> {
        map.lookup(place(at), Key::Char(key).into()).map(|command| command.name)
    }

    fn changed(text: &str) -> (Keymap, Vec<String>) {
        Keymap::changed_by(text, "keymap.toml")
    }

    #[test]
    fn an_action_gets_other_keys_and_the_help_and_the_bottom_line_say_so() {
        let (map, complaints) =
            changed("[pets]\nrefresh = [\"R\", \"F5\"]\nlive = \"none\"\n[global]\nhelp = [\"F1\"]\n");
        assert_eq!(complaints, Vec::<String>::new());
        assert_eq!(name(&map, "pets", 'R'), Some("refresh"));
        assert_eq!(name(&map, "pets", 'r'), None);
        assert_eq!(name(&map, "pets", 'A'), None);
        assert!(
            map.hints(place("pets"), |command| Some(command.hint))
                .iter()
                .any(|hint| (hint.key.as_str(), hint.word) == ("R", "refresh"))
        );
        assert!(map.help_lines("pets", |_| true).contains(&("R F5".into(), "refresh")));
    }

    #[test]
    fn a_key_with_two_owners_is_named_with_both_and_the_default_stays() {
        let (map, complaints) = changed("[pets]\nrefresh = [\"x\"]\n");
        let complaint = "keymap.toml:2: in pets x is bound to both refresh and export. refresh keeps its default keys.";
        assert_eq!(complaints, [complaint]);
        assert_eq!(name(&map, "pets", 'r'), Some("refresh"));
        let (map, complaints) = changed("[pets]\nrefresh = \"x\"\nexport = \"r\"\n");
        assert_eq!(complaints, Vec::<String>::new());
        assert_eq!(name(&map, "pets", 'x'), Some("refresh"));
    }

    #[test]
    fn a_line_that_cannot_be_used_is_named_with_its_remedy_and_the_others_count() {
        for (text, complaint) in [
            ("[pet]\n", "keymap.toml:1: unknown place \"pet\". Places: global, text, pets"),
            ("[pets]\n\nrefreshh = \"r\"\n", "keymap.toml:3: pets has no action \"refreshh\". It has: open, search"),
            ("[pets]\ncharts = \"d\"\n", "keymap.toml:2: pets.charts was removed: the bars are beside the list"),
            ("[rapid-choice]\nuse-code = \"F4\"\n", "keymap.toml:2: rapid-choice.use-code was removed: what a scanner"),
            ("[rapid]\nconfirm = \"F4\"\n", "keymap.toml:1: rapid was removed: form and rapid entry are one: form"),
            ("[changes]\nback = \"F3\"\n", "keymap.toml:1: changes was removed: a mark shows in the list"),
            ("[request-search]\nback = \"F3\"\n", "keymap.toml:1: request-search was removed: the requests are"),
            ("[pets]\nrefresh = \"Ctrl-H\"\n", "keymap.toml:2: pets.refresh = \"Ctrl-H\": terminals send Backspace"),
            ("[pets]\nrefresh = \"Hyper-r\"\n", "keymap.toml:2: pets.refresh = \"Hyper-r\": keys are written a, G"),
            (
                "[pets]\nrefresh = \"Alt-F2\"\n",
                "keymap.toml:2: pets.refresh = \"Alt-F2\": Alt works only with a letter",
            ),
            ("[pets]\nrefresh = 3\n", "keymap.toml:2: pets.refresh takes a key or a list of keys"),
            ("[pets]\nrefresh = [5]\n", "keymap.toml:2: pets.refresh takes a key or a list of keys"),
            ("[form]\nsave = \"s\"\n", "keymap.toml:2: form.save = \"s\": letters are typed there"),
            ("[global]\nhelp = \"h\"\n", "keymap.toml:2: global.help: F1 is always help"),
            ("[limit-box]\nback = \"x\"\n", "keymap.toml:2: limit-box.back"),
            ("[pets\n", "keymap.toml:1: "),
        ] {
            let (map, complaints) = changed(&format!("{text}\n[domains]\nadd = \"+\"\n"));
            assert!(complaints[0].starts_with(complaint), "{complaints:?}");
            let whole = text != "[pets\n";
            assert_eq!(map.lookup(place("domains"), Key::Char('+').into()).is_some(), whole);
        }
    }

    #[test]
    fn names_of_older_files_still_work() {
        let (map, complaints) = changed("[import-look]\nwrite-file = \"u\"\n[pets]\nsort-turn = \"u\"\n");
        assert_eq!(complaints, Vec::<String>::new());
        assert_eq!(name(&map, "pets", 'u'), Some("sort-reverse"));
        let file = Keymap::default().file();
        assert!(OLD_NAMES.iter().all(|(_, current)| file.contains(current)));
    }

    #[test]
    fn the_whole_map_is_a_file_that_changes_nothing() {
        let file = Keymap::default().file();
        let (map, complaints) = changed(&file);
        assert_eq!(complaints, Vec::<String>::new());
        assert_eq!(map.file(), file);
    }

    #[test]
    fn each_key_is_read_as_it_is_written() {
        for key in DEFAULT.bindings().flat_map(|line| &line.keys) {
            assert_eq!(read_key(&key_name(*key)), Ok(*key));
        }
    }
}
