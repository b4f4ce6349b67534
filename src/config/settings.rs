//! All settings, resolved: flags over environment over file over defaults.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize as _;
use toml_edit::Value;
use toml_edit::ser::ValueSerializer;

use super::file::{Accent, Clipboard, Glyphs, LinkSpeed, theme_named};
use super::sources::{Choices, Origin, Sourced, Sources, SshSession};
use super::target::{KeyOrigin, Resolved, Service, Target, label};
use super::{Env, File, Profile, Result};
use crate::model::{Categories, shell_word, short};

/// All settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The name of the service: the profile's, or the host of an address that was given directly.
    pub name: String,
    /// The label in the header: the profile's label, or the name.
    pub label: String,
    /// The colour of the label.
    pub accent: Accent,
    /// Ask before the first change, and again after each switch to it.
    pub protect: bool,
    /// Refuse every change.
    pub read_only: bool,
    /// The session over SSH that this is.
    pub ssh: Option<SshSession>,
    pub service: Service,
    /// The configuration, with what flags and the environment override.
    pub config: File,
    /// The names of categories in it, which are passed on.
    pub categories: Arc<Categories>,
    /// Draw with ASCII characters only.
    pub ascii: bool,
    /// Ask and answer in plain lines, instead of a screen that is repainted.
    pub accessible: bool,
    /// Where each setting came from, in a fixed order: profile, address, key, rows, status, live, theme, glyphs,
    /// clipboard, link.
    pub origins: Vec<Sourced>,
}

/// The name on screen of a setting with this key, if it is shown there.
fn name_on_screen(key: &str) -> Option<&str> {
    match key {
        "pets.limit" => Some("rows"),
        "pets.load_limit" | "ui.mouse" => None,
        "profile" | "address" | "key" => Some(key),
        _ => key.strip_prefix("pets.").or_else(|| key.strip_prefix("ui.")),
    }
}

impl Settings {
    /// Resolves all settings. Reads the configuration file and the key, which may block; uses no network.
    pub fn resolve(choices: &Choices, env: &Env) -> Result<Self> {
        let sources = Sources::read(choices, env)?;
        Self::of(Target::at_start(&sources), &sources)
    }

    /// Why nothing can be added, for a read-only profile.
    pub fn why_read_only(&self) -> Option<String> {
        self.read_only.then(|| read_only(&self.label, self.ssh.is_some()))
    }

    /// What the store says at the start of a session over SSH.
    pub fn message(&self) -> Option<&str> {
        Some(self.config.ssh.message.as_str()).filter(|message| self.ssh.is_some() && !message.is_empty())
    }

    /// Identifies the data of the service; none if they end with the session.
    pub fn identity(&self) -> Option<String> {
        match &self.service {
            Service::Demo => None,
            Service::Embedded { database } => Some(database.display().to_string()),
            // With another key, the same address may show something else.
            Service::Remote(remote) => Some(format!("{} {}", self.name, remote.base_url)),
        }
    }

    /// The options that choose this service in a shell. Only what was chosen by its address is chosen so again.
    pub fn flags(&self) -> String {
        let is_profile = self.origins.first().is_some_and(|profile| match profile.origin {
            Origin::Flag(name) | Origin::Environment(name) => matches!(name, "--profile" | "PETSTORE_PROFILE"),
            Origin::File { .. } | Origin::ByHand => true,
            Origin::Default => false,
        });
        match &self.service {
            Service::Demo => " --demo".to_owned(),
            Service::Embedded { .. } | Service::Remote(_) if is_profile => format!(" -p {}", shell_word(&self.name)),
            Service::Embedded { .. } => String::new(),
            Service::Remote(remote) => format!(" --base-url {}", remote.base_url),
        }
    }

    /// `text`, its commands with the options that chose this service on the command line: the next one goes there, too.
    pub fn with_flags(&self, text: &str) -> String {
        match self.origins.first().map(|profile| &profile.origin) {
            // Over SSH there is one service.
            Some(Origin::Flag(_)) if self.ssh.is_none() => {
                text.replace("petstore pets ", &format!("petstore{} pets ", self.flags()))
            }
            _ => text.to_owned(),
        }
    }

    /// The same without reading the key: only its origin is known. Runs no command.
    pub fn without_key(choices: &Choices, env: &Env) -> Result<Self> {
        let sources = Sources::read(choices, env)?.without_key();
        Self::of(Target::at_start(&sources), &sources)
    }

