//! The form for a new profile: what is typed and chosen, and what is wrong with it.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::config::KeySource;
use crate::config::file::{Profile, is_plain_name};
use crate::model::text::short;
use crate::model::{ApiKey, BaseUrl};
use crate::tui::key::Movement;
use crate::tui::screens::profiles::jobs::{NewService, Tested};
use crate::tui::text_input::TextInput;
use crate::tui::widgets::form::Control;
use crate::tui::widgets::list::moved;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileForm {
    /// As typed.
    pub name: TextInput,
    /// As typed.
    pub address: TextInput,
    /// As chosen.
    pub source: KeySourceChoice,
    /// The typed key. Never in a draft.
    #[serde(skip)]
    pub key: TextInput,
    /// Whether it can be read.
    #[serde(skip)]
    pub shown: bool,
    /// The variable that holds it.
    pub variable: TextInput,
    /// The file that holds it.
    pub file: TextInput,
    /// The command that prints it.
    pub command: TextInput,
    /// Ask before the first change after each switch.
    pub protect: bool,
    /// Where the cursor is.
    pub focus: Focus,
    /// The parts that were left once or checked by saving: only these show their errors.
    #[serde(skip)]
    pub checked: HashSet<Focus>,
    /// The result of testing it, until the form changes.
    #[serde(skip)]
    pub tried: Option<Tested>,
}

/// Where the key of the new profile comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeySourceChoice {
    // As drafts of earlier versions have them.
    #[default]
    #[serde(alias = "TypedForFile", alias = "TypedForKeyring")]
    Typed,
    Variable,
    File,
    Command,
    None,
}

impl KeySourceChoice {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [Self::Typed, Self::Variable, Self::File, Self::Command, Self::None];

    /// A short description.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Typed => "typed here, stored in a private file",
            Self::Variable => "from an environment variable",
            Self::File => "from a file that only you can read",
            Self::Command => "from a command that prints it",
            Self::None => "none (PETSTORE_API_KEY if set)",
        }
    }

    /// The label of its field.
    pub const fn label(self) -> Option<&'static str> {
        match self {
            Self::Typed => Some("API key *"),
            Self::Variable => Some("Variable *"),
            Self::File => Some("File *"),
            Self::Command => Some("Command *"),
            Self::None => None,
        }
    }

    /// Whether the key itself is typed.
    pub const fn is_typed(self) -> bool {
        matches!(self, Self::Typed)
    }
}

/// The parts of the form, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Focus {
    #[default]
    Name,
    Address,
    Source,
    Value,
    Protect,
    Save,
}

impl Focus {
    const PARTS: [(Self, Control); 6] = [
        (Self::Name, Control::Text),
        (Self::Address, Control::Text),
        (Self::Source, Control::Choice),
        (Self::Value, Control::Text),
        (Self::Protect, Control::Tick),
        (Self::Save, Control::Button),
    ];
}

/// Where the key of the new profile comes from, or the key itself.
type NewKey = (Option<KeySource>, Option<ApiKey>);

impl ProfileForm {
    /// The current parts.
    pub fn parts(&self) -> Vec<(Focus, Control)> {
        let has_value = self.source != KeySourceChoice::None;
        Focus::PARTS.into_iter().filter(|(part, _)| has_value || *part != Focus::Value).collect()
    }

    /// Whether saving no longer tests: the test of what is typed failed.
    pub fn saves_anyway(&self) -> bool {
        matches!(self.tried, Some(Tested::Failed(_) | Tested::Unusable(_)))
    }

    /// Selects the next or previous source.
    pub fn choose(&mut self, movement: Movement) {
        let all = KeySourceChoice::ALL;
        self.source = all[moved(self.source as usize, movement, all.len(), 1)];
        self.checked.remove(&Focus::Value);
        self.tried = None;
    }

