//! The fields of the form for a new profile.

use crate::config::KeySource;
use crate::config::file::{Profile, is_plain_name};
use crate::model::text::short;
use crate::model::{ApiKey, BaseUrl};
use crate::tui::widgets::form::{Field, Form, Kind};

use crate::app::connections::NewService;

pub static NAME: Field =
    Field::new("name", "Name *", Kind::Text).columns(41).hint("letters, digits, - and _").check(|name, known| {
        let text = match name {
            "" => "Type a name.",
            name if known.profiles.iter().any(|profile| profile.name == name) => {
                "There is already a profile with this name."
            }
            name if !is_plain_name(name) => "Use 1 to 40 letters, digits, - and _.",
            _ => return None,
        };
        Some(text.to_owned())
    });
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
    .kept_if(|address| !address.contains('@'));
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
pub static PROTECT: Field = Field::new("protect", "Protect", Kind::Tick("ask before the first change (Space)"));
static BUTTON: Field = Field::new("save", "", Kind::Button);

/// The form, empty.
pub fn new() -> Form {
    Form::new(&[&NAME, &ADDRESS, &SOURCE, &KEY, &VARIABLE, &FILE, &COMMAND, &PROTECT, &BUTTON])
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
    use crate::tui::screens::profiles::tests::listed;
    use crate::tui::testing::profiles;
    use crate::tui::text_input::TextInput;

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
        let app = crate::tui::testing::App::loaded(80, 24);
        let filled = |name: &str, address: &str, source: &str, value: &str| {
            let values = [("name", name), ("address", address), ("source", source)];
            let values = values.into_iter().chain(["key", "variable", "file", "command"].map(|of| (of, value)));
            let mut form = new();
            form.restore(&values.map(|(of, value)| (of.to_owned(), TextInput::new(value))).collect());
            form
        };
        let mut state = app.state;
        state.profiles.list = Some(profiles());
        let good = "https://shop.example/v1";
        for (form, wrong) in [
            (filled("", "", "none", ""), vec!["name", "address"]),
            (filled("staging", good, "none", ""), vec!["name"]),
            (filled("my shop", good, "typed", "two words"), vec!["name", "key"]),
            (filled("shop", "http://shop.example/v1", "variable", "1X"), vec!["address", "variable"]),
            (filled("shop", "https://me:petk_secret@shop.example/v1", "file", " "), vec!["address", "file"]),
            (filled("shop", good, "command", "op '"), vec!["command"]),
        ] {
            assert_eq!(
                form.wrong(&state.known()).into_iter().map(|field| field.name).collect::<Vec<_>>(),
                wrong,
                "{form:?}"
            );
        }
        let made = |source, value| {
            let form = filled(" shop ", good, source, value);
            assert!(form.wrong(&state.known()).is_empty(), "{form:?}");
            made(&form)
        };
        assert_eq!(made("variable", "SHOP_KEY").profile.key, Some(KeySource::Env("SHOP_KEY".into())));
        assert_eq!(made("none", "x").profile.key, None);
        let typed = made("typed", "Bearer petk_0123456789");
        let key = ApiKey::new("petk_0123456789").unwrap();
        assert_eq!((typed.name.as_str(), typed.profile.key, typed.typed), ("shop", None, Some(key)));
    }

    #[test]
    fn a_draft_of_an_earlier_version_is_read() {
        let read = |source: &str| {
            let text = |value: &str| format!(r#"{{"value":"{value}","cursor":1}}"#);
            let texts = ["name", "address", "variable", "file", "command"].map(|of| format!(r#""{of}":{}"#, text(of)));
            let rest = format!(r#""source":"{source}","protect":true,"focus":"Address""#);
            let mut form = new();
            form.restore(&serde_json::from_str(&format!("{{{},{rest}}}", texts.join(","))).unwrap());
            form
        };
        let form = read("Variable");
        assert_eq!((form.focus().name, made(&form).profile.protect), ("address", true));
        assert_eq!([&NAME, &SOURCE, &VARIABLE].map(|field| form.value(field)), ["name", "variable", "variable"]);
        assert_eq!(
            ["TypedForFile", "TypedForKeyring"].map(|source| read(source).value(&SOURCE).to_owned()),
            ["typed"; 2]
        );
    }

    #[test]
    fn an_address_without_a_version_has_a_hint() {
        let hint = |address: &str| {
            let mut app = listed(80, 24);
            app.keys(&format!("n Tab \"{address}\""));
            app.says("It usually ends in /v1.")
        };
        assert!(!hint("https://shop.example/v1/"));
        assert!(hint("https://shop.example/"));
        assert!(!hint("shop"), "an invalid address has an error instead");
    }
}
