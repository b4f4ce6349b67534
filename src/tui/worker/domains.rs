//! The hands of the domains panel: the list and the configuration on disk, and looks at domains. In practice all of it
//! happens in a small world on loopback and in a directory that goes with the program.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream;
use tempfile::TempDir;
use tokio::sync::{OnceCell, mpsc};

use crate::clock;
use crate::config;
use crate::config::edit::{self, EditError, ProjectDomains};
use crate::domains::Finding;
use crate::domains::configuration::{Redirect, Written, WrittenRedirect};
use crate::domains::diagnosis::Expectation;
use crate::domains::list::{List, ListError, ListFile};
use crate::domains::look::{Checked, Progress, look, walk_redirect, with_value};
use crate::domains::name::{self, Known};
use crate::domains::observation::Hop;
use crate::domains::practice::Practice;
use crate::domains::probe::memory::Memory;
use crate::domains::settings::{Settings, resolver};
use crate::domains::views::{ViewVerdict, views};
use crate::domains::world::{Plan, World};
use crate::tui::effect::{DomainTask, LookAt};
use crate::tui::inflight::{ReqId, Slot};
use crate::tui::msg::{NotSaved, Outcome, Reply};
use crate::tui::screens::domains::redirects::Walked;
use crate::tui::screens::domains::state::{Change, Seen};

/// How long what several checks share is remembered.
const MEMORY: Duration = Duration::from_secs(20);

/// How many redirects are followed side by side.
const WALKS: usize = 8;

/// What the hands of the panel work with.
pub struct Desk {
    list: ListFile,
    /// Where the project's domains are written.
    configuration: PathBuf,
    /// What is asked where; in practice it is known once the world runs.
    settings: Option<Settings>,
    world: OnceCell<(World, Settings)>,
    /// The latest state of practice: jobs that began before an act must not undo it.
    latest: Mutex<Option<Practice>>,
    memory: Mutex<Option<(Instant, Arc<Memory>)>>,
    /// Of practice; removed when this is dropped.
    _directory: Option<TempDir>,
}

impl Desk {
    /// The desk for real domains.
    #[must_use]
    pub fn new(list: ListFile, configuration: PathBuf, settings: Settings) -> Self {
        let (settings, world, latest, memory) = (Some(settings), OnceCell::new(), Mutex::default(), Mutex::default());
        Self { list, configuration, settings, world, latest, memory, _directory: None }
    }

    /// The desk for practice, with the list that it begins with.
    pub fn practice(practice: &Practice) -> std::io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("petstore-practice-").tempdir()?;
        let list = ListFile::new(directory.path().join("domains.json"));
        let begin = |list: &mut List| {
            *list = practice.list();
            Ok::<_, ListError>(())
        };
        list.change(begin).map_err(std::io::Error::other)?;
        let configuration = directory.path().join("config.toml");
        let domains = in_file(&Practice::configuration().into());
        edit::set_domains(&configuration, &ProjectDomains::default(), &domains).map_err(std::io::Error::other)?;
        let (world, latest, memory) = (OnceCell::new(), Mutex::default(), Mutex::default());
        Ok(Self { list, configuration, settings: None, world, latest, memory, _directory: Some(directory) })
    }

    /// Does a job; `so_far` takes what a look finds while it goes on.
    pub async fn perform(self: Arc<Self>, task: DomainTask, so_far: SoFar) -> Outcome {
        match task {
            DomainTask::Keep(changes) => {
                let kept = tokio::task::spawn_blocking(move || self.keep(&changes)).await;
                Outcome::Kept(kept.unwrap_or_else(|error| Err(error.to_string())))
            }
            DomainTask::Look(at) => match self.look(*at, |findings| so_far.tell(findings)).await {
                Ok(seen) => Outcome::Seen(Box::new(seen)),
                Err(why) => crashed(why),
            },
            DomainTask::Walk { redirects, practice, at } => match self.settings(practice.as_ref(), at).await {
                Ok(settings) => {
                    let walks = stream::iter(redirects).map(|redirect| walk(&settings, redirect));
                    Outcome::Walked(walks.buffered(WALKS).collect().await)
                }
                Err(why) => crashed(why),
            },
            DomainTask::Save { was, configuration } => {
                let to = Written::from(configuration.clone());
                let written = tokio::task::spawn_blocking(move || self.save(&was, &to)).await;
                let result = written.unwrap_or_else(|error| Err(NotSaved::Failed(error.to_string())));
                Outcome::Saved(configuration, result)
            }
        }
    }

    /// Writes the project's domains into the configuration file; gives its name.
    fn save(&self, was: &Written, to: &Written) -> Result<String, NotSaved> {
        match edit::set_domains(&self.configuration, &in_file(was), &in_file(to)) {
            Ok(()) => Ok(self.configuration.display().to_string()),
            Err(EditError::Changed { there, .. }) => Err(NotSaved::Changed(written(*there))),
            Err(error) => Err(NotSaved::Failed(error.to_string())),
        }
    }

    /// Applies changes to the list on disk, and gives it as it is then.
    pub fn keep(&self, changes: &[Change]) -> Result<List, String> {
        if changes.is_empty() {
            return self.list.read().map_err(|error| error.to_string());
        }
        let apply = |list: &mut List| {
            changes.iter().for_each(|change| change.apply(list));
            Ok::<_, ListError>(list.clone())
        };
        self.list.change(apply).map_err(|error| error.to_string())
    }

    /// Looks at one domain; `so_far` takes what is found while it goes on, where somebody looks on. Fails where nothing
    /// could be asked.
    pub async fn look(&self, at: LookAt, so_far: impl Fn(&[Finding]) + Send + Sync) -> Result<Seen, String> {
        let LookAt { entry, told, detail, practice, at } = at;
        let settings = self.settings(practice.as_ref(), at).await?;
        let settings = with_value(&settings, &told);
        let reading = name::read(entry.name.as_str(), &Known::default());
        let domain = reading.domain.ok_or_else(|| format!("{} is no domain name.", entry.name))?;
        // Who looks on wants to see what is so now; practice changes from one check to the next.
        let memory = if detail || practice.is_some() { Arc::default() } else { self.memory() };
        let tell = |findings: &[Finding], _| so_far(findings);
        let progress: Option<Progress<'_>> = if detail { Some(&tell) } else { None };
        let checked = look(&settings, Some(&entry), &domain, &told, &reading.findings, &memory, progress).await;
        let expectation = &settings.expectation;
        let mut views = views(&checked.case(expectation, &told));
        if !checked.measurement.known {
            // Whatever answered is not to be believed.
            views.iter_mut().for_each(|view| view.verdict = ViewVerdict::NotCounted);
        }
        let conflicts = checked.conflicts(expectation, &told);
        let report = if detail { checked.report(expectation, &told) } else { String::new() };
        let zone = checked.zone();
        let Checked { at, findings, measurement, .. } = checked;
        Ok(Seen { at, findings, views, conflicts, zone, report, measurement })
    }

    /// What is asked where. In practice, the world is made as it is then.
    async fn settings(&self, practice: Option<&Practice>, at: Option<jiff::Timestamp>) -> Result<Settings, String> {
        let (Some(practice), Some(at)) = (practice, at) else {
            return self.settings.clone().ok_or_else(|| "there are no settings.".to_owned());
        };
        let started = self.world.get_or_try_init(|| start(practice.plan(at))).await;
        let (world, settings) = started.map_err(|error| format!("the world of practice does not start: {error}."))?;
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if latest.as_ref().is_none_or(|latest| latest.done() <= practice.done()) {
            *latest = Some(practice.clone());
            world.change(|there| *there = practice.plan(at));
        }
        Ok(Settings { now: Some(at), ..settings.clone() })
    }

    /// What the checks of a short time share.
    fn memory(&self) -> Arc<Memory> {
        let now = clock::now().mono;
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        match &*memory {
            Some((since, shared)) if now.saturating_duration_since(*since) < MEMORY => Arc::clone(shared),
            _ => {
                let shared = Arc::<Memory>::default();
                *memory = Some((now, Arc::clone(&shared)));
                shared
            }
        }
    }
}

