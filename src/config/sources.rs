//! The sources of settings: flags, environment, and the configuration file; and which of them a setting came from.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use toml_edit::Document;

use super::error::NoHome;
use super::{ConfigError, Env, File, KeySource, Paths};
use crate::local::program::hide;
use crate::model::{Categories, short};

// The options of every command that say which service is used, and how.
#[derive(Clone, Debug, Default, Args)]
pub struct Choices {
    /// Use a temporary store with 250 sample pets; nothing is kept.
    #[arg(long, global = true)]
    pub demo: bool,
    /// Address of the service, with /v1; the API key is in PETSTORE_API_KEY.
    #[arg(long, global = true, value_name = "URL")]
    pub base_url: Option<String>,
    /// Use a profile of the configuration file.
    #[arg(short, long, global = true, value_name = "NAME")]
    pub profile: Option<String>,
    /// Use another configuration file.
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Read the API key from this file, which only you may read.
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "key_command")]
    pub key_file: Option<PathBuf>,
    /// Use the first line that this program prints as the API key.
    #[arg(long, global = true, value_name = "COMMAND", value_parser = KeySource::command)]
    pub key_command: Option<KeySource>,
    /// Trust the CA certificates in this PEM file, not the system's.
    #[arg(long, global = true, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Allow http:// to another machine: the API key can be read on the way.
    #[arg(long, global = true)]
    pub insecure_http: bool,
    /// Draw with ASCII characters only.
    #[arg(long, global = true)]
    pub ascii: bool,
    /// Talk in plain lines, for screen readers. [env: ACCESSIBLE=1]
    #[arg(long, global = true)]
    pub accessible: bool,
    /// The session over SSH that this is.
    #[arg(skip)]
    pub ssh: Option<SshSession>,
}

impl Choices {
    /// Where the API key of the service comes from, instead of the configured place.
    pub fn key(&self) -> Option<KeySource> {
        self.key_command.clone().or_else(|| self.key_file.clone().map(KeySource::File))
    }

    /// A petstore command with the same configuration and profile.
    pub fn command(&self, words: &str) -> String {
        let config = self.config.as_deref().map(|file| format!("--config {} ", short(&file.to_string_lossy())));
        let profile = self.profile.as_deref().map(|name| format!("-p {} ", short(name)));
        format!("petstore {}{}{words}", config.unwrap_or_default(), profile.unwrap_or_default())
    }
}

/// The sources of settings.
pub struct Sources<'a> {
    /// The flags.
    pub choices: &'a Choices,
    /// The environment.
    pub env: &'a Env,
    /// The parsed file.
    pub file: File,
    /// The path of the file, which may not exist.
    pub path: PathBuf,
    /// Whether to read the key of the service, not only its origin.
    pub reads_key: bool,
    /// Where the keys of the file are.
    pub lines: KeyLines,
}

impl<'a> Sources<'a> {
    /// Reads the file: the given one, which must exist, else the default one, which may be missing. With `--demo` only a
    /// given one is read, and the categories have names.
    pub fn read(choices: &'a Choices, env: &'a Env) -> Result<Self, ConfigError> {
        let is_named = named(choices, env).is_some();
        // Without a home directory there is no default file.
        let path = file_path(choices, env).unwrap_or_default();
        let text = if choices.demo && !is_named { Ok(String::new()) } else { std::fs::read_to_string(&path) };
        let text = match text {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_named => String::new(),
            text => text.map_err(|source| ConfigError::Read { path: path.clone(), source })?,
        };
        let mut file = File::parse(&text, &path)?;
        if choices.demo && file.categories.is_empty() {
            file.categories = Arc::new(Categories::of_samples());
        }
        for profile in file.profiles.values() {
            if let Some(KeySource::Env(variable)) = &profile.key {
                hide(variable);
            }
        }
        Ok(Self { choices, env, file, lines: KeyLines::of(&text), path, reads_key: true })
    }

    /// The same, but the key of the service is not read.
    pub fn without_key(self) -> Self {
        Self { reads_key: false, ..self }
    }

    /// Where the key at `path` is set: in the file, or by default.
    pub fn origin(&self, path: &[&str]) -> Origin {
        let in_file = |line| Origin::File { path: self.path.clone(), line };
        self.lines.line_of(path).map_or(Origin::Default, in_file)
    }
}

