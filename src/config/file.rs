//! The configuration file: its shape, its defaults, and errors that name the line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::model::{Limit, PetStatus};

/// The whole file. Unknown keys are errors.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct File {
    /// The profile used when neither flag nor environment names one.
    pub profile: String,
    /// The services that the user knows, by name. `embedded` is always there.
    pub profiles: BTreeMap<String, Profile>,
    /// The pets screen.
    pub pets: Pets,
    /// The look of the screen.
    pub ui: Ui,
    /// Custom domains.
    pub domains: Domains,
}

/// One service.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// The service inside the program; excludes `base_url`.
    pub embedded: bool,
    /// The service's address, `/v1` included.
    pub base_url: Option<String>,
    /// Where the API key comes from.
    pub key: Option<KeySource>,
    /// Allow `http://` to another machine, which sends the key in clear text.
    pub insecure_http: bool,
}

/// Where a key is read from. Keys themselves never stand in the file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeySource {
    /// An environment variable.
    Env(String),
    /// A file that only its owner can read; its first line is the key.
    File(PathBuf),
}

/// The pets screen.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pets {
    /// Rows asked for at once, 1 to 100.
    pub limit: Limit,
    /// The status tab at start.
    pub status: StatusChoice,
    /// Seconds between automatic refreshes, 0 for none.
    pub live: u32,
}

/// `all` or one of the three states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StatusChoice {
    /// Every animal.
    #[default]
    All,
    /// `available`
    Available,
    /// `pending`
    Pending,
    /// `sold`
    Sold,
}

impl From<StatusChoice> for Option<PetStatus> {
    fn from(choice: StatusChoice) -> Self {
        match choice {
            StatusChoice::All => None,
            StatusChoice::Available => Some(PetStatus::Available),
            StatusChoice::Pending => Some(PetStatus::Pending),
            StatusChoice::Sold => Some(PetStatus::Sold),
        }
    }
}

/// The look of the screen.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ui {
    /// Lines and marks: by the locale, or one of the two sets.
    pub glyphs: Glyphs,
    /// Colours: by the terminal, or none.
    pub theme: ThemeChoice,
}

/// Which marks are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Glyphs {
    /// By the locale.
    #[default]
    Auto,
    /// Lines and dots.
    Unicode,
    /// Nothing beyond ASCII.
    Ascii,
}

/// Which colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThemeChoice {
    /// The terminal's own colours, on marks only.
    #[default]
    Default,
    /// Bold and reverse only.
    Mono,
}

/// Custom domains: the configuration of the project, and how they are checked.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Domains {
    /// The domain under which the project is mainly served (API description, `domains.primary`).
    pub primary: String,
    /// Domains that lead to others (API description, `domains.redirects`).
    pub redirects: Vec<Redirect>,
    /// The value that the dashboard shows.
    pub platform_host: String,
    /// The CAA identities of the platform's certificate authority.
    pub ca_identities: Vec<String>,
    /// The recursive resolvers that are asked: `system`, or ADDRESS or ADDRESS:PORT.
    pub resolvers: Vec<String>,
    /// Where name servers are reached, by host name: ADDRESS:PORT.
    pub name_servers: BTreeMap<String, String>,
    /// The port of `http://`.
    pub http_port: u16,
    /// The port of `https://`.
    pub https_port: u16,
    /// A PEM file of additional roots; none where it is empty.
    pub trust: PathBuf,
    /// Connect also to addresses that are not public.
    pub allow_private: bool,
    /// How the app makes an act that is due heard.
    pub notify: Notify,
}

/// How the app makes an act that is due heard, for example that a domain is ready to verify.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notify {
    /// Not at all.
    Off,
    /// By the terminal's bell.
    #[default]
    Bell,
    /// By a notification of the desktop, as iTerm2, WezTerm, foot and Windows Terminal know it (OSC 9).
    Osc9,
    /// By a notification of the desktop, as rxvt-unicode, foot and VTE terminals know it (OSC 777).
    Osc777,
}

/// One redirect of the project.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Redirect {
    /// The domain that redirects.
    pub from: String,
    /// Where it leads.
    pub to: String,
    /// The status, `301` in use.
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
            ui: Ui::default(),
            domains: Domains::default(),
        }
    }
}

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A wrong or unknown key.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Syntax {
        /// Which file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// Counted in characters from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// No such profile.
    #[error("there is no profile \"{name}\". Known: {known}. Profiles stand in the configuration as [profiles.NAME].")]
    NoSuchProfile {
        /// The name asked for.
        name: String,
        /// Those that exist.
        known: String,
    },
    /// A profile that says neither or both of `embedded` and `base_url`.
    #[error("the profile \"{0}\" must have either base_url = \"https://...\" or embedded = true.")]
    ProfileUnclear(String),
    /// An address that cannot be used.
    #[error("{origin}: {source}")]
    Endpoint {
        /// Where it was set.
        origin: String,
        /// Why not.
        source: crate::model::EndpointError,
    },
    /// A key file that cannot be used.
    #[error("cannot read the API key from {}: {why}", path.display())]
    KeyFile {
        /// Which file.
        path: PathBuf,
        /// Why not, and what to do.
        why: String,
    },
    /// No place for files.
    #[error(transparent)]
    NoHome(#[from] super::paths::NoHome),
}

impl File {
    /// Reads `path`. With `must_exist` false, a file that is not there is the defaults.
    pub fn read(path: &Path, must_exist: bool) -> Result<Self, ConfigError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text, path),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !must_exist => Ok(Self::default()),
            Err(source) => Err(ConfigError::Read { path: path.to_owned(), source }),
        }
    }

    /// Reads `text`, which came from `path`.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let mut file: Self = toml::from_str(text).map_err(|error| {
            let before = &text[..error.span().map_or(0, |span| span.start).min(text.len())];
            ConfigError::Syntax {
                path: path.to_owned(),
                line: before.matches('\n').count() + 1,
                column: before.chars().rev().take_while(|c| *c != '\n').count() + 1,
                message: error.message().to_owned(),
            }
        })?;
        for (name, profile) in Self::default().profiles {
            file.profiles.entry(name).or_insert(profile);
        }
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        File::parse(text, Path::new("config.toml")).unwrap_err().to_string()
    }

    #[test]
    fn the_example_says_exactly_the_defaults() {
        let example = include_str!("../../config.example.toml");
        assert_eq!(File::parse(example, Path::new("config.example.toml")).unwrap(), File::default());
    }

    #[test]
    fn the_commented_profiles_of_the_example_are_valid_too() {
        let example = include_str!("../../config.example.toml").replace("\n#:", "\n");
        let file = File::parse(&example, Path::new("config.example.toml")).unwrap();
        assert_eq!(file.profiles.keys().collect::<Vec<_>>(), ["embedded", "production", "staging"]);
    }

    #[test]
    fn wrong_keys_and_values_name_line_and_column() {
        assert!(error("profile = \"x\"\n[pets]\nlimitt = 3\n").starts_with("config.toml:3:1: unknown field `limitt`"));
        assert_eq!(error("[pets]\nlimit = 150\n"), "config.toml:2:9: limit must be a whole number from 1 to 100");
        assert!(error("[pets]\nstatus = \"SOLD\"\n").starts_with("config.toml:2:10: unknown variant"));
        assert!(error("profile = \n").starts_with("config.toml:1:"));
    }
}
