//! What each key does where: one table, from which keys are looked up and help and the bottom line are made.

use super::msg::{Key, KeyPress};
use super::text_input::Edit;

/// What a key may be bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the help texts of the table say it")]
pub enum Action {
    Help,
    Back,
    Quit,
    Interrupt,
    Suspend,
    Redraw,
    ShowPets,
    ShowAdd,
    Refresh,
    Choices,
    ErrorDetails,
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    Open,
    NextTab,
    PreviousTab,
    AllStatuses,
    MoreRows,
    FewerRows,
    ChooseLimit,
    Search,
    SortBy,
    SortTurn,
    Live,
    Samples,
    NextField,
    PreviousField,
    Confirm,
    Save,
    Clear,
    /// An answer of the question, from 1.
    Answer(u8),
    Edit(Edit),
}

/// Where a key is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// Everywhere outside text; function keys and Ctrl keys of it also in text.
    Global,
    /// In every text field.
    Text,
    /// The table of animals.
    Pets,
    /// The search field over it.
    Search,
    /// A text field of the add form.
    Form,
    /// A choice or button of the add form.
    FormChoice,
    /// The question after an add without an answer.
    Doubt,
    /// The box that asks how many rows.
    LimitBox,
    /// The box that asks for a key.
    KeyBox,
    /// Help and error details.
    Reader,
}

impl Context {
    /// Whether letters are text here.
    #[must_use]
    pub const fn is_text(self) -> bool {
        match self {
            Self::Text | Self::Search | Self::Form | Self::LimitBox | Self::KeyBox => true,
            Self::Global | Self::Pets | Self::FormChoice | Self::Doubt | Self::Reader => false,
        }
    }

    /// Whether the keys of [`Context::Global`] that would leave the place work here.
    const fn is_box(self) -> bool {
        matches!(self, Self::LimitBox | Self::KeyBox | Self::Reader)
    }
}

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Where.
    pub context: Context,
    /// Which keys, the most natural one first.
    pub keys: &'static [KeyPress],
    /// What they do.
    pub action: Action,
    /// For the bottom line; empty keeps it out.
    pub hint: &'static str,
    /// For the help screen. Neighbours with the same text share a line.
    pub help: &'static str,
}

const fn k(key: Key) -> KeyPress {
    KeyPress { key, ctrl: false }
}
const fn ch(c: char) -> KeyPress {
    k(Key::Char(c))
}
const fn ctrl(c: char) -> KeyPress {
    KeyPress { key: Key::Char(c), ctrl: true }
}
const fn f(number: u8) -> KeyPress {
    k(Key::F(number))
}
const fn bind(
    context: Context,
    keys: &'static [KeyPress],
    action: Action,
    hint: &'static str,
    help: &'static str,
) -> Binding {
    Binding { context, keys, action, hint, help }
}

use Action as A;
use Context as C;

