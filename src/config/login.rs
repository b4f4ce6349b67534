//! Logging in and out: finds the profile, saves its key and removes it.

use std::path::PathBuf;

use crate::model::{ApiKey, BaseUrl};

use super::Env;
use super::edit::{EditError, add_profile, no_name, remove_key, set_key};
use super::error::ConfigError;
use super::file::{KeySource, Profile, is_plain_name};
use super::paths::expand_home;
use super::secrets::KeyPlace;
use super::service::{KeyOrigin, Remote, Service};
use super::settings::Settings;
use super::sources::{Choices, Sources};
use super::target::Target;

/// A profile to log in to or out of.
#[derive(Clone, Debug)]
pub struct Login {
    /// Its name.
    pub profile: String,
    /// The service's address.
    pub address: BaseUrl,
    /// A PEM file of CA certificates to trust instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// Where its key comes from, according to the file.
    pub source: Option<KeySource>,
    /// The configuration file.
    pub file: PathBuf,
    /// Whether it is not in the file yet.
    pub is_new: bool,
    /// The line of the file that names the key, counted from 1.
    pub line: Option<usize>,
}

/// Why logging in or out is not possible.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// The configuration or the place of the key cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The file was not changed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A profile of this name has another address.
    #[error("profile \"{}\" already exists, with the address {address}.", crate::model::text::short(profile))]
    Taken {
        profile: String,
        /// Its address.
        address: String,
    },
    /// The service needs no key.
    #[error("{0} needs no key.")]
    Inside(String),
    /// An address without a profile.
    #[error("a key is saved for a profile, but {0} was given as an address without one.")]
    Nameless(String),
    /// The key is not saved by the program.
    #[error("petstore does not manage the key of {}: it comes {origin}.", crate::model::text::short(profile))]
    Elsewhere {
        profile: String,
        /// Where it comes from.
        origin: KeyOrigin,
    },
}

impl Login {
    /// The profile selected by flag, environment or file. With `--profile` and `--base-url` it is a new one. Reads no key.
    pub fn find(choices: &Choices, env: &Env) -> Result<Self, LoginError> {
        let sources = Sources::read(choices, env)?.without_key();
        let chosen = Target::at_start(&sources);
        let (name, is_new) = match (&chosen, &choices.profile) {
            (Target::Profile { name, .. }, _) => (name.clone(), false),
            (Target::Direct { .. }, Some(name)) => (name.clone(), true),
            (Target::Demo, _) => return Err(LoginError::Inside("the demo".to_owned())),
            (Target::Direct { .. }, None) => return Err(LoginError::Nameless(Settings::of(chosen, &sources)?.name)),
        };
        let known = sources.file.profiles.get(&name);
        // Its own address is not another service.
        let is_same = |known: &Profile| known.base_url.is_some() && known.base_url == choices.base_url;
        let is_new = is_new && !known.is_some_and(is_same);
        if let Some(known) = known.filter(|_| is_new) {
            let address = known.base_url.clone().unwrap_or_else(|| "in this program".to_owned());
            return Err(LoginError::Taken { profile: name, address });
        }
        if is_new && !is_plain_name(&name) {
            return Err(no_name(&name).into());
        }
        let (source, line) = (known.and_then(|known| known.key.clone()), sources.line_of(&["profiles", &name, "key"]));
        match Settings::of(chosen, &sources)?.service {
            Service::Demo | Service::Embedded { .. } => Err(LoginError::Inside(format!("the profile {name}"))),
            Service::Remote(remote) => {
                let Remote { base_url: address, ca_file, .. } = remote;
                Ok(Self { profile: name, address, ca_file, source, file: sources.path, is_new, line })
            }
        }
    }

    /// The profile of this name in the file, for the key of its service at `address`.
    pub fn at(profile: &str, address: &BaseUrl, choices: &Choices, env: &Env) -> Result<Self, ConfigError> {
        let sources = Sources::read(choices, env)?;
        Ok(Self {
            profile: profile.to_owned(),
            address: address.clone(),
            ca_file: None,
            source: sources.file.profiles.get(profile).and_then(|known| known.key.clone()),
            line: sources.line_of(&["profiles", profile, "key"]),
            file: sources.path,
            is_new: false,
        })
    }

    /// Saves `key` in `place`, and writes that place to the file, which keeps its comments. Removes a key that the program
    /// had saved elsewhere for this profile.
    pub fn keep(&self, key: &ApiKey, place: &KeyPlace, env: &Env) -> Result<KeyOrigin, LoginError> {
        let source = place.source(env);
        if self.is_new {
            let new = Profile {
                key: Some(source.clone()),
                // A relative path would depend on the working directory.
                ca_file: self.ca_file.as_ref().map(|file| std::path::absolute(file).unwrap_or_else(|_| file.clone())),
                ..Profile::at(&self.address.to_string())
            };
            add_profile(&self.file, &self.profile, &new)?;
            place.keep(&self.profile, &self.address, key)?;
        } else {
            place.keep(&self.profile, &self.address, key)?;
            set_key(&self.file, &self.profile, &source)?;
        }
        match (self.kept_in_file(env), place) {
            (Some(old), KeyPlace::Keyring(_)) => old.clear(&self.profile, &self.address)?,
            (Some(_) | None, KeyPlace::File(_)) | (None, KeyPlace::Keyring(_)) => {}
        }
        Ok(KeyOrigin::from(&source))
    }

