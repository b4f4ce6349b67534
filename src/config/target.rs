//! Which service was asked for, and what is known of it: its address, its key, and where both came from.

use std::path::{Path, PathBuf};

use crate::model::{ApiKey, BaseUrl};

use super::error::ConfigError;
use super::file::{Accent, KeySource, Profile};
use super::paths::in_home;
use super::provenance::Origin;
use super::secrets::{self, Keyring};
use super::service::{KeyOrigin, Remote, Service};
use super::sources::Sources;
use super::{Env, Paths};

/// Which service was asked for.
pub enum Target {
    /// The samples.
    Demo,
    /// An address that was given directly.
    Direct {
        /// As it was written.
        address: String,
        /// The option or variable in which it was written.
        place: &'static str,
        /// The same.
        origin: Origin,
    },
    /// A profile.
    Profile {
        /// Its name.
        name: String,
        /// Where it was named.
        origin: Origin,
    },
}

/// A service with all that was said of it. The fields that [`Settings`](super::Settings) has too are the same.
pub struct Resolved {
    pub name: String,
    pub label: String,
    pub accent: Accent,
    pub protect: bool,
    pub service: Service,
    pub profile_origin: Origin,
    pub address_origin: Origin,
    pub key_origin: Origin,
}

impl Target {
    /// What flags, environment and file say at start.
    pub fn at_start(sources: &Sources<'_>) -> Self {
        let direct = |address: &str, place, origin| Self::Direct { address: address.to_owned(), place, origin };
        let profile = |name: &str, origin| Self::Profile { name: name.to_owned(), origin };
        let variable = |name: &str| Origin::Environment(name.to_owned());
        if sources.choices.demo {
            Self::Demo
        } else if let Some(address) = &sources.choices.base_url {
            direct(address, "--base-url", Origin::Flag("--base-url"))
        } else if let Some(name) = &sources.choices.profile {
            profile(name, Origin::Flag("--profile"))
        } else if let Some(name) = sources.env.get("PETSTORE_PROFILE") {
            profile(name, variable("PETSTORE_PROFILE"))
        } else if let Some(address) = sources.env.get("PETSTORE_BASE_URL") {
            direct(address, "PETSTORE_BASE_URL", variable("PETSTORE_BASE_URL"))
        } else {
            profile(&sources.file.profile, sources.origin(&["profile"]))
        }
    }

    /// The name of a service that is no profile.
    pub fn name_beside_profiles(&self) -> Result<Option<String>, ConfigError> {
        match self {
            Self::Demo => Ok(Some("demo".to_owned())),
            Self::Direct { address, place, .. } => Ok(Some(base_url(address, place)?.authority())),
            Self::Profile { .. } => Ok(None),
        }
    }

    /// Everything about it. Reads its key.
    pub fn resolve(self, sources: &Sources<'_>) -> Result<Resolved, ConfigError> {
        match self {
            Self::Demo => {
                let origin = Origin::Flag("--demo");
                Ok(plain("demo".to_owned(), Service::Demo, [origin.clone(), origin, Origin::Default]))
            }
            Self::Direct { address, place, origin } => {
                let base_url = base_url(&address, place)?;
                let name = base_url.authority();
                let wrong = |source| ConfigError::Endpoint { origin: place.to_owned(), source };
                base_url.guard_clear_text(sources.choices.insecure_http).map_err(wrong)?;
                let (remote, key_origin) = remote(base_url, &name, &Profile::default(), sources)?;
                Ok(plain(name, Service::Remote(remote), [origin.clone(), origin, key_origin]))
            }
            Self::Profile { name, origin } => profile(name, origin, sources),
        }
    }
}

fn plain(name: String, service: Service, [profile_origin, address_origin, key_origin]: [Origin; 3]) -> Resolved {
    let (label, accent, protect) = (name.clone(), Accent::None, false);
    Resolved { name, label, accent, protect, service, profile_origin, address_origin, key_origin }
}

/// The address of a profile, checked as it is when it is used; `None` where the service is inside.
pub fn address(name: &str, profile: &Profile, allow_http: bool) -> Result<Option<BaseUrl>, ConfigError> {
    match (&profile.base_url, profile.embedded) {
        (None, true) => Ok(None),
        (Some(text), false) => {
            let place = format!("profile {name}, base_url");
            let base_url = base_url(text, &place)?;
            let wrong = |source| ConfigError::Endpoint { origin: place.clone(), source };
            base_url.guard_clear_text(allow_http).map_err(wrong)?;
            Ok(Some(base_url))
        }
        (None, false) | (Some(_), true) => Err(ConfigError::ProfileUnclear(name.to_owned())),
    }
}

