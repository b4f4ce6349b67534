//! The environment, read once, and the directories and files of the program. An empty variable counts as unset. XDG
//! variables win on every platform.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use directories::ProjectDirs;

use super::error::NoHome;
use super::file::is_plain_name;
use crate::model::display_safe;

/// The directories of the program. Nothing is created here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Settings: `$XDG_CONFIG_HOME/petstore`, else `~/.config/petstore`.
    pub config: PathBuf,
    /// The embedded database: `$XDG_DATA_HOME/petstore`, else the platform's data directory.
    pub data: PathBuf,
    /// State that survives a session: `$XDG_STATE_HOME/petstore`, else `~/.local/state/petstore`.
    pub state: PathBuf,
}

impl Paths {
    /// The directories by environment and platform. Relative XDG paths are ignored, as their specification asks.
    pub fn new(env: &Env) -> Result<Self, NoHome> {
        let xdg = |name| env.path(name).filter(|path| path.is_absolute()).map(|path| path.join("petstore"));
        let platform = ProjectDirs::from("", "", "petstore");
        let home = env.path("HOME");
        let config = xdg("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config/petstore")));
        let config = config.or_else(|| platform.as_ref().map(|dirs| dirs.config_dir().to_owned())).ok_or(NoHome)?;
        // Not of the variables of the process, as `ProjectDirs` has it.
        let local = home.as_ref().filter(|_| !cfg!(target_os = "macos")).map(|home| home.join(".local/share/petstore"));
        let data = xdg("XDG_DATA_HOME").or(local).or_else(|| platform.map(|dirs| dirs.data_dir().to_owned()));
        let data = data.ok_or(NoHome)?;
        let state = xdg("XDG_STATE_HOME").or_else(|| home.map(|home| home.join(".local/state/petstore")));
        Ok(Self { config, state: state.unwrap_or_else(|| data.join("state")), data })
    }

    /// The database of the embedded store.
    pub fn embedded_database(&self) -> PathBuf {
        self.data.join("embedded.db")
    }

    /// The list of domains.
    pub fn domains_file(&self) -> PathBuf {
        self.data.join("domains.json")
    }

    /// The default configuration file.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The directory of key files.
    pub fn keys(&self) -> PathBuf {
        self.config.join("keys")
    }

    /// The key file of a profile; none if its name is not plain.
    pub fn key_file(&self, profile: &str) -> Option<PathBuf> {
        is_plain_name(profile).then(|| self.keys().join(profile))
    }

    /// The file for copied text, if there is no other clipboard.
    pub fn copied_file(&self) -> PathBuf {
        self.state.join("copied.txt")
    }
}

/// Replaces a leading `~/` by the home directory.
pub fn expand_home(path: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

/// Replaces a leading `~/` by the home directory of `env`.
pub(super) fn in_home(path: &Path, env: &Env) -> PathBuf {
    expand_home(path, env.path("HOME").as_deref())
}

/// Replaces the home directory by `~/`.
pub fn below_home(path: &Path, env: &Env) -> PathBuf {
    let home = env.path("HOME");
    let below = home.as_ref().and_then(|home| path.strip_prefix(home).ok()).map(|rest| Path::new("~").join(rest));
    below.unwrap_or_else(|| path.to_owned())
}

/// How many colours a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Depth {
    /// None.
    Mono,
    /// The first 16, which the user may have changed.
    Sixteen,
    /// These and 240 fixed ones.
    TwoFiftySix,
    /// Any.
    TrueColour,
}

/// The variables of the process, or those that a test chose.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Env(BTreeMap<OsString, OsString>);

