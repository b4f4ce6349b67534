//! The configuration file: its shape, its defaults, and errors that name the line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::model::text::{KEY_PREFIX, holds_key};
use crate::model::{Categories, Limit, PetStatus};

use super::action::{self, CustomAction};
use super::error::ConfigError;
use super::theme::Themes;
use super::ui::Ui;

mod profile;
pub mod view;

pub use profile::{Accent, KeySource, Profile, is_plain_name};
pub use view::View;

/// The whole file. Unknown keys are errors.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct File {
    /// The profile used when neither flag nor environment names one.
    pub profile: String,
    /// The saved services, by name. `embedded` always exists.
    pub profiles: BTreeMap<String, Profile>,
    /// The pets screen.
    pub pets: Pets,
    /// Saved searches, in the order of their tabs.
    pub views: Vec<View>,
    /// The names of categories.
    pub categories: Categories,
    /// Adding pets.
    pub add: Add,
    /// The appearance of the screen.
    pub ui: Ui,
    /// Sessions over SSH.
    pub ssh: Ssh,
    /// Custom domains.
    pub domains: Domains,
    /// Programs that run for pets.
    pub actions: Vec<CustomAction>,
    /// The themes that `ui.theme` may name.
    #[serde(skip)]
    pub themes: Themes,
}

/// The pets screen.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pets {
    /// Rows per request, 1 to 100.
    pub limit: Limit,
    /// The most pets that the app loads.
    pub load_limit: LoadLimit,
    /// The status tab at start.
    #[serde(deserialize_with = "view::status")]
    pub status: Option<PetStatus>,
    /// Seconds between automatic refreshes, 0 for none.
    pub live: u32,
}

/// Adding pets.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Add {
    /// The prefix that the scanner adds to each code.
    pub scan_strip: String,
    /// Whether the scanner ends each code with Tab instead of Enter.
    pub scan_tab: bool,
    /// How many pets the form sends at once.
    #[serde(alias = "at_once")]
    pub concurrency: Concurrency,
}

/// Sessions over SSH.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ssh {
    /// What is shown at the start of each session; empty for nothing.
    pub message: String,
    /// Whether `[[actions]]` run in sessions, as programs of this account.
    pub actions: bool,
}

/// A whole number with its key, its range and its default.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident, $key:literal, $least:literal to $most:literal, $default:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
        #[serde(try_from = "usize")]
        pub struct $name(usize);

        impl $name {
            /// The number.
            pub const fn get(self) -> usize {
                self.0
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self($default)
            }
        }

        impl TryFrom<usize> for $name {
            type Error = &'static str;

            fn try_from(number: usize) -> Result<Self, Self::Error> {
                let fits = ($least..=$most).contains(&number);
                let why = concat!($key, " must be a whole number from ", $least, " to ", $most);
                fits.then_some(Self(number)).ok_or(why)
            }
        }
    };
}

number! {
    /// How many requests may be sent at once.
    Concurrency, "concurrency", 1 to 8, 8
}

number! {
    /// How many pets the app loads at most.
    LoadLimit, "load_limit", 100 to 100_000, 20_000
}

/// Custom domains: the configuration of the project, and how they are checked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Domains {
    /// The project's main domain (API description, `domains.primary`).
    pub primary: String,
    /// Domains that redirect to others (API description, `domains.redirects`).
    pub redirects: Vec<Redirect>,
    /// The record value that the dashboard shows.
    pub platform_host: String,
    /// The CAA identities of the platform's certificate authority.
    pub ca_identities: Vec<String>,
    /// The recursive resolvers to query: `system`, ADDRESS or ADDRESS:PORT, tls://ADDRESS or https://ADDRESS/PATH.
    pub resolvers: Vec<String>,
    /// The addresses of name servers, by host name: ADDRESS:PORT.
    pub name_servers: BTreeMap<String, String>,
    /// The port of `http://`.
    pub http_port: u16,
    /// The port of `https://`.
    pub https_port: u16,
    /// A PEM file of additional CA certificates; empty for none.
    pub trust: PathBuf,
    /// Also connect to addresses that are not public.
    pub allow_private: bool,
    /// How the app announces that a domain needs action.
    pub notify: Notify,
}

