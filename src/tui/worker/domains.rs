//! The hands of the domains panel: the list and the configuration on disk, and looks at domains. In practice all of it
//! happens in a small world on loopback and in a directory that goes with the program.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream;
use parking_lot::Mutex;
use tempfile::TempDir;
use tokio::sync::OnceCell;

use super::job::{Progress, blocking};
use crate::api::Failure;
use crate::clock;
use crate::config;
use crate::config::edit::{self, EditError, ProjectDomains};
use crate::domains::Finding;
use crate::domains::check::{Checked, OnFindings, check, walk_redirect, with_value};
use crate::domains::check_options::{CheckOptions, resolver};
use crate::domains::diagnosis::Expectation;
use crate::domains::observation::Hop;
use crate::domains::parse_name::{self, ExistingDomains};
use crate::domains::probe::cache::ProbeCache;
use crate::domains::redirect_config::{ConfigSource, Redirect, WrittenRedirect};
use crate::domains::registry::{Registry, RegistryError, RegistryFile};
use crate::domains::sandbox::Sandbox;
use crate::domains::simulator::{Plan, Simulator};
use crate::domains::vantage_points::{ViewVerdict, views};
use crate::tui::screens::domains::jobs::{
    CheckRequest, CheckResult, DomainReply, DomainTask, FollowedRedirect, NotSaved, RegistryChange,
};

/// How long what several checks share is remembered.
const MEMORY: Duration = Duration::from_secs(20);

/// How many redirects are followed side by side.
const WALKS: usize = 8;

/// What the hands of the panel work with.
pub struct DomainsContext {
    list: RegistryFile,
    /// Where the project's domains are written.
    configuration: PathBuf,
    /// What is asked where; in practice it is known once the world runs.
    settings: Option<CheckOptions>,
    world: OnceCell<(Simulator, CheckOptions)>,
    /// The latest state of practice: jobs that began before an act must not undo it.
    latest: Mutex<Option<Sandbox>>,
    memory: Mutex<Option<(Instant, Arc<ProbeCache>)>>,
    /// Of practice; removed when this is dropped.
    _directory: Option<TempDir>,
}

impl DomainsContext {
    /// The desk for real domains.
    #[must_use]
    pub fn new(list: RegistryFile, configuration: PathBuf, settings: CheckOptions) -> Self {
        let (settings, world, latest, memory) = (Some(settings), OnceCell::new(), Mutex::default(), Mutex::default());
        Self { list, configuration, settings, world, latest, memory, _directory: None }
    }