impl Env {
    /// What the process was started with.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
    pub fn from_process() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// The value of `name` as text, unless it is unset, empty or not Unicode.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.value(name)?.to_str()
    }

    /// The value of `name` as a path.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.value(name).map(PathBuf::from)
    }

    /// The value of `name`, unless it is unset or empty.
    pub fn value(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The same with these paths.
    pub fn with<const N: usize>(mut self, paths: [(&str, PathBuf); N]) -> Self {
        self.0.extend(paths.map(|(name, path)| (name.into(), path.into())));
        self
    }

    /// Whether another program runs this, an agent or a build: by `AGENT` or `CI`, unless they say 0 or false.
    pub fn is_unattended(&self) -> bool {
        ["AGENT", "CI"].into_iter().any(|name| !matches!(self.get(name), None | Some("0" | "false")))
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.0.iter()
    }

    /// Who runs this, for the log of API keys. The uid is certain, the name only helpful.
    pub fn actor(&self) -> String {
        let uid = rustix::process::getuid().as_raw();
        match self.get("LOGNAME").or_else(|| self.get("USER")) {
            Some(name) => format!("{} (uid {uid})", display_safe(name)),
            None => format!("uid {uid}"),
        }
    }

    /// Whether the locale uses UTF-8: the first of LC_ALL, LC_CTYPE and LANG that is set decides.
    pub fn is_utf8(&self) -> bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| self.get(name)).unwrap_or("");
        let locale = locale.to_ascii_lowercase();
        locale.ends_with("utf-8") || locale.ends_with("utf8")
    }

    /// How many colours the terminal shows, by COLORTERM and TERM; 16 if unknown.
    pub fn depth(&self) -> Depth {
        const KNOWN: [&str; 8] = ["256color", "kitty", "alacritty", "foot", "wezterm", "ghostty", "contour", "rio"];
        let term = self.get("TERM").unwrap_or("dumb");
        if term == "dumb" || term.starts_with("vt") || term.ends_with("-mono") || term.ends_with("-m") {
            Depth::Mono
        } else if matches!(self.get("COLORTERM"), Some("truecolor" | "24bit")) || term.ends_with("-direct") {
            Depth::TrueColour
        } else if KNOWN.iter().any(|known| term.contains(known)) {
            Depth::TwoFiftySix
        } else {
            Depth::Sixteen
        }
    }

    /// Whether the terminal is used over SSH.
    pub fn is_over_ssh(&self) -> bool {
        self.get("SSH_CONNECTION").or_else(|| self.get("SSH_TTY")).is_some()
    }

    /// Whether the terminal is known to support synchronized output (mode 2026), by TERM and the variables that terminals
    /// set. The terminal itself is never queried.
    pub fn shows_frames_at_once(&self) -> bool {
        const KNOWN: [&str; 6] = ["kitty", "ghostty", "wezterm", "foot", "contour", "alacritty"];
        let term = self.get("TERM").unwrap_or("dumb");
        let program = self.get("TERM_PROGRAM").unwrap_or("");
        if term.starts_with("tmux") || term.starts_with("screen") {
            // The variables of the outer terminal may be inherited.
            return program == "tmux"
                && self.get("TERM_PROGRAM_VERSION").is_some_and(|version| at_least(version, (3, 4)));
        }
        let programs = ["WezTerm", "ghostty", "iTerm.app", "contour"];
        KNOWN.iter().any(|known| term.contains(known))
            || term.starts_with("xterm") && (programs.contains(&program) || self.get("WT_SESSION").is_some())
    }
}

