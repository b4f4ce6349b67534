//! The first start: whether this is one, what is shown about this terminal, and what begins after a choice.

use std::path::Path;

use crate::app::clipboard::ClipboardBackend;
use crate::config::paths::{below_home, expand_home};
use crate::config::{Choices, Depth, Env, Origin, Paths, Settings};

/// What was found out about this terminal and this machine, in words that are safe to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The terminal but for its size: `256 colours, UTF-8, inside tmux`.
    pub terminal: String,
    /// How texts are copied here.
    pub copying: String,
    /// The theme, and where it was chosen.
    pub theme: String,
    /// The files and directories that will be written.
    pub files: Vec<String>,
}

/// What the program starts again with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartChoice {
    /// Samples, of which nothing is kept.
    Samples,
    /// A store on this machine, served by this program.
    Embedded,
    /// This configuration file, as it was typed.
    File(String),
}

/// Whether nothing is set up: no file, no embedded database, and no flag or variable that names a service. Looks only
/// whether the files are there.
pub fn is_first_start(choices: &Choices, env: &Env) -> bool {
    let Choices {
        config,
        profile,
        base_url,
        demo,
        key: _,
        ca_file: _,
        insecure_http: _,
        ascii: _,
        accessible: _,
        ssh: _,
    } = choices;
    let chosen = *demo || config.is_some() || profile.is_some() || base_url.is_some();
    let variables = ["PETSTORE_BASE_URL", "PETSTORE_PROFILE", "PETSTORE_CONFIG"];
    let chosen = chosen || variables.iter().any(|name| env.path(name).is_some());
    let is_there = |path: &Path| path.symlink_metadata().is_ok();
    // Without a home nothing can be kept, and the ordinary start says so.
    !chosen
        && Paths::new(env).is_ok_and(|paths| !is_there(&paths.config_file()) && !is_there(&paths.embedded_database()))
}

/// What was found out about this terminal and this machine.
pub fn surroundings(settings: &Settings, env: &Env, copying: &[ClipboardBackend]) -> Surroundings {
    let mut terminal = vec![
        match env.depth() {
            Depth::Mono => "no colours",
            Depth::Sixteen => "16 colours",
            Depth::TwoFiftySix => "256 colours",
            Depth::TrueColour => "all colours",
        },
        if settings.ascii { "ASCII" } else { "UTF-8" },
    ];
    terminal.extend(env.get("TMUX").map(|_| "inside tmux"));
    terminal.extend(env.get("STY").map(|_| "inside screen"));
    terminal.extend(env.is_over_ssh().then_some("over SSH"));
    let ways: Vec<String> = copying.iter().map(|way| way_words(way, env)).collect();
    let chosen = settings.origins.iter().find(|sourced| sourced.name == "theme" && sourced.origin != Origin::Default);
    let origin = chosen.map_or(String::new(), |sourced| format!(" ({})", sourced.origin));
    let files = Paths::new(env).map_or_else(
        |_| Vec::new(),
        |Paths { config, data, state }| {
            [config, data, state].map(|path| format!("{}/", below_home(&path, env).display())).to_vec()
        },
    );
    Surroundings {
        terminal: terminal.join(", "),
        copying: ways.join(", else "),
        theme: format!("{}{origin}", settings.theme),
        files,
    }
}

/// A way to copy, in words.
pub fn way_words(way: &ClipboardBackend, env: &Env) -> String {
    match way {
        ClipboardBackend::Tmux => "through tmux".to_owned(),
        ClipboardBackend::Desktop(program, _) => format!("by {program}"),
        ClipboardBackend::Terminal => "through the terminal (OSC 52)".to_owned(),
        ClipboardBackend::File(path) => format!("into {}", below_home(path, env).display()),
    }
}

/// What the program starts again with.
pub fn choices_after(chosen: &StartChoice, choices: &Choices, env: &Env) -> Choices {
    let choices = choices.clone();
    match chosen {
        StartChoice::Samples => Choices { demo: true, ..choices },
        StartChoice::Embedded => choices,
        StartChoice::File(path) => {
            Choices { config: Some(expand_home(Path::new(path), env.path("HOME").as_deref())), ..choices }
        }
    }
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
    fn the_surroundings_are_described_in_words() {
        let shown = |vars: &[(&str, &str)], ways: &[ClipboardBackend]| {
            let (_home, env) = home(vars);
            surroundings(&Settings::resolve(&Choices::default(), &env).unwrap(), &env, ways)
        };
        let plain = shown(&[("TERM", "linux"), ("NO_COLOR", "1")], &[]);
        assert_eq!(plain.terminal, "16 colours, ASCII");
        assert_eq!(plain.theme, "mono (from environment NO_COLOR)");
        assert_eq!(plain.files, ["~/.config/petstore/", "~/data/petstore/", "~/state/petstore/"]);
        let vars = [("TERM", "tmux-256color"), ("LANG", "C.UTF-8"), ("TMUX", "x"), ("SSH_TTY", "/dev/pts/1")];
        let rich = shown(
            &vars,
            &[
                ClipboardBackend::Tmux,
                ClipboardBackend::Desktop("wl-copy", &[]),
                ClipboardBackend::Terminal,
                ClipboardBackend::File("/x/c.txt".into()),
            ],
        );
        assert_eq!(rich.terminal, "256 colours, UTF-8, inside tmux, over SSH");
        assert_eq!(rich.theme, "default");
        assert_eq!(
            rich.copying,
            "through tmux, else by wl-copy, else through the terminal (OSC 52), else into /x/c.txt"
        );
    }

    #[test]
    fn a_choice_keeps_the_flags_and_finds_the_home_directory() {
        let (home, env) = home(&[]);
        let flags = Choices { ascii: true, ..Choices::default() };
        let after = |chosen: StartChoice| {
            let Choices { demo, config, ascii, .. } = choices_after(&chosen, &flags, &env);
            (demo, config, ascii)
        };
        assert_eq!(after(StartChoice::Samples), (true, None, true));
        assert_eq!(after(StartChoice::Embedded), (false, None, true));
        assert_eq!(after(StartChoice::File("~/my.toml".into())), (false, Some(home.path().join("my.toml")), true));
        assert_eq!(after(StartChoice::File("my.toml".into())), (false, Some("my.toml".into()), true));
    }
}
