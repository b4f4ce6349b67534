//! When colours are used, and which.

use std::ffi::OsString;

use clap::{ColorChoice, ValueEnum};

use crate::config::Env;

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// Only on a terminal that supports them.
    #[default]
    Auto,
    /// In pipes and files too.
    Always,
    /// Never.
    Never,
}

impl When {
    /// The flag, then PETSTORE_COLOR, NO_COLOR, CLICOLOR_FORCE and CLICOLOR, in this order.
    pub fn resolve(flag: Option<Self>, env: &Env) -> Self {
        let ours = || env.get("PETSTORE_COLOR").and_then(|word| Self::from_str(word, true).ok());
        flag.or_else(ours).unwrap_or_else(|| {
            match (env.get("NO_COLOR"), env.get("CLICOLOR_FORCE"), env.get("CLICOLOR")) {
                (Some(_), ..) => Self::Never,
                (None, Some(force), _) if force != "0" => Self::Always,
                (None, _, Some("0")) => Self::Never,
                (None, ..) => Self::Auto,
            }
        })
    }

    /// Whether a stream gets colours.
    pub fn on(self, is_terminal: bool, env: &Env) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => is_terminal && !matches!(env.get("TERM"), None | Some("dumb")),
        }
    }

    /// The same for help, which is printed while the arguments are parsed, so this searches them for `--color` first.
    pub(super) fn of_help(arguments: &[OsString], env: &Env) -> ColorChoice {
        let words: Vec<_> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
        let after = |at: usize| words[at].strip_prefix("--color=").or_else(|| words.get(at + 1).copied());
        let flag = words.iter().position(|word| *word == "--color" || word.starts_with("--color=")).and_then(after);
        match Self::resolve(flag.and_then(|word| Self::from_str(word, false).ok()), env) {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
    }
}

/// One of the 16 colours that terminals let their users choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Plain,
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
}

impl Ink {
    /// Everything that [`Self::paint`] writes after an escape character, in the order of the inks.
    pub(super) const CODES: [&str; 6] = ["[0m", "[1m", "[2m", "[1;31m", "[32m", "[33m"];

    /// `text` in this ink, if colours are used.
    pub fn paint(self, text: &str, coloured: bool) -> String {
        if !coloured || self == Self::Plain {
            return text.to_owned();
        }
        let code = |ink: Self| Self::CODES[ink as usize];
        format!("\x1b{}{text}\x1b{}", code(self), code(Self::Plain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_wins_then_our_variable_then_the_common_ones() {
        let when = |flag, vars: &[(&str, &str)]| When::resolve(flag, &vars.iter().copied().collect());
        assert_eq!(when(None, &[]), When::Auto);
        assert_eq!(when(None, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]), When::Never);
        assert_eq!(when(None, &[("NO_COLOR", ""), ("CLICOLOR_FORCE", "1")]), When::Always);
        assert_eq!(when(None, &[("CLICOLOR_FORCE", "0")]), When::Auto);
        assert_eq!(when(None, &[("CLICOLOR", "0")]), When::Never);
        assert_eq!(when(None, &[("PETSTORE_COLOR", "always"), ("NO_COLOR", "1")]), When::Always);
        assert_eq!(when(Some(When::Never), &[("PETSTORE_COLOR", "always")]), When::Never);
    }

    #[test]
    fn only_a_terminal_that_supports_colours_gets_them_automatically() {
        let xterm = Env::from_iter([("TERM", "xterm")]);
        assert!(When::Auto.on(true, &xterm) && !When::Auto.on(false, &xterm));
        assert!(!When::Auto.on(true, &Env::from_iter([("TERM", "dumb")])) && !When::Auto.on(true, &Env::default()));
        assert!(When::Always.on(false, &Env::default()) && !When::Never.on(true, &xterm));
    }

    #[test]
    fn the_flag_counts_for_help_at_any_position() {
        let of = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            When::of_help(&words, &Env::default())
        };
        assert_eq!(of("petstore pets --help"), ColorChoice::Auto);
        assert_eq!(of("petstore pets --help --color never"), ColorChoice::Never);
        assert_eq!(of("petstore --color=always --help"), ColorChoice::Always);
        assert_eq!(of("petstore --help --color"), ColorChoice::Auto);
    }
}