    /// The field of the source of the key.
    pub const fn value(&self) -> Option<&TextInput> {
        match self.source {
            KeySourceChoice::Typed => Some(&self.key),
            KeySourceChoice::Variable => Some(&self.variable),
            KeySourceChoice::File => Some(&self.file),
            KeySourceChoice::Command => Some(&self.command),
            KeySourceChoice::None => None,
        }
    }

    /// The text field that has the cursor.
    pub const fn input(&mut self) -> Option<&mut TextInput> {
        match (self.focus, self.source) {
            (Focus::Name, _) => Some(&mut self.name),
            (Focus::Address, _) => Some(&mut self.address),
            (Focus::Value, KeySourceChoice::Typed) => Some(&mut self.key),
            (Focus::Value, KeySourceChoice::Variable) => Some(&mut self.variable),
            (Focus::Value, KeySourceChoice::File) => Some(&mut self.file),
            (Focus::Value, KeySourceChoice::Command) => Some(&mut self.command),
            (Focus::Value, KeySourceChoice::None) | (Focus::Source | Focus::Protect | Focus::Save, _) => None,
        }
    }

    /// The error to show at `focus`, once the part was left.
    pub fn error_at(&self, focus: Focus, is_taken: impl Fn(&str) -> bool) -> Option<String> {
        self.checked.contains(&focus).then(|| self.wrong(focus, is_taken)).flatten()
    }