fn in_file(written: &Written) -> ProjectDomains {
    let redirect = |redirect: &WrittenRedirect| config::file::Redirect {
        from: redirect.from.clone(),
        to: redirect.to.clone(),
        status: u16::try_from(redirect.status).unwrap_or_default(),
    };
    ProjectDomains {
        primary: written.primary.clone().unwrap_or_default(),
        redirects: written.redirects.iter().map(redirect).collect(),
    }
}

fn written(domains: ProjectDomains) -> Written {
    let redirect = |redirect: config::file::Redirect| {
        let config::file::Redirect { from, to, status } = redirect;
        WrittenRedirect { from, to, status: status.into() }
    };
    Written {
        primary: Some(domains.primary).filter(|primary| !primary.is_empty()),
        redirects: domains.redirects.into_iter().map(redirect).collect(),
    }
}

fn crashed(why: String) -> Outcome {
    Outcome::Failed(crate::api::Failure::Crashed { why })
}

/// A world that runs, and the settings that look into it.
async fn start(plan: Plan) -> std::io::Result<(World, Settings)> {
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject as _;
    let world = World::start(plan).await?;
    let root = CertificateDer::from_pem_slice(world.trust_pem().as_bytes()).map_err(std::io::Error::other)?;
    let expectation =
        Expectation { platform_host: None, ca_identities: vec![Plan::CA.to_owned()], allow_private: true };
    let settings = Settings {
        resolvers: world.resolvers().into_iter().map(resolver).collect(),
        name_servers: world.name_servers().into_iter().collect(),
        http_port: world.http_port(),
        https_port: world.https_port(),
        ..Settings::new(expectation, vec![root])
    };
    Ok((world, settings))
}

async fn walk(settings: &Settings, redirect: Redirect) -> Walked {
    let (walk, findings, at) = walk_redirect(settings, &redirect).await;
    let trail = if walk.https.hops.is_empty() { &walk.http } else { &walk.https };
    let hop = |hop: &Hop| {
        let step = hop.evidence();
        let kept = hop.kept().map_or_else(String::new, |kept| format!(" ({kept})"));
        format!("{} -> {}{kept}", step.question, step.answer)
    };
    let hops = trail.hops.iter().map(hop).collect();
    Walked { redirect, at, findings, hops }
}

/// Takes what a look finds while it goes on. What finds no room is left out: the end of the look says it all.
pub struct SoFar {
    /// The slot of the job.
    pub slot: Slot,
    /// The job.
    pub id: ReqId,
    /// Where replies go.
    pub replies: mpsc::Sender<Reply>,
}

impl SoFar {
    /// Waits until there is room for it: nothing of what is given so is left out.
    pub async fn give(&self, outcome: Outcome) {
        // Nobody waits for it any more where the receiver is gone.
        let _ = self.replies.send(Reply { slot: self.slot, id: self.id, outcome }).await;
    }

    /// Leaves it out where there is no room: something newer comes.
    pub fn offer(&self, outcome: Outcome) {
        let _ = self.replies.try_send(Reply { slot: self.slot, id: self.id, outcome });
    }

    fn tell(&self, findings: &[Finding]) {
        self.offer(Outcome::SoFar(findings.to_vec()));
    }
}
