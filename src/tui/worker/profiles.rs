//! The hands for profiles: reading and writing them, their keys, and the change from one service to another.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::job::{Connection, Done, api_of};
use crate::api::failure::Failure;
use crate::api::{Client, Recorder};
use crate::app::outbox::queue::{Queue, Queues};
use crate::clock;
use crate::config::edit::{add_profile, set_key, set_profile};
use crate::config::paths::below_home;
use crate::config::{
    Choices, ConfigError, Env, KeepKey, KeyOrigin, KeyPlace, KeySource, Keyring, Paths, Profiles, Service, Settings,
    settings_for, settings_with,
};
use crate::model::{ApiKey, BaseUrl, Limit, PetQuery, display_safe};
use crate::tui::effect::{NewService, ProfileTask};
use crate::tui::msg::{AddedProfile, KeyPlaces, Outcome, ProfileReply, Tested, Used};
use crate::tui::session_cache::{self, SessionCache};

/// Makes a client for the service of these settings, and starts that service where it is inside the program.
pub type Connect = Arc<dyn Fn(Settings) -> BoxFuture<'static, Result<Client, Failure>> + Send + Sync>;

/// What it takes to change services.
pub struct Services {
    /// How one is reached.
    pub connect: Connect,
    /// What was said on the command line.
    pub choices: Choices,
    /// The environment.
    pub env: Env,
}

impl Services {
    /// Does a job, and tells `recorder` of each request; `kept` is the directory of what is kept for the next session.
    pub(super) async fn perform(
        self: Arc<Self>,
        task: ProfileTask,
        connection: Connection,
        recorder: Recorder,
        kept: Option<PathBuf>,
        queues: Arc<Queues>,
    ) -> Done {
        let news = match task {
            ProfileTask::Read => ProfileReply::Read(self.blocking(Self::read).await),
            ProfileTask::Use(name) => return self.change_to(name, recorder, kept, queues).await,
            ProfileTask::Test { in_use: true, .. } => ProfileReply::Tested(match api_of(connection).await {
                Ok(api) => ask(&api).await,
                Err(failure) => Tested::Failed(failure),
            }),
            ProfileTask::Test { name, in_use: false } => {
                let resolve = move |services: &Self| said(settings_for(&name, &services.choices, &services.env));
                ProfileReply::Tested(self.test(resolve, recorder).await)
            }
            ProfileTask::Try(new) => {
                let resolve = move |services: &Self| services.settings_of_new(&new);
                ProfileReply::Tested(self.test(resolve, recorder).await)
            }
            ProfileTask::Add { new, at_start } => {
                ProfileReply::Added(self.blocking(move |services| services.add(new, at_start)).await)
            }
            ProfileTask::FindPlaces(name) => {
                let places = self.blocking(move |services| Ok(services.places(&name))).await;
                ProfileReply::Places(places.unwrap_or_default())
            }
            ProfileTask::KeepKey { profile, address, key, keep } => {
                let keep = move |services: &Self| services.keep(&profile, &address, &key, keep);
                ProfileReply::KeyStored(self.blocking(keep).await)
            }
        };
        Outcome::Profile(news).into()
    }

    /// Resolves and connects. The client comes with the news, so that nothing uses it where the change failed.
    async fn change_to(
        self: Arc<Self>,
        name: String,
        recorder: Recorder,
        kept: Option<PathBuf>,
        queues: Arc<Queues>,
    ) -> Done {
        let resolve = move |services: &Self| {
            let settings = said(settings_for(&name, &services.choices, &services.env))?;
            let kept = kept.and_then(|kept| read_kept(&kept, &settings));
            let (queue, left) = match queues.of(session_cache::identity(&settings).as_deref()) {
                Ok((queue, left)) => (queue, Ok(left)),
                Err(why) => (Queue::default(), Err(why)),
            };
            Ok((Used { settings, kept, left }, queue))
        };
        let (used, queue) = match Arc::clone(&self).blocking(resolve).await {
            Ok(used) => used,
            Err(why) => return Outcome::Profile(ProfileReply::Used(Err(why))).into(),
        };
        match (self.connect)(used.settings.clone()).await {
            Ok(client) => Done {
                outcome: Outcome::Profile(ProfileReply::Used(Ok(Box::new(used)))),
                client: Some(client.recording(recorder)),
                queue: Some(queue),
            },
            Err(Failure::NotStarted { why }) => Outcome::Profile(ProfileReply::Used(Err(why))).into(),
            Err(failure) => Outcome::Profile(ProfileReply::Used(Err(failure.sentence("this program")))).into(),
        }
    }

    async fn test(
        self: Arc<Self>,
        resolve: impl FnOnce(&Self) -> Result<Settings, String> + Send + 'static,
        recorder: Recorder,
    ) -> Tested {
        let settings = match Arc::clone(&self).blocking(resolve).await {
            Ok(settings) => settings,
            Err(why) => return Tested::Unusable(why),
        };
        match (self.connect)(settings).await {
            Ok(api) => ask(&api.recording(recorder)).await,
            Err(failure) => Tested::Failed(failure),
        }
    }

