//! What each key does where, from the tables of the places: keys are looked up here, and help and bottom line are made.
//! A file of the user's may give a command other keys ([`remap`]).

pub mod names;
pub mod remap;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use strum::{EnumIter, IntoEnumIterator as _, IntoStaticStr};

use super::command::{Command, Place, Reach};
use super::key::{Key, KeyPress};
use super::screens::{add_pet, domains, pets, profiles, requests, welcome};
use super::{popups, text_input, update};
use crate::config::CustomAction;
use crate::model::display_safe;
use names::read_key;

pub use names::key_name;

/// How many of the user's own actions the bottom line names.
const MOST_HINTED: usize = 3;

macro_rules! places {
    ($($(#[$meta:meta])* $name:ident => $place:expr,)*) => {
        /// The name of a place where keys are pressed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, IntoStaticStr)]
        #[strum(serialize_all = "kebab-case")]
        pub enum Context {
            $($(#[$meta])* $name,)*
        }

        impl Context {
            pub fn place(self) -> &'static Place {
                match self {
                    $(Self::$name => {
                        static PLACE: Place = $place;
                        &PLACE
                    })*
                }
            }
        }
    };
}

places! {
    /// Everywhere outside text; function keys and Ctrl keys of it also in text.
    Global => Place::new("Everywhere", update::EVERYWHERE),
    /// In every text field.
    Text => Place::new("Text fields", text_input::KEYS).text(),
    Pets => Place::new("Pets", pets::update::PETS),
    Search => Place::new("Search", pets::update::SEARCH).text(),
    Form => Place::new("Add pet", add_pet::update::FORM).text(),
    FormChoice => Place::new("Add pet", add_pet::update::FORM_CHOICE).letters(),
    FormButton => Place::new("Add pet", add_pet::update::FORM_BUTTON).letters(),
    Rapid => Place::new("Rapid entry", add_pet::rapid::update::NAMES).text(),
    RapidChoice => Place::new("Rapid entry", add_pet::rapid::update::LINES).text(),
    RapidStatus => Place::new("Rapid entry", add_pet::rapid::update::STATUS).text(),
    /// The question after an add without an answer.
    #[strum(serialize = "unknown-outcome")]
    Doubt => Place::new("Unknown outcome", add_pet::update::QUESTION),
    LimitBox => Place::new("Number of rows", pets::popups::limit::BOX).text().in_box(),
    KeyBox => Place::new("API key", popups::key::BOX).text().in_box(),
    /// Error details.
    Reader => Place::new("Texts", popups::error::BOX).in_box(),
    Help => Place::new("Help", popups::help::BOX).in_box(),
    ImportFile => Place::new("Import", add_pet::import::update::FILE).text(),
    #[strum(serialize = "import-preview")]
    ImportLook => Place::new("Import", add_pet::import::update::PREVIEW),
    /// The field for one value there.
    ImportValue => Place::new("Import", add_pet::import::update::VALUE).text(),
    ImportRun => Place::new("Import", add_pet::import::update::RUN),
    Commands => Place::new("All commands", popups::commands::BOX).text().in_box(),
    Themes => Place::new("Themes", popups::themes::BOX).in_box(),
    SaveView => Place::new("Save as a view", pets::popups::views::BOX).text().in_box(),
    ById => Place::new("Pet by id", pets::popups::lookup::BOX).text().in_box(),
    Profiles => Place::new("Profiles", profiles::update::PROFILES).around(profiles::update::around),
    ProfileText => Place::new("A new profile", profiles::update::FORM_TEXT).text(),
    ProfilePath => Place::new("A new profile", profiles::update::FORM_PATH).text(),
    ProfileChoice => Place::new("A new profile", profiles::update::FORM_CHOICE).letters(),
    ProfileButton => Place::new("A new profile", profiles::update::FORM_BUTTON).letters(),
    Requests => Place::new("Requests", requests::REQUESTS),
    Welcome => Place::new("First start", welcome::WELCOME),
    Domains => Place::new("Domains", domains::update::LIST).around(domains::update::around),
    Wizard => Place::new("Add a domain", domains::wizard::TICKS).letters().around(domains::update::around),
    WizardButton => Place::new("Add a domain", domains::wizard::BUTTON).letters().around(domains::update::around),
    WizardText => Place::new("Add a domain", domains::wizard::TEXT).text().around(domains::update::around),
    Record => Place::new("The DNS record", domains::detail::RECORD).around(domains::update::around),
    Domain => Place::new("One domain", domains::detail::DOMAIN).around(domains::update::around),
    Rules => Place::new("Troubleshooting", domains::detail::RULES).around(domains::update::around),
    /// The field for what the browser says.
    Browser => Place::new("Troubleshooting", domains::detail::BROWSER).text().around(domains::update::around),
    Redirects => Place::new("Redirects", domains::redirects::REDIRECTS).around(domains::update::around),
    Removal => Place::new("Removal", domains::removal::STEPS).around(domains::update::around),
    RemovalName => Place::new("Removal", domains::removal::NAME).text().around(domains::update::around),
    TextBox => Place::new("Texts", popups::text::BOX).in_box(),
    FormatsBox => Place::new("Formats", domains::popups::formats::BOX).in_box(),
    WriteBox => Place::new("Write to a file", popups::write::BOX).text().in_box(),
    #[strum(serialize = "sandbox-box")]
    OutsideBox => Place::new("Sandbox", domains::popups::outside::BOX).in_box(),
    Confirm => Place::new("Protected service", popups::confirm::BOX).in_box(),
}

impl Context {
    /// Its name in a file: `pets`, `limit-box`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether letters are text here.
    pub fn is_text(self) -> bool {
        self.place().is_text
    }

    /// Whether letters that are not bound here are typed.
    pub fn takes_letters(self) -> bool {
        self.place().takes_letters
    }
}

/// A command with its keys.
#[derive(Clone, Debug)]
pub struct Binding {
    /// None where only the list of all commands has it.
    pub keys: Vec<KeyPress>,
    pub command: Command,
}

/// The keys in use, place by place.
#[derive(Clone, Debug)]
pub struct Keymap(Vec<Vec<Binding>>);

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

/// The keys that a table names.
fn keys_of(command: &Command) -> Vec<KeyPress> {
    command.keys.split_whitespace().filter_map(|key| read_key(key).ok()).collect()
}

static DEFAULT: LazyLock<Keymap> = LazyLock::new(|| {
    let bound = |command: Command| Binding { keys: keys_of(&command), command };
    let of = |context: Context| {
        let commands = context.place().commands.iter();
        commands.flat_map(move |command| command.each(context)).map(bound).collect()
    };
    Keymap(Context::iter().map(of).collect())
});

impl Default for Keymap {
    fn default() -> Self {
        DEFAULT.clone()
    }
}

impl Keymap {
    /// The same with the user's own actions among the pets; the number of one whose key cannot be used, and why.
    pub fn with_actions(mut self, actions: &[CustomAction]) -> Result<Self, (usize, String)> {
        // Behind the first entries of the bottom line, which leaves out the last ones where it is full.
        let first = self.of(Context::Pets).position(|binding| binding.command.name == "all-statuses").unwrap_or(0);
        for (number, action) in actions.iter().enumerate() {
            let wrong = |why: String| (number, why);
            let mut keys = Vec::new();
            if let Some(key) = &action.key {
                let key = read_key(key.get_ref()).map_err(|why| wrong(format!("key: {why}")))?;
                let owner = [Context::Pets, Context::Global].map(|context| self.find(context, key));
                if let Some(Command { help, .. }) = owner.into_iter().flatten().next() {
                    return Err(wrong(format!("key: {} is taken by \"{help}\"", key_name(key))));
                }
                keys.push(key);
            }
            // As the words of the tables, these are there until the program ends.
            let name: &'static str = display_safe(&action.name).into_owned().leak();
            let hint = if number < MOST_HINTED { name } else { "" };
            let command = Command::own(number, name, hint);
            self.0[Context::Pets as usize].insert(first + number, Binding { keys, command });
        }
        Ok(self)
    }

    /// Every line, the more special ones of a place first.
    pub fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.0.iter().flatten()
    }

    pub fn of(&self, context: Context) -> impl Iterator<Item = &Binding> {
        self.0[context as usize].iter()
    }

    /// A command of a place, by its name.
    pub fn named(&self, context: Context, name: &str) -> Option<&Command> {
        self.of(context).map(|binding| &binding.command).find(|command| command.name == name)
    }

    fn find(&self, context: Context, key: KeyPress) -> Option<&Command> {
        self.of(context).find(|binding| binding.keys.contains(&key)).map(|binding| &binding.command)
    }

    /// What `key` does in `context`; `None` if it is not bound there.
    pub fn lookup(&self, context: Context, key: KeyPress) -> Option<&Command> {
        let is_letter = key.typed().is_some();
        let leaves_a_box = is_letter || matches!(key.key, Key::F(_) | Key::Esc);
        let place = context.place();
        let global = || {
            let global = self.find(Context::Global, key).filter(|_| !(is_letter && place.takes_letters))?;
            (global.name == "help" || !(place.is_box && leaves_a_box)).then_some(global)
        };
        // Most places have their own way back.
        let own = |global: &Command| self.named(context, "back").filter(|_| global.name == "back");
        self.find(context, key)
            .or_else(|| place.is_text.then(|| self.find(Context::Text, key)).flatten())
            .or_else(|| global().map(|global| own(global).unwrap_or(global)))
    }

    /// The entries of the bottom line: key and word, in order; help last. `word` is that of a command, if it has one now.
    /// Where `?` is typed, the key of the help is `F1`.
    pub(super) fn hints(&self, context: Context, word: impl Fn(&Command) -> Option<&'static str>) -> Vec<Hint> {
        let entry = |Binding { keys, command }: &Binding| {
            let (press, word) = (*keys.first()?, word(command)?);
            let unchanged = !command.called.is_empty() && keys_of(command).first() == Some(&press);
            Some(Hint { key: if unchanged { command.called.to_owned() } else { key_name(press) }, word, press })
        };
        let mut entries: Vec<_> = self.of(context).filter_map(entry).collect();
        if context != Context::Help {
            let typed = context.takes_letters() && self.find(context, Key::Char('?').into()).is_none();
            entries.push(Hint { key: if typed { "F1" } else { "?" }.into(), word: "help", press: Key::F(1).into() });
        }
        entries
    }

    /// The lines of the help for `context`: keys and meaning, neighbours with the same meaning on one line. The key of the
    /// sandbox is among them only in the demo.
    pub(super) fn help_lines(&self, context: Context, in_practice: bool) -> Vec<(String, &'static str)> {
        let useful = self.of(context).filter(|binding| in_practice || binding.command.name != "outside");
        lines(useful.map(|binding| (&binding.command, binding.keys.clone())))
    }

    /// The lines of the help for what works everywhere, as far as the keys mean that in `context`, too, and do it now.
    pub(super) fn global_help(
        &self,
        context: Context,
        works: impl Fn(&Command) -> bool,
    ) -> Vec<(String, &'static str)> {
        let global = self.of(Context::Global).filter(|binding| works(&binding.command));
        let acts = |command: &Command, key: &KeyPress| {
            self.lookup(context, *key).is_some_and(|meant| meant.name == command.name && meant.reach != Reach::Here)
        };
        lines(global.map(|Binding { keys, command }| {
            (command, keys.iter().copied().filter(|key| acts(command, key)).collect())
        }))
    }
}

fn lines<'a>(bindings: impl Iterator<Item = (&'a Command, Vec<KeyPress>)>) -> Vec<(String, &'static str)> {
    let mut lines: Vec<(String, &'static str)> = Vec::new();
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
