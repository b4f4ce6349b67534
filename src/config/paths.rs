//! The directories and files of the program. XDG variables win on every platform.

use std::path::{Path, PathBuf};

use directories::ProjectDirs;

use super::Env;
use super::error::NoHome;
use super::file::is_plain_name;

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

/// Replaces the home directory by `~/`.
pub fn below_home(path: &Path, env: &Env) -> PathBuf {
    let home = env.path("HOME");
    let below = home.as_ref().and_then(|home| path.strip_prefix(home).ok()).map(|rest| Path::new("~").join(rest));
    below.unwrap_or_else(|| path.to_owned())
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
}
