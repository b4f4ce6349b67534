//! One answer to "which service, with which key": flags over environment over file over defaults.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::{ApiKey, BaseUrl, Limit, PetStatus};

use super::file::{ConfigError, File, Glyphs, KeySource, Profile, ThemeChoice};
use super::{Env, Paths};

/// What was said on the command line.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// `--config`
    pub config: Option<PathBuf>,
    /// `--profile`
    pub profile: Option<String>,
    /// `--base-url`
    pub base_url: Option<String>,
    /// `--demo`
    pub demo: bool,
    /// `--insecure-http`
    pub insecure_http: bool,
    /// `--ascii`
    pub ascii: bool,
}

/// Everything resolved.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name shown in the header: the profile, or the host where an address was given directly.
    pub name: String,
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
    /// Use no colours.
    pub mono: bool,
}

/// Which service is talked to.
#[derive(Clone, Debug, PartialEq)]
pub enum Service {
    /// Inside the program, on samples in a temporary directory.
    Demo,
    /// Inside the program, on this database.
    Embedded {
        /// The SQLite file; created when absent.
        database: PathBuf,
    },
    /// Somewhere else.
    Remote(Remote),
}

/// A service somewhere else.
#[derive(Clone, Debug, PartialEq)]
pub struct Remote {
    /// Its address.
    pub base_url: BaseUrl,
    /// The key, if one was found.
    pub key: Option<ApiKey>,
    /// Where the key came from, or would have.
    pub key_origin: KeyOrigin,
}

/// Where a key came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyOrigin {
    /// An environment variable.
    Environment(String),
    /// A file.
    File(PathBuf),
    /// Made by the program for the service inside it.
    Embedded,
    /// Typed in this session.
    Typed,
    /// None was given.
    Absent,
}

impl std::fmt::Display for KeyOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Environment(name) => write!(f, "from environment {name}"),
            Self::File(path) => write!(f, "from the file {}", path.display()),
            Self::Embedded => f.write_str("made for this session"),
            Self::Typed => f.write_str("typed in this session"),
            Self::Absent => f.write_str("none is set"),
        }
    }
}

/// The least pause between automatic refreshes.
const LEAST_LIVE: u32 = 5;

impl Settings {
    /// Resolves everything. Reads the configuration file and, where one is named, the key file; uses no network.
    pub fn resolve(choices: &Choices, env: &Env) -> Result<Self, ConfigError> {
        let file = configuration(choices, env)?;
        let (name, service) = resolve_service(choices, env, &file)?;
        Ok(Self {
            name,
            service,
            limit: file.pets.limit,
            status: file.pets.status.into(),
            live: (file.pets.live > 0).then(|| Duration::from_secs(file.pets.live.max(LEAST_LIVE).into())),
            ascii: match file.ui.glyphs {
                _ if choices.ascii => true,
                Glyphs::Auto => !env.is_utf8(),
                Glyphs::Unicode => false,
                Glyphs::Ascii => true,
            },
            mono: match file.ui.theme {
                ThemeChoice::Mono => true,
                ThemeChoice::Default => {
                    env.get("NO_COLOR").is_some() || matches!(env.get("TERM"), Some("vt100" | "vt220"))
                }
            },
        })
    }
}

/// The configuration file: the named one, which must be there, else the usual one, which need not.
pub fn configuration(choices: &Choices, env: &Env) -> Result<File, ConfigError> {
    let named = choices.config.clone().or_else(|| env.path("PETSTORE_CONFIG"));
    match (named, choices.demo) {
        (None, true) => Ok(File::default()),
        (None, false) => File::read(&Paths::new(env)?.config_file(), false),
        (Some(path), _) => File::read(&path, true),
    }
}

fn resolve_service(choices: &Choices, env: &Env, file: &File) -> Result<(String, Service), ConfigError> {
    if choices.demo {
        return Ok(("demo".into(), Service::Demo));
    }
    if let Some(text) = &choices.base_url {
        return direct(text, "--base-url", None, choices, env);
    }
    let chosen = choices.profile.as_deref().or_else(|| env.get("PETSTORE_PROFILE"));
    if chosen.is_none()
        && let Some(text) = env.get("PETSTORE_BASE_URL")
    {
        return direct(text, "PETSTORE_BASE_URL", None, choices, env);
    }
    let name = chosen.unwrap_or(&file.profile);
    let profile = file.profiles.get(name).ok_or_else(|| ConfigError::NoSuchProfile {
        name: name.to_owned(),
        known: file.profiles.keys().cloned().collect::<Vec<_>>().join(", "),
    })?;
    match (&profile.base_url, profile.embedded) {
        (None, true) => {
            let database = Paths::new(env)?.embedded_database();
            Ok((name.to_owned(), Service::Embedded { database }))
        }
        (Some(text), false) => {
            let (_, service) = direct(text, &format!("profile {name}, base_url"), Some(profile), choices, env)?;
            Ok((name.to_owned(), service))
        }
        (None, false) | (Some(_), true) => Err(ConfigError::ProfileUnclear(name.to_owned())),
    }
}