    /// Removes the saved key of this profile, and its entry in the file. Returns where it was, if there was one.
    pub fn forget(&self, env: &Env) -> Result<Option<KeyOrigin>, LoginError> {
        let Some(source) = &self.source else { return Ok(None) };
        let origin = KeyOrigin::from(source);
        let place = match source {
            KeySource::Keyring(_) => Some(KeyPlace::keyring()?),
            KeySource::File(_) => self.kept_in_file(env),
            KeySource::Env(_) | KeySource::Command(_) => None,
        };
        let Some(place) = place else {
            return Err(LoginError::Elsewhere { profile: self.profile.clone(), origin });
        };
        place.clear(&self.profile, &self.address)?;
        remove_key(&self.file, &self.profile)?;
        Ok(Some(origin))
    }

    /// The program's own file for this key, if the profile uses it.
    fn kept_in_file(&self, env: &Env) -> Option<KeyPlace> {
        let Some(KeySource::File(named)) = &self.source else { return None };
        let own = KeyPlace::file(&self.profile, env)?;
        matches!(&own, KeyPlace::File(path) if *path == expand_home(named, env.path("HOME").as_deref())).then_some(own)
    }
}

#[cfg(test)]
mod tests {
    use super::super::secrets::keyring::tests::in_memory;
    use super::super::settings::tests::written;
    use super::*;

    const CONFIG: &str = "# mine\n[profiles.shop] # old\nbase_url = \"https://shop.example/v1\"\n\
                          key = { file = \"/nowhere/key\" } # lost\n[profiles.env]\nbase_url = \"https://env.example/v1\"\n\
                          key = { env = \"A\" }\n";

    fn profile(name: &str) -> Choices {
        Choices { profile: Some(name.into()), ..Choices::default() }
    }

    #[test]
    fn a_key_is_saved_and_removed_and_the_comments_stay() {
        let written = written(&[], CONFIG);
        let key = ApiKey::new("petk_0123456789").unwrap();
        let find = || Login::find(&profile("shop"), &written.env).unwrap();
        let place = KeyPlace::file("shop", &written.env).unwrap();
        let KeyPlace::File(path) = place.clone() else { panic!() };
        let kept = find().keep(&key, &place, &written.env).unwrap();
        assert_eq!(kept, KeyOrigin::File(path.clone()));
        let text = || std::fs::read_to_string(&written.path).unwrap();
        assert_eq!(text(), CONFIG.replace("/nowhere/key", path.to_str().unwrap()));
        assert_eq!(super::super::secrets::read_key_file(&path).unwrap(), key);
        assert_eq!(find().forget(&written.env).unwrap(), Some(KeyOrigin::File(path.clone())));
        assert_eq!(text(), CONFIG.replace("key = { file = \"/nowhere/key\" } # lost\n", ""));
        assert!(!path.exists());
        assert_eq!(find().forget(&written.env).unwrap(), None);
    }

    #[test]
    fn a_key_saved_in_a_new_place_is_removed_from_the_old_one() {
        let written = written(&[], CONFIG);
        let (key, address) = (ApiKey::new("petk_0123456789").unwrap(), "https://shop.example/v1".parse().unwrap());
        let at = || Login::at("shop", &address, &Choices::default(), &written.env).unwrap();
        let file = KeyPlace::file("shop", &written.env).unwrap();
        let KeyPlace::File(path) = file.clone() else { panic!() };
        at().keep(&key, &file, &written.env).unwrap();
        assert!(path.exists());
        let kept = at().keep(&key, &KeyPlace::Keyring(in_memory()), &written.env).unwrap();
        assert_eq!((kept, path.exists()), (KeyOrigin::Keyring, false));
    }

    #[test]
    fn a_key_that_the_program_does_not_manage_is_left_alone() {
        let written = written(&[("A", "petk_0123456789")], CONFIG);
        for (name, origin) in [("shop", "from the file /nowhere/key"), ("env", "from environment A")] {
            let error = Login::find(&profile(name), &written.env).unwrap().forget(&written.env).unwrap_err();
            let message = format!("petstore does not manage the key of {name}: it comes {origin}.");
            assert_eq!(error.to_string(), message);
        }
        assert_eq!(std::fs::read_to_string(&written.path).unwrap(), CONFIG);
    }

    #[test]
    fn only_a_profile_of_a_remote_service_needs_a_login() {
        let written = written(&[], CONFIG);
        let refused = |choices: &Choices| Login::find(choices, &written.env).unwrap_err().to_string();
        assert_eq!(refused(&Choices::default()), "the profile embedded needs no key.");
        let demo = Choices { demo: true, ..Choices::default() };
        assert_eq!(refused(&demo), "the demo needs no key.");
        let base_url = Some("https://new.example/v1".to_owned());
        let direct = Choices { base_url: base_url.clone(), ..Choices::default() };
        assert!(refused(&direct).contains("new.example was given as an address without one"));
        let at = |name: &str| Choices { base_url: base_url.clone(), ..profile(name) };
        assert!(refused(&at("shop")).contains("profile \"shop\" already exists"));
        assert!(refused(&at("../x")).contains("is not a valid profile name"));
        let new = Login::find(&at("new"), &written.env).unwrap();
        assert_eq!((new.profile.as_str(), new.is_new, new.line), ("new", true, None));
        assert_eq!(Login::find(&profile("shop"), &written.env).unwrap().line, Some(4));
    }

    #[test]
    fn a_new_profile_is_written_with_its_key() {
        let written = written(&[], CONFIG);
        let base_url = Some("https://new.example/v1".to_owned());
        let choices = Choices { base_url, ..profile("new") };
        let place = KeyPlace::file("new", &written.env).unwrap();
        let key = ApiKey::new("petk_0123456789").unwrap();
        Login::find(&choices, &written.env).unwrap().keep(&key, &place, &written.env).unwrap();
        let settings = Settings::resolve(&profile("new"), &written.env).unwrap();
        let Service::Remote(remote) = settings.service else { panic!() };
        assert_eq!((remote.base_url.to_string().as_str(), remote.key), ("https://new.example/v1", Some(key)));
    }
}