/// The whole map. The bottom line shows the hints of the context in this order.
pub const BINDINGS: &[Binding] = &[
    bind(C::Pets, &[k(Key::Enter)], A::Open, "detail", "open, close the detail"),
    bind(C::Pets, &[ch('/')], A::Search, "search", "search these rows"),
    bind(C::Pets, &[k(Key::Left), ch('h')], A::PreviousTab, "", "status tab"),
    bind(C::Pets, &[k(Key::Right), ch('l')], A::NextTab, "status", "status tab"),
    bind(C::Pets, &[ch('0')], A::AllStatuses, "", "all statuses"),
    bind(C::Pets, &[ch('+')], A::MoreRows, "more", "more, fewer rows"),
    bind(C::Pets, &[ch('-')], A::FewerRows, "", "more, fewer rows"),
    bind(C::Pets, &[ch('L'), f(4)], A::ChooseLimit, "rows", "number of rows"),
    bind(C::Pets, &[ch('A')], A::Live, "live", "live refresh, on and off"),
    bind(C::Pets, &[ch('o')], A::SortBy, "sort", "sort, turn round"),
    bind(C::Pets, &[ch('O')], A::SortTurn, "", "sort, turn round"),
    bind(C::Pets, &[ch('r'), f(5)], A::Refresh, "refresh", "ask again"),
    bind(C::Pets, &[ch('a')], A::ShowAdd, "add", "add an animal"),
    bind(C::Pets, &[ch('S')], A::Samples, "", "samples (empty store)"),
    bind(C::Pets, &[k(Key::Up), ch('k')], A::Up, "", "move"),
    bind(C::Pets, &[k(Key::Down), ch('j')], A::Down, "", "move"),
    bind(C::Pets, &[k(Key::PageUp), ctrl('b')], A::PageUp, "", "a page"),
    bind(C::Pets, &[k(Key::PageDown), ctrl('f')], A::PageDown, "", "a page"),
    bind(C::Pets, &[k(Key::Home), ch('g')], A::First, "", "first, last"),
    bind(C::Pets, &[k(Key::End), ch('G')], A::Last, "", "first, last"),
    bind(C::Search, &[k(Key::Enter)], A::Confirm, "keep", "keep, go to the rows"),
    bind(C::Search, &[k(Key::Esc), f(3)], A::Back, "clear", "clear, then leave"),
    bind(C::Search, &[k(Key::Up)], A::Up, "move", "move in the rows"),
    bind(C::Search, &[k(Key::Down)], A::Down, "", "move in the rows"),
    bind(C::Form, &[k(Key::Tab), k(Key::Enter), k(Key::Down)], A::NextField, "next", "next field"),
    bind(C::Form, &[k(Key::BackTab), k(Key::Up)], A::PreviousField, "back", "field before"),
    bind(C::Form, &[f(2)], A::Save, "save", "check and send"),
    bind(C::Form, &[f(8)], A::Clear, "clear", "clear; again: undo"),
    bind(C::Form, &[k(Key::Esc), f(3)], A::Back, "pets", "to the pets, text stays"),
    bind(C::FormChoice, &[k(Key::Tab), k(Key::Enter)], A::Confirm, "next", "next; at the end: save"),
    bind(C::FormChoice, &[k(Key::BackTab)], A::PreviousField, "back", "field before"),
    bind(C::FormChoice, &[k(Key::Up), ch('k')], A::Up, "choose", "choose"),
    bind(C::FormChoice, &[k(Key::Down), ch('j')], A::Down, "", "choose"),
    bind(C::FormChoice, &[f(2)], A::Save, "save", "check and send"),
    bind(C::FormChoice, &[f(8)], A::Clear, "clear", "clear; again: undo"),
    bind(C::FormChoice, &[k(Key::Esc), f(3)], A::Back, "pets", "to the pets, text stays"),
    bind(C::Doubt, &[ch('1')], A::Answer(1), "", "take this answer"),
    bind(C::Doubt, &[ch('2')], A::Answer(2), "", "take this answer"),
    bind(C::Doubt, &[ch('3')], A::Answer(3), "", "take this answer"),
    bind(C::Doubt, &[k(Key::Enter)], A::Confirm, "take it", "take the marked answer"),
    bind(C::Doubt, &[k(Key::Up), k(Key::BackTab), ch('k')], A::Up, "choose", "choose"),
    bind(C::Doubt, &[k(Key::Down), k(Key::Tab), ch('j')], A::Down, "", "choose"),
    bind(C::Doubt, &[f(8)], A::Clear, "drop the question", "drop the question"),
    bind(C::Doubt, &[k(Key::Esc), f(3)], A::Back, "pets", "to the pets"),
    bind(C::LimitBox, &[k(Key::Enter), f(2)], A::Confirm, "use the number", "use the number typed"),
    bind(C::LimitBox, &[k(Key::Up)], A::Up, "pick", "pick a number"),
    bind(C::LimitBox, &[k(Key::Down)], A::Down, "", "pick a number"),
    bind(C::LimitBox, &[k(Key::Esc), f(3)], A::Back, "cancel", "close without a change"),
    bind(C::KeyBox, &[k(Key::Enter), f(2)], A::Confirm, "try it", "try the key"),
    bind(C::KeyBox, &[f(4)], A::Choices, "show or hide", "show or hide the key"),
    bind(C::KeyBox, &[k(Key::Esc), f(3)], A::Back, "close", "close; F4 opens it again"),
    bind(C::Reader, &[k(Key::Up), ch('k')], A::Up, "scroll", "scroll"),
    bind(C::Reader, &[k(Key::Down), ch('j')], A::Down, "", "scroll"),
    bind(C::Reader, &[k(Key::PageUp)], A::PageUp, "", "a page"),
    bind(C::Reader, &[k(Key::PageDown), ch(' ')], A::PageDown, "page", "a page"),
    bind(C::Reader, &[k(Key::Home), ch('g')], A::First, "", "top, bottom"),
    bind(C::Reader, &[k(Key::End), ch('G')], A::Last, "", "top, bottom"),
    bind(C::Reader, &[k(Key::Esc), k(Key::Enter), ch('q'), ch('?'), f(1), f(3), ctrl('g')], A::Back, "close", "close"),
    bind(C::Text, &[k(Key::Left)], A::Edit(Edit::Left), "", "cursor"),
    bind(C::Text, &[k(Key::Right)], A::Edit(Edit::Right), "", "cursor"),
    bind(C::Text, &[k(Key::Home), ctrl('a')], A::Edit(Edit::Start), "", "start, end"),
    bind(C::Text, &[k(Key::End), ctrl('e')], A::Edit(Edit::End), "", "start, end"),
    bind(C::Text, &[k(Key::Backspace)], A::Edit(Edit::Backspace), "", "delete"),
    bind(C::Text, &[k(Key::Delete)], A::Edit(Edit::Delete), "", "delete"),
    bind(C::Text, &[ctrl('w')], A::Edit(Edit::ClearWord), "", "clear the word before"),
    bind(C::Text, &[ctrl('u')], A::Edit(Edit::ClearToStart), "", "clear to start, to end"),
    bind(C::Text, &[ctrl('k')], A::Edit(Edit::ClearToEnd), "", "clear to start, to end"),
    bind(C::Global, &[ch('1')], A::ShowPets, "", "Pets, Add pet"),
    bind(C::Global, &[ch('2')], A::ShowAdd, "", "Pets, Add pet"),
    bind(C::Global, &[ch('e')], A::ErrorDetails, "", "the last error in full"),
    bind(C::Global, &[f(4)], A::Choices, "", "enter another API key"),
    bind(C::Global, &[ctrl('l')], A::Redraw, "", "paint the screen anew"),
    bind(C::Global, &[ctrl('z')], A::Suspend, "", "pause (fg comes back)"),
    bind(C::Global, &[k(Key::Esc), f(3)], A::Back, "", "back"),
    bind(C::Global, &[ch('q')], A::Quit, "", "quit"),
    bind(C::Global, &[ctrl('c')], A::Interrupt, "", "cancel; twice: quit"),
    bind(C::Global, &[ch('?'), f(1), ctrl('g')], A::Help, "help", "this help"),
];

