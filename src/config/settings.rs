//! Everything that the user decided, resolved: flags over environment over file over defaults.

use std::time::Duration;

use crate::model::{Limit, PetStatus};

use super::Env;
use super::choices::Choices;
use super::error::ConfigError;
use super::file::{Accent, File};
use super::provenance::{Origin, Sourced};
use super::service::{KeyOrigin, Service};
use super::sources::Sources;
use super::target::Target;
use super::ui::{Clipboard, Glyphs, LinkSpeed, ThemeChoice};

/// Everything resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The name of the service: the profile's, or the host where an address was given directly.
    pub name: String,
    /// The word shown in the header: the profile's label, or the name.
    pub label: String,
    /// The colour of that word.
    pub accent: Accent,
    /// Ask before the first change, and again after each switch to it.
    pub protect: bool,
    /// Which service.
    pub service: Service,
    /// Rows asked for at once.
    pub limit: Limit,
    /// The status tab at start.
    pub status: Option<PetStatus>,
    /// The pause between automatic refreshes.
    pub live: Option<Duration>,
    /// Draw nothing beyond ASCII.
    pub ascii: bool,
    /// Ask and answer in plain lines, instead of a screen that is repainted.
    pub accessible: bool,
    /// Which colours are used.
    pub theme: ThemeChoice,
    /// How text is copied.
    pub clipboard: Clipboard,
    /// How fast the line to the terminal is; to be watched where that is not said and there is a line, as over SSH.
    pub link: LinkSpeed,
    /// Where each setting came from, in a fixed order: profile, address, key, rows, status, live, theme, glyphs,
    /// clipboard, link.
    pub origins: Vec<Sourced>,
}

/// The least pause between automatic refreshes.
const LEAST_LIVE: u32 = 5;

impl Settings {
    /// Resolves everything. Reads the configuration file and the key, wherever that is kept, which may block; uses no
    /// network.
    pub fn resolve(choices: &Choices, env: &Env) -> Result<Self, ConfigError> {
        let sources = Sources::read(choices, env)?;
        Self::of(Target::at_start(&sources), &sources)
    }

    /// The same, but for the key: only where it would come from is known. Runs no command and asks no keyring.
    pub fn without_key(choices: &Choices, env: &Env) -> Result<Self, ConfigError> {
        let sources = Sources::read(choices, env)?.without_key();
        Self::of(Target::at_start(&sources), &sources)
    }

    pub(super) fn of(chosen: Target, sources: &Sources<'_>) -> Result<Self, ConfigError> {
        let resolved = chosen.resolve(sources)?;
        let File { pets, ui, .. } = &sources.file;
        let (theme, theme_origin) = match colourless(sources.env) {
            Some(name) => (ThemeChoice::Mono, Origin::Environment(name.to_owned())),
            None => (ui.theme, sources.origin(&["ui", "theme"])),
        };
        let glyphs_origin =
            if sources.choices.ascii { Origin::Flag("--ascii") } else { sources.origin(&["ui", "glyphs"]) };
        let mut settings = Self {
            limit: pets.limit,
            status: pets.status.into(),
            live: (pets.live > 0).then(|| Duration::from_secs(pets.live.max(LEAST_LIVE).into())),
            ascii: match ui.glyphs {
                _ if sources.choices.ascii => true,
                Glyphs::Auto => !sources.env.is_utf8(),
                Glyphs::Unicode => false,
                Glyphs::Ascii => true,
            },
            accessible: sources.choices.accessible || wants_plain_lines(sources.env),
            theme,
            clipboard: ui.clipboard,
            link: match ui.link {
                LinkSpeed::Auto if !sources.env.is_over_ssh() => LinkSpeed::Fast,
                link => link,
            },
            origins: Vec::new(),
            name: resolved.name,
            label: resolved.label,
            accent: resolved.accent,
            protect: resolved.protect,
            service: resolved.service,
        };
        settings.origins = [
            resolved.profile_origin,
            resolved.address_origin,
            resolved.key_origin,
            sources.origin(&["pets", "limit"]),
            sources.origin(&["pets", "status"]),
            sources.origin(&["pets", "live"]),
            theme_origin,
            glyphs_origin,
            sources.origin(&["ui", "clipboard"]),
            sources.origin(&["ui", "link"]),
        ]
        .into_iter()
        .zip(settings.in_words())
        .map(|(origin, (name, value))| Sourced { name, value, origin })
        .collect();
        Ok(settings)
    }

