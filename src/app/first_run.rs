//! The first start: whether this is one, what will be written, and what begins after a choice.

use std::path::Path;

use crate::config::paths::below_home;
use crate::config::{Choices, Env, Paths};

/// What the program starts again with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartChoice {
    /// Samples, of which nothing is kept.
    Samples,
    /// A store on this machine, served by this program.
    Embedded,
}

/// Whether nothing is set up: no file, no embedded database, and no flag or variable that names a service. Looks only
/// whether the files are there.
pub fn is_first_start(choices: &Choices, env: &Env) -> bool {
    let Choices { config, profile, base_url, demo, .. } = choices;
    let variables = ["PETSTORE_BASE_URL", "PETSTORE_PROFILE", "PETSTORE_CONFIG"];
    let chosen = *demo || config.is_some() || profile.is_some() || base_url.is_some();
    let chosen = chosen || variables.iter().any(|name| env.path(name).is_some());
    let is_there = |path: &Path| path.symlink_metadata().is_ok();
    // Without a home nothing can be kept, and the ordinary start says so.
    !chosen
        && Paths::new(env).is_ok_and(|paths| !is_there(&paths.config_file()) && !is_there(&paths.embedded_database()))
}

/// The directories that will be written.
pub fn directories(env: &Env) -> Vec<String> {
    let Ok(Paths { config, data, state }) = Paths::new(env) else { return Vec::new() };
    [config, data, state].map(|path| format!("{}/", below_home(&path, env).display())).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A home, and the environment in it.
    fn home(more: &[(&str, &str)]) -> (tempfile::TempDir, Env) {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().to_str().unwrap().to_owned();
        let vars = [
            ("HOME", path.clone()),
            ("XDG_DATA_HOME", format!("{path}/data")),
            ("XDG_STATE_HOME", format!("{path}/state")),
        ];
        let more = more.iter().map(|(name, value)| (*name, (*value).to_owned()));
        (home, vars.into_iter().chain(more).collect())
    }

    #[test]
    fn a_start_is_the_first_one_only_where_nothing_says_what_to_begin_with() {
        let (_home, env) = home(&[]);
        let none = Choices::default();
        assert!(is_first_start(&none, &env));
        assert!(is_first_start(&Choices { ascii: true, insecure_http: true, ..none.clone() }, &env));
        let demo = Choices { demo: true, ..none.clone() };
        let profile = Choices { profile: Some("shop".into()), ..none.clone() };
        let address = Choices { base_url: Some("https://shop.example/v1".into()), ..none.clone() };
        let config = Choices { config: Some("x.toml".into()), ..none.clone() };
        for choices in [demo, profile, address, config] {
            assert!(!is_first_start(&choices, &env), "{choices:?}");
        }
        for name in ["PETSTORE_BASE_URL", "PETSTORE_PROFILE", "PETSTORE_CONFIG"] {
            assert!(!is_first_start(&none, &home(&[(name, "x")]).1), "{name}");
        }
        assert!(is_first_start(&none, &home(&[("PETSTORE_API_KEY", "x")]).1));
        for path in [".config/petstore/config.toml", "data/petstore/embedded.db"] {
            let (home, env) = home(&[]);
            std::fs::create_dir_all(home.path().join(path).parent().unwrap()).unwrap();
            std::fs::write(home.path().join(path), "").unwrap();
            assert!(!is_first_start(&none, &env), "{path}");
        }
    }

    #[test]
    fn the_directories_are_named_from_the_home_directory() {
        assert_eq!(directories(&home(&[]).1), ["~/.config/petstore/", "~/data/petstore/", "~/state/petstore/"]);
    }
}