    /// The desk for practice, with the list that it begins with.
    pub fn sandbox(sandbox: &Sandbox) -> std::io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("petstore-practice-").tempdir()?;
        let list = RegistryFile::new(directory.path().join("domains.json"));
        let begin = |list: &mut Registry| {
            *list = sandbox.list();
            Ok::<_, RegistryError>(())
        };
        list.change(begin).map_err(std::io::Error::other)?;
        let configuration = directory.path().join("config.toml");
        let domains = in_file(&Sandbox::configuration().into());
        edit::set_domains(&configuration, &ProjectDomains::default(), &domains).map_err(std::io::Error::other)?;
        let (world, latest, memory) = (OnceCell::new(), Mutex::default(), Mutex::default());
        Ok(Self { list, configuration, settings: None, world, latest, memory, _directory: Some(directory) })
    }

    /// Does a job; `progress` takes what a look finds while it goes on.
    pub async fn perform(self: Arc<Self>, task: DomainTask, progress: Progress) -> DomainReply {
        match task {
            DomainTask::Keep(changes) => DomainReply::RegistryWritten(blocking(move || self.keep(&changes)).await),
            DomainTask::Check(lane, at) => {
                // What finds no room is left out: the end of the look says it all.
                let so_far = |findings: &[Finding]| progress.offer(DomainReply::CheckProgress(lane, findings.to_vec()));
                DomainReply::Checked(lane, self.look(*at, so_far).await.map(Box::new).map_err(crashed))
            }
            DomainTask::FollowRedirects { redirects, sandbox, at } => {
                let settings = self.settings(sandbox.as_ref(), at).await;
                DomainReply::RedirectsFollowed(match settings {
                    Ok(settings) => {
                        let walks = stream::iter(redirects).map(|redirect| walk(&settings, redirect));
                        Ok(walks.buffered(WALKS).collect().await)
                    }
                    Err(why) => Err(crashed(why)),
                })
            }
            DomainTask::Save { was, configuration } => {
                let to = ConfigSource::from(configuration.clone());
                let written = blocking(move || self.save(&was, &to)).await;
                DomainReply::Saved(written.map(|path| (configuration, path)))
            }
        }
    }

    /// Writes the project's domains into the configuration file; gives its name.
    fn save(&self, was: &ConfigSource, to: &ConfigSource) -> Result<String, NotSaved> {
        match edit::set_domains(&self.configuration, &in_file(was), &in_file(to)) {
            Ok(()) => Ok(self.configuration.display().to_string()),
            Err(EditError::Changed { there, .. }) => Err(NotSaved::Changed(written(*there))),
            Err(error) => Err(NotSaved::Failed(error.to_string())),
        }
    }

    /// Applies changes to the list on disk, and gives it as it is then.
    pub fn keep(&self, changes: &[RegistryChange]) -> Result<Registry, String> {
        if changes.is_empty() {
            return self.list.read().map_err(|error| error.to_string());
        }
        let apply = |list: &mut Registry| {
            changes.iter().for_each(|change| change.apply(list));
            Ok::<_, RegistryError>(list.clone())
        };
        self.list.change(apply).map_err(|error| error.to_string())
    }

    /// Looks at one domain; `so_far` takes what is found while it goes on, where somebody looks on. Fails where nothing
    /// could be asked.
    pub async fn look(
        &self,
        at: CheckRequest,
        so_far: impl Fn(&[Finding]) + Send + Sync,
    ) -> Result<CheckResult, String> {
        let CheckRequest { entry, reported, detail, sandbox, at } = at;
        let settings = self.settings(sandbox.as_ref(), at).await?;
        let settings = with_value(&settings, &reported);
        let reading = parse_name::read(entry.name.as_str(), &ExistingDomains::default());
        let domain = reading.domain.ok_or_else(|| format!("{} is no domain name.", entry.name))?;
        // Who looks on wants to see what is so now; practice changes from one check to the next.
        let memory = if detail || sandbox.is_some() { Arc::default() } else { self.memory() };
        let tell = |findings: &[Finding], _| so_far(findings);
        let progress: Option<OnFindings<'_>> = if detail { Some(&tell) } else { None };
        let checked = check(&settings, Some(&entry), &domain, &reported, &reading.findings, &memory, progress).await;
        let expectation = &settings.expectation;
        let mut views = views(&checked.case(expectation, &reported));
        if !checked.measurement.known {
            // Whatever answered is not to be believed.
            views.iter_mut().for_each(|view| view.verdict = ViewVerdict::NotCounted);
        }
        let conflicts = checked.conflicts(expectation, &reported);
        let report = if detail { checked.report(expectation, &reported) } else { String::new() };
        let zone = checked.zone();
        let Checked { at, findings, measurement, .. } = checked;
        Ok(CheckResult { at, findings, views, conflicts, zone, report, measurement })
    }

    /// What is asked where. In practice, the world is made as it is then.
    async fn settings(&self, sandbox: Option<&Sandbox>, at: Option<jiff::Timestamp>) -> Result<CheckOptions, String> {
        let (Some(sandbox), Some(at)) = (sandbox, at) else {
            return self.settings.clone().ok_or_else(|| "there are no settings.".to_owned());
        };
        let started = self.world.get_or_try_init(|| start(sandbox.plan(at))).await;
        let (world, settings) = started.map_err(|error| format!("the world of practice does not start: {error}."))?;
        let mut latest = self.latest.lock();
        if latest.as_ref().is_none_or(|latest| latest.done() <= sandbox.done()) {
            *latest = Some(sandbox.clone());
            world.change(|there| *there = sandbox.plan(at));
        }
        Ok(CheckOptions { now: Some(at), ..settings.clone() })
    }

    /// What the checks of a short time share.
    fn memory(&self) -> Arc<ProbeCache> {
        let now = clock::now().mono;
        let mut memory = self.memory.lock();
        match &*memory {
            Some((since, shared)) if now.saturating_duration_since(*since) < MEMORY => Arc::clone(shared),
            _ => {
                let shared = Arc::<ProbeCache>::default();
                *memory = Some((now, Arc::clone(&shared)));
                shared
            }
        }
    }
}

fn in_file(written: &ConfigSource) -> ProjectDomains {
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

fn written(domains: ProjectDomains) -> ConfigSource {
    let redirect = |redirect: config::file::Redirect| {
        let config::file::Redirect { from, to, status } = redirect;
        WrittenRedirect { from, to, status: status.into() }
    };
    ConfigSource {
        primary: Some(domains.primary).filter(|primary| !primary.is_empty()),
        redirects: domains.redirects.into_iter().map(redirect).collect(),
    }
}

fn crashed(why: String) -> Failure {
    Failure::Crashed { why }
}

/// A world that runs, and the settings that look into it.
async fn start(plan: Plan) -> std::io::Result<(Simulator, CheckOptions)> {
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject as _;
    let world = Simulator::start(plan).await?;
    let root = CertificateDer::from_pem_slice(world.trust_pem().as_bytes()).map_err(std::io::Error::other)?;
    let expectation =
        Expectation { platform_host: None, ca_identities: vec![Plan::CA.to_owned()], allow_private: true };
    let settings = CheckOptions {
        resolvers: world.resolvers().into_iter().map(resolver).collect(),
        name_servers: world.name_servers().into_iter().collect(),
        http_port: world.http_port(),
        https_port: world.https_port(),
        ..CheckOptions::new(expectation, vec![root])
    };
    Ok((world, settings))
}

async fn walk(settings: &CheckOptions, redirect: Redirect) -> FollowedRedirect {
    let (walk, findings, at) = walk_redirect(settings, &redirect).await;
    let trail = if walk.https.hops.is_empty() { &walk.http } else { &walk.https };
    let hop = |hop: &Hop| {
        let step = hop.evidence();
        let kept = hop.kept().map_or_else(String::new, |kept| format!(" ({kept})"));
        format!("{} -> {}{kept}", step.question, step.answer)
    };
    let hops = trail.hops.iter().map(hop).collect();
    FollowedRedirect { redirect, at, findings, hops }
}