    /// Each setting with its value, for people; the key only by where it came from.
    fn in_words(&self) -> [(&'static str, String); 10] {
        let (address, key) = match &self.service {
            Service::Demo => ("in this program, on samples".to_owned(), &KeyOrigin::Embedded),
            Service::Embedded { .. } => ("in this program".to_owned(), &KeyOrigin::Embedded),
            Service::Remote(remote) => (remote.base_url.to_string(), &remote.key_origin),
        };
        [
            ("profile", self.name.clone()),
            ("address", address),
            ("key", key.to_string()),
            ("rows", self.limit.to_string()),
            ("status", self.status.map_or("all".to_owned(), |status| status.to_string())),
            ("live", self.live.map_or("off".to_owned(), |pause| format!("{} s", pause.as_secs()))),
            ("theme", self.theme.name().to_owned()),
            ("glyphs", if self.ascii { "ascii" } else { "unicode" }.to_owned()),
            ("clipboard", self.clipboard.name().to_owned()),
            ("link", self.link.name().to_owned()),
        ]
    }
}

/// Whether a variable asks for plain lines. `ACCESSIBLE` is shared with other programs.
fn wants_plain_lines(env: &Env) -> bool {
    let value = env.get("PETSTORE_ACCESSIBLE").or_else(|| env.get("ACCESSIBLE"));
    value.is_some_and(|value| !matches!(value, "0" | "false" | "no"))
}

/// The variable that asks for no colours, if one does.
fn colourless(env: &Env) -> Option<&'static str> {
    if env.get("NO_COLOR").is_some() {
        return Some("NO_COLOR");
    }
    matches!(env.get("TERM"), Some("vt100" | "vt220")).then_some("TERM")
}

