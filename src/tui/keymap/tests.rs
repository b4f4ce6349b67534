//! What must hold for the whole map.

use super::bindings::{ch, ctrl, f};
use super::{Action as A, Context as C, *};
use crate::tui::popups::help::place_name;
use crate::tui::text_input::Edit;
use std::collections::{HashMap, HashSet};
use strum::IntoEnumIterator as _;

#[test]
fn no_key_is_bound_twice_in_one_place_and_every_action_has_a_help_text() {
    let (mut seen, mut owners) = (HashSet::new(), HashSet::new());
    for binding in BINDINGS.iter() {
        assert!((1..=25).contains(&binding.help.len()), "{binding:?}");
        assert!(!binding.keys.is_empty() || binding.context == C::Global, "{binding:?}");
        assert!(owners.insert((binding.context, binding.name)), "{binding:?}");
        for key in &binding.keys {
            assert!(seen.insert((binding.context, *key)), "{binding:?}");
        }
    }
}

#[test]
fn every_command_of_every_place() {
    let map = Keymap::default();
    let line = |context: C| {
        let hints = map.hints(context, |_, word| Some(word)).into_iter();
        let hints: Vec<_> = hints.map(|Hint { key, word, .. }| format!("{key} {word}")).collect();
        format!("{}: {}\n", context.name(), hints.join("  "))
    };
    insta::assert_snapshot!(C::iter().map(line).collect::<String>() + &map.file());
}

#[test]
fn no_binding_needs_a_key_that_terminals_or_tmux_swallow() {
    for key in BINDINGS.iter().flat_map(|line| &line.keys) {
        if let KeyPress { key: Key::Char(c), ctrl: true, .. } = key {
            assert!(!"sqjmihpvtn".contains(*c), "Ctrl-{c}");
        }
        assert!(!matches!(key.key, Key::F(10..=12)));
    }
    // Ctrl-W, Ctrl-A and Ctrl-B have alternatives, in case a terminal swallows them.
    for binding in BINDINGS.iter().filter(|b| b.context != C::Text) {
        assert!(
            binding.keys.is_empty()
                || binding.keys.iter().any(|key| !key.ctrl && !key.alt)
                || binding.context.takes_letters()
                || binding.help == "half a page"
                || matches!(
                    binding.action,
                    A::Global(GlobalAction::Redraw | GlobalAction::Suspend | GlobalAction::Interrupt)
                )
        );
    }
}

#[test]
fn every_bottom_line_fits_80_columns() {
    let map = Keymap::default();
    // The pets screen has more to offer than fits; what is dropped there first is in the middle.
    for context in C::iter().filter(|context| *context != C::Pets) {
        let line: usize =
            map.hints(context, |_, word| Some(word)).iter().map(|hint| hint.key.len() + 1 + hint.word.len() + 2).sum();
        let line = line - 1;
        assert!(line <= 80, "{context:?}: {line}");
    }
}

#[test]
fn every_line_of_the_help_fits_half_of_80_columns() {
    let map = Keymap::default();
    for (keys, help) in C::iter().flat_map(|context| map.help_lines(context, true)) {
        assert!(keys.len().max(12) + help.len() + 2 <= 38, "{keys} {help}");
    }
}

#[test]
fn letters_are_text_in_fields_and_function_keys_act() {
    let map = Keymap::default();
    let lookup = |context, key| map.lookup(context, key);
    assert_eq!(lookup(C::Form, ch('q')), None);
    assert_eq!(lookup(C::Form, f(1)), Some(A::Global(GlobalAction::Help)));
    assert_eq!(lookup(C::Search, ctrl('c')), Some(A::Global(GlobalAction::Interrupt)));
    assert_eq!(lookup(C::Form, ctrl('a')), Some(A::Edit(Edit::Start)));
    assert_eq!(lookup(C::Pets, ch('q')), Some(A::Global(GlobalAction::Quit)));
    assert_eq!(lookup(C::KeyBox, f(1)), Some(A::Global(GlobalAction::Help)));
    assert_eq!(lookup(C::WriteBox, ch('?')), None);
    assert_eq!(lookup(C::Themes, ch('?')), Some(A::Global(GlobalAction::Help)));
    assert_eq!(lookup(C::Reader, ch('1')), None);
}

#[test]
fn alt_and_a_key_is_bound_in_text_only_and_never_means_the_key_itself() {
    let map = Keymap::default();
    for context in C::iter() {
        for key in
            ('!'..='~').map(Key::Char).chain([Key::Enter, Key::Esc, Key::Tab, Key::Backspace, Key::Left, Key::F(2)])
        {
            let action = map.lookup(context, KeyPress { alt: true, ..key.into() });
            let word = matches!(key, Key::Char('b' | 'd' | 'f') | Key::Backspace) && context.is_text();
            assert_eq!(matches!(action, Some(A::Edit(_))), word, "{context:?} {key:?}");
            assert!(word || action.is_none(), "{context:?} {key:?}: {action:?}");
        }
    }
    assert_eq!(map.lookup(C::Form, KeyPress { ctrl: true, ..Key::Left.into() }), Some(A::Edit(Edit::WordLeft)));
    assert_eq!(map.lookup(C::Pets, KeyPress { ctrl: true, ..Key::Left.into() }), None);
}

#[test]
fn every_action_has_a_name_of_its_own_in_its_place() {
    let mut names = HashSet::new();
    for binding in Keymap::default().bindings() {
        assert!(names.insert((binding.context, binding.name)), "{binding:?}");
    }
}

#[test]
fn every_action_is_reached_without_function_keys() {
    let map = Keymap::default();
    let only_function_keys =
        |binding: &&Binding| !binding.keys.is_empty() && binding.keys.iter().all(|key| matches!(key.key, Key::F(_)));
    let mut wanting: Vec<(&str, &str)> = map
        .bindings()
        .iter()
        .filter(only_function_keys)
        // Places that are not boxes lead to the pets, where the list of all commands has their actions.
        .filter(|binding| binding.context.is_box())
        .map(|binding| (binding.context.into(), binding.name))
        .collect();
    wanting.sort();
    assert_eq!(wanting, [] as [(&str, &str); 0]);
}

#[test]
fn what_is_done_in_one_place_is_bound_in_no_other() {
    let mut places = HashMap::new();
    for Binding { context, action, .. } in BINDINGS.iter().filter(|line| !matches!(line.action, A::Global(_))) {
        // Two pages of the domains panel never have the same type of action.
        if !matches!(action, A::Domains(_)) {
            let place = places.entry(std::mem::discriminant(action)).or_insert(place_name(*context));
            assert_eq!(*place, place_name(*context), "{action:?}");
        }
    }
}

#[test]
fn a_function_key_means_the_same_everywhere() {
    let mut meanings: HashMap<u8, HashSet<&str>> = HashMap::new();
    for binding in BINDINGS.iter() {
        for key in &binding.keys {
            if let Key::F(number) = key.key {
                meanings.entry(number).or_default().insert(binding.name);
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
