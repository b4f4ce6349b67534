//! Logging in and out: finds the profile, saves its key and removes it.

use std::path::{Path, PathBuf};

use super::edit::{EditError, add_profile, no_name, remove_key, set_key};
use super::error::ConfigError;
use super::file::{KeySource, Profile, is_plain_name};
use super::paths::{below_home, expand_home};
use super::secrets::write_key_file;
use super::settings::Settings;
use super::sources::{Choices, Sources};
use super::target::{KeyOrigin, Remote, Service, Target};
use super::{Env, Paths};
use crate::local::atomic_file;
use crate::model::{ApiKey, BaseUrl};

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

    /// The program's own file for the key of this profile; none if its name is not plain, or without a home directory.
    pub fn key_file(&self, env: &Env) -> Option<PathBuf> {
        Paths::new(env).ok()?.key_file(&self.profile)
    }

    /// Saves `key` in `file`, and writes that place to the configuration, which keeps its comments.
    pub fn keep(&self, key: &ApiKey, file: &Path, env: &Env) -> Result<KeyOrigin, LoginError> {
        let source = KeySource::File(below_home(file, env));
        if self.is_new {
            let new = Profile {
                key: Some(source.clone()),
                // A relative path would depend on the working directory.
                ca_file: self.ca_file.as_ref().map(|file| std::path::absolute(file).unwrap_or_else(|_| file.clone())),
                ..Profile::at(&self.address.to_string())
            };
            add_profile(&self.file, &self.profile, &new)?;
            write_key_file(file, key)?;
        } else {
            write_key_file(file, key)?;
            set_key(&self.file, &self.profile, &source)?;
        }
        Ok(KeyOrigin::from(&source))
    }

    /// Removes the saved key of this profile, and its entry in the file. Returns where it was, if there was one.
    pub fn forget(&self, env: &Env) -> Result<Option<KeyOrigin>, LoginError> {
        let Some(source) = &self.source else { return Ok(None) };
        let origin = KeyOrigin::from(source);
        let home = env.path("HOME");
        let own = self
            .key_file(env)
            .filter(|own| matches!(source, KeySource::File(named) if *own == expand_home(named, home.as_deref())));
        let Some(own) = own else {
            return Err(LoginError::Elsewhere { profile: self.profile.clone(), origin });
        };
        atomic_file::remove(&own)
            .map_err(|why| ConfigError::Unusable(format!("cannot remove the API key in {}: {why}.", own.display())))?;
        remove_key(&self.file, &self.profile)?;
        Ok(Some(origin))
    }
}

#[cfg(test)]
mod tests {
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
        let path = find().key_file(&written.env).unwrap();
        let kept = find().keep(&key, &path, &written.env).unwrap();
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
        let key = ApiKey::new("petk_0123456789").unwrap();
        let login = Login::find(&choices, &written.env).unwrap();
        login.keep(&key, &login.key_file(&written.env).unwrap(), &written.env).unwrap();
        let settings = Settings::resolve(&profile("new"), &written.env).unwrap();
        let Service::Remote(remote) = settings.service else { panic!() };
        assert_eq!((remote.base_url.to_string().as_str(), remote.key), ("https://new.example/v1", Some(key)));
    }
}
