//! What must hold for the whole map.

use std::collections::{HashMap, HashSet};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::*;
use crate::clock::now;
use crate::model::text::wrap_words;
use crate::tui::Page;
use crate::tui::command::Run;
use crate::tui::places::{DEFAULT, PLACES};
use crate::tui::testing::appearance;

fn ch(c: char) -> KeyPress {
    Key::Char(c).into()
}

fn ctrl(c: char) -> KeyPress {
    KeyPress { ctrl: true, ..ch(c) }
}

fn f(number: u8) -> KeyPress {
    Key::F(number).into()
}

/// The place of this name.
fn place(name: &str) -> &'static Place {
    PLACES.iter().find(|place| place.name == name).unwrap()
}

/// Every line of the map, with its place.
fn all() -> impl Iterator<Item = (&'static Place, &'static Binding)> {
    DEFAULT.bindings().map(|binding| (binding.command.place, binding))
}

fn is_edit(command: &Command) -> bool {
    matches!(command.run, Run::Edit(_))
}

#[test]
fn no_key_is_bound_twice_in_one_place_and_every_action_has_a_help_text() {
    let (mut seen, mut owners) = (HashSet::new(), HashSet::new());
    for (place, binding) in all() {
        assert!((1..=25).contains(&binding.command.help.len()), "{binding:?}");
        assert!(!binding.keys.is_empty(), "{binding:?}");
        assert_eq!(binding.keys.len(), binding.command.keys.split_whitespace().count(), "{binding:?}");
        assert!(owners.insert((place.name, binding.command.name)), "{binding:?}");
        for key in &binding.keys {
            assert!(seen.insert((place.name, *key)), "{binding:?}");
        }
    }
}

/// The word of a command that has one.
fn shown(command: &Command) -> Option<&'static str> {
    Some(command.hint).filter(|hint| !hint.is_empty())
}

#[test]
fn every_command_of_every_place() {
    let map = Keymap::default();
    let mut text = map.file().lines().take(8).collect::<Vec<_>>().join("\n") + "\n";
    for place in PLACES {
        let hints = map.hints(place, shown).into_iter().map(|Hint { key, word, .. }| format!("{key} {word}"));
        let keys = |binding: &Binding| binding.keys.iter().map(|key| key_name(*key)).collect::<Vec<_>>().join(",");
        let commands = map.of(place.name).map(|binding| format!("{}={}", binding.command.name, keys(binding)));
        let hints = hints.collect::<Vec<_>>().join("  ");
        let commands = wrap_words(&commands.collect::<Vec<_>>().join(" "), 118).join("\n  ");
        text += &format!("{}: {hints}\n  {commands}\n", place.name);
    }
    insta::assert_snapshot!(text);
}

#[test]
fn no_binding_needs_a_key_that_terminals_or_tmux_swallow() {
    for key in all().flat_map(|(_, line)| &line.keys) {
        if let KeyPress { key: Key::Char(c), ctrl: true, .. } = key {
            assert!(!"sqjmihpvtn".contains(*c), "Ctrl-{c}");
        }
        assert!(!matches!(key.key, Key::F(10..=12)));
    }
    // Ctrl-W, Ctrl-A and Ctrl-B have alternatives, in case a terminal swallows them.
    for (place, Binding { keys, command }) in all().filter(|(place, _)| place.name != TEXT) {
        assert!(
            keys.iter().any(|key| !key.ctrl && !key.alt)
                || place.takes_letters
                || command.name.starts_with("half-page")
                || (place.name == GLOBAL && ["redraw", "suspend", "interrupt"].contains(&command.name))
        );
    }
}

#[test]
fn every_bottom_line_has_at_most_eight_keys_and_fits_80_columns() {
    let (map, appearance) = (Keymap::default(), appearance());
    for place in PLACES {
        let hints = map.hints(place, shown);
        for columns in [80, 200] {
            let area = Rect::new(0, 0, columns, 1);
            let mut buf = Buffer::empty(area);
            let mut page = Page::new(&mut buf, area, &appearance, now());
            page.hints(hints.clone());
            // The pets screen has more to offer.
            let most = if place.name == PETS { 8 } else { hints.len() };
            assert!(most <= 8 && page.layout.clickable.len() == most, "{place:?} {columns}: {buf:?}");
        }
    }
}

#[test]
fn every_line_of_the_help_fits_half_of_80_columns() {
    let map = Keymap::default();
    for (keys, help) in PLACES.iter().flat_map(|place| map.help_lines(place.name, |_| true)) {
        assert!(keys.len().max(12) + help.len() + 2 <= 38, "{keys} {help}");
    }
}

#[test]
fn letters_are_text_in_fields_and_function_keys_act() {
    let map = Keymap::default();
    let lookup = |at, key| map.lookup(place(at), key).map(|command| command.name);
    assert_eq!(lookup("form", ch('q')), None);
    assert_eq!(lookup("form", f(1)), Some("help"));
    assert_eq!(lookup("search", ctrl('c')), Some("interrupt"));
    assert_eq!(lookup("form", ctrl('a')), Some("edit-start"));
    assert_eq!(lookup(PETS, ch('q')), Some("quit"));
    assert_eq!(lookup("key-box", f(1)), Some("help"));
    assert_eq!(lookup("write-box", ch('?')), None);
    assert_eq!(lookup("themes", ch('?')), Some("help"));
    assert_eq!(lookup("reader", ch('1')), None);
}