fn direct(
    text: &str,
    origin: &str,
    profile: Option<&Profile>,
    choices: &Choices,
    env: &Env,
) -> Result<(String, Service), ConfigError> {
    let wrong = |source| ConfigError::Endpoint { origin: origin.to_owned(), source };
    let base_url: BaseUrl = text.parse().map_err(wrong)?;
    let allow_http = choices.insecure_http || profile.is_some_and(|profile| profile.insecure_http);
    base_url.guard_clear_text(allow_http).map_err(wrong)?;
    let (key, key_origin) = resolve_key(profile.and_then(|profile| profile.key.as_ref()), env)?;
    Ok((base_url.authority(), Service::Remote(Remote { base_url, key, key_origin })))
}

/// The key: a profile that names its own source is given that one, so that a key in the environment never travels to
/// another host; without one, `PETSTORE_API_KEY`, then `PETSTORE_API_KEY_FILE`.
fn resolve_key(source: Option<&KeySource>, env: &Env) -> Result<(Option<ApiKey>, KeyOrigin), ConfigError> {
    let by_default = || match env.path("PETSTORE_API_KEY_FILE") {
        Some(path) if env.get("PETSTORE_API_KEY").is_none() => KeySource::File(path),
        _ => KeySource::Env("PETSTORE_API_KEY".into()),
    };
    match source.cloned().unwrap_or_else(by_default) {
        KeySource::Env(name) => match env.get(&name) {
            None => Ok((None, KeyOrigin::Absent)),
            Some(text) => {
                let key = ApiKey::new(text).map_err(|source| ConfigError::Endpoint { origin: name.clone(), source })?;
                Ok((Some(key), KeyOrigin::Environment(name)))
            }
        },
        KeySource::File(path) => {
            let path = expand_home(&path, env);
            let key = read_key_file(&path).map_err(|why| ConfigError::KeyFile { path: path.clone(), why })?;
            Ok((Some(key), KeyOrigin::File(path)))
        }
    }
}

fn expand_home(path: &Path, env: &Env) -> PathBuf {
    match (path.strip_prefix("~"), env.path("HOME")) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

/// The key on the first line of a file that only its owner can read.
fn read_key_file(path: &Path) -> Result<ApiKey, String> {
    use std::io::Read as _;
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = file.metadata().map_err(|error| error.to_string())?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(format!("others can read it (mode {:04o}). Run: chmod 600 {}", mode & 0o7777, path.display()));
        }
    }
    let mut text = String::new();
    file.take(4096).read_to_string(&mut text).map_err(|error| error.to_string())?;
    ApiKey::new(text.lines().next().unwrap_or_default()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(choices: &Choices, vars: &[(&str, &str)], config: &str) -> Result<Settings, ConfigError> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("petstore")).unwrap();
        std::fs::write(dir.path().join("petstore/config.toml"), config).unwrap();
        let home = [("HOME", "/home/ada"), ("XDG_DATA_HOME", "/d")].into_iter();
        let mut env: Vec<(String, String)> =
            home.chain(vars.iter().copied()).map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
        env.push(("XDG_CONFIG_HOME".into(), dir.path().to_str().unwrap().into()));
        Settings::resolve(choices, &env.into_iter().collect())
    }

    fn remote(settings: &Settings) -> &Remote {
        match &settings.service {
            Service::Remote(remote) => remote,
            other => panic!("not remote: {other:?}"),
        }
    }

    const CONFIG: &str = r#"
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
    fn a_profile_with_its_own_key_never_gets_the_one_of_the_environment() {
        let profile = Choices { profile: Some("staging".into()), ..Choices::default() };
        let vars = [("PETSTORE_API_KEY", "petk_of_production"), ("STAGING_KEY", "petk_of_staging_1")];
        let settings = resolve(&profile, &vars, CONFIG).unwrap();
        assert_eq!(remote(&settings).key, Some(ApiKey::new("petk_of_staging_1").unwrap()));
        let settings = resolve(&profile, &vars[..1], CONFIG).unwrap();
        assert_eq!((&remote(&settings).key, &remote(&settings).key_origin), (&None, &KeyOrigin::Absent));
    }

    #[test]
    fn a_key_file_that_others_can_read_is_refused_with_the_remedy() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        std::fs::write(&path, "petk_0123456789\n").unwrap();
        let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let vars = [("PETSTORE_API_KEY_FILE", path.to_str().unwrap())];
        mode(0o644);
        let error = resolve(&Choices::default(), &vars, CONFIG).unwrap_err().to_string();
        assert!(error.contains("chmod 600"), "{error}");
        mode(0o600);
        let settings = resolve(&Choices::default(), &vars, CONFIG).unwrap();
        assert_eq!(remote(&settings).key_origin, KeyOrigin::File(path.clone()));
    }

    #[test]
    fn a_clear_text_address_is_refused_unless_allowed() {
        let mut choices = Choices { base_url: Some("http://shop.example/v1".into()), ..Choices::default() };
        let error = resolve(&choices, &[], "").unwrap_err().to_string();
        assert!(
            error.starts_with("--base-url: http:// would send the API key to shop.example unprotected."),
            "{error}"
        );
        choices.insecure_http = true;
        assert!(resolve(&choices, &[], "").is_ok());
    }

    #[test]
    fn an_unknown_profile_names_those_that_exist() {
        let choices = Choices { profile: Some("prod".into()), ..Choices::default() };
        let error = resolve(&choices, &[], CONFIG).unwrap_err().to_string();
        assert!(error.contains("\"prod\". Known: embedded, shop, staging."), "{error}");
    }
}