    /// A hint about an unusual address.
    pub fn address_hint(&self) -> Option<&'static str> {
        let address = self.address.value().trim().trim_end_matches('/');
        let version = address.rsplit('/').next().and_then(|part| part.strip_prefix('v'));
        let ends_so = version.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()));
        (address.parse::<BaseUrl>().is_ok() && !ends_so).then_some("It usually ends in /v1.")
    }

    /// What is wrong with a part.
    fn wrong(&self, focus: Focus, is_taken: impl Fn(&str) -> bool) -> Option<String> {
        match focus {
            Focus::Name => match self.name.value().trim() {
                "" => Some("Type a name.".to_owned()),
                name if is_taken(name) => Some("There is already a profile with this name.".to_owned()),
                name if !is_plain_name(name) => Some("Use 1 to 40 letters, digits, - and _.".to_owned()),
                _ => None,
            },
            Focus::Address => match self.address.value().trim() {
                "" => Some("Type an address, for example https://api.example.com/v1.".to_owned()),
                address => {
                    let checked = address.parse::<BaseUrl>().and_then(|address| address.guard_clear_text(false));
                    checked.err().map(|error| error.to_string())
                }
            },
            Focus::Value => self.key().err(),
            Focus::Source | Focus::Protect | Focus::Save => None,
        }
    }

    /// Its key, or why there is none.
    fn key(&self) -> Result<NewKey, String> {
        let source = match self.source {
            KeySourceChoice::Typed if self.key.is_empty() => return Err("Type or paste an API key.".to_owned()),
            KeySourceChoice::Typed => {
                let key = ApiKey::new(self.key.value()).map_err(|error| error.to_string())?;
                return Ok((None, Some(key)));
            }
            KeySourceChoice::Variable => match self.variable.value().trim() {
                name if is_variable(name) => Some(KeySource::Env(name.to_owned())),
                "" => return Err("Type the name of a variable, for example SHOP_KEY.".to_owned()),
                name => return Err(format!("\"{}\" is not a variable name. Example: SHOP_KEY.", short(name))),
            },
            KeySourceChoice::File => match self.file.value().trim() {
                "" => return Err("Type the path of a file, for example ~/keys/shop.".to_owned()),
                path => Some(KeySource::File(path.into())),
            },
            KeySourceChoice::Command => Some(KeySource::Command(words(self.command.value())?)),
            KeySourceChoice::None => None,
        };
        Ok((source, None))
    }

    /// The typed profile, or the wrong parts in order, which then show their errors.
    pub fn check(&mut self, is_taken: impl Fn(&str) -> bool) -> Result<NewService, Vec<Focus>> {
        let parts = Focus::PARTS.map(|(part, _)| part);
        self.checked.extend(parts);
        let wrong: Vec<Focus> = parts.into_iter().filter(|part| self.wrong(*part, &is_taken).is_some()).collect();
        match self.key() {
            Ok((source, typed)) if wrong.is_empty() => {
                let profile = Profile { key: source, protect: self.protect, ..Profile::at(self.address.value()) };
                Ok(NewService { name: self.name.value().trim().to_owned(), profile, typed })
            }
            _ => Err(wrong),
        }
    }
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Splits a command into words at spaces outside quotes. No shell is involved.
fn words(text: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match (quote, words.first()) {
        (Some(open), _) => Err(format!("The closing {open} is missing.")),
        (None, Some(program)) if !program.is_empty() => Ok(words),
        (None, _) => Err("Type a command, for example op read op://shop/key.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_split_at_spaces_outside_quotes() {
        let split = |words: &[&str]| Ok(words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(words("op read  'op://my shop/key' "), split(&["op", "read", "op://my shop/key"]));
        assert_eq!(words("a\"b c\"d ''"), split(&["ab cd", ""]));
        assert_eq!(words("op 'x"), Err("The closing ' is missing.".to_owned()));
        for none in ["", "  ", "'' x"] {
            assert!(words(none).unwrap_err().starts_with("Type a command"), "{none:?}");
        }
    }

    #[test]
    fn every_part_of_the_form_is_checked() {
        let filled = |name: &str, address: &str, source, value: &str| {
            let value = TextInput::new(value);
            let (key, variable, file, command) = (value.clone(), value.clone(), value.clone(), value);
            let (name, address) = (TextInput::new(name), TextInput::new(address));
            ProfileForm { name, address, source, key, variable, file, command, ..ProfileForm::default() }
        };
        let taken = |name: &str| name == "embedded";
        let good = "https://shop.example/v1";
        for (mut form, wrong) in [
            (filled("", "", KeySourceChoice::None, ""), vec![Focus::Name, Focus::Address]),
            (filled("embedded", good, KeySourceChoice::None, ""), vec![Focus::Name]),
            (filled("my shop", good, KeySourceChoice::Typed, "two words"), vec![Focus::Name, Focus::Value]),
            (
                filled("shop", "http://shop.example/v1", KeySourceChoice::Variable, "1X"),
                vec![Focus::Address, Focus::Value],
            ),
            (
                filled("shop", "https://me:petk_secret@shop.example/v1", KeySourceChoice::File, " "),
                vec![Focus::Address, Focus::Value],
            ),
            (filled("shop", good, KeySourceChoice::Command, "op '"), vec![Focus::Value]),
        ] {
            assert_eq!(form.check(taken), Err(wrong), "{form:?}");
        }
        let made = |source, value| filled(" shop ", good, source, value).check(taken).unwrap();
        assert_eq!(made(KeySourceChoice::Variable, "SHOP_KEY").profile.key, Some(KeySource::Env("SHOP_KEY".into())));
        assert_eq!(made(KeySourceChoice::None, "x").profile.key, None);
        let typed = made(KeySourceChoice::Typed, "Bearer petk_0123456789");
        let key = ApiKey::new("petk_0123456789").unwrap();
        assert_eq!((typed.name.as_str(), typed.profile.key, typed.typed), ("shop", None, Some(key)));
    }

    #[test]
    fn a_draft_of_an_earlier_version_is_read() {
        let drafted = |source: &str| serde_json::from_str::<KeySourceChoice>(&format!("\"{source}\"")).unwrap();
        assert_eq!(["TypedForFile", "TypedForKeyring"].map(drafted), [KeySourceChoice::Typed; 2]);
    }

    #[test]
    fn an_address_without_a_version_has_a_hint() {
        let hint =
            |address: &str| ProfileForm { address: TextInput::new(address), ..ProfileForm::default() }.address_hint();
        assert_eq!(hint("https://shop.example/v1/"), None);
        assert_eq!(hint("https://shop.example/"), Some("It usually ends in /v1."));
        assert_eq!(hint("shop"), None, "an invalid address has an error instead");
    }
}