    /// Files, commands and keyrings take their time.
    async fn blocking<T: Send + 'static>(
        self: Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        tokio::task::spawn_blocking(move || work(&self)).await.unwrap_or_else(|error| Err(error.to_string()))
    }

    fn read(&self) -> Result<Profiles, String> {
        said(Profiles::read(&self.choices, &self.env))
    }

    fn settings_of_new(&self, new: &NewService) -> Result<Settings, String> {
        let mut settings = said(settings_with(&new.name, &new.profile, &self.choices, &self.env))?;
        if let (Some((key, _)), Service::Remote(remote)) = (&new.typed, &mut settings.service) {
            remote.key = Some(key.clone());
            remote.key_origin = KeyOrigin::Typed;
        }
        Ok(settings)
    }

    /// The profile first: a name that is taken must not lose its key to the new one.
    fn add(&self, new: NewService, at_start: bool) -> Result<AddedProfile, String> {
        let NewService { name, mut profile, typed } = new;
        let address = profile.base_url.clone();
        let keeper = match &typed {
            None => None,
            Some((key, keep)) => {
                let (source, keeper) = self.keeper(&name, *keep)?;
                profile.key = Some(source);
                Some((keeper, key))
            }
        };
        let file = self.read()?.file;
        add_profile(&file, &name, &profile).map_err(|error| clean(&error))?;
        if at_start {
            set_profile(&file, &name).map_err(|error| clean(&error))?;
        }
        let keep = |(keeper, key): (KeyPlace, &ApiKey)| {
            let address: BaseUrl = address.parse().map_err(|error| clean(&error))?;
            said(keeper.keep(&name, &address, key))
        };
        let key_lost = keeper.map(keep).transpose().err();
        Ok(AddedProfile { file: self.short(file).display().to_string(), key_lost })
    }

    fn keep(&self, profile: &str, address: &BaseUrl, key: &ApiKey, keep: KeepKey) -> Result<KeyOrigin, String> {
        let (source, keeper) = self.keeper(profile, keep)?;
        said(keeper.keep(profile, address, key))?;
        set_key(&self.read()?.file, profile, &source).map_err(|error| clean(&error))?;
        Ok(KeyOrigin::from(&source))
    }

    /// Where a key is kept: as the profile says it, and the place itself.
    fn keeper(&self, profile: &str, keep: KeepKey) -> Result<(KeySource, KeyPlace), String> {
        match keep {
            KeepKey::Session => Err("it is for this session only.".to_owned()),
            KeepKey::File => {
                let place = KeyPlace::file(profile, &self.env).ok_or("there is no file for it.")?;
                Ok((place.source(&self.env), place))
            }
            KeepKey::Keyring => {
                let place = said(KeyPlace::keyring())?;
                Ok((place.source(&self.env), place))
            }
        }
    }

    fn key_file(&self, profile: &str) -> Option<PathBuf> {
        Paths::new(&self.env).ok()?.key_file(profile)
    }

    /// Only a profile that stands in the file can say where its key is.
    fn places(&self, name: &str) -> KeyPlaces {
        let profiles = self.read().map(|profiles| profiles.entries).unwrap_or_default();
        let written = profiles.iter().any(|entry| entry.name == name && entry.line.is_some());
        if !written {
            return KeyPlaces::default();
        }
        let file = self.key_file(name).map(|path| self.short(path).display().to_string());
        KeyPlaces { file, keyring: Keyring::probe().is_ok() }
    }

    fn short(&self, path: PathBuf) -> PathBuf {
        below_home(path, &self.env)
    }
}

/// Asks for one animal.
async fn ask(api: &Client) -> Tested {
    let begun = clock::now().mono;
    let query = PetQuery { limit: Limit::MIN, ..PetQuery::default() };
    match api.called("profile test").list_pets(&query).await {
        Ok(_) => Tested::Answered(clock::now().mono.saturating_duration_since(begun)),
        Err(error) => Tested::Failed(Failure::from(&error)),
    }
}

/// What an earlier session kept of a service.
#[must_use]
pub fn read_kept(directory: &Path, settings: &Settings) -> Option<SessionCache> {
    let identity = session_cache::identity(settings)?;
    let mut text = String::new();
    let file = std::fs::File::open(session_cache::file(directory, &identity)).ok()?;
    file.take(session_cache::MOST_OCTETS).read_to_string(&mut text).ok()?;
    SessionCache::read(&text, &identity)
}

fn said<T>(result: Result<T, ConfigError>) -> Result<T, String> {
    result.map_err(|error| clean(&error))
}