/// How the app announces that a domain needs action, for example that it is ready to verify.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Notify {
    /// Not at all.
    Off,
    /// With the terminal's bell.
    #[default]
    Bell,
    /// With a desktop notification in iTerm2, WezTerm, foot and Windows Terminal (OSC 9).
    Osc9,
    /// With a desktop notification in rxvt-unicode, foot and VTE terminals (OSC 777).
    Osc777,
}

/// One redirect of the project.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Redirect {
    /// The domain that redirects.
    pub from: String,
    /// Where it redirects to.
    pub to: String,
    /// The HTTP status, usually `301`.
    pub status: u16,
}

impl Default for Domains {
    fn default() -> Self {
        Self {
            primary: String::new(),
            redirects: Vec::new(),
            platform_host: String::new(),
            ca_identities: Vec::new(),
            resolvers: ["system", "1.1.1.1", "8.8.8.8", "9.9.9.9"].map(str::to_owned).to_vec(),
            name_servers: BTreeMap::new(),
            http_port: 80,
            https_port: 443,
            trust: PathBuf::new(),
            allow_private: false,
            notify: Notify::default(),
        }
    }
}

impl Default for File {
    fn default() -> Self {
        let embedded = Profile { embedded: true, ..Profile::default() };
        Self {
            profile: "embedded".into(),
            profiles: BTreeMap::from([("embedded".into(), embedded)]),
            pets: Pets::default(),
            views: Vec::new(),
            categories: Categories::default(),
            add: Add::default(),
            ui: Ui::default(),
            ssh: Ssh::default(),
            domains: Domains::default(),
            actions: Vec::new(),
            themes: Themes::default(),
        }
    }
}

impl File {
    /// The profile of this name.
    pub fn profile(&self, name: &str) -> Result<&Profile, ConfigError> {
        self.profiles.get(name).ok_or_else(|| ConfigError::NoSuchProfile {
            name: name.to_owned(),
            known: self.profiles.keys().map(String::as_str).collect::<Vec<_>>().join(", "),
        })
    }

    /// Reads `text`, which came from `path`.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        // Before parsing, since parse errors quote the text.
        if let Some(at) = key_itself(text) {
            return Err(ConfigError::at(path, text, at, profile::KEY_ITSELF));
        }
        let mut file: Self = toml::from_str(text).map_err(|error| ConfigError::of_toml(path, text, &error))?;
        if let Some((at, key, why)) = view::fault(&file.views, &file.categories) {
            return Err(ConfigError::at(path, text, place_of_view(text, at, key), &why));
        }
        for (name, profile) in Self::default().profiles {
            file.profiles.entry(name).or_insert(profile);
        }
        action::check(&mut file.actions, path, text)?;
        file.themes = Themes::beside(path);
        let theme = &file.ui.theme;
        if let Some(why) = file.themes.why_not(theme.get_ref()) {
            return Err(ConfigError::at(path, text, theme.span().start, why));
        }
        Ok(file)
    }
}

/// The position of a value of view number `at`, from 0.
fn place_of_view(text: &str, at: usize, key: &str) -> usize {
    let place = || {
        let document = toml_edit::Document::parse(text).ok()?;
        let views = document.get("views")?;
        let value = match views.as_array_of_tables() {
            Some(tables) => tables.get(at)?.get(key)?.span(),
            None => views.as_array()?.get(at)?.as_inline_table()?.get(key)?.span(),
        };
        Some(value?.start)
    };
    place().unwrap_or(0)
}

