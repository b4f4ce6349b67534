//! All settings, resolved: flags over environment over file over defaults.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::Env;
use super::error::ConfigError;
use super::file::{Accent, Clipboard, CustomAction, File, Glyphs, LinkSpeed, LoadLimit, View};
use super::sources::{Choices, Origin, Sourced, Sources, SshSession};
use super::target::{KeyOrigin, Resolved, Service, Target, label};
use super::theme::Themes;
use crate::model::escape::shell_word;
use crate::model::text::short;
use crate::model::{Categories, Limit, PetStatus};

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
    /// Rows per request.
    pub limit: Limit,
    /// The most pets that the app loads.
    pub load_limit: LoadLimit,
    /// The status tab at start.
    pub status: Option<PetStatus>,
    /// The pause between automatic refreshes.
    pub live: Option<Duration>,
    /// Saved searches.
    pub views: Vec<View>,
    /// The names of categories.
    pub categories: Arc<Categories>,
    /// Draw with ASCII characters only.
    pub ascii: bool,
    /// Ask and answer in plain lines, instead of a screen that is repainted.
    pub accessible: bool,
    /// Which colours are used.
    pub theme: String,
    /// Those that can be chosen.
    pub themes: Arc<Themes>,
    /// How text is copied.
    pub clipboard: Clipboard,
    /// The speed of the connection to the terminal; `Auto` measures it, over SSH.
    pub link: LinkSpeed,
    /// Use the mouse.
    pub mouse: bool,
    /// Programs that run for pets.
    pub actions: Arc<[CustomAction]>,
    /// Where each setting came from, in a fixed order: profile, address, key, rows, status, live, theme, glyphs,
    /// clipboard, link.
    pub origins: Vec<Sourced>,
}

/// The shortest pause between automatic refreshes.
const LEAST_LIVE: u32 = 5;

impl Settings {
    /// Resolves all settings. Reads the configuration file and the key, which may block; uses no network.
    pub fn resolve(choices: &Choices, env: &Env) -> Result<Self, ConfigError> {
        let sources = Sources::read(choices, env)?;
        Self::of(Target::at_start(&sources), &sources)
    }