/// The configuration file: the named one, which must be there, else the usual one, which need not.
pub fn configuration(choices: &Choices, env: &Env) -> Result<File, ConfigError> {
    Ok(Sources::read(choices, env)?.file)
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::PathBuf;

    use super::super::service::Remote;
    use super::*;

    /// A configuration file in a directory of its own, and an environment in which it is found.
    pub struct Written {
        pub env: Env,
        pub path: PathBuf,
        _directory: tempfile::TempDir,
    }

    pub fn written(vars: &[(&str, &str)], config: &str) -> Written {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("petstore/config.toml");
        std::fs::create_dir(directory.path().join("petstore")).unwrap();
        std::fs::write(&path, config).unwrap();
        let home =
            [("HOME", "/home/ada"), ("XDG_DATA_HOME", "/d"), ("XDG_CONFIG_HOME", directory.path().to_str().unwrap())];
        let env = home.iter().chain(vars).copied().collect();
        Written { env, path, _directory: directory }
    }

    pub fn resolve(choices: &Choices, vars: &[(&str, &str)], config: &str) -> Result<Settings, ConfigError> {
        Settings::resolve(choices, &written(vars, config).env)
    }

    pub fn remote(settings: &Settings) -> &Remote {
        match &settings.service {
            Service::Remote(remote) => remote,
            other => panic!("not remote: {other:?}"),
        }
    }

    pub const CONFIG: &str = r#"
        profile = "shop"
        [profiles.shop]
        base_url = "https://shop.example/v1"
        [profiles.staging]
        base_url = "https://staging.example/v1"
        key = { env = "STAGING_KEY" }
        [pets]
        limit = 50
        status = "sold"
    "#;

    #[test]
    fn with_nothing_set_the_service_inside_is_used() {
        let settings = resolve(&Choices::default(), &[], "").unwrap();
        assert_eq!(settings.service, Service::Embedded { database: "/d/petstore/embedded.db".into() });
        assert_eq!((settings.name.as_str(), settings.limit.get(), settings.status), ("embedded", 20, None));
    }

    #[test]
    fn flag_beats_environment_beats_file() {
        let flag = Choices { base_url: Some("https://flag.example/v1".into()), ..Choices::default() };
        let env = [("PETSTORE_BASE_URL", "https://env.example/v1")];
        let name = |choices: &Choices, vars: &[(&str, &str)]| resolve(choices, vars, CONFIG).unwrap().name;
        assert_eq!(name(&flag, &env), "flag.example");
        assert_eq!(name(&Choices::default(), &env), "env.example");
        assert_eq!(name(&Choices::default(), &[]), "shop");
        let profile = Choices { profile: Some("staging".into()), ..Choices::default() };
        assert_eq!(name(&profile, &env), "staging");
        let settings = resolve(&Choices::default(), &[], CONFIG).unwrap();
        assert_eq!((settings.limit.get(), settings.status), (50, Some(PetStatus::Sold)));
    }

    #[test]
    fn where_each_setting_came_from_is_known() {
        let sources = |choices: &Choices, vars: &[(&str, &str)], config: &str| {
            let settings = resolve(choices, vars, config).unwrap();
            settings
                .origins
                .iter()
                .map(|Sourced { name, value, origin }| format!("{name} {value}: {origin}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            sources(&Choices::default(), &[], ""),
            [
                "profile embedded: default",
                "address in this program: default",
                "key made for this session: default",
                "rows 20: default",
                "status all: default",
                "live off: default",
                "theme default: default",
                "glyphs ascii: default",
                "clipboard auto: default",
                "link fast: default",
            ]
        );
        let config = "profile = \"a\"\n[profiles.a]\nbase_url = \"https://a.example/v1\"\nkey = { env = \"A_KEY\" }\n\
                      [pets]\nlimit = 50\nstatus = \"sold\"\nlive = 2\n\
                      [ui]\nglyphs = \"unicode\"\ntheme = \"dark\"\nclipboard = \"osc52\"\nlink = \"slow\"\n";
        assert_eq!(
            sources(&Choices::default(), &[("A_KEY", "petk_of_a_000001")], config),
            [
                "profile a: config.toml, line 1",
                "address https://a.example/v1: config.toml, line 3",
                "key from environment A_KEY: config.toml, line 4",
                "rows 50: config.toml, line 6",
                "status sold: config.toml, line 7",
                "live 5 s: config.toml, line 8",
                "theme dark: config.toml, line 11",
                "glyphs unicode: config.toml, line 10",
                "clipboard osc52: config.toml, line 12",
                "link slow: config.toml, line 13",
            ]
        );
        let choices = Choices { profile: Some("a".into()), ascii: true, ..Choices::default() };
        let flags = sources(&choices, &[("NO_COLOR", "1"), ("PETSTORE_API_KEY", "petk_other_00001")], config);
        assert_eq!(flags[0], "profile a: from --profile");
        assert_eq!(flags[2], "key none is set: config.toml, line 4");
        assert_eq!(flags[6..8], ["theme mono: from environment NO_COLOR", "glyphs ascii: from --ascii"]);
        let vars = [
            ("PETSTORE_BASE_URL", "https://b.example/v1"),
            ("PETSTORE_API_KEY", "petk_of_b_000001"),
            ("TERM", "vt220"),
        ];
        let environment = sources(&Choices::default(), &vars, config);
        assert_eq!(
            environment[..3],
            [
                "profile b.example: from environment PETSTORE_BASE_URL",
                "address https://b.example/v1: from environment PETSTORE_BASE_URL",
                "key from environment PETSTORE_API_KEY: from environment PETSTORE_API_KEY",
            ]
        );
        assert_eq!(environment[6], "theme mono: from environment TERM");
        let vars = [("PETSTORE_PROFILE", "a")];
        assert_eq!(sources(&Choices::default(), &vars, config)[0], "profile a: from environment PETSTORE_PROFILE");
        let demo = Choices { demo: true, ..Choices::default() };
        assert_eq!(
            sources(&demo, &vars, config)[..3],
            [
                "profile demo: from --demo",
                "address in this program, on samples: from --demo",
                "key made for this session: default",
            ]
        );
    }

    #[test]
    fn plain_lines_are_asked_for_by_a_flag_or_a_variable() {
        let plain = |choices: &Choices, vars: &[(&str, &str)]| resolve(choices, vars, "").unwrap().accessible;
        let none = Choices::default();
        assert!(plain(&Choices { accessible: true, ..Choices::default() }, &[("PETSTORE_ACCESSIBLE", "0")]));
        for (vars, expected) in [
            (&[][..], false),
            (&[("ACCESSIBLE", "1")], true),
            (&[("PETSTORE_ACCESSIBLE", "yes")], true),
            (&[("ACCESSIBLE", "0")], false),
            (&[("ACCESSIBLE", "1"), ("PETSTORE_ACCESSIBLE", "no")], false),
        ] {
            assert_eq!(plain(&none, vars), expected, "{vars:?}");
        }
    }

    #[test]
    fn the_header_has_the_label_of_the_profile_or_its_name() {
        let label = |label: &str| {
            let config = format!("profile = \"a\"\n[profiles.a]\nbase_url = \"https://a.example/v1\"\n{label}");
            let settings = resolve(&Choices::default(), &[], &config).unwrap();
            (settings.name, settings.label, settings.accent, settings.protect)
        };
        let expected = |label: &str, accent, protect| ("a".to_owned(), label.to_owned(), accent, protect);
        assert_eq!(label(""), expected("a", Accent::None, false));
        assert_eq!(label("label = \" \""), expected("a", Accent::None, false));
        let all = "label = \"LIVE\"\naccent = \"magenta\"\nprotect = true";
        assert_eq!(label(all), expected("LIVE", Accent::Magenta, true));
    }
}