/// The position of something that looks like an API key in `text`. Comments are never quoted.
fn key_itself(text: &str) -> Option<usize> {
    let mut at = 0;
    text.split_inclusive('\n').find_map(|line| {
        let begin = at;
        at += line.len();
        let is_comment = line.trim_start().starts_with('#');
        let key = line.find(KEY_PREFIX).filter(|_| !is_comment && holds_key(line))?;
        Some(begin + key)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        File::parse(text, Path::new("config.toml")).unwrap_err().to_string()
    }

    #[test]
    fn the_example_has_exactly_the_defaults() {
        let example = include_str!("../../config.example.toml");
        assert_eq!(File::parse(example, Path::new("config.example.toml")).unwrap(), File::default());
    }

    #[test]
    fn the_commented_profiles_of_the_example_are_valid_too() {
        let example = include_str!("../../config.example.toml").replace("\n#:", "\n");
        let file = File::parse(&example, Path::new("config.example.toml")).unwrap();
        let words = ["op", "read", "op://shop/petstore/key"].map(str::to_owned).to_vec();
        let at = |host: &str, key| Profile {
            base_url: Some(format!("https://{host}/v1")),
            key: Some(key),
            ..Profile::default()
        };
        let expected = [
            ("embedded", Profile { embedded: true, ..Profile::default() }),
            (
                "laboratory",
                Profile {
                    ca_file: Some("~/lab-ca.pem".into()),
                    ..at("lab.api.example.com", KeySource::File("~/.config/petstore/keys/laboratory".into()))
                },
            ),
            (
                "production",
                Profile {
                    label: Some("PRODUCTION".into()),
                    accent: Accent::Red,
                    protect: true,
                    ..at("api.example.com", KeySource::Env("PETSTORE_API_KEY".into()))
                },
            ),
            ("staging", at("staging.api.example.com", KeySource::File("~/.config/petstore/keys/staging".into()))),
            ("training", at("training.api.example.com", KeySource::Command(words))),
        ];
        assert_eq!(file.profiles, expected.map(|(name, profile)| (name.to_owned(), profile)).into());
    }

    #[test]
    fn the_old_name_of_a_key_is_still_read() {
        let read = |text| File::parse(text, Path::new("config.toml")).unwrap().add.concurrency.get();
        assert_eq!((read("[add]\nat_once = 3\n"), read("[add]\nconcurrency = 3\n")), (3, 3));
    }

    #[test]
    fn wrong_keys_and_values_name_line_and_column() {
        assert!(error("profile = \"x\"\n[pets]\nlimitt = 3\n").starts_with("config.toml:3:1: unknown field `limitt`"));
        assert_eq!(error("[pets]\nlimit = 150\n"), "config.toml:2:9: limit must be a whole number from 1 to 100");
        assert_eq!(
            error("[add]\nconcurrency = 9\n"),
            "config.toml:2:15: concurrency must be a whole number from 1 to 8"
        );
        for wrong in [99, 100_001] {
            assert_eq!(
                error(&format!("[pets]\nload_limit = {wrong}\n")),
                "config.toml:2:14: load_limit must be a whole number from 100 to 100000"
            );
        }
        assert!(error("[pets]\nstatus = \"SOLD\"\n").starts_with("config.toml:2:10: unknown variant"));
        assert!(error("profile = \n").starts_with("config.toml:1:"));
        let view = "[[views]]\nname = \"cats\"\n";
        let after = |line: &str| error(&format!("{view}{line}"));
        assert!(after("serch = 1\n").starts_with("config.toml:3:1: unknown field `serch`"));
        assert!(after("sort = \"price\"\n").starts_with("config.toml:3:8: \"price\" is not a column"));
        assert!(after("columns = [\"id\", \"nmae\"]\n").starts_with("config.toml:3:11: \"nmae\" is not a column"));
        assert!(after("limit = 101\n").starts_with("config.toml:3:9: limit must be"));
        assert!(after("status = \"gone\"\n").starts_with("config.toml:3:10: unknown variant `gone`"));
        assert!(after(view).starts_with("config.toml:4:8: there is a view \"cats\" already"));
        assert!(error("[[views]]\nsearch = \"a\"\n").starts_with("config.toml:1:1: missing field `name`"));
        assert!(error("[[views]]\nname = \"Sold\"\n").starts_with("config.toml:2:8: \"Sold\" is the name of a tab"));
        assert!(error("[[views]]\nname = \" a\"\n").starts_with("config.toml:2:8: \" a\" is not a name for a view"));
        for (search, why) in [
            ("cat:", "the term \"cat:\" searches for nothing"),
            ("cat:3,dog", "\"dog\" is not a category"),
            ("id:x", "\"id:x\" is not an id"),
            ("rex \"mr w", "the quotation mark before \"mr w\" is not closed"),
            ("a b c d e f g h i j k l m n o p q", "a search has at most 16 terms"),
        ] {
            let text = format!("{view}search = {}\n", toml_edit::Value::from(search));
            assert!(error(&text).starts_with(&format!("config.toml:3:10: {why}")), "{}", error(&text));
        }
        let inline = "views = [{ name = \"a\" }, { name = \"a\" }]\n";
        assert!(error(inline).starts_with("config.toml:1:35: there is a view \"a\" already"), "{}", error(inline));
        assert!(error("[profiles.x]\naccent = \"pink\"\n").starts_with("config.toml:2:10: unknown variant `pink`"));
    }
}
