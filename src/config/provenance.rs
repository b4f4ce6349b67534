//! Where each setting came from.

use std::fmt;
use std::path::PathBuf;
use std::sync::OnceLock;

use toml_edit::{Document, TableLike};

/// Where a setting came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A command-line option, such as `--base-url`.
    Flag(&'static str),
    /// An environment variable.
    Environment(&'static str),
    /// The configuration file.
    File {
        /// Which file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
    /// Chosen in the app.
    ByHand,
    /// The built-in default.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "from {name}"),
            Self::Environment(name) => write!(f, "from environment {name}"),
            Self::File { path, line } => {
                let name =
                    path.file_name().map_or_else(|| path.display().to_string(), |name| name.display().to_string());
                write!(f, "{name}, line {line}")
            }
            Self::ByHand => f.write_str("chosen in the app"),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A setting with its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sourced {
    /// Which setting.
    pub name: &'static str,
    /// Its value. Never a key itself.
    pub value: String,
    /// Where that came from.
    pub origin: Origin,
}

/// The lines of the keys in a configuration file.
#[derive(Clone, Debug)]
pub struct KeyLines {
    text: String,
    /// Parsed when a line is first asked for; `None` if it is not TOML.
    document: OnceLock<Option<Document<String>>>,
}

impl KeyLines {
    /// Those of `text`; none if it is not TOML.
    pub fn of(text: &str) -> Self {
        Self { text: text.to_owned(), document: OnceLock::new() }
    }

    /// The line, counted from 1, on which the key at `path` or the head of its table begins.
    pub fn line_of(&self, path: &[&str]) -> Option<usize> {
        let document = self.document.get_or_init(|| Document::parse(self.text.clone()).ok()).as_ref()?;
        let (last, above) = path.split_last()?;
        let mut table: &dyn TableLike = document.as_table();
        for name in above {
            table = table.get(name)?.as_table_like()?;
        }
        let (key, _) = table.get_key_value(last)?;
        let before = document.raw().get(..key.span()?.start)?;
        Some(before.matches('\n').count() + 1)
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
