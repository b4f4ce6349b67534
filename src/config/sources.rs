//! Everything that was said: the flags, the environment, and the configuration file as it was read.

use std::io;
use std::path::PathBuf;

use crate::model::text::short;

use super::error::ConfigError;
use super::file::File;
use super::paths::NoHome;
use super::provenance::{KeyLines, Origin};
use super::{Env, Paths};

/// What was said on the command line.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    pub config: Option<PathBuf>,
    pub profile: Option<String>,
    pub base_url: Option<String>,
    pub demo: bool,
    pub ca_file: Option<PathBuf>,
    pub insecure_http: bool,
    pub ascii: bool,
    pub accessible: bool,
}

impl Choices {
    /// Another call of petstore for the same configuration and profile.
    pub fn command(&self, words: &str) -> String {
        let config = self.config.as_deref().map(|file| format!("--config {} ", short(&file.display().to_string())));
        let profile = self.profile.as_deref().map(|name| format!("-p {} ", short(name)));
        format!("petstore {}{}{words}", config.unwrap_or_default(), profile.unwrap_or_default())
    }
}

/// Everything that was said.
pub struct Sources<'a> {
    /// The flags.
    pub choices: &'a Choices,
    /// The environment.
    pub env: &'a Env,
    /// What the file says.
    pub file: File,
    /// Where the file is, or would be.
    pub path: PathBuf,
    /// Whether the key of the service is wanted, and not only where it would come from.
    pub reads_key: bool,
    lines: KeyLines,
}

impl<'a> Sources<'a> {
    /// Reads the file: the named one, which must be there, else the usual one, which need not. With `--demo` only a
    /// named one is read.
    pub fn read(choices: &'a Choices, env: &'a Env) -> Result<Self, ConfigError> {
        let is_named = named(choices, env).is_some();
        // Without a home directory there is no usual file.
        let path = file_path(choices, env).unwrap_or_default();
        let text = if choices.demo && !is_named { Ok(String::new()) } else { std::fs::read_to_string(&path) };
        let text = match text {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_named => String::new(),
            Err(source) => return Err(ConfigError::Read { path, source }),
            Ok(text) => text,
        };
        Ok(Self { choices, env, file: File::parse(&text, &path)?, lines: KeyLines::of(&text), path, reads_key: true })
    }

    /// The same, for those who do not want the key of the service itself.
    pub fn without_key(self) -> Self {
        Self { reads_key: false, ..self }
    }

    /// The line on which the key at `path` stands in the file.
    pub fn line_of(&self, path: &[&str]) -> Option<usize> {
        self.lines.line_of(path)
    }

    /// Where the key at `path` is set: in the file, or nowhere.
    pub fn origin(&self, path: &[&str]) -> Origin {
        let in_file = |line| Origin::File { path: self.path.clone(), line };
        self.line_of(path).map_or(Origin::Default, in_file)
    }
}

/// The file that is read and written: the named one, else the usual one. It need not be there.
pub fn file_path(choices: &Choices, env: &Env) -> Result<PathBuf, NoHome> {
    named(choices, env).map_or_else(|| Paths::new(env).map(|paths| paths.config_file()), Ok)
}

fn named(choices: &Choices, env: &Env) -> Option<PathBuf> {
    choices.config.clone().or_else(|| env.path("PETSTORE_CONFIG"))
}