fn clean(error: &dyn std::fmt::Display) -> String {
    display_safe(&error.to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tokio::sync::oneshot;

    use super::super::{WorkerContext, spawn};
    use super::*;
    use crate::api::client::{Timeouts, install_tls_provider};
    use crate::config::edit::NewProfile;
    use crate::tui::effect::{Effect, Job, Task};
    use crate::tui::msg::Reply;
    use crate::tui::pending::{ReqId, Slot};
    use crate::tui::test_kit::{no_domains_context, remote, settings};

    const CONFIG: &str = "[profiles.lab]\nbase_url = \"http://127.0.0.1:9/v1\"\nkey = { env = \"LAB_KEY\" }\n";

    /// A configuration in a directory of its own, and what it takes to change services there.
    fn services(connect: Connect) -> (tempfile::TempDir, Services) {
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

    #[tokio::test]
    async fn the_service_changed_to_stays_though_the_first_one_comes_later() {
        install_tls_provider();
        let (release, released) = oneshot::channel::<()>();
        let released = Mutex::new(Some(released));
        let connect: Connect = Arc::new(move |settings| {
            let released = released.lock().unwrap().take();
            Box::pin(async move {
                if let Some(released) = released {
                    let _ = released.await;
                    return Err(Failure::NotStarted { why: "the first one".into() });
                }
                let Service::Remote(remote) = settings.service else { return Err(Failure::Busy) };
                Ok(Client::new(remote.base_url, remote.key, Timeouts::default()).unwrap())
            })
        });
        let (_directory, services) = services(connect);
        let domains_context = no_domains_context();
        let services = Arc::new(services);
        let context = WorkerContext {
            domains_context,
            copying: Vec::new(),
            home: None,
            config: None,
            kept: None,
            pasted: None,
            drafts: None,
            queues: Arc::default(),
            services,
        };
        let (mut worker, _) = spawn(Some(settings(remote())), context);
        let job = |slot, id, task| Effect::Job(Job { slot, id: ReqId(id), task });
        let change = Task::Profile(ProfileTask::Use("lab".into()));
        worker.effects.send(job(Slot::UseProfile, 1, change)).unwrap();
        let Some(Reply { outcome: Outcome::Profile(ProfileReply::Used(Ok(used))), .. }) = worker.replies.recv().await
        else {
            panic!("not changed")
        };
        assert_eq!(used.settings.name, "lab");
        release.send(()).unwrap();
        for _ in 0..16 {
            tokio::task::yield_now().await;
        }
        let query = PetQuery::default();
        worker.effects.send(job(Slot::List, 2, Task::List { query, pages: 1, known: None })).unwrap();
        let reply = worker.replies.recv().await.unwrap();
        let refused = matches!(&reply.outcome, Outcome::Listed(Err(Failure::NotSent { .. })));
        assert!(refused, "nobody listens where lab is, and lab was asked: {reply:?}");
    }

    #[test]
    fn only_a_profile_of_the_file_can_say_where_its_key_is() {
        let (directory, services) = services(nobody());
        let lab = services.places("lab");
        assert_eq!(lab.file.as_deref(), Some("~/config/petstore/keys/lab"));
        assert_eq!(services.places("embedded"), KeyPlaces::default());
        assert_eq!(services.places("direct.example"), KeyPlaces::default());
        drop(directory);
        assert_eq!(services.places("lab"), KeyPlaces::default());
    }

    #[test]
    fn a_name_that_is_taken_keeps_its_key() {
        let (directory, services) = services(nobody());
        let new = |name: &str, key: &str| NewService {
            name: name.to_owned(),
            profile: NewProfile {
                base_url: "https://shop.example/v1".into(),
                key: None,
                ca_file: None,
                label: None,
                protect: false,
            },
            typed: Some((ApiKey::new(key).unwrap(), KeepKey::File)),
        };
        let file = "~/config.toml".to_owned();
        assert_eq!(services.add(new("shop", "petk_of_shop_0001"), true), Ok(AddedProfile { file, key_lost: None }));
        let kept = directory.path().join("config/petstore/keys/shop");
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "petk_of_shop_0001\n");
        let config = std::fs::read_to_string(directory.path().join("config.toml")).unwrap();
        assert!(config.starts_with("profile = \"shop\"\n"), "{config}");
        let error = services.add(new("shop", "petk_of_other_002"), false).unwrap_err();
        assert_eq!(error, "there is a profile \"shop\" already. Give the new one another name.");
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "petk_of_shop_0001\n");
    }

    #[test]
    fn a_typed_key_is_the_one_a_new_profile_is_tried_with() {
        let (_directory, services) = services(nobody());
        let typed = ApiKey::new("petk_of_shop_0001").unwrap();
        let base_url = "https://shop.example/v1".to_owned();
        let profile = NewProfile { base_url, key: None, ca_file: None, label: None, protect: false };
        let new = NewService { name: "shop".into(), profile, typed: Some((typed.clone(), KeepKey::File)) };
        let Service::Remote(remote) = services.settings_of_new(&new).unwrap().service else { panic!("not remote") };
        assert_eq!((remote.key, remote.key_origin), (Some(typed), KeyOrigin::Typed));
    }
}