fn profile(name: String, profile_origin: Origin, sources: &Sources<'_>) -> Result<Resolved, ConfigError> {
    let profile = sources.file.profiles.get(&name).ok_or_else(|| ConfigError::NoSuchProfile {
        name: name.clone(),
        known: sources.file.profiles.keys().cloned().collect::<Vec<_>>().join(", "),
    })?;
    let in_file = |key| sources.origin(&["profiles", &name, key]);
    let allow_http = sources.choices.insecure_http || profile.insecure_http;
    let (service, address_origin, key_origin) = match address(&name, profile, allow_http)? {
        None => {
            let database = Paths::new(sources.env)?.embedded_database();
            (Service::Embedded { database }, in_file("embedded"), Origin::Default)
        }
        Some(base_url) => {
            let (remote, key_origin) = remote(base_url, &name, profile, sources)?;
            (Service::Remote(remote), in_file("base_url"), key_origin)
        }
    };
    Ok(Resolved {
        label: label(&name, profile),
        accent: profile.accent,
        protect: profile.protect,
        name,
        service,
        profile_origin,
        address_origin,
        key_origin,
    })
}

/// The word in the header for a profile.
pub fn label(name: &str, profile: &Profile) -> String {
    profile.label.as_deref().filter(|label| !label.trim().is_empty()).unwrap_or(name).to_owned()
}

fn base_url(text: &str, place: &str) -> Result<BaseUrl, ConfigError> {
    text.parse().map_err(|source| ConfigError::Endpoint { origin: place.to_owned(), source })
}

fn remote(
    base_url: BaseUrl,
    name: &str,
    profile: &Profile,
    sources: &Sources<'_>,
) -> Result<(Remote, Origin), ConfigError> {
    let source = profile.key.clone().or_else(|| key_of_environment(sources.env));
    let origin = match (&profile.key, &source) {
        (Some(_), _) => sources.origin(&["profiles", name, "key"]),
        (None, Some(KeySource::File(_))) => Origin::Environment(KEY_FILE.to_owned()),
        (None, Some(_)) => Origin::Environment(KEY.to_owned()),
        (None, None) => Origin::Default,
    };
    let (key, key_origin) = match &source {
        Some(source) if !sources.reads_key => (None, KeyOrigin::from(source)),
        Some(source) => read(source, name, &base_url, sources)?
            .map_or((None, KeyOrigin::Absent), |(key, origin)| (Some(key), origin)),
        None => (None, KeyOrigin::Absent),
    };
    // The flag is for the service that was meant when it was given: no other one may be vouched for by these.
    let meant = match Target::at_start(sources) {
        Target::Profile { name: meant, .. } => meant == name,
        Target::Direct { address, .. } => address.parse().is_ok_and(|meant: BaseUrl| meant == base_url),
        Target::Demo => false,
    };
    let ca_file = sources.choices.ca_file.clone().filter(|_| meant);
    let ca_file = ca_file.or_else(|| profile.ca_file.as_deref().map(|file| expand_home(file, sources.env)));
    Ok((Remote { base_url, key, key_origin, ca_file }, origin))
}

const KEY: &str = "PETSTORE_API_KEY";
const KEY_FILE: &str = "PETSTORE_API_KEY_FILE";

/// Where the key is of a service for which none is named. A profile that names its own is given that one, so that a key
/// in the environment never travels to another host.
pub fn key_of_environment(env: &Env) -> Option<KeySource> {
    let key = env.get(KEY).map(|_| KeySource::Env(KEY.to_owned()));
    key.or_else(|| env.path(KEY_FILE).map(KeySource::File))
}

fn read(
    source: &KeySource,
    profile: &str,
    address: &BaseUrl,
    sources: &Sources<'_>,
) -> Result<Option<(ApiKey, KeyOrigin)>, ConfigError> {
    let mut origin = KeyOrigin::from(source);
    let key = match source {
        KeySource::Env(name) => {
            let wrong = |source| ConfigError::Endpoint { origin: name.clone(), source };
            sources.env.get(name).map(ApiKey::new).transpose().map_err(wrong)?
        }
        KeySource::File(path) => {
            let path = expand_home(path, sources.env);
            let key = secrets::read_key_file(&path)?;
            origin = KeyOrigin::File(path);
            Some(key)
        }
        KeySource::Command(words) => {
            secrets::refuse_where_others_write(&sources.path)?;
            Some(secrets::run_key_command(words)?)
        }
        KeySource::Keyring(_) => Keyring::probe()?.read(profile, address)?,
    };
    Ok(key.map(|key| (key, origin)))
}

/// A path of the configuration file; one that begins with `~/` stands in the home directory.
pub fn expand_home(path: &Path, env: &Env) -> PathBuf {
    in_home(path, env.path("HOME").as_deref())
}

#[cfg(test)]
mod tests {
    use super::super::choices::Choices;
    use super::super::secrets::write_key_file;
    use super::super::settings::tests::{CONFIG, remote, resolve};
    use super::*;

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
    fn the_file_of_a_key_may_stand_in_the_home_directory() {
        let directory = tempfile::tempdir().unwrap();
        let key = ApiKey::new("petk_0123456789").unwrap();
        write_key_file(&directory.path().join("keys/shop"), &key).unwrap();
        let vars = [("PETSTORE_API_KEY_FILE", "~/keys/shop"), ("HOME", directory.path().to_str().unwrap())];
        let settings = resolve(&Choices::default(), &vars, CONFIG).unwrap();
        let origin = KeyOrigin::File(directory.path().join("keys/shop"));
        assert_eq!((&remote(&settings).key, &remote(&settings).key_origin), (&Some(key), &origin));
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
