//! Connecting to services: those that can be switched to, how one is reached, whether it answers, and where its key is
//! kept. What fails says why in words that are safe to show.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::task::spawn_blocking;

use crate::api::{Client, Failure, Recorder};
use crate::clock;
use crate::config::edit::{add_profile, set_first_profile, set_key};
use crate::config::paths::below_home;
use crate::config::secrets::write_key_file;
use crate::config::{
    Choices, Env, KeyOrigin, KeySource, Paths, Profile, Profiles, Service, Settings, settings_for, settings_with,
};
use crate::model::{ApiKey, Limit, PetQuery, display_safe};

/// Why the demo does not change the configuration.
pub const DEMO_KEEPS_NOTHING: &str = "the demo keeps nothing. Start petstore without --demo to save it.";

/// Makes a client for the service of these settings, and starts that service where it is inside the program.
pub type Connect = Arc<dyn Fn(Settings) -> BoxFuture<'static, Result<Client, Failure>> + Send + Sync>;

/// A profile before it is saved.
#[derive(Clone, Debug, PartialEq)]
pub struct NewService {
    /// Its name.
    pub name: String,
    /// What it says; where its key comes from only if that was not typed.
    pub profile: Profile,
    /// The key that was typed.
    pub typed: Option<ApiKey>,
}

/// What asking a service for one pet gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tested {
    /// It answered, and so fast.
    Answered(Duration),
    /// It did not answer as it should.
    Failed(Failure),
    /// It was not asked: its settings cannot be used.
    Unusable(String),
}

/// A profile that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedProfile {
    /// Into which file.
    pub file: String,
    /// It is the default from the next start.
    pub is_default: bool,
    /// Why a typed key was not stored.
    pub key_lost: Option<String>,
}

/// What it takes to change services.
pub struct Services {
    /// How one is reached.
    pub connect: Connect,
    /// The options of the command line.
    pub choices: Choices,
    /// The environment.
    pub env: Env,
}

impl Services {
    /// Those that can be switched to.
    pub fn profiles(&self) -> Result<Profiles, String> {
        safe(Profiles::read(&self.choices, &self.env))
    }

    /// What is in force with the service of this name. May block, as long as its key is read.
    pub fn settings(&self, name: &str) -> Result<Settings, String> {
        safe(settings_for(name, &self.choices, &self.env))
    }

    /// The same with a service that is not written yet.
    pub fn settings_of_new(&self, new: &NewService) -> Result<Settings, String> {
        let mut settings = safe(settings_with(&new.name, &new.profile, &self.choices, &self.env))?;
        if let (Some(key), Service::Remote(remote)) = (&new.typed, &mut settings.service) {
            remote.key = Some(key.clone());
            remote.key_origin = KeyOrigin::Typed;
        }
        Ok(settings)
    }

    /// Writes a new profile, and its key where one was typed. The profile first: a name that is taken must not lose its
    /// key to the new one.
    pub fn add(&self, new: NewService) -> Result<AddedProfile, String> {
        self.keeps()?;
        let NewService { name, mut profile, typed } = new;
        let kept = typed.map(|key| Ok::<_, String>((self.own_key_file(&name)?, key))).transpose()?;
        if let Some((file, _)) = &kept {
            profile.key = Some(KeySource::File(below_home(file, &self.env)));
        }
        let file = self.profiles()?.file;
        safe(add_profile(&file, &name, &profile))?;
        let is_default = safe(set_first_profile(&file, &name, &self.env))?;
        let key_lost = kept.and_then(|(file, key)| safe(write_key_file(&file, &key)).err());
        Ok(AddedProfile { file: self.short(file), is_default, key_lost })
    }

    /// Saves the key of a profile that is in the configuration.
    pub fn keep_key(&self, profile: &str, key: &ApiKey) -> Result<KeyOrigin, String> {
        self.keeps()?;
        let file = self.own_key_file(profile)?;
        safe(write_key_file(&file, key))?;
        let source = KeySource::File(below_home(&file, &self.env));
        safe(set_key(&self.profiles()?.file, profile, &source))?;
        Ok(KeyOrigin::from(&source))
    }

    /// The demo keeps nothing.
    fn keeps(&self) -> Result<(), String> {
        if self.choices.demo { Err(DEMO_KEEPS_NOTHING.to_owned()) } else { Ok(()) }
    }

    fn own_key_file(&self, profile: &str) -> Result<PathBuf, String> {
        let file = safe(Paths::new(&self.env))?.key_file(profile);
        file.ok_or_else(|| "there is no key file for this profile.".to_owned())
    }

    /// The file in which the key of this profile can be saved. Only a profile in the configuration can name it.
    pub fn key_file(&self, name: &str) -> Option<String> {
        let profiles = self.profiles().map(|profiles| profiles.entries).unwrap_or_default();
        let is_written = profiles.iter().any(|entry| entry.name == name && entry.line.is_some());
        self.own_key_file(name).ok().filter(|_| is_written).map(|path| self.short(path))
    }