    pub(super) fn of(target: Target, sources: &Sources<'_>) -> Result<Self> {
        let resolved = target.resolve(sources)?;
        let mut settings = Self::with(&resolved, sources);
        let listed = settings.listed(&resolved, sources).into_iter();
        let shown = listed.filter_map(|one| Some(Sourced { name: name_on_screen(&one.name)?.to_owned(), ..one }));
        settings.origins = shown.collect();
        Ok(settings)
    }

    fn with(resolved: &Resolved, sources: &Sources<'_>) -> Self {
        let Sources { choices, env, .. } = sources;
        let (mut config, ssh) = (sources.file.clone(), &choices.ssh);
        // Other programs know the second one, too.
        let plain = env.get("PETSTORE_ACCESSIBLE").or_else(|| env.get("ACCESSIBLE"));
        let ui = &mut config.ui;
        if choices.ascii {
            ui.glyphs = Glyphs::Ascii;
        }
        if colourless(env).is_some() {
            ui.theme = theme_named("mono");
        }
        if ui.link == LinkSpeed::Auto && !env.is_over_ssh() {
            ui.link = LinkSpeed::Fast;
        }
        // The others start a program, or write a file, of the machine that is logged in to.
        if ssh.is_some() && ui.clipboard != Clipboard::Off {
            ui.clipboard = Clipboard::Osc52;
        }
        // They run on the machine that is logged in to.
        if ssh.is_some() && !config.ssh.actions {
            config.actions = Arc::default();
        }
        Self {
            name: resolved.name.clone(),
            label: ssh.as_ref().map_or_else(|| label(&resolved.name, &resolved.profile), |ssh| ssh.name.clone()),
            accent: resolved.profile.accent,
            protect: resolved.profile.protect,
            read_only: resolved.profile.read_only || ssh.as_ref().is_some_and(|ssh| ssh.read_only),
            ssh: ssh.clone(),
            service: resolved.service.clone(),
            ascii: match config.ui.glyphs {
                Glyphs::Auto => !env.is_utf8(),
                Glyphs::Unicode => false,
                Glyphs::Ascii => true,
            },
            accessible: choices.accessible || plain.is_some_and(|value| !matches!(value, "0" | "false" | "no")),
            categories: Arc::clone(&config.categories),
            config,
            origins: Vec::new(),
        }
    }

    /// Every setting with its value and origin, by its key in the configuration; one of a profile without its table.
    fn listed(&self, resolved: &Resolved, sources: &Sources<'_>) -> Vec<Sourced> {
        let (address, key, ca_file) = match &self.service {
            Service::Demo => ("demo".to_owned(), &KeyOrigin::Embedded, None),
            Service::Embedded { .. } => ("embedded store".to_owned(), &KeyOrigin::Embedded, None),
            Service::Remote(remote) => (remote.base_url.to_string(), &remote.key_origin, remote.ca_file.clone()),
        };
        let choices = sources.choices;
        let overridden = [
            ("ui.theme", colourless(sources.env).map(Origin::Environment)),
            ("ui.glyphs", choices.ascii.then_some(Origin::Flag("--ascii"))),
            ("ca_file", choices.ca_file.as_ref().and(ca_file.as_ref()).map(|_| Origin::Flag("--ca-file"))),
            ("insecure_http", choices.insecure_http.then_some(Origin::Flag("--insecure-http"))),
            ("add.concurrency", Some(sources.origin(&["add", "at_once"])).filter(|origin| *origin != Origin::Default)),
        ];
        let profile = Profile {
            embedded: false,
            base_url: None,
            key: None,
            // Lossy, as it is only shown.
            ca_file: Some(ca_file.map_or_else(String::new, |file| file.display().to_string()).into()),
            insecure_http: resolved.profile.insecure_http || choices.insecure_http,
            label: Some(self.label.clone()),
            read_only: self.read_only,
            ..resolved.profile.clone()
        };
        let one = |name: &str, value, origin: &Origin| Sourced { name: name.into(), value, origin: origin.clone() };
        let mut listed = vec![
            one("profile", self.name.clone(), &resolved.profile_origin),
            one("address", address, &resolved.address_origin),
            one("key", key.to_string(), &resolved.key_origin),
        ];
        let file = File { profiles: BTreeMap::from([(self.name.clone(), profile)]), ..self.config.clone() };
        let file = file.serialize(ValueSerializer::new()).expect("what was read as TOML can be written as TOML");
        for (path, value) in leaves(&[], &file) {
            let (name, is_set) = match path.as_slice() {
                ["profiles", _, key] => ((*key).to_owned(), resolved.is_profile),
                _ => (path.join("."), true),
            };
            let wins = overridden.iter().find(|(key, _)| *key == name).and_then(|(_, origin)| origin.clone());
            let in_file = || if is_set { sources.origin(&path) } else { Origin::Default };
            listed.push(Sourced { name, value: words(value), origin: wins.unwrap_or_else(in_file) });
        }
        listed
    }
}

