//! What each key does where: one table, from which keys are looked up and help, the bottom line and the list of all
//! commands are made. A file of the user's may give an action other keys ([`remap`]).

mod action;
mod bindings;
pub mod names;
pub mod remap;
#[cfg(test)]
mod tests;

use super::key::{Key, KeyPress};
use crate::config::CustomAction;
use crate::model::display_safe;
use bindings::BINDINGS;

pub use action::*;
pub use names::key_name;

/// How many of the user's own actions the bottom line names.
const MOST_HINTED: usize = 3;

/// The keys in use.
#[derive(Clone, Debug)]
pub struct Keymap(Vec<Binding>);

/// An entry of the bottom line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The name of the key, or of the keys.
    pub key: String,
    /// What it does.
    pub word: &'static str,
    /// What a click presses.
    pub press: KeyPress,
}

impl Default for Keymap {
    fn default() -> Self {
        Self(BINDINGS.clone())
    }
}

impl Keymap {
    /// The same with the user's own actions among the pets; the number of one whose key cannot be used, and why.
    pub fn with_actions(mut self, actions: &[CustomAction]) -> Result<Self, (usize, String)> {
        // Behind the first entries of the bottom line, which leaves out the last ones where it is full.
        let first =
            self.0.iter().position(|binding| binding.action == Action::Pets(PetsAction::AllStatuses)).unwrap_or(0);
        for (number, action) in actions.iter().enumerate() {
            let wrong = |why: String| (number, why);
            let mut keys = Vec::new();
            if let Some(key) = &action.key {
                let key = names::read_key(key.get_ref()).map_err(|why| wrong(format!("key: {why}")))?;
                let owner = [Context::Pets, Context::Global].map(|context| {
                    self.of(context).find(|binding| binding.keys.contains(&key)).map(|binding| binding.help)
                });
                if let Some(owner) = owner.into_iter().flatten().next() {
                    return Err(wrong(format!("key: {} is taken by \"{owner}\"", key_name(key))));
                }
                keys.push(key);
            }
            // As the words of the table, these are there until the program ends.
            let name: &'static str = display_safe(&action.name).into_owned().leak();
            let (context, action) = (Context::Pets, Action::Pets(PetsAction::Run(number)));
            let hint = if number < MOST_HINTED { name } else { "" };
            self.0.insert(first + number, Binding { context, keys, action, name, hint, help: name });
        }
        Ok(self)
    }

    /// Every line, the more special ones of a place first.
    pub fn bindings(&self) -> &[Binding] {
        &self.0
    }

    fn of(&self, context: Context) -> impl Iterator<Item = &Binding> {
        self.0.iter().filter(move |binding| binding.context == context)
    }

    /// What `key` does in `context`; `None` if it is not bound there.
    pub fn lookup(&self, context: Context, key: KeyPress) -> Option<Action> {
        let find = |wanted: Context| self.of(wanted).find(|binding| binding.keys.contains(&key));
        let is_letter = key.typed().is_some();
        let leaves_a_box = is_letter || matches!(key.key, Key::F(_) | Key::Esc);
        let global = || {
            let global = find(Context::Global).filter(|_| !(is_letter && context.takes_letters()))?;
            let is_help = global.action == Action::Global(GlobalAction::Help);
            (is_help || !(context.is_box() && leaves_a_box)).then_some(global)
        };
        // Most places have their own way back.
        let own = |global: &Binding| {
            let may_differ = global.action == Action::Global(GlobalAction::Back);
            self.of(context).find(|own| may_differ && own.name == global.name)
        };
        find(context)
            .or_else(|| context.is_text().then(|| find(Context::Text)).flatten())
            .or_else(|| global().map(|global| own(global).unwrap_or(global)))
            .map(|binding| binding.action)
    }

    /// Whether a place is a page of the domains panel.
    pub(super) fn is_about_domains(&self, context: Context) -> bool {
        self.of(context).any(|binding| matches!(binding.action, Action::Domains(_)))
    }

    /// The entries of the bottom line: key and word, in order; help last. `word` changes or leaves out that of an action.
    /// Where `?` is typed, the key of the help is `F1`.
    pub(super) fn hints(
        &self,
        context: Context,
        word: impl Fn(Action, &'static str) -> Option<&'static str>,
    ) -> Vec<Hint> {
        let entry = |binding: &Binding| {
            let press = *binding.keys.first().filter(|_| !binding.hint.is_empty())?;
            let word = word(binding.action, binding.hint)?;
            Some(Hint { key: pair(context, binding, press).unwrap_or_else(|| key_name(press)), word, press })
        };
        let mut entries: Vec<_> = self.of(context).filter_map(entry).collect();
        if context != Context::Help {
            let asks = self.of(context).any(|binding| binding.keys.contains(&Key::Char('?').into()));
            let typed = context.takes_letters() && !asks;
            entries.push(Hint { key: if typed { "F1" } else { "?" }.into(), word: "help", press: Key::F(1).into() });
        }
        entries
    }

    /// The lines of the help for `context`: keys and meaning, neighbours with the same meaning on one line. The key of the
    /// sandbox is among them only in the demo.
    pub(super) fn help_lines(&self, context: Context, in_practice: bool) -> Vec<(String, &'static str)> {
        let outside = Action::Global(GlobalAction::Outside);
        let useful = self.of(context).filter(|binding| in_practice || binding.action != outside);
        lines(useful.map(|binding| (binding, binding.keys.clone())))
    }

    /// The lines of the help for what works everywhere, as far as the keys mean that in `context`, too, and do it now.
    pub(super) fn global_help(&self, context: Context, works: impl Fn(Action) -> bool) -> Vec<(String, &'static str)> {
        let global = self.of(Context::Global).filter(|binding| works(binding.action));
        let acts = |binding: &Binding, key: &KeyPress| self.lookup(context, *key) == Some(binding.action);
        lines(global.map(|binding| (binding, binding.keys.iter().copied().filter(|key| acts(binding, key)).collect())))
    }
}

/// A pair of keys that the bottom line shows as one entry, unless the user has changed it.
fn pair(context: Context, binding: &Binding, first: KeyPress) -> Option<String> {
    let is_default = |line: &Binding| (line.context, line.action) == (context, binding.action);
    let choosing = context.is_text() || matches!(context, Context::FormChoice | Context::ProfileChoice);
    let text = match binding.hint {
        "status" => "<- ->",
        "choose" if matches!(context, Context::ImportLook | Context::ImportValue) => "<- ->",
        "move" | "choose" | "pick" | "scroll" => "up/down",
        "next" if context == Context::ProfilePath => return None,
        "next" if choosing => "Tab/Enter",
        "copy" if context == Context::Record => "T n v l",
        _ => return None,
    };
    let untouched = BINDINGS.iter().any(|line| is_default(line) && line.keys.first() == Some(&first));
    untouched.then(|| text.to_owned())
}

fn lines<'a>(bindings: impl Iterator<Item = (&'a Binding, Vec<KeyPress>)>) -> Vec<(String, &'static str)> {
    let mut lines: Vec<(String, &'static str)> = Vec::new();
    for (binding, keys) in bindings.filter(|(_, keys)| !keys.is_empty()) {
        let keys = keys.into_iter().map(key_name).collect::<Vec<_>>().join(" ");
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
