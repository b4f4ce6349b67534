//! A saved service in the configuration file.

use std::path::PathBuf;

use serde::Deserialize;
use serde::de::Error as _;

/// One service.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// The embedded store; excludes `base_url`.
    pub embedded: bool,
    /// The service's address, including `/v1`.
    pub base_url: Option<String>,
    /// Where the API key comes from.
    #[serde(deserialize_with = "key")]
    pub key: Option<KeySource>,
    /// A PEM file of CA certificates to trust instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// Allow `http://` to another machine. The key then travels in clear text.
    pub insecure_http: bool,
    /// The label in the header, instead of the profile's name.
    pub label: Option<String>,
    /// The colour of the label.
    pub accent: Accent,
    /// Ask before the first change, and again after each switch to it.
    pub protect: bool,
    /// Refuse every change: nothing is ever added with this profile.
    pub read_only: bool,
}

impl Profile {
    /// A remote service at this address.
    pub fn at(base_url: &str) -> Self {
        Self { base_url: Some(base_url.trim().to_owned()), ..Self::default() }
    }
}

/// Where a key is read from. The file never contains keys themselves.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeySource {
    /// An environment variable.
    Env(String),
    /// A file that only its owner can read; its first line is the key.
    File(PathBuf),
    /// A program and its arguments, run without a shell; the first line of its output is the key.
    #[serde(deserialize_with = "command")]
    Command(Vec<String>),
}

/// The colour that distinguishes a service from others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, strum::Display, strum::EnumIter)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Accent {
    #[default]
    None,
    Red,
    Yellow,
    Green,
    Blue,
    Magenta,
    Cyan,
}

/// Whether a new profile may have this name: 1 to 40 ASCII letters, digits, `-` and `_`. It is also used as a file name.
pub fn is_plain_name(name: &str) -> bool {
    (1..=40).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// The error for an API key in the file.
pub(super) const KEY_ITSELF: &str = "an API key must not be in the configuration itself. Remove it, then run petstore \
                                     login, or set its place: key = { env = \"NAME\" }, key = { file = \"PATH\" } or \
                                     key = { command = [\"PROGRAM\"] }";

/// A table; anything else may be a key, and is not quoted.
fn key<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<KeySource>, D::Error> {
    match toml::Value::deserialize(deserializer)? {
        table @ toml::Value::Table(_) => {
            KeySource::deserialize(table).map(Some).map_err(|error| D::Error::custom(error.message()))
        }
        _ => Err(D::Error::custom(KEY_ITSELF)),
    }
}

fn command<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let words = Vec::<String>::deserialize(deserializer)?;
    if words.first().is_none_or(String::is_empty) {
        return Err(D::Error::custom(
            "command must name a program, for example command = [\"op\", \"read\", \"op://shop/key\"]",
        ));
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::File;
    use super::*;

    fn error(text: &str) -> String {
        File::parse(text, Path::new("config.toml")).unwrap_err().to_string()
    }

    #[test]
    fn an_invalid_source_of_a_key_is_refused_with_the_remedy() {
        let key = |source: &str| error(&format!("[profiles.x]\nkey = {source}\n"));
        let gone = key("{ keyring = true }");
        assert!(gone.starts_with("config.toml:2:7: petstore does not read the keyring itself any more."), "{gone}");
        for source in ["{ command = [] }", "{ command = [\"\", \"x\"] }"] {
            assert!(key(source).starts_with("config.toml:2:7: command must name a program, for example command = ["));
        }
        assert!(key("{ env = \"A\", file = \"b\" }").starts_with("config.toml:2:7: "));
    }

    #[test]
    fn a_key_in_the_file_is_refused_with_its_position_and_is_not_quoted() {
        for key in ["\"of_another_service\"", "\"\"", "1234567890", "[\"secret\"]"] {
            assert_eq!(
                error(&format!("[profiles.x]\nkey = {key}\n")),
                format!("config.toml:2:7: {KEY_ITSELF}"),
                "{key}"
            );
        }
        for (text, place) in [
            ("[profiles.x]\nkey = \"petk_0123456789abcdef\"\n", "2:8"),
            ("[profiles.x]\nkey = petk_0123456789abcdef\n", "2:7"),
            ("[profiles.x]\nkey = { env = \"petk_0123456789abcdef\" }\n", "2:16"),
            ("[profiles.x]\nkey = { command = [\"echo\", \"petk_0123456789abcdef\"] }\n", "2:29"),
            ("[profiles.x]\nbase_url = \"https://petk_0123456789abcdef@x/v1\"\n", "2:21"),
            ("petk_0123456789abcdef = 1\n", "1:1"),
            ("# mine\r\n[profiles.petk_0123456789abcdef]\n", "2:11"),
            ("[[[\nprofile = 'Bearer petk_0123456789abcdef", "2:19"),
        ] {
            assert_eq!(error(text), format!("config.toml:{place}: {KEY_ITSELF}"), "{text}");
        }
        assert!(File::parse("  # petk_0123456789abcdef\n", Path::new("config.toml")).is_ok());
    }

    #[test]
    fn a_plain_name_can_be_a_file_name() {
        let long = "a".repeat(40);
        assert!(["staging", "eu-1_b", "X", &long].iter().all(|name| is_plain_name(name)));
        let longer = "a".repeat(41);
        assert!(!["", "..", "a/b", "my shop", "caf\u{e9}", "a\n", &longer].iter().any(|name| is_plain_name(name)));
    }
}