/// The values of a table and of those in it, with their paths.
fn leaves<'a>(path: &[&'a str], value: &'a Value) -> Vec<(Vec<&'a str>, &'a Value)> {
    match value {
        Value::InlineTable(table) => {
            table.iter().flat_map(|(key, value)| leaves(&[path, &[key]].concat(), value)).collect()
        }
        leaf => vec![(path.to_vec(), leaf)],
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.value().clone(),
        Value::Array(parts) => Vec::from_iter(parts.iter().map(words)).join(", "),
        other => other.to_string(),
    }
}

/// Why nothing can be added with the read-only profile of this label, or with a key that may only read.
pub fn read_only(label: &str, by_key: bool) -> String {
    let why = if by_key { "its key may only read" } else { "read_only = true in its profile" };
    format!("{} is read-only ({why})", short(label))
}

/// Every setting with its value and origin, by its key. The API key is not read; only its origin is shown.
pub fn all(choices: &Choices, env: &Env) -> Result<Vec<Sourced>> {
    let sources = Sources::read(choices, env)?.without_key();
    let resolved = Target::at_start(&sources).resolve(&sources)?;
    Ok(Settings::with(&resolved, &sources).listed(&resolved, &sources))
}

/// The variable that turns colours off, if one does.
fn colourless(env: &Env) -> Option<&'static str> {
    if env.get("NO_COLOR").is_some() {
        return Some("NO_COLOR");
    }
    matches!(env.get("TERM"), Some("vt100" | "vt220")).then_some("TERM")
}

/// The configuration file: the given one, which must exist, else the default one, which may be missing.
pub fn configuration(choices: &Choices, env: &Env) -> Result<File> {
    Ok(Sources::read(choices, env)?.file)
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::config::target::Remote;
    use crate::model::PetStatus;

    /// A configuration file in its own directory, and an environment that leads to it.
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

    pub fn resolve(choices: &Choices, vars: &[(&str, &str)], config: &str) -> Result<Settings> {
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
    fn the_embedded_store_is_the_default() {
        let settings = resolve(&Choices::default(), &[], "").unwrap();
        assert_eq!(settings.service, Service::Embedded { database: "/d/petstore/embedded.db".into() });
        let wanted = ("embedded", 20, None);
        assert_eq!((settings.name.as_str(), settings.config.pets.limit.get(), settings.config.pets.status), wanted);
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
        assert_eq!((settings.config.pets.limit.get(), settings.config.pets.status), (50, Some(PetStatus::Sold)));
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
                "address embedded store: default",
                "key created for this session: default",
                "rows 20: default",
                "status all: default",
                "live off: default",
                "theme default: default",
                "glyphs auto: default",
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
        assert_eq!(flags[2], "key none: config.toml, line 4");
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
            ["profile demo: from --demo", "address demo: from --demo", "key created for this session: default",]
        );
    }

    #[test]
    fn actions_run_in_a_session_over_ssh_only_if_the_server_allows_them() {
        let action = "[[actions]]\nname = \"label\"\ncommand = [\"lp\"]\n";
        let session = Choices { ssh: Some(SshSession::default()), ..Choices::default() };
        let actions = |choices: &Choices, more: &str| {
            resolve(choices, &[], &format!("{action}{more}")).unwrap().config.actions.len()
        };
        assert_eq!(actions(&Choices::default(), ""), 1);
        assert_eq!(actions(&session, ""), 0);
        assert_eq!(actions(&session, "[ssh]\nactions = true\n"), 1);
    }

    #[test]
    fn plain_lines_are_turned_on_by_a_flag_or_a_variable() {
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