    /// Why nothing can be added, for a read-only profile.
    pub fn why_read_only(&self) -> Option<String> {
        self.read_only.then(|| read_only(&self.label, self.ssh.is_some()))
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
        let is_profile = self.origins.first().is_some_and(|profile| match &profile.origin {
            Origin::Flag(name) => *name == "--profile",
            Origin::Environment(name) => *name == "PETSTORE_PROFILE",
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
    pub fn without_key(choices: &Choices, env: &Env) -> Result<Self, ConfigError> {
        let sources = Sources::read(choices, env)?.without_key();
        Self::of(Target::at_start(&sources), &sources)
    }

    pub(super) fn of(target: Target, sources: &Sources<'_>) -> Result<Self, ConfigError> {
        let resolved = target.resolve(sources)?;
        let mut settings = Self::with(&resolved, sources);
        settings.origins = listed(&settings, &resolved, sources)
            .filter_map(|(setting, sourced)| Some(Sourced { name: setting.name?, ..sourced }))
            .collect();
        Ok(settings)
    }

    fn with(resolved: &Resolved, sources: &Sources<'_>) -> Self {
        let (File { pets, views, categories, ui, .. }, ssh) = (&sources.file, &sources.choices.ssh);
        Self {
            name: resolved.name.clone(),
            label: ssh.as_ref().map_or_else(|| label(&resolved.name, &resolved.profile), |ssh| ssh.name.clone()),
            accent: resolved.profile.accent,
            protect: resolved.profile.protect,
            read_only: resolved.profile.read_only || ssh.as_ref().is_some_and(|ssh| ssh.read_only),
            ssh: ssh.clone().map(|session| SshSession { message: sources.file.ssh.message.clone(), ..session }),
            service: resolved.service.clone(),
            limit: pets.limit,
            load_limit: pets.load_limit,
            status: pets.status,
            live: (pets.live > 0).then(|| Duration::from_secs(pets.live.max(LEAST_LIVE).into())),
            views: views.clone(),
            categories: Arc::new(categories.clone()),
            ascii: match ui.glyphs {
                _ if sources.choices.ascii => true,
                Glyphs::Auto => !sources.env.is_utf8(),
                Glyphs::Unicode => false,
                Glyphs::Ascii => true,
            },
            accessible: sources.choices.accessible || wants_plain_lines(sources.env),
            theme: colourless(sources.env).map_or(ui.theme.get_ref().as_str(), |_| "mono").to_owned(),
            themes: Arc::new(sources.file.themes.clone()),
            // The others start a program, or write a file, of the machine that is logged in to.
            clipboard: match ui.clipboard {
                Clipboard::Off => Clipboard::Off,
                _ if ssh.is_some() => Clipboard::Osc52,
                chosen => chosen,
            },
            link: match ui.link {
                LinkSpeed::Auto if !sources.env.is_over_ssh() => LinkSpeed::Fast,
                link => link,
            },
            mouse: ui.mouse,
            // They run on the machine that is logged in to.
            actions: match ssh {
                Some(_) if !sources.file.ssh.actions => Arc::default(),
                _ => sources.file.actions.as_slice().into(),
            },
            origins: Vec::new(),
        }
    }
}

/// Why nothing can be added with the read-only profile of this label, or with a key that may only read.
pub fn read_only(label: &str, by_key: bool) -> String {
    let why = if by_key { "its key may only read" } else { "read_only = true in its profile" };
    format!("{} is read-only ({why})", short(label))
}

/// Every setting with its value and origin, by its key. The API key is not read; only its origin is shown.
pub fn all(choices: &Choices, env: &Env) -> Result<Vec<Sourced>, ConfigError> {
    let sources = Sources::read(choices, env)?.without_key();
    let resolved = Target::at_start(&sources).resolve(&sources)?;
    let settings = Settings::with(&resolved, &sources);
    Ok(listed(&settings, &resolved, &sources).map(|(_, sourced)| sourced).collect())
}

fn listed(
    settings: &Settings,
    resolved: &Resolved,
    sources: &Sources<'_>,
) -> impl Iterator<Item = (&'static Setting, Sourced)> {
    SETTINGS.iter().map(|setting| {
        let (value, origin) = ((setting.value)(settings, sources), setting.origin(resolved, sources));
        (setting, Sourced { name: setting.key, value, origin })
    })
}

/// A setting that is shown to people.
struct Setting {
    /// Its key in the configuration file; without a section it belongs to the profile.
    key: &'static str,
    /// Its name on screen, if it is shown there.
    name: Option<&'static str>,
    /// Its value; for the API key its origin.
    value: fn(&Settings, &Sources<'_>) -> String,
}

impl Setting {
    const fn new(key: &'static str, value: fn(&Settings, &Sources<'_>) -> String) -> Self {
        Self { key, name: None, value }
    }

    const fn shown(key: &'static str, name: &'static str, value: fn(&Settings, &Sources<'_>) -> String) -> Self {
        Self { key, name: Some(name), value }
    }

    /// What overrides the file, else the line in the file.
    fn origin(&self, resolved: &Resolved, sources: &Sources<'_>) -> Origin {
        let choices = sources.choices;
        let flag = |flag, is_given: bool| is_given.then_some(Origin::Flag(flag));
        let wins = match self.key {
            "profile" => Some(resolved.profile_origin.clone()),
            "address" => Some(resolved.address_origin.clone()),
            "key" => Some(resolved.key_origin.clone()),
            "ui.theme" => colourless(sources.env).map(Origin::Environment),
            "ui.glyphs" => flag("--ascii", choices.ascii),
            "ca_file" => flag("--ca-file", choices.ca_file.is_some() && ca_file(&resolved.service).is_some()),
            "insecure_http" => flag("--insecure-http", choices.insecure_http),
            "add.concurrency" => Some(sources.origin(&["add", "at_once"])).filter(|origin| *origin != Origin::Default),
            _ => None,
        };
        wins.unwrap_or_else(|| match self.key.split_once('.') {
            Some((section, key)) => sources.origin(&[section, key]),
            None if resolved.is_profile => sources.origin(&["profiles", &resolved.name, self.key]),
            None => Origin::Default,
        })
    }
}

/// All settings, in the order in which they are listed.
const SETTINGS: [Setting; 37] = [
    Setting::shown("profile", "profile", |now, _| now.name.clone()),
    Setting::shown("address", "address", |now, _| match &now.service {
        Service::Demo => "demo".to_owned(),
        Service::Embedded { .. } => "embedded store".to_owned(),
        Service::Remote(remote) => remote.base_url.to_string(),
    }),
    Setting::shown("key", "key", |now, _| match &now.service {
        Service::Demo | Service::Embedded { .. } => KeyOrigin::Embedded.to_string(),
        Service::Remote(remote) => remote.key_origin.to_string(),
    }),
    Setting::shown("pets.limit", "rows", |now, _| now.limit.to_string()),
    Setting::new("pets.load_limit", |now, _| now.load_limit.get().to_string()),
    Setting::shown("pets.status", "status", |now, _| now.status.map_or("all", PetStatus::as_str).to_owned()),
    Setting::shown("pets.live", "live", |now, _| {
        now.live.map_or("off".to_owned(), |live| format!("{} s", live.as_secs()))
    }),
    Setting::new("views", |now, _| joined(now.views.iter().map(|view| view.name.clone()))),
    Setting::new("categories", |now, _| joined(now.categories.iter().map(|(id, name)| format!("{id} {name}")))),
    Setting::shown("ui.theme", "theme", |now, _| now.theme.clone()),
    Setting::shown("ui.glyphs", "glyphs", |_, from| {
        if from.choices.ascii { Glyphs::Ascii } else { from.file.ui.glyphs }.to_string()
    }),
    Setting::shown("ui.clipboard", "clipboard", |now, _| now.clipboard.to_string()),
    Setting::shown("ui.link", "link", |now, _| now.link.to_string()),
    Setting::new("ui.mouse", |now, _| now.mouse.to_string()),
    Setting::new("ca_file", |now, _| ca_file(&now.service).map_or_else(String::new, shown)),
    Setting::new("insecure_http", |now, from| {
        let profile = from.file.profiles.get(&now.name).filter(|_| now.service != Service::Demo);
        let allowed = profile.is_some_and(|profile| profile.insecure_http);
        (from.choices.insecure_http || allowed).to_string()
    }),
    Setting::new("label", |now, _| now.label.clone()),
    Setting::new("accent", |now, _| now.accent.to_string()),
    Setting::new("protect", |now, _| now.protect.to_string()),
    Setting::new("read_only", |now, _| now.read_only.to_string()),
    Setting::new("add.scan_strip", |_, from| from.file.add.scan_strip.clone()),
    Setting::new("add.scan_tab", |_, from| from.file.add.scan_tab.to_string()),
    Setting::new("add.concurrency", |_, from| from.file.add.concurrency.get().to_string()),
    Setting::new("ssh.message", |_, from| from.file.ssh.message.clone()),
    Setting::new("ssh.actions", |_, from| from.file.ssh.actions.to_string()),
    Setting::new("domains.primary", |_, from| from.file.domains.primary.clone()),
    Setting::new("domains.redirects", |_, from| {
        let redirects = from.file.domains.redirects.iter();
        joined(redirects.map(|one| format!("{} to {} ({})", one.from, one.to, one.status)))
    }),
    Setting::new("domains.platform_host", |_, from| from.file.domains.platform_host.clone()),
    Setting::new("domains.ca_identities", |_, from| from.file.domains.ca_identities.join(", ")),
    Setting::new("domains.resolvers", |_, from| from.file.domains.resolvers.join(", ")),
    Setting::new("domains.name_servers", |_, from| {
        joined(from.file.domains.name_servers.iter().map(|(name, address)| format!("{name} at {address}")))
    }),
    Setting::new("domains.http_port", |_, from| from.file.domains.http_port.to_string()),
    Setting::new("domains.https_port", |_, from| from.file.domains.https_port.to_string()),
    Setting::new("domains.trust", |_, from| shown(&from.file.domains.trust)),
    Setting::new("domains.allow_private", |_, from| from.file.domains.allow_private.to_string()),
    Setting::new("domains.notify", |_, from| from.file.domains.notify.to_string()),
    Setting::new("actions", |now, _| joined(now.actions.iter().map(|action| action.name.clone()))),
];

fn ca_file(service: &Service) -> Option<&Path> {
    match service {
        Service::Remote(remote) => remote.ca_file.as_deref(),
        Service::Demo | Service::Embedded { .. } => None,
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// Whether a variable asks for plain lines. `ACCESSIBLE` is shared with other programs.
fn wants_plain_lines(env: &Env) -> bool {
    let value = env.get("PETSTORE_ACCESSIBLE").or_else(|| env.get("ACCESSIBLE"));
    value.is_some_and(|value| !matches!(value, "0" | "false" | "no"))
}

/// The variable that turns colours off, if one does.
fn colourless(env: &Env) -> Option<&'static str> {
    if env.get("NO_COLOR").is_some() {
        return Some("NO_COLOR");
    }
    matches!(env.get("TERM"), Some("vt100" | "vt220")).then_some("TERM")
}

/// The configuration file: the given one, which must exist, else the default one, which may be missing.
pub fn configuration(choices: &Choices, env: &Env) -> Result<File, ConfigError> {
    Ok(Sources::read(choices, env)?.file)
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::config::target::Remote;

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
    fn the_embedded_store_is_the_default() {
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
        let actions =
            |choices: &Choices, more: &str| resolve(choices, &[], &format!("{action}{more}")).unwrap().actions.len();
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