    /// Resolves, connects and asks for one pet.
    pub async fn test(
        self: Arc<Self>,
        resolve: impl FnOnce(&Self) -> Result<Settings, String> + Send + 'static,
        recorder: Recorder,
    ) -> Tested {
        let services = Arc::clone(&self);
        // Files and commands take their time.
        let resolved = spawn_blocking(move || resolve(&services)).await;
        let settings = match resolved.unwrap_or_else(|error| Err(error.to_string())) {
            Ok(settings) => settings,
            Err(why) => return Tested::Unusable(why),
        };
        match (self.connect)(settings).await {
            Ok(client) => Tested::of(&client.recording(recorder)).await,
            Err(failure) => Tested::Failed(failure),
        }
    }

    fn short(&self, path: PathBuf) -> String {
        below_home(&path, &self.env).display().to_string()
    }
}

impl Tested {
    /// Asks the service of this client.
    pub async fn of(client: &Client) -> Self {
        match ask(client, "profile test").await {
            (Ok(()), took) => Self::Answered(took),
            (Err(error), _) => Self::Failed(error),
        }
    }
}

/// Asks for one pet, which shows whether the service answers and accepts the key, and says how long that took. The
/// records of requests name the `purpose`.
pub async fn ask(client: &Client, purpose: &'static str) -> (Result<(), Failure>, Duration) {
    let begun = clock::now().mono;
    let query = PetQuery { limit: Limit::MIN, ..PetQuery::default() };
    let answer = client.called(purpose).list_pets(&query).await;
    (answer.map(|_| ()), clock::now().mono.saturating_duration_since(begun))
}

fn safe<T, E: Display>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|error| display_safe(&error.to_string()).into_owned())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    const CONFIG: &str = "[profiles.lab]\nbase_url = \"http://127.0.0.1:9/v1\"\nkey = { env = \"LAB_KEY\" }\n";

    /// A configuration in its own directory, and what it takes to change services there.
    pub(crate) fn services(connect: Connect) -> (tempfile::TempDir, Services) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        std::fs::write(&path, CONFIG).unwrap();
        let at = |name: &str| directory.path().join(name).into_os_string();
        let env = [
            ("HOME", directory.path().as_os_str().to_owned()),
            ("XDG_CONFIG_HOME", at("config")),
            ("XDG_DATA_HOME", at("data")),
            ("LAB_KEY", "petk_0123456789abcdef".into()),
        ];
        let choices = Choices { config: Some(path), ..Choices::default() };
        (directory, Services { connect, choices, env: env.into_iter().collect() })
    }

    fn nobody() -> Connect {
        Arc::new(|_| Box::pin(async { Err(Failure::Busy) }))
    }

    #[test]
    fn only_a_profile_of_the_file_can_say_where_its_key_is() {
        let (directory, services) = services(nobody());
        assert_eq!(services.key_file("lab").as_deref(), Some("~/config/petstore/keys/lab"));
        assert_eq!(services.key_file("embedded"), None);
        assert_eq!(services.key_file("direct.example"), None);
        drop(directory);
        assert_eq!(services.key_file("lab"), None);
    }

    #[test]
    fn a_name_that_is_taken_keeps_its_key() {
        let (directory, services) = services(nobody());
        std::fs::write(directory.path().join("config.toml"), "").unwrap();
        let new = |name: &str, key: &str| NewService {
            name: name.to_owned(),
            profile: Profile::at("https://shop.example/v1"),
            typed: Some(ApiKey::new(key).unwrap()),
        };
        let file = "~/config.toml".to_owned();
        let added = AddedProfile { file, is_default: true, key_lost: None };
        assert_eq!(services.add(new("shop", "petk_of_shop_0001")), Ok(added));
        let kept = directory.path().join("config/petstore/keys/shop");
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "petk_of_shop_0001\n");
        let config = std::fs::read_to_string(directory.path().join("config.toml")).unwrap();
        assert!(config.starts_with("profile = \"shop\"\n"), "{config}");
        let error = services.add(new("shop", "petk_of_other_002")).unwrap_err();
        assert_eq!(error, "profile \"shop\" already exists. Choose another name.");
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "petk_of_shop_0001\n");
    }

    #[test]
    fn the_demo_writes_no_profile_and_no_key() {
        let (directory, mut services) = services(nobody());
        services.choices.demo = true;
        let key = || ApiKey::new("petk_of_shop_0001").unwrap();
        let new =
            NewService { name: "shop".into(), profile: Profile::at("https://shop.example/v1"), typed: Some(key()) };
        assert_eq!(services.add(new), Err(DEMO_KEEPS_NOTHING.to_owned()));
        assert_eq!(services.keep_key("lab", &key()), Err(DEMO_KEEPS_NOTHING.to_owned()));
        assert_eq!(std::fs::read_to_string(directory.path().join("config.toml")).unwrap(), CONFIG);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_typed_key_is_the_one_a_new_profile_is_tried_with() {
        let (_directory, services) = services(nobody());
        let typed = ApiKey::new("petk_of_shop_0001").unwrap();
        let profile = Profile::at("https://shop.example/v1");
        let new = NewService { name: "shop".into(), profile, typed: Some(typed.clone()) };
        let Service::Remote(remote) = services.settings_of_new(&new).unwrap().service else { panic!("not remote") };
        assert_eq!((remote.key, remote.key_origin), (Some(typed), KeyOrigin::Typed));
    }
}