/// What `key` does in `context`; `None` leaves it to the text field, or to nobody.
#[must_use]
pub fn lookup(context: Context, key: KeyPress) -> Option<Action> {
    let find =
        |wanted: Context| BINDINGS.iter().find(|b| b.context == wanted && b.keys.contains(&key)).map(|b| b.action);
    let global = || match key {
        KeyPress { key: Key::Char(_), ctrl: false } if context.is_text() || context.is_box() => None,
        KeyPress { key: Key::F(_) | Key::Esc, .. } if context.is_box() => None,
        _ => find(Context::Global),
    };
    find(context).or_else(|| context.is_text().then(|| find(Context::Text)).flatten()).or_else(global)
}

/// A key as the screen writes it: `F2`, `Ctrl-C`, `up`, `a`.
#[must_use]
pub fn key_name(key: KeyPress) -> String {
    match (key.key, key.ctrl) {
        (Key::Char(' '), _) => "Space".into(),
        (Key::Char(c), true) => format!("Ctrl-{}", c.to_ascii_uppercase()),
        (Key::Char(c), false) => c.into(),
        (Key::F(number), _) => format!("F{number}"),
        (Key::Enter | Key::LineFeed, _) => "Enter".into(),
        (Key::Esc, _) => "Esc".into(),
        (Key::Tab, _) => "Tab".into(),
        (Key::BackTab, _) => "S-Tab".into(),
        (Key::Backspace, _) => "Backspace".into(),
        (Key::Delete, _) => "Del".into(),
        (Key::Up, _) => "up".into(),
        (Key::Down, _) => "down".into(),
        (Key::Left, _) => "<-".into(),
        (Key::Right, _) => "->".into(),
        (Key::PageUp, _) => "PgUp".into(),
        (Key::PageDown, _) => "PgDn".into(),
        (Key::Home, _) => "Home".into(),
        (Key::End, _) => "End".into(),
    }
}

