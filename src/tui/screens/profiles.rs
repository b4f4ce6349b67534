//! The profiles screen: the saved services, how they answer, and a form for a new one, whose fields are here.

pub mod form;
pub mod list;
#[cfg(test)]
pub mod tests;

use std::collections::BTreeMap;

use crate::app::connections::{NewService, Tested};
use crate::config::file::is_plain_name;
use crate::config::{KeySource, Profile, ProfileEntry, Profiles};
use crate::model::{ApiKey, BaseUrl, short};
use crate::tui::widgets::form::Kind;
use crate::tui::{Field, Form, Now, Screen};

/// The profiles screen.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The previous screen, to which Esc returns.
    pub from: Screen,
    /// The profiles as last read.
    pub list: Option<Profiles>,
    /// The name of the selected profile.
    pub selected: String,
    /// The result and time of the last test of each.
    pub tests: BTreeMap<String, (Now, Tested)>,
    /// The profile being tested.
    pub testing: String,
    /// The profile being switched to.
    pub using: String,
    /// The form for a new profile. It keeps its text when left.
    pub form: Form,
    /// The result of testing what is typed there, until that changes.
    pub tried: Option<Tested>,
    /// Whether the form is shown.
    pub form_open: bool,
}

impl State {
    /// The profiles read so far.
    pub fn entries(&self) -> &[ProfileEntry] {
        self.list.as_ref().map_or(&[], |list| &list.entries)
    }

    /// The selected row, from 0.
    pub fn cursor(&self) -> usize {
        self.entries().iter().position(|entry| entry.name == self.selected).unwrap_or(0)
    }

    /// The selected profile.
    pub fn entry(&self) -> Option<&ProfileEntry> {
        self.entries().get(self.cursor())
    }

    /// The result of testing what is typed.
    pub fn tried(&self) -> Option<&Tested> {
        self.tried.as_ref().filter(|_| !self.form.changed)
    }

    /// Whether saving no longer tests: the test of what is typed failed.
    fn saves_anyway(&self) -> bool {
        matches!(self.tried(), Some(Tested::Failed(_) | Tested::Unusable(_)))
    }
}

pub static ADDRESS: Field = Field::new("address", "Address *", Kind::Text)
    .hint("for example https://api.example.com/v1")
    .advice(|address, _, _| {
        let version = address.trim_end_matches('/').rsplit('/').next().and_then(|part| part.strip_prefix('v'));
        let ends_so = version.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()));
        (address.parse::<BaseUrl>().is_ok() && !ends_so).then(|| "It usually ends in /v1.".to_owned())
    })
    .check(|address, _| match address.parse::<BaseUrl>().and_then(|address| address.guard_clear_text(false)) {
        _ if address.is_empty() => Some("Type an address, for example https://api.example.com/v1.".to_owned()),
        checked => checked.err().map(|error| error.to_string()),
    })
    // With a secret in it.
    .kept_if(|address| !address.contains('@'))
    .proposes(&NAME, name_for);
pub static SOURCE: Field = Field::new(
    "source",
    "API key",
    Kind::Choice(&[
        ("typed", "typed here, stored in a private file"),
        ("variable", "from an environment variable"),
        ("file", "from a file that only you can read"),
        ("command", "from a command that prints it"),
        ("none", "none (PETSTORE_API_KEY if set)"),
    ]),
);
pub static KEY: Field = Field::new("key", "API key *", Kind::Secret)
    .only_if(&SOURCE, "typed")
    .hint("paste works; Ctrl-R shows or hides it")
    .check(|key, _| match ApiKey::new(key) {
        _ if key.is_empty() => Some("Type or paste an API key.".to_owned()),
        checked => checked.err().map(|error| error.to_string()),
    });
pub static VARIABLE: Field =
    Field::new("variable", "Variable *", Kind::Text).only_if(&SOURCE, "variable").check(|name, _| match name {
        "" => Some("Type the name of a variable, for example SHOP_KEY.".to_owned()),
        name if is_variable(name) => None,
        name => Some(format!("\"{}\" is not a variable name. Example: SHOP_KEY.", short(name))),
    });
pub static FILE: Field = Field::new("file", "File *", Kind::Path)
    .only_if(&SOURCE, "file")
    .check(|path, _| path.is_empty().then(|| "Type the path of a file, for example ~/keys/shop.".to_owned()));
pub static COMMAND: Field =
    Field::new("command", "Command *", Kind::Text).only_if(&SOURCE, "command").check(|command, _| words(command).err());
pub static NAME: Field =
    Field::new("name", "Name *", Kind::Text).columns(41).hint("letters, digits, - and _").check(|name, known| {
        let text = match name {
            "" => "Type a name.",
            name if known.profiles.iter().any(|one| one.name == name) => "There is already a profile with this name.",
            name if !is_plain_name(name) => "Use 1 to 40 letters, digits, - and _.",
            _ => return None,
        };
        Some(text.to_owned())
    });
static PROTECT: Field = Field::new("protect", "Protect", Kind::Tick("ask before the first change (Space)"));
static BUTTON: Field = Field::new("save", "", Kind::Button);

/// A name for the service at this address: the first part of its host that says something.
fn name_for(address: &str) -> Option<String> {
    let host = address.parse::<BaseUrl>().ok()?.authority();
    let part = host.split(['.', ':']).find(|part| !["api", "www"].contains(part))?;
    let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
    Some(if is_number || !is_plain_name(part) { "service".to_owned() } else { part.to_owned() })
}

/// The form, empty.
pub fn new_form() -> Form {
    Form::new(&[&ADDRESS, &SOURCE, &KEY, &VARIABLE, &FILE, &COMMAND, &NAME, &PROTECT, &BUTTON])
}

/// The profile, if nothing is wrong with the form.
pub fn made(form: &Form) -> NewService {
    let key = match form.value(&SOURCE) {
        "variable" => Some(KeySource::Env(form.value(&VARIABLE).to_owned())),
        "file" => Some(KeySource::File(form.value(&FILE).into())),
        "command" => words(form.value(&COMMAND)).ok().map(KeySource::Command),
        _ => None,
    };
    let profile = Profile { key, protect: !form.value(&PROTECT).is_empty(), ..Profile::at(form.value(&ADDRESS)) };
    NewService { name: form.value(&NAME).to_owned(), profile, typed: ApiKey::new(form.value(&KEY)).ok() }
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The words of a command, as a shell splits it. No shell is involved.
fn words(text: &str) -> Result<Vec<String>, String> {
    let closes = |quote: &char| shell_words::split(&format!("{text}{quote}")).is_ok();
    match shell_words::split(text) {
        Ok(words) if words.first().is_some_and(|program| !program.is_empty()) => Ok(words),
        Ok(_) => Err("Type a command, for example op read op://shop/key.".to_owned()),
        Err(_) => Err(format!("The closing {} is missing.", ['"', '\''].into_iter().find(closes).unwrap_or('"'))),
    }
}
