//! Jobs about profiles, and the switch from one service to another.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use super::WorkerContext;
use super::job::{Connection, Done, api_of};
use crate::api::Recorder;
use crate::api::failure::Failure;
use crate::app::connections::{Services, Tested};
use crate::app::outbox::queue::Queue;
use crate::config::Settings;
use crate::tui::screens::profiles::jobs::{ProfileReply, ProfileTask, Used};
use crate::tui::session_cache::{self, SessionCache};

/// Does a job, and tells `recorder` of each request.
pub(super) async fn perform(
    services: Arc<Services>,
    task: ProfileTask,
    connection: Connection,
    recorder: Recorder,
    context: Arc<WorkerContext>,
) -> Done {
    let news = match task {
        ProfileTask::Read => ProfileReply::Read(services.blocking(Services::profiles).await),
        ProfileTask::Use(name) => return change_to(services, name, recorder, context).await,
        ProfileTask::Test { in_use: true, .. } => ProfileReply::Tested(match api_of(connection).await {
            Ok(api) => Tested::of(&api).await,
            Err(failure) => Tested::Failed(failure),
        }),
        ProfileTask::Test { name, in_use: false } => {
            ProfileReply::Tested(services.test(move |services| services.settings(&name), recorder).await)
        }
        ProfileTask::Try(new) => {
            ProfileReply::Tried(services.test(move |services| services.settings_of_new(&new), recorder).await)
        }
        ProfileTask::Add(new) => ProfileReply::Added(services.blocking(move |services| services.add(new)).await),
        ProfileTask::FindKeyFile(name) => {
            let file = services.blocking(move |services| Ok(services.key_file(&name))).await;
            ProfileReply::KeyFile(file.unwrap_or_default())
        }
        ProfileTask::KeepKey { profile, key } => {
            let keep = move |services: &Services| services.keep_key(&profile, &key);
            ProfileReply::KeyStored(services.blocking(keep).await)
        }
    };
    news.into()
}

/// Resolves and connects. The client comes with the news, so that nothing uses it where the change failed.
async fn change_to(services: Arc<Services>, name: String, recorder: Recorder, context: Arc<WorkerContext>) -> Done {
    let resolve = move |services: &Services| {
        let settings = services.settings(&name)?;
        let kept = context.kept.as_ref().and_then(|kept| read_kept(kept, &settings));
        let identity = session_cache::identity(&settings);
        let (queue, left) = match context.queues.of(identity.as_deref()) {
            Ok((queue, left)) => (queue, Ok(left)),
            Err(why) => (Queue::default(), Err(why)),
        };
        let drafts = match (&context.drafts, &identity) {
            (Some(files), Some(identity)) => files.open(identity),
            _ => Ok(None),
        };
        Ok((Used { settings, kept, left, drafts }, queue))
    };
    let (settled, queue) = match Arc::clone(&services).blocking(resolve).await {
        Ok(resolved) => resolved,
        Err(why) => return ProfileReply::Used(Err(why)).into(),
    };
    match (services.connect)(settled.settings.clone()).await {
        Ok(client) => Done {
            outcome: ProfileReply::Used(Ok(Box::new(settled))).into(),
            client: Some(client.recording(recorder)),
            queue: Some(queue),
        },
        Err(Failure::NotStarted { why }) => ProfileReply::Used(Err(why)).into(),
        Err(failure) => ProfileReply::Used(Err(failure.sentence("this program"))).into(),
    }
}

/// What an earlier session kept of a service.
pub fn read_kept(directory: &Path, settings: &Settings) -> Option<SessionCache> {
    let identity = session_cache::identity(settings)?;
    let mut text = String::new();
    let file = std::fs::File::open(session_cache::file(directory, &identity)).ok()?;
    file.take(session_cache::MOST_OCTETS).read_to_string(&mut text).ok()?;
    SessionCache::read(&text, &identity)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tokio::sync::oneshot;

    use super::super::spawn;
    use super::*;
    use crate::api::Client;
    use crate::api::client::{Timeouts, install_tls_provider};
    use crate::app::connections::Connect;
    use crate::app::connections::tests::services;
    use crate::config::Service;
    use crate::model::PetQuery;
    use crate::tui::effect::{Effect, Job, Task};
    use crate::tui::msg::{Outcome, Reply};
    use crate::tui::pending::ReqId;
    use crate::tui::screens::pets::jobs::{PetsReply, PetsTask};
    use crate::tui::testing::{no_domains_context, remote, settings};

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
            config: Err("not here"),
            kept: None,
            pasted: None,
            drafts: None,
            queues: Arc::default(),
            services,
            over_ssh: false,
        };
        let (mut worker, _) = spawn(Some(settings(remote())), context);
        let job = |id, task| Effect::Job(Job { id: ReqId(id), task });
        let change = Task::Profiles(ProfileTask::Use("lab".into()));
        worker.effects.send(job(1, change)).unwrap();
        let Some(Reply { outcome: Outcome::Profiles(ProfileReply::Used(Ok(used))), .. }) = worker.replies.recv().await
        else {
            panic!("not changed")
        };
        assert_eq!(used.settings.name, "lab");
        release.send(()).unwrap();
        for _ in 0..16 {
            tokio::task::yield_now().await;
        }
        let query = PetQuery::default();
        worker.effects.send(job(2, Task::Pets(PetsTask::List { query, pages: 1, known: None }))).unwrap();
        let reply = worker.replies.recv().await.unwrap();
        let refused = matches!(&reply.outcome, Outcome::Pets(PetsReply::Listed(Err(Failure::NotSent { .. }))));
        assert!(refused, "nobody listens where lab is, and lab was asked: {reply:?}");
    }
}