/// Whether a version such as `3.4a` is at least this one.
fn at_least(version: &str, least: (u32, u32)) -> bool {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= least
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Env {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_the_home_directory_is_shortened() {
        let env = Env::from_iter([("HOME", "/home/ada")]);
        let below = |path: &str| below_home(Path::new(path), &env);
        assert_eq!(below("/home/ada/.config/petstore/keys/shop"), PathBuf::from("~/.config/petstore/keys/shop"));
        assert_eq!(below("/home/adam/shop"), PathBuf::from("/home/adam/shop"));
        assert_eq!(below_home(Path::new("/home/ada"), &Env::default()), PathBuf::from("/home/ada"));
    }

    #[test]
    fn a_leading_tilde_is_the_home_directory() {
        let in_home = |path: &str| expand_home(Path::new(path), Some(Path::new("/home/ada")));
        for (path, expected) in [
            ("~/pets.csv", "/home/ada/pets.csv"),
            ("~", "/home/ada"),
            ("~//pets.csv", "/home/ada/pets.csv"),
            ("~pets.csv", "~pets.csv"),
            ("pets.csv", "pets.csv"),
        ] {
            assert_eq!(in_home(path), PathBuf::from(expected), "{path}");
        }
        assert_eq!(expand_home(Path::new("~/pets.csv"), None), PathBuf::from("~/pets.csv"));
    }

    #[test]
    fn xdg_variables_win_and_relative_ones_are_ignored() {
        let env = Env::from_iter([("HOME", "/home/ada"), ("XDG_CONFIG_HOME", "/c"), ("XDG_DATA_HOME", "/d")]);
        let paths = Paths::new(&env).unwrap();
        assert_eq!(paths.config_file(), PathBuf::from("/c/petstore/config.toml"));
        assert_eq!(paths.embedded_database(), PathBuf::from("/d/petstore/embedded.db"));
        assert_eq!(paths.key_file("staging"), Some("/c/petstore/keys/staging".into()));
        assert_eq!(paths.key_file("../config.toml"), None);
        let env = Env::from_iter([("HOME", "/home/ada"), ("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "/d")]);
        assert_eq!(Paths::new(&env).unwrap().config, PathBuf::from("/home/ada/.config/petstore"));
    }

    #[test]
    fn the_first_locale_variable_that_is_set_decides() {
        assert!(Env::from_iter([("LANG", "de_DE.UTF-8")]).is_utf8());
        assert!(Env::from_iter([("LC_ALL", ""), ("LANG", "C.utf8")]).is_utf8());
        assert!(!Env::from_iter([("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]).is_utf8());
        assert!(!Env::default().is_utf8());
    }

    #[test]
    fn colours_are_those_that_the_terminal_is_known_for() {
        let depth = |term: &str, colorterm: &str| Env::from_iter([("TERM", term), ("COLORTERM", colorterm)]).depth();
        for term in ["", "dumb", "vt100", "vt220", "xterm-mono", "linux-m"] {
            assert_eq!(depth(term, ""), Depth::Mono, "{term}");
        }
        for term in ["linux", "xterm", "xterm-color", "screen", "tmux", "rxvt", "ansi"] {
            assert_eq!(depth(term, ""), Depth::Sixteen, "{term}");
        }
        for term in ["xterm-256color", "screen-256color", "tmux-256color", "xterm-kitty", "alacritty", "foot"] {
            assert_eq!(depth(term, ""), Depth::TwoFiftySix, "{term}");
        }
        assert_eq!(depth("xterm-direct", ""), Depth::TrueColour);
        let expected = (Depth::TrueColour, Depth::TrueColour);
        assert_eq!((depth("xterm", "truecolor"), depth("xterm-256color", "24bit")), expected);
        // An inherited variable does not give colours to a terminal without them.
        assert_eq!(depth("vt100", "truecolor"), Depth::Mono);
        assert_eq!(depth("xterm", "yes"), Depth::Sixteen);
    }

    #[test]
    fn frames_are_synchronized_only_on_terminals_known_to_support_it() {
        let known = |variables: &[(&str, &str)]| Env::from_iter(variables.iter().copied()).shows_frames_at_once();
        for term in ["xterm-kitty", "xterm-ghostty", "wezterm", "foot-extra", "contour", "alacritty"] {
            assert!(known(&[("TERM", term)]), "{term}");
        }
        for term in ["", "linux", "vt220", "xterm", "xterm-256color", "screen-256color", "tmux-256color", "rxvt"] {
            assert!(!known(&[("TERM", term)]), "{term}");
        }
        let xterm = ("TERM", "xterm-256color");
        assert!(known(&[xterm, ("TERM_PROGRAM", "iTerm.app")]) && known(&[xterm, ("WT_SESSION", "a4f1")]));
        assert!(!known(&[xterm, ("TERM_PROGRAM", "Apple_Terminal")]));
        let tmux =
            |version| known(&[("TERM", "tmux-256color"), ("TERM_PROGRAM", "tmux"), ("TERM_PROGRAM_VERSION", version)]);
        assert!(tmux("3.4") && tmux("3.5a") && tmux("4.0") && !tmux("3.3a") && !tmux("2.9") && !tmux("next"));
        assert!(!known(&[("TERM", "screen"), ("TERM_PROGRAM", "WezTerm"), ("WT_SESSION", "a4f1")]));
    }
}