/// The configuration file: the given one, else the default one. It may not exist.
pub fn file_path(choices: &Choices, env: &Env) -> Result<PathBuf, NoHome> {
    named(choices, env).map_or_else(|| Paths::new(env).map(|paths| paths.config_file()), Ok)
}

fn named(choices: &Choices, env: &Env) -> Option<PathBuf> {
    choices.config.clone().or_else(|| env.path("PETSTORE_CONFIG"))
}

/// A session of `petstore ssh-session`. It names no file of this machine, starts no program and knows one service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SshSession {
    /// Whose session it is: the word in the header.
    pub name: String,
    /// Its API key may only read.
    pub read_only: bool,
    /// How long without a key until the session ends.
    pub idle: Option<Duration>,
    /// The file whose being there ends it: the person was revoked.
    pub mark: PathBuf,
}

/// Where a setting came from.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::Display)]
pub enum Origin {
    /// A command-line option, such as `--base-url`.
    #[display("from {_0}")]
    Flag(&'static str),
    /// An environment variable.
    #[display("from environment {_0}")]
    Environment(&'static str),
    /// The configuration file.
    #[display("{}, line {line}", path.file_name().unwrap_or(path.as_os_str()).display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
    /// Chosen in the app.
    #[display("chosen in the app")]
    ByHand,
    /// The built-in default.
    #[display("default")]
    Default,
}

/// A setting with its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sourced {
    /// Which setting.
    pub name: String,
    /// Its value. Never a key itself.
    pub value: String,
    /// Where that came from.
    pub origin: Origin,
}

/// The lines of the keys in a configuration file.
#[derive(Clone, Debug)]
pub struct KeyLines(Option<Document<String>>);

impl KeyLines {
    /// Those of `text`; none if it is not TOML.
    pub fn of(text: &str) -> Self {
        Self(Document::parse(text.to_owned()).ok())
    }

    /// The line, counted from 1, on which the key at `path` or the head of its table begins.
    pub fn line_of(&self, path: &[&str]) -> Option<usize> {
        let document = self.0.as_ref()?;
        let (last, above) = path.split_last()?;
        let table = above.iter().try_fold(document.as_item(), |table, name| table.get(name))?;
        let (key, _) = table.as_table_like()?.get_key_value(last)?;
        Some(ConfigError::place(document.raw(), key.span()?.start).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_in_every_notation() {
        let text = "# mine\r\nprofile = \"a\"\r\n\r\n[profiles.a]\nbase_url = \"\"\"\n\nx\"\"\"\nkey = { env = \"A\" }\n\
                    [profiles]\nb = { embedded = true }\nc.embedded = true\n'odd name'.embedded = true\n";
        let lines = KeyLines::of(text);
        for (path, line) in [
            (&["profile"][..], Some(2)),
            (&["profiles", "a"], Some(4)),
            (&["profiles", "a", "base_url"], Some(5)),
            (&["profiles", "a", "key"], Some(8)),
            (&["profiles", "a", "key", "env"], Some(8)),
            (&["profiles", "b", "embedded"], Some(10)),
            (&["profiles", "c"], Some(11)),
            (&["profiles", "c", "embedded"], Some(11)),
            (&["profiles", "odd name", "embedded"], Some(12)),
            (&["profiles", "a", "label"], None),
            (&["profile", "a"], None),
            (&["ui", "theme"], None),
            (&[], None),
        ] {
            assert_eq!(lines.line_of(path), line, "{path:?}");
        }
        assert_eq!(KeyLines::of("profile = ").line_of(&["profile"]), None);
    }

    #[test]
    fn an_origin_names_the_option_the_variable_or_the_line() {
        let file = Origin::File { path: "/home/ada/.config/petstore/config.toml".into(), line: 14 };
        let sources = [
            Origin::Flag("--base-url"),
            Origin::Environment("PETSTORE_PROFILE"),
            file,
            Origin::ByHand,
            Origin::Default,
        ];
        assert_eq!(
            sources.map(|origin| origin.to_string()),
            [
                "from --base-url",
                "from environment PETSTORE_PROFILE",
                "config.toml, line 14",
                "chosen in the app",
                "default"
            ]
        );
    }
}