/// The entries of the bottom line: key and word, in order; help last. In text the key for help is `F1`.
#[must_use]
pub fn hints(context: Context) -> Vec<(String, &'static str)> {
    let mut entries: Vec<_> = BINDINGS
        .iter()
        .filter(|b| b.context == context && !b.hint.is_empty())
        .filter_map(|b| Some((key_name(*b.keys.first()?), b.hint)))
        .collect();
    // A pair of keys is shown as one entry where the table has them as neighbours.
    for (key, hint) in &mut entries {
        match *hint {
            "status" => *key = "<- ->".into(),
            "move" | "choose" | "pick" | "scroll" => *key = "up/down".into(),
            "next" => *key = "Tab/Enter".into(),
            _ => {}
        }
    }
    if context != Context::Reader {
        entries.push((if context.is_text() { "F1" } else { "?" }.into(), "help"));
    }
    entries
}

/// The lines of the help for `context`: keys and meaning, neighbours with the same meaning on one line.
#[must_use]
pub fn help_lines(context: Context) -> Vec<(String, &'static str)> {
    let mut lines: Vec<(String, &'static str)> = Vec::new();
    for binding in BINDINGS.iter().filter(|b| b.context == context) {
        let keys = binding.keys.iter().map(|key| key_name(*key)).collect::<Vec<_>>().join(" ");
        match lines.last_mut() {
            Some((before, help)) if *help == binding.help => {
                before.push_str("  ");
                before.push_str(&keys);
            }
            _ => lines.push((keys, binding.help)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const CONTEXTS: [Context; 10] =
        [C::Global, C::Text, C::Pets, C::Search, C::Form, C::FormChoice, C::Doubt, C::LimitBox, C::KeyBox, C::Reader];

    #[test]
    fn no_key_is_bound_twice_in_one_place_and_every_action_has_a_help_text() {
        let mut seen = HashSet::new();
        for binding in BINDINGS {
            assert!((1..=25).contains(&binding.help.len()) && !binding.keys.is_empty(), "{binding:?}");
            for key in binding.keys {
                assert!(seen.insert((binding.context, *key)), "{binding:?}");
            }
        }
    }

    #[test]
    fn no_binding_needs_a_key_that_terminals_or_tmux_swallow() {
        for key in BINDINGS.iter().flat_map(|binding| binding.keys) {
            if let KeyPress { key: Key::Char(c), ctrl: true } = key {
                assert!(!"sqjmihpvtn".contains(*c), "Ctrl-{c}");
            }
            assert!(!matches!(key.key, Key::F(10..=12)));
        }
        // Ctrl-W, Ctrl-A and Ctrl-B have twins, so nothing is lost where they are swallowed.
        for binding in BINDINGS.iter().filter(|b| b.context != C::Text) {
            assert!(
                binding.keys.iter().any(|key| !key.ctrl)
                    || matches!(binding.action, A::Redraw | A::Suspend | A::Interrupt)
            );
        }
    }

    #[test]
    fn every_bottom_line_fits_80_columns() {
        // The pets screen has more to offer than fits; what is dropped there first is in the middle.
        for context in CONTEXTS.into_iter().filter(|context| *context != C::Pets) {
            let line: usize = hints(context).iter().map(|(key, word)| key.len() + 1 + word.len() + 2).sum();
            let line = line - 1;
            assert!(line <= 80, "{context:?}: {line}");
        }
    }

    #[test]
    fn every_line_of_the_help_fits_half_of_80_columns() {
        for (keys, help) in CONTEXTS.into_iter().flat_map(help_lines) {
            assert!(keys.len().max(12) + help.len() + 2 <= 38, "{keys} {help}");
        }
    }

    #[test]
    fn letters_are_text_in_fields_and_function_keys_act() {
        assert_eq!(lookup(C::Form, ch('q')), None);
        assert_eq!(lookup(C::Form, f(1)), Some(A::Help));
        assert_eq!(lookup(C::Search, ctrl('c')), Some(A::Interrupt));
        assert_eq!(lookup(C::Form, ctrl('a')), Some(A::Edit(Edit::Start)));
        assert_eq!(lookup(C::Pets, ch('q')), Some(A::Quit));
        assert_eq!(lookup(C::KeyBox, f(1)), None);
        assert_eq!(lookup(C::Reader, ch('1')), None);
    }
}