#[test]
fn alt_and_a_key_is_bound_in_text_only_and_never_means_the_key_itself() {
    let map = Keymap::default();
    for place in PLACES {
        for key in
            ('!'..='~').map(Key::Char).chain([Key::Enter, Key::Esc, Key::Tab, Key::Backspace, Key::Left, Key::F(2)])
        {
            let command = map.lookup(place, KeyPress { alt: true, ..key.into() });
            let word = matches!(key, Key::Char('b' | 'd' | 'f') | Key::Backspace) && place.is_text;
            assert_eq!(command.is_some_and(is_edit), word, "{place:?} {key:?}");
            assert!(word || command.is_none(), "{place:?} {key:?}: {command:?}");
        }
    }
    let command = map.lookup(place("form"), KeyPress { ctrl: true, ..Key::Left.into() });
    assert_eq!(command.map(|command| command.name), Some("edit-word-left"));
    assert_eq!(map.lookup(place(PETS), KeyPress { ctrl: true, ..Key::Left.into() }), None);
}

#[test]
fn every_action_is_reached_without_function_keys() {
    let only_function_keys = |binding: &Binding| binding.keys.iter().all(|key| matches!(key.key, Key::F(_)));
    let mut wanting: Vec<(&str, &str)> = all()
        .filter(|(_, binding)| only_function_keys(binding))
        // Places that are not boxes lead to the pets, where the list of all commands has their actions.
        .filter(|(place, _)| place.is_box)
        .map(|(place, binding)| (place.name, binding.command.name))
        .collect();
    wanting.sort();
    assert_eq!(wanting, [] as [(&str, &str); 0]);
}

#[test]
fn a_key_means_one_thing_among_the_pets_and_what_works_everywhere() {
    let mut meanings: HashMap<KeyPress, HashSet<&str>> = HashMap::new();
    for (_, Binding { keys, command }) in all().filter(|(place, _)| [GLOBAL, PETS].contains(&place.name)) {
        for key in keys {
            meanings.entry(*key).or_default().insert(command.name);
        }
    }
    let odd: Vec<_> = meanings.iter().filter(|(_, names)| names.len() > 1).collect();
    assert!(meanings.len() > 40 && odd.is_empty(), "{odd:?}");
}

#[test]
fn a_function_key_means_the_same_everywhere() {
    let mut meanings: HashMap<u8, HashSet<&str>> = HashMap::new();
    for (_, Binding { keys, command }) in all() {
        for key in keys {
            if let Key::F(number) = key.key {
                meanings.entry(number).or_default().insert(command.name);
            }
        }
    }
    for (number, allowed) in [
        (1, &["help", "back"][..]),
        (2, &["confirm", "save"]),
        (3, &["back", "leave"]),
        (4, &["choices", "enter-key"]),
        (5, &["refresh", "confirm", "check"]),
        (6, &["rapid-entry"]),
        (7, &["import"]),
        (8, &["clear"]),
        (9, &["commands", "back"]),
    ] {
        let odd: Vec<_> =
            meanings.remove(&number).unwrap_or_default().into_iter().filter(|name| !allowed.contains(name)).collect();
        assert!(odd.is_empty(), "F{number}: {odd:?}");
    }
    assert!(meanings.is_empty(), "{meanings:?}");
}

/// The name of what a key does.
fn name(map: &Keymap, at: &str, key: char) -> Option<&'static str> {
    map.lookup(place(at), Key::Char(key).into()).map(|command| command.name)
}

fn changed(text: &str) -> (Keymap, Vec<String>) {
    Keymap::changed_by(text, "keymap.toml")
}

#[test]
fn an_action_gets_other_keys_and_the_help_and_the_bottom_line_say_so() {
    let (map, complaints) = changed("[pets]\nrefresh = [\"R\", \"F5\"]\nlive = \"none\"\n[global]\nhelp = [\"F1\"]\n");
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
        ("[pets]\n\nrefreshh = \"r\"\n", "keymap.toml:3: pets has no action \"refreshh\". It has: change-status, edit"),
        ("[pets]\nrefresh = \"Ctrl-H\"\n", "keymap.toml:2: pets.refresh = \"Ctrl-H\": terminals send Backspace"),
        ("[pets]\nrefresh = \"Hyper-r\"\n", "keymap.toml:2: pets.refresh = \"Hyper-r\": keys are written a, G"),
        ("[pets]\nrefresh = \"Alt-F2\"\n", "keymap.toml:2: pets.refresh = \"Alt-F2\": Alt works only with a letter"),
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
    let (map, complaints) = changed("[import-look]\nwrite-file = \"u\"\n[pets]\nsort-turn = \"w\"\n");
    assert_eq!(complaints, Vec::<String>::new());
    assert_eq!(name(&map, "pets", 'w'), Some("sort-reverse"));
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
